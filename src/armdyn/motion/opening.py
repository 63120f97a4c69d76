"""A file as a motion: a trajectory that armdyn saved, or a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from armdyn.logs.errors import LogError
from armdyn.logs.log import Log
from armdyn.logs.reading import read
from armdyn.motion.saving import is_saved
from armdyn.motion.trajectory import Trajectory
from armdyn.robot import Robot


def open_motion(path: Path, robot: Robot, **options: Any) -> Trajectory | Log:
    """The motion in a file: a trajectory that armdyn saved, or a log.

    Args:
        path: of the file.
        robot: whose joints these are.
        options: of `armdyn.logs.read`.

    Raises:
        TrajectoryFileError: a saved trajectory that is damaged.
        LogError: a file that is neither, or a saved trajectory and options.
    """
    if not is_saved(path):
        return read(path, robot, **options)
    if names := [name for name, value in options.items() if value is not None]:
        raise LogError(
            f"{str(path)!r} is a trajectory that armdyn saved, and {', '.join(names)} is given too; leave it out"
        )
    return Trajectory.load(path)
