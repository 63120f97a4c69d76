"""Sixty thousand motor-gear pairs for six joints over a thousand samples, beside plain NumPy in the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import interleaved, quiet

MOTORS, GEARS, SAMPLES = 300, 200, 1000
PLAIN_ROUNDS = 1
"""Of the plain evaluation, which takes long."""


@dataclass(frozen=True)
class SizingSpeed:
    """Pairs of all joints, samples, those that do the task, s here, s of plain NumPy, decisions that differ."""

    pairs: int
    joints: int
    samples: int
    admitted: int
    seconds: float
    plain_seconds: float
    differ: int


def sizing_speeds(rounds: int, *, quick: bool = False) -> Iterator[SizingSpeed]:
    """All of `armdyn.sizing.size` without the masses, with the temperatures; plain NumPy without the temperatures."""
    import armdyn

    motors, gears, samples = (30, 20, 200) if quick else (MOTORS, GEARS, SAMPLES)
    robot, stock, task = armdyn.load("ur5"), catalogue(motors, gears), swing(samples)

    def here() -> Any:
        return armdyn.sizing.size(robot, task, stock, carry_masses=False)

    found = here()
    loads = {name: joint.load for name, joint in found.joints.items()}
    differ = 0
    for name, joint in found.joints.items():
        judged = joint.judgement
        cold = np.ones(judged.shape, dtype=bool)
        for criterion in set(judged.values) - {"winding", "warm_voltage"}:
            cold &= ~judged.exceeded(criterion)
        differ += int((cold != plain(loads[name], stock)).sum())
    with quiet():
        own = interleaved({"here": here}, rounds)["here"]
        numpy = interleaved({"plain": lambda: [plain(load, stock) for load in loads.values()]}, PLAIN_ROUNDS)["plain"]
    admitted = sum(int(joint.judgement.admitted.sum()) for joint in found.joints.values())
    yield SizingSpeed(motors * gears, len(loads), samples, admitted, own.median, numpy.median, differ)


def plain(load: Any, stock: Any) -> np.ndarray:
    """Which pairs do the task cold: every sample of every pair, a motor at a time."""
    gears = list(stock.gears.values())
    G = np.array([abs(gear.ratio) for gear in gears])[:, None]
    eta, back, inertia = (
        np.array([getattr(gear, name) for gear in gears])[:, None]
        for name in ("efficiency", "back_efficiency", "inertia")
    )
    weights, power = load.task.weights, load.link_torque * load.qd
    passed = np.where(power > 0.0, 1.0 / eta, np.where(power < 0.0, back, 1.0)) * load.link_torque
    passed = (passed + load.friction_torque) / G
    speed, acceleration = G * load.qd, G * load.qdd
    out = load.output_torque
    of_gears = np.array(
        [
            abs(out).max() <= min(gear.peak_torque, gear.momentary_torque)
            and np.sqrt(weights @ out**2) <= gear.rated_torque
            and abs(gear.ratio) * load.peak_speed <= gear.maximum_input_speed
            and abs(gear.ratio) * load.mean_speed <= gear.average_input_speed
            for gear in gears
        ]
    )
    rows = []
    for motor in stock.motors.values():
        cold, limits = motor.at(), motor.limits
        torque = (motor.rotor_inertia + inertia) * acceleration + passed
        torque += motor.friction * np.sign(speed) + motor.damping * speed
        current = torque / cold.k_t
        voltage = cold.k_t * speed + cold.R * current
        rows.append(
            of_gears
            & (abs(speed).max(axis=1) <= limits.speed)
            & (abs(torque).max(axis=1) <= limits.torque)
            & (abs(current).max(axis=1) <= limits.current)
            & (np.sqrt(current**2 @ weights) <= limits.continuous_current)
            & (abs(voltage).max(axis=1) <= limits.voltage)
        )
    return np.stack(rows)


def swing(samples: int) -> Any:
    """Two harmonics of each joint."""
    import armdyn

    rng = np.random.default_rng(4)
    t = np.linspace(0.0, 4.0, samples)
    w = 0.5 * np.pi * np.array([1.0, 2.0])[:, None, None]
    size, phase = rng.uniform(0.1, 0.5, (2, 1, 6)), rng.uniform(0.0, 6.0, (2, 1, 6))
    angle = w * t[:, None] + phase
    q, qd, qdd = size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)
    return armdyn.sizing.MotionCycle(t, *(each.sum(axis=0) for each in (q, qd, qdd)))


def catalogue(motors: int, gears: int) -> Any:
    """Motors from far too weak to far too strong, gears from 5 to 300, of random numbers."""
    from armdyn.actuators import Motor, MotorLimits, Thermal
    from armdyn.sizing import Catalogue, CatalogueGear

    rng = np.random.default_rng(5)
    of_motors, of_gears = {}, {}
    for k in range(motors):
        size = 10.0 ** rng.uniform(-1.0, 1.0)
        rated = rng.uniform(1.0, 6.0) * size**0.5
        limits = MotorLimits(
            voltage=48.0, current=rated * rng.uniform(1.5, 6.0), continuous_current=rated,
            speed=rng.uniform(300.0, 900.0), torque=rng.uniform(0.1, 2.0) * size,
        )  # fmt: skip
        thermal = Thermal.of_time_constants(
            rng.uniform(1.0, 4.0) / size, rng.uniform(3.0, 40.0), rng.uniform(2.0, 8.0) / size,
            rng.uniform(200.0, 900.0), winding_limit=rng.uniform(80.0, 155.0),
        )  # fmt: skip
        of_motors[f"motor {k}"] = Motor(
            torque_constant=rng.uniform(0.02, 0.06) * size**0.5, resistance=rng.uniform(0.2, 1.5),
            rotor_inertia=1e-5 * size**1.5,
            friction=rng.uniform(0.0, 0.01) * size, damping=rng.uniform(0.0, 2e-5), limits=limits, thermal=thermal,
            mass=0.4 * size,
        )  # fmt: skip
    for k in range(gears):
        of_gears[f"gear {k}"] = CatalogueGear(
            np.exp(rng.uniform(np.log(5.0), np.log(300.0))), rng.uniform(0.2, 3.0), rng.uniform(0.0, 1e-5),
            efficiency=rng.uniform(0.5, 1.0), back_efficiency=rng.uniform(0.3, 1.0),
            rated_torque=rng.uniform(5.0, 150.0), peak_torque=rng.uniform(10.0, 300.0),
            maximum_input_speed=rng.uniform(200.0, 900.0), average_input_speed=rng.uniform(100.0, 500.0),
        )  # fmt: skip
    return Catalogue(of_motors, of_gears)
