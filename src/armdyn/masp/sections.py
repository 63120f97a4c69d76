"""Tables of an input file, read strictly: every key known, every value of its kind, all problems at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from armdyn.base.checks import as_float
from armdyn.base.errors import LONGEST_SHOWN, excerpt
from armdyn.model.messages import did_you_mean
from armdyn.spatial.rotations import Array

LARGEST = 1e50
"""Largest number in an input file, in any unit; equal to that of lengths in other descriptions."""

REQUIRED = object()
"""Marker of keys without a default."""


def unit(direction: Array) -> Array:
    """The unit vector of a nonzero direction whose square may overflow or underflow."""
    scaled = direction / np.abs(direction).max()
    return np.asarray(scaled / np.linalg.norm(scaled))


def _bounded(value: object) -> float:
    """The number; NaN if it is not a number, or so large that its square overflows."""
    result = as_float(value)
    return result if abs(result) <= LARGEST else np.nan


class Section:
    """One table: its values by key, with errors collected in ``problems``.

    Args:
        name: name in the file, for messages.
        table: the parsed table.
        known: the allowed keys.
        problems: list to which errors are appended; a wrong value is replaced by its default.
    """

    def __init__(self, name: str, table: object, names: Collection[str], problems: list[str]) -> None:
        self.name, self.problems = name, problems
        self.table: Mapping[str, Any] = table if isinstance(table, Mapping) else {}
        if not isinstance(table, Mapping):
            self.refuse(
                f"{name} is {excerpt(table)}; expected a table, with keys such as {', '.join(list(names)[:3])}."
            )
        for key in self.table:
            if key not in names:
                meant = did_you_mean(key, names) or f" Known: {', '.join(names)}."
                self.refuse(f"{name} has no key {excerpt(key)}.{meant}")

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def refuse(self, problem: str) -> None:
        """Add an error to ``problems``."""
        self.problems.append(problem)

    def get(self, key: str, default: object = REQUIRED, expected: str = "") -> Any:
        """The unchanged value in the file."""
        if key not in self.table and default is REQUIRED:
            self.refuse(f"{self.name} has no {key}; expected {expected}.")
        return self.table.get(key, None if default is REQUIRED else default)

    def text(self, key: str, default: Any, expected: str = "a text") -> str:
        """A text that is not empty."""
        value = self.get(key, default, expected)
        if key in self.table and not (isinstance(value, str) and value.strip()):
            self._expected(key, value, expected)
            return "" if default is REQUIRED else default
        return value or ""

    def word(self, key: str, choices: Collection[str], default: object = REQUIRED) -> str:
        """One of several allowed texts."""
        expected = f"one of {', '.join(map(repr, choices))}"
        value = self.get(key, default, expected)
        if key in self.table and not (isinstance(value, str) and value in choices):
            self._expected(key, value, expected, did_you_mean(value, choices) if isinstance(value, str) else "")
            value = None if default is REQUIRED else default
        return next(iter(choices)) if value is None else value

    def switch(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            self._expected(key, value, "true or false")
            return default
        return value

    def number(self, key: str, default: Any, expected: str, *, above: float = -np.inf, least: float = -np.inf) -> float:
        """A finite number within bounds."""
        value = self.get(key, default, expected)
        if key not in self.table:
            return np.nan if value is None else value
        result = _bounded(value)
        if not (np.isfinite(result) and result > above and result >= least):
            self._expected(key, value, expected)
            return 1.0 if default is REQUIRED or default is None else float(default)
        return result

    def whole(self, key: str, default: object, expected: str, *, least: int) -> Any:
        """A whole number that is not smaller than ``least``."""
        value = self.get(key, default, expected)
        if key in self.table and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            self._expected(key, value, f"{expected}, a whole number of at least {least}")
            return default
        return value

    def numbers(self, key: str, size: int | None, expected: str, default: object = REQUIRED) -> Array:
        """A list of finite numbers, of any length if ``size`` is None; zeros in place of a required one."""
        value = self.get(key, default, expected)
        instead = np.zeros(size or 1) if default is REQUIRED else np.array(default, dtype=float)
        if key not in self.table:
            return instead
        result = [_bounded(x) for x in value] if isinstance(value, list) else [np.nan]
        if not np.isfinite(result).all() or (size is not None and len(result) != size):
            count = f"{size} numbers" if size is not None else "numbers"
            self._expected(key, value, f"{count}: {expected}")
            return instead
        return np.array(result)

    def vector(self, key: str, expected: str, default: object = REQUIRED) -> Array:
        """Three finite numbers."""
        return self.numbers(key, 3, expected, default)

    def points(self, key: str, expected: str) -> Array:
        """A list of at least one list of three numbers."""
        value = self.get(key, REQUIRED, expected)
        rows = value if isinstance(value, list) else []
        good = [
            isinstance(row, list) and len(row) == 3 and np.isfinite([_bounded(x) for x in row]).all() for row in rows
        ]
        if not rows or not all(good):
            if key in self.table:
                self._expected(key, value, f"a list of points, three numbers each: {expected}")
            return np.zeros((1, 3))
        return np.array(rows, dtype=float)

    def _expected(self, key: str, value: object, expected: str, hint: str = "") -> None:
        text = excerpt(value)
        shortened = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN]
        self.refuse(f"{self.name}: {key} is {shortened}; expected {expected}.{hint}")
