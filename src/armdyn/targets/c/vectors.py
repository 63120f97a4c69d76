"""Test vectors: states, the interpreter's results for them, and tolerances for the rounding of other arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.base.errors import Unsupported
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import Program

Numbers = NDArray[Any]

STATES = 4
TRIES = 8
"""The number of states that are tried for each state in the result."""

ABSURD = 100.0
"""The largest tolerance, relative to results above one, in square roots of the rounding; larger ones test nothing."""

ROUNDINGS = 64
"""Tolerated roundings, relative to the largest number of a result, in addition to the measured effect of float32."""


class Vectors(NamedTuple):
    """States and results, flat: (states, inputs), (states, results), and a tolerance for each result array."""

    inputs: Numbers
    results: Numbers
    tolerances: list[float]


def vectors(
    program: Program,
    dtype: np.dtype[np.floating],
    states: int = STATES,
    arguments: Mapping[str, ArrayLike] = MappingProxyType({}),
) -> Vectors:
    """Deterministic states, between -1 and 1, and between 0.2 and 0.9 in the first half, with results and tolerances.

    The tolerance is four times the change by computing in float32, scaled to the rounding of ``dtype``. Results that
    overflow only in float32, e.g. a growing exponential at a step below zero, are expected to overflow there. States at
    which rounding decides are replaced: those with results of another size in float32, or with other results for
    inputs that differ in their last digit, e.g. near a step of the function.

    Args:
        program: the program to test.
        dtype: the type of the numbers in C.
        states: the number of states.
        arguments: values of inputs by their names, e.g. those of a motion, of shape (m, *shape of the input); they are
            repeated if there are fewer than states.

    Raises:
        Unsupported: if rounding decides the program's results at each of the states that are tried.
    """
    inputs = _inputs(program, dtype, states, arguments)
    results, rounded = interpret(program, *_arrays(program, inputs)), _in_float32(program, inputs)
    if dtype == np.float32:
        results = tuple(np.where(np.isfinite(s), r, s) for r, s in zip(results, rounded, strict=True))
    beside = interpret(program, *_arrays(program, _neighbours(inputs, dtype)))
    flat = [
        [_flat(one, port, len(inputs)) for one, port in zip(some, program.outputs, strict=True)]
        for some in (results, rounded, beside)
    ]
    indices = np.flatnonzero(_are_firm(len(inputs), dtype, *flat))[:states]
    if not len(indices):
        raise Unsupported(
            f"{program.name}: rounding decides its results at each of {len(inputs)} states, so that no test could tell "
            "right from wrong; export parts of it, or write the texts of `header` and `source` without a self-test"
        )
    tolerances = [
        float(_tolerances(dtype, r[indices], s[indices]).max(initial=0.0)) for r, s in zip(*flat[:2], strict=True)
    ]
    return Vectors(
        inputs[indices], np.hstack([np.empty((len(indices), 0)), *(r[indices] for r in flat[0])]), tolerances
    )


def _are_firm(
    states: int, dtype: np.dtype[np.floating], results: list[Numbers], rounded: list[Numbers], beside: list[Numbers]
) -> Numbers:
    """The mask of the states at which rounding does not decide the results."""
    firm = np.ones(states, dtype=bool)
    for r, s, b in zip(results, rounded, beside, strict=True):
        tolerance = _tolerances(dtype, r, s)
        firm &= tolerance <= ABSURD * np.sqrt(np.finfo(dtype).eps) * np.maximum(_largest(r), 1.0)
        firm &= _difference(r, b) <= tolerance
    return firm


def _tolerances(dtype: np.dtype[np.floating], results: Numbers, rounded: Numbers) -> Numbers:
    """The tolerance of each state's results."""
    eps = float(np.finfo(dtype).eps)
    unit = eps / float(np.finfo(np.float32).eps)
    return 4.0 * unit * _difference(results, rounded) + ROUNDINGS * eps * _largest(results)


def _inputs(program: Program, dtype: np.dtype[np.floating], states: int, arguments: Mapping[str, ArrayLike]) -> Numbers:
    """Numbers for more states than requested, (TRIES states, inputs), rounded to ``dtype``."""
    count = TRIES * states
    arrays = _arrays(program, _spread_numbers(count, states, sum(port.size for port in program.inputs)))
    for k, port in enumerate(program.inputs):
        if port.name in arguments:
            own = np.reshape(arguments[port.name], (-1, *port.shape))
            arrays[k] = own[np.arange(count) % len(own)]
    return np.hstack([np.empty((count, 0)), *(a.reshape(count, -1) for a in arrays)]).astype(dtype).astype(float)


def _neighbours(inputs: Numbers, dtype: np.dtype[np.floating]) -> Numbers:
    """The inputs with the last digit changed, up and down in turn."""
    towards = np.where(np.arange(inputs.size).reshape(inputs.shape) % 2, np.inf, -np.inf)
    return np.nextafter(inputs.astype(dtype), towards.astype(dtype)).astype(float)


def _in_float32(program: Program, inputs: Numbers) -> tuple[Numbers, ...]:
    return interpret(program, *_arrays(program, inputs), dtype=np.float32)


def _flat(values: Numbers, port: Port, states: int) -> Numbers:
    """A result for each state, (states, numbers)."""
    return np.broadcast_to(values, (states, *port.shape)).reshape(states, -1)


def _spread_numbers(states: int, period: int, count: int) -> Numbers:
    """Multiples of the golden section, mod 1: evenly spread and identical on every machine."""
    k = np.arange(1, states * count + 1).reshape(states, count)
    fractions = (k * 0.6180339887498949) % 1.0
    inside = np.arange(states)[:, None] % period < (period + 1) // 2
    return np.round(np.where(inside, 0.2 + 0.7 * fractions, 2.0 * fractions - 1.0), 4)


def _arrays(program: Program, inputs: Numbers) -> list[Numbers]:
    ends = np.cumsum([port.size for port in program.inputs])
    pieces = np.split(inputs, ends[:-1], axis=1) if len(ends) else []
    return [piece.reshape(len(inputs), *port.shape) for piece, port in zip(pieces, program.inputs, strict=True)]


def _difference(exact: Numbers, rounded: Numbers) -> Numbers:
    """The largest difference between finite numbers of each state."""
    is_finite = np.isfinite(exact) & np.isfinite(rounded)
    with np.errstate(invalid="ignore", over="ignore"):
        result: Numbers = np.where(is_finite, np.abs(exact - rounded), 0.0).max(axis=1, initial=0.0)
    return result


def _largest(values: Numbers) -> Numbers:
    result: Numbers = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=1, initial=0.0)
    return result
