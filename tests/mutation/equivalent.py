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
TINY = "less than answers are told apart by here; the tests with 50 digits tell"

EQUIVALENT: dict[str, dict[str, str]] = {
    "model.mechanism": {"2.0 -> 3.0": SAFE},
    "model.mechanism.Body": {"0.0 -> 1.0": FILLED},
    "model.mechanism.Body.joint_turn": {
        "self.angle - slight -> self.angle + slight": TINY,
        "self.angle - slight -> self.angle": TINY,
        "c - s * slight -> c + s * slight": TINY,
        "c - s * slight -> c": TINY,
        "s + c * slight -> s - c * slight": TINY,
        "s + c * slight -> s": TINY,
    },
    "model.regrouping._rod": {"np.outer(p, z) -> np.outer(z, p)": BOTH_WAYS},
    "algorithms.mass_matrix.composites": {"h + rest -> h - rest": TINY},
    "algorithms.factors.factored_mass_matrix": {"0.0 -> 1.0": FILLED},
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
    "algorithms.inverse_dynamics_derivatives.from_carrier": {
        "hd + mass * (rate * Z) -> hd - mass * (rate * Z)": UNASKED,
        "hd + mass * (rate * Z) -> hd": UNASKED,
        "P + np.outer(rate * h, Z) -> P - np.outer(rate * h, Z)": UNASKED,
        "P + np.outer(rate * h, Z) -> P": UNASKED,
        "P + np.outer(rate * h, Z) -> np.outer(rate * h, Z)": UNASKED,
        "np.outer(rate * h, Z) -> np.outer(Z, rate * h)": UNASKED,
        "rate * h -> rate + h": UNASKED,
    },
    "algorithms.inverse_dynamics_derivatives.motions_of_carriers": {
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
    "spatial.turns.symmetric_out_of": {"axis + 1 -> 1": AGAIN, "axis + 2 -> 2": AGAIN},
    "constraints.point_on_curve.nearest": {
        "parameters[0] -> parameters[1]": NEIGHBOUR,
        "squares[0] -> squares[1]": NEIGHBOUR,
    },
    "constraints.point_on_curve._check_up": {"np.cross(up, tangent) -> np.cross(tangent, up)": SQUARED},
    "constraints.equations._checked": {
        "np.shape(part.phi) if holonomic else np.shape(part.A) -> "
        "np.shape(part.A) if holonomic else np.shape(part.phi)": OTHERS,
    },
    "program.accumulation._length": {"index >= present -> index > present": LEAF},
}


def explained(m: Mutant) -> bool:
    """Whether the mutant may survive."""
    return m.change in EQUIVALENT.get(m.function, {})
