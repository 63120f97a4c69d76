"""Stops and contacts in a time-stepping step, traced: unilateral rows with restitution in its boxed LCP.

A gap g(q) >= 0 with the row a = dg/dq is active in a step that would end with g < 0 and a . v < 0. The predicted motion
along it is that of a constant acceleration b from the rate at the beginning to the rate s at the end, so that it hits
at the rate s_hit = -sqrt(s^2 - 2 b g), a time t = 2 g/(s + s_hit) before the end. Newton's law of restitution gives the
rebound -e s_hit there, and at the end

    a . v >= u = max(-e s_hit + b t, 0),    complementary to the force f >= 0 of the row,

and the gap -e s_hit t + b t^2/2, or 0 if the row stays closed. A rebound that ends within the step counts as zero, so
that ever smaller ones end. Friction of the joints has its bounds during the whole step (Moreau 1988). A hit by one row
is exact for constant accelerations; several in a step, and a force that acts for a part of it, cost an error of the
order of h.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from armdyn.constraints.equations import all_equations
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip, less, less_equal, maximum, select
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.system.bounded import largest
from armdyn.spatial.rotations import Array

LARGE = 1e3
"""The largest force of a row over the one that would close it alone, and over those of the other rows."""


class UnilateralRows:
    """The gaps of an arm at the end of a predicted step, and the rates that the rows are to have there.

    Args:
        barriers: stops and contacts.
        links: the traced arm.
        q: predicted joint positions, rad or m, shape (n,).
    """

    def __init__(self, barriers: Barriers, links: Mechanism, q: Array) -> None:
        self.barriers = barriers
        self.gaps, self.matrix = barriers.stop_gaps(q), barriers.stop_rows(len(q)).astype(object)
        if barriers.planes:
            constrained = dataclasses.replace(links, model=links.model.replace(constraints=barriers.planes))
            phi, A, _ = all_equations(constrained, q)
            self.gaps, self.matrix = np.concatenate([self.gaps, phi]), np.concatenate([self.matrix, A])

    def active(self, v: Array) -> Array:
        """1 for each row that is closed and approaches at these velocities, else 0."""
        return np.asarray(less(self.gaps, 0.0) * less(self.matrix @ v, 0.0))


class Hits:
    """The rebounds of active rows in a step.

    Args:
        rows: at the predicted end of the step.
        active: 1 for each active row, else 0.
        before, after: predicted velocities of the links at the beginning and at the end, (n,).
        h: length of the step, s.
    """

    def __init__(self, rows: UnilateralRows, active: Array, before: Array, after: Array, h: Any) -> None:
        self.rows, self.active = rows, active
        self.gaps, self.rates = active * rows.gaps, rows.matrix @ after
        grows = (self.rates - rows.matrix @ before) / h  # b
        square = self.rates * self.rates - 2.0 * grows * self.gaps
        moves = active * less(0.0, square)
        hits = -select(moves, np.sqrt(select(moves, square, 1.0)), 0.0)
        self.since = clip(2.0 * self.gaps / select(active, self.rates + hits, -1.0), 0.0, h)
        rebound = -rows.barriers.restitution * hits
        rebound = rebound * less(rows.barriers.resting_speed, rebound)
        self.target = active * maximum(rebound + grows * self.since, 0.0)
        self.leaves = less(0.0, self.target)
        self.later = self.leaves * self.since * (rebound + 0.5 * grows * self.since)
        """Gaps at the end, rad or m."""

    def times(self, after: Array, size: int) -> Array:
        """The time since the hits during which each coordinate has its new velocity, s, for velocities ``after``."""
        changes = select(self.active, self.rows.matrix @ after - self.rates, 1.0)
        each = self.active * (self.later - self.gaps) / changes
        times = np.full(size, largest(each), dtype=object)
        for k, (i, *_) in self.rows.barriers.stops_of_coordinates().items():
            times[i] = times[i] + self.active[k] * (each[k] - times[i])
        return times

    def at_rest(self, q: Array, qd: Array, rests: Array) -> tuple[Array, Array]:
        """The state with joints exactly at rest at the stops that hold them.

        Args:
            q, qd: of the links at the end of the step.
            rests: 1 for each row that has its target rate, else 0.
        """
        q, qd = q.copy(), qd.copy()
        for k, (i, _, limit) in self.rows.barriers.stops_of_coordinates().items():
            still = self.active[k] * rests[k] * (1.0 - self.leaves[k])
            q[i], qd[i] = select(still, limit, q[i]), select(still, 0.0, qd[i])
        return q, qd

    def largest_forces(self, diagonal: Array) -> Array:
        """Upper bounds of the forces, from the rates that forces of one give to their own rows; 0 of inactive rows."""
        roots = np.sqrt(diagonal + less_equal(diagonal, 0.0))
        most = largest(self.active * abs(self.target - self.rates) / roots)
        return np.asarray(LARGE * self.active * most / roots)
