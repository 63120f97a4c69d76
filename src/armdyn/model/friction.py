"""The base of all friction laws of a joint; viscous and Coulomb friction are numbers of the joint itself.

The laws are in `armdyn.actuators`, each a class with its data and its equations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import ModelError, excerpt
from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.joint_friction import JointFriction

TINY = float(np.finfo(np.float32).tiny)
"""rad/s or m/s: the velocity of a joint that begins to slip; the least that float32 distinguishes from rest."""


class Slopes(NamedTuple):
    """The derivatives of a friction force by the joint's velocity and by the load that its gear transmits."""

    by_rate: Scalar
    by_load: Scalar


class LoadLine(NamedTuple):
    """The straight line of the load that touches a law's force at one load, for Newton's method.

    For a joint force t before the friction, t = l + c + s l, the load l = gain t - offset reaches the links.

    Args:
        gain: 1/(1 + s).
        offset: c/(1 + s), N m or N.
        piece: a number that is the same on the same line, and differs on others: s, or another one.
    """

    gain: Scalar
    offset: Scalar
    piece: Scalar

    @classmethod
    def through(cls, force: Scalar, slope: Scalar, load: Scalar) -> LoadLine:
        """The line of a force and its slope at a load."""
        gain = 1.0 / (1.0 + slope)
        return cls(gain, gain * (force - slope * load), slope)


class FrictionLaw(ABC):
    """A force that opposes a joint's motion: a function of its velocity, and perhaps of the load on its gear.

    A law is one class: a frozen dataclass of names, numbers and tuples of these. The drive provides the force in
    addition to those that move the links, so a force of the sign of the velocity dissipates energy.
    """

    depends_on_load: bool = False
    """True if the force depends on the load as well."""

    lines: int | None = None
    """The force of one direction over the load: the largest of this many straight lines; None for a curve."""

    @abstractmethod
    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """The friction force, N m or N, for floats and traced scalars; 0, the middle of its range, at rest.

        Args:
            rate: qd, the joint's velocity, rad/s or m/s.
            load: force that the joint transmits to its links, N m or N: its share of M qdd + h + J^T f_tip.
        """

    @abstractmethod
    def slopes(self, rate: Scalar, load: Scalar) -> Slopes:
        """The derivatives of `force`; the mean of both sides at a kink."""

    def line(self, rate: Scalar, load: Scalar) -> LoadLine:
        """The straight line of the load that touches `force`; at a kink that of either side."""
        return LoadLine.through(self.force(rate, load), self.slopes(rate, load).by_load, load)

    @abstractmethod
    def breakaway(self, load: Scalar) -> Scalar:
        """The largest force, N m or N, that it takes at rest before the joint moves: 0 if it never sticks."""

    def sliding(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The force of dry friction while a joint slips in a direction, N m or N.

        Args:
            direction: 1 forwards, -1 backwards; 0 for a joint that is held, which has force 0.
            speed: in that direction, rad/s or m/s; 0 for one that begins to slip.
            load: force that the joint transmits to its links, N m or N.
        """
        return self.force(direction * (speed + TINY), load)

    def sliding_slope(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The derivative of `sliding` by the load."""
        return self.slopes(direction * (speed + TINY), load).by_load

    def sliding_line(self, direction: Scalar, speed: Scalar, load: Scalar) -> LoadLine:
        """The straight line of the load that touches `sliding`."""
        slope = self.sliding_slope(direction, speed, load)
        return LoadLine.through(self.sliding(direction, speed, load), slope, load)

    @property
    def joint_friction(self) -> JointFriction | None:
        """The force as damping qd + friction sign(qd), one of the two 0; None for a law of another form."""
        return None

    def at_rest(self, load: Scalar) -> tuple[Scalar, Scalar]:
        """The least and the largest force, N m or N, that it may have at rest; the drive provides load + this."""
        return -self.breakaway(load), self.breakaway(load)


def check_load(subject: str, law: FrictionLaw) -> None:
    """Raise a ModelError if the force differs between loads and `FrictionLaw.depends_on_load` is False."""
    if law.depends_on_load:
        return
    forces = [[law.force(rate, load) for load in (0.0, 1.3, -2.1)] for rate in (0.7, -0.7)]
    if any(of_rate.count(of_rate[0]) < len(of_rate) for of_rate in forces):
        raise ModelError(
            f"{subject} has {excerpt(law)}, whose force depends on the load; set depends_on_load = True in its class, "
            "for forward dynamics gives the load to such laws alone"
        )


def is_dry(law: FrictionLaw) -> bool:
    """True if a law can hold a joint at rest, with or without load; a law whose numbers are inputs can."""
    loads = (0.0, 1.0, -1.0) if law.depends_on_load else (0.0,)
    return not all(is_zero(bound) for load in loads for bound in law.at_rest(load))
