"""The ellipsoids of a frame: its accelerations and velocities, and the forces on it and of it."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from armdyn.algorithms.task_rows import Components
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.joint_space import one_kind, without_constraints_only
from armdyn.ellipsoids.place import FrameComponents, svd, weighed
from armdyn.robot import Robot


def tip_force(
    robot: Robot,
    q: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = "position",
    expressed_in: str = "world",
) -> Ellipsoid:
    """The forces Lambda(q) a that give a frame all unit accelerations, N or N m (Modern Robotics 8.1.3, figure 8.4).

    Its semi-axes are the effective masses of the frame of an arm at rest, kg (or kg m^2 of moments).

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        frame: name of the frame; the tip by default.
        point: point of the frame, m, in its axes; its origin by default.
        components: "position", "orientation", some of "vx", "vy", "vz" or of "wx", "wy", "wz", or rows of six numbers
            all of one kind.
        expressed_in: axes of the components, "world" (Pinocchio's LOCAL_WORLD_ALIGNED) or "body".

    Raises:
        SingularTask: the joints cannot move the frame along all components.
        TaskSpaceError: angular and linear components together.
        UnknownName: an unknown frame, component or value of ``expressed_in``.
        Unsupported: a robot with constraints.

    >>> armdyn.ellipsoids.tip_force(armdyn.load("planar_2r"), [0.0, np.pi / 2], components=("vx", "vy"))
    <tip force ellipsoid of vx, vy: semi-axes 2, 1 N>
    """
    return _ellipsoid("tip force", robot, q, frame, point, components, expressed_in)


def tip_acceleration(
    robot: Robot,
    q: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = "position",
    expressed_in: str = "world",
) -> Ellipsoid:
    """The accelerations J M^-1 J^T(q) f that all unit forces give a frame, m/s^2 or rad/s^2 (MR, figure 8.4).

    It is flat, with semi-axes 0, if the joints cannot move the frame in some direction.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        frame, point, components, expressed_in: as for `tip_force`.

    Raises:
        TaskSpaceError, UnknownName: as for `tip_force`.

    >>> armdyn.ellipsoids.tip_acceleration(armdyn.load("planar_2r"), [0.0, np.pi / 2], components=("vx", "vy"))
    <tip acceleration ellipsoid of vx, vy: semi-axes 1, 0.5 m/s²>
    """
    return _ellipsoid("tip acceleration", robot, q, frame, point, components, expressed_in)


def velocity(
    robot: Robot,
    q: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = "position",
    expressed_in: str = "world",
) -> Ellipsoid:
    """The velocities J(q) qd that all unit joint velocities give a frame, m/s or rad/s (Modern Robotics 5.4).

    This is the manipulability ellipsoid. It is flat if the joints cannot move the frame in some direction.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        frame, point, components, expressed_in: as for `tip_force`.

    Raises:
        TaskSpaceError, UnknownName: as for `tip_force`; revolute and prismatic joints together.

    >>> armdyn.ellipsoids.velocity(armdyn.load("planar_2r"), [0.0, np.pi / 2], components=("vx", "vy"))
    <velocity ellipsoid of vx, vy: semi-axes 1.61803, 0.618034 m/s>
    """
    return _ellipsoid("velocity", robot, q, frame, point, components, expressed_in)


def force(
    robot: Robot,
    q: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = "position",
    expressed_in: str = "world",
) -> Ellipsoid:
    """The forces f that a frame can apply with joint forces |J^T(q) f| = 1, N or N m (Modern Robotics 5.4).

    Its semi-axes are the reciprocals of those of `velocity`: the arm is strong in directions in which it is slow.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        frame, point, components, expressed_in: as for `tip_force`.

    Raises:
        SingularTask: the structure itself carries some force, which is then unbounded.
        TaskSpaceError, UnknownName: as for `velocity`.

    >>> armdyn.ellipsoids.force(armdyn.load("planar_2r"), [0.0, np.pi / 2], components=("vx", "vy"))
    <force ellipsoid of vx, vy: semi-axes 1.61803, 0.618034 N>
    """
    return _ellipsoid("force", robot, q, frame, point, components, expressed_in)


_KINDS = {
    "tip force": (True, -2, "N", "N m"),
    "tip acceleration": (True, 2, "m/s²", "rad/s²"),
    "velocity": (False, 1, "m/s", "rad/s"),
    "force": (False, -1, "N", "N m"),
}
"""Flag of weighting J by the mass matrix, exponent of its singular values in the semi-axes, and their units."""


def _ellipsoid(
    kind: str,
    robot: Robot,
    q: ArrayLike,
    frame: str | None,
    point: Sequence[float],
    components: Components,
    expressed_in: str,
) -> Ellipsoid:
    is_weighed, power, linear, angular = _KINDS[kind]
    without_constraints_only(robot, kind)
    place = FrameComponents.of(robot, q, frame, point, components, expressed_in)
    if not is_weighed:
        one_kind(robot, place.moving)
    if power < 0:
        place.check_bounds()
    U, sigma, _ = svd(weighed(robot, q, place.J) if is_weighed else place.J)
    lengths = sigma ** abs(power)
    return place.ellipsoid(U, 1.0 / lengths if power < 0 else lengths, kind, linear, angular)
