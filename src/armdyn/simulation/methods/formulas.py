"""The one-step integration formulas, each written once: they run on arrays of floats and of traced scalars.

The equations of motion are ``f(t, q, qd) = (qdd, P)``: accelerations, and the power of the external forces. The work
W is integrated along with the motion by the same formula, so that the energy account shows the error of the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armdyn.declaration import Shape, in_numbers
from armdyn.spatial.rotations import Array

Rates = tuple[Any, Any]
"""qdd and P."""

Equations = Callable[[Any, Any, Any], Rates]
State = tuple[Any, ...]
"""q, qd, W, and after them the memory of a formula that has one."""

Formula = Callable[[Any, Rates, Any, State, Any], State]
"""The state a step later, from the `Equations` f, f(t, q, qd), the time t, the state then, and the length h."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """An integration method with steps of one length.

    Args:
        name: of its steps, "euler".
        formula: of a step.
        order: of its error in the length of the steps.
        evaluations: of the equations of motion in a step.
        memory: names and shapes of further arrays that a step takes and returns; they are zero at t = 0.
        starter: makes the first steps of a formula that needs a past, with the same memory; those after a jump of a
            force, because rates of the past do not belong to the motion after it; and steps of another length.
        starting_steps: the number of consecutive steps of the starter.
        by_momenta: true if the formula calls `armdyn.simulation.methods.variational.MomentumEquations`.
    """

    name: str
    formula: Formula
    order: int
    evaluations: int
    memory: Mapping[str, Shape] = field(default_factory=dict)
    starter: Scheme | None = None
    starting_steps: int = 0
    by_momenta: bool = False

    @property
    def once(self) -> bool:
        """True if it evaluates the forces at the beginning of the step only."""
        return self.evaluations == 1

    def start(self, q: Array, qd: Array, *bristles: Array) -> State:
        """The state at t = 0, (q, qd, W), bristles and memory: no work is done yet, and the memory is empty."""
        batch, sizes = q.shape[:-1], {"n": q.shape[-1]}
        shapes = (tuple(in_numbers(d, sizes) for d in shape) for shape in self.memory.values())
        return (q, qd, np.zeros(batch), *bristles, *(np.zeros(batch + shape) for shape in shapes))


def euler(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One explicit Euler step of length h from t (Modern Robotics 8.5); ``first`` is f(t, q, qd)."""
    (q, qd, work), (qdd, power) = state, first
    return (
        q + qd * h,  # theta[k+1] = theta[k] + dtheta[k] dt
        qd + qdd * h,  # dtheta[k+1] = dtheta[k] + ddtheta[k] dt
        work + power * h,
    )


def semi_implicit_euler(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One semi-implicit (symplectic) Euler step: the new velocity carries the position."""
    (q, qd, work), (qdd, power) = state, first
    qd_next = qd + qdd * h
    return q + qd_next * h, qd_next, work + power * h


def constant_acceleration(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step with the acceleration held, UCL week 9, "Simulation (4)", T there being h."""
    (q, qd, work), (qdd, power) = state, first
    return (
        q + qd * h + 0.5 * qdd * (h * h),  # q_T1 = q_T0 + qd_T0 T + 1/2 qdd_T0 T^2
        qd + qdd * h,  # qd_T1 = qd_T0 + qdd_T0 T
        work + power * h,
    )


def constant_acceleration_as_printed(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step of the program UCL week 9 prints, "Example - Simulation (6)".

    Its lines update the velocity before the position, so the new velocity takes the place of the old one in the slides'
    formula: q + qd T + 3/2 qdd T^2.
    """
    (q, qd, work), (qdd, power) = state, first
    qd_next = qd + qdd * h  # qDot = qDot + qDoubleDot*T
    return q + qd_next * h + 0.5 * qdd * (h * h), qd_next, work + power * h  # q = q + qDot*T + 1/2*qDoubleDot*T^2


def heun(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step of Heun's method: an Euler step predicts, the mean of both ends' rates corrects. Second order."""
    (q, qd, work), (a1, P1), half = state, first, h * 0.5
    v2 = qd + h * a1
    a2, P2 = f(t + h, q + h * qd, v2)
    return q + half * (qd + v2), qd + half * (a1 + a2), work + half * (P1 + P2)


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
