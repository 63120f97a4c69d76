"""What laws with a state of their own share: friction that hangs on how the joint came to where it is."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from armdyn.actuators.dry import DryFriction
from armdyn.errors import ModelError, shown
from armdyn.model.friction import FrictionLaw


class FrictionWithState(DryFriction):
    """Friction of something that bends by z before the joint slips.

    `armdyn.simulate` and `armdyn.ClosedLoop` carry z as the state ``bristles`` beside q and qd. Functions of one state
    alone, such as `Robot.inverse_dynamics`, count what remains at a steady velocity.
    """

    @property
    def elements(self) -> int | None:
        """How many numbers z has, an array of shape (elements,); None where z is one number."""
        return None

    @abstractmethod
    def state_rate(self, z: Any, rate: Any, load: Any = 0.0) -> Any:
        """dz/dt, rad/s or m/s.

        Args:
            z: the bending, rad or m.
            rate: qd, rad/s or m/s.
            load: of no effect in laws with a state, N m or N.
        """

    @abstractmethod
    def state_along(self, z: Any, moved: Any, speed: Any) -> Any:
        """z after a motion in one direction at one speed: exact, however long and however stiff what bends is.

        Args:
            z: the bending before, rad or m.
            moved: how far q went, rad or m.
            speed: |qd|, rad/s or m/s, where the law depends on it.
        """

    def state_after(self, z: Any, rate: Any, load: Any, h: Any) -> Any:
        """z after a step of length h, s, during which qd keeps its value: exact; arguments as of `state_rate`."""
        return self.state_along(z, rate * h, abs(rate))

    @abstractmethod
    def force_with(self, z: Any, rate: Any = 0.0, load: Any = 0.0) -> Any:
        """F at a bending z, N m or N; arguments as of `state_rate`."""

    @abstractmethod
    def energy(self, z: Any) -> Any:
        """What is stored in the bending, J; the work of F less what this grows by is lost."""


def refuse_state(what: str, law: FrictionLaw) -> None:
    """Raise a ModelError where a law inside another has a state: nobody would carry it, and nothing would bend."""
    if isinstance(law, FrictionWithState):
        raise ModelError(
            f"{what} is {shown(law)}, which has a state of its own, and inside another law nothing carries it; "
            f"expected a law without one, such as Coulomb(2.0) or Stribeck(3.0, 2.0, 0.1). Give the "
            f"{type(law).__name__} to the Actuator itself, alone or in a list: Actuator(friction=[...])"
        )
