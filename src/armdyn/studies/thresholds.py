"""Thresholds of a controller's signals: e.g. the residual of an observer that detects a collision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.checks import array, switch, without_booleans
from armdyn.base.errors import SettingError, ShapeError, UnknownName
from armdyn.motion.motion_data import Occurrence
from armdyn.spatial.rotations import Array
from armdyn.studies.errors import StudyError


@dataclass(frozen=True)
class Threshold:
    """A threshold on the absolute value of a signal or state of the controller.

    Args:
        signal: its name.
        above: the limit of the absolute value, in the signal's unit, above zero; one for all values or one for each.
        terminal: end the motion at this event.
        name: of the event.
    """

    signal: str
    above: Any
    terminal: bool = False
    name: str = "threshold"

    def limits(self, shapes: Mapping[str, tuple[int, ...]]) -> Array:
        """The limit of each value of the signal.

        Args:
            shapes: of the controller's signals and states, by name.

        Raises:
            UnknownName: a signal that the controller does not have.
            ShapeError: limits of another shape.
            SettingError: limits that are not above zero.
        """
        switch("terminal", self.terminal, error=SettingError)
        if not isinstance(self.signal, str) or self.signal not in shapes:
            raise UnknownName.of("signal", self.signal, shapes, "the controller")
        shape = shapes[self.signal]
        limits = array("above", without_booleans("above", self.above), finite=StudyError)
        if limits.shape not in ((), shape):
            raise ShapeError(f"above has shape {limits.shape}; expected a number, or {shape} as {self.signal!r} has")
        if not (limits > 0.0).all():
            raise SettingError(f"above is {self.above}; expected numbers above zero")
        return np.broadcast_to(limits, shape)


class Passing:
    """A threshold during one motion, with the values of the signal that are beyond it.

    Args:
        threshold: the threshold.
        limits: of each value of the signal.
        joints: names of the joints.
    """

    def __init__(self, threshold: Threshold, limits: Array, joints: Sequence[str]) -> None:
        self.threshold, self._limits, self._joints = threshold, limits, joints
        self._beyond = np.zeros(limits.shape, dtype=bool)

    def seen(self, t: float, q: Array, qd: Array, value: Array) -> list[Occurrence]:
        """The values that have passed their limits since the last sample, one event each."""
        before, self._beyond = self._beyond, np.abs(value) > self._limits
        new = np.argwhere(self._beyond & ~before)
        return [Occurrence(t, self._name(tuple(index)), "crossing", q.copy(), qd.copy()) for index in new]

    def _name(self, index: tuple[int, ...]) -> str:
        """The name of the event, with the joint or the number of the value."""
        if not index:
            return self.threshold.name
        named = len(index) == 1 and self._limits.shape == (len(self._joints),)
        return f"{self.threshold.name} of {self._joints[index[0]] if named else ', '.join(map(str, index))}"
