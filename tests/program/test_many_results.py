"""Programs with thousands of results, most of them constants, inputs or values of earlier sections."""

import numpy as np
import pytest

from armdyn.program import Port, Program, interpret, trace
from armdyn.targets import compile_program
from armdyn.targets.kernels import MOST_RESULTS


def scattered(size: int) -> Program:
    """Zeros and other constants, inputs, sines, sums, each many times over."""

    def function(x: np.ndarray) -> np.ndarray:
        entries = [0.0, x[0], np.sin(x[1]), x[0] + x[1], 2.5, x[0] * np.sin(x[1])]
        results = np.zeros(size, dtype=object)
        for k in range(size):
            results[k] = entries[(k * k) % len(entries)] * (1.0 if k % 7 else 0.0)
        return results

    return trace(function, [Port("x", (2,))], name=f"scattered_{size}")


@pytest.mark.short_run(without=("float64-1500", "float64-202", "float32-1500", "float32-202"))
@pytest.mark.parametrize("size", [99, 100, 101, 202, 1500])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_of_them_arrive(size: int, dtype: type) -> None:
    program = scattered(size)
    x = np.random.default_rng(size).normal(size=(13, 2)).astype(dtype)
    compiled = compile_program(program, cache=False)(x)
    assert compiled.dtype == dtype
    np.testing.assert_allclose(compiled, interpret(program, x)[0], rtol=1e-6 if dtype == np.float32 else 1e-15)


def test_too_many_for_machine_code_are_interpreted() -> None:
    program = scattered(MOST_RESULTS + 1)
    x = np.random.default_rng(1).normal(size=(3, 2))
    np.testing.assert_array_equal(compile_program(program, cache=False)(x), interpret(program, x)[0])


@pytest.mark.slow
def test_inputs_that_nothing_reads_have_their_place() -> None:
    """They are loaded with the others, so there must be room for them."""
    ports = [Port("x", (3,)), Port("y", (4000,))]
    compiled = compile_program(trace(lambda x, y: x * 1.0, ports, name="unread"), cache=False)
    x = np.random.default_rng(2).normal(size=(50, 3))
    np.testing.assert_array_equal(compiled(x, np.ones((50, 4000))), x)
