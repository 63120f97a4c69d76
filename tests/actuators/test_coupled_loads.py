"""Friction under load where joints are coupled or turn rotors of their own: all branches of the gears, enumerated."""

import itertools

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Rotor, ServoFriction, Viscous
from armdyn.algorithms import coupled_loads
from armdyn.program import interpret
from oracles.geared import geared
from oracles.trees import random_tree, to_armdyn

M6 = ServoFriction(0.05, 0.02, 0.1, 1.5, 1.3, 0.2, 0.02, 0.1, 0.15, 0.009, 0.005)


@armdyn.function("(n),(n),(n)->(n)")
def accelerations(model, q, qd, tau):
    """Forward dynamics, traced anew."""
    return armdyn.algorithms.forward_dynamics(model, q, qd, tau)


def states(robot, count, seed=3):
    return np.random.default_rng(seed).normal(size=(3, count, robot.dof))


class Lossy:
    """An arm with gears that lose, whose bodies are free joints of another program: B, M and h of these."""

    def __init__(self, robot, B, gears, mass_and_rest):
        self.robot, self.B, self.gears, self.mass_and_rest = robot, B, gears, mass_and_rest

    def equations(self, q, qd):
        """M_bodies B, h of the bodies and the two ratios of drive to load of every gear, driving and driven."""
        M, h = self.mass_and_rest(q, qd)
        return M @ self.B, h

    def ratios(self, load, rate):
        """The drive's force over the load, of bodies: 1/eta driving, eta_b driven, 1 without a gear."""
        driving = load * rate > 0.0
        return np.array(
            [
                1.0 if gear is None else 1.0 / gear.efficiency if drives else gear.back_efficiency
                for gear, drives in zip(self.gears, driving, strict=True)
            ]
        )

    def inverse_dynamics(self, q, qd, qdd):
        MB, h = self.equations(q, qd)
        load = MB @ qdd + h
        return self.B.T @ (self.ratios(load, self.B @ qd) * load)

    def solutions(self, q, qd, tau):
        """The accelerations of every choice of driving and driven gears that is true to itself."""
        MB, h = self.equations(q, qd)
        lossy = [k for k, gear in enumerate(self.gears) if gear is not None]
        rate = self.B @ qd
        for drives in itertools.product((-1.0, 1.0), repeat=len(lossy)):
            assumed = np.zeros(len(rate))
            assumed[lossy] = drives * np.sign(rate[lossy])
            phi = self.ratios(assumed, rate)
            qdd = np.linalg.solve(self.B.T @ (phi[:, None] * MB), tau - self.B.T @ (phi * h))
            load = MB @ qdd + h
            if (load[lossy] * assumed[lossy] >= 0.0).all():
                yield qdd


def with_rotors(seed=8):
    """Six joints, slides among them, each with a rotor that Pinocchio has as a link."""
    case = geared(seed)
    actuators, gears = {}, [None] * case.pin.nv
    for k, (joint, given) in enumerate(case.actuators.items()):
        gear = Gear(given.gear.ratio, given.gear.inertia, 0.5 + 0.06 * k, 0.4 + 0.05 * k)
        actuators[joint] = Actuator(given.motor, gear, rotor=given.rotor, stator=given.stator)
        gears[case.pin.joints[case.pin.getJointId(joint)].idx_v] = gear

    def mass_and_rest(q, qd):
        pin = pytest.importorskip("pinocchio")
        M = pin.crba(case.pin, case.data, case.A @ q)
        at_rest = np.zeros(case.pin.nv)
        return np.triu(M) + np.triu(M, 1).T, pin.rnea(case.pin, case.data, case.A @ q, case.A @ qd, at_rest)

    return Lossy(case.bare.with_actuators(actuators), case.A, gears, mass_and_rest)


def with_mimics(factor=-0.7):
    """Five joints, two of them moved by others."""
    free = Robot(to_armdyn(random_tree(5, 5)))
    names = free.joint_names
    gears = [Gear(2.0, efficiency=0.55 + 0.05 * k, back_efficiency=0.5) for k in range(5)]
    robot = free.with_mimic({names[3]: (names[1], factor), names[4]: (names[0], 1.3)})
    robot = robot.with_actuators({name: Actuator(gear=gear) for name, gear in zip(names, gears, strict=True)})
    B = np.zeros((5, 3))
    B[[0, 1, 2, 3, 4], [0, 1, 2, 1, 0]] = [1.0, 1.0, 1.0, factor, 1.3]

    def mass_and_rest(q, qd):
        return free.mass_matrix(B @ q), free.bias_forces(B @ q, B @ qd)

    return Lossy(robot, B, gears, mass_and_rest)


CASES = {"rotors": with_rotors, "mimics": with_mimics}


@pytest.fixture(params=CASES, scope="module")
def lossy(request):
    return CASES[request.param]()


@pytest.mark.short_run("rotors")
def test_inverse_dynamics(lossy):
    for q, qd, qdd in zip(*states(lossy.robot, 20), strict=True):
        expected = lossy.inverse_dynamics(q, qd, qdd)
        found = lossy.robot.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.short_run("mimics")
def test_forward_dynamics_is_the_only_solution_of_all_branches(lossy):
    q, qd, tau = states(lossy.robot, 40, seed=4)
    tau = 5.0 * tau
    branches = 0
    for state, found in zip(zip(q, qd, tau, strict=True), lossy.robot.forward_dynamics(q, qd, tau), strict=True):
        solutions = list(lossy.solutions(*state))
        assert len(solutions) == 1
        np.testing.assert_allclose(found, solutions[0], rtol=0.0, atol=1e-11 * np.abs(solutions[0]).max())
        load = lossy.robot.without_friction().inverse_dynamics(state[0], state[1], found)
        branches |= set(np.sign(load * state[1])) == {-1.0, 1.0}
    assert branches  # some of them drive, others are driven


@pytest.mark.short_run("mimics")
def test_forward_dynamics_undoes_inverse_dynamics(lossy):
    q, qd, qdd = states(lossy.robot, 2000)
    back = lossy.robot.forward_dynamics(q, qd, lossy.robot.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-11 * np.abs(qdd).max())


@pytest.mark.slow
def test_curves_of_the_load_and_what_rubs_besides():
    arm = Robot(to_armdyn(random_tree(5, 4)))
    drive = Actuator(
        Motor(2e-4, damping=1e-5), Gear(40.0), [M6, Viscous(0.3), Coulomb(0.2)], rotor=Rotor(axis=(0.6, 0.0, 0.8))
    )
    robot = arm.with_actuators(dict.fromkeys(arm.joint_names, drive)).with_friction({arm.joint_names[0]: (0.1, 0.4)})
    q, qd, qdd = states(robot, 500)
    rng = np.random.default_rng(8)
    more = {"f_tip": rng.normal(size=6), "base_twist": rng.normal(size=6), "base_twist_rate": rng.normal(size=6)}
    more["f_ext"] = rng.normal(size=(len(robot.link_names), 6))
    back = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd, **more), **more)
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-11 * np.abs(qdd).max())


@pytest.mark.parametrize("make", [pytest.param(with_rotors, marks=pytest.mark.slow), with_mimics])
def test_derivatives(make):
    robot = make().robot
    q, qd, qdd = states(robot, 10)
    inverse = robot.inverse_dynamics_derivatives(q, qd, qdd)
    forward = robot.forward_dynamics_derivatives(q, qd, robot.inverse_dynamics(q, qd, qdd))
    unit = np.broadcast_to(np.eye(robot.dof), (10, robot.dof, robot.dof))
    np.testing.assert_allclose(forward.d_tau @ inverse.d_qdd, unit, atol=1e-10)
    for which in ("d_q", "d_qd"):
        zero = getattr(inverse, which) + inverse.d_qdd @ getattr(forward, which)
        np.testing.assert_allclose(zero, 0.0, atol=1e-10 * np.abs(getattr(inverse, which)).max())


def test_armature_and_a_rotor_of_its_own_agree_where_the_axes_stand_across():
    """A rotor across the axes of a planar arm turns with its joint alone: what the armature says is exact."""
    arm = armdyn.load("planar_2r")
    parts = Motor(1e-4), Gear(60.0, efficiency=0.7, back_efficiency=0.5)
    on_diagonal = arm.with_actuators(dict.fromkeys(arm.joint_names, Actuator(*parts)))
    bodies = arm.with_actuators(dict.fromkeys(arm.joint_names, Actuator(*parts, rotor=Rotor(axis=(1.0, 0.0, 0.0)))))
    q, qd, tau = states(arm, 50)
    np.testing.assert_allclose(
        bodies.forward_dynamics(q, qd, 20.0 * tau), on_diagonal.forward_dynamics(q, qd, 20.0 * tau), rtol=1e-11
    )


def test_a_gear_that_locks_has_no_acceleration():
    """A joint that another drives backwards through a gear of efficiency 0.2: N = 3.6 - 0.91 phi is -0.95 or 3.42.

    So a force forwards has two solutions, of which the one with N above zero is given, and one backwards has none.
    """
    free = armdyn.load("planar_2r").with_gravity((0.0, 0.0, 0.0))
    gear = Gear(2.0, efficiency=0.2, back_efficiency=0.2)
    robot = free.with_mimic({"joint_2": ("joint_1", -0.7)}).with_actuators({"joint_2": Actuator(gear=gear)})
    B = np.array([[1.0], [-0.7]])
    bodies = Lossy(robot, B, [None, gear], lambda q, qd: (free.mass_matrix(B @ q), free.bias_forces(B @ q, B @ qd)))
    q, qd = np.array([0.0]), np.array([1e-9])
    assert len(list(bodies.solutions(q, qd, np.array([1.0])))) == 2
    assert not list(bodies.solutions(q, qd, np.array([-1.0])))
    assert robot.forward_dynamics(q, qd, [1.0])[0] == pytest.approx(1.0 / 3.418, rel=1e-9)
    assert np.isnan(robot.forward_dynamics(q, qd, [-1.0])[0])


def test_states_that_are_not_solved_are_nan(monkeypatch):
    monkeypatch.setattr(coupled_loads, "STEPS", 2)
    robot = with_mimics().robot
    q, qd, qdd = states(robot, 2000)
    tau = robot.inverse_dynamics(q, qd, qdd)
    short = robot.program(accelerations)
    with np.errstate(invalid="ignore"):
        (back,) = interpret(short, q, qd, tau)
    lost = np.isnan(back).any(axis=-1)
    assert 0 < lost.sum() < 1000
    assert np.isnan(back[lost]).all()
    np.testing.assert_allclose(back[~lost], qdd[~lost], atol=1e-10)
