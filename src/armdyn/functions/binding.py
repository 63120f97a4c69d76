"""The arrays a compiled function takes, and the arguments of a call as arrays by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.arrays import Names
from armdyn.base.errors import Unsupported
from armdyn.base.threads import cached_property
from armdyn.declaration import Function, Shape, in_numbers
from armdyn.functions.variants import refuse_unknown
from armdyn.model.constraints import sizes as constraint_sizes
from armdyn.model.parameter_words import word_of
from armdyn.model.parameters import matching_parameters, parameter_shape
from armdyn.program import Port

if TYPE_CHECKING:
    from armdyn.model.model import Model


class Inputs:
    """The arrays of a function of one model, by position: its own, model parameters, and ``behind`` them."""

    def __init__(self, function: Function, model: Model, parameters: Iterable[str], behind: Sequence[str] = ()) -> None:
        self.function, self.model, self.behind = function, model, behind
        self.parameters = matching_parameters(model, _checked(parameters, function.name))
        arguments = {a.name: a for a in function.arguments}
        self.words = _words(model, self.parameters, [*arguments, *function.options])
        """The keyword of each parameter in a call."""
        self.shapes = {name: a.shape for name, a in arguments.items()}
        self.shapes |= {name: parameter_shape(model, name) for name in self.parameters}
        self._zero = {name for name, a in arguments.items() if a.zero}
        self.required = [*(name for name, a in arguments.items() if not a.optional), *self.parameters]
        self.positional = [*(name for name in arguments if name not in behind), *self.parameters, *behind]

    def port(self, name: str, options: Iterable[tuple[str, object]] = ()) -> Port:
        """One array of a call with these options, on which the length of a cotangent may depend."""
        return Port(name, self.lengths(self.shapes[name], options))

    def lengths(self, shape: Shape, options: Iterable[tuple[str, object]] = ()) -> tuple[int, ...]:
        """A shape of the declaration in numbers."""
        chosen = dict(options)
        sizes = self._sizes_of(chosen) if chosen else self._sizes
        return tuple(in_numbers(d, sizes) for d in shape)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """The numbers for the sizes in shapes without options, as for most calls."""
        return self._sizes_of({})

    def _sizes_of(self, options: Mapping[str, object]) -> dict[str, int]:
        """The numbers for the names of sizes in shapes."""
        model, n = self.model, len(self.model.coordinates)
        sizes = {"n": n, "joints": len(model.joints), "links": len(model.links), "pairs": n * (n - 1) // 2}
        sizes |= constraint_sizes(model.constraints)
        return sizes | {word: size(model, **options) for word, size in self.function.sizes.items()}

    def bind(self, arrays: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, object]:
        """Arrays by name, in order; the options stay in ``keywords``. None means not given."""
        name = self.function.name
        if len(arrays) > len(self.positional):
            takes = ", ".join(self.positional)
            raise TypeError(f"{name}() takes {len(self.positional)} arrays ({takes}); got {len(arrays)}")
        values = dict(zip(self.positional, arrays, strict=False))
        for parameter, word in self.words.items():  # Python's keywords have no dots
            if word in keywords and word != parameter:
                keywords[parameter] = keywords.pop(word)
        for argument in self.positional:
            if argument in keywords:
                if argument in values:
                    raise TypeError(f"{name}() got {argument!r} twice, by position and by name")
                values[argument] = keywords.pop(argument)
        for argument in self._zero:
            if values.get(argument) is None:
                values[argument] = np.zeros(self.port(argument).shape, np.float32)  # float32 whatever the others are
        result = {n: values[n] for n in self.positional if values.get(n) is not None}
        missing = [n for n in self.required if n not in result]
        if missing:
            refuse_unknown(self.function, keywords, self.positional)  # a misspelt name
            raise self._misses(missing)
        return result

    def _misses(self, missing: Sequence[str]) -> TypeError:
        """The error for arrays that are not given, with the way to pass those after optional ones."""
        optional = {a.name for a in self.function.arguments if a.optional or a.zero}
        before = {n: self.positional[: self.positional.index(n)] for n in missing}
        by_name = [f"{self.words.get(n, n)}=" for n in missing if optional.intersection(before[n])]
        hint = f"; give {', '.join(by_name)} by name, for optional arrays stand before" if by_name else ""
        takes = ", ".join(map(self.in_message, self.positional))
        return TypeError(
            f"{self.function.name}() misses {', '.join(map(self.in_message, missing))}; it takes {takes}{hint}"
        )

    def in_message(self, name: str) -> str:
        """An argument in a message: its name, and its keyword if that is not the name with underscores for dots."""
        word = self.words.get(name, name)
        return name if word == name.replace(".", "_") else f"{name} ({word}=)"

    def names_along(self, argument: str) -> list[Names]:
        """The names along each axis of one state's argument."""
        model = self.model
        names = tuple(coordinate.name for coordinate in model.coordinates)
        counted = {"n": names, "joints": model.joint_names, "links": model.link_names}
        return [counted.get(str(word)) for word in self.shapes[argument]]

    def batches(self, arguments: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """The leading axes of each argument."""
        shapes = {name: (np.shape(value), len(self.shapes[name])) for name, value in arguments.items()}
        return {name: shape[: len(shape) - rank] for name, (shape, rank) in shapes.items()}

    @property
    def signature(self) -> inspect.Signature:
        """The signature for ``help``: the arrays, the options, ``out`` and ``workers``."""
        kinds, function = inspect.Parameter, self.function
        parameters: list[inspect.Parameter] = []
        kind: Any = kinds.POSITIONAL_OR_KEYWORD
        for before, a in zip((None, *function.arguments), function.arguments, strict=False):
            if before is not None and (before.optional or before.zero) and not (a.optional or a.zero):
                kind = kinds.KEYWORD_ONLY  # it must be given, and what stands before it need not
            parameters.append(kinds(a.name, kind, default=None if a.optional else 0.0 if a.zero else kinds.empty))
        parameters += [kinds(word, kinds.KEYWORD_ONLY) for word in self.words.values()]
        parameters += [kinds(name, kinds.KEYWORD_ONLY, default=default) for name, default in function.options.items()]
        parameters += [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in ("out", "workers")]
        return inspect.Signature(parameters)


def _checked(parameters: Iterable[str], name: str) -> tuple[str, ...]:
    """The names of parameters, each of them once."""
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    if not all(isinstance(one, str) for one in names):
        raise TypeError(f"parameters are {names!r}; expected names, such as 'gravity' or 'LINK.mass'")
    if len(set(names)) < len(names):
        raise TypeError(f"{name} has parameters {', '.join(names)}; name each of them once")
    return names


def _words(model: Model, parameters: Iterable[str], others: Sequence[str]) -> dict[str, str]:
    """The keywords of parameters, "tool0_payload_mass" of "tool0.payload.mass", if they are not other arguments."""
    words = {name: word_of(model, name) for name in parameters}
    for name, word in words.items():
        if word in others:
            raise Unsupported(
                f"the parameter {name!r} is given by {word}=, and so is an argument of the function; rename that one"
            )
    return words
