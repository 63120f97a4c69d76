"""The docstrings of armdyn's sources, read once for all tests of a process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src" / "armdyn"

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of statements that contain statements."""


class Docstring(NamedTuple):
    """A docstring, the file and the name of what it documents; the name of a module is empty."""

    path: Path
    name: str
    text: str


@cache
def docstrings() -> tuple[Docstring, ...]:
    """The docstrings of all modules, classes and functions, nested ones too."""
    return tuple(
        Docstring(path, getattr(node, "name", ""), text)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in documented(ast.parse(path.read_text(encoding="utf-8")))
        if (text := ast.get_docstring(node))
    )


def documented(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef]:
    """A module, and the classes and functions in it; expressions, most of a tree, are not walked."""
    pending: list[ast.AST] = [tree]
    for node in pending:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield node
        for block in BLOCKS:
            pending += getattr(node, block, [])
