"""Forces, power and energy of elements of a user's own (`armdyn.simulation.Element`), of coordinates and by body."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.base.scalars import Scalar
from armdyn.model.drive import Drive
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class InState(Element):
    """An element with states, in one state: a force of positions and velocities.

    Args:
        element: the element.
        z: the states.
    """

    element: ElementWithState
    z: Array

    def force(self, model: Mechanism, q: Array, qd: Array) -> Array:
        """The joint forces on the links, N m or N, shape (n,)."""
        return np.asarray(self.element.force(model, q, qd, self.z))

    def located(self, model: Mechanism, q: Array, qd: Array) -> Sequence[Scalar]:
        """The functions at whose zeros forces or rates have a kink."""
        return self.element.located(model, q, qd, self.z)


def in_state(mechanism: Mechanism, z: Array) -> Mechanism:
    """The mechanism whose elements with states are forces of positions and velocities, in the states z of all."""
    elements: list[Element | ElementWithState] = []
    first = 0
    for element in mechanism.elements:
        if isinstance(element, ElementWithState):
            size = len(element.states())
            elements.append(InState(element, z[first : first + size]))
            first += size
        else:
            elements.append(element)
    return dataclasses.replace(mechanism, elements=tuple(elements))


def without_states(mechanism: Mechanism) -> Mechanism:
    """The mechanism without the elements that have states."""
    if not any(isinstance(element, ElementWithState) for element in mechanism.elements):
        return mechanism
    stateless = tuple(element for element in mechanism.elements if isinstance(element, Element))
    return dataclasses.replace(mechanism, elements=stateless)


def rates_of_states(mechanism: Mechanism, q: Array, qd: Array, tau: Array) -> Array:
    """dz/dt of the states of all elements of a mechanism `in_state`."""
    rates: list[Scalar] = []
    for one in mechanism.elements:
        if isinstance(one, InState):
            own = np.atleast_1d(np.asarray(one.element.rates(mechanism, q, qd, one.z, tau), dtype=object))
            names = list(one.element.states())
            if own.shape != (len(names),):
                raise Unsupported(
                    f"rates of {type(one.element).__name__} have shape {own.shape}; expected ({len(names)},), one for "
                    f"each of its states: {', '.join(names)}"
                )
            rates += list(own)
    return np.array(rates, dtype=object)


def energy_of_states(mechanism: Mechanism, q: Array) -> Scalar:
    """The stored energy of the elements of a mechanism `in_state` that have states, J."""
    own = (one for one in mechanism.elements if isinstance(one, InState))
    return sum((one.element.energy(mechanism, q, one.z) for one in own), start=0.0)


def forces_of_elements(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Joint forces of all elements on the links, N m or N, shape (n,)."""
    return _sum(mechanism, _stateless(mechanism), q, qd)


def forces_of_states(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Joint forces on the links of the elements of a mechanism `in_state` that have states, N m or N, shape (n,)."""
    return _sum(mechanism, [one for one in mechanism.elements if isinstance(one, InState)], q, qd)


def _sum(mechanism: Mechanism, elements: Sequence[Element], q: Array, qd: Array) -> Array:
    total = np.zeros(mechanism.dof)
    for element in elements:
        force = np.asarray(element.force(mechanism, q, qd))
        if force.shape != (mechanism.dof,):
            raise Unsupported(
                f"force of {_name(element)} has shape {force.shape}; expected ({mechanism.dof},), a force for "
                f"each joint of {mechanism.name!r}"
            )
        total = total + force
    return total


def values_of_kinks(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """The functions of all elements at whose zeros forces or rates have a kink, shape (kinks,)."""
    return np.array([value for element in _stateless(mechanism) for value in element.located(mechanism, q, qd)])


def dissipative_forces(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Joint forces of the elements that do not come from their energy, N m or N, shape (n,): F(q, qd) - F(q, 0)."""
    total, at_rest = np.zeros(mechanism.dof), np.zeros(mechanism.dof)
    for element in _stateless(mechanism):
        total = total + element.force(mechanism, q, qd)
        if element.stores_energy:
            total = total - element.force(mechanism, q, at_rest)
    return total


def dissipated_power(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Power of `dissipative_forces`, W."""
    return dissipative_forces(mechanism, q, qd) @ qd if mechanism.elements else 0.0


def energy_of_elements(mechanism: Mechanism, q: Array) -> Scalar:
    """The stored energy of all elements, J."""
    return sum((element.energy(mechanism, q) for element in _stateless(mechanism)), start=0.0)


def _name(element: Element) -> str:
    return type(element.element if isinstance(element, InState) else element).__name__


def _stateless(mechanism: Mechanism) -> list[Element]:
    """The elements, none of which has a state.

    Raises:
        Unsupported: an element with states, which functions of positions and velocities do not have.
    """
    elements: list[Element] = []
    for element in mechanism.elements:
        if isinstance(element, ElementWithState):
            raise Unsupported(
                f"{type(element).__name__} of {mechanism.name!r} has states, {', '.join(element.states())}, which are "
                "not arguments here; armdyn.simulate and armdyn.ClosedLoop move them"
            )
        elements.append(element)
    return elements


def against_elements(mechanism: Mechanism, positions: Array, rates: Array | None = None) -> list[Scalar]:
    """The forces, by body, that the drives of the joints provide against the elements.

    Args:
        mechanism: with elements.
        positions: of the joints, by body.
        rates: velocities of the joints, by body; zero by default.
    """
    if not mechanism.elements:
        return [0.0] * len(positions)
    drive, places = mechanism.drive, _direct(mechanism.drive)
    q = np.array([_divided(positions[k] - drive.offsets[k], factor) for k, factor in places])
    at_rest = np.zeros(drive.size)
    qd = at_rest if rates is None else np.array([_divided(rates[k], factor) for k, factor in places])
    by_body: list[Scalar] = [0.0] * len(positions)
    for (k, factor), force in zip(places, forces_of_elements(mechanism, q, qd), strict=True):
        by_body[k] = by_body[k] - _divided(force, factor)
    return by_body


def refuse_elements(mechanism: Mechanism, subject: str) -> None:
    """Raise an Unsupported error of a function that leaves elements out."""
    if mechanism.elements:
        names = ", ".join(type(element).__name__ for element in mechanism.elements)
        raise Unsupported(
            f"{subject} has no derivatives of {names}, elements of a user's own; the program of "
            "robot.compile(armdyn.algorithms.inverse_dynamics) is differentiated by .derivative"
        )


def _direct(drive: Drive) -> list[tuple[int, float]]:
    """Bodies whose joints one coordinate each moves alone, by coordinate, and the factors between them."""
    places: dict[int, tuple[int, float]] = {}
    for k, terms in enumerate(drive.terms):
        if len(terms) == 1:
            places.setdefault(terms[0][0], (k, terms[0][1]))
    if len(places) < drive.size:
        raise Unsupported(
            "an element acts on coordinates each of which moves a joint alone, and of this robot one moves joints with "
            "others only; give the element to a robot of other coordinates"
        )
    return [places[i] for i in range(drive.size)]


def _divided(value: Scalar, factor: float) -> Scalar:
    return value if factor == 1.0 else value / factor
