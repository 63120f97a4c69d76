"""Operation counts: exact on small functions, and exact figures of real arms, which may fall but not rise unnoticed."""

import re
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.cli.info import LITERATURE
from armdyn.model import Inertia
from armdyn.program import OperationCounts, Port, trace
from oracles.cases import CASES


def test_counts_of_a_small_function() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        a, b, c = x
        return np.array([
            a * b + b * c - c,
            a / b,
            np.sqrt(a) + np.sin(b) - np.arctan2(b, c),
            armdyn.maximum(a, np.exp(c)),
            -(a * b),
        ])  # fmt: skip

    counts = trace(function, [Port("x", (3,))]).op_counts
    assert counts == OperationCounts(
        multiplications=2, additions=4, divisions=1, square_roots=1, trigonometric=2, other=2
    )
    assert str(counts) == "2m + 4a + 1d + 1r + 2t + 2o"


def test_nothing_to_do() -> None:
    assert str(trace(lambda x: x, [Port("x", (3,))]).op_counts) == "0"


def test_matrix_product() -> None:
    counts = trace(lambda A, B: A @ B, [Port("A", (3, 3)), Port("B", (3, 3))]).op_counts
    assert (counts.multiplications, counts.additions) == (27, 18)


def test_rotation_and_its_inverse_share_their_sine_and_cosine() -> None:
    from armdyn.spatial.turns import Turn, to_child, to_parent

    def function(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turn = (Turn(2, np.cos(q), np.sin(q)),)
        return to_parent(turn, v), to_child(turn, v)

    assert str(trace(function, [Port("q", ()), Port("v", (3,))]).op_counts) == "4m + 4a + 2t"


BUDGET = {  # multiplications, additions: at most
    ("ur5", "inverse_dynamics"): (230, 195),
    ("ur5", "mass_matrix"): (136, 138),
    ("ur5", "forward_dynamics"): (410, 371),
    ("panda", "inverse_dynamics"): (381, 355),
    ("panda", "mass_matrix"): (206, 219),
    ("panda", "forward_dynamics"): (701, 657),
}
EXACT = {
    ("ur5", "inverse_dynamics"): "151m + 125a + 10t",
    ("ur5", "mass_matrix"): "68m + 71a + 10t",
    ("ur5", "forward_dynamics"): "319m + 238a + 5d + 10t",
    ("ur5", "bias_forces"): "142m + 105a + 10t",
    ("ur5", "gravity_forces"): "11m + 5a + 6t",
    ("ur5", "forward_kinematics"): "64m + 34a + 12t",
    ("ur5", "jacobian"): "71m + 35a + 10t",
    ("panda", "inverse_dynamics"): "291m + 280a + 12t",
    ("panda", "mass_matrix"): "160m + 170a + 12t",
    ("panda", "forward_dynamics"): "649m + 596a + 6d + 12t",
    ("panda", "bias_forces"): "283m + 263a + 12t",
    ("panda", "gravity_forces"): "58m + 35a + 12t",
    ("panda", "forward_kinematics"): "89m + 48a + 14t",
    ("panda", "jacobian"): "94m + 49a + 12t",
}


def counts(robot: str, function: str) -> OperationCounts:
    """Under gravity along the first axis, the common case."""
    case = CASES[{"panda": "panda_locked"}.get(robot, robot)]()
    return getattr(case.robot.with_gravity([0.0, 0.0, -9.81]), function).op_counts


@pytest.mark.parametrize(("robot", "function"), BUDGET)
def test_no_more_than_was_asked_for(robot: str, function: str) -> None:
    multiplications, additions = BUDGET[robot, function]
    found = counts(robot, function)
    assert found.multiplications <= multiplications
    assert found.additions <= additions
    assert found.divisions <= 7


@pytest.mark.parametrize(("robot", "function"), EXACT)
def test_exact_figures(robot: str, function: str) -> None:
    """A change here is a change of speed: lower it with the figure, never raise it without a reason."""
    assert str(counts(robot, function)) == EXACT[robot, function]


def test_bundled_arms_of_the_textbooks() -> None:
    assert str(armdyn.load("planar_2r").mass_matrix.op_counts) == "1m + 6a + 2t"
    assert str(armdyn.load("planar_2r").inverse_dynamics.op_counts) == "10m + 10a + 4t"
    assert str(armdyn.load("rp").inverse_dynamics.op_counts) == "12m + 6a + 2t"


def general_arm(joints: int, *, offsets: bool = False, last: int = 0) -> armdyn.Robot:
    """Revolute joints with general modified Denavit-Hartenberg steps and inertias on an aligned base.

    ``offsets``: of the joints, general too; else zero. ``last`` draws the inertia of the last link.
    """
    rng = np.random.default_rng(6)
    rows = [[*rng.uniform(0.2, 1.0, 4), random_body(rng)] for _ in range(joints)]
    rows[0][:3] = 0.0, 0.0, 0.0
    rows[-1][4] = random_body(np.random.default_rng(last))
    return armdyn.Robot.from_dh(
        [armdyn.DHRow(a, alpha, d, theta if offsets else 0.0, inertia=body) for a, alpha, d, theta, body in rows],
        convention="modified",
    )


def random_body(rng: np.random.Generator) -> Inertia:
    points = rng.normal(size=(6, 3))
    tensor = np.trace(points.T @ points) * np.eye(3) - points.T @ points
    return Inertia(rng.uniform(1, 3), rng.normal(size=3), tensor)


OF_GENERAL_ARMS = {
    ("zero", "inverse_dynamics", None): ("373m + 314a + 10t",) * 2,
    ("general", "inverse_dynamics", None): ("373m + 318a + 10t",) * 2,
    ("zero", "forward_dynamics", None): ("937m + 811a + 5d + 10t",) * 2,
    ("general", "forward_dynamics", None): ("937m + 815a + 5d + 10t",) * 2,
    ("zero", "forward_dynamics", "mass_matrix"): ("766m + 631a + 5d + 10t", "766m + 632a + 5d + 10t"),
    ("general", "forward_dynamics", "mass_matrix"): ("766m + 635a + 5d + 10t", "766m + 636a + 5d + 10t"),
}
"""Least and most of a general arm with six joints, by its offsets, the function and its method."""

LAST_LINKS = (0, 21)
"""Some that reach both ends of every range."""


@pytest.mark.parametrize("key", OF_GENERAL_ARMS)
def test_general_six_joint_arm_is_below_the_literature(key: tuple[str, str, str | None]) -> None:
    """Khalil and Kleinfinger 425m + 369a, Balafoutis and Patel 450 + 386, Kazerounian and Gupta 816 + 708; for forward
    dynamics Featherstone's 996 + 846, Kazerounian and Gupta's 2468 + 1879."""
    offsets, function, method = key
    options = {} if method is None else {"method": method}
    arms = [general_arm(6, offsets=offsets == "general", last=last) for last in LAST_LINKS]
    found = {str(getattr(arm, function).program(**options).op_counts) for arm in arms}
    assert (min(found), max(found)) == OF_GENERAL_ARMS[key]


@pytest.mark.parametrize("key", OF_GENERAL_ARMS)
def test_published_figures_are_the_counted_ones(key: tuple[str, str, str | None]) -> None:
    """Those of ``armdyn info ROBOT --cost`` and of docs/cost.md."""
    offsets, function, method = key
    least, most = (re.findall(r"(\d+)[ma]", text) for text in OF_GENERAL_ARMS[key])
    multiplications, additions = (a if a == b else f"{a} or {b}" for a, b in zip(least, most, strict=True))
    source = f"armdyn, joint offsets {offsets}" if method is None else f'armdyn, {offsets}, method="{method}"'
    assert (source, function.replace("_", " "), multiplications, additions) in LITERATURE
    page = (Path(__file__).parents[2] / "docs" / "cost.md").read_text(encoding="utf-8")
    way = f', `method="{method}"`' if method else ""
    (row,) = re.findall(rf"^\| \*\*armdyn\*\*{re.escape(way)}, offsets {offsets} \|(.*)\|$", page, re.MULTILINE)
    for text in OF_GENERAL_ARMS[key]:
        assert f"**{text.removesuffix(' + 10t')}**" in row


def test_inverse_dynamics_grows_linearly_with_the_joints() -> None:
    totals = {n: general_arm(n).inverse_dynamics.op_counts for n in (20, 40, 60)}
    growth = [totals[n].multiplications + totals[n].additions for n in totals]
    assert growth[2] - growth[1] == growth[1] - growth[0]


def test_zeros_that_branches_put_into_the_mass_matrix_cost_nothing() -> None:
    """Fingers do not feel each other: one entry of M less, and forward dynamics without the fill-in."""
    robot = CASES["panda_fingers"]().robot
    M = robot.program(armdyn.algorithms.mass_matrix)
    entry = M.results[7 * 9 + 8]
    assert M.nodes[entry] == ("const", 0.0)
