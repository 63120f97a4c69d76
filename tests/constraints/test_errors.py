# ruff: noqa: E501 - messages stand whole on their lines
"""What bad constraints, states and motions get: the thing, the number, what to do."""

import numpy as np
import pytest
from linkages import five_bar, four_bar

import armdyn
from armdyn import constraints as c
from oracles.states import assert_close

CRANK = ["joint_of_crank"]


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("ur5")


@pytest.fixture(scope="module")
def linkage() -> armdyn.Robot:
    return four_bar()


@pytest.fixture(scope="module")
def closed(linkage) -> np.ndarray:
    return linkage.close_loop([0.4, 0.3, 1.2], locked=CRANK)


UNKNOWN = [
    (lambda: c.weld("tool"), armdyn.UnknownName, "no frame 'tool' in 'ur5'"),
    (lambda: c.ball("tool0", "wrist_4_link"), armdyn.UnknownName, "Did you mean 'wrist_"),
    (lambda: c.JointCoupling({"elbow": 1.0}), armdyn.UnknownName, "no joint 'elbow' in 'ur5'"),
    (lambda: c.Held("tool0", axes=("x", "yaw")), armdyn.UnknownName, "no axis 'yaw' in axes of constraint 'tool0 to base'"),
    (lambda: c.Held("tool0", axes=("x", "y"), along="base"), armdyn.ModelError, "is 'base' with axes x, y; expected 'to', or"),
    (lambda: c.Held("tool0", axes=()), armdyn.ModelError, "holds no axis; expected some of x, y, z, rx, ry, rz"),
    (lambda: c.Held("tool0", pose=np.ones((4, 4))), armdyn.ModelError, "pose of constraint 'tool0 to base' is not a pose"),
    (lambda: c.Held("tool0", pose=np.diag([1, 1, -1, 1])), armdyn.ModelError, "is a reflection"),
    (lambda: c.PointOnPlane("tool0", (0, 0, 0)), armdyn.ModelError, "normal of constraint 'tool0 on plane' is zero"),
    (lambda: c.PointOnPlane("tool0", (0, 1)), armdyn.ModelError, r"is \(0, 1\); expected 3 finite numbers"),
    (lambda: c.PointOnPlane("tool0", ("0", "1", "0")), armdyn.ModelError, "expected 3 finite numbers"),
    (lambda: c.JointCoupling({"elbow_joint": "two"}), armdyn.ModelError, "expected finite numbers, by the names"),
    (lambda: c.Distance("tool0"), armdyn.ModelError, "'distance of tool0 from base' has no length; give the rod's, length="),
    (lambda: c.Distance("tool0", length=0.0), armdyn.ModelError, "is 0; expected one above zero"),
    (lambda: c.JointCoupling({}), armdyn.ModelError, "expected finite numbers, by the names of coordinates"),
    (lambda: c.Holonomic("phi", ["x"]), armdyn.ModelError, "function of constraint 'equations' is 'phi'; expected a function"),
    (lambda: c.Holonomic(lambda model, q: q[0], []), armdyn.ModelError, "expected a name for each"),
    (lambda: c.RowsOf(c.ball("tool0", name="b"), ["b: rx"]), armdyn.UnknownName, "no row 'b: rx' in constraint 'b'"),
    (lambda: c.PointOnCurve("tool0", lambda s: s, (1, 0)), armdyn.ModelError, "expected two rising numbers"),
    (lambda: "weld", armdyn.ModelError, "'weld' is not a constraint; expected one of armdyn.constraints"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "message"), UNKNOWN)
def test_what_makes_no_constraint(arm, make, error, message):
    with pytest.raises(error, match=message):
        arm.with_constraints(make())


def test_two_of_one_name(arm):
    with pytest.raises(armdyn.ModelError, match="two constraints of 'ur5' are called 'w'; give one a name="):
        arm.with_constraints(c.weld("tool0", name="w"), c.ball("tool0", name="w"))


SHAPES = [
    (c.Holonomic(lambda model, q: q[:2], ["one"], "mine"), r"constraint 'mine' returned shape \(2,\); expected \(1,\), a number"),
    (c.Pfaffian(lambda model, q: q, ["a", "b"], "mine"), r"constraint 'mine' returned shape \(6,\); expected \(2, 6\), a row"),
    (c.PointOnSurface("tool0", lambda p: p, name="mine"), r"constraint 'mine' returned shape \(3,\); expected \(1,\)"),
    (c.PointOnCurve("tool0", lambda s: np.array([s, 0.0]), (0, 1), name="mine"), "expected x, y, z in m"),
    (c.PointOnCurve("tool0", lambda s: np.array([0.0, 0.0, s]), (0, 1), name="mine"), r"runs along up = \(0.0, 0.0, 1.0\) at s = 0"),
    (c.PointOnCurve("tool0", lambda s: np.array([1.0, 0.0, 0.0 * s]), (0, 1), name="mine"), "stands still at s = 0"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "message"), SHAPES)
def test_functions_that_return_something_else(arm, part, message):
    with pytest.raises(armdyn.ModelError, match=message):
        arm.with_constraints(part).constraint_jacobian(np.full(6, 0.3))


def test_no_constraints(arm):
    for call in (
        lambda: arm.constraint_jacobian(np.zeros(6)),
        lambda: arm.constrained_forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(6)),
        lambda: arm.force_projection(np.zeros(6)),
        lambda: arm.close_loop(np.zeros(6)),
    ):
        with pytest.raises(armdyn.ModelError, match="'ur5' has no constraints; robot"):
            call()
    skate = arm.with_constraints(c.Pfaffian(lambda model, q: np.ones(6), "all", "skate"))
    with pytest.raises(armdyn.ModelError, match="no constraint of 'ur5' is holonomic"):
        skate.constraint_error(np.zeros(6))


def test_functions_that_know_nothing_of_constraints(linkage):
    for name, instead in (
        ("forward_dynamics", "constrained_forward_dynamics"),
        ("inverse_dynamics", "constrained_inverse"),
    ):
        with pytest.raises(
            armdyn.Unsupported, match=rf"{name} of 'four_bar' would leave out its constraints \(loop\). Use {instead}"
        ):
            getattr(linkage, name)
        assert getattr(linkage.without_constraints(), name)(np.zeros(3), np.zeros(3), np.ones(3)).shape == (3,)
    zero = np.zeros(3)
    for call in (
        lambda: linkage.inverse_kinematics([0.1, 0.2, 0.3]),
        lambda: linkage.joint_rates(zero, np.zeros(6)),
        lambda: linkage.joint_accelerations(zero, zero, np.zeros(6)),
        lambda: linkage.task_space(zero, zero),
        lambda: linkage.joint_reactions(zero, zero, zero),
        lambda: linkage.forward_dynamics_derivatives(zero, zero, zero),
        lambda: linkage.inverse_dynamics_derivatives(zero, zero, zero),
    ):
        with pytest.raises(armdyn.Unsupported, match="would leave out its constraints"):
            call()
    with pytest.raises(armdyn.Unsupported, match="would leave out its constraints"):
        linkage.compile(armdyn.algorithms.forward_dynamics)(np.zeros(3), np.zeros(3), np.zeros(3))


def test_loop_that_is_open_says_by_how_much(linkage, closed):
    q = closed + np.array([0.0, 0.0, 0.01])
    phi = linkage.constraint_error(q)
    worst = int(abs(phi).argmax())
    with pytest.raises(c.OpenLoop, match=rf"'loop: {'xy'[worst]}' is {phi[worst]:.6g} m") as caught:
        linkage.constrained_forward_dynamics(q, np.zeros(3), np.zeros(3))
    assert "more than the tolerance of 1e-06. robot.close_loop(q)" in str(caught.value)
    batch = np.array([[closed, closed], [closed, q]])
    with pytest.raises(c.OpenLoop, match=r"do not hold at q of state \(1, 1\)"):
        linkage.constrained_forward_dynamics(batch, np.zeros(3), np.zeros(3))
    assert np.isfinite(linkage.constrained_forward_dynamics(q, np.zeros(3), np.zeros(3), tolerance=0.1).qdd).all()


def test_velocities_that_leave_the_constraints(linkage, closed):
    qd = np.array([1.0, 0.0, 0.0])
    with pytest.raises(
        c.InconsistentMotion, match=r"qd leave the constraints of 'four_bar': A qd is 'loop: .' is -?0.\d+ m/s"
    ):
        linkage.constrained_forward_dynamics(closed, qd, np.zeros(3))
    with pytest.raises(c.InconsistentMotion, match="velocities qd leave"):
        linkage.actuator_forces(closed, qd, np.zeros(3), actuated=CRANK)
    good = linkage.close_velocities(closed, qd, locked=CRANK)
    with pytest.raises(
        c.InconsistentMotion,
        match=r"accelerations qdd leave the constraints of 'four_bar': A qdd \+ Adot qd is 'loop: .' is -?\d.* m/s\^2",
    ):
        linkage.actuator_forces(closed, good, np.zeros(3), actuated=CRANK)


def test_loop_that_cannot_close(linkage):
    """The coupler and the rocker reach 1.6 m; held wide apart they do not meet."""
    far = linkage.without_constraints().with_constraints(c.ball("coupler", to_point=(5.0, 0.0, 0.0), name="far"))
    with pytest.raises(c.OpenLoop, match=r"do not close from the guess q: at best 'far: x' is -\d.* m") as caught:
        far.close_loop([0.1, 0.2, 0.3])
    assert "joint_of_crank, joint_of_coupler, joint_of_rocker free to move" in str(caught.value)
    left = float(str(caught.value).split("'far: x' is -")[1].split()[0])
    assert left == pytest.approx(5.0 - 0.3, rel=1e-4)  # the coupler's frame is at the crank's end
    with pytest.raises(armdyn.ModelError, match="all 3 joints of 'four_bar' are held; leave some to close the loop"):
        linkage.close_loop([0.1, 0.2, 0.3], locked=linkage.joint_names)
    with pytest.raises(armdyn.UnknownName, match="no joint 'crank' in 'four_bar'"):
        linkage.close_loop([0.1, 0.2, 0.3], locked=["crank"])
    with pytest.raises(c.ConstraintError, match="names one more than once"):
        linkage.close_loop([0.1, 0.2, 0.3], locked=["joint_of_crank", "joint_of_crank"])


def test_held_joints_that_the_loop_does_not_let_move(linkage, closed):
    with pytest.raises(
        c.InconsistentMotion,
        match=r"no velocities qd of 'four_bar' keep the constraints with joint_of_crank, joint_of_rocker as given",
    ):
        linkage.close_velocities(closed, [1.0, 0.0, -1.0], locked=["joint_of_crank", "joint_of_rocker"])


def test_actuators_that_cannot(closed):
    robot = five_bar()
    q = robot.close_loop([2.2, -1.0, 0.9, 1.0])
    with pytest.raises(
        c.ConstraintError,
        match=r"the actuators joint_of_upper_left of 'five_bar' cannot give qdd: passive joint 'joint_of_\w+' would have to carry -?\d\S* N m\. ",
    ):
        robot.actuator_forces(q, np.zeros(4), np.zeros(4), actuated=["joint_of_upper_left"])


def test_redundant_rows_are_named_with_their_coefficients(arm):
    """Three planes through one line: the third normal is 2 n1 - 3 n2."""
    n1, n2 = np.array([1.0, 0.2, -0.4]), np.array([0.3, -1.0, 0.7])
    normals = {"one": n1 / np.linalg.norm(n1), "two": n2 / np.linalg.norm(n2)}
    third = 2 * normals["one"] - 3 * normals["two"]
    normals["three"] = third / np.linalg.norm(third)
    q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    at = arm.forward_kinematics(q)[:3, 3]
    robot = arm.with_constraints(*(c.PointOnPlane("tool0", n, at, name=name) for name, n in normals.items()))
    rank = robot.constraint_rank(q)
    assert (rank.rank, rank.independent) == (2, ("one", "two"))
    size = np.linalg.norm(third)
    assert rank.dependent["three"] == pytest.approx({"one": 2 / size, "two": -3 / size}, rel=1e-10)
    assert len(rank.singular_values) == 3
    assert rank.singular_values[2] < 1e-14
    with pytest.raises(
        c.RedundantConstraints,
        match=r"redundant at q: rank 2 of 3 constraints; 'three' = 0\.\d+ 'one' \+ -0\.\d+ 'two'",
    ):
        robot.constrained_forward_dynamics(q, np.zeros(6), np.zeros(6), redundant="error")
    with pytest.raises(c.RedundantConstraints, match=r"redundant at q of state 1: rank 2"):
        robot.constrained_forward_dynamics(
            np.array([np.full(6, np.nan), q]), np.zeros(6), np.zeros(6), redundant="error"
        )


@pytest.mark.slow
def test_least_squares_answer_is_the_motion_of_the_independent_rows(arm):
    """qdd as with two planes; lambda the least of all that give the same forces, each row measured by M^-1."""
    q, qd = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2]), np.zeros(6)
    at = arm.forward_kinematics(q)[:3, 3]
    normals = [(1, 0, 0), (0, 1, 0), (0.6, 0.8, 0)]
    planes = [c.PointOnPlane("tool0", n, at, name=str(k)) for k, n in enumerate(normals)]
    tau = np.array([3.0, -20.0, 8.0, 1.0, -2.0, 0.5])
    least = arm.with_constraints(*planes).constrained_forward_dynamics(q, qd, tau, redundant="least_squares")
    two = arm.with_constraints(*planes[:2]).constrained_forward_dynamics(q, qd, tau)
    assert_close(least.qdd[None], two.qdd[None], 1e-11)
    lam, A = least.multipliers, arm.with_constraints(*planes).constraint_jacobian(q)
    assert_close((A.T @ lam)[None], (A[:2].T @ two.multipliers)[None], 1e-10)
    weight = np.sqrt(np.diag(A @ np.linalg.solve(arm.mass_matrix(q), A.T)))
    null = np.array([0.6, 0.8, -1.0])  # A^T null = 0
    assert abs(A.T @ null).max() < 1e-14
    assert abs((weight * lam) @ (weight * null)) < 1e-9 * np.linalg.norm(weight * lam) * np.linalg.norm(weight * null)


def test_contradicting_accelerations():
    """Two rows A qd = 0 that agree now and part at once: an error, or the mean of both where it is asked for."""
    robot = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(
        c.Pfaffian(lambda model, q: np.array([1.0, 0.0 * q[0]]), "still", "one"),
        c.Pfaffian(lambda model, q: np.array([np.cos(q[1]), np.sin(q[1])]), "turning", "two"),
    )
    q, qd = np.array([0.3, 0.0]), np.array([0.0, 2.0])  # the second row becomes (1, 0), with Adot qd = (0, 2) . (0, 2)
    with pytest.raises(c.RedundantConstraints, match="rank 1 of 2 constraints; 'two: turning' = 1 'one: still'"):
        robot.constrained_forward_dynamics(q, qd, np.zeros(2))
    motion = robot.constrained_forward_dynamics(q, qd, np.zeros(2), redundant="least_squares")
    assert motion.qdd[0] == pytest.approx(-2.0, abs=1e-12)  # between 0 and -4


def test_wrenches_that_are_none(arm):
    q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    elbow = arm.with_constraints(c.PointOnPlane("wrist_1_link", (1, 1, 1), name="elbow"))
    motion_wrench = elbow.constraint_wrench(q, [2.0], frame="wrist_1_link", components=("fx", "fy", "fz"))
    R = elbow.forward_kinematics(q, frame="wrist_1_link")[:3, :3]
    assert_close((R @ motion_wrench)[None], np.full((1, 3), 2.0 / np.sqrt(3)), 1e-10)
    planar = armdyn.load("planar_2r").with_constraints(c.PointOnPlane("tip", (1, 0, 0), name="channel"))
    with pytest.raises(
        c.ConstraintError, match="6 components of the wrench cannot be told from the joint forces of 'planar_2r'"
    ):
        planar.constraint_wrench([0.3, 0.5], [1.0])
    both = armdyn.load("planar_3r").with_constraints(c.JointCoupling({"joint_1": 1.0}, name="brake"))
    with pytest.raises(c.ConstraintError, match=r"are no wrench of frame .* is left"):
        both.constraint_wrench([0.3, 0.5, 0.2], [1.0], components=("fx", "fy"))
    with pytest.raises(c.ConstraintError, match="pushes where 'planar_2r' is free to move"):
        planar.multipliers_of_wrench([0.3, 0.5], [0, 0, 0, 0, 1.0, 0], expressed_in="world")
    with pytest.raises(armdyn.UnknownName, match="no component 'fw' in a wrench"):
        planar.constraint_wrench([0.3, 0.5], [1.0], components=("fw",))
    with pytest.raises(
        armdyn.ShapeError, match=r"multipliers has shape \(2,\); expected \(..., 1\), one for each of channel"
    ):
        planar.constraint_wrench([0.3, 0.5], [1.0, 2.0])


def test_shapes(linkage, closed):
    with pytest.raises(
        armdyn.ShapeError, match=r"qd has shape \(2,\); expected \(..., 3\), one value per joint of 'four_bar'"
    ):
        linkage.constrained_forward_dynamics(closed, [0.0, 0.0], np.zeros(3))
    with pytest.raises(armdyn.ShapeError, match="do not broadcast together"):
        linkage.constrained_forward_dynamics(np.zeros((2, 3)), np.zeros((4, 3)), np.zeros(3))
    with pytest.raises(armdyn.ShapeError, match="rank is found for one state"):
        linkage.constraint_rank(np.zeros((2, 3)))
    with pytest.raises(armdyn.ModelError, match="redundant is 'drop'; expected 'auto', 'error' or 'least_squares'"):
        linkage.constrained_forward_dynamics(closed, np.zeros(3), np.zeros(3), redundant="drop")


def test_exports_do_not_drop_constraints(linkage, arm):
    with pytest.raises(armdyn.Unsupported, match=r"constraint 'loop' \(RowsOf\) has no place in URDF"):
        linkage.to_urdf()
    door = arm.with_constraints(c.hinge("tool0", axis=(1, 2, 3), to_axis=(0, 1, 0), point=(0, 0, 0.1), name="door"))
    with pytest.raises(armdyn.Unsupported, match=r"it has constraints \(door\); .* open chain"):
        door.to_dh("modified")
    from armdyn.formats.urdf import read_urdf_text

    again = armdyn.Robot(read_urdf_text(door.to_urdf(), gravity=door.gravity, tip="tool0"))
    q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    assert_close(again.constraint_error(q)[None], door.constraint_error(q)[None])
    assert_close(again.constraint_jacobian(q), door.constraint_jacobian(q))
