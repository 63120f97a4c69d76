"""Terms as text, with parentheses by precedence, for every notation."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from armdyn.targets.equations.numbers import decimal
from armdyn.targets.equations.symbol import Symbol
from armdyn.targets.equations.term import Term

if TYPE_CHECKING:
    from armdyn.targets.equations.equation_data import EquationData


class Binds(IntEnum):
    """The precedence of the outermost operation."""

    CASES = -1
    RELATION = 0
    SUM = 1
    QUOTIENT = 2
    PRODUCT = 3
    ATOM = 4


@dataclass(frozen=True)
class TermText:
    """A term as text, without its sign."""

    text: str
    binds: Binds = Binds.ATOM
    negative: bool = False
    summands: tuple[str, ...] = ()
    """The pieces of its text, each after the first beginning with its sign, between which a line may be broken."""


class Notation(ABC):
    """A way of writing equations.

    If ``associative``, a + (b + c) is written a + b + c. Source code keeps the parentheses, because they set the order
    of rounding.
    """

    associative = True
    plus, minus, sign = " + ", " - ", "-"

    @abstractmethod
    def symbol(self, symbol: Symbol) -> str:
        """A name."""

    @abstractmethod
    def number(self, value: float) -> TermText:
        """A positive constant."""

    @abstractmethod
    def product(self, a: str, b: str) -> str:
        """a b."""

    @abstractmethod
    def quotient(self, a: TermText, b: TermText) -> TermText:
        """a / b, both without sign."""

    @abstractmethod
    def call(self, name: str, arguments: list[TermText]) -> TermText:
        """Any other operation."""

    def parenthesised(self, text: str) -> str:
        """(text)."""
        return f"({text})"

    def square(self, a: str) -> TermText | None:
        """The square of a symbol, if the notation has a shorter form than a a."""
        return None

    def signed(self, a: TermText) -> str:
        """A whole right-hand side, with its sign."""
        if not a.negative:
            return a.text
        return f"{self.sign}{self.in_parentheses(a, Binds.SUM) if a.binds == Binds.SUM else a.text}"

    def in_parentheses(self, a: TermText, weakest: Binds) -> str:
        """The text of a term without its sign, in parentheses if its precedence is at most ``weakest``."""
        return self.parenthesised(a.text) if a.binds <= weakest else a.text

    def constant(self, value: float) -> TermText:
        """Any constant."""
        if math.copysign(1.0, value) < 0:
            printed = self.number(-value)
            return TermText(printed.text, printed.binds, negative=True)
        return self.number(value)

    def sum(self, a: TermText, b: TermText) -> TermText:
        """a + b, or a - b if b has a sign."""
        if a.negative and a.binds == Binds.SUM:
            first: tuple[str, ...] = (self.signed(a),)
        elif a.negative:
            first = (f"{self.sign}{a.text}",)
        else:
            first = a.summands or (self.in_parentheses(a, Binds.RELATION),)
        open_ = self.associative and not b.negative and b.binds == Binds.SUM
        if open_:
            rest = b.summands or (b.text,)
            following: tuple[str, ...] = (f"{self.plus}{rest[0]}", *rest[1:])
            if rest[0].startswith(self.sign):
                following = (f"{self.minus}{rest[0][len(self.sign) :]}", *rest[1:])
        else:
            following = (f"{self.minus if b.negative else self.plus}{self.in_parentheses(b, Binds.SUM)}",)
        summands = (*first, *following)
        return TermText("".join(summands), Binds.SUM, summands=summands)

    def multiplied(self, a: TermText, b: TermText) -> TermText:
        """a b, a constant first, the sign in front."""
        negative = a.negative != b.negative
        if a.text == b.text and a.binds == Binds.ATOM and (square := self.square(a.text)):
            return TermText(square.text, square.binds, negative=negative)
        first = self.in_parentheses(a, Binds.QUOTIENT if self.associative else Binds.SUM)
        right = self.in_parentheses(b, Binds.QUOTIENT if self.associative else Binds.PRODUCT)
        return TermText(self.product(first, right), Binds.PRODUCT, negative=negative)

    def divided(self, a: TermText, b: TermText) -> TermText:
        """a / b, the sign in front."""
        quotient = self.quotient(a, b)
        return TermText(quotient.text, quotient.binds, negative=a.negative != b.negative)

    @staticmethod
    def negated(a: TermText) -> TermText:
        """-a."""
        return TermText(a.text, a.binds, negative=not a.negative, summands=a.summands)

    @property
    def operations(self) -> Mapping[str, Callable[..., TermText]]:
        """The operations with infix or prefix signs; every other one is a call."""
        return {
            "add": self.sum,
            "sub": lambda a, b: self.sum(a, self.negated(b)),
            "mul": self.multiplied,
            "div": self.divided,
            "neg": self.negated,
        }


def expressions(equations: EquationData, notation: Notation) -> tuple[dict[Term, TermText], dict[Term, TermText]]:
    """The right-hand side of every defined term, and the text of every term within others: its symbol if it has one."""
    sides: dict[Term, TermText] = {}
    written: dict[Term, TermText] = {}
    operations = notation.operations
    for term in equations.terms:
        if term.operation != "input":
            sides[term] = _print(term, written, notation, operations)
        symbol = equations.symbols.get(term)
        written[term] = TermText(notation.symbol(symbol)) if symbol else sides[term]
    return sides, written


def _print(
    term: Term, written: Mapping[Term, TermText], notation: Notation, operations: Mapping[str, Callable[..., TermText]]
) -> TermText:
    if term.operation == "const":
        return notation.constant(term.value)
    arguments = term.arguments
    if term.operation == "mul" and arguments[1].operation == "const":
        arguments = arguments[::-1]
    printed = [written[a] for a in arguments]
    operation = operations.get(term.operation)
    return operation(*printed) if operation else notation.call(term.operation, printed)


class Typeset(Notation):
    """Equations for reading, with constants as decimal numbers and powers of ten.

    Args:
        digits: the significant digits of constants; all if not given.
    """

    infinity: str
    times: str

    def __init__(self, digits: int | None = None) -> None:
        self.digits = digits

    @abstractmethod
    def power_of_ten(self, exponent: int) -> str:
        """10 to the power of a number."""

    def number(self, value: float) -> TermText:
        """A positive constant."""
        if math.isinf(value):
            return TermText(self.infinity)
        mantissa, exponent = decimal(value, self.digits)
        if not exponent:
            return TermText(mantissa)
        power = self.power_of_ten(exponent)
        return TermText(power if mantissa == "1" else f"{mantissa}{self.times}{power}", Binds.PRODUCT)
