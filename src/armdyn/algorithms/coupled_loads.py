"""Forward dynamics with friction that depends on the load, for joints that are coupled or turn rotors of their own.

With qd_bodies = B qd, h without friction, d the friction that is independent of the load, and in each joint k the load
l_k = (M_bodies B)_k qdd + h_k, from which f_k follows,

    M qdd + h + d + sum_k B_k^T f_k(qd, l_k) = tau.

One equation contains several loads, so none of them follows from tau, and the rotors, which are bodies, are on the
drives' side of the friction. At loads at which the friction is f_k + s_k (l - l_k), with c_k = f_k - s_k l_k, the
equations are

    N qdd = tau - h - d - sum_k B_k^T (c_k + s_k h_k),    N = M + sum_k B_k^T s_k (M_bodies B)_k,

whose solution gives the next loads (`armdyn.algorithms.load_newton`). N is not symmetric. If its determinant is above
zero for all slopes that the friction may have, there is one solution, e.g. for gears whose rotors turn much faster than
the joints. Else the equations of a rigid arm may have none, or several: a gear may lock (Painleve's paradox), and its
backlash and springs decide the motion. A state is solved if the residual of the equations is only rounding, and the
pivots of N are above zero.

Constraints A qdd = b with multipliers lambda, C_k lambda of which joint k transmits, give

    N qdd + E lambda = tau - h - d - sum_k B_k^T (c_k + s_k h_k),    E = A^T + sum_k B_k^T s_k C_k,

solved by S = A N^-1 E, whose pivots must be above zero too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.articulated_bodies import require_joint_inertia
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.load_laws import LoadedFriction, loaded_bodies, other_friction
from armdyn.algorithms.load_newton import STEPS_OF_CURVES, LinearSolution, LoadEquations, NewtonStep, holds
from armdyn.algorithms.newton_euler import base_motion, links_in_motion, loads_of_drives
from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.positive_definite import ZeroPivot
from armdyn.spatial.rotations import Array

STEPS = 8
"""Iterations of Newton's method for friction that is piecewise linear in the load."""


class LoadConstraints(NamedTuple):
    """Constraints A qdd = b.

    Args:
        A: (constraints, n).
        b: (constraints,).
        of_loads: C_k by body, (constraints,): the load of its joint by one of each multiplier.
    """

    A: Array
    b: Array
    of_loads: Mapping[int, Array]


class Elimination(NamedTuple):
    """N = U L with ones on the diagonal of U, both in the ``order`` of the drive, from the tips inwards."""

    order: list[int]
    entries: Array
    reciprocal: list[Scalar]

    @classmethod
    def of(cls, N: Array, order: list[int], check: Callable[[int, Scalar], None]) -> Elimination:
        """The factors, from the last of the order to the first; ``check`` gets the place and the pivot of each."""
        N = N[np.ix_(order, order)].astype(object)
        reciprocal: list[Scalar] = [0.0] * len(order)
        for k in reversed(range(len(order))):
            check(order[k], N[k, k])
            reciprocal[k] = 1.0 / N[k, k]
            for i in range(k):
                N[i, k] = N[i, k] * reciprocal[k]
                for j in range(k):
                    N[i, j] = N[i, j] - N[i, k] * N[k, j]
        return cls(order, N, reciprocal)

    def solve(self, b: Array) -> Array:
        """N^-1 b, of a vector or of each column of a matrix."""
        if b.ndim == 2:
            return np.column_stack([self.solve(column) for column in b.T])
        x, n = [b[i] for i in self.order], len(self.order)
        for k in reversed(range(n)):
            for i in range(k):
                x[i] = x[i] - self.entries[i, k] * x[k]
        for k in range(n):
            x[k] = (x[k] - sum(self.entries[k, i] * x[i] for i in range(k))) * self.reciprocal[k]
        result = np.zeros(n, dtype=object)
        result[self.order] = x
        return result


@dataclass(frozen=True, eq=False)
class CoupledLoads(LoadEquations):
    """The equations M qdd + h = tau, and the loads' rows of M_bodies B and of h by body.

    Args:
        mechanism: whose drive depends on the load.
        rates: of the bodies' joints.
        M: with rotors and couplings, in the order of q.
        rest: tau - h - d, in the order of q.
        B: the velocity of each body with friction under load per coordinate rate.
        of_loads: (M_bodies B)_k of these bodies.
        h: of these bodies.
        within: constraints, whose multipliers are the reactions.
    """

    mechanism: Mechanism
    rates: Array
    M: Array
    rest: Array
    B: dict[int, Array]
    of_loads: dict[int, Array]
    h: dict[int, Scalar]
    within: LoadConstraints | None

    @classmethod
    def at(
        cls,
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        tau: Array,
        *wrenches_and_base: Array | None,
        within: LoadConstraints | None = None,
    ) -> CoupledLoads:
        """The equations in a state; arguments as of `armdyn.algorithms.load_friction.accelerations_under_load`."""
        drive, loaded, rates = mechanism.drive, loaded_bodies(mechanism.drive), mechanism.drive.rates(qd)
        of_links = links_mass(mechanism, q)
        h = _loads_at_no_acceleration(mechanism, q, qd, *wrenches_and_base)
        B = np.column_stack([drive.rates(unit) for unit in np.eye(drive.size)])
        return cls(
            mechanism,
            rates,
            drive.filled(drive.mass_matrix(of_links)),
            tau - drive.forces([load + rub for load, rub in zip(h, other_friction(drive, rates), strict=True)]),
            {k: B[k] for k in loaded},
            {k: _row(of_links, k) @ B for k in loaded},
            {k: h[k] for k in loaded},
            within,
        )

    @property
    def constrained(self) -> bool:
        """True if the reactions are forces of constraints."""
        return self.within is not None

    @property
    def steps(self) -> int:
        """The number of steps of Newton's method."""
        return STEPS_OF_CURVES if self.curved else STEPS

    def first_loads(self) -> dict[int, Scalar]:
        """Loads of zero."""
        return dict.fromkeys(self.B, 0.0)

    def linear_solution(self, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar]) -> LinearSolution:
        """The solution with the straight lines of the friction at loads."""
        N = self._factors(friction)
        qdd = N.solve(self._right_side(friction, loads))
        if self.within is None:
            return LinearSolution(qdd, np.zeros(len(qdd)), self._loads(qdd))
        by_multipliers, S = self._schur_complement(self.within, friction, N)
        multipliers = S.solve(self.within.A @ qdd - self.within.b)
        qdd = qdd - by_multipliers @ multipliers
        of_constraints = {k: row @ multipliers for k, row in self.within.of_loads.items()}
        loads = {k: load + of_constraints[k] for k, load in self._loads(qdd).items()}
        return LinearSolution(qdd, multipliers, loads)

    def _loads(self, qdd: Array) -> dict[int, Scalar]:
        """Loads without the forces of constraints."""
        return {k: row @ qdd + self.h[k] for k, row in self.of_loads.items()}

    def _right_side(self, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar]) -> Array:
        """tau - h - d - sum_k B_k^T (c_k + s_k h_k), with c_k = f_k - s_k l_k."""
        at_rest = (self.B[k] * (own.force - own.slope * (loads[k] - self.h[k])) for k, own in friction.items())
        return np.asarray(self.rest - sum(at_rest))

    def _factors(self, friction: Mapping[int, LoadedFriction]) -> Elimination:
        """N = M + sum_k B_k^T s_k (M_bodies B)_k = U L, by elimination that fills in no zero of a tree.

        Raises:
            ModelError: a joint moves no inertia.
        """

        def check(i: int, pivot: Scalar) -> None:
            require_joint_inertia(self.mechanism, self.mechanism.model.coordinates[i].name, pivot)

        slopes = (np.outer(self.B[k], self.of_loads[k] * own.slope) for k, own in friction.items())
        return Elimination.of(np.asarray(sum(slopes, start=self.M)), self.drive.order, check)

    def _schur_complement(
        self, within: LoadConstraints, friction: Mapping[int, LoadedFriction], N: Elimination
    ) -> tuple[Array, Elimination]:
        """N^-1 E, and the factors of S = A N^-1 E.

        Raises:
            ZeroPivot: a row follows from those before it.
        """

        def check(row: int, pivot: Scalar) -> None:
            if is_zero(pivot):
                raise ZeroPivot(row)

        slopes = (np.outer(self.B[k], within.of_loads[k] * own.slope) for k, own in friction.items())
        by_multipliers = N.solve(np.asarray(sum(slopes, start=within.A.T)))
        S = within.A @ by_multipliers
        return by_multipliers, Elimination.of(S, list(reversed(range(len(S)))), check)

    def response(self, friction: Mapping[int, LoadedFriction]) -> Callable[[Array], Array]:
        """N^-1 times joint forces."""
        return self._factors(friction).solve

    def conditions(self, step: NewtonStep) -> Iterator[Scalar]:
        """1 for each equation with friction under load that holds, and each pivot above zero, else 0."""
        N, against = self._factors(step.friction), np.zeros(0)
        pivots = list(N.reciprocal)
        if self.within is not None:
            against = self.within.A.T @ step.reactions
            pivots += self._schur_complement(self.within, step.friction, N)[1].reciprocal
        for i, M in enumerate(self.M):
            friction = [-B[i] * step.friction[k].force for k, B in self.B.items() if B[i]]
            if friction:
                yield holds([self.rest[i], *(-M * step.qdd), *friction, *(-one for one in against[i : i + 1])])
        yield from (pivot > 0.0 for pivot in pivots)


def _loads_at_no_acceleration(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> list[Scalar]:
    """The loads that the joints transmit at qdd = 0, by body."""
    mechanism, drive = regroup(mechanism), mechanism.drive
    q, qd, at_rest = drive.positions(q), drive.rates(qd), drive.rates(np.zeros(drive.size))
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    _, wrenches = links_in_motion(mechanism, q, qd, at_rest, base, f_tip, f_ext)
    return loads_of_drives(mechanism, q, wrenches, qd)


def _row(of_bodies: list[dict[int, Scalar]], k: int) -> Array:
    """Row k of a symmetric matrix that is given by the columns above its diagonal."""
    row = np.zeros(len(of_bodies), dtype=object)
    for j, column in enumerate(of_bodies):
        if k in column:
            row[j] = column[k]
    for j, entry in of_bodies[k].items():
        row[j] = entry
    return row
