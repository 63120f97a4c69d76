"""Motions one after another: their beginnings, the part that contains a time, and checks of their joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError


def starts_of(extents: Iterable[float]) -> Array:
    """The beginnings of the parts, and the end of the last, shape (parts + 1,)."""
    return np.concatenate([[0.0], np.cumsum(list(extents))])


def switches_of(parts: Sequence[Any]) -> Array:
    """The switches of all parts, and the times at which one follows another, s."""
    starts = starts_of(part.duration for part in parts)
    return np.unique(np.concatenate([start + part.switches for start, part in zip(starts, parts, strict=False)]))


def checked_paths(paths: Sequence[Any], fields: Sequence[str], gap: str) -> tuple[Any, ...]:
    """The paths, refused if one of the first fields of their motions jumps from one to the next."""
    if not paths:
        raise MotionError("the sequence is empty; expected at least one path")
    for k, (path, following) in enumerate(pairwise(paths)):
        before, after = path.evaluate(path.duration), following.evaluate(0.0)
        for name, x, y in zip(fields, before, after, strict=False):
            if x.shape != y.shape or not np.allclose(x, y, rtol=1e-9, atol=1e-9):
                raise MotionError(f"{name} jumps between path {k} and path {k + 1}: from{gap}{x} to{gap}{y}")
    return tuple(paths)


def fill(result: Sequence[Array], parts: Sequence[Any], t: Array) -> Array:
    """Fill ``result`` with the values of the part that contains each time; returns the parts' numbers."""
    starts = starts_of(part.duration for part in parts)
    indices = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(parts) - 1)
    for k, part in enumerate(parts):
        here = indices == k
        of_part = part.evaluate(np.clip(t[here] - starts[k], 0.0, part.duration))
        for whole, values in zip(result, of_part, strict=True):
            whole[here] = values
    return indices
