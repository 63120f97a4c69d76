"""Pictures of motions with another motion or a log behind, limits, references, both layouts, long motions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import armdyn
from armdyn import logs
from armdyn.base.errors import DTypeError, SettingError, ShapeError
from armdyn.plots.extremes import INTERVALS, extreme_rows, with_breaks
from armdyn.plots.overlay import overlay_of
from armdyn.plots.style import COLOURS
from armdyn.simulation import RungeKutta4, SaveAt

ARM = armdyn.load("planar_2r").with_limits(
    {"joint_1": armdyn.Limits(-0.5, 0.5, 1.0, 4.0), "joint_2": armdyn.Limits(-9.0, 9.0, 90.0, 900.0)}
)
Q0 = np.array([0.3, 0.2])


@pytest.fixture(scope="module")
def motion() -> armdyn.Trajectory:
    falls = armdyn.simulate(ARM, Q0, duration=1.0, method=RungeKutta4(step=1e-3), torque=[0.0, 0.5])
    return falls.with_signals(q_ref=falls.q + np.array([0.1, -0.2]), tau_unlimited=falls.tau + 1.0)


def titled(figure: Figure, begin: str) -> Any:
    return next(axes for axes in figure.axes if axes.get_title("left").startswith(begin))


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def foot(figure: Any) -> str:
    return str(figure._supxlabel.get_text()).replace("\n", " ")


def test_references_on_the_curve_that_they_are_for(motion: armdyn.Trajectory) -> None:
    figure = motion.plot()
    for name, begin in (("q", "joint angle"), ("tau", "joint torque")):
        axes = titled(figure, begin)
        signal = motion.signals["q_ref" if name == "q" else "tau_unlimited"]
        factor = 180.0 / np.pi if name == "q" else 1.0
        for curve, followed, k in zip(axes.lines[:2], axes.lines[2:4], (0, 1), strict=True):
            np.testing.assert_array_equal(curve.get_ydata(), getattr(motion, name)[:, k] * factor)
            np.testing.assert_array_equal(followed.get_ydata(), signal[:, k] * factor)
            assert curve.get_color() == COLOURS[k] != followed.get_color()
    assert "reference" in words(figure)
    error = titled(figure, "tracking error")
    values = np.array([line.get_ydata() for line in error.lines[:2]])
    np.testing.assert_allclose(values, np.degrees([[0.1], [-0.2]]) + np.zeros((2, 1001)))
    plain = motion.plot(reference=False)
    assert "reference" not in words(plain)
    assert titled(plain, "reference of joint position").lines[0].get_ydata()[0] == np.degrees(0.4)


def test_limits_are_lines_and_times_beyond_are_shaded(motion: armdyn.Trajectory) -> None:
    figure = motion.plot()
    beyond = np.abs(motion.qd[:, 0]) > 1.0
    assert 0 < beyond.sum() < len(beyond)
    axes = titled(figure, "joint velocity")
    lines = next(each for each in axes.collections if each.get_label() == "limit")
    heights = sorted(path.vertices[0, 1] for path in lines.get_paths())
    assert heights == pytest.approx([-np.degrees(1.0), np.degrees(1.0)])  # that of joint 2 is far away
    shaded = next(each for each in axes.collections if each.get_label() == "outside limits")
    spans = [sorted({*path.vertices[:4, 0]}) for path in shaded.get_paths()]
    covered = np.zeros(len(beyond), dtype=bool)
    for start, end in spans:
        covered |= (motion.t >= start) & (motion.t <= end)
    np.testing.assert_array_equal(covered, beyond)
    assert "joint_1 qd" in foot(figure)
    assert {"limit", "outside limits"} <= {*words(figure)}
    for off in (motion.plot(limits=False), motion.plot(limits=[armdyn.Limits()] * 2)):
        assert not {"limit", "outside limits"} & {*words(off)}
    kept = motion.plot(limits=[armdyn.Limits(velocity=1.05 * float(np.abs(motion.qd).max()))] * 2)
    assert {"limit", "outside limits"} <= {*words(kept)}  # the band of values that no joint reaches
    second, first = np.sort(np.abs(motion.qd[:, 0]))[-2:]
    once = [armdyn.Limits(velocity=float(second + first) / 2), armdyn.Limits()]
    assert "joint_1 qd at one time" in foot(motion.plot(limits=once))
    wide = armdyn.load("planar_2r").with_limits({"joint_1": armdyn.Limits(velocity=50.0)})
    assert "joint_1 qd" not in foot(motion.plot(limits=wide))
    with pytest.raises(DTypeError, match=r"limits is 3.*an armdyn.Limits for each of the joints joint_1, joint_2"):
        motion.plot(limits=3)
    with pytest.raises(ShapeError, match="joints"):
        motion.plot(limits=armdyn.load("ur5"))


def test_another_motion_behind_and_the_residual(motion: armdyn.Trajectory) -> None:
    other = armdyn.simulate(ARM, Q0, duration=0.6, method=RungeKutta4(step=2e-3), torque=[0.1, 0.5])
    figure = motion.plot(over=other)
    axes = titled(figure, "joint angle")
    behind = axes.lines[-3:] if axes.lines[-1].get_gid() == "event" else axes.lines[-2:]
    for line, k in zip(behind, (0, 1), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), other.t)
        np.testing.assert_array_equal(line.get_ydata(), np.degrees(other.q[:, k]))
    residual = titled(figure, "residual")
    common = motion.t <= 0.6
    expected = np.degrees(other.resample(motion.t[common]).q - motion.q[common])
    for line, k in zip(residual.lines, (0, 1), strict=False):
        np.testing.assert_allclose(line.get_ydata()[common], expected[:, k], atol=1e-9)
        assert np.isnan(line.get_ydata()[~common]).all()
    assert "301 rows from 0 to 0.6 s, aligned by time" in foot(figure)
    assert "planar_2r, other motion" in words(figure)
    compared = motion.compare(other)
    drawn = compared.plot()
    assert [axes.get_title("left").partition(" ")[0] for axes in drawn.axes] == ["joint", "residual,"] * 3
    largest = np.nanmax(np.abs(titled(drawn, "residual").lines[0].get_ydata()))
    assert largest == pytest.approx(np.degrees(compared.q.largest[0]), rel=1e-9)


def test_a_log_behind_has_gaps(motion: armdyn.Trajectory) -> None:
    rows = np.r_[0:300, 500:1001]
    log = logs.read({"t": motion.t[rows], "q": motion.q[rows] + np.array([0.01, -0.02])}, ARM)
    figure = motion.plot(over=log, panels=["q", "residual"])
    line = figure.axes[0].lines[-1]
    np.testing.assert_array_equal(np.isnan(line.get_ydata()).nonzero()[0], [300])
    off = figure.axes[1].lines[0].get_ydata()
    np.testing.assert_allclose(off[rows], np.degrees(0.01), rtol=1e-9)
    assert np.isnan(off[300:500]).all()
    assert "1 gap in log arrays" in foot(figure)


def test_motions_of_other_robots(motion: armdyn.Trajectory) -> None:
    """Joints are matched by name; if none is common, by order, if their kinds are alike; that is said."""
    three = armdyn.simulate(armdyn.load("planar_3r"), np.zeros(3), duration=0.1)
    assert overlay_of(motion, three).columns == (0, 1)
    ur5 = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.1)
    assert "no joint has the name of one of planar_2r; joints matched by order" in foot(motion.plot(over=ur5))
    slides = armdyn.simulate(armdyn.load("rp").renamed({"joint_1": "a", "joint_2": "b"}), [0.0, 1.0], duration=0.1)
    found = overlay_of(motion, slides)
    assert found.columns == (0, -1)
    assert "of another kind" in found.notes[1]
    assert "planar_2r does not have joint_3" in foot(three.plot(over=motion))
    with pytest.raises(DTypeError, match=r"over is 'run.npz'; expected an armdyn.Trajectory or an armdyn.logs.Log"):
        motion.plot(over="run.npz")
    with pytest.raises(ShapeError, match=r"choose one motion: over=other.pick\(0\)"):
        motion.plot(over=armdyn.simulate(ARM, np.zeros((2, 2)), duration=0.1))
    with pytest.raises(SettingError, match="expected over=other too"):
        motion.plot(panels=["residual"])
    with pytest.raises(SettingError, match=r"has no signal 'q_ref': trajectory.with_signals\(q_ref=...\)"):
        ur5.plot(panels=["error"])


def test_a_row_for_each_joint(motion: armdyn.Trajectory) -> None:
    figure = motion.plot(layout="joints", panels=["q", "qd", "tau", "energy"], size="paper", palette="grey")
    assert len(figure.axes) == 7
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["joint_1", "joint_2"]
    colours = [{axes.lines[0].get_color() for axes in figure.axes[k : k + 3]} for k in (0, 3)]
    assert [len(each) for each in colours] == [1, 1]
    assert colours[0] != colours[1]
    assert figure.get_size_inches()[0] == 6.69
    with pytest.raises(SettingError, match="layout is 'rows'; expected 'quantities' or 'joints'"):
        motion.plot(layout="rows")


def test_panels_that_hold_only_zeros(motion: armdyn.Trajectory) -> None:
    """They are left out and named, unless they are asked for; values of a panel likewise."""
    names = [("joint_1 upper stop", "N m"), ("joint_2 upper stop", "N m"), ("joint_2 lower stop", "N m")]
    stops = np.zeros((1001, 3))
    own = motion.with_signals(friction=np.zeros((1001, 2)), stop_force=stops).with_signal_labels(stop_force=names)
    figure = own.plot()
    assert "zero throughout: friction, stop force" in foot(figure)
    assert not [axes for axes in figure.axes if "stop" in axes.get_title("left")]
    assert titled(own.plot(signals=["stop_force"]), "stop force")
    pushed = motion.with_signals(stop_force=stops + np.array([0.0, 0.0, 2.0])).with_signal_labels(stop_force=names)
    axes = titled(pushed.plot(), "stop force")
    assert axes.get_title("left").endswith("(2 of 3 are zero)")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["joint_2 lower stop"]
    assert axes.lines[0].get_color() == COLOURS[1]  # the joint's
    both = motion.with_signals(stop_force=stops + np.array([0.0, 1.0, 2.0])).with_signal_labels(stop_force=names)
    both = titled(both.plot(signals=["stop_force"]), "stop force")
    assert both.get_title("left").endswith("(1 of 3 is zero)")  # one as two
    assert [line.get_color() for line in both.lines[:2]] == [COLOURS[1]] * 2
    assert len({(line.get_color(), str(line.get_linestyle())) for line in both.lines[:2]}) == 2
    units = [("joint_1 upper stop", "N"), ("joint_2 upper stop", "N m"), ("joint_2 lower stop", "N m")]
    two = motion.with_signals(stop_force=stops + np.array([0.0, 1.0, 2.0])).with_signal_labels(stop_force=units)
    figure = two.plot()
    assert len([axes for axes in figure.axes if "stop" in axes.get_title("left")]) == 1
    assert "zero throughout: stop force [N]" in foot(figure)


def test_phase_portrait(motion: armdyn.Trajectory) -> None:
    axes = motion.plot(panels=["phase"]).axes[0]
    for line, k in zip(axes.lines[:2], (0, 1), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.degrees(motion.q[:, k]))
        np.testing.assert_array_equal(line.get_ydata(), np.degrees(motion.qd[:, k]))


def test_long_motions_are_drawn_by_their_extremes() -> None:
    """Every spike is there, gaps stay gaps, and the footer says it."""
    count = 1_000_003
    t = np.linspace(0.0, 10.0, count)
    values = np.sin(40.0 * t)[:, None]
    values[[123_456, 999_999], 0] = [7.0, -8.0]
    values[500_000:500_100, 0] = np.nan
    rows = extreme_rows(values)
    assert len(rows) < 2 * INTERVALS + 20
    assert {0, 123_456, 499_999, 500_000, 500_099, 500_100, 999_999, count - 1} <= {*rows.tolist()}
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(extreme_rows(values[:6000]), np.arange(6000))
    short = armdyn.simulate(ARM, Q0, duration=0.1, save=SaveAt(times=np.linspace(0.0, 0.1, 7000)))
    figure = short.plot(panels=["q"])
    assert "7,000 rows drawn by the extremes of 1,500 intervals" in foot(figure)
    drawn = figure.axes[0].lines[0].get_ydata()
    assert len(drawn) < 7000
    assert np.max(drawn) == np.degrees(short.q[:, 0]).max()
    broken = with_breaks(np.arange(4.0), np.ones((4, 1)), [slice(0, 2), slice(2, 4)])
    np.testing.assert_array_equal(broken[0], [0.0, 1.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(np.isnan(broken[1][:, 0]), [False, False, True, False, False])


@pytest.mark.parametrize("size", ["report", "paper", "slide"])
def test_words_cover_nothing_at_any_size(motion: armdyn.Trajectory, size: str) -> None:
    figure: Any = motion.plot(size=size, panels=["q", "phase", "tau", "energy", "error"])
    figure.canvas.draw()
    boxes = [axes._left_title.get_window_extent() for axes in figure.axes]
    boxes += [axes.get_legend().get_window_extent() for axes in figure.axes if axes.get_legend()]
    boxes += [axes.xaxis.label.get_window_extent() for axes in figure.axes if axes.get_xlabel()]
    boxes += [figure.legends[0].get_window_extent(), figure._suptitle.get_window_extent()]
    boxes.append(figure._supxlabel.get_window_extent())
    panels = [axes.get_window_extent() for axes in figure.axes]
    for k, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[k + 1 :])
        assert not any(one.overlaps(panel) for panel in panels)
        assert figure.bbox.x0 <= one.x0 < one.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= one.y0 < one.y1 <= figure.bbox.y1


def test_another_motion_behind_the_figures_of_masp() -> None:
    """Broad lines are the other run, the simulation or the log, in the panel's units and at its own times."""
    arm = armdyn.load("kg_puma")
    run = armdyn.masp.run_masp(arm, samples=21)
    heavy = armdyn.masp.run_masp(arm.with_payload(mass=5.0), samples=31)
    figure: Any = armdyn.plots.draw_masp(run, over=heavy)
    angles, torques = figure.axes[0].lines, figure.axes[6].lines
    np.testing.assert_array_equal(angles[0].get_xdata(), heavy.t)
    np.testing.assert_allclose(angles[0].get_ydata(), np.degrees(heavy.joints.q[:, 0]), rtol=1e-15)
    np.testing.assert_array_equal(torques[2].get_ydata(), heavy.tau[:, 1])
    np.testing.assert_array_equal(torques[3].get_ydata(), run.tau[:, 1])
    assert "broad pale lines: kg_puma, other motion; kg_puma, other motion: 31 rows" in foot(figure).replace("\n", " ")
    hold = armdyn.masp.TorqueTable([0.0, 0.1], [arm.gravity_forces(np.zeros(6))] * 2)
    held = armdyn.masp.simulate_torques(arm, hold, np.zeros(6), step=0.01)
    figure = armdyn.plots.draw_simulation(held, over=run)
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), run.joints.q[:, 0])
    np.testing.assert_array_equal(figure.axes[6].lines[0].get_ydata(), run.tip.pose[:, 0, 3])
    motion = armdyn.simulate(arm, np.zeros(6), duration=0.1)
    figure = armdyn.plots.draw_simulation(held, over=motion)
    np.testing.assert_array_equal(figure.axes[3].lines[2].get_ydata(), motion.qd[:, 4])
    assert len(figure.axes[6].lines) == 3 + 1, "the hand of a trajectory is not drawn"
    with pytest.raises(armdyn.DTypeError, match=r"over is 3; expected an armdyn\.Trajectory"):
        armdyn.plots.draw_masp(run, over=3)


@pytest.mark.parametrize("palette", ["colour", "grey"])
def test_a_limit_that_all_joints_share_has_the_colour_of_none(palette: Any) -> None:
    """That of one joint is in the joint's colour; a joint's limit and its curve look alike in no panel of both."""
    free = armdyn.load("planar_2r")
    limits = armdyn.Limits(lower=-1.0, upper=1.0)
    for each, of_joint in (({"joint_1": limits, "joint_2": limits}, False), ({"joint_1": limits}, True)):
        motion = armdyn.simulate(free.with_limits(each), [0.8, 0.2], duration=0.3)
        figure = motion.plot(palette=palette)
        axes = titled(figure, "joint angle")
        (lines,) = [one for one in axes.collections if one.get_label() == "limit"]
        (colour,) = {to_hex(one) for one in lines.get_colors()}
        of_curves = [to_hex(line.get_color()) for line in axes.lines]
        assert colour == of_curves[0] if of_joint else colour not in of_curves
        sample = figure.legends[0].get_lines()[words(figure).index("limit")]
        assert to_hex(sample.get_color()) == "#666666"
        assert of_joint or colour == "#666666"


def test_events_have_the_colour_of_their_joint_and_its_name_in_the_footer() -> None:
    robot = armdyn.load("planar_2r").with_limits({f"joint_{k}": armdyn.Limits(lower=-1.0, upper=1.0) for k in (1, 2)})
    motion = armdyn.simulate(robot, [0.8, 0.2], duration=1.2, elements=[armdyn.simulation.Stops(0.5)])
    names = [event.name for event in motion.events if event.kind == "impact"]
    assert {name.split()[0] for name in names} == {"joint_1", "joint_2"}
    figure = motion.plot()
    marks = {line.get_markeredgecolor(): line for line in figure.axes[0].lines if line.get_gid() == "event"}
    assert list(marks) == [COLOURS[k] for k in dict.fromkeys(int(name[6]) - 1 for name in names)]
    for k in (0, 1):
        own = [event.t for event in motion.events if event.name.startswith(f"joint_{k + 1}")]
        assert set(marks[COLOURS[k]].get_xdata()) <= set(own)
    counts = [f"{name} ({names.count(name)})" for name in dict.fromkeys(names)]
    assert f"impact: {', '.join(counts)}" in foot(figure)
    (of_one,) = {line.get_markeredgecolor() for line in motion.plot(joints=["joint_1"]).axes[0].lines
                 if line.get_gid() == "event"} - {COLOURS[0]}  # fmt: skip
    assert of_one == "#444444"  # the other joint has no colour there
