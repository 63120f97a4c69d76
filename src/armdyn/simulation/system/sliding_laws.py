"""Laws of friction that depends on the load, of joints that slip in given directions or are held."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from armdyn.algorithms.load_friction import own_coordinates
from armdyn.base.exact import Exact
from armdyn.model.drive import Drive
from armdyn.model.friction import FrictionLaw, LoadLine, Slopes, is_dry
from armdyn.program import maximum
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class SlidingLaw(FrictionLaw):
    """Dry friction that depends on the load, in one direction.

    Args:
        law: which holds in both.
        direction: 1 forwards, -1 backwards, 0 of a joint that is held, of which the force is 0.
    """

    law: FrictionLaw
    direction: Any

    depends_on_load = True

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """As of the law."""
        return self.law.lines

    def force(self, rate: Any, load: Any) -> Any:
        """Friction force of the law in this direction."""
        return self.law.sliding(self.direction, self._speed(rate), load)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        """The slope by the load; the other slope is not used and left out."""
        return Slopes(None, self.law.sliding_slope(self.direction, self._speed(rate), load))

    def line(self, rate: Any, load: Any) -> LoadLine:
        """As of the law in this direction."""
        return self.law.sliding_line(self.direction, self._speed(rate), load)

    def _speed(self, rate: Any) -> Any:
        return maximum(self.direction * rate, 0.0)

    def breakaway(self, load: Any) -> Any:
        """As of the law."""
        return self.law.breakaway(load)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        """As of the law."""
        return self.law.at_rest(load)


def sliding_under_load(drive: Drive, slip: Array) -> Drive:
    """A drive with the friction laws that depend on the load and no other friction.

    Args:
        drive: its bodies with such laws are moved by coordinates of their own.
        slip: the direction of each coordinate, 0 for one that is held; not read for smooth laws.
    """
    own, none = own_coordinates(drive) or {}, (Exact(0),) * len(drive.terms)

    def sliding(law: FrictionLaw, k: int) -> FrictionLaw:
        return SlidingLaw(law, slip[own[k]]) if is_dry(law) else law

    laws = tuple(
        tuple(sliding(law, k) for law in of_joint if law.depends_on_load) for k, of_joint in enumerate(drive.laws)
    )
    return dataclasses.replace(drive, damping=none, friction=none, laws=laws)
