"""Small arms of general build against Lagrange's equations, derived symbolically and evaluated in 50 digits.

Positions of the centres of mass and rotations of the links are written as symbols of q and differentiated: no
recursion, no twist, no cross product. tau_i = d/dt dL/dqd_i - dL/dq_i, with L = K - P.
"""

from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import QQ
from sympy.polys.rings import PolyElement, ring

import armdyn
from oracles.states import assert_close, random_states
from oracles.trees import Part, Tree, random_tree, to_armdyn

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


class Coordinates:
    """Polynomials in cos q_i and sin q_i (or q_i itself), qd_i and qdd_i, with exact rational coefficients."""

    def __init__(self, revolute: list[bool]) -> None:
        names = [f"{letter}{i}" for letter in ("c", "s", "q", "v", "a") for i in range(len(revolute))]
        self.ring, *symbols = ring(names, QQ)
        n = len(revolute)
        self.revolute = revolute
        self.c, self.s, self.q, self.v, self.a = (symbols[k * n : (k + 1) * n] for k in range(5))

    def matrix(self, values: np.ndarray) -> np.ndarray:
        return np.vectorize(lambda x: self.ring(QQ(*float(x).as_integer_ratio())), otypes=[object])(values)

    def by_q(self, f: PolyElement, i: int) -> PolyElement:
        """df/dq_i, where dcos/dq = -sin and dsin/dq = cos."""
        if not self.revolute[i]:
            return f.diff(self.q[i])
        return f.diff(self.s[i]) * self.c[i] - f.diff(self.c[i]) * self.s[i]

    def rate(self, f: PolyElement) -> PolyElement:
        """df/dt."""
        terms = (self.by_q(f, i) * v + f.diff(v) * a for i, (v, a) in enumerate(zip(self.v, self.a, strict=True)))
        return sum(terms, start=self.ring(0))

    def value(self, f: PolyElement, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> mpmath.mpf:
        positions = [mpmath.mpf(x) for x in q.tolist()]
        at = [*map(mpmath.cos, positions), *map(mpmath.sin, positions), *positions, *qd.tolist(), *qdd.tolist()]
        total = mpmath.mpf(0)
        for powers, coefficient in f.terms():
            term = mpmath.mpf(coefficient.numerator) / coefficient.denominator
            for x, power in zip(at, powers, strict=True):
                term *= x**power if power else 1
            total += term
        return total


@cache
def lagranges_equations(name: str) -> tuple[Coordinates, list[PolyElement]]:
    """tau of an arm as polynomials."""
    tree = ARMS[name]
    of = Coordinates([p.kind == "revolute" for p in tree.parts])
    rates = np.vectorize(of.rate, otypes=[object])
    pose = {"base": (of.matrix(np.eye(3)), of.matrix(np.zeros(3)))}
    L = of.ring(0)
    for i, p in enumerate(tree.parts):
        R0, p0 = pose[p.parent]
        R, at, axis = R0 @ of.matrix(p.rotation), p0 + R0 @ of.matrix(p.position), of.matrix(p.axis)
        if p.kind == "revolute":
            x, y, z = p.axis
            K = of.matrix(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
            R = R @ (of.matrix(np.eye(3)) + K * of.s[i] + (K @ K) * (1 - of.c[i]))
        else:
            at = at + R @ axis * of.q[i]
        pose[p.name] = R, at
        com = at + R @ of.matrix(p.com)
        v, Rd, m = rates(com), rates(R), of.matrix(p.mass)[()]
        S = of.matrix(0.5 * np.trace(p.tensor) * np.eye(3) - p.tensor)  # second moment about the centre of mass
        L += ((v @ v) * m + np.trace(Rd @ S @ Rd.T)) * QQ(1, 2) + (of.matrix(tree.gravity) @ com) * m
    return of, [of.rate(L.diff(of.v[i])) - of.by_q(L, i) for i in range(len(tree.parts))]


@pytest.mark.short_run("RR", "RP", "PR")
@pytest.mark.parametrize("name", ARMS)
def test_inverse_dynamics_is_lagranges(name: str) -> None:
    robot = armdyn.Robot(to_armdyn(ARMS[name]))
    s = random_states(robot.dof, 6, seed=23)
    of, equations = lagranges_equations(name)
    expected = [[of.value(f, *state) for f in equations] for state in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), np.array(expected, dtype=float))
