"""Which parameters of a test are in the short run: one code path is shown by few robots, and by all in the long run."""

from __future__ import annotations

from collections.abc import Iterable
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
