"""Contact modes of each dry coordinate during a step: stick, slip, stop, break away or reverse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from armdyn.program import greater, less, less_equal, maximum, select
from armdyn.simulation.sticking.slip_friction import SlipFriction
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""The part by which an impulse may be beyond its bounds, and is at them."""

CORRECTED = ("turns", "held", "direction", "r")
"""Fields of a guess that differ from another one of the step."""


@dataclass(frozen=True, eq=False)
class Doings:
    """A guess of the sticking and slipping of each dry coordinate in a step, as arrays of traced scalars.

    A condition decides in one select only, else arithmetic does, so that a compiled loop can leave out what a step
    without changes does not need (`armdyn.targets.llvm.conditional`).

    Args:
        slip: its direction when the step begins, 0 at rest.
        turns: 1 if it comes to rest within the step, else 0.
        held: 1 if it is held at rest when the step ends, else 0.
        direction: of its slip if it is not held, 1 or -1.
        r: the time before the end of the step in which its mode differs from that before, s.
        taken: the friction of the predicted step in that time.
        h: the length of the step, s.
    """

    slip: Array
    turns: Array
    held: Array
    direction: Array
    r: Array
    taken: Array
    h: Any

    @classmethod
    def first(cls, friction: SlipFriction, holding: Array, later: Array, h: Any) -> Doings:
        """The guess by the predicted step: by velocities at its beginning and end, and the friction that holds.

        Coordinates that turn in the step of the method, to velocities ``later``, turn too; at its end if not in this
        one.
        """
        slip, before, predicted = (x[friction.dry] for x in (friction.arm.slip, friction.before, friction.predicted))
        (least, most), slipping = friction.at_rest(friction.loads), friction.slipping(slip, friction.loads)
        moves = slip * slip
        rests = 1.0 - moves
        above, below = less_equal(least, holding), less_equal(holding, most)  # neither of them of NaN
        if friction.loads:  # a compiled loop leaves out friction under load if no joint rests
            above, below = select(sum(rests), above, 0.0), select(sum(rests), below, 0.0)
        crosses = less(slip * predicted, 0.0)
        turns = either(crosses, less(slip * later[friction.dry], 0.0))
        held = rests * above * below + turns
        r = select(rests, h, h * part_behind_zero(crosses, before, predicted))
        stops = largest(r * moves)  # joints that this releases, it releases then
        r = r + held * rests * less(0.0, stops) * (stops - h)
        taken = select(rests, holding, slipping.force[friction.dry])
        return cls(slip, turns, held, slip + rests * (above - below), r, taken, h)

    def corrected(self, least: Array, most: Array, before: Array, after: Array, impulses: Array) -> tuple[Doings, Any]:
        """The guess with the contradicted modes changed, and a number above 0 if any is.

        Args:
            least, most: the friction that each may take at rest.
            before: velocities at the begin of the step.
            after: velocities at its end, by the solution; without meaning for held coordinates.
            impulses: of friction on each, in addition to those of the predicted step.
        """
        # friction of held coordinates is taken - impulse/r, which must be within the friction at rest
        forwards = self.held * less(impulses, self.r * (self.taken - most))
        backwards = self.held * greater(impulses, self.r * (self.taken - least))
        opposed = (1.0 - self.held) * less(self.direction * after, 0.0)
        slips_on = self.slip * self.slip * (1.0 - self.turns) * opposed  # but does not, as others change
        against = opposed * less(least, most)  # coordinates that nothing holds reverse instead
        released = forwards + backwards
        direction = select(released, forwards - backwards, self.direction)
        direction = direction * (1.0 - 2.0 * opposed * (1.0 - against))
        r = self.r + slips_on * (self.h * part_behind_zero(slips_on, before, after) - self.r)
        held, turns = self.held - released + against, self.turns + slips_on
        return replace(self, held=held, turns=turns, direction=direction, r=r), sum(released + opposed)

    def unless(self, condition: Any, other: Doings) -> Doings:
        """The guess, or if the condition is above 0 another one of the step."""
        changed = {name: select(condition, getattr(other, name), getattr(self, name)) for name in CORRECTED}
        return replace(self, **changed)

    def contradicted(self, least: Array, most: Array, after: Array, impulses: Array) -> Any:
        """Above 0 if the solution disagrees with the guess, else 0.

        Held coordinates need an impulse within their bounds over the whole step; slipping ones must slip in their
        direction.
        """
        taken = self.h * self.taken - impulses
        slack = ROUNDING * self.h * (abs(least) + abs(most))
        beyond = self.held * (less(taken, self.h * least - slack) + less(self.h * most + slack, taken))
        return sum(beyond + (1.0 - self.held) * less(self.direction * after, 0.0))

    def heat(self, before: Array, after: Array, impulses: Array) -> Array:
        """Dissipated energy of each on paths with constant accelerations before and after a stop, J; never below 0."""
        slips_on = self.slip * self.slip * (1.0 - self.turns)
        taken = self.h * self.taken - impulses
        until_stop = self.taken * (self.h - self.r) * before
        each = slips_on * taken * (before + after) + (1.0 - slips_on) * (
            until_stop + (self.taken * self.r - impulses) * after * (1.0 - self.held)
        )
        found: Array = 0.5 * each
        return found

    @property
    def changes(self) -> Array:
        """1 for each coordinate whose mode at the end of the step differs from that before, else 0."""
        found: Array = self.turns + (1.0 - self.slip * self.slip) * (1.0 - self.held)
        return found

    @property
    def any_changes(self) -> Any:
        """Above 0 if the mode of any coordinate changes."""
        return sum(self.changes)

    @property
    def longest(self) -> Any:
        """The longest time with a changed mode of any coordinate, s; 0 if none changes."""
        return largest(select(self.changes, self.r, 0.0))

    @property
    def of_others(self) -> Any:
        """Time in which loads of coordinates that slip on change, by mode changes of others; h if none changes."""
        return self.longest + self.h * less_equal(self.longest, 0.0)

    @property
    def times(self) -> Array:
        """The time in which the load of each changes, which is above 0."""
        slips_on = self.slip * self.slip * (1.0 - self.turns)
        found: Array = slips_on * self.of_others + (1.0 - slips_on) * self.r
        return found


def either(a: Any, b: Any) -> Any:
    """1 if one of two conditions of 1 or 0 is 1: fewer instructions than their maximum, which handles NaN."""
    return a + b * (1.0 - a)


def largest(of: Array) -> Any:
    """The largest of some scalars, traced."""
    largest = of[0]
    for one in of[1:]:
        largest = maximum(largest, one)
    return largest


def part_behind_zero(crosses: Array, before: Array, after: Array) -> Array:
    """The fraction of a step after a velocity passes through zero, 0 if it does not."""
    found: Array = crosses * after / select(crosses, after - before, 1.0)
    return found
