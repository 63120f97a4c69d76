"""The first time at which a watched result falls below zero, located within a step to rounding, as LLVM IR.

A step after which, or at a stage of which, some watched result is negative is not made. Instead its length is searched:
trial steps from the same state halve the interval between the longest length without a negative result and the shortest
length with one, by the secant method with the Illinois rule (Dowell and Jarratt 1971) if both ends have a sign, else
by bisection. The last step has the longest length without. So the time and the state are as accurate as a step, and
each lane searches while the others step.

A result whose rate changes from negative to positive within a step may fall below zero and rise again, between two
stages. Its tangents at both ends of the step bound it from below, if it is convex there; if they do not exclude a zero,
the lane stops before the step.
"""

from __future__ import annotations

from armdyn.program.integration import (
    BELOW,
    LANDING,
    LIMITS,
    LOCATED,
    PROGRESS,
    SEARCHING,
    STEPPING,
    WATCHED,
)
from armdyn.targets.llvm.lanes import Lanes

ROUNDINGS = 4.0
"""The width of the interval at which a search ends, in distances from t to the next floating-point number."""

_T, _H, _STATUS = map(PROGRESS.index, ("t", "h", "status"))
_PHASE, _LOW, _F_LOW, _HIGH, _F_HIGH, _SIDE, _WHOLE, _WHICH = map(
    PROGRESS.index, ("phase", "low", "f_low", "high", "f_high", "side", "whole", "which")
)


class Search:
    """The code that watches results and locates their zeros; nothing if none is watched.

    Args:
        lanes: the body of the loop.
        count: the number of watched results.
        slopes: true if their rates are known.
    """

    def __init__(self, lanes: Lanes, count: int, *, slopes: bool) -> None:
        self.lanes, self.count, self.slopes = lanes, count, slopes
        sizes = dict.fromkeys(("watched", "slopes", "w.start", "s.start", "w.end", "s.end"), max(count, 1))
        self.room = sizes | {"least.watched": 1, "landed": 1}

    def keep_start(self, fresh: str) -> None:
        """Keep the results at the begin of the next step, in fresh lanes."""
        names = (("%watched", "%w.start"), ("%slopes", "%s.start"))
        for k in range(self.count):
            for now, start in names[: 1 + self.slopes]:
                value = self.lanes.select(fresh, self.lanes.load(now, k), self.lanes.load(start, k))
                self.lanes.store(value, start, k)

    def begin(self, running: str) -> None:
        """End the integration in the lanes in which a result is negative when a call begins."""
        if not self.count:
            return
        least, index = self.lanes.load("%w.start"), self.lanes.vector.splat(0.0)
        for k in range(1, self.count):
            value = self.lanes.load("%w.start", k)
            smaller = self.lanes.compare("olt", value, least)
            least, index = self.lanes.select(smaller, value, least), self.lanes.select(smaller, float(k), index)
        watches = self.lanes.both(running, self.lanes.compare("oeq", self._limit(), 1.0))
        below = self.lanes.both(watches, self.lanes.compare("olt", least, -BELOW))
        below = self.lanes.both(below, self._in_phase(STEPPING))
        self._store(_WHICH, below, index)
        self._store(_STATUS, below, LOCATED)

    def clear(self) -> None:
        """Forget the results of the last step."""
        if self.count:
            self.lanes.store(self.lanes.vector.splat(float("inf")), "%least.watched")

    def see_stage(self) -> None:
        """Count the results of a stage."""
        for k in range(self.count):
            least = self.lanes.least(self.lanes.load("%watched", k), self.lanes.load("%least.watched"))
            self.lanes.store(least, "%least.watched")

    def outside(self, mask: str) -> str:
        """The lanes of a mask that do not search."""
        if not self.count:
            return mask
        return self.lanes.both(mask, self._in_phase(STEPPING))

    def decide(self, fine: str, rejected: str, running: str) -> tuple[str, str]:
        """The lanes that accept the step, and those that reject it for its error; others search, or stop before it."""
        if not self.count:
            return fine, rejected
        lanes, h = self.lanes, self.lanes.load("%h")
        stepping, watches = self._in_phase(STEPPING), lanes.compare("oeq", self._limit(), 1.0)
        trial, landed = lanes.both(running, self._in_phase(SEARCHING)), lanes.both(running, self._in_phase(LANDING))
        least, index = self._end_of_step()
        falls = lanes.compare("olt", lanes.load("%least.watched"), 0.0)
        looks = lanes.both(lanes.both(fine, stepping), watches)
        begins = lanes.both(looks, falls)
        stopped = lanes.both(lanes.without(looks, falls), self._may_dip(h))
        self._store(_STATUS, stopped, WATCHED)
        self._store(_H, stopped, h)
        self._begin(begins, h)
        self._narrow(self._either(begins, trial), trial, falls, least, index)
        result = lanes.compare("olt", self._load(_F_HIGH), 0.0)
        self._store(_STATUS, lanes.both(landed, result), LOCATED)
        self._store(_PHASE, landed, STEPPING)
        lanes.store(lanes.select(landed, 1.0, 0.0), "%landed")
        moves = lanes.without(lanes.without(lanes.both(fine, stepping), begins), stopped)
        return self._either(moves, landed), lanes.both(rejected, stepping)

    def advance(self, accepted: str) -> None:
        """Continue from the end of the accepted steps."""
        for k in range(self.count):
            for end, start in (("%w.end", "%w.start"), ("%s.end", "%s.start"))[: 1 + self.slopes]:
                self.lanes.store(
                    self.lanes.select(accepted, self.lanes.load(end, k), self.lanes.load(start, k)), start, k
                )

    def next_length(self, h: str) -> str:
        """The length of the next step: after a search that of the step that was searched."""
        if not self.count:
            return h
        landed = self.lanes.compare("oeq", self.lanes.load("%landed"), 1.0)
        return self.lanes.select(landed, self._load(_WHOLE), h)

    def _end_of_step(self) -> tuple[str, str]:
        """The least result at the end of the step, and its number."""
        lanes = self.lanes
        least, index = lanes.load("%watched"), lanes.vector.splat(0.0)
        for k in range(self.count):
            value = lanes.load("%watched", k)
            lanes.store(value, "%w.end", k)
            if self.slopes:
                lanes.store(lanes.load("%slopes", k), "%s.end", k)
            smaller = lanes.compare("olt", value, least)
            least, index = lanes.select(smaller, value, least), lanes.select(smaller, float(k), index)
        return least, index

    def _may_dip(self, h: str) -> str:
        """The lanes in which a result may fall below zero and rise again within the step."""
        lanes = self.lanes
        dips = lanes.compare("olt", lanes.vector.splat(0.0), 0.0)
        for k in range(self.count) if self.slopes else ():
            s_0, s_1 = lanes.load("%s.start", k), lanes.load("%s.end", k)
            turns = lanes.both(lanes.compare("olt", s_0, 0.0), lanes.compare("ogt", s_1, 0.0))
            forwards = lanes.fma(h, s_0, lanes.load("%w.start", k))
            backwards = lanes.op("fsub", lanes.load("%w.end", k), lanes.op("fmul", h, s_1))
            below = lanes.compare("olt", lanes.least(forwards, backwards), 0.0)
            dips = self._either(dips, lanes.both(turns, below))
        return dips

    def _begin(self, begins: str, h: str) -> None:
        """The interval from the begin of the step to its end."""
        lanes = self.lanes
        start = lanes.load("%w.start")
        for k in range(1, self.count):
            start = lanes.least(lanes.load("%w.start", k), start)
        for place, value in ((_LOW, 0.0), (_F_LOW, start), (_HIGH, h), (_F_HIGH, 1.0), (_SIDE, 0.0), (_WHOLE, h)):
            self._store(place, begins, value)

    def _narrow(self, some: str, trial: str, falls: str, least: str, index: str) -> None:
        """Take the latest step as an end of the interval, and choose the length of the next one."""
        lanes, h = self.lanes, self.lanes.load("%h")
        up, down = lanes.without(trial, falls), lanes.both(some, falls)
        below = lanes.both(down, lanes.compare("olt", least, 0.0))
        self._store(_LOW, up, h)
        self._store(_F_LOW, up, least)
        self._store(_HIGH, down, h)
        self._store(_F_HIGH, down, lanes.select(below, least, 1.0))
        self._store(_WHICH, below, index)
        again = lanes.both(down, lanes.compare("oeq", self._load(_SIDE), 1.0))
        self._store(_F_LOW, again, lanes.op("fmul", self._load(_F_LOW), 0.5))
        again = lanes.both(up, lanes.compare("oeq", self._load(_SIDE), -1.0))
        self._store(_F_HIGH, again, lanes.op("fmul", self._load(_F_HIGH), 0.5))
        self._store(_SIDE, down, 1.0)
        self._store(_SIDE, up, -1.0)
        low, high, tolerance = self._load(_LOW), self._load(_HIGH), self._tolerance()
        width = lanes.op("fsub", high, low)
        following = lanes.largest(lanes.fma(width, self._fraction(), low), lanes.fma(tolerance, 0.5, low))
        following = lanes.least(following, lanes.op("fsub", high, lanes.op("fmul", tolerance, 0.5)))
        closed = lanes.compare("ole", width, tolerance)
        self._store(_H, some, lanes.select(closed, low, following))
        self._store(_PHASE, some, lanes.select(closed, LANDING, SEARCHING))
        self._stay(lanes.both(lanes.both(some, closed), lanes.compare("oeq", low, 0.0)))

    def _stay(self, at_once: str) -> None:
        """End a search at the begin of its step."""
        lanes = self.lanes
        result = lanes.compare("olt", self._load(_F_HIGH), 0.0)
        self._store(_STATUS, at_once, lanes.select(result, LOCATED, WATCHED))
        self._store(_PHASE, at_once, STEPPING)
        self._store(_H, at_once, self._load(_WHOLE))

    def _fraction(self) -> str:
        """The place of the next trial in the interval, between 0 and 1."""
        lanes, f_low, f_high = self.lanes, self._load(_F_LOW), self._load(_F_HIGH)
        signs = lanes.both(lanes.compare("ogt", f_low, 0.0), lanes.compare("olt", f_high, 0.0))
        return lanes.select(signs, lanes.op("fdiv", f_low, lanes.op("fsub", f_low, f_high)), 0.5)

    def _tolerance(self) -> str:
        """The width at which the search ends, s."""
        lanes, vector = self.lanes, self.lanes.vector
        end = lanes.op("fadd", self._load(_T), self._load(_HIGH))
        bits = lanes.let(f"bitcast {vector.type} {end} to {vector.bits_type}")
        following = lanes.let(f"add {vector.bits_type} {bits}, {vector.bits(1)}")
        number = lanes.let(f"bitcast {vector.bits_type} {following} to {vector.type}")
        return lanes.op("fmul", lanes.op("fsub", number, end), ROUNDINGS)

    def _in_phase(self, phase: float) -> str:
        return self.lanes.compare("oeq", self._load(_PHASE), phase)

    def _either(self, a: str, b: str) -> str:
        return self.lanes.let(f"or {self.lanes.vector.mask_type} {a}, {b}")

    def _limit(self) -> str:
        return self.lanes.load("%limits", LIMITS.index("watches"))

    def _load(self, place: int) -> str:
        return self.lanes.load("%progress", place)

    def _store(self, place: int, mask: str, value: str | float) -> None:
        """Write a number of the progress in some lanes."""
        self.lanes.store(self.lanes.select(mask, value, self._load(place)), "%progress", place)
