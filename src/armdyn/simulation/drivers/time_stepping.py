"""A time-stepping step of joints that stick and slip, traced, without memory of their modes: for loops in a program.

A joint at rest is one whose velocity is exactly zero; it sticks as long as the friction that holds it is within its
breakaway forces. So the mode of a joint follows from the state, and each step is

1. the modes as it begins: joints at rest that static friction cannot hold start, in the directions that a boxed LCP has
   for the accelerations; with a method that evaluates the forces once, 3. has them, as impulses of the whole step;
2. a step of the method in which every joint that slips keeps its direction. If no velocity passes through zero, this is
   the step;
3. else impulses p of friction in the time after that (time stepping, Moreau 1988): within the bounds at rest of joints
   that start, stop or turn, and of those that rest or slip on in addition to their friction in the step, they make the
   energy of the velocities least, a boxed LCP again (`armdyn.simulation.system.bounded`).

The friction of joints that slip under load falls by a part of the inertia of their rotors: this part is left out of the
metric, which is exact as long as friction is linear in the load. Joints that a first solution sets in motion have the
friction of the second one, on the lines that touch it at the accelerations of the first (Newton's method).

The time of a stop within a step is that of a constant acceleration, and so is the path up to it, by each method. A
mode change adds an error of the order of h^2 in the state to the method's own. A joint breaks away as a step begins:
one whose static friction is above its kinetic friction, and whose load exceeds it within a step, does so up to h late,
with an error of the order of h.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from armdyn.base.exact import is_zero
from armdyn.program import less, less_equal, maximum, minimum, select, sign
from armdyn.simulation.elements.stops import Barriers, Hits, UnilateralRows
from armdyn.simulation.methods.formulas import Scheme, State
from armdyn.simulation.system.bounded import Impulses, largest
from armdyn.simulation.system.friction_rows import Bounds
from armdyn.simulation.system.frictional_arm import ArmMotion, FrictionalArm
from armdyn.simulation.system.response import Response
from armdyn.spatial.rotations import Array

SAME = 1e-12
"""Lines of friction over the load are one if their slopes differ by less than this."""

APART = 0.1
"""Rows that turn are pushed by others if this changes their velocities by more than this fraction of those before."""

NEAR = 0.5
"""Stages after stops are accurate if joints are not faster after them than this fraction of the velocities before."""


def time_step(scheme: Scheme, arm: FrictionalArm, state: State, h: Any, barriers: Barriers | None = None) -> State:
    """(x, v, (W, Q)) and the memory a step of a one-step method later, forces held; and states of elements, if any.

    W is the work of all forces on the arm, less the energy dissipated by friction, and Q that energy, J. The barriers
    are stops and contacts of the links.
    """
    x, v, *_ = state
    first = arm.solved(x, v)
    yields = arm.yielding(x, v, first)
    if not scheme.once:  # modes at the beginning decide the other evaluations
        first = arm.released(x, v, first, yields)
        yields = 0.0 * yields
    later, state = arm.by_formula(scheme, first, state, h), state[:3]
    later, memory, z = later[:3], later[3 : 3 + len(scheme.memory)], later[3 + len(scheme.memory) :]
    if not len(arm.rows) and barriers is None:
        return *later, *memory, *z
    turns = less(arm.slip * (arm.rows.matrix @ later[1]), 0.0)
    step = StepEnd(arm, first, turns, yields, state, _predicted(scheme, arm, first, state, later, h), h)
    changes = sum(yields) + sum(turns)
    stopped = _either(changes, step.later(), later) if len(arm.rows) else later
    # a compiled loop leaves this out if no joint of a group of arms starts, stops or turns
    if barriers is None:
        return *stopped, *memory, *arm.states_on(changes, x, stopped[0], z, h)
    ends = (later, step.predicted, stopped) if scheme.once else (later,)
    hits = [UnilateralRows(barriers, arm.links, x[: arm.n]).hits(v[: arm.n]) for x, v, _ in ends]
    active, rates = (reduce(maximum, each) for each in zip(*hits, strict=True))
    changes = changes + sum(active)
    pushed = _either(changes, _either(sum(active), step.pushed(barriers, active, rates), stopped), later)
    arm.pushes = select(sum(active), arm.pushes, 0.0)
    return *pushed, *memory, *arm.states_on(changes, x, pushed[0], z, h)


def _either(condition: Any, a: State, b: State) -> State:
    """One state if the condition is above 0, else another one."""
    return tuple(select(condition, *both) for both in zip(a, b, strict=True))


def _predicted(scheme: Scheme, arm: FrictionalArm, first: ArmMotion, state: State, later: State, h: Any) -> State:
    """The step in which every joint keeps its mode, before stops: by constant acceleration, or by the method.

    Methods that evaluate the forces once carry positions by the velocity of one end, which friction may change by much
    within a step. The stages of others are at states that no joint reaches, after a stop by strong friction: their step
    counts if joints would not be fast there, compared with the arm before.
    """
    x, v, energies = state
    change = h * first.x
    path = h * (v + 0.5 * change)
    straight = (x + path, v + change, energies + arm.energies_on(x, first, path))
    if scheme.once:
        return straight
    rates = arm.rows.matrix @ straight[1]
    turns = less(arm.slip * rates, 0.0)
    near = less_equal(turns @ abs(rates), NEAR * sum(abs(v)))
    return tuple(select(near, *both) for both in zip(later, straight, strict=True))


class StepEnd:
    """The end of a step in which joints start, stop or turn, or are pushed by stops and contacts.

    Args:
        arm: in this step.
        first: accelerations and forces when the step begins.
        turns: 1 for each row that stops or turns, else 0.
        yields: 1 for each row at rest in ``first`` that static friction cannot hold, else 0.
        state: when the step begins.
        predicted: at its end, were friction to go on as when it begins.
        h: length of the step, s.
    """

    def __init__(
        self,
        arm: FrictionalArm,
        first: ArmMotion,
        turns: Array,
        yields: Array,
        state: State,
        predicted: State,
        h: Any,
    ) -> None:
        self.turns = turns
        self.arm, self.changes, self.state, self.predicted, self.h = arm, turns + yields, state, predicted, h
        self.rows, self.first = arm.rows, first
        (x, v, _), slip = state, arm.slip
        self.slips_on = slip * slip * (1.0 - turns)
        self.bounds, kinetic = arm.bounds(x, v), arm.known_bounds(x, v)
        self.mean, self.half = (
            0.5 * (kinetic.forwards + kinetic.backwards),
            0.5 * (kinetic.forwards - kinetic.backwards),
        )
        self.taken = slip * slip * (self.mean + self._of_rows(first.of_loads)) + self.half * slip + first.holding
        self.least, self.most = self._bounds(self.bounds)
        self.hidden = first.hidden * self.rows.of_coordinates(self.slips_on)
        middle = x + 0.5 * h * (v + predicted[1])  # constraints hold for the velocities there
        self.response = arm.response(x, v, self.hidden, middle, h)
        self.v0 = self.response.within(predicted[1])
        before, after = self.rows.matrix @ v, self.rows.matrix @ self.v0
        r = h * (1.0 - turns + part_after_zero(less(slip * after, 0.0), before, after))
        released = largest(np.array([*(r * turns), *(h * yields)]))
        self.r = r + arm.rests * (released - h)  # joints that a stop releases, it releases then
        rotors = arm.bare.drive.armature
        self.moving_rotors = [k for k in self.rows.loaded_rows if not is_zero(rotors[k])]

    def _bounds(self, bounds: Bounds) -> tuple[Array, Array]:
        """Bounds at rest; of rows that slip on, their friction in the step on its side, and kinetic friction else."""
        on, forwards = self.slips_on, 0.5 * (1.0 + self.arm.slip)
        least = bounds.least + on * (forwards * bounds.backwards + (1.0 - forwards) * self.taken - bounds.least)
        most = bounds.most + on * (forwards * self.taken + (1.0 - forwards) * bounds.forwards - bounds.most)
        return least, most

    def later(self) -> State:
        """The state a step later."""
        arm, h, r = self.arm, self.h, self.r
        (x, v, _), (until, predicted, energies) = self.state, self.predicted
        soon = self._at_rest(self._in_motion(r, self._bounded(self.response, *self._impulses(r))))
        whole = self._at_rest(self._bounded(self.response, *self._impulses(h + 0.0 * r)))
        gives = self._gives(*soon)
        after = select(gives, whole[0], soon[0])
        change = after - predicted
        moved = 0.5 * self._times(select(gives, h, r)) * change  # each change of velocity comes about evenly
        kinetic = 0.5 * arm.momenta(x, change) @ (predicted + after)
        return until + moved, after, energies + arm.energies_of_change(x, v, kinetic, until, moved)

    def pushed(self, barriers: Barriers, active: Array, rates: Array) -> State:
        """The state a step later with forces of the active rows of stops and contacts, which close at some rates."""
        arm, h, n = self.arm, self.h, self.rows.n
        (x, v, _), (until, predicted, energies) = self.state, self.predicted
        rows = UnilateralRows(barriers, arm.links, until[:n])
        hits = Hits(rows, active, rates, v[:n], self.v0[:n], h)
        low, high = self._impulses(h + 0.0 * self.r)
        cancelled = predicted[:n] if arm.constrained else None
        solution = self.response.bounded(self.v0, low, high, cancelled, hits)
        of_links = self.rows.of_links
        unilateral = slice(of_links, of_links + len(active))
        closed, arm.pushes = solution.rests[unilateral], solution.impulses[unilateral]
        rests = np.array([*solution.rests[:of_links], *solution.rests[unilateral.stop :]], dtype=object)
        after = self.rows.resting(rests, solution.velocities, solution.none)
        later = until + self._stacked(hits.times(after[:n], n), h) * (after - predicted)
        q, qd = hits.at_rest(later[:n], after[:n], closed)
        later, after = np.concatenate([q, later[n:]]), np.concatenate([qd, after[n:]])
        change, moved = after - predicted, later - until
        kinetic = 0.5 * arm.momenta(0.5 * (x + until), change) @ (predicted + after)
        work = energies[0] + arm.energies_of_change(x, v, kinetic, until, moved)[0]
        friction = np.array([*solution.impulses[:of_links], *solution.impulses[unilateral.stop :]], dtype=object)
        losses = arm.energies_on(x, self.first, later - x)[1] - friction @ (self.rows.matrix @ (later - x))
        energies = np.array([work, self.state[2][1] + losses])
        return later, after, energies

    def _at_rest(self, solution: Impulses) -> tuple[Array, Array]:
        """Velocities, exactly zero of joints at rest, and mean forces in addition to the friction at the beginning."""
        return self.rows.resting(solution.rests, solution.velocities, solution.none), solution.impulses

    def _bounded(self, response: Response, low: Array, high: Array) -> Impulses:
        cancelled = self.predicted[1][: self.rows.n] if self.arm.constrained else None
        return response.bounded(self.v0, low, high, cancelled)

    def _in_motion(self, t: Array, found: Impulses) -> Impulses:
        """The solution with the kinetic friction of rows that a first one sets in motion, on lines that touch it."""
        if not (self.moving_rotors or self.bounds.fall):
            return found
        arm, rows, rotors = self.arm, self.rows, self.arm.bare.drive.armature
        ways = (1.0 - self.slips_on) * (1.0 - found.rests) * sign(rows.matrix @ found.velocities)
        low, high = self._impulses(t, ways)
        hidden, changes = self.hidden.copy(), sum(ways * ways)
        if self.moving_rotors:
            every, times, v = ways + self.slips_on * arm.slip, self._times(t), self.state[1]
            available, directions = arm.available(*self.state[:2]), np.zeros(rows.n, dtype=object)
            other, along, accelerations = self.mean + self.half * every, {}, {}
            for k in self.moving_rotors:
                i, row = rows.loaded[k], rows.loaded_rows[k]
                on, T = self.slips_on[row], self._positive(times[i])
                along[k] = self.v0[i] + on * (T * self.first.x[i] - self.v0[i])  # less the change, T times acceleration
                accelerations[k] = (along[k] + found.velocities[i] - self.v0[i]) / T
                available[i] = available[i] - other[row] - rotors[k] * accelerations[k]
                directions[i] = every[row]
            slid = rows.under_load(
                available, directions, arm.loads, v[: rows.n] * rows.of_coordinates(self.slips_on)[: rows.n]
            )
            for k in self.moving_rotors:
                i, row = rows.loaded[k], rows.loaded_rows[k]
                slope = rotors[k] * (1.0 - slid[k].gain)
                changes = changes + self.slips_on[row] * less(SAME * rotors[k], abs(slope - self.hidden[i]))
                hidden[i] = every[row] * every[row] * slope
                force = other[row] + slid[k].force + slope * accelerations[k]
                bound = (times[i] * (self.taken[row] - force) + slope * along[k]) / self.h
                below, above = minimum(bound, high[row]), maximum(bound, low[row])
                low[row] = low[row] + less(0.0, every[row]) * (below - low[row])
                high[row] = high[row] + less(every[row], 0.0) * (above - high[row])
        response = arm.with_hidden(self.state[0], hidden, self.response.constraints, self.h)
        second = self._bounded(response, low, high)
        return Impulses(*(select(changes, b, a) for a, b in zip(found, second, strict=True)))

    def _impulses(self, t: Array, ways: Array | float = 0.0) -> tuple[Array, Array]:
        """Bounds of mean forces in addition to those as the step begins; kinetic of rows that are set in motion."""
        most = self.most + less(0.0, ways) * (self.bounds.forwards - self.most)
        least = self.least + less(ways, 0.0) * (self.bounds.backwards - self.least)
        part = t / self.h
        return part * (self.taken - most), part * (self.taken - least)

    def _gives(self, after: Array, forces: Array) -> Any:
        """1 if friction gave energy, as rows changed apart: the arm has more than before, and than without friction.

        A row alone turns at the time of r. It turns at another time if rows that changed before push it.
        """
        rows, v = self.rows, self.state[1]
        without = self.v0 + self.taken @ self.response.columns  # velocities without dry friction
        gained = (self.first.pushed + rows.matrix.T @ self.taken) @ (without + v)
        gain = (forces - self.taken) @ (rows.matrix @ (without + after))
        return (
            less(0.0, gain)
            * less(0.0, gain + gained)
            * less(APART * (self.turns @ abs(rows.matrix @ v)), self._pushes(forces))
        )

    def _pushes(self, forces: Array) -> Any:
        """The velocities, together, that rows which turn have at that time by changes of other rows before it."""
        S, turns, r = self.rows.matrix @ self.response.columns.T, self.turns, self.r
        per = forces / self._positive(r)
        pushed = [
            sum(S[k, j] * per[j] * maximum(r[j] - r[k], 0.0) for j in range(len(r)) if j != k) for k in range(len(r))
        ]
        return turns @ abs(np.array(pushed, dtype=object))

    def _times(self, times: Array) -> Array:
        """The time in which the velocity of each coordinate changes, s."""
        longest = largest(times * self.changes)
        times_of_coordinates = np.full(self.rows.matrix.shape[1], longest, dtype=object)
        if self.arm.constrained:
            return times_of_coordinates
        for one, changes, i in zip(times, self.changes, self.rows.own, strict=True):
            if i >= 0:
                times_of_coordinates[i] = longest + changes * (one - longest)
        return times_of_coordinates

    def _stacked(self, times: Array, h: Any) -> Array:
        """Times of the links, and half the step for the rotors."""
        return np.concatenate([times, np.full(self.rows.matrix.shape[1] - self.rows.n, 0.5 * h, dtype=object)])

    def _positive(self, times: Array) -> Array:
        """Times above 0, s: h in the place of 0."""
        return np.asarray(times + self.h * less_equal(times, 0.0))

    def _of_rows(self, of_coordinates: Array) -> Array:
        """Values of the coordinates that alone move a row, 0 for other rows."""
        return np.array([of_coordinates[i] if i >= 0 else 0.0 for i in self.rows.own], dtype=object)


def part_after_zero(crosses: Array, before: Array, after: Array) -> Array:
    """The fraction of a step after a velocity passes through zero, 0 if it does not."""
    part: Array = crosses * after / select(crosses, after - before, 1.0)
    return part
