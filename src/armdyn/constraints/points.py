"""A point on a plane, a line, a surface, a curve, or at a distance from another."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.constraints.curves import nearest
from armdyn.constraints.equations import Equations, equations, wrong_shape
from armdyn.constraints.frames import Relative, State
from armdyn.model.constraints import Distance, PointOnCurve, PointOnLine, PointOnPlane, PointOnSurface
from armdyn.model.constraints.held import axes_along
from armdyn.program import derivative, rate
from armdyn.spatial.rotations import Array, rigid


def _seen(constraint: Any, state: State) -> Relative:
    """The point in the axes of the frame that carries what it stays on."""
    return state.relative(constraint.frame, rigid(p=np.array(constraint.point)), constraint.of, np.eye(4))


def _along(directions: Array, through: Any, seen: Relative) -> Equations:
    """n . (r - p_0) = 0 for each row n."""
    return Equations(directions @ (seen.r - np.array(through)), directions @ seen.J, directions @ seen.rdd)


@equations.register
def on_plane(constraint: PointOnPlane, state: State) -> Equations:
    """n . (r - p_0) = 0."""
    return _along(np.array([constraint.normal]), constraint.through, _seen(constraint, state))


@equations.register
def on_line(constraint: PointOnLine, state: State) -> Equations:
    """The same for two directions across the line."""
    across = axes_along(constraint.direction)[:, :2].T  # type: ignore[arg-type]
    return _along(across, constraint.through, _seen(constraint, state))


@equations.register
def on_surface(constraint: PointOnSurface, state: State) -> Equations:
    """F(r) = 0, with A = F'(r) J and Adot qd = F'(r) rdd + (dF'/dt) rd."""
    seen = _seen(constraint, state)

    def F(r: Array) -> Array:
        values = np.asarray(constraint.function(r))
        if values.shape not in ((constraint.size,), () if constraint.size == 1 else (constraint.size,)):
            raise wrong_shape(constraint, values.shape, state.model.dof)
        return values.reshape(constraint.size)

    phi, dF, dF_rd = _derivatives(F, seen.r, seen.rd)
    return Equations(phi, dF @ seen.J, dF @ seen.rdd + dF_rd)


def _derivatives(F: Any, r: Array, rd: Array) -> tuple[Array, Array, Array]:
    """F, F' and (d/dt F') rd, with rd held."""
    return F(r), derivative(F, r), rate(lambda x: derivative(F, x) @ rd, r, rd)


@equations.register
def on_curve(constraint: PointOnCurve, state: State) -> Equations:
    """n_i(s) . (r - c(s)) = 0 at the parameter s of the nearest point of the curve, which r decides.

    There c' . (r - c) = 0, so that s_r = c'^T / (c' . c' - c'' . (r - c)) and A = (n_i + s_r n_i' . (r - c)) J.
    """
    seen = _seen(constraint, state)
    s = nearest(constraint, seen.r)
    up = np.array(constraint.up)

    def c(s: Any) -> Array:
        return np.asarray(constraint.curve(s))

    def normals(s: Any) -> Array:
        tangent = derivative(c, s)
        first = np.cross(up, tangent)
        second = np.cross(tangent, first)
        return np.array([first / np.sqrt(first @ first), second / np.sqrt(second @ second)])

    def gradient(x: Array) -> Array:
        """phi's derivative by r, of x = (r, s)."""
        r, s = x[:3], x[3]
        off, tangent = r - c(s), derivative(c, s)
        by_r = tangent / (tangent @ tangent - derivative(lambda t: derivative(c, t), s) @ off)
        return normals(s) + np.outer(derivative(normals, s) @ off, by_r)

    off, tangent = seen.r - c(s), derivative(c, s)
    sd = tangent @ seen.rd / (tangent @ tangent - derivative(lambda t: derivative(c, t), s) @ off)
    x, xd = np.array([*seen.r, s]), np.array([*seen.rd, sd])
    G = gradient(x)
    return Equations(normals(s) @ off, G @ seen.J, G @ seen.rdd + rate(lambda x: gradient(x) @ seen.rd, x, xd))


@equations.register
def at_distance(constraint: Distance, state: State) -> Equations:
    """|d| = L, with d from the one point to the other: A = d^T J / |d|."""
    A = state.moving(constraint.frame, rigid(p=np.array(constraint.point)))
    B = state.moving(constraint.to, rigid(p=np.array(constraint.to_point)))
    d, J, dd, ddd = A.p - B.p, A.J_v - B.J_v, A.v - B.v, A.a - B.a
    length = np.sqrt(d @ d)
    e = d / length
    stretching = e @ dd
    drift = e @ ddd + (dd @ dd - stretching * stretching) / length
    return Equations(np.array([length - constraint.length]), np.array([e @ J]), np.array([drift]))
