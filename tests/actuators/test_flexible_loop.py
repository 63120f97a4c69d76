"""Arms with flexible joints over time, in compiled loops."""

import pickle

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring, Viscous, vibration_modes
from armdyn.simulation import Heun, RungeKutta4
from oracles.flexible import flexible

ARM = armdyn.load("planar_2r").with_gravity((0.0, -9.81, 0.0))
BOTH = flexible(ARM, {"joint_1": Spring(900.0, cubic=4e3), "joint_2": Spring(600.0)})


def missing(robot: armdyn.Robot, h: float, duration: float = 1.0) -> tuple[float, float]:
    """What the energy account is out by after a time, and the work that was done, J."""
    loop = armdyn.ClosedLoop(robot, method=RungeKutta4(step=h), energy=True)
    q, qd, theta, tau = np.array([0.3, -0.2]), np.array([0.4, 2.0]), np.array([0.31, -0.17]), np.array([9.0, -4.0])
    theta = np.where([joint.has_spring for joint in robot.joints], theta, q)
    final = loop(q, qd, theta=theta, steps=round(duration / h), tau=tau).final

    def stored(q: np.ndarray, qd: np.ndarray, theta: np.ndarray, thetad: np.ndarray) -> float:
        kinetic = robot.flexible_kinetic_energy(q, qd, thetad)
        return float(kinetic + robot.potential_energy(q) + robot.spring_energy(q, theta))

    gained = stored(final.q, final.qd, final.theta, final.thetad) - stored(q, qd, theta, qd)
    return abs(gained - float(final.work)), abs(float(final.work))


@pytest.mark.parametrize("damped", [False, True])
def test_energies_close(damped: bool) -> None:
    """Kinetic, potential and spring energy against the work, to the error of the integrator, of fourth order."""
    springs = {"joint_1": Spring(900.0, 6.0 * damped, 4e3), "joint_2": Spring(600.0, 2.0 * damped)}
    robot = flexible(ARM, springs, *([Viscous(0.5)] if damped else []))
    (coarse, _), (fine, work) = missing(robot, 1e-3), missing(robot, 2.5e-4)
    assert work > 1.0
    assert fine < 1e-8 * work
    assert fine < coarse / 100.0  # 4^4 = 256 but for rounding


def test_a_rigid_joint_is_one_with_its_rotor() -> None:
    robot = flexible(ARM, {"joint_1": None, "joint_2": Spring(600.0)})
    loop = armdyn.ClosedLoop(robot, method=RungeKutta4(step=1e-3), record=["q", "theta"])
    rows = loop([0.3, -0.2], steps=50, tau=[9.0, -4.0]).rows
    np.testing.assert_array_equal(rows.theta[:, 0], rows.q[:, 0])
    assert abs(rows.theta[:, 1] - rows.q[:, 1]).max() > 1e-3
    assert missing(robot, 2.5e-4)[0] < 1e-8


def test_one_joint_swings_in_closed_form() -> None:
    """Rotor against link at w = sqrt(k (1/I + 1/B)) while their common momentum stays."""
    arm = armdyn.load("planar_2r").with_locked({"joint_2": 0.7}).with_gravity((0.0, 0.0, 0.0))
    inertia, B, k = float(arm.mass_matrix([0.3])[0, 0]), 0.4, 2000.0
    arm = arm.with_actuators({"joint_1": Actuator(Motor(B), spring=Spring(k))})
    w = vibration_modes(arm, [0.0]).frequencies[0]
    loop = armdyn.ClosedLoop(arm, method=RungeKutta4(step=1e-4), record=["q", "theta"])
    rows = loop([0.0], theta=[0.1], steps=3000, every=100, tau=[0.0]).rows
    t = 1e-2 * np.arange(30)
    x = 0.1 * np.cos(w * t)
    middle = 0.1 * B / (inertia + B)
    np.testing.assert_allclose(rows.theta[:, 0] - rows.q[:, 0], x, atol=1e-9)
    np.testing.assert_allclose(rows.q[:, 0], middle - x * B / (inertia + B), atol=1e-9)
    assert t[-1] * w > 6.0


def test_stiffer_arms_move_as_the_rigid_one() -> None:
    errors = []
    for soft in (1.0, 10.0):
        springs = {"joint_1": Spring(soft * 3e4, soft * 60.0), "joint_2": Spring(soft * 2e4, soft * 40.0)}
        robot = flexible(ARM, springs)
        stiff = robot.without_springs()
        start, tau, method = [0.3, -0.2], [9.0, -4.0], RungeKutta4(step=1e-4)
        bent = stiff.forward_dynamics(start, [0, 0], tau)
        loads = np.array(tau) - [joint.armature for joint in robot.joints] * bent
        theta = start + loads / [soft * 3e4, soft * 2e4]
        given = {"steps": 3000, "tau": tau}
        moved = armdyn.ClosedLoop(robot, method=method)(start, theta=theta, **given).final.q
        errors.append(abs(moved - armdyn.ClosedLoop(stiff, method=method)(start, **given).final.q).max())
    assert errors[0] < 0.01
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)


def test_rates_along_gains_and_pickles() -> None:
    """A controller of its own reads the rotors; gradients and rates are those of differences."""
    loop = armdyn.ClosedLoop(BOTH, armdyn.control.motor_pd_gravity, method=Heun(step=1e-3))
    target, gains = np.array([0.5, -0.4]), {"Kp": np.full(2, 80.0), "Kd": np.full(2, 9.0)}

    def final(kp: float) -> np.ndarray:
        return np.asarray(loop(np.zeros(2), steps=200, q_ref=target, **{**gains, "Kp": np.full(2, kp)}).final.q)

    along = loop.jvp("Kp")(np.zeros(2), steps=200, q_ref=target, **gains, tangent_Kp=np.ones(2)).final.q
    np.testing.assert_allclose(along, (final(80.01) - final(79.99)) / 0.02, rtol=1e-6)
    again = pickle.loads(pickle.dumps(loop))  # noqa: S301 - its own
    assert "theta" in again.state
    np.testing.assert_array_equal(again(np.zeros(2), steps=20, q_ref=target, **gains).final.theta,
                                  loop(np.zeros(2), steps=20, q_ref=target, **gains).final.theta)  # fmt: skip


def test_friction_takes_energy() -> None:
    """What rubs behind the spring counts as negative work, and as heat."""
    drive = Actuator(Motor(2e-5), Gear(100.0), (Viscous(3.0), Coulomb(2.0)), spring=Spring(900.0, 5.0))
    arm = ARM.with_actuators({"joint_1": drive})
    loop = armdyn.ClosedLoop(arm, method=RungeKutta4(step=1e-3), energy=True, record=["work", "heat"])
    rows = loop([0.3, -0.2], steps=100, tau=[0.0, 0.0]).rows
    assert (np.diff(rows.work) <= 0.0).all()
    assert rows.work[-1] < -1e-3
    np.testing.assert_allclose(rows.heat, -rows.work, rtol=1e-13)
