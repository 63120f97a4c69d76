"""`friction_map`: the friction force of each joint over its speed, and over its load if it depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms import gravity_forces, joint_positions
from armdyn.base.checks import array
from armdyn.base.errors import ModelError
from armdyn.base.imported import exported
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.functions.robot_like import compile_for
from armdyn.model.joint import Joint
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

POINTS, SLOWEST = 60, 1e-3
"""Speeds of each direction, and the smallest as a part of the largest."""

UNLIMITED_SPEED = 1.0
"""The largest speed of a joint without a limit, rad/s or m/s."""

POSES = 256
"""Random poses whose gravity forces are the loads."""


@dataclass(frozen=True, eq=False)
class FrictionMap(Tabulated):
    """The friction force of each joint over its speed and load.

    Args:
        robot: its name.
        joint_names: of the robot.
        kinds: "revolute" or "prismatic", one per joint.
        speeds: qd, rad/s or m/s, shape (n, S), rising, without zero.
        loads: the load that each joint transmits to its links, N m or N, shape (n, L).
        forces: friction of the sign of the speed, N m or N, shape (n, S, L).
        at_rest: the least and the largest force at rest, N m or N, shape (n, L, 2).
    """

    robot: str
    joint_names: tuple[str, ...]
    kinds: tuple[str, ...]
    speeds: Array
    loads: Array
    forces: Array
    at_rest: Array

    plot = exported("armdyn.plots", "draw_friction_map")

    def lines(self, j: int) -> range:
        """The loads at which the friction of a joint differs: the first alone if it does not depend on the load."""
        depends = np.ptp(self.forces[j], axis=-1).any() or np.ptp(self.at_rest[j], axis=0).any()
        return range(self.loads.shape[1] if depends else 1)

    def table(self) -> TextTable:
        """Friction at rest and at three speeds of each joint, and of each load."""
        rows, values = [], []
        for j, name in enumerate(self.joint_names):
            parts = [int(np.argmin(np.abs(self.speeds[j] - part * self.speeds[j, -1]))) for part in PARTS]
            for k in self.lines(j):
                load = self.loads[j, k] if len(self.lines(j)) > 1 else None
                low, high = self.at_rest[j, k]
                value = (name, load, low, high, *self.speeds[j, parts].tolist(), *self.forces[j, parts, k].tolist())
                values.append(value)
                band = f"{low:.3g} to {high:.3g}"
                moving = [f"{force:.3g} at {speed:.2g}" for speed, force in zip(value[4:7], value[7:], strict=True)]
                rows.append((name, "any" if load is None else f"{load:.3g}", band, *moving))
        headings = ("joint", "load", "at rest", "slow", "a third of the speed", "full speed")
        return TextTable(headings, rows, "lrrrrr", f"Friction of {self.robot}, N m or N, at rad/s or m/s")


PARTS = (0.01, 1.0 / 3.0, 1.0)
"""The speeds of the table, as parts of the largest."""


def friction_map(robot: RobotLike, speeds: ArrayLike | None = None, loads: ArrayLike | None = None) -> FrictionMap:
    """The friction force of each joint, N m or N, over its speed, and over its load if it depends on it.

    Viscous and Coulomb friction of the joint itself and the laws of its actuator: of a robot as described, or of
    ``fit.robot`` of `armdyn.identify`. Laws with a state count as they are at a steady speed.

    Args:
        speeds: qd, rad/s or m/s, shape (S,) for all joints or (n, S), not zero; if None 60 in each direction up to the
            limit of each joint, or 1 without a limit.
        loads: forces that joints transmit to their links, N m or N, shape (L,) or (n, L); if None zero, and the largest
            gravity force in 256 random poses with both signs if some friction depends on it.

    Raises:
        ModelError: speeds that contain zero, or loads and speeds that are not tables.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    >>> arm.friction_map(speeds=[-1.0, 3.0]).forces[1].ravel()
    array([-2.5,  3.5])
    """
    joints = robot.model.joints
    rates = _rates(joints) if speeds is None else _table("speeds", speeds, len(joints))
    if not rates.all():
        raise ModelError("speeds contains zero, at which dry friction is a band; expected others, such as 1e-3")
    at_loads = _loads(robot, joints) if loads is None else _table("loads", loads, len(joints))
    rates = np.sort(rates, axis=1)
    forces = np.array([_forces(*each) for each in zip(joints, rates, at_loads, strict=True)])
    bands = np.array(
        [[_at_rest(joint, load) for load in of_joint] for joint, of_joint in zip(joints, at_loads, strict=True)]
    )
    names, kinds = tuple(joint.name for joint in joints), tuple(joint.kind for joint in joints)
    return FrictionMap(robot.name, names, kinds, rates, at_loads, forces, bands)


def _rates(joints: tuple[Joint, ...]) -> Array:
    """The default speeds of each joint."""
    limits = np.array([joint.limits.velocity for joint in joints])
    largest = np.where(np.isfinite(limits) & (limits > 0.0), limits, UNLIMITED_SPEED)
    one_way = np.geomspace(SLOWEST, 1.0, POINTS)
    return np.asarray(largest[:, None] * np.concatenate([-one_way[::-1], one_way]))


def _loads(robot: RobotLike, joints: tuple[Joint, ...]) -> Array:
    """Zero, and the largest gravity force with both signs if some law depends on the load."""
    if not any(law.depends_on_load for joint in joints for law in joint.laws):
        return np.zeros((len(joints), 1))
    q, free = robot.random_configuration(0, size=POSES), robot
    if robot.model.coupling is not None:  # gravity forces of the joints, not of the coordinates that move them
        q = compile_for(joint_positions, robot)(q)
        free = type(robot)(robot.model.replace(coupling=None, constraints=()))  # type: ignore[call-arg]
    gravity = np.abs(compile_for(gravity_forces, free)(q)).max(axis=0)
    return np.asarray(np.outer(gravity, [-1.0, 0.0, 1.0]) + 0.0, dtype=np.float64)


def _forces(joint: Joint, rates: Array, loads: Array) -> Array:
    """damping qd + friction sign(qd) + laws, shape (S, L)."""
    own = float(joint.damping) * rates + float(joint.friction) * np.sign(rates)
    laws = [[sum(float(law.force(rate, load)) for law in joint.laws) for load in loads] for rate in rates]
    return np.asarray(own[:, None] + np.array(laws, dtype=np.float64).reshape(len(rates), len(loads)))


def _at_rest(joint: Joint, load: float) -> tuple[float, float]:
    """The band of the friction at rest."""
    bands = [(-float(joint.friction), float(joint.friction)), *(law.at_rest(load) for law in joint.laws)]
    return float(sum(low for low, _ in bands)), float(sum(high for _, high in bands))


def _table(name: str, value: ArrayLike, joints: int) -> Array:
    """One row for each joint."""
    rows = array(name, value, None, "numbers for all joints, or a row for each", finite=ModelError)
    if rows.ndim not in (1, 2) or (rows.ndim == 2 and len(rows) != joints) or not rows.size:
        raise ModelError(f"{name} has shape {rows.shape}; expected (S,), or ({joints}, S), a row for each joint")
    return np.broadcast_to(rows, (joints, rows.shape[-1])).copy()
