#!/usr/bin/env bash
# modern_robotics 1.1.1 (PyPI), the code of the book Modern Robotics, chapter 3. Tried on 2026-11-29.
#
# What was tried: the logarithm of a rotation by half a turn about (1, 2, 3), made by the package's own MatrixExp3, and
# of rotations slightly below half a turn; then the exponential of that logarithm.
# A good guess: MatrixExp3(MatrixLog3(R)) is R to rounding, for every rotation.
# Seen: of the half turn MatrixLog3 gives a turn by 3e-8 rad, so that the exponential is no turn at all (off by 1.86).
# At 1e-8, 1e-7 and 1e-6 rad below half a turn the exponential is off by 1.3, 0.05 and 1e-4.
# Why: theta = acos((tr R - 1) / 2) has no digits there, and (R - R^T) / (2 sin(theta)) divides by what rounding left;
# the branch for half a turn is taken only where the trace is -1 or less.
# Why it matters: IKinBody and IKinSpace take this logarithm as the way to go; a tool that is to turn over stays put.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "modern_robotics==1.1.1" "numpy==2.3.5"
venv/bin/python - > seen.txt <<'PYTHON'
import math
import numpy as np
from modern_robotics import MatrixExp3, MatrixLog3, VecToso3, so3ToVec

axis = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)
for below in (0.0, 1e-8, 1e-7, 1e-6):
    R = MatrixExp3(VecToso3(axis * (math.pi - below)))
    log = MatrixLog3(R)
    off = np.abs(MatrixExp3(log) - R).max()
    print(f"{below:g} rad below half a turn: |log| {np.linalg.norm(so3ToVec(log)):.1e} rad, exp(log(R)) - R {off:.0e}")
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
0 rad below half a turn: |log| 2.9e-08 rad, exp(log(R)) - R 2e+00
1e-08 rad below half a turn: |log| 1.2e+00 rad, exp(log(R)) - R 1e+00
1e-07 rad below half a turn: |log| 3.1e+00 rad, exp(log(R)) - R 5e-02
1e-06 rad below half a turn: |log| 3.1e+00 rad, exp(log(R)) - R 1e-04
SEEN
