"""Results of a simulation: the trajectory, and the quantities computed from it."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
