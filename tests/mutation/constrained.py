"""Constraints of every kind as their definitions have them, in 50 digits, and the dynamics they make, in NumPy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, GearLoss, published
from armdyn.constraints.fields import axes_along
from constraints.parts import every_kind
from mutation.answers import Answer
from mutation.known import Known
from mutation.question import Refusal
from oracles import bam

STEP = mpf(10) ** -12
"""Of differences: the error of a second one is its square, 1e-24, and rounding 1e-50 over it, 1e-26."""

exact = np.vectorize(lambda x: mpf(float(x)), otypes=[object])


def rotation(axis: np.ndarray, angle: mpf) -> np.ndarray:
    """About a unit vector."""
    x, y, z = exact(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return exact(np.eye(3)) + mp.sin(angle) * K + (1 - mp.cos(angle)) * (K @ K)


def motion_of(joint: Any, position: mpf) -> np.ndarray:
    """The pose that a joint gives its link from where it is at zero."""
    T = exact(np.eye(4))
    if joint.kind == "revolute":
        T[:3, :3] = rotation(joint.axis, position)
    else:
        T[:3, 3] = exact(joint.axis) * position
    return T


class Exact:
    """A tree in mpmath's numbers; q by joint, as no joints are coupled."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._known: dict[tuple[Any, ...], dict[str, np.ndarray]] = {}

    def pose(self, frame: str, q: np.ndarray) -> np.ndarray:
        """T_0F."""
        if not frame:
            return exact(np.eye(4))
        found = self.model.frame(frame)
        return self.links(q)[found.link] @ exact(found.pose)

    def links(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """T_0L of every link; kept, for all constraints are asked for at the same few q."""
        poses = self._known.setdefault(tuple(q), {self.model.base: exact(np.eye(4))})
        while len(poses) < len(self.model.links):
            for angle, joint in zip(q, self.model.joints, strict=True):
                if joint.parent in poses and joint.child not in poses:
                    poses[joint.child] = poses[joint.parent] @ exact(joint.placement) @ motion_of(joint, angle)
        return poses

    def point(self, frame: str, point: Any, of: str, q: np.ndarray) -> np.ndarray:
        """A point of one frame in the coordinates of another."""
        B = self.pose(of, q)
        p = self.pose(frame, q) @ exact([*point, 1.0])
        return B[:3, :3].T @ (p[:3] - B[:3, 3])

    def phi(self, constraint: Any, q: np.ndarray) -> np.ndarray:
        """What should be zero."""
        return DEFINITIONS[type(constraint)](self, constraint, q)


def held(tree: Exact, held: c.Held, q: np.ndarray) -> np.ndarray:
    """Positions in B, and what is left over of the rotation."""
    A = tree.pose(held.frame, q) @ exact(held.T_frame_A)
    B = tree.pose(held.to, q) @ exact(held.T_to_B)
    d = A[:3, 3] - B[:3, 3]
    R = B[:3, :3].T @ A[:3, :3]
    positions = d if held.along == "base" else (B[:3, :3].T @ d)[list(held.positions)]
    about = list(held.rotations)
    left: list[Any] = []
    if len(about) == 3:
        angle = mp.acos((R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2)
        axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (2 * mp.sin(angle))
        left = list(2 * mp.tan(angle / 2) * axis)
    elif len(about) == 2:
        (free,) = {0, 1, 2} - set(about)
        z, e = R[:, free], np.eye(3)[free]
        angle = mp.acos(z[free])
        axis = np.array([e[1] * z[2] - e[2] * z[1], e[2] * z[0] - e[0] * z[2], e[0] * z[1] - e[1] * z[0]])
        left = list((2 * mp.tan(angle / 2) / mp.sin(angle) * axis)[about])
    elif about:
        left = [R[(about[0] + 2) % 3, (about[0] + 1) % 3]]
    return np.array([*positions, *left])


def on_plane(tree: Exact, plane: c.PointOnPlane, q: np.ndarray) -> np.ndarray:
    r = tree.point(plane.frame, plane.point, plane.of, q)
    return np.array([exact(plane.normal) @ (r - exact(plane.through))])


def on_line(tree: Exact, line: c.PointOnLine, q: np.ndarray) -> np.ndarray:
    r = tree.point(line.frame, line.point, line.of, q)
    return exact(axes_along(line.direction)).T[:2] @ (r - exact(line.through))


def on_surface(tree: Exact, surface: c.PointOnSurface, q: np.ndarray) -> np.ndarray:
    r = tree.point(surface.frame, surface.point, surface.of, q)
    if surface.size == 2:
        return np.array([r @ r - mpf(0.5), r[0] * r[1] - mpf(0.1) * mp.sin(r[2])])
    return np.array([r[0] ** 2 + 2 * r[1] ** 2 + r[2] ** 2 / 2 - mpf(0.3)])


def on_curve(tree: Exact, on: c.PointOnCurve, q: np.ndarray) -> np.ndarray:
    r = tree.point(on.frame, on.point, on.of, q)

    def curve(s: Any) -> np.ndarray:
        return np.array([mpf(0.4) * mp.cos(s) + mpf(0.1), mpf(0.5) * mp.sin(s), mpf(0.3) * mp.sin(2 * s)])

    def tangent(s: Any) -> np.ndarray:
        return np.array([-mpf(0.4) * mp.sin(s), mpf(0.5) * mp.cos(s), mpf(0.6) * mp.cos(2 * s)])

    samples = np.linspace(*on.interval, 400)
    start = samples[int(np.argmin([float((curve(s) - r) @ (curve(s) - r)) for s in samples]))]
    s = mp.findroot(lambda s: tangent(s) @ (curve(s) - r), mpf(float(start)))
    t, (x, y, z) = tangent(s), exact(on.up)
    first = np.array([y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]])
    second = np.array([t[1] * first[2] - t[2] * first[1], t[2] * first[0] - t[0] * first[2],
                       t[0] * first[1] - t[1] * first[0]])  # fmt: skip
    return np.array([n @ (r - curve(s)) / mp.sqrt(n @ n) for n in (first, second)])


def at_distance(tree: Exact, rod: c.Distance, q: np.ndarray) -> np.ndarray:
    d = (tree.pose(rod.frame, q) @ exact([*rod.point, 1]) - tree.pose(rod.to, q) @ exact([*rod.to_point, 1]))[:3]
    return np.array([mp.sqrt(d @ d) - mpf(rod.length)])


def coupled(tree: Exact, coupling: c.JointCoupling, q: np.ndarray) -> np.ndarray:
    names = [joint.name for joint in tree.model.joints]
    return np.array([sum(mpf(f) * q[names.index(joint)] for joint, f in coupling.factors) - mpf(coupling.value)])


def reach(tree: Exact, _: c.Holonomic, q: np.ndarray) -> np.ndarray:
    p = tree.pose(tree.model.tip, q)[:3, 3]
    return np.array([p @ p - mpf(0.4), q[0] * q[1] - mp.cos(q[2])])


def some_rows(tree: Exact, part: c.RowsOf, q: np.ndarray) -> np.ndarray:
    kept = [k for k, row in enumerate(part.constraint.rows) if row.name in part.chosen]
    return tree.phi(part.constraint, q)[kept]


DEFINITIONS: dict[type, Callable[[Exact, Any, np.ndarray], np.ndarray]] = {
    c.Held: held,
    c.PointOnPlane: on_plane,
    c.PointOnLine: on_line,
    c.PointOnSurface: on_surface,
    c.PointOnCurve: on_curve,
    c.Distance: at_distance,
    c.JointCoupling: coupled,
    c.Holonomic: reach,
    c.RowsOf: some_rows,
}


def skate(tree: Exact, q: np.ndarray) -> np.ndarray:
    """The tip's velocity along its own y, and its turn about its own x, a column a joint."""
    columns = []
    for e in np.eye(len(q)):
        high, low = (tree.pose(tree.model.tip, q + exact(s * e) * STEP) for s in (1, -1))
        R, rate = tree.pose(tree.model.tip, q)[:3, :3], (high - low) / (2 * STEP)
        columns.append([(R.T @ rate[:3, 3])[1], (R.T @ rate[:3, :3])[2, 1]])
    return np.array(columns).T


def equations(tree: Exact, constraint: Any, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
    """phi, A and Adot qd, by differences."""
    with mp.workdps(50):
        q, qd = exact(q), exact(qd)
        if isinstance(constraint, c.Pfaffian):
            ahead, behind = (skate(tree, q + s * STEP * qd) for s in (1, -1))
            parts = np.zeros(0), skate(tree, q), (ahead - behind) @ qd / (2 * STEP)
        else:
            phi, units = tree.phi(constraint, q), exact(np.eye(len(q)))
            A = [(tree.phi(constraint, q + STEP * e) - tree.phi(constraint, q - STEP * e)) / (2 * STEP) for e in units]
            ahead, behind = (tree.phi(constraint, q + s * STEP * qd) for s in (1, -1))
            parts = phi, np.array(A).T, (ahead - 2 * phi + behind) / STEP**2
        return tuple(np.asarray(part, dtype=float) for part in parts)


def of_constraints(some: Known, q, qd, qdd, tau, f_tip) -> Iterator[Answer]:
    """The equations of all constraints of a robot one below the other, and the dynamics they make."""
    tree = Exact(some.robot.model)
    parts = [equations(tree, constraint, q, qd) for constraint in some.robot.model.constraints]
    phi, A, drift = (np.concatenate([part[k] for part in parts]) for k in range(3))
    multipliers = np.cos(np.arange(len(A)))
    yield "equations.constraint_error", {}, [q], phi
    yield "equations.constraint_jacobian", {}, [q], A
    yield "equations.constraint_velocity", {}, [q, qd], A @ qd
    yield "equations.constraint_drift", {}, [q, qd], drift
    yield "equations.constraint_forces", {}, [q, multipliers], A.T @ multipliers
    if len(A) > some.n:
        return  # more than what the joints can keep: no dynamics
    M, n, k = some.mass_matrix(q), some.n, len(A)
    Minv = np.linalg.inv(M)
    f_ext = np.random.default_rng(143).normal(0.0, 5.0, (len(some.robot.link_names), 6))
    loads = some.case.on_links(f_ext)
    for i, on_tip in enumerate(some.case.external(f_tip)):
        loads[i] = loads[i] + on_tip
    pushed = some.inverse_dynamics(q, qd, np.zeros(n), loads)
    is_holonomic = np.array([row.holonomic for part in some.robot.model.constraints for row in part.rows])
    spread = np.zeros(k)
    spread[is_holonomic] = phi
    S = A @ Minv @ A.T
    pivots = np.diagonal(np.linalg.cholesky(S)) ** 2
    for options in ({}, {"damping": 3.0}, {"stiffness": 5.0}):
        damping, stiffness = options.get("damping", 0.0), options.get("stiffness", 0.0)
        target = drift + damping * A @ qd + stiffness * spread
        system = np.block([[M, A.T], [A, np.zeros((k, k))]])
        solution = np.linalg.solve(system, np.concatenate([tau - pushed, -target]))
        answer = solution[:n], solution[n:], pivots / np.diagonal(S)
        yield "dynamics.constrained_forward_dynamics", options, [q, qd, tau, f_tip, f_ext], answer
    against = [q, qd, qdd, multipliers]
    driven = some.inverse_dynamics(q, qd, qdd, loads) + A.T @ multipliers
    yield "dynamics.constrained_inverse_dynamics", {}, [*against, f_tip, f_ext], driven
    yield "dynamics.constrained_inverse_dynamics", {}, [q, qd, qdd], some.inverse_dynamics(q, qd, qdd)
    allowed = qdd - Minv @ A.T @ np.linalg.solve(S, A @ qdd + drift)
    tau_c = some.inverse_dynamics(q, qd, allowed) + A.T @ multipliers
    yield "dynamics.hybrid_forces", {}, against, tau_c
    P = np.eye(n) - A.T @ np.linalg.solve(S, A @ Minv)
    yield "dynamics.force_projection", {}, [q], P
    yield "dynamics.acceleration_projection", {}, [q], P.T


def constrained_robots(robots: dict[str, Known]) -> dict[str, Known]:
    """Every kind of constraint on a tree, and some that leave an arm two freedoms."""
    found = {}
    for name, of, chosen in (
        ("all constraints", "random_tree", None),
        ("some constraints", "ur5", ("rod", "skate", "plane on a link")),
        ("held frames", "ur5", ("weld", "rx_ry", "rx")),
    ):
        some = robots[of]
        kinds = every_kind(some.robot)
        constraints = tuple(kinds.values()) if chosen is None else tuple(kinds[kind] for kind in chosen)
        robot = armdyn.Robot(some.robot.model.replace(constraints=constraints))
        found[name] = Known(robot, some.case, some.A, some.b, some.rotors)
    return found


EFFICIENCY, BACK, RUBS = 0.7, 0.45, 0.6
"""Of the gears of an arm with losses, and the viscous friction of its joints."""


def with_losses(some: Known) -> tuple[Known, np.ndarray]:
    """An arm with constraints whose joints lose a part of their load, and the rotors before that; the links alone."""
    kinds, rotors = every_kind(some.robot), np.linspace(0.4, 0.1, some.n)
    chosen = (kinds[kind] for kind in ("rod", "skate", "plane on a link"))
    names = some.robot.joint_names
    robot = some.robot.with_actuators(dict.fromkeys(names, Actuator(friction=GearLoss(EFFICIENCY, BACK))))
    robot = robot.with_armature(dict(zip(names, rotors, strict=True))).with_friction(dict.fromkeys(names, (RUBS, 0.0)))
    robot = armdyn.Robot(robot.model.replace(constraints=tuple(chosen)))
    return Known(robot, some.case, some.A, some.b, np.zeros(some.n)), rotors


def of_losses(links: Known, rotors: np.ndarray, q, qd, qdd, _, f_tip) -> Iterator[Answer]:
    """What gears make of the loads of such an arm, in a motion that its constraints allow."""
    tree = Exact(links.robot.model)
    parts = [equations(tree, constraint, q, qd) for constraint in links.robot.model.constraints]
    A, drift = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
    multipliers, M = 5.0 * np.cos(np.arange(len(A))), links.mass_matrix(q)
    loads = links.case.on_links(np.zeros((len(links.robot.link_names), 6)))
    for i, on_tip in enumerate(links.case.external(f_tip)):
        loads[i] = loads[i] + on_tip

    def driven(qdd: np.ndarray, loads: Any = None) -> tuple[np.ndarray, np.ndarray]:
        transmitted = links.inverse_dynamics(q, qd, qdd, loads) + A.T @ multipliers
        ratio = np.where(transmitted * qd > 0.0, 1.0 / EFFICIENCY, BACK)
        return ratio, ratio * transmitted + rotors * qdd + RUBS * qd

    yield "dynamics.constrained_inverse_dynamics", {}, [q, qd, qdd, multipliers, f_tip], driven(qdd, loads)[1]
    Minv = np.linalg.inv(M + np.diag(rotors))
    allowed = qdd - Minv @ A.T @ np.linalg.solve(A @ Minv @ A.T, A @ qdd + drift)
    ratio, forces = driven(allowed)
    assert len(set(ratio)) == 2  # some drive, others are driven
    yield "dynamics.hybrid_forces", {}, [q, qd, qdd, multipliers], forces
    ratio, forces = driven(allowed, loads)
    S = A @ np.linalg.inv(M + np.diag(rotors / ratio)) @ A.T
    pivots = np.diagonal(np.linalg.cholesky(S)) ** 2
    answer = allowed, multipliers, pivots / np.diagonal(S)
    yield "dynamics.constrained_forward_dynamics", {}, [q, qd, forces, f_tip], answer
    h = links.inverse_dynamics(q, qd, np.zeros(links.n), loads)
    yield "under_load.forces_before_loads", {}, [q, qd, forces, f_tip], (forces - RUBS * qd, h)
    own = 5.0 * np.sin(1.0 + np.arange(links.n))
    ratio = np.where(own * qd > 0.0, 1.0 / EFFICIENCY, BACK)
    answer = (ratio - 1.0) * own, 1.0 - 1.0 / ratio
    yield "under_load.friction_of_available", {}, [own * ratio, qd], answer
    yield "under_load.breakaway_of_available", {}, [own * ratio, own * ratio], _breakaway(own * ratio)
    yield "under_load.friction_lines", {}, [qd, own], (1.0 / ratio, 0.0 * own, (ratio - 1.0) * own)


def _breakaway(t: np.ndarray) -> tuple[np.ndarray, ...]:
    """The least and the largest friction of gears at rest, and their slopes, with l + f(l) = t."""
    over, under = 1.0 / EFFICIENCY - 1.0, BACK - 1.0  # f(l)/l of a driven load, and of one that drives
    least, most = (np.where(way * t > 0.0, over, under) for way in (-1, 1))
    slopes = [side / (1.0 + side) for side in (least, most)]
    return slopes[0] * t, slopes[1] * t, *slopes


SERVOS = (
    ("M6", (0.7, -1.2), (3.0, 2.0)),  # a curve of the load
    ("M5", (0.012, -0.049), (-0.153, 0.136)),  # three lines, of which Newton's method takes one after the other
)
"""Friction laws of BAM, velocities in rad/s and loads in N m."""


def of_servos() -> Iterator[tuple[str, armdyn.Robot, list[Answer]]]:
    """The friction of servos that depends on their load, by BAM's own laws."""
    for model, qd, loads in SERVOS:
        servos = dict.fromkeys(("joint_1", "joint_2"), published.servo("MX-106", model))
        robot = armdyn.load("planar_2r").with_actuators(servos)
        friction, slope, little = np.zeros(2), np.zeros(2), mpf("1e-15")
        for k, (law,) in enumerate(robot.mechanism.drive.laws):
            numbers = {field.name: getattr(law, field.name) for field in dataclasses.fields(law)}
            below, at, above = (bam.friction(model, numbers, qd[k], loads[k] + side * little) for side in (-1, 0, 1))
            friction[k], slope[k] = at, (above - below) / (2 * little)
        answer = friction, slope / (1.0 + slope)
        asked = "under_load.friction_of_available", {}, [loads + friction, np.array(qd)], answer
        yield f"servos {model}", robot, [asked]


def of_coupled_losses() -> tuple[armdyn.Robot, list[Answer]]:
    """An arm whose third joint follows its first, with lossy gears and a tip on a wall, joint by joint."""
    free, wall = armdyn.load("planar_3r"), c.PointOnPlane("tip", (1, 0, 0), (2, 0, 0), name="wall")
    gears = dict.fromkeys(free.joint_names, Actuator(friction=GearLoss(0.9, 0.8)))
    robot = free.with_mimic({"joint_3": ("joint_1", 0.8)}).with_actuators(gears).with_constraints(wall)
    B = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.0]])
    q, qd, multiplier = np.array([0.3, 1.1]), np.array([0.7, -0.4]), 7.0
    held = free.with_constraints(wall)
    A, drift = held.constraint_jacobian(B @ q)[0], held.constraint_drift(B @ q, B @ qd)[0]
    qdd = np.array([1.5, 0.0])
    qdd[1] = -(A @ B @ qdd + drift) / (A @ B)[1]
    loads = free.inverse_dynamics(B @ q, B @ qd, B @ qdd) + A * multiplier
    ratio = np.where(loads * (B @ qd) > 0.0, 1.0 / 0.9, 0.8)
    answer = qdd, np.array([multiplier]), np.ones(1)
    return robot, [("dynamics.constrained_forward_dynamics", {}, [q, qd, B.T @ (ratio * loads)], answer)]


def on_a_curve(some: Known, states: np.ndarray) -> tuple[Known, list[Answer]]:
    """A point near one side or the other of a curve, where Newton's steps find what the samples chose."""
    curve = every_kind(some.robot)["curve"]
    robot = armdyn.Robot(some.robot.model.replace(constraints=(curve,)))
    tree = Exact(robot.model)
    answers = []
    for q in states:
        with mp.workdps(50):
            phi = np.asarray(tree.phi(curve, exact(q)), dtype=float)
        answers.append(("equations.constraint_error", {}, [q], phi))
    return Known(robot, some.case, some.A, some.b, some.rotors), answers


def product(model: Any, q: Any) -> Any:
    """One number, not an array of one."""
    return q[0] * q[1] - 0.3


def wheel(model: Any, q: Any) -> Any:
    """One row, not an array of one."""
    return np.array([np.sin(q[1]), q[0]])


def of_one_row() -> Iterator[tuple[str, armdyn.Robot, list[Answer]]]:
    """Functions of the caller's that are single equations."""
    arm, q, qd = armdyn.load("planar_2r"), np.array([0.7, -1.2]), np.array([0.4, 1.9])
    both = qd[0] * qd[1]
    for name, constraint, A, drift in (
        ("product", c.Holonomic(product, ["a"], "product"), q[::-1], 2.0 * both),
        ("wheel", c.Pfaffian(wheel, ["a"], "wheel"), [np.sin(q[1]), q[0]], (np.cos(q[1]) + 1.0) * both),
    ):
        robot = armdyn.Robot(arm.model.replace(constraints=(constraint,)))
        jacobian = "equations.constraint_jacobian", {}, [q], np.array([A])
        yield name, robot, [jacobian, ("equations.constraint_drift", {}, [q, qd], np.array([drift]))]


def upwards(s: Any) -> Any:
    """A line along z."""
    return np.array([0.1 + 0.0 * s, 0.2 + 0.0 * s, s])


def nowhere(s: Any) -> Any:
    """A single point."""
    return np.array([0.1 + 0.0 * s, 0.2 + 0.0 * s, 0.0 * s])


def too_many(model: Any, q: Any) -> Any:
    """Two numbers, where one is expected."""
    return np.array([q[0], q[1]])


ERROR = "equations.constraint_error"


def refused_robots() -> dict[str, tuple[armdyn.Robot, str, Refusal]]:
    """Robots whose constraints make no sense, the function that notices, and what it says."""
    arm = armdyn.load("planar_2r")

    def on_arm(*chosen: Any) -> armdyn.Robot:
        return armdyn.Robot(arm.model.replace(constraints=chosen))

    follows = Refusal("RedundantConstraints", "constraint 'table' of")
    table, wall = (c.PointOnPlane("tip", n, name=x) for n, x in (((0, 0, 1), "table"), ((1, 0, 0), "wall")))
    curved = c.PointOnSurface("tip", np.cumsum, name="curved")
    no_kind = Refusal("ModelError", "returned shape (2,); expected (1,), a number")
    rolling = c.Pfaffian(too_many, ["a", "b"], "rolling")
    no_rows = Refusal("ModelError", "returned shape (2,); expected (2, 2), a row")
    alone = c.Pfaffian(too_many, ["a"], "alone")
    along_up, standing = (c.PointOnCurve("tip", f, (0.0, 1.0), name="track") for f in (upwards, nowhere))
    return {
        "along up": (
            on_arm(along_up),
            ERROR,
            Refusal("ModelError", "'track' runs along up = ("),
        ),
        "standing": (
            on_arm(standing),
            ERROR,
            Refusal("ModelError", "'track' stands still at s"),
        ),
        "free": (arm, ERROR, Refusal("ModelError", "has no constraints")),
        "velocities": (on_arm(alone), ERROR, Refusal("ModelError", "do not restrict positions")),
        "redundant": (on_arm(wall, table), "dynamics.force_projection", follows),
        "curved": (
            on_arm(curved),
            ERROR,
            Refusal("ModelError", "(3,); expected (1,), a number"),
        ),
        "own": (on_arm(c.Holonomic(too_many, ["a"], "own")), "equations.constraint_error", no_kind),
        "rolling": (on_arm(rolling), "equations.constraint_jacobian", no_rows),
    }
