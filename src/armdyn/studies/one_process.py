"""The chunks of a study one after the other in this process, with the runs of each shared among threads."""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.studies.definition import Study
from armdyn.studies.parts import StudyParts
from armdyn.studies.recipe import Report


def compute(study: Study, chunk: int, missing: Iterable[int], parts: StudyParts, workers: int, report: Report) -> None:
    """Compute the missing parts, except those that another process has written meanwhile.

    Args:
        study: the study to compute.
        chunk: the number of runs in a part.
        missing: the numbers of the parts.
        parts: the storage of the parts.
        workers: the number of threads that share a chunk; -1: one per core.
        report: called with the number of runs done since its last call.
    """
    for k in missing:
        numbers, reported = study.numbers(k, chunk), 0.0
        if parts.has(k):
            report(len(numbers))
            continue

        def heard(fraction: float, runs: int = len(numbers)) -> None:
            nonlocal reported
            report((fraction - reported) * runs)
            reported = fraction

        values = study.values(numbers)
        parts.write(k, study.recipe.compute(study.loop, numbers, values, workers=workers, report=heard))
