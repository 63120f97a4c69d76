"""A step of joints that stick and slip, traced, without a memory of what they do: for loops that run as one program.

A joint at rest is one whose velocity is exactly zero; it sticks as long as the friction that holds it is within its
breakaway forces. So what a joint does follows from the state, and each step is

1. a step of the method in which every joint goes on as it does: what moves slips, what rests is held. Where no joint
   changes what it does, this is the step.
2. changes of velocity where joints do change, M dqd = p with the impulses p of friction (time stepping, Moreau 1988):
   a joint at rest that would take more than its breakaway force to hold lets go for the whole step; one whose velocity
   passes through zero at a time r before the end is held from then on, or, where friction cannot hold it, turns round
   then. All of them are solved for together, and guesses that the solution contradicts are changed. What is left after
   `PASSES` solutions, where several joints change within one step, the next step finds.

The time of a stop within a step is that of a constant acceleration. A change costs an error of the order of h^2 in the
state, besides the method's own. A joint lets go at the begin of a step: one whose static friction is above its kinetic
friction, and whose load passes it within a step, does so up to h late, with an error of the order of h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armdyn.algorithms.holding_forces import friction_at_rest
from armdyn.algorithms.prescribed import solved_with_prescribed
from armdyn.model.mechanism import Mechanism
from armdyn.program import greater, less, less_equal, maximum, select, sign
from armdyn.simulation.bristles import Bent
from armdyn.simulation.methods import FixedStep
from armdyn.simulation.schemes import State
from armdyn.simulation.sliding_arm import SlidingArm
from armdyn.simulation.sticking import dry_coordinates
from armdyn.spatial.rotations import Array

PASSES, PASSES_OF_FIRST_ORDER = 3, 2
"""Solutions for the changes of velocity in a step: each corrects the guess of the one before of what joints do.

Two are not enough for joints that start together in other directions than they push while they are held; they start a
step late then, which methods of the first order bear.
"""


def stick_slip_step(
    method: FixedStep,
    mechanism: Mechanism,
    state: State,
    h: Any,
    tau: Any,
    f_tip: Any = None,
    bent: Bent | None = None,
) -> State:
    """(q, qd, (W, Q)) a step of a one-step method later, forces held.

    W is the work of all that acts on the arm, less what friction takes, and Q the heat of friction, J.

    Args:
        method: without a memory.
        mechanism: whose dry joints are moved by one coordinate each, without constraints.
        state: (q, qd, (W, Q)).
        h: length of the step, s.
        tau: joint forces, N m or N.
        f_tip: wrench at the tip, (m, f) in the tip frame.
        bent: what bends beside this friction, along this step; its force counts as friction.
    """
    (q, qd, energies), dry = state, dry_coordinates(mechanism.drive)
    slip = np.ones(mechanism.dof, dtype=object)
    slip[dry] = sign(qd[dry])
    arm = SlidingArm(mechanism, slip, tau, f_tip, bent)
    first = arm.solved(q, qd)
    later = method.scheme.formula(arm, (first.x, arm.powers(q, qd)), 0.0, (q, qd, energies), h)
    if not dry:
        return later
    friction = DryFriction.of(arm, dry)
    before, predicted = qd[dry], later[1][dry]
    doings = Doings.first(friction, slip[dry], before, predicted, -first.reactions[dry], h)
    passes = PASSES_OF_FIRST_ORDER if method.scheme.once else PASSES
    changed = _with_changes(arm, friction, doings, dry, q, later, passes)
    # A compiled loop leaves the changes out where no joint of a group of arms does something else than before.
    return tuple(select(doings.any_changes, *both) for both in zip(changed, later, strict=True))


def _with_changes(
    arm: SlidingArm, friction: DryFriction, doings: Doings, dry: list[int], q: Array, later: State, passes: int
) -> State:
    """The state a step later with the changes of velocity of joints that do something else than before."""
    predicted, n, columns = later[1][dry], arm.mechanism.dof, arm.mass_matrix(q)
    for k in range(passes):
        moves, b, given = (np.full(n, x, dtype=object) for x in (1.0, 0.0, 0.0))
        moves[dry], b[dry], given[dry] = 1.0 - doings.held, doings.jumps(friction), -predicted * doings.held
        change, reactions = solved_with_prescribed(arm.bare, columns, moves, b, given)
        impulses = b[dry] + doings.held * reactions[dry]
        after = predicted + change[dry]
        if k < passes - 1:
            doings = doings.corrected(friction, after, impulses)
    after = select(doings.held, 0.0, after)
    moved = (0.5 * doings.longest) * change  # a change of velocity that comes about evenly in this time
    kinetic = 0.5 * impulses @ (predicted + after)
    changed = later[1] + change
    changed[dry] = after
    return later[0] + moved, changed, later[2] + arm.energies_of_change(q, kinetic, moved)


@dataclass(frozen=True, eq=False)
class DryFriction:
    """Bounds of the friction of each dry coordinate, N m or N, as arrays.

    Args:
        least, most: at rest.
        backwards, forwards: from one that begins to slip.
    """

    least: Array
    most: Array
    backwards: Array
    forwards: Array

    @classmethod
    def of(cls, arm: SlidingArm, dry: list[int]) -> DryFriction:
        """Of an arm, by place among its dry coordinates."""
        drive, n = arm.mechanism.drive, arm.mechanism.dof
        at_rest = friction_at_rest(drive, list(np.zeros(len(drive.terms))))
        slipping = (arm.friction(np.zeros(n), np.full(n, side)) for side in (-1.0, 1.0))
        return cls(*(np.asarray(each, dtype=object)[dry] for each in (*at_rest, *slipping)))

    def towards(self, direction: Array) -> Array:
        """That of joints that begin to slip in directions 1 and -1."""
        found: Array = 0.5 * (self.forwards + self.backwards) + 0.5 * (self.forwards - self.backwards) * direction
        return found


@dataclass(frozen=True, eq=False)
class Doings:
    """A guess of the sticking and slipping of each dry coordinate in a step, as arrays of traced scalars.

    Args:
        slip: its direction when the step begins, 0 at rest.
        turns: whether it comes to rest within the step, 1 or 0.
        held: whether it is held at rest when the step ends.
        direction: in which it slips where it is not held, 1 or -1.
        r: the time before the end of the step in which it does something else than before, s.
        taken: the friction that the predicted step has in that time.
    """

    slip: Array
    turns: Array
    held: Array
    direction: Array
    r: Array
    taken: Array

    @classmethod
    def first(
        cls, friction: DryFriction, slip: Array, before: Array, predicted: Array, holding: Array, h: Any
    ) -> Doings:
        """The guess by the predicted step: by velocities at its beginning and end, and the friction that holds."""
        moves = slip * slip
        rests = 1.0 - moves
        above, below = less_equal(friction.least, holding), less_equal(holding, friction.most)  # neither of them of NaN
        turns = less(slip * predicted, 0.0)
        held = rests * above * below + turns
        r = select(rests, h, h * _part_behind_zero(turns, before, predicted))
        taken = select(rests, holding, friction.towards(slip))
        return cls(slip, turns, held, slip + rests * (above - below), r, taken)

    def jumps(self, friction: DryFriction) -> Array:
        """The impulses of friction on what is not held, beside those of the predicted step."""
        found: Array = (1.0 - self.held) * self.r * (self.taken - friction.towards(self.direction))
        return found

    def corrected(self, friction: DryFriction, after: Array, impulses: Array) -> Doings:
        """The guess with what its solution contradicts changed.

        Args:
            friction: of each.
            after: velocities at the end of the step, by the solution; of what is held without meaning.
            impulses: of friction on each, beside those of the predicted step.
        """
        # what is held takes taken - impulse/r, which must be within the friction at rest
        forwards = self.held * less(impulses, self.r * (self.taken - friction.most))
        backwards = self.held * greater(impulses, self.r * (self.taken - friction.least))
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


def _largest(of: Array) -> Any:
    largest = of[0]
    for one in of[1:]:
        largest = maximum(largest, one)
    return largest


def _part_behind_zero(crosses: Array, before: Array, after: Array) -> Array:
    """The part of a step that is left when a velocity passes through zero, 0 where it does not."""
    found: Array = crosses * after / select(crosses, after - before, 1.0)
    return found
