"""`Fit`: the result of `identify`, with the robot that has the fitted parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import UnknownName
from armdyn.base.imported import exported
from armdyn.base.tabular import TextTable
from armdyn.base.threads import cached_property
from armdyn.identification.checking import Check
from armdyn.identification.design import Parameters, columns_of
from armdyn.identification.errors import IdentificationError
from armdyn.identification.fitted_robot import fitted_actuators, fitted_robot
from armdyn.identification.friction_terms import TERMS
from armdyn.identification.intervals import NORMAL
from armdyn.identification.low_pass import correlate
from armdyn.identification.prior import PriorWeight
from armdyn.identification.pseudo_inertia import TEN, pseudo_inertias
from armdyn.identification.signals import Chain, LogSamples, pieces_of, require_rows
from armdyn.logs.log import Log
from armdyn.logs.reading import read
from armdyn.model.joint_units import UNITS
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.actuators.actuator import Actuator
    from armdyn.robot import Robot

SEEN = 0.5
"""A parameter of which the data hold more than this part of the information counts as seen."""


class ConfidenceInterval(NamedTuple):
    """The interval of 95 % of a parameter."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float | np.number) and bool(self.low <= value <= self.high)


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted parameters of a robot's bodies and joints.

    Args:
        source: the robot whose logs these are, as described.
        description: the robot that was the prior.
        parameters: of the regression: their names and columns.
        values: of all parameters, in SI.
        alone: with the bodies of the description, and friction and armature fitted alone.
        deviations: of the standard deviations of ``values``.
        covariance: of ``values``.
        from_data: the part of the information on each parameter that the data hold, 0 to 1.
        residual_deviations: of the torques of each joint, N m or N.
        delays: of the torques of each joint after the positions, s.
        chain: of the signals of the first log.
        selection: of the prior's weight.
        notes: what the logs lack, one sentence each.
        logs: those that were fitted.
    """

    source: Robot
    description: Robot
    parameters: Parameters
    values: Array
    alone: Array
    covariance: Array = field(repr=False)
    from_data: Array = field(repr=False)
    residual_deviations: Array
    delays: Array
    chain: Chain
    selection: PriorWeight
    notes: tuple[str, ...] = ()
    logs: tuple[Log, ...] = field(default=(), repr=False)

    report = exported("armdyn.report", "fit_report")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters: "LINK.m", "LINK.mc_x", ..., "JOINT.armature", "JOINT.viscous", ..."""
        return self.parameters.names

    @property
    def units(self) -> tuple[str, ...]:
        """The units of all parameters."""
        units = list(self.parameters.standard.units)
        for name in self.parameters.of_joints:
            for joint in self.source.joints:
                slides = joint.kind == "prismatic"
                if name == "gain":
                    units.append("")
                elif name == "armature":
                    units.append(UNITS[joint.kind]["armature"])
                else:
                    units.append(TERMS[name].slide_unit if slides else TERMS[name].unit)
        return tuple(units)

    def index(self, name: str) -> int:
        """The place of a parameter.

        Raises:
            UnknownName: no such parameter.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName.of("parameter", name, self.names, "this fit") from None

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.index(name)])

    @property
    def deviations(self) -> Array:
        """The standard deviations of all parameters."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def intervals(self) -> Mapping[str, ConfidenceInterval]:
        """The interval of 95 % of each parameter, by name; armatures and friction are not below zero."""
        low = self.values - NORMAL * self.deviations
        low = np.where(self.parameters.not_negative, np.maximum(low, 0.0), low)
        high = self.values + NORMAL * self.deviations
        return {name: ConfidenceInterval(float(a), float(b)) for name, a, b in zip(self.names, low, high, strict=True)}

    @property
    def base_values(self) -> Array:
        """beta = K pi, the combinations of the bodies' parameters that joint forces determine, shape (rank,)."""
        return np.asarray(self.parameters.base.matrix @ self.values[: len(self.parameters.standard)])

    @property
    def base_deviations(self) -> Array:
        """The standard deviations of `base_values`."""
        K = self.parameters.base.matrix
        bodies = self.covariance[: K.shape[1], : K.shape[1]]
        return np.asarray(np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", K, bodies, K), 0.0)))

    @property
    def seen(self) -> tuple[str, ...]:
        """The names of the parameters that the data determine."""
        return tuple(name for name, part in zip(self.names, self.from_data, strict=True) if part > SEEN)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The names of the parameters that come from the description."""
        return tuple(name for name, part in zip(self.names, self.from_data, strict=True) if part <= SEEN)

    @property
    def offsets(self) -> Array:
        """Constant joint forces, N m or N, shape (n,); zero if they were not fitted. The robot has none of its own."""
        return self._of_joints("offset")

    @property
    def gains(self) -> Array:
        """The factors from measured to fitted torques, shape (n,); ones if they were not fitted."""
        return np.asarray(1.0 / (1.0 - self._of_joints("gain")))

    def friction(self, joint: str) -> dict[str, float]:
        """The numbers of a joint's friction, by the names of the terms.

        Raises:
            UnknownName: no such joint.
        """
        names = self.source.joint_names
        if joint not in names:
            raise UnknownName.of("joint", joint, names, repr(self.source.name))
        return {term.name: self[f"{joint}.{term.name}"] for term in self.parameters.terms}

    def torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Joint forces of a motion by the fit, offsets and friction of coupled motors included, N m or N, (T, n).

        Args:
            q: joint positions, rad or m, shape (T, n).
            qd: joint velocities, rad/s or m/s, shape (T, n).
            qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n).
        """
        states = [np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (q, qd, qdd)]
        q, qd, qdd = states
        samples = LogSamples(np.zeros(len(q)), q, qd, qdd, np.zeros_like(q), np.ones(q.shape, dtype=bool))
        return self.modelled(samples, self.values)

    def _of_joints(self, name: str) -> Array:
        if name not in self.parameters.of_joints:
            return np.zeros(self.source.dof)
        return np.array(self.values[self.parameters.place(name)])

    @property
    def pseudo_inertias(self) -> Array:
        """The pseudo-inertia of each moving link, positive definite, shape (links, 4, 4)."""
        return pseudo_inertias(self.values[: self.parameters.links * TEN])

    @cached_property
    def robot(self) -> Robot:
        """The robot with the fitted inertias, armatures and friction laws."""
        return fitted_robot(self.source, self.parameters, self.values)

    @property
    def actuators(self) -> dict[str, Actuator]:
        """The fitted friction and armature of each joint, for `Robot.with_actuators` and `armdyn.actuators.write`."""
        return fitted_actuators(self.robot)

    @cached_property
    def alone_robot(self) -> Robot:
        """The robot as described, with fitted armatures and friction laws."""
        return fitted_robot(self.source, self.parameters, self.alone)

    def check(self, log: object, **options: Any) -> Check:
        """The torque errors on a log, with those of the description and of friction alone.

        Measured and modelled torques pass the zero-phase low-pass of the fit. Its ends, which the filters do not reach,
        are left out.

        Args:
            log: a `armdyn.logs.Log`, or a source and options of `armdyn.logs.read`.
            options: of `armdyn.logs.read`, such as ``columns`` and ``gains``.

        Raises:
            IdentificationError: a log without joint forces, or too short.
        """
        log = read(log, self.source, **options)
        require_rows(log)
        chain = replace(Chain.of(log.rate, self.chain.slow.cutoff, self.chain.fast.cutoff), step=1)
        vectors = (self.values, self.alone, self.parameters.of_description(self.description))
        parts: list[list[Array]] = []
        for piece in pieces_of(log, chain, self.delays, self.parameters.compliance):
            for start, stop in _blocks(piece.count, len(chain.slow_kernel)):
                samples = piece.samples(start, stop)
                torques = [self.modelled(samples, values) for values in vectors]
                kernel = chain.slow_kernel
                smooth = [correlate(each, kernel) for each in (samples.tau, *torques)]
                middle = slice(len(kernel) // 2, len(kernel) // 2 + len(smooth[0]))
                parts.append([samples.t[middle], samples.qd[middle], *smooth])
        if not parts:
            raise IdentificationError(
                f"log {log.name!r} of {log.duration:.3g} s has no piece longer than {2 * chain.margin:.3g} s, "
                "which the filters need; record for longer"
            )
        arrays = [np.concatenate(each) for each in zip(*parts, strict=True)]
        return Check(log.name, tuple(self.source.joint_names), self.chain.slow.cutoff, *arrays)

    def modelled(self, samples: LogSamples, values: Array) -> Array:
        """Joint forces of some parameters before the low-pass, N m or N, shape (T, n).

        Args:
            samples: states.
            values: of all parameters.
        """
        columns = columns_of(samples, self.parameters, values[: len(self.parameters.standard)])
        reduced = self.parameters.lift @ values
        rows = zip(columns, self.parameters.of_row, strict=True)
        torques = np.stack([column @ reduced[places[: column.shape[1]]] for column, places in rows], axis=-1)
        if self.parameters.gain_spread is not None:
            of_motors = self.parameters.load_at_motors(torques) * (1.0 - values[self.parameters.place("gain")])
            torques = of_motors if self.parameters.coupling is None else of_motors @ self.parameters.coupling
        return torques

    def table(self) -> TextTable:
        """The parameters: the description's, the fitted ones, their intervals, and the part that comes from data."""
        described = self.parameters.of_description(self.description)
        values = [
            (name, before, value, low, high, unit, part)
            for name, before, value, (low, high), unit, part in zip(
                self.names, described, self.values, self.intervals.values(), self.units, self.from_data, strict=True
            )
        ]
        rows = [
            (name, f"{before:.4g}", f"{value:.4g}", f"{low:.4g}", f"{high:.4g}", unit, f"{100 * part:.0f} %")
            for name, before, value, low, high, unit, part in values
        ]
        headings = ("parameter", "description", "fit", "95 % from", "to", "unit", "from data")
        return TextTable(headings, rows, "lrrrrlr", f"Fit of {self.source.name}", values=values)

    def as_json(self) -> dict[str, object]:
        """All parameters in SI with their intervals, and what the logs lack, for a file."""
        return {
            "robot": self.source.name,
            "parameters": dict(zip(self.names, self.values.tolist(), strict=True)),
            "intervals": {name: list(interval) for name, interval in self.intervals.items()},
            "from_data": dict(zip(self.names, self.from_data.tolist(), strict=True)),
            "residual_deviations": dict(zip(self.source.joint_names, self.residual_deviations.tolist(), strict=True)),
            "delays": dict(zip(self.source.joint_names, self.delays.tolist(), strict=True)),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [str(self.table())]
        slow, fast = self.chain.slow, self.chain.fast
        lines.append(
            f"half gain of both passes at {slow.cutoff:g} Hz (columns and torques) and {fast.cutoff:g} Hz "
            f"(positions and velocities); weight of the prior {self.selection.weight:.3g}"
        )
        return "\n".join([*lines, *self.notes])

    def __repr__(self) -> str:
        return f"<Fit of {self.source.name!r}: {len(self.values)} parameters, {len(self.seen)} determined by the data>"


def _blocks(count: int, length: int, size: int = 4096) -> list[tuple[int, int]]:
    """Ranges of samples that overlap by the length of the kernel, less one."""
    return [(start, min(start + size + length - 1, count)) for start in range(0, count - length + 1, size)]
