"""The arrays that an inner loop is given, as LLVM IR: where they lie, and the transfer of a group of states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from armdyn.program.program import Port
from armdyn.targets.llvm.vectors import Lines


def describe_arguments(
    out: Lines, ports: Sequence[tuple[int, Port]], strides: str, over_time: Collection[int] = ()
) -> None:
    """Code that loads the address of each array and its strides, and tests that a state's numbers are contiguous.

    NumPy gives the strides from state to state of all arguments first, then the others of each.

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
    """The names of what tells one group of states from others: its first state, its last lane, its scratch memory."""

    state: str = "%state"
    last: str = "%last"
    values: str = "%values"


ALONE = Group()
"""Where a loop has one group at a time."""


def transfer(out: Lines, function: str, number: int, scratch: str, *, row: str = "", group: Group = ALONE) -> None:
    """Call the function that moves a group's numbers between an array and scratch memory.

    Args:
        out: the function to write to.
        function: its name.
        number: of the array.
        scratch: where the group's numbers are.
        row: of an array over time, which of its rows.
        group: of states.
    """
    data = place(out, number, row=row, group=group)
    out.put(
        f"call void @{function}(ptr {data}, i64 %outer{number}, i64 {group.last}, ptr {scratch}, "
        f"i1 %contiguous{number}, ptr %offsets{number})"
    )


def side_by_side(out: Lines, number: int, bytes_of_a_state: int) -> str:
    """Whether the states of an array, or of each of its rows, lie one behind the other without gaps."""
    packed = out.let(f"icmp eq i64 %outer{number}, {bytes_of_a_state}")
    return out.let(f"and i1 {packed}, %contiguous{number}")


def place(out: Lines, number: int, *, row: str = "", group: Group = ALONE) -> str:
    """Where the numbers of the group's first state begin in an array, in one of its rows where it is over time."""
    distance = out.let(f"mul i64 {group.state}, %outer{number}")
    data = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
    if row:
        distance = out.let(f"mul i64 {row}, %stride{number}")
        data = out.let(f"getelementptr i8, ptr {data}, i64 {distance}")
    return data
