#!/bin/sh
# Tried: time-optimal parametrization of the same geometric path whose parameter runs from 0 to 2 (seconds) or from 0 to
#   2000 (the same in milliseconds), with velocity and acceleration limits of the joints and the default solver.
# With: toppra 0.6.10, numpy 2.3.5, scipy 1.16.3 (Python 3.11, Linux x86-64), 2026-11-29.
# A good guess: the fastest motion does not depend on the unit of the path's parameter, which the method forgets.
# Seen: of 20 paths through five random waypoints all have a solution with the parameter in seconds and none with it in
#   milliseconds: return code FailUncontrollable, "the path is not controllable, or is badly conditioned". The solver
#   (Seidel's algorithm with absolute tolerances) calls linear programs with the feasible point u = 0, x = 0 infeasible.
# Why it matters: an arm is said to be unable to follow a path that it can follow, and a user relaxes limits that are
#   right. Scaling the parameter to a duration of the order of the motion's avoids it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet toppra==0.6.10 numpy==2.3.5 scipy==1.16.3 setuptools
cat > "$folder/run.py" <<'EOF'
import logging

import numpy as np
import toppra
import toppra.algorithm
import toppra.constraint

logging.disable(logging.CRITICAL)


def fastest(seed, length):
    waypoints = np.random.default_rng(seed).uniform(-1.0, 1.0, (5, 6))
    path = toppra.SplineInterpolator(np.linspace(0.0, length, 5), waypoints)
    limits = np.stack([-np.ones(6), np.ones(6)], axis=1)
    constraints = [
        toppra.constraint.JointVelocityConstraint(3.0 * limits),
        toppra.constraint.JointAccelerationConstraint(20.0 * limits),
    ]
    solver = toppra.algorithm.TOPPRA(constraints, path, gridpoints=np.linspace(0.0, length, 501))
    sd = solver.compute_parameterization(0.0, 0.0)[1]
    return solver.problem_data.return_code.name if sd is None else (2 * length / 500 / (sd[1:] + sd[:-1])).sum()


seconds, milliseconds = ([fastest(seed, length) for seed in range(20)] for length in (2.0, 2000.0))
print("parameter in s: ", *(one if isinstance(one, str) else f"{one:.3f}" for one in seconds[:5]), "...")
print("parameter in ms:", *(one if isinstance(one, str) else f"{one:.3f}" for one in milliseconds[:5]), "...")
assert all(isinstance(one, float) for one in seconds), "a path in seconds fails"
assert milliseconds == ["FailUncontrollable"] * 20, "a path in milliseconds has a solution now"
EOF
"$folder/venv/bin/python" "$folder/run.py"
