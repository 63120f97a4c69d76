"""Chapter 3 against the package: values at 1e-12, and the types and shapes programs depend on."""

import inspect
import math
from typing import Any

import modern_robotics as package
import numpy as np
import pytest

import armdyn.modern_robotics as mr
from oracles.screw_lists import pose

RNG = np.random.default_rng(31)
RELATIVE = 1e-12


def assert_same(ours: Any, theirs: Any, terms: float = 1e-300) -> None:
    """Same structure, same kinds of array, same numbers relative to the largest (or to the terms they are made of)."""
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs)
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b, terms)
        return
    assert type(ours) is type(theirs)
    assert getattr(ours, "dtype", None) == getattr(theirs, "dtype", None)
    assert np.shape(ours) == np.shape(theirs)
    scale = np.nanmax(np.abs(theirs), initial=terms)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=RELATIVE * scale)


def skew(v: np.ndarray) -> np.ndarray:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rotation(axis: Any, angle: float) -> np.ndarray:
    """Rodrigues' formula without matrix products, whose last digits differ from machine to machine."""
    n = np.asarray(axis) / math.sqrt(sum(x * x for x in axis))
    return np.eye(3) + math.sin(angle) * skew(n) + (1 - math.cos(angle)) * (np.outer(n, n) - np.eye(3))


def se3(V: np.ndarray) -> np.ndarray:
    M = np.zeros((4, 4))
    M[:3, :3], M[:3, 3] = skew(V[:3]), V[3:]
    return M


def motions(R: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, [0.3, -1.2, 2.1]
    return T


VECTORS = [RNG.normal(size=3) * scale for scale in (1.0, 3.0, 30.0, 1e-3, 1e-5)]
THRESHOLD = [np.array([x, 0.0, 0.0]) for x in (9.9e-7, 1e-6, 1.01e-6, -9.9e-7)] + [np.full(3, 5.7e-7), np.zeros(3)]
TWISTS = [np.array([*w, *RNG.normal(size=3)]) for w in [*VECTORS, *THRESHOLD]]
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 2, 3), (-2, 1, 0.5), (1, -1, 1e-4)]
HALF_TURNS = [np.diag(d) for d in ([1.0, -1, -1], [-1.0, 1, -1], [-1.0, -1, 1])]
ROTATIONS = [
    *(rotation(RNG.normal(size=3), angle) for angle in (0.3, 1.5, 2.9, 3.1, 1e-2)),
    *(rotation(axis, math.pi) for axis in AXES),
    *HALF_TURNS,
    np.eye(3),
    np.eye(3) * (1 + 1e-9),
    np.diag([1.0, -1, -1]) * (1 + 1e-9),
]
POSES = [pose(RNG) for _ in range(4)] + [motions(R) for R in ROTATIONS[:-1]]
BEYOND_HALF_A_TURN = [T for T in POSES if np.trace(T[:3, :3]) < -1.0]
"""By rounding; of these the package's MatrixLog6 makes NaN and a warning."""
LOST = [R for R in ROTATIONS if np.abs(package.MatrixExp3(package.MatrixLog3(R)) - R).max() > 1e-6]
"""Half turns of which the package's logarithm, by acos(cos), is a turn by 1e-8 rad."""


def is_lost(R: np.ndarray) -> bool:
    return any((lost == R).all() for lost in LOST)


NEARLY = [R + 0.05 * RNG.normal(size=(3, 3)) for R in ROTATIONS[:5]]
MIRRORS = [RNG.normal(size=(3, 3)) @ np.diag([1, 1, -1]) for _ in range(6)] + [-np.eye(3), np.zeros((3, 3))]
NEARLY_POSES = [motions(R) + 0.02 * RNG.normal(size=(4, 4)) for R in ROTATIONS[:5]]

CALLS: list[tuple[str, tuple[Any, ...]]] = [
    *(("NearZero", (z,)) for z in (0.0, 1e-6, 9.999e-7, -9.999e-7, -1e-6, 1.0, math.nan, 0, np.float64(1e-8))),
    ("NearZero", (np.array([1e-7, 1.0, -1e-8]),)),
    *(("Normalize", (v,)) for v in [*VECTORS, np.array([1, 2, 3]), RNG.normal(size=6), RNG.normal(size=(2, 3))]),
    *((name, (R,)) for name in ("RotInv", "DistanceToSO3", "TestIfSO3") for R in ROTATIONS),
    *(("MatrixLog3", (R,)) for R in ROTATIONS if not is_lost(R)),
    *((name, (R,)) for name in ("DistanceToSO3", "TestIfSO3", "ProjectToSO3") for R in [*NEARLY, *MIRRORS[:-1]]),
    ("DistanceToSO3", (MIRRORS[-1],)),
    *(("TestIfSO3", (np.diag([math.sqrt(1 + d), 1, 1]),)) for d in (9.9e-4, 1.01e-3)),
    *(("VecToso3", (v,)) for v in [*VECTORS, np.array([1, 2, 3])]),
    *(("so3ToVec", (skew(v),)) for v in [*VECTORS, np.array([1, 2, 3])]),
    *(("AxisAng3", (v,)) for v in [*VECTORS, np.array([1, 2, 3])]),
    *(("MatrixExp3", (skew(v),)) for v in [*VECTORS, *THRESHOLD, np.array([1, 2, 3])]),
    *(("RpToTrans", (R, v)) for R, v in zip(ROTATIONS, VECTORS, strict=False)),
    ("RpToTrans", (np.eye(3, dtype=int), np.array([1, 2, 5]))),
    ("RpToTrans", (np.eye(3), np.array([[1], [2], [5]]))),
    *((name, (T,)) for name in ("TransToRp", "TransInv", "Adjoint") for T in POSES),
    *(("MatrixLog6", (T,)) for T in POSES if np.trace(T[:3, :3]) >= -1.0 and not is_lost(T[:3, :3])),
    *((name, (T,)) for name in ("DistanceToSE3", "TestIfSE3", "ProjectToSE3") for T in [*POSES[:5], *NEARLY_POSES]),
    ("DistanceToSE3", (-np.eye(4),)),
    ("TestIfSE3", (-np.eye(4),)),
    *((name, (V,)) for name in ("VecTose3", "ad") for V in [*TWISTS, np.arange(1, 7)]),
    *(("AxisAng6", (V,)) for V in [*TWISTS, np.arange(1, 7)]),
    *((name, (se3(V),)) for name in ("se3ToVec", "MatrixExp6") for V in [*TWISTS, np.arange(1.0, 7.0)]),
    *(("ScrewToAxis", (q, s, 0.3)) for q, s in zip(VECTORS, reversed(VECTORS), strict=True)),
    ("ScrewToAxis", (np.array([3, 0, 0]), np.array([0, 0, 1]), 2)),
]


NAMES = list(dict.fromkeys(name for name, _ in CALLS))
"""One test for all calls of a function: a test for each call takes ten times as long."""


def arguments_of(function: str) -> list[tuple[Any, ...]]:
    return [arguments for name, arguments in CALLS if name == function]


@pytest.mark.parametrize("name", NAMES)
def test_same_as_the_package(name: str) -> None:
    terms = 1.0 if name.startswith("Distance") else 1e-300
    for arguments in arguments_of(name):
        assert_same(getattr(mr, name)(*arguments), getattr(package, name)(*arguments), terms)


@pytest.mark.parametrize("T", BEYOND_HALF_A_TURN)
def test_logarithm_of_half_a_turn_that_rounding_made_more(T: np.ndarray) -> None:
    np.testing.assert_allclose(mr.MatrixExp6(mr.MatrixLog6(T)), T, rtol=0, atol=1e-12)


def test_half_turns_that_the_package_loses() -> None:
    assert len(LOST) == 2
    for R in LOST:
        np.testing.assert_allclose(mr.MatrixExp3(mr.MatrixLog3(R)), R, rtol=0, atol=1e-15)
        np.testing.assert_allclose(mr.MatrixExp6(mr.MatrixLog6(motions(R))), motions(R), rtol=0, atol=4e-15)


def listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", [name for name in NAMES if name != "NearZero"])  # which is of one number only
def test_same_from_lists(name: str) -> None:
    """Where the package takes lists, the result is the same; where it does not, lists work like arrays."""
    for arguments in arguments_of(name):
        as_lists = [listed(value) for value in arguments]
        try:
            theirs = getattr(package, name)(*as_lists)
        except TypeError:
            theirs = getattr(package, name)(*arguments)
        assert_same(getattr(mr, name)(*as_lists), theirs, 1.0 if name.startswith("Distance") else 1e-300)


def test_every_function_of_the_chapter_is_called() -> None:
    chapter = {"rotations", "rigid_motions", "near_groups"}
    functions = {n for n, f in vars(mr).items() if inspect.isfunction(f) and f.__module__.rpartition(".")[2] in chapter}
    assert functions == {name for name, _ in CALLS}
    assert len(functions) == 25


@pytest.mark.parametrize("name", ["Normalize", "AxisAng3", "AxisAng6"])
def test_a_direction_of_nothing_is_nan_with_numpys_warning(name: str) -> None:
    zeros = np.zeros(6 if name == "AxisAng6" else 3)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        theirs = getattr(package, name)(zeros)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        ours = getattr(mr, name)(zeros)
    assert_same(ours, theirs)
    assert np.isnan(ours[0]).all()


def test_exponential_and_logarithm_undo_each_other() -> None:
    for twist in TWISTS[:2]:
        V = twist / np.linalg.norm(twist[:3]) * 1.7
        np.testing.assert_allclose(mr.se3ToVec(mr.MatrixLog6(mr.MatrixExp6(mr.VecTose3(V)))), V, rtol=1e-12)


@pytest.mark.parametrize("stretch", [1e-9, 1e-15])
def test_logarithm_of_a_half_turn_with_rounding(stretch: float) -> None:
    """The package takes the arc cosine of a number below -1 here and gives NaN."""
    T = motions(np.diag([1.0, -1.0, -1.0]) * (1.0 + stretch))
    with pytest.warns(RuntimeWarning, match="arccos"):
        assert np.isnan(package.MatrixLog6(T)).any()
    np.testing.assert_allclose(mr.MatrixExp6(mr.MatrixLog6(T)), T, rtol=0, atol=10 * stretch)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_a_number_stays_so(bad: float) -> None:
    assert np.isnan(mr.MatrixExp3(skew(np.array([bad, 0.0, 1.0])))).any()
    assert np.isnan(mr.MatrixExp6(se3(np.array([bad, 0.0, 1.0, 1.0, 2.0, 3.0])))).any()


def test_results_are_new_arrays() -> None:
    R, T = np.eye(3), np.eye(4)
    mr.RotInv(R)[0, 1] = 5.0
    mr.TransToRp(T)[0][0, 1] = 5.0
    mr.ProjectToSO3(R)[0, 1] = 5.0
    assert R[0, 1] == R[1, 0] == T[0, 1] == 0.0
