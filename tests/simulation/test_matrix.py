"""The table of docs/simulation.md is that of the arms of now: a sample of its cells; slow tests run them all."""

from __future__ import annotations

import pytest

from oracles.short_run import short_run
from simulation import matrix

SAMPLE = (
    ("dry friction", "simulate, fixed steps"),
    ("constraint", "ClosedLoop"),
    ("stops", "ClosedLoop"),
    ("flexible joint", matrix.WITHIN),
    ("dry friction", matrix.ABM4),
    ("flexible joint", matrix.VARIATIONAL),
    ("constraint", matrix.VARIATIONAL_LOOP),
    ("element of your own", "gradient"),
    ("element with a state", "C"),
    ("brake that switches", "C"),
    ("bristles", "FMU"),
    ("coupled joints", "study"),
    ("dry friction + stops", "simulate, adaptive"),
    ("flexible joint + element of your own", "simulate, adaptive"),
    ("dry friction + element with a state", "ClosedLoop"),
    ("friction under load + brake that switches", "ClosedLoop"),
    ("brake that switches + element with a state", "ClosedLoop"),
)


def require_same(found: str, written: str) -> None:
    """The same word; orders to half an order."""
    assert found.split(maxsplit=1)[0] == written.split(maxsplit=1)[0]
    if written.startswith("order"):
        orders = [float(word.split()[1].rstrip(",")) for word in (found, written)]
        assert abs(orders[0] - orders[1]) < 0.5


@pytest.mark.parametrize(("names", "use"), SAMPLE)
def test_a_sample(names: str, use: str) -> None:
    found = matrix.outcome(tuple(names.split(" + ")), use)
    if not found[0].isdigit():  # an error near rounding
        require_same(found, matrix.read()[names][use])


@pytest.mark.slow
@pytest.mark.parametrize("names", [" + ".join(one) for one in matrix.pairs()])
def test_all_cells(names: str) -> None:
    written = matrix.read()[names]
    uses = matrix.USES if " + " in names else (*matrix.USES, *matrix.ALONE)
    ((_, *found),) = matrix.rows(uses, only=(tuple(names.split(" + ")),))
    for word, use in zip(found, uses, strict=True):
        if not word[0].isdigit():
            require_same(word, written[use])


@pytest.mark.slow
@pytest.mark.parametrize("name", short_run(list(matrix.ELEMENTS), "dry friction"))
def test_a_ur5_does_what_the_small_arm_does(name: str) -> None:
    written = matrix.read()[name]
    for use in ("simulate, adaptive", "simulate, fixed steps", "ClosedLoop", "C"):
        found = matrix.outcome((name,), use, arm="ur5")
        assert found.startswith("refused") == written[use].startswith("refused"), (use, found)


def test_the_page_has_the_table() -> None:
    assert matrix.written() in matrix.PAGE.read_text()
