"""The treatment of a robot's constraints by a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

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
