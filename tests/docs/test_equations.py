"""docs/equations.md says what is so: every function it names exists, and every test; and it leaves out no method."""

import ast
import functools
import importlib
import re
from pathlib import Path

import armdyn
from armdyn import constraints

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
FUNCTIONS = sorted(set(re.findall(r"`(armdyn\.[\w.]+)`", PAGE)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", PAGE)))
ROWS = ["B", "D", "I", "S", "F", "T", "A", "K", "C", "M"]

NO_EQUATIONS = {
    "Robot.with_tip": "what f_tip and the Jacobian are about",
    "Robot.plot": "a picture",
    "Robot.view": "a view",
    "Robot.to_page": "a page",
    "Robot.random_configuration": "random numbers within limits",
    "Robot.simulate": "armdyn.simulate, which has rows",
    "Robot.to_c": "source code of equations that have rows",
    "Robot.to_fmu": "a file of equations that have rows",
    "constraints.Constraint": "what all kinds have in common",
    "constraints.Row": "the name and unit of a row",
    "constraints.ConstrainedMotion": "a result",
    "constraints.ConstraintRank": "a result",
    "constraints.DrivenForces": "a result",
    "constraints.Equations": "a result",
    "constraints.checked_acceleration_projection": "as of Robot's method, which calls it",
    "constraints.checked_force_projection": "as of Robot's method, which calls it",
    "constraints.checked_forward_dynamics": "as of Robot's method, which calls it",
    "constraints.checked_hybrid_forces": "as of Robot's method, which calls it",
    "constraints.checked_inverse_dynamics": "as of Robot's method, which calls it",
    "constraints.independent_constraints": "of Robot.with_independent_constraints",
    "constraints.State": "what equations are made of",
    "constraints.ConstraintError": "an error",
    "constraints.ContradictingConstraints": "an error",
    "constraints.InconsistentMotion": "an error",
    "constraints.OpenLoop": "an error",
    "constraints.RedundantConstraints": "an error",
    "constraints.SingularState": "an error",
}
"""What is public and has no row, with the reason."""

METHODS = [f"Robot.{name}" for name in dir(armdyn.Robot) if name[0] != "_" and callable(getattr(armdyn.Robot, name))]
OF_CONSTRAINTS = [f"constraints.{name}" for name in constraints.__all__ if not hasattr(armdyn.Robot, name)]


def test_page_names_functions_and_tests_for_every_kind_of_row() -> None:
    assert len(FUNCTIONS) > 15
    assert len(TESTS) > 15
    for letter in ROWS:
        assert re.search(rf"^\| {letter}\d", PAGE, re.MULTILINE)


def test_functions_exist() -> None:
    """All in one test, as all other names of the page: a test of its own for each costs ten times as much."""
    undocumented = [name for name in FUNCTIONS if not named(name).__doc__]
    assert not undocumented


def named(name: str) -> object:
    module, *attributes = name.split(".")
    found = importlib.import_module(module)
    for attribute in attributes:
        if not hasattr(found, attribute):
            found = importlib.import_module(f"{found.__name__}.{attribute}")
        else:
            found = getattr(found, attribute)
    return found


def test_tests_exist() -> None:
    missing = []
    for name in TESTS:
        file, _, function = name.partition("::")
        if not (function in names_in(file) if function else names_in(file)):
            missing.append(name)
    assert not missing


@functools.cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_methods_and_constraints_are_found() -> None:
    assert {"Robot.inverse_dynamics", "Robot.with_mimic", "Robot.close_loop"} <= {*METHODS}
    assert {"constraints.Distance", "constraints.weld", "constraints.Pfaffian"} <= {*OF_CONSTRAINTS}
    assert "Robot.dof" not in METHODS
    assert {*NO_EQUATIONS} <= {*METHODS, *OF_CONSTRAINTS}, "what does not exist needs no reason"


def test_what_is_public_is_on_the_page() -> None:
    public = [*METHODS, *OF_CONSTRAINTS]
    assert [name for name in public if f"armdyn.{name}" not in FUNCTIONS] == [n for n in public if n in NO_EQUATIONS]
