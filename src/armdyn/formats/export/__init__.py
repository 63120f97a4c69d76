"""Models written in other descriptions: screw lists, zero reference position, Denavit-Hartenberg tables, URDF."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
