"""The book's recursions on its lists, traced with the lists as inputs: poses, Jacobians, joint forces.

So one program is valid for every arm of n joints with any lists: screws of any length and pitch, spatial inertias that
are not those of a single body, rotations rounded to a few digits.
"""

from __future__ import annotations

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.modern_robotics.screws import (
    Motion,
    bracket_back,
    compose,
    exponential,
    inverse,
    pair,
    twist_in,
    wrench_back,
)
from armdyn.spatial.rotations import Array, rigid
from armdyn.spatial.twists import lie_bracket

AT_HOME: Motion = (np.eye(3), np.zeros(3))


def inverse_dynamics(
    q: Array, qd: Array, qdd: Array, g: Array, f_tip: Array, Mlist: Array, Glist: Array, Slist: Array
) -> Array:
    """Joint forces tau = M(q) qdd + c(q, qd) + g(q) + J^T(q) f_tip, shape (n,) (Modern Robotics 8.50-8.54)."""
    n = len(q)
    home, V, Vd = AT_HOME, np.zeros(6), np.concatenate([np.zeros(3), -g])  # the base accelerates by -g
    outward = []
    for i in range(n):
        home = compose(home, pair(Mlist[i]))  # M_0i
        A = twist_in(inverse(home), Slist[:, i])  # A_i = Ad(M_0i^-1) S_i
        T = compose(exponential(A, -q[i]), inverse(pair(Mlist[i])))  # T_i,i-1                             8.50
        V = A * qd[i] + twist_in(T, V)  #                                                                 8.51
        Vd = twist_in(T, Vd) + lie_bracket(V, A) * qd[i] + A * qdd[i]  #                                      8.52
        outward.append((A, T, V, Vd))
    tau: list[Scalar] = [0.0] * n
    F, T = f_tip, inverse(pair(Mlist[n]))  # T_n+1,n
    for i in reversed(range(n)):
        A, T_before, V, Vd = outward[i]
        F = wrench_back(T, F) + Glist[i] @ Vd - bracket_back(V, Glist[i] @ V)  #                           8.53
        tau[i] = F @ A  #                                                                                 8.54
        T = T_before
    return np.array(tau)


def pose_from_space(M: Array, Slist: Array, q: Array) -> Array:
    """T = exp([S_1] q_1) ... exp([S_n] q_n) M, shape (4, 4) (Modern Robotics 4.14)."""
    return rigid(*compose(_product(Slist, q), pair(M)))


def pose_from_body(M: Array, Blist: Array, q: Array) -> Array:
    """T = M exp([B_1] q_1) ... exp([B_n] q_n), shape (4, 4) (Modern Robotics 4.16)."""
    return rigid(*compose(pair(M), _product(Blist, q)))


def space_jacobian(Slist: Array, q: Array) -> Array:
    """J_s, whose column i is Ad(exp([S_1] q_1) ... exp([S_i-1] q_i-1)) S_i, shape (6, n) (Modern Robotics 5.11)."""
    T, columns = AT_HOME, []
    for i in range(len(q)):
        columns.append(twist_in(T, Slist[:, i]))
        T = compose(T, exponential(Slist[:, i], q[i]))
    return np.array(columns).T


def body_jacobian(Blist: Array, q: Array) -> Array:
    """J_b, whose column i is Ad(exp(-[B_n] q_n) ... exp(-[B_i+1] q_i+1)) B_i, shape (6, n) (Modern Robotics 5.18)."""
    T, columns = AT_HOME, []
    for i in reversed(range(len(q))):
        columns.append(twist_in(T, Blist[:, i]))
        T = compose(T, exponential(Blist[:, i], -q[i]))
    return np.array(columns[::-1]).T


def body_step(M: Array, Blist: Array, goal: Array, q: Array) -> tuple[Array, Array]:
    """T_sb^-1 T_sd, whose logarithm is the remaining twist in the tip's axes, and J_b (Modern Robotics 6.2.2)."""
    here = compose(pair(M), _product(Blist, q))
    return rigid(*compose(inverse(here), pair(goal))), body_jacobian(Blist, q)


def space_step(M: Array, Slist: Array, goal: Array, q: Array) -> tuple[Array, Array]:
    """T_sd T_sb^-1, whose logarithm is the remaining twist in base axes, and J_s (Modern Robotics 6.2.2)."""
    here = compose(_product(Slist, q), pair(M))
    return rigid(*compose(pair(goal), inverse(here))), space_jacobian(Slist, q)


def _product(screws: Array, q: Array) -> Motion:
    T = AT_HOME
    for i in range(len(q)):
        T = compose(T, exponential(screws[:, i], q[i]))
    return T
