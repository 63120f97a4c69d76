"""Couplings given as equations a . q_joints = b, several at once, solved for the joints that stay independent.

The elimination is done in fractions, in which every floating-point number is exact, so that no digit is lost between
input and result; residuals of dependent equations are compared with `ROUNDING`, because the input is rounded itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from armdyn.base.errors import ModelError, UnknownName
from armdyn.model.coordinates import LARGEST, SMALLEST, check_size, refuse, with_coordinates
from armdyn.model.model import Model

ROUNDING = Fraction(1, 10**12)
"""Coefficients smaller than this, relative to the numbers that they are computed from, are rounding errors of zero."""


@dataclass(frozen=True)
class JointEquation:
    """sum_k coefficients[k] q[k] = value, between joints given by name, as a file or a caller specifies it.

    Args:
        coefficients: a, by joint.
        value: b.
        name: its name in messages.
        where: prefix of every message about it, e.g. "arm.urdf:214".
        dependent: joints to solve for: the first that is possible.
    """

    coefficients: Mapping[str, float]
    value: float = 0.0
    name: str = ""
    where: str = ""
    dependent: tuple[str, ...] = ()

    @classmethod
    def mimic(
        cls, joint: str, leader: str, multiplier: float = 1.0, offset: float = 0.0, where: str = ""
    ) -> JointEquation:
        """q[joint] = multiplier q[leader] + offset; a joint that follows itself has one coefficient."""
        return cls({joint: 1.0, leader: -multiplier}, offset, f"joint {joint!r}", where, (joint,))

    @property
    def label(self) -> str:
        """The name, with its place in the file."""
        return f"{self.where} {self.name}" if self.where else self.name

    @property
    def joint(self) -> str:
        """The first joint: for a mimic, the follower."""
        return next(iter(self.coefficients))

    @property
    def leader(self) -> str:
        """The last joint: for a mimic, the leader."""
        return [*self.coefficients][-1]

    @property
    def multiplier(self) -> float:
        """The multiplier of a mimic."""
        return -self.coefficients[self.leader]

    def solved_for(self, joint: str, positions: Mapping[str, float]) -> float:
        """The position of a joint, from those of all the others."""
        others = sum(a * positions[name] for name, a in self.coefficients.items() if name != joint)
        return (self.value - others) / self.coefficients[joint]


@dataclass
class _Row:
    """x = sum terms[j] q_j + constant, and the equations it follows from; while it is built, 0 = ... .

    ``size`` is that of the largest number in the sum that the constant is.
    """

    terms: dict[int, Fraction]
    constant: Fraction
    sources: dict[str, None] = field(default_factory=dict)
    size: Fraction = Fraction(0)

    def substitute(self, x: int, row: _Row) -> None:
        """Put ``row`` in the place of joint x; rounding errors of zero are removed."""
        factor = self.terms.pop(x, None)
        if factor is None:
            return
        for j, term in row.terms.items():
            before, new = self.terms.get(j, Fraction(0)), factor * term
            self.terms[j] = before + new
            if abs(self.terms[j]) <= ROUNDING * max(abs(before), abs(new)):
                del self.terms[j]
        self.size = max(self.size, abs(factor * row.constant))
        self.constant += factor * row.constant
        self.sources |= row.sources


def with_joint_equations(model: Model, equations: Sequence[JointEquation], dependent: Sequence[str] = ()) -> Model:
    """The model whose coordinates are the independent joints of equations (`armdyn.Robot.with_joint_equations`)."""
    check_size(model)
    names = [coordinate.name for coordinate in model.coordinates]
    for name in [*(name for equation in equations for name in equation.coefficients), *dependent]:
        if name not in names:
            raise UnknownName.of("joint", name, names, repr(model.name))
    refuse(_problems_of(equations))
    solved = _solve(equations, names, dependent)
    stubborn = [repr(name) for name in dependent if names.index(name) not in solved]
    if stubborn:
        raise ModelError(
            f"the equations cannot be solved for {', '.join(stubborn)}: no equation that is left holds it. Name other "
            "joints in dependent=, or leave the choice open."
        )
    free = [k for k in range(len(names)) if k not in solved]
    if not free:
        raise ModelError(f"the equations hold every joint of {model.name!r} still; an arm needs one that moves.")
    matrix, offset = np.zeros((len(names), len(free))), np.zeros(len(names))
    for column, k in enumerate(free):
        matrix[k, column] = 1.0
    for k, row in solved.items():
        if abs(row.constant) > LARGEST or not all(SMALLEST <= abs(term) <= LARGEST for term in row.terms.values()):
            raise ModelError(
                f"the equations have no finite solution for {names[k]!r}, or one beyond what can be computed with; "
                f"expected factors of the joints it follows between {SMALLEST:g} and {LARGEST:g} in size, and an "
                f"offset of at most {LARGEST:g}. Mend their numbers."
            )
        offset[k] = float(row.constant)
        for j, term in row.terms.items():
            matrix[k, free.index(j)] = float(term)
    where = {equation.joint: equation.where for equation in equations if equation.where}
    return with_coordinates(model, [names[k] for k in free], matrix, offset, where=where)


def _problems_of(equations: Sequence[JointEquation]) -> Iterator[str]:
    for equation in equations:
        numbers = [*equation.coefficients.values(), equation.value]
        if not all(map(math.isfinite, numbers)):
            wrong = next(x for x in numbers if not math.isfinite(x))
            yield f"{equation.name} holds {wrong:g}; expected finite numbers."
        elif not any(equation.coefficients.values()):
            yield f"{equation.name} has no coefficient that is not zero; it says nothing about any joint."


def _solve(equations: Sequence[JointEquation], names: Sequence[str], dependent: Sequence[str]) -> dict[int, _Row]:
    """The dependent joints, each with its row of independent joints; all others are independent."""
    solved: dict[int, _Row] = {}
    problems = []
    for equation in equations:
        terms = {names.index(name): Fraction(a) for name, a in equation.coefficients.items() if a != 0.0}
        constant = -Fraction(equation.value)
        row = _Row(terms, constant, {equation.name: None}, max(abs(constant), *map(abs, terms.values())))
        for x in [x for x in terms if x in solved]:
            row.substitute(x, solved[x])
        if not row.terms:
            problems.append(_superfluous(equation, row, equations))
            continue
        x = _pivot_joint(row, [*dependent, *equation.dependent], names)
        pivot = -row.terms.pop(x)
        row.terms = {j: term / pivot for j, term in row.terms.items()}
        row.constant /= pivot
        for other in solved.values():
            other.substitute(x, row)
        solved[x] = row
    refuse(problems)
    return solved


def _pivot_joint(row: _Row, wished: Sequence[str], names: Sequence[str]) -> int:
    """The joint an equation is solved for: the first that is requested, else the last in the order of q."""
    for name in wished:
        if names.index(name) in row.terms:
            return names.index(name)
    return max(row.terms)


def _superfluous(equation: JointEquation, row: _Row, equations: Sequence[JointEquation]) -> str:
    others = [other.name for other in equations if other.name in row.sources and other is not equation]
    text = ", ".join(others[:8]) + (", ..." if len(others) > 8 else "")
    if abs(row.constant) <= ROUNDING * row.size:
        return f"{equation.name} says nothing that {text} {_does(others)} not say already; leave it out."
    return (
        f"{equation.name} contradicts {text}: together they ask for 0 = {float(row.constant):.3g}. "
        "Leave one of them out, or mend the numbers."
    )


def _does(others: Sequence[str]) -> str:
    return "does" if len(others) == 1 else "do"


def as_equations(equations: Sequence[object]) -> list[JointEquation]:
    """The argument of ``with_joint_equations``: mappings of coefficients, or pairs of a mapping and a value."""
    if not isinstance(equations, Iterable):
        raise ModelError(
            f"equations are {equations!r}; expected a list of coefficients by joint, such as "
            "[{'elbow': 1.0, 'motor': -0.5}]."
        )
    return [_as_equation(i, one) for i, one in enumerate(equations)]


def _as_equation(i: int, equation: object) -> JointEquation:
    coefficients, value = equation if isinstance(equation, tuple | list) and len(equation) == 2 else (equation, 0.0)
    if isinstance(coefficients, Mapping):
        try:
            numbers = {str(name): float(a) for name, a in coefficients.items()}
            return JointEquation(numbers, float(value), f"equation {i}")
        except (TypeError, ValueError):
            pass
    raise ModelError(
        f"equation {i} is {equation!r}; expected coefficients by joint, such as {{'elbow': 1.0, 'motor': -0.5}}, or "
        "the pair of these and what they sum up to."
    )
