"""Chattering: a force law that switches faster than any step of an adaptive solver can follow.

Coulomb friction -c sign(qd) at a joint that sticks, or a sliding-mode controller on its surface: the force on either
side of the switch drives the motion back to the other, and a solver that resolves every switch stalls. The
motion goes on along the switch (in the sense of Filippov). Steps of a fixed length, which cross it to and fro, follow
that motion with an error of the first order in their length.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from armdyn.base.advice import either, option
from armdyn.simulation.elements.dry_joints import can_hold
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import Adaptive, Method
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array

CHATTERING = "chattering:"
"""The first word of the note on it."""

COLLAPSED = 1e-3
"""A step has collapsed if it is shorter than this fraction of the longest step so far."""

IN_A_ROW = 30
"""The law is checked after this many consecutive collapsed steps. A solver recovers from a single switch in fewer."""

MANY = 300
"""Steps of a solver that stops at one switch after the other, and takes some longer steps between them."""

AT_A_SWITCH = 5
"""This many consecutive collapsed steps are at a switch, whether it is passed then or not."""

OF_MANY = 1.0 / 3.0
"""Switches delay the solver if more than this fraction of its last steps have collapsed."""

LONG_ENOUGH = 1e-4
"""The longest step counts as at least this fraction of the duration, for motions that begin by chattering."""

STEEP = 1e4
"""Relative change of a force for a change of t, q or qd by one, s, rad or rad/s: beyond, it counts as a jump."""

SMALLEST_JUMP = 1e-6
"""Least jump of a force, over its largest value."""

QUIET = 100
"""The solver takes over again after this many fixed steps without a switch."""


@dataclass
class Stretch:
    """An interval of time, s, in which fixed steps carried the motion, with the names of the switching quantities."""

    begin: float
    end: float
    steps: int
    names: tuple[str, ...]


class Watch:
    """Detects chattering of a law from its recent values and the lengths of the steps.

    Args:
        duration: of the motion, s.
        instead: s. If many steps have collapsed, with longer ones between them, and their mean is no longer than
            this, fixed steps of this length are faster. None: only consecutive collapsed steps count.
    """

    def __init__(self, duration: float, instead: float | None = None) -> None:
        self._recent: deque[tuple[float, Array, Array]] = deque(maxlen=2 * IN_A_ROW)
        self._steps: deque[float] = deque(maxlen=MANY)
        self._known: Array = np.zeros(0)
        self._instead = 0.0 if instead is None else instead
        self._longest = LONG_ENOUGH * duration
        self._short = 0

    def saw(self, t: float, y: Array, forces: tuple[Array, ...]) -> None:
        """Record an evaluation of the law: its forces, and directions of friction if joints do not stick."""
        self._recent.append((t, y.copy(), np.concatenate(forces)))

    def collapsed(self, step: float) -> bool:
        """Record an accepted step; returns True if many of the last ones were very short."""
        self._longest = max(self._longest, step)
        self._short = self._short + 1 if step < COLLAPSED * self._longest else 0
        self._steps.append(step)
        if self._instead and self._short == AT_A_SWITCH:
            self._note(self.jumps())
        return self._short >= IN_A_ROW or self._many_collapsed()

    def _many_collapsed(self) -> bool:
        """True if fixed steps would be faster than steps of which many have collapsed."""
        if len(self._steps) < MANY or sum(self._steps) >= MANY * self._instead:
            return False
        return sum(step < COLLAPSED * self._longest for step in self._steps) > OF_MANY * MANY

    def jumps(self) -> Array:
        """Jump of each force between nearly equal states, N m or N; zero if it does not jump."""
        if len(self._recent) < 2:
            return np.zeros(0)
        t, y, forces = (np.array(x) for x in zip(*self._recent, strict=True))
        states = np.column_stack([t, y[:, :-1]])  # the work is not an argument of the law
        change, distance = np.abs(np.diff(forces, axis=0)), np.abs(np.diff(states, axis=0)).max(axis=1)
        size = np.abs(forces).max(axis=0)
        jumps = (change > SMALLEST_JUMP * size) & (change > STEEP * size * distance[:, None])
        return np.asarray(np.where(jumps, change, 0.0).max(axis=0))

    def in_turn(self, jumps: Array) -> Array:
        """These jumps, and if forces switch in turn, those of the other forces at earlier switches."""
        return self._note(jumps) if self._instead else jumps

    def _note(self, jumps: Array) -> Array:
        """The largest jumps of each force that have been seen."""
        if jumps.size:
            self._known = np.maximum(self._known, jumps) if self._known.size else jumps
        return self._known

    def rest(self) -> None:
        """Forget the steps and states so far: the solver starts anew."""
        self._recent.clear()
        self._steps.clear()
        self._short = 0


class Quiet:
    """Detects that a law has ceased to switch, from its values after each fixed step."""

    def __init__(self, jumps: Array) -> None:
        self._least = np.where(jumps > 0, 0.5 * jumps, np.inf)
        self._before: Array | None = None
        self._steps = 0

    def after(self, forces: tuple[Array, ...]) -> bool:
        """Record the values after a step; returns True if none has switched for more than `QUIET` steps."""
        now = np.concatenate(forces)
        switched = self._before is not None and bool((np.abs(now - self._before) > self._least).any())
        self._before, self._steps = now, 0 if switched else self._steps + 1
        return self._steps > QUIET


class Chattering:
    """Chattering of one motion: recognised by short steps of the solver, and carried through by fixed steps."""

    def __init__(self, system: System, step: float, duration: float, *, switches: bool) -> None:
        self.step, self.stretches = step, list[Stretch]()
        self._directions = system.directions if switches else None
        self._names = [*(system.names_of_friction() if switches else ()), *system.names_of_forces()]
        on_springs = bool(system.places)  # which vibrate: steps between two switches are short, and not all equal
        self.watch = Watch(duration, step if on_springs else None)
        self._quiet: Quiet | None = None

    @classmethod
    def of(cls, system: System, method: Method, forces: Forces, duration: float) -> Chattering | None:
        """Chattering of a motion by a method; None if nothing may switch, or fixed steps are not allowed."""
        if not isinstance(method, Adaptive) or method.chattering_step is None:
            return None
        switches = bool(system.rubbing) and not can_hold(system.bare)
        if not (forces.by_callables or switches):
            return None
        return cls(system, method.chattering_step, duration, switches=switches)

    @property
    def goes_on(self) -> bool:
        """True while fixed steps carry the motion."""
        return self._quiet is not None

    def saw(self, t: float, y: Array, v: Array, forces: tuple[Array, ...]) -> None:
        """Record an evaluation of the forces."""
        self.watch.saw(t, y, forces if self._directions is None else (self._directions(v), *forces))

    def begins(self, t: float) -> bool:
        """True if forces have jumped between the last evaluations, so that fixed steps go on from a time."""
        jumps = self.watch.jumps()
        if self.goes_on or not jumps.any():
            return False
        self._quiet = Quiet(self.watch.in_turn(jumps))
        self.stretches.append(Stretch(t, t, 0, tuple(self._names[k] for k in np.flatnonzero(jumps))))
        return True

    def ends(self, t: float, v: Array, forces: tuple[Array, ...]) -> bool:
        """Record a fixed step to a time, from which the solver takes over if this returns True."""
        assert self._quiet is not None  # noqa: S101 - it goes on
        last = self.stretches[-1]
        last.end, last.steps = t, last.steps + 1
        if self._quiet.after(forces if self._directions is None else (self._directions(v), *forces)):
            self._quiet = None
            self.watch.rest()
        return not self.goes_on


def note_on(stretches: list[Stretch], step: float) -> str:
    """A note on chattering: the Euler steps taken, and the remedy."""
    what = dict.fromkeys(name for stretch in stretches for name in stretch.names)
    total = sum(stretch.end - stretch.begin for stretch in stretches)
    steps = sum(stretch.steps for stretch in stretches)
    return (
        f"{CHATTERING} {', '.join(what)} switched faster than the adaptive method can follow, first at "
        f"t = {stretches[0].begin:g} s; {steps} fixed semi-implicit Euler steps of {step:g} s "
        f"carried the motion through {total:.4g} s of it, with an error of the first order in that step. Use a smooth "
        "law, such as tanh(qd / eps) in the place of sign(qd), or a method with fixed steps such as "
        f"{option('method', 'semi_implicit_euler')}" + either(", or a smaller Adaptive(chattering_step=...)", "")
    )
