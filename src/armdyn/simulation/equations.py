"""What a simulation asks of the robot, as compiled functions: accelerations with power, and whole steps.

A step during which the forces are held is one function of the state: tracing the integration formula compiles all of
its stages into one call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn import algorithms
from armdyn.algorithms.declaration import Function, function
from armdyn.constraints import constrained_forward_dynamics
from armdyn.simulation import schemes
from armdyn.simulation.schemes import Formula, Rates, State


@function("(n),(n),(n),(6)?->(n),()")
def motion(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> Rates:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), and power P = tau . qd - f_tip . V_tip, W, scalar.

    Within the constraints of the robot where it has some (Modern Robotics 8.96), which do no work. P is what joints and
    surroundings put into the arm; f_tip . V_tip = (J^T f_tip) . qd (Modern Robotics 5.26, 8.81).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    if model.model.constraints:
        qdd = constrained_forward_dynamics(model, q, qd, tau, f_tip).qdd
    else:
        qdd = algorithms.forward_dynamics(model, q, qd, tau, f_tip)
    forces = tau if f_tip is None else tau - algorithms.tip_forces(model, q, f_tip)
    return qdd, forces @ qd


@function("(n),(n),(),(),(n),(6)?->(n),(n),()")
def euler_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) an Euler step of length h, s, later, with the forces held, shapes (..., n), (..., n), (...)."""
    return _with_forces_held(schemes.euler, model, (q, qd, work), h, (tau, f_tip))


@function("(n),(n),(),(),(n),(6)?->(n),(n),()")
def runge_kutta_4_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) a Runge-Kutta step of length h, s, later, the forces held, shapes (..., n), (..., n), (...)."""
    return _with_forces_held(schemes.runge_kutta_4, model, (q, qd, work), h, (tau, f_tip))


def _with_forces_held(formula: Formula, model: Any, state: State, h: Any, forces: tuple[Any, Any]) -> State:
    def f(_: Any, q: Any, qd: Any) -> Rates:
        return motion(model, q, qd, *forces)  # type: ignore[no-any-return]

    return formula(f, f(0.0, *state[:2]), 0.0, state, h)


@dataclass(frozen=True)
class Scheme:
    """An integration formula, its compiled step with the forces held, and its evaluations of the equations a step."""

    formula: Formula
    held_step: Function
    evaluations: int


EULER = Scheme(schemes.euler, euler_step, 1)
RUNGE_KUTTA_4 = Scheme(schemes.runge_kutta_4, runge_kutta_4_step, 4)
