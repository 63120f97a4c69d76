"""The recorded quantities of a run of a closed loop at the times that a trajectory keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

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
        times: s since the beginning, from 0 to the end, within steps that begin with a row.
    """

    def __init__(
        self, rollout: ControlledRollout, arguments: Mapping[str, Any], rolled: RolloutResults, times: Array
    ) -> None:
        self.rolled, self.h = rolled, float(arguments["h"])
        rows, final = rolled.rows._asdict(), rolled.final._asdict()
        self.states = StatesWithin.of(rollout, arguments, rows, final, every=rolled.every, steps=rolled.steps)
        """The states at any time whose step begins with a row."""
        places, last = Places.of(times, self.h, rolled.steps), -(-rolled.steps // rolled.every)
        self.steps, self.since = places.step, float(places.since[-1])
        """The numbers of the steps that begin at the times or before them."""
        self.t = self.states.t0 + np.where(places.within, times, self.h * places.step)
        """The times, s."""
        chosen = np.where(places.step == rolled.steps, last, places.step // rolled.every)
        self._rows = None if np.array_equal(chosen, np.arange(last + 1)) else chosen
        self._within: Mapping[str, Array] = self.states.at(places) if places.within.any() else {}

    def whole(self, name: str) -> Array:
        """A quantity over time; quantities of a step only have at the end the value of the last step."""
        if name in self._within:
            return self._within[name]
        rolled = self.rolled
        final = getattr(rolled.final if name in rolled.final._fields else rolled.last, name)
        recorded = np.concatenate([getattr(rolled.rows, name), np.asarray(final)[None]])
        return recorded if self._rows is None else recorded[self._rows]

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
