"""What is found on disk without tracing it: all of armdyn's own functions, and nothing that a text cannot hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import constraints, kinematics, simulation
from armdyn.algorithms import mass_matrix
from armdyn.base.threads import Once
from armdyn.functions.source_keys import source_key
from armdyn.targets import kernels

pytest.importorskip("llvmlite")

PLANE = constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))


@pytest.fixture
def new_process(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Forgets what is compiled, and forbids to trace."""

    def start() -> None:
        def refuse(*arguments: object, **options: object) -> None:
            raise AssertionError(f"traces {options.get('name')}")

        for name in ("_by_source", "_by_program", "_loops", "_ufuncs"):
            monkeypatch.setattr(kernels, name, Once())
        monkeypatch.setattr("armdyn.functions.compiled.trace", refuse)

    return start


def inverse_kinematics() -> Any:
    robot = armdyn.load("ur5")
    goal = kinematics.Position([0.3, 0.2, 0.5], weight=0.7), kinematics.Pointing((0, 0, -1))
    return robot.inverse_kinematics(goal, np.full(6, 0.3), limits=False).q


def simulated() -> Any:
    robot = armdyn.load("planar_3r")
    methods = (
        simulation.Euler,
        simulation.RungeKutta4,
        simulation.AdamsBashforthMoulton4,
        simulation.Variational,
    )
    found = [armdyn.simulate(robot, np.ones(3), duration=0.05, method=m(0.01)) for m in methods]
    return np.stack([one.q for one in found])


def constrained() -> Any:
    robot = armdyn.load("planar_2r").with_constraints(PLANE)
    q = robot.close_loop([1.0, -1.0])
    return robot.constrained_forward_dynamics(q, np.zeros(2), np.ones(2)).qdd


def differentiated() -> Any:
    return armdyn.load("planar_2r").inverse_dynamics.derivative("q")(np.ones(2), np.ones(2), np.ones(2))


def gradients() -> Any:
    return armdyn.load("planar_2r").inverse_dynamics.vjp("q", "gravity")(*np.ones((3, 2)), cotangent_out=np.ones(2))[0]


@pytest.mark.short_run(without=("simulated",))
@pytest.mark.parametrize("work", [inverse_kinematics, simulated, constrained, differentiated, gradients])
def test_the_next_process_does_not_trace(work: Callable[[], Any], new_process: Callable[[], None]) -> None:
    expected = work()
    new_process()
    kinematics.descent._compiled.cache_clear()
    np.testing.assert_array_equal(work(), expected)


def test_the_shorter_program_and_the_recursion_have_keys_of_their_own() -> None:
    robot = armdyn.load("planar_2r")
    recursion = robot.compile(armdyn.algorithms.inverse_dynamics_derivatives)
    variant = (("q", "qd", "qdd"), ())
    assert recursion._source_key(variant) != robot.inverse_dynamics_derivatives._source_key(variant) is not None


@dataclass(frozen=True)
class OnesOwn:
    number: float


MODEL = armdyn.load("planar_2r").model


def kind(value: object) -> str:
    return type(value).__name__


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.1, math.nextafter(0.1, 1.0)),
        (np.float64(0.1), np.float32(0.1)),
        ((1, 2), [1, 2]),
        ((1, (2,)), ((1, 2),)),
        ("1", 1),
        (None, "None"),
        (10**5000, 10**5000 + 1),
        (np.array([0.1]), np.nextafter([0.1], 1.0)),
        (np.array([1.0, 2.0]), np.array([[1.0, 2.0]])),
        ({"a": 1}, {"a": 2}),
        (kinematics.aims.Aim("position", "tip"), kinematics.aims.Aim("position", "tip", counted=(0, 1))),
    ],
    ids=kind,
)
def test_what_differs_has_another_key(one: object, other: object) -> None:
    keys = [source_key(MODEL, mass_matrix, value) for value in (one, other, one)]
    assert keys[0] == keys[2] is not None
    assert keys[0] != keys[1] is not None


@pytest.mark.parametrize("value", [object(), len, OnesOwn(1.0), np.array([object()]), {1, 2}], ids=kind)
def test_what_no_text_can_hold_has_none(value: object) -> None:
    assert source_key(MODEL, mass_matrix, value) is None
    assert source_key(MODEL, mass_matrix, (1, [value])) is None


def test_functions_of_ones_own_have_none() -> None:
    """Their source may have changed since, and what they call."""

    @armdyn.function("(n)->(n)")
    def own(model: Any, q: Any) -> Any:
        """Own."""
        return 2.0 * q

    assert source_key(MODEL, own) is None
    own.implementation.__module__ = "armdyn.algorithms.mass_matrix"  # says so, and is none of it
    assert source_key(MODEL, own) is None
    mine = constraints.Holonomic(lambda model, q: q[0], ["first"])
    assert source_key(MODEL.replace(constraints=(mine,)), mass_matrix) is None
    assert source_key(MODEL.replace(constraints=(PLANE,)), mass_matrix) is not None
