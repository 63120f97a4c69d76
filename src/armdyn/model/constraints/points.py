"""A point of a frame on a plane, a line, a surface or a curve, or at a distance from another point."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from armdyn.errors import ModelError
from armdyn.model.constraints.base import Constraint, Numbers, Row, direction, distinct, vector

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _PointOf(Constraint):
    """A point of a frame, seen from another frame."""

    frame: str

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, getattr(self, "of", "")

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The point."""
        return ((self.frame, getattr(self, "point", ORIGIN)),)

    def _name_and_point(self, what: str) -> None:
        name = self.name or f"{self.frame} on {what}"
        self._set(
            name=name,
            of=getattr(self, "of", "") or "",
            point=vector(getattr(self, "point", ORIGIN), f"point of constraint {name!r}"),
        )
        distinct(self)


@dataclass(frozen=True)
class PointOnPlane(_PointOf):
    """A point of a frame stays on a plane: n . (p - p_0) = 0, one row, m.

    Args:
        frame: name of the frame whose point it is.
        normal: n, of any length.
        through: p_0, a point of the plane, m.
        point: of the frame, m, in its axes.
        of: name of the frame that carries the plane, in whose axes ``normal`` and ``through`` are; the base's where
            none is given.
        name: of the constraint.

    The multiplier is the force of the point on the plane along n, N.

    >>> armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0)).rows
    (Row(name='tip on plane', unit='m', holonomic=True),)
    """

    normal: ArrayLike
    through: ArrayLike = ORIGIN
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("plane")
        self._set(
            normal=direction(self.normal, f"normal of constraint {self.name!r}"),
            through=vector(self.through, f"through of constraint {self.name!r}"),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """The distance from the plane."""
        return self.named(("", "m"))


@dataclass(frozen=True)
class PointOnLine(_PointOf):
    """A point of a frame stays on a line, two rows, m: its distances along two directions across the line.

    Args:
        frame: name of the frame whose point it is.
        direction: of the line, of any length.
        through: a point of the line, m.
        point: of the frame, m, in its axes.
        of: name of the frame that carries the line, in whose axes it is described; the base where none is given.
        name: of the constraint.
    """

    direction: ArrayLike
    through: ArrayLike = ORIGIN
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("line")
        self._set(
            direction=direction(self.direction, f"direction of constraint {self.name!r}"),
            through=vector(self.through, f"through of constraint {self.name!r}"),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """Two distances across the line."""
        return self.named(("across 1", "m"), ("across 2", "m"))


@dataclass(frozen=True)
class PointOnSurface(_PointOf):
    """A point of a frame stays where functions of its coordinates are zero: a surface, or the curve where two meet.

    Args:
        frame: name of the frame whose point it is.
        function: of (x, y, z) as an array, shape (3,), that returns one number or an array of up to three: arithmetic
            and NumPy's functions, which are traced and differentiated exactly.
        size: how many numbers it returns.
        point: of the frame, m, in its axes.
        of: name of the frame in whose coordinates the function is; the base where none is given.
        name: of the constraint.

    The values may have any unit. Where a tolerance judges whether they are zero, each is divided by the length of its
    gradient by q, |A_i|, so that the tolerance is a motion of the joints, rad or m: ten times the function is the same
    surface. Where the gradient vanishes there is no such measure, and the value is judged as it stands.

    >>> sphere = armdyn.constraints.PointOnSurface("tip", lambda p: p @ p - 1.0)
    >>> len(sphere.rows)
    1
    """

    function: Callable[[Any], Any]
    size: int = 1
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("surface")
        check_function(self.function, "function", self.name, ("p",))
        if self.size not in (1, 2, 3):
            raise ModelError(f"size of constraint {self.name!r} is {self.size!r}; expected 1, 2 or 3 equations")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The values of the function."""
        return self.named(*((f"function {k + 1}" if self.size > 1 else "", "") for k in range(self.size)))


@dataclass(frozen=True)
class PointOnCurve(_PointOf):
    """A point of a frame stays on a curve that is given by its parameter, two rows, m.

    The parameter of the nearest point of the curve is found where the arm stands; so the constraint needs no coordinate
    of its own. The rows are the distances from the curve along its binormal and normal, as ``up`` has them.

    Args:
        frame: name of the frame whose point it is.
        curve: c(s), function of one number that returns x, y, z, m; traced and differentiated exactly.
        interval: of the parameter s. The ends do not stop the point.
        point: of the frame, m, in its axes.
        of: name of the frame in whose coordinates the curve is; the base where none is given.
        up: a direction that the curve never takes: the rows are along up x c' and c' x (up x c').
        samples: in how many places of the interval the nearest is looked for first.
        name: of the constraint.

    >>> helix = armdyn.constraints.PointOnCurve(
    ...     "tip", lambda s: np.array([np.cos(s), np.sin(s), 0.1 * s]), interval=(0, 6.28))
    >>> [row.name for row in helix.rows]
    ['tip on curve: across 1', 'tip on curve: across 2']
    """

    curve: Callable[[Any], Any]
    interval: tuple[float, float]
    point: ArrayLike = ORIGIN
    of: str = ""
    up: ArrayLike = (0.0, 0.0, 1.0)
    samples: int = 33
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("curve")
        check_function(self.curve, "curve", self.name, ("s",))
        low, high = vector(self.interval, f"interval of constraint {self.name!r}", 2)
        if not low < high:
            raise ModelError(f"interval of constraint {self.name!r} is {self.interval!r}; expected two rising numbers")
        if not 3 <= self.samples <= 1000:
            raise ModelError(f"samples of constraint {self.name!r} are {self.samples!r}; expected 3 to 1000")
        self._set(interval=(low, high), up=direction(self.up, f"up of constraint {self.name!r}"))

    @property
    def rows(self) -> tuple[Row, ...]:
        """Two distances across the curve."""
        return self.named(("across 1", "m"), ("across 2", "m"))


@dataclass(frozen=True)
class Distance(Constraint):
    """Two points keep their distance: a massless rod with a ball at each end, one row, m.

    Args:
        frame: name of the frame of the first point.
        to: name of the frame of the second; the base where none is given.
        length: of the rod, m, above zero.
        point: the first point in the axes of ``frame``, m.
        to_point: the second in the axes of ``to``, m.
        name: of the constraint.

    The multiplier is the tension of the rod, N: what the points pull at it with, negative where they push.
    """

    frame: str
    to: str = ""
    length: float = math.nan
    point: ArrayLike = ORIGIN
    to_point: ArrayLike = ORIGIN
    name: str = ""

    def __post_init__(self) -> None:
        self._set(to=self.to or "", name=self.name or f"distance of {self.frame} from {self.to or 'base'}")
        if isinstance(self.length, float) and math.isnan(self.length):
            raise ModelError(f"constraint {self.name!r} has no length; give the rod's, length=..., m")
        distinct(self)
        length = vector([self.length], f"length of constraint {self.name!r}", 1)[0]
        if not length > 0.0:
            raise ModelError(f"length of constraint {self.name!r} is {length:g}; expected one above zero. See ball()")
        self._set(
            length=length,
            point=vector(self.point, f"point of constraint {self.name!r}"),
            to_point=vector(self.to_point, f"to_point of constraint {self.name!r}"),
        )

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, self.to

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """Both points."""
        return (self.frame, tuple(self.point)), (self.to, tuple(self.to_point))  # type: ignore[arg-type]

    @property
    def rows(self) -> tuple[Row, ...]:
        """How much longer than the rod the distance is."""
        return self.named(("", "m"))


def check_function(function: Any, what: str, name: str, arguments: tuple[str, ...]) -> None:
    """Raise where ``function`` cannot be called with so many arguments."""
    if not callable(function):
        raise ModelError(f"{what} of constraint {name!r} is {function!r}; expected a function")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C: it shows when it is called
    try:
        signature.bind(*arguments)
    except TypeError:
        raise ModelError(
            f"{what} of constraint {name!r} takes {signature}; it is called with ({', '.join(arguments)})"
        ) from None


__all__ = ["Distance", "Numbers", "PointOnCurve", "PointOnLine", "PointOnPlane", "PointOnSurface", "check_function"]
