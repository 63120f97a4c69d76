"""`armdyn.simulate` of arms with flexible joints: against the compiled loop, energies, stiff springs, errors."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Motor, Spring, Viscous
from armdyn.simulation import Adaptive, OverTime, RungeKutta4, SaveAt, SettingError, SimulationError, Start
from oracles.flexible import flexible

ARM = armdyn.load("planar_2r").with_gravity((0.0, -9.81, 0.0))
ROBOT = flexible(ARM, {"joint_1": Spring(900.0, cubic=4e3), "joint_2": None}, Viscous(0.3))
START = {"q0": [0.3, -0.2], "qd0": [0.4, 2.0], "elements": [Start(theta=[0.31, 0.0], thetad=[0.1, 0.0])]}
TAU, F_TIP = [9.0, -4.0], [0.1, 0.2, 0.3, 3.0, -2.0, 1.0]


@pytest.mark.short_run("rk4")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_energies_close_and_rotors_are_kept(method: str) -> None:
    chosen = method if method == "adaptive" else RungeKutta4(step=2e-4)
    motion = armdyn.simulate(ROBOT, **START, duration=0.4, torque=TAU, f_tip=F_TIP, method=chosen)
    assert abs(motion.energy.relative_drift).max() < 1e-8
    assert motion.energy.scale > 1.0
    assert motion.signals["theta"].shape == motion.q.shape
    np.testing.assert_array_equal(motion.signals["theta"][:, 1], motion.q[:, 1])
    assert motion.signals["theta"][0, 0] == 0.31
    assert motion.signals["thetad"][0, 0] == 0.1
    assert abs(motion.signals["theta"] - motion.q).max() > 1e-3
    k = 100
    state = motion.q[k], motion.qd[k], motion.signals["theta"][k], motion.signals["thetad"][k]
    np.testing.assert_allclose(motion.qdd[k], ROBOT.flexible_forward_dynamics(*state, TAU, F_TIP)[0], rtol=1e-11)


def test_fixed_steps_are_those_of_the_compiled_loop() -> None:
    method = RungeKutta4(step=1e-3)
    motion = armdyn.simulate(ROBOT, **START, duration=0.1, torque=TAU, method=method)
    final = armdyn.ClosedLoop(ROBOT, method=method)(
        START["q0"], START["qd0"], theta=[0.31, 0.0], thetad=[0.1, 0.0], steps=100, tau=TAU
    ).final
    np.testing.assert_allclose(motion.q[-1], final.q, rtol=1e-12)
    np.testing.assert_allclose(motion.signals["thetad"][-1], final.thetad, rtol=1e-11)


def test_methods_agree_on_batches_tables_and_callables() -> None:
    q0 = np.array([[0.3, -0.2], [0.1, 0.5]])
    table = OverTime([0.0, 0.05, 0.2], [[9.0, -4.0], [3.0, 1.0], [0.0, 0.0]])

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([3.0, 1.0]) * np.sin(20.0 * t) - 2.0 * qd

    for torque in (table, law):
        adaptive = armdyn.simulate(ROBOT, q0, duration=0.2, torque=torque, save=SaveAt(every=0.05))
        fixed = armdyn.simulate(
            ROBOT, q0, duration=0.2, torque=torque, save=SaveAt(every=0.05), method=RungeKutta4(step=5e-4)
        )
        np.testing.assert_allclose(adaptive.t, fixed.t, atol=1e-15)
        np.testing.assert_allclose(adaptive.signals["theta"], fixed.signals["theta"], atol=1e-7)
        np.testing.assert_allclose(adaptive.q, fixed.q, atol=1e-7)
        alone = armdyn.simulate(ROBOT, q0[1], duration=0.2, torque=torque, save=SaveAt(every=0.05))
        np.testing.assert_array_equal(adaptive.q[:, 1], alone.q)


@pytest.mark.slow
def test_an_implicit_method_takes_few_steps_of_stiff_springs() -> None:
    """Damped and a thousand times stiffer: the implicit solver follows the slow motion, the explicit one the fast."""
    stiff = flexible(ARM, {"joint_1": Spring(3e6, 1e4), "joint_2": Spring(2e6, 1e4)})
    given = {"q0": [0.3, -0.2], "duration": 0.2, "torque": TAU, "save": SaveAt(every=0.1)}
    implicit, explicit = (
        armdyn.simulate(stiff, method=Adaptive(1e-6, 1e-8, scipy_method=name), **given) for name in ("Radau", "DOP853")
    )
    np.testing.assert_allclose(implicit.q, explicit.q, atol=1e-5)
    assert implicit.statistics.steps < explicit.statistics.steps / 5
    rigid = armdyn.simulate(stiff.without_springs(), **given)
    np.testing.assert_allclose(implicit.q, rigid.q, atol=1e-4)


def test_errors() -> None:
    with pytest.raises(SettingError, match=r"Start\(theta=\.\.\.\) is given, but no joint"):
        armdyn.simulate(ARM, [0, 0], elements=[Start(theta=[0, 0])], duration=0.1)
    for method in ("taylor", "variational", "abm4"):
        with pytest.raises(SettingError, match="flexible joints"):
            armdyn.simulate(ROBOT, [0, 0], duration=0.1, method=method)
    with pytest.raises(armdyn.ShapeError, match="theta"):
        armdyn.simulate(ROBOT, [0, 0], elements=[Start(theta=[0, 0, 0])], duration=0.1)
    soft = ARM.with_actuators({"joint_1": Actuator(Motor(1e-7), spring=Spring(1e6))})
    with pytest.raises(
        SimulationError, match=r"fastest\. The step of 0\.001 s is too long for the spring of joint 'joint_1'"
    ):
        armdyn.simulate(soft, [0, 0], elements=[Start(theta=[0.1, 0])], duration=0.5, method="rk4")
