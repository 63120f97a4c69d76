"""Figure 4 of Kazerounian and Gupta (1985): every vector of table 1 is in the picture, in inches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app
from armdyn.masp import InputUnits, run_masp
from armdyn.plots import draw_zero_position
from armdyn.robots.kg_puma import AXES, B, C

INCHES = InputUnits("in", "lbf", "deg")


def lines_of(axes: Any) -> list[np.ndarray]:
    return [np.array(line.get_data_3d()).T for line in axes.lines]


def test_vectors_are_those_of_table_1() -> None:
    axes: Any = draw_zero_position(armdyn.load("kg_puma"), units=INCHES).axes[0]
    drawn = lines_of(axes)
    points = np.concatenate([np.zeros((1, 3)), np.cumsum(B, axis=0)])
    for P, c, end in zip(points[:-1], np.array(C), points[1:], strict=True):
        for begin, finish in ((P, P + c), (P + c, end)):
            if np.any(begin != finish):
                ends = [line for line in drawn if len(line) == 2]
                assert any(np.allclose(line, [begin, finish], atol=1e-9) for line in ends), (begin, finish)
    arrows = [np.array(arrow._segments3d[0]) for arrow in axes.collections if hasattr(arrow, "_segments3d")]
    directions = [(at, end - at) for arrow in arrows for at, end in (arrow, arrow[::-1])]
    for P, u in zip(points[:-1], np.array(AXES, dtype=float), strict=True):
        assert any(np.allclose(at, P) and np.allclose(way / np.linalg.norm(way), u) for at, way in directions)
    names = {text.get_text() for text in axes.texts}
    assert {"$P_{1}$", "$P_{4}$, $P_{5}$, $P_{6}$", "$h$", "$u_a$", "$u_t$", "$u_{3}$"} <= names
    assert axes.get_xlabel() == "x [in]"


def test_the_path_and_the_arm_at_its_start() -> None:
    """The circle of 6 in at x = 34 in, and the hand at its top."""
    arm = armdyn.load("kg_puma")
    run = run_masp(arm, samples=31)
    drawn = lines_of(draw_zero_position(arm, run.path, start=run.joints.q[0], units=INCHES).axes[0])
    (circle,) = (line for line in drawn if len(line) > 100)
    np.testing.assert_allclose(circle[:, 0], 34.0, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(circle[:, 1:], axis=1), 6.0, rtol=1e-12)
    assert any(np.allclose(line[-1], [34.0, 0.0, 6.0], atol=1e-6) for line in drawn if len(line) < 100)


def test_arms_without_a_zero_reference_position(tmp_path: Path) -> None:
    tree = armdyn.load("ur5")
    rotor = tree.with_armature({tree.joint_names[0]: 0.1}) if hasattr(tree, "with_armature") else tree
    assert draw_zero_position(rotor, size="paper", palette="grey").axes[0].get_xlabel() == "x [m]"
    with pytest.raises(armdyn.ShapeError, match="start has shape"):
        draw_zero_position(tree, start=[0.0, 0.0])
    held = armdyn.load("planar_2r").with_constraints(
        armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    )
    with pytest.raises(armdyn.Unsupported, match="zero reference position is an open chain"):
        draw_zero_position(held)


def test_the_command_line_draws_it(tmp_path: Path) -> None:
    run = CliRunner()
    text = run.invoke(app, ["masp", "--example"]).output
    (tmp_path / "arm.toml").write_text(text)
    found = run.invoke(app, ["masp", str(tmp_path / "arm.toml"), "--draw-arm", str(tmp_path / "zero.svg")])
    assert found.exit_code == 0, found.output
    assert "x [in]" in (tmp_path / "zero.svg").read_text() or (tmp_path / "zero.svg").stat().st_size > 10_000
