"""One step of an embedded pair in all lanes of a group, as LLVM IR: its stages, its error, the length of the next one.

The rules are those of Hairer, Norsett and Wanner, "Solving Ordinary Differential Equations I", section II.4, with the
factors of SciPy's solvers: so the steps equal those of `scipy.integrate.DOP853` and ``RK45``, except for rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from armdyn.program.embedded_pairs import Weights
from armdyn.program.integration import FINISHED, LIMITS, ON_GRID, TOO_SHORT, Integration
from armdyn.targets.llvm.integration_search import Search
from armdyn.targets.llvm.lanes import Lanes

SAFETY, LEAST_FACTOR, LARGEST_FACTOR = 0.8, 0.2, 10.0
"""The safety factor, and the bounds of the ratio of the next step length to this one."""

SMALLEST_ERROR, LARGEST_ERROR = 1e-10, 1e7
"""The range of the error: errors beyond it, and NaN, change the length by the least or the largest factor."""

ROUNDINGS = 10.0
"""The shortest step, in distances from t to the next floating-point number."""

EPSILON = 2.0**-52

_T, _H, _, _REJECTED, _STATUS, _STEPS, _EVALUATIONS = range(7)
_END, _RTOL, _ATOL, _STEP = map(LIMITS.index, ("end", "rtol", "atol", "step"))


class StepCode:
    """The code of a step.

    Args:
        lanes: the body of the loop.
        integration: the integration.
        slots: the slots in scratch memory of the inputs of the program of rates.
    """

    def __init__(self, lanes: Lanes, integration: Integration, slots: Mapping[str, int]) -> None:
        self.lanes, self.pair, self.size, self.slots = lanes, integration.pair, integration.size, slots
        self.time = None if integration.time is None else slots[integration.time]
        ports = integration.state_ports
        firsts = accumulate((port.size for port in ports), initial=0)
        self.parts = [(port.name, first, port.size) for port, first in zip(ports, firsts, strict=False)]
        self.watched_stages = integration.watched_stages
        self.search = Search(lanes, integration.watched_size, slopes=integration.slopes is not None)
        self.measured = integration.measured_size
        self.correcting = None if integration.correcting is None else slots[integration.correcting]
        own = ("t.new", "h", "accepted", "rejected", "factor", "sum0", "sum1", "finite")
        size = self.size if self.correcting is not None else 1
        self.room = (
            dict.fromkeys(own, 1) | self.search.room | dict.fromkeys(("corrected", "K.corrected", "unread"), size)
        )

    def begin(self, fresh: str) -> None:
        """Evaluate the first rates, and choose the first length, of fresh lanes; those at their end finish."""
        lanes, progress, m = self.lanes, self._progress, self.size
        at_end = lanes.compare("oge", progress(_T), self._limit(_END))
        running = lanes.both(fresh, lanes.compare("oeq", progress(_STATUS), 0.0))
        ended = lanes.both(at_end, running)
        lanes.store(lanes.select(ended, FINISHED, progress(_STATUS)), "%progress", _STATUS)
        if self.correcting is not None:
            lanes.store(lanes.vector.splat(0.0), "%values", self.correcting)
        self._evaluate_at(progress(_T), 1)
        with lanes.each("first.rates", m) as k:
            later = lanes.load("%K", lanes.let(f"add i64 {k}, {m}"))
            lanes.store(lanes.select(fresh, later, lanes.load("%K", k)), "%K", k)
        self.search.keep_start(fresh)
        self.search.begin(lanes.without(running, at_end))
        if not self.pair.is_fixed:
            self._choose_first_length(running, at_end)
        self._count(_EVALUATIONS, running, 1.0)

    def _choose_first_length(self, running: str, at_end: str) -> None:
        """Choose the first length in lanes without one."""
        lanes, progress = self.lanes, self._progress
        missing = lanes.both(lanes.compare("oeq", progress(_H), 0.0), lanes.without(running, at_end))
        with lanes.where(lanes.any(missing), "first.length"):
            self._choose_length(missing)

    def _choose_length(self, missing: str) -> None:
        """Choose initial step lengths from the size of y, y' and y'', as in section II.4 of the book."""
        lanes, m = self.lanes, self.measured
        t, interval = self._progress(_T), lanes.op("fsub", self._limit(_END), self._progress(_T))
        self._clear_sums()
        with lanes.each("sizes", m) as k:
            scale = self._scale(lanes.load("%y", k))
            self._add_square(0, lanes.op("fdiv", lanes.load("%y", k), scale))
            self._add_square(1, lanes.op("fdiv", lanes.load("%K", k), scale))
        d_0, d_1 = self._rms(0), self._rms(1)
        small = lanes.let(
            f"or {lanes.vector.mask_type} {lanes.compare('olt', d_0, 1e-5)}, {lanes.compare('olt', d_1, 1e-5)}"
        )
        quotient = lanes.op("fmul", lanes.op("fdiv", d_0, d_1), 0.01)
        h_0 = lanes.least(lanes.select(small, 1e-6, quotient), interval)
        for name, first, size in self.parts:
            if name in self.slots:
                with lanes.each(f"euler.{first}", size) as k:
                    place = lanes.let(f"add i64 {k}, {first}")
                    moved = lanes.fma(h_0, lanes.load("%K", place), lanes.load("%y", place))
                    lanes.store(moved, "%values", lanes.let(f"add i64 {k}, {self.slots[name]}"))
        self._evaluate_at(lanes.op("fadd", t, h_0), 1)
        self._clear_sums()
        with lanes.each("change", m) as k:
            later = lanes.load("%K", lanes.let(f"add i64 {k}, {self.size}"))
            change = lanes.op("fsub", later, lanes.load("%K", k))
            self._add_square(0, lanes.op("fdiv", change, self._scale(lanes.load("%y", k))))
        d_2 = lanes.op("fdiv", self._rms(0), h_0)
        largest = lanes.largest(d_1, d_2)
        ratio = lanes.op("fmul", lanes.least(lanes.largest(largest, 1e-100), 1e100), 100.0)
        h_1 = lanes.inverse_root(ratio, self.pair.error_order + 1)
        h_1 = lanes.select(lanes.compare("ole", largest, 1e-15), lanes.largest(lanes.op("fmul", h_0, 1e-3), 1e-6), h_1)
        h = lanes.least(lanes.least(lanes.op("fmul", h_0, 100.0), h_1), interval)
        lanes.store(lanes.select(missing, h, self._progress(_H)), "%progress", _H)
        self._count(_EVALUATIONS, missing, 1.0)

    def make(self, active: str) -> None:
        """The stages of a step, its error, and the lanes that accept it; lanes that are not active do not move."""
        lanes, pair = self.lanes, self.pair
        self._choose_end(active)
        self.search.clear()
        for s, weights in enumerate(pair.stages, start=1):
            self._stage(s, weights, ends=s == pair.last)
            if s in self.watched_stages:
                self.search.see_stage()
        error = self._error()
        fine = lanes.compare("olt", error, 1.0)
        running = lanes.both(active, lanes.compare("oeq", self._progress(_STATUS), 0.0))
        accepted, rejected = self.search.decide(lanes.both(fine, running), lanes.without(running, fine), running)
        if self.correcting is not None:
            accepted = self._correct(accepted, self.correcting)
        self._keep_mask("accepted", accepted)
        self._keep_mask("rejected", rejected)
        self._count(_EVALUATIONS, running, float(pair.last))
        if pair.is_fixed:
            lanes.store(lanes.vector.splat(1.0), "%factor")
            lanes.store(lanes.select(rejected, TOO_SHORT, self._progress(_STATUS)), "%progress", _STATUS)
            return
        bounded = lanes.largest(lanes.least(error, LARGEST_ERROR), SMALLEST_ERROR)
        factor = lanes.op("fmul", lanes.inverse_root(bounded, pair.error_order + 1), SAFETY)
        again = lanes.compare("oeq", self._progress(_REJECTED), 1.0)
        longer = lanes.least(lanes.select(again, 1.0, LARGEST_FACTOR), factor)
        lanes.store(lanes.select(accepted, longer, lanes.largest(factor, LEAST_FACTOR)), "%factor")

    def _correct(self, accepted: str, correcting: int) -> str:
        """Correct the new state in the accepting lanes; returns those in which it is finite, the others fail."""
        lanes, m = self.lanes, self.size
        lanes.store(lanes.vector.splat(0.0), "%finite")
        corrects = lanes.both(accepted, lanes.compare("oeq", self._limit(LIMITS.index("corrects")), 1.0))
        with lanes.each("uncorrected", m) as k:
            lanes.store(lanes.load("%y.new", k), "%corrected", k)
            later = lanes.load("%K", lanes.let(f"add i64 {k}, {self.pair.last * m}"))
            lanes.store(later, "%K.corrected", k)
        with lanes.where(lanes.any(corrects), "correct"):
            self._put_end()
            lanes.store(lanes.select(corrects, 1.0, 0.0), "%values", correcting)
            self._evaluate(lanes.load("%t.new"), "%K.corrected", "%corrected")
            lanes.store(lanes.vector.splat(0.0), "%values", correcting)
            self._count(_EVALUATIONS, corrects, 1.0)
            with lanes.each("finite.correction", m) as k:
                y = lanes.select(corrects, lanes.load("%corrected", k), lanes.load("%y.new", k))
                lanes.store(y, "%corrected", k)
                lanes.store(lanes.op("fadd", lanes.load("%finite"), lanes.op("fsub", y, y)), "%finite")
            for place in range(self.measured, m):
                lanes.store(lanes.load("%corrected", place), "%y.new", place)
        fine = lanes.compare("oeq", lanes.load("%finite"), 0.0)
        failed = lanes.without(corrects, fine)
        lanes.store(lanes.select(failed, TOO_SHORT, self._progress(_STATUS)), "%progress", _STATUS)
        return lanes.without(accepted, failed)

    def _put_end(self) -> None:
        """Make the state at the end of the step the input of the rates."""
        lanes = self.lanes
        for name, first, size in self.parts:
            if name in self.slots:
                with lanes.each(f"end.{first}", size) as k:
                    y = lanes.load("%y.new", lanes.let(f"add i64 {k}, {first}"))
                    lanes.store(y, "%values", lanes.let(f"add i64 {k}, {self.slots[name]}"))

    def _choose_end(self, active: str) -> None:
        """Choose the end of the step, %t.new, and its length, %h, which is 0 in lanes that wait."""
        if self.pair.is_fixed:
            self._choose_end_on_grid(active)
            return
        lanes, vector = self.lanes, self.lanes.vector
        t, h, end = self._progress(_T), self._progress(_H), self._limit(_END)
        bits = lanes.let(f"bitcast {vector.type} {t} to {vector.bits_type}")
        following = lanes.let(f"add {vector.bits_type} {bits}, {vector.bits(1)}")
        next_number = lanes.let(f"bitcast {vector.bits_type} {following} to {vector.type}")
        shortest = lanes.op("fmul", lanes.op("fsub", next_number, t), ROUNDINGS)
        short = self.search.outside(lanes.let(f"fcmp ult {vector.type} {h}, {shortest}"))
        again = lanes.compare("oeq", self._progress(_REJECTED), 1.0)
        failed = lanes.both(lanes.both(short, again), active)
        lanes.store(lanes.select(failed, TOO_SHORT, self._progress(_STATUS)), "%progress", _STATUS)
        h = lanes.select(short, shortest, h)
        later = lanes.op("fadd", t, h)
        t_new = lanes.select(lanes.compare("ogt", later, end), end, later)
        moving = lanes.without(active, failed)
        lanes.store(lanes.select(moving, t_new, t), "%t.new")
        lanes.store(lanes.select(moving, lanes.op("fsub", t_new, t), 0.0), "%h")

    def _choose_end_on_grid(self, active: str) -> None:
        """Choose the next multiple of the step, or the last time, as the end of the step; a search its own length."""
        lanes, t, end, step = self.lanes, self._progress(_T), self._limit(_END), self._limit(_STEP)
        number = lanes.op("fdiv", t, step)
        number = lanes.call("floor", lanes.op("fadd", lanes.fma(number, 4.0 * EPSILON, number), ON_GRID))
        following = lanes.op("fmul", lanes.op("fadd", number, 1.0), step)
        last = lanes.compare("ogt", following, lanes.fma(step, -ON_GRID, end))
        following = lanes.select(last, end, following)
        later = lanes.op("fadd", t, self._progress(_H))
        t_new = lanes.select(self.search.outside(active), following, later)
        t_new = lanes.select(active, t_new, t)
        lanes.store(t_new, "%t.new")
        lanes.store(lanes.op("fsub", t_new, t), "%h")

    def _stage(self, s: int, weights: Weights, *, ends: bool = False) -> None:
        """Evaluate the stage K_s; at the end of the step also the new state."""
        lanes, h = self.lanes, self.lanes.load("%h")
        for name, first, size in self.parts:
            if name not in self.slots and not ends:
                continue
            own = self.pair.ends.get(name, weights) if ends else weights
            with lanes.each(f"stage{s}.{first}", size) as k:
                place = lanes.let(f"add i64 {k}, {first}")
                y = lanes.fma(h, lanes.sum_of(own, "%K", self.size, place), lanes.load("%y", place))
                if ends:
                    lanes.store(y, "%y.new", place)
                if name in self.slots:
                    lanes.store(y, "%values", lanes.let(f"add i64 {k}, {self.slots[name]}"))
        t = lanes.load("%t.new") if ends else lanes.fma(h, self.pair.nodes[s], self._progress(_T))
        self._evaluate_at(t, s)

    def extra_stages(self) -> None:
        """The stages that only the dense output needs."""
        for s, weights in enumerate(self.pair.extra, start=self.pair.last + 1):
            self._stage(s, weights)
        self._count(_EVALUATIONS, self.mask("accepted"), float(len(self.pair.extra)))

    def _evaluate_at(self, t: str, s: int) -> None:
        self._evaluate(t, self.lanes.at("%K", s * self.size), "%unread")

    def _evaluate(self, t: str, rates: str, corrected: str) -> None:
        """Evaluate the rates, and the corrected values, of the state in scratch memory."""
        lanes = self.lanes
        if self.time is not None:
            lanes.store(t, "%values", self.time)
        lanes.put(f"call void @evaluate(ptr %values, ptr {rates}, ptr %watched, ptr %slopes, ptr {corrected})")

    def _error(self) -> str:
        """The root mean square over y of the error over its scale, atol + rtol max(|y|, |y_new|).

        With two estimates E_5 and E_3 it is |E_5|^2 / sqrt(|E_5|^2 + 0.01 |E_3|^2). A formula without an estimate has 0
        if y_new is finite, else NaN.
        """
        lanes, m = self.lanes, self.measured
        self._clear_sums()
        if self.pair.is_fixed:
            with lanes.each("finite", m) as k:
                y = lanes.load("%y.new", k)
                lanes.store(lanes.op("fadd", lanes.load("%sum0"), lanes.op("fsub", y, y)), "%sum0")
            return lanes.load("%sum0")
        with lanes.each("error", m) as k:
            sizes = [lanes.call("fabs", lanes.load(name, k)) for name in ("%y", "%y.new")]
            scale = self._scale(lanes.call("maximum", *sizes))
            one = lanes.op("fdiv", 1.0, scale)
            for number, weights in enumerate(self.pair.errors):
                self._add_square(number, lanes.op("fmul", lanes.sum_of(weights, "%K", self.size, k), one))
        h = lanes.load("%h")
        if len(self.pair.errors) == 1:
            return lanes.op("fmul", h, self._rms(0))
        fifth, third = lanes.load("%sum0"), lanes.load("%sum1")
        below = lanes.call("sqrt", lanes.op("fmul", lanes.fma(third, 0.01, fifth), float(m)))
        error = lanes.op("fmul", h, lanes.op("fdiv", fifth, below))
        return lanes.select(lanes.compare("oeq", fifth, 0.0), 0.0, error)

    def advance(self) -> None:
        """Continue from the end of the accepted steps, with the next length."""
        lanes, m = self.lanes, self.size
        accepted, rejected = self.mask("accepted"), self.mask("rejected")
        with lanes.each("advance", m) as k:
            if self.correcting is None:
                y_new, later = (
                    lanes.load("%y.new", k),
                    lanes.load("%K", lanes.let(f"add i64 {k}, {self.pair.last * m}")),
                )
            else:
                y_new, later = lanes.load("%corrected", k), lanes.load("%K.corrected", k)
            lanes.store(lanes.select(accepted, y_new, lanes.load("%y", k)), "%y", k)
            lanes.store(lanes.select(accepted, later, lanes.load("%K", k)), "%K", k)
        self.search.advance(accepted)
        tried = lanes.let(f"or {lanes.vector.mask_type} {accepted}, {rejected}")
        t = lanes.select(accepted, lanes.load("%t.new"), self._progress(_T))
        lanes.store(t, "%progress", _T)
        h = lanes.select(tried, lanes.op("fmul", lanes.load("%h"), lanes.load("%factor")), self._progress(_H))
        h = self.search.next_length(h)
        lanes.store(h, "%progress", _H)
        lanes.store(lanes.select(rejected, 1.0, 0.0), "%progress", _REJECTED)
        done = lanes.both(accepted, lanes.compare("oge", t, self._limit(_END)))
        done = lanes.both(done, lanes.compare("oeq", self._progress(_STATUS), 0.0))
        lanes.store(lanes.select(done, FINISHED, self._progress(_STATUS)), "%progress", _STATUS)
        self._count(_STEPS, accepted, 1.0)

    def mask(self, name: str) -> str:
        """A mask stored by ``make``."""
        return self.lanes.compare("oeq", self.lanes.load(f"%{name}"), 1.0)

    def _keep_mask(self, name: str, mask: str) -> None:
        self.lanes.store(self.lanes.select(mask, 1.0, 0.0), f"%{name}")

    def _progress(self, place: int) -> str:
        return self.lanes.load("%progress", place)

    def _limit(self, place: int) -> str:
        return self.lanes.load("%limits", place)

    def _scale(self, y: str) -> str:
        return self.lanes.fma(self.lanes.call("fabs", y), self._limit(_RTOL), self._limit(_ATOL))

    def _count(self, place: int, mask: str, more: float) -> None:
        lanes = self.lanes
        lanes.store(lanes.op("fadd", self._progress(place), lanes.select(mask, more, 0.0)), "%progress", place)

    def _clear_sums(self) -> None:
        for k in range(2):
            self.lanes.store(self.lanes.vector.splat(0.0), f"%sum{k}")

    def _add_square(self, number: int, x: str) -> None:
        self.lanes.store(self.lanes.fma(x, x, self.lanes.load(f"%sum{number}")), f"%sum{number}")

    def _rms(self, number: int) -> str:
        return self.lanes.call("sqrt", self.lanes.op("fdiv", self.lanes.load(f"%sum{number}"), float(self.measured)))
