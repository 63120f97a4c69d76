"""ROS 1 bags, ROS 2 bags and MCAP files, written by rosbags and read back by the names of joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.logs import Log, LogError, read

rosbag1 = pytest.importorskip("rosbags.rosbag1")
rosbag2 = pytest.importorskip("rosbags.rosbag2")
from rosbags.typesys import Stores, get_typestore  # noqa: E402

SCARA = armdyn.load("scara")
NAMES = list(SCARA.joint_names)
ROWS = 60
T = np.arange(ROWS) * 0.01
WAVES = np.array([2.0, 2.5, 3.1, 3.7])
Q, QD = np.sin(np.outer(T, WAVES)) + 0.1, WAVES * np.cos(np.outer(T, WAVES))
TAU = np.random.default_rng(3).normal(size=(ROWS, 4))
EPOCH = 1_764_400_000
"""The first stamp, s."""

FORMATS = ("ros1", "ros2", "mcap")
DEFINITION = "std_msgs/Header header\nstring[] joint_names\nJointPoint actual\n===\n"


class Bag:
    """A bag that is written: topics by their type, and messages."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind = path / f"{kind}{'.bag' if kind == 'ros1' else ''}", kind
        self.store = get_typestore(Stores.ROS1_NOETIC if kind == "ros1" else Stores.ROS2_HUMBLE)
        if kind == "ros1":
            self.writer: Any = rosbag1.Writer(self.path)
        else:
            storage = rosbag2.StoragePlugin.MCAP if kind == "mcap" else rosbag2.StoragePlugin.SQLITE3
            self.writer = rosbag2.Writer(self.path, version=9, storage_plugin=storage)
        self.connections: dict[str, Any] = {}

    def write(self, topic: str, message: Any, ns: int) -> None:
        """Write a message, recorded at a time."""
        if topic not in self.connections:
            self.connections[topic] = self.writer.add_connection(topic, message.__msgtype__, typestore=self.store)
        serialize = self.store.serialize_ros1 if self.kind == "ros1" else self.store.serialize_cdr
        self.writer.write(self.connections[topic], ns, serialize(message, message.__msgtype__))

    def header(self, ns: int) -> Any:
        """A header with a stamp."""
        types = self.store.types
        stamp = types["builtin_interfaces/msg/Time"](sec=ns // 10**9, nanosec=ns % 10**9)
        more = {"seq": 0} if self.kind == "ros1" else {}
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id="", **more)

    def joints(self, ns: int, names: list[str], *fields: np.ndarray) -> Any:
        """A JointState with positions, and velocities and efforts if they are given."""
        arrays = [np.array(field, dtype=np.float64) for field in fields] + [np.zeros(0)] * (3 - len(fields))
        kind = self.store.types["sensor_msgs/msg/JointState"]
        return kind(header=self.header(ns), name=names, position=arrays[0], velocity=arrays[1], effort=arrays[2])

    def text(self, words: str) -> Any:
        """A message of another kind."""
        return self.store.types["std_msgs/msg/String"](data=words)


def stamp(row: int) -> int:
    return EPOCH * 10**9 + row * 10_000_000


def states(bag: Bag, topic: str = "/joint_states", q: np.ndarray = Q) -> None:
    """A message for each row; the order of the joints changes from row to row, and a gripper comes and goes."""
    orders = ([2, 0, 3, 1], [0, 1, 2, 3], [3, 2, 1, 0])
    for row in range(ROWS):
        order = orders[row % 3]
        names = [NAMES[k] for k in order]
        fields = [values[row, order] for values in (q, QD, TAU)]
        if row % 2:
            names, fields = ["gripper", *names], [np.concatenate([[9.0], values]) for values in fields]
        bag.write(topic, bag.joints(stamp(row), names, *fields), stamp(row) + 3_000_000)


def recorded(folder: Path, kind: str, *write: Any) -> Path:
    bag = Bag(folder, kind)
    with bag.writer:
        for each in write:
            each(bag)
    return bag.path


def assert_states(log: Log) -> None:
    """All bits of what was written."""
    np.testing.assert_array_equal(log.q, Q)
    np.testing.assert_array_equal(log.qd, QD)
    np.testing.assert_array_equal(log.tau, TAU)
    np.testing.assert_allclose(log.t, T, rtol=0, atol=1e-12)
    assert log.start == EPOCH


@pytest.mark.parametrize("kind", FORMATS)
def test_joint_states_by_name_in_changing_order(kind: str, tmp_path: Path) -> None:
    path = recorded(tmp_path, kind, states)
    log = read(path, SCARA)
    assert_states(log)
    assert not [finding for finding in log.findings if finding.kind not in ("other columns",)]
    assert any("q_gripper" in note for note in log.notes)
    if kind == "mcap":
        assert_states(read(next(path.glob("*.mcap")), SCARA))


@pytest.mark.parametrize("kind", FORMATS)
def test_several_topics_are_named_and_one_is_chosen(kind: str, tmp_path: Path) -> None:
    path = recorded(
        tmp_path, kind, states, lambda bag: states(bag, "/left/joint_states", 2.0 * Q),
        lambda bag: bag.write("/rosout", bag.text("hello"), stamp(0)),
    )  # fmt: skip
    with pytest.raises(LogError, match=r"joint states on several topics: .*'/joint_states' \(60\).*--topic"):
        read(path, SCARA)
    assert_states(read(path, SCARA, topic="/joint_states"))
    np.testing.assert_array_equal(read(path, SCARA, topic="/left/joint_states").q, 2.0 * Q)
    with pytest.raises(UnknownName, match=r"no topic '/joint_state' in .*Did you mean '/joint_states'"):
        read(path, SCARA, topic="/joint_state")
    with pytest.raises(LogError, match=r"no messages with joints on topic '/rosout'.*std_msgs/msg/String"):
        read(path, SCARA, topic="/rosout")


@pytest.mark.parametrize("kind", FORMATS)
def test_bags_without_joint_states(kind: str, tmp_path: Path) -> None:
    path = recorded(tmp_path, kind, lambda bag: bag.write("/rosout", bag.text("hello"), stamp(0)))
    with pytest.raises(LogError, match=r"has no message with names of joints .*: '/rosout' \(std_msgs/msg/String"):
        read(path, SCARA)
    (tmp_path / "empty").mkdir()
    empty = recorded(tmp_path / "empty", kind, lambda bag: bag.write("/joint_states", bag.joints(stamp(0), []), 1))
    with pytest.raises(LogError, match=r"has no message with names of joints .*'/joint_states'"):
        read(empty, SCARA)


@pytest.mark.parametrize("kind", FORMATS)
def test_messages_that_lack_a_joint_or_its_numbers(kind: str, tmp_path: Path) -> None:
    """Rows without a position are left out and named; velocities that no message has are not there."""

    def write(bag: Bag) -> None:
        for row in range(ROWS):
            names = NAMES[:3] if row == 7 else NAMES
            bag.write("/joint_states", bag.joints(stamp(row), names, Q[row, : len(names)]), stamp(row))

    log = read(recorded(tmp_path, kind, write), SCARA)
    np.testing.assert_array_equal(log.q, np.delete(Q, 7, axis=0))
    assert log.qd is None
    assert "1 row with NaN or infinity left out: message 7" in " ".join(log.notes)


def test_a_message_without_a_stamp_has_the_time_of_its_recording(tmp_path: Path) -> None:
    def write(bag: Bag) -> None:
        for row in range(ROWS):
            bag.write("/joint_states", bag.joints(0, NAMES, Q[row]), stamp(row))

    log = read(recorded(tmp_path, "mcap", write), SCARA)
    np.testing.assert_allclose(log.t, T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_bag_that_is_cut(kind: str, tmp_path: Path) -> None:
    path = recorded(tmp_path, kind, states)
    file = path if path.is_file() else next(each for each in path.iterdir() if each.suffix != ".yaml")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(LogError, match="is not a bag that can be read"):
        read(path, SCARA)


def test_a_bag_is_viewed_and_reported_as_any_log(tmp_path: Path) -> None:
    motion = armdyn.Trajectory.from_log(recorded(tmp_path, "mcap", states), SCARA)
    np.testing.assert_array_equal(motion.q, Q)
    assert motion.t[0] == 0.0
    assert any("whose stamp is 1764400000.000000 s" in note for note in motion.notes)
