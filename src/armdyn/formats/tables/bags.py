"""Joint states in ROS 1 bags, ROS 2 bags and MCAP files: one column per joint and quantity, by joint name.

A message counts if it has names of joints and numbers for them, e.g. ``sensor_msgs/JointState`` (name, position,
velocity, effort) and ``control_msgs/JointTrajectoryControllerState``. Messages that lack a joint leave NaN in its
columns. The stamp of the header is the time; a message without one has the time of its recording.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from armdyn.base.errors import ArmdynError, MissingLibrary, UnknownName
from armdyn.formats.tables.messages import FIELDS, Message, table_of_messages
from armdyn.formats.tables.table import Table, no_file

BAG_ENDINGS = (".bag", ".mcap", ".db3")


def is_bag(path: Path) -> bool:
    """True for the file or folder of a bag."""
    return path.suffix.lower() in BAG_ENDINGS or (path.is_dir() and (path / "metadata.yaml").is_file())


def read_bag(path: Path, error: type[ArmdynError], topic: str | None = None) -> Table:
    """The joint states of a bag, one column ``q_JOINT``, ``qd_JOINT`` and ``tau_JOINT`` per name in its messages.

    Args:
        path: of the file, or of the folder with metadata.yaml.
        error: the class of errors.
        topic: of the messages; needed if several topics have joint states.

    Raises:
        error: a missing file, a damaged bag, no message with joints, or several topics with them.
        UnknownName: a topic without joint states.
        MissingLibrary: rosbags is not installed.
    """
    if not path.exists():
        raise error(no_file(path))
    messages, kinds = _messages(path, error, topic)
    with_joints = [name for name, kind in kinds.items() if _may_have_joints(kind)]
    listed = ", ".join(f"{name!r} ({kind})" for name, kind in list(kinds.items())[:12]) or "none"
    if topic is not None and topic not in kinds:
        raise UnknownName.of("topic", topic, with_joints or kinds, str(path))
    if topic is not None and not messages:
        raise error(f"{path} has no messages with joints on topic {topic!r}, which is of {kinds[topic]}")
    topics = Counter(message.topic for message in messages)
    if not topics:
        raise error(
            f"{path} has no message with names of joints and positions, such as a sensor_msgs/JointState; its topics: "
            f"{listed}"
        )
    if len(topics) > 1:
        counts = ", ".join(f"{name!r} ({count:,})" for name, count in topics.items())
        raise error(f"{path} has joint states on several topics: {counts}; choose one: topic=, --topic")
    return table_of_messages(messages, str(path))


def _messages(path: Path, error: type[ArmdynError], topic: str | None) -> tuple[list[Message], dict[str, str]]:
    """The messages with joints of a bag, of one topic or of all; the kinds of messages by topic."""
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError  # noqa: PLC0415 - an extra
        from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415
    except ImportError:
        raise MissingLibrary(
            "reading a ROS bag or MCAP file needs rosbags, which is not installed: pip install rosbags"
        ) from None
    store = get_typestore(Stores.ROS2_HUMBLE)  # for bags that carry no definitions of their messages
    try:
        with AnyReader([path], default_typestore=store) as reader:
            kinds = {connection.topic: str(connection.msgtype) for connection in reader.connections}
            chosen = [
                connection
                for connection in reader.connections
                if _may_have_joints(connection.msgtype) and topic in (None, connection.topic)
            ]
            read = (
                _message(connection.topic, recorded, reader.deserialize(raw, connection.msgtype))
                for connection, recorded, raw in (reader.messages(connections=chosen) if chosen else ())
            )
            return [message for message in read if message is not None], kinds
    except (AnyReaderError, OSError, ValueError, KeyError) as problem:
        raise error(f"{path} is not a bag that can be read: {type(problem).__name__}: {problem}") from None


KINDS = ("JointState", "JointTrajectoryControllerState")
"""Message types with names of joints."""


def _may_have_joints(kind: object) -> bool:
    return str(kind).rpartition("/")[2] in KINDS


def _message(topic: str, recorded: int, message: object) -> Message | None:
    """The joints of a message; None if it names none."""
    names = getattr(message, "name", None) or getattr(message, "joint_names", None)
    if not names:
        return None
    point = next((part for part in ("actual", "feedback") if hasattr(message, part)), None)
    source = message if point is None else getattr(message, point)
    fields = ("position", "velocity", "effort") if point is None else ("positions", "velocities", "effort")
    values = {
        kind: tuple(float(x) for x in getattr(source, field, ()))
        for kind, field in zip(FIELDS.values(), fields, strict=True)
    }
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    ns = 0 if stamp is None else int(stamp.sec) * 10**9 + int(stamp.nanosec)
    return Message(topic, ns or int(recorded), tuple(map(str, names)), values)
