"""The inverse half from an input file: the paper's equations in the file's own units, and what is listed."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.masp import EXAMPLE, InputUnits, MaspRun, columns, configurations, read_masp, run_masp
from armdyn.plots import draw_masp
from armdyn.trajectory import MotionError
from armdyn.trajectory.checks import NotFollowed
from armdyn.trajectory.following import Following
from oracles.integrals import assert_is_derivative
from oracles.masp_files import FILES, papers_arm, read

Edited = Callable[..., Path]


@pytest.fixture(scope="module", params=FILES)
def named(request: pytest.FixtureRequest) -> tuple[str, MaspRun]:
    return request.param, read(request.param).analyse()


def column(table: dict[str, np.ndarray], start: str) -> np.ndarray:
    return np.stack([values for name, values in table.items() if name.startswith(start)], axis=-1)


@pytest.mark.slow
def test_the_papers_example_is_the_bundled_arm_on_its_circle() -> None:
    run, bundled = read("kg_puma").analyse(), run_masp(armdyn.load("kg_puma"))
    for ours, theirs in zip((*run.joints, run.tau), (*bundled.joints, bundled.tau), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.short_run("slider")
def test_forces_and_reactions_are_the_papers_in_the_files_units(named: tuple[str, MaspRun]) -> None:
    """(5) to (16) in inches and pounds, or millimetres and newtons; collars, payload and hand load included."""
    name, run = named
    arm, table = papers_arm(name), columns(run)
    in_rad = {"deg": np.pi / 180, "rad": 1.0}[run.units.angle]
    turns = np.where(arm.slides, 1.0, in_rad)
    q, qd, qdd, tau, N, T = (column(table, f"{x}_") for x in ("q", "qd", "qdd", "tau", "N", "T"))
    for k in range(0, len(run.t), 7):
        state = [x[k] * turns for x in (q, qd, qdd)]
        _, found, _ = arm.inverse_dynamics(*state, hand_exerts(name, arm, state[0]))
        for ours, theirs in ((tau, found.f), (N, found.N.ravel()), (T, found.T.ravel())):
            np.testing.assert_allclose(ours[k], theirs, rtol=0, atol=2e-12 * np.abs(T).max())


def hand_exerts(name: str, arm, q: np.ndarray) -> np.ndarray:
    """(m, f) of the hand on its surroundings, hand axes: against the load, which stays in base axes."""
    if name == "kg_puma":
        return np.zeros(6)
    R = arm.hand_pose(q)[:3, :3]
    return -np.concatenate([R.T @ [100.0, 200.0, -300.0], R.T @ [3.0, -4.0, 5.0]])


@pytest.mark.slow
def test_loads_count(edited: Edited) -> None:
    run = read("slider").analyse()
    for change in (
        ("force = [3, -4, 5]", "force = [3, -4, 6]"),
        ("weight = 12", "weight = 13"),
        ("0.25, 0.2]", "0.3, 0.2]"),
    ):
        assert np.abs(read_masp(edited("slider", change)).analyse().tau - run.tau).max() > 1e-6
    lighter = read_masp(
        edited("slider", ("[payload]\nweight = 12", "[payload]\nweight = 0"), ("[0.3, 0.25, 0.2]", "[0, 0, 0]"))
    )
    lift = run.tau[0, 2] - lighter.analyse().tau[0, 2]
    np.testing.assert_allclose(lift, 12 * np.cos(0.7), rtol=0, atol=1e-9)


def test_a_load_in_the_hands_axes_turns_with_it(edited: Edited) -> None:
    fixed, turning = (
        read_masp(edited("slider", ("[hand_load]", f"[hand_load]\naxes = '{a}'"))).analyse() for a in ("base", "hand")
    )
    load = -np.array([0.1, 0.2, -0.3, 3, -4, 5])
    np.testing.assert_allclose(turning.f_tip, np.broadcast_to(load, (61, 6)), rtol=0, atol=1e-15)
    R = fixed.tip.pose[:, :3, :3]
    np.testing.assert_allclose(
        np.einsum("tij,tj->ti", R, fixed.f_tip[:, 3:]), np.broadcast_to(load[3:], (61, 3)), atol=1e-12
    )
    assert np.abs(fixed.tau - turning.tau).max() > 0.01


def test_a_collar_moves_the_moment_and_nothing_else(edited: Edited) -> None:
    """(7), (8): about the centre that stays, T is that about the one that slides, plus q u x N."""
    outboard, stays = (read_masp(edited("slider", ('"parent"', f'"{side}"'))).analyse() for side in ("child", "parent"))
    np.testing.assert_array_equal(outboard.tau, stays.tau)
    np.testing.assert_array_equal(outboard.reactions.f, stays.reactions.f)
    R = stays.robot.with_tip("link_2").forward_kinematics(stays.joints.q)[:, :3, :3]
    lever = stays.joints.q[:, 2, None] * R[:, :, 2]
    expected = outboard.reactions.n[:, 2] + np.cross(lever, outboard.reactions.f[:, 2])
    np.testing.assert_allclose(stays.reactions.n[:, 2], expected, rtol=0, atol=1e-12)
    others = [0, 1, 3, 4, 5]
    np.testing.assert_array_equal(outboard.reactions.n[:, others], stays.reactions.n[:, others])


def test_the_hands_way_is_the_files() -> None:
    problem = read("slider")
    h = problem.path.evaluate(np.array([0.8, 0.9, 1.0, 2.3, 2.9, 3.8])).pose
    mm = h[:, :3, 3] * 1e3
    ends = [[390, 270, 380]] * 3 + [[350, 310, 430], [370, 290, 400], [370, 254, 363]]
    np.testing.assert_allclose(mm, ends, rtol=0, atol=1e-10)
    np.testing.assert_allclose(h[0], h[2], rtol=0, atol=1e-15)  # it rests
    u_a = np.array([1.0, 0.5, 0.2]) / np.sqrt(1.29)
    np.testing.assert_allclose(h[3, :3, 2], u_a, rtol=0, atol=1e-14)
    way = problem.path.evaluate(np.linspace(1.0, 2.3, 4001)).pose[:, :3, 3] * 1e3
    for point in ([380, 300, 390], [360, 320, 410]):
        assert np.linalg.norm(way - point, axis=1).min() < 0.1
    np.testing.assert_allclose(
        problem.path.switches, np.cumsum([0, 0.3, 0.2, 0.3, 0.2, 0.5, 0.3, 0.5, 0.3, 0.3, 0.4, 0.2, 0.3])
    )


def test_velocities_and_accelerations_are_derivatives() -> None:
    path = read("slider").path

    def of(k: int, part: slice):
        return lambda t: path.evaluate(t)[k][..., part]

    before = [t for t in path.switches if t < 1.1]  # from 1 to 2.3 s the spline has knots of its own:
    behind = [t for t in path.switches if t > 2.2]  # tests/trajectory/test_cartesian_paths.py
    for ends in (before, behind):
        assert_is_derivative(lambda t: path.evaluate(t).pose[..., :3, 3], of(1, slice(3, 6)), ends, tolerance=1e-12)
        assert_is_derivative(of(1, slice(0, 3)), of(2, slice(0, 3)), ends, tolerance=1e-12)
        assert_is_derivative(of(1, slice(3, 6)), of(2, slice(3, 6)), ends, tolerance=1e-12)


@pytest.mark.slow
def test_all_configurations_are_listed() -> None:
    """Eight of the paper's arm, each another, all at the top of the circle; the first is next to zero."""
    problem = read("kg_puma")
    found = problem.survey()
    assert [one.number for one in found] == list(range(1, 9))
    q = np.array([one.q for one in found])
    np.testing.assert_allclose(
        problem.robot.forward_kinematics(q), np.broadcast_to(problem.begin, (8, 4, 4)), atol=1e-9
    )
    assert min(np.abs(np.exp(1j * q[i]) - np.exp(1j * q[k])).max() for i in range(8) for k in range(i)) > 0.1
    assert (np.diff(np.linalg.norm(q, axis=1)) > -1e-6).all()
    assert all(one.run is not None for one in found)
    np.testing.assert_allclose(found[0].q, armdyn.masp.NEXT_TO_ZERO, rtol=0, atol=0.01)
    np.testing.assert_allclose(problem.with_configuration(3).analyse().joints.q[0], q[2], rtol=0, atol=1e-9)


def test_configurations_of_the_sliding_arm_have_the_slide_forwards_and_backwards() -> None:
    problem = read("slider")
    q = configurations(problem.robot, problem.begin)
    assert len(q) == 8
    np.testing.assert_allclose(np.unique(q[:, 2].round(8)), [-0.86, 0.06])
    np.testing.assert_allclose(
        problem.robot.forward_kinematics(q), np.broadcast_to(problem.begin, (8, 4, 4)), atol=1e-9
    )


@pytest.mark.parametrize(
    ("q", "count"),
    [
        (
            [0.3, -0.4, -0.6, 0.5, 0.0, 0.7],
            7,
        ),  # axes 4 and 6 agree: with the wrist turned over it is the same continuum
        ([0.3, -0.4, -0.5 * np.pi, 0.5, 0.6, 0.7], 4),  # the elbow is stretched: no up and down
        ([0.3, -0.4, -0.5 * np.pi + 1e-4, 0.5, 0.6, 0.7], 8),  # and nearly so, where a search ends 1e-6 rad beside them
        ([0.3, -0.4, 0.5 * np.pi, 0.5, 0.6, 0.7], 1),  # the wrist on axis 2, about which the arm turns freely
    ],
)
def test_at_a_singular_pose_each_configuration_is_listed_once(q: list[float], count: int) -> None:
    robot = armdyn.load("kg_puma")
    pose = robot.forward_kinematics(q)
    found = configurations(robot, pose)
    assert len(found) == count
    np.testing.assert_allclose(robot.forward_kinematics(found), np.broadcast_to(pose, (count, 4, 4)), atol=1e-9)


def test_what_cannot_be_followed_is_said(edited: Edited) -> None:
    """A circle that begins within reach and leaves it."""
    file = edited(
        "kg_puma", ('curve = "circle"\ncenter = [34, 0, 0]\naxis = [-1, 0, 0]', 'curve = "line"\nend = [60, 0, 6]')
    )
    problem = read_masp(file)
    assert all(
        (one.run is None and "does not reach" in one.obstacle) or "jumps" in one.obstacle for one in problem.survey()
    )
    with pytest.raises(armdyn.trajectory.MotionError):
        problem.analyse()
    far = read_masp(edited("kg_puma", ("point = [34, 0, 6]", "point = [90, 0, 6]"), ("center = [34", "center = [90")))
    with pytest.raises(armdyn.trajectory.MotionError, match=r"no configuration of 'kg_puma' reaches.*out of reach"):
        far.analyse()
    with pytest.raises(armdyn.UnknownName, match="no configuration 9: 8 reach"):
        read("kg_puma").with_configuration(9).start()


def test_limits_are_noted_in_the_files_units() -> None:
    run = read("slider").analyse()
    q, qd, _ = run.joints
    position, velocity, torque = run.notes
    assert position.startswith("position limits, which are not enforced, are left by slide from t = ")
    assert position.endswith(f"on by up to {1e3 * q[:, 2].max() - 80:.3g} mm")
    assert velocity.endswith(f"{1e3 * np.abs(qd[:, 2]).max() - 60:.3g} mm/s")
    assert torque.endswith(f"on by up to {1e3 * np.abs(run.tau[:, 0]).max() - 900:.3g} N mm")


def test_pictures_are_in_the_files_units() -> None:
    run = read("slider").analyse()
    figure = draw_masp(run)
    at_right = [axes for axes in figure.axes if axes.get_ylabel().startswith("slides")]
    assert [axes.get_ylabel() for axes in at_right] == ["slides [mm]", "slides [mm/s]", "slides [mm/s²]", "slides [N]"]
    for axes, values, one in zip(at_right, (*run.joints, run.tau), (1e-3, 1e-3, 1e-3, 1.0), strict=True):
        np.testing.assert_allclose(axes.lines[0].get_ydata(), values[:, 2] / one)
    labels = [axes.get_ylabel().partition("$ ")[2] for axes in figure.axes[1:8:2]]
    assert labels == ["[rad]", "[rad/s]", "[rad/s²]", "[N mm]"]
    np.testing.assert_allclose(figure.axes[7].lines[0].get_ydata(), run.tau[:, 3] * 1e3)
    labelled = [str(line.get_label()) for axes in figure.axes for line in axes.lines]
    names = {name.removesuffix(" (right)").replace(" ", "_") for name in labelled if not name.startswith("_")}
    assert names == set(run.robot.joint_names)


@pytest.mark.slow
def test_another_set_of_units_gives_the_same_motion(edited: Edited) -> None:
    """Feet for inches: every length a twelfth, inertias too, for they are force times length."""
    text = EXAMPLE.read_text(encoding="utf-8").replace('"in" ', '"ft" ')
    file = edited("kg_puma")
    lines = []
    for line in text.splitlines():
        key = line.split(" = ")[0]
        if key in ("c", "d", "point", "center", "inertia") and "=" in line:
            numbers = line.split("[")[1].split("]")[0].split(",")
            line = f"{key} = [{', '.join(repr(float(x) / 12) for x in numbers)}]"  # noqa: PLW2901
        lines.append(line)
    file.write_text("\n".join(lines), encoding="utf-8")
    ours, theirs = read_masp(file).analyse(), read("kg_puma").analyse()
    assert ours.units == InputUnits("ft", "lbf", "deg")
    np.testing.assert_allclose(ours.tau, theirs.tau, rtol=0, atol=1e-11)
    np.testing.assert_allclose(column(columns(ours), "tau") * 12, column(columns(theirs), "tau"), rtol=0, atol=1e-10)


@pytest.mark.slow
def test_columns_are_the_run() -> None:
    run = read("kg_puma").analyse()
    table = columns(run)
    assert {"t [s]", "q_joint_4 [deg]", "qdd_joint_6 [deg/s²]", "hand_a_z [in/s²]", "hand_omega_x [deg/s]"} <= {*table}
    np.testing.assert_allclose(column(table, "hand_")[:, :3], run.tip.pose[:, :3, 3] / 0.0254, rtol=0, atol=1e-12)
    np.testing.assert_allclose(table["hand_omega_x [deg/s]"][450], -60.0, rtol=1e-12)  # (33), (35): pi/3 rad/s
    np.testing.assert_allclose(table["N_z_joint_1 [lbf]"][0], 46.0, rtol=1e-12)  # at rest: table 2's weights


def test_paths_that_are_not_followed_are_told_in_the_units_of_the_file(edited: Edited) -> None:
    """The error of the same path in SI, by 180/pi degrees a radian and 1/0.0254 inches a metre."""
    problem = read_masp(edited("kg_puma", ("center = [34, 0, 0]", "center = [34, 0, -60]")))
    start = problem.start()
    told = []
    for units in (problem.units, None):
        with pytest.raises(MotionError) as error:
            run_masp(problem.robot, problem.path, near=start, samples=problem.samples, units=units)
        found = re.search(r"stays (\S+) (\S+) and (\S+) (\S+) away", str(error.value))
        assert found is not None
        told.append(found.groups())
    (angle, of_angle, length, of_length), (in_rad, rad, in_m, m) = told
    assert (of_angle, of_length, rad, m) == ("deg", "in", "rad", "m")
    assert float(angle) == pytest.approx(np.degrees(float(in_rad)), rel=0.01)
    assert float(length) == pytest.approx(float(in_m) / 0.0254, rel=0.01)


def test_a_jump_is_told_in_the_unit_of_its_joint() -> None:
    robot = read("slider").robot
    for joint, size, in_si, in_file in (("slide", 0.6096, "0.61 m", "2 ft"), ("roll", 0.75, "0.75 rad", "43 deg")):
        jump = size * (np.array(robot.joint_names) == joint)
        with pytest.raises(NotFollowed, match=f"joint '{joint}' of 'slider' jumps by {in_si} at t = 0.5 s") as error:
            Following(robot, None, [*range(6)]).refuse_jump(0.5, np.zeros(6), jump)
        again = pickle.loads(pickle.dumps(error.value))  # noqa: S301
        assert f"jumps by {in_file} at t" in str(again.in_units(InputUnits("ft", "lbf", "deg").of))
