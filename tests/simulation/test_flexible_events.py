"""Events of arms with flexible joints, against SciPy's solution of the equations of motion and a closed form."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Smooth, Spring
from armdyn.simulation import Adaptive, Constraints, Crossing, JointLimit, Plane, SettingError, Start
from oracles.two_masses import TwoMasses

FINE = Adaptive(rtol=1e-11, atol=1e-12)
PLAIN = armdyn.load("planar_2r")
DRIVE = Actuator(Motor(1e-3), Gear(20.0), Smooth(Coulomb(0.05), width=0.5), spring=Spring(500.0, damping=0.4))
ARM = PLAIN.with_actuators({"joint_1": DRIVE}).with_limits({"joint_2": (-0.02, 0.005)})
SHELF = Plane("tip", normal=(0, 1, 0), through=(0, -0.7, 0), name="shelf")
FAST = Crossing(lambda t, q, qd: qd[0] + 2.82, "fast")
TAU = np.array([3.0, 0.0])


def zeros(f, until, points=81):
    """All zeros of a function of time."""
    times = np.linspace(0.0, until, points)
    values = [f(t) for t in times]
    return [
        brentq(f, a, b, xtol=1e-15)
        for (a, b), (f_a, f_b) in zip(pairwise(times), pairwise(values), strict=True)
        if f_a * f_b < 0
    ]


def times_of(motion, name):
    return [one.t for one in motion.events if one.name == name]


@pytest.fixture(scope="module")
def solved():
    """(q, qd) of the arm over time by SciPy, from rest."""

    def rates(t, y):
        q, theta, qd, thetad = np.split(y, 4)
        qdd, thetadd = ARM.flexible_forward_dynamics(q, qd, theta, thetad, TAU)
        return [*qd, thetad[0], qd[1], *qdd, thetadd[0], qdd[1]]

    start = [0.0, 0.0, 0.0, 0.0, *np.zeros(4)]
    found = solve_ivp(rates, (0.0, 0.8), start, method="DOP853", rtol=1e-13, atol=1e-13, dense_output=True)
    return lambda t: (found.sol(t)[:2], found.sol(t)[4:6])


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize(("method", "error"), [(FINE, 1e-9), ("rk4", 1e-7)], ids=["adaptive", "rk4"])
def test_events_have_the_times_of_a_dense_solution(solved, method, error):
    """To 1e-9 s by the adaptive method; Runge-Kutta steps of 1 ms have an error of their own."""
    motion = armdyn.simulate(
        ARM, [0, 0], torque=TAU, duration=0.8, method=method, events=[JointLimit("joint_2"), SHELF, FAST]
    )
    tip = lambda t: PLAIN.forward_kinematics(solved(t)[0])[1, 3]  # noqa: E731
    expected = {
        "shelf": zeros(lambda t: tip(t) + 0.7, 0.8),
        "fast": zeros(lambda t: solved(t)[1][0] + 2.82, 0.8),
        "joint_2 upper limit": [t for t in zeros(lambda t: solved(t)[0][1] - 0.005, 0.8) if solved(t)[1][1] > 0],
        "joint_2 lower limit": [t for t in zeros(lambda t: solved(t)[0][1] + 0.02, 0.8) if solved(t)[1][1] < 0],
    }
    assert [len(times) for times in expected.values()] == [1, 3, 2, 1]
    for name, times in expected.items():
        np.testing.assert_allclose(times_of(motion, name), times, rtol=0, atol=error)
    for one in motion.events:
        q, qd = solved(one.t)
        np.testing.assert_allclose(one.q, q, rtol=0, atol=error)
        np.testing.assert_allclose(one.qd, qd, rtol=0, atol=100 * error)


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_events_that_do_not_end_it_do_not_change_the_motion(method):
    settings = {"duration": 0.3, "torque": TAU, "method": method}
    motion, without = (armdyn.simulate(ARM, [0, 0], **settings, **more) for more in ({"events": [SHELF, FAST]}, {}))
    np.testing.assert_allclose(motion.q, without.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.qdd, without.qdd, rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion.signals["theta"], without.signals["theta"], rtol=0, atol=1e-13)
    assert set(motion.signals) == {"theta", "thetad"}
    assert abs(motion.energy.relative_drift).max() < 1e-8


def test_a_terminal_event_ends_the_motion(solved):
    last = Crossing(lambda t, q, qd: q[0] + 0.3, "last", terminal=True)
    motion = armdyn.simulate(ARM, [0, 0], torque=TAU, duration=0.8, method=FINE, events=[last])
    np.testing.assert_allclose(motion.t[-1], zeros(lambda t: solved(t)[0][0] + 0.3, 0.8)[0], rtol=0, atol=1e-10)
    assert abs(motion.q[-1, 0] + 0.3) < 1e-12
    assert np.isfinite(motion.signals["theta"]).all()
    with pytest.raises(SettingError, match="a terminal event ends the simulation, of a single state"):
        armdyn.simulate(ARM, [[0, 0], [0, 1]], duration=0.1, events=[last])


@pytest.mark.slow
def test_events_beside_a_rotor_that_sticks_and_slips():
    """The link passes a speed while friction stops, turns and holds the rotor, as in closed form."""
    hinge = PLAIN.with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
    inertia = float(hinge.mass_matrix([0.0])[0, 0])
    robot = hinge.with_actuators({"joint_1": Actuator(Motor(0.4), None, Coulomb(2.0), spring=Spring(30.0))})
    state = 0.4, 1.0, 0.0, 0.0
    stick_slip, at = TwoMasses(inertia, 0.4, 30.0, static=2.0, kinetic=2.0).motion(state, 3.0)
    level = Crossing(lambda t, q, qd: qd[0] - 0.72, "level")
    start = {"elements": [Start(theta=state[2:3], thetad=state[3:])], "duration": 3.0}
    motion = armdyn.simulate(robot, state[:1], state[1:2], **start, method=FINE, events=[level])
    expected = zeros(lambda t: at(t)[1] - 0.72, 3.0)
    assert len(expected) >= 4
    assert len(stick_slip) >= 4
    np.testing.assert_allclose(times_of(motion, "level"), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(times_of(motion, "joint_1 rotor"), [t for t, _ in stick_slip], rtol=0, atol=1e-9)


@pytest.mark.slow
def test_a_batch_is_made_of_motions_alone():
    states = np.array([[0.0, 0.0], [0.2, -0.1]])
    motion = armdyn.simulate(ARM, states, duration=0.4, events=[SHELF])
    for k, state in enumerate(states):
        alone = armdyn.simulate(ARM, state, duration=0.4, events=[SHELF])
        np.testing.assert_array_equal(motion.q[:, k], alone.q)
        np.testing.assert_array_equal(motion.signals["theta"][:, k], alone.signals["theta"])
        assert [one.t for one in motion.events if one.index == (k,)] == [one.t for one in alone.events]


def test_refused():
    for method in ("taylor", "abm4", "variational"):
        with pytest.raises(SettingError, match=r"cannot stop at events|flexible joints"):
            armdyn.simulate(ARM, [0, 0], duration=0.1, events=[SHELF], method=method)
    with pytest.raises(SettingError, match=r"Constraints\(project=True\), but .* has no constraints to project onto"):
        armdyn.simulate(ARM, [0, 0], duration=0.1, events=[SHELF], elements=[Constraints(project=True)])
