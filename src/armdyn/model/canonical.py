"""Canonical link frames: the choice of axes and origins that leaves as many exact zeros as the arm admits.

Every moving link gets a frame of our own choice: z along its joint axis, origin on that axis, x along the
common normal to the axis of its first child. The step from a link to its child is then a turn about x, a turn
about z (the joint), and an offset with two components: modified Denavit-Hartenberg's choice of axes, with the origin
at the foot of the common normal from the parent instead of the foot of the one to the child. A link
with several children needs one more turn about z, by a constant, before the second and later ones.

This is exact: poses, forces and inertias are the same physical quantities in other axes. It is done in fifty digits and
rounded to float64 once, when a constant meets a variable, so the constants are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from armdyn.base.exact import ZERO, Exact, arctan2, cos_sin, exact, norm, unit
from armdyn.base.scalars import Scalar
from armdyn.model.clean import (
    ROUNDING,
    clean,
    clean_direction,
    clean_pose,
    clean_rotation,
    constant_turns,
    largest,
)
from armdyn.model.drive import Drive
from armdyn.model.inertia import Inertia
from armdyn.model.inertial_constants import canonical_inertia
from armdyn.model.joint import Joint
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.model import Model
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array, cross, inverse_rigid, orthonormal, rigid
from armdyn.spatial.turns import Axes, Turns, to_child

FAR = 10.0
"""Axes count as parallel if their common normal is farther away than this many distances between their origins."""

FAR_BASE = 100
"""The largest distance of a frame from a link on the base, in sizes of the link."""


def canonical(model: Model) -> Mechanism:
    """Choose the canonical frames of ``model``; all constants are `Exact` numbers."""
    order = _parents_first(model)
    index = {joint.child: k for k, joint in enumerate(order)}
    children: dict[str, list[PlacedJoint]] = {link: [] for link in model.link_names}
    for joint in order:
        children[joint.parent].append(PlacedJoint.of(joint))
    placed = {child.joint.name: child for of_link in children.values() for child in of_link}
    link_pose: dict[str, Array] = {}  # T_BL of every moving link
    bodies = []
    for joint in order:
        on_base = joint.parent == model.base
        placement = placed[joint.name].placement
        previous = None if on_base else link_pose[joint.parent] @ placement  # T_PL at q = 0
        frame = _canonical_frame(placed[joint.name], previous, children[joint.child], model.link(joint.child).inertia)
        link_pose[joint.child] = inverse_rigid(frame)
        if previous is None:
            step = placement @ frame  # T_0B at q = 0
            sizes = [placement[:3, 3], frame[:3, 3]]
        else:
            step = previous @ frame  # T_PB at q = 0
            sizes = [placement[:3, 3], link_pose[joint.parent][:3, 3], frame[:3, 3]]
        reach = sum(map(largest, sizes))
        bodies.append(_body(model, joint, index.get(joint.parent, -1), step, link_pose[joint.child], reach))
    frames = {
        frame.name: (-1, clean_pose(exact(frame.pose)))
        if frame.link == model.base
        else (index[frame.link], clean_pose(link_pose[frame.link] @ exact(frame.pose)))
        for frame in model.frames
    }
    rotors = list(_rotors(model, index, link_pose))
    of_rotors = [(index[model.joints[body.joint].child], ratio) for body, ratio in rotors]
    drive = Drive.of([b.joint for b in bodies], model.coupling, model.joints).with_rotors_of(of_rotors)
    bodies += [body for body, _ in rotors]
    return Mechanism(
        model.name,
        tuple(bodies),
        exact(model.gravity),
        frames,
        model.tip,
        model,
        drive,
        elements=model.elements,
    )


class PlacedJoint(NamedTuple):
    """A joint with its placement T_pc, a rotation to the last digit, and its unit axis z, in `Exact` numbers."""

    joint: Joint
    placement: Array
    z: Array

    @classmethod
    def of(cls, joint: Joint) -> PlacedJoint:
        """The exact numbers of a joint."""
        placement = exact(joint.placement)
        placement[:3, :3] = orthonormal(placement[:3, :3])
        return cls(joint, placement, unit(exact(joint.axis)))

    @property
    def revolute(self) -> bool:
        """True if the joint is revolute, False if it is prismatic."""
        return self.joint.kind == "revolute"

    @property
    def z_in_parent(self) -> Array:
        """Its axis in the parent link's axes, at q = 0."""
        z: Array = self.placement[:3, :3] @ self.z
        return z

    @property
    def place(self) -> Array:
        """A point of its axis in the parent link's frame: the child link's origin, at q = 0."""
        return self.placement[:3, 3]


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


def _canonical_frame(
    joint: PlacedJoint, previous: Array | None, children: list[PlacedJoint], inertia: Inertia
) -> Array:
    """T_LB: the canonical frame of the link that ``joint`` moves, in the link's own axes."""
    own = inertia.exact
    origin = _first_origin(joint, children, own) if previous is None else _origin(joint, previous)
    x = _x_axis(joint.z, origin, children)
    if x is None:
        x = _x_axis_from_inertia(joint.z, origin, own.com, own.tensor)
    return rigid(np.column_stack([x, cross(joint.z, x), joint.z]), origin)


def _origin(joint: PlacedJoint, previous: Array) -> Array:
    """The origin: on a revolute joint's axis, at the foot of the common normal from the parent's axis.

    ``previous`` is T_PL, with the parent's axis along P's z through P's origin. If that is parallel, the origin keeps
    the parent's height. A prismatic joint has a direction and no place: its origin is the parent's, independent of the
    slide's place in the description.
    """
    to_link = inverse_rigid(previous)
    parent_z, parent_origin = to_link[:3, 2], to_link[:3, 3]
    if not joint.revolute:
        return parent_origin
    foot = _foot(joint.z, parent_z, parent_origin)
    return np.asarray(joint.z * (joint.z @ parent_origin if foot is None else foot))


def _first_origin(joint: PlacedJoint, children: list[PlacedJoint], inertia: MassProperties) -> Array:
    """The origin of a link on the base.

    It lies on a revolute joint's axis, at the foot of the common normal to the first child's axis, or if there is none,
    at the height of the base's origin; for a prismatic joint, at the base's origin. If that is far away from the link's
    mass and the bodies it carries, the centre of mass replaces it, because the distance, which no force depends on,
    would cost the small lengths of the arm their digits.
    """
    first = next((c for c in children if c.revolute), None)
    foot = _foot(joint.z, first.z_in_parent, first.place) if joint.revolute and first is not None else None
    others = [c for c in children if c is not first]
    is_empty = inertia.mass == 0 and not others
    if foot is not None and (is_empty or _is_near(joint.z * foot, inertia, others)):
        return np.asarray(joint.z * foot)
    base = inverse_rigid(joint.placement)[:3, 3]
    near = base if _is_near(base, inertia, children) else inertia.com
    return np.asarray(joint.z * (joint.z @ near)) if joint.revolute else near


def _is_near(point: Array, inertia: MassProperties, children: list[PlacedJoint]) -> bool:
    """True if a point is not farther from the centre of mass than the link is large, many times over."""
    size = _radius_of_gyration(inertia) + sum(norm(c.place - inertia.com) for c in children)
    return bool(norm(point - inertia.com) <= FAR_BASE * size)


def _radius_of_gyration(inertia: MassProperties) -> Exact:
    return (np.trace(inertia.tensor) / 2 / inertia.mass).sqrt() if inertia.mass > 0 else ZERO


def _foot(z1: Array, z2: Array, o2: Array) -> Exact | None:
    """The foot of the common normal of two lines on the first, as length from a point of it, the origin of ``o2``.

    None if they are parallel, or so nearly that the normal is far away and coordinates would lose their digits.
    """
    cosine, normal = z1 @ z2, cross(z1, z2)
    sine_squared = normal @ normal
    if sine_squared < ROUNDING**2:
        return None
    foot = (o2 @ z1 - cosine * (o2 @ z2)) / sine_squared
    distance = norm(o2)
    if abs(foot) > FAR * distance:
        return None
    return ZERO if abs(foot) < ROUNDING * distance else foot


def _x_axis(z: Array, origin: Array, children: list[PlacedJoint]) -> Array | None:
    """Unit vector along the common normal to the first child's axis; None if there is no such normal."""
    if not children:
        return None
    child = children[0]
    normal = cross(z, child.z_in_parent)
    if norm(normal) > ROUNDING:
        return unit(normal)
    between = _across(z, child.place - origin)
    if child.revolute and norm(between) > ROUNDING * (norm(child.place) + norm(origin)):
        return unit(between)
    return None


def _across(z: Array, v: Array) -> Array:
    """The part of v at right angles to z."""
    across: Array = v - z * (z @ v)
    return across


def _x_axis_from_inertia(z: Array, origin: Array, com: Array, tensor: Array) -> Array:
    """x towards the centre of mass, so that h_y = 0; with the mass on the axis, along a principal axis about z."""
    across = _across(z, com - origin)
    if norm(across) > ROUNDING * (norm(com) + norm(origin)):
        return unit(across)
    x = unit(cross(exact(np.eye(3))[min(range(3), key=lambda k: abs(z[k]))], z))
    y = cross(z, x)
    xx, xy, yy = x @ tensor @ x, x @ tensor @ y, y @ tensor @ y
    if abs(xy) < ROUNDING * (xx + yy):
        return x
    c, s = cos_sin(arctan2(2 * xy, xx - yy) / 2)
    return np.asarray(c * x + s * y)


def _body(model: Model, joint: Joint, parent: int, step: Array, link_pose: Array, reach: Scalar) -> Body:
    """The body that ``joint`` moves; ``step`` is T_PB at q = 0, ``reach`` the size of the terms in its lengths."""
    turns: Turns
    if parent < 0:  # the joint's zero lies in the constant rotation, which costs nothing because the base is at rest
        turns, quarter_turns, angle = (Axes(clean_rotation(step[:3, :3])),), 0, ZERO
    else:
        turns = constant_turns(clean_direction(step[:3, 2]))
        x = to_child(turns, step[:3, 0])  # (cos, sin, 0) of the joint's own angle at q = 0
        quarter_turns, angle = _split_angle(x[0], x[1])
    mass, h, second = canonical_inertia(model.link(joint.child).inertia, link_pose)
    return Body(
        name=joint.child,
        joint=model.joints.index(joint),
        parent=parent,
        revolute=joint.kind == "revolute",
        offset=clean(step[:3, 3], reach),
        turns=turns,
        quarter_turns=quarter_turns,
        angle=angle,
        mass=mass,
        first_moment=h,
        second_moment=second,
        link_pose=clean_pose(link_pose),
    )


def _rotors(model: Model, index: Mapping[str, int], link_pose: Mapping[str, Array]) -> Iterator[tuple[Body, float]]:
    """The spins of the rotors about their axes, without mass, each with its ratio G to its joint.

    The moment of a spin is equal about every point: its origin is that of the link that carries it.
    """
    for number, joint in enumerate(model.joints):
        for name, rotor in joint.rotors.items():
            place = model.place_of(rotor, joint)
            R = link_pose[place.link][:3, :3] if place.link in index else exact(np.eye(3))
            half = exact(rotor.moment_about_axis) / 2
            yield (
                Body(
                    name=name,
                    joint=number,
                    parent=index.get(place.link, -1),
                    revolute=True,
                    offset=exact(np.zeros(3)),
                    turns=constant_turns(clean_direction(R @ place.axis)),
                    quarter_turns=0,
                    angle=ZERO,
                    mass=ZERO,
                    first_moment=exact(np.zeros(3)),
                    second_moment=half * exact(np.diag([1.0, 1.0, -1.0])),  # I = tr(Sigma) 1 - Sigma = diag(0, 0, I_a)
                    link_pose=exact(np.eye(4)),
                    spins=True,
                ),
                rotor.gear_ratio,
            )


def _split_angle(cosine: Scalar, sine: Scalar) -> tuple[int, Exact]:
    """The angle as quarter turns and the rest; the rest is 0 if it is below rounding."""
    turns = ((cosine, sine), (sine, -cosine), (-cosine, -sine), (-sine, cosine))  # by this number of quarters back
    quarters = next(k for k, (c, s) in enumerate(turns) if c >= abs(s))
    c, s = turns[quarters]
    rest = arctan2(s, c)
    return quarters, ZERO if abs(rest) < ROUNDING else rest
