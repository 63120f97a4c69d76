"""Product-of-exponentials lists against the book's own library, and the results its documentation prints.

The lists are those of the book's UR5-like arm with three links.
"""

import modern_robotics as mr
import numpy as np
import pytest

import armdyn
from oracles.plain import plainly
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

MLIST = np.array([
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.089159], [0, 0, 0, 1]],
    [[0, 0, 1, 0.28], [0, 1, 0, 0.13585], [-1, 0, 0, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0, 1, 0, -0.1197], [0, 0, 1, 0.395], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.14225], [0, 0, 0, 1]],
])  # fmt: skip
GLIST = np.array([
    np.diag([0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7]),
    np.diag([0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393]),
    np.diag([0.0494433, 0.0494433, 0.004095, 2.275, 2.275, 2.275]),
])  # fmt: skip
SLIST = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]], dtype=float).T
SLIST[:, 0] /= np.sqrt(2.0)
"""The library's example gives its first screw axis a length of sqrt(2), which no joint has; see `as_printed`."""

G = np.array([0.0, 0.0, -9.8])
THETA, RATE, FTIP = np.full(3, 0.1), np.array([0.1, 0.2, 0.3]), np.ones(6)


@pytest.fixture(scope="module")
def book_arm() -> armdyn.Robot:
    return armdyn.Robot.from_screws(MLIST, GLIST, SLIST, gravity=G)


def as_printed(q_or_rate: np.ndarray) -> np.ndarray:
    """The joint's own angle, where the book's first coordinate is the angle over sqrt(2)."""
    return q_or_rate * np.array([np.sqrt(2.0), 1.0, 1.0])


def test_inverse_dynamics_printed(book_arm: armdyn.Robot) -> None:
    tau = book_arm.inverse_dynamics(as_printed(THETA), as_printed(RATE), as_printed(np.array([2, 1.5, 1])), FTIP)
    np.testing.assert_allclose(as_printed(tau), [74.69616155, -33.06766016, -3.23057314], rtol=0, atol=6e-9)


def test_mass_matrix_printed(book_arm: armdyn.Robot) -> None:
    M = as_printed(as_printed(book_arm.mass_matrix(as_printed(THETA))).T)
    printed = [
        [2.25433380e01, -3.07146754e-01, -7.18426391e-03],
        [-3.07146754e-01, 1.96850717e00, 4.32157368e-01],
        [-7.18426391e-03, 4.32157368e-01, 1.91630858e-01],
    ]
    np.testing.assert_allclose(M, printed, rtol=5e-9)


def test_velocity_quadratic_forces_printed(book_arm: armdyn.Robot) -> None:
    c = as_printed(book_arm.velocity_forces(as_printed(THETA), as_printed(RATE)))
    np.testing.assert_allclose(c, [0.26453118, -0.05505157, -0.00689132], rtol=0, atol=6e-9)


def test_gravity_forces_printed(book_arm: armdyn.Robot) -> None:
    g = as_printed(book_arm.gravity_forces(as_printed(THETA)))
    np.testing.assert_allclose(g, [28.40331262, -37.64094817, -5.4415892], rtol=0, atol=6e-9)


def test_end_effector_forces_printed(book_arm: armdyn.Robot) -> None:
    tau = as_printed(book_arm.tip_forces(as_printed(THETA), FTIP))
    np.testing.assert_allclose(tau, [1.40954608, 1.85771497, 1.392409], rtol=0, atol=6e-9)


def test_forward_dynamics_printed(book_arm: armdyn.Robot) -> None:
    tau = np.array([0.5, 0.6, 0.7]) / as_printed(np.ones(3))
    qdd = book_arm.forward_dynamics(as_printed(THETA), as_printed(RATE), tau, FTIP)
    printed = np.array([-0.97392907, 25.58466784, -32.91499212])
    np.testing.assert_allclose(qdd / as_printed(np.ones(3)), printed, rtol=0, atol=6e-9)


def test_a_screw_that_is_no_unit_screw_is_refused() -> None:
    screws = SLIST.copy()
    screws[:, 0] *= np.sqrt(2.0)
    with pytest.raises(armdyn.ModelError, match=r"Slist column 0.*\|w\| = 1"):
        armdyn.Robot.from_screws(MLIST, GLIST, screws)


def random_lists(seed: int, kinds: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of general poses, unit screws and inertias, turning (R) and sliding (P)."""
    rng = np.random.default_rng(seed)
    M = np.array([mr.MatrixExp6(mr.VecTose3(rng.normal(size=6))) for _ in range(len(kinds) + 1)])
    G, S = [], []
    for kind in kinds:
        A, mass = rng.normal(size=(3, 3)), rng.uniform(1.0, 4.0)
        second = A @ A.T
        G.append(np.block([[np.trace(second) * np.eye(3) - second, np.zeros((3, 3))],
                           [np.zeros((3, 3)), mass * np.eye(3)]]))  # fmt: skip
        w, p = rng.normal(size=(2, 3))
        w /= np.linalg.norm(w)
        S.append([*w, *np.cross(p, w)] if kind == "R" else [0, 0, 0, *w])
    return M, np.array(G), np.array(S).T


@pytest.mark.short_run("PR")
@pytest.mark.parametrize("kinds", short_run(["R", "P", "RR", "RP", "PR", "RRPRPR", "RRRRRR"], "PR", "RRPRPR"))
def test_general_lists(kinds: str) -> None:
    lists = M, _, S = random_lists(len(kinds), kinds)
    gravity = np.array([1.3, -2.4, -8.8])
    arm = armdyn.Robot.from_screws(*lists, gravity=gravity)
    s = random_states(len(kinds), 5, seed=24)
    each = list(zip(*s, strict=True))
    poses, J = plainly(arm, "forward_kinematics", s.q), plainly(arm, "jacobian", s.q, expressed_in="space")
    assert_close(poses, np.array([mr.FKinSpace(_home(M), S, q) for q, *_ in each]))
    assert_close(J, np.array([mr.JacobianSpace(S, q) for q, *_ in each]))
    assert_close(arm.mass_matrix(s.q), np.array([mr.MassMatrix(q, *lists) for q, *_ in each]))
    assert_close(
        arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip),
        np.array([mr.InverseDynamics(q, qd, qdd, gravity, f, *lists) for q, qd, qdd, _, f in each]),
    )
    assert_close(
        arm.forward_dynamics(s.q, s.qd, s.tau, s.f_tip),
        np.array([mr.ForwardDynamics(q, qd, tau, gravity, f, *lists) for q, qd, _, tau, f in each]),
        relative=1e-10,
    )
    g, tau = plainly(arm, "gravity_forces", s.q), plainly(arm, "tip_forces", s.q, s.f_tip)
    assert_close(g, np.array([mr.GravityForces(q, gravity, *lists) for q, *_ in each]))
    assert_close(tau, np.array([mr.EndEffectorForces(q, f, *lists) for q, *_, f in each]))


def _home(M: np.ndarray) -> np.ndarray:
    home = np.eye(4)
    for T in M:
        home = home @ T
    return home


def test_link_frames_keep_the_names_and_places_of_the_lists() -> None:
    M, G_, S = random_lists(5, "RPR")
    arm, home = armdyn.Robot.from_screws(M, G_, S), np.eye(4)
    for i in range(3):
        home = home @ M[i]
        np.testing.assert_allclose(arm.forward_kinematics(np.zeros(3), frame=f"link_{i + 1}"), home, atol=1e-13)
