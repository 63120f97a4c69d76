"""States of a closed loop within its steps: dense output.

A step holds its joint forces. So the state at a time within it is that after a step of that length under those forces,
by the program of the loop's own steps: of the formula's order, with impacts, joints that begin to stick and states of
elements as in the loop, and equal to the loop's next state at the end. It serves traced and untraced controllers, for
these act when a step begins only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places, stacked
from armdyn.motion.dense import Dense
from armdyn.simulation.drivers.grid import nearest_steps
from armdyn.simulation.loop.controlled_rollout import PUSHES, ControlledRollout
from armdyn.simulation.loop.friction import BRAKES
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class StepTimes:
    """Times of a motion by its steps.

    Args:
        step: the number of the step that begins at a time or before it.
        since: the time since then, s; 0 within rounding of the beginning of a step.
    """

    step: Array
    since: Array

    @classmethod
    def of(cls, t: Array, h: float, steps: int) -> StepTimes:
        """The places of times from 0 to the end of ``steps`` steps of length h, s."""
        nearest, begins = nearest_steps(t, h)
        step = np.minimum(np.where(begins, nearest, np.floor(t / h)).astype(np.int64), steps)
        return cls(step, np.where(begins | (step == steps), 0.0, t - step * h))

    @property
    def within(self) -> Array:
        """True for times within a step."""
        within: Array = self.since > 0.0
        return within


def input_at(
    rollout: ControlledRollout, given: Mapping[str, Any], name: str, steps: Array, batch: tuple[int, ...]
) -> Array:
    """An input during some steps, (len(steps), *batch, *shape); at the end of the motion that of the last step."""
    values = np.array(given[name], dtype=float)  # a copy: accelerations are computed from it later
    shape = (len(steps), *batch, *rollout.shape_of(name))
    if name in rollout.over_time:
        rows = values[np.minimum(steps, len(values) - 1)]
        values = rows.reshape(len(steps), *(1,) * (len(shape) - rows.ndim), *rows.shape[1:])
    return np.broadcast_to(values, shape)


@dataclass(frozen=True, eq=False)
class StatesWithin:
    """The states of a closed loop at any time of its motion.

    Args:
        rollout: of the loop.
        t0: the time at which the motion begins, s.
        h: length of the step, s.
        rows: states, and forces and other inputs of a held step, as each step begins, by name, (steps, ..., *shape).
        final: the state after the last step, by name, (..., *shape).
        every: the number of steps from one row to the next.
        steps: the number of steps.
        pushes: mean forces of stops and contacts in each step, (steps, ..., count).
    """

    rollout: ControlledRollout
    t0: float
    h: float
    rows: Mapping[str, Array]
    final: Mapping[str, Array]
    every: int
    steps: int
    pushes: tuple[Array, ...]

    @classmethod
    def of(
        cls,
        rollout: ControlledRollout,
        given: Mapping[str, Any],
        rows: Mapping[str, Array],
        final: Mapping[str, Array] | None = None,
        *,
        t0: float,
        every: int = 1,
        steps: int = 0,
    ) -> StatesWithin:
        """The states of a motion.

        Args:
            rollout: of the loop, which records all of its state.
            given: the arguments of the rollout by name.
            rows: what it recorded.
            final: the state after the last step, if that is known.
            t0: the time at which the motion begins, s.
            every: the number of steps from one row to the next.
            steps: the number of steps.
        """
        batch, begins = rows["q"].shape[1:-1], every * np.arange(len(rows["q"]))
        own: dict[str, Array] = {}
        for name in rollout.held_arguments:
            if name in rows:
                own[name] = rows[name]
            elif given.get(name) is not None:
                own[name] = input_at(rollout, given, name, begins, batch)
        if BRAKES in rows and BRAKES in own:  # a controller's result
            own[BRAKES] = np.clip(own[BRAKES], 0.0, 1.0)
        pushes = tuple(rows[name] for name in PUSHES if name in rows)
        final = {} if final is None else final
        return cls(rollout, t0, float(given["h"]), own, final, every, steps, pushes)

    def alone(self, index: tuple[int, ...]) -> StatesWithin:
        """The states of one arm of the batch."""
        at: Any = (slice(None), *index)
        rows, pushes = {name: values[at] for name, values in self.rows.items()}, tuple(one[at] for one in self.pushes)
        final = {name: values[index] for name, values in self.final.items()}
        return dataclasses.replace(self, rows=rows, final=final, pushes=pushes)

    def later(self, step: Array, since: Array) -> dict[str, Array]:
        """The states at times after the beginning of steps, s, by name, (*step.shape, ..., *shape)."""
        batch = self.rows["q"].ndim - 2
        values: dict[str, Any] = {name: rows[step // self.every] for name, rows in self.rows.items()}
        values["h"] = since.reshape((*since.shape, *(1,) * batch))
        return self.rollout.moved(**values)

    def at(self, places: StepTimes) -> dict[str, Array]:
        """The states at times of the motion by name, (*places.shape, ..., *shape)."""
        within, last = places.within, places.step == self.steps
        begins = np.where(last, 0, places.step // self.every)
        states = {name: np.array(self.rows[name][begins]) for name in self.rollout.held_state}
        for name, values in states.items():
            values[last] = self.final[name]
        if within.any():
            later = self.later(places.step[within], places.since[within])
            for name, values in states.items():
                values[within] = later[name]
        return states


@dataclass
class DenseOfLoop(Dense):
    """The motion of one arm of a closed loop at any time.

    Args:
        states: of that arm.
    """

    states: StatesWithin = dataclasses.field(kw_only=True)

    @classmethod
    def of(cls, states: StatesWithin, index: tuple[int, ...]) -> DenseOfLoop:
        """That of one arm of a batch."""
        robot = states.rollout.robot
        return cls(robot.dof, tuple(flexible_places(robot.model)), states=states.alone(index))

    def _states(self, t: Array) -> tuple[Array, Array]:
        at = self.states.at(StepTimes.of(t - self.states.t0, self.states.h, self.states.steps))
        of_links = at["q"], at["qd"]
        if not self.flexible:
            return of_links
        rotors = at["theta"], at["thetad"]
        positions, velocities = (stacked(*both, self.flexible) for both in zip(of_links, rotors, strict=True))
        return positions, velocities
