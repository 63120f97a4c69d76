"""Craig's iterative Newton-Euler algorithm (6.45 to 6.53), as printed: vectors in link frames, z along the axis.

Frames are modified Denavit-Hartenberg's, or any others whose z lies along the joint's axis.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from oracles.chains import Chain, pose, rotation

Z = np.array([0.0, 0.0, 1.0])


class Iterations(NamedTuple):
    """What the outward and inward iterations give for links 1, ..., n, each in the link's own frame {i}."""

    omega: np.ndarray
    omega_dot: np.ndarray
    v_dot: np.ndarray
    v_dot_c: np.ndarray
    F: np.ndarray
    N: np.ndarray
    f: np.ndarray
    n: np.ndarray
    tau: np.ndarray


@dataclass(frozen=True)
class CraigArm:
    """``fixed[i]`` is the part of T_{i,i+1} that does not move; the joint turns about z or slides along it behind that.

    ``P_C`` and ``C_I`` are centres of mass and inertias about them in the link frames; ``tool`` is {n+1} in {n}.
    """

    slides: np.ndarray
    fixed: np.ndarray
    masses: np.ndarray
    P_C: np.ndarray
    C_I: np.ndarray
    tool: np.ndarray
    gravity: np.ndarray

    @classmethod
    def of_modified_dh(cls, table: np.ndarray, slides: np.ndarray, **bodies: np.ndarray) -> "CraigArm":
        """Rows alpha_{i-1}, a_{i-1}, d_i, theta_i at zero; 3.6: Rx(alpha) Dx(a) Rz(theta) Dz(d)."""
        x = np.array([1.0, 0.0, 0.0])
        fixed = [
            pose(rotation(x, alpha)) @ pose(p=a * x) @ pose(rotation(Z, theta)) @ pose(p=d * Z)
            for alpha, a, d, theta in table
        ]
        return cls(slides=slides, fixed=np.array(fixed), **bodies)

    @classmethod
    def of_chain(cls, chain: Chain, seed: int = 0) -> tuple["CraigArm", np.ndarray]:
        """The arm of a chain, and R of every frame {i} in its link's own frame: z on the axis, x anywhere across it."""
        rng = np.random.default_rng(seed)
        C = []
        for axis in chain.axes:
            across = np.cross(axis, rng.normal(size=3))
            x = across / np.linalg.norm(across)
            C.append(np.column_stack([x, np.cross(axis, x), axis]))
        inner = [np.eye(3), *C[:-1]]
        fixed = [pose(B.T) @ T @ pose(R) for B, T, R in zip(inner, chain.placements, C, strict=True)]
        arm = cls(
            slides=chain.slides,
            fixed=np.array(fixed),
            masses=chain.masses,
            P_C=np.array([R.T @ c for R, c in zip(C, chain.coms, strict=True)]),
            C_I=np.array([R.T @ tensor @ R for R, tensor in zip(C, chain.tensors, strict=True)]),
            tool=pose(C[-1].T) @ chain.tip,
            gravity=chain.gravity,
        )
        return arm, np.array(C)

    def steps(self, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """R_{i,i+1} and P_{i,i+1} from every frame to the next, the tool's the last."""
        moving = [pose(p=x * Z) if slides else pose(rotation(Z, x)) for x, slides in zip(q, self.slides, strict=True)]
        transforms = [*(T @ J for T, J in zip(self.fixed, moving, strict=True)), self.tool]
        return [(T[:3, :3], T[:3, 3]) for T in transforms]

    def iterate(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_tip: np.ndarray) -> Iterations:
        """Both iterations; ``f_tip`` = (n, f) that the tool applies to its surroundings, in its frame."""
        steps, n = self.steps(q), len(self.slides)
        w, wd, vd = [np.zeros(3)], [np.zeros(3)], [-self.gravity]  # "the base accelerates upwards by g"
        vd_C, F, N = [], [], []
        for i in range(n):  # outwards
            R, P = steps[i][0].T, steps[i][1]
            carried = R @ (np.cross(wd[i], P) + np.cross(w[i], np.cross(w[i], P)) + vd[i])
            if self.slides[i]:
                w.append(R @ w[i])
                wd.append(R @ wd[i])
                carried = carried + 2.0 * np.cross(w[i + 1], qd[i] * Z) + qdd[i] * Z  # 6.35
            else:
                w.append(R @ w[i] + qd[i] * Z)  # 6.45
                wd.append(R @ wd[i] + np.cross(R @ w[i], qd[i] * Z) + qdd[i] * Z)  # 6.46
            vd.append(carried)  # 6.47
            lever, inertia = self.P_C[i], self.C_I[i]
            vd_C.append(np.cross(wd[-1], lever) + np.cross(w[-1], np.cross(w[-1], lever)) + vd[-1])  # 6.48
            F.append(self.masses[i] * vd_C[-1])  # 6.49
            N.append(inertia @ wd[-1] + np.cross(w[-1], inertia @ w[-1]))  # 6.50
        f, moment = [np.zeros(3)] * (n + 1), [np.zeros(3)] * (n + 1)
        moment[n], f[n] = f_tip[:3], f_tip[3:]
        tau = np.zeros(n)
        for i in reversed(range(n)):  # inwards
            R, P = steps[i + 1]
            f[i] = R @ f[i + 1] + F[i]  # 6.51
            moment[i] = N[i] + R @ moment[i + 1] + np.cross(self.P_C[i], F[i]) + np.cross(P, R @ f[i + 1])  # 6.52
            tau[i] = f[i] @ Z if self.slides[i] else moment[i] @ Z  # 6.53
        return Iterations(*map(np.array, (w[1:], wd[1:], vd[1:], vd_C, F, N, f[:n], moment[:n], tau)))
