"""The equations of motion of an arm of which each joint goes on as it does: it slips in its direction, or is held."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.load_friction import accelerations_under_load, own_coordinates
from armdyn.algorithms.load_laws import other_laws
from armdyn.algorithms.prescribed import solved_with_prescribed
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.simulation.equations import sliding_friction
from armdyn.simulation.integration.schemes import Rates
from armdyn.simulation.sticking.bristles import Bent
from armdyn.simulation.sticking.equations import directions
from armdyn.simulation.sticking.sliding_laws import sliding_under_load
from armdyn.spatial.rotations import Array


class Slide(NamedTuple):
    """What the arm does in a state.

    Args:
        x: accelerations.
        reactions: the opposite of the friction of what is held; without meaning of what slips.
        powers: of all that acts on the arm, less what friction takes, and what friction takes, W.
        loads: which joints transmit whose friction depends on it, by body.
    """

    x: Array
    reactions: Array
    powers: Array
    loads: dict[int, Any]


class SlidingArm:
    """Called by the formulas of `armdyn.simulation.integration.schemes`.

    The power is an array of two: of all that acts on the arm, less what friction takes, and what friction takes.

    Args:
        mechanism: what moves.
        slip: 1, -1 or 0 of each coordinate: slips forwards, backwards, or is held; 1 of those without dry friction.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bent: what bends beside this friction, along the step.
        near: loads nearby of the joints whose friction depends on them, in the order of the joints.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        slip: Array,
        tau: Any,
        f_tip: Any = None,
        bent: Bent | None = None,
        near: Array | None = None,
    ) -> None:
        self.bent = bent
        self.mechanism, self.bare = mechanism, mechanism.without_friction
        self.slip, self.moves, self.tau, self.f_tip = slip, slip * slip, tau, f_tip
        self.loaded = own_coordinates(mechanism.drive) or {}
        """The bodies whose friction depends on the load, and the coordinate that moves each."""
        self.without_loads = dataclasses.replace(mechanism, drive=other_laws(mechanism.drive))
        self._near: Mapping[int, Any] = {} if near is None else dict(zip(self._by_joint, near, strict=True))

    @property
    def last_loads(self) -> Array:
        """Those of the state that was looked at last, in the order of the joints."""
        return np.array([self._near[k] for k in self._by_joint], dtype=object)

    @property
    def _by_joint(self) -> list[int]:
        """The bodies whose friction depends on the load, in the order of their joints."""
        return sorted(self.loaded, key=lambda k: self.mechanism.bodies[k].joint)

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the two powers."""
        found = self.solved(q, qd)
        return found.x, found.powers

    def solved(self, q: Any, qd: Any) -> Slide:
        """What it does in a state."""
        bends, rubs = self._bends(q, qd), self.friction(qd, self.slip)
        if not self.loaded:
            bare, none = self.bare, np.zeros(self.bare.dof)
            rest = algorithms.inverse_dynamics(bare, q, qd, none, self.f_tip)
            x, reactions = solved_with_prescribed(
                bare, self.mass_matrix(q), self.moves, self.tau - bends - rubs - rest, none
            )
            return Slide(x, reactions, self._powers(q, qd, rubs + bends), {})
        arm = dataclasses.replace(self.mechanism, drive=self.under_load(self.slip))
        found = accelerations_under_load(
            arm, q, qd, self.tau - bends - rubs, self.f_tip, near=self._near, moves=self.moves
        )
        self._near = found.loads
        of_loads = arm.drive.forces([found.friction.get(k, 0.0) for k in range(len(arm.drive.terms))])
        return Slide(found.qdd, found.reactions, self._powers(q, qd, rubs + bends + of_loads), dict(found.loads))

    def _powers(self, q: Any, qd: Any, friction: Any) -> Array:
        """See above, W; what is held has none."""
        return np.array([(self.applied(q) - friction) @ qd, friction @ qd])

    def _bends(self, q: Any, qd: Any) -> Any:
        """What friction with a state of its own takes."""
        return 0.0 if self.bent is None else self.bent.forces(q, qd)

    def applied(self, q: Any) -> Array:
        """tau - J^T f_tip: what joints and surroundings put in."""
        tau: Array = self.tau
        return tau if self.f_tip is None else tau - algorithms.tip_forces(self.bare, q, self.f_tip)

    def energies_of_change(self, q: Any, kinetic: Any, moved: Array) -> Array:
        """The work and the heat of a change of kinetic energy and of a small change of positions, J.

        What is done on the arm is in K + P; what is applied and not in there is heat.
        """
        work = kinetic + algorithms.gravity_forces(self.bare, q) @ moved
        return np.array([work, self.applied(q) @ moved - work])

    def friction(self, qd: Any, slip: Any) -> Array:
        """Friction of coordinates that slip in these directions, N m or N, shape (n,), but that of loads."""
        joints = directions(self.mechanism.drive, len(self.bare.model.joints), self.mechanism.bodies, slip)
        found: Array = sliding_friction(self.without_loads, qd, joints)
        return found

    def under_load(self, slip: Any) -> Drive:
        """The drive with the friction that depends on loads alone, of coordinates that slip in these directions.

        Velocities are those before a change: it needs no functions of speeds then, which every step would compute.
        """
        return sliding_under_load(self.mechanism.drive, slip, self.slip)

    def mass_matrix(self, q: Any, rotors: Mapping[int, Any] | None = None) -> list[dict[int, Any]]:
        """M, by columns, or with other inertias of rotors of some bodies."""
        drive = self.bare.drive
        armature = tuple((rotors or {}).get(k, own) for k, own in enumerate(drive.armature))
        return dataclasses.replace(drive, armature=armature).mass_matrix(links_mass(self.bare, q))
