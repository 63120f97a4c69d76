"""Axes that are almost but not quite parallel, as angles printed to a few digits make them: no digit may be lost.

The common normal of two such axes lies far away, where coordinates relative to it would cancel.
"""

import numpy as np
import pytest

import armdyn
from armdyn.base.exact import rounded
from armdyn.spatial.rotations import rotation_about
from oracles.cases import Case
from oracles.states import assert_close, random_states
from oracles.trees import Tree, random_tree, to_armdyn, to_pinocchio

TILTS = (0.0, 3e-16, 1e-14, 1e-13, 1e-11, 1e-9, 1e-7, 3.7e-6, 1e-4, 1e-2, 0.2)


def leaning_tower(tilt: float) -> Tree:
    """Revolute axes along z, each leaned by ``tilt`` against the one before, about x and y in turn."""
    grown = random_tree(5, 4, chain=True)
    parts = []
    for k, part in enumerate(grown.parts):
        lean = rounded(rotation_about(np.eye(3)[k % 2], tilt))
        along_z = part._replace(kind="revolute", axis=np.array([0.0, 0.0, 1.0]), rotation=lean)
        parts.append(part if part.kind == "fixed" else along_z)
    return Tree(f"leaning by {tilt:g}", tuple(parts), grown.order, grown.tip, grown.gravity)


@pytest.mark.parametrize("tilt", TILTS)
def test_dynamics(tilt: float) -> None:
    tree = leaning_tower(tilt)
    case = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    s = random_states(4, 20, seed=141)
    torques = np.array([case.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), torques, 1e-13)
    accelerations = np.array([case.forward_dynamics(*x) for x in zip(s.q, s.qd, s.tau, s.f_tip, strict=True)])
    assert_close(case.robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip), accelerations, 1e-12)


@pytest.mark.parametrize("tilt", TILTS)
def test_frames_stay_near_the_arm(tilt: float) -> None:
    mechanism = armdyn.Robot(to_armdyn(leaning_tower(tilt))).mechanism
    assert max(np.abs(body.offset).max() for body in mechanism.bodies) < 20.0


def test_a_right_angle_printed_to_five_digits() -> None:
    """Two turns by 1.5708 make axes parallel but for 7e-6 rad."""
    tree = leaning_tower(0.0)
    turned = [p._replace(rotation=rounded(rotation_about(np.eye(3)[0], 1.5708))) for p in tree.parts[:-1]]
    turned = [p._replace(axis=np.eye(3)[2] if k % 2 else np.eye(3)[1]) for k, p in enumerate(turned)]
    printed = Tree("printed", (*turned, tree.parts[-1]), tree.order, tree.tip, tree.gravity)
    case = Case(printed.name, armdyn.Robot(to_armdyn(printed)), to_pinocchio(printed))
    s = random_states(4, 20, seed=142)
    expected = np.array([case.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, strict=True)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd), expected, 1e-13)
