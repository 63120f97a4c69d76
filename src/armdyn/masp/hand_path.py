"""The hand's path in an input file: consecutive curves, each with the cam law from rest to rest."""

from __future__ import annotations

import numpy as np

from armdyn.masp.sections import REQUIRED, Section, unit
from armdyn.masp.units import InputUnits
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array, rigid
from armdyn.trajectory import (
    Arc,
    CartesianPath,
    CartesianPathSequence,
    ConstantVelocity,
    Curve,
    CurvePath,
    Cycloidal,
    Line,
    MotionError,
    Screw,
    Through,
)

LAW = ("start", "cruise", "stop")
"""Keys of the durations of half-cycloidal start, constant velocity and half-cycloidal stop, s (32)-(34)."""

HAND = ("axial", "transverse")

CURVES = {
    "circle": ("center", "axis", "angle", "hand", *LAW),
    "arc": ("via", "end", *HAND, *LAW),
    "line": ("end", *HAND, *LAW),
    "screw": ("end", *HAND, *LAW),
    "through": ("points", "end", *HAND, *LAW),
    "rest": ("duration",),
}
"""The keys of each curve."""

RIGHT = 1e-9
"""Largest absolute cosine between two perpendicular directions."""


def read_begin(table: object, robot: Robot, units: InputUnits, problems: list[str]) -> tuple[Array, Array | None]:
    """The hand's pose at the beginning of the path, SI, and the joint positions if the file contains them."""
    section = Section("[begin]", table, ("point", *HAND, "joints"), problems)
    if "joints" in section:
        if others := [key for key in ("point", *HAND) if key in section]:
            section.refuse(f"[begin] has joints and {', '.join(others)}; expected joints, or point, axial, transverse.")
        q = read_joints(section, "joints", robot, units)
        return robot.forward_kinematics(q), q
    point = section.vector("point", f"the hand point h, {units.length}")
    R = hand_axes(section, None)
    return rigid(R, point * units.of_length.si), None


def read_joints(section: Section, key: str, robot: Robot, units: InputUnits, *, order: str = "q") -> Array:
    """One number per joint, converted from the file's units to SI."""
    names = ", ".join(f"{joint.name} in {units.of(joint.kind, order).name}" for joint in robot.joints)
    scales = np.array([units.of(joint.kind, order).si for joint in robot.joints])
    return np.asarray(section.numbers(key, robot.dof, names) * scales)


def read_path(tables: object, begin: Array, units: InputUnits, problems: list[str]) -> CartesianPath | None:
    """The path of the tip from its beginning, SI; None if it is invalid."""
    if not isinstance(tables, list) or not tables:
        problems.append("the file has no path; expected tables [[path]], each with a curve, such as curve = 'line'.")
        return None
    paths: list[CartesianPath] = []
    at = begin
    for k, table in enumerate(tables, start=1):
        here: list[str] = []
        path = _one(f"[[path]] {k}", table, at, units, here)
        problems += here
        if path is None or here:
            return None  # the next curve would begin at an unknown pose
        paths.append(path)
        at = path.evaluate(path.duration).pose
    return paths[0] if len(paths) == 1 else CartesianPathSequence(paths)


def _one(name: str, table: object, at: Array, units: InputUnits, problems: list[str]) -> CartesianPath | None:
    """One curve with its cam law."""
    word = Section(name, table, _ALL, problems).word("curve", tuple(CURVES))
    if problems:
        return None
    section = Section(f"{name} ({word})", table, ("curve", *CURVES[word]), problems)
    if word == "rest":
        duration = section.number("duration", REQUIRED, "seconds of rest, above zero", above=0.0)
        return None if problems else CurvePath(Line(at, at), ConstantVelocity(1.0, duration))
    start = section.number("start", REQUIRED, "seconds of the half-cycloidal start, above zero", above=0.0)
    cruise = section.number("cruise", 0.0, "seconds of constant velocity, zero or more", least=0.0)
    stop = section.number("stop", REQUIRED, "seconds of the half-cycloidal stop, above zero", above=0.0)
    try:
        curve = _curve(word, section, at, units)
        return None if curve is None else CurvePath(curve, Cycloidal(curve.extent, start, cruise, stop))
    except MotionError as error:
        section.refuse(f"{section.name}: {error}.")
        return None


_ALL = dict.fromkeys(("curve", *(key for keys in CURVES.values() for key in keys)))


def _curve(word: str, section: Section, at: Array, units: InputUnits) -> Curve | None:
    """The curve from a pose; None if one of its keys is wrong."""
    length = units.of_length.si
    if word == "circle":
        center = section.vector("center", f"of the circle, {units.length}")
        axis = section.vector("axis", "the direction about which the hand goes round")
        angle = section.number("angle", None, f"how far round, {units.angle}, above zero", above=0.0)
        hand = section.word("hand", ("turning", "fixed"), "turning")
        if section.problems:
            return None
        turn = angle * units.rate("angle", "q").si if "angle" in section else 2 * np.pi
        return Arc(at, center=center * length, axis=axis, angle=turn, orientation=hand)
    end = section.vector("end", f"of the {word}, {units.length}")
    R = hand_axes(section, at[:3, :3])
    between = section.vector("via", f"a point on the arc, {units.length}") if word == "arc" else None
    points = section.points("points", f"on the way, {units.length}") if word == "through" else np.zeros((0, 3))
    if section.problems:
        return None
    T = rigid(R, end * length)
    if between is not None:
        return Arc.through(at, between * length, T)
    if word == "through":
        return Through(at, points * length, T)
    return Screw(at, T) if word == "screw" else Line(at, T)


def hand_axes(section: Section, default: Array | None) -> Array:
    """u_t, u_a x u_t, u_a as columns, of directions of any length; ``default`` if the section has neither."""
    if default is not None and not any(key in section for key in HAND):
        return default
    a = section.vector("axial", "the direction of the hand's axis u_a")
    t = section.vector("transverse", "the direction u_t at right angles to u_a")
    zero = [name for name, direction in zip(HAND, (a, t), strict=True) if not direction.any()]
    if zero:
        if not section.problems:
            section.refuse(f"{section.name}: {zero[0]} is zero; expected a direction.")
        return np.eye(3)
    a, t = unit(a), unit(t)
    if abs(float(a @ t)) > RIGHT:
        apart = np.degrees(np.arccos(np.clip(a @ t, -1.0, 1.0)))
        section.refuse(f"{section.name}: axial and transverse are {apart:.6g} degrees apart; expected a right angle.")
        return np.eye(3)
    t = t - (a @ t) * a
    t = t / np.linalg.norm(t)
    return np.column_stack([t, np.cross(a, t), a])
