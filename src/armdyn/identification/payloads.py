"""`payload`: mass, centre of mass and inertia of a body on an arm, from a log with it and a fit without it.

The joint forces of the loaded arm are those of the fit plus Y_l A theta, with the columns Y_l of the ten parameters of
the link that holds the body, theta the body's ten parameters in a frame of that link, and A the map from one to the
other. Bodies and armatures are those of the fit; friction, which depends on temperature, is fitted again:

    minimise  1/2 sum_joints |Y_l A theta + F x - (tau - Y pi)|^2 / s_j^2 + w D(P(theta) || P_0)

with D the log-det divergence to the body of a box that no motion contradicts (`starting_body`). The covariance counts
the residuals' autocorrelation and the covariance of the fit's parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import number
from armdyn.identification.design import Parameters
from armdyn.identification.errors import IdentificationError
from armdyn.identification.examination import examine
from armdyn.identification.fit import Fit
from armdyn.identification.fitting import ROUNDS, SETTLED, identify, logs_of
from armdyn.identification.intervals import covariance_of, sums_of_scores
from armdyn.identification.payload_result import Payload, quantities_of
from armdyn.identification.pseudo_inertia import BASIS, TEN, parameters_of, pseudo_inertias
from armdyn.identification.regression import Regression
from armdyn.identification.solver import FitSolution, Prior, solve
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

PRIOR_WEIGHT = 1.0
"""Weight of the divergence: about that of one row of the log."""

RADIUS = 0.1
"""Radius of gyration of the body that the divergence is from, m."""


def payload(
    robot: Robot | Fit,
    loaded: object,
    *,
    unloaded: object = None,
    frame: str | None = None,
    gains: ArrayLike | None = None,
    offsets: bool = True,
    prior_weight: float = PRIOR_WEIGHT,
    **options: Any,
) -> Payload:
    """The mass, centre of mass and inertia of a body on an arm, kg, m, kg m^2, with their intervals of 95 %.

    The arm is fitted on the log without the body (`armdyn.identify`); then ten parameters of the body, and the friction
    again, on the log with it. The best pair of logs is one motion twice, in which the last joints turn the body about
    each of its axes.

    Args:
        robot: the arm, or a `Fit` of it.
        loaded: one or several logs with the body, as of `armdyn.identify`.
        unloaded: logs without it. A `Fit` has none; without them a robot is taken as it is described.
        frame: the frame in which the body is stated, such as "tool0"; the tip if None.
        gains: joint force per current, N m/A or N/A, of logs with currents.
        offsets: False to keep the constant joint forces of the fit. They are fitted again otherwise.
        prior_weight: of the divergence, for residuals in units of their deviation.
        options: of `armdyn.identify` for the fit without the body, such as ``friction``.

    Raises:
        IdentificationError: logs without motion or joint forces, a frame of the base, settings that make no sense.
        UnknownName: a frame that the robot does not have.

    >>> robot, t = armdyn.load("ur5"), np.arange(0.0, 12.0, 0.01)
    >>> w, phase = np.array([1.1, 0.7, 0.9, 2.3, 1.9, 2.7]), np.arange(6)
    >>> q = np.sin(np.outer(t, w) + phase)
    >>> qd, qdd = w * np.cos(np.outer(t, w) + phase), -w**2 * q
    >>> held = robot.with_payload(armdyn.inertia.box((0.2, 0.1, 0.1), mass=1.5).at([0.02, 0.0, 0.08]))
    >>> logs = [{"t": t, "q": q, "qd": qd, "tau": arm.inverse_dynamics(q, qd, qdd)} for arm in (robot, held)]
    >>> body = armdyn.identification.payload(robot, logs[1], unloaded=logs[0])
    >>> round(body.mass, 2), (body.com + 1e-4).round(3)
    (1.5, array([0.02, 0.  , 0.08]))
    """
    weight = number("prior_weight", prior_weight, above=0.0, error=IdentificationError)
    if isinstance(robot, Fit):
        if unloaded is not None:
            raise IdentificationError("unloaded= beside a Fit, which holds the arm without the body; give one of them")
        fit: Fit | None = robot
        arm = robot.source
    else:
        arm = robot
        fit = None if unloaded is None else identify(robot, unloaded, gains=gains, **options)
        if fit is None and options:
            raise IdentificationError(
                f"{next(iter(options))}= is an option of the fit on logs without the body, and unloaded= has none"
            )
    logs = logs_of(loaded, arm, gains)
    if not logs:
        raise IdentificationError("loaded is empty; expected one log or several")
    place = arm.model.frame(frame)
    problem = _Loaded.of(arm, fit, place.name, logs, offsets)
    return problem.payload(weight, tuple(examine(logs, arm)))


@dataclass(eq=False)
class _Loaded:
    """The regression of the loaded log on ten parameters of the body and on friction.

    Args:
        regression: of the logs.
        frame: of the body.
        fixed: the reduced parameters that stay, with zeros for those that are fitted.
        fixed_covariance: of them.
        into: the map B from the fitted parameters to the reduced ones.
        to_link: A, the body's parameters in the link's frame of those in the body's frame.
        columns: of the link's ten parameters among those of all bodies.
        bodies: parameters of the bodies without the payload.
        not_negative: a mask of the fitted parameters.
        start: of the fitted friction.
    """

    regression: Regression
    frame: str
    fixed: Array
    fixed_covariance: Array
    into: Array
    to_link: Array
    columns: slice
    bodies: Array
    not_negative: Array
    start: Array

    @classmethod
    def of(cls, arm: Robot, fit: Fit | None, frame: str, logs: Sequence[Any], offsets: bool) -> _Loaded:
        """The regression for an arm, fitted or as described."""
        parameters, values, covariance, delays, cutoffs = _parameters_of_arm(arm, fit)
        count, n = len(parameters.standard), arm.dof
        bodies = values[:count]
        regression = Regression.of(logs, parameters, *cutoffs, delays, bodies)
        place = arm.model.frame(frame)
        links = [link.name for link in arm.model.links[1:]]
        if place.link not in links:
            raise IdentificationError(f"frame {frame!r} is on the base, on which a body loads no joint")
        first = links.index(place.link) * TEN
        to_link = frame_map(np.asarray(place.pose, dtype=np.float64))
        kinds = {"armature", "gain"} | (set() if offsets else {"offset"})
        names = np.repeat(parameters.of_joints, n)
        fitted = np.flatnonzero([name not in kinds for name in names])
        rank, width = len(parameters.lift) - len(names), len(parameters.lift)
        into = np.zeros((width, TEN + len(fitted)))
        into[:rank, :TEN] = parameters.base.matrix[:, first : first + TEN] @ to_link
        into[rank + fitted, TEN + np.arange(len(fitted))] = 1.0
        of_arm = values.copy()
        of_arm[count + fitted] = 0.0
        lift = parameters.lift.copy()
        lift[:, count + fitted] = 0.0
        bounds = np.concatenate([np.zeros(TEN, dtype=bool), parameters.not_negative[count + fitted]])
        return cls(
            regression, frame, lift @ of_arm, lift @ covariance @ lift.T, into, to_link, slice(first, first + TEN),
            bodies, bounds, values[count + fitted],
        )  # fmt: skip

    def payload(self, weight: float, notes: tuple[str, ...]) -> Payload:
        """The body, after weights and loads have settled."""
        regression = self.regression
        without = self.reduced(np.concatenate([np.zeros(TEN), self.start]))
        deviations = regression.deviations(without)
        before = deviations
        friction = self.start
        body: Array | None = None
        solution: FitSolution | None = None
        for turn in range(ROUNDS):
            R, z = self.problem(deviations)
            if body is None:
                body = starting_body(R, z)
            prior = Prior(
                pseudo_inertias(body),
                np.concatenate([body, friction]),
                np.concatenate([np.full(TEN, np.inf), _prior_spread(regression, len(friction))]),
            )
            last_x = None if solution is None else solution.x
            solution = solve(R, z, prior, weight, self.not_negative, last_x)
            reduced = self.reduced(solution.x)
            last, deviations = deviations, regression.deviations(reduced)
            regression.update_loads(self.loaded_bodies(solution.x))
            regression.reweigh(reduced, deviations)
            if turn >= 2 and np.abs(np.log(deviations / last)).max() < SETTLED:
                break
        assert solution is not None  # noqa: S101 - ROUNDS is above zero
        covariance, from_data = self.uncertainty(solution, deviations)
        values, slopes = quantities_of(solution.x[:TEN])
        spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance[:TEN, :TEN], slopes), 0.0))
        return Payload(
            regression.parameters.robot.name, self.frame, values, spread, from_data[:TEN], before, deviations,
            tuple(regression.parameters.robot.joint_names), notes,
        )  # fmt: skip

    def reduced(self, x: Array) -> Array:
        """All reduced parameters of the fitted ones."""
        return np.asarray(self.fixed + self.into @ x)

    def loaded_bodies(self, x: Array) -> Array:
        """The parameters of all bodies with the payload."""
        bodies = self.bodies.copy()
        bodies[self.columns] += self.to_link @ x[:TEN]
        return bodies

    def problem(self, deviations: Array) -> tuple[Array, Array]:
        """R and z of the fitted parameters."""
        from armdyn.identification.factors import stack_factors  # noqa: PLC0415 - imported when it is used

        R, z = stack_factors(self.regression.factors(), self.regression.parameters, 1.0 / deviations)
        return R @ self.into, z - R @ self.fixed

    def uncertainty(self, solution: FitSolution, deviations: Array) -> tuple[Array, Array]:
        """The covariance of the fitted parameters, and the part of the information on each that the data hold.

        An error e of the parameters that stay moves the solution by -G^-1 B^T J e, J the information of the rows.
        """
        information, meat = sums_of_scores(self.regression, self.reduced(solution.x), deviations)
        B = self.into
        meat = meat + information @ self.fixed_covariance @ information
        covariance, from_data = covariance_of(solution.hessian, B.T @ information @ B, B.T @ meat @ B)
        return covariance, from_data


def _parameters_of_arm(arm: Robot, fit: Fit | None) -> tuple[Parameters, Array, Array, Array, tuple[float, float]]:
    """Parameters of the arm without the body, their values and covariance, delays and cut-offs."""
    from armdyn.identification.fitting import CUTOFF, FRICTION, SMOOTHING  # noqa: PLC0415 - of an arm as described
    from armdyn.identification.friction_terms import terms_of  # noqa: PLC0415

    if fit is not None:
        chain = fit.chain
        return fit.parameters, fit.values, fit.covariance, fit.delays, (chain.slow.cutoff, chain.fast.cutoff)
    parameters = Parameters(arm, True, terms_of(FRICTION))
    values = np.zeros(len(parameters.names))
    values[: len(parameters.standard)] = parameters.standard.values
    values[parameters.place("armature")] = [getattr(joint, "armature", 0.0) for joint in arm.joints]
    nothing = np.zeros((len(values),) * 2)
    return parameters, values, nothing, np.zeros(arm.dof), (CUTOFF, CUTOFF * SMOOTHING)


def _prior_spread(regression: Regression, count: int) -> Array:
    """The prior's spread of friction: a thousand times the joint's torque."""
    torques = np.concatenate([part.torques for part in regression.parts])
    sizes = np.sqrt(np.mean(torques**2, axis=0))
    return np.tile(np.where(sizes > 0.0, sizes, 1.0), count // len(sizes)) * 1e3


def frame_map(pose: Array) -> Array:
    """The matrix from ten parameters in a frame to those in the frame of its link, shape (10, 10): P_l = T P T^T.

    Args:
        pose: T, of the frame in the link's, shape (4, 4).
    """
    return np.asarray(parameters_of(pose @ BASIS @ pose.T).reshape(TEN, TEN).T)


def starting_body(R: Array, z: Array) -> Array:
    """The body that the divergence is from: mass and first moment by least squares, as a ball about its centre.

    Args:
        R: of the fitted parameters, those of the body first.
        z: likewise.

    Returns:
        Ten parameters in the frame of the body.
    """
    scale = np.maximum(np.linalg.norm(R, axis=0), np.finfo(float).tiny)
    x = np.linalg.lstsq(R / scale, z, rcond=1e-8)[0] / scale
    m = max(float(x[0]), 1e-2)
    c = np.clip(x[1:4] / m, -5.0 * RADIUS, 5.0 * RADIUS)
    P = np.zeros((1, 4, 4))
    P[0, :3, :3] = m * (np.outer(c, c) + 0.5 * RADIUS**2 * np.eye(3))
    P[0, :3, 3] = P[0, 3, :3] = m * c
    P[0, 3, 3] = m
    return parameters_of(P)
