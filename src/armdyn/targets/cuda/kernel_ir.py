"""A program or rollout as the LLVM IR of a kernel: one thread per state, and a loop if states outnumber the threads.

The text for a GPU and for a processor differ only in the first two values, the thread's number and the number of
threads, which are arguments on a processor: so a GPU's computation can be checked without a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.c.helpers import operations_of
from armdyn.targets.cuda.arguments import Transfers, arguments
from armdyn.targets.cuda.mathematics import functions
from armdyn.targets.cuda.scalars import scalar_of
from armdyn.targets.cuda.staging import Staging, is_staged, stage_numbers
from armdyn.targets.llvm.evaluation import INTRINSICS, Blocks, EvaluationCode
from armdyn.targets.llvm.rollout_loop import next_step
from armdyn.targets.llvm.scalars import ScalarRegister

GPU = "nvptx64-nvidia-cuda"

_THREAD = """\
%block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
%width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
%within = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
%blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
%block.wide = zext i32 %block to i64
%width.wide = zext i32 %width to i64
%within.wide = zext i32 %within to i64
%blocks.wide = zext i32 %blocks to i64
%before = mul i64 %block.wide, %width.wide
%thread = add i64 %before, %within.wide
%threads = mul i64 %blocks.wide, %width.wide"""

_DECLARATIONS = """\
declare i64 @llvm.smin.i64(i64, i64)
"""

_OF_THREADS = "\n".join(
    [
        *(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("ctaid", "ntid", "tid", "nctaid")),
        "declare void @llvm.nvvm.bar.warp.sync(i32)",
    ]
)


def kernel_ir(source: Program | Rollout, dtype: str, name: str, layout: str, triple: str = GPU) -> str:
    """The module with the kernel.

    Args:
        source: the program or rollout.
        dtype: "float64" or "float32".
        name: the name of the kernel.
        layout: ``"strided"``, ``"rows"`` or ``"packed"``, as in `armdyn.targets.cuda.arguments`.
        triple: LLVM's name of the target machine.
    """
    scalar, program = scalar_of(dtype), source if isinstance(source, Program) else source.step
    on_gpu = triple == GPU
    out = Blocks("entry")
    if on_gpu:
        for line in _THREAD.splitlines():
            out.put(line)
    staged = stage_numbers(source, scalar) if layout == "packed" else 0
    staging = Staging(out, scalar, on_gpu=on_gpu) if staged else None
    if staging:
        staging.begin(staged)
    _loop(out, staging, lambda: _body(out, scalar, Transfers(out, scalar, layout), source, staging))
    text = ", ".join([*([] if on_gpu else ["i64 %thread", "i64 %threads"]), *parameters(source, layout)])
    kind = "ptx_kernel " if on_gpu else ""
    return "\n".join(
        [
            f'target triple = "{triple}"\n',
            *functions(operations_of([program])),
            *([Staging.memory(scalar, staged, on_gpu=on_gpu)] if staged else []),
            f"define {kind}void @{name}({text}) {{\n{out}\n}}\n",
            INTRINSICS,
            _DECLARATIONS,
            *([_OF_THREADS] if on_gpu else []),
        ]
    )


def _loop(out: Blocks, staging: Staging | None, body: Callable[[], None]) -> None:
    """The loop over the states of a thread, ``%state``; if results are staged, all threads of a warp take part."""
    lane = "%lane.wide" if staging else "0"
    out.put(f"%some = icmp slt i64 {out.let(f'sub i64 %thread, {lane}')}, %count")
    out.put("br i1 %some, label %states, label %done")
    out.begin("states")
    here = "%here" if staging else "%state"
    out.put(f"{here} = phi i64 [ %thread, %entry ], [ %next, %stored ]")
    if staging:
        staging.of_states()
    body()
    out.put("br label %stored")
    out.begin("stored")
    out.put(f"%next = add i64 {here}, %threads")
    out.put(f"%more = icmp slt i64 {out.let(f'sub i64 %next, {lane}')}, %count")
    out.put("br i1 %more, label %states, label %done")
    out.begin("done")
    out.put("ret void")


def _body(
    out: Blocks, scalar: ScalarRegister, transfers: Transfers, source: Program | Rollout, staging: Staging | None
) -> None:
    if isinstance(source, Program):
        _program(out, scalar, transfers, source, staging)
    else:
        _rollout(out, scalar, transfers, source)


def parameters(source: Program | Rollout, layout: str) -> list[str]:
    """The parameters of a kernel in LLVM IR: the number of states, of a rollout's steps, and the arrays."""
    counts = ["i64 %count", *(["i64 %steps", "i64 %every"] if isinstance(source, Rollout) else [])]
    return [*counts, *(one for argument in arguments(source) for one in argument.parameters(layout))]


def _program(
    out: Blocks, scalar: ScalarRegister, transfers: Transfers, program: Program, staging: Staging | None
) -> None:
    """The code for one state; staged results first, so that no thread writes before all of its warp have read."""
    ports = arguments(program)
    inputs = [number for argument in ports if not argument.is_output for number in transfers.load(argument)]
    results = iter(EvaluationCode(out, scalar, program, inputs).results)
    result = [(argument, list(islice(results, argument.size))) for argument in ports if argument.is_output]
    if staging:
        for argument, numbers in result:
            if is_staged(argument, scalar):
                staging.store(argument, numbers)
    for argument, numbers in result:
        if not staging or not is_staged(argument, scalar):
            transfers.store(argument, numbers)


def _rollout(out: Blocks, scalar: ScalarRegister, transfers: Transfers, rollout: Rollout) -> None:
    """The code for all steps of a state, in registers; ``%until`` steps pass before a ``%row`` is recorded again."""
    ports = arguments(rollout)
    inputs = {argument.port.name: argument for argument in ports if not argument.is_output}
    outputs = [argument for argument in ports if argument.is_output]
    final, records = outputs[: len(rollout.carry)], outputs[len(rollout.carry) :]
    carried = [name for _, name in rollout.carry]
    values = {name: transfers.load(argument) for name, argument in inputs.items() if not argument.over_time}
    out.put("%no.step = icmp slt i64 %steps, 1")
    before = out.block
    out.put("br i1 %no.step, label %final, label %step")

    out.begin("step")
    for counter in ("k", "until", "row"):
        out.put(f"%{counter} = phi i64 [ 0, %{before} ], [ %{counter}.next, %recorded ]")
    state = {name: [f"%{_register(name, k, carried)}" for k in range(len(values[name]))] for name in carried}
    at = len(out.lines)
    now = values | state
    for argument in inputs.values():
        if argument.over_time:
            now[argument.port.name] = transfers.load(argument, step="%k")
    results = iter(
        EvaluationCode(out, scalar, rollout.step, [n for port in rollout.inputs for n in now[port.name]]).results
    )
    values_of_step = {port.name: list(islice(results, port.size)) for port in rollout.step.outputs}
    out.put("%records = icmp eq i64 %until, 0")
    out.put("br i1 %records, label %record, label %recorded")
    out.begin("record")
    for argument in records:
        transfers.store(argument, (values_of_step | state)[argument.port.name], step="%row")
    out.put("br label %recorded")
    out.begin("recorded")
    next_step(out)
    afterwards = {name: values_of_step[result] for result, name in rollout.carry}
    phis = [
        f"{now_} = phi {scalar.type} [ {first}, %{before} ], [ {after}, %recorded ]"
        for name in carried
        for now_, first, after in zip(state[name], values[name], afterwards[name], strict=True)
    ]
    out.lines[at:at] = phis

    out.begin("final")
    last = [
        [
            out.let(f"phi {scalar.type} [ {first}, %{before} ], [ {after}, %recorded ]")
            for first, after in zip(values[name], afterwards[name], strict=True)
        ]
        for name in carried
    ]
    for argument, numbers in zip(final, last, strict=True):
        transfers.store(argument, numbers)


def _register(name: str, k: int, carried: Sequence[str]) -> str:
    return f"carried{carried.index(name)}.{k}"
