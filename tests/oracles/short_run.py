"""Which parameters of a test are in the short run: one code path is shown by few robots, and by all in the long run."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, product
from typing import Any

import pytest


def short_run(names: Iterable[Any], *kept: Any) -> list[Any]:
    """Parameters of a test of which only the kept ones are in the short run; `make test-all` takes all.

    >>> [getattr(name, "values", name) for name in short_run(["ur5", "baxter"], "ur5")]
    ['ur5', ('baxter',)]
    """
    names = list(names)
    assert set(kept) <= set(names), f"{kept} of {names}"
    return [name if name in kept else pytest.param(name, marks=pytest.mark.slow) for name in names]


def each_once(*lists: Iterable[Any]) -> list[Any]:
    """Combinations of several parameters, of which so many are in the short run that each value occurs in one.

    That is enough where the parameters do not depend on each other; `make test-all` takes all combinations.

    >>> [case.values for case in each_once(["ur5", "scara", "rp"], ["dh", "urdf"]) if not case.marks]
    [('ur5', 'dh'), ('scara', 'urdf'), ('rp', 'dh')]
    """
    axes = [list(values) for values in lists]
    longest = max(map(len, axes))
    kept = [tuple(values[k % len(values)] for values in axes) for k in range(longest)]
    return [
        pytest.param(*combination, marks=() if combination in kept else pytest.mark.slow)
        for combination in product(*axes)
    ]


def mark_long_cases(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what ``@pytest.mark.short_run(*ids)`` of a test does not name, or ``short_run(without=ids)`` names.

    All cases run if one to run is missing, as on a machine with other compilers, or if slow ones are chosen by name.
    Names in ``without`` that the test lacks do not matter.
    """
    for _, cases in groupby(items, lambda item: item.nodeid.split("[")[0]):
        own = list(cases)
        mark = own[0].get_closest_marker("short_run")
        if mark is None:
            continue
        names = [case.callspec.id for case in own]  # type: ignore[attr-defined]
        without = set(mark.kwargs.get("without", set(names) - set(mark.args)))
        if not set(mark.args) <= set(names) or without.issuperset(names):
            continue
        for case, name in zip(own, names, strict=True):
            if name in without:
                case.add_marker(pytest.mark.slow)
