"""The motion between two events, traced: the modes of joints, rotors, stops and contacts are inputs.

Between events no mode changes. Each mode is valid while a margin of its own is not negative: the speed of a
joint or rotor that slips, along its direction; the room that is left to the force that holds one at rest; the gap to an
open stop; the load of a rotor's friction, which has a kink where it changes its sign; the pressure at an end of
backlash.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.algorithms.elements import in_state, rates_of_states
from armdyn.constraints.dead_points import nan_near
from armdyn.constraints.equations import all_equations
from armdyn.constraints.under_load import breakaway_of_available
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum, minimum, select
from armdyn.simulation.elements.bristles import NAME, Bristles, bristles_along
from armdyn.simulation.elements.springs import between_springs, pressure
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.friction_rows import FrictionRows
from armdyn.simulation.system.mode_motion import motion_and_multipliers
from armdyn.simulation.system.state_parts import StateParts
from armdyn.spatial.rotations import Array


class TracedArm:
    """A traced arm and the parts of its state."""

    def __init__(self, model: Mechanism, parts: StateParts, at: dict[str, Any]) -> None:
        self.parts, self.at, self.q, self.qd = parts, at, at["q"], at["qd"]
        laws = Bristles(model) if parts.bristles else None
        self.bristles: Any = at.get(NAME)
        self.bare = model if laws is None else laws.bare
        if parts.elements:
            self.bare = in_state(self.bare, at[ELEMENTS])
        self.joints = flexible_joints(self.bare) if parts.flexible else []
        self.places = [joint.coordinate for joint in self.joints]
        self.theta, self.thetad = self._rotors("")
        self.force: Any = 0.0
        """Friction of the bristles on motors or joints."""
        self.bending: Any = None
        """The rate of the bristle deflection."""
        if laws is not None:
            if parts.along:
                begin = self._rotors("_begin")
                self.bristles = bristles_along(laws.along, *begin, self.bristles)(self.theta, self.thetad)
            else:
                self.bending = laws.rates(self.bristles, self.thetad)
            self.force = laws.forces(self.bristles, self.thetad)

    def _rotors(self, when: str) -> tuple[Array, Array]:
        """The positions and velocities of all rotors, now or at the beginning of the step; of the links if rigid."""
        names = ("q", "theta"), ("qd", "thetad")
        theta, thetad = (np.array(self.at[link + when], dtype=object) for link, _ in names)
        if self.parts.flexible:
            theta[self.places], thetad[self.places] = (self.at[rotor + when] for _, rotor in names)
        return theta, thetad

    def results(self, qdd: Array, thetadd: Any, power: Any) -> dict[str, Any]:
        """The rates of the state by name, and the parts of it at the end of a step that have none."""
        values = {"d_q": 1.0 * self.qd, "d_qd": qdd, "d_work": power, f"d_{NAME}": self.bending}
        if self.parts.flexible:
            values["d_theta"] = np.array([1.0 * self.thetad[i] for i in self.places], dtype=object)
            values["d_thetad"] = np.array([thetadd[i] for i in self.places], dtype=object)
        if self.parts.elements:
            values[f"d_{ELEMENTS}"] = rates_of_states(self.bare, self.q, self.qd, self.at["tau"])
        values |= {f"on_{begin}": 1.0 * self.at[name] for name, begin in self.parts.begin.items()}
        return values | {f"on_{NAME}": self.bristles}


class ModeKinds(NamedTuple):
    """The modes of a motion that are inputs, besides those of joints and rotors that stick.

    Args:
        stops: true if joints have stops.
        contacts: true if the constraints of the arm are contacts, each closed or open.
    """

    stops: bool = False
    contacts: bool = False


class Margin(NamedTuple):
    """A margin: its kind, the place of its coordinate, or of its flexible joint, and the side of a stop or an end.

    Args:
        kind: "link", "rotor", "stop", "load", "touch" or "contact".
        place: of the coordinate, or of the joint among the flexible ones.
        side: 1 or -1.
    """

    kind: str
    place: int
    side: int = 0


def watched_margins(mechanism: Mechanism, flexible: bool, stops: bool, contacts: int) -> list[Margin]:
    """The margins of an arm, in the order of the results of `armdyn.simulation.system.rates.rates_of`."""
    joints = flexible_joints(mechanism) if flexible else []
    rows = FrictionRows(links_side(mechanism, joints) if joints else mechanism, joints)
    every = range(mechanism.dof) if stops else sorted(rows.own[: rows.of_links].tolist())
    margins = [Margin("link", i) for i in every]
    margins += [Margin("stop", i, side) for side in (-1, 1) for i in every] if stops else []
    margins += [Margin("contact", k) for k in range(contacts)]
    for k, joint in enumerate(joints):
        if k in rows.rotors:
            margins.append(Margin("rotor", k))
        if joint.spring.is_loose:
            margins += [Margin("touch", k, side) for side in (1, -1)]
        elif any(law.depends_on_load for law in joint.laws):
            margins.append(Margin("load", k))
    return margins


class Segment:
    """The traced equations of motion between two events."""

    def __init__(self, model: Mechanism, arm: TracedArm) -> None:
        at, self.arm, self.links = arm.at, arm, arm.bare
        self.at, tau, power = at, at["tau"] - arm.force, 0.0
        if arm.parts.flexible:
            self.links = links_side(arm.bare, arm.joints)
            directions = np.zeros(len(arm.q), dtype=object)
            directions[arm.places] = at["rotor_slip"]
            on = between_springs(arm.bare, arm.q, arm.qd, arm.theta, arm.thetad, tau, directions, at["touches"])
            tau, self.excess, power, self.sliding = on.links, on.excess, on.power, on.friction
            self.at_rest = on.bounds[:2]
        self.tau = tau
        rows, none = FrictionRows(self.links), np.zeros(len(arm.q))
        self.dry = rows.own.tolist()
        moves, ways = [1.0 - held for held in at["held"]], rows.of_joints(at["slip"][rows.own])
        closed = list(at["closed"]) if "closed" in at else None
        arguments = self.links, arm.q, arm.qd, tau, ways, moves, none, at["f_tip"]
        links, multipliers = motion_and_multipliers(*arguments, closed)
        self.push: Any = None if closed is None else -1.0 * multipliers
        """The forces of closed contacts along their normals, N."""
        self.qdd, self.friction, self.power = links.qdd, links.friction, links.power + power
        if at.get("usual") is not None:
            self.qdd = self.qdd * nan_near(model, arm.q, at["usual"])
        self.thetadd = np.array(self.qdd, dtype=object)
        self.rotor_friction = np.zeros(len(arm.joints), dtype=object)
        for k, joint in enumerate(arm.joints):
            i, held = joint.coordinate, at["rotor_held"][k]
            self.rotor_friction[k] = select(held, self.excess[i], self.sliding[i])
            self.thetadd[i] = select(held, 0.0, (self.excess[i] - self.sliding[i]) / joint.inertia)

    def margin(self, one: Margin) -> tuple[Any, Any]:
        """A margin and its rate, 0 if that is not known."""
        return {
            "link": self._of_link,
            "stop": self._of_stop,
            "rotor": self._of_rotor,
            "load": self._of_load,
            "touch": self._of_touch,
            "contact": self._of_contact,
        }[one.kind](one)

    def _of_link(self, one: Margin) -> tuple[Any, Any]:
        """The speed of a joint that slips, or the room of the force that holds it."""
        at, i = self.at, one.place
        least, most, room = at["least"][i], at["most"][i], at["room"][i]
        if self.links.drive.depends_on_load:
            of_load = self._breakaway
            least, most = least + of_load[0][i], most + of_load[1][i]
            room = room + SLACK * (of_load[1][i] - of_load[0][i])
        margin = minimum(self.friction[i] - least, most - self.friction[i]) + room
        speed = at["slip"][i] * self.arm.qd[i] if i in self.dry else 1.0
        rate = at["slip"][i] * self.qdd[i] if i in self.dry else 0.0
        return select(at["held"][i], margin, speed), rate

    @property
    def _breakaway(self) -> Any:
        at = self.at
        return breakaway_of_available(self.links, self.tau - at["least"], self.tau - at["most"])

    def _of_stop(self, one: Margin) -> tuple[Any, Any]:
        """The gap to an open stop: to the lower one, of side -1, or the upper one."""
        q, qd = self.arm.q[one.place], self.arm.qd[one.place]
        if one.side < 0:
            return q - self.at["lower"][one.place], 1.0 * qd
        return self.at["upper"][one.place] - q, -1.0 * qd

    def _of_contact(self, one: Margin) -> tuple[Any, Any]:
        """The force of a closed contact, or the gap to an open one."""
        phi, A, _ = all_equations(self.links, self.arm.q)
        closed = self.at["closed"][one.place]
        speed = A[one.place] @ self.arm.qd
        return select(closed, self.push[one.place], phi[one.place]), select(closed, 0.0, speed)

    def _of_rotor(self, one: Margin) -> tuple[Any, Any]:
        """The speed of a rotor that slips, or the room of the friction that holds it."""
        k, at = one.place, self.at
        joint, slip, held = self.arm.joints[k], at["rotor_slip"][k], at["rotor_held"][k]
        i = joint.coordinate
        least, most = self.at_rest[:, i]
        margin = minimum(self.excess[i] - least, most - self.excess[i]) + SLACK * (most - least)
        return select(held, margin, slip * self.arm.thetad[i]), slip * self.thetadd[i]

    def _of_load(self, one: Margin) -> tuple[Any, Any]:
        """The load of a rotor's friction with the sign that it has."""
        k = one.place
        load = self.tau[self.arm.joints[k].coordinate]
        return select(self.at["rotor_held"][k], 1.0, self.at["signs"][k] * load), 0.0

    def _of_touch(self, one: Margin) -> tuple[Any, Any]:
        """The pressure at an end of backlash in contact, or its opposite if the gap is open; 1 at the other end."""
        joint = self.arm.joints[one.place]
        i = joint.coordinate
        x, xd = self.arm.theta[i] - self.arm.q[i], self.arm.thetad[i] - self.arm.qd[i]
        touches = self.at["touches"][i]
        press = pressure(joint.spring, one.side, x, xd)
        here = maximum(one.side * touches, 0.0)
        return select(touches * touches, select(here, press, 1.0), -1.0 * press), 0.0
