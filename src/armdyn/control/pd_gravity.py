"""Proportional-derivative control with gravity compensation (Takegaki and Arimoto 1981)."""

from __future__ import annotations

from armdyn.algorithms import gravity_forces, parallel_spring_forces
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n),(n),(n)=0,(n),(n)->(n)", gains=("Kp", "Kd"))
def pd_gravity(model: Mechanism, q: Array, qd: Array, q_ref: Array, qd_ref: Array, Kp: Array, Kd: Array) -> Array:
    """Joint forces tau = Kp (q_ref - q) + Kd (qd_ref - qd) + g(q) + s(q), N m or N, shape (..., n).

    Each joint pulled by a spring and a damper of its own, gravity g taken away, and the
    forces s of springs in parallel with the drives. A constant q_ref is reached from
    everywhere: the energy of the springs and of the motion falls at the rate qd . Kd qd (Modern Robotics 11.4.2.2).

    A gain is a number for all joints, one for each, or a full matrix (`with_gains`). Rates of references that are
    left out are zero.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        q_ref: positions to hold or follow, rad or m, shape (..., n).
        qd_ref: velocities to follow, rad/s or m/s, shape (..., n).
        Kp: stiffness of each joint, N m/rad or N/m, shape (..., n).
        Kd: damping of each joint, N m s/rad or N s/m, shape (..., n).

    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, armdyn.control.pd_gravity)
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Kd": 20 * M}
    >>> rolled = loop(np.zeros(6), steps=3000, q_ref=np.full(6, 0.5), **gains)
    >>> bool(abs(rolled.final.q - 0.5).max() < 1e-3)
    True
    """
    tau: Array = (
        scaled(Kp, q_ref - q) + scaled(Kd, qd_ref - qd) + gravity_forces(model, q) + parallel_spring_forces(model, q)
    )
    return tau
