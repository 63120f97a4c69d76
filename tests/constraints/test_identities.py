"""What holds for every constraint of full rank: projections, powers, the pieces of a torque, inverse after forward."""

import mpmath as mp
import numpy as np
import pytest
from parts import every_kind

import armdyn
from armdyn import constraints as c
from oracles.cases import CASES, Case
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

SETS = {
    "weld": ["weld to the base"],
    "points": ["plane", "rod from the base"],
    "general": ["surface", "belt", "skate"],
    "curve and own": ["curve", "own"],
}

AS_THEY_ARE = {"tolerance": np.inf}  # the states need not be closed


@pytest.fixture(scope="module", params=short_run(["large_tree", "panda_locked"], "large_tree"))
def case(request) -> Case:
    return CASES[request.param]()


@pytest.fixture(scope="module", params=short_run(SETS, "general", "curve and own"))
def robot(request, case) -> armdyn.Robot:
    kinds = every_kind(case.robot)
    return case.robot.with_constraints(*(kinds[name] for name in SETS[request.param]))


def well_posed(robot, count=4):
    """States at which the constraints are well apart; they need not be closed for these identities."""
    s = random_states(robot.dof, 60, 31)
    kernel = robot.compile(c.constrained_forward_dynamics)
    independence = kernel(s.q, s.qd, s.tau).independence.min(axis=-1)
    chosen = np.flatnonzero(independence > 0.02)[:count]
    assert len(chosen) == count
    return [s.q[chosen], s.qd[chosen], s.tau[chosen], s.qdd[chosen]]


def free(robot, q, qd, tau, **options):
    """Constrained forward dynamics at states as they are, closed or not."""
    return robot.constrained_forward_dynamics(q, qd, tau, tolerance=np.inf, **options)


def tolerance(robot, q, relative=1e-12):
    """The condition of M amplifies rounding."""
    return max(relative, 2e-16 * np.linalg.cond(robot.mass_matrix(q)).max())


@pytest.mark.short_run("general-large_tree")
def test_projections(robot):
    """P A^T = 0, P^2 = P, P_qdd = M^-1 P M = P^T, of rank n - k."""
    q, *_ = well_posed(robot)
    P, M, A = robot.force_projection(q, **AS_THEY_ARE), robot.mass_matrix(q), robot.constraint_jacobian(q)
    allowed = 50 * tolerance(robot, q)
    size = abs(P).max()
    assert abs(P @ np.swapaxes(A, -1, -2)).max() < allowed * size * abs(A).max() * 10
    assert abs(P @ P - P).max() < allowed * size**2
    assert_close(robot.acceleration_projection(q, **AS_THEY_ARE), np.swapaxes(P, -1, -2))
    similar = np.linalg.solve(M, P @ M)
    assert abs(similar - robot.acceleration_projection(q, **AS_THEY_ARE)).max() < allowed * size
    assert (np.linalg.matrix_rank(P, tol=1e-8) == robot.dof - A.shape[-2]).all()
    np.testing.assert_allclose(np.trace(P, axis1=-2, axis2=-1), robot.dof - A.shape[-2], atol=1e-9 * size)


@pytest.mark.short_run("general-large_tree")
def test_equation_of_motion_and_constraint(robot):
    """M qdd + h + A^T lambda = tau, A qdd + Adot qd = 0 (8.93, 8.95); and inverse dynamics gives tau back."""
    q, qd, tau, _ = well_posed(robot)
    motion = free(robot, q, qd, tau)
    scale = (
        abs(robot.bias_forces(q, qd)).max() + abs(tau).max() + abs(robot.constraint_forces(q, motion.multipliers)).max()
    )
    back = robot.constrained_inverse_dynamics(q, qd, motion.qdd, motion.multipliers, **AS_THEY_ARE)
    assert abs(back - tau).max() < 20 * tolerance(robot, q) * scale
    A = robot.constraint_jacobian(q)
    drift = robot.constraint_drift(q, qd)
    left = np.einsum("sij,sj->si", A, motion.qdd) + drift
    assert abs(left).max() < 20 * tolerance(robot, q) * (abs(drift).max() + abs(A).max() * abs(motion.qdd).max())


@pytest.mark.short_run("general-large_tree")
def test_projected_forms(robot):
    """P tau = P (M qdd + h) (8.99); P_qdd qdd = P_qdd M^-1 (tau - h) (8.101)."""
    q, qd, tau, _ = well_posed(robot)
    motion = free(robot, q, qd, tau)
    P, M, h = robot.force_projection(q, **AS_THEY_ARE), robot.mass_matrix(q), robot.bias_forces(q, qd)
    apply = lambda X, v: np.einsum("sij,sj->si", X, v)  # noqa: E731
    scale = abs(P).max() * (abs(tau).max() + abs(h).max()) * 100
    allowed = tolerance(robot, q)
    assert abs(apply(P, tau) - apply(P, apply(M, motion.qdd) + h)).max() < allowed * scale
    Q = robot.acceleration_projection(q, **AS_THEY_ARE)
    unconstrained = np.linalg.solve(M, (tau - h)[..., None])[..., 0]
    size = abs(Q).max() * abs(unconstrained).max() * 10
    assert abs(apply(Q, motion.qdd) - apply(Q, unconstrained)).max() < allowed * size


@pytest.mark.short_run("general-large_tree")
def test_what_a_torque_is_made_of(robot):
    """P tau moves and leaves lambda alone; (1 - P) tau pushes and moves nothing."""
    q, qd, tau, _ = well_posed(robot)
    moving = np.einsum("sij,sj->si", robot.force_projection(q, **AS_THEY_ARE), tau)
    with_both, with_moving, with_none = (free(robot, q, qd, t) for t in (tau, moving, 0.0 * tau))
    allowed = 1e3 * tolerance(robot, q)
    assert_close(with_moving.qdd, with_both.qdd, allowed)
    size = abs(with_both.multipliers).max() + abs(with_none.multipliers).max()
    assert abs(with_moving.multipliers - with_none.multipliers).max() < allowed * size


@pytest.mark.short_run("general-large_tree")
def test_hybrid_forces(robot):
    """Any wanted acceleration and any wanted lambda: lambda comes about, and the nearest motion to that wanted."""
    q, qd, _, wanted = well_posed(robot)
    lam = np.random.default_rng(5).normal(0, 10, (len(q), len(robot.constraint_rows)))
    motion = free(robot, q, qd, robot.hybrid_forces(q, qd, wanted, lam, **AS_THEY_ARE))
    allowed = 1e4 * tolerance(robot, q)
    assert abs(motion.multipliers - lam).max() < allowed * max(abs(lam).max(), abs(robot.bias_forces(q, qd)).max())
    nearest = robot.close_accelerations(q, qd, wanted, tolerance=np.inf)
    assert_close(motion.qdd, nearest, allowed)


@pytest.mark.short_run("general-large_tree")
def test_straight_line_and_dense_solutions_agree(robot):
    from armdyn.constraints.solving import constrained_least_squares

    q, qd, tau, _ = well_posed(robot)
    motion = robot.compile(c.constrained_forward_dynamics)(q, qd, tau)
    M, A, h = robot.mass_matrix(q), robot.constraint_jacobian(q), robot.bias_forces(q, qd)
    qdd, lam, rank = constrained_least_squares(M, A, tau - h, -robot.constraint_drift(q, qd), 1e-10)
    assert (rank == A.shape[-2]).all()
    allowed = 1e2 * tolerance(robot, q)
    assert_close(motion.qdd, qdd, allowed)
    assert_close(motion.multipliers, lam, allowed)


@pytest.mark.short_run("general-large_tree")
def test_independence_is_the_angle_between_rows(robot):
    """Squares of sines, by Gram and Schmidt in the metric of M^-1 with 40 digits."""
    q, qd, tau, _ = well_posed(robot, 1)
    found = robot.compile(c.constrained_forward_dynamics)(q, qd, tau).independence[0]
    with mp.workdps(40):
        M, A = mp.matrix(robot.mass_matrix(q[0]).tolist()), mp.matrix(robot.constraint_jacobian(q[0]).tolist())
        S = A * (M**-1) * A.T
        for k in range(A.rows):
            before = S[:k, :k]
            alone = S[k, k] - ((S[k, :k] * before**-1 * S[:k, k])[0] if k else 0)
            assert abs(found[k] - alone / S[k, k]) < 1e-9


@pytest.mark.slow
def test_derivative_by_tau(robot):
    """dqdd/dtau = P_qdd M^-1, as the program differentiates it."""
    q, qd, tau, _ = well_posed(robot, 2)
    by_tau = robot.compile(c.constrained_forward_dynamics).derivative("tau")(q, qd, tau)[0]
    expected = robot.acceleration_projection(q, **AS_THEY_ARE) @ np.linalg.inv(robot.mass_matrix(q))
    assert_close(by_tau, expected, 1e2 * tolerance(robot, q))


def test_with_forty_digits(robot):
    """lambda and qdd of (8.98) and (8.96) from the same M, h, A, without the rounding of a solution."""
    q, qd, tau, _ = well_posed(robot, 2)
    motion = free(robot, q, qd, tau)
    for k in range(len(q)):
        with mp.workdps(40):
            M, A = mp.matrix(robot.mass_matrix(q[k]).tolist()), mp.matrix(robot.constraint_jacobian(q[k]).tolist())
            pushed = mp.matrix((tau[k] - robot.bias_forces(q[k], qd[k])).tolist())
            drift = mp.matrix(robot.constraint_drift(q[k], qd[k]).tolist())
            Minv = M**-1
            lam = mp.lu_solve(A * Minv * A.T, A * Minv * pushed + drift)
            qdd = Minv * (pushed - A.T * lam)
        allowed = 1e2 * tolerance(robot, q)
        assert_close(motion.multipliers[k][None], np.array([[float(x) for x in lam]]), allowed)
        assert_close(motion.qdd[k][None], np.array([[float(x) for x in qdd]]), allowed)


@pytest.mark.slow
def test_external_wrenches_act_beside_the_constraints(robot):
    """f_tip and f_ext are joint forces like tau."""
    q, qd, tau, _ = well_posed(robot, 2)
    f_tip = np.random.default_rng(6).normal(0, 10, 6)
    f_ext = np.random.default_rng(7).normal(0, 10, (len(robot.link_names), 6))
    allowed = 1e2 * tolerance(robot, q)
    at_tip = free(robot, q, qd, tau, f_tip=f_tip)
    assert_close(at_tip.qdd, free(robot, q, qd, tau - robot.tip_forces(q, f_tip)).qdd, allowed)
    tree = robot.without_constraints()
    still, none = np.zeros_like(q), np.zeros(robot.dof)
    from_links = tree.inverse_dynamics(q, still, none, f_ext=f_ext) - tree.gravity_forces(q)
    assert_close(free(robot, q, qd, tau, f_ext=f_ext).qdd, free(robot, q, qd, tau - from_links).qdd, allowed)


@pytest.mark.short_run("large_tree-plane on a link surface skate")
@pytest.mark.parametrize("names", [("weld to the base",), ("plane on a link", "surface", "skate")], ids=" ".join)
def test_couplings_come_with_the_constraints(case, names):
    """Coordinates in front of the joints: A of the new coordinates is A of the old times the map."""
    kinds = every_kind(case.robot)
    rng = np.random.default_rng(8)
    n = case.robot.dof
    B, b = np.eye(n) + 0.3 * rng.normal(size=(n, n)), rng.normal(size=n)
    kinds_of = dict.fromkeys(map(str, range(n)), "revolute")
    geared = case.robot.with_coordinates([*map(str, range(n))], B, offset=b, kinds=kinds_of)
    old, new = (robot.with_constraints(*(kinds[name] for name in names)) for robot in (case.robot, geared))
    x, xd = rng.uniform(-1, 1, n), rng.normal(size=n)
    q, qd = B @ x + b, B @ xd
    assert_close(new.constraint_jacobian(x), old.constraint_jacobian(q) @ B, 1e-10)
    size = abs(old.constraint_drift(q, qd)).max()
    assert abs(new.constraint_drift(x, xd) - old.constraint_drift(q, qd)).max() < 1e-10 * max(1.0, size)
    tau = rng.normal(size=n) * 10
    one = old.constrained_forward_dynamics(q, qd, tau, tolerance=np.inf)
    two = new.constrained_forward_dynamics(x, xd, B.T @ tau, tolerance=np.inf)
    assert_close((B @ two.qdd)[None], one.qdd[None], 1e-8)
    assert_close(two.multipliers[None], one.multipliers[None], 1e-8)
