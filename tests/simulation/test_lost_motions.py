"""What is kept of a motion that cannot be continued: up to the last finite state, by every method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Motor, Spring
from armdyn.control import callback
from armdyn.simulation import Adaptive, Crossing, RungeKutta4, SaveAt, SimulationError, Stops, named_method


def torn_away(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """A damper, and from 50 ms on what no step can follow."""
    return -qd if t <= 0.05 + 1e-12 else np.full(2, 1e306)


def damper(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Which an adaptive method is given too few steps for."""
    return -qd


TABLE = np.where(np.arange(200)[:, None] < 50, 0.0, [1e306, 1e306])
WEIGHTLESS = armdyn.load("planar_2r").with_gravity((0.0, 0.0, 0.0))
STIFF = WEIGHTLESS.with_actuators({"joint_1": Actuator(Motor(0.01), spring=Spring(500.0, 1.0))})
WATCHED: dict[str, Any] = {"events": [Crossing(lambda t, q, qd: 1.0)]}
RK4: dict[str, Any] = {"method": RungeKutta4(step=1e-3)}
FEW: dict[str, Any] = {"torque": damper, "method": Adaptive(max_steps=2)}


@pytest.mark.parametrize(
    ("robot", "given"),
    [
        (WEIGHTLESS, {"torque": torn_away, **RK4}),
        (WEIGHTLESS, FEW),
        (WEIGHTLESS, {"torque": torn_away, **RK4, **WATCHED}),
        (WEIGHTLESS, {**FEW, **WATCHED}),
        (WEIGHTLESS.with_limits({"joint_1": (-1e9, 1e9)}), {"torque": torn_away, "elements": [Stops()], **RK4}),
        (STIFF, {"torque": torn_away, **RK4}),
        (STIFF, FEW),
        (STIFF, {"torque": torn_away, **RK4, **WATCHED}),
        (WEIGHTLESS, {"torque": TABLE, **RK4}),
        (WEIGHTLESS.with_friction({"joint_1": (0.0, 1e-3)}), {"torque": TABLE, **RK4}),
    ],
    ids=[
        "steps", "adaptive", "steps, events", "adaptive, events", "stops", "springs", "springs, adaptive",
        "springs, events", "compiled", "compiled, dry",
    ],
)  # fmt: skip
def test_the_last_finite_state_is_kept(robot: Robot, given: dict[str, Any]) -> None:
    """However rarely states are saved: it is the end of a motion that lasts until then."""
    with pytest.raises(SimulationError) as error:
        armdyn.simulate(robot, [0.0, 0.0], [1.0, 1.0], duration=0.2, save=SaveAt(every=0.03), **given)
    lost = error.value.trajectory
    assert lost is not None
    last = float(lost.t[-1])
    np.testing.assert_allclose(lost.t[:-1], np.arange(0.0, last, 0.03), atol=1e-15)
    whole = (
        {"torque": TABLE[:50]}
        if given["torque"] is TABLE
        else {"method": "adaptive"}
        if given["method"] != RK4["method"]
        else {}
    )
    until = armdyn.simulate(robot, [0.0, 0.0], [1.0, 1.0], duration=last, **given | whole)
    assert last == pytest.approx(0.05) or given["method"] != RK4["method"]
    assert 0.001 < last % 0.03 < 0.029  # none of the times at which states were to be saved
    np.testing.assert_allclose(lost.q[-1], until.q[-1], rtol=1e-9)
    np.testing.assert_allclose(lost.qd[-1], until.qd[-1], rtol=1e-9)
    assert np.isfinite([lost.qdd, lost.tau]).all()


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("robot", [WEIGHTLESS, STIFF], ids=["rigid", "springs"])
@pytest.mark.parametrize("watched", [{}, WATCHED], ids=["", "events"])
def test_forces_that_are_not_known_in_the_last_state_are_nan(
    method: str, robot: Robot, watched: dict[str, Any]
) -> None:
    """A torque that is NaN from 10 ms on, when a step begins: without forces a stretched arm turns evenly."""

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.full(2, np.nan if t > 0.0098 else 0.0)

    given: dict[str, Any] = {
        "method": named_method(method, step=1e-3),
        "save": SaveAt(every=0.005),
        "torque": callback(torque, sample_time=1e-3),
    }
    with pytest.raises(SimulationError, match=r"returned nan as the force of joint 'joint_1' at t = 0\.01 s") as error:
        armdyn.simulate(robot, [0.3, 0.0], [1.0, 0.0], duration=0.02, **given, **watched)
    lost = error.value.trajectory
    assert lost is not None
    np.testing.assert_allclose(lost.t, [0.0, 0.005, 0.01], atol=1e-15)
    np.testing.assert_allclose(lost.q[-1], [0.31, 0.0], rtol=1e-12, atol=1e-12)
    assert np.isfinite(lost.tau[:-1]).all()
    assert np.isnan(lost.tau[-1]).all()


@pytest.mark.parametrize("raises", [True, False], ids=["raises", "nan"])
@pytest.mark.parametrize("late", [0.0, 1e-9], ids=["at once", "in the first step"])
@pytest.mark.parametrize("q0", [[0.1, 0.2], [[0.1, 0.2], [0.3, -0.4]]], ids=["one", "batch"])
@pytest.mark.parametrize("watched", [{}, {"events": [Crossing(lambda t, q, qd: 1.0)]}], ids=["", "events"])
@pytest.mark.parametrize(
    ("robot", "method"),
    [(WEIGHTLESS, "adaptive"), (STIFF, "adaptive"), (WEIGHTLESS, "rk4"), (STIFF, "rk4")],
    ids=["rigid, adaptive", "springs, adaptive", "rigid, rk4", "springs, rk4"],
)
def test_the_start_is_kept_where_a_function_fails_in_the_first_step(
    robot: Robot, method: str, watched: dict[str, Any], q0: Any, late: float, raises: bool
) -> None:
    def fails(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t >= late and raises:
            raise RuntimeError("broken")
        return q * (np.nan if t >= late else 0.0)

    with pytest.raises(RuntimeError if raises else SimulationError) as error:
        armdyn.simulate(robot, q0, duration=0.1, torque=fails, method=method, **watched)
    kept = error.value.trajectory  # type: ignore[union-attr]
    assert (kept.t.tolist(), len(kept.q)) == ([0.0], 1)
    first = kept.q[0].reshape(-1, 2)
    np.testing.assert_array_equal(first[0], np.reshape(q0, (-1, 2))[0])
    assert np.isnan(kept.tau[0].reshape(-1, 2)[0]).all() == (late == 0.0)
    assert "error.trajectory" in str(error.value) + str(getattr(error.value, "__notes__", ""))
