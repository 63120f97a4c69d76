"""A variational integrator: the discrete Euler-Lagrange equations of the midpoint Lagrangian (Marsden and West 2001).

The action over a step of length h is approximated at its midpoint, x = (q_k + q_k+1) / 2, v = (q_k+1 - q_k) / h, by
L_d(q_k, q_k+1) = h L(x, v), and the virtual work of the forces tau over it by h tau(t + h/2, x, v) . dx (the discrete
principle of d'Alembert). A stationary action then means, with p = dL/dqd = M(q) qd the generalised momentum and its
rate pd = dL/dq + tau,

    p_k   = M(x) v - h/2 pd(x, v)      -D1 L_d, to be solved for v
    p_k+1 = M(x) v + h/2 pd(x, v)       D2 L_d
    q_k+1 = q_k + h v

with dL/dq = dK/dq - g(q). The approximation is symmetric in time, hence of second order. Without tau the step is a
symplectic map of (q, p): it keeps the energy of a nearby Lagrangian, so that the error of the energy stays bounded, of
the size h^2, however long the motion.

The first equation is implicit. Newton's method with M at a predicted midpoint in place of the derivative of its right
side, which differs from it by h/2 times rates of M and tau, gains a factor of that size with each iteration.

Forces of constraints, of joints at rest and of barriers are part of pd by the accelerations: pd = M a + dM/dt qd. What
they hold moves by the error of a step, of the order h^3, and is put back after it.
"""

from __future__ import annotations

from typing import Any, Protocol

from armdyn.program import maximum
from armdyn.simulation.methods.formulas import Rates, State

ITERATIONS = 6
"""Iterations of Newton's method in each step."""


class MomentumEquations(Protocol):
    """The equations of motion by generalised momenta, which a variational step evaluates."""

    def momenta(self, x: Any, v: Any) -> Any:
        """p = dL/dv = M v, N m s or N s."""

    def rates_of_momenta(self, t: Any, x: Any, v: Any) -> tuple[Any, Any, Any]:
        """p; dp/dt, N m or N; and the power of the forces, W."""

    def velocities(self, x: Any, p: Any) -> Any:
        """M(x)^-1 p."""


def variational(f: MomentumEquations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step of length h from t; ``first`` is f(t, q, qd), which only predicts v.

    The memory is the largest residual r of the implicit equation so far, as r . M^-1 r, twice an energy, J.
    """
    q, qd, work, worst = state
    half = h * 0.5
    p = f.momenta(q, qd)
    v = qd + half * first[0]
    predicted = q + half * v
    for _ in range(ITERATIONS):
        momentum, push, _ = f.rates_of_momenta(t + half, q + half * v, v)
        v = v - f.velocities(predicted, momentum - half * push - p)
    momentum, push, power = f.rates_of_momenta(t + half, q + half * v, v)
    residual = momentum - half * push - p
    size = (residual * f.velocities(predicted, residual)).sum(axis=-1)
    q_next = q + h * v
    qd_next = f.velocities(q_next, momentum + half * push)
    return q_next, qd_next, work + h * power, maximum(worst, size)
