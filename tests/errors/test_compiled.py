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


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        (
            {"q": np.zeros(5)},
            armdyn.ShapeError,
            r"^q has shape \(5,\); expected \(..., 6\), one value per joint of 'ur5': .*, rad$",
        ),
        ({"q": "home"}, armdyn.DTypeError, r"^q holds text, 'home'; expected real numbers: .*, rad$"),
        (
            {"q": np.zeros((2, 6)), "qd": np.zeros((3, 6))},
            armdyn.ShapeError,
            r"do not broadcast together: q \(2,\), qd",
        ),
        ({"out": np.zeros(6)}, armdyn.ShapeError, r"^out holds 1 arrays; .* has 3 results"),
        (
            {"out": (None, np.zeros((6, 5)), None)},
            armdyn.ShapeError,
            r"^out has shape \(6, 5\); expected \(..., 6, 6\)",
        ),
        ({"out": ([0.0] * 6, None, None)}, armdyn.DTypeError, r"^out is list"),
    ],
    ids=["shape", "kind", "batches", "results", "shape of results", "kind of results"],
)
def test_wrong_arrays_are_named_before_anything_is_traced(
    wrong: dict[str, object], error: type[Exception], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call of a function that takes seconds to compile answers at once."""

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("traced, or looked for on disk")

    for name in ("trace", "load_or_compile", "kernel_of"):
        monkeypatch.setattr(f"armdyn.functions.compiled.{name}", refuse)
    given = {"q": np.zeros(6), "qd": np.zeros(6), "tau": np.zeros(6), **wrong}
    with pytest.raises(error, match=match):
        armdyn.load("ur5").forward_dynamics_derivatives(**given)
