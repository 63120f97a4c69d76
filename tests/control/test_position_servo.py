"""Position servos behind a controller of goals: the law, its limits, published servos, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import published
from armdyn.base.errors import ModelError, SettingError, ShapeError, UnknownName
from armdyn.control import position_servo
from armdyn.declaration import function

ARM = armdyn.load("ur5")
Q, QD = np.random.default_rng(0).normal(size=(2, 6))
GOAL = Q + np.array([0.1, -0.2, 0.3, -0.4, 1.5, -2.5])


@function("(n),(n)->(n)")
def hold(model: Any, q: Any, q_ref: Any) -> Any:
    """Goals q_ref, rad or m, shape (..., n)."""
    return q_ref


def test_tau_is_stiffness_damping_and_limit() -> None:
    k, d = np.linspace(10.0, 60.0, 6), np.linspace(0.1, 0.6, 6)
    result = ARM.compile(position_servo(hold, k, damping=d, limit=20.0))(Q, GOAL, QD)
    np.testing.assert_allclose(result.tau, np.clip(k * (GOAL - Q), -20.0, 20.0) - d * QD, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(result.q_goal, GOAL)
    free = ARM.compile(position_servo(hold, 50.0))(Q, GOAL, QD)
    np.testing.assert_allclose(free.tau, 50.0 * (GOAL - Q), rtol=0, atol=1e-12)


def test_a_published_servo_is_a_motor_behind_a_gain() -> None:
    """V = 32 x 0.166 x ratio x 7.4 V per rad, tau = kt/R (V - kt qd), of Rhoban/bam's numbers of M1."""
    kt, R, ratio = 1.1776311631627974, 2.478681934101461, 1.0049367060648848
    servo = published.position_servo("STS3215", "M1")
    volts = 32.0 * 0.166 * ratio * 7.4
    expected = (kt * volts / R, kt**2 / R, kt * 0.97 * 7.4 / R)
    np.testing.assert_allclose(servo, expected, rtol=1e-14)
    np.testing.assert_allclose(
        published.position_servo("STS3215", "M1", gain=16, supply=14.8), np.array(expected) * [1, 1, 2], rtol=1e-14
    )


def test_bad_input_is_named() -> None:
    with pytest.raises(SettingError, match="stiffness"):
        position_servo(hold, 0.0)
    with pytest.raises(SettingError, match="damping"):
        position_servo(hold, 1.0, damping=-1.0)
    with pytest.raises(ShapeError, match="2 values"):
        ARM.compile(position_servo(hold, [1.0, 2.0]))(Q, GOAL, QD)
    with pytest.raises(UnknownName, match="STS3215"):
        published.position_servo("STS3214")
    with pytest.raises(UnknownName, match="M4"):
        published.position_servo("ST3025", "M1")
    with pytest.raises(ModelError, match="gain"):
        published.position_servo("STS3215", gain=0)
