"""Ordinary functions as controllers of a simulation at their own sample time; tables of references; noise."""

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.simulation import Euler, RungeKutta4, SettingError, named_method
from armdyn.trajectory import CurvePath, Line, MotionError, Quintic, point_to_point

ROBOT = armdyn.load("planar_2r")


class Watched:
    """A law with a memory: it counts its calls and branches on the state."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, np.ndarray]] = []

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        self.calls.append((t, np.concatenate([q, qd])))
        pull = ROBOT.gravity_forces(q)
        return pull - 3.0 * qd if qd[0] > 0 else pull - 1.0 * qd


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_called_at_its_samples_and_held_between(method: str) -> None:
    law = Watched()
    torque = control.callback(law, sample_time=5e-3)
    motion = armdyn.simulate(
        ROBOT, [0.3, 0.1], [1.0, -2.0], duration=0.1, torque=torque, method=named_method(method, step=1e-3)
    )
    np.testing.assert_allclose([t for t, _ in law.calls], 5e-3 * np.arange(21), atol=1e-12)
    np.testing.assert_array_equal(motion.tau[:100], np.repeat(motion.tau[:100:5], 5, axis=0))
    at_samples = np.array([state for _, state in law.calls[:20]])
    np.testing.assert_array_equal(at_samples, np.hstack([motion.q, motion.qd])[:100:5])


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_held_as_a_table_is(method: str) -> None:
    torque = control.callback(Watched(), sample_time=5e-3)
    given = {"duration": 0.1, "method": named_method(method, step=1e-3)}
    motion = armdyn.simulate(ROBOT, [0.3, 0.1], [1.0, -2.0], torque=torque, **given)
    table = armdyn.simulate(ROBOT, [0.3, 0.1], [1.0, -2.0], torque=motion.tau[:100], **given)
    rounding = 1e-15 if method == "rk4" else 0.0  # a compiled loop takes sines of later stages from those of the first
    np.testing.assert_allclose(motion.q, table.q, rtol=0, atol=rounding)


def test_a_new_simulation_begins_anew() -> None:
    torque = control.callback(Watched(), sample_time=0.05)
    runs = [armdyn.simulate(ROBOT, [0.3, 0.1], [v, 0.0], duration=0.1, torque=torque, method="euler") for v in (1, 2)]
    assert (runs[0].tau[0] != runs[1].tau[0]).any()


def test_samples_between_steps_come_at_the_next_step() -> None:
    law = Watched()
    settings: dict[str, Any] = {"duration": 0.01, "method": Euler(step=1e-3)}
    motion = armdyn.simulate(ROBOT, [0.3, 0.1], torque=control.callback(law, sample_time=2.5e-3), **settings)
    np.testing.assert_allclose([t for t, _ in law.calls], [0.0, 0.003, 0.005, 0.008, 0.01], atol=1e-12)
    assert "has a sample time of 0.0025 s, which is no multiple of the step of 0.001 s" in motion.notes[0]
    faster = armdyn.simulate(ROBOT, [0.3, 0.1], torque=control.callback(Watched(), sample_time=4e-4), **settings)
    assert faster.notes[0].endswith("it is asked once a step")
    for fits in (1e-3, 7e-3):
        torque = control.callback(Watched(), sample_time=fits)
        assert not armdyn.simulate(ROBOT, [0.3, 0.1], torque=torque, **settings).notes


def test_batches_and_wrenches() -> None:
    def push(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.full((*q.shape[:-1], 6), t)

    f_tip = control.callback(push, sample_time=0.01)
    motion = armdyn.simulate(ROBOT, np.zeros((3, 2)), duration=0.02, f_tip=f_tip, method=RungeKutta4(step=1e-3))
    np.testing.assert_allclose(motion.f_tip[:, 1, 4], [0.0] * 10 + [0.01] * 10 + [0.02])


def test_an_equal_declared_controller_does_the_same() -> None:
    """`sampled` in a compiled loop, and a callback in a simulation."""

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return ROBOT.gravity_forces(q) + 20.0 * (1.0 - q) - 5.0 * qd

    motion = armdyn.simulate(
        ROBOT, [0.3, 0.1], duration=0.1, torque=control.callback(law, sample_time=4e-3), method=Euler(step=1e-3)
    )
    loop = armdyn.ClosedLoop(ROBOT, control.sampled(control.pd_gravity, 4))
    given = {"q_ref": np.ones(2), "qd_ref": np.zeros(2), "Kp": np.full(2, 20.0), "Kd": np.full(2, 5.0)}
    rows = loop([0.3, 0.1], steps=100, **given).rows
    np.testing.assert_allclose(rows.q, motion.q[:100], rtol=1e-12)


def test_complaints() -> None:
    with pytest.raises(SettingError, match=r"has a sample time of 0\.01 s of its own; simulate it with steps of one"):
        armdyn.simulate(ROBOT, [0.3, 0.1], duration=0.1, torque=control.callback(Watched(), sample_time=0.01))
    with pytest.raises(SettingError, match="sample_time"):
        control.callback(Watched(), sample_time=0.0)
    with pytest.raises(SettingError, match="expected a function"):
        control.callback(3.0, sample_time=0.1)  # type: ignore[arg-type]

    def short(t: float, q: np.ndarray, qd: np.ndarray) -> Any:
        return [1.0]

    with pytest.raises(armdyn.ShapeError, match=r"what torque .*short\(\) returned at t = 0 s"):
        armdyn.simulate(ROBOT, [0, 0], duration=0.1, torque=control.callback(short, sample_time=0.1), method="rk4")


def test_references_of_joints() -> None:
    path = point_to_point(np.zeros(3), [1.0, 2.0, -1.0], Quintic(1.0, duration=0.5))
    t = np.linspace(-0.1, 0.7, 81)
    tables = control.references(path, t)
    assert list(tables) == ["q_ref", "qd_ref", "qdd_ref"]
    inside = (t >= 0.0) & (t <= 0.5)
    for table, exact in zip(tables.values(), path.evaluate(t[inside]), strict=True):
        np.testing.assert_array_equal(table[inside], exact)
    np.testing.assert_array_equal(tables["q_ref"][t > 0.5], np.tile([1.0, 2.0, -1.0], (np.sum(t > 0.5), 1)))
    assert not tables["q_ref"][t < 0.0].any()
    assert not tables["qd_ref"][~inside].any()
    assert not tables["qdd_ref"][~inside].any()


def test_references_of_the_tip() -> None:
    T = np.eye(4)
    T[:3, 3] = [1.0, 2.0, 3.0]
    path = CurvePath(Line(np.eye(4), T), Quintic(1.0, duration=0.5))
    tables = control.references(path, [0.0, 0.25, 0.9])
    assert [table.shape for table in tables.values()] == [(3, 4, 4), (3, 6), (3, 6)]
    assert list(tables) == ["T_ref", "V_ref", "Vdot_ref"]
    np.testing.assert_allclose(tables["T_ref"][2], T, atol=1e-15)
    np.testing.assert_allclose(tables["V_ref"][1, 3:], [3.75, 7.5, 11.25])
    assert not tables["V_ref"][2].any()


def test_references_without_sense() -> None:
    path = point_to_point(np.zeros(3), np.ones(3), Quintic(1.0, duration=0.5))
    with pytest.raises(SettingError, match="expected a JointPath or a CartesianPath"):
        control.references(Quintic(1.0, duration=0.5), [0.0])  # type: ignore[arg-type]
    with pytest.raises((SettingError, MotionError)):
        control.references(path, [0.0, np.nan])
    with pytest.raises(armdyn.ShapeError, match="times"):
        control.references(path, 0.0)


def test_noise() -> None:
    noise = control.draw_noise(ROBOT, 20000, q=[0.1, 0.3], seed=5)
    assert list(noise) == ["q_noise"]
    np.testing.assert_allclose(noise["q_noise"].std(axis=0), [0.1, 0.3], rtol=0.02)
    np.testing.assert_allclose(noise["q_noise"].mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_array_equal(noise["q_noise"], control.draw_noise(ROBOT, 20000, q=[0.1, 0.3], seed=5)["q_noise"])
    assert control.draw_noise(ROBOT, 3, qd=1.0, seed=5, batch=(4, 5))["qd_noise"].shape == (3, 4, 5, 2)
    for bad in (-1.0, [1.0, 2.0, 3.0]):
        with pytest.raises(SettingError, match="expected one standard deviation"):
            control.draw_noise(ROBOT, 3, q=bad, seed=5)
