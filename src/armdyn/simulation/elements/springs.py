"""Forces at the springs of flexible joints, whose rotors slide in given directions or stick.

Dry friction keeps its direction past the zero of a velocity, and rotor and link stay in contact past the end of their
contact across a gap: so both are smooth along a segment of a motion, which ends when that is located. The links after
the springs are a rigid arm, whose equations are those of `armdyn.simulation.system.mode_motion`. A rotor is a mass by
itself, on which the friction at rest is known from the force of its spring, which is its load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import FlexibleJoint, flexible_joints, flexible_places
from armdyn.actuators.spring import Spring
from armdyn.declaration import function
from armdyn.model.friction import TINY, FrictionLaw, is_dry
from armdyn.program import maximum, minimum
from armdyn.robot import Robot
from armdyn.simulation.equations import SOURCES
from armdyn.spatial.rotations import Array

OF_ROUNDING = 4.0 * float(np.finfo(float).eps)
"""Rounding error of the deflection of a spring, over the positions of rotor and link."""


def rotor_friction(laws: Sequence[FrictionLaw], rate: Any, load: Any, direction: Any) -> Any:
    """Friction force at a rotor that slides in a direction, N m or N; dry friction is zero if the direction is 0."""
    speed = maximum(direction * rate, 0.0)
    return sum(law.sliding(direction, speed, load) if is_dry(law) else law.force(rate, load) for law in laws)


def pressure(spring: Spring, side: int, x: Any, xd: Any) -> Any:
    """Deflection past an end of the backlash gap, rad or m, if damped at most push/stiffness; above zero if it pushes.

    The push ends before the gap opens if the spring is damped. The rotor is ahead, x = theta - q, at the end of side 1.
    """
    e = side * x - 0.5 * spring.backlash
    if not spring.is_damped:
        return e
    k, c, d = spring.stiffness, spring.cubic, spring.damping
    return minimum(e, e + (c / k) * (e * e * e) + (d / k) * (side * xd))


def friction_at_rest(joint: FlexibleJoint, q: Any, theta: Any, load: Any, touches: Any) -> tuple[Any, Any]:
    """The least and the largest dry friction of a rotor at rest, N m or N.

    Friction under a load that is rounding alone, e.g. of a spring at rest, is zero, and holds forces of rounding alone.
    """
    laws, x = [law for law in joint.laws if is_dry(law)], theta - q
    bounds = [law.at_rest(load) for law in laws]
    least, most = (sum(bound[side] for bound in bounds) for side in (0, 1))
    if any(law.depends_on_load for law in laws):
        near, elastic = x + OF_ROUNDING * (abs(theta) + abs(q)), joint.spring.pressed_elastic_force
        little = abs(elastic(near, touches) - elastic(x, touches))
        return least - little, most + little
    return least, most


class BetweenSprings(NamedTuple):
    """The forces at the springs.

    Args:
        links: forces of springs on the links of flexible joints, of motors on rigid joints, N m or N, (n,).
        excess: tau - tau_J at the rotors of flexible joints, 0 at rigid ones, N m or N, (n,).
        friction: of rotors that slide, 0 for those that stick and at rigid joints, N m or N, (n,).
        power: of motors and friction at these rotors less the power that the springs store and take from links and
            rotors, W.
        bounds: the least and the largest friction of rotors at rest, and that with which they begin to slip backwards
            and forwards, N m or N, (4, n).
    """

    links: Array
    excess: Array
    friction: Array
    power: Any
    bounds: Array


@function("(n),(n),(n),(n),(n),(n),(n)->(n),(n),(n),(),(4,n)", sources=(*SOURCES, "actuators"))
def between_springs(
    model: Any, q: Array, qd: Array, theta: Array, thetad: Array, tau: Array, directions: Array, touches: Array
) -> BetweenSprings:
    """Forces on links and rotors, friction of rotors in given directions, N m or N, shape (..., n) each, and a power.

    With the power of the forces on the links, the springs' forces included, the power is the rate of kinetic, potential
    and spring energy.

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        tau: forces of the motors at the joints, N m or N, shape (..., n).
        directions: 1 for a flexible joint whose rotor slides forwards, -1 backwards, 0 if it sticks, shape
            (..., n).
            touches: 1 for a joint with backlash whose rotor leads and touches, -1 if it lags and touches, 0 in the gap,
                (..., n).
    """
    links, power = np.array(tau, dtype=object), 0.0
    excess, friction = np.zeros(model.dof, dtype=object), np.zeros(model.dof, dtype=object)
    bounds = np.zeros((4, model.dof), dtype=object)
    for joint in flexible_joints(model):
        i = joint.coordinate
        x, xd = theta[i] - q[i], thetad[i] - qd[i]
        links[i] = joint.spring.pressed_force(x, xd, touches[i])
        excess[i] = tau[i] - links[i]
        friction[i] = rotor_friction(joint.laws, thetad[i], links[i], directions[i])
        stored = joint.spring.pressed_elastic_force(x, touches[i]) * xd
        power = power + (excess[i] - friction[i]) * thetad[i] + stored
        bounds[:2, i] = friction_at_rest(joint, q[i], theta[i], links[i], touches[i])
        dry = [law for law in joint.laws if is_dry(law)]
        bounds[2:, i] = [sum(law.force(way, links[i]) for law in dry) for way in (-TINY, TINY)]
    return BetweenSprings(links, excess, friction, power, bounds)


@dataclass(frozen=True)
class End:
    """One end of the backlash gap of a joint.

    Args:
        joint: its name.
        spring: with a backlash.
        link: place of the link in x.
        rotor: place of the rotor in x.
        size: number of coordinates x; their velocities follow in y.
        side: 1 of the end at which the rotor is ahead, -1 of the other.
    """

    joint: str
    spring: Spring
    link: int
    rotor: int
    size: int
    side: int

    def press(self, y: Array) -> float:
        """The pressure between rotor and link at this end."""
        n = self.size
        x, xd = y[self.rotor] - y[self.link], y[n + self.rotor] - y[n + self.link]
        return float(pressure(self.spring, self.side, x, xd))


def ends_of(robot: Robot) -> list[End]:
    """Both ends of every backlash gap of a robot."""
    ends: list[End] = []
    names = [coordinate.name for coordinate in robot.model.coordinates]
    size = robot.dof + len(flexible_places(robot.model))
    for k, place in enumerate(flexible_places(robot.model)):
        actuator = robot.model.joint(names[place]).actuator
        if isinstance(actuator, Actuator) and actuator.spring is not None and actuator.spring.is_loose:
            spring, rotor = actuator.spring, robot.dof + k
            ends += [End(names[place], spring, place, rotor, size, side) for side in (1, -1)]
    return ends
