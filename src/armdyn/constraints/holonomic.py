"""Position equations phi(q) = 0 given by a function of the user and differentiated automatically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armdyn.constraints.own_function import OwnFunction
from armdyn.model.constraints import Equations, Row
from armdyn.program import derivative, rate
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class Holonomic(OwnFunction):
    """Equations phi(q) = 0 of your own.

    Args:
        function: of (model, q) that returns one number or an array, shape (m,). It may call anything in
            `armdyn.algorithms`; it is traced, and differentiated exactly.
        equations: a name for each equation.
        name: of the constraint.

    The values may have any unit. For comparison with a tolerance, each is divided by the length of its gradient by q,
    |A_i|, so that the tolerance is a motion of the joints, rad or m: ten times the function is the same constraint. If
    the gradient vanishes there is no such measure, and the value itself is compared.

    >>> def height(model, q):
    ...     return armdyn.algorithms.forward_kinematics(model, q)[2, 3] - 0.5
    >>> armdyn.constraints.Holonomic(height, ["height"]).rows
    (Row(name='height: height', unit='', holonomic=True),)
    """

    @property
    def rows(self) -> tuple[Row, ...]:
        """The values of the function."""
        return self.named(*((equation, "") for equation in self.equations))

    def equations_at(self, state: State) -> Equations:
        """phi(q) = 0, with A = dphi/dq and Adot qd the rate of A qd with qd held."""
        m = len(self.equations)

        def phi(q: Array) -> Array:
            return self._values(state.mechanism, q, (m,), *([()] if m == 1 else []))

        drift = rate(lambda q: derivative(phi, q) @ state.qd, state.q, state.qd)
        return Equations(phi(state.q), derivative(phi, state.q), drift)
