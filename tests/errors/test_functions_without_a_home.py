"""Functions that are declared where there is no module or source: by `exec`, in a notebook, as other callables."""

import functools

import numpy as np
import pytest

import armdyn

CODE = """
import armdyn

@armdyn.function("(n),(n)->(n)")
def damped(model, q, qd):
    "Joint forces, N m, shape (..., n)."
    return armdyn.algorithms.gravity_forces(model, q) - 0.5 * qd
"""


@pytest.mark.parametrize("names", [{}, {"__name__": "no_such_module"}, {"__name__": "__main__"}, {"__name__": None}])
def test_exec(names: dict[str, object]) -> None:
    exec(CODE, names)  # noqa: S102
    arm, q, qd = armdyn.load("planar_2r"), np.array([0.3, 0.4]), np.array([1.0, -2.0])
    damped = arm.compile(names["damped"])
    expected = arm.gravity_forces(q) - 0.5 * qd
    np.testing.assert_allclose(damped(q, qd), expected, rtol=1e-14)
    np.testing.assert_allclose(damped.derivative("qd")(q, qd), -0.5 * np.eye(2), rtol=1e-14)
    assert str(damped.op_counts) == str(arm.compile(names["damped"]).op_counts)


def test_what_has_no_name_is_refused() -> None:
    for nameless in (functools.partial(lambda model, q: q), "q"):
        with pytest.raises(armdyn.TraceError, match=r"has no name of its own; expected a function \(def\)"):
            armdyn.function("(n)->(n)")(nameless)
