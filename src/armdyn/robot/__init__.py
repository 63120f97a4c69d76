"""A robot, the methods it has, and how functions become methods."""

from armdyn.lazy import modules_of
from armdyn.robot.method import Method
from armdyn.robot.robot import Robot

__all__ = ["Method", "Robot"]

__getattr__ = modules_of(__name__)
