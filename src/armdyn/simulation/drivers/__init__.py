"""Drivers of a simulation: from event to event, by steps of one length, and their compiled loops."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
