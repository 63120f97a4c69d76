"""Taylor series by heyoka, where it is installed."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import armdyn
from armdyn.simulation import Adaptive, SaveAt, SettingError, SimulationError, Taylor

pytest.importorskip("heyoka")

Q0, QD0 = np.array([0.1, -0.5, 0.7, 0.2, 0.4, -0.3]), np.full(6, 0.5)


def test_pendulum_of_jacobi_to_machine_precision() -> None:
    """One link of `planar_2r` with the other held straight: sin(q / 2) = k cd(w t, k)."""
    robot = armdyn.load("planar_2r").with_locked({"joint_2": 0.0})
    inertia, gravity = float(robot.mass_matrix([0.0])[0, 0]), float(robot.gravity_forces([0.0])[0])
    angle, omega = 2.0, np.sqrt(gravity / inertia)
    motion = armdyn.simulate(robot, [angle - np.pi / 2], duration=5.0, method="taylor")
    m = np.sin(angle / 2) ** 2
    exact = 2 * np.arcsin(np.sqrt(m) * ellipj(ellipk(m) - omega * motion.t, m)[0])
    np.testing.assert_allclose(motion.q[:, 0] + np.pi / 2, exact, rtol=0, atol=2e-13)
    assert np.abs(motion.energy.relative_drift).max() < 1e-14


@pytest.mark.parametrize("f_tip", [None, np.linspace(3, 1, 6)])
def test_ur5_with_a_table_against_the_adaptive_method(f_tip: np.ndarray | None) -> None:
    robot, rows = armdyn.load("ur5"), np.random.default_rng(0).normal(size=(4, 6)) * 3
    options = {"duration": 0.4, "torque": rows, "f_tip": f_tip}
    series = armdyn.simulate(robot, Q0, QD0, method="taylor", save=SaveAt(every=0.05, dense=True), **options)
    solver = armdyn.simulate(
        robot, Q0, QD0, method=Adaptive(rtol=1e-13, atol=1e-13), save=SaveAt(every=0.05), **options
    )
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(series, name), getattr(solver, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(series.energy.work, solver.energy.work, rtol=1e-9, atol=1e-10)
    assert np.abs(series.energy.relative_drift).max() < 1e-14
    np.testing.assert_allclose(series.at(series.t).q, series.q, rtol=1e-13, atol=1e-14)


def test_a_batch_is_its_states_one_by_one() -> None:
    robot, q0 = armdyn.load("planar_2r"), np.random.default_rng(0).normal(size=(3, 2))
    batch = armdyn.simulate(robot, q0, duration=0.5, method=Taylor(1e-12), save=SaveAt(dense=True))
    for k in range(3):
        alone = armdyn.simulate(robot, q0[k], duration=0.5, method=Taylor(1e-12))
        np.testing.assert_allclose(batch.pick(k).q, alone.q, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(batch.pick(k).at(0.123).q, alone.at(0.123).q, atol=1e-10)


def test_errors() -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(SettingError, match="cannot where torque or f_tip is a callable; give numbers or a table"):
        armdyn.simulate(robot, [0, 0], duration=0.1, torque=lambda t, q, qd: -qd, method="taylor")
    with pytest.raises(SettingError, match="tolerance is 0; expected"):
        Taylor(0)
    with pytest.raises(SimulationError, match=r"not be continued at t = 0 s: joint 'joint_1' had reached 1e\+200"):
        armdyn.simulate(robot, [0, 0], [1e200, 0], duration=0.1, method="taylor")


@pytest.mark.parametrize("tolerance", [2.3e-16, 1e-10])
@pytest.mark.parametrize(
    ("name", "q0"), [("planar_2r", [0.0, 0.0]), ("planar_2r", [np.pi, 0.0]), ("ucl_2r", [0.0, np.pi])]
)
def test_steps_end_where_symmetry_leaves_few_coefficients(name: str, q0: list[float], tolerance: float) -> None:
    """From rest in a symmetric state most orders of the series vanish, the last ones among them."""
    robot = armdyn.load(name)
    motion = armdyn.simulate(robot, q0, duration=1.0, method=Taylor(tolerance))
    true = armdyn.simulate(robot, q0, duration=1.0, method=Adaptive(rtol=1e-13, atol=1e-13))
    np.testing.assert_allclose(motion.q[-1], true.q[-1], rtol=0, atol=1e-11)
    assert np.abs(motion.energy.drift).max() < 1e-9
    assert motion.statistics.steps > 10
