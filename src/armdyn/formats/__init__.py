"""Descriptions of robots: each reader turns one kind of source into a `Model`, in SI units and one convention."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
