"""The state of an arm with flexible joints in the integration formulas: one vector of positions.

Positions are those of the links, q, and after them those of the rotors at flexible joints; so every formula of
`armdyn.simulation.methods.formulas` moves links and rotors as it moves joints. The rotors of rigid joints have the
positions of their links.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.spatial.rotations import Array


def stacked(q: Array, theta: Array, places: Sequence[int] | Array) -> Array:
    """Positions of links and of rotors at flexible joints, or their rates, shape (..., n + f)."""
    return np.concatenate([q, theta[..., list(places)]], axis=-1)


def parted(x: Array, dof: int, places: Sequence[int] | Array) -> tuple[Array, Array]:
    """q and theta, both of shape (..., n), of a stacked vector."""
    q = x[..., :dof]
    theta = np.array(q)
    theta[..., list(places)] = x[..., dof:]
    return q, theta
