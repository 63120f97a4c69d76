"""The parts of the equations of motion: M, c, g, friction, Christoffel symbols, Coriolis and centrifugal matrices."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from sympy import QQ
from sympy.polys.rings import PolyElement

from armdyn.base.threads import cached_property
from armdyn.derivation.algebra import Algebra
from armdyn.spatial.rotations import Array


class Structure:
    """The parts of joint forces tau(q, qd, qdd), as arrays of polynomials.

    Args:
        algebra: the ring of the arm.
        tau: the joint forces, shape (n,).
    """

    def __init__(self, algebra: Algebra, tau: Array) -> None:
        self.algebra, self.tau = algebra, tau

    @cached_property
    def M(self) -> Array:
        """The mass matrix, the coefficients of qdd, shape (n, n)."""
        return self._array(lambda f, j: self.algebra.coefficient(f, qdd={j: 1}))

    @cached_property
    def g(self) -> Array:
        """Forces of gravity and of springs, the part of tau without rates, shape (n,)."""
        return np.array([self.algebra.coefficient(f) for f in self.tau], dtype=object)

    @cached_property
    def centrifugal(self) -> Array:
        """The coefficients of qd_j^2, shape (n, n): C of the configuration-space form."""
        return self._array(lambda f, j: self.algebra.coefficient(f, qd={j: 2}))

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of joints j < k, in the order of the columns of the Coriolis matrix B."""
        return list(itertools.combinations(range(self.algebra.size), 2))

    @cached_property
    def coriolis(self) -> Array:
        """The coefficients of qd_j qd_k, shape (n, n (n - 1) / 2): B of the configuration-space form."""
        result = self.algebra.zeros(self.algebra.size, len(self.pairs))
        for i, f in enumerate(self.tau):
            for column, (j, k) in enumerate(self.pairs):
                result[i, column] = self.algebra.coefficient(f, qd={j: 1, k: 1})
        return result

    @cached_property
    def c(self) -> Array:
        """Coriolis and centrifugal forces, shape (n,): V of the state-space form."""
        return np.asarray(self.centrifugal_forces + self.coriolis_forces)

    @cached_property
    def centrifugal_forces(self) -> Array:
        """The terms of c with qd_j^2, shape (n,)."""
        return np.asarray(self.centrifugal @ np.array([x * x for x in self.algebra.qd], dtype=object))

    @cached_property
    def coriolis_forces(self) -> Array:
        """The terms of c with qd_j qd_k, shape (n,)."""
        qd = self.algebra.qd
        products = [qd[j] * qd[k] for j, k in self.pairs]
        if not products:
            return self.algebra.zeros(self.algebra.size)
        return np.asarray(self.coriolis @ np.array(products, dtype=object))

    @cached_property
    def friction(self) -> Array:
        """Friction forces, the rest of tau, N m or N, shape (n,)."""
        return np.asarray(self.tau - self.M @ np.array(self.algebra.qdd, dtype=object) - self.c - self.g)

    @cached_property
    def christoffel(self) -> Array:
        """Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, Modern Robotics 8.17, shape (n, n, n)."""
        n, M, d = self.algebra.size, self.M, self.algebra.by_q
        slopes = [[[d(M[i, j], k) for k in range(n)] for j in range(n)] for i in range(n)]
        result = self.algebra.zeros(n, n, n)
        for i, j, k in itertools.product(range(n), repeat=3):
            result[i, j, k] = (slopes[i][j][k] + slopes[i][k][j] - slopes[j][k][i]) * QQ(1, 2)
        return result

    @cached_property
    def C(self) -> Array:
        """The Coriolis matrix C_ij = sum_k Gamma_ijk qd_k, Modern Robotics 8.19, shape (n, n)."""
        return np.asarray(self.christoffel @ np.array(self.algebra.qd, dtype=object))

    @cached_property
    def M_dot(self) -> Array:
        """The rate of the mass matrix, shape (n, n)."""
        return self.algebra.rates(self.M)

    def _array(self, entry: Callable[[PolyElement, int], PolyElement]) -> Array:
        result = self.algebra.zeros(self.algebra.size, self.algebra.size)
        for i, f in enumerate(self.tau):
            for j in range(self.algebra.size):
                result[i, j] = entry(f, j)
        return result
