"""Many random trees, of general and of right-angled build, against Pinocchio models made through its own functions.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from oracles.cases import Case
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_armdyn, to_pinocchio

BUILDS = [(seed, joints, right) for seed, joints in enumerate((1, 2, 3, 4, 6, 9, 12)) for right in (False, True)]


@pytest.mark.parametrize(("seed", "joints", "right_angled"), BUILDS)
def test_tree(seed: int, joints: int, right_angled: bool) -> None:
    tree = random_tree(100 + seed, joints, right_angled=right_angled)
    case = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    s = random_states(joints, 4, seed=9)
    run, mechanism = algorithms, case.robot.mechanism  # the plain algorithms on floats: nothing to compile
    for q, qd, qdd, tau, f_tip in zip(*s, strict=True):
        torques = case.inverse_dynamics(q, qd, qdd, f_tip)
        assert_close(run.inverse_dynamics(mechanism, q, qd, qdd, f_tip)[None], torques[None])
        assert_close(run.mass_matrix(mechanism, q).astype(float)[None], case.mass_matrix(q)[None])
        accelerations = case.forward_dynamics(q, qd, tau, f_tip)
        assert_close(run.forward_dynamics(mechanism, q, qd, tau, f_tip).astype(float)[None], accelerations[None], 1e-10)


@pytest.mark.short_run("True")
@pytest.mark.parametrize("right_angled", [False, True])
def test_tree_of_thirty_joints(right_angled: bool) -> None:
    tree = random_tree(42, 30, right_angled=right_angled)
    case = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    s = random_states(30, 10, seed=10)
    expected = np.array([case.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)
