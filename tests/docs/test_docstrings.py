"""Every public name is documented; every function of a robot says what it is, in which unit and shape."""

import inspect
import re

import armdyn
from armdyn import algorithms
from armdyn.algorithms import Function
from armdyn.functions.compiled import OF_CALL

FUNCTIONS = {name: f for name in algorithms.__all__ if isinstance(f := getattr(algorithms, name), Function)}
UNIT = r"\b(N m|N|J|kg|m|rad)\b|lengths in m|twist"


def test_public_names_are_documented() -> None:
    for name in sorted(set(armdyn.__all__) - {"__version__"}):
        documentation = inspect.getdoc(getattr(armdyn, name))
        assert documentation, name
        assert documentation.splitlines()[0].endswith((".", ":")), name


def members() -> list[str]:
    return [name for name in vars(armdyn.Robot) if not name.startswith("_") and name != "model"]


def test_members_of_robot_are_documented() -> None:
    for name in members():
        assert inspect.getdoc(inspect.getattr_static(armdyn.Robot, name)), name


def test_first_line_names_quantity_symbol_unit_and_shape() -> None:
    for function in FUNCTIONS.values():
        first = inspect.getdoc(function).splitlines()[0]
        assert re.search(UNIT, first), first
        assert "shape (...," in first or "scalar" in first, first
        assert re.search(r"\(q", first), first


def test_every_argument_is_documented_with_unit_and_shape() -> None:
    for function in FUNCTIONS.values():
        text = inspect.getdoc(function)
        for argument in function.arguments:
            described = re.search(rf"^\s+{argument.name}: (.*)$", text, re.MULTILINE)
            assert described, argument.name
            assert "shape (..., " in described[1], described[1]
            assert re.search(UNIT, described[1]), described[1]
        for option in function.options:
            assert re.search(rf"^\s+{option}: ", text, re.MULTILINE), option


def test_declared_shape_is_the_documented_one() -> None:
    """(n,n) in the signature stands as (..., n, n) in the first line; of results of several shapes, all of them."""
    for function in FUNCTIONS.values():
        first = inspect.getdoc(function).splitlines()[0]
        shapes = {", ".join(map(str, shape)) for shape in function.outputs}
        assert set(re.findall(r"\(\.\.\., ([^)]*)\)", first)) == shapes - {""}


def test_cites_its_source() -> None:
    for name, function in FUNCTIONS.items():
        assert re.search(r"Modern Robotics \d|Craig \d|Featherstone 2008", inspect.getdoc(function)), name


def test_robot_has_it_as_a_method_of_the_same_documentation() -> None:
    robot = armdyn.load("planar_2r")
    for name, function in FUNCTIONS.items():
        assert getattr(armdyn.Robot, name) is function
        assert getattr(robot, name).__doc__ == f"{function.__doc__}{OF_CALL}"
