#!/usr/bin/env bash
# drake 1.51.1 (PyPI), beside mujoco 4.0.0. Tried on 2026-11-30.
#
# What was tried: an MJCF file of one hinge with armature="0.25", read by both programs; without an actuator, with a
# <motor>, a <position>, a <velocity> and a <general> on the joint. M(q) = m l^2 + I + armature = 0.76 kg m^2.
# A good guess: armature is an attribute of the joint, so M(q) is 0.76 in every case; what a reader drops, it tells (Drake
# warns of stiffness, springref and frictionloss in the same element).
# Seen: MuJoCo has 0.76 always (as Pinocchio 4.1 does). Drake has 0.76 with a <motor> or <position> and 0.51 else: the armature
# becomes the rotor inertia of its actuator, and without one it is dropped. No warning names it (with <velocity> and
# <general> a warning tells that the actuator is ignored, not that the mass matrix loses the armature).
# Why it matters: an arm read for its dynamics alone, an identified arm written without actuators, and the many MJCF arms
# that are driven by <general> have other equations of motion in Drake: at an arm's wrist the armature is most of M(q).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "drake==1.51.1" "mujoco==4.0.0" "numpy==2.4.6"
venv/bin/python - > seen.txt 2> warnings.txt <<'PYTHON'
import mujoco
import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

MODEL = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="link">
<joint name="hinge" axis="0 1 0" armature="0.25"/><inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
</body></worldbody>%s</mujoco>"""
for tag in ("", "motor", "position", "velocity", "general"):
    text = MODEL % (f'<actuator><{tag} joint="hinge"/></actuator>' if tag else "")
    with open("arm.xml", "w") as file:
        file.write(text)
    m = mujoco.MjModel.from_xml_path("arm.xml")
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    M = np.zeros((1, 1))
    mujoco.mj_fullM(m, d, M)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels("arm.xml")
    plant.Finalize()
    in_drake = plant.CalcMassMatrix(plant.CreateDefaultContext())[0, 0]
    print(f"{tag or 'no actuator'}: mujoco {M[0, 0]:.2f}, drake {in_drake:.2f}")
PYTHON
echo "warnings that name the armature: $(grep -c armature warnings.txt || true)" >> seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
no actuator: mujoco 0.76, drake 0.51
motor: mujoco 0.76, drake 0.76
position: mujoco 0.76, drake 0.76
velocity: mujoco 0.76, drake 0.51
general: mujoco 0.76, drake 0.51
warnings that name the armature: 0
SEEN
