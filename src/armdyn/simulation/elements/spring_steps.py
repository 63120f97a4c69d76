"""Stability of fixed steps for the vibrations of an arm on its springs.

A mode of the frequency w and the damping ratio zeta is the oscillator xdd + 2 zeta w xd + w^2 x = 0. A step of a method
multiplies (x, xd) by a matrix, and vibrations grow if the largest of its eigenvalues is above one in size: by
Runge-Kutta 4 without damping beyond w h = 2.83, by semi-implicit Euler beyond 2.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.vibration import VibrationModes, flexible_stiffness, vibration_modes
from armdyn.base.advice import option
from armdyn.base.errors import warn_outside
from armdyn.robot import Robot
from armdyn.simulation.divergence import shorter_than
from armdyn.simulation.elements.own import without_elements_with_states
from armdyn.simulation.errors import StepWarning
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates
from armdyn.spatial.rotations import Array

GROWS = 1e-3
"""A vibration that a step makes larger by more than this part of it is not that of the arm any more."""

MUCH = 1e3
"""A closed loop warns if a vibration grows by this factor in its steps."""

HALVINGS = 40
"""Number of halvings of the interval that contains the longest stable step."""


def growth(method: FixedStep, frequency: float, damping_ratio: float, h: float) -> float:
    """Growth of a vibration per step of length h, s: the spectral radius of the matrix of the step."""

    def f(_: float, x: float, xd: float) -> Rates:
        return -(frequency**2) * x - 2.0 * damping_ratio * frequency * xd, 0.0

    starts = ((1.0, 0.0), (0.0, frequency))
    ends = [method.scheme.formula(f, f(0.0, *one), 0.0, (*one, 0.0), h)[:2] for one in starts]
    columns = np.array(ends, dtype=float).T / [[1.0], [frequency]]
    return float(np.abs(np.linalg.eigvals(columns)).max()) if np.isfinite(columns).all() else np.inf


def longest_step(method: FixedStep, frequency: float, damping_ratio: float) -> float:
    """The step, s, beyond which vibrations grow, at most that of the method."""
    low, high = 0.0, method.step
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        grows = growth(method, frequency, damping_ratio, middle) > 1.0 + GROWS
        low, high = (low, middle) if grows else (middle, high)
    return high


def shorter_step(robot: Robot, method: FixedStep, q: Array) -> str:
    """The remedy for a motion that diverged after positions q: a sentence, on springs if they are the cause."""
    why = too_long_for_springs(robot, method, q)
    return f"{why[0].upper()}{why[1:]}." if why else shorter_than(method.step)


def too_long_for_springs(robot: Robot, method: FixedStep, q: Array) -> str:
    """A text with the spring for which a step is too long, and the remedy; empty if it is not, at these positions."""
    if not flexible_places(robot.model) or not np.isfinite(q).all():
        return ""
    why = _too_long(robot, method, q)[0]
    return why and f"{why}, or {option('method', 'adaptive')}"


def _too_long(robot: Robot, method: FixedStep, q: Array) -> tuple[str, float]:
    """The text of `too_long_for_springs`, and the growth per step of the vibration that grows most."""
    modes: VibrationModes = vibration_modes(without_elements_with_states(robot), q, tolerance=np.inf)
    of_modes = list(zip(modes.frequencies, modes.damping_ratios, strict=True))
    grow = [growth(method, w, ratio, method.step) for w, ratio in of_modes]
    worst = int(np.argmax(grow))
    if not grow[worst] > 1.0 + GROWS:
        return "", grow[worst]
    w, ratio = of_modes[worst]
    longest, joint = longest_step(method, w, ratio), _most_bent(robot, q, modes, worst)
    why = (
        f"the step of {method.step:g} s is too long for the spring of joint {joint!r}: the arm vibrates on its "
        f"springs with up to {w:.4g} rad/s there, and each step multiplies such a vibration by {grow[worst]:.4g}. Use "
        f"a step well below {longest:.2g} s"
    )
    return why, grow[worst]


def warn_of_springs(robot: Robot, method: FixedStep, q: ArrayLike, h: Any, steps: int) -> None:
    """Warn if the steps of a loop make a vibration of the first arm on its springs `MUCH` times larger."""
    length, first = float(np.max(h)), np.asarray(q, dtype=float).reshape(-1, robot.dof)[:1]
    if not first.size or not np.isfinite(first).all() or not length > 0.0:
        return
    own = dataclasses.replace(method, step=length)
    why, grows = _too_long(robot, own, first[0])
    if why and steps * math.log(grows) > math.log(MUCH):
        warn_outside(f"closed loop of {robot.name!r}: {why}", StepWarning)


def _most_bent(robot: Robot, q: Array, modes: VibrationModes, mode: int) -> str:
    """The joint whose spring has the most of the energy of a mode."""
    places = flexible_places(robot.model)
    bent = (modes.rotors - modes.links)[places, mode]
    stiffness = robot.compile(flexible_stiffness)(q).K
    return robot.joint_names[places[int(np.argmax(stiffness * bent**2))]]
