"""The regression of several logs: their rows, the weights of rows and joints, and the factors that a fit is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from armdyn.base.advice import option
from armdyn.identification.design import (
    Parameters,
    RegressionRows,
    needs_load,
    rows_of,
    update_gain_columns,
    update_load_columns,
    update_torques,
)
from armdyn.identification.errors import IdentificationError
from armdyn.identification.factors import JointFactor, factors_of_rows, stack_factors
from armdyn.identification.signals import Chain, LogPiece, pieces_of, torques_of
from armdyn.logs.log import Log
from armdyn.model.elements import refuse_elements
from armdyn.spatial.rotations import Array

HUBER = 2.5
"""Residuals above this many deviations count by their size, not its square: 95 % efficient for normal noise."""

KEPT = 2_000_000
"""Positions, at even times, of logs whose states are kept between the repetitions of a fit: 48 MB of them."""

LEAST_DEVIATION = 1e-5
"""The smallest deviation of a joint's residual, relative to its torques, that weights are made of."""


@dataclass(eq=False)
class Regression:
    """Rows of several logs.

    Args:
        logs: with joint forces.
        parameters: of the regression.
        chains: the settings of each log's signals.
        delays: of the torques of each joint, s, shape (n,).
        pieces: of the logs, in order.
        parts: their rows.
        weights: of each row and joint, by part; None if all are 1.
    """

    logs: Sequence[Log]
    parameters: Parameters
    chains: Sequence[Chain]
    delays: Array
    pieces: list[LogPiece]
    parts: list[RegressionRows]
    weights: list[Array] | None = None
    short: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, logs: Sequence[Log], parameters: Parameters, cutoff: float, smoothing: float, delays: Array, bodies: Array
    ) -> Regression:
        """The rows of logs.

        Args:
            logs: with joint forces.
            parameters: of the regression.
            cutoff: of the low-pass of columns and torques, Hz.
            smoothing: cut-off of the low-pass of positions and velocities, Hz.
            delays: of the torques of each joint, s.
            bodies: parameters of the bodies, by which loads of joints are counted.

        Raises:
            IdentificationError: logs without joint forces, or too short for one row.
        """
        refuse_elements(parameters.robot.model, "a fit")
        if sprung := sorted(parameters.robot.model.parallel_springs):
            raise IdentificationError(
                f"{parameters.robot.name!r} has springs in parallel with its drives ({', '.join(sprung)}), which no "
                "parameter of the fit states; take their forces off the log's, tau - robot.parallel_spring_forces(q), "
                "and fit robot.without_parallel_springs()"
            )
        chains = [Chain.of(log.rate, cutoff, smoothing) for log in logs]
        samples = sum(log.duration * chain.rate for log, chain in zip(logs, chains, strict=True))
        keep = needs_load(parameters.terms) and samples * parameters.robot.dof < KEPT
        pieces: list[LogPiece] = []
        parts: list[RegressionRows] = []
        short = []
        for number, (log, chain) in enumerate(zip(logs, chains, strict=True)):
            torques_of(log)
            of_log = list(pieces_of(log, chain, delays, parameters.compliance))
            if not of_log:
                least = f"{2 * chain.margin:.3g} s"
                short.append(f"log {log.name!r} of {log.duration:.3g} s has no piece longer than {least}")
            pieces += of_log
            parts += [rows_of(piece, parameters, bodies, number, keep=keep) for piece in of_log]
        if not parts:
            raise IdentificationError(
                f"{'; '.join(short)}: the filters need that time around each row. Record for longer, without gaps, or "
                f"raise {option('cutoff')} from {cutoff:g} Hz"
            )
        return cls(logs, parameters, chains, delays, pieces, parts, short=tuple(short))

    @property
    def joints(self) -> int:
        """n."""
        return self.parameters.robot.dof

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def update_loads(self, bodies: Array) -> None:
        """Count the loads of joints by other parameters of the bodies."""
        if needs_load(self.parameters.terms):
            for part, piece in zip(self.parts, self.pieces, strict=True):
                update_load_columns(part, piece, self.parameters, bodies)

    def update_gains(self, reduced: Array) -> None:
        """Linearise the gains about other parameters of the reduced regression."""
        if self.parameters.gain_spread is not None:
            for part in self.parts:
                update_gain_columns(part, self.parameters, reduced)

    def delay_torques(self, delays: Array) -> None:
        """Take the torques of each joint later by a delay, s, shape (n,)."""
        self.delays = delays
        self.pieces = [replace(piece, delays=delays) for piece in self.pieces]
        for part, piece in zip(self.parts, self.pieces, strict=True):
            update_torques(part, piece)

    def factors(self, numbers: Sequence[int] | None = None) -> list[JointFactor]:
        """The factor of each joint, over all parts or over some."""
        chosen = range(len(self.parts)) if numbers is None else numbers
        weights = None if self.weights is None else [self.weights[k] for k in chosen]
        return factors_of_rows([self.parts[k] for k in chosen], self.joints, weights)

    def residuals(self, reduced: Array) -> list[Array]:
        """Measured less modelled joint forces by part, each of shape (rows, n); NaN if torques are not usable."""
        return [part.torques - self.modelled(part, reduced) for part in self.parts]

    def modelled(self, part: RegressionRows, reduced: Array) -> Array:
        """The joint forces of a part by reduced parameters, shape (rows, n)."""
        places = self.parameters.of_row
        return np.stack([part.columns[j] @ reduced[places[j]] for j in range(self.joints)], axis=-1)

    def usable(self) -> Array:
        """Rows with torques as measured, shape (rows of all parts, n)."""
        return np.concatenate([part.usable for part in self.parts])

    def deviations(self, reduced: Array) -> Array:
        """The root of the mean square of each joint's residual, N m or N, shape (n,); above zero."""
        residuals, usable = np.concatenate(self.residuals(reduced)), self.usable()
        torques = np.concatenate([part.torques for part in self.parts])
        result = np.empty(self.joints)
        for j in range(self.joints):
            used_residuals = residuals[usable[:, j], j]
            size = float(np.sqrt(np.mean(torques[:, j] ** 2)))
            spread = float(np.sqrt(np.mean(used_residuals**2))) if len(used_residuals) else 0.0
            result[j] = max(spread, LEAST_DEVIATION * size, np.finfo(float).tiny ** 0.25)
        return result

    def reweigh(self, reduced: Array, deviations: Array) -> None:
        """Huber's weights of the rows, by their residuals."""
        weights = []
        for residual in self.residuals(reduced):
            size = np.abs(residual) / deviations
            weights.append(np.where(size <= HUBER, 1.0, HUBER / np.maximum(size, HUBER)))
        self.weights = weights

    def problem(self, deviations: Array, factors: Sequence[JointFactor] | None = None) -> tuple[Array, Array]:
        """R and z of all parameters for joints with these deviations."""
        R, z = stack_factors(self.factors() if factors is None else factors, self.parameters, 1.0 / deviations)
        return R @ self.parameters.lift, z


def fold_factors(regression: Regression, count: int) -> list[list[JointFactor]]:
    """The factors of groups of rows, each to be held out once: a group for each log, or parts of equal length.

    Args:
        regression: of logs. Fewer than three of them are cut into parts.
        count: of the parts, about.

    Returns:
        For each group the factor of each joint.
    """
    logs = sorted({part.log for part in regression.parts})
    if len(logs) >= 3:
        groups = [[k for k, part in enumerate(regression.parts) if part.log == log] for log in logs]
        return [regression.factors(group) for group in groups]
    target = max(1, len(regression) // count)
    result = []
    for number, part in enumerate(regression.parts):
        edges = np.linspace(0, len(part), max(1, round(len(part) / target)) + 1).astype(int)
        for first, stop in pairwise(edges):
            weights = None if regression.weights is None else [regression.weights[number][first:stop]]
            result.append(factors_of_rows([_cut(part, slice(first, stop))], regression.joints, weights))
    return result


def _cut(part: RegressionRows, rows: slice) -> RegressionRows:
    cut = {name: getattr(part, name)[rows] for name in ("t", "torques", "torque_rates", "usable")}
    return replace(part, columns=[column[rows] for column in part.columns], motions=None, **cut)
