"""Tasks whose velocities or accelerations belong to another motion than their positions."""

import numpy as np
import pytest

import armdyn
from armdyn.simulation import RungeKutta4
from armdyn.sizing import MotionCycle
from armdyn.sizing.rates import contradiction
from armdyn.sizing.task import CycleError

T = np.linspace(0.0, 2.0, 101)
ANGLE = np.pi * T[:, None] + np.arange(2)
Q, QD, QDD = np.sin(ANGLE), np.pi * np.cos(ANGLE), -(np.pi**2) * np.sin(ANGLE)


@pytest.mark.parametrize(
    ("qd", "qdd", "said"),
    [
        (np.degrees(QD), np.degrees(QDD), "qd of MotionCycle is not the rate of q"),
        (-QD, QDD, "qd of MotionCycle is not the rate of q"),
        (QD[:, ::-1], QDD[:, ::-1], "qd of MotionCycle is not the rate of q"),
        (1.05 * QD, 1.05 * QDD, "qd of MotionCycle is not the rate of q"),
        (0.0 * QD, 0.0 * QDD, "qd of MotionCycle is not the rate of q"),
        (QD, np.degrees(QDD), "qdd of MotionCycle is not the rate of qd"),
        (QD, -QDD, "qdd of MotionCycle is not the rate of qd"),
        (QD, QDD * [1.0, 1.05], r"qd\[:, 1\] moves by"),
    ],
)
def test_a_contradiction_is_named(qd: np.ndarray, qdd: np.ndarray, said: str) -> None:
    with pytest.raises(CycleError, match=said):
        MotionCycle(T, Q, qd, qdd)
    assert MotionCycle(T, Q, qd, qdd, jumps=True).then_hold(1.0).jumps


def test_the_message_has_joint_times_and_both_numbers() -> None:
    still = np.zeros((3, 1))
    words = "from 0 to 2 s q of joint 'elbow' moves by 0.5, and the integral of its qd is 0. Give the samples of one"
    with pytest.raises(CycleError, match=words):
        MotionCycle([0.0, 1.0, 2.0], [[0.1], [0.2], [0.6]], still, still, joint_names=["elbow"])
    with pytest.raises(armdyn.ShapeError, match="1 joint_names of MotionCycle for 2 joints"):
        MotionCycle(T, Q, QD, QDD, joint_names=["elbow"])


def profile(times: np.ndarray, ramp: float = 0.31) -> tuple[np.ndarray, ...]:
    """From 0 to 1 in a second with trapezoidal velocity: accelerations jump between the samples."""
    top = 1.0 / (1.0 - ramp)
    first, last = np.minimum(times, ramp), np.maximum(times - (1.0 - ramp), 0.0)
    q = top * (0.5 * first**2 / ramp + np.clip(times - ramp, 0.0, 1.0 - 2.0 * ramp) + last - 0.5 * last**2 / ramp)
    qd = top * np.clip(np.minimum(times, 1.0 - times) / ramp, 0.0, 1.0)
    qdd = top / ramp * ((times < ramp).astype(float) - (times > 1.0 - ramp))
    return tuple(each[:, None] for each in (q, qd, qdd))


@pytest.mark.parametrize("samples", [4, 5, 6, 7, 9, 13, 23, 50, 101, 1000])
def test_motions_are_accepted_however_they_are_sampled(samples: int) -> None:
    """Smooth ones at even and uneven times, jumps of the acceleration between samples, three and four digits, noise."""
    rng = np.random.default_rng(samples)
    even = np.linspace(0.0, 1.0, samples)
    for t in (even, np.sort(np.concatenate([[0.0, 1.0], rng.uniform(0.0, 1.0, samples - 2)]))):
        for w in (np.pi, 2.0 * np.pi):
            angle = w * t[:, None] + rng.uniform(0.0, 6.0, 4)
            MotionCycle(t, np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle))
        MotionCycle(t, *profile(t))
        MotionCycle(t, *(each.round(3) for each in profile(t)))
        noisy = [each + 2e-3 * np.abs(each).max() * rng.normal(size=each.shape) for each in profile(t)]
        MotionCycle(t, *noisy)
        MotionCycle(t, (t[:, None] / 3.0).round(4), np.full((samples, 1), 0.333), np.zeros((samples, 1)))


def test_a_time_that_stands_twice_is_a_jump() -> None:
    go = MotionCycle(T, Q, QD, QDD).then_hold(0.5)
    again = [np.concatenate([x, x]) for x in (go.q, go.qd, go.qdd)]
    MotionCycle(np.concatenate([go.t, go.t[-1] + go.t]), *again)
    t = np.array([0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0])
    x = np.array([0.0, 1.0, 2.0, 7.0, 7.0, 7.0, 12.0, 13.0, 14.0])[:, None]
    rate = np.repeat([1.0, 0.0, 1.0], 3)[:, None]
    assert contradiction(t, x, rate) is None
    x[-2:] = [[14.0], [16.0]]
    found = contradiction(t, x, rate)
    assert found is not None
    assert (found.start, found.end, found.moved, found.integral) == (4.0, 6.0, 4.0, 2.0)


def test_simulations_agree_with_themselves() -> None:
    arm = armdyn.load("planar_2r").with_friction(dict.fromkeys(("joint_1", "joint_2"), (0.1, 1.0)))
    MotionCycle.of_trajectory(armdyn.simulate(arm, [0.3, -0.2], duration=0.5))
    stops = armdyn.simulate(armdyn.load("planar_2r"), [0.3, -0.2], duration=0.5, method=RungeKutta4(step=0.01))
    assert MotionCycle.of_trajectory(stops).joint_names == ("joint_1", "joint_2")
