#!/usr/bin/env bash
# casadi 3.8.2 (PyPI), calls of a casadi.Function with arrays of NumPy. Tried on 2026-11-29.
#
# What was tried: f(x) = x[0] + 10 x[1] + 100 x[2], a function of one vector of 3 numbers, called with a batch of states,
# one in each row, as NumPy, JAX and PyTorch have them: 2, 3 and 4 states; then with a batch of no states at all.
# A good guess: rows are states for any number of them, or an error for any number of them; of no states no results.
# Seen: 2 and 4 rows are an error, 3 rows give numbers without a word: CasADi reads each column as a state, so that the
# result is that of the transposed batch. A (3, 0) array gives one result, that of x = 0.
# Why: a matrix with as many rows as the argument and more columns is a horizontal batch (`Function.map`), and an empty
# argument counts as zeros.
# Why it matters: a six-joint arm called with six sampled states, or a check of six states against another library, gets
# plausible torques of states that were never there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "casadi==3.8.2" "numpy==2.3.5"
venv/bin/python - > seen.txt <<'PYTHON'
import casadi as ca
import numpy as np

x = ca.SX.sym("x", 3)
f = ca.Function("f", [x], [x[0] + 10 * x[1] + 100 * x[2]])
for count in (2, 3, 4):
    states = np.arange(1.0, 3.0 * count + 1.0).reshape(count, 3)
    rows = (states @ [1.0, 10.0, 100.0]).tolist()
    try:
        print(f"{count} rows: expected {rows}, seen {np.array(f(states)).ravel().tolist()}")
    except RuntimeError as error:
        print(f"{count} rows: expected {rows}, seen an error: {'mismatching shape' in str(error)}")
print(f"no states, (3, 0): seen {np.array(f(np.zeros((3, 0)))).ravel().tolist()}")
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
2 rows: expected [321.0, 654.0], seen an error: True
3 rows: expected [321.0, 654.0, 987.0], seen [741.0, 852.0, 963.0]
4 rows: expected [321.0, 654.0, 987.0, 1320.0], seen an error: True
no states, (3, 0): seen [0.0]
SEEN
