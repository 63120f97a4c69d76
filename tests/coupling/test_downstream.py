"""What stands on the equations works in the coordinates: simulation, inverse kinematics, paths, files, the shell."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from typer.testing import CliRunner

import armdyn
from armdyn import Robot, Unsupported
from armdyn.cli.app import app
from armdyn.formats.urdf import read_urdf_text
from armdyn.simulation import Adaptive
from armdyn.trajectory import ConstantVelocity, CurvePath, Line, Quintic, fastest_along, follow, point_to_point
from oracles.robot_data import ROBOTS
from oracles.states import assert_close, random_states

PANDA = ROBOTS / "panda_description/urdf/panda.urdf"


@pytest.fixture(scope="module")
def panda() -> Robot:
    """Seven joints and two fingers, one of which follows the other."""
    return Robot.from_urdf(PANDA, tip="panda_leftfinger")


@pytest.fixture(scope="module")
def belt() -> Robot:
    """A planar arm whose belt keeps the hand upright: the three angles sum up to a constant."""
    arm = armdyn.load("planar_3r")
    return arm.with_joint_equations([(dict.fromkeys(arm.joint_names, 1.0), 0.4)])


@pytest.mark.slow
def test_simulation(belt: Robot, tmp_path: Path) -> None:
    """Energy is kept, the equation holds all the way, and files have a column a coordinate."""
    run = armdyn.simulate(belt, [0.3, -0.2], [1.0, 0.5], duration=0.5, method=Adaptive(rtol=1e-10, atol=1e-12))
    assert run.q.shape[-1] == 2
    assert np.abs(run.energy.relative_drift).max() < 1e-8
    np.testing.assert_allclose(belt.joint_positions(run.q).sum(axis=-1), 0.4, rtol=1e-13)
    table = run.to_dict() if hasattr(run, "to_dict") else run.to_dataframe()
    assert "q_joint_2" in table
    assert "q_joint_3" not in table
    run.save(tmp_path / "run.csv")
    assert "q_joint_3" not in (tmp_path / "run.csv").read_text()
    run.plot(tmp_path / "run.png")


def test_the_held_motion_needs_the_forces_of_the_free_arm(belt: Robot) -> None:
    """Along a motion of the coupled arm, the free arm's forces do the same work."""
    run = armdyn.simulate(belt, [0.3, -0.2], [1.0, 0.5], duration=0.3, torque=[1.0, -2.0])
    free, A = belt.without_couplings(), belt.model.coupling.matrix
    tau = free.inverse_dynamics(belt.joint_positions(run.q), run.qd @ A.T, run.qdd @ A.T)
    np.testing.assert_allclose(tau @ A, np.broadcast_to([1.0, -2.0], run.q.shape), atol=1e-9)


@pytest.mark.slow
def test_inverse_kinematics(belt: Robot, panda: Robot) -> None:
    q = np.array([0.4, 0.9])
    target = belt.forward_kinematics(q)[:3, 3]
    solution = belt.inverse_kinematics(target)
    assert solution.success
    np.testing.assert_allclose(belt.forward_kinematics(solution.q)[:3, 3], target, atol=1e-9)
    q = np.array([0.1, -0.2, 0.3, -1.4, 0.5, 1.6, 0.7, 0.03])
    solution = panda.inverse_kinematics(panda.forward_kinematics(q), q + 0.01)
    assert solution.success
    np.testing.assert_allclose(panda.forward_kinematics(solution.q), panda.forward_kinematics(q), atol=1e-9)
    assert 0.0 <= solution.q[-1] <= 0.04


def test_rates_of_the_tip(panda: Robot) -> None:
    s = random_states(8, 4, seed=81)
    twist = np.einsum("kij,kj->ki", panda.jacobian(s.q), s.qd)
    rates = panda.joint_rates(s.q, twist)
    assert_close(np.einsum("kij,kj->ki", panda.jacobian(s.q), rates.values), twist, 1e-9)


def test_a_full_turn_counts_where_all_joints_turn_fully() -> None:
    """Half a turn of what follows is another configuration: solutions are not moved by it."""
    arm = armdyn.load("planar_2r")
    for ratio in (-2.0, 0.5):
        coupled = arm.with_mimic({arm.joint_names[1]: (arm.joint_names[0], ratio)})
        q = np.array([2.0])
        solution = coupled.inverse_kinematics(coupled.forward_kinematics(q)[:3, 3], [2.3 + 2 * np.pi])
        reached = coupled.forward_kinematics(solution.q)[:3, 3]
        np.testing.assert_allclose(reached, coupled.forward_kinematics(q)[:3, 3], atol=1e-9)


def test_accelerations_of_the_tip(panda: Robot) -> None:
    s = random_states(8, 4, seed=83)
    rate = np.einsum("kij,kj->ki", panda.jacobian(s.q), s.qdd)
    rate += np.einsum("kij,kj->ki", panda.jacobian_dot(s.q, s.qd), s.qd)
    found = panda.joint_accelerations(s.q, s.qd, rate).values
    again = np.einsum("kij,kj->ki", panda.jacobian(s.q), found)
    again += np.einsum("kij,kj->ki", panda.jacobian_dot(s.q, s.qd), s.qd)
    assert_close(again, rate, 1e-9)


def test_the_fastest_way_keeps_the_forces_of_the_coordinates(belt: Robot) -> None:
    pytest.importorskip("toppra")
    path = point_to_point([0.1, 0.2], [0.7, -0.5], ConstantVelocity(1.0, 1.0))
    limit = 1.5 * np.abs(belt.gravity_forces(path.sampled(50)[1].q)).max(axis=0)
    run = fastest_along(belt, path, torque=limit)
    motion = run.evaluate(np.linspace(0.0, run.duration, 400))
    used = np.abs(belt.inverse_dynamics(motion.q, motion.qd, motion.qdd)) / limit
    assert 0.95 < used.max() < 1.05


def test_the_tip_follows_a_line(belt: Robot) -> None:
    start = belt.forward_kinematics([0.4, 0.9])
    end = start.copy()
    end[:2, 3] += [-0.1, 0.05]
    t = np.linspace(0.0, 1.0, 5)
    states = follow(belt, CurvePath(Line(start, end), Quintic(1.0, 1.0)), t, near=[0.4, 0.9], components=("vx", "vy"))
    np.testing.assert_allclose(belt.forward_kinematics(states.q[-1])[:2, 3], end[:2, 3], atol=1e-12)


# ---- descriptions


@pytest.mark.short_run("mimic0")
@pytest.mark.parametrize("mimic", [{}, {"panda_joint5": ("panda_joint2", -0.5, 0.1)}])
def test_urdf_has_mimicry(panda: Robot, tmp_path: Path, mimic: dict) -> None:
    robot = panda.with_mimic(mimic)
    text = robot.to_urdf(tmp_path / "panda.urdf")
    assert '<mimic joint="panda_finger_joint1" multiplier="1.0" offset="0.0"' in text
    back = Robot.from_urdf(tmp_path / "panda.urdf", tip=robot.tip)
    assert back.model.coordinates == robot.model.coordinates
    np.testing.assert_array_equal(back.model.coupling.matrix, robot.model.coupling.matrix)
    np.testing.assert_array_equal(back.model.coupling.offset, robot.model.coupling.offset)
    s = random_states(robot.dof, 4, seed=82)
    assert_close(back.inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd))


NOT_MIMICRY = {
    "several": lambda arm: arm.with_coordinates(["l", "r"], [[0.5, 0.5], [0.5, -0.5], [0.0, 1.0]]),
    "held": lambda arm: arm.with_coordinates(["joint_1", "joint_2"], np.eye(3, 2), offset=[0.0, 0.0, 0.2]),
    "names": lambda arm: arm.with_coordinates(["x", "y"], [[1, 0], [0, 1], [0, 1]]),
    "order": lambda arm: arm.with_coordinates(["joint_2", "joint_1"], [[0, 1], [1, 0], [1, 0]]),
    "limits": lambda arm: arm.with_coordinates(
        ["joint_1", "joint_2"], [[1, 0], [0, 1], [0, 1]], limits={"joint_1": armdyn.Limits(-0.1, 0.1)}
    ),
}


@pytest.mark.parametrize("why", NOT_MIMICRY)
def test_couplings_that_are_not_mimicry_stand_in_armdyn(why: str) -> None:
    """Read back to the last bit; other readers take every joint as free, which is said."""
    robot = NOT_MIMICRY[why](armdyn.load("planar_3r")).with_friction({"joint_2": (0.3, 0.0)})
    with pytest.warns(armdyn.DescriptionWarning, match="the coupling of 3 joints by 2 coordinates stands in <armdyn>"):
        text = robot.to_urdf()
    back = Robot(read_urdf_text(text))
    assert back == robot
    assert back.model.coordinates == robot.model.coordinates
    s = random_states(2, 3, seed=83)
    assert_close(back.inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd), 0.0)
    assert pinocchio.buildModelFromXML(text).nv == 3


def test_parts_of_a_coupled_file() -> None:
    """A coordinate moves all of its joints, or none of the part that is read."""
    arm = armdyn.load("planar_3r").with_coordinates(["a", "b", "c"], [[1, 0, 0], [0, 1, 0.5], [0, -1, 0.5]])
    text = arm.to_urdf()
    part = Robot(read_urdf_text(text, base="link_1"))
    assert part.joint_names == ("b", "c")
    assert_close(part.gravity_forces([0.2, 0.3]), arm.gravity_forces([0.0, 0.2, 0.3])[1:])
    with pytest.raises(Unsupported, match=r"coordinate 'b' moves joint 'joint_3', and 'joint_2', which is locked"):
        read_urdf_text(text, locked={"joint_2": 0.1})


@pytest.mark.parametrize(
    ("was", "becomes", "problem"),
    [
        ('joint="joint_3"', 'joint="joint_9"', "<moves> joint 'joint_9' is no moving joint of this file"),
        ('factor="-1.0"', 'factor="x"', "<moves> factor is 'x'; expected a number"),
        ('kind="revolute"', 'kind="round"', "<coordinate> kind is 'round'; expected 'revolute' or 'prismatic'"),
        ('factor="-1.0"', 'factor="2.0"', "coordinates 'b', 'c' are not independent"),
        (' factor="-1.0"', "", "<moves> has no factor; expected a number"),
    ],
)
def test_wrong_couplings(was: str, becomes: str, problem: str) -> None:
    arm = armdyn.load("planar_3r").with_coordinates(["a", "b", "c"], [[1, 0, 0], [0, 1, 0.5], [0, -1, 1.0]])
    text = arm.to_urdf()
    with pytest.raises(armdyn.ModelError, match=re.escape(problem)):
        read_urdf_text(text.replace(was, becomes))


def test_chains_have_no_place_for_couplings(belt: Robot) -> None:
    for write in (belt.to_screws, belt.to_zero_reference, lambda: belt.to_dh("modified")):
        with pytest.raises(
            Unsupported, match=r"its 3 joints are coupled and move with 'joint_1', 'joint_2'; .* has a row"
        ):
            write()
    assert len(belt.without_couplings().to_dh("modified").rows) == 3


# ---- the command line


def shell(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.slow
def test_info_shows_what_follows_what() -> None:
    shown = shell("info", str(PANDA), "--tip", "panda_leftfinger")
    assert "panda: 9 joints moved by 8 coordinates" in shown
    assert re.search(r"panda_finger_joint2 +1 panda_finger_joint1", shown)
    assert "joint_positions" in shell("info", str(PANDA), "--tip", "panda_leftfinger", "--cost")


def test_info_shows_what_is_held(tmp_path: Path) -> None:
    joint = "<joint name='{0}' axis='0 1 0'/><geom size='0.1'/>"
    text = (
        f"<mujoco><worldbody><body>{joint.format('a')}<body pos='1 0 0'>{joint.format('b')}</body></body></worldbody>"
        "<equality><joint joint1='b' joint2='a' polycoef='0.25 -3 0 0 0'/></equality></mujoco>"
    )
    (tmp_path / "arm.xml").write_text(text)
    assert re.search(r"\bb +-3 a \+0\.25", shell("info", str(tmp_path / "arm.xml")))


def test_torque_and_simulate_take_a_number_a_coordinate() -> None:
    robot = [str(PANDA), "--tip", "panda_leftfinger"]
    shown = shell("torque", *robot, "--q", "0,0,0,-1,0,1,0,0.02")
    table, _, _ = shown.partition("note:")
    assert "panda_finger_joint1" in table
    assert "panda_finger_joint2" not in table
    assert "panda_finger_joint1" in shell("simulate", *robot, "--duration", "0.01")


def test_coordinates_say_what_joints_say(panda: Robot) -> None:
    """What q counts has a name, a kind, limits, damping and friction, joint or not."""
    for entry in (*panda.joints, *armdyn.load("ur5").joints):
        assert {"name", "kind", "limits", "damping", "friction"} <= {f.name for f in dataclasses.fields(entry)}
