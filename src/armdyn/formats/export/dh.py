"""A serial arm as a Denavit-Hartenberg table: from the common normals of its axes at the zero position.

Between every two neighbouring axes i and i+1 there is a common normal. Modified frames are at its foot on axis i,
standard ones at its foot on axis i+1; both have their x axis along it. Free choices (for parallel axes, and at both
ends of the chain) are made so that as many of the four numbers as possible are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.base.exact import arctan2, exact, norm, rounded
from armdyn.formats.dh import Convention, DHRow, DHTable, convention_problems, step_across, step_along
from armdyn.formats.export.serial import SerialArm
from armdyn.model.clean import ROUNDING, clean_direction
from armdyn.model.model import Model
from armdyn.model.parts import mechanics
from armdyn.spatial.rotations import Array, cross, inverse_rigid, rigid

WHAT = "a Denavit-Hartenberg table"
LOST = 1e-9
"""The largest distance between an axis of the table and the model's, relative to the arm's size."""


@dataclass(frozen=True, eq=False)
class CommonNormal:
    """The common normal of axis i and axis i+1: its unit vector, and its foot on each."""

    x: Array
    leaves: Array
    arrives: Array


def write_dh(model: Model, convention: str) -> DHTable:
    """The Denavit-Hartenberg table of a serial arm, with base and tool, lengths in m, angles in rad.

    Every serial arm has one. ``Robot.from_dh(**table.arguments())`` reads it back, with the same q.

    Args:
        convention: "modified" (Craig) or "standard".

    Raises:
        Unsupported: a robot that branches, or whose tip is not on its last link.
        ModelError: an unknown convention; or axes so nearly parallel that the table would lose digits.

    >>> [round(row.alpha, 4) for row in armdyn.load("ur5").to_dh("standard").rows]
    [1.5708, 0.0, 0.0, 1.5708, 1.5708, 0.0]
    """
    faults = [*convention_problems(convention)]
    if faults:
        raise ModelError(faults)
    modified = convention == "modified"
    arm = SerialArm.of(model, WHAT).without_actuators(WHAT).without_rotors(WHAT)
    z = [clean_direction(arm.axis(k)) for k in range(len(arm.joints))]
    normals = _normals(arm, z)
    base = rigid(np.column_stack([normals[0].x, cross(z[0], normals[0].x), z[0]]), normals[0].leaves)
    rows, reached = [], base  # T_0i, from the table's own numbers
    for k, (along, across) in enumerate(_steps(z, normals, modified=modified, size=arm.size)):
        near, far = step_along(*along), step_across(*across)
        on_axis = reached @ far @ near if modified else reached @ near
        _refuse_lost_digits(arm, k, on_axis, z[k])
        reached = on_axis if modified else on_axis @ far
        joint, (d, theta), (a, alpha) = arm.joints[k], along, across
        inertia = arm.inertia_seen_from(k, reached)
        rows.append(DHRow(a, alpha, d, theta, joint.kind, inertia, **mechanics(joint)))
    tool = rounded(inverse_rigid(reached) @ arm.tip)
    chosen = cast(Convention, convention)
    return DHTable(tuple(rows), chosen, rounded(base), tool, arm.joint_names, model.gravity, model.name)


Pair = tuple[float, float]


def _steps(z: list[Array], normals: list[CommonNormal], *, modified: bool, size: float) -> list[tuple[Pair, Pair]]:
    """(d, theta) and (a, alpha) of every row; the normals before the first axis and after the last are free: zeros."""
    n, nothing = len(z), (0.0, 0.0)
    between = zip(range(1, n - 1), normals, normals[1:], strict=False)
    inner = [_along(z[k], before, after, size) for k, before, after in between]
    along = [nothing, *inner, nothing][:n]
    across = [_across(z[k], z[k + 1], normals[k], size) for k in range(n - 1)]
    return list(zip(along, [nothing, *across] if modified else [*across, nothing], strict=True))


def _normals(arm: SerialArm, z: list[Array]) -> list[CommonNormal]:
    """The n - 1 common normals; for an arm with one joint, any normal of it."""
    normals: list[CommonNormal] = []
    for k in range(len(z) - 1):
        start = normals[-1].arrives if normals else arm.point(k)
        x_before = normals[-1].x if normals else None
        normals.append(_normal(z[k], start, z[k + 1], arm.point(k + 1), x_before, arm.size))
    return normals or [CommonNormal(_any_normal(z[0], None), arm.point(0), arm.point(0))]


def _normal(z1: Array, o1: Array, z2: Array, o2: Array, x_before: Array | None, size: float) -> CommonNormal:
    """The common normal of the axes through o1 and o2; for parallel ones, the normal through o1."""
    normal = cross(z1, z2)
    sine_squared = normal @ normal
    between = o2 - o1
    if sine_squared < ROUNDING**2:
        across = between - z1 * (z1 @ between)
        small = norm(across) <= ROUNDING * norm(between)
        x = _any_normal(z1, x_before) if small else clean_direction(across)
        return CommonNormal(x, o1, o1 if small else o1 + across)
    leaves = o1 + z1 * (between @ cross(z2, normal) / sine_squared)
    arrives = o2 + z2 * (between @ cross(z1, normal) / sine_squared)
    x = clean_direction(normal)
    return CommonNormal(-x if x @ (arrives - leaves) < -ROUNDING * size else x, leaves, arrives)


def _any_normal(z: Array, x_before: Array | None) -> Array:
    """The normal of the axes before if it is valid, else one near a base axis."""
    if x_before is not None:
        return x_before
    return clean_direction(cross(exact(np.eye(3))[int(np.argmin(np.abs(z)))], z))


def _along(z: Array, before: CommonNormal, after: CommonNormal, size: float) -> Pair:
    """d and theta: from the normal that arrives on an axis to the one that leaves it."""
    return _length(after.leaves - before.arrives, z, size), _angle(before.x, after.x, z)


def _across(z1: Array, z2: Array, normal: CommonNormal, size: float) -> Pair:
    """a and alpha: along and about a common normal."""
    return _length(normal.arrives - normal.leaves, normal.x, size), _angle(z1, z2, normal.x)


def _length(v: Array, direction: Array, size: float) -> float:
    """v along a direction; 0 if it is below rounding."""
    length = float(v @ direction)
    return 0.0 if abs(length) < ROUNDING * size else length


def _angle(one: Array, other: Array, about: Array) -> float:
    """From one unit vector to another about a third; exact for right angles."""
    sine: Any = cross(one, other) @ about
    cosine: Any = one @ other
    if min(abs(sine), abs(cosine)) < ROUNDING:
        sine, cosine = round(sine), round(cosine)
    return float(arctan2(sine, cosine))


def _refuse_lost_digits(arm: SerialArm, k: int, on_axis: Array, z: Array) -> None:
    """Nearly parallel axes meet far away: the table's numbers are then differences of large ones."""
    from_axis = float(norm(cross(z, arm.point(k) - on_axis[:3, 3])))
    if arm.joints[k].kind == "prismatic":
        from_axis = 0.0  # a slide has a direction, but no place
    if max(from_axis / arm.size, float(norm(on_axis[:3, 2] - z))) > LOST:
        raise ModelError(
            f"{arm.model.name!r}: axes before joint {arm.joints[k].name!r} are so nearly parallel that their common "
            "normal is far away, and a Denavit-Hartenberg table would lose digits; write its zero reference position "
            "or its screws instead, which have no such case."
        )
