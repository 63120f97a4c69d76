"""e^(-x^y) of vectors: right to some 2^-53 absolutely, of all numbers; and where it is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from armdyn.actuators.stribeck import decay
from armdyn.program import Port, Program, derivative, less, maximum, select, trace
from armdyn.targets.llvm.decay import OPERATION, SMALLEST, is_never_negative, with_decays
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.llvm.power import has_power
from armdyn.targets.llvm.vectors import Vector
from program.test_llvm import compiled_for, narrower_machines

MACHINES = [host(), *narrower_machines()]
SPECIAL = [0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 2.0**-1022, 1e308]
NEVER_NEGATIVE: dict[str, Callable[[Any, Any], Any]] = {
    "a size": lambda x, y: abs(x),
    "of two": lambda x, y: abs(x) * abs(y),
    "above 0": lambda x, y: maximum(x, 0.0),
    "above a size": lambda x, y: maximum(abs(y), x),
    "a part": lambda x, y: 2.5 * maximum(x, 1e-300),
    "chosen": lambda x, y: select(less(x, y), abs(x), np.exp(y)),
}
VECTORS = [Vector("double", 4, has_fma=True), Vector("double", 2, has_fma=False), Vector("float", 8, has_fma=True)]


def decays(*exponents: float) -> Program:
    """A result of each exponent, of the same number."""
    return trace(lambda x: np.array([np.exp(-(x[0] ** y)) for y in exponents]), [Port("x", (1,))], name="decays")


def speeds(rng: np.random.Generator, exponent: float, count: int) -> np.ndarray:
    """Results from 1 down to 1e-300 and below; bases of all sizes; bases near 1."""
    usual = np.exp(rng.uniform(-8.0, 6.9, count) / exponent)
    return np.concatenate([usual, 10.0 ** rng.uniform(-307.0, 300.0, count), 1.0 + rng.uniform(-1e-3, 1e-3, count)])


@pytest.mark.parametrize("exponent", [1.0 / 16.0, 0.3, 0.9999, 1.3, 2.718, 33.7, 63.9])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_against_exact_numbers(exponent: float, machine: Machine) -> None:
    """By the size of the result and the part of it that an error of p = x^y, some roundings of log p, may change."""
    x = speeds(np.random.default_rng(5), exponent, 100)
    found = compiled_for(decays(exponent), machine, "d")(x[:, None])[:, 0]
    with mpmath.workprec(160):
        for base, value in zip(x.tolist(), found.tolist(), strict=True):
            p = mpmath.mpf(base) ** mpmath.mpf(exponent)
            exact = mpmath.exp(-p)
            assert abs(value - exact) <= 2.0**-51
            roundings = 1.0 + p * (2.0 + 2.0 * abs(mpmath.log(p)))
            assert abs(value - exact) <= 2.0**-52 * roundings * exact + SMALLEST


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_what_has_no_logarithm(machine: Machine) -> None:
    """Zeros, negative and infinite bases, NaN, numbers without all digits: as NumPy's, to a rounding."""
    exponents = np.array([0.0625, 0.3, 1.7, 2.5, 63.9])
    base = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        expected = np.exp(-np.power(base[:, None], exponents))
    found = compiled_for(decays(*exponents), machine, "d")(base[:, None])
    np.testing.assert_allclose(found, expected, rtol=2.0**-51, atol=2.0**-1000)
    np.testing.assert_array_equal(found[base == 0.0], 1.0)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_numbers_that_are_never_negative(machine: Machine) -> None:
    """They take fewer instructions, for the same results in every bit; zeros and NaN may have a sign."""
    exponents = (0.0625, 1.7, 63.9)

    def bases(x: Any) -> list[Any]:
        return [number(x[0], x[1]) for number in NEVER_NEGATIVE.values()]

    both = (
        trace(lambda x: np.array(bases(x)), [Port("x", (2,))], name="bases"),
        trace(
            lambda x: np.array([[np.exp(-(base**y)) for y in exponents] for base in bases(x)]),
            [Port("x", (2,))],
            name="curves",
        ),
    )
    special = np.array([*SPECIAL, -np.nan, -5e-324])
    pairs = np.stack(np.meshgrid(special, special), axis=-1).reshape(-1, 2)
    x = np.concatenate([pairs, speeds(np.random.default_rng(6), 1.7, 100).reshape(-1, 2) * [1.0, -1.0]])
    with np.errstate(all="ignore"):
        numbers, found = (compiled_for(program, machine, "d")(x) for program in both)
        expected = compiled_for(decays(*exponents), machine, "d")(numbers[..., None])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        *((number, True) for number in NEVER_NEGATIVE.values()),
        (lambda x, y: maximum(x, -1e-300), False),
        (maximum, False),
        (lambda x, y: abs(x) * y, False),
        (lambda x, y: abs(x) - abs(y), False),
        (lambda x, y: select(abs(x), x, abs(y)), False),
        (lambda x, y: x, False),
    ],
)
def test_which_numbers_are_never_negative(number: Callable[[Any, Any], Any], expected: bool) -> None:
    traced = trace(lambda x: np.array([number(x[0], x[1])]), [Port("x", (2,))], name="some")
    assert is_never_negative(traced.nodes, traced.results[0]) is expected


def test_a_state_does_not_depend_on_its_group() -> None:
    ufunc, rng = compiled_for(decays(1.3, 0.4), host(), "d"), np.random.default_rng(4)
    x = speeds(rng, 1.3, 40)[:, None]
    x[rng.random(len(x)) < 0.2] = -1.0
    x[rng.random(len(x)) < 0.2] = 0.0
    np.testing.assert_array_equal(ufunc(x), np.array([ufunc(one) for one in x]))


@pytest.mark.parametrize("exponent", [0.7, 1.0, 1.3, 2.0, 2.7])
def test_stribecks_curve_and_its_slope(exponent: float) -> None:
    """At rest, just above it and at all speeds, and the derivative of the compiled curve."""
    curve = trace(lambda x: np.array([decay(x[0], 0.4, exponent)]), [Port("x", (1,))], name="decay")
    slope = trace(
        lambda x: np.array([derivative(lambda y: decay(y[0], 0.4, exponent), x)[0]]), [Port("x", (1,))], name="slope"
    )
    speeds = np.concatenate([[0.0, 5e-324, 1e-310, 1e-200, 1e-20], 10.0 ** np.linspace(-8.0, 1.0, 61)])
    found, slopes = (compiled_for(one, host(), "d")(speeds[:, None])[:, 0] for one in (curve, slope))
    with mpmath.workprec(160):
        for speed, value, by_speed in zip(speeds.tolist(), found.tolist(), slopes.tolist(), strict=True):
            ratio = mpmath.mpf(speed) / mpmath.mpf(0.4)
            p = ratio**exponent
            assert abs(value - mpmath.exp(-p)) <= 2.0**-51
            exact = -exponent * p / mpmath.mpf(speed) * mpmath.exp(-p) if speed > 0.0 else 0.0
            has_slope, has_digits = speed > 0.0 or exponent != 1.0, speed == 0.0 or speed > 1e-300
            if has_slope and has_digits:
                assert abs(by_speed - exact) <= 2.0**-50 * (1.0 + abs(exact))


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_it_takes_the_place_of_an_exponential_of_a_power(vector: Vector) -> None:
    """Of others nothing changes, and a power that is read elsewhere stays."""

    def operations(function: object) -> list[str]:
        traced = trace(function, [Port("x", (2,))], name="some")  # type: ignore[arg-type]
        nodes = with_decays(traced, vector).nodes
        assert len(nodes) == len(traced.nodes)
        return [str(node[0]) for node in nodes if node[0] not in ("input", "const")]

    decay = [OPERATION] if has_power(vector) else ["pow", "neg", "exp"]
    assert operations(lambda x: np.array([np.exp(-(x[0] ** 1.3))])) == decay
    both = operations(lambda x: np.array([np.exp(-(x[0] ** 1.3)), x[0] ** 1.3]))
    assert both == (["pow", OPERATION] if has_power(vector) else ["pow", "neg", "exp"])
    for others in (lambda x: x[0] ** x[1], lambda x: x[0] ** 0.01, lambda x: x[0] ** 65.5, lambda x: x[0] ** -1.3):
        assert operations(lambda x, power=others: np.array([np.exp(-power(x))])) == ["pow", "neg", "exp"]
    assert operations(lambda x: np.array([np.exp(x[0] ** 1.3)])) == ["pow", "exp"]
    assert operations(lambda x: np.array([np.exp(-(x[0] * x[1]))])) == ["mul", "neg", "exp"]
