"""Pages of motions in Chromium: numbers beside NumPy's, one cursor, ghost, zoom, playback, phone, dark, keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import logs
from armdyn.base.errors import ShapeError
from armdyn.page import PageError
from armdyn.plots.extremes import extreme_rows
from armdyn.simulation import RungeKutta4, SaveAt
from oracles.shell import Shell
from page.browser import opened, until

DRAWN = "armdyn.charts.filter((one) => one.plot && one.visible)"
HOSTILE = "</script><img src=x onerror='window.broken=1'><b>"
ARM = armdyn.load("planar_2r").with_limits({"joint_1": armdyn.Limits(-0.5, 0.5, 1.0, 4.0)})


@pytest.fixture(scope="module")
def motion() -> armdyn.Trajectory:
    falls = armdyn.simulate(ARM, [0.3, 0.2], duration=1.0, method=RungeKutta4(step=1e-3), torque=[0.0, 0.5])
    falls = falls.with_signals(q_ref=falls.q + 0.1, current=falls.tau * 2.0, load=falls.tau[:, 1:])
    return falls


@pytest.fixture(scope="module")
def other() -> armdyn.Trajectory:
    return armdyn.simulate(ARM, [0.3, 0.2], duration=0.6, method=RungeKutta4(step=2e-3), torque=[0.1, 0.5])


@pytest.fixture(scope="module")
def page(
    browser: Any, motion: armdyn.Trajectory, other: armdyn.Trajectory, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("motion") / "run.html"
    motion.compare(other).page(path, robot=ARM)
    with opened(browser, path) as found:
        yield found


def listed(page: Any, expression: str) -> np.ndarray:
    return np.array(page.evaluate(f"Array.from({expression})"), dtype=float)


def column(page: Any, name: str) -> np.ndarray:
    """The numbers of a column, read if they are not yet."""
    read = f"armdyn.columns.load(['{name}']).then(() => Array.from(armdyn.columns.of('{name}')))"
    return np.array(page.evaluate(read), dtype=float)


def go(page: Any, time: float) -> None:
    before = page.evaluate("armdyn.frames")
    page.evaluate("(time) => armdyn.board.hover(time)", time)
    until(page, f"armdyn.frames > {before}")


def readout(page: Any, joint: int, quantity: str) -> str:
    """The text of the value of a chart of a joint."""
    text: str = page.evaluate(
        "([k, name]) => document.querySelectorAll('#rows .joint-row')[k].querySelectorAll('.cell')"
        "[armdyn.motion.joints[k].charts.findIndex((one) => one.quantity === name)].querySelector('b').textContent",
        [joint, quantity],
    )
    return text.replace("\u2212", "-")


def test_numbers_are_those_of_numpy(page: Any, motion: armdyn.Trajectory, other: armdyn.Trajectory) -> None:
    """Columns in single precision; values between rows; poses in double."""
    column(page, "q:0")
    np.testing.assert_array_equal(listed(page, "armdyn.columns.motions[0].t"), motion.t)
    for k in (0, 1):
        for name in ("q", "qd", "tau"):
            found = column(page, f"{name}:{k}")
            np.testing.assert_array_equal(found, getattr(motion, name)[:, k].astype(np.float32))
        found = column(page, f"q:{k}:other")
        np.testing.assert_array_equal(found, other.q[:, k].astype(np.float32))
    np.testing.assert_array_equal(column(page, "drift"), motion.energy.drift.astype(np.float32))
    residual = column(page, "residual:0")
    expected = other.resample(motion.t[motion.t <= 0.6]).q[:, 0] - motion.q[motion.t <= 0.6, 0]
    np.testing.assert_allclose(residual[: len(expected)], expected, rtol=1e-6, atol=1e-9)
    assert np.isnan(residual[len(expected) :]).all()
    column(page, "qd:1")
    for time in (0.0, 0.12345, 0.6, 0.99999, 1.0):
        value = page.evaluate("(time) => armdyn.columns.at('qd:1', time)", time)
        assert value == pytest.approx(np.interp(time, motion.t, motion.qd[:, 1]), rel=1e-5, abs=1e-7)
    q = np.array([np.interp(0.4321, motion.t, motion.q[:, k]) for k in (0, 1)])
    T = listed(page, "armdyn.stage.at(0.4321).tip_pose")
    np.testing.assert_allclose(T.reshape(4, 4), ARM.forward_kinematics(q), atol=1e-6)


def test_the_page_opens_with_the_extremes(browser: Any, tmp_path: Path) -> None:
    """Before all rows are read a column is drawn by its extremes, and only then is a number between rows printed."""
    moves = armdyn.simulate(ARM, [0.3, 0.2], duration=2.0, method=armdyn.simulation.RungeKutta4(step=1e-4))
    made = moves.page(tmp_path / "run.html", robot=ARM)
    with opened(browser, tmp_path / "run.html") as page:
        wave = moves.q[:, 0]
        t, y = (listed(page, f"armdyn.columns.overview('q:0').{each}") for each in ("t", "y"))
        assert len(t) < 1000
        np.testing.assert_allclose([y.min(), y.max()], [wave.min(), wave.max()], rtol=1e-6)
        np.testing.assert_allclose(y, np.interp(t, moves.t, wave), atol=1e-4)
        until(page, "armdyn.columns.read.size >= 4 && !armdyn.board.wanted.size")
        whole = page.evaluate("armdyn.columns.points('q:0', 0, 2, 200, 1)")
        assert len(whole[0]) <= 2 * 201 + 2
        assert max(whole[1]) == pytest.approx(wave.max(), rel=1e-6)
        assert min(whole[1]) == pytest.approx(wave.min(), rel=1e-6)
        for start in np.linspace(0.1, 1.0, 7):
            near = page.evaluate("(start) => armdyn.columns.points('qd:1', start, start + 0.7, 33, 1)", start)
            inside = (moves.t >= start) & (moves.t <= start + 0.7)
            part = moves.qd[inside, 1].astype(np.float32)
            assert max(near[1]) >= part.max()
            assert min(near[1]) <= part.min()
    assert made.html.index("block-0") > made.html.index("class Columns")


def test_one_cursor_through_all(page: Any, motion: armdyn.Trajectory) -> None:
    """Pointing at a chart moves the time, the values of all charts, the cursors and the arm."""
    box = page.locator("#rows .plot .u-over").first.bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 20)
    until(page, "Math.abs(armdyn.player.time - 0.25) < 0.01")
    time = page.evaluate("armdyn.player.time")
    until(page, f"Math.abs(Number(document.querySelector('.clock b').textContent.split(' ')[0]) - {time}) < 1e-3")
    value = np.degrees(np.interp(time, motion.t, motion.q[:, 1]))
    assert readout(page, 1, "q").startswith(f"{value:.5g}"[:5])
    shown = page.evaluate(f"{DRAWN}.map((one) => one.plot.posToVal(one.plot.cursor.left, 'x'))")
    assert len(shown) >= 3
    np.testing.assert_allclose(shown, time, atol=0.01)
    page.mouse.move(5, 5)
    assert page.evaluate("armdyn.player.time") == time
    assert page.evaluate("armdyn.charts.find((one) => one.plot).plot.cursor.left") >= 0


def test_a_ghost_where_the_other_motion_is(page: Any, other: armdyn.Trajectory) -> None:
    poses = listed(page, "armdyn.stage.ghostAt(0.3).tip_pose").reshape(4, 4)
    q = other.resample([0.3]).q[0]
    np.testing.assert_allclose(poses, ARM.forward_kinematics(q), atol=1e-6)
    go(page, 0.4)

    def blue() -> int:
        """Pixels of the picture that the ghost tints."""
        before = page.evaluate("armdyn.frames")
        page.evaluate("armdyn.player.changed()")
        until(page, f"armdyn.frames > {before}")
        count: int = page.evaluate(
            """(() => {
              const stage = armdyn.stage, gl = stage.drawing.gl, { width, height } = stage.drawing.canvas;
              stage.draw(armdyn.player.time);
              const pixels = new Uint8Array(4 * width * height);
              gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
              let count = 0;
              for (let k = 0; k < pixels.length; k += 4) if (pixels[k + 2] > pixels[k] + 25) count++;
              return count;
            })()"""
        )
        return count

    with_ghost = blue()
    page.locator("#layers").get_by_role("button", name="ghost").click()
    assert blue() < with_ghost - 100
    page.locator("#layers").get_by_role("button", name="ghost").click()


def test_zoom_and_keys(page: Any) -> None:
    box = page.locator("#rows .plot .u-over").first.bounding_box()
    y = box["y"] + 30
    page.mouse.move(box["x"] + 0.2 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=5)
    page.mouse.up()
    until(page, "armdyn.board.view[1] < 0.6")
    a, b = page.evaluate("armdyn.board.view")
    assert (a, b) == pytest.approx((0.2, 0.5), abs=0.02)
    until(page, f"{DRAWN}.every((one) => Math.abs(one.plot.scales.x.min - armdyn.board.view[0]) < 1e-9)")
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], y)
    until(page, "armdyn.board.view[0] === 0 && armdyn.board.view[1] === 1")
    page.mouse.click(500, 5)
    page.keyboard.press("Home")
    until(page, "armdyn.player.time === 0")
    page.keyboard.press("ArrowRight")
    until(page, "Math.abs(armdyn.player.time - 0.01) < 1e-9")
    page.keyboard.press("End")
    until(page, "armdyn.player.time === 1")
    page.keyboard.press("+")
    until(page, "Math.abs(armdyn.board.view[0] - 0.4) < 1e-9")
    page.keyboard.press("Alt+ArrowLeft")
    until(page, "Math.abs(armdyn.board.view[0] - 0.28) < 1e-9")
    page.keyboard.press("0")
    until(page, "armdyn.board.view[0] === 0")


def test_playback_takes_the_true_time(page: Any) -> None:
    """The rate that is printed is measured; half the motion takes half a second, however slow pictures are."""
    go(page, 0.0)
    page.keyboard.press(" ")
    until(page, "armdyn.player.time > 0.5 || !armdyn.player.running")
    since = "(performance.now() - armdyn.player.since) / 1000"
    rate = page.evaluate(f"(armdyn.player.time - armdyn.player.from) / ({since})")
    assert 0.5 < rate < 1.01
    until(page, "!armdyn.player.running")
    assert page.evaluate("armdyn.player.time") == 1.0
    shown = page.locator(".clock").inner_text()
    assert re.search(r"plays at (0\.9|1\.0)\d \S the true rate", shown), shown


def test_limits_references_and_events_are_drawn(page: Any, motion: armdyn.Trajectory) -> None:
    chart = "armdyn.charts.find((one) => one.about.quantity === 'qd')"
    column(page, "qd:0")
    spans = np.array(page.evaluate(f"{chart}.outside()"))
    beyond = np.abs(motion.qd[:, 0]) > 1.0
    covered = np.zeros(len(beyond), dtype=bool)
    for start, end in spans:
        covered |= (motion.t >= start) & (motion.t <= end)
    np.testing.assert_array_equal(covered, beyond)
    assert page.evaluate(f"{chart}.about.high") == pytest.approx(np.degrees(1.0))
    roles = page.evaluate("armdyn.motion.joints[0].charts[0].series.map((one) => one.role)")
    assert roles == ["main", "reference", "other"]
    page.locator("#quantities").get_by_role("button", name="motor current").click()
    until(page, "armdyn.columns.read.has('current:1')")
    go(page, 0.5)
    assert readout(page, 1, "current") == "1 A"
    page.locator("#quantities").get_by_role("button", name="motor current").click()
    titles = page.locator("#whole .label span").all_inner_texts()
    assert titles == ["energy", "drift of the energy account", "load"]


def test_a_phone_and_a_dark_room(page: Any) -> None:
    """Nothing is wider than the window; the arm stays on top; the colours are those of the scheme."""
    backs = set()
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        backs.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    page.evaluate("window.scrollTo(0, 700)")
    until(page, "Math.abs(document.getElementById('stage').getBoundingClientRect().top) < 2")
    page.set_viewport_size({"width": 1000, "height": 600})
    page.evaluate("window.scrollTo(0, 0)")
    page.emulate_media(color_scheme="light")
    assert len(backs) == 2


def test_gaps_names_and_a_page_without_an_arm(browser: Any, motion: armdyn.Trajectory, tmp_path: Path) -> None:
    """A log with a gap is broken there; names that are markup are text; charts go without a robot."""
    arm = ARM.renamed({"joint_1": HOSTILE}, name=HOSTILE)
    falls = armdyn.simulate(arm, [0.3, 0.2], duration=1.0, method=RungeKutta4(step=1e-3))
    rows = np.r_[0:300, 500:1001]
    log = logs.read({"t": falls.t[rows], "q": falls.q[rows] + 0.01}, arm)
    made = falls.page(tmp_path / "run.html", over=log)
    assert any("the robot is not known" in note for note in made.notes)
    assert any("1 gap in log arrays" in note for note in made.notes)
    with opened(browser, tmp_path / "run.html") as page:
        assert page.locator("h1").inner_text() == f"Motion of {HOSTILE}, 1 s"
        assert page.evaluate("window.broken") is None
        assert page.evaluate("armdyn.stage") is None
        column(page, "q:0:other")
        assert page.evaluate("Number.isNaN(armdyn.columns.at('q:0:other', 0.4))")
        xs, ys = page.evaluate("armdyn.columns.points('q:0:other', 0, 1, 2000, 1)")
        hole = [x for x, y in zip(xs, ys, strict=True) if y is None]
        assert hole == [pytest.approx(0.5 * (falls.t[299] + falls.t[500]))]
        coarse = page.evaluate("armdyn.columns.points('q:0', 0, 1, 50, 1)")
        assert len(coarse[0]) < 260
        assert max(coarse[1]) == pytest.approx(float(falls.q[:, 0].max()), rel=1e-6)
        assert min(coarse[1]) == pytest.approx(float(falls.q[:, 0].min()), rel=1e-6)


def test_a_joint_at_rest_has_the_range_of_its_limits(browser: Any, tmp_path: Path) -> None:
    arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_limits({"joint_1": armdyn.Limits(-0.01, 0.01)})
    armdyn.simulate(arm, [0.0, 0.2], duration=0.1).page(tmp_path / "run.html", robot=arm)
    with opened(browser, tmp_path / "run.html") as page:
        until(page, "armdyn.charts.some((one) => one.about.quantity === 'q' && one.range)")
        low, high = page.evaluate("armdyn.charts.find((one) => one.about.quantity === 'q').range")
        limit = np.degrees(0.01)
        assert -1.2 * limit < low <= -limit < limit <= high < 1.2 * limit


def test_events_have_names_and_marks(browser: Any, tmp_path: Path) -> None:
    arm = armdyn.load("planar_2r").with_limits({"joint_1": armdyn.Limits(-0.5, 0.5), "joint_2": armdyn.Limits(-1, 1)})
    falls = armdyn.simulate(
        arm, [0.3, 0.2], duration=1.0, elements=[armdyn.simulation.Stops(0.4)], method=RungeKutta4(step=1e-3)
    )
    falls.page(tmp_path / "run.html", robot=arm)
    with opened(browser, tmp_path / "run.html") as page:
        button = page.locator("#events button").first
        assert re.match(r"▼ impact joint_\d (lower|upper) stop 0\.\d+ s", button.inner_text())
        button.click()
        until(page, f"Math.abs(armdyn.player.time - {falls.events[0].t}) < 1e-9")


def test_long_motions_are_thinned_by_extremes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every column keeps its largest and least value; the page says it."""
    from armdyn.page import motion_content

    monkeypatch.setattr(motion_content, "MOST_NUMBERS", 60_000)
    falls = armdyn.simulate(ARM, [0.3, 0.2], duration=1.0, save=SaveAt(times=np.linspace(0.0, 1.0, 20_001)))
    content = motion_content.Content(falls, None, ())
    zero, note = content.notes
    assert zero == "zero throughout: torque"
    assert "tau" not in content.data()["first"]
    assert note.startswith("20,001 rows thinned to ")
    assert content.data()["motions"][0]["rows"] < 12_000
    rows = extreme_rows(falls.q, 500, 1000)
    assert falls.q[rows].max() == falls.q.max()


def test_motions_that_have_no_page(motion: armdyn.Trajectory) -> None:
    batch = armdyn.simulate(ARM, np.zeros((2, 2)), duration=0.1, method=RungeKutta4(step=0.01))
    with pytest.raises(PageError, match=r"choose one: trajectory.pick\(0\).page\(\)"):
        batch.page()
    with pytest.raises(ShapeError, match="Give the robot that was simulated"):
        motion.page(robot=armdyn.load("ur5"))
    with pytest.raises(PageError, match="expected the Robot that moved"):
        motion.page(robot="ur5")


def test_the_command_line(browser: Any, motion: armdyn.Trajectory, shell: Shell, tmp_path: Path) -> None:
    """A saved motion, another one or a log behind it; errors name the option and the remedy."""
    motion.save(tmp_path / "run.npz")
    rows = np.r_[0:300, 500:1001]
    header = "t,q_joint_1,q_joint_2"
    table = np.column_stack([motion.t, motion.q + 0.01])[rows]
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header=header, comments="")
    out = tmp_path / "run.html"
    played = ["page", "planar_2r", "--motion", f"{tmp_path}/run.npz"]
    said = shell(*played, "--over", f"{tmp_path}/log.csv", "-o", str(out))
    assert said.code == 0, said.err
    assert "1 gap in log log" in said.err
    with opened(browser, out) as page:
        assert page.evaluate("armdyn.motion.names") == ["planar_2r", "log log"]
        assert page.evaluate("armdyn.stage.hasGhost")
    alone = shell("page", "planar_2r", "--over", "log.csv")
    assert alone.code == 2
    assert "--over belongs to the page of a motion; expected --motion FILE too" in alone.err
    assert "Leave it out" in shell(*played, "--q", "0,0").err
    missing = shell(*played, "--over", f"{tmp_path}/none.csv")
    assert missing.code == 2
    assert "none.csv" in missing.err
    own = shell("page", "planar_2r", "--motion", f"{tmp_path}/log.csv", "-o", f"{tmp_path}/log.html", "--json")
    assert own.code == 0, own.err
