#!/usr/bin/env bash
# drake 1.51.1, pin 4.1.0, mujoco 4.0.0 (PyPI), <limit lower upper> of a continuous joint in URDF. Tried on 2026-11-29.
#
# What was tried: one continuous joint with <limit lower="-1" upper="1" effort="5" velocity="3"/>, read by all three.
# A good guess: a continuous joint "has no upper and lower limits" (the URDF specification), so that both are ignored.
# Seen: Drake's parser holds the joint within [-1, 1] rad; Pinocchio and MuJoCo let it turn without end.
# Why: Drake reads lower and upper of every joint type that may have <limit>.
# Why it matters: a wheel or wrist turns freely in two simulators and stops after one radian in the third.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "drake==1.51.1" "pin==4.1.0" "mujoco==4.0.0"
cat > arm.urdf <<'URDF'
<robot name="r">
  <link name="base"/>
  <link name="a">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="j" type="continuous">
    <parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/>
  </joint>
</robot>
URDF
venv/bin/python - > seen.txt <<'PYTHON'
import mujoco
import pinocchio
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

plant = MultibodyPlant(0.0)
Parser(plant).AddModels("arm.urdf")
plant.Finalize()
joint = plant.GetJointByName("j")
print("drake limits:", joint.position_lower_limits().tolist(), joint.position_upper_limits().tolist())
print("mujoco limited:", bool(mujoco.MjModel.from_xml_path("arm.urdf").jnt_limited[0]))
print("pinocchio coordinates (cos, sin):", pinocchio.buildModelFromUrdf("arm.urdf").nq)
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
drake limits: [-1.0] [1.0]
mujoco limited: False
pinocchio coordinates (cos, sin): 2
SEEN
