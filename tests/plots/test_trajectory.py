"""Pictures of motions: which panels there are, in which units, and that curves and legends are told apart."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import armdyn
from armdyn.actuators import Actuator, Coulomb
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.motion.labels import of_robot
from armdyn.motion.signal_words import words_of
from armdyn.plots import PictureError
from armdyn.plots.coinciding import DASH, pieces
from armdyn.plots.event_marks import MARKS
from armdyn.plots.style import COLOURS
from armdyn.simulation import RungeKutta4, SaveAt

ARM = armdyn.load("ur5")
POSE = np.array([0.3, -1.0, 1.0, 0.2, 0.3, 0.4])


@pytest.fixture(scope="module")
def falling() -> armdyn.Trajectory:
    return ARM.simulate(POSE, duration=0.3)


@pytest.fixture(scope="module")
def resting() -> armdyn.Trajectory:
    return ARM.simulate(POSE, duration=0.3, torque=ARM.gravity_forces(POSE))


def labels(figure: Figure) -> list[str]:
    """The quantity of each panel."""
    titles = [title(axes).partition(" [")[0].partition(" $")[0] for axes in figure.axes]
    return [each.removeprefix("joint ").partition(" of ")[0] for each in titles]


def title(axes: Any) -> str:
    text: str = axes.get_title("left")
    return text


def test_panels_by_what_happens(falling: armdyn.Trajectory, resting: armdyn.Trajectory) -> None:
    assert labels(falling.plot()) == ["angle", "velocity", "energy", "drift"]
    assert labels(resting.plot()) == ["angle", "velocity", "torque", "energy"]  # it does not move: no drift
    assert labels(falling.plot(panels=("tau", "qdd"))) == ["torque", "acceleration"]
    assert labels(falling.plot(panels="drift")) == ["drift"]


def test_the_figure_is_landscape(falling: armdyn.Trajectory) -> None:
    width, height = falling.plot().get_size_inches()
    assert width > 1.5 * height
    assert falling.plot(figsize=(4.0, 6.0)).get_size_inches().tolist() == [4.0, 6.0]


def test_chosen_joints_by_name_and_number(falling: armdyn.Trajectory) -> None:
    figure = falling.plot(joints=["elbow_joint", 5], panels=["q", "qd", "qdd", "tau"], degrees=False)
    for axes, name in zip(figure.axes, ("q", "qd", "qdd", "tau"), strict=True):
        assert len(axes.lines) == 2
        for line, k in zip(axes.lines, (2, 5), strict=True):
            np.testing.assert_array_equal(line.get_ydata(), getattr(falling, name)[:, k])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:2] == ["elbow_joint", "wrist_3_joint"]
    assert len(falling.plot(joints="elbow_joint").axes[0].lines) == 1


def test_degrees_stand_with_degrees_a_second(falling: armdyn.Trajectory) -> None:
    axes = falling.plot(panels=("q", "qd", "qdd"), joints=[1]).axes
    words = (r"angle $q$ [deg]", r"velocity $\dot{q}$ [deg/s]", r"acceleration $\ddot{q}$ [deg/s²]")
    assert [title(each) for each in axes] == [f"joint {each}" for each in words]
    for each, name in zip(axes, ("q", "qd", "qdd"), strict=True):
        np.testing.assert_allclose(each.lines[0].get_ydata(), np.degrees(getattr(falling, name)[:, 1]))


def test_curves_that_coincide_take_turns(resting: armdyn.Trajectory) -> None:
    velocities = resting.plot().axes[1].lines
    patterns = [line._unscaled_dash_pattern for line in velocities]  # type: ignore[attr-defined]
    assert patterns == [(k * DASH, (DASH, 5 * DASH)) for k in range(6)]
    t = np.linspace(0.0, 1.0, 101)
    assert pieces(t, np.stack([t, t + 0.1, t**2], axis=-1)) == [[(0, 100, 0, 1)]] * 3
    assert pieces(t[:3], np.full((3, 2), np.nan)) == [[(0, 2, 0, 1)]] * 2
    assert pieces(t, np.stack([t, t + 0.003], axis=-1)) == [[(0, 100, 0, 2)], [(0, 100, 1, 2)]]


def test_curves_take_turns_only_where_they_coincide() -> None:
    """Two that part and a third that joins them for a while; each sample between the ends of a curve is drawn."""
    t = np.linspace(0.0, 1.0, 101)
    values = np.stack([np.minimum(t, 0.7), t, np.clip(t, 0.3, 0.5)], axis=-1)
    assert pieces(t, values) == [
        [(0, 30, 0, 2), (30, 51, 0, 3), (51, 70, 0, 2), (70, 100, 0, 1)],
        [(0, 30, 1, 2), (30, 51, 1, 3), (51, 70, 1, 2), (70, 100, 0, 1)],
        [(0, 30, 0, 1), (30, 50, 2, 3), (50, 100, 0, 1)],
    ]


def shown_numbers(axes: Any) -> list[Any]:
    """The numbers of the y axis that lie within it; those beyond it are not drawn."""
    low, high = axes.get_ylim()
    return [text for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]


@pytest.mark.slow
def test_words_cover_nothing(falling: armdyn.Trajectory, resting: armdyn.Trajectory) -> None:
    for motion in (falling, resting.with_signals(load=resting.tau[:, :2])):
        figure = motion.plot()
        figure.canvas.draw()
        words: list[Any] = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
        words += [figure._suptitle, figure._supxlabel]  # type: ignore[attr-defined]
        of_axes = [text for axes in figure.axes for text in (axes.xaxis.label, *shown_numbers(axes))]
        of_axes += [axes._left_title for axes in figure.axes]  # type: ignore[attr-defined]
        boxes = [each.get_window_extent() for each in words]
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)
        for one, axes in itertools.product(boxes, figure.axes):
            assert not one.overlaps(axes.get_window_extent())
        for one, text in itertools.product(boxes, of_axes):
            assert not one.overlaps(text.get_window_extent()), text
        assert all(figure.bbox.x0 <= one.x0 and one.x1 <= figure.bbox.x1 for one in boxes)


@pytest.mark.slow
def test_a_legend_is_no_wider_than_its_panel() -> None:
    """Six values of one long name; the panels keep their width."""
    moved = ARM.simulate(POSE, duration=0.1, torque=[0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
    widths = []
    for name in ("t", "commanded_force_before_limits"):
        figure = moved.with_signals(**{name: moved.tau}).plot()
        figure.canvas.draw()
        axes = next(axes for axes in figure.axes if title(axes).startswith(str(words_of(name).words)))
        assert axes.get_legend().get_window_extent().x1 <= axes.get_window_extent().x1
        widths.append(axes.get_window_extent().width)
    assert widths[1] == pytest.approx(widths[0], rel=0.02)


def test_times_of_panels_in_a_column_are_aligned() -> None:
    """An odd panel stands in its column; the lowest panel of each column has the times."""
    moved = ARM.simulate(POSE, duration=0.1, torque=[0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
    figure = moved.plot()
    figure.canvas.draw()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    assert labels(figure)[-1] == "drift"
    assert [box.x0 for box in boxes[::2]] == pytest.approx([boxes[0].x0] * 3)
    assert boxes[-1].width == pytest.approx(boxes[0].width)
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "", "time [s]", "time [s]"]


def test_into_figures_of_pyplot_and_parts_of_them(falling: armdyn.Trajectory) -> None:
    pyplot.switch_backend("Agg")
    own = pyplot.figure()
    try:
        assert falling.plot(figure=own) is own
        assert len(own.axes) == 4
    finally:
        pyplot.close(own)
    whole = Figure(layout="constrained")
    left, right = whole.subfigures(1, 2)
    assert falling.plot(figure=left, panels=["q"]) is whole
    falling.plot(figure=right, panels=["energy"])
    assert labels(whole) == ["angle", "energy"]


def test_what_there_is_not(falling: armdyn.Trajectory) -> None:
    with pytest.raises(UnknownName, match=r"no panel 'torque' in pictures of trajectories \(13 panels\)"):
        falling.plot(panels=["q", "torque"])
    with pytest.raises(UnknownName, match=r"no joint 'elbow' .* Did you mean 'elbow_joint'"):
        falling.plot(joints=["elbow"])
    with pytest.raises(UnknownName, match="no joint 6 in the trajectory of 'ur5'"):
        falling.plot(joints=[6])
    with pytest.raises(ShapeError, match="figsize"):
        falling.plot(figsize=(1.0, 2.0, 3.0))


def test_signals_are_in_degrees_where_joints_are() -> None:
    """A reference stands beside the positions in their unit; slides and torques keep theirs."""
    robot = armdyn.load("rp")
    t, signals = np.linspace(0.0, 1.0, 5), {"q_ref": np.array([np.pi / 2.0, 0.3]), "residual": np.array([2.0, 3.0])}
    motion = armdyn.simulate(robot, [0.1, 0.2], duration=1.0, save=SaveAt(times=t))
    labels = of_robot(robot, {"q_ref": 2, "residual": 2})
    tables = {name: np.tile(value, (5, 1)) for name, value in signals.items()}
    motion = dataclasses.replace(motion, signals=tables, signal_labels=labels)
    for degrees, angle, unit in ((True, 90.0, "deg"), (False, np.pi / 2.0, "rad")):
        panels = motion.plot(signals=["q_ref", "residual"], degrees=degrees, reference=False).axes[-4:]
        words = [r"reference of joint position $q_{\mathrm{ref}}$", "estimated external force $r$"]
        units = [f"{words[0]} [{unit}]", f"{words[0]} [m]", f"{words[1]} [N m]", f"{words[1]} [N]"]
        assert [title(axes) for axes in panels] == units
        values = [[line.get_ydata()[0] for line in axes.lines] for axes in panels]
        np.testing.assert_allclose(values, [[angle], [0.3], [2.0], [3.0]])
        assert [axes.lines[0].get_color() for axes in panels] == [COLOURS[0], COLOURS[1]] * 2


def test_motions_that_diverge_show_what_was_before() -> None:
    """Not axes up to 1e150, on which all else is zero."""
    motion = armdyn.simulate(armdyn.load("planar_2r"), [0.1, 0.2], duration=1.0, method="rk4")
    q = motion.q.copy()
    q[-3:] = [[1e20, -1e20], [1e100, 1e90], [1e150, -1e140]]
    axes = dataclasses.replace(motion, q=q).plot().axes[0]
    low, high = axes.get_ylim()
    assert -1e5 < low < high < 1e5
    assert low < np.degrees(q[:-3]).min() < np.degrees(q[:-3]).max() < high


def test_events_are_dotted_lines_with_a_mark_for_each_kind() -> None:
    """In every panel one line for each time, near ones as one; the legend has the kinds; none of a batch."""
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=Coulomb(1.0))})
    motion = armdyn.simulate(robot, [0.1, 0.2], [1.0, -2.0], duration=1.0, method="rk4")
    assert len({event.t for event in motion.events}) == len(motion.events) > 1
    kinds = list(dict.fromkeys(event.kind for event in motion.events))
    figure = motion.plot()
    for axes in figure.axes:
        dotted = next(each for each in axes.collections if each.get_label() == "events")
        assert [path.vertices[0, 0] for path in dotted.get_paths()] == [event.t for event in motion.events]
        marks = [line for line in axes.lines if line.get_gid() == "event"]
        assert [line.get_marker() for line in marks] == [MARKS[kind] for kind in kinds]
        assert [*marks[0].get_xdata()] == [event.t for event in motion.events if event.kind == kinds[0]]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [word for word in words if "(" in word] == ["reversal (3)", "stick (1)"]
    twice = dataclasses.replace(motion, events=(*motion.events, motion.events[0]))
    assert len(twice.plot().axes[0].collections[0].get_paths()) == len(motion.events)
    batch = armdyn.simulate(robot, np.full((2, 2), 0.1), [1.0, -2.0], duration=1.0, method="rk4")
    assert not [each for axes in batch.plot().axes for each in axes.collections if each.get_label() == "events"]


def test_a_picture_has_an_ending(falling: armdyn.Trajectory, tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"has no ending; expected a file such as figure\.png"):
        falling.plot(tmp_path)
    assert not list(tmp_path.parent.glob(f"{tmp_path.name}.*"))


def test_motions_that_begin_at_rest_are_shown_whole() -> None:
    """Rounding of a rest is no size that a motion diverges from."""
    push = np.array([5.0, 0, 0, 0, 0, 0])
    motion = ARM.simulate(
        POSE,
        duration=0.6,
        method=RungeKutta4(step=1e-3),
        torque=lambda t, q, qd: ARM.gravity_forces(q) + push * (t > 0.3),
    )
    assert 0.0 < np.abs(motion.qd[motion.t < 0.06]).max() < 1e-12
    for axes, values in zip(motion.plot(panels=("q", "qd")).axes, (motion.q, motion.qd), strict=True):
        low, high = axes.get_ylim()
        assert low <= np.degrees(values).min() < np.degrees(values).max() <= high
