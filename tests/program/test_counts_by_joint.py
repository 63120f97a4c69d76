"""What a revolute and a prismatic joint add to inverse dynamics: the table of docs/cost.md, beside the literature's."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import armdyn

PAGE = (Path(__file__).parents[2] / "docs" / "cost.md").read_text(encoding="utf-8")
KINDS = {"r": "revolute", "p": "prismatic"}
Counts = dict[str, int]


class Row(NamedTuple):
    revolute: Counts
    prismatic: Counts
    less: Counts
    six: Counts

    def of(self, kinds: str) -> Counts:
        r, p = kinds.count("r"), kinds.count("p")
        return {unit: r * self.revolute[unit] + p * self.prismatic[unit] - self.less[unit] for unit in "mat"}


def counts(text: str) -> Counts:
    return {unit: int((re.findall(rf"(\d+){unit}\b", text) or ["0"])[0]) for unit in "mat"}


def row(name: str) -> Row:
    (cells,) = re.findall(rf"^\| {re.escape(name)} \|(.*\|.*\|.*\|.*)\|$", PAGE, re.MULTILINE)
    return Row(*map(counts, cells.split("|")))


OFFSETS = {True: row("**armdyn**, general joint offsets"), False: row("**armdyn**, joint offsets zero")}


def inverse_dynamics(kinds: str, *, offsets: bool, seed: int = 0) -> Counts:
    """Of an arm of general modified Denavit-Hartenberg steps and inertias on an aligned base."""
    rng, rows = np.random.default_rng(seed), []
    for kind in kinds:
        points = rng.normal(size=(6, 3))
        tensor = np.trace(points.T @ points) * np.eye(3) - points.T @ points
        body = armdyn.Inertia(rng.uniform(1, 3), rng.normal(size=3), tensor)
        a, alpha, d = rng.uniform(0.2, 1.0, 3) if rows else np.zeros(3)
        theta = rng.uniform(0.2, 1.0) if offsets else 0.0
        rows.append(armdyn.DHRow(a, alpha, d, theta, kind=KINDS[kind], inertia=body))
    found = armdyn.Robot.from_dh(rows, convention="modified").inverse_dynamics.op_counts
    return {"m": found.multiplications, "a": found.additions, "t": found.trigonometric}


@pytest.mark.short_run(without=("rrpr-True",))
@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("kinds", ["rrr", "rrrrrr", "rrprrr", "rrpr", "rrppr", "rrprprrpr", "rrrrrrrrrr"])
def test_counts_are_those_of_the_table(kinds: str, offsets: bool) -> None:
    for seed in (1, 2):
        assert inverse_dynamics(kinds, offsets=offsets, seed=seed) == OFFSETS[offsets].of(kinds)


@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("kinds", ["rprrrr", "prrrrr", "pprrrr", "rprpr", "rpppr"])
def test_prismatic_joints_at_the_base_cost_less(kinds: str, offsets: bool) -> None:
    found, table = inverse_dynamics(kinds, offsets=offsets), OFFSETS[offsets].of(kinds)
    assert found["m"] + found["a"] < table["m"] + table["a"]
    paper = row("Kazerounian and Gupta 1985").of(kinds)
    assert all(found[unit] < paper[unit] for unit in "mat")


@pytest.mark.parametrize("kinds", ["rrrrrp", "rrp", "rrpp"])
def test_a_prismatic_joint_at_the_end(kinds: str) -> None:
    for offsets, more in ((True, (2, -2)), (False, (23, 7))):
        found, table = inverse_dynamics(kinds, offsets=offsets), OFFSETS[offsets].of(kinds)
        assert (found["m"] - table["m"], found["a"] - table["a"]) == more


def test_six_joints_are_the_sum_of_six() -> None:
    for offsets, table in OFFSETS.items():
        assert table.six == table.of("rrrrrr") == inverse_dynamics("rrrrrr", offsets=offsets)


def test_the_papers_formula_gives_its_figure() -> None:
    paper = row("Kazerounian and Gupta 1985")
    assert paper.six == paper.of("rrrrrr") == {"m": 816, "a": 708, "t": 12}
    assert row("Luh, Walker and Paul 1980").six == {"m": 851, "a": 739, "t": 12}
