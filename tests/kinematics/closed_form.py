"""All inverse kinematic solutions of the UR5 in closed form, from the numbers of its description; shares no code.

The tool's rotation is Rz(q1) Ry(q2 + q3 + q4 + pi) Rz(q5) Ry(q6) Rx(-pi/2), its position what stands in `position`.
"""

import numpy as np

HEIGHT, SHOULDER, UPPER, ELBOW, FOREARM, WRIST_1, WRIST_2, TOOL = (
    0.089159, 0.13585, 0.425, -0.1197, 0.39225, 0.093, 0.09465, 0.0823,
)  # fmt: skip
SIDE = SHOULDER + ELBOW + WRIST_1


def rx(a: float) -> np.ndarray:
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def rz(a: float) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def solutions(T: np.ndarray) -> np.ndarray:
    """All q, each joint within -pi .. pi, shape (0 to 8, 6)."""
    R, p = T[:3, :3], T[:3, 3]
    found = []
    wrist = p - TOOL * R[:, 2]  # where axes 5 and 6 meet, moved along axis 5 to the arm's plane
    across = np.hypot(wrist[0], wrist[1])
    if across < SIDE:
        return np.empty((0, 6))
    for flip in (0, 1):  # the plane of links 2 to 4 lies SIDE beside axis 1, left or right of the wrist
        lean = np.arcsin(SIDE / across)
        q1 = np.arctan2(wrist[1], wrist[0]) + (np.pi + lean if flip else -lean)
        A = rz(-q1) @ R @ rx(np.pi / 2)  # Ry(theta) Rz(q5) Ry(q6): Euler angles y, z, y
        for sign in (1.0, -1.0):
            s5 = sign * np.hypot(A[1, 0], A[1, 2])
            q5 = np.arctan2(s5, A[1, 1])
            q6 = np.arctan2(A[1, 2] / s5, A[1, 0] / s5)
            theta = np.arctan2(A[2, 1] / s5, -A[0, 1] / s5)
            found += [[q1, *planar, q5, q6] for planar in _planar(rz(-q1) @ p, theta, s5)]
    return np.remainder(np.array(found).reshape(-1, 6) + np.pi, 2 * np.pi) - np.pi


def _planar(p: np.ndarray, theta: float, s5: float) -> list[tuple[float, float, float]]:
    """q2, q3, q4: two links in the x-z plane to where the third begins, elbow up and down."""
    end = np.array([-s5 * TOOL, WRIST_2])  # x and z in the third link's axes
    x = p[0] - (np.cos(theta) * end[0] + np.sin(theta) * end[1])
    z = p[2] - HEIGHT - (-np.sin(theta) * end[0] + np.cos(theta) * end[1])
    cosine = (x * x + z * z - UPPER**2 - FOREARM**2) / (2 * UPPER * FOREARM)
    if abs(cosine) > 1:
        return []
    result = []
    for q3 in (np.arccos(cosine), -np.arccos(cosine)):
        alpha = np.arctan2(x, z) - np.arctan2(FOREARM * np.sin(q3), UPPER + FOREARM * np.cos(q3))
        result.append((alpha - np.pi / 2, q3, theta - alpha - q3 - np.pi / 2))
    return result


def position(q: np.ndarray) -> np.ndarray:
    """Where the tool is, written out for a check of the closed form itself."""
    alpha = np.pi / 2 + q[1]
    beta, theta = alpha + q[2], q[1] + q[2] + q[3] + np.pi
    x = UPPER * np.sin(alpha) + FOREARM * np.sin(beta) + np.sin(theta) * WRIST_2 - np.cos(theta) * np.sin(q[4]) * TOOL
    z = UPPER * np.cos(alpha) + FOREARM * np.cos(beta) + np.cos(theta) * WRIST_2 + np.sin(theta) * np.sin(q[4]) * TOOL
    return rz(q[0]) @ np.array([x, SIDE + np.cos(q[4]) * TOOL, HEIGHT + z])
