"""The initial state of rotors and bristles."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike


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
