"""One motion of an arm with flexible joints by a solver of SciPy where no joint sticks.

That is where none has dry friction, or where it cannot stick: the solver goes on from steps of the past, or the
friction of rigid joints that are coupled depends on their load (see `armdyn.simulation.flexible.hybrid` for all
others). Then friction, or a function of time and state given as a force, may switch as often as it is asked, so that
the solver's steps collapse; semi-implicit Euler steps carry the motion on, as `armdyn.simulation.integration.adaptive`
does.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.advice import either
from armdyn.simulation.divergence import diverged, not_kept
from armdyn.simulation.events.play import At, Reached, ends_of, first_reached, nearer
from armdyn.simulation.flexible.of_links import OfLinks
from armdyn.simulation.integration.chattering import Quiet, Stretch, Watch, in_turns
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.results.dense import Dense, Line
from armdyn.simulation.results.motion_data import Occurrence
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.flexible.run import Flexible

CORRECTIONS = 4
"""Of the time of an end of a play; each is of Newton's method."""


class AdaptiveRun:
    """y = (x, xd, z, W), x the stacked positions of links and rotors, z where something bends.

    Args:
        f: the equations of motion, and what keeps the states.
        method: with its tolerances.
        duration: s.
        chattered: gets the stretches that fixed steps carried the motion through.
        dense: gets the interpolants of all steps; None where they are not kept.
        within: puts states onto the constraints; None where none is asked for.
    """

    def __init__(
        self,
        f: Flexible,
        method: Adaptive,
        duration: float,
        chattered: list[Stretch],
        dense: Dense | None,
        within: OfLinks | None = None,
    ) -> None:
        self.within = within
        self.f, self.method, self.duration, self.chattered, self.dense = f, method, duration, chattered, dense
        self.own, self.steps, self.m = f.samples, 0, 0
        self.watch = Watch(duration, method.chattering_step)
        self.ends = ends_of(f.robot)
        self.watches = (bool(f.rubbing) or f.forces.by_callables) and method.chattering_step is not None

    def integrate(self, x: Array, xd: Array, *bristles: Array) -> Generator[float]:
        """From 0 to the duration, anew where known forces jump or bend; yields the fraction that is done."""
        f, y, self.m = self.f, np.concatenate([x, xd, *bristles, [-self._stored(*bristles)]]), len(x)
        forces, t = f.forces, 0.0
        try:
            for f.hold, (begin, end) in enumerate(pairwise(forces.edges(self.duration))):
                t, f.forces = begin, forces.between(begin, end)
                for after in in_turns((self._by_solver, self._through_chattering), begin, end, y):
                    t, y = after
                    yield t / self.duration
        except Exception:  # also of a torque that is a user's own function
            self.own.keep_end(t, lambda: self._record(t, y), f.forget_forces)
            raise
        self._record(self.duration, y)

    def _rates(self, t: float, y: Array) -> Array:
        xd, z, bends = y[self.m : 2 * self.m], y[2 * self.m : -1], self.f.bends
        force, z_rate = (0.0, z) if bends is None else bends.bending(z, xd)
        xdd, power = self.f(t, y[: self.m], xd, force)
        if self.watches:
            self.watch.saw(t, y, self.f.watched(xd))
        return np.concatenate([xd, xdd, z_rate, [power]])

    def _stored(self, *bristles: Array) -> float:
        """The energy of what is bent."""
        return 0.0 if self.f.bends is None else float(self.f.bends.energy(*bristles))

    def _by_solver(self, begin: float, end: float, y: Array) -> Generator[tuple[float, Array]]:
        """Times and states after each step, to the end or until friction chatters."""
        self.watch.rest()
        solver, left = self._solver(begin, end, y), None
        while solver.status == "running":
            before, start = solver.t, solver.y
            dense = self._stepped(solver)
            reached = first_reached(self.ends, before, solver.t, dense, left)
            left = reached
            if reached is not None:
                t, y = self._up_to(reached, before, start)
                yield t, y
                solver = self._solver(t, end, y)
                continue
            self._keep(dense, solver.t)
            self._correct(solver)
            yield solver.t, solver.y
            if self.watches and self.watch.collapsed(solver.t - before) and self.watch.jumps().any():
                return

    def _solver(self, begin: float, end: float, y: Array) -> Any:
        import scipy.integrate  # noqa: PLC0415 - slow to import, and fixed steps do without

        kind = getattr(scipy.integrate, self.method.scipy_method)
        return kind(self._rates, begin, y, end, rtol=self.method.rtol, atol=self.method.atol)

    def _stepped(self, solver: Any) -> At:
        """The motion along the next step."""
        self.steps += 1
        if self.steps > self.method.max_steps or not _stepped(solver):
            raise self._lost(solver.t, solver.y, not_kept(self.method, ""))
        self.own.effort.steps += 1
        found: At = solver.dense_output()
        return found

    def _correct(self, solver: Any) -> None:
        """Put the state after a step onto the constraints; the solver goes on from there, with the rates there."""
        if self.within is not None:
            y = solver.y.copy()
            y[: self.m], y[self.m : 2 * self.m] = self.within.after_step(y[: self.m], y[self.m : 2 * self.m])
            solver.y, solver.f = y, self._rates(solver.t, y)

    def _keep(self, at: At, until: float) -> None:
        """Keep the samples before a time, and the interpolant up to there."""
        if self.dense is not None:
            self.dense.add(until, at)
        for t in self.own.t[self.own.count : int(np.searchsorted(self.own.t, until))]:
            self._record(float(t), at(t))

    def _up_to(self, reached: Reached, begin: float, start: Array) -> tuple[float, Array]:
        """The time of an end of a play and the state there, integrated without a step over it; it is noted."""
        for _ in range(CORRECTIONS):
            solver, pieces = self._solver(begin, reached.t, start), []
            while solver.status == "running":
                pieces.append((self._stepped(solver), solver.t))
            t = nearer(reached, pieces[-1][0], begin)
            if t <= begin or abs(t - reached.t) <= 4.0 * np.spacing(reached.t):
                break
            reached = reached._replace(t=t)
        for at, until in pieces:
            self._keep(at, until)
        kind = reached.end.kind(rises=reached.rises)
        if kind is not None:
            n = self.f.robot.dof
            q, qd = solver.y[:n].copy(), solver.y[self.m : self.m + n].copy()
            self.own.events.append(Occurrence(solver.t, reached.end.joint, kind, q, qd))
        return solver.t, solver.y

    def _through_chattering(self, t: float, end: float, y: Array) -> Generator[tuple[float, Array]]:
        """Times and states after each semi-implicit Euler step, to the end or until friction has ceased to switch."""
        if t == end:
            return
        jumps, begin, steps, m = self.watch.jumps(), t, 0, self.m
        quiet, longest = Quiet(self.watch.in_turn(jumps)), self.method.chattering_step or np.inf
        while t < end:
            if self.own.t[self.own.count] <= t:
                self._record(t, y)
            t_next = min(t + longest, float(self.own.t[self.own.count]), end)
            after = y + (t_next - t) * self._rates(t, y)
            settled = quiet.after(self.f.watched(y[m : 2 * m]))
            after[:m] = y[:m] + (t_next - t) * after[m : 2 * m]
            if self.f.bends is not None:
                after[2 * m : -1] = self.f.bends.along(y[2 * m : -1], after[:m] - y[:m], after[m : 2 * m])
            if not np.isfinite(after).all():
                shorter = either(
                    "Use a shorter Adaptive(chattering_step=...).", "Use --method rk4 with a short --step."
                )
                raise self._lost(t, y, shorter)
            if self.dense is not None:
                self.dense.add(t_next, Line(t, t_next, y, after))
            t, y, steps = t_next, after, steps + 1
            yield t, y
            if settled:
                break
        self.own.effort.steps += steps
        self.chattered.append(Stretch(begin, t, steps, tuple(np.flatnonzero(jumps).tolist())))

    def _record(self, t: float, y: Array) -> None:
        m, z = self.m, y[2 * self.m : -1]
        x, xd, bent = y[:m], y[m : 2 * m], () if self.f.bends is None else (z,)
        if self.within is not None:
            x, xd = self.within.onto(x, xd)
        self.f.record(t, x, xd, y[-1] + self._stored(*bent), *bent)

    def _lost(self, t: float, y: Array, remedy: str) -> Exception:
        return diverged(self.f.robot, t, y[: self.f.robot.dof], y[self.m : self.m + self.f.robot.dof], remedy)


def _stepped(solver: Any) -> bool:
    """Whether a solver of SciPy made a step to a finite state."""
    try:
        solver.step()
    except (ValueError, np.linalg.LinAlgError):
        return False  # an implicit solver met NaN
    return solver.status != "failed" and bool(np.isfinite(solver.y).all())
