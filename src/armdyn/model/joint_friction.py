"""Viscous and Coulomb friction of a joint: damping qd + friction sign(qd).

A joint has its own numbers (`armdyn.Joint`), and its actuator has laws; `FrictionLaw.joint_friction` is the part of
them that two numbers state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class JointFriction(NamedTuple):
    """Viscous friction, N m s/rad or N s/m, and Coulomb friction, N m or N.

    >>> from armdyn.model.joint_friction import JointFriction
    >>> print(JointFriction(0.5, 2.0).plus(JointFriction(0.1, 0.0)))
    damping 0.6 and friction 2
    """

    damping: float = 0.0
    friction: float = 0.0

    def __str__(self) -> str:
        return f"damping {self.damping:g} and friction {self.friction:g}"

    def plus(self, other: JointFriction) -> JointFriction:
        """The sum with the friction of another part of the same joint."""
        return JointFriction(self.damping + other.damping, self.friction + other.friction)

    @classmethod
    def of_laws(cls, laws: Iterable[FrictionLawLike]) -> JointFriction:
        """The sums of the laws `Viscous` and `Coulomb`; laws of another form add nothing."""
        stated = [numbers for law in laws if (numbers := law.joint_friction) is not None]
        return cls(sum(numbers.damping for numbers in stated), sum(numbers.friction for numbers in stated))


class FrictionLawLike(Protocol):
    """A friction law, e.g. an `armdyn.actuators.FrictionLaw`, as far as sums read it."""

    @property
    def joint_friction(self) -> JointFriction | None:
        """Its two numbers; None if it has another form."""
