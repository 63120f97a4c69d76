"""What a simulation gives: the trajectory, and everything that is asked of it."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
