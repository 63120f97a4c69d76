"""Friction against velocity: the six laws of Modern Robotics fig. 8.15."""

import numpy as np

import armdyn
from armdyn.actuators import Coulomb, GearLoss


def _lines(axes):
    return [np.array(line.get_xydata()) for line in axes.lines[2:]]  # behind the two axes


def test_static_and_kinetic_friction_is_drawn_with_its_jump():
    axes = armdyn.plots.draw_friction().axes[3]
    assert axes.get_title() == "(d) static and kinetic"
    backwards, forwards, *at_rest = _lines(axes)
    assert set(backwards[:, 1]) == {-0.8}
    assert set(forwards[:, 1]) == {0.8}
    assert {float(line[-1, 1]) for line in at_rest} == {-1.4, 1.4}


def test_laws_of_ones_own_under_a_load():
    figure = armdyn.plots.draw_friction({"gear": GearLoss(0.8, 0.5), "dry": [Coulomb(2.0)]}, load=4.0)
    assert [axes.get_title() for axes in figure.axes] == ["gear", "dry"]
    backwards, forwards = _lines(figure.axes[0])[:2]
    np.testing.assert_allclose(backwards[:, 1], -2.0)
    np.testing.assert_allclose(forwards[:, 1], 1.0)
