"""Figures 8.12 and 8.13: what is drawn is where the equations put it."""

from typing import Any

import numpy as np
import pytest

from armdyn import ModelError, ShapeError
from armdyn.actuators import Motor, MotorLimits
from armdyn.plots import draw_gear_ratios, draw_operating_region

MOTOR = Motor(
    torque_constant=0.0302, resistance=0.299, limits=MotorLimits(voltage=24.0, current=90.0, continuous_current=6.0)
)


def test_regions_and_their_ends() -> None:
    """Light and dark polygons, the no-load speed V/k_t and the stall torque k_t V/R on their axes."""
    figure = draw_operating_region(MOTOR, task=[[0.1, 200.0], [0.3, -100.0]])
    (axes,) = figure.axes
    light, dark = (patch.get_path().vertices[:4] for patch in axes.patches)
    np.testing.assert_allclose(light, MOTOR.region())
    np.testing.assert_allclose(abs(dark[:, 0]), 0.0302 * 6.0)
    points = {line.get_marker(): np.ravel(line.get_data()) for line in axes.lines if line.get_marker() != "None"}
    k, R, V = 0.0302, 0.299, 24.0
    np.testing.assert_allclose(points["o"], (0.0, V / k), atol=1e-9)
    np.testing.assert_allclose(points["s"], (k * V / R, 0.0), atol=1e-9)
    np.testing.assert_allclose(points["D"], (k * 6.0, (V - R * 6.0) / k), rtol=1e-12)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert f"rated: {k * 6.0:.3g} N m, {(V - R * 6.0) / k:.4g} rad/s, {6.0 * (V - R * 6.0):.3g} W" in words
    names = [text.get_text() for text in axes.texts]
    assert [name for name in names if name[0] == "I"] == ["I: drives", "II: brakes", "III: drives", "IV: brakes"]
    assert "V = $V_{max}$ = 24 V" in names


@pytest.mark.parametrize("size", ["report", "paper", "slide"])
def test_texts_of_a_region_stay_inside(size: Any) -> None:
    figure = draw_operating_region(MOTOR, size=size, palette="grey")
    figure.canvas.draw()
    for text in [*figure.axes[0].texts, *figure.legends[0].get_texts()]:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text


def test_two_gear_ratios() -> None:
    """Twice the torque, half the speed, of the same area."""
    (axes,) = draw_gear_ratios(MOTOR, (1.0, 2.0)).axes
    one, two = (patch.get_path().vertices[:4] for patch in axes.patches)
    np.testing.assert_allclose(two, one * (2.0, 0.5))
    assert [text.get_text() for text in axes.figure.legends[0].get_texts()] == ["G = 1", "G = 2"]


def test_errors() -> None:
    with pytest.raises(ModelError, match=r"without limits\.voltage has no region"):
        draw_operating_region(Motor(torque_constant=0.03, resistance=0.3))
    with pytest.raises(ShapeError, match=r"task has shape \(3,\); expected \(points, 2\)"):
        draw_operating_region(MOTOR, task=[1.0, 2.0, 3.0])
    for ratios in ([], [1.0, 0.0]):
        with pytest.raises(ModelError, match="expected one gear ratio or more, none of them zero"):
            draw_gear_ratios(MOTOR, ratios)
