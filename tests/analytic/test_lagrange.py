"""Small arms of general build against Lagrange's equations, derived symbolically and evaluated in 40 digits.

Positions of the centres of mass and rotations of the links are written as symbols of q and differentiated: no
recursion, no twist, no cross product. tau_i = d/dt dL/dqd_i - dL/dq_i, with L = K - P.
"""

from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from oracles.states import assert_close, random_states
from oracles.trees import Part, Tree, random_tree, to_armdyn

import armdyn

mpmath.mp.dps = 50


def arm(kinds: str, parents: list[int], seed: int) -> Tree:
    """A tree with joints of the given kinds (R or P) that hang on the links of the given numbers, -1 the base."""
    grown = random_tree(seed, len(kinds), chain=True)
    parts: list[Part] = []
    for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        on = "base" if parent < 0 else f"link{parent}"
        parts.append(grown.parts[k]._replace(kind={"R": "revolute", "P": "prismatic"}[kind], parent=on))
    return Tree(grown.name, tuple(parts), tuple(p.joint for p in parts), parts[-1].name, grown.gravity)


ARMS = {
    "RR": arm("RR", [-1, 0], 31),
    "RP": arm("RP", [-1, 0], 32),
    "PR": arm("PR", [-1, 0], 33),
    "RPR": arm("RPR", [-1, 0, 1], 34),
    "RRP": arm("RRP", [-1, 0, 1], 35),
    "R(R)(P)": arm("RRP", [-1, 0, 0], 36),
}


def number(x: float) -> sp.Float:
    """All digits of x, and zeros to 40 digits behind them."""
    return sp.Float(float(x), 40)


def matrix(a: np.ndarray) -> sp.Matrix:
    return sp.Matrix(np.atleast_2d(a).shape[0] if a.ndim == 2 else 3, 3 if a.ndim == 2 else 1, [number(x) for x in a.flat])


@cache
def lagrangian_torque(name: str):  # noqa: ANN201
    """A function of q, qd, qdd that gives tau as mpf numbers."""
    tree = ARMS[name]
    n = len(tree.parts)
    q, qd, qdd = (sp.symbols(f"{s}:{n}") for s in ("q", "v", "a"))

    def rate(f: sp.Matrix) -> sp.Matrix:
        return sum((f.diff(q[i]) * qd[i] for i in range(n)), start=sp.zeros(*f.shape))

    pose = {"base": (sp.eye(3), sp.zeros(3, 1))}
    L = sp.Integer(0)
    for i, p in enumerate(tree.parts):
        R0, p0 = pose[p.parent]
        R, at, axis = R0 * matrix(p.rotation), p0 + R0 * matrix(p.position), matrix(p.axis)
        if p.kind == "revolute":
            K = sp.Matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
            R = R * (sp.eye(3) + sp.sin(q[i]) * K + (1 - sp.cos(q[i])) * K * K)
        else:
            at = at + R * axis * q[i]
        pose[p.name] = R, at
        com = at + R * matrix(p.com)
        v, Rd, m = rate(com), rate(R), number(p.mass)
        # second moment about the centre of mass: K_rot = tr(Rd S Rd^T) / 2
        S = matrix(0.5 * np.trace(p.tensor) * np.eye(3) - p.tensor)
        L += m * (v.T * v)[0] / 2 + (Rd * S * Rd.T).trace() / 2 + m * (matrix(tree.gravity).T * com)[0]
    tau = []
    for i in range(n):
        momentum = sp.diff(L, qd[i])
        rate_of_momentum = sum(sp.diff(momentum, q[j]) * qd[j] + sp.diff(momentum, qd[j]) * qdd[j] for j in range(n))
        tau.append(rate_of_momentum - sp.diff(L, q[i]))
    return sp.lambdify([*q, *qd, *qdd], tau, modules="mpmath", cse=True)


@pytest.mark.parametrize("name", ARMS)
def test_inverse_dynamics_is_lagranges(name: str) -> None:
    robot = armdyn.Robot(to_armdyn(ARMS[name]))
    s = random_states(robot.dof, 6, seed=23)
    derived = lagrangian_torque(name)
    expected = [derived(*map(mpmath.mpf, np.concatenate(x).tolist())) for x in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), np.array(expected, dtype=float))
