"""The balancer of a revolute joint: a spring, or a gas spring, between a point of each of its two links.

With the distances a and b of the two points from the joint's axis, c between them along it, and q_0 the position at
which they are closest,

    l^2 = a^2 + b^2 + c^2 - 2 a b cos(q - q_0),    F = F_0 + k (l - l_0),    s = F dl/dq = F a b sin(q - q_0) / l.

A spring of free length 0 (l_0 = 0, F_0 = 0) has s = k a b sin(q - q_0): it balances a link of mass m and centre at r in
every position if k a b = m g r (French and Widden 2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from armdyn.base.checks import array
from armdyn.base.errors import ModelError
from armdyn.base.exact import is_zero
from armdyn.base.fields import check_numbers
from armdyn.base.scalars import Scalar
from armdyn.model.parallel_spring import ParallelSpring

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armdyn.model.joint import Joint


@dataclass(frozen=True)
class Balancer(ParallelSpring):
    """A spring between a point of a joint's parent and a point of its child: pull F = preload + k (l - free_length).

    Args:
        stiffness: k, N/m; 0 for a constant force.
        parent_radius: a, the distance of the parent's point from the joint's axis, m.
        child_radius: b, the distance of the child's point from the joint's axis, m.
        aligned: q_0, the joint position at which the two points are closest, rad.
        free_length: l_0, m.
        preload: F_0, the pull at l_0, N; negative if it pushes, as gas springs do.
        offset: c, the distance of the points along the joint's axis, m.

    >>> pendulum = armdyn.load("planar_2r").with_locked({"joint_2": 0.0})
    >>> weight = pendulum.gravity_forces([0.0])[0]  # at its largest
    >>> balancer = armdyn.actuators.Balancer(weight / 0.06, 0.3, 0.2, aligned=np.pi / 2)
    >>> balanced = pendulum.with_parallel_springs({"joint_1": balancer})
    >>> bool(np.allclose(balanced.bias_forces([0.7], [0.0]), 0.0, atol=1e-12))
    True
    """

    kinds: ClassVar[tuple[str, ...]] = ("revolute",)

    stiffness: float
    parent_radius: float
    child_radius: float
    aligned: float = 0.0
    free_length: float = 0.0
    preload: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        bounds = {"stiffness": 0.0, "parent_radius": 0.0, "child_radius": 0.0, "free_length": 0.0}
        units = {"stiffness": "N/m", "preload": "N", "aligned": "rad"}
        for name in ("stiffness", "parent_radius", "child_radius", "aligned", "free_length", "preload", "offset"):
            least, unit = bounds.get(name, -np.inf), units.get(name, "m")
            check_numbers(self, {name: unit}, least=least)
        if self.preload != self.stiffness * self.free_length and self._least_length == 0.0:
            raise ModelError(
                f"the two points of Balancer meet at the joint position {self.aligned:g} (both {self.child_radius:g} m "
                "from the axis, offset 0), and its force has no direction there; expected different radii, an offset, "
                "or a spring of free length 0"
            )

    @classmethod
    def between(
        cls, joint: Joint, on_parent: ArrayLike, on_child: ArrayLike, stiffness: float, **numbers: float
    ) -> Balancer:
        """The balancer between a point of a joint's parent and a point of its child.

        Args:
            joint: a revolute joint of a robot, e.g. ``robot.model.joint("shoulder")``.
            on_parent: the point in the frame of the parent link, m, shape (3,).
            on_child: the point in the frame of the child link, m, shape (3,).
            stiffness: k, N/m.
            numbers: ``free_length`` and ``preload``.

        Raises:
            ModelError: a joint that slides; numbers out of range.
            ShapeError: points that are not three numbers.

        >>> shoulder = armdyn.load("ur5").model.joint("shoulder_lift_joint")
        >>> spring = armdyn.actuators.Balancer.between(shoulder, (0.0, 0.1, 0.3), (0.0, 0.0, 0.2), 900.0)
        >>> spring.parent_radius, spring.child_radius
        (0.3, 0.2)
        """
        if joint.kind != "revolute":
            raise ModelError(f"joint {joint.name!r} slides; a balancer between points belongs to joints that turn")
        T = joint.placement
        parent = T[:3, :3].T @ (array("on_parent", on_parent, (3,), "a point in the parent's frame, m") - T[:3, 3])
        child = array("on_child", on_child, (3,), "a point in the child's frame, m")
        u = joint.axis
        p, c = parent - (parent @ u) * u, child - (child @ u) * u
        aligned = float(np.arctan2(u @ np.cross(c, p), c @ p))
        radii = float(np.linalg.norm(p)), float(np.linalg.norm(c))
        return cls(stiffness, *radii, aligned=aligned, offset=float((parent - child) @ u), **numbers)

    @property
    def _least_length(self) -> float:
        return float(np.hypot(self.parent_radius - self.child_radius, self.offset))

    def length(self, position: Scalar) -> Scalar:
        """The distance l of the two points, m.

        Args:
            position: of the joint, rad.
        """
        a, b, c = self.parent_radius, self.child_radius, self.offset
        half = np.sin(0.5 * (position - self.aligned))
        # (a - b)^2 + 4 a b sin^2(x/2) keeps all digits if the points are close
        return np.sqrt((a - b) * (a - b) + c * c + 4.0 * a * b * (half * half))

    @property
    def _constant_pull(self) -> Scalar:
        """F_0 - k l_0: F = k l + this."""
        return self.preload - self.stiffness * self.free_length

    def force(self, position: Scalar) -> Scalar:
        """F a b sin(q - q_0) / l, N m."""
        by_length = self.stiffness
        if not is_zero(self._constant_pull):
            by_length = by_length + self._constant_pull / self.length(position)
        return by_length * (self.parent_radius * self.child_radius) * np.sin(position - self.aligned)

    def slope(self, position: Scalar) -> Scalar:
        """The derivative of the force by the position, N m/rad."""
        x, ab = position - self.aligned, self.parent_radius * self.child_radius
        slope = self.stiffness * ab * np.cos(x)
        if not is_zero(self._constant_pull):
            length, lever = self.length(position), ab * np.sin(x)
            slope = slope + self._constant_pull * (ab * np.cos(x) / length - lever * lever / (length * length * length))
        return slope

    def energy(self, position: Scalar) -> Scalar:
        """(F_0 - k l_0) l + k l^2/2, J: 0 for points that coincide."""
        length = self.length(position)
        return (self._constant_pull + 0.5 * self.stiffness * length) * length
