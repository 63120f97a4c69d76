"""The equations of motion of joints that stick and slip, traced: the mode of each joint is an input of one program.

``slip`` is 1 for a coordinate that slips forwards, -1 for one that slips backwards, 0 for one that sticks. If it sticks
its acceleration is zero, and friction is the force that this needs; if it slips, friction is that of its direction. A
motion is valid as long as no joint changes its mode: then none of its margins is negative. Constraints have to be
independent in the coordinates that move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.elements import dissipated_power
from armdyn.algorithms.factors import factored, factored_mass_matrix, links_mass
from armdyn.constraints.equations import all_equations
from armdyn.constraints.multipliers import moved_within
from armdyn.declaration import function
from armdyn.model.drive import Drive
from armdyn.model.friction import TINY
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum, minimum, select
from armdyn.simulation.elements.dry_joints import can_stick
from armdyn.simulation.equations import SOURCES, sliding_friction
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.under_load import breakaway_of_available, slid
from armdyn.spatial.rotations import Array


class Motion(NamedTuple):
    """Accelerations, power of the forces, and the friction of all coordinates."""

    qdd: Array
    power: Any
    friction: Array


def dry_coordinates(drive: Drive) -> list[int]:
    """The coordinates that move joints with dry friction."""
    return sorted({i for k, terms in enumerate(drive.terms) if can_stick(drive, k) for i, _ in terms})


def directions(drive: Drive, joints: int, bodies: Sequence[Any], slip: Array) -> Array:
    """1, -1 or 0 of every joint of the model, from those of the coordinates that move the dry ones."""
    found = np.zeros(joints, dtype=object)
    for k, (body, terms) in enumerate(zip(bodies, drive.terms, strict=True)):
        if can_stick(drive, k):
            (i, factor), *_ = terms
            found[body.joint] = np.sign(factor) * slip[i]
    return found


class Sticking:
    """The equations of motion with given modes, and the margins within which these are valid.

    Args:
        mechanism: the arm that moves.
        slip: 1, -1 or 0 for each coordinate that slips forwards, backwards or sticks; not read without dry friction.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bounds: the least and the largest friction of each coordinate at rest.
    """

    def __init__(self, mechanism: Mechanism, slip: Any, tau: Any, f_tip: Any = None, bounds: Any = None) -> None:
        self.mechanism, self.bare = mechanism, mechanism.without_friction
        self.slip, self.tau, self.f_tip, self.bounds = slip, tau, f_tip, bounds
        self.dry = dry_coordinates(mechanism.drive)
        self.moves = [slip[i] * slip[i] if i in self.dry else 1.0 for i in range(mechanism.dof)]
        self.loads: Mapping[int, Any] | None = None  # of the state that was looked at last: the next one is near

    def motion(self, q: Any, qd: Any) -> Motion:
        """Accelerations, power and friction at a state."""
        bare, drive = self.bare, self.mechanism.drive
        joints = directions(drive, len(bare.model.joints), self.mechanism.bodies, self.slip)
        if drive.depends_on_load:
            given = self.mechanism, q, qd, self.tau, joints, self.moves, np.zeros(bare.dof), self.f_tip
            found, self.loads = slid(*given, near=self.loads)
            return Motion(found.qdd, found.power, found.sliding + found.holding)
        sliding = sliding_friction(self.mechanism, qd, joints)
        rest = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), self.f_tip)
        forces, links = self.tau - sliding - rest, links_mass(bare, q)
        factors = factored(bare, bare.drive, links, self.moves)
        if bare.model.constraints:
            _, A, drift = all_equations(bare, q, qd)
            qdd, multipliers, _ = moved_within(bare, A, drift, factors, forces)
            forces = forces - A.T @ multipliers
        else:
            qdd = factors.solve(forces)
        excess = forces - bare.drive.filled(bare.drive.mass_matrix(links)) @ qdd
        holds = [(1.0 - moves) * force for moves, force in zip(self.moves, excess, strict=True)]
        friction = sliding + np.array(holds)
        applied = self.tau if self.f_tip is None else self.tau - algorithms.tip_forces(bare, q, self.f_tip)
        power = (applied - friction) @ qd + dissipated_power(self.mechanism, q, qd)
        return Motion(qdd, power, friction)

    def margins(self, friction: Array) -> list[Any]:
        """Margin of the friction of each dry coordinate that sticks to its bounds, over their width; 1 for others."""
        least, most = self.bounds
        widths = most - least
        if self.mechanism.drive.depends_on_load:  # the bounds then follow from the joint force, and may meet
            of_load = breakaway_of_available(self.mechanism, self.tau - least, self.tau - most)
            least, most = least + of_load[0], most + of_load[1]
            widths = [maximum(width, TINY) for width in most - least]
        return [
            select(
                self.moves[i],
                1.0,
                minimum(friction[i] - least[i], most[i] - friction[i]) / widths[i] + SLACK,
            )
            for i in self.dry
        ]


@function("(n),(n),(n),(n),(6)?->(n),(),(n)", sources=SOURCES)
def sticking_motion(model: Any, q: Any, qd: Any, slip: Any, tau: Any, f_tip: Any = None) -> Motion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, (..., n), power, W, (...), and friction, N m or N, (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        slip: 1, -1 or 0 of each coordinate: slips forwards, backwards, or sticks, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    return Sticking(model, slip, tau, f_tip).motion(q, qd)


@function("(n),(n),(n),(n),(6)?->(n),(n,n)", sources=SOURCES)
def let_go(model: Any, q: Any, qd: Any, slip: Any, tau: Any, f_tip: Any = None) -> tuple[Any, Any]:
    """Accelerations qdd, rad/s^2 or m/s^2, (..., n), without friction of sticking coordinates, and M^-1, (..., n, n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        slip: 1, -1 or 0 for each coordinate, as in `sticking_motion`, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    sticking = Sticking(model, slip, tau, f_tip)
    drive, bare = model.drive, sticking.bare
    sliding = sliding_friction(model, qd, directions(drive, len(bare.model.joints), model.bodies, slip))
    rest = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), f_tip)
    factors = factored_mass_matrix(bare, q)
    return factors.solve(tau - sliding - rest), factors.inverse()
