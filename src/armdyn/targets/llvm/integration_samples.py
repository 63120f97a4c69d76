"""The state of an integration at saved times, and the polynomials of its steps, by dense output, as LLVM IR.

F_i = h sum_j w_ij K_j is computed in all lanes at once. Then, lane by lane, the polynomial is evaluated at every saved
time of the step, with the numbers of a state side by side in vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.program.integration import LIMITS, PROGRESS, Integration
from armdyn.targets.llvm.integration_step import Step
from armdyn.targets.llvm.lanes import Lanes
from armdyn.targets.llvm.vectors import double_constant

if TYPE_CHECKING:
    from armdyn.targets.llvm.integration_loop import Ports

_T, _ROW = map(PROGRESS.index, ("t", "row"))


class Samples:
    """The code that stores states and polynomials of a step.

    Args:
        lanes: the body of the loop.
        integration: the integration.
        ports: the arguments and results of the loop.
        step: the code of a step.
    """

    def __init__(self, lanes: Lanes, integration: Integration, ports: Ports, step: Step) -> None:
        self.lanes, self.pair, self.size, self.ports, self.step = lanes, integration.pair, integration.size, ports, step
        self.across = -(-self.size // lanes.vector.lanes)
        """The number of vectors for the numbers of one state."""
        self.terms = len(self.pair.dense)
        self.room = {
            "F": self.terms * self.size,
            "next": 1,
            "state.F": (1 + self.terms) * self.across,
            "sample": self.across,
        }

    def begin(self) -> None:
        """The next saved time of each lane."""
        lanes = self.lanes
        for name in ("times", "pieces"):
            number = lanes.let(f"load double, ptr {lanes.at('%limits', LIMITS.index(name))}")
            lanes.put(f"%{name} = fptosi double {number} to i64")
        lanes.put("%keeps.pieces = icmp sgt i64 %pieces, 0")
        with lanes.each("first.time", "%lanes") as lane:
            self._find_next("first", lane)

    def keep(self, attempt: str) -> None:
        """Store states at the saved times of the latest steps, and their polynomials, in row ``attempt``."""
        lanes = self.lanes
        accepted = self.step.mask("accepted")
        due = lanes.both(accepted, lanes.compare("ole", lanes.load("%next"), lanes.load("%t.new")))
        asked = lanes.let(f"and i1 %keeps.pieces, {lanes.any(accepted)}")
        with lanes.where(lanes.let(f"or i1 {asked}, {lanes.any(due)}"), "dense"):
            self.step.extra_stages()
            self._polynomials()
            with lanes.each("lane", "%lanes") as lane:
                made = lanes.let(f"fcmp oeq double {self._of_lane('%accepted', lane)}, 1.0")
                due_here = lanes.let(f"fcmp ole double {self._of_lane('%next', lane)}, {self._of_lane('%t.new', lane)}")
                wanted = lanes.let(f"or i1 %keeps.pieces, {due_here}")
                with lanes.where(lanes.let(f"and i1 {made}, {wanted}"), "polynomial"):
                    self._own_polynomial(lane)
                    with lanes.where("%keeps.pieces", "piece"):
                        self._keep_piece(lane, attempt)
                    with lanes.where(due_here, "samples"):
                        self._keep_samples(lane)

    def end(self) -> None:
        """Give the lanes beyond the last state its row: they repeat the state, and write equal numbers."""
        lanes = self.lanes
        with lanes.each("repeat", lanes.vector.lanes) as lane:
            source = lanes.let(f"call i64 @llvm.umin.i64(i64 {lane}, i64 %last)")
            value = self._of_lane("%progress", source, _ROW)
            lanes.put(f"store double {value}, ptr {self._place('%progress', lane, _ROW)}, align 8")

    def _polynomials(self) -> None:
        """F_i of all lanes."""
        lanes, m, h = self.lanes, self.size, self.lanes.load("%h")
        if self.pair.is_fixed:
            with lanes.each("line", m) as k:
                lanes.store(lanes.op("fsub", lanes.load("%y.new", k), lanes.load("%y", k)), "%F", k)
            return
        for i, weights in enumerate(self.pair.dense):
            with lanes.each(f"term{i}", m) as k:
                value = lanes.op("fmul", h, lanes.sum_of(weights, "%K", m, k))
                lanes.store(value, "%F", lanes.let(f"add i64 {k}, {i * m}"))

    def _own_polynomial(self, lane: str) -> None:
        """The numbers of y and F_i of one lane, side by side in ``%state.F``, each in whole vectors."""
        lanes, padded = self.lanes, self.across * self.lanes.vector.lanes
        with lanes.each("number", self.size) as k:
            for i in range(1 + self.terms):
                base = "%y" if i == 0 else lanes.at("%F", (i - 1) * self.size)
                source = lanes.let(f"add i64 {lanes.let(f'mul i64 {k}, {lanes.vector.lanes}')}, {lane}")
                value = lanes.let(f"load double, ptr {self._double(base, source)}, align 8")
                place = self._double("%state.F", lanes.let(f"add i64 {k}, {i * padded}"))
                lanes.put(f"store double {value}, ptr {place}, align 8")

    def _keep_piece(self, lane: str, attempt: str) -> None:
        """Store the time, length and polynomial of the step."""
        lanes, padded = self.lanes, self.across * self.lanes.vector.lanes
        row = self._row_of(self.ports.pieces, lane, attempt)
        for number, value in enumerate((self._of_lane("%progress", lane, _T), self._of_lane("%h", lane))):
            lanes.put(f"store double {value}, ptr {self._double(row, str(number))}, align 8")
        with lanes.each("copied", self.size) as k:
            for i in range(1 + self.terms):
                source = self._double("%state.F", lanes.let(f"add i64 {k}, {i * padded}"))
                value = lanes.let(f"load double, ptr {source}, align 8")
                place = self._double(row, lanes.let(f"add i64 {k}, {2 + i * self.size}"))
                lanes.put(f"store double {value}, ptr {place}, align 8")

    def _keep_samples(self, lane: str) -> None:
        """Store the states of one lane at all saved times up to the end of its step."""
        lanes = self.lanes
        begin, h = self._of_lane("%progress", lane, _T), self._of_lane("%h", lane)
        end = self._of_lane("%t.new", lane)
        lanes.put("br label %sample.each")
        lanes.put("sample.each:")
        elapsed = lanes.let(f"fsub double {self._of_lane('%next', lane)}, {begin}")
        self._evaluate(lanes.let(f"fdiv double {elapsed}, {h}"))
        row = lanes.let(f"fptosi double {self._of_lane('%progress', lane, _ROW)} to i64")
        for (number, port), first in zip(self.ports.rows, self.ports.first, strict=True):
            at = self._row_of(number, lane, row)
            for k in range(port.size):
                value = lanes.let(f"load double, ptr {self._double('%sample', str(first + k))}, align 8")
                lanes.put(f"store double {value}, ptr {self._double(at, str(k))}, align 8")
        following = lanes.let(f"sitofp i64 {lanes.let(f'add i64 {row}, 1')} to double")
        lanes.put(f"store double {following}, ptr {self._place('%progress', lane, _ROW)}, align 8")
        self._find_next("sample", lane)
        more = lanes.let(f"fcmp ole double {self._of_lane('%next', lane)}, {end}")
        lanes.put(f"br i1 {more}, label %sample.each, label %sample.end")
        lanes.put("sample.end:")

    def _evaluate(self, x: str) -> None:
        """Evaluate the polynomial at the fraction x of the step, to ``%sample``."""
        lanes, vector = self.lanes, self.lanes.vector
        x = self._splat(x)
        rest = lanes.op("fsub", 1.0, x) if self.pair.alternates else x
        for block in range(self.across):
            value = vector.splat(0.0)
            for k, i in enumerate(reversed(range(self.terms))):
                term = lanes.load("%state.F", (1 + i) * self.across + block)
                factor = rest if self.pair.alternates and k % 2 else x
                value = lanes.op("fmul", lanes.op("fadd", value, term), factor)
            lanes.store(lanes.op("fadd", value, lanes.load("%state.F", block)), "%sample", block)

    def _splat(self, x: str) -> str:
        vector = self.lanes.vector
        one = self.lanes.let(f"insertelement {vector.type} poison, double {x}, i64 0")
        zeros = f"<{vector.lanes} x i32> zeroinitializer"
        return self.lanes.let(f"shufflevector {vector.type} {one}, {vector.type} poison, {zeros}")

    def _find_next(self, name: str, lane: str) -> None:
        """Store the next saved time, infinity after the last one."""
        lanes = self.lanes
        row = lanes.let(f"fptosi double {self._of_lane('%progress', lane, _ROW)} to i64")
        never = double_constant(float("inf"))
        lanes.put(f"store double {never}, ptr {self._place('%next', lane)}, align 8")
        with lanes.where(lanes.let(f"icmp slt i64 {row}, %times"), f"{name}.next"):
            value = lanes.let(f"load double, ptr {self._row_of(self.ports.times, lane, row)}, align 8")
            lanes.put(f"store double {value}, ptr {self._place('%next', lane)}, align 8")

    def _row_of(self, number: int, lane: str, row: str) -> str:
        """The address of a state's row in an array over time."""
        lanes = self.lanes
        state = lanes.let(f"mul i64 {lanes.let(f'add i64 %state, {lane}')}, %outer{number}")
        distance = lanes.let(f"add i64 {state}, {lanes.let(f'mul i64 {row}, %stride{number}')}")
        return lanes.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")

    def _double(self, base: str, index: str) -> str:
        return self.lanes.let(f"getelementptr double, ptr {base}, i64 {index}")

    def _place(self, name: str, lane: str, vector: int = 0) -> str:
        return self._double(self.lanes.at(name, vector), lane)

    def _of_lane(self, name: str, lane: str, vector: int = 0) -> str:
        return self.lanes.let(f"load double, ptr {self._place(name, lane, vector)}, align 8")
