"""A DC motor (Modern Robotics 8.9.1)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armdyn.actuators.cogging import Cogging
from armdyn.actuators.electrical import DcEquations
from armdyn.actuators.limits import MotorLimits
from armdyn.actuators.operating import OperatingRegion
from armdyn.actuators.thermal import COPPER, Rises, Thermal
from armdyn.base.checks import number, whole_number
from armdyn.base.errors import DTypeError, ModelError, excerpt
from armdyn.base.fields import check_numbers
from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array

UNITS = {
    "inductance": "H",
    "rotor_inertia": "kg m^2",
    "damping": "N m s/rad",
    "friction": "N m",
    "mass": "kg",
}


@dataclass(frozen=True)
class Motor(OperatingRegion):
    """A DC motor, with or without brushes, seen as one circuit between two terminals and a shaft.

    Its equations are those of `DcEquations` at the reference temperature; `at` gives them for a warm one. Constants
    that are left out are undefined, and equations that need them raise an error.

    Args:
        rotor_inertia: I_rotor, about the shaft, kg m^2.
        torque_constant: k_t, N m/A; in SI also the voltage constant, V s/rad.
        resistance: R, between the terminals, ohm.
        inductance: L, between the terminals, H; 0 if the current follows the voltage at once.
        friction: of bearings and brushes, independent of the speed, N m: k_t times the no-load current.
        damping: viscous friction of the shaft, N m s/rad.
        limits: of voltage, current, torque and speed.
        cogging: the torque of magnets on iron.
        thermal: the thermal model of its temperatures.
        mass: of the whole motor, kg, for `armdyn.sizing`, which puts it on the links. An `Actuator` puts those of its
            ``stator`` and ``rotor`` there.

    >>> from armdyn.actuators import Motor, MotorLimits
    >>> motor = Motor(torque_constant=0.0302, resistance=0.299, limits=MotorLimits(voltage=24.0))
    >>> round(motor.no_load_speed(), 1), round(motor.stall_torque(), 2)
    (794.7, 2.42)
    """

    rotor_inertia: float = 0.0
    _: dataclasses.KW_ONLY
    torque_constant: float | None = None
    resistance: float | None = None
    inductance: float = 0.0
    friction: float = 0.0
    damping: float = 0.0
    limits: MotorLimits = field(default_factory=MotorLimits)
    cogging: Cogging | None = None
    thermal: Thermal | None = None
    mass: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (("torque_constant", "N m/A"), ("resistance", "ohm")):
            if getattr(self, name) is not None:
                check_numbers(self, {name: unit}, above=0.0)
        check_numbers(self, UNITS, least=0.0)
        for name, kind in (("limits", MotorLimits), ("cogging", Cogging | None), ("thermal", Thermal | None)):
            if not isinstance(getattr(self, name), kind):
                raise DTypeError(
                    f"{name} of Motor is {excerpt(getattr(self, name))}; expected an armdyn.actuators."
                    f"{'MotorLimits' if name == 'limits' else name.capitalize()}"
                )

    @classmethod
    def from_data_sheet(cls, **entries: Any) -> Motor:
        """A motor from the entries of its data sheet, with their units, by `armdyn.actuators.data_sheet.read`."""
        from armdyn.actuators.data_sheet import read  # noqa: PLC0415 - which makes motors

        return read(**entries)

    @property
    def k_t(self) -> float:
        """The torque constant, N m/A."""
        return self._require("torque_constant", "N m/A")

    @property
    def R(self) -> float:
        """The resistance at the reference temperature, ohm."""
        return self._require("resistance", "ohm")

    @property
    def voltage_constant(self) -> float:
        """k_e, V s/rad: equal to k_t."""
        return self.k_t

    @property
    def speed_constant(self) -> float:
        """1/k_t, rad/s per volt."""
        return 1.0 / self.k_t

    @property
    def without_friction(self) -> Motor:
        """The motor without friction and damping of its shaft."""
        return dataclasses.replace(self, friction=0.0, damping=0.0)

    def _require(self, name: str, unit: str) -> float:
        value: float | None = getattr(self, name)
        if value is None:
            raise ModelError(f"{name} of Motor is not given; the equation needs it, in {unit}: Motor({name}=...)")
        return value

    # At a voltage, V_max if None

    def no_load_speed(self, voltage: float | None = None) -> float:
        """w_0 = V/k_t, rad/s; less with friction of the shaft: (V - R friction/k_t) / (k_t + R damping/k_t)."""
        driving = self._volts(voltage) - self.R * self.friction / self.k_t
        return max(0.0, driving) / (self.k_t + self.R * self.damping / self.k_t)

    def no_load_current(self, voltage: float | None = None) -> float:
        """The no-load current, A: that which friction of the shaft takes at the no-load speed."""
        return self.steady_current(self._volts(voltage), self.no_load_speed(voltage))  # type: ignore[no-any-return]

    def stall_current(self, voltage: float | None = None) -> float:
        """V/R, A."""
        return self._volts(voltage) / self.R

    def stall_torque(self, voltage: float | None = None) -> float:
        """k_t V/R, N m."""
        return self.k_t * self.stall_current(voltage)

    def maximum_power(self, voltage: float | None = None) -> float:
        """The largest power of the shaft, W: at half the no-load speed, V^2/(4 R) without friction."""
        return 0.25 * (self.stall_torque(voltage) - self.friction) * self.no_load_speed(voltage)

    def maximum_efficiency(self, voltage: float | None = None) -> float:
        """The largest efficiency at a voltage: (1 - sqrt(I_0/I_stall))^2 for a friction that is constant in speed.

        With x = V - k_t w = R I the shaft's power is a0 + a1 x + a2 x^2, and the efficiency R/V of that over x.
        """
        V, k, b = self._volts(voltage), self.k_t, self.damping
        a0 = -V / k * (self.friction + b * V / k)
        a1 = V / self.R + (self.friction + 2.0 * b * V / k) / k
        a2 = -1.0 / self.R - b / k**2
        runs = self.no_load_speed(voltage) > 0.0
        return self.R / V * (a1 - 2.0 * math.sqrt(a0 * a2)) if runs else 0.0

    def speed_torque_curve(self, voltage: float | None = None, points: int = 2) -> Array:
        """The line from no torque to stall, shape (points, 2): k_t I, N m, and w, rad/s."""
        torques = np.linspace(0.0, self.stall_torque(voltage), whole_number("points", points, least=2))
        return np.column_stack([torques, self.speed(self._volts(voltage), torques)])

    def _volts(self, voltage: float | None) -> float:
        if voltage is None:
            voltage = self.limits.voltage
            if math.isinf(voltage):
                raise ModelError("no voltage is given, and the motor has no limits.voltage; give one, V")
        return number("voltage", voltage, above=0.0, unit="V")

    # Rated: the continuous current at V_max

    @property
    def lasting_current(self) -> float:
        """The continuous current, A: that of the limits, or else the largest that the thermal model admits."""
        of_limits = super().lasting_current
        if self.thermal is None or self.resistance is None or math.isfinite(self.limits.continuous_current):
            return of_limits
        return min(self.continuous_current(), of_limits)

    @property
    def rated_current(self) -> float:
        """The continuous current, A: that of the limits, or that of the thermal model; never infinite."""
        result = self.lasting_current
        if math.isinf(result):
            raise ModelError("the motor has no limits.continuous_current and no thermal.winding_limit; give one")
        return result

    @property
    def rated_speed(self) -> float:
        """w_cont, rad/s: on the speed-torque line of V_max at the continuous torque."""
        return self.speed(self._volts(None), self.torque(self.rated_current))  # type: ignore[no-any-return]

    @property
    def rated_torque(self) -> float:
        """tau_cont of the shaft, N m: k_t I_cont less the shaft's friction."""
        return float(self.shaft_torque(self.rated_current, self.rated_speed))

    @property
    def rated_power(self) -> float:
        """P_rated = tau_cont w_cont, W."""
        return self.rated_torque * self.rated_speed

    # Warm

    def at(self, winding_rise: Scalar = 0.0, housing_rise: Scalar = 0.0) -> DcEquations:
        """The equations of the motor at rises of winding and housing, K above the ambient; numbers and traced scalars.

        Without a thermal model the resistance is that at the ambient, and rises by copper's coefficient.
        """
        if self.thermal is None:
            return WarmMotor(self.k_t, self.R * (1.0 + COPPER * winding_rise), self.L, self.damping, self.friction)
        R = self.R * self.thermal.resistance_factor(winding_rise)
        k_t = self.k_t * self.thermal.torque_factor(housing_rise)
        return WarmMotor(k_t, R, self.L, self.damping, self.friction)

    def continuous_current(self) -> float:
        """The current at which the winding settles at its limit, A; infinite without a limit."""
        thermal = self._thermal()
        hottest = thermal.winding_limit - thermal.ambient
        if math.isinf(hottest):
            return math.inf
        return math.sqrt(hottest / (thermal.to_ambient * self.R * float(thermal.resistance_factor(hottest))))

    def steady_rises(self, current: Scalar) -> Rises:
        """Steady temperatures at a held current, K above the ambient; infinite if they run away."""
        return self._thermal().steady_rises(*self._heating(current))

    def next_rises(self, rises: Rises, current: Scalar, h: Scalar) -> Rises:
        """The temperatures after h seconds at a held current, K above the ambient: exact, R(T) included."""
        power, feedback = self._heating(current)
        return self._thermal().next_rises(rises, power, h, feedback)

    def _heating(self, current: Scalar) -> tuple[Scalar, Scalar]:
        """The heat at the ambient, W, and its rise per K of the winding, W/K."""
        thermal, cold = self._thermal(), self.heat(current)
        return cold * thermal.resistance_factor(0.0), cold * thermal.resistance_coefficient

    def _thermal(self) -> Thermal:
        if self.thermal is None:
            raise ModelError("thermal of Motor is not given; temperatures need it: Motor(thermal=Thermal(...))")
        return self.thermal

    def cogging_torque(self, angle: Scalar) -> Scalar:
        """The torque of the magnets on the iron, N m, at the rotor's angle, rad; 0 without cogging."""
        return 0.0 if self.cogging is None else self.cogging.torque(angle)


@dataclass(frozen=True)
class WarmMotor(DcEquations):
    """The equations of a motor at some temperature; constants may be traced scalars."""

    torque_constant: Scalar
    resistance: Scalar
    inductance: float
    damping: float
    friction: float
