"""Friction that depends on the load, joint by joint, as forward dynamics uses it, and when its equations hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from armdyn.model.drive import Drive

RESIDUAL = 1e-12
"""The largest residual of a joint's equation, as a part of the sizes of its terms; beyond it accelerations are NaN."""

RESIDUAL_OF_FLOAT32 = 5e-4
"""The same where the function computes in float32: as many of its roundings."""

BELOW_FLOAT32 = 1.0 + 1e-9
"""A factor that changes numbers in float64, and is 1 in float32."""


def loaded_bodies(drive: Drive) -> list[int]:
    """The bodies in whose joints friction depends on the load."""
    return [k for k, laws in enumerate(drive.laws) if any(law.depends_on_load for law in laws)]


def loaded_friction(drive: Drive, k: int, rate: Any, load: Any) -> tuple[Any, Any]:
    """The friction of body k that depends on the load, and its slope by the load."""
    laws = [law for law in drive.laws[k] if law.depends_on_load]
    return sum(law.force(rate, load) for law in laws), sum(law.slopes(rate, load).by_load for law in laws)


def other_laws(drive: Drive) -> Drive:
    """The drive without the friction that depends on the load."""
    laws = tuple(tuple(law for law in laws if not law.depends_on_load) for laws in drive.laws)
    return dataclasses.replace(drive, laws=laws)


def lines(drive: Drive, k: int) -> int | None:
    """Of how many straight lines of the load the friction of body k is the largest; None of a curve."""
    counts = [law.lines for law in drive.laws[k] if law.depends_on_load]
    return None if None in counts else sum(counts) - len(counts) + 1  # type: ignore[arg-type]


def holds(terms: Iterable[Any]) -> Any:
    """1 where the terms of an equation add up to 0, to `RESIDUAL` or `RESIDUAL_OF_FLOAT32` of their sizes; else 0."""
    terms = list(terms)
    size = sum(map(abs, terms))
    part = RESIDUAL + RESIDUAL_OF_FLOAT32 * (BELOW_FLOAT32 * size <= size)
    return abs(sum(terms)) <= part * size


def or_nan(solved: Any) -> Any:
    """1 where ``solved`` is 1, NaN where it is 0."""
    return np.sqrt(2.0 * solved - 1.0)
