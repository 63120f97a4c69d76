"""The recorded quantities of a run of a closed loop at the times that a trajectory keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.base.errors import SettingError
from armdyn.functions import RolloutResults
from armdyn.simulation.loop.controlled_rollout import ControlledRollout
from armdyn.simulation.loop.within_steps import Places, StatesWithin
from armdyn.spatial.rotations import Array


class RunAtTimes:
    """The recorded quantities of a run at some times.

    Args:
        rollout: of the loop.
        arguments: of the rollout, by name.
        rolled: its results.
        times: s, from 0 to the end, within steps that begin with a row; those of all rows by default.
    """

    def __init__(
        self,
        rollout: ControlledRollout,
        arguments: Mapping[str, Any],
        rolled: RolloutResults,
        times: Array | None,
    ) -> None:
        if np.ndim(arguments["h"]) > 0:
            raise SettingError("h has a step for each arm or time; a trajectory has one for all, such as h=1e-3")
        t0 = float(np.ravel(arguments["t"])[0]) if "t" in arguments else 0.0
        self.rollout, self.arguments, self.rolled = rollout, arguments, rolled
        self.h, self.since = float(arguments["h"]), 0.0
        self.steps = np.array([*range(0, rolled.steps, rolled.every), rolled.steps])
        """The numbers of the steps that begin at the times or before them."""
        self.t = t0 + self.h * self.steps
        """The times, s."""
        self._within: Mapping[str, Array] = {}
        self._places: Array | None = None
        if times is not None:
            self._choose(times)

    @property
    def states(self) -> StatesWithin:
        """The states at any time whose step begins with a row."""
        rolled = self.rolled
        rows, final = rolled.rows._asdict(), rolled.final._asdict()
        return StatesWithin.of(self.rollout, self.arguments, rows, final, every=rolled.every, steps=rolled.steps)

    def _choose(self, times: Array) -> None:
        rolled, last = self.rolled, len(self.steps) - 1
        places = Places.of(times, self.h, rolled.steps)
        rows = np.where(places.step == rolled.steps, last, places.step // rolled.every)
        self._places = None if np.array_equal(rows, np.arange(last + 1)) else rows
        self._within = self.states.at(places) if places.within.any() else {}
        self.steps, self.since = places.step, float(places.since[-1])
        self.t = np.where(places.within, times, self.h * places.step)

    def whole(self, name: str) -> Array:
        """A quantity over time; quantities of a step only have at the end the value of the last step."""
        if name in self._within:
            return self._within[name]
        rolled = self.rolled
        final = getattr(rolled.final if name in rolled.final._fields else rolled.last, name)
        recorded = np.concatenate([getattr(rolled.rows, name), np.asarray(final)[None]])
        return recorded if self._places is None else recorded[self._places]

    def signal(self, name: str) -> Array:
        """A quantity over time with one axis after those of time and batch."""
        values = self.whole(name)
        return values.reshape(*values.shape[: values.ndim - len(self.rolled.shapes[name])], -1)

    def last_change(self) -> Array:
        """The change of the velocities in the last step, or in the part of it until the end, by time."""
        rolled, begin = self.rolled, int(self.steps[-1]) - (self.since == 0.0)
        before = rolled.last.qd if begin == rolled.steps - 1 else rolled.rows.qd[begin // rolled.every]
        change: Array = (self.whole("qd")[-1] - before) / (self.since or self.h)
        return change
