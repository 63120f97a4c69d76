"""Losses of a gear in proportion to the power that it transmits (Modern Robotics 8.9.2)."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.dry import DryFriction
from armdyn.base.checks import as_float, divisor
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar
from armdyn.model.friction import LoadLine, Slopes
from armdyn.program import less, maximum, minimum, select, sign


@dataclass(frozen=True)
class GearLoss(DryFriction):
    """Friction (1/eta - 1) |load| if the joint drives its load, (1 - eta_b) |load| if the load drives the joint.

    So the drive gives load/eta if load qd > 0, and eta_b load if load qd < 0. At rest it may give anything
    between the two before the joint moves; inverse and forward dynamics take no loss there. The inertia of the rotor
    is on the motor's side of the loss: it does not count in the load.

    Args:
        efficiency: eta, the part of the drive's power that reaches the load, above 0, at most 1.
        back_efficiency: eta_b, the part of the load's power that reaches the drive, above 0, at most 1.

    Raises:
        ModelError: an efficiency above one, or not above zero. With a ``back_efficiency`` of zero or below, a
            self-locking gear, which the load cannot drive back, has no unique acceleration in equations of this form:
            its friction is as large as the load or larger.

    >>> loss = armdyn.actuators.GearLoss(efficiency=0.8, back_efficiency=0.5)
    >>> [10.0 + float(loss.force(rate, 10.0)) for rate in (1.0, -1.0)]  # drives; is driven
    [12.5, 5.0]
    >>> [10.0 + float(loss) for loss in loss.at_rest(10.0)]
    [5.0, 12.5]
    """

    efficiency: float
    back_efficiency: float

    depends_on_load = True
    lines = 2

    def __post_init__(self) -> None:
        check_efficiencies(self)

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """(1/eta - 1) L if L > 0, (1 - eta_b) (-L) if L < 0: the larger one."""
        return maximum((1.0 / self.efficiency - 1.0) * load, (self.back_efficiency - 1.0) * load)

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """The loss in proportion to the load; the factor is its slope too."""
        return self.sliding(sign(rate), 0.0, load)

    def slopes(self, rate: Scalar, load: Scalar) -> Slopes:
        """The derivative by the load, at load 0 the mean of both sides; 0 by the velocity."""
        above, below, direction = 1.0 / self.efficiency - 1.0, self.back_efficiency - 1.0, sign(rate)
        part = 0.5 * (above + below) + 0.5 * (above - below) * sign(direction * load)
        return Slopes(0.0, part * (direction * direction))

    def sliding(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The loss while sliding, slope load, N m or N."""
        return self.sliding_slope(direction, speed, load) * load

    def sliding_slope(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """1/eta - 1 if direction load > 0, else eta_b - 1."""
        part = select(less(0.0, direction * load), 1.0 / self.efficiency - 1.0, self.back_efficiency - 1.0)
        return part * (direction * direction)

    def line(self, rate: Scalar, load: Scalar) -> LoadLine:
        """The load line of the loss, found without a division."""
        return self.sliding_line(sign(rate), 0.0, load)

    def sliding_line(self, direction: Scalar, speed: Scalar, load: Scalar) -> LoadLine:
        """1/(1 + s) is eta if direction load > 0, else 1/eta_b; the line passes through the origin."""
        drives = less(0.0, direction * load)
        lacking = select(drives, self.efficiency - 1.0, 1.0 / self.back_efficiency - 1.0)
        return LoadLine(1.0 + lacking * (direction * direction), 0.0, drives)

    def at_rest(self, load: Scalar) -> tuple[Scalar, Scalar]:
        """The smaller and the larger one of both directions' losses."""
        forwards, backwards = (1.0 / self.efficiency - 1.0) * load, (self.back_efficiency - 1.0) * load
        return minimum(forwards, backwards), maximum(forwards, backwards)


def check_efficiencies(part: object) -> None:
    """The fields ``efficiency`` and ``back_efficiency`` of a frozen dataclass while it is made."""
    for name in ("efficiency", "back_efficiency"):
        subject, efficiency = f"{name} of {type(part).__name__}", getattr(part, name)
        if name == "back_efficiency" and as_float(efficiency) <= 0.0:
            raise ModelError(
                f"{subject} is {excerpt(efficiency)}: a self-locking gear, which the load cannot drive back. Its "
                "friction, (1 - back_efficiency) |load|, is as large as the load or larger, so that load and "
                "acceleration do not decide each other: 1/back_efficiency does not exist. Expected a number above zero "
                "and at most 1, such as 0.01, at which the load hardly drives the gear back; a joint that stands is "
                "held by a Brake."
            )
        value = divisor(subject, efficiency, expected="a number above zero and at most 1")
        if value > 1.0:
            raise ModelError(f"{subject} is {excerpt(efficiency)}; expected a number above zero and at most 1")
        set_fields(part, **{name: value})
