"""Arms with flexible joints between their stops and contacts, with links that stick and rotors that stick.

The springs' forces follow from the state. Given these, the links are a rigid arm of their own, whose joint forces are
those of the springs, and of the motors at rigid joints; and each rotor is a mass by itself,

    M(q) qdd + h + friction = tau_J or tau,      B thetadd + friction = tau - tau_J.

So the sticking links and the forces of stops and contacts are determined as for any rigid arm
(`armdyn.simulation.system.pushing`), and if the friction of rigid joints depends on their load as for any such arm
(`armdyn.simulation.system.pushing_under_load`). An impact changes the velocities of the links by their M alone: the
spring's force is finite, and the impulse does not reach the rotor. A rotor at rest sticks if friction can
take tau - tau_J. The load of its friction is the force of its spring: then the bounds of the friction that holds it
follow from the state too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places
from armdyn.model.friction import TINY, FrictionLaw, is_dry
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.elements.springs import BetweenSprings, between_springs
from armdyn.simulation.elements.stops import Barriers, Contact, Stops
from armdyn.simulation.system.bounded import Holding
from armdyn.simulation.system.coordinates import parted
from armdyn.simulation.system.pushing import MOVES, Forces, Mode, Pushing, Rates, refuse_lost
from armdyn.simulation.system.pushing_under_load import pushing_of
from armdyn.spatial.rotations import Array

OF_ROUNDING = 4.0 * float(np.finfo(float).eps)
"""Rounding error of the deflection, over the positions of rotor and link."""


class FlexiblePushing(Pushing):
    """An arm with flexible joints between the barriers of its links, whose links and rotors can stick.

    Positions are stacked, (q, theta of the flexible joints). Rows are those of the barriers, of links that can stick
    and of rotors that can.

    Args:
        robot: with springs.
        stops: of its links.
        contacts: of points of its links.
    """

    def __init__(self, robot: Robot, stops: Stops | None = None, contacts: Sequence[Contact] = ()) -> None:
        self.robot, self.joints, self.places = robot, flexible_joints(robot.mechanism), flexible_places(robot.model)
        self._around = stops, contacts
        self.n = robot.dof
        self.rigid = [k for k in range(self.n) if k not in self.places]
        self.dof = self.n + len(self.joints)
        side = _without_rotors(robot)
        self.links = pushing_of(side, Barriers(side, stops, contacts), DryJoints.of(side), "error")
        self.barriers = Barriers(side, stops, contacts, self.dof)
        self.inertias = np.array([float(joint.inertia) for joint in self.joints])
        self._between, self._energy = robot.compile(between_springs), robot.flexible_kinetic_energy
        of_joints = [[law for law in joint.laws if is_dry(law)] for joint in self.joints]
        self.laws = {k: laws for k, laws in enumerate(of_joints) if laws}
        without_load = {k: laws for k, laws in self.laws.items() if not any(law.depends_on_load for law in laws)}
        self._constant = {k: _dry_forces(laws, 0.0) for k, laws in without_load.items()}
        """The friction of rotors that does not depend on the load."""
        self.rubbing = list(self.laws)
        """The flexible joints whose rotors can stick, by their place among these."""
        self.dry = self._with_rotors(self.links.dry)
        self.is_joint = np.arange(len(self.barriers) + len(self.dry)) >= len(self.barriers)
        loaded = [k for k, joint in enumerate(self.joints) if any(law.depends_on_load for law in joint.laws)]
        self.kinks = [k for k in loaded if not self.joints[k].spring.is_loose]
        self.touches = np.zeros(self.n)
        """1 and -1 for joints whose rotor and link touch at an end of their backlash gap; the motion keeps it."""

    def of(self, robot: Robot) -> FlexiblePushing:
        """The equations of an arm with another set of engaged brakes."""
        return FlexiblePushing(robot, *self._around)

    def _with_rotors(self, links: DryJoints) -> DryJoints:
        """The joints that can stick at the links and, after them, the rotors: in stacked positions.

        Signs have the directions of every joint of the model and, after them, those of the rotors.
        """
        first, joints, f = len(links), links.signs.shape[1], len(self.joints)
        m = first + len(self.rubbing)
        rows, signs = np.zeros((m, self.dof)), np.zeros((m, joints + f))
        rows[:first, : self.n], signs[:first, :joints] = links.rows, links.signs
        rows[first:, self.n :] = signs[first:, joints:] = np.eye(f)[self.rubbing]
        known = (links.least, links.most, links.least_sliding, links.most_sliding)
        own = self._dry_forces(np.zeros(f))
        least, most, backwards, forwards = (np.concatenate(pair) for pair in zip(known, own, strict=True))
        coordinates = [self.robot.model.coordinates[self.places[k]] for k in self.rubbing]
        names = [*links.names, *(f"{coordinate.name} rotor" for coordinate in coordinates)]
        return DryJoints(names, rows, least, most, backwards, forwards, signs)

    def mass_matrix(self, q: Array) -> Array:
        """The mass matrix of links and rotors, block by block."""
        M = np.zeros((self.dof, self.dof))
        M[: self.n, : self.n] = self.links.mass_matrix(q[: self.n])
        rotors = np.arange(self.n, self.dof)
        M[rotors, rotors] = self.inertias
        return M

    def constraint_rows(self, q: Array) -> Array:
        """The constraint rows of the links; rotors have no part in them."""
        A: Array = self.robot.constraint_jacobian(q[: self.n])
        return np.hstack([A, np.zeros((len(A), len(self.joints)))])

    def kinetic_energy(self, q: Array, qd: Array) -> float:
        """The kinetic energy of links and rotors, J."""
        (q, _), (qd, thetad) = self.parted(q), self.parted(qd)
        return float(self._energy(q, qd, thetad))

    def parted(self, x: Array) -> tuple[Array, Array]:
        """q and theta, or their rates, of every joint."""
        return parted(x, self.n, self.places)

    def rates(self, q: Array, qd: Array, acting: Forces, mode: Mode, *, shared: bool = False) -> Rates:
        """Rates as of a rigid arm for the links; friction balances the whole force on a rotor that sticks."""
        on = self._forces(q, qd, acting, mode.slip)
        links = self.links.rates(*self._of_links(q, qd, acting, on), self._parts(mode)[0], shared=shared)
        excess, friction = on.excess[self.places], on.friction[self.places]
        stuck = self._rotors_of(self.held_rotors(mode))
        friction[stuck] = excess[stuck]
        qdd = np.concatenate([links.qdd, (excess - friction) / self.inertias])
        return Rates(qdd, links.power + float(on.power), links.push, np.concatenate([links.friction, friction]))

    def holding(self, q: Array, qd: Array, acting: Forces, mode: Mode) -> Holding:
        """The forces that hold links and rotors, with their bounds."""
        on, stuck = self._forces(q, qd, acting, mode.slip), self.held_rotors(mode)
        links = self.links.holding(*self._of_links(q, qd, acting, on), self._parts(mode)[0])
        which = self._rotors_of(stuck)
        inertias, (least, most) = self.inertias[which], self._bounds_of_rotors(q, on.links[self.places])
        apart = np.zeros((len(links.B), len(which))), np.zeros((len(which), len(links.b)))
        B = np.block([[links.B, apart[0]], [apart[1], np.diag(1.0 / np.sqrt(inertias))]])
        b = np.concatenate([links.b, on.excess[self.places][which] / inertias])
        low, high = np.concatenate([links.low, -most[stuck]]), np.concatenate([links.high, -least[stuck]])
        return Holding(B, b, low, high)

    def decided(self, q: Array, qd: Array, acting: Forces, resting: Array, slip: Array) -> Mode:
        """The mode as of `Pushing.decided`: the links together, each rotor by itself."""
        on, (of_links, rotors) = self._forces(q, qd, acting, slip), self._parts(Mode(resting, slip))
        links = self.links.decided(*self._of_links(q, qd, acting, on), *of_links)
        excess, (least, most) = on.excess[self.places][self.rubbing], self._bounds_of_rotors(q, on.links[self.places])
        refuse_lost(self.robot, excess / self.inertias[self.rubbing])
        left = excess - np.clip(excess, least, most)
        starts = np.where(np.abs(left) > MOVES * np.abs(excess), np.sign(left), 0).astype(int)
        held, ways = rotors.held & (starts == 0), np.where(rotors.held, starts, rotors.slip)
        return Mode(np.concatenate([links.held, held]), np.concatenate([links.slip, ways]))

    def loads(self, x: Array, xd: Array) -> list[float]:
        """tau_J, the forces of the springs, N m or N."""
        found = []
        for place, joint in enumerate(self.joints, start=self.n):
            i = joint.coordinate
            deflection, rate = x[place] - x[i], xd[place] - xd[i]
            found.append(float(joint.spring.pressed_force(deflection, rate, self.touches[i])))
        return found

    def _forces(self, x: Array, xd: Array, acting: Forces, slip: Array) -> BetweenSprings:
        """The forces of springs on the links, and the forces on the rotors."""
        (q, theta), (qd, thetad) = self.parted(x), self.parted(xd)
        directions = np.zeros(self.n)
        directions[self.places] = self.dry.directions(slip)[-len(self.joints) :]
        return BetweenSprings(*self._between(q, qd, theta, thetad, acting[0], directions, self.touches))

    def _of_links(self, x: Array, xd: Array, acting: Forces, on: BetweenSprings) -> tuple[Array, Array, Forces]:
        """State of the links and the forces on them."""
        return x[: self.n], xd[: self.n], (on.links, *acting[1:])

    def held_rotors(self, mode: Mode) -> Array:
        """True for each rotor, of those that can stick, that sticks."""
        return self._parts(mode)[1].held

    def _parts(self, mode: Mode) -> tuple[Mode, Mode]:
        """The mode of links and their barriers, and that of rotors."""
        rows, joints = len(self.links.is_joint), len(self.links.dry)
        return Mode(mode.held[:rows], mode.slip[:joints]), Mode(mode.held[rows:], mode.slip[joints:])

    def _rotors_of(self, which: Array) -> Array:
        """The flexible joints of some of the rotors that can stick, by their place among all."""
        return np.array(self.rubbing, dtype=int)[which]

    def _bounds_of_rotors(self, x: Array, loads: Array) -> tuple[Array, Array]:
        """The least and the largest friction of rotors at rest, of all that can stick.

        Friction under a load that is rounding alone, e.g. of a spring at rest, is zero, and holds forces of rounding
        alone.
        """
        least, most, *_ = self._dry_forces(loads)
        little = np.zeros(len(self.rubbing))
        for place, k in enumerate(self.rubbing):
            joint = self.joints[k]
            if any(law.depends_on_load for law in joint.laws):
                theta, q, side = x[self.n + k], x[joint.coordinate], self.touches[joint.coordinate]
                near = theta - q + OF_ROUNDING * (abs(theta) + abs(q))
                known, other = (joint.spring.pressed_elastic_force(e, side) for e in (theta - q, near))
                little[place] = abs(other - known)
        return least - little, most + little

    def _dry_forces(self, loads: Array) -> Array:
        """The least and the largest friction of rotors at rest under loads, and that with which they slip either way.

        Of all rotors that can stick, shape (4, rotors).
        """
        constant = self._constant
        of_rotors = [
            constant[k] if k in constant else _dry_forces(laws, float(loads[k])) for k, laws in self.laws.items()
        ]
        return np.reshape(of_rotors, (-1, 4)).T


def _without_rotors(robot: Robot) -> Robot:
    """The arm after its springs; friction of the joints themselves is kept."""
    joints = (j.replace(actuator=None, armature=0.0) if j.has_spring else j for j in robot.model.joints)
    return Robot(robot.model.replace(joints=tuple(joints)))


def _dry_forces(laws: list[FrictionLaw], load: float) -> list[float]:
    """The least and the largest friction of a rotor at rest under a load, and that with which it slips either way."""
    least, most = (sum(float(law.at_rest(load)[side]) for law in laws) for side in (0, 1))
    return [least, most, *(sum(float(law.force(way, load)) for law in laws) for way in (-TINY, TINY))]
