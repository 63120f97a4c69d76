"""Evaluation of all pairs of motors and gears for a joint's load: values, limits, and exceeded limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.history import drive_histories
from armdyn.sizing.load import SPEED, JointLoad
from armdyn.sizing.pairs import Pairs
from armdyn.sizing.temperature import winding_bounds
from armdyn.spatial.rotations import Array


class Criterion(NamedTuple):
    """A criterion for a motor or gear, and its unit."""

    what: str
    unit: str


CRITERIA = {
    "speed": Criterion("peak speed of the motor", "rad/s"),
    "torque": Criterion("peak torque of the motor", "N m"),
    "rms_torque": Criterion("root mean square torque of the motor", "N m"),
    "current": Criterion("peak current", "A"),
    "rms_current": Criterion("root mean square current", "A"),
    "voltage": Criterion("peak voltage, cold", "V"),
    "gear_torque": Criterion("peak torque of the gear", "N m"),
    "gear_rms_torque": Criterion("root mean square torque of the gear", "N m"),
    "gear_speed": Criterion("peak input speed of the gear", "rad/s"),
    "gear_mean_speed": Criterion("mean input speed of the gear", "rad/s"),
    "inertia_ratio": Criterion("inertia of the links over the reflected one", ""),
    "winding": Criterion("temperature of the winding above the ambient", "K"),
    "warm_voltage": Criterion("peak voltage, warm", "V"),
}

ROUNDING = 1e-12
"""Relative tolerance by which a value may exceed its limit."""

AT_ONCE = 2**16
"""Largest number of elements of a product computed at once.

Such a product fits a core's cache, and BLAS starts no threads for it, which on a busy machine wait for each other a
hundred times longer than the product takes.
"""

TOGETHER = 128
"""Number of pairs whose histories are computed at once."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """Values and limits of all pairs by criterion, arrays that broadcast to shape (motors, gears).

    ``winding`` is a lower bound, and ``winding_at_most`` an upper one; for pairs that these do not decide, both are the
    highest rise of the cycle. ``warm_voltage`` is evaluated by bounds too, with the winding between cold and the upper
    bound; it is 0 for motors without a thermal model, and for pairs that fail another criterion before. Currents of
    motors whose magnets weaken are those of warm motors, except for pairs that fail another criterion before. ``loss``
    is the mean of I^2 R at the ambient temperature, of the shaft's friction and of the gear, W.
    """

    values: Mapping[str, Array]
    limits: Mapping[str, Array]
    winding_at_most: Array
    mass: Array
    loss: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of motors and gears."""
        return self.mass.shape

    def exceeded(self, criterion: str) -> Array:
        """Mask of pairs that fail a criterion, shape (motors, gears). An unbounded winding temperature always fails."""
        value = np.broadcast_to(self.values[criterion], self.shape)
        within = value <= self.limits[criterion] * (1.0 + ROUNDING)
        return ~(within & np.isfinite(value)) if criterion == "winding" else ~within

    @property
    def admitted(self) -> Array:
        """Mask of pairs that fail no criterion, shape (motors, gears)."""
        result = np.ones(self.shape, dtype=bool)
        for criterion in self.values:
            result &= ~self.exceeded(criterion)
        return result


def judge(
    load: JointLoad,
    pairs: Pairs,
    motors: Mapping[str, Motor],
    gears: Mapping[str, CatalogueGear],
    *,
    inertia_ratio: float = np.inf,
) -> Judgement:
    """Evaluate all pairs: means by moments, peaks over the undominated samples, temperatures by bounds.

    Args:
        load: load of the joint.
        pairs: the numbers of these motors and gears.
        motors: motors by name.
        gears: gears by name.
        inertia_ratio: the largest ratio of the links' inertia to G^2 (I_rotor + I_gear).
    """
    of_motors, of_gears, G = pairs.motors, pairs.gears, pairs.G
    k, R = of_motors.torque_constant, of_motors.resistance
    x = pairs.torque_coefficients()
    mean_square = means_of_squares(load, x)
    peak = peaks(load, x)
    copper = R * mean_square / k**2
    speed = G * load.peak_speed
    with np.errstate(divide="ignore"):
        ratio = load.inertia.max() / (G**2 * pairs.inertia)
    low, high = winding_bounds(of_motors, copper, load.task.duration)
    rms = np.sqrt(mean_square)
    values = {
        "speed": speed,
        "torque": peak,
        "rms_torque": rms,
        "current": peak / k,
        "rms_current": rms / k,
        "voltage": peaks(load, pairs.voltage_coefficients(x, R)),
        "gear_torque": np.full((1, 1), load.peak_torque),
        "gear_rms_torque": np.full((1, 1), load.rms_torque),
        "gear_speed": speed,
        "gear_mean_speed": G * load.mean_speed,
        "inertia_ratio": ratio,
        "winding": low,
        "warm_voltage": np.zeros(pairs.shape),
    }
    limits = {
        "speed": of_motors.speed_limit,
        "torque": of_motors.torque_limit,
        "rms_torque": k * of_motors.continuous_current,
        "current": of_motors.current_limit,
        "rms_current": of_motors.continuous_current,
        "voltage": of_motors.voltage_limit,
        "gear_torque": np.minimum(of_gears.peak_torque, of_gears.momentary_torque),
        "gear_rms_torque": of_gears.rated_torque,
        "gear_speed": of_gears.maximum_input_speed,
        "gear_mean_speed": of_gears.average_input_speed,
        "inertia_ratio": np.full((1, 1), inertia_ratio),
        "winding": of_motors.hottest_rise,
        "warm_voltage": of_motors.voltage_limit,
    }
    judged = Judgement(values, limits, high, np.broadcast_to(pairs.mass, pairs.shape), copper + _losses(load, pairs))
    _judge_warm(judged, load, pairs, x, list(motors.values()), list(gears.values()))
    return judged


def means_of_squares(load: JointLoad, x: Array) -> Array:
    """Means of (sum_i x_i z_i)^2 over the cycle by the moments of z, for x of shape (6, ...)."""
    rows = x.reshape(6, -1)
    result = np.empty(rows.shape[1])
    for part in _parts(len(result), 6):
        np.sum((load.moments @ rows[:, part]) * rows[:, part], axis=0, out=result[part])
    return np.maximum(result, 0.0).reshape(x.shape[1:])


def peaks(load: JointLoad, x: Array) -> Array:
    """The largest |sum_i x_i z_i| over the samples, for non-negative x of shape (6, ...)."""
    points, rows = load.candidates.T.copy(), x.reshape(6, -1)
    result = np.empty(rows.shape[1])
    for part in _parts(len(result), len(points)):
        np.max(points @ rows[:, part], axis=0, out=result[part])
    return result.reshape(x.shape[1:])


def _parts(count: int, rows: int) -> Iterator[slice]:
    """Slices of ``count`` columns, whose product with ``rows`` rows has `AT_ONCE` elements each."""
    step = max(1, AT_ONCE // rows)
    for start in range(0, count, step):
        yield slice(start, start + step)


def _losses(load: JointLoad, pairs: Pairs) -> Array:
    """Mean powers lost in the shaft's friction and in the gear, W."""
    qd, motors, gears = load.qd, pairs.motors, pairs.gears
    drives, driven = load.powers
    mean_square = float(load.task.weights @ qd**2)
    shaft = motors.friction * pairs.G * load.mean_speed + motors.damping * pairs.G**2 * mean_square
    gear = (1.0 / gears.efficiency - 1.0) * drives + (1.0 - gears.back_efficiency) * driven
    result: Array = shaft + gear
    return result


def _judge_warm(
    judged: Judgement, load: JointLoad, pairs: Pairs, x: Array, motors: list[Motor], gears: list[CatalogueGear]
) -> None:
    """Winding and warm voltage of the remaining pairs: by bounds if they decide, otherwise by the whole history.

    |k_t w + R I| is convex in R, so that it is at most the larger of those with the cold winding and with the hottest;
    that one is at most (R_hot - R) |I| above the cold one, which is tested first, because it needs no samples.
    """
    high, limit = judged.winding_at_most, judged.limits["winding"]
    candidates = judged.admitted
    with np.errstate(invalid="ignore"):
        hot = pairs.motors.resistance * (1.0 + pairs.motors.feedback * high)
        added = judged.values["voltage"] + (hot - pairs.motors.resistance) * judged.values["current"]
    bounded = np.broadcast_to((high <= limit) & np.isfinite(limit) & ~pairs.motors.warms, judged.shape)
    warm = judged.values["warm_voltage"]
    warm[candidates & bounded] = added[candidates & bounded]
    flat = np.flatnonzero(candidates & bounded & (added > pairs.motors.voltage_limit))
    scale = np.broadcast_to(hot / pairs.motors.torque_constant, judged.shape).ravel()[flat]
    of_voltage = x.reshape(6, -1)[:, flat] * scale
    of_voltage[SPEED] += (pairs.motors.torque_constant * pairs.G).ravel()[flat]
    warm.ravel()[flat] = np.maximum(peaks(load, of_voltage), judged.values["voltage"].ravel()[flat])
    tempered = np.isfinite(pairs.motors.winding_capacity)  # the others have their cold values
    undecided = candidates & tempered & ((~bounded) | (warm > pairs.motors.voltage_limit))
    places = np.argwhere(undecided)
    for start in range(0, len(places), TOGETHER):
        some = places[start : start + TOGETHER]
        for (m, g), history in zip(some, drive_histories(load, [(motors[m], gears[g]) for m, g in some]), strict=True):
            judged.values["winding"][m, g] = high[m, g] = history.winding_rise
            warm[m, g] = np.abs(history.voltage).max() if np.isfinite(history.winding_rise) else np.inf
            if pairs.motors.warms[m, 0]:  # the torque per current decreases with the temperature of the magnets
                for name, value in (("current", np.abs(history.current).max()), ("rms_current", history.rms_current)):
                    judged.values[name][m, g] = max(value, judged.values[name][m, g])
