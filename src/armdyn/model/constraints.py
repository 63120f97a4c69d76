"""The base of all constraints: a name, rows with names and units, and their equations at a state.

The kinds are in `armdyn.constraints`, each a class with its data and its equations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from armdyn.base.errors import ModelError, Unsupported
from armdyn.base.fields import set_fields
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.model import Model

Numbers = tuple[float, ...]
"""An array in the form of tuples, so that its owner can be compared and hashed."""


class Row(NamedTuple):
    """One scalar equation of a constraint.

    Args:
        name: for messages and tables.
        unit: of phi if there is one: "m", "rad", or "" if a function of the caller's decides.
        holonomic: True for an equation phi(q) = 0; False for one in velocities alone.
    """

    name: str
    unit: Literal["m", "rad", ""] = ""
    holonomic: bool = True


class Equations(NamedTuple):
    """Rows of constraints: phi = 0 if they are holonomic, A qd = 0, A qdd + drift = 0.

    Args:
        phi: their values, shape (h,); shape (0,) for rows in velocities alone.
        A: shape (k, n); the derivative of phi by q.
        drift: Adot qd, shape (k,).
    """

    phi: Array
    A: Array
    drift: Array


class Constraint(ABC):
    """One or more equations that the motion of a robot satisfies.

    A kind of constraint is one class: a frozen dataclass of names and numbers, whose ``repr`` is unique, with `rows`
    and `equations_at`.
    """

    name: str

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Its equations, in order."""

    @abstractmethod
    def equations_at(self, state: Any) -> Equations:
        """phi, A and Adot qd of its rows at a state, an `armdyn.constraints.State`, for floats and traced scalars."""

    def false_roots(self, state: Any) -> tuple[Row, ...]:
        """Rows that are zero at a state though the constraint does not hold, e.g. for frames half a turn apart."""
        return ()

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names; an empty name is the base frame."""
        return ()

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The points it constrains, if it constrains points: each a frame and a point of it, m."""
        return ()

    def rows_in(self, model: Model) -> tuple[Row, ...]:
        """Its equations, with the units that depend on the model."""
        return self.rows

    def check(self, model: Model) -> None:
        """Raise an `UnknownName` if the model lacks a name in the constraint."""
        for frame in self.frames:
            if frame:
                model.frame(frame)

    def named(self, *rows: tuple[str, Literal["m", "rad", ""]]) -> tuple[Row, ...]:
        """Rows with the name of the constraint."""
        return tuple(Row(f"{self.name}: {row}" if row else self.name, unit) for row, unit in rows)

    def _set(self, **values: object) -> None:
        """Normalise fields of a frozen dataclass while it is made."""
        set_fields(self, **values)


def check_constraints(model: Model) -> None:
    """Raise if constraints of a model share a name or contain an unknown one."""
    seen: set[str] = set()
    for constraint in model.constraints:
        if not isinstance(constraint, Constraint):
            raise ModelError(
                f"{constraint!r} is not a constraint; expected one of armdyn.constraints: weld, hinge, "
                "ball, PointOnPlane, ..."
            )
        if constraint.name in seen:
            raise ModelError(f"two constraints of {model.name!r} are called {constraint.name!r}; give one a name=")
        seen.add(constraint.name)
        constraint.check(model)


def refuse_one_body(model: Model, constraints: Iterable[Constraint]) -> None:
    """Raise if a constraint is between two frames of one link: it holds always or never."""
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


def refuse_constraints(model: Model, wrong: str, right: str) -> None:
    """Raise if the model has constraints, which function ``wrong`` does not support."""
    if model.constraints:
        names = ", ".join(constraint.name for constraint in model.constraints)
        raise Unsupported(
            f"{wrong} of {model.name!r} would leave out its constraints ({names}). Use {right}; or ask the tree that "
            f"its joints alone make: robot.without_constraints().{wrong}."
        )


def rows_of(constraints: Iterable[Constraint]) -> tuple[Row, ...]:
    """The rows of all constraints, in order."""
    return tuple(row for constraint in constraints for row in constraint.rows)


def rows_in(model: Model) -> tuple[Row, ...]:
    """The rows of all constraints of a model, in order."""
    return tuple(row for constraint in model.constraints for row in constraint.rows_in(model))


def sizes(constraints: Sequence[Constraint]) -> dict[str, int]:
    """The number of rows, and of holonomic ones, by their names in shapes."""
    rows = rows_of(constraints)
    return {"constraints": len(rows), "holonomic": sum(row.holonomic for row in rows)}
