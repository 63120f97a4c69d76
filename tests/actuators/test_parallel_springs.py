"""Springs in parallel with drives: beside MuJoCo, SymPy's Lagrangian, closed forms and identities."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Balancer, Gear, GearLoss, JointSpring, Motor, ParallelSpring, vibration_modes
from armdyn.base.errors import DTypeError, ModelError, UnknownName, Unsupported
from armdyn.simulation import SaveAt, named_method

RNG = np.random.default_rng(40)
SPRINGS = {
    "joint_1": JointSpring(12.0, 0.5),
    "joint_2": JointSpring(3.0, -0.2, quadratic=0.5, cubic=0.7),
}

ARM = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body> <joint name="a" axis="0 1 0.3" stiffness="12 0.7 0.2" springref="-0.4" ref="0.3" damping="0.2"/>
      <inertial pos="0.1 0.02 0" mass="1" diaginertia="0.01 0.05 0.05"/>
      <body pos="0.25 0 0"> <joint name="b" type="slide" axis="1 0 0" stiffness="40" springref="0.05"/>
        <inertial pos="0.08 0 0.01" mass="0.5" diaginertia="0.005 0.02 0.02"/>
        <body pos="0.2 0 0"> <joint name="c" axis="0 1 0" springdamper="0.2 0.5"/>
          <inertial pos="0.05 0 0.03" mass="0.3" diaginertia="0.002 0.01 0.01"/> </body> </body> </body>
  </worldbody>
</mujoco>
"""

BALANCED = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <site name="tower" pos="-0.25 0.11 0.4"/>
    <body pos="0.1 0 0.3"> <joint name="a" axis="0 1 0"/> <inertial pos="0.3 0 0.1" mass="4" diaginertia="0.1 0.2 0.2"/>
      <site name="boom" pos="0.15 -0.04 0.05"/> </body>
  </worldbody>
  <tendon> <spatial name="spring" stiffness="700" springlength="0.1"> <site site="tower"/> <site site="boom"/>
  </spatial> </tendon>
</mujoco>
"""


def sprung_arm() -> armdyn.Robot:
    return armdyn.load("planar_2r").with_parallel_springs(SPRINGS)


def sprung_ur5() -> tuple[armdyn.Robot, armdyn.Robot, dict[str, JointSpring]]:
    bare = armdyn.load("ur5")
    numbers = np.random.default_rng(1).uniform(0.2, 5.0, (6, 4))
    springs = {name: JointSpring(*row) for name, row in zip(bare.joint_names, numbers, strict=True)}
    return bare, bare.with_parallel_springs(springs), springs


@pytest.fixture
def mjcf(tmp_path: Path) -> Any:
    def written(text: str) -> str:
        path = tmp_path / "arm.xml"
        path.write_text(text)
        return str(path)

    return written


def test_dynamics_are_mujocos(mjcf: Any) -> None:
    import mujoco

    path = mjcf(ARM)
    robot = armdyn.load(path)
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    for q, qd, tau in RNG.uniform(-1.0, 1.0, (5, 3, 3)):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
        mujoco.mj_forward(model, data)
        passive = -robot.parallel_spring_forces(q) - robot.friction_forces(q, qd)
        np.testing.assert_allclose(passive, data.qfrc_passive, rtol=1e-12, atol=1e-12)
        scale = np.abs(data.qacc).max()
        np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), data.qacc, rtol=0, atol=1e-12 * scale)


def test_switched_off_springs_are_none(mjcf: Any) -> None:
    text = ARM.replace("<compiler", '<option> <flag spring="disable"/> </option> <compiler')
    assert not armdyn.load(mjcf(text)).model.parallel_springs


def test_negative_stiffness_is_refused_by_name(mjcf: Any) -> None:
    with pytest.raises(Unsupported, match=r"negative stiffness on joint 'b' \(arm.xml:7"):
        armdyn.load(mjcf(ARM.replace('stiffness="40"', 'stiffness="-40"')))


def test_balancer_is_mujocos_tendon(mjcf: Any) -> None:
    import mujoco

    model = mujoco.MjModel.from_xml_string(BALANCED)
    data = mujoco.MjData(model)
    joint = armdyn.load(mjcf(BALANCED.replace(BALANCED[BALANCED.index("  <tendon") :], "</mujoco>"))).model.joint("a")
    spring = Balancer.between(joint, [-0.25, 0.11, 0.4], [0.15, -0.04, 0.05], 700.0, free_length=0.1)
    assert joint.placement[:3, 3].any()
    for q in RNG.uniform(-3.0, 3.0, 6):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(spring.length(q), data.ten_length[0], rtol=1e-12)
        np.testing.assert_allclose(-spring.force(q), data.qfrc_passive[0], rtol=1e-12)


@pytest.mark.parametrize(
    "spring",
    [
        JointSpring(3.0, -0.2, quadratic=0.5, cubic=0.7),
        Balancer(700.0, 0.36, 0.16, 0.4),
        Balancer(700.0, 0.36, 0.16, 0.4, free_length=0.1, preload=-30.0, offset=0.15),
        Balancer(0.0, 0.2, 0.2, preload=90.0, offset=0.05),
    ],
)
def test_force_and_slope_are_derivatives_of_the_energy(spring: ParallelSpring) -> None:
    import mpmath

    exact = {name: mpmath.mpf(value) for name, value in spring.numbers.items()}
    with mpmath.workdps(40):
        for q in (-1.3, 0.2, 2.4):
            if isinstance(spring, JointSpring):

                def energy(x: Any) -> Any:
                    e = x - exact["rest"]
                    powers = ((exact["stiffness"], 2), (exact["quadratic"], 3), (exact["cubic"], 4))
                    return sum(c * e**p / p for c, p in powers)
            else:

                def energy(x: Any) -> Any:
                    a, b, c = exact["parent_radius"], exact["child_radius"], exact["offset"]
                    length = mpmath.sqrt(a * a + b * b + c * c - 2 * a * b * mpmath.cos(x - exact["aligned"]))
                    pull = exact["preload"] - exact["stiffness"] * exact["free_length"]
                    return pull * length + exact["stiffness"] * length**2 / 2

            assert spring.energy(q) == pytest.approx(float(energy(q)), rel=1e-13)
            assert spring.force(q) == pytest.approx(float(mpmath.diff(energy, q)), rel=1e-12)
            assert spring.slope(q) == pytest.approx(float(mpmath.diff(energy, q, 2)), rel=1e-12)


def test_zero_free_length_balances_in_every_position() -> None:
    pendulum = armdyn.load("planar_2r").with_locked({"joint_2": 0.0})
    weight = pendulum.gravity_forces([0.0])[0]
    arm = pendulum.with_parallel_springs({"joint_1": Balancer(weight / 0.06, 0.3, 0.2, aligned=np.pi / 2)})
    q = np.linspace(-3.0, 3.0, 7)[:, None]
    np.testing.assert_allclose(arm.bias_forces(q, 0.0 * q), 0.0, atol=1e-13 * weight)
    np.testing.assert_allclose(np.ptp(arm.potential_energy(q)), 0.0, atol=1e-13 * weight)


def test_springs_add_to_every_function_of_the_dynamics() -> None:
    bare, robot, springs = sprung_ur5()
    q, qd, qdd = RNG.uniform(-1.0, 1.0, (3, 6))
    s = np.array([spring.force(x) for spring, x in zip(springs.values(), q, strict=True)])
    close: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-11}
    np.testing.assert_allclose(robot.parallel_spring_forces(q), s, rtol=1e-14)
    tau = bare.inverse_dynamics(q, qd, qdd) + s
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, **close)
    np.testing.assert_allclose(robot.bias_forces(q, qd), bare.bias_forces(q, qd) + s, **close)
    np.testing.assert_array_equal(robot.gravity_forces(q), bare.gravity_forces(q))
    np.testing.assert_array_equal(robot.velocity_forces(q, qd), bare.velocity_forces(q, qd))
    for method in ("articulated", "mass_matrix"):
        found = robot.forward_dynamics(q, qd, tau, method=method)
        np.testing.assert_allclose(found, bare.forward_dynamics(q, qd, tau - s, method=method), **close)
    lower, upper = robot.holding_forces(q)
    np.testing.assert_allclose(lower, bare.gravity_forces(q) + s, **close)
    np.testing.assert_array_equal(lower, upper)
    stiffness = np.diag([spring.slope(x) for spring, x in zip(springs.values(), q, strict=True)])
    by_q = robot.inverse_dynamics_derivatives(q, qd, qdd).d_q
    np.testing.assert_allclose(by_q, bare.inverse_dynamics_derivatives(q, qd, qdd).d_q + stiffness, **close)
    task, without = robot.task_space(q, qd), bare.task_space(q, qd)
    np.testing.assert_allclose(task.p, without.p + np.linalg.solve(bare.jacobian(q).T, s), rtol=1e-9)
    pi = robot.standard_parameters()
    assert pi.left_out == tuple(f"{name}: JointSpring" for name in springs)
    np.testing.assert_allclose(robot.regressor(q, qd, qdd) @ pi.values + s, tau, **close)


def test_gradient_of_the_potential_energy() -> None:
    coupled = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_1", -2.0, 0.3)})
    robot = coupled.with_parallel_springs({"joint_3": JointSpring(7.0, 0.2, cubic=3.0), "joint_2": (5.0, -0.1)})
    q = RNG.uniform(-1.0, 1.0, (4, 2))
    gradient = robot.potential_energy.derivative("q")(q)
    forces = robot.gravity_forces(q) + robot.parallel_spring_forces(q)
    np.testing.assert_allclose(gradient, forces, rtol=1e-12, atol=1e-12)
    e = -2.0 * q[:, 0] + 0.3 - 0.2
    np.testing.assert_allclose(robot.parallel_spring_forces(q)[:, 0], -2.0 * (7.0 * e + 3.0 * e**3), rtol=1e-12)


@pytest.mark.parametrize("form", ["lagrange", "newton-euler"])
def test_derivation(form: str) -> None:
    robot, (q, qd, qdd) = sprung_arm(), RNG.uniform(-1.0, 1.0, (3, 2))
    found = armdyn.derive(robot, form, symbols="all")
    assert "k₁·(-r₁ + q₁)" in found.text("g")
    np.testing.assert_allclose(found.function()(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    with pytest.raises(Unsupported, match="Balancer"):
        armdyn.derive(robot.with_parallel_springs({"joint_1": Balancer(9.0, 0.2, 0.1)}), form)


def test_load_of_a_gear_is_what_its_drive_transmits() -> None:
    drive = Actuator(Motor(rotor_inertia=1e-5), Gear(50.0, efficiency=0.7, back_efficiency=0.6))
    geared = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    robot, (q, qd, qdd) = geared.with_parallel_springs(SPRINGS), RNG.uniform(-1.0, 1.0, (3, 2))
    tau = robot.inverse_dynamics(q, qd, qdd)
    loads = armdyn.load("planar_2r").with_parallel_springs(SPRINGS).inverse_dynamics(q, qd, qdd)
    law = GearLoss(0.7, back_efficiency=0.6)
    losses = [law.force(rate, load) for rate, load in zip(qd, loads, strict=True)]
    np.testing.assert_allclose(tau, loads + losses + 50.0**2 * 1e-5 * qdd, rtol=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), qdd, rtol=1e-10)
    np.testing.assert_allclose(robot.friction_forces(q, qd, qdd), losses, rtol=1e-12)


def test_within_constraints() -> None:
    loop = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1.2, 0, 0), name="channel")
    bare = armdyn.load("planar_3r").with_constraints(loop)
    robot = bare.with_parallel_springs({"joint_2": SPRINGS["joint_2"]})
    q = bare.close_loop([0.4, 0.9, 0.5])
    qd = bare.close_velocities(q, [0.3, -0.4, 0.2])
    tau, s = RNG.uniform(-1.0, 1.0, 3), robot.parallel_spring_forces(q)
    found, expected = robot.constrained_forward_dynamics(q, qd, tau), bare.constrained_forward_dynamics(q, qd, tau - s)
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.multipliers, expected.multipliers, rtol=1e-12, atol=1e-12)


def test_a_link_on_a_spring_swings_in_closed_form() -> None:
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_locked({"joint_2": 0.3})
    k, w = 20.0, float(np.sqrt(20.0 / arm.mass_matrix([0.0])[0, 0]))
    robot = arm.with_parallel_springs({"joint_1": (k, 0.2)})
    motion = armdyn.simulate(robot, [0.9], [0.5], duration=3.0, save=SaveAt(every=0.1))
    t = motion.t
    np.testing.assert_allclose(motion.q[:, 0], 0.2 + 0.7 * np.cos(w * t) + 0.5 / w * np.sin(w * t), atol=1e-8)
    np.testing.assert_allclose(
        motion.energy.kinetic + motion.energy.potential, motion.energy.kinetic[0] + 0.5 * k * 0.49
    )
    np.testing.assert_allclose(vibration_modes(robot, [0.2]).frequencies, [w], rtol=1e-12)
    np.testing.assert_allclose(
        vibration_modes(robot, [0.2], rotors="held").links, [[1.0 / np.sqrt(k / w**2)]], rtol=1e-12
    )


@pytest.mark.parametrize("method", ["rk4", "variational", "semi_implicit_euler", "heun"])
def test_energy_is_kept_by_fixed_steps(method: str) -> None:
    motion = armdyn.simulate(sprung_arm(), [0.4, -0.3], duration=1.0, method=named_method(method, step=2e-4))
    total = motion.energy.kinetic + motion.energy.potential
    kept = {"rk4": 1e-9, "variational": 1e-4, "heun": 1e-5, "semi_implicit_euler": 2e-2}[method]
    assert np.ptp(total) < kept * np.ptp(motion.energy.kinetic)


def test_closed_loops_and_studied_numbers() -> None:
    robot = sprung_arm()
    loop = armdyn.ClosedLoop(robot, armdyn.control.pd_gravity)
    rolled = loop([0.1, 0.2], steps=4000, q_ref=[0.4, -0.3], Kp=[60.0, 30.0], Kd=[25.0, 8.0])
    np.testing.assert_allclose(rolled.final.q, [0.4, -0.3], atol=1e-3)  # no offset by the springs
    q, qd, tau = RNG.uniform(-1.0, 1.0, (3, 2))
    name = "joint_1.parallel_spring.stiffness"
    varied = robot.compile(armdyn.algorithms.forward_dynamics, parameters=[name])
    np.testing.assert_array_equal(
        varied(q, qd, tau, joint_1_parallel_spring_stiffness=12.0), robot.forward_dynamics(q, qd, tau)
    )
    by = varied.derivative(name)(q, qd, tau, joint_1_parallel_spring_stiffness=12.0)
    column = -robot.inverse_mass_matrix(q)[:, 0] * (q[0] - 0.5)
    np.testing.assert_allclose(by, column, rtol=1e-12)


def test_momentum_observer_has_no_residual_from_springs() -> None:
    robot = sprung_arm()
    watched = armdyn.control.momentum_observer(armdyn.control.pd_gravity)
    loop = armdyn.ClosedLoop(robot, watched, record=["residual"])
    gains = {"q_ref": np.array([0.4, -0.3]), "Kp": [60.0, 30.0], "Kd": [25.0, 8.0], "K_observer": [20.0, 20.0]}
    rolled = loop([0.1, 0.2], steps=2000, **gains)
    assert np.abs(rolled.rows.residual[-1]).max() < 2e-3  # springs hold 2.6 N m


@dataclass(frozen=True)
class Detent(ParallelSpring):
    size: float

    def force(self, position: Any) -> Any:
        return self.size * np.sin(6.0 * position)

    def slope(self, position: Any) -> Any:
        return 6.0 * self.size * np.cos(6.0 * position)

    def energy(self, position: Any) -> Any:
        return self.size / 6.0 * (1.0 - np.cos(6.0 * position))


def test_springs_of_ones_own() -> None:
    robot = armdyn.load("planar_2r").with_parallel_springs({"joint_2": [Detent(2.0), JointSpring(3.0)]})
    assert list(robot.model.parallel_springs) == ["joint_2.parallel_spring_1", "joint_2.parallel_spring_2"]
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(robot.parallel_spring_forces(q), [0.0, 2.0 * np.sin(2.4) + 1.2], rtol=1e-14)
    with pytest.raises(Unsupported, match="no file can name"):
        robot.to_urdf()


def test_urdf_holds_them(tmp_path: Path) -> None:
    balancer = Balancer(900.0, 0.3, 0.2, free_length=0.1, preload=3.0)
    robot = armdyn.load("planar_2r").with_parallel_springs(
        {"joint_1": [balancer, JointSpring(0.0, cubic=3.0)], "joint_2": (1.0 / 3.0, -0.2)}
    )
    path = tmp_path / "arm.urdf"
    with pytest.warns(armdyn.DescriptionWarning, match="springs of 'joint_1', 'joint_2' stand in <armdyn> alone"):
        robot.to_urdf(path)
    assert armdyn.load(str(path)) == robot
    text = path.read_text().replace('<balancer stiffness="900.0"', '<balancer stiffness="-900.0"')
    path.write_text(text)
    with pytest.raises(ModelError, match=r"<balancer> stiffness of Balancer is -900"):
        armdyn.load(str(path))
    for write in (robot.to_screws, robot.to_zero_reference, lambda: robot.to_dh(convention="modified")):
        with pytest.raises(Unsupported, match="spring in parallel with its drive"):
            write()


def test_other_robots_keep_them() -> None:
    robot = armdyn.load("planar_3r").with_parallel_springs({"joint_2": (5.0, 0.1), "joint_3": (7.0, 0.2)})
    assert list(robot.with_locked({"joint_3": 0.4}).model.parallel_springs) == ["joint_2.parallel_spring"]
    turned = robot.with_joint_order(["joint_3", "joint_1", "joint_2"])
    np.testing.assert_array_equal(
        turned.parallel_spring_forces([0.4, 0.0, 0.3]), [7.0 * (0.4 - 0.2), 0.0, 5.0 * (0.3 - 0.1)]
    )
    assert robot.with_parallel_springs({"joint_2": None, "joint_3": None}) == armdyn.load("planar_3r")
    assert robot.without_parallel_springs() == armdyn.load("planar_3r")
    assert robot != armdyn.load("planar_3r")


@pytest.mark.parametrize(
    ("springs", "error", "message"),
    [
        ({"joint_9": (1.0, 0.0)}, UnknownName, "no joint 'joint_9'"),
        ({"joint_1": (-1.0, 0.0)}, ModelError, "stiffness of JointSpring is -1.*not smaller than 0|stiffness.*-1"),
        ({"joint_1": (1.0, np.nan)}, ModelError, "rest of JointSpring is nan"),
        ({"joint_1": 3.0}, DTypeError, r"springs of joint 'joint_1' are 3.0; expected \(stiffness, rest\)"),
        ({"joint_1": (1.0, 2.0, 3.0)}, DTypeError, "expected"),
        ([1.0], ModelError, "a mapping from joints"),
    ],
)
def test_bad_springs(springs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        armdyn.load("planar_2r").with_parallel_springs(springs)


def test_balancers_that_make_no_sense() -> None:
    with pytest.raises(ModelError, match="has no direction there"):
        Balancer(100.0, 0.2, 0.2, free_length=0.1)
    with pytest.raises(ModelError, match="slides; a balancer between points"):
        Balancer.between(armdyn.load("rp").model.joint("joint_2"), [0, 0, 0.1], [0, 0, 0.2], 100.0)
    with pytest.raises(ModelError, match=r"joint 'joint_2' is prismatic.*give it a JointSpring"):
        armdyn.load("rp").with_parallel_springs({"joint_2": Balancer(100.0, 0.2, 0.1)})


def test_modes_that_do_not_vibrate() -> None:
    with pytest.raises(ModelError, match="push away from this position"):
        vibration_modes(armdyn.load("planar_2r").with_parallel_springs({"joint_1": Detent(2.0)}), [0.5, 0.0])
    with pytest.raises(ModelError, match="with_parallel_springs"):
        vibration_modes(armdyn.load("planar_2r"), [0.5, 0.0])


def test_fits_refuse_them() -> None:
    robot = sprung_arm()
    t = np.linspace(0.0, 4.0, 2001)
    q = np.stack([np.sin(t), np.cos(1.3 * t)], axis=-1)
    log = armdyn.logs.Log(t=t, q=q, tau=q, joint_names=robot.joint_names, name="run")
    with pytest.raises(armdyn.ArmdynError, match=r"joint_1.parallel_spring, joint_2.parallel_spring.*take their"):
        armdyn.identify(robot, [log])
