"""The equations of a DC motor between its terminals and its shaft (Modern Robotics 8.9.1)."""

from __future__ import annotations

import math

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.program import clip, greater, select, sign


class DcEquations:
    """tau = k_t I and V = k_t w + R I + L dI/dt (8.103), and their consequences; for numbers, arrays, traced scalars.

    Torque is the electromagnetic one, k_t I, and speed that of the rotor against the stator. The shaft gives
    ``shaft_torque``: k_t I less the friction of bearings and brushes. In SI the constants of torque and of voltage are
    one number.
    """

    torque_constant: Scalar
    resistance: Scalar
    inductance: Scalar
    damping: float
    friction: float

    @property
    def k_t(self) -> Scalar:
        """The torque constant, N m/A, which is the voltage constant, V s/rad."""
        return self.torque_constant

    @property
    def R(self) -> Scalar:
        """The resistance between the terminals, ohm."""
        return self.resistance

    @property
    def L(self) -> Scalar:
        """The inductance between the terminals, H."""
        return self.inductance

    def torque(self, current: Scalar) -> Scalar:
        """k_t I, N m."""
        return self.k_t * current

    def current(self, torque: Scalar) -> Scalar:
        """I = tau / k_t, A: the current command of a torque (8.9.2)."""
        return torque / self.k_t

    def voltage(self, current: Scalar, speed: Scalar, current_rate: Scalar = 0.0) -> Scalar:
        """V = k_t w + R I + L dI/dt, V (8.103); without the last term if the current is steady."""
        return self.k_t * speed + self.R * current + self.L * current_rate

    def steady_current(self, voltage: Scalar, speed: Scalar) -> Scalar:
        """The steady current (V - k_t w) / R, A; reached at once without inductance."""
        return (voltage - self.k_t * speed) / self.R

    def current_rate(self, current: Scalar, voltage: Scalar, speed: Scalar) -> Scalar:
        """dI/dt = (V - k_t w - R I) / L, A/s."""
        return (voltage - self.k_t * speed - self.R * current) / self.L

    def next_current(
        self, current: Scalar, voltage: Scalar, speed: Scalar, h: Scalar, rate_limit: float = math.inf
    ) -> Scalar:
        """The current after h seconds at a voltage and speed that are held, A: exact.

        I + (I_steady - I) (1 - exp(-h/T)) with T = L/R. A limit of the rate bounds dI/dt at the beginning, as MuJoCo's
        dcmotor does; without inductance it bounds the change to ``rate_limit`` h.
        """
        reached = 1.0 if self.L == 0.0 else 1.0 - np.exp(-h * (self.R / self.L))
        change = (self.steady_current(voltage, speed) - current) * reached
        if math.isinf(rate_limit):
            return current + change
        largest = rate_limit * (h if self.L == 0.0 else self.L / self.R * reached)
        return current + clip(change, -largest, largest)

    def voltage_for(self, target: Scalar, current: Scalar, speed: Scalar, h: Scalar) -> Scalar:
        """The voltage, held for h seconds, after which the current is the wanted one, V."""
        if self.L == 0.0:
            return self.voltage(target, speed)
        decay = np.exp(-h * (self.R / self.L))
        return self.voltage((target - decay * current) / (1.0 - decay), speed)

    def speed(self, voltage: Scalar, torque: Scalar) -> Scalar:
        """w = V/k_t - (R/k_t^2) tau, rad/s, at a steady current: the speed-torque line."""
        return voltage / self.k_t - self.R / self.k_t**2 * torque

    def friction_torque(self, speed: Scalar) -> Scalar:
        """Friction torque of the shaft, N m: friction sign(w) + damping w."""
        return self.friction * sign(speed) + self.damping * speed

    def shaft_torque(self, current: Scalar, speed: Scalar) -> Scalar:
        """k_t I less the shaft's friction, N m: the torque that accelerates the rotor and drives the load."""
        return self.torque(current) - self.friction_torque(speed)

    def heat(self, current: Scalar) -> Scalar:
        """The heat I^2 R of the winding, W."""
        return current**2 * self.R

    def electrical_power(self, current: Scalar, speed: Scalar, current_rate: Scalar = 0.0) -> Scalar:
        """V I, W: taken from the supply, or returned to it if negative."""
        return self.voltage(current, speed, current_rate) * current

    def magnetic_energy(self, current: Scalar) -> Scalar:
        """L I^2 / 2, J: stored in the inductance."""
        return 0.5 * self.L * current**2

    def efficiency(self, shaft_torque: Scalar, speed: Scalar) -> Scalar:
        """Efficiency at a steady speed: power out over power in, between 0 and 1.

        Mechanical over electrical power if the motor drives, electrical over mechanical if it generates, and 0 if both
        enter and become heat.
        """
        current = self.current(shaft_torque + self.friction_torque(speed))
        electrical, mechanical = self.electrical_power(current, speed), shaft_torque * speed
        passes = greater(electrical * mechanical, 0.0)
        drives = greater(mechanical, 0.0)
        power_out, power_in = select(drives, mechanical, electrical), select(drives, electrical, mechanical)
        return select(passes, power_out / select(passes, power_in, 1.0), 0.0)
