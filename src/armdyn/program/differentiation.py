"""Derivatives of functions of floats or traced scalars: exact, and expressions of the same trace.

The function is traced on separate variables, differentiated, and the derivative is replayed with the actual values
inserted. So values from outside of its arguments are constant, even if they are computed from the arguments' values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armdyn.base.errors import ShapeError
from armdyn.base.scalars import Array, Scalar
from armdyn.program.accumulation import adjoints, both_ways, choose_blocks, entries, seeds_of, shortest, tangents
from armdyn.program.expr import Expr, MixedTraces, traced
from armdyn.program.graph import Graph, replayed
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import trace


def derivative(f: Callable[[Scalar], object], x: object) -> Scalar:
    """df/dx, the Jacobian of a function of one array or number, shape (*f(x).shape, *x.shape).

    Exact, by the chain rule on the operations of f, forward or in reverse, whichever takes fewer operations. On traced
    scalars the derivative becomes part of the trace and shares all common terms; on numbers it is an array of numbers.
    Values that f does not take from its argument are constant. At a kink, e.g. of abs at 0, it is the mean of both
    sides; steps have the derivative 0.

    Args:
        f: function of one array or number that returns an array, or a tuple of arrays.
        x: the point at which the derivative is evaluated.

    Returns:
        An array, or a tuple of arrays if f returns a tuple.

    >>> armdyn.program.derivative(lambda x: x[0] * np.sin(x[1]), np.array([2.0, 0.0]))
    array([0., 2.])
    """
    jacobians = derivatives(f, [x])
    return tuple(jacobians) if jacobians.several else jacobians[0]


def rate(f: Callable[[Scalar], object], x: object, xdot: object) -> Scalar:
    """df/dt = (df/dx) xdot, the rate of a function of one array or number that changes at ``xdot``, shape of f(x).

    It takes one forward accumulation; the Jacobian is not formed. Kinks, steps and constants are those of `derivative`.

    Args:
        f: function of one array or number that returns an array, or a tuple of arrays.
        x: the point at which the rate is evaluated.
        xdot: the rate of x, or a direction in which the derivative is taken, of the shape of x.

    >>> armdyn.program.rate(lambda x: x[0] * x[1], np.array([2.0, 3.0]), np.array([1.0, 10.0]))
    np.float64(23.0)
    """
    rates = rates_along(f, [x], [xdot])
    return tuple(rates) if rates.several else rates[0]


class TracedResults(list[Any]):
    """A list of arrays; ``several`` is true if the function returns a tuple, even a tuple of one."""

    def __init__(self, arrays: Sequence[Any], *, several: bool) -> None:
        super().__init__(arrays)
        self.several = several


def derivatives(f: Callable[..., object], xs: Sequence[object]) -> TracedResults:
    """The derivatives of a function of several arrays: result by result, each by every one of ``xs``."""
    return _on_numbers_or_traced(lambda graph, arrays: _jacobians(graph, f, arrays), xs)


def rates_along(f: Callable[..., Scalar], xs: Sequence[Scalar], directions: Sequence[Scalar]) -> TracedResults:
    """The rate of every result of a function of several arrays if all of them change together."""
    n = len(xs)
    return _on_numbers_or_traced(lambda graph, arrays: _rates(graph, f, arrays[:n], arrays[n:]), [*xs, *directions])


def cotangents_along(f: Callable[..., Scalar], xs: Sequence[Scalar], cotangents: Sequence[Scalar]) -> TracedResults:
    """The gradient by every one of ``xs`` of sum(cotangent * result), over all results of a function of arrays.

    The counterpart of `rates_along`: J^T y_bar by one reverse accumulation. There is one cotangent for each result, of
    its shape.
    """
    n = len(xs)
    return _on_numbers_or_traced(
        lambda graph, arrays: _cotangents(graph, f, arrays[:n], arrays[n:]), [*xs, *cotangents]
    )


def _on_numbers_or_traced(
    work: Callable[[Graph, Sequence[Array]], TracedResults], values: Sequence[object]
) -> TracedResults:
    """``work`` in the trace that ``values`` belong to; numbers are traced first, and the result evaluated."""
    arrays = [np.asarray(v) for v in values]
    graph = next((s.graph for a in arrays for s in a.flat if isinstance(s, Expr)), None)
    if graph is not None:
        return work(graph, arrays)
    own, several = Graph(), False

    def run(*scalars: object) -> tuple[Array, ...]:
        nonlocal own, several
        inputs = [np.asarray(s) for s in scalars]
        own = next(s.graph for a in inputs for s in a.flat)
        results = work(own, inputs)
        several = results.several
        return tuple(results)

    try:
        program = trace(run, [Port(f"x{k}", a.shape) for k, a in enumerate(arrays)])
    except MixedTraces as error:  # the values are numbers, but the function uses traced values from outside
        return work(next(g for g in error.graphs if g is not own), arrays)
    return TracedResults([r[()] for r in interpret(program, *arrays)], several=several)


def _jacobians(graph: Graph, f: Callable[..., object], xs: Sequence[Array]) -> TracedResults:
    present = len(graph.nodes)
    variables, results, several = _traced_apart(graph, f, xs)
    values = _values(graph, variables, xs)
    nodes_of = [[_node_of(graph, y) for y in result.flat] for result in results]
    work = graph.copy()
    both = both_ways(work, nodes_of, variables)
    trial = graph.copy()
    place = replayed(work, trial, [e for way in both.values() for e in entries(way)], values)
    placed = {
        way: [[[[place[e] for e in line] for line in block] for block in row] for row in blocks]
        for way, blocks in both.items()
    }
    blocks = choose_blocks(both, shortest(trial, placed, present))
    place = replayed(work, graph, entries(blocks), values)
    jacobians = [
        traced(graph, [place[e] for line in block for e in line], (*result.shape, *x.shape))
        for result, row in zip(results, blocks, strict=True)
        for x, block in zip(xs, row, strict=True)
    ]
    return TracedResults(jacobians, several=several)


def _rates(graph: Graph, f: Callable[..., object], xs: Sequence[Array], directions: Sequence[Array]) -> TracedResults:
    for x, direction in zip(xs, directions, strict=True):
        if x.shape != direction.shape:
            raise ShapeError(f"the rate has shape {direction.shape}; expected {x.shape}, that of what changes")
    variables, results, several = _traced_apart(graph, f, xs)
    values = _values(graph, variables, xs)
    seeds = {v: s for v, s in _values(graph, variables, directions).items() if graph.value_of(s) != 0.0}
    nodes_of = [[_node_of(graph, y) for y in result.flat] for result in results]
    work = graph.copy()
    tangent_nodes, zero = tangents(work, seeds, [y for ys in nodes_of for y in ys]), work.constant(0.0)
    rates = [[tangent_nodes.get(y, zero) for y in ys] for ys in nodes_of]
    place = replayed(work, graph, [r for rs in rates for r in rs], values)
    arrays = [traced(graph, [place[r] for r in rs], y.shape) for rs, y in zip(rates, results, strict=True)]
    return TracedResults(arrays, several=several)


def _cotangents(
    graph: Graph, f: Callable[..., object], xs: Sequence[Array], cotangents: Sequence[Array]
) -> TracedResults:
    variables, results, _ = _traced_apart(graph, f, xs)
    shapes, expected = [c.shape for c in cotangents], [y.shape for y in results]
    if shapes != expected:
        raise ShapeError(f"the cotangents have the shapes {shapes}; expected {expected}, those of the results")
    values = _values(graph, variables, xs)
    arguments = [_node_of(graph, c) for cs in cotangents for c in cs.flat]
    of_results = [_node_of(graph, y) for ys in results for y in ys.flat]
    work = graph.copy()
    by_node = adjoints(work, seeds_of(work, of_results, arguments), [v for vs in variables for v in vs])
    zero = work.constant(0.0)
    result = [[by_node.get(v, zero) for v in vs] for vs in variables]
    place = replayed(work, graph, [node for nodes in result for node in nodes], values)
    arrays = [traced(graph, [place[node] for node in nodes], x.shape) for nodes, x in zip(result, xs, strict=True)]
    return TracedResults(arrays, several=True)


def _traced_apart(
    graph: Graph, f: Callable[..., Scalar], xs: Sequence[Array]
) -> tuple[list[list[int]], list[Array], bool]:
    """The variables in place of ``xs``, the results of f on them, and True if f returned a tuple."""
    variables = [[graph.variable() for _ in range(x.size)] for x in xs]
    returned = f(*(traced(graph, nodes, x.shape) for nodes, x in zip(variables, xs, strict=True)))
    several = isinstance(returned, tuple)
    return variables, [np.asarray(r) for r in (returned if several else (returned,))], several


def _values(graph: Graph, variables: Sequence[Sequence[int]], xs: Sequence[Array]) -> dict[int, int]:
    """The nodes of the actual values, by variable."""
    scalars = [scalar for x in xs for scalar in x.flat]
    return dict(zip((v for nodes in variables for v in nodes), (_node_of(graph, s) for s in scalars), strict=True))


def _node_of(graph: Graph, scalar: Scalar) -> int:
    if not isinstance(scalar, Expr):
        return graph.constant(float(scalar))
    if scalar.graph is not graph:
        raise MixedTraces(graph, scalar.graph)
    return scalar.index
