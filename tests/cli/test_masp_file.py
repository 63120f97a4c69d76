"""``armdyn masp FILE``: listed, printed, written, drawn, in the file's units."""

import csv
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import armdyn.plots
from armdyn.masp import EXAMPLE, columns, read_masp
from oracles.masp_files import SLIDER

Shell = Any


def words(text: str) -> str:
    return " ".join(text.split())


def table_of(path: Path) -> tuple[list[str], np.ndarray]:
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, np.array(rows, dtype=float)


@pytest.mark.slow
def test_the_analysis_in_inches_and_pounds(shell: Shell, tmp_path: Path) -> None:
    out, picture = tmp_path / "new" / "arm.csv", tmp_path / "arm.png"
    said = shell("masp", str(EXAMPLE), "--csv", str(out), "--plot", str(picture), columns=140)
    assert said.code == 0, said.err
    shown = words(said.out)
    for text in (
        "configurations at the beginning of the path (deg)",
        "1 * -18.51 -40.7 -46.74 -10.65 -59.19 158.3 followed kept",
        "9 s (deg, deg/s, deg/s², lbf in)",
        "joint_4 -10.65 360 ",
        "joint reactions, base axes, at the joint's centre (lbf, lbf in)",
        "joint_1 - 0 0 46 ",
        "3 + 3 + 3 = 9 s",
        "6.283 in/s",  # 6 in times pi/3 rad/s, (33)
    ):
        assert text in shown
    assert len(re.findall(r"followed kept", shown)) == 8
    header, values = table_of(out)
    expected = columns(read_masp(EXAMPLE).analyse())
    assert header == list(expected)
    np.testing.assert_array_equal(values, np.column_stack(list(expected.values())))
    assert mpl.image.imread(picture).shape[:2] == (1760, 1440)


@pytest.mark.slow
def test_another_configuration(shell: Shell) -> None:
    said = shell("masp", str(EXAMPLE), "--configuration", "5", columns=140)
    assert said.code == 0, said.err
    assert "5 * -161.5 -139.3 -133.3 " in words(said.out)
    said = shell("masp", str(EXAMPLE), "--configuration", "9", columns=140)
    assert said.code == 2
    assert "no configuration 9: 8 reach the path's beginning" in said.err


def test_limits_and_collars_are_shown_in_the_files_units(shell: Shell) -> None:
    said = shell("masp", str(SLIDER), columns=160)
    assert said.code == 0, said.err
    shown = words(said.out)
    assert "3.8 s (rad, rad/s, rad/s², N mm; mm, mm/s, mm/s², N)" in shown
    assert "slide link_2 -3 4 47 " in shown  # the weights from the slide on, payload included, and the load
    assert re.search(
        r"note: position limits, which are not enforced, are left by slide from .* by up to \S+ mm note", shown
    )
    assert "followed left" in shown


def test_the_simulation_half(shell: Shell, tmp_path: Path) -> None:
    out, picture = tmp_path / "moved.csv", tmp_path / "moved.png"
    said = shell("masp", str(EXAMPLE), "--simulate", "--csv", str(out), "--plot", str(picture), columns=140)
    assert said.code == 0, said.err
    shown = words(said.out)
    for text in ("1.5 s (deg, deg/s, deg/s², lbf in)", "the hand, base axes", "AdamsBashforthMoulton4", "300, 0.005 s"):
        assert text in shown
    off = re.search(r"hand off the path, at most (\S+) in", shown)
    assert off is not None
    assert float(off[1]) < 1e-7
    header, values = table_of(out)
    assert values.shape == (301, 46)
    assert {"t [s]", "tau_joint_6 [lbf in]", "hand_v_y [in/s]", "hand_a_z [in/s²]"} <= {*header}
    assert mpl.image.imread(picture).shape[:2] == (2400, 1440)


@pytest.mark.usefixtures("undrawn")
def test_what_was_simulated_until_it_broke_off_is_written(shell: Shell, tmp_path: Path) -> None:
    file, out = tmp_path / "arm.toml", tmp_path / "moved.csv"
    file.write_text(
        re.sub("duration = 1.5.*\n", "duration = 9\n", EXAMPLE.read_text()).replace("step = 0.005", "step = 0.25")
    )
    said = shell("masp", str(file), "--simulate", "--csv", str(out), "--plot", str(tmp_path / "moved.png"), columns=140)
    assert said.code == 2
    assert words(said.err).endswith("What was simulated until then is in the files above.")
    assert f"wrote {out.name}" in words(said.out).replace(str(tmp_path) + "/", "")
    assert len(table_of(out)[1]) > 5
    assert "can be kept by --csv or --plot" in words(shell("masp", str(file), "--simulate").err)


def test_inertias_that_no_body_has_are_taken_by_a_line_of_the_file(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(EXAMPLE.read_text().replace("check_inertia = false", "check_inertia = true"))
    assert "or read it as it stands with check_inertia = false in [arm]" in words(shell("masp", str(file)).err)


def test_the_example_is_printed(shell: Shell, tmp_path: Path) -> None:
    said = shell("masp", "--example")
    assert (said.code, said.out) == (0, EXAMPLE.read_text(encoding="utf-8"))
    help_ = words(shell("masp", "--help").out)
    assert "armdyn masp --example > arm.toml" in help_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("FILE", "--radius", "0.1"), "--radius is not an option of an input file, which specifies it"),
        (("FILE", "--accept"), "--accept is not an option of an input file"),
        (("FILE", "--csv", "x.txt"), "ends in .csv"),
        (("FILE", "--plot", "x.foo"), ".png"),
        (("kg_puma", "--simulate"), "--simulate is an option of an input file (.toml)"),
        (("--csv", "x.csv"), "--csv is an option of an input file (.toml)"),
        (("nosuch.toml",), "no file 'nosuch.toml'; armdyn masp --example prints one to begin with"),
    ],
)
def test_what_does_not_belong_together(shell: Shell, options: tuple[str, ...], message: str) -> None:
    said = shell("masp", *(str(EXAMPLE) if word == "FILE" else word for word in options))
    assert said.code == 2
    assert message in words(said.err)
    assert said.out == ""


@pytest.mark.parametrize("half", [(), ("--simulate",)])
def test_files_are_written_where_nobody_reads_of_them(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: tuple[str, ...]
) -> None:
    """As in ``armdyn masp arm.toml --csv arm.csv | head -1``: rich ends the process at the first line too many."""

    def gone(*_: Any, **__: Any) -> None:
        raise SystemExit(1)

    def draw(*_: Any) -> None:
        """No picture, which takes seconds."""

    monkeypatch.setattr("armdyn.cli.screen.Screen.print", gone)
    for name in ("draw_masp", "draw_simulation"):
        monkeypatch.setattr(armdyn.plots, name, draw)
    monkeypatch.setattr(armdyn.plots, "write_figure", lambda figure, path: path.touch())
    said = shell("masp", str(SLIDER), *half, "--csv", str(tmp_path / "arm.csv"), "--plot", str(tmp_path / "arm.svg"))
    assert said.code == 1
    assert len(table_of(tmp_path / "arm.csv")[1]) == (241 if half else 61)
    assert (tmp_path / "arm.svg").exists()


def test_configurations_are_shown_where_the_path_cannot_be_followed(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(EXAMPLE.read_text(encoding="utf-8").replace("center = [34, 0, 0]", "center = [34, 0, -60]"))
    said = shell("masp", str(file), "--csv", str(tmp_path / "arm.csv"), columns=160)
    assert said.code == 2
    assert "configurations at the beginning of the path" in said.out
    assert "the tip of 'kg_puma' does not reach the path" in words(said.err)
    assert not (tmp_path / "arm.csv").exists()
