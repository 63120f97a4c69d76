"""Arguments that several verbs share, and how they are read."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from armdyn.errors import ShapeError
from armdyn.robot import Robot
from armdyn.robots import load
from armdyn.spatial.rotations import Array

RobotArgument = Annotated[
    str,
    typer.Argument(metavar="ROBOT", help="A bundled robot (ur5, puma560, planar_2r, ...) or the path of a URDF file."),
]
TipOption = Annotated[str | None, typer.Option("--tip", help="The link that counts as the tip.")]
BaseOption = Annotated[str | None, typer.Option("--base", help="Keep only what hangs on this link.")]
ChainOption = Annotated[bool, typer.Option("--chain", help="Keep only the joints between base and tip.")]
LockOption = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="JOINT=VALUE", help="Hold a joint at this many rad or m; may be repeated."),
]
GravityOption = Annotated[
    str | None, typer.Option("--gravity", metavar="X,Y,Z", help="Acceleration of free fall in base axes, m/s^2.")
]

AcceptOption = Annotated[
    bool, typer.Option("--accept-inertia", help="Take inertias that no rigid body has as they stand.")
]


def open_robot(
    robot: str,
    *,
    base: str | None,
    tip: str | None,
    chain: bool,
    lock: list[str] | None,
    gravity: str | None,
    accept: bool,
) -> Robot:
    """The robot the shared arguments describe."""
    options: dict[str, Any] = {"base": base, "tip": tip, "chain": chain, "locked": _locked(lock or [])}
    given = {name: value for name, value in options.items() if value}
    if accept:
        given["check_inertia"] = False
    if gravity is not None:
        given["gravity"] = read_vector(gravity, "--gravity", 3)
    return load(robot, **given)


def _locked(texts: list[str]) -> dict[str, float]:
    locked = {}
    for text in texts:
        joint, equals, value = text.rpartition("=")
        if not equals:
            raise ShapeError(f"--lock {text!r}: expected JOINT=VALUE, for example finger_joint=0.02")
        locked[joint] = float(read_vector(value, f"--lock {joint}", 1)[0])
    return locked


def read_vector(text: str, name: str, size: int, *, meaning: str = "") -> Array:
    """Numbers separated by commas or blanks; one number may stand for ``size`` equal ones only if ``size`` is 1."""
    words = text.replace(",", " ").split()
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        raise ShapeError(
            f"{name} is {text!r}; expected {size} numbers separated by commas, {meaning}".rstrip(", ")
        ) from None
    if len(values) != size:
        raise ShapeError(f"{name} has {len(values)} numbers; expected {size}{', ' + meaning if meaning else ''}")
    return values


def read_joint_vector(text: str | None, name: str, robot: Robot) -> Array:
    """One number a joint; zeros where the option is not given."""
    if text is None:
        return np.zeros(robot.dof)
    return read_vector(text, name, robot.dof, meaning=f"one a joint of {robot.name!r}: {', '.join(robot.joint_names)}")
