"""The equations of motion with 50 digits, from the numbers of a URDF file: a yardstick for rounding errors.

Newton-Euler in 6D vectors over every link of the tree, fixed ones included, as Featherstone's book has it. Written
to be checked by reading, sharing nothing with armdyn: no merged links, no moved frames, no symmetry used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

from benchmarks.cases import MOVABLE, Case
from benchmarks.states import Array

mpmath.mp.dps = 50
Exact = NDArray[Any]  # of mpf


@dataclass(frozen=True)
class _Link:
    """A link with the joint it hangs on: S is the joint's motion, zero for a fixed joint."""

    parent: int
    joint: int | None
    revolute: bool
    axis: Exact
    rotation: Exact
    position: Exact
    inertia: Exact


class ExactRobot:
    """A robot computed with mpmath; joints in the order of the file."""

    def __init__(self, case: Case) -> None:
        self.size = case.size
        self.links = _read(case)

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Exact:
        """tau, (n,)."""
        return self._newton_euler(_exact(q), _exact(qd), _exact(qdd), gravity=mpf(9.81))

    def bias_forces(self, q: Array, qd: Array) -> Exact:
        """h, (n,)."""
        return self.inverse_dynamics(q, qd, np.zeros(self.size))

    def mass_matrix(self, q: Array) -> Exact:
        """M, (n, n): the forces of unit accelerations, column by column."""
        zero = _exact(np.zeros(self.size))
        columns = [self._newton_euler(_exact(q), zero, _exact(row), mpf(0)) for row in np.eye(self.size)]
        return np.array(columns, dtype=object).T

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Exact:
        """qdd, (n,): the solution of M qdd = tau - h."""
        rest = _exact(tau) - self.bias_forces(q, qd)
        solution = mpmath.lu_solve(mpmath.matrix(self.mass_matrix(q).tolist()), mpmath.matrix(rest.tolist()))
        return np.array(list(solution), dtype=object)

    def _newton_euler(self, q: Exact, qd: Exact, qdd: Exact, gravity: mpf) -> Exact:
        zero = _exact(np.zeros(6))
        velocities: list[Exact] = []
        accelerations: list[Exact] = []
        forces, transforms, motions = [], [], []
        for link in self.links:
            angle = q[link.joint] if link.joint is not None else mpf(0)
            X, S = _joint_transform(link, angle), _joint_motion(link)
            at_root = link.parent < 0
            v = X @ (zero if at_root else velocities[link.parent])
            a = X @ (np.append(zero[:5], gravity) if at_root else accelerations[link.parent])  # a0 = -g
            if link.joint is not None:
                v = v + S * qd[link.joint]
                a = a + S * qdd[link.joint] + _cross_motion(v) @ (S * qd[link.joint])
            velocities.append(v)
            accelerations.append(a)
            forces.append(link.inertia @ a - _cross_motion(v).T @ (link.inertia @ v))
            transforms.append(X)
            motions.append(S)
        tau = _exact(np.zeros(self.size))
        for i in reversed(range(len(self.links))):
            link = self.links[i]
            if link.joint is not None:
                tau[link.joint] = motions[i] @ forces[i]
            if link.parent >= 0:
                forces[link.parent] = forces[link.parent] + transforms[i].T @ forces[i]
        return tau


def _joint_transform(link: _Link, value: mpf) -> Exact:
    """The 6x6 motion transform from the parent link's frame to the link's, angular part first."""
    R, p = link.rotation, link.position
    if link.joint is not None and link.revolute:
        R = R @ _turn(link.axis, value)
    elif link.joint is not None:
        p = p + R @ (link.axis * value)
    zero = _exact(np.zeros((3, 3)))
    return np.block([[R.T, zero], [-R.T @ _skew(p), R.T]])


def _joint_motion(link: _Link) -> Exact:
    if link.joint is None:
        return _exact(np.zeros(6))
    zero = _exact(np.zeros(3))
    return np.concatenate([link.axis, zero] if link.revolute else [zero, link.axis])


def _cross_motion(v: Exact) -> Exact:
    """The matrix of v x for motions; minus its transpose is that for forces."""
    zero = _exact(np.zeros((3, 3)))
    return np.block([[_skew(v[:3]), zero], [_skew(v[3:]), _skew(v[:3])]])


def _turn(axis: Exact, angle: mpf) -> Exact:
    """Rodrigues' formula."""
    K = _skew(axis)
    return _exact(np.eye(3)) + K * mpmath.sin(angle) + K @ K * (1 - mpmath.cos(angle))


def _skew(p: Exact) -> Exact:
    zero = mpf(0)
    return np.array([[zero, -p[2], p[1]], [p[2], zero, -p[0]], [-p[1], p[0], zero]], dtype=object)


def _exact(values: Array) -> Exact:
    """The doubles as they are, as mpf."""
    return np.vectorize(mpf, otypes=[object])(np.asarray(values, dtype=float))


def _read(case: Case) -> list[_Link]:
    """The links of the file that hang on a joint, every parent before its children."""
    root = ElementTree.parse(case.urdf).getroot()
    inertias = {str(link.get("name")): _spatial_inertia(link) for link in root.findall("link")}
    waiting = list(root.findall("joint"))
    children = {_link_name(joint, "child") for joint in waiting}
    placed = {name: -1 for name in inertias if name not in children}
    links: list[_Link] = []
    while waiting:
        joint = next(joint for joint in waiting if _link_name(joint, "parent") in placed)
        waiting.remove(joint)
        movable = joint.get("type") in MOVABLE
        axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
        links.append(
            _Link(
                parent=placed[_link_name(joint, "parent")],
                joint=case.joint_names.index(str(joint.get("name"))) if movable else None,
                revolute=joint.get("type") != "prismatic",
                axis=axis / mpmath.sqrt(axis @ axis) if movable else axis,
                rotation=_rotation(joint.find("origin")),
                position=_numbers(joint.find("origin"), "xyz", "0 0 0"),
                inertia=inertias[_link_name(joint, "child")],
            )
        )
        placed[_link_name(joint, "child")] = len(links) - 1
    return links


def _spatial_inertia(link: ElementTree.Element) -> Exact:
    """The 6x6 inertia about the origin of the link frame."""
    inertial = link.find("inertial")
    if inertial is None:
        return _exact(np.zeros((6, 6)))
    mass = _numbers(inertial.find("mass"), "value", "0")[0]
    element, R = inertial.find("inertia"), _rotation(inertial.find("origin"))
    xx, xy, xz, yy, yz, zz = (_numbers(element, f"i{name}", "0")[0] for name in ("xx", "xy", "xz", "yy", "yz", "zz"))
    about_com = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object) @ R.T
    C = _skew(_numbers(inertial.find("origin"), "xyz", "0 0 0"))
    return np.block([[about_com + C @ C.T * mass, C * mass], [C.T * mass, _exact(np.eye(3)) * mass]])


def _rotation(origin: ElementTree.Element | None) -> Exact:
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = _numbers(origin, "rpy", "0 0 0")
    x, y, z = _exact(np.eye(3))
    return _turn(z, yaw) @ _turn(y, pitch) @ _turn(x, roll)


def _numbers(element: ElementTree.Element | None, attribute: str, default: str) -> Exact:
    text = default if element is None else element.get(attribute, default)
    return _exact(np.array([float(word) for word in text.split()]))


def _link_name(joint: ElementTree.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else str(element.get("link"))
