"""Base of friction laws with a state of their own, whose force depends on the path of the joint."""

from __future__ import annotations

from abc import abstractmethod

from armdyn.actuators.dry import DryFriction
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.scalars import Scalar
from armdyn.model.friction import FrictionLaw


class FrictionWithState(DryFriction):
    """Friction of an element that deflects by z before the joint slips.

    `armdyn.simulate` and `armdyn.ClosedLoop` integrate z as the state ``bristles`` together with q and qd. Functions of
    one state alone, e.g. `Robot.inverse_dynamics`, use the friction at a steady velocity.
    """

    @property
    def elements(self) -> int | None:
        """The number of entries of z, an array of shape (elements,); None if z is one number."""
        return None

    @abstractmethod
    def state_rate(self, z: Scalar, rate: Scalar, load: Scalar = 0.0) -> Scalar:
        """dz/dt, rad/s or m/s.

        Args:
            z: the deflection, rad or m.
            rate: qd, rad/s or m/s.
            load: without effect in laws with a state, N m or N.
        """

    @abstractmethod
    def state_along(self, z: Scalar, moved: Scalar, speed: Scalar) -> Scalar:
        """z after a motion in one direction at one speed: exact for any length and stiffness.

        Args:
            z: the deflection before, rad or m.
            moved: the change of q, rad or m.
            speed: |qd|, rad/s or m/s, if the law depends on it.
        """

    def state_after(self, z: Scalar, rate: Scalar, load: Scalar, h: Scalar) -> Scalar:
        """z after a step of length h, s, during which qd keeps its value: exact; arguments as of `state_rate`."""
        return self.state_along(z, rate * h, abs(rate))

    @abstractmethod
    def force_with(self, z: Scalar, rate: Scalar = 0.0, load: Scalar = 0.0) -> Scalar:
        """F at a deflection z, N m or N; arguments as of `state_rate`."""

    @abstractmethod
    def energy(self, z: Scalar) -> Scalar:
        """Elastic energy of the deflection, J; the work of F less the change of this energy is dissipated."""


def refuse_state(subject: str, law: FrictionLaw) -> None:
    """Raise a ModelError if a law inside another has a state, because nothing would integrate that state."""
    if isinstance(law, FrictionWithState):
        raise ModelError(
            f"{subject} is {excerpt(law)}, which has a state of its own, and inside another law nothing carries it; "
            f"expected a law without one, such as Coulomb(2.0) or Stribeck(3.0, 2.0, 0.1). Give the "
            f"{type(law).__name__} to the Actuator itself, alone or in a list: Actuator(friction=[...])"
        )
