"""Elements of a mechanical system: friction, springs, stops, contacts, brakes, backlash; and events to look out for."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
