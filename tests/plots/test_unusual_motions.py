"""Motions that pictures must take: ten million rows, gaps and spikes in them, signals without units, nothing finite."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import SettingError
from armdyn.plots import plot_trajectory
from armdyn.plots.extremes import INTERVALS, extreme_rows


def test_ten_million_rows_keep_every_spike_and_gap() -> None:
    t = np.linspace(0.0, 1.0, 10_000_000)
    values = np.sin(40.0 * t)[:, None]
    values[1_234_567], values[7_654_321] = 9.0, -9.0
    values[5_000_000:5_000_400] = np.nan
    rows = extreme_rows(values)
    assert len(rows) <= 2 * INTERVALS + 8
    assert {0, 1_234_567, 4_999_999, 5_000_400, 7_654_321, 9_999_999} <= set(rows.tolist())
    assert np.nanmax(values[rows]) == 9.0
    assert np.nanmin(values[rows]) == -9.0


def swing() -> armdyn.Trajectory:
    return armdyn.simulate(armdyn.load("planar_2r"), [0.3, 0.1], duration=0.2)


def test_signals_without_a_unit_are_drawn_by_their_name() -> None:
    motion = swing()
    measured = motion.with_signals(gauge=np.cos(motion.t)[:, None], pair=np.stack([motion.t, 2.0 * motion.t], axis=-1))
    axes = {each.get_title("left"): each for each in plot_trajectory(measured, signals=["gauge", "pair"]).axes}
    gauge, pair = (next(each for title, each in axes.items() if title.startswith(name)) for name in ("gauge", "pair"))
    np.testing.assert_allclose(gauge.lines[0].get_ydata(), np.cos(motion.t))
    assert len([line for line in pair.lines if len(np.atleast_1d(line.get_xdata())) == len(motion.t)]) == 2
    assert not any("[]" in title for title in axes)


def test_signals_that_are_zero_or_lost_are_named() -> None:
    """In the footer of the picture and in the notes of the page."""
    motion = swing()
    nothing = np.zeros((len(motion.t), 1))
    measured = motion.with_signals(gauge=nothing, lost_gauge=nothing + np.nan, half=np.where(nothing == 0, np.nan, 0))
    measured = measured.with_signals(good=nothing + 1.0)
    (footer,) = [text.get_text().replace("\n", " ") for text in [plot_trajectory(measured)._supxlabel]]
    for notes in (footer, "; ".join(measured.page().notes)):
        assert "zero throughout: " in notes
        assert notes.split("zero throughout: ")[1].split(";")[0].endswith("gauge")
        assert "without a finite value: lost gauge, half" in notes
        assert "good" not in notes


def test_a_gap_is_counted() -> None:
    motion = swing()
    t = np.concatenate([np.arange(0.0, 0.05, 0.001), np.arange(0.1, 0.2, 0.001)])
    q = np.stack([np.sin(t), np.cos(t)], axis=-1)
    log = armdyn.logs.Log("run", motion.joint_names, t, q)
    assert "1 gap in log run" in plot_trajectory(motion, over=log)._supxlabel.get_text().replace("\n", " ")


def test_a_motion_of_nothing_finite() -> None:
    motion = swing()
    lost = motion.changed(lambda values: np.full_like(values, np.nan))
    assert plot_trajectory(lost).axes
    with pytest.raises(SettingError, match="no frame has a finite state; nothing can be drawn"):
        lost.animate(robot=armdyn.load("planar_2r"))
