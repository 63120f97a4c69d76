"""The initial state of a motion, its rows of constraints that span them all, and projections onto them after steps.

A planar linkage that a point closes in space has a row across its plane that nothing moves against. The accelerations
by least squares and those without such rows are one; without them they are compiled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.advice import either, option
from armdyn.base.checks import choice, per_joint
from armdyn.base.errors import ArmdynError, SettingError, ShapeError
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.closing import close_loop
from armdyn.constraints.dead_points import APPROACHING, DeadPoints
from armdyn.constraints.errors import ConstraintError, RedundantConstraints, SingularState
from armdyn.constraints.projection import DRIFTED, Projected, projection_of
from armdyn.constraints.row_sizes import holonomic
from armdyn.model.joint_units import UNITS
from armdyn.robot import Robot
from armdyn.simulation.elements.own import without_elements_with_states
from armdyn.simulation.methods.catalogue import MULTISTEP, Adaptive, Method, Taylor
from armdyn.simulation.samples import Samples
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

FAR = 1e3
"""A correction this many times as long as the drift, and longer than the step, is refused."""


def initial_state(robot: Robot, q0: Any, qd0: Any) -> tuple[Array, Array]:
    """q0 and qd0 as float64 arrays of one shape (..., n). One state must be finite; in a batch, bad rows stay alone."""
    if qd0 is None:
        (q,) = per_joint(robot, q0=q0)
        qd = np.zeros(q.shape)
    else:
        q, qd = per_joint(robot, q0=q0, qd0=qd0)
    if not q.size:
        raise ShapeError(f"q0 and qd0 hold no state: shape {q.shape}")
    if q.ndim == 1:
        _must_be_finite(robot, "q0", q)
        _must_be_finite(robot, "qd0", qd)
    return q, qd


def check_constraints(robot: Robot, q: Array, qd: Array, redundant: Redundant = "error") -> None:
    """Refuse initial states that the robot's constraints do not allow, and constraints that depend on each other."""
    choice("redundant", redundant, get_args(Redundant), error=SettingError)
    if not robot.model.constraints:
        return
    if redundant != "error" and flexible_places(robot.model):
        setting = either(f"Constraints(redundant={redundant!r})", f"--set redundant={redundant}")
        raise SettingError(
            f"{setting} is not for arms with flexible joints; "
            + either("robot.with_independent_constraints(q) leaves out", "give a robot without")
            + " the constraints that follow from others"
        )
    bare = without_elements_with_states(robot)
    bare.constrained_forward_dynamics(q, qd, np.zeros(robot.dof), redundant=redundant)


def checked_start(robot: Robot, q: Array, qd: Array, redundant: Redundant) -> tuple[Robot, Redundant, list[str]]:
    """The robot that moves from a state, the treatment of dependent rows, and notes on rows left out.

    With "auto" rows that follow from others at all states are left out; at a state at which more do than near it the
    motion is not determined.

    Raises:
        ConstraintError: an initial state that the constraints do not allow, or at which they are redundant.
    """
    choice("redundant", redundant, get_args(Redundant), error=SettingError)
    if redundant != "auto" or not robot.model.constraints:
        check_constraints(robot, q, qd, redundant)
        return robot, "error" if redundant == "auto" else redundant, []
    try:
        bare = without_elements_with_states(robot)
        motion = bare.constrained_forward_dynamics(q, qd, np.zeros(robot.dof), redundant="error")
        if not (motion.independence <= DRIFTED**2).any():
            return robot, "error", []
    except SingularState:
        raise
    except RedundantConstraints:
        pass
    states = q.reshape(-1, robot.dof)
    smaller = without_redundant_rows(robot, states[np.isfinite(states).all(axis=1)][0])
    check_constraints(smaller, q, qd, "error")
    return smaller, "error", [note for note in smaller.notes if note not in robot.notes]


def without_redundant_rows(robot: Robot, q: Array) -> Robot:
    """The robot without the rows that follow from others at all states; unchanged if more do at q than near it."""
    try:
        smaller: Robot = robot.with_independent_constraints(q, rank_tolerance=DRIFTED)
    except SingularState:
        return robot
    return smaller


def spanning_rows(robot: Robot) -> Robot:
    """The robot without the rows that follow from others at all states, found at a state of its own choice.

    The robot is returned unchanged if its loops do not close from the middle of its joints' ranges.
    """
    if not robot.model.constraints:
        return robot
    q = np.array([_middle(joint.limits.lower, joint.limits.upper) for joint in robot.model.coordinates])
    try:
        at = close_loop(robot, q) if holonomic(robot).any() else q
        smaller, _, _ = checked_start(robot, np.asarray(at), np.zeros(robot.dof), "auto")
    except (ConstraintError, ArmdynError):
        return robot  # a call reports the error of its own state
    return smaller


def _middle(lower: float, upper: float) -> float:
    return 0.5 * (lower + upper) if np.isfinite(lower) and np.isfinite(upper) else 0.0


def _must_be_finite(robot: Robot, name: str, state: Array) -> None:
    if np.isfinite(state).all():
        return
    for joint, value in zip(robot.joint_names, state, strict=True):
        if not math.isfinite(value):
            raise SettingError(f"{name} of joint {joint!r} is {value}; a simulation starts from finite numbers")


def _projecting() -> str:
    """The option that projects, as it is written where a message is read."""
    return either("Constraints(project=True)", "--set project=true")


class Corrector:
    """Moves states onto the constraints of a robot, and keeps the largest phi and A qd it met after a step.

    A correction is as small as the error of the step it follows, so that a method keeps its order.

    It moves every state if ``always``; else those near dead points alone, at which drift would lead the motion onto
    another branch.
    """

    def __init__(self, robot: Robot, redundant: Redundant, *, always: bool = True) -> None:
        self.robot, self.always = robot, always
        self.points = DeadPoints(robot, redundant)
        self.project = projection_of(robot, redundant, self.points)
        self.positions = self.velocities = 0.0

    def after_step(
        self, x: Array, v: Array, held: Array | None = None, /, *, since: Array | None = None
    ) -> tuple[Array, Array]:
        """The state on the constraints that a step is followed by.

        ``held`` are rows of velocities that are zero; coordinates before the step are ``since``. Those of rotors stay.
        """
        (q, qd), before = self._of_joints(x, v), None if since is None else since[..., : self.robot.dof]
        if not self.always and not self._approaches(q, before):
            return x, v
        projected = self.project(q, qd, self._rows(held))
        if before is not None:
            self._refuse_far(q, projected, before)
        self.saw(_largest(projected.phi), _largest(projected.rate))
        return self._with_rotors(x, projected.q), self._with_rotors(v, projected.qd)

    def saw(self, phi: float, rate: float) -> None:
        """Keep the violation of a state after a step, if it is the largest."""
        self.positions, self.velocities = max(self.positions, phi), max(self.velocities, rate)

    def _approaches(self, q: Array, since: Array | None) -> bool:
        path = q[None] if since is None else np.stack([since, q])
        return bool(self.points.on_path(path, APPROACHING).any())

    def onto(self, x: Array, v: Array, held: Array | None = None, /) -> tuple[Array, Array]:
        """A state between two steps, which no step goes out from, on the constraints."""
        if not self.always:
            return x, v
        projected = self.project(*self._of_joints(x, v), self._rows(held))
        return self._with_rotors(x, projected.q), self._with_rotors(v, projected.qd)

    def _of_joints(self, x: Array, v: Array) -> tuple[Array, Array]:
        return x[..., : self.robot.dof], v[..., : self.robot.dof]

    def _rows(self, held: Array | None) -> Array | None:
        """The rows that are held and contain velocities of joints."""
        if held is None or held.shape[-1] == self.robot.dof:
            return held
        rows = held[:, : self.robot.dof]
        return rows[rows.any(axis=1)]

    def _with_rotors(self, x: Array, q: Array) -> Array:
        """Coordinates, or their rates, with those of the joints replaced."""
        rotors = x[..., self.robot.dof :]
        return np.concatenate([q, rotors], axis=-1) if rotors.shape[-1] else q

    def _refuse_far(self, q: Array, found: Projected, since: Array) -> None:
        """Raise a SimulationError if a correction is far above the drift that it corrects, and above the step."""
        M = np.asarray(self.robot.mass_matrix(q))
        far = _length(M, found.q - q)
        drift = np.abs(found.phi / self.points.lengths).sum(axis=-1)
        beyond = (far > FAR * drift) & (far > _length(M, q - since)) & (far > 0.0)
        if beyond.any():
            at = tuple(np.argwhere(beyond)[0])
            ways = np.abs(found.q - q)[at]
            name, kind = self.robot.joint_names[int(ways.argmax())], self.robot.joints[int(ways.argmax())].kind
            raise SimulationError(
                f"a projection onto the constraints of {self.robot.name!r} moves joint {name!r} by {ways.max():.3g} "
                f"{UNITS[kind]['q']} to correct a drift of {np.abs(found.phi[at]).max():.3g} m or rad, more than the "
                "step itself moved: joints that are free hardly move the constraints there. Use a shorter step or a "
                f"smaller rtol, or leave out {_projecting()}"
            )


def corrector_of(robot: Robot, method: Method, project: bool, redundant: Redundant) -> Corrector | None:
    """The projection that ``project`` of `armdyn.simulate` turns on; without it that near dead points alone.

    None if a robot has no constraints, or the method cannot be corrected.
    """
    several = isinstance(method, Taylor) or (isinstance(method, Adaptive) and method.scipy_method in MULTISTEP)
    if not project:
        return Corrector(robot, redundant, always=False) if robot.model.constraints and not several else None
    if not robot.model.constraints:
        raise SettingError(f"{_projecting()}, but {robot.name!r} has no constraints to project onto; leave it out")
    if several:
        raise SettingError(
            f"{method} cannot be corrected between its steps; use "
            + either("Adaptive('DOP853')", "--method adaptive")
            + f" or {option('method', 'rk4')}"
        )
    return Corrector(robot, redundant)


def notes_on_projection(
    corrector: Corrector | None, robot: Robot, method: Method, redundant: Redundant, samples: Samples
) -> Iterator[str]:
    """Notes on the drift of the steps; for a motion without projection, on dead points near it."""
    if corrector is not None and corrector.always:
        yield (
            "every step was followed by a projection onto the constraints; the steps had drifted from them by up to "
            f"{corrector.positions:.3g} m or rad and {corrector.velocities:.3g} m/s or rad/s"
        )
    elif (
        corrector is None
        and robot.model.constraints
        and samples.count > 1
        and DeadPoints(robot, redundant).on_path(samples.q).any()
    ):
        yield (
            f"the motion comes near a dead point of its constraints, where two branches cross, and {method} alone does "
            f"not keep it on its own: compare it with that of {option('method', 'adaptive')} or 'rk4'"
        )


def _length(M: Array, x: Array) -> Array:
    """|x|, the root of x^T M x."""
    return np.asarray(np.sqrt(np.einsum("...i,...ij,...j->...", x, M, x)))


def _largest(values: Any) -> float:
    size = np.abs(values)
    return float(np.max(size[np.isfinite(size)], initial=0.0))
