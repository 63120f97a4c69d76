"""Controllers that let an arm float: gravity and a part of its friction compensated, for torque and position servos."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms import gravity_forces, parallel_spring_forces
from armdyn.base.scalars import Scalar
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip
from armdyn.spatial.rotations import Array

SIGN_WIDTH = 0.05
"""w of the smooth sign of the compensated dry friction, rad/s or m/s."""


@function("(n),(n),(),(n),(n),(n),(n),()->(n)")
def floating_torque(
    model: Mechanism,
    q: Array,
    qd: Array,
    t: Scalar,
    viscous: Array,
    coulomb: Array,
    load: Array,
    limit: Array,
    ramp: Scalar,
) -> Array:
    """Joint forces that carry the arm and overcome a part of its friction, N m or N, shape (..., n).

    tau = r(t) clip(g(q) + b qd + (c + k |g(q)|) s, -limit, limit), with s = tanh(qd/0.05), a sign that does not jump at
    rest, and r(t) = 3 u^2 - 2 u^3, u = t/ramp up to 1. Numbers b, c and k that are smaller than the arm's friction
    leave it damped; numbers that are larger push it on.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        t: time since the start, s.
        viscous: b, N m s/rad or N s/m, shape (..., n).
        coulomb: c, N m or N, shape (..., n).
        load: k, a number without unit, shape (..., n).
        limit: largest joint force, N m or N, shape (..., n).
        ramp: time of the ramp, s, above zero.

    >>> robot, q = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> numbers = {"viscous": np.zeros(6), "coulomb": np.zeros(6), "load": np.zeros(6)}
    >>> tau = robot.compile(armdyn.control.floating_torque)
    >>> held = tau(q, np.zeros(6), 2.0, **numbers, limit=np.full(6, 1e3), ramp=1.0)
    >>> bool(np.allclose(held, robot.gravity_forces(q), rtol=0, atol=1e-12))
    True
    """
    g = gravity_forces(model, q) + parallel_spring_forces(model, q)
    demand = g + viscous * qd + (coulomb + load * abs(g)) * np.tanh(qd * (1.0 / SIGN_WIDTH))
    u = clip(t / ramp, 0.0, 1.0)
    tau: Array = (u * u * (3.0 - 2.0 * u)) * clip(demand, -limit, limit)
    return tau


@function("(n),(n),(),(n),(n),(n),(n),(),(n)->(n)")
def floating_goal(
    model: Mechanism,
    q: Array,
    qd: Array,
    t: Scalar,
    viscous: Array,
    coulomb: Array,
    load: Array,
    limit: Array,
    ramp: Scalar,
    stiffness: Array,
) -> Array:
    """Goals of position servos whose offset q_goal - q = tau/k makes the joint forces of `floating_torque`, rad or m.

    A servo without a register of torques that drives its joint by k (q_goal - q) is given the position plus tau/k.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        t: time since the start, s.
        viscous: b, N m s/rad or N s/m, shape (..., n).
        coulomb: c, N m or N, shape (..., n).
        load: k of the friction, a number without unit, shape (..., n).
        limit: largest joint force, N m or N, shape (..., n).
        ramp: time of the ramp, s, above zero.
        stiffness: k of the servos, N m/rad or N/m, above zero, shape (..., n).

    >>> robot, q = armdyn.load("planar_2r"), np.array([0.3, -0.2])
    >>> goal = robot.compile(armdyn.control.floating_goal)
    >>> words = {"viscous": np.zeros(2), "coulomb": np.zeros(2), "load": np.zeros(2), "ramp": 1.0}
    >>> offset = goal(q, np.zeros(2), 1.0, limit=np.full(2, 100.0), stiffness=np.full(2, 50.0), **words) - q
    >>> bool(np.allclose(50.0 * offset, robot.gravity_forces(q), rtol=0, atol=1e-12))
    True
    """
    tau = floating_torque.implementation(model, q, qd, t, viscous, coulomb, load, limit, ramp)
    goal: Array = q + tau / stiffness
    return goal
