"""A program of rates integrated over time with error control: y' = f(t, y, u), with separate steps for each state.

The inputs of the program of rates are of three kinds: the *state* y, or a part of it; the *time*, if the rates depend
on it; all others, u, are *held*. Each part of the state has a result that is its rate; a part that is not an input,
e.g. work, is only integrated.

A target compiles the whole loop: steps of an embedded pair, their error estimate, the length of the next step, and the
state at given times by dense output (`armdyn.targets.llvm.integration_loop`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from armdyn.base.errors import TraceError, UnknownName
from armdyn.base.fields import set_fields
from armdyn.base.threads import cached_property
from armdyn.program.embedded_pairs import EmbeddedPair
from armdyn.program.ports import Port
from armdyn.program.program import Program

LIMITS = ("end", "rtol", "atol", "attempts", "times", "pieces", "watches", "step")
"""The settings of a call.

The last time, s; the tolerances; the most steps to try; the number of saved times; 1 if polynomials are kept; 1 if the
first time at which a watched result falls below zero ends the integration; the length of the steps of a fixed formula,
s.
"""

BELOW = 1e-9
"""A watched result that is below the negative of this when a call begins ends the integration at once."""

ON_GRID = 1e-9
"""A time that is nearer to a multiple of the step than this part of the step is at that multiple."""

SEARCH = ("phase", "low", "f_low", "high", "f_high", "side", "whole", "which")
"""The state of a search for the time at which a watched result falls below zero, within one step.

The phase; the longest known step without and the shortest known step with a result below zero, s, and the least result
after each; 1 or -1 if the last trial was the shortest or the longest; the length of the step that is searched, s; the
number of the watched result that is least after the shortest step.
"""

PROGRESS = ("t", "h", "row", "rejected", "status", "steps", "evaluations", *SEARCH)
"""The state of an integration between two calls.

The time, s; the length of the next step, 0 if it is to be chosen; the next saved time by number; 1 after a step that
was rejected; the status; accepted steps and evaluations so far; and the state of a search.
"""

RUNNING, FINISHED, TOO_SHORT, WATCHED, LOCATED = 0.0, 1.0, 2.0, 3.0, 4.0
"""The status: there are more steps to make; the end is reached; the error requires steps below rounding of t; in the
next step, of length h, a watched result may fall below zero and rise again; number ``which`` does so at t."""

STEPPING, SEARCHING, LANDING = 0.0, 1.0, 2.0
"""The phase: a step forwards; a trial step of a search; the last step, up to the time found."""

FIRST_WATCHED = 4
"""The first stage of a step at which watched results count, or the last: those before are close to its start."""


@dataclass(frozen=True)
class Integration:
    """Rates integrated over time by an embedded pair of Runge-Kutta formulas.

    Args:
        rates: the program of f.
        state: the name of each part of y, and the name of the result that is its rate.
        pair: the formula.
        time: the input that is the time, s; None if the rates do not depend on it.
        watched: a result, a scalar or a vector, that is not negative along the motion; None if there is none.
        slopes: the result that is the rate of the watched one, 0 if it is not known; None if none is known.

    >>> from armdyn.program import DORMAND_PRINCE_54, Integration, Port, trace
    >>> rates = trace(lambda x, v: (1.0 * v, -x), [Port("x", ()), Port("v", ())], ["xd", "vd"])
    >>> swings = Integration(rates, [("x", "xd"), ("v", "vd")], DORMAND_PRINCE_54)
    >>> [port.name for port in swings.state_ports], swings.size
    (['x', 'v'], 2)
    """

    rates: Program
    state: tuple[tuple[str, str], ...]
    pair: EmbeddedPair
    time: str | None = None
    watched: str | None = None
    slopes: str | None = None

    def __init__(
        self,
        rates: Program,
        state: Iterable[tuple[str, str]],
        pair: EmbeddedPair,
        time: str | None = None,
        watched: str | None = None,
        slopes: str | None = None,
    ) -> None:
        set_fields(
            self,
            rates=rates,
            state=tuple((name, rate) for name, rate in state),
            pair=pair,
            time=time,
            watched=watched,
            slopes=slopes,
        )
        self._check()

    def _check(self) -> None:
        inputs = {port.name: port for port in self.rates.inputs}
        results = {port.name: port for port in self.rates.outputs}
        for name, rate in self.state:
            if rate not in results:
                raise UnknownName.of("result", rate, results, self.rates.name)
            if name in inputs and inputs[name].shape != results[rate].shape:
                raise TraceError(
                    f"{self.rates.name}: result {rate!r} of shape {results[rate].shape} cannot be the rate of input "
                    f"{name!r} of shape {inputs[name].shape}"
                )
        if self.time is not None and self.time not in inputs:
            raise UnknownName.of("input", self.time, inputs, self.rates.name)
        for watched in (self.watched, self.slopes):
            if watched is not None and watched not in results:
                raise UnknownName.of("result", watched, results, self.rates.name)

    @property
    def name(self) -> str:
        """The name of the program of rates."""
        return self.rates.name

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """The parts of y."""
        results = {port.name: port for port in self.rates.outputs}
        return tuple(Port(name, results[rate].shape) for name, rate in self.state)

    @property
    def held_ports(self) -> tuple[Port, ...]:
        """The inputs that are constant during the integration."""
        changing = {self.time, *(name for name, _ in self.state)}
        return tuple(port for port in self.rates.inputs if port.name not in changing)

    @property
    def size(self) -> int:
        """The count of numbers in y."""
        return sum(port.size for port in self.state_ports)

    @property
    def watched_size(self) -> int:
        """The count of watched numbers."""
        return sum(port.size for port in self.rates.outputs if port.name == self.watched)

    @property
    def piece_size(self) -> int:
        """The count of numbers in a step's polynomial: t, h, y, F_0, F_1, ..."""
        return 2 + (1 + len(self.pair.dense)) * self.size

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything that influences the numbers."""
        text = repr((self.rates.digest, self.state, self.pair, self.time, self.watched, self.slopes))
        return hashlib.sha256(text.encode()).hexdigest()
