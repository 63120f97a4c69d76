"""Products of a function's Jacobian with vectors, as compiled functions; the Jacobian is never formed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armdyn.declaration import Argument, Function, Shape
from armdyn.functions.derivatives import Derived, named
from armdyn.program.differentiation import Results, cotangents_along, rates_along
from armdyn.program.products import unused

if TYPE_CHECKING:
    from armdyn.model.mechanism import Mechanism


class Product(Derived):
    """A function of the arrays of the primal and of vectors, which come after all arrays and parameters.

    Positions are those of the primal: if some of its arrays may be left out, vectors are given by name.
    """

    def _vectors_like(self, shapes: Mapping[str, Shape], word: str) -> tuple[Argument, ...]:
        """A vector ``WORD_X`` for every X, of its shape."""
        taken = [a.name for a in self.primal.function.arguments]
        vectors = []
        for name, shape in shapes.items():
            vectors.append(Argument(unused(f"{word}_{self._word(name)}", taken), shape))
            taken.append(vectors[-1].name)
        self._vectors = tuple(vector.name for vector in vectors)
        return tuple(vectors)

    def evaluate(self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]] = ()) -> Any:
        """The products on numbers or traced scalars, for arrays and model parameters by name."""
        vectors = [values[name] for name in self._vectors]
        others = {name: value for name, value in values.items() if name not in self._vectors}
        found = self._along(lambda *xs: self._with_primal(model, others, options, xs), self._at(others), vectors)
        return found[0] if self.function.result is None and len(found) == 1 else tuple(found)

    @staticmethod
    @abstractmethod
    def _along(f: Callable[..., Any], xs: Sequence[Any], vectors: Sequence[Any], /) -> Results:
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
            result=named([f"cotangent_{self._word(name)}" for name in shapes]),
        )
