"""The front door: a robot, the methods it has, and how functions become methods."""

from armdyn.lazy import modules_of
from armdyn.robot.front_door import Robot
from armdyn.robot.method import Method

__all__ = ["Method", "Robot"]

__getattr__ = modules_of(__name__)
