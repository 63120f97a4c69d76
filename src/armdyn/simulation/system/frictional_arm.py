"""A traced arm along one step in which its forces are held: its equations of motion with joints that slip or rest.

Coordinates are those of the links and, after them, those of rotors on springs. The springs' forces follow from the
state, so that the links are a rigid arm on which they act, and each rotor is a mass by itself. A row of dry friction at
rest has any friction within its bounds (`armdyn.simulation.system.friction_rows`): without constraints, and if each row
is a coordinate, rows at rest are held, which needs no equation; else the friction is the boxed LCP of
`armdyn.simulation.system.bounded` in each state. Friction under load is solved for around either by Newton's
method (`armdyn.algorithms.load_friction`), begun at the loads of the state that was evaluated last. The bounds at rest
depend on the joint force alone, because load and friction together are that force there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn import algorithms
from armdyn.actuators.flexible_joints import FlexibleJoint, flexible_joints, links_side
from armdyn.algorithms.elements import dissipative_forces, in_state
from armdyn.algorithms.factors import Factors, factored, links_mass
from armdyn.base.exact import is_zero
from armdyn.base.type_rounding import rounding
from armdyn.constraints.equations import all_equations
from armdyn.declaration import function
from armdyn.program import less, less_equal, select, sign
from armdyn.simulation.elements.springs import rotor_friction
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.methods.formulas import Equations, Rates, Scheme, State
from armdyn.simulation.system.arm_in_step import ArmInStep
from armdyn.simulation.system.corrections import projected_at_rest, standing
from armdyn.simulation.system.friction_rows import Bounds, FrictionRows
from armdyn.simulation.system.mode_motion import links_in_mode
from armdyn.simulation.system.momenta import Momenta
from armdyn.simulation.system.response import ConstraintRows, Response
from armdyn.spatial.rotations import Array

MOVES = 1e-10, 1e-4
"""A row at rest starts if its acceleration, over that of all forces without constraints, is above this; in float32."""


class ArmMotion(NamedTuple):
    """Accelerations and forces in a state; arrays are of all coordinates, (n,), or of all rows, (m,).

    Args:
        x: accelerations, (n,).
        pushed: accelerating forces, M x without the forces of constraints, N m or N, (n,).
        applied: forces of joints, motors and surroundings, N m or N, (n,).
        friction: friction forces, and the damping of springs, (n,).
        holding: friction of each row at rest, (m,); 0 for those that slip.
        starts: 1 or -1 of each row at rest that starts, by a boxed LCP in this state; else 0, (m,).
        of_loads: friction under load of the links, (n,).
        hidden: the inertia of rotors that this friction hides from the links: its slope is minus that, by x, (n,).
        loads: transmitted by the joints with such friction, in the order of `FrictionRows.loaded`.
    """

    x: Array
    pushed: Array
    applied: Array
    friction: Array
    holding: Array
    starts: Array
    of_loads: Array
    hidden: Array
    loads: Array

    def energies(self, moved: Array) -> Array:
        """Work of all forces on the arm, less the dissipated energy, and that energy, J; for velocities, W."""
        return np.array([(self.applied - self.friction) @ moved, self.friction @ moved])

    def unless(self, condition: Any, other: ArmMotion) -> ArmMotion:
        """The motion, or if the condition is above 0 the other one."""
        return ArmMotion(*(select(condition, b, a) if len(a) else a for a, b in zip(self, other, strict=True)))


class FrictionalArm(ArmInStep):
    """An arm in one step whose joints with dry friction slip in directions or rest.

    Args:
        model: the arm.
        acting: its state and forces by name.
        bristles: true if friction has a state.
        near: initial loads of the joints whose friction depends on them, in the order of the joints.
    """

    def __init__(
        self, model: Any, acting: Mapping[str, Any], *, bristles: bool = False, near: Array | None = None
    ) -> None:
        super().__init__(model, acting, bristles=bristles)
        self.joints, self.n = flexible_joints(self.arm), self.dof
        self.inertias = np.array([joint.inertia for joint in self.joints], dtype=object)
        self.links = links_side(self.arm, self.joints) if self.joints else self.arm
        self.bare, self.rows = self.links.without_friction, FrictionRows(self.links, self.joints)
        self.constrained = bool(self.arm.model.constraints)
        if self.own is not None:
            self._hold_states(self.own.begin)
        self.pushes: Array = np.zeros(0)
        """Mean forces of stops and contacts during the step, N m or N."""
        self.holds = not self.constrained and bool((self.rows.own >= 0).all())
        """True if rows at rest are held coordinates."""
        self.slip = self.rows.directions(self.v)
        self.loads = {} if near is None else dict(zip(self._by_joint, near, strict=True))

    def __call__(self, t: Any, x: Any, v: Any) -> Rates:
        """Accelerations, and rates of the states of elements; the two powers."""
        size, own = len(self.x), self.own
        (x, v), z = (one[:size] for one in (x, v)), v[size:]
        if own is not None:
            self._hold_states(z)
        arm_motion = self.solved(x, v)
        rates = z if own is None else own.rates(x[: self.n], v[: self.n], z)
        return np.concatenate([arm_motion.x, rates]), arm_motion.energies(v)

    def equations(self, scheme: Scheme) -> Equations:
        """The equations of motion that the formula of a scheme calls."""
        return Momenta.traced(self.arm, self) if scheme.by_momenta else self

    def by_formula(self, scheme: Scheme, first: ArmMotion, state: State, h: Any) -> State:
        """The state a step later by a formula, modes of the rows as they are; states of elements after it.

        Args:
            scheme: of the formula.
            first: the motion as the step begins.
            state: (x, v, energies) as the step begins, and the memory of the scheme.
            h: length of the step, s.
        """
        (x, v, energies, *memory), rates = state, (first.x, first.energies(state[1]))
        own, size, n = self.own, len(state[0]), self.n
        if own is None:
            return self._with_rests(scheme, first, state, scheme.formula(self.equations(scheme), rates, 0.0, state, h))
        begin = np.concatenate([rates[0], own.rates(x[:n], v[:n], own.begin)]), rates[1]
        later = scheme.formula(self.equations(scheme), begin, 0.0, (*own.before(x, v), energies, *memory), h)
        self._hold_states(own.begin)
        x, v, *others = later
        return *self._with_rests(scheme, first, state, (x[:size], v[:size], *others)), v[size:]

    def _with_rests(self, scheme: Scheme, first: ArmMotion, state: State, later: State) -> State:
        """The state a step later in which joints at rest stand, which a step by momenta moves by its error."""
        if not scheme.by_momenta or not len(self.rows):
            return later
        (before, *_), (x, v, *others) = state, later
        none, n, rests = np.zeros(len(x)), self.n, self.rests * (1.0 - abs(first.starts))
        x, v = before + self.rows.resting(rests, x - before, none), self.rows.resting(rests, v, none)
        if self.holds:
            return x, v, *others
        q, qd = standing(self.links, self.rows, rests, before[:n], x[:n], v[:n])
        return np.concatenate([q, x[n:]]), np.concatenate([qd, v[n:]]), *others

    def states_on(self, changes: Any, x: Array, later: Array, z: tuple[Array, ...], h: Any) -> tuple[Array, ...]:
        """The states of elements a step later; if velocities change within it, by the mean velocities of its path.

        Args:
            changes: above 0 if velocities change.
            x: positions when the step begins.
            later: those at its end.
            z: states at its end without a change, of one array, or none.
            h: length of the step, s.
        """
        if self.own is None:
            return z
        begin, middle, n = self.own.begin, 0.5 * (self.own.begin + z[0]), self.n
        end = begin + h * self.own.rates(0.5 * (x + later)[:n], ((later - x) / h)[:n], middle)
        return (select(changes, end, z[0]),)

    def _hold_states(self, z: Array) -> None:
        """Let elements act in these states."""
        elements = in_state(self.arm, z).elements
        self.links, self.bare = (dataclasses.replace(arm, elements=elements) for arm in (self.links, self.bare))

    @property
    def rests(self) -> Array:
        """1 for each row at rest, else 0."""
        return 1.0 - self.slip * self.slip

    @property
    def last_loads(self) -> Array:
        """Loads in the state that was evaluated last, in the order of the joints."""
        return np.array([self.loads[k] for k in self._by_joint], dtype=object)

    @property
    def _by_joint(self) -> list[int]:
        """The bodies whose friction depends on the load, in the order of their joints."""
        return sorted(self.rows.loaded, key=lambda k: self.links.bodies[k].joint)

    # Accelerations and forces in a state.

    def begun(self) -> ArmMotion:
        """The motion as the step begins, in which rows that static friction cannot hold slip from now on."""
        first = self.solved(self.x, self.v)
        return self.released(self.x, self.v, first, self.yielding(self.x, self.v, first))

    def yielding(self, x: Any, v: Any, first: ArmMotion) -> Array:
        """1 for each row at rest that static friction cannot hold, else 0; from the motion in which they rest."""
        count, bounds = self.rows.of_links, self.known_bounds(x, v)
        rests, loads = self.rests, dict(zip(self.rows.loaded, first.loads, strict=True))
        least, most = self.rows.at_rest(bounds, loads)
        within = less_equal(least, first.holding) * less_equal(first.holding, most)  # 0 of NaN
        if self.rows.loaded:  # a compiled loop leaves out friction under load if no joint rests
            within = select(sum(rests), within, 1.0)
        yields: Array = rests * (1.0 - within)
        if not self.holds:  # a row that starts goes on with its friction at rest if nothing else is known
            yields[:count] = abs(first.starts[:count]) if self.rows.loaded or bounds.fall else 0.0
        return yields

    def released(self, x: Any, v: Any, first: ArmMotion, yields: Array) -> ArmMotion:
        """The motion in which these rows slip from now on, each in the direction in which its friction gives way."""
        if all(is_zero(one) for one in yields):
            return first
        count, ways = self.rows.of_links, yields * sign(first.holding)
        if count:
            ways[:count] = self._started(x, v, first) if self.holds else first.starts[:count]
        any_yields, slip, loads = sum(yields), self.slip, self.loads
        self.slip = slip + less(0.0, any_yields) * ways
        released = self.solved(x, v)
        # a compiled loop leaves this out if no joint of a group of arms starts
        self.slip = select(any_yields, self.slip, slip)
        self.loads = {k: select(any_yields, load, loads[k]) for k, load in self.loads.items()}
        return first.unless(any_yields, released)

    def _started(self, x: Any, v: Any, first: ArmMotion) -> Array:
        """Directions in which rows of links start that are at rest, 0 for those that friction holds."""
        rests, count = self.rests[: self.rows.of_links], self.rows.of_links
        response, bounds = self.response(x, v, first.hidden), self.bounds(x, v)
        free = (first.x + first.holding @ response.columns)[: self.n]
        solution = response.bounded(free, -rests * bounds.most[:count], -rests * bounds.least[:count])
        rates = self.rows.matrix[:count, : self.n] @ solution.velocities
        return np.asarray(rests * (1.0 - solution.rests) * sign(rates))

    def solved(self, x: Any, v: Any) -> ArmMotion:
        """Accelerations and forces in a state, with rows that go on as they do."""
        q, qd, (theta, thetad) = x[: self.n], v[: self.n], self._motors(x, v)
        bends = np.zeros(self.n, dtype=object) if self.bent is None else self.bent.forces(theta, thetad)
        springs = self._springs(x, v)
        on_links = self.tau - bends
        on_links[self.places] = springs
        sliding = self.rows.sliding(qd, self.slip)
        links = self._links(q, qd, on_links - sliding)
        applied, friction = self._applied(q), sliding + links.friction - self._lost(q, qd)
        applied[self.places] = applied[self.places] - self.tau[self.places]
        if not self.joints:
            return links._replace(applied=applied, friction=friction + bends)
        damping = springs - self._elastic_forces(x)
        rotors = self._rotors(thetad, springs, self.tau[self.places] - springs - bends[self.places])
        of_links, of_rotors = bends.copy(), bends[self.places] + damping
        of_links[self.places] = -damping  # the links' side: that of rigid joints, and what the damping gives the links
        links = links._replace(applied=applied, friction=friction + of_links)
        rotors = rotors._replace(friction=rotors.friction + of_rotors)
        return ArmMotion(*(np.concatenate(both) for both in zip(links, rotors, strict=True)))

    def _links(self, q: Any, qd: Any, pushes: Array) -> ArmMotion:
        """The motion of the links by joint forces; its friction is that of rows at rest and that under load."""
        constraints, none = self._constraints(q, qd), np.zeros(self.n, dtype=object)
        moves = self.rows.of_coordinates(self.slip * self.slip)[: self.n]
        rest = algorithms.inverse_dynamics(self.bare, q, qd, np.zeros(self.n), self.f_tip)

        def within(factors: Factors, pushed: Array) -> tuple[Array, Array]:
            return self._boxed(factors, constraints, pushed, pushes)

        slip, how = (
            self.rows.of_coordinates(self.slip)[: self.n],
            {"moves": moves} if self.holds else {"within": within},
        )
        links = links_in_mode(self.links, q, qd, pushes, rest, slip, near=self.loads, **how)
        self.loads = links.loads
        holding, starts = self._holding(links.reactions)
        friction = links.friction + self.rows.matrix[: self.rows.of_links, : self.n].T @ holding
        pushed, loads = pushes - rest - friction, np.array([links.loads[k] for k in self.rows.loaded], dtype=object)
        return ArmMotion(links.qdd, pushed, none, friction, holding, starts, links.friction, links.hidden, loads)

    def _boxed(
        self, factors: Factors, constraints: ConstraintRows | None, pushed: Array, available: Array
    ) -> tuple[Array, Array]:
        """Accelerations of the links, minus the friction of their rows at rest, within its bounds, and their starts."""
        response = Response(self.bare, self.rows, factors, constraints, self.inertias)
        free, count = response.accelerations(pushed), self.rows.of_links
        if not count:
            return free, np.zeros(0)
        rests = self.rests[:count]
        bounds = self.rows.bounds(np.zeros(len(self.joints)), available, self.loads)
        low, high = (-rests * bound[:count] for bound in (bounds.most, bounds.least))
        alone = np.asarray(factors.solve(pushed))  # without constraints
        solution = response.bounded(free, low, high, alone)
        of_rows = np.concatenate([rests * solution.rests, np.zeros(len(self.rows) - count)])
        none = np.concatenate([solution.none, np.zeros(len(self.joints))])
        held = self.rows.resting(of_rows, np.concatenate([solution.velocities, np.zeros(len(self.joints))]), none)
        rates = self.rows.matrix[:count, : self.n] @ solution.velocities
        moves = less(rounding(abs(self.rows.matrix[:count, : self.n]) @ abs(alone), *MOVES), abs(rates))
        starts = rests * (1.0 - solution.rests) * moves * sign(rates)
        any_rests = sum(rests)  # a compiled loop leaves this out if no joint rests
        reactions = select(any_rests, np.concatenate([solution.impulses, starts]), 0.0)
        return select(any_rests, held[: self.n], free), reactions

    def _holding(self, reactions: Array) -> tuple[Array, Array]:
        """Friction of the rows of the links at rest, from the reactions, and the directions in which some start."""
        count = self.rows.of_links
        if not self.holds:
            return -reactions[:count], reactions[count : 2 * count]
        return -self.rests[:count] * reactions[self.rows.own[:count]], np.zeros(count, dtype=object)

    def _rotors(self, thetad: Array, springs: Array, excess: Array) -> ArmMotion:
        """The motion of the rotors."""
        slip = np.ones(len(self.joints), dtype=object)
        slip[self.rows.rotors] = self.slip[self.rows.of_links :]
        rotors = zip(self.joints, thetad[self.places], springs, slip, strict=True)
        sliding = np.array([rotor_friction(joint.laws, *own) for joint, *own in rotors], dtype=object)
        excess_force, moves = excess - sliding, slip * slip
        holding, none = (1.0 - moves) * excess_force, np.zeros(len(self.joints), dtype=object)
        friction, of_rows = sliding + holding, holding[self.rows.rotors]
        motors = self.tau[self.places]
        x, starts = moves * excess_force / self.inertias, np.zeros(len(of_rows), dtype=object)
        return ArmMotion(x, moves * excess_force, motors, friction, of_rows, starts, none, none, np.zeros(0))

    # Responses and bounds in a state.

    def response(self, x: Any, v: Any, hidden: Array, at: Any = None, h: Any = None) -> Response:
        """The response in a state, of links from which friction hides inertia, within their constraints ``at``.

        With a time h it is that to forces during this time: the change of velocity that they cause.
        """
        at = x if at is None else at
        constraints = self._constraints(at[: self.n], v[: self.n])
        return self.with_hidden(x, hidden, constraints, h)

    def with_hidden(self, x: Any, hidden: Array, constraints: ConstraintRows | None, h: Any = None) -> Response:
        """The response of `response` within given constraints.

        The mass matrix over the time has elements of its own, so that a compiled loop leaves its factors out of steps
        without stops, even if some of these factors are needed by joints that start.
        """
        drive, rotors, links = self.bare.drive, list(self.bare.drive.armature), links_mass(self.bare, x[: self.n])
        for k, i in self.rows.loaded.items():
            rotors[k] = rotors[k] - hidden[i]
        inertias = self.inertias
        if h is not None:
            per, inertias = 1.0 / h, inertias * (1.0 / h)
            rotors = [per * rotor for rotor in rotors]
            links = [{i: per * entry for i, entry in column.items()} for column in links]
        drive = dataclasses.replace(drive, armature=tuple(rotors))
        return Response(self.bare, self.rows, factored(self.bare, drive, links), constraints, inertias)

    def momenta(self, x: Any, change: Array) -> Array:
        """M times a change of velocity, N m s or N s, of all coordinates."""
        drive = self.bare.drive
        M = drive.filled(drive.mass_matrix(links_mass(self.bare, x[: self.n])))
        return np.concatenate([M @ change[: self.n], self.inertias * change[self.n :]])

    def bounds(self, x: Any, v: Any) -> Bounds:
        """Friction bounds of the rows in a state, with the forces of the motors and springs there."""
        return self.rows.bounds(self._springs(x, v), self.available(x, v), self.loads)

    def known_bounds(self, x: Any, v: Any) -> Bounds:
        """Friction bounds of the rows without the friction under load of the links."""
        return self.rows.bounds(self._springs(x, v))

    def available(self, x: Any, v: Any) -> Array:
        """The joint forces that remain for load and friction of coordinates at rest, (n,)."""
        forces = np.array(self._forces(x, v), dtype=object)
        forces[self.places] = self._springs(x, v)
        return forces

    def projected(self, x: Array, v: Array) -> tuple[Array, Array]:
        """The state put onto the constraints, which leave joints at rest in their places."""
        q, qd = projected_at_rest(self.links, self.rows, x[: self.n], v[: self.n])
        return np.array([*q, *x[self.n :]]), np.array([*qd, *v[self.n :]])

    def _constraints(self, q: Any, qd: Any) -> ConstraintRows | None:
        if not self.constrained:
            return None
        _, A, drift = all_equations(self.bare, q, qd)
        return ConstraintRows(A, drift)

    # Forces and energies.

    def _applied(self, q: Any) -> Array:
        """tau - J^T f_tip: the forces of joints and surroundings."""
        tau: Array = np.array(self.tau, dtype=object)
        return tau if self.f_tip is None else tau - algorithms.tip_forces(self.bare, q, self.f_tip)

    def _lost(self, q: Any, qd: Any) -> Any:
        """Forces of elements that do not come from their energy; the equations of motion have them already."""
        return dissipative_forces(self.bare, q, qd) if self.bare.elements else 0.0

    def _bending(self, x: Any, joint: FlexibleJoint, k: int) -> Any:
        """theta - q of a flexible joint, or its rate."""
        return x[self.n + k] - x[joint.coordinate]

    def _springs(self, x: Any, v: Any) -> Array:
        """tau_J of each flexible joint, N m or N."""
        forces = [
            joint.spring.force(self._bending(x, joint, k), self._bending(v, joint, k))
            for k, joint in enumerate(self.joints)
        ]
        return np.array(forces, dtype=object)

    def _elastic_forces(self, x: Any) -> Array:
        """Forces of the springs without their damping."""
        forces = [joint.spring.elastic_force(self._bending(x, joint, k)) for k, joint in enumerate(self.joints)]
        return np.array(forces, dtype=object)

    def energies_on(self, x: Any, first: ArmMotion, path: Array) -> Array:
        """The work and the dissipated energy of the forces in a state ``first`` on a path from its positions, J.

        Springs store the difference of their energies at its ends.
        """
        deflections, bends = ([self._bending(of, joint, k) for k, joint in enumerate(self.joints)] for of in (x, path))
        more = sum(
            joint.spring.energy(a + b) - joint.spring.energy(a) - joint.spring.elastic_force(a) * b
            for joint, a, b in zip(self.joints, deflections, bends, strict=True)
        )
        energies: Array = first.energies(path) + np.array([more, -more])
        return energies

    def energies_of_change(self, x: Any, v: Any, kinetic: Any, later: Any, moved: Array) -> Array:
        """Work and dissipated energy of a change of kinetic energy, M held, and of a small change of positions, J.

        Work is the change of K + P, and the dissipated energy the rest of the applied work. K changes with M along the
        path too: by C moved, which is added to g in the equations of motion. The energy that springs store is part of
        the work on the arm.

        Args:
            x, v: positions and velocities when the step begins.
            kinetic: the change of kinetic energy.
            later: the positions that are changed.
            moved: the change of these positions.
        """
        q, qd, n = x[: self.n], v[: self.n], self.n
        rest = algorithms.inverse_dynamics(self.bare, q, qd, np.zeros(n), self.f_tip) + self._lost(q, qd)
        applied = self._applied(q)
        of_tip = self.tau - applied
        applied[self.places] = applied[self.places] - self.tau[self.places]
        stored = sum(
            joint.spring.energy(self._bending(later + moved, joint, k))
            - joint.spring.energy(self._bending(later, joint, k))
            for k, joint in enumerate(self.joints)
        )
        work = kinetic + (rest - of_tip) @ moved[:n]
        heat = applied @ moved[:n] - work + self.tau[self.places] @ moved[n:] - stored
        return np.array([work + stored, heat])


@function("(n),(n),(n),(6)?->(n),(n)", sources=SOURCES)
def motion_of_rows(model: Any, q: Any, qd: Any, tau: Any, f_tip: Any = None) -> tuple[Array, Array]:
    """Joint accelerations qdd, rad/s^2 or m/s^2, and the friction of all coordinates, N m or N, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n); joints at rest are held as far as friction can.
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    arm_motion = FrictionalArm(model, {"q": q, "qd": qd, "tau": tau, "f_tip": f_tip}).begun()
    return arm_motion.x, arm_motion.friction


@function("(n),(n),(n),(n),(6)?->(n)", sources=SOURCES)
def modes_at_rest(model: Any, q: Any, qd: Any, slip: Any, tau: Any, f_tip: Any = None) -> Array:
    """Directions of slip of coordinates, 0 of those that friction holds, shape (..., n); each dry joint is one.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        slip: 1, -1 or 0 of coordinates that slip forwards, backwards, or are at rest, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    arm, ways = FrictionalArm(model, {"q": q, "qd": qd, "tau": tau, "f_tip": f_tip}), np.zeros(len(q), dtype=object)
    arm.slip = slip[arm.rows.own]
    arm.begun()
    ways[arm.rows.own] = arm.slip
    return ways
