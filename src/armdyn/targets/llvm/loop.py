"""A program as LLVM IR: a function with the signature of a NumPy generalised ufunc's inner loop.

For every group of states, as many as a vector register has lanes: transpose the inputs into scratch memory, run the
sections on it, transpose the results out. A group's inputs are all read before its results are written. The text is
formatted directly; that is many times faster than building an object for every instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm import fetching, streaming, streaming_columns
from armdyn.targets.llvm.arguments import describe_arguments, transfer
from armdyn.targets.llvm.arithmetic import arithmetic_section, sections_of_an_arm
from armdyn.targets.llvm.decay import with_decays
from armdyn.targets.llvm.library import libm_functions, library_section
from armdyn.targets.llvm.machine import Machine
from armdyn.targets.llvm.module import Module
from armdyn.targets.llvm.packing import Column, layout_functions, run_length, storer
from armdyn.targets.llvm.sections import Arithmetic, Sections, cut
from armdyn.targets.llvm.vectors import FunctionBody, Vector, slot_pointer

# Without prefer-vector-width LLVM splits 512-bit vectors on some processors, which lower their clock for them.
# With an aligned stack, a spilled register does not cross a cache line.
# The loop's scratch memory may span many pages; the stack is probed, so that an overflow hits its guard page.
_ATTRIBUTES = """\
attributes #0 = {{ nounwind noinline alignstack={bytes} "prefer-vector-width"="512" "min-legal-vector-width"="512" }}
attributes #2 = {{ nounwind noinline "probe-stack"="inline-asm" }}
attributes #1 = {{ nounwind noinline cold "prefer-vector-width"="512" "min-legal-vector-width"="512" }}
!0 = !{{!"branch_weights", i32 1, i32 1000000}}
!1 = !{{i32 1}}
"""


def loop_module(program: Program, dtype: str, machine: Machine) -> Module:
    """The module with the inner loop `ENTRY` for ``"f"`` (float32) or ``"d"`` (float64) arrays."""
    vector = Vector.of(dtype, machine)
    plan = cut(with_decays(program, vector))
    own = [
        *shapes((*program.inputs, *program.outputs)),
        *(storer(vector, number, columns, run) for number, columns, run in _results(program, plan)),
        *section_functions(plan, vector),
        _loop(program, plan, vector, machine),
    ]
    past_the_cache = (
        *streaming.stream_functions(vector, program.outputs),
        *streaming_columns.column_functions(vector),
        fetching.FUNCTION,
    )
    shared = [
        *layout_functions(vector, program.inputs, program.outputs),
        *(past_the_cache if streaming.can_stream(machine.triple) else ()),
        *libm_functions(plan, vector),
    ]
    return module(own, shared, vector, machine)


def module(own: Sequence[str], shared: Sequence[str], vector: Vector, machine: Machine) -> Module:
    """A module of these definitions for a machine."""
    return Module(
        "\n".join(own),
        tuple(shared),
        head=f'target triple = "{machine.triple}"\n',
        tail=f"{_declarations(vector, machine.triple)}\n{_ATTRIBUTES.format(bytes=vector.bytes)}",
    )


def section_functions(plan: Sections, vector: Vector) -> list[str]:
    """The functions ``@part0``, ``@part1``, ..., in order of execution, and those that they call."""
    functions = []
    for number, part in enumerate(plan.parts):
        names = [f"part{number}"] if len(part) == 1 else [f"part{number}.{k}" for k in range(len(part))]
        functions += [
            arithmetic_section(plan, vector, section, name)
            if isinstance(section, Arithmetic)
            else library_section(plan, vector, section, name)
            for section, name in zip(part, names, strict=True)
        ]
        if len(part) > 1:
            functions.append(sections_of_an_arm(plan, vector, part[0].conditions[:1], f"part{number}", names))
    return functions


def shapes(ports: tuple[Port, ...]) -> list[str]:
    """The core shape of every argument, as constant arrays."""
    return [
        f"@shape{number} = private unnamed_addr constant [{len(port.shape)} x i64] "
        f"[{', '.join(f'i64 {extent}' for extent in port.shape)}]"
        for number, port in enumerate(ports)
    ]


def _results(program: Program, plan: Sections) -> Iterator[tuple[int, list[Column], int]]:
    """The number of every output among all ports, the places of its numbers, and the length of its runs."""
    results = iter(program.results)
    for number, port in enumerate(program.outputs, start=len(program.inputs)):
        yield number, plan.places(islice(results, port.size)), run_length(port.shape)


def _loop(program: Program, plan: Sections, vector: Vector, machine: Machine) -> str:
    """The inner loop itself.

    NumPy's last argument is null. For a piece of a batch it points to the number of states of the whole batch, which
    decides about streaming.
    """
    ports = (*program.inputs, *program.outputs)
    out = FunctionBody()
    out.put("entry:")
    out.put(f"%values = alloca [{max(plan.slot_count, 1) * vector.lanes} x {vector.scalar}], align {vector.bytes}")
    for number, port in enumerate(ports):
        out.put(f"%offsets{number} = alloca [{max(port.size, 1)} x i64], align 8")
    streams = streaming.can_stream(machine.triple)
    results = list(enumerate(program.outputs, start=len(program.inputs)))
    for number, port in results if streams else ():
        streaming.reserve(out, vector, number, port)
    restore_flags = save_flags(out, machine.triple)
    out.put("%count = load i64, ptr %dimensions")
    out.put("%nothing = icmp slt i64 %count, 1")
    out.put("br i1 %nothing, label %done, label %begin")
    out.put("begin:")
    out.put("%alone = icmp eq ptr %batch, null")
    out.put("%states.at = select i1 %alone, ptr %dimensions, ptr %batch")
    out.put("%states = load i64, ptr %states.at")
    describe_arguments(out, list(enumerate(ports)), "%steps")
    for number, port in results if streams else ():
        streaming.decide(out, vector, number, port, sum(result.size for result in program.outputs))
        streaming_columns.decide(out, vector, number, port)
        fetching.decide(out, vector, number, port)
    out.put("br label %ready")
    out.put("ready:")
    constants(out, plan, vector)
    out.put("br label %group")

    out.put("group:")
    out.put("%state = phi i64 [ 0, %ready ], [ %next, %advance ]")
    out.put("%left = sub i64 %count, %state")
    out.put("%left.last = sub i64 %left, 1")
    out.put(f"%last = call i64 @llvm.umin.i64(i64 %left.last, i64 {vector.lanes - 1})")
    _compute(out, program, plan, vector, results if streams else [])
    out.put("br label %results")

    out.put("results:")
    for number, port in results:
        _store(out, vector, number, port, streams=streams)
    out.put("br label %advance")
    out.put("advance:")
    out.put(f"%next = add i64 %state, {vector.lanes}")
    out.put("%more = icmp slt i64 %next, %count")
    out.put("br i1 %more, label %group, label %finish")
    out.put("finish:")
    if streams:
        streaming.finish(out, vector, results)
        streaming_columns.finish_columns(out, vector, results)
    if restore_flags:
        out.put(restore_flags)
    out.put("br label %done")
    out.put("done:")
    out.put("ret void")
    return f"define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %steps, ptr %batch) #2 {{\n{out}\n}}\n"


def _compute(
    out: FunctionBody, program: Program, plan: Sections, vector: Vector, fetched: list[tuple[int, Port]]
) -> None:
    """Load a group's inputs, then run the sections, interleaved with prefetches of the next group's results."""
    slot = 0
    for number, port in enumerate(program.inputs):
        _load(out, vector, number, port, slot)
        slot += port.size
    for number in range(len(plan.parts)):
        fetching.fetch_ahead(out, vector, fetched, number, len(plan.parts))
        out.put(f"call void @part{number}(ptr %values, ptr %values)")


def constants(out: FunctionBody, plan: Sections, vector: Vector, values: str = "%values") -> None:
    """Store the constants that are read from memory: results, and arguments of library functions."""
    for index, slot in plan.slots.items():
        if plan.nodes[index][0] == "const":
            to = slot_pointer(out, vector, values, slot)
            out.put(f"store {vector.type} {vector.splat(float(plan.nodes[index][1]))}, ptr {to}, align {vector.bytes}")


def save_flags(out: FunctionBody, triple: str) -> str:
    """Save the processor's floating-point exception flags; returns the instruction that restores them.

    NumPy turns raised flags into warnings. But a NaN in one state, or in the branch of a select that is not taken, is
    not a reason to warn: NaN and infinity propagate silently to the results that depend on them, as in the interpreter.

    This must be in the entry block, whose use of the stack keeps the function's prologue there. LLVM may otherwise
    move the prologue after the first branch (shrink wrapping), and LLVM 22 then saves no registers if the frame is
    probed and aligned to a page.
    """
    if triple.startswith("x86_64"):
        out.put("%flags = alloca i32, align 4")
        out.put("call void @llvm.x86.sse.stmxcsr(ptr %flags)")
        return "call void @llvm.x86.sse.ldmxcsr(ptr %flags)"
    if triple.startswith(("aarch64", "arm64")):
        out.put("%flags = call i64 @llvm.aarch64.get.fpsr()")
        return "call void @llvm.aarch64.set.fpsr(i64 %flags)"
    return ""


def _flag_declarations(triple: str) -> list[str]:
    if triple.startswith("x86_64"):
        return [
            "declare void @llvm.x86.sse.stmxcsr(ptr)",
            "declare void @llvm.x86.sse.ldmxcsr(ptr)",
            "declare void @llvm.x86.sse.sfence()",
            "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
        ]
    if triple.startswith(("aarch64", "arm64")):
        return ["declare i64 @llvm.aarch64.get.fpsr()", "declare void @llvm.aarch64.set.fpsr(i64)"]
    return []


def _load(out: FunctionBody, vector: Vector, number: int, port: Port, slot: int) -> None:
    """Load one input's group; an input broadcast over all states (stride 0) only once."""
    first = out.let("icmp eq i64 %state, 0")
    varies = out.let(f"icmp ne i64 %outer{number}, 0")
    fresh = out.let(f"or i1 {first}, {varies}")
    out.put(f"br i1 {fresh}, label %load{number}, label %loaded{number}")
    out.put(f"load{number}:")
    transfer(out, f"load_{port.size}", number, slot_pointer(out, vector, "%values", slot))
    out.put(f"br label %loaded{number}")
    out.put(f"loaded{number}:")


def _store(out: FunctionBody, vector: Vector, number: int, port: Port, *, streams: bool) -> None:
    """Store one output's group, past the cache if it is a whole group of a large result."""
    if not streams:
        transfer(out, f"store{number}", number, "%values")
        return
    whole = out.let(f"icmp eq i64 %last, {vector.lanes - 1}")
    past = out.let(f"and i1 {whole}, %streams{number}")
    out.put(f"br i1 {past}, label %past{number}, label %others{number}")
    out.put(f"past{number}:")
    streaming.store_streamed(out, vector, number, port)
    out.put(f"br label %stored{number}")
    out.put(f"others{number}:")
    past = out.let(f"and i1 {whole}, %columns{number}")
    out.put(f"br i1 {past}, label %lines{number}, label %through{number}")
    out.put(f"lines{number}:")
    streaming_columns.store_columns(out, vector, number, port)
    out.put(f"br label %stored{number}")
    out.put(f"through{number}:")
    transfer(out, f"store{number}", number, "%values")
    out.put(f"br label %stored{number}")
    out.put(f"stored{number}:")


def _declarations(vector: Vector, triple: str) -> str:
    """The intrinsic functions that a module may call."""
    t, suffix = vector.type, vector.suffix
    unary = [f"declare {t} @llvm.{name}.{suffix}({t})" for name in ("sqrt", "fabs", "floor")]
    binary = [f"declare {t} @llvm.{name}.{suffix}({t}, {t})" for name in ("minimum", "maximum", "copysign")]
    return "\n".join(
        [
            *unary,
            *binary,
            f"declare {t} @llvm.fma.{suffix}({t}, {t}, {t})",
            "declare double @llvm.fabs.f64(double)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            *_flag_declarations(triple),
        ]
    )
