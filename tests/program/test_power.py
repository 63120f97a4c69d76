"""Powers of vectors: right to a unit of the last place, and beyond the fast path those of libm."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from armdyn.program import Port, Program, trace
from armdyn.targets.llvm.machine import Machine, host
from program.test_llvm import compiled_for, narrower_machines

MACHINES = [host(), *narrower_machines()]
SPECIAL = [0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 1e308]


@pytest.fixture(scope="module")
def program() -> Program:
    return trace(lambda x: x[0] ** x[1], [Port("x", (2,))], name="power")


def bases_and_exponents(rng: np.random.Generator, count: int) -> np.ndarray:
    """Bases near one with large exponents, of all sizes with moderate ones, small ones as friction has them."""
    near = np.stack([1.0 + rng.uniform(-1e-3, 1e-3, count), rng.uniform(-3e5, 3e5, count)], axis=1)
    large = np.stack([np.exp(rng.uniform(-300.0, 300.0, count)), rng.uniform(-2.3, 2.3, count)], axis=1)
    usual = np.stack([rng.uniform(0.0, 3.0, count), rng.uniform(0.3, 4.0, count)], axis=1)
    return np.concatenate([near, large, usual])


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_against_exact_powers(program: Program, machine: Machine) -> None:
    x = bases_and_exponents(np.random.default_rng(3), 400)
    found = compiled_for(program, machine, "d")(x)
    with mpmath.workprec(160):
        for (base, exponent), value in zip(x.tolist(), found.tolist(), strict=True):
            exact = mpmath.mpf(base) ** mpmath.mpf(exponent)
            assert abs(value - exact) <= 2.0**-52 * exact


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_what_has_no_logarithm_or_no_room(program: Program, machine: Machine) -> None:
    """Zeros, negative and infinite bases, NaN, numbers without all digits, overflow and underflow: as NumPy's."""
    base, exponent = map(np.ravel, np.meshgrid(SPECIAL, [*SPECIAL, 3.0, -3.0, 0.3, 1e5, -1e5]))
    with np.errstate(all="ignore"):
        expected = np.power(base, exponent)
    np.testing.assert_array_equal(compiled_for(program, machine, "d")(np.stack([base, exponent], axis=1)), expected)


def test_a_state_does_not_depend_on_its_group(program: Program) -> None:
    ufunc, rng = compiled_for(program, host(), "d"), np.random.default_rng(4)
    x = bases_and_exponents(rng, 40)
    x[rng.random(len(x)) < 0.2, 0] = -1.0  # for libm
    x[rng.random(len(x)) < 0.2, 0] = 0.0
    np.testing.assert_array_equal(ufunc(x), np.array([ufunc(one) for one in x]))
