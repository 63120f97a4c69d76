"""The error of a motion that runs away."""

from __future__ import annotations

import numpy as np

from armdyn.robot import Robot
from armdyn.simulation.unfinished import KEPT, SimulationError
from armdyn.spatial.rotations import Array


def diverged(robot: Robot, t: float, qd: Array, remedy: str) -> SimulationError:
    """The error that names the time and the fastest joint, from the last finite velocities."""
    return SimulationError(
        f"the motion of {robot.name!r} could not be continued at t = {t:g} s: {fastest(robot, qd)}. {remedy} {KEPT}"
    )


def fastest(robot: Robot, qd: Array) -> str:
    """The joint of the largest velocity, in words; the first that is not finite where one is not."""
    k = int(np.argmax(np.where(np.isfinite(qd), np.abs(qd), np.inf)))
    joint = robot.joints[k]
    unit = "rad/s" if joint.kind == "revolute" else "m/s"
    return f"joint {joint.name!r} had reached {qd[k]:.3g} {unit} and was the fastest"
