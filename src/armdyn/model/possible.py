"""Possible values of a model's parameters: no body and no joint has negative masses, inertias or friction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""Tolerance by which a moment may be negative, relative to the largest principal moment."""

Place = Callable[[tuple[int, ...]], str]
"""The place in an array of a value, in words: " of state (3,)"; empty if there is one."""


def check_possible(
    values: Mapping[str, Any], place: Place | None = None, error: Callable[[str], Exception] = ModelError
) -> None:
    """Refuse values of parameters that no robot has; NaN passes.

    Args:
        values: arrays of shape (..., *shape), by the names of `armdyn.model.parameters`.
        place: index of one of several values, in words.
        error: function from a message to its error.
    """
    for name, value in values.items():
        quantity = name.rpartition(".")[2]
        if quantity in ("gravity", "com"):
            continue
        numbers, subject = np.asarray(value), name
        if quantity == "inertia":
            numbers, subject = _least_moments(numbers), f"the smallest principal moment of {name}"
        if (numbers < 0.0).any():
            index = tuple(map(int, np.argwhere(numbers < 0.0)[0]))
            where = "" if not index else f" of state {index}" if place is None else place(index)
            raise error(f"{subject}{where} is {numbers[index]:.6g}; expected 0 or more, for no robot has less")


def _least_moments(tensors: Array) -> Array:
    """The smallest principal moment of each tensor, shape (..., 3, 3); zero if it is zero to rounding, or NaN."""
    finite = np.isfinite(tensors).all(axis=(-2, -1), keepdims=True)
    moments = np.linalg.eigvalsh(0.5 * np.where(finite, tensors + np.swapaxes(tensors, -2, -1), 0.0))
    least: Array = moments[..., 0]
    return np.where(least < -ROUNDING * np.abs(moments).max(axis=-1), least, 0.0)
