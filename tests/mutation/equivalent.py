"""Mutants that change nothing that counts, each with its reason: by module, function and change.

The line around a change may be written anew; only the function's name and the changed expression must stay.
"""

from mutation.mutants import Mutant

FILLED = "a placeholder that is always overwritten"
SQUARED = "only the square of this vector is used"
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
SCALE = "it only says how large lengths are, for a threshold of rounding with a wide margin"
ANYWHERE = "any point of the axis near the body suits as well"
EITHER_WAY = "an axis of the other direction, or a quarter of a turn more, suits as well"
NO_LOAD = "laws that depend on the load are solved for elsewhere"
ALIKE = "a rotor is the same at any angle, a slide does not turn"
ACCEPTED = "what a constraint accepts, which tests/constraints asks about"
RANK = "states of lost rank, which tests/constraints asks about, or another negative number"
DIMENSIONS = "all parts have as many dimensions"
TINY = "less than answers are told apart by here; the tests with 50 digits tell"

EQUIVALENT: dict[str, dict[str, str]] = {
    "model.canonical": {"10.0 -> 11.0": SAFE},
    "model.canonical._first_origin": {
        "inertia.mass == 0 -> inertia.mass != 0": ANYWHERE,
        "not others -> others": ANYWHERE,
        "joint.z * foot -> joint.z + foot": ANYWHERE,
    },
    "model.canonical._is_near": {
        "_radius_of_gyration(inertia) + sum((norm(c.place - inertia.com) for c in children)) -> "
        "_radius_of_gyration(inertia)": SCALE,
        "FAR_BASE * size -> FAR_BASE + size": SCALE,
        **dict.fromkeys(
            (f"point - inertia.com -> {x}" for x in ("point + inertia.com", "point", "inertia.com")), SCALE
        ),
        **dict.fromkeys(
            (f"c.place - inertia.com -> {x}" for x in ("c.place + inertia.com", "c.place", "inertia.com")), SCALE
        ),
    },
    "model.canonical._foot": {
        "cross(z1, z2) -> cross(z2, z1)": SQUARED,
        "FAR * distance -> FAR + distance": SAFE,
    },
    "model.canonical._split_angle": {"c >= abs(s) -> c > abs(s)": EITHER_WAY},
    "model.canonical._x_axis": {
        f"norm(child.place) + norm(origin) -> {x}": SCALE
        for x in ("norm(child.place) - norm(origin)", "norm(child.place)", "norm(origin)")
    },
    "model.canonical._x_axis_from_inertia": {
        "cross(z, x) -> cross(x, z)": EITHER_WAY,
        "cross(exact(np.eye(3))[min(range(3), key=lambda k: abs(z[k]))], z) -> "
        "cross(z, exact(np.eye(3))[min(range(3), key=lambda k: abs(z[k]))])": EITHER_WAY,
        "norm(com) + norm(origin) -> norm(com)": SCALE,
        "norm(com) + norm(origin) -> norm(origin)": SCALE,
        **dict.fromkeys((f"xx + yy -> {x}" for x in ("xx - yy", "xx", "yy")), SCALE),
    },
    "model.clean.largest": {"0.0 -> 1.0": "traced scalars are never cleaned"},
    "model.inertial_constants.canonical_inertia": {
        f"largest(p) + largest(com) -> {x}": SCALE for x in ("largest(p) - largest(com)", "largest(p)", "largest(com)")
    },
    "model.inertial_constants.in_two_parts": {
        "values.dtype != object -> values.dtype == object": TINY,
        "0.5 * np.finfo(float).eps * np.abs(nearest).max() -> 0.5 * np.finfo(float).eps + np.abs(nearest).max()": TINY,
        "0.5 * np.finfo(float).eps -> 0.5 + np.finfo(float).eps": TINY,
        "0.5 -> 1.5": TINY,
        "0.75 * most -> 0.75 + most": TINY,
        "0.75 -> 1.75": TINY,
    },
    "model.mechanism": {"2.0 -> 3.0": SAFE},
    "model.mechanism.Body.joint_turn": {
        "self.angle - slight -> self.angle + slight": TINY,
        "self.angle - slight -> self.angle": TINY,
        "c - s * slight -> c + s * slight": TINY,
        "c - s * slight -> c": TINY,
        "s + c * slight -> s - c * slight": TINY,
        "s + c * slight -> s": TINY,
    },
    "model.regrouping._rod": {"np.outer(p, z) -> np.outer(z, p)": BOTH_WAYS},
    "algorithms.mass_matrix.composites": {"h + rest -> h - rest": TINY, "h + rest -> h": TINY},
    "algorithms.factors.factored": {"0.0 -> 1.0": FILLED},
    "algorithms.factors.Factors.with_reactions": {"0.0 -> 1.0": FILLED},
    "algorithms.joint_reactions.JointReactions._repr_html_": {"self[0] -> self[1]": DIMENSIONS},
    "algorithms.link_motion.LinkMotion._repr_html_": {"self[0] -> self[1]": DIMENSIONS},
    "algorithms.forward_dynamics.forward_dynamics": {"0.0 -> 1.0": NO_LOAD},
    "algorithms.task_rows": {"1e-100 -> 1.0000000000000001e-88": SAFE, "1e+100 -> 1e+100": SAFE},
    "constraints.dynamics._nan_unless": {"-1.0 -> 1.0": RANK, "1.0 -> 2.0": RANK},
    "constraints.held": {f"POSITIONS + ROTATIONS -> {one}": ACCEPTED for one in ("POSITIONS", "ROTATIONS")},
    "constraints.under_load._of_coordinates": {"count + 1 -> count": "a step more than its lines take"},
    "constraints.under_load._of_coordinates.of_load": {
        f"force(laws, i, x[0]) + 0.0 * x[0] -> {x}": "it makes the result traced, whatever it is"
        for x in ("force(laws, i, x[0]) - 0.0 * x[0]", "force(laws, i, x[0])")
    },
    "constraints.under_load._with_slope": {"0.0 -> 1.0": "it is left out at once; with it NumPy makes no scalar array"},
    "model.drive.Drive.with_friction": {"0.0 -> 1.0": "every joint has this entry"},
    "model.drive.Drive.with_rotors_of": {"0.0 -> 1.0": ALIKE},
    "model.regrouping._reflected": {"0.0 -> 1.0": "a rotor that nothing turns is on a link that nothing turns"},
    "model.regrouping._with_shared": {"0.0 -> 1.0": ALIKE},
    "algorithms.closed_form.spatial_inertia": {
        "np.outer(p, body.first_moment) -> np.outer(body.first_moment, p)": SYMMETRIC
    },
    "algorithms.link_motion.of_body": {
        "np.outer(c, body.first_moment) -> np.outer(body.first_moment, c)": SYMMETRIC,
    },
    "algorithms.mass_matrix_dot.changing_composites": {
        "np.outer(body.offset, hd) -> np.outer(hd, body.offset)": BOTH_WAYS,
        "np.outer(q[k] * Z, hd) -> np.outer(hd, q[k] * Z)": BOTH_WAYS,
        "np.outer(qd[k] * (h + mass * (q[k] * Z)), Z) -> np.outer(Z, qd[k] * (h + mass * (q[k] * Z)))": BOTH_WAYS,
    },
    "algorithms.inverse_dynamics_derivatives.rates_in_parent": {
        "hd + mass * (rate * Z) -> hd - mass * (rate * Z)": UNASKED,
        "hd + mass * (rate * Z) -> hd": UNASKED,
        "P + np.outer(rate * h, Z) -> P - np.outer(rate * h, Z)": UNASKED,
        "P + np.outer(rate * h, Z) -> P": UNASKED,
        "P + np.outer(rate * h, Z) -> np.outer(rate * h, Z)": UNASKED,
        "np.outer(rate * h, Z) -> np.outer(Z, rate * h)": UNASKED,
        "rate * h -> rate + h": UNASKED,
    },
    "algorithms.inverse_dynamics_derivatives.motions_of_parents": {
        "body.parent >= 0 -> body.parent > 0": "no joint turns a first link that slides, so nothing asks this of it",
        "a + U @ (q[k] * Z) -> a - U @ (q[k] * Z)": UNASKED,
        "a + U @ (q[k] * Z) -> a": UNASKED,
        "a + U @ (q[k] * Z) -> U @ (q[k] * Z)": UNASKED,
        "q[k] * Z -> q[k] + Z": UNASKED,
    },
    "algorithms.inverse_dynamics_derivatives.couple_on": {
        **dict.fromkeys(
            (
                f"{line} -> {x.format(line[: line.index(']') + 1])}"
                for line, changes in {
                    "(yy + zz) * s[0] - yx * s[1] - zx * s[2]": ("{} - yx * s[1] + zx * s[2]", "{} - yx * s[1]"),
                    "(xx + zz) * s[1] - xy * s[0] - zy * s[2]": ("{} - xy * s[0] + zy * s[2]", "{} - xy * s[0]"),
                }.items()
                for x in changes
            ),
            ACROSS,
        ),
        **dict.fromkeys((f"xx + yy -> {other}" for other in ("xx - yy", "xx", "yy")), ACROSS),
    },
    "spatial.positive_definite.Cholesky.of": {"1.0 -> 2.0": FILLED, "k + 1 -> k": BELOW, "k + 1 -> 1": BELOW},
    "spatial.positive_definite.Cholesky.solve": {"k + 1 -> k": BELOW, "k + 1 -> 1": BELOW},
    "spatial.positive_definite.Cholesky.inverse": {"k + 1 -> k": BELOW, "k + 1 -> 1": BELOW},
    "spatial.turns._turned_tensor": {"axis + 1 -> 1": AGAIN, "axis + 2 -> 2": AGAIN},
    "spatial.turns.symmetric_to_parent": {"axis + 1 -> 1": AGAIN, "axis + 2 -> 2": AGAIN},
    "constraints.point_on_curve.nearest": {
        "parameters[0] -> parameters[1]": NEIGHBOUR,
        "squares[0] -> squares[1]": NEIGHBOUR,
    },
    "constraints.point_on_curve._check_up": {"np.cross(up, tangent) -> np.cross(tangent, up)": SQUARED},
    "constraints.equations._check_shapes": {
        "np.shape(part.phi) if holonomic else np.shape(part.A) -> "
        "np.shape(part.A) if holonomic else np.shape(part.phi)": OTHERS,
    },
    "program.accumulation._length": {"index >= present -> index > present": LEAF},
}


def explained(m: Mutant) -> bool:
    """Whether the mutant may survive."""
    return m.change in EQUIVALENT.get(m.function, {})
