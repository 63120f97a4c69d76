"""Friction of actuators in the standard parameters: what is linear of it counts, and goes back into robots once."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, Spring, Stribeck, Viscous
from oracles.states import assert_close, random_states
from regressor.robots import coupled, known

MOTOR = Motor(rotor_inertia=1e-4, damping=2e-5, friction=3e-3)
DRIVES = (
    Actuator(friction=[Viscous(0.4), Coulomb(1.5), Viscous(0.2)]),
    Actuator(MOTOR, Gear(-60.0)),
    Actuator(MOTOR, Gear(80.0), [Viscous(0.3), Coulomb(0.7)]),
    Actuator(MOTOR, Gear(50.0), Coulomb(0.6), brake=Brake(0.02, "engaged")),
    Actuator(MOTOR, Gear(50.0), Viscous(0.6), brake=Brake(0.02)),
)
TOTALS = ((0.6, 1.5), (0.072, 0.18), (0.3 + 0.128, 0.7 + 0.24), (0.05, 0.6 + 0.15 + 1.0), (0.6 + 0.05, 0.15))
"""Damping and friction of these: sums, with G^2 damping and |G| friction of the shaft and |G| torque of the brake."""

OWN = (0.11, 0.23)


def driven(robot: armdyn.Robot) -> armdyn.Robot:
    """Drives at all joints but the last, one with numbers of its own besides."""
    joints = robot.joint_names[: len(DRIVES)]
    return robot.with_actuators(dict(zip(joints, DRIVES, strict=True))).with_friction(
        {joints[0]: OWN, robot.joint_names[-1]: OWN}
    )


@pytest.fixture(scope="module")
def tree() -> armdyn.Robot:
    """A tree with slides, axes in general directions."""
    robot = driven(known("random_tree").robot)
    assert {joint.kind for joint in robot.joints[: len(DRIVES)]} == {"revolute", "prismatic"}
    return robot


def expected_totals(robot: armdyn.Robot) -> np.ndarray:
    own = np.zeros((robot.dof, 2))
    own[: len(DRIVES)] = TOTALS
    own[[0, -1]] += OWN
    return own


def test_values_are_the_totals(tree: armdyn.Robot) -> None:
    pi = tree.standard_parameters()
    found = [[pi[f"{joint}.damping"], pi[f"{joint}.friction"]] for joint in tree.joint_names]
    np.testing.assert_allclose(found, expected_totals(tree), rtol=1e-13)
    assert pi.left_out == ()


@pytest.mark.short_run("<lambda>0")
@pytest.mark.parametrize("make", [lambda: known("random_tree").robot, lambda: coupled()[0]])
def test_forces_are_linear_in_them(make) -> None:
    bare = make()
    joints = bare.model.joint_names
    drives = dict(zip(joints[: len(DRIVES)], DRIVES, strict=True))
    robot = bare.with_actuators(drives).with_friction({joints[0]: OWN})
    s, pi = random_states(robot.dof, 12, seed=431), robot.standard_parameters()
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(robot.regressor(s.q, s.qd, s.qdd) @ pi.values, tau)
    assert_close(robot.kinetic_energy_regressor(s.q, s.qd) @ pi.values, robot.kinetic_energy(s.q, s.qd))
    p = np.einsum("bij,bj->bi", robot.mass_matrix(s.q), s.qd)
    assert_close(robot.momentum_regressor(s.q, s.qd) @ pi.values, p)


def test_one_law_alone_brings_its_column() -> None:
    arm = armdyn.load("planar_2r")
    names = arm.with_actuators({"joint_2": Actuator(friction=Coulomb(2.0))}).standard_parameters().names
    assert names[20:] == ("joint_1.friction", "joint_2.friction")
    names = arm.with_actuators({"joint_2": Actuator(Motor(damping=0.1))}).standard_parameters().names
    assert names[20:] == ("joint_1.damping", "joint_2.damping")
    assert len(arm.with_actuators({"joint_2": Actuator(gear=Gear(9.0))}).standard_parameters()) == 20


def test_there_and_back_keeps_the_actuators(tree: armdyn.Robot) -> None:
    again = tree.with_standard_parameters(tree.standard_parameters())
    assert [joint.actuator for joint in again.joints] == [joint.actuator for joint in tree.joints]
    assert [(j.damping, j.friction) for j in again.joints] == [(j.damping, j.friction) for j in tree.joints]


@pytest.mark.short_run("1.03")
@pytest.mark.parametrize("factor", [1.7, 1.03])
def test_other_friction_counts_once(tree: armdyn.Robot, factor: float) -> None:
    pi = tree.standard_parameters().values * factor
    made = tree.with_standard_parameters(pi)
    s = random_states(tree.dof, 6, seed=432)
    assert_close(made.regressor(s.q, s.qd, s.qdd) @ pi, made.inverse_dynamics(s.q, s.qd, s.qdd))
    np.testing.assert_allclose(made.standard_parameters().values, pi, rtol=1e-12, atol=1e-14)
    assert made.joints[2].actuator == dataclasses.replace(DRIVES[2], friction=())
    assert made.joints[3].friction == pytest.approx(factor * 1.75 - 1.15)  # the brake and the shaft keep theirs


def test_one_quantity_alone(tree: armdyn.Robot) -> None:
    """Other damping leaves Coulomb's laws, and friction that is not in pi stays."""
    for options in ({}, {"friction": False}):
        pi = tree.standard_parameters(**options)
        values = pi.values.copy()
        values[[pi.index(f"{joint}.damping") for joint in tree.joint_names]] += 0.5
        made = tree.with_standard_parameters(values, **options)
        assert made.joints[0].actuator == Actuator(friction=[Coulomb(1.5)])
        assert made.joints[0].friction == OWN[1]
        np.testing.assert_allclose(made.standard_parameters(**options).values, values, rtol=1e-12, atol=1e-14)


def test_friction_below_the_motors_own_is_refused() -> None:
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": DRIVES[3]})
    pi = arm.standard_parameters()
    values = pi.values.copy()
    values[pi.index("joint_2.friction")] = 1.15  # the Coulomb law is gone, shaft and brake are left
    assert arm.with_standard_parameters(values).joints[1].friction == pytest.approx(0.0, abs=1e-12)
    values[pi.index("joint_2.friction")] = 1.15 * (1.0 - 1e-12)  # rounding of a fit
    assert arm.with_standard_parameters(values).joints[1].friction == 0.0
    values[pi.index("joint_2.friction")] = 1.1
    with pytest.raises(armdyn.ModelError, match=r"joint 'joint_2': friction 1.1 N m; expected 1.15 at least.*brake"):
        arm.with_standard_parameters(values)
    values[pi.index("joint_2.friction")] = -1.0
    with pytest.raises(armdyn.ModelError, match=r"friction -1 N m; expected a finite number") as error:
        arm.with_standard_parameters(values)
    assert len(error.value.problems) == 1


def test_identified_friction() -> None:
    """From forces of the arm with other drives, those of the description as the start."""
    arm = armdyn.load("planar_2r")
    drawn = arm.with_actuators({"joint_1": DRIVES[1], "joint_2": DRIVES[2]})
    real = drawn.with_actuators({"joint_2": Actuator(MOTOR, Gear(80.0), [Viscous(0.5), Coulomb(0.1)])})
    s = random_states(2, 40, seed=433)
    tau, base = real.inverse_dynamics(s.q, s.qd, s.qdd), drawn.base_parameters()
    W = base.columns(drawn.regressor(s.q, s.qd, s.qdd)).reshape(-1, base.rank)
    beta = np.linalg.lstsq(W, tau.ravel())[0]
    np.testing.assert_allclose(beta, real.base_parameters().values, rtol=1e-9, atol=1e-10)
    made = drawn.with_standard_parameters(base.to_standard(beta, near=drawn.standard_parameters()), check_inertia=False)
    t = random_states(2, 20, seed=434)
    assert_close(made.inverse_dynamics(t.q, t.qd, t.qdd), real.inverse_dynamics(t.q, t.qd, t.qdd), 1e-9)
    assert np.abs(drawn.friction_forces(t.q, t.qd) - real.friction_forces(t.q, t.qd)).max() > 0.3


def test_laws_that_no_number_states_are_named() -> None:
    class Harder(Coulomb):
        def magnitude(self, speed, load):
            return self.size * (1.0 + speed)

    arm = armdyn.load("planar_2r").with_actuators(
        {
            "joint_1": Actuator(gear=Gear(50.0, efficiency=0.8), friction=[Viscous(0.1), Stribeck(0.8, 0.5, 0.1)]),
            "joint_2": Actuator(friction=dataclasses.dataclass(frozen=True)(Harder)(0.5)),
        }
    )
    pi = arm.standard_parameters()
    assert pi.left_out[0] == "joint_1: Stribeck"
    assert pi.left_out[-1] == "joint_2: Harder"
    assert len(pi.left_out) == 3
    assert str(pi).endswith(f"not in Y pi: {', '.join(pi.left_out)}")
    assert pi.names[20:] == ("joint_1.damping", "joint_2.damping")
    s = random_states(2, 5, seed=435)
    missing = arm.inverse_dynamics(s.q, s.qd, s.qdd) - arm.regressor(s.q, s.qd, s.qdd) @ pi.values
    assert np.abs(missing).max() > 0.1
    made = arm.with_standard_parameters(1.1 * pi.values)
    assert made.standard_parameters().left_out == pi.left_out


def test_made_robots_are_written_and_read(tree: armdyn.Robot) -> None:
    made = tree.with_standard_parameters(1.2 * tree.standard_parameters().values)
    again = armdyn.load(made.to_urdf())
    np.testing.assert_allclose(
        again.standard_parameters().values, 1.2 * tree.standard_parameters().values, rtol=1e-9, atol=1e-12
    )


def test_flexible_joints_keep_their_spring() -> None:
    drive = Actuator(MOTOR, Gear(80.0), Coulomb(0.5), spring=Spring(stiffness=900.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": drive})
    made = arm.with_standard_parameters(2.0 * arm.standard_parameters().values)
    actuator, more = made.joints[1].actuator, 2.0 * (0.5 + 0.24) - 0.24
    assert dataclasses.replace(actuator, friction=()) == dataclasses.replace(drive, friction=())
    assert [type(law) for law in actuator.friction] == [Viscous, Coulomb]  # at the rotor, as they were
    assert actuator.friction[1].size == pytest.approx(more)
    assert (made.joints[1].damping, made.joints[1].friction) == (0.0, 0.0)
