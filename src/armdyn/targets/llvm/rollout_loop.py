"""A rollout as LLVM IR: a function with the signature of a NumPy generalised ufunc's inner loop, over states and steps.

For every group of states, as many as a vector register has lanes: load the initial state and the held inputs into
scratch memory, then step by step load the stepwise inputs, run the sections of the step's program, store the records,
and copy the carried results to the inputs that they replace. The state never leaves scratch memory, one vector register
of states per scalar, which stays in the first level of the cache. The groups of a block (`Several`) take turns.

The first two arguments, before those of the program, are the number of steps and the number of steps between two
records. They are read from the first state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice

from armdyn.program.ports import Port
from armdyn.program.rollout import Rollout
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm.arguments import Group, describe_arguments, place, side_by_side, transfer
from armdyn.targets.llvm.decay import with_decays
from armdyn.targets.llvm.library import libm_functions
from armdyn.targets.llvm.loop import constants, module, save_flags, section_functions, shapes
from armdyn.targets.llvm.machine import Machine
from armdyn.targets.llvm.module import Module
from armdyn.targets.llvm.near_angles import with_near_angles
from armdyn.targets.llvm.packing import Column, layout_functions, run_length, storer
from armdyn.targets.llvm.sections import Sections, cut
from armdyn.targets.llvm.streaming_columns import LINE
from armdyn.targets.llvm.vectors import FunctionBody, Vector, slot_pointer

FETCHED_BYTES = 1 << 12
"""The most bytes of one array that are prefetched for a later step."""

TOGETHER, OF_CACHE = 2, 40 << 10
"""The number of groups of states that take a step together, and the most bytes of their scratch memory.

It must stay in the first-level data cache: four groups, or two of a larger step, took more time than one. Slots used
only by sections that are mostly skipped do not count.
"""

LEAST_ROUND = 100
"""The fewest nodes that all groups compute in turn: LLVM takes long for thousands of loops in a function, or fails."""

COUNTS = 2
"""Arguments before those of the step: the steps, and the steps between two rows."""


def rollout_module(rollout: Rollout, dtype: str, machine: Machine) -> Module:
    """The module with the inner loop `ENTRY` for ``"f"`` (float32) or ``"d"`` (float64) arrays."""
    vector = Vector.of(dtype, machine)
    rollout = Rollout(with_near_angles(rollout.step), rollout.carry, rollout.stepwise, rollout.recorded)
    plan, ports = cut(with_decays(rollout.step, vector)), RolloutPorts(rollout)
    own = [
        *shapes((*rollout.inputs, *rollout.outputs)),
        *(storer(vector, number, columns, run) for number, columns, run in ports.columns(plan)),
        *section_functions(plan, vector),
        _carry(ports, plan, vector),
        _loop(ports, plan, vector, machine.triple),
    ]
    shared = [*layout_functions(vector, rollout.inputs, rollout.outputs), *libm_functions(plan, vector)]
    return module(own, shared, vector, machine)


class RolloutPorts:
    """The arguments and results of the loop by number, after the two counts."""

    def __init__(self, rollout: Rollout) -> None:
        self.rollout = rollout
        self.inputs = list(enumerate(rollout.inputs, start=COUNTS))
        self.state = list(enumerate(rollout.state, start=COUNTS + len(self.inputs)))
        self.records = list(enumerate(rollout.records, start=COUNTS + len(self.inputs) + len(self.state)))
        self.all = [*self.inputs, *self.state, *self.records]
        self.stepwise = [(number, port) for number, port in self.inputs if port.name in rollout.stepwise]
        self.initial = [one for one in self.inputs if one not in self.stepwise]
        self.over_time = {number for number, _ in [*self.stepwise, *self.records]}
        first = accumulate((port.size for port in rollout.inputs), initial=0)
        self.slots = {port.name: slot for port, slot in zip(rollout.inputs, first, strict=False)}

    def columns(self, plan: Sections) -> list[tuple[int, list[Column], int]]:
        """The number of every result of the loop, the places of its numbers in scratch memory, and its runs.

        The state, and the records of it, are in the slots of inputs until the end of a step.
        """
        carried = {port.name for _, port in self.state}
        return [
            (
                number,
                self.of_input(port) if port.name in carried else self.of_result(plan, port.name),
                run_length(port.shape),
            )
            for number, port in [*self.state, *self.records]
        ]

    def of_input(self, port: Port) -> list[Column]:
        """The places of an input."""
        return [(self.slots[port.name] + k, None) for k in range(port.size)]

    def of_result(self, plan: Sections, name: str) -> list[Column]:
        """The places of a result of the step's program."""
        results = iter(self.rollout.step.results)
        result = {port.name: list(islice(results, port.size)) for port in self.rollout.step.outputs}
        return plan.places(result[name])


def _carry(ports: RolloutPorts, plan: Sections, vector: Vector) -> str:
    """``@carry`` copies the carried results to the slots of the inputs that they replace.

    A result may itself be an input; all of these are read before the first is written.
    """
    pairs: list[tuple[int, int]] = []
    for (result, _), (_, port) in zip(ports.rollout.carry, ports.state, strict=True):
        targets = ports.of_input(port)
        pairs += [(a, b) for (a, _), (b, _) in zip(ports.of_result(plan, result), targets, strict=True) if a != b]
    first_result = sum(port.size for _, port in ports.inputs)
    out = FunctionBody()
    inputs = [(_read(out, vector, source), target) for source, target in pairs if source < first_result]
    for source, target in pairs:
        if source >= first_result:
            _write(out, vector, target, _read(out, vector, source))
    for value, target in inputs:
        _write(out, vector, target, value)
    return f"define internal void @carry(ptr %values) #0 {{\n{out}\n  ret void\n}}\n"


def _read(out: FunctionBody, vector: Vector, slot: int) -> str:
    return out.let(f"load {vector.type}, ptr {slot_pointer(out, vector, '%values', slot)}, align {vector.bytes}")


def _write(out: FunctionBody, vector: Vector, slot: int, value: str) -> None:
    out.put(f"store {vector.type} {value}, ptr {slot_pointer(out, vector, '%values', slot)}, align {vector.bytes}")


def _loop(ports: RolloutPorts, plan: Sections, vector: Vector, triple: str) -> str:
    """The inner loop over blocks of groups of states, and for each of them over the steps."""
    out, several = FunctionBody(), Several(vector, plan)
    out.put("entry:")
    several.reserve(out)
    for number, port in ports.all:
        out.put(f"%offsets{number} = alloca [{max(port.size, 1)} x i64], align 8")
    restore_flags = save_flags(out, triple)
    out.put("%count = load i64, ptr %dimensions")
    out.put("%nothing = icmp slt i64 %count, 1")
    out.put("br i1 %nothing, label %done, label %begin")
    out.put("begin:")
    _read_count(out, vector, "steps", 0)
    _read_count(out, vector, "every", 1)
    out.put("%no.step = icmp slt i64 %steps, 1")
    describe_arguments(out, ports.all, "%strides", ports.over_time)
    dense = {number: side_by_side(out, number, port.size * vector.itemsize) for number, port in ports.records}
    for k in range(several.most):
        constants(out, plan, vector, several.values(out, str(k)))
    out.put("br label %block")
    _block(out, ports, plan, several, dense)
    out.put("finish:")
    if restore_flags:
        out.put(restore_flags)
    out.put("br label %done")
    out.put("done:")
    out.put("ret void")
    return f"define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %strides, ptr %batch) #2 {{\n{out}\n}}\n"


class Several:
    """The groups of states that take the steps together: each part of a step for all of them in turn.

    The code of a long step does not stay in the first cache of instructions, so it is fetched for several groups.

    Args:
        vector: the vector type of the machine.
        plan: the sections of the step.
    """

    def __init__(self, vector: Vector, plan: Sections) -> None:
        self.vector, self.slots = vector, max(plan.slot_count, 1)
        self.most = TOGETHER if TOGETHER * plan.slots_always_used * vector.bytes <= OF_CACHE else 1

    def reserve(self, out: FunctionBody) -> None:
        """Reserve scratch memory for each group."""
        numbers = self.most * self.slots * self.vector.lanes
        out.put(f"%scratch = alloca [{numbers} x {self.vector.scalar}], align {self.vector.bytes}")

    def values(self, out: FunctionBody, k: str) -> str:
        """The scratch memory of group k."""
        distance = out.let(f"mul i64 {k}, {self.slots * self.vector.bytes}")
        return out.let(f"getelementptr i8, ptr %scratch, i64 {distance}")

    @contextmanager
    def each(self, out: FunctionBody, name: str) -> Iterator[Group]:
        """A loop over the ``%groups`` of a block, followed by the label ``<name>.after``."""
        out.put(f"br label %{name}.enter")
        out.put(f"{name}.enter:")
        out.put(f"br label %{name}.each")
        out.put(f"{name}.each:")
        out.put(f"%{name}.k = phi i64 [ 0, %{name}.enter ], [ %{name}.next, %{name}.end ]")
        first = out.let(f"mul i64 %{name}.k, {self.vector.lanes}")
        state = out.let(f"add i64 %state, {first}")
        remaining = out.let(f"sub i64 {out.let(f'sub i64 %count, {state}')}, 1")
        last = out.let(f"call i64 @llvm.umin.i64(i64 {remaining}, i64 {self.vector.lanes - 1})")
        yield Group(state, last, self.values(out, f"%{name}.k"))
        out.put(f"br label %{name}.end")
        out.put(f"{name}.end:")
        out.put(f"%{name}.next = add i64 %{name}.k, 1")
        more = out.let(f"icmp ult i64 %{name}.next, %groups")
        out.put(f"br i1 {more}, label %{name}.each, label %{name}.after")
        out.put(f"{name}.after:")


def _block(out: FunctionBody, ports: RolloutPorts, plan: Sections, several: Several, dense: Mapping[int, str]) -> None:
    """One block of groups: all of its steps, then its final states; ``dense`` as of `_fetch`."""
    states = several.most * several.vector.lanes
    out.put("block:")
    out.put("%state = phi i64 [ 0, %begin ], [ %next, %ended.after ]")
    remaining = out.let("sub i64 %count, %state")
    here = out.let(f"call i64 @llvm.umin.i64(i64 {remaining}, i64 {states})")
    rounded = out.let(f"add i64 {here}, {several.vector.lanes - 1}")
    out.put(f"%groups = udiv i64 {rounded}, {several.vector.lanes}")
    with several.each(out, "initial") as group:
        for number, port in ports.initial:
            _load(out, several.vector, ports, number, port, group)
    out.put("br i1 %no.step, label %final, label %step")
    _step(out, ports, plan, several, dense)
    out.put("final:")
    with several.each(out, "ended") as group:
        for number, _ in ports.state:
            transfer(out, f"store{number}", number, group.values, group=group)
    out.put(f"%next = add i64 %state, {states}")
    out.put("%more = icmp slt i64 %next, %count")
    out.put("br i1 %more, label %block, label %finish")


def _step(out: FunctionBody, ports: RolloutPorts, plan: Sections, several: Several, dense: Mapping[int, str]) -> None:
    """One step of a block: ``%until`` steps pass before a ``%row`` is recorded again."""
    out.put("step:")
    out.put("%k = phi i64 [ 0, %initial.after ], [ %k.next, %carry.after ]")
    out.put("%until = phi i64 [ 0, %initial.after ], [ %until.next, %carry.after ]")
    out.put("%row = phi i64 [ 0, %initial.after ], [ %row.next, %carry.after ]")
    if ports.stepwise:
        with several.each(out, "stepwise") as group:
            for number, port in ports.stepwise:
                _load(out, several.vector, ports, number, port, group, row="%k")
    out.put("%records = icmp eq i64 %until, 0")
    out.put("%row.after = add i64 %row, 1")
    rounds = _rounds(plan)
    for numbers, lines in zip(rounds, _shared_out(ports, several.vector, len(rounds)), strict=True):
        first = f"part{numbers[0]}"
        with several.each(out, first) as group:
            if lines:
                _fetch(out, lines, group, first, dense)
            for number in numbers:
                out.put(f"call void @part{number}(ptr {group.values}, ptr {group.values})")
    out.put("br i1 %records, label %record, label %recorded")
    out.put("record:")
    with several.each(out, "stored") as group:
        for number, _ in ports.records:
            transfer(out, f"store{number}", number, group.values, row="%row", group=group)
    out.put("br label %recorded")
    out.put("recorded:")
    with several.each(out, "carry") as group:
        out.put(f"call void @carry(ptr {group.values})")
    next_step(out)


def _rounds(plan: Sections) -> list[list[int]]:
    """The parts of a step by number, together as many as make a loop over groups worth its cost."""
    rounds: list[list[int]] = []
    size = LEAST_ROUND
    for number, part in enumerate(plan.parts):
        if size >= LEAST_ROUND:
            rounds.append([])
            size = 0
        rounds[-1].append(number)
        size += sum(section.size for section in part)
    return rounds


def next_step(out: FunctionBody) -> None:
    """The end of a step: the next row if one was recorded, the steps until the next record, the next step if any."""
    out.put("%one.more = zext i1 %records to i64")
    out.put("%row.next = add i64 %row, %one.more")
    out.put("%from = select i1 %records, i64 %every, i64 %until")
    out.put("%until.next = sub i64 %from, 1")
    out.put("%k.next = add i64 %k, 1")
    out.put("%more.steps = icmp slt i64 %k.next, %steps")
    out.put("br i1 %more.steps, label %step, label %final")


def _read_count(out: FunctionBody, vector: Vector, name: str, number: int) -> None:
    at = out.let(f"getelementptr ptr, ptr %args, i64 {number}")
    data = out.let(f"load ptr, ptr {at}")
    value = out.let(f"load {vector.scalar}, ptr {data}, align 1")
    out.put(f"%{name} = fptosi {vector.scalar} {value} to i64")


def _load(
    out: FunctionBody, vector: Vector, ports: RolloutPorts, number: int, port: Port, group: Group, *, row: str = ""
) -> None:
    """Load one input's group to its slots."""
    scratch = slot_pointer(out, vector, group.values, ports.slots[port.name])
    transfer(out, f"load_{port.size}", number, scratch, row=row, group=group)


Line = tuple[int, int]
"""A cache line of a group's numbers in a row: the array's number, and the distance from the first line in bytes."""


def _shared_out(ports: RolloutPorts, vector: Vector, parts: int) -> list[list[Line]]:
    """The cache lines of a group's records, shared out among the parts of a step, before which they are prefetched.

    All at once would be more lines than a core can have in flight, and would delay the reads of the step itself.
    """
    lines = [
        (number, distance)
        for number, port in ports.records
        for distance in range(0, min(port.size * vector.itemsize * vector.lanes + LINE, FETCHED_BYTES), LINE)
    ]
    return [lines[k::parts] for k in range(parts)]


def _fetch(out: FunctionBody, lines: Sequence[Line], group: Group, part: str, dense: Mapping[int, str]) -> None:
    """Prefetch lines that a group will write in the row after a recorded one, if its states lie side by side.

    Rows are far from each other, and a store waits for its line; a step in between hides most of that. For other arrays
    nothing is fetched: the addresses are then those of scratch memory. ``dense`` has the flags, by number.
    """
    out.put(f"br i1 %records, label %{part}.fetch, label %{part}.fetched")
    out.put(f"{part}.fetch:")
    first = {
        number: out.let(
            f"select i1 {dense[number]}, ptr {place(out, number, row='%row.after', group=group)}, ptr {group.values}"
        )
        for number in dict.fromkeys(number for number, _ in lines)
    }
    for number, distance in lines:
        line = out.let(f"getelementptr i8, ptr {first[number]}, i64 {distance}")
        out.put(f"call void @llvm.prefetch.p0(ptr {line}, i32 1, i32 3, i32 1)")
    out.put(f"br label %{part}.fetched")
    out.put(f"{part}.fetched:")
