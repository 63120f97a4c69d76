"""Test vectors: states, what the interpreter computes for them, and how far rounding may take other arithmetic."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armdyn.program.interpret import interpret
from armdyn.program.program import Program

STATES = 4
ROUNDINGS = 64
"""Roundings, relative to the largest number of a result, that are allowed on top of what float32 was seen to make."""


class Vectors(NamedTuple):
    """States and results, flat: (states, inputs), (states, results), and a tolerance for each result array."""

    inputs: NDArray[Any]
    results: NDArray[Any]
    tolerances: list[float]


def vectors(program: Program, dtype: np.dtype[np.floating], states: int = STATES) -> Vectors:
    """The same numbers wherever they are made, between -1 and 1, and between 0.2 and 0.9 in the first half.

    The tolerance is four times what computing in float32 changes, scaled to the rounding of ``dtype``. What overflows
    in float32 alone, as a growing exponential at a step below zero, is expected to overflow there.
    """
    inputs = _spread(states, sum(port.size for port in program.inputs)).astype(dtype).astype(float)
    given = _arrays(program, inputs)
    results, rounded = interpret(program, *given), interpret(program, *given, dtype=np.float32)
    if dtype == np.float32:
        results = tuple(np.where(np.isfinite(s), r, s) for r, s in zip(results, rounded, strict=True))
    unit = float(np.finfo(dtype).eps / np.finfo(np.float32).eps)
    shaped = [
        np.broadcast_to(r, (states, *p.shape)).reshape(states, -1)
        for r, p in zip(results, program.outputs, strict=True)
    ]
    tolerances = [
        4.0 * unit * _difference(r, s) + ROUNDINGS * float(np.finfo(dtype).eps) * _largest(r)
        for r, s in zip(results, rounded, strict=True)
    ]
    return Vectors(inputs, np.hstack([np.empty((states, 0)), *shaped]), tolerances)


def _spread(states: int, count: int) -> NDArray[Any]:
    """Multiples of the golden section, mod 1: well spread and the same on every machine."""
    k = np.arange(1, states * count + 1).reshape(states, count)
    fractions = (k * 0.6180339887498949) % 1.0
    inside = np.arange(states)[:, None] < (states + 1) // 2
    return np.round(np.where(inside, 0.2 + 0.7 * fractions, 2.0 * fractions - 1.0), 4)


def _arrays(program: Program, inputs: NDArray[Any]) -> list[NDArray[Any]]:
    ends = np.cumsum([port.size for port in program.inputs])
    pieces = np.split(inputs, ends[:-1], axis=1) if len(ends) else []
    return [piece.reshape(len(inputs), *port.shape) for piece, port in zip(pieces, program.inputs, strict=True)]


def _difference(exact: NDArray[Any], rounded: NDArray[Any]) -> float:
    known = np.isfinite(exact) & np.isfinite(rounded)
    return float(np.abs(exact[known] - rounded[known]).max(initial=0.0))


def _largest(values: NDArray[Any]) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
