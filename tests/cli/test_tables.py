"""Tables in a narrow window: every name and every number in one piece."""

import io
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import armdyn
from armdyn.cli import bench
from armdyn.cli.tables import figure, new_table, show
from oracles.robot_data import ROBOTS

Shell = Callable[..., Any]

PANDA = "panda_description/urdf/panda.urdf"
TABLES = [
    *(("info", robot) for robot in ("ur5", "planar_2r", PANDA)),
    ("info", "ur5", "--cost"),
    ("torque", "ur5", "--q", "0.123456789,-1.57,-1.23456789e-5,0,0,0", "--qdd", "1,0,-1e-7,0,0,0"),
    ("torque", PANDA, "--q", "0.123456789,-1.57,-1.23456789e-5,0,0,0,0,0.01234567"),
    ("simulate", "ur5", "--duration", "0.1"),
    ("simulate", "ur5", "--duration", "0.001"),
    ("simulate", PANDA, "--duration", "0.001"),
    ("simulate", "planar_2r", "--duration", "0.01"),
]


def words(page: str) -> list[str]:
    """All of them, in order of the alphabet; without the rules, and what a run took."""
    lines = (line for line in page.splitlines() if not re.match(" time ", line))
    return sorted(word for line in lines for word in line.split() if not word.startswith("─"))


@pytest.mark.short_run(
    without=(
        "info ur5 --cost",
        "simulate panda_description/urdf/panda.urdf --duration 0.001",
        "simulate ur5 --duration 0.1",
        "torque panda_description/urdf/panda.urdf --q 0.123456789,-1.57,-1.23456789e-5,0,0,0,0,0.01234567",
    )
)
@pytest.mark.parametrize("command", TABLES, ids=" ".join)
def test_nothing_is_broken_at_80_columns(shell: Shell, command: tuple[str, ...]) -> None:
    command = tuple(str(ROBOTS / PANDA) if word == PANDA else word for word in command)
    narrow, wide = shell(*command), shell(*command, columns=400)
    assert narrow.code == wide.code == 0, narrow.err
    assert words(narrow.out) == words(wide.out)
    assert max(len(line) for line in narrow.out.splitlines() if not line.startswith("note:")) <= 80


@pytest.mark.slow
def test_masp(shell: Shell, tmp_path: Any) -> None:
    narrow, wide = (shell("masp", "--samples", "91", "--out", str(tmp_path), columns=n) for n in (80, 400))
    assert narrow.code == wide.code == 0, narrow.err
    assert words(narrow.out) == words(wide.out)


@pytest.mark.parametrize("functions", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_bench_has_a_row_of_plain_numbers_for_each_function(
    functions: int, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = dict([*bench.compiled_methods(armdyn.load("planar_2r")).items()][:functions])
    monkeypatch.setattr(bench, "compiled_methods", lambda _: timed)
    page = shell("bench", "planar_2r", "--states", "100").out
    rows = [line for line in page.splitlines() if re.match(r" [a-z_]+ +\d", line)]
    assert len(rows) == functions if functions == 2 else len(rows) > 30
    assert "by SciPy's DOP853" in page
    for row in rows:
        assert re.fullmatch(r" [a-z_]+(  +\d+(\.\d+)?){5} ?", row), row
    for heading in ("first,", "one,", "float64,", "float32,", "threads,"):
        assert heading in page.split()


def test_a_name_longer_than_the_window_is_not_broken() -> None:
    name, table = "a" * 100, new_table("Limits", "joint", "range", "axis")
    table.add_row(name, "-0.123 … 4.567", "0.123 0.456 -0.789")
    page = io.StringIO()
    show(Console(file=page, width=80), table)
    assert {name, "-0.123", "…", "4.567", "0.123", "0.456", "-0.789"} <= set(page.getvalue().split())
    assert re.search(r"-0\.123 … 4\.567", page.getvalue())


def test_figures_fit_and_are_right() -> None:
    random = np.random.default_rng(5)
    for x in random.uniform(-1, 1, 500) * 10.0 ** random.integers(-20, 20, 500):
        shown = figure(x)
        assert len(shown) <= 8
        # the digits beside sign, point and an exponent of three characters: at least two
        assert float(shown) == pytest.approx(x, rel=0.05)
        assert float(figure(x, digits=6, width=13)) == pytest.approx(x, rel=5e-6)


@pytest.mark.parametrize("x", [0.1282, -0.1423, 0.01386, -12.3456, 1234.0, 99999.0, 0.001234])
def test_ordinary_figures_have_four_digits(x: float) -> None:
    assert float(figure(x)) == float(f"{x:.4g}")


def test_what_is_no_number_is_said() -> None:
    assert [figure(x) for x in (math.nan, math.inf, -math.inf, -0.0)] == ["nan", "inf", "-inf", "-0"]
