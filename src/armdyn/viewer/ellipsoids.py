"""Ellipsoids on a robot: inertia ellipsoids of its links, and mass, acceleration and velocity ellipsoids of its tip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from armdyn import ellipsoids
from armdyn.base.errors import ArmdynError
from armdyn.ellipsoids import Ellipsoid
from armdyn.model.inertia import Inertia
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

OF_TIP: Mapping[str, Callable[..., Ellipsoid]] = {
    "force": ellipsoids.tip_force,
    "acceleration": ellipsoids.tip_acceleration,
    "velocity": ellipsoids.velocity,
}
"""Ellipsoids of the tip by name: effective mass ("force"), accelerations by joint forces, velocities."""

COMPONENTS = (("vx", "vy", "vz"), ("vx", "vy"), ("vx", "vz"), ("vy", "vz"))
"""Components of the tip's velocity that an ellipsoid contains: all three, or two for planar arms."""

LONGEST = 0.25
"""The longest semi-axis of the tip's ellipsoid on the screen, as a fraction of the size of the robot."""

FLAT = 0.02
"""The semi-axis of a flat ellipsoid normal to its plane, as a fraction of the longest semi-axis."""


@dataclass(frozen=True, eq=False)
class Solid:
    """An ellipsoid to draw: its centre and axes as a pose, and semi-axes, m, shape (3,)."""

    T: Array
    semi_axes: Array
    description: str = ""


def inertia_ellipsoid(inertia: Inertia) -> Solid | None:
    """The homogeneous ellipsoid of a link's mass and inertia in the link's frame; None for a link without either.

    Its principal moments, m (b^2 + c^2) / 5 etc. (Modern Robotics, figure 8.5), are solved for the semi-axes: a^2 = 5
    (I_b + I_c - I_a) / (2 m).

    >>> cigar = armdyn.inertia.ellipsoid((0.1, 0.2, 0.3), mass=10.0)
    >>> sorted(inertia_ellipsoid(cigar).semi_axes.round(12).tolist())
    [0.1, 0.2, 0.3]
    """
    if not inertia.mass > 0.0:
        return None
    moments, axes = np.linalg.eigh(inertia.tensor)
    squares = 2.5 * (moments.sum() - 2.0 * moments) / inertia.mass
    semi_axes = np.sqrt(np.maximum(squares, 0.0))
    if not semi_axes.max() > 0.0:
        return None
    T = np.eye(4)
    T[:3, :3] = axes * np.sign(np.linalg.det(axes))
    T[:3, 3] = inertia.com
    return Solid(T, np.maximum(semi_axes, FLAT * semi_axes.max()))


def tip_ellipsoid(robot: Robot, q: Array, kind: str, size: float) -> Solid | str:
    """An ellipsoid of the tip in base axes, scaled to ``LONGEST`` of the robot's size; a reason if none exists.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
        kind: a key of `OF_TIP`.
        size: size of the robot, m.
    """
    if robot.tip is None:
        return f"{robot.name!r} has no tip"
    why = ""
    for components in COMPONENTS:
        try:
            result = OF_TIP[kind](robot, q, components=components)
        except ArmdynError as error:
            why = why or str(error)
            continue
        return _solid(result, size)
    return why.partition(". ")[0]


def _solid(ellipsoid: Ellipsoid, size: float) -> Solid | str:
    assert ellipsoid.directions is not None and ellipsoid.centre is not None  # noqa: S101, PT018 - those of the tip have them
    longest = float(ellipsoid.lengths[0])
    if not np.isfinite(ellipsoid.lengths).all() or not longest > 0.0:
        return "its semi-axes are not finite here"
    axes = ellipsoid.directions @ ellipsoid.axes
    lengths = LONGEST * size * ellipsoid.lengths / longest
    if axes.shape[1] == 2:
        axes = np.column_stack([axes, np.cross(axes[:, 0], axes[:, 1])])
        lengths = np.append(lengths, 0.0)
    T = np.eye(4)
    T[:3, :3] = axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])
    T[:3, 3] = ellipsoid.centre
    figures = ", ".join(f"{length:.3g}" for length in ellipsoid.lengths)
    return Solid(T, np.maximum(lengths, FLAT * lengths.max()), f"semi-axes {figures} {ellipsoid.unit}")
