"""Arguments that classes of the simulation do not have are answered by the argument in their place."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable

import pytest

import armdyn
from armdyn.simulation import Adaptive, ClosedLoop, Contact, Heun, RungeKutta4, SaveAt, Stops


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (
            lambda: Contact(frame="tip"),
            r"Contact\(\) has no argument 'frame'; .* plane=.*PointOnPlane",
        ),  # type: ignore[call-arg]
        (lambda: Heun(dt=1e-3), r"Heun\(\) has no argument 'dt'; the length of the steps is step="),  # type: ignore[call-arg]
        (lambda: RungeKutta4(stp=1e-3), r"RungeKutta4\(\) has no argument 'stp'; did you mean 'step'"),  # type: ignore[call-arg]
        (lambda: Adaptive(step=1e-3), r"Adaptive\(\) has no argument 'step'; .* such as RungeKutta4"),  # type: ignore[call-arg]
        (lambda: SaveAt(dt=0.1), r"SaveAt\(\) has no argument 'dt'; the time between two states is every="),  # type: ignore[call-arg]
        (lambda: Stops(e=0.5), r"Stops\(\) has no argument 'e'; it takes restitution, joints, resting_speed"),  # type: ignore[call-arg]
        (
            lambda: ClosedLoop(armdyn.load("rp"), step=1e-3),  # type: ignore[call-arg]
            r"ClosedLoop\(\) has no argument 'step'; the step belongs to the method",
        ),
    ],
)
def test_an_argument_that_does_not_exist(call: Callable[[], object], answer: str) -> None:
    with pytest.raises(TypeError, match=answer):
        call()


def test_the_classes_are_what_they_were() -> None:
    assert list(inspect.signature(Heun).parameters) == ["step"]
    assert copy.deepcopy(Stops(0.5)) == Stops(0.5)
