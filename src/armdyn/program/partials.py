"""The partial derivatives of every operation: dz/da for z = a * b, z = sin(a), ... as expressions of z, a, b.

Both accumulations use them: forward, dz/da times the tangent of a is added to that of z; in reverse, dz/da times the
adjoint of z is added to that of a. Partial derivatives reuse z, the result itself, if they can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.program.expr import Expr
from armdyn.program.functions import select, sign
from armdyn.program.graph import Graph

Partial = Callable[..., Scalar]
"""A partial derivative as a function of the result z and the arguments."""

PARTIALS: Mapping[str, tuple[Partial, ...]] = {
    "add": (lambda z, a, b: 1.0, lambda z, a, b: 1.0),
    "sub": (lambda z, a, b: 1.0, lambda z, a, b: -1.0),
    "mul": (lambda z, a, b: b, lambda z, a, b: a),
    "div": (lambda z, a, b: 1.0 / b, lambda z, a, b: -(z * (1.0 / b))),
    "neg": (lambda z, a: -1.0,),
    "sin": (lambda z, a: np.cos(a),),
    "cos": (lambda z, a: -np.sin(a),),
    "tan": (lambda z, a: 1.0 + z * z,),
    "asin": (lambda z, a: 1.0 / np.sqrt(1.0 - a * a),),
    "acos": (lambda z, a: -(1.0 / np.sqrt(1.0 - a * a)),),
    "atan": (lambda z, a: 1.0 / (1.0 + a * a),),
    "atan2": (lambda z, y, x: x * (1.0 / (x * x + y * y)), lambda z, y, x: -(y * (1.0 / (x * x + y * y)))),
    "sqrt": (lambda z, a: 0.5 / z,),
    "exp": (lambda z, a: z,),
    "log": (lambda z, a: 1.0 / a,),
    "tanh": (lambda z, a: 1.0 - z * z,),
    "pow": (lambda z, a, b: b * a ** _number(b - 1.0), lambda z, a, b: z * np.log(a)),
    "abs": (lambda z, a: sign(a),),
    "min": (lambda z, a, b: _share_of_the_smaller(a, b), lambda z, a, b: _share_of_the_smaller(b, a)),
    "max": (lambda z, a, b: _share_of_the_smaller(b, a), lambda z, a, b: _share_of_the_smaller(a, b)),
    # Steps: constant wherever they are continuous.
    "sign": (lambda z, a: 0.0,),
    "floor": (lambda z, a: 0.0,),
    "less": (lambda z, a, b: 0.0, lambda z, a, b: 0.0),
    "less_equal": (lambda z, a, b: 0.0, lambda z, a, b: 0.0),
}
"""The partial derivatives of every operation by each argument. At a kink, |x| at 0 or min(a, b) at a = b, it is the
mean of both sides. `carried` handles the two operations that are missing here: a branch that is not taken contributes
nothing, even if it is NaN or infinite, so their partial derivatives are not mere factors."""


def carried(graph: Graph, index: int, place: int, amount: int) -> int | None:
    """dz/da times ``amount``, for the node z at ``index`` and its argument a, number ``place``; None for zero."""
    name, *arguments = graph.nodes[index]
    if name == "select":
        return _through_select(graph, arguments[0], place, amount)  # type: ignore[arg-type]
    if name == "guard":
        return graph.apply("guard", amount, arguments[1]) if place == 0 else None  # type: ignore[arg-type]
    partial = PARTIALS[str(name)][place](*(Expr(graph, k) for k in (index, *arguments)))  # type: ignore[arg-type]
    factor = partial.index if isinstance(partial, Expr) else graph.constant(partial)
    product = graph.mul(amount, factor)
    return None if graph.value_of(product) == 0.0 else product


def _through_select(graph: Graph, condition: int, place: int, amount: int) -> int | None:
    """The amount through a branch: all of it if the branch is taken, else zero."""
    if place == 0:
        return None
    branches = (amount, 0.0) if place == 1 else (0.0, amount)
    values = [Expr(graph, b) if isinstance(b, int) else b for b in branches]
    chosen: Expr = select(Expr(graph, condition), *values)
    return chosen.index


def _share_of_the_smaller(a: object, b: Scalar) -> Scalar:
    """1 if a < b, 0 if a > b, a half if they are equal; NaN if either is NaN."""
    return 0.5 + 0.5 * sign(b - a)


def _number(exponent: Expr) -> Scalar:
    """A constant exponent as a number, for which powers have shorter forms."""
    value = exponent.graph.value_of(exponent.index)
    return exponent if value is None else value
