"""The spring of a flexible joint, between the rotor's gear and the link (Modern Robotics 8.9.5)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from armdyn.base.errors import ModelError
from armdyn.base.exact import is_zero
from armdyn.base.fields import check_numbers, set_fields
from armdyn.base.scalars import Scalar
from armdyn.program import maximum, minimum, sign

ITERATIONS = 5
"""Steps of Newton's method: the start is at most 18 % above the root, then 2e-2, 3e-4, 6e-8, 2e-15 and rounding."""


@dataclass(frozen=True)
class Spring:
    """A spring between rotor and link: a force k e + c e^3 + d xd of the deflection x = theta - q.

    theta is the rotor's position as the joint sees it, its own angle divided by the gear's ratio. Without backlash e is
    x. With a backlash b, e = x - b/2 above b/2, x + b/2 below -b/2; between them nothing touches and there is
    no force. The contact is unilateral: the damping never makes the force change its sign.

    Args:
        stiffness: k, of the joint, N m/rad, or N/m of a slide.
        damping: d, of the losses in the spring, N m s/rad, or N s/m of a slide.
        cubic: c, of its stiffening, N m/rad^3, or N/m^3 of a slide.
        backlash: b, the whole width of the backlash at the joint, rad, or m of a slide.

    >>> spring = armdyn.actuators.Spring(stiffness=8000.0, damping=3.0, cubic=1e6)
    >>> spring.force(0.01, 0.0)
    81.0
    >>> loose = armdyn.actuators.Spring(stiffness=8000.0, backlash=0.002)
    >>> [float(loose.force(x, 0.0)) for x in (0.0005, 0.002, -0.002)]
    [0.0, 8.0, -8.0]
    """

    stiffness: float
    damping: float = 0.0
    cubic: float = 0.0
    backlash: float = 0.0

    def __post_init__(self) -> None:
        units = {"stiffness": "N m/rad or N/m", "damping": "N m s/rad or N s/m", "cubic": "N m/rad^3 or N/m^3"}
        units["backlash"] = "rad or m"
        check_numbers(self, units, least=0.0)
        if self.stiffness == 0.0:
            raise ModelError(
                "stiffness of Spring is 0, so that the rotor would not move the link; expected a number above zero, "
                "N m/rad or N/m. A joint without a spring is rigid"
            )

    def with_inputs(self, numbers: Mapping[str, Scalar]) -> Spring:
        """The spring with inputs of a function in place of some of its numbers; they are not checked."""
        changed = copy.copy(self)
        set_fields(changed, **numbers)
        return changed

    @property
    def is_damped(self) -> bool:
        """True if it loses energy, or if its damping is an input of the function."""
        return not is_zero(self.damping)

    @property
    def is_linear(self) -> bool:
        """True if its stiffness is constant in the deflection."""
        return is_zero(self.cubic)

    @property
    def is_loose(self) -> bool:
        """True if it has backlash."""
        return not is_zero(self.backlash)

    @property
    def tight(self) -> Spring:
        """The spring without its backlash."""
        return self.with_inputs({"backlash": 0.0})

    def bending(self, deflection: Scalar) -> Scalar:
        """e, rad or m: the deflection less the backlash, 0 within it."""
        if not self.is_loose:
            return deflection
        half = 0.5 * self.backlash
        return maximum(deflection - half, 0.0) + minimum(deflection + half, 0.0)

    def force(self, deflection: Scalar, rate: Scalar) -> Scalar:
        """k e + c e^3 + d xd, N m or N, in floats and traced alike: the force of the rotor on the link."""
        elastic = self.elastic_force(deflection)
        if not self.is_damped:
            return elastic
        whole = elastic + self.damping * rate
        if not self.is_loose:
            return whole
        e = self.bending(deflection)
        return (e > 0.0) * maximum(whole, 0.0) + (e < 0.0) * minimum(whole, 0.0)

    def pressed_force(self, deflection: Scalar, rate: Scalar, side: Scalar) -> Scalar:
        """The force while rotor and link touch at one end of the backlash, smooth beyond their contact.

        Args:
            deflection: x, rad or m.
            rate: xd, rad/s or m/s.
            side: 1 if the rotor is ahead, -1 at the other end, 0 without contact and force. Without backlash it does
                not count.
        """
        if not self.is_loose:
            return self.force(deflection, rate)
        return side * side * self.tight.force(deflection - 0.5 * self.backlash * side, rate)

    def pressed_elastic_force(self, deflection: Scalar, side: Scalar) -> Scalar:
        """The elastic part of that force; energy still stored at the end of a damped contact is returned too."""
        if not self.is_loose:
            return self.elastic_force(deflection)
        touches, e = side * side, deflection - 0.5 * self.backlash * side
        parted = self.elastic_force(deflection) if self.is_damped else 0.0
        return touches * self.tight.elastic_force(e) + (1.0 - touches) * parted

    def lost_power(self, deflection: Scalar, rate: Scalar) -> Scalar:
        """Power lost in its damping, W."""
        return (self.force(deflection, rate) - self.elastic_force(deflection)) * rate

    def elastic_force(self, deflection: Scalar) -> Scalar:
        """k e + c e^3, N m or N, without the damping."""
        e = self.bending(deflection)
        return self.stiffness * e if self.is_linear else (self.stiffness + self.cubic * (e * e)) * e

    def slope(self, deflection: Scalar) -> Scalar:
        """The stiffness at a deflection, k + 3 c e^2, N m/rad or N/m; within the backlash, that at its border."""
        e = self.bending(deflection)
        return self.stiffness if self.is_linear else self.stiffness + 3.0 * self.cubic * (e * e)

    def slope_rate(self, deflection: Scalar) -> Scalar:
        """The derivative of the stiffness by the deflection, 6 c e, N m/rad^2 or N/m^2."""
        return 6.0 * self.cubic * self.bending(deflection)

    def energy(self, deflection: Scalar) -> Scalar:
        """Elastic energy k e^2/2 + c e^4/4, J."""
        e = self.bending(deflection)
        square = e * e
        return (0.5 * self.stiffness + 0.25 * self.cubic * square) * square

    def deflection(self, force: Scalar) -> Scalar:
        """The deflection of an elastic force, rad or m: the root of k e + c e^3 = f, and b/2 to the side of the force.

        With e = (f/k) g and u = c f^2/k^3 it is g + u g^3 = 1, which has one root. (1 + u)^(-1/3) lies above it, and
        from there Newton's steps fall to it without cancellation. Without a force it is 0, the middle of the backlash.

        >>> spring = armdyn.actuators.Spring(stiffness=8000.0, cubic=1e6)
        >>> round(float(spring.deflection(81.0)), 15)
        0.01
        """
        if self.is_loose:
            return self.tight.deflection(force) + 0.5 * self.backlash * sign(force)
        linear = force / self.stiffness
        if self.is_linear:
            return linear
        u = (self.cubic / self.stiffness) * (linear * linear)
        g = (1.0 + u) ** (-1.0 / 3.0)
        for _ in range(ITERATIONS):
            square = u * (g * g)
            g = (1.0 + 2.0 * square * g) / (1.0 + 3.0 * square)
        return linear * g
