"""Defects that are planted at random into descriptions without findings, with the text that mends each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import armdyn
from armdyn.doctor import Findings, doctor
from armdyn.doctor.examine import subject_of
from armdyn.doctor.source import Edit, SourceDocument
from armdyn.doctor.subject import Articulation, Subject, SubjectLink, tensor_of
from armdyn.spatial.rotations import Array
from oracles.robot_data import ROBOTS

CLEAN = (
    "ur_description/urdf/ur3_robot.urdf",
    "ur_description/urdf/ur3_gripper.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "so_arm_description/urdf/so100.urdf",
    "so_arm_description/urdf/so101.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "a1_description/urdf/a1.urdf",
    "go2_description/urdf/go2.urdf",
    "laikago_description/urdf/laikago.urdf",
)
"""Files of example-robot-data in which nothing is found."""

BUNDLED = ("scara", "planar_2r", "rp")


class Planted(NamedTuple):
    """A defect: its kind, the link or joint, the link concerned, the changed text and the text before it."""

    kind: str
    part: str
    link: str
    text: bytes
    before: bytes


MOST_TRIES = 500
"""Of a defect that no file has a place for: it is left out."""

Plant = Callable[[Subject, Generator], tuple[str, str, list[Edit]] | None]
"""A defect as edits, with the names of the part and of the link that it concerns; None if the file has no place."""


def heavy_bodies(subject: Subject) -> list[SubjectLink]:
    """Links that weigh as much as a hundredth of the heaviest, with moments that are not those of a point."""
    heaviest = max(body.mass or 0.0 for body in subject.moving())
    return [body for body in subject.moving() if (body.mass or 0.0) > 0.01 * heaviest and body.moments is not None]


def numbers(
    change: Callable[[SubjectLink, Generator], tuple[float, Array, Array] | None],
) -> Plant:
    def plant(subject: Subject, random: Generator) -> tuple[str, str, list[Edit]] | None:
        bodies = heavy_bodies(subject)
        body = bodies[random.integers(len(bodies))]
        changed = change(body, random)
        if changed is None:
            return None
        edits = list(body.edits(*changed))
        return (body.name, body.name, edits) if edits else None

    return plant


def mass(factor: float) -> Plant:
    return numbers(lambda body, _: ((body.mass or 0.0) * factor, body.com, six(body)))


def moments(factor: float) -> Plant:
    return numbers(lambda body, _: (body.mass or 0.0, body.com, six(body) * factor))


def centre(factor: float) -> Plant:
    def change(body: SubjectLink, _: Generator) -> tuple[float, Array, Array] | None:
        far = float(np.linalg.norm(body.com))
        return (body.mass or 0.0, body.com * factor, six(body)) if far > 0.02 * body.extent else None

    return numbers(change)


def both(of_mass: float, of_com: float, of_moments: float) -> Plant:
    def change(body: SubjectLink, _: Generator) -> tuple[float, Array, Array] | None:
        return (body.mass or 0.0) * of_mass, body.com * of_com, six(body) * of_moments

    return numbers(change)


def one_moment(body: SubjectLink, random: Generator) -> tuple[float, Array, Array]:
    moments = six(body)
    moments[random.choice([0, 3, 5])] *= 1000.0
    return body.mass or 0.0, body.com, moments


def order(order: tuple[int, ...]) -> Plant:
    def change(body: SubjectLink, _: Generator) -> tuple[float, Array, Array]:
        return body.mass or 0.0, body.com, six(body)[list(order)]

    return numbers(change)


def sign_of_moment(body: SubjectLink, random: Generator) -> tuple[float, Array, Array]:
    moments = six(body)
    moments[random.choice([0, 3, 5])] *= -1.0
    return body.mass or 0.0, body.com, moments


def about_the_base(body: SubjectLink, _: Generator) -> tuple[float, Array, Array] | None:
    """Centre and moments in the frame of the base, about its origin, as a program for CAD prints them."""
    T = body.world
    R, p = T[:3, :3], T[:3, 3]
    if np.linalg.norm(p) < 2.0 * body.extent:
        return None  # the link stands at the base: the numbers are nearly those of its own frame
    c, m = R @ body.com + p, body.mass or 0.0
    A = R @ body.frame[:3, :3]
    about = A @ tensor_of(six(body)) @ A.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    if not np.array_equal(body.frame[:3, :3], np.eye(3)):
        return None  # a single defect changes no rpy
    return m, c, about[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def six(body: SubjectLink) -> Array:
    assert body.moments is not None
    return body.moments.copy()


def limited_joints(subject: Subject, kinds: tuple[str, ...] = ("revolute",)) -> list[Articulation]:
    return [
        joint
        for joint in subject.joints
        if joint.kind in kinds
        and (element := joint.node.first("limit")) is not None
        and {"lower", "upper", "effort", "velocity"} <= element.values.keys()
        and (joint.limit("upper") or 0.0) - (joint.limit("lower") or 0.0) > 0.5
    ]


def _limits(change: Callable[[dict[str, float]], dict[str, float]]) -> Plant:
    def plant(subject: Subject, random: Generator) -> tuple[str, str, list[Edit]] | None:
        joints = limited_joints(subject)
        if not joints:
            return None
        joint = joints[random.integers(len(joints))]
        element = joint.node.first("limit")
        assert element is not None
        old = {name: float(element.attributes[name]) for name in ("lower", "upper", "effort", "velocity")}
        new = change(old)
        edits = [Edit(element.values[name], f"{value:.10g}") for name, value in new.items() if value != old[name]]
        return (joint.name, joint.child, edits) if edits else None

    return plant


def _no_axis(subject: Subject, random: Generator) -> tuple[str, str, list[Edit]] | None:
    joints = [one for one in limited_joints(subject) if one.node.first("axis") is not None]
    if not joints:
        return None
    joint = joints[random.integers(len(joints))]
    element = joint.node.first("axis")
    assert element is not None
    return joint.name, joint.child, [Edit(element.values["xyz"], "0 0 0")]


def _degrees(old: dict[str, float]) -> dict[str, float]:
    return {name: float(np.degrees(old[name])) for name in ("lower", "upper")}


PLANTS: dict[str, tuple[int, Plant]] = {
    "mass in g": (6, mass(1e3)),
    "mass with a digit too many": (2, both(10.0, 1.0, 1.0)),
    "moments in kg mm^2": (7, moments(1e6)),
    "moments in g mm^2": (6, moments(1e9)),
    "moments in kg cm^2": (4, moments(1e4)),
    "moments times 1000": (3, moments(1e3)),
    "centre in mm": (7, centre(1e3)),
    "lengths in mm": (5, both(1.0, 1e3, 1e6)),
    "grams and millimetres": (6, both(1e3, 1e3, 1e9)),
    "one moment times 1000": (5, numbers(one_moment)),
    "six of nine, row by row": (1, order((0, 1, 2, 1, 3, 4))),
    "lower triangle row by row": (4, order((0, 1, 3, 2, 4, 5))),
    "diagonal first": (5, order((0, 3, 5, 1, 2, 4))),
    "sign of a mass": (4, mass(-1.0)),
    "sign of a moment": (8, numbers(sign_of_moment)),
    "about the base's origin": (5, numbers(about_the_base)),
    "limits in degrees": (9, _limits(_degrees)),
    "velocity in degrees": (4, _limits(lambda old: {"velocity": float(np.degrees(old["velocity"]))})),
    "limits swapped": (6, _limits(lambda old: {"lower": old["upper"], "upper": old["lower"]})),
    "zero axis": (1, _no_axis),
    "zero effort": (1, _limits(lambda _: {"effort": 0.0})),
    "zero velocity": (1, _limits(lambda _: {"velocity": 0.0})),
}
"""By kind of defect: of a hundred so many, and the function that plants it."""


@cache
def clean_texts() -> dict[str, bytes]:
    """The descriptions without findings."""
    texts = {path: (ROBOTS / path).read_bytes() for path in CLEAN}
    return texts | {name: armdyn.load(name).to_urdf().encode() for name in BUNDLED}


def planted(
    seed: int, texts: Mapping[str, bytes] | None = None, plants: Mapping[str, tuple[int, Plant]] | None = None
) -> Iterator[Planted]:
    """A hundred defects, each in a file drawn at random; in URDF files unless other texts and defects are given."""
    random = np.random.default_rng(seed)
    texts, plants = texts or clean_texts(), plants or PLANTS
    for kind, (number, plant) in plants.items():
        left = number
        for _ in range(MOST_TRIES * number):
            if not left:
                break
            name = str(random.choice(sorted(texts)))
            source = SourceDocument.parse(name, texts[name])
            subject = subject_of(source, Path())
            found = plant(subject, random)
            if found is None:
                continue
            part, link, edits = found
            yield Planted(kind, part, link, source.patched(edits), texts[name])
            left -= 1


class Score(NamedTuple):
    """The judgement of one defect: found at its part, mended by the first repair, other links with findings."""

    found: bool
    mended: bool
    false: int
    others: int
    findings: Findings


def judged(defect: Planted) -> Score:
    """Whether the doctor finds a defect, and restores the numbers before it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("arm.xml" if b"<mujoco" in defect.text[:2000] else "arm.urdf")
        path.write_bytes(defect.text)
        findings = doctor(path)
    names = (f"'{defect.part}'", f"<{defect.part}>")
    found = [one for one in findings.at_least("warning") if not _of_forces(one.rule)]
    mine = [one for one in found if one.link == defect.link or any(name in one.element for name in names)]
    first = next((one.repairs[0] for one in mine if one.repairs), None)
    mended = first is not None and _alike(findings.source.patched(first.edits), defect.before, defect)
    subject = subject_of(SourceDocument.parse("arm", findings.source.data), Path())
    others = [name for name in subject.bodies if name != defect.link]
    meant = {one.link for one in findings.at_least("warning") if not _of_forces(one.rule)}
    return Score(bool(mine), mended, len(meant & set(others)), len(others), findings)


def _of_forces(rule: str) -> bool:
    """Whether a rule is of the whole arm's torques, in which every joint below a defect has its share."""
    return rule == "limit/effort-below-gravity"


def _alike(mended: bytes, before: bytes, defect: Planted) -> bool:
    """Whether a link's or a joint's numbers are those before the defect, but for the digits of the text."""
    now, then = (subject_of(SourceDocument.parse("arm", text), Path()) for text in (mended, before))
    if defect.part in then.bodies and defect.part == defect.link:
        a, b = now.bodies[defect.part], then.bodies[defect.part]
        assert a.mass is not None
        assert b.mass is not None
        first, second = (_tensor(body) for body in (a, b))
        return (
            bool(np.isclose(a.mass, b.mass, rtol=1e-5))
            and np.allclose(a.com, b.com, rtol=1e-5, atol=1e-6 * max(b.extent, 1e-3))
            and np.allclose(first, second, rtol=1e-4, atol=1e-5 * float(np.abs(second).max()))
        )
    joints = {joint.name: joint for joint in now.joints}
    names = [defect.part] if any(joint.name == defect.part for joint in then.joints) else list(joints)
    return all(_same_joint(joints[joint.name], joint) for joint in then.joints if joint.name in names)


def _tensor(body: SubjectLink) -> Array:
    """In the axes of the link, kg m^2."""
    R = body.frame[:3, :3]
    return R @ tensor_of(six(body)) @ R.T


def _same_joint(a: Articulation, b: Articulation) -> bool:
    pairs = [(a.limit(name), b.limit(name)) for name in ("lower", "upper", "effort", "velocity")]
    known = [(np.nan if x is None else x, np.nan if y is None else y) for x, y in pairs]
    return all(np.isclose(x, y, rtol=1e-5, equal_nan=True) for x, y in known) and np.allclose(a.axis, b.axis)
