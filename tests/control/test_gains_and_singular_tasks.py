"""Gains below zero are named, and so are configurations in which the task of a controller is singular."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.simulation import DivergenceWarning, GainWarning, SimulationError
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

ARM = armdyn.load("planar_2r")
AIM: dict[str, Any] = {"q_ref": np.zeros(2), "qd_ref": np.zeros(2), "Ki": 0.0 * np.ones(2)}
STRETCHED = np.zeros(2)


def motion_of(path: Path) -> MotionSettings:
    words = Words.read(path)
    return MotionSettings.of(words, words.robot())


def test_a_gain_below_zero_is_named_with_its_joint() -> None:
    loop = armdyn.ClosedLoop(ARM, control.with_gains(control.saturated(control.pid, 10.0), Kp="vector"))
    Kp = np.array([[1.0, 2.0], [3.0, -4.0]])  # of two arms
    with pytest.warns(GainWarning, match="Kp of joint 'joint_2' of saturated_pid is -4, below zero"):
        loop(np.zeros((2, 2)), steps=2, Kp=Kp, Kd=np.ones(2), **AIM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loop(np.zeros(2), steps=2, Kp=np.zeros(2), Kd=np.ones(2), **AIM)


def test_gains_of_other_controllers_may_mean_anything() -> None:
    @armdyn.function("(n),(n),()->(n)")
    def own(model: Any, q: Any, qd: Any, Kp: Any) -> Any:
        return Kp * q

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        armdyn.ClosedLoop(ARM, own)(np.zeros(2), steps=2, Kp=-1.0)


@pytest.mark.parametrize(
    ("controller", "gains"), [("pd_gravity", "Kp: [-1, 2], Kd: 1"), ("pid", "Kp: 1, Ki: 0, Kd: [-1, 1]")]
)
def test_gains_of_scenarios(tmp_path: Path, controller: str, gains: str) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(f"robot: planar_2r\nmethod: rk4\ncontroller: {controller}\ninputs: {{q_ref: 0.1, {gains}}}\n")
    with pytest.warns(GainWarning, match="of joint 'joint_1' of .* is -1, below zero"):
        motion_of(path)


@pytest.mark.parametrize("around", [lambda inside: inside, lambda inside: control.delayed(inside, steps=1)])
def test_a_singular_task_is_named_in_the_place_of_a_shorter_step(around: Any) -> None:
    point = around(control.with_options(control.operational_space, components=("vx", "vy")))
    loop = armdyn.ClosedLoop(ARM, point, record=["q", "tau"])
    T = ARM.forward_kinematics([0.0, 0.5])
    with pytest.warns(DivergenceWarning) as said:
        rolled = loop(STRETCHED, steps=4, T_ref=T, Kp=np.full(2, 100.0), Kd=np.full(2, 20.0))
    wanted = "the task of the controller is singular, so that it has no torque: the Jacobian of 'tip' in 'planar_2r'"
    assert f"{wanted} loses rank at q = [0., 0.]" in str(said[0].message)
    assert "shorter step" not in str(said[0].message)
    with pytest.raises(SimulationError, match="loses rank at q"):
        control.require_finite(loop, rolled)


def test_a_singular_task_of_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(
        "robot: planar_2r\nmethod: rk4\ncontroller: {operational_space: {components: [vx, vy]}}\n"
        "inputs: {T_ref: [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]], Kp: 100, Kd: 20}\n"
    )
    with pytest.raises(SimulationError, match=r"at t = 0 s the task of the controller is singular.*damping=lambda"):
        motion_of(path).simulate()
