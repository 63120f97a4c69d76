"""The error of a motion that runs away."""

from __future__ import annotations

import numpy as np

from armdyn.robot import Robot
from armdyn.simulation.unfinished import KEPT, SimulationError
from armdyn.spatial.rotations import Array


def diverged(robot: Robot, t: float, qd: Array, remedy: str) -> SimulationError:
    """The error that names the time and the fastest joint, from the last finite velocities."""
    k = int(np.argmax(np.abs(qd)))
    joint = robot.joints[k]
    unit = "rad/s" if joint.kind == "revolute" else "m/s"
    return SimulationError(
        f"the motion of {robot.name!r} could not be continued at t = {t:g} s: joint {joint.name!r} had reached "
        f"{qd[k]:.3g} {unit} and was the fastest. {remedy} {KEPT}"
    )
