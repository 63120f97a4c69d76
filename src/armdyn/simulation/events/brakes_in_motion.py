"""The brakes of one state on its way: which are engaged now, and when they are switched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from armdyn.simulation.events.brakes import Brakes
from armdyn.simulation.events.pushing import Pushing


@dataclass
class BrakesInMotion:
    """The brakes of one state on its way.

    Args:
        brakes: what switches them.
        pushing: the equations of motion with some joints' brakes engaged.
        engaged: those that are now.
        times: of the switches that are to come, s; None of conditions and of those that were.
    """

    brakes: Brakes
    pushing: Callable[[frozenset[str]], Pushing]
    engaged: frozenset[str]
    times: list[float | None]

    @classmethod
    def of(cls, brakes: Brakes, pushing: Callable[[frozenset[str]], Pushing]) -> BrakesInMotion:
        """As they are when a motion begins."""
        return cls(brakes, pushing, brakes.engaged, [one.t for one in brakes.switches])

    def switched(self, place: int) -> Pushing:
        """The equations of motion behind a switch."""
        self.times[place] = None
        self.engaged = self.brakes.after(self.engaged, self.brakes.switches[place])
        return self.pushing(self.engaged)
