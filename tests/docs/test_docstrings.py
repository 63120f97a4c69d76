"""Every public name is documented; every function of a robot says what it is, in which unit and shape."""

import inspect
import re

import pytest

import armdyn
from armdyn import algorithms
from armdyn.algorithms import Function

FUNCTIONS = {name: f for name in algorithms.__all__ if isinstance(f := getattr(algorithms, name), Function)}
UNIT = r"\b(N m|N|J|kg|m|rad)\b|lengths in m|twist"


@pytest.mark.parametrize("name", sorted(set(armdyn.__all__) - {"__version__"}))
def test_public_name_is_documented(name: str) -> None:
    documentation = inspect.getdoc(getattr(armdyn, name))
    assert documentation
    assert documentation.splitlines()[0].endswith((".", ":"))


def members() -> list[str]:
    return [name for name in vars(armdyn.Robot) if not name.startswith("_") and name != "model"]


@pytest.mark.parametrize("name", members())
def test_member_of_robot_is_documented(name: str) -> None:
    assert inspect.getdoc(inspect.getattr_static(armdyn.Robot, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_line_names_quantity_symbol_unit_and_shape(name: str) -> None:
    first = inspect.getdoc(FUNCTIONS[name]).splitlines()[0]
    assert re.search(UNIT, first), first
    assert "shape (...," in first or "scalar" in first, first
    assert re.search(r"\(q", first), first


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_is_documented_with_unit_and_shape(name: str) -> None:
    function, text = FUNCTIONS[name], inspect.getdoc(FUNCTIONS[name])
    for argument in function.arguments:
        described = re.search(rf"^\s+{argument.name}: (.*)$", text, re.MULTILINE)
        assert described, argument.name
        assert "shape (..., " in described[1], described[1]
        assert re.search(UNIT, described[1]), described[1]
    for option in function.options:
        assert re.search(rf"^\s+{option}: ", text, re.MULTILINE), option


@pytest.mark.parametrize("name", FUNCTIONS)
def test_declared_shape_is_the_documented_one(name: str) -> None:
    """(n,n) in the signature stands as (..., n, n) in the first line; of results of several shapes, all of them."""
    first = inspect.getdoc(FUNCTIONS[name]).splitlines()[0]
    shapes = {", ".join(map(str, shape)) for shape in FUNCTIONS[name].outputs}
    assert set(re.findall(r"\(\.\.\., ([^)]*)\)", first)) == shapes - {""}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_cites_its_source(name: str) -> None:
    assert re.search(r"Modern Robotics \d|Craig \d|Featherstone 2008", inspect.getdoc(FUNCTIONS[name]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_robot_has_it_as_a_method_of_the_same_documentation(name: str) -> None:
    assert getattr(armdyn.Robot, name) is FUNCTIONS[name]
    assert getattr(armdyn.load("planar_2r"), name).__doc__ == FUNCTIONS[name].__doc__
