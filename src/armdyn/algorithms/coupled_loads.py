"""Forward dynamics with friction that depends on the load, for joints that are coupled or turn rotors of their own.

With qd_bodies = B qd, h without friction, d the friction that is independent of the load, and in each joint k the load
l_k = (M_bodies B)_k qdd + h_k, from which f_k follows,

    M qdd + h + d + sum_k B_k^T f_k(qd, l_k) = tau.

One equation contains several loads, so none of them follows from tau, and the rotors, which are bodies, are on the
drives' side of the friction. At loads at which the friction is f_k + s_k (l - l_k), with c_k = f_k - s_k l_k, the
equations are

    N qdd = tau - h - d - sum_k B_k^T (c_k + s_k h_k),    N = M + sum_k B_k^T s_k (M_bodies B)_k,

whose solution gives the next loads: Newton's method, semi-smooth because f has kinks. N is not symmetric. If its
determinant is above zero for all slopes that the friction may have, there is one solution, e.g. for gears whose rotors
turn much faster than the joints. Else the equations of a rigid arm may have none, or several: a gear may lock
(Painleve's paradox), and its backlash and springs decide the motion. A state is solved if the residual of the equations
is only rounding, and the pivots of N are above zero.

Constraints A qdd = b with multipliers lambda, C_k lambda of which joint k transmits, give

    N qdd + E lambda = tau - h - d - sum_k B_k^T (c_k + s_k h_k),    E = A^T + sum_k B_k^T s_k C_k,

solved by S = A N^-1 E, whose pivots must be above zero too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.articulated_bodies import require_joint_inertia
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.load_laws import (
    STEPS_OF_CURVES,
    LoadedFriction,
    NewtonStep,
    holds,
    lines,
    loaded_bodies,
    loaded_friction,
    or_nan,
    other_laws,
    until_settled,
)
from armdyn.algorithms.newton_euler import base_motion, links_in_motion, loads_of_drives
from armdyn.base.exact import is_zero
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.positive_definite import ZeroPivot
from armdyn.spatial.rotations import Array

STEPS = 8
"""Iterations of Newton's method for friction that is piecewise linear in the load."""


class Kept(NamedTuple):
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
    reciprocal: list[Any]

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


class Equations(NamedTuple):
    """The linear part of the equations: M qdd + h = tau, and the loads' rows of M_bodies B and of h by body.

    Args:
        M: with rotors and couplings, in the order of q.
        rest: tau - h - d, in the order of q.
        B: the velocity of each body with friction under load per coordinate rate.
        of_loads: (M_bodies B)_k of these bodies.
        h: of these bodies.
    """

    M: Array
    rest: Array
    B: dict[int, Array]
    of_loads: dict[int, Array]
    h: dict[int, Any]


def accelerations_of_coupled(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    *wrenches_and_base: Array | None,
    near: Mapping[int, Any] | None,
    kept: Kept | None = None,
) -> tuple[Array, Mapping[int, Any], Callable[[Array], Array], Mapping[int, Any], Array]:
    """The parts of `armdyn.algorithms.load_friction.UnderLoad`, from the arguments of `accelerations_under_load`.

    ``kept`` are constraints, whose multipliers are in the place of the reactions.
    """
    drive, rates = mechanism.drive, mechanism.drive.rates(qd)
    equations = _equations(mechanism, q, qd, tau, *wrenches_and_base)

    def step(friction: Mapping[int, LoadedFriction], loads: Mapping[int, Any]) -> NewtonStep:
        N = _eliminated(mechanism, _matrix(equations, friction))
        qdd = N.solve(_right_side(equations, friction, loads))
        if kept is None:
            found = {k: row @ qdd + equations.h[k] for k, row in equations.of_loads.items()}
            return NewtonStep.of(drive, rates, friction, qdd, found)
        by_multipliers, S = _schur_complement(equations, kept, friction, N)
        multipliers = S.solve(kept.A @ qdd - kept.b)
        qdd = qdd - by_multipliers @ multipliers
        of_constraints = {k: row @ multipliers for k, row in kept.of_loads.items()}
        found = {k: row @ qdd + equations.h[k] + of_constraints[k] for k, row in equations.of_loads.items()}
        return NewtonStep.of(drive, rates, friction, qdd, found, multipliers)

    loads = near or dict.fromkeys(equations.B, 0.0)
    start = loaded_friction(drive, rates, loads)
    found = until_settled(step, start, loads, _steps(drive), near=bool(near))
    qdd, loads, friction = found.qdd, found.loads, found.friction
    N = _eliminated(mechanism, _matrix(equations, friction))
    pivots = list(N.reciprocal)
    if kept is None:
        against = np.zeros(0)
    else:
        against = kept.A.T @ found.reactions
        pivots += _schur_complement(equations, kept, friction, N)[1].reciprocal
    solved = _all([*_holding(equations, friction, qdd, against), *(pivot > 0.0 for pivot in pivots)])
    forces = {k: own.force for k, own in friction.items()}
    found = found.where(or_nan(solved), constrained=kept is not None)
    return found.qdd, loads, N.solve, forces, found.reactions


def _steps(drive: Drive) -> int:
    """The number of steps of Newton's method."""
    return STEPS_OF_CURVES if None in [lines(drive, k) for k in loaded_bodies(drive)] else STEPS


def _equations(mechanism: Mechanism, q: Array, qd: Array, tau: Array, *wrenches_and_base: Array | None) -> Equations:
    """M, h and their parts by joint."""
    drive, loaded = mechanism.drive, loaded_bodies(mechanism.drive)
    of_links = links_mass(mechanism, q)
    h = _loads_at_no_acceleration(mechanism, q, qd, *wrenches_and_base)
    rates = drive.rates(qd)
    rubbing = other_laws(drive).friction_forces(rates, [0.0] * len(rates))
    B = np.column_stack([drive.rates(unit) for unit in np.eye(drive.size)])
    return Equations(
        drive.filled(drive.mass_matrix(of_links)),
        tau - drive.forces([load + rub for load, rub in zip(h, rubbing, strict=True)]),
        {k: B[k] for k in loaded},
        {k: _row(of_links, k) @ B for k in loaded},
        {k: h[k] for k in loaded},
    )


def _loads_at_no_acceleration(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> list[Any]:
    """The loads that the joints transmit at qdd = 0, by body."""
    mechanism, drive = regroup(mechanism), mechanism.drive
    q, qd, at_rest = drive.positions(q), drive.rates(qd), drive.rates(np.zeros(drive.size))
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    _, wrenches = links_in_motion(mechanism, q, qd, at_rest, base, f_tip, f_ext)
    return loads_of_drives(mechanism, q, wrenches, qd)


def _row(of_bodies: list[dict[int, Any]], k: int) -> Array:
    """Row k of a symmetric matrix that is given by the columns above its diagonal."""
    row = np.zeros(len(of_bodies), dtype=object)
    for j, column in enumerate(of_bodies):
        if k in column:
            row[j] = column[k]
    for j, entry in of_bodies[k].items():
        row[j] = entry
    return row


def _matrix(equations: Equations, friction: Mapping[int, LoadedFriction]) -> Array:
    """N = M + sum_k B_k^T s_k (M_bodies B)_k."""
    slopes = (np.outer(equations.B[k], equations.of_loads[k] * own.slope) for k, own in friction.items())
    return np.asarray(sum(slopes, start=equations.M))


def _right_side(equations: Equations, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Any]) -> Array:
    """tau - h - d - sum_k B_k^T (c_k + s_k h_k), with c_k = f_k - s_k l_k."""
    at_rest = (equations.B[k] * (own.force - own.slope * (loads[k] - equations.h[k])) for k, own in friction.items())
    return np.asarray(equations.rest - sum(at_rest))


def _eliminated(mechanism: Mechanism, N: Array) -> Elimination:
    """N = U L, by elimination from the tips inwards, which fills in no zero of a tree.

    Raises:
        ModelError: a joint moves no inertia.
    """

    def check(i: int, pivot: Any) -> None:
        require_joint_inertia(mechanism, mechanism.model.coordinates[i].name, pivot)

    return _factors(N, mechanism.drive.order, check)


def _factors(N: Array, order: list[int], check: Callable[[int, Any], None]) -> Elimination:
    """N = U L, from the last of the order to the first; ``check`` gets the place and the pivot of each."""
    N = N[np.ix_(order, order)].astype(object)
    reciprocal: list[Any] = [0.0] * len(order)
    for k in reversed(range(len(order))):
        check(order[k], N[k, k])
        reciprocal[k] = 1.0 / N[k, k]
        for i in range(k):
            N[i, k] = N[i, k] * reciprocal[k]
            for j in range(k):
                N[i, j] = N[i, j] - N[i, k] * N[k, j]
    return Elimination(order, N, reciprocal)


def _schur_complement(
    equations: Equations, kept: Kept, friction: Mapping[int, LoadedFriction], N: Elimination
) -> tuple[Array, Elimination]:
    """N^-1 E, and the factors of S = A N^-1 E.

    Raises:
        ZeroPivot: a row follows from those before it.
    """

    def check(row: int, pivot: Any) -> None:
        if is_zero(pivot):
            raise ZeroPivot(row)

    slopes = (np.outer(equations.B[k], kept.of_loads[k] * own.slope) for k, own in friction.items())
    by_multipliers = N.solve(np.asarray(sum(slopes, start=kept.A.T)))
    return by_multipliers, _factors(kept.A @ by_multipliers, list(reversed(range(len(kept.A)))), check)


def _holding(equations: Equations, friction: Mapping[int, LoadedFriction], qdd: Array, against: Array) -> Iterator[Any]:
    """1 if an equation holds, else 0, for each with friction under load; ``against`` is A^T lambda, if there is any."""
    for i in range(len(qdd)):
        rubbing = [-B[i] * friction[k][0] for k, B in equations.B.items() if B[i]]
        if rubbing:
            yield holds([equations.rest[i], *(-equations.M[i] * qdd), *rubbing, *(-one for one in against[i : i + 1])])


def _all(conditions: list[Any]) -> Any:
    """The product of the conditions."""
    result = 1.0
    for condition in conditions:
        result = result * condition
    return result
