"""Programs: straight-line code, made by tracing a function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from armdyn.base.errors import ArmdynError, DTypeError, TraceError
from armdyn.base.imported import exported
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.program.expr import WHY_NO_VALUE, Expr, NeedsNumbers, traced
from armdyn.program.graph import Graph, Node, cone
from armdyn.program.operations import OPERATIONS
from armdyn.program.ports import Names, Port, inputs_of
from armdyn.program.replay import Operations, replay

NUMBERS_ONLY = ("dtype('O')", "not supported for the input types", "object arrays are not supported")
"""Texts of the error messages of NumPy and SciPy for arrays of traced scalars."""


@dataclass(frozen=True)
class OperationCounts:
    """The operations of one evaluation, exactly. Negations are not counted: hardware folds them into their users."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    square_roots: int = 0
    trigonometric: int = 0
    other: int = 0

    @property
    def arithmetic(self) -> int:
        """Multiplications, additions and divisions together."""
        return self.multiplications + self.additions + self.divisions

    def __str__(self) -> str:
        """The counts in the literature's notation, for example ``230m + 195a + 12t``."""
        letters = ("m", "a", "d", "r", "t", "o")
        counts = [(getattr(self, f.name), letter) for f, letter in zip(fields(self), letters, strict=True)]
        return " + ".join(f"{n}{letter}" for n, letter in counts if n) or "0"


@dataclass(frozen=True)
class Program:
    """Straight-line scalar code: ``nodes`` in order of evaluation, and ``results``, the nodes that are returned.

    A node is ``("input", position)``, ``("const", value)`` or ``(operation, argument, ...)`` with arguments
    that are indices of earlier nodes. Inputs and results are flat; ``inputs`` and ``outputs`` are the arrays
    (row-major) that they belong to. Every node is needed by some result: an input that none reads has no node.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: tuple[Node, ...] = field(repr=False)
    results: tuple[int, ...] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything that influences the numbers."""
        text = repr((self.name, self.inputs, self.outputs, self.nodes, self.results))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def op_counts(self) -> OperationCounts:
        """Multiplications, additions (with subtractions), divisions, ... of one evaluation."""
        counts = dict.fromkeys((f.name for f in fields(OperationCounts)), 0)
        for name, *_ in self.nodes:
            cost = OPERATIONS[str(name)].cost if name in OPERATIONS else None
            if cost is not None:
                counts[cost] += 1
        return OperationCounts(**counts)

    def derivative(self, of: Names = None, wrt: Names = None) -> Program:
        """The program of the derivatives of outputs by inputs, exact, one output ``d_Y_d_X`` for each pair.

        Its inputs are those of this program. Every output has the shape of y, then that of x. Accumulated forward or in
        reverse, whichever takes fewer operations.

        Args:
            of: names of outputs y; all if not given.
            wrt: names of inputs x; all if not given.

        Raises:
            UnknownName: if the program does not have such an output or input.

        >>> energy = armdyn.load("planar_2r").kinetic_energy.program()
        >>> energy.derivative(wrt=["qd"]).outputs
        (Port(name='d_out_d_qd', shape=(2,)),)
        """
        from armdyn.program.jacobians import differentiated  # noqa: PLC0415 - it makes Programs

        return differentiated(self, of, wrt)

    def vjp(self, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
        """The adjoint program: cotangents of outputs times the Jacobian, J^T y_bar, without forming it.

        For every output Y of ``of`` it has one more input ``cotangent_Y`` of its shape, after the inputs of this
        program; for every input X of ``wrt`` it returns ``cotangent_X`` of its shape, the gradient of
        sum(cotangent_Y * Y). A name that is taken gets a number, ``cotangent_X_2``. One reverse accumulation computes
        all of them, with some two to three times the operations of this program. It is a Program with products too.

        Args:
            of: names of outputs; all if not given.
            wrt: names of inputs; all if not given.
            primal: return the outputs ``of`` too, before the products.

        Raises:
            UnknownName: if the program does not have such an output or input.

        >>> adjoint = armdyn.load("ur5").inverse_dynamics.program().vjp(wrt=["q"])
        >>> [port.name for port in adjoint.inputs], [port.name for port in adjoint.outputs]
        (['q', 'qd', 'qdd', 'cotangent_out'], ['cotangent_q'])
        """
        from armdyn.program.jacobians import vjp  # noqa: PLC0415 - it makes Programs

        return vjp(self, of, wrt, primal=primal)

    def jvp(self, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
        """The tangent program: the Jacobian times tangents of inputs, J x_dot, without forming it.

        For every input X of ``wrt`` it has one more input ``tangent_X`` of its shape, after the inputs of this program;
        for every output Y of ``of`` it returns ``tangent_Y`` of its shape, the rate of Y if all these inputs change
        together. It takes one forward accumulation; names and cost are those of `vjp`.

        Args:
            of: names of outputs; all if not given.
            wrt: names of inputs; all if not given.
            primal: return the outputs ``of`` too, before the products.

        Raises:
            UnknownName: if the program does not have such an output or input.

        >>> tangent = armdyn.load("ur5").mass_matrix.program().jvp(primal=True)
        >>> [port.name for port in tangent.inputs], [port.name for port in tangent.outputs]
        (['q', 'tangent_q'], ['out', 'tangent_out'])
        """
        from armdyn.program.jacobians import jvp  # noqa: PLC0415 - it makes Programs

        return jvp(self, of, wrt, primal=primal)

    def replay(
        self, scalars: Sequence[object], operations: Operations, constant: Callable[[float], Scalar] = float
    ) -> list[list[Scalar]]:
        """The results on any kind of scalar, a list for every output, as from `armdyn.program.replay`."""
        return replay(self, scalars, operations, constant)

    def __str__(self) -> str:
        return str(self.summary())

    summary = exported("armdyn.targets.equations")
    equations = exported("armdyn.targets.equations")
    latex = exported("armdyn.targets.equations")
    to_python = exported("armdyn.targets.equations")
    to_casadi = exported("armdyn.targets.casadi")
    to_c = exported("armdyn.targets.c")
    to_cuda = exported("armdyn.targets.cuda")
    to_sympy = exported("armdyn.targets.sympy")
    to_jax = exported("armdyn.targets.jax")
    to_torch = exported("armdyn.targets.torch")
    to_wasm = exported("armdyn.targets.wasm")


def trace(
    function: Callable[..., object], inputs: Sequence[Port], output_names: Sequence[str] = (), *, name: str = ""
) -> Program:
    """Trace ``function``: run it once on `Expr` arrays of the inputs' shapes and record its operations.

    The function returns an array, or a tuple of arrays for a program with several outputs.
    """
    graph = Graph()
    nodes_of = inputs_of(graph, inputs)
    try:
        returned = function(*(traced(graph, nodes, p.shape) for p, nodes in zip(inputs, nodes_of, strict=True)))
    except Exception as error:
        explanation = explained(error, name)
        if explanation is None or explanation is error:
            raise
        raise explanation from None
    arrays = [np.asarray(r) for r in (returned if isinstance(returned, tuple) else (returned,))]
    names = output_names or ([f"out{k}" for k in range(len(arrays))] if len(arrays) > 1 else ["out"])
    if len(names) != len(arrays):
        raise TraceError(f"{name or 'the function'} returned {len(arrays)} arrays; expected {len(names)}: {names}")
    outputs = tuple(Port(n, a.shape) for n, a in zip(names, arrays, strict=True))
    results = [_node_of(graph, scalar, name) for array in arrays for scalar in array.flat]
    nodes, live_results = live(graph, results)
    if any(node[0] == "input" and node[1] < 0 for node in nodes):  # type: ignore[operator]
        raise TraceError(f"{name or 'the function'} uses the argument of a function outside of its derivative")
    return Program(name or getattr(function, "__name__", "program"), tuple(inputs), outputs, nodes, live_results)


def explained(error: Exception, name: str = "") -> TraceError | None:
    """The `TraceError` for an error raised while tracing: itself, one made from an error of NumPy, or None."""
    name, text = name or "the function", str(error)
    if isinstance(error, DTypeError) and "Python objects" in text:
        return NeedsNumbers(f"{name} calls what takes numbers only, while it is traced once for all states ({error})")
    if isinstance(error, ArmdynError):
        return error if isinstance(error, TraceError) and type(error) in (TraceError, NeedsNumbers) else None
    if isinstance(error, TypeError | ValueError) and any(words in text for words in NUMBERS_ONLY):
        return NeedsNumbers(
            f"{name} calls a part of NumPy or SciPy that takes numbers only, while it is traced once for all "
            f"states ({error}). Linear algebra: @ and sums of products are traced; M^-1 b is "
            "armdyn.algorithms.factors.factored_mass_matrix(model, q).solve(b), another symmetric positive definite "
            "system armdyn.spatial.positive_definite.Cholesky.of(A).solve(b)"
        )
    if isinstance(error, TypeError | AttributeError | ValueError) and ("Expr" in text or "no callable" in text):
        return NeedsNumbers(f"{name} needs a number ({error}), but what it is given {WHY_NO_VALUE}")
    return None


def _node_of(graph: Graph, scalar: Scalar, name: str) -> int:
    if isinstance(scalar, Expr):
        if scalar.graph is not graph:
            raise TraceError(f"{name or 'the function'} returned an Expr kept from an earlier trace")
        return scalar.index
    try:
        if isinstance(scalar, complex | np.complexfloating):
            raise TypeError
        return graph.constant(float(scalar))
    except (TypeError, ValueError):
        raise TraceError(f"{name or 'the function'} returned {scalar!r}; expected real numbers") from None


def live(graph: Graph, results: Sequence[int]) -> tuple[tuple[Node, ...], tuple[int, ...]]:
    """The nodes that some result needs, renumbered, and the results among them; dead code is removed."""
    reachable = cone(graph, results)
    place = {index: k for k, index in enumerate(reachable)}
    nodes: list[Node] = []
    for index in reachable:
        node = graph.nodes[index]
        has_arguments = node[0] not in ("input", "const")
        nodes.append((node[0], *[place[a] for a in node[1:]]) if has_arguments else node)  # type: ignore[index]
    return tuple(nodes), tuple(place[r] for r in results)
