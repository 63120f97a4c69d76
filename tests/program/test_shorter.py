"""All first derivatives: by recursion or by differentiating the program, whichever is less to compute."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import armdyn
from armdyn import Robot, algorithms
from armdyn.program import Program
from oracles.short_run import short_run
from oracles.states import random_states

ARMS = ["planar_2r", "rp", "furuta", "planar_3r", "scara"]
FEW = short_run(ARMS, "planar_2r", "furuta")
"""One arm where the differentiated program is shorter, and one where the recursion is."""
PAIRS = {
    "inverse_dynamics_derivatives": ("inverse_dynamics", ("q", "qd", "qdd")),
    "forward_dynamics_derivatives": ("forward_dynamics", ("q", "qd", "tau")),
}


def operations(program: Program) -> int:
    counts = program.op_counts
    return counts.multiplications + counts.additions + counts.divisions


def recursion(robot: Robot, name: str) -> Program:
    return robot.compile(getattr(algorithms, name)).program()


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("arm", FEW)
def test_the_shorter_program_is_taken(arm: str, name: str) -> None:
    robot = armdyn.load(arm)
    differentiated = getattr(robot, PAIRS[name][0]).derivative().program()
    taken = getattr(robot, name).program()
    assert operations(taken) == min(operations(recursion(robot, name)), operations(differentiated))
    assert taken.name == name


def test_both_ways_win_somewhere() -> None:
    name = "inverse_dynamics_derivatives"
    arms = ("planar_2r", "furuta")
    ours = {arm: operations(getattr(armdyn.load(arm), name).program()) for arm in arms}
    recursions = {arm: operations(recursion(armdyn.load(arm), name)) for arm in arms}
    assert ours["planar_2r"] < recursions["planar_2r"]
    assert ours["furuta"] == recursions["furuta"]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("arm", FEW)
def test_both_ways_give_the_same(arm: str, name: str) -> None:
    """With gravity in a general direction and a wrench at the tip."""
    robot = armdyn.load(arm, gravity=(1.3, -2.1, -8.7))
    function, s = getattr(algorithms, name), random_states(robot.dof, 7, seed=5)
    arrays = (s.q, s.qd, s.qdd, s.f_tip)
    found = getattr(robot, name)(*arrays)
    expected = robot.compile(function)(*arrays)
    assert type(found) is type(expected)
    assert found._fields == tuple(f"d_{x}" for x in PAIRS[name][1])
    for result, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(result, other, rtol=0.0, atol=1e-12 * np.abs(other).max())


def test_it_pickles() -> None:
    method = armdyn.load("planar_2r").inverse_dynamics_derivatives
    revived = pickle.loads(pickle.dumps(method))  # noqa: S301 - our own
    q = np.array([0.3, -0.8])
    for one, other in zip(revived(q, q, q), method(q, q, q), strict=True):
        np.testing.assert_array_equal(one, other)
    assert operations(revived.program()) == operations(method.program())
