"""Forces of a user's own on a robot with states of their own: pressures, temperatures, fluid levels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array


class ElementWithState(ABC):
    """The base of all elements that have states z of their own, with the rates dz/dt = g(q, qd, z, tau).

    An element is one class: a frozen dataclass of numbers and names. Its functions accept floats and traced scalars, as
    declared functions do (`armdyn.function`), and may call `armdyn.algorithms` with ``model``. The method of the motion
    integrates the states; ``trajectory.signals["element_states"]`` has them, in the order of the elements.

    The winding of the first motor, which torque heats and which cools in 10 s:

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Winding(armdyn.simulation.ElementWithState):
    ...     heating: float
    ...     def states(self):
    ...         return {"temperature rise": "K"}
    ...     def rates(self, model, q, qd, z, tau):
    ...         return [self.heating * tau[0] ** 2 - z[0] / 10.0]
    >>> arm, winding = armdyn.load("planar_2r"), Winding(0.5)
    >>> motion = armdyn.simulate(arm, [0.0, 0.0], duration=5.0, torque=[4.0, 0.0], elements=[winding])
    >>> rise = motion.signals["element_states"][-1, 0]
    >>> bool(abs(rise - 0.5 * 16.0 * 10.0 * (1.0 - np.exp(-0.5))) < 1e-8), motion.signal_labels["element_states"]
    (True, (Label(name='Winding temperature rise', unit='K'),))
    """

    @abstractmethod
    def states(self) -> Mapping[str, str]:
        """The names of the states z, in order, and their units."""

    @abstractmethod
    def rates(self, model: object, q: object, qd: object, z: object, tau: object) -> Scalar:
        """dz/dt, one number for each state.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
            z: the states.
            tau: joint forces of the motors, N m or N, shape (n,).
        """

    def start(self) -> Sequence[float]:
        """The states at t = 0; zero by default."""
        return [0.0] * len(self.states())

    def force(self, model: object, q: Array, qd: object, z: object) -> Scalar:
        """The joint forces of the element on the links, N m or N, shape (n,); zero by default.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
            z: the states.
        """
        return 0.0 * q

    def energy(self, model: object, q: object, z: object) -> float:
        """The stored energy E(q, z), J; 0 by default. It counts as potential energy, and its changes as work.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            z: the states.
        """
        return 0.0

    def located(self, model: object, q: object, qd: object, z: object) -> Sequence[object]:
        """Functions at whose zeros forces or rates have a kink or a jump, e.g. of a valve that opens.

        The event-driven driver locates these zeros and starts a new piece there, so that each method keeps its order.

        Args:
            model: the robot, for functions of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
            z: the states.
        """
        return ()
