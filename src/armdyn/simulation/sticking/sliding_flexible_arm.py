"""An arm with flexible joints of which each link and rotor goes on as it does: it slips in its direction, or is held.

Positions are stacked, (q, theta of the flexible joints). The springs' forces follow from the state, and changes of
velocity do not change them. So the links are a rigid arm (`armdyn.simulation.sticking.sliding_arm`) on which the
springs act, each rotor is a mass by itself, and the load of its friction is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import FlexibleJoint, flexible_joints, links_side
from armdyn.algorithms.load_laws import LoadedFriction
from armdyn.algorithms.prescribed import Prescribed
from armdyn.model.friction import is_dry
from armdyn.model.mechanism import Mechanism
from armdyn.program import sign
from armdyn.simulation.elements.bristles import Bent
from armdyn.simulation.elements.springs import rotor_friction
from armdyn.simulation.sticking.slides import Bounds, Slide, Slides
from armdyn.simulation.sticking.sliding_arm import SlidingArm
from armdyn.simulation.system.coordinates import parted
from armdyn.spatial.rotations import Array


class SlidingFlexibleArm(Slides):
    """A sliding arm with flexible joints; its friction includes the damping of its springs.

    Args:
        mechanism: the arm that moves.
        xd: its velocities when the step begins.
        tau: forces of the motors at the joints, held.
        f_tip: the wrench at the tip, held.
        bent: bristles in addition to the other friction, along the step, by positions of the rotors.
        near: as of `SlidingArm`, of rigid joints.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        xd: Array,
        tau: Any,
        f_tip: Any = None,
        bent: Bent | None = None,
        near: Array | None = None,
    ) -> None:
        self.joints, self.n, self.bent = flexible_joints(mechanism), mechanism.dof, bent
        self.places = [joint.coordinate for joint in self.joints]
        on_links = np.array(tau, dtype=object)
        self.motors, on_links[self.places] = on_links[self.places], 0.0
        self.links = SlidingArm(links_side(mechanism, self.joints), xd[: self.n], on_links, f_tip, near=near)
        self.inertias = np.array([joint.inertia for joint in self.joints], dtype=object)
        rubs = [k for k, joint in enumerate(self.joints) if any(map(is_dry, joint.laws))]
        self.of_rotors = np.ones(len(self.joints), dtype=object)
        self.of_rotors[rubs] = sign(xd[self.n :][rubs])
        self.dry = [*self.links.dry, *(self.n + k for k in rubs)]
        self.slip = np.concatenate([self.links.slip, self.of_rotors])
        self.loaded, self.armature = self.links.loaded, self.links.armature

    @property
    def last_loads(self) -> Array:
        """The loads that were computed last, as of `Slides`."""
        return self.links.last_loads

    def solved(self, x: Any, xd: Any) -> Slide:
        """Accelerations and forces as of `Slides`; the reactions of rotors follow from motors and springs."""
        (_, theta), (qd, thetad) = parted(x, self.n, self.places), parted(xd, self.n, self.places)
        bends = np.zeros(self.n, dtype=object) if self.bent is None else self.bent.forces(theta, thetad)
        springs = self._springs(x, xd)
        on_links = -bends
        on_links[self.places] = springs
        links = self.links.solved(x[: self.n], qd, on_links)
        rates = thetad[self.places]
        rubs = self._friction(rates, springs, self.of_rotors)
        left = self.motors - springs - bends[self.places] - rubs
        damping = springs - self._elastic_forces(x)
        on_rotors = rubs + bends[self.places] + damping
        bends[self.places] = -damping  # the links' side: that of rigid joints, and what the damping gives the links
        rotors = self.of_rotors * self.of_rotors * left / self.inertias
        reactions = np.concatenate([links.reactions, -left])
        return Slide(
            np.concatenate([links.x, rotors]),
            reactions,
            np.concatenate([links.applied, self.motors]),
            np.concatenate([links.friction + bends, on_rotors]),
            links.loads,
        )

    def _bending(self, x: Any, joint: FlexibleJoint, k: int) -> Any:
        """theta - q of a flexible joint, or its rate."""
        return x[self.n + k] - x[joint.coordinate]

    def _springs(self, x: Any, xd: Any) -> Array:
        """tau_J of each flexible joint, N m or N."""
        forces = [
            joint.spring.force(self._bending(x, joint, k), self._bending(xd, joint, k))
            for k, joint in enumerate(self.joints)
        ]
        return np.array(forces, dtype=object)

    def _elastic_forces(self, x: Any) -> Array:
        """Forces of the springs without their damping."""
        forces = [joint.spring.elastic_force(self._bending(x, joint, k)) for k, joint in enumerate(self.joints)]
        return np.array(forces, dtype=object)

    def _friction(self, rates: Any, springs: Array, slip: Any) -> Array:
        """Friction of each rotor that slips in a direction, under the force of its spring, N m or N."""
        given = zip(self.joints, rates, springs, slip, strict=True)
        return np.array([rotor_friction(joint.laws, *own) for joint, *own in given], dtype=object)

    def bounds(self, x: Any, xd: Any) -> Bounds:
        """Friction bounds as of `Slides`; those of rotors are under the forces of their springs."""
        springs, f = self._springs(x, xd), len(self.joints)
        at_rest = [_at_rest(joint, load) for joint, load in zip(self.joints, springs, strict=True)]
        least, most = np.array(at_rest, dtype=object).T
        ways = (self._friction(np.zeros(f), springs, np.full(f, side)) for side in (-1.0, 1.0))
        of_links = self.links.bounds(x[: self.n], xd[: self.n])
        return Bounds(*(np.concatenate(both) for both in zip(of_links, (least, most, *ways), strict=True)))

    def bounds_under_load(self, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """Bounds at rest of friction under these loads, as of `Slides`; those of the links, 0 for rotors."""
        least, most = (np.append(own, np.zeros(len(self.joints))) for own in self.links.bounds_under_load(loads))
        return least, most

    def loaded_friction(self, slip: Array, xd: Array, loads: Mapping[int, Any]) -> dict[int, LoadedFriction]:
        """Friction of slipping coordinates under these loads, as of `Slides`; that of the links."""
        return self.links.loaded_friction(slip[: self.n], xd[: self.n], loads)

    def changed(self, x: Any, rotors: Mapping[int, Any], moves: Array, impulses: Array, given: Array) -> Prescribed:
        """Changes of velocity as of `Slides`: the links together, each rotor by itself."""
        n = self.n
        links = self.links.changed(x[:n], rotors, moves[:n], impulses[:n], given[:n])
        alone = moves[n:] * impulses[n:] / self.inertias + given[n:]
        reactions = self.inertias * given[n:] - impulses[n:]
        return Prescribed(np.concatenate([links.x, alone]), np.concatenate([links.reactions, reactions]))

    def energies_on(self, x: Any, first: Slide, path: Array) -> Array:
        """Work and dissipated energy as of `Slides`; springs store the difference of their energies at its ends."""
        bent, bends = ([self._bending(of, joint, k) for k, joint in enumerate(self.joints)] for of in (x, path))
        more = sum(
            joint.spring.energy(a + b) - joint.spring.energy(a) - joint.spring.elastic_force(a) * b
            for joint, a, b in zip(self.joints, bent, bends, strict=True)
        )
        found: Array = first.energies(path) + np.array([more, -more])
        return found

    def energies_of_change(self, x: Any, xd: Any, kinetic: Any, later: Any, moved: Array) -> Array:
        """Work and dissipated energy as of `Slides`; the energy that springs store is part of the work on the arm."""
        rotors = moved[self.n :]
        stored = sum(
            joint.spring.energy(self._bending(later + moved, joint, k))
            - joint.spring.energy(self._bending(later, joint, k))
            for k, joint in enumerate(self.joints)
        )
        of_links = self.links.energies_of_change(x[: self.n], xd[: self.n], kinetic, later[: self.n], moved[: self.n])
        return np.add(of_links, [stored, self.motors @ rotors - stored], dtype=object)


def _at_rest(joint: FlexibleJoint, load: Any) -> tuple[Any, Any]:
    """The least and the largest friction of a rotor at rest under a load, N m or N."""
    dry = [law.at_rest(load) for law in joint.laws if is_dry(law)]
    return sum(least for least, _ in dry), sum(most for _, most in dry)
