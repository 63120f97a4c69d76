"""A step of joints that stick and slip, traced, without a memory of what they do: for loops that run as one program.

A joint at rest is one whose velocity is exactly zero; it sticks as long as the friction that holds it is within its
breakaway forces. So what a joint does follows from the state, and each step is

1. a step of the method in which every joint goes on as it does: what moves slips, what rests is held. Where no joint
   changes what it does, this is the step.
2. changes of velocity where joints do change, M dqd = p with the impulses p of friction (time stepping, Moreau 1988):
   a joint at rest that would take more than its breakaway force to hold lets go for the whole step; one whose velocity
   passes through zero at a time r before the end is held from then on, or, where friction cannot hold it, turns round
   then. All of them are solved for together, and guesses that the solution contradicts are changed. Where the last of
   `PASSES` solutions contradicts its guess too, `armdyn.simulation.sticking.least_energy` has the step.

Where friction depends on the load l, that is known in every solution, so that friction at rest has its bounds from it,
with no equation to be solved. Friction of what slips changes with its load. It was f where the load was l in the
predicted step, and is c + s l' at the load l' that the change leads to. With a rotor a and phi = 1 + s, from
l + f + a qdd + d = tau before and after,

    r (l' - l) + (a/phi) dqd = r (f - c - s l)/phi,    r (l' - l) = (M_links dqd)_i,

so that changes of velocity have the metric M_links + a/phi of joints that slip, and M_links + a of those that are held;
r is the time in which joints do something else than before. On straight lines of the load that is exact; each solution
takes the lines at the loads of the one before it, the first one at those at the step's beginning, which differ by the
order of h.

The time of a stop within a step is that of a constant acceleration, and so is the path up to it, by each method. A
change costs an error of the order of h^2 in the state, besides the method's own. A joint lets go as a step begins:
one whose static friction is above its kinetic friction, and whose load passes it within a step, does so up to h late,
with an error of the order of h.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.algorithms.load_laws import SAME_PIECES
from armdyn.program import less, less_equal, select
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import State
from armdyn.simulation.sticking.doings import Doings
from armdyn.simulation.sticking.least_energy import LeastEnergy
from armdyn.simulation.sticking.slides import Slide, Slides
from armdyn.simulation.sticking.slip_friction import SlipFriction
from armdyn.spatial.rotations import Array

NEAR = 0.5
"""Of the velocities before: behind stops where friction makes joints this fast, stages are as good as elsewhere."""

TAKEN = 0.5
"""Of the heat of friction on the paths of the joints: where less is taken from the arm, their stops do not fit."""

PASSES, PASSES_OF_FIRST_ORDER = 3, 2
"""Solutions for the changes of velocity in a step: each corrects the guess of the one before of what joints do.

Joints that start together in other directions than they push while they are held need three. Methods of the first
order lose nothing where the least energy stands in for the third. One more where friction depends on the load: what
starts may change which joint drives its load and which not.
"""


def stick_slip_step(method: FixedStep, arm: Slides, state: State, h: Any) -> tuple[State, Array]:
    """(q, qd, (W, Q)) a step of a one-step method later, forces held; and the loads that were computed last.

    W is the work of all that acts on the arm, less what friction takes, and Q the heat of friction, J.

    Args:
        method: without a memory.
        arm: without constraints, whose dry joints are moved by one coordinate each; those whose friction depends on
            the load by coordinates of their own.
        state: (q, qd, (W, Q)).
        h: length of the step, s.
    """
    q, qd, energies = state
    first = arm.solved(q, qd)
    later = method.scheme.formula(arm, (first.x, first.energies(qd)), 0.0, (q, qd, energies), h)
    if not arm.dry:
        return later, arm.last_loads
    predicted, heat = _predicted(method, arm, first, state, later, h)
    friction = SlipFriction.of(arm, q, qd, predicted[1], first.loads)
    holding = -first.reactions[arm.dry]
    doings = Doings.first(friction, holding, later[1], h)
    passes = (PASSES_OF_FIRST_ORDER if method.scheme.once else PASSES) + bool(arm.loaded)
    changed, loads, wrong = _with_changes(arm, friction, doings, state, predicted, heat, passes)
    robust = LeastEnergy.of(friction, doings, holding, loads).later(first, state, h)
    # A compiled loop leaves the changes out where no joint of a group of arms does something else than before, and the
    # least energy where their solution agrees with itself.
    changed = tuple(select(wrong, *both) for both in zip(robust, changed, strict=True))
    later = tuple(select(doings.any_changes, *both) for both in zip(changed, later, strict=True))
    return later, arm.last_loads


def _predicted(method: FixedStep, arm: Slides, first: Slide, state: State, later: State, h: Any) -> tuple[State, Any]:
    """The step in which every joint goes on as it does, for changes: that of a constant acceleration, or of the method.

    And the heat of friction in it, J, of the method's step by the friction when it begins.

    Methods that ask for the forces once carry positions by the velocity of one end, which friction may change by much
    within a step. The stages of others are where no joint comes, behind a stop by strong friction: their step counts
    where joints would not be fast there, beside the arm before.
    """
    q, qd, energies = state
    change = h * first.x
    path = h * (qd + 0.5 * change)
    on_path = arm.energies_on(q, first, path)
    straight = (q + path, qd + change, energies + on_path)
    if method.scheme.once:
        return straight, on_path[1]
    turns = less(arm.slip[arm.dry] * straight[1][arm.dry], 0.0)
    near = less_equal(turns @ abs(straight[1][arm.dry]), NEAR * sum(abs(qd)))
    heat = select(near, first.friction @ (later[0] - q), on_path[1])
    return tuple(select(near, *both) for both in zip(later, straight, strict=True)), heat


def _with_changes(
    arm: Slides, friction: SlipFriction, doings: Doings, state: State, later: State, heat: Any, passes: int
) -> tuple[State, Mapping[int, Any], Any]:
    """The predicted state ``later``, with its ``heat``, and the changes of velocity of joints that change what they do.

    And the loads behind them; and above 0 where what joints do contradicts the impulses and velocities, or where
    friction takes much less energy than on the paths of the joints, as where their stops do not fit together; else 0.
    """
    q, before, _ = state
    dry, predicted = friction.dry, friction.predicted
    solution = Solution.settled(arm, friction, doings, q, friction.loads, passes)
    doings, changes, loads = solution.doings, solution.changes, solution.loads
    after, impulses = predicted + changes.velocities, changes.impulses[dry]
    at_rest = friction.at_rest(loads)
    contradicted = doings.contradicted(*at_rest, after[dry], impulses)
    after[dry] = select(doings.held, 0.0, after[dry])
    times = np.full(len(predicted), doings.longest, dtype=object)
    times[dry] = doings.times
    moved = 0.5 * times * changes.velocities  # each change of velocity comes about evenly in its time
    rubs = friction.rubbing
    kinetic = 0.5 * changes.momenta(friction)[rubs] @ (predicted + after)[rubs]
    energies = arm.energies_of_change(q, before, kinetic, later[0], moved)
    steady = np.array([float(i not in arm.loaded.values()) for i in dry])  # that of loads is not known on the paths
    on_paths = doings.heat(before[dry], after[dry], impulses) @ steady
    wrong = contradicted + less(heat + energies[1], TAKEN * on_paths)
    return (later[0] + moved, after, later[2] + energies), loads, wrong


@dataclass(frozen=True, eq=False)
class Solution:
    """The changes of velocity in a step by a guess of what joints do.

    Args:
        doings: the guess.
        changes: of velocity.
        loads: that they lead to, by body.
        corrected: the guess with what the changes contradict changed.
        unsettled: above 0 where the corrected guess, or a straight line of friction at these loads, is another one: a
            further solution would be another one then. A compiled loop leaves the others out.
    """

    doings: Doings
    changes: Changes
    loads: Mapping[int, Any]
    corrected: Doings
    unsettled: Any

    @classmethod
    def of(cls, arm: Slides, friction: SlipFriction, doings: Doings, q: Array, loads: Mapping[int, Any]) -> Solution:
        """Of a guess, with friction on the straight lines at these loads."""
        changes, dry = Changes.of(arm, friction, doings, q, loads), friction.dry
        after, behind = friction.predicted + changes.velocities, changes.loads(friction)
        corrected, changed = doings.corrected(
            *friction.at_rest(behind), friction.before[dry], after[dry], changes.impulses[dry]
        )
        before, now = (friction.slipping(doings.direction, each).pieces for each in (loads, behind))
        other_lines = sum((abs(a - b) for a, b in zip(before, now, strict=True)), start=0.0)
        return cls(doings, changes, behind, corrected, changed + less(SAME_PIECES, other_lines))

    @classmethod
    def settled(
        cls, arm: Slides, friction: SlipFriction, doings: Doings, q: Array, loads: Mapping[int, Any], most: int
    ) -> Solution:
        """The first of a guess and of those corrected by it that is not unsettled, or the last one of so many."""
        first = cls.of(arm, friction, doings, q, loads)
        if most == 1:
            return first
        return first.unless_unsettled(cls.settled(arm, friction, first.corrected, q, first.loads, most - 1))

    def unless_unsettled(self, other: Solution) -> Solution:
        """The solution, or where it is unsettled the other one."""
        condition = self.unsettled
        loads = {k: select(condition, other.loads[k], own) for k, own in self.loads.items()}
        doings, changes = self.doings.unless(condition, other.doings), self.changes.unless(condition, other.changes)
        return Solution(doings, changes, loads, other.corrected, other.unsettled)


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of velocity M' dqd = p' by impulses of friction.

    Args:
        velocities: dqd, (n,).
        impulses: p', (n,).
        times: in which the load of each coordinate changes, s, (n,).
        rotors: inertias in M' by body, where friction depends on the load: a/phi of what slips, a of what is held.
    """

    velocities: Array
    impulses: Array
    times: Array
    rotors: dict[int, Any]

    @classmethod
    def of(cls, arm: Slides, friction: SlipFriction, doings: Doings, q: Array, loads: Mapping[int, Any]) -> Changes:
        """Of what joints do, with friction on the straight lines at these loads."""
        dry, n = friction.dry, len(friction.before)
        held, given, impulses = (np.zeros(n, dtype=object) for _ in range(3))
        times, taken = np.full(n, doings.of_others, dtype=object), friction.taken
        held[dry], given[dry] = doings.held, -friction.predicted[dry] * doings.held
        times[dry], taken[dry] = doings.times if arm.loaded else doings.r, doings.taken
        slipping = friction.slipping(doings.direction, loads)
        for i in friction.rubbing:
            change = taken[i] * slipping.reciprocal[i] - slipping.passed[i]
            impulses[i] = (1.0 - held[i]) * times[i] * change
        metric = held + (1.0 - held) * slipping.reciprocal
        rotors = {k: arm.armature[k] * metric[i] for k, i in arm.loaded.items()}
        found = arm.changed(q, rotors, 1.0 - held, impulses, given)
        for i in dry:
            impulses[i] = impulses[i] + held[i] * found.reactions[i]
        return cls(found.x, impulses, times, rotors)

    def unless(self, condition: Any, other: Changes) -> Changes:
        """These, or where the condition is above 0 the others."""
        velocities, impulses, times = (
            select(condition, b, a)
            for a, b in (
                (self.velocities, other.velocities),
                (self.impulses, other.impulses),
                (self.times, other.times),
            )
        )
        rotors = {k: select(condition, other.rotors[k], own) for k, own in self.rotors.items()}
        return Changes(velocities, impulses, times, rotors)

    def loads(self, friction: SlipFriction) -> dict[int, Any]:
        """The loads that the changes lead to, by body: l + (p' - a' dqd)/r."""
        return {
            k: friction.loads[k] + (self.impulses[i] - self.rotors[k] * self.velocities[i]) / self.times[i]
            for k, i in friction.arm.loaded.items()
        }

    def momenta(self, friction: SlipFriction) -> Array:
        """M dqd, with the rotors' own inertias."""
        found = self.impulses.copy()
        for k, i in friction.arm.loaded.items():
            found[i] = found[i] + (friction.arm.armature[k] - self.rotors[k]) * self.velocities[i]
        return found
