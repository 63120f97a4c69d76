"""Hybrid motion-force control of an arm whose surroundings are a constraint."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.base.errors import MissingInput
from armdyn.base.scalars import Scalar
from armdyn.constraints import hybrid_forces
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class HybridMotionForce(NamedTuple):
    """The joint forces ``tau``, and the ``force_integral`` of the errors in force a step later, N s or N m s."""

    tau: Array
    force_integral: Array


@function(
    "(n),(n),(constraints),(n),(n)=0,(n)=0,(constraints),(n),(n),(),(constraints)?,(constraints)?,(constraints)?"
    "->(n),(constraints)",
    result=HybridMotionForce,
    gains=("Kp", "Kd", "Kp_force", "Ki_force"),
)
def hybrid_motion_force(
    model: Mechanism,
    q: Array,
    qd: Array,
    force_integral: Array,
    q_ref: Array,
    qd_ref: Array,
    qdd_ref: Array,
    multipliers_ref: Array,
    Kp: Array,
    Kd: Array,
    h: Scalar,
    multipliers_measured: Array | None = None,
    Kp_force: Array | None = None,
    Ki_force: Array | None = None,
) -> HybridMotionForce:
    """Joint forces that move along constraints and press against them as wanted, N m or N, shape (..., n).

    tau = M qdd_c + h + A^T (lambda_ref + Kp_force e_f + Ki_force z_f), with qdd_c the acceleration nearest to
    qdd_ref + Kd de/dt + Kp e, in the metric of M, that the constraints allow: motion
    control in the directions that the constraints leave free, force control in the others (Modern Robotics 11.61, in
    the joints' coordinates; A^T lambda is the force of the arm on the constraints, `armdyn.constraints.hybrid_forces`
    projects). e = q_ref - q, e_f = lambda_ref - lambda, z_f its integral. Without a force sensor lambda_ref comes about
    by the model alone.

    The robot must have constraints of full rank: ``robot.with_constraints``.

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`). Rates of references that are
    left out are zero.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        force_integral: z_f, N s or N m s, shape (..., constraints); the controller's state, which begins at zero.
        q_ref: positions to follow, which the constraints allow, rad or m, shape (..., n).
        qd_ref: velocities to follow, rad/s or m/s, shape (..., n).
        qdd_ref: accelerations to follow, rad/s^2 or m/s^2, shape (..., n).
        multipliers_ref: lambda_ref, desired force of the arm on each constraint, N or N m, shape (..., constraints).
        Kp: proportional gain, 1/s^2, shape (..., n).
        Kd: derivative gain, 1/s, shape (..., n).
        h: the sample time, s, scalar.
        multipliers_measured: lambda, from a force sensor, N or N m, shape (..., constraints).
        Kp_force: proportional gain of force, no unit, shape (..., constraints).
        Ki_force: integral gain of force, 1/s, shape (..., constraints).

    >>> wall = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(0.8, 0, 0))
    >>> robot = armdyn.load("planar_3r").with_constraints(wall)
    >>> q0 = robot.close_loop([0.5, 1.0, 0.3])
    >>> loop = armdyn.ClosedLoop(robot, armdyn.control.hybrid_motion_force, record=["q", "qd", "tau"])
    >>> rolled = loop(q0, steps=100, q_ref=q0, multipliers_ref=[30.0], Kp=100.0, Kd=20.0)
    >>> robot.constrained_forward_dynamics(rolled.rows.q, rolled.rows.qd, rolled.rows.tau).multipliers[-1].round(6)
    array([30.])
    """
    qdd = qdd_ref + scaled(Kd, qd_ref - qd) + scaled(Kp, q_ref - q)
    multipliers = multipliers_ref
    if multipliers_measured is None:
        if Kp_force is not None or Ki_force is not None:
            raise MissingInput("Kp_force and Ki_force need multipliers_measured")
        return HybridMotionForce(hybrid_forces(model, q, qd, qdd, multipliers), force_integral)
    e_force = multipliers_ref - multipliers_measured
    if Kp_force is not None:
        multipliers = multipliers + scaled(Kp_force, e_force)
    if Ki_force is not None:
        multipliers = multipliers + scaled(Ki_force, force_integral)
    return HybridMotionForce(hybrid_forces(model, q, qd, qdd, multipliers), force_integral + h * e_force)
