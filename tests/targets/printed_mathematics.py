"""Equations in Unicode and in LaTeX, read back as a reader of mathematics reads them, to numbers."""

import math
import re
from collections.abc import Iterator
from typing import Any

from armdyn.targets.equations import Equations

FUNCTIONS = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan,
    "exp": math.exp, "tanh": math.tanh, "ln": math.log, "min": min, "max": max, "atan2": math.atan2, "sqrt": math.sqrt,
    "sgn": lambda x: (x > 0) - (x < 0), "guard": lambda value, unused: value + 0 * unused,
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def from_unicode(equations: Equations, values: dict[str, float]) -> dict[str, float]:
    """The left sides by name, for the inputs by name."""
    known = dict(values)
    for left, right in equations:
        names = sorted(known, key=len, reverse=True)
        plain = right
        for name in names:
            plain = plain.replace(name, f"({known[name]!r})")
        plain = re.sub(r"\b10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: f"10.0**({m[1].translate(SUPERSCRIPTS)})", plain)
        plain = re.sub(r"(sin|cos) (\([^()]*\))$", r"\1\2", plain).replace("²", "**2").replace("·", "*")
        known[left] = eval(plain, {"sin": math.sin, "cos": math.cos})  # noqa: S307
    return known


def from_latex(equations: Equations, values: dict[str, float]) -> dict[str, float]:
    """The same by the symbols of LaTeX; of the equations, not the matrices behind them."""
    known = dict(values)
    for left, right in latex_rows(equations.latex()):
        if right.startswith(r"\begin{bmatrix}"):
            continue
        symbols = sorted(known, key=len, reverse=True)
        marked = right
        for k, symbol in enumerate(symbols):
            marked = marked.replace(symbol, f"@{k}@")
        known[left] = Latex(marked, [known[s] for s in symbols]).value()
    return known


def latex_rows(latex: str) -> Iterator[tuple[str, str]]:
    """Left and right sides of an ``align*``."""
    inside = latex.removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}")
    for row in inside.replace(" \\\\\n&\\quad {}", "").split(" \\\\\n"):
        for equation in row.split(r", \qquad "):
            left, _, right = equation.replace("&", "", 0 if "bmatrix" in row else -1).partition("=")
            yield left.replace("&", "").strip(), right.strip()


class Latex:
    """Sums of products of factors; side by side is a product."""

    TOKEN = re.compile(r"@\d+@|\\operatorname\{\w+\}|\\[A-Za-z]+|\d+(?:\.\d+)?|[()+\-{}^,|]")
    SKIPPED = frozenset({r"\left", r"\right", r"\cdot"})

    def __init__(self, text: str, values: list[float]) -> None:
        self.tokens = [t for t in self.TOKEN.findall(text.replace(r"\,", " ")) if t not in self.SKIPPED]
        self.values = values

    def value(self) -> float:
        result = self.sum()
        assert not self.tokens, self.tokens
        return result

    def next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, expected: str) -> None:
        assert self.tokens.pop(0) == expected

    def sum(self) -> float:
        total = 0.0
        sign = 1.0
        if self.next() == "-":
            self.take("-")
            sign = -1.0
        total += sign * self.product()
        while self.next() in ("+", "-"):
            sign = 1.0 if self.tokens.pop(0) == "+" else -1.0
            total += sign * self.product()
        return total

    def product(self) -> float:
        result = self.power()
        while self.tokens and self.next() not in (")", "}", "+", "-", ",", "|"):
            result *= self.power()
        return result

    def power(self) -> float:
        base = self.factor()
        return base ** self.group() if self.next() == "^" and self.tokens.pop(0) else base

    def group(self) -> float:
        self.take("{")
        result = self.sum()
        self.take("}")
        return result

    def factor(self) -> float:
        word = self.tokens.pop(0)
        if word == "(":
            self.tokens.insert(0, "(")
            return self.arguments()[0]
        if word == r"\frac":
            return self.group() / self.group()
        if word == r"\sqrt":
            return math.sqrt(self.group())
        if word.startswith("@"):
            return self.values[int(word[1:-1])]
        if word.startswith("\\"):
            function = FUNCTIONS[word.removeprefix(r"\operatorname{").removesuffix("}").removeprefix("\\")]
            return function(*(self.arguments() if self.next() == "(" else [self.factor()]))
        return float(word)

    def arguments(self) -> list[Any]:
        self.take("(")
        found = [self.sum()]
        while self.next() == ",":
            self.take(",")
            found.append(self.sum())
        self.take(")")
        return found
