"""Damping implicit in the velocities beside MuJoCo's implicitfast and the closed form of one joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import TraceError, Unsupported
from armdyn.control import implicit_damping
from armdyn.functions.not_finite import DivergenceWarning

ARM = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="{step}" integrator="implicitfast"/>
  <worldbody>
    <body pos="0 0 0.5"> <joint name="shoulder" axis="0 1 0.2" damping="0.5"/>
      <inertial pos="0.2 0.01 0" mass="2" diaginertia="0.003 0.03 0.03"/>
      <body pos="0.4 0 0"> <joint name="wrist" axis="1 0 0.3"/>
        <inertial pos="0.03 0.004 0" mass="0.3" diaginertia="0.0001 0.0003 0.0003"/> </body> </body>
  </worldbody>
  <actuator>
    <position joint="shoulder" kp="2000" kv="100"/>
    <position joint="wrist" kp="500" kv="50"/>
  </actuator>
</mujoco>
"""
GAINS = {"Kp": [2000.0, 500.0], "Kd": [100.0, 50.0]}


@armdyn.function("(n),(n),(n),(n),(n)->(n)")
def servo(model: Any, q: Any, qd: Any, q_ref: Any, Kp: Any, Kd: Any) -> Any:
    """Joint forces tau(q, qd) of position servos, N m, shape (..., n)."""
    return Kp * (q_ref - q) - Kd * qd


def loop_of(robot: armdyn.Robot, step: float) -> armdyn.ClosedLoop:
    method = armdyn.simulation.SemiImplicitEuler(step=step)
    return armdyn.ClosedLoop(robot, implicit_damping(servo), method=method)


def test_steps_are_mujocos_implicitfast(tmp_path: Path) -> None:
    import mujoco

    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(step=0.002))
    model = mujoco.MjModel.from_xml_path(str(path))
    robot = armdyn.load(str(path))
    loop = loop_of(robot, 2e-3)
    for q, qd, aim in np.random.default_rng(5).uniform(-1.0, 1.0, (4, 3, 2)):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, qd, aim
        mujoco.mj_step(model, data)
        rolled = loop(q, qd, steps=1, q_ref=aim, **GAINS)
        scale = max(np.abs(data.qvel).max(), np.abs(qd).max())
        np.testing.assert_allclose(rolled.final.qd, data.qvel, rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(rolled.final.q, data.qpos, rtol=1e-12, atol=1e-12)


def test_a_light_wrist_with_strong_gains_comes_to_rest_at_one_millisecond(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(step=0.001))
    robot = armdyn.load(str(path))
    aim = np.array([0.4, -0.7])
    steady = loop_of(robot, 1e-3)([0.0, 0.0], steps=4000, q_ref=aim, **GAINS)
    held = aim - robot.gravity_forces(steady.final.q) / GAINS["Kp"]
    np.testing.assert_allclose(steady.final.q, held, atol=1e-6)
    explicit = armdyn.ClosedLoop(robot, servo, method=armdyn.simulation.SemiImplicitEuler(step=1e-3))
    with pytest.warns(DivergenceWarning, match="'wrist' had reached"):
        explicit([0.0, 0.0], steps=400, q_ref=aim, **GAINS)


def test_one_damped_joint_decays_as_the_implicit_euler_rule() -> None:
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
    arm = arm.with_friction({"joint_1": (30.0, 0.0)})
    M, h, d = arm.mass_matrix([0.0])[0, 0], 0.05, 30.0 + 200.0
    rolled = loop_of(arm, h)([0.0], [1.0], steps=20, q_ref=[0.0], Kp=[0.0], Kd=[200.0])
    np.testing.assert_allclose(rolled.final.qd, [(1.0 + h * d / M) ** -20], rtol=1e-12)


def test_refusals() -> None:
    @armdyn.function("(n)->(n)")
    def hold(model: Any, q: Any) -> Any:
        """Joint forces tau(q), N m, shape (..., n)."""
        return -q

    with pytest.raises(TraceError, match="does not take qd, so implicit_damping would change nothing"):
        implicit_damping(hold)
    drive = armdyn.actuators.Actuator(gear=armdyn.actuators.Gear(10.0, efficiency=0.8))
    lossy = armdyn.load("planar_2r").with_actuators({"joint_1": drive})
    with pytest.raises(Unsupported, match="depends on the load"):
        loop_of(lossy, 1e-3)([0.0, 0.0], steps=1, q_ref=[0.0, 0.0], **GAINS)
