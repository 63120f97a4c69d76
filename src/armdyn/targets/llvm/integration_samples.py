"""The state of an integration at saved times, and the polynomials of its steps, by dense output, as LLVM IR.

F_i = h sum_j w_ij K_j is computed in all lanes at once. Then, lane by lane, the polynomial is evaluated at every saved
time of the step, with the numbers of a state side by side in vectors.
"""

from __future__ import annotations

from itertools import accumulate

from armdyn.program.integration import LIMITS, PROGRESS, Integration
from armdyn.targets.llvm.integration_ports import IntegrationPorts
from armdyn.targets.llvm.integration_queue import offset_of
from armdyn.targets.llvm.integration_step import StepCode
from armdyn.targets.llvm.lanes import Lanes
from armdyn.targets.llvm.vectors import double_constant

_T, _ROW = map(PROGRESS.index, ("t", "row"))


class SampleCode:
    """The code that stores states and polynomials of a step.

    Args:
        lanes: the body of the loop.
        integration: the integration.
        ports: the arguments and results of the loop.
        step: the code of a step.
    """

    def __init__(self, lanes: Lanes, integration: Integration, ports: IntegrationPorts, step: StepCode) -> None:
        self.lanes, self.pair, self.size, self.ports, self.step = lanes, integration.pair, integration.size, ports, step
        self.terms = len(self.pair.dense)
        count = lanes.vector.lanes
        blocks = [-(-port.size // count) for _, port in ports.rows]
        self.blocks = [*accumulate(blocks, initial=0)]
        """The number of the first vector of each part of the state, side by side, and that of all."""
        self.room = {"F": self.terms * self.size, "next": 1, "state.F": (1 + self.terms) * self.blocks[-1]}

    def begin(self) -> None:
        """The number of saved times, and the flag that polynomials are kept; they are those of the first state."""
        lanes = self.lanes
        for name in ("times", "pieces"):
            place = lanes.let(f"getelementptr i8, ptr %data0, i64 {offset_of(lanes, 0, str(LIMITS.index(name)))}")
            lanes.put(f"%{name} = fptosi double {lanes.let(f'load double, ptr {place}, align 8')} to i64")
        lanes.put("%keeps.pieces = icmp sgt i64 %pieces, 0")

    def find_next(self, lane: str, name: str = "first") -> None:
        """Store the next saved time of a lane, infinity after the last one."""
        lanes = self.lanes
        row = lanes.let(f"fptosi double {lanes.of_lane('%progress', lane, _ROW)} to i64")
        lanes.put_in_lane(double_constant(float("inf")), "%next", lane)
        with lanes.where(lanes.let(f"icmp slt i64 {row}, %times"), f"{name}.next"):
            value = lanes.let(f"load double, ptr {self._row_of(self.ports.times, lane, row)}, align 8")
            lanes.put_in_lane(value, "%next", lane)

    def keep(self) -> None:
        """Store states at the saved times of the latest steps, and their polynomials, in the row of the attempt."""
        lanes = self.lanes
        accepted = self.step.mask("accepted")
        due = lanes.both(accepted, lanes.compare("ole", lanes.load("%next"), lanes.load("%t.new")))
        request = lanes.let(f"and i1 %keeps.pieces, {lanes.any(accepted)}")
        with lanes.where(lanes.let(f"or i1 {request}, {lanes.any(due)}"), "dense"):
            self.step.extra_stages()
            self._polynomials()
            with lanes.each("lane", "%lanes") as lane:
                result = lanes.let(f"fcmp oeq double {lanes.of_lane('%accepted', lane)}, 1.0")
                due_here = lanes.let(f"fcmp ole double {lanes.of_lane('%next', lane)}, {lanes.of_lane('%t.new', lane)}")
                condition = lanes.let(f"or i1 %keeps.pieces, {due_here}")
                with lanes.where(lanes.let(f"and i1 {result}, {condition}"), "polynomial"):
                    self._own_polynomial(lane)
                    with lanes.where("%keeps.pieces", "piece"):
                        self._keep_piece(lane)
                    with lanes.where(due_here, "samples"):
                        self._keep_samples(lane)

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
        """The numbers of y and F_i of one lane, side by side in ``%state.F``, each part in whole vectors."""
        lanes = self.lanes
        for (_, port), first, block in zip(self.ports.rows, self.ports.first, self.blocks, strict=False):
            with lanes.each(f"number{first}", port.size) as k:
                source = lanes.let(f"add i64 {k}, {first}")
                for i in range(1 + self.terms):
                    base = "%y" if i == 0 else lanes.at("%F", (i - 1) * self.size)
                    value = lanes.of_lane(base, lane, source)
                    place = self._double(lanes.at("%state.F", i * self.blocks[-1] + block), k)
                    lanes.put(f"store double {value}, ptr {place}, align 8")

    def _keep_piece(self, lane: str) -> None:
        """Store the time, length and polynomial of the step."""
        lanes = self.lanes
        attempt = lanes.let(f"fptosi double {lanes.of_lane('%tried', lane)} to i64")
        row = self._row_of(self.ports.pieces, lane, attempt)
        for number, value in enumerate((lanes.of_lane("%progress", lane, _T), lanes.of_lane("%h", lane))):
            lanes.put(f"store double {value}, ptr {self._double(row, str(number))}, align 8")
        with lanes.each("copied", self.size) as k:
            for i in range(1 + self.terms):
                value = lanes.of_lane("%y" if i == 0 else lanes.at("%F", (i - 1) * self.size), lane, k)
                place = self._double(row, lanes.let(f"add i64 {k}, {2 + i * self.size}"))
                lanes.put(f"store double {value}, ptr {place}, align 8")

    def _keep_samples(self, lane: str) -> None:
        """Store the states of one lane at all saved times up to the end of its step."""
        lanes = self.lanes
        begin, h = lanes.of_lane("%progress", lane, _T), lanes.of_lane("%h", lane)
        end = lanes.of_lane("%t.new", lane)
        lanes.put("br label %sample.each")
        lanes.put("sample.each:")
        elapsed = lanes.let(f"fsub double {lanes.of_lane('%next', lane)}, {begin}")
        x = self._splat(lanes.let(f"fdiv double {elapsed}, {h}"))
        rest = lanes.op("fsub", 1.0, x) if self.pair.alternates else x
        row = lanes.let(f"fptosi double {lanes.of_lane('%progress', lane, _ROW)} to i64")
        for (number, port), block in zip(self.ports.rows, self.blocks, strict=False):
            at, count = self._row_of(number, lane, row), lanes.vector.lanes
            for k, first in enumerate(range(0, port.size, count)):
                value = self._value(block + k, x, rest)
                self._store_part(value, self._double(at, str(first)), min(count, port.size - first))
        following = lanes.let(f"sitofp i64 {lanes.let(f'add i64 {row}, 1')} to double")
        lanes.put_in_lane(following, "%progress", lane, _ROW)
        self.find_next(lane, "sample")
        more = lanes.let(f"fcmp ole double {lanes.of_lane('%next', lane)}, {end}")
        lanes.put(f"br i1 {more}, label %sample.each, label %sample.end")
        lanes.put("sample.end:")

    def _value(self, block: int, x: str, rest: str) -> str:
        """A vector of the polynomial at the fraction x of the step."""
        lanes, value = self.lanes, self.lanes.vector.splat(0.0)
        for k, i in enumerate(reversed(range(self.terms))):
            term = lanes.load("%state.F", (1 + i) * self.blocks[-1] + block)
            factor = rest if self.pair.alternates and k % 2 else x
            value = lanes.op("fmul", lanes.op("fadd", value, term), factor)
        return lanes.op("fadd", value, lanes.load("%state.F", block))

    def _store_part(self, value: str, place: str, width: int) -> None:
        """Store the first numbers of a vector."""
        lanes, vector = self.lanes, self.lanes.vector
        numbers = ", ".join(f"i32 {k}" for k in range(width))
        part = lanes.let(f"shufflevector {vector.type} {value}, {vector.type} poison, <{width} x i32> <{numbers}>")
        lanes.put(f"store <{width} x double> {part}, ptr {place}, align 8")

    def _splat(self, x: str) -> str:
        vector = self.lanes.vector
        one = self.lanes.let(f"insertelement {vector.type} poison, double {x}, i64 0")
        zeros = f"<{vector.lanes} x i32> zeroinitializer"
        return self.lanes.let(f"shufflevector {vector.type} {one}, {vector.type} poison, {zeros}")

    def _row_of(self, number: int, lane: str, row: str) -> str:
        """The address of a state's row in an array over time."""
        lanes = self.lanes
        state = lanes.let(f"load i64, ptr {lanes.place('%index', lane)}, align 8")
        distance = lanes.let(f"mul i64 {state}, %outer{number}")
        distance = lanes.let(f"add i64 {distance}, {lanes.let(f'mul i64 {row}, %stride{number}')}")
        return lanes.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")

    def _double(self, base: str, index: str) -> str:
        return self.lanes.let(f"getelementptr double, ptr {base}, i64 {index}")
