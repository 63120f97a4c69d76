"""A frame held to another: positions along chosen axes, and rotations about chosen axes.

For rotations about two or three axes phi grows as 2 tan(angle / 2) along the axis of the remaining rotation, so that it
is zero only if the frames agree, and no angle is a branch. About one axis phi is a sine, with a second zero half a turn
away. That one is on the same surface of states, because half a turn about each of the two free axes equals half a turn
about the held one: no function that is smooth on all states of the universal joint distinguishes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import as_pose, distinct, pose
from armdyn.model.constraints import Constraint, Equations, Numbers, Row
from armdyn.spatial.rotations import Array, cross

if TYPE_CHECKING:
    from armdyn.constraints.state import Relative, State

POSITIONS = ("x", "y", "z")
ROTATIONS = ("rx", "ry", "rz")
AXES = POSITIONS + ROTATIONS


@dataclass(frozen=True)
class Held(Constraint):
    """A frame A held to a frame B along and about chosen axes of B.

    A is in ``frame`` at ``pose``, B in ``to`` at ``to_pose``. Held along x, y or z, the origin of A keeps that
    coordinate at zero in B. Held about all three axes, A keeps the axes of B; about two, the third axis of A keeps the
    direction of that of B, and A may turn about it; about one, say x, the next axis of A, y, stays at right angles to
    the one after it of B, z, as in a universal joint. For three and two axes, phi is 2 tan(angle / 2) of the remaining
    turn, zero only if the axes agree. For one it is the sine of the deviation from a right angle, which is zero after
    half a turn about x, too: half a turn about z and one about y equal it, and both are free. `Robot.close_loop` does
    not accept that as closed.

    Args:
        frame: name of the frame that is held.
        to: name of the frame it is held to; the base by default.
        axes: some of "x", "y", "z", "rx", "ry", "rz".
        pose: of A in ``frame``, shape (4, 4); that frame itself by default.
        to_pose: of B in ``to``, shape (4, 4).
        name: of the constraint; made of the frames by default.
        along: "to": the positions are along the axes of B; "base": along those of the base, which takes fewer
            operations and is possible if all three are held.
    """

    frame: str
    to: str = ""
    axes: tuple[str, ...] = AXES
    pose: Scalar = field(default=None, repr=False)
    to_pose: Scalar = field(default=None, repr=False)
    name: str = ""
    along: Literal["to", "base"] = "to"

    def __post_init__(self) -> None:
        self._set(to=self.to or "", name=self.name or f"{self.frame} to {self.to or 'base'}")
        distinct(self)
        for axis in self.axes:
            if axis not in AXES:
                raise UnknownName.of("axis", axis, AXES, f"axes of constraint {self.name!r}")
        if self.along not in ("to", "base") or (self.along == "base" and not set(POSITIONS) <= set(self.axes)):
            raise ModelError(
                f"along of constraint {self.name!r} is {self.along!r} with axes {', '.join(self.axes)}; expected 'to', "
                "or 'base' where x, y and z are all held"
            )
        if not self.axes:
            raise ModelError(f"constraint {self.name!r} holds no axis; expected some of {', '.join(AXES)}")
        self._set(
            axes=tuple(axis for axis in AXES if axis in self.axes),
            pose=pose(self.pose, f"pose of constraint {self.name!r}"),
            to_pose=pose(self.to_pose, f"to_pose of constraint {self.name!r}"),
        )

    def __repr__(self) -> str:
        poses = f"pose={self.pose}, to_pose={self.to_pose}"
        return f"Held({self.frame!r}, {self.to!r}, axes={self.axes}, {poses}, name={self.name!r}, along={self.along!r})"

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, self.to

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The origins of A and B."""
        return tuple((frame, (T[3], T[7], T[11])) for frame, T in ((self.frame, self.pose), (self.to, self.to_pose)))

    @property
    def positions(self) -> tuple[int, ...]:
        """The axes along which A is held, as 0, 1, 2."""
        return tuple(k for k, axis in enumerate(POSITIONS) if axis in self.axes)

    @property
    def rotations(self) -> tuple[int, ...]:
        """The axes about which A is held, as 0, 1, 2."""
        return tuple(k for k, axis in enumerate(ROTATIONS) if axis in self.axes)

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row for each axis, positions first."""
        return self.named(*((axis, "m" if axis in POSITIONS else "rad") for axis in self.axes))

    @property
    def T_frame_A(self) -> Array:
        """Pose of A in ``frame``, shape (4, 4)."""
        return as_pose(self.pose)

    @property
    def T_to_B(self) -> Array:
        """Pose of B in ``to``, shape (4, 4)."""
        return as_pose(self.to_pose)

    def equations_at(self, state: State) -> Equations:
        """The equations, positions first, then rotations."""
        ends = self.frame, self.T_frame_A, self.to, self.T_to_B
        parts, along, about = [], list(self.positions), self.rotations
        if self.along == "base":
            A, B = state.moving(*ends[:2]), state.moving(*ends[2:])
            parts.append(Equations(A.p - B.p, A.J_v - B.J_v, A.a - B.a))
        elif along:
            seen = state.relative(*ends)
            parts.append(Equations(seen.r[along], seen.J[along], seen.rdd[along]))
        if about:
            seen = state.relative(*ends)
            parts.append((_one_rotation, _two_rotations, _three_rotations)[len(about) - 1](seen, about))
        return Equations(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def false_roots(self, state: State) -> tuple[Row, ...]:
        """The rows of the held rotations, if the frames are nearer to half a turn than to agreement."""
        about = self.rotations
        if not about:
            return ()
        R = np.asarray(state.relative(self.frame, self.T_frame_A, self.to, self.T_to_B).R, dtype=float)
        if len(about) == 3:
            flipped = np.trace(R) < 1.0  # beyond a right angle
        elif len(about) == 2:
            (c,) = set(range(3)) - set(about)
            flipped = R[c, c] < 0.0
        else:
            b, c = (about[0] + 1) % 3, (about[0] + 2) % 3
            flipped = R[b, b] < 0.0 and R[c, c] < 0.0
        return tuple(row for row in self.rows if row.unit == "rad") if flipped else ()


def _three_rotations(seen: Relative, _: Sequence[int]) -> Equations:
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


def _two_rotations(seen: Relative, about: Sequence[int]) -> Equations:
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


def _one_rotation(seen: Relative, about: Sequence[int]) -> Equations:
    """Rotation about x only: the y axis of A stays normal to the z axis of B. phi is the sine of the deviation."""
    (a,) = about
    b, c = (a + 1) % 3, (a + 2) % 3
    y = seen.R[:, b]
    yd = cross(seen.W, y)
    ydd = cross(seen.Wd, y) + cross(seen.W, yd)
    J = [cross(column, y)[c] for column in seen.J_w.T]
    return Equations(np.array([y[c]]), np.array([J]), np.array([ydd[c]]))
