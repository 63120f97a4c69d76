"""Guards: NaN in an input that the results do not depend on is not lost in compiled functions."""

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, guarded, interpret, trace
from armdyn.targets import compile_program


def first(x: np.ndarray) -> tuple[object, ...]:
    return x[0] * 2.0, 7.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_any_input_makes_what_is_not_constant_nan(wrong: float, position: int) -> None:
    program = guarded(trace(first, [Port("x", (3,))]))
    x = np.ones((5, 3))
    x[2, position] = wrong
    for value, constant in (interpret(program, x), compile_program(program)(x)):
        assert not np.isfinite(value[2])
        assert (np.delete(value, 2) == 2.0).all()
        assert (constant == 7.0).all()


def test_a_program_that_reads_everything_stays_as_it_is() -> None:
    program = trace(lambda x: x * 2.0, [Port("x", (3,))])
    assert guarded(program) is program


def test_guards_are_not_counted_and_not_in_the_robots_program() -> None:
    program = armdyn.load("ur5").mass_matrix.program()
    assert guarded(program).op_counts == program.op_counts
    assert not any(node[0] == "guard" for node in program.nodes)


def test_first_angle_of_an_arm_on_a_vertical_axis() -> None:
    robot = armdyn.load("ur5")
    q = np.zeros((4, 6))
    q[1, 0] = np.nan
    tau = robot.gravity_forces(q)
    assert np.isnan(tau[1, 1:4]).all()
    assert np.isfinite(tau[[0, 2, 3]]).all()
