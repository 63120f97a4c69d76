"""The low-pass: gain 1 at 0 Hz, a half at the cut-off of both passes, no phase; its ends; differences of it."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.identification import IdentificationError, LowPass
from armdyn.identification.low_pass import DERIVATIVE, SECOND_DERIVATIVE, correlate
from armdyn.identification.signals import cubic

RATE = 200.0
T = np.arange(1000) / RATE


@pytest.mark.parametrize("cutoff", [0.05, 0.5, 5.0, 60.0])
def test_a_constant_and_a_straight_line_stay(cutoff: float) -> None:
    low_pass = LowPass(cutoff)
    for signal in (np.full(400, 3.25), 2.0 - 0.3 * np.arange(400)):
        np.testing.assert_allclose(low_pass(signal, RATE), signal, rtol=0, atol=1e-11 * np.abs(signal).max())


@pytest.mark.parametrize(("order", "cutoff"), [(1, 8.0), (2, 5.0), (2, 20.0), (4, 10.0)])
def test_the_half_gain_frequency_of_both_passes_is_the_cutoff(order: int, cutoff: float) -> None:
    low_pass = LowPass(cutoff, order)
    for frequency in (0.3 * cutoff, cutoff, 2.0 * cutoff):
        sine = np.sin(2.0 * np.pi * frequency * T)
        middle = slice(400, 600)
        seen = low_pass(sine, RATE)[middle]
        gain = float(low_pass.gain(np.array(frequency), rate=RATE))
        np.testing.assert_allclose(seen, gain * sine[middle], rtol=0, atol=3e-6)
    assert float(low_pass.gain(np.array(cutoff), rate=RATE)) == pytest.approx(0.5, rel=1e-12)


def test_it_is_both_passes_of_scipys_sections() -> None:
    signal = pytest.importorskip("scipy.signal")
    noise = np.random.default_rng(0).normal(size=(1000, 2))
    expected = signal.sosfiltfilt(signal.butter(2, 5.0, fs=RATE, output="sos"), noise, axis=0)
    np.testing.assert_allclose(LowPass(5.0)(noise, RATE)[300:700], expected[300:700], rtol=0, atol=1e-6)


def test_every_tenth_value_is_the_same_as_of_all() -> None:
    noise = np.random.default_rng(0).normal(size=(700, 3))
    kernel = LowPass(5.0).kernel(RATE)
    np.testing.assert_allclose(correlate(noise, kernel, 10), correlate(noise, kernel)[::10], rtol=0, atol=1e-14)


def test_derivatives_of_five_samples_are_of_the_fourth_order() -> None:
    errors = []
    for step in (0.02, 0.01):
        t = np.arange(-2, 3) * step + 0.3
        first = abs(DERIVATIVE @ np.sin(3.0 * t) / step - 3.0 * np.cos(0.9))
        second = abs(SECOND_DERIVATIVE @ np.sin(3.0 * t) / step**2 + 9.0 * np.sin(0.9))
        errors.append((first, second))
    assert np.log2(np.divide(*errors)) == pytest.approx([4.0, 4.0], abs=0.05)


def test_values_between_stamps_are_exact_for_cubic_polynomials() -> None:
    rng = np.random.default_rng(5)
    t = np.cumsum(rng.uniform(0.5, 1.5, 50))
    times = rng.uniform(t[0], t[-1], 200)
    cube = lambda x: np.stack([x**3 - 2.0 * x, 1.0 + 0.0 * x], axis=-1)  # noqa: E731
    np.testing.assert_allclose(cubic(t, cube(t), times), cube(times), rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize(("cutoff", "order", "words"), [(0.0, 2, "cutoff is 0.0"), (5.0, 0, "order is 0")])
def test_settings_that_make_no_sense(cutoff: float, order: int, words: str) -> None:
    with pytest.raises(IdentificationError, match=words):
        LowPass(cutoff, order)
    with pytest.raises(IdentificationError, match="expected less than half of that, 5 Hz"):
        LowPass(5.0).kernel(10.0)
