"""Friction that differs between the directions of motion."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.traced_law import TracedLaw
from armdyn.actuators.with_state import refuse_state
from armdyn.base.errors import DTypeError, excerpt
from armdyn.base.scalars import Scalar
from armdyn.model.friction import FrictionLaw, Slopes
from armdyn.program import less, select, sign


@dataclass(frozen=True)
class DirectionDependent(TracedLaw):
    """Friction by one law forwards, qd > 0, and another backwards.

    Args:
        forwards: for qd > 0.
        backwards: for qd < 0.

    Raises:
        DTypeError: an argument that is not a friction law.
        ModelError: a law with a state of its own, e.g. `LuGre`.

    >>> from armdyn.actuators import Coulomb, DirectionDependent
    >>> law = DirectionDependent(Coulomb(2.0), Coulomb(1.5))
    >>> [float(law.force(rate, 0.0)) for rate in (-1.0, 0.0, 1.0)]
    [-1.5, 0.0, 2.0]
    """

    forwards: FrictionLaw
    backwards: FrictionLaw

    def __post_init__(self) -> None:
        for name in ("forwards", "backwards"):
            law = getattr(self, name)
            if not isinstance(law, FrictionLaw):
                raise DTypeError(f"{name} of DirectionDependent is {excerpt(law)}; expected a law such as Coulomb(2.0)")
            refuse_state(f"{name} of DirectionDependent", law)

    @property
    def depends_on_load(self) -> bool:  # type: ignore[override]
        """True if either law depends on the load."""
        return self.forwards.depends_on_load or self.backwards.depends_on_load

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """The force of the law that holds; at rest the mean of both, so that a derivative there has both slopes."""
        backwards, forwards = (law.force(rate, load) for law in (self.backwards, self.forwards))
        moves_forwards, mean = less(0.0, rate), 0.5 * (backwards + forwards)
        return select(less(rate, 0.0), backwards, select(moves_forwards, forwards, mean))

    def slopes(self, rate: Scalar, load: Scalar) -> Slopes:
        """The slopes of the law of the direction of motion; at rest the means of both."""
        backwards, forwards = (law.slopes(rate, load) for law in (self.backwards, self.forwards))
        part = 0.5 + 0.5 * sign(rate)
        return Slopes(*(b + part * (f - b) for b, f in zip(backwards, forwards, strict=True)))

    def sliding(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The force of the law of the direction while sliding."""
        backwards, forwards = (law.sliding(direction, speed, load) for law in (self.backwards, self.forwards))
        return select(less(direction, 0.0), backwards, forwards)

    def at_rest(self, load: Scalar) -> tuple[Scalar, Scalar]:
        """The least force of the law backwards, the largest of the one forwards."""
        return self.backwards.at_rest(load)[0], self.forwards.at_rest(load)[1]

    def breakaway(self, load: Scalar) -> Scalar:
        """The larger breakaway force of both directions."""
        low, high = self.at_rest(load)
        return select(less(-low, high), high, -low)
