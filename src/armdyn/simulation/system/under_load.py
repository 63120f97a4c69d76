"""The equations of motion if friction depends on the load, with given joints that slide and others that are held.

With the load l = M qdd + h - p of the links, p being the forces of stops and contacts, a rotor a, and d the friction
that does not depend on the load, l + f + a qdd = tau - d. A held joint has qdd = 0, and friction is tau - l. A sliding
joint has the friction of its direction, which for each t = tau - d - a qdd solves l + f(l) = t: because l + f grows
with l, there is one solution, and f is a function of t alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.elements import dissipated_power
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.load_friction import own_coordinates, solved_under_load
from armdyn.algorithms.load_laws import (
    STEPS_OF_CURVES,
    holds,
    lines,
    loaded_bodies,
    loaded_friction,
    loaded_laws,
    or_nan,
)
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.equations import all_equations
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.redundant_under_load import least_squares_under_load, rotors_before_friction
from armdyn.constraints.under_load import friction_lines, within_rows
from armdyn.declaration import function
from armdyn.model.drive import Drive
from armdyn.model.friction import TINY, FrictionLaw
from armdyn.program import derivative, maximum
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_stick
from armdyn.simulation.equations import SOURCES, sliding_friction, through_dead_points
from armdyn.spatial.rotations import Array


class UnderLoad(NamedTuple):
    """The motion of joints that slide under load.

    Args:
        qdd: accelerations, exactly zero for held coordinates.
        power: of the forces, less the power dissipated by friction.
        sliding: the friction of sliding coordinates.
        holding: the friction of held coordinates, zero for others; within constraints, their forces A^T lambda.
        hidden: the part of each rotor's inertia that the friction hides from the links, a s/(1 + s), s being the slope
            of the friction by the load.
    """

    qdd: Array
    power: Any
    sliding: Array
    holding: Array
    hidden: Array


@function("(n),(n),(n),(joints),(n),(n),(6)?->(n),(),(n),(n),(n)", sources=SOURCES)
def sliding_under_load(
    model: Any, q: Any, qd: Any, tau: Any, directions: Any, moves: Any, pushes: Any, f_tip: Any = None
) -> UnderLoad:
    """Accelerations, power, friction of sliding and of held coordinates, and hidden inertia, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        directions: as of `sliding_motion`, shape (..., joints).
        moves: 1 for each coordinate that moves, 0 for one that is held, shape (..., n); not read within constraints.
        pushes: p, forces of the coordinates that act on the links, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    return slid(model, q, qd, tau, directions, moves, pushes, f_tip)[0]


def sliding_under_load_of(robot: Robot, redundant: Redundant) -> Callable[..., UnderLoad]:
    """`sliding_under_load` of a robot: compiled, or if constraints may depend on each other, by least squares."""
    if not robot.model.constraints:
        return robot.compile(sliding_under_load)
    if redundant == "error":
        return through_dead_points(robot, redundant, robot.compile(sliding_under_load))
    forces, rates_of, lines = map(robot.compile, (available_forces, sliding_rates, friction_lines))
    rotors = rotors_before_friction(robot.mechanism)

    def by_least_squares(
        q: Array, qd: Array, tau: Array, directions: Array, moves: Array, pushes: Array, f_tip: Array | None = None
    ) -> UnderLoad:
        wrench = () if f_tip is None else (f_tip,)
        available, h = forces(q, qd, tau, directions, *wrench)
        M, A, target = robot.mass_matrix(q), robot.constraint_jacobian(q), -robot.constraint_drift(q, qd)
        at_rates = partial(lines, rates_of(qd, directions))
        found = least_squares_under_load(at_rates, rotors, M, A, available, h - pushes, target, DRIFTED)
        sliding = tau - available + found.friction
        applied = tau if f_tip is None else tau - robot.tip_forces(q, f_tip)
        power = np.einsum("...i,...i->...", applied - sliding, qd)
        against = available - found.friction - h + pushes - np.einsum("...ij,...j->...i", M, found.qdd)
        return UnderLoad(found.qdd, power, sliding, against, found.hidden)

    return through_dead_points(robot, redundant, by_least_squares)


@function("(n),(n),(n),(joints),(6)?->(n),(n)", sources=SOURCES)
def available_forces(model: Any, q: Any, qd: Any, tau: Any, directions: Any, f_tip: Any = None) -> tuple[Any, Any]:
    """tau - d and h, N m or N, shape (..., n) each; arguments as of `sliding_under_load`.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        directions: as of `sliding_motion`, shape (..., joints).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    return _available(model, q, qd, tau, directions, f_tip)


@function("(n),(joints)->(n)", sources=SOURCES)
def sliding_rates(model: Any, qd: Any, directions: Any) -> Any:
    """The rates of coordinates in whose joints friction depends on the load, rad/s or m/s, shape (..., n); else 0.

    Args:
        qd: joint velocities, rad/s or m/s, shape (..., n).
        directions: as of `sliding_motion`, shape (..., joints).
    """
    found, rates = np.zeros(model.dof, dtype=object), _sliding_rates(model, qd, directions)
    for k, i in (own_coordinates(model.drive) or {}).items():
        found[i] = rates[k]
    return found


@function("(n),(n)->(n),(n)", sources=SOURCES)
def friction_of_available(model: Any, available: Any, rates: Any) -> tuple[Any, Any]:
    """Friction f that depends on the load, N m or N, and its slope df/dt, shape (..., n) each, with l + f(l) = t.

    Args:
        available: t, the joint force available for load and friction, N m or N, shape (..., n).
        rates: of the coordinates, rad/s or m/s, shape (..., n).
    """

    def force(laws: list[FrictionLaw], i: int, load: Any) -> Any:
        return sum(law.force(rates[i], load) for law in laws)

    return _shared(model.drive, available, force)


@function("(n),(n)->(n),(n),(n),(n)", sources=SOURCES)
def breakaway_of_available(model: Any, backwards: Any, forwards: Any) -> tuple[Any, Any, Any, Any]:
    """The least and the largest friction that depends on the load at rest, and their slopes by t, shape (..., n) each.

    Args:
        backwards: t of the least, with l + f(l) = t, N m or N, shape (..., n).
        forwards: t of the largest, likewise.
    """
    least, slopes_of_least = _shared(
        model.drive, backwards, lambda laws, i, load: sum(law.at_rest(load)[0] for law in laws)
    )
    most, slopes_of_most = _shared(
        model.drive, forwards, lambda laws, i, load: sum(law.at_rest(load)[1] for law in laws)
    )
    return least, most, slopes_of_least, slopes_of_most


def slid(
    model: Any,
    q: Any,
    qd: Any,
    tau: Any,
    directions: Any,
    moves: Any,
    pushes: Any,
    f_tip: Any = None,
    *,
    near: Mapping[int, Any] | None = None,
) -> tuple[UnderLoad, Mapping[int, Any]]:
    """`sliding_under_load`, and the loads by body; ``near`` are those of a state close by (`solved_under_load`)."""
    bare, drive = model.without_friction, model.drive
    coordinates, rates = own_coordinates(drive), _sliding_rates(model, qd, directions)
    available, h = _available(model, q, qd, tau, directions, f_tip)
    h, links, within = h - pushes, links_mass(bare, q), None
    if model.model.constraints:
        _, A, drift = all_equations(model, q, qd)
        moves, within = None, within_rows(model, A, drift)
    how: dict[str, Any] = {"moves": moves, "near": near, "within": within}
    found = solved_under_load(model, coordinates, links, available, h, rates, **how)  # type: ignore[arg-type]
    sliding, hidden = tau - available, np.zeros(bare.dof, dtype=object)
    for k, friction in loaded_friction(drive, rates, found.loads).items():
        i = coordinates[k]  # type: ignore[index]
        sliding[i] = sliding[i] + friction.force
        hidden[i] = drive.armature[k] * friction.slope * friction.passed
    if within is None:
        excess = available - h - bare.drive.filled(bare.drive.mass_matrix(links)) @ found.qdd
        holding = np.array([(1.0 - moves[i]) * excess[i] for i in range(bare.dof)])
    else:
        holding = A.T @ found.reactions[: len(A)]
    applied = tau if f_tip is None else tau - algorithms.tip_forces(bare, q, f_tip)
    power = (applied - sliding) @ qd + dissipated_power(model, q, qd)
    return UnderLoad(found.qdd, power, sliding, holding, hidden), found.loads


def _available(model: Any, q: Any, qd: Any, tau: Any, directions: Any, f_tip: Any) -> tuple[Array, Array]:
    """tau - d and h."""
    bare = model.without_friction
    h = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), f_tip)
    return tau - sliding_friction(model, qd, directions), h


def _sliding_rates(model: Any, qd: Any, directions: Any) -> Array:
    """The rates of the bodies' joints; of joints that can stick, those of their direction past zero too."""
    rates = model.drive.rates(qd)
    for k, body in enumerate(model.bodies):
        if can_stick(model.drive, k):
            s = directions[body.joint]
            rates[k] = s * maximum(s * rates[k], TINY)
    return np.asarray(rates)


def _shared(drive: Drive, available: Any, force: Callable[[list[FrictionLaw], int, Any], Any]) -> tuple[Array, Array]:
    """f and df/dt of every coordinate; zero of those without friction that depends on the load."""
    coordinates, n = own_coordinates(drive) or {}, drive.size
    friction, slopes = np.zeros(n, dtype=object), np.zeros(n, dtype=object)
    for k in loaded_bodies(drive):
        i, laws = coordinates[k], loaded_laws(drive, k)
        count = lines(drive, k)
        steps = STEPS_OF_CURVES if count is None else count + 1

        def of_load(x: Array, laws: list[FrictionLaw] = laws, i: int = i) -> Array:
            return np.array([force(laws, i, x[0]) + 0.0 * x[0]], dtype=object)

        friction[i], slopes[i] = _of_one(of_load, available[i], steps)
    return friction, slopes


def _of_one(force: Callable[[Array], Array], t: Any, steps: int) -> tuple[Any, Any]:
    """f and df/dt = s/(1 + s) with l + f(l) = t, by Newton's method: l = (t - (f - s l))/(1 + s); NaN if not found."""
    load = t
    for _ in range(steps):
        f, s = _with_slope(force, load)
        load = (t - (f - s * load)) / (1.0 + s)
    f, s = _with_slope(force, load)
    found = or_nan(holds([t, -load, -f]))
    return f * found, s / (1.0 + s)


def _with_slope(force: Callable[[Array], Array], load: Any) -> tuple[Any, Any]:
    x = np.array([load, 0.0], dtype=object)[:1]
    return force(x)[0], derivative(force, x)[0, 0]
