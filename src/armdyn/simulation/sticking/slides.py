"""Models of an arm in one step with fixed contact modes, for steps of joints that stick and slip."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.load_laws import LoadedFriction
from armdyn.algorithms.prescribed import Prescribed
from armdyn.simulation.methods.formulas import Rates
from armdyn.spatial.rotations import Array


class Slide(NamedTuple):
    """Accelerations and forces of the arm in a state.

    Args:
        x: accelerations.
        reactions: the opposite of the friction of held coordinates; without meaning for slipping ones.
        applied: forces of joints, motors and surroundings, N m or N.
        friction: friction forces, and the damping of springs, N m or N; 0 for held coordinates.
        loads: transmitted by joints whose friction depends on them, by body.
    """

    x: Array
    reactions: Array
    applied: Array
    friction: Array
    loads: dict[int, Any]

    def energies(self, moved: Array) -> Array:
        """Work of all forces on the arm, less the dissipated energy, and that energy, J; for velocities, W."""
        return np.array([(self.applied - self.friction) @ moved, self.friction @ moved])


class Bounds(NamedTuple):
    """Bounds of the friction of each coordinate, N m or N, (n,) each, 0 for those without dry friction.

    Args:
        least, most: at rest.
        backwards, forwards: when it begins to slip.
    """

    least: Array
    most: Array
    backwards: Array
    forwards: Array


class Slides(ABC):
    """An arm in one step, called by the formulas of `armdyn.simulation.methods.formulas`.

    The power is an array of two: of all forces on the arm, less the power dissipated by friction, and that power.
    Positions and velocities are those of all coordinates, rotors on springs included.

    Args:
        dry: the coordinates with dry friction.
        slip: 1, -1 or 0 for each coordinate: slips forwards, backwards, or is held; 1 for those without dry friction.
        loaded: the bodies whose friction depends on a load that changes of velocity change, and the coordinate that
            moves each.
        armature: the inertia of each body's rotor.
    """

    dry: Sequence[int]
    slip: Array
    loaded: Mapping[int, int]
    armature: Sequence[Any]

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the two powers."""
        found = self.solved(q, qd)
        return found.x, found.energies(qd)

    def energies_on(self, q: Any, first: Slide, path: Array) -> Array:
        """The work and the dissipated energy of the forces in a state ``first`` on a path from its positions, J."""
        return first.energies(path)

    @property
    @abstractmethod
    def last_loads(self) -> Array:
        """Loads of the bodies of ``loaded`` in the state that was evaluated last, in the order of the joints."""

    @abstractmethod
    def solved(self, q: Any, qd: Any) -> Slide:
        """Accelerations and forces in a state."""

    @abstractmethod
    def bounds(self, q: Any, qd: Any) -> Bounds:
        """Friction bounds in a state, without the friction of the bodies of ``loaded`` that depends on their load."""

    @abstractmethod
    def bounds_under_load(self, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """The least and the most that the latter may take from each coordinate at rest, from the loads by body."""

    @abstractmethod
    def loaded_friction(self, slip: Array, qd: Array, loads: Mapping[int, Any]) -> dict[int, LoadedFriction]:
        """The latter by body, of coordinates that slip in these directions."""

    @abstractmethod
    def changed(self, q: Any, rotors: Mapping[int, Any], moves: Array, impulses: Array, given: Array) -> Prescribed:
        """Changes of velocity by impulses.

        Args:
            q: positions.
            rotors: inertias in the place of those of some bodies' rotors.
            moves: 1 of each coordinate whose change is not known, else 0.
            impulses: on each.
            given: the changes that are known, else 0.
        """

    @abstractmethod
    def energies_of_change(self, q: Any, qd: Any, kinetic: Any, later: Any, moved: Array) -> Array:
        """Work and dissipated energy of a change of kinetic energy, M held, and of a small change of positions, J.

        Args:
            q, qd: positions and velocities when the step begins.
            kinetic: the change of kinetic energy.
            later: the positions that are changed.
            moved: the change of these positions.
        """
