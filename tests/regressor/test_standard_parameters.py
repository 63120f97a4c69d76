"""The vector of standard parameters, and robots made from one."""

import numpy as np
import pytest

import armdyn
from oracles.states import assert_close, random_states
from regressor.robots import coupled, known, with_armature


def test_vector_is_about_the_link_frames_origin() -> None:
    body = armdyn.Inertia(2.0, [0.1, -0.2, 0.3], np.array([[0.3, 0.01, 0.02], [0.01, 0.25, -0.03], [0.02, -0.03, 0.2]]))
    robot = armdyn.Robot.from_links([armdyn.Part("arm", "base", "revolute", axis=(0, 0, 1), inertia=body)])
    pi = robot.standard_parameters()
    assert pi.names == tuple(
        f"arm.{x}" for x in ("m", "mc_x", "mc_y", "mc_z", "I_xx", "I_xy", "I_yy", "I_xz", "I_yz", "I_zz")
    )
    I = body.tensor_about((0.0, 0.0, 0.0))  # noqa: E741
    expected = [2.0, 0.2, -0.4, 0.6, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
    np.testing.assert_allclose(pi.values, expected, rtol=1e-15)
    assert pi["arm.mc_y"] == -0.4
    assert np.asarray(pi) is pi.values
    assert pi.units[0] == "kg"
    assert pi.units[1] == "kg m"
    assert pi.units[9] == "kg m^2"
    with pytest.raises(armdyn.UnknownName, match=r"Did you mean 'arm.mc_x'"):
        pi["arm.mcx"]


def test_there_and_back() -> None:
    robot = known("random_tree").robot
    robot = with_armature(robot, np.linspace(0.1, 0.8, robot.dof))
    again = robot.with_standard_parameters(robot.standard_parameters())
    s = random_states(robot.dof, 5, seed=421)
    assert_close(again.inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd))
    np.testing.assert_allclose(again.standard_parameters(), robot.standard_parameters(), rtol=1e-12, atol=1e-15)


def test_other_parameters_are_another_robot() -> None:
    robot = known("random_tree").robot
    rng = np.random.default_rng(422)
    base, *moving = robot.model.links
    boxes = [armdyn.inertia.box(rng.uniform(0.1, 1.0, 3), mass=rng.uniform(1, 3)) for _ in moving]
    links = (armdyn.Link(x.name, box.at(rng.normal(size=3))) for x, box in zip(moving, boxes, strict=True))
    other = armdyn.Robot(robot.model.replace(links=(base, *links)))
    made = robot.with_standard_parameters(other.standard_parameters())
    s = random_states(robot.dof, 5, seed=423)
    assert_close(made.inverse_dynamics(s.q, s.qd, s.qdd), other.inverse_dynamics(s.q, s.qd, s.qdd))


def test_friction_goes_to_the_joints() -> None:
    robot = armdyn.load("planar_2r")
    options = {"damping": True, "friction": True, "armature": True}
    pi = np.array(robot.standard_parameters(**options).values)
    pi[20:] = [0.5, 0.6, 0.1, 0.2, 0.3, 0.4]
    made = robot.with_standard_parameters(pi, **options)
    assert [j.armature for j in made.joints] == [0.5, 0.6]
    assert [j.damping for j in made.joints] == [0.1, 0.2]
    assert [j.friction for j in made.joints] == [0.3, 0.4]
    np.testing.assert_array_equal(made.standard_parameters(**options), pi)


def test_impossible_ones_are_all_reported() -> None:
    robot = armdyn.load("planar_2r")
    pi = np.array(robot.standard_parameters(armature=True))
    pi[0], pi[10], pi[20] = -1.0, 0.0, -0.1
    with pytest.raises(armdyn.ModelError) as caught:
        robot.with_standard_parameters(pi, armature=True)
    first, second, third = caught.value.problems
    assert first.startswith("link 'link_1': mass -1 kg is negative")
    assert second.startswith("link 'link_2': first moment (1, 0, 0) kg m without mass")
    assert third == "joint 'joint_1': armature -0.1 kg m^2; expected a finite number not below zero."


def test_no_body_has_them() -> None:
    robot = known("ur5").robot
    pi = np.array(robot.standard_parameters())
    pi[14] = pi[17 - 3] + 5.0  # I_xx of the second link, far above I_yy + I_zz
    with pytest.raises(armdyn.ModelError, match=r"link 'upper_arm_link': principal inertia .* breaks a\+b>=c.*mend it"):
        robot.with_standard_parameters(pi)
    taken = robot.with_standard_parameters(pi, check_inertia=False)
    assert any("upper_arm_link" in note and "taken as it stands" in note for note in taken.notes)
    np.testing.assert_allclose(taken.standard_parameters(), pi, rtol=1e-12, atol=1e-14)


def test_wrong_vectors() -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.ShapeError, match=r"pi has shape \(3,\); expected \(20,\), link_1.m, .* of 'planar_2r'"):
        robot.with_standard_parameters([1.0, 2.0, 3.0])
    with pytest.raises(armdyn.DTypeError, match="pi holds"):
        robot.with_standard_parameters(["a"] * 20)
    with pytest.raises(armdyn.ModelError, match="not a finite number"):
        robot.with_standard_parameters([np.nan] * 20)


@pytest.mark.slow
def test_friction_of_coupled_joints() -> None:
    """Each joint has its own, which comes to the coordinates as A^T friction(A qd); the coordinates show it."""
    (robot, free, A, b), rng = coupled(), np.random.default_rng(407)
    options = {"armature": True, "damping": True, "friction": True}
    pi = np.array(robot.standard_parameters(**options))
    k = 3 * len(free.model.joints)
    pi[-k:] = rng.uniform(0.1, 2.0, k)
    made, known_by = robot.with_standard_parameters(pi, **options), free.with_standard_parameters(pi, **options)
    np.testing.assert_allclose(made.standard_parameters(**options), pi, rtol=1e-14)
    q, qd, qdd = rng.normal(size=(3, 20, robot.dof))
    state = (q @ A.T + b, qd @ A.T, qdd @ A.T)
    tau = made.inverse_dynamics(q, qd, qdd)
    size = np.abs(tau).max()
    np.testing.assert_allclose(tau, known_by.inverse_dynamics(*state) @ A, rtol=0.0, atol=1e-12 * size)
    np.testing.assert_allclose(tau, made.regressor(q, qd, qdd, **options) @ pi, rtol=0.0, atol=1e-12 * size)
    back = made.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(back, qdd, rtol=0.0, atol=1e-9)


def test_coordinates_have_the_friction_of_the_joints_they_move() -> None:
    free = armdyn.load("planar_3r")
    robot, options = free.with_mimic({"joint_3": ("joint_2", -2.0)}), {"damping": True, "friction": True}
    pi = np.array(robot.standard_parameters(**options))
    pi[-6:] = 0.1, 0.2, 0.3, 4.0, 5.0, 6.0
    made = robot.with_standard_parameters(pi, **options)
    assert made == free.with_standard_parameters(pi, **options).with_mimic({"joint_3": ("joint_2", -2.0)})
    assert [(c.damping, c.friction) for c in made.joints] == [(0.1, 4.0), (pytest.approx(1.4), pytest.approx(17.0))]


def test_table() -> None:
    lines = str(armdyn.load("rp").standard_parameters(damping=True, offset=True)).splitlines()
    assert len(lines) == 24
    assert lines[20].split()[0].endswith(".damping")
    assert lines[20].endswith("N m s/rad")
    assert lines[21].endswith("N s/m")
