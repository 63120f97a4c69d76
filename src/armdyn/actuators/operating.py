"""The regions of speed and torque that a motor can run in (Modern Robotics 8.9.1, figs. 8.12 and 8.13)."""

from __future__ import annotations

import math

import numpy as np

from armdyn.actuators.electrical import DcEquations
from armdyn.actuators.limits import MotorLimits
from armdyn.base.checks import number
from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.program import greater, less_equal, select
from armdyn.spatial.rotations import Array


class OperatingRegion(DcEquations):
    """The torques k_t I and speeds w that the limits of a motor admit."""

    limits: MotorLimits

    @property
    def lasting_current(self) -> float:
        """The continuous current of the motor, A; infinite without a limit."""
        return min(self.limits.continuous_current, self.limits.current)

    def torque_limit(self, *, continuous: bool = False) -> float:
        """The largest |tau|, N m: k_t I_max, or the limit of the shaft; optionally the continuous one."""
        current = self.lasting_current if continuous else self.limits.current
        return float(min(self.limits.torque, self.k_t * current))

    def runs(self, torque: Scalar, speed: Scalar, *, continuous: bool = False) -> Scalar:
        """1 if the limits admit a torque and speed, else 0; numbers, arrays and traced scalars.

        |tau| <= k_t I_max, |k_t w + R tau/k_t| <= V_max and |w| <= w_max.

        Args:
            torque: k_t I, N m.
            speed: w, rad/s.
            continuous: admit the point for continuous operation, within `lasting_current`, not only for a short time.
        """
        inside = less_equal(abs(torque), self.torque_limit(continuous=continuous))
        inside = inside * less_equal(abs(self.voltage(self.current(torque), speed)), self.limits.voltage)
        return inside * less_equal(abs(speed), self.limits.speed)

    def quadrant(self, torque: Scalar, speed: Scalar) -> Scalar:
        """The quadrant, 1 to 4, of torque and speed: the motor drives in 1 and 3, and is driven in 2 and 4.

        In 2 and 4 it takes mechanical power (tau w < 0). An axis belongs to the quadrant before it, both to 1.
        """
        right, up = 1.0 - greater(0.0, torque), 1.0 - greater(0.0, speed)
        return select(up, select(right, 1.0, 2.0), select(right, 4.0, 3.0))

    def region(self, *, continuous: bool = False, gear_ratio: float = 1.0) -> Array:
        """The corners of the operating region, counter-clockwise from the upper right, shape (corners, 2).

        Columns are torque, N m, and speed, rad/s. After a gear without loss torques are G times as large and speeds
        are divided by G. Without a limit of torque or current it ends at the stall torque.

        Args:
            continuous: the region of continuous operation.
            gear_ratio: G.

        Raises:
            ModelError: without a limit of the voltage.

        >>> from armdyn.actuators import Motor, MotorLimits
        >>> Motor(torque_constant=0.1, resistance=1.0, limits=MotorLimits(voltage=10.0, current=5.0)).region().round(6)
        array([[   0.5,   50. ],
               [  -0.5,  150. ],
               [  -0.5,  -50. ],
               [   0.5, -150. ]])
        """
        if number("gear_ratio", gear_ratio) == 0.0:
            raise ModelError("gear_ratio is 0; expected the turns of the motor for one behind the gear")
        if math.isinf(self.limits.voltage):
            raise ModelError("a motor without limits.voltage has no region; give MotorLimits(voltage=...), V")
        V, fastest, slope = self.limits.voltage / self.k_t, self.limits.speed, self.R / self.k_t**2
        largest = self.torque_limit(continuous=continuous)
        largest = min(V / slope if math.isinf(largest) else largest, (V + fastest) / slope)
        # Upper edge, by torque from right to left: V/k_t - R tau/k_t^2, cut at w_max; the lower edge is its mirror.
        kink = (V - fastest) / slope
        torques = [largest, *([kink] if -largest < kink < largest else []), -largest]
        upper = np.array([(tau, min(V - slope * tau, fastest)) for tau in torques])
        corners = np.concatenate([upper, -upper])
        return corners * (abs(gear_ratio), 1.0 / abs(gear_ratio))
