"""The mechanical system of a robot: its coordinates, its states and the rates of both under forces.

Coordinates x are the positions q of the joints and, after them, those of rotors on springs (flexible joints,
Modern Robotics 8.9.5); velocities v are their rates. States z belong to friction with bristles (LuGre, Maxwell slip)
and, after them, to elements of a user's own.
The drivers of a simulation integrate (x, v, z, W), W being the work of all forces, independently of the numbers of
joints, rotors and states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_places, parted, stacked
from armdyn.base.checks import per_joint
from armdyn.base.errors import SettingError, ShapeError
from armdyn.base.threads import cached_property
from armdyn.constraints.arguments import Redundant
from armdyn.motion.energy import EnergyAccount
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import (
    NAME,
    bending,
    bent_along,
    bristle_energy,
    count,
    frictions,
    initial_bristles,
    motion_carries,
    without_bristles,
)
from armdyn.simulation.elements.dry_joints import can_hold, rubbing_bodies, rubbing_names
from armdyn.simulation.elements.own import (
    element_energy,
    element_motion,
    refuse_for_states,
    start_of_states,
    state_count,
    without_elements_with_states,
)
from armdyn.simulation.elements.parts import AT_REST, Start
from armdyn.simulation.equations import motion_of, rubbing_motion_of
from armdyn.simulation.methods.catalogue import Method, Taylor
from armdyn.simulation.methods.formulas import Rates
from armdyn.simulation.samples import ELEMENTS, Samples
from armdyn.spatial.rotations import Array


class System:
    """Coordinates, states and equations of motion of a robot, on numbers.

    Args:
        robot: the robot that moves, with all its laws of friction.
        redundant: treatment of constraints that follow from others, as of `armdyn.simulate`.
        carries: true if bristles are states z; else their friction counts at its steady force.
    """

    def __init__(self, robot: Robot, redundant: Redundant, *, carries: bool) -> None:
        self.robot, self.redundant, self.carries = robot, redundant, carries
        self.places: tuple[int, ...] = tuple(flexible_places(robot.model))
        """The joints with springs, whose rotors are coordinates."""
        self.dof, self.size = robot.dof, robot.dof + len(self.places)
        self.bristles = count(robot.model) if carries else 0
        self.own_states = state_count(robot.model)
        """The number of states of elements of a user's own."""
        self.bare = without_elements_with_states(without_bristles(robot) if carries else robot)
        """The robot without friction and elements that have states."""

    @classmethod
    def of(cls, robot: Robot, method: Method, redundant: Redundant) -> System:
        """The system that a method integrates, which the robot keeps for the next motion."""
        carries, cache = motion_carries(robot, method), vars(robot).setdefault("_systems", {})
        if (redundant, carries) not in cache:
            cache[redundant, carries] = cls(robot, redundant, carries=carries)
        system: System = cache[redundant, carries]
        return system

    # Coordinates and states.

    def start(self, q: Array, qd: Array, start: Start = AT_REST) -> tuple[Array, ...]:
        """The state (x, v) at t = 0, and z if the system has states, of joints and of rotors, bristles and elements.

        Raises:
            SettingError: rotors or bristles of a system that has none.
            ShapeError: arrays that do not fit q.
        """
        z = initial_bristles(self.robot, self.carries, start.bristles, q.shape[:-1])
        if self.own_states:
            own = np.broadcast_to(start_of_states(self.robot.model), (*q.shape[:-1], self.own_states))
            z = (np.concatenate([*z, own], axis=-1),)
        if not self.places:
            for name, value in (("theta", start.theta), ("thetad", start.thetad)):
                if value is not None:
                    raise SettingError(
                        f"Start({name}=...) is given, but no joint of {self.robot.name!r} has a spring: its rotors "
                        "move with its links, from q0 and qd0"
                    )
            return q, qd, *z
        theta, thetad = per_joint(
            self.robot,
            theta=q if start.theta is None else start.theta,
            thetad=qd if start.thetad is None else start.thetad,
        )
        if np.broadcast_shapes(theta.shape, q.shape) != q.shape:
            raise ShapeError(f"theta and thetad have shape {theta.shape}; expected {q.shape}, as q0")
        theta, thetad = np.broadcast_to(theta, q.shape), np.broadcast_to(thetad, q.shape)
        return stacked(q, theta, self.places), stacked(qd, thetad, self.places), *z

    def room(self, t: Array, batch: tuple[int, ...], *, with_f_tip: bool) -> Samples:
        """Room for the states of a motion at these times."""
        bristles = self.bristles if self.carries else None
        samples = Samples.empty(t, batch, self.dof, with_f_tip=with_f_tip, bristles=bristles)
        if self.own_states:
            samples.signals[ELEMENTS] = np.full((len(t), *batch, self.own_states), np.nan)
        if self.places:
            samples.places = self.places
            samples.signals |= {name: np.full_like(samples.q, np.nan) for name in ("theta", "thetad")}
        return samples

    def seen(self, x: Array, v: Array) -> tuple[Array, Array]:
        """q and qd of the joints, on which forces and events depend."""
        return (x[..., : self.dof], v[..., : self.dof]) if self.places else (x, v)

    def refuse_method(self, method: Method) -> None:
        """Refuse Taylor's method, which moves neither rotors on springs nor states of elements."""
        if self.places and isinstance(method, Taylor):
            raise SettingError(f"{method} does not move arms with flexible joints; expected 'adaptive', 'rk4' or such")
        if self.own_states:
            refuse_for_states(self.robot, method)

    # Equations of motion.

    @cached_property
    def motion(self) -> Callable[..., Rates]:
        """Accelerations and the power of all that acts: a function of x, v, joint forces tau and f_tip."""
        if not self.places:
            return motion_of(self.bare, self.redundant)
        equations, dof, places = self.bare.compile(flexible_motion), self.dof, self.places

        def on_springs(x: Array, v: Array, *acting: Array) -> Rates:
            (q, theta), (qd, thetad) = parted(x, dof, places), parted(v, dof, places)
            qdd, thetadd, power = equations(q, qd, theta, thetad, *acting)
            return stacked(qdd, thetadd, places), power

        return on_springs

    def bending(self, z: Array, v: Array) -> tuple[Array, Array]:
        """The force of bristles, to be taken from the motors', N m or N, (..., n), and dz/dt, rad/s or m/s."""
        force, rate = self._bending(z, self._rotors(v))
        return force, rate

    def along(self, z: Array, moved: Array, v: Array) -> Array:
        """z after a motion of the coordinates, at these velocities."""
        after: Array = self._along(z, self._rotors(moved), self._rotors(v))
        return after

    @property
    def has_states(self) -> bool:
        """True if the state has a z."""
        return self.carries or self.own_states > 0

    def parts_of_states(self, z: Array) -> tuple[Array, Array]:
        """The bristle deflection, and the states of elements."""
        return z[..., : self.bristles], z[..., self.bristles :]

    def of_states(self, z: Array, x: Array, v: Array, tau: Array) -> tuple[Any, Any, Array]:
        """The force of bristles, to be taken from the motors', that of elements on the links, N m or N, and dz/dt."""
        bristles, own = self.parts_of_states(z)
        bends, rate = self.bending(bristles, v) if self.carries else (0.0, bristles)
        if not self.own_states:
            return bends, 0.0, rate
        on_links, of_elements = self._element_motion(own, *self.seen(x, v), tau)
        return bends, on_links, np.concatenate([rate, of_elements], axis=-1)

    def stored(self, *z: Array) -> Any:
        """The energy in bristles, J."""
        return self._energy(*z) if self.carries else 0.0

    def energy_of_states(self, z: Array, x: Array) -> Any:
        """The energy in bristles and elements with states, J, at positions x."""
        bristles, own = self.parts_of_states(z)
        energy = self._energy(bristles) if self.carries else 0.0
        return energy + self._element_energy(own, x[..., : self.dof]) if self.own_states else energy

    def on_coordinates(self, force: Array) -> Array:
        """A force of the motors, (n,), on the coordinates: on rotors at flexible joints, (size,)."""
        of_links = force.copy()
        of_links[list(self.places)] = 0.0
        return np.append(of_links, force[list(self.places)])

    def _rotors(self, x: Array) -> Array:
        """Positions of the motors at the joints, or their rates."""
        return parted(x, self.dof, self.places)[1] if self.places else x

    @cached_property
    def _bending(self) -> Callable[..., tuple[Array, Array]]:
        return self.robot.compile(bending)

    @cached_property
    def _along(self) -> Callable[..., Array]:
        return self.robot.compile(bent_along)

    @cached_property
    def _energy(self) -> Callable[..., Any]:
        return self.robot.compile(bristle_energy)

    @cached_property
    def _element_motion(self) -> Callable[..., tuple[Array, Array]]:
        return self.robot.compile(element_motion)

    @cached_property
    def _element_energy(self) -> Callable[..., Any]:
        return self.robot.compile(element_energy)

    # Forces that may jump.

    @cached_property
    def rubbing(self) -> list[int]:
        """The bodies whose joints have friction that jumps at zero velocity."""
        return rubbing_bodies(self.bare.mechanism.drive)

    @cached_property
    def sticks(self) -> bool:
        """True if joints with dry friction can stick."""
        return bool(self.rubbing) and can_hold(self.bare)

    def directions(self, v: Array) -> Array:
        """The signs of the velocities of joints with dry friction; of link and rotor together in one number."""
        rates, links = self.bare.mechanism.drive.rates, self.seen(v, v)[0]
        of_links: Array = np.sign(rates(links)[self.rubbing])
        return 2.0 * np.sign(rates(self._rotors(v))[self.rubbing]) + of_links if self.places else of_links

    def names_of_forces(self) -> list[str]:
        """Names of the forces that may jump, of tau and f_tip."""
        torques = [f"the torque of {name!r}" for name in self.robot.joint_names]
        return [*torques, *(f"f_tip[{place}]" for place in range(6))]

    def names_of_friction(self) -> list[str]:
        """Names of the friction that may jump, in the order of `directions`."""
        return rubbing_names(self.bare)

    # Results.

    def accelerations(self, samples: Samples) -> Array:
        """qdd along the kept states of a motion without modes, by the rates of a compiled loop, (T, ..., n)."""
        from armdyn.simulation.system.rates import rates_of  # noqa: PLC0415 - of the same system, traced
        from armdyn.simulation.system.state_parts import StateParts  # noqa: PLC0415

        rates, (tau, *f_tip) = self.robot.compile(rates_of(StateParts.of(self))), samples.forces
        state: dict[str, Any] = {
            "q": samples.q,
            "qd": samples.qd,
            NAME: samples.bristles,
            **samples.signals,
            "tau": tau,
        }
        state |= {"f_tip": f_tip[0]} if f_tip else {}
        if self.places:
            state |= {name: samples.signals[name][..., list(self.places)] for name in ("theta", "thetad")}
        names = [argument.name for argument in rates.function.arguments]
        qdd: Array = rates(**{name: state[name] for name in names if state.get(name) is not None}).d_qd
        return qdd

    def results(self, samples: Samples) -> tuple[Array, EnergyAccount, dict[str, Array]]:
        """qdd, energies and signals along the kept states; energies of springs and bristles count as potential."""
        q, qd, z, (tau, *f_tip) = samples.q, samples.qd, samples.bristles, samples.forces
        qdd, signals, force = samples.qdd, dict(samples.signals), np.zeros(0)
        qdd = self.accelerations(samples) if qdd is None and self.own_states else qdd
        rotors = (signals["theta"], signals["thetad"]) if self.places else ()
        potential = (self.bare if self.own_states else self.robot).potential_energy(q)
        if rotors:
            potential = potential + self.robot.spring_energy(q, rotors[0])
        if z is not None:
            force, potential = self._bending(z, rotors[1] if rotors else qd)[0], potential + self._energy(z)
            tau = tau - force
        if self.own_states:
            potential = potential + self._element_energy(signals[ELEMENTS], q)
        if rotors:
            kinetic = self.robot.flexible_kinetic_energy(q, qd, rotors[1])
            qdd = self.bare.compile(flexible_motion)(q, qd, *rotors, tau, *f_tip)[0] if qdd is None else qdd
            signals |= frictions(self.robot, samples, qdd) if z is not None and "rotor_friction" not in signals else {}
        else:
            kinetic = self.robot.kinetic_energy(q, qd)
            if z is not None:
                accelerations, _, friction = rubbing_motion_of(self.bare, self.redundant)(q, qd, tau, *f_tip)
                qdd, signals = accelerations if qdd is None else qdd, {"friction": friction + force} | signals
            elif qdd is None:
                qdd = motion_of(self.bare, self.redundant)(q, qd, tau, *f_tip)[0]
        signals |= {} if z is None else {NAME: z}
        return qdd, EnergyAccount(kinetic, potential, samples.work), signals
