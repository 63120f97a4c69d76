"""A zero-phase low-pass filter, specified in hertz: a Butterworth filter forwards and backwards.

Its gain is |H(f)|^2 = 1 / (1 + (tan(pi f/r) / tan(pi f_c/r))^(2N)) at the rate r: 1 at 0 Hz, and 1/2 at the cut-off f_c
of both passes together. It is applied as a kernel of finite length, the impulse response of both passes, so that the
value at one time depends on the times within its half width only, and a long log can be filtered part by part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armdyn.base.checks import number, whole_number
from armdyn.identification.errors import IdentificationError
from armdyn.spatial.rotations import Array

ORDER = 2
"""The order of the Butterworth filter of each pass."""

NEGLIGIBLE = 1e-6
"""The kernel ends when its absolute values beyond sum up to less than this."""


@dataclass(frozen=True)
class LowPass:
    """A zero-phase low-pass filter.

    Args:
        cutoff: f_c, the frequency at which both passes together halve a sine, Hz.
        order: N, of the Butterworth filter of each pass.

    Raises:
        IdentificationError: a cut-off that is not above zero.

    >>> low_pass = armdyn.identification.LowPass(5.0)
    >>> low_pass.gain(np.array([0.0, 5.0]), rate=125.0).round(12)
    array([1. , 0.5])
    """

    cutoff: float
    order: int = ORDER

    def __post_init__(self) -> None:
        number("cutoff", self.cutoff, above=0.0, unit="Hz", error=IdentificationError)
        whole_number("order", self.order, least=1, error=IdentificationError)

    def require_below_half(self, rate: float) -> None:
        """Raise unless the cut-off is below half the rate of the samples, Hz.

        Raises:
            IdentificationError: a cut-off that such samples do not have.
        """
        if not self.cutoff < 0.5 * rate:
            raise IdentificationError(
                f"cutoff is {self.cutoff:g} Hz, and there are {rate:g} samples per second; expected less than half of "
                f"that, {0.5 * rate:g} Hz"
            )

    def gain(self, frequency: Array, *, rate: float) -> Array:
        """The gain of both passes at frequencies, Hz, by the formula above."""
        ratio = np.tan(np.pi * np.asarray(frequency) / rate) / np.tan(np.pi * self.cutoff / rate)
        return np.asarray(1.0 / (1.0 + ratio ** (2 * self.order)))

    def kernel(self, rate: float) -> Array:
        """The impulse response of both passes, symmetric, of odd length, with the sum 1.

        Args:
            rate: samples per second, Hz.
        """
        self.require_below_half(rate)
        return _kernel(self.cutoff, self.order, float(rate))

    def __call__(self, signal: Array, rate: float) -> Array:
        """The filtered signal along the first axis, of its length.

        Beyond an end the signal goes on as its reflection through the end's value, so that a constant and a straight
        line stay as they are.

        Args:
            signal: samples, shape (T, ...).
            rate: samples per second, Hz.
        """
        kernel = self.kernel(rate)
        half = len(kernel) // 2
        extended = reflect_ends(np.asarray(signal, dtype=np.float64), half)
        return correlate(extended, kernel)

    def seconds(self, rate: float) -> float:
        """Half the length of the kernel, s: values nearer to an end depend on its reflection."""
        return (len(self.kernel(rate)) // 2) / rate


@lru_cache(maxsize=64)
def _kernel(cutoff: float, order: int, rate: float) -> Array:
    from scipy.signal import butter, sosfilt  # noqa: PLC0415 - slow to import

    sections = butter(order, cutoff, fs=rate, output="sos")
    length = int(np.ceil(12.0 * order * rate / cutoff)) + 16
    impulse = np.zeros(length)
    impulse[0] = 1.0
    causal = sosfilt(sections, impulse)
    both = np.correlate(causal, causal, mode="full")
    tail = np.cumsum(np.abs(both))
    first = int(np.searchsorted(tail, 0.5 * NEGLIGIBLE))
    kernel: Array = both[first : len(both) - first]
    kernel = kernel / kernel.sum()
    kernel.flags.writeable = False
    return kernel


def reflect_ends(signal: Array, count: int) -> Array:
    """A signal with ``count`` more samples at both ends: its reflection through the value at the end."""
    if not count:
        return signal
    length = len(signal)
    if length == 1:
        return np.repeat(signal, 2 * count + 1, axis=0)
    steps = np.arange(1, count + 1)
    periods, places = np.divmod(steps, length - 1)
    rise = signal[-1] - signal[0]  # of a whole length; longer extensions repeat it
    shape = (count, *(1,) * (signal.ndim - 1))
    before = signal[0] - (signal[places] - signal[0]) - periods.reshape(shape) * rise
    after = signal[-1] + (signal[-1] - signal[length - 1 - places]) + periods.reshape(shape) * rise
    return np.concatenate([before[::-1], signal, after])


def correlate(signal: Array, kernel: Array, step: int = 1) -> Array:
    """The correlation of a signal with a kernel along the first axis, at every ``step``-th place at which it fits.

    Args:
        signal: shape (T, ...).
        kernel: shape (L,), L at most T.
        step: the distance of the places.
    """
    count = (len(signal) - len(kernel)) // step + 1
    flat = np.ascontiguousarray(signal.reshape(len(signal), -1))
    result = np.empty((count, flat.shape[1]))
    rows = max(1, min(count, 2 * len(kernel) // step))
    band = _band(kernel, rows, step)
    for start in range(0, count, rows):
        these = min(rows, count - start)
        window = flat[start * step : start * step + (these - 1) * step + len(kernel)]
        np.matmul(band[:these, : len(window)], window, out=result[start : start + these])
    return result.reshape(count, *signal.shape[1:])


def _band(kernel: Array, rows: int, step: int) -> Array:
    """The matrix whose rows hold the kernel, each ``step`` places further."""
    width = (rows - 1) * step + len(kernel)
    band = np.zeros((rows, width))
    strides = ((width + step) * band.itemsize, band.itemsize)
    np.lib.stride_tricks.as_strided(band, (rows, len(kernel)), strides)[...] = kernel
    return band


DERIVATIVE = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
"""Weights of five samples for the first derivative, times the step; the error is of the fourth order of the step."""

SECOND_DERIVATIVE = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0
"""Weights of five samples for the second derivative, times the square of the step."""
