"""The functions of a module in LLVM IR: a program over many states, a program in parts, a rollout over many steps.

A program's function takes (count, address and stride of each input, address of each output). Numbers are f64,
row-major; the input of the next state begins a stride further, in bytes, 0 if all states share it; results of states
follow each other. They must not overlap the inputs.

A rollout's function takes (steps, every, address of each input, address of each record): carried inputs are overwritten
by the state after the last step; inputs over time and records have a row for each step, and for every ``every``-th.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.llvm.evaluation import Blocks, EvaluationCode
from armdyn.targets.wasm.parts import (
    BYTES,
    PART,
    NumberAddress,
    ProgramPart,
    address_constant,
    input_pointer,
    output_pointer,
    parts_of,
    passed_on,
)
from armdyn.targets.wasm.sincos import NUMBER, sincos_call

HOST = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "pow")
"""Operations that WebAssembly lacks and imports from the host."""

Function = tuple[str, str]
"""The name of a function, and its definition in LLVM IR."""


def over_states(
    program: Program, name: str, called: Collection[str], cosine: int, scratch: int, part: int = PART
) -> Iterator[Function]:
    """The function of a program, and before it the parts of a program that is too large for one function.

    Args:
        program: the program that it computes.
        name: the name of the function; parts have numbers appended.
        called: the operations that are functions of the host; sine and cosine may be a function of the module.
        cosine: the address at which that function leaves the cosine.
        scratch: the address of memory for the values that parts pass on.
        part: the most operations of one function.
    """
    inputs = [input_pointer(k) for k in range(len(program.inputs))]
    outputs = [output_pointer(k) for k in range(len(program.outputs))]
    parts = parts_of(program, scratch, part)
    body = Blocks("state")
    for pointer in inputs:
        body.put(f"{pointer} = phi ptr [ {pointer}.first, %entry ], [ {pointer}.next, %next ]")
    for pointer in outputs:
        body.put(f"{pointer} = phi ptr [ {pointer}.first, %entry ], [ {pointer}.next, %next ]")
    body.put("%left = phi i32 [ %count, %entry ], [ %left.next, %next ]")
    if len(parts) == 1:
        _straight(body, parts[0], called, cosine)
    else:
        addresses = ", ".join(f"ptr {pointer}" for pointer in (*inputs, *outputs))
        for k, one in enumerate(parts):
            straight = Blocks("entry")
            _straight(straight, one, called, cosine)
            yield f"{name}.{k}", f"define void {symbol(f'{name}.{k}')}({addresses}) {{\n{straight}\n  ret void\n}}\n"
            body.put(f"call void {symbol(f'{name}.{k}')}({addresses})")
    body.put("br label %next")
    body.begin("next")
    for k, pointer in enumerate(inputs):
        body.put(f"{pointer}.next = getelementptr i8, ptr {pointer}, i32 %stride{k}")
    for pointer, port in zip(outputs, program.outputs, strict=True):
        body.put(f"{pointer}.next = getelementptr i8, ptr {pointer}, i32 {BYTES * port.size}")
    _repeat(body, "state")
    parameters = ["i32 %count"]
    parameters += [one for k, p in enumerate(inputs) for one in (f"ptr {p}.first", f"i32 %stride{k}")]
    parameters += [f"ptr {pointer}.first" for pointer in outputs]
    yield name, _looped(name, parameters, "%count", body, "state")


def over_time(rollout: Rollout, name: str, step: str, scratch: int) -> Function:
    """The function of a rollout.

    Args:
        rollout: the rollout that it computes.
        name: the name of the function.
        step: the name of the function of its step over states.
        scratch: the address of memory for the results of a step.
    """
    inputs = {port.name: (input_pointer(k), port) for k, port in enumerate(rollout.step.inputs)}
    records = [(output_pointer(k), port) for k, port in enumerate(rollout.records)]
    results = _results_at(rollout.step.outputs, scratch)
    carried = [name for _, name in rollout.carry]
    over_time = [inputs[name] for name in rollout.stepwise]
    body = Blocks("step")
    for pointer, _ in (*over_time, *records):
        body.put(f"{pointer} = phi ptr [ {pointer}.first, %entry ], [ {pointer}.next, %next ]")
    body.put("%left = phi i32 [ %steps, %entry ], [ %left.next, %next ]")
    body.put("%row = phi i32 [ 0, %entry ], [ %row.next, %next ]")  # steps until the next row of the records
    body.put("%records = icmp eq i32 %row, 0")
    body.put("br i1 %records, label %state, label %evaluate")
    body.begin("state")
    for pointer, port in records:
        if port.name in carried:
            _copy(body, port, pointer, inputs[port.name][0])
    body.put("br label %evaluate")
    body.begin("evaluate")
    values = [f"ptr {pointer}, i32 0" for pointer, _ in inputs.values()]
    values += [f"ptr {results[port.name]}" for port in rollout.step.outputs]
    body.put(f"call void {symbol(step)}(i32 1, {', '.join(values)})")
    body.put("br i1 %records, label %record, label %next")
    body.begin("record")
    for pointer, port in records:
        if port.name not in carried:
            _copy(body, port, pointer, results[port.name])
    body.put("br label %next")
    body.begin("next")
    for pointer, port in records:
        after = body.let(f"getelementptr i8, ptr {pointer}, i32 {BYTES * port.size}")
        body.put(f"{pointer}.next = select i1 %records, ptr {after}, ptr {pointer}")
    until = body.let("select i1 %records, i32 %every, i32 %row")
    body.put(f"%row.next = sub i32 {until}, 1")
    for result, carried_input in rollout.carry:
        pointer, port = inputs[carried_input]
        _copy(body, port, pointer, results[result])
    for pointer, port in over_time:
        body.put(f"{pointer}.next = getelementptr i8, ptr {pointer}, i32 {BYTES * port.size}")
    _repeat(body, "step")
    moving = {pointer for pointer, _ in (*over_time, *records)}
    arrays = [pointer for pointer, _ in (*inputs.values(), *records)]
    parameters = [f"ptr {pointer}.first" if pointer in moving else f"ptr {pointer}" for pointer in arrays]
    return name, _looped(name, ["i32 %steps", "i32 %every", *parameters], "%steps", body, "step")


def scratch_size(one: Program | Rollout, part: int = PART) -> int:
    """The bytes of memory that a function needs for values that parts pass on, and for the results of a step."""
    return BYTES * (passed_on(step_program(one), part) + _result_count(one))


def functions_of(
    one: Program | Rollout, name: str, called: Collection[str], cosine: int, scratch: int, part: int = PART
) -> Iterator[Function]:
    """The functions of a program or a rollout, the exported one last."""
    step = f"{name}.step" if isinstance(one, Rollout) else name
    yield from over_states(step_program(one), step, called, cosine, scratch, part)
    if isinstance(one, Rollout):
        yield over_time(one, name, step, scratch + BYTES * passed_on(one.step, part))


def step_program(one: Program | Rollout) -> Program:
    """The program of one step or state."""
    return one.step if isinstance(one, Rollout) else one


def symbol(name: str) -> str:
    """A function of the module in LLVM IR, with a name that no operation has."""
    return f'@"{name}()"'


def _result_count(one: Program | Rollout) -> int:
    return sum(port.size for port in one.step.outputs) if isinstance(one, Rollout) else 0


class _Loads(Sequence[str]):
    """The numbers that a part loads, each when it is first read: most are then operands without a local."""

    def __init__(self, out: Blocks, addresses: Sequence[NumberAddress]) -> None:
        self._out, self._addresses = out, addresses

    def __len__(self) -> int:
        return len(self._addresses)

    def __getitem__(self, k: Any) -> Any:
        return self._out.let(f"load double, ptr {_pointer(self._out, self._addresses[k])}, align {BYTES}")


def _straight(out: Blocks, part: ProgramPart, called: Collection[str], cosine: int) -> None:
    """The operations of a part: all its numbers are loaded before the first is stored."""
    sincos = partial(sincos_call, cosine=cosine)
    results = EvaluationCode(out, NUMBER, part.program, _Loads(out, part.loads), called, sincos).results
    for name, address in zip(results, part.stores, strict=True):
        out.put(f"store double {name}, ptr {_pointer(out, address)}, align {BYTES}")


def _pointer(out: Blocks, address: NumberAddress) -> str:
    if not address.offset:
        return address.pointer
    return out.let(f"getelementptr inbounds i8, ptr {address.pointer}, i32 {address.offset}")


def _looped(name: str, parameters: Sequence[str], count: str, body: Blocks, loop: str) -> str:
    """A function that repeats a body ``count`` times."""
    entry = f"entry:\n  %some = icmp ne i32 {count}, 0\n  br i1 %some, label %{loop}, label %done"
    return f"define void {symbol(name)}({', '.join(parameters)}) {{\n{entry}\n{body}\ndone:\n  ret void\n}}\n"


def _repeat(out: Blocks, loop: str) -> None:
    out.put("%left.next = sub i32 %left, 1")
    out.put("%more = icmp ne i32 %left.next, 0")
    out.put(f"br i1 %more, label %{loop}, label %done")


def _results_at(outputs: Sequence[Port], scratch: int) -> dict[str, str]:
    """The pointer to each result of a step."""
    pointers = {}
    for port in outputs:
        pointers[port.name] = address_constant(scratch)
        scratch += BYTES * port.size
    return pointers


def _copy(out: Blocks, port: Port, target: str, source: str) -> None:
    size = BYTES * port.size
    out.put(f"call void @llvm.memcpy.p0.p0.i32(ptr align 8 {target}, ptr align 8 {source}, i32 {size}, i1 false)")
