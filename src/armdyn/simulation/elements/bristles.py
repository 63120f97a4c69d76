"""Friction with a state of its own in motion: bristle deflection, a state z in addition to q and qd.

A law with a state (`armdyn.actuators.FrictionWithState`) gives a force F(z, qd) and dz/dt = Z(z, qd). So the arm moves
as one without these laws on which tau - F acts, and each formula of `armdyn.simulation.methods.formulas` is used
unchanged. Along a step z is carried by the path, not by the formula: at every stage it is the deflection after the
joint's motion since the begin of the step, at the mean of the velocities at both times
(`FrictionWithState.state_along`). That is exact for laws that depend on the path alone (Maxwell slip; LuGre with equal
static and kinetic friction), so that the formula keeps its order; if G depends on the velocity the error is of the
second order. However stiff the bristles are, z stays within the deflection at static friction: the steps must follow
the motion on the bristles, of the angular frequency sqrt(s0/M) and the damping s1/M, and not their relaxation, of the
rate s0 |qd|/G. The past of a predictor-corrector method consists of rates of q and qd, which include the forces of z;
z itself needs none. A variational step takes the force of the bristles at its middle.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, links_side
from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.checks import array
from armdyn.base.errors import SettingError, ShapeError
from armdyn.declaration import function
from armdyn.model.joint_units import UNITS
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.motion.labels import Label
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_hold
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.samples import Samples
from armdyn.spatial.rotations import Array

NAME = "bristles"
"""Name of the state in a `armdyn.ClosedLoop`, and of the signal of a `armdyn.Trajectory`."""


@dataclass(frozen=True)
class Bending:
    """A law with a state, and the place of its z among all.

    Args:
        joint: place of its joint in the model.
        law: of it.
        first: place of the first number of its z.
    """

    joint: int
    law: FrictionWithState
    first: int

    @property
    def size(self) -> int:
        """The number of entries of its z."""
        return self.law.elements or 1

    def of(self, z: Any) -> Any:
        """The z of this law, from that of all."""
        return z[self.first] if self.law.elements is None else z[self.first : self.first + self.size]


def bendings(model: Model) -> list[Bending]:
    """The laws with a state, in the order of the joints."""
    several: list[Bending] = []
    for place, joint in enumerate(model.joints):
        for law in joint.laws:
            if isinstance(law, FrictionWithState):
                several.append(Bending(place, law, sum(one.size for one in several)))
    return several


def bristle_labels(model: Model) -> tuple[Label, ...]:
    """A name and a unit for each number z, of its joint and its law."""
    return tuple(
        Label(f"{joint.name} {type(one.law).__name__}" + (f" {k + 1}" if one.size > 1 else ""), UNITS[joint.kind]["q"])
        for one in bendings(model)
        for joint in [model.joints[one.joint]]
        for k in range(one.size)
    )


def count(model: Model, **options: Any) -> int:
    """The number of entries of z of all laws."""
    return sum(one.size for one in bendings(model))


def without_bristles(robot: Robot) -> Robot:
    """The robot without these laws."""
    joints = tuple(
        joint.replace(actuator=joint.actuator.without_bristles) if isinstance(joint.actuator, Actuator) else joint
        for joint in robot.model.joints
    )
    return Robot(robot.model.replace(joints=joints))


class Bristles:
    """The laws with a state of a traced arm."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.drive, self.laws = mechanism.drive, bendings(mechanism.model)
        self.body = {body.joint: k for k, body in enumerate(mechanism.links)}
        rest = tuple(
            tuple(law for law in laws if not isinstance(law, FrictionWithState)) for laws in mechanism.drive.laws
        )
        self.bare = dataclasses.replace(mechanism, drive=dataclasses.replace(mechanism.drive, laws=rest))
        """The arm without them."""

    def along(self, z: Any, moved: Any, qd: Any) -> Array:
        """z after a motion of the coordinates, at these velocities."""
        ways, rates = self.drive.rates(moved), self.drive.rates(qd)
        return self._flat([one.law.state_along(one.of(z), ways[k], abs(rates[k])) for one, k in self._placed])

    def rates(self, z: Any, qd: Any) -> Array:
        """dz/dt."""
        rates = self.drive.rates(qd)
        return self._flat([one.law.state_rate(one.of(z), rates[k]) for one, k in self._placed])

    def forces(self, z: Any, qd: Any) -> Array:
        """Friction forces of the bristles on the coordinates, N m or N."""
        rates, of_bodies = self.drive.rates(qd), [0.0] * len(self.drive.terms)
        for one, k in self._placed:
            of_bodies[k] = of_bodies[k] + one.law.force_with(one.of(z), rates[k])
        joint_forces: Array = self.drive.forces(of_bodies)
        return joint_forces

    def energy(self, z: Any) -> Any:
        """Energy stored in all bristles, J."""
        return sum((one.law.energy(one.of(z)) for one in self.laws), start=0.0)

    @property
    def _placed(self) -> list[tuple[Bending, int]]:
        """Each with the body whose joint it is in."""
        return [(one, self.body[one.joint]) for one in self.laws]

    def _flat(self, of_laws: Sequence[Any]) -> Array:
        return np.concatenate([np.atleast_1d(np.array(own, dtype=object)) for own in of_laws])


SIZES = {NAME: count}


@function("(bristles),(n)->(n),(bristles)", sizes=SIZES, sources=(*SOURCES, "actuators"))
def bending(model: Any, bristles: Any, qd: Any) -> tuple[Array, Array]:
    """Friction forces of bristles on the coordinates, N m or N, (..., n), and dz/dt, rad/s or m/s, (..., bristles).

    Args:
        bristles: z of all laws with a state, rad or m, shape (..., bristles).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    own = Bristles(model)
    return own.forces(bristles, qd), own.rates(bristles, qd)


@function("(bristles),(n),(n)->(bristles)", sizes=SIZES, sources=(*SOURCES, "actuators"))
def bent_along(model: Any, bristles: Any, moved: Any, qd: Any) -> Array:
    """z of all laws with a state after a motion in one direction, rad or m, shape (..., bristles).

    Args:
        bristles: z before, rad or m, shape (..., bristles).
        moved: displacements of the joints, rad or m, shape (..., n).
        qd: joint velocities during the motion, rad/s or m/s, shape (..., n).
    """
    return Bristles(model).along(bristles, moved, qd)


@function("(bristles)->()", sizes=SIZES, sources=(*SOURCES, "actuators"))
def bristle_energy(model: Any, bristles: Any) -> Any:
    """Energy stored in the bristles, J, scalar.

    Args:
        bristles: z of all laws with a state, rad or m, shape (..., bristles).
    """
    return Bristles(model).energy(bristles)


def bristles_along(along: Callable[[Any, Any, Any], Array], q0: Any, qd0: Any, z0: Any) -> Callable[[Any, Any], Array]:
    """The bristle deflection in states (q, qd) of a step that begins at q0, qd0 and z0; ``along`` as `bent_along`."""
    return lambda q, qd: along(z0, q - q0, 0.5 * (qd0 + qd))


class Bent:
    """The bristles of a traced arm along one step that begins at q, qd and z."""

    def __init__(self, model: Mechanism, q: Any, qd: Any, z: Any) -> None:
        self.laws, self._begin = Bristles(model), z
        self.at = bristles_along(self.laws.along, q, qd, z)
        """The deflection at a state of the step."""

    def forces(self, q: Any, qd: Any) -> Array:
        """Friction forces of the bristles on the coordinates, at a state of the step."""
        return self.laws.forces(self.at(q, qd), qd)

    def stored(self, q: Any, qd: Any) -> Any:
        """The energy that has been stored since the step began, at its end."""
        return self.laws.energy(self.at(q, qd)) - self.laws.energy(self._begin)


def initial_bristles(robot: Robot, carried: bool, given: Any, batch: tuple[int, ...]) -> tuple[Array, ...]:
    """z at t = 0, shape (*batch, bristles), as one array, zero by default; no array if the motion carries no z.

    Raises:
        SettingError: bristles of a motion that carries none.
        ShapeError: another number of them.
    """
    if not carried:
        if given is not None:
            raise SettingError(
                f"Start(bristles=...) is given, but this simulation of {robot.name!r} carries no state of friction. "
                "Joints with Actuator(friction=armdyn.actuators.LuGre(...)) or the like have one, by every method but "
                "'taylor'"
            )
        return ()
    size = count(robot.model)
    if given is None:
        return (np.zeros((*batch, size)),)
    z = array("bristles", given, None, f"(..., {size}), rad or m, {', '.join(names(robot))}", finite=SettingError)
    try:
        return (np.array(np.broadcast_to(z, (*batch, size))),)
    except ValueError:
        raise ShapeError(
            f"bristles has shape {z.shape}; expected ({size},) or {(*batch, size)}, rad or m: {', '.join(names(robot))}"
        ) from None


def names(robot: Robot) -> list[str]:
    """The law and joint of every number of z."""
    joints = robot.model.joints
    return [
        f"{type(one.law).__name__} of {joints[one.joint].name!r}"
        for one in bendings(robot.model)
        for _ in range(one.size)
    ]


def motion_carries(robot: Robot, method: Method) -> bool:
    """True if a motion by this method carries z: by adaptive and fixed steps, whose equations need not be analytic."""
    if not bendings(robot.model) or not isinstance(method, Adaptive | FixedStep):
        return False
    if not flexible_places(robot.model):
        return True
    return can_hold(robot) and not behind_springs(robot)


def behind_springs(robot: Robot) -> list[str]:
    """The joints with such laws that move with the link of a flexible joint, and not with its rotor."""
    joints, places = robot.model.joints, set(flexible_places(robot.model))
    bends = {one.joint for one in bendings(robot.model)}
    mechanism = robot.mechanism
    return [
        joints[body.joint].name
        for body, terms in zip(mechanism.bodies, mechanism.drive.terms, strict=True)
        if body.joint in bends and not joints[body.joint].has_spring and any(place in places for place, _ in terms)
    ]


@function("(n),(n),(n),(n),(n),(6)?->(n),(n)", sources=(*SOURCES, "actuators"))
def other_friction(
    model: Any, q: Array, qd: Array, theta: Array, thetad: Array, qdd: Array, f_tip: Array | None = None
) -> tuple[Array, Array]:
    """Friction at links and at rotors of flexible joints of an arm in which nothing sticks, N m or N, shapes (..., n).

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        qdd: accelerations of the links, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    joints, of_rotors = flexible_joints(model), np.zeros(model.dof, dtype=object)
    for joint in joints:
        i = joint.coordinate
        of_rotors[i] = joint.friction(thetad[i], joint.force(q, qd, theta, thetad))
    return algorithms.friction_forces(links_side(model, joints), q, qd, qdd, f_tip), of_rotors


def frictions(robot: Robot, samples: Samples, qdd: Array) -> dict[str, Array]:
    """The signals of friction of a motion in which nothing sticks, bristle friction included."""
    (_, *f_tip), theta, thetad = samples.forces, samples.signals["theta"], samples.signals["thetad"]
    losses = without_bristles(robot).compile(other_friction)(samples.q, samples.qd, theta, thetad, qdd, *f_tip)
    bends, flexible = robot.compile(bending)(samples.bristles, thetad)[0], np.zeros(robot.dof)
    flexible[list(flexible_places(robot.model))] = 1.0
    return {"friction": losses[0] + (1.0 - flexible) * bends, "rotor_friction": losses[1] + flexible * bends}
