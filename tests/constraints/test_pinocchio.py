"""Constrained accelerations and contact forces against Pinocchio's constraint dynamics.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import numpy as np
import pinocchio as pin
import pytest
from parts import general_pose

from armdyn import constraints as c
from oracles.cases import CASES, Case
from oracles.short_run import short_run
from oracles.states import assert_close, random_states


@pytest.fixture(scope="module", params=short_run(["large_tree", "panda_locked", "panda_fingers"], "large_tree"))
def case(request) -> Case:
    return CASES[request.param]()


def closed_at(case, q, kind):
    """A constraint that holds at q between the tip and another link, or the base, here and in Pinocchio."""
    tip, other = case.robot.tip, case.robot.link_names[2 if kind == "ball" else 0]
    frames = [case.pin.frames[case.pin.getFrameId(name)] for name in (tip, other)]
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(q))
    tip_pose, other_pose = (case.data.oMf[case.pin.getFrameId(name)].homogeneous for name in (tip, other))
    T = general_pose(4)
    U = np.linalg.inv(other_pose) @ tip_pose @ T
    make = {
        "weld": lambda: c.weld(tip, other, pose=T, to_pose=U),
        "ball": lambda: c.Held(tip, other, ("x", "y", "z"), T, U),
    }
    types = {"weld": pin.ContactType.CONTACT_6D, "ball": pin.ContactType.CONTACT_3D}
    loop = pin.RigidConstraintModel(
        types[kind], case.pin,
        frames[0].parentJoint, frames[0].placement * pin.SE3(T),
        frames[1].parentJoint, frames[1].placement * pin.SE3(U),
        pin.ReferenceFrame.LOCAL,
    )  # fmt: skip
    return make[kind](), loop


@pytest.mark.short_run("large_tree-ball")
@pytest.mark.parametrize("kind", ["weld", "ball"])
def test_accelerations_of_closed_loops(case, kind):
    s = random_states(case.n, 3, 21)
    for k in range(3):  # a robot each, compiled
        q, tau = s.q[k], s.tau[k]
        part, loop = closed_at(case, q, kind)
        robot = case.robot.with_constraints(part)
        qd = robot.close_velocities(q, s.qd[k])
        motion = robot.constrained_forward_dynamics(q, qd, tau)
        models = pin.StdVec_RigidConstraintModel([loop])
        datas = pin.StdVec_RigidConstraintData([loop.createData()])
        data = case.pin.createData()
        settings = pin.ProximalSettings(1e-15, 1e-16, 1e-12, 100)
        pin.initConstraintDynamics(case.pin, data, models, datas)
        qdd = pin.constraintDynamics(
            case.pin, data, case.pin_q(q), case.to_pin(qd), case.to_pin(tau), models, datas, settings
        )
        assert_close(motion.qdd[None], case.from_pin(qdd)[None], 1e-8 if kind == "weld" else 1e-9)
        force = datas[0].contact_force
        scale = abs(motion.multipliers).max()
        # Pinocchio's force acts on the first frame, ours is what that frame does: the opposite
        assert abs(motion.multipliers[:3] + force.linear).max() < 1e-7 * scale
        if kind == "weld":
            assert abs(motion.multipliers[3:] + force.angular).max() < 1e-7 * scale
