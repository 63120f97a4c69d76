"""Signals of a log at even times, part by part: resampled by the stamps, smoothed, differentiated.

The chain of a signal is local. Between stamps it is the cubic polynomial through four samples. A low-pass with a
cut-off several times that of the regression smooths positions and velocities; accelerations are differences of smoothed
velocities. A piece of a log without a gap is one `LogPiece`; a part of it is made at a time, with no more memory than
the part needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.base.advice import either, for_each
from armdyn.identification.errors import IdentificationError
from armdyn.identification.low_pass import DERIVATIVE, SECOND_DERIVATIVE, LowPass, correlate
from armdyn.logs.channels import saturated_rows
from armdyn.logs.log import Log
from armdyn.spatial.rotations import Array

SAMPLES_PER_PERIOD = 4.0
"""Samples in a period of the fast cut-off, at least, if the log has as many."""

BRIDGED = 0.25
"""A gap shorter than this part of the period of the fast cut-off is bridged by the polynomial between its ends."""


class MotionSamples(NamedTuple):
    """States at even times: q, qd and qdd, each of shape (T, n)."""

    q: Array
    qd: Array
    qdd: Array


class LogSamples(NamedTuple):
    """States at even times: t, s, shape (T,); q, qd, qdd, tau, each (T, n); ``usable``, False if tau is saturated."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    usable: Array


@dataclass(frozen=True)
class Chain:
    """The settings of the chain from stamps to regression rows.

    Args:
        slow: the low-pass of columns and torques.
        fast: the low-pass of positions and velocities.
        rate: even samples per second after the fast low-pass, Hz.
        oversampling: even samples before the fast low-pass for each one after it.
        step: samples for each row of the regression.
    """

    slow: LowPass
    fast: LowPass
    rate: float
    oversampling: int
    step: int

    @classmethod
    def of(cls, log_rate: float, cutoff: float, smoothing: float) -> Chain:
        """The chain of logs with so many rows per second, Hz.

        Args:
            log_rate: of the logs.
            cutoff: of the slow low-pass, Hz.
            smoothing: the cut-off of the fast low-pass, Hz.
        """
        slow, fast = LowPass(cutoff), LowPass(min(smoothing, 0.45 * log_rate))
        slow.require_below_half(log_rate)
        oversampling = max(1, int(log_rate / (SAMPLES_PER_PERIOD * max(fast.cutoff, 4.0 * cutoff))))
        rate = log_rate / oversampling
        return cls(slow, fast, rate, oversampling, max(1, int(rate / (2.0 * cutoff))))

    @property
    def dense_rate(self) -> float:
        """Even samples per second before the fast low-pass, Hz."""
        return self.rate * self.oversampling

    @property
    def fast_kernel(self) -> Array:
        """The kernel of the fast low-pass."""
        return self.fast.kernel(self.dense_rate)

    @property
    def slow_kernel(self) -> Array:
        """The kernel of the slow low-pass."""
        return self.slow.kernel(self.rate)

    @property
    def slope_kernel(self) -> Array:
        """The kernel of the derivative of a signal after the slow low-pass, times the interval of the samples."""
        return np.asarray(np.convolve(self.slow_kernel, DERIVATIVE)[2:-2])

    @property
    def margin(self) -> float:
        """The time at each end of a piece without rows of the regression, s."""
        return (len(self.fast_kernel) // 2 + 2 + 2) / self.dense_rate + (len(self.slow_kernel) // 2) / self.rate


@dataclass(frozen=True, eq=False)
class LogPiece:
    """A part of a log without a gap, from which samples at even times are made.

    Args:
        log: with tau.
        rows: of the log.
        chain: the settings.
        delays: seconds by which the torques of each joint are later than the positions, shape (n,).
        saturated: true in rows in which tau is at a bound, shape (T, n); None if it never is.
        compliance: of the springs between the measured positions and the links, rad/(N m) or m/N, shape (n,); None for
            stiff joints.
    """

    log: Log
    rows: slice
    chain: Chain
    delays: Array
    saturated: Array | None = None
    compliance: Array | None = None

    @property
    def count(self) -> int:
        """The number of samples at even times that the fast low-pass leaves."""
        dense = int((self.log.t[self.rows.stop - 1] - self.log.t[self.rows.start]) * self.chain.dense_rate + 1e-9) + 1
        return max(0, (dense - self._reach) // self.chain.oversampling + 1)

    @property
    def _reach(self) -> int:
        """Dense samples that one sample depends on: the kernel, and two on both sides for differences."""
        return len(self.chain.fast_kernel) + 4

    def times(self, start: int, stop: int) -> Array:
        """The even times of some samples, s."""
        first = self.log.t[self.rows.start] + (2 + len(self.chain.fast_kernel) // 2) / self.chain.dense_rate
        return np.asarray(first + np.arange(start, stop) / self.chain.rate)

    def samples(self, start: int, stop: int) -> LogSamples:
        """The samples of some even times, counted from the first that the fast low-pass leaves."""
        t = self.times(start, stop)
        return LogSamples(t, *self.motion(start, stop), *self.torques(t))

    def motion(self, start: int, stop: int) -> MotionSamples:
        """The states at some even times, without torques."""
        chain, log = self.chain, self.log
        dense_step = 1.0 / chain.dense_rate
        first = log.t[self.rows.start]
        k0 = start * chain.oversampling
        k1 = (stop - 1) * chain.oversampling + self._reach
        grid = first + np.arange(k0, k1) * dense_step
        source = _window(log.t, self.rows, grid[0], grid[-1], extra=4)
        t = log.t[source]
        kernel, n = chain.fast_kernel, log.q.shape[1]
        recorded = log.q[source] if log.qd is None else np.concatenate([log.q[source], log.qd[source]], axis=1)
        dense = cubic(t, recorded, grid)
        q, qd_dense = dense[:, :n], dense[:, n:]
        smooth_q = correlate(q[2:-2], kernel, chain.oversampling)
        if log.qd is not None:
            smooth_qd = correlate(qd_dense[2:-2], kernel, chain.oversampling)
            qdd = correlate(qd_dense, np.convolve(kernel, DERIVATIVE), chain.oversampling) / dense_step
        else:
            smooth_qd = correlate(q, np.convolve(kernel, DERIVATIVE), chain.oversampling) / dense_step
            qdd = correlate(q, np.convolve(kernel, SECOND_DERIVATIVE), chain.oversampling) / dense_step**2
        if self.compliance is not None:  # q = theta - tau/k
            deflection = cubic(t, torques_of(log)[source], grid) * self.compliance
            smooth_q = smooth_q - correlate(deflection[2:-2], kernel, chain.oversampling)
            smooth_qd = (
                smooth_qd - correlate(deflection, np.convolve(kernel, DERIVATIVE), chain.oversampling) / dense_step
            )
            qdd = (
                qdd - correlate(deflection, np.convolve(kernel, SECOND_DERIVATIVE), chain.oversampling) / dense_step**2
            )
        return MotionSamples(smooth_q, smooth_qd, qdd)

    def torques(self, t: Array) -> tuple[Array, Array]:
        """Torques at some times plus the delay of each joint, and a mask of those that are measured."""
        log, recorded = self.log, torques_of(self.log)
        tau = np.empty((len(t), recorded.shape[1]))
        usable = np.ones(tau.shape, dtype=bool)
        for delay in np.unique(self.delays):
            joints = np.flatnonzero(self.delays == delay)
            source = _window(log.t, self.rows, t[0] + delay, t[-1] + delay, extra=4)
            tau[:, joints] = cubic(log.t[source], recorded[source][:, joints], t + delay)
            if self.saturated is not None:
                bad = self.saturated[source][:, joints].astype(float)
                usable[:, joints] = np.abs(cubic(log.t[source], bad, t + delay)) < 1e-6
        return tau, usable


def _window(t: Array, rows: slice, start: float, stop: float, extra: int) -> slice:
    """The rows whose stamps surround some times."""
    times = t[rows]
    first = int(np.searchsorted(times, start)) - extra
    last = int(np.searchsorted(times, stop)) + extra
    return slice(rows.start + max(0, first), rows.start + min(len(times), last))


def require_rows(log: Log) -> None:
    """Raise for a log of fewer than two rows, with the reasons for which rows are left out."""
    if len(log) < 2:
        reasons = "".join(f"; {finding}" for finding in log.findings if not finding.used)
        raise IdentificationError(f"log {log.name!r} has {len(log)} row; expected a motion{reasons}")


def torques_of(log: Log) -> Array:
    """The joint forces of a log, N m or N, shape (T, n).

    Raises:
        IdentificationError: a log without joint forces.
    """
    if log.tau is not None:
        return log.tau
    remedy = f"name their columns: {for_each('columns', tau='...')}"
    if log.current is not None:
        gains, fitting = (
            either("gains=[...]", "--gains G,G,..."),
            either("armdyn.identification.drive_gains", "armdyn gains"),
        )
        remedy = (
            f"it has currents, from which joint forces follow by the gains of the drives, N m/A: {gains}; without "
            f"gains the scale of all parameters is open. {fitting} fits them, from a body of known mass or from known "
            "links"
        )
    raise IdentificationError(f"log {log.name!r} has no joint forces; {remedy}")


def cubic(t: Array, x: Array, times: Array) -> Array:
    """Values between samples by the cubic polynomial through the four around each time (Lagrange).

    Args:
        t: times of the samples, s, rising, shape (T,).
        x: samples, shape (T, n).
        times: s, shape (m,).

    Returns:
        Values, shape (m, n): the samples themselves at their times. Beyond an end the polynomial goes on.
    """
    if len(t) < 4:
        return np.stack([np.interp(times, t, column) for column in x.T], axis=-1)
    right = np.clip(np.searchsorted(t, times), 2, len(t) - 2)
    nodes = [t[right + k] for k in (-2, -1, 0, 1)]
    apart = [times - node for node in nodes]
    result = np.zeros((len(times), x.shape[1]))
    for k in range(4):
        others = [j for j in range(4) if j != k]
        weight = apart[others[0]] * apart[others[1]] * apart[others[2]]
        for j in others:
            weight = weight / (nodes[k] - nodes[j])
        result += weight[:, None] * x[right + (k - 2)]
    return result


def pieces_of(log: Log, chain: Chain, delays: Array, compliance: Array | None = None) -> Iterator[LogPiece]:
    """The pieces of a log that are long enough for one row of the regression."""
    bridged = max(2.5 / log.rate, BRIDGED / chain.fast.cutoff)
    saturated = np.stack([saturated_rows(column) for column in torques_of(log).T], axis=-1)
    for rows in log.pieces(bridged):
        piece = LogPiece(log, rows, chain, delays, saturated if saturated.any() else None, compliance)
        if piece.count >= len(chain.slow_kernel):
            yield piece
