"""The equations of motion of an arm of which each joint goes on as it does: it slips in its direction, or is held."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.elements import dissipative_forces
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.holding_forces import friction_at_rest
from armdyn.algorithms.load_friction import accelerations_under_load, own_coordinates
from armdyn.algorithms.load_laws import LoadedFriction, loaded_friction, other_laws
from armdyn.algorithms.prescribed import Prescribed, solved_with_prescribed
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.program import sign
from armdyn.simulation.elements.bristles import Bent
from armdyn.simulation.equations import sliding_friction
from armdyn.simulation.sticking.slides import Bounds, Slide, Slides
from armdyn.simulation.sticking.sliding_laws import sliding_under_load
from armdyn.simulation.system.sticking import directions, dry_coordinates
from armdyn.spatial.rotations import Array


class SlidingArm(Slides):
    """A sliding arm without flexible joints, or the links of a flexible one.

    Args:
        mechanism: the arm that moves.
        qd: its velocities when the step begins.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bent: bristles in addition to this friction, along the step.
        near: initial loads of the joints whose friction depends on them, in the order of the joints.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        qd: Array,
        tau: Any,
        f_tip: Any = None,
        bent: Bent | None = None,
        near: Array | None = None,
    ) -> None:
        self.bent = bent
        self.mechanism, self.bare = mechanism, mechanism.without_friction
        self.dry, self.slip = dry_coordinates(mechanism.drive), np.ones(mechanism.dof, dtype=object)
        self.slip[self.dry] = sign(qd[self.dry])
        self.moves, self.tau, self.f_tip = self.slip * self.slip, tau, f_tip
        self.loaded, self.armature = own_coordinates(mechanism.drive) or {}, self.bare.drive.armature
        self.without_loads = dataclasses.replace(mechanism, drive=other_laws(mechanism.drive))
        self._near: Mapping[int, Any] = {} if near is None else dict(zip(self._by_joint, near, strict=True))

    @property
    def last_loads(self) -> Array:
        """Loads in the state that was evaluated last, in the order of the joints."""
        return np.array([self._near[k] for k in self._by_joint], dtype=object)

    @property
    def _by_joint(self) -> list[int]:
        """The bodies whose friction depends on the load, in the order of their joints."""
        return sorted(self.loaded, key=lambda k: self.mechanism.bodies[k].joint)

    def solved(self, q: Any, qd: Any, springs: Any = 0.0) -> Slide:
        """Accelerations and forces in a state; ``springs`` are further joint forces, whose power does not count."""
        bends, rubs = self._bends(q, qd), self.friction(qd, self.slip)
        pushes = self.tau + springs - bends - rubs
        if not self.loaded:
            bare, none = self.bare, np.zeros(self.bare.dof)
            rest = algorithms.inverse_dynamics(bare, q, qd, none, self.f_tip)
            x, reactions = solved_with_prescribed(bare, self.mass_matrix(q), self.moves, pushes - rest, none)
            return Slide(x, reactions, self.applied(q), rubs + bends - self._lost(q, qd), {})
        arm = dataclasses.replace(self.mechanism, drive=self.under_load(self.slip))
        found = accelerations_under_load(arm, q, qd, pushes, self.f_tip, near=self._near, moves=self.moves)
        self._near = found.loads
        of_loads = arm.drive.forces([found.friction.get(k, 0.0) for k in range(len(arm.drive.terms))])
        friction = rubs + bends + of_loads - self._lost(q, qd)
        return Slide(found.qdd, found.reactions, self.applied(q), friction, dict(found.loads))

    def _lost(self, q: Any, qd: Any) -> Any:
        """Forces of elements that do not come from their energy; the equations of motion have them already."""
        return dissipative_forces(self.bare, q, qd) if self.bare.elements else 0.0

    def _bends(self, q: Any, qd: Any) -> Any:
        """Forces of friction with a state of its own."""
        return 0.0 if self.bent is None else self.bent.forces(q, qd)

    def applied(self, q: Any) -> Array:
        """tau - J^T f_tip: the forces of joints and surroundings."""
        tau: Array = self.tau
        return tau if self.f_tip is None else tau - algorithms.tip_forces(self.bare, q, self.f_tip)

    def bounds(self, q: Any, qd: Any) -> Bounds:
        """Friction bounds as of `Slides`, constant for laws that do not depend on loads."""
        drive, n = self.without_loads.drive, self.mechanism.dof
        at_rest = friction_at_rest(drive, list(np.zeros(len(drive.terms))))
        backwards, forwards = (self.friction(np.zeros(n), np.full(n, side)) for side in (-1.0, 1.0))
        return Bounds(*at_rest, backwards, forwards)

    def bounds_under_load(self, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """Bounds at rest of friction under these loads, as of `Slides`."""
        drive = self.under_load(self.slip)
        return friction_at_rest(drive, [loads.get(k, 0.0) for k in range(len(drive.terms))])

    def loaded_friction(self, slip: Array, qd: Array, loads: Mapping[int, Any]) -> dict[int, LoadedFriction]:
        """Friction of slipping coordinates under these loads, as of `Slides`."""
        return loaded_friction(self.under_load(slip), self.mechanism.drive.rates(qd), loads)

    def changed(self, q: Any, rotors: Mapping[int, Any], moves: Array, impulses: Array, given: Array) -> Prescribed:
        """Changes of velocity by impulses, as of `Slides`."""
        return solved_with_prescribed(self.bare, self.mass_matrix(q, rotors), moves, impulses, given)

    def energies_of_change(self, q: Any, qd: Any, kinetic: Any, later: Any, moved: Array) -> Array:
        """Work and dissipated energy as of `Slides`: the change of K + P, and the rest of the applied work.

        K changes with M along the path too: by C moved, which is added to g in the equations of motion.
        """
        rest = algorithms.inverse_dynamics(self.bare, q, qd, np.zeros(self.bare.dof), self.f_tip)
        rest = rest + self._lost(q, qd)
        applied = self.applied(q)
        work = kinetic + (rest - (self.tau - applied)) @ moved
        return np.array([work, applied @ moved - work])

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
