"""The chunks of a study as tasks of a Dask cluster.

A task writes its part itself, or sends it back if there is no folder. The recipe is a task too, on which the others
depend: Dask moves it from worker to worker, and makes it again if its holders are gone. If a worker ends, nothing is
lost: Dask gives its tasks to others, which skip the parts that are written.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from armdyn.base.errors import MissingLibrary
from armdyn.base.threads import undivided
from armdyn.simulation import ClosedLoop
from armdyn.spatial.rotations import Array
from armdyn.studies.definition import Study
from armdyn.studies.errors import ClusterLost, StudyError
from armdyn.studies.parts import InFolder, InMemory
from armdyn.studies.pickled_recipe import packed, unpacked
from armdyn.studies.recipe import Recipe, Report

AHEAD = 3
"""Tasks that wait for each thread of the cluster: none is idle, and few results wait to be taken."""

KEPT_LOOPS = 4
"""Compiled loops that a worker keeps, of its last studies."""

_loops: OrderedDict[str, tuple[Recipe, ClosedLoop]] = OrderedDict()
_opening = threading.Lock()


def compute(
    study: Study, chunk: int, missing: Iterable[int], parts: InFolder | InMemory, client: object, report: Report
) -> None:
    """Compute the missing parts on a cluster.

    Args:
        study: the study to compute.
        chunk: the number of runs in a part.
        missing: the numbers of the parts.
        parts: the storage of the parts; workers must see a folder under one path.
        client: a `distributed.Client`.
        report: called with the number of runs done since its last call.

    Raises:
        ClusterLost: the cluster went away, or a chunk ended one worker after the other.
    """
    exceptions = _ways_to_get_lost()
    folder = parts if isinstance(parts, InFolder) else None
    try:
        for k, result in _answers(study, chunk, missing, folder, client):
            if result is not None:
                parts.write(k, result)
            elif not parts.has(k):
                raise StudyError(
                    f"a worker wrote part {k}, but it is not in {folder and folder.folder} on this machine; expected a "
                    "folder that all machines see under the same path"
                )
            report(len(study.numbers(k, chunk)))
    except exceptions as error:
        advice = f"What is done is kept in {folder.folder}: the same call goes on from there" if folder else (
            "Nothing is kept, for there is no folder=; with one, the same call goes on where it stopped"
        )  # fmt: skip
        raise ClusterLost(f"the study could not be finished on the cluster: {_first_line(error)}. {advice}") from error


def _answers(
    study: Study, chunk: int, missing: Iterable[int], folder: InFolder | None, client: Any
) -> Iterator[tuple[int, dict[str, Array] | None]]:
    """The numbers of parts that are done, and the arrays sent back, in the order of their end."""
    import distributed  # noqa: PLC0415 - an extra

    name = uuid.uuid4().hex
    recipe = client.submit(bytes, packed(study.recipe), key=f"armdyn-recipe-{name}")
    waiting, pending = iter(missing), set()
    done: Any = distributed.as_completed()  # type: ignore[no-untyped-call]

    def submit(count: int) -> None:
        for k in islice(waiting, max(count, 0)):
            numbers = study.numbers(k, chunk)
            values = (recipe, name, k, numbers, study.values(numbers), folder)
            task = client.submit(part, *values, key=f"armdyn-study-{name}-{k}", pure=False)
            pending.add(task)
            done.add(task)

    try:
        many, counted_at = threads(client), time.monotonic()
        submit(AHEAD * many)
        while pending:
            task = next(done)
            answer = task.result()
            pending.discard(task)
            if time.monotonic() > counted_at + 1.0:  # workers come and go
                many, counted_at = threads(client), time.monotonic()
            submit(AHEAD * many - len(pending))
            yield answer
    finally:
        if pending and client.status == "running":
            client.cancel([*pending, recipe])


def part(
    recipe: bytes, name: str, k: int, numbers: range, values: dict[str, Array], folder: InFolder | None
) -> tuple[int, dict[str, Array] | None]:
    """Compute a part on a worker, unless its file is there.

    Args:
        recipe: packed.
        name: of the study, under which the worker keeps its compiled loop.
        k: the number of the part.
        numbers: of the runs.
        values: their samples.
        folder: the folder it is written to; None: it is returned.
    """
    if folder is not None and folder.has(k):
        return k, None
    opened, loop = _open(recipe, name, numbers, values)
    result = opened.compute(loop, numbers, values)
    if folder is None:
        return k, result
    folder.write(k, result)
    return k, None


def _open(recipe: bytes, name: str, numbers: range, values: dict[str, Array]) -> tuple[Recipe, ClosedLoop]:
    """The recipe and its loop, compiled once in each process: by one thread, while others wait."""
    with undivided(), _opening:
        if name not in _loops:
            opened = unpacked(recipe)
            loop = opened.loop()
            first = {key: value[:1] for key, value in values.items()} | {
                key: value[:1] if key in opened.over_time else value for key, value in opened.inputs.items()
            }
            loop(**first, steps=1)  # type: ignore[arg-type] # compiles
            _loops[name] = opened, loop
            while len(_loops) > KEPT_LOOPS:
                _loops.popitem(last=False)
        _loops.move_to_end(name)
        return _loops[name]


def threads(client: Any) -> int:
    """The number of threads of the cluster now, at least one: workers may come later.

    Raises:
        ClusterLost: the client is closed, or has lost its scheduler.
    """
    if client.status != "running":
        raise ClusterLost(f"the client is {client.status}; expected one that is connected to its scheduler")
    return max(int(sum(client.ncores().values())), 1)


def _ways_to_get_lost() -> tuple[type[BaseException], ...]:
    """The errors of a cluster that goes away."""
    try:
        from distributed import CancelledError, KilledWorker  # noqa: PLC0415 - an extra
        from distributed.client import FutureCancelledError  # noqa: PLC0415
        from distributed.comm.core import CommClosedError  # noqa: PLC0415
    except ImportError:
        raise MissingLibrary("a study on a cluster needs Dask: pip install distributed") from None
    return ClusterLost, CancelledError, FutureCancelledError, KilledWorker, CommClosedError, TimeoutError


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(".: ")
