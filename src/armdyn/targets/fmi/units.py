"""Units of FMUs as products of powers of SI's base units."""

from __future__ import annotations

from collections.abc import Mapping

UNITS: Mapping[str, Mapping[str, int]] = {
    "s": {"s": 1},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "kg": {"kg": 1},
    "kg.m2": {"kg": 1, "m": 2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "N.s/m": {"kg": 1, "s": -1},
    "N.m.s/rad": {"kg": 1, "m": 2, "s": -1, "rad": -1},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "A": {"A": 1},
    "A/s": {"A": 1, "s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "K": {"K": 1},
}
"""The exponents of each unit, by its name."""

DISPLAYED: Mapping[str, tuple[str, float]] = {
    "rad": ("deg", 57.29577951308232),
    "rad/s": ("deg/s", 57.29577951308232),
    "rad/s2": ("deg/s2", 57.29577951308232),
}
"""The display unit of a quantity, and the number of display units per unit."""
