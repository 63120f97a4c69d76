"""Search of an exciting motion by exact slopes, beside the same search by finite differences.

``python -m benchmarks.excitation [ROBOT]``: one random start, one thread. Both minimise the same cost by L-BFGS
from the same start with the same settings; SciPy makes the differences, of a cost that computes no slopes. Rounds of
both gradients at the same point are interleaved; times are their medians.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from scipy.optimize import approx_fprime, minimize

import armdyn
from armdyn.identification.exciting import PENALTIES
from armdyn.identification.fourier_series import motion_of
from armdyn.identification.optimal_design import RIDGE, Design
from benchmarks.cases import CASES

HARMONICS, DURATION, ITERATIONS, ROUNDS = 5, 15.0, 30, 15


class Valued:
    """The cost of a design alone, without any work for slopes."""

    def __init__(self, design: Design) -> None:
        self.design = design

    def __call__(self, x: np.ndarray, weight: float) -> float:
        """-log det A and the penalty of the limits."""
        design, bounds, n = self.design, self.design.bounds, self.design.n
        q, qd, qdd = motion_of(design.basis, x[:n], x[n:].reshape(n, -1))
        A = design.information(q, qd, qdd)
        scale = 1.0 / np.sqrt(np.diag(A))
        value = -np.linalg.slogdet(scale[:, None] * A * scale + RIDGE * np.eye(len(A)))[1] + 2.0 * np.log(scale).sum()
        parts = [(q - bounds.middle) / bounds.half, qd / bounds.velocity, qdd / bounds.acceleration]
        parts.append(design.robot.inverse_dynamics(q, qd, qdd) / bounds.effort)
        beyond = sum(float((np.maximum(np.abs(part) - 0.999, 0.0) ** 2).sum()) for part in parts)
        return float(value + weight / len(q) * beyond)


def search(design: Design, start: np.ndarray, cost: Any, *, exact: bool) -> tuple[float, float, int]:
    """Seconds, log det A of the motion within the limits, and evaluations."""
    began, x, evaluations = time.perf_counter(), start, 0
    for weight in PENALTIES:
        settings = {"maxiter": ITERATIONS, "maxcor": 30, "maxfun": 10**7}
        found = minimize(cost, x, (weight,), jac=exact, method="L-BFGS-B", options=settings)
        x, evaluations = found.x, evaluations + int(found.nfev)
    q_0, c, _ = design.within_limits(x)
    return time.perf_counter() - began, design.log_det(q_0, c), evaluations


def main(source: str) -> None:
    robot = armdyn.load(CASES[source]()[0] if source in CASES else source)
    robot = robot.with_locked(dict.fromkeys(robot.joint_names[7:], 0.0)) if robot.dof > 7 else robot
    motion = armdyn.identification.excite(robot, duration=DURATION, harmonics=HARMONICS, starts=1, iterations=1)
    design = motion.design
    start = design.random(np.random.default_rng([0, 0]))
    valued = Valued(design)
    weight = PENALTIES[0]

    def exact(x: np.ndarray, weight: float) -> tuple[float, np.ndarray]:
        return design.cost(x, "information", weight)

    assert abs(valued(start, weight) - exact(start, weight)[0]) < 1e-9 * abs(valued(start, weight))
    times: dict[str, list[float]] = {"exact": [], "differences": []}
    gradients = {}
    for _ in range(ROUNDS):
        for name, seconds_of in times.items():
            began = time.perf_counter()
            if name == "exact":
                gradients[name] = exact(start, weight)[1]
            else:
                gradients[name] = approx_fprime(start, valued, 1e-7, weight)
            seconds_of.append(time.perf_counter() - began)
    medians = {name: float(np.median(each)) for name, each in times.items()}
    off = np.abs(gradients["exact"] - gradients["differences"]).max() / np.abs(gradients["exact"]).max()
    print(f"{robot.name}: {robot.dof} joints, {len(start)} coefficients, {len(design.basis.value)} times")
    print(
        f"gradient: exact {1e3 * medians['exact']:.1f} ms, differences {1e3 * medians['differences']:.1f} ms, "
        f"{medians['differences'] / medians['exact']:.1f} times; they differ by {off:.1e} of the largest slope"
    )
    seconds, value, evaluations = search(design, start, exact, exact=True)
    print(f"search by exact slopes: {seconds:.2f} s, {evaluations} evaluations, log det {value:.2f}")
    slow, other, evaluations = search(design, start, valued, exact=False)
    print(f"search by differences: {slow:.2f} s, {evaluations} evaluations, log det {other:.2f}")
    print(f"the search by exact slopes is {slow / seconds:.1f} times faster")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "panda")
