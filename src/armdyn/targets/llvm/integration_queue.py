"""The states of a batch, which the lanes of an integration take one after the other, as LLVM IR.

A lane is *busy* while it has a state that is not finished, *fresh* before the first step of its state. So no lane waits
for another one until the last states are on their way.
"""

from __future__ import annotations

from collections.abc import Callable

from armdyn.program.integration import LIMITS, PROGRESS, RUNNING
from armdyn.program.ports import Port
from armdyn.targets.llvm.integration_ports import IntegrationPorts
from armdyn.targets.llvm.lanes import Lanes

_ATTEMPTS, _STATUS = LIMITS.index("attempts"), PROGRESS.index("status")


class Queue:
    """The code that loads the state of a lane, and stores it when it is finished.

    Args:
        lanes: the body of the loop.
        ports: the arguments and results of the loop.
    """

    def __init__(self, lanes: Lanes, ports: IntegrationPorts) -> None:
        self.lanes, self.ports = lanes, ports
        self.room = dict.fromkeys(("index", "next.state", "busy", "fresh", "tried", "finished"), 1)

    def begin(self) -> None:
        """No lane has a state yet."""
        lanes = self.lanes
        lanes.put("store i64 0, ptr %next.state")
        lanes.put(f"%lanes = call i64 @llvm.umin.i64(i64 %count, i64 {lanes.vector.lanes})")
        lanes.put("%last.state = sub i64 %count, 1")
        lanes.store(lanes.vector.splat(0.0), "%busy")

    @property
    def fresh(self) -> str:
        """The lanes before the first step of their state."""
        return self.lanes.compare("oeq", self.lanes.load("%fresh"), 1.0)

    def forget_fresh(self) -> None:
        """All lanes have begun."""
        self.lanes.store(self.lanes.vector.splat(0.0), "%fresh")

    def fill(self, find_next: Callable[[str], None]) -> None:
        """Give lanes that are not busy the next states, as long as there are some.

        At first, lanes without a state get the numbers of the last one: they compute with them, and store nothing.

        Args:
            find_next: appends code that finds the next saved time of a lane.
        """
        lanes = self.lanes
        with lanes.each("fill.lane", lanes.vector.lanes) as lane:
            following = lanes.let("load i64, ptr %next.state")
            some = lanes.let(f"icmp slt i64 {following}, %count")
            free = lanes.let(f"fcmp oeq double {lanes.of_lane('%busy', lane)}, 0.0")
            at_first = lanes.let(f"icmp slt i64 {following}, {lanes.vector.lanes}")
            condition = lanes.let(f"or i1 {some}, {at_first}")
            with lanes.where(lanes.let(f"and i1 {free}, {condition}"), "fill.one"):
                state = lanes.let(f"call i64 @llvm.umin.i64(i64 {following}, i64 %last.state)")
                lanes.put(f"store i64 {lanes.let(f'add i64 {following}, 1')}, ptr %next.state")
                lanes.put(f"store i64 {state}, ptr {lanes.place('%index', lane)}, align 8")
                self._load(lane, state)
                lanes.put_in_lane(lanes.let(f"uitofp i1 {some} to double"), "%busy", lane)
                lanes.put_in_lane("1.0", "%fresh", lane)
                lanes.put_in_lane("0.0", "%tried", lane)
                find_next(lane)

    def active(self) -> str:
        """The lanes that make a step; the other busy lanes have finished their state."""
        lanes = self.lanes
        busy = lanes.compare("oeq", lanes.load("%busy"), 1.0)
        running = lanes.compare("oeq", lanes.load("%progress", _STATUS), RUNNING)
        more = lanes.compare("olt", lanes.load("%tried"), lanes.load("%limits", _ATTEMPTS))
        active = lanes.both(busy, lanes.both(running, more))
        lanes.store(lanes.select(lanes.without(busy, active), 1.0, 0.0), "%finished")
        return active

    def releases(self) -> str:
        """Store the states of lanes that have finished; the flag that lanes are free for states that wait."""
        lanes = self.lanes
        finished = lanes.compare("oeq", lanes.load("%finished"), 1.0)
        with lanes.where(lanes.any(finished), "release"), lanes.each("release.lane", "%lanes") as lane:
            done = lanes.let(f"fcmp oeq double {lanes.of_lane('%finished', lane)}, 1.0")
            with lanes.where(done, "release.one"):
                self._store(lane)
                lanes.put_in_lane("0.0", "%busy", lane)
        waiting = lanes.let("icmp slt i64 " + lanes.let("load i64, ptr %next.state") + ", %count")
        free = lanes.compare("oeq", lanes.load("%busy"), 0.0)
        return lanes.let(f"and i1 {waiting}, {lanes.any(free)}")

    def count(self, active: str) -> None:
        """Count the attempt."""
        lanes = self.lanes
        lanes.store(lanes.op("fadd", lanes.load("%tried"), lanes.select(active, 1.0, 0.0)), "%tried")

    def _load(self, lane: str, state: str) -> None:
        ports = self.ports
        for number, name in enumerate(("%limits", "%progress")):
            self._move(number, ports.inputs[number][1], lane, state, [(name, 0)])
        for (number, port), first in zip(ports.state, ports.first, strict=True):
            slot = ports.slots.get(port.name)
            self._move(number, port, lane, state, [("%y", first), *([] if slot is None else [("%values", slot)])])
        for number, port in ports.held:
            self._move(number, port, lane, state, [("%values", ports.slots[port.name])])

    def _move(self, number: int, port: Port, lane: str, state: str, to: list[tuple[str, int]]) -> None:
        """Load the numbers of an array to a lane of vectors."""
        lanes = self.lanes
        if port.size:
            with lanes.each(f"load{number}", port.size) as k:
                value = lanes.let(f"load double, ptr {self._address(number, state, k)}, align 8")
                for base, first in to:
                    lanes.put_in_lane(value, lanes.at(base, first), lane, k)

    def _store(self, lane: str) -> None:
        lanes, ports = self.lanes, self.ports
        state = lanes.let(f"load i64, ptr {lanes.place('%index', lane)}, align 8")
        states = zip(ports.state_after, ports.first, strict=True)
        own = [(number, port, "%y", first) for (number, port), first in states]
        progress = ports.progress_after
        for number, port, base, first in [(progress, ports.all[progress][1], "%progress", 0), *own]:
            if port.size:
                with lanes.each(f"store{number}", port.size) as k:
                    value = lanes.of_lane(lanes.at(base, first), lane, k)
                    lanes.put(f"store double {value}, ptr {self._address(number, state, k)}, align 8")

    def _address(self, number: int, state: str, k: str) -> str:
        """The address of a number of a state in an array."""
        lanes = self.lanes
        distance = lanes.let(f"add i64 {offset_of(lanes, number, k)}, {lanes.let(f'mul i64 {state}, %outer{number}')}")
        return lanes.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")


def offset_of(lanes: Lanes, number: int, k: str) -> str:
    """The distance in bytes of a number of a state from its first one in an array."""
    written = lanes.let(f"load i64, ptr {lanes.let(f'getelementptr i64, ptr %offsets{number}, i64 {k}')}, align 8")
    return lanes.let(f"select i1 %contiguous{number}, i64 {lanes.let(f'mul i64 {k}, 8')}, i64 {written}")
