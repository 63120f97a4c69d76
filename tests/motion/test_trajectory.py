"""Trajectories: immutable, saved and loaded exactly, refused when damaged, turned into tables and pictures."""

import copy
import dataclasses
import io
import json
import os
import pickle
import re
import sys
import zipfile
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError, ShapeError, Trajectory, UnknownName
from armdyn.base import memory
from armdyn.plots import plot_trajectory
from armdyn.simulation import RungeKutta4, SettingError, TrajectoryFileError

ARRAYS = ("t", "q", "qd", "qdd", "tau", "f_tip")
ENERGIES = ("kinetic", "potential", "work", "total", "drift", "relative_drift")


@pytest.fixture(scope="module")
def single() -> Trajectory:
    robot = armdyn.load("rp")
    return armdyn.simulate(robot, [0.1, 1.2], [1, -0.3], duration=0.05, torque=[1.0, 19.0], f_tip=np.arange(6.0))


@pytest.fixture(scope="module")
def batch() -> Trajectory:
    q0 = np.random.default_rng(0).uniform(-1, 1, (2, 3, 6))
    return armdyn.simulate(armdyn.load("ur5"), q0, duration=0.05, method=RungeKutta4(step=0.01))


def assert_same(a: Trajectory, b: Trajectory) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ENERGIES:
        np.testing.assert_array_equal(getattr(a.energy, name), getattr(b.energy, name))
    assert (a.joint_names, a.joint_kinds) == (b.joint_names, b.joint_kinds)

    assert list(a.signals) == list(b.signals)
    for name in a.signals:
        np.testing.assert_array_equal(a.signals[name], b.signals[name])


def with_odd_signals(trajectory: Trajectory) -> Trajectory:
    """Names that columns, archives and tables could stumble over; of several sizes."""
    random = np.random.default_rng(3)
    shape = trajectory.q.shape[:-1]
    names = ("reference", "q_", "a_1", "a", "../x", 'two "words",\n', "kinetic", "0", "\N{GREEK SMALL LETTER TAU}*")
    signals = {name: random.normal(size=(*shape, 1 + k % 3)) for k, name in enumerate(names)}
    signals["a"][0] = np.nan
    return trajectory.with_signals(**signals)


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("signals", [False, True])
@pytest.mark.parametrize("name", ["single", "batch"])
def test_files_keep_everything(
    name: str, signals: bool, ending: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    trajectory: Trajectory = request.getfixturevalue(name)
    if signals:
        trajectory = with_odd_signals(trajectory)
    trajectory.save(tmp_path / f"a.{ending}")
    loaded = Trajectory.load(str(tmp_path / f"a.{ending}"))
    assert_same(loaded, trajectory)
    assert (loaded.robot, loaded.statistics, loaded.notes) == (
        trajectory.robot,
        trajectory.statistics,
        trajectory.notes,
    )
    assert os.listdir(tmp_path) == [f"a.{ending}"]
    assert not loaded.q.flags.writeable


def test_csv_keeps_every_number(single: Trajectory, tmp_path: Path) -> None:
    single.save(tmp_path / "swing.csv")
    loaded = Trajectory.load(tmp_path / "swing.csv")
    assert_same(loaded, single)
    assert loaded.robot == "swing"
    header = (tmp_path / "swing.csv").read_text().splitlines()[0]
    assert header.startswith("t [s],q_joint_1 [rad],q_joint_2 [m],qd_joint_1 [rad/s],qd_joint_2 [m/s],")
    assert header.endswith("f_tip_fz [N],kinetic [J],potential [J],work [J]")


def test_csv_keeps_signals(single: Trajectory, tmp_path: Path) -> None:
    with_odd_signals(single).save(tmp_path / "a.csv")
    assert_same(Trajectory.load(tmp_path / "a.csv"), with_odd_signals(single))
    (tmp_path / "a.csv").write_text((tmp_path / "a.csv").read_text().replace("signal_a_1_1,", "signal_a_1_3,"))
    with pytest.raises(TrajectoryFileError, match=r"missing \['signal_a_1_1'\]; unknown \['signal_a_1_3'\]"):
        Trajectory.load(tmp_path / "a.csv")


def test_parquet_is_a_table_with_units(batch: Trajectory, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    batch.with_signals(goal=batch.q[..., :2]).save(tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    columns = batch.to_dict()
    assert set(table.column_names) == {*columns, "signal_goal_0", "signal_goal_1"} - {"total", "drift"}
    for name in ("t", "q_elbow_joint", "work", "batch_1"):
        np.testing.assert_array_equal(table.column(name).to_numpy(), columns[name])
    assert table.schema.field("qd_elbow_joint").metadata == {b"unit": b"rad/s"}


def test_parquet_of_something_else(single: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    single.save(path)
    whole, table = path.read_bytes(), pq.read_table(path)
    for damage in (b"", b"PAR1", b"hello", whole[: len(whole) // 2], whole[:200] + bytes(200) + whole[400:]):
        path.write_bytes(damage)
        with pytest.raises(TrajectoryFileError, match=r"a\.parquet is damaged, or no trajectory that armdyn wrote"):
            Trajectory.load(path)
    short = json.dumps([3]).encode()
    for other in (
        pa.table({"x": [1.0, 2.0]}),
        table.drop_columns(["qd_joint_2"]),
        table.replace_schema_metadata({**table.schema.metadata, b"armdyn.shape": short}),
        table.set_column(1, "q_joint_1", pa.array(np.zeros(1001, np.float32))),
        table.slice(0, 0),
    ):
        pq.write_table(other, path)
        with pytest.raises(TrajectoryFileError, match="damaged, or no trajectory"):
            Trajectory.load(path)
    pq.write_table(table, path)
    monkeypatch.setattr(memory, "memory", lambda: 1e4)
    with pytest.raises(TrajectoryFileError, match="would fill"):
        Trajectory.load(path)


def test_parquet_without_pyarrow(single: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for use in (single.save, Trajectory.load):
        with pytest.raises(armdyn.MissingLibrary, match="pip install pyarrow"):
            use(tmp_path / "a.parquet")


def test_csv_keeps_nan_and_odd_names(tmp_path: Path, single: Trajectory) -> None:
    q = np.array(single.q)
    q[3] = [np.nan, -np.inf]
    odd = dataclasses.replace(single, q=q, f_tip=None, joint_names=('a,"b"', "f_tip_mx [x]\n"))
    odd.save(tmp_path / "odd.csv")
    assert_same(Trajectory.load(tmp_path / "odd.csv"), odd)


def test_csv_refuses_a_batch(batch: Trajectory, tmp_path: Path) -> None:
    with pytest.raises(
        TrajectoryFileError, match=r"holds one motion, and this is a batch \(2, 3\)\. Save it as \.npz.*pick\(0, 0\)"
    ):
        batch.save(tmp_path / "a.csv")
    batch.pick(1, 2).save(tmp_path / "a.csv")
    np.testing.assert_array_equal(Trajectory.load(tmp_path / "a.csv").q, batch.q[:, 1, 2])


def test_files_that_cannot_be_written_or_found(single: Trajectory, tmp_path: Path) -> None:
    with pytest.raises(TrajectoryFileError, match=r"a\.txt: the ending must be \.npz"):
        single.save(tmp_path / "a.txt")
    with pytest.raises(TrajectoryFileError, match=r"a\.pkl: the ending must be \.npz"):
        Trajectory.load(tmp_path / "a.pkl")
    with pytest.raises(TrajectoryFileError, match="cannot be written: no folder"):
        single.save(tmp_path / "missing" / "a.npz")
    for name in ("a.npz", "a.csv", "a.parquet"):
        with pytest.raises(TrajectoryFileError, match=f"no file .*{name}.; expected one"):
            Trajectory.load(tmp_path / name)
    with pytest.raises(ArmdynError, match=r"cannot be written"):
        single.plot(tmp_path / "a.xyz")


def test_a_failed_save_leaves_the_old_file(single: Trajectory, batch: Trajectory, tmp_path: Path) -> None:
    single.save(tmp_path / "a.csv")
    with pytest.raises(TrajectoryFileError):
        batch.save(tmp_path / "a.csv")
    assert_same(Trajectory.load(tmp_path / "a.csv"), single)


class Exploit:
    """Runs when unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('executed')",)


def archive(path: Path, **arrays: object) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, np.asarray(array), allow_pickle=True)
            file.writestr(f"{name}.npy", buffer.getvalue())
    return path


def parts(trajectory: Trajectory, tmp_path: Path) -> dict[str, np.ndarray]:
    trajectory.save(tmp_path / "good.npz")
    return dict(np.load(tmp_path / "good.npz"))


def test_a_pickle_is_never_opened(single: Trajectory, tmp_path: Path) -> None:
    contents = {**parts(single, tmp_path), "q": np.array([Exploit()], dtype=object)}
    with pytest.raises(TrajectoryFileError, match="damaged, or no trajectory"):
        Trajectory.load(archive(tmp_path / "evil.npz", **contents))
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(Exploit()))
    with pytest.raises(TrajectoryFileError, match="damaged, or no trajectory"):
        Trajectory.load(tmp_path / "bare.npz")


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"hello", "half", "flip"])
def test_a_damaged_archive(single: Trajectory, tmp_path: Path, damage: bytes | str) -> None:
    single.save(tmp_path / "a.npz")
    whole = (tmp_path / "a.npz").read_bytes()
    if damage == "half":
        damage = whole[: len(whole) // 2]
    elif damage == "flip":
        damage = whole[:3000] + bytes(b ^ 255 for b in whole[3000:3100]) + whole[3100:]
    (tmp_path / "a.npz").write_bytes(damage)  # type: ignore[arg-type]
    with pytest.raises(TrajectoryFileError, match=r"a\.npz is damaged, or no trajectory that armdyn wrote"):
        Trajectory.load(tmp_path / "a.npz")


@pytest.mark.parametrize(
    "change",
    [
        {"q": np.zeros((4, 2))},
        {"tau": np.zeros((1001, 3))},
        {"kinetic": np.zeros(3)},
        {"qd": np.zeros((1001, 2), np.float32)},
        {"t": np.zeros(0)},
        {"words": np.array("{}")},
        {"words": np.array("[")},
        {"words": np.array(json.dumps({"format": "armdyn trajectory 1", "joint_names": [1], "joint_kinds": ["x"]}))},
        {"extra": np.zeros(7)},
        {"signal_0": np.zeros((1001, 1))},
    ],
    ids=lambda c: next(iter(c)),
)
def test_an_archive_of_something_else(single: Trajectory, tmp_path: Path, change: dict[str, np.ndarray]) -> None:
    with pytest.raises(TrajectoryFileError, match="damaged, or no trajectory"):
        Trajectory.load(archive(tmp_path / "other.npz", **{**parts(single, tmp_path), **change}))


def test_an_archive_that_unpacks_to_too_much(
    single: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    single.save(tmp_path / "a.npz")
    monkeypatch.setattr(memory, "memory", lambda: 1e4)
    with pytest.raises(TrajectoryFileError, match="would fill"):
        Trajectory.load(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tau_joint_2 [N],", "", "wrong columns: missing ['tau_joint_2 [N]']"),
        ("work [J]", "werk [J]", r"missing ['work [J]']; unknown ['werk [J]']"),
        ("kinetic [J],potential [J]", "potential [J],kinetic [J]", "in another order"),
        ("q_", "p_", "no joint position such as 'q_shoulder [rad]'"),
        ("\r\n0.0,", "\r\nzero,", "a.csv:2 column 't [s]' holds 'zero'; expected a number"),
        ("\r\n0.0,", "\r\n", "a.csv:2 has 17 values; expected 18, as the first row has"),
    ],
)
def test_a_table_of_something_else(single: Trajectory, tmp_path: Path, old: str, new: str, message: str) -> None:
    single.save(tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_bytes().decode()
    assert old in text
    (tmp_path / "a.csv").write_bytes(text.replace(old, new).encode())
    with pytest.raises(TrajectoryFileError, match=re.escape(message)):
        Trajectory.load(tmp_path / "a.csv")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'"open', b"t [s]\n", b"\x00\x00"])
def test_no_table(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(TrajectoryFileError, match=r"a\.csv"):
        Trajectory.load(tmp_path / "a.csv")


def test_a_header_alone(single: Trajectory, tmp_path: Path) -> None:
    single.save(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text((tmp_path / "a.csv").read_text().splitlines()[0])
    with pytest.raises(TrajectoryFileError, match="no row below it"):
        Trajectory.load(tmp_path / "a.csv")


def test_tables_for_pandas(single: Trajectory, batch: Trajectory) -> None:
    pytest.importorskip("pandas")
    frame = single.to_dataframe()
    assert list(frame.columns) == list(single.to_dict())
    np.testing.assert_array_equal(frame["q_joint_2"], single.q[:, 1])
    np.testing.assert_array_equal(frame["drift"], single.energy.drift)
    units = frame.attrs["units"]
    assert (units["t"], units["q_joint_1"], units["drift"]) == ("s", "rad", "J")
    assert set(units) == set(frame.columns)
    long = batch.to_dataframe()
    assert len(long) == 6 * 6
    one = long[(long.batch_0 == 1) & (long.batch_1 == 2)]
    np.testing.assert_array_equal(one["qd_elbow_joint"], batch.qd[:, 1, 2, 2])
    np.testing.assert_array_equal(one["t"], batch.t)


def test_without_pandas_the_command_is_named(single: Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        armdyn.MissingLibrary, match="to_dataframe needs pandas, which is not installed: pip install pandas"
    ):
        single.to_dataframe()


def test_pick_refuses_what_is_not_there(batch: Trajectory) -> None:
    for index in ((), (0,), (2, 0), (0, 0, 0)):
        with pytest.raises(ShapeError, match=r"of a batch of shape \(2, 3\)"):
            batch.pick(*index)


def test_it_cannot_be_changed(single: Trajectory) -> None:
    for array in (single.q, single.t, single.energy.work):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        single.q = single.qd  # type: ignore[misc]


def test_it_pickles(single: Trajectory) -> None:
    single = with_odd_signals(single)
    again = pickle.loads(pickle.dumps(single))  # noqa: S301 - our own
    assert_same(again, single)
    assert not again.q.flags.writeable
    assert_same(copy.deepcopy(single), single)


def test_signals_go_where_the_motion_goes(batch: Trajectory) -> None:
    mine = np.random.default_rng(1).normal(size=(6, 2, 3, 2))
    motion = batch.with_signals(reference=mine, integral=mine[..., :1])
    mine[:] = 0.0  # a copy was kept
    kept = motion.signals["reference"]
    assert kept.any()
    np.testing.assert_array_equal(motion.pick(1, 2).signals["reference"], kept[:, 1, 2])
    np.testing.assert_array_equal(motion.between(0.01, 0.03).signals["reference"], kept[1:4])
    np.testing.assert_allclose(motion.resample([0.015]).signals["reference"][0], kept[1:3].mean(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(motion.to_dict()["signal_reference_1"], kept[..., 1].ravel())
    again = motion.with_signals(integral=kept)
    assert list(again.signals) == ["reference", "integral"]
    np.testing.assert_array_equal(again.signals["integral"], kept)
    with pytest.raises(TypeError):
        motion.signals["x"] = kept  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 0.0


def test_signals_that_do_not_fit(batch: Trajectory) -> None:
    message = r"signal 'r' has shape \(6, 2\); expected \(6, 2, 3, k\), a row for each time"
    with pytest.raises(ShapeError, match=message):
        batch.with_signals(r=np.zeros((6, 2)))
    with pytest.raises(ShapeError, match="signal 'r' holds no values"):
        batch.with_signals(r=np.zeros((6, 2, 3, 0)))
    with pytest.raises(SettingError, match="the name of a signal is ' '; expected a text that is not blank"):
        batch.with_signals(**{" ": np.zeros((6, 2, 3, 1))})


def test_signals_have_panels(single: Trajectory) -> None:
    motion = single.with_signals(reference=single.q, load=single.tau[:, :1])
    assert [axes.get_title("left") for axes in plot_trajectory(motion).axes][8:] == ["reference", "load"]
    figure = plot_trajectory(motion, signals=["load"])
    assert figure.axes[-1].get_title("left") == "load"
    np.testing.assert_array_equal(figure.axes[-1].lines[0].get_ydata(), single.tau[:, 0])
    assert len(plot_trajectory(motion, signals=()).axes) == 8
    with pytest.raises(
        UnknownName, match=r"no signal 'lode' in the trajectory of 'rp' \(2 signals\). Did you mean 'load'"
    ):
        plot_trajectory(motion, signals=["lode"])


def test_the_picture_has_its_panels_and_lines(single: Trajectory) -> None:
    figure = plot_trajectory(single, title="an _RP_ arm for $5")
    labels = [axes.get_title("left") for axes in figure.axes]
    assert labels[:2] == ["joint angle $q$ [deg]", "joint position $q$ [m]"]
    assert labels[2:4] == [rf"joint velocity $\dot{{q}}$ [{unit}/s]" for unit in ("deg", "m")]
    assert labels[4:7] == [r"joint torque $\tau$ [N m]", r"joint force $\tau$ [N]", "energy [J]"]
    assert labels[7].startswith("drift of the energy account [")
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), np.degrees(single.q[:, 0]))
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), single.q[:, 1])
    np.testing.assert_allclose(figure.axes[2].lines[0].get_ydata(), np.degrees(single.qd[:, 0]))
    np.testing.assert_array_equal(figure.axes[4].lines[0].get_ydata(), single.tau[:, 0])
    assert [line.get_label() for line in figure.axes[6].lines] == ["kinetic", "potential", "work put in", "total"]
    assert figure.axes[-1].get_xlabel() == "time [s]"


@pytest.mark.slow
def test_legends_cover_no_panel() -> None:
    figure = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.3).plot()
    figure.canvas.draw()
    (of_joints,) = figure.legends
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend() is not None]
    assert len(legends) == 1
    for legend in (of_joints, *legends):
        words = legend.get_window_extent()
        assert words.x0 >= 0.0
        assert words.x1 <= figure.bbox.x1
        assert not any(words.overlaps(axes.get_window_extent()) for axes in figure.axes)


@pytest.mark.slow
def test_the_picture_is_written(single: Trajectory, tmp_path: Path) -> None:
    single.plot(tmp_path / "a.png", degrees=False)
    pixels = mpl.image.imread(tmp_path / "a.png")
    assert pixels.shape[0] > 1000
    assert pixels.shape[1] == 2000
    assert 0.01 < (pixels[..., :3].min(axis=-1) < 0.9).mean() < 0.5
    single.plot(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.short_run("21")
@pytest.mark.parametrize("motions", [3, 21])
def test_pictures_of_batches(motions: int) -> None:
    q0 = np.linspace(-1, 1, motions * 2).reshape(motions, 2)
    q0[0] = np.nan
    figure = armdyn.simulate(armdyn.load("planar_2r"), q0, duration=0.1, method=RungeKutta4(step=0.01)).plot()
    figure.canvas.draw()
    assert len(figure.axes[0].lines) == (6 if motions == 3 else 2)
    assert len(figure.axes[0].collections) == (0 if motions == 3 else 2)


def test_plotting_leaves_the_global_state_alone(single: Trajectory) -> None:
    before = dict(mpl.rcParams)
    single.plot()
    assert dict(mpl.rcParams) == before
