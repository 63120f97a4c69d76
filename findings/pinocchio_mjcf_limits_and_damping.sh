#!/usr/bin/env bash
# pin 4.1.0 (PyPI; Pinocchio), mujoco 4.0.0 beside it. Tried on 2026-11-29.
#
# What was tried: pinocchio.buildModelFromMJCF of a hinge with ref="0.5" and range="-1 2" (rad), and of one whose damping
# has three numbers, as MJCF allows (linear, quadratic, cubic); the same files in MuJoCo.
# A good guess: Pinocchio's limits are those of its own q; the damping is the linear one at least.
# Seen: q is MuJoCo's qpos (at q = 0.5 both draw the arm as the file does), and the limits are -1.5 and 1.5: the range
# less ref, so that 0.5 rad of the range are forbidden and 0.5 rad beyond it are allowed. damping="1 2 3" is read as 0,
# damping="1" as 1. The armature 0.01 of an actuator with gear 3 is left out (MuJoCo: 0.09 more in M). No warning.
# Why it matters: planners and IK stop short of one end of the range and run through the other; an arm with nonlinear
# damping has none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "pin==4.1.0" "mujoco==4.0.0" "numpy==2.3.5"
venv/bin/python - > seen.txt <<'PYTHON'
import mujoco
import numpy as np
import pinocchio

MODEL = """<mujoco><compiler angle="radian"/><worldbody><body name="arm"><joint name="a" axis="0 1 0" %s/>
<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>%s</mujoco>"""


def both(joint, more=""):
    text = MODEL % (joint, more)
    with open("arm.xml", "w") as file:
        file.write(text)
    return pinocchio.buildModelFromMJCF("arm.xml"), mujoco.MjModel.from_xml_string(text)


model, m = both('range="-1 2" ref="0.5"')
data, d = model.createData(), mujoco.MjData(m)
for q in (0.5, 1.2):
    pinocchio.forwardKinematics(model, data, np.array([q]))
    d.qpos[:] = q
    mujoco.mj_kinematics(m, d)
    print(f"q = {q}: the same rotation {np.allclose(data.oMi[1].rotation, d.xmat[1].reshape(3, 3))}")
print("limits: Pinocchio", model.lowerPositionLimit[0], model.upperPositionLimit[0], "MuJoCo", *m.jnt_range[0])
for damping in ("1", "1 2 3"):
    model, m = both(f'damping="{damping}"')
    print(f"damping {damping}: Pinocchio {model.damping[0]}, MuJoCo {m.dof_damping[0]} and {m.dof_dampingpoly[0].tolist()}")
model, m = both("", '<actuator><motor joint="a" gear="3" armature="0.01"/></actuator>')
d, M = mujoco.MjData(m), np.zeros((1, 1))
mujoco.mj_forward(m, d)
mujoco.mj_fullM(m, d, M)
print(f"M: Pinocchio {pinocchio.crba(model, model.createData(), np.zeros(1))[0, 0]:.3f}, MuJoCo {M[0, 0]:.3f}")
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
q = 0.5: the same rotation True
q = 1.2: the same rotation True
limits: Pinocchio -1.5 1.5 MuJoCo -1.0 2.0
damping 1: Pinocchio 1.0, MuJoCo 1.0 and [0.0, 0.0]
damping 1 2 3: Pinocchio 0.0, MuJoCo 1.0 and [2.0, 3.0]
M: Pinocchio 0.110, MuJoCo 0.200
SEEN
