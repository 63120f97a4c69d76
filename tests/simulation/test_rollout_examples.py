"""The examples of closed loops run, and their results make sense."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_gains_are_tuned() -> None:
    costs = runpy.run_path(str(EXAMPLES / "tune_gains.py"))["main"](iterations=6)
    assert np.all(np.diff(costs) < 0)
    assert costs[-1] < 0.75 * costs[0]


@pytest.mark.slow
def test_heavier_payloads_pull_further() -> None:
    results = runpy.run_path(str(EXAMPLES / "payload_study.py"))["main"]()
    masses, errors = results["tool0.payload.mass"], results["tip_error"]
    assert np.corrcoef(masses, errors)[0, 1] > 0.9
    assert errors.max() < 0.1
