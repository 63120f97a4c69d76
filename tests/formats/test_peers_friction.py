"""Which library counts damping, friction and armature of a file: the table in docs/conventions.md."""

import mujoco
import numpy as np
import pinocchio
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

from armdyn import Robot
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close

ARM = """<robot name="arm"> <link name="base"/>
  <link name="boom"><inertial><origin xyz="0.3 0.1 0"/><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="boom"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-9" upper="9" velocity="9" effort="9"/><dynamics damping="0.7" friction="0.9"/></joint>
</robot>"""
Q, QD, QDD = np.array([0.3]), np.array([-2.0]), np.array([1.7])
DAMPING, FRICTION = 0.7 * -2.0, -0.9


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot(read_urdf_text(ARM))


def test_armdyn(robot: Robot) -> None:
    bare = robot.without_friction().inverse_dynamics(Q, QD, QDD)
    assert_close(robot.inverse_dynamics(Q, QD, QDD), bare + DAMPING + FRICTION)


def test_pinocchio_reads_both_and_counts_neither(robot: Robot) -> None:
    model = pinocchio.buildModelFromXML(ARM)
    assert (model.damping, model.friction) == (0.7, 0.9)
    bare = robot.without_friction()
    data = model.createData()
    assert_close(pinocchio.rnea(model, data, Q, QD, QDD), bare.inverse_dynamics(Q, QD, QDD))
    model.armature = np.array([0.5])
    geared = bare.with_armature({"turn": 0.5})
    assert_close(pinocchio.rnea(model, data, Q, QD, QDD), geared.inverse_dynamics(Q, QD, QDD))
    assert_close(pinocchio.crba(model, data, Q), geared.mass_matrix(Q))
    assert_close(pinocchio.aba(model, data, Q, QD, np.ones(1)), geared.forward_dynamics(Q, QD, np.ones(1)))


def test_mujoco_counts_both(robot: Robot) -> None:
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = Q, QD, QDD
    mujoco.mj_inverse(model, data)
    assert_close(data.qfrc_passive, np.array([-DAMPING]))
    assert_close(data.qfrc_constraint, np.array([-FRICTION]))
    assert_close(data.qfrc_inverse, robot.inverse_dynamics(Q, QD, QDD))


def test_drake_counts_damping_and_reads_no_friction(robot: Robot) -> None:
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(ARM, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, Q)
    plant.SetVelocities(context, QD)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    expected = robot.inverse_dynamics(Q, QD, QDD) - FRICTION
    assert_close(plant.CalcInverseDynamics(context, QDD, forces), expected)
