"""Motions asked of a robot: inverse kinematics, rates, accelerations, tasks of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.kinematics import JointMotion, Solution
    from armdyn.robot.front_door import Robot
    from armdyn.task_space import CartesianDynamics, TaskSpace


def inverse_kinematics(robot: Robot, target: Any, q0: ArrayLike | None = None, **options: Any) -> Solution:
    """Joint positions q, rad or m, shape (..., n), that bring the tip to a pose or position, or do other tasks.

    Options and result: `armdyn.kinematics.inverse_kinematics`.

    >>> robot = armdyn.load("ur5")
    >>> robot.inverse_kinematics([0.4, 0.2, 0.3])
    <Solution for 'ur5': 1 of 1 targets met within 1e-10>
    """
    from armdyn.kinematics import inverse_kinematics  # noqa: PLC0415 - it stands on Robot

    return inverse_kinematics(robot, target, q0, **options)


def joint_rates(robot: Robot, q: ArrayLike, twist: ArrayLike, **options: Any) -> JointMotion:
    """Joint velocities qd, rad/s or m/s, shape (..., n), that give the tip a twist.

    Options and result: `armdyn.kinematics.joint_rates`.
    """
    from armdyn.kinematics import joint_rates  # noqa: PLC0415

    return joint_rates(robot, q, twist, **options)


def joint_accelerations(
    robot: Robot, q: ArrayLike, qd: ArrayLike, acceleration: ArrayLike, **options: Any
) -> JointMotion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), that give the tip's twist a rate of change.

    Options and result: `armdyn.kinematics.joint_accelerations`.
    """
    from armdyn.kinematics import joint_accelerations  # noqa: PLC0415

    return joint_accelerations(robot, q, qd, acceleration, **options)


def task_space(robot: Robot, q: ArrayLike, qd: ArrayLike, **options: Any) -> TaskSpace:
    """Task-space dynamics Lambda(q), eta(q, qd) of F = Lambda Vdot + eta, kg and N, and what goes with them.

    Lambda = (J M^-1 J^T)^-1, which is J^-T M J^-1 where J is square, and eta = Jbar^T h - Lambda Jdot qd (Modern
    Robotics 8.90, 8.91; Khatib 1987 for arms with joints to spare). tau = J^T F + N tau_0.

    Where the components are not independent there is no Lambda: that is an error, or, with ``damping``, Lambda is
    bounded. In a controller of your own call ``armdyn.algorithms.task_space``, or compile an
    `armdyn.task_space.Task`: those do not check.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        options:
            frame: name of the frame; the tip where none is given.
            point: of the frame, m, in its axes, whose velocity v is; its origin by default. Not with "space".
            components: of the frame's twist, in this order: "position", "orientation", "pose" (all six, the
            default), a sequence of "wx" ... "vz", or rows of six numbers that weigh wx, wy, wz, vx, vy, vz.
            expressed_in: "body" where not given, "space" or "world", as of `jacobian`: "world" is Pinocchio's
                LOCAL_WORLD_ALIGNED, its WORLD is "space".
            damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1: no effective mass exceeds 1 / lambda^2. 0 by
            default.
            threshold: the part of what it could be, below which a component's independence of the others counts as
            lost; 1e-6 by default, 3e-3 for float32. Without damping only.
            out: arrays for the results; workers: how many threads share a batch.

    Returns:
        An `armdyn.task_space.TaskSpace`: ``Lambda``, ``eta`` = ``mu`` + ``p``, ``J``, ``Jdot_qd``, ``Jbar``, ``N``,
        ``mobility``.

    Raises:
        SingularTask: components that the joints cannot make independently, in this configuration or in any.
        TaskSpaceError: settings that make no sense.
        UnknownName: a frame, component or way of expression that does not exist.

    >>> arm = armdyn.load("planar_2r")
    >>> feel = arm.task_space([0.0, np.pi / 2], [0.0, 0.0], components=("vx", "vy"), expressed_in="world")
    >>> feel.Lambda.round(12) + 0.0
    array([[1., 0.],
           [0., 2.]])
    """
    from armdyn.task_space import task_space  # noqa: PLC0415

    return task_space(robot, q, qd, **options)


def cartesian_dynamics(robot: Robot, q: ArrayLike, qd: ArrayLike, **options: Any) -> CartesianDynamics:
    """Cartesian mass matrix M_x(q), velocity forces V_x(q, qd), gravity forces G_x(q), kg and N.

    M_x xdd + V_x + G_x = F with the Jacobian in the axes of the end effector, xd = eJ_v qd: velocity along its axes
    whatever its orientation. The same as `task_space`, as it is written where forces along the tool are the matter.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        options: those of `task_space`; ``components="position"`` and ``expressed_in="body"`` by default.

    Raises:
        SingularTask, TaskSpaceError, UnknownName: as for `task_space`.

    >>> arm = armdyn.load("planar_2r")
    >>> M_x, V_x, G_x = arm.cartesian_dynamics([0.0, np.pi / 6], [0.0, 0.0], components=("vx", "vy"))
    >>> M_x.round(12) + 0.0  # m2 + m1 / sin(q2)^2 along the last link, m2 across it
    array([[5., 0.],
           [0., 1.]])
    """
    from armdyn.task_space import CartesianDynamics  # noqa: PLC0415

    task = robot.task_space(q, qd, **{"components": "position", **options})
    return CartesianDynamics(task.Lambda, task.mu, task.p)
