#!/usr/bin/env bash
# mujoco 4.0.0 (PyPI). Tried on 2026-11-29.
#
# What was tried: a body with gravcomp="1" on a hinge with actuatorgravcomp="true" ("gravity compensation applied to this
# joint is added to actuator forces rather than passive forces"), at rest, no control; once without any actuator in the
# model, once with a motor on another joint of another body.
# A good guess: the weight is compensated both times, qacc = 0; the motor of the other joint changes nothing here.
# Seen: without an actuator in the model the compensation is in neither qfrc_passive nor qfrc_actuator, and the body falls
# at 8.918 rad/s^2, though qfrc_gravcomp holds the force. With the motor on the other joint it is in qfrc_actuator.
# Why: the forces of actuators are not computed in a model that has none, and this one with them.
# Why it matters: a file of an arm whose actuators are added later, or are left out for a study of torques, falls; the
# same file compensates as soon as anything in the scene is driven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "mujoco==4.0.0" "numpy==2.3.5"
venv/bin/python - > seen.txt <<'PYTHON'
import mujoco

MODEL = """<mujoco><compiler angle="radian"/><worldbody>
<body gravcomp="1"><joint name="arm" axis="0 1 0" actuatorgravcomp="true"/>
  <inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
<body pos="0 1 0"><joint name="other" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
</worldbody>%s</mujoco>"""
for what, actuator in (("no actuator", ""), ("a motor on the other joint", '<actuator><motor joint="other"/></actuator>')):
    m = mujoco.MjModel.from_xml_string(MODEL % actuator)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    print(
        f"{what}: gravcomp {d.qfrc_gravcomp[0]:.3f}, passive {d.qfrc_passive[0]:.3f}, actuator {d.qfrc_actuator[0]:.3f}, "
        f"qacc {abs(d.qacc[0]):.3f}"
    )
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
no actuator: gravcomp -0.981, passive 0.000, actuator 0.000, qacc 8.918
a motor on the other joint: gravcomp -0.981, passive 0.000, actuator -0.981, qacc 0.000
SEEN
