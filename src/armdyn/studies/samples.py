"""Samples, one per run: listed values, a grid, or numbers drawn from distributions.

The numbers of run k do not depend on the chunks: values are found by the number of the run.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, whole_number
from armdyn.base.errors import ShapeError, excerpt
from armdyn.base.fields import set_fields
from armdyn.spatial.rotations import Array
from armdyn.studies.distributions import Distribution
from armdyn.studies.errors import StudyError

LARGEST = 100_000_000
"""The largest number of runs of a study."""

Shapes = Mapping[str, tuple[int, ...]]
Rename = Callable[[Mapping[str, Any]], dict[str, Any]]


class StudySamples(Protocol):
    """The samples of a study."""

    @property
    def runs(self) -> int:
        """The number of runs."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied arrays."""

    @property
    def digest(self) -> str:
        """A text that differs if any number of any run differs."""

    def renamed(self, rename: Rename) -> StudySamples:
        """The samples with other names: ``rename`` makes one mapping of another."""

    def shape_of(self, name: str) -> tuple[int, ...] | None:
        """The shape of one value; None if it is that of its quantity."""

    def check(self, shapes: Shapes) -> None:
        """Raise a `ShapeError` if a value does not have the shape of its quantity."""

    def of(self, runs: range, shapes: Shapes) -> dict[str, Array]:
        """The values of some runs, each of shape (runs, *shape)."""


def check_runs(runs: int) -> None:
    """Raise a `StudyError` if a study has more runs than `LARGEST`."""
    if runs > LARGEST:
        raise StudyError(
            f"a study of {excerpt(runs)} runs; expected {LARGEST:,} at most. Draw fewer, or take fewer values along "
            "each axis of a grid"
        )


@dataclass(frozen=True, eq=False)
class SampleArrays:
    """A value for each run.

    Args:
        values: arrays of shape (runs, *shape) by name.
    """

    values: Mapping[str, Any]

    def __post_init__(self) -> None:
        set_fields(self, values=_arrays(self.values, "a value for each run"))
        lengths = {name: len(value) for name, value in self.values.items()}
        if len(set(lengths.values())) > 1:
            text = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise ShapeError(f"samples differ in their number of runs: {text}. For every combination, use grid()")

    @property
    def runs(self) -> int:  # noqa: D102 - of the protocol, as all below
        return len(next(iter(self.values.values())))

    @property
    def names(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(self.values)

    @property
    def digest(self) -> str:  # noqa: D102
        return digest_of("given", self.values)

    def renamed(self, rename: Rename) -> SampleArrays:  # noqa: D102
        return dataclasses.replace(self, values=rename(self.values))

    def shape_of(self, name: str) -> tuple[int, ...] | None:  # noqa: D102
        value: Array = self.values[name]
        return value.shape[1:]

    def check(self, shapes: Shapes) -> None:  # noqa: D102
        _check_shapes(self.values, shapes, "runs")

    def of(self, runs: range, shapes: Shapes) -> dict[str, Array]:  # noqa: D102
        return {name: value[runs.start : runs.stop] for name, value in self.values.items()}


@dataclass(frozen=True, eq=False)
class Grid:
    """Every combination of some values; those of the last name change from run to run.

    Args:
        axes: arrays of shape (values, *shape) by name.
    """

    axes: Mapping[str, Any]

    def __post_init__(self) -> None:
        set_fields(self, axes=_arrays(self.axes, "the values of an axis"))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each axis: results of shape (runs, ...) can be reshaped to ``(*shape, ...)``."""
        return tuple(map(len, self.axes.values()))

    @property
    def runs(self) -> int:  # noqa: D102 - of the protocol, as all below
        return math.prod(self.shape)

    @property
    def names(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(self.axes)

    @property
    def digest(self) -> str:  # noqa: D102
        return digest_of("grid", self.axes)

    def renamed(self, rename: Rename) -> Grid:  # noqa: D102
        return dataclasses.replace(self, axes=rename(self.axes))

    def shape_of(self, name: str) -> tuple[int, ...] | None:  # noqa: D102
        values: Array = self.axes[name]
        return values.shape[1:]

    def check(self, shapes: Shapes) -> None:  # noqa: D102
        _check_shapes(self.axes, shapes, "values")

    def of(self, runs: range, shapes: Shapes) -> dict[str, Array]:  # noqa: D102
        places = np.unravel_index(np.arange(runs.start, runs.stop), self.shape)
        return {name: axis[place] for (name, axis), place in zip(self.axes.items(), places, strict=True)}


@dataclass(frozen=True, eq=False)
class DrawnSamples:
    """Numbers drawn from distributions, reproducible by the seed on every machine.

    Each name has a stream of random numbers of its own, in which run k begins at number k times the size of the
    quantity: one more name, more runs or other chunks do not change the other numbers.

    Args:
        runs: the number of runs.
        distributions: by name.
        seed: of the random numbers.
    """

    runs: int
    distributions: Mapping[str, Distribution]
    seed: int

    def __post_init__(self) -> None:
        set_fields(
            self,
            runs=whole_number("the number of runs", self.runs, least=1, error=StudyError),
            seed=whole_number("seed", self.seed, least=0, error=StudyError),
        )
        for name, one in self.distributions.items():
            if not isinstance(one, Distribution):
                raise StudyError(
                    f"{name} is {one!r}; expected a distribution, such as Uniform(0, 5) or Normal(mean, std). What is "
                    "the same in all runs stands in inputs="
                )
        _refuse_nothing(self.distributions)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied arrays."""
        return tuple(self.distributions)

    @property
    def digest(self) -> str:
        """A text that differs if any number of any run differs."""
        exact = {
            f"{name} {type(one).__name__} {parameter}": value
            for name, one in self.distributions.items()
            for parameter, value in one.parameters.items()
        }
        return digest_of(f"sampled {self.runs} {self.seed}", exact)

    def renamed(self, rename: Rename) -> DrawnSamples:
        """The samples with other names: ``rename`` makes one mapping of another."""
        return dataclasses.replace(self, distributions=rename(self.distributions))

    def shape_of(self, name: str) -> tuple[int, ...] | None:
        """The shape of one value; None if one number is drawn for each component."""
        return max((value.shape for value in self.distributions[name].parameters.values()), key=len) or None

    def check(self, shapes: Shapes) -> None:
        """Raise a `ShapeError` if parameters of a distribution do not fit its quantity."""
        for name, one in self.distributions.items():
            for parameter, value in one.parameters.items():
                if value.ndim and value.shape != shapes[name]:
                    raise ShapeError(
                        f"{parameter} of {name} has shape {value.shape}; expected one number, or {shapes[name]}"
                    )

    def of(self, runs: range, shapes: Shapes) -> dict[str, Array]:
        """The values of some runs, each of shape (runs, *shape)."""
        return {name: one.at(self._drawn(name, runs, shapes[name])) for name, one in self.distributions.items()}

    def _drawn(self, name: str, runs: range, shape: tuple[int, ...]) -> Array:
        """Numbers between 0 and 1, without these bounds: the midpoints of 2^52 equal parts."""
        size = math.prod(shape)
        own = int.from_bytes(hashlib.sha256(name.replace(".", "_").encode()).digest()[:16], "little")
        stream = np.random.PCG64DXSM(np.random.SeedSequence([self.seed, own])).advance(runs.start * size)
        drawn = np.asarray(stream.random_raw(len(runs) * size), dtype=np.uint64) >> np.uint64(12)
        return ((drawn + 0.5) * 2.0**-52).reshape(len(runs), *shape)


def grid(axes: Mapping[str, ArrayLike] | None = None, /, **more: ArrayLike) -> Grid:
    """Every combination of some values; those of the last name change from run to run.

    Args:
        axes: values by name, arrays of shape (values, *shape); for names with dots, e.g. "link_6.mass".
        more: values by name as keywords.

    >>> grid(Kp=[10.0, 20.0], Kd=[1.0, 2.0, 3.0]).runs
    6
    """
    return Grid({**(axes or {}), **more})


def sampled(
    runs: int, distributions: Mapping[str, Distribution] | None = None, /, *, seed: int, **more: Distribution
) -> DrawnSamples:
    """Numbers drawn from distributions: a Monte-Carlo study.

    Components of a vector are independent of each other. A seed gives equal numbers on every machine, and the numbers
    of run k do not depend on the number of runs.

    Args:
        runs: the number of runs.
        distributions: by name; for names with dots, e.g. "link_6.mass".
        seed: of the random numbers, a whole number.
        more: distributions by keywords.

    >>> from armdyn.studies import Normal, Uniform, sampled
    >>> sampled(1000, {"tool0.payload.mass": Uniform(0, 5)}, q0=Normal(0, 0.1), seed=1).names
    ('tool0.payload.mass', 'q0')
    """
    return DrawnSamples(runs, {**(distributions or {}), **more}, seed)


def samples_of(samples: object) -> StudySamples:
    """Samples from an argument: samples themselves, or values for each run by name."""
    if isinstance(samples, SampleArrays | Grid | DrawnSamples):
        return samples
    if isinstance(samples, Mapping):
        return SampleArrays(samples)
    raise StudyError(
        f"samples is {samples!r}; expected values for each run by name, such as {{'Kp': [10, 20]}}, grid(...) or "
        "sampled(...)"
    )


def digest_of(kind: str, values: Mapping[str, Array]) -> str:
    """A digest of arrays by name."""
    result = hashlib.sha256(kind.encode())
    for name, value in values.items():
        result.update(repr((name, value.shape)).encode())
        result.update(np.ascontiguousarray(value, dtype="<f8").tobytes())
    return result.hexdigest()


def _arrays(values: Mapping[str, object], meaning: str) -> dict[str, Array]:
    _refuse_nothing(values)
    result = {name: array(name, value, finite=StudyError) for name, value in values.items()}
    for name, value in result.items():
        if not value.ndim or not len(value):
            raise ShapeError(f"{name} has shape {value.shape}; expected {meaning}. What is always the same: inputs=")
    return result


def _refuse_nothing(values: Mapping[str, object]) -> None:
    if not values:
        raise StudyError("samples are empty; name at least one quantity that varies, such as q0")


def _check_shapes(values: Mapping[str, Array], shapes: Shapes, counted: str) -> None:
    for name, value in values.items():
        if value.shape[1:] != shapes[name]:
            expected = ", ".join(map(str, (counted, *shapes[name])))
            raise ShapeError(f"{name} has shape {value.shape}; expected ({expected})")
