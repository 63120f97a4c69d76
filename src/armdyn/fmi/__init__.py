"""Robots, closed loops and controllers as functional mock-up units of FMI 3.0: `armdyn.Robot.to_fmu` and the like.

An FMU is a zip of equations in C, of libraries compiled from it, and of a description, which simulation tools of all
kinds import. It needs neither Python nor armdyn.
"""

from armdyn.base.lazy import names_of

_WHERE = {
    "controller_fmu": "sampled",
    "robot_fmu": "arm",
}

__all__ = ["controller_fmu", "robot_fmu"]

__getattr__ = names_of(__name__, _WHERE)
