"""An integration as LLVM IR: a function with the signature of a NumPy generalised ufunc's inner loop, over states.

For every group of states, as many as a vector register has lanes: load the state, then make steps of an embedded pair
until each lane has reached its end or the attempts of this call are used up. Every lane has a time and a step length of
its own; a finished lane waits for the others. All stages call one function with the sections of the rates' program.

The arrays are: limits, progress, state, held inputs, saved times; then progress, state, the state at the saved times,
and the polynomials of the steps. See `armdyn.program.integration`.
"""

from __future__ import annotations

from itertools import accumulate, islice

from armdyn.program.integration import LIMITS, PROGRESS, RUNNING, Integration
from armdyn.program.ports import Port
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm.arguments import describe_arguments, transfer
from armdyn.targets.llvm.decay import with_decays
from armdyn.targets.llvm.integration_samples import Samples
from armdyn.targets.llvm.integration_step import Step
from armdyn.targets.llvm.lanes import Lanes
from armdyn.targets.llvm.library import libm_functions
from armdyn.targets.llvm.loop import constants, module, save_flags, section_functions, shapes
from armdyn.targets.llvm.machine import Machine
from armdyn.targets.llvm.module import Module
from armdyn.targets.llvm.packing import layout_functions, storer
from armdyn.targets.llvm.sections import Sections, cut
from armdyn.targets.llvm.vectors import Lines, Vector, slot_pointer


def integration_module(integration: Integration, dtype: str, machine: Machine) -> Module:
    """The module with the inner loop `ENTRY` for float64 arrays."""
    vector = Vector.of(dtype, machine)
    plan, ports = cut(with_decays(integration.rates, vector)), Ports(integration)
    own = [
        *shapes(tuple(port for _, port in ports.all)),
        storer(vector, ports.progress_after, [(k, None) for k in range(len(PROGRESS))], 1),
        *(
            storer(vector, number, [(first + k, None) for k in range(port.size)], 1)
            for (number, port), first in zip(ports.state_after, ports.first, strict=True)
        ),
        *section_functions(plan, vector),
        _evaluate(integration, plan, vector),
        _loop(integration, ports, plan, vector, machine.triple),
    ]
    after = [port for _, port in (*ports.state_after, (0, ports.all[ports.progress_after][1]))]
    shared = [*layout_functions(vector, [port for _, port in ports.inputs], after), *libm_functions(plan, vector)]
    return module(own, shared, vector, machine)


class Ports:
    """The arguments and results of the loop by number."""

    def __init__(self, integration: Integration) -> None:
        state, held = integration.state_ports, integration.held_ports
        inputs = [Port("limits", (len(LIMITS),)), Port("progress", (len(PROGRESS),)), *state, *held, Port("times", ())]
        outputs = [
            Port("progress", (len(PROGRESS),)),
            *state,
            *state,
            Port("pieces", (integration.piece_size,)),
        ]
        self.all = list(enumerate([*inputs, *outputs]))
        self.inputs = self.all[: len(inputs)]
        self.state, self.held = self.all[2 : 2 + len(state)], self.all[2 + len(state) : len(inputs) - 1]
        self.times, self.progress_after = len(inputs) - 1, len(inputs)
        self.state_after = self.all[len(inputs) + 1 : len(inputs) + 1 + len(state)]
        self.rows = self.all[len(inputs) + 1 + len(state) : -1]
        self.pieces = self.all[-1][0]
        self.over_time = {self.times, *(number for number, _ in self.rows), self.pieces}
        self.first = list(accumulate((port.size for port in state), initial=0))[:-1]
        slots = accumulate((port.size for port in integration.rates.inputs), initial=0)
        self.slots = {port.name: slot for port, slot in zip(integration.rates.inputs, slots, strict=False)}


def _evaluate(integration: Integration, plan: Sections, vector: Vector) -> str:
    """``@evaluate``: the rates of the state in scratch memory, to a row of stages, and the watched results."""
    out = Lines()
    for number in range(len(plan.parts)):
        out.put(f"call void @part{number}(ptr %values, ptr %values)")
    lanes, results = Lanes(out, vector), iter(integration.rates.results)
    found = {port.name: list(islice(results, port.size)) for port in integration.rates.outputs}
    places = [place for _, rate in integration.state for place in plan.places(found[rate])]
    for k, (slot, constant) in enumerate(places):
        lanes.store(lanes.load("%values", slot) if constant is None else vector.splat(constant), "%rates", k)
    for name in filter(None, (integration.watched, integration.slopes)):
        base = "%watched" if name == integration.watched else "%slopes"
        for k, (slot, constant) in enumerate(plan.places(found[name])):
            lanes.store(lanes.load("%values", slot) if constant is None else vector.splat(constant), base, k)
    arguments = "ptr %values, ptr %rates, ptr %watched, ptr %slopes"
    return f"define internal void @evaluate({arguments}) #0 {{\n{out}\n  ret void\n}}\n"


def _loop(integration: Integration, ports: Ports, plan: Sections, vector: Vector, triple: str) -> str:
    """The inner loop over groups of states, and for each of them over the steps."""
    out = Lines()
    lanes = Lanes(out, vector)
    m, pair = integration.size, integration.pair
    step = Step(lanes, integration, ports.slots)
    samples = Samples(lanes, integration, ports, step)
    out.put("entry:")
    room = {
        "values": max(plan.slot_count, 1),
        "limits": len(LIMITS),
        "progress": len(PROGRESS),
        "y": m,
        "y.new": m,
        "K": pair.all_stages * m,
        **step.room,
        **samples.room,
    }
    for name, vectors in room.items():
        out.put(f"%{name} = alloca [{vectors * vector.lanes} x {vector.scalar}], align {vector.bytes}")
    for number, port in ports.all:
        out.put(f"%offsets{number} = alloca [{max(port.size, 1)} x i64], align 8")
    restore_flags = save_flags(out, triple)
    out.put("%count = load i64, ptr %dimensions")
    out.put("%nothing = icmp slt i64 %count, 1")
    out.put("br i1 %nothing, label %done, label %begin")
    out.put("begin:")
    describe_arguments(out, ports.all, "%strides", ports.over_time)
    constants(out, plan, vector)
    out.put("br label %group")
    out.put("group:")
    out.put("%state = phi i64 [ 0, %begin ], [ %state.next, %group.end ]")
    left = out.let("sub i64 %count, %state")
    out.put(f"%last = call i64 @llvm.umin.i64(i64 {out.let(f'sub i64 {left}, 1')}, i64 {vector.lanes - 1})")
    out.put("%lanes = add i64 %last, 1")
    _load_group(out, ports, vector)
    _steps(lanes, step, samples)
    transfer(out, f"store{ports.progress_after}", ports.progress_after, "%progress")
    for number, _ in ports.state_after:
        transfer(out, f"store{number}", number, "%y")
    out.put("br label %group.end")
    out.put("group.end:")
    out.put(f"%state.next = add i64 %state, {vector.lanes}")
    out.put("%more = icmp slt i64 %state.next, %count")
    out.put("br i1 %more, label %group, label %finish")
    out.put("finish:")
    if restore_flags:
        out.put(restore_flags)
    out.put("br label %done")
    out.put("done:")
    out.put("ret void")
    return f"define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %strides, ptr %batch) #2 {{\n{out}\n}}\n"


def _load_group(out: Lines, ports: Ports, vector: Vector) -> None:
    """Load the arrays of a group into scratch memory."""
    for number, name in enumerate(("limits", "progress")):
        transfer(out, f"load_{ports.inputs[number][1].size}", number, f"%{name}")
    for (number, port), first in zip(ports.state, ports.first, strict=True):
        transfer(out, f"load_{port.size}", number, slot_pointer(out, vector, "%y", first))
        if port.name in ports.slots:
            _to_slots(out, ports, vector, number, port)
    for number, port in ports.held:
        _to_slots(out, ports, vector, number, port)


def _to_slots(out: Lines, ports: Ports, vector: Vector, number: int, port: Port) -> None:
    transfer(out, f"load_{port.size}", number, slot_pointer(out, vector, "%values", ports.slots[port.name]))


def _steps(lanes: Lanes, step: Step, samples: Samples) -> None:
    """Append steps until every lane has finished, or the attempts of this call are used up."""
    put, let = lanes.put, lanes.let
    step.begin()
    samples.begin()
    attempts = let(f"load double, ptr {lanes.at('%limits', LIMITS.index('attempts'))}")
    put(f"%attempts = fptosi double {attempts} to i64")
    put("br label %attempt.first")
    put("attempt.first:")
    put("br label %attempt")
    put("attempt:")
    put("%tried = phi i64 [ 0, %attempt.first ], [ %tried.next, %attempt.end ]")
    active = lanes.compare("oeq", lanes.load("%progress", PROGRESS.index("status")), RUNNING)
    some = let(f"and i1 {lanes.any(active)}, {let('icmp slt i64 %tried, %attempts')}")
    put(f"br i1 {some}, label %attempt.do, label %attempts.done")
    put("attempt.do:")
    step.make(active)
    samples.keep("%tried")
    step.advance()
    put("br label %attempt.end")
    put("attempt.end:")
    put("%tried.next = add i64 %tried, 1")
    put("br label %attempt")
    put("attempts.done:")
    samples.end()
