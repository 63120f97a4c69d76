"""Mutants that change nothing that counts, each with its reason."""

from mutation.mutants import Mutant

FILLED = "a placeholder that is always overwritten"
SQUARED = "only the square of this vector is used"
AT_ZERO = "the first line is always given through the origin"
EITHER_WAY = "an axis of the other direction suits as well"
UNCLEANED = "traced scalars are never cleaned"
SAFE = "a threshold of rounding with a wide margin"
SYMMETRIC = "h = m c, so the product is symmetric"
BOTH_WAYS = "its transpose is added to it"
UNASKED = "nothing asks this of a slide"
ACROSS = "the rate of an axis has no part along it"
BELOW = "L is zero on and above its diagonal"
NEIGHBOUR = "Newton's steps from the next sample end at the same point"
LEAF = "the node there is a variable, which costs nothing"
AGAIN = "what is overwritten differs by rounding alone"
OTHERS = "for equations that others register"
TINY = "less than answers are told apart by here; the tests with 50 digits tell"
EQUIVALENT = {
    "SLIGHT = 2.0**-27 | 2.0 -> 3.0": SAFE,
    "theta = (q if self.revolute else 0.0) + (self.angle - slight) | self.angle - slight -> self.angle + slight": TINY,
    "theta = (q if self.revolute else 0.0) + (self.angle - slight) | self.angle - slight -> self.angle": TINY,
    "c, s = c - s * slight, s + c * slight | c - s * slight -> c + s * slight": TINY,
    "c, s = c - s * slight, s + c * slight | c - s * slight -> c": TINY,
    "c, s = c - s * slight, s + c * slight | s + c * slight -> s - c * slight": TINY,
    "c, s = c - s * slight, s + c * slight | s + c * slight -> s": TINY,
    "result[body.parent] = Composite(carrier.mass + mass, h_carrier + (h + rest), S) | h + rest -> h - rest": TINY,
    "reciprocal: list[Any] = [0.0] * len(M) | 0.0 -> 1.0": FILLED,
    "L, reciprocal = np.zeros((size, size), dtype=object), [1.0] * size | 1.0 -> 2.0": FILLED,
    "armature: Any = 0.0 | 0.0 -> 1.0": FILLED,
    "normal = np.cross(z1, z2) | np.cross(z1, z2) -> np.cross(z2, z1)": SQUARED,
    "d = o2 - o1 | o2 - o1 -> o2 + o1": AT_ZERO,
    "d = o2 - o1 | o2 - o1 -> o2": AT_ZERO,
    "y = np.cross(z, x) | np.cross(z, x) -> np.cross(x, z)": EITHER_WAY,
    "x = clean_direction(np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)) | "
    "np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z) -> "
    "np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])": EITHER_WAY,
    "R = _clean(link_pose[:3, :3], 1.0) | 1.0 -> 2.0": SAFE,
    "com = _clean(R @ com + p, _scale(p) + _scale(com)) | _scale(p) + _scale(com) -> _scale(com)": SAFE,
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
    "S = R.T @ (body.second_moment - np.outer(p, body.first_moment)) @ R | "
    "np.outer(p, body.first_moment) -> np.outer(body.first_moment, p)": SYMMETRIC,
    "about_com = body.second_moment - np.outer(c, body.first_moment)  # Sigma about C: Sigma - m c c^T | "
    "np.outer(c, body.first_moment) -> np.outer(body.first_moment, c)": SYMMETRIC,
    "carrier, lever = rates[body.parent], np.outer(body.offset, hd) | "
    "np.outer(body.offset, hd) -> np.outer(hd, body.offset)": BOTH_WAYS,
    "lever = np.outer(q[k] * Z, hd) + np.outer(qd[k] * (h + mass * (q[k] * Z)), Z) | "
    "np.outer(q[k] * Z, hd) -> np.outer(hd, q[k] * Z)": BOTH_WAYS,
    "lever = np.outer(q[k] * Z, hd) + np.outer(qd[k] * (h + mass * (q[k] * Z)), Z) | "
    "np.outer(qd[k] * (h + mass * (q[k] * Z)), Z) -> np.outer(Z, qd[k] * (h + mass * (q[k] * Z)))": BOTH_WAYS,
    "crossed = np.outer(p, z) | np.outer(p, z) -> np.outer(z, p)": BOTH_WAYS,
    **dict.fromkeys(
        (
            f"return Rates(hd + mass * (rate * Z), P + np.outer(rate * h, Z)) | {change}"
            for change in (
                "hd + mass * (rate * Z) -> hd - mass * (rate * Z)",
                "hd + mass * (rate * Z) -> hd",
                "P + np.outer(rate * h, Z) -> P - np.outer(rate * h, Z)",
                "P + np.outer(rate * h, Z) -> P",
                "P + np.outer(rate * h, Z) -> np.outer(rate * h, Z)",
                "np.outer(rate * h, Z) -> np.outer(Z, rate * h)",
                "rate * h -> rate + h",
            )
        ),
        UNASKED,
    ),
    **dict.fromkeys(
        (
            f"a, u = a + U @ (q[k] * Z), u + cross(2.0 * w, q[k] * Z) | {change}"
            for change in (
                "a + U @ (q[k] * Z) -> a - U @ (q[k] * Z)",
                "a + U @ (q[k] * Z) -> a",
                "a + U @ (q[k] * Z) -> U @ (q[k] * Z)",
                "q[k] * Z -> q[k] + Z",
            )
        ),
        UNASKED,
    ),
    **dict.fromkeys(
        (
            f"{line}, | {change}"
            for line, changes in {
                "(yy + zz) * s[0] - yx * s[1] - zx * s[2]": ("{} - yx * s[1] + zx * s[2]", "{} - yx * s[1]"),
                "(xx + zz) * s[1] - xy * s[0] - zy * s[2]": ("{} - xy * s[0] + zy * s[2]", "{} - xy * s[0]"),
            }.items()
            for change in (f"{line} -> {x.format(line[: line.index(']') + 1])}" for x in changes)
        ),
        ACROSS,
    ),
    **dict.fromkeys(
        (f"(xx + yy) * s[2] - xz * s[0] - yz * s[1], | xx + yy -> {other}" for other in ("xx - yy", "xx", "yy")),
        ACROSS,
    ),
    "for i in range(k + 1, size): | k + 1 -> k": BELOW,
    "for i in range(k + 1, size): | k + 1 -> 1": BELOW,
    "s, least = parameters[0], squares[0] | parameters[0] -> parameters[1]": NEIGHBOUR,
    "s, least = parameters[0], squares[0] | squares[0] -> squares[1]": NEIGHBOUR,
    "if not np.linalg.norm(np.cross(up, tangent)) > TOO_STEEP * length: | "
    "np.cross(up, tangent) -> np.cross(tangent, up)": SQUARED,
    "names = (str(graph.nodes[index][0]) for index in cone(graph, entries(blocks)) if index >= present) | "
    "index >= present -> index > present": LEAF,
    "x, y, z = (axis + 1) % 3, (axis + 2) % 3, axis | axis + 1 -> 1": AGAIN,
    "x, y, z = (axis + 1) % 3, (axis + 2) % 3, axis | axis + 2 -> 2": AGAIN,
    "raise wrong_shape(constraint, np.shape(part.phi) if holonomic else np.shape(part.A), n) | "
    "np.shape(part.phi) if holonomic else np.shape(part.A) -> "
    "np.shape(part.A) if holonomic else np.shape(part.phi)": OTHERS,
}


SCALES_OF_ROUNDING = {
    "SMALLEST, LARGEST = 1e-100, 1e100",
    "reach = np.abs(p).max() + np.abs(body.offset).max()",
    "reach = _scale(joint.placement[:3, 3]) + _scale(parent_pose[:3, 3]) + _scale(frame[:3, 3])",
    "size = np.linalg.norm(child.placement[:3, 3]) + np.linalg.norm(origin)",
}
"""Lines that only say how large lengths are, for thresholds of rounding with a wide margin: any change will do."""


def explained(m: Mutant) -> bool:
    """Whether the mutant may survive."""
    return f"{m.line} | {m.change}" in EQUIVALENT or m.line in SCALES_OF_ROUNDING
