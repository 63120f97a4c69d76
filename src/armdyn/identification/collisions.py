"""`collisions`: forces from outside in a log of an arm, by the residual of a momentum observer.

The momentum p = M qd changes by dp/dt = tau + C^T qd - g - tau_fric + tau_ext. The residual r is tau_ext through a
filter of first order, dr/dt = K (tau_ext - r), without accelerations (De Luca and Mattone 2005). Between two stamps at
the distance h, with the mean a of tau + C^T qd - g - tau_fric at both,

    r_(k+1) = e^(-K h) r_k + (1 - e^(-K h)) ((p_(k+1) - p_k)/h - a)

Friction by the load counts the load without accelerations. Dry friction of a joint that turns round is anything between
its two signs: its size, times exp(-|qd|/v), through the same filter is added to the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number
from armdyn.base.imported import exported
from armdyn.base.tabular import TextTable
from armdyn.identification.errors import IdentificationError
from armdyn.identification.fit import Fit
from armdyn.identification.signals import cubic, torques_of
from armdyn.logs.log import Log
from armdyn.logs.reading import read
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

GAIN = 25.0
"""K of the observer, 1/s."""

DEVIATIONS = 8.0
"""The threshold of a joint, in robust standard deviations of its residual over the log."""

QUIET = 1.5
"""The threshold of a joint, in largest distances of its residual from the median that last, in logs without contact."""

SLOW = 1e-6
"""A speed at which friction is dry, rad/s or m/s."""

LEAST = 0.02
"""A residual beyond its threshold for less than this is noise of the drives, s."""

APART = 0.25
"""Times above a threshold that are closer than this are one collision, s."""

REVERSAL = 0.05
"""v: dry friction is uncertain about this speed of a joint that turns round, rad/s or m/s."""

SETTLING = 5.0
"""Times 1/K from the beginning of a piece of the log in which the residual settles."""


@dataclass(frozen=True)
class Collision:
    """A time in which the residual of one or several joints exceeds the threshold.

    Args:
        start: s.
        end: s.
        joints: the names of the joints whose residual exceeds its threshold, the largest ratio first.
        peaks: the largest residual of each of them, N m or N, with its sign.
    """

    start: float
    end: float
    joints: tuple[str, ...]
    peaks: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Collisions:
    """The residual of a log, and the collisions in it.

    Args:
        log: its name.
        joint_names: of the arm.
        t: s, shape (T,).
        residual: forces from outside through the observer, N m or N, shape (T, n); NaN while it settles.
        threshold: N m or N, shape (n,), of joints that do not turn round.
        middle: the median residual, which is left out of account, N m or N, shape (n,).
        band: the uncertainty of dry friction, which is added to the threshold, N m or N, shape (T, n).
        events: the collisions, in order.
    """

    log: str
    joint_names: tuple[str, ...]
    t: Array
    residual: Array
    threshold: Array
    middle: Array
    band: Array
    events: tuple[Collision, ...]

    plot = exported("armdyn.plots", "draw_collisions")

    def as_json(self) -> dict[str, object]:
        """Thresholds and collisions, N m or N, for a file."""
        contacts = [
            {"from": each.start, "to": each.end, "peaks": dict(zip(each.joints, each.peaks, strict=True))}
            for each in self.events
        ]
        thresholds = dict(zip(self.joint_names, self.threshold.tolist(), strict=True))
        return {"log": self.log, "thresholds": thresholds, "collisions": contacts}

    def rows(self) -> TextTable:
        """The residual and its threshold over time, both in N m or N, for a csv file; rows that settle are left out."""
        settled = np.isfinite(self.residual).all(axis=1)
        limit = self.threshold + self.band[settled]
        headings = ("t [s]", *(f"residual_{name}" for name in self.joint_names))
        headings += tuple(f"threshold_{name}" for name in self.joint_names)
        values = np.column_stack([self.t[settled], self.residual[settled] - self.middle, limit])
        return TextTable(headings, [], "r" * len(headings), values=[tuple(row) for row in values.tolist()])

    def __len__(self) -> int:
        return len(self.events)

    def __str__(self) -> str:
        rows = [
            (f"{each.start:.3f}", f"{each.end:.3f}", joint, f"{peak:.3g}")
            for each in self.events
            for joint, peak in zip(each.joints, each.peaks, strict=True)
        ]
        title = f"Collisions in {self.log}: forces from outside, N m or N"
        return str(TextTable(("from [s]", "to [s]", "joint", "peak"), rows, "rrlr", title))


def collisions(
    arm: Robot | Fit,
    log: object,
    *,
    gain: float = GAIN,
    threshold: ArrayLike | None = None,
    quiet: object = (),
    **options: Any,
) -> Collisions:
    """Forces from outside in a log: times, joints and sizes, N m or N.

    The threshold of a joint is its median residual plus or minus 8 robust standard deviations (1.4826 times the median
    distance from the median) over the log. So errors of the model count as noise, and a log that is mostly contact has
    no threshold of its own: pass one, or logs without contact as ``quiet``, whose largest residual times 1.5 it then
    is. A residual counts if it lasts 0.02 s.

    Args:
        arm: a robot, or a `Fit`, whose friction terms and constant joint forces count.
        log: a `armdyn.logs.Log`, or a source of `armdyn.logs.read`, with joint forces.
        gain: K of the observer, 1/s.
        threshold: N m or N, one for each joint, in place of the log's own.
        quiet: logs without contact, from which the thresholds follow.
        options: of `armdyn.logs.read`.

    Raises:
        IdentificationError: a log without joint forces, or shorter than the observer settles.

    >>> robot, t = armdyn.load("planar_2r"), np.arange(0.0, 6.0, 0.005)
    >>> q = np.stack([np.sin(2.0 * t), np.sin(3.0 * t)], axis=-1)
    >>> qd = np.stack([2.0 * np.cos(2.0 * t), 3.0 * np.cos(3.0 * t)], axis=-1)
    >>> tau = robot.inverse_dynamics(q, qd, -np.array([4.0, 9.0]) * q)
    >>> tau += np.random.default_rng(1).normal(scale=0.1, size=tau.shape)
    >>> tau[600:640] -= [0.0, 5.0]  # a hand pushes joint 2 by 5 N m: the motor gives less
    >>> hits = armdyn.identification.collisions(robot, {"t": t, "q": q, "qd": qd, "tau": tau})
    >>> len(hits), hits.events[0].joints, abs(hits.events[0].start - 3.0) < 0.05
    (1, ('joint_2',), True)
    """
    K = number("gain", gain, above=0.0, unit="1/s", error=IdentificationError)
    robot = arm.source if isinstance(arm, Fit) else arm
    record = read(log, robot, **options)
    residual, band = _residual(arm, record, K)
    settled = _settled_rows(residual, record, K)
    names, middle = tuple(robot.joint_names), np.zeros(robot.dof)
    if threshold is not None:
        limit = array("threshold", threshold, (robot.dof,))
    elif calm := _as_list(quiet):
        limit = _of_quiet(arm, [read(each, robot, **options) for each in calm], K)
    else:
        middle = np.median(residual[settled], axis=0)
        spread = 1.4826 * np.median(np.abs(residual[settled] - middle), axis=0)
        limit = DEVIATIONS * np.maximum(spread, 1e-9 * np.abs(torques_of(record)).max())
    events = _events(record.t, (residual - middle) / (limit + band), residual, names)
    return Collisions(record.name, names, record.t, residual, limit, middle, band, tuple(events))


def _as_list(logs: object) -> list[object]:
    """Logs, of one or several."""
    return list(logs) if isinstance(logs, list | tuple) else [logs]


def _residual(arm: Robot | Fit, record: Log, gain: float) -> tuple[Array, Array]:
    """The residual of a log and the uncertainty of dry friction, N m or N, shape (T, n); NaN while it settles."""
    tau = _torques(arm, record)
    qd = record.qd if record.qd is not None else np.gradient(record.q, record.t, axis=0)
    momentum, rate = _momentum_and_rate(arm, record.q, qd, tau)
    uncertain = _dry_friction(arm, record.q) * np.exp(-np.abs(qd) / REVERSAL)
    residual, band = np.full((2, *tau.shape), np.nan)
    for piece in record.pieces():
        residual[piece] = _observed(record.t[piece], momentum[piece], rate[piece], gain)
        band[piece] = _observed(record.t[piece], np.zeros_like(uncertain[piece]), -uncertain[piece], gain)
    return residual, band


def _settled_rows(residual: Array, record: Log, gain: float) -> Array:
    """Rows after the observer has settled.

    Raises:
        IdentificationError: fewer than ten.
    """
    settled = np.isfinite(residual).all(axis=1)
    if settled.sum() < 10:
        raise IdentificationError(
            f"log {record.name!r} of {record.duration:.3g} s has no 10 rows after the observer has settled, "
            f"{SETTLING / gain:.3g} s; record for longer, or raise gain={gain:g} 1/s"
        )
    return np.asarray(settled)


def _of_quiet(arm: Robot | Fit, logs: list[Log], gain: float) -> Array:
    """Thresholds of logs without contact."""
    thresholds, lasting = [], []
    for record in logs:
        residual, band = _residual(arm, record, gain)
        settled = _settled_rows(residual, record, gain)
        thresholds.append(residual[settled])
        rows = max(1, round(LEAST * record.rate))
        lasting.append(_lasting(np.abs(residual[settled]) - band[settled], rows).max(axis=0))
    size = np.abs(np.concatenate(thresholds))
    spread = np.maximum(1.4826 * np.median(size, axis=0), 1e-9 * size.max())
    return np.asarray(QUIET * np.maximum(np.max(lasting, axis=0), spread))


def _lasting(values: Array, rows: int) -> Array:
    """The least value of so many rows from each row on, shape (T - rows + 1, n)."""
    rows = min(rows, len(values))
    return np.asarray(np.lib.stride_tricks.sliding_window_view(values, rows, axis=0).min(axis=-1))


def _torques(arm: Robot | Fit, record: Log) -> Array:
    """Joint forces of the log; of a fit with its delays and gains taken back."""
    tau = np.asarray(torques_of(record))
    if not isinstance(arm, Fit):
        return tau
    if arm.delays.any():
        late = [cubic(record.t, tau[:, [j]], record.t + delay)[:, 0] for j, delay in enumerate(arm.delays)]
        ends = (record.t + arm.delays.max() <= record.t[-1]) & (record.t + arm.delays.min() >= record.t[0])
        tau = np.where(ends[:, None], np.stack(late, axis=-1), tau)
    return _without_gains(arm, tau)


def _momentum_and_rate(arm: Robot | Fit, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """p = M qd, and tau + C^T qd - g - tau_fric, of each row, shape (T, n) each."""
    if not isinstance(arm, Fit):
        momentum = np.einsum("tij,tj->ti", arm.mass_matrix(q), qd)
        static = arm.gravity_forces(q) + np.asarray(arm.friction_forces(q, qd, np.zeros_like(qd)))
        if arm.model.parallel_springs:
            static = static + arm.parallel_spring_forces(q)
        return momentum, np.asarray(tau + arm.transposed_coriolis_forces(q, qd) - static)
    robot = arm.robot.without_friction()
    momentum = np.einsum("tij,tj->ti", robot.mass_matrix(q) + _coupled_armature(arm), qd)
    static = _without_gains(arm, arm.torques(q, qd, np.zeros_like(qd))) - robot.velocity_forces(q, qd)
    return momentum, np.asarray(tau + robot.transposed_coriolis_forces(q, qd) - static)


def _coupled_armature(fit: Fit) -> Array:
    """C^T I C - I of coupled motors, which the mass matrix of the fitted robot lacks."""
    coupling = fit.parameters.coupling
    if coupling is None or not fit.parameters.armature:
        return np.zeros((fit.source.dof,) * 2)
    armature = np.diag(fit.values[fit.parameters.place("armature")])
    return np.asarray(coupling.T @ armature @ coupling - armature)


def _without_gains(fit: Fit, tau: Array) -> Array:
    """Joint forces of measured ones, by the fitted gains of the motors."""
    if fit.parameters.gain_spread is None:
        return tau
    of_motors = fit.parameters.load_at_motors(tau) * fit.gains
    return np.asarray(of_motors if fit.parameters.coupling is None else of_motors @ fit.parameters.coupling)


def _dry_friction(arm: Robot | Fit, q: Array) -> Array:
    """The size of the dry friction of joints that hardly move, N m or N, shape (T, n)."""
    robot = arm.robot if isinstance(arm, Fit) else arm
    sizes: Array = np.abs(np.asarray(robot.friction_forces(q, np.full(q.shape, SLOW), np.zeros_like(q))))
    return sizes


def _observed(t: Array, momentum: Array, rate: Array, gain: float) -> Array:
    """The residual of one piece, NaN while it settles."""
    residual = np.zeros(momentum.shape)
    h = np.diff(t)
    keep = np.exp(-gain * h)
    outside = np.diff(momentum, axis=0) / h[:, None] - 0.5 * (rate[1:] + rate[:-1])
    for k, (part, force) in enumerate(zip(keep, outside, strict=True)):
        residual[k + 1] = part * residual[k] + (1.0 - part) * force
    residual[t < t[0] + SETTLING / gain] = np.nan
    return residual


def _events(t: Array, ratio: Array, residual: Array, names: tuple[str, ...]) -> list[Collision]:
    """The times with a ratio above 1 that last, those that are close as one."""
    beyond = np.flatnonzero((np.abs(np.nan_to_num(ratio)) > 1.0).any(axis=1))
    runs = np.split(beyond, np.flatnonzero(np.diff(beyond) > 1) + 1)
    lasting = [rows for rows in runs if len(rows) and t[rows[-1]] - t[rows[0]] >= LEAST]
    if not lasting:
        return []
    above = np.concatenate(lasting)
    groups = np.split(above, np.flatnonzero(np.diff(t[above]) > APART) + 1)
    result = []
    for rows in groups:
        largest = np.abs(ratio[rows]).max(axis=0)
        joints = [j for j in np.argsort(-largest) if largest[j] > 1.0]
        peaks = [float(residual[rows[np.argmax(np.abs(ratio[rows, j]))], j]) for j in joints]
        result.append(Collision(float(t[rows[0]]), float(t[rows[-1]]), tuple(names[j] for j in joints), tuple(peaks)))
    return result
