"""A simulation that is put back onto its constraints after each step, and how far the steps had led away from them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from armdyn.advice import either, option
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.projection import projection_of
from armdyn.robot import Robot
from armdyn.simulation.errors import SettingError
from armdyn.simulation.integration.methods import Adaptive, Method, Taylor
from armdyn.spatial.rotations import Array

MULTISTEP = ("BDF", "LSODA")
"""Solvers of SciPy that take their next step from a history, which a correction would contradict."""


class Onto(Protocol):
    """What puts states onto constraints."""

    def after_step(self, q: Array, qd: Array, held: Array | None = None, /) -> tuple[Array, Array]:
        """The state on the constraints that a step is followed by; ``held`` are rows of velocities that are zero."""

    def onto(self, q: Array, qd: Array, held: Array | None = None, /) -> tuple[Array, Array]:
        """The same of a state between two steps, which no step goes out from."""


class Corrector:
    """Moves states onto the constraints of a robot, and keeps the largest phi and A qd it met after a step.

    A correction is as small as the error of the step it follows, so that a method keeps its order.
    """

    def __init__(self, robot: Robot, redundant: Redundant) -> None:
        self.project = projection_of(robot, redundant)
        self.positions = self.velocities = 0.0

    def after_step(self, q: Array, qd: Array, held: Array | None = None) -> tuple[Array, Array]:
        """The state on the constraints that a step is followed by; ``held`` are rows of velocities that are zero."""
        found = self.project(q, qd, held)
        self.positions = max(self.positions, _largest(found.phi))
        self.velocities = max(self.velocities, _largest(found.rate))
        return found.q, found.qd

    def onto(self, q: Array, qd: Array, held: Array | None = None) -> tuple[Array, Array]:
        """The same of a state between two steps, which no step goes out from."""
        found = self.project(q, qd, held)
        return found.q, found.qd

    def note(self) -> str:
        """One sentence."""
        return (
            "every step was followed by a projection onto the constraints; the steps had drifted from them by up to "
            f"{self.positions:.3g} m or rad and {self.velocities:.3g} m/s or rad/s"
        )


def corrector_of(robot: Robot, method: Method, project: bool, redundant: Redundant) -> Corrector | None:
    """The projection that ``project`` of `armdyn.simulate` turns on; None without it."""
    if not project:
        return None
    if not robot.model.constraints:
        asked = option("project", True)
        raise SettingError(f"{asked}, but {robot.name!r} has no constraints to project onto; leave it out")
    if isinstance(method, Taylor) or (isinstance(method, Adaptive) and method.scipy_method in MULTISTEP):
        raise SettingError(
            f"{method} cannot be corrected between its steps; use "
            + either("Adaptive('DOP853')", "--method adaptive")
            + f" or {option('method', 'rk4')}"
        )
    return Corrector(robot, redundant)


def _largest(values: Any) -> float:
    size = np.abs(values)
    return float(np.max(size[np.isfinite(size)], initial=0.0))
