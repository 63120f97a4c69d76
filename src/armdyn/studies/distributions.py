"""Distributions of a sampled quantity, each by the inverse of its cumulative distribution function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.fields import set_fields
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError


@dataclass(frozen=True, eq=False)
class Distribution:
    """Independent components, each distributed by its own parameters.

    A parameter is one number for all components, or an array of the quantity's shape.
    """

    def at(self, probability: Array) -> Array:
        """The quantiles at these probabilities: the inverse of the cumulative distribution function.

        Args:
            probability: between 0 and 1, shape (runs, *shape).
        """
        raise NotImplementedError

    @property
    def parameters(self) -> Mapping[str, Array]:
        """Its parameters by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __post_init__(self) -> None:
        for name, value in self.parameters.items():
            set_fields(self, **{name: array(name, value, finite=StudyError)})
        self._check()

    def _check(self) -> None:
        """Raise for invalid parameters."""

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value.tolist()!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({text})"

    def _refuse(self, wrong: Array, expected: str) -> None:
        if np.any(wrong):
            raise StudyError(f"{self!r}: expected {expected}")


@dataclass(frozen=True, repr=False, eq=False)
class Uniform(Distribution):
    """Uniform distribution between two bounds.

    Args:
        low: the lower bound, in the unit of the quantity.
        high: the upper bound.

    >>> Uniform(0, 5).at(np.array([0.0, 0.5]))
    array([0. , 2.5])
    """

    low: ArrayLike
    high: ArrayLike

    def at(self, probability: Array) -> Array:  # noqa: D102 - of the base class
        low, high = np.asarray(self.low), np.asarray(self.high)
        return np.asarray(low + (high - low) * probability)

    def _check(self) -> None:
        self._refuse(np.asarray(self.low) > np.asarray(self.high), "low <= high")


@dataclass(frozen=True, repr=False, eq=False)
class LogUniform(Distribution):
    """Log-uniform distribution, for gains or masses over several orders of magnitude.

    Args:
        low: the lower bound, above zero, in the unit of the quantity.
        high: the upper bound.

    >>> LogUniform(1, 100).at(np.array(0.5)).round(12)
    np.float64(10.0)
    """

    low: ArrayLike
    high: ArrayLike

    def at(self, probability: Array) -> Array:  # noqa: D102 - of the base class
        low, high = np.log(self.low), np.log(self.high)
        return np.asarray(np.exp(low + (high - low) * probability))

    def _check(self) -> None:
        self._refuse((np.asarray(self.low) <= 0) | (np.asarray(self.low) > np.asarray(self.high)), "0 < low <= high")


@dataclass(frozen=True, repr=False, eq=False)
class Normal(Distribution):
    """The normal (Gaussian) distribution.

    Args:
        mean: in the unit of the quantity.
        std: the standard deviation, not below zero.

    >>> Normal(1, 2).at(np.array([0.5, 0.8413447460685429])).round(12)
    array([1., 3.])
    """

    mean: ArrayLike
    std: ArrayLike

    def at(self, probability: Array) -> Array:  # noqa: D102 - of the base class
        from scipy.special import ndtri  # noqa: PLC0415 - slow to import

        return np.asarray(np.asarray(self.mean) + np.asarray(self.std) * ndtri(probability))

    def _check(self) -> None:
        self._refuse(np.asarray(self.std) < 0, "std >= 0")
