"""Planes of contacts and constraints stand in animations where they are."""

import numpy as np

import armdyn
from armdyn.constraints import PointOnPlane
from armdyn.plots.surroundings import surfaces_of
from armdyn.simulation import Contact, RungeKutta4


def test_a_contact_is_a_line_across_a_flat_picture() -> None:
    arm = armdyn.load("planar_2r")
    motion = armdyn.simulate(arm, [-0.3, 0.4], duration=0.05, method=RungeKutta4(5e-3))
    table = Contact(PointOnPlane("tip", normal=(0, 1, 0), through=(0.3, -0.9, 0), name="table"))
    wall = Contact(PointOnPlane("tip", normal=(3, 4, 0), through=(3.0, 0, 0), name="wall"))
    sheet = Contact(PointOnPlane("tip", normal=(0, 0, 1), name="sheet"))  # the picture itself
    axes = motion.animate(robot=arm, contacts=[table, wall, sheet]).figure.axes[0]
    named = [text.get_text() for text in axes.texts]
    assert named == ["table", "wall"]
    ends = [np.array([line.get_xy1(), line.get_xy2()]) for line in axes.lines if hasattr(line, "get_xy1")]
    np.testing.assert_allclose(ends[0][:, 1], -0.9, atol=1e-12)
    np.testing.assert_allclose(ends[1] @ [3.0, 4.0], 9.0)
    low, high = axes.get_ylim()
    assert low < -0.9 < high


def test_a_constraint_is_a_square_in_space_around_the_way_of_its_point() -> None:
    plane = PointOnPlane("tip", normal=(0.1, -0.2, 1.0), through=(0, 0, 0.1), point=(0.02, 0, 0), name="table")
    arm = armdyn.load("scara")
    q = np.random.default_rng(1).uniform(0.0, 0.3, (20, arm.dof))
    (square,) = surfaces_of(arm, [plane], q)
    n = np.array([0.1, -0.2, 1.0]) / np.linalg.norm([0.1, -0.2, 1.0])
    np.testing.assert_allclose((square.corners - [0, 0, 0.1]) @ n, 0.0, atol=1e-12)
    T = arm.forward_kinematics(q)
    points = T[:, :3, 3] + T[:, :3, 0] * 0.02
    below = points - np.outer((points - [0, 0, 0.1]) @ n, n)
    a, b = square.corners[1] - square.corners[0], square.corners[3] - square.corners[0]
    for side in (a, b):
        along = (below - square.corners[0]) @ side / (side @ side)
        assert ((along > 0.0) & (along < 1.0)).all()


def test_planes_on_links_and_other_constraints_are_passed_over() -> None:
    arm = armdyn.load("planar_3r")
    on_link = PointOnPlane("tip", normal=(0, 1, 0), of="link_1")
    rod = armdyn.constraints.Distance("tip", length=1.0)
    assert list(surfaces_of(arm, [on_link, rod], np.zeros((1, 3)))) == []
