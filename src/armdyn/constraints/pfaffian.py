"""Velocity equations A(q) qd = 0 given by a function of the user: wheels, skates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.constraints.own_function import OwnFunction
from armdyn.model.constraints import Equations, Row
from armdyn.program import rate
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class Pfaffian(OwnFunction):
    """Equations A(q) qd = 0 of your own for velocities, in general without equations for positions: wheels, skates.

    Args:
        function: of (model, q) that returns A, shape (m, n), one column per coordinate, or (n,) if m = 1. It may call
            anything in `armdyn.algorithms`; it is traced, and differentiated exactly.
        equations: a name for each equation.
        name: of the constraint.

    >>> skate = armdyn.constraints.Pfaffian(lambda model, q: [np.sin(q[2]), -np.cos(q[2]), 0.0], ["sideways"], "skate")
    >>> skate.rows
    (Row(name='skate: sideways', unit='', holonomic=False),)
    """

    @property
    def rows(self) -> tuple[Row, ...]:
        """The velocities that are zero."""
        return tuple(row._replace(holonomic=False) for row in self.named(*((name, "") for name in self.equations)))

    def equations_at(self, state: State) -> Equations:
        """A(q) qd = 0."""
        m, n = len(self.equations), state.mechanism.dof

        def A(q: Array) -> Array:
            return self._values(state.mechanism, q, (m, n), *([(n,)] if m == 1 else []))

        drift = rate(lambda q: A(q) @ state.qd, state.q, state.qd)
        return Equations(np.empty(0), A(state.q), drift)
