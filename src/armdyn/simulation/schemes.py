"""The fixed-step integration formulas, each written once: they run on arrays of floats and of traced scalars.

The equations of motion are ``f(t, q, qd) = (qdd, P)``: accelerations, and the power of what acts from outside. The work
W is integrated along with the motion by the same formula, so that the energy account shows the error of the formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rates = tuple[Any, Any]
"""qdd and P."""

Equations = Callable[[Any, Any, Any], Rates]
State = tuple[Any, Any, Any]
"""q, qd and W."""

Formula = Callable[[Equations, Rates, Any, State, Any], State]


def euler(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One explicit Euler step of length h from t (Modern Robotics 8.5); ``first`` is f(t, q, qd)."""
    (q, qd, work), (qdd, power) = state, first
    return (
        q + qd * h,  # theta[k+1] = theta[k] + dtheta[k] dt
        qd + qdd * h,  # dtheta[k+1] = dtheta[k] + ddtheta[k] dt
        work + power * h,
    )


def runge_kutta_4(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One classical fourth-order Runge-Kutta step of length h from t; ``first`` is f(t, q, qd).

    With y = (q, qd, W): k1 = f(t, y), k2 = f(t + h/2, y + h/2 k1), k3 = f(t + h/2, y + h/2 k2), k4 = f(t + h, y + h k3)
    and y + h/6 (k1 + 2 k2 + 2 k3 + k4). The velocity part of k_i is v_i, its acceleration a_i, its power P_i.
    """
    (q, qd, work), half = state, h * 0.5
    v1, (a1, P1) = qd, first
    v2 = qd + half * a1
    a2, P2 = f(t + half, q + half * v1, v2)
    v3 = qd + half * a2
    a3, P3 = f(t + half, q + half * v2, v3)
    v4 = qd + h * a3
    a4, P4 = f(t + h, q + h * v3, v4)
    sixth = h * (1.0 / 6.0)
    return (
        q + sixth * (v1 + 2.0 * (v2 + v3) + v4),
        qd + sixth * (a1 + 2.0 * (a2 + a3) + a4),
        work + sixth * (P1 + 2.0 * (P2 + P3) + P4),
    )
