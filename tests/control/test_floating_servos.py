"""Simulated arms whose servos the fit has not been told do not drift: law M4, 4096 counts, 50 steps per second.

Each arm moves for 60 s; the fit has a description with masses that are wrong by 20 %, and linear terms of friction.
Then the arm is let go in 20 poses. SO-101 has position servos without a register of torques (STS3215): their stiffness
follows from the goals and positions of the log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import published
from armdyn.control import (
    compensation,
    differencing,
    floating_goal,
    floating_torque,
    position_servo,
    quantised,
    sampled,
)
from armdyn.declaration import function
from armdyn.identification import servo_stiffness
from armdyn.spatial.rotations import Array
from control.servo_arms import openarm, so101, with_scaled_servos, with_servos, yam
from identification.arms import fourier, recorded, wrong_description

STEP = 2.0 * np.pi / 4096
EVERY = 20
"""Steps of 1 ms in one of the controller."""

LOOP = published.position_servo("STS3215", "M4", gain=16)
SERVO: dict[str, Any] = {"stiffness": LOOP.stiffness, "damping": LOOP.damping, "limit": LOOP.limit}


@function("(n),(n)->(n)")
def follow(model: Any, q: Any, q_ref: Any) -> Any:
    """Goals q_ref for position servos, rad or m, shape (..., n)."""
    return q_ref


def poses_of(robot: armdyn.Robot) -> Array:
    """20 poses within the limits."""
    limits = [joint.limits for joint in robot.joints]
    low, high = (np.array([getattr(limit, end) for limit in limits]) for end in ("lower", "upper"))
    return low + (high - low) * np.random.default_rng(3).uniform(0.1, 0.9, size=(20, robot.dof))


def drift(arm: armdyn.Robot, law: Any, inputs: dict[str, Any], *, push: float = 0.0, seconds: int = 3) -> Array:
    """Degrees per second of the fastest joint in each pose, over the last two seconds."""
    poses = poses_of(arm)
    qd0 = push * np.random.default_rng(5).normal(size=poses.shape)
    rows = armdyn.ClosedLoop(arm, law, record=["q"])(poses, qd0=qd0, steps=1000 * seconds, t0=10.0, **inputs).rows
    return np.degrees(np.abs(rows.q[-1] - rows.q[-2001]).max(axis=-1) / 2.0)


def at_50_hz(law: Any, robot: armdyn.Robot) -> Any:
    """The law with velocities from differences, at 50 steps per second, with the model of a robot."""
    return armdyn.control.with_model(sampled(differencing(law, time_constant=0.04), every=EVERY), robot)


@pytest.mark.slow
def test_an_so101_of_position_servos_floats_by_a_stiffness_from_its_log() -> None:
    bare = so101()
    arm = with_servos(bare, "STS3215")
    t, q, qd, _ = fourier(6, 60.0, 1000.0, amplitude=0.5)
    tracking = quantised(position_servo(sampled(follow, every=EVERY), **SERVO), resolution=STEP)
    loop = armdyn.ClosedLoop(arm, tracking, record=["q", "q_goal"], over_time=["q_ref"])
    rows = loop(q[0], qd0=qd[0], steps=len(t), q_ref=q).rows
    log = {"t": t[::EVERY], "q": np.round(rows.q[::EVERY] / STEP) * STEP, "q_ref": rows.q_goal[::EVERY]}
    described = wrong_description(bare)
    k = servo_stiffness(described, log, shared=True)
    assert k.values == pytest.approx(LOOP.stiffness, rel=0.25)  # by the masses of the description
    fit = armdyn.identify(described, k.torques(armdyn.logs.read(log, described)), delay=None)
    floating = compensation(fit, stiffness=k.values)
    law = quantised(position_servo(at_50_hz(floating_goal, floating.robot), **SERVO), resolution=STEP)
    assert drift(arm, law, floating.inputs).max() < 0.5
    assert drift(arm, law, floating.inputs, push=0.3).max() < 0.5
    assert drift(arm, law, {**floating.inputs, "limit": np.full(6, 1e-3)}).max() > 5.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "servos"),
    [
        (so101, lambda robot: with_servos(robot, "MX-64")),
        (so101, lambda robot: with_servos(robot, "ST3025")),
        (openarm, with_scaled_servos),
        (yam, with_scaled_servos),
    ],
    ids=["so101-mx64", "so101-st3025", "openarm", "yam"],
)
def test_arms_of_torque_servos_float(
    make: Callable[[], armdyn.Robot], servos: Callable[[armdyn.Robot], armdyn.Robot]
) -> None:
    bare = make()
    arm = servos(bare)
    noise = 0.002 * np.array(bare.effort_limits)
    log = recorded(arm, fourier(bare.dof, 60.0, 50.0, amplitude=0.5), noise=noise, counts=4096, velocities=False)
    fit = armdyn.identify(wrong_description(bare), log)
    floating = compensation(fit)
    law = at_50_hz(quantised(floating_torque, resolution=STEP), floating.robot)
    assert drift(arm, law, floating.inputs).max() < 0.5
    assert drift(arm, law, floating.inputs, push=0.3, seconds=6).max() < 0.5
    assert drift(arm, law, {**floating.inputs, "limit": np.full(arm.dof, 1e-3)}).max() > 5.0
