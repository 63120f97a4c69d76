"""Everything that `make test-aarch64` does: see README.md beside."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from aarch64.emulated_python import ROOT, EmulatedPython
from determinism.test_same_programs import SAMPLE, all_robots

PROGRAMS = ROOT / "tests" / "determinism" / "programs.py"

CHOSEN = (
    "tests/exact",
    "tests/program/test_cache.py",
    "tests/program/test_conditional.py",
    "tests/program/test_direct.py",
    "tests/program/test_gufunc.py",
    "tests/program/test_linker.py",
    "tests/program/test_interpret.py",
    "tests/program/test_layouts.py",
    "tests/program/test_near_angles.py",
    "tests/program/test_parallel.py",
    "tests/program/test_power.py",
    "tests/program/test_trigonometry.py",
)
"""Tests that run there too: of what depends on the processor."""


class Check:
    """What is done here and there, in files of the emulated Python's folder."""

    def __init__(self, python: EmulatedPython) -> None:
        self.python, self.folder = python, python.folder

    def digests(self) -> list[str]:
        """Programs of every public function of all robots."""
        robots, here, there = (self.folder / name for name in ("robots.json", "here.json", "there.json"))
        robots.write_text(json.dumps(all_robots()), encoding="utf-8")
        run_here(str(PROGRAMS), str(robots), log=here)
        if failure := self._run_there(str(PROGRAMS), str(robots), log=there):
            return failure
        ours, theirs = (json.loads(file.read_text(encoding="utf-8")) for file in (here, there))
        pairs = {
            f"{robot}: {what}": (found, theirs[robot][what]) for robot in ours for what, found in ours[robot].items()
        }
        different = [f"{name}: {' '.join(a)} here, {' '.join(b)} there" for name, (a, b) in pairs.items() if a != b]
        print(f"{len(ours)} robots, {len(pairs)} digests with operation counts: {len(pairs) - len(different)} equal")
        return different

    def answers(self) -> list[str]:
        """Numbers of one robot of each kind, by the interpreter and by machine code."""
        robots, reference = self.folder / "sample.json", self.folder / "reference.npz"
        every = all_robots()
        robots.write_text(json.dumps({name: every[name] for name in SAMPLE if name != "constrained"}), encoding="utf-8")
        module = ("-m", "aarch64.answers", str(robots), str(reference))
        run_here(*module, log=self.folder / "reference.log")
        failures: list[str] = []
        shutil.rmtree(self.python.home, ignore_errors=True)  # kernels of earlier runs
        for option in ("--compare", "--cached"):
            log = self.folder / f"answers{option}.log"
            failures += self._run_there("-W", "error", *module, option, log=log)
            print(log.read_text(encoding="utf-8"), end="")
        return failures

    def tests(self) -> list[str]:
        """The chosen tests."""
        log = self.folder / "tests.log"
        failure = self._run_there("-m", "pytest", "-q", "-p", "no:cacheprovider", *CHOSEN, log=log)
        print(log.read_text(encoding="utf-8").strip().splitlines()[-1])
        return failure

    def _run_there(self, *arguments: str, log: Path) -> list[str]:
        status = self.python.run(*arguments, log=log)
        return [f"{' '.join(arguments)} ended with {status}, see {log}"] if status else []


def run_here(*arguments: str, log: Path) -> None:
    """The same Python code on this processor."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"}
    with log.open("w", encoding="utf-8") as output:
        subprocess.run([sys.executable, *arguments], env=environment, stdout=output, check=True, cwd=ROOT)


def timed(work: Callable[[], list[str]]) -> list[str]:
    """What work returns, and how long it took."""
    start = time.perf_counter()
    problems = work()
    print(f"-- {work.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    return problems


def main() -> int:
    if platform.machine() in ("aarch64", "arm64"):
        print("this processor is an aarch64 itself: make test tests it")
        return 0
    start = time.perf_counter()
    python = EmulatedPython(ROOT / "build" / "aarch64")
    python.prepare()
    print(f"-- emulator, Python and wheels in {python.folder}: {time.perf_counter() - start:.0f} s", flush=True)
    check = Check(python)
    with ThreadPoolExecutor(2) as pool:  # emulation takes one core each
        problems = list(chain.from_iterable(pool.map(timed, (check.tests, check.digests, check.answers))))
    verdict = "no differences" if not problems else "differences above"
    print(*problems, f"{verdict}, {time.perf_counter() - start:.0f} s in all", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
