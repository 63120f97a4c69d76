"""Joints coupled by a linear relation between their coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from armdyn.base.checks import as_float
from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.scalars import Scalar
from armdyn.model.constraints import Constraint, Equations, Row

if TYPE_CHECKING:
    from armdyn.constraints.state import State
    from armdyn.model.model import Model


@dataclass(frozen=True)
class JointCoupling(Constraint):
    """A linear relation between coordinates: sum of factors times q equals a value, one row.

    Args:
        factors: by the names of the coordinates, rad or m each.
        value: of the sum, rad or m.
        name: of the constraint.

    The multiplier times a coordinate's factor is the force that it exerts on the coupling.

    >>> armdyn.constraints.JointCoupling({"left": 1.0, "right": -2.0}).name
    'left, right coupled'
    """

    factors: Scalar
    value: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        try:
            pairs = self.factors.items() if isinstance(self.factors, Mapping) else self.factors
            factors = tuple((str(joint), as_float(factor)) for joint, factor in pairs)
        except (TypeError, ValueError):  # not pairs
            factors = ()
        value = as_float(self.value)
        if not factors or not np.isfinite([value, *(factor for _, factor in factors)]).all():
            raise ModelError(
                f"factors of a joint coupling are {self.factors!r} and its value is {self.value!r}; expected finite "
                "numbers, by the names of coordinates"
            )
        name = self.name or f"{', '.join(joint for joint, _ in factors)} coupled"
        self._set(factors=factors, value=value, name=name)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The sum less the value."""
        return self.named(("", ""))

    def rows_in(self, model: Model) -> tuple[Row, ...]:
        """The sum less the value, in rad or m if all its coordinates are of one kind."""
        kinds = {c.kind for c in model.coordinates if c.name in dict(self.factors)}
        units: dict[frozenset[str], Literal["m", "rad"]] = {
            frozenset({"revolute"}): "rad",
            frozenset({"prismatic"}): "m",
        }
        return self.named(("", units.get(frozenset(kinds), "")))

    def check(self, model: Model) -> None:
        """Raise an `UnknownName` if the model has no such coordinate."""
        names = [coordinate.name for coordinate in model.coordinates]
        for joint, _ in self.factors:
            if joint in names:
                continue
            if any(joint == moved.name for moved in model.joints):
                raise UnknownName(
                    f"no coordinate {joint!r} in {model.name!r}, which constraint {self.name!r} still names: the joint "
                    f"moves with others. Leave the constraint out, or couple the joints that are free: "
                    f"{', '.join(names)}."
                )
            raise UnknownName.of("joint", joint, names, f"{model.name!r}, which constraint {self.name!r} names")

    def equations_at(self, state: State) -> Equations:
        """a . q = b, whose A is constant."""
        names = [coordinate.name for coordinate in state.mechanism.model.coordinates]
        a = np.zeros(len(names))
        for joint, factor in self.factors:
            a[names.index(joint)] += factor
        return Equations(np.array([a @ state.q - self.value]), a[None, :], np.zeros(1))
