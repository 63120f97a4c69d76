"""The messages of a recorded scene, so that viser's player shows them right each time that they begin again.

The player of viser 1.1 puts each node where a file says, but after its first round no longer moves together what has
changed in another way than by its pose or by being hidden. So a film has such changes nowhere: those of its beginning
go into the messages that make the nodes, and a rod that becomes longer is drawn by two of the same length that overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array

Message = Mapping[str, Any]
Timed = tuple[float, Message]
"""A message, and when it is played, s from the beginning."""

SAME = 1e-6
"""Lengths that differ by less, by the longest, are one."""

HALVINGS = 10
"""Of the longest length of a rod; where it is shorter than the last, it is hidden."""

UPDATE, SHOW, TURN, MOVE = (
    "SceneNodeUpdateMessage",
    "SetSceneNodeVisibilityMessage",
    "SetOrientationMessage",
    "SetPositionMessage",
)


def film_of(messages: Iterable[Timed]) -> list[Timed]:
    """The same scene without messages that change a node in another way than by its pose or by being hidden.

    A node that is stretched along z while it plays becomes several of fixed lengths, of which those are seen that fit.
    One that changes in another way while it plays, the ellipsoid of a tip, is left out.

    Args:
        messages: of a recording, in the order of their times.
    """
    messages = list(messages)
    beginning = messages[0][0] if messages else 0.0
    later = [message for t, message in messages if t > beginning and message["type"] == UPDATE]
    changing = {message["name"] for message in later}
    at_first = _made(messages, beginning)
    stretched = {name: Stretched(at_first[name]) for name in changing if name in at_first}
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


def _made(messages: Iterable[Timed], beginning: float) -> dict[str, dict[str, Any]]:
    """The messages that make nodes by name, with what changes at once."""
    made: dict[str, dict[str, Any]] = {}
    for t, message in messages:
        if t > beginning:
            break
        if "props" in message:
            made[message["name"]] = {**message, "props": dict(message["props"])}
        elif message["type"] == UPDATE and message["name"] in made:
            made[message["name"]]["props"].update(message["updates"])
    return made


class Stretched:
    """A node whose scale changes while a film plays.

    Args:
        made: the message that makes it, as it is at first.
    """

    def __init__(self, made: Message) -> None:
        self._made = made
        self._lengths = [_scale(made["props"])[2]]
        self._along_z = bool((_scale(made["props"])[:2] == 1.0).all())
        self._length = self._lengths[0]
        self._wxyz, self._position = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        self._visible, self._shown, self._begun = True, -1, False

    def learn(self, updates: Mapping[str, Any]) -> None:
        """Take a later change into account, before the film is made."""
        self._along_z &= set(updates) == {"scale"} and bool((_scale(updates)[:2] == 1.0).all())
        self._lengths.append(_scale(updates)[2])

    @property
    def fixed(self) -> bool:
        """Whether it keeps its length but for rounding."""
        return self._along_z and float(np.ptp(self._lengths)) <= SAME * max(self._lengths)

    def follow(self, message: Message) -> None:
        """Take a message to the node."""
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
        """The messages that show the node as it is."""
        if not self._along_z:
            return []
        said = [] if self._begun else self._beginning()
        self._begun = True
        fits = [j for j, length in enumerate(self._sizes) if length <= self._length * (1.0 + SAME)]
        wanted = fits[0] if fits and self._visible else -1
        if wanted != self._shown:
            said += [self._say(SHOW, self._shown, end, visible=False) for end in (0, 1) if self._shown >= 0]
            said += [self._say(SHOW, wanted, end, visible=True) for end in (0, 1) if wanted >= 0]
            self._shown = wanted
        if wanted >= 0:
            far = self._position + (self._length - self._sizes[wanted]) * _z_axis(self._wxyz)
            for end, position in enumerate((self._position, far)):
                said.append(self._say(TURN, wanted, end, wxyz=self._wxyz.tolist()))
                said.append(self._say(MOVE, wanted, end, position=position.tolist()))
        return said

    @property
    def _sizes(self) -> Array:
        """Half of the longest, a quarter, and so on: two of the first that is not longer overlap, or meet."""
        sizes: Array = max(self._lengths) * 0.5 ** np.arange(1, HALVINGS + 1)
        return sizes

    def _beginning(self) -> list[Message]:
        """The messages that make the nodes, all of them hidden."""
        said: list[Message] = []
        for j, length in enumerate(self._sizes.tolist()):
            props = {**self._made["props"], "scale": [1.0, 1.0, length]}
            for end in (0, 1):
                said.append({**self._made, "name": self._name(j, end), "props": props})
                said.append(self._say(SHOW, j, end, visible=False))
        return said

    def _name(self, j: int, end: int) -> str:
        return f"{self._made['name']}, half {j + 1} {'ab'[end]}"

    def _say(self, kind: str, j: int, end: int, **what: Any) -> Message:
        return {"name": self._name(j, end), **what, "owner": self._made.get("owner", ""), "type": kind}


def _scale(props: Mapping[str, Any]) -> Array:
    return np.broadcast_to(np.asarray(props.get("scale", 1.0), dtype=float), (3,))


def _z_axis(wxyz: Array) -> Array:
    """The z axis of a frame whose orientation is a unit quaternion.

    >>> _z_axis(np.array([0.5, 0.5, 0.5, 0.5]))
    array([1., 0., 0.])
    """
    w, x, y, z = wxyz
    return np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])
