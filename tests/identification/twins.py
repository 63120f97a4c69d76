"""Synthetic twins of four kinds of arm: logs with the faults of real ones, of which the parameters are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import armdyn
from armdyn.identification import Fit
from armdyn.spatial.rotations import Array
from identification.arms import fourier, recorded, wrong_description
from oracles.robot_data import ROBOTS

TERMS = ("viscous", "coulomb")


@dataclass(frozen=True)
class Twin:
    """An arm and the faults of its logs.

    Args:
        robot: a bundled description, or a file of example-robot-data.
        friction: viscous and Coulomb friction of each joint, N m s/rad and N m.
        noise: standard deviation of the torques, N m, of each joint.
        counts: of the encoders, per turn.
        rate: rows per second, Hz.
        jitter: standard deviation of the sampling times, s.
        delay: of the torques, s.
        duration: of the motion, s.
        period: of its sines, s.
    """

    robot: str
    friction: tuple[tuple[float, float], ...]
    noise: tuple[float, ...]
    counts: float = 2.0**17
    rate: float = 250.0
    jitter: float = 2e-4
    delay: float = 3e-3
    duration: float = 20.0
    period: float = 10.0

    @property
    def description(self) -> armdyn.Robot:
        """The robot without friction, without fingers."""
        if "." not in self.robot:
            return armdyn.load(self.robot).without_friction()
        arm = armdyn.load(ROBOTS / self.robot).without_friction()
        return arm.with_locked(dict.fromkeys(arm.joint_names[len(self.friction) :], 0.0))

    @property
    def real(self) -> armdyn.Robot:
        """The robot whose logs these are."""
        return self.description.with_friction(dict(zip(self.description.joint_names, self.friction, strict=True)))

    def log(self, seed: int) -> dict[str, Array]:
        """A log of the real robot."""
        arm = self.real
        motion = fourier(arm.dof, self.duration, self.rate, period=self.period, amplitude=0.8, seed=seed)
        return recorded(
            arm, motion, noise=np.array(self.noise), counts=self.counts, jitter=self.jitter, delay=self.delay,
            velocities=False, seed=1000 + seed,
        )  # fmt: skip

    def fit(self, seed: int, **options: Any) -> Fit:
        """The fit of a log, from a description whose masses are wrong by about 15 %."""
        description = wrong_description(self.description, by=0.15, seed=seed)
        return armdyn.identify(description, self.log(seed), friction=TERMS, armature=False, **options)


TWINS = {
    "planar, two joints": Twin("planar_2r", ((0.8, 2.0), (0.4, 1.0)), (0.5, 0.2)),
    "industrial, six joints": Twin(
        "ur5", ((8.0, 9.0), (9.0, 12.0), (6.0, 8.0), (1.5, 3.0), (1.5, 3.0), (1.0, 2.5)), (1.0, 1.0, 0.6, 0.3, 0.3, 0.2)
    ),
    "collaborative, seven joints": Twin(
        "panda_description/urdf/panda.urdf",
        ((3.0, 2.0), (3.0, 2.5), (2.5, 2.0), (2.5, 2.0), (1.0, 1.2), (1.0, 1.0), (0.8, 0.8)),
        (0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2), rate=500.0,
    ),
    "low-cost, heavy friction": Twin(
        "so_arm_description/urdf/so101.urdf", ((0.4, 0.8), (0.4, 0.9), (0.4, 0.8), (0.3, 0.7), (0.3, 0.7)), (0.2,) * 5,
        counts=4096.0, rate=100.0, jitter=1e-3, delay=5e-3, duration=40.0,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """The comparison of a fit with its twin.

    Args:
        inside: for each base parameter and friction number, True if its interval of 95 % holds the right value.
        friction: relative errors of the friction torque of each joint at its root mean square speed.
        least: the smallest eigenvalue of a pseudo-inertia.
    """

    inside: Array
    friction: Array
    least: float


def compared(twin: Twin, fit: Fit) -> Outcome:
    """The comparison of a fit with its twin."""
    K = fit.parameters.base.matrix
    base = K @ twin.description.standard_parameters(armature=False, damping=False, friction=False).values
    inside = list(np.abs(fit.base_values - base) <= 1.96 * fit.base_deviations)
    errors = []
    speed = np.sqrt(np.mean(fourier(len(twin.friction), 20.0, 50.0, amplitude=0.8)[2] ** 2))
    for joint, numbers in zip(twin.description.joint_names, twin.friction, strict=True):
        inside += [n in fit.intervals[f"{joint}.{term}"] for n, term in zip(numbers, TERMS, strict=True)]
        found = fit.friction(joint)
        right = numbers[0] * speed + numbers[1]
        errors.append((found["viscous"] * speed + found["coulomb"]) / right - 1.0)
    return Outcome(np.array(inside), np.array(errors), float(np.linalg.eigvalsh(fit.pseudo_inertias).min()))
