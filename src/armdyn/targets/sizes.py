"""Programs too large for a target's compiler or assembler."""

from __future__ import annotations

from armdyn.base.errors import Unsupported
from armdyn.program.program import Program


def refuse_large(program: Program, most: int, why: str, *, name: str = "") -> None:
    """Raise if a program has more operations than a target accepts.

    Args:
        program: the program to export.
        most: the most operations that the target accepts.
        why: the reason for the limit, and the remedy.
        name: the name of the function; the program's own if not given.

    Raises:
        Unsupported: a program with more operations.
    """
    operations = sum(node[0] not in ("input", "const") for node in program.nodes)
    if operations > most:
        raise Unsupported(f"{name or program.name} has {operations:,} operations, and {most:,} are the most: {why}")
