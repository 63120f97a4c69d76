"""One process that judges inputs. It may die or hang on one of them; the process that started it notices."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.cases import LIMIT, Finding, Hang, Kind, input_of
from fuzz.findings import Store, judged
from fuzz.kinds import kind_of
from fuzz.minimise import minimise

STAGES = ("between", "armdyn", "peer", "minimising")
OUTCOMES = 40
"""How many different outcomes are counted."""

WORD = 40
"""How many letters the name of an outcome has at most."""


@dataclass
class Task:
    """What a worker does: every input from ``start`` to ``stop``, ``step`` apart."""

    kind: str
    seed: int
    start: int
    stop: int
    step: int
    findings: Path


class Board:
    """What a worker has reached, in a file that outlives it: where it is, and how often there was which outcome."""

    _LAYOUT = np.dtype(
        [
            *((name, "i8") for name in ("index", "stage", "beat", "done")),
            ("counts", "i8", OUTCOMES),
            ("names", f"S{WORD}", OUTCOMES),
        ]
    )

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.fields: Any = np.memmap(path, self._LAYOUT, "w+" if new else "r+", shape=(1,))
        if new:
            self.fields["index"] = -1

    def __getattr__(self, name: str) -> int:
        return int(self.fields[name][0])

    def set(self, name: str, value: int) -> None:
        """Write one number."""
        self.fields[name] = value

    def count(self, outcome: str) -> None:
        """One more of an outcome."""
        names, word = self.fields["names"][0], outcome.encode()[:WORD]
        k = next(k for k in range(OUTCOMES) if names[k] in (word, b""))
        names[k] = word
        self.fields["counts"][0, k] += 1

    @property
    def outcomes(self) -> dict[str, int]:
        """How often there was which outcome."""
        pairs = zip(self.fields["names"][0], self.fields["counts"][0], strict=True)
        return {name.decode(): int(count) for name, count in pairs if name}


def work(task: Task, board_file: Path) -> None:
    """Judge every input of a task."""
    _quietly()
    board, kind = Board(board_file), kind_of(task.kind)
    store = Store(task.findings, kind, task.seed)
    parent = os.getppid()
    for index in range(task.start, task.stop, task.step):
        if os.getppid() != parent:
            break  # nobody waits for this
        board.set("index", index)
        data = input_of(kind, task.seed, index)
        verdict = _judged(kind, data, board)
        board.count(verdict.outcome)
        if verdict.finding is not None:
            board.count(f"FINDING {verdict.finding.what}")
            _keep(store, index, data, verdict.finding, board)
        board.set("done", board.done + 1)
        board.set("stage", 0)


def _judged(kind: Kind, data: bytes, board: Board) -> Any:
    with _in_time() as rewind:

        def stage(name: str) -> None:
            board.set("stage", STAGES.index(name))
            board.set("beat", board.beat + 1)
            rewind(LIMIT if name == "armdyn" else 0.0)

        return judged(kind, data, stage)


def _keep(store: Store, index: int, data: bytes, finding: Finding, board: Board) -> None:
    """Store a finding with the smallest input that shows it."""
    if store.knows(finding):
        return

    def same(smaller: bytes) -> bool:
        with _in_time() as rewind:
            board.set("beat", board.beat + 1)
            rewind(LIMIT)
            verdict = judged(store.kind, smaller, lambda _: None)
        return verdict.finding is not None and (verdict.finding.what, verdict.finding.signature) == (
            finding.what,
            finding.signature,
        )

    smallest = data if finding.what == "hang" else minimise(data, same)
    board.set("stage", STAGES.index("minimising"))
    store.add(index, finding, smallest)


@contextmanager
def _in_time() -> Iterator[Any]:
    """Raise `Hang` after so many seconds of processor time from the last call of what this yields."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _quietly() -> None:
    """Libraries print what they do not like; warnings that are not of descriptions are exceptions here."""
    silence = os.open(os.devnull, os.O_WRONLY)
    sys.stderr.flush()
    os.dup2(silence, 2)
    os.dup2(silence, 1)
    if "ARMDYN_CACHE_DIR" not in os.environ:
        os.environ["ARMDYN_CACHE_DIR"] = tempfile.mkdtemp(prefix="armdyn-fuzz-cache-")
    from armdyn import DescriptionWarning

    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DescriptionWarning)


def main(arguments: Sequence[str]) -> None:
    """A worker of its own process: kind, seed, start, stop, step, folder, board."""
    kind, seed, start, stop, step, folder, board = arguments
    work(Task(kind, int(seed), int(start), int(stop), int(step), Path(folder)), Path(board))
