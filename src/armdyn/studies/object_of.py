"""Objects of the library from the keys of a scenario: arguments by name, checked against the signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from armdyn.base.errors import ArmdynError, UnknownName, excerpt
from armdyn.studies.errors import StudyError


def object_of(
    make: Callable[..., object],
    name: str,
    arguments: object,
    example: str,
    *first: object,
    own: Mapping[str, object] | None = None,
    names: Iterable[str] | None = None,
) -> Any:
    """The object that a function or class of the library returns for arguments by name.

    Args:
        make: the function or class.
        name: its name in the scenario, for messages.
        arguments: a mapping from its arguments to their values.
        example: an example of such a mapping, for messages.
        first: arguments that the scenario does not give, by position.
        own: other arguments that it does not give, by name.
        names: names of its arguments if its signature does not have them.

    Raises:
        StudyError: not a mapping; an argument that is missing.
        UnknownName: an argument that ``make`` does not have.
    """
    if not isinstance(arguments, Mapping):
        raise StudyError(f"{name} is {arguments!r}; expected such as {example}")
    own = own or {}
    required = required_arguments(make, len(first), own)
    for key in arguments:
        if key not in (required if names is None else names):
            raise UnknownName.of("setting", key, required if names is None else names, name)
    missing = [key for key, is_required in required.items() if is_required and key not in arguments]
    if missing:
        raise StudyError(f"{name} has no {' and no '.join(missing)}; expected such as {example}")
    try:
        return make(*first, **arguments, **own)
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ArmdynError):
            raise
        raise StudyError(f"{name} is {excerpt(dict(arguments))}: {error}; expected such as {example}") from error


def required_arguments(make: Callable[..., object], skipped: int, without: Iterable[str]) -> dict[str, bool]:
    """The names of the arguments after the first ones, without some; True for those that are required."""
    parameters = list(inspect.signature(make).parameters.values())[skipped:]
    return {p.name: p.default is p.empty for p in parameters if p.name not in without and p.kind is not p.VAR_KEYWORD}
