"""Proportional-integral-derivative control of every joint by itself."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.base.scalars import Scalar
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class PID(NamedTuple):
    """The joint forces ``tau``, and the ``integral`` of the errors a step later, rad s or m s, shape (..., n) each."""

    tau: Array
    integral: Array


@function("(n),(n),(n),(n),(n)=0,(n),(n),(n),()->(n),(n)", result=PID, gains=("Kp", "Ki", "Kd"))
def pid(
    model: Mechanism,
    q: Array,
    qd: Array,
    integral: Array,
    q_ref: Array,
    qd_ref: Array,
    Kp: Array,
    Ki: Array,
    Kd: Array,
    h: Scalar,
) -> PID:
    """Joint forces tau = Kp e + Ki z + Kd de/dt with e = q_ref - q, N m or N, shape (..., n); z is the integral of e.

    The controller has no model of the arm (Modern Robotics 11.4.2.1). z is a state: z[k+1] = z[k] + h e[k].

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`). Rates of references that are
    left out are zero.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        integral: z, rad s or m s, shape (..., n); the controller's state, which begins at zero.
        q_ref: positions to follow, rad or m, shape (..., n).
        qd_ref: velocities to follow, rad/s or m/s, shape (..., n).
        Kp: proportional gain, N m/rad or N/m, shape (..., n).
        Ki: integral gain, N m/(rad s) or N/(m s), shape (..., n).
        Kd: derivative gain, N m s/rad or N s/m, shape (..., n).
        h: the sample time, s, scalar.

    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, armdyn.control.pid)
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Ki": 100 * M, "Kd": 20 * M}
    >>> rolled = loop(np.zeros(6), steps=8000, q_ref=np.full(6, 0.5), **gains)
    >>> bool(abs(rolled.final.q - 0.5).max() < 1e-3)
    True
    """
    e = q_ref - q
    return PID(scaled(Kp, e) + scaled(Ki, integral) + scaled(Kd, qd_ref - qd), integral + h * e)
