"""Inverse and forward dynamics in 50 digits: 6-D twists and wrenches over a tree, in the links' own frames.

Another formulation than armdyn's (spatial vectors and adjoint matrices, no canonical frames, no acceleration tensor),
in other arithmetic (mpmath), from its own reading of the description (decimal numbers of the URDF file, exact).
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mp, mpf

mp.dps = 50
Array = np.ndarray


def exact(values: Any) -> Array:
    """Numbers or decimal strings as an array of mpf."""
    return np.vectorize(mpf, otypes=[object])(values)


def zeros(*shape: int) -> Array:
    return exact(np.zeros(shape))


def skew(v: Array) -> Array:
    o = mpf(0)
    return np.array([[o, -v[2], v[1]], [v[2], o, -v[0]], [-v[1], v[0], o]], dtype=object)


def rotation(axis: Array, angle: Any) -> Array:
    k = skew(axis)
    return exact(np.eye(3)) + mp.sin(angle) * k + (1 - mp.cos(angle)) * (k @ k)


def motion_transform(R: Array, p: Array) -> Array:
    """X_ba, which carries twists (w, v) from frame a into frame b, where R, p are the pose of b in a."""
    X = zeros(6, 6)
    X[:3, :3] = X[3:, 3:] = R.T
    X[3:, :3] = -R.T @ skew(p)
    return X


def ad(V: Array) -> Array:
    """The matrix of V x, for twists (w, v)."""
    A = zeros(6, 6)
    A[:3, :3] = A[3:, 3:] = skew(V[:3])
    A[3:, :3] = skew(V[3:])
    return A


@dataclass
class Body:
    parent: int
    joint: int
    revolute: bool
    R: Array
    p: Array
    axis: Array
    G: Array

    def transform(self, q: Any) -> Array:
        """X from the parent's frame into this body's at joint position q."""
        if self.revolute:
            return motion_transform(self.R @ rotation(self.axis, q), self.p)
        return motion_transform(self.R, self.p + self.R @ (self.axis * q))

    @property
    def screw(self) -> Array:
        nothing = [mpf(0)] * 3
        return np.array([*self.axis, *nothing] if self.revolute else [*nothing, *self.axis], dtype=object)


def spatial_inertia(mass: Any, com: Array, tensor: Array) -> Array:
    """G about the frame's origin, from the inertia about the centre of mass."""
    C = skew(com)
    G = zeros(6, 6)
    G[:3, :3] = tensor - mass * (C @ C)
    G[:3, 3:], G[3:, :3] = mass * C, -mass * C
    G[3:, 3:] = mass * exact(np.eye(3))
    return G


class ExactTree:
    """Bodies, parents first, and the wrenches and motions between them."""

    def __init__(self, bodies: Sequence[Body], gravity: Array) -> None:
        self.bodies, self.gravity = bodies, exact(gravity)

    @classmethod
    def of_urdf(cls, path: Path, joint_names: Sequence[str], gravity: Array) -> "ExactTree":
        """From the decimals of a URDF file, without rounding any of them; fixed links as bodies of weld joints."""
        root = ET.parse(path).getroot()
        joints = {j.find("child").get("link"): j for j in root.findall("joint")}
        inertias = {link.get("name"): _inertia(link) for link in root.findall("link")}
        at = {link: (-1, exact(np.eye(3)), zeros(3)) for link in inertias if link not in joints}
        bodies: list[Body] = []
        while len(at) < len(inertias):
            for child, joint in joints.items():
                parent = joint.find("parent").get("link")
                if child in at or parent not in at:
                    continue
                carrier, R0, p0 = at[parent]
                R, p = _origin(joint)
                R, p = R0 @ R, p0 + R0 @ p
                if joint.get("type") == "fixed":
                    at[child] = (carrier, R, p)
                    if carrier >= 0:
                        X = motion_transform(R, p)
                        bodies[carrier].G = bodies[carrier].G + X.T @ inertias[child] @ X
                    continue
                element = joint.find("axis")
                axis = exact((element.get("xyz") if element is not None else "1 0 0").split())
                at[child] = (len(bodies), exact(np.eye(3)), zeros(3))
                index, revolute = joint_names.index(joint.get("name")), joint.get("type") != "prismatic"
                unit = axis / mp.sqrt(axis @ axis)
                bodies.append(Body(carrier, index, revolute, R, p, unit, inertias[child]))
        return cls(bodies, gravity)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, gravity: Array | None = None) -> Array:
        """tau by V = X V' + A qd, Vd = X Vd' + [ad V] A qd + A qdd, F = G Vd - [ad V]^T G V."""
        q, qd, qdd = exact(q), exact(qd), exact(qdd)
        base = zeros(6)
        base[3:] = -(self.gravity if gravity is None else gravity)
        X, V, Vd, F = [], [], [], []
        for b in self.bodies:
            x, A = b.transform(q[b.joint]), b.screw
            v = x @ (V[b.parent] if b.parent >= 0 else zeros(6)) + A * qd[b.joint]
            a = x @ (Vd[b.parent] if b.parent >= 0 else base) + ad(v) @ A * qd[b.joint] + A * qdd[b.joint]
            X.append(x), V.append(v), Vd.append(a)
            F.append(b.G @ a - ad(v).T @ (b.G @ v))
        tau = zeros(len(self.bodies))
        for k in reversed(range(len(self.bodies))):
            b = self.bodies[k]
            tau[b.joint] = b.screw @ F[k]
            if b.parent >= 0:
                F[b.parent] = F[b.parent] + X[k].T @ F[k]
        return tau

    def mass_matrix(self, q: Any) -> Array:
        """M, the sum of J^T G J over the bodies; V = J qd is a body's twist in its own frame."""
        q, n = exact(q), len(self.bodies)
        J: list[Array] = []
        for b in self.bodies:
            of_body = b.transform(q[b.joint]) @ J[b.parent] if b.parent >= 0 else zeros(6, n)
            of_body[:, b.joint] = of_body[:, b.joint] + b.screw
            J.append(of_body)
        return sum((j.T @ (b.G @ j) for b, j in zip(self.bodies, J, strict=True)), zeros(n, n))

    def forward_dynamics(self, q: Any, qd: Any, tau: Any) -> Array:
        right = exact(tau) - self.inverse_dynamics(q, qd, np.zeros(len(self.bodies)))
        return np.array(
            list(mp.lu_solve(mp.matrix(self.mass_matrix(q).tolist()), mp.matrix(list(right)))), dtype=object
        )


def _origin(holder: ET.Element) -> tuple[Array, Array]:
    element = holder.find("origin")
    given = {} if element is None else element.attrib
    roll, pitch, yaw = exact(given.get("rpy", "0 0 0").split())
    x, y, z = exact(np.eye(3))
    return rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll), exact(given.get("xyz", "0 0 0").split())


def _inertia(link: ET.Element) -> Array:
    inertial = link.find("inertial")
    if inertial is None:
        return zeros(6, 6)
    R, com = _origin(inertial)
    given = inertial.find("inertia").attrib
    xx, xy, xz, yy, yz, zz = (mpf(given[k]) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object)
    return spatial_inertia(mpf(inertial.find("mass").get("value")), com, R @ tensor @ R.T)
