"""Answers of programs: written by the interpreter on one machine, asked of everything on another.

python -m aarch64.answers robots.json reference.npz            writes what the interpreter finds
python -m aarch64.answers robots.json reference.npz --compare  compares the interpreter and machine code with it
"""

from __future__ import annotations

import inspect
import json
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn.functions import CompiledFunction
from armdyn.program import Program, interpret
from armdyn.targets import compile_program
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.machine import host
from determinism.programs import CONSTRAINTS, LARGE, made, programs

STATES = 7
"""Not a multiple of any number of lanes."""

RELATIVE = 1e-12
"""Allowed, of the largest number of a state's result."""

CACHED, SHARED, SINGLE_PRECISION = ("ur5", "puma560"), "ur5", 2e-5

Named = dict[str, np.ndarray]


def asked(robots: Mapping[str, Any]) -> Iterator[tuple[str, Program]]:
    """Every program of every robot, and of one that is constrained in some directions and free in others, by name."""
    arms = {name: made(description) for name, description in robots.items()}
    arms["on a plane"] = armdyn.load("kg_puma").with_constraints(CONSTRAINTS[0])
    for name, arm in arms.items():
        for what, program in programs(arm):
            yield f"{name}: {what}", program


def write(robots: Mapping[str, Any], file: Path) -> None:
    """Arrays of general numbers for every program, and the interpreter's results."""
    rng, known = np.random.default_rng(64), {}
    for name, program in asked(robots):
        arrays = [rng.uniform(-1.5, 1.5, (STATES, *port.shape)) for port in program.inputs]
        known |= {f"{name}|in{k}": array for k, array in enumerate(arrays)}
        known |= {f"{name}|out{k}": result for k, result in enumerate(interpret(program, *arrays))}
    np.savez(file, **known)


def compare(robots: Mapping[str, Any], known: Mapping[str, np.ndarray]) -> list[str]:
    """What differs from the answers of another machine."""
    worst, problems, start = {"interpreter": 0.0, "machine code": 0.0}, [], time.perf_counter()
    count = compiled = 0
    for name, program in asked(robots):
        arrays = [known[f"{name}|in{k}"] for k in range(len(program.inputs))]
        expected = [known[f"{name}|out{k}"] for k in range(len(program.outputs))]
        found = {"interpreter": interpret(program, *arrays)}
        if not any(name.endswith(f": {large}") for large in LARGE):  # which take minutes to compile here
            results = compile_program(program)(*arrays)
            found["machine code"] = results if isinstance(results, tuple) else (results,)
            compiled += 1
        count += 1
        for way, results in found.items():
            error = max(map(relative_error, results, expected), default=0.0)
            worst[way] = max(worst[way], error)
            if not error <= RELATIVE:
                problems.append(f"{name}: the {way} is off by {error:.1e}")
    errors = ", ".join(f"{way} off by {error:.1e} at most" for way, error in worst.items())
    print(f"{count} programs, {compiled} of them compiled: {errors} ({time.perf_counter() - start:.0f} s)")
    return problems


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest, relative to the largest number of each state."""
    if found.shape != expected.shape or (np.isnan(found) != np.isnan(expected)).any():
        return np.inf
    rows, wanted = (np.nan_to_num(x.reshape(len(x), -1)) for x in (found, expected))
    scale = np.abs(wanted).max(axis=1, initial=np.finfo(float).tiny, keepdims=True)
    return float((np.abs(rows - wanted) / scale).max(initial=0.0))


def kernels_of_another_process() -> None:
    """Nothing is compiled: `main` compares before, in another process, with the same folder of kernels."""
    compiler.compile_ir = _refuse  # type: ignore[assignment]
    for name in CACHED:
        calls(armdyn.load(name))


def calls(robot: armdyn.Robot) -> None:
    """The ways to call: a batch, one state past NumPy's machinery, lists, float32, two threads, ``out=``."""
    rng = np.random.default_rng(65)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 40_000, robot.dof))
    tau = robot.inverse_dynamics(q, qd, qdd)
    (expected,) = interpret(robot.inverse_dynamics.program(), q[:STATES], qd[:STATES], qdd[:STATES])
    check("a batch", relative_error(tau[:STATES], expected), RELATIVE)
    one = robot.inverse_dynamics(q[0], qd[0], qdd[0])
    check("one state", relative_error(one[None], expected[:1]), RELATIVE)
    check("lists", relative_error(robot.inverse_dynamics(*(x[0].tolist() for x in (q, qd, qdd)))[None], one[None]), 0.0)
    check("two threads", relative_error(robot.inverse_dynamics(q, qd, qdd, workers=2), tau), 0.0)
    out = np.empty_like(tau)
    assert robot.inverse_dynamics(q, qd, qdd, out=out) is out
    check("out", relative_error(out, tau), 0.0)
    single = robot.inverse_dynamics(*(x.astype(np.float32) for x in (q, qd, qdd)))
    assert single.dtype == np.float32
    check("float32", relative_error(single.astype(float), tau), SINGLE_PRECISION)
    back = robot.forward_dynamics(q[0], qd[0], one)
    check("forward dynamics of inverse dynamics", relative_error(back[None], qdd[:1]), 1e-11)


def check(what: str, error: float, allowed: float) -> None:
    if not error <= allowed:
        raise SystemExit(f"{what}: off by {error:.1e}, allowed {allowed:g}")


def _refuse(*_: object, **__: object) -> bytes:
    raise AssertionError("this should have come from the folder of kernels")


def main(robots: Path, reference: Path, *options: str) -> int:
    warnings.simplefilter("ignore", armdyn.DescriptionWarning)  # published robots state friction
    described = json.loads(robots.read_text(encoding="utf-8"))
    if not options:
        write(described, reference)
        return 0
    if options == ("--cached",):
        kernels_of_another_process()
        print("kernels of another process: found, loaded, right")
        return 0
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, {host().triple}")
    with np.load(reference) as known:
        problems = compare(described, known)
    for name in CACHED:
        calls(armdyn.load(name))
    direct = not inspect.isfunction(CompiledFunction.__call__)
    print("a batch, one state, lists, two threads, out=, float32: right")
    if not direct:
        problems.append("calls with one state do not go past NumPy's machinery")
    print("".join(f"{problem}\n" for problem in problems), end="")
    return bool(problems)


if __name__ == "__main__":
    first, second, *rest = sys.argv[1:]
    sys.exit(main(Path(first), Path(second), *rest))
