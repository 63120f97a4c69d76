"""Derivatives of compiled functions as compiled functions: first and higher, by arrays and by model parameters.

`Jvp` and `Vjp` are products of the Jacobian with vectors; the Jacobian is never formed.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import UnknownName
from armdyn.base.named_tuples import named_tuple
from armdyn.base.scalars import Scalar
from armdyn.declaration import Argument, Function, Shape
from armdyn.functions.compiled import CompiledFunction
from armdyn.functions.variants import Variant
from armdyn.model.parameter_words import word_of
from armdyn.model.parameters import parameter_names, parameter_shape, parameter_value
from armdyn.program import Program
from armdyn.program.differentiation import TracedResults, cotangents_along, derivatives, rates_along
from armdyn.program.ports import unused

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm
    from armdyn.model.mechanism import Mechanism

SMALL = 500
"""Number of operations up to which a recursion is compared with the differentiated function."""


class Derived(CompiledFunction):
    """A compiled function made from another one, ``primal``, by differentiating it by the quantities ``wrt``."""

    def __init__(self, primal: CompiledFunction, wrt: Sequence[str] = ()) -> None:
        self.primal = primal
        self.wrt = self._changing = tuple(wrt) or tuple(a.name for a in primal.function.arguments if not a.optional)
        result = [
            (self._shape_of(name), name) for name in self.wrt
        ]  # the shape first: it raises for what is not a name
        shapes = {name: shape for shape, name in result}
        if len(shapes) < len(self.wrt):
            raise TypeError(f"{primal.__name__} is differentiated by {', '.join(self.wrt)}; name each of them once")
        declared, positional = self._declared(shapes), primal._inputs.positional
        # Arrays by position are those of the primal: its own come after all of them.
        behind = [*primal._inputs.behind, *(a.name for a in declared.arguments if a.name not in positional)]
        super().__init__(primal.arm, declared, primal.parameters, behind=behind)

    def _made_of_kinds(self, kinds: Mapping[str, str]) -> CompiledFunction:
        return type(self)(self.primal._of_kinds(kinds), self.wrt)

    def _word(self, name: str) -> str:
        """The word for an array or parameter in the names of derivatives and their arguments."""
        return word_of(self.primal.arm.model, name)

    def _shape_of(self, name: str) -> Shape:
        """The shape of an array or parameter."""
        arguments = {a.name: a.shape for a in self.primal.function.arguments}
        if isinstance(name, str) and name in arguments:
            return arguments[name]
        model = self.primal.arm.model
        try:
            if not isinstance(name, str):
                raise UnknownName
            return parameter_shape(model, name)
        except UnknownName:
            if isinstance(name, str) and "." in name:
                raise  # no array has a dot in its name: it means a parameter, and the error lists all of them
            parameters = parameter_names(model)
            where = f"{self.primal.__name__} of {model.name!r}"
            raise UnknownName.of("array or parameter", name, [*arguments, *parameters], where) from None

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        raise NotImplementedError

    def _declared_as(self, name: str, headline: str, **changes: Any) -> Function:
        """The primal's declaration with some changes; called directly it differentiates the primal likewise."""
        arguments: tuple[Argument, ...] = changes["arguments"]

        def implementation(model: Mechanism, *arrays: object, **options: object) -> Scalar:
            values = {a.name: array for a, array in zip(arguments, arrays, strict=False) if array is not None}
            return self.evaluate(model, values, options.items())

        function = self.primal.function
        implementation.__name__ = name
        implementation.__doc__ = f"{headline}.\n\n{function.__doc__ or ''}".rstrip()
        return dataclasses.replace(function, implementation=implementation, name=name, **changes)

    def _arguments(self, shapes: Mapping[str, Shape]) -> tuple[Argument, ...]:
        """The primal's arrays; those of ``wrt`` are required."""
        arguments = self.primal.function.arguments
        return tuple(dataclasses.replace(a, optional=a.optional and a.name not in shapes) for a in arguments)

    def _results(self) -> Sequence[str]:
        """The names of the primal's results, those of its program if they have none."""
        count = len(self.primal.function.outputs)
        unnamed = [f"out{k}" for k in range(count)] if count > 1 else ["out"]
        return getattr(self.primal.function.result, "_fields", unnamed)

    def _at(self, values: Mapping[str, Any]) -> list[Any]:
        """The values of ``wrt``, for parameters without one those of the model."""
        model = self.arm.model
        return [values[name] if name in values else parameter_value(model, name) for name in self.wrt]

    def _with_primal(
        self,
        model: Mechanism,
        values: Mapping[str, object],
        options: Iterable[tuple[str, object]],
        changed: Sequence[object],
    ) -> Scalar:
        """The primal with other values of ``wrt``."""
        return self.primal.evaluate(model, {**values, **dict(zip(self.wrt, changed, strict=True))}, options)

    def _source_key(self, variant: Variant) -> str | None:
        key = self.primal._source_key(variant)
        return key and repr((type(self).__name__, self.wrt, key))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.primal, self.wrt)


class Derivative(Derived):
    """The derivatives of a compiled function by some of its arrays or of the model's parameters, exact.

    One result by one array: a plain array of the shape of the result, then that of the array. One result by several: a
    named tuple with a field ``d_X`` for each. Several results: ``d_Y_d_X`` for each pair, result by result, with Y the
    name of the result, ``out0`` and so on if it has none. A dot in the name of a parameter becomes an underscore.
    For a function whose results are derivatives ``d_Y`` themselves, ``d_Y_d_X`` is the second derivative by Y and X.

    >>> robot, q, qd = armdyn.load("planar_2r"), np.ones(2), np.ones(2)
    >>> momentum = robot.kinetic_energy.derivative("qd")
    >>> by = momentum.derivative("q", "qd")(q, qd)
    >>> bool(np.allclose(by.d_qd, robot.mass_matrix(q)))
    True
    """

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        function = self.primal.function
        outputs = tuple((*y, *x) for y in function.outputs for x in shapes.values())
        by = [f"d_{self._word(name)}" for name in shapes]
        names = (
            by if len(function.outputs) == 1 else [f"{y}_{x}" for y in map(_differential, self._results()) for x in by]
        )
        return self._declared_as(
            "_".join([function.name, *by]),
            f"Derivatives of {function.name} by {', '.join(shapes)}",
            arguments=self._arguments(shapes),
            outputs=outputs,
            result=tuple_type(names),
        )

    def evaluate(
        self, model: Mechanism, values: Mapping[str, object], options: Iterable[tuple[str, object]] = ()
    ) -> Scalar:
        """The derivatives on numbers or traced scalars, for arrays and model parameters by name."""
        result = derivatives(lambda *xs: self._with_primal(model, values, options, xs), self._at(values))
        return tuple(result) if len(result) > 1 else result[0]


class Shorter(CompiledFunction):
    """A recursion for all first derivatives of a function, or the function differentiated, whichever is shorter.

    The recursion wins on all but the smallest arms, so the other one is made only if its program is small. The
    recursion is kept if joints have friction laws, which define their own slopes at rest: the function
    differentiated at rest has the slope of one side, or none, and results would depend on the size of the arm.
    """

    def __init__(self, arm: Arm, recursion: Function, differentiated: Function) -> None:
        super().__init__(arm, recursion)
        self._differentiated = differentiated

    def _trace(self, variant: Variant) -> Program:
        recursion = super()._trace(variant)
        if recursion.op_counts.arithmetic > SMALL or any(self.arm.exact_mechanism.drive.laws):
            return recursion
        other = CompiledFunction(self.arm, self._differentiated).derivative()._trace(variant)
        if recursion.op_counts.arithmetic <= other.op_counts.arithmetic:
            return recursion
        return dataclasses.replace(other, name=recursion.name, outputs=recursion.outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shorter, (self.arm, self.function, self._differentiated)


def _differential(name: str) -> str:
    """``d_Y`` for a result Y; a name that begins with d_ is unchanged."""
    return name if name.startswith("d_") else f"d_{name}"


def tuple_type(fields: Sequence[str]) -> type[Any] | None:
    """The type of named tuples with these fields, a number after taken ones; None for one, a plain array."""
    if len(fields) < 2:
        return None
    unique: list[str] = []
    for field in fields:
        unique.append(unused(field, unique))
    kind: type[Any] = named_tuple("Derivatives", unique)
    return kind


class Product(Derived):
    """A function of the arrays of the primal and of vectors, which come after all arrays and parameters.

    Positions are those of the primal: if some of its arrays may be left out, vectors are given by name.
    """

    def _vectors_like(self, shapes: Mapping[str, Shape], word: str) -> tuple[Argument, ...]:
        """A vector ``WORD_X`` for every X, of its shape."""
        names = [a.name for a in self.primal.function.arguments]
        vectors = []
        for name, shape in shapes.items():
            vectors.append(Argument(unused(f"{word}_{self._word(name)}", names), shape))
            names.append(vectors[-1].name)
        self._vectors = tuple(vector.name for vector in vectors)
        return tuple(vectors)

    def evaluate(
        self, model: Mechanism, values: Mapping[str, object], options: Iterable[tuple[str, object]] = ()
    ) -> Scalar:
        """The products on numbers or traced scalars, for arrays and model parameters by name."""
        vectors = [values[name] for name in self._vectors]
        others = {name: value for name, value in values.items() if name not in self._vectors}
        result = self._along(lambda *xs: self._with_primal(model, others, options, xs), self._at(others), vectors)
        return result[0] if self.function.result is None and len(result) == 1 else tuple(result)

    @staticmethod
    @abstractmethod
    def _along(f: Callable[..., Any], xs: Sequence[Any], vectors: Sequence[Any], /) -> TracedResults:
        """The products at ``xs``."""


class Jvp(Product):
    """J v: the rates of the results if the quantities ``wrt`` change at ``tangent_X``, by one forward accumulation.

    The results are named and shaped as those of the function.
    """

    _along = staticmethod(rates_along)

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        function, tangents = self.primal.function, self._vectors_like(shapes, "tangent")
        return self._declared_as(
            "_".join([function.name, "jvp", *map(self._word, shapes)]),
            f"Derivatives of {function.name} by {', '.join(shapes)} times {', '.join(self._vectors)}",
            arguments=(*self._arguments(shapes), *tangents),
        )


class Vjp(Product):
    """J^T y_bar: the gradients of sum(cotangent_Y * Y), over all results Y, by one reverse accumulation.

    The result by one quantity is an array of its shape; by several, a named tuple with a field ``cotangent_X`` for
    each.
    """

    _along = staticmethod(cotangents_along)

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        function = self.primal.function
        results = dict(zip(self._results(), function.outputs, strict=True))
        cotangents = self._vectors_like(results, "cotangent")
        return self._declared_as(
            "_".join([function.name, "vjp", *map(self._word, shapes)]),
            f"{', '.join(self._vectors)} times derivatives of {function.name} by {', '.join(shapes)}",
            arguments=(*self._arguments(shapes), *cotangents),
            outputs=tuple(shapes.values()),
            result=tuple_type([f"cotangent_{self._word(name)}" for name in shapes]),
        )
