"""Motion laws: closed forms, limits, derivatives that are derivatives, the paper's equations."""

import math

import modern_robotics as mr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armdyn.trajectory import (
    ConstantVelocity,
    Cubic,
    Cycloidal,
    CycloidalStart,
    CycloidalStop,
    LawSequence,
    MotionError,
    MotionLaw,
    Quintic,
    SCurve,
    Trapezoidal,
)
from oracles.integrals import assert_is_derivative

LAWS = {
    "constant": ConstantVelocity(-1.3, 2.1),
    "cubic": Cubic(1.7, 2.3, start_velocity=0.4, end_velocity=-0.9),
    "quintic": Quintic(-1.7, 2.3, 0.4, -0.9, 1.1, 0.7),
    "trapezoidal": Trapezoidal(1.7, duration=2.3, ramp=0.6),
    "triangle": Trapezoidal.from_limits(0.7, velocity=9.0, acceleration=1.3),
    "s-curve": SCurve(-1.7, duration=2.9, ramp=1.1, rounding=0.3),
    "start": CycloidalStart(1.7, 2.3),
    "stop": CycloidalStop(-1.7, 2.3),
    "cycloidal": Cycloidal(1.7, start=0.7, cruise=1.1, stop=1.9),
    "no cruise": Cycloidal(1.7, start=0.7, cruise=0.0, stop=1.9),
    "stretched": SCurve(-1.7, duration=2.9, ramp=1.1, rounding=0.3).stretched(4.7),
    "sequence": LawSequence((Cubic(1.0, 1.2, end_velocity=0.8), ConstantVelocity(0.4, 0.5), Cubic(2.0, 1.0, 0.8))),
}
LIMIT = st.floats(0.05, 20.0)


@pytest.mark.parametrize("name", LAWS)
def test_each_is_the_derivative_of_the_one_before(name: str) -> None:
    law = LAWS[name]
    for order in range(3):
        assert_is_derivative(
            lambda t, k=order: law.evaluate(t)[k], lambda t, k=order: law.evaluate(t)[k + 1], law.switches
        )


@pytest.mark.parametrize("name", LAWS)
def test_it_covers_its_distance(name: str) -> None:
    law = LAWS[name]
    s = law.evaluate([0.0, law.duration]).s
    np.testing.assert_allclose(s, [0.0, law.distance], rtol=1e-14, atol=1e-15)
    assert law.switches[0] == 0.0
    assert law.switches[-1] == pytest.approx(law.duration, rel=1e-15)


@pytest.mark.parametrize("name", LAWS)
def test_shape_is_that_of_the_times(name: str) -> None:
    t = np.linspace(0, LAWS[name].duration, 12).reshape(3, 4)
    whole = LAWS[name].evaluate(t)
    for quantity, one in zip(whole, LAWS[name].evaluate(float(t[1, 2])), strict=True):
        assert quantity.shape == (3, 4)
        assert np.shape(one) == ()
        np.testing.assert_array_equal(quantity[1, 2], one)


@pytest.mark.parametrize("name", ["trapezoidal", "triangle", "s-curve", "cycloidal", "no cruise", "sequence"])
def test_velocity_is_continuous(name: str) -> None:
    law = LAWS[name]
    for switch in law.switches[1:-1]:
        before, after = law.evaluate(switch - 1e-12), law.evaluate(switch + 1e-12)
        np.testing.assert_allclose(before.sd, after.sd, rtol=0, atol=1e-10)
        if name in ("s-curve", "cycloidal", "no cruise"):
            np.testing.assert_allclose(before.sdd, after.sdd, rtol=0, atol=1e-10)


def test_cubic_and_quintic_are_modern_robotics() -> None:
    for t in np.linspace(0, 2.3, 17):
        np.testing.assert_allclose(Cubic(1.0, 2.3).evaluate(t).s, mr.CubicTimeScaling(2.3, t), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(Quintic(1.0, 2.3).evaluate(t).s, mr.QuinticTimeScaling(2.3, t), rtol=0, atol=1e-14)


def test_ends_of_cubic_and_quintic() -> None:
    first, last = (LAWS["quintic"].evaluate(t) for t in (0.0, 2.3))
    np.testing.assert_allclose([first.sd, first.sdd, last.sd, last.sdd], [0.4, 1.1, -0.9, 0.7], rtol=0, atol=1e-13)
    np.testing.assert_allclose(LAWS["cubic"].evaluate([0.0, 2.3]).sd, [0.4, -0.9], rtol=0, atol=1e-14)


def test_largest_values_of_the_docstrings() -> None:
    t = np.linspace(0, 2, 200_001)
    cubic, quintic = Cubic(3.0, 2.0).evaluate(t), Quintic(3.0, 2.0).evaluate(t)
    np.testing.assert_allclose(np.abs(cubic.sd).max(), 1.5 * 3 / 2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(cubic.sdd).max(), 6 * 3 / 4, rtol=1e-9)
    np.testing.assert_allclose(np.abs(quintic.sd).max(), 1.875 * 3 / 2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(quintic.sdd).max(), 10 / math.sqrt(3) * 3 / 4, rtol=1e-8)


def test_the_papers_equations_32_to_34() -> None:
    """Typed as printed."""
    psi = Cycloidal(2 * np.pi, start=3.0, cruise=3.0, stop=3.0)
    pi = np.pi
    for t in np.arange(0.05, 9, 0.1):
        if t < 3:
            dd = pi**2 / 18 * np.sin(pi * t / 3)
            d = pi / 6 - pi / 6 * np.cos(pi * t / 3)
            at = pi * t / 6 - np.sin(pi * t / 3) / 2
        elif t < 6:
            dd, d, at = 0.0, pi / 3, pi / 2 + pi / 3 * (t - 3)
        else:
            dd = -(pi**2) / 18 * np.sin(pi / 3 * (9 - t))
            d = pi / 6 - pi / 6 * np.cos(pi / 3 * (9 - t))
            at = 3 * pi / 2 + pi / 6 * (t - 6) + np.sin(pi / 3 * (9 - t)) / 2
        np.testing.assert_allclose(psi.evaluate(t)[:3], (at, d, dd), rtol=0, atol=5e-15)


def test_angles_of_the_papers_parts() -> None:
    """phi_1 = 2 pi T1/(T + T2) and so on, for durations that differ."""
    law, (T1, T2, T3) = Cycloidal(2 * np.pi, start=0.7, cruise=1.1, stop=1.9), (0.7, 1.1, 1.9)
    T = T1 + T2 + T3
    expected = np.array([2 * np.pi * T1, 4 * np.pi * T2, 2 * np.pi * T3]) / (T + T2)
    np.testing.assert_allclose(np.diff(law.evaluate(law.switches).s), expected, rtol=1e-14)
    np.testing.assert_allclose(law.evaluate(1.0).sd, law.velocity, rtol=1e-15)


@given(distance=st.floats(0.001, 50.0), v=LIMIT, a=LIMIT, backwards=st.booleans())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_trapezoid_keeps_its_limits_and_no_more(distance: float, v: float, a: float, backwards: bool) -> None:
    law = Trapezoidal.from_limits(-distance if backwards else distance, velocity=v, acceleration=a)
    peak = law.evaluate(law.duration / 2).sd
    assert np.sign(peak) == (-1 if backwards else 1)
    assert abs(peak) <= v * (1 + 1e-12)
    np.testing.assert_allclose(abs(law.evaluate(0.0).sdd), a, rtol=1e-12)  # the acceleration limit always binds
    np.testing.assert_allclose(law.evaluate(law.duration).s, law.distance, rtol=1e-12)
    # No motion is faster: speeding up with a until v or half the way, whichever comes first.
    expected = 2 * math.sqrt(distance / a) if distance < v * v / a else distance / v + v / a
    np.testing.assert_allclose(law.duration, expected, rtol=1e-12)


def ramp_time(v: float, a: float, j: float) -> float:
    """How long from rest to v: with full jerk until half of v or until a, then on with a."""
    to_half = math.sqrt(v / j)
    return 2 * to_half if j * to_half <= a else 2 * a / j + (v - a * a / j) / a


@given(distance=st.floats(0.001, 50.0), v=LIMIT, a=LIMIT, j=LIMIT, backwards=st.booleans())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_s_curve_keeps_its_limits_and_no_more(distance: float, v: float, a: float, j: float, backwards: bool) -> None:
    law = SCurve.from_limits(-distance if backwards else distance, velocity=v, acceleration=a, jerk=j)
    t = np.concatenate([law.switches, np.linspace(0, law.duration, 50)])
    _, sd, sdd, sddd = law.evaluate(t)
    assert np.abs(sd).max() <= v * (1 + 1e-9)
    assert np.abs(sdd).max() <= a * (1 + 1e-9)
    np.testing.assert_allclose(np.abs(sddd).max(), j, rtol=1e-9)  # the jerk limit always binds
    np.testing.assert_allclose(law.evaluate(law.duration).s, law.distance, rtol=1e-11)
    np.testing.assert_allclose(law.evaluate(law.duration).sd, 0.0, rtol=0, atol=1e-11 * v)
    # The peak velocity by bisection instead of the closed form: two symmetrical ramps cover peak * ramp_time(peak).
    low, high = 0.0, v
    if v * ramp_time(v, a, j) > distance:
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if middle * ramp_time(middle, a, j) < distance else (low, middle)
        expected = 2 * ramp_time(low, a, j)
    else:
        expected = ramp_time(v, a, j) + distance / v
    np.testing.assert_allclose(law.duration, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("distance", "segments"), [(20.0, 7), (5.0, 6), (1.0, 4)], ids=["all", "no cruise", "no constant acceleration"]
)
def test_segments_that_a_short_way_has_no_room_for_drop_out(distance: float, segments: int) -> None:
    law = SCurve.from_limits(distance, velocity=3.0, acceleration=2.0, jerk=2.0)
    assert len(law.switches) - 1 == segments


@pytest.mark.parametrize("distance", [4.5, 4.5 * (1 - 1e-15), 4.5 * (1 + 1e-15)])
def test_just_no_cruise(distance: float) -> None:
    law = Trapezoidal.from_limits(distance, velocity=3.0, acceleration=2.0)
    assert law.duration == pytest.approx(3.0, rel=1e-14)
    np.testing.assert_allclose(law.evaluate([1.5, 3.0]).sd, [3.0, 0.0], rtol=0, atol=1e-13)


def test_stretching() -> None:
    law = LAWS["cubic"]
    slow = law.stretched(3 * law.duration)
    for power, (x, y) in enumerate(zip(law.evaluate(1.1), slow.evaluate(3.3), strict=True)):
        np.testing.assert_allclose(y * 3.0**power, x, rtol=1e-13)


BAD = [
    (lambda: Cubic(1.0, 0.0), "duration is 0.0; expected a number above zero, in s"),
    (lambda: Cubic(math.nan, 1.0), "distance is nan; expected a finite number"),
    (lambda: Cubic(1.0, 1.0, start_velocity=math.inf), "start_velocity is inf"),
    (lambda: Quintic("1", 1.0), "distance is '1'"),
    (lambda: Trapezoidal(1.0, 1.0, 0.6), "two ramps of 0.6 s do not fit into a duration of 1 s"),
    (lambda: Trapezoidal.from_limits(0.0, velocity=1, acceleration=1), "a motion without a distance"),
    (lambda: Trapezoidal.from_limits(1.0, velocity=-1, acceleration=1), "velocity is -1; expected a number above zero"),
    (lambda: SCurve.from_limits(1.0, velocity=1, acceleration=1, jerk=0), "jerk is 0; expected a number above zero"),
    (lambda: SCurve(1.0, 1.0, 0.5, 0.3), "two roundings of 0.3 s do not fit into a ramp of 0.5 s"),
    (lambda: Cycloidal(1.0, 1.0, -0.1, 1.0), "cruise is -0.1; expected a number of at least zero"),
    (lambda: LawSequence((Cubic(1.0, 1.0), ConstantVelocity(1.0, 2.0))), "law 0 ends with velocity 0, law 1 begins"),
    (lambda: Cubic(1.0, 1.0).evaluate([0.5, 1.1]), "t = 1.1 s is outside the motion, which lasts from 0 to 1 s"),
    (lambda: Cubic(1.0, 1.0).evaluate(-1e-6), "np.clip"),
    (lambda: Cubic(1.0, 1.0).evaluate(math.nan), "t = nan s is outside"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD, ids=[m for _, m in BAD])
def test_what_makes_no_sense_is_refused(wrong, message: str) -> None:
    with pytest.raises(MotionError) as caught:
        wrong()
    assert message in str(caught.value)


def test_rounding_beyond_the_end_is_the_end() -> None:
    law = Cubic(1.0, 0.3)
    assert law.evaluate(0.1 + 0.2).s == law.evaluate(0.3).s == pytest.approx(1.0, rel=1e-15)


def test_laws_are_values() -> None:
    assert Cubic(1.0, 2.0) == Cubic(1, 2)
    assert hash(Cubic(1.0, 2.0)) == hash(Cubic(1, 2))
    assert isinstance(LAWS["sequence"], MotionLaw)
    with pytest.raises(AttributeError):
        LAWS["cubic"].duration = 1.0  # type: ignore[misc]
