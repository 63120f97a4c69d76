"""Forces of a user's own on a robot: the base class of elements, functions of positions and velocities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array


class Element(ABC):
    """The base of all elements that a user adds to a robot: joint forces of its positions and velocities.

    An element is one class: a frozen dataclass of numbers and names. Its functions accept floats and traced scalars, as
    declared functions do (`armdyn.function`), and may call `armdyn.algorithms` with ``model``. So adaptive and fixed
    steps, closed loops, gradients, C code and FMUs contain it, and the energy account counts it.

    A rope from (1.5, 0) to the tip of a planar arm, that pulls beyond a length of 0.5 m:

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rope(armdyn.simulation.Element):
    ...     stiffness: float
    ...     def stretch(self, model, q):
    ...         tip = armdyn.algorithms.forward_kinematics(model, q)[:2, 3]
    ...         return armdyn.maximum(np.sqrt((tip[0] - 1.5) ** 2 + tip[1] ** 2) - 0.5, 0.0), tip
    ...     def force(self, model, q, qd):
    ...         stretch, tip = self.stretch(model, q)
    ...         pull = self.stiffness * stretch / (stretch + 0.5)
    ...         J = armdyn.algorithms.jacobian(model, q, expressed_in="world")[3:5]
    ...         return J.T @ np.array([pull * (1.5 - tip[0]), -pull * tip[1]])
    ...     def energy(self, model, q):
    ...         return 0.5 * self.stiffness * self.stretch(model, q)[0] ** 2
    >>> arm, method = armdyn.load("planar_2r"), armdyn.simulation.Adaptive(rtol=1e-12, atol=1e-12)
    >>> swing = armdyn.simulate(arm, [-1.0, 0.5], duration=1.0, method=method, elements=[Rope(200.0)])
    >>> bool(abs(swing.energy.drift).max() < 1e-8)
    True
    """

    @abstractmethod
    def force(self, model: Any, q: Array, qd: Array) -> Scalar:
        """The joint forces of the element on the links, N m or N, shape (n,).

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
        """

    def energy(self, model: object, q: object) -> float:
        """The stored energy E(q), J, with force(q, 0) = -dE/dq; 0 by default: all work of the element is then lost.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
        """
        return 0.0

    def located(self, model: Any, q: Array, qd: Array) -> Sequence[object]:
        """Functions at whose zeros the force has a kink or a jump, e.g. the length at which a rope becomes slack.

        The event-driven driver locates these zeros and starts a new piece there, so that each method keeps its order.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
        """
        return ()

    @property
    def stores_energy(self) -> bool:
        """True if the class has an energy."""
        return type(self).energy is not Element.energy
