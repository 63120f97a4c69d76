"""Small dense algebra and geometry of armdyn, by functions of their own."""

from typing import Any

import numpy as np

from armdyn.base.exact import exact
from armdyn.constraints import PointOnCurve
from armdyn.constraints.point_on_curve import nearest
from armdyn.model.clean import clean, clean_rotation, largest, total
from armdyn.spatial.positive_definite import Cholesky
from armdyn.spatial.turns import Axes, symmetric_to_parent, tensor_to_parent


def sum_and_zeros(*terms: Any) -> tuple[Any, Any]:
    """The sum of arrays, and where it is zero to the last bit."""
    found = total(*terms)
    return found, found == 0.0


def ellipse(s: Any) -> Any:
    """Off the origin, so that what is near to one is not near to the other."""
    return np.array([0.9 + np.cos(s), 0.4 + 0.6 * np.sin(s), 0.0 * s])


def nearest_on_ellipse(r: Any) -> Any:
    """The place of its nearest point."""
    return ellipse(nearest(PointOnCurve("tip", ellipse, (0.0, 6.28)), r))


def inverse(A: Any) -> Any:
    return Cholesky.of(A).inverse()


def solution(A: Any, b: Any) -> Any:
    return Cholesky.of(A).solve(b)


def factors(A: Any) -> tuple[Any, ...]:
    """L without its diagonal of ones, D, and how independent the rows are."""
    found = Cholesky.of(A)
    return found.L, found.D, found.independence


def cleaned_rotation(R: Any) -> Any:
    """A rotation with noise taken off, and where it has zeros."""
    made = clean_rotation(exact(R))
    return made.astype(float), made == 0.0


def cleaned(values: Any) -> Any:
    """Components with what rounding left of zeros taken off, relative to the largest one."""
    found = exact(values)
    made = clean(found, largest(found))
    return made.astype(float), made == 0.0


def tensors_out_of(R: Any, S: Any) -> tuple[Any, Any]:
    """R S R^T of a rotation by its matrix, for a tensor and for a symmetric one."""
    axes = (Axes(R),)
    return tensor_to_parent(axes, S), symmetric_to_parent(axes, S)
