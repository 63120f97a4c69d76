"""Brakes in closed loops and studies: what holds, against the located motion, and what a controller switches."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, Rotor
from armdyn.program import less
from armdyn.simulation import (
    BrakeSwitches,
    ClosedLoop,
    Crossing,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
)
from armdyn.studies import Scenario, grid

DRIVE = Actuator(Motor(1e-5, torque_constant=0.03), Gear(-50.0), Coulomb(0.5), brake=Brake(0.4))
ARM = armdyn.load("planar_2r").with_friction({"joint_1": (0.2, 0.3)}).with_actuators({"joint_2": DRIVE})
SWITCHES: dict[str, Any] = {"joint_2": [(0.1, "engaged"), (0.3, "released"), (0.45, "engaged")]}
START, DURATION = [0.3, 0.4], 0.6


class Braking(NamedTuple):
    """Torques, and the brake."""

    tau: Any
    brakes: Any


@armdyn.function("(n),(n),()->(n),(1)", result=Braking)
def held_when_fast(model: Any, q: Any, qd: Any, limit: Any) -> Braking:
    """No torques; the brake is engaged while the second joint is faster than a limit."""
    return Braking(0.0 * q, np.array([less(limit, abs(qd[1]))]))


@armdyn.function("(n),(n),()->(n),(1)", result=Braking)
def braked_as_wanted(model: Any, q: Any, qd: Any, wanted: Any) -> Braking:
    """No torques, and the brake as far as an input says."""
    return Braking(0.0 * q, np.array([wanted]))


@pytest.mark.slow
def test_switches_at_times_are_those_of_simulate() -> None:
    true = armdyn.simulate(ARM, START, duration=DURATION, elements=[BrakeSwitches(SWITCHES)], save=SaveAt(every=0.01))
    loop = ClosedLoop(ARM, method=RungeKutta4(5e-4), record=["q", "qd"], elements=[BrakeSwitches({"joint_2": []})])
    rolled = loop(START, steps=1200, every=20, tau=np.zeros(2), brakes=SWITCHES)
    np.testing.assert_allclose(rolled.rows.q, true.q[:-1], rtol=0, atol=1e-5)
    assert rolled.final.qd[1] == 0.0
    numbers = np.zeros((1200, 1))
    numbers[200:600] = numbers[900:] = 1.0
    same = loop(START, steps=1200, every=20, tau=np.zeros(2), brakes=numbers)
    np.testing.assert_array_equal(same.rows.q, rolled.rows.q)
    other: ClosedLoop = pickle.loads(pickle.dumps(loop))  # noqa: S301
    again = other(START, steps=1200, every=20, tau=np.zeros(2), brakes=SWITCHES)
    np.testing.assert_array_equal(again.rows.q, rolled.rows.q)


def test_without_switches_they_stay_as_the_robot_has_them() -> None:
    engaged = ARM.with_actuators({"joint_2": DRIVE.with_brake("engaged")})
    for robot in (ARM, engaged):
        given = {"q0": START, "steps": 50, "tau": np.zeros(2)}
        found = ClosedLoop(robot, method=Heun(1e-3), elements=[BrakeSwitches({"joint_2": []})])(**given).final
        np.testing.assert_allclose(found.q, ClosedLoop(robot, method=Heun(1e-3))(**given).final.q, rtol=1e-13)


def test_a_controller_switches_them() -> None:
    loop = ClosedLoop(
        ARM,
        held_when_fast,
        method=SemiImplicitEuler(1e-3),
        record=["qd", "brakes"],
        elements=[BrakeSwitches({"joint_2": []})],
    )
    assert "brakes" not in loop.inputs
    rows = loop(START, steps=400, limit=0.5).rows
    engaged = rows.brakes[:, 0] == 1.0
    assert engaged.any()
    np.testing.assert_array_equal(engaged, np.abs(rows.qd[:, 1]) > 0.5)
    slower = np.diff(np.abs(rows.qd[:, 1]))[engaged[:-1]]
    assert (slower < 0.0).all()


def test_a_brake_takes_no_more_than_its_torque_and_never_drives() -> None:
    """Numbers of a controller beyond 0 and 1 count as these; in an input they are an error."""

    loop = ClosedLoop(ARM, braked_as_wanted, method=Heun(1e-3), elements=[BrakeSwitches({"joint_2": []})])
    ends = {wanted: loop(START, [0.2, 0.3], steps=50, wanted=wanted).final.q for wanted in (-3.0, 0.0, 1.0, 2.0)}
    np.testing.assert_array_equal(ends[-3.0], ends[0.0])
    np.testing.assert_array_equal(ends[2.0], ends[1.0])
    by_input = ClosedLoop(ARM, method=Heun(1e-3), elements=[BrakeSwitches({"joint_2": []})])
    for wrong in (-1.0, 1.5, np.nan):
        table = np.ones((10, 3, 1))
        table[4, 2] = wrong
        with pytest.raises(SettingError, match=rf"brakes is {wrong} for joint 'joint_2' of arm \(2,\) in step 4"):
            by_input(np.tile(START, (3, 1)), steps=10, tau=np.zeros(2), brakes=table)


def test_studies_switch_them_in_all_runs(tmp_path: Path) -> None:
    masses = [0.0, 1.5]
    switches = {"joint_2": SWITCHES["joint_2"][:2]}
    settings: dict[str, Any] = {
        "steps": 300,
        "method": RungeKutta4(1e-3),
        "elements": [BrakeSwitches(switches)],
        "workers": 1,
    }
    settings["inputs"] = {"q0": START}
    found = armdyn.study(ARM, grid({"tip.payload.mass": masses}), **settings)["final.q"]
    for mass, q in zip(masses, found, strict=True):
        loaded = ARM.with_payload(armdyn.Inertia(mass, [0, 0, 0], np.zeros((3, 3))))
        true = armdyn.simulate(loaded, START, duration=0.3, elements=[BrakeSwitches(switches)])
        np.testing.assert_allclose(q, true.q[-1], rtol=0, atol=2e-5)
    armdyn.actuators.write({"joint_2": DRIVE}, tmp_path / "drives.yaml")
    (tmp_path / "study.yaml").write_text(
        "robot: planar_2r\nactuators: drives.yaml\nq0: [0.3, 0.4]\nduration: 0.3\nmethod: rk4\n"
        "brakes: {joint_2: [[0.1, engaged]]}\ngrid: {joint_1.friction: [0.0, 0.3]}\n"
    )
    scenario = Scenario.read(tmp_path / "study.yaml")
    ends = armdyn.study(scenario.robot, scenario.samples, **scenario.settings, workers=1)
    assert (ends["final.qd"][:, 1] == 0.0).all()
    assert ends["final.qd"][0, 0] < ends["final.qd"][1, 0] < 0.0


def test_mistakes_are_named() -> None:
    loop = ClosedLoop(ARM, elements=[BrakeSwitches({"joint_2": []})])
    given: dict[str, Any] = {"q0": START, "steps": 10, "tau": np.zeros(2)}
    with pytest.raises(SettingError, match="joint 'joint_1' of 'planar_2r', which has no brake; give it one"):
        ClosedLoop(ARM, elements=[BrakeSwitches({"joint_1": []})])
    with pytest.raises(SettingError, match="elements has switches of the brake of joint 'joint_2' twice"):
        ClosedLoop(ARM, elements=[BrakeSwitches({"joint_2": []}), BrakeSwitches({"joint_2": []})])
    with pytest.raises(SettingError, match="held_when_fast has a result 'brakes', but the loop was given no brakes"):
        ClosedLoop(ARM, held_when_fast)
    with pytest.raises(SettingError, match="is not among those of the loop: joint_2; name it in ClosedLoop"):
        loop(**given, brakes={"joint_1": []})
    with pytest.raises(SettingError, match="time of the brake of joint 'joint_2' is 1 s, behind the end of the motion"):
        loop(**given, brakes={"joint_2": [(1.0, "engaged")]})
    with pytest.raises(SettingError, match="are switched by an event; a closed loop takes times from 0 s on"):
        loop(**given, brakes={"joint_2": [(Crossing(lambda t, q, qd: q[0]), "engaged")]})
    with pytest.raises(armdyn.ShapeError, match=r"brakes has shape \(10,\); expected \(steps, ..., 1\), a number from"):
        loop(**given, brakes=np.ones(10))
    rotor = Rotor(axis=(0.0, 1.0, 0.0), carrier="link_1")
    drive = Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8), rotor=rotor, brake=Brake(1.0))
    lossy = ARM.with_actuators({"joint_2": drive})
    with pytest.raises(SettingError, match="would not hold their joints, for friction depends on the load"):
        ClosedLoop(lossy, elements=[BrakeSwitches({"joint_2": []})])


def test_a_brake_before_a_gear_with_losses_holds() -> None:
    """The torque of the brake and what the gear takes of the load hold together."""
    drive = Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8, back_efficiency=0.5), brake=Brake(0.4))
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": drive})
    q0 = np.array([0.3, 0.2])
    load = float(robot.gravity_forces(q0)[1])
    held = np.array([1e3, load / 0.8 + 3.9])  # the first joint is pushed, and stands at its friction
    stiff = robot.with_friction({"joint_1": (0.0, 1e4)})
    braked = ClosedLoop(stiff, method=RungeKutta4(1e-3), elements=[BrakeSwitches({"joint_2": []})])
    assert (braked(q0, steps=100, tau=held, brakes=np.ones((100, 1))).final.q == q0).all()
    for tau, brakes in ((held + np.array([0.0, 0.2]), 1.0), (held, 0.0)):
        assert braked(q0, steps=100, tau=tau, brakes=np.full((100, 1), brakes)).final.q[1] > q0[1]
