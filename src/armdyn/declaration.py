"""The one declaration of a function of a robot: its name, documentation, inputs, outputs and options."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from armdyn.base.by_value import reduced, travels_by_value
from armdyn.base.errors import TraceError, UnknownName
from armdyn.base.fields import set_fields

Shape = tuple[str | int, ...]
"""Dimensions of an array: numbers, or "n" (size of q), "joints" (all of them), "links" (the base counted), "pairs"
(of two different entries of q), "constraints" (their rows) and "holonomic" (those of them that are equations for q);
"6joints" is six times as many."""

_GROUP = re.compile(r"\(([^()]*)\)(\?|=0)?")
_SIGNATURE = re.compile(r"\s*(?:\([^()]*\)(?:\?|=0)?\s*,?\s*)*->\s*(?:\([^()]*\)\s*,?\s*)+")


_ON_NUMBERS: ContextVar[bool] = ContextVar("armdyn_on_numbers", default=False)


@contextmanager
def on_numbers(on: bool = True) -> Iterator[None]:
    """Let functions that are called inside return arrays of float64, which NumPy's and SciPy's solvers take.

    Otherwise an array that an algorithm makes holds Python objects, for it may hold traced scalars.

    Args:
        on: False for what is traced inside of that.
    """
    token = _ON_NUMBERS.set(on)
    try:
        yield
    finally:
        _ON_NUMBERS.reset(token)


_RUN: ContextVar[Callable[[Callable[..., Any]], Callable[..., Any]] | None] = ContextVar("armdyn_run", default=None)


@contextmanager
def running(changed: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """Let functions that are called inside run what ``changed`` makes of their implementations."""
    token = _RUN.set(changed)
    try:
        yield
    finally:
        _RUN.reset(token)


def _in_float64(results: Any) -> Any:
    """Results with arrays of float64 in the place of those of Python objects that are numbers."""
    if isinstance(results, tuple):
        changed = map(_in_float64, results)
        return type(results)(*changed) if hasattr(results, "_fields") else tuple(changed)
    if isinstance(results, np.ndarray) and results.dtype == object and all(isinstance(x, Real) for x in results.flat):
        return results.astype(np.float64)
    return results


@dataclass(frozen=True)
class Argument:
    """One array argument; an optional one may be left out or None, one that is ``zero`` counts as zeros there."""

    name: str
    shape: Shape
    optional: bool = False
    zero: bool = False

    @property
    def mark(self) -> str:
        """The mark after its shape in a signature."""
        return "?" if self.optional else "=0" if self.zero else ""


@dataclass(frozen=True, eq=False, repr=False)
class Function:
    """A function of (model, arrays...) -> array(s), written once and run on floats or traced scalars.

    Calling it runs the plain Python implementation; `armdyn.Robot` compiles it. The first line of its documentation
    names the quantity, symbol, unit and shape.

    ``sources`` are the folders of armdyn that determine what it computes, besides those every function is traced with:
    a compiled function is found on disk without tracing it until they change. It is empty of functions of your own, and
    of what `dataclasses.replace` makes: those are traced in every process, and their machine code is found by the
    program.

    ``gains`` are the arguments that may be a number, a vector of their shape or a full matrix, each with its kind:
    "any" if the shape of a call's value decides, else "number", "vector" or "matrix" (`armdyn.control.with_gains`).
    """

    implementation: Callable[..., Any] = field(repr=False)
    name: str
    signature: str
    arguments: tuple[Argument, ...]
    outputs: tuple[Shape, ...]
    options: Mapping[str, Any]
    result: type[Any] | None = None
    sizes: Mapping[str, Callable[..., int]] = field(default_factory=dict)
    choices: Mapping[str, Callable[..., Iterable[str]]] = field(default_factory=dict)
    sources: tuple[str, ...] = field(default=(), init=False)
    gains: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        set_fields(self, **{name: getattr(self.implementation, name) for name in ("__qualname__", "__doc__")})
        # Code that `exec` runs without a __name__ belongs to no module.
        set_fields(self, __module__=self.implementation.__module__ or "")
        set_fields(self, __wrapped__=self.implementation)  # so that doctest and inspect see a function

    @property
    def required_options(self) -> tuple[str, ...]:
        """The options that have no default, and must be given."""
        return tuple(name for name, default in self.options.items() if default is inspect.Parameter.empty)

    def __reduce__(self) -> str | tuple[Any, ...]:
        name, module = self.name, self.implementation.__module__
        options = {"result": self.result, "sizes": self.sizes, "choices": self.choices, "sources": self.sources}
        arguments = (self.implementation, self.signature, options | {"gains": tuple(self.gains)})
        if travels_by_value(module):
            return reduced(self, name, _declare, arguments)
        if getattr(sys.modules.get(module), name, None) is self:
            return name  # pickled by name, as functions are
        return _declare, arguments

    def __repr__(self) -> str:
        inputs = ", ".join(f"{a.name} {_group(a.shape)}{a.mark}" for a in self.arguments)
        names = getattr(self.result, "_fields", ("",) * len(self.outputs))
        text = ", ".join(f"{name} {_group(shape)}".strip() for name, shape in zip(names, self.outputs, strict=True))
        label = {name: "required" if x is inspect.Parameter.empty else repr(x) for name, x in self.options.items()}
        options = "".join(f"; {name}={x}" for name, x in label.items())
        return f"<function {self.name} of a robot: {inputs} -> {text}{options}>"

    def __call__(self, model: object, *arrays: object, **options: object) -> Any:
        """Run the implementation on numbers or traced scalars; an algorithm takes a robot for its mechanism too."""
        if "algorithms" in self.sources and not hasattr(model, "bodies"):
            if not hasattr(model, "mechanism"):
                raise TraceError(f"{self.name} of {type(model).__name__}; expected a robot, or robot.mechanism")
            model = model.mechanism
        changed = _RUN.get()
        implementation = self.implementation if changed is None else changed(self.implementation)
        result = implementation(model, *arrays, **options)
        return _in_float64(result) if _ON_NUMBERS.get() else result


@dataclass(frozen=True, eq=False, repr=False)
class MadeFunction(Function):
    """A `Function` that another function makes; it is pickled as what makes it.

    Args:
        made: makes it again.
    """

    made: Callable[[], Function] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.made, ()


def function(
    signature: str,
    *,
    result: type[Any] | None = None,
    sizes: Mapping[str, Callable[..., int]] | None = None,
    choices: Mapping[str, Callable[..., Iterable[str]]] | None = None,
    sources: tuple[str, ...] = (),
    gains: Iterable[str] = (),
) -> Callable[[Callable[..., Any]], Function]:
    """Declare a function of a robot.

    Args:
        signature: shapes of the array arguments and results in the manner of NumPy's generalised ufuncs, with ``n``
            for the number of joints, ``?`` after an argument that may be left out, and ``=0`` after one that counts
            as zeros then: ``"(n),(n),(n)=0,(6)?->(n)"``. Keyword-only arguments of the function are options fixed
            before compiling.
        result: a ``NamedTuple`` with a field for each result, if the results have names; the function returns it.
        sizes: dimensions of the results with names of their own, each a function of the `Model` and of the options.
        choices: the possible values of each option that must be given, as a function of the `Model`.
        sources: see `Function`; none for functions outside armdyn.
        gains: arguments with one axis that may also be a number, which serves all of their components, or a full
            matrix: the function gets them of 0, 1 or 2 axes, as `armdyn.control.scaled` takes them.

    >>> @function("(n),(n)->()")
    ... def power(model, qd, tau):
    ...     "Mechanical power P = qd . tau, W, scalar."
    ...     return qd @ tau
    >>> power.arguments[1]
    Argument(name='tau', shape=('n',), optional=False, zero=False)
    """
    shapes, results = _parse(signature)
    fields = results if result is None else result._fields
    if len(fields) != len(results):
        raise TraceError(f"{signature!r} has {len(results)} results, but {fields} names {len(fields)}")

    def declare(implementation: Callable[..., object]) -> Function:
        name = getattr(implementation, "__name__", None)
        if not isinstance(name, str):
            raise TraceError(f"{implementation!r} has no name of its own; expected a function (def)")
        own = inspect.signature(implementation)
        first, *parameters = own.parameters.values()
        positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        if len(positional) != len(shapes):
            raise TraceError(
                f"{name}{own} takes {len(positional)} arrays after the model, "
                f"but its signature {signature!r} names {len(shapes)}"
            )
        arguments = tuple(Argument(p.name, *declared) for p, declared in zip(positional, shapes, strict=True))
        options = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        free = dict.fromkeys([gains] if isinstance(gains, str) else gains, "any")
        vectors = [a.name for a in arguments if len(a.shape) == 1]
        for gain in free:
            if gain not in vectors:
                raise UnknownName.of("argument with one axis", gain, vectors, name)
        more = (sizes or {}, choices or {})
        declared = Function(implementation, name, signature, arguments, results, options, result, *more, gains=free)
        set_fields(declared, sources=sources)
        if "algorithms" in sources:  # a call takes a robot
            robot = first.replace(name="robot", annotation="Robot", kind=inspect.Parameter.POSITIONAL_ONLY)
            set_fields(declared, __signature__=own.replace(parameters=[robot, *parameters]))
        return declared

    return declare


def _declare(implementation: Callable[..., Any], signature: str, options: Mapping[str, Any]) -> Function:
    return function(signature, **options)(implementation)


def _parse(signature: str) -> tuple[list[tuple[Shape, bool, bool]], tuple[Shape, ...]]:
    """The shapes of the arguments, whether each may be left out or is zero then, and the shapes of the results."""
    if not _SIGNATURE.fullmatch(signature):
        raise TraceError(f"signature {signature!r} is not of the form '(n),(n),(6)?->(n)'")
    before, after = signature.split("->")
    arguments = [(_shape(group), mark == "?", mark == "=0") for group, mark in _GROUP.findall(before)]
    return arguments, tuple(_shape(group) for group, _ in _GROUP.findall(after))


def _shape(group: str) -> Shape:
    words = [word.strip() for word in group.split(",") if word.strip()]
    return tuple(int(word) if word.isdigit() else word for word in words)


def _group(shape: Shape) -> str:
    return f"({','.join(map(str, shape))})"


def in_numbers(dimension: str | int, sizes: Mapping[str, int]) -> int:
    """The length a dimension has where the words have these sizes.

    >>> in_numbers("6joints", {"joints": 7})
    42
    """
    if isinstance(dimension, int):
        return dimension
    word = dimension.lstrip("0123456789")
    if word not in sizes:
        raise UnknownName.of("size", word, sizes, "a signature")
    return int(dimension.removesuffix(word) or 1) * sizes[word]
