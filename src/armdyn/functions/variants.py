"""The variant of a call: the arrays it gives and its options, both fixed before compiling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import UnknownName, nearest
from armdyn.declaration import Function

if TYPE_CHECKING:
    from armdyn.functions.binding import Inputs


Options = tuple[tuple[str, Any], ...]
"""Options that differ from their defaults, by name."""

Variant = tuple[tuple[str, ...], Options]
"""The names of the given arrays, and the options; each variant is one compiled program."""


def call_options(inputs: Inputs, options: Mapping[str, object]) -> Options:
    """The options of a call; an error for an unknown option, or a missing one without a default."""
    function = inputs.function
    refuse_unknown(function, options, inputs.positional)
    missing = [name for name in function.required_options if name not in options]
    if missing:
        raise _misses(inputs, missing)
    return tuple(sorted((k, v) for k, v in options.items() if _differs(function, k, v)))


def array_names(inputs: Inputs, optional_inputs: str | Iterable[str]) -> tuple[str, ...]:
    """The arrays of a variant: those that must be given, and optional ones by their names."""
    named = {optional_inputs} if isinstance(optional_inputs, str) else {*optional_inputs}
    for name in named - {*inputs.positional}:
        raise UnknownName.of("array", name, inputs.positional, inputs.function.name)
    return tuple(name for name in inputs.positional if name in inputs.required or name in named)


def refuse_unknown(function: Function, options: Iterable[str], positional: Iterable[str]) -> None:
    """Raise if a keyword is neither an array nor an option."""
    for name in options:
        if name not in function.options:
            choices = [*positional, *function.options, "out", "workers"]
            close = nearest(name, choices)
            meant = "" if close is None else f". Did you mean {close!r}?"
            raise TypeError(f"{function.name}() has no argument {name!r}; it takes {', '.join(choices)}{meant}")


def _differs(function: Function, name: str, value: Any) -> bool:
    """True if an option differs from its default."""
    try:
        hash(value)
        return bool(value != function.options[name])
    except Exception:  # arrays: without a hash, or with a comparison for each element
        kind = type(value).__name__
        raise TypeError(f"{name} is a {kind}; options are words, numbers or tuples, fixed before compiling") from None


def _misses(inputs: Inputs, options: Iterable[str]) -> Exception:
    """The error for missing options without a default: their names and choices."""
    function, model = inputs.function, inputs.model
    choices = function.choices
    choices_by_name = {name: list(choices[name](model)) if name in choices else [] for name in options}
    texts = [
        f"{name}=" + (f" (one of {_quote_names(names)})" if names else "") for name, names in choices_by_name.items()
    ]
    message = f"{function.name}() of {model.name!r} misses {' and '.join(texts)}, to be given by name"
    return UnknownName(message) if any(choices_by_name.values()) else TypeError(message)


def _quote_names(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
