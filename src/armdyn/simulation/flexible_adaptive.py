"""One motion of an arm with flexible joints by a solver of SciPy, through stretches in which friction chatters.

No joint sticks here. Dry friction at a rotor that its spring would hold at rest switches as often as it is asked, so
that the solver's steps collapse; semi-implicit Euler steps carry the motion on, as `armdyn.simulation.adaptive` does.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.simulation.chattering import Quiet, Stretch, Watch
from armdyn.simulation.divergence import diverged
from armdyn.simulation.methods import Adaptive
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.flexible_run import Flexible


class AdaptiveRun:
    """y = (x, xd, W) with x the stacked positions of links and rotors.

    Args:
        f: the equations of motion, and what keeps the states.
        method: with its tolerances.
        duration: s.
        chattered: gets the stretches that fixed steps carried the motion through.
    """

    def __init__(self, f: Flexible, method: Adaptive, duration: float, chattered: list[Stretch]) -> None:
        self.f, self.method, self.duration, self.chattered = f, method, duration, chattered
        self.own, self.steps, self.watch, self.m = f.samples, 0, Watch(duration), 0
        self.watches = bool(f.rubbing) and method.chattering_step is not None

    def integrate(self, x: Array, xd: Array) -> Generator[float]:
        """From 0 to the duration, anew where known forces jump or bend; yields the fraction that is done."""
        f, y, self.m = self.f, np.array([*x, *xd, 0.0]), len(x)
        forces = f.forces
        for f.hold, (begin, end) in enumerate(pairwise(forces.edges(self.duration))):
            t, f.forces = begin, forces.between(begin, end)
            while t < end:
                for advance in (self._by_solver, self._through_chattering):
                    for after in advance(t, end, y):
                        t, y = after
                        yield t / self.duration
        self._record(self.duration, y)

    def _rates(self, t: float, y: Array) -> Array:
        xd = y[self.m : -1]
        xdd, power = self.f(t, y[: self.m], xd)
        if self.watches:
            self.watch.saw(t, y, self.f.directions(xd))
        return np.array([*xd, *xdd, power])

    def _by_solver(self, begin: float, end: float, y: Array) -> Generator[tuple[float, Array]]:
        """Times and states after each step, to the end or until friction chatters."""
        import scipy.integrate  # noqa: PLC0415 - slow to import, and fixed steps do without

        own, method = self.own, self.method
        self.watch.rest()
        solver = getattr(scipy.integrate, method.scipy_method)(
            self._rates, begin, y, end, rtol=method.rtol, atol=method.atol
        )
        while solver.status == "running":
            before, self.steps = solver.t, self.steps + 1
            if self.steps > method.max_steps or not _stepped(solver):
                raise self._lost(solver.t, solver.y, f"{method} could not keep its tolerance.")
            own.effort.steps += 1
            dense = solver.dense_output()
            for t in own.t[own.count : int(np.searchsorted(own.t, solver.t))]:
                self._record(float(t), dense(t))
            yield solver.t, solver.y
            if self.watches and self.watch.collapsed(solver.t - before) and self.watch.jumps().any():
                return

    def _through_chattering(self, t: float, end: float, y: Array) -> Generator[tuple[float, Array]]:
        """Times and states after each semi-implicit Euler step, to the end or until friction has ceased to switch."""
        if t == end:
            return
        jumps, begin, steps, m = self.watch.jumps(), t, 0, self.m
        quiet, longest = Quiet(jumps), self.method.chattering_step or np.inf
        while t < end:
            if self.own.t[self.own.count] <= t:
                self._record(t, y)
            t_next = min(t + longest, float(self.own.t[self.own.count]), end)
            after = y + (t_next - t) * self._rates(t, y)
            after[:m] = y[:m] + (t_next - t) * after[m:-1]
            if not np.isfinite(after).all():
                raise self._lost(t, y, "Use a shorter Adaptive(chattering_step=...).")
            t, y, steps = t_next, after, steps + 1
            yield t, y
            if quiet.after(self.f.directions(y[m:-1])):
                break
        self.own.effort.steps += steps
        self.chattered.append(Stretch(begin, t, steps, tuple(np.flatnonzero(jumps).tolist())))

    def _record(self, t: float, y: Array) -> None:
        self.f.record(t, y[: self.m], y[self.m : -1], y[-1])

    def _lost(self, t: float, y: Array, remedy: str) -> Exception:
        return diverged(self.f.robot, t, y[self.m : self.m + self.f.robot.dof], remedy)


def _stepped(solver: Any) -> bool:
    """Whether a solver of SciPy made a step to a finite state."""
    try:
        solver.step()
    except (ValueError, np.linalg.LinAlgError):
        return False  # an implicit solver met NaN
    return solver.status != "failed" and bool(np.isfinite(solver.y).all())
