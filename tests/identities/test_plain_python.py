"""The plain algorithms on floats are the slow reference of what is traced, interpreted and compiled from them."""

import numpy as np
import pytest

from armdyn import algorithms
from armdyn.algorithms import Function
from armdyn.program import interpret
from oracles.cases import Case
from oracles.states import as_tuple, assert_close, general_arguments

FUNCTIONS = {name: getattr(algorithms, name) for name in algorithms.__all__}
FUNCTIONS = {name: value for name, value in FUNCTIONS.items() if isinstance(value, Function)}
FUNCTIONS = {name: value for name, value in FUNCTIONS.items() if not value.required_options}


def test_the_algorithms_are_here() -> None:
    assert {"inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian"} < set(FUNCTIONS)


@pytest.mark.short_run(
    without=(
        "random_tree-closed_form",
        "random_tree-forward_dynamics_derivatives",
        "random_tree-inverse_dynamics_derivatives",
        "random_tree-lagrangian_gradient_regressor",
        "random_tree-regressor",
        "ur5-closed_form",
        "ur5-forward_dynamics_derivatives",
        "ur5-inverse_dynamics_derivatives",
        "ur5-lagrangian_gradient_regressor",
        "ur5-momentum_regressor",
        "ur5-regressor",
        "random_tree-momentum_regressor",
        "random_tree-forward_dynamics",
    )
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_traced_and_compiled_agree(name: str, case: Case) -> None:
    function, method = FUNCTIONS[name], getattr(case.robot, name)
    given = general_arguments(function, case.robot, count=4, seed=71)
    plain = [as_tuple(function(case.robot.mechanism, *x)) for x in zip(*given.values(), strict=True)]
    expected = [np.array(results, dtype=float) for results in zip(*plain, strict=True)]
    interpreted = interpret(method.program(optional_inputs=given), *given.values())
    compiled = as_tuple(method(*given.values()))
    solves = name.startswith(("forward_dynamics", "constrained"))
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(given["q"])) if solves else 1.0
    relative = max(1e-12, 1e-16 * condition)
    for one, two, three in zip(expected, interpreted, compiled, strict=True):
        assert_close(two, one, relative, floor=1e-2)
        assert_close(three, one, relative, floor=1e-2)
