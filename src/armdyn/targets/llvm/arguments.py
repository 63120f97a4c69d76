"""The array arguments of an inner loop, as LLVM IR: their addresses, and the transfer of a group of states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from armdyn.program.ports import Port
from armdyn.targets.llvm.vectors import FunctionBody


def describe_arguments(
    out: FunctionBody, ports: Sequence[tuple[int, Port]], strides: str, over_time: Collection[int] = ()
) -> None:
    """Append code that loads the address and strides of each array, and tests if a state's numbers are contiguous.

    NumPy passes the strides from state to state of all arguments first, then the other strides of each.

    Args:
        out: the function.
        ports: the arrays with their numbers among the loop's arguments, of which the last is the last.
        strides: the loop's argument that holds the strides.
        over_time: the numbers of arrays with an axis of steps before those of a state.
    """
    core = ports[-1][0] + 1
    for k, (number, port) in enumerate(ports):
        at = out.let(f"getelementptr ptr, ptr %args, i64 {number}")
        out.put(f"%data{number} = load ptr, ptr {at}")
        at = out.let(f"getelementptr i64, ptr {strides}, i64 {number}")
        out.put(f"%outer{number} = load i64, ptr {at}")
        if number in over_time:
            at = out.let(f"getelementptr i64, ptr {strides}, i64 {core}")
            out.put(f"%stride{number} = load i64, ptr {at}")
            core += 1
        at = out.let(f"getelementptr i64, ptr {strides}, i64 {core}")
        layout = f"i64 {port.size}, i64 {len(port.shape)}, ptr @shape{k}, ptr {at}, ptr %offsets{number}"
        out.put(f"%contiguous{number} = call i1 @layout({layout})")
        core += len(port.shape)


class Group(NamedTuple):
    """The names of the variables of one group of states: its first state, its last lane, its scratch memory."""

    state: str = "%state"
    last: str = "%last"
    values: str = "%values"


ALONE = Group()
"""The group of a loop that has one group at a time."""


def transfer(
    out: FunctionBody, function: str, number: int, scratch: str, *, row: str = "", group: Group = ALONE
) -> None:
    """Call the function that moves a group's numbers between an array and scratch memory.

    Args:
        out: the function to write to.
        function: the name of the function.
        number: the number of the array.
        scratch: the address of the group's numbers in scratch memory.
        row: the row, for an array over time.
        group: the group of states.
    """
    data = place(out, number, row=row, group=group)
    out.put(
        f"call void @{function}(ptr {data}, i64 %outer{number}, i64 {group.last}, ptr {scratch}, "
        f"i1 %contiguous{number}, ptr %offsets{number})"
    )


def side_by_side(out: FunctionBody, number: int, bytes_of_a_state: int) -> str:
    """The flag that the states of an array, or of each of its rows, follow each other without gaps."""
    packed = out.let(f"icmp eq i64 %outer{number}, {bytes_of_a_state}")
    return out.let(f"and i1 {packed}, %contiguous{number}")


def place(out: FunctionBody, number: int, *, row: str = "", group: Group = ALONE) -> str:
    """The address of the group's first state in an array, in one of its rows if the array is over time."""
    distance = out.let(f"mul i64 {group.state}, %outer{number}")
    data = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
    if row:
        distance = out.let(f"mul i64 {row}, %stride{number}")
        data = out.let(f"getelementptr i8, ptr {data}, i64 {distance}")
    return data
