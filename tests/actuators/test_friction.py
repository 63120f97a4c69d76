"""Friction in the equations of motion: against Pinocchio's bare body with friction added, and MuJoCo with damping."""

import pickle

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import DTypeError, ModelError, Robot, ShapeError, UnknownName, algorithms
from armdyn.actuators import Actuator, Coulomb, FrictionLaw, Gear, Motor, Rotor, Stator, Viscous
from oracles.cases import CASES, Case
from oracles.couplings import maker
from oracles.plain import plainly
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import known_tree, to_mjcf

COUNT = 6


def coefficients(robot: Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Damping and Coulomb friction of every joint of the description; some are none."""
    rng, size = np.random.default_rng(seed), len(robot.model.joints)
    return rng.uniform(0.1, 5.0, size) * (rng.random(size) < 0.8), rng.uniform(0.1, 9.0, size) * (
        rng.random(size) < 0.8
    )


def rubbing(robot: Robot, seed: int = 481) -> tuple[Robot, np.ndarray, np.ndarray]:
    damping, friction = coefficients(robot, seed)
    pairs = zip(robot.model.joint_names, zip(damping, friction, strict=True), strict=True)
    return robot.with_friction(dict(pairs)), damping, friction


@pytest.mark.slow
def test_inverse_dynamics_is_pinocchios_and_friction(case: Case) -> None:
    robot, damping, friction = rubbing(case.robot)
    s = random_states(case.n, COUNT, seed=482)
    bare = np.array([case.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, strict=True)])
    if robot.model.coupling is None:
        expected = damping * s.qd + friction * np.sign(s.qd)
    else:
        A = robot.model.coupling.matrix
        rates = s.qd @ A.T
        expected = (damping * rates + friction * np.sign(rates)) @ A
    assert_close(robot.friction_forces(s.q, s.qd), expected)
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(tau, bare + expected)
    assert_close(robot.bias_forces(s.q, s.qd) + np.einsum("bij,bj->bi", robot.mass_matrix(s.q), s.qdd), tau, 1e-11)
    assert_close(robot.velocity_forces(s.q, s.qd), case.robot.velocity_forces(s.q, s.qd), 0.0)
    assert_close(robot.gravity_forces(s.q), case.robot.gravity_forces(s.q), 0.0)
    for method in ("articulated", "mass_matrix"):
        assert_close(robot.forward_dynamics(s.q, s.qd, tau, method=method), s.qdd, 1e-9)


def test_forward_dynamics_is_mujocos_with_damping() -> None:
    """MuJoCo's damping is a passive force; its frictionloss is a constraint and not compared."""
    tree, case = known_tree("random_tree"), CASES["random_tree"]()
    robot, damping, _ = rubbing(case.robot)
    robot = robot.with_friction({name: (d, 0.0) for name, d in zip(robot.joint_names, damping, strict=True)})
    model = mujoco.MjModel.from_xml_string(to_mjcf(tree))
    model.opt.gravity[:] = tree.gravity
    addresses = [model.joint(name).dofadr[0] for name in robot.joint_names]
    places = [model.joint(name).qposadr[0] for name in robot.joint_names]
    model.dof_damping[addresses] = damping
    data, s = mujoco.MjData(model), random_states(robot.dof, COUNT, seed=483)
    expected = []
    for q, qd, tau in zip(s.q, s.qd, s.tau, strict=True):
        data.qpos[places], data.qvel[addresses], data.qfrc_applied[addresses] = q, qd, tau
        mujoco.mj_forward(model, data)
        expected.append(data.qacc[addresses].copy())
    assert_close(robot.forward_dynamics(s.q, s.qd, s.tau), np.array(expected), 1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_run(["ur5", "random_tree"], "random_tree"))
def test_derivatives_are_those_of_the_program(name: str) -> None:
    robot, damping, _ = rubbing(CASES[name]().robot)
    s = random_states(robot.dof, COUNT, seed=484)
    exact = robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    for by, whole in zip(("q", "qd", "qdd"), exact, strict=True):
        assert_close(whole, robot.inverse_dynamics.derivative(by)(s.q, s.qd, s.qdd), 1e-11)
    bare = CASES[name]().robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    assert_close(exact.d_qd - bare.d_qd, np.broadcast_to(np.diag(damping), exact.d_qd.shape), 1e-11)
    forward = robot.forward_dynamics_derivatives(s.q, s.qd, s.tau)
    assert_close(forward.d_qd, robot.forward_dynamics.derivative("qd")(s.q, s.qd, s.tau), 1e-8)


def test_coupled_joints_rub_each() -> None:
    robot, damping, friction = rubbing(maker("dense").robot)
    s = random_states(robot.dof, COUNT, seed=485)
    A = robot.model.coupling.matrix
    rates = s.qd @ A.T
    assert_close(robot.friction_forces(s.q, s.qd), (damping * rates + friction * np.sign(rates)) @ A)
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(
        tau - robot.without_friction().inverse_dynamics(s.q, s.qd, s.qdd), robot.friction_forces(s.q, s.qd), 1e-10
    )
    assert_close(robot.forward_dynamics(s.q, s.qd, tau), s.qdd, 1e-8)


@pytest.mark.parametrize("name", short_run(["ur5", "random_tree"], "random_tree"))
def test_linear_in_its_parameters(name: str) -> None:
    robot, _, _ = rubbing(CASES[name]().robot)
    s, pi = random_states(robot.dof, COUNT, seed=486), robot.standard_parameters()
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(robot.regressor(s.q, s.qd, s.qdd) @ pi.values, tau, 1e-11)
    assert_close(robot.momentum_regressor(s.q, s.qd) @ pi.values, robot.generalized_momentum(s.q, s.qd), 1e-11)
    assert_close(robot.kinetic_energy_regressor(s.q, s.qd) @ pi.values, robot.kinetic_energy(s.q, s.qd), 1e-11)
    base = robot.base_parameters()
    assert_close(base.columns(robot.regressor(s.q, s.qd, s.qdd)) @ (base.matrix @ pi.values), tau, 1e-10)
    assert robot.with_standard_parameters(2.0 * pi.values).friction_forces(s.q, s.qd) == pytest.approx(
        2.0 * robot.friction_forces(s.q, s.qd), rel=1e-14
    )


def test_damping_and_friction_as_inputs() -> None:
    """Batches of coefficients, state by state what the robots with them have; and exact derivatives by them."""
    robot = CASES["random_tree"]().robot
    joints, s = robot.joint_names, random_states(robot.dof, COUNT, seed=487)
    of_states = [coefficients(robot, seed) for seed in range(COUNT)]
    given = {f"{joint}.damping": np.array([d[k] for d, _ in of_states]) for k, joint in enumerate(joints)}
    given |= {f"{joint}.friction": np.array([c[k] for _, c in of_states]) for k, joint in enumerate(joints)}
    for function, last in ((algorithms.inverse_dynamics, s.qdd), (algorithms.forward_dynamics, s.tau)):
        varied = robot.compile(function, parameters=list(given))(s.q, s.qd, last, **given)
        for k, (damping, friction) in enumerate(of_states):
            one = robot.with_friction(dict(zip(joints, zip(damping, friction, strict=True), strict=True)))
            assert_close(
                varied[k : k + 1], plainly(one, function.name, s.q[k : k + 1], s.qd[k : k + 1], last[k : k + 1])
            )
    name, e = f"{joints[2]}.friction", np.eye(robot.dof)[2]
    assert_close(robot.inverse_dynamics.derivative(name)(s.q, s.qd, s.qdd), np.sign(s.qd[:, 2:3]) * e, 1e-15)


def test_operation_counts() -> None:
    """Armature and viscous friction take at most 4n operations beside the bare inverse dynamics."""
    for name in ("ur5", "random_tree"):
        bare = CASES[name]().robot
        joints = bare.joint_names
        full = bare.with_armature(dict.fromkeys(joints, 0.3)).with_friction(dict.fromkeys(joints, (0.5, 0.0)))
        counts = [robot.program(algorithms.inverse_dynamics).op_counts for robot in (bare, full)]
        assert counts[1].arithmetic - counts[0].arithmetic <= 4 * bare.dof


def test_at_rest_it_is_zero() -> None:
    robot, _, _ = rubbing(CASES["ur5"]().robot)
    rest = np.zeros(6)
    assert robot.friction_forces(rest, rest).tolist() == [0.0] * 6
    assert_close(robot.inverse_dynamics(rest, rest, rest)[None], robot.gravity_forces(rest)[None], 1e-15)


def test_actuators_replace_what_the_description_says() -> None:
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (1.0, 2.0)}).with_armature({"joint_1": 3.0})
    q, qd, qdd = np.zeros(2), np.array([0.5, -0.5]), np.ones(2)
    bare = armdyn.load("planar_2r").inverse_dynamics(q, qd, qdd)

    def added(actuator: Actuator | None) -> float:
        return float((robot.with_actuators({"joint_1": actuator}).inverse_dynamics(q, qd, qdd) - bare)[0])

    assert added(None) == pytest.approx(3.0 + 0.5 + 2.0)
    assert added(Actuator(Motor(), Gear())) == pytest.approx(3.0 + 0.5 + 2.0)
    assert added(Actuator(friction=Viscous(4.0))) == pytest.approx(3.0 + 2.0)
    assert added(Actuator(friction=())) == pytest.approx(3.0)
    assert added(Actuator(Motor(1e-3), Gear(-10.0))) == pytest.approx(0.1 + 0.5 + 2.0)
    assert added(Actuator(Motor(torque_constant=0.1), Gear(10.0))) == pytest.approx(3.0 + 0.5 + 2.0)  # no inertia
    assert added(Actuator(gear=Gear(10.0, inertia=2e-3))) == pytest.approx(0.2 + 0.5 + 2.0)
    assert added(Actuator(Motor(1e-3), Gear(10.0), [Viscous(4.0), Coulomb(7.0)])) == pytest.approx(0.1 + 2.0 + 7.0)


def test_a_motor_without_inertia_leaves_the_joint_its_armature() -> None:
    gear = Actuator(gear=Gear(50.0))
    assert gear.armature is None
    robot = armdyn.load("planar_2r").with_armature({"joint_1": 3.0}).with_actuators({"joint_1": gear})
    assert robot.model.joint("joint_1").armature == 3.0
    assert armdyn.Robot(armdyn.formats.urdf.read_urdf_text(robot.to_urdf())).model.joint("joint_1").armature == 3.0
    assert robot.with_actuators({"joint_1": None}).model.joint("joint_1").armature == 3.0
    assert robot.with_armature({"joint_1": 0.0}).model.joint("joint_1").armature == 0.0
    body = Actuator(gear=Gear(50.0), rotor=Rotor(inertia=1e-4))
    assert robot.with_actuators({"joint_1": body}).model.joint("joint_1").armature == 0.0  # the body has it


def test_taken_away_and_pickled() -> None:
    robot = armdyn.load("planar_2r")
    driven = robot.with_actuators({"joint_2": Actuator(Motor(1e-3), Gear(10.0), Coulomb(7.0))})
    assert driven != robot
    assert driven.with_actuators({"joint_2": None}) == robot
    assert pickle.loads(pickle.dumps(driven)) == driven  # noqa: S301
    bare = driven.without_friction()
    assert bare.friction_forces([0, 0], [1, 1]).tolist() == [0.0, 0.0]
    assert bare.mass_matrix([0, 0])[1, 1] == driven.mass_matrix([0, 0])[1, 1]


def test_energy_that_friction_takes_is_in_the_account() -> None:
    """A pendulum with viscous friction: K + P + what damping took stays what it was."""
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.8, 0.0), "joint_2": (0.3, 0.0)})
    for method in ("adaptive", "rk4", "variational"):
        fall = armdyn.simulate(robot, [0.3, 0.2], [1.0, -2.0], duration=1.0, method=method)
        taken = np.trapezoid((fall.qd**2) @ [0.8, 0.3], fall.t)
        assert fall.energy.work[-1] == pytest.approx(-taken, rel=1e-4)
        assert fall.energy.relative_drift[-1] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda r: r.with_friction({"joint_1": (-1.0, 0.0)}), ModelError, "friction of joint 'joint_1' is -1"),
        (lambda r: r.with_friction({"joint_1": 1.0}), ShapeError, r"expected \(2,\), .*\(damping, friction\)"),
        (lambda r: r.with_friction({"joint_1": (np.nan, 0.0)}), ModelError, "friction of joint 'joint_1'"),
        (lambda r: r.with_friction({"elbow": (1.0, 0.0)}), UnknownName, "no joint 'elbow'"),
        (lambda r: r.with_friction([1.0]), ModelError, r"frictions are \[1.0\]; expected a mapping"),
        (lambda r: r.with_actuators({"joint_1": Coulomb(1.0)}), DTypeError, "actuator of joint 'joint_1' is Coulomb"),
        (lambda r: r.with_actuators({"elbow": None}), UnknownName, "no joint 'elbow'"),
        (lambda r: Actuator(Gear(3.0)), DTypeError, r"motor is Gear\(.*; expected an armdyn.actuators.Motor"),
        (lambda r: Actuator(friction=[0.5]), DTypeError, "friction of Actuator has 0.5; expected laws"),
        (
            lambda r: Actuator(),
            ModelError,
            r"Actuator has no parts; expected a motor, a gear, .* give None in its place",
        ),
        (lambda r: Actuator(rotor=[], stator=()), ModelError, "Actuator has no parts"),
        (lambda r: Stator(), ModelError, "Stator has no mass and no inertia"),
        (lambda r: Gear(1e-101), ModelError, "ratio of Gear is 1e-101; expected the turns of the motor"),
        (lambda r: Gear(0.0), ModelError, "ratio of Gear is 0"),
        (lambda r: Motor(-1e-5), ModelError, "rotor_inertia of Motor is -1e-05"),
        (lambda r: Coulomb(-2.0), ModelError, "size of Coulomb is -2"),
        (lambda r: Viscous(np.inf), ModelError, "coefficient of Viscous is inf"),
        (lambda r: Coulomb(size="big"), ModelError, "size of Coulomb is 'big'"),
        (
            lambda r: r.compile(algorithms.inverse_dynamics, parameters=["link_1.damping"]),
            UnknownName,
            "joint_1.damping",
        ),
    ],
)
def test_what_makes_no_sense_is_named(wrong: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        wrong(armdyn.load("planar_2r"))


class Parabola(FrictionLaw):
    """A law of a user's own."""

    def force(self, rate: object, load: object) -> object:
        return rate * abs(rate)

    def slopes(self, rate: object, load: object) -> object:
        return armdyn.actuators.Slopes(2.0 * abs(rate), 0.0)

    def breakaway(self, load: object) -> float:
        return 0.0

    def __repr__(self) -> str:
        return "Parabola()"


def test_a_law_of_ones_own_is_one_class() -> None:
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=Parabola())})
    s = random_states(2, COUNT, seed=488)
    assert_close(robot.friction_forces(s.q, s.qd), np.stack([0 * s.qd[:, 1], s.qd[:, 1] * abs(s.qd[:, 1])], axis=1))
    exact = robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    assert_close(exact.d_qd, robot.inverse_dynamics.derivative("qd")(s.q, s.qd, s.qdd), 1e-12)
