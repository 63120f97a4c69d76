"""Memory to identify from long logs: ``python -m benchmarks.identification_memory [SAMPLES ...]``.

A Panda moves by a Fourier series, sampled at 1 kHz. Each line is a process of its own: the log, its size in memory, the
time and the largest memory that `armdyn.identify` adds to it.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import armdyn
from benchmarks.cases import CASES

SAMPLES = (100_000, 300_000, 1_000_000)
RATE = 1000.0
BLOCK = 20_000


def log_of(robot: armdyn.Robot, count: int) -> armdyn.logs.Log:
    """A log of exact torques with noise, made block by block."""
    rng, n = np.random.default_rng(0), robot.dof
    w = rng.uniform(0.5, 4.0, size=(6, n))
    size, phase = rng.uniform(-0.15, 0.15, size=(6, n)), rng.uniform(0.0, 6.0, size=(6, n))
    t = np.arange(count) / RATE
    q, qd, tau = (np.empty((count, n)) for _ in range(3))
    for start in range(0, count, BLOCK):
        rows = slice(start, start + BLOCK)
        angle = t[rows, None, None] * w + phase
        q[rows], qd[rows] = (size * np.sin(angle)).sum(axis=1), (size * w * np.cos(angle)).sum(axis=1)
        qdd = -(size * w**2 * np.sin(angle)).sum(axis=1)
        tau[rows] = robot.inverse_dynamics(q[rows], qd[rows], qdd) + 2.0 * qd[rows]
        tau[rows] += rng.normal(scale=0.1, size=tau[rows].shape)
    return armdyn.logs.Log("panda", tuple(robot.joint_names), t, q, qd, tau=tau)


def measured(count: int) -> None:
    """Print one line."""
    robot = armdyn.load(CASES["panda"]()[0])
    robot = robot.with_locked(dict.fromkeys(robot.joint_names[7:], 0.0))
    armdyn.identify(robot, log_of(robot, 20_000))  # compiles
    log = log_of(robot, count)
    size = sum(getattr(log, name).nbytes for name in ("t", *log.quantities)) / 1e6
    _forget_peak()
    before, start = _memory("VmRSS"), time.perf_counter()
    fit = armdyn.identify(robot, log)
    seconds = time.perf_counter() - start
    grown = _memory("VmHWM") - before
    print(
        f"{count:10,} samples: log {size:6.0f} MB, identify adds {grown:6.0f} MB at most, {seconds:6.2f} s, "
        f"viscous friction {fit['panda_joint1.viscous']:.4f} N m s (2)"
    )


def _forget_peak() -> None:
    """Count the largest memory from now on (Linux)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


def _memory(name: str) -> float:
    """Resident memory now (VmRSS) or the largest so far (VmHWM), MB (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name)) / 1e3


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        measured(int(sys.argv[2]))
    else:
        for samples in map(int, sys.argv[1:] or map(str, SAMPLES)):
            subprocess.run(
                [sys.executable, "-m", "benchmarks.identification_memory", "--one", str(samples)], check=True
            )
