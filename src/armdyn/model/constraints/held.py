"""A frame held to another: welds, balls, hinges, slides, and any other choice of axes. Loops are closed by these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ModelError, UnknownName
from armdyn.exact import exact, rounded, unit
from armdyn.model.constraints.base import Constraint, Numbers, Row, as_pose, direction, distinct, pose, vector
from armdyn.spatial.rotations import Array, cross, rigid

POSITIONS = ("x", "y", "z")
ROTATIONS = ("rx", "ry", "rz")
AXES = POSITIONS + ROTATIONS


@dataclass(frozen=True)
class Held(Constraint):
    """A frame A held to a frame B along and about chosen axes of B.

    A stands in ``frame`` at ``pose``, B in ``to`` at ``to_pose``. Held along x, y or z, the origin of A keeps that
    coordinate at zero in B. Held about all three axes, A keeps the axes of B; about two, the third axis of A keeps the
    direction of that of B, and A may turn about it; about one, say x, the next axis of A, y, stays at right angles to
    the one after it of B, z, as in a universal joint. Of three and of two, phi is 2 tan(angle / 2) of the turn that is
    left over, zero where the axes agree and nowhere else. Of one it is the sine of what the right angle lacks, which is
    zero after half a turn about x, too: half a turn about z and one about y come to the same, and both are free.
    `Robot.close_loop` does not take that for closed.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base where none is given.
        axes: some of "x", "y", "z", "rx", "ry", "rz".
        pose: of A in ``frame``, shape (4, 4); that frame itself where none is given.
        to_pose: of B in ``to``, shape (4, 4).
        name: of the constraint; made of the frames where none is given.
        along: "to": the positions are along the axes of B; "base": along those of the base, which takes fewer
            operations and is possible where all three are held.
    """

    frame: str
    to: str = ""
    axes: tuple[str, ...] = AXES
    pose: Any = field(default=None, repr=False)
    to_pose: Any = field(default=None, repr=False)
    name: str = ""
    along: Literal["to", "base"] = "to"

    def __post_init__(self) -> None:
        self._set(to=self.to or "", name=self.name or f"{self.frame} to {self.to or 'base'}")
        distinct(self)
        for axis in self.axes:
            if axis not in AXES:
                raise UnknownName.of("axis", axis, AXES, f"axes of constraint {self.name!r}")
        if self.along not in ("to", "base") or (self.along == "base" and not set(POSITIONS) <= set(self.axes)):
            raise ModelError(
                f"along of constraint {self.name!r} is {self.along!r} with axes {', '.join(self.axes)}; expected 'to', "
                "or 'base' where x, y and z are all held"
            )
        if not self.axes:
            raise ModelError(f"constraint {self.name!r} holds no axis; expected some of {', '.join(AXES)}")
        self._set(
            axes=tuple(axis for axis in AXES if axis in self.axes),
            pose=pose(self.pose, f"pose of constraint {self.name!r}"),
            to_pose=pose(self.to_pose, f"to_pose of constraint {self.name!r}"),
        )

    def __repr__(self) -> str:
        poses = f"pose={self.pose}, to_pose={self.to_pose}"
        return f"Held({self.frame!r}, {self.to!r}, axes={self.axes}, {poses}, name={self.name!r}, along={self.along!r})"

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, self.to

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The origins of A and B."""
        return tuple((frame, (T[3], T[7], T[11])) for frame, T in ((self.frame, self.pose), (self.to, self.to_pose)))

    @property
    def positions(self) -> tuple[int, ...]:
        """The axes along which A is held, as 0, 1, 2."""
        return tuple(k for k, axis in enumerate(POSITIONS) if axis in self.axes)

    @property
    def rotations(self) -> tuple[int, ...]:
        """The axes about which A is held, as 0, 1, 2."""
        return tuple(k for k, axis in enumerate(ROTATIONS) if axis in self.axes)

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each axis, positions first."""
        return self.named(*((axis, "m" if axis in POSITIONS else "rad") for axis in self.axes))

    @property
    def T_frame_A(self) -> Array:
        """Pose of A in ``frame``, shape (4, 4)."""
        return as_pose(self.pose)

    @property
    def T_to_B(self) -> Array:
        """Pose of B in ``to``, shape (4, 4)."""
        return as_pose(self.to_pose)


def weld(
    frame: str, to: str = "", *, pose: ArrayLike | None = None, to_pose: ArrayLike | None = None, name: str = ""
) -> Held:
    """A frame held to another in all six axes.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base where none is given.
        pose: of what is held, in ``frame``, shape (4, 4); the frame itself where none is given.
        to_pose: of where it is held, in ``to``, shape (4, 4).
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
        to: name of the frame it is held to; the base where none is given.
        point: of ``frame``, m, in its axes.
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
    """An axis of a frame held to an axis of another: what is left is the turn about it.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base where none is given.
        axis: direction of the axis in ``frame``.
        point: of ``frame`` on the axis, m.
        to_axis: direction in ``to``; the same numbers as ``axis`` where none is given.
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
    """A frame held to another but for the shift along an axis; arguments as of `hinge`.

    A slide holds the turn about its axis, too. With one ``axis`` for both frames, their axes stay parallel. Where
    ``to_axis`` is another, which turn is held follows from this rule: each frame is given an x across the axis, and the
    two x stay parallel. x is what of one coordinate axis of the frame lies across the axis: of the coordinate axis that
    it leans to least, the first of several; where it is a coordinate axis itself, of the next in turn (y for x, z for
    y, x for z). For another turn, say so with poses whose z is the axis:
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
    return Held(frame, to, tuple(held for held in AXES if held != free), a, b, name)


def axes_along(z: Sequence[float]) -> Array:
    """A rotation whose third column is the unit vector z; for a coordinate axis, the cyclic permutation."""
    z_axis = unit(exact(z))
    k = int(np.argmin(np.abs(z_axis))) if np.count_nonzero(z_axis) > 1 else (int(np.flatnonzero(z_axis)[0]) + 1) % 3
    x = unit(cross(z_axis, cross(exact(np.eye(3))[k], z_axis)))
    return rounded(np.column_stack([x, cross(z_axis, x), z_axis]))  # type: ignore[no-any-return]
