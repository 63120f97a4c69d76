"""Positions of the symbols of joints: those of joints with a common origin are moved apart along their axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.spatial.rotations import Array

TOGETHER = 0.25
"""Origins closer than this, in lengths of a symbol, count as one point."""

PARALLEL = 1e-3
"""Axes with a smaller sine of their angle are parallel."""

ALONG = 0.5
"""Least cosine between an axis and the direction to the neighbouring joint for a symbol that is moved towards it."""

CLEAR = 0.8
"""Least distance between the centres of parallel symbols, in lengths of a symbol."""


def symbol_centres(origins: Sequence[Array], axes: Sequence[Array], length: float) -> list[Array]:
    """The centres of the symbols of joints, m, shape (3,) each; the origin if no other joint has it.

    Of joints with a common origin the first is moved towards the joint before and the last towards the joint after, if
    their axes point there; symbols that would hide each other are moved along their own axis.

    Args:
        origins: origin of each joint, from the base outwards, m, shape (3,) each.
        axes: unit axis of each joint, shape (3,) each.
        length: length of a symbol, m.

    >>> wrist = symbol_centres([np.zeros(3)] * 3, [np.eye(3)[2], np.eye(3)[1], np.eye(3)[2]], 0.1)
    >>> np.array(wrist)
    array([[0. , 0. , 0. ],
           [0. , 0.1, 0. ],
           [0. , 0. , 0.1]])
    """
    centres = [np.asarray(origin, dtype=float) for origin in origins]
    for group in _groups(centres, TOGETHER * length):
        if len(group) < 2:
            continue
        origin = centres[group[0]]
        before = next((origins[k] for k in range(group[0] - 1, -1, -1) if k not in group), None)
        after = next((origins[k] for k in range(group[-1] + 1, len(origins)) if k not in group), None)
        placed: list[tuple[Array, float]] = []
        for k in group:
            towards = before if k == group[0] else after if k == group[-1] else None
            steps = [_step_towards(axes[k], origin, towards), 0, 1, -1, 2, -2, 3, -3]
            step = next((s for s in steps if _is_free(axes[k], s, placed)), len(placed) + 3)
            placed.append((axes[k], step))
            centres[k] = origin + step * length * np.asarray(axes[k])
    return centres


def _groups(origins: Sequence[Array], near: float) -> list[list[int]]:
    """The indices of joints by common origin."""
    groups: list[list[int]] = []
    for k, origin in enumerate(origins):
        result = next((group for group in groups if np.linalg.norm(origins[group[0]] - origin) < near), None)
        if result is None:
            groups.append([k])
        else:
            result.append(k)
    return groups


def _step_towards(axis: Array, origin: Array, towards: Array | None) -> int:
    """1 or -1 along the axis towards a point, 0 if the axis does not point there."""
    if towards is None:
        return 0
    way = towards - origin
    cosine = float(axis @ way) / max(float(np.linalg.norm(way)), 1e-300)
    return int(np.sign(cosine)) if abs(cosine) > ALONG else 0


def _is_free(axis: Array, step: float, placed: Sequence[tuple[Array, float]]) -> bool:
    """Return True if a symbol hides none of those placed about the same origin."""
    for other, box in placed:
        if step == 0 and box == 0:
            return False
        if np.linalg.norm(np.cross(axis, other)) < PARALLEL and np.linalg.norm(step * axis - box * other) < CLEAR:
            return False
    return True
