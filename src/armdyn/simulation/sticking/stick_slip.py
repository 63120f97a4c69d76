"""A time-stepping step of joints that stick and slip, traced, without memory of their modes: for loops in a program.

A joint at rest is one whose velocity is exactly zero; it sticks as long as the friction that holds it is within its
breakaway forces. So the mode of a joint follows from the state, and each step is

1. a step of the method in which every joint keeps its mode: moving joints slip, resting joints are held. If no joint
   changes its mode, this is the step.
2. changes of velocity if modes do change, M dqd = p with the impulses p of friction (time stepping, Moreau 1988):
   a joint at rest that needs more than its breakaway force to be held slips for the whole step; one whose velocity
   passes through zero at a time r before the end is held from then on, or, if friction cannot hold it, reverses
   then. All of them are solved for together, and guesses that the solution contradicts are changed. If the last of
   `PASSES` solutions contradicts its guess too, `armdyn.simulation.sticking.least_energy` has the step.

If friction depends on the load l, that is known in every solution, so that it gives the bounds of friction at rest,
with no equation to be solved. Friction of slipping joints changes with their load. It was f at the load l in the
predicted step, and is c + s l' at the load l' that the change leads to. With a rotor a and phi = 1 + s, from
l + f + a qdd + d = tau before and after,

    r (l' - l) + (a/phi) dqd = r (f - c - s l)/phi,    r (l' - l) = (M_links dqd)_i,

so that changes of velocity have the metric M_links + a/phi of joints that slip, and M_links + a of those that are held;
r is the time in which joints have another mode than before. If friction is linear in the load that is exact; each
solution linearizes at the loads of the one before it, the first one at those at the step's beginning, which differ by
the order of h.

The time of a stop within a step is that of a constant acceleration, and so is the path up to it, by each method. A
mode change adds an error of the order of h^2 in the state to the method's own. A joint breaks away as a step begins:
one whose static friction is above its kinetic friction, and whose load exceeds it within a step, does so up to h late,
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
"""Stages after stops are accurate if joints are not faster after them than this fraction of the velocities before."""

TAKEN = 0.5
"""Stops are inconsistent if the arm loses less than this fraction of the energy dissipated on the joints' paths."""

PASSES, PASSES_OF_FIRST_ORDER = 3, 2
"""Solutions for the changes of velocity in a step: each corrects the guess of the modes of the one before.

Joints that start together in other directions than they push while they are held need three. Methods of the first
order lose no accuracy if the least energy replaces the third. One more if friction depends on the load: joints that
start may change the joints that drive their load.
"""


def stick_slip_step(method: FixedStep, arm: Slides, state: State, h: Any) -> tuple[State, Array]:
    """(q, qd, (W, Q)) a step of a one-step method later, forces held; and the loads that were computed last.

    W is the work of all forces on the arm, less the energy dissipated by friction, and Q that energy, J.

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
    # A compiled loop leaves the changes out if no joint of a group of arms has another mode than before, and the
    # least energy if their solution agrees with itself.
    changed = tuple(select(wrong, *both) for both in zip(robust, changed, strict=True))
    later = tuple(select(doings.any_changes, *both) for both in zip(changed, later, strict=True))
    return later, arm.last_loads


def _predicted(method: FixedStep, arm: Slides, first: Slide, state: State, later: State, h: Any) -> tuple[State, Any]:
    """The step in which every joint keeps its mode, before changes: by constant acceleration, or by the method.

    The second result is the energy dissipated in it, J; for the method's step by the friction when it begins.

    Methods that evaluate the forces once carry positions by the velocity of one end, which friction may change by much
    within a step. The stages of others are at states that no joint reaches, after a stop by strong friction: their step
    counts if joints would not be fast there, compared with the arm before.
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
    """The predicted state ``later``, with its ``heat``, and the changes of velocity of joints that change their modes.

    Further results are the loads after them, and a number above 0 if the modes contradict the impulses and velocities,
    or if friction dissipates much less energy than on the paths of the joints, e.g. if their stops are inconsistent;
    else 0.
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
    """The changes of velocity in a step by a guess of the modes.

    Args:
        doings: the guess.
        changes: of velocity.
        loads: the loads after them, by body.
        corrected: the guess with the contradicted modes changed.
        unsettled: above 0 if the corrected guess, or a line of friction at these loads, is another one: a
            further solution would be another one then. A compiled loop leaves the others out.
    """

    doings: Doings
    changes: Changes
    loads: Mapping[int, Any]
    corrected: Doings
    unsettled: Any

    @classmethod
    def of(cls, arm: Slides, friction: SlipFriction, doings: Doings, q: Array, loads: Mapping[int, Any]) -> Solution:
        """The solution for a guess, with friction linearized at these loads."""
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
        """The first settled solution of a guess and its corrections, or the last one of ``most``."""
        first = cls.of(arm, friction, doings, q, loads)
        if most == 1:
            return first
        return first.unless_unsettled(cls.settled(arm, friction, first.corrected, q, first.loads, most - 1))

    def unless_unsettled(self, other: Solution) -> Solution:
        """The solution, or if it is unsettled the other one."""
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
        rotors: inertias in M' by body, if friction depends on the load: a/phi for slipping joints, a for held ones.
    """

    velocities: Array
    impulses: Array
    times: Array
    rotors: dict[int, Any]

    @classmethod
    def of(cls, arm: Slides, friction: SlipFriction, doings: Doings, q: Array, loads: Mapping[int, Any]) -> Changes:
        """The changes by a guess of the modes, with friction linearized at these loads."""
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
        """These changes, or if the condition is above 0 the others."""
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
