"""The gear ratio with the least motor torque for a motion (Modern Robotics 8.9.2, exercise 8.9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.motor import Motor
from armdyn.base.checks import array, number
from armdyn.base.errors import ModelError
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.judging import means_of_squares, peaks
from armdyn.sizing.load import JointLoad
from armdyn.sizing.pairs import Gears, Motors, Pairs
from armdyn.spatial.rotations import Array


def matching_ratio(link_inertia: Any, rotor_inertia: Any) -> Any:
    """Inertia matching: G = sqrt(I_link/I_rotor), the ratio with the largest acceleration of the link per torque.

    qdd = G tau_m / (I_link + G^2 I_rotor) (Modern Robotics, exercise 8.9).

    Args:
        link_inertia: inertia of the link, kg m^2, above zero; a number or an array.
        rotor_inertia: inertia of motor and gear on the motor's shaft, kg m^2, above zero.

    >>> float(armdyn.sizing.matching_ratio(1.0, 1e-4))
    100.0
    """
    for name, values in (("link_inertia", link_inertia), ("rotor_inertia", rotor_inertia)):
        if not (array(name, values, finite=ModelError) > 0.0).all():
            raise ModelError(f"{name} is {values}; expected numbers above zero, in kg m^2")
    return np.sqrt(np.divide(link_inertia, rotor_inertia))


def task_matching_ratio(load: JointLoad, rotor_inertia: float) -> float:
    """The ratio with the least mean square torque over a task: G^4 = mean(tau^2) / (I_rotor^2 mean(qdd^2)).

    The motor torque is k_t I = I_rotor G qdd + tau/G, without losses. If tau = I_link qdd, the result is that of
    `matching_ratio`. It is infinite for a load that never accelerates.

    Args:
        load: load of the joint.
        rotor_inertia: inertia of motor and gear on the motor's shaft, kg m^2, above zero.
    """
    inertia = number("rotor_inertia", rotor_inertia, above=0.0, unit="kg m^2")
    weights = load.task.weights
    accelerating = float(weights @ load.qdd**2)
    return math.sqrt(load.rms_torque / (inertia * math.sqrt(accelerating))) if accelerating else math.inf


@dataclass(frozen=True, eq=False)
class RatioSweep:
    """One motor with gears of many ratios, arrays of shape (ratios,).

    Args:
        ratio: gear ratio G.
        speed: peak speed of the motor, rad/s.
        torque: peak k_t I, N m.
        rms_torque: rms value of k_t I, N m.
        voltage: peak voltage at the ambient temperature, V.
        heat: mean I^2 R at the ambient temperature, W.
    """

    ratio: Array
    speed: Array
    torque: Array
    rms_torque: Array
    voltage: Array
    heat: Array


def ratio_sweep(
    load: JointLoad, motor: Motor, ratios: ArrayLike | Sequence[float], gear: CatalogueGear | None = None
) -> RatioSweep:
    """The load of a motor over a task for each of many gear ratios.

    Args:
        load: load of the joint, from `joint_loads`.
        motor: motor with torque constant and resistance.
        ratios: gear ratios G, not zero, shape (ratios,).
        gear: gear with the inertia and efficiency of all gears; if None, gears have neither inertia nor losses.
    """
    G = array("ratios", ratios, ("ratios",), finite=ModelError)
    if not len(G) or (G == 0.0).any():
        raise ModelError(f"ratios are {G.tolist()}; expected one gear ratio or more, none of them zero")
    like = gear or CatalogueGear(1.0, 0.0)
    varied = [
        CatalogueGear(ratio, like.mass, like.inertia, efficiency=like.efficiency, back_efficiency=like.back_efficiency)
        for ratio in G.tolist()
    ]
    pairs = Pairs(Motors.of([motor]), Gears.of(varied))
    x = pairs.torque_coefficients()
    mean_square = means_of_squares(load, x)[0]
    voltage = peaks(load, pairs.voltage_coefficients(x, pairs.motors.resistance))[0]
    heat = pairs.motors.resistance[0] * mean_square / pairs.motors.torque_constant[0] ** 2
    return RatioSweep(G, np.abs(G) * load.peak_speed, peaks(load, x)[0], np.sqrt(mean_square), voltage, heat)
