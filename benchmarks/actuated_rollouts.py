"""Closed loops of an arm with actuators beside those of the bare arm, under the same controller in the same rounds."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.rollouts import RolloutSpeed
from benchmarks.timing import interleaved, quiet

ARMS, STEPS, STEP = 400, 1000, 1e-3
BARE = "the bare arm"
STEADY = 0.25
"""Of a joint's inertia over the step: more damping than twice that would throw the joint from step to step."""

METHODS = ("SemiImplicitEuler", "RungeKutta4")


def actuated_speeds(case: Case, rounds: int) -> Iterator[RolloutSpeed]:
    """What friction, motors and gears leave of the speed of a loop under PD control with gravity compensation."""
    import armdyn

    bare = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    robots = {name: bare.with_actuators(dict.fromkeys(bare.joint_names, drive)) for name, drive in _drives()}
    robots = {BARE: bare} | robots
    q0 = np.random.default_rng(1).uniform(-1.0, 1.0, (ARMS, bare.dof))
    ones = np.ones(bare.dof)
    light = np.diagonal(bare.mass_matrix(q0), axis1=1, axis2=2).min(axis=0)
    damping = np.minimum(10.0, STEADY * light / STEP)
    given = {"q_ref": 0.3 * ones, "qd_ref": 0.0 * ones, "Kp": 50.0 * ones, "Kd": damping}
    for method in METHODS:
        steps = getattr(armdyn.simulation, method)(step=STEP)
        loops = {name: _loop(robot, name, steps) for name, robot in robots.items()}
        calls = {name: lambda loop=loop: loop(q0, steps=STEPS, **given) for name, loop in loops.items()}
        with quiet():
            timings = interleaved(calls, rounds)
        for name, loop in loops.items():
            pairs = zip(timings[BARE].seconds, timings[name].seconds, strict=True)
            ns, ratio = 1e9 * timings[name].median / (ARMS * STEPS), median(a / b for a, b in pairs)
            if name != BARE:
                yield RolloutSpeed(case.name, f"{name}, {method}", ns, loop.op_counts.arithmetic, BARE, ratio)


def _drives() -> Iterator[tuple[str, Any]]:
    from armdyn.actuators import Actuator, Coulomb, Gear, Motor, MotorLimits, Viscous
    from armdyn.actuators.published import servo

    limits = MotorLimits(voltage=48.0, current=20.0)
    motor = Motor(1e-5, torque_constant=0.1, resistance=1.0, limits=limits)
    rubs = (Viscous(0.4), Coulomb(2.0))
    yield "dry friction", Actuator(friction=rubs)
    yield "motors, dry friction", Actuator(motor, Gear(100.0), friction=rubs)
    yield "gear losses, rotors", Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8))
    for law in ("M3", "M4", "M6"):
        yield f"servo friction {law}, rotors", servo("MX-106", law)


def _loop(robot: Any, name: str, method: Any) -> Any:
    import armdyn

    law = armdyn.control.pd_gravity
    if name.startswith("motors"):
        law = armdyn.control.through_motors(law)
    return armdyn.ClosedLoop(robot, law, method=method, record=())
