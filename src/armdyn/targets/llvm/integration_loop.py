"""An integration as LLVM IR: a function with the signature of a NumPy generalised ufunc's inner loop, over states.

As many states as a vector register has lanes advance side by side, by steps of an embedded pair. Every lane has a time
and a step length of its own. When its state has reached the end, or has used up the attempts of this call, it takes the
next state of the batch. All stages call one function with the sections of the rates' program.

The arrays are: limits, progress, state, held inputs, saved times; then progress, state, the state at the saved times,
and the polynomials of the steps. See `armdyn.program.integration`.
"""

from __future__ import annotations

from itertools import accumulate, islice

from armdyn.program.integration import LIMITS, PROGRESS, Integration
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm.arguments import describe_arguments
from armdyn.targets.llvm.decay import with_decays
from armdyn.targets.llvm.integration_ports import IntegrationPorts
from armdyn.targets.llvm.integration_queue import Queue
from armdyn.targets.llvm.integration_samples import SampleCode
from armdyn.targets.llvm.integration_step import StepCode
from armdyn.targets.llvm.lanes import Lanes
from armdyn.targets.llvm.library import libm_functions
from armdyn.targets.llvm.loop import constants, module, save_flags, section_functions, shapes
from armdyn.targets.llvm.machine import Machine
from armdyn.targets.llvm.module import Module
from armdyn.targets.llvm.packing import layout_functions
from armdyn.targets.llvm.sections import Sections, cut
from armdyn.targets.llvm.vectors import FunctionBody, Vector


def integration_module(integration: Integration, dtype: str, machine: Machine) -> Module:
    """The module with the inner loop `ENTRY` for float64 arrays."""
    vector = Vector.of(dtype, machine)
    plan, ports = cut(with_decays(integration.rates, vector)), IntegrationPorts(integration)
    own = [
        *shapes(tuple(port for _, port in ports.all)),
        *section_functions(plan, vector),
        _evaluate(integration, plan, vector),
        _loop(integration, ports, plan, vector, machine.triple),
    ]
    shared = [*layout_functions(vector, (), ()), *libm_functions(plan, vector)]
    return module(own, shared, vector, machine)


def _evaluate(integration: Integration, plan: Sections, vector: Vector) -> str:
    """``@evaluate``: the rates of the state in scratch memory, to a row of stages, and the watched results."""
    out = FunctionBody()
    for number in range(len(plan.parts)):
        out.put(f"call void @part{number}(ptr %values, ptr %values)")
    lanes, results = Lanes(out, vector), iter(integration.rates.results)
    values = {port.name: list(islice(results, port.size)) for port in integration.rates.outputs}

    def keep(result: str, base: str, first: int = 0) -> None:
        for k, (slot, constant) in enumerate(plan.places(values[result]), start=first):
            lanes.store(lanes.load("%values", slot) if constant is None else vector.splat(constant), base, k)

    firsts = accumulate((port.size for port in integration.state_ports), initial=0)
    places = {port.name: (first, port.size) for port, first in zip(integration.state_ports, firsts, strict=False)}
    for name, rate in integration.state:
        first, size = places[name]
        if rate is not None:
            keep(rate, "%rates", first)
            continue
        for k in range(first, first + size):
            lanes.store(vector.splat(0.0), "%rates", k)
    for watched, base in ((integration.watched, "%watched"), (integration.slopes, "%slopes")):
        if watched is not None:
            keep(watched, base)
    for name, result in integration.corrections:
        keep(result, "%corrected", places[name][0])
    arguments = "ptr %values, ptr %rates, ptr %watched, ptr %slopes, ptr %corrected"
    return f"define internal void @evaluate({arguments}) #0 {{\n{out}\n  ret void\n}}\n"


def _loop(integration: Integration, ports: IntegrationPorts, plan: Sections, vector: Vector, triple: str) -> str:
    """The inner loop over groups of states, and for each of them over the steps."""
    out = FunctionBody()
    lanes = Lanes(out, vector)
    m, pair = integration.size, integration.pair
    step = StepCode(lanes, integration, ports.slots)
    queue = Queue(lanes, ports)
    samples = SampleCode(lanes, integration, ports, step)
    out.put("entry:")
    room = {
        "values": max(plan.slot_count, 1),
        "limits": len(LIMITS),
        "progress": len(PROGRESS),
        "y": m,
        "y.new": m,
        "K": pair.all_stages * m,
        **step.room,
        **queue.room,
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
    queue.begin()
    samples.begin()
    _steps(lanes, step, queue, samples)
    if restore_flags:
        out.put(restore_flags)
    out.put("br label %done")
    out.put("done:")
    out.put("ret void")
    return f"define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %strides, ptr %batch) #2 {{\n{out}\n}}\n"


def _steps(lanes: Lanes, step: StepCode, queue: Queue, samples: SampleCode) -> None:
    """Append steps until every state has finished, or has used up the attempts of this call."""
    put = lanes.put
    put("br label %fill")
    put("fill:")
    queue.fill(samples.find_next)
    step.begin(queue.fresh)
    queue.forget_fresh()
    put("br label %attempt")
    put("attempt:")
    active = queue.active()
    put(f"br i1 {queue.releases()}, label %fill, label %attempt.some")
    put("attempt.some:")
    put(f"br i1 {lanes.any(active)}, label %attempt.do, label %attempts.done")
    put("attempt.do:")
    step.make(active)
    samples.keep()
    step.advance()
    queue.count(active)
    put("br label %attempt")
    put("attempts.done:")
