"""Task-space and constrained closed forms with numbers put in, beside the compiled functions of the same robot."""

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.spatial.rotations import rigid
from oracles.general_arms import P, R, general

TASKS = [
    ([P, R, P], ("vx", "vz", (0.5, 0, 0, 0, 1.5, -2)), "world", False),
    ([R, P, R], ("wx", "vy", "vz"), "space", False),
    pytest.param([R, P, R], ("vx", "wy", "vz"), "body", True, marks=pytest.mark.slow),
]


def arm_of(kinds: list[str], *, inclined: bool = False) -> armdyn.Robot:
    return general(kinds, list(range(-1, len(kinds) - 1)), seed=4, inclined=inclined).without_friction()


def states(n: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(3, n))


@pytest.mark.short_run("kinds1-components1-space-False")
@pytest.mark.parametrize(("kinds", "components", "expressed_in", "inclined"), TASKS)
def test_task_space_is_the_robots(kinds: list[str], components: tuple, expressed_in: str, inclined: bool) -> None:
    robot = arm_of(kinds, inclined=inclined)
    task = armdyn.derive(robot).task_space(components, expressed_in)
    q, qd, qdd = states(robot.dof)
    expected = robot.task_space(q, qd, components=components, expressed_in=expressed_in)
    for name in ("J", "Lambda", "mu", "p", "eta"):
        found, known = task.function(name)(q, qd, qdd), getattr(expected, name)
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-12 * abs(known).max(), err_msg=name)
    rate = task.function("J_dot")(q, qd, qdd) @ qd
    np.testing.assert_allclose(rate, expected.Jdot_qd, rtol=0, atol=1e-12 * abs(rate).max())
    det, inverse = (task.function(name)(q, qd, qdd) for name in ("det_J", "J_inverse"))
    assert det == pytest.approx(np.linalg.det(expected.J), rel=1e-12)
    np.testing.assert_allclose(inverse @ expected.J, np.eye(3), atol=1e-12)


def test_forces_along_the_components_make_their_accelerations() -> None:
    """F = Lambda Vdot + eta with tau = J^T F, whatever the numbers of a symbolic arm."""
    robot = armdyn.load("rp")
    task = armdyn.derive(robot, symbols="all").task_space(("vx", "vy"), "world")
    q, qd, _ = states(2)
    J, rate, Lambda, eta = (task.function(name)(q, qd, qd) for name in ("J", "J_dot", "Lambda", "eta"))
    wanted = np.array([0.7, -1.9])
    qdd = robot.forward_dynamics(q, qd, J.T @ (Lambda @ wanted + eta))
    np.testing.assert_allclose(J @ qdd + rate @ qd, wanted, atol=1e-12)


CONSTRAINTS = {
    "plane": ([R, P], c.PointOnPlane("link_2", normal=(0, 0.6, 0.8), point=(0.3, 0.1, 0.2))),
    "link": ([R, R], c.PointOnPlane("link_1", normal=(1, 2, -2), point=(0.4, 0.5, 0.3))),
    "line": ([P, R, P], c.PointOnLine("link_3", direction=(0, 0, 1), point=(0.1, 0, 0.3))),
    "held": ([P, R, P], c.Held("link_3", axes=("x", "y"), pose=rigid(p=np.array([0.2, 0.1, 0.0])))),
    "coupling": ([R, P, R], c.JointCoupling({"joint_1": 0.5, "joint_3": -1.5})),
}


@pytest.mark.short_run("held", "line")
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_constrained_form_is_the_robots(kind: str) -> None:
    """At any q: closed loops are not asked for, for A, the multipliers and P are functions of the state as it is."""
    kinds, constraint = CONSTRAINTS[kind]
    robot = arm_of(kinds)
    held = armdyn.derive(robot).constrained(constraint)
    q, qd, tau = states(robot.dof)
    bound = robot.with_constraints(constraint)
    motion = bound.constrained_forward_dynamics(q, qd, tau, tolerance=np.inf)
    A, rate, W, w, projection = (held.function(name)(q, qd, tau) for name in held.RESULTS)
    np.testing.assert_allclose(A, bound.constraint_jacobian(q), atol=1e-12)
    np.testing.assert_allclose(rate @ qd, bound.constraint_drift(q, qd), atol=1e-12 * abs(rate).max())
    known = motion.multipliers
    np.testing.assert_allclose(W @ tau + w, known, rtol=0, atol=1e-11 * max(abs(known).max(), abs(w).max()))
    expected = bound.force_projection(q, tolerance=np.inf)
    np.testing.assert_allclose(projection, expected, rtol=0, atol=1e-12 * max(1.0, abs(expected).max()))


@pytest.mark.slow
def test_joints_that_follow_others_are_one_coordinate() -> None:
    robot = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", 2.0)})
    task = armdyn.derive(robot).task_space(("vx", "vy"), "world")
    q, qd, _ = states(2)
    expected = robot.task_space(q, qd, components=("vx", "vy"), expressed_in="world")
    for name in ("Lambda", "mu", "p"):
        np.testing.assert_allclose(task.function(name)(q, qd, qd), getattr(expected, name), rtol=1e-11)


def test_components_and_constraints_together() -> None:
    """Of a tip in the robot's symbols; components in axes of the tip are those of a skate."""
    robot = armdyn.load("planar_3r")
    arm = armdyn.derive(robot, symbols="all")
    both = arm.constrained(("vx", c.JointCoupling({"joint_2": 1.0, "joint_3": -1.0}, name="equal")))
    assert both.description == "vx of tip in world axes; equal"
    q, _, _ = states(3)
    A = both.function("A")(q, q, q)
    np.testing.assert_allclose(A, [robot.jacobian(q, expressed_in="world")[3], [0, 1, -1]], atol=1e-15)
    skate = arm.constrained("vy", expressed_in="body")
    np.testing.assert_allclose(skate.function("A")(q, q, q), robot.jacobian(q)[4:5], atol=1e-14)


def test_named_results_and_what_they_are_written_as() -> None:
    arm = armdyn.derive(armdyn.load("planar_2r"))
    task, held = arm.task_space(["vx", "vy"]), arm.constrained(["vx"])
    assert task["Lambda"] is task.Lambda
    assert "4.905·c₁·s₁" in held.text("w")  # no 981/2 over a denominator times 100
    assert repr(task) == "<TaskEquations of 'planar_2r': vx, vy of tip in body axes>"
    assert repr(held) == "<ConstrainedEquations of 'planar_2r': vx of tip in world axes>"
    for form, title in ((task, "Task-space"), (held, "Constrained")):
        assert str(form).startswith(f"{title} equations of planar_2r\n")
        latex = form.document()
        assert latex.startswith(r"\documentclass")
        assert latex.count("{") == latex.count("}")
        assert r"\begin{align*}" in form._repr_latex_()
    assert r"$F = \Lambda(q)\,\dot{V} + \mu(q, \dot{q}) + p(q)$, with $\tau = J^T F$; $\eta = \mu + p$" in task.latex()
    assert r"\det J(q) &= s_{2}" in task.latex()
