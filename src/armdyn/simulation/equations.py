"""What a simulation asks of the robot, as compiled functions: accelerations with power, and whole steps.

A step during which the forces are held is one function of the state: tracing the integration formula compiles all of
its stages into one call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.constraints import constrained_forward_dynamics
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.solving import constrained_least_squares
from armdyn.declaration import Function, function
from armdyn.robot import Robot
from armdyn.simulation import schemes
from armdyn.simulation.schemes import Formula, Rates, State
from armdyn.spatial.rotations import Array

DRIFTED = 1e-6
"""Singular values of the rows as unit vectors that count as zero in a simulation: drift makes rows that follow from
others part by as little."""

SOURCES = ("algorithms", "constraints", "simulation")


@function("(n),(n),(n),(6)?->(n),()", sources=SOURCES)
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


def motion_of(robot: Robot, redundant: Redundant) -> Callable[..., Rates]:
    """`motion` of a robot: compiled, or where its constraints may depend on each other, by least squares."""
    if redundant == "error" or not robot.model.constraints:
        return robot.compile(motion)
    return partial(_by_least_squares, robot)


def _by_least_squares(robot: Robot, q: Array, qd: Array, tau: Array, f_tip: Array | None = None) -> Rates:
    """The same as `motion`, by the singular values of A; not finite where the state is not."""
    forces = tau if f_tip is None else tau - robot.tip_forces(q, f_tip)
    shape = np.broadcast_shapes(q.shape, qd.shape, forces.shape)
    q, qd, forces = (np.broadcast_to(a, shape) for a in (q, qd, forces))
    qdd = np.full(shape, np.nan)
    fine = np.isfinite(np.concatenate([q, qd, forces], axis=-1)).all(axis=-1)
    M, A = robot.mass_matrix(q[fine]), robot.constraint_jacobian(q[fine])
    pushed = forces[fine] - robot.bias_forces(q[fine], qd[fine])
    drift = robot.constraint_drift(q[fine], qd[fine])
    if fine.any():
        qdd[fine] = constrained_least_squares(M, A, pushed, -drift, DRIFTED)[0]
    return qdd, np.einsum("...i,...i->...", forces, qd)


@function("(n),(n),(),(),(n),(6)?->(n),(n),()", sources=SOURCES)
def euler_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) an Euler step of length h, s, later, with the forces held, shapes (..., n), (..., n), (...)."""
    return _with_forces_held(schemes.euler, model, (q, qd, work), h, (tau, f_tip))


@function("(n),(n),(),(),(n),(6)?->(n),(n),()", sources=SOURCES)
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
