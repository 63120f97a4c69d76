"""The chunks of a study one after the other in this process, the runs of each shared among threads."""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.studies.definition import Study
from armdyn.studies.parts import Parts
from armdyn.studies.recipe import Report


def compute(study: Study, chunk: int, missing: Iterable[int], parts: Parts, workers: int, report: Report) -> None:
    """Compute the missing parts, but for those that another process has written meanwhile.

    Args:
        study: what to compute.
        chunk: how many runs a part has.
        missing: the numbers of the parts.
        parts: where they are kept.
        workers: how many threads share a chunk; -1: one a core.
        report: told how many runs were done since it was told last.
    """
    for k in missing:
        numbers, told = study.numbers(k, chunk), 0.0
        if parts.has(k):
            report(len(numbers))
            continue

        def heard(fraction: float, runs: int = len(numbers)) -> None:
            nonlocal told
            report((fraction - told) * runs)
            told = fraction

        values = study.values(numbers)
        parts.write(k, study.recipe.compute(study.loop, numbers, values, workers=workers, report=heard))
