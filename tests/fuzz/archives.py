"""Saved trajectories in NumPy's .npz, damaged: the bytes of the archive, those of its arrays, and its words."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from copy import deepcopy
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import armdyn
from armdyn.motion import npz_file
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.motion_data import Occurrence, Statistics
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.damage import damage

WORDS = "words.npy"
VALUES = (None, True, 0, -1, 1.5, 10**400, "", "x", [], [[]], {}, ["revolute"], {"q": 1}, float("nan"), [None, None])


class Archives:
    """Damaged files of one small trajectory."""

    name, suffix = "archives", ".npz"

    @cached_property
    def path(self) -> Path:
        """The file."""
        return file_in_memory("motion.npz")

    def make(self, rng: Random) -> bytes:
        """An archive with other words, damaged arrays whose checksums are right again, or damaged bytes."""
        where = rng.choice(("words", "words", "arrays", "arrays", "bytes", "bytes", "all"))
        if where == "bytes":
            return _damaged_or_flipped(whole(), rng)
        members = [*_members()]
        if where in ("words", "all"):
            members = [(name, _other_words(content, rng) if name == WORDS else content) for name, content in members]
        if where in ("arrays", "all"):
            _change_one(members, rng)
        data = _archive(members)
        return _damaged_or_flipped(data, rng) if where == "all" else data

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Loaded as a trajectory that can be shown, or refused by the error of such files, which names the file."""
        self.path.write_bytes(data)
        stage("armdyn")
        try:
            trajectory = armdyn.Trajectory.load(self.path)
        except armdyn.simulation.TrajectoryFileError as error:
            named = str(error).startswith(str(self.path)) and "\n" not in str(error)
            return refused(error) if named else Verdict("refused", Finding("exception", "message", str(error)))
        repr(trajectory)
        trajectory.to_dict()
        return Verdict("loaded")


def _damaged_or_flipped(data: bytes, rng: Random) -> bytes:
    """Damaged, or with up to three bytes of other values."""
    if rng.random() < 0.5:
        return damage(data, rng)
    changed = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


@cache
def _members() -> tuple[tuple[str, bytes], ...]:
    """The arrays of the good file, by the names of their files."""
    with zipfile.ZipFile(io.BytesIO(whole())) as archive:
        return tuple((name, archive.read(name)) for name in archive.namelist())


def _change_one(members: list[tuple[str, bytes]], rng: Random) -> None:
    """One array of it damaged anywhere or in its head, taken away, or named otherwise."""
    k = rng.randrange(len(members))
    name, content = members[k]
    change = rng.randrange(4)
    if change == 0:
        members[k] = (name, _damaged_or_flipped(content, rng))
    elif change == 1:  # the head of NumPy's format: the magic, and a literal of Python
        members[k] = (name, _damaged_or_flipped(content[:128], rng) + content[128:])
    elif change == 2:
        del members[k]
    else:
        members[k] = (rng.choice(("q.npy", f"signal_{rng.randrange(4)}.npy", name[:-4], "x" * 300)), content)


def _other_words(content: bytes, rng: Random) -> bytes:
    """Words with one or two of their values exchanged or taken away, or a text that is no words."""
    words = json.loads(str(np.load(io.BytesIO(content))))
    for _ in range(rng.randint(1, 2)):
        _change_a_value(words, rng)
    text = json.dumps(words)
    if rng.random() < 0.1:
        text = rng.choice(("", "[", "[" * 100_000, "{}", "null", "1e999", text[: len(text) // 2]))
    buffer = io.BytesIO()
    np.save(buffer, np.array(text))
    return buffer.getvalue()


def _change_a_value(place: dict[str, Any] | list[Any], rng: Random) -> None:
    """Of a mapping or list, or of one within it."""
    while place:
        key: Any = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or rng.random() < 0.4:
            break
        place = inner
    else:
        return
    if rng.random() < 0.3:
        del place[key]
    else:
        place[key] = deepcopy(rng.choice(VALUES))


def _archive(members: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


@cache
def whole() -> bytes:
    """A good file, with a signal, its labels and an event."""
    numbers = np.random.default_rng(11)
    q, qd, qdd, tau = numbers.normal(size=(4, 3, 2))
    impact = Occurrence(0.1, "floor", "impact", q[1], qd[1], 0.2)
    trajectory = armdyn.Trajectory(
        *("arm", ("turn", "slide"), ("revolute", "prismatic"), np.array([0.0, 0.1, 0.2]), q, qd, qdd, tau, None),
        EnergyAccount(*numbers.normal(size=(3, 3))),
        Statistics("Runge-Kutta 4, steps of 0.1 s", 2, 9, 0.5),
        ("friction is left out",),
        {"target": numbers.normal(size=(3, 2)), "load": numbers.normal(size=(3, 1))},
        events=(impact,),
        signal_labels={"load": (("tip", "N"),)},  # type: ignore[dict-item]
    )
    return npz_file.content(trajectory, Path("motion.npz"))
