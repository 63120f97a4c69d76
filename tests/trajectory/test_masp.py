"""Kazerounian and Gupta's example: the hand's motion as printed, the joints', the torques, and back again."""

import csv
import json
import re
import runpy
from pathlib import Path

import matplotlib as mpl
import mpmath as mp
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app
from armdyn.masp import NEXT_TO_ZERO, PUBLISHED, MaspRun, circle_of_the_paper, run_masp
from armdyn.plots import draw_masp
from armdyn.robots import kg_puma
from armdyn.simulation import Adaptive, SaveAt
from armdyn.trajectory import MotionError, differentiated, follow, quintic_spline
from oracles.integrals import assert_is_derivative
from oracles.kazerounian_gupta import ZeroReferenceArm

INCH = 0.0254
ROBOT = armdyn.load("kg_puma")


@pytest.fixture(scope="module")
def run() -> MaspRun:
    return run_masp(ROBOT, samples=181)


def printed(t: float) -> dict[str, np.ndarray]:
    """Equations (30) to (38) as they stand in the paper, inches; (37) with the sign that (35) gives it."""
    pi = mp.pi
    if t < 3:
        d, dd, psi = pi / 6 - pi / 6 * mp.cos(pi * t / 3), pi**2 / 18 * mp.sin(pi * t / 3), pi * t / 6
        psi -= mp.sin(pi * t / 3) / 2
    elif t < 6:
        d, dd, psi = pi / 3, mp.mpf(0), pi / 2 + pi / 3 * (t - 3)
    else:
        d, dd = pi / 6 - pi / 6 * mp.cos(pi / 3 * (9 - t)), -(pi**2) / 18 * mp.sin(pi / 3 * (9 - t))
        psi = 3 * pi / 2 + pi / 6 * (t - 6) + mp.sin(pi / 3 * (9 - t)) / 2
    s, c = mp.sin(psi), mp.cos(psi)
    values = {
        "h": (34, 6 * s, 6 * c),  # (30)
        "u_a": (mp.cos(pi / 3), -mp.sin(pi / 3) * s, -mp.sin(pi / 3) * c),  # (31)
        "u_t": (0, c, -s),
        "omega": (-d, 0, 0),  # (35)
        "v": (0, 6 * d * c, -6 * d * s),  # (36)
        "alpha": (-dd, 0, 0),  # (37)
        "a": (0, -6 * d**2 * s + 6 * dd * c, -6 * d**2 * c - 6 * dd * s),  # (38)
    }
    return {name: np.array([float(x) for x in value]) for name, value in values.items()}


def hand_vectors(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u_a and u_t where the tip is at T: what table 1 gives them in the zero position, carried along."""
    turned = T[:3, :3] @ ROBOT.forward_kinematics(np.zeros(6))[:3, :3].T
    return turned @ kg_puma.AXIAL, turned @ kg_puma.TRANSVERSE


def test_the_hands_motion_is_the_printed_one(run: MaspRun) -> None:
    for k in range(0, 181, 7):
        expected, T, V, Vdot = printed(run.t[k]), run.tip.pose[k], run.tip.twist[k], run.tip.twist_rate[k]
        u_a, u_t = hand_vectors(T)
        found = {"h": T[:3, 3] / INCH, "u_a": u_a, "u_t": u_t, "omega": V[:3], "v": V[3:] / INCH}
        found |= {"alpha": Vdot[:3], "a": Vdot[3:] / INCH}
        for name, value in found.items():
            np.testing.assert_allclose(value, expected[name], rtol=0, atol=2e-14, err_msg=name)


def test_the_arm_makes_that_motion(run: MaspRun) -> None:
    np.testing.assert_allclose(ROBOT.forward_kinematics(run.joints.q), run.tip.pose, rtol=0, atol=1e-14)
    q, qd, qdd = run.joints
    J, Jdot = (f(*a, expressed_in="world") for f, a in ((ROBOT.jacobian, (q,)), (ROBOT.jacobian_dot, (q, qd))))
    np.testing.assert_allclose(np.einsum("tij,tj->ti", J, qd), run.tip.twist, rtol=0, atol=1e-13)
    acceleration = np.einsum("tij,tj->ti", J, qdd) + np.einsum("tij,tj->ti", Jdot, qd)
    np.testing.assert_allclose(acceleration, run.tip.twist_rate, rtol=0, atol=1e-13)


def test_the_fourth_joint_turns_once_and_the_others_return(run: MaspRun) -> None:
    turned = run.joints.q[-1] - run.joints.q[0]
    np.testing.assert_allclose(turned, [0, 0, 0, 2 * np.pi, 0, 0], rtol=0, atol=1e-13)
    assert (np.diff(run.joints.q[:, 3]) > -1e-15).all()  # and never back
    two = run_masp(ROBOT, samples=2).joints.q  # the start and the end alone: the turn is not missed
    np.testing.assert_allclose(two, run.joints.q[[0, -1]], rtol=0, atol=1e-13)


def test_the_third_joint_does_not_move(run: MaspRun) -> None:
    """The wrist keeps its distance from the shoulder: law of cosines, with links of 17 in and an offset of 10 in."""
    wrist = np.array([34 - 5 * np.cos(np.pi / 3), 0.0, 6 + 5 * np.sin(np.pi / 3)])
    reach = wrist @ wrist - 10.0**2
    bend = np.arccos((reach - 2 * 17.0**2) / (2 * 17.0**2))
    np.testing.assert_allclose(run.joints.q[:, 2], bend - np.pi / 2, rtol=0, atol=1e-13)


@pytest.mark.slow
def test_continuity(run: MaspRun) -> None:
    """No jumps: positions, rates and accelerations are what the next derivative adds up to, across the switches too."""

    def at(t: np.ndarray):
        times = np.unique(np.concatenate([run.t, t]))
        motion = follow(ROBOT, run.path, times, near=NEXT_TO_ZERO)
        return [x[np.searchsorted(times, t)] for x in motion]

    for order in range(2):
        assert_is_derivative(
            lambda t, k=order: at(t)[k], lambda t, k=order: at(t)[k + 1], [0.0, 3.0, 6.0, 9.0], tolerance=1e-12
        )
    around = np.array([3 - 1e-9, 3 + 1e-9, 6 - 1e-9, 6 + 1e-9])
    for quantity in at(around):
        np.testing.assert_allclose(quantity[::2], quantity[1::2], rtol=0, atol=1e-8)


def test_it_starts_and_ends_at_rest_with_static_torques(run: MaspRun) -> None:
    ends = [0, -1]
    np.testing.assert_allclose(run.joints.qd[ends], 0.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.joints.qdd[ends], 0.0, rtol=0, atol=1e-14)
    static = static_torques(run.joints.q[0])
    np.testing.assert_allclose(run.tau[ends], [static, static], rtol=0, atol=2e-12)


def static_torques(q: np.ndarray) -> np.ndarray:
    """By levers: each joint carries the moment about its axis of every weight outside of it (table 1 by hand)."""
    joints = np.vstack([np.zeros(3), np.cumsum(kg_puma.B, axis=0)])[:6] * INCH
    centers = joints + np.array(kg_puma.C) * INCH
    axes = np.array(kg_puma.AXES, dtype=float)
    R, p = np.eye(3), np.zeros(3)  # of D_1 ... D_k, equation (1)
    moved = []
    for k in range(6):
        u = axes[k]
        K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        Rk = np.eye(3) + np.sin(q[k]) * K + (1 - np.cos(q[k])) * K @ K
        axis, point = R @ u, R @ joints[k] + p
        p = p + R @ (joints[k] - Rk @ joints[k])
        R = R @ Rk
        moved.append((axis, point, R @ centers[k] + p))
    newtons = np.array(kg_puma.WEIGHTS) * 0.45359237 * 9.80665
    lifting = [np.array([0.0, 0.0, w]) for w in newtons]
    return np.array([
        sum(axis @ np.cross(center - point, up) for (_, _, center), up in zip(moved[k:], lifting[k:], strict=True))
        for k, (axis, point, _) in enumerate(moved)
    ])  # fmt: skip


def pinocchio_arm() -> pin.Model:
    """Tables 1 and 2 through Pinocchio's own functions."""
    model, joint = pin.Model(), 0
    before = np.zeros(3)
    pounds = 0.45359237
    for k in range(6):
        axis = np.array(kg_puma.AXES[k], dtype=float)
        joint = model.addJoint(joint, pin.JointModelRevoluteUnaligned(axis), pin.SE3(np.eye(3), before * INCH), f"j{k}")
        moments = np.diag(kg_puma.MOMENTS[k]) * pounds * 9.80665 * INCH
        center = np.array(kg_puma.C[k]) * INCH
        model.appendBodyToJoint(joint, pin.Inertia(kg_puma.WEIGHTS[k] * pounds, center, moments), pin.SE3.Identity())
        before = np.array(kg_puma.B[k], dtype=float)
    model.gravity.linear = np.array([0.0, 0.0, -9.80665])
    return model


def test_torques_are_pinocchios(run: MaspRun) -> None:
    model = pinocchio_arm()
    data = model.createData()
    expected = np.array([pin.rnea(model, data, *state) for state in zip(*run.joints, strict=True)])
    np.testing.assert_allclose(run.tau, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_torques_are_modern_robotics(run: MaspRun) -> None:
    import modern_robotics as mr

    joints = np.vstack([np.zeros(3), np.cumsum(kg_puma.B, axis=0)]) * INCH
    centers = np.vstack([joints[:6] + np.array(kg_puma.C) * INCH, joints[6]])
    homes = np.diff(np.vstack([np.zeros(3), centers]), axis=0)
    Mlist = [mr.RpToTrans(np.eye(3), p) for p in homes]
    masses = np.array(kg_puma.WEIGHTS) * 0.45359237
    moments = np.array(kg_puma.MOMENTS) * 0.45359237 * 9.80665 * INCH
    Glist = [np.diag([*moments[k], *[masses[k]] * 3]) for k in range(6)]
    Slist = np.array([[*u, *np.cross(p, u)] for u, p in zip(np.array(kg_puma.AXES), joints, strict=False)]).T
    g = np.array([0, 0, -9.80665])
    expected = mr.InverseDynamicsTrajectory(*run.joints, g, np.zeros((181, 6)), Mlist, Glist, Slist)
    np.testing.assert_allclose(run.tau, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_torques_are_the_papers_recursion(run: MaspRun) -> None:
    """Kazerounian and Gupta's own equations, from the hand inwards, in pounds and inches."""
    arm, pound_inch = papers_arm(), 0.45359237 * 9.80665 * INCH
    for k in range(0, 181, 9):
        _, reactions, _ = arm.inverse_dynamics(*(x[k] for x in run.joints), np.zeros(6))
        np.testing.assert_allclose(run.tau[k], reactions.f * pound_inch, rtol=0, atol=1e-12 * np.abs(run.tau).max())


def papers_arm() -> ZeroReferenceArm:
    """Tables 1 and 2 as they stand: inches, pounds of weight, seconds."""
    g = 9.80665 / INCH
    centers = np.vstack([np.zeros(3), np.cumsum(kg_puma.B, axis=0)])
    hand = np.eye(4)
    hand[:3, 3] = centers[6]
    return ZeroReferenceArm(
        slides=np.zeros(6, bool),
        u=np.array(kg_puma.AXES, dtype=float),
        Q=centers[:6],
        c=np.array(kg_puma.C, dtype=float),
        d=np.array(kg_puma.D, dtype=float),
        masses=np.array(kg_puma.WEIGHTS) / g,
        inertia=np.array([np.diag(moments) for moments in kg_puma.MOMENTS]),
        hand=hand,
        gravity=np.array([0.0, 0.0, -g]),
        collar_outboard=np.ones(6, bool),
    )


def test_work_over_the_cycle_is_nothing(run: MaspRun) -> None:
    """From rest to rest in the same place: the power of the joints adds up to no work at all."""
    from scipy.integrate import simpson

    power = np.einsum("tn,tn->t", run.tau, run.joints.qd)
    assert np.abs(power).max() > 10.0
    assert abs(simpson(power, x=run.t)) < 1e-5


def test_inverse_then_forward_dynamics(run: MaspRun) -> None:
    q, qd, qdd = run.joints
    np.testing.assert_allclose(ROBOT.forward_dynamics(q, qd, run.tau), qdd, rtol=0, atol=1e-11)
    arm, pound_inch = papers_arm(), 0.45359237 * 9.80665 * INCH
    for k in range(0, 181, 9):  # and the paper's own direct dynamics (40)-(44), from armdyn's torques
        found = arm.direct_dynamics(q[k], qd[k], run.tau[k] / pound_inch, np.zeros(6))
        np.testing.assert_allclose(found, qdd[k], rtol=0, atol=1e-11)


@pytest.fixture(scope="module")
def reference():
    """The motion as a spline, so that torques can be asked for at any time."""
    whole = run_masp(ROBOT, samples=901)
    return whole, quintic_spline(whole.t, whole.joints.q)


def test_torque_history_carries_the_arm_along_the_circle(reference) -> None:
    """All the way round, in stretches of half a second, each from where the motion is: an arm that points up falls."""
    whole, spline = reference

    for first in range(0, 900, 50):
        start = whole.t[first]

        def torque(t, q, qd, start=start):
            return ROBOT.inverse_dynamics(*spline.evaluate(start + t))

        begin = spline.evaluate(start)
        moved = armdyn.simulate(ROBOT, begin.q, begin.qd, duration=0.5, torque=torque, save=SaveAt(every=0.5))
        np.testing.assert_allclose(moved.q[-1], whole.joints.q[first + 50], rtol=0, atol=1e-7)
        tip = ROBOT.forward_kinematics(moved.q[-1])
        np.testing.assert_allclose(tip, whole.tip.pose[first + 50], rtol=0, atol=1e-7)


def test_with_feedback_the_arm_comes_all_the_way_round(reference) -> None:
    whole, spline = reference

    def torque(t, q, qd):
        r = spline.evaluate(t)
        return ROBOT.inverse_dynamics(q, qd, r.qdd + 40 * (r.qd - qd) + 400 * (r.q - q))

    moved = armdyn.simulate(
        ROBOT,
        whole.joints.q[0],
        duration=9.0,
        torque=torque,
        save=SaveAt(times=whole.t[9::9]),
        method=Adaptive(rtol=1e-9, atol=1e-9),
    )
    np.testing.assert_allclose(moved.q, whole.joints.q[::9], rtol=0, atol=1e-7)
    np.testing.assert_allclose(moved.q[-1] - moved.q[0], [0, 0, 0, 2 * np.pi, 0, 0], rtol=0, atol=1e-7)


def test_errors_grow_as_the_docstring_of_the_example_says() -> None:
    """The fastest growing deviation at the bottom of the circle, by the eigenvalues of the linearised motion."""
    run, h, I = run_masp(ROBOT, samples=181), 1e-6, np.eye(6)  # noqa: E741
    q, qd, tau = run.joints.q[90], run.joints.qd[90], run.tau[90]
    FD = ROBOT.forward_dynamics
    K = np.stack([FD(q + h * e, qd, tau) - FD(q - h * e, qd, tau) for e in I], axis=1) / (2 * h)
    C = np.stack([FD(q, qd + h * e, tau) - FD(q, qd - h * e, tau) for e in I], axis=1) / (2 * h)
    fastest = np.linalg.eigvals(np.block([[np.zeros((6, 6)), I], [K, C]])).real.max()
    assert 5_000 < np.exp(fastest) < 15_000


def test_rates_by_differences_agree(run: MaspRun) -> None:
    whole = run_masp(ROBOT, samples=901)
    differences = differentiated(whole.t, whole.joints.q)
    np.testing.assert_allclose(differences.qd, whole.joints.qd, rtol=0, atol=1e-6)


@pytest.mark.slow
def test_all_eight_configurations_do_what_the_paper_says() -> None:
    """So the text does not tell which one it drew."""
    starts = set()
    forwards = [-18.5, -40.7, -46.7], [-18.5, 2.6, -133.3]
    backwards = [-161.5, -139.3, -133.3], [-161.5, 177.4, -46.7]
    for first_three in (*forwards, *backwards):
        for sign in (-1, 1):
            near = find_wrist(np.radians(first_three), sign)
            run = run_masp(ROBOT, samples=181, near=near)
            np.testing.assert_allclose(run.joints.q[-1] - run.joints.q[0], [0, 0, 0, 2 * np.pi, 0, 0], atol=1e-12)
            assert np.ptp(run.joints.q[:, 2]) < 1e-12
            starts.add(tuple(run.joints.q[0].round(6) + 0.0))
    assert len(starts) == 8


def find_wrist(arm: np.ndarray, sign: int) -> np.ndarray:
    """The last three joints for the hand at the top, from R_4 R_5 R_6 = R_123^T R_H: turns about z, -y, -z."""
    before = ROBOT.with_tip("link_3").forward_kinematics([*arm, 0, 0, 0])[:3, :3]
    hand = run_masp(ROBOT, samples=2).tip.pose[0][:3, :3] @ ROBOT.forward_kinematics(np.zeros(6))[:3, :3].T
    q4, q5, q6 = Rotation.from_matrix(before.T @ hand).as_euler("ZYZ") * [1, -1, -1]
    return np.array([*arm, q4, q5, q6]) if np.sign(q5) == sign else np.array([*arm, q4 + np.pi, -q5, q6 + np.pi])


def test_another_circle_and_what_is_out_of_reach() -> None:
    small = run_masp(ROBOT, circle_of_the_paper(radius=0.1, start=1.0, cruise=0.0, stop=0.5), samples=91)
    assert small.t[-1] == 1.5
    with pytest.raises(MotionError, match="at t = 0 s"):
        run_masp(ROBOT, circle_of_the_paper(distance=2.0))
    with pytest.raises(MotionError, match="samples=1"):
        run_masp(ROBOT, samples=1)
    with pytest.raises(MotionError, match="radius is 0"):
        circle_of_the_paper(radius=0.0)


@pytest.mark.slow
def test_figures_show_what_was_computed(run: MaspRun, tmp_path: Path) -> None:
    figure = draw_masp(run)
    panels = figure.axes[:8]
    titles = [axes.get_title(loc="left")[:4] for axes in panels]
    assert titles == ["5(a)", "5(b)", "6(a)", "6(b)", "7(a)", "7(b)", "8(a)", "8(b)"]
    np.testing.assert_allclose(panels[1].lines[0].get_ydata(), np.degrees(run.joints.q[:, 3]))
    np.testing.assert_allclose(panels[6].lines[1].get_ydata(), run.tau[:, 1])
    figure.canvas.draw()
    for axes in panels[:2]:  # the legend stands above, and covers neither title nor lines
        legend = axes.get_legend().get_window_extent()
        assert legend.y0 > axes.get_window_extent().y1
        assert not legend.overlaps(axes._left_title.get_window_extent())
    figure.savefig(tmp_path / "masp.png")
    assert mpl.image.imread(tmp_path / "masp.png").shape[:2] == (1760, 1440)


def test_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["masp", "--out", str(tmp_path / "new"), "--samples", "91"])
    assert result.exit_code == 0, result.output
    inverse = armdyn.load("kg_puma").inverse_dynamics.op_counts
    assert inverse.multiplications < PUBLISHED["inverse_dynamics"][0]
    for text in ("816m + 708a + 12t", "2468m + 1879a + 12t", str(inverse), "3 + 3 + 3 = 9 s", "joint_4", "360"):
        assert text in result.output
    with (tmp_path / "new" / "masp.csv").open() as file:
        header, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    assert header[:2] == ["t [s]", "q_joint_1 [rad]"]
    assert header[-1] == "tau_joint_6 [N m]"
    assert values.shape == (91, 25)
    states = values[:, 1:].reshape(91, 4, 6)
    np.testing.assert_array_equal(ROBOT.inverse_dynamics(*states[:, :3].swapaxes(0, 1)), states[:, 3])
    assert (tmp_path / "new" / "masp.png").stat().st_size > 50_000


def without_files_of_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn and not written, which takes most of the time of the command."""
    monkeypatch.setattr("armdyn.plots.write_figure", lambda figure, path: None)


def test_joints_that_slide_have_units_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Stanford arm's third joint: m, m/s, N on an axis of its own, and outside its limits with a note."""
    arm = armdyn.load("stanford")
    run = run_masp(arm, samples=91)
    lower = arm.joints[2].limits.lower
    beyond = f"{lower - run.joints.q[:, 2].min():.3g}"
    assert run.notes == (
        f"position limits, which are not enforced, are left by joint_3 from t = 0 s on by up to {beyond} m",
    )
    figure = draw_masp(run)
    at_right = [axes for axes in figure.axes if axes.get_ylabel().startswith("slides")]
    assert [axes.get_ylabel() for axes in at_right] == ["slides [m]", "slides [m/s]", "slides [m/s²]", "slides [N]"]
    for axes, values in zip(at_right, (*run.joints, run.tau), strict=True):
        (line,) = axes.lines
        np.testing.assert_array_equal(line.get_ydata(), values[:, 2])
    for axes, values in zip(figure.axes[:8:2], (np.degrees(run.joints.q), run.joints.qd), strict=False):
        np.testing.assert_allclose([line.get_ydata() for line in axes.lines[:2]], values[:, :2].T)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["joint 1", "joint 2", "joint 3 (right)"]
    figure.draw_without_rendering()
    without_files_of_pictures(monkeypatch)
    result = CliRunner().invoke(app, ["masp", "stanford", "--out", str(tmp_path), "--samples", "91"])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "(deg, deg/s, N m; m, m/s, N)" in said
    fastest = np.abs(run.joints.qd[:, 2]).max()
    assert f"joint_3 {run.joints.q[0, 2]:.4g} 0 {fastest:.4g} " in said
    assert re.search(r"torques at the ends, off the static ones \S+ N m, \S+ N ", said)
    assert f"note: {run.notes[0]}" in said


@pytest.mark.slow
def test_the_command_takes_a_part_of_a_robot(tmp_path: Path) -> None:
    ROBOT.to_urdf(tmp_path / "arm.urdf")
    words = ["masp", str(tmp_path / "arm.urdf"), "--out", str(tmp_path), "--samples", "3"]
    assert isinstance(CliRunner().invoke(app, words).exception, armdyn.ModelError)  # table 2's link 4
    result = CliRunner().invoke(app, [*words, "--accept-inertia", "--gravity", "0,0,-5"])
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(
        np.loadtxt(tmp_path / "masp.csv", delimiter=",", skiprows=1)[:, 19:],
        run_masp(ROBOT.with_gravity([0, 0, -5]), samples=3).tau, rtol=1e-12, atol=1e-12,
    )  # fmt: skip


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["masp", "--out", str(tmp_path), "--distance", "3"])
    assert isinstance(result.exception, MotionError)
    result = CliRunner().invoke(app, ["masp", "--out", str(tmp_path), "--near", "1,2"])
    assert isinstance(result.exception, armdyn.ShapeError)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "masp.py"))
    said = capsys.readouterr().out
    assert "[  0.   0.   0. 360.   0.   0.]" in said
    ends = re.search(r"ends off static, N m:\s+(\S+)", said)
    assert ends is not None
    assert float(ends[1]) < 1e-9
    off = [float(line.split()[-1]) for line in said.splitlines() if line.startswith(("off after", "off the circle"))]
    assert len(off) == 2
    assert max(off) < 1e-6
    assert (tmp_path / "masp.png").exists()


def test_torques_in_other_units_are_converted_and_other_quantities_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The csv says N m, and the example of the paper is in lbf in."""
    table = tmp_path / "masp.csv"
    without_files_of_pictures(monkeypatch)
    assert CliRunner().invoke(app, ["masp", "--out", str(tmp_path)]).exit_code == 0
    example = CliRunner().invoke(app, ["masp", "--example"]).output
    text = example.replace('torques = "path"', f'torques = "{table}"')
    assert text != example
    (tmp_path / "in.toml").write_text(text)
    columns = json.loads(CliRunner().invoke(app, ["masp", str(tmp_path / "in.toml"), "--simulate", "--json"]).stdout)[
        "columns"
    ]
    given = np.genfromtxt(table, delimiter=",", names=True, deletechars="", replace_space="_")
    pound_inch = 0.45359237 * 9.80665 * 0.0254  # N m
    rows = np.searchsorted(given["t_[s]"], np.array(columns["t [s]"]) - 1e-9)
    same = np.flatnonzero(abs(given["t_[s]"][rows] - columns["t [s]"]) < 1e-12)
    assert len(same) > 2
    for joint in ("joint_2", "joint_5"):
        of_table, simulated = given[f"tau_{joint}_[N_m]"][rows], np.array(columns[f"tau_{joint} [lbf in]"])
        np.testing.assert_allclose(simulated[same] * pound_inch, of_table[same], rtol=1e-9)
    table.write_text(table.read_text().replace("[N m]", "[N]"))
    result = CliRunner().invoke(app, ["masp", str(tmp_path / "in.toml"), "--simulate"])
    assert result.exit_code != 0
    assert "N m" in str(result.exception)
