#!/bin/sh
# Tried: time-optimal parametrization with JointTorqueConstraint, whose documentation has the joint torque as
#   A(q) qdd + qd^T B(q) qd + C(q) + D(qd) and asks for a function inv_dyn(q, qd, qdd) that returns it: here of a mass of
#   2 kg on a rail with viscous friction D = 4 qd, N, and a force limit of 8 N.
# With: toppra 0.6.10, numpy 2.3.5, scipy 1.16.3 (Python 3.11, Linux x86-64), 2026-11-29.
# A good guess: the limit holds, and the duration is that of the bang-bang motion, 1.382 s, for any timing of the path.
# Seen: b(s) is computed as inv_dyn(q, dq/ds, d2q/ds2) - C, so that friction is scaled with the square of the path's
#   speed. One path, its parameter from 0 to 1, to 3 or to 10: 1.350 s, 1.780 s and 2.887 s, the force 1.19 to 1.68 times
#   its limit.
# Why it matters: most functions of inverse dynamics contain the friction of the description. The motion is impossible,
#   and nothing warns. Coulomb friction has an argument of its own (fs_coef); viscous friction has no place in the form.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet toppra==0.6.10 numpy==2.3.5 scipy==1.16.3 setuptools
cat > "$folder/run.py" <<'EOF'
import numpy as np
import toppra
import toppra.algorithm
import toppra.constraint

MASS, DAMPING, FORCE, WAY = 2.0, 4.0, 8.0, 1.5


def inverse_dynamics(q, qd, qdd):
    return MASS * qdd + DAMPING * qd


def fastest(length):
    """The duration, and the largest force as a part of its limit, of a straight line with a parameter of this length."""
    s = np.linspace(0.0, length, 501)
    path = toppra.SplineInterpolator([0.0, 0.5 * length, length], np.array([[0.0], [0.5 * WAY], [WAY]]))
    limits = np.array([[-FORCE, FORCE]])
    constraint = toppra.constraint.JointTorqueConstraint(inverse_dynamics, limits, np.zeros(1))
    sdd, sd, _ = toppra.algorithm.TOPPRA([constraint], path, gridpoints=s).compute_parameterization(0.0, 0.0)
    slope = WAY / length
    force = np.abs(inverse_dynamics(0.0, slope * sd[:-1], slope * sdd))
    return (2 * length / 500 / (sd[1:] + sd[:-1])).sum(), force.max() / FORCE


results = {length: fastest(length) for length in (1.0, 3.0, 10.0)}
for length, (duration, part) in results.items():
    print(f"parameter from 0 to {length:g}: {duration:.4f} s, largest force {part:.3f} of its limit")
durations = [duration for duration, _ in results.values()]
assert max(durations) / min(durations) > 2.0, "the duration does not depend on the parameter any more"
assert max(part for _, part in results.values()) > 1.5, "the limit holds now"
EOF
"$folder/venv/bin/python" "$folder/run.py"
