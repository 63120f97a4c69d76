"""The elements of a call of `armdyn.simulate` by their kinds; settings of constraints and of the start are some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from numpy.typing import ArrayLike

from armdyn.base.checks import choice, refuse_class, switch
from armdyn.base.errors import SettingError, excerpt
from armdyn.base.fields import set_fields
from armdyn.constraints.arguments import Redundant
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.simulation.elements.brakes import BrakeSwitches
from armdyn.simulation.elements.stops import Contact, Stops


@dataclass(frozen=True)
class Constraints:
    """Treatment of the constraints of a robot: dependent rows, and projection after each step.

    Args:
        redundant: treatment of constraints that follow from others, e.g. those of a planar linkage closed in space.
            "auto" leaves out the rows that do so at all states, with a note, and refuses an initial state at which more
            rows are dependent than near it. "error" refuses both; "least_squares" is that of
            `constrained_forward_dynamics`, whose solution by singular values is slower. Rows within 1e-6 rad of others
            count as dependent.
        project: true to project q onto phi(q) = 0 and qd onto A qd = 0 after every step, by the least corrections in
            the metric of M, so that errors do not add up over time. ``trajectory.notes`` has the drift of the steps.

    Raises:
        SettingError: another word or value.

    >>> channel = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    >>> runner = armdyn.load("planar_2r").with_constraints(channel)
    >>> q0 = [-np.pi / 3, 2 * np.pi / 3]
    >>> motion = armdyn.simulate(runner, q0, duration=2.0, method="rk4", elements=[Constraints(project=True)])
    >>> bool(abs(runner.constraint_error(motion.q)).max() < 1e-12)
    True
    """

    redundant: Redundant = "auto"
    project: bool = False

    def __post_init__(self) -> None:
        choice("redundant", self.redundant, get_args(Redundant), error=SettingError)
        set_fields(self, project=switch("project", self.project, error=SettingError))


@dataclass(frozen=True, eq=False)
class Start:
    """Initial state of the rotors of flexible joints and of friction that has a state.

    Args:
        theta: positions of the rotors at the joints, rad or m, shape (..., n); by default those of the links, so that
            the springs are relaxed. Values of rigid joints are not read.
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n); by default those of the links.
        bristles: bristle deflection, rad or m, shape (..., bristles); zero by default.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Spring
    >>> elastic = Actuator(Motor(rotor_inertia=2e-5), Gear(100.0), spring=Spring(stiffness=900.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": elastic})
    >>> swing = armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Start(theta=[0.01, 0.0])])
    >>> float(swing.signals["theta"][0, 0])
    0.01
    """

    theta: ArrayLike | None = None
    thetad: ArrayLike | None = None
    bristles: ArrayLike | None = None


AT_REST = Start()
"""Rotors that begin at their links, and bristles without deflection."""


KINDS = (Stops, Contact, BrakeSwitches, Constraints, Start, Element, ElementWithState)
"""Classes of the elements."""


@dataclass(frozen=True)
class Parts:
    """The elements of a simulation.

    Args:
        stops: limits of joints that are stops; None if they are not.
        contacts: points and the planes that push them.
        switches: of brakes, by joint: pairs of a time, s, or an event, and a state.
        constraints: treatment of the robot's constraints.
        start: initial state of rotors and bristles.
        own: elements of a user's own.
    """

    stops: Stops | None = None
    contacts: tuple[Contact, ...] = ()
    switches: Mapping[str, Any] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    start: Start = AT_REST
    own: tuple[Element | ElementWithState, ...] = ()

    @classmethod
    def of(cls, elements: Any) -> Parts:
        """The elements of the argument ``elements``, one alone or several.

        Raises:
            SettingError: an object that is not an element, two of a kind that a simulation has once, two lists of
                switches of one brake, or states without names and units.
        """
        if elements == ():
            return _NONE
        listed = list(elements) if isinstance(elements, Iterable) and not isinstance(elements, str) else [elements]
        for one in listed:
            refuse_class("elements", one, KINDS)
            if not isinstance(one, KINDS):
                *first, last = (kind.__name__ for kind in KINDS)
                raise SettingError(f"elements has {one!r}; expected objects of {', '.join(first)} or {last}")
            if isinstance(one, ElementWithState):
                _require_states(one)
        by_kind: dict[type, list[Any]] = {kind: [one for one in listed if isinstance(one, kind)] for kind in KINDS}
        return cls(
            stops=_only(by_kind[Stops]),
            contacts=tuple(by_kind[Contact]),
            switches=_switches(by_kind[BrakeSwitches]),
            constraints=_only(by_kind[Constraints]) or Constraints(),
            start=_only(by_kind[Start]) or AT_REST,
            own=(*by_kind[Element], *by_kind[ElementWithState]),
        )

    @property
    def settings(self) -> tuple[Any, ...]:
        """The elements without those of a user's own, which are part of the robot."""
        stops = () if self.stops is None else (self.stops,)
        switches = (BrakeSwitches(self.switches),) if self.switches else ()
        return (*stops, *self.contacts, *switches, self.constraints)


_NONE = Parts()
"""No elements."""


def _require_states(element: ElementWithState) -> None:
    """Raise for states that are not a dict of units by name."""
    states: object = element.states()
    if not isinstance(states, Mapping) or not all(isinstance(word, str) for pair in states.items() for word in pair):
        raise SettingError(
            f"states of {type(element).__name__} are {excerpt(states)}; expected a dict of a unit for each name, e.g. "
            '{"pressure": "Pa"}'
        )


def _only(elements: list[Any]) -> Any:
    """The one element of a kind, None without any."""
    if len(elements) > 1:
        kind = type(elements[0]).__name__
        raise SettingError(f"elements has {kind} {len(elements)} times; expected one with all settings")
    return elements[0] if elements else None


def _switches(elements: list[BrakeSwitches]) -> dict[str, Any]:
    """The switches of all brakes by joint."""
    switches: dict[str, Any] = {}
    for one in elements:
        for joint, pairs in one.switches.items():
            if joint in switches:
                raise SettingError(f"elements has switches of the brake of joint {joint!r} twice; expected one list")
            switches[joint] = pairs
    return switches
