"""What a simulation asks of the robot, as compiled functions: accelerations with power, and whole steps.

A step during which the forces are held is one function of the state: tracing the integration formula compiles all of
its stages into one call.
"""

from __future__ import annotations

from typing import Any

from armdyn import algorithms
from armdyn.algorithms.declaration import Function, function
from armdyn.simulation import schemes
from armdyn.simulation.schemes import Rates, Scheme, State


@function("(n),(n),(n),(6)?->(n),()")
def motion(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> Rates:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), and power P = tau . qd - f_tip . V_tip, W, scalar.

    P is what joints and surroundings put into the arm; f_tip . V_tip = (J^T f_tip) . qd (Modern Robotics 5.26, 8.81).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    qdd = algorithms.forward_dynamics(model, q, qd, tau, f_tip)
    forces = tau if f_tip is None else tau - algorithms.tip_forces(model, q, f_tip)
    return qdd, forces @ qd


@function("(n),(n),(),(),(n),(6)?->(n),(n),()")
def euler_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) after an Euler step of length h, s, with the forces held, shapes (..., n), (..., n), (...)."""
    return _held(schemes.euler, model, q, qd, work, h, tau, f_tip)


@function("(n),(n),(),(),(n),(6)?->(n),(n),()")
def runge_kutta_4_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) after a Runge-Kutta step of length h, s, with the forces held, shapes (..., n), (..., n), (...)."""
    return _held(schemes.runge_kutta_4, model, q, qd, work, h, tau, f_tip)


def _held(scheme: Scheme, model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any) -> State:
    def f(_: Any, q: Any, qd: Any) -> Rates:
        return motion(model, q, qd, tau, f_tip)  # type: ignore[no-any-return]

    return scheme(f, f(0.0, q, qd), 0.0, q, qd, work, h)


HELD_STEPS: dict[Scheme, Function] = {schemes.euler: euler_step, schemes.runge_kutta_4: runge_kutta_4_step}
"""The compiled step of each scheme."""
