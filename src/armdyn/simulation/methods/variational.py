"""A variational integrator: the discrete Euler-Lagrange equations of the midpoint Lagrangian (Marsden and West 2001).

The action over a step of length h is approximated at its midpoint, x = (q_k + q_k+1) / 2, v = (q_k+1 - q_k) / h, by
L_d(q_k, q_k+1) = h L(x, v), and the virtual work of the forces tau over it by h tau(t + h/2, x, v) . dx (the discrete
principle of d'Alembert). A stationary action then means, with p = dL/dqd = M(q) qd the generalised momentum,

    p_k   = M(x) v - h/2 (dL/dq(x, v) + tau)      -D1 L_d, to be solved for v
    p_k+1 = M(x) v + h/2 (dL/dq(x, v) + tau)       D2 L_d
    q_k+1 = q_k + h v

with dL/dq = dK/dq - g(q). The approximation is symmetric in time, hence of second order. Without tau the step is a
symplectic map of (q, p): it keeps the energy of a nearby Lagrangian, so that the error of the energy stays bounded, of
the size h^2, however long the motion.

The first equation is implicit. Newton's method with M at a predicted midpoint in place of the derivative of its right
side, which differs from it by h/2 times rates of M and tau, gains a factor of that size with each iteration.
"""

from __future__ import annotations

from typing import Any, Protocol

from armdyn.program import maximum
from armdyn.simulation.methods.formulas import Rates, State

ITERATIONS = 6
"""Iterations of Newton's method in each step."""


class Lagrangian(Protocol):
    """The Lagrangian and the forces that a variational step evaluates."""

    def derivatives(self, q: Any, qd: Any) -> tuple[Any, Any]:
        """dL/dq, N m or N, and p = dL/dqd = M qd, N m s or N s."""

    def solve(self, q: Any, p: Any) -> Any:
        """M(q)^-1 p."""

    def joint_forces(self, t: Any, q: Any, qd: Any) -> Any:
        """All that acts from outside, as felt by the joints: tau - J^T f_tip."""


def variational(f: Lagrangian, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step of length h from t; ``first`` is f(t, q, qd), which only predicts v.

    The memory is the largest residual r of the implicit equation so far, as r . M^-1 r, twice an energy, J.
    """
    q, qd, work, worst = state
    half = h * 0.5
    p = f.derivatives(q, qd)[1]
    v = qd + half * first[0]
    predicted = q + half * v

    def midpoint(v: Any) -> tuple[Any, Any, Any]:
        """M(x) v, dL/dq(x, v) + tau, and tau."""
        x = q + half * v
        dL_dq, momentum = f.derivatives(x, v)
        tau = f.joint_forces(t + half, x, v)
        return momentum, dL_dq + tau, tau

    for _ in range(ITERATIONS):
        momentum, push, _ = midpoint(v)
        v = v - f.solve(predicted, momentum - half * push - p)
    momentum, push, tau = midpoint(v)
    residual = momentum - half * push - p
    left = (residual * f.solve(predicted, residual)).sum(axis=-1)
    q_next = q + h * v
    qd_next = f.solve(q_next, momentum + half * push)
    return q_next, qd_next, work + h * (tau * v).sum(axis=-1), maximum(worst, left)
