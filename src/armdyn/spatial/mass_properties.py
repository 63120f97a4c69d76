"""Mass, centre of mass and rotational inertia of a body, in numbers or symbols, and quantities derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base import checks
from armdyn.base.checks import PRINTED, printed_pose, rotation, scalars
from armdyn.base.exact import is_zero
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar
from armdyn.spatial.body_equations import body_wrench
from armdyn.spatial.rotations import Array, skew


@dataclass(frozen=True, eq=False)
class MassProperties:
    """The inertia of one rigid body, seen from some frame F, in symbols or numbers.

    `armdyn.Inertia` is restricted to numbers.

    Args:
        mass: m, kg.
        com: c, from F's origin to the centre of mass, in F's axes, m, shape (3,).
        tensor: I_c, rotational inertia about the centre of mass, in F's axes, kg m^2, shape (3, 3). The off-diagonal
            entries are minus the products of inertia, as in Craig and in Modern Robotics.

    >>> import sympy as sp
    >>> m, l = sp.symbols("m l", positive=True)
    >>> armdyn.inertia.rod(l, mass=m).moment_about([1, 0, 0], point=[0, 0, l / 2])
    l**2*m/3
    """

    mass: Scalar
    com: Array
    tensor: Array

    def __post_init__(self) -> None:
        set_fields(
            self,
            com=scalars("com", self.com, (3,), exact=True),
            tensor=scalars("tensor", self.tensor, (3, 3), exact=True),
        )

    def _of_parts(self, mass: Scalar, com: Array, tensor: Array) -> Self:
        """The result of the operations below."""
        return type(self)(mass, com, tensor)

    @property
    def _exact(self) -> bool:
        """True if integers stay integers in operations with these numbers."""
        return object in (self.com.dtype, self.tensor.dtype)

    @property
    def first_moment(self) -> Array:
        """H = m c, kg m, shape (3,)."""
        first_moment: Array = self.mass * self.com
        return first_moment

    @property
    def second_moment(self) -> Array:
        """S_c, the integral of r r^T dm about the centre of mass, kg m^2, shape (3, 3): I_c = tr(S_c) 1 - S_c."""
        second_moment: Array = np.trace(self.tensor) / 2 * np.eye(3, dtype=self.tensor.dtype) - self.tensor
        return second_moment

    @property
    def tensor_about_origin(self) -> Array:
        """I_o = I_c + m (c.c 1 - c c^T), by Steiner's theorem (Modern Robotics 8.27), kg m^2, shape (3, 3)."""
        return self.tensor + steiner(self.mass, self.com)

    def tensor_about(self, point: ArrayLike, axes: ArrayLike | None = None) -> Array:
        """I_q, rotational inertia about any point, in any axes, kg m^2, shape (3, 3).

        Steiner's theorem and the rotation of an inertia (Craig 6.3, Modern Robotics 8.26, 8.27).

        Args:
            point: q, from F's origin, in F's axes, m, shape (3,).
            axes: R_FQ, the new axes as columns in F's, shape (3, 3); F's axes by default.

        Raises:
            ModelError: if ``axes`` are not orthonormal or are left-handed.

        >>> armdyn.inertia.box((1, 2, 3), mass=12).tensor_about((-0.5, -1, -1.5)).round(12)
        array([[ 52.,  -6.,  -9.],
               [ -6.,  40., -18.],
               [ -9., -18.,  20.]])
        """
        q = scalars("point", point, (3,), exact=self._exact)
        about = self.tensor + steiner(self.mass, self.com - q)
        if axes is None:
            return about
        R = rotation("axes", scalars("axes", axes, (3, 3), exact=self._exact), tolerance=PRINTED)
        return R.T @ about @ R  # type: ignore[no-any-return]

    def moment_about(self, direction: ArrayLike, point: ArrayLike | None = None) -> Scalar:
        """I_d = d^T I_q d, moment of inertia about an axis, kg m^2 (Modern Robotics 8.28).

        Args:
            direction: d, a unit vector along the axis, in F's axes, shape (3,).
            point: q, any point of the axis, from F's origin, m, shape (3,); the centre of mass by default.

        Raises:
            ModelError: if ``direction`` is not a unit vector.

        >>> round(float(armdyn.inertia.rod(2.0, mass=3.0).moment_about([1, 0, 0], point=[0, 0, 1])), 12)
        4.0
        """
        d = checks.direction("direction", scalars("direction", direction, (3,), exact=self._exact), tolerance=1e-6)
        return d @ self.tensor_about(self.com if point is None else point) @ d

    def seen_from(self, T: ArrayLike) -> Self:
        """The body seen from frame A, with T = T_AF the pose of F in A, shape (4, 4).

        Raises:
            ModelError: if T is not a rigid motion.

        >>> T = np.eye(4)
        >>> T[2, 3] = 0.5  # F stands half a metre above A
        >>> armdyn.inertia.sphere(0.1, mass=2.0).seen_from(T).com
        array([0. , 0. , 0.5])
        """
        pose = printed_pose("T", T, exact=self._exact)
        R, p = pose[:3, :3], pose[:3, 3]
        return self._of_parts(self.mass, R @ self.com + p, R @ self.tensor @ R.T)

    def at(self, point: ArrayLike) -> Self:
        """The body moved, without turning, so that F's origin is at ``point``, m, shape (3,).

        >>> armdyn.inertia.sphere(0.1, mass=2.0).at([0.3, 0, 0]).com
        array([0.3, 0. , 0. ])
        """
        return self._of_parts(self.mass, self.com + scalars("point", point, (3,), exact=self._exact), self.tensor)

    def with_mass(self, mass: Scalar) -> Self:
        """The body of the same shape and spread of mass with another mass, kg; that of the body must not be 0.

        >>> armdyn.inertia.rod(1.0, mass=2.0).with_mass(3.0).tensor[0, 0]
        np.float64(0.25)
        """
        return self._of_parts(mass, self.com, self.tensor * (mass / self.mass))

    def __add__(self, other: MassProperties) -> Self:
        """Both bodies as one, in the same frame."""
        if is_zero(other.mass) and not other.tensor.any():
            return self
        if is_zero(self.mass) and not self.tensor.any():
            return self._of_parts(other.mass, other.com, other.tensor)
        mass = self.mass + other.mass
        com = self.com if is_zero(mass) else (self.first_moment + other.first_moment) / mass
        reduced = 0 if is_zero(mass) else self.mass * other.mass / mass
        return self._of_parts(mass, com, self.tensor + other.tensor + steiner(reduced, self.com - other.com))

    def __sub__(self, other: MassProperties) -> Self:
        """The body with another one cut out of it, in the same frame: a hole, a cavity."""
        mass = self.mass - other.mass
        com = (self.first_moment - other.first_moment) / mass
        reduced = self.mass * other.mass / mass
        return self._of_parts(mass, com, self.tensor - other.tensor - steiner(reduced, self.com - other.com))

    @property
    def spatial_inertia(self) -> Array:
        """G = [[I_o, m [c]], [m [c]^T, m 1]] in frame F, angular part first, kg m^2, kg m and kg, shape (6, 6).

        The equations are Modern Robotics 8.32 if F is at the centre of mass, else 8.42;
        ``seen_from(T).spatial_inertia`` gives it in any frame.

        >>> armdyn.inertia.sphere(0.5, mass=10.0).spatial_inertia.diagonal()
        array([ 1.,  1.,  1., 10., 10., 10.])
        """
        H = skew(self.first_moment)
        eye = np.eye(3, dtype=H.dtype)
        return np.block([[self.tensor_about_origin, H], [H.T, self.mass * eye]])

    @property
    def pseudo_inertia(self) -> Array:
        """J = [[S_o, H], [H^T, m]], with S_o the integral of r r^T dm about F's origin, shape (4, 4).

        Positive semidefinite for every body there can be, and only for those. A motion T changes it to T J T^T.

        >>> armdyn.Inertia.point(2.0, [0, 0, 3.0]).pseudo_inertia[2:, 2:]
        array([[18.,  6.],
               [ 6.,  2.]])
        """
        H = self.first_moment
        S = self.second_moment + np.outer(H, self.com)
        return np.block([[S, H[:, None]], [H[None, :], np.array([[self.mass]])]])

    def momentum(self, V: ArrayLike) -> Array:
        """P = G V, angular and linear momentum in frame F, kg m^2/s and kg m/s, shape (6,) (Modern Robotics 8.34).

        Args:
            V: twist (w, v) of the body in frame F, rad/s and m/s, shape (6,).

        >>> armdyn.inertia.sphere(0.5, mass=10.0).momentum([0, 0, 2, 3, 0, 0])
        array([ 0.,  0.,  2., 30.,  0.,  0.])
        """
        momentum: Array = self.spatial_inertia @ scalars("V", V, (6,), exact=self._exact)
        return momentum

    def kinetic_energy(self, V: ArrayLike) -> Scalar:
        """K = V^T G V / 2, kinetic energy, J (Modern Robotics 8.33).

        Args:
            V: twist (w, v) of the body in frame F, rad/s and m/s, shape (6,).

        >>> float(armdyn.inertia.sphere(0.5, mass=10.0).kinetic_energy([0, 0, 2, 3, 0, 0]))
        47.0
        """
        V = scalars("V", V, (6,), exact=self._exact)
        return V @ self.momentum(V) / 2

    def wrench(self, V: ArrayLike, Vdot: ArrayLike) -> Array:
        """F = G Vdot - ad_V^T G V, the wrench that moves the body, in frame F, N m and N, shape (6,).

        Modern Robotics 8.43; see `armdyn.spatial.body_wrench`.

        Args:
            V: twist (w, v) of the body in frame F, rad/s and m/s, shape (6,).
            Vdot: its time derivative, rad/s^2 and m/s^2, shape (6,).

        >>> armdyn.inertia.sphere(0.5, mass=10.0).wrench([0, 0, 2, 3, 0, 0], [0, 0, 1, 0, 0, 0])
        array([ 0.,  0.,  1.,  0., 60.,  0.])
        """
        return body_wrench(self.spatial_inertia, V, Vdot)


def steiner(mass: Scalar, d: Array) -> Array:
    """m (d.d 1 - d d^T): the addition to the inertia about the centre of mass by a shift d (Modern Robotics 8.27)."""
    added: Array = mass * (d @ d * np.eye(3, dtype=d.dtype) - np.outer(d, d))
    return added


def parts_of_spatial_inertia(G: Array) -> tuple[Scalar, Array, Array]:
    """m, c and I_c from G = [[I_o, m [c]], [m [c]^T, m 1]]; the structure is not judged here."""
    m, H = G[5, 5], G[:3, 3:]
    c = np.array([H[2, 1], H[0, 2], H[1, 0]]) / m
    return m, c, G[:3, :3] - steiner(m, c)


def parts_of_pseudo_inertia(J: Array) -> tuple[Scalar, Array, Array]:
    """m, c and I_c from J = [[S_o, H], [H^T, m]]; the structure is not judged here."""
    m, H = J[3, 3], J[:3, 3]
    c = H / m
    S = J[:3, :3] - np.outer(H, c)
    return m, c, np.trace(S) * np.eye(3, dtype=S.dtype) - S
