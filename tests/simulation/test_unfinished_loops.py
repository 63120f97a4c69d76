"""Errors and Ctrl-C in the middle of a closed loop's motion hold its trajectory until then as those of `simulate`."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.control import pd_gravity
from armdyn.simulation import (
    Crossing,
    RolloutInterrupted,
    RungeKutta4,
    SaveAt,
    SimulationInterrupted,
    UntracedControllerWarning,
)

ARM = armdyn.load("planar_2r")
Q0, STEP = [0.1, 0.2], 1e-3
HOLDS = partial(pd_gravity, q_ref=[0.5, -0.5], Kp=6.0, Kd=2.0)
MOTION: dict[str, Any] = {"duration": 2.0, "method": RungeKutta4(step=STEP), "controller": HOLDS}
KEPT = "What was simulated until then is in error.trajectory."


def until(after: float, error: type[BaseException]) -> Callable[[float], None]:
    """A report that raises once that part of the motion is done."""

    def report(fraction: float) -> None:
        if fraction >= after:
            raise error("own")

    return report


def check(found: armdyn.Trajectory, whole: armdyn.Trajectory) -> None:
    """The states are those of the undisturbed motion, and so are forces and energies."""
    assert 0.0 < found.t[-1] < whole.t[-1]
    np.testing.assert_array_equal(found.t[:-1], whole.t[: len(found.t) - 1])
    end = whole.at(found.t[-1])
    np.testing.assert_allclose(found.q[-1], end.q, rtol=0, atol=1e-13)
    for name in ("q", "qd", "qdd", "tau"):
        mine, other = getattr(found, name)[:-1], getattr(whole, name)[: len(found.t) - 1]
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.energy.drift, 0.0, atol=1e-9)


@pytest.mark.parametrize("save", [None, SaveAt(every=0.1), SaveAt(dense=True)], ids=["steps", "every", "dense"])
def test_an_error_of_an_event(save: SaveAt | None) -> None:
    """It has the events until then, and one note, of the trajectory."""

    def limit(t: float, q: Any, qd: Any) -> Any:
        if t > 0.4:
            raise ZeroDivisionError("own")
        return q[0] - 0.15

    whole = armdyn.simulate(ARM, Q0, save=SaveAt(every=0.1, dense=True) if save and save.every else SaveAt(dense=True),
                            events=[Crossing(lambda t, q, qd: q[0] - 0.15, "limit")], **MOTION)  # fmt: skip
    with pytest.raises(ZeroDivisionError) as caught:
        armdyn.simulate(ARM, Q0, save=save, events=[Crossing(limit, "limit")], **MOTION)
    error: Any = caught.value
    of_event, kept = error.__notes__
    assert "the function of Crossing 'limit' at t = 0.4" in of_event
    assert kept == KEPT
    check(error.trajectory, whole)
    assert error.trajectory.t[-1] >= 0.4
    assert [one.t for one in error.trajectory.events] == [one.t for one in whole.events[:1]]
    assert error.rolled.steps * STEP == pytest.approx(error.trajectory.t[-1])


def test_ctrl_c_in_a_motion_under_a_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def interrupts(*_: object) -> Iterator[Callable[[float], None]]:
        yield until(0.2, KeyboardInterrupt)

    whole = armdyn.simulate(ARM, Q0, save=SaveAt(dense=True), **MOTION)
    monkeypatch.setattr("armdyn.functions.rollout_runs.SECONDS_AT_ONCE", 1e-4)
    monkeypatch.setattr("armdyn.simulation.under_controller.progress_bar", interrupts)
    with pytest.raises(SimulationInterrupted) as caught:
        armdyn.simulate(ARM, Q0, **MOTION)
    found = caught.value.trajectory
    when = f"interrupted after t = {found.t[-1]:g} s of 2 s"
    assert str(caught.value) == f"the simulation of 'planar_2r' was {when}. {KEPT}"
    assert found.notes[0] == f"the simulation was {when}"
    check(found, whole)
    assert isinstance(caught.value.__cause__, RolloutInterrupted)


@pytest.mark.parametrize("every", [1, 5])
def test_an_error_of_a_controller_in_python(every: int) -> None:
    """Rows of several steps too; the last one of them has the forces of the end."""

    @armdyn.function("(n),(n),()->(n)")
    def failing(model: Any, q: Any, qd: Any, t: Any) -> Any:
        if t > 0.0615:
            raise ZeroDivisionError("own")
        return 9.0 * np.cos(t) - (2.0 if q[0] > 0.0 else 3.0) * qd

    loop = armdyn.ClosedLoop(ARM, failing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntracedControllerWarning)
        with pytest.raises(ZeroDivisionError) as caught:
            loop.simulate(Q0, steps=100, every=every)
        whole = loop.simulate(Q0, steps=62, every=every)
    error: Any = caught.value
    found = error.trajectory
    assert error.__notes__[-1] == KEPT
    for name in ("t", "q", "qd"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    np.testing.assert_array_equal(found.tau[:-1], whole.tau[:-1])
    np.testing.assert_array_equal(found.tau[-1], found.tau[-2])
    assert error.rolled.steps == 62
