"""Mutants that change nothing that counts, each with its reason."""

from mutation.mutants import Mutant

FILLED = "a placeholder that is always overwritten"
SQUARED = "only the square of this vector is used"
AT_ZERO = "the first line is always given through the origin"
EITHER_WAY = "an axis of the other direction suits as well"
UNCLEANED = "traced scalars are never cleaned"
SAFE = "a threshold of rounding with a wide margin"
EQUIVALENT = {
    "reciprocal = [0.0] * len(M) | 0.0 -> 1.0": FILLED,
    "tau: list[Any] = [0.0] * model.dof | 0.0 -> 1.0": FILLED,
    "normal = np.cross(z1, z2) | np.cross(z1, z2) -> np.cross(z2, z1)": SQUARED,
    "d = o2 - o1 | o2 - o1 -> o2 + o1": AT_ZERO,
    "d = o2 - o1 | o2 - o1 -> o2": AT_ZERO,
    "y = np.cross(z, x) | np.cross(z, x) -> np.cross(x, z)": EITHER_WAY,
    "x = clean_direction(np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)) | "
    "np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z) -> "
    "np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])": EITHER_WAY,
    "R = _clean(link_pose[:3, :3], 1.0) | 1.0 -> 2.0": SAFE,
    "com = _clean(R @ inertia.com + p, _scale(p) + _scale(inertia.com)) | "
    "_scale(p) + _scale(inertia.com) -> _scale(inertia.com)": SAFE,
    "base_axes=None if base_pose is None else _clean(base_pose[:3, :3], 1.0), | 1.0 -> 2.0": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> xx - yy": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> xx": SAFE,
    "if abs(xy) < ROUNDING * (xx + yy): | xx + yy -> yy": SAFE,
    "return 0.0 if values.dtype == object else float(np.abs(values).max()) | 0.0 -> 1.0": UNCLEANED,
    "if np.linalg.norm(across) > ROUNDING * (np.linalg.norm(inertia.com) + np.linalg.norm(origin)): | "
    "np.linalg.norm(inertia.com) + np.linalg.norm(origin) -> np.linalg.norm(inertia.com)": SAFE,
    "if np.linalg.norm(across) > ROUNDING * (np.linalg.norm(inertia.com) + np.linalg.norm(origin)): | "
    "np.linalg.norm(inertia.com) + np.linalg.norm(origin) -> np.linalg.norm(origin)": SAFE,
    "FAR = 10.0 | 10.0 -> 11.0": SAFE,
    "if abs(foot) > FAR * math.sqrt(float(d @ d)): | "
    "FAR * math.sqrt(float(d @ d)) -> FAR + math.sqrt(float(d @ d))": SAFE,
    "R = matrix((*body.turns, body.joint_turn(0.0))).astype(np.longdouble) | "
    "0.0 -> 1.0": "a prismatic joint does not turn",
}


SCALES_OF_ROUNDING = {
    "reach = _scale(joint.placement[:3, 3]) + _scale(parent_pose[:3, 3]) + _scale(frame[:3, 3])",
    "size = np.linalg.norm(child.placement[:3, 3]) + np.linalg.norm(origin)",
}
"""Lines that only say how large lengths are, for thresholds of rounding with a wide margin: any change will do."""


def explained(m: Mutant) -> bool:
    """Whether the mutant may survive."""
    return f"{m.line} | {m.change}" in EQUIVALENT or m.line in SCALES_OF_ROUNDING
