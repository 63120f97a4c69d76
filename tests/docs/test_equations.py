"""docs/equations.md says what is so: every function it names exists, and every test."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
FUNCTIONS = sorted(set(re.findall(r"`(armdyn\.[\w.]+)`", PAGE)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", PAGE)))
ROWS = ["B", "D", "I", "S", "F", "T", "A", "K", "C", "M"]


def test_page_names_functions_and_tests_for_every_kind_of_row() -> None:
    assert len(FUNCTIONS) > 15
    assert len(TESTS) > 15
    for letter in ROWS:
        assert re.search(rf"^\| {letter}\d", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_exists(name: str) -> None:
    module, *attributes = name.split(".")
    found = importlib.import_module(module)
    for attribute in attributes:
        if not hasattr(found, attribute):
            found = importlib.import_module(f"{found.__name__}.{attribute}")
        else:
            found = getattr(found, attribute)
    assert found.__doc__


@pytest.mark.parametrize("name", TESTS)
def test_test_exists(name: str) -> None:
    file, _, function = name.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    tests = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert function in tests if function else tests
