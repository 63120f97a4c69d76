"""Newton-Euler in twists and wrenches (Modern Robotics 8.50 to 8.54): frames {i} at the centres of mass."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from oracles.chains import Chain, pose, rotation, skew


def Ad(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def ad(V: np.ndarray) -> np.ndarray:
    return np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])


def exp6(S: np.ndarray, theta: float) -> np.ndarray:
    """exp([S] theta) of a unit screw axis (3.88)."""
    w, v = S[:3], S[3:]
    if not w.any():
        return pose(p=v * theta)
    W = skew(w)
    G = np.eye(3) * theta + (1.0 - np.cos(theta)) * W + (theta - np.sin(theta)) * W @ W
    return pose(rotation(w, theta), G @ v)


class Recursion(NamedTuple):
    """Twists, their rates and wrenches of links 1, ..., n in their frames {i}, and the joint forces."""

    V: np.ndarray
    Vdot: np.ndarray
    F: np.ndarray
    tau: np.ndarray


@dataclass(frozen=True)
class ScrewArm:
    """``M[i]`` is M_{i,i+1}, n + 1 of them; ``G`` spatial inertias; ``A`` screw axes of the joints in {i}."""

    M: np.ndarray
    G: np.ndarray
    A: np.ndarray
    gravity: np.ndarray

    @classmethod
    def of_chain(cls, chain: Chain) -> "ScrewArm":
        to_com = [np.eye(4), *(pose(p=c) for c in chain.coms)]
        steps = [*chain.placements, chain.tip]
        M = [np.linalg.inv(C) @ T @ D for C, T, D in zip(to_com, steps, [*to_com[1:], np.eye(4)], strict=True)]
        G = [
            np.block([[tensor, np.zeros((3, 3))], [np.zeros((3, 3)), mass * np.eye(3)]])
            for mass, tensor in zip(chain.masses, chain.tensors, strict=True)
        ]
        A = [
            np.array([0.0, 0.0, 0.0, *u]) if slides else np.array([*u, *np.cross(u, c)])  # -u x (-c)
            for u, c, slides in zip(chain.axes, chain.coms, chain.slides, strict=True)
        ]
        return cls(np.array(M), np.array(G), np.array(A), chain.gravity)

    def inward_transforms(self, q: np.ndarray) -> list[np.ndarray]:
        """T_{i,i-1} = exp(-[A_i] theta_i) M_{i,i-1} (8.50), and T_{n+1,n} the last."""
        moving = [exp6(A, -x) @ np.linalg.inv(M) for A, x, M in zip(self.A, q, self.M, strict=False)]
        return [*moving, np.linalg.inv(self.M[-1])]

    def base_rate(self, V0dot: np.ndarray) -> np.ndarray:
        """Vdot_0 with gravity as an acceleration of the base by -g."""
        return V0dot + np.concatenate([np.zeros(3), -self.gravity])

    def recursion(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, F_tip: np.ndarray, V0: np.ndarray, V0dot: np.ndarray
    ) -> Recursion:
        T, n = self.inward_transforms(q), len(self.A)
        V, Vdot = [V0], [self.base_rate(V0dot)]
        for i in range(n):  # forward iterations
            A = self.A[i]
            V.append(Ad(T[i]) @ V[i] + A * qd[i])  # 8.51
            Vdot.append(Ad(T[i]) @ Vdot[i] + ad(V[i + 1]) @ A * qd[i] + A * qdd[i])  # 8.52
        F, tau = [np.zeros(6)] * n + [F_tip], np.zeros(n)
        for i in reversed(range(n)):  # backward iterations
            G, v = self.G[i], V[i + 1]
            F[i] = Ad(T[i + 1]).T @ F[i + 1] + G @ Vdot[i + 1] - ad(v).T @ (G @ v)  # 8.53
            tau[i] = F[i] @ self.A[i]  # 8.54
        return Recursion(np.array(V[1:]), np.array(Vdot[1:]), np.array(F[:n]), tau)
