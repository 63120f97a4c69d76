"""Motions over time, simulated, recorded or planned: `Trajectory`, its files, tables, signals and comparisons."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
