"""Constraints that only joints at rest could move: the others are free, though their part of a row is rounding."""

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, Brake, Gear, Motor
from armdyn.constraints import ConstraintError, RedundantConstraints
from armdyn.constraints.projection import projection_of
from armdyn.simulation import Adaptive, Constraints, Contact, RungeKutta4, Stops

PART, Z = armdyn.Part, (0, 0, 1)
BAR = armdyn.Inertia(1.0, [0.1, 0.05, 0.02], np.diag([0.02, 0.03, 0.03]))
METHODS = [{}, {"method": RungeKutta4(step=5e-3)}]
EACH_METHOD = pytest.mark.parametrize("options", METHODS, ids=["adaptive", "rk4"])

WRIST = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
"""Of a UR5, whose last axis goes through its tip."""


def four_bar(friction=0.0, axes=("x", "y"), rpy=(0.0, 0.0, 0.0)):
    """A four-bar on a turning arm; its axes are turned against the base's, so that zeros are rounding."""
    X, Y = np.eye(4), np.eye(4)
    X[0, 3], Y[0, 3] = 0.9, 0.7
    tree = armdyn.Robot.from_links(
        [
            PART("arm", "base", axis=(0, 0.6, 0.8), inertia=BAR, joint="arm"),
            PART("palm", "arm", "fixed", xyz=(0.3, 0.1, 0.2), rpy=rpy),
            PART("crank", "palm", axis=Z, inertia=BAR, joint="a", friction=friction),
            PART("coupler", "crank", axis=Z, xyz=(0.3, 0, 0), inertia=BAR, joint="b", friction=friction),
            PART("rocker", "palm", axis=Z, xyz=(0.8, 0, 0), inertia=BAR, joint="c", friction=friction),
        ],
        tip="coupler",
    )
    return tree.with_constraints(*[c.Held("coupler", "rocker", (axis,), X, Y, name=axis) for axis in axes])


def closed(robot):
    return robot.close_loop([0.2, 0.4, 0.3, 1.2], locked=["arm", "a"])


def on_a_table(robot):
    """A UR5 whose tip is on a horizontal plane."""
    place = robot.forward_kinematics(WRIST)[:3, 3]
    return robot.with_constraints(c.PointOnPlane("tool0", (0, 0, 1), place, name="table"))


def ur5_held_by(kind):
    """A UR5 on a table, whose first five joints are held by friction or by brakes."""
    ur5 = armdyn.load("ur5")
    names = ur5.joint_names[:5]
    if kind == "friction":
        return on_a_table(ur5.with_friction(dict.fromkeys(names, (0.0, 300.0))))
    held = Actuator(Motor(rotor_inertia=1e-6), Gear(100.0), brake=Brake(10.0, "engaged"))
    return on_a_table(ur5.with_actuators(dict.fromkeys(names, held)))


@pytest.mark.short_run("friction-rk4", "brakes-rk4")
@EACH_METHOD
@pytest.mark.parametrize("kind", ["friction", "brakes"])
def test_a_free_wrist_turns_uniformly(kind, options):
    motion = armdyn.simulate(
        ur5_held_by(kind), WRIST, [0, 0, 0, 0, 0, 1.0], duration=0.3, elements=[Constraints(project=True)], **options
    )
    np.testing.assert_allclose(motion.q[:, 5] - WRIST[5], motion.t, rtol=0, atol=1e-12)
    assert np.array_equal(motion.q[:, :5], np.broadcast_to(WRIST[:5], motion.q[:, :5].shape))


@pytest.mark.short_run("rk4")
@EACH_METHOD
def test_a_linkage_that_sticks_turns_with_its_arm(options):
    """As without projection, and with its joints welded."""
    robot = four_bar(30.0)
    q = closed(robot)
    motion = armdyn.simulate(robot, q, [1.0, 0, 0, 0], duration=0.2, elements=[Constraints(project=True)], **options)
    welded = robot.without_constraints().with_locked(dict(zip("abc", q[1:], strict=True)))
    alone = armdyn.simulate(welded, q[:1], [1.0], duration=0.2, method=Adaptive(rtol=1e-12, atol=1e-12))
    np.testing.assert_allclose(motion.q[-1, 0], alone.q[-1, 0], rtol=0, atol=1e-8 if options else 1e-9)
    assert np.array_equal(motion.q[-1, 1:], q[1:])
    assert abs(motion.energy.relative_drift).max() < 1e-8


@pytest.mark.short_run("adaptive")
@EACH_METHOD
def test_a_linkage_that_sticks_meets_a_stop_of_its_arm(options):
    robot = four_bar(30.0).with_limits({"arm": armdyn.Limits(-1.0, 0.4)})
    q, stops = closed(robot), Stops(restitution=0.5, joints=["arm"])
    given = {"duration": 0.35}
    motion = armdyn.simulate(robot, q, [1.0, 0, 0, 0], elements=[stops, Constraints(project=True)], **given, **options)
    welded = robot.without_constraints().with_locked(dict(zip("abc", q[1:], strict=True)))
    alone = armdyn.simulate(welded, q[:1], [1.0], elements=[stops], method=Adaptive(rtol=1e-12, atol=1e-12), **given)
    assert motion.events[0].kind == "impact"
    np.testing.assert_allclose(motion.events[0].t, alone.events[0].t, rtol=0, atol=1e-7)
    loosened = [event for event in motion.events if event.kind == "slip"]
    assert abs(motion.energy.drift).max() < 1e-5 * motion.energy.scale
    assert loosened or abs(motion.q[-1, 1:] - q[1:]).max() == 0.0


@pytest.mark.short_run("rk4")
@EACH_METHOD
def test_a_linkage_that_sticks_lies_on_a_contact(options):
    """The arm presses on the floor at the coupler's joint, and nothing moves."""
    robot = four_bar(30.0)
    q = closed(robot)
    floor = c.PointOnPlane("coupler", (0, 0, 1), robot.forward_kinematics(q, frame="coupler")[:3, 3], name="floor")
    motion = armdyn.simulate(robot, q, duration=0.2, elements=[Contact(floor), Constraints(project=True)], **options)
    free = armdyn.simulate(robot, q, duration=0.2, elements=[Contact(floor)], **options)
    np.testing.assert_allclose(motion.q, free.q, rtol=0, atol=1e-9)


@pytest.mark.short_run("rk4")
@EACH_METHOD
def test_a_slide_that_no_row_moves(options):
    """A carriage on tilted rails, the slides across held by friction: the free one moves uniformly."""
    up, across, along = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    parts = [
        PART("column", "base", "fixed", rpy=(0.3, 0.4, 0.5)),
        PART("up", "column", "prismatic", axis=tuple(up), inertia=BAR, joint="up", friction=50.0),
        PART("across", "up", "prismatic", axis=tuple(across), inertia=BAR, joint="across", friction=50.0),
        PART("along", "across", "prismatic", axis=tuple(along), inertia=BAR, joint="along"),
    ]
    tree = armdyn.Robot.from_links(parts, gravity=(0, 0, 0))
    normal = tree.jacobian([0, 0, 0], expressed_in="world")[3:, 0]  # the direction of the first slide
    robot = tree.with_constraints(c.PointOnPlane("along", tuple(normal), name="rails"))
    assert 0.0 < abs(robot.constraint_jacobian(np.zeros(3))[0, 2]) < 1e-15
    motion = armdyn.simulate(
        robot, [0, 0, 0], [0, 0, 2.0], duration=0.5, elements=[Constraints(project=True)], **options
    )
    np.testing.assert_allclose(motion.q[:, 2], 2.0 * motion.t, rtol=0, atol=1e-12)
    assert not motion.q[:, :2].any()


def test_the_projection_moves_free_joints_only_as_far_as_they_move_rows():
    robot = ur5_held_by("friction")
    held = np.eye(6)[:5]
    q, qd = np.add(WRIST, [0, 1e-9, 0, 0, 0, 0]), np.array([0, 1e-9, 0, 0, 0, 1.0])
    found = projection_of(robot, "error")(q, qd, held)
    assert np.array_equal(found.q, q)
    assert np.array_equal(found.qd, qd)
    assert abs(found.phi).max() > 1e-10


def test_locked_joints_close_nothing_that_is_rounding():
    """A tip that is 1e-11 m off its plane is closed, and no turn of the last joint would bring it nearer."""
    robot = ur5_held_by("friction")
    q, held = np.add(WRIST, [0, 1e-11, 0, 0, 0, 0]), robot.joint_names[:5]
    assert abs(robot.close_loop(q, locked=held)[5] - q[5]) < 1e-6
    qd = np.array([0, 1e-9, 0, 0, 0, 1.0])
    np.testing.assert_allclose(robot.close_velocities(q, qd, locked=held), qd, rtol=0, atol=1e-15)
    drift = robot.close_accelerations(WRIST, [0, 0, 0, 0, 0, 1.0], [0, 1e-9, 0, 0, 0, 1.0], locked=held)
    np.testing.assert_allclose(drift, [0, 1e-9, 0, 0, 0, 1.0], rtol=0, atol=1e-15)


@pytest.mark.short_run("zxy")  # the row to leave out is not the last
@pytest.mark.parametrize("axes", ["xyz", "zxy"])
def test_rows_that_are_rounding_are_found_redundant(axes):
    """The row out of the plane is 1e-17: a direction of its own only where rounding is brought to length one."""
    whole, planar = (four_bar(axes=some, rpy=(0.3, 0.4, 0.5)) for some in (axes, "xy"))
    q, qd, tau = closed(planar), [1.0, 0, 0, 0], np.zeros(4)
    with pytest.raises(RedundantConstraints, match="rank 2 of 3 constraints; 'z: z' is zero: nothing here moves"):
        whole.constrained_forward_dynamics(q, qd, tau, redundant="error")
    with pytest.raises(RedundantConstraints, match="is zero"):
        armdyn.simulate(whole, q, qd, duration=0.1, elements=[Constraints(redundant="error")])
    motion, alone = (armdyn.simulate(robot, q, qd, duration=0.1) for robot in (whole, planar))  # without that row
    np.testing.assert_allclose(motion.q[-1], alone.q[-1], rtol=0, atol=1e-9)
    assert "rows of constraints that follow from others are left out: z: z" in motion.notes
    found, expected = (
        whole.constrained_forward_dynamics(q, qd, tau, redundant="least_squares"),
        planar.constrained_forward_dynamics(q, qd, tau),
    )
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=0, atol=1e-10)
    assert found.independence[axes.index("z")] < 1e-12
    assert np.isnan(whole.compile(c.dynamics.force_projection)(q)).all()


@pytest.mark.slow
def test_rows_that_are_rounding_hold_nothing_that_sticks():
    whole, planar = (four_bar(30.0, some, (0.3, 0.4, 0.5)) for some in ("xyz", "xy"))
    q, given = closed(planar), {"duration": 0.1, "elements": [Constraints("least_squares", project=True)]}
    motions = [armdyn.simulate(robot, q, [1.0, 0, 0, 0], **given) for robot in (whole, planar)]
    np.testing.assert_allclose(motions[0].q[-1], motions[1].q[-1], rtol=0, atol=1e-8)


def test_passive_joints_that_move_no_row_carry_nothing():
    """The wrist is passive: its moment is 1e-17 N m, and no force on the table gives it. Of the others, the least."""
    robot, qd = on_a_table(armdyn.load("ur5")), np.array([0.4, 0.3, -0.2, 0.5, 0.1, 0.7])
    A = robot.constraint_jacobian(WRIST)[0]
    assert 0.0 < abs(A[5]) < 1e-15
    qd = robot.close_velocities(WRIST, qd)
    qdd, turn = robot.close_accelerations(WRIST, qd, np.zeros(6)), np.eye(6)[5]
    for _ in range(3):  # the wrist turns so that it needs no moment
        qdd = qdd - turn * robot.constrained_inverse_dynamics(WRIST, qd, qdd)[5] / robot.mass_matrix(WRIST)[5, 5]
    needed = robot.constrained_inverse_dynamics(WRIST, qd, qdd)
    assert 0.0 < abs(needed[5]) < 1e-15
    found = robot.actuator_forces(WRIST, qd, qdd, actuated=robot.joint_names[:5])
    np.testing.assert_allclose(found.multipliers, [-(A[:5] @ needed[:5]) / (A[:5] @ A[:5])], rtol=1e-12)
    np.testing.assert_allclose(found.tau[:5], needed[:5] + A[:5] * found.multipliers, rtol=0, atol=1e-12)


def upright_planar_arm():
    """A planar arm whose plane is square to the x axis of the base."""
    return armdyn.Robot.from_links(
        [
            PART("column", "base", "fixed", rpy=(0.0, np.pi / 2, 0.0)),
            PART("upper", "column", axis=Z, inertia=BAR, joint="shoulder"),
            PART("fore", "upper", axis=Z, xyz=(0.7, 0, 0), inertia=BAR, joint="elbow"),
            PART("tool", "fore", "fixed", xyz=(0.4, 0, 0)),
        ],
        tip="tool",
    )


def test_wrench_components_that_no_joint_feels():
    arm, q = upright_planar_arm(), [0.3, 0.9]
    wall = arm.with_constraints(c.PointOnPlane("tool", (0, 1, 0), arm.forward_kinematics(q)[:3, 3], name="wall"))
    with pytest.raises(ConstraintError, match="its Jacobian has rank 0"):
        wall.constraint_wrench(q, [3.0], components=("fx",), expressed_in="world")
