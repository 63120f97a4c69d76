"""A function of one robot that returns rates, integrated over time with error control as one compiled loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.scalars import Array
from armdyn.base.threads import undivided
from armdyn.declaration import Function
from armdyn.functions.compiled import CompiledFunction
from armdyn.program.embedded_pairs import EmbeddedPair
from armdyn.program.integration import LIMITS, LOCATED, PROGRESS, RUNNING, TOO_SHORT, WATCHED, Integration
from armdyn.targets import kernel_of, load_or_compile
from armdyn.targets.kernels import Kernel

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm

Arrays = dict[str, Array]

_PLACES = {name: place for place, name in enumerate(PROGRESS)}
_STATUS = _PLACES["status"]


@dataclass(frozen=True)
class IntegrationProgress:
    """Progress of the integrations of a batch.

    Args:
        numbers: `armdyn.program.integration.PROGRESS` of each state, shape (states, 15).
    """

    numbers: Array

    @classmethod
    def at_start(cls, states: int, row: int) -> IntegrationProgress:
        """At t = 0, before any step; ``row`` is the first saved time that is not reached."""
        numbers = np.zeros((states, len(PROGRESS)))
        numbers[:, PROGRESS.index("row")] = row
        return cls(numbers)

    def __getattr__(self, name: str) -> Array:
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(name)
        return self.numbers[:, place]

    @property
    def failed(self) -> Array:
        """The states whose error requires steps below rounding of t, a mask."""
        failed: Array = self.numbers[:, _STATUS] == TOO_SHORT
        return failed

    @property
    def stopped(self) -> Array:
        """The states before a step in which a watched result may fall below zero and rise again, a mask."""
        stopped: Array = self.numbers[:, _STATUS] == WATCHED
        return stopped

    @property
    def located(self) -> Array:
        """The states at a time at which the watched result with the number ``which`` falls below zero, a mask."""
        located: Array = self.numbers[:, _STATUS] == LOCATED
        return located

    def of(self, states: Array) -> IntegrationProgress:
        """The progress of some states."""
        return IntegrationProgress(self.numbers[states])

    def with_rows(self, row: Array) -> IntegrationProgress:
        """The progress with other numbers of the next saved times."""
        numbers = self.numbers.copy()
        numbers[:, PROGRESS.index("row")] = row
        return IntegrationProgress(numbers)

    def moved(self, states: Array, t: Array, h: Array) -> IntegrationProgress:
        """Some states at other times, with the lengths of their next steps, 0 if these are to be chosen."""
        numbers = self.numbers.copy()
        for name, values in (("t", t), ("h", h), ("rejected", 0.0), ("status", RUNNING)):
            numbers[states, PROGRESS.index(name)] = values
        return IntegrationProgress(numbers)

    def stopping(self, states: Array) -> IntegrationProgress:
        """The progress with some states before a step that is not to be made by the loop."""
        numbers = self.numbers.copy()
        numbers[states, _STATUS] = WATCHED
        return IntegrationProgress(numbers)

    def with_failed(self, states: Array) -> IntegrationProgress:
        """The progress with these states, a mask, not continued."""
        numbers = self.numbers.copy()
        numbers[states, _STATUS] = TOO_SHORT
        return IntegrationProgress(numbers)

    def to_next_hold(self) -> IntegrationProgress:
        """The progress for a new start at a time at which the rates change; failed states stay failed."""
        numbers = self.numbers.copy()
        alive = ~self.failed
        for name in ("h", "rejected", "status"):
            numbers[alive, PROGRESS.index(name)] = 0.0
        return IntegrationProgress(numbers)


class CompiledIntegration:
    """Rates of one robot integrated over time by an embedded pair, each state of a batch with steps of its own.

    Args:
        arm: the robot.
        function: the rates; its ``result`` is a NamedTuple whose fields name them.
        state: the name of the rate of each part of the state; a part that is not an argument is only integrated, one
            without a rate is only corrected.
        pair: the Runge-Kutta formulas.
        time: the argument that is the time, s.
        watched: the result, a scalar or a vector, that is not negative along the motion.
        slopes: the result that is the rate of the watched one.
        corrections: the name of the corrected value of each part of the state that is corrected after a step.
        correcting: the argument that is 1 if the state is to be corrected.
        parameters: parameters of the model that are held arguments, e.g. "tip.payload.mass".
    """

    def __init__(
        self,
        arm: Arm,
        function: Function,
        state: Mapping[str, str | None],
        pair: EmbeddedPair,
        *,
        time: str | None = None,
        watched: str | None = None,
        slopes: str | None = None,
        corrections: Mapping[str, str] | None = None,
        correcting: str | None = None,
        parameters: Sequence[str] = (),
    ) -> None:
        self._rates = CompiledFunction(arm, function, parameters)
        self.corrections, self.correcting = dict(corrections or {}), correcting
        self.state, self.pair, self.time, self.watched, self.slopes = dict(state), pair, time, watched, slopes
        self._kernels: dict[tuple[str, ...], Kernel] = {}
        self._known_names: dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def advance(
        self,
        progress: IntegrationProgress,
        state: Arrays,
        constants: Arrays,
        times: Array,
        rows: Arrays,
        *,
        limits: Mapping[str, Any],
        pieces: Array | None = None,
    ) -> tuple[IntegrationProgress, Arrays]:
        """Make steps up to the limits; returns the progress and the state after them.

        Args:
            progress: of each state.
            state: by name, arrays (states, *shape).
            constants: the other arguments of the rates by name, per state or one for all states.
            times: the saved times, s, rising.
            rows: the state at these, by name, (states, times, *shape), which is written to.
            limits: "end", "rtol" and "atol", or "step", and "attempts", each a number or one for each state; and
                "watches" and "corrects", as in `armdyn.program.integration.LIMITS`.
            pieces: room for the polynomials of the steps, (states, attempts, piece size); their length h stays 0 in
                the rows of attempts that were rejected.
        """
        names, inputs = self._names(constants)
        count = len(progress.numbers)
        unused = {"rtol": 0.0, "atol": 0.0, "step": 0.0}
        settings = {"watches": self.watched is not None, "corrects": bool(self.corrections), **unused, **limits}
        settings |= {"times": len(times), "pieces": pieces is not None}
        limit = np.empty((count, len(LIMITS)))
        for k, name in enumerate(LIMITS):
            limit[:, k] = settings[name]
        if pieces is None:
            pieces = np.empty((count, 1, self._integration_size(state)))
        final = {name: np.empty_like(state[name]) for name in self.state}
        moved = np.empty_like(progress.numbers)
        self._kernel(names).for_float64(
            limit,
            progress.numbers,
            *(state[name] for name in self.state),
            *(constants[name] for name in inputs),
            times,
            out=(moved, *final.values(), *(rows[name] for name in self.state), pieces),
        )
        return IntegrationProgress(moved), final

    def piece_room(self, state: Arrays, attempts: int) -> Array:
        """Room for the polynomials of this number of attempts."""
        count = len(next(iter(state.values())))
        return np.zeros((count, attempts, self._integration_size(state)))

    def _integration_size(self, state: Arrays) -> int:
        size = sum(math.prod(array.shape[1:]) for array in state.values())
        return 2 + (1 + len(self.pair.dense)) * size

    def _names(self, constants: Arrays) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The arguments of the rates that are given, in their order, and those of them that are held."""
        key = tuple(constants)
        if key not in self._known_names:
            own = {*self.state, self.time, self.correcting}
            names = tuple(a.name for a in self._rates.function.arguments if a.name in {*constants, *own})
            inputs = (*(name for name in names if name not in own), *self._rates.parameters)
            self._known_names[key] = names, inputs
        return self._known_names[key]

    def _kernel(self, names: tuple[str, ...]) -> Kernel:
        """The compiled loop, from memory, from disk by the sources of the rates, or compiled."""
        kernel = self._kernels.get(names)
        if kernel is None:
            source = self._rates._source_key((names, ()))
            with undivided():
                if source is None:
                    kernel = kernel_of(self._integration(names))
                else:
                    own = f"{self.state} {self.time} {self.watched} {self.slopes} {self.corrections} {self.correcting}"
                    key = f"integration {self.pair.name} {own} {source}"
                    kernel = load_or_compile(key, lambda: self._integration(names))
            self._kernels[names] = kernel
        return kernel

    def _integration(self, names: Sequence[str]) -> Integration:
        program = self._rates.program(optional_inputs=names)
        return Integration(
            program,
            self.state.items(),
            self.pair,
            self.time,
            self.watched,
            self.slopes,
            self.corrections.items(),
            self.correcting,
        )


@dataclass(frozen=True)
class StepPolynomial:
    """The state along a step, a function of t, s: dense output that can be pickled.

    Args:
        t: the time at the beginning of the step, s.
        h: length of the step, s.
        numbers: the state at the beginning and the F_i of `EmbeddedPair.dense`, a row each.
        alternates: as that of `EmbeddedPair`.
    """

    t: float
    h: float
    numbers: Array
    alternates: bool

    def __call__(self, time: float) -> Array:
        """The state at a time."""
        x = (time - self.t) / self.h
        value: Any = 0.0
        for k, term in enumerate(self.numbers[:0:-1]):
            value = (value + term) * (1.0 - x if self.alternates and k % 2 else x)
        state: Array = value + self.numbers[0]
        return state


def polynomial(piece: Array, pair: EmbeddedPair, places: Array | None = None) -> StepPolynomial:
    """The state along a step, or the numbers of it at some places, from the numbers that a loop has kept of it."""
    numbers = piece[2:].reshape(1 + len(pair.dense), -1)
    return StepPolynomial(piece[0], piece[1], numbers if places is None else numbers[:, places], pair.alternates)
