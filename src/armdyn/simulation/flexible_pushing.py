"""Arms with flexible joints under dry friction: links that stick and rotors that stick.

Positions x = (q, theta of the flexible joints) make such an arm one whose mass matrix is

    blockdiag(M(q) of the links, B_1, ..., B_f of the rotors),

with forces of motors, gravity, friction and springs. So what sticks is decided as for a rigid arm (see
`armdyn.simulation.pushing`): the rotors each by itself, the links together. The load of a rotor's friction is the force
of its spring, which the state gives: then the bounds of what holds it do so too.
"""

from __future__ import annotations

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places
from armdyn.model.friction import TINY, FrictionLaw
from armdyn.robot import Robot
from armdyn.simulation.dry_joints import DryJoints, is_dry
from armdyn.simulation.flexible import parted, stacked
from armdyn.simulation.flexible_equations import mass_matrix_of_links, sliding_flexible_motion
from armdyn.simulation.pushing import Bounds, Forces, Mode, Pushing, Rates
from armdyn.simulation.stops import Barriers
from armdyn.spatial.rotations import Array


class FlexiblePushing(Pushing):
    """An arm with flexible joints whose links and rotors can stick; positions are stacked.

    Args:
        robot: with springs.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot, self.joints, self.places = robot, flexible_joints(robot.mechanism), flexible_places(robot.model)
        self.n = robot.dof
        self.rigid = [k for k in range(self.n) if k not in self.places]
        self.dof = self.n + len(self.joints)
        self.barriers = Barriers(robot, None, (), self.dof)
        self.inertias = np.array([float(joint.inertia) for joint in self.joints])
        self._flexible, self._mass_matrix = robot.compile(sliding_flexible_motion), robot.compile(mass_matrix_of_links)
        self._energy = robot.flexible_kinetic_energy
        links = DryJoints.of(_without_rotors(robot))
        of_joints = [[law for law in joint.laws if is_dry(law)] for joint in self.joints]
        self.laws = {k: laws for k, laws in enumerate(of_joints) if laws}
        self.dry = self._with_rotors(links)
        self.is_joint = np.ones(len(self.dry), dtype=bool)
        self.of_rotors = np.arange(len(self.dry)) >= len(links)
        self.low, self.high = -self.dry.most, -self.dry.least
        self.low_sliding, self.high_sliding = -self.dry.most_sliding, -self.dry.least_sliding
        loaded = [k for k, joint in enumerate(self.joints) if any(law.depends_on_load for law in joint.laws)]
        self.loaded, self.kinks = bool(loaded), [k for k in loaded if not self.joints[k].spring.is_loose]
        self.touches = np.zeros(self.n)
        """1 and -1 of the joints whose rotor and link touch at an end of their play; the motion keeps it."""

    def _with_rotors(self, links: DryJoints) -> DryJoints:
        """What sticks at the links, and behind it the rotors: in stacked positions.

        Signs have the directions of every joint of the model and, behind them, those of the rotors by coordinate.
        """
        first, joints, m = len(links), links.signs.shape[1], len(links) + len(self.laws)
        rows, signs = np.zeros((m, self.dof)), np.zeros((m, joints + self.n))
        rows[:first, : self.n], signs[:first, :joints] = links.rows, links.signs
        places = [self.joints[k].coordinate for k in self.laws]
        for row, (k, coordinate) in enumerate(zip(self.laws, places, strict=True), start=first):
            rows[row, self.n + k] = signs[row, joints + coordinate] = 1.0
        own = np.reshape([_dry_forces(laws, 0.0) for laws in self.laws.values()], (-1, 4)).T
        known = (links.least, links.most, links.least_sliding, links.most_sliding)
        least, most, backwards, forwards = (np.concatenate(pair) for pair in zip(known, own, strict=True))
        names = [f"{self.robot.model.coordinates[place].name} rotor" for place in places]
        return DryJoints([*links.names, *names], rows, least, most, backwards, forwards, signs)

    def mass_matrix(self, q: Array) -> Array:
        """That of links and rotors."""
        M = np.zeros((self.dof, self.dof))
        M[: self.n, : self.n] = self._mass_matrix(q[: self.n])
        rotors = np.arange(self.n, self.dof)
        M[rotors, rotors] = self.inertias
        return M

    def kinetic_energy(self, q: Array, qd: Array) -> float:
        """That of links and rotors, J."""
        (q, _), (qd, thetad) = self.parted(q), self.parted(qd)
        return float(self._energy(q, qd, thetad))

    def parted(self, x: Array) -> tuple[Array, Array]:
        """q and theta, or their rates, of every joint."""
        return parted(x, self.n, self.places)

    def bounds(self, q: Array, qd: Array) -> Bounds:
        """Of the forces of all rows, at the springs' forces in a state."""
        known = super().bounds(q, qd)
        if not self.loaded:
            return known
        loads, first = self.loads(q, qd), int(np.count_nonzero(~self.of_rotors))
        of_rotors = [_dry_forces(laws, loads[k]) for k, laws in self.laws.items()]
        least, most, backwards, forwards = np.reshape(of_rotors, (-1, 4)).T
        own = (-most, -least, -forwards, -backwards)
        return Bounds(*(np.concatenate([bound[:first], now]) for bound, now in zip(known, own, strict=True)))

    def rates(self, q: Array, qd: Array, acting: Forces, mode: Mode, *, shared: bool = False) -> Rates:
        """As of a rigid arm for what sticks at the links; friction takes the whole force on a rotor that sticks."""
        rotors = mode.held & self.of_rotors
        found = super().rates(q, qd, acting, mode._replace(held=mode.held & ~rotors), shared=shared)
        if rotors.any():
            places = self.dry.coordinates(rotors)
            found.friction[places] += self.inertias[places - self.n] * found.qdd[places]
            found.qdd[places] = 0.0
        return found

    def loads(self, x: Array, xd: Array) -> list[float]:
        """tau_J, the forces of the springs, N m or N."""
        found = []
        for place, joint in enumerate(self.joints, start=self.n):
            i = joint.coordinate
            deflection, rate = x[place] - x[i], xd[place] - xd[i]
            found.append(float(joint.spring.pressed_force(deflection, rate, self.touches[i])))
        return found

    def _without_held(self, q: Array, qd: Array, acting: Forces, slip: Array) -> tuple[Array, float, Array]:
        """Accelerations, power and friction of links and rotors without the forces of what is held."""
        tau, *f_tip = acting
        (q, theta), (qd, thetad) = self.parted(q), self.parted(qd)
        directions = self.dry.directions(slip)
        of_links, of_rotors = directions[: -self.n], directions[-self.n :]
        found = self._flexible(q, qd, theta, thetad, tau, of_links, of_rotors, self.touches, *f_tip)
        qdd, thetadd, power, friction, behind = found
        return stacked(qdd, thetadd, self.places), float(power), stacked(friction, behind, self.places)


def _without_rotors(robot: Robot) -> Robot:
    """The arm behind its springs: what rubs in the joints themselves stays."""
    joints = (j.replace(actuator=None, armature=0.0) if j.has_spring else j for j in robot.model.joints)
    return Robot(robot.model.replace(joints=tuple(joints)))


def _dry_forces(laws: list[FrictionLaw], load: float) -> list[float]:
    """The least and the largest friction of a rotor at rest under a load, and that with which it slips either way."""
    least, most = (sum(float(law.at_rest(load)[side]) for law in laws) for side in (0, 1))
    return [least, most, *(sum(float(law.force(way, load)) for law in laws) for way in (-TINY, TINY))]
