"""Questions without a robot: small dense algebra, words of a task, derivatives of programs."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from mpmath import mp, mpf
from scipy.spatial.transform import Rotation

from mutation import calculus
from mutation.question import Question, Refusal
from program.test_derivative_rules import RULES, STEP, differences

RNG = np.random.default_rng(141)
TASK_ROWS = "armdyn.algorithms.task_rows"
UNITS = {name: tuple(row) for name, row in zip(("wx", "wy", "wz", "vx", "vy", "vz"), np.eye(6).tolist(), strict=True)}


def ask(function: str, *arguments: Any, answer: Any, **options: Any) -> Question:
    return Question(None, function, options, list(arguments), answer)


def of_algebra() -> Iterator[Question]:
    """Inverses, and axial(U Sigma) = I wd + w x I w for an inertia that is not regrouped."""
    inverse, b = "mutation.dense.inverse", RNG.normal(size=6)
    for size in (1, 2, 3, 6):
        B = RNG.normal(size=(size, size))
        A = B @ B.T + 0.1 * np.eye(size)
        lower = np.tril(A) + np.triu(np.full_like(A, np.nan), 1)  # only that half is read
        L = np.linalg.cholesky(A)
        root = np.diagonal(L)
        yield ask(inverse, A, answer=np.linalg.inv(A))
        yield ask(inverse, lower, answer=np.linalg.inv(A))
        yield ask("mutation.dense.solution", lower, b[:size], answer=np.linalg.solve(A, b[:size]))
        found = L / root - np.eye(size), root**2, root**2 / np.diagonal(A)
        yield ask("mutation.dense.factors", lower, answer=found)
    yield ask(inverse, np.array([[4.0, 2.0], [2.0, 1.0]]), answer=Refusal("ZeroPivot", "pivot 1 is zero"))
    terms = np.array([[0.1, 0.1, 5.0], [0.2, 0.2, -1.0], [-0.3, -0.3 + 1e-12, 0.0]])  # 0.1 + 0.2 is not 0.3
    found = terms.sum(axis=0), np.array([1.0, 0.0, 0.0])
    yield ask("mutation.dense.sum_and_zeros", *terms, answer=found)
    w, wd, A = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=(3, 3))
    S, W = A @ A.T, np.cross(w, np.eye(3)).T
    inertia, U = np.trace(S) * np.eye(3) - S, np.cross(wd, np.eye(3)).T + W @ W
    R = Rotation.from_rotvec(w).as_matrix()
    yield ask("mutation.dense.tensors_out_of", R, S, answer=(R @ S @ R.T, R @ S @ R.T))
    body = SimpleNamespace(mass=1.7, first_moment=w, second_moment=S)  # not regrouped, as where it is an input
    H = np.cross(w, np.eye(3)).T
    J = np.block([[inertia, H], [H.T, 1.7 * np.eye(3)]])
    yield ask("armdyn.algorithms.articulated_bodies.articulated_inertia_of_link", body, answer=J)
    yield ask("armdyn.algorithms.newton_euler.acceleration_tensor", w, wd, answer=U)
    euler = inertia @ wd + np.cross(w, inertia @ w)
    yield ask("armdyn.algorithms.newton_euler.axial_of_product", U, S, answer=euler)


def of_zeros() -> Iterator[Question]:
    """Right angles that are off by rounding become right ones, and stay rotations."""
    for first, second in ((0.3, 0.0), (0.3, 0.7), (0.0, -2.1)):
        angles = (np.pi / 2 + 3e-15, np.pi / 2)
        noisy, right = (Rotation.from_euler("ZXZ", (first, angle, second)).as_matrix() for angle in angles)
        yield ask("mutation.dense.cleaned_rotation", noisy, answer=(right, abs(right) < 1e-15))
    values = np.array([3.0, 2e-14, -4e-14, 0.5])
    yield ask("mutation.dense.cleaned", values, answer=(values, np.array([0.0, 1.0, 0.0, 0.0])))


def of_curves() -> Iterator[Question]:
    """The nearest of all points of a curve, of places all around, whatever else Newton's steps might find."""
    s = np.linspace(0.0, 2.0 * np.pi, 200001)
    places = np.stack([0.9 + np.cos(s), 0.4 + 0.6 * np.sin(s)])
    for angle in np.linspace(0.1, 6.1, 9):
        r = np.array([0.9 + 0.7 * np.cos(angle), 0.4 + 0.5 * np.sin(angle), 0.2])
        start = s[np.argmin(np.hypot(*(places.T - r[:2]).T))]

        def slope(t: mpf, r: np.ndarray = r) -> mpf:
            x, y = mpf(0.9) + mp.cos(t) - mpf(r[0]), mpf(0.4) + mpf(0.6) * mp.sin(t) - mpf(r[1])
            return -mp.sin(t) * x + mpf(0.6) * mp.cos(t) * y

        t = float(mp.findroot(slope, mpf(float(start))))
        answer = np.array([0.9 + np.cos(t), 0.4 + 0.6 * np.sin(t), 0.0])
        yield ask("mutation.dense.nearest_on_ellipse", r, answer=answer)


def of_task_rows() -> Iterator[Question]:
    """What a task may be about, and what it may not."""
    rows, six = f"{TASK_ROWS}.chosen_rows", (0.0, 0.5, 0.0, 0.0, -2.0, 0.0)
    yield ask(rows, "orientation", answer=(UNITS["wx"], UNITS["wy"], UNITS["wz"]))
    yield ask(rows, ("vz", "wx", six), answer=(UNITS["vz"], UNITS["wx"], six))
    yield ask(rows, "pose", answer=tuple(UNITS.values()))
    for bad, words in (
        ((), "asks for nothing"),
        (("vx", "vx"), "asks for vx twice"),
        (("position", "vy"), "asks for vy twice"),
        (((1.0, 2.0),), "six finite numbers"),
        (((0.0,) * 6,), "six finite numbers"),
        (((np.inf, 0, 0, 0, 0, 0),), "six finite numbers"),
        ((3.0,), "six finite numbers"),
    ):
        yield ask(rows, bad, answer=Refusal("TaskSpaceError", words))
    yield ask(rows, ("vq",), answer=Refusal("UnknownName", "no component 'vq'"))
    for row, name in (
        ((0, 0, 0, 1, 0, 0), "vx"),
        ((0, 0, 0.5, 1, 0, -2), "0.5 wz + vx - 2 vz"),
        ((-1, 0, 0, 0, 0, 0), "-wx"),
        ((-0.25, -1, 0, 0, 0, 3), "-0.25 wx - wy + 3 vz"),
    ):
        yield ask(f"{TASK_ROWS}.name_of", row, answer=name)
    place = f"{TASK_ROWS}.checked_place"
    yield ask(place, (1, 2, 3), "world", answer=np.array([1.0, 2.0, 3.0]))
    yield ask(place, (0, 0, 0), "space", answer=np.zeros(3))
    yield ask(place, (0, 0, 0), "tip", answer=Refusal("UnknownName", "no way 'tip'"))
    for point, way, words in (
        ((0, 1, 0), "space", "has no meaning"),
        ((0, 1), "body", "point has shape (2,)"),
        ((0, np.nan, 0), "body", "point[1] is nan"),
        (1.0, "body", "point has shape ()"),
    ):
        yield ask(place, point, way, answer=Refusal("TaskSpaceError", words))


def of_calculus() -> Iterator[Question]:
    """Derivatives against differences in 50 digits, and what the true source makes them cost."""
    here = "mutation.calculus"
    for name, (_, exact, points) in RULES.items():
        for point in points:
            slopes = differences(exact, point)
            within = 3.0 * slopes + np.eye(len(point))[-1]
            for way in ("forward", "reverse"):
                expected = np.concatenate([slopes, within])
                yield ask(f"{here}.by_operation", way, name, list(point), answer=expected)
    for name, kink, halfway in (
        ("abs", [0.0], [0.0]), ("min", [2.0, 2.0], [0.5, 0.5]), ("max", [2.0, 2.0], [0.5, 0.5]),
    ):  # fmt: skip
        expected = np.concatenate([halfway, 3.0 * np.array(halfway) + np.eye(len(kink))[-1]])
        for way in ("forward", "reverse"):
            yield ask(f"{here}.by_operation", way, name, kink, answer=expected)
    for way in ("forward", "reverse"):
        yield ask(f"{here}.by_operation", way, "guard", [0.7, -1.3], answer=np.array([1.0, 0.0, 3.0, 1.0]))
    places = {
        "general": [[0.7, 1.3, -0.4, 1.9]],
        "funnel": [RNG.uniform(0.5, 1.5, 12)],
        "fan": [[0.8]],
        "halves": [RNG.uniform(0.5, 1.5, 13)],
        "branches": [[0.7, 0.9, -0.4], [0.7, 0.2, 1.4], [0.2, 0.4, 0.6], [1.2, 0.1, -0.3]],
        "infinite_beside": [[-0.7, 1.2], [0.7, 1.2]],
    }
    for name, points in places.items():
        for point in points:
            size = len(point)
            J = jacobian(name, np.array(point))
            for way in ("forward", "reverse") if len(J) == 1 else ():
                yield ask(f"{here}.one_way", way, name, list(point), answer=J[0].ravel())
            direction = RNG.normal(size=size)
            along = tuple(j @ direction for j in J)
            in_trace = np.where(np.arange(size) % 2, 2.0, 0.5)
            yield ask(f"{here}.derivative_of", name, point, answer=one_or_all(J))
            yield ask(f"{here}.derivative_in_trace", name, np.array(point) / in_trace, answer=one_or_all(J))
            yield ask(f"{here}.rate_of", name, point, direction, answer=one_or_all(along))
            by_result = [RNG.normal(size=j.shape[:-1]) for j in (*J, J[0])]
            gradient = sum(np.tensordot(c, j, c.ndim) for c, j in zip(by_result, (*J, J[0]), strict=True))
            yield ask(f"{here}.gradient_of", name, point, by_result, answer=(gradient, np.zeros(2)))
            first = np.eye(size)[0]
            yield ask(f"{here}.rate_of", name, point, first, answer=one_or_all(tuple(j @ first for j in J)))
            back = sum(np.tensordot(c, j, c.ndim) for c, j in zip(by_result, J, strict=False))
            values = results_at(name, point)
            for primal in (False, True):
                before = values if primal else ()
                of_jvp, of_vjp = [direction, np.array(0.4)], [np.array(c) for c in by_result[:-1]]
                yield ask(f"{here}.product_of", "jvp", name, point, of_jvp, primal, answer=(*before, *along))
                answer = (*before, back, np.array(0.0))
                yield ask(f"{here}.product_of", "vjp", name, point, of_vjp, primal, answer=answer)
            nothing = tuple(np.zeros(j.shape[:-1]) for j in J)
            every = tuple(x for pair in zip(J, nothing, strict=True) for x in pair)
            yield ask(f"{here}.of_program", name, point, None, None, answer=every)
            yield ask(f"{here}.of_program", name, point, None, "x", answer=J)
            yield ask(f"{here}.of_program", name, point, None, ["unused", "x"], answer=swapped(every))
    J = jacobian("halves", np.array(places["halves"][0]))
    yield ask(f"{here}.of_program", "halves", places["halves"][0], "out1", ["x"], answer=(J[1],))
    wrong = Refusal("UnknownName", "no output 'out2'")
    yield ask(f"{here}.of_program", "halves", places["halves"][0], ["out2"], None, answer=wrong)
    wrong = Refusal("ShapeError", "the rate has shape (3,); expected (2,)")
    yield ask(f"{here}.rate_of", "infinite_beside", [1.0, 2.0], [1.0, 2.0, 3.0], answer=wrong)
    wrong = Refusal("ShapeError", "the cotangents have the shapes [(3,), (2,)]; expected [(2,), (2,)]")
    yield ask(f"{here}.gradient_of", "branches", [0.7, 0.9, -0.4], [np.ones(3), np.ones(2)], answer=wrong)
    a, b, c = 0.7, -1.3, 0.4  # y = x: d/dy of y_0 y_1 sin(x_2 y_2), then d/dx
    s, k, at = np.sin(c * c), np.cos(c * c), 2.0 * c * np.cos(c * c)
    third = [b * c * k, a * c * k, a * b * (k - 2.0 * c * c * s)]
    yield ask(f"{here}.second_derivative", [a, b, c], answer=np.array([[0.0, s, b * at], [s, 0.0, a * at], third]))
    yield ask(f"{here}.with_numbers_from_elsewhere", [1.0, 2.0], 5.0, answer=np.diag([10.0, 20.0]))
    for name, points in places.items():
        for length in ("length_of_derivative", "length_in_trace", "length_of_rate"):
            answer = getattr(calculus, length)(name, len(points[0]))
            yield ask(f"{here}.{length}", name, len(points[0]), answer=answer)


def one_or_all(results: tuple[Any, ...]) -> Any:
    return results if len(results) > 1 else results[0]


def swapped(pairs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(pairs[k + 1 - 2 * (k % 2)] for k in range(len(pairs)))


def results_at(name: str, point: Any) -> tuple[np.ndarray, ...]:
    """The functions of `calculus` in 50 digits."""
    with mp.workdps(50):
        found = EXACT[name]([mpf(float(p)) for p in point])
        return tuple(np.asarray(y, dtype=float) for y in (found if isinstance(found, tuple) else (found,)))


def jacobian(name: str, point: np.ndarray) -> tuple[np.ndarray, ...]:
    """Central differences in 50 digits of the functions of `calculus`, written for mpmath's numbers."""
    f = EXACT[name]
    with mp.workdps(50):
        columns = []
        for k in range(len(point)):
            sides = []
            for sign in (1, -1):
                x = [mpf(float(p)) + (sign * STEP if j == k else 0) for j, p in enumerate(point)]
                found = f(x)
                sides.append([np.asarray(y) for y in (found if isinstance(found, tuple) else (found,))])
            columns.append([(high - low) / (2 * STEP) for high, low in zip(*sides, strict=True)])
        return tuple(np.stack([np.asarray(y, dtype=float) for y in ys], axis=-1) for ys in zip(*columns, strict=True))


def _exact_branches(x: list[mpf]) -> np.ndarray:
    a, b, c = x
    inner = a * a * c if b < 0.5 else b * c
    return np.array([(inner * mp.sin(c) if a < b else a / c) + inner * a, min(a * c, inner)])


def _exact_funnel(x: list[mpf]) -> mpf:
    return mp.sin(sum(a * mpf(float(w)) for a, w in zip(x, calculus.weights(12), strict=True))) * (x[0] + x[1])


def _exact_fan(x: list[mpf]) -> np.ndarray:
    return np.array([mp.sin(mpf(float(w)) * mp.tanh(mp.sin(mp.exp(mp.sin(x[0]))))) for w in calculus.weights(12)])


EXACT = {
    "general": lambda x: np.array([
        [x[0] * x[1], mp.sin(x[2]) / x[3], mpf(1.5)],
        [x[1] - x[3], x[0] * x[1] * x[2] * x[3], mp.exp(x[0]) * mp.cos(x[1])],
    ]),
    "funnel": _exact_funnel,
    "fan": _exact_fan,
    "halves": lambda x: (_exact_funnel(x[:12]), _exact_fan(x[12:])),
    "branches": _exact_branches,
    "infinite_beside": lambda x: mp.sqrt(x[0]) * x[1] if x[0] > 0 else x[0] * x[1] * x[1],
}  # fmt: skip
