"""The residual of a fit: its autocorrelation, its spectrum, and the torque error over the speed of each joint."""

from __future__ import annotations

import os

import numpy as np
from matplotlib.figure import Figure

from armdyn.identification import Check
from armdyn.identification.intervals import NORMAL
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, FAINT, INK, SPINE, new_figure, prepare, write_figure
from armdyn.spatial.rotations import Array

LONGEST_LAG = 2.0
"""The longest drawn lag, s."""

SEGMENTS = 8
"""Number of segments of a log whose spectra are averaged."""


def draw_residuals(
    check: Check,
    path: str | os.PathLike[str] | None = None,
    *,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Autocorrelation, amplitude spectrum, and residual over speed, one row per joint.

    The autocorrelation of noise is within the grey band after the time of the low-pass; that of model errors lasts
    longer, and they are visible over the speed (friction) or at the frequencies of the motion.

    Args:
        check: result of `armdyn.identification.Fit.check`.
        path: path of a file to write: png, pdf, svg.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".
    """
    count = len(check.joint_names)
    figure = new_figure(10.5, 0.8 + 1.5 * count)
    grid = figure.subplots(count, 3, squeeze=False, sharex="col")
    interval = float(np.median(np.diff(check.t)))
    low_pass = 1.0 / check.cutoff
    for j, (correlation, spectrum, speed) in enumerate(grid):
        residual = check.residuals[:, j]
        lags, values = autocorrelation(residual, interval)
        band = NORMAL / np.sqrt(max(len(residual) * interval * 2.0 * check.cutoff, 1.0))
        correlation.axhspan(-band, band, color=FAINT, linewidth=0.0)
        correlation.axvline(low_pass, color=SPINE, linewidth=0.8, linestyle=":")
        correlation.plot(lags, values, color=COLOURS[0], linewidth=1.0)
        correlation.set_ylabel(check.joint_names[j], fontsize=8)
        for signal, colour, label in ((check.measured[:, j], INK, "joint force"), (residual, COLOURS[1], "residual")):
            frequencies, sizes = amplitude_spectrum(signal, interval)
            inside = (frequencies > 0.0) & (frequencies <= 2.0 * check.cutoff)
            spectrum.loglog(frequencies[inside], sizes[inside], color=colour, linewidth=1.0, label=label)
        speed.plot(check.qd[:, j], residual, ".", color=COLOURS[2], markersize=1.2, alpha=0.4, rasterized=True)
        for axes in (correlation, spectrum, speed):
            prepare(axes, size=7.0)
    titles = ("autocorrelation of the residual", "spectrum, N m or N per root of Hz", "residual over speed, N m or N")
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title, fontsize=8.5)
    for axes, label in zip(grid[-1], ("lag, s", "frequency, Hz", "speed, rad/s or m/s"), strict=True):
        axes.set_xlabel(label, fontsize=8)
    grid[0, 1].legend(fontsize=7, frameon=False)
    if path is not None:
        write_figure(figure, path)
    return adapted(figure, size, palette)


def autocorrelation(signal: Array, interval: float) -> tuple[Array, Array]:
    """Lags, s, and the autocorrelation of a signal minus its mean, normalised to 1 at lag zero.

    >>> lags, values = armdyn.plots.residuals.autocorrelation(np.array([1.0, -1.0] * 50), 0.01)
    >>> values[:3].round(2)
    array([ 1.  , -0.99,  0.98])
    """
    centred = signal - signal.mean()
    size = 2 * len(centred)
    spectrum = np.fft.rfft(centred, size)
    values = np.fft.irfft(np.abs(spectrum) ** 2, size)[: len(centred)]
    last = min(len(centred), int(LONGEST_LAG / interval) + 1)
    scale = values[0] if values[0] > 0.0 else 1.0
    return np.arange(last) * interval, np.asarray(values[:last] / scale)


def amplitude_spectrum(signal: Array, interval: float) -> tuple[Array, Array]:
    """Frequencies, Hz, and the square root of the power spectral density by Welch's method."""
    from scipy.signal import welch  # noqa: PLC0415 - slow to import

    frequencies, power = welch(signal, 1.0 / interval, nperseg=max(16, 2 * len(signal) // (SEGMENTS + 1)))
    return frequencies, np.asarray(np.sqrt(power))
