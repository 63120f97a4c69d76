"""`friction_laws`: friction laws of each joint on logs, by nonlinear least squares, with the bodies fitted again.

The numbers of a joint's laws are fitted by variable projection: for any numbers the best linear parameters of the
joint's row (bodies, armature, offset, spring) follow by least squares, so that rows and derivatives are projected on
the complement of their columns. Bodies that were fitted with other friction do not bias the laws. Then the bodies of
all joints are fitted again, with the laws' torques taken away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.base.errors import UnknownName
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.identification.design import NO_JOINTS, Parameters
from armdyn.identification.fit import Fit
from armdyn.identification.fitted_robot import fitted_robot
from armdyn.identification.fitting import FitSettings, logs_of, solve_reweighted
from armdyn.identification.law_fitting import LawFit, Laws, fit_laws_through_filter, tuple_of
from armdyn.identification.law_models import torques_of_laws
from armdyn.identification.low_pass import correlate
from armdyn.identification.regression import Regression
from armdyn.identification.signals import LogSamples
from armdyn.model.friction import FrictionLaw
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

KEPT = ("offset", "spring")
"""Terms of the fit that are no friction laws, and stay."""


@dataclass(frozen=True, eq=False)
class FrictionLaws(Tabulated):
    """Friction laws of joints, fitted on logs.

    Args:
        robot: with these laws, and the bodies that were fitted with them.
        fits: of each joint that has laws, by name.
        before: the deviation of each joint's residual with the friction of the fit, N m or N, by name.
    """

    robot: Robot
    fits: Mapping[str, LawFit]
    before: Mapping[str, float]

    def __getitem__(self, joint: str) -> LawFit:
        if joint not in self.fits:
            raise UnknownName.of("joint", joint, self.fits, "these friction laws")
        return self.fits[joint]

    def table(self) -> TextTable:
        """The numbers of each joint with their intervals, and the residuals."""
        rows = []
        for joint, fit in self.fits.items():
            residuals = (f"{fit.rms:.3g}", f"{self.before[joint]:.3g}")
            for number, (name, (low, high)) in enumerate(fit.intervals.items()):
                value = fit.values[number]
                ends = residuals if number == 0 else ("", "")
                rows.append((joint if number == 0 else "", name, f"{value:.4g}", f"{low:.4g}", f"{high:.4g}", *ends))
        headings = ("joint", "number", "fit", "95 % from", "to", "residual", "with linear terms")
        return TextTable(headings, rows, "llrrrrr", f"Friction laws of {self.robot.name}")


def friction_laws(
    fit: Fit, logs: object, laws: Laws | Mapping[str, Laws], *, free: Sequence[str] | None = None, **options: Any
) -> FrictionLaws:
    """Friction laws that are not linear in their numbers, of each joint, by nonlinear least squares on logs.

    Laws and torques pass the low-pass of the fit. Bodies, armatures, offsets and springs are fitted with the laws.

    Args:
        fit: of the bodies, with linear terms of friction, which the laws take the place of.
        logs: one or several, as of `armdyn.identify`.
        laws: with the first values of their numbers: one law or several that are added, for all joints or by joint:
            Stribeck, Sigmoid, ServoFriction (M1 to M6), Viscous, Coulomb, Quadratic. A number that is zero stays zero.
        free: the numbers that are fitted, as of `armdyn.identification.fit_law`.
        options: of `armdyn.logs.read`, such as ``gains``.

    Raises:
        IdentificationError: logs without joint forces, or too short.
        UnknownName: a joint that the robot does not have.
        Unsupported: a law that is not a formula of numbers.

    >>> from armdyn.actuators import Actuator, Stribeck, Viscous
    >>> arm, t = armdyn.load("planar_2r"), np.arange(0.0, 20.0, 0.01)
    >>> real = arm.with_actuators({"joint_1": Actuator(friction=[Stribeck(3.0, 2.0, 0.3), Viscous(0.5)])})
    >>> w = np.array([0.7, 1.3])
    >>> q, qd, qdd = (np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -w**2 * np.sin(np.outer(t, w)))
    >>> log = {"t": t, "q": q, "qd": qd, "tau": real.inverse_dynamics(q, qd, qdd)}
    >>> fit = armdyn.identify(arm, log, friction=("viscous", "coulomb", "stribeck"), armature=False)
    >>> first = {"joint_1": [Stribeck(1.0, 0.8, 0.1), Viscous(0.1)]}
    >>> found = armdyn.identification.friction_laws(fit, log, first)
    >>> round(found["joint_1"]["Stribeck.speed"], 1)
    0.3
    """
    robot = fit.source
    chosen = _by_joint(laws, robot)
    rows = _Rows.of(fit, logs_of(logs, robot, options.pop("gains", None), **options))
    values = fit.values[: len(fit.parameters.standard)]
    rounds = 2 if any(law.depends_on_load for each in chosen.values() for law in each) else 1
    fits: dict[str, LawFit] = {}
    for _ in range(rounds):
        rows.count_loads(values)
        for joint, each in chosen.items():
            j = robot.joint_names.index(joint)
            fits[joint] = rows.fitted(j, fits[joint].laws if joint in fits else each, free)
        values = rows.bodies(fit, {robot.joint_names.index(joint): each.laws for joint, each in fits.items()})
    changed = fitted_robot(robot, rows.regression.parameters, values)
    actuators = {joint: _with_laws(changed, joint, each.laws) for joint, each in fits.items()}
    return FrictionLaws(
        changed.with_actuators(actuators), fits,
        dict(zip(robot.joint_names, fit.residual_deviations.tolist(), strict=True)),
    )  # fmt: skip


def _with_laws(robot: Robot, joint: str, laws: Sequence[FrictionLaw]) -> Actuator:
    actuator = getattr(robot.joints[robot.joint_names.index(joint)], "actuator", None)
    if isinstance(actuator, Actuator):
        return replace(actuator, friction=tuple(laws))
    return Actuator(friction=tuple(laws))


def _by_joint(laws: Laws | Mapping[str, Laws], robot: Robot) -> dict[str, tuple[FrictionLaw, ...]]:
    each = dict(laws) if isinstance(laws, Mapping) else dict.fromkeys(robot.joint_names, laws)
    for joint in each:
        if joint not in robot.joint_names:
            raise UnknownName.of("joint", joint, robot.joint_names, f"laws= for {robot.name!r}")
    return {joint: tuple_of(own, f"laws of {joint}") for joint, own in each.items()}


@dataclass(eq=False)
class _Rows:
    """Rows without friction laws, and the signals on which the laws depend.

    Args:
        regression: of the logs, whose terms are offsets and springs alone.
        samples: of each piece, at all times.
        loads: at the motors, of each piece.
        torques: of each part, as measured.
    """

    regression: Regression
    samples: list[LogSamples]
    loads: list[Array]
    torques: list[Array]

    @classmethod
    def of(cls, fit: Fit, logs: Sequence[Any]) -> _Rows:
        terms = tuple(term for term in fit.parameters.terms if term.name in KEPT)
        parameters = replace(fit.parameters, terms=terms, momentum=False)
        bodies = fit.values[: len(parameters.standard)]
        slow, fast = fit.chain.slow.cutoff, fit.chain.fast.cutoff
        regression = Regression.of(logs, parameters, slow, fast, fit.delays, bodies)
        samples = [piece.samples(0, piece.count) for piece in regression.pieces]
        return cls(regression, samples, [], [part.torques.copy() for part in regression.parts])

    @property
    def parameters(self) -> Parameters:
        """Those of the regression."""
        return self.regression.parameters

    def count_loads(self, bodies: Array) -> None:
        """Count the loads at the motors by parameters of the bodies."""
        regressor = self.parameters.robot.regressor
        self.loads = [
            self.parameters.load_at_motors(regressor(s.q, s.qd, s.qdd, **NO_JOINTS) @ bodies) for s in self.samples
        ]

    def fitted(self, j: int, laws: Sequence[FrictionLaw], free: Sequence[str] | None) -> LawFit:
        """The laws of a motor, with the linear parameters of its row projected out."""
        usable = self.regression.usable().all(axis=1) if self.parameters.coupling is not None else (
            self.regression.usable()[:, j]
        )  # fmt: skip
        y = self.parameters.load_at_motors(np.concatenate(self.torques))[:, j][usable]
        basis = _basis(self._design(j)[usable])
        samples = [
            (self.parameters.at_motors(s.qd)[:, j], load[:, j])
            for s, load in zip(self.samples, self.loads, strict=True)
        ]

        def through(signals: Array) -> Array:
            rows = self._filtered(signals)[usable]
            return np.asarray(rows - basis @ (basis.T @ rows))

        chain = self.regression.pieces[0].chain
        lags = int(np.ceil(len(chain.slow_kernel) / chain.step))
        return fit_laws_through_filter(
            laws, samples, y - basis @ (basis.T @ y), through, free, lags, self.parameters.sign_widths[j]
        )

    def _design(self, j: int) -> Array:
        """The columns of all linear parameters in the row of a motor, shape (rows, reduced)."""
        C, n = self.parameters.coupling, self.parameters.robot.dof
        shares = np.eye(n)[j] if C is None else np.linalg.inv(C).T[j]
        blocks = []
        for part in self.regression.parts:
            block = np.zeros((len(part), len(self.parameters.lift)))
            for k in np.flatnonzero(shares):
                block[:, self.parameters.of_row[k]] += shares[k] * part.columns[k]
            blocks.append(block)
        return np.concatenate(blocks)

    def _filtered(self, signals: Array) -> Array:
        """Signals of all samples through the low-pass, to rows at twice the cut-off."""
        parts, start = [], 0
        for samples, piece in zip(self.samples, self.regression.pieces, strict=True):
            stop = start + len(samples.t)
            parts.append(correlate(signals[start:stop], piece.chain.slow_kernel, piece.chain.step))
            start = stop
        return np.concatenate(parts)

    def bodies(self, fit: Fit, laws: Mapping[int, Sequence[FrictionLaw]]) -> Array:
        """All parameters, fitted to the torques that the laws leave."""
        qd, loads = (np.concatenate(each) for each in ([s.qd for s in self.samples], self.loads))
        rates, friction = self.parameters.at_motors(qd), np.zeros_like(qd)
        for j, each in laws.items():
            friction[:, j] = torques_of_laws(each, rates[:, j], loads[:, j], self.parameters.sign_widths[j])
        if self.parameters.coupling is not None:
            friction = friction @ self.parameters.coupling
        rows, start = self._filtered(friction), 0
        for part, measured in zip(self.regression.parts, self.torques, strict=True):
            part.torques[:] = measured - rows[start : start + len(part)]
            start += len(part)
        self.regression.weights = None
        settings = FitSettings(fit.chain.slow.cutoff, fit.chain.fast.cutoff, True, fit.selection.weight)
        outcome = solve_reweighted(self.regression, fit.description, settings, ())
        return outcome.solution.x


def _basis(A: Array) -> Array:
    """An orthonormal basis of the columns."""
    sizes = np.linalg.norm(A, axis=0)
    A = A[:, sizes > 0.0] / sizes[sizes > 0.0]
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return np.asarray(U[:, s > RANK * s[0]] if len(s) else np.zeros((len(A), 0)))


RANK = 1e-7
"""Singular values of the columns below this, relative to the largest, count as zero."""
