"""Forces that are known at some times, linear between them or held from each to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.arrays import Names, is_plain, keys
from armdyn.base.checks import array, choice
from armdyn.base.errors import SettingError, ShapeError
from armdyn.base.fields import set_fields
from armdyn.simulation.drivers.grid import ROUNDING, StepGrid
from armdyn.spatial.rotations import Array

BETWEEN = ("linear", "hold")


@dataclass(frozen=True, eq=False)
class OverTime:
    """Values at times of their own: the ``torque`` or ``f_tip`` of a simulation.

    An adaptive method starts anew at each of the times, so that neither a jump nor a corner costs accuracy. With fixed
    steps a value that is held begins with the first step at or after its time; best make the times multiples of it.

    Args:
        t: times, s, rising, shape (m,); they must reach from 0 to the end of the simulation.
        values: N m or N, shape (m, n), or (m, ..., n) for a batch; of f_tip (m, 6).
        between: "linear", on a straight line from each value to the next; "hold", each value until the next time.

    Raises:
        SettingError: times that do not rise, numbers that are not finite, another word for ``between``.
        ShapeError: times and values that do not go together.

    >>> robot = armdyn.load("planar_2r")
    >>> torque = armdyn.simulation.OverTime([0.0, 0.3, 1.0], [[0, 0], [2, 1], [0, 0]])
    >>> motion = armdyn.simulate(robot, [0.0, 0.0], duration=1.0, torque=torque)
    >>> motion.tau[[150, 300]].round(12)
    array([[1. , 0.5],
           [2. , 1. ]])
    """

    t: ArrayLike
    values: ArrayLike
    between: str = "linear"
    times: Array = field(init=False, repr=False)
    numbers: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        t = array("t", self.t, ("m",), "seconds, rising", finite=SettingError)
        values = array("values", self.values, None, finite=SettingError, names=keys(self.values))
        choice("between", self.between, BETWEEN, error=SettingError)
        if values.ndim < 2 or len(values) != len(t) or len(t) < 2:
            raise ShapeError(
                f"values has shape {values.shape} and t {t.shape}; expected two times at least and a row of values for "
                "each, (m, n) and (m,)"
            )
        if not (np.diff(t) > 0.0).all():
            raise SettingError("the times of torque or f_tip must rise from each to the next")
        set_fields(self, times=t, numbers=values)


@dataclass(frozen=True)
class Scheduled:
    """The force of an `OverTime` during a simulation: its times, and its values with the axes of the batch."""

    times: Array
    values: Array
    held: bool
    rows = None

    @classmethod
    def of_argument(cls, name: str, given: OverTime, shape: tuple[int, ...], names: Names) -> Scheduled:
        """Checked for states of a shape (*batch, size), in the order of the names if the values have them."""
        numbers = given.numbers
        if not is_plain(given.values):
            numbers = array(name, given.values, None, names=names, owner="the robot", finite=SettingError)
        try:
            if numbers.shape[-1] != shape[-1]:
                raise ValueError  # a single value is not for all joints
            shared = (1,) * (len(shape) + 1 - numbers.ndim)  # axes of the batch that the values do not have
            each = numbers.reshape(len(numbers), *shared, *numbers.shape[1:])
            values = np.ascontiguousarray(np.broadcast_to(each, (len(numbers), *shape)))
        except ValueError:
            meant = f": {', '.join(names)}" if names else ""
            expected = f"(m, {', '.join(map(str, shape))})"
            raise ShapeError(f"the values of {name} have shape {numbers.shape}; expected {expected}{meant}") from None
        return cls(given.times, values, given.between == "hold")

    def check(self, name: str, duration: float) -> None:
        """Refuse a simulation that lasts longer than the values are known."""
        first, last = float(self.times[0]), float(self.times[-1])
        if first > 0.0 or last < duration * (1.0 - 1e-12):
            raise SettingError(
                f"{name} is known from t = {first:g} to {last:g} s; expected from 0 to the duration, {duration:g} s. "
                "Simulate a shorter time, or give more rows"
            )

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The value at a time; at a jump, the one after it."""
        row = self._row(t)
        before = self.values[row]
        if self.held:
            return before  # type: ignore[no-any-return]
        part = (t - self.times[row]) / (self.times[row + 1] - self.times[row])
        value: Array = before + part * (self.values[row + 1] - before)
        return value

    def at_times(self, t: Array) -> Array:
        """The values at several times, shape (len(t), *batch, size); at a jump, those after it."""
        rows: Any = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        before = self.values[rows]
        if self.held:
            return before  # type: ignore[no-any-return]
        part = (t - self.times[rows]) / (self.times[rows + 1] - self.times[rows])
        over = (slice(None), *(np.newaxis,) * (before.ndim - 1))
        values: Array = before + part[over] * (self.values[rows + 1] - before)
        return values

    def at_begins(self, grid: StepGrid) -> Array:
        """The values when the steps of a grid begin; a time that rounding moved after its step counts as reached."""
        begins = grid.times(np.arange(grid.steps)) + ROUNDING * grid.step
        rows: Any = np.searchsorted(self.times, begins, side="right") - 1
        return self.values[rows]  # type: ignore[no-any-return]

    def begins_late(self, name: str, grid: StepGrid) -> str | None:
        """A sentence on held values that begin with a step after their times; None if there are none."""
        within = self.times[(self.times > 0.0) & (self.times < grid.duration)]
        ratio = within / grid.step
        between = within[np.abs(ratio - np.rint(ratio)) > ROUNDING * np.maximum(ratio, 1.0)]
        if not self.held or not len(between):
            return None
        return (
            f"{name} changes between steps of {grid.step:g} s, first at t = {between[0]:g} s: a value that is held "
            "begins with the first step behind its time, and is left out where the next one begins there too"
        )

    def between(self, begin: float, end: float) -> Scheduled:
        """The force between two times, none of its own lying between them; at the end, by its values before a jump."""
        row = self._row(0.5 * (begin + end))
        return Scheduled(self.times[row : row + 2], self.values[row : row + 2], self.held)

    def of(self, index: tuple[int, ...]) -> Scheduled:
        """The force on one state of the batch."""
        at: Any = (slice(None), *index)
        return Scheduled(self.times, self.values[at], self.held)

    def _row(self, t: float) -> int:
        """The number of the last time that is not after t."""
        if len(self.times) == 2:  # between two of them
            return 0
        return int(np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2))
