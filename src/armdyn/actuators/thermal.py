"""Thermal model of a motor: two bodies, its winding and its housing, between which heat flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.base.checks import number
from armdyn.base.errors import ModelError
from armdyn.base.fields import check_numbers, set_fields
from armdyn.base.scalars import Scalar
from armdyn.program import select

COPPER = 0.00393
"""Temperature coefficient of copper's resistance at 20 to 25 degC, 1/K (IEC 60028)."""

ABSOLUTE_ZERO = -273.15


class Rises(NamedTuple):
    """Temperatures of winding and housing above the surroundings, K."""

    winding: Scalar
    housing: Scalar


UNITS = {
    "winding_to_housing": "K/W",
    "winding_capacity": "J/K",
    "housing_to_ambient": "K/W",
    "housing_capacity": "J/K",
    "ambient": "degC",
    "reference": "degC",
    "winding_limit": "degC",
    "resistance_coefficient": "1/K",
    "magnet_coefficient": "1/K",
}


@dataclass(frozen=True)
class Thermal:
    """Winding (w) and housing (h) as two heat capacities, with theta their temperatures above the ambient.

        C_w dtheta_w/dt = P - (theta_w - theta_h)/R_wh
        C_h dtheta_h/dt = (theta_w - theta_h)/R_wh - theta_h/R_ha

    P = I^2 R heats the winding, whose resistance R (1 + alpha (T_w - T_0)) rises with its temperature; the magnets, as
    warm as the housing, give k_t (1 + beta (T_h - T_0)). Heat by friction is neglected. With R_ha = 0 the housing stays
    at the ambient, and one body remains.

    Args:
        winding_to_housing: R_wh, K/W.
        winding_capacity: C_w, J/K.
        housing_to_ambient: R_ha, K/W; 0 with one body.
        housing_capacity: C_h, J/K; 0 with one body.
        ambient: temperature of the surroundings, degC.
        reference: T_0, the temperature at which the motor's resistance and torque constant hold, degC.
        winding_limit: the highest temperature that the winding bears, degC.
        resistance_coefficient: alpha, 1/K; copper's.
        magnet_coefficient: beta, 1/K, below zero: about -0.002 for ferrite, -0.001 for neodymium, -0.0004 for samarium
            cobalt.

    >>> thermal = armdyn.actuators.Thermal.of_time_constants(1.93, 42.8, 4.65, 809.0)
    >>> [round(float(rise), 1) for rise in thermal.steady_rises(10.0)]  # 10 W through 1.93 + 4.65 K/W
    [65.8, 46.5]
    """

    winding_to_housing: float
    winding_capacity: float
    housing_to_ambient: float = 0.0
    housing_capacity: float = 0.0
    ambient: float = 25.0
    reference: float = 25.0
    winding_limit: float = np.inf
    resistance_coefficient: float = COPPER
    magnet_coefficient: float = 0.0

    def __post_init__(self) -> None:
        bounds: dict[str, dict[str, Scalar]] = {
            "winding_to_housing": {"above": 0.0},
            "winding_capacity": {"above": 0.0},
            "housing_to_ambient": {"least": 0.0},
            "housing_capacity": {"least": 0.0},
            "ambient": {"least": ABSOLUTE_ZERO},
            "reference": {"least": ABSOLUTE_ZERO},
            "resistance_coefficient": {"least": 0.0},
            "magnet_coefficient": {},
        }
        for name, bound in bounds.items():
            check_numbers(self, {name: UNITS[name]}, **bound)
        if self.magnet_coefficient > 0.0:
            raise ModelError(
                f"magnet_coefficient of Thermal is {self.magnet_coefficient:g} 1/K; expected none above zero: "
                "magnets weaken where they are warm"
            )
        limit = number(
            "winding_limit of Thermal", self.winding_limit, above=self.ambient, infinite=True, unit="degC",
            expected=f"a temperature above the ambient's {self.ambient:g} degC",
        )  # fmt: skip
        set_fields(self, winding_limit=limit)
        if (self.housing_to_ambient == 0.0) != (self.housing_capacity == 0.0):
            raise ModelError(
                f"Thermal has housing_to_ambient {self.housing_to_ambient:g} K/W and housing_capacity "
                f"{self.housing_capacity:g} J/K; expected both above zero, or neither where the winding alone is warm"
            )

    @classmethod
    def of_time_constants(
        cls,
        winding_to_housing: float,
        winding_time: float,
        housing_to_ambient: float = 0.0,
        housing_time: float = 0.0,
        **more: float,
    ) -> Thermal:
        """The thermal model from the entries of data sheets: C_w = tau_w / R_wh and C_h = tau_h / R_ha.

        Args:
            winding_to_housing: R_wh, K/W.
            winding_time: tau_w, s.
            housing_to_ambient: R_ha, K/W; 0 with one body.
            housing_time: tau_h, of the whole motor, s.
            more: as of `Thermal`.
        """
        R_wh = number("winding_to_housing", winding_to_housing, above=0.0, unit="K/W")
        R_ha = number("housing_to_ambient", housing_to_ambient, least=0.0, unit="K/W")
        tau_w, tau_h = number("winding_time", winding_time, unit="s"), number("housing_time", housing_time, unit="s")
        if (R_ha == 0.0) != (tau_h == 0.0):
            raise ModelError(f"housing_to_ambient is {R_ha:g} K/W and housing_time {tau_h:g} s; give both or neither")
        return cls(R_wh, tau_w / R_wh, R_ha, tau_h / R_ha if R_ha else 0.0, **more)

    @property
    def to_ambient(self) -> float:
        """R_wh + R_ha, K/W: from the winding to the surroundings."""
        return self.winding_to_housing + self.housing_to_ambient

    def resistance_factor(self, winding_rise: Scalar) -> Scalar:
        """1 + alpha (T_w - T_0), the winding's resistance over that at the reference."""
        return 1.0 + self.resistance_coefficient * (winding_rise + (self.ambient - self.reference))

    def torque_factor(self, housing_rise: Scalar) -> Scalar:
        """1 + beta (T_h - T_0), the torque constant over that at the reference."""
        return 1.0 + self.magnet_coefficient * (housing_rise + (self.ambient - self.reference))

    def rates(self, rises: Rises, power: Scalar) -> Rises:
        """dtheta/dt of both, K/s, at a heat of ``power``, W."""
        across = (rises[0] - rises[1]) / self.winding_to_housing
        if self.housing_capacity == 0.0:
            return Rises((power - across) / self.winding_capacity, 0.0 * rises[1])
        out = rises[1] / self.housing_to_ambient
        return Rises((power - across) / self.winding_capacity, (across - out) / self.housing_capacity)

    def steady_rises(self, power: Scalar, feedback: Scalar = 0.0) -> Rises:
        """Steady temperatures at a heat of power + feedback theta_w, W; infinite if that grows without bound.

        Args:
            power: W, at the ambient.
            feedback: W/K, the growth of the heat with the winding's temperature: I^2 R alpha at a held current.
        """
        stability = 1.0 - feedback * self.to_ambient
        settles = stability > 0.0
        winding = select(settles, power * self.to_ambient / select(settles, stability, 1.0), np.inf)
        share = self.housing_to_ambient / self.to_ambient
        return Rises(winding, winding * share if share else 0.0 * power)

    def next_rises(self, rises: Rises, power: Scalar, h: Scalar, feedback: Scalar = 0.0) -> Rises:
        """Rises after h seconds at a heat of power + feedback theta_w, W: exact, by the exponential of the 2x2 matrix.

        The result is theta + Phi (A theta + b) with the integral Phi of exp(A s) from 0 to h.

        Args:
            rises: at first, K.
            power: W, held.
            h: s.
            feedback: W/K, held.
        """
        rate = self.rates(rises, power + feedback * rises[0])
        a = (feedback - 1.0 / self.winding_to_housing) / self.winding_capacity
        if self.housing_capacity == 0.0:
            return Rises(rises[0] + _integral_of_exp(a, h) * rate[0], rises[1])
        b = 1.0 / (self.winding_to_housing * self.winding_capacity)
        c = 1.0 / (self.winding_to_housing * self.housing_capacity)
        d = -(1.0 / self.winding_to_housing + 1.0 / self.housing_to_ambient) / self.housing_capacity
        # The eigenvalues are real, because b c > 0. The larger is 0 when the temperature diverges: from det A.
        low = 0.5 * (a + d) - np.sqrt(0.25 * (a - d) ** 2 + b * c)
        slow = self.winding_to_housing * self.housing_to_ambient * self.winding_capacity * self.housing_capacity
        high = (1.0 - feedback * self.to_ambient) / slow / low
        of_low, of_high = _integral_of_exp(low, h), _integral_of_exp(high, h)
        # Phi = sum_i phi(lambda_i) P_i, P_high = (A - low 1)/(high - low), P_low = 1 - P_high.
        w, v = rate
        along = 1.0 / (high - low)
        high_w, high_h = ((a - low) * w + b * v) * along, (c * w + (d - low) * v) * along
        return Rises(
            rises[0] + of_high * high_w + of_low * (w - high_w),
            rises[1] + of_high * high_h + of_low * (v - high_h),
        )


def _integral_of_exp(rate: Scalar, h: Scalar) -> Scalar:
    """The integral of exp(rate s) from 0 to h: (exp(rate h) - 1)/rate by tanh, which loses no digits near rate = 0."""
    t = np.tanh(0.5 * rate * h)
    flat = abs(rate * h) <= 0.0
    return select(flat, h, 2.0 * t / (1.0 - t) / select(flat, 1.0, rate))
