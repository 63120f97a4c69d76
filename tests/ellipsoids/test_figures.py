"""What the pictures show is what the ellipsoids are: lines, scales, labels; and the example that draws them."""

import runpy
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

import armdyn
from armdyn import ellipsoids
from armdyn.algorithms import TaskSpaceError
from armdyn.plots import draw_joint_ellipses, draw_on_arm, draw_tip_ellipses, write_figure
from armdyn.plots.stick_figure import stick_lines
from armdyn.viewer.skeleton import rods
from oracles.cases import CASES
from oracles.short_run import short_run

PRINTED = np.radians([[0.0, 90.0], [0.0, 150.0]])
EXAMPLE = Path(__file__).parents[2] / "examples" / "ellipsoids.py"
REACHING = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


@pytest.fixture(scope="module")
def planar():
    return armdyn.load("planar_2r")


@pytest.fixture(scope="module")
def ur5():
    return armdyn.load("ur5")


def closed_lines(axes) -> list[np.ndarray]:
    """The curves of a panel that come back to where they began."""
    lines = [np.array(line.get_data()).T for line in axes.get_lines()]
    return [line for line in lines if len(line) > 100 and np.allclose(line[0], line[-1])]


def test_figure_8_3(planar) -> None:
    figure = draw_joint_ellipses(planar, PRINTED)
    M = planar.mass_matrix(PRINTED)
    for row, matrix in enumerate(M):
        _, accelerations, forces = figure.axes[3 * row : 3 * row + 3]
        (circle, dotted), (bold, dotted_circle) = closed_lines(accelerations), closed_lines(forces)
        for line in (circle, dotted_circle):
            np.testing.assert_allclose(np.linalg.norm(line, axis=1), 1.0, rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(np.linalg.solve(matrix, bold.T), axis=0), 1.0, rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(matrix @ dotted.T, axis=0), 1.0, rtol=1e-12)
        texts = {text.get_text() for text in forces.texts}
        assert texts == {f"{length:.3g}" for length in np.linalg.eigvalsh(matrix)}
        assert accelerations.get_xlabel() == r"$\ddot q_{1}$ [rad/s²]"
        assert forces.get_ylabel() == r"$\tau_{2}$ [N m]"
    limits = {figure.axes[column].get_xlim() for column in (2, 5)}
    assert len(limits) == 1  # rows can be compared


def test_figure_8_4(planar) -> None:
    figure = draw_tip_ellipses(planar, PRINTED, force=(1.0, 0.0))
    arm, accelerations, forces = figure.axes[3:6]
    Lambda = planar.task_space(PRINTED[1], [0, 0], components=("vx", "vy"), expressed_in="world").Lambda
    bold = closed_lines(forces)[0]
    np.testing.assert_allclose(np.linalg.norm(np.linalg.solve(Lambda, bold.T), axis=0), 1.0, rtol=1e-12)
    (cross,) = [line for line in accelerations.get_lines() if line.get_marker() == "x"]
    np.testing.assert_allclose(np.ravel(cross.get_data()), [0.4, np.sqrt(3) / 5], rtol=1e-12)
    assert "(0.4, 0.35)" in {text.get_text() for text in accelerations.texts}
    assert "(1, 0)" in {text.get_text() for text in forces.texts}
    # On the arm it stands at the tip, 0.1 m to the kilogram, and says so.
    assert "1 kg is 0.1 m" in arm.get_title(loc="left")
    tip = planar.forward_kinematics(PRINTED[1])[:2, 3]
    (ellipse,) = closed_lines(arm)
    np.testing.assert_allclose(np.linalg.norm(np.linalg.solve(Lambda, (ellipse - tip).T), axis=0), 0.1, rtol=1e-12)
    assert figure.axes[4].get_xlabel() == r"$\ddot x$ [m/s²]"
    assert arm.get_aspect() == forces.get_aspect() == 1.0


FORCES = [(1.0, 0.0), (-1.0, 0.0), (0.0, 2.0), (0.5, 0.8), (4.4, -2.5), None]


@pytest.mark.slow
@pytest.mark.parametrize("force", short_run(FORCES, (1.0, 0.0), (4.4, -2.5)), ids=str)
def test_lengths_are_not_covered_by_the_marks(planar, force) -> None:
    """Neither by the cross of the force, which may stand on the very end of an axis, nor by its label."""
    figure = draw_tip_ellipses(planar, PRINTED, force=force)
    figure.canvas.draw()
    for axes, q in zip((figure.axes[2], figure.axes[5]), PRINTED, strict=True):
        boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
        lengths = ellipsoids.tip_force(planar, q, components=("vx", "vy")).lengths
        of_lengths = [boxes.pop(f"{length:.3g}") for length in lengths]
        crosses = [line.get_window_extent() for line in axes.get_lines() if line.get_marker() == "x"]
        assert len(crosses) == len(boxes) == (0 if force is None else 1)
        for box in of_lengths:
            assert not any(box.overlaps(other) for other in (*crosses, *boxes.values()))


def test_joints_of_a_larger_arm(ur5) -> None:
    names = ("shoulder_lift_joint", "elbow_joint")
    figure = draw_joint_ellipses(ur5, REACHING, joints=names)
    M = ur5.mass_matrix(REACHING)[1:3, 1:3]
    bold = closed_lines(figure.axes[2])[0]
    np.testing.assert_allclose(np.linalg.norm(np.linalg.solve(M, bold.T), axis=0), 1.0, rtol=1e-12)
    assert figure.axes[2].get_xlabel() == r"$\tau_{2}$ [N m]"


@pytest.mark.short_run("panda_locked", "ur5", "planar_2r")
@pytest.mark.parametrize("name", ["ur5", "panda_locked", "planar_2r", "tiago"])
def test_stick_figures_run_from_the_base_to_the_ends(name) -> None:
    robot = armdyn.load(name) if name == "planar_2r" else CASES[name]().robot
    q = np.linspace(0.2, 0.9, robot.dof)
    lines, poses = stick_lines(robot, q), robot.link_poses(q)[:, :3, 3]
    for line in lines[:-1]:
        np.testing.assert_array_equal(line[0], np.zeros(3))
    np.testing.assert_allclose(lines[-1][-1], robot.forward_kinematics(q)[:3, 3], atol=1e-15)
    drawn = np.concatenate(lines)
    for place in poses:
        assert np.abs(drawn - place).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("slide", [-0.1, 0.0, 0.2])
def test_the_link_before_a_slide_is_drawn_as_long_as_it_is(slide: float) -> None:
    """The forearm of a SCARA stays level and 0.3 m long, and the quill goes down from its end."""
    robot = armdyn.load("scara")
    q = np.array([0.4, -0.9, slide, 0.3])
    _, shoulder, elbow, end, quill, *_ = stick_lines(robot, q)[0]
    np.testing.assert_allclose(np.linalg.norm([elbow - shoulder, end - elbow], axis=1), [0.35, 0.3], rtol=1e-14)
    np.testing.assert_allclose(quill - end, [0, 0, -slide], rtol=0, atol=1e-15)
    assert any(np.allclose(rod, [elbow, end], rtol=0, atol=1e-15) for rod in rods(robot, q))


def test_on_the_arm_in_space(ur5) -> None:
    velocity, mass = ellipsoids.velocity(ur5, REACHING), ellipsoids.tip_force(ur5, REACHING)
    figure = draw_on_arm(ur5, REACHING, [velocity, mass], scale=(0.3, 0.02), title="two of them")
    (axes,) = figure.axes
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["velocity: 1 m/s is 0.3 m long", "tip force: 1 kg is 0.02 m long"]
    lines = [np.array(line.get_data_3d()).T for line in axes.get_lines()]
    for e, scale in ((velocity, 0.3), (mass, 0.02)):
        for length, direction in zip(e.lengths, e.axes.T, strict=True):
            ends = np.array([e.centre - scale * length * direction, e.centre + scale * length * direction])
            assert any(line.shape == (2, 3) and np.allclose(line, ends, atol=1e-12) for line in lines)
    box, spans = axes.get_box_aspect(), [np.ptp(getattr(axes, f"get_{x}lim")()) for x in "xyz"]
    np.testing.assert_allclose(np.array(box) / box[0], np.array(spans) / spans[0], rtol=1e-9)  # equal scales


def test_on_the_arm_in_a_plane(planar) -> None:
    q = PRINTED[1]
    e = ellipsoids.velocity(planar, q, components=("vx", "vy"))
    figure = draw_on_arm(planar, q, e)
    (axes,) = figure.axes
    scale = float(figure.legends[0].get_texts()[0].get_text().split(" is ")[1].split()[0])
    (ellipse,) = closed_lines(axes)
    distance = np.linalg.norm(np.linalg.solve(e.matrix, (ellipse - e.centre[:2]).T), axis=0)
    np.testing.assert_allclose(distance, scale, rtol=1e-12)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    across = draw_on_arm(planar, q, ellipsoids.velocity(planar, q, components=("vy", "vx")))
    assert across.axes[0].get_xlabel() == "y [m]"


def test_axes_of_the_frame_are_named_by_their_directions(ur5) -> None:
    e = ellipsoids.tip_force(ur5, REACHING, components=("vx", "vy"), expressed_in="body")
    (axes,) = draw_on_arm(ur5, REACHING, e).axes
    R = ur5.forward_kinematics(REACHING)[:3, :3]
    assert axes.get_xlabel() == "along (" + ", ".join(f"{x:.2f}" for x in R[:, 0]) + ") [m]"


def test_what_has_no_place_on_the_arm(planar, ur5) -> None:
    with pytest.raises(TaskSpaceError, match=r"torque ellipsoid .* has no place on the arm"):
        draw_on_arm(planar, PRINTED[0], ellipsoids.torque(planar, PRINTED[0]))
    with pytest.raises(TaskSpaceError, match=r"batch .* has no place on the arm"):
        draw_on_arm(planar, PRINTED[0], ellipsoids.velocity(planar, PRINTED, components=("vx", "vy")))
    pair = [ellipsoids.velocity(ur5, REACHING), ellipsoids.velocity(ur5, REACHING, components=("vx", "vy"))]
    with pytest.raises(TaskSpaceError, match="draw those of two apart from those of three"):
        draw_on_arm(ur5, REACHING, pair)
    with pytest.raises(TaskSpaceError, match=r"of two joints, here 6; choose two of 'ur5'"):
        draw_joint_ellipses(ur5, REACHING)
    with pytest.raises(TaskSpaceError, match="of two velocities, here wx, wy"):
        draw_tip_ellipses(ur5, REACHING, components=("wx", "wy"))
    with pytest.raises(armdyn.ShapeError, match=r"qs has shape \(3,\); expected \(rows, 6\)"):
        draw_joint_ellipses(ur5, [0.0, 0.0, 0.0], joints=("elbow_joint", "wrist_1_joint"))
    with pytest.raises(armdyn.ShapeError, match=r"q has shape \(5,\); expected \(6,\): one configuration of 'ur5'"):
        draw_on_arm(ur5, np.zeros(5), pair[0])


@pytest.mark.slow
def test_example(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(tmp_path)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out
    assert "feels like 2 kg or 1 kg" in printed
    assert "feels like 5 kg or 1 kg" in printed
    for name in ("figure_8_3", "figure_8_4", "ur5", "ur5_joints"):
        picture = matplotlib.image.imread(tmp_path / f"{name}.png")
        assert min(picture.shape[:2]) > 900
        assert (picture[..., :3] < 0.9).any(axis=-1).mean() > 0.01  # something is drawn


@pytest.mark.slow
def test_pictures_are_written(planar, tmp_path) -> None:
    write_figure(draw_joint_ellipses(planar, PRINTED), tmp_path / "torque.svg")
    assert (tmp_path / "torque.svg").stat().st_size > 10_000
