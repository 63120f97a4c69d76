"""Figures 8.2 and 8.8 of Modern Robotics: what is drawn is what the book states."""

import numpy as np
import pytest
from matplotlib.quiver import Quiver

import armdyn


def arrows(axes):
    return [(np.array([q.U[0], q.V[0]]), np.array(q.XY[0])) for q in axes.collections if isinstance(q, Quiver)]


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("planar_2r")


def test_velocity_terms_are_those_of_8_12(arm: armdyn.Robot) -> None:
    """At (0, 90 deg): (-L1 w1^2, -L2 w1^2), (0, -L2 w2^2), (0, -2 L2 w1 w2)."""
    first, second, both = armdyn.plots.draw_velocity_terms(arm, [0.0, np.pi / 2], [1.5, -0.7]).axes
    w1, w2 = 1.5, -0.7
    expected = np.array([[-(w1**2), -(w1**2)], [0.0, -(w2**2)], [0.0, -2 * w1 * w2]])
    np.testing.assert_allclose(arrows(first)[0][0], expected[0], atol=1e-12)
    np.testing.assert_allclose(arrows(second)[0][0], expected[1], atol=1e-12)
    np.testing.assert_allclose([v for v, _ in arrows(both)], [*expected, expected.sum(axis=0)], atol=1e-12)


def test_velocity_terms_of_a_prismatic_arm_and_a_frame() -> None:
    """Of r e_r: centripetal -r w^2, none of the slide alone, Coriolis 2 w v across."""
    robot, q, (w, v) = armdyn.load("rp"), np.array([0.0, 0.8]), (1.3, 0.4)
    *_, both = armdyn.plots.draw_velocity_terms(robot, q, [w, v]).axes
    r = np.linalg.norm(robot.forward_kinematics(q)[:3, 3])
    np.testing.assert_allclose(
        [a for a, _ in arrows(both)], [[-r * w**2, 0], [0, 0], [0, 2 * w * v], [-r * w**2, 2 * w * v]], atol=1e-12
    )
    of_link = armdyn.plots.draw_velocity_terms(robot, q, [w, v], frame="link_1").axes[-1]
    np.testing.assert_allclose([a for a, _ in arrows(of_link)], np.zeros((4, 2)), atol=1e-12)


def test_velocity_terms_want_an_arm_in_a_plane() -> None:
    with pytest.raises(armdyn.Unsupported, match="'ur5' moves in space"):
        armdyn.plots.draw_velocity_terms(armdyn.load("ur5"), np.zeros(6), np.zeros(6))
    with pytest.raises(armdyn.ShapeError, match="qd"):
        armdyn.plots.draw_velocity_terms(armdyn.load("planar_2r"), np.zeros(2), np.zeros(3))


def test_torque_split_is_that_of_example_8_5(arm: armdyn.Robot) -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    held, q = arm.with_constraints(channel), np.array([-np.pi / 3, 2 * np.pi / 3])
    (axes,) = armdyn.plots.draw_torque_split(held, q, [1.2, 1.0]).axes
    np.testing.assert_allclose([v for v, _ in arrows(axes)], [[1.2, 0.3], [0.0, 0.7], [1.2, 1.0]], atol=1e-12)
    free, against, same_motion, same_load = (np.ptp(line.get_xydata(), axis=0) for line in axes.lines[:4])
    np.testing.assert_allclose(free / free[0], [1.0, 0.25], atol=1e-12)  # 0.289 tau_1 = 1.155 tau_2
    np.testing.assert_allclose(against / against[1], [0.0, 1.0], atol=1e-12)  # tau_1 = 0
    np.testing.assert_allclose([same_motion, same_load], [against, free], atol=1e-12)
    words = [line.get_label() for line in axes.lines[:2]]
    assert words == [
        "no constraint force: 0.2887 $\\tau_1$ \u2212 1.155 $\\tau_2$ = 0",
        "no motion: $\\tau_1$ = 0",
    ]
    assert axes.get_title("left").startswith(
        "P = [1, 0; 0.25, 0],  $\\lambda$ = 0.2887 $\\tau_1$ \u2212 1.155 $\\tau_2$"
    )


def test_torque_split_wants_two_joints_and_one_row(arm: armdyn.Robot) -> None:
    with pytest.raises(armdyn.ShapeError, match="2 joints and 0 constraint rows"):
        armdyn.plots.draw_torque_split(arm, [0.0, 0.0], [1.0, 1.0])


def test_velocity_terms_stay_within_their_axes() -> None:
    """Seven arrows beside one another, the longest three times the others."""
    figure = armdyn.plots.draw_velocity_terms(armdyn.load("planar_3r"), [0.0, np.pi / 2, -0.5], [1.0, 1.0, 1.0])
    for axes in figure.axes:
        low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
        arrows = [one for one in axes.collections if isinstance(one, Quiver)]
        assert arrows
        for arrow in arrows:
            start = np.array([arrow.X[0], arrow.Y[0]])
            end = start + np.array([arrow.U[0], arrow.V[0]]) / arrow.scale
            assert (low <= start).all()
            assert (start <= high).all()
            assert (low <= end).all()
            assert (end <= high).all()
