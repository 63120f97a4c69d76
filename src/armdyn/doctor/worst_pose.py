"""The pose at which a static joint force is largest, and bounds of that force that need no search.

The static force of joint i in the frame of its link is g_i = a . (h x gamma): axis a, first moment h of all masses
that the joint carries, gravity gamma. It is a sine of each revolute joint and a line in each prismatic one, so that
three values determine it along one joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from armdyn.model.coordinates import coupling_of
from armdyn.model.joint import Joint
from armdyn.model.model import Model
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

Forces: TypeAlias = Callable[[Array], Array]
"""Joint forces as a function of poses, shape (..., n)."""

POSES, SWEEPS, POINTS = 2000, 40, 25

SETTLED = 1e-14
"""The search from a start ends when a sweep over all joints gains less than this, relative to the force."""

STARTS = 3
"""Poses from which the worst pose of each joint is sought."""

UPRIGHT = 1e-12
"""Sine of the angle between an axis and gravity below which they are parallel."""


def carried(model: Model) -> dict[str, tuple[float, Array]]:
    """Mass, kg, and first moment m c, kg m, of each link by name, in the link's axes about its origin."""
    return {link.name: (link.inertia.mass, link.inertia.mass * np.asarray(link.inertia.com)) for link in model.links}


def bounds(model: Model, masses: Mapping[str, tuple[float, Array]]) -> Array:
    """Upper bounds of the static force of each coordinate within the limits, N m or N, shape (n,).

    The first moment of the carried masses is at most that of the stretched chain. Of a joint that only joints with
    vertical axes carry, gravity has a fixed direction.

    Args:
        model: the arm.
        masses: by link, as `carried` returns them; a link without an entry has no mass.
    """
    on_link: dict[str, list[Joint]] = {}
    for joint in model.joints:
        on_link.setdefault(joint.parent, []).append(joint)
    gravity = np.asarray(model.gravity)
    in_link: dict[str, Array | None] = {model.base: gravity}  # None if the direction depends on the pose
    order = [model.base]
    for name in order:
        for joint in on_link.get(name, ()):
            order.append(joint.child)
            fixed = in_link[name]
            in_link[joint.child] = None if fixed is None else _still_fixed(joint, fixed)
    weight, reach = dict.fromkeys(order, 0.0), dict.fromkeys(order, 0.0)
    by_joint = {}
    for name in reversed(order):
        mass, moment = masses.get(name, (0.0, np.zeros(3)))
        weight[name] = abs(mass) + sum(weight[joint.child] for joint in on_link.get(name, ()))
        reach[name] = float(np.linalg.norm(moment))
        for joint in on_link.get(name, ()):
            reach[name] += weight[joint.child] * _length(joint) + reach[joint.child]
            by_joint[joint.name] = _bound(joint, gravity, in_link[joint.parent], masses, on_link, weight, reach)
    of_joints = np.array([by_joint[joint.name] for joint in model.joints])
    if model.coupling is None:
        return of_joints
    ratios = np.abs(coupling_of(model).matrix)
    products = np.multiply(ratios, of_joints[:, None], out=np.zeros_like(ratios), where=ratios > 0.0)
    result: Array = products.sum(axis=0)  # the bound of a joint on an endless slide is infinite
    return result


def _still_fixed(joint: Joint, gravity: Array) -> Array | None:
    """Gravity in the frame of the child, from that in the parent's; None if the joint tilts it."""
    turned: Array = np.asarray(joint.placement)[:3, :3].T @ gravity
    tilted = np.linalg.norm(np.cross(joint.axis, turned)) > UPRIGHT * np.linalg.norm(gravity)
    return None if joint.kind == "revolute" and tilted else turned


def _length(joint: Joint) -> float:
    """The largest distance of the child's origin from the parent's, m."""
    slide = max(abs(joint.limits.lower), abs(joint.limits.upper)) if joint.kind == "prismatic" else 0.0
    return float(np.linalg.norm(np.asarray(joint.placement)[:3, 3])) + slide


def _bound(
    joint: Joint,
    gravity: Array,
    in_parent: Array | None,
    masses: Mapping[str, tuple[float, Array]],
    on_link: Mapping[str, Sequence[Joint]],
    weight: Mapping[str, float],
    reach: Mapping[str, float],
) -> float:
    """The bound of one joint: |a x h| |gamma|, or |a x h| |a x gamma| if gravity is fixed in its frame."""
    if weight[joint.child] == 0.0 and reach[joint.child] == 0.0:
        return 0.0
    axis = np.asarray(joint.axis)
    fixed = None if in_parent is None else np.asarray(joint.placement)[:3, :3].T @ in_parent
    if joint.kind == "prismatic":
        along = float(np.linalg.norm(gravity)) if fixed is None else abs(float(axis @ fixed))
        return weight[joint.child] * along
    across = float(np.linalg.norm(gravity if fixed is None else np.cross(axis, fixed)))
    moment = float(np.linalg.norm(np.cross(axis, masses.get(joint.child, (0.0, np.zeros(3)))[1])))
    for next_joint in on_link.get(joint.child, ()):
        origin = np.asarray(next_joint.placement)[:3, 3]
        slide = _length(next_joint) - float(np.linalg.norm(origin))
        arm = float(np.linalg.norm(np.cross(axis, origin))) + slide
        moment += weight[next_joint.child] * arm + reach[next_joint.child]
    return moment * across


def worst(
    robot: Robot, forces: Forces, targets: Sequence[int] | None = None, moving: Sequence[int] | None = None
) -> tuple[Array, Array]:
    """The largest absolute value of joint forces within the limits, shape (w,), and its pose, shape (w, n).

    From the best of random poses the joints are moved one by one to the best position, which follows from three values
    of the force. Coupled joints and springs, whose forces are neither a sine nor a line, get the best position of a
    grid.

    Args:
        robot: its limits.
        forces: static forces of all joints.
        targets: places of the joints whose force is maximised; all by default.
        moving: places of the joints that the forces depend on; by default all that carry a target or that it
            carries. The others are at zero, or at the limit nearest to it.
    """
    low, high = _limits(robot)
    places = np.arange(robot.dof) if targets is None else np.asarray(targets, dtype=int)
    own, kinds = np.tile(places, STARTS), _kinds(robot)
    depends = np.tile(_related(robot)[places], (STARTS, 1))
    if moving is not None:
        depends &= np.isin(np.arange(robot.dof), moving)
    q = np.random.default_rng(0).uniform(low, high, (POSES, robot.dof))
    order = np.abs(forces(q)[:, places]).argsort(axis=0)[::-1][:STARTS]
    best = np.where(depends, q[order].reshape(-1, robot.dof), np.clip(0.0, low, high))
    values = forces(best)[np.arange(len(best)), own]
    active = np.ones(len(best), dtype=bool)
    for _ in range(SWEEPS):
        before = np.abs(values)
        for k in np.flatnonzero(depends[active].any(axis=0)):
            some = np.flatnonzero(active & depends[:, k])
            start = best[some], values[some], own[some]
            best[some, k], values[some] = _MOVES[kinds[k]](forces, int(k), low[k], high[k], *start)
        values[active] = forces(best[active])[np.arange(int(active.sum())), own[active]]
        active &= np.abs(values) > before * (1.0 + SETTLED)
        if not active.any():
            break
    heights = np.abs(values).reshape(STARTS, len(places))
    winner, columns = heights.argmax(axis=0), np.arange(len(places))
    return heights[winner, columns], best.reshape(STARTS, len(places), robot.dof)[winner, columns]


def _limits(robot: Robot) -> tuple[Array, Array]:
    """Lower and upper limits; half a turn, or pi m, on a side without one."""
    low, high = (np.array([getattr(joint.limits, side) for joint in robot.joints]) for side in ("lower", "upper"))
    low, high = (np.where(np.isfinite(limit), limit, turn) for limit, turn in ((low, -np.pi), (high, np.pi)))
    return np.minimum(low, high), np.maximum(low, high)


def _related(robot: Robot) -> Array:
    """True for each force and coordinate of which one joint carries the other, shape (n, n)."""
    carriers = {joint.child: k for k, joint in enumerate(robot.model.joints)}
    parents = [carriers.get(joint.parent) for joint in robot.model.joints]
    related = np.eye(len(parents), dtype=bool)
    for k in range(len(parents)):
        ancestor = parents[k]
        while ancestor is not None:
            related[k, ancestor] = related[ancestor, k] = True
            ancestor = parents[ancestor]
    if robot.model.coupling is None:
        return related
    moved = robot.model.coupling.matrix != 0.0
    coupled: Array = (moved.T.astype(int) @ related @ moved) > 0
    return coupled


def _kinds(robot: Robot) -> list[str]:
    """The kind of the static forces along each coordinate: "sine", "line" or "curve"."""
    model = robot.model
    if model.parallel_springs:
        return ["curve"] * robot.dof
    if model.coupling is None:
        return ["sine" if joint.kind == "revolute" else "line" for joint in model.joints]
    kinds = []
    for column in model.coupling.matrix.T:
        moved = np.flatnonzero(column)
        joints = [model.joints[k] for k in moved]
        if all(joint.kind == "prismatic" for joint in joints):
            kinds.append("line" if len(joints) == 1 else "curve")
        else:
            kinds.append("sine" if len(joints) == 1 and abs(column[moved[0]]) == 1.0 else "curve")
    return kinds


def _force_at(forces: Forces, q: Array, k: int, positions: Array, own: Array) -> Array:
    """The force of each row's own joint with coordinate k at positions, shape (rows, positions)."""
    poses = np.repeat(q[:, None], positions.shape[1], axis=1)
    poses[:, :, k] = positions
    values: Array = forces(poses)[np.arange(len(q)), :, own]
    return values


def _best_angle(
    forces: Forces, k: int, low: float, high: float, q: Array, value: Array, own: Array
) -> tuple[Array, Array]:
    """The best angle of a joint in each pose, and the force there: of the sine through three values."""
    third = 2.0 * np.pi / 3.0
    here = q[:, k]
    plus, minus = _force_at(forces, q, k, here[:, None] + np.array([third, -third]), own).T
    mean = (value + plus + minus) / 3.0
    cosine, sine = value - mean, (plus - minus) / np.sqrt(3.0)
    peak, amplitude = here + np.arctan2(sine, cosine), np.hypot(cosine, sine)
    top, bottom = (x + 2.0 * np.pi * np.ceil((low - x) / (2.0 * np.pi)) for x in (peak, peak + np.pi))
    places = np.stack([here, np.full_like(here, low), np.full_like(here, high), top, bottom])
    heights = mean + amplitude * np.cos(places - peak)
    heights[0] = value
    return _highest(places, np.where(places <= high, heights, 0.0))


def _slid(forces: Forces, k: int, low: float, high: float, q: Array, value: Array, own: Array) -> tuple[Array, Array]:
    """The better end of a slide in each pose, and the force there."""
    ends = np.broadcast_to(np.array([low, high]), (len(q), 2))
    heights = np.vstack([value, _force_at(forces, q, k, ends, own).T])
    return _highest(np.vstack([q[:, k], ends.T]), heights)


def _searched(
    forces: Forces, k: int, low: float, high: float, q: Array, value: Array, own: Array
) -> tuple[Array, Array]:
    """The best position of a grid in each pose, and the force there."""
    grid = np.broadcast_to(np.linspace(low, high, POINTS), (len(q), POINTS))
    heights = np.vstack([value, _force_at(forces, q, k, grid, own).T])
    return _highest(np.vstack([q[:, k], grid.T]), heights)


def _highest(places: Array, heights: Array) -> tuple[Array, Array]:
    """The place of each row with the largest absolute force, and that force; the first of equal ones."""
    winner, rows = np.abs(heights).argmax(axis=0), np.arange(places.shape[1])
    return places[winner, rows], heights[winner, rows]


_MOVES = {"sine": _best_angle, "line": _slid, "curve": _searched}


class AddedMass(NamedTuple):
    """A mass and a first moment that are added to a link.

    Args:
        link: the link.
        mass: kg.
        moment: m c in the axes of the link about its origin, kg m, shape (3,).
        path: the joints from the link to the base.
    """

    link: str
    mass: float
    moment: Array
    path: tuple[Joint, ...]

    @classmethod
    def at(cls, robot: Robot, frame_name: str, mass: float, moment: Array) -> AddedMass:
        """A mass, kg, and a first moment, kg m, in the axes of a frame about its origin.

        Raises:
            UnknownName: a frame that the robot does not have.
        """
        frame = robot.model.frame(frame_name)
        R, p = np.asarray(frame.pose)[:3, :3], np.asarray(frame.pose)[:3, 3]
        return cls(frame.link, mass, R @ moment + mass * p, tuple(_path(robot.model, frame.link)))


def change_of_gravity(robot: Robot, added: AddedMass) -> Forces:
    """The joint forces that hold an added mass, as a function of poses, N m or N; of an arm without coupled joints."""
    place, mass, path = robot.link_names.index(added.link), added.mass, added.path
    g = np.asarray(robot.gravity)
    across = np.cross(np.eye(3), g)  # a @ across = a x g
    columns = [(joint, robot.joint_names.index(joint.name), robot.link_names.index(joint.child)) for joint in path]

    def forces(q: Array) -> Array:
        poses = np.asarray(robot.link_poses(q))
        T = poses[..., place, :, :]
        first = T[..., :3, :3] @ added.moment + mass * T[..., :3, 3]
        result = np.zeros(q.shape)
        for joint, column, child in columns:
            axis = poses[..., child, :3, :3] @ joint.axis
            if joint.kind == "revolute":
                arm = first - mass * poses[..., child, :3, 3]
                result[..., column] = ((axis @ across) * arm).sum(axis=-1)
            else:
                result[..., column] = -mass * axis @ g
        return result

    return forces


def largest_change(robot: Robot, added: AddedMass) -> tuple[int, float, Array]:
    """The joint whose static force changes most by an added mass, the largest change and its pose.

    The arm has no coupled joints.
    """
    forces = change_of_gravity(robot, added)
    places = [robot.joint_names.index(joint.name) for joint in added.path]
    highest = bounds(robot.model, {added.link: (added.mass, added.moment)})
    best: tuple[int, float, Array] = (0, 0.0, np.zeros(robot.dof))
    for k in highest.argsort()[::-1]:
        if highest[k] <= best[1]:
            break
        (value,), (pose,) = worst(robot, forces, [int(k)], places)
        best = (int(k), float(value), pose) if value > best[1] else best
    return best


def _path(model: Model, link: str) -> list[Joint]:
    """The joints from a link to the base."""
    carriers = {joint.child: joint for joint in model.joints}
    path = []
    while link in carriers:
        path.append(carriers[link])
        link = carriers[link].parent
    return path
