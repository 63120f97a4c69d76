"""The equations of motion of an arm of which each joint goes on as it does: it slips in its direction, or is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.factors import links_mass
from armdyn.algorithms.prescribed import Prescribed, solved_with_prescribed
from armdyn.model.mechanism import Mechanism
from armdyn.simulation.bristles import Bent
from armdyn.simulation.equations import sliding_friction
from armdyn.simulation.schemes import Rates
from armdyn.simulation.sticking import directions
from armdyn.spatial.rotations import Array


class SlidingArm:
    """Called by the formulas of `armdyn.simulation.schemes`.

    The power is an array of two: of all that acts on the arm, less what friction takes, and what friction takes.

    Args:
        mechanism: what moves.
        slip: 1, -1 or 0 of each coordinate: slips forwards, backwards, or is held; 1 of those without dry friction.
        tau: joint forces, held.
        f_tip: the wrench at the tip, held.
        bent: what bends beside this friction, along the step.
    """

    def __init__(
        self, mechanism: Mechanism, slip: Array, tau: Any, f_tip: Any = None, bent: Bent | None = None
    ) -> None:
        self.bent = bent
        self.mechanism, self.bare = mechanism, mechanism.without_friction
        self.slip, self.moves, self.tau, self.f_tip = slip, slip * slip, tau, f_tip

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the two powers."""
        return self.solved(q, qd).x, self.powers(q, qd)

    def solved(self, q: Any, qd: Any) -> Prescribed:
        """Accelerations, and the opposite of the friction of what is held."""
        bare, none = self.bare, np.zeros(self.bare.dof)
        rest = algorithms.inverse_dynamics(bare, q, qd, none, self.f_tip)
        forces = self.tau - self._bends(q, qd) - self.friction(qd, self.slip) - rest
        return solved_with_prescribed(bare, self.mass_matrix(q), self.moves, forces, none)

    def powers(self, q: Any, qd: Any) -> Array:
        """See above, W; what is held has none."""
        friction = self.friction(qd, self.slip) + self._bends(q, qd)
        return np.array([(self.applied(q) - friction) @ qd, friction @ qd])

    def _bends(self, q: Any, qd: Any) -> Any:
        """What friction with a state of its own takes."""
        return 0.0 if self.bent is None else self.bent.forces(q, qd)

    def applied(self, q: Any) -> Array:
        """tau - J^T f_tip: what joints and surroundings put in."""
        tau: Array = self.tau
        return tau if self.f_tip is None else tau - algorithms.tip_forces(self.bare, q, self.f_tip)

    def energies_of_change(self, q: Any, kinetic: Any, moved: Array) -> Array:
        """The work and the heat of a change of kinetic energy and of a small change of positions, J.

        What is done on the arm is in K + P; what is applied and not in there is heat.
        """
        work = kinetic + algorithms.gravity_forces(self.bare, q) @ moved
        return np.array([work, self.applied(q) @ moved - work])

    def friction(self, qd: Any, slip: Any) -> Array:
        """Friction of coordinates that slip in these directions, N m or N, shape (n,)."""
        joints = directions(self.mechanism.drive, len(self.bare.model.joints), self.mechanism.bodies, slip)
        found: Array = sliding_friction(self.mechanism, qd, joints)
        return found

    def mass_matrix(self, q: Any) -> list[dict[int, Any]]:
        """M, by columns."""
        return self.bare.drive.mass_matrix(links_mass(self.bare, q))
