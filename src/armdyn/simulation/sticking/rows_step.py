"""A step of joints that stick and slip within constraints, or that several coordinates move, traced.

Friction of joints at rest is computed in every state that the step's method evaluates: it makes the energy of the
accelerations least (`armdyn.simulation.system.bounded_impulses`), so that joints held within their bounds have none.
Forces of joints that rest need not be unique then, e.g. if constraints hold them too; accelerations are.

If the velocity of a joint passes through zero within a step of the method, in which friction goes on as when it
begins, impulses of friction in the time after it make the energy of the velocities at its end least, within the
friction bounds of each joint at rest, or in addition to its friction as it slips. So a step in which a joint stops or
turns has an error of the second order, one in which it breaks away with kinetic friction below static friction one of
the first; all others have that of their method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.elements import dissipative_forces
from armdyn.algorithms.factors import Factors, factored_mass_matrix
from armdyn.base.threads import cached_property
from armdyn.constraints.equations import all_equations
from armdyn.constraints.multipliers import moved_within
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.program import less, select
from armdyn.simulation.elements.bristles import Bent
from armdyn.simulation.elements.dry_joints import rubbing_bodies
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates, State
from armdyn.simulation.sticking.doings import largest, part_behind_zero
from armdyn.simulation.sticking.dry_rows import DryRows
from armdyn.simulation.system.bounded_impulses import Impulses, bounded_impulses
from armdyn.spatial.rotations import Array


def by_rows(mechanism: Mechanism) -> bool:
    """True if its joints stick by these steps: within constraints, or if several coordinates move one of them."""
    drive = mechanism.drive
    return bool(mechanism.model.constraints) or any(len(drive.terms[k]) > 1 for k in rubbing_bodies(drive))


class RowsMotion(NamedTuple):
    """Accelerations and forces of an arm in a state.

    Args:
        x: accelerations, (n,).
        pushed: accelerating forces, M x without the forces of constraints, N m or N, (n,).
        applied: forces of joints and surroundings, N m or N, (n,).
        friction: friction forces, (n,).
        holding: friction of each joint at rest, N m or N, one per row; 0 for those that slip.
    """

    x: Array
    pushed: Array
    applied: Array
    friction: Array
    holding: Array

    def energies(self, moved: Array) -> Array:
        """Work of all forces on the arm, less the dissipated energy, and that energy, J; for velocities, W."""
        return np.array([(self.applied - self.friction) @ moved, self.friction @ moved])


class ArmOfRows:
    """An arm in one step, called by the formulas of `armdyn.simulation.methods.formulas`.

    Args:
        mechanism: the arm that moves; its friction does not depend on loads.
        qd: its velocities when the step begins.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bent: bristles in addition to dry friction, along the step.
    """

    def __init__(self, mechanism: Mechanism, qd: Array, tau: Any, f_tip: Any = None, bent: Bent | None = None) -> None:
        self.bare, self.rows = mechanism.without_friction, DryRows(mechanism)
        self.tau, self.f_tip, self.bent = tau, f_tip, bent
        self.slip = self.rows.directions(qd)
        self.rests = 1.0 - self.slip * self.slip

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the two powers."""
        found = self.solved(q, qd)
        return found.x, found.energies(qd)

    def solved(self, q: Any, qd: Any) -> RowsMotion:
        """Accelerations and forces in a state."""
        taken = self.rows.friction(qd, self.slip) + (0.0 if self.bent is None else self.bent.forces(q, qd))
        rest = algorithms.inverse_dynamics(self.bare, q, qd, np.zeros(self.bare.dof), self.f_tip)
        metric = RowsMetric(self.bare, q, qd, self.rows)
        pushed = self.tau - taken - rest
        x = metric.moved(pushed)
        applied = self.tau if self.f_tip is None else self.tau - algorithms.tip_forces(self.bare, q, self.f_tip)
        if self.bare.elements:  # the equations of motion have their forces already
            taken = taken - dissipative_forces(self.bare, q, qd)
        if not len(self.rows):
            return RowsMotion(x, pushed, applied, taken, np.zeros(0))
        bounds, any_rests = self.rows.bounds, sum(self.rests)
        low, high = -self.rests * bounds.most, -self.rests * bounds.least
        found = metric.least_energy(x, low, high, metric.without_constraints(pushed))
        held = self.rows.at_rest(self.rests * found.rests, found.velocities, found.none)
        holding = -select(any_rests, found.impulses, 0.0)  # a compiled loop leaves this out if no joint rests
        taken_at_rest = self.rows.matrix.T @ holding
        return RowsMotion(select(any_rests, held, x), pushed - taken_at_rest, applied, taken + taken_at_rest, holding)


@dataclass(frozen=True, eq=False)
class RowsMetric:
    """The response of an arm in a state to forces, or impulses, within its constraints if it has some.

    Args:
        mechanism: without friction.
        q, qd: the state.
        rows: of its dry joints.
    """

    mechanism: Mechanism
    q: Array
    qd: Array
    rows: DryRows

    @cached_property
    def _factors(self) -> Factors:
        return factored_mass_matrix(self.mechanism, self.q)

    def moved(self, pushed: Array) -> Array:
        """Accelerations by joint forces."""
        if not self.mechanism.model.constraints:
            return self._factors.solve(pushed)
        _, A, drift = all_equations(self.mechanism, self.q, self.qd)
        return np.asarray(moved_within(self.mechanism, A, drift, self._factors, pushed).qdd)

    def without_constraints(self, pushed: Array) -> Array:
        """Accelerations by joint forces, were there no constraints."""
        return np.asarray(self._factors.solve(pushed))

    def within(self, v: Array) -> Array:
        """Velocities without their part that violates the constraints."""
        if not self.mechanism.model.constraints:
            return v
        A = all_equations(self.mechanism, self.q, self.qd).A
        change = moved_within(self.mechanism, A, A @ v, self._factors, np.zeros(len(v))).qdd
        return np.asarray(v + change)

    @cached_property
    def columns(self) -> Array:
        """Changes of velocity by impulses of one along each row, (m, n)."""
        rows = self.rows.matrix
        if not self.mechanism.model.constraints:
            return np.asarray(self._factors.solve(rows.T.astype(object)).T)
        A = all_equations(self.mechanism, self.q, self.qd).A
        none = np.zeros(len(A))
        return np.array([moved_within(self.mechanism, A, none, self._factors, row).qdd for row in rows])

    @property
    def _free(self) -> Array | None:
        """r_j M^-1 r_k^T of all rows if there are constraints, else None."""
        if not self.mechanism.model.constraints:
            return None
        inwards = np.array([self._factors.inwards(row) for row in self.rows.matrix])
        return np.asarray(inwards @ np.array([self._factors.over_D(list(one)) for one in inwards]).T)

    def least_energy(self, v0: Array, low: Array, high: Array, cancelled: Array) -> Impulses:
        """Velocities, or accelerations, with impulses, or forces, of the rows within bounds.

        ``cancelled``: without constraints.
        """
        rows = self.rows.matrix
        return bounded_impulses(v0, rows, self.columns, low, high, free=self._free, cancelled=cancelled)


def rows_step(method: FixedStep, arm: ArmOfRows, state: State, h: Any) -> State:
    """(q, qd, (W, Q)) a step of a one-step method later, forces held.

    W is the work of all forces on the arm, less the energy dissipated by friction, and Q that energy, J.
    """
    q, qd, energies = state
    first = arm.solved(q, qd)
    later = method.scheme.formula(arm, (first.x, first.energies(qd)), 0.0, (q, qd, energies), h)
    rows, slip = arm.rows, arm.slip
    if not len(rows):
        return later
    turns = less(slip * (rows.matrix @ later[1]), 0.0)
    stopped = _stopped(arm, first, turns, state, later, h)
    # a compiled loop leaves this out if no joint of a group of arms stops or turns
    return tuple(select(sum(turns), *both) for both in zip(stopped, later, strict=True))


def _stopped(arm: ArmOfRows, first: RowsMotion, turns: Array, state: State, later: State, h: Any) -> State:
    """The state a step later if joints stop or turn; paths are those of the mean velocities.

    Args:
        arm: in this step.
        first: accelerations and forces when the step begins.
        turns: 1 for each joint that stops or turns, else 0.
        state: when the step begins.
        later: at its end, were friction to go on as when it begins.
        h: length of the step, s.
    """
    (q, qd, _), (until, predicted, energies), rows, slip = state, later, arm.rows, arm.slip
    bounds = rows.bounds
    mean, half = 0.5 * (bounds.forwards + bounds.backwards), 0.5 * (bounds.forwards - bounds.backwards)
    slips_on = slip * slip * (1.0 - turns)
    least = bounds.least + slips_on * (bounds.backwards - bounds.least)  # kinetic in the place of static friction
    most = bounds.most + slips_on * (bounds.forwards - bounds.most)
    taken = slip * slip * mean + half * slip + first.holding
    metric = RowsMetric(arm.bare, q + 0.5 * h * (qd + predicted), predicted, rows)  # where constraints bind these
    v0 = metric.within(predicted)
    before, behind = rows.matrix @ qd, rows.matrix @ v0
    crosses = less(slip * behind, 0.0)
    r = h * (1.0 - turns + part_behind_zero(crosses, before, behind))
    r = r + arm.rests * (largest(r * turns) - h)  # joints that a stop releases, it releases then
    without = v0 + h * taken @ metric.columns  # velocities without dry friction
    gained = h * (first.pushed + rows.matrix.T @ taken) @ (without + qd)

    def in_times(t: Any) -> tuple[Array, Array, Any]:
        """Velocities, impulses added to the friction at the beginning in these times, and 1 if friction gave energy.

        Friction gave energy if the arm has more than before, and than it would have without.
        """
        found = metric.least_energy(v0, t * (taken - most), t * (taken - least), predicted)
        after = rows.at_rest(found.rests, found.velocities, found.none)
        given = (found.impulses - h * taken) @ (rows.matrix @ (without + after))
        return after, found.impulses, less(0.0, given) * less(0.0, given + gained)

    (soon, of_soon, gives), (whole, of_whole, _) = in_times(r), in_times(h)
    after, impulses = select(gives, whole, soon), select(gives, of_whole, of_soon)
    times = select(gives, h, r)  # each change of velocity comes about evenly in its time
    path = 0.5 * h * (qd + predicted) + 0.5 * largest(times) * (after - predicted)
    mean = 0.5 * ((1.0 - crosses * (1.0 - gives)) * before + rows.matrix @ after)
    less_taken = impulses @ mean  # than by the friction at the beginning
    return q + path, after, energies + first.energies(q + path - until) + np.array([less_taken, -less_taken])


@function("(n),(n),(n),(6)?->(n),(n)", sources=SOURCES)
def rows_motion(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> tuple[Array, Array]:
    """Joint accelerations qdd, rad/s^2 or m/s^2, and the friction of all coordinates, N m or N, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n); joints at rest are held as far as friction can.
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    found = ArmOfRows(model, qd, tau, f_tip).solved(q, qd)
    return found.x, found.friction
