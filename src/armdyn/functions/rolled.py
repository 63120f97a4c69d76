"""The results of a rollout: the state after the last step, the records, and the first state that is not finite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from armdyn.base.scalars import Array


@dataclass(frozen=True, eq=False)
class RolloutResults:
    """The results of a rollout.

    Args:
        rows: the records, each array of shape (rows, ..., *shape), by name: row k belongs to step k ``every``,
            and contains the state at the beginning of that step.
        every: the number of steps between two rows.
        steps: the number of steps.
        shapes: *shape, by name.
        divergence: the text of the `DivergenceWarning` of the call; empty without one.
        last: the row of the last step, each array of shape (..., *shape), by name; None if it was not requested.
    """

    final: Any
    rows: Any
    every: int = 1
    steps: int = 0
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    divergence: str = ""
    last: Any = None

    def first_not_finite(self) -> NotFinite | None:
        """The first number in time that is NaN or infinite, among the rows and then in the final state, or None.

        >>> import warnings
        >>> from collections import namedtuple
        >>> Next = namedtuple("Next", ["q"])
        >>> @armdyn.function("(n)->(n)", result=Next)
        ... def squared(model, q):
        ...     return Next(q * q)
        >>> grows = armdyn.functions.CompiledRollout(armdyn.load("planar_2r"), squared, record=["q"])
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # a `DivergenceWarning`
        ...     rolled = grows([[1.0, 0.5], [0.5, 2.0]], steps=20)
        >>> rolled.first_not_finite()
        NotFinite(name='q', step=10, state=(1,), entry=(1,), value=inf, states=1)
        """
        result = [
            one
            for arrays, rows in ((self.rows, True), (self.final, False))
            for name in arrays._fields
            if (one := self._not_finite(name, getattr(arrays, name), rows)) is not None
        ]
        return min(result, key=lambda one: one.step, default=None)

    def _not_finite(self, name: str, array: Array, rows: bool) -> NotFinite | None:
        """The first such number of one array."""
        bad = ~np.isfinite(array if rows else array[None])
        if not bad.any():
            return None
        row, *rest = map(int, np.unravel_index(int(bad.argmax()), bad.shape))
        place, rank = tuple(rest), len(self.shapes[name])
        batch = len(place) - rank
        states = bad[-1].any(axis=tuple(range(batch, len(place)))).sum()
        step = row * self.every if rows else self.steps
        value = float((array[row] if rows else array)[place])
        return NotFinite(name, step, place[:batch], place[batch:], value, int(states))


class NotFinite(NamedTuple):
    """The first NaN or infinity of a rollout.

    Args:
        name: of the array.
        step: the step that begins with it, for a state; for a signal, the step in which it is computed.
        state: the place in the batch.
        entry: the place in the array of that state.
        value: NaN or infinity.
        states: the number of states of the batch that are not finite in the array's last row.
    """

    name: str
    step: int
    state: tuple[int, ...]
    entry: tuple[int, ...]
    value: float
    states: int
