"""Event sources of a motion: events, stops, contacts, joints that stick and brakes, as given to `armdyn.simulate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.simulation.elements.brakes import Brakes
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.elements.events import Event
from armdyn.simulation.elements.own import Kinks
from armdyn.simulation.elements.stops import Contact, Stops
from armdyn.simulation.methods.catalogue import Method, can_stop, check_method


@dataclass(frozen=True)
class Happenings:
    """Events, stops, contacts, dry joints and brakes of a motion."""

    events: Sequence[Event]
    stops: Stops | None
    contacts: Sequence[Contact]
    dry: DryJoints
    brakes: Brakes | None = None
    kinks: Kinks | None = None

    @property
    def only_dry(self) -> bool:
        """True if joints that stick are the only event source."""
        return not (self.events or self.stops or self.contacts or self.brakes or self.kinks)


def happenings_of(
    method: Method,
    events: Sequence[Event],
    stops: Stops | None,
    contacts: Sequence[Contact],
    dry: DryJoints,
    brakes: Brakes | None = None,
    kinks: Kinks | None = None,
) -> Happenings | None:
    """Event sources of a simulation, with joints that can stick; None without any."""
    required = bool(events or contacts or stops or brakes or kinks)
    if not required and not (len(dry) and can_stop(method)):
        return None
    check_method(method)
    return Happenings(events, stops, contacts, dry, brakes, kinks)
