"""Constraints on the coordinates themselves: joints coupled, and equations of the caller's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from armdyn.errors import ModelError, UnknownName
from armdyn.model.constraints.base import Constraint, Row
from armdyn.model.constraints.points import check_function

if TYPE_CHECKING:
    from armdyn.model.model import Model


@dataclass(frozen=True)
class JointCoupling(Constraint):
    """A linear relation between coordinates: sum of factors times q equals a value, one row.

    Args:
        factors: by the names of the coordinates, rad or m each.
        value: what the sum is.
        name: of the constraint.

    The multiplier times a coordinate's factor is the force that it puts into the coupling.

    >>> armdyn.constraints.JointCoupling({"left": 1.0, "right": -2.0}).name
    'left, right coupled'
    """

    factors: Any
    value: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        pairs = tuple(self.factors.items()) if isinstance(self.factors, Mapping) else tuple(self.factors)
        factors = tuple((str(joint), float(factor)) for joint, factor in pairs)
        if not factors or not np.isfinite([f for _, f in factors]).all() or not np.isfinite(self.value):
            raise ModelError(
                f"factors of a joint coupling are {self.factors!r} and its value is {self.value!r}; expected finite "
                "numbers, by the names of coordinates"
            )
        name = self.name or f"{', '.join(joint for joint, _ in factors)} coupled"
        self._set(factors=factors, value=float(self.value), name=name)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The sum less the value."""
        return self.named(("", ""))

    def rows_in(self, model: Model) -> tuple[Row, ...]:
        """The sum less the value, in rad or m where all its coordinates are of one kind."""
        kinds = {c.kind for c in model.coordinates if c.name in dict(self.factors)}
        units: dict[frozenset[str], Literal["m", "rad"]] = {
            frozenset({"revolute"}): "rad",
            frozenset({"prismatic"}): "m",
        }
        return self.named(("", units.get(frozenset(kinds), "")))

    def check(self, model: Model) -> None:
        """Raise an `UnknownName` where the model has no such coordinate."""
        known = [coordinate.name for coordinate in model.coordinates]
        for joint, _ in self.factors:
            if joint in known:
                continue
            if any(joint == moved.name for moved in model.joints):
                raise UnknownName(
                    f"no coordinate {joint!r} in {model.name!r}, which constraint {self.name!r} still names: the joint "
                    f"moves with others. Leave the constraint out, or couple the joints that are free: "
                    f"{', '.join(known)}."
                )
            raise UnknownName.of("joint", joint, known, f"{model.name!r}, which constraint {self.name!r} names")


@dataclass(frozen=True)
class Holonomic(Constraint):
    """Equations phi(q) = 0 of your own.

    Args:
        function: of (model, q) that returns one number or an array, shape (m,). It may call anything in
            `armdyn.algorithms`; it is traced, and differentiated exactly.
        equations: a name for each equation.
        name: of the constraint.

    The values may have any unit. Where a tolerance judges whether they are zero, each is divided by the length of its
    gradient by q, |A_i|, so that the tolerance is a motion of the joints, rad or m: ten times the function is the same
    constraint. Where the gradient vanishes there is no such measure, and the value is judged as it stands.

    >>> def height(model, q):
    ...     return armdyn.algorithms.forward_kinematics(model, q)[2, 3] - 0.5
    >>> armdyn.constraints.Holonomic(height, ["height"]).rows
    (Row(name='height: height', unit='', holonomic=True),)
    """

    function: Callable[[Any, Any], Any]
    equations: Any
    name: str = ""

    def __post_init__(self) -> None:
        _own(self)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The values of the function."""
        return self.named(*((equation, "") for equation in self.equations))


@dataclass(frozen=True)
class Pfaffian(Constraint):
    """Equations A(q) qd = 0 of your own for velocities, which need not follow from any for positions: wheels, skates.

    Args:
        function: of (model, q) that returns A, shape (m, n), a column for each coordinate, or (n,) where m = 1. It may
            call anything in `armdyn.algorithms`; it is traced, and differentiated exactly.
        equations: a name for each equation.
        name: of the constraint.

    >>> skate = armdyn.constraints.Pfaffian(lambda model, q: [np.sin(q[2]), -np.cos(q[2]), 0.0], ["sideways"], "skate")
    >>> skate.rows
    (Row(name='skate: sideways', unit='', holonomic=False),)
    """

    function: Callable[[Any, Any], Any]
    equations: Any
    name: str = ""

    def __post_init__(self) -> None:
        _own(self)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The velocities that are zero."""
        return tuple(row._replace(holonomic=False) for row in self.named(*((name, "") for name in self.equations)))


def _own(constraint: Holonomic | Pfaffian) -> None:
    """Normalise a constraint that is a function of the caller's."""
    function = constraint.function
    name = constraint.name or getattr(function, "__name__", "equations")
    check_function(function, "function", name, ("model", "q"))
    given = constraint.equations
    equations = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not equations or not all(isinstance(equation, str) and equation for equation in equations):
        raise ModelError(f"equations of constraint {name!r} are {equations!r}; expected a name for each")
    constraint._set(name=name, equations=equations)
