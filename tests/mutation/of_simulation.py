"""Mutants of `armdyn.simulation`, which its own tests find out: the operators of `mutants`, no exam.

From the folder tests/::

    python -m mutation.of_simulation record simulation   # the functions that each test calls, in out/called.json
    python -m mutation.of_simulation 60                  # a seeded sample of 60 mutants; one JSON object a line

A mutant is written into a copy of the sources and asked of at most `TESTS` tests that call the changed function, spread
from those that call least to those that call most. One that survives has not failed any of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

from mutation.mutants import Mutant, mutant, places

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/armdyn/simulation")
CALLED = ROOT / "out" / "called.json"
TESTS, SEED, SECONDS = 12, 7, 150
"""The most tests a mutant is asked of; of the sample; processor time of all tests of a mutant, s."""


class Calls:
    """A plugin of pytest: the functions of the package that each test function calls, as file:qualified name."""

    def __init__(self) -> None:
        self.by_test: dict[str, set[CodeType]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        found = self.by_test.setdefault(item.nodeid.partition("[")[0], set())

        def note(frame: FrameType, event: str, _: Any) -> None:
            if str(PACKAGE) in frame.f_code.co_filename:
                found.add(frame.f_code)

        sys.settrace(note)
        yield
        sys.settrace(None)

    def pytest_sessionfinish(self) -> None:
        named = {test: sorted(map(_name, codes)) for test, codes in self.by_test.items()}
        CALLED.parent.mkdir(exist_ok=True)
        CALLED.write_text(json.dumps(named))


def _name(code: CodeType) -> str:
    file = code.co_filename.partition(f"{PACKAGE}/")[2]
    return f"{file}:{code.co_qualname.replace('<locals>.', '')}"


def sample(count: int) -> list[tuple[Path, Mutant]]:
    """So many mutants of the whole package, each place alike."""
    every = []
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        source, inner = path.read_text(), path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        every += [(path, source, place) for place in places(".".join(("simulation", *inner)), source)]
    chosen = (every[k] for k in np.random.default_rng(SEED).permutation(len(every)))
    made = ((path, mutant(place, source)) for path, source, place in chosen)
    return list(islice((one for one in made if "TYPE_CHECKING" not in one[1].change), count))


def tests_of(path: Path, function: str, called: dict[str, list[str]]) -> list[str]:
    """The tests that call a function, spread by how much else they call."""
    name = f"{path.relative_to(ROOT / PACKAGE)}:{function}"  # of no function: of a module as it is imported
    having = (
        test
        for test, names in called.items()
        if any(one == name or (not function and one.startswith(name)) for one in names)
    )
    own = sorted(having, key=lambda test: (len(called[test]), test))
    return own if len(own) <= TESTS else [own[round(k * (len(own) - 1) / (TESTS - 1))] for k in range(TESTS)]


def verdict(tree: Path, path: Path, suspect: Mutant, tests: list[str]) -> str:
    """ "killed", "survived", "slow" (killed by the clock) or "not called"."""
    if not tests:
        return "not called"
    target = tree / path.relative_to(ROOT)
    source = target.read_text()
    target.write_text(suspect.source)
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1"}
    limited = ["bash", "-c", f'ulimit -t {SECONDS}; exec "$@"', "-"]
    asked = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        ended = subprocess.run([*limited, *asked], check=False, cwd=tree, env=environment, capture_output=True)
    finally:
        target.write_text(source)
    return {0: "survived", 1: "killed", 2: "killed"}.get(ended.returncode, "slow")


def main(words: list[str]) -> None:
    if words[0] == "record":
        sys.exit(pytest.main([*words[1:], "-q", "-p", "no:cacheprovider"], plugins=[Calls()]))
    called, verdicts = json.loads(CALLED.read_text()), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("src", "tests", "docs", "examples"):
            shutil.copytree(ROOT / name, tree / name)
        shutil.copy(ROOT / "pyproject.toml", tree)
        for path, suspect in sample(int(words[0])):
            inside = suspect.function.removeprefix(suspect.module).removeprefix(".")
            found = verdict(tree, path, suspect, tests_of(path, inside, called))
            verdicts[found] += 1
            sys.stdout.write(json.dumps({"verdict": found, "mutant": str(suspect)}) + "\n")
            sys.stdout.flush()
    sys.stdout.write(json.dumps(verdicts) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
