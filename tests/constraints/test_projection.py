"""Motions put back onto their constraints after each step: what is left, the order kept, and what is refused."""

import re

import numpy as np
import pytest
from linkages import four_bar

import armdyn
from armdyn import constraints as c
from armdyn.constraints.projection import projection_of
from armdyn.simulation import Adaptive, Constraints, OverTime, RungeKutta4, SaveAt, SettingError, named_method
from armdyn.simulation.drivers import side_by_side

START = [0.4, 0.3, 1.2]


def closed(robot):
    return robot.close_loop(START, locked=["joint_of_crank"])


@pytest.mark.short_run("rk4-5.0")
@pytest.mark.parametrize("seconds", [5.0, pytest.param(100.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [{}, {"method": RungeKutta4(step=5e-3)}], ids=["adaptive", "rk4"])
def test_no_drift_is_left(seconds, options):
    robot = four_bar()
    motion = armdyn.simulate(
        robot, closed(robot), duration=seconds, elements=[Constraints(project=True)], save=SaveAt(every=0.5), **options
    )
    assert abs(robot.constraint_error(motion.q)).max() < 1e-14
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-13
    assert abs(motion.energy.relative_drift).max() < (1e-8 if not options else 1e-5)


def test_notes_say_what_the_steps_drifted():
    robot, step = four_bar(), 0.01
    q = closed(robot)
    one = armdyn.simulate(robot, q, [0, 0, 0], duration=step, method=RungeKutta4(step=step))
    phi, rate = abs(robot.constraint_error(one.q[1])).max(), abs(robot.constraint_velocity(one.q[1], one.qd[1])).max()
    note = armdyn.simulate(
        robot, q, duration=step, method=RungeKutta4(step=step), elements=[Constraints(project=True)]
    ).notes[0]
    assert f"by up to {phi:.3g} m or rad and {rate:.3g} m/s or rad/s" in note


@pytest.mark.short_run("heun-2", "rk4-4")
@pytest.mark.parametrize(("method", "order"), [("heun", 2), ("rk4", 4), ("abm4", 4)])
def test_order_is_kept(method, order):
    robot = four_bar()
    q = closed(robot)
    exact = armdyn.simulate(robot, q, duration=1.0, method=Adaptive(rtol=1e-13, atol=1e-13)).q[-1]
    errors = [
        abs(
            armdyn.simulate(
                robot, q, duration=1.0, method=named_method(method, step=h), elements=[Constraints(project=True)]
            ).q[-1]
            - exact
        ).max()
        for h in (0.01, 0.005)
    ]
    assert np.log2(errors[0] / errors[1]) > order - 0.2


def test_a_batch_moves_as_each_state_alone():
    robot = four_bar()
    q = closed(robot)
    states = np.array([q, robot.close_loop(q + 0.1)])
    options = {"duration": 0.2, "method": RungeKutta4(step=0.01), "elements": [Constraints(project=True)]}
    together = armdyn.simulate(robot, states, **options)
    for k, state in enumerate(states):
        np.testing.assert_array_equal(together.q[:, k], armdyn.simulate(robot, state, **options).q)


@pytest.mark.slow
def test_redundant_rows():
    hinge, pin = four_bar("hinge"), four_bar()
    q = closed(pin)
    motions = [
        armdyn.simulate(robot, q, duration=1.0, elements=[Constraints(redundant, project=True)])
        for robot, redundant in ((pin, "auto"), (hinge, "least_squares"))
    ]
    np.testing.assert_allclose(motions[1].q, motions[0].q, rtol=0, atol=1e-8)
    assert abs(hinge.constraint_error(motions[1].q)).max() < 1e-14


@pytest.mark.parametrize("redundant", ["error", "least_squares"])
def test_the_correction_is_the_least_in_the_metric_of_M(redundant):
    robot = four_bar()
    q, qd = closed(robot) + 1e-8, np.array([1.0, 0.2, -0.4])
    found = projection_of(robot, redundant)(q, qd)
    assert abs(robot.constraint_error(found.q)).max() < 1e-15
    np.testing.assert_allclose(found.phi, robot.constraint_error(q), rtol=0, atol=1e-16)
    np.testing.assert_allclose(found.qd, robot.close_velocities(found.q, qd), rtol=0, atol=1e-13)
    A, M = robot.constraint_jacobian(found.q), robot.mass_matrix(found.q)
    free = np.linalg.svd(A)[2][-1]  # how the linkage may move: no part of the correction, but for its second order
    assert abs(free @ M @ (found.q - q)) < 1e-6 * np.linalg.norm(M @ (found.q - q))


def test_velocities_alone():
    blade = c.Pfaffian(lambda model, q: np.array([np.sin(q[2]), -np.cos(q[2]), 0.0]), "sideways", "blade")
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.3 * np.eye(3))
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0)),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0)),
        armdyn.Part("carriage", "y", "revolute", axis=(0, 0, 1), inertia=body),
    ]
    robot = armdyn.Robot.from_links(parts, gravity=(3.0, 0, 0)).with_constraints(blade)
    motion = armdyn.simulate(
        robot, [0, 0, 0], [0, 0, 1.3], duration=2.0, method=RungeKutta4(step=0.01), elements=[Constraints(project=True)]
    )
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-15
    np.testing.assert_allclose(motion.q[-1, 0], 3.0 / (2 * 1.3**2) * np.sin(1.3 * 2.0) ** 2, rtol=0, atol=1e-7)


def test_refused():
    robot = four_bar()
    q = closed(robot)
    for method in (Adaptive(scipy_method="BDF"), Adaptive(scipy_method="LSODA"), "taylor"):
        with pytest.raises(SettingError, match="cannot be corrected between its steps"):
            armdyn.simulate(robot, q, duration=0.1, method=method, elements=[Constraints(project=True)])
    with pytest.raises(SettingError, match=re.escape("'planar_2r' has no constraints to project onto")):
        armdyn.simulate(armdyn.load("planar_2r"), [0, 0], duration=0.1, elements=[Constraints(project=True)])
    with pytest.raises(SettingError, match="project"):
        armdyn.simulate(robot, q, duration=0.1, elements=[Constraints(project="yes")])


@pytest.mark.parametrize(
    "method", [Adaptive(), RungeKutta4(2e-3), named_method("semi_implicit_euler", step=5e-3)], ids=str
)
def test_compiled_loops_make_the_steps_of_the_other_loops(monkeypatch, method):
    """Three states with tables of torques; the first order drifts far enough for a third step of Newton's method."""
    robot = four_bar().with_friction(dict.fromkeys(four_bar().joint_names, (0.3, 0.0)))
    q = np.array([closed(robot)] * 3)
    given = {
        "duration": 0.5,
        "torque": OverTime([0.0, 0.3, 0.8], [[4.0, 0.0, 0.0], [-2.0, 1.0, 0.0], [0.0] * 3], "hold"),
    }
    given |= {"method": method, "elements": [Constraints(project=True)]}
    qd = np.outer([-1.0, 0.0, 2.0], np.linalg.svd(robot.constraint_jacobian(q[0]))[2][-1])
    compiled = armdyn.simulate(robot, q, qd, **given)
    with monkeypatch.context() as patched:
        patched.setattr(side_by_side, "has_loop", lambda *_: False)
        other = armdyn.simulate(robot, q, qd, **given)
    within = 1e-8 if isinstance(method, Adaptive) else 1e-9 if "Semi" in str(method) else 1e-12
    np.testing.assert_allclose(compiled.q, other.q, rtol=0, atol=within)
    np.testing.assert_allclose(compiled.qd, other.qd, rtol=0, atol=100 * within)
    np.testing.assert_allclose(compiled.energy.work, other.energy.work, rtol=0, atol=100 * within)
    assert abs(robot.constraint_error(compiled.q)).max() < 2e-15
    assert abs(robot.constraint_velocity(compiled.q, compiled.qd)).max() < 1e-14
    if not isinstance(method, Adaptive):
        assert compiled.notes[0] == other.notes[0]
