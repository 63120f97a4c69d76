"""Ellipsoids drawn at their frames on the arm, in a plane or in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.algorithms.task_rows import TaskSpaceError
from armdyn.base.checks import joint_array
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.place import fingerprint
from armdyn.plots.drawing import draw_ellipse, fill_figure, frame_picture, round_scale
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size, sheet_of
from armdyn.plots.stick_figure import draw_arm
from armdyn.plots.style import COLOURS, INK, new_figure
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

SAME_STATE = 1e-9
"""Configurations closer than this, rad or m, count as equal."""


class ForeignEllipsoid(TaskSpaceError):
    """An ellipsoid of another arm or configuration than those in the picture."""


def draw_on_arm(
    robot: Robot,
    q: ArrayLike,
    ellipsoids: Ellipsoid | Sequence[Ellipsoid],
    *,
    scale: float | Sequence[float] | None = None,
    view: tuple[float, float] = (24.0, -58.0),
    title: str | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Ellipsoids of frames on a stick figure of the arm: in a plane for two coordinates, in space for three.

    Args:
        robot: the arm.
        q: joint positions of the ellipsoids, rad or m, shape (n,).
        ellipsoids: results of `armdyn.ellipsoids.tip_force`, `tip_acceleration`, ``velocity`` or ``force``, one or
            several.
        scale: length in the picture of one unit of each ellipsoid, m; by default the longest semi-axis is a third of
            the arm. The legend shows the scale.
        view: elevation and azimuth of the eye, degrees, of a picture in space.
        title: title above the picture; by default the robot's name.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        SettingError: another size or palette.
        TaskSpaceError: no ellipsoids, those of joint space, batches of them, or not of two or three coordinates.
        ForeignEllipsoid: an ellipsoid of another robot, or of another q. For a robot with constraints they belong to
            ``robot.without_constraints()``.

    >>> arm, q = armdyn.load("ur5"), [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
    >>> figure = armdyn.plots.draw_on_arm(arm, q, armdyn.ellipsoids.velocity(arm, q))
    >>> figure.axes[0].get_zlabel()
    'z [m]'
    """
    drawn = [ellipsoids] if isinstance(ellipsoids, Ellipsoid) else list(ellipsoids)
    if not drawn:
        raise TaskSpaceError("no ellipsoids to draw; give one or several, such as armdyn.ellipsoids.velocity(robot, q)")
    for ellipsoid in drawn:
        _check_it_belongs(ellipsoid, robot, q)
    sizes = {_size_on_arm(ellipsoid) for ellipsoid in drawn}
    if len(sizes) != 1:
        raise TaskSpaceError(
            f"ellipsoids of {sorted(sizes)} coordinates in one picture; draw those of two apart from those of three"
        )
    flat = sizes == {2}
    figure = new_figure(5.2, 5.0, constrained=flat)
    axes: Any = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    plane = drawn[0].directions if flat else None
    to = [(e.frame, e.centre) for e in drawn if e.frame is not None and e.centre is not None]
    points = draw_arm(axes, robot, q, plane=plane, to=to)
    reach = float(np.linalg.norm(np.ptp(points, axis=0)))
    scales = [None] * len(drawn) if scale is None else np.broadcast_to(np.asarray(scale, dtype=float), len(drawn))
    everything = [points]
    for ellipsoid, values, colour in zip(drawn, scales, COLOURS, strict=False):
        per_unit = round_scale(reach / 3.0 / ellipsoid.lengths[0]) if values is None else float(values)
        label = f"{ellipsoid.name}: 1 {_per_unit(ellipsoid)} is {per_unit:g} m long"
        draw = draw_ellipse if flat else _draw_solid
        everything.append(draw(axes, ellipsoid, per_unit, colour, label))
    frame_picture(axes, np.concatenate(everything), plane, view)
    figure.legend(loc="outside upper right" if flat else "upper right", frameon=False, fontsize=8, labelcolor=INK)
    text = title or robot.name.replace("$", r"\$")
    figure.suptitle(text, x=0.03, y=0.98, ha="left", va="top", fontsize=11, color=INK, fontweight="bold")
    adapted(figure, size, palette)
    if not flat:
        fill_figure(figure, axes, above=(0.2 + 0.18 * len(drawn)) * sheet_of(size, palette).scale)
    return figure


def _draw_solid(axes: Any, ellipsoid: Ellipsoid, scale: float, colour: str, label: str) -> Array:
    """Draw an ellipsoid at its position in space: a wire frame and its semi-axes."""
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


MASSES = {"N": "kg", "N m": "kg m²"}
"""The units of a tip force's semi-axes, for an acceleration of 1 m/s² or 1 rad/s²."""


def _per_unit(ellipsoid: Ellipsoid) -> str:
    """The unit of semi-axes in pictures: that of masses for forces that cause unit accelerations."""
    return MASSES.get(ellipsoid.unit, ellipsoid.unit) if ellipsoid.name == "tip force" else ellipsoid.unit


def _check_it_belongs(ellipsoid: Ellipsoid, robot: Robot, q: ArrayLike) -> None:
    """Raise ForeignEllipsoid for an ellipsoid of another arm or configuration than the drawn ones."""
    if ellipsoid.batch:
        return  # has no position; refused later for that reason
    if ellipsoid.arm is not None and ellipsoid.arm != fingerprint(robot):
        raise ForeignEllipsoid(f"{ellipsoid!r} is of another arm than {robot.name!r}, on which it would be drawn")
    drawn = joint_array(robot, "q", q, None, "rad or m")
    if ellipsoid.q is not None and drawn.shape == ellipsoid.q.shape:
        far = float(np.abs(ellipsoid.q - drawn).max())
        if not far <= SAME_STATE:
            raise ForeignEllipsoid(
                f"{ellipsoid!r} is of q = {np.array2string(ellipsoid.q, precision=6)}, not of the configuration drawn, "
                f"q = {np.array2string(drawn, precision=6)}"
            )


def _size_on_arm(ellipsoid: Ellipsoid) -> int:
    if ellipsoid.centre is None or ellipsoid.batch or len(ellipsoid.coordinates) not in (2, 3):
        raise TaskSpaceError(
            f"{ellipsoid!r} has no place on the arm; expected one of two or three components of a frame, such as "
            "armdyn.ellipsoids.velocity(robot, q)"
        )
    return len(ellipsoid.coordinates)
