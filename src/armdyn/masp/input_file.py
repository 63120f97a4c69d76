"""Input files in TOML: tables 1 and 2 of Kazerounian and Gupta, the hand's path and its load."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.advice import instead
from armdyn.base.errors import ArmdynError, ModelError
from armdyn.base.units import STANDARD_FREE_FALL
from armdyn.formats.given import KINDS
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.hand_path import hand_axes, read_begin, read_joints, read_path
from armdyn.masp.problem import MaspProblem, SimulationSettings
from armdyn.masp.sections import REQUIRED, Section, unit
from armdyn.masp.units import UNITS, InputUnits, unit_problems
from armdyn.model.inertia import Inertia
from armdyn.model.limits import Limits
from armdyn.model.messages import did_you_mean
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

EXAMPLE = Path(__file__).with_name("kg_puma.toml")
"""The paper's own example as an input file: tables 1 and 2, and the circle of (30)-(38)."""

TOP = (
    *("title", "name", "units", "arm", "joint", "hand", "payload", "hand_load", "begin", "path", "analysis"),
    "simulation",
)
ARM = ("gravity", "first_center", "check_inertia")
BODY = ("c", "d", "b", "point")
JOINT = ("name", "kind", "axis", *BODY, "weight", "mass", "inertia", "collar", "lower", "upper", "velocity", "effort")
COLLARS = ("parent", "child")
SIX = 6
MATRIX = "Ixx, Iyy, Izz, Ixy, Ixz, Iyz, about the centre of mass, base axes"


def read_masp(path: str | os.PathLike[str]) -> MaspProblem:
    """Read an input file; docs/masp.md describes its keys.

    Args:
        path: path of the TOML file.

    Raises:
        ModelError: every problem of the file at once: unknown keys, unknown units, values that are not numbers.

    >>> problem = armdyn.masp.read_masp(armdyn.masp.EXAMPLE)
    >>> problem.robot.name, problem.units.length, problem.path.duration
    ('kg_puma', 'in', 9.0)
    """
    file = Path(path)
    data = _parse(file)
    problems: list[str] = []
    try:
        with instead(check_inertia="check_inertia = false in [arm], or [payload]"):
            problem = _problem(data, file, problems)
    except ModelError as error:
        problems += error.problems
    except ArmdynError as error:
        problems.append(str(error))
    if problems:
        raise ModelError([f"{file.name}: {problem}" for problem in problems])
    return problem


def _parse(file: Path) -> dict[str, object]:
    """The tables of a file."""
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        near = [other.name for other in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        meant = did_you_mean(file.name, near)
        hint = f".{meant}" if meant else "; armdyn masp --example prints one to begin with"
        raise ModelError(f"no file {str(file)!r}{hint}") from None
    except OSError as error:
        raise ModelError(f"{str(file)!r} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{str(file)!r} is not TOML: {error}") from None


def _problem(data: Mapping[str, object], file: Path, problems: list[str]) -> MaspProblem:
    """The problem of the file; errors are added to ``problems``; without a valid arm the rest is not read."""
    top = Section("the file", data, TOP, problems)
    units = _units(data.get("units", {}), problems)
    robot = _robot(top, data, units, problems)
    if robot.dof != SIX:
        top.refuse(
            f"the file has {robot.dof} tables [[joint]]; expected {SIX}, for the hand's pose has as many conditions."
        )
    if problems:
        raise ModelError(())  # they are in the list
    load = _load(data["hand_load"], units, problems) if "hand_load" in data else None
    begin, q = read_begin(data.get("begin", {}), robot, units, problems)
    path = None if problems else read_path(data.get("path"), begin, units, problems)
    analysis = Section("[analysis]", data.get("analysis", {}), ("samples", "configuration", "near"), problems)
    near = read_joints(analysis, "near", robot, units) if "near" in analysis else q
    samples = analysis.whole("samples", 901, "how many times", least=2)
    chosen = analysis.whole("configuration", 1, "the number of a configuration", least=1)
    if len(values := [key for key in ("near", "configuration") if key in analysis]) > 1 or (values and q is not None):
        extra = "[begin] with joints" if q is not None else values[1]
        analysis.refuse(f"[analysis] {values[0]} and {extra} both choose the configuration; expected one of them.")
    simulated = _simulated(data["simulation"], file, robot, units, problems) if "simulation" in data else None
    if problems or path is None:
        raise ModelError(())
    title = top.text("title", file.stem)
    return MaspProblem(title, robot, units, begin, path, load, near, chosen, samples, simulated)


def _units(table: object, problems: list[str]) -> InputUnits:
    """The table [units]; missing units are SI."""
    section = Section("[units]", table, tuple(UNITS), problems)
    default = InputUnits()
    words = {name: section.table.get(name, getattr(default, name)) for name in UNITS}
    for name, word in words.items():
        if result := list(unit_problems(name, word, f"[units]: {name}")):
            problems += result
            words[name] = getattr(default, name)
    return InputUnits(**words)


def _robot(top: Section, data: Mapping[str, object], units: InputUnits, problems: list[str]) -> Robot:
    """The robot of tables 1 and 2."""
    arm = Section("[arm]", data.get("arm", {}), ARM, problems)
    length = units.of_length
    fall = STANDARD_FREE_FALL / length.si
    gravity = arm.vector("gravity", f"acceleration of free fall, {length.name}/s²", (0.0, 0.0, -fall))
    rows = data.get("joint")
    if not isinstance(rows, list) or not rows:
        raise ModelError("the file has no joints; expected a table [[joint]] for each, from the base on.")
    joints = [Section(f"[[joint]] {k}", row, JOINT, problems) for k, row in enumerate(rows, start=1)]
    names = [joint.text("name", f"joint_{k}") for k, joint in enumerate(joints, start=1)]
    kinds = [joint.word("kind", tuple(KINDS), "R") for joint in joints]
    values = _body_vectors(joints, units, problems)
    hand = Section("[hand]", data.get("hand", {}), ("axial", "transverse", "point"), problems)
    R = hand_axes(hand, np.eye(3))
    if "point" in hand:
        values["hand"] = hand.vector("point", f"the hand point h, {length.name}")
    if "first_center" in arm:
        values["first_center"] = arm.vector("first_center", f"of joint 1, {length.name}")
    arguments: dict[str, Any] = {
        "kinds": kinds,
        **values,
        "axial": R[:, 2],
        "transverse": R[:, 0],
        "masses": [_mass(joint, units) for joint in joints],
        "inertias": [_inertia(joint, units) for joint in joints],
        "collars": {n: j.word("collar", COLLARS, "child") for n, j in zip(names, joints, strict=True) if "collar" in j},
        "limits": [_limits(joint, KINDS[kind], units) for joint, kind in zip(joints, kinds, strict=True)],
        "joint_names": names,
        "name": top.text("name", "masp"),
        "check_inertia": arm.switch("check_inertia", True),
        "gravity": gravity * length.si,
        "units": units.described,
    }
    axes = [_direction(joint) for joint in joints]
    if problems:
        raise ModelError(())  # they are in the list
    robot = Robot.from_zero_reference(axes, **arguments)
    return _with_payload(robot, data["payload"], units, problems) if "payload" in data else robot


def _body_vectors(joints: list[Section], units: InputUnits, problems: list[str]) -> dict[str, object]:
    """c, d and b, or points, of all joints: all joints must have equal keys."""
    meanings = {
        "c": "from the joint's centre to the centre of mass",
        "d": "from the centre of mass to the next joint's centre",
        "b": "from the joint's centre to the next one's",
        "point": "on the joint's axis, base coordinates",
    }
    result: dict[str, Any] = {}
    for key, meaning in meanings.items():
        have = [joint for joint in joints if key in joint]
        if have and len(have) < len(joints):
            without = next(joint.name for joint in joints if key not in joint)
            problems.append(f"{without} has no {key}, and {have[0].name} has; expected the same keys for all joints.")
        elif have:
            rows = [joint.vector(key, f"{meaning}, {units.length}") for joint in joints]
            result["points" if key == "point" else key] = rows
    return result


def _direction(joint: Section) -> Array:
    """The unit vector u_0k, from a direction of any length."""
    axis = joint.vector("axis", "the direction of the joint's axis u_0k")
    if not axis.any():
        if not joint.problems:
            joint.refuse(f"{joint.name}: axis is zero; expected a direction.")
        return np.array([0.0, 0.0, 1.0])
    return unit(axis)


def _mass(section: Section, units: InputUnits) -> float:
    """The mass in the file's unit: given, or a weight over standard free fall."""
    if "mass" in section and "weight" in section:
        section.refuse(f"{section.name} has mass and weight; expected one of them.")
    if "weight" in section:
        weight = section.number("weight", REQUIRED, f"a weight of at least zero, {units.force}", least=0.0)
        return weight * units.of_length.si / STANDARD_FREE_FALL
    return section.number("mass", REQUIRED, f"a mass of at least zero, {units.mass}, or a weight", least=0.0)


def _inertia(section: Section, units: InputUnits) -> Array:
    """The inertia matrix of Ixx, Iyy, Izz and, if given, the products Ixy, Ixz, Iyz."""
    size = len(section.table["inertia"]) if isinstance(section.table.get("inertia"), list) else 6
    values = section.numbers("inertia", 3 if size == 3 else 6, f"{MATRIX}, {units.inertia}", np.zeros(3))
    xx, yy, zz, xy, xz, yz = [*values, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _limits(joint: Section, kind: str, units: InputUnits) -> Limits:
    """The limits lower, upper, velocity and effort in the file's units; no limits for missing keys."""
    q, qd, tau = (units.of(kind, quantity) for quantity in ("q", "qd", "tau"))
    lower = joint.number("lower", -math.inf, f"the least position, {q.name}")
    upper = joint.number("upper", math.inf, f"the greatest position, {q.name}")
    velocity = joint.number("velocity", math.inf, f"the largest rate, {qd.name}, above zero", above=0.0)
    effort = joint.number("effort", math.inf, f"the largest force, {tau.name}, above zero", above=0.0)
    return Limits(lower * q.si, upper * q.si, velocity * qd.si, effort * tau.si)


def _with_payload(robot: Robot, table: object, units: InputUnits, problems: list[str]) -> Robot:
    """The arm with the payload of its hand, given like a link in the zero reference position."""
    section = Section("[payload]", table, ("weight", "mass", "center", "inertia", "check_inertia"), problems)
    center = section.vector("center", f"from the hand point to its centre of mass, {units.length}", np.zeros(3))
    mass, inertia = _mass(section, units), _inertia(section, units)
    check = section.switch("check_inertia", True)
    if problems:
        return robot
    R = robot.forward_kinematics(np.zeros(robot.dof))[:3, :3]
    described = units.described
    body = Inertia(mass * described.mass, R.T @ center * described.length, R.T @ (inertia * described.inertia) @ R)
    return robot.with_payload(body, check_inertia=check)


def _load(table: object, units: InputUnits, problems: list[str]) -> HandLoad:
    """The load of the table [hand_load]."""
    section = Section("[hand_load]", table, ("force", "moment", "axes"), problems)
    force = section.vector("force", f"on the hand, {units.force}", np.zeros(3))
    moment = section.vector("moment", f"on the hand about h, {units.moment.name}", np.zeros(3))
    axes = section.word("axes", ("base", "hand"), "base")
    return HandLoad(force * units.of_force.si, moment * units.moment.si, turning=axes == "hand")


def _simulated(table: object, file: Path, robot: Robot, units: InputUnits, problems: list[str]) -> SimulationSettings:
    """The settings of the table [simulation]."""
    section = Section("[simulation]", table, ("torques", "breaks", "q", "qd", "duration", "step"), problems)
    torques = section.text("torques", "path", "'path', or the name of a csv with columns t and tau_JOINT")
    breaks = section.numbers("breaks", None, "times of the csv's rows, s", np.zeros(0))
    if "breaks" in section and torques == "path":
        section.refuse("[simulation]: breaks are of a csv; those of the path are known. Leave them out.")
    duration = section.number("duration", math.nan, "seconds, above zero", above=0.0)
    return SimulationSettings(
        None if torques == "path" else file.parent / torques,
        tuple(breaks.tolist()),
        read_joints(section, "q", robot, units) if "q" in section else None,
        read_joints(section, "qd", robot, units, order="qd") if "qd" in section else None,
        None if math.isnan(duration) else duration,
        section.number("step", 1e-3, "seconds, above zero", above=0.0),
    )
