"""Joint stops and contacts that push and never pull: gaps g(q) >= 0, with the rows a(q) = dg/dq of their forces.

In a time step, traced, they are unilateral rows with restitution in its boxed LCP. A gap is active in a step that would
end with g < 0 and a . v < 0: by the method, and if the method evaluates the forces once, by constant acceleration and
after changes of dry friction too. The predicted motion along it is that of a constant acceleration b from the rate at
the beginning to the rate s at the end, so that it hits at the rate s_hit = -sqrt(s^2 - 2 b g), a time
t = 2 g/(s + s_hit) before the end. Newton's law of restitution gives the rebound -e s_hit there, and at the end

    a . v >= u = max(-e s_hit + b t, 0),    complementary to the force f >= 0 of the row,

and the gap -e s_hit t + b t^2/2, or 0 if the row stays closed. A rebound that ends within the step counts as zero, so
that ever smaller ones end. Friction of the joints has its bounds during the whole step (Moreau 1988). A hit by one row
is exact for constant accelerations; several in a step, and a force that acts for a part of it, cost an error of the
order of h.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.advice import answering_class, either
from armdyn.base.checks import number
from armdyn.base.errors import SettingError
from armdyn.base.fields import set_fields
from armdyn.constraints import PointOnPlane
from armdyn.constraints.equations import all_equations
from armdyn.model.joint_units import UNITS
from armdyn.model.mechanism import Mechanism
from armdyn.motion.labels import Label
from armdyn.program import clip, less, less_equal, maximum, select
from armdyn.robot import Robot
from armdyn.simulation.elements.events import limits_of
from armdyn.simulation.system.bounded import largest
from armdyn.spatial.rotations import Array

RESTING_SPEED = 1e-6
"""rad/s or m/s: a rebound that is slower ends a sequence of ever smaller ones."""

TOUCHED = 1e-8
"""A barrier is touched if its gap, rad or m, is below this; an initial state that penetrates one further is refused."""

OF_ROUNDING = 1e-12
"""Rounding error, rad or m, rad/s or m/s, of a gap that linear algebra closed."""

LARGE = 1e3
"""The largest force of a row over the one that would close it alone, and over those of the other rows."""


@answering_class({"limits": "limits are the robot's: robot.with_limits({'joint': (-1.0, 1.0)})"})
@dataclass(frozen=True)
class Stops:
    """The limits of joints as stops that the joints hit, press against and leave.

    Args:
        restitution: e, speed after a hit over speed before: 0 inelastic, the joint comes to rest at the stop; 1
            elastic, no energy is dissipated.
        joints: names of the joints; all that have limits by default.
        resting_speed: speed below which a rebound counts as zero, rad/s or m/s.

    >>> Stops(restitution=0.5)
    Stops(restitution=0.5, joints=None, resting_speed=1e-06)
    """

    restitution: float = 0.0
    joints: Sequence[str] | None = None
    resting_speed: float = RESTING_SPEED

    def __post_init__(self) -> None:
        set_fields(self, restitution=_restitution(self.restitution))
        speed = number("resting_speed", self.resting_speed, above=0.0, error=SettingError)
        set_fields(self, resting_speed=speed)
        if self.joints is not None:
            set_fields(self, joints=(self.joints,) if isinstance(self.joints, str) else tuple(self.joints))


@answering_class(
    dict.fromkeys(
        ("frame", "normal", "through", "point", "name"),
        "the point and its plane are plane=armdyn.constraints.PointOnPlane('tip', normal=(0, 0, 1))",
    )
)
@dataclass(frozen=True)
class Contact:
    """A point that a plane holds up: it pushes along its normal and never pulls, without friction.

    A pen on paper (Modern Robotics 8.7): the contact opens when keeping it would need a pull, and closes again when
    the point returns to the plane.

    Args:
        plane: the point and its plane; the normal points to the side on which the point may be.
        restitution: e, speed after a hit over speed before: 0 inelastic, 1 elastic.
        resting_speed: speed below which a rebound counts as zero, m/s.
    """

    plane: PointOnPlane
    restitution: float = 0.0
    resting_speed: float = RESTING_SPEED

    def __post_init__(self) -> None:
        if not isinstance(self.plane, PointOnPlane):
            raise SettingError(
                f"Contact of {self.plane!r}; expected a plane, as armdyn.constraints.PointOnPlane('tip', (0, 0, 1))"
            )
        set_fields(self, restitution=_restitution(self.restitution))
        speed = number("resting_speed", self.resting_speed, above=0.0, unit="m/s", error=SettingError)
        set_fields(self, resting_speed=speed)


def _restitution(value: float) -> float:
    e = number("restitution", value, least=0.0, error=SettingError)
    if e > 1.0:
        raise SettingError(f"restitution is {e:g}; expected a number between 0 (inelastic) and 1 (elastic)")
    return e


class Barriers:
    """All stops and contacts of a robot: names, coefficients of restitution, gaps and their rows, in one order.

    Args:
        robot: the robot of the joints and frames.
        stops: of joints.
        contacts: of points.
        size: the number of positions in q, those of the joints first; by default the number of joints.
    """

    def __init__(self, robot: Robot, stops: Stops | None, contacts: Sequence[Contact], size: int | None = None) -> None:
        limits = [] if stops is None else limits_of(robot, stops.joints)
        if stops is not None and not limits:
            remedy = either("with_limits gives some", "the description gives some")
            raise SettingError(
                f"{either('Stops', '--set stops')} is given, but no such joint of {robot.name!r} has limits; {remedy}"
            )
        self.stops, self.contacts = len(limits), len(contacts)
        self.names = [f"{one.joint} {one.side} stop" for one in limits]
        self.names += [contact.plane.name for contact in contacts]
        each = [stops] * len(limits) + list(contacts) if stops is not None else list(contacts)
        self.restitution = np.array([one.restitution for one in each])
        self.resting_speed = np.array([one.resting_speed for one in each])
        self._kinds = [one.kind for one in limits]
        self._limits = np.array([one.limit - one.offset for one in limits])
        self._offsets = np.array([one.offset for one in limits])
        self._signs = np.array([one.sign for one in limits])
        self._dof = robot.dof
        self._positions = np.zeros((len(limits), robot.dof if size is None else size))
        self._rows = np.zeros((len(self), self._positions.shape[1]))
        for k, one in enumerate(limits):
            self._positions[k, : robot.dof] = one.row
            self._rows[k] = one.sign * self._positions[k]
        self._alone = np.count_nonzero(self._positions, axis=1) == 1
        self._places = self._positions.argmax(axis=1) if limits else np.zeros(0, dtype=int)
        self.planes = tuple(contact.plane for contact in contacts)
        self._planes = robot.without_constraints().with_constraints(*(c.plane for c in contacts)) if contacts else None

    def __len__(self) -> int:
        return len(self.names)

    def stop_gaps(self, q: Array) -> Array:
        """Gaps of the stops alone, rad or m, also of traced positions."""
        gaps: Array = self._signs * (q @ self._positions.T - self._limits)
        return gaps

    def stop_rows(self, size: int) -> Array:
        """Rows of the stops alone, (stops, size)."""
        return self._rows[: self.stops, :size]

    def labels(self) -> dict[str, tuple[Label, ...]]:
        """Names and units of the forces of stops and contacts, by the names of these signals."""
        stops = tuple(Label(name, UNITS[kind]["tau"]) for name, kind in zip(self.names, self._kinds, strict=False))
        contacts = tuple(Label(name, "N") for name in self.names[self.stops :])
        return {"stop_force": stops, "contact_force": contacts}

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the gaps: rad or m."""
        return (*(UNITS[kind]["q"] for kind in self._kinds), *("m",) * self.contacts)

    def stops_of_coordinates(self) -> dict[int, tuple[int, int, float]]:
        """The coordinate, the side and the limit of each stop of a joint that is a coordinate, by its number.

        The side is -1 of the lower limit, 1 of the upper one.
        """
        own = self._alone & (self._positions[np.arange(self.stops), self._places] == 1.0)
        places, sides = self._places, -self._signs.astype(int)
        return {int(k): (int(places[k]), int(sides[k]), float(self._limits[k])) for k in np.flatnonzero(own)}

    def gaps(self, q: Array) -> Array:
        """g(q), rad or m, shape (..., barriers)."""
        stops = self.stop_gaps(q)
        if self._planes is None:
            return stops
        return np.concatenate([stops, self._planes.constraint_error(q[..., : self._dof])], axis=-1)

    def require_free(self, q: Array) -> None:
        """Raise a SettingError for initial positions beyond a stop or contact, shape (..., size)."""
        gaps = self.gaps(q) if len(self) else np.zeros(0)
        beyond = np.argwhere(gaps < -TOUCHED)
        if len(beyond):
            *arm, place = map(int, beyond[0])
            raise SettingError(
                f"q0{f' of arm {tuple(arm)}' if arm else ''} is {-gaps[tuple(beyond[0])]:.3g} {self.units[place]} "
                f"behind {self.names[place]!r}{self._against(q[tuple(arm)], place)}; a motion starts before its stops "
                "and on the free side of its contacts"
            )

    def _against(self, q: Array, place: int) -> str:
        """The position of a joint and the limit that is its stop, for messages; empty of contacts."""
        if place >= self.stops:
            return ""
        limit, sign = float(self._limits[place]), float(self._signs[place])
        offset = float(self._offsets[place])
        limit, position = limit + offset, limit + offset + sign * float(self.stop_gaps(q)[place])
        return f", at {position:.6g} beyond the limit {limit:.6g} {self.units[place]}"

    def at_held_stops(self, q: Array, qd: Array, held: Array) -> tuple[Array, Array]:
        """The state with joints at rest exactly on the stops that hold them, if rounding alone separates them."""
        places = self._places
        near = held[: self.stops] & self._alone & (np.abs(q[places] - self._limits) < OF_ROUNDING)
        q, qd = q.copy(), qd.copy()
        q[places[near]] = self._limits[near]
        slow = near & (np.abs(qd[places]) < OF_ROUNDING)
        qd[places[slow]] = 0.0
        return q, qd

    def rows(self, q: Array) -> Array:
        """a(q) = dg/dq, shape (barriers, size)."""
        if self._planes is None:
            return self._rows
        rows = self._rows.copy()
        rows[self.stops :, : self._dof] = self._planes.constraint_jacobian(q[: self._dof])
        return rows

    def drift(self, q: Array, qd: Array) -> Array:
        """The part adot qd of the second rate of g, rad/s^2 or m/s^2, shape (barriers,)."""
        zero = np.zeros(self.stops)
        if self._planes is None:
            return zero
        return np.concatenate([zero, self._planes.constraint_drift(q[: self._dof], qd[: self._dof])])


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

    def hits(self, v: Array) -> tuple[Array, Array]:
        """1 for each row that is closed and approaches at these velocities, else 0; the rate at which it does."""
        rates = self.matrix @ v
        active = less(self.gaps, 0.0) * less(rates, 0.0)
        return np.asarray(active), np.asarray(-active * rates)


class Hits:
    """The rebounds of active rows in a step.

    Args:
        rows: at the predicted end of the step.
        active: 1 for each active row, else 0.
        closing: the rates at which active rows close, rad/s or m/s; 0 of the others.
        before, after: predicted velocities of the links at the beginning and at the end, (n,).
        h: length of the step, s.
    """

    def __init__(
        self, rows: UnilateralRows, active: Array, closing: Array, before: Array, after: Array, h: Any
    ) -> None:
        self.rows, self.active, self.closing, self.h = rows, active, closing, h
        self.gaps, self.rates = active * rows.gaps, rows.matrix @ after
        grows = (self.rates - rows.matrix @ before) / h  # b
        square = self.rates * self.rates - 2.0 * grows * self.gaps
        moves = active * less(0.0, square) * less(self.rates, 0.0)
        hits = -select(moves, np.sqrt(select(moves, square, 1.0)), 0.0)
        closes = active * less(self.rates, 0.0)
        self.since = closes * clip(2.0 * self.gaps / select(closes, self.rates + hits, -1.0), 0.0, h)
        rebound = -rows.barriers.restitution * hits
        rebound = rebound * less(rows.barriers.resting_speed, rebound)
        self.target = active * maximum(rebound + grows * self.since, 0.0)
        self.leaves = less(0.0, self.target)
        self.later = self.leaves * self.since * (rebound + 0.5 * grows * self.since)
        """Gaps at the end, rad or m."""

    def times(self, after: Array, size: int) -> Array:
        """The time since the hits during which each coordinate has its new velocity, s, for velocities ``after``."""
        changes = self.rows.matrix @ after - self.rates
        changes = select(self.active * less(0.0, abs(changes)), changes, 1.0)
        each = maximum(self.active * (self.later - self.gaps) / changes, -0.5 * self.h)
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
        most = largest(self.active * maximum(abs(self.target - self.rates), self.closing) / roots)
        return np.asarray(LARGE * self.active * most / roots)
