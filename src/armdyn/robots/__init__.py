"""Bundled robots, and `load`, which finds them or reads a file. Each description names the source of its numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armdyn.errors import UnknownName
from armdyn.robot import Robot

IN_PLANE = (0.0, -9.81, 0.0)
"""Gravity of the textbooks' planar arms: their plane is x-y and y points up."""

_BUNDLED: Mapping[str, Mapping[str, Any]] = {
    "planar_2r": {"gravity": IN_PLANE},
    "rp": {"gravity": IN_PLANE},
    "ur5": {},
}


def bundled_robots() -> tuple[str, ...]:
    """The names `load` knows.

    >>> bundled_robots()
    ('planar_2r', 'rp', 'ur5')
    """
    return tuple(_BUNDLED)


def load(robot: str | os.PathLike[str], **options: Any) -> Robot:
    """A bundled robot by name, or the robot a URDF file describes.

    Args:
        robot: one of `bundled_robots`, or the path of a URDF file.
        options: as for `Robot.from_urdf`: base, tip, chain, locked, gravity, check_inertia.

    Raises:
        UnknownName: neither a bundled name nor an existing file.
        ModelError: every problem of the file at once.

    >>> load("planar_2r").joint_names
    ('joint_1', 'joint_2')
    """
    if robot in _BUNDLED:
        return Robot.from_urdf(Path(__file__).parent / f"{robot}.urdf", **{**_BUNDLED[str(robot)], **options})
    path = Path(robot)
    if not path.exists() and path.suffix == "" and len(path.parts) == 1:
        unknown = UnknownName.of("bundled robot", str(robot), _BUNDLED, "armdyn")
        raise UnknownName(f"{unknown} A file is given by its path, such as './{robot}.urdf'.")
    return Robot.from_urdf(path, **options)
