"""Functions of a user's that were written for numbers, in plain NumPy, traced: against what they give on numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import nan_to_num as cleaned

import armdyn
from armdyn.base.errors import TraceError
from armdyn.control import saturated
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


def masked(x: Any, y: Any) -> Any:
    u = x.copy()
    u[np.abs(u) > 1.0] = 1.0
    u += y
    return u


def rotated(x: Any, y: Any) -> Any:
    R = np.eye(2)
    R[0, 0] = R[1, 1] = math.cos(x[0])
    R[1, 0] = math.sin(x[0])
    R[0, 1] = -R[1, 0]
    return R @ y


class Cleaner:
    """Of its own method's code only the object knows."""

    def clean(self, x: Any) -> Any:
        return np.nan_to_num(x, nan=2.0)


CLEANERS = {"object": Cleaner()}


def nan_to_number(x: Any, y: Any) -> Any:
    """What NumPy does wrong with objects without an error, alone."""
    return np.nan_to_num(np.sqrt(x)) + y


ONE: dict[str, Callable[..., Any]] = {
    "sign": lambda x, y: np.sign(x) + np.sign(y[0]),
    "clip": lambda x, y: np.clip(x, -1.0, abs(y)) + np.clip(y[0], -0.2, 0.3) + x.clip(-1.0, 1.0),
    "clip_below": lambda x, y: np.clip(x, 0.1, None) + np.clip(x, a_min=None, a_max=0.2),
    "where": lambda x, y: np.where(x > y, x, 2.0 * y) + np.where(y[1] <= 0.0, 1.0, -1.0),
    "where_and": lambda x, y: np.where((x > 0) & ~(y >= 0.5) | (x == y), 1.0, -1.0),
    "logical": lambda x, y: np.where(np.logical_and(x > 0, np.logical_or(y > 1, y < 0)), x, np.logical_not(x != y) * y),
    "maximum": lambda x, y: np.maximum(x, 0.1) + np.minimum(x, y) + np.max(x) + y.min() + np.max([x, y], axis=0),
    "builtins": lambda x, y: max(x[0], y[1], 0.2) * np.ones(2) + min([x[1], 0.3]) + max(3, 2),
    "hypot": lambda x, y: np.hypot(x, y) + math.hypot(x[0], y[1]),
    "heaviside": lambda x, y: np.heaviside(x, 0.5) * y,
    "rounding": lambda x, y: np.round(x) + x.round(1) + np.rint(2.0 * y) + np.round(y, 1),
    "whole": lambda x, y: np.ceil(x) * np.trunc(y) + np.floor(y) + math.floor(x[1]),
    "remainder": lambda x, y: np.mod(x, 0.7) + np.fmod(y, 0.7) + np.remainder(y, -1.3),
    "angles": lambda x, y: np.deg2rad(x) + np.rad2deg(y) + np.arctan2(1.0, x) + np.copysign(x, y - 0.1),
    "equal": lambda x, y: np.where(x == 1.5, 7.0, y) + np.where(x != 0.0, 1.0, 2.0) + (y[1] == 0.5),
    "equal_alone": lambda x, y: np.array([4.0 if x[0] is None else (x[0] == 0.3) * y[0], np.any(x == -1.7) * 1.0]),
    "whole_array": lambda x, y: np.all(x > -2.0) * y + np.any(np.isin([1.0], [2.0])) * x,
    "norm": lambda x, y: np.where(np.linalg.norm(x) == 0.0, 0.0 * x, x / (np.linalg.norm(x) + 1e-30)),
    "scalars": lambda x, y: ((x[0] > 0) & (y[0] > 0) | ~(x[1] < 0)) * y + ((x[0] > 0) ^ (y[1] > 0)) * x,
    "wrapped": lambda x, y: (x + np.pi) % (2.0 * np.pi) - np.pi + (y[0] + 1.0) % 0.3 + round(x[0]) + y // 0.7,
    "of_numbers": lambda x, y: np.sin(np.array([x[0], 0.5])) + np.sqrt(np.ones(2)) * np.clip(y, 0.0, 1.0),
    "mask": masked,
    "rotation": rotated,
    "selected": lambda x, y: np.select([x > 1.0, x < -1.0], [2.0 * y, -y], default=x),
    "as_floats": lambda x, y: np.asarray(x, dtype=float) + (y > 0).astype(float) + np.array([y[0], 1.0], dtype=float),
    "along": lambda x, y: np.array([x, y]).max(axis=0) + np.stack([x, y]).min() + np.concatenate([x, y])[1:3].clip(0),
    "interp": lambda x, y: np.interp(x, *TABLE) + np.interp(y[0], *TABLE),
    "arrays": lambda x, y: np.clip(np.array([x[1], y[0]]), -0.5, 0.5) + np.sign(np.stack([x[0], y[1]])),
    "lists": lambda x, y: np.maximum([x[0], 0.3], [0.1, y[1]]),
    "math_module": lambda x, y: np.array([math.sin(x[0]) + math.pi, math.atan2(y[0], x[1]) + math.sqrt(4.0)]),
    "helper": lambda x, y: helper(x) - helper(y[0]),
    "logarithms": lambda x, y: np.log10(np.abs(x) + 0.1) + np.log2(y * y + 0.5) + math.log10(2.0 + abs(x[0])),
    "hyperbolic": lambda x, y: np.sinh(0.3 * x) + np.cosh(0.2 * y) + math.sinh(0.1 * y[0]) + np.square(x),
    "not_finite": lambda x, y: (
        np.nan_to_num(np.log(x), nan=-3.0, posinf=5.0, neginf=7.0)
        + np.where(np.isnan(np.sqrt(y)), 1.0, 2.0)
        + np.where(np.isfinite(1.0 / y) & ~np.isinf(np.exp(900.0 * x)), 4.0, 8.0)
    ),
    "of_nan": nan_to_number,
    "of_nan_by_another_name": lambda x, y: cleaned(np.sqrt(x)) + CLEANERS["object"].clean(np.sqrt(y)),
    "decades": lambda x, y: np.floor(np.log10(10.0 ** np.round(x))) + np.floor(np.log2(2.0 ** np.round(y))),
    "far": lambda x, y: np.cosh(709.0 + 0.05 * x) * 1e-300 + np.sinh(-709.5 + 0.01 * y) * 1e-300,
    "filled": filled,
}


@pytest.mark.parametrize("name", sorted(ONE))
def test_traced_as_on_numbers(name: str) -> None:
    traced = armdyn.function("(n),(n)->(n)")(of_state(ONE[name]))
    x, y = VALUES, VALUES[:, ::-1] * 0.7
    with np.errstate(all="ignore"):
        expected = [ONE[name](a, b) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(ROBOT.compile(traced)(x, y), expected, rtol=1e-13, atol=1e-15)


def of_state(one: Callable[..., Any]) -> Callable[..., Any]:
    """The same as a function of (model, q, qd), of the same code."""

    def state(model: Any, q: Any, qd: Any) -> Any:
        return one(q, qd)

    return state


@pytest.mark.parametrize("period", [0.1, 0.3, 2.0 * np.pi])
def test_remainders_stay_in_their_range(period: float) -> None:
    """Where a/b is rounded to the next whole number too."""
    modulo = ROBOT.compile(armdyn.function("(n),(n)->(n)")(lambda model, q, qd: np.mod(q, period)))
    x = np.arange(-400, 400).reshape(-1, 2) * 0.05
    found, exact = modulo(x, 0.0 * x), np.mod(x, period)
    assert (found >= 0.0).all()
    assert (found < period).all()
    off = np.abs(found - exact)
    assert np.minimum(off, period - off).max() < 1e-14


class Law:
    """A controller with a memory of its gain."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def tau(self, model: Any, q: Any, qd: Any) -> Any:
        return np.clip(-q, -self.limit, self.limit)


def test_methods_and_lambdas() -> None:
    law = armdyn.function("(n),(n)->(n)")(Law(0.2).tau)
    np.testing.assert_allclose(ROBOT.compile(law)([0.5, -0.1], np.zeros(2)), [-0.2, 0.1])
    loop = ClosedLoop(ROBOT, saturated(armdyn.function("(n),(n)->(n)")(lambda model, q, qd: -3.0 * q), 0.3))
    assert np.abs(loop([1.0, 0.0], steps=2).final.q).max() <= 1.0


def changed(model: Any, q: Any, qd: Any) -> Any:
    q += 1.0
    return np.clip(q, -1.0, 1.0)


def caught(model: Any, q: Any, qd: Any) -> Any:
    try:
        return 1.0 / float(q @ q) * qd
    except TypeError:
        return 0.0 * qd


def nearest(model: Any, q: Any, qd: Any) -> Any:
    return q - min((abs(q[0] - c), c) for c in (-1.0, 2.0, 0.3))[1]


def typo(model: Any, q: Any, qd: Any) -> Any:
    return np.clip(q, -1.0, 1.0) + unknown  # type: ignore[name-defined]  # noqa: F821


def test_it_does_not_change_what_a_function_means() -> None:
    """Arguments changed in place are changed once; errors that a function catches, and tuples, need numbers."""
    declare = armdyn.function("(n),(n)->(n)")
    np.testing.assert_allclose(ROBOT.compile(declare(changed))([-1.5, -1.7], np.zeros(2)), [-0.5, -0.7])
    for needs in (caught, nearest):
        with pytest.raises(TraceError, match=f"in {needs.__name__}"):
            ROBOT.compile(declare(needs))(np.ones(2), np.ones(2))
    with pytest.raises(NameError, match="unknown"):
        ROBOT.compile(declare(typo))(np.ones(2), np.ones(2))


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
