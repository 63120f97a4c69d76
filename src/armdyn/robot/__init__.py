"""`Robot`, its methods, and the conversion of functions to methods."""

from armdyn.base.lazy import modules_of
from armdyn.robot.method import Method
from armdyn.robot.robot import Robot

__all__ = ["Method", "Robot"]

__getattr__ = modules_of(__name__)
