"""``python -m benchmarks.c_export``: exported C beside Pinocchio's C++, one state a call, same compiler, same flags.

Both are called from a compiled loop over states, through ctypes once a batch; no Python is inside. Pinocchio is built
from its headers by the g++ or clang++ that belongs to the compiler of the C.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import armdyn
from benchmarks.build_pinocchio import Variant, build, compiler_version
from benchmarks.cases import Case, make_case
from benchmarks.functions import FUNCTIONS, Result
from benchmarks.peers.peer import Batch
from benchmarks.peers.pinocchio_cpp import PinocchioCppPeer
from benchmarks.states import States
from benchmarks.timing import Timing, interleaved

STATES, ROUNDS = 100, 400
"""A round is some microseconds long, so that others on the machine rarely come between."""
FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-fPIC", "-shared")
"""Those of `benchmarks.build_pinocchio.OPTIMISE`, but for the language."""

COMPILERS = {
    "gcc": Variant("g++ headers", "g++"),
    "clang": Variant("clang++ headers, no Eigen vectors", "clang++", ("-DEIGEN_DONT_VECTORIZE",)),
}
"""The C compiler, and how Pinocchio comes out best with its C++ compiler."""

LOOP = """\
#include "arm.h"
void batch(long states, const double *q, const double *qd, const double *qdd, double *tau);
void batch(long states, const double *q, const double *qd, const double *qdd, double *tau)
{{
    long k;

    for (k = 0; k < states; ++k)
        arm(q + {n} * k, qd + {n} * k, qdd + {n} * k, tau + {n} * k);
}}
"""


def exported(robot: armdyn.Robot, folder: Path, compiler: str, sincos: str) -> ctypes.CDLL:
    """Inverse dynamics in C and a loop around it; the two are compiled apart, so that each state is a call."""
    robot.inverse_dynamics.to_c(name="arm", sincos=sincos).write(folder)
    (folder / "loop.c").write_text(LOOP.format(n=robot.dof))
    command = [compiler, "-std=c99", *FLAGS, "arm.c", "loop.c", "-lm", "-o", "arm.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "arm.so"))


def batch_of(library: ctypes.CDLL, arrays: tuple[np.ndarray, ...], out: np.ndarray) -> Batch:
    """A call of the whole batch."""
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*arrays, out)]

    def run() -> Result:
        library.batch(ctypes.c_long(len(out)), *pointers)
        return out

    return run


class SingleStates(NamedTuple):
    """Seconds of `STATES` states one by one, by way of computing them; the program's operations."""

    times: dict[str, Timing]
    operations: str

    @property
    def pinocchio(self) -> float:
        """The least of Pinocchio's medians."""
        return min(timing.median for way, timing in self.times.items() if not way.startswith("armdyn"))


def single_states(case: Case, compiler: str, folder: Path) -> SingleStates:
    """Inverse dynamics of exported C and of Pinocchio, in interleaved rounds."""
    robot = armdyn.load(str(case.urdf))
    variant = COMPILERS[compiler]
    libraries, failures = build([variant])
    if failures:
        sys.exit(f"Pinocchio could not be built: {failures[variant]}")
    peer = PinocchioCppPeer(case, libraries)
    function = FUNCTIONS["inverse_dynamics"]
    states = States.random(case.joint_names, STATES)
    calls = dict(peer.ways(function, states.ordered(peer.joint_names)))
    arrays = function.arguments(states.ordered(robot.joint_names))
    for sincos in ("libm", "inline"):
        library = exported(robot, folder / sincos, compiler, sincos)
        calls[f"armdyn, C, {sincos}"] = batch_of(library, arrays, np.empty((STATES, robot.dof)))
    _refuse_different(function.name, {way: np.array(call()) for way, call in calls.items()})
    return SingleStates(interleaved(calls, ROUNDS), str(robot.inverse_dynamics.op_counts))


def main() -> None:
    """Measure, and print nanoseconds a state."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="ur5")
    parser.add_argument("--compiler", default="gcc", choices=COMPILERS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        case = make_case(options.robot, Path(name))
        measured = single_states(case, options.compiler, Path(name))
    print(f"{case.name}, inverse dynamics, {compiler_version(options.compiler)}, {' '.join(FLAGS)}")
    print(measured.operations)
    for way, timing in measured.times.items():
        ns = timing.median / STATES * 1e9
        print(f"{way:<28} {ns:8.1f} ns a state, {timing.median / measured.pinocchio:.2f} of Pinocchio's time")


def _refuse_different(name: str, results: dict[str, np.ndarray]) -> None:
    """Raise where two ways do not give the same numbers."""
    first, *others = results.values()
    for key, other in zip(list(results)[1:], others, strict=True):
        if not np.allclose(other, first, rtol=1e-9, atol=1e-9):
            raise ValueError(f"{name}: {key} disagrees by {np.abs(other - first).max():.1e}")


if __name__ == "__main__":
    main()
