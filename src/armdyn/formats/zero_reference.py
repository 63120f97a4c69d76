"""The zero reference position: every axis, point and inertia in base coordinates, with the arm at q = 0.

Kazerounian and Gupta (1985), sections 2, 7 and 8. Joint k turns about, or slides along, the unit vector u_0k through
the point Q_0k, the joint's centre P_k. The link that it moves is number k + 1 in the paper and "link_k" here. Its body
vector

    b_{0,k+1} = c_{0,k+1} + d_{0,k+1}

leads from P_k to its centre of mass (c) and from there to P_{k+1} (d); that of the last link ends at the hand point h.
Every link frame is then parallel to the base's, at P_k, and no rotation enters the description at all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, is_one_of, number, object_problems, switch
from armdyn.base.errors import ModelError, ShapeError, UnknownName, excerpt
from armdyn.base.units import STANDARD_FREE_FALL
from armdyn.formats.given import (
    KINDS,
    TOLERANCE,
    Kind,
    kind_problems,
    names_of_joints,
    numbers,
    one_each,
    unit_problems,
    vector_text,
)
from armdyn.formats.units import Units
from armdyn.model.assembly import assemble
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Collar
from armdyn.model.limits import UNLIMITED, Limits
from armdyn.model.model import STANDARD_GRAVITY, Frame, Model
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.selection import Selection
from armdyn.spatial.rotations import Array, rigid

LARGEST_RADIUS = 10.0
"""Radius of gyration, in lengths of the whole arm, beyond which an inertia is in other units than the lengths."""


@dataclass(frozen=True, eq=False)
class ZeroReference:
    """A serial arm in its zero reference position, SI units.

    ``Robot.from_zero_reference(**zero.arguments())`` reads it.

    Args:
        axes: u_0k, unit vectors in base axes, shape (n, 3).
        kinds: "revolute" or "prismatic", one per joint.
        points: Q_0k, a point on each axis in base coordinates, m, shape (n, 3).
        hand: h, the hand point in base coordinates, m, shape (3,).
        axial: u_0a, unit vector of the hand, the z axis of the tip frame, shape (3,).
        transverse: u_0t, unit vector at right angles to it, the x axis of the tip frame, shape (3,).
        c: body vectors from Q_0k to the centre of mass of the link that joint k moves, m, shape (n, 3).
        masses: of these links, kg, shape (n,).
        inertias: I^G_0, their inertias about the centres of mass in base axes, kg m^2, shape (n, 3, 3).
        collars: the link that carries the collar of each slide, by the name of its joint.
        joint_names: one name per joint.
        limits: one `armdyn.Limits` per joint.
        gravity: acceleration of free fall in base axes, m/s^2, shape (3,).
        name: of the robot.
    """

    axes: Array
    kinds: tuple[Kind, ...]
    points: Array
    hand: Array
    axial: Array
    transverse: Array
    c: Array
    masses: Array
    inertias: Array
    collars: Mapping[str, str]
    joint_names: tuple[str, ...]
    limits: tuple[Limits, ...]
    gravity: Array
    name: str

    @property
    def b(self) -> Array:
        """b_{0,k+1}, body vectors from joint centre to joint centre, the last to the hand point, m, shape (n, 3)."""
        return np.diff(np.vstack([self.points, self.hand]), axis=0)

    @property
    def d(self) -> Array:
        """d_{0,k+1} = b - c, body vectors from centre of mass to the next joint centre, m, shape (n, 3)."""
        return self.b - self.c

    def arguments(self) -> dict[str, Any]:
        """The arguments of `armdyn.Robot.from_zero_reference` that give this arm."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}


def read_zero_reference(
    axes: ArrayLike,
    *,
    kinds: Sequence[str] | None = None,
    points: ArrayLike | None = None,
    hand: ArrayLike | None = None,
    b: ArrayLike | None = None,
    c: ArrayLike | None = None,
    d: ArrayLike | None = None,
    first_center: ArrayLike | None = None,
    axial: ArrayLike | None = None,
    transverse: ArrayLike | None = None,
    masses: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    inertias: ArrayLike | None = None,
    collars: Mapping[str, str] | None = None,
    units: Units | None = None,
    weighed_at: float = STANDARD_FREE_FALL,
    gravity: ArrayLike = STANDARD_GRAVITY,
    limits: Sequence[Limits] | None = None,
    joint_names: Sequence[str] | None = None,
    name: str = "zero_reference",
    check_inertia: bool = True,
) -> Model:
    """Build a serial arm from its zero reference position (Kazerounian and Gupta 1985, sections 2 and 8).

    Everything is in base coordinates, with the arm at q = 0. Joint k moves "link_k" (number k + 1 in the paper); a row
    of every table belongs to joint k and that link.

    Args:
        axes: u_0k, unit vector of each joint, shape (n, 3).
        kinds: "R" or "P", or the words, one per joint ("RRPRRR" is valid too); all revolute by default.
        points: Q_0k, a point on each axis, shape (n, 3); or give body vectors.
        hand: h, the hand point, shape (3,); the last joint's point if ``points`` are given without it.
        b: body vectors b_{0,k+1} from joint k to the next, the last to the hand point, shape (n, 3).
        c: body vectors c_{0,k+1} from joint k to the centre of mass of its link, shape (n, 3).
        d: body vectors d_{0,k+1} from that centre of mass to the next joint, shape (n, 3); b = c + d, two suffice.
        first_center: the first joint's centre, if body vectors are given; the origin by default.
        axial: u_0a, unit vector of the hand, which becomes the tip's z axis; the base's axes by default.
        transverse: u_0t, unit vector at right angles to it, which becomes the tip's x axis.
        masses: of the links, shape (n,); or give weights.
        weights: of the links, shape (n,); a mass is its weight over ``weighed_at``.
        inertias: I^G_0k, inertias about the centres of mass in base axes, shape (n, 3, 3).
        collars: the link that carries the collar of a slide, by the name of its joint: {"joint_3": "link_2"}. The link
            that it moves by default. Joint forces do not depend on it, joint reactions do.
        units: of all lengths, masses or weights, and inertias; SI by default. The paper's are
            ``armdyn.Units.pounds_and_inches()``. Gravity and limits are in SI always.
        weighed_at: the free fall for which the weights were measured, m/s^2.
        gravity: acceleration of free fall in base axes, m/s^2.
        limits: one `armdyn.Limits` per joint.
        joint_names: "joint_1", ... by default.
        name: of the robot.
        check_inertia: refuse inertias that no rigid body has, or none in these units; otherwise accept them unchanged,
            with a note.

    Raises:
        ModelError: tables that do not describe an arm, all problems at once, each with its argument and row.
        ShapeError: an array of another shape.
        UnknownName: a collar of a joint that does not exist.

    >>> arm = armdyn.Robot.from_zero_reference(
    ...     [(0, 0, 1), (0, -1, 0)], points=[(0, 0, 0), (0, 0, 1)], hand=(2, 0, 1),
    ...     c=[(0, 0, 0.5), (1, 0, 0)], masses=[3.0, 2.0], gravity=(0, 0, -10),
    ... )
    >>> arm.gravity_forces([0.0, 0.0])
    array([ 0., 20.])
    """
    check_inertia = switch("check_inertia", check_inertia)
    units = Units() if units is None else units
    if problems := list(object_problems(units, Units, "units")):
        raise ModelError(problems)
    n = len(np.atleast_1d(array("axes", axes, None, "one unit vector a joint")))
    if n == 0:
        raise ShapeError("axes must hold one unit vector a joint, shape (n, 3), with n of at least 1")
    u = numbers(axes, (n, 3), "axes", "one unit vector a joint")
    words = ["revolute"] * n if kinds is None else _kinds(kinds, n)
    labels = names_of_joints(joint_names, n)
    P, com = _centers(n, points, hand, b, c, d, first_center)
    hint = "; the direction of the axis, not a point on it (points go into points=)"
    problems = [problem for k, axis in enumerate(u) for problem in unit_problems(axis, f"axes[{k}]", hint)]
    problems += [problem for k, word in enumerate(words) for problem in kind_problems(word, f"kinds[{k}]")]
    tip_axes = _hand_axes(axial, transverse, problems)
    m = _masses(n, masses, weights, weighed_at, units)
    tensors = _tensors(n, inertias, problems)
    problems += _missing(com, m, tensors, masses, weights)
    sides = _collar_sides({} if collars is None else collars, labels, words, problems)
    if problems:
        raise ModelError(problems)
    com = np.zeros((n, 3)) if com is None else com
    with np.errstate(over="ignore", invalid="ignore"):
        P, com, tensors = P * units.length, com * units.length, tensors * units.inertia
    for quantity, converted in (("lengths", P), ("centres of mass", com), ("inertias", tensors)):
        if not np.isfinite(converted).all():
            raise ModelError(f"{quantity} are beyond the range of numbers when converted to SI by {units}")
    if check_inertia:
        _refuse_mixed_units(P, com, m, tensors)
    bounds = [UNLIMITED] * n if limits is None else one_each(limits, n, "limits", "one armdyn.Limits a joint")
    links, joints, before = [LinkPart("base")], [], np.zeros(3)
    for k in range(n):
        parent, link = links[-1].name, f"link_{k + 1}"
        where = f"joint {k + 1} of the zero reference position:"
        links.append(LinkPart(link, Inertia(m[k], com[k], tensors[k]), where))
        placement = rigid(p=P[k] - before)
        kind, collar = KINDS[words[k]], sides.get(labels[k], "child")
        joints.append(JointPart(labels[k], kind, parent, link, placement, u[k], bounds[k], collar=collar, where=where))
        before = P[k]
    model = assemble(name, links, joints, Selection(gravity=gravity, check_inertia=check_inertia))
    tip = Frame("tip", links[-1].name, rigid(tip_axes, P[n] - P[n - 1]))
    return model.replace(frames=(*model.frames, tip), tip="tip")


def _kinds(kinds: object, n: int) -> list[Any]:
    """One kind per joint; a text may hold a letter for each."""
    return one_each(list(kinds) if isinstance(kinds, str) else kinds, n, "kinds", "'R' or 'P' for each joint")


def _centers(
    n: int,
    points: ArrayLike | None,
    hand: ArrayLike | None,
    b: ArrayLike | None,
    c: ArrayLike | None,
    d: ArrayLike | None,
    first_center: ArrayLike | None,
) -> tuple[Array, Array | None]:
    """P_1 ... P_n and h, shape (n + 1, 3), and the vectors c from P_k to the centres of mass, if they are given."""
    values = {"b": b, "c": c, "d": d}
    vectors = {key: numbers(v, (n, 3), key, "one body vector a joint") for key, v in values.items() if v is not None}
    if points is not None:
        if b is not None or first_center is not None:
            other = "b" if b is not None else "first_center"
            raise ModelError(f"points and {other} both say where the joints are; give one of them.")
        P = numbers(points, (n, 3), "points", "a point Q_0k on each joint axis")
        h = P[-1] if hand is None else numbers(hand, (3,), "hand", "the hand point in base coordinates")
        if hand is None and "d" in vectors and "c" not in vectors:
            raise ModelError("d leads to the hand point, which is not given; pass hand=, or c instead of d.")
        P = np.vstack([P, h])
        between = np.diff(P, axis=0)
    else:
        if hand is not None:
            raise ModelError("hand belongs to points=; with body vectors the last one ends at the hand point.")
        between = _body_vectors(vectors)
        start = np.zeros(3) if first_center is None else numbers(first_center, (3,), "first_center", "a point")
        P = start + np.vstack([np.zeros(3), np.cumsum(between, axis=0)])
    return P, _to_mass_centers(vectors, between, known_hand=points is None or hand is not None)


def _body_vectors(vectors: Mapping[str, Array]) -> Array:
    """b, or c + d."""
    if "b" in vectors:
        return vectors["b"]
    if "c" in vectors and "d" in vectors:
        return vectors["c"] + vectors["d"]
    raise ModelError(
        "where the joints are is not given; expected points= (Q_0k) with hand= (h), or the body vectors: b, or c and d."
    )


def _to_mass_centers(vectors: Mapping[str, Array], between: Array, *, known_hand: bool) -> Array | None:
    """c, given or as b - d; if all three are given, they must agree."""
    if "c" in vectors and "d" in vectors:
        off = np.abs(vectors["c"] + vectors["d"] - between)
        if not known_hand:
            off[-1] = 0.0
        wrong = np.flatnonzero((off > TOLERANCE * (1.0 + np.abs(between).max())).any(axis=1))
        if len(wrong):
            k = int(wrong[0])
            result = vector_text(vectors["c"][k] + vectors["d"][k])
            raise ModelError(f"c[{k}] + d[{k}] = {result}, but b[{k}] = {vector_text(between[k])}; expected b = c + d.")
    if "c" in vectors:
        return vectors["c"]
    return between - vectors["d"] if "d" in vectors else None


def _hand_axes(axial: ArrayLike | None, transverse: ArrayLike | None, problems: list[str]) -> Array:
    """The tip's axes as columns: x along u_t, z along u_a; the base's if neither is given."""
    if axial is None and transverse is None:
        return np.eye(3)
    if axial is None or transverse is None:
        missing = "axial" if axial is None else "transverse"
        problems.append(f"{missing} is not given; the hand needs both unit vectors, axial and transverse, or neither.")
        return np.eye(3)
    a = numbers(axial, (3,), "axial", "a unit vector")
    t = numbers(transverse, (3,), "transverse", "a unit vector")
    faults = [*unit_problems(a, "axial"), *unit_problems(t, "transverse")]
    if not faults and abs(float(a @ t)) > TOLERANCE:
        angle = np.degrees(np.arccos(np.clip(a @ t, -1.0, 1.0)))
        both = f"axial {vector_text(a)} and transverse {vector_text(t)}"
        faults = [f"{both} are {angle:.6g} degrees apart; expected a right angle."]
    problems += faults
    return np.column_stack([t, np.cross(a, t), a])


def _masses(n: int, masses: ArrayLike | None, weights: ArrayLike | None, weighed_at: float, units: Units) -> Array:
    """Masses in kg."""
    if masses is not None and weights is not None:
        raise ModelError("masses and weights are both given; give one of them.")
    if weights is not None:
        fall = number("weighed_at", weighed_at, above=0.0, expected="the free fall that makes a weight, m/s^2, above 0")
        return numbers(weights, (n,), "weights", "one weight a link") * units.force / fall
    if masses is not None:
        return numbers(masses, (n,), "masses", "one mass a link") * units.mass
    return np.zeros(n)


def _tensors(n: int, inertias: ArrayLike | None, problems: list[str]) -> Array:
    if inertias is None:
        return np.zeros((n, 3, 3))
    tensors = numbers(inertias, (n, 3, 3), "inertias", "one 3x3 matrix a link, about its centre of mass, in base axes")
    for k, I in enumerate(tensors):  # noqa: E741 - the symbol of the books
        if not np.allclose(I, I.T, rtol=TOLERANCE, atol=0.0):
            problems.append(f"inertias[{k}] is not symmetric.")
    return tensors


def _missing(
    com: Array | None, m: Array, tensors: Array, masses: ArrayLike | None, weights: ArrayLike | None
) -> Iterator[str]:
    """Dynamics require mass, centre of mass and inertia together."""
    if com is None and m.any():
        yield "the centres of mass are not given; expected body vectors c (from Q_0k to the centre of mass) or d."
    if masses is None and weights is None and (tensors.any() or com is not None):
        yield "centres of mass or inertias are given, but neither masses nor weights."


def _collar_sides(
    collars: Mapping[str, str], labels: Sequence[str], kinds: Sequence[str], problems: list[str]
) -> dict[str, Collar]:
    """The side of each prismatic joint that carries its collar."""
    if not isinstance(collars, Mapping):
        raise ModelError(f"collars is {excerpt(collars)}; expected a mapping from slides to links.")
    sides: dict[str, Collar] = {}
    for joint, link in collars.items():
        if not is_one_of(joint, labels):
            raise UnknownName.of("joint", joint, labels, "collars")
        k = labels.index(joint)
        parent, child = ("base" if k == 0 else f"link_{k}"), f"link_{k + 1}"
        if not is_one_of(kinds[k], KINDS):
            continue  # a problem that is named already
        if KINDS[kinds[k]] != "prismatic":
            problems.append(f"collars: joint {joint!r} is revolute and has no collar; only prismatic joints have one.")
        elif not is_one_of(link, (parent, child, "parent", "child")):
            problems.append(
                f"collars: the collar of joint {joint!r} is said to be on link {excerpt(link)}; "
                f"expected one of the two links it joins, {parent!r} or {child!r}."
            )
        else:
            sides[joint] = "parent" if link in (parent, "parent") else "child"
    return sides


def _refuse_mixed_units(P: Array, com: Array, m: Array, tensors: Array) -> None:
    """An inertia whose radius of gyration is many times the arm's length cannot be in the units of the lengths."""
    with np.errstate(over="ignore"):  # lengths beyond all bounds are refused when the parts are assembled
        size = np.linalg.norm(np.diff(P, axis=0), axis=1).sum() + np.linalg.norm(com, axis=1).sum()
        most = m * np.square(LARGEST_RADIUS * size)
    for k, I in enumerate(tensors):  # noqa: E741
        largest = float(np.linalg.eigvalsh(I)[-1])
        if m[k] > 0.0 and size > 0.0 and largest > most[k]:
            radius = np.sqrt(largest) / np.sqrt(m[k])  # of a quotient, masses of no size would make infinity
            raise ModelError(
                f"inertias[{k}]: a mass of {m[k]:.4g} kg with {largest:.4g} kg m^2 has a radius of gyration of "
                f"{radius:.4g} m, in an arm of {size:.4g} m; are the units mixed? Lengths, masses and "
                "inertias must be in one set of units, see units=; if it is so, pass check_inertia=False."
            )
