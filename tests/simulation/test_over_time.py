"""Forces at times of their own: the same motion as by parts, with adaptive and fixed steps, at stops, in a batch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import armdyn
from armdyn.simulation import OverTime, RungeKutta4, SettingError, Stops, Taylor
from simulation.arms import near

ARM = armdyn.load("planar_2r")
START = np.array([0.3, -0.4])
T = np.array([0.0, 0.13, 0.2, 0.55, 0.6])
TAU = np.array([[1.0, 0.3], [-2.0, 0.5], [0.7, -1.0], [1.5, 0.2], [0.1, -0.6]])


def by_parts(between: str) -> tuple[np.ndarray, np.ndarray]:
    """The state at the end, one smooth part after the other."""
    q, qd = START, np.zeros(2)
    for k, (begin, end) in enumerate(pairwise(T)):
        slope = (TAU[k + 1] - TAU[k]) / (end - begin) * (between == "linear")
        part = armdyn.simulate(
            ARM, q, qd, duration=end - begin, torque=lambda t, q, qd, k=k, slope=slope: TAU[k] + slope * t
        )
        q, qd = part.q[-1], part.qd[-1]
    return q, qd


@pytest.mark.short_run("hold")
@pytest.mark.parametrize("between", ["linear", "hold"])
def test_the_motion_is_that_of_its_parts(between: str) -> None:
    q, qd = by_parts(between)
    torque = OverTime(T, TAU, between)
    adaptive = armdyn.simulate(ARM, START, duration=0.6, torque=torque)
    near(adaptive.q[-1], q, 2e-9)
    near(adaptive.qd[-1], qd, 2e-8)
    fixed = armdyn.simulate(ARM, START, duration=0.6, torque=torque, method=RungeKutta4(step=0.001))
    near(fixed.q[-1], q, 1e-8)
    watched = armdyn.simulate(
        ARM.with_limits({"joint_2": (-9, 9)}), START, duration=0.6, torque=torque, elements=[Stops()]
    )
    near(watched.q[-1], q, 2e-9)
    assert abs(adaptive.energy.drift).max() < 1e-8
    expected = TAU[1] + (0.5 * (TAU[2] - TAU[1]) if between == "linear" else 0)
    near(torque_at(fixed, 0.165), expected, 1e-12)
    near(torque_at(fixed, 0.2), TAU[2], 1e-12)


def torque_at(motion: armdyn.Trajectory, t: float) -> np.ndarray:
    return motion.tau[np.abs(motion.t - t).argmin()]


def test_values_that_are_held_from_between_steps_are_noted() -> None:
    """0.13 and 0.55 s are no multiples of 0.02 s, 0.2 s is; a pulse within a step does nothing."""
    given = {"duration": 0.6, "method": RungeKutta4(step=0.02)}
    motion = armdyn.simulate(ARM, START, torque=OverTime(T, TAU, "hold"), **given)
    assert motion.notes[0].startswith(
        "torque changes between steps of 0.02 s, first at t = 0.13 s: a value that is held"
    )
    np.testing.assert_array_equal(motion.tau[[6, 7, 10, 27, 28]], TAU[[0, 1, 2, 2, 3]])
    pulse = OverTime([0.0, 0.205, 0.215, 1.0], [[0.0, 0.0], [50.0, 50.0], [0.0, 0.0], [0.0, 0.0]], "hold")
    unmoved = armdyn.simulate(ARM, START, torque=pulse, **given)
    assert not unmoved.tau.any()
    assert "first at t = 0.205 s" in unmoved.notes[0]
    assert "left out where the next one begins there too" in unmoved.notes[0]
    fits = armdyn.simulate(ARM, START, torque=OverTime([0.0, 0.2, 0.7], TAU[:3], "hold"), **given)
    linear = armdyn.simulate(ARM, START, torque=OverTime(T, TAU), **given)
    adaptive = armdyn.simulate(ARM, START, duration=0.6, torque=OverTime(T, TAU, "hold"))
    assert not any("between steps" in note for some in (fits, linear, adaptive) for note in some.notes)


def test_a_batch_and_a_wrench() -> None:
    both = np.stack([TAU, 2 * TAU], axis=1)
    wrench = OverTime([0, 0.6], np.outer([0.0, 0.6], [0, 0, 0, 1.0, 2.0, 0]))
    found = armdyn.simulate(ARM, np.tile(START, (2, 1)), duration=0.6, torque=OverTime(T, both), f_tip=wrench)
    for k in range(2):
        law = OverTime(T, (k + 1) * TAU)
        single = armdyn.simulate(
            ARM, START, duration=0.6, torque=law, f_tip=lambda t, q, qd: t * np.array([0, 0, 0, 1.0, 2.0, 0])
        )
        near(found.q[:, k], single.q, 1e-9)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(
        SettingError, match=r"torque is known from t = 0 to 0.6 s; expected from 0 to the duration, 1 s"
    ):
        armdyn.simulate(ARM, START, duration=1, torque=OverTime(T, TAU))
    with pytest.raises(SettingError, match=r"f_tip is known from t = 0\.1 to"):
        armdyn.simulate(ARM, START, duration=1, f_tip=OverTime([0.1, 2], np.zeros((2, 6))))
    with pytest.raises(armdyn.ShapeError, match=r"values of torque have shape \(2, 3\); expected \(m, 2\): joint_1"):
        armdyn.simulate(ARM, START, duration=1, torque=OverTime([0, 1], np.zeros((2, 3))))
    with pytest.raises(armdyn.ShapeError, match="one is a table and the other an OverTime"):
        armdyn.simulate(ARM, START, duration=0.6, torque=OverTime(T, TAU), f_tip=np.zeros((3, 6)))
    with pytest.raises(SettingError, match="must rise"):
        OverTime([0, 0], np.zeros((2, 2)))
    with pytest.raises(armdyn.ShapeError, match="expected two times at least"):
        OverTime([0, 1], np.zeros((3, 2)))
    with pytest.raises(SettingError, match="'linear' or 'hold'"):
        OverTime(T, TAU, "cubic")


def test_taylor_takes_what_is_held() -> None:
    pytest.importorskip("heyoka")
    q, _ = by_parts("hold")
    motion = armdyn.simulate(ARM, START, duration=0.6, torque=OverTime(T, TAU, "hold"), method=Taylor())
    near(motion.q[-1], q, 2e-9)
