"""armdyn and Pinocchio against the same robots in 50 digits: armdyn rounds no worse than Pinocchio.

The error of a state is the largest error of a component relative to the largest component. Medians over states are
compared: single states swing either way with the luck of rounding. The factor allows for how far the median of so few
states scatters.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from decimal import Decimal
from functools import cache

import mpmath
import numpy as np
import pytest

import armdyn
from armdyn.base.exact import rounded
from armdyn.spatial.rotations import rotation_from_rpy
from oracles.cases import CASES, Case, grown, pinocchio_from_urdf
from oracles.newton_euler_mp import ExactTree
from oracles.robot_data import written
from oracles.short_run import short_run
from oracles.states import random_states

NO_WORSE = 1.3
EPS = np.finfo(float).eps
ALL = ["ur5", "xarm7", "panda_fingers", "large_tree", "right_angled_tree"]
PRINTED = str(Decimal.from_float(1.57079632679))
"""A right angle as many files have it, 5e-12 short of one; all digits of its float64, which is what is read."""


@cache
def printed_ur5() -> Case:
    """The UR5 with its right angles to eleven decimals, under gravity along the first axis."""
    case = CASES["ur5"]()
    tree = ET.ElementTree(ET.fromstring(case.urdf.read_text().replace("1.5707963267948966", PRINTED)))
    path, gravity = written(tree, "printed_ur5"), np.array([0.0, 0.0, -9.81])
    robot = armdyn.Robot.from_urdf(path, gravity=gravity)
    return Case("printed_ur5", robot, pinocchio_from_urdf(path, gravity, {}), path)


ARMS: dict[str, Callable[[], Case]] = {**CASES, "printed_ur5": printed_ur5}


@cache
def exact_tree(name: str) -> ExactTree:
    case = ARMS[name]()
    return ExactTree.of_urdf(case.urdf, case.robot.joint_names, case.robot.gravity)


def errors(actual: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Of every state."""
    difference = [max(abs(a - e)) / max(abs(e)) for a, e in zip(actual, exact, strict=True)]
    return np.array([float(d) for d in difference])


def assert_no_worse(armdyn_error: np.ndarray, pinocchio_error: np.ndarray) -> None:
    ours, theirs = np.median(armdyn_error), np.median(pinocchio_error)
    assert theirs < 100 * EPS  # the two descriptions are the same robot
    assert ours <= max(NO_WORSE * theirs, 2 * EPS), f"armdyn {ours:.3g}, Pinocchio {theirs:.3g}"


def rows(function, *arrays: np.ndarray) -> np.ndarray:
    return np.array([function(*x) for x in zip(*arrays, strict=True)])


@pytest.mark.short_run("ur5")
@pytest.mark.parametrize("name", short_run(ALL, "ur5", "large_tree"))
def test_inverse_dynamics(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 40, seed=15)
    state = (s.q, s.qd, s.qdd)
    exact = rows(exact_tree(name).inverse_dynamics, *state)
    ours = case.robot.inverse_dynamics(*state)
    assert errors(ours, exact).max() < 1e-13
    assert_no_worse(errors(ours, exact), errors(rows(case.inverse_dynamics, *state), exact))


@pytest.mark.parametrize("name", short_run(["ur5", "panda_fingers", "xarm7", "right_angled_tree"], "ur5"))
def test_forward_dynamics(name: str) -> None:
    """State by state armdyn is the nearer one more often than not, and it is nearer on the average."""
    case, s = CASES[name](), random_states(CASES[name]().n, 60, seed=16)
    state = (s.q, s.qd, s.tau)
    exact = rows(exact_tree(name).forward_dynamics, *state)
    ours, theirs = (
        errors(a, exact) for a in (case.robot.forward_dynamics(*state), rows(case.forward_dynamics, *state))
    )
    assert np.mean(ours <= theirs) > 0.5
    assert np.mean(ours) <= np.mean(theirs)
    assert np.median(ours) <= 1.1 * np.median(theirs)


@pytest.mark.slow
def test_forward_dynamics_of_a_general_tree() -> None:
    """Its constants are general numbers, each rounded: the median is a matter of their luck, the average hardly."""
    case, s = CASES["large_tree"](), random_states(CASES["large_tree"]().n, 60, seed=16)
    state = (s.q, s.qd, s.tau)
    exact = rows(exact_tree("large_tree").forward_dynamics, *state)
    ours, theirs = (
        errors(a, exact) for a in (case.robot.forward_dynamics(*state), rows(case.forward_dynamics, *state))
    )
    assert np.mean(ours) <= NO_WORSE * np.mean(theirs)


@pytest.mark.slow
def test_forward_dynamics_with_axes_in_line() -> None:
    """With the second joint near zero, the first axis and the third nearly coincide: M is nearly singular there.

    Solving M qdd = tau - h loses a digit or two, articulated bodies lose none. The wrist and the fingers, much quicker,
    would hide it.
    """
    case = CASES["panda_fingers"]()
    s = random_states(case.n, 20, seed=21)
    q = s.q.copy()
    q[:, 1] = np.linspace(0.02, 0.2, 20)
    state = (q, s.qd, s.tau)
    exact = rows(exact_tree("panda_fingers").forward_dynamics, *state)
    shoulder_and_elbow = case.robot.forward_dynamics(*state)[:, :4]
    assert errors(shoulder_and_elbow, exact[:, :4]).max() < 20 * EPS


@pytest.mark.parametrize("name", short_run(["ur5", "panda_fingers", "right_angled_tree"], "ur5"))
def test_mass_matrix(name: str) -> None:
    case, q = CASES[name](), random_states(CASES[name]().n, 10, seed=17).q
    exact = rows(exact_tree(name).mass_matrix, q).reshape(len(q), -1)
    ours, theirs = (rows(f, q).reshape(len(q), -1) for f in (case.robot.mass_matrix, case.mass_matrix))
    assert_no_worse(errors(ours, exact), errors(theirs, exact))


@pytest.mark.parametrize("name", ["ur5", "large_tree"])
def test_large_velocities_and_accelerations(name: str) -> None:
    case, s = CASES[name](), random_states(CASES[name]().n, 20, seed=18)
    state = (s.q, 1e6 * s.qd, 1e9 * s.qdd)
    exact = rows(exact_tree(name).inverse_dynamics, *state)
    assert_no_worse(
        errors(case.robot.inverse_dynamics(*state), exact), errors(rows(case.inverse_dynamics, *state), exact)
    )


def test_small_velocities_do_not_vanish_beside_gravity(ur5: Case) -> None:
    """Velocity forces of slow motion, alone: nothing is lost by subtracting large numbers."""
    s = random_states(6, 10, seed=19)
    slow = 1e-9 * s.qd
    tree = ExactTree.of_urdf(ur5.urdf, ur5.robot.joint_names, np.zeros(3))
    exact = rows(lambda q, qd: tree.inverse_dynamics(q, qd, np.zeros(6)), s.q, slow)
    assert errors(ur5.robot.velocity_forces(s.q, slow), exact).max() < 1e-13


@pytest.mark.parametrize("name", ["ur5", "printed_ur5", "large_tree"])
def test_angles_of_a_million_radians(name: str) -> None:
    """The range reduction of sin and cos is exact: many turns cost no digits. The angle as given is the angle meant."""
    case, s = ARMS[name](), random_states(ARMS[name]().n, 10, seed=20)
    revolute = np.array([joint.kind == "revolute" for joint in case.robot.joints])
    q = np.where(revolute, s.q * 1e6, s.q)
    exact = rows(exact_tree(name).inverse_dynamics, q, s.qd, s.qdd)
    # A joint whose canonical angle is q plus a constant rounds the sum to within 1e6 ulp; right-angled arms have none,
    # and nearly right-angled ones turn by the difference instead.
    allowed = 1e-9 if name == "large_tree" else 1e-13
    assert errors(case.robot.inverse_dynamics(q, s.qd, s.qdd), exact).max() < allowed


@pytest.mark.parametrize("angle", [1.57079632679, 1.5708, 3.14159265359, -4.71238898, 0.3])
def test_rotations_keep_the_digits_of_small_cosines_and_sines(angle: float) -> None:
    """A joint's angle is no better than the small numbers that tell how far its placement is from a right angle."""
    c, s = float(mpmath.cos(angle)), float(mpmath.sin(angle))
    np.testing.assert_array_equal(rounded(rotation_from_rpy(0, angle, 0)), [[c, 0, s], [0, 1, 0], [-s, 0, c]])


@pytest.mark.short_run("26")
@pytest.mark.parametrize("seed", [22, 26])
def test_forces_that_nearly_cancel(seed: int) -> None:
    """The fifty states of five thousand in which the UR5's forces are smallest: what is large cancels there."""
    case, s = printed_ur5(), random_states(6, 5000, seed=seed)
    smallest = np.argsort(np.abs(case.robot.inverse_dynamics(s.q, s.qd, s.qdd)).max(axis=1))[:50]
    state = (s.q[smallest], s.qd[smallest], s.qdd[smallest])
    exact = rows(exact_tree("printed_ur5").inverse_dynamics, *state)
    ours, theirs = (
        errors(a, exact) for a in (case.robot.inverse_dynamics(*state), rows(case.inverse_dynamics, *state))
    )
    assert np.mean(ours) <= 0.75 * np.mean(theirs)


@pytest.mark.short_run("24")
@pytest.mark.parametrize("seed", [23, 24])
def test_mass_matrix_of_the_folded_arm(seed: int) -> None:
    """The 25 states of two thousand in which the Panda's largest moment is smallest: large moments cancel there."""
    case = CASES["panda_fingers"]()
    q = random_states(case.n, 2000, seed=seed).q
    q = q[np.argsort(np.abs(case.robot.mass_matrix(q)).max(axis=(1, 2)))[:25]]
    exact = rows(exact_tree("panda_fingers").mass_matrix, q).reshape(len(q), -1)
    ours, theirs = (rows(f, q).reshape(len(q), -1) for f in (case.robot.mass_matrix, case.mass_matrix))
    assert np.mean(errors(ours, exact)) <= 1.1 * np.mean(errors(theirs, exact))


@pytest.mark.slow
def test_over_many_arms_armdyn_is_no_worse_on_average() -> None:
    """The geometric mean, over random trees, of the ratio of the median errors."""
    logarithms = []
    for seed in range(50, 54):
        case = grown(seed, 6, bool(seed % 2))
        tree = ExactTree.of_urdf(case.urdf, case.robot.joint_names, case.robot.gravity)
        s = random_states(6, 15, seed=seed)
        state = (s.q, s.qd, s.qdd)
        exact = rows(tree.inverse_dynamics, *state)
        ours, theirs = (
            errors(a, exact) for a in (case.robot.inverse_dynamics(*state), rows(case.inverse_dynamics, *state))
        )
        logarithms.append(np.log(np.median(ours) / np.median(theirs)))
    assert np.exp(np.mean(logarithms)) <= 1.0
