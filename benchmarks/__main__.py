"""``python -m benchmarks``: measure armdyn beside the other libraries that are installed."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks import machine, report
from benchmarks.accuracy import accuracies
from benchmarks.actuated_rollouts import actuated_speeds
from benchmarks.adaptive import adaptive_speeds
from benchmarks.cases import CASES, Case, make_case
from benchmarks.contest import agreements, load_peers
from benchmarks.controller import sharings
from benchmarks.energy import energy_drifts, long_drifts
from benchmarks.functions import FUNCTIONS
from benchmarks.latency import latencies
from benchmarks.layouts import layout_costs
from benchmarks.motions import motions
from benchmarks.mujoco_batches import mujoco_speeds
from benchmarks.operations import operations
from benchmarks.paper import beside_paper
from benchmarks.results import SUBJECT, Results
from benchmarks.rollouts import rollout_speeds
from benchmarks.scaling import core_gains, precision_gains
from benchmarks.sizing import sizing_speeds
from benchmarks.states import States
from benchmarks.throughput import batch_speeds, single_speeds

PARTS = (
    "batch",
    "single",
    "scaling",
    "layouts",
    "latency",
    "accuracy",
    "operations",
    "controller",
    "paper",
    "rollouts",
    "adaptive",
    "mechanisms",
    "energy",
    "sizing",
)
BESIDE_OTHERS = {"batch", "single", "accuracy"}
DEFAULT_FUNCTIONS = tuple(name for name in FUNCTIONS if name != "bias_forces")
PEERS_OF_ACCURACY = (SUBJECT, "Pinocchio, Python", "Pinocchio, C++", "MuJoCo, Python")
LARGE = 10  # the second batch of the scaling measurement is this many times larger


def main() -> int:
    """Measure, show the tables, write the JSON file."""
    options = _options()
    results = Results(machine.describe(), {name: value for name, value in vars(options).items() if name != "json"})
    with tempfile.TemporaryDirectory() as folder:
        for name in options.robots:
            print(f"{name} ...", file=sys.stderr, flush=True)
            _measure(make_case(name, Path(folder)), options, results)
    if "paper" in options.parts and importlib.util.find_spec(SUBJECT) is not None:
        results.paper += beside_paper(options.rounds)
    if "mechanisms" in options.parts and importlib.util.find_spec(SUBJECT) is not None:
        results.motions += motions(options.rounds)
    if "energy" in options.parts and importlib.util.find_spec(SUBJECT) is not None:
        with tempfile.TemporaryDirectory() as folder:
            results.drifts += energy_drifts(Path(folder))
            results.long_drifts += long_drifts(Path(folder))
    if "sizing" in options.parts and importlib.util.find_spec(SUBJECT) is not None:
        results.sizings += sizing_speeds(options.rounds, quick=options.quick)
    report.show(results, Console(width=None if sys.stdout.isatty() else 160))
    if options.json:
        results.write(options.json)
    return 0 if all(one.agrees for one in results.agreement) else 1


def _measure(case: Case, options: argparse.Namespace, results: Results) -> None:
    functions, rounds, parts = options.functions, options.rounds, options.parts
    states = States.random(case.joint_names, options.states)
    if set(parts) & BESIDE_OTHERS:
        _measure_beside_others(case, options, states, results)
    if importlib.util.find_spec(SUBJECT) is None:
        return
    if "scaling" in parts:
        for count in (options.states, LARGE * options.states):
            larger = States.random(case.joint_names, count)
            results.gains += core_gains(case, functions, larger, rounds)
        results.gains += precision_gains(case, functions, states, rounds)
    if "layouts" in parts:
        results.layouts += layout_costs(case, functions, states, rounds)
    if "latency" in parts:
        for name in functions:
            results.latency += latencies(case, name, len(FUNCTIONS[name].inputs), options.processes)
    if "operations" in parts:
        results.operations += operations(case, functions)
    if "controller" in parts:
        results.sharings += sharings(case, states, rounds)
    if "rollouts" in parts:
        results.rollouts += rollout_speeds(case, rounds)
        results.rollouts += mujoco_speeds(case, rounds)
        results.rollouts += actuated_speeds(case, rounds)
    if "adaptive" in parts:
        results.adaptive += adaptive_speeds(case, rounds)


def _measure_beside_others(case: Case, options: argparse.Namespace, states: States, results: Results) -> None:
    functions, rounds, parts = options.functions, options.rounds, options.parts
    peers, skipped = load_peers(case, options.all_variants)
    results.skipped += skipped
    agreed = list(agreements(case, peers, functions, states))
    results.agreement += agreed
    if "batch" in parts:
        results.batch += batch_speeds(case, peers, agreed, states, rounds)
    if "single" in parts:
        results.single += single_speeds(case, peers, agreed, states, rounds)
    if "accuracy" in parts:
        exact_peers = [peer for peer in peers if peer.name in PEERS_OF_ACCURACY]
        results.accuracy += accuracies(case, exact_peers, functions, states.head(options.exact_states))


def _options() -> argparse.Namespace:
    description = "Measure armdyn beside the other libraries that are installed."
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=description)
    choices = {"robots": (tuple(CASES),) * 2, "functions": (DEFAULT_FUNCTIONS, tuple(FUNCTIONS)), "parts": (PARTS,) * 2}
    for name, (default, known) in choices.items():
        shown = f"of {', '.join(known)}"
        parser.add_argument(f"--{name}", type=_words, default=default, metavar="A,B,...", help=shown)
    parser.add_argument("--states", type=int, default=100_000, help="random states in a batch (100000)")
    parser.add_argument("--rounds", type=int, default=11, help="interleaved rounds (11)")
    parser.add_argument("--processes", type=int, default=7, help="fresh processes for each waiting time (7)")
    parser.add_argument("--exact-states", type=int, default=500, help="states computed with 50 digits (500)")
    parser.add_argument("--all-variants", action="store_true", help="compile Pinocchio's C++ in every way (slow)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    parser.add_argument("--quick", action="store_true", help="few states, rounds and processes: a check, no figures")
    options = parser.parse_args()
    if options.quick:
        options.states, options.rounds, options.processes, options.exact_states = 2000, 3, 1, 2
    for name, (_, known) in choices.items():
        unknown = [one for one in getattr(options, name) if one not in known]
        if unknown:
            parser.error(f"unknown {name}: {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


if __name__ == "__main__":
    sys.exit(main())
