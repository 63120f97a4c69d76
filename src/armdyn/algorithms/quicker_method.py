"""The method of forward dynamics for many steps of a motion: that of fewer operations, if no digits are lost.

It is the mass matrix if no chain is longer than `LONGEST_CHAIN`, and if each link alone resists its own joint, so that
M has an inverse in every configuration, and not by rounding errors only; else articulated bodies.
"""

from __future__ import annotations

import math

import numpy as np

from armdyn.base.errors import TraceError
from armdyn.model.friction import TINY
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array

LEAST_PART = 1e-6
"""Least share of the own link in the inertia that a joint carries, for a loss of at most six digits of float64."""

LONGEST_CHAIN = 9
"""Length of a chain of moving links up to which the mass matrix takes fewer operations, whatever their axes."""


def quicker_method(mechanism: Mechanism) -> str:
    """The ``method`` of `armdyn.algorithms.forward_dynamics`; articulated bodies if parameters are inputs."""
    if longest_chain(mechanism) > LONGEST_CHAIN:
        return "articulated"
    try:
        part = least_part(mechanism)
    except TraceError:  # parameters without a value
        return "articulated"
    return "mass_matrix" if part > LEAST_PART else "articulated"


def longest_chain(mechanism: Mechanism) -> int:
    """The most links in motion that follow each other."""
    lengths: list[int] = []
    for body in mechanism.bodies:
        lengths.append(1 + (lengths[body.parent] if body.parent >= 0 else 0))
    return max(lengths, default=0)


def least_part(mechanism: Mechanism) -> float:
    """The least share, over all joints, of a link's own inertia in the inertia that its joint carries, stretched out.

    The pivots of the elimination are at least the former; their rounding errors are in proportion to the latter. The
    carried inertia is bounded from above: the distance of each body from the joint's axis is at most the sum of the
    offsets between them.
    """
    bodies = mechanism.bodies
    carried = [0.0] * len(bodies)
    for k, body in enumerate(bodies):
        mass, j = float(body.mass), k
        reach = _length(body.first_moment) / max(mass, TINY)
        size = float(np.trace(body.second_moment))
        while j >= 0:
            carried[j] += size + mass * reach**2 if bodies[j].revolute else mass
            reach += _length(bodies[j].offset)
            j = bodies[j].parent
    own = [_own(body) + float(rotor) for body, rotor in zip(bodies, mechanism.drive.armature, strict=True)]
    return min((a / b if b > 0.0 else 0.0 for a, b in zip(own, carried, strict=True)), default=math.inf)


def _own(body: Body) -> float:
    """The inertia of a body about its joint's axis z, kg m^2, or its mass if it slides."""
    return float(body.second_moment[0, 0] + body.second_moment[1, 1] if body.revolute else body.mass)


def _length(v: Array) -> float:
    return math.hypot(*map(float, np.ravel(v)))
