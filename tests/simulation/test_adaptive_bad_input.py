"""Motions with error control that cannot be continued, or hardly: each is named, and what was computed is kept."""

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring
from armdyn.functions.integrations import CompiledIntegration
from armdyn.simulation import Adaptive, SaveAt, SimulationError, SimulationInterrupted, Stops
from armdyn.simulation.drivers import compiled_loops, side_by_side
from simulation.arms import near

ARM = armdyn.load("planar_2r")
DRIVE = Actuator(Motor(rotor_inertia=1e-5), Gear(50.0), Coulomb(1.0), spring=Spring(1e9, damping=1e5))
STIFF = {
    "dampers": ARM.with_friction(dict.fromkeys(ARM.joint_names, (1000000.0, 0.0))),
    "dampers and dry friction": ARM.with_friction(dict.fromkeys(ARM.joint_names, (1000000.0, 0.1))),
    "springs and rotors that stick": ARM.with_actuators(dict.fromkeys(ARM.joint_names, DRIVE)),
}


@pytest.mark.parametrize("name", STIFF)
def test_a_motion_that_needs_too_many_steps_names_stiff_methods(name: str) -> None:
    with pytest.raises(SimulationError, match=r"after 500 steps \(max_steps\).*'radau'") as error:
        armdyn.simulate(STIFF[name], [0.3, 0.2], duration=5.0, method=Adaptive(max_steps=500))
    assert np.isfinite(error.value.trajectory.q).all()
    assert len(error.value.trajectory.t) > 1


def test_hundreds_of_rebounds_are_located_one_by_one() -> None:
    """Almost elastic: the energy is that of the impacts."""
    robot = ARM.with_limits({"joint_1": (-1.0, 1.0), "joint_2": (-1.0, 1.0)})
    motion = armdyn.simulate(robot, [0.3, 0.2], duration=20.0, elements=[Stops(0.9999)])
    impacts = [one for one in motion.events if one.kind == "impact"]
    assert len(impacts) > 50
    assert np.abs(motion.energy.drift).max() < 1e-6
    assert (motion.q > -1.0 - 1e-9).all()
    assert (motion.q < 1.0 + 1e-9).all()


def test_a_lane_that_needs_too_many_steps_leaves_the_others_as_they_are_alone() -> None:
    """Eleven states, more than a vector has lanes: the fast one is kept as far as its steps reach."""
    q, qd = np.random.default_rng(7).uniform(-1.0, 1.0, (2, 11, 2))
    qd[4] = [2e4, -3e4]
    method = Adaptive(max_steps=400)
    motion = armdyn.simulate(ARM, q, qd, duration=0.5, method=method)
    assert any("1 of 11 states are not finite" in note and ": (4,)" in note for note in motion.notes)
    reached = int(np.isfinite(motion.q[:, 4, 0]).sum())
    assert 1 <= reached < len(motion.t)
    assert np.isnan(motion.q[reached:, 4]).all()
    for k in {*range(11)} - {4}:
        alone = armdyn.simulate(ARM, q[k], qd[k], duration=0.5, method=method)
        np.testing.assert_array_equal(motion.q[:, k], alone.q)


def stopping(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[dict[str, Any]]:
    """The third call of a compiled loop raises an error; returns the limits of the calls."""
    limits, advance = list[dict[str, Any]](), CompiledIntegration.advance

    def counted(self: Any, *arguments: Any, **options: Any) -> Any:
        limits.append(options["limits"])
        if len(limits) == 3:
            raise error
        return advance(self, *arguments, **options)

    monkeypatch.setattr(CompiledIntegration, "advance", counted)
    monkeypatch.setattr(compiled_loops, "SECONDS_AT_ONCE", 1e-9)
    monkeypatch.setattr(side_by_side, "ATTEMPTS_AT_FIRST", 5)
    return limits


@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("error", [MemoryError("no memory is left"), KeyboardInterrupt()], ids=["memory", "ctrl_c"])
def test_what_was_computed_is_kept(monkeypatch: pytest.MonkeyPatch, error: BaseException, friction: float) -> None:
    robot = ARM.with_friction(dict.fromkeys(ARM.joint_names, (0.1, friction))) if friction else ARM
    q = np.array([[0.3, 0.2], [0.1, -0.1], [0.5, 0.5]])
    whole = armdyn.simulate(robot, q, duration=1.0)
    stopping(monkeypatch, error)
    expected = SimulationInterrupted if isinstance(error, KeyboardInterrupt) else MemoryError
    with pytest.raises(expected) as raised:
        armdyn.simulate(robot, q, duration=1.0)
    kept = raised.value.trajectory  # type: ignore[attr-defined]
    assert 1 < len(kept.t) < len(whole.t)
    there = np.isfinite(kept.q)
    assert there[1].all()
    near(kept.q[there], whole.q[: len(kept.t)][there], 1e-12)
    assert np.isfinite(kept.energy.kinetic[1]).all()


@pytest.mark.parametrize("states", [3, 10_000])
def test_the_first_call_of_a_loop_is_short(monkeypatch: pytest.MonkeyPatch, states: int) -> None:
    """Before its speed is known, a loop tries 50,000 steps of all states together: a tenth of a second."""
    limits = stopping(monkeypatch, MemoryError())
    monkeypatch.setattr(side_by_side, "ATTEMPTS_AT_FIRST", 256)
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (states, 2))
    armdyn.simulate(ARM, q, duration=1e-3, save=SaveAt(every=1e-3))
    assert limits[0]["attempts"] == min(256, 50_000 // states)


def test_thousands_of_events_in_a_lane_are_all_located() -> None:
    """A torque that changes its sign 600 times drives a joint with friction to and fro; another state stays at rest."""
    robot = ARM.with_gravity((0.0, 0.0, 0.0)).with_friction({"joint_1": (0.0, 1.0), "joint_2": (0.0, 1.0)})
    torque = np.zeros((600, 2, 2))
    torque[:, 0] = 30.0 * np.where(np.arange(600) % 2, 1.0, -1.0)[:, None]
    motion = armdyn.simulate(robot, np.zeros((2, 2)), duration=6.0, torque=torque)
    of_lane = [[one for one in motion.events if one.index == (k,)] for k in (0, 1)]
    assert len(of_lane[0]) > 1000
    assert all(one.kind == "stick" for one in of_lane[1])
    assert np.isfinite(motion.q).all()
    assert not motion.qd[:, 1].any()
    np.testing.assert_allclose(motion.energy.drift, 0.0, atol=1e-7)


def test_chattering_in_a_batch_names_the_force_and_leaves_the_other_state_as_it_is_alone() -> None:
    q = np.array([[0.3, 0.2], [0.1, -0.1]])

    def slides(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """A sliding mode of the first joint, reached from the first state alone."""
        return np.array([-20.0 * np.sign(qd[0] + 5.0 * (q[0] - 0.2)) if q[1] > 0.1 else 0.0, 0.0])

    flat = ARM.with_gravity((0.0, 0.0, 0.0))
    motion = armdyn.simulate(flat, q, duration=0.5, torque=slides)
    assert any(note.startswith("chattering: ") and "joint_1" in note for note in motion.notes)
    alone = armdyn.simulate(flat, q[1], duration=0.5, torque=slides)
    np.testing.assert_array_equal(motion.q[:, 1], alone.q)
    assert not any(note.startswith("chattering: ") for note in alone.notes)
