"""The ellipsoids of the mass matrix: joint accelerations and the joint forces that cause them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.task_rows import SingularTask, TaskSpaceError
from armdyn.base.arrays import as_plain
from armdyn.base.checks import places
from armdyn.base.errors import Unsupported
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def torque(robot: Robot, q: ArrayLike, *, joints: Sequence[str] | None = None) -> Ellipsoid:
    """The joint forces M(q) qdd of all unit joint accelerations, N m or N (Modern Robotics 8.1.3, figure 8.3).

    Semi-axes are the eigenvalues of M and lie along its eigenvectors: the arm's inertia, direction by direction.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        joints: names of the accelerating joints, in this order, with the others locked; all by default.

    Raises:
        Unsupported: a robot with constraints.
        UnknownName: a joint the robot does not have.
        TaskSpaceError: revolute and prismatic joints together.
    """
    return _of_mass_matrix("torque", 1, {"revolute": "N m", "prismatic": "N"}, robot, q, joints)


def acceleration(robot: Robot, q: ArrayLike, *, joints: Sequence[str] | None = None) -> Ellipsoid:
    """The joint accelerations M^-1(q) tau of all unit joint forces, rad/s^2 or m/s^2 (Modern Robotics, figure 8.3).

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (..., n).
        joints: names of the driven joints, in this order, with the others locked; all by default.

    Raises:
        UnknownName, TaskSpaceError: as for `torque`.

    >>> armdyn.ellipsoids.acceleration(armdyn.load("planar_2r"), [0.0, np.pi / 2])
    <acceleration ellipsoid of joint_1, joint_2: semi-axes 1.70711, 0.292893 rad/s²>
    """
    return _of_mass_matrix("acceleration", -1, {"revolute": "rad/s²", "prismatic": "m/s²"}, robot, q, joints)


def _of_mass_matrix(
    name: str, power: int, units: dict[str, str], robot: Robot, q: ArrayLike, joints: Sequence[str] | None
) -> Ellipsoid:
    """The ellipsoid of M or of M^-1, in the unit of the chosen joints' kind."""
    without_constraints_only(robot, name)
    choices = robot.joint_names
    named = choices if joints is None else joints
    chosen = places("joints", named, choices, "joint", repr(robot.name), error=TaskSpaceError)
    M = robot.mass_matrix(finite(robot, q))[..., chosen, :][..., chosen]
    unit = units[one_kind(robot, chosen)]
    eigenvalues, U = np.linalg.eigh(M)
    lengths = positive(robot, eigenvalues) if power > 0 else 1.0 / positive(robot, eigenvalues)
    return Ellipsoid.of(U, lengths, name=name, coordinates=tuple(choices[i] for i in chosen), unit=unit)


def without_constraints_only(robot: Robot, ellipsoid: str) -> None:
    """Raise Unsupported for robots with constraints, which block some of the directions."""
    if robot.model.constraints:
        names = ", ".join(constraint.name for constraint in robot.model.constraints)
        raise Unsupported(
            f"the {ellipsoid} ellipsoid of {robot.name!r} would leave out its constraints ({names}). Use mass_matrix, "
            "jacobian and acceleration_projection, with which the motions that they allow can be told; or ask the "
            f"tree that its joints alone make: armdyn.ellipsoids.{ellipsoid.replace(' ', '_')}"
            "(robot.without_constraints(), q)."
        )


def finite(robot: Robot, q: ArrayLike) -> Array:
    """q; raises an error if it contains NaN or infinity."""
    array = np.asarray(as_plain("q", q, (robot.joint_names,), repr(robot.name)))
    if array.dtype.kind == "f" and not np.isfinite(array).all():  # other types are checked by the robot
        raise TaskSpaceError("q holds NaN or infinity; an ellipsoid is one of a configuration")
    return array


def one_kind(robot: Robot, coordinates: Sequence[int]) -> str:
    """The common kind of these coordinates; raises TaskSpaceError if there is none."""
    kinds = {robot.joints[i].kind for i in coordinates}
    if len(kinds) > 1:
        listed = ", ".join(f"{robot.joint_names[i]} ({robot.joints[i].kind})" for i in coordinates)
        raise TaskSpaceError(
            f"rad and m have no common length, so an ellipsoid of {listed} has none; choose joints of one kind with "
            "joints=, or an ellipsoid of accelerations and forces of the tip, which does not measure the joints"
        )
    return kinds.pop() if kinds else "revolute"


def positive(robot: Robot, eigenvalues: Array) -> Array:
    """The eigenvalues of M; raises an error if M has no inverse."""
    singular = eigenvalues.min(axis=-1) <= 1e-14 * eigenvalues.max(axis=-1)
    if singular.any():
        text = ", ".join(f"{x:.3g}" for x in eigenvalues.reshape(-1, eigenvalues.shape[-1])[singular.ravel()][0])
        raise SingularTask(
            f"the mass matrix of {robot.name!r} is singular: eigenvalues {text}; some joint moves no inertia"
        )
    return eigenvalues
