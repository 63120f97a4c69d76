"""Errors of simulations."""

from __future__ import annotations


class FrictionWarning(UserWarning):
    """Joints with dry friction that creep or chatter about rest in a closed loop, although they should stick."""


class UntracedControllerWarning(UserWarning):
    """A controller of a closed loop that cannot be traced, and runs in Python."""


class GainWarning(UserWarning):
    """Gains below zero of a controller of `armdyn.control`, which drive an arm away from its reference."""


class StepWarning(UserWarning):
    """Steps of a closed loop that make the vibrations of its arm on springs grow, or whose number a batch has."""


class DeadPointWarning(UserWarning):
    """A closed loop that passes a dead point of its robot's constraints, at which it may change to another branch."""
