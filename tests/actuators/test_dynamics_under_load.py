"""Dynamics where friction depends on the load: forward after inverse, derivatives, joints that are held."""

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Coulomb, Gear, GearLoss, Motor, ServoFriction, Smooth, Stribeck, Viscous
from armdyn.algorithms import load_friction
from oracles.short_run import short_run
from oracles.trees import random_tree, to_armdyn

LAWS = {
    "gear": None,
    "m3": ServoFriction(coulomb=0.1, viscous=0.2, motor=0.1, external=0.1),
    "m4": ServoFriction(0.05, 0.02, 0.1, 1.5, 0.84, 0.05, 0.05, 0.2, 0.2),
    "m5": ServoFriction(0.05, 0.02, 0.1, 1.5, 1.2, 0.2, 0.02, 0.1, 0.15),
    "m6": ServoFriction(0.05, 0.02, 0.1, 1.5, 1.3, 0.2, 0.02, 0.1, 0.15, 0.009, 0.005),
    "smooth_gear": Smooth(GearLoss(0.7, 0.4), 0.1),
}


def driven(robot, law, rotors):
    """Actuators of general numbers at all joints but the second, which rubs without regard to its load."""
    actuators = {}
    for k, joint in enumerate(robot.joint_names):
        motor = Motor(0.4 / (1 + k)) if rotors else None
        if k == 1:
            actuators[joint] = Actuator(motor, friction=Stribeck(2.0, 1.0, 0.3))
        elif LAWS[law] is None:
            gear = Gear(2.0, efficiency=0.55 + 0.05 * k, back_efficiency=0.5)
            actuators[joint] = Actuator(motor, gear, [Viscous(0.3)])
        else:
            actuators[joint] = Actuator(motor, friction=[LAWS[law], Coulomb(0.4)])
    return robot.with_actuators(actuators)


def general(name):
    return armdyn.load("ur5") if name == "ur5" else Robot(to_armdyn(random_tree(5, 4)))


@armdyn.function("(n),(n),(n)->(n)")
def accelerations(model, q, qd, tau):
    """Forward dynamics as a function of one's own, whose derivatives are those of its operations."""
    return armdyn.algorithms.forward_dynamics(model, q, qd, tau)


def states(robot, count=200):
    return np.random.default_rng(3).normal(size=(3, count, robot.dof))


CASES = [("ur5", "gear", True), ("ur5", "m4", False), ("tree", "m6", True), ("tree", "smooth_gear", True)]
CASES += [pytest.param("tree", law, True, marks=pytest.mark.slow) for law in ("gear", "m3", "m4", "m5")]
CASES += [pytest.param("tree", law, False, marks=pytest.mark.slow) for law in ("gear", "m3", "m4", "m5", "smooth_gear")]


@pytest.mark.short_run("tree-smooth_gear-True")
@pytest.mark.parametrize(("name", "law", "rotors"), CASES)
def test_forward_dynamics_undoes_inverse_dynamics(name, law, rotors):
    robot = driven(general(name), law, rotors)
    q, qd, qdd = states(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    load = general(name).inverse_dynamics(q, qd, qdd)
    assert (load * qd > 0.0).any()  # driving
    assert (load * qd < 0.0).any()  # driven
    back = robot.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-12 * np.abs(qdd).max() * (1.0 if name == "ur5" else 10.0))


def test_inverse_dynamics_is_that_of_the_links_with_the_gears_between():
    """The drive gives load/eta or eta_b load, and what its rotor and the other friction take besides."""
    bare, robot = general("ur5"), driven(general("ur5"), "gear", rotors=True)
    q, qd, qdd = states(robot)
    load = bare.inverse_dynamics(q, qd, qdd)
    k = np.arange(robot.dof)
    gears = np.where(load * qd > 0.0, load / (0.55 + 0.05 * k), 0.5 * load)
    rotors = 4.0 * 0.4 / (1 + k) * qdd
    expected = gears + rotors + 0.3 * qd
    expected[:, 1] = (load + 0.2 * qdd + np.sign(qd) * (1.0 + np.exp(-((qd / 0.3) ** 2))))[:, 1]
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12, atol=1e-12)


def test_gears_take_nothing_at_rest():
    bare, robot = general("ur5"), driven(general("ur5"), "gear", rotors=False)
    q, tau = states(robot)[:2]
    at_rest = np.zeros_like(q)
    np.testing.assert_allclose(
        robot.forward_dynamics(q, at_rest, tau), bare.forward_dynamics(q, at_rest, tau), rtol=1e-9
    )


@pytest.mark.short_run("gear-False")
@pytest.mark.parametrize(("law", "rotors"), [("gear", False), ("gear", True), ("m4", True)])
def test_derivatives_are_those_of_the_program(law, rotors):
    robot = driven(Robot(to_armdyn(random_tree(5, 3))), law, rotors)
    q, qd, qdd = states(robot, 10)
    tau = robot.inverse_dynamics(q, qd, qdd)
    found = robot.forward_dynamics_derivatives(q, qd, tau)
    for name in ("q", "qd", "tau"):
        expected = robot.compile(accelerations).derivative(name)(q, qd, tau)
        np.testing.assert_allclose(
            getattr(found, f"d_{name}"), expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max()
        )


@pytest.mark.short_run("gear")
@pytest.mark.parametrize("law", ["gear", "m6"])
def test_derivatives_invert_those_of_inverse_dynamics(law):
    robot = driven(general("tree"), law, rotors=True)
    q, qd, qdd = states(robot, 20)
    inverse = robot.inverse_dynamics_derivatives(q, qd, qdd)
    forward = robot.forward_dynamics_derivatives(q, qd, robot.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(forward.d_tau @ inverse.d_qdd, np.broadcast_to(np.eye(4), (20, 4, 4)), atol=1e-11)
    for which in ("d_q", "d_qd"):
        zero = getattr(inverse, which) + inverse.d_qdd @ getattr(forward, which)
        np.testing.assert_allclose(zero, 0.0, atol=1e-11 * np.abs(getattr(inverse, which)).max())


def test_wrenches_and_a_moving_base_load_the_gears():
    robot = driven(general("ur5"), "gear", rotors=True)
    q, qd, qdd = states(robot, 20)
    rng = np.random.default_rng(8)
    more = {"f_tip": rng.normal(size=6), "base_twist": rng.normal(size=6), "base_twist_rate": rng.normal(size=6)}
    more["f_ext"] = rng.normal(size=(len(robot.link_names), 6))
    back = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd, **more), **more)
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-12 * np.abs(qdd).max())


def test_states_that_are_not_solved_are_nan(monkeypatch):
    monkeypatch.setattr(load_friction, "STEPS", 1)
    robot = driven(Robot(to_armdyn(random_tree(5, 3))), "gear", rotors=True)
    q, qd, qdd = states(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    with np.errstate(invalid="ignore"):
        rows = [
            load_friction.accelerations_under_load(robot.mechanism, *state).qdd
            for state in zip(q, qd, tau, strict=True)
        ]
    back = np.array(rows, dtype=float)
    lost = np.isnan(back).any(axis=-1)
    assert lost.any()
    assert not lost.all()
    assert np.isnan(back[lost]).all()
    np.testing.assert_allclose(back[~lost], qdd[~lost], atol=1e-10)


def test_other_joints_may_be_coupled():
    arm = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", 2.0)}).with_friction({"joint_3": (0.3, 0.1)})
    robot = arm.with_actuators({"joint_1": Actuator(Motor(0.2), Gear(2.0, efficiency=0.6, back_efficiency=0.4))})
    q, qd, qdd = states(robot, 20)
    back = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-12)


def test_float32_has_its_own_rounding():
    robot = driven(general("ur5"), "m3", rotors=True)
    q, qd, tau = states(robot).astype(np.float32)
    found = robot.forward_dynamics(q, qd, tau)
    assert found.dtype == np.float32
    expected = robot.forward_dynamics(*(x.astype(np.float64) for x in (q, qd, tau)))
    assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()


@pytest.mark.short_run("gear")
@pytest.mark.parametrize("law", short_run(["gear", "m4", "m6"], "gear", "m6"))
def test_a_joint_that_is_held_is_a_locked_one(law):
    """Its reaction is what inverse dynamics asks for beyond tau, and its load that of the links."""
    robot = driven(general("ur5"), law, rotors=True)
    q, qd, tau = np.random.default_rng(5).normal(size=(3, 6))
    qd[3] = 0.0
    qdd, reactions, transmitted = robot.compile(held)(q, qd, tau, [1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    locked = robot.with_locked({robot.joint_names[3]: q[3]})
    rest, loaded = np.array([0, 1, 2, 4, 5]), [0, 2, 3, 4, 5]
    expected = locked.forward_dynamics(q[rest], qd[rest], tau[rest])
    np.testing.assert_allclose(qdd[rest], expected, rtol=1e-11)
    assert qdd[3] == 0.0
    needed, loads = robot.inverse_dynamics(q, qd, qdd)[3], general("ur5").inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau[3] + reactions[3], needed, rtol=1e-11)
    np.testing.assert_allclose(transmitted[loaded], loads[loaded], rtol=1e-11)


@armdyn.function("(n),(n),(n),(n)->(n),(n),(n)")
def held(model, q, qd, tau, moves):
    """Accelerations, reactions and loads with some coordinates held."""
    found = load_friction.accelerations_under_load(model, q, qd, tau, moves=moves)
    return found.qdd, found.reactions, np.array([found.loads.get(k, 0.0) for k in range(len(q))], dtype=object)
