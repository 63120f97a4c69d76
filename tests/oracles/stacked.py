"""The equations of motion in closed form: everything stacked into matrices (Modern Robotics 8.58 to 8.80)."""

import numpy as np
from scipy.linalg import block_diag

from oracles.twist_wrench import Ad, ScrewArm, ad


class Stacked:
    """The matrices of one arm at one position and velocity, on a base that moves with V_0."""

    def __init__(self, arm: ScrewArm, q: np.ndarray, qd: np.ndarray, V0: np.ndarray) -> None:
        n, self.arm, self.qd = len(q), arm, qd
        T = arm.inward_transforms(q)
        self.A = block_diag(*(A[:, None] for A in arm.A))  # 8.60
        self.G = block_diag(*arm.G)  # 8.61
        self.W = np.zeros((6 * n, 6 * n))
        for i in range(1, n):
            self.W[6 * i : 6 * i + 6, 6 * i - 6 : 6 * i] = Ad(T[i])  # 8.64
        self.L = sum(np.linalg.matrix_power(self.W, k) for k in range(n))  # 8.72: (I - W)^-1, for W^n = 0
        self.ad_Aqd = block_diag(*(ad(A * rate) for A, rate in zip(arm.A, qd, strict=True)))  # 8.63
        self.into_first, self.out_of_tip = Ad(T[0]), Ad(T[n]).T
        self.V_base = self._first(self.into_first @ V0)  # 8.65
        self.V = self.L @ (self.A @ qd + self.V_base)  # 8.73
        self.ad_V = block_diag(*map(ad, self.V.reshape(n, 6)))  # 8.62

    def _first(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x, np.zeros(6 * len(self.qd) - 6)])

    def Vdot_base(self, V0dot: np.ndarray) -> np.ndarray:
        return self._first(self.into_first @ self.arm.base_rate(V0dot))  # 8.66

    def F_tip(self, F: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros(6 * len(self.qd) - 6), self.out_of_tip @ F])  # 8.67

    def inverse_dynamics(self, qdd: np.ndarray, F_tip: np.ndarray, V0dot: np.ndarray) -> np.ndarray:
        A, G, L, W = self.A, self.G, self.L, self.W
        of_joints = A @ qdd - self.ad_Aqd @ (W @ self.V + self.V_base)
        Vdot = L @ (of_joints + self.Vdot_base(V0dot))  # 8.74
        F = L.T @ (G @ Vdot - self.ad_V.T @ G @ self.V + self.F_tip(F_tip))  # 8.75
        return A.T @ F  # 8.76

    def mass_matrix(self) -> np.ndarray:
        return self.A.T @ self.L.T @ self.G @ self.L @ self.A  # 8.78

    def velocity_forces(self) -> np.ndarray:
        """On a base at rest."""
        A, G, L, W = self.A, self.G, self.L, self.W
        return -A.T @ L.T @ (G @ L @ self.ad_Aqd @ W + self.ad_V.T @ G) @ L @ A @ self.qd  # 8.79

    def gravity_forces(self) -> np.ndarray:
        return self.A.T @ self.L.T @ self.G @ self.L @ self.Vdot_base(np.zeros(6))  # 8.80

    def tip_forces(self, F: np.ndarray) -> np.ndarray:
        return self.A.T @ self.L.T @ self.F_tip(F)  # J^T F_tip of 8.77
