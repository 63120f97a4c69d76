"""`FmiLayout`: the places of all values of a system in one array, knowns first, and the variables of its FMU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from math import prod

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.base.threads import cached_property
from armdyn.targets.fmi.names import element_name, structured_name
from armdyn.targets.fmi.system import FmiSystem, Variable

KNOWN = ("OF_TIME", "OF_STEP", "OF_STATES", "OF_INPUTS", "OF_PARAMETERS")
"""The roles of knowns, by their names in ``sources/fmu.h``."""


@dataclass(frozen=True)
class VariablePlace:
    """A variable and its place.

    Args:
        variable: the variable.
        role: its role, by its name in ``sources/fmu.h``.
        shape: the shape of the array.
        first: the place of its first number.
        reference: the number of the variable.
        name: its name in the FMU's naming convention.
        start: its initial numbers, for knowns.
        state: the reference of its state, for rates.
        is_output: it is an output of the FMU.
    """

    variable: Variable
    role: str
    shape: tuple[int, ...]
    first: int
    reference: int
    name: str
    start: tuple[float, ...] = ()
    state: int | None = None
    is_output: bool = False

    @property
    def size(self) -> int:
        """The count of its numbers."""
        return prod(self.shape)

    @property
    def is_known(self) -> bool:
        """True if it is not calculated."""
        return self.role in KNOWN


@dataclass(frozen=True)
class FmiLayout:
    """All variables of a system.

    Args:
        system: the system.
        arrays: an array is one variable; otherwise each of its numbers is one.
    """

    system: FmiSystem
    arrays: bool = True

    @cached_property
    def places(self) -> tuple[VariablePlace, ...]:
        """The places of the program's arrays, in the order of their values."""
        listed = list(self._listed())
        firsts = accumulate((prod(shape) for _, _, shape, _, _ in listed), initial=0)
        result = tuple(
            VariablePlace(
                variable,
                role,
                shape,
                first,
                k,
                structured_name(variable.displayed_name),
                _start(variable, role, shape),
                s,
                is_out,
            )
            for k, ((variable, role, shape, s, is_out), first) in enumerate(zip(listed, firsts, strict=False))
        )
        _refuse_same(self.system.name, [place.name for place in result])
        return result

    def _listed(self) -> Iterator[tuple[Variable, str, tuple[int, ...], int | None, bool]]:
        system, values, result = self.system, self.system.input_ports, self.system.output_ports
        yield Variable("", "s", "the time", name="time"), "OF_TIME", (), None, False
        step = "sample time" if system.sampled else "longest step of the co-simulation"
        yield Variable("", "s", step, (system.step,), name="step"), "OF_STEP", (), None, False
        for state in system.states:
            yield state.variable, "OF_STATES", values[state.variable.port].shape, None, True
        for role, variables in (("OF_INPUTS", system.inputs), ("OF_PARAMETERS", system.parameters)):
            for variable in variables:
                yield variable, role, values[variable.port].shape, None, False
        for k, state in enumerate(() if system.sampled else system.states):
            yield state.later, "OF_RATES", result[state.later.port].shape, 2 + k, state.rate_is_output
        for variable in system.outputs:
            yield variable, "OF_OUTPUTS", result[variable.port].shape, None, True

    @cached_property
    def variables(self) -> tuple[VariablePlace, ...]:
        """The variables of the FMU, in the order of their value references."""
        if self.arrays:
            return self.places
        firsts = list(accumulate((place.size for place in self.places), initial=0))
        result = tuple(number for place in self.places for number in _numbers(place, firsts))
        _refuse_same(self.system.name, [number.name for number in result])
        return result

    @cached_property
    def references(self) -> tuple[tuple[int, int], ...]:
        """The reference of the variable of each value, and its number within the variable, from 1."""
        return tuple((variable.reference, k + 1) for variable in self.variables for k in range(variable.size))

    @cached_property
    def knowns(self) -> int:
        """The number of values that are not calculated."""
        return sum(place.size for place in self.places if place.is_known)

    @cached_property
    def values(self) -> int:
        """The number of all values."""
        return sum(place.size for place in self.places)

    @cached_property
    def states(self) -> int:
        """The number of values of the states."""
        return sum(place.size for place in self.places if place.role == "OF_STATES")

    @cached_property
    def of_inputs(self) -> Mapping[str, VariablePlace]:
        """The places of the program's inputs, by their names."""
        named = {p.variable.port: p for p in self.places if p.is_known and p.variable.port}
        own = {self.system.time: self.places[0], self.system.step_port: self.places[1]}
        return named | {name: place for name, place in own.items() if name}

    @cached_property
    def of_results(self) -> Mapping[str, VariablePlace]:
        """The places of the unknowns, by the names of the program's results."""
        return {p.variable.port: p for p in self.places if not p.is_known}


def _numbers(place: VariablePlace, firsts: Sequence[int]) -> Iterator[VariablePlace]:
    """Each number of an array as a variable.

    Args:
        place: the place of the array.
        firsts: the value reference of the first number of each array, by the number of the array.
    """
    each = place.variable.each or ((place.variable.unit, place.variable.description),)
    for k, index in enumerate(product(*map(range, place.shape))):
        unit, text = each[k % len(each)]
        yield replace(
            place,
            variable=replace(place.variable, unit=unit, description=text),
            shape=(),
            first=place.first + k,
            reference=firsts[place.reference] + k,
            name=element_name(place.name, index),
            start=place.start[k : k + 1],
            state=None if place.state is None else firsts[place.state] + k,
        )


def _start(variable: Variable, role: str, shape: tuple[int, ...]) -> tuple[float, ...]:
    if role not in KNOWN:
        return ()
    start = variable.start or (0.0,) * prod(shape)
    if len(start) != prod(shape):
        raise ShapeError(
            f"{variable.displayed_name} begins with {len(start)} numbers; expected {prod(shape)}, for its shape is "
            f"{shape}"
        )
    return tuple(float(x) for x in start)


def _refuse_same(system: str, names: list[str]) -> None:
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise UnknownName(f"{system}: several variables of the FMU are called {', '.join(duplicates)}")
