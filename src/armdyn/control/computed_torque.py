"""Computed torque, also called inverse-dynamics control or feedback linearisation."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.algorithms import inverse_dynamics
from armdyn.base.scalars import Scalar
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class ComputedTorque(NamedTuple):
    """The joint forces ``tau``, and the ``integral`` of the errors a step later, rad s or m s, shape (..., n) each."""

    tau: Array
    integral: Array


@function("(n),(n),(n),(n),(n)=0,(n)=0,(n),(n),(),(n)?->(n),(n)", result=ComputedTorque, gains=("Kp", "Kd", "Ki"))
def computed_torque(
    model: Mechanism,
    q: Array,
    qd: Array,
    integral: Array,
    q_ref: Array,
    qd_ref: Array,
    qdd_ref: Array,
    Kp: Array,
    Kd: Array,
    h: Scalar,
    Ki: Array | None = None,
) -> ComputedTorque:
    """Joint forces tau = M(q) (qdd_ref + Kd de/dt + Kp e + Ki z) + h(q, qd), N m or N, shape (..., n); e = q_ref - q.

    The motion obeys d^2e/dt^2 + Kd de/dt + Kp e + Ki z = 0, z the integral of e, joint by joint (Modern Robotics
    11.35): one call of inverse dynamics, at the acceleration in the brackets. With Kd = 2 sqrt(Kp) and no Ki errors
    die out without overshoot.

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`). Rates of references that are
    left out are zero.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        integral: z, rad s or m s, shape (..., n); the controller's state, which begins at zero.
        q_ref: positions to follow, rad or m, shape (..., n).
        qd_ref: velocities to follow, rad/s or m/s, shape (..., n).
        qdd_ref: accelerations to follow, rad/s^2 or m/s^2, shape (..., n).
        Kp: proportional gain, 1/s^2, shape (..., n).
        Kd: derivative gain, 1/s, shape (..., n).
        h: the sample time, s, scalar.
        Ki: integral gain, 1/s^3, shape (..., n); without an integral if None.

    >>> loop = armdyn.ClosedLoop(armdyn.load("ur5"), armdyn.control.computed_torque)
    >>> rolled = loop(np.zeros(6), steps=1000, q_ref=np.ones(6), Kp=100.0, Kd=20.0)
    >>> bool(abs(rolled.final.q - 1.0 + 11 * np.exp(-10)).max() < 1e-4)  # e = (1 + 10 t) exp(-10 t)
    True
    """
    e = q_ref - q
    qdd = qdd_ref + scaled(Kd, qd_ref - qd) + scaled(Kp, e)
    if Ki is not None:
        qdd = qdd + scaled(Ki, integral)
    return ComputedTorque(inverse_dynamics(model, q, qd, qdd), integral + h * e)
