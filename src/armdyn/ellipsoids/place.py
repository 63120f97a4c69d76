"""Components of a frame's motion at configurations: their rows of the Jacobian, the point and the directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.task_rows import (
    Components,
    Row,
    SingularTask,
    TaskSpaceError,
    checked_place,
    chosen_rows,
    name_of,
)
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.joint_space import finite, positive
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

FLAT = 1e-7
"""A singular value below this fraction of ``FrameComponents.size`` counts as zero: then the inverse ellipsoid is
unbounded."""


@dataclass(frozen=True, eq=False)
class FrameComponents:
    """Components of a frame's motion at configurations: their rows of the Jacobian, the point and the directions.

    ``size`` is the norm of the Jacobian's rows of all three directions, to which singular values are compared.
    """

    robot: Robot
    frame: str
    q: Array
    rows: tuple[Row, ...]
    J: Array
    size: Array
    centre: Array
    directions: Array

    @classmethod
    def of(
        cls,
        robot: Robot,
        q: ArrayLike,
        frame: str | None,
        point: Sequence[float],
        components: Components,
        expressed_in: str,
    ) -> FrameComponents:
        """The place for the arguments of the functions of a frame; raises an error if it has no ellipsoid."""
        rows, point = chosen_rows(components), checked_place(point, expressed_in)
        expressed_in = way_of_twist(expressed_in)
        if expressed_in == "space":
            raise TaskSpaceError("an ellipsoid of the point at the base's origin is none of the frame; use 'world'")
        one_unit(rows)
        name = robot.model.frame(frame).name
        q = finite(robot, q)
        T = np.asarray(robot.forward_kinematics(q, frame=name), dtype=float)
        R = T[..., :3, :3]
        r = R @ np.array(point)
        J = np.array(robot.jacobian(q, frame=name, expressed_in="world"), dtype=float)
        J[..., 3:, :] += np.cross(J[..., :3, :], r[..., :, None], axis=-2)  # v of the point is v + w x r
        part = np.array(rows)[:, :3] + np.array(rows)[:, 3:]  # one of the two is zero
        along = np.broadcast_to(part.T if expressed_in == "world" else R @ part.T, (*T.shape[:-2], 3, len(rows)))
        half = J[..., :3, :] if any(rows[0][:3]) else J[..., 3:, :]
        return cls(
            robot=robot,
            frame=name,
            q=q,
            rows=rows,
            J=np.swapaxes(along, -1, -2) @ half,
            size=np.linalg.norm(half, axis=(-2, -1)),
            centre=T[..., :3, 3] + r,
            directions=along,
        )

    @property
    def moving(self) -> list[int]:
        """The coordinates that move the frame."""
        return np.flatnonzero((self.J != 0.0).any(axis=tuple(range(self.J.ndim - 1)))).tolist()

    def check_bounds(self) -> None:
        """Raise SingularTask if a singular value is zero, because the inverse ellipsoid is unbounded."""
        sigma = svd(self.J)[1]
        flat = ~(sigma.min(axis=-1) > FLAT * self.size)
        if flat.any():
            state = tuple(map(int, np.argwhere(flat)[0]))
            values = ", ".join(f"{x:.3g}" for x in np.sort(sigma[state])[::-1])
            place = f" (state {list(state)} of the batch)" if state else ""
            raise SingularTask(
                f"the joints of {self.robot.name!r} cannot move {self.frame!r} along all of "
                f"{', '.join(map(name_of, self.rows))} at q = {np.array2string(self.q[state], precision=6)}{place}: "
                f"singular values {values}, so this ellipsoid has no bounds; choose fewer components=, or look at "
                "velocity or tip_acceleration, which are flat there"
            )

    def ellipsoid(self, U: Array, lengths: Array, name: str, linear: str, angular: str) -> Ellipsoid:
        """The ellipsoid with semi-axes along the columns of U, in the linear or the angular unit."""
        turns = any(self.rows[0][:3])
        return Ellipsoid.of(
            U, lengths, name=name, coordinates=tuple(map(name_of, self.rows)), unit=angular if turns else linear,
            centre=np.array(self.centre), directions=np.array(self.directions), q=np.array(self.q, dtype=float),
            arm=fingerprint(self.robot), frame=self.frame,
        )  # fmt: skip


def fingerprint(robot: Robot) -> str:
    """The digest of an arm's tree, without gravity, tip and constraints."""
    return robot.model.replace(constraints=(), gravity=np.zeros(3), tip=None).digest


def svd(J: Array) -> tuple[Array, Array, Array]:
    """J = U diag(sigma) V^T with a column of U and a sigma for each row of J, zeros if there are fewer joints."""
    k, n = J.shape[-2:]
    U, sigma, Vt = np.linalg.svd(J, full_matrices=True)
    missing = np.zeros((*sigma.shape[:-1], max(0, k - n)))
    return U, np.concatenate([sigma, missing], axis=-1), Vt


def weighed(robot: Robot, q: ArrayLike, J: Array) -> Array:
    """J L^-T with M = L L^T: its singular values squared are the eigenvalues of J M^-1 J^T."""
    M = robot.mass_matrix(q)
    positive(robot, np.linalg.eigvalsh(M))
    flat_M, flat_J = (x.reshape(-1, *x.shape[-2:]) for x in (M, J))
    halves = [
        scipy.linalg.solve_triangular(np.linalg.cholesky(a), b.T, lower=True).T
        for a, b in zip(flat_M, flat_J, strict=True)
    ]
    return np.array(halves).reshape(J.shape)


def one_unit(rows: tuple[Row, ...]) -> None:
    """Raise TaskSpaceError for components without a common length: different units, or not perpendicular."""
    turning = [any(row[:3]) for row in rows]
    sliding = [any(row[3:]) for row in rows]
    if any(turning) and any(sliding):
        raise TaskSpaceError(
            f"rad and m have no common length, so an ellipsoid of {', '.join(map(name_of, rows))} has none; "
            'choose components="position" or "orientation", or some of one of them'
        )
    directions = np.array(rows)[:, :3] + np.array(rows)[:, 3:]
    if np.abs(directions @ directions.T - np.eye(len(rows))).max() > 1e-9:
        raise TaskSpaceError(
            f"the components {', '.join(map(name_of, rows))} are not unit vectors at right angles to each other, "
            "so their ellipsoid does not measure the length of a velocity"
        )
