"""Settings of a simulation among its elements: the treatment of constraints, the state of rotors and bristles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from numpy.typing import ArrayLike

from armdyn.base.checks import choice, switch
from armdyn.base.errors import SettingError
from armdyn.base.fields import set_fields
from armdyn.constraints.arguments import Redundant


@dataclass(frozen=True)
class Constraints:
    """Treatment of the constraints of a robot: dependent rows, and projection after each step.

    Args:
        redundant: treatment of constraints that follow from others, e.g. those of a planar linkage closed in space.
            "auto" leaves out the rows that do so at all states, with a note, and refuses an initial state at which more
            rows are dependent than near it. "error" refuses both; "least_squares" is that of
            `constrained_forward_dynamics`, whose solution by singular values is slower. Rows within 1e-6 rad of others
            count as dependent.
        project: true to project q onto phi(q) = 0 and qd onto A qd = 0 after every step, by the least corrections in
            the metric of M, so that errors do not add up over time. ``trajectory.notes`` has the drift of the steps.

    Raises:
        SettingError: another word or value.

    >>> channel = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    >>> runner = armdyn.load("planar_2r").with_constraints(channel)
    >>> q0 = [-np.pi / 3, 2 * np.pi / 3]
    >>> motion = armdyn.simulate(runner, q0, duration=2.0, method="rk4", elements=[Constraints(project=True)])
    >>> bool(abs(runner.constraint_error(motion.q)).max() < 1e-12)
    True
    """

    redundant: Redundant = "auto"
    project: bool = False

    def __post_init__(self) -> None:
        choice("redundant", self.redundant, get_args(Redundant), error=SettingError)
        set_fields(self, project=switch("project", self.project, error=SettingError))


@dataclass(frozen=True, eq=False)
class Start:
    """Initial state of the rotors of flexible joints and of friction that has a state.

    Args:
        theta: positions of the rotors at the joints, rad or m, shape (..., n); by default those of the links, so that
            the springs are relaxed. Values of rigid joints are not read.
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n); by default those of the links.
        bristles: bristle deflection, rad or m, shape (..., bristles); zero by default.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Spring
    >>> elastic = Actuator(Motor(rotor_inertia=2e-5), Gear(100.0), spring=Spring(stiffness=900.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": elastic})
    >>> swing = armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Start(theta=[0.01, 0.0])])
    >>> float(swing.signals["theta"][0, 0])
    0.01
    """

    theta: ArrayLike | None = None
    thetad: ArrayLike | None = None
    bristles: ArrayLike | None = None


AT_REST = Start()
"""Rotors that begin at their links, and bristles without deflection."""
