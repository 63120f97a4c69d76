"""Times of a log: stamps counted from 1970, in nanoseconds, with gaps, that stand still, fall, or jump."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from armdyn.formats.tables.table import row_list
from armdyn.logs.log import LONG_INTERVAL, Finding
from armdyn.spatial.rotations import Array

EPOCHS = (("ns", 1e-9, 1e17), ("us", 1e-6, 1e14), ("ms", 1e-3, 1e11))
"""Units of stamps that count from 1970, each with the smallest stamp that is taken for one, of 1973."""

LATEST = 100.0
"""Stamps above this many smallest ones, of the year 2286, are no dates."""

JITTER = 0.02
"""A spread of the intervals above this part of the usual one is stated."""


class Stamps(NamedTuple):
    """Stamps in seconds from the first on; the first stamp, s; and the unit that was guessed, if one was."""

    t: Array
    start: float
    guess: str | None


def seconds(stamps: Array, factor: float | None) -> Stamps:
    """Stamps as seconds from the first finite one on; integers are subtracted before they are rounded.

    Args:
        stamps: of any type of number, shape (rows,).
        factor: one unit in s; None if neither a label nor the caller states it.
    """
    guess = None
    finite = np.isfinite(stamps) if stamps.dtype.kind == "f" else np.ones(len(stamps), dtype=bool)
    if not finite.any():
        return Stamps(np.full(len(stamps), np.nan), 0.0, None)
    first = stamps[int(np.argmax(finite))]
    if factor is None:
        typical = float(np.median(np.abs(stamps[finite].astype(np.float64))))
        unit, factor = unit_since_1970(typical) or ("s", 1.0)
        guess = None if unit == "s" else f"stamps of {typical:.4g} are taken for {unit} since 1970; otherwise units="
    return Stamps((stamps - first).astype(np.float64) * factor, float(first) * factor, guess)


def unit_since_1970(typical: float) -> tuple[str, float] | None:
    """The unit of stamps that can be dates, and its size in s; None for other stamps."""
    return next(((unit, size) for unit, size, least in EPOCHS if least < typical < LATEST * least), None)


def rising_rows(t: Array) -> Array:
    """The rows of the longest sequence of rising times, a mask of shape (rows,).

    Rows with a stamp that repeats, falls, or jumps ahead of those that follow are outside. If there are any, rows whose
    stamps are far from those of the rows around them are outside, too.
    """
    if (np.diff(t) > 0.0).all():
        return np.ones(len(t), dtype=bool)
    fresh = np.flatnonzero(np.concatenate([[True], np.diff(t) != 0.0]))
    near = fresh[~_far_from_neighbours(t[fresh])]
    mask = np.zeros(len(t), dtype=bool)
    mask[near[_longest_rising(t[near])]] = True
    return mask


def _far_from_neighbours(t: Array) -> Array:
    """Rows in runs of fewer than `FEWEST_IN_RUN` whose stamps follow each other by less than `FAR` usual intervals."""
    intervals = np.diff(t)
    rises = intervals > 0.0
    if not rises.any():
        return np.zeros(len(t), dtype=bool)
    close = rises & (intervals <= FAR * np.median(intervals[rises]))
    run = np.concatenate([[0], np.cumsum(~close)])
    far: Array = np.bincount(run)[run] < FEWEST_IN_RUN
    return far if not far.all() else np.zeros(len(t), dtype=bool)


FAR = 10.0
FEWEST_IN_RUN = 3


def _longest_rising(t: Array) -> Array:
    """The longest sequence of rising times, a mask of shape (rows,)."""
    if not len(t):
        return np.zeros(0, dtype=bool)
    last_times: list[float] = []  # the smallest last time of a rising sequence of each length
    last_rows: list[int] = []
    before = np.full(len(t), -1)
    for row, time in enumerate(t.tolist()):
        place = bisect_right(last_times, time)
        if place and last_times[place - 1] == time:
            continue
        before[row] = last_rows[place - 1] if place else -1
        if place == len(last_times):
            last_times.append(time)
            last_rows.append(row)
        else:
            last_times[place], last_rows[place] = time, row
    mask = np.zeros(len(t), dtype=bool)
    row = last_rows[-1]
    while row >= 0:
        mask[row] = True
        row = int(before[row])
    return mask


def findings_of_stamps(t: Array, remaining: Array, rows: Array, word: str) -> list[Finding]:
    """The rows that were left out for their stamps: repeated ones, and those that fall or jump."""
    outside = np.flatnonzero(~remaining)
    if not len(outside):
        return []
    repeated = np.array([row for row in outside if row and t[row] in t[max(0, row - 3) : row]], dtype=int)
    others = np.setdiff1d(outside, repeated)
    result = []
    if len(repeated):
        result.append(
            Finding("repeated stamp", f"{_rows(repeated)} with the stamp of an earlier row left out: "
                    f"{row_list(rows[repeated], word)}", used=False)
        )  # fmt: skip
    if len(others):
        times = ", ".join(f"{t[row]:.6g} s" for row in others[:3])
        text = (
            f"{_rows(others)} with stamps that fall or jump left out, the longest rising sequence is used: "
            f"{row_list(rows[others], word)} ({times}{', ...' if len(others) > 3 else ''} after the first row)"
        )
        if len(others) > 0.05 * len(t):
            text += ". The clock was set anew, or two recordings are joined: give each as a log of its own"
        result.append(Finding("falling stamp", text, used=False))
    return result


def findings_of_intervals(t: Array, rows: Array, word: str) -> list[Finding]:
    """Gaps, and the spread of the intervals."""
    intervals = np.diff(t)
    if len(intervals) < 2:
        return []
    usual = float(np.median(intervals))
    result = []
    gaps = np.flatnonzero(intervals > LONG_INTERVAL * usual)
    if len(gaps):
        longest = int(gaps[np.argmax(intervals[gaps])])
        where = row_list(rows[longest : longest + 1], word)
        text = (
            f"{len(gaps)} interval{'s' if len(gaps) > 1 else ''} longer than {LONG_INTERVAL:g} usual ones of "
            f"{usual:.4g} s: the longest, {intervals[longest]:.4g} s, after {where}"
        )
        result.append(Finding("gap", text))
    spread = float(np.std(np.delete(intervals, gaps)))
    if spread > JITTER * usual:
        text = (
            f"intervals spread by {spread:.3g} s about {usual:.4g} s (standard deviation): a fit resamples "
            "signals by the stamps"
        )
        result.append(Finding("jitter", text))
    return result


def _rows(places: Array) -> str:
    return f"{len(places)} row{'s' if len(places) > 1 else ''}"
