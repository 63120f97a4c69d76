"""Closed loops of this source tree beside those of another one, in processes that alternate.

``python -m benchmarks.loops_of_two_trees OTHER/src [METHOD] [ROUNDS]`` prints the processor time of 400 UR5s for 300
steps under PD control, the least of several repeats, and the ratio of the speeds. Each tree has a cache of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ARMS, STEPS, STEP, REPEATS = 400, 300, 1e-3, 15
HERE = Path(__file__).parents[1] / "src"


def timed(method: str) -> dict[str, float]:
    """Seconds of the loop by drive, in the tree on the path."""
    import armdyn
    from benchmarks.actuated_rollouts import BARE, _drives, _loop

    bare = armdyn.load("ur5")
    robots = {BARE: bare} | {k: bare.with_actuators(dict.fromkeys(bare.joint_names, one)) for k, one in _drives()}
    q0, ones = np.random.default_rng(1).uniform(-1.0, 1.0, (ARMS, bare.dof)), np.ones(bare.dof)
    light = np.diagonal(bare.mass_matrix(q0), axis1=1, axis2=2).min(axis=0)
    given = {"q_ref": 0.3 * ones, "qd_ref": 0.0 * ones, "Kp": 50.0 * ones, "Kd": np.minimum(10.0, 0.25 * light / STEP)}
    seconds = {}
    for name, robot in robots.items():
        loop = _loop(robot, name, getattr(armdyn.simulation, method)(step=STEP))
        loop(q0, steps=1, **given)
        repeats = []
        for _ in range(REPEATS):
            start = time.process_time()
            loop(q0, steps=STEPS, **given)
            repeats.append(time.process_time() - start)
        seconds[name] = min(repeats)
    return seconds


def main(other: str, method: str = "SemiImplicitEuler", rounds: str = "4") -> None:
    """Print the ratios."""
    best: dict[str, dict[str, float]] = {"other": {}, "this": {}}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(rounds)):
            for tree, source in (("other", other), ("this", str(HERE))):
                path = os.pathsep.join([source, str(HERE.parent)])
                own = {"PYTHONPATH": path, "ARMDYN_CACHE_DIR": f"{folder}/{tree}", "OPENBLAS_NUM_THREADS": "1"}
                command = [sys.executable, "-m", "benchmarks.loops_of_two_trees", "--timed", method]
                run = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=True)
                for name, seconds in json.loads(run.stdout.splitlines()[-1]).items():
                    best[tree][name] = min(seconds, best[tree].get(name, np.inf))
    for name, seconds in best["this"].items():
        was = best["other"][name]
        print(f"{name:28s} {1e3 * was:8.2f} ms then {1e3 * seconds:8.2f} ms now, speed now/then {was / seconds:.3f}")


if __name__ == "__main__":
    if sys.argv[1] == "--timed":
        print(json.dumps(timed(sys.argv[2])))
    else:
        main(*sys.argv[1:])
