"""`identify`: the parameters of a robot from logs of its joints: bodies, friction, armatures.

The rows of the regression (`design`) are linear in the parameters. Their solution keeps pseudo-inertias positive
definite (`solver`); weights of joints, weights of rows and the loads that friction depends on follow from the
solution, so that it is repeated until they settle.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, choice, number, switch
from armdyn.base.errors import excerpt
from armdyn.identification.consistency import contradictions, disagreeing_logs, undetermined_note
from armdyn.identification.delays import Delays, estimated_delays, given_delays
from armdyn.identification.design import Parameters
from armdyn.identification.errors import IdentificationError
from armdyn.identification.examination import examine, examine_speeds, examine_torques
from armdyn.identification.factors import JointFactor
from armdyn.identification.fit import Fit
from armdyn.identification.friction_alone import friction_alone
from armdyn.identification.friction_terms import terms_of
from armdyn.identification.intervals import uncertainty
from armdyn.identification.prior import PriorWeight, prior_of, select_weight
from armdyn.identification.regression import Regression, fold_factors
from armdyn.identification.solver import FitSolution, Prior, solve
from armdyn.logs.drives import coupling_of_drives
from armdyn.logs.log import Log
from armdyn.logs.reading import read
from armdyn.model.constraints import refuse_constraints
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

FORMS = ("acceleration", "momentum")

FRICTION = ("viscous", "coulomb", "load", "offset")
"""Terms of friction that are fitted if none are chosen."""

CUTOFF = 5.0
"""Cut-off of the low-pass of columns and torques, Hz."""

SMOOTHING = 5.0
"""Cut-off of the low-pass of positions and velocities, in cut-offs of columns and torques."""

FOLDS = 5
"""Parts of one or two logs that are held out one after the other."""

ROUNDS = 8
"""Repetitions of the solution with new weights and loads, at most."""

SETTLED = 1e-3
"""The relative change of the residuals' deviations that ends the repetitions."""


@dataclass(frozen=True)
class FitSettings:
    """The settings of a fit.

    Args:
        cutoff: of the low-pass of columns and torques, Hz.
        smoothing: cut-off of the low-pass of positions and velocities, Hz.
        robust: True for Huber's weights of rows.
        prior_weight: of the divergence to the description; None if data that are held out choose it.
    """

    cutoff: float = CUTOFF
    smoothing: float = CUTOFF * SMOOTHING
    robust: bool = True
    prior_weight: float | None = None


def identify(
    robot: Robot,
    logs: object,
    *,
    friction: Sequence[str] = FRICTION,
    armature: bool = True,
    prior: Robot | None = None,
    prior_weight: float | None = None,
    gains: ArrayLike | None = None,
    drives: ArrayLike | None = None,
    zeros: ArrayLike | None = None,
    hold_out: object = (),
    cutoff: float = CUTOFF,
    smoothing: float | None = None,
    delay: ArrayLike | str | None = "estimate",
    robust: bool = True,
    coupling: ArrayLike | None = None,
    gain_spread: float | None = None,
    stiffness: ArrayLike | None = None,
    form: str = "acceleration",
) -> Fit:
    """The parameters of a robot's bodies and joints from logs: a `Fit`, with the robot that has them.

    Least squares of the joint forces, linear in the ten parameters of each link, the armature and the friction of each
    joint. One zero-phase low-pass filters columns and torques, sign(qd) included. Rows are decimated to twice the
    cut-off. Pseudo-inertias are positive definite, drawn to the description by the log-det divergence with a weight
    that data which are held out choose; armature and friction are not negative. Huber's weights of rows, one weight
    for each joint.

    Args:
        robot: with the joints of the logs; its inertias are the prior.
        logs: one or several: paths, data frames, or `armdyn.logs.Log` with joint forces tau.
        friction: terms: "viscous", "coulomb", "load" (in proportion to the load of the joint), "offset" (a constant),
            "quadratic", "stribeck", "spring" (of cables and hoses).
        armature: True to fit the inertia of each joint's rotor, as the joint sees it.
        prior: another description of the same links.
        prior_weight: of the prior, for residuals in units of their deviation; chosen by data that are held out if None.
        gains: joint force per current, N m/A or N/A, of logs with currents; torque of the motor per current with
            ``drives``.
        drives: gear ratios or the matrix of the drives, of logs of motors, as of `armdyn.logs.read`. It states the
            coupling of the motors, too.
        zeros: positions of the joints at which the positions in the logs are zero, rad or m, shape (n,).
        hold_out: logs that choose the weight of the prior and are not fitted. Without them each log, or each part of
            one, is held out once.
        cutoff: of the low-pass of columns and torques, Hz.
        smoothing: cut-off of the low-pass of positions and velocities, Hz; five times ``cutoff`` if None.
        delay: of the torques after the positions, s, one or one for each joint; "estimate", or None for zero.
        robust: True for Huber's weights; False for plain least squares.
        coupling: C of motors that move several joints, such as those of a wrist: the velocity of each motor, as its own
            joint sees it, per velocity of each joint, shape (n, n), with ones on the diagonal. Friction and armature
            are those of the motors.
        gain_spread: spread of the gains of the torques about 1, such as 0.05 for torque sensors; None if they are
            right.
        stiffness: of springs between the measured positions and the links, such as those of harmonic drives behind
            motor encoders, N m/rad or N/m, one or one for each joint; None for stiff joints.
        form: "acceleration" for rows of M qdd + ... = tau, "momentum" for rows of the filtered momentum, in which no
            acceleration occurs. Friction in proportion to the load needs accelerations in both.

    Raises:
        IdentificationError: no joint forces, no motion, logs that are too short, settings that make no sense.
        LogError: a log that cannot be read, or of other joints.

    >>> robot = armdyn.load("planar_2r")
    >>> t = np.arange(0.0, 10.0, 0.01)
    >>> q = np.stack([0.8 * np.sin(2.0 * t), 0.5 * np.sin(3.1 * t)], axis=-1)
    >>> qd = np.stack([1.6 * np.cos(2.0 * t), 1.55 * np.cos(3.1 * t)], axis=-1)
    >>> qdd = np.stack([-3.2 * np.sin(2.0 * t), -4.805 * np.sin(3.1 * t)], axis=-1)
    >>> tau = robot.inverse_dynamics(q, qd, qdd) + 0.4 * qd
    >>> fit = armdyn.identify(robot, {"t": t, "q": q, "qd": qd, "tau": tau}, friction=("viscous",), armature=False)
    >>> round(fit["joint_1.viscous"], 3), round(fit["joint_2.viscous"], 3)
    (0.4, 0.4)
    """
    refuse_constraints(robot.model, "identify", "logs of the tree without its constraints")
    settings = FitSettings(
        number("cutoff", cutoff, above=0.0, unit="Hz", error=IdentificationError),
        number("smoothing", cutoff * SMOOTHING if smoothing is None else smoothing, above=0.0, unit="Hz",
               error=IdentificationError),
        switch("robust", robust, error=IdentificationError),
        None if prior_weight is None else number("prior_weight", prior_weight, above=0.0, error=IdentificationError),
    )  # fmt: skip
    fitted, validation_logs = (logs_of(each, robot, gains, drives=drives, zeros=zeros) for each in (logs, hold_out))
    if not fitted:
        raise IdentificationError("logs is empty; expected one log or several")
    with_armature = switch("armature", armature, error=IdentificationError)
    parameters = Parameters(
        robot,
        with_armature,
        terms_of(friction),
        coupling_of_logs(fitted) if coupling is None else coupling_of(coupling, robot),
        gain_spread,
        compliance_of(stiffness, robot),
        choice("form", form, FORMS, error=IdentificationError) == "momentum",
    )
    description = robot if prior is None else prior
    delays, estimate = given_delays(delay, robot.dof)
    notes = examine(fitted, robot)
    regression = _regression(fitted, parameters, settings, delays, description)
    notes += [*regression.short, *examine_speeds(regression), *examine_torques(regression, description)]
    outcome = solve_reweighted(regression, description, settings, validation_logs)
    estimates: Delays | None = None
    if estimate:
        estimates = estimated_delays(regression, outcome.reduced)
        delays = estimates.values
        if delays.any():
            notes += estimates.note(robot.joint_names)
            regression.delay_torques(delays)
            outcome = solve_reweighted(regression, description, settings, validation_logs, outcome)
    unsure = uncertainty(regression, outcome.solution, outcome.deviations, outcome.selection.weight, estimates)
    fit = Fit(
        robot,
        description,
        parameters,
        outcome.solution.x,
        outcome.alone,
        unsure.covariance,
        unsure.from_data,
        outcome.deviations,
        delays,
        regression.chains[0],
        outcome.selection,
        (*notes, *_of_thin_links(outcome.thin_links), *_of_the_robot(parameters)),
        tuple(fitted),
    )
    doubts = [
        *undetermined_note(regression, outcome.prior, outcome.deviations),
        *contradictions(regression, description, fit.base_values, fit.base_deviations),
        *disagreeing_logs(regression, fitted, outcome.reduced),
    ]
    return replace(fit, notes=(*fit.notes, *doubts))


def _of_the_robot(parameters: Parameters) -> list[str]:
    """Sentences on parts of the fit that the robot does not have."""
    parts = []
    if parameters.coupling is not None:
        parts.append("friction and armatures of coupled motors stand in fit.robot at the motors' own joints only")
    terms = {term.name for term in parameters.terms} & {"spring"}
    parts += ["fit.robot has no springs of cables"] if terms else []
    return [f"{part}; fit.torques(q, qd, qdd) has all" for part in parts]


def _of_thin_links(links: Sequence[str]) -> list[str]:
    if not links:
        return []
    return [
        f"the description's inertia of {', '.join(links)} is not that of a body with volume; the prior has the nearest "
        "one that is"
    ]


def compliance_of(stiffness: ArrayLike | None, robot: Robot) -> Array | None:
    """One by the stiffness of each joint, shape (n,); None for stiff joints.

    Raises:
        IdentificationError: a stiffness that is not above zero.
    """
    if stiffness is None:
        return None
    values = array("stiffness", stiffness, None, f"N m/rad or N/m, one or {robot.dof}", finite=IdentificationError)
    if values.shape not in ((), (robot.dof,)) or not (values > 0.0).all():
        raise IdentificationError(
            f"stiffness is {excerpt(stiffness)}; expected a number above zero, or {robot.dof} of them"
        )
    return np.broadcast_to(1.0 / values, (robot.dof,)).astype(np.float64)


def coupling_of(coupling: ArrayLike | None, robot: Robot) -> Array | None:
    """The coupling of motors as an array; None for the identity.

    Raises:
        IdentificationError: a matrix without ones on its diagonal, or a singular one.
        ShapeError: another shape.
    """
    if coupling is None:
        return None
    C = array("coupling", coupling, (robot.dof, robot.dof), "a motor in each row", finite=IdentificationError)
    if not np.allclose(np.diag(C), 1.0) or abs(np.linalg.det(C)) < 1e-9:
        raise IdentificationError(
            f"coupling has the diagonal {np.diag(C)} and the determinant {np.linalg.det(C):.3g}; expected ones, "
            "for each motor as its own joint sees it, and a matrix with an inverse. Divide each row by the "
            "motor's gear ratio"
        )
    return None if np.array_equal(C, np.eye(robot.dof)) else C


def coupling_of_logs(logs: Sequence[Log]) -> Array | None:
    """The coupling that the drives of logs state; None for the identity.

    Raises:
        IdentificationError: logs of different drives.
    """
    stated = [None if log.drives is None else coupling_of_drives(log.drives) for log in logs]
    first = stated[0]
    for log, C in zip(logs, stated, strict=True):
        if (C is None) != (first is None) or (C is not None and first is not None and not np.allclose(C, first)):
            raise IdentificationError(
                f"logs {logs[0].name!r} and {log.name!r} are of different drives; expected one robot: read all with "
                "the same drives="
            )
    return None if first is None or np.array_equal(first, np.eye(len(first))) else first


def logs_of(logs: object, robot: Robot, gains: ArrayLike | None, **options: Any) -> list[Log]:
    """Logs from whatever was given: one log or several, as objects or as sources of `armdyn.logs.read`."""
    single = isinstance(logs, Log | str | os.PathLike | dict) or hasattr(logs, "columns") or hasattr(logs, "q")
    sources: list[Any] = [logs] if single else list(logs) if isinstance(logs, Iterable) else []
    if not single and not isinstance(logs, Iterable):
        raise IdentificationError(f"logs is {excerpt(logs)}; expected a log, a path, or a list of them")
    return [read(source, robot, gains=gains, **options) for source in sources]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The settled solution.

    Args:
        solution: all parameters.
        prior: of them.
        selection: of the prior's weight.
        deviations: of each joint's residual.
        alone: all parameters with friction and armature alone fitted.
        reduced: the parameters of the reduced regression.
        thin_links: links of the description whose inertia was made positive definite.
    """

    solution: FitSolution
    prior: Prior
    selection: PriorWeight
    deviations: Array
    alone: Array
    reduced: Array
    thin_links: tuple[str, ...]


def _regression(
    logs: Sequence[Log], parameters: Parameters, settings: FitSettings, delays: Array, description: Robot
) -> Regression:
    bodies = Parameters(description, False, ()).standard.values
    return Regression.of(logs, parameters, settings.cutoff, settings.smoothing, delays, bodies)


def solve_reweighted(
    regression: Regression,
    description: Robot,
    settings: FitSettings,
    validation_logs: Sequence[Log],
    before_delays: Outcome | None = None,
) -> Outcome:
    """The solution, repeated with the weights and loads that follow from it until they settle."""
    parameters = regression.parameters
    bodies = Parameters(description, False, ()).standard.values
    factors = regression.factors()
    prior, thin = prior_of(description, parameters, factors)
    count = len(parameters.standard)
    alone, deviations, factors = _friction_alone(regression, bodies, settings, factors)
    start = np.concatenate([prior.values[:count], alone[count:]])
    weight = 1.0 if settings.prior_weight is None else settings.prior_weight
    selection = PriorWeight(weight, np.array([weight]), np.array([np.nan]))
    if before_delays is not None:
        start, selection = before_delays.solution.x, before_delays.selection
        weight, deviations = selection.weight, before_delays.deviations
    regression.update_gains(parameters.lift @ start)
    solution = solve(*regression.problem(deviations), prior, weight, parameters.not_negative, start)
    for turn in range(ROUNDS):
        reduced = parameters.lift @ solution.x
        before, deviations = deviations, regression.deviations(reduced)
        regression.update_loads(solution.x[:count])
        regression.update_gains(reduced)
        if settings.robust:
            regression.reweigh(reduced, deviations)
        if settings.prior_weight is None and before_delays is None and turn == 1:
            held_factors = _held_factors(validation_logs, regression, settings, solution.x[:count])
            selection = select_weight(fold_factors(regression, FOLDS), parameters, prior, deviations, held_factors)
            weight = selection.weight
        R, z = regression.problem(deviations)
        try:
            solution = solve(R, z, prior, weight, parameters.not_negative, solution.x)
        except IdentificationError:
            if settings.prior_weight is not None:
                raise
            weight *= 10.0  # so little prior lets the parameters run along the edge of possible bodies
            selection = selection._replace(weight=weight)
            solution = solve(R, z, prior, weight, parameters.not_negative)
        change = np.abs(np.log(deviations / before)).max()
        if turn >= 2 and change < SETTLED:
            break
    reduced = parameters.lift @ solution.x
    return Outcome(solution, prior, selection, regression.deviations(reduced), alone, reduced, tuple(thin))


def _friction_alone(
    regression: Regression, bodies: Array, settings: FitSettings, factors: list[JointFactor]
) -> tuple[Array, Array, list[JointFactor]]:
    """Friction and armature alone with the weights that follow, the residuals' deviations, and the factors."""
    parameters, deviations = regression.parameters, np.ones(regression.joints)
    for _ in range(ALONE_ROUNDS):
        alone = friction_alone(factors, parameters, bodies, deviations)
        reduced = parameters.lift @ alone
        deviations = regression.deviations(reduced)
        if settings.robust:
            regression.reweigh(reduced, deviations)
            factors = regression.factors()
    return alone, deviations, factors


ALONE_ROUNDS = 3
"""Repetitions of the fit of friction alone with new weights."""


def _held_factors(validation_logs: Sequence[Log], regression: Regression, settings: FitSettings, bodies: Array) -> Any:
    """The factors of logs that choose the weight of the prior; None without such logs."""
    if not validation_logs:
        return None
    others = Regression.of(
        validation_logs, regression.parameters, settings.cutoff, settings.smoothing, regression.delays, bodies
    )
    return others.factors()
