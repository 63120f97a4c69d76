"""`Trajectory.at`: by the interpolants of the solver, and between saved states."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.simulation import Adaptive, SaveAt, SettingError, Stops

START, RATES = np.array([0.3, -0.4]), np.array([1.0, -2.0])
TIMES = np.linspace(0.0, 1.0, 38)


@pytest.fixture(scope="module")
def robot() -> armdyn.Robot:
    return armdyn.load("planar_2r")


@pytest.fixture(scope="module")
def exact(robot: armdyn.Robot) -> armdyn.Trajectory:
    return armdyn.simulate(
        robot, START, RATES, duration=1.0, save=SaveAt(times=TIMES), method=Adaptive(rtol=1e-13, atol=1e-13)
    )


@pytest.mark.parametrize("scipy_method", ["DOP853", "RK45", "Radau", "BDF", "LSODA"])
def test_interpolants_of_the_solver(robot: armdyn.Robot, exact: armdyn.Trajectory, scipy_method: str) -> None:
    method = Adaptive(1e-9, 1e-9, scipy_method)
    motion = armdyn.simulate(robot, START, RATES, duration=1.0, method=method, save=SaveAt(every=0.5, dense=True))
    q, qd = motion.at(TIMES)
    np.testing.assert_allclose(q, exact.q, atol=1e-6)
    np.testing.assert_allclose(qd, exact.qd, atol=1e-5)
    np.testing.assert_allclose(motion.at(motion.t).q, motion.q, rtol=1e-12, atol=1e-13)


def test_order_between_saved_states(robot: armdyn.Robot) -> None:
    """Fifth of q and fourth of qd."""
    times, errors = np.linspace(0.0, 1.0, 998), []
    exact = armdyn.simulate(
        robot, START, RATES, duration=1.0, save=SaveAt(times=times), method=Adaptive(rtol=1e-13, atol=1e-13)
    )
    for every in (0.02, 0.01):
        motion = armdyn.simulate(
            robot, START, RATES, duration=1.0, save=SaveAt(every=every), method=Adaptive(rtol=1e-13, atol=1e-13)
        )
        q, qd = motion.at(times)
        errors.append([np.linalg.norm(q - exact.q), np.linalg.norm(qd - exact.qd)])
        np.testing.assert_array_equal(motion.at(motion.t).q[:-1], motion.q[:-1])
    np.testing.assert_allclose(np.log2(np.divide(*errors)), [5, 4], atol=0.1)


def test_between_rows_of_a_table(robot: armdyn.Robot) -> None:
    """The torque jumps at every saved state, and only the acceleration behind it belongs to what follows."""
    options = {"duration": 1.0, "torque": np.random.default_rng(0).normal(size=(100, 2)) * 5}
    coarse = armdyn.simulate(robot, START, RATES, save=SaveAt(every=0.01), **options)
    fine = armdyn.simulate(robot, START, RATES, save=SaveAt(every=0.001), **options)
    np.testing.assert_allclose(coarse.at(fine.t).q, fine.q, atol=1e-6)
    np.testing.assert_allclose(coarse.at(fine.t).qd, fine.qd, atol=1e-4)


def test_shapes(robot: armdyn.Robot) -> None:
    starts = np.random.default_rng(2).normal(size=(3, 2, 2))
    for options in ({"save": SaveAt(dense=True)}, {"method": "rk4"}):
        batch = armdyn.simulate(robot, starts, duration=0.2, **options)
        assert batch.at(0.1).q.shape == (3, 2, 2)
        assert batch.at(np.full((4, 5), 0.1)).qd.shape == (4, 5, 3, 2, 2)
        one = batch.pick(-1, 0)
        np.testing.assert_array_equal(one.at(TIMES / 5).q, batch.at(TIMES / 5).q[:, 2, 0])


def test_from_a_file_it_is_between_saved_states(robot: armdyn.Robot, tmp_path: Path) -> None:
    motion = armdyn.simulate(robot, START, RATES, duration=0.2, save=SaveAt(dense=True))
    motion.save(tmp_path / "motion.npz")
    read = armdyn.Trajectory.load(tmp_path / "motion.npz")
    np.testing.assert_allclose(read.at(0.1234).q, motion.at(0.1234).q, atol=1e-9)


def test_errors(robot: armdyn.Robot) -> None:
    motion = armdyn.simulate(robot, START, duration=0.2, method="rk4")
    with pytest.raises(SettingError, match=r"t reaches from 0 to 0\.3 s; the motion is known from 0 to 0\.2 s"):
        motion.at([0.0, 0.3])
    with pytest.raises(SettingError, match=r"t\[1\] is nan"):
        motion.at([0.0, np.nan])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": Adaptive(scipy_method="RK45")},
        {"method": "radau"},
        {"torque": lambda t, q, qd: -qd},
        {"elements": [Stops()]},
    ],
)
def test_dense_output_is_pickled(options: dict[str, Any]) -> None:
    robot = armdyn.load("planar_2r").with_limits({"joint_2": (-0.3, 0.3)})
    motion = armdyn.simulate(robot, [0.1, 0.2], duration=0.3, save=SaveAt(every=0.1, dense=True), **options)
    copy = pickle.loads(pickle.dumps(motion))  # noqa: S301
    np.testing.assert_array_equal(copy.at([0.05, 0.123, 0.29]), motion.at([0.05, 0.123, 0.29]))
