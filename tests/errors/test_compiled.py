"""Functions of one's own, compiled with what does not fit; and calls that name what there is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn


def test_sizes_that_no_robot_has() -> None:
    own = armdyn.load("planar_2r").compile(lambda model, q: q, signature="(n)->(k)")
    with pytest.raises(armdyn.UnknownName, match=r"no size 'k' in a signature .*Known: n, joints, links"):
        own(np.ones(2))


def test_parameters_that_are_no_names() -> None:
    with pytest.raises(TypeError, match=r"parameters are \(5,\); expected names, such as 'gravity'"):
        armdyn.load("planar_2r").compile(lambda model, q: q, signature="(n)->(n)", parameters=[5])


def test_a_slip_of_the_pen_is_named_before_what_is_missing_for_it() -> None:
    with pytest.raises(TypeError, match=r"inverse_dynamics\(\) has no argument 'qddd'; it takes q, qd, qdd"):
        armdyn.load("planar_2r").inverse_dynamics(q=np.ones(2), qd=np.ones(2), qddd=np.ones(2))


def test_batches_that_do_not_broadcast_name_function_and_robot() -> None:
    with pytest.raises(armdyn.ShapeError, match=r"arguments of bias_forces of 'planar_2r' do not broadcast"):
        armdyn.load("planar_2r").bias_forces(np.ones((3, 2)), np.ones((4, 2)))


@pytest.mark.parametrize(
    ("function", "signature"),
    [(lambda model: 2.0 * model.gravity, "->(3)"), (lambda model, q=None: 2.0 * model.gravity, "(n)?->(3)")],
)
def test_functions_without_arrays(function: Callable[..., Any], signature: str) -> None:
    """NumPy would end the process."""
    own = armdyn.load("planar_2r").compile(function, signature=signature)
    with pytest.raises(armdyn.Unsupported, match="given no arrays, and NumPy makes no ufunc of a constant"):
        own()


def test_functions_of_scalars_alone() -> None:
    @armdyn.algorithms.function("()->()")
    def twice(model: object, s: object) -> object:
        """Twice."""
        return 2.0 * s

    double = armdyn.load("planar_2r").compile(twice)
    assert double(3.0) == 6.0
    s = np.linspace(0.0, 1.0, 5000)
    np.testing.assert_array_equal(double(s), 2.0 * s)
    np.testing.assert_array_equal(double(s, workers=2), 2.0 * s)
