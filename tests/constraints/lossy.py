"""Closed chains with lossy gears in plain numbers: every branch of the gears, and what a motion has to satisfy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Viscous
from armdyn.spatial.rotations import Array


class Gears(NamedTuple):
    """Of all joints of a robot, each (n,): efficiencies, rotors before the gear, what else rubs behind the rotor."""

    efficiency: Array
    back: Array
    rotor: Array
    viscous: Array
    coulomb: Array

    @classmethod
    def random(cls, n: int, seed: int, least: float = 0.2) -> Gears:
        """General numbers; a third of the joints have no rotor."""
        rng = np.random.default_rng(seed)
        rotor = np.where(rng.random(n) < 0.34, 0.0, np.exp(rng.uniform(-3.0, 1.0, n)))
        return cls(*rng.uniform(least, 1.0, (2, n)), rotor, rng.uniform(0.0, 0.5, n), rng.uniform(0.0, 1.0, n))

    def on(self, robot: armdyn.Robot) -> armdyn.Robot:
        """The robot with them."""
        actuators = {}
        for k, joint in enumerate(robot.joint_names):
            motor = Motor(float(self.rotor[k])) if self.rotor[k] else None
            gear = Gear(1.0, efficiency=float(self.efficiency[k]), back_efficiency=float(self.back[k]))
            rubs = [Viscous(float(self.viscous[k])), Coulomb(float(self.coulomb[k]))]
            actuators[joint] = Actuator(motor, gear, rubs)
        return robot.with_actuators(actuators)

    def ratios(self, drives: Array) -> Array:
        """The drive's force over the load: 1/eta of those that drive, eta_b of the others."""
        return np.where(drives > 0.0, 1.0 / self.efficiency, self.back)

    def loss(self, direction: Array, load: Array) -> Array:
        """What gears and Coulomb's friction take in a direction, 1 or -1."""
        return load * (self.ratios(direction * load) - 1.0) + self.coulomb * direction


class Terms(NamedTuple):
    """M of the links, h, A and b of A qdd = b at a state, of a robot without friction."""

    M: Array
    h: Array
    A: Array
    b: Array

    @classmethod
    def of(cls, bare: armdyn.Robot, q: Array, qd: Array) -> Terms:
        return cls(
            bare.mass_matrix(q), bare.bias_forces(q, qd), bare.constraint_jacobian(q), -bare.constraint_drift(q, qd)
        )


def solutions(terms: Terms, gears: Gears, qd: Array, tau: Array) -> Iterator[tuple[Array, Array]]:
    """qdd and lambda of every choice of driving and driven gears that is true to itself; no joint rests."""
    M, h, A, b = terms
    m, n = A.shape
    rubs = gears.viscous * qd + gears.coulomb * np.sign(qd)
    for drives in itertools.product((-1.0, 1.0), repeat=n):
        phi = gears.ratios(np.array(drives))
        left = np.block([[phi[:, None] * M + np.diag(gears.rotor), phi[:, None] * A.T], [A, np.zeros((m, m))]])
        found = np.linalg.solve(left, np.concatenate([tau - rubs - phi * h, b]))
        load = M @ found[:n] + h + A.T @ found[n:]
        if (load * qd * drives >= 0.0).all():
            yield found[:n], found[n:]


def unsatisfied(terms: Terms, gears: Gears, tau: Array, qdd: Array, friction: Array) -> float:
    """How far a motion that starts from rest is from being one: of all forces a part, or of all accelerations.

    The equations of motion hold with some lambda, and the constraints. Each joint that starts has the friction of its
    direction, and each that does not has what its load allows at rest.
    """
    M, h, A, b = terms
    size = np.abs(tau).max() + np.abs(h).max()
    left = tau - friction - gears.rotor * qdd - h - M @ qdd
    equations = np.abs(left - A.T @ np.linalg.lstsq(A.T, left, rcond=1e-10)[0]).max() / size
    kept = np.abs(A @ qdd - b).max() / (1.0 + np.abs(qdd).max())
    load = tau - friction - gears.rotor * qdd
    forwards, backwards = gears.loss(1.0, load), gears.loss(-1.0, load)
    starts = np.abs(qdd) > 1e-9 * np.abs(qdd).max()
    sliding = np.abs(friction - np.where(qdd > 0.0, forwards, backwards))
    least, most = np.minimum(forwards, backwards), np.maximum(forwards, backwards)
    beyond = np.maximum(np.maximum(least - friction, friction - most), 0.0)
    return float(max(equations, kept, np.where(starts, sliding, beyond).max() / size))
