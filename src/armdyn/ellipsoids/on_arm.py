"""Ellipsoids where they belong: on the arm, in a plane or in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.algorithms.task_rows import TaskSpaceError
from armdyn.ellipsoids.drawing import draw_ellipse, frame_picture, round_scale
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.stick_figure import draw_arm
from armdyn.plots import COLOURS, INK
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def draw_on_arm(
    robot: Robot,
    q: ArrayLike,
    ellipsoids: Ellipsoid | Sequence[Ellipsoid],
    *,
    scale: float | Sequence[float] | None = None,
    view: tuple[float, float] = (24.0, -58.0),
    title: str | None = None,
) -> Figure:
    """Ellipsoids of frames on the arm, a stick figure: in a plane where they have two coordinates, in space for three.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (n,), those the ellipsoids are of.
        ellipsoids: of `tip_force`, `tip_acceleration`, `velocity` or `force`, one or several.
        scale: m in the picture of one unit of each ellipsoid; where none is given the longest semi-axis is a third of
            the arm. The legend says which.
        view: elevation and azimuth of the eye, degrees, of a picture in space.
        title: above the picture; the robot's name where none is given.

    Raises:
        TaskSpaceError: ellipsoids of joint space, batches of them, or not of two or three coordinates.

    >>> arm, q = armdyn.load("ur5"), [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
    >>> figure = armdyn.ellipsoids.figures.draw_on_arm(arm, q, armdyn.ellipsoids.velocity(arm, q))
    >>> figure.axes[0].get_zlabel()
    'z [m]'
    """
    drawn = [ellipsoids] if isinstance(ellipsoids, Ellipsoid) else list(ellipsoids)
    sizes = {_size_on_arm(ellipsoid) for ellipsoid in drawn}
    if len(sizes) != 1:
        raise TaskSpaceError(
            f"ellipsoids of {sorted(sizes)} coordinates in one picture; draw those of two apart from those of three"
        )
    flat = sizes == {2}
    figure = Figure(figsize=(5.2, 5.0), dpi=200, layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    plane = drawn[0].directions if flat else None
    points = draw_arm(axes, robot, q, plane=plane)
    reach = float(np.linalg.norm(np.ptp(points, axis=0)))
    scales = [None] * len(drawn) if scale is None else np.broadcast_to(np.asarray(scale, dtype=float), len(drawn))
    everything = [points]
    for ellipsoid, given, colour in zip(drawn, scales, COLOURS, strict=False):
        per_unit = round_scale(reach / 3.0 / ellipsoid.lengths[0]) if given is None else float(given)
        label = f"{ellipsoid.name}: 1 {ellipsoid.unit} is {per_unit:g} m long"
        draw = draw_ellipse if flat else _draw_solid
        everything.append(draw(axes, ellipsoid, per_unit, colour, label))
    frame_picture(axes, np.concatenate(everything), plane, view)
    figure.legend(loc="outside upper right", frameon=False, fontsize=8, labelcolor=INK)
    shown = title or robot.name.replace("$", r"\$")
    figure.suptitle(shown, x=0.03, ha="left", fontsize=11, color=INK, fontweight="bold")
    return figure


def _draw_solid(axes: Any, ellipsoid: Ellipsoid, scale: float, colour: str, label: str) -> Array:
    """An ellipsoid at its place in space: a thin net, and its semi-axes."""
    directions, centre = ellipsoid.directions, ellipsoid.centre
    assert directions is not None and centre is not None  # noqa: S101, PT018 - `_size_on_arm` has looked
    longitude, latitude = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 49), np.linspace(0.0, np.pi, 25))
    ball = np.array([np.cos(longitude) * np.sin(latitude), np.sin(longitude) * np.sin(latitude), np.cos(latitude)])
    into = scale * directions @ ellipsoid.axes * ellipsoid.lengths  # poles at the shortest semi-axis
    surface = centre[:, None, None] + np.einsum("ij,jkl->ikl", into, ball)
    axes.plot_surface(*surface, color=colour, alpha=0.16, linewidth=0, shade=False)
    axes.plot_wireframe(*surface, color=colour, linewidth=0.35, alpha=0.45, rcount=9, ccount=13)
    for k, semi_axis in enumerate(into.T):
        ends = np.array([centre - semi_axis, centre + semi_axis])
        axes.plot(*ends.T, color=colour, linewidth=1.6, label=label if k == 0 else None)
    points: Array = surface.reshape(3, -1).T
    return points


def _size_on_arm(ellipsoid: Ellipsoid) -> int:
    if ellipsoid.centre is None or ellipsoid.batch or len(ellipsoid.coordinates) not in (2, 3):
        raise TaskSpaceError(
            f"{ellipsoid!r} has no place on the arm; expected one of two or three components of a frame, such as "
            "armdyn.ellipsoids.velocity(robot, q)"
        )
    return len(ellipsoid.coordinates)
