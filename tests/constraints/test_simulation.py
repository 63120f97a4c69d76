"""A four-bar that swings for seconds: its energy, its drift, and its crank against Lagrange's one equation."""

import mpmath as mp
import numpy as np
import pytest
from linkages import four_bar, four_bar_by_lagrange
from scipy.integrate import solve_ivp

import armdyn
from armdyn import constraints as c
from armdyn.simulation import Constraints, RungeKutta4, SaveAt

START = 0.4


@pytest.fixture(scope="module")
def swing() -> armdyn.Trajectory:
    robot = four_bar()
    q = robot.close_loop([START, 0.3, 1.2], locked=["joint_of_crank"])
    return armdyn.simulate(robot, q, duration=3.0, save=SaveAt(every=0.25))


def test_crank_moves_as_lagrange_says(swing):
    lagrange = four_bar_by_lagrange()

    def rates(t, y):
        x, v = mp.mpf(float(y[0])), mp.mpf(float(y[1]))
        return [y[1], float(-lagrange.bias(x, v)[0] / lagrange.mass(x, v)[0, 0])]

    with mp.workdps(15):
        alone = solve_ivp(rates, (0.0, 3.0), [START, 0.0], t_eval=swing.t, rtol=1e-9, atol=1e-10, method="DOP853")
    assert abs(swing.q[:, 0]).max() > 1.0  # it swings far
    np.testing.assert_allclose(swing.q[:, 0], alone.y[0], rtol=0, atol=1e-6)


def test_energy_and_drift(swing):
    robot = four_bar()
    total = swing.energy.kinetic + swing.energy.potential
    assert abs(total - total[0]).max() < 1e-7 * abs(total).max()
    assert abs(robot.constraint_error(swing.q)).max() < 1e-7
    assert abs(robot.constraint_velocity(swing.q, swing.qd)).max() < 1e-6
    (note,) = (note for note in swing.notes if "drifted" in note)
    assert "'loop: " in note
    np.testing.assert_allclose(
        robot.constraint_velocity(swing.q, swing.qdd) + robot.constraint_drift(swing.q, swing.qd), 0.0, atol=1e-9
    )


def test_fixed_steps_drift_more_and_say_so():
    robot = four_bar()
    q = robot.close_loop([START, 0.3, 1.2], locked=["joint_of_crank"])
    coarse = armdyn.simulate(robot, np.array([q, q]), duration=0.5, method=RungeKutta4(step=0.01))
    fine = armdyn.simulate(robot, q, duration=0.5, method=RungeKutta4(step=0.005))
    drifts = [abs(robot.constraint_error(motion.q)).max() for motion in (coarse, fine)]
    assert 8 < drifts[0] / drifts[1] < 40  # fourth order
    assert f"drifted from its constraints by up to {drifts[1]:.3g} m" in " ".join(fine.notes)


def test_stabilisation_pulls_back():
    """phi'' + alpha phi' + beta phi = 0 of its own: a critically damped return, whatever else moves."""
    robot = four_bar()
    q = robot.close_loop([START, 0.3, 1.2], locked=["joint_of_crank"]) + np.array([0.0, 0.01, -0.02])
    qd = np.array([1.0, 0.3, -0.5])
    kernel = robot.compile(c.constrained_forward_dynamics)
    a = 20.0

    def rates(t, y):
        motion = kernel(y[:3], y[3:], np.zeros(3), damping=2 * a, stiffness=a * a)
        return [*y[3:], *motion.qdd]

    path = solve_ivp(rates, (0.0, 0.4), [*q, *qd], rtol=1e-11, atol=1e-12, dense_output=True)
    phi, phid = robot.constraint_error(q), robot.constraint_velocity(q, qd)
    for t in (0.1, 0.25, 0.4):
        expected = (phi + (phid + a * phi) * t) * np.exp(-a * t)
        np.testing.assert_allclose(robot.constraint_error(path.sol(t)[:3]), expected, rtol=0, atol=1e-9)
    checked = robot.constrained_forward_dynamics(q, qd, np.zeros(3), damping=2 * a, stiffness=a * a)
    np.testing.assert_array_equal(checked.qdd, rates(0.0, np.array([*q, *qd]))[3:])


def test_open_loops_do_not_start():
    with pytest.raises(c.OpenLoop, match=r"'four_bar' do not hold at q: 'loop: x' is -?\d"):
        armdyn.simulate(four_bar(), [0.1, 0.2, 0.3], duration=1.0)
    robot = four_bar("hinge")
    q = robot.close_loop([START, 0.3, 1.2])
    with pytest.raises(c.RedundantConstraints, match="with_independent_constraints"):
        armdyn.simulate(robot, q, duration=1.0, elements=[Constraints(redundant="error")])


def test_a_skate_moves_along_its_blade_alone():
    """A knife-edge carriage on a plane, which no equation of positions describes: known motion down a slope.

    With slope acceleration g along x and the blade's angle turning at the rate w, the speed along it is g sin(w t) / w.
    """
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0)),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0)),
        armdyn.Part(
            "carriage", "y", "revolute", axis=(0, 0, 1), inertia=armdyn.Inertia(2.0, [0, 0, 0], 0.3 * np.eye(3))
        ),
    ]
    blade = c.Pfaffian(lambda model, q: np.array([np.sin(q[2]), -np.cos(q[2]), 0.0]), "sideways", "blade")
    g, w = 3.0, 1.3
    robot = armdyn.Robot.from_links(parts, gravity=(g, 0, 0)).with_constraints(blade)
    path = armdyn.simulate(robot, [0, 0, 0], [0, 0, w], duration=4.0, save=SaveAt(every=0.5))
    t = path.t
    np.testing.assert_allclose(path.q[:, 2], w * t, rtol=0, atol=1e-8)
    np.testing.assert_allclose(path.q[:, 0], g / (2 * w**2) * np.sin(w * t) ** 2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(path.q[:, 1], g / (2 * w**2) * (w * t - 0.5 * np.sin(2 * w * t)), rtol=0, atol=1e-7)
    assert not any("drifted" in note for note in path.notes)  # there is no phi to drift from
