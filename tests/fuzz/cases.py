"""What a kind of input offers, and what is found out about one input."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

import armdyn

LIMIT = 2.0
"""Seconds of processor time that an input may take."""

OURS = str(Path(armdyn.__file__).parent)
"""The folder of the library: what is raised in it is ours to mend."""

Stage = Callable[[str], None]
"""Says who works on an input from now on: "armdyn", or the "peer" that it is compared with."""


def file_in_memory(name: str) -> Path:
    """A path for what both libraries read, in a folder of its own, in memory where the system has a place for it."""
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a folder of our own in it
    return Path(tempfile.mkdtemp(prefix="armdyn-fuzz-", dir=folder)) / name


class Hang(BaseException):
    """An input took longer than `LIMIT`; no Exception, so that no reader catches it."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with armdyn on one input.

    Args:
        what: "exception", "difference", "hang" or "crash".
        signature: what two findings with one cause have in common, such as the line that raised.
        detail: what was seen.
    """

    what: str
    signature: str
    detail: str


@dataclass(frozen=True)
class Verdict:
    """What became of an input, a word for the count, and what is wrong with that, if anything."""

    outcome: str
    finding: Finding | None = None


def refused(error: Exception) -> Verdict:
    """The verdict on an input that is refused: the message must say something."""
    return Verdict("refused", None if str(error).strip() else Finding("exception", "message", "says nothing"))


class Kind(Protocol):
    """A kind of input: how one is made, and how it is judged."""

    name: str
    suffix: str

    def make(self, rng: Random) -> bytes:
        """An input."""
        ...

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """What armdyn makes of it."""
        ...


def random_of(kind: str, seed: int, index: int) -> Random:
    """The random numbers of one input, the same on every machine."""
    return Random(f"{kind} {seed} {index}")  # noqa: S311 - no secret


def input_of(kind: Kind, seed: int, index: int) -> bytes:
    """One input."""
    return kind.make(random_of(kind.name, seed, index))
