"""A frame held to another: positions along chosen axes, and rotations about chosen axes.

For rotations about two or three axes phi grows as 2 tan(angle / 2) along the axis of the rotation that is left over,
so that it is zero where the frames agree and nowhere else, and no angle is a branch. About one axis phi is a sine, with
a second zero half a turn away. That one is on the same surface of states, for half a turn about each of the two axes
that are free comes to half a turn about the one that is held: no function that is smooth where the universal joint may
go tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.constraints.equations import Equations, equations
from armdyn.constraints.frames import Relative, State
from armdyn.model.constraints import Held
from armdyn.spatial.rotations import Array, cross


@equations.register
def held(constraint: Held, state: State) -> Equations:
    """Positions first, then rotations."""
    ends = constraint.frame, constraint.T_frame_A, constraint.to, constraint.T_to_B
    parts, along, about = [], list(constraint.positions), constraint.rotations
    if constraint.along == "base":
        A, B = state.moving(*ends[:2]), state.moving(*ends[2:])
        parts.append(Equations(A.p - B.p, A.J_v - B.J_v, A.a - B.a))
    elif along:
        seen = state.relative(*ends)
        parts.append(Equations(seen.r[along], seen.J[along], seen.rdd[along]))
    if about:
        seen = state.relative(*ends)
        parts.append((one_rotation, two_rotations, three_rotations)[len(about) - 1](seen, about))
    return Equations(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def three_rotations(seen: Relative, _: Sequence[int]) -> Equations:
    """phi = 2 tan(angle / 2) times R's axis, which is twice its Gibbs vector g: gd = (W - g x W + g (g . W)) / 2."""
    R, W, Wd = seen.R, seen.W, seen.Wd
    half = 1.0 / (1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    g = half * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    columns = [_gibbs_rate(g, column) for column in seen.J_w.T]
    gd = 0.5 * _gibbs_rate(g, W)
    drift = _gibbs_rate(g, Wd) - cross(gd, W) + gd * (g @ W) + g * (gd @ W)
    return Equations(2.0 * g, np.array(columns).T, drift)


def _gibbs_rate(g: Array, W: Array) -> Array:
    """2 gd: the rate of twice the Gibbs vector."""
    rate: Array = W - cross(g, W) + g * (g @ W)
    return rate


def two_rotations(seen: Relative, about: Sequence[int]) -> Equations:
    """The third axis of A keeps the direction of B's: phi = 2 tan(angle / 2) from how z, that axis in B, leans."""
    (c,) = set(range(3)) - set(about)
    a, b = (c + 1) % 3, (c + 2) % 3
    z = seen.R[:, c]
    zd = cross(seen.W, z)
    zdd = cross(seen.Wd, z) + cross(seen.W, zd)
    J = np.array([cross(column, z) for column in seen.J_w.T]).T
    lean = {a: (-z[b], -J[b], -zd[b], -zdd[b]), b: (z[a], J[a], zd[a], zdd[a])}  # turned about a, z leans to -b
    scale = 2.0 / (1.0 + z[c])
    scale_by_z = -0.5 * scale * scale
    scale_d = scale_by_z * zd[c]
    scale_dd = scale_by_z * zdd[c] - scale * scale_d * zd[c]
    phi, A, drift = [], [], []
    for axis in about:
        u, J_u, ud, udd = lean[axis]
        phi.append(scale * u)
        A.append(scale * J_u + (scale_by_z * u) * J[c])
        drift.append(scale * udd + 2.0 * scale_d * ud + scale_dd * u)
    return Equations(np.array(phi), np.array(A), np.array(drift))


def one_rotation(seen: Relative, about: Sequence[int]) -> Equations:
    """About x alone: the y axis of A stays at right angles to the z axis of B. phi is the sine of what it lacks."""
    (a,) = about
    b, c = (a + 1) % 3, (a + 2) % 3
    y = seen.R[:, b]
    yd = cross(seen.W, y)
    ydd = cross(seen.Wd, y) + cross(seen.W, yd)
    J = [cross(column, y)[c] for column in seen.J_w.T]
    return Equations(np.array([y[c]]), np.array([J]), np.array([ydd[c]]))
