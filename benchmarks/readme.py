"""``python -m benchmarks.readme``: the table of README.md, five rows of one run; medians of interleaved rounds.

Times are of a UR5 on one core: pin the process (``taskset -c 1``). It needs clang++, pin, cmeel-eigen, mujoco and
example-robot-data.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.c_export import STATES, single_states
from benchmarks.cases import Case, make_case
from benchmarks.contest import agreements, load_peers
from benchmarks.machine import describe
from benchmarks.mujoco_batches import mujoco_speeds
from benchmarks.results import SUBJECT
from benchmarks.rollouts import rollout_speeds
from benchmarks.states import States
from benchmarks.throughput import Speed, batch_speeds, single_speeds

FUNCTIONS = ["inverse_dynamics", "forward_dynamics_derivatives"]
BATCH, ROUNDS = 100_000, 11


def rows(case: Case, folder: Path) -> Iterator[tuple[str, float, str, float]]:
    """What is computed, armdyn's ns, the other library, its time over armdyn's."""
    one = single_states(case, "clang", folder)
    way = min((way for way in one.times if way.startswith("armdyn")), key=lambda way: one.times[way].median)
    own = one.times[way].median
    yield "inverse dynamics, C, one state at a time", 1e9 * own / STATES, "Pinocchio, C++", one.pinocchio / own
    states = States.random(case.joint_names, BATCH)
    peers, _ = load_peers(case)
    agreed = [result for result in agreements(case, peers, FUNCTIONS, states) if result.agrees]
    batch = batch_speeds(case, peers, agreed, states, ROUNDS)
    for name, words in zip(FUNCTIONS, ("inverse dynamics", "forward dynamics, all first derivatives"), strict=True):
        yield f"{words}, {BATCH:,} states", *_beside(batch, name, "Pinocchio, C++")
    single = single_speeds(case, peers, agreed, states, ROUNDS)
    yield "inverse dynamics, one call from Python", *_beside(single, FUNCTIONS[0], "Pinocchio, Python")
    steps = [*rollout_speeds(case, ROUNDS), *mujoco_speeds(case, ROUNDS)]
    for mark, peer in (("MuJoCo, semi-implicit Euler", "MuJoCo's `rollout`"), ("mujoco.batch", "`mujoco.batch`")):
        speed = next(one for one in steps if one.way == "semi-implicit Euler" and one.beside.startswith(mark))
        yield "a step of one of 1000 arms, semi-implicit Euler", speed.ns, peer, speed.ratio


def _beside(speeds: list[Speed], function: str, peer: str) -> tuple[float, str, float]:
    own, theirs = (
        min(speed.median_ns for speed in speeds if speed.function == function and speed.peer == name)
        for name in (SUBJECT, peer)
    )
    return own, peer, theirs / own


def main() -> None:
    """Print the table in Markdown, and the machine."""
    with tempfile.TemporaryDirectory() as name:
        case = make_case("ur5", Path(name))
        print("| UR5 | ns | beside | its time over armdyn's |\n|---|---|---|---|")
        for words, ns, peer, ratio in rows(case, Path(name)):
            print(f"| {words} | {ns:.3g} | {peer} | {ratio:.{0 if ratio >= 10 else 1}f} |", flush=True)
    machine = describe()
    print(f"{machine['processor']}, {machine['compilers']}, {machine['packages']}", file=sys.stderr)


if __name__ == "__main__":
    main()
