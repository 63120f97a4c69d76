"""The changes of velocity of a traced arm by impulses, or of acceleration by forces, and the bounded ones of its rows.

The links respond together, in the metric of M^-1 within their constraints, each rotor on a spring by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.factors import Factors
from armdyn.base.threads import cached_property
from armdyn.constraints.multipliers import moved_within
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip, less_equal
from armdyn.simulation.elements.stops import Hits
from armdyn.simulation.system.bounded import Impulses, bounded_impulses
from armdyn.simulation.system.friction_rows import FrictionRows
from armdyn.spatial.rotations import Array

QUICK = {"sweeps": 1, "rounds": 2}
"""Sweeps and rounds of `bounded_impulses` for rows that are coordinates: one sweep mostly finds the active set."""


class ConstraintRows(NamedTuple):
    """Constraints A qdd + drift = 0 of the links."""

    A: Array
    drift: Array


class Response:
    """The response of an arm in a state.

    The links are those on the links' side of springs, without friction; rotors have inertias of their own.
    """

    def __init__(
        self,
        links: Mechanism,
        rows: FrictionRows,
        factors: Factors,
        constraints: ConstraintRows | None,
        rotors: Sequence[Any] | Array = (),
    ) -> None:
        self.links, self.rows, self.factors = links, rows, factors
        self.constraints, self.inertias = constraints, np.asarray(rotors, dtype=object)

    @property
    def independent(self) -> bool:
        """True if the rows of the links are coordinates without constraints."""
        own = self.rows.own[: self.rows.of_links]
        return self.constraints is None and len(own) > 0 and bool((own >= 0).all())

    def accelerations(self, pushed: Array) -> Array:
        """Accelerations of the links by joint forces."""
        if self.constraints is None:
            return self.factors.solve(pushed)
        return np.asarray(moved_within(self.links, *self.constraints, self.factors, pushed).qdd)

    def within(self, v: Array) -> Array:
        """Velocities without their part that violates the constraints."""
        if self.constraints is None:
            return v
        n, A = self.rows.n, self.constraints.A
        change = moved_within(self.links, A, A @ v[:n], self.factors, np.zeros(n)).qdd
        return np.concatenate([v[:n] + change, v[n:]])

    @cached_property
    def columns(self) -> Array:
        """Changes of velocity by impulses of one along each row, (m, coordinates)."""
        rows, n, first = self.rows.matrix, self.rows.n, self.rows.of_links
        result = np.zeros(rows.shape, dtype=object)
        if self.independent:
            result[:first, :n] = self.factors.inverse()[self.rows.own[:first]]
        else:
            result[:first, :n] = self._columns_of(rows[:first, :n])
        for k, rotor in enumerate(self.rows.rotors, start=first):
            result[k, n + rotor] = 1.0 / self.inertias[rotor]
        return result

    def _columns_of(self, rows: Array) -> Array:
        """Changes of velocity of the links by impulses of one along rows (k, n)."""
        if self.constraints is None:
            solved = [np.asarray(self.factors.solve(row.astype(object))) for row in rows]
        else:
            A, none = self.constraints.A, np.zeros(len(self.constraints.A))
            solved = [np.asarray(moved_within(self.links, A, none, self.factors, row).qdd) for row in rows]
        return np.array(solved, dtype=object).reshape(rows.shape)

    def _free(self, rows: Array) -> Array | None:
        """r_j M^-1 r_k^T of rows of the links if there are constraints, else None."""
        if self.constraints is None:
            return None
        inwards = np.array([self.factors.inwards(row) for row in rows])
        return np.asarray(inwards @ np.array([self.factors.over_D(list(one)) for one in inwards]).T)

    def bounded(
        self,
        v0: Array,
        low: Array,
        high: Array,
        cancelled: Array | None = None,
        hits: Hits | None = None,
    ) -> Impulses:
        """Velocities, or accelerations, with impulses, or forces, of the rows within bounds (boxed LCP).

        Args:
            v0: without them, of all coordinates, or of the links alone: then with the impulses of their rows alone.
            low, high: bounds, (m,).
            cancelled: velocities of the links from which constraints have left v0.
            hits: unilateral rows of the links, whose impulses follow those of its friction.
        """
        n, first = self.rows.n, self.rows.of_links
        links = self._of_links(v0[:n], low[:first], high[:first], cancelled, hits)
        if len(v0) == n:
            return links
        v, none = v0[n:].copy(), less_equal(abs(v0[n:]), 0.0)
        impulses, rests = [], []
        for k, rotor in enumerate(self.rows.rotors, start=first):
            stopping = -self.inertias[rotor] * v0[n + rotor]
            one = clip(stopping, low[k], high[k])
            v[rotor] = v0[n + rotor] + one / self.inertias[rotor]
            impulses.append(one)
            rests.append(less_equal(low[k], stopping) * less_equal(stopping, high[k]))
        parts = zip(links, (v, impulses, rests, none), strict=True)
        return Impulses(*(np.array([*a, *b], dtype=object) for a, b in parts))

    def _of_links(
        self,
        v0: Array,
        low: Array,
        high: Array,
        cancelled: Array | None,
        hits: Hits | None,
    ) -> Impulses:
        """The bounded impulses of the rows of the links."""
        n, first = self.rows.n, self.rows.of_links
        matrix, columns = self.rows.matrix[:first, :n], self.columns[:first, :n]
        how: dict[str, Any] = {"independent": True} | QUICK if self.independent else {}
        if hits is not None:
            matrix, columns = (
                np.concatenate(both)
                for both in ((matrix, hits.rows.matrix), (columns, self._columns_of(hits.rows.matrix)))
            )
            most = hits.largest_forces(np.diagonal(hits.rows.matrix @ columns[first:].T))
            low, high = np.concatenate([low, np.zeros(len(most))]), np.concatenate([high, most])
            how = {"target": np.concatenate([np.zeros(first), hits.target])}
        if not len(matrix):
            none = np.zeros(0, dtype=object)
            return Impulses(v0, none, none, less_equal(abs(v0), 0.0))
        return bounded_impulses(v0, matrix, columns, low, high, free=self._free(matrix), cancelled=cancelled, **how)
