"""The error of a motion that runs away."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.advice import option
from armdyn.model.mechanism import Body
from armdyn.robot import Robot
from armdyn.simulation.methods.catalogue import STIFF, Adaptive
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

SINGULAR = 1e-10
"""A mass matrix, scaled to ones on its diagonal, is singular if its least eigenvalue is below this."""

LEAST_PART = 1e-3
"""Joints whose part of the motion without inertia is smaller are not named."""


def diverged(robot: Robot, t: float, q: Array, qd: Array, remedy: str) -> SimulationError:
    """The error that names the time and the fastest joint, from the last finite state.

    If joints move no inertia there, no shorter step helps: then it names these in place of ``remedy``.
    """
    why = moves_no_inertia(robot, q) or f"{fastest(robot, qd)}. {remedy}"
    return SimulationError(f"the motion of {robot.name!r} could not be continued at t = {t:g} s: {why}")


def not_kept(method: Adaptive, why: str) -> str:
    """The remedy for an adaptive motion whose tolerance is not kept, and why it is not."""
    stiff = "" if method.scipy_method in STIFF.values() else f", or {of_stiff_motions()}"
    return f"{method} could not keep its tolerance{why}. Check torque and f_tip, or allow a larger rtol{stiff}."


def shorter_than(step: float) -> str:
    """The remedy for a motion in steps of one length that runs away."""
    return f"Use a step shorter than {step:g} s, or {option('method', 'adaptive')}; {of_stiff_motions()}."


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


def fastest(robot: Robot, qd: Array) -> str:
    """A text with the joint of the largest velocity, or the first that is not finite."""
    k = int(np.argmax(np.where(np.isfinite(qd), np.abs(qd), np.inf)))
    joint = robot.joints[k]
    unit = "rad/s" if joint.kind == "revolute" else "m/s"
    return f"joint {joint.name!r} had reached {qd[k]:.3g} {unit} and was the fastest"
