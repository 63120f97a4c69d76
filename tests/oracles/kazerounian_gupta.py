"""Kazerounian and Gupta's dynamics from the zero reference position (1985), equations 1 to 44.

Links count from 1 (the base) to n + 1 (the hand), joint k joins links k and k + 1; a list of links begins with link 2,
a list of joints with joint 1. Where the print of an equation has lost or mixed up subscripts, it is derived anew:
(5) to (8) from two points of one link and two coincident points of two links, (44) with alpha_{k+1}.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from oracles.chains import Chain, pose, rotation, skew


class LinkState(NamedTuple):
    """Angular velocity, angular acceleration and acceleration of the centre of mass of one link."""

    w: np.ndarray
    alpha: np.ndarray
    a_com: np.ndarray


class Reactions(NamedTuple):
    """Force N_k and moment T_k about P_k that link k exerts on link k + 1, and the actuators' forces."""

    N: np.ndarray
    T: np.ndarray
    f: np.ndarray


@dataclass(frozen=True)
class ZeroReferenceArm:
    """The arm in its zero position, all in base axes.

    ``u`` joint axes, ``Q`` joint centres, ``c`` and ``d`` from the joint's centre to the link's centre of mass and on
    to the next joint's centre (the last link's: to the hand point), ``inertia`` about the centre of mass;
    ``collar_outboard`` tells of every joint whether its collar is on the link k + 1.
    """

    slides: np.ndarray
    u: np.ndarray
    Q: np.ndarray
    c: np.ndarray
    d: np.ndarray
    masses: np.ndarray
    inertia: np.ndarray
    hand: np.ndarray
    gravity: np.ndarray
    collar_outboard: np.ndarray

    @classmethod
    def of_chain(cls, chain: Chain, collar_outboard: Sequence[bool] | None = None) -> "ZeroReferenceArm":
        R, Q = chain.home[:, :3, :3], chain.home[:, :3, 3]
        hand = chain.home[-1] @ chain.tip
        G = np.array([T[:3, :3] @ com + T[:3, 3] for T, com in zip(chain.home, chain.coms, strict=True)])
        return cls(
            slides=chain.slides,
            u=np.einsum("kij,kj->ki", R, chain.axes),
            Q=Q,
            c=G - Q,
            d=np.array([*Q[1:], hand[:3, 3]]) - G,
            masses=chain.masses,
            inertia=R @ chain.tensors @ np.swapaxes(R, 1, 2),
            hand=hand,
            gravity=chain.gravity,
            collar_outboard=np.ones(chain.n, bool) if collar_outboard is None else np.array(collar_outboard),
        )

    @property
    def n(self) -> int:
        return len(self.slides)

    # Kinematics by displacement matrices

    def displacements(self, q: np.ndarray) -> list[np.ndarray]:
        """D(theta_k, s_k, u_0k, Q_0k) of every joint (1b)."""
        return [
            pose(p=x * u) if slides else pose(R := rotation(u, x), Q - R @ Q)
            for x, slides, u, Q in zip(q, self.slides, self.u, self.Q, strict=True)
        ]

    def hand_pose(self, q: np.ndarray) -> np.ndarray:
        """D_H (1a), applied to the hand's pose at zero."""
        D = np.eye(4)
        for D_k in self.displacements(q):
            D = D @ D_k
        return D @ self.hand

    def rotations(self, q: np.ndarray) -> list[np.ndarray]:
        """R_k of links 2, ..., n + 1 (3)."""
        R, result = np.eye(3), []
        for D in self.displacements(q):
            R = R @ D[:3, :3]
            result.append(R)
        return result

    def link_states(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[LinkState]:
        """The motion of all links, by differentiating the product of the displacement matrices twice.

        D_k' = S_k D_k qd_k, where the 4x4 matrix S_k = [[u], -u x ...] of the unit motion does not change.
        """
        D, Dd, Ddd = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
        states = []
        for k, D_k in enumerate(self.displacements(q)):
            S = np.zeros((4, 4))
            if self.slides[k]:
                S[:3, 3] = self.u[k]
            else:
                S[:3, :3] = skew(self.u[k])
                S[:3, 3] = np.cross(self.Q[k], self.u[k])
            first, second = S * qd[k], S * qdd[k] + S @ S * qd[k] ** 2
            Ddd = Ddd @ D_k + 2.0 * Dd @ first @ D_k + D @ second @ D_k
            Dd = Dd @ D_k + D @ first @ D_k
            D = D @ D_k
            R, Rd, Rdd = D[:3, :3], Dd[:3, :3], Ddd[:3, :3]
            G = np.append(self.Q[k] + self.c[k], 1.0)
            states.append(LinkState(unskew(Rd @ R.T), unskew(Rdd @ R.T + Rd @ Rd.T), (Ddd @ G)[:3]))
        return states

    # Inverse dynamics

    def d_now(self, k: int, q: np.ndarray) -> np.ndarray:
        """From the centre of mass of the link before joint k to P_k on it, at zero rotation (7, 20)."""
        slid = self.slides[k] and self.collar_outboard[k]
        return self.d[k - 1] + (q[k] * self.u[k] if slid else 0.0)

    def c_now(self, k: int, q: np.ndarray) -> np.ndarray:
        """From P_k on the link behind joint k to its centre of mass, at zero rotation (8, 21)."""
        slid = self.slides[k] and not self.collar_outboard[k]
        return self.c[k] + (q[k] * self.u[k] if slid else 0.0)

    def inverse_dynamics(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_tip: np.ndarray
    ) -> tuple[list[LinkState], Reactions, LinkState]:
        """From the hand to the base in base axes (5 to 16).

        Returns the states of links 2, ..., n + 1, the reactions, and what the recursion finds for the base at last: its
        angular velocity and acceleration and the acceleration of P_1 on it, all of which must be zero.
        """
        R = self.rotations(q)
        hand_R = R[-1] @ self.hand[:3, :3]
        state = self.link_states(q, qd, qdd)[-1]
        N, T = hand_R @ f_tip[3:], hand_R @ f_tip[:3]
        states, forces, moments = [state], [], []
        f = np.zeros(self.n)
        for k in reversed(range(self.n)):  # joint k, and the link behind it
            u, (w, alpha, a_G) = R[k] @ self.u[k], state
            inertia = R[k] @ self.inertia[k] @ R[k].T  # 2e
            to_G = R[k] @ self.c_now(k, q)
            to_next = R[k] @ (self.c_now(k, q) + (self.d_now(k + 1, q) if k + 1 < self.n else self.d[k]))
            F = -self.masses[k] * a_G  # 12
            M = -np.cross(w, inertia @ w) - inertia @ alpha  # 13
            weight = self.masses[k] * self.gravity
            T = T - M + np.cross(to_next, N) - np.cross(to_G, weight + F)  # 15
            N = N - weight - F  # 14
            f[k] = (N if self.slides[k] else T) @ u  # 16
            forces.append(N), moments.append(T)
            a_P = a_G - np.cross(w, np.cross(w, to_G)) - np.cross(alpha, to_G)  # 9
            if self.slides[k]:
                a_P = a_P - qdd[k] * u - 2.0 * qd[k] * np.cross(w, u)  # 10
            else:
                w = w - qd[k] * u  # 5
                alpha = alpha - qdd[k] * u - qd[k] * np.cross(w, u)  # 6
            if k > 0:
                to_P = R[k - 1] @ self.d_now(k, q)
                state = LinkState(w, alpha, a_P - np.cross(w, np.cross(w, to_P)) - np.cross(alpha, to_P))  # 11
                states.append(state)
        reactions = Reactions(np.array(forces[::-1]), np.array(moments[::-1]), f)
        return states[::-1], reactions, LinkState(w, alpha, a_P)

    def starred_inverse_dynamics(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_tip: np.ndarray
    ) -> tuple[list[LinkState], Reactions]:
        """From the hand to the base with every vector of link k turned back by R_{k-1} (17 to 29).

        Reactions come out turned back with the link that exerts them, N_{k-1} with link k - 1.
        """
        turn = [D[:3, :3] for D in self.displacements(q)]
        weights, g = [], self.gravity
        for k in range(self.n):
            g = turn[k].T @ g
            weights.append(self.masses[k] * g)
        state = LinkState(*(self.rotations(q)[-1].T @ x for x in self.link_states(q, qd, qdd)[-1]))
        N, T = self.hand[:3, :3] @ f_tip[3:], self.hand[:3, :3] @ f_tip[:3]
        states, forces, moments = [state], [], []
        f = np.zeros(self.n)
        for k in reversed(range(self.n)):
            u, inertia, (w, alpha, a_G) = self.u[k], self.inertia[k], state
            to_G = self.c_now(k, q)
            to_next = to_G + (self.d_now(k + 1, q) if k + 1 < self.n else self.d[k])
            F = -self.masses[k] * a_G  # 25
            M = -np.cross(w, inertia @ w) - inertia @ alpha  # 26
            T = turn[k] @ (T - M + np.cross(to_next, N) - np.cross(to_G, weights[k] + F))  # 28
            N = turn[k] @ (N - weights[k] - F)  # 27
            f[k] = (N if self.slides[k] else T) @ u  # 29
            forces.append(N), moments.append(T)
            a_P = turn[k] @ (a_G - np.cross(w, np.cross(w, to_G)) - np.cross(alpha, to_G))  # 22, 23
            w, alpha = turn[k] @ w, turn[k] @ alpha
            if self.slides[k]:
                a_P = a_P - qdd[k] * u - 2.0 * qd[k] * np.cross(w, u)  # 23
            else:
                w = w - qd[k] * u  # 18
                alpha = alpha - qdd[k] * u - qd[k] * np.cross(w, u)  # 19
            if k > 0:
                to_P = self.d_now(k, q)
                state = LinkState(w, alpha, a_P - np.cross(w, np.cross(w, to_P)) - np.cross(alpha, to_P))  # 24
                states.append(state)
        return states[::-1], Reactions(np.array(forces[::-1]), np.array(moments[::-1]), f)

    # Direct dynamics

    def linear_in_acceleration(self, q: np.ndarray, qd: np.ndarray, f_tip: np.ndarray) -> np.ndarray:
        """Row k: the actuator's force as a linear function of qdd_1, ..., qdd_n and 1: [H | C + g] of (39).

        alpha, a, F, M, N and T are 3 x (n + 1) arrays, their last column what does not depend on qdd (40-44, 25-29).
        """
        n, turn = self.n, [D[:3, :3] for D in self.displacements(q)]
        unit = np.eye(n + 1)
        w, alpha, a_P, g = np.zeros(3), np.zeros((3, n + 1)), np.zeros((3, n + 1)), self.gravity
        F, M = [], []
        for k in range(n):
            u, back = self.u[k], turn[k].T
            driven, turning = np.outer(u, unit[k]), np.outer(qd[k] * np.cross(w, u), unit[n])
            if self.slides[k]:
                a_P = back @ a_P + driven + 2.0 * turning  # 43
            else:
                w, alpha = back @ (w + qd[k] * u), back @ (alpha + driven + turning)  # 40, 41
                a_P = back @ a_P  # 43
            g = back @ g
            spin, to_G = skew(w) @ skew(w), self.c_now(k, q)
            a_G = a_P - skew(to_G) @ alpha + np.outer(spin @ to_G, unit[n])  # 44, with alpha_{k+1}
            if k + 1 < n:
                to_P = self.d_now(k + 1, q)
                a_P = a_G - skew(to_P) @ alpha + np.outer(spin @ to_P, unit[n])  # 42
            weight = np.outer(self.masses[k] * g, unit[n])
            F.append(weight - self.masses[k] * a_G)  # 25, with the weight
            M.append(-self.inertia[k] @ alpha - np.outer(np.cross(w, self.inertia[k] @ w), unit[n]))  # 26
        N = np.outer(self.hand[:3, :3] @ f_tip[3:], unit[n])
        T = np.outer(self.hand[:3, :3] @ f_tip[:3], unit[n])
        f = np.zeros((n, n + 1))
        for k in reversed(range(n)):
            to_G = self.c_now(k, q)
            to_next = to_G + (self.d_now(k + 1, q) if k + 1 < n else self.d[k])
            T = turn[k] @ (T - M[k] + skew(to_next) @ N - skew(to_G) @ F[k])  # 28
            N = turn[k] @ (N - F[k])  # 27
            f[k] = self.u[k] @ (N if self.slides[k] else T)  # 29
        return f

    def direct_dynamics(self, q: np.ndarray, qd: np.ndarray, forces: np.ndarray, f_tip: np.ndarray) -> np.ndarray:
        """qdd from (39): the lower triangle of H alone, decomposed into triangular factors."""
        system = self.linear_in_acceleration(q, qd, f_tip)
        return solve_symmetric(np.tril(system[:, :-1]), forces - system[:, -1])


def unskew(W: np.ndarray) -> np.ndarray:
    """The vector of the skew-symmetric part."""
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


def solve_symmetric(lower: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with H x = b from the lower triangle of symmetric H, by H = L D L^T."""
    n = len(b)
    L, D = np.eye(n), np.zeros(n)
    for j in range(n):
        D[j] = lower[j, j] - L[j, :j] ** 2 @ D[:j]
        for i in range(j + 1, n):
            L[i, j] = (lower[i, j] - (L[i, :j] * L[j, :j]) @ D[:j]) / D[j]
    x = b.astype(float)
    for i in range(n):
        x[i] -= L[i, :i] @ x[:i]
    x /= D
    for i in reversed(range(n)):
        x[i] -= L[i + 1 :, i] @ x[i + 1 :]
    return x
