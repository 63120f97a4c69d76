"""Which inertias a body can have, and the nearest one, against brute force and convex optimisation's conditions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from armdyn import Inertia, ModelError, inertia
from armdyn.inertia import consistency, nearest_consistent


def random_tensor(seed: int) -> np.ndarray:
    """Of general axes, with second moments of either sign; about half of the seeds are possible."""
    rng = np.random.default_rng(seed)
    s, axes = rng.uniform(-0.6, 2.0, 3), Rotation.random(rng=rng).as_matrix()
    return axes @ np.diag(s.sum() - s) @ axes.T


def body(tensor: np.ndarray, mass: float = 1.7) -> Inertia:
    return Inertia(mass, [0.3, -0.2, 0.9], tensor)


SEEDS = range(60)


@pytest.mark.parametrize(
    "possible",
    [
        inertia.box((1, 2, 3), mass=4),
        inertia.plate((1, 2), mass=4),
        inertia.rod(2, mass=4),
        Inertia.point(3.0, [1, 2, 3]),
        Inertia(),
        inertia.disc(0.3, mass=1e-9),
        inertia.sphere(1e3, density=5e3).at([1, 2, 3]),
    ],
    ids=["box", "plate", "rod", "point", "nothing", "tiny disc", "huge sphere"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_bodies_are_consistent_from_everywhere(possible: Inertia, seed: int) -> None:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=seed).as_matrix(), [0.3, -0.4, 0.5]
    seen = possible.seen_from(T)
    report = consistency(seen)
    assert report.consistent, str(report)
    if seen.mass:
        mended = nearest_consistent(seen)
        assert mended.inertia is seen
        assert (mended.distance, mended.changes) == (0.0, ())


def test_definite_bodies_have_mass_in_three_directions() -> None:
    assert consistency(inertia.box((1, 2, 3), mass=4)).definite
    assert consistency(inertia.box((0.1, 0.2, 0.3), mass=1e-3)).definite
    assert not consistency(Inertia()).definite
    assert not consistency(inertia.plate((1, 2), mass=4)).definite
    assert not consistency(inertia.rod(2, mass=4)).definite


@pytest.mark.parametrize("seed", SEEDS)
def test_three_ways_to_say_it(seed: int) -> None:
    """Triangle inequalities, second moments and pseudo-inertia agree (the last up to rounding)."""
    given = body(random_tensor(seed))
    report = consistency(given)
    a, b, c = report.moments
    triangle = a + b >= c and b + c >= a and c + a >= b
    assert report.consistent == triangle == (report.second_moments[0] >= 0)
    assert (report.pseudo_inertia_eigenvalues[0] >= 0) == report.consistent
    np.testing.assert_allclose(
        np.linalg.eigvalsh(given.second_moment),
        report.second_moments,
        rtol=0,
        atol=1e-14 * np.abs(report.moments).max(),
    )


def test_seeds_hold_both_kinds() -> None:
    broken = [not consistency(body(random_tensor(seed))).consistent for seed in SEEDS]
    assert 20 < sum(broken) < 45


@pytest.mark.parametrize(
    ("impossible", "said"),
    [
        (body(np.diag([1.0, 2.0, 3.5])), {"I1 + I2 >= I3": 0.5}),
        (body(np.diag([-1.0, 2.0, 2.5])), {"I1 >= 0": 1.0, "I1 + I2 >= I3": 1.5, "I1 + I3 >= I2": 0.5}),
        (body(np.diag([1.0, 2.0, 2.5]), mass=-3.0), {"m >= 0": 3.0}),
        (body(np.diag([1.0, 2.0, 2.5]), mass=0.0), {"I = 0 for m = 0": 2.5}),
        (body(np.array([[2.0, 1e-9, 0], [-1e-9, 2.0, 0], [0, 0, 2.0]])), {"I = I^T": 2e-9}),  # more is refused
    ],
    ids=["triangle", "negative moment", "negative mass", "no mass", "not symmetric"],
)
def test_says_what_is_broken_and_by_how_much(impossible: Inertia, said: dict[str, float]) -> None:
    report = consistency(impossible)
    assert not report.consistent
    assert not report.definite
    assert {v.condition: pytest.approx(v.shortfall, rel=1e-12) for v in report.violations} == said
    for condition in said:
        assert condition in str(report)


@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_is_consistent_keeps_mass_and_stays(seed: int) -> None:
    before = body(random_tensor(seed))
    mended = nearest_consistent(before)
    after = mended.inertia
    assert consistency(after).consistent
    assert after.mass == before.mass
    np.testing.assert_array_equal(after.com, before.com)
    again = nearest_consistent(after)
    assert again.inertia is after
    assert again.distance == 0.0
    np.testing.assert_allclose(mended.distance, np.linalg.norm(after.second_moment - before.second_moment), atol=1e-13)
    assert (mended.distance > 0) == bool(mended.changes) == (not consistency(before).consistent)


@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_is_nearest(seed: int) -> None:
    """The conditions of the nearest point of a convex cone (Moreau): S = P - N with P, N semidefinite and P N = 0.

    And no consistent body out of thousands at random is nearer.
    """
    before = body(random_tensor(seed))
    P = nearest_consistent(before).inertia.second_moment
    N = P - before.second_moment
    scale = np.abs(before.tensor).max()
    assert np.linalg.eigvalsh(N).min() > -1e-13 * scale
    assert np.linalg.eigvalsh(P).min() > -1e-13 * scale
    np.testing.assert_allclose(P @ N, 0.0, rtol=0, atol=1e-12 * scale**2)
    rng = np.random.default_rng(seed)
    near = P + 0.3 * scale * rng.normal(size=(2000, 3, 3)) * rng.uniform(0, 1, (2000, 1, 1)) ** 4
    near = near + near.swapaxes(1, 2)
    possible = near[np.linalg.eigvalsh(near)[:, 0] >= 0]
    best = np.linalg.norm(N)
    assert (np.linalg.norm(possible - before.second_moment, axis=(1, 2)) >= best * (1 - 1e-12)).all()


def test_nearest_pseudo_inertia_about_the_centre_of_mass() -> None:
    """Clipping all of the 4 x 4 matrix gives the same, mass and centre of mass included."""
    before = body(np.diag([1.0, 2.0, 3.5])).at([-0.3, 0.2, -0.9])
    e, axes = np.linalg.eigh(before.pseudo_inertia)
    clipped = (axes * np.maximum(e, 0)) @ axes.T
    np.testing.assert_allclose(nearest_consistent(before).inertia.pseudo_inertia, clipped, rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_nearest_does_not_depend_on_the_frame(seed: int) -> None:
    before = body(random_tensor(seed) - 2.5 * np.eye(3))
    assert not consistency(before).consistent
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=seed).as_matrix(), [3, -4, 5]
    one = nearest_consistent(before).inertia.seen_from(T)
    other = nearest_consistent(before.seen_from(T)).inertia
    np.testing.assert_allclose(other.tensor, one.tensor, rtol=0, atol=1e-13)
    np.testing.assert_allclose(other.com, one.com, rtol=1e-14)


def test_not_symmetric_is_made_symmetric_and_said() -> None:
    """Up to 1e-9 of the largest entry; `armdyn.Inertia` refuses more."""
    skewed = body(np.array([[2.0, 0.0, 0], [1e-9, 2.0, 0], [0, 0, 2.0]]))
    mended = nearest_consistent(skewed)
    np.testing.assert_allclose(
        mended.inertia.tensor, [[2.0, 5e-10, 0], [5e-10, 2.0, 0], [0, 0, 2.0]], rtol=1e-14, atol=3e-15
    )
    assert "symmetric" in mended.changes[0]
    np.testing.assert_allclose(mended.distance, np.sqrt(0.5) * 1e-9, rtol=1e-5)


def test_changes_say_what_was_changed() -> None:
    mended = nearest_consistent(body(np.diag([1.0, 2.0, 3.5])))
    assert mended.changes == (
        "the second moment -0.25 kg m^2 along a principal axis was raised to 0",
        "principal moments (1, 2, 3.5) became (1.25, 2.25, 3.5) kg m^2",
    )


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 0.5))
def test_smallest_makes_it_definite(seed: int, smallest: float) -> None:
    mended = nearest_consistent(body(random_tensor(seed)), smallest=smallest)
    least = np.linalg.eigvalsh(mended.inertia.second_moment)[0]
    assert least >= smallest - 1e-11
    assert nearest_consistent(mended.inertia, smallest=smallest).inertia is mended.inertia


@pytest.mark.parametrize(
    ("wrong", "options", "message"),
    [
        (body(np.eye(3), mass=-1.0), {}, r"mass -1 kg is not positive.*true mass"),
        (body(np.eye(3), mass=0.0), {}, r"mass 0 kg is not positive"),
        (body(np.eye(3)), {"smallest": -1.0}, r"smallest -1 kg m\^2 is negative"),
        (body(np.eye(3)), {"smallest": np.nan}, r"smallest nan kg m\^2 is negative or not finite"),
        (body(np.full((3, 3), np.nan)), {}, r"not a finite number"),
    ],
)
def test_errors(wrong: Inertia, options: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        nearest_consistent(wrong, **options)


def test_not_a_number_cannot_be_judged() -> None:
    with pytest.raises(ModelError, match="not a finite number"):
        consistency(body(np.full((3, 3), np.nan)))
