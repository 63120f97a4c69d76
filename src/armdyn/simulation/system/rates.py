"""Rates of the state of a motion under forces that are known functions of time, traced, for compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.base.fields import set_fields
from armdyn.base.named_tuples import named_tuple
from armdyn.constraints.dead_points import nan_near
from armdyn.declaration import Argument, Function, MadeFunction, Shape
from armdyn.model.constraints import rows_of
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import Bristles
from armdyn.simulation.equations import SOURCES, motion
from armdyn.simulation.system.corrections import corrected
from armdyn.simulation.system.segment import ModeKinds, Segment, TracedArm, watched_margins
from armdyn.simulation.system.state_parts import SIZES, SPRINGS, N, StateParts


@cache
def rates_of(parts: StateParts, modes: ModeKinds | None = None, *, linear: bool = False) -> Function:
    """The rates of the state, and with modes the margins within which these are valid, and the rates of the margins.

    Arguments of the function: the state; the modes and their bounds (`mode_arguments`); the forces
    (`force_arguments`); and the usual pivots of constraints, by which rates are NaN near dead points. The rates are
    those of the corrected state.

    Args:
        parts: the parts of the state.
        modes: the modes that are inputs; None for a motion without located functions.
        linear: true if forces are on straight lines over time; else they are held.
    """
    forces = (*force_arguments(linear=linear), Argument("usual", ("constraints",), optional=True))
    own = () if modes is None else (*mode_arguments(parts, contacts=modes.contacts), *_bounds(parts, modes))
    arguments = (*parts.arguments, *own, *forces)
    margins: dict[str, Shape] = {} if modes is None else {"margins": ("margins",), "slopes": ("margins",)}
    results = parts.results | margins
    result = named_tuple("StateRates", results)

    def rates(model: Any, *given: Any) -> Any:
        at = dict(zip((argument.name for argument in arguments), given, strict=True))
        on = corrected(model, at, parts.correction)
        at |= on
        at["tau"], at["f_tip"] = _acting_forces(at, linear=linear)
        arm, values = TracedArm(model, parts, at), {f"on_{name}": value for name, value in on.items()}
        if modes is None:
            values |= arm.results(*_free_motion(model, arm))
        else:
            segment = Segment(model, arm)
            values |= arm.results(segment.qdd, segment.thetadd, segment.power)
            watched = watched_margins(arm.bare, parts.flexible, modes.stops, len(at.get("closed", ())))
            both = zip(*(segment.margin(one) for one in watched), strict=True) if watched else ((1.0,), (0.0,))
            values |= zip(margins, (np.array(each, dtype=object) for each in both), strict=True)
        return result(*(values[name] for name in results))

    words = ["rates", *(word for word, on in parts._asdict().items() if on is True), parts.correction]
    words += [] if modes is None else ["in_modes", *(word for word, on in modes._asdict().items() if on)]
    rates.__name__ = "_".join(filter(None, [*words, "driven" if linear else "held"]))
    rates.__doc__ = "The rates of the state of a motion."
    sizes: Mapping[str, Callable[..., int]] = (
        SIZES if modes is None else {**SIZES, "margins": partial(_margin_count, parts, modes)}
    )
    return _function(rates, arguments, results, result, sizes, partial(rates_of, parts, modes, linear=linear))


def _free_motion(model: Any, arm: TracedArm) -> tuple[Any, Any, Any]:
    """Accelerations of links and rotors, and the power, of a motion without modes."""
    tau, f_tip, thetadd = arm.at["tau"] - arm.force, arm.at["f_tip"], None
    if arm.parts.flexible:
        qdd, thetadd, power = flexible_motion(arm.bare, arm.q, arm.qd, arm.theta, arm.thetad, tau, f_tip)
    else:
        qdd, power = motion(arm.bare, arm.q, arm.qd, tau, f_tip)
    usual = arm.at["usual"]
    return qdd if usual is None else qdd * nan_near(model, arm.q, usual), thetadd, power


@cache
def forces_in_modes(parts: StateParts, *, contacts: bool = False) -> Function:
    """Accelerations of links, friction of links and of rotors with its holding forces, and forces of contacts."""
    forces = force_arguments(linear=False)
    arguments = (*parts.arguments, *mode_arguments(parts, contacts=contacts), *forces)
    results: dict[str, Shape] = {"qdd": N, "friction": N}
    results |= ({"rotor_friction": SPRINGS} if parts.flexible else {}) | (
        {"push": ("constraints",)} if contacts else {}
    )
    result = named_tuple("ForcesInModes", results)

    def in_modes(model: Any, *given: Any) -> Any:
        at = dict(zip((argument.name for argument in arguments), given, strict=True))
        arm = TracedArm(model, parts, at)
        segment = Segment(model, arm)
        on_links = np.zeros(len(segment.qdd), dtype=object) + arm.force
        on_rotors = on_links[arm.places]
        on_links[arm.places] = 0.0
        values = {"qdd": segment.qdd, "friction": segment.friction + on_links, "push": segment.push}
        values["rotor_friction"] = segment.rotor_friction + on_rotors
        return result(*(values[name] for name in results))

    words = ["forces_in_modes", *(word for word, on in parts._asdict().items() if on)]
    in_modes.__name__ = "_".join([*words, *(["contacts"] if contacts else [])])
    in_modes.__doc__ = "The forces of a motion."
    return _function(in_modes, arguments, results, result, SIZES, partial(forces_in_modes, parts, contacts=contacts))


def mode_arguments(parts: StateParts, *, contacts: bool) -> tuple[Argument, ...]:
    """The modes of coordinates, rotors, contacts and backlash.

    1, -1 or 0 of each coordinate and rotor that slips forwards, backwards or not, and 1 of each that is held at rest;
    1 of each closed contact; the end of backlash that touches.
    """
    own: list[tuple[str, Shape]] = [("slip", N), ("held", N)]
    own += [("closed", ("constraints",))] if contacts else []
    own += [("rotor_slip", SPRINGS), ("rotor_held", SPRINGS), ("touches", N)] if parts.flexible else []
    return tuple(Argument(*one) for one in own)


def _bounds(parts: StateParts, modes: ModeKinds) -> tuple[Argument, ...]:
    """The least and largest friction at rest, and room for rounding; the signs of loads; open stops, or infinity."""
    own: list[tuple[str, Shape]] = [("least", N), ("most", N), ("room", N)]
    own += [("signs", SPRINGS)] if parts.flexible else []
    own += [("lower", N), ("upper", N)] if modes.stops else []
    return tuple(Argument(*one) for one in own)


def force_arguments(*, linear: bool) -> tuple[Argument, ...]:
    """The arguments of forces that are held, or on straight lines: the time t, t_0, the forces then, their rates."""
    forces = Argument("tau", N), Argument("f_tip", (6,), optional=True)
    if not linear:
        return forces
    rates = Argument("tau_rate", N), Argument("f_tip_rate", (6,), optional=True)
    return Argument("t", ()), Argument("t_0", ()), *forces, *rates


def _acting_forces(at: Mapping[str, Any], *, linear: bool) -> tuple[Any, Any]:
    """The joint forces and the wrench, None without one, from the arguments `force_arguments`."""
    tau, f_tip = at["tau"], at["f_tip"]
    if linear:
        elapsed = at["t"] - at["t_0"]
        tau, f_tip = tau + elapsed * at["tau_rate"], None if f_tip is None else f_tip + elapsed * at["f_tip_rate"]
    return tau, f_tip


def _function(
    implementation: Any,
    arguments: tuple[Argument, ...],
    results: Mapping[str, Shape],
    result: type[Any],
    sizes: Mapping[str, Callable[..., int]],
    made: Callable[[], Function],
) -> Function:
    """A function of simulations with actuators; arguments as of `MadeFunction`."""
    name, shapes = implementation.__name__, tuple(results.values())
    declared = MadeFunction(implementation, name, "rates of a motion", arguments, shapes, {}, result, sizes, made=made)
    set_fields(declared, sources=(*SOURCES, "actuators"))
    return declared


def _margin_count(parts: StateParts, modes: ModeKinds, model: Any, **options: Any) -> int:
    """The number of margins."""
    mechanism = Robot(model).mechanism
    bare = Bristles(mechanism).bare if parts.bristles else mechanism
    contacts = len(rows_of(model.constraints)) if modes.contacts else 0
    return max(len(watched_margins(bare, parts.flexible, modes.stops, contacts)), 1)
