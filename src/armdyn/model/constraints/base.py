"""What every constraint has: a name, and rows with names and units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ModelError, Unsupported
from armdyn.exact import exact, unit
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.model import Model

Numbers = tuple[float, ...]
"""An array in the form of tuples, so that what holds it can be compared and hashed."""

POSE_ROUNDING = 1e-9
"""How far R^T R of a pose may be from the identity."""


class Row(NamedTuple):
    """One scalar equation of a constraint.

    Args:
        name: for messages and tables.
        unit: of phi where there is one: "m", "rad", or "" where a function of the caller's decides.
        holonomic: whether it is an equation phi(q) = 0; else one for velocities alone.
    """

    name: str
    unit: Literal["m", "rad", ""] = ""
    holonomic: bool = True


class Constraint(ABC):
    """An equation, or several, that the motion of a robot has to keep. Frozen; made of names and numbers."""

    name: str

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Its equations, in order."""

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names; an empty name stands for the base frame."""
        return ()

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The points it is about, where it is about points: each a frame and a point of it, m."""
        return ()

    def rows_in(self, model: Model) -> tuple[Row, ...]:
        """Its equations, with the units that only a model tells."""
        return self.rows

    def check(self, model: Model) -> None:
        """Raise an `UnknownName` where the model lacks what the constraint names."""
        for frame in self.frames:
            if frame:
                model.frame(frame)

    def named(self, *rows: tuple[str, Literal["m", "rad", ""]]) -> tuple[Row, ...]:
        """Rows called after the constraint."""
        return tuple(Row(f"{self.name}: {what}" if what else self.name, unit) for what, unit in rows)

    def _set(self, **values: Any) -> None:
        """Normalise fields of a frozen dataclass while it is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def vector(values: ArrayLike, what: str, size: int = 3) -> Numbers:
    """``size`` finite numbers, as a tuple."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise ModelError(f"{what} is {values!r}; expected {size} finite numbers")
    return tuple(float(x) for x in array + 0.0)


def direction(values: ArrayLike, what: str) -> Numbers:
    """A unit vector along a direction of any length."""
    v = vector(values, what)
    if not any(v):
        raise ModelError(f"{what} is zero; expected a direction such as (0, 0, 1)")
    return tuple(float(x) for x in unit(exact(v)))


def pose(values: ArrayLike | None, what: str) -> Numbers:
    """A pose as the sixteen numbers of T, row by row; the identity where none is given."""
    if values is None:
        return tuple(np.eye(4).ravel().tolist())
    try:
        T = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        T = np.empty(0)
    if T.size == 16:
        T = T.reshape(4, 4)
    is_pose = T.shape == (4, 4) and np.isfinite(T).all() and np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0])
    if not is_pose or not np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), rtol=0, atol=POSE_ROUNDING):
        raise ModelError(f"{what} is no pose; expected a 4x4 matrix of a rotation and a position, last row 0 0 0 1")
    if np.linalg.det(T[:3, :3]) < 0.0:
        raise ModelError(f"{what} is a reflection; expected the matrix of a rotation, with determinant 1")
    return tuple(float(x) for x in T.ravel() + 0.0)


def as_pose(numbers: Numbers) -> Array:
    """The (4, 4) array of a stored pose."""
    return np.array(numbers).reshape(4, 4)


def distinct(constraint: Constraint) -> None:
    """Raise where a frame is constrained to itself, which no motion changes."""
    frame, other = constraint.frames
    if frame == other:
        raise ModelError(f"constraint {constraint.name!r} is between frame {frame!r} and itself; name two frames")


def check_constraints(model: Model) -> None:
    """Raise where constraints of a model share a name or name what is not there."""
    seen: set[str] = set()
    for constraint in model.constraints:
        if not isinstance(constraint, Constraint):
            raise ModelError(
                f"{constraint!r} is no constraint; armdyn.constraints has them: weld, hinge, ball, PointOnPlane, ..."
            )
        if constraint.name in seen:
            raise ModelError(f"two constraints of {model.name!r} are called {constraint.name!r}; give one a name=")
        seen.add(constraint.name)
        constraint.check(model)


def refuse_one_body(model: Model, constraints: Iterable[Constraint]) -> None:
    """Raise where a constraint is between two frames of one link: whatever moves, it holds always or never."""
    for constraint in constraints:
        frames = constraint.frames if isinstance(constraint, Constraint) else ()
        links = {model.frame(frame or model.base).link for frame in frames}
        if len(frames) > 1 and len(links) == 1:
            first, second = (repr(frame or model.base) for frame in frames)
            both = f"{first} twice" if first == second else f"{first} and {second}, both"
            raise ModelError(
                f"constraint {constraint.name!r} is between {both} on link {links.pop()!r} of {model.name!r}: no joint "
                "moves one against the other, so that it holds always or never; name a frame of another link."
            )


def constrained_instead(model: Model, wrong: str, right: str) -> Unsupported:
    """The refusal of a function that knows nothing of the model's constraints."""
    names = ", ".join(constraint.name for constraint in model.constraints)
    return Unsupported(
        f"{wrong} of {model.name!r} would leave out its constraints ({names}). Use {right}; or ask the tree that its "
        f"joints alone make: robot.without_constraints().{wrong}."
    )


def refuse_constraints(model: Model, wrong: str, right: str) -> None:
    """Raise where the model has constraints, which function ``wrong`` knows nothing of."""
    if model.constraints:
        raise constrained_instead(model, wrong, right)


def rows_of(constraints: Iterable[Constraint]) -> tuple[Row, ...]:
    """The rows of all constraints, in order."""
    return tuple(row for constraint in constraints for row in constraint.rows)


def rows_in(model: Model) -> tuple[Row, ...]:
    """The rows of all constraints of a model, in order."""
    return tuple(row for constraint in model.constraints for row in constraint.rows_in(model))


def sizes(constraints: Sequence[Constraint]) -> dict[str, int]:
    """How many rows there are, and how many of them are holonomic, by the names shapes have for them."""
    rows = rows_of(constraints)
    return {"constraints": len(rows), "holonomic": sum(row.holonomic for row in rows)}
