"""Forward dynamics with friction that depends on the load that a joint transmits to its links.

With the load l = M qdd + h of the links, a rotor a on the drive's side of the friction f, and d all other friction,

    l + f(qd, l) + a qdd + d = tau.

At a load l_k the friction is f_k + s_k (l - l_k); with phi_k = 1 + s_k and c_k = f_k - s_k l_k this is

    (M + a/phi_k) qdd = (tau - d - c_k)/phi_k - h,    l_(k+1) = (tau - d - c_k - a qdd)/phi_k,

forward dynamics with other rotors, of which `armdyn.algorithms.load_newton` makes steps. Laws give 1/phi_k and
c_k/phi_k. M + a/phi is positive definite, and l + f grows with l, so that there is one solution. For friction that is
the largest of m straight lines of the load a joint without a rotor needs m steps at most, each of which is a line
further on, and the result is exact. Otherwise the number of steps is one that has sufficed for random arms, and the
residual of the first equation is checked.

A joint that friction holds at rest has qdd = 0 in place of its equation, whose residual is the friction; laws without
friction there keep it out of the steps.

Within constraints A qdd = b the load is l = M qdd + h + A^T lambda, so that A^T lambda is on the left of the first
equation, and each step solves the equations of frictionless arms (`armdyn.constraints.under_load`).

These equations are for joints that move by themselves. `armdyn.algorithms.coupled_loads` has the others: joints that
are coupled, and joints that turn rotors which are bodies of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.algorithms.coupled_loads import CoupledLoads
from armdyn.algorithms.factors import Factors, factored, links_mass
from armdyn.algorithms.load_laws import LoadedFriction, lines, loaded_bodies, other_friction
from armdyn.algorithms.load_newton import (
    STEPS_OF_CURVES,
    LinearSolution,
    LoadEquations,
    NewtonStep,
    SolutionUnderLoad,
    holds,
    solution_under_load,
)
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

STEPS = 6
"""Iterations of Newton's method if rotors are on the drive's side of friction that is piecewise linear in the load."""

Within = Callable[[Factors, Array], tuple[Array, Array]]
"""Accelerations by joint forces within constraints, from the factors of M, and further results."""


def accelerations_under_load(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    *wrenches_and_base: Array | None,
    near: Mapping[int, Scalar] | None = None,
    moves: Sequence[Scalar] | Array | None = None,
    within: Within | None = None,
) -> SolutionUnderLoad:
    """The accelerations caused by joint forces, with friction that depends on the load.

    Args:
        mechanism: whose drive depends on the load.
        q: joint positions.
        qd: joint velocities.
        tau: joint forces.
        wrenches_and_base: f_tip, base_twist, base_twist_rate and f_ext of `inverse_dynamics`.
        near: loads with which Newton's method begins, as of `solution_under_load`.
        moves: as of `OwnLoads`; only with `own_coordinates`.
        within: as of `OwnLoads`; only with `own_coordinates`.
    """
    coordinates = own_coordinates(mechanism.drive)
    if coordinates is None:
        return solution_under_load(CoupledLoads.at(mechanism, q, qd, tau, *wrenches_and_base), near)
    drive, rates = mechanism.drive, mechanism.drive.rates(qd)
    h = inverse_dynamics(mechanism.without_friction, q, qd, np.zeros(mechanism.dof), *wrenches_and_base)
    available = tau - drive.forces(other_friction(drive, rates))
    links = links_mass(mechanism, q)
    return OwnLoads(mechanism, coordinates, links, available, h, rates, moves, within).solution(near)


@dataclass(frozen=True, eq=False)
class OwnLoads(LoadEquations):
    """The equations if a coordinate of its own moves each joint whose friction depends on the load.

    Args:
        mechanism: whose drive depends on the load.
        coordinates: `own_coordinates` of the drive.
        links: the mass matrix of the links without rotors, as `links_mass` gives it.
        tau: joint forces without friction independent of the load, tau - d.
        h: forces on the links at zero acceleration.
        rates: rates of the bodies' joints, at which their friction is in the equations.
        moves: 1 for each coordinate that moves, 0 for one that is held at rest, whose laws give no friction there; all
            move if left out.
        within: moves the arm within constraints, in place of ``moves``.
    """

    mechanism: Mechanism
    coordinates: Mapping[int, int]
    links: list[dict[int, Scalar]]
    tau: Array
    h: Array
    rates: Array
    moves: Sequence[Scalar] | Array | None = None
    within: Within | None = None

    def solution(self, near: Mapping[int, Scalar] | None = None) -> SolutionUnderLoad:
        """The solution by Newton's method; ``near`` as of `solution_under_load`."""
        result = solution_under_load(self, near)
        if self.moves is None:
            return result
        reactions = {k: (1.0 - self.moves[i]) * result.reactions[i] for k, i in self.coordinates.items()}
        loads = {k: load + reactions[k] for k, load in result.loads.items()}  # tau and the reaction
        return result._replace(loads=loads)

    @property
    def check_all(self) -> bool:
        """True for curves; on straight lines a settled step is exact."""
        return self.curved

    @property
    def constrained(self) -> bool:
        """True if the reactions are forces of constraints."""
        return self.within is not None

    @property
    def is_exact(self) -> bool:
        """True for straight lines without rotors: loads do not depend on the accelerations."""
        return not self.curved and all(is_zero(self.drive.armature[k]) for k in self.coordinates)

    @property
    def steps(self) -> int:
        """The number of steps of Newton's method."""
        if self.curved:
            return STEPS_OF_CURVES
        return max(lines(self.drive, k) or 0 for k in self.coordinates) if self.is_exact else STEPS

    def first_loads(self) -> dict[int, Scalar]:
        """Loads without friction, and as if the other joints did not accelerate."""
        loads = {}
        for k, i in self.coordinates.items():
            M, rotor = self.links[k][k], self.drive.armature[k]
            free = self.tau[i] - self.h[i]
            loads[k] = self.tau[i] if is_zero(rotor) else self.h[i] + free * M / (M + rotor)
        return loads

    def linear_solution(self, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Scalar]) -> LinearSolution:
        """The solution with the straight lines of the friction at loads."""
        gain, offset = np.ones(self.mechanism.dof, dtype=object), np.zeros(self.mechanism.dof, dtype=object)
        for k, i in self.coordinates.items():
            gain[i], offset[i] = friction[k].gain, friction[k].offset
        on_links = self.tau * gain - offset
        drive = self._drive_before(friction)
        qdd, reactions = self._accelerations(factored(self.mechanism, drive, self.links, self.moves), on_links - self.h)
        new = {k: on_links[i] - drive.armature[k] * qdd[i] for k, i in self.coordinates.items()}
        return LinearSolution(qdd, reactions, new)

    def _drive_before(self, friction: Mapping[int, LoadedFriction]) -> Drive:
        """The drive with the rotors a/phi."""
        rotors = list(self.drive.armature)
        for k in self.coordinates:
            rotors[k] = rotors[k] * friction[k].gain
        return dataclasses.replace(self.drive, armature=tuple(rotors))

    def _accelerations(self, factors: Factors, pushed: Array) -> tuple[Array, Array]:
        """The accelerations, and the reactions."""
        if self.within is not None:
            return self.within(factors, pushed)
        if self.moves is not None:
            return factors.with_reactions(pushed)
        return factors.solve(pushed), np.zeros(len(pushed))

    def response(self, friction: Mapping[int, LoadedFriction]) -> Callable[[Array], Array]:
        """(d tau/d qdd)^-1 times joint forces, with d tau/d qdd = phi (M + a/phi)."""

        def solve(forces: Array) -> Array:
            gain = np.ones(self.mechanism.dof, dtype=object)
            for k, i in self.coordinates.items():
                gain[i] = friction[k].gain
            factors = factored(self.mechanism, self._drive_before(friction), self.links, self.moves)
            return factors.solve((forces.T * gain).T)

        return solve

    def conditions(self, step: NewtonStep) -> Iterator[Scalar]:
        """1 for each joint whose equation holds, else 0."""
        cancelled = self._cancelled_forces() if self.constrained else np.zeros(self.mechanism.dof)
        for k, i in self.coordinates.items():
            rotor = -self.drive.armature[k] * step.qdd[i]
            yield holds((self.tau[i], rotor, -step.loads[k], -step.friction[k].force), cancelled[i])

    def _cancelled_forces(self) -> Array:
        """The rotor's inertial force, by coordinate, at an acceleration that constraints may have cancelled.

        (|tau| + |h|) in the metric of M^-1 is that of the arm without them, with M replaced by its diagonal.
        """
        columns, order = self.drive.mass_matrix(self.links), self.drive.order
        M = [columns[place][place] for place in map(order.index, range(len(order)))]
        sizes = zip(self.tau, self.h, M, strict=True)
        size = np.sqrt(sum((abs(a) + abs(b)) * (abs(a) + abs(b)) / m for a, b, m in sizes))
        cancelled = np.zeros(len(M), dtype=object)
        for k, i in self.coordinates.items():
            cancelled[i] = self.drive.armature[k] * size / np.sqrt(M[i])
        return cancelled


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
