"""A model in canonical link frames: what the algorithms read, with as many exact zeros as the arm admits.

Every moving link gets a frame of our own choice: z along its joint axis, origin on that axis, x along the
common normal to the axis of its first child. The step from a link to its child is then a turn about x, a turn
about z (the joint), and an offset with two components: modified Denavit-Hartenberg's choice of axes, with the origin
where the common normal from the parent *arrives* instead of where the one to the child departs. A link with several
children needs one more turn about z, by a constant, before the second and later ones.

This is exact: poses, forces and inertias are the same physical quantities in other axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from armdyn.model.drive import Drive
from armdyn.model.inertia import Inertia
from armdyn.model.model import Joint, Model
from armdyn.spatial.rotations import Array, inverse_rigid, mirrored, rigid
from armdyn.spatial.turns import Turn, into

ROUNDING = 1e-14
"""Direction components and relative lengths below this are what rounding left of an exact zero."""

SLIGHT = 2.0**-27
"""Below this an angle is its own sine and its cosine is 1, to a quarter of a float64's last digit."""

FAR = 10.0
"""Where two axes' common normal is this much farther than their origins are apart, the axes count as parallel."""


@dataclass(frozen=True, eq=False)
class Body:
    """One moving link B in its canonical frame; P is the canonical frame of its parent.

    Args:
        name: of the link.
        joint: index of its joint in the model.
        parent: index of its parent among the bodies, -1 for the base.
        revolute: else prismatic.
        offset: p_PB at q = 0, in P's axes.
        turns: the constant turns from P's axes to the joint's.
        quarter_turns, angle: the joint turns by q + angle + quarter_turns pi/2 about z (q left out where prismatic).
        base_axes: R_0P where P is the base frame of a first link; else None.
        base_origin: p_0P likewise.
        mass: m.
        first_moment: h = m c, in B.
        second_moment: Sigma, the integral of r r^T dm about B's origin, in B (the pseudo-inertia's 3x3 block).
        link_pose: T_BL, the pose of the model's own link frame L.
        armature: of its joint, the reflected inertia of the rotor.
    """

    name: str
    joint: int
    parent: int
    revolute: bool
    offset: Array
    turns: tuple[Turn, ...]
    quarter_turns: int
    angle: float
    base_axes: Array | None
    base_origin: Array | None
    mass: Any
    first_moment: Array
    second_moment: Array
    link_pose: Array
    armature: Any = 0.0

    def joint_turn(self, q: Any) -> Turn:
        """The turn about z that the joint makes at position q."""
        slight = self.angle if abs(self.angle) < SLIGHT else 0.0
        # A slight angle is added after the cosine, for q + angle would be rounded to the digits of q.
        theta = (q if self.revolute else 0.0) + (self.angle - slight)
        c, s = np.cos(theta), np.sin(theta)
        c, s = c - s * slight, s + c * slight
        c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[self.quarter_turns]
        return Turn(2, c, s)

    def turns_at(self, q: Any) -> tuple[Turn, ...]:
        """R_PB at joint position q."""
        return (*self.turns, self.joint_turn(q))


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The bodies, parents before children, the gravity and the frames of a model; what a traced function gets.

    ``drive`` brings q, qd, qdd into the order of the bodies and joint forces out of it; where joints are coupled, it is
    the linear map between them and the coordinates.
    """

    name: str
    bodies: tuple[Body, ...]
    gravity: Array
    frames: Mapping[str, tuple[int, Array]]
    tip: str | None
    model: Model
    drive: Drive

    @property
    def dof(self) -> int:
        """n, the size of q."""
        return self.drive.size

    def frame(self, name: str | None = None) -> tuple[int, Array]:
        """The body that carries a frame (-1: the base) and the frame's pose in that body; the tip by default."""
        return self.frames[self.model.frame(name).name]


def canonical(model: Model) -> Mechanism:
    """Choose the canonical frames of ``model``."""
    order = _parents_first(model)
    index = {joint.child: k for k, joint in enumerate(order)}
    children: dict[str, list[Joint]] = {link: [] for link in model.link_names}
    for joint in order:
        children[joint.parent].append(joint)
    link_pose: dict[str, Array] = {}  # T_BL of every moving link
    bodies = []
    for joint in order:
        on_base = joint.parent == model.base
        parent_pose = np.eye(4) if on_base else link_pose[joint.parent]
        previous = None if on_base else parent_pose @ joint.placement  # T_PL at q = 0
        frame = _canonical_frame(joint, previous, children[joint.child], model)
        link_pose[joint.child] = inverse_rigid(frame)
        if previous is None:
            base_pose = joint.placement @ frame  # T_0P, for the first body's P is its own frame at q = 0
            step = np.eye(4)
        else:
            base_pose = None
            step = previous @ frame  # T_PB at q = 0
        reach = _scale(joint.placement[:3, 3]) + _scale(parent_pose[:3, 3]) + _scale(frame[:3, 3])
        bodies.append(_body(model, joint, index.get(joint.parent, -1), step, base_pose, link_pose[joint.child], reach))
    frames = {
        frame.name: (-1, frame.pose)
        if frame.link == model.base
        else (index[frame.link], link_pose[frame.link] @ frame.pose)
        for frame in model.frames
    }
    drive = Drive.of([body.joint for body in bodies], model.coupling)
    return Mechanism(model.name, tuple(bodies), model.gravity, frames, model.tip, model, drive)


def _parents_first(model: Model) -> list[Joint]:
    """The joints in file order as far as every joint comes after the one that carries it."""
    carried_by = {joint.child: joint for joint in model.joints}
    ordered: dict[str, Joint] = {}
    for joint in model.joints:
        path: list[Joint] = []
        ancestor: Joint | None = joint
        while ancestor is not None and ancestor.name not in ordered:
            path.append(ancestor)
            ancestor = carried_by.get(ancestor.parent)
        ordered.update((j.name, j) for j in reversed(path))
    return list(ordered.values())


def _canonical_frame(joint: Joint, previous: Array | None, children: list[Joint], model: Model) -> Array:
    """T_LB: the canonical frame of the link that ``joint`` moves, in the link's own axes."""
    z = clean_direction(joint.axis)
    origin = _origin(joint, z, previous, children)
    x = _x_axis(joint, z, origin, children, model)
    return rigid(np.column_stack([x, np.cross(z, x), z]), origin)


def _origin(joint: Joint, z: Array, previous: Array | None, children: list[Joint]) -> Array:
    """Where the origin lies: on a revolute joint's axis, where the common normal from the parent's axis arrives.

    ``previous`` is T_PL, with the parent's axis along P's z through P's origin. Where that is parallel, the origin
    keeps the parent's height; where there is no parent, it lies where the normal to the child departs. A prismatic
    joint has a direction and no place: its origin is the parent's, wherever the description puts the slide.
    """
    to_link = inverse_rigid(joint.placement if previous is None else previous)
    parent_z, parent_origin = to_link[:3, 2], to_link[:3, 3]
    if joint.kind == "prismatic":
        return parent_origin
    foot = None
    if previous is not None:
        foot = _foot_on_first(z, np.zeros(3), parent_z, parent_origin)
    elif child := next((c for c in children if c.kind == "revolute"), None):
        foot = _foot_on_first(z, np.zeros(3), child.placement[:3, :3] @ child.axis, child.placement[:3, 3])
    return z * (float(z @ parent_origin) if foot is None else foot)


def _foot_on_first(z1: Array, o1: Array, z2: Array, o2: Array) -> float | None:
    """The foot, as length along the first line, of the common normal of two lines.

    None where they are parallel, or so nearly that the normal is far away, where coordinates would lose their digits.
    """
    cosine = float(z1 @ z2)
    normal = np.cross(z1, z2)
    sine_squared = float(normal @ normal)
    if sine_squared < ROUNDING**2:
        return None
    d = o2 - o1
    foot = float(d @ z1 - cosine * (d @ z2)) / sine_squared
    if abs(foot) > FAR * math.sqrt(float(d @ d)):
        return None
    return 0.0 if abs(foot) < ROUNDING * math.sqrt(float(d @ d)) else foot


def _x_axis(joint: Joint, z: Array, origin: Array, children: list[Joint], model: Model) -> Array:
    """Unit vector along the common normal to the first child's axis; where that is free, what suits the inertia."""
    for child in children:
        child_z = child.placement[:3, :3] @ child.axis
        normal = np.cross(z, child_z)
        if np.linalg.norm(normal) > ROUNDING:
            return clean_direction(normal)
        between = _across(z, child.placement[:3, 3] - origin)
        size = np.linalg.norm(child.placement[:3, 3]) + np.linalg.norm(origin)
        if child.kind == "revolute" and np.linalg.norm(between) > ROUNDING * size:
            return clean_direction(between)
        break
    return _x_axis_from_inertia(z, origin, model.link(joint.child).inertia)


def _across(z: Array, v: Array) -> Array:
    """The part of v at right angles to z."""
    across: Array = v - z * (z @ v)
    return across


def _x_axis_from_inertia(z: Array, origin: Array, inertia: Inertia) -> Array:
    """x towards the centre of mass, so that h_y = 0; with the mass on the axis, along a principal axis about z."""
    across = _across(z, inertia.com - origin)
    if np.linalg.norm(across) > ROUNDING * (np.linalg.norm(inertia.com) + np.linalg.norm(origin)):
        return clean_direction(across)
    x = clean_direction(np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z))
    y = np.cross(z, x)
    xx, xy, yy = x @ inertia.tensor @ x, x @ inertia.tensor @ y, y @ inertia.tensor @ y
    if abs(xy) < ROUNDING * (xx + yy):
        return x
    half = 0.5 * math.atan2(2.0 * xy, xx - yy)
    return clean_direction(math.cos(half) * x + math.sin(half) * y)


def clean_direction(v: Array) -> Array:
    """v as a unit vector whose components below rounding are exact zeros."""
    unit = v / np.linalg.norm(v)
    unit = np.where(np.abs(unit) < ROUNDING, 0.0, unit)
    return np.asarray(unit / np.linalg.norm(unit))


def _turn_by(axis: int, cosine: float, sine: float) -> tuple[Turn, ...]:
    """A constant turn with exact zeros and ones; no turn at all where it is the identity."""
    c, s, _ = clean_direction(np.array([cosine, sine, 0.0]))
    return () if (c, s) == (1.0, 0.0) else (Turn(axis, float(c), float(s)),)


def _constant_turns(z: Array) -> tuple[Turn, ...]:
    """Rz(phi) Rx(alpha) that brings e_z to the direction z = (sin phi sin alpha, -cos phi sin alpha, cos alpha)."""
    if z[0] == 0.0:
        return _turn_by(0, z[2], -z[1])
    sine = math.hypot(z[0], z[1])
    return _turn_by(2, -z[1] / sine, z[0] / sine) + _turn_by(0, z[2], sine)


def _body(
    model: Model, joint: Joint, parent: int, step: Array, base_pose: Array | None, link_pose: Array, reach: float
) -> Body:
    """The body that ``joint`` moves, where ``step`` is T_PB at q = 0; ``reach`` is the size of what its lengths sum."""
    turns = _constant_turns(clean_direction(step[:3, 2]))
    x = into(turns, step[:3, 0])  # (cos, sin, 0) of the joint's own angle at q = 0
    quarter_turns, angle = _split_angle(x[0], x[1])
    mass, h, second = canonical_inertia(model.link(joint.child).inertia, link_pose)
    return Body(
        name=joint.child,
        joint=model.joints.index(joint),
        parent=parent,
        revolute=joint.kind == "revolute",
        offset=_clean(step[:3, 3], reach),
        turns=turns,
        quarter_turns=quarter_turns,
        angle=angle,
        base_axes=None if base_pose is None else _clean(base_pose[:3, :3], 1.0),
        base_origin=None if base_pose is None else _clean(base_pose[:3, 3], reach),
        mass=mass,
        first_moment=h,
        second_moment=second,
        link_pose=link_pose,
        armature=joint.armature,
    )


def _split_angle(cosine: float, sine: float) -> tuple[int, float]:
    """The angle as quarter turns and the rest; the rest is exactly 0 where only rounding is left of it."""
    quarters = round(math.atan2(sine, cosine) / (math.pi / 2)) % 4
    c, s = ((cosine, sine), (sine, -cosine), (-cosine, -sine), (-sine, cosine))[quarters]
    rest = math.atan2(s, c)
    return quarters, 0.0 if abs(rest) < ROUNDING else rest


class HasInertia(Protocol):
    """Mass, centre of mass and inertia about it: an `Inertia`, or the same of traced scalars."""

    @property
    def mass(self) -> Any: ...  # noqa: D102
    @property
    def com(self) -> Array: ...  # noqa: D102
    @property
    def tensor(self) -> Array: ...  # noqa: D102


def canonical_inertia(inertia: HasInertia, link_pose: Array) -> tuple[Any, Array, Array]:
    """m, h = m c and Sigma about B's origin in B's axes, from the inertia in the link frame L and T_BL.

    Works on traced scalars too, for models whose inertias are inputs.
    """
    mass, com, tensor = (extended(part) for part in (inertia.mass, inertia.com, inertia.tensor))
    R = _clean(link_pose[:3, :3], 1.0)
    p = link_pose[:3, 3]
    com = _clean(R @ com + p, _scale(p) + _scale(com))
    tensor = R @ tensor @ R.T
    about_com = _clean(0.5 * np.trace(tensor) * np.eye(3) - tensor, _scale(tensor))
    return mass, mass * com, mirrored(total(about_com, mass * np.outer(com, com)))


def extended(values: Any) -> Any:
    """Numbers in the longest floating-point format of the platform; traced scalars stay.

    Inertias are moved to other points before they become constants of a program. Rounded once, at the end, and not at
    every step, they cost the results no digits. A program rounds what it takes to float64.
    """
    return values if np.asarray(values).dtype == object else np.asarray(values, dtype=np.longdouble)[()]


def in_two_parts(values: Array) -> tuple[Array, Array]:
    """A constant vector rounded to float64, and of what that took of it, what is worth an addition.

    Where a sum leaves little of large constants, such as of the moments of an arm folded on itself, their rounding
    shows. The rest is zero where it is less than three quarters of the most that rounding takes of the largest
    component, and always where there are traced scalars.
    """
    if values.dtype == object:
        return values, np.zeros(values.shape)
    rounded = values.astype(float)
    rest = (values - rounded).astype(float)
    most = 0.5 * np.finfo(float).eps * np.abs(rounded).max()
    return rounded, np.where(np.abs(rest) > 0.75 * most, rest, 0.0)


def total(*terms: Array) -> Array:
    """The sum of arrays, with exact zeros where nothing is left of the terms but the rounding of their float64."""
    result, sizes = sum(terms[1:], start=terms[0]), sum(map(np.abs, terms))
    return result if result.dtype == object else np.where(np.abs(result) < np.finfo(float).eps * sizes, 0.0, result)


def _clean(values: Array, scale: float) -> Array:
    """Values with what rounding left of exact zeros removed, relative to ``scale``; traced scalars stay."""
    return values if values.dtype == object else np.where(np.abs(values) < ROUNDING * scale, 0.0, values)


def _scale(values: Array) -> float:
    return 0.0 if values.dtype == object else float(np.abs(values).max())
