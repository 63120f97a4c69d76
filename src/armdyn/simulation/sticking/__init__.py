"""Joints that friction holds at rest, and joints that slip: dry friction, friction under load, bristles."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
