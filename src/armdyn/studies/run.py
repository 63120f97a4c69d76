"""`armdyn.study`: sweeps and Monte-Carlo studies of an arm by one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from armdyn.base.advice import answering
from armdyn.base.checks import switch, whole_number
from armdyn.base.errors import excerpt, warn_outside
from armdyn.base.progress import progress_bar
from armdyn.declaration import Function
from armdyn.functions.not_finite import DivergenceWarning
from armdyn.robot import Robot
from armdyn.simulation.loop.controlled_rollout import warn_of_python
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep
from armdyn.simulation.other_arguments import OF_LOOPS
from armdyn.studies import cluster, one_process
from armdyn.studies.definition import Study, defined
from armdyn.studies.errors import StudyError
from armdyn.studies.parts import MANIFEST, InFolder, InMemory, Manifest, forget_empty, opened
from armdyn.studies.recipe import Report, Summary
from armdyn.studies.results import Results
from armdyn.studies.samples import StudySamples

MOST_WORKERS = 1024
"""The largest number of threads of a study on this computer."""


@answering(OF_LOOPS)
def study(
    robot: Robot,
    samples: StudySamples | Mapping[str, object],
    controller: Function | None = None,
    *,
    steps: int,
    inputs: Mapping[str, object] | None = None,
    method: FixedStep | Adaptive | None = None,
    over_time: Iterable[str] = (),
    record: Iterable[str] = (),
    every: int = 1,
    keep_records: bool = True,
    summaries: Mapping[str, Summary] | None = None,
    running_cost: Function | None = None,
    energy: bool = False,
    elements: Sequence[object] = (),
    require_traced: bool = False,
    chunk: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    client: object = None,
    workers: int = -1,
    progress: bool = False,
) -> Results:
    """Run an arm many times, each time from another state or with other parameters.

    All runs are one compiled loop (`armdyn.ClosedLoop`). They are cut into chunks, and the results do not depend on the
    cuts. With ``folder`` each chunk becomes a Parquet file when it is done, and repeating the call computes only the
    missing ones: after Ctrl-C, a crash, or the loss of a cluster.

    Args:
        robot: the robot.
        samples: the varied quantities by name: ``grid(...)``, ``sampled(...)``, or a mapping with a value for each run.
            Names are q0 and qd0, rad or m and rad/s or m/s; the controller's inputs and states; parameters of the model
            ("link_6.mass", or link_6_mass), f_tip; tau if there is no controller.
        controller: a `Function` whose first result is tau, as of `armdyn.ClosedLoop`.
        steps: of each run.
        inputs: values common to all runs, by the names above; also h and t0, s. Zero by default: q0, qd0, states, and
            tau if there is no controller.
        method: a fixed-step method; ``Euler(step=1e-3)`` by default. `Adaptive` moves runs without a controller under
            a constant tau and f_tip, each with steps of its own, and records them at the times of ``steps`` steps of h.
        over_time: inputs with an axis of time, (steps, *shape).
        record: states and signals to record, for summaries and as results.
        every: record each step of this number.
        keep_records: return the records as a result; else they are only for summaries, and take no memory.
        summaries: functions of some `Runs` with a number or array for each, shape (runs, ...), by name.
        running_cost: of the state "cost", as of `armdyn.ClosedLoop`.
        energy: integrate the state "work", and "heat" if joints have friction.
        elements: parts of the mechanical system, common to all runs, as of `armdyn.ClosedLoop`.
        require_traced: make a controller that cannot be traced an error. Otherwise it runs in Python, once per step
            for each run, and an `armdyn.simulation.UntracedControllerWarning` names the line that is the cause. In a
            folder such a controller is identified by its code, the functions and classes it uses outside of libraries,
            and the numbers, texts, arrays and objects that these refer to.
        chunk: the number of runs computed together.
        folder: for parts and the manifest; None keeps results in memory.
        client: a `distributed.Client` whose workers compute the chunks, one thread each.
        workers: without a client, the number of threads that share a chunk; -1: one per core.
        progress: show a progress bar on stderr.

    Returns:
        `Results`: columns by name, or part by part.

    Raises:
        UnknownName: a quantity that neither the loop nor the model has.
        ShapeError: a value that does not have the shape of its quantity.
        TraceError: with ``require_traced``, a controller that cannot be traced.
        OtherStudy: the folder holds another study.
        ClusterLost: the cluster went away; parts in the folder are kept.

    A payload of unknown mass under a controller that compensates the described robot:

    >>> from armdyn.studies import Uniform, sampled
    >>> robot = armdyn.load("planar_2r")
    >>> known = robot.mechanism
    >>> @armdyn.function("(n),(n),(n)->(n)")
    ... def pd(model, q, qd, q_ref):
    ...     return armdyn.algorithms.gravity_forces(known, q) + 400 * (q_ref - q) - 40 * qd
    >>> results = armdyn.study(
    ...     robot,
    ...     sampled(200, {"tip.payload.mass": Uniform(0, 2)}, seed=1),
    ...     pd,
    ...     inputs={"q_ref": [0.5, 0.5], "q0": [0.5, 0.5]},
    ...     steps=2000,
    ...     summaries={"sag": lambda runs: np.abs(runs.final.q - runs.inputs["q_ref"]).max(axis=1)},
    ... )
    >>> bool(np.corrcoef(results["tip.payload.mass"], results["sag"])[0, 1] > 0.99)
    True
    """
    definition = defined(
        robot,
        samples,
        controller,
        steps=steps,
        inputs=inputs,
        method=method,
        over_time=over_time,
        record=record,
        every=every,
        keep_records=keep_records,
        summaries=summaries,
        running_cost=running_cost,
        energy=energy,
        elements=elements,
        chunk=chunk,
        require_traced=require_traced,
    )
    if definition.why_in_python is not None:
        warn_of_python(definition.why_in_python, "study")
    switch("progress", progress, error=StudyError)
    if client is not None and not hasattr(client, "ncores"):
        raise StudyError(
            f"client is {excerpt(client)}; expected a distributed.Client, such as Client('tcp://host:8786')"
        )
    if client is None:
        threads = (
            (os.cpu_count() or 1)
            if workers == -1
            else whole_number("workers", workers, least=1, most=MOST_WORKERS, error=StudyError)
        )
    else:
        threads = cluster.threads(client)
    fresh = None if folder is None or (Path(folder) / MANIFEST).exists() else Path(folder)
    results = _place(definition, folder, definition.usual_chunk(threads, shared=client is None))
    missing = results.missing
    to_do = sum(len(definition.numbers(k, results.chunk)) for k in missing)
    done = definition.runs - to_do
    with progress_bar(progress, definition.runs, f"study of {robot.name}", unit="runs", form=",.0f") as fraction:
        try:
            _compute(definition, results, missing, client, workers, _report_of_runs(fraction, done, definition.runs))
        except StudyError:
            if fresh is not None:
                forget_empty(fresh)
            raise
    _warn_of_lost(definition, results)
    return results


def _warn_of_lost(definition: Study, results: Results) -> None:
    """Warn with the number of diverged runs, and the time and kind of the first divergence."""
    names = [name for name in results.names if name.startswith("final.")]
    diverged, first = 0, 0
    for part in results.columns("run", *names):
        bad = np.any([~np.isfinite(part[n]).reshape(len(part["run"]), -1).all(axis=1) for n in names], axis=0)
        first = first if diverged or not bad.any() else int(part["run"][bad][0])
        diverged += int(bad.sum())
    if diverged:
        warn_outside(
            f"{diverged:,} of {results.runs:,} runs of the study of {definition.recipe.robot.name!r} ran away, the "
            f"first is run {first}: {definition.way_of_lost(first)}. Final states of such runs are NaN or infinite; "
            "leave them out",
            DivergenceWarning,
        )


def _report_of_runs(fraction: Report, done: float, runs: int) -> Report:
    """A report of runs that were done since the last one, as a report of the fraction."""

    def report(more: float) -> None:
        nonlocal done
        done += more
        fraction(done / runs)

    report(0.0)
    return report


def _place(definition: Study, folder: str | os.PathLike[str] | None, usual_chunk: int) -> Results:
    """The results in memory or in a folder, with the parts that are there."""
    chunk = usual_chunk if definition.chunk is None else definition.chunk
    if folder is None:
        return Results(definition.runs, chunk, InMemory())
    recipe = definition.recipe
    law = recipe.controller and recipe.controller.name
    words: dict[str, object] = {"robot": recipe.robot.name, "controller": law, "method": str(definition.loop.method)}
    words |= {"varies": list(definition.samples.names), "summaries": list(recipe.summaries)}
    parts, manifest = opened(
        Path(folder), Manifest(definition.identity, chunk, words), chunk_is_given=definition.chunk is not None
    )
    return Results(definition.runs, manifest.chunk, parts)


def _compute(
    definition: Study, results: Results, missing: tuple[int, ...], client: object, workers: int, report: Report
) -> None:
    try:
        if client is None:
            one_process.compute(definition, results.chunk, missing, results.parts, workers, report)
        else:
            cluster.compute(definition, results.chunk, missing, results.parts, client, report)
    except KeyboardInterrupt as error:
        if isinstance(results.parts, InFolder):
            error.add_note(f"What is done is kept in {results.parts.folder}: the same call goes on from there")
        raise
    if isinstance(results.parts, InFolder):
        results.parts.clear()
