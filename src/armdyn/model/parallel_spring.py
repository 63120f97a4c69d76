"""Springs in parallel with the drive of a joint: forces that depend only on the joint's position.

A torsion spring at a shoulder, the balancer of a palletiser, a leaf that bends with a joint: between the two links of
the joint acts a force that has an energy E(q), independent of the drive of the joint. The drive provides s(q) = dE/dq
in addition:

    tau = M qdd + c + g + s + tau_fric.

The springs of flexible joints are different: they are in series, between a rotor and its link
    (`armdyn.actuators.Spring`).
"""

from __future__ import annotations

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from armdyn.base.checks import number
from armdyn.base.fields import check_numbers, set_fields
from armdyn.base.scalars import Scalar


class ParallelSpring(ABC):
    """The base of all springs in parallel with the drive of a joint: a force of the joint's position.

    A spring is one class: a frozen dataclass of numbers. Its three functions accept floats and traced scalars, so
    that energy accounts, derivatives, rollouts and exports follow from them. A torsion bar with end stops, the detent
    of a selector, a cable that only pulls are custom classes:

    >>> @dataclasses.dataclass(frozen=True)
    ... class Detent(armdyn.actuators.ParallelSpring):
    ...     size: float
    ...     def force(self, position):
    ...         return self.size * np.sin(6.0 * position)
    ...     def slope(self, position):
    ...         return 6.0 * self.size * np.cos(6.0 * position)
    ...     def energy(self, position):
    ...         return self.size / 6.0 * (1.0 - np.cos(6.0 * position))
    >>> arm = armdyn.load("planar_2r").with_parallel_springs({"joint_2": Detent(2.0)})
    >>> arm.parallel_spring_forces([0.0, 0.1]).round(3)
    array([0.   , 1.129])
    """

    kinds: ClassVar[tuple[str, ...]] = ("revolute", "prismatic")
    """The kinds of joints that it can act at."""

    @abstractmethod
    def force(self, position: Scalar) -> Scalar:
        """The force s = dE/dq that the drive provides against the spring, N m or N.

        Args:
            position: of the joint, rad or m.
        """

    @abstractmethod
    def slope(self, position: Scalar) -> Scalar:
        """The stiffness ds/dq at a position, N m/rad or N/m.

        Args:
            position: of the joint, rad or m.
        """

    @abstractmethod
    def energy(self, position: Scalar) -> Scalar:
        """The stored energy E, J.

        Args:
            position: of the joint, rad or m.
        """

    @property
    def numbers(self) -> Mapping[str, float]:
        """The fields that are floats, by name: each may be an input of a compiled function."""
        fields: tuple[Scalar, ...] = dataclasses.fields(self) if dataclasses.is_dataclass(self) else ()
        names = [field.name for field in fields]
        return {name: getattr(self, name) for name in names if isinstance(getattr(self, name), float)}

    def with_inputs(self, numbers: Mapping[str, Scalar]) -> ParallelSpring:
        """The spring with inputs of a function in place of some of its numbers; they are not checked."""
        changed = copy.copy(self)
        set_fields(changed, **numbers)
        return changed


@dataclass(frozen=True)
class JointSpring(ParallelSpring):
    """A spring about a joint's axis, or along it: s = k e + k1 e^2 + k2 e^3 with e = q - rest.

    With k1 and k2 it is the spring of MuJoCo's ``stiffness="k k1 k2"`` and ``springref``.

    Args:
        stiffness: k, N m/rad, or N/m for a slide.
        rest: the position without force, rad or m.
        quadratic: k1, N m/rad^2, or N/m^2 for a slide: it makes one direction stiffer than the other.
        cubic: k2, N m/rad^3, or N/m^3 for a slide.

    >>> spring = armdyn.actuators.JointSpring(12.0, rest=-0.4)
    >>> round(spring.force(0.1), 12), round(spring.energy(0.1), 12)
    (6.0, 1.5)
    """

    stiffness: float
    rest: float = 0.0
    quadratic: float = 0.0
    cubic: float = 0.0

    def __post_init__(self) -> None:
        units = {"rest": "rad or m", "quadratic": "N m/rad^2 or N/m^2", "cubic": "N m/rad^3 or N/m^3"}
        stiffness = number("stiffness of JointSpring", self.stiffness, least=0.0, unit="N m/rad or N/m")
        set_fields(self, stiffness=stiffness)
        check_numbers(self, units)

    def force(self, position: Scalar) -> Scalar:
        """k e + k1 e^2 + k2 e^3, N m or N."""
        e = position - self.rest
        return (self.stiffness + (self.quadratic + self.cubic * e) * e) * e

    def slope(self, position: Scalar) -> Scalar:
        """k + 2 k1 e + 3 k2 e^2, N m/rad or N/m."""
        e = position - self.rest
        return self.stiffness + (2.0 * self.quadratic + 3.0 * self.cubic * e) * e

    def energy(self, position: Scalar) -> Scalar:
        """k e^2/2 + k1 e^3/3 + k2 e^4/4, J."""
        e = position - self.rest
        return (0.5 * self.stiffness + (self.quadratic / 3.0 + 0.25 * self.cubic * e) * e) * (e * e)
