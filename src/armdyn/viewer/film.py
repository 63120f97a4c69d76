"""The messages of a recorded scene, so that viser's player shows them correctly in every loop.

The player of viser 1.1 sets each node to its recorded pose, but from the second loop on it no longer moves nodes
together with others after a change other than of pose or visibility. So a film contains no such changes: initial ones
are merged into the messages that create the nodes, and a rod that becomes longer is drawn as two overlapping rods of
equal, fixed length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array
from armdyn.viewer.framing import CameraPlace

Message = Mapping[str, Any]
Timed = tuple[float, Message]
"""The time of a message, s from the beginning, and the message."""

SAME = 1e-6
"""Lengths are equal if they differ by less than this fraction of the longest."""

HALVINGS = 10
"""Number of halvings of the longest length of a rod; a rod shorter than the last half is hidden."""

UPDATE, SHOW, TURN, MOVE = (
    "SceneNodeUpdateMessage",
    "SetSceneNodeVisibilityMessage",
    "SetOrientationMessage",
    "SetPositionMessage",
)


def film_of(messages: Iterable[Timed]) -> list[Timed]:
    """The messages of a scene in which nodes change only by their pose or by being hidden.

    A node that is stretched along z during playback becomes several nodes of fixed lengths; those that fit are visible.
    A node that changes in another way during playback, the ellipsoid of a tip, is omitted.

    Args:
        messages: messages of a recording, in the order of their times.
    """
    messages = list(messages)
    beginning = messages[0][0] if messages else 0.0
    later = [message for t, message in messages if t > beginning and message["type"] == UPDATE]
    changing = {message["name"] for message in later}
    at_first = _creation_messages(messages, beginning)
    stretched = {name: ScalingNode(at_first[name]) for name in changing if name in at_first}
    for message in later:
        if message["name"] in stretched:
            stretched[message["name"]].learn(message["updates"])
    film: list[Timed] = []
    for t, group in groupby(messages, key=lambda timed: timed[0]):
        for _, message in group:
            name = str(message.get("name"))
            rod = stretched.get(name)
            if rod is None or rod.fixed:
                if message["type"] != UPDATE:
                    film.append((t, at_first[name] if t == beginning and "props" in message else message))
            else:
                rod.follow(message)
        film += [(t, message) for rod in stretched.values() if not rod.fixed for message in rod.now()]
    return film


def seen_by(messages: Iterable[Timed], camera: CameraPlace) -> list[Timed]:
    """The messages of a scene whose initial camera is another one.

    Args:
        messages: messages of a recording.
        camera: its position and target.
    """
    changes = {
        "SetCameraPositionMessage": {"position": tuple(camera.position.tolist())},
        "SetCameraLookAtMessage": {"look_at": tuple(camera.target.tolist())},
    }
    return [(t, {**message, **changes.get(message["type"], {})}) for t, message in messages]


def _creation_messages(messages: Iterable[Timed], beginning: float) -> dict[str, dict[str, Any]]:
    """The messages that create nodes, by name, merged with the changes at the beginning."""
    result: dict[str, dict[str, Any]] = {}
    for t, message in messages:
        if t > beginning:
            break
        if "props" in message:
            result[message["name"]] = {**message, "props": dict(message["props"])}
        elif message["type"] == UPDATE and message["name"] in result:
            result[message["name"]]["props"].update(message["updates"])
    return result


class ScalingNode:
    """A node whose scale changes while a film plays.

    Args:
        made: the message that creates it, with its initial properties.
    """

    def __init__(self, message: Message) -> None:
        self._creation_messages = message
        self._lengths = [_scale(message["props"])[2]]
        self._along_z = bool((_scale(message["props"])[:2] == 1.0).all())
        self._length = self._lengths[0]
        self._wxyz, self._position = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        self._visible, self._shown, self._begun = True, -1, False

    def learn(self, updates: Mapping[str, object]) -> None:
        """Record the scale of a later change; called before the film is built."""
        self._along_z &= set(updates) == {"scale"} and bool((_scale(updates)[:2] == 1.0).all())
        self._lengths.append(_scale(updates)[2])

    @property
    def fixed(self) -> bool:
        """True if its length is constant up to rounding."""
        return self._along_z and float(np.ptp(self._lengths)) <= SAME * max(self._lengths)

    def follow(self, message: Message) -> None:
        """Apply a message to the node."""
        kind = message["type"]
        if kind == TURN:
            self._wxyz = np.array(message["wxyz"], dtype=float)
        elif kind == MOVE:
            self._position = np.array(message["position"], dtype=float)
        elif kind == SHOW:
            self._visible = bool(message["visible"])
        elif kind == UPDATE:
            self._length = _scale(message["updates"])[2] if "scale" in message["updates"] else self._length

    def now(self) -> list[Message]:
        """The messages that show the node in its present state."""
        if not self._along_z:
            return []
        texts = [] if self._begun else self._beginning()
        self._begun = True
        fits = [j for j, length in enumerate(self._sizes) if length <= self._length * (1.0 + SAME)]
        level = fits[0] if fits and self._visible else -1
        if level != self._shown:
            texts += [self._say(SHOW, self._shown, end, visible=False) for end in (0, 1) if self._shown >= 0]
            texts += [self._say(SHOW, level, end, visible=True) for end in (0, 1) if level >= 0]
            self._shown = level
        if level >= 0:
            far = self._position + (self._length - self._sizes[level]) * _z_axis(self._wxyz)
            for end, position in enumerate((self._position, far)):
                texts.append(self._say(TURN, level, end, wxyz=self._wxyz.tolist()))
                texts.append(self._say(MOVE, level, end, position=position.tolist()))
        return texts

    @property
    def _sizes(self) -> Array:
        """Half of the longest length, a quarter, etc.: two rods of the first that is not too long overlap, or touch."""
        sizes: Array = max(self._lengths) * 0.5 ** np.arange(1, HALVINGS + 1)
        return sizes

    def _beginning(self) -> list[Message]:
        """The messages that create the nodes, all of them hidden."""
        texts: list[Message] = []
        for j, length in enumerate(self._sizes.tolist()):
            props = {**self._creation_messages["props"], "scale": [1.0, 1.0, length]}
            for end in (0, 1):
                texts.append({**self._creation_messages, "name": self._name(j, end), "props": props})
                texts.append(self._say(SHOW, j, end, visible=False))
        return texts

    def _name(self, j: int, end: int) -> str:
        return f"{self._creation_messages['name']}, half {j + 1} {'ab'[end]}"

    def _say(self, kind: str, j: int, end: int, **fields: Any) -> Message:
        return {"name": self._name(j, end), **fields, "owner": self._creation_messages.get("owner", ""), "type": kind}


def _scale(props: Mapping[str, object]) -> Array:
    return np.broadcast_to(np.asarray(props.get("scale", 1.0), dtype=float), (3,))


def _z_axis(wxyz: Array) -> Array:
    """The z axis of a frame whose orientation is a unit quaternion.

    >>> _z_axis(np.array([0.5, 0.5, 0.5, 0.5]))
    array([1., 0., 0.])
    """
    w, x, y, z = wxyz
    return np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])
