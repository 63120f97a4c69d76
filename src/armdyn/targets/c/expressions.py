"""Expressions of C: text with the precedence of its outermost operator, with no more parentheses than needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from armdyn.targets.c.dialect import Dialect

CHOICE, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY = range(6)
"""The precedence of operators, the weakest first."""


class CExpression(NamedTuple):
    """An expression."""

    text: str
    strength: int = PRIMARY

    def at_least(self, strength: int) -> str:
        """The text as an operand, in parentheses if its precedence is lower."""
        return self.text if self.strength >= strength else f"({self.text})"


def number(dialect: Dialect, value: float) -> CExpression:
    """A constant."""
    text = dialect.literal(value)
    return CExpression(text, UNARY if text.startswith("-") else PRIMARY)


def _commuting(operator: str, strength: int) -> Callable[[CExpression, CExpression], CExpression]:
    """a + b or a * b. Chains grow to the left, so that they need no parentheses; the order of two operands is free."""

    def join(a: CExpression, b: CExpression) -> CExpression:
        if b.strength == strength < a.strength:
            a, b = b, a
        return CExpression(f"{a.at_least(strength)} {operator} {b.at_least(strength + 1)}", strength)

    return join


def _in_order(operator: str, strength: int) -> Callable[[CExpression, CExpression], CExpression]:
    """A - b or a / b."""
    return lambda a, b: CExpression(f"{a.at_least(strength)} {operator} {b.at_least(strength + 1)}", strength)


OPERATORS: Mapping[str, Callable[..., CExpression]] = {
    "add": _commuting("+", SUM),
    "mul": _commuting("*", PRODUCT),
    "sub": _in_order("-", SUM),
    "div": _in_order("/", PRODUCT),
    "neg": lambda a: CExpression(f"-{a.at_least(PRIMARY)}", UNARY),
}

COMPARISONS = {"less": "<", "less_equal": "<="}


def comparison(operation: str, a: CExpression, b: CExpression) -> CExpression:
    """A condition: an int in C, not a number of the program."""
    return CExpression(f"{a.at_least(SUM)} {COMPARISONS[operation]} {b.at_least(SUM)}", COMPARISON)


def choice(condition: CExpression, if_true: CExpression, if_false: CExpression) -> CExpression:
    """``if_true`` if the condition holds, else ``if_false``."""
    text = f"{condition.at_least(COMPARISON)} ? {if_true.at_least(COMPARISON)} : {if_false.at_least(COMPARISON)}"
    return CExpression(text, CHOICE)


def call(function: str, *arguments: CExpression) -> CExpression:
    """The call of a function."""
    return CExpression(f"{function}({', '.join(a.text for a in arguments)})")
