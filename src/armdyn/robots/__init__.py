"""Bundled robots, and `load`, which finds them or reads a file. Each description names the source of its numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Unpack

from armdyn.base.errors import ModelError, UnknownName, excerpt
from armdyn.base.lazy import modules_of
from armdyn.base.threads import undivided
from armdyn.model.model import Model
from armdyn.model.selection import SelectionOptions
from armdyn.robot import Robot
from armdyn.robots.from_memory import is_text, of_object, of_text

__all__ = ["LoadOptions", "bundled_robots", "load"]

_BUNDLED = (
    "planar_2r",
    "planar_2r_geared",
    "planar_3r",
    "ucl_2r",
    "rp",
    "furuta",
    "scara",
    "stanford",
    "puma560",
    "kg_puma",
    "ur5",
)
"""The names of the bundled robots: each has a URDF file, or a module of its own."""

_TAKING_OPTIONS = ("planar_2r_geared",)
"""Those whose module takes the options of `load`, and more."""

_PLANAR = ("planar_2r", "planar_3r", "ucl_2r")
"""Those that take masses and lengths of their links."""


def bundled_robots() -> tuple[str, ...]:
    """The names `load` knows.

    >>> ", ".join(bundled_robots())
    'planar_2r, planar_2r_geared, planar_3r, ucl_2r, rp, furuta, scara, stanford, puma560, kg_puma, ur5'
    """
    return _BUNDLED


class LoadOptions(SelectionOptions, total=False):
    """The keywords of `load`: those of `Robot.from_urdf`, and more of "planar_2r_geared" and of planar arms."""

    gear_ratio: float
    masses: Sequence[float]
    lengths: Sequence[float]
    xacro_args: Mapping[str, object] | None


def load(robot: str | os.PathLike[str] | object, **options: Unpack[LoadOptions]) -> Robot:
    """A bundled robot by name, or the robot a URDF or MJCF file, its text, or a model in memory describes.

    Args:
        robot: one of `bundled_robots`; the path of a URDF or MJCF file, or its text, whose root element tells which,
            <robot> or <mujoco>; a ``mujoco.MjModel``; a ``pinocchio.Model``.
        options: as for `Robot.from_urdf` and `Robot.from_mjcf`: base, tip, chain, locked, gravity, check_inertia,
            problems, friction, joint_order. A xacro file takes xacro_args=, the values of its arguments by name, and is
            expanded. "planar_2r_geared" takes gear_ratio=, 10 by default; "planar_2r", "planar_3r" and
            "ucl_2r" take masses=, kg, and lengths=, m, of their links: centres of mass and inertias scale with them.

    Warns (`armdyn.DescriptionWarning`) of what most callers would not expect: mass that ``chain=True`` leaves out,
    limits that are zero. ``robot.notes`` has all notes.

    Raises:
        UnknownName: neither a bundled name nor an existing file; an option that there is not.
        ModelError: every problem of the file at once, or a value of another kind.

    >>> load("planar_2r").joint_names
    ('joint_1', 'joint_2')
    >>> load("ucl_2r", masses=[2.0, 1.0], lengths=[0.5, 0.5], gravity=(0, -9.81, 0)).gravity_forces([0.0, 0.0])
    array([19.62 ,  4.905])
    """
    _refuse_unknown(robot, options)
    with undivided():  # the modules that read files are imported at first use
        return _load(robot, options)


def _refuse_unknown(robot: object, options: Iterable[str]) -> None:
    geared = isinstance(robot, str) and robot in _TAKING_OPTIONS
    planar = isinstance(robot, str) and robot in _PLANAR
    of_urdf = isinstance(robot, str | os.PathLike) and not (
        isinstance(robot, str) and (is_text(robot) or robot in _BUNDLED)
    )
    of_arm = [*(["gear_ratio"] if geared else []), *(["masses", "lengths"] if planar else [])]
    choices = sorted([*SelectionOptions.__annotations__, *of_arm, *(["xacro_args"] if of_urdf else [])])
    for option in options:
        if option not in choices:
            subject = excerpt(str(robot)) if isinstance(robot, str | os.PathLike) else type(robot).__name__
            raise UnknownName.of("option", option, choices, f"armdyn.load of {subject}")


def _load(robot: object, options: Mapping[str, Any]) -> Robot:
    if isinstance(robot, str) and is_text(robot):
        return of_text(robot, options)
    if not isinstance(robot, str | os.PathLike):
        return _of_object(robot, options)
    if robot in _BUNDLED:
        return _bundled(str(robot), options)
    path = Path(robot)
    if options.get("xacro_args") is not None:
        return Robot.from_urdf(path, **options)
    options = {name: value for name, value in options.items() if name != "xacro_args"}
    if not os.path.exists(path) and path.suffix == "" and len(path.parts) == 1:
        unknown = UnknownName.of("bundled robot", str(robot), _BUNDLED, "armdyn")
        raise UnknownName(f"{unknown} A file is given by its path, such as './{robot}.urdf'.")
    if path.suffix not in (".urdf", ".xacro") and os.path.isfile(path):
        from armdyn.formats.files import read_start, refuse_not_xml  # noqa: PLC0415
        from armdyn.formats.mjcf import is_mjcf  # noqa: PLC0415

        refuse_not_xml(path, read_start(path))
        if is_mjcf(path):
            return Robot.from_mjcf(path, **options)
    return Robot.from_urdf(path, **options)


def _of_object(robot: object, options: Mapping[str, object]) -> Robot:
    result = of_object(robot, options)
    if result is None:
        raise ModelError(
            f"the robot is {type(robot).__name__}; expected a bundled name or the path of a file, the text of a "
            "description, a mujoco.MjModel or a pinocchio.Model"
        )
    return result


def _bundled(name: str, options: Mapping[str, object]) -> Robot:
    return _read_bundled(name, options) if options else Robot(_bundled_model(name))


@cache
def _bundled_model(name: str) -> Model:
    """What a bundled name alone means, read once a process; nobody can change it."""
    return _read_bundled(name, {}).model


def _read_bundled(name: str, options: Mapping[str, Any]) -> Robot:
    """From its URDF file, or from its module; with options such an arm is written as URDF and read with them."""
    if "masses" in options or "lengths" in options:
        planar: Robot = import_module("armdyn.robots.planar").build(name, **options)
        return planar
    path = Path(__file__).parent / f"{name}.urdf"
    if path.exists():
        return Robot.from_urdf(path, **options)
    module = import_module(f"armdyn.robots.{name}")
    if name in _TAKING_OPTIONS:
        geared: Robot = module.build(**options)
        return geared
    arm: Robot = module.build()
    if not options:
        return arm
    from armdyn.formats.urdf import read_urdf_text  # noqa: PLC0415

    return Robot(read_urdf_text(arm.to_urdf(), name, **{"check_inertia": False, **options}))


__getattr__ = modules_of(__name__)
