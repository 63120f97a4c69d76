"""Hysteresis of a transmission: springs that slip, side by side (Iwan 1966; Lampaert, Swevers and Al-Bender 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.checks import number
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar
from armdyn.program import less, maximum, minimum, select
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class MaxwellSlip(FrictionWithState):
    """Maxwell slip (Iwan) friction of parallel elements, each a spring that slips at its largest force.

        dz_i/dt = qd where |k_i z_i| < c_i or z_i qd < 0, else 0,    F = sum k_i z_i

    z is a state, which `armdyn.simulate` and `armdyn.ClosedLoop` integrate together with q and qd, as of `LuGre`. F
    depends on the path of q alone and not on the speed along it. From rest it follows the curve f(x) = sum min(k_i x,
    c_i); after a reversal at F_r it continues by F_r - 2 f(x/2), by Masing's rule. Functions of one state alone use the
    friction while all elements slip, sum c_i sign(qd).

    Args:
        stiffnesses: k_i, N m/rad or N/m.
        forces: c_i, at which they slip, N m or N.

    Raises:
        ModelError: no elements, lists of different lengths, or a number that is not above zero.

    >>> law = armdyn.actuators.MaxwellSlip(stiffnesses=[400.0, 100.0], forces=[2.0, 1.0])
    >>> z = law.state_along(law.unbent, 0.006)
    >>> round(float(law.force_with(z)), 12)  # the first slips
    2.6
    >>> round(float(law.force_with(law.state_along(z, -0.002))), 12)
    1.6
    """

    stiffnesses: Sequence[float]
    forces: Sequence[float]

    def __post_init__(self) -> None:
        for name, unit in (("stiffnesses", "N m/rad or N/m"), ("forces", "N m or N")):
            value = getattr(self, name)
            if not isinstance(value, list | tuple | np.ndarray) or len(value) == 0:
                raise ModelError(f"{name} of MaxwellSlip are {excerpt(value)}; expected one number an element, {unit}")
            values = (number(f"{name} of MaxwellSlip", one, above=0.0, unit=unit) for one in value)
            set_fields(self, **{name: tuple(values)})
        if len(self.stiffnesses) != len(self.forces):
            raise ModelError(
                f"MaxwellSlip has {len(self.stiffnesses)} stiffnesses and {len(self.forces)} forces; expected one of "
                "each an element"
            )

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """sum c_i, N m or N, while all elements slip."""
        return sum(self.forces)

    @property
    def unbent(self) -> Array:
        """z of elements without a force, zeros of shape (elements,)."""
        return np.zeros(len(self.forces))

    @property
    def elements(self) -> int:
        """The number of elements."""
        return len(self.forces)

    @property
    def _limits(self) -> list[float]:
        """c_i/k_i, rad or m."""
        return [c / k for k, c in zip(self.stiffnesses, self.forces, strict=True)]

    def state_rate(self, z: Scalar, rate: Scalar, load: Scalar = 0.0) -> Array:
        """dz/dt, rad/s or m/s, shape (elements,): qd of elements that stick, 0 of those that slip.

        Args:
            z: the elements' deflection, rad or m, shape (elements,).
            rate: qd, rad/s or m/s.
            load: without effect in this law, N m or N.
        """
        return np.array(
            [
                rate * select(less(abs(one), most), 1.0, less(one * rate, 0.0))
                for one, most in zip(z, self._limits, strict=True)
            ]
        )

    def state_along(self, z: Scalar, moved: Scalar, speed: Scalar = 0.0) -> Array:
        """z after a motion in one direction, rad or m, shape (elements,): exact for any length.

        Args:
            z: the elements' deflection, rad or m, shape (elements,).
            moved: the change of q, rad or m.
            speed: without effect in this law, rad/s or m/s.
        """
        pairs = zip(z, self._limits, strict=True)
        return np.array([minimum(maximum(one + moved, -most), most) for one, most in pairs])

    def force_with(self, z: Scalar, rate: Scalar = 0.0, load: Scalar = 0.0) -> Scalar:
        """F, N m or N, at deflections z of the elements, shape (elements,); independent of the other arguments."""
        return sum(k * one for k, one in zip(self.stiffnesses, z, strict=True))

    def energy(self, z: Scalar) -> Scalar:
        """The energy stored in the springs, sum k_i z_i^2/2, J."""
        return sum(0.5 * k * one * one for k, one in zip(self.stiffnesses, z, strict=True))
