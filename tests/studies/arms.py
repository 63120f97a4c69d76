"""A robot, a controller and summaries for the tests of studies; they travel to workers by value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import armdyn

ROBOT = armdyn.load("planar_3r")
N = ROBOT.dof


class Pid(NamedTuple):
    """Torques, the integral of the error, and the error as a signal."""

    tau: Any
    integral: Any
    error: Any


@armdyn.function("(n),(n),(n),(),(n),(),()->(n),(n),(n)", result=Pid)
def pid(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any, kd: Any) -> Pid:
    """Proportional-integral-derivative control with gravity compensation."""
    error = target - q
    integral = integral + h * error
    return Pid(armdyn.algorithms.gravity_forces(model, q) + kp * error - kd * qd + integral, integral, error)


@armdyn.function(pid.signature, result=Pid)
def branching(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any, kd: Any) -> Pid:
    """The same without damping where the first joint is fast, which cannot be traced."""
    damping = kd if abs(qd[0]) < 0.5 else 0.0
    return pid(model, q, qd, integral, h, target, kp, damping)


def worst(runs: Any) -> Any:
    """The largest error of any joint at any recorded step."""
    return np.abs(runs.rows.error).max(axis=(0, 2))


def settled(runs: Any) -> Any:
    """Whether it ends near the target."""
    return np.abs(runs.final.q - runs.inputs["target"]).max(axis=1) < 0.05


TIED = """<mujoco model="tied"><worldbody>
<body name="one"><joint name="a" axis="0 0 1"/><inertial pos="0.15 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
<body name="two" pos="0.3 0 0"><joint name="b" axis="0 1 0"/><inertial pos=".2 0 0" mass="2" diaginertia=".02 .1 .1"/>
<body name="three" pos="0.4 0 0"><joint name="c" axis="0 1 1"/><inertial pos="0 0 .2" mass="1" diaginertia=".02 .1 .1"/>
<body name="four" pos="0 0 0.3"><joint name="d" axis="1 0 0"/><inertial pos="0 .2 .1" mass="1" diaginertia=".1 .1 .1"/>
</body></body></body></body></worldbody>
<equality><connect body1="four" anchor="0.1 0.4 0.2"/></equality></mujoco>"""
"""A spatial chain whose last link has a point that stays where it is; it moves in one way."""
