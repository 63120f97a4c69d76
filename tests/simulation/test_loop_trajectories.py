"""Closed loops as trajectories: those of `armdyn.simulate` under the same forces, with what the controller knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, LuGre, Motor, Spring
from armdyn.base.errors import ShapeError
from armdyn.control import pd_gravity, pid, sampled, saturated
from armdyn.simulation import (
    BrakeSwitches,
    ClosedLoop,
    DivergenceWarning,
    Euler,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
)
from simulation.arms import near

ROBOT = armdyn.load("planar_2r")
AIM: dict[str, Any] = {"q_ref": [0.5, -0.5], "qd_ref": np.zeros(2), "Kp": np.full(2, 60.0), "Kd": np.full(2, 20.0)}


@pytest.mark.parametrize("method", [Heun(1e-3), RungeKutta4(2e-3)], ids=str)
def test_without_a_controller_it_is_the_simulation(method: Any) -> None:
    """All of it, to rounding: a table of torques, a wrench, every third step."""
    table, wrench = np.random.default_rng(3).normal(size=(300, 2)), np.array([0.0, 0.0, 0.3, 1.0, -2.0, 0.0])
    loop = ClosedLoop(ROBOT, method=method, over_time=["tau"])
    found = loop.simulate([0.1, 0.2], [0.3, -0.4], steps=300, every=3, tau=table, f_tip=wrench)
    h = method.step
    true = armdyn.simulate(
        ROBOT,
        [0.1, 0.2],
        [0.3, -0.4],
        duration=300 * h,
        torque=table,
        f_tip=wrench,
        method=method,
        save=SaveAt(every=3 * h),
    )
    for name in ("t", "q", "qd", "qdd", "tau", "f_tip"):
        np.testing.assert_allclose(getattr(found, name), getattr(true, name), rtol=1e-12, atol=1e-12, err_msg=name)
    near(found.energy.drift, true.energy.drift, 1e-12)
    assert found.statistics.steps == 300


def test_states_signals_and_references(tmp_path: Path) -> None:
    """A batch: what is carried and given by the controller, what it follows; drawn, animated, saved, resampled."""
    reference = np.linspace(0.0, 0.5, 400)[:, None] * np.ones(2)
    loop = ClosedLoop(ROBOT, saturated(pid, 30.0), method=SemiImplicitEuler(1e-3), over_time=["q_ref"], record=["q"])
    given = {**AIM, "q_ref": reference, "Ki": np.full(2, 40.0)}
    motion = loop.simulate(np.zeros((3, 2)), steps=400, every=7, **given)
    assert motion.q.shape == (59, 3, 2)
    assert motion.t[-2:].tolist() == pytest.approx([0.399, 0.4])
    assert sorted(motion.signals) == ["integral", "q_ref", "qd_ref", "tau_unlimited"]
    np.testing.assert_array_equal(motion.signals["q_ref"][5, 1], reference[35])
    rows = ClosedLoop(
        ROBOT, saturated(pid, 30.0), method=SemiImplicitEuler(1e-3), over_time=["q_ref"], record=["tau", "integral"]
    )(np.zeros(2), steps=400, every=7, **given).rows
    np.testing.assert_array_equal(motion.tau[:-1, 0], rows.tau)
    np.testing.assert_array_equal(motion.signals["integral"][:-1, 2], rows.integral)
    one = motion.pick(0)
    one.save(tmp_path / "loop.npz")
    np.testing.assert_array_equal(armdyn.Trajectory.load(tmp_path / "loop.npz").q, one.q)
    assert len(one.plot().axes) >= 6
    assert len(one.animate(robot=ROBOT, every=10)) == 6
    assert one.resample(rate=100.0).q.shape == (41, 2)


DRIVES = {
    "dry": Actuator(friction=Coulomb(3.0)),
    "spring": Actuator(Motor(1e-2), friction=Coulomb(0.5), spring=Spring(500.0, 1.0)),
    "bristles": Actuator(friction=LuGre(1000.0, 3.0, 0.0, 2.0, 1.0, 0.1)),
    "gear": Actuator(Motor(1e-4), Gear(50.0, efficiency=0.8), brake=Brake(0.5)),
}


@pytest.mark.parametrize("name", DRIVES)
def test_the_account_closes_with_actuators(name: str) -> None:
    robot = ROBOT.with_actuators(dict.fromkeys(ROBOT.joint_names, DRIVES[name]))
    loop = ClosedLoop(
        robot, pd_gravity, method=RungeKutta4(1e-4), elements=[BrakeSwitches({"joint_1": []})] if name == "gear" else ()
    )
    motion = loop.simulate([0.1, 0.2], steps=3000, every=10, **{**AIM, "Kd": np.full(2, 4.0)})
    assert np.abs(motion.energy.drift).max() < 5e-5 * np.abs(motion.energy.scale)
    assert np.isfinite(motion.qdd).all()
    middle = slice(100, 200)
    change = np.gradient(motion.qd, motion.t, axis=0)[middle]
    near(motion.qdd[middle], change, 0.05 * np.abs(change).max())
    near(motion.qdd[-1], np.diff(motion.qd[-2:], axis=0)[0] / 1e-3, 0.05 * np.abs(change).max())
    assert ("theta" in motion.signals) == (name == "spring")
    assert ("bristles" in motion.signals) == (name == "bristles")


def test_joints_that_stick_have_no_acceleration() -> None:
    robot = ROBOT.with_friction({"joint_2": (0.0, 50.0)})
    motion = ClosedLoop(robot, method=Heun(1e-3)).simulate([0.1, 0.2], steps=200, tau=np.zeros(2))
    assert (motion.qd[:, 1] == 0.0).all()
    assert (motion.qdd[:, 1] == 0.0).all()
    locked = ROBOT.with_locked({"joint_2": 0.2})
    true = locked.forward_dynamics(motion.q[:, :1], motion.qd[:, :1], np.zeros((201, 1)))
    np.testing.assert_allclose(motion.qdd[:, :1], true, rtol=1e-10)


def test_joints_that_let_go_have_the_acceleration_with_which_they_do() -> None:
    robot = ROBOT.with_friction({"joint_2": (0.0, 1.0)})
    motion = ClosedLoop(robot, method=RungeKutta4(1e-3)).simulate([0.3, 0.4], steps=10, tau=np.zeros(2))
    np.testing.assert_allclose(motion.qdd[0], motion.qd[1] / 1e-3, rtol=1e-2)


def test_friction_is_that_of_the_simulation() -> None:
    """At rest what holds the joint, else that of its direction; the loop's first step differs by its own error."""
    robot = ROBOT.with_friction({"joint_2": (0.0, 50.0), "joint_1": (0.3, 2.0)})
    motion = ClosedLoop(robot, method=RungeKutta4(1e-3)).simulate([0.1, 0.2], steps=200, tau=np.zeros(2))
    true = armdyn.simulate(robot, [0.1, 0.2], duration=0.2, method=RungeKutta4(1e-3))
    np.testing.assert_allclose(motion.signals["friction"], true.signals["friction"], rtol=1e-6, atol=1e-6)
    assert motion.signal_labels["friction"] == true.signal_labels["friction"]


class Counted(NamedTuple):
    tau: Any
    count: Any
    table: Any


@armdyn.function("(n),(n),()->(n),(),(2,n)", result=Counted)
def counting(model: Any, q: Any, qd: Any, count: Any) -> Counted:
    """A state that is a number, and a signal that is a matrix."""
    return Counted(-q, count + 1.0, np.stack([q, qd]))


def test_numbers_and_matrices_are_signals(tmp_path: Path) -> None:
    motion = ClosedLoop(ROBOT, counting).simulate([[0.1, 0.2], [0.3, 0.4]], steps=10, every=5)
    np.testing.assert_array_equal(motion.signals["count"][..., 0], [[0, 0], [5, 5], [10, 10]])
    assert motion.signals["table"].shape == (3, 2, 4)
    np.testing.assert_array_equal(motion.signals["table"][0, 1, :2], [0.3, 0.4])
    for name in ("loop.npz", "loop.csv", "loop.parquet"):
        one = motion.pick(1)
        one.save(tmp_path / name)
        np.testing.assert_array_equal(armdyn.Trajectory.load(tmp_path / name).signals["table"], one.signals["table"])
    motion.plot(tmp_path / "loop.png")
    with pytest.raises(SettingError, match="steps is 0"):
        ClosedLoop(ROBOT, counting).simulate([0.1, 0.2], steps=0)
    assert str(ClosedLoop(ROBOT, counting).simulate([0.1, 0.2], steps=3, h=2e-3)).count("step 0.002 s") == 1


@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_lost_motion_is_noted_in_the_words_of_its_warning(batch: tuple[int, ...]) -> None:
    """Also where the rows that are kept show of it only that it is lost: Euler's error grows 1e4-fold a step."""
    Kp = np.full((*batch, 2), 60.0)
    Kp[(1,) if batch else ()] = 1e8
    loop = ClosedLoop(ROBOT, pd_gravity, method=Euler(1e-2))
    with pytest.warns(DivergenceWarning) as said:
        motion = loop.simulate(np.zeros((*batch, 2)), steps=30, every=10, **{**AIM, "Kp": Kp})
    told = motion.notes[-1]
    assert told == str(said[0].message)
    assert ("1 of 3 arms" in told) == bool(batch)
    assert not any("not finite to the end" in note for note in motion.notes)
    with pytest.warns(DivergenceWarning):
        rows = ClosedLoop(ROBOT, pd_gravity, method=Euler(1e-2), record=["qd"])(
            np.zeros(2), steps=30, **{**AIM, "Kp": np.full(2, 1e8)}
        ).rows
    last = int(np.isfinite(rows.qd).all(axis=1).sum()) - 1
    fastest = ROBOT.joint_names[np.abs(rows.qd[last]).argmax()]
    assert f"at t = {(last + 1) * 1e-2:g} s, after step {last + 1}: joint {fastest!r} had reached" in told


@armdyn.function("(n),(n),()->(n)")
def swinging(model: Any, q: Any, qd: Any, t: Any) -> Any:
    return np.sin(t) - q - qd


def test_steps_of_each_arm_are_for_controllers_without_the_time() -> None:
    message = r"h has shape \(3,\), a length for each arm or step, but swinging takes the argument t, one time"
    with pytest.raises(SettingError, match=message):
        ClosedLoop(ROBOT, swinging)(np.zeros((3, 2)), steps=3, h=np.array([1e-3, 2e-3, 3e-3]))


def test_what_has_no_trajectory_is_refused() -> None:
    varied = ClosedLoop(ROBOT, parameters=["link_1.mass"])
    with pytest.raises(SettingError, match="parameters are inputs of this loop, so that its arms are not 'planar_2r'"):
        varied.simulate([0.1, 0.2], steps=3, tau=np.zeros(2), link_1_mass=2.0)
    with pytest.raises(ShapeError, match=r"q0 holds no state: shape \(0, 2\)"):
        ClosedLoop(ROBOT).simulate(np.zeros((0, 2)), steps=3, tau=np.zeros(2))
    with pytest.raises(TypeError, match="the loop of 'planar_2r' has no controller, and misses tau; it takes tau, f_"):
        ClosedLoop(ROBOT).simulate(np.zeros(2), steps=3)
    with pytest.raises(SettingError, match="h has a step for each arm or time"):
        ClosedLoop(ROBOT).simulate(np.zeros((2, 2)), steps=3, tau=np.zeros(2), h=np.array([1e-3, 2e-3]))


def spoken(model: Any, q: Any, qd: Any, t: Any, count: Any) -> Counted:
    """Python branches on numbers, so that it is not traced."""
    return Counted(np.array([1.0, -2.0]) * count * (1.0 if q[0] > 0.0 else -1.0) - qd, count + 1.0, np.array([q, qd]))


UNTRACED = armdyn.function("(n),(n),(),()->(n),(),(2,n)", result=Counted)(spoken)
STICKY = ROBOT.with_friction({"joint_1": (0.1, 1.0), "joint_2": (0.0, 50.0)})
SPRINGS, GEARS = (ROBOT.with_actuators(dict.fromkeys(ROBOT.joint_names, DRIVES[name])) for name in ("spring", "gear"))


@pytest.mark.filterwarnings("ignore::armdyn.simulation.UntracedControllerWarning")
@pytest.mark.parametrize(
    ("robot", "controller", "q0"),
    [
        (ROBOT, sampled(pd_gravity, 3), [0.1, 0.2]),
        (ROBOT, UNTRACED, [[0.1, 0.2], [-0.3, 0.4]]),
        (STICKY, pd_gravity, [[0.1, 0.2], [-0.3, 0.4]]),
        (SPRINGS, pd_gravity, [0.1, 0.2]),
        (GEARS, pd_gravity, [0.1, 0.2]),
    ],
    ids=["sampled", "untraced", "sticking", "flexible", "under load"],
)
def test_the_last_row_does_not_depend_on_how_many_are_kept(robot: Any, controller: Any, q0: Any) -> None:
    loop = ClosedLoop(robot, controller, method=RungeKutta4(1e-3))
    aim = {} if controller is UNTRACED else AIM
    each, *fewer = (loop.simulate(q0, steps=22, every=every, **aim) for every in (1, 5, 21, 22, 30))
    for few in fewer:
        assert set(few.signals) == set(each.signals)
        for name in ("q", "qd", "qdd", "tau"):
            np.testing.assert_array_equal(getattr(few, name)[-1], getattr(each, name)[-1], err_msg=name)
        for name, values in few.signals.items():
            np.testing.assert_array_equal(values[-1], each.signals[name][-1], err_msg=name)


@pytest.mark.parametrize("every", [1, 7, 50])
def test_the_last_row_has_what_the_controller_gave_in_the_last_step(every: int) -> None:
    """By the formula of the PID, from the state when that step begins; qdd by the equations of motion."""
    reference = np.linspace(0.0, 1.0, 50)[:, None] * np.array([1.0, -1.0])
    loop = ClosedLoop(ROBOT, saturated(pid, 30.0), method=RungeKutta4(1e-3), over_time=["q_ref"])
    given = {**AIM, "Ki": np.full(2, 40.0)}
    motion = loop.simulate(np.zeros(2), steps=50, every=every, **given | {"q_ref": reference})
    before = loop(np.zeros(2), steps=49, **given | {"q_ref": reference[:49]}).final
    unlimited = 60.0 * (reference[49] - before.q) + 40.0 * before.integral - 20.0 * before.qd
    np.testing.assert_allclose(motion.signals["tau_unlimited"][-1], unlimited, rtol=1e-12)
    np.testing.assert_allclose(motion.tau[-1], np.clip(unlimited, -30.0, 30.0), rtol=1e-12)
    qdd = ROBOT.forward_dynamics(motion.q[-1], motion.qd[-1], motion.tau[-1])
    np.testing.assert_allclose(motion.qdd[-1], qdd, rtol=1e-12)
