"""The functions of a module: a program over many states, a program in parts, a rollout over many steps.

A program's function takes (count, address and stride of each input, address of each output). Numbers are f64,
row-major; the input of the next state begins a stride further, in bytes, 0 if all states share it; results of states
follow each other. They must not overlap the inputs.

A rollout's function takes (steps, every, address of each input, address of each record): carried inputs are overwritten
by the state after the last step; inputs over time and records have a row for each step, and for every ``every``-th.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.wasm.code import Root, straight_code
from armdyn.targets.wasm.encoder import F64, I32, Code, Signature
from armdyn.targets.wasm.instructions import MEMORY_COPY, assembled, call, get, integer, load, op, put, store

PART = 20_000
"""The most operations of one function: engines accept 50,000 locals and bodies of 7,654,321 bytes."""

BYTES = 8
"""The size of a number, bytes."""


@dataclass(frozen=True)
class Place:
    """The locals of a function that hold the addresses of its arrays."""

    inputs: Sequence[int]
    outputs: Sequence[int]

    @classmethod
    def in_loop(cls, program: Program) -> Place:
        """The locals of the function over states."""
        n = len(program.inputs)
        return cls(range(1, 2 * n + 1, 2), range(2 * n + 1, 2 * n + 1 + len(program.outputs)))

    @classmethod
    def in_part(cls, program: Program) -> Place:
        """The locals of a part, which has only addresses."""
        n = len(program.inputs)
        return cls(range(n), range(n, n + len(program.outputs)))


def over_states(
    program: Program, name: str, functions: Mapping[str, int], scratch: int, part: int = PART
) -> Iterator[Code]:
    """The function of a program, and before it the parts of a program that is too large for one function.

    Args:
        program: the program that it computes.
        name: the name of the function; parts have numbers appended.
        functions: the indices of the called functions, parts included.
        scratch: the address of memory for the values that parts pass on, `handed_on` in number.
        part: the most operations of a function.
    """
    pieces = _pieces(program, part)
    place = Place.in_loop(program) if len(pieces) == 1 else Place.in_part(program)
    first_local = place.outputs.stop if isinstance(place.outputs, range) else 0
    bodies = [
        straight_code(program.nodes, piece.inside, roots, leaves, functions, first_local)
        for piece, roots, leaves in _stored(program, pieces, place, scratch)
    ]
    if len(bodies) == 1:
        ((body, locals_),) = bodies
    else:
        addresses = I32 * (len(program.inputs) + len(program.outputs))
        for k, (code, count) in enumerate(bodies):
            yield Code(part_name(name, k), Signature(addresses), F64 * count, code)
        where = Place.in_loop(program)
        text = b"".join(get(local) for local in (*where.inputs, *where.outputs))
        body = b"".join(text + call(functions[part_name(name, k)]) for k in range(len(bodies)))
        locals_ = 0
    yield Code(name, Signature(_types_in_loop(program)), F64 * locals_, _looped(program, body))


def part_name(name: str, k: int) -> str:
    """The name of a part of a function."""
    return f"{name}.{k}"


def parts(program: Program, part: int = PART) -> int:
    """The number of functions into which a program is divided; 1 if it is not."""
    return len(_pieces(program, part))


def handed_on(program: Program, part: int = PART) -> int:
    """The number of values that parts of a program pass on to later ones."""
    return len(_crossing(program, _pieces(program, part)))


@dataclass(frozen=True)
class _Piece:
    """Operations that are computed together: nodes of the program, in order."""

    inside: Sequence[int]


def _pieces(program: Program, part: int) -> list[_Piece]:
    operations = [k for k, node in enumerate(program.nodes) if node[0] not in ("const", "input")]
    return [_Piece(operations[k : k + part]) for k in range(0, len(operations), part)] or [_Piece(())]


def _crossing(program: Program, pieces: Sequence[_Piece]) -> dict[int, int]:
    """The values that a later piece needs, numbered."""
    if len(pieces) == 1:
        return {}
    piece_of = {index: k for k, piece in enumerate(pieces) for index in piece.inside}
    result: dict[int, int] = {}
    for index, k in piece_of.items():
        for argument in program.nodes[index][1:]:
            if piece_of.get(argument, k) != k:  # type: ignore[arg-type]
                result.setdefault(argument, len(result))  # type: ignore[arg-type]
    return result


def _stored(
    program: Program, pieces: Sequence[_Piece], place: Place, scratch: int
) -> Iterator[tuple[_Piece, list[Root], dict[int, bytes]]]:
    """The values that each piece stores, and the code of those that it loads."""
    crossing = _crossing(program, pieces)
    inputs = _addresses(program.inputs, place.inputs)
    results = list(zip(program.results, _addresses(program.outputs, place.outputs), strict=True))
    loaded = {
        k: get(inputs[node[1]][0]) + load(inputs[node[1]][1])  # type: ignore[index]
        for k, node in enumerate(program.nodes)
        if node[0] == "input"
    }
    for number, piece in enumerate(pieces):
        mine = set(piece.inside)
        last = number == len(pieces) - 1
        roots = [
            Root(node, get(local), store(offset))
            for node, (local, offset) in results
            if node in mine or (last and program.nodes[node][0] in ("const", "input"))
        ]
        roots += [Root(node, integer(scratch), store(BYTES * slot)) for node, slot in crossing.items() if node in mine]
        others = {node: integer(scratch) + load(BYTES * slot) for node, slot in crossing.items() if node not in mine}
        yield piece, roots, loaded | others


def _addresses(ports: Sequence[Port], locals_: Sequence[int]) -> list[tuple[int, int]]:
    """The local with the address of its array, and the offset, of each number, row-major."""
    return [(local, BYTES * k) for port, local in zip(ports, locals_, strict=True) for k in range(port.size)]


def _types_in_loop(program: Program) -> bytes:
    return I32 * (1 + 2 * len(program.inputs) + len(program.outputs))


def _looped(program: Program, body: bytes) -> bytes:
    """A loop of the body over the states, skipped if there are none."""
    place = Place.in_loop(program)
    advance = b"".join(assembled("get p  get stride  i32.add  set p", {"p": p, "stride": p + 1}) for p in place.inputs)
    advance += b"".join(
        assembled(f"get p  i32.const {BYTES * port.size}  i32.add  set p", {"p": p})
        for port, p in zip(program.outputs, place.outputs, strict=True)
    )
    begin = assembled("get count  if  loop", {"count": 0})
    again = assembled("get count  i32.const 1  i32.sub  tee count  br_if 0  end  end", {"count": 0})
    return begin + body + advance + again


def over_time(rollout: Rollout, name: str, step: int, scratch: int) -> Code:
    """The function of a rollout.

    Args:
        rollout: the rollout that it computes.
        name: the name of the function.
        step: the index of the function of its step over states.
        scratch: the address of memory for the results of a step.
    """
    inputs, outputs, records = rollout.step.inputs, rollout.step.outputs, rollout.records
    locals_ = ["steps", "every", *(f"in {p.name}" for p in inputs), *(f"record {p.name}" for p in records)]
    names = {name: k for k, name in enumerate(locals_)}
    names["row"] = len(locals_)  # steps until the next row of the records
    where = _results_at(outputs, scratch)
    given = [integer(1)]
    given += [get(names[f"in {port.name}"]) + integer(0) for port in inputs]
    given += [integer(where[port.name]) for port in outputs]
    carried = [name for _, name in rollout.carry]
    state = [_copy(p, get(names[f"record {p.name}"]), get(names[f"in {p.name}"])) for p in records if p.name in carried]
    found = [_copy(p, get(names[f"record {p.name}"]), integer(where[p.name])) for p in records if p.name not in carried]
    sizes = {port.name: port for port in inputs}
    back = [_copy(sizes[name], get(names[f"in {name}"]), integer(where[result])) for result, name in rollout.carry]
    body = (
        assembled("get steps  if  loop  get row  i32.eqz  if", names)
        + b"".join(state)
        + op("end")
        + b"".join(given)
        + call(step)
        + assembled("get row  i32.eqz  if", names)
        + b"".join(found)
        + b"".join(_advance(port, names[f"record {port.name}"]) for port in records)
        + assembled("get every  set row  end  get row  i32.const 1  i32.sub  set row", names)
        + b"".join(back)
        + b"".join(_advance(sizes[name], names[f"in {name}"]) for name in rollout.stepwise)
        + assembled("get steps  i32.const 1  i32.sub  tee steps  br_if 0  end  end", names)
    )
    return Code(name, Signature(I32 * len(locals_)), I32, body)


def results_size(rollout: Rollout) -> int:
    """The bytes of memory that the results of a step take."""
    return BYTES * sum(port.size for port in rollout.step.outputs)


def _results_at(outputs: Sequence[Port], scratch: int) -> dict[str, int]:
    result = {}
    for port in outputs:
        result[port.name] = scratch
        scratch += BYTES * port.size
    return result


def _copy(port: Port, target: bytes, source: bytes) -> bytes:
    """Copy an array, from address to address."""
    return target + source + integer(BYTES * port.size) + MEMORY_COPY


def _advance(port: Port, local: int) -> bytes:
    """Advance an address to the next row."""
    return get(local) + integer(BYTES * port.size) + op("i32.add") + put(local)
