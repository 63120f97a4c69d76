"""The times of the steps and of the saved states of a simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base import memory
from armdyn.base.advice import answering_class, either, option
from armdyn.base.checks import array, number, switch
from armdyn.base.errors import SettingError
from armdyn.base.fields import set_fields
from armdyn.spatial.rotations import Array

SAMPLES = 1000
"""Number of equal intervals that an adaptive simulation saves by default."""

MOST_STEPS = 10**9
"""More steps than this take hours at a microsecond each: a slip of the pen rather than a wish."""

ROUNDING = 1e-9
"""Tolerance, in steps, within which a time is taken to be on a step."""


@answering_class(dict.fromkeys(("dt", "step", "interval"), "the time between two states is every=, s"))
@dataclass(frozen=True, eq=False)
class SaveAt:
    """Times of the states that a trajectory contains, and the interpolants between them.

    Without ``times`` and ``every`` each step of a fixed-step method is kept, and a thousand equal intervals of an
    adaptive motion. The first and the last state are always kept.

    Args:
        times: the times, s, increasing, shape (T,).
        every: the time between two states, s.
        dense: true to keep the interpolants of the steps: ``trajectory.at(t)`` is then as accurate as the steps at any
            time, with the velocity before an impact at its time itself, and so is ``trajectory.rotors_at(t)`` of
            flexible joints. About 1.5 kB per step of "adaptive" for an arm of six joints. Under a controller they are
            steps of a part of the length, computed when ``at`` is called.

    Raises:
        SettingError: both ``times`` and ``every``, or an interval that is not above zero.

    >>> swing = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0, save=SaveAt(every=0.25))
    >>> swing.t
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    times: ArrayLike | None = None
    every: float | None = None
    dense: bool = False

    def __post_init__(self) -> None:
        if self.every is not None:
            set_fields(self, every=number("every", self.every, above=0.0, unit="s", error=SettingError))
            if self.times is not None:
                raise SettingError("SaveAt has both times and every; expected one of them")
        set_fields(self, dense=switch("dense", self.dense, error=SettingError))


@dataclass(frozen=True)
class StepGrid:
    """Equal steps from 0 to ``duration``; the last is shorter if the duration is not a multiple of the step."""

    duration: float
    step: float

    @property
    def steps(self) -> int:
        """The number of steps."""
        ratio = self.duration / self.step
        nearest = round(ratio)
        return nearest if nearest and abs(ratio - nearest) <= ROUNDING * ratio else math.ceil(ratio)

    @property
    def last_step(self) -> float:
        """Length of the last step, s: exactly the step if the duration is a multiple of it."""
        rest = self.duration - (self.steps - 1) * self.step
        return self.step if abs(rest - self.step) <= ROUNDING * self.duration else rest

    def following(self, t: float) -> float:
        """The end of the step that begins at a time, or in which it is, s."""
        number = math.floor(t / self.step * (1.0 + 1e-15) + ROUNDING) + 1
        return self.duration if number >= self.steps else number * self.step

    def times(self, steps: Array) -> Array:
        """The times after these numbers of steps, s."""
        return np.where(steps == self.steps, self.duration, steps * self.step)


def step_grid(duration: float, step: float) -> StepGrid:
    """The grid of a duration and a step; an error if it has far too many steps."""
    if duration / step > MOST_STEPS:
        raise SettingError(
            f"duration {duration:g} s in steps of {step:g} s takes {duration / step:.3g} steps, of {MOST_STEPS:.0e} "
            f"that are run at most. Use a longer step, or {option('method', 'adaptive')}"
        )
    return StepGrid(duration, step)


def nearest_steps(times: Array, step: float) -> tuple[Array, Array]:
    """The numbers of the steps that begin nearest to times, and true for those that begin there, within rounding."""
    ratio = times / step
    nearest = np.rint(ratio)
    return nearest, np.abs(ratio - nearest) <= ROUNDING * np.maximum(ratio, 1.0)


def steps_at(grid: StepGrid, times: Array) -> Array | None:
    """The steps after which states are saved at these times; None if one of the times is within a step."""
    nearest, begins = nearest_steps(times, grid.step)
    if (~begins & (times < grid.duration)).any():
        return None
    steps = np.where(times >= grid.duration, grid.steps, nearest).astype(np.int64)
    rising: Array = steps[np.diff(steps, prepend=-1) > 0]  # they rise, and np.unique would hash them: ten times as long
    return rising


def saved_times(duration: float, save: SaveAt) -> Array:
    """The times at which states are saved, s, 0 and the duration always included; a thousand intervals by default."""
    return times_to_save(duration, save, otherwise=duration / SAMPLES)


def times_to_save(duration: float, save: SaveAt, *, otherwise: float) -> Array:
    """The times at which states are saved, s, 0 and the duration always included; equal intervals by default."""
    if save.times is None:
        every = otherwise if save.every is None else save.every
        refuse_more_than_memory(8 * duration / every)
        grid = StepGrid(duration, min(every, duration))
        return grid.times(np.arange(grid.steps + 1))
    requested = array("times", save.times, ("T",), "seconds, rising", finite=SettingError)
    if not (np.diff(requested) > 0).all():
        raise SettingError("times must rise from each to the next")
    if requested.size and (requested[0] < 0 or requested[-1] > duration * (1 + ROUNDING)):
        raise SettingError(f"times reach from {requested[0]:g} to {requested[-1]:g} s; the duration is {duration:g} s")
    within = np.minimum(requested, duration)
    if within.size and within[0] == 0.0 and within[-1] == duration:
        return within
    return np.unique(np.concatenate([[0.0], within, [duration]]))


def refuse_more_than_memory(size: float) -> None:
    """Refuse to fill more than half of this computer's memory; ``size`` in bytes."""
    often = either("SaveAt(every=0.01)", "--set save.every=0.01")
    remedy = f"Save less often ({often} keeps a state every 10 ms), or simulate fewer states at once"
    memory.refuse_more_than_memory(size, "the trajectory", remedy, error=SettingError)
