"""The equations of motion in one mode, traced: joints slip in given directions, coordinates are held, forces act.

With the load l = M qdd + h - p of the links, p being forces on them, a rotor a, and d the friction that does not depend
on the load, l + f(l) + a qdd = tau - d. A held coordinate has qdd = 0, and its friction is tau - d - l. A joint that
slips has the friction of its direction: l + f(l) grows with l, so that f is a function of t = tau - d - a qdd alone.
`armdyn.simulation.system.segment` has the margins within which a mode is valid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.elements import dissipated_power
from armdyn.algorithms.factors import Factors, factored, links_mass
from armdyn.algorithms.load_friction import OwnLoads, Within, own_coordinates
from armdyn.algorithms.load_laws import loaded_friction
from armdyn.base.exact import Exact
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.equations import all_equations
from armdyn.constraints.multipliers import moved_within
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.redundant_under_load import least_squares_under_load, rotors_before_friction
from armdyn.constraints.under_load import friction_lines
from armdyn.declaration import function
from armdyn.model.drive import Drive
from armdyn.model.friction import TINY, FrictionLaw, LoadLine, Slopes, is_dry
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_stick
from armdyn.simulation.equations import SOURCES, through_dead_points
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class SlidingLaw(FrictionLaw):
    """Dry friction that depends on the load, in one direction.

    Args:
        law: which holds in both.
        direction: 1 forwards, -1 backwards, 0 of a joint that is held, of which the force is 0.
    """

    law: FrictionLaw
    direction: Any

    depends_on_load = True

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """As of the law."""
        return self.law.lines

    def force(self, rate: Any, load: Any) -> Any:
        """Friction force of the law in this direction."""
        return self.law.sliding(self.direction, self._speed(rate), load)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        """The slope by the load; the other slope is not used and left out."""
        return Slopes(None, self.law.sliding_slope(self.direction, self._speed(rate), load))

    def line(self, rate: Any, load: Any) -> LoadLine:
        """As of the law in this direction."""
        return self.law.sliding_line(self.direction, self._speed(rate), load)

    def _speed(self, rate: Any) -> Any:
        return maximum(self.direction * rate, 0.0)

    def breakaway(self, load: Any) -> Any:
        """As of the law."""
        return self.law.breakaway(load)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        """As of the law."""
        return self.law.at_rest(load)


def sliding_under_load(drive: Drive, slip: Array) -> Drive:
    """A drive with the friction laws that depend on the load and no other friction.

    Args:
        drive: its bodies with such laws are moved by coordinates of their own.
        slip: the direction of each coordinate, 0 for one that is held; not read for smooth laws.
    """
    own, none = own_coordinates(drive) or {}, (Exact(0),) * len(drive.terms)

    def sliding(law: FrictionLaw, k: int) -> FrictionLaw:
        return SlidingLaw(law, slip[own[k]]) if is_dry(law) else law

    laws = tuple(
        tuple(sliding(law, k) for law in of_joint if law.depends_on_load) for k, of_joint in enumerate(drive.laws)
    )
    return dataclasses.replace(drive, damping=none, friction=none, laws=laws)


class LinksInMode(NamedTuple):
    """The motion of links in a mode of their joints.

    Args:
        qdd: accelerations, exactly zero for held coordinates, (n,).
        reactions: minus the forces that hold coordinates, without meaning at the others; or the further results of
            constraints.
        friction: that depends on the load, of sliding joints, N m or N, (n,).
        hidden: the part of each rotor's inertia that this friction hides from the links, a s/(1 + s), s being the slope
            of the friction by the load, (n,).
        loads: that the joints with such friction transmit, by body.
    """

    qdd: Array
    reactions: Array
    friction: Array
    hidden: Array
    loads: Mapping[int, Any]


def links_in_mode(
    arm: Mechanism,
    q: Array,
    qd: Array,
    available: Array,
    h: Array,
    slip: Array,
    *,
    moves: Sequence[Any] | Array | None = None,
    within: Within | None = None,
    near: Mapping[int, Any] | None = None,
) -> LinksInMode:
    """The motion of links by joint forces.

    Args:
        arm: the traced arm; the coordinates of joints whose friction depends on the load move no other body.
        q, qd: positions and velocities.
        available: joint forces without the friction independent of the load, tau - d, N m or N, (n,).
        h: forces on the links at zero acceleration, N m or N, (n,).
        slip: direction of each coordinate, 0 for one that is held, (n,).
        moves: 1 for each coordinate that moves, 0 for one that is held; all move if left out. Not read within
            constraints if friction depends on the load.
        within: accelerations within constraints, from the factors of M and forces.
        near: loads by body with which Newton's method begins.
    """
    bare, none, links = arm.without_friction, np.zeros(arm.dof, dtype=object), links_mass(arm, q)
    if not arm.drive.depends_on_load:
        factors, pushed = factored(bare, bare.drive, links, moves), available - h
        qdd, reactions = factors.with_reactions(pushed) if within is None else within(factors, pushed)
        return LinksInMode(qdd, reactions, none, none, {})
    drive, coordinates = sliding_under_load(arm.drive, slip), own_coordinates(arm.drive) or {}
    sliding, rates = dataclasses.replace(arm, drive=drive), drive.rates(qd)
    moves = moves if within is None else None
    equations = OwnLoads(sliding, coordinates, links, available, h, rates, moves=moves, within=within)
    motion, friction, hidden = equations.solution(near), none.copy(), none.copy()
    for k, own in loaded_friction(drive, rates, motion.loads).items():
        friction[coordinates[k]] = motion.friction[k]
        hidden[coordinates[k]] = drive.armature[k] * (1.0 - own.gain)
    return LinksInMode(motion.qdd, motion.reactions, friction, hidden, motion.loads)


class Motion(NamedTuple):
    """The motion in a mode.

    Args:
        qdd: accelerations, exactly zero for held coordinates.
        power: of the forces, less the power dissipated by friction.
        sliding: the friction of sliding joints.
        holding: the friction of held coordinates, zero for others; within constraints, if friction depends on the load,
            their forces A^T lambda.
        hidden: the part of each rotor's inertia that the friction hides from the links, a s/(1 + s), s being the slope
            of the friction by the load.
    """

    qdd: Array
    power: Any
    sliding: Array
    holding: Array
    hidden: Array

    @property
    def friction(self) -> Array:
        """The friction of all coordinates, N m or N; not of constrained arms whose friction depends on the load."""
        return self.sliding + self.holding


@function("(n),(n),(n),(joints),(n),(n),(6)?->(n),(),(n),(n),(n)", sources=SOURCES)
def mode_motion(
    model: Any, q: Any, qd: Any, tau: Any, directions: Any, moves: Any, pushes: Any, f_tip: Any = None
) -> Motion:
    """Accelerations, power, friction of sliding and of held coordinates, and hidden inertia, shape (..., n) each.

    Dry friction keeps its direction past the zero of a joint's velocity, so that it is smooth there, and is left out
    if the direction is 0.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        directions: 1 for a joint that slides forwards, -1 backwards, 0 if it sticks, shape (..., joints).
        moves: 1 for each coordinate that moves, 0 for one that is held, shape (..., n); constraints have to be
            independent in the coordinates that move. Not read within constraints if friction depends on the load.
        pushes: p, forces of the coordinates that act on the links, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    return motion_and_multipliers(model, q, qd, tau, directions, moves, pushes, f_tip)[0]


def motion_and_multipliers(
    model: Any,
    q: Any,
    qd: Any,
    tau: Any,
    directions: Any,
    moves: Any,
    pushes: Any,
    f_tip: Any,
    active: list[Any] | None = None,
) -> tuple[Motion, Any]:
    """The motion, and the multipliers of constraints if friction does not depend on the load.

    Args: those of `mode_motion`, and

        active: 1 for each constraint that counts, 0 for one that is left out; all count by default.
    """
    bare, constrained, slip = model.without_friction, bool(model.model.constraints), np.zeros(model.dof, dtype=object)
    available, h = available_forces(model, q, qd, tau, directions, f_tip)
    for k, i in (own_coordinates(model.drive) or {}).items():
        slip[i] = directions[model.bodies[k].joint]
    if constrained:
        _, A, drift = all_equations(model, q, qd)

    def within(factors: Factors, pushed: Array) -> tuple[Array, Array]:
        return moved_within(bare, A, drift, factors, pushed, active)[:2]

    how = {"moves": moves, "within": within if constrained else None}
    links = links_in_mode(model, q, qd, available, h - pushes, slip, **how)
    sliding, multipliers = tau - available + links.friction, links.reactions if constrained else None
    if not constrained:
        holding = (np.array(moves) - 1.0) * links.reactions
    elif model.drive.depends_on_load:
        holding = A.T @ multipliers
    else:
        M = bare.drive.filled(bare.drive.mass_matrix(links_mass(bare, q)))
        holding = (1.0 - np.array(moves)) * (available - (h - pushes) - A.T @ multipliers - M @ links.qdd)
    applied = tau if f_tip is None else tau - algorithms.tip_forces(bare, q, f_tip)
    power = (applied - sliding) @ qd + dissipated_power(model, q, qd)
    return Motion(links.qdd, power, sliding, holding, links.hidden), multipliers


def mode_motion_of(robot: Robot, redundant: Redundant) -> Callable[..., Motion]:
    """`mode_motion` of a robot: compiled, or if constraints may depend on each other, by least squares."""
    if not robot.model.constraints:
        return robot.compile(mode_motion)
    if redundant == "error":
        return through_dead_points(robot, redundant, robot.compile(mode_motion), mode_motion)
    forces, rates_of, lines = map(robot.compile, (available_forces, sliding_rates, friction_lines))
    rotors = rotors_before_friction(robot.mechanism)

    def by_least_squares(
        q: Array, qd: Array, tau: Array, directions: Array, moves: Array, pushes: Array, f_tip: Array | None = None
    ) -> Motion:
        available, h = forces(q, qd, tau, directions, *(() if f_tip is None else (f_tip,)))
        if not np.isfinite([q, qd, available]).all():
            return Motion(*np.full((5, len(q)), np.nan))._replace(power=np.nan)
        M, A, target = robot.mass_matrix(q), robot.constraint_jacobian(q), -robot.constraint_drift(q, qd)
        at_rates = partial(lines, rates_of(qd, directions))
        solution = least_squares_under_load(at_rates, rotors, M, A, available, h - pushes, target, DRIFTED)
        sliding = tau - available + solution.friction
        applied = tau if f_tip is None else tau - robot.tip_forces(q, f_tip)
        against = available - solution.friction - h + pushes - M @ solution.qdd
        return Motion(solution.qdd, (applied - sliding) @ qd, sliding, against, solution.hidden)

    return through_dead_points(robot, redundant, by_least_squares, mode_motion)


@function("(n),(n),(n),(joints),(6)?->(n),(n)", sources=SOURCES)
def available_forces(model: Any, q: Any, qd: Any, tau: Any, directions: Any, f_tip: Any = None) -> tuple[Any, Any]:
    """tau - d and h, N m or N, shape (..., n) each; arguments as of `mode_motion`.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        directions: as of `mode_motion`, shape (..., joints).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    bare = model.without_friction
    h = algorithms.inverse_dynamics(bare, q, qd, np.zeros(bare.dof), f_tip)
    return tau - sliding_friction(model, qd, directions), h


def sliding_friction(model: Any, qd: Any, directions: Any) -> Array:
    """Joint forces that friction takes from joints that slide in given directions, N m or N, shape (n,).

    Without the laws that depend on the load.
    """
    drive: Drive = model.drive
    of_bodies = []
    for k, (body, rate) in enumerate(zip(model.bodies, drive.rates(qd), strict=True)):
        s = directions[body.joint]
        speed = maximum(s * rate, 0.0)
        own = [law for law in drive.laws[k] if not law.depends_on_load]
        laws = sum(law.sliding(s, speed, 0.0) if is_dry(law) else law.force(rate, 0.0) for law in own)
        of_bodies.append(drive.damping[k] * rate + drive.friction[k] * s + laws)
    return drive.forces(of_bodies)


@function("(n),(joints)->(n)", sources=SOURCES)
def sliding_rates(model: Any, qd: Any, directions: Any) -> Any:
    """The rates of coordinates in whose joints friction depends on the load, rad/s or m/s, shape (..., n); else 0.

    Dry friction has those of its direction past zero too.

    Args:
        qd: joint velocities, rad/s or m/s, shape (..., n).
        directions: as of `mode_motion`, shape (..., joints).
    """
    friction, rates = np.zeros(model.dof, dtype=object), model.drive.rates(qd)
    for k, i in (own_coordinates(model.drive) or {}).items():
        s = directions[model.bodies[k].joint]
        friction[i] = s * maximum(s * rates[k], TINY) if can_stick(model.drive, k) else rates[k]
    return friction
