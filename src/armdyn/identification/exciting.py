"""`excite`: a motion whose logs determine a robot's parameters best, within its limits."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from armdyn.base.checks import choice, number, whole_number
from armdyn.identification.errors import IdentificationError
from armdyn.identification.excitation import Excitation
from armdyn.identification.identifiability.base_parameters import base_parameters
from armdyn.identification.motion_limits import Distance, limits_of, one_or_each
from armdyn.identification.optimal_design import Criterion, Design
from armdyn.model.constraints import refuse_constraints
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

PENALTIES = (1e2, 1e4, 1e6)
"""Weights of the limits, one after the other."""

ITERATIONS, STARTS = 80, 4

EXCITED = {"viscous": "damping", "coulomb": "friction", "offset": "offset"}
"""Terms of friction whose columns may count, and the options of the regressor that have them."""


def excite(
    robot: Robot,
    *,
    duration: float = 15.0,
    harmonics: int = 5,
    noise: ArrayLike = 1.0,
    friction: Sequence[str] = tuple(EXCITED),
    armature: bool = True,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    distance: Distance | None = None,
    criterion: Criterion = "information",
    cutoff: float = 5.0,
    starts: int = STARTS,
    iterations: int = ITERATIONS,
    workers: int | None = None,
    seed: int = 0,
) -> Excitation:
    """A motion whose logs determine a robot's base parameters best, within its limits: an `Excitation`.

    A Fourier series with quintic blends from and to rest, by L-BFGS with exact slopes through the regressor's adjoint,
    from several random starts. Joints whose description states no limits get ranges that the notes name.

    Args:
        robot: without constraints; its limits of position, velocity and effort are kept.
        duration: s.
        harmonics: of the series; the highest turns harmonics / duration times a second.
        noise: deviation of the measured joint forces, N m or N, one or one for each joint.
        friction: terms whose columns count: "viscous", "coulomb", "offset".
        armature: True if the inertias of rotors count.
        velocity: limits in place of the description's, rad/s or m/s, one or one for each joint.
        acceleration: limits, rad/s^2 or m/s^2; none if left out.
        distance: a function of q, shape (T, n), that is not negative at admissible positions, e.g. the least distance
            to obstacles, m, shape (T,).
        criterion: "information" makes the log-determinant of the information largest (D-optimal), "deviations" then
            goes on to the least mean of the parameters' expected deviations (A-optimal, in the parameters' SI units).
        cutoff: of the low-pass with which logs will be fitted, Hz: a log has twice as many independent rows a second.
        starts: random starts.
        iterations: of L-BFGS for each weight of the limits.
        workers: threads; one a start if None.
        seed: of the random starts.

    Raises:
        IdentificationError: a robot that cannot move within its limits, or settings that make no sense.

    >>> motion = armdyn.identification.excite(armdyn.load("planar_2r"), duration=6.0, harmonics=3, starts=1)
    >>> motion.used <= 1.0
    True
    >>> q, qd, qdd = motion.at([0.0, 6.0])
    >>> bool(abs(qd).max() < 1e-12)
    True
    """
    duration = number("duration", duration, above=0.0, unit="s", error=IdentificationError)
    whole_number("harmonics", harmonics, least=1, error=IdentificationError)
    whole_number("starts", starts, least=1, error=IdentificationError)
    whole_number("iterations", iterations, least=1, error=IdentificationError)
    cutoff = number("cutoff", cutoff, above=0.0, unit="Hz", error=IdentificationError)
    unknown = [name for name in friction if name not in EXCITED]
    if unknown:
        raise IdentificationError(f"friction has {unknown[0]!r}; expected some of {', '.join(EXCITED)}")
    choice("criterion", criterion, get_args(Criterion), error=IdentificationError)
    deviations = one_or_each(robot, "noise", noise)
    refuse_constraints(robot.model, "excite", "the tree without its constraints")
    options: dict[str, Any] = {option: name in friction for name, option in EXCITED.items()} | {"armature": armature}
    base = base_parameters(robot, **options)
    bounds, notes = limits_of(robot, velocity, acceleration, distance)
    design = Design(robot, base, options, bounds, deviations, duration, harmonics)
    generators = [np.random.default_rng([seed, k]) for k in range(starts)]
    # Each start has a core; OpenBLAS would divide small products among threads that wait for those of the other starts.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers or starts) as pool:
        ended = list(pool.map(lambda generator: _optimised(design, criterion, generator, iterations), generators))
    best = min(ended, key=lambda one: one.least)
    if not np.isfinite(best.least):
        raise IdentificationError(
            f"no motion of {robot.name!r} within its limits was found: at rest in the middle of its range it uses "
            f"{100 * best.used:.0f} % of a limit. Look at effort limits below gravity, and at distance="
        )
    evaluations = sum(one.evaluations for one in ended)
    return _excitation(design, best.start, best.coefficients, best.used, 2.0 * cutoff, evaluations, notes)


def random_motions(motion: Excitation, count: int = 30, seed: int = 1) -> list[Excitation]:
    """Random series within the same limits, to compare with.

    Args:
        motion: whose robot, limits, duration, harmonics and base parameters they have.
        count: of motions.
        seed: of the random numbers.
    """
    generators = (np.random.default_rng([seed, k]) for k in range(count))
    design, rows = motion.design, motion.rows_a_second
    return [
        _excitation(design, *design.within_limits(1.6 * design.random(one)), rows, 1, motion.notes)
        for one in generators
    ]


def _excitation(
    design: Design, start: Array, c: Array, used: float, rows: float, evaluations: int, notes: tuple[str, ...]
) -> Excitation:
    return Excitation(design, start, c, rows, design.log_det(start, c), used, evaluations, notes)


class _End(NamedTuple):
    """Of one random start: the criterion of the motion within the limits, infinite if there is none."""

    least: float
    start: Array
    coefficients: Array
    used: float
    evaluations: int


def _optimised(design: Design, criterion: Criterion, generator: np.random.Generator, iterations: int) -> _End:
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    x, evaluations = design.random(generator), 0
    rounds: list[tuple[Criterion, float]] = [("information", weight) for weight in PENALTIES]
    if criterion == "deviations":
        rounds += [("deviations", weight) for weight in PENALTIES]
    settings = {"maxiter": iterations, "maxcor": 30}
    for arguments in rounds:
        solution = minimize(design.cost, x, arguments, jac=True, method="L-BFGS-B", options=settings)
        x = solution.x if np.isfinite(solution.fun) else x
        evaluations += int(solution.nfev)
    start, c, used = design.within_limits(x)
    if used > 1.0 + 1e-9:
        return _End(np.inf, start, c, used, evaluations)
    least = design.cost(np.concatenate([start, c.ravel()]), criterion, 0.0)[0]
    return _End(least, start, c, used, evaluations)
