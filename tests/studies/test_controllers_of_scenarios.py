"""Controllers of scenarios: sliding joints, poses in space, measured forces, constraints, motors, as by calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, write
from armdyn.base.errors import ArmdynError, MissingInput
from armdyn.constraints import PointOnPlane
from armdyn.simulation import RungeKutta4
from armdyn.studies import Scenario
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

STEPS, STEP = 25, 2e-3
START = f"duration: {STEPS * STEP}\nmethod: rk4\nmethod.step: {STEP}\n"
STANFORD, PLANAR = armdyn.load("stanford"), armdyn.load("planar_3r")
Q_STANFORD = np.array([0.2, -1.0, 0.4, 0.3, 0.8, -0.5])
Q_PLANAR = np.array([0.3, -0.2, 0.4])
M = STANFORD.mass_matrix(Q_STANFORD).diagonal()
POSE = STANFORD.forward_kinematics(Q_STANFORD + 0.05)
IN_PLANE = PLANAR.forward_kinematics(Q_PLANAR + 0.05)
PUSH = np.array([0.0, 0.0, 0.3, 2.0, -3.0, 0.0])
WALL = PointOnPlane("tip", (1, 0, 0), (0.8, 0, 0), name="wall")
ON_WALL = PLANAR.with_constraints(WALL)
Q_WALL = ON_WALL.close_loop([0.5, 1.0, 0.3])
STIFF = {"Kp": np.full(2, 900.0), "Kd": np.full(2, 60.0)}

CASES: dict[str, Any] = {
    "a sliding joint": (
        STANFORD,
        Q_STANFORD,
        "controller: pid\nrecord: [integral]\n",
        control.pid,
        {"q_ref": Q_STANFORD + 0.1, "qd_ref": np.zeros(6), "Kp": 100 * M, "Ki": np.full(6, 0.02), "Kd": 20 * M},
        ["integral"],
    ),
    "a pose in space": (
        STANFORD,
        Q_STANFORD,
        "controller: operational_space\n",
        control.operational_space,
        {"T_ref": POSE, "Kp": np.full(6, 100.0), "Kd": np.full(6, 20.0), "V_ref": 0.1 * np.arange(6.0)},
        [],
    ),
    "admittance": (
        PLANAR,
        Q_PLANAR,
        "controller: [{admittance: {components: [vx, vy]}}]\nrecord: [shift]\n",
        control.with_options(control.admittance, components=("vx", "vy")),
        {
            **{"T_ref": IN_PLANE, "f_measured": PUSH, "f_tip": PUSH, **STIFF},
            **{"M_virtual": np.full(3, 2.0), "B": np.full(3, 90.0), "K": np.full(3, 1000.0)},
        },
        ["shift"],
    ),
    "hybrid motion and force": (
        ON_WALL,
        Q_WALL,
        "constraints: {wall: {point_on_plane: {frame: tip, normal: [1, 0, 0], through: [0.8, 0, 0]}}}\n"
        "controller: hybrid_motion_force\nrecord: [force_integral]\n",
        control.hybrid_motion_force,
        {
            **{"q_ref": Q_WALL + 0.05, "qd_ref": np.zeros(3), "qdd_ref": np.zeros(3)},
            **{"Kp": np.full(3, 100.0), "Kd": np.full(3, 20.0), "multipliers_ref": np.array([30.0])},
            **{"multipliers_measured": np.array([25.0]), "Ki_force": np.array([2.0])},
        },
        ["force_integral"],
    ),
}


def read(text: str, folder: Path) -> MotionSettings:
    path = folder / "motion.yaml"
    path.write_text(text)
    words = Words.read(path)
    return MotionSettings.of(words, words.robot())


def inputs_of(values: dict[str, Any]) -> str:
    lists = {name: np.asarray(value).tolist() for name, value in values.items()}
    wrench = f"f_tip: {lists.pop('f_tip')}\n" if "f_tip" in lists else ""
    return wrench + "inputs: {" + ", ".join(f"{name}: {value}" for name, value in lists.items()) + "}\n"


def same(motion: armdyn.Trajectory, rolled: Any, signals: list[str]) -> None:
    """A motion and a rollout that recorded the same."""
    rows = rolled.rows._asdict()
    np.testing.assert_allclose(motion.q, [*rows["q"], rolled.final.q], rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.qd, [*rows["qd"], rolled.final.qd], rtol=0, atol=1e-12)
    for name in signals:
        expected = rows[name].reshape(STEPS, -1)
        np.testing.assert_allclose(motion.signals[name][:-1], expected, rtol=0, atol=1e-12 * (1 + abs(expected).max()))
        assert abs(expected).max() > 1e-4
    assert abs(motion.q - motion.q[0]).max() > 1e-3


@pytest.mark.short_run("hybrid motion and force")
@pytest.mark.parametrize("case", CASES)
def test_as_the_loop_made_by_calls(tmp_path: Path, case: str) -> None:
    arm, q0, text, controller, values, signals = CASES[case]
    text = f"robot: {arm.name}\nq0: {q0.tolist()}\n" + START + text + inputs_of(values)
    motion = read(text, tmp_path).simulate()
    loop = armdyn.ClosedLoop(arm, controller, method=RungeKutta4(STEP), record=["q", "qd", *signals])
    same(motion, loop(q0, steps=STEPS, **values), signals)


def test_the_force_on_a_constraint(tmp_path: Path) -> None:
    """Without a measured force the arm presses as it is told, to rounding (Modern Robotics 11.61)."""
    arm, q0, text, _, values, _ = CASES["hybrid motion and force"]
    told = {name: value for name, value in values.items() if name not in ("multipliers_measured", "Ki_force")}
    motion = read(f"robot: {arm.name}\nq0: {q0.tolist()}\n" + START + text + inputs_of(told), tmp_path).simulate()
    np.testing.assert_allclose(motion.signals["multipliers"], 30.0, rtol=1e-9)


@pytest.mark.slow
def test_motors_and_an_observer(tmp_path: Path) -> None:
    limits = MotorLimits(voltage=24.0, current=20.0)
    motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3, inductance=8e-5, limits=limits)
    drives = {name: Actuator(motor, Gear(100.0)) for name in PLANAR.joint_names}
    write(drives, tmp_path / "drives.yaml")
    values = {"q_ref": Q_PLANAR + 0.3, "qd_ref": np.zeros(3), "Kp": np.full(3, 60.0), "Kd": np.full(3, 8.0)}
    values["K_observer"] = np.full(3, 20.0)
    motion = read(
        f"robot: planar_3r\nactuators: drives.yaml\nq0: {Q_PLANAR.tolist()}\n"
        + START
        + "controller: [pd_gravity, {differencing: {time_constant: 5e-3}}, {through_motors: {}}, "
        "{momentum_observer: {}}]\nrecord: [current]\n" + inputs_of({**values, "f_tip": PUSH}),
        tmp_path,
    ).simulate()
    controller = control.momentum_observer(control.through_motors(control.differencing(control.pd_gravity, 5e-3)))
    signals = ["voltage", "residual", "current"]
    arm = PLANAR.with_actuators(drives)
    loop = armdyn.ClosedLoop(arm, controller, method=RungeKutta4(STEP), record=["q", "qd", *signals])
    same(motion, loop(Q_PLANAR, steps=STEPS, **values, f_tip=PUSH), signals)


def test_motors_on_a_supply(tmp_path: Path) -> None:
    motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3)
    write({name: Actuator(motor, Gear(100.0)) for name in PLANAR.joint_names}, tmp_path / "drives.yaml")
    values = {"q_ref": Q_PLANAR + 0.3, "qd_ref": np.zeros(3), "Kp": np.full(3, 60.0), "Kd": np.full(3, 8.0)}
    supply = "{voltage: 24, resistance: 0.2, capacitance: 5e-3}"
    motion = read(
        f"robot: planar_3r\nactuators: drives.yaml\nq0: {Q_PLANAR.tolist()}\n{START}"
        f"controller: [pd_gravity, {{through_motors: {{supply: {supply}}}}}]\n{inputs_of(values)}",
        tmp_path,
    ).simulate()
    assert 5.0 < motion.signals["bus_voltage"].min() < 20.0
    assert motion.signal_labels["bus_voltage"] == (("", "V"),)


def test_computed_torque_has_an_integral(tmp_path: Path) -> None:
    """Under Euler's steps (z, e, ed)[k+1] = (1 + h A) (z, e, ed)[k], of d^2e/dt^2 + Kd de/dt + Kp e + Ki z = 0."""
    gains = {"Kp": np.full(3, 80.0), "Kd": np.full(3, 11.0), "Ki": np.full(3, 90.0)}
    aim = {"q_ref": Q_PLANAR + np.array([0.3, -0.2, 0.1]), "qd_ref": np.zeros(3), "qdd_ref": np.zeros(3)}
    text = f"robot: planar_3r\nq0: {Q_PLANAR.tolist()}\n{START}controller: computed_torque\n{inputs_of(aim | gains)}"
    motion = read(text.replace("rk4", "euler"), tmp_path).simulate()
    step = np.eye(3) + STEP * np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-90.0, -80.0, -11.0]])
    begin = np.array([np.zeros(3), aim["q_ref"] - Q_PLANAR, np.zeros(3)])
    exact = np.array([np.linalg.matrix_power(step, k) @ begin for k in range(STEPS + 1)])
    np.testing.assert_allclose(aim["q_ref"] - motion.q, exact[:, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(-motion.qd, exact[:, 2], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["pd_gravity", "computed_torque"])
def test_a_wrapped_controller_follows_a_csv(tmp_path: Path, name: str) -> None:
    """Nothing is changed by `sampled` at every step: it follows as the bare controller does."""
    t = np.linspace(0.0, STEPS * STEP, 6)
    table = np.column_stack([t, np.stack([np.sin(3 * t), np.cos(2 * t), t**2], axis=-1)])
    header = ",".join(["t", *(f"q_{joint}" for joint in PLANAR.joint_names)])
    np.savetxt(tmp_path / "path.csv", table, delimiter=",", header=header, comments="", fmt="%.17g")
    start = f"robot: planar_3r\nq0: [0.1, 0.9, 0.2]\n{START}reference: path.csv\n"
    gains = "inputs: {Kp: 60, Kd: [8, 4, 2]}\n"
    bare = read(start + f"controller: {name}\n" + gains, tmp_path).simulate()
    around = f"controller: [{name}, {{sampled: {{every: 1}}}}]\n"
    wrapped = read(start + around + gains, tmp_path).simulate()
    np.testing.assert_allclose(wrapped.q, bare.q, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(wrapped.signals["q_ref"], bare.signals["q_ref"])
    unaimed, twice = start.replace("reference: path.csv\n", ""), start + gains.replace("}", ", q_ref: 0}")
    for text, said in ((twice, "q_ref is given in inputs too"), (unaimed + gains, "the controller has no q_ref")):
        with pytest.raises(ArmdynError, match=rf"motion\.yaml:\d+: {said}"):
            read(text + around, tmp_path)


@pytest.mark.slow
def test_the_observer_knows_the_robot_as_described(tmp_path: Path) -> None:
    """A load that only the inputs name shows in the residual, in one motion and in a study."""
    text = "robot: planar_3r\nduration: 0.1\nmethod: {name: rk4, step: 2ms}\n"
    text += "controller: [pd_gravity, {momentum_observer: {}}]\n"
    gains = "q_ref: 0, qd_ref: 0, Kp: 300, Kd: 60, K_observer: 200"
    motion = read(text + f"inputs: {{{gains}, tip.payload.mass: 1}}\n", tmp_path).simulate()
    aim = {"q_ref": np.zeros(3), "qd_ref": np.zeros(3), "Kp": np.full(3, 300.0), "Kd": np.full(3, 60.0)}
    loop = armdyn.ClosedLoop(
        PLANAR.with_payload(armdyn.Inertia(1.0)),
        control.with_model(control.momentum_observer(control.pd_gravity), PLANAR),
        method=RungeKutta4(STEP),
        record=["residual"],
    )
    rows = loop(np.zeros(3), steps=50, **aim, K_observer=np.full(3, 200.0)).rows
    np.testing.assert_allclose(motion.signals["residual"][:-1], rows.residual, rtol=0, atol=1e-10)
    assert (rows.residual[-1] < [-60.0, -30.0, -10.0]).all()  # N m: 9.81 N at 3, 2 and 1 m, and what moves
    (tmp_path / "study.yaml").write_text(
        text + f"inputs: {{{gains}}}\ngrid: {{tip.payload.mass: [0, 1]}}\nrecord: [residual]\n"
    )
    scenario = Scenario.read(tmp_path / "study.yaml")
    runs = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    np.testing.assert_allclose(runs["rows.residual"][1], motion.signals["residual"][:-1], rtol=0, atol=1e-9)
    assert abs(runs["rows.residual"][0]).max() < 1e-9


def test_inputs_that_may_be_left_out_in_a_study(tmp_path: Path) -> None:
    text = (
        f"robot: planar_3r\n{START}controller: [{{operational_space: {{components: [vx, vy]}}}}]\n"
        f"grid: {{q0: [{Q_PLANAR.tolist()}]}}\n"
    )
    values = {"T_ref": IN_PLANE, "Kp": np.full(2, 100.0), "Kd": np.full(2, 20.0)}
    spare = {"q_null": np.ones(3), "Kp_null": np.full(3, 30.0)}
    (tmp_path / "study.yaml").write_text(text + inputs_of(values | spare))
    scenario = Scenario.read(tmp_path / "study.yaml")
    runs = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    point = control.with_options(control.operational_space, components=("vx", "vy"))
    loop = armdyn.ClosedLoop(PLANAR, point, method=RungeKutta4(STEP))
    with_spare = loop(Q_PLANAR, steps=STEPS, **values, **spare).final.q
    np.testing.assert_allclose(runs["final.q"][0], with_spare, rtol=0, atol=1e-12)
    assert abs(with_spare - loop(Q_PLANAR, steps=STEPS, **values).final.q).max() > 1e-4
    (tmp_path / "study.yaml").write_text(text + inputs_of(values | {"q_null": np.ones(3)}))
    with pytest.raises(MissingInput, match=r"study\.yaml:7: q_null and Kp_null belong together"):
        Scenario.read(tmp_path / "study.yaml")
