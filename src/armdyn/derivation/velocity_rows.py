"""Velocities of an arm that are linear in qd, as rows of polynomials: of its tip, and of constraints."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.task_rows import Components, chosen_rows, name_of
from armdyn.base.errors import UnknownName, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import axes_along
from armdyn.constraints.held import Held
from armdyn.constraints.joint_coupling import JointCoupling
from armdyn.constraints.point_on_line import PointOnLine
from armdyn.constraints.point_on_plane import PointOnPlane
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.kinematics import Kinematics, cross
from armdyn.derivation.numbers import rational
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array


def words_of(arm: SymbolicArm, components: Components, expressed_in: str) -> str:
    """A description of components of the tip's twist, e.g. "vx, vy of tip in world axes"."""
    place = "space, at the base's origin" if expressed_in == "space" else f"{expressed_in} axes"
    return f"{', '.join(map(name_of, chosen_rows(components)))} of {arm.tip.name if arm.tip else None} in {place}"


def tip_rows(arm: SymbolicArm, components: Components, expressed_in: str) -> Array:
    """The Jacobian of components of the tip's twist, shape (k, n).

    Raises:
        Unsupported: an arm without a moving tip.
    """
    return combine_rows(arm, chosen_rows(components), tip_jacobian(arm, expressed_in))


def combine_rows(arm: SymbolicArm, weights: object, rows: Array) -> Array:
    """Linear combinations of rows with numeric weights."""
    numbers = np.vectorize(rational, otypes=[object])(np.asarray(weights, dtype=float))
    return arm.algebra.each(arm.algebra.array(numbers) @ rows)


def tip_jacobian(arm: SymbolicArm, expressed_in: str) -> Array:
    """The Jacobian of the tip's twist (w, v) in "body", "world" or "space", shape (6, n)."""
    algebra, tip, kinematics = arm.algebra, arm.tip, Kinematics(arm)
    if tip is None:
        raise Unsupported(f"{arm.name!r} has no tip that moves; choose one by robot.with_tip")
    p, R = kinematics.point(tip.body, tip.p), kinematics.poses[tip.body][0]
    w, v = algebra.each(R @ kinematics.angular_velocities[tip.body]), algebra.rates(p)
    if expressed_in == "body":
        R_tip = algebra.each(R @ algebra.array(tip.R))
        w, v = R_tip.T @ w, R_tip.T @ v
    elif expressed_in == "space":
        v = v + cross(p, w)
    return _by_rates(arm, np.concatenate([w, v]))


def _by_rates(arm: SymbolicArm, velocities: Array) -> Array:
    return arm.algebra.each(np.array([[v.diff(rate) for rate in arm.algebra.qd] for v in velocities], dtype=object))


def constraint_rows(arm: SymbolicArm, constraint: Constraint) -> Array:
    """A(q) of a constraint, shape (rows, n).

    Raises:
        Unsupported: a kind of constraint without a closed form, or a frame that is neither a link nor the tip.
    """
    if isinstance(constraint, JointCoupling):
        return _coupling_row(arm, constraint)
    if isinstance(constraint, PointOnPlane) and not constraint.of:
        return combine_rows(arm, [constraint.normal], _of_point(arm, constraint, constraint.point))
    if isinstance(constraint, PointOnLine) and not constraint.of:
        across = axes_along(constraint.direction)[:, :2].T  # type: ignore[arg-type]
        return combine_rows(arm, across, _of_point(arm, constraint, constraint.point))
    if isinstance(constraint, Held) and not constraint.to and not constraint.rotations:
        directions = constraint.T_to_B[:3, list(constraint.positions)].T
        return combine_rows(arm, directions, _of_point(arm, constraint, constraint.T_frame_A[:3, 3]))
    raise Unsupported(
        f"constraint {constraint.name!r} is a {type(constraint).__name__} that has no closed form here: it is written "
        "for PointOnPlane and PointOnLine in the base, Held to the base along x, y and z, and JointCoupling. For "
        "others there is robot.constrained_forward_dynamics, in numbers"
    )


def _coupling_row(arm: SymbolicArm, constraint: JointCoupling) -> Array:
    row = np.zeros((1, arm.dof))
    for name, factor in constraint.factors:
        if name not in arm.coordinates:
            raise UnknownName.of("joint", name, arm.coordinates, f"{arm.name!r}, which {constraint.name!r} names")
        row[0, arm.coordinates.index(name)] += factor
    return combine_rows(arm, row, arm.algebra.array(np.eye(arm.dof, dtype=int)))


def _of_point(arm: SymbolicArm, constraint: Scalar, point: object) -> Array:
    """The Jacobian of the velocity of a point of a constraint's frame in base axes, shape (3, n)."""
    algebra, numbers = arm.algebra, np.vectorize(rational, otypes=[object])(np.asarray(point, dtype=float))
    places = {body.name: (k, np.eye(3, dtype=int), np.zeros(3, dtype=int)) for k, body in enumerate(arm.bodies)}
    if arm.tip is not None:
        places[arm.tip.name] = (arm.tip.body, arm.tip.R, arm.tip.p)
    if constraint.frame not in places:
        raise Unsupported(
            f"constraint {constraint.name!r} holds {constraint.frame!r}, which is no link that moves and not the tip "
            f"of {arm.name!r}: choose it by robot.with_tip({constraint.frame!r})"
        )
    k, R, p = places[constraint.frame]
    R_link, p_link = Kinematics(arm).poses[k]
    in_link = algebra.array(p) + algebra.array(R) @ algebra.array(numbers)
    return _by_rates(arm, algebra.rates(algebra.each(p_link + R_link @ in_link)))
