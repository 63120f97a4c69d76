# ruff: noqa: E501 - messages stand whole on their lines
"""Singular states, contradictions, redundant simulations, and what a robot with constraints is refused."""

import numpy as np
import pytest
from linkages import four_bar

import armdyn
from armdyn import constraints as c
from armdyn import ellipsoids
from armdyn.algorithms.task_rows import TaskSpaceError
from armdyn.base.errors import SettingError
from armdyn.plots import ForeignEllipsoid, draw_on_arm
from armdyn.simulation import Constraints, RungeKutta4, SaveAt

CRANK = ["joint_of_crank"]
ZERO = np.zeros(3)


@pytest.fixture(scope="module")
def parallelogram() -> armdyn.Robot:
    bar, z = armdyn.Inertia(1.0, [0.25, 0, 0], np.diag([0.001, 0.03, 0.03])), (0, 0, 1)
    parts = [
        armdyn.Part("crank", "base", axis=z, inertia=bar, joint="turn"),
        armdyn.Part("coupler", "crank", axis=z, xyz=(0.5, 0, 0), inertia=bar, joint="elbow"),
        armdyn.Part("rocker", "base", axis=z, xyz=(0.8, 0, 0), inertia=bar, joint="rock"),
    ]
    pin = c.ball("coupler", "rocker", point=(0.8, 0, 0), to_point=(0.5, 0, 0), name="pin")
    return armdyn.Robot.from_links(parts, tip="coupler").with_constraints(pin)


def test_no_constraint_is_lost_at_a_singular_state(parallelogram):
    wall = armdyn.load("planar_2r").with_constraints(c.PointOnPlane("tip", (1, 0, 0), (2, 0, 0), name="wall"))
    with pytest.raises(c.SingularState, match=r"rank 0 of 1 .* no other closed state is near.* choose a general state"):
        wall.with_independent_constraints([0.0, 0.0])
    with pytest.raises(c.SingularState, match=r"rank 1 of 3 constraints, and 2 at closed states near it"):
        parallelogram.with_independent_constraints(ZERO)
    with pytest.raises(c.OpenLoop, match="do not hold at q"):
        parallelogram.with_independent_constraints([0.0, 0.3, 0.1])


def test_rows_left_out_are_noted(parallelogram):
    q = parallelogram.close_loop([0.5, -0.5, 0.5])
    good = parallelogram.with_independent_constraints(q)
    assert [row.name for row in good.constraint_rows] == ["pin: x", "pin: y"]
    assert good.notes[-1] == "rows of constraints that follow from others are left out: pin: z"
    assert good.with_independent_constraints(q).notes == good.notes


def test_redundancy_at_a_singular_state_recommends_nothing_that_drops_rows(parallelogram):
    q = parallelogram.close_loop([0.5, -0.5, 0.5])
    with pytest.raises(c.RedundantConstraints, match="with_independent_constraints"):
        parallelogram.constrained_forward_dynamics(q, ZERO, ZERO, redundant="error")
    with pytest.raises(c.SingularState, match="all of them are needed: choose another state") as caught:
        parallelogram.constrained_forward_dynamics(ZERO, ZERO, ZERO)
    assert "with_independent_constraints" not in str(caught.value)
    batch = np.array([q, ZERO])  # at the first all motions are known: no redundancy of the robot but of the state
    with pytest.raises(c.SingularState, match="redundant at q of state 1"):
        parallelogram.constrained_forward_dynamics(batch, ZERO, ZERO)
    with pytest.raises(c.SingularState, match="all of them are needed"):
        armdyn.simulate(parallelogram, ZERO, duration=0.1)


def test_contradictions_are_no_bad_guess(parallelogram):
    tree = parallelogram.without_constraints()
    low, high = (c.JointCoupling({"elbow": 1.0}, value, name=name) for value, name in ((0.3, "low"), (0.5, "high")))
    for robot in (tree, parallelogram):
        with pytest.raises(c.ContradictingConstraints, match="contradict each other: 'low' and 'high'") as caught:
            robot.with_constraints(low, high).close_loop([0.1, 0.2, 0.3])
        assert "'low' is 0.1 rad" in str(caught.value)
        assert "'high' is -0.1 rad" in str(caught.value)
    with pytest.raises(c.ContradictingConstraints, match="cannot hold while elbow is held: 'low'"):
        tree.with_constraints(low).close_loop([0.1, 0.2, 0.3], locked=["elbow"])
    with pytest.raises(c.OpenLoop) as caught:  # a point that is too far is no contradiction
        tree.with_constraints(c.ball("coupler", to_point=(5, 0, 0))).close_loop([0.1, 0.2, 0.3])
    assert type(caught.value) is c.OpenLoop


@pytest.mark.short_run("hinge")
@pytest.mark.parametrize("closed_by", ["ball", "hinge"])
def test_simulation_of_redundant_constraints(closed_by):
    pin, loop = four_bar(), four_bar(closed_by)
    q = pin.close_loop([0.4, 0.3, 1.2], locked=CRANK)
    with pytest.raises(c.RedundantConstraints, match="redundant='least_squares'"):
        armdyn.simulate(loop, q, duration=0.5, elements=[Constraints(redundant="error")])
    expected = armdyn.simulate(pin, q, duration=0.5, save=SaveAt(times=[0.5]))
    found = armdyn.simulate(
        loop, q, duration=0.5, save=SaveAt(times=[0.5]), elements=[Constraints(redundant="least_squares")]
    )
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=0, atol=1e-6)
    by_default = armdyn.simulate(loop, q, duration=0.5, save=SaveAt(times=[0.5]))
    np.testing.assert_allclose(by_default.q, expected.q, rtol=0, atol=1e-9)
    (note,) = [note for note in by_default.notes if note.startswith("rows of constraints that follow from others")]
    assert note.startswith("rows of constraints that follow from others are left out: loop: z")
    forces = by_default.constraint_forces(loop).joint_forces
    np.testing.assert_allclose(forces, expected.constraint_forces(pin).joint_forces, rtol=0, atol=1e-6)
    fixed = armdyn.simulate(
        loop, [q, q], duration=0.5, method=RungeKutta4(step=0.01), elements=[Constraints(redundant="least_squares")]
    )
    np.testing.assert_allclose(fixed.q[-1], [expected.q[-1]] * 2, rtol=0, atol=1e-5)
    with pytest.raises(SettingError, match="redundant is 'drop'; expected"):
        armdyn.simulate(loop, q, duration=0.5, elements=[Constraints(redundant="drop")])


def test_what_is_of_the_tree_alone_is_refused():
    robot = four_bar()
    tree, q = robot.without_constraints(), robot.close_loop([0.4, 0.3, 1.2], locked=CRANK)
    for which in ("torque", "acceleration", "tip_force", "tip_acceleration", "velocity", "force"):
        with pytest.raises(
            armdyn.Unsupported, match=rf"would leave out its constraints \(loop\).*ellipsoids.{which}\("
        ):
            getattr(ellipsoids, which)(robot, q)
    with pytest.raises(armdyn.Unsupported, match=r"Use acceleration_projection\(q\) @ inv\(mass_matrix\(q\)\)"):
        robot.inverse_mass_matrix(q)
    with pytest.raises(armdyn.Unsupported, match="base_parameters of 'four_bar' would leave out"):
        robot.base_parameters()
    by_tau = robot.acceleration_projection(q) @ np.linalg.inv(robot.mass_matrix(q))
    still, *moved = (robot.constrained_forward_dynamics(q, ZERO, tau).qdd for tau in (ZERO, *np.eye(3)))
    np.testing.assert_allclose(by_tau.T, moved - still, rtol=0, atol=1e-11 * abs(by_tau).max() + 1e-12)
    qd = robot.close_velocities(q, [1.0, 0, 0], locked=CRANK)
    motion = robot.constrained_forward_dynamics(q, qd, [1.0, 2.0, 3.0])
    Y, pi = robot.regressor(q, qd, motion.qdd), robot.standard_parameters().values
    np.testing.assert_allclose(Y @ pi + robot.constraint_forces(q, motion.multipliers), [1, 2, 3], rtol=0, atol=1e-10)
    assert tree.inverse_mass_matrix(q).shape == (3, 3)


def test_singular_constraints_give_nan_in_the_compiled_functions():
    """Three planes through one line: S is singular but for rounding."""
    n = np.array([(1, 0.2, 0.3), (0.3, 1, -0.2), (1.3, 1.2, 0.1)])
    robot = armdyn.load("ur5").with_constraints(*(c.PointOnPlane("tool0", v, name=str(k)) for k, v in enumerate(n)))
    q, zero = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2]), np.zeros(6)
    assert np.isnan(robot.compile(c.hybrid_forces)(q, zero, zero, ZERO)).all()
    assert np.isnan(robot.compile(c.force_projection)(q)).all()
    assert np.isnan(robot.compile(c.acceleration_projection)(q)).all()


MESSAGES = [
    (lambda r: c.weld("coupler", "coupler"), "between frame 'coupler' and itself; name two frames"),
    (lambda r: c.PointOnPlane("coupler", (1, 0, 0), of="coupler"), "and itself"),
    (lambda r: c.Distance("coupler", "rocker"), "has no length"),
    (lambda r: c.Holonomic(lambda q: q[0], ["a"], "own"), r"constraint 'own' takes \(q\); it is called with \(model, q\)"),
    (lambda r: c.PointOnCurve("coupler", lambda: 0, (0, 1)), r"takes \(\); it is called with \(s\)"),
    (lambda r: r.with_constraints(c.Holonomic(lambda m, q: None, ["a"], "own")).constraint_error(ZERO), "returned None"),
    (lambda r: r.with_constraints(c.Pfaffian(lambda m, q: "no", ["a"], "own")).constraint_jacobian(ZERO), "returned 'no'"),
    (lambda r: r.actuator_forces(ZERO, ZERO, ZERO, actuated=[]), r"actuated=\[\] names no joint"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), MESSAGES)
def test_messages(make, message, parallelogram):
    with pytest.raises((armdyn.ModelError, c.ConstraintError), match=message):
        make(parallelogram)


def test_component_typos(parallelogram):
    with pytest.raises(armdyn.UnknownName, match=r"Did you mean 'vx'\? Known: pose, .*wx, wy, wz, vx, vy, vz\."):
        parallelogram.without_constraints().task_space(ZERO, ZERO, components=("x", "y"))


def test_pictures_of_closed_mechanisms():
    robot = four_bar()
    q = robot.close_loop([0.4, 0.3, 1.2], locked=CRANK)
    tree = robot.without_constraints()
    e = ellipsoids.tip_force(tree, q, point=(0.45, 0.2, 0), components=("vx", "vy"))
    (axes,) = draw_on_arm(robot, q, e).axes
    drawn = [np.array(line.get_data()).T for line in axes.get_lines() if len(line.get_xdata()) == 2]
    end = (robot.forward_kinematics(q, frame="coupler") @ [0.9, 0, 0, 1])[:2]
    origins = robot.link_poses(q)[:, :2, 3]
    for link in ("coupler", "rocker"):
        line = np.array([origins[robot.link_names.index(link)], end])
        assert any(np.allclose(one, line, atol=1e-8) for one in drawn)
    assert any(np.allclose(one, [origins[robot.link_names.index("coupler")], e.centre[:2]]) for one in drawn)
    with pytest.raises(ForeignEllipsoid, match="not of the configuration drawn"):
        draw_on_arm(robot, q + 0.1, e)
    with pytest.raises(ForeignEllipsoid, match="is of another arm than 'planar_2r'"):
        draw_on_arm(armdyn.load("planar_2r"), [0.1, 0.2], e)
    with pytest.raises(TaskSpaceError, match="no ellipsoids to draw"):
        draw_on_arm(robot, q, [])


def test_labels_stay_inside_pictures_in_space():
    arm, q = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    figure = draw_on_arm(arm, q, ellipsoids.velocity(arm, q))
    figure.canvas.draw()
    (axes,), width, height = figure.axes, *(figure.get_size_inches() * figure.dpi)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        (left, low), (right, high) = axis.get_tightbbox(figure.canvas.get_renderer()).get_points()
        assert left > -1 and low > -1 and right < width + 1 and high < height + 1  # noqa: PT018
