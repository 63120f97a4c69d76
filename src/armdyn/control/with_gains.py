"""A controller with the kinds of its gains chosen: numbers, vectors or full matrices."""

from __future__ import annotations

import numpy as np

from armdyn.declaration import Function
from armdyn.functions.gains import with_kinds
from armdyn.spatial.positive_definite import Cholesky
from armdyn.spatial.rotations import Array


def with_gains(controller: Function, **kinds: str) -> Function:
    """The controller with chosen kinds of some of its gains.

    A gain of k components, e.g. Kp of n joints, is a number, which serves all of them, a vector with one value for
    each, or a full matrix (Modern Robotics 11.66); axes before are a batch. The shape of a call's argument decides,
    if it can only be one of them: (k, k) is refused if the vectors of a batch of k arms would fit as well, and
    exports take vectors. With a chosen kind only that one is taken.

    Args:
        controller: any declared function with gains, with or without wrappers.
        kinds: "number", "vector" or "matrix", by the names of gains.

    Raises:
        UnknownName: a gain that it does not have, or another kind.
        ShapeError: a gain whose kind is chosen already.

    A tip that is stiff across a diagonal of the plane and soft along it:

    >>> soft = armdyn.control.with_gains(armdyn.control.impedance, K="matrix")
    >>> soft = armdyn.control.with_options(soft, components=("vx", "vy"))
    >>> robot, q0 = armdyn.load("planar_2r").with_gravity((0, 0, 0)), np.array([0.3, 1.2])
    >>> K = np.array([[550.0, -450.0], [-450.0, 550.0]])  # 1000 N/m across (1, 1), 100 N/m along it
    >>> T, push = robot.forward_kinematics(q0), np.zeros(6)
    >>> push[3:] = T[:3, :3].T @ [2.0, 2.0, 0.0]
    >>> loop = armdyn.ClosedLoop(robot, soft)
    >>> end = loop(q0, steps=4000, T_ref=T, K=K, B=100.0, f_tip=push).final.q
    >>> (T - robot.forward_kinematics(end))[:2, 3].round(3)  # |push| / (100 N/m) along it
    array([0.02, 0.02])
    """
    return with_kinds(controller, kinds)


def scaled(K: Array, e: Array) -> Array:
    """K e of a gain that is a number, one value for each component of e, or a full matrix, shape (k,).

    Args:
        K: the gain, shape (), (k,) or (k, k).
        e: an error, shape (k,).
    """
    result: Array = K @ e if np.ndim(K) == 2 else K * e
    return result


def unscaled(M: Array, f: Array) -> Array:
    """M^-1 f of an inertia that is a number, one value for each component, or a positive definite matrix, shape (k,).

    Args:
        M: the inertia, shape (), (k,) or (k, k).
        f: forces, shape (k,).
    """
    return Cholesky.of(M).solve(f) if np.ndim(M) == 2 else f / M
