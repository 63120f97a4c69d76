"""Calls of the readers that take numbers instead of a file: Denavit-Hartenberg tables, screws, zero reference, links.

An input is the source of one call. What is read is compared with a robot that Pinocchio is given through its own
functions, from the same arguments and by the conventions' own formulas; screws with Modern Robotics' library.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import armdyn
import armdyn.robot.imported as robot_imported
from fuzz import call_peers, call_sources
from fuzz.cases import OURS, Finding, Stage, Verdict
from fuzz.literals import changed, source
from fuzz.pinocchio_peer import (
    KEPT_DIGITS,
    Peer,
    State,
    difference,
    digits_of_lengths,
    random_state,
    torques_of_armdyn,
)

AS_PRINTED = 1e-7
"""How far torques may differ: axes and rotations off by 1e-9 are normalised, and the peer takes them as they stand."""

PASSES_ON = robot_imported.__file__
"""A method there calls a function with the arguments that it was called with."""

NAMES = {"armdyn": armdyn, "np": np, "nan": math.nan, "inf": math.inf, "Decimal": Decimal, "Fraction": Fraction}
"""What the source of a call may name."""


class Calls:
    """Spoilt calls."""

    name, suffix = "calls", ".py"

    def make(self, rng: Random) -> bytes:
        """The source of a call with up to three changes."""
        call = rng.choice(call_sources.MAKERS)(rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            call = changed(call, rng)
        return source(call).encode("utf-8", "backslashreplace")

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Call it; where it gives a robot, compare torques."""
        text = data.decode()
        stage("armdyn")
        try:
            value = eval(text, dict(NAMES))  # noqa: S307 - the text is our own
        except armdyn.ArmdynError as error:
            if not str(error).strip() or len(str(error)) > 20_000:
                return Verdict("refused", Finding("exception", "message", f"a message of {len(str(error))} letters"))
            return Verdict("refused")
        except (TypeError, SyntaxError) as error:
            inside = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(OURS)]
            if [frame.filename for frame in inside] not in ([], [PASSES_ON]):
                raise
            return Verdict("refused by Python")  # arguments that no function of ours was called with
        if not isinstance(value, armdyn.Robot):
            return Verdict("made")
        model = value.without_friction().model  # the peer has the bare bodies
        state = random_state(model.joint_names, Random(data))  # noqa: S311
        found = torques_of_armdyn(model, state)
        stage("peer")
        return _compared(text, model, state, found)


def _compared(text: str, model: armdyn.Model, state: State, found: Mapping[str, float]) -> Verdict:
    """The verdict on the torques of a robot, from a second reading of the call."""
    recorded: list[Any] = []
    try:
        with np.errstate(all="ignore"):
            eval(text, NAMES | {"armdyn": _Recorder(recorded)})  # noqa: S307
            peer = call_peers.PEERS[recorded[0][0]](*recorded[0][1:])
            expected, sizes = peer(model, state)
    except Exception:  # arguments that armdyn takes and this plain reading does not
        return Verdict("made, not by the peer")
    apart = difference(found, expected, sizes, AS_PRINTED)
    if not apart:
        return Verdict("compared")
    with np.errstate(all="ignore"):
        as_read, _ = Peer.of_model(model).torques(state)
    right = not difference(as_read, expected, sizes, AS_PRINTED)
    if right and digits_of_lengths(model) > KEPT_DIGITS:
        return Verdict("compared, lengths of more digits than numbers have")
    words = "read rightly, computed wrongly" if right else "read differently"
    return Verdict("compared", Finding("difference", f"{recorded[0][0]}: {words}", "; ".join(apart)))


class _Recorder:
    """Stands for the package while a call is read a second time: remembers the outermost call of a reader."""

    def __init__(self, recorded: list[Any]) -> None:
        self.Robot = _RecorderOfRobots(recorded)

    def __getattr__(self, name: str) -> Any:
        return getattr(armdyn, name)


class _RecorderOfRobots:
    def __init__(self, recorded: list[Any]) -> None:
        self.recorded = recorded

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **named: self.recorded.append((name, arguments, named))
