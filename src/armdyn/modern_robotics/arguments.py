"""Conversion of arguments as in the book's code, with errors that contain the expected value.

Compiled functions accept most arguments unchanged. These checks run if one refuses them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base import checks
from armdyn.base.errors import ArmdynError, ShapeError
from armdyn.spatial.rotations import Array


class ArgumentError(ArmdynError, ValueError, TypeError):
    """A number of points, a time or a resolution that is out of range, or not a number."""


def vector(name: str, values: ArrayLike, size: int) -> Array:
    """A vector of ``size`` numbers; a column counts as one."""
    array = checks.array(name, values, missing=True)
    if array.shape == (size, 1):
        array = array[:, 0]
    if array.shape != (size,):
        raise ShapeError(f"{name} has shape {array.shape}; expected ({size},)")
    return array


def rows(name: str, values: ArrayLike, count: int, size: int) -> Array:
    """The first ``count`` rows of a matrix with ``size`` columns."""
    array = checks.array(name, values, missing=True)
    if array.ndim != 2 or array.shape[1] != size or len(array) < count:
        raise ShapeError(f"{name} has shape {array.shape}; expected ({count}, {size}), a row for each point of time")
    return array[:count]


def tip_rows(values: ArrayLike, count: int) -> Array:
    """Ftipmat, one row per point of time; zero means no tip forces."""
    array = checks.array("Ftipmat", values, missing=True)
    if array.ndim == 0 and array == 0.0:
        return np.zeros((count, 6))
    return rows("Ftipmat", array, count, 6)


def screws(name: str, values: ArrayLike, n: int) -> Array:
    """The first n columns of a matrix of screw axes."""
    array = checks.array(name, values, missing=True)
    if array.ndim != 2 or array.shape[0] != 6 or array.shape[1] < n:
        raise ShapeError(f"{name} has shape {array.shape}; expected (6, {n}), a column for each of the {n} joints")
    return array[:, :n]


def pose(name: str, values: ArrayLike) -> Array:
    """A homogeneous matrix."""
    return checks.array(name, values, (4, 4), missing=True)


def lists(Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike, n: int) -> tuple[Array, Array, Array]:
    """The lists of the first n joints; further entries are ignored, as in the book's code."""
    M, G = checks.array("Mlist", Mlist, missing=True), checks.array("Glist", Glist, missing=True)
    if M.ndim != 3 or M.shape[1:] != (4, 4) or len(M) < n + 1:
        raise ShapeError(
            f"Mlist has shape {M.shape}; expected ({n + 1}, 4, 4) for {n} joints: M_01, M_12, ..., and M_{n}{n + 1} "
            "of the end-effector"
        )
    if G.ndim != 3 or G.shape[1:] != (6, 6) or len(G) < n:
        raise ShapeError(f"Glist has shape {G.shape}; expected ({n}, 6, 6) for {n} joints")
    return M[: n + 1], G[:n], screws("Slist", Slist, n)


def joints_of(thetalist: Any) -> int:
    """n, the number of joints: the length of the joint vector."""
    try:
        n = len(thetalist)
    except TypeError:
        raise ShapeError(f"thetalist is {thetalist!r}; expected one value for each joint, shape (n,)") from None
    if n == 0:
        raise ShapeError("thetalist is empty; expected one value for each joint, shape (n,)")
    return n


def points(N: object) -> int:
    """N, a number of points of a trajectory: at least its start and its end."""
    return int(checks.number("N", N, least=2, expected="at least 2 points, start and end", error=ArgumentError))


def resolution(intRes: Any) -> int:
    """The number of integration steps between two points of time."""
    return checks.whole_number("intRes", intRes, least=1, error=ArgumentError)
