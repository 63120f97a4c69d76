"""A recorded motion, ready for playback: states over time, with their forces and energies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, ShapeError
from armdyn.logs.log import Log
from armdyn.logs.rates import rates_of
from armdyn.motion.recorded import A_DATE
from armdyn.motion.trajectory import Trajectory
from armdyn.motion.with_robot import check_it_moved
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.errors import ViewerError

MOMENTS = 60
"""Number of moments of a motion at which the arm must lie in the initial camera view."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion of one robot over time.

    Args:
        t: times, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None if unknown.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None if unknown.
        tau: joint forces, N m or N, shape (T, n); None if unknown.
        kinetic: kinetic energy, J, shape (T,); None if unknown.
        potential: potential energy, J, shape (T,); None if unknown.
        tau_of: description of the source of the joint forces, for the legend.
        name: name of the motion.
        notes: differences from the recorded data, one sentence each.

    >>> falling = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.5)
    >>> Recording.of(falling).duration
    0.5
    """

    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    kinetic: Array | None = None
    potential: Array | None = None
    tau_of: str = "recorded"
    name: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.t.ndim != 1 or self.q.ndim != 2 or len(self.t) != len(self.q):
            raise ShapeError(f"t has shape {self.t.shape} and q {self.q.shape}; expected (T,) and (T, n)")
        if not len(self.t):
            raise ViewerError("a motion without states; expected one at least")
        if not (np.isfinite(self.t).all() and (np.diff(self.t) > 0.0).all()):
            raise ViewerError("times of a motion do not rise; expected each after the one before")

    @classmethod
    def of(cls, trajectory: Trajectory) -> Recording:
        """The recording of one simulated motion; `recordings_of` handles batches."""
        energy = trajectory.energy
        return cls(
            trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd, trajectory.tau, energy.kinetic,
            energy.potential, tau_of="simulated", name=trajectory.robot,
        ).without_lost()  # fmt: skip

    @classmethod
    def of_log(cls, log: Log) -> Recording:
        """The recording of a log, with all quantities that the log contains."""
        t = log.t if log.start > A_DATE else log.stamps
        return cls(t, log.q, log.qd, log.qdd, log.tau, name=log.name, notes=log.notes)

    @property
    def duration(self) -> float:
        """Time from the first to the last state, s."""
        return float(self.t[-1] - self.t[0])

    def index(self, t: float) -> int:
        """The index of the last state that is not later than t; 0 before the beginning.

        >>> motion = Recording(np.array([0.0, 0.1, 0.3]), np.zeros((3, 1)))
        >>> [motion.index(t) for t in (-1.0, 0.0, 0.1, 0.29, 0.3, 9.0)]
        [0, 0, 1, 1, 2, 2]
        """
        return max(int(np.searchsorted(self.t, t, side="right")) - 1, 0)

    def at(self, t: float, values: Array | None = None) -> Array:
        """The positions, or another array, at a time by linear interpolation; constant beyond the ends."""
        values = self.q if values is None else values
        k = self.index(t)
        if k + 1 >= len(self.t) or t <= self.t[0]:
            return np.array(values[k])
        share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        result: Array = values[k] + share * (values[k + 1] - values[k])
        return result

    def moments(self) -> Array:
        """The positions at some times, the first and the last too, rad or m, shape (k, n)."""
        places = np.unique(np.linspace(0, len(self.q) - 1, MOMENTS).round().astype(int))
        moments: Array = self.q[places]
        return moments

    def without_lost(self) -> Recording:
        """The recording without states that are not finite, with a note on their number."""
        states = self.q if self.qd is None else np.concatenate([self.q, self.qd], axis=1)
        is_finite: Array = np.asarray(np.isfinite(states).all(axis=1))
        count = len(is_finite) - int(is_finite.sum())
        if not count:
            return self
        if count == len(is_finite):
            raise ViewerError(
                f"no state of {self.name or 'the motion'!r} is finite, so the motion cannot be shown; expected finite q"
            )
        first = float(self.t[~is_finite][0])
        note = f"{count} of {len(is_finite)} states left out, for they are not finite: the first at {first:g} s"
        return replace(self._changed(lambda values: values[is_finite]), notes=(*self.notes, note))

    def completed(self, robot: Robot) -> Recording:
        """The recording with missing velocities, accelerations, forces and energies computed by the robot's equations.

        Velocities and accelerations are derivatives of a spline, computed by `armdyn.logs.rates.rates_of`.
        Forces are those of inverse dynamics; for robots with constraints they stay None, because the motion alone does
        not determine them.
        """
        qd, qdd, result = rates_of(self.t, self.q, self.qd, self.qdd)
        changes: dict[str, Any] = {}
        notes = [*self.notes, *result]
        try:
            if self.tau is None:
                changes |= {"tau": robot.inverse_dynamics(self.q, qd, qdd), "tau_of": "inverse dynamics"}
        except ArmdynError as error:
            notes.append(str(error).partition(". ")[0])
        if self.kinetic is None:
            changes["kinetic"] = robot.kinetic_energy(self.q, qd)
        if self.potential is None:
            changes["potential"] = robot.potential_energy(self.q)
        return replace(self, qd=qd, qdd=qdd, notes=tuple(notes), **changes)

    def _changed(self, change: Callable[[Array], Array]) -> Recording:
        arrays = ("t", "q", "qd", "qdd", "tau", "kinetic", "potential")
        changed = {name: None if getattr(self, name) is None else change(getattr(self, name)) for name in arrays}
        return replace(self, **changed)  # type: ignore[arg-type]  # t and q are never None


def recordings_of(motion: Trajectory | Recording | Log, robot: Robot) -> list[Recording]:
    """The recordings of a motion of a robot, several for a batch; checks that the joints match.

    Raises:
        ShapeError: a motion of other joints.
    """
    if isinstance(motion, Log):
        motion.require_joints_of(robot)
        motion = Recording.of_log(motion)
    if isinstance(motion, Recording):
        if motion.q.shape[-1] != robot.dof:
            raise ShapeError(
                f"a motion of {motion.q.shape[-1]} joints; {robot.name!r} has {robot.dof}: "
                f"{', '.join(robot.joint_names)}"
            )
        return [motion.without_lost()]
    check_it_moved(motion, robot)
    indices = list(np.ndindex(motion.batch)) if motion.batch else []
    return [Recording.of(motion.pick(*index)) for index in indices] or [Recording.of(motion)]
