"""Errors of simulations."""

from __future__ import annotations

from typing import Any

from armdyn.base.errors import ArmdynError


class FrictionWarning(UserWarning):
    """Joints with dry friction that creep or chatter about rest in a closed loop, although they should stick."""


class UntracedControllerWarning(UserWarning):
    """A controller of a closed loop that cannot be traced, and runs in Python."""


class GainWarning(UserWarning):
    """Gains below zero of a controller of `armdyn.control`, which drive an arm away from its reference."""


class StepWarning(UserWarning):
    """Steps of a closed loop that make the vibrations of its arm on springs grow."""


class DeadPointWarning(UserWarning):
    """A closed loop that passes a dead point of its robot's constraints, at which it may change to another branch."""


class SettingError(ArmdynError, ValueError):
    """A duration, step, tolerance or other setting that makes no sense."""


class TrajectoryFileError(ArmdynError, ValueError):
    """A file that cannot be written, or that holds no trajectory."""


def refuse_class(name: str, value: Any, kinds: tuple[type, ...]) -> None:
    """Raise for one of these classes itself as the value of an argument that is an object of it.

    >>> from armdyn.simulation.errors import refuse_class
    >>> refuse_class("method", armdyn.simulation.Heun, (armdyn.simulation.Heun,))
    Traceback (most recent call last):
        ...
    armdyn.simulation.errors.SettingError: method has the class Heun; expected an object, Heun(...)
    """
    if isinstance(value, type) and issubclass(value, kinds):
        raise SettingError(f"{name} has the class {value.__name__}; expected an object, {value.__name__}(...)")
