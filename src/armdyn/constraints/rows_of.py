"""Some rows of a constraint: those that do not depend on other constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.scalars import Scalar
from armdyn.model.constraints import Constraint, Equations, Numbers, Row

if TYPE_CHECKING:
    from armdyn.constraints.state import State
    from armdyn.model.model import Model


@dataclass(frozen=True)
class RowsOf(Constraint):
    """Some of the rows of a constraint; the others are left out.

    Args:
        constraint: the constraint of the rows.
        chosen: names of the rows.
        name: of these rows; that of the constraint by default.

    >>> loop = armdyn.constraints.ball("left", "right", name="loop")
    >>> [row.name for row in armdyn.constraints.RowsOf(loop, ["loop: x", "loop: y"]).rows]
    ['loop: x', 'loop: y']
    """

    constraint: Constraint
    chosen: Scalar
    name: str = ""

    def __post_init__(self) -> None:
        names = [row.name for row in self.constraint.rows]
        chosen = (self.chosen,) if isinstance(self.chosen, str) else tuple(self.chosen)
        for row in chosen:
            if row not in names:
                raise UnknownName.of("row", row, names, f"constraint {self.constraint.name!r}")
        if not chosen:
            raise ModelError(f"no row of constraint {self.constraint.name!r} is chosen; leave the constraint out")
        self._set(chosen=tuple(row for row in names if row in chosen), name=self.name or self.constraint.name)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The chosen rows, in the constraint's order."""
        return tuple(row for row in self.constraint.rows if row.name in self.chosen)

    def false_roots(self, state: State) -> tuple[Row, ...]:
        """The false roots of the constraint, if all their rows are chosen; else a row left out may not be zero."""
        roots = self.constraint.false_roots(state)
        return roots if {row.name for row in roots} <= set(self.chosen) else ()

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The points that it constrains."""
        return self.constraint.places

    def rows_in(self, model: Model) -> tuple[Row, ...]:
        """The chosen rows, with the units that depend on the model."""
        return tuple(row for row in self.constraint.rows_in(model) if row.name in self.chosen)

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.constraint.frames

    def check(self, model: Model) -> None:
        """Raise an `UnknownName` if the model lacks a name in the constraint."""
        self.constraint.check(model)

    def equations_at(self, state: State) -> Equations:
        """The equations of the chosen rows."""
        rows, whole = self.constraint.rows, self.constraint.equations_at(state)
        places = [k for k, row in enumerate(rows) if row.name in self.chosen]
        of_phi = [k for k, row in enumerate(row for row in rows if row.holonomic) if row.name in self.chosen]
        return Equations(whole.phi[of_phi], whole.A[places], whole.drift[places])
