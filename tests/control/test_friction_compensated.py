"""Friction that is overcome around a controller: accelerations are those of the arm without friction."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, ServoFriction, Spring, Stribeck, Viscous, write
from armdyn.base.errors import ArmdynError
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words
from oracles.states import assert_close

M4 = ServoFriction(0.1, 0.05, 0.2, 0.3, 1.3, 0.1, 0.1, 0.05, 0.05)
M6 = ServoFriction(0.1, 0.05, 0.2, 0.3, 1.3, 0.1, 0.2, 0.05, 0.1, external_quadratic=0.01)
DRIVES: dict[str, Actuator] = {
    "speeds": Actuator(friction=(Viscous(0.7), Coulomb(1.5), Stribeck(0.6, 0.4, 0.2))),
    "gears": Actuator(Motor(2e-5), Gear(80.0, efficiency=0.8, back_efficiency=0.6), Viscous(0.3)),
    "M4": Actuator(Motor(2e-5), Gear(80.0), M4),
    "M6": Actuator(Motor(2e-5), Gear(80.0), M6),
}
CONTROLLERS: dict[str, Any] = {
    "operational_space": control.operational_space,
    "impedance": control.impedance,
    "admittance": control.admittance,
    "pd_gravity": control.pd_gravity,
}


def given(robot: armdyn.Robot, controller: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of a controller with general values."""
    named = {
        "q": rng.uniform(0.3, 1.0, robot.dof),
        "qd": rng.choice([-1.0, 1.0], robot.dof) * rng.uniform(0.2, 1.5, robot.dof),
        "T_ref": robot.forward_kinematics(rng.uniform(0.3, 1.0, robot.dof)),
        "h": 1e-3,
    }
    sizes = {"n": robot.dof, "task": 6}
    return {
        a.name: named.get(a.name, rng.uniform(5.0, 20.0, [sizes.get(str(d), d) for d in a.shape]))  # type: ignore[misc]
        for a in controller.arguments
        if not a.optional
    }


@pytest.mark.short_run("speeds-impedance", "gears-admittance", "M6-pd_gravity")
@pytest.mark.parametrize("name", CONTROLLERS)
@pytest.mark.parametrize("drive", DRIVES)
def test_accelerations_are_those_without_friction(name: str, drive: str) -> None:
    """Of the arm with its rotors, over revolute and sliding joints."""
    robot, rng = armdyn.load("stanford"), np.random.default_rng(7)
    rubs = robot.with_actuators(dict.fromkeys(robot.joint_names, DRIVES[drive]))
    inside = CONTROLLERS[name]
    inputs = given(robot, inside, rng)
    alone = rubs.compile(inside)(**inputs)
    found = rubs.compile(control.friction_compensated(inside))(**inputs)
    tau, wanted = (np.asarray(getattr(one, "tau", one)) for one in (found, alone))
    q, qd = inputs["q"], inputs["qd"]
    assert abs(tau - wanted).min() > 1e-3
    assert_close(rubs.forward_dynamics(q, qd, tau), rubs.without_friction().forward_dynamics(q, qd, wanted))


def test_an_arm_moves_as_one_without_friction() -> None:
    """In a loop, while no joint stops; without compensation it is elsewhere."""
    robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    rubs = robot.with_friction(dict.fromkeys(robot.joint_names, (2.0, 0.0)))
    T = robot.forward_kinematics(q0 + 0.1)
    aim = {"T_ref": T, "Kp": np.full(6, 40.0), "Kd": np.full(6, 12.0)}
    ends = [
        armdyn.ClosedLoop(arm, one)(q0, np.full(6, 0.2), steps=300, **aim).final.q
        for arm, one in (
            (robot, control.operational_space),
            (rubs, control.friction_compensated(control.operational_space)),
            (rubs, control.operational_space),
        )
    ]
    assert_close(ends[1], ends[0])
    assert abs(ends[2] - ends[0]).max() > 1e-3


def test_the_friction_of_the_reference() -> None:
    """It is that of other velocities, and gets a joint going that sticks."""
    robot = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    of_reference = control.friction_compensated(control.pd_gravity, velocities="qd_ref")
    still, aim = np.zeros(2), {"q_ref": np.zeros(2), "Kp": np.ones(2), "Kd": np.zeros(2)}
    ways = np.array([0.3, -0.4])
    tau = robot.compile(of_reference)(q=still, qd=still, qd_ref=ways, **aim).tau
    alone = robot.compile(control.pd_gravity)(q=still, qd=still, qd_ref=ways, **aim)
    assert_close(tau - alone, robot.friction_forces(still, ways))
    at_rest = robot.compile(control.friction_compensated(control.pd_gravity))(q=still, qd=still, qd_ref=ways, **aim)
    np.testing.assert_array_equal(at_rest.tau, alone)


def test_an_arm_without_friction_is_as_it_is() -> None:
    robot = armdyn.load("planar_2r")
    programs = [
        robot.compile(one).program() for one in (control.pd_gravity, control.friction_compensated(control.pd_gravity))
    ]
    assert programs[0].nodes == programs[1].nodes


def test_around_a_controller_of_another_model() -> None:
    """Computed torque of a model without friction, and the friction beside it, are computed torque."""
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.5, 2.0)})
    unaware = control.with_model(control.computed_torque, robot.without_friction())
    rng = np.random.default_rng(3)
    inputs = {
        name: rng.uniform(0.5, 2.0, 2) for name in ("q", "qd", "integral", "q_ref", "qd_ref", "qdd_ref", "Kp", "Kd")
    }
    inputs["h"] = np.array(1e-3)
    one, other = (robot.compile(c)(**inputs) for c in (control.friction_compensated(unaware), control.computed_torque))
    assert_close(np.asarray(getattr(one, "tau", one)), np.asarray(getattr(other, "tau", other)))


def test_it_nests_and_pickles() -> None:
    around = control.saturated(control.friction_compensated(control.sampled(control.pid, 2), "qd_ref"), 30.0)
    assert around.name == "saturated_friction_compensated_sampled_pid"
    assert pickle.loads(pickle.dumps(around)).arguments == around.arguments  # noqa: S301


def test_in_a_scenario(tmp_path: Path) -> None:
    arm, q0 = armdyn.load("planar_2r"), np.array([0.3, 0.4])
    drives = {"joint_1": Actuator(friction=Viscous(0.8))}
    write(drives, tmp_path / "drives.yaml")
    (tmp_path / "motion.yaml").write_text("""\
robot: planar_2r
actuators: drives.yaml
q0: [0.3, 0.4]
duration: 0.1
method: rk4
method.step: 1e-3
controller: [pd_gravity, {friction_compensated: {velocities: qd_ref}}]
inputs: {q_ref: 0.5, qd_ref: 0.2, Kp: 30, Kd: 4}
""")
    words = Words.read(tmp_path / "motion.yaml")
    found = MotionSettings.of(words, words.robot()).simulate()
    controller = control.friction_compensated(control.pd_gravity, "qd_ref")
    loop = armdyn.ClosedLoop(arm.with_actuators(drives), controller, method=armdyn.simulation.RungeKutta4(1e-3))
    aim = {"q_ref": np.full(2, 0.5), "qd_ref": np.full(2, 0.2), "Kp": np.full(2, 30.0), "Kd": np.full(2, 4.0)}
    assert_close(found.q[-1], loop(q0, steps=100, **aim).final.q)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.friction_compensated(control.computed_torque), "computed_torque overcomes friction itself"),
        (lambda: control.friction_compensated(control.sampled(control.hybrid_motion_force, 2)), "counted twice"),
        (lambda: control.friction_compensated(control.friction_compensated(control.pid)), "counted twice"),
        (
            lambda: (
                armdyn.load("planar_2r")
                .with_actuators({"joint_1": DRIVES["gears"]})
                .with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
                .compile(control.friction_compensated(control.pd_gravity))
                .program()
            ),
            "which its constraints share in",
        ),
        (lambda: control.friction_compensated(control.pd_gravity, "qd_reff"), "Did you mean 'qd_ref'"),
        (lambda: control.friction_compensated(control.pd_gravity, "q"), "no argument 'q' in pd_gravity"),
        (lambda: control.friction_compensated(np.sin), "not a declared function"),
        (
            lambda: (
                armdyn.load("planar_2r")
                .with_actuators({"joint_1": Actuator(Motor(1e-4), Gear(50.0), Viscous(1.0), spring=Spring(900.0))})
                .compile(control.friction_compensated(control.pd_gravity))
                .program()
            ),
            "flexible joints is that of their rotors",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ArmdynError, match=message):
        make()
