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
because l + F(l) grows with l. The forces of stops and contacts are part of the load, and do not move these bounds. The
friction of a joint that slips depends on t = tau - d - a qdd, so that a_0 is not linear in p: with the slope f' of the
friction by t it changes with p as if the rotor had the inertia a (1 - f'). That is Newton's method for p, whose last
step is exact if friction is piecewise linear in the load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.projection import DRIFTED
from armdyn.model.friction import is_dry
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints, can_hold
from armdyn.simulation.elements.springs import BetweenSprings, between_springs
from armdyn.simulation.elements.stops import Barriers, Contact, Stops
from armdyn.simulation.equations import rubbing_motion_of
from armdyn.simulation.system.at_rest import MOVES, AtRest, Bounds, LoadFriction, forces_that_cancel
from armdyn.simulation.system.bounded import bounded_forces
from armdyn.simulation.system.coordinates import parted
from armdyn.simulation.system.holding import Holding
from armdyn.simulation.system.metric import Metric
from armdyn.simulation.system.mode_motion import Motion, available_forces, mode_motion_of, sliding_rates
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


class Mode(NamedTuple):
    """The contact mode of all rows.

    Args:
        held: true for barriers that are held closed and, after them, for the dry joints that stick.
        slip: 1 or -1 for the dry joints that slip forwards or backwards, else 0.
    """

    held: Array
    slip: Array


class Rates(NamedTuple):
    """Accelerations, power of the forces, the forces of all barriers, N or N m, and the friction, N m or N, (n,)."""

    qdd: Array
    power: float
    push: Array
    friction: Array


class _Acting(NamedTuple):
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
        of_rotors: directions of rotors, at their joints, (n,).
        moves: 1 of coordinates that move, 0 of those that are held, of all coordinates.
        moving: the coordinates of links that move.
        alone: the held rows that are coordinates.
        stuck: their coordinates.
        others: the other held rows.
        rests: the coordinates of held joints.
    """

    mode: Mode
    directions: Array
    of_rotors: Array
    moves: Array
    moving: Array
    alone: Array
    stuck: Array
    others: Array
    rests: Array


class _Held(NamedTuple):
    """A motion with the held rows at rest, of all coordinates.

    Args:
        motion: as of `mode_motion`, of links and rotors.
        p: the forces of the held rows, one of several solutions if the motion does not determine them.
        on: the state and its forces.
    """

    motion: Motion
    p: Array
    on: _Acting


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
        self.rubbing = [k for k, joint in enumerate(self.joints) if any(map(is_dry, joint.laws))]
        """The flexible joints whose rotors can stick, by their place among these."""
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
        links = DryJoints.of(self.links)
        self.dry = self._with_rotors(links) if self.joints else links
        self.is_joint = np.arange(len(self.barriers) + len(self.dry)) >= len(self.barriers)
        self._of_rotors = np.arange(len(self.is_joint)) >= len(self.barriers) + len(links)
        self._alone = np.zeros(len(self.is_joint), dtype=bool)
        """True for rows that are coordinates on their own: constraints bind none of them."""
        self._alone[self.is_joint] = (self.dry.moved_by >= 0) & (not robot.model.constraints)
        self._alone |= self._of_rotors
        self._bounds = Bounds.of(self.dry, len(self.barriers))
        drive = self.links.mechanism.drive
        self.loaded = LoadFriction(self.links, self.dry) if drive.depends_on_load and can_hold(self.links) else None
        """The friction of the links that depends on the load; None without any."""
        self._available, self._rates = self.links.compile(available_forces), self.links.compile(sliding_rates)
        if len(links) or self.loaded is not None:
            self._motion = mode_motion_of(self.links, redundant)
        else:
            self._motion = _without_dry(rubbing_motion_of(self.links, redundant))

    def of(self, robot: Robot) -> BoundedRows:
        """The equations of a robot whose brakes are others, between the same barriers."""
        return BoundedRows(robot, *self._around, self.redundant)

    def _with_rotors(self, links: DryJoints) -> DryJoints:
        """The joints that can stick at the links and, after them, the rotors: in all coordinates.

        Signs have the directions of every joint of the model and, after them, those of the rotors.
        """
        first, joints, f = len(links), links.signs.shape[1], len(self.joints)
        m = first + len(self.rubbing)
        rows, signs, none = np.zeros((m, self.dof)), np.zeros((m, joints + f)), np.zeros(len(self.rubbing))
        rows[:first, : self.n], signs[:first, :joints] = links.rows, links.signs
        rows[first:, self.n :] = signs[first:, joints:] = np.eye(f)[self.rubbing]
        known = (links.least, links.most, links.least_sliding, links.most_sliding)
        coordinates = [self.robot.model.coordinates[self.places[k]] for k in self.rubbing]
        names = [*links.names, *(f"{coordinate.name} rotor" for coordinate in coordinates)]
        least, most, backwards, forwards = (np.concatenate([one, none]) for one in known)
        return DryJoints(names, rows, least, most, backwards, forwards, signs)

    # Coordinates.

    def rows(self, x: Array) -> Array:
        """a(x) of all barriers and joints that can stick, shape (rows, coordinates)."""
        if not len(self.barriers):
            return self.dry.rows
        return np.vstack([self.barriers.rows(x), self.dry.rows])

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
        found = np.zeros(len(self.joints), dtype=bool)
        found[self.rubbing] = mode.held[self._of_rotors]
        return found

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
        found = self._held(x, v, acting, mode)
        motion, p = found.motion, found.p
        if shared and len(layout.others):
            p = p.copy()
            p[held] = self._holding(x, mode, found, kept_open=False).within_bounds()
        friction = motion.sliding - self.dry.rows.T @ p[self.is_joint]
        xdd = np.array(motion.qdd)
        xdd[layout.rests] = 0.0
        return Rates(xdd, float(motion.power), p[~self.is_joint], friction)

    def holding(self, x: Array, v: Array, acting: Forces, mode: Mode) -> Holding:
        """The forces of the rows that the mode holds, with their bounds."""
        return self._holding(x, mode, self._held(x, v, acting, mode), kept_open=True)

    def _layout(self, mode: Mode) -> _Layout:
        """The places of the rows of a mode, kept until the mode changes."""
        kept = self._kept
        if kept is None or kept.mode is not mode:
            held, rests = mode.held, self.dry.coordinates(mode.held[self.is_joint])
            directions, of_rotors, moves = self.dry.directions(mode.slip), np.zeros(self.n), np.ones(self.dof)
            if self.joints:
                of_rotors[self.places] = directions[-len(self.joints) :]
                directions = directions[: -len(self.joints)]
            alone, others = np.flatnonzero(held & self._alone), np.flatnonzero(held & ~self._alone)
            stuck = self.dry.moved_by[alone - len(self.barriers)]
            moves[stuck] = 0.0
            moving = np.flatnonzero(moves[: self.n])
            self._kept = kept = _Layout(mode, directions, of_rotors, moves, moving, alone, stuck, others, rests)
        return kept

    def _on(self, x: Array, v: Array, acting: Forces, mode: Mode) -> _Acting:
        """The state of the links and the forces on them, and on the rotors."""
        tau, *f_tip = acting
        if not self.joints:
            return _Acting(x, v, tau, tuple(f_tip), None)
        (q, theta), (qd, thetad) = self._parted(x), self._parted(v)
        directions = self._layout(mode).of_rotors
        rotors = BetweenSprings(*self._between(q, qd, theta, thetad, tau, directions, self.touches))
        return _Acting(q, qd, rotors.links, tuple(f_tip), rotors)

    def _held(self, x: Array, v: Array, acting: Forces, mode: Mode) -> _Held:
        """The motion with the held rows at rest, whatever force that takes."""
        on, layout, p = self._on(x, v, acting, mode), self._layout(mode), np.zeros(len(mode.held))
        directions, moves, others = layout.directions, layout.moves[: self.n], layout.others
        if len(others):
            A, drift = self.rows(x)[others, : self.n], self._drift(x, v)[others]
            motion, p[others] = self._with_forces(on, layout, A, drift)
        else:
            motion = Motion(*self._motion(on.q, on.qd, on.tau, directions, moves, self.on_links, *on.f_tip))
        motion = self._with_motion_of_rotors(motion, on, layout.moves[self.n :])
        p[layout.alone] = -motion.holding[layout.stuck]
        return _Held(motion, p, on)

    def _with_forces(self, on: _Acting, layout: _Layout, A: Array, drift: Array) -> tuple[Motion, Array]:
        """The motion of the links with A qdd + drift = 0, and the forces that this takes, by Newton's method."""
        moving, p, size = layout.moving, np.zeros(len(A)), np.zeros(len(A))
        moves, own = layout.moves[: self.n], A[:, moving]
        constraints = self.robot.constraint_jacobian(on.q) if self.robot.model.constraints else None
        M = self.links.mass_matrix(on.q)
        for _ in range(MOST_STEPS):
            pushes = p @ A + self.on_links
            motion = Motion(*self._motion(on.q, on.qd, on.tau, layout.directions, moves, pushes, *on.f_tip))
            left, inertia = A @ motion.qdd + drift, M if self.loaded is None else M - np.diag(motion.hidden)
            inertia = inertia if len(moving) == self.n else inertia[np.ix_(moving, moving)]
            metric = Metric.of(inertia, own, constraints)
            decides = metric.B.any(axis=0)  # at a dead point the constraints do
            if self.loaded is not None:
                made = np.abs(np.linalg.inv(inertia)) @ (np.abs(on.tau) + np.abs(pushes))[moving]
                size = np.maximum(size, np.abs(own) @ (np.abs(motion.qdd[moving]) + made) + np.abs(drift))
                if not (np.abs(left) > SOLVED * size)[decides].any():
                    return motion, p
            more = metric.forces_against(np.where(decides, left, 0.0))
            p += more
            if self.loaded is None:  # the motion is linear in p
                change = np.zeros(self.n)
                change[moving] = metric.change(more)
                holding = motion.holding + (1.0 - moves) * (more @ A - M @ change)
                return motion._replace(qdd=motion.qdd + change, holding=holding), p
        raise SimulationError(
            f"the forces that hold {self._names(layout.others)} of {self.robot.name!r} together with friction that "
            f"depends on the load were not found in {MOST_STEPS} steps. Use friction that does not depend on it"
        )

    def _with_motion_of_rotors(self, links: Motion, on: _Acting, moves: Array) -> Motion:
        """The motion of links and rotors: friction balances the whole force on a rotor that sticks."""
        if on.rotors is None:
            return links
        excess, friction = on.rotors.excess[self.places], on.rotors.friction[self.places]
        qdd = np.concatenate([links.qdd, moves * (excess - friction) / self.inertias])
        sliding, holding = np.where(moves, friction, 0.0), np.where(moves, 0.0, excess)
        sliding, holding = np.concatenate([links.sliding, sliding]), np.concatenate([links.holding, holding])
        return Motion(qdd, links.power + float(on.rotors.power), sliding, holding, np.append(links.hidden, 0.0 * moves))

    def _holding(self, x: Array, mode: Mode, found: _Held, *, kept_open: bool) -> Holding:
        """The forces of the held rows with their bounds, the friction of slipping joints being linearized.

        ``kept_open``: bounds that close leave room for rounding.
        """
        held, motion = mode.held, found.motion
        M = self.mass_matrix(x)
        B = self.metric(x, held, M - np.diag(motion.hidden)).B
        bounds = self._bounds_in(found.on)
        low, high = bounds.low, bounds.high
        if self.loaded is not None:
            least, most = self.loaded.at_rest(found.on.tau)
            if kept_open:
                forces = (
                    np.abs(found.on.tau) + (np.abs(motion.sliding) + np.abs(self.rows(x).T) @ np.abs(found.p))[: self.n]
                )
                if self.robot.model.constraints:
                    forces += np.abs(motion.holding[: self.n])
                rows = self.dry.rows[: len(least), : self.n]
                little = HELD_BY_ROUNDING * forces_that_cancel(M[: self.n, : self.n], forces, rows)
                little = np.maximum(little - (most - least), 0.0)
                least, most = least - little, most + little
            links = self.is_joint & ~self._of_rotors
            low, high = low.copy(), high.copy()
            low[links], high[links] = -most, -least
        return Holding(B, -(B.T @ (B @ found.p[held])), low[held], high[held])

    def _bounds_in(self, on: _Acting) -> Bounds:
        """The bounds of all rows, without friction of the links that depends on their load."""
        if on.rotors is None or not self._of_rotors.any():
            return self._bounds
        least, most, backwards, forwards = on.rotors.bounds[:, self.places[self.rubbing]]
        bounds = Bounds(*(bound.copy() for bound in self._bounds))
        for bound, own in zip(bounds, (-most, -least, -forwards, -backwards), strict=True):
            bound[self._of_rotors] = own
        return bounds

    def _drift(self, x: Array, v: Array) -> Array:
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
        held, slip = np.zeros(len(self.is_joint), dtype=bool), np.where(resting[self.is_joint], 0, slip)
        if not resting.any():
            return Mode(held, slip)
        problem = self._at_rest(x, v, acting, resting, slip)
        held[resting], ways, xdd = problem.decided()
        if self.robot.model.constraints:
            ways += self._from_dead_points(x, v, xdd, problem, ways)
        held[resting] &= ~self.is_joint[resting] | (ways == 0)
        starts = np.zeros(len(held), dtype=int)
        starts[resting] = ways
        return Mode(held, slip + starts[self.is_joint])

    def _at_rest(self, x: Array, v: Array, acting: Forces, resting: Array, slip: Array) -> AtRest:
        """The problem of the rows at rest of a state under forces, given the directions in which other joints slip."""
        mode = Mode(np.zeros(len(self.is_joint), dtype=bool), slip)
        n, on, directions = self.n, self._on(x, v, acting, mode), self._layout(mode).directions
        available, h = self._available(on.q, on.qd, on.tau, directions, *on.f_tip)
        h = h - self.on_links
        free, rates = np.zeros(self.dof), np.zeros(n)
        if self.loaded is None:
            moves = np.ones(self.dof)
            motion = Motion(*self._motion(on.q, on.qd, on.tau, directions, moves[:n], self.on_links, *on.f_tip))
            free = self._with_motion_of_rotors(motion, on, moves[n:]).qdd
        else:
            rates = self._rates(on.qd, directions)
        if on.rotors is not None:
            available = np.append(available, (on.rotors.excess - on.rotors.friction)[self.places])
            h = np.append(h, np.zeros(len(self.joints)))
        constraints = None
        if self.robot.model.constraints:
            constraints = self.constraint_rows(x), -np.asarray(self.robot.constraint_drift(on.q, on.qd))
        bounds = Bounds(*(bound[resting] for bound in self._bounds_in(on)))
        rows, drift, M = self.rows(x)[resting], self._drift(x, v)[resting], self.mass_matrix(x)
        places = np.flatnonzero(resting[self.is_joint & ~self._of_rotors])
        state = M, available, h, free, rows, drift, self.is_joint[resting], bounds, constraints
        return AtRest(self.robot.name, *state, self.loaded, rates, places)

    def _from_dead_points(self, x: Array, v: Array, xdd: Array, problem: AtRest, ways: Array) -> Array:
        """The directions in which constraints will move joints that have neither speed nor acceleration; else 0.

        If the row a of a joint is c^T A, constraints alone determine its motion. If the whole arm starts from rest,
        A qdd = 0, and A qdd + Adot qd = 0 differentiated twice is A q(4) + 3 Adot(qdd) qdd = 0, q(4) being d4q/dt4.

        Args:
            x: positions.
            v: velocities.
            xdd: accelerations, some of which are zero to rounding.
            problem: of the rows at rest.
            ways: the directions in which rows at rest start.
        """
        found, n = np.zeros(len(ways), dtype=int), self.n
        dead = problem.dead & problem.is_joint & (ways == 0)
        if not dead.any() or v[:n].any() or (np.abs(xdd) <= MOVES * problem.of_forces_alone(problem.M))[:n].all():
            return found
        A = self.robot.constraint_jacobian(x[:n])
        c = np.linalg.lstsq(A.T, problem.rows[dead, :n].T, rcond=DRIFTED)[0]
        bends = np.asarray(self.robot.constraint_drift(x[:n], xdd[:n]))
        fourth = -3.0 * c.T @ bends
        found[dead] = np.where(np.abs(fourth) > MOVES * np.abs(c.T) @ np.abs(bends), np.sign(fourth), 0)
        return found

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

        found = rebound(1.0)
        if found[1] < -ROUNDING * before:
            return rebound(_largest_part(lambda part: rebound(part)[1]))
        return found

    def closed(self, x: Array, v: Array, held: Array) -> tuple[Array, Array]:
        """The state with the held gaps and all held speeds put to zero, by the least change in the metric of M."""
        stand = self.dry.coordinates(held[self.is_joint])
        gaps = np.zeros(len(held))
        gaps[~self.is_joint] = self.barriers.gaps(x)
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
    kept, name = vars(robot), f"_rows_{redundant}"
    if name not in kept:
        kept[name] = BoundedRows(robot, redundant=redundant)
    found: BoundedRows = kept[name]
    return found


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
