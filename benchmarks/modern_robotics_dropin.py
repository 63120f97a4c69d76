"""How much quicker `armdyn.modern_robotics` is than the package it stands in for, function by function, on the UR5.

    python -m benchmarks.modern_robotics_dropin [--points 1000] [--resolution 1] [--json FILE]

Both get the same lists, states and argument types, NumPy arrays. Their results are compared before anything is timed,
relative to the largest number of each result; beyond 1e-9 the function is not timed and the command exits with 1.
Rounds go package, armdyn, package, armdyn, ..., on one pinned core, garbage collector off; medians are shown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.machine import describe
from benchmarks.timing import Timing, interleaved, quiet

TOLERANCE = 1e-9
ROUND = 0.02
"""Seconds the package's calls of one round take together, at least."""

SMALLEST_REPEATS = 20
"""Calls of one round, so that all but the first find their code and data in the caches, as in a program's loop."""

SLOW = 0.1
"""Seconds from which on the package's calls are so few that one makes a round."""

Array = np.ndarray[Any, Any]


def ur5_lists() -> tuple[Array, Array, Array, Array]:
    """Mlist, Glist and Slist of the bundled UR5, frames at the centres of mass; and the tip's home pose."""
    import armdyn

    robot = armdyn.load("ur5")
    at_zero = np.zeros(6)
    frames, inertias = [np.eye(4)], []
    for pose, link in zip(robot.link_poses(at_zero)[1:], robot.model.links[1:], strict=True):
        to_centre = np.eye(4)
        to_centre[:3, 3] = link.inertia.com
        frames.append(pose @ to_centre)
        G = np.diag([0.0] * 3 + [link.inertia.mass] * 3)
        G[:3, :3] = link.inertia.tensor
        inertias.append(G)
    frames.append(robot.forward_kinematics(at_zero))
    steps = np.array([np.linalg.inv(a) @ b for a, b in pairwise(frames)])
    return steps, np.array(inertias), robot.jacobian(at_zero, expressed_in="space"), frames[-1]


def calls(points: int, resolution: int) -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Label, function and arguments of everything that is compared."""
    rng = np.random.default_rng(11)
    M, G, S, home = ur5_lists()
    B = _adjoint(np.linalg.inv(home)) @ S
    q, qd, qdd, tau = rng.normal(size=(4, 6))
    g, f = np.array([0.0, 0.0, -9.81]), rng.normal(size=6)
    arm = (M, G, S)
    omega, twist = rng.normal(size=3), rng.normal(size=6)
    so3 = np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
    se3 = np.zeros((4, 4))
    se3[:3, :3], se3[:3, 3] = so3, twist[3:]
    T = _pose(rng)
    R, p = T[:3, :3], T[:3, 3]
    rows = rng.normal(size=(4, points, 6))
    smooth = np.cumsum(rows[0], axis=0) * 0.01
    tips = rng.normal(size=(points, 6))
    reachable = _reached(home, S, q)
    gentle = 0.1 * rows[3]  # joint forces under which a thousand points of motion stay tame
    plain: dict[str, tuple[Any, ...]] = {
        "NearZero": (1e-7,), "Normalize": (omega,), "RotInv": (R,), "VecToso3": (omega,), "so3ToVec": (so3,),
        "AxisAng3": (omega,), "MatrixExp3": (so3,), "MatrixLog3": (R,), "DistanceToSO3": (R + 0.01,), "TestIfSO3": (R,),
        "ProjectToSO3": (R,), "RpToTrans": (R, p), "TransToRp": (T,), "TransInv": (T,), "VecTose3": (twist,),
        "se3ToVec": (se3,), "Adjoint": (T,), "ScrewToAxis": (p, R[:, 0], 0.3), "AxisAng6": (twist,),
        "MatrixExp6": (se3,), "MatrixLog6": (T,), "DistanceToSE3": (T + 0.01,), "TestIfSE3": (T,), "ProjectToSE3": (T,),
        "ad": (twist,),
        "FKinSpace": (home, S, q), "FKinBody": (home, B, q), "JacobianSpace": (S, q), "JacobianBody": (B, q),
        "IKinSpace": (S, home, reachable, q + 0.1, 1e-6, 1e-6), "IKinBody": (B, home, reachable, q + 0.1, 1e-6, 1e-6),
        "InverseDynamics": (q, qd, qdd, g, f, *arm), "MassMatrix": (q, *arm), "VelQuadraticForces": (q, qd, *arm),
        "GravityForces": (q, g, *arm), "EndEffectorForces": (q, f, *arm),
        "ForwardDynamics": (q, qd, tau, g, f, *arm), "EulerStep": (q, qd, qdd, 0.01),
        "CubicTimeScaling": (2.0, 0.6), "QuinticTimeScaling": (2.0, 0.6),
        "JointTrajectory": (q, qd, 2.0, points, 5), "ScrewTrajectory": (T, home, 2.0, points, 5),
        "CartesianTrajectory": (T, home, 2.0, points, 5),
        "ComputedTorque": (q, qd, 0.1 * qd, g, *arm, q + 0.1, qd, qdd, 1.3, 1.2, 1.1),
    }  # fmt: skip
    table = {name: (name, arguments) for name, arguments in plain.items()}
    table[f"InverseDynamicsTrajectory, {points} points"] = (
        "InverseDynamicsTrajectory",
        (smooth, rows[1], rows[2], g, tips, *arm),
    )
    for steps in sorted({1, resolution}):
        table[f"ForwardDynamicsTrajectory, {points} points, intRes {steps}"] = (
            "ForwardDynamicsTrajectory",
            (q, 0.1 * qd, gentle, g, 0.01 * tips, *arm, 0.001, steps),
        )
    return table


def _pose(rng: np.random.Generator) -> Array:
    from scipy.spatial.transform import Rotation

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(random_state=7).as_matrix(), rng.normal(size=3)
    return T


def _adjoint(T: Array) -> Array:
    R, (x, y, z) = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ R, R]])


def _reached(home: Array, S: Array, q: Array) -> Array:
    import modern_robotics

    T: Array = modern_robotics.FKinSpace(home, S, q)
    return T


def deviation(ours: Any, theirs: Any) -> float:
    """The largest difference between two results, relative to the largest number; parts one by one."""
    if isinstance(theirs, (tuple, list)):
        return max((deviation(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if a.shape != b.shape or not np.isfinite(b).all():
        return np.inf
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)) if np.any(a != b) else 0.0


def compare(package: ModuleType, dropin: ModuleType, name: str, arguments: tuple[Any, ...]) -> Mapping[str, Any]:
    """The deviation, the medians in seconds and their ratio, of one function."""
    import time

    functions: dict[str, Callable[..., Any]] = {"package": getattr(package, name), "armdyn": getattr(dropin, name)}
    start = time.perf_counter()
    theirs = functions["package"](*arguments)
    once = time.perf_counter() - start
    error = deviation(functions["armdyn"](*arguments), theirs)
    if not error <= TOLERANCE:
        return {"deviation": error}
    repeats = max(SMALLEST_REPEATS, round(ROUND / max(once, 1e-6))) if once < SLOW else 1
    rounds = 9 if once < SLOW else 3
    with quiet():
        times: dict[str, Timing] = interleaved(
            {label: lambda f=f: f(*arguments) for label, f in functions.items()}, rounds, repeats
        )
    seconds = {label: timing.median for label, timing in times.items()}
    return {"deviation": error, **seconds, "ratio": seconds["package"] / seconds["armdyn"]}


def main(arguments: list[str] | None = None) -> int:
    """Compare all functions, print the table, and say by the exit code whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1000, help="points of the trajectories")
    parser.add_argument("--resolution", type=int, default=1, help="intRes of a longer simulation")
    parser.add_argument("--only", nargs="*", default=[], help="functions whose names contain one of these")
    parser.add_argument("--json", type=Path, help="file for the figures and the machine")
    options = parser.parse_args(arguments)
    import modern_robotics

    import armdyn.modern_robotics as dropin

    results: dict[str, Mapping[str, Any]] = {}
    print(f"{'function':56} {'package':>12} {'armdyn':>12} {'ratio':>8}  deviation")
    for label, (name, values) in calls(options.points, options.resolution).items():
        if options.only and not any(part in name for part in options.only):
            continue
        result = results[label] = compare(modern_robotics, dropin, name, values)
        shown = [f"{1e6 * result[key]:9.2f} us" if key in result else "" for key in ("package", "armdyn")]
        ratio = f"{result['ratio']:8.1f}" if "ratio" in result else "disagree"
        print(f"{label:56} {shown[0]:>12} {shown[1]:>12} {ratio}  {result['deviation']:.1e}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": describe(), "functions": results}, indent=1))
    return int(any("ratio" not in result for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
