"""The equations of motion of an arm with rows of bounded forces: stops, contacts, and dry friction at rest.

Coordinates x are those of the joints and, after them, of rotors on springs. With the rows a_i of the barriers that are
touched and of the joints and rotors at rest that can stick, stacked as A, and the acceleration a_0 without their forces
p,

    a = a_0 + M^-1 A^T p,    low <= p <= high,

    (A a + Adot v)_i = 0 if low_i < p_i < high_i,  <= 0 if p_i = high_i,  >= 0 if p_i = low_i.

A barrier has 0 <= p (the constraint of Modern Robotics 8.7 made one-sided), dry friction at rest has bounds on either
side (8.9.4). An impact is the complementarity problem of the impulses p of barriers and velocities,

    M v+ = M v- + A^T p,    p >= 0,  u+ + e u- >= 0,  p . (u+ + e u-) = 0,    u = A v

(Newton's law of restitution). Constraints of the robot are kept by both: their reactions are taken out of A^T by the
projection P, M^-1 then being P M^-1. Both are least-squares problems with bounds, for W = A P M^-1 A^T = B^T B.

The springs' forces follow from the state. Given these, the links are a rigid arm of their own, and each rotor is a mass
by itself, B thetadd + friction = tau - tau_J: an impact does not reach it.

Friction of a joint at rest that depends on its load l lies between bounds that depend on its joint force alone: with
the friction f = tau - l, -F(-l) <= f <= F(l) means l_- <= l <= l_+ for l_- + F(l_-) = tau and l_+ - F(-l_+) = tau,
because l + F(l) grows with l. The forces of stops and contacts are part of the load, and do not move these bounds; with
joints that slip under load a_0 is not linear in p, and p follows by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, parted
from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_hold
from armdyn.simulation.elements.springs import BetweenSprings, between_springs
from armdyn.simulation.elements.stops import Barriers, Contact, Stops
from armdyn.simulation.equations import rubbing_motion_of
from armdyn.simulation.system.at_rest import AtRest, Mode, forces_that_cancel
from armdyn.simulation.system.bounded import bounded_forces
from armdyn.simulation.system.friction_rows import Bounds, FrictionRows, bounds_under_load
from armdyn.simulation.system.holding import Holding, Metric
from armdyn.simulation.system.mode_motion import Motion, available_forces, mode_motion_of
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

Forces = tuple[Array, ...]

ROUNDING, HALVINGS = 1e-12, 60
"""Relative gain of kinetic energy that an impact may have; halvings to find the rebound without a gain."""

SOLVED = 1e-12
"""The largest acceleration of held rows, as a fraction of the accelerations that all forces alone would cause."""

HELD_BY_ROUNDING = 1e-12
"""Least friction that holds a joint without load, over the forces that cancel; more than when its mode was decided."""

MOST_STEPS = 50
"""Iterations of Newton's method for the forces of the held rows."""


class Rates(NamedTuple):
    """Accelerations, power of the forces, the forces of all barriers, N or N m, and the friction, N m or N, (n,)."""

    qdd: Array
    power: float
    push: Array
    friction: Array


class Acting(NamedTuple):
    """A state and the forces on links and rotors.

    Args:
        q, qd: of the links.
        tau: forces of motors at rigid joints, and of springs, (n,).
        f_tip: the wrench at the tip, if there is one.
        rotors: forces at the springs; None without springs.
    """

    q: Array
    qd: Array
    tau: Array
    f_tip: Forces
    rotors: BetweenSprings | None


class _Layout(NamedTuple):
    """The places of the rows of a mode.

    Args:
        mode: held rows, and directions of slip.
        directions: of the joints of the model.
        moves: 1 of coordinates that move, 0 of those that are held, of all coordinates.
        moving: the coordinates that move.
        alone: the held rows that are coordinates.
        stuck: their coordinates.
        others: the other held rows.
        rests: the coordinates of held joints.
    """

    mode: Mode
    directions: Array
    moves: Array
    moving: Array
    alone: Array
    stuck: Array
    others: Array
    rests: Array


class BoundedRows:
    """A robot between stops and contacts, with joints and rotors that can stick.

    Rows are those of the barriers, of the joints of links that can stick, and of rotors that can.

    Args:
        robot: the robot that moves.
        stops: of joints.
        contacts: of points of its links.
        redundant: treatment of constraints that follow from others, as of `armdyn.simulate`.
    """

    def __init__(
        self,
        robot: Robot,
        stops: Stops | None = None,
        contacts: Sequence[Contact] = (),
        redundant: Redundant = "error",
    ) -> None:
        self.robot, self._around, self.redundant = robot, (stops, contacts), redundant
        self.joints, self.places = flexible_joints(robot.mechanism), np.array(flexible_places(robot.model), dtype=int)
        self.n, self.dof = robot.dof, robot.dof + len(self.joints)
        self.links = _without_rotors(robot) if self.joints else robot
        self.barriers = Barriers(self.links, stops, contacts, self.dof)
        loaded = [k for k, joint in enumerate(self.joints) if any(law.depends_on_load for law in joint.laws)]
        self.kinks = [k for k in loaded if not self.joints[k].spring.is_loose]
        """The flexible joints whose rotors have friction with a kink at the zero of its load."""
        self.touches = np.zeros(self.n)
        """1 and -1 for joints whose rotor and link touch at an end of their backlash gap; the motion keeps it."""
        self._kept: _Layout | None = None
        self._no_push, self.on_links = np.zeros(len(self.barriers)), np.zeros(self.n)
        """Forces of elements with states on the links, N m or N, whose power the motion counts."""
        self.inertias = np.array([float(joint.inertia) for joint in self.joints])
        self._between = robot.compile(between_springs)
        self.dry = FrictionRows.of(robot)
        self.is_joint = np.arange(len(self.barriers) + len(self.dry)) >= len(self.barriers)
        self.rows_of_links = slice(len(self.barriers), len(self.barriers) + self.dry.of_links)
        """The rows of the joints of links that can stick."""
        self.of_rotors = np.arange(len(self.is_joint)) >= self.rows_of_links.stop
        self._alone = np.zeros(len(self.is_joint), dtype=bool)
        """True for rows that are coordinates on their own: constraints bind none of them."""
        self._alone[self.is_joint] = (self.dry.own >= 0) & (not robot.model.constraints)
        self._alone |= self.of_rotors
        of_barriers = np.outer([-np.inf, 0.0, -np.inf, 0.0], np.ones(len(self.barriers)))
        self._known_bounds = Bounds(*np.hstack([of_barriers, self.dry.constant]))
        """The friction of all rows without that under load; that of a barrier is the opposite of its push."""
        self.loaded = self.links.mechanism.drive.depends_on_load and can_hold(self.links)
        """True if friction of the links depends on the load."""
        self.bounds_under_load = self.links.compile(bounds_under_load)
        self._available = self.links.compile(available_forces)
        if self.dry.of_links or self.loaded:
            self._motion = mode_motion_of(self.links, redundant)
        else:
            self._motion = _without_dry(rubbing_motion_of(self.links, redundant))

    def of(self, robot: Robot) -> BoundedRows:
        """The equations of a robot whose brakes are others, between the same barriers."""
        return BoundedRows(robot, *self._around, self.redundant)

    # Coordinates.

    def rows(self, x: Array) -> Array:
        """a(x) of all barriers and joints that can stick, shape (rows, coordinates)."""
        if not len(self.barriers):
            return self.dry.matrix
        return np.vstack([self.barriers.rows(x), self.dry.matrix])

    def mass_matrix(self, x: Array) -> Array:
        """M of links and rotors, shape (coordinates, coordinates)."""
        M: Array = self.links.mass_matrix(x[: self.n])
        if not self.joints:
            return M
        apart = np.zeros((self.n, len(self.joints)))
        return np.block([[M, apart], [apart.T, np.diag(self.inertias)]])

    def constraint_rows(self, x: Array) -> Array:
        """A of the robot's constraints, in which rotors have no part, shape (constraints, coordinates)."""
        A: Array = self.robot.constraint_jacobian(x[: self.n])
        return np.hstack([A, np.zeros((len(A), len(self.joints)))])

    def kinetic_energy(self, x: Array, v: Array) -> float:
        """The kinetic energy of links and rotors, J."""
        if not self.joints:
            return float(self.robot.kinetic_energy(x, v))
        qd, thetad = self._parted(v)
        return float(self.robot.flexible_kinetic_energy(x[: self.n], qd, thetad))

    def metric(self, x: Array, active: Array, M: Array | None = None) -> Metric:
        """The metric of the rows that are true in ``active``, with the inertia M if one is given."""
        A = self.constraint_rows(x) if self.robot.model.constraints else None
        return Metric.of(self.mass_matrix(x) if M is None else M, self.rows(x)[active], A)

    def held_rotors(self, mode: Mode) -> Array:
        """True for each flexible joint whose rotor sticks."""
        sticking = np.zeros(len(self.joints), dtype=bool)
        sticking[self.dry.rotors] = mode.held[self.of_rotors]
        return sticking

    def loads(self, x: Array, v: Array) -> Array:
        """tau_J, the forces of the springs, N m or N."""
        none = np.zeros(self.n)
        (q, theta), (qd, thetad) = self._parted(x), self._parted(v)
        forces: Array = self._between(q, qd, theta, thetad, none, none, self.touches)[0][self.places]
        return forces

    def _parted(self, x: Array) -> tuple[Array, Array]:
        return parted(x, self.n, self.places)

    # Motion in a mode.

    def rates(self, x: Array, v: Array, acting: Forces, mode: Mode, *, shared: bool = False) -> Rates:
        """Rates with the rows held by the mode kept at rest, whatever force that takes.

        Args:
            x: positions.
            v: velocities.
            acting: the forces.
            mode: held rows, and directions of slip.
            shared: if the motion does not determine the forces of held rows, take some within their bounds.
        """
        layout, held = self._layout(mode), mode.held
        if not (len(layout.alone) or len(layout.others) or self.joints):
            tau, *f_tip = acting
            qdd, power, friction, *_ = self._motion(x, v, tau, layout.directions, layout.moves, self.on_links, *f_tip)
            return Rates(qdd, float(power), self._no_push, friction)
        motion, p, on = self._held(x, v, acting, mode)
        if shared and len(layout.others):
            p[held] = self._holding(x, mode, motion, p, on, kept_open=False).within_bounds()
        friction = motion.sliding - self.dry.matrix.T @ p[self.is_joint]
        xdd = np.array(motion.qdd)
        xdd[layout.rests] = 0.0
        return Rates(xdd, float(motion.power), p[~self.is_joint], friction)

    def holding(self, x: Array, v: Array, acting: Forces, mode: Mode) -> Holding:
        """The forces of the rows that the mode holds, with their bounds."""
        return self._holding(x, mode, *self._held(x, v, acting, mode), kept_open=True)

    def _layout(self, mode: Mode) -> _Layout:
        """The places of the rows of a mode, kept until the mode changes."""
        layout = self._kept
        if layout is None or layout.mode is not mode:
            held, rests = mode.held, self.dry.coordinates(mode.held[self.is_joint])
            directions, moves = self.directions(mode.slip), np.ones(self.dof)
            alone, others = np.flatnonzero(held & self._alone), np.flatnonzero(held & ~self._alone)
            stuck = self.dry.own[alone - len(self.barriers)]
            moves[stuck] = 0.0
            moving = np.flatnonzero(moves)
            self._kept = layout = _Layout(mode, directions, moves, moving, alone, stuck, others, rests)
        return layout

    def acting(self, x: Array, v: Array, acting: Forces, slip: Array) -> Acting:
        """The state of the links and the forces on them, and on the rotors, that slip in directions."""
        tau, *f_tip = acting
        if not self.joints:
            return Acting(x, v, tau, tuple(f_tip), None)
        (q, theta), (qd, thetad) = self._parted(x), self._parted(v)
        directions = np.zeros(self.n)
        directions[self.places[self.dry.rotors]] = slip[self.dry.of_links :]
        rotors = BetweenSprings(*self._between(q, qd, theta, thetad, tau, directions, self.touches))
        return Acting(q, qd, rotors.links, tuple(f_tip), rotors)

    def _held(self, x: Array, v: Array, acting: Forces, mode: Mode) -> tuple[Motion, Array, Acting]:
        """The motion with the held rows at rest, their forces, one solution of several, and all others."""
        on, layout, p = self.acting(x, v, acting, mode.slip), self._layout(mode), np.zeros(len(mode.held))
        if len(layout.others):
            motion, p[layout.others] = self._with_forces(on, layout, x, self.drift(x, v)[layout.others])
        else:
            motion = self.moved(on, layout.directions, layout.moves, np.zeros(self.dof))
        p[layout.alone] = -motion.holding[layout.stuck]
        return motion, p, on

    def _with_forces(self, on: Acting, layout: _Layout, x: Array, drift: Array) -> tuple[Motion, Array]:
        """The motion with a qdd + drift = 0 of rows, and the forces that this takes, by Newton's method."""
        rows, moves, moving = self.rows(x)[layout.others], layout.moves, layout.moving
        p, size, own = np.zeros(len(rows)), np.zeros(len(rows)), rows[:, moving]
        forces = np.append(np.abs(on.tau), 0.0 * self.inertias)
        A = self.constraint_rows(x)[:, moving] if self.robot.model.constraints else None
        M = self.mass_matrix(x)
        for _ in range(MOST_STEPS):
            motion = self.moved(on, layout.directions, moves, p @ rows)
            residual, inertia = rows @ motion.qdd + drift, M - np.diag(motion.hidden) if self.loaded else M
            inertia = inertia if len(moving) == self.dof else inertia[np.ix_(moving, moving)]
            metric = Metric.of(inertia, own, A)
            decides = metric.B.any(axis=0)  # at a dead point the constraints do
            if self.loaded:
                possible = np.abs(np.linalg.inv(inertia)) @ (forces + np.abs(p @ rows))[moving]
                size = np.maximum(size, np.abs(own) @ (np.abs(motion.qdd[moving]) + possible) + np.abs(drift))
                if not (np.abs(residual) > SOLVED * size)[decides].any():
                    return motion, p
            more = metric.forces_against(np.where(decides, residual, 0.0))
            p += more
            if not self.loaded:  # the motion is linear in p
                change = np.zeros(self.dof)
                change[moving] = metric.change(more)
                holding = motion.holding + (1.0 - moves) * (more @ rows - M @ change)
                return motion._replace(qdd=motion.qdd + change, holding=holding), p
        raise SimulationError(
            f"the forces that hold {self._names(layout.others)} of {self.robot.name!r} together with friction that "
            f"depends on the load were not found in {MOST_STEPS} steps. Use friction that does not depend on it"
        )

    def moved(self, on: Acting, directions: Array, moves: Array, pushes: Array) -> Motion:
        """The motion of links and rotors, with forces on them; friction balances those on a rotor that sticks.

        Args:
            on: the state and its forces.
            directions: of the joints of the model.
            moves: 1 of coordinates that move, 0 of those that are held.
            pushes: forces of rows.
        """
        n, on_links = self.n, pushes[: self.n] + self.on_links
        links = Motion(*self._motion(on.q, on.qd, on.tau, directions, moves[:n], on_links, *on.f_tip))
        if on.rotors is None:
            return links
        excess, friction, turns = on.rotors.excess[self.places], on.rotors.friction[self.places], moves[n:]
        qdd = np.concatenate([links.qdd, turns * (excess - friction + pushes[n:]) / self.inertias])
        sliding, holding = np.where(turns, friction, 0.0), np.where(turns, 0.0, excess)
        sliding, holding = np.concatenate([links.sliding, sliding]), np.concatenate([links.holding, holding])
        return Motion(qdd, links.power + float(on.rotors.power), sliding, holding, np.append(links.hidden, 0.0 * turns))

    def sizes(self, on: Acting, directions: Array) -> Array:
        """The sizes of the forces that cancel if nothing moves, without those of constraints."""
        available, h = self._available(on.q, on.qd, on.tau, directions, *on.f_tip)
        sizes: Array = np.abs(available) + np.abs(h - self.on_links)
        if on.rotors is None:
            return sizes
        return np.append(sizes, np.abs((on.rotors.excess - on.rotors.friction)[self.places]))

    def _holding(self, x: Array, mode: Mode, motion: Motion, p: Array, on: Acting, *, kept_open: bool) -> Holding:
        """The forces of the held rows with their bounds, the friction of slipping joints being linearized.

        ``kept_open``: bounds that close leave room for rounding.
        """
        held, M = mode.held, self.mass_matrix(x)
        B = self.metric(x, held, M - np.diag(motion.hidden)).B
        least, most = self.bounds(on)[:2]
        if self.loaded and kept_open:
            n, links = self.n, self.rows_of_links
            forces = (np.abs(motion.sliding) + np.abs(self.rows(x).T) @ np.abs(p))[:n] + np.abs(on.tau)
            if self.robot.model.constraints:
                forces += np.abs(motion.holding[:n])
            little = HELD_BY_ROUNDING * forces_that_cancel(M[:n, :n], forces, self.dry.matrix[: self.dry.of_links, :n])
            little = np.maximum(little - (most - least)[links], 0.0)
            least[links] -= little
            most[links] += little
        return Holding(B, -(B.T @ (B @ p[held])), -most[held], -least[held])

    def bounds(self, on: Acting) -> Bounds:
        """The friction bounds of all rows."""
        if on.rotors is None and not self.loaded:
            return self._known_bounds
        bounds, links, own = np.array(self._known_bounds), self.rows_of_links, self.dry.own[: self.dry.of_links]
        if on.rotors is not None:
            bounds[:, self.of_rotors] = on.rotors.bounds[:, self.places[self.dry.rotors]]
        if self.loaded:
            bounds[:, links] = np.where(own >= 0, np.array(self.bounds_under_load(on.tau))[:, own], bounds[:, links])
        return Bounds(*bounds)

    def directions(self, slip: Array) -> Array:
        """1, -1 or 0 of every joint of the model, from those of the dry joints and rotors."""
        directions: Array = slip[: self.dry.of_links] @ self.dry.signs
        return directions

    def drift(self, x: Array, v: Array) -> Array:
        """Adot v of all rows."""
        joints = np.zeros(len(self.dry))
        return np.concatenate([self.barriers.drift(x, v), joints]) if len(self.barriers) else joints

    def _names(self, rows: Array) -> str:
        """Names of the stops, contacts or joints of these rows."""
        names = [*self.barriers.names, *self.dry.names]
        return ", ".join(repr(names[k]) for k in rows)

    # Changes of the mode.

    def decided(self, x: Array, v: Array, acting: Forces, resting: Array, slip: Array) -> Mode:
        """The rows at rest that are held, and the directions in which joints slip (`armdyn.simulation.system.at_rest`).

        Args:
            x: positions.
            v: velocities.
            acting: the forces.
            resting: true for the barriers touched at zero speed, and for the joints at rest.
            slip: directions of the other joints.
        """
        slip = np.where(resting[self.is_joint], 0, slip)
        if not resting.any():
            return Mode(resting.copy(), slip)
        return AtRest(self, x, v, acting, resting, slip).decided()

    def after_impact(self, x: Array, v: Array, touched: Array) -> tuple[Array, float]:
        """Velocities after an impact on the touched barriers, and the kinetic energy it dissipated, J.

        A barrier that is just being left may have to push as well. With the restitutions of the others the energy could
        increase by that; then they rebound by the fraction of their restitution with which it does not.
        """
        metric = self.metric(x, np.concatenate([touched, np.zeros(len(self.dry), dtype=bool)]))
        speed = self.barriers.rows(x)[touched] @ v
        e = self.barriers.restitution[touched]
        e = np.where(-e * speed > self.barriers.resting_speed[touched], e, 0.0)
        none, before = np.zeros(len(speed)), self.kinetic_energy(x, v)

        def rebound(part: float) -> tuple[Array, float]:
            p = bounded_forces(metric.B, (1.0 + part * e) * speed, none, none + np.inf)
            after = v + metric.change(p)
            return after, before - self.kinetic_energy(x, after)

        impact = rebound(1.0)
        if impact[1] < -ROUNDING * before:
            return rebound(_largest_part(lambda part: rebound(part)[1]))
        return impact

    def closed(self, x: Array, v: Array, held: Array, since: Array | None = None) -> tuple[Array, Array]:
        """The state with the held gaps and all held speeds put to zero, by the least change in the metric of M.

        Joints that are held stand as they did at the positions ``since``.
        """
        stand = self.dry.coordinates(held[self.is_joint])
        gaps = np.zeros(len(held))
        gaps[~self.is_joint] = self.barriers.gaps(x)
        if since is not None:
            x = x.copy()
            x[stand] = since[stand]
            gaps[self.is_joint] = self.dry.matrix @ (x - since)
        if gaps[held].any():
            before, metric = x, self.metric(x, held)
            x = x - metric.change(metric.forces_against(-gaps[held]))
            x[stand] = before[stand]
        metric = self.metric(x, held)
        v = metric.within_constraints(v)
        v = v - metric.change(metric.forces_against(-(self.rows(x)[held] @ v)))
        v[stand] = 0.0
        return self.barriers.at_held_stops(x, v, held[~self.is_joint])


def rows_of_joints(robot: Robot, redundant: Redundant) -> BoundedRows:
    """The equations of a robot without stops and contacts, which it keeps for the next motion."""
    cache, name = vars(robot), f"_rows_{redundant}"
    if name not in cache:
        cache[name] = BoundedRows(robot, redundant=redundant)
    rows: BoundedRows = cache[name]
    return rows


def _largest_part(taken: Callable[[float], float]) -> float:
    """The largest part, between 0 and 1, at which no energy comes of an impact: none does at 0."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if taken(middle) >= 0.0 else (low, middle)
    return low


def _without_rotors(robot: Robot) -> Robot:
    """The arm after its springs; friction of the joints themselves is kept."""
    joints = (j.replace(actuator=None, armature=0.0) if j.has_spring else j for j in robot.model.joints)
    return Robot(robot.model.replace(joints=tuple(joints)))


def _without_dry(motion: Callable[..., tuple[Array, float, Array]]) -> Callable[..., Motion]:
    """`mode_motion` of a robot without dry friction, whose rows are those of barriers; `_motion` is linear in them."""

    def moved(q: Array, qd: Array, tau: Array, directions: Array, moves: Array, pushes: Array, *f_tip: Array) -> Motion:
        qdd, power, friction = motion(q, qd, tau + pushes, *f_tip)
        return Motion(qdd, power - pushes @ qd, friction, np.zeros(len(q)), np.zeros(len(q)))

    return moved
