"""`NamedResults`: results of an arm in closed form by name, with their symbols and steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import sympy

from armdyn.base.errors import UnknownName
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.steps import Equation, Step

if TYPE_CHECKING:
    from armdyn.derivation.arm import SymbolicArm
    from armdyn.derivation.arrangement import Arrangement
    from armdyn.derivation.structure import Structure


class NamedResults(ABC):
    """Results by name, the symbols of the arm with their values and meanings, and the steps to the results."""

    RESULTS: ClassVar[Mapping[str, tuple[str, str, str]]]
    """Every result: its symbol, its LaTeX, its meaning."""

    WHERE: ClassVar[str]
    """The kind of the results, for error messages."""

    if TYPE_CHECKING:

        @property
        def arm(self) -> SymbolicArm:
            """The arm with its symbols."""

        @property
        def form(self) -> str:
            """The name of the form, e.g. "lagrange"."""

        @property
        def steps(self) -> tuple[Step, ...]:
            """The steps in order: title, sentence, equations."""

    @abstractmethod
    def _result(self, name: str) -> Scalar:
        """One of `RESULTS`."""

    def _step(self, title: str, sentence: str, *names: str) -> Step:
        """A step whose equations are results."""
        lines = ((*self.RESULTS[name][:2], self[name]) for name in names)
        return Step(title, sentence, tuple(Equation(sympy.Symbol(side), value, latex) for side, latex, value in lines))

    @property
    def q(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates q1, ..., qn."""
        return self.arm.algebra.symbols["q"]

    @property
    def qd(self) -> tuple[sympy.Symbol, ...]:
        """Their rates qd1, ..., qdn."""
        return self.arm.algebra.symbols["qd"]

    @property
    def qdd(self) -> tuple[sympy.Symbol, ...]:
        """Their accelerations qdd1, ..., qddn."""
        return self.arm.algebra.symbols["qdd"]

    @property
    def values(self) -> Mapping[sympy.Symbol, float]:
        """The robot's numbers for the symbols, SI."""
        return self.arm.values

    @property
    def meanings(self) -> Mapping[sympy.Symbol, str]:
        """The meanings of the symbols, e.g. "mass of link_1"."""
        return self.arm.meanings

    @property
    def names(self) -> tuple[str, ...]:
        """The names of `RESULTS` and of the equations of the steps, in order."""
        lines = (str(each.symbol) for step in self.steps for each in step.equations)
        return tuple(dict.fromkeys([*self.RESULTS, *lines]))

    def __iter__(self) -> Iterator[str]:
        """The names, one after the other."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """True if there is a result or an equation of this name."""
        return isinstance(name, str) and (name in self.RESULTS or self._equation(name) is not None)

    def __getitem__(self, name: str) -> Any:
        """A result by its name, one of `RESULTS`, or an equation of the steps, as a matrix or an expression of SymPy.

        Raises:
            UnknownName: a name that neither has.
        """
        if not isinstance(name, str):
            raise UnknownName.of("result", name, self.names, self.WHERE)
        if name in self.RESULTS:
            return self._results(name)
        return self.equation(name).expression

    def equation(self, name: str) -> Equation:
        """An equation by the name of its left side: a result, or a line of the steps, e.g. "K_2".

        Raises:
            UnknownName: a name that neither has.
        """
        if name in self.RESULTS:
            symbol, side, _ = self.RESULTS[name]
            return Equation(sympy.Symbol(symbol), self[name], side)
        result = self._equation(name)
        if result is None:
            raise UnknownName.of("result", name, self.names, self.WHERE)
        return result

    def _equation(self, name: str) -> Equation | None:
        """The last equation of the steps with this left side."""
        lines = (each for step in reversed(self.steps) for each in step.equations)
        return next((each for each in lines if str(each.symbol) == name), None)

    @cached_property
    def _results(self) -> Callable[[str], Scalar]:
        return cache(self._result)


class DynamicsResults(NamedResults):
    """The results of a `Derivation`, with the polynomials from which they are written."""

    if TYPE_CHECKING:

        @property
        def structure(self) -> Structure:
            """The parts as polynomials."""

        @property
        def arrangement(self) -> Arrangement:
            """The arrangement that writes polynomials as expressions."""
