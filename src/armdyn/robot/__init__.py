"""The front door: a robot, the methods it has, and how functions become methods."""

from armdyn.robot.front_door import Robot
from armdyn.robot.method import Method

__all__ = ["Method", "Robot"]
