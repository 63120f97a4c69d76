"""Mechanical systems: coordinates, states and equations of motion of a robot, and the problem that a motion solves."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
