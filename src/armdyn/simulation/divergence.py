"""The error of a motion that runs away, and its cause: steps too long for springs, joints that move no inertia.

Stability of fixed steps for the vibrations of an arm on its springs: a mode of the frequency w and the damping ratio
zeta is the oscillator xdd + 2 zeta w xd + w^2 x = 0. A step of a method multiplies (x, xd), and the memory of the
method, by a matrix, and vibrations grow if the largest of its eigenvalues is above one in size: by Runge-Kutta 4
without damping beyond w h = 2.83, by semi-implicit Euler beyond 2.
"""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.vibration import VibrationModes, flexible_stiffness, vibration_modes
from armdyn.base.advice import either, option
from armdyn.base.errors import warn_outside
from armdyn.model.mechanism import Body
from armdyn.robot import Robot
from armdyn.simulation.elements.own import without_elements_with_states
from armdyn.simulation.errors import StepWarning
from armdyn.simulation.methods.catalogue import STIFF, Adaptive, FixedStep
from armdyn.simulation.methods.formulas import Equations, Rates
from armdyn.simulation.system.momenta import Momenta
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

SINGULAR = 1e-10
"""A mass matrix, scaled to ones on its diagonal, is singular if its least eigenvalue is below this."""

LEAST_PART = 1e-3
"""Joints whose part of the motion without inertia is smaller are not named."""

GROWS = 1e-3
"""A vibration that a step makes larger by more than this part of it is not that of the arm any more."""

FAR = 1e3
"""Lengths of an arm, beyond which a slide has run away."""

MUCH = 1e3
"""A closed loop warns if a vibration grows by this factor in its steps."""

HALVINGS = 40
"""Number of halvings of the interval that contains the longest stable step."""


def diverged(robot: Robot, t: float, q: Array, qd: Array, remedy: str) -> SimulationError:
    """The error that names the time and the fastest joint, from the last finite state.

    If joints move no inertia there, no shorter step helps: then it names these in place of ``remedy``.
    """
    why = slide_far_away(robot, q) or moves_no_inertia(robot, q) or f"{fastest(robot, qd)}. {remedy}"
    return SimulationError(f"the motion of {robot.name!r} could not be continued at t = {t:g} s: {why}")


def not_kept(method: Adaptive, why: str) -> str:
    """The remedy for an adaptive motion whose tolerance is not kept, and why it is not."""
    stiff = "" if method.scipy_method in STIFF.values() else f", or {of_stiff_motions()}"
    return f"{method} could not keep its tolerance{why}. Check torque and f_tip, or allow a larger rtol{stiff}."


def of_stiff_motions() -> str:
    """A text that explains stiff motions, with the remedy."""
    return (
        f"{option('method', 'radau')} if the motion is stiff: gains, dampers or springs that are strong beside the "
        "inertia they move"
    )


def refuse_without_inertia(robot: Robot, q: Array) -> None:
    """Raise an error if joints move no inertia at any of the positions at which a motion begins.

    Equations with a singular M give accelerations of rounding errors, for which no step is short enough. If every
    link has mass and inertia M is regular, and nothing is computed.
    """
    if not q.size or _has_regular_mass_matrix(robot):
        return
    why = ""
    for one in q.reshape(-1, robot.dof):
        why = moves_no_inertia(robot, one)
        if not why:
            return
    raise SimulationError(f"the motion of {robot.name!r} cannot begin: {why}")


@lru_cache(maxsize=128)
def _has_regular_mass_matrix(robot: Robot) -> bool:
    """True if every body has mass and inertia, so that M(q) is regular everywhere."""
    return all(map(_resists_every_motion, robot.mechanism.bodies))


def _resists_every_motion(body: Body) -> bool:
    """True if a body has mass, and inertia about every axis through its centre of mass: tr(S) 1 - S."""
    m, h = float(body.mass), np.array(body.first_moment, float)
    if not m > 0.0:
        return False
    S = np.array(body.second_moment, float) - np.outer(h, h) / m
    size = float(np.trace(np.abs(np.array(body.second_moment, float))))
    return bool(np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)[0] > SINGULAR * size)


def moves_no_inertia(robot: Robot, q: Array) -> str:
    """The joints that move no inertia, alone or together, so that M(q) is singular; empty if there are none.

    With D the diagonal of M, its scaled matrix D^(-1/2) M D^(-1/2) has ones on the diagonal, whatever the units. The
    joints that take part in the motion v = D^(-1/2) x of its smallest eigenvalue are named. Rotors on springs and
    constraints add inertia and bounds that are not in M: then the result is empty.
    """
    if robot.model.constraints or flexible_places(robot.model) or not np.isfinite(q).all():
        return ""
    M = robot.mass_matrix(np.asarray(q, np.float64))
    diagonal = np.diag(M)
    alone = [joint for joint, m in zip(robot.joint_names, diagonal, strict=True) if not m > 0.0]
    if not alone:
        scale = 1.0 / np.sqrt(diagonal)
        eigenvalues, vectors = np.linalg.eigh(scale[:, None] * M * scale)
        if eigenvalues[0] > SINGULAR:
            return ""
        part = np.abs(vectors[:, 0])
        alone = [joint for joint, one in zip(robot.joint_names, part, strict=True) if one > LEAST_PART]
    names, hold = ", ".join(map(repr, alone)), f"with {option('locked', {alone[0]: 0.0})}."
    why = "without moving any inertia, so that no force decides the acceleration"
    if len(alone) == 1:
        return (
            f"{names} can move there {why}. Give the links behind it mass and inertia, or the joint a rotor "
            f"(armature), or hold it {hold}"
        )
    return (
        f"{names} together can move there {why}. Give the links between them mass and inertia, or the joints rotors "
        f"(armature), or hold one {hold}"
    )


def slide_far_away(robot: Robot, q: Array) -> str:
    """The slide beyond `FAR` lengths of the arm, so that rounding makes M(q) singular; empty without one.

    A mass at the distance s has the moment of inertia m s^2, and its rounding errors hide the inertias of other links.
    """
    slides = [k for k, joint in enumerate(robot.joints) if joint.kind == "prismatic"]
    if not slides or not np.isfinite(q).all():
        return ""
    k = max(slides, key=lambda each: abs(float(q[each])))
    joint, length = robot.joints[k], _length(robot)
    low, high = joint.limits.lower, joint.limits.upper
    near = np.array(q, np.float64)
    near[k] = np.clip(0.0, low, high)
    if abs(q[k] - near[k]) <= FAR * length or not moves_no_inertia(robot, q) or moves_no_inertia(robot, near):
        return ""
    stops = either("elements=[armdyn.simulation.Stops()]", "--set stops=0")
    if np.isfinite([low, high]).any():
        remedy = f"Its limits alone do not stop it; {stops} makes stops of them"
    else:
        limits = either("with_limits", "the description")
        remedy = f"It has no limits; give some by {limits}, of which {stops} makes stops"
    return (
        f"slide {joint.name!r} has run away to {q[k]:.3g} m, and rounding hides the inertia of the other links. "
        f"{remedy}, or hold it by a torque."
    )


def _length(robot: Robot) -> float:
    """The sum of the distances between successive joints, m; at least 1 m."""
    return max(1.0, sum(float(np.linalg.norm(np.array(body.offset, float))) for body in robot.mechanism.bodies))


def fastest(robot: Robot, qd: Array) -> str:
    """A text with the joint of the largest velocity, or the first that is not finite."""
    k = int(np.argmax(np.where(np.isfinite(qd), np.abs(qd), np.inf)))
    joint = robot.joints[k]
    unit = "rad/s" if joint.kind == "revolute" else "m/s"
    return f"joint {joint.name!r} had reached {qd[k]:.3g} {unit} and was the fastest"


def growth(method: FixedStep, frequency: float, damping_ratio: float, h: float) -> float:
    """Growth of a vibration per step of length h, s: the spectral radius of the matrix of the step, with its past."""
    scheme, time = method.scheme, np.float64(h * frequency)  # of a mass of 1 whose vibration takes 2 pi

    def f(_: Any, x: Array, xd: Array) -> Rates:
        return -x - 2.0 * damping_ratio * xd, 0.0

    equations: Equations = Momenta(f, lambda x, v, a: (v, a), lambda x, p: p, 1, ()) if scheme.by_momenta else f
    begin = scheme.start(np.zeros(1), np.zeros(1))
    shapes = [np.shape(part) for part in begin]
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])

    def after(column: Array) -> Array:
        parts = (column[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False))
        q, qd, work, *memory = parts
        state = scheme.formula(equations, f(0.0, q, qd), 0.0, (q, qd, work, *memory), time)
        return np.concatenate([np.ravel(part) for part in state])

    columns = np.array([after(column) for column in np.eye(ends[-1])]).T
    moves = np.delete(np.arange(ends[-1]), 2)  # the work takes no part
    matrix = columns[np.ix_(moves, moves)]
    return float(np.abs(np.linalg.eigvals(matrix)).max()) if np.isfinite(matrix).all() else np.inf


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
    if why:
        return f"{why[0].upper()}{why[1:]}."
    return f"Use a step shorter than {method.step:g} s, or {option('method', 'adaptive')}; {of_stiff_motions()}."


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
    deflections = (modes.rotors - modes.links)[places, mode]
    stiffness = robot.compile(flexible_stiffness)(q).K
    return robot.joint_names[places[int(np.argmax(stiffness * deflections**2))]]
