"""Forward dynamics with friction that depends on the load that a joint transmits to its links.

With the load l = M qdd + h of the links, a rotor a on the drive's side of the friction f, and d all other friction,

    l + f(qd, l) + a qdd + d = tau.

At a load l_k the friction is f_k + s_k (l - l_k); with phi_k = 1 + s_k and c_k = f_k - s_k l_k this is

    (M + a/phi_k) qdd = (tau - d - c_k)/phi_k - h,    l_(k+1) = (tau - d - c_k - a qdd)/phi_k,

forward dynamics with other rotors: Newton's method, semi-smooth because f has kinks. Laws give 1/phi_k and c_k/phi_k. M
+ a/phi is positive definite, and l + f grows with l, so that there is one solution. For friction that is the largest of
m straight lines of the load a joint without a rotor needs m steps at most, each of which is a line further on, and the
result is exact. Otherwise the number of steps is one that has sufficed for random arms, and the residual of the first
equation is checked.

A joint that friction holds at rest has qdd = 0 in place of its equation, whose residual is the friction; laws without
friction there keep it out of the steps.

Within constraints A qdd = b the load is l = M qdd + h + A^T lambda, so that A^T lambda is on the left of the first
equation, and each step solves the equations of frictionless arms (`armdyn.constraints.under_load`).

This module is for joints that move by themselves. `armdyn.algorithms.coupled_loads` has the others: joints that are
coupled, and joints that turn rotors which are bodies of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.coupled_loads import accelerations_of_coupled
from armdyn.algorithms.factors import Factors, factored, links_mass
from armdyn.algorithms.load_laws import (
    STEPS_OF_CURVES,
    LoadedFriction,
    NewtonStep,
    holds,
    lines,
    loaded_bodies,
    loaded_friction,
    or_nan,
    other_laws,
    steps_made,
    until_settled,
)
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.algorithms.prescribed import solved_with_prescribed
from armdyn.base.exact import is_zero
from armdyn.base.threads import cached_property
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

STEPS = 6
"""Iterations of Newton's method if rotors are on the drive's side of friction that is piecewise linear in the load."""

Within = Callable[[Factors, Array], tuple[Array, Array]]
"""Accelerations by joint forces within constraints, from the factors of M, and further results."""


class UnderLoad(NamedTuple):
    """Accelerations that agree with the friction of the loads they cause, and the equations' linear part there.

    Args:
        qdd: the accelerations, (n,).
        loads: the loads of the joints with such friction, by body.
        solve: the change of qdd by joint forces, a vector or the columns of a matrix: (d tau/d qdd)^-1 times these.
        friction: that depends on these loads, by body.
        reactions: minus the forces that hold the coordinates at rest, (n,); without meaning at the others. Within
            constraints, the further results of `Within`.
    """

    qdd: Array
    loads: Mapping[int, Any]
    solve: Callable[[Array], Array]
    friction: Mapping[int, Any]
    reactions: Array


def accelerations_under_load(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    *wrenches_and_base: Array | None,
    near: Mapping[int, Any] | None = None,
    moves: Sequence[Any] | Array | None = None,
    within: Within | None = None,
) -> UnderLoad:
    """The accelerations caused by joint forces, with friction that depends on the load.

    Args:
        mechanism: whose drive depends on the load.
        q: joint positions.
        qd: joint velocities.
        tau: joint forces.
        wrenches_and_base: f_tip, base_twist, base_twist_rate and f_ext of `inverse_dynamics`.
        near: loads with which Newton's method begins, e.g. those of a state close by; a guess if left out. They
            decide how many steps are needed, and the result to rounding only.
        moves: 1 for each coordinate that moves, 0 for one that is held at rest, whose laws give no friction there; all
            move if left out. Only with `own_coordinates`.
        within: moves the arm within constraints, in place of ``moves``. Only with `own_coordinates`.
    """
    coordinates = own_coordinates(mechanism.drive)
    if coordinates is None:
        return UnderLoad(*accelerations_of_coupled(mechanism, q, qd, tau, *wrenches_and_base, near=near))
    options: dict[str, Any] = {"near": near, "moves": moves, "within": within}
    return _of_single_joints(mechanism, coordinates, q, qd, tau, *wrenches_and_base, **options)


def _of_single_joints(
    mechanism: Mechanism,
    coordinates: dict[int, int],
    q: Array,
    qd: Array,
    tau: Array,
    *wrenches_and_base: Array | None,
    **options: Any,
) -> UnderLoad:
    """The solution if each joint whose friction depends on the load is moved by a coordinate of its own."""
    drive = mechanism.drive
    rates, at_rest = drive.rates(qd), np.zeros(mechanism.dof)
    h = inverse_dynamics(mechanism.without_friction, q, qd, at_rest, *wrenches_and_base)
    tau = tau - drive.forces(other_laws(drive).friction_forces(rates, [0.0] * len(rates)))  # tau - d
    links = links_mass(mechanism, q)
    return solved_under_load(mechanism, coordinates, links, tau, h, rates, **options)


def solved_under_load(
    mechanism: Mechanism,
    coordinates: Mapping[int, int],
    links: list[dict[int, Any]],
    tau: Array,
    h: Array,
    rates: Array,
    *,
    moves: Sequence[Any] | Array | None = None,
    near: Mapping[int, Any] | None = None,
    within: Within | None = None,
) -> UnderLoad:
    """The solution of the equations by Newton's method, from their terms.

    Args:
        mechanism: whose drive depends on the load.
        coordinates: `own_coordinates` of the drive.
        links: the mass matrix of the links without rotors, as `links_mass` gives it.
        tau: joint forces without friction independent of the load, tau - d.
        h: forces on the links at zero acceleration.
        rates: rates of the bodies' joints, at which their friction is in the equations.
        moves: as of `accelerations_under_load`.
        near: loads with which Newton's method begins.
        within: as of `accelerations_under_load`.
    """
    drive = mechanism.drive

    def linearised(friction: Mapping[int, LoadedFriction]) -> Linearised:
        return Linearised.of(mechanism, coordinates, links, friction, moves, within)

    def step(friction: Mapping[int, LoadedFriction], loads: Mapping[int, Any]) -> NewtonStep:
        qdd, reactions, found = linearised(friction).step(tau, h)
        return NewtonStep.of(drive, rates, friction, qdd, found, reactions)

    loads, is_exact = near or _first_guess(drive, coordinates, links, tau, h), _is_exact(drive, coordinates)
    start, steps = loaded_friction(drive, rates, loads), steps_needed(drive, coordinates)

    def checked(last: NewtonStep) -> NewtonStep:
        cancelled = np.zeros(len(tau)) if within is None else _cancelled(drive, coordinates, links, tau, h)
        solved = _solved(drive, coordinates, last.friction, tau, last.qdd, last.loads, cancelled)
        return last.where(solved, constrained=within is not None)

    if is_exact:  # loads without rotors do not depend on the accelerations
        found = steps_made(step, start, loads, steps)
    else:
        straight = checked if steps == STEPS else None
        found = until_settled(step, start, loads, steps, near=bool(near), checked=straight)
    if steps == STEPS_OF_CURVES:
        found = checked(found)
    qdd, loads, friction = found.qdd, found.loads, found.friction
    forces, solve = {k: own.force for k, own in friction.items()}, linearised(friction).solve
    if moves is not None:  # a held coordinate transmits tau and the reaction
        loads = {k: loads[k] + (1.0 - moves[i]) * found.reactions[i] for k, i in coordinates.items()}
    return UnderLoad(qdd, loads, solve, forces, found.reactions)


def _first_guess(
    drive: Drive, coordinates: Mapping[int, int], links: list[dict[int, Any]], tau: Array, h: Array
) -> dict[int, Any]:
    """Loads with which Newton's method begins: without friction, and as if the other joints did not accelerate."""
    loads = {}
    for k, i in coordinates.items():
        M, rotor = links[k][k], drive.armature[k]
        loads[k] = tau[i] if is_zero(rotor) else h[i] + (tau[i] - h[i]) * M / (M + rotor)
    return loads


@dataclass(frozen=True, eq=False)
class Linearised:
    """The equations with the friction of straight lines, c + s l of the loads l.

    Args:
        mechanism: the arm.
        drive: its drive with the rotors a/phi.
        links: the mass matrix without rotors.
        coordinates: the bodies with such friction, and the one coordinate that moves each.
        reciprocal: 1/phi = 1/(1 + s), by coordinate.
        kept: c/phi, by coordinate.
        moves, within: as of `accelerations_under_load`.
    """

    mechanism: Mechanism
    drive: Drive
    links: list[dict[int, Any]]
    coordinates: Mapping[int, int]
    reciprocal: Array
    kept: Array
    moves: Sequence[Any] | Array | None
    within: Within | None = None

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        coordinates: Mapping[int, int],
        links: list[dict[int, Any]],
        friction: Mapping[int, LoadedFriction],
        moves: Sequence[Any] | Array | None = None,
        within: Within | None = None,
    ) -> Linearised:
        """The linearised equations at this friction; ``links`` is the mass matrix without rotors."""
        rotors = list(mechanism.drive.armature)
        reciprocal, kept = np.ones(mechanism.dof, dtype=object), np.zeros(mechanism.dof, dtype=object)
        for k, i in coordinates.items():
            reciprocal[i], kept[i] = friction[k].passed, friction[k].kept
            rotors[k] = rotors[k] * reciprocal[i]
        drive = dataclasses.replace(mechanism.drive, armature=tuple(rotors))
        return cls(mechanism, drive, links, coordinates, reciprocal, kept, moves, within)

    @cached_property
    def factors(self) -> Factors:
        """The factors of M + a/phi."""
        return factored(self.mechanism, self.drive, self.links, self.moves)

    def step(self, tau: Array, h: Array) -> tuple[Array, Array, dict[int, Any]]:
        """The accelerations, the reactions, and the loads, from joint forces less other friction, tau - d."""
        passed = tau * self.reciprocal - self.kept
        (qdd, reactions), rotors = self._moved(passed - h), self.drive.armature
        return qdd, reactions, {k: passed[i] - rotors[k] * qdd[i] for k, i in self.coordinates.items()}

    def _moved(self, pushed: Array) -> tuple[Array, Array]:
        """The accelerations, and the reactions of the held coordinates."""
        none = np.zeros(len(pushed))
        if self.within is not None:
            return self.within(self.factors, pushed)
        if self.moves is None:
            return self.factors.solve(pushed), none
        return solved_with_prescribed(self.mechanism, self.drive.mass_matrix(self.links), self.moves, pushed, none)

    def solve(self, forces: Array) -> Array:
        """(d tau/d qdd)^-1 times joint forces, with d tau/d qdd = phi (M + a/phi)."""
        return self.factors.solve((forces.T * self.reciprocal).T)


def own_coordinates(drive: Drive) -> dict[int, int] | None:
    """The bodies whose friction depends on the load, with the one coordinate that moves each, and no other body.

    The result is None if one of them is coupled to others, or turns a rotor that is a body of its own.
    """
    result = {}
    for k in loaded_bodies(drive):
        moved_by = drive.terms[k]
        i = moved_by[0][0] if moved_by else None
        others = (j for j, row in enumerate(drive.terms) if j != k and any(i == moving for moving, _ in row))
        if i is None or moved_by != ((i, 1.0),) or next(others, None) is not None:
            return None
        result[k] = i
    return result


def steps_needed(drive: Drive, coordinates: Mapping[int, int]) -> int:
    """The number of steps of Newton's method."""
    of_bodies = [lines(drive, k) for k in coordinates]
    if None in of_bodies:
        return STEPS_OF_CURVES
    return max(of_bodies) if _is_exact(drive, coordinates) else STEPS  # type: ignore[type-var, return-value]


def _is_exact(drive: Drive, coordinates: Mapping[int, int]) -> bool:
    """True if the steps end at the solution: no rotors, and friction of straight lines."""
    return all(is_zero(drive.armature[k]) and lines(drive, k) is not None for k in coordinates)


def _solved(
    drive: Drive,
    coordinates: Mapping[int, int],
    friction: Mapping[int, LoadedFriction],
    tau: Array,
    qdd: Array,
    loads: Mapping[int, Any],
    cancelled: Array,
) -> Any:
    """1 if every joint's equation holds, else NaN; ``cancelled`` as of `holds`, by coordinate."""
    solved = 1.0
    for k, i in coordinates.items():
        terms = tau[i], -drive.armature[k] * qdd[i], -loads[k], -friction[k].force
        solved = solved * holds(terms, cancelled[i])
    return or_nan(solved)


def _cancelled(
    drive: Drive, coordinates: Mapping[int, int], links: list[dict[int, Any]], tau: Array, h: Array
) -> Array:
    """The rotor's inertial force, by coordinate, at an acceleration that constraints may have cancelled.

    (|tau| + |h|) in the metric of M^-1 is that of the arm without them, with M replaced by its diagonal.
    """
    columns = drive.mass_matrix(links)
    M = [columns[place][place] for place in map(drive.order.index, range(len(tau)))]
    size = np.sqrt(sum((abs(a) + abs(b)) * (abs(a) + abs(b)) / m for a, b, m in zip(tau, h, M, strict=True)))
    cancelled = np.zeros(len(tau), dtype=object)
    for k, i in coordinates.items():
        cancelled[i] = drive.armature[k] * size / np.sqrt(M[i])
    return cancelled
