"""Feedforward of a motion through flexible joints, with feedback of the motors."""

from __future__ import annotations

from armdyn.actuators import flexible_inverse_dynamics
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n),(n),(n)=0,(n)=0,(n)=0,(n)=0,(n),(n)->(n)", gains=("Kp", "Kd"))
def flexible_feedforward(
    model: Mechanism,
    theta: Array,
    thetad: Array,
    q_ref: Array,
    qd_ref: Array,
    qdd_ref: Array,
    jerk_ref: Array,
    snap_ref: Array,
    Kp: Array,
    Kd: Array,
) -> Array:
    """Motor forces tau = tau_d + Kp (theta_d - theta) + Kd (thetad_d - thetad), N m or N, shape (..., n).

    theta_d, thetad_d and tau_d are those of `flexible_inverse_dynamics` for the motion wanted (De Luca 2000). Without
    errors the links follow it exactly, and the feedback of the rotors, which motors measure, adds nothing.

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`). Rates of references that are
    left out are zero.

    Args:
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        q_ref: positions of the links to follow, rad or m, shape (..., n).
        qd_ref: their velocities, rad/s or m/s, shape (..., n).
        qdd_ref: their accelerations, rad/s^2 or m/s^2, shape (..., n).
        jerk_ref: the rate of these, rad/s^3 or m/s^3, shape (..., n).
        snap_ref: the rate of the jerk, rad/s^4 or m/s^4, shape (..., n).
        Kp: stiffness of each motor's control, N m/rad or N/m, shape (..., n).
        Kd: its damping, N m s/rad or N s/m, shape (..., n).

    Raises:
        TraceError: a robot with damped springs, whose rotors the motion of the links alone does not place.
    """
    reference = flexible_inverse_dynamics(model, q_ref, qd_ref, qdd_ref, jerk_ref, snap_ref)
    tau: Array = reference.tau + scaled(Kp, reference.theta - theta) + scaled(Kd, reference.thetad - thetad)
    return tau
