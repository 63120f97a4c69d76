"""The mounting of a base that is not the root: the joints left out below it, and gravity in the axes of the base.

A description states gravity in the axes of its root. On the path from the root to the base

    g_base = R_root,base^T g_root,

with moving joints held at the positions that the caller locks, or else at those that the description draws.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.exact import exact, rounded
from armdyn.model.clean import clean, largest
from armdyn.model.messages import listing, quote
from armdyn.model.parts import JointPart
from armdyn.spatial.rotations import Array

SHOWN = 5
"""The most joints that one note names."""


def path_to(link: str, joints: Sequence[JointPart]) -> list[JointPart]:
    """The joints from the root of the description to a link, in this order."""
    by_child = {joint.child: joint for joint in joints}
    path: list[JointPart] = []
    while link in by_child and len(path) < len(joints):
        path.insert(0, by_child[link])
        link = by_child[link].parent
    return path


def in_base_axes(gravity: ArrayLike, stated_at: Sequence[JointPart], base_at: Sequence[JointPart]) -> Array:
    """Gravity in the axes of the base, m/s^2, shape (3,): g_base = R_root,base^T R_root,stated g_stated.

    Args:
        gravity: as stated, m/s^2, shape (3,).
        stated_at: the joints from the root to the link in whose axes it is stated, all of them fixed.
        base_at: the joints from the root to the base, all of them fixed.
    """
    shared = len([one for one, other in zip(stated_at, base_at, strict=False) if one.name == other.name])
    up, down = stated_at[shared:], base_at[shared:]
    if not up and not down:
        return np.asarray(gravity, dtype=float)
    g = exact(np.asarray(gravity, dtype=float))
    for joint in reversed(up):
        g = exact(joint.placement)[:3, :3] @ g
    for joint in down:
        g = exact(joint.placement)[:3, :3].T @ g
    return rounded(clean(g, largest(g)))  # type: ignore[no-any-return]


def notes_on_mounting(
    base: str, gravity: Array, moving: Mapping[str, float], locked: Mapping[str, float]
) -> Iterator[str]:
    """One sentence on the joints below the base that are held.

    Args:
        base: the base.
        gravity: in its axes, m/s^2, shape (3,).
        moving: positions of the joints below the base that move in the description, rad or m.
        locked: positions that the caller requested, rad or m.
    """
    if moving:
        where = listing(
            [f"{quote(name)} {'locked' if name in locked else 'held'} at {at:g}" for name, at in moving.items()], SHOWN
        )
        text = ", ".join(f"{x + 0.0:.6g}" for x in gravity)
        yield (
            f"base {quote(base)} stands on joints that are left out: {where}; gravity is that of this position, "
            f"({text}) m/s^2 in the axes of the base"
        )


def notes_on_idle_locks(locked: Collection[str], idle: Collection[str]) -> Iterator[str]:
    """One sentence on the locked joints that are not in the part that is read."""
    if names := [quote(name) for name in locked if name in idle]:
        yield f"locked without effect, being left out: {listing(names, SHOWN)}"
