"""The compiled functions of a simulation: accelerations with power, and derivatives of the Lagrangian."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.quicker_method import quicker_method
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.dead_points import APPROACHING, DeadPoints
from armdyn.constraints.projection import DRIFTED, projection_of
from armdyn.constraints.redundant_under_load import least_squares_under_load, rotors_before_friction
from armdyn.constraints.rigid_motion import rigid_motion
from armdyn.constraints.solving import constrained_least_squares
from armdyn.constraints.under_load import forces_before_loads, friction_lines
from armdyn.declaration import Function, function
from armdyn.functions.robot_like import compile_for
from armdyn.robot import Robot
from armdyn.simulation.methods.formulas import Rates
from armdyn.spatial.rotations import Array

SOURCES = (
    "algorithms",
    "constraints",
    "simulation",
    *(f"simulation/{part}" for part in ("drivers", "elements", "loop", "methods", "system")),
)


@function("(n),(n),(n),(6)?->(n),()", sources=SOURCES)
def motion(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> Rates:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), and power P of all that acts on the arm, W, scalar.

    The motion is within the constraints of the robot, if any (Modern Robotics 8.96), which do no work. P = (tau -
    tau_fric) . qd - f_tip . V_tip is the power of joints and surroundings, less the power dissipated by friction; f_tip
    . V_tip = (J^T f_tip) . qd (Modern Robotics 5.26, 8.81).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    arm_motion = rigid_motion(model, q, qd, tau, f_tip, method=quicker_method(model))
    return arm_motion.qdd, arm_motion.power(model, q, qd, tau, f_tip)


@function("(n),(n),(n),(6)?->(n),(),(n)", sources=SOURCES)
def rubbing_motion(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> tuple[Any, Any, Any]:
    """`motion`, with the friction of all joints; that friction is the third result.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    arm_motion = rigid_motion(model, q, qd, tau, f_tip, method=quicker_method(model))
    return arm_motion.qdd, arm_motion.power(model, q, qd, tau, f_tip), arm_motion.friction


def rubbing_motion_of(robot: Robot, redundant: Redundant) -> Callable[..., tuple[Array, Any, Array]]:
    """`rubbing_motion` of a robot, as `motion_of`."""
    if not robot.model.constraints:
        return robot.compile(rubbing_motion)
    by_rows = robot.compile(rubbing_motion) if redundant == "error" else partial(_by_least_squares, robot)
    return through_dead_points(robot, redundant, by_rows, rubbing_motion)


def motion_of(robot: Robot, redundant: Redundant) -> Callable[..., Rates]:
    """`motion` of a robot: compiled, or if its constraints may depend on each other, by least squares."""
    if not robot.model.constraints:
        return compile_for(motion, robot)
    if redundant == "error":
        return through_dead_points(robot, redundant, compile_for(motion, robot), motion)
    by_least_squares = partial(_by_least_squares, robot)
    return through_dead_points(robot, redundant, lambda *state: by_least_squares(*state)[:2], motion)


def through_dead_points(
    robot: Robot, redundant: Redundant, by_rows: Callable[..., Any], function: Function = motion
) -> Callable[..., Any]:
    """Equations of motion whose accelerations stay on their branch at dead points (`armdyn.constraints.dead_points`).

    States of a step that approach one are put onto the constraints, off which rows have other accelerations. If
    friction depends on the load, rows alone count: the forces of constraints change the accelerations without them.

    Args:
        robot: with constraints.
        redundant: as of `armdyn.simulate`.
        by_rows: the equations within constraints: q, qd, forces to a tuple with the accelerations first.
        function: the same equations, to be compiled without constraints; not read if friction depends on the load.
    """
    points = DeadPoints(robot, redundant)
    project = projection_of(robot, redundant, points)
    free = cache(lambda: robot.without_constraints().compile(function))
    continues = not robot.mechanism.drive.depends_on_load

    def moved(q: Array, qd: Array, *forces: Any) -> tuple[Any, ...]:
        if not points.near(q, APPROACHING).any():
            return tuple(by_rows(q, qd, *forces))
        q, qd = project(*np.broadcast_arrays(q, qd))[:2]
        qdd, *others = by_rows(q, qd, *forces)
        near = points.near(q)
        if continues and near.any():
            q, qd, qdd, unbound = np.broadcast_arrays(q, qd, qdd, free()(q, qd, *forces)[0])
            qdd = qdd.copy()
            for at in np.argwhere(np.broadcast_to(near, qdd.shape[:-1]) & np.isfinite(unbound).all(axis=-1)):
                one = tuple(at)
                qdd[one] = points.continued(q[one], qd[one], qdd[one], unbound[one])
        return qdd, *others

    return moved


def _by_least_squares(
    robot: Robot, q: Array, qd: Array, tau: Array, f_tip: Array | None = None
) -> tuple[Array, Any, Array]:
    """The results of `rubbing_motion`, by the singular values of A; not finite if the state is not."""
    forces = tau if f_tip is None else tau - robot.tip_forces(q, f_tip)
    shape = np.broadcast_shapes(q.shape, qd.shape, forces.shape)
    q, qd, forces = (np.broadcast_to(a, shape) for a in (q, qd, forces))
    qdd = np.full(shape, np.nan)
    fine = np.isfinite(np.concatenate([q, qd, forces], axis=-1)).all(axis=-1)
    friction = np.full(shape, np.nan)
    if fine.any():
        qdd[fine], friction[fine] = least_squares_motion(robot, q[fine], qd[fine], forces[fine])
    return qdd, np.einsum("...i,...i->...", forces - friction, qd), friction


def least_squares_motion(robot: Robot, q: Array, qd: Array, forces: Array) -> tuple[Array, Array]:
    """Accelerations by joint forces, with those of the wrenches among them, and the friction, of states (states, n)."""
    M, A = robot.mass_matrix(q), robot.constraint_jacobian(q)
    target = -robot.constraint_drift(q, qd)
    available, h = robot.compile(forces_before_loads)(q, qd, forces)
    if not robot.mechanism.drive.depends_on_load:
        return constrained_least_squares(M, A, available - h, target, DRIFTED)[0], forces - available
    lines, rotors = partial(robot.compile(friction_lines), qd), rotors_before_friction(robot.mechanism)
    solution = least_squares_under_load(lines, rotors, M, A, available, h, target, DRIFTED)
    return solution.qdd, forces - available + solution.friction


@function("(n),(n)->(n),(n)", sources=SOURCES)
def lagrangian_derivatives(model: Any, q: Any, qd: Any) -> tuple[Any, Any]:
    """Derivatives of the Lagrangian L = K - P: by q, N m or N, and by qd, N m s or N s, shape (..., n) each.

    By q it is C^T qd - g(q) - s(q) with s of parallel springs, by qd the generalised momentum p = M qd.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    kinetic = algorithms.kinetic_energy_derivatives(model, q, qd)
    static = algorithms.gravity_forces(model, q) + algorithms.parallel_spring_forces(model, q)
    return kinetic.d_q - static, kinetic.d_qd
