"""Fields of frozen dataclasses, checked and set while an object is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from armdyn.base.checks import number


def set_fields(part: object, **values: object) -> None:
    """Set fields of a frozen dataclass; for its ``__post_init__`` and for what makes its objects."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def check_numbers(part: object, units: Mapping[str, str], **bounds: Any) -> None:
    """Check fields that are numbers, and make floats of them; messages name FIELD of CLASS.

    Args:
        part: an object of a frozen dataclass.
        units: the unit of each field.
        bounds: those of `armdyn.base.checks.number`: above, least, below, infinite.

    Raises:
        ModelError: a field that is not a number within the bounds.
    """
    for name, unit in units.items():
        value = number(f"{name} of {type(part).__name__}", getattr(part, name), unit=unit, **bounds)
        set_fields(part, **{name: value})
