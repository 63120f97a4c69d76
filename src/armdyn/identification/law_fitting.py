"""`fit_law`: the numbers of friction laws that are not linear in them, from velocities and friction torques.

The Levenberg-Marquardt method lowers the sum of squares |y - K f(qd, l, p)|^2 with the compiled derivatives of f by the
numbers p, and K a filter of both sides, if there is one. Steps are damped in units of each column's size, so that a
number of 1e4 and one of 1e-3 count alike, and a step ends on the bound of a number that would leave it. Several starts
of the numbers with a minimum of their own keep it out of the nearest valley.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.servo_friction import ServoFriction
from armdyn.base.checks import array, whole_number
from armdyn.base.errors import UnknownName, excerpt
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.identification.errors import IdentificationError
from armdyn.identification.fit import ConfidenceInterval
from armdyn.identification.friction_terms import SIGN_WIDTH
from armdyn.identification.intervals import NORMAL, autocovariance_of
from armdyn.identification.law_models import ABOVE_ZERO, LawModel, LawNumber, quantities_of
from armdyn.model.friction import FrictionLaw
from armdyn.spatial.rotations import Array

Laws = FrictionLaw | Sequence[FrictionLaw]

STARTS = {"speed": (1.0, 0.25, 4.0), "steepness": (1.0, 0.25, 4.0), "exponent": (1.0,)}
"""Factors of the first values from which a fit starts, for numbers with minima of their own."""

STEPS = 200
"""Steps of one start, at most."""

SETTLED = 1e-13
"""The decrease of the cost, relative to it, and the step, relative to the numbers, that end a start."""

LARGEST_FACTOR = 0.7
"""The largest change in one step of the logarithm of a number above zero, such as a Stribeck speed."""

SMOOTHED = 0.01
"""The width of the smooth sign is this part of the largest speed of samples, or down to a tenth of that."""

LARGEST_PART = 0.95
"""The largest part of a motor's torque that a servo's friction takes."""


@dataclass(frozen=True, eq=False)
class LawFit(Tabulated):
    """Friction laws with fitted numbers.

    Args:
        laws: with them.
        names: of all numbers, such as "Stribeck.speed".
        values: of them.
        deviations: of them; 0 of those that were not fitted, infinite of those that the samples do not determine.
        rms: the root of the mean square of the residual, N m or N.
        first_rms: the RMS residual of the first values.
        steps: of the method, of all starts.
    """

    laws: tuple[FrictionLaw, ...]
    names: tuple[str, ...]
    values: Array
    deviations: Array
    rms: float
    first_rms: float
    steps: int = field(default=0)

    @property
    def intervals(self) -> Mapping[str, ConfidenceInterval]:
        """The interval of 95 % of each number, by name."""
        wide = NORMAL * self.deviations
        return {
            name: ConfidenceInterval(float(value - w), float(value + w))
            for name, value, w in zip(self.names, self.values, wide, strict=True)
        }

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise UnknownName.of("number", name, self.names, "these laws")
        return float(self.values[self.names.index(name)])

    def table(self) -> TextTable:
        """The numbers with their intervals."""
        rows = [
            (name, f"{value:.4g}", f"{low:.4g}", f"{high:.4g}")
            for (name, (low, high)), value in zip(self.intervals.items(), self.values, strict=True)
        ]
        title = f"Friction: residual {self.rms:.3g} N m or N, {self.first_rms:.3g} with the first values"
        return TextTable(("number", "fit", "95 % from", "to"), rows, "lrrr", title)


def fit_law(
    laws: Laws,
    rate: ArrayLike,
    force: ArrayLike,
    *,
    load: ArrayLike | None = None,
    free: Sequence[str] | None = None,
    lags: int = 0,
) -> LawFit:
    """The numbers of friction laws from samples of a joint: velocity, friction torque and load.

    Args:
        laws: one law or several, which are added, with the first values of their numbers.
        rate: qd, rad/s or m/s, shape (T,).
        force: friction torque, N m or N, shape (T,).
        load: torque that the joint transmits to its links, N m or N, shape (T,); needed by laws that depend on it.
        free: the numbers that are fitted, such as ("static", "speed") or "Viscous.coefficient"; all that are not zero
            at first, without exponents, if None. A number that is zero stays zero, so that a law of servos keeps its
            kind, M1 to M6; equal numbers of M3 and M4 stay equal.
        lags: samples over which the residuals' autocorrelation counts in the intervals.

    Raises:
        IdentificationError: fewer samples than numbers, or none that move.
        UnknownName: a number that the laws do not have.
        Unsupported: a law that is not a formula of numbers.

    >>> from armdyn.actuators import Stribeck, Viscous
    >>> qd = np.concatenate([np.linspace(-2.0, -0.05, 100), np.linspace(0.05, 2.0, 100)])
    >>> tau = Stribeck(3.0, 2.0, 0.15).force(qd, 0.0) + 0.4 * qd
    >>> first = [Stribeck(1.0, 0.8, 0.5), Viscous(1.0)]
    >>> result = armdyn.identification.fit_law(first, qd, tau)
    >>> [round(result[name], 3) for name in ("Stribeck.static", "Stribeck.kinetic", "Stribeck.speed")]
    [3.0, 2.0, 0.15]
    """
    qd = array("rate", rate, ("T",), "velocities, rad/s or m/s", finite=IdentificationError)
    y = array("force", force, qd.shape, "friction torques, N m or N", finite=IdentificationError)
    l = np.zeros_like(qd) if load is None else array("load", load, qd.shape, "N m or N", finite=IdentificationError)  # noqa: E741
    whole_number("lags", lags, least=0, error=IdentificationError)
    each = tuple_of(laws)
    if load is None and any(law.depends_on_load for law in each):
        raise IdentificationError("a law depends on the load of the joint, and load= is left out; pass the torques")
    return fit_laws_through_filter(each, [(qd, l)], y, lambda x: x, free, lags, _width_for(qd))


def _width_for(rate: Array) -> float:
    """A power of ten for the width of the smooth sign: laws are compiled for it; at most that of joints that turn."""
    fastest = float(np.abs(rate).max(initial=0.0))
    return SIGN_WIDTH if fastest == 0.0 else min(SIGN_WIDTH, 10.0 ** np.floor(np.log10(SMOOTHED * fastest)))


def fit_laws_through_filter(
    laws: Sequence[FrictionLaw],
    samples: Sequence[tuple[Array, Array]],
    y: Array,
    through: Callable[[Array], Array],
    free: Sequence[str] | None = None,
    lags: int = 0,
    width: float = SIGN_WIDTH,
) -> LawFit:
    """The numbers of laws from samples that a filter maps to the rows y.

    Args:
        laws: with first values.
        samples: velocities and loads before the filter, in pieces.
        y: friction torques after the filter, shape (rows,).
        through: the filter: an array of all samples, shape (T, k), to rows, shape (rows, k).
        free: as of `fit_law`.
        lags: as of `fit_law`.
        width: of the smooth sign, rad/s or m/s.
    """
    problem = _LawProblem.of(laws, samples, y, through, free, width)
    first = problem.first
    best, steps = problem.lowered(first)
    for factors in problem.starts():
        tried, more = problem.lowered(problem.inside(first * factors))
        steps += more
        if problem.cost(tried) < problem.cost(best):
            best = tried
    residual, J = problem.residual(best)
    return LawFit(
        problem.laws_of(best), problem.names, best, problem.deviations(best, residual, J, lags),
        float(np.sqrt(np.mean(residual**2))), float(np.sqrt(2.0 * problem.cost(first) / len(y))), steps,
    )  # fmt: skip


@dataclass(eq=False)
class _LawProblem:
    """Least squares of the numbers of laws."""

    laws: tuple[FrictionLaw, ...]
    model: LawModel
    names: tuple[str, ...]
    first: Array
    free: Array
    least: Array
    rate: Array
    load: Array
    y: Array
    through: Callable[[Array], Array]
    ties: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        laws: Sequence[FrictionLaw],
        samples: Sequence[tuple[Array, Array]],
        y: Array,
        through: Callable[[Array], Array],
        free: Sequence[str] | None,
        width: float,
    ) -> _LawProblem:
        if not laws:
            raise IdentificationError("laws is empty; expected a friction law with first values, or several")
        if any(not isinstance(law, FrictionLaw) for law in laws):
            raise IdentificationError(
                f"laws is {excerpt(laws)}; expected friction laws, such as armdyn.actuators.Stribeck"
            )
        quantities = quantities_of(laws)
        names = tuple(f"{type(laws[each.law]).__name__}.{each.field}" for each in quantities)
        first = np.array([getattr(laws[each.law], each.field) for each in quantities], dtype=np.float64)
        chosen = _mask(names, free) if free is not None else (first != 0.0) & _no_exponents(quantities)
        model = LawModel(laws, chosen, width)
        rate, load = (np.concatenate(part) for part in zip(*samples, strict=True))
        if len(y) <= chosen.sum():
            raise IdentificationError(f"{len(y)} samples for {int(chosen.sum())} numbers; expected more samples")
        if not np.abs(rate).max(initial=0.0) > 0.0:
            raise IdentificationError("no sample moves: rate is zero throughout; record the joint at several speeds")
        least = np.array([each.least for each in model.quantities])
        ties = _ties(laws, quantities, chosen, first)
        problem = cls(tuple(laws), model, names, first, chosen, least, rate, load, y, through, ties)
        problem.first = problem.inside(first)
        return problem

    def residual(self, p: Array) -> tuple[Array, Array]:
        """y - K f, and the derivatives of K f by the numbers that are free."""
        force, slopes = self.model(self.rate, self.load, p)
        for follower, leader in self.ties:
            slopes[:, self._column(leader)] += slopes[:, self._column(follower)]
        followers = [self._column(follower) for follower, _ in self.ties]
        rows = self.through(np.column_stack([force, np.delete(slopes, followers, axis=1)]))
        return self.y - rows[:, 0], rows[:, 1:]

    def _column(self, place: int) -> int:
        """The column of a free number among those of all free numbers."""
        return int(self.free[:place].sum())

    @property
    def unknowns(self) -> Array:
        """The places of the numbers that are free, without those that follow another."""
        return np.setdiff1d(np.flatnonzero(self.free), [follower for follower, _ in self.ties])

    def cost(self, p: Array) -> float:
        """Half the sum of squares."""
        force = self.through(self.model(self.rate, self.load, p)[0][:, None])[:, 0]
        return 0.5 * float(np.sum((self.y - force) ** 2))

    def inside(self, p: Array) -> Array:
        """The numbers within their bounds."""
        p = np.maximum(p, self.least)
        for follower, leader in self.ties:
            p[follower] = p[leader]
        for place in range(len(self.laws)):
            own = {each.field: k for k, each in enumerate(self.model.quantities) if each.law == place}
            if "static" in own and "kinetic" in own:
                p[own["static"]] = max(p[own["static"]], p[own["kinetic"]])
            for name in ("motor", "external"):
                if name in own and f"{name}_stribeck" in own:
                    pair = [own[name], own[f"{name}_stribeck"]]
                    p[pair] *= min(1.0, LARGEST_PART / max(float(p[pair].sum()), 1e-12))
        return p

    def starts(self) -> list[Array]:
        """Factors of the first values, after the first values themselves."""
        choices = [
            STARTS.get(each.field, (1.0,)) if is_free else (1.0,)
            for each, is_free in zip(self.model.quantities, self.free, strict=True)
        ]
        return [np.array(each) for each in itertools.product(*choices)][1:]

    def lowered(self, p: Array) -> tuple[Array, int]:
        """The minimum by the Levenberg-Marquardt method from p, and the number of steps."""
        damping, p = 1e-3, p.copy()
        places = self.unknowns
        by_factor = np.array([self.model.quantities[k].field in ABOVE_ZERO for k in places], dtype=bool)
        residual, J = self._scaled(p, places, by_factor)
        cost = 0.5 * float(residual @ residual)
        for step in range(STEPS):
            gradient = -(J.T @ residual)
            blocked = (p[places] <= self.least[places]) & (gradient > 0.0)
            sizes = np.maximum(np.linalg.norm(J, axis=0), np.finfo(float).tiny)
            moved = False
            while damping < 1e12:
                direction = np.zeros(len(places))
                damped = np.vstack([J / sizes, np.sqrt(damping) * np.eye(len(places))])[:, ~blocked]
                right = np.concatenate([residual, np.zeros(len(places))])
                direction[~blocked] = np.linalg.lstsq(damped, right, rcond=None)[0] / sizes[~blocked]
                tried = p.copy()
                factors = np.exp(np.clip(direction, -LARGEST_FACTOR, LARGEST_FACTOR))
                tried[places] = np.where(by_factor, p[places] * factors, p[places] + direction)
                tried = self.inside(tried)
                lower = self.cost(tried)
                if np.isfinite(lower) and lower < cost:
                    damping, moved = max(damping * 0.2, 1e-15), True
                    break
                damping *= 4.0
            if not moved:
                return p, step
            change = np.abs(tried - p).max() / max(float(np.abs(p).max()), 1e-12)
            done = cost - lower <= SETTLED * cost or change <= SETTLED
            p = tried
            residual, J = self._scaled(p, places, by_factor)
            cost = 0.5 * float(residual @ residual)
            if done:
                return p, step + 1
        return p, STEPS

    def _scaled(self, p: Array, places: Array, by_factor: Array) -> tuple[Array, Array]:
        """The residual, and the derivatives by the logarithms of numbers that are changed by a factor."""
        residual, J = self.residual(p)
        return residual, J * np.where(by_factor, p[places], 1.0)

    def deviations(self, p: Array, residual: Array, J: Array, lags: int) -> Array:
        """Standard deviations of the numbers, with the residuals' autocorrelation."""
        sizes = np.linalg.norm(J, axis=0)
        seen = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
        result, places = np.zeros(len(p)), self.unknowns
        result[places[~seen]] = np.inf
        scaled = J[:, seen] / sizes[seen]
        inverse = np.linalg.pinv(scaled.T @ scaled, rcond=1e-12)
        scores = scaled * residual[:, None]
        count = max(len(residual) - int(seen.sum()), 1)
        covariance = inverse @ autocovariance_of(scores, lags) @ inverse * (len(residual) / count)
        result[places[seen]] = np.sqrt(np.maximum(np.diag(covariance), 0.0)) / sizes[seen]
        for follower, leader in self.ties:
            result[follower] = result[leader]
        return result

    def laws_of(self, p: Array) -> tuple[FrictionLaw, ...]:
        """The laws with these numbers."""
        changed: list[dict[str, Any]] = [{} for _ in self.laws]
        for each, value in zip(self.model.quantities, p, strict=True):
            changed[each.law][each.field] = float(value)
        return tuple(replace(law, **numbers) for law, numbers in zip(self.laws, changed, strict=True))  # type: ignore[type-var]


def _ties(
    laws: Sequence[FrictionLaw], quantities: Sequence[LawNumber], free: Array, first: Array
) -> list[tuple[int, int]]:
    """Numbers of servos' laws that are one: M3 and M4 have K_m = K_e and K_ms = K_es."""
    ties: list[tuple[int, int]] = []
    for place, law in enumerate(laws):
        if not isinstance(law, ServoFriction):
            continue
        own = {each.field: k for k, each in enumerate(quantities) if each.law == place}
        if law.motor_quadratic or law.external_quadratic:
            continue
        pairs = [(own["external"], own["motor"]), (own["external_stribeck"], own["motor_stribeck"])]
        if all(first[a] == first[b] for a, b in pairs):
            ties += [(a, b) for a, b in pairs if free[a] and free[b]]
    return ties


def tuple_of(laws: object, owner: str = "laws") -> tuple[FrictionLaw, ...]:
    """One law or several as a tuple.

    Raises:
        IdentificationError: something else.
    """
    each = tuple(laws) if isinstance(laws, Sequence) and not isinstance(laws, str) else (laws,)
    if any(not isinstance(law, FrictionLaw) for law in each):
        raise IdentificationError(f"{owner} is {excerpt(laws)}; expected friction laws, e.g. armdyn.actuators.Stribeck")
    return each


def _no_exponents(quantities: Sequence[LawNumber]) -> Array:
    return np.array([each.field != "exponent" for each in quantities], dtype=bool)


def _mask(names: tuple[str, ...], free: Sequence[str]) -> Array:
    """The numbers that ``free`` names, by their names with or without that of the law."""
    mask = np.zeros(len(names), dtype=bool)
    for name in [free] if isinstance(free, str) else free:
        own = [k for k, each in enumerate(names) if name in (each, each.partition(".")[2])]
        if not own:
            raise UnknownName.of("number", name, names, "free=")
        mask[own] = True
    return mask
