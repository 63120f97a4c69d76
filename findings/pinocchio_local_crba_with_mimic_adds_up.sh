#!/usr/bin/env bash
# pin 4.1.0 (PyPI). Tried on 2026-11-30.
#
# What was tried: crba(model, data, q, Convention.LOCAL) several times with one Data at one q, for a URDF arm of four joints
# of which the third mimics the first (read with mimic=True), and for the same arm with every joint free.
# A good guess: Data is a workspace; equal calls give equal matrices, those of Convention.WORLD.
# Seen: of the free arm so it is. With the mimic joint the first call is right and every further call adds to what the call
# before left: M[1, 2] is right, then twice, three times, four times its value, without a complaint. Convention.WORLD, the default, is
# right at every call, and sets the entries right for one call.
# Why it matters: a controller calls with one Data at 1 kHz, which is what Data is for; a test that makes a Data for each
# call, as tests do, passes.
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
for name, model in (("free", pin.buildModelFromXML(text)), ("coupled", pin.buildModelFromXML(text, mimic=True))):
    q = np.linspace(0.3, 0.9, model.nq)
    data = model.createData()
    right = np.triu(pin.crba(model, model.createData(), q))
    for call in (1, 2, 3, 4):
        M = np.triu(pin.crba(model, data, q, pin.Convention.LOCAL))
        print(f"{name}, call {call}: M[1, 2] of its right value {M[1, 2] / right[1, 2]:.3f}, "
              f"largest error {np.abs(M - right).max():.4f}")
    M = np.triu(pin.crba(model, data, q, pin.Convention.WORLD))
    print(f"{name}, Convention.WORLD: largest error {np.abs(M - right).max():.4f}")
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
free, call 1: M[1, 2] of its right value 1.000, largest error 0.0000
free, call 2: M[1, 2] of its right value 1.000, largest error 0.0000
free, call 3: M[1, 2] of its right value 1.000, largest error 0.0000
free, call 4: M[1, 2] of its right value 1.000, largest error 0.0000
free, Convention.WORLD: largest error 0.0000
coupled, call 1: M[1, 2] of its right value 1.000, largest error 0.0000
coupled, call 2: M[1, 2] of its right value 2.000, largest error 0.0311
coupled, call 3: M[1, 2] of its right value 3.000, largest error 0.0622
coupled, call 4: M[1, 2] of its right value 4.000, largest error 0.0932
coupled, Convention.WORLD: largest error 0.0000
SEEN
