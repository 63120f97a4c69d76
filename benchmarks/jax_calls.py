"""``python -m benchmarks.jax_calls``: functions under JAX on a CPU beside NumPy's calls, and gradients."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import armdyn

STATES, ROUNDS = 100_000, 15


def interleaved(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Median seconds of each call, one after the other in every round; the first round is left out."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS + 1):
        for name, call in calls.items():
            begin = time.perf_counter()
            jax.block_until_ready(call())
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def compared(robot: armdyn.Robot, dtype: str) -> None:
    """A row of the table."""
    f, n = robot.inverse_dynamics, robot.dof
    arrays = np.random.default_rng(1).uniform(-2, 2, (3, STATES, n)).astype(dtype)
    ours = [jnp.asarray(a) for a in arrays]
    g = f.to_jax()
    call = jax.jit(g)

    def loss(q: Any, qd: Any, qdd: Any) -> Any:
        return (g(q, qd, qdd) ** 2).sum()

    with_gradients = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))
    plain_loss = jax.jit(loss)
    times = interleaved({
        "NumPy": lambda: f(*arrays),
        "jit": lambda: call(*ours),
        "loss": lambda: plain_loss(*ours),
        "gradients": lambda: with_gradients(*ours),
    })  # fmt: skip
    by_numpy = {name: seconds / times["NumPy"] for name, seconds in times.items()}
    print(
        f"{robot.name:10} {dtype}: NumPy {1e9 * times['NumPy'] / STATES:5.1f} ns a state; jit {by_numpy['jit']:.2f}, "
        f"loss {by_numpy['loss']:.2f}, value and gradients {by_numpy['gradients']:.2f} times that, "
        f"{times['gradients'] / times['jit']:.2f} times the jit call"
    )


def compile_time(robot: armdyn.Robot) -> None:
    """Seconds that jit takes beside tracing, with the kernel on disk."""
    q = jnp.zeros(robot.dof)
    robot.inverse_dynamics(q, q, q)
    lowered = jax.jit(robot.inverse_dynamics.to_jax()).lower(q, q, q)
    begin = time.perf_counter()
    lowered.compile()
    print(f"{robot.name}, {robot.dof} joints: compiled by jit in {time.perf_counter() - begin:.3f} s")


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["ur5", "puma560"], help="bundled names or paths")
    robots = [armdyn.load(name) for name in parser.parse_args().robots]
    jax.config.update("jax_enable_x64", True)
    for robot in robots:
        compile_time(robot)
    for robot in robots:
        for dtype in ("float64", "float32"):
            compared(robot, dtype)


if __name__ == "__main__":
    main()
