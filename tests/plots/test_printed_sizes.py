"""Pictures in pages at their own size: a text width of 170 mm, a column of 85 mm; every text has at least 6 points."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import armdyn
from armdyn import plots
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Thermal
from armdyn.simulation import RungeKutta4

MM = 72.0 / 25.4
"""Points in a millimetre."""

MOTOR = Motor(
    1.4e-5,
    torque_constant=0.0302,
    resistance=0.299,
    friction=0.004,
    limits=MotorLimits(voltage=24.0, current=12.0, continuous_current=6.0),
    thermal=Thermal(2.0, 20.0, 4.0, 150.0, winding_limit=25.5),
)
PLANAR = armdyn.load("planar_2r")
RIGHT_ANGLE = np.radians([[0.0, 90.0], [0.0, 150.0]])


def fall(**options: Any) -> Figure:
    heavy = armdyn.load("ur5").with_payload(mass=2.0)
    motion = armdyn.load("ur5").simulate(np.zeros(6), duration=0.4)
    return motion.plot(over=heavy.simulate(np.zeros(6), duration=0.3), **options)


def drives(**options: Any) -> Figure:
    arm = PLANAR.with_actuators({"joint_1": Actuator(MOTOR, Gear(40.0)), "joint_2": Actuator(MOTOR, Gear(20.0))})
    motion = armdyn.simulate(arm, [0.3, -0.2], duration=0.1, torque=[8.0, -2.0], method=RungeKutta4(step=0.004))
    return plots.draw_drive_histories(arm, motion, **options)


def split(**options: Any) -> Figure:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    held = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    return plots.draw_torque_split(held, [-np.pi / 3, 2 * np.pi / 3], [1.2, 1.0], **options)


PICTURES: dict[str, Callable[..., Figure]] = {
    "motion": fall,
    "drives": drives,
    "efficiency": lambda **options: plots.draw_efficiency_map(MOTOR, points=41, **options),
    "region": lambda **options: plots.draw_operating_region(MOTOR, **options),
    "gears": lambda **options: plots.draw_gear_ratios(MOTOR, (1.0, 2.0), **options),
    "friction": plots.draw_friction,
    "friction map": lambda **options: plots.draw_friction_map(
        PLANAR.with_friction({"joint_1": (0.5, 1.0)}).friction_map(), **options
    ),
    "ellipses": lambda **options: plots.draw_joint_ellipses(PLANAR, RIGHT_ANGLE, **options),
    "terms of four": lambda **options: plots.draw_velocity_terms(
        armdyn.load("planar_3r"), [0.0, np.pi / 2, -0.5], [1.0, 1.0, 1.0], **options
    ),
    "split": split,
    "zero position": lambda **options: plots.draw_zero_position(armdyn.load("kg_puma"), **options),
}


def check(figure: Figure, width: float, tmp_path: Path) -> None:
    """Every text is large enough, and the page of the PDF is not wider, mm."""
    path = tmp_path / "page.pdf"
    plots.write_figure(figure, path)
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    assert min(sizes) >= 6.0
    (wide,) = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ", path.read_bytes())
    assert float(wide) <= (width + 0.1) * MM


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_a_paper_is_read_at_its_own_size(name: str, tmp_path: Path) -> None:
    check(PICTURES[name](size="paper"), 170.0, tmp_path)


def test_a_motion_in_a_column(tmp_path: Path) -> None:
    figure = fall(size="column", palette="grey")
    check(figure, 85.0, tmp_path)
    left = {round(axes.get_position().x0, 6) for axes in figure.axes}
    assert len(left) == 1, "panels stand one above the other"
    by_joints = fall(size="column", layout="joints", joints=[0, 1], panels=["q", "tau"])
    assert len({round(axes.get_position().x0, 6) for axes in by_joints.axes}) == 1
    assert [axes.get_title("left") for axes in by_joints.axes] == 2 * [
        "joint angle $q$ [deg]",
        "joint torque $\\tau$ [N m]",
    ]


def test_a_column_is_for_motions() -> None:
    with pytest.raises(armdyn.simulation.SettingError, match="size is 'column'; expected 'report', 'paper' or 'slide'"):
        plots.draw_friction(size="column")  # type: ignore[arg-type]
