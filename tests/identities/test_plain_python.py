"""The plain algorithms on floats are the slow reference of what is traced, interpreted and compiled from them."""

import numpy as np
import pytest
from oracles.cases import Case
from oracles.states import assert_close, random_states

from armdyn import algorithms
from armdyn.algorithms import Function
from armdyn.program import interpret

FUNCTIONS = {name: getattr(algorithms, name) for name in algorithms.__all__}
FUNCTIONS = {name: value for name, value in FUNCTIONS.items() if isinstance(value, Function)}


def arguments(function: Function, case: Case) -> dict[str, np.ndarray]:
    s = random_states(case.n, 4, seed=71)._asdict()
    return {a.name: s[a.name] for a in function.arguments}


def test_every_algorithm_is_here() -> None:
    assert len(FUNCTIONS) == 12


@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_traced_and_compiled_agree(name: str, case: Case) -> None:
    function = FUNCTIONS[name]
    given = arguments(function, case)
    plain = np.array([function(case.robot.mechanism, *x) for x in zip(*given.values(), strict=True)], dtype=float)
    method = getattr(case.robot, name)
    program = method.program(given=given)
    (interpreted,) = interpret(program, *given.values())
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(given["q"])) if "forward_d" in name else 1.0
    relative = max(1e-12, 1e-16 * condition)
    assert_close(interpreted, plain, relative)
    assert_close(method(*given.values()), plain, relative)
