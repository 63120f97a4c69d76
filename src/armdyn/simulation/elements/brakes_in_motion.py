"""Brakes that switch during one motion, at times or at events: their joints have other friction from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from armdyn.simulation.drivers.crossings import Function
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, crossing, found_in
from armdyn.simulation.drivers.pieces import Step
from armdyn.simulation.elements.brakes import Brakes
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.events import Watched
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.spatial.rotations import Array


class BrakesInMotion(LocatedFunctions):
    """The brakes of one state during its motion.

    Args:
        modes: of the motion, whose joints have the brakes' friction.
        brakes: the brakes and their switches.
        rows: the equations of motion with some joints' brakes engaged.
    """

    def __init__(self, modes: ContactModes, brakes: Brakes, rows: Callable[[frozenset[str]], BoundedRows]) -> None:
        self.modes, self.switches, self._after, self._rows = modes, brakes.switches, brakes.after, rows
        self.engaged = brakes.engaged
        """The joints whose brakes are engaged now."""
        self.times = [one.t for one in brakes.switches]
        """Times of the switches to come, s; None for conditions and for past switches."""

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Brakes that are engaged or released, each at its time or at the first of its condition in the step."""
        for place, (one, t) in enumerate(zip(self.switches, self.times, strict=True)):
            if t is not None and t <= step.end:
                yield Found(max(t, step.t), "brake", place)
            elif one.watched is not None and one.engages != (one.joint in self.engaged):
                value = partial(self._condition, one.watched)
                yield from found_in(step, "brake", place, value, partial(crossing, value, times, one.watched.direction))

    def _condition(self, watched: Watched, at: At) -> Function:
        return lambda t: watched.value(t, *self.modes.motion.seen(at(t)))

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a switch, whose joint may have friction now, or none any more."""
        switch, self.times[event.place] = self.switches[event.place], None
        self.engaged = self._after(self.engaged, switch)
        return self.modes.with_other_friction(t, y, self._rows(self.engaged), switch.joint, switch.kind)
