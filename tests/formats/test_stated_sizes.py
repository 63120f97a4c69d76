"""Sizes that tables and scenarios state: each has a bound, and a message that names it."""

from __future__ import annotations

import contextlib
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.formats.tables import text
from armdyn.formats.tables.words import MOST_COLUMNS, unused
from armdyn.logs.joint_tables import read_states
from armdyn.simulation import TrajectoryFileError
from armdyn.sizing.catalogue import Catalogue, CatalogueError
from armdyn.studies import StudyError, Uniform, grid, sampled
from armdyn.viewer.stream_lines import LineReader

ARM = armdyn.load("planar_2r")


def test_a_table_has_so_many_columns_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"x{k}" for k in range(20_003)) + "\n")
    with pytest.raises(CatalogueError, match=r"wide\.csv has 20,003 columns; expected 10,000 at most"):
        Catalogue.read(path)
    with pytest.raises(TrajectoryFileError, match="20,003 columns"):
        armdyn.Trajectory.load(path)
    with pytest.raises(armdyn.ArmdynError, match="columns; expected 10,000"):
        LineReader(ARM).read("a," * 40_000)
    monkeypatch.setattr(text, "MOST_BYTES", 1000)
    for error, read in ((CatalogueError, Catalogue.read), (TrajectoryFileError, armdyn.Trajectory.load)):
        with pytest.raises(error, match=r"wide\.csv has more than 1,000 bytes; thin it"):
            read(path)


def test_the_widest_tables_are_refused_quickly_and_in_few_words(tmp_path: Path) -> None:
    """Names that are compared one by one would take the square of their number."""
    path = tmp_path / "wide.csv"
    signals = ",".join(f"signal_x_{k}" for k in range(MOST_COLUMNS - 2))
    path.write_text(f"t [s],q_joint_1 [rad],{signals}\n")
    before = time.process_time()
    with pytest.raises(TrajectoryFileError, match="wrong columns: missing") as error:
        armdyn.Trajectory.load(path)
    assert time.process_time() - before < 2.0
    assert len(str(error.value)) < 2000
    path.write_text(f"q_joint_1,q_joint_2,{signals[: 12 * (MOST_COLUMNS - 1000)]}x\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with contextlib.suppress(armdyn.ArmdynError):
            read_states(path, ARM)
    assert all(len(str(each.message)) < 1000 for each in told)
    assert unused([f"x{k}" for k in range(500)]).endswith("'x11' and 488 more")


def test_a_parquet_file_holds_numbers_alone(tmp_path: Path) -> None:
    """A column of texts may unpack to any size, so it is not unpacked."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"q_joint_1": [0.0, 1.0], "t": ["x" * 1000] * 2}), path)
    with pytest.raises(TrajectoryFileError, match="columns of double, string, and not of numbers alone"):
        armdyn.Trajectory.load(path)


def test_a_study_has_so_many_runs() -> None:
    before = time.process_time()
    for samples in (
        sampled(10**30, {"link_2.mass": Uniform(0.5, 1.5)}, seed=1),
        grid({f"{name}.mass": np.linspace(1, 2, 1000) for name in ("link_1", "link_2")}, q0=np.ones((1000, 2))),
    ):
        with pytest.raises(StudyError, match=r"a study of 1\d+ runs; expected 100,000,000 at most"):
            armdyn.study(ARM, samples, steps=2)
    assert time.process_time() - before < 5.0
