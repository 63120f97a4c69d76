"""Forces, power and energy of elements of a user's own (`armdyn.simulation.Element`), of coordinates and by body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.model.drive import Drive
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.mechanism import Mechanism


def forces_of_elements(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Joint forces of all elements on the links, N m or N, shape (n,)."""
    total = np.zeros(mechanism.dof)
    for element in mechanism.elements:
        force = np.asarray(element.force(mechanism, q, qd))
        if force.shape != (mechanism.dof,):
            raise Unsupported(
                f"force of {type(element).__name__} has shape {force.shape}; expected ({mechanism.dof},), a force for "
                f"each joint of {mechanism.name!r}"
            )
        total = total + force
    return total


def dissipative_forces(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Joint forces of the elements that do not come from their energy, N m or N, shape (n,): F(q, qd) - F(q, 0)."""
    total, at_rest = np.zeros(mechanism.dof), np.zeros(mechanism.dof)
    for element in mechanism.elements:
        total = total + element.force(mechanism, q, qd)
        if element.stores_energy:
            total = total - element.force(mechanism, q, at_rest)
    return total


def dissipated_power(mechanism: Mechanism, q: Array, qd: Array) -> Any:
    """Power of `dissipative_forces`, W."""
    return dissipative_forces(mechanism, q, qd) @ qd if mechanism.elements else 0.0


def energy_of_elements(mechanism: Mechanism, q: Array) -> Any:
    """The stored energy of all elements, J."""
    return sum((element.energy(mechanism, q) for element in mechanism.elements), start=0.0)


def against_elements(mechanism: Mechanism, positions: Array, rates: Array | None = None) -> list[Any]:
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
    by_body: list[Any] = [0.0] * len(positions)
    for (k, factor), force in zip(places, forces_of_elements(mechanism, q, qd), strict=True):
        by_body[k] = by_body[k] - _divided(force, factor)
    return by_body


def refuse_elements(mechanism: Mechanism, what: str) -> None:
    """Raise an Unsupported error of a function that leaves elements out."""
    if mechanism.elements:
        names = ", ".join(type(element).__name__ for element in mechanism.elements)
        raise Unsupported(
            f"{what} has no derivatives of {names}, elements of a user's own; the program of "
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


def _divided(value: Any, factor: float) -> Any:
    return value if factor == 1.0 else value / factor
