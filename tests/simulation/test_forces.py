"""Torques and tip wrenches as constants, tables and callables, for one state and for batches; the work they do."""

import numpy as np
import pytest

import armdyn
from armdyn.simulation import Adaptive, Euler, SaveAt, SettingError
from oracles.cases import Case

METHODS = ("euler", "rk4", "adaptive")
Q0, QD0 = np.array([0.1, -0.5, 0.7, 0.2, 0.4, -0.3]), np.full(6, 0.2)


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", METHODS)
def test_constant_is_a_table_of_equal_rows_is_a_callable(ur5: Case, method: str) -> None:
    tau, f_tip = np.linspace(-2, 2, 6), np.linspace(3, 1, 6)
    common = {"duration": 0.2, "method": method, "save": SaveAt(every=0.02)}
    constant = armdyn.simulate(ur5.robot, Q0, QD0, torque=tau, f_tip=f_tip, **common)
    rows = 200
    table = armdyn.simulate(
        ur5.robot, Q0, QD0, torque=np.tile(tau, (rows, 1)), f_tip=np.tile(f_tip, (rows, 1)), **common
    )
    called = armdyn.simulate(ur5.robot, Q0, QD0, torque=lambda *_: tau, f_tip=lambda *_: f_tip, **common)
    for other in (table, called):
        np.testing.assert_allclose(other.q, constant.q, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other.energy.work, constant.energy.work, rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(other.tau, constant.tau)
        np.testing.assert_array_equal(other.f_tip, constant.f_tip)


def test_euler_samples_a_callable_as_a_table(ur5: Case) -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(50, 6))
    common = {"duration": 0.05, "method": "euler"}
    by_table = armdyn.simulate(ur5.robot, Q0, QD0, torque=table, **common)
    by_call = armdyn.simulate(ur5.robot, Q0, QD0, torque=lambda t, *_: table[min(round(t / 1e-3), 49)], **common)
    np.testing.assert_array_equal(by_call.q, by_table.q)
    np.testing.assert_array_equal(by_table.tau[:-1], table)
    np.testing.assert_array_equal(by_table.tau[-1], table[-1])


def test_adaptive_starts_anew_at_each_row(ur5: Case) -> None:
    """Jumps do not cost accuracy: the motion is that of one simulation after the other.

    Steps depend on the work too, which is zero at the start of the second simulation only, so both have errors of their
    own: tolerances are far below the difference that is allowed.
    """
    table = np.array([[5.0, 0, 0, 0, 0, 0], [-5.0, 8, 0, 0, 0, 1]])
    tight = Adaptive(rtol=1e-13, atol=1e-13)
    whole = armdyn.simulate(ur5.robot, Q0, QD0, duration=0.4, torque=table, method=tight, save=SaveAt(every=0.1))
    first = armdyn.simulate(ur5.robot, Q0, QD0, duration=0.2, torque=table[0], method=tight)
    second = armdyn.simulate(ur5.robot, first.q[-1], first.qd[-1], duration=0.2, torque=table[1], method=tight)
    np.testing.assert_allclose(whole.q[-1], second.q[-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(whole.tau, table[[0, 0, 1, 1, 1]])


def test_euler_calls_once_a_step_and_in_order(ur5: Case) -> None:
    times: list[float] = []

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        times.append(t)
        return np.zeros(6)

    armdyn.simulate(ur5.robot, Q0, duration=0.01, torque=torque, method="euler", save=SaveAt(every=0.005))
    np.testing.assert_allclose(times, np.arange(11) * 1e-3)


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_work_balance(case: Case, method: str) -> None:
    """Kinetic + potential energy changes by what torques put in and the tip gives away."""
    rng = np.random.default_rng(5)
    q0, qd0, amplitude = rng.uniform(-0.5, 0.5, (3, case.n))
    f_tip = rng.uniform(-1, 1, 6)

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return case.robot.inverse_dynamics(q, qd, amplitude * np.cos(9 * t) - qd, f_tip)

    energy = armdyn.simulate(case.robot, q0, qd0, duration=0.2, method=method, torque=torque, f_tip=f_tip).energy
    assert np.abs(energy.work).max() > 1e-3
    assert np.abs(energy.relative_drift).max() < 1e-8


def test_power_of_the_tip_is_wrench_times_twist(ur5: Case) -> None:
    """Against the Jacobian: dW/dt = tau . qd - f_tip . (J qd)."""
    f_tip, tau = np.linspace(3, 1, 6), np.linspace(-1, 1, 6)
    t = armdyn.simulate(ur5.robot, Q0, QD0, duration=0.3, f_tip=f_tip, torque=tau)
    twist = np.einsum("tij,tj->ti", ur5.robot.jacobian(t.q), t.qd)
    power = t.qd @ tau - twist @ f_tip
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t.t))])
    np.testing.assert_allclose(t.energy.work, work, atol=1e-5)


def test_energy_drift_of_the_falling_ur5() -> None:
    energy = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=3.0).energy
    assert np.abs(energy.drift).max() < 1e-8
    assert np.abs(energy.relative_drift).max() < 2e-10
    np.testing.assert_array_equal(energy.work, 0.0)
    np.testing.assert_allclose(energy.total, energy.total[0], atol=1e-8)


def test_an_arm_at_rest_has_no_drift() -> None:
    robot = armdyn.load("planar_2r").with_gravity([0, 0, 0])
    np.testing.assert_array_equal(armdyn.simulate(robot, [1.0, 2.0], duration=0.1).energy.relative_drift, 0.0)


@pytest.mark.short_run("adaptive", "euler")
@pytest.mark.parametrize("method", METHODS)
def test_a_batch_is_its_singles(ur5: Case, method: str) -> None:
    rng = np.random.default_rng(2)
    q0, tau = rng.uniform(-1, 1, (2, 3, 6)), rng.uniform(-1, 1, (2, 3, 6))
    table = rng.uniform(-1, 1, (50, 2, 1, 6))
    common = {"duration": 0.05, "method": method, "save": SaveAt(every=0.01)}
    batch = armdyn.simulate(ur5.robot, q0, QD0, torque=tau, f_tip=table, **common)
    assert batch.batch == (2, 3)
    assert batch.q.shape == (6, 2, 3, 6)
    assert batch.energy.kinetic.shape == (6, 2, 3)
    for index in np.ndindex(2, 3):
        single = armdyn.simulate(ur5.robot, q0[index], QD0, torque=tau[index], f_tip=table[:, index[0], 0], **common)
        picked = batch.pick(*index)
        for name in ("q", "qd", "qdd", "tau", "f_tip"):
            np.testing.assert_allclose(getattr(picked, name), getattr(single, name), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(picked.energy.drift, single.energy.drift, atol=1e-12)


def test_a_callable_sees_the_whole_batch_with_fixed_steps_and_one_state_otherwise(ur5: Case) -> None:
    seen: dict[str, set[tuple[int, ...]]] = {m: set() for m in METHODS}
    for method in METHODS:

        def torque(t: float, q: np.ndarray, qd: np.ndarray, seen=seen[method]) -> np.ndarray:
            seen.add(q.shape)
            return -qd

        armdyn.simulate(ur5.robot, np.zeros((4, 6)), duration=0.01, torque=torque, method=method)
    assert seen == {"euler": {(4, 6)}, "rk4": {(4, 6)}, "adaptive": {(6,)}}


def test_callables_of_other_arguments_are_refused(ur5: Case) -> None:
    settings = {"q0": np.zeros(6), "duration": 0.01}
    with pytest.raises(
        SettingError,
        match=r"torque=pd_gravity is a function of \(model, ...\).*controller=functools.partial\(pd_gravity,",
    ):
        armdyn.simulate(ur5.robot, **settings, torque=armdyn.control.pd_gravity)
    with pytest.raises(SettingError, match=r"torque=.* cannot be called as torque\(t, q, qd\): "):
        armdyn.simulate(ur5.robot, **settings, torque=lambda q, qd: qd)
    with pytest.raises(SettingError, match=r"torque is <closed loop of 'ur5'.*own simulate\(q0, qd0, steps=..."):
        armdyn.simulate(ur5.robot, **settings, torque=armdyn.ClosedLoop(ur5.robot))


def test_a_callable_may_return_one_torque_for_all(ur5: Case) -> None:
    tau = np.arange(6.0)
    batch = armdyn.simulate(ur5.robot, np.zeros((4, 6)), duration=0.01, torque=lambda *_: list(tau), method="rk4")
    assert np.array_equal(batch.tau, np.broadcast_to(tau, batch.tau.shape))


@pytest.mark.short_run("euler", "adaptive")
@pytest.mark.parametrize("method", METHODS)
def test_a_bad_state_leaves_the_others_alone(ur5: Case, method: str) -> None:
    q0 = np.array([Q0, np.full(6, np.nan), Q0 + 0.1])
    qd0 = np.array([QD0, QD0, QD0 * 0 + 1e200])
    alone = armdyn.simulate(ur5.robot, Q0, QD0, duration=0.02, method=method)
    batch = armdyn.simulate(ur5.robot, q0, qd0, duration=0.02, method=method)
    np.testing.assert_array_equal(batch.pick(0).q, alone.q)
    assert np.isnan(batch.q[:, 1]).all()
    assert not np.isfinite(batch.qd[-1, 2]).all()
    (note,) = (n for n in batch.notes if "finite" in n)
    assert note.startswith("2 of 3 states are not finite to the end, the first from t = 0 s on: (1,), (2,)")


def test_a_state_that_runs_away_names_time_and_joint(ur5: Case) -> None:
    qd0 = np.array([QD0, [0, 0, 0, 1e6, 0, 0]])
    motion = armdyn.simulate(ur5.robot, Q0, qd0, duration=0.5, method=Euler(step=1e-2))
    row = int(np.isfinite(motion.q[:, 1]).all(axis=-1).argmin())
    fastest = ur5.robot.joint_names[np.abs(motion.qd[row - 1, 1]).argmax()]
    (note,) = (n for n in motion.notes if "finite" in n)
    assert note == (
        f"1 of 2 states are not finite to the end, the first from t = {motion.t[row]:g} s on, {fastest!r} the fastest "
        "joint before: (1,)"
    )
