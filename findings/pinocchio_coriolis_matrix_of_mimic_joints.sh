#!/usr/bin/env bash
# pin 4.1.0 (PyPI). Tried on 2026-11-30.
#
# What was tried: a URDF arm of four joints whose third one mimics the first (multiplier 2, offset 0.1), read with
# mimic=True, so that v has three entries. C(q, v) of computeCoriolisMatrix beside nonLinearEffects, and beside G^T C G of
# the same arm read with every joint free, where V = G v.
# A good guess: C v + g equals nonLinearEffects, as for every other model; or the function refuses, as aba, computeMinverse,
# computeAllTerms, computeKineticEnergy and all derivatives do ("This algorithm does not support Joint Mimic type").
# Seen: nonLinearEffects is right to rounding. computeCoriolisMatrix returns a matrix without a complaint, and C v is -0.485
# N m at the first joint where it must be -0.961. M' - C - C^T is not zero either (by central differences of crba), so a
# controller that relies on it loses its proof.
# Why it matters: grippers and palletisers are read with mimic=True since Pinocchio 3; of a dozen functions this one answers
# with numbers that look right, and has the right shape.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "pin==4.1.0" "numpy==2.4.6"
venv/bin/python - > seen.txt <<'PYTHON'
import numpy as np
import pinocchio as pin

LINK = """<link name="l{k}"><inertial><origin xyz="0.1 0.02 0.03"/><mass value="1.3"/>
<inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0.001" ixz="0.002" iyz="-0.001"/></inertial></link>
<joint name="j{k}" type="revolute"><origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>
<parent link="l{p}"/><child link="l{k}"/><limit lower="-3" upper="3" effort="10" velocity="10"/>{mimic}</joint>"""
MIMIC = '<mimic joint="j1" multiplier="2" offset="0.1"/>'
axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0")
links = "".join(LINK.format(k=k, p=k - 1, axis=axes[k - 1], mimic=MIMIC if k == 3 else "") for k in (1, 2, 3, 4))
text = f'<robot name="arm"><link name="l0"/>{links}</robot>'
coupled, free = pin.buildModelFromXML(text, mimic=True), pin.buildModelFromXML(text)
G = np.array([[1.0, 0, 0], [0, 1, 0], [2, 0, 0], [0, 0, 1]])
q, v = np.array([0.3, -0.4, 0.7]), np.array([0.9, -0.5, 0.6])
Q, V = G @ q + np.array([0, 0, 0.1, 0]), G @ v

def terms(model, q, v):
    h = pin.nonLinearEffects(model, model.createData(), q, v).copy()
    g = pin.computeGeneralizedGravity(model, model.createData(), q).copy()
    return h - g, pin.computeCoriolisMatrix(model, model.createData(), q, v).copy()

c_free, C_free = terms(free, Q, V)
c, C = terms(coupled, q, v)
print("free:    C v - (h - g) within 1e-12:", bool(np.abs(C_free @ V - c_free).max() < 1e-12))
print("coupled: h - g as of the free arm within 1e-12:", bool(np.abs(c - G.T @ c_free).max() < 1e-12))
print("coupled: h - g =", np.round(c, 3) + 0.0)
print("coupled: C v   =", np.round(C @ v, 3) + 0.0)
step = 1e-6
M = [pin.crba(coupled, coupled.createData(), q + sign * step * v).copy() for sign in (1, -1)]
print(f"coupled: largest entry of M' - C - C^T: {np.abs((M[0] - M[1]) / (2 * step) - C - C.T).max():.2f}")
M = [pin.crba(free, free.createData(), Q + sign * step * V).copy() for sign in (1, -1)]
M = [np.triu(one) + np.triu(one, 1).T for one in M]
print(f"free:    largest entry of M' - C - C^T: {np.abs((M[0] - M[1]) / (2 * step) - C_free - C_free.T).max():.2f}")
for name, arguments in (("aba", (q, v, v)), ("computeAllTerms", (q, v)), ("computeKineticEnergy", (q, v))):
    try:
        getattr(pin, name)(coupled, coupled.createData(), *arguments)
        print(name, "answers")
    except RuntimeError as error:
        print(name, "refuses:", error)
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
free:    C v - (h - g) within 1e-12: True
coupled: h - g as of the free arm within 1e-12: True
coupled: h - g = [-0.961 -0.389 -0.003]
coupled: C v   = [-0.485  0.043  0.003]
coupled: largest entry of M' - C - C^T: 1.21
free:    largest entry of M' - C - C^T: 0.00
aba refuses: This algorithm does not support Joint Mimic type in the model.
computeAllTerms refuses: This algorithm does not support Joint Mimic type in the model.
computeKineticEnergy refuses: This algorithm does not support Joint Mimic type in the model.
SEEN
