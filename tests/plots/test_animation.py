"""What each frame shows is where forward kinematics puts the arm, and files hold every frame for its time."""

import base64
import dataclasses
import io
import os
import re
import runpy
import stat
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from mpl_toolkits.mplot3d import proj3d
from PIL import Image

import armdyn
from armdyn import Robot, ShapeError, Trajectory, UnknownName
from armdyn.model.geometry import Box
from armdyn.plots import Animation, PictureError, animate_trajectory, movie, write_figure
from armdyn.plots.bodies import triangles_of
from armdyn.plots.plane import plane_of_motion
from armdyn.plots.shaded_triangles import ShadedTriangles
from armdyn.simulation import Euler, RungeKutta4, SaveAt, SettingError
from oracles.cases import CASES
from oracles.short_run import short_run


@pytest.fixture(scope="module")
def planar() -> Robot:
    return armdyn.load("planar_2r")


@pytest.fixture(scope="module")
def swing(planar: Robot) -> Trajectory:
    return armdyn.simulate(planar, [0.3, 0.0], [0.0, 1.0], duration=0.5, save=SaveAt(every=0.02))


@pytest.fixture(scope="module")
def fall() -> Trajectory:
    return armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.4, save=SaveAt(every=0.02))


def drawn(animation: Animation) -> np.ndarray:
    """Every point of every line in the picture, shape (points, 2) or (points, 3)."""
    lines = animation.figure.axes[0].lines
    data = [np.array(line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()) for line in lines]
    return np.concatenate(data, axis=1).T


def holds(points: np.ndarray, place: np.ndarray) -> bool:
    return bool(np.abs(points - place).max(axis=1).min() < 1e-9)


def test_a_planar_arm_stands_where_its_closed_form_says(swing: Trajectory, planar: Robot) -> None:
    animation = swing.animate(robot=planar)
    np.testing.assert_allclose(animation.t, [*np.arange(13) * 0.04, 0.5], atol=1e-15)  # the last state too
    assert holds(drawn(animation), planar.forward_kinematics(swing.q[0])[:2, 3])  # frame 0 is there at once
    for frame in (0, 5, 12):
        animation.draw(frame)
        a, b = np.cumsum(swing.q[2 * frame])  # a frame each 0.04 s, a state each 0.02 s
        elbow = np.array([np.cos(a), np.sin(a)])
        tip = elbow + np.array([np.cos(b), np.sin(b)])
        points = drawn(animation)
        assert all(holds(points, place) for place in (np.zeros(2), elbow, tip))
        trace = animation.figure.axes[0].lines
        assert any(len(line.get_xdata()) == 2 * frame + 1 for line in trace)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_run(["ur5", "scara", "stanford", "random_tree"], "ur5", "scara"))
def test_every_joint_of_a_spatial_arm_is_in_the_picture(name: str) -> None:
    robot = CASES[name]().robot if name == "random_tree" else armdyn.load(name)
    motion = armdyn.simulate(
        robot,
        np.linspace(0.1, 0.5, robot.dof),
        duration=0.1,
        method=RungeKutta4(step=0.02),
        torque=robot.gravity_forces(np.linspace(0.1, 0.5, robot.dof)),
    )
    animation = motion.animate(robot=robot)
    assert animation.figure.axes[0].name == "3d"
    for frame, row in ((0, 0), (2, 4)):
        animation.draw(frame)
        np.testing.assert_allclose(animation.q[frame, 0], motion.q[row], atol=1e-14)
        points = drawn(animation)
        for joint in robot.model.joints:
            assert holds(points, robot.forward_kinematics(motion.q[row], frame=joint.child)[:3, 3])
        if robot.tip is not None:
            assert holds(points, robot.forward_kinematics(motion.q[row])[:3, 3])


def test_points_where_loops_are_held_are_drawn() -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    arm = armdyn.load("planar_2r").with_constraints(channel)
    motion = armdyn.simulate(arm, [-np.pi / 3, 2 * np.pi / 3], duration=0.1, save=SaveAt(every=0.02))
    animation = motion.animate(robot=arm)
    animation.draw(-1)
    assert holds(drawn(animation), arm.forward_kinematics(motion.q[4])[:2, 3])


def test_frames_follow_speed_rate_and_states(swing: Trajectory, planar: Robot) -> None:
    whole = swing.animate(robot=planar)
    np.testing.assert_allclose(whole.t, [*np.arange(13) / 25.0, 0.5], rtol=1e-12)  # the end too
    assert len(swing.animate(robot=planar, fps=10)) == 6
    slow = swing.animate(robot=planar, speed=0.1)
    assert len(slow) == 126
    np.testing.assert_allclose(np.diff(slow.t), 0.004, rtol=1e-9)
    every = swing.animate(robot=planar, every=10)
    np.testing.assert_array_equal(every.t, swing.t[::10])
    np.testing.assert_array_equal(every.q[:, 0], swing.q[::10])
    assert "26 frames" not in repr(every)
    assert repr(every) == "<Animation: 3 frames from 0 to 0.4 s, 25 a second>"


def test_axes_stay_and_hold_everything(swing: Trajectory, planar: Robot, fall: Trajectory) -> None:
    for animation in (swing.animate(robot=planar), fall.animate(robot=armdyn.load("ur5"))):
        axes = animation.figure.axes[0]
        sides = "xy" if axes.name != "3d" else "xyz"
        limits = [getattr(axes, f"get_{side}lim")() for side in sides]
        place = axes.get_position().bounds
        for frame in range(len(animation)):
            animation.draw(frame)
            points = drawn(animation)
            assert all((low < x).all() and (x < high).all() for (low, high), x in zip(limits, points.T, strict=True))
        assert [getattr(axes, f"get_{side}lim")() for side in sides] == limits
        assert axes.get_position().bounds == place
        if axes.name == "3d":
            np.testing.assert_allclose(
                np.diff(limits)[:, 0] / axes.get_box_aspect(), np.ptp(limits[0]) / axes.get_box_aspect()[0]
            )
        else:
            assert axes.get_aspect() == 1.0


def texts(animation: Animation) -> list[str]:
    return [text.get_text() for text in animation.figure.texts if text.get_text()]


def test_title_time_and_energy(swing: Trajectory, planar: Robot) -> None:
    animation = swing.animate(robot=planar, title="arm for $5", speed=0.5)
    animation.draw(10)
    row = 10  # a frame each 0.02 s
    kinetic, potential = swing.energy.kinetic[row], swing.energy.potential[row]
    shown = [r"arm for \$5", "speed \N{MULTIPLICATION SIGN}0.5", "t = 0.20 s"]
    for name, value in (("kinetic", kinetic), ("potential", potential), ("total", kinetic + potential)):
        shown.append(f"{name} {value:.1f} J".replace("-", "\N{MINUS SIGN}"))
    assert texts(animation) == shown


def test_several_motions_over_each_other(planar: Robot) -> None:
    q0 = np.linspace([-1.0, 0.0], [1.0, 0.5], 12).reshape(3, 4, 2)
    batch = armdyn.simulate(planar, q0, duration=0.2, method=RungeKutta4(step=0.02))
    with pytest.raises(SettingError, match=r"a batch of 12 motions; 8 at most .* Choose by motions=\[0, 1\]"):
        batch.animate(robot=planar)
    animation = batch.animate(robot=planar, motions=[1, 11])
    animation.draw(-1)
    points = drawn(animation)
    for index in ((0, 1), (2, 3)):
        assert holds(points, planar.forward_kinematics(animation.q[-1, [(0, 1), (2, 3)].index(index)])[:2, 3])
        np.testing.assert_allclose(
            batch.pick(*index).animate(robot=planar).q[:, 0], animation.q[:, [(0, 1), (2, 3)].index(index)]
        )
    assert [text.get_text() for text in animation.figure.legends[0].get_texts()] == ["0,1", "2,3"]
    assert texts(animation) == ["planar_2r", "t = 0.20 s"]
    for motions in ([], [12], list(range(9)), [-1], [0.5]):
        with pytest.raises(SettingError, match="motions"):
            batch.animate(robot=planar, motions=motions)


def test_motions_that_are_lost_leave_the_picture(planar: Robot) -> None:
    batch = armdyn.simulate(planar, [[0.0, 0.0], [np.pi, 0.0]], duration=0.2, method=RungeKutta4(step=0.02))
    q = batch.q.copy()
    q[4:, 1] = np.nan
    lost = dataclasses.replace(batch, q=q)
    animation = lost.animate(robot=planar)
    lines = [len(animation.draw(frame).axes[0].lines) for frame in (0, -1)]
    assert lines[1] < lines[0]
    assert np.isfinite(animation.figure.axes[0].get_xlim()).all()
    with pytest.raises(SettingError, match="no frame has a finite state"):
        lost.between(0.1, 0.2).pick(1).animate(robot=planar)


def test_a_motion_that_runs_away_is_named_not_drawn() -> None:
    """Lengths whose squares overflow make the axes of matplotlib in space singular."""
    scara = armdyn.load("scara")
    fall = armdyn.simulate(scara, np.zeros((2, 4)), duration=0.1, method=RungeKutta4(step=0.02))
    slide = [joint.kind for joint in scara.joints].index("prismatic")
    q = fall.q.copy()
    q[3:, 1, slide] = 1e200
    runs = dataclasses.replace(fall, q=q)
    with pytest.raises(SettingError, match=r"goes 1e\+200 m away, .* other motions="):
        runs.animate(robot=scara).draw(0)
    for some in (runs.between(0.0, 0.05), runs.pick(0)):
        some.animate(robot=scara).draw(0)


def test_ghosts_stay(swing: Trajectory, planar: Robot) -> None:
    animation = swing.animate(robot=planar, ghosts=3)
    for frame in (0, 7):
        animation.draw(frame)
        for stays in (0, round(13 / 2), 13):
            assert holds(drawn(animation), planar.forward_kinematics(animation.q[stays, 0])[:2, 3])


def test_traces(swing: Trajectory, planar: Robot) -> None:
    without = len(swing.animate(robot=planar, trace=False).draw(3).axes[0].lines)
    assert len(swing.animate(robot=planar).draw(3).axes[0].lines) == without + 1
    of_elbow = swing.animate(robot=planar, trace="link_2")
    of_elbow.draw(-1)
    way = next(line for line in of_elbow.figure.axes[0].lines if len(line.get_xdata()) > 20)
    np.testing.assert_allclose(way.get_xdata(), np.cos(swing.q[:26, 0]), atol=1e-9)
    with pytest.raises(UnknownName, match="no frame 'link_9'"):
        swing.animate(robot=planar, trace="link_9")


def test_the_plane_of_planar_arms() -> None:
    x, y, z = np.eye(3)
    for name in ("planar_2r", "planar_3r", "rp"):
        np.testing.assert_array_equal(plane_of_motion(armdyn.load(name)), np.column_stack([x, y]))
    for name in ("furuta", "scara", "stanford", "puma560", "kg_puma", "ur5"):
        assert plane_of_motion(armdyn.load(name)) is None
    inertia = armdyn.Inertia(1.0, [0.1, 0.2, 0.3], np.diag([1.0, 1.0, 1.0]))

    def arm(*joints: tuple[str, np.ndarray], gravity: np.ndarray = -9.81 * z) -> Robot:
        links = ["base", *(f"link_{k}" for k in range(len(joints)))]
        parts = [
            armdyn.Part(child, parent, kind, axis=axis, xyz=(1, 0, 0), inertia=inertia)
            for (parent, child), (kind, axis) in zip(pairwise(links), joints, strict=True)
        ]
        return Robot.from_links(parts, gravity=gravity)

    for axes, gravity, right, up in (
        ((y, -y), -9.81 * z, x, z),  # upright, looked at from the front
        ((x, x), -9.81 * z, y, z),
        ((z, z), -9.81 * z, x, y),  # lying: seen from above
        ((z, z), np.zeros(3), x, y),
        ((z, -z), np.array([3.0, -4.0, 0.0]), np.array([0.8, 0.6, 0]), np.array([-0.6, 0.8, 0])),
    ):
        plane = plane_of_motion(arm(*(("revolute", axis) for axis in axes), gravity=gravity))
        np.testing.assert_allclose(plane, np.column_stack([right, up]), atol=1e-15)
    slides = (("prismatic", x), ("prismatic", z))
    np.testing.assert_allclose(plane_of_motion(arm(*slides)), np.column_stack([x, z]), atol=1e-15)
    askew = plane_of_motion(arm(("prismatic", np.array([0.6, 0.8, 0.0])), ("prismatic", z)))
    np.testing.assert_allclose(np.abs(askew), np.column_stack([[0.6, 0.8, 0], z]), atol=1e-12)
    assert plane_of_motion(arm(("revolute", z), ("prismatic", z))) is None
    assert plane_of_motion(arm(*(("prismatic", axis) for axis in np.eye(3)))) is None


@pytest.mark.slow
def test_a_gif_has_every_frame_for_its_time(swing: Trajectory, planar: Robot, tmp_path: Path) -> None:
    for fps in (25.0, 30.0):
        animation = swing.animate(tmp_path / "a.gif", robot=planar, fps=fps)
        with Image.open(tmp_path / "a.gif") as film:
            assert film.n_frames == len(animation)
            assert film.info["loop"] == 0
            delays, corner = [], []
            for k in range(film.n_frames):
                film.seek(k)
                delays.append(film.info["duration"])
                corner.append(film.convert("RGB").getpixel((film.width - 3, 3)))
        assert abs(sum(delays) - 1000 * len(animation) / fps) <= 5
        assert set(delays) == ({40} if fps == 25 else {30, 40})
        assert set(corner) == {(255, 255, 255)}
    assert os.listdir(tmp_path) == ["a.gif"]


@pytest.mark.slow
def test_quick_images_are_those_of_the_whole_figure(swing: Trajectory, planar: Robot, fall: Trajectory) -> None:
    for animation in (swing.animate(robot=planar, ghosts=2), fall.animate(robot=armdyn.load("ur5"))):
        for frame, quick in zip((0, 4, 9), animation._scene.images([0, 4, 9]), strict=True):
            shown = quick.copy()
            animation.draw(frame)
            animation.figure.canvas.draw()
            whole = np.asarray(animation.figure.canvas.buffer_rgba())
            assert (whole < 100).any()
            assert (np.abs(shown.astype(int) - whole).max(axis=-1) > 8).mean() < 1e-3  # a line above another's edge


FFMPEG = """#!{python}
import sys
bytes_in = sys.stdin.buffer.read()
if "{fails}":
    sys.exit("no such codec")
open(sys.argv[-1], "w").write(" ".join([str(len(bytes_in)), *sys.argv[1:]]))
"""


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of ffmpeg, which writes down what it was asked."""
    program = tmp_path / "recorder"
    program.write_text(FFMPEG.format(python=sys.executable, fails=""))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(program))
    return program


def test_ffmpeg_gets_every_pixel(swing: Trajectory, planar: Robot, tmp_path: Path, recorder: Path) -> None:
    animation = swing.animate(tmp_path / "a.mp4", robot=planar, fps=12.5)
    count, *words = (tmp_path / "a.mp4").read_text().split()
    width, height = map(int, words[words.index("-s") + 1].split("x"))
    assert int(count) == len(animation) * width * height * 4
    assert words[words.index("-framerate") + 1] == "12.5"
    assert sorted(os.listdir(tmp_path)) == ["a.mp4", "recorder"]


def test_what_ffmpeg_complains_of_is_said(swing: Trajectory, planar: Robot, tmp_path: Path, recorder: Path) -> None:
    recorder.write_text(FFMPEG.format(python=sys.executable, fails="yes"))
    with pytest.raises(PictureError, match=r"a\.mp4 cannot be written: ffmpeg reports 'no such codec'"):
        swing.animate(tmp_path / "a.mp4", robot=planar, fps=5)
    recorder.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('cannot even begin')")
    with pytest.raises(PictureError, match="cannot even begin"):
        swing.animate(tmp_path / "a.mp4", robot=planar)
    assert os.listdir(tmp_path) == ["recorder"]


@pytest.mark.slow
@pytest.mark.skipif(movie.ffmpeg() is None, reason="needs ffmpeg")
def test_an_mp4(swing: Trajectory, planar: Robot, tmp_path: Path) -> None:
    swing.animate(tmp_path / "a.mp4", robot=planar)
    assert (tmp_path / "a.mp4").read_bytes()[4:8] == b"ftyp"


def test_a_player_for_notebooks(swing: Trajectory, planar: Robot, tmp_path: Path) -> None:
    animation = swing.animate(tmp_path / "a.html", robot=planar, fps=5)
    html = animation._repr_html_()
    frames = [base64.b64decode(found.replace("\\\n", "")) for found in re.findall(r'base64,([^"]+)"', html)]
    assert len(frames) == len(animation) == 4
    with Image.open(io.BytesIO(frames[0])) as first:
        assert first.size == tuple(animation.figure.bbox.size.astype(int))
    assert 'type="button"' in html or "<button" in html
    assert "://" not in re.sub(r"http://www\.w3\.org/[\w/]+", "", html)  # nothing from the network
    assert "▶" in html
    assert len(re.findall(r"base64,", (tmp_path / "a.html").read_text())) == 4


def test_files_that_cannot_be_written(swing: Trajectory, planar: Robot, tmp_path: Path, monkeypatch) -> None:
    animation = swing.animate(robot=planar, every=20)
    with pytest.raises(PictureError, match=r"a\.avi': the ending of an animation must be \.gif, \.mp4, \.html"):
        animation.save(tmp_path / "a.avi")
    for ending in movie.MOVIES[::2]:
        with pytest.raises(PictureError, match="cannot be written: no folder"):
            animation.save(tmp_path / "missing" / f"a{ending}")
    with pytest.raises(PictureError, match="a GIF shows 50 frames a second at most, not 60"):
        swing.animate(tmp_path / "a.gif", robot=planar, fps=60)
    monkeypatch.setattr(movie, "MOST_GIF", 12)
    with pytest.raises(PictureError, match="a GIF of 14 frames; expected 12 at most"):
        swing.animate(tmp_path / "a.gif", robot=planar)
    monkeypatch.setattr(movie, "ffmpeg", lambda: None)
    with pytest.raises(armdyn.MissingLibrary, match=r"MP4 needs ffmpeg.*pip install imageio-ffmpeg.*\.gif or \.html"):
        animation.save(tmp_path / "a.mp4")
    assert not os.listdir(tmp_path)


def test_a_failed_save_leaves_the_old_file(swing: Trajectory, planar: Robot, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.gif").write_text("old")
    animation = swing.animate(robot=planar)

    def interrupted(frames: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(animation._scene, "images", interrupted)
    with pytest.raises(KeyboardInterrupt):
        animation.save(tmp_path / "a.gif")
    assert (tmp_path / "a.gif").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.gif"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0}, "fps is 0; expected a number above zero, in Hz"),
        ({"speed": -1}, "speed is -1; expected a number above zero"),
        ({"every": 0}, "every is 0; expected a whole number of at least 1"),
        ({"every": 2, "speed": 2}, "both every and speed=2 given"),
        ({"ghosts": -1}, "ghosts is -1; expected a whole number"),
        ({"style": "ULC"}, "style is 'ULC'; expected 'armdyn' or 'ucl'"),
        ({"trace": 1}, "trace is 1; expected True or False"),
        ({"view": (np.nan, 0)}, r"view\[0\] is nan"),
    ],
)
def test_options_that_make_no_sense(swing: Trajectory, planar: Robot, options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        swing.animate(robot=planar, **options)


def test_other_robots_and_frames_are_refused(swing: Trajectory, planar: Robot, fall: Trajectory) -> None:
    with pytest.raises(ShapeError, match="Give the robot that was simulated"):
        swing.animate(robot=armdyn.load("ur5"))
    with pytest.raises(SettingError, match="style='ucl' is of arms that move in a plane; 'ur5' moves in space"):
        fall.animate(robot=armdyn.load("ur5"), style="ucl")
    with pytest.raises(SettingError, match="frame is 14; the animation has 14, from 0 to 13"):
        swing.animate(robot=planar).draw(14)


def test_ucls_manner() -> None:
    """Every 100th of 10,000 states, a tenth of a second each, axes from -5.2 to 5.2 m, a blue and an orange line."""

    arm = armdyn.load("ucl_2r")
    motion = armdyn.simulate(arm, [0.0, 0.0], duration=10.0, torque=[0.1, 0.1], method=Euler(step=1e-3))
    animation = motion.animate(robot=arm, style="ucl")
    assert (len(animation), animation.fps) == (100, 10.0)
    np.testing.assert_array_equal(animation.q[:, 0], motion.q[1::100])
    axes = animation.figure.axes[0]
    np.testing.assert_allclose([axes.get_xlim(), axes.get_ylim()], [[-5.2, 5.2]] * 2, rtol=1e-12)
    for frame in (0, 60):
        animation.draw(frame)
        a, b = np.cumsum(motion.q[1 + 100 * frame])
        elbow = 3 * np.array([np.cos(a), np.sin(a)])
        tip = elbow + 2 * np.array([np.cos(b), np.sin(b)])
        assert [line.get_color() for line in axes.lines] == ["#0072BD", "#D95319"]
        np.testing.assert_allclose(axes.lines[0].get_xydata(), [np.zeros(2), elbow], atol=1e-12)
        np.testing.assert_allclose(axes.lines[1].get_xydata(), [elbow, tip], atol=1e-12)
    assert texts(animation) == []


def test_a_tall_motion_is_seen_as_a_whole() -> None:
    """A carriage falls 1.2 m: the figure is no tower, and no part of the arm is cut off."""
    robot = armdyn.load("scara")
    motion = armdyn.simulate(robot, np.full(robot.dof, 0.3), duration=0.5)
    animation = motion.animate(robot=robot, fps=5)
    figure = animation.figure
    assert figure.get_figheight() < 1.5 * figure.get_figwidth()
    axes = figure.axes[0]
    for frame in range(len(animation)):
        animation.draw(frame)
        for line in axes.lines:
            x, y, _ = proj3d.proj_transform(*line.get_data_3d(), axes.get_proj())
            pixels = axes.transData.transform(np.column_stack([x, y]))
            assert not line.get_clip_on()
            assert (pixels > 0).all()
            assert (pixels < figure.bbox.size).all()


def test_stills_and_global_state(swing: Trajectory, planar: Robot, tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    animation = animate_trajectory(swing, planar, view=(30.0, 10.0))
    write_figure(animation.draw(3), tmp_path / "still.png")
    with Image.open(tmp_path / "still.png") as still:
        assert still.width > 500
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["falling.py"])
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "falling.py"))
    example["main"](str(tmp_path / "fall.gif"), 0.2)
    assert "with Euler steps of 1 ms, in the first 0.2 s" in capsys.readouterr().out
    with Image.open(tmp_path / "fall.gif") as film:
        assert film.n_frames == 6


def test_a_motion_is_drawn_by_the_meshes_of_the_description(tmp_path: Path) -> None:
    """Links with boxes: their triangles move, a ghost stays, lines are drawn where a link has no shape."""
    text = ROBOT_OF_BOXES.format(shape='<visual><geometry><box size="0.1 0.1 0.8"/></geometry></visual>')
    (tmp_path / "boxes.urdf").write_text(text)
    (tmp_path / "bare.urdf").write_text(ROBOT_OF_BOXES.format(shape=""))
    boxes, bare = (armdyn.load(tmp_path / name) for name in ("boxes.urdf", "bare.urdf"))
    motion = armdyn.simulate(boxes, [0.3, 0.4], duration=0.5)
    film = motion.animate(robot=boxes, ghosts=1)
    axes: Any = film.figure.axes[0]

    def solids() -> list[ShadedTriangles]:
        return [one for one in axes.artists if isinstance(one, ShadedTriangles)]

    ghost, now = sorted(solids(), key=lambda one: one.get_zorder())
    film.draw(-1)
    assert ghost in solids()
    assert now not in solids()
    moved = max(solids(), key=lambda one: one.get_zorder())
    T = boxes.link_poses(motion.q[-1])[boxes.link_names.index("arm")]
    expected = triangles_of(Box((0.1, 0.1, 0.8))) @ T[:3, :3].T + T[:3, 3]
    np.testing.assert_allclose(moved.triangles[:12], expected, atol=1e-12)
    film.save(tmp_path / "boxes.gif")
    for other in (motion.animate(robot=bare), motion.animate(robot=boxes, meshes=False)):
        assert not any(isinstance(one, ShadedTriangles) for one in other.figure.axes[0].artists)
        assert len(other.figure.axes[0].lines) > 3


ROBOT_OF_BOXES = """<robot name="boxes"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
{shape}</link>
<link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<joint name="a" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>
<joint name="b" type="continuous"><parent link="arm"/><child link="fore"/><origin xyz="0 0 0.8"/>
<axis xyz="0 1 0"/></joint>
</robot>"""
