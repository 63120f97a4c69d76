"""Base parameters by elimination on closed forms: the fewest combinations of inertias that determine joint forces.

Joint forces are linear in products of masses, moments and the centres of mass; their coefficients are functions of the
state. Every function that occurs, a wave, a position of a prismatic joint or a product of rates, gives one linear
equation for these products, with coefficients in the field of the lengths of joints and gravity. The remaining rows
after elimination are the base parameters, with names. `armdyn.identification.identifiability` eliminates numbers, and
stands below this package, which knows the closed forms: the two share no step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from armdyn.base.errors import Unsupported
from armdyn.base.scalars import Scalar
from armdyn.derivation.arm import symbols_in
from armdyn.derivation.printing import BookNotation, lines_of

if TYPE_CHECKING:
    from armdyn.derivation.named_results import DynamicsResults

LARGEST = 40_000
"""Largest number of entries of the eliminated matrix."""


@dataclass(frozen=True)
class SymbolicBaseParameters:
    """Combinations of inertial parameters, named beta_1, beta_2, ...

    Args:
        definitions: expression of each of them in the symbols of the arm.
        tau: joint forces in base parameters, shape (n, 1).
        parameters: the symbols of the arm.
    """

    definitions: Mapping[sympy.Symbol, object]
    tau: Scalar
    parameters: tuple[Scalar, ...] = ()

    def __str__(self) -> str:
        notation = BookNotation(self.parameters)
        lines = [f"{notation.line(beta)} = {notation.line(value)}" for beta, value in self.definitions.items()]
        return "\n".join([*lines, *lines_of("tau", self.tau, BookNotation([*self.parameters, *self.definitions]))])

    @property
    def rank(self) -> int:
        """The number of base parameters."""
        return len(self.definitions)


def base_parameters(derivation: DynamicsResults) -> SymbolicBaseParameters:
    """The base parameters of an arm with symbols for all masses, inertias and centres of mass.

    Raises:
        Unsupported: an arm with numbers for some of them, or one that is too large.
    """
    arm, functions = derivation.arm, _Functions(derivation)
    numbers = [b.name for b in arm.bodies if not all(_is_symbolic(x) for x in (b.mass, *b.com, *b.tensor.flat))]
    if numbers:
        raise Unsupported(
            f"the inertia of {numbers[0]!r} has numbers; base parameters need a symbol for every mass, centre of "
            "mass and moment that is not zero: derive with symbols='all'. For numbers there is "
            "robot.base_parameters()"
        )
    if len(functions.rows) * len(functions.columns) > LARGEST:
        raise Unsupported(f"{arm.name!r} is too large for symbolic base parameters; there is robot.base_parameters()")
    return functions.eliminated()


def _is_symbolic(value: Scalar) -> bool:
    return value == 0 or bool(symbols_in(value))


class _Functions:
    """The coefficients of every function of the state in the joint forces, by products of inertial symbols."""

    def __init__(self, derivation: DynamicsResults) -> None:
        self.derivation, arm = derivation, derivation.arm
        of_inertia = arm.inertial_symbols | (symbols_in(*(x for b in arm.bodies for x in b.com)) - _of_joints(arm))
        self.constants = [s for s in arm.parameters if s not in of_inertia]
        self.field = QQ.frac_field(*self.constants) if self.constants else QQ
        self.rows: dict[Any, dict[tuple[int, ...], object]] = {}
        inner = [arm.algebra.place[s] for s in arm.parameters if s in of_inertia]
        outer = [(arm.algebra.place[s], s) for s in self.constants]
        met: dict[tuple[int, ...], None] = {}
        for i, f in enumerate(derivation.structure.tau):
            for waves, polynomial in derivation.arrangement.groups.printed(f).items():
                for monomial, value in polynomial.terms():
                    column = tuple(monomial[place] for place in inner)
                    constant = self.field.from_sympy(
                        sympy.Rational(int(value.numerator), int(value.denominator))
                        * sympy.Mul(*(s ** monomial[place] for place, s in outer))
                    )
                    places = {*inner, *(place for place, _ in outer)}
                    state = tuple(0 if place in places else power for place, power in enumerate(monomial))
                    row = self.rows.setdefault((i, waves, state), {})
                    row[column] = row.get(column, self.field.zero) + constant
                    met[column] = None
        self.inertial = [s for s in arm.parameters if s in of_inertia]
        self.columns = sorted(met, key=lambda column: tuple(-x for x in reversed(column)))

    def eliminated(self) -> SymbolicBaseParameters:
        """The rows of the reduced echelon form, and the joint forces in terms of them."""
        entries = [[row.get(column, self.field.zero) for column in self.columns] for row in self.rows.values()]
        reduced, pivots = DomainMatrix(entries, (len(entries), len(self.columns)), self.field).rref()
        products = [sympy.Mul(*(s**p for s, p in zip(self.inertial, c, strict=True))) for c in self.columns]
        rows = reduced.to_Matrix()
        betas = sympy.symbols(f"beta1:{len(pivots) + 1}")
        definitions = {
            beta: sympy.Add(*(sympy.factor(x) * product for x, product in zip(rows.row(k), products, strict=True)))
            for k, beta in enumerate(betas)
        }
        tau = self._tau(entries, pivots, betas)
        return SymbolicBaseParameters(definitions, tau, self.derivation.arm.parameters)

    def _tau(self, entries: list[list[Scalar]], pivots: tuple[int, ...], betas: tuple[object, ...]) -> Scalar:
        arrangement = self.derivation.arrangement
        total = [sympy.Integer(0)] * self.derivation.arm.dof
        for (i, waves, state), row in zip(self.rows, entries, strict=True):
            of_base = sympy.Add(*(self.field.to_sympy(row[p]) * b for p, b in zip(pivots, betas, strict=True)))
            total[i] += of_base * arrangement.function_of(waves, state)
        return sympy.ImmutableMatrix(total)


def _of_joints(arm: Any) -> set[Scalar]:
    """The symbols of the positions of joints."""
    return symbols_in(*(x for body in arm.bodies for x in body.p))
