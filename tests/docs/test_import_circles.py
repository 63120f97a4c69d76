"""No more than two modules import each other in a circle, imports for types alone and inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LARGEST = 2
"""A class and the module of its long methods may know each other; a third module could not be read without both."""

Graph = Mapping[str, set[str]]


def modules() -> dict[str, Path]:
    """The files of all modules, by dotted name."""
    paths = {path.relative_to(SOURCE).with_suffix(""): path for path in (SOURCE / "armdyn").rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in paths.items()}


def imported(node: ast.AST, *, in_functions: bool) -> Iterator[str]:
    """The dotted names that importing a module imports, and those under TYPE_CHECKING."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.stmt | ast.excepthandler) and (
            in_functions or not isinstance(child, ast.FunctionDef)
        ):
            yield from imported(child, in_functions=in_functions)


@cache
def names_imported(path: Path) -> dict[bool, set[str]]:
    """Imported names, by ``in_functions``. The tree is not kept, because garbage collections would traverse it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {in_functions: set(imported(tree, in_functions=in_functions)) for in_functions in (False, True)}


def import_graph(*, in_functions: bool) -> Graph:
    """The modules that each module imports, those imported inside functions too if ``in_functions``."""
    known = modules()
    graph = {}
    for module, path in known.items():
        found = set()
        for name in names_imported(path)[in_functions]:
            found.add(name if name in known else name.rpartition(".")[0])
        graph[module] = found & known.keys() - {module}
    return graph


def circles(graph: Graph) -> list[set[str]]:
    """The strongly connected components of two or more modules (Tarjan 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: list[str] = []
    found = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        open_ones.append(module)
        for other in graph[module]:
            if other not in number:
                visit(other)
            if other in open_ones:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            place = open_ones.index(module)
            found.append(set(open_ones[place:]))
            del open_ones[place:]

    for module in graph:
        if module not in number:
            visit(module)
    return [circle for circle in found if len(circle) > 1]


def large_circles(graph: Graph) -> list[str]:
    """One line for each module of a circle of more than `LARGEST`."""
    return [
        f"{module} imports {', '.join(sorted(graph[module] & circle))}"
        for circle in circles(graph)
        if len(circle) > LARGEST
        for module in sorted(circle)
    ]


def test_circles_are_small() -> None:
    for in_functions in (False, True):  # in one test, because each process parses all modules first
        graph = import_graph(in_functions=in_functions)
        assert len(graph) > 700
        large = large_circles(graph)
        assert not large, "\n".join(large)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, [{"a", "b", "c"}]),
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b", "c"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, [{"a", "b"}, {"c", "d"}]),
    ],
)
def test_circles_of_known_graphs(graph: Graph, expected: list[set[str]]) -> None:
    found = circles(graph)
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
