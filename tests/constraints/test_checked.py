"""What inverse dynamics, hybrid forces and projections say of open loops, bad motions and dependent rows."""

import numpy as np
import pytest
from linkages import four_bar

import armdyn
from armdyn import constraints as c
from oracles.states import assert_close

Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
QD, QDD = np.linspace(-0.5, 0.6, 6), np.linspace(1.0, -0.8, 6)
SINGLE, TWICE = ["one"], ["one", "two"]


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("ur5")


def on_planes(arm, *normals_and_names, offset=0.0) -> armdyn.Robot:
    at = arm.forward_kinematics(Q)[:3, 3]
    planes = [c.PointOnPlane("tool0", n, at + offset * np.array(n), name=name) for n, name in normals_and_names]
    return arm.with_constraints(*planes)


@pytest.fixture(scope="module")
def single(arm) -> armdyn.Robot:
    return on_planes(arm, ((1, 2, 2), "one"))


@pytest.fixture(scope="module")
def twice(arm) -> armdyn.Robot:
    return on_planes(arm, ((1, 2, 2), "one"), ((-1, -2, -2), "two"))


@pytest.fixture(scope="module")
def far(arm) -> armdyn.Robot:
    """Its constraint is open by 0.95 m at Q."""
    return on_planes(arm, ((1, 0, 0), "far"), offset=-0.95)


@pytest.fixture(scope="module")
def qd(single) -> np.ndarray:
    return single.close_velocities(Q, QD)


def calls(robot, q, qd, **options):
    rows = len(robot.constraint_rows)
    return {
        "hybrid_forces": lambda: robot.hybrid_forces(q, qd, QDD, np.ones(rows), **options),
        "force_projection": lambda: robot.force_projection(q, **options),
        "acceleration_projection": lambda: robot.acceleration_projection(q, **options),
    }


NAMES = ["hybrid_forces", "force_projection", "acceleration_projection"]


@pytest.mark.short_run("acceleration_projection", "force_projection", "constrained_inverse_dynamics")
@pytest.mark.parametrize("name", [*NAMES, "constrained_inverse_dynamics"])
def test_an_open_loop_is_refused_with_by_how_much(far, name):
    def call(**options):
        if name in NAMES:
            return calls(far, Q, np.zeros(6), **options)[name]()
        return far.constrained_inverse_dynamics(Q, np.zeros(6), QDD, [1.0], **options)

    with pytest.raises(c.OpenLoop, match=r"do not hold at q: 'far' is 0\.95 m, more than the tolerance of 1e-06"):
        call()
    assert np.isfinite(call(tolerance=np.inf)).all()
    with pytest.raises(c.ConstraintError, match="tolerance is -1; expected a number of at least zero"):
        call(tolerance=-1)


@pytest.mark.short_run("hybrid_forces")
@pytest.mark.parametrize("name", NAMES)
def test_redundant_rows_are_named(twice, qd, name):
    with pytest.raises(c.RedundantConstraints, match="redundant at q: rank 1 of 2 constraints; 'two' = -1 'one'"):
        calls(twice, Q, qd, redundant="error")[name]()
    with pytest.raises(armdyn.ModelError, match="redundant is 'drop'; expected 'auto', 'error' or 'least_squares'"):
        calls(twice, Q, qd, redundant="drop")[name]()
    with pytest.raises(c.ConstraintError, match=r"rank_tolerance is 1\.5; expected"):
        calls(twice, Q, qd, rank_tolerance=1.5)[name]()
    with pytest.raises(c.RedundantConstraints, match=r"redundant at q of state \(1, 0\): rank 1 of 2"):
        calls(twice, np.array([[np.full(6, np.nan)], [Q]]), qd, redundant="error")[name]()
    found, least = (calls(twice, Q, qd, redundant=which)[name]() for which in ("auto", "least_squares"))
    np.testing.assert_array_equal(found, least)
    np.testing.assert_array_equal(calls(twice, Q, qd)[name](), least)


@pytest.mark.parametrize("name", ["force_projection", "acceleration_projection"])
def test_projections_of_redundant_rows_are_those_of_the_rows_that_span_them(single, twice, name):
    found = getattr(twice, name)(Q, redundant="least_squares")
    assert_close(found, getattr(single, name)(Q), 1e-12)
    A, M = twice.constraint_jacobian(Q), twice.mass_matrix(Q)
    AMinv = np.linalg.solve(M, A.T).T
    P = np.eye(6) - A.T @ np.linalg.pinv(AMinv @ A.T, rcond=1e-10) @ AMinv
    assert_close(found, P if name == "force_projection" else P.T, 1e-10)


def test_hybrid_forces_of_redundant_rows(single, twice, qd):
    """The same as with one plane that is pushed at with what both get: 3 - 5 along the first normal."""
    found = twice.hybrid_forces(Q, qd, QDD, [3.0, 5.0], redundant="least_squares")
    assert_close(found, single.hybrid_forces(Q, qd, QDD, [-2.0]), 1e-11)
    motion = twice.constrained_forward_dynamics(Q, qd, found, redundant="least_squares")
    nearest = single.close_accelerations(Q, qd, QDD)
    assert_close(motion.qdd, nearest, 1e-10)
    assert_close(twice.constraint_forces(Q, motion.multipliers), twice.constraint_forces(Q, [3.0, 5.0]), 1e-10)


def test_inverse_dynamics_of_redundant_rows_is_unique(single, twice, qd):
    qdd = single.close_accelerations(Q, qd, QDD)
    both = twice.constrained_inverse_dynamics(Q, qd, qdd, [3.0, 5.0])
    assert_close(both, single.constrained_inverse_dynamics(Q, qd, qdd, [-2.0]), 1e-12)


def test_motions_that_leave_the_constraints(single, qd):
    with pytest.raises(c.InconsistentMotion, match=r"velocities qd leave the constraints .*'one' is .* m/s"):
        single.hybrid_forces(Q, QD, QDD, [1.0])
    with pytest.raises(c.InconsistentMotion, match=r"velocities qd leave"):
        single.constrained_inverse_dynamics(Q, QD, QDD)
    with pytest.raises(c.InconsistentMotion, match=r"accelerations qdd leave the constraints .*'one' is .* m/s\^2"):
        single.constrained_inverse_dynamics(Q, qd, QDD)


@pytest.mark.short_run("hinge")
@pytest.mark.parametrize("closed_by", ["ball", "hinge"])
def test_rows_that_follow_from_others_whatever_q(closed_by):
    """Out of its plane a planar linkage is held already: the compiled function does not exist."""
    pin, loop = four_bar(), four_bar(closed_by)
    q = pin.close_loop([0.4, 0.3, 1.2], locked=["joint_of_crank"])
    with pytest.raises(c.RedundantConstraints, match=r"rank 2 of \d constraints; .*'loop: z' is zero"):
        loop.force_projection(q, redundant="error")
    qs = np.array([q, pin.close_loop(q + 0.1), np.full(3, np.nan)])
    P = loop.force_projection(qs, redundant="least_squares")
    assert_close(P[:2], pin.force_projection(qs[:2]), 1e-11)
    assert np.isnan(P[2]).all()
    lam = np.zeros(len(loop.constraint_rows))
    found = loop.hybrid_forces(qs[:2], np.zeros(3), [1.0, 2.0, 3.0], lam, redundant="least_squares")
    assert_close(found, pin.hybrid_forces(qs[:2], np.zeros(3), [1.0, 2.0, 3.0], [0.0, 0.0]), 1e-10)
    out = np.empty((2, 3))
    assert loop.hybrid_forces(qs[:2], np.zeros(3), [1, 2, 3], lam, redundant="least_squares", out=out) is out
    np.testing.assert_array_equal(out, found)
    with pytest.raises(armdyn.ShapeError, match="do not broadcast together: q, qd, qdd"):
        loop.hybrid_forces(qs[:2], np.zeros(3), [1.0, 2.0, 3.0], [lam] * 3)


@pytest.mark.slow
def test_rows_that_nearly_follow_from_others_keep_their_digits(arm, single):
    """Two planes 1e-7 rad apart: the straight-line code has lost all digits, the singular values have not."""
    near = on_planes(arm, ((0, 0, 1), "one"), ((0, 1e-7, 1), "two"))
    apart = on_planes(arm, ((0, 0, 1), "one"), ((0, 1, 0), "two"))  # spans the same
    P = near.force_projection(Q)
    assert abs(P - apart.force_projection(Q)).max() < 1e-7 * abs(P).max()
    assert near.constraint_rank(Q).rank == 2


def test_calls_are_those_of_the_compiled_functions(single, qd):
    qs = np.array([[Q, Q + 0.4 * np.eye(6)[0]], [Q, Q]])
    qs[0, 1] = single.close_loop(qs[0, 1])
    rest = np.zeros(6)
    kernels = {name: single.compile(getattr(c, name)) for name in NAMES}
    for name, arrays in zip(NAMES, [(qs, rest, QDD, [1.0]), (qs,), (qs,)], strict=True):
        expected = kernels[name](*arrays)
        np.testing.assert_array_equal(getattr(single, name)(*arrays, workers=2), expected)
        out = np.empty_like(expected)
        assert getattr(single, name)(*arrays, out=out) is out
        np.testing.assert_array_equal(out, expected)
    qdd = single.close_accelerations(qs, rest, QDD)
    expected = single.compile(c.constrained_inverse_dynamics)(qs, rest, qdd, [1.0], f_tip=np.ones(6))
    out = np.empty_like(expected)
    assert single.constrained_inverse_dynamics(qs, rest, qdd, [1.0], np.ones(6), workers=2, out=out) is out
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(armdyn.ShapeError, match=r"multipliers has shape \(2,\); expected \(..., 1\)"):
        single.hybrid_forces(Q, qd, QDD, [1.0, 2.0])


def test_float32_stays_float32_but_in_forward_dynamics(single):
    q, zero = Q.astype(np.float32), np.zeros(6, dtype=np.float32)
    P = single.force_projection(q, tolerance=1e-5)
    assert P.dtype == np.float32
    assert abs(P - single.force_projection(Q)).max() < 1e-4 * abs(P).max()
    assert single.constrained_forward_dynamics(q, zero, zero, tolerance=1e-5).qdd.dtype == np.float64


def test_no_gradient_is_named():
    rod = armdyn.load("planar_2r").with_constraints(c.Distance("tip", length=0.5, to_point=(2, 0, 0), name="rod"))
    for call in (
        lambda: rod.force_projection([0.0, 0.0], tolerance=np.inf),
        lambda: rod.constrained_forward_dynamics([0, 0], [0, 0], [0, 0], tolerance=np.inf),
    ):
        with pytest.raises(
            c.SingularState, match="'rod' of 'planar_2r' has no gradient at q: a distance has none where"
        ):
            call()


def test_only_a_loop_that_can_be_closed_is_said_to_be(arm):
    """Two parallel planes: no close_loop helps, and the error says which rows contradict each other."""
    at = arm.forward_kinematics(Q)[:3, 3]
    planes = [
        c.PointOnPlane("tool0", (0, 0, 1), at + z * np.eye(3)[2], name=name) for z, name in ((0, "low"), (0.2, "high"))
    ]
    robot, zero = arm.with_constraints(*planes), np.zeros(6)
    for call in (
        lambda: robot.constrained_forward_dynamics(Q, zero, zero),
        lambda: robot.force_projection(Q),
    ):
        with pytest.raises(c.ContradictingConstraints, match=r"'low' and 'high'\. At best") as caught:
            call()
        assert "'high' is -0.2 m, more than the tolerance" in str(caught.value)
        assert "close_loop" not in str(caught.value)
    beyond = arm.with_constraints(c.PointOnPlane("tool0", (0, 0, 1), (0, 0, 9), name="sky"))
    with pytest.raises(c.OpenLoop, match="from this q it finds none"):
        beyond.force_projection(Q)
