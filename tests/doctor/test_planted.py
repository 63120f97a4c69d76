"""Defects planted at random into descriptions without findings: found, mended, without false alarms."""

from __future__ import annotations

from itertools import islice

import pytest

from doctor.planted import BUNDLED, CLEAN, judged, planted


def test_four_of_five_defects_in_a_short_run() -> None:
    """Every fifth of a hundred defects: 19 of 20 found, 16 mended by the first repair, no false alarm."""
    scores = [judged(defect) for defect in islice(planted(1), 0, None, 5)]
    assert len(scores) == 20
    assert sum(score.found for score in scores) >= 19
    assert sum(score.mended for score in scores) >= 16
    assert sum(score.false for score in scores) <= 0.01 * sum(score.others for score in scores)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_hundred_defects(seed: int) -> None:
    """95 of 100 found, 80 mended by the first repair, false alarms on fewer than 1 % of the untouched links."""
    scores = [(defect, judged(defect)) for defect in planted(seed)]
    assert len(scores) == 100
    missed = [f"{defect.kind} in {defect.part}" for defect, score in scores if not score.found]
    assert len(missed) <= 5, missed
    wrong = [f"{defect.kind} in {defect.part}" for defect, score in scores if not score.mended]
    assert len(wrong) <= 20, wrong
    false, others = (sum(getattr(score, name) for _, score in scores) for name in ("false", "others"))
    assert false < 0.01 * others, f"{false} of {others}"


def test_defects_are_planted_into_arms_of_several_makers() -> None:
    assert len(CLEAN) + len(BUNDLED) == 14
