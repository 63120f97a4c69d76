"""The results of a study: whole columns, or part by part if they are larger than memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import UnknownName
from armdyn.base.extras import extra
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError
from armdyn.studies.parts import InFolder, InMemory, Manifest


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a study, by name: ``run``, the samples, ``final.q``, ``rows.q``, and the summaries.

    ``results["final.q"]`` is the array of all runs, shape (runs, *shape); rows have shape (runs, rows, *shape).
    Iterating gives a mapping of arrays for each part, one part in memory at a time.

    Args:
        runs: the number of runs of the study.
        chunk: the number of runs in a part.
        parts: the storage of the parts.

    >>> from armdyn.studies import grid
    >>> results = armdyn.study(armdyn.load("planar_2r"), grid(q0=np.eye(2)), steps=100, record=["q"], every=10)
    >>> results.names
    ('run', 'q0', 'final.q', 'final.qd', 'rows.q')
    >>> results["final.q"].shape, results["rows.q"].shape
    ((2, 2), (2, 10, 2))
    """

    runs: int
    chunk: int
    parts: InFolder | InMemory

    @property
    def missing(self) -> tuple[int, ...]:
        """The parts that are missing; empty after a complete `armdyn.study`."""
        return tuple(k for k in range(-(-self.runs // self.chunk)) if not self.parts.has(k))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the results."""
        return tuple(self.parts.read(self._there()[0]))

    def __getitem__(self, name: str) -> Array:
        """One result of all available runs, in memory."""
        there = self._there()
        self._refuse_unknown([name])
        return np.concatenate([self.parts.read(k, [name])[name] for k in there])

    def __iter__(self) -> Iterator[dict[str, Array]]:
        """The parts in order, each the arrays of some runs by name."""
        return (self.parts.read(k) for k in self._there())

    def columns(self, *names: str) -> Iterator[dict[str, Array]]:
        """The parts in order with some results only: nothing else is read from a Parquet file."""
        self._refuse_unknown(names)
        return (self.parts.read(k, list(names)) for k in self._there())

    def dataset(self) -> Any:
        """The folder as a `pyarrow.dataset.Dataset`, for queries over data larger than memory."""
        if not isinstance(self.parts, InFolder):
            raise StudyError("these results are in memory; a dataset is made of a folder's: study(..., folder=...)")
        ds = extra("pyarrow.dataset", "a dataset of results", name="parquet", library="pyarrow")
        return ds.dataset([str(self.parts.path(k)) for k in self._there()], format="parquet")

    def _there(self) -> list[int]:
        missing = set(self.missing)
        there = [k for k in range(-(-self.runs // self.chunk)) if k not in missing]
        if not there:
            raise StudyError("none of the runs is done yet")
        return there

    def _refuse_unknown(self, names: tuple[str, ...] | list[str]) -> None:
        choices = self.names
        for name in names:
            if name not in choices:
                raise UnknownName.of("result", name, choices, "this study")

    def __len__(self) -> int:
        return self.runs

    def __repr__(self) -> str:
        missing = self.missing
        state = f"{len(missing)} of {-(-self.runs // self.chunk)} parts missing" if missing else "all done"
        return f"<results of {self.runs:,} runs, {state}>"


def read(folder: str | os.PathLike[str]) -> Results:
    """The results in a folder, complete or not.

    Args:
        folder: the folder of `armdyn.study`.

    Raises:
        StudyError: the folder contains no study.
    """
    path = Path(folder).absolute()
    manifest = Manifest.read(path)
    if manifest is None:
        raise StudyError(f"{path} holds no study: there is no study.json in it")
    return Results(int(manifest.identity["runs"]), manifest.chunk, InFolder(path, manifest.digest))
