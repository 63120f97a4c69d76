"""Shares inputs out to workers, watches them, and says how far they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases import Finding, input_of
from fuzz.findings import Store
from fuzz.kinds import kind_of
from fuzz.worker import STAGES, Board, Task

SILENCE = 60.0
"""Seconds of wall-clock time after which a worker that says nothing is ended; machines may be busy."""

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Report:
    """How many inputs were judged, with which outcomes, and in what time."""

    done: int
    outcomes: Counter[str]
    seconds: float

    @property
    def findings(self) -> int:
        """How many inputs showed that something is wrong."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.startswith("FINDING"))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.outcomes.items()))
        rate = self.done / self.seconds if self.seconds else 0.0
        return f"{self.done} inputs in {self.seconds:.0f} s ({rate:.0f}/s): {counts or 'none'}"


class _Runner:
    """One worker after another for one share of the inputs."""

    def __init__(self, task: Task, board: Path) -> None:
        self.task, self.kind = task, kind_of(task.kind)
        self.store = Store(task.findings, self.kind, task.seed)
        self.board_file, self.board = board, Board(board, new=True)
        self.beat, self.heard = -1, time.monotonic()
        self.process = self._start(task.start)

    def _start(self, start: int) -> subprocess.Popen[bytes]:
        task = self.task
        words = [task.kind, task.seed, start, task.stop, task.step, task.findings, self.board_file]
        code = "import sys; sys.path.insert(0, 'tests'); from fuzz.worker import main; main(sys.argv[1:])"
        self.heard = time.monotonic()
        return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], cwd=ROOT)

    def poll(self) -> bool:
        """Whether there is more to wait for; a worker that died or hangs is replaced."""
        code = self.process.poll()
        if code == 0:
            return False
        if code is not None:
            self._replace("crash", f"the process ended with {code}")
        elif (beat := self.board.beat + self.board.done) != self.beat:
            self.beat, self.heard = beat, time.monotonic()
        elif time.monotonic() - self.heard > SILENCE:
            self.process.kill()
            self.process.wait()
            self._replace("hang", f"nothing was heard for {SILENCE:.0f} s")
        return True

    def _replace(self, what: str, detail: str) -> None:
        index, stage = self.board.index, STAGES[self.board.stage]
        if index < 0:
            raise RuntimeError(f"the worker did not start: {detail}")
        if stage == "peer":
            self.board.count(f"{what} of the peer")
        else:
            self.board.count(f"FINDING {what}")
            finding = Finding(what, f"{what} in stage {stage} at {index}", detail)
            self.store.add(index, finding, input_of(self.kind, self.task.seed, index))
        self.board.set("done", self.board.done + 1)
        self.board.set("stage", 0)
        self.process = self._start(index + self.task.step)

    def end(self) -> None:
        """Stop the worker."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(
    kind: str,
    count: int,
    seed: int,
    jobs: int,
    findings: Path,
    *,
    first: int = 0,
    seconds: float | None = None,
    progress: Callable[[Report], None] = lambda _: None,
    every: float = 5.0,
) -> Report:
    """Judge ``count`` inputs of a kind, or as many as are done in ``seconds``.

    Args:
        kind: of the inputs.
        count: how many.
        seed: of all of them.
        jobs: how many processes work on them.
        findings: the folder that takes what is found.
        first: number of the first input.
        seconds: when to stop.
        progress: is told how far the work is, ``every`` so many seconds.
        every: seconds between two reports.
    """
    start = said = time.monotonic()
    tasks = [Task(kind, seed, first + k, first + count, jobs, findings) for k in range(min(jobs, count))]
    boards = Path(tempfile.mkdtemp(prefix="armdyn-fuzz-boards-"))
    runners = [_Runner(task, boards / str(k)) for k, task in enumerate(tasks)]

    def report() -> Report:
        outcomes: Counter[str] = Counter()
        for runner in runners:
            outcomes.update(runner.board.outcomes)
        return Report(sum(runner.board.done for runner in runners), outcomes, time.monotonic() - start)

    try:
        while busy := [runner.poll() for runner in runners]:
            if not any(busy):
                break
            time.sleep(0.05)
            now = time.monotonic()
            if now - said > every:
                said = now
                progress(report())
            if seconds is not None and now - start > seconds:
                break
        return report()
    finally:
        for runner in runners:
            runner.end()
        shutil.rmtree(boards)
