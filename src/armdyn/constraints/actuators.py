"""Forces of the actuators of a closed mechanism whose other joints are passive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import per_joint
from armdyn.base.errors import Unsupported
from armdyn.constraints import dynamics
from armdyn.constraints.arguments import (
    CLOSED,
    RANK_TOLERANCE,
    ConstrainedRobot,
    coordinates,
    finite,
    indices,
    rank_tolerance_of,
    state_name,
    tolerance_of,
)
from armdyn.constraints.checks import check_motion
from armdyn.constraints.errors import ConstraintError
from armdyn.constraints.redundant_under_load import rotors_before_friction
from armdyn.constraints.under_load import coordinates_under_load, forces_before_loads, friction_of_available
from armdyn.functions.robot_like import compile_for
from armdyn.spatial.rotations import Array


class DrivenForces(NamedTuple):
    """Forces that drive a mechanism.

    Args:
        tau: joint forces, N m or N, shape (..., n); zero at the joints that are not actuated.
        multipliers: lambda, N or N m, shape (..., constraints).
    """

    tau: Array
    multipliers: Array


def actuator_forces(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    actuated: Iterable[str],
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
) -> DrivenForces:
    """Joint forces tau, N m or N, with which the actuated joints alone move a closed mechanism, shape (..., n).

    The passive joints have no drive force, so that their rows of M qdd + h + A^T lambda = tau give lambda, and the
    others the forces of the actuators. With more actuators than freedoms, the result is the forces with the least sum
    of squares. Friction of passive joints acts on their links only, and includes the part that depends on the load.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations that the constraints allow, rad/s^2 or m/s^2, shape (..., n); `close_accelerations`
            finds them.
        actuated: names of the driven joints.
        tolerance: of phi, A qd and A qdd + Adot qd, as for `constrained_forward_dynamics`; the last for each unit of
            the greatest acceleration above one.
        rank_tolerance: singular values of A below this part of the greatest count as zero.

    Raises:
        OpenLoop, InconsistentMotion: a state or motion that the constraints do not allow.
        ConstraintError: actuators that cannot give this motion: too few, or at a singular state; an invalid tolerance.
        Unsupported: more actuators than freedoms if friction of one of them depends on the load, so that their forces
            are not linear in lambda; or such friction of joints that are coupled or turn rotors that are bodies.
        UnknownName: a joint the robot does not have.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> q, qd = [-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0]
    >>> arm.actuator_forces(q, qd, [0.0, -2 / np.sqrt(3)], actuated=["joint_1"]).tau.round(4) + 0.0
    array([-0.5774,  0.    ])
    """
    tolerance, rank_tolerance = tolerance_of(tolerance), rank_tolerance_of(rank_tolerance)
    driven = coordinates(robot, "actuated", actuated)
    if not driven:
        raise ConstraintError(
            f"actuated={actuated!r} names no joint that drives {robot.name!r}; name some of "
            f"{', '.join(robot.joint_names)}"
        )
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    check_motion(robot, tolerance, q_, qd_, qdd_)
    passive = [i for i in range(robot.dof) if i not in driven]
    under_load = robot.mechanism.drive.depends_on_load
    loaded = coordinates_under_load(robot.mechanism).values() if under_load else ()
    lossy = [robot.joint_names[i] for i in driven if i in loaded]
    inverse = compile_for(dynamics.constrained_inverse_dynamics, robot)
    forces = _lacking(robot, q_, qd_, qdd_) if under_load else np.asarray(inverse(q_, qd_, qdd_))
    A = np.asarray(robot.constraint_jacobian(q_))
    tau, multipliers = np.full_like(forces, np.nan), np.full(A.shape[:-1], np.nan)  # NaN in, NaN out
    for index in indices(finite(forces) & finite(A).all(axis=-1)):
        r, rows = forces[index], A[index]
        least = rank_tolerance * float(np.linalg.norm(rows, 2))  # of whole rows: passive joints may move none of them
        y, spare = _from_passive(rows[:, passive].T, -r[passive], least)
        missing = rows[:, passive].T @ y + r[passive]
        scale = max(1.0, float(np.abs(r).max()))
        if passive and np.abs(missing).max() > tolerance * scale:
            worst = passive[int(np.abs(missing).argmax())]
            unit = "N" if robot.model.coordinates[worst].kind == "prismatic" else "N m"
            raise ConstraintError(
                f"the actuators {', '.join(robot.joint_names[i] for i in driven)} of {robot.name!r} cannot give qdd"
                f"{state_name(index)}: passive joint {robot.joint_names[worst]!r} would have to carry "
                f"{np.abs(missing).max():.6g} {unit}. The mechanism has more freedoms "
                "than actuators there, or is singular."
            )
        along = rows[:, driven].T @ spare
        if lossy and np.linalg.matrix_rank(along, rank_tolerance * np.abs(rows).max()):
            raise Unsupported(
                f"the actuators {', '.join(robot.joint_names[i] for i in driven)} of {robot.name!r} are more than its "
                f"freedoms{state_name(index)}, and friction of {', '.join(lossy)} depends on the load: which of their "
                "forces have the least sum of squares is not known then. Name fewer of them, or ask "
                "robot.without_friction()"
            )
        y = y - spare @ _least_solution(along, r[driven] + rows[:, driven].T @ y, least)
        multipliers[index], tau[index] = y, 0.0
        tau[index][driven] = r[driven] + rows[:, driven].T @ y
    if under_load:
        solved = finite(multipliers)[..., None]
        tau[..., driven] = np.where(solved, inverse(q_, qd_, qdd_, multipliers), np.nan)[..., driven]
    return DrivenForces(tau, multipliers)


def _lacking(robot: ConstrainedRobot, q: Array, qd: Array, qdd: Array) -> Array:
    """M qdd + h of the links, less the loads of joints without drive force: the forces that constraints must provide.

    Such a load l is one with l + f(qd, l) + a qdd + d = 0, with a rotor a and the other friction d.
    """
    rotors = rotors_before_friction(robot.mechanism)
    without_rubbing, h = compile_for(forces_before_loads, robot)(q, qd, np.zeros(robot.dof))
    available = without_rubbing - rotors * qdd
    loads = available - compile_for(friction_of_available, robot)(available, qd)[0]
    moving = np.einsum("...ij,...j->...i", robot.mass_matrix(q), qdd) - rotors * qdd
    return np.asarray(moving + h - loads)


def _from_passive(C: Array, b: Array, least: float) -> tuple[Array, Array]:
    """The least-norm least-squares solution y of C y = b, and the null directions of C.

    Singular values up to ``least`` count as zero.
    """
    if not len(C):
        return np.zeros(C.shape[1]), np.eye(C.shape[1])
    U, s, Vt = np.linalg.svd(C)
    rank = int(np.count_nonzero(s > least))
    return Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank]), Vt[rank:].T


def _least_solution(C: Array, b: Array, least: float) -> Array:
    """The least-norm least-squares solution y of C y = b; singular values up to ``least`` count as zero."""
    U, s, Vt = np.linalg.svd(C, full_matrices=False)
    nonzero = s > least
    y: Array = Vt[nonzero].T @ ((U[:, nonzero].T @ b) / s[nonzero])
    return y
