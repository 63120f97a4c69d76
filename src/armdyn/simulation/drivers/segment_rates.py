"""Rates along a segment of a motion, traced: what sticks, slips, is held by a stop, or touches is an input.

Along a segment nothing of that changes. Each mode is valid while a margin of its own is not negative: the speed of a
joint or rotor that slips, along its direction; the room that is left to the force that holds one at rest; the gap to an
open stop; the load of a rotor's friction, which has a kink where it changes its sign; the pressure at an end of
backlash.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.base.named_tuples import named_tuple
from armdyn.constraints.dead_points import nan_near
from armdyn.constraints.equations import all_equations
from armdyn.constraints.under_load import breakaway_of_available
from armdyn.declaration import Argument, Function, Shape
from armdyn.model.constraints import rows_of
from armdyn.model.friction import is_dry
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum, minimum, select
from armdyn.robot import Robot
from armdyn.simulation.drivers import corrections
from armdyn.simulation.drivers.corrections import Correction
from armdyn.simulation.drivers.known_rates import (
    SIZES,
    SPRINGS,
    Arm,
    Kind,
    N,
    acting_forces,
    force_arguments,
    function_of_actuators,
)
from armdyn.simulation.elements.bristles import Bristles
from armdyn.simulation.elements.springs import between_springs, friction_at_rest
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.mode_motion import directions_of, dry_coordinates, motion_and_multipliers


class Watched(NamedTuple):
    """A margin: its kind, the place of its coordinate, or of its flexible joint, and the side of a stop or an end.

    Args:
        kind: "link", "rotor", "stop", "load", "touch" or "contact".
        place: of the coordinate, or of the joint among the flexible ones.
        side: 1 or -1.
    """

    kind: str
    place: int
    side: int = 0


def watched_margins(mechanism: Mechanism, kind: Kind, *, stops: bool, contacts: int = 0) -> list[Watched]:
    """The margins of an arm, in the order of the results of `segment_rates`.

    Args:
        mechanism: the arm without the friction whose bristles are states.
        kind: the parts of the state.
        stops: true if joints have stops.
        contacts: the number of contacts.
    """
    joints = flexible_joints(mechanism) if kind.flexible else []
    links = links_side(mechanism, joints) if joints else mechanism
    every = range(mechanism.dof) if stops else dry_coordinates(links.drive)
    found = [Watched("link", i) for i in every]
    found += [Watched("stop", i, side) for side in (-1, 1) for i in every] if stops else []
    found += [Watched("contact", k) for k in range(contacts)]
    for k, joint in enumerate(joints):
        if any(map(is_dry, joint.laws)):
            found.append(Watched("rotor", k))
        if joint.spring.is_loose:
            found += [Watched("touch", k, side) for side in (1, -1)]
        elif any(law.depends_on_load for law in joint.laws):
            found.append(Watched("load", k))
    return found


class Segment:
    """The traced equations of motion along a segment.

    Args:
        model: the arm with all its laws of friction.
        kind: the parts of the state.
        at: the arguments of `segment_rates` by name.
    """

    def __init__(self, model: Mechanism, kind: Kind, at: dict[str, Any]) -> None:
        self.at, self.arm = at, Arm(model, {one.name: at[one.name] for one in kind.arguments})
        arm, self.links, tau, power = self.arm, self.arm.bare, at["tau"] - self.arm.force, 0.0
        if arm.flexible:
            self.links = links_side(arm.bare, arm.joints)
            directions = np.zeros(len(arm.q), dtype=object)
            directions[arm.places] = at["rotor_slip"]
            on = between_springs(arm.bare, arm.q, arm.qd, arm.theta, arm.thetad, tau, directions, at["touches"])
            tau, self.excess, power, self.sliding = on.links, on.excess, on.power, on.friction
        self.tau = tau
        self.dry, none = dry_coordinates(self.links.drive), np.zeros(len(arm.q))
        moves, ways = [1.0 - held for held in at["held"]], directions_of(self.links, at["slip"])
        closed = list(at["closed"]) if "closed" in at else None
        given = self.links, arm.q, arm.qd, tau, ways, moves, none, at["f_tip"]
        found, multipliers = motion_and_multipliers(*given, closed)
        self.push: Any = None if closed is None else -1.0 * multipliers
        """The forces of closed contacts along their normals, N."""
        self.qdd, self.friction, self.power = found.qdd, found.friction, found.power + power
        if at.get("usual") is not None:
            self.qdd = self.qdd * nan_near(model, arm.q, at["usual"])
        self.thetadd = np.array(self.qdd, dtype=object)
        self.rotor_friction = np.zeros(len(arm.joints), dtype=object)
        for k, joint in enumerate(arm.joints):
            i, held = joint.coordinate, at["rotor_held"][k]
            self.rotor_friction[k] = select(held, self.excess[i], self.sliding[i])
            self.thetadd[i] = select(held, 0.0, (self.excess[i] - self.sliding[i]) / joint.inertia)

    def margin(self, one: Watched) -> tuple[Any, Any]:
        """A margin and its rate, 0 if that is not known."""
        return {
            "link": self._of_link,
            "stop": self._of_stop,
            "rotor": self._of_rotor,
            "load": self._of_load,
            "touch": self._of_touch,
            "contact": self._of_contact,
        }[one.kind](one)

    def _of_link(self, one: Watched) -> tuple[Any, Any]:
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

    def _of_stop(self, one: Watched) -> tuple[Any, Any]:
        """The gap to an open stop: to the lower one, of side -1, or the upper one."""
        q, qd = self.arm.q[one.place], self.arm.qd[one.place]
        if one.side < 0:
            return q - self.at["lower"][one.place], 1.0 * qd
        return self.at["upper"][one.place] - q, -1.0 * qd

    def _of_contact(self, one: Watched) -> tuple[Any, Any]:
        """The force of a closed contact, or the gap to an open one."""
        phi, A, _ = all_equations(self.links, self.arm.q)
        closed = self.at["closed"][one.place]
        speed = A[one.place] @ self.arm.qd
        return select(closed, self.push[one.place], phi[one.place]), select(closed, 0.0, speed)

    def _of_rotor(self, one: Watched) -> tuple[Any, Any]:
        """The speed of a rotor that slips, or the room of the friction that holds it."""
        k, at = one.place, self.at
        joint, slip, held = self.arm.joints[k], at["rotor_slip"][k], at["rotor_held"][k]
        i = joint.coordinate
        least, most = friction_at_rest(joint, self.arm.q[i], self.arm.theta[i], self.tau[i], at["touches"][i])
        margin = minimum(self.excess[i] - least, most - self.excess[i]) + SLACK * (most - least)
        return select(held, margin, slip * self.arm.thetad[i]), slip * self.thetadd[i]

    def _of_load(self, one: Watched) -> tuple[Any, Any]:
        """The load of a rotor's friction with the sign that it has."""
        k = one.place
        load = self.tau[self.arm.joints[k].coordinate]
        return select(self.at["rotor_held"][k], 1.0, self.at["signs"][k] * load), 0.0

    def _of_touch(self, one: Watched) -> tuple[Any, Any]:
        """The pressure at an end of backlash in contact, or its opposite if the gap is open; 1 at the other end."""
        joint = self.arm.joints[one.place]
        i, spring = joint.coordinate, joint.spring
        touches = self.at["touches"][i]
        e = one.side * (self.arm.theta[i] - self.arm.q[i]) - 0.5 * spring.backlash
        press = e
        if spring.is_damped:
            rate = one.side * (self.arm.thetad[i] - self.arm.qd[i])
            k, c, d = spring.stiffness, spring.cubic, spring.damping
            press = minimum(e, e + (c / k) * (e * e * e) + (d / k) * rate)
        here = maximum(one.side * touches, 0.0)
        return select(touches * touches, select(here, press, 1.0), -1.0 * press), 0.0


def _mode_arguments(
    kind: Kind,
    *,
    stops: bool,
    bounds: bool,
    contacts: bool,
    correction: Correction = "",
    linear: bool = False,
) -> tuple[Argument, ...]:
    along = bounds and kind.along
    own: list[tuple[str, Shape]] = [("slip", N), ("held", N)]
    own += [("closed", ("constraints",))] if contacts else []
    own += [("rotor_slip", SPRINGS), ("rotor_held", SPRINGS), ("touches", N)] if kind.flexible else []
    if bounds:
        own += [("least", N), ("most", N), ("room", N)]
        own += [("signs", SPRINGS)] if kind.flexible else []
        own += [("lower", N), ("upper", N)] if stops else []
    usual = (Argument("usual", ("constraints",), optional=True),) if bounds and not contacts else ()
    forces = force_arguments(linear=linear)
    return (*(Argument(*one) for one in own), *forces, *corrections.arguments(correction, along=along), *usual)


@cache
def segment_rates(
    kind: Kind, *, stops: bool, contacts: bool = False, correction: Correction = "", linear: bool = False
) -> Function:
    """The rates of the state along a segment, with the margins and their rates.

    Arguments of the function: the state; 1, -1 or 0 of each coordinate and rotor that slips forwards, backwards or not;
    1 of each that is held at rest; the end of backlash that touches; the least and the largest friction at rest, and
    room for rounding; the signs of loads; the open stops, or infinite numbers; the forces; and the usual pivots of
    constraints, by which rates are NaN near dead points.

    Args:
        kind: the parts of the state.
        stops: true if joints have stops.
        contacts: true if the constraints of the arm are contacts, each closed or open.
        correction: of the state after each step; the rates are those of the corrected state.
        linear: true if forces are on straight lines over time; else they are held.
    """
    own = _mode_arguments(kind, stops=stops, bounds=True, contacts=contacts, correction=correction, linear=linear)
    arguments = (*kind.arguments, *own)
    on = corrections.RESULTS[correction].values()
    result = named_tuple("SegmentRates", [*kind.results, "margins", "slopes", *on])

    def rates(model: Any, *given: Any) -> Any:
        at = dict(zip((argument.name for argument in arguments), given, strict=True))
        at, on = corrections.with_correction(model, at, correction, at["held"])
        at["tau"], at["f_tip"] = acting_forces(at, linear=linear)
        segment = Segment(model, kind, at)
        watched = watched_margins(segment.arm.bare, kind, stops=stops, contacts=len(at.get("closed", ())))
        margins, slopes = zip(*(segment.margin(one) for one in watched), strict=True) if watched else ((1.0,), (0.0,))
        found = segment.arm.results(at, kind, segment.qdd, segment.thetadd, segment.power)
        return result(*found, np.array(margins, dtype=object), np.array(slopes, dtype=object), *on)

    words = ["segment", *(word for word, on in kind._asdict().items() if on), "stops" if stops else "open", correction]
    name = "_".join(filter(None, [*words, "driven" if linear else "", "touching" if contacts else ""]))
    made = partial(segment_rates, kind, stops=stops, contacts=contacts, correction=correction, linear=linear)
    results: tuple[Shape, ...] = (
        *kind.results.values(),
        ("margins",),
        ("margins",),
        *corrections.shapes(correction),
    )
    sizes: dict[str, Callable[..., int]] = {**SIZES, "margins": partial(_margin_count, kind, stops, contacts)}
    rates.__name__, rates.__doc__ = name, "The motion along a segment."
    return function_of_actuators(rates, "segment", arguments, results, result, sizes, made)


@cache
def segment_forces(kind: Kind, *, contacts: bool = False) -> Function:
    """Accelerations of links, friction of links and of rotors along a segment with its holding forces, and contacts."""
    arguments = (*kind.arguments, *_mode_arguments(kind, stops=False, bounds=False, contacts=contacts))
    parts: dict[str, Shape] = {"qdd": N, "friction": N}
    parts |= ({"rotor_friction": SPRINGS} if kind.flexible else {}) | ({"push": ("constraints",)} if contacts else {})
    result = named_tuple("SegmentForces", [*parts])

    def forces(model: Any, *given: Any) -> Any:
        at = dict(zip((argument.name for argument in arguments), given, strict=True))
        segment = Segment(model, kind, at)
        on_links = np.zeros(len(segment.qdd), dtype=object) + segment.arm.force
        on_rotors = on_links[segment.arm.places]
        on_links[segment.arm.places] = 0.0
        known = {"qdd": segment.qdd, "friction": segment.friction + on_links, "push": segment.push}
        known["rotor_friction"] = segment.rotor_friction + on_rotors
        return result(*(known[name] for name in parts))

    name = "_".join(["segment_forces", *(word for word, on in kind._asdict().items() if on)])
    name += "_touching" if contacts else ""
    results = tuple(parts.values())
    forces.__name__, forces.__doc__ = name, "The motion along a segment."
    made = partial(segment_forces, kind, contacts=contacts)
    return function_of_actuators(forces, "segment", arguments, results, result, SIZES, made)


def _margin_count(kind: Kind, stops: bool, contacts: bool, model: Any, **options: Any) -> int:
    """The number of margins."""
    mechanism = Robot(model).mechanism
    bare = Bristles(mechanism).bare if kind.bristles else mechanism
    rows = len(rows_of(model.constraints)) if contacts else 0
    return max(len(watched_margins(bare, kind, stops=stops, contacts=rows)), 1)
