"""The regression of a robot's joint forces: which columns it has, and its rows from the samples of a log.

There are two forms of a row. That of accelerations is tau = Y(q, qd, qdd) pi + friction. That of momenta has none:
tau = d/dt (Y_p(q, qd)) pi - Y_L(q, qd) pi + friction (`armdyn.Robot.momentum_regressor`), and after the low-pass with
the kernel k, d/dt (k * Y_p) = k' * Y_p.

The columns of a joint's row are base parameters (combinations of the links' ten parameters, of which the joint's forces
are a function), the joint's own armature and friction. Joint forces depend on the links beyond the joint only, so that
about half of the base columns of a row are zero; they are left out, row by row of joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.identification.friction_terms import FrictionTerm, sign_width, term_values
from armdyn.identification.identifiability.base_parameters import base_parameters
from armdyn.identification.identifiability.combinations import BaseParameters
from armdyn.identification.low_pass import correlate
from armdyn.identification.signals import LogPiece, LogSamples, MotionSamples
from armdyn.model.standard_parameters import OF_LINK, StandardParameters, standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

ROWS = 64
"""Rows of the regression that are made at a time."""

DESCRIBED = (("armature", "armature", 2), ("viscous", "damping", 2), ("coulomb", "friction", 1))
"""Terms, the standard parameters of joints that they are, and the power of a coupling that maps them to coordinates."""

NO_JOINTS: dict[str, Any] = {"armature": False, "damping": False, "friction": False}
"""The regressor's options without parameters of joints."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of the regression: those of bodies, then armatures, then the terms of friction, one a joint each.

    Args:
        robot: whose parameters they are.
        armature: False without armatures.
        terms: of friction.
        gain_spread: of the parts by which torques are measured too small; None if they are right.
        compliance: of springs between the measured positions and the links, rad/(N m) or m/N; None for stiff joints.
        coupling: C, the velocity of each motor, as its own joint sees it, per velocity of each joint, shape (n, n);
            None if each motor moves its own joint only.
        momentum: True for rows of the filtered momentum, without accelerations.
    """

    robot: RobotLike
    armature: bool
    terms: tuple[FrictionTerm, ...]
    coupling: Array | None = None
    gain_spread: float | None = None
    compliance: Array | None = None
    momentum: bool = False

    @property
    def of_joints(self) -> tuple[str, ...]:
        """The names of the parameters of joints, one block of n each."""
        gain = ("gain",) if self.gain_spread is not None else ()
        return (*(("armature",) if self.armature else ()), *(term.name for term in self.terms), *gain)

    @cached_property
    def sign_widths(self) -> Array:
        """The width of the smooth sign of each joint, rad/s or m/s, shape (n,)."""
        return np.array([sign_width(joint.kind) for joint in self.robot.joints])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters: "LINK.m", ..., "JOINT.armature", "JOINT.viscous", ..."""
        joints = self.robot.joint_names
        return (*self.standard.names, *(f"{joint}.{name}" for name in self.of_joints for joint in joints))

    @cached_property
    def standard(self) -> StandardParameters:
        """The parameters of bodies: ten of each moving link, and the inertias of rotors that are bodies."""
        return standard_parameters(self.robot.model, **NO_JOINTS)

    @cached_property
    def base(self) -> BaseParameters:
        """The base parameters of the bodies: beta = K pi."""
        return base_parameters(self.robot, **NO_JOINTS)

    @property
    def links(self) -> int:
        """The number of moving links."""
        return (len(self.standard) - self.rotors) // len(OF_LINK)

    @property
    def rotors(self) -> int:
        """The number of rotors that are bodies of their own."""
        return len(self.robot.model.rotors)

    @cached_property
    def lift(self) -> Array:
        """The matrix from all parameters to those of the reduced regression: K and the identity."""
        K, count = self.base.matrix, len(self.of_joints) * self.robot.dof
        lift = np.zeros((len(K) + count, len(self.standard) + count))
        lift[: len(K), : len(self.standard)] = K
        lift[len(K) :, len(self.standard) :] = np.eye(count)
        return lift

    @cached_property
    def not_negative(self) -> Array:
        """Parameters that are not negative, a mask: inertias of rotors, armatures, most terms of friction."""
        bodies = np.zeros(len(self.standard), dtype=bool)
        bodies[self.links * len(OF_LINK) :] = True
        rules = ([True] if self.armature else []) + [term.not_negative for term in self.terms]
        rules += [False] if self.gain_spread is not None else []
        return np.concatenate([bodies, np.repeat(rules, self.robot.dof).astype(bool)])

    @cached_property
    def of_row(self) -> tuple[Array, ...]:
        """The columns of the reduced regression that the row of each joint has, in order."""
        rng, n = np.random.default_rng(1), self.robot.dof
        Y = self.robot.regressor(*rng.normal(size=(3, 8, n)), **NO_JOINTS)[:, :, list(self.base.independent)]
        scale = np.abs(Y).max(axis=(0, 1))
        present = np.abs(Y).max(axis=0) > 1e-12 * scale
        rank, blocks = len(self.base.independent), len(self.of_joints)
        return tuple(
            np.concatenate(
                [np.flatnonzero(present[j]), *(self._own_places(j, block) + rank for block in range(blocks))]
            ).astype(int)
            for j in range(n)
        )

    def _own_places(self, j: int, block: int) -> Array:
        """The places of a block of joint parameters, after those of the bodies, that the row of a joint has."""
        return self.robot.dof * block + self.motors_of(j)

    def motors_of(self, j: int) -> Array:
        """The motors whose friction and inertia act on a joint: its own, and those that it is coupled to."""
        return np.array([j]) if self.coupling is None else np.flatnonzero(self.coupling[:, j])

    def at_motors(self, rates: Array) -> Array:
        """Velocities or accelerations of the motors, as their own joints see them, of those of joints, shape (T, n)."""
        return rates if self.coupling is None else np.asarray(rates @ self.coupling.T)

    def load_at_motors(self, load: Array) -> Array:
        """The loads of the motors, as their own joints see them, of those of joints: C^-T l."""
        return load if self.coupling is None else np.asarray(np.linalg.solve(self.coupling.T, load.T).T)

    def of_description(self, description: RobotLike) -> Array:
        """The parameters of another description of the same links and joints.

        Zero for the terms that no standard parameter states, and for motors that move several joints.
        """
        numbers = standard_parameters(description.model, armature=True, damping=True, friction=True)
        values = np.zeros(len(self.names))
        values[: len(self.standard)] = Parameters(description, False, ()).standard.values
        coupling = description.model.coupling
        turns = np.eye(self.robot.dof) if coupling is None else np.abs(coupling.matrix)
        for term, quantity, power in DESCRIBED:
            if term in self.of_joints and self.coupling is None:
                of_joints = [numbers[f"{joint}.{quantity}"] for joint in description.model.joint_names]
                values[self.place(term)] = of_joints @ turns**power
        return values

    def place(self, name: str) -> slice:
        """The places of a block of joint parameters, such as "viscous", among all parameters."""
        start = len(self.standard) + self.of_joints.index(name) * self.robot.dof
        return slice(start, start + self.robot.dof)


@dataclass(eq=False)
class RegressionRows:
    """Rows of the regression of one piece of a log, joint by joint, after the slow low-pass.

    Args:
        t: times, s, shape (rows,).
        columns: for each joint its columns, shape (rows, k_j).
        torques: shape (rows, n).
        torque_rates: their rates of change, per second, shape (rows, n).
        usable: False in rows that depend on saturated torques, shape (rows, n).
        speeds: the largest of each motor, rad/s or m/s, shape (n,).
        log: the number of the log.
        motions: the states of each window, of short logs; None if they are to be made anew for each use.
    """

    t: Array
    columns: list[Array]
    torques: Array
    torque_rates: Array
    usable: Array
    speeds: Array
    log: int = 0
    motions: list[MotionSamples] | None = None

    def __len__(self) -> int:
        return len(self.t)


def rows_of(piece: LogPiece, parameters: Parameters, bodies: Array, log: int, *, keep: bool = False) -> RegressionRows:
    """The rows of a piece.

    Args:
        piece: of a log.
        parameters: of the regression.
        bodies: parameters of the bodies, by which loads of joints are counted.
        log: the number of the log.
        keep: True to keep the states, by which columns of friction in proportion to the load change with the bodies.
    """
    parts = [_filtered_rows(piece, parameters, bodies, start, stop) for start, stop in windows(piece)]
    columns = [np.concatenate([part.columns[j] for part in parts]) for j in range(parameters.robot.dof)]
    return RegressionRows(
        np.concatenate([part.t for part in parts]),
        columns,
        np.concatenate([part.torques for part in parts]),
        np.concatenate([part.torque_rates for part in parts]),
        np.concatenate([part.usable for part in parts]),
        np.max([part.speeds for part in parts], axis=0),
        log,
        [motion for part in parts for motion in part.motions or []] if keep else None,
    )


def windows(piece: LogPiece) -> list[tuple[int, int]]:
    """The ranges of samples from which `ROWS` rows are made each."""
    chain = piece.chain
    length, step = len(chain.slow_kernel), chain.step
    count = (piece.count - length) // step + 1
    return [(first * step, (min(first + ROWS, count) - 1) * step + length) for first in range(0, count, ROWS)]


def _filtered_rows(piece: LogPiece, parameters: Parameters, bodies: Array, start: int, stop: int) -> RegressionRows:
    samples = piece.samples(start, stop)
    columns = columns_of(samples, parameters, bodies, momentum=parameters.momentum)
    chain = piece.chain
    kernel, step = chain.slow_kernel, chain.step
    widths = [column.shape[1] for column in columns]
    every = np.concatenate([*columns, samples.tau], axis=1)
    rows = correlate(every, kernel, step)
    rates = correlate(samples.tau, chain.slope_kernel, step) * chain.rate
    if parameters.momentum:
        momenta = np.concatenate(momentum_columns(samples, parameters), axis=1)
        rows[:, : momenta.shape[1]] += correlate(momenta, chain.slope_kernel, step) * chain.rate
    ends = np.cumsum(widths)
    *of_joints, torques = np.split(rows, ends, axis=1)
    if parameters.gain_spread is not None:  # of the gains; filled by `update_gain_columns`
        of_joints = [
            np.column_stack([columns, np.zeros((len(columns), len(parameters.motors_of(j))))])
            for j, columns in enumerate(of_joints)
        ]
    usable = np.ones(torques.shape, dtype=bool)
    if not samples.usable.all():
        usable = correlate((~samples.usable).astype(float), np.abs(kernel), step) < 1e-3
    motion, speeds = MotionSamples(samples.q, samples.qd, samples.qdd), np.abs(parameters.at_motors(samples.qd))
    t = samples.t[len(kernel) // 2 :: step][: len(rows)]
    return RegressionRows(t, of_joints, torques, rates, usable, speeds.max(axis=0), motions=[motion])


def columns_of(samples: LogSamples, parameters: Parameters, bodies: Array, *, momentum: bool = False) -> list[Array]:
    """The columns of each joint's row before the slow low-pass, each of shape (T, k_j).

    Those of the momentum form are -dL/dq and friction; `momentum_columns` has the parts whose rates are to be added.
    """
    robot = parameters.robot
    load, Y = None, None
    if not momentum or needs_load(parameters.terms):
        Y = robot.regressor(samples.q, samples.qd, samples.qdd, **NO_JOINTS)
        load = parameters.load_at_motors(Y @ bodies) if needs_load(parameters.terms) else None
    own = own_columns(samples, parameters, load)
    if momentum:
        Y = -robot.lagrangian_gradient_regressor(samples.q, samples.qd, **NO_JOINTS)
        own = [np.zeros_like(each) if k < parameters.armature else each for k, each in enumerate(own)]
    return _by_joint(np.asarray(Y), own, parameters)


def momentum_columns(samples: LogSamples, parameters: Parameters) -> list[Array]:
    """The momenta of the columns of each joint's row: of bodies and armatures, and zero of friction.

    d/dt (Y_p) pi - Y_L pi = tau: the rate of the filtered momentum is the momentum through the rate of the filter.
    """
    Y = parameters.robot.momentum_regressor(samples.q, samples.qd, **NO_JOINTS)
    rates = parameters.at_motors(samples.qd)
    blocks = len(parameters.of_joints) - (parameters.gain_spread is not None)
    own = [rates if k < parameters.armature else np.zeros_like(rates) for k in range(blocks)]
    return _by_joint(Y, own, parameters)


def _by_joint(Y: Array, own: Sequence[Array], parameters: Parameters) -> list[Array]:
    """The base columns of a regressor that the row of each joint has, with those of its motors."""
    rank = len(parameters.base.independent)
    independent = np.array(parameters.base.independent, dtype=int)
    result = []
    for j, places in enumerate(parameters.of_row):
        of_bodies = independent[places[places < rank]]
        result.append(np.concatenate([Y[:, j, of_bodies], *(_on_joint(each, parameters, j) for each in own)], axis=1))
    return result


def _on_joint(values: Array, parameters: Parameters, j: int) -> Array:
    """The columns of a block of motors' parameters in the row of a joint: C^T diag(values)."""
    motors = parameters.motors_of(j)
    if parameters.coupling is None:
        return values[:, motors]
    return np.asarray(values[:, motors] * parameters.coupling[motors, j])


def own_columns(samples: LogSamples, parameters: Parameters, load: Array | None) -> list[Array]:
    """The functions that parameters of motors multiply, each of shape (T, n)."""
    q, qd = parameters.at_motors(samples.q), parameters.at_motors(samples.qd)
    armature = [parameters.at_motors(samples.qdd)] if parameters.armature else []
    return [*armature, *(term_values(term.name, q, qd, load, parameters.sign_widths) for term in parameters.terms)]


def needs_load(terms: Sequence[FrictionTerm]) -> bool:
    """True if a term depends on the load of its joint."""
    return any(term.name == "load" for term in terms)


def update_torques(rows: RegressionRows, piece: LogPiece) -> None:
    """Replace the torques of rows by those of a piece with other delays."""
    chain, start = piece.chain, 0
    for first, stop in windows(piece):
        tau, usable = piece.torques(piece.times(first, stop))
        torques = correlate(tau, chain.slow_kernel, chain.step)
        these = slice(start, start + len(torques))
        rows.torques[these] = torques
        rows.torque_rates[these] = correlate(tau, chain.slope_kernel, chain.step) * chain.rate
        if not usable.all():
            rows.usable[these] = correlate((~usable).astype(float), np.abs(chain.slow_kernel), chain.step) < 1e-3
        start += len(torques)


def update_gain_columns(rows: RegressionRows, parameters: Parameters, reduced: Array) -> None:
    """Fill the columns of the gains: tau = C^T (1 - g) tau_m, about Y pi - C^T g (tau_m)_0 near other parameters.

    tau_m = C^-T Y pi are the torques of the motors. The measured torques in their place would bring noise into the
    columns, and draw the gains to zero.
    """
    counts = [len(parameters.motors_of(j)) for j in range(len(rows.columns))]
    without = [
        columns[:, :-count] @ reduced[places[:-count]]
        for columns, places, count in zip(rows.columns, parameters.of_row, counts, strict=True)
    ]
    of_motors = parameters.load_at_motors(np.stack(without, axis=-1))
    for j, (columns, count) in enumerate(zip(rows.columns, counts, strict=True)):
        columns[:, -count:] = -_on_joint(of_motors, parameters, j)


def update_load_columns(rows: RegressionRows, piece: LogPiece, parameters: Parameters, bodies: Array) -> None:
    """Replace the columns of friction in proportion to the load by those of other parameters of the bodies."""
    robot, rank, n = parameters.robot, len(parameters.base.independent), parameters.robot.dof
    block = rank + n * parameters.of_joints.index("load")
    places = [np.flatnonzero((row >= block) & (row < block + n)) for row in parameters.of_row]
    start = 0
    for number, (first, stop) in enumerate(windows(piece)):
        samples = piece.motion(first, stop) if rows.motions is None else rows.motions[number]
        load = parameters.load_at_motors(robot.regressor(samples.q, samples.qd, samples.qdd, **NO_JOINTS) @ bodies)
        values = term_values("load", samples.q, parameters.at_motors(samples.qd), load, parameters.sign_widths)
        columns = correlate(values, piece.chain.slow_kernel, piece.chain.step)
        for j in range(n):
            rows.columns[j][start : start + len(columns), places[j]] = _on_joint(columns, parameters, j)
        start += len(columns)
