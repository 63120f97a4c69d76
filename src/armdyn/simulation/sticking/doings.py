"""What each dry coordinate does in a step: it sticks, slips on, stops, lets go or turns round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from armdyn.program import greater, less, less_equal, maximum, select
from armdyn.simulation.sticking.slip_friction import SlipFriction
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Doings:
    """A guess of the sticking and slipping of each dry coordinate in a step, as arrays of traced scalars.

    A condition decides in one select only, else arithmetic does, so that a compiled loop can leave out what a step
    without changes does not need (`armdyn.targets.llvm.conditional`).

    Args:
        slip: its direction when the step begins, 0 at rest.
        turns: whether it comes to rest within the step, 1 or 0.
        held: whether it is held at rest when the step ends.
        direction: in which it slips where it is not held, 1 or -1.
        r: the time before the end of the step in which it does something else than before, s.
        taken: the friction that the predicted step has in that time.
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
    def first(cls, friction: SlipFriction, holding: Array, h: Any) -> Doings:
        """The guess by the predicted step: by velocities at its beginning and end, and the friction that holds."""
        slip, before, predicted = (x[friction.dry] for x in (friction.arm.slip, friction.before, friction.predicted))
        (least, most), slipping = friction.at_rest(friction.loads), friction.slipping(slip, friction.loads)
        moves = slip * slip
        rests = 1.0 - moves
        above, below = less_equal(least, holding), less_equal(holding, most)  # neither of them of NaN
        turns = less(slip * predicted, 0.0)
        held = rests * above * below + turns
        r = select(rests, h, h * _part_behind_zero(turns, before, predicted))
        taken = select(rests, holding, slipping.force[friction.dry])
        return cls(slip, turns, held, slip + rests * (above - below), r, taken, h)

    def corrected(self, least: Array, most: Array, after: Array, impulses: Array) -> Doings:
        """The guess with what its solution contradicts changed.

        Args:
            least, most: the friction that each may take at rest.
            after: velocities at the end of the step, by the solution; of what is held without meaning.
            impulses: of friction on each, beside those of the predicted step.
        """
        # what is held takes taken - impulse/r, which must be within the friction at rest
        forwards = self.held * less(impulses, self.r * (self.taken - most))
        backwards = self.held * greater(impulses, self.r * (self.taken - least))
        against = (1.0 - self.held) * self.changes * less(self.direction * after, 0.0)
        released = forwards + backwards
        direction = select(released, forwards - backwards, self.direction)
        return replace(self, held=self.held - released + against, direction=direction)

    @property
    def changes(self) -> Array:
        """1 of what does something else than before at the end of the step."""
        found: Array = self.turns + (1.0 - self.slip * self.slip) * (1.0 - self.held)
        return found

    @property
    def any_changes(self) -> Any:
        """Above 0 where any of them does something else than before."""
        return _largest(self.changes)

    @property
    def longest(self) -> Any:
        """The longest time in which any of them does something else than before; 0 where none does."""
        return _largest(select(self.changes, self.r, 0.0))

    @property
    def of_others(self) -> Any:
        """The time in which the load changes of what slips on, as others change what they do; h where none does."""
        return self.longest + self.h * less_equal(self.longest, 0.0)

    @property
    def times(self) -> Array:
        """The time in which the load of each changes, which is above 0."""
        slips_on = self.slip * self.slip * (1.0 - self.turns)
        found: Array = slips_on * self.of_others + (1.0 - slips_on) * self.r
        return found


def _largest(of: Array) -> Any:
    largest = of[0]
    for one in of[1:]:
        largest = maximum(largest, one)
    return largest


def _part_behind_zero(crosses: Array, before: Array, after: Array) -> Array:
    """The part of a step that is left when a velocity passes through zero, 0 where it does not."""
    found: Array = crosses * after / select(crosses, after - before, 1.0)
    return found
