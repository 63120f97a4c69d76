"""``armdyn study``: many runs of an arm, as a scenario file describes them."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from armdyn.base.errors import DescriptionWarning, MissingLibrary
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_table, show, show_notes
from armdyn.cli.word_options import ListWords, Settings, with_typed
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.studies import ClusterLost, Results, Scenario
from armdyn.studies import study as run_study
from armdyn.studies.labels import component_labels
from armdyn.studies.words import Words

FILE = "A YAML file; see the examples below."
FOLDER = "Keep results in this folder, as Parquet; the same command continues an interrupted study."
CLUSTER = "The address of a Dask scheduler, whose workers do the work."
MOST_COMPONENTS = 12
"""Components of a result that get a line each."""


def study(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help=FILE)],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FOLDER", help=FOLDER)] = None,
    settings: Settings = None,
    words: ListWords = False,
    cluster: Annotated[str | None, typer.Option("--cluster", metavar="tcp://HOST:PORT", help=CLUSTER)] = None,
    json: AsJson = False,
) -> None:
    r"""Run an arm many times, from other states or with other parameters, on all cores.

    [bold]Examples[/]

      armdyn study payloads.yaml

      armdyn study payloads.yaml --out out/payloads

      armdyn study payloads.yaml --set runs=10000 --set inputs.Kp=200

    [bold]A scenario[/]

      robot: ur5

      duration: 2.0

      controller: computed_torque

      inputs: {q_ref: \[0.5, -1, 1, 0, 0, 0], qd_ref: 0, qdd_ref: 0, Kp: 100, Kd: 20}

      samples: {tool0.payload.mass: {uniform: \[0, 5]}, q0: {normal: \[0, 0.1]}}

      runs: 1000

      summaries: \[tip_error, diverged]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        read = Scenario.of(with_typed(Words.read(scenario), {"out": out}, settings))
    arguments = {"progress": True, **read.settings}
    folder = arguments.get("folder")
    fresh, began = folder is None or not folder.exists(), time.perf_counter()
    if cluster is None:
        results = _run(read, arguments, folder)
    else:
        with _client(cluster) as client:
            results = _run(read, {**arguments, "client": client}, folder)
    if json:
        files = {} if folder is None else {"folder": folder}
        rows = [dict(zip(MARKS, row, strict=True)) for row in _rows(read.robot, results)]
        print_json({"robot": read.robot.name, "runs": results.runs, "results": rows, **files})
        return
    console = screen()
    if fresh:
        rate = results.runs / max(time.perf_counter() - began, 1e-9)
        screen(stderr=True).print(f"{results.runs:,} motions, {rate:,.0f} a second", soft_wrap=True)
    show(console, _table(read.robot, results))
    show_notes(console, list(_left_out(results)))
    if folder is not None:
        console.print(f"wrote {folder}", soft_wrap=True)


def _run(read: Scenario, arguments: dict[str, Any], folder: Path | None) -> Results:
    try:
        return run_study(read.robot, read.samples, **arguments)
    except KeyboardInterrupt:
        if folder is not None:
            screen(stderr=True).print(f"what is done is kept in {folder}: the same command goes on", soft_wrap=True)
        raise


def _client(address: str) -> Any:
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingLibrary("--cluster needs Dask, which is not installed: pip install distributed") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a failure has one error
    try:
        return Client(address)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterLost(
            f"--cluster {address!r}: no cluster is reached ({error}); expected the address that the scheduler of a "
            "running Dask cluster shows, such as tcp://host:8786"
        ) from None


def _table(arm: Robot, results: Results) -> Table:
    """A table of the samples and results: a line for each number of a run."""
    title = f"{arm.name}, {results.runs:,} runs"
    table = new_table(title, "name", "lowest", "median", "95 %", "highest", "not finite")
    for label, *marks, missing in _rows(arm, results):
        table.add_row(label, *map(figure, marks), str(missing))
    return table


MARKS = ("name", "lowest", "median", "95 %", "highest", "not_finite")


def _rows(arm: Robot, results: Results) -> Iterator[tuple[str, float, float, float, float, int]]:
    """The name of a number, its quantiles over the runs, and in how many it is not finite."""
    for name in results.names:
        if name == "run" or name.startswith("rows."):
            continue
        for label, values in _components(arm, name, results[name]):
            finite = values[np.isfinite(values)]
            marks = np.quantile(finite, (0.0, 0.5, 0.95, 1.0)) if len(finite) else np.full(4, np.nan)
            lowest, median, most, highest = map(float, marks)
            yield label, lowest, median, most, highest, len(values) - len(finite)


def _components(arm: Robot, name: str, values: Array) -> Iterator[tuple[str, Array]]:
    """The numbers of a result, with their names and units."""
    labels = component_labels(arm, name, values.shape[1:])
    flat = values.reshape(len(values), -1).astype(np.float64)
    yield from zip(labels[:MOST_COMPONENTS], flat.T, strict=False)


def _left_out(results: Results) -> Iterator[str]:
    """Notes on results with more numbers than the table shows."""
    for name in results.names:
        size = int(np.prod(results[name].shape[1:]))
        if size > MOST_COMPONENTS and not name.startswith("rows."):
            yield f"{name} has {size} numbers, of which the table shows the first {MOST_COMPONENTS}"
