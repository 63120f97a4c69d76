#!/usr/bin/env bash
# pin 4.1.0 (PyPI; Pinocchio). Tried on 2026-11-29.
#
# What was tried: pinocchio.buildModelFromXML of a URDF joint with <limit velocity="3" effort="7"/> and friction 0.2, and
# buildSampleModelManipulator: the lower and upper limits that Pinocchio 4 has beside velocityLimit and effortLimit.
# A good guess: lowerVelocityLimit = -3, as lowerEffortLimit = -7 and lowerDryFrictionLimit = -0.2; in the sample alike.
# Seen: lowerVelocityLimit is +3, the upper limit again, so that the velocities between the two are 3 alone and rest is
# none of them. In the sample model lowerEffortLimit is +10 too.
# Why it matters: whoever hands the two as bounds to a solver gets a joint that must turn at 3 rad/s, or no solution.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "pin==4.1.0" "numpy==2.3.5"
venv/bin/python - > seen.txt <<'PYTHON'
import pinocchio

URDF = """<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" velocity="3" effort="7"/><dynamics friction="0.2"/></joint></robot>"""
for name, model in (("URDF", pinocchio.buildModelFromXML(URDF)), ("sample", pinocchio.buildSampleModelManipulator())):
    for quantity in ("Velocity", "Effort", "DryFriction"):
        lower, upper = (getattr(model, f"{end}{quantity}Limit")[0] for end in ("lower", "upper"))
        print(f"{name}: {quantity} {lower:g} to {upper:g}")
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
URDF: Velocity 3 to 3
URDF: Effort -7 to 7
URDF: DryFriction -0.2 to 0.2
sample: Velocity 10 to 10
sample: Effort 10 to 10
sample: DryFriction 0 to 0
SEEN
