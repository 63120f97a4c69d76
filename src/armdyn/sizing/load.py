"""The load of one joint over a task, without its drive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.sizing.task import MotionCycle
from armdyn.spatial.rotations import Array

OUTPUT, NOT_DRIVEN, DRIVING, SIGN, SPEED, ACCELERATION = range(6)
"""Row indices of `JointLoad.features`."""


@dataclass(frozen=True, eq=False)
class JointLoad:
    """Motion and torque of a joint over a task; for a joint with a screw, those of the rotating nut.

    Args:
        name: name of the joint.
        task: times and weights.
        qd: joint velocity, rad/s, shape (samples,).
        qdd: joint acceleration, rad/s^2, shape (samples,).
        link_torque: torque that the joint transmits to its links, N m, shape (samples,).
        friction_torque: friction torque of the joint itself, N m, shape (samples,).
        inertia: M_jj of the arm without rotors, kg m^2, shape (samples,).
    """

    name: str
    task: MotionCycle
    qd: Array
    qdd: Array
    link_torque: Array
    friction_torque: Array
    inertia: Array

    @property
    def output_torque(self) -> Array:
        """Output torque of the gear, N m, shape (samples,)."""
        return self.link_torque + self.friction_torque

    @cached_property
    def features(self) -> Array:
        """Rows z_1, ..., z_6 over the samples; a motor's torque is their sum with non-negative coefficients.

        k_t I = sum_i x_i z_i. z_1 is the output torque of the gear (x_1 = eta_b/G). z_2 is that torque without the
        link's torque while the link drives the joint (x_2 = (1 - eta_b)/G), so that the joint's friction has no loss.
        z_3 is the link's torque while the joint drives it (x_3 = (1/eta - 1)/G). So the factor of the link's torque is
        eta_b/G, 1/G or 1/(eta G). The further rows are the sign of the velocity (friction of the shaft), the velocity
        (G damping) and the acceleration (G I_rotor).
        """
        power = self.link_torque * self.qd
        rows = np.zeros((6, len(power)))
        rows[OUTPUT] = self.output_torque
        rows[NOT_DRIVEN] = np.where(power < 0.0, 0.0, self.link_torque) + self.friction_torque
        rows[DRIVING] = np.where(power > 0.0, self.link_torque, 0.0)
        rows[SIGN], rows[SPEED], rows[ACCELERATION] = np.sign(self.qd), self.qd, self.qdd
        return rows

    @cached_property
    def moments(self) -> Array:
        """Means of z_i z_j over the cycle, shape (6, 6): a mean square is x^T S x."""
        weighted: Array = self.features * self.task.weights
        return weighted @ self.features.T

    @cached_property
    def candidates(self) -> Array:
        """The columns of [z, -z] that no other column exceeds in every row, shape (6, candidates).

        The largest |sum_i x_i z_i| over the samples is the largest over these for any x_i, because no x_i is negative.
        """
        return undominated(np.hstack([self.features, -self.features]))

    @property
    def peak_speed(self) -> float:
        """Largest |qd|, rad/s."""
        return float(np.abs(self.qd).max())

    @property
    def mean_speed(self) -> float:
        """Mean of |qd|, rad/s."""
        return float(self.task.weights @ np.abs(self.qd))

    @property
    def powers(self) -> tuple[float, float]:
        """Mean powers from the joint to its link while it drives it, and from the link while the joint is driven, W."""
        power = self.link_torque * self.qd
        weights = self.task.weights
        return float(weights @ np.maximum(power, 0.0)), float(weights @ np.maximum(-power, 0.0))

    @property
    def peak_torque(self) -> float:
        """Peak torque of the gear's output, N m."""
        return float(np.abs(self.output_torque).max())

    @property
    def rms_torque(self) -> float:
        """Rms torque of the gear's output, N m."""
        return float(np.sqrt(self.task.weights @ self.output_torque**2))


def undominated(columns: Array) -> Array:
    """The columns that no other column equals or exceeds in every row; the first of equal ones."""
    order = np.argsort(-columns.sum(axis=0), kind="stable")  # a dominating column has the larger sum
    rows = np.empty_like(columns)
    count = 0
    for column in columns[:, order].T:
        if not (rows[:, :count] >= column[:, None]).all(axis=0).any():
            rows[:, count] = column
            count += 1
    return rows[:, :count].copy()
