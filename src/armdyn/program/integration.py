"""A program of rates integrated over time with error control: y' = f(t, y, u), with separate steps for each state.

The inputs of the program of rates are of three kinds: the *state* y, or a part of it; the *time*, if the rates depend
on it; all others, u, are *held*. Each part of the state has a result that is its rate; a part that is not an input,
e.g. work, is only integrated.

A target compiles the whole loop: steps of an embedded pair, their error estimate, the length of the next step, and the
state at given times by dense output (`armdyn.targets.llvm.integration_loop`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from armdyn.base.errors import TraceError, UnknownName
from armdyn.base.fields import set_fields
from armdyn.base.threads import cached_property
from armdyn.program.embedded_pairs import EmbeddedPair
from armdyn.program.ports import Port
from armdyn.program.program import Program

LIMITS = ("end", "rtol", "atol", "attempts", "times", "pieces", "watches", "step", "corrects")
"""The settings of a call.

The last time, s; the tolerances; the most steps to try; the number of saved times; 1 if polynomials are kept; 1 if the
first time at which a watched result falls below zero ends the integration; the length of the steps of a fixed formula,
s; 1 if the state is corrected after each step.
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
"""The status: there are more steps to make; the end is reached; the error requires steps below rounding of t, or a
corrected state is not finite; in the next step, of length h, a watched result may fall below zero and rise again;
number ``which`` does so at t."""

STEPPING, SEARCHING, LANDING = 0.0, 1.0, 2.0
"""The phase: a step forwards; a trial step of a search; the last step, up to the time found."""

FIRST_WATCHED = 4
"""The first stage of a step at which watched results count, or the last: those before are close to its start."""


@dataclass(frozen=True)
class Integration:
    """Rates integrated over time by an embedded pair of Runge-Kutta formulas.

    Args:
        rates: the program of f.
        state: the name of each part of y, and the name of the result that is its rate; None for parts without a rate,
            which come last: they change by corrections alone, and no error of theirs counts. Between the ends of steps
            of one length they are on straight lines, too.
        pair: the formula.
        time: the input that is the time, s; None if the rates do not depend on it.
        watched: a result, a scalar or a vector, that is not negative along the motion; None if there is none.
        slopes: the result that is the rate of the watched one, 0 if it is not known; None if none is known.
        corrections: the name of each part of y that is corrected after a step, and of the result that is its corrected
            value. A step whose correction is not finite is not made.
        correcting: the input that is 1 at the end of a step that was made, if y is to be corrected, else 0. The
            rates are those of the corrected state.

    >>> from armdyn.program import DORMAND_PRINCE_54, Integration, Port, trace
    >>> rates = trace(lambda x, v: (1.0 * v, -x), [Port("x", ()), Port("v", ())], ["xd", "vd"])
    >>> swings = Integration(rates, [("x", "xd"), ("v", "vd")], DORMAND_PRINCE_54)
    >>> [port.name for port in swings.state_ports], swings.size
    (['x', 'v'], 2)
    """

    rates: Program
    state: tuple[tuple[str, str | None], ...]
    pair: EmbeddedPair
    time: str | None = None
    watched: str | None = None
    slopes: str | None = None
    corrections: tuple[tuple[str, str], ...] = ()
    correcting: str | None = None

    def __init__(
        self,
        rates: Program,
        state: Iterable[tuple[str, str | None]],
        pair: EmbeddedPair,
        time: str | None = None,
        watched: str | None = None,
        slopes: str | None = None,
        corrections: Iterable[tuple[str, str]] = (),
        correcting: str | None = None,
    ) -> None:
        set_fields(
            self,
            rates=rates,
            state=tuple((name, rate) for name, rate in state),
            pair=pair,
            time=time,
            watched=watched,
            slopes=slopes,
            corrections=tuple((name, result) for name, result in corrections),
            correcting=correcting,
        )
        self._check()

    def _check(self) -> None:
        inputs = {port.name: port for port in self.rates.inputs}
        results = {port.name: port for port in self.rates.outputs}
        for name, rate in self.state:
            if rate is None and name not in inputs:
                raise UnknownName.of("input", name, inputs, self.rates.name)
            if rate is not None:
                self._check_shape(name, rate, "rate", inputs, results)
        for name, result in self.corrections:
            if name not in dict(self.state):
                raise UnknownName.of("part of the state", name, dict(self.state), self.rates.name)
            self._check_shape(name, result, "corrected value", inputs, results)
        for name in filter(None, (self.time, self.correcting)):
            if name not in inputs:
                raise UnknownName.of("input", name, inputs, self.rates.name)
        for watched in (self.watched, self.slopes):
            if watched is not None and watched not in results:
                raise UnknownName.of("result", watched, results, self.rates.name)

    def _check_shape(
        self, name: str, result: str, subject: str, inputs: Mapping[str, Port], results: Mapping[str, Port]
    ) -> None:
        """Raise an error if a result does not exist, or has another shape than the input of its part of the state."""
        if result not in results:
            raise UnknownName.of("result", result, results, self.rates.name)
        if name in inputs and inputs[name].shape != results[result].shape:
            raise TraceError(
                f"{self.rates.name}: result {result!r} of shape {results[result].shape} cannot be the {subject} of "
                f"input {name!r} of shape {inputs[name].shape}"
            )

    @property
    def name(self) -> str:
        """The name of the program of rates."""
        return self.rates.name

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """The parts of y."""
        inputs, results = ({port.name: port for port in ports} for ports in (self.rates.inputs, self.rates.outputs))
        shapes = {name: (inputs[name] if rate is None else results[rate]).shape for name, rate in self.state}
        return tuple(Port(name, shape) for name, shape in shapes.items())

    @property
    def held_ports(self) -> tuple[Port, ...]:
        """The inputs that are constant during the integration."""
        changing = {self.time, self.correcting, *(name for name, _ in self.state)}
        return tuple(port for port in self.rates.inputs if port.name not in changing)

    @property
    def size(self) -> int:
        """The count of numbers in y."""
        return sum(port.size for port in self.state_ports)

    @property
    def measured_size(self) -> int:
        """The count of numbers in y that have a rate, whose errors count."""
        return sum(port.size for port, (_, rate) in zip(self.state_ports, self.state, strict=True) if rate is not None)

    @property
    def watched_size(self) -> int:
        """The count of watched numbers."""
        return sum(port.size for port in self.rates.outputs if port.name == self.watched)

    @property
    def watched_stages(self) -> tuple[int, ...]:
        """The stages of a step at which watched results count: its last one, and those within it.

        A stage at the end that is not the last has a state of lower order. Its results pass zero at another time, so
        that a search would end by bisection between the two.
        """
        pair = self.pair
        return (*(s for s in range(FIRST_WATCHED, pair.last) if pair.nodes[s] < 1.0), pair.last)

    @property
    def piece_size(self) -> int:
        """The count of numbers in a step's polynomial: t, h, y, F_0, F_1, ..."""
        return 2 + (1 + len(self.pair.dense)) * self.size

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything that influences the numbers."""
        watched = self.time, self.watched, self.slopes, self.corrections, self.correcting
        text = repr((self.rates.digest, self.state, self.pair, *watched))
        return hashlib.sha256(text.encode()).hexdigest()
