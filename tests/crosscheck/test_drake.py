"""Dynamics, motions, momentum and derivatives against Drake, whose derivatives are those of its own scalars.

Of the bare body: damping is taken out of the files, for Drake would add it.
"""

import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest
from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces_

import armdyn
from oracles.robot_data import bare
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import known_tree, to_urdf

ROBOTS = short_run(["ur5", "xarm7", "random_tree", "right_angled_tree"], "ur5", "random_tree")


class Drake:
    """A robot twice, from one URDF text, under a gravity of general direction."""

    def __init__(self, text: str, tip: str | None) -> None:
        root = ET.fromstring(text)
        for joint in root.iter("joint"):  # Drake adds damping to its forces
            for dynamics in joint.findall("dynamics"):
                joint.remove(dynamics)
        text = ET.tostring(root, encoding="unicode")
        gravity = np.random.default_rng(5).normal(0.0, 6.0, 3)
        self.robot = armdyn.Robot.from_urdf(_written(text), tip=tip, gravity=gravity)
        self.plant = MultibodyPlant(0.0)
        Parser(self.plant).AddModelsFromString(text, "urdf")
        base = self.plant.GetBodyByName(self.robot.model.base)
        if base.name() != "world":
            self.plant.WeldFrames(self.plant.world_frame(), base.body_frame())
        self.plant.mutable_gravity_field().set_gravity_vector(gravity)
        self.plant.Finalize()
        joints = [self.plant.GetJointByName(name) for name in self.robot.joint_names]
        self.v = np.array([joint.velocity_start() for joint in joints])
        self.context = self.plant.CreateDefaultContext()

    def at(self, q: np.ndarray, qd: np.ndarray):
        self.plant.SetPositions(self.context, self.to_drake(q))
        self.plant.SetVelocities(self.context, self.to_drake(qd))
        return self.context

    def to_drake(self, x: np.ndarray) -> np.ndarray:
        result = np.empty_like(x)
        result[self.v] = x
        return result

    def inverse_dynamics(self, plant, context, qdd) -> np.ndarray:
        forces = MultibodyForces_[AutoDiffXd if qdd.dtype == object else float](plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, qdd, forces)


def _written(text: str):
    from oracles.robot_data import written

    return written(ET.ElementTree(ET.fromstring(text)), f"for_drake_{abs(hash(text))}")


@cache
def twice(name: str) -> Drake:
    if name == "ur5":
        return Drake(armdyn.load("ur5").to_urdf(), "tool0")
    if name == "xarm7":
        tree = bare("xarm_description/urdf/xarm7.urdf")
        return Drake(ET.tostring(tree.getroot(), encoding="unicode"), None)
    return Drake(to_urdf(known_tree(name)), "tool")


@pytest.fixture(params=ROBOTS)
def drake(request: pytest.FixtureRequest) -> Drake:
    return twice(request.param)


def test_inverse_dynamics_and_mass_matrix(drake: Drake) -> None:
    s = random_states(drake.robot.dof, 10, seed=401)
    tau, M = [], []
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        context = drake.at(q, qd)
        tau.append(drake.inverse_dynamics(drake.plant, context, drake.to_drake(qdd))[drake.v])
        M.append(drake.plant.CalcMassMatrix(context)[np.ix_(drake.v, drake.v)])
    assert_close(drake.robot.inverse_dynamics(s.q, s.qd, s.qdd), np.array(tau))
    assert_close(drake.robot.mass_matrix(s.q), np.array(M))


def test_velocity_and_gravity_forces_and_energies(drake: Drake) -> None:
    s = random_states(drake.robot.dof, 10, seed=402)
    c, g, kinetic, potential = [], [], [], []
    for q, qd in zip(s.q, s.qd, strict=True):
        context = drake.at(q, qd)
        c.append(drake.plant.CalcBiasTerm(context)[drake.v])
        g.append(-drake.plant.CalcGravityGeneralizedForces(context)[drake.v])
        kinetic.append(drake.plant.CalcKineticEnergy(context))
        potential.append(drake.plant.CalcPotentialEnergy(context))
    assert_close(drake.robot.velocity_forces(s.q, s.qd), np.array(c))
    assert_close(drake.robot.gravity_forces(s.q), np.array(g))
    assert_close(drake.robot.kinetic_energy(s.q, s.qd), np.array(kinetic))
    offset = potential - drake.robot.potential_energy(s.q)  # of the base's own mass, the same everywhere
    assert np.ptp(offset) <= 1e-12 * np.abs(potential).max()


def test_jacobian_and_acceleration_of_the_tip(drake: Drake) -> None:
    s = random_states(drake.robot.dof, 10, seed=403)
    plant, world = drake.plant, drake.plant.world_frame()
    frame = plant.GetFrameByName(drake.robot.tip)
    J, drift = [], []
    for q, qd in zip(s.q, s.qd, strict=True):
        context, at = drake.at(q, qd), (frame, np.zeros(3), world, world)
        J.append(plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, *at)[:, drake.v])
        acceleration = plant.CalcBiasSpatialAcceleration(context, JacobianWrtVariable.kV, *at)
        drift.append([*acceleration.rotational(), *acceleration.translational()])
    assert_close(drake.robot.jacobian(s.q, expressed_in="world"), np.array(J))
    assert_close(drake.robot.bias_acceleration(s.q, s.qd, expressed_in="world"), np.array(drift))


@pytest.mark.short_run("random_tree")
def test_derivatives_of_inverse_dynamics_by_drakes_automatic_ones(drake: Drake) -> None:
    s = random_states(drake.robot.dof, 5, seed=404)
    plant = drake.plant.ToAutoDiffXd()
    context, n = plant.CreateDefaultContext(), drake.robot.dof
    by_q, by_qd = [], []
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        state = InitializeAutoDiff(np.concatenate([drake.to_drake(q), drake.to_drake(qd)])).ravel()
        plant.SetPositions(context, state[:n])
        plant.SetVelocities(context, state[n:])
        acceleration = drake.to_drake(qdd) + 0.0 * state[:n]
        gradient = ExtractGradient(drake.inverse_dynamics(plant, context, acceleration).reshape(-1, 1))
        rows = gradient[drake.v]
        by_q.append(rows[:, :n][:, drake.v])
        by_qd.append(rows[:, n:][:, drake.v])
    derivatives = drake.robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    assert_close(derivatives[0], np.array(by_q))
    assert_close(derivatives[1], np.array(by_qd))


def test_tip_wrench(drake: Drake) -> None:
    s = random_states(drake.robot.dof, 5, seed=405)
    plant, expected = drake.plant, []
    frame = plant.GetFrameByName(drake.robot.tip)
    for q, qd, qdd, f_tip in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True):
        context, forces = drake.at(q, qd), MultibodyForces_[float](plant)
        plant.CalcForceElementsContribution(context, forces)
        R = frame.CalcRotationMatrixInWorld(context).matrix()
        on_tip = SpatialForce(-R @ f_tip[:3], -R @ f_tip[3:])
        place = frame.GetFixedPoseInBodyFrame().translation()
        frame.body().AddInForce(context, place, on_tip, plant.world_frame(), forces)
        expected.append(plant.CalcInverseDynamics(context, drake.to_drake(qdd), forces)[drake.v])
    assert_close(drake.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), np.array(expected))
