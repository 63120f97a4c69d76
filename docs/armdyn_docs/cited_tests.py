"""Pages with the code of every test that a page of the documentation names, so that an equation leads to its test."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?")


def label_of_test(file: str, function: str | None) -> str:
    """The label under which the site shows a test.

    >>> label_of_test("tests/program/test_expr.py", "test_folding")
    'test-program-test_expr-test_folding'
    """
    return "-".join(
        ["test", *file.removeprefix("tests/").removesuffix(".py").split("/"), *([function] if function else [])]
    )


def cited(docs: Path) -> dict[str, list[str | None]]:
    """The tests that the pages name, by file; None stands for the whole file."""
    tests: dict[str, set[str | None]] = {}
    for page in sorted(docs.glob("*.md")):
        for found in re.findall(r"`(tests/[^`]+)`", page.read_text(encoding="utf-8")):
            if matched := TEST.fullmatch(found):
                tests.setdefault(matched[1], set()).add(matched[2])
    return {file: sorted(names, key=lambda name: name or "") for file, names in sorted(tests.items())}


def pages(docs: Path) -> Iterator[tuple[str, str]]:
    """A page for each folder of tests, and their list."""
    folders: dict[str, list[str]] = {}
    for file, names in cited(docs).items():
        folders.setdefault(file.split("/")[1], []).extend(_file(file, names))
    for folder, lines in folders.items():
        yield f"{folder}.md", "\n".join([f"# tests/{folder}", "", *lines])
    listed = ["```{toctree}", ":maxdepth: 1", "", *folders, "```", ""]
    yield (
        "index.md",
        "\n".join(["# The tests that pages name", "", "Each as it stands in the repository.", "", *listed]),
    )


def _file(file: str, names: list[str | None]) -> Iterator[str]:
    yield from [f"({label_of_test(file, None)})=", f"## {file}", ""]
    if None in names:
        yield from ["````python", (ROOT / file).read_text(encoding="utf-8").rstrip(), "````", ""]
    for name in names:
        if name is not None:
            yield from [f"({label_of_test(file, name)})=", f"### {name}", ""]
            yield from ["````python", source(ROOT / file, name), "````", ""]


def source(file: Path, function: str) -> str:
    """The code of a test with its decorators, as it stands in its file.

    Raises:
        LookupError: no such test in the file.
    """
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))
    raise LookupError(f"{file} has no test {function!r}, which a page of the documentation names")
