"""Integrators that make one step of a motion at a time, can be stopped within it, and start anew from there."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from armdyn.simulation.divergence import diverged, not_kept, shorter_step
from armdyn.simulation.drivers.grid import StepGrid
from armdyn.simulation.drivers.step_interpolants import PartOfStep, QuadraticRates, QuarticStep
from armdyn.simulation.drivers.steps_before import StepsBefore
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import MULTISTEP, Adaptive, FixedStep
from armdyn.simulation.methods.formulas import Equations, Scheme
from armdyn.simulation.samples import Effort
from armdyn.simulation.system.momenta import Momenta
from armdyn.simulation.system.system import System
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

Rates = Callable[[float, Array], Array]
"""y' of y = (q, qd, W), or of (q, qd, z, W) if friction has a state z of its own."""

STILL = 1e-12
"""Rates, in SI, of an arm that rests to rounding."""


class Step:
    """One step of an integration: from (t, y) to (end, y_end), and the states between.

    ``near`` computes y between them to search for events, ``at`` as accurately as the step, each once; ``interpolant``
    returns a function of time to be kept, ``near`` by default.
    """

    def __init__(
        self,
        t: float,
        y: Array,
        end: float,
        y_end: Array,
        near: Callable[[float], Array],
        at: Callable[[float], Array],
        interpolant: Callable[[], Callable[[float], Array]] | None = None,
    ) -> None:
        self.t, self.y, self.end, self.y_end = t, y, end, y_end
        self.near, self._at = cache(near), at
        self.interpolant = interpolant or (lambda: near)
        self.states_between = interpolant or (lambda: at)
        """Returns the function of time that `at` calls between the ends."""

    def at(self, t: float) -> Array:
        """The state at a time of the step."""
        return self.y if t <= self.t else self.y_end if t >= self.end else self._at(t)


class ByFormula:
    """Steps of one length by a formula, on a grid of times.

    States of elements, the last of z, are moved by the formula as velocities of further coordinates. A formula that
    needs a past begins anew, by its starter, after each event and each jump of the forces; the starter makes steps of
    another length too, among them the parts of a step up to an event.
    """

    longest_at_rest = np.inf
    remedy = ""
    """The remedy for a motion that diverges; a shorter step by default."""

    def __init__(
        self, system: System, method: FixedStep, rates: Rates, effort: Effort, grid: StepGrid | None = None
    ) -> None:
        self.system, self.method, self.rates, self.effort, self.grid = system, method, rates, effort, grid
        self.n, self.own, self.made = system.size, system.own_states, 0
        self.memory = method.scheme.start(np.zeros(self.n + self.own), np.zeros(self.n + self.own))[3:]
        """The memory of the formula at the end of the last step."""
        self._momenta = Momenta.of(system.bare, _no_equations) if method.scheme.by_momenta else None
        self.standing: Callable[[Array, Array, Array], tuple[Array, Array]] | None = None
        """The state after a step by momenta in which joints at rest stand, from positions before it, x and v after."""
        self.before: StepsBefore | None = None
        """Counts the steps that are a past, for a formula that needs one."""

    def needs_past(self, forces: Forces) -> None:
        """Let a formula that needs a past find it under these forces."""
        if self.method.scheme.starter is not None:
            self.before = StepsBefore(forces)

    def step(self, t: float, y: Array, until: float, held: tuple[Array | None, ...] = ()) -> Step:
        """A step to the next time of the grid; ``held`` are the forces held in it, for a formula that needs a past."""
        until = until if self.grid is None else min(until, self.grid.following(t))
        first, scheme = self.rates(t, y), self.method.scheme
        part = scheme.starter or scheme
        if self.before is not None and self.before.count(t, until - t, held) < scheme.starting_steps:
            scheme = part

        def at(later: float) -> Array:
            return self._after(part, t, y, first, later - t)[0]

        y_end, self.memory = self._after(scheme, t, y, first, until - t)
        self.effort.steps += 1
        n = self.n
        if not np.isfinite(y_end).all():
            raise self.stuck(until, y)
        ends, of_qd = np.array([t, until]), slice(n, 2 * n)
        q, qd, qdd = (np.array(pair) for pair in ((y[:n], y_end[:n]), (y[of_qd], y_end[of_qd]), (first[of_qd],) * 2))
        along = QuarticStep(ends, q, qd, qdd)

        def near(later: float) -> Array:
            x, v = np.split(along(later), 2)
            if not self.own:
                return self._whole(y, x, v, y[-1])
            part, of_elements = (later - t) / (until - t), slice(-1 - self.own, -1)
            z = (1.0 - part) * y[of_elements] + part * y_end[of_elements]
            return self._whole(y, x, np.concatenate([v, z]), y[-1])

        interpolant: Callable[[float], Array] = along
        if scheme.once:
            interpolant = PartOfStep(scheme.formula, t, q[0], qd[0], qdd[0])
        elif scheme.order == 2:
            interpolant = QuadraticRates(ends, q, qd, qdd)
        step = Step(t, y, until, y_end, at if scheme.once else near, at)
        step.interpolant = lambda: interpolant
        return step

    def _after(self, scheme: Scheme, t: float, y: Array, first: Array, h: float) -> tuple[Array, tuple[Any, ...]]:
        """The state a step of length h later, and the memory of the formula."""
        n, of_elements = self.n, slice(-1 - self.own, -1)

        def velocities(y: Array) -> Array:
            return np.concatenate([y[n : 2 * n], y[of_elements]]) if self.own else y[n : 2 * n]

        def f(later: float, x: Array, v: Array) -> tuple[Array, Any]:
            rate = self.rates(later, self._whole(y, x, v, 0.0))
            return velocities(rate), rate[-1]

        begin = velocities(first), first[-1]
        x = np.concatenate([y[:n], np.zeros(self.own)]) if self.own else y[:n]
        equations: Equations = f if self._momenta is None else self._momenta.by(f)
        state = (x, velocities(y), y[-1], *self.memory)
        x, v, work, *memory = scheme.formula(equations, begin, t, state, np.float64(h))
        if scheme.by_momenta and self.standing is not None:
            of_arm = self.standing(y[:n], x[:n], v[:n])
            x, v = (np.concatenate([one, both[n:]]) for one, both in zip(of_arm, (x, v), strict=True))
        return self._whole(y, x, v, work), tuple(memory)

    def _whole(self, y: Array, x: Array, v: Array, work: float) -> Array:
        """The state of these positions and velocities in the step that begins with y; states of elements are in v."""
        n = self.n
        q, qd, own = x[:n], v[:n], v[n:]
        if not self.system.carries:
            return np.array([*q, *qd, *own, work])
        bristles = y[2 * n : len(y) - 1 - self.own]
        z = self.system.along(bristles, q - y[:n], 0.5 * (y[n : 2 * n] + qd))
        return np.array([*q, *qd, *z, *own, work])

    def moved(self, t: float, y: Array) -> None:
        """Do nothing: no state is kept."""

    def restart(self) -> None:
        """Forget the past."""
        if self.before is not None:
            self.before.forget()

    def end_hold(self) -> None:
        """Do nothing: a jump of the forces is seen by the next step."""

    def stuck(self, t: float, y: Array) -> SimulationError:
        """The error of a motion that diverges at a time, with the state before."""
        q, qd = self.system.seen(y[: self.n], y[self.n : 2 * self.n])
        remedy = self.remedy or shorter_step(self.system.robot, self.method, q)
        return diverged(self.system.robot, t, q, qd, remedy)


class BySolver:
    """Steps of a solver of SciPy, which is made anew when the equations change.

    A step from a state in which nothing moves is ``longest_at_rest`` at most: the equations do not limit it there.
    """

    longest_at_rest = np.inf

    def __init__(self, system: System, method: Adaptive, rates: Rates, effort: Effort) -> None:
        self.system, self.method, self.rates, self.effort, self.n = system, method, rates, effort, system.size
        self._solver: Any = None
        self.made, self._all_finite = 0, True

    def step(self, t: float, y: Array, until: float) -> Step | None:
        """A step as long as the tolerance allows; None if it allows none."""
        import scipy.integrate  # noqa: PLC0415 - slow to import, and fixed steps do without

        anew = self._solver is None or self._solver.t_bound != until
        if anew:
            kind = getattr(scipy.integrate, self.method.scipy_method)
            self._solver = kind(self._watched_rates, t, y, until, rtol=self.method.rtol, atol=self.method.atol)
        solver, may_rest = self._solver, self.longest_at_rest < np.inf
        rate = getattr(solver, "f", None)  # those with a history do not keep it
        if rate is None:
            rate = self.rates(t, y) if anew or may_rest else np.zeros(0)
        if not _is_finite(rate):  # SciPy would look for a step for ever
            remedy = "Its accelerations there are not finite: check torque, f_tip and the laws of friction."
            raise self._diverged(t, y, remedy)
        self.made += 1
        if self.made > self.method.max_steps:
            raise self.stuck(t, y, f"after {self.method.max_steps} steps (max_steps)")
        self.effort.steps += 1
        moves = not may_rest or np.abs(rate[: 2 * self.n]).max(initial=0.0) > STILL
        solver.max_step, self._all_finite = np.inf if moves else self.longest_at_rest, True
        try:
            solver.step()
        except (ValueError, np.linalg.LinAlgError):
            if self._all_finite:
                raise
            raise self.stuck(t, y) from None  # an implicit solver met NaN
        if solver.status == "failed":
            return None
        if not _is_finite(solver.y):
            raise self.stuck(t, y)
        polynomial = cache(solver.dense_output)  # takes evaluations of its own

        def between(later: float) -> Array:
            return polynomial()(later)  # type: ignore[no-any-return]

        return Step(t, y, solver.t, solver.y, between, between, polynomial)

    def _watched_rates(self, t: float, y: Array) -> Array:
        result = self.rates(t, y)
        self._all_finite = self._all_finite and _is_finite(result)
        return result

    def moved(self, t: float, y: Array) -> None:
        """The solver goes on from the state given; one with a history from its own, by rounding another."""
        if self.method.scipy_method not in MULTISTEP:
            self._solver.y, self._solver.f = y, self.rates(t, y)

    def restart(self) -> None:
        """The next step is the first of a new solver."""
        self._solver = None

    end_hold = restart

    def stuck(self, t: float, y: Array, why: str = "however short the step") -> SimulationError:
        """The error of a motion that cannot be continued from a state."""
        return self._diverged(t, y, not_kept(self.method, f" {why}"))

    def _diverged(self, t: float, y: Array, remedy: str) -> SimulationError:
        return diverged(self.system.robot, t, *self.system.seen(y[: self.n], y[self.n : 2 * self.n]), remedy)


def _no_equations(t: float, x: Array, v: Array) -> tuple[Array, float]:
    raise AssertionError("each step has equations of its own")


def _is_finite(values: Array) -> bool:
    """True if all values are finite; their squares are a sufficient condition that is found quickly."""
    return math.isfinite(values.dot(values)) or bool(np.isfinite(values).all())
