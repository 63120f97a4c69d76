"""Pictures at the size of a report, a paper and a slide, in colour and grey: fonts, colours, texts inside."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import armdyn
from armdyn.base.errors import SettingError
from armdyn.plots import (
    draw_friction,
    draw_friction_map,
    draw_holding_set,
    draw_joint_ellipses,
    draw_masp,
    draw_on_arm,
    draw_sizing,
    draw_tip_ellipses,
    draw_velocity_terms,
)
from armdyn.plots.sheet import SIZES, SMALLEST
from armdyn.plots.style import COLOURS
from oracles.short_run import each_once

HUES = [np.array(to_rgb(colour)) for colour in COLOURS]


def rough() -> armdyn.Robot:
    return armdyn.load("planar_2r").with_friction({"joint_1": (0.3, 2.0), "joint_2": (0.0, 0.8)})


def sizing(**options: Any) -> Figure:
    t = np.linspace(0.0, 2.0, 51)
    q = 0.4 * np.sin(np.pi * t)[:, None] * np.ones(6)
    task = armdyn.sizing.MotionCycle(t, q, 0.4 * np.pi * np.cos(np.pi * t)[:, None] * np.ones(6), -(np.pi**2) * q)
    return draw_sizing(armdyn.sizing.size(armdyn.load("ur5"), task, joints=["wrist_3_joint"]), **options)


POSED = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]


def on_arm(name: str, q: list[float], components: tuple[str, ...] | None, **options: Any) -> Figure:
    arm = armdyn.load(name)
    chosen = {} if components is None else {"components": components}
    return draw_on_arm(arm, q, armdyn.ellipsoids.velocity(arm, q, **chosen), **options)


@cache
def masp() -> Any:
    return armdyn.masp.run_masp(armdyn.load("kg_puma"), samples=31)


PICTURES: dict[str, Callable[..., Figure]] = {
    "friction": draw_friction,
    "friction map": lambda **options: draw_friction_map(rough().friction_map(), **options),
    "holding": lambda **options: draw_holding_set(rough(), np.radians([[0, 40], [-60, 90]]), **options),
    "joint ellipses": lambda **options: draw_joint_ellipses(rough(), np.radians([[0, 40]]), **options),
    "tip ellipses": lambda **options: draw_tip_ellipses(rough(), np.radians([[0, 40]]), **options),
    "velocity terms": lambda **options: draw_velocity_terms(
        armdyn.load("planar_3r"), [0.0, np.pi / 2, -0.5], [1.0, 1.0, 1.0], **options
    ),
    "masp": lambda **options: draw_masp(masp(), **options),
    "on an arm in a plane": lambda **options: on_arm("planar_3r", [0.3, 0.8, -0.4], ("vx", "vy"), **options),
    "on an arm in space": lambda **options: on_arm("ur5", POSED, None, **options),
    "sizing": sizing,
}


@pytest.mark.parametrize(("name", "size"), each_once(PICTURES, ("paper", "slide")))
def test_a_picture_for_each_medium(name: str, size: str) -> None:
    """Of another size and grey at once, for what changes lengths does not change colours."""
    report, figure = PICTURES[name](), PICTURES[name](size=size, palette="grey")
    for each in (report, figure):
        each.draw_without_rendering()
    as_wide_as_text = report.get_size_inches()[0] * SIZES[size].font / SIZES["report"].font
    assert figure.get_size_inches()[0] == pytest.approx(min(as_wide_as_text, SIZES[size].width))
    fonts = [[text.get_fontsize() for text in each.findobj(Text) if text.get_text()] for each in (report, figure)]
    assert max(fonts[1]) / max(fonts[0]) == pytest.approx(SIZES[size].font / SIZES["report"].font)
    smaller = min(fonts[0]) * SIZES[size].font / SIZES["report"].font
    assert min(fonts[1]) == pytest.approx(max(smaller, SMALLEST))
    for legend in figure.legends:
        box = legend.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert_without_hue(figure)


def assert_without_hue(figure: Figure) -> None:
    curves = [line for axes in figure.axes for line in axes.lines]
    assert curves or any(axes.patches for axes in figure.axes)
    for curve in figure.findobj(Line2D):
        colour = curve.get_color()
        assert not any(np.abs(np.array(to_rgb(colour)) - hue).max() < 2e-3 for hue in HUES)


def test_another_size_or_palette() -> None:
    with pytest.raises(SettingError, match="size is 'poster'; expected 'report', 'paper' or 'slide'"):
        draw_friction(size="poster")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="palette is 'pastel'; expected 'colour' or 'grey'"):
        draw_friction(palette="pastel")  # type: ignore[arg-type]
