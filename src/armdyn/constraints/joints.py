"""The usual joints as frames held to each other: weld, ball, hinge, slide. They close loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.fields import axes_along, direction, vector
from armdyn.constraints.held import AXES, POSITIONS, Held
from armdyn.spatial.rotations import rigid


def weld(
    frame: str, to: str = "", *, pose: ArrayLike | None = None, to_pose: ArrayLike | None = None, name: str = ""
) -> Held:
    """A frame held to another in all six axes.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base by default.
        pose: of A, the axes that are held, in ``frame``, shape (4, 4); the frame itself by default.
        to_pose: of B, the axes to which A is held, in ``to``, shape (4, 4).
        name: of the constraint.

    >>> [row.unit for row in armdyn.constraints.weld("tool").rows]
    ['m', 'm', 'm', 'rad', 'rad', 'rad']
    """
    return Held(frame, to, AXES, pose, to_pose, name)


def ball(
    frame: str, to: str = "", *, point: ArrayLike = (0, 0, 0), to_point: ArrayLike = (0, 0, 0), name: str = ""
) -> Held:
    """A point of a frame held to a point of another, free to turn.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base by default.
        point: of the frame, m, in its axes.
        to_point: of ``to``, m, in its axes.
        name: of the constraint. Its rows are along the axes of the base.

    >>> armdyn.constraints.ball("rod_end", "crank_pin").axes
    ('x', 'y', 'z')
    """
    a, b = (rigid(p=np.array(vector(p, "point of a ball"))) for p in (point, to_point))
    return Held(frame, to, POSITIONS, a, b, name, "base")


def hinge(
    frame: str,
    to: str = "",
    *,
    axis: ArrayLike = (0, 0, 1),
    point: ArrayLike = (0, 0, 0),
    to_axis: ArrayLike | None = None,
    to_point: ArrayLike = (0, 0, 0),
    name: str = "",
) -> Held:
    """An axis of a frame held to an axis of another: the frame may turn about it.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base by default.
        axis: direction of the axis in ``frame``.
        point: of ``frame`` on the axis, m.
        to_axis: direction in ``to``; the numbers of ``axis`` by default.
        to_point: of ``to`` on the axis, m.
        name: of the constraint. Its rows are in axes of ``to`` turned so that z is the hinge's.

    >>> armdyn.constraints.hinge("coupler_end", "rocker_end").axes
    ('x', 'y', 'z', 'rx', 'ry')
    """
    return _about_axis(frame, to, "rz", axis, point, to_axis, to_point, name)


def slide(
    frame: str,
    to: str = "",
    *,
    axis: ArrayLike = (0, 0, 1),
    point: ArrayLike = (0, 0, 0),
    to_axis: ArrayLike | None = None,
    to_point: ArrayLike = (0, 0, 0),
    name: str = "",
) -> Held:
    """A frame held to another except for the shift along an axis; arguments as for `hinge`.

    A slide holds the turn about its axis, too. With one ``axis`` for both frames, their axes stay parallel. If
    ``to_axis`` is another, the held turn follows from this rule: each frame gets an x across the axis, and the two x
    stay parallel. x is the part of one coordinate axis of the frame across the axis: of the coordinate axis that it
    leans to least, the first of several; if it is a coordinate axis itself, of the next in turn (y for x, z for y, x
    for z). For another turn, give poses whose z is the axis:
    ``Held(frame, to, ("x", "y", "rx", "ry", "rz"), pose, to_pose)``.

    >>> armdyn.constraints.slide("carriage", axis=(1, 0, 0)).axes
    ('x', 'y', 'rx', 'ry', 'rz')
    """
    return _about_axis(frame, to, "z", axis, point, to_axis, to_point, name)


def _about_axis(
    frame: str,
    to: str,
    free: str,
    axis: ArrayLike,
    point: ArrayLike,
    to_axis: ArrayLike | None,
    to_point: ArrayLike,
    name: str,
) -> Held:
    a = rigid(axes_along(direction(axis, "axis")), np.array(vector(point, "point")))
    b = rigid(
        axes_along(direction(axis if to_axis is None else to_axis, "to_axis")), np.array(vector(to_point, "to_point"))
    )
    return Held(frame, to, tuple(one for one in AXES if one != free), a, b, name)
