"""Functions of a user's that were written for numbers, in plain NumPy, traced: against what they give on numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.control import saturated
from armdyn.errors import TraceError
from armdyn.simulation import ClosedLoop, Heun

TABLE = [-1.0, -0.2, 0.5, 1.0], [2.0, -1.0, 0.5, 0.25]
ROBOT = armdyn.load("planar_2r")
VALUES = np.array([[0.3, -1.7], [-2.5, 0.5], [1.5, 2.0], [-0.5, 0.0], [12.25, -0.75], [-0.0, 3.5]])


def helper(x: Any) -> Any:
    return np.where(x < 0, -2.0 * x, np.sign(x))


def filled(x: Any, y: Any) -> Any:
    """An array whose places are filled one by one, and changed in place."""
    u = np.zeros(2)
    for k in range(2):
        u[k] = np.clip(x[k], -0.4, 0.4)
    u += np.where(y > 0, y, 0.0)
    return u


ONE: dict[str, Callable[..., Any]] = {
    "sign": lambda x, y: np.sign(x) + np.sign(y[0]),
    "clip": lambda x, y: np.clip(x, -1.0, abs(y)) + np.clip(y[0], -0.2, 0.3) + x.clip(-1.0, 1.0),
    "clip_below": lambda x, y: np.clip(x, 0.1, None) + np.clip(x, a_min=None, a_max=0.2),
    "where": lambda x, y: np.where(x > y, x, 2.0 * y) + np.where(y[1] <= 0.0, 1.0, -1.0),
    "where_and": lambda x, y: np.where((x > 0) & ~(y >= 0.5) | (x == y), 1.0, -1.0),
    "logical": lambda x, y: np.where(np.logical_and(x > 0, np.logical_or(y > 1, y < 0)), x, np.logical_not(x != y) * y),
    "maximum": lambda x, y: np.maximum(x, 0.1) + np.fmin(x, y) + np.max(x) + y.min() + np.max([x, y], axis=0),
    "builtins": lambda x, y: max(x[0], y[1], 0.2) * np.ones(2) + min([x[1], 0.3]) + max(3, 2),
    "hypot": lambda x, y: np.hypot(x, y) + math.hypot(x[0], y[1]),
    "heaviside": lambda x, y: np.heaviside(x, 0.5) * y,
    "rounding": lambda x, y: np.round(x) + x.round(1) + np.rint(2.0 * y) + np.round(y, 1),
    "whole": lambda x, y: np.ceil(x) * np.trunc(y) + np.floor(y) + math.floor(x[1]),
    "remainder": lambda x, y: np.mod(x, 0.7) + np.fmod(y, 0.7) + np.remainder(y, -1.3),
    "angles": lambda x, y: np.deg2rad(x) + np.rad2deg(y) + np.arctan2(1.0, x) + np.copysign(x, y - 0.1),
    "logarithms": lambda x, y: np.log2(1.0 + x * x) + np.log10(2.0 + y * y),
    "interp": lambda x, y: np.interp(x, *TABLE) + np.interp(y[0], *TABLE),
    "arrays": lambda x, y: np.clip(np.array([x[1], y[0]]), -0.5, 0.5) + np.sign(np.stack([x[0], y[1]])),
    "lists": lambda x, y: np.maximum([x[0], 0.3], [0.1, y[1]]),
    "math_module": lambda x, y: np.array([math.sin(x[0]) + math.pi, math.atan2(y[0], x[1]) + math.sqrt(4.0)]),
    "helper": lambda x, y: helper(x) - helper(y[0]),
    "filled": filled,
}


@pytest.mark.parametrize("name", sorted(ONE))
def test_traced_as_on_numbers(name: str) -> None:
    traced = armdyn.function("(n),(n)->(n)")(of_state(ONE[name]))
    x, y = VALUES, VALUES[:, ::-1] * 0.7
    expected = [ONE[name](a, b) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(ROBOT.compile(traced)(x, y), expected, rtol=1e-13, atol=1e-15)


def of_state(one: Callable[..., Any]) -> Callable[..., Any]:
    """The same as a function of (model, q, qd), of the same code."""

    def state(model: Any, q: Any, qd: Any) -> Any:
        return one(q, qd)

    return state


@armdyn.function("(n),(n)->(n)")
def switching(model: Any, q: Any, qd: Any) -> Any:
    """Gravity, which an algorithm of the library gives, and a law with a dead zone."""
    g = armdyn.algorithms.gravity_forces(model, q)
    dead = np.where(np.abs(q) < 0.1, 0.0, q - 0.1 * np.sign(q))
    return np.where(g > 100.0, 100.0, g) - np.clip(20.0 * dead, -5.0, 5.0) - 3.0 * qd


def test_a_controller_in_plain_numpy_is_compiled() -> None:
    """By itself, within another of the library, and its derivative; nothing warns of a slow path."""
    loop = ClosedLoop(ROBOT, switching, method=Heun(1e-3), record=["tau"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rolled = loop([0.5, -0.3], [0.2, 0.1], steps=100, every=10)
    q, qd = np.array([0.5, -0.3]), np.array([0.2, 0.1])
    on_numbers = np.array(switching(ROBOT.mechanism, q, qd), float)
    np.testing.assert_allclose(rolled.rows.tau[0], on_numbers, rtol=1e-13)
    limited = ClosedLoop(ROBOT, saturated(switching, 4.0), method=Heun(1e-3), record=["tau"])
    assert np.abs(limited([0.5, -0.3], steps=20).rows.tau).max() <= 4.0
    rate = loop.jvp("q")([0.5, -0.3], steps=50, tangent_q=[1.0, 0.0]).final.q
    ends = [loop([0.5 + d, -0.3], steps=50).final.q for d in (1e-6, -1e-6)]
    np.testing.assert_allclose(rate, (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-9)


@armdyn.function("(n)->()")
def cost(model: Any, q: Any) -> Any:
    return np.maximum(np.abs(q) - 0.2, 0.0) @ np.where(q > 0, 1.0, 3.0)


def test_costs_too() -> None:
    loop = ClosedLoop(ROBOT, method=Heun(1e-3), running_cost=cost, record=())
    found = loop([0.5, -0.3], steps=3, tau=ROBOT.gravity_forces([0.5, -0.3])).final.cost
    np.testing.assert_allclose(found, 3e-3 * (0.3 + 0.1 * 3.0), rtol=1e-6)


@armdyn.function("(n),(n)->(n)")
def branching(model: Any, q: Any, qd: Any) -> Any:
    u = np.clip(q, -1.0, 1.0)
    return -u if u[0] > 0 else u


def test_the_line_that_is_left_is_named() -> None:
    with pytest.raises(TraceError, match=r"in branching, `return -u if u\[0\] > 0 else u`: the truth of"):
        ROBOT.compile(branching)(np.zeros(2), np.zeros(2))
    assert np.clip(2.0, 0.0, 1.0) == 1.0
    assert max(2, 3) == 3
