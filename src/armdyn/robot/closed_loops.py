"""What is asked of a robot with constraints, checked state by state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.constraints.actuators import DrivenForces
    from armdyn.constraints.dynamics import ConstrainedMotion
    from armdyn.constraints.rank import ConstraintRank
    from armdyn.robot.front_door import Robot
    from armdyn.spatial.rotations import Array


def constrained_forward_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *wrenches: Any, **options: Any
) -> ConstrainedMotion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, and multipliers lambda, N or N m, of a robot with constraints.

    Open loops, velocities that leave the constraints, and rows that depend on each other are looked for. Arguments,
    options and result: `armdyn.constraints.checked_forward_dynamics`. The compiled function behind it,
    for constraints of full rank, is ``robot.compile(armdyn.constraints.constrained_forward_dynamics)``.
    """
    from armdyn.constraints import checked_forward_dynamics  # noqa: PLC0415

    return checked_forward_dynamics(robot, q, qd, tau, *wrenches, **options)


def constrained_inverse_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *forces: Any, **options: Any
) -> Array:
    """Joint forces tau = M(q) qdd + h(q, qd) + A^T(q) lambda, N m or N, shape (..., n).

    Open loops, and velocities and accelerations that leave the constraints, are looked for.
    Arguments, options and errors: `armdyn.constraints.checked_inverse_dynamics`. The compiled function
    behind it, which checks nothing, is ``robot.compile(armdyn.constraints.constrained_inverse_dynamics)``.
    """
    from armdyn.constraints import checked_inverse_dynamics  # noqa: PLC0415

    return checked_inverse_dynamics(robot, q, qd, qdd, *forces, **options)


def hybrid_forces(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, multipliers: ArrayLike, **options: Any
) -> Array:
    """Joint forces tau for a wanted motion and wanted constraint forces, N m or N, shape (..., n).

    Open loops, velocities that leave the constraints, and rows that depend on each other are looked for.
    Arguments, options and errors: `armdyn.constraints.checked_hybrid_forces`. The compiled function
    behind it, which checks nothing, is ``robot.compile(armdyn.constraints.hybrid_forces)``.
    """
    from armdyn.constraints import checked_hybrid_forces  # noqa: PLC0415

    return checked_hybrid_forces(robot, q, qd, qdd, multipliers, **options)


def force_projection(robot: Robot, q: ArrayLike, **options: Any) -> Array:
    """Projection P(q) of joint forces onto those that move the robot, of N m or N alike, shape (..., n, n).

    Open loops, and rows that depend on each other, are looked for.
    Arguments, options and errors: `armdyn.constraints.checked_force_projection`. The compiled function
    behind it, which checks nothing, is ``robot.compile(armdyn.constraints.force_projection)``.
    """
    from armdyn.constraints import checked_force_projection  # noqa: PLC0415

    return checked_force_projection(robot, q, **options)


def acceleration_projection(robot: Robot, q: ArrayLike, **options: Any) -> Array:
    """Projection P_qdd(q) of accelerations onto those the constraints allow, of rad or m alike, shape (..., n, n).

    Open loops, and rows that depend on each other, are looked for.
    Arguments, options and errors: `armdyn.constraints.checked_acceleration_projection`. The compiled function
    behind it, which checks nothing, is ``robot.compile(armdyn.constraints.acceleration_projection)``.
    """
    from armdyn.constraints import checked_acceleration_projection  # noqa: PLC0415

    return checked_acceleration_projection(robot, q, **options)


def actuator_forces(robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Any) -> DrivenForces:
    """Joint forces tau, N m or N, of the actuated joints alone that move a closed mechanism, shape (..., n).

    Arguments, options and result: `armdyn.constraints.actuator_forces`.
    """
    from armdyn.constraints import actuator_forces  # noqa: PLC0415

    return actuator_forces(robot, q, qd, qdd, **options)


def constraint_rank(robot: Robot, q: ArrayLike, **options: Any) -> ConstraintRank:
    """How many constraints say something of their own at a state, and which follow from which.

    Options and result: `armdyn.constraints.constraint_rank`.
    """
    from armdyn.constraints import constraint_rank  # noqa: PLC0415

    return constraint_rank(robot, q, **options)


def close_loop(robot: Robot, q: ArrayLike, **options: Any) -> Array:
    """Joint positions q, rad or m, shape (..., n), near a guess, at which all constraints hold.

    Options: `armdyn.constraints.close_loop`.
    """
    from armdyn.constraints import close_loop  # noqa: PLC0415

    return close_loop(robot, q, **options)


def close_velocities(robot: Robot, q: ArrayLike, qd: ArrayLike, **options: Any) -> Array:
    """Joint velocities qd, rad/s or m/s, shape (..., n), nearest to given ones, that the constraints allow.

    Options: `armdyn.constraints.close_velocities`.
    """
    from armdyn.constraints import close_velocities  # noqa: PLC0415

    return close_velocities(robot, q, qd, **options)


def close_accelerations(robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Any) -> Array:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), nearest to given ones, that the constraints allow.

    Options: `armdyn.constraints.close_accelerations`.
    """
    from armdyn.constraints import close_accelerations  # noqa: PLC0415

    return close_accelerations(robot, q, qd, qdd, **options)


def constraint_wrench(robot: Robot, q: ArrayLike, multipliers: ArrayLike, **options: Any) -> Array:
    """Wrench (m, f) of a frame on the constraints, N m and N, shape (..., 6): F = J^-T A^T lambda.

    Options: `armdyn.constraints.constraint_wrench`.
    """
    from armdyn.constraints import constraint_wrench  # noqa: PLC0415

    return constraint_wrench(robot, q, multipliers, **options)


def multipliers_of_wrench(robot: Robot, q: ArrayLike, wrench: ArrayLike, **options: Any) -> Array:
    """Multipliers lambda, N or N m, shape (..., constraints), of a wrench of a frame against the constraints.

    Options: `armdyn.constraints.multipliers_of_wrench`.
    """
    from armdyn.constraints import multipliers_of_wrench  # noqa: PLC0415

    return multipliers_of_wrench(robot, q, wrench, **options)
