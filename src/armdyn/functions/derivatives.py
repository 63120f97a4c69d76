"""Derivatives of compiled functions as compiled functions: first and higher, by arrays and by model parameters."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from armdyn.declaration import Argument, Function, Shape
from armdyn.errors import UnknownName
from armdyn.functions.compiled import CompiledFunction
from armdyn.functions.variants import Variant
from armdyn.model.parameters import parameter_names, parameter_shape, parameter_value
from armdyn.program import Program
from armdyn.program.differentiation import derivatives, rates_along

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm
    from armdyn.model.mechanism import Mechanism

SMALL = 500
"""Operations of a program that is worth comparing with another one."""


class _Derived(CompiledFunction):
    """A compiled function made from another one, ``primal``, by differentiating it by the quantities ``wrt``."""

    def __init__(self, primal: CompiledFunction, wrt: Sequence[str] = ()) -> None:
        self.primal = primal
        self.wrt = tuple(wrt) or tuple(a.name for a in primal.function.arguments if not a.optional)
        found = [(self._shape_of(name), name) for name in self.wrt]  # the shape first: what is no name has none
        shapes = {name: shape for shape, name in found}
        if len(shapes) < len(self.wrt):
            raise TypeError(f"{primal.__name__} is differentiated by {', '.join(self.wrt)}; name each of them once")
        declared, taken = self._declared(shapes), primal._inputs.positional
        # Arrays by position are those of the primal: its own stand behind all of them.
        behind = [*primal._inputs.behind, *(a.name for a in declared.arguments if a.name not in taken)]
        super().__init__(primal.arm, declared, primal.parameters, behind=behind)

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
                raise  # no array has a dot in its name: it means a parameter, and the error knows all of them
            parameters = parameter_names(model)
            where = f"{self.primal.__name__} of {model.name!r}"
            raise UnknownName.of("array or parameter", name, [*arguments, *parameters], where) from None

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        raise NotImplementedError

    def _declared_as(self, name: str, doc: str, **changes: Any) -> Function:
        """The primal's declaration with some changes; called directly it differentiates the primal likewise."""
        arguments: tuple[Argument, ...] = changes["arguments"]

        def implementation(model: Mechanism, *arrays: Any, **options: Any) -> Any:
            values = {a.name: array for a, array in zip(arguments, arrays, strict=False) if array is not None}
            return self.evaluate(model, values, options.items())

        function = self.primal.function
        implementation.__name__, implementation.__doc__ = name, doc
        return dataclasses.replace(function, implementation=implementation, name=name, **changes)

    def _at(self, values: Mapping[str, Any]) -> list[Any]:
        """The values of ``wrt``, of parameters without one those of the model."""
        model = self.arm.model
        return [values[name] if name in values else parameter_value(model, name) for name in self.wrt]

    def _with_primal(
        self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]], changed: Sequence[Any]
    ) -> Any:
        """The primal with other values of ``wrt``."""
        return self.primal.evaluate(model, {**values, **dict(zip(self.wrt, changed, strict=True))}, options)

    def _source_key(self, variant: Variant) -> str | None:
        key = self.primal._source_key(variant)
        return key and repr((type(self).__name__, self.wrt, key))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.primal, self.wrt)


class Derivative(_Derived):
    """The derivatives of a compiled function by some of its arrays or of the model's parameters, exact.

    One result by one array: a plain array of the shape of the result, then that of the array. One result by several: a
    named tuple with a field ``d_X`` for each. Several results: ``d_Y_d_X`` for each pair, result by result, with Y the
    name of the result, ``out0`` and so on where it has none. A dot in the name of a parameter becomes an underscore.
    Of a function whose results are derivatives ``d_Y`` themselves, ``d_Y_d_X`` is the second derivative by Y and X.

    >>> robot, q, qd = armdyn.load("planar_2r"), np.ones(2), np.ones(2)
    >>> momentum = robot.kinetic_energy.derivative("qd")
    >>> by = momentum.derivative("q", "qd")(q, qd)
    >>> bool(np.allclose(by.d_qd, robot.mass_matrix(q)))
    True
    """

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        function = self.primal.function
        arguments = [dataclasses.replace(a, optional=a.optional and a.name not in shapes) for a in function.arguments]
        outputs = tuple((*y, *x) for y in function.outputs for x in shapes.values())
        by = [f"d_{_identifier(name)}" for name in shapes]
        names = by if len(function.outputs) == 1 else [f"{y}_{x}" for y in self._names_of_results() for x in by]
        return self._declared_as(
            "_".join([function.name, *by]),
            f"Derivatives of {function.name} by {', '.join(shapes)}.\n\n{function.__doc__ or ''}".rstrip(),
            arguments=tuple(arguments),
            outputs=outputs,
            result=None if len(outputs) == 1 else _named(tuple(names)),
        )

    def _names_of_results(self) -> list[str]:
        function = self.primal.function
        names = getattr(function.result, "_fields", [f"out{k}" for k in range(len(function.outputs))])
        return [name if name.startswith("d_") else f"d_{name}" for name in names]

    def evaluate(self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]] = ()) -> Any:
        """The derivatives on numbers or traced scalars, for arrays and model parameters by name."""
        found = derivatives(lambda *xs: self._with_primal(model, values, options, xs), self._at(values))
        return tuple(found) if len(found) > 1 else found[0]


class Directional(_Derived):
    """The rates of the results of a compiled function where some of its arrays or the model's parameters change.

    It takes one more array ``along_X`` for each of them, behind all arrays and parameters of the function, and so by
    name: positions mean what they mean to the function. The results are named and shaped as those of the function.
    """

    def _declared(self, shapes: Mapping[str, Shape]) -> Function:
        function = self.primal.function
        taken = [a.name for a in function.arguments]
        along = []
        for name, shape in shapes.items():
            along.append(Argument(_unused(f"along_{_identifier(name)}", taken), shape))
            taken.append(along[-1].name)
        self._along = tuple(a.name for a in along)
        arguments = [dataclasses.replace(a, optional=a.optional and a.name not in shapes) for a in function.arguments]
        return self._declared_as(
            "_".join([function.name, *self._along]),
            f"Rates of {function.name} where {', '.join(shapes)} change as {', '.join(self._along)} say.\n\n"
            f"{function.__doc__ or ''}".rstrip(),
            arguments=(*arguments, *along),
        )

    def evaluate(self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]] = ()) -> Any:
        """The rates on numbers or traced scalars, for arrays and model parameters by name."""
        directions = [values[name] for name in self._along]
        others = {name: value for name, value in values.items() if name not in self._along}
        rates = rates_along(lambda *xs: self._with_primal(model, others, options, xs), self._at(others), directions)
        return tuple(rates) if rates.several else rates[0]


class Shorter(CompiledFunction):
    """A recursion for all first derivatives of a function, or that function differentiated: what is less to compute.

    The recursion wins on all but the smallest arms, so only where its program is small is the other one made at all.
    """

    def __init__(self, arm: Arm, recursion: Function, differentiated: Function) -> None:
        super().__init__(arm, recursion)
        self._differentiated = differentiated

    def _trace(self, variant: Variant) -> Program:
        recursion = super()._trace(variant)
        if recursion.op_counts.arithmetic > SMALL:
            return recursion
        other = CompiledFunction(self.arm, self._differentiated).derivative()._trace(variant)
        if recursion.op_counts.arithmetic <= other.op_counts.arithmetic:
            return recursion
        return dataclasses.replace(other, name=recursion.name, outputs=recursion.outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shorter, (self.arm, self.function, self._differentiated)


def _identifier(name: str) -> str:
    """A name as part of an identifier."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _unused(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where it is taken."""
    tries = (name if k == 1 else f"{name}_{k}" for k in range(1, len(taken) + 2))
    return next(candidate for candidate in tries if candidate not in taken)


@cache
def _named(fields: tuple[str, ...]) -> type[Any]:
    """The type of named tuples with these fields; what is made of it can be pickled."""
    unique: list[str] = []
    for field in fields:
        unique.append(_unused(field, unique))
    plain: Any = namedtuple  # mypy knows it with literal names only
    base = plain("Derivatives", unique)
    return type("Derivatives", (base,), {"__slots__": (), "__reduce__": lambda self: (_revived, (fields, tuple(self)))})


def _revived(fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _named(fields)(*values)
