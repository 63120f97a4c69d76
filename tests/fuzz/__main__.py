"""The command line of the fuzzing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the oracles, and for workers

from fuzz.cases import input_of
from fuzz.findings import judged
from fuzz.kinds import WHERE, kind_of
from fuzz.runner import run


def main() -> int:
    """Judge many inputs, show one, or judge one again."""
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--kind", choices=sorted(WHERE), default="urdf")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--findings", type=Path, default=Path("out/fuzz"), help="the folder that takes what is found")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two lines of progress")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print one input, and do nothing else")
    parser.add_argument("--again", type=Path, metavar="FILE", help="judge the input in a file, and say what is seen")
    asked = parser.parse_args()
    if asked.show is not None:
        sys.stdout.buffer.write(input_of(kind_of(asked.kind), asked.seed, asked.show))
        return 0
    if asked.again is not None:
        print(judged(kind_of(asked.kind), asked.again.read_bytes(), lambda _: None))
        return 0
    report = run(
        asked.kind, asked.count, asked.seed, asked.jobs, asked.findings, first=asked.first,
        progress=lambda report: print(report, flush=True), every=asked.every,
    )  # fmt: skip
    print(report)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
