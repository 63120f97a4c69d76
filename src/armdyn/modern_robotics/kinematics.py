"""Forward kinematics, Jacobians and inverse kinematics, chapters 4 to 6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ShapeError
from armdyn.modern_robotics import recursion
from armdyn.modern_robotics.arguments import joints_of, pose, screws, vector
from armdyn.modern_robotics.documentation import complete_documentation
from armdyn.modern_robotics.kernels import compile_kernel, try_kernel
from armdyn.modern_robotics.rigid_motions import log6
from armdyn.spatial.rotations import Array

MAX_ITERATIONS = 20
"""Largest number of Newton steps of inverse kinematics."""

SMALLEST_SINGULAR_VALUE = 1e-15
"""The arm cannot move in directions whose singular value is below this fraction of the largest."""


@complete_documentation
def FKinSpace(M: ArrayLike, Slist: ArrayLike, thetalist: ArrayLike) -> Array:
    """Pose of the end-effector T = exp([S_1] q_1) ... exp([S_n] q_n) M, shape (4, 4) (Modern Robotics 4.14).

    Args:
        Slist: space screw axes at home, a column each, shape (6, n); only the first n columns are used.

    >>> armdyn.modern_robotics.FKinSpace(np.eye(4), [[0], [0], [0], [1], [0], [0]], [0.25])[:3, 3]
    array([0.25, 0.  , 0.  ])
    """
    return _pose(recursion.pose_from_space, M, "Slist", Slist, thetalist)


@complete_documentation
def FKinBody(M: ArrayLike, Blist: ArrayLike, thetalist: ArrayLike) -> Array:
    """Pose of the end-effector T = M exp([B_1] q_1) ... exp([B_n] q_n), shape (4, 4) (Modern Robotics 4.16)."""
    return _pose(recursion.pose_from_body, M, "Blist", Blist, thetalist)


def _pose(function: Callable[..., object], M: ArrayLike, name: str, axes: ArrayLike, thetalist: Any) -> Array:
    if len(thetalist) == 0:
        return pose("M", M).copy()
    n = len(thetalist)
    run = compile_kernel(function, n)
    T = try_kernel(run, M, axes, thetalist)
    if T is not None and T.ndim == 2:
        return T  # type: ignore[no-any-return]
    return run(pose("M", M), screws(name, axes, n), vector("thetalist", thetalist, n))  # type: ignore[no-any-return]


@complete_documentation
def JacobianSpace(Slist: ArrayLike, thetalist: ArrayLike) -> Array:
    """Space Jacobian J_s with V_s = J_s qd, angular part first, shape (6, n) (Modern Robotics 5.11)."""
    return _jacobian(recursion.space_jacobian, "Slist", Slist, thetalist)


@complete_documentation
def JacobianBody(Blist: ArrayLike, thetalist: ArrayLike) -> Array:
    """Body Jacobian J_b with V_b = J_b qd, angular part first, shape (6, n) (Modern Robotics 5.18)."""
    return _jacobian(recursion.body_jacobian, "Blist", Blist, thetalist)


def _jacobian(function: Callable[..., object], name: str, axes: ArrayLike, thetalist: ArrayLike) -> Array:
    n = joints_of(thetalist)
    run = compile_kernel(function, n)
    J = try_kernel(run, axes, thetalist)
    if J is not None and J.ndim == 2:
        return J  # type: ignore[no-any-return]
    result = array(name, axes, missing=True).shape
    if result != (6, n):
        raise ShapeError(f"{name} has shape {result}; expected (6, {n}), as many columns as thetalist has joints")
    return run(screws(name, axes, n), vector("thetalist", thetalist, n))  # type: ignore[no-any-return]


@complete_documentation
def IKinBody(
    Blist: ArrayLike, M: ArrayLike, T: ArrayLike, thetalist0: ArrayLike, eomg: float, ev: float
) -> tuple[Array, bool]:
    """Joint positions that bring the end-effector to T, shape (n,), and a success flag.

    The Newton-Raphson method is applied to the body Jacobian, with 20 steps at most (Modern Robotics 6.2.2).

    >>> S, home = [[0, 0], [0, 0], [1, 1], [0, 0], [0, -1], [0, 0]], np.eye(4)
    >>> goal = armdyn.modern_robotics.FKinSpace(home, S, [0.3, 0.4])
    >>> q, found = armdyn.modern_robotics.IKinSpace(S, home, goal, [0.1, 0.1], 1e-9, 1e-9)
    >>> q.round(9), found
    (array([0.3, 0.4]), True)
    """
    return _newton(recursion.body_step, ("Blist", Blist), M, T, thetalist0, (eomg, ev))


@complete_documentation
def IKinSpace(
    Slist: ArrayLike, M: ArrayLike, T: ArrayLike, thetalist0: ArrayLike, eomg: float, ev: float
) -> tuple[Array, bool]:
    """Joint positions that bring the end-effector to T, shape (n,), and a success flag.

    The Newton-Raphson method is applied to the space Jacobian, with 20 steps at most (Modern Robotics 6.2.2). The
    remaining error is that of the twist in base axes, at the base's origin.
    """
    return _newton(recursion.space_step, ("Slist", Slist), M, T, thetalist0, (eomg, ev))


def _newton(
    function: Callable[..., object],
    axes: tuple[str, ArrayLike],
    M: ArrayLike,
    T: ArrayLike,
    start: ArrayLike,
    allowed: tuple[float, float],
) -> tuple[Array, bool]:
    n = joints_of(start)
    q = vector("thetalist0", start, n).copy()
    step, home, goal, S = compile_kernel(function, n), pose("M", M), pose("T", T), screws(*axes, n)
    for k in range(MAX_ITERATIONS + 1):
        to_go, J = step(home, S, goal, q)
        twist = np.array(log6(to_go.tolist()))
        w, v = twist[:3], twist[3:]
        result = not (w.dot(w) > allowed[0] ** 2 or v.dot(v) > allowed[1] ** 2)
        if result or k == MAX_ITERATIONS:
            break
        q += np.linalg.lstsq(J, twist, rcond=SMALLEST_SINGULAR_VALUE)[0]
    return q, result
