"""An implicit Euler step of the voltage of a DC bus between a supply, its capacitor and the drives.

    C dU/dt = I_s - I_b - I_burnt,    I_s = (V - U)/R within the bounds of the supply

The implicit Euler rule is used. The current of the drives is linear in U, I_b + G (U' - U): a motor that is given all
of the bus's voltage takes less as that falls. The current of the supply falls as U rises, and is bounded on both sides,
so the next voltage is the middle one of three: by the resistance, and by each of the bounds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from armdyn.actuators.supply import Supply
from armdyn.base.scalars import Scalar
from armdyn.program import maximum, minimum


class BusStep(NamedTuple):
    """The bus at the end of a step.

    Args:
        voltage: U, V.
        supply_current: I_s, from the supply, A; negative if it takes current back.
        burnt_current: through the braking resistor, A.
    """

    voltage: Scalar
    supply_current: Scalar
    burnt_current: Scalar


def bus_step(supply: Supply, voltage: Scalar, current: Scalar, slope: Scalar, h: Scalar) -> BusStep:
    """The bus after h seconds, of numbers or traced scalars.

    Args:
        supply: the source, with its capacitor and resistor.
        voltage: U, V, at the beginning.
        current: I_b, of all drives at that voltage, A.
        slope: G, the rise of their current per volt, A/V.
        h: s.
    """
    V, R = supply.voltage, supply.resistance
    if supply.capacitance == 0.0:
        return _without_capacitor(supply, voltage, current, slope)
    yields = supply.capacitance / h + slope  # A for each V by which U changes, taken by capacitor and drives
    by_resistance = V if R == 0.0 else (V + R * (yields * voltage - current)) / (1.0 + R * yields)
    most, least = _bounds(supply, voltage)
    after = by_resistance
    if most is not None:
        after = minimum(after, voltage + (most - current) / yields)
    if least is not None:
        after = maximum(after, voltage + (least - current) / yields)
    bounded = after if math.isinf(supply.braking_voltage) else minimum(after, supply.braking_voltage)
    # never below zero: the missing current of the drives then flows through the diodes of their amplifiers
    return BusStep(maximum(bounded, 0.0), current + yields * (after - voltage), yields * (after - bounded))


def _without_capacitor(supply: Supply, voltage: Scalar, current: Scalar, slope: Scalar) -> BusStep:
    """U = V - R I_s; a resistor dissipates the power that a supply does not take back."""
    V, R = supply.voltage, supply.resistance
    after = (V + R * (slope * voltage - current)) / (1.0 + R * slope) if R else V
    drawn = current + slope * (after - voltage)
    if supply.regenerates:
        return BusStep(maximum(after, 0.0), drawn, 0.0)
    return BusStep(maximum(minimum(after, V), 0.0), maximum(drawn, 0.0), maximum(-drawn, 0.0))


def _bounds(supply: Supply, voltage: Scalar) -> tuple[Scalar, Scalar]:
    """The most and the least current that the supply gives, A; None if unbounded."""
    limits = [] if math.isinf(supply.current_limit) else [supply.current_limit]
    limits += [] if math.isinf(supply.power_limit) else [supply.power_limit / voltage]
    most = minimum(*limits) if len(limits) == 2 else limits[0] if limits else None
    if not supply.regenerates:
        return most, 0.0
    return most, None if most is None else -most
