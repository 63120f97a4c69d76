"""`drive_gains`: the joint force per current of each drive, from a body of known mass or from known links.

Currents leave the scale of all parameters open: twice the gains with twice the masses give equal currents. One known
mass closes it. With the gains k = k_0/(1 - g) about first values k_0, the currents i of logs without and with the body
are those of

    k_0 i = (1 - g) (Y pi + F x)        and        k_0 i = (1 - g) (Y pi + Y_l A theta + F x'),

with the arm's parameters pi, the body's ten parameters theta, of which the mass is known, and friction x. All are
fitted together by Gauss-Newton steps in g, with pseudo-inertias positive definite; noise is in the currents alone, so
that gains are not drawn to zero. If the links are known, pi is that of the description, and one kind of log suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import for_each
from armdyn.base.checks import array, number
from armdyn.base.errors import excerpt
from armdyn.identification.design import Parameters, needs_load, update_gain_columns, update_load_columns
from armdyn.identification.errors import IdentificationError
from armdyn.identification.examination import examine
from armdyn.identification.factors import stack_factors
from armdyn.identification.fitting import CUTOFF, FRICTION, ROUNDS, SMOOTHING, coupling_of_logs, identify, logs_of
from armdyn.identification.friction_terms import terms_of
from armdyn.identification.gain_result import DriveGains
from armdyn.identification.intervals import covariance_of, scores_of_part
from armdyn.identification.payloads import frame_map
from armdyn.identification.prior import prior_of
from armdyn.identification.pseudo_inertia import TEN, parameters_of, pseudo_inertias
from armdyn.identification.regression import HUBER, Regression
from armdyn.identification.solver import FitSolution, Prior, solve
from armdyn.logs.log import Log
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

PRIOR_WEIGHT = 30.0
"""Weight of the divergence, about that of thirty rows: the mass decides the scale, the description must not."""

FREE = 10.0
"""The spread of g: gains are not drawn to their first values."""

RADIUS = 0.1
"""Radius of gyration of the body from which the divergence of the known body is counted, m."""

KNOWN = 1e-6
"""The spread of a known number, relative to it."""

SETTLED = 1e-4
"""The change of all g that ends the Gauss-Newton steps."""

STEPS = 4 * ROUNDS
"""Gauss-Newton steps, at most."""


def drive_gains(
    robot: Robot,
    logs: object,
    *,
    loaded: object = None,
    mass: float | None = None,
    com: ArrayLike | None = None,
    frame: str | None = None,
    friction: Sequence[str] = FRICTION,
    armature: bool = True,
    cutoff: float = CUTOFF,
    smoothing: float | None = None,
    prior_weight: float = PRIOR_WEIGHT,
) -> DriveGains:
    """The gains of the drives, N m/A or N/A, from logs of currents without and with a body of known mass.

    The best pair of logs is one motion twice, in which gravity on the body loads each joint. A drive whose axis is
    vertical feels the body by its inertia only; its interval is wider. Without a body the links count as known, as
    described, and an error of their masses is one of the gains. Gains of logs of motors (``drives`` of
    `armdyn.logs.read`) are torques of the motors per current.

    Args:
        robot: the arm; its inertias are the prior, or are known.
        logs: one or several logs of currents of the arm alone, as of `armdyn.identify`.
        loaded: one or several logs with the body. Without them the links are known.
        mass: of the body, kg.
        com: its centre of mass in the frame, m, shape (3,); fitted if None.
        frame: the frame of the body, such as "tool0"; the tip if None.
        friction: terms of friction, as of `armdyn.identify`.
        armature: True to fit the inertia of each joint's rotor.
        cutoff: of the low-pass of columns and currents, Hz.
        smoothing: cut-off of the low-pass of positions and velocities, Hz; five times ``cutoff`` if None.
        prior_weight: of the divergence to the description, for residuals in units of their deviation.

    Raises:
        IdentificationError: logs without currents or without motion, a mass without loaded logs or the other way round.

    >>> robot, t = armdyn.load("planar_2r"), np.arange(0.0, 20.0, 0.01)
    >>> w = np.array([1.1, 1.7])
    >>> q, qd, qdd = (np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -w**2 * np.sin(np.outer(t, w)))
    >>> gains, held = np.array([12.0, 9.0]), robot.with_payload(mass=0.5)
    >>> currents = [arm.inverse_dynamics(q, qd, qdd) / gains for arm in (robot, held)]
    >>> empty, loaded = ({"t": t, "q": q, "qd": qd, "current": each} for each in currents)
    >>> k = armdyn.identification.drive_gains(robot, empty, loaded=loaded, mass=0.5, friction=("viscous",))
    >>> k.values.round(1)
    array([12.,  9.])
    """
    if (loaded is None) != (mass is None):
        raise IdentificationError(
            f"mass is {excerpt(mass)} and loaded= is {'left out' if loaded is None else 'given'}; expected logs with "
            "the body and its mass, or neither, if the links are known"
        )
    slow = number("cutoff", cutoff, above=0.0, unit="Hz", error=IdentificationError)
    fast = number("smoothing", slow * SMOOTHING if smoothing is None else smoothing, above=0.0, unit="Hz",
                  error=IdentificationError)  # fmt: skip
    bare, loaded_currents = (_currents_of(each, robot) for each in (logs, loaded))
    if not bare:
        raise IdentificationError("logs is empty; expected one log or several")
    coupling = coupling_of_logs([*bare, *loaded_currents])
    parameters = Parameters(robot, bool(armature), terms_of(friction), coupling, gain_spread=FREE)
    notes = examine([*bare, *loaded_currents], robot)
    first = _first_gains([*bare, *loaded_currents], parameters, (slow, fast))
    if loaded is None:
        problem = _GainProblem.of_known_links(parameters, _in_units_of(bare, first), (slow, fast), np.zeros(robot.dof))
        return problem.gains(first, 1.0, tuple(notes))
    body_mass = number("mass", mass, above=0.0, unit="kg", error=IdentificationError)
    options: dict[str, Any] = {"friction": friction, "armature": armature, "cutoff": slow, "smoothing": fast}
    weight = number("prior_weight", prior_weight, above=0.0, error=IdentificationError)
    fit = identify(robot, _in_units_of(bare, first), prior_weight=weight, **options)
    centre = None if com is None else array("com", com, (3,), "m, in the frame", finite=IdentificationError)
    body = _Body.of(robot, frame, body_mass, centre)
    alone, with_body = (_in_units_of(each, first) for each in (bare, loaded_currents))
    problem = _GainProblem.of_known_body(parameters, alone, with_body, (slow, fast), fit.delays, body)
    return problem.gains(first, weight, tuple(notes))


def _currents_of(logs: object, robot: Robot) -> list[Log]:
    """Logs with currents.

    Raises:
        IdentificationError: a log without currents.
    """
    with_currents = [] if logs is None else logs_of(logs, robot, None)
    for log in with_currents:
        if log.current is None:
            raise IdentificationError(
                f"log {log.name!r} has no currents, to which gains could belong; name their columns: "
                f"{for_each('columns', current='...')}"
            )
    return with_currents


def _in_units_of(logs: Sequence[Log], gains: Array) -> list[Log]:
    """Logs whose joint forces are those of the currents times some gains."""
    of_motors = [np.asarray(log.current) * gains for log in logs]
    return [
        replace(log, tau=torques if log.drives is None else torques @ log.drives)
        for log, torques in zip(logs, of_motors, strict=True)
    ]


def _first_gains(logs: Sequence[Log], parameters: Parameters, cutoffs: tuple[float, float]) -> Array:
    """Rough gains: those with which the currents are as large as the torques of the links as described.

    Raises:
        IdentificationError: a current that is constant.
    """
    plain = replace(parameters, gain_spread=None)
    regression = Regression.of(
        _in_units_of(logs, np.ones(parameters.robot.dof)), plain, *cutoffs, np.zeros(parameters.robot.dof),
        plain.standard.values,
    )  # fmt: skip
    reduced = plain.lift[:, : len(plain.standard)] @ plain.standard.values
    modelled = plain.load_at_motors(np.concatenate([regression.modelled(part, reduced) for part in regression.parts]))
    currents = plain.load_at_motors(np.concatenate([part.torques for part in regression.parts]))
    names = parameters.robot.joint_names
    if dead := [name for name, column in zip(names, currents.T, strict=True) if np.std(column) <= 1e-12]:
        raise IdentificationError(
            f"currents of {', '.join(dead)} are constant, so that their drives have no gain; check the columns: "
            f"{for_each('columns', current='...')}"
        )
    result = np.full(parameters.robot.dof, np.nan)
    for j, places in enumerate(plain.of_row):
        columns = np.concatenate([part.columns[j] for part in regression.parts])
        own = np.asarray(places) >= len(plain.base.matrix)
        slope, deviation = _slope(modelled[:, j], columns[:, own], currents[:, j])
        if slope > SURE * deviation:
            result[j] = 1.0 / slope
    rough = np.std(modelled, axis=0) / np.std(currents, axis=0)
    others = np.nanmedian(result) if np.isfinite(result).any() else float(np.median(rough)) or 1.0
    return np.where(np.isfinite(result), result, others)


SURE = 20.0
"""Deviations of a slope, autocorrelation not counted, above which it makes a first gain."""


def _slope(x: Array, others: Array, y: Array) -> tuple[float, float]:
    """The slope of y over x in a fit with other columns, and its deviation."""
    design = np.column_stack([x, others])
    scale = np.maximum(np.linalg.norm(design, axis=0), np.finfo(float).tiny)
    inverse = np.linalg.pinv(design / scale, rcond=1e-8)
    solution = inverse @ y
    residual = y - design / scale @ solution
    deviation = np.linalg.norm(inverse[0]) * np.sqrt(residual @ residual / max(len(y) - design.shape[1], 1))
    return float(solution[0] / scale[0]), float(deviation / scale[0])


@dataclass(frozen=True, eq=False)
class _Body:
    """A body of known mass on a link.

    Args:
        values: its ten parameters at first, in the frame.
        spread: of them; small for those that are known.
        to_link: the map to parameters in the frame of the link.
        columns: of the link's ten parameters among those of all bodies.
    """

    values: Array
    spread: Array
    to_link: Array
    columns: slice

    @classmethod
    def of(cls, arm: Robot, frame: str | None, mass: float, com: Array | None) -> _Body:
        place = arm.model.frame(frame)
        links = [link.name for link in arm.model.links[1:]]
        if place.link not in links:
            raise IdentificationError(f"frame {place.name!r} is on the base, on which a body loads no joint")
        first = links.index(place.link) * TEN
        c = np.zeros(3) if com is None else com
        P = np.zeros((1, 4, 4))
        P[0, :3, :3] = mass * (np.outer(c, c) + 0.5 * RADIUS**2 * np.eye(3))
        P[0, :3, 3] = P[0, 3, :3] = mass * c
        P[0, 3, 3] = mass
        spread = np.full(TEN, np.inf)
        spread[0] = KNOWN * mass
        if com is not None:
            spread[1:4] = KNOWN * mass
        to_link = frame_map(np.asarray(place.pose, dtype=np.float64))
        return cls(parameters_of(P), spread, to_link, slice(first, first + TEN))


@dataclass(eq=False)
class _GainProblem:
    """All parameters of a part's logs are const + M x: x what is fitted, M one map for each part.

    Args:
        regression: of all logs, in units of the first gains.
        constant: all parameters at x = 0.
        maps: M of each part, shape (parameters, unknowns).
        prior: of x, the pseudo-inertias of bodies first.
        not_negative: a mask of x.
        gain_places: of g in x.
        body: True if x begins with the body of known mass.
    """

    regression: Regression
    constant: Array
    maps: list[Array]
    prior: Prior
    not_negative: Array
    gain_places: slice
    body: bool

    @classmethod
    def of_known_links(
        cls, parameters: Parameters, logs: Sequence[Log], cutoffs: tuple[float, float], delays: Array
    ) -> _GainProblem:
        """The problem of logs of an arm whose links are as described."""
        bodies = parameters.standard.values
        regression = Regression.of(logs, parameters, *cutoffs, delays, bodies)
        prior, _ = prior_of(parameters.robot, parameters, regression.factors())
        count, size = len(bodies), len(parameters.names)
        into = np.eye(size)[:, count:]
        free = Prior(np.zeros((0, 4, 4)), prior.values[count:], prior.spread[count:])
        constant = np.concatenate([bodies, np.zeros(size - count)])
        gains = parameters.place("gain")
        return cls(
            regression, constant, [into] * len(regression.parts), free, parameters.not_negative[count:],
            slice(gains.start - count, gains.stop - count), False,
        )  # fmt: skip

    @classmethod
    def of_known_body(
        cls,
        parameters: Parameters,
        bare: Sequence[Log],
        loaded: Sequence[Log],
        cutoffs: tuple[float, float],
        delays: Array,
        body: _Body,
    ) -> _GainProblem:
        """The problem of logs of the arm alone and of logs with a body of known mass; each kind has its friction."""
        regression = Regression.of([*bare, *loaded], parameters, *cutoffs, delays, parameters.standard.values)
        arm, _ = prior_of(parameters.robot, parameters, regression.factors())
        size, n = len(parameters.names), parameters.robot.dof
        constant = {"armature", "gain"}
        of_joints = np.repeat(parameters.of_joints, n)
        changed = len(parameters.standard) + np.flatnonzero([name not in constant for name in of_joints])
        alone = np.zeros((size, TEN + size + len(changed)))
        alone[:, TEN : TEN + size] = np.eye(size)
        values = alone.copy()
        values[body.columns, :TEN] = body.to_link
        values[changed, TEN + changed] = 0.0
        values[changed, TEN + size + np.arange(len(changed))] = 1.0
        prior = Prior(
            np.concatenate([pseudo_inertias(body.values), arm.P]),
            np.concatenate([body.values, arm.values, arm.values[changed]]),
            np.concatenate([body.spread, arm.spread, arm.spread[changed]]),
        )
        rule = parameters.not_negative
        bounds = np.concatenate([np.zeros(TEN, dtype=bool), rule, rule[changed]])
        maps = [values if part.log >= len(bare) else alone for part in regression.parts]
        gains = parameters.place("gain")
        places = slice(TEN + gains.start, TEN + gains.stop)
        return cls(regression, np.zeros(size), maps, prior, bounds, places, True)

    def gains(self, first: Array, weight: float, notes: tuple[str, ...]) -> DriveGains:
        """The gains after Gauss-Newton steps with the weights and loads that follow."""
        x = np.array(self.prior.values)
        deviations = self._deviations(x)
        solution: FitSolution | None = None
        for step in range(STEPS):
            self._linearise(x)
            before = x[self.gain_places]
            solution = solve(*self._factor(deviations), self.prior, weight, self.not_negative, x)
            x = solution.x.copy()
            x[self.gain_places] = 1.0 - np.clip(1.0 - x[self.gain_places], 0.5 * (1.0 - before), 2.0 * (1.0 - before))
            self._linearise(x)
            deviations = self._deviations(x)
            if step >= 2 and np.abs(np.log((1.0 - x[self.gain_places]) / (1.0 - before))).max() < SETTLED:
                break
        assert solution is not None  # noqa: S101 - STEPS is above zero
        factors = 1.0 - x[self.gain_places]
        robot = self.regression.parameters.robot
        open_ones = np.abs(np.log(factors / (1.0 - before))) > 100.0 * SETTLED
        values = first / factors
        variances = np.diag(self._covariance(solution, deviations))[self.gain_places]
        spread = np.sqrt(np.maximum(variances, 0.0)) * values / factors
        values, spread = np.where(open_ones, first, values), np.where(open_ones, np.inf, spread)
        if open_ones.any():
            names = [name for name, is_open in zip(robot.joint_names, open_ones, strict=True) if is_open]
            notes += (
                f"gains of {', '.join(names)} are not determined, and stay at rough values: record a motion in which "
                "gravity loads these joints, or their links turn fast",
            )
        on_motors = self.regression.logs[0].drives is not None
        kinds = tuple(joint.kind == "prismatic" and not on_motors for joint in robot.joints)
        return DriveGains(
            str(robot.name), tuple(robot.joint_names), kinds, values, spread, deviations * values / first,
            x[:TEN] if self.body else None, notes,
        )  # fmt: skip

    def _reduced(self, part: int, x: Array) -> Array:
        return np.asarray(self.regression.parameters.lift @ (self.constant + self.maps[part] @ x))

    def _linearise(self, x: Array) -> None:
        """Count the columns of loads and gains about x."""
        regression, parameters = self.regression, self.regression.parameters
        count = len(parameters.standard)
        for k, (part, piece) in enumerate(zip(regression.parts, regression.pieces, strict=True)):
            if needs_load(parameters.terms):
                update_load_columns(part, piece, parameters, (self.constant + self.maps[k] @ x)[:count])
            update_gain_columns(part, parameters, self._reduced(k, x))

    def _deviations(self, x: Array) -> Array:
        """The deviations of the residuals, of which Huber's weights follow, too."""
        regression = self.regression
        residuals = [
            part.torques - regression.modelled(part, self._reduced(k, x)) for k, part in enumerate(regression.parts)
        ]
        usable = regression.usable()
        every = np.where(usable, np.concatenate(residuals), 0.0)
        result = np.sqrt(np.sum(every**2, axis=0) / np.maximum(usable.sum(axis=0), 1))
        sizes = np.sqrt(np.mean(np.concatenate([part.torques for part in regression.parts]) ** 2, axis=0))
        result = np.maximum(result, 1e-5 * sizes)
        regression.weights = [np.minimum(1.0, HUBER / np.maximum(np.abs(r) / result, HUBER)) for r in residuals]
        return np.asarray(result)

    def _factor(self, deviations: Array) -> tuple[Array, Array]:
        """R and z of x."""
        regression, parameters = self.regression, self.regression.parameters
        rows, right = [], []
        for each in dict.fromkeys(map(id, self.maps)):
            parts = [k for k, M in enumerate(self.maps) if id(M) == each]
            R, z = stack_factors(regression.factors(parts), parameters, 1.0 / deviations)
            rows.append(R @ parameters.lift @ self.maps[parts[0]])
            right.append(z - R @ parameters.lift @ self.constant)
        return np.vstack(rows), np.concatenate(right)

    def _covariance(self, solution: FitSolution, deviations: Array) -> Array:
        """The covariance of x, with the autocorrelation of the residuals."""
        parameters, size = self.regression.parameters, len(solution.x)
        information, meat = np.zeros((size, size)), np.zeros((size, size))
        for k, M in enumerate(self.maps):
            into = parameters.lift @ M
            gram, scores = scores_of_part(self.regression, k, self._reduced(k, solution.x), deviations)
            information += into.T @ gram @ into
            meat += into.T @ scores @ into
        return covariance_of(solution.hessian, information, meat)[0]
