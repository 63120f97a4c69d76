"""Elements of a user's own: their states, functions at whose zeros they have kinks, and the forces that are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from armdyn.algorithms.elements import (
    energy_of_states,
    forces_of_states,
    in_state,
    rates_of_states,
    values_of_kinks,
)
from armdyn.base.errors import SettingError
from armdyn.declaration import function
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.motion.labels import Label
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_hold
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.methods.catalogue import Method, can_stop
from armdyn.simulation.samples import ELEMENTS
from armdyn.spatial.rotations import Array

Kinks = Callable[..., Array]
"""The located functions of all elements at (q, qd) and, if elements have states, these; shape (kinks,)."""


STEP = 1e-5
"""rad or m: half the interval over which differences of energies are taken."""

OTHER = 1e-2
"""A force that differs by more than this part from the slope of an energy has another potential."""

COMPARED = 7
"""Number of positions of a motion at which forces and slopes are compared."""


# States.


def with_states(model: Model) -> Iterator[ElementWithState]:
    """The elements with states, in their order."""
    return (element for element in model.elements if isinstance(element, ElementWithState))


def state_count(model: Model, **options: Any) -> int:
    """The number of states of all elements."""
    return sum(len(element.states()) for element in with_states(model))


def start_of_states(model: Model) -> Array:
    """The states of all elements at t = 0, shape (states,).

    Raises:
        SettingError: a start that is not one finite number for each state.
    """
    start: list[float] = []
    for element in with_states(model):
        own, names = np.asarray(element.start(), dtype=float), list(element.states())
        if own.shape != (len(names),) or not np.isfinite(own).all():
            raise SettingError(
                f"start of {type(element).__name__} is {element.start()!r}; expected a finite number for each of its "
                f"states: {', '.join(names)}"
            )
        start += own.tolist()
    return np.array(start)


def labels_of_states(model: Model) -> tuple[Label, ...]:
    """A name and a unit for each state."""
    return tuple(
        Label(f"{type(element).__name__} {name}", unit)
        for element in with_states(model)
        for name, unit in element.states().items()
    )


def without_elements_with_states(robot: Robot) -> Robot:
    """The robot without the elements that have states."""
    if not state_count(robot.model):
        return robot
    return Robot(robot.model.replace(elements=tuple(one for one in robot.model.elements if isinstance(one, Element))))


def refuse_for_states(robot: Robot, method: Method) -> None:
    """Refuse methods and friction together with which states of elements are not moved."""
    names = ", ".join(type(element).__name__ for element in with_states(robot.model))
    if not can_stop(method):
        raise SettingError(
            f"{method} does not move the states of {names}; expected 'adaptive', 'rk4' or another whose equations need "
            "not be analytic"
        )
    if robot.mechanism.drive.depends_on_load and not can_hold(robot):
        raise SettingError(
            f"friction of {robot.name!r} depends on the load of gears whose joints are coupled, turn rotors that are "
            f"bodies or stand in constraints, and the force of {names}, which has states, is part of that load; give "
            "gears efficiencies of 1"
        )


SIZES = {ELEMENTS: state_count}


@function("(element_states),(n),(n),(n)->(n),(element_states)", sizes=SIZES, sources=SOURCES)
def element_motion(model: Any, element_states: Any, q: Any, qd: Any, tau: Any) -> tuple[Array, Array]:
    """Joint forces of elements with states on the links, N m or N, (..., n), and dz/dt, (..., element_states).

    Args:
        element_states: z of all elements, shape (..., element_states).
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces of the motors, N m or N, shape (..., n).
    """
    arm = in_state(model, element_states)
    return forces_of_states(arm, q, qd), rates_of_states(arm, q, qd, tau)


@function("(element_states),(n)->()", sizes=SIZES, sources=SOURCES)
def element_energy(model: Any, element_states: Any, q: Any) -> Any:
    """Stored energy of elements with states, J, scalar.

    Args:
        element_states: z of all elements, shape (..., element_states).
        q: joint positions, rad or m, shape (..., n).
    """
    return energy_of_states(in_state(model, element_states), q)


class StatesInStep:
    """The states of the elements of a traced arm along one step, in which they are velocities of further coordinates.

    A formula of `armdyn.simulation.methods` moves velocities by their rates; z has the order of the formula then.
    """

    def __init__(self, model: Mechanism, z: Array, tau: Any) -> None:
        self.model, self.begin, self.tau, self.size = model, z, tau, len(z)

    def before(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Positions and velocities with those of the states when the step begins."""
        return np.concatenate([x, 0.0 * self.begin]), np.concatenate([v, self.begin])

    def rates(self, q: Any, qd: Any, z: Any) -> Array:
        """dz/dt."""
        return rates_of_states(in_state(self.model, z), q, qd, self.tau)

    def energy(self, q: Any, z: Any) -> Any:
        """The stored energy, J."""
        return energy_of_states(in_state(self.model, z), q)


def other_energy(robot: Robot, q: Array) -> str:
    """A sentence on the first element whose energy is not the potential of its force at positions q; empty without any.

    Args:
        robot: with elements.
        q: positions of a motion, shape (..., n).
    """
    model, at_rest = robot.mechanism.rounded, np.zeros(robot.dof)
    rows = q.reshape(-1, robot.dof)
    rows = rows[np.isfinite(rows).all(axis=-1)]
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), COMPARED)).astype(int)]
    for element in robot.model.elements:
        if not (isinstance(element, Element) and element.stores_energy):
            continue
        for at in some:
            force = np.asarray(element.force(model, at, at_rest), dtype=float)
            slope = np.array([_slope(element, model, at, step) for step in STEP * np.eye(robot.dof)])
            off = np.abs(force + slope)
            k = int(np.argmax(off))
            if off[k] > OTHER * max(float(np.abs(force).max()), float(np.abs(slope).max())):
                return (
                    f"the energy of {type(element).__name__} is not the potential of its force: at "
                    f"{robot.joint_names[k]} = {at[k]:.4g} the force is {force[k]:.4g} and -dE/dq is {-slope[k]:.4g}. "
                    "Correct the energy or the force"
                )
    return ""


def _slope(element: Element, model: Mechanism, q: Array, step: Array) -> float:
    """dE/dq along a step, by central differences."""
    after, before = (float(element.energy(model, at)) for at in (q + step, q - step))
    return (after - before) / (2.0 * STEP)


# Kinks.


def _count(model: Model) -> int:
    """The number of located functions."""
    mechanism = in_state(Robot(model).mechanism.rounded, start_of_states(model))
    at_rest = np.zeros(mechanism.dof)
    return len(values_of_kinks(mechanism, at_rest, at_rest))


@function("(n),(n),(element_states)?->(kinks)", sizes={"kinks": _count, **SIZES}, sources=SOURCES)
def located_functions(model: Any, q: Any, qd: Any, element_states: Any = None) -> Any:
    """Functions at whose zeros forces or rates of elements have kinks or jumps, shape (..., kinks).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        element_states: z of all elements, shape (..., element_states).
    """
    return values_of_kinks(model if element_states is None else in_state(model, element_states), q, qd)


def kinks_of(robot: Robot) -> Kinks | None:
    """The located functions of a robot's elements; None if there are none."""
    cache = vars(robot)
    if "_kinks" not in cache:  # the model's constants take longer than a short motion
        cache["_kinks"] = _count(robot.model)
    if cache["_kinks"] == 0:
        return None
    return robot.compile(located_functions)
