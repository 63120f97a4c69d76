"""Unique texts of parts of a model, objects of frozen dataclasses, from their class and fields."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterator
from threading import Lock
from weakref import WeakKeyDictionary

from armdyn.base.errors import DTypeError, excerpt
from armdyn.model.actuator import JointActuator
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.model.friction import FrictionLaw
from armdyn.model.parallel_spring import ParallelSpring

EXPECTED = "an object of a frozen dataclass, @dataclass(frozen=True), so that it can be told from others"

_numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)
_number_of: WeakKeyDictionary[type, int] = WeakKeyDictionary()
_numbering = Lock()


def fingerprint(subject: str, part: object) -> str:
    """The text of a part: equal for parts that are equal in class and in every digit, different for all others.

    Args:
        subject: description of the part, for messages.
        part: an object of a frozen dataclass whose fields are names, numbers, such objects and tuples of these; or one
            without attributes.

    Raises:
        DTypeError: a part of another structure: it could change, or two of them could look equal.

    >>> from armdyn.actuators import Coulomb
    >>> fingerprint("friction", Coulomb(2.0))
    "armdyn.actuators.coulomb.Coulomb#0(size=('float', '2.0'))"
    """
    if not _is_part(part):
        raise DTypeError(f"{subject} is {excerpt(part)}; expected {EXPECTED}")
    kind = type(part)
    names = [field.name for field in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else []
    texts = [f"{name}={_of_value(f'{name} of {kind.__name__}', getattr(part, name))}" for name in names]
    return f"{kind.__module__}.{kind.__qualname__}#{_number(kind)}({', '.join(texts)})"


def _of_value(subject: str, value: object) -> str:
    if _is_part(value):
        return fingerprint(subject, value)
    if isinstance(value, tuple):
        return f"({', '.join(_of_value(subject, one) for one in value)})"
    if value is None or isinstance(value, str | int | float):
        return repr((type(value).__name__, repr(value)))
    raise DTypeError(f"{subject} is {excerpt(value)}; expected a number, a text, a tuple of these, or {EXPECTED}")


def _is_part(value: object) -> bool:
    """True if its class and fields determine it completely."""
    if dataclasses.is_dataclass(value):
        return bool(getattr(type(value), "__dataclass_params__").frozen)  # noqa: B009 - unknown to type checkers
    kinds = FrictionLaw | JointActuator | ParallelSpring | Element | ElementWithState
    return isinstance(value, kinds) and not vars(value)


def _number(kind: type) -> int:
    """0 for the first class of its name in this process; a redefined class has another number."""
    with _numbering:
        if kind not in _number_of:
            _number_of[kind] = next(_numbers[f"{kind.__module__}.{kind.__qualname__}"])
        return _number_of[kind]
