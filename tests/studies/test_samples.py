"""Samples: every run has its own numbers, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from armdyn.base.errors import ShapeError
from armdyn.studies import LogUniform, Normal, StudyError, Uniform, grid, sampled
from armdyn.studies.samples import samples_of

SHAPES = {"a": (), "q0": (3,)}


def test_a_grid_is_every_combination_in_the_order_of_nested_loops() -> None:
    axes = {"a": [1.0, 2.0], "q0": np.arange(12.0).reshape(4, 3)}
    design = grid(axes)
    values = design.of(range(design.runs), SHAPES)
    pairs = [(a, q0) for a in axes["a"] for q0 in axes["q0"]]
    assert design.runs == len(pairs)
    np.testing.assert_array_equal(values["a"], [a for a, _ in pairs])
    np.testing.assert_array_equal(values["q0"], [q0 for _, q0 in pairs])


@pytest.mark.parametrize(
    "samples",
    [
        {"a": np.arange(50.0), "q0": np.arange(150.0).reshape(50, 3)},
        grid(a=np.arange(10.0), q0=np.arange(15.0).reshape(5, 3)),
        sampled(50, a=Normal(1, 2), q0=Uniform(-1, [1, 2, 3]), seed=7),
    ],
    ids=["given", "grid", "sampled"],
)
def test_a_run_has_the_same_numbers_in_any_chunk(samples: object) -> None:
    samples = samples_of(samples)
    whole = samples.of(range(50), SHAPES)
    for chunk in (1, 7, 50):
        parts = [samples.of(range(k, min(k + chunk, 50)), SHAPES) for k in range(0, 50, chunk)]
        for name, value in whole.items():
            np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), value)


def test_one_more_name_and_more_runs_leave_the_numbers_as_they_are() -> None:
    few = sampled(10, a=Uniform(0, 1), seed=3).of(range(10), SHAPES)["a"]
    many = sampled(1000, q0=Normal(0, 1), a=Uniform(0, 1), seed=3).of(range(10), SHAPES)["a"]
    np.testing.assert_array_equal(few, many)
    other = sampled(10, a=Uniform(0, 1), seed=4).of(range(10), SHAPES)["a"]
    assert not np.any(other == few)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (Uniform(-1, 3), stats.uniform(-1, 4)),
        (Normal(2, 0.5), stats.norm(2, 0.5)),
        (LogUniform(0.1, 100), stats.loguniform(0.1, 100)),
    ],
)
def test_the_numbers_have_the_distribution(distribution: object, expected: object) -> None:
    drawn = sampled(20_000, a=distribution, seed=1).of(range(20_000), {"a": ()})["a"]
    assert stats.kstest(drawn, expected.cdf).pvalue > 1e-3
    p = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(distribution.at(p), expected.ppf(p), rtol=1e-12)


def test_components_are_independent() -> None:
    drawn = sampled(20_000, q0=Normal(0, 1), seed=1).of(range(20_000), SHAPES)["q0"]
    np.testing.assert_allclose(np.corrcoef(drawn.T), np.eye(3), atol=0.03)


def test_the_drawn_numbers_are_those_of_the_first_release() -> None:
    drawn = sampled(2, a=Uniform(0, 1), seed=1).of(range(2), SHAPES)["a"]
    np.testing.assert_array_equal(drawn, FIRST_RELEASE)


FIRST_RELEASE = [0.30207003832118196, 0.5404607563454621]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sampled(3, a=0.5, seed=1), "expected a distribution"),
        (lambda: sampled(0, a=Uniform(0, 1), seed=1), "at least 1"),
        (lambda: sampled(3, seed=1), "samples are empty"),
        (lambda: Uniform(2, 1), "low <= high"),
        (lambda: Normal(0, -1), "std >= 0"),
        (lambda: LogUniform(0, 1), "0 < low"),
        (lambda: samples_of([1, 2]), "values for each run by name"),
        (lambda: grid(a=[1.0, np.nan]), "finite"),
    ],
)
def test_what_makes_no_samples_is_refused(make: object, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        make()


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match="a has 2, q0 has 3"):
        samples_of({"a": [1, 2], "q0": np.zeros((3, 3))})
    with pytest.raises(ShapeError, match=r"expected \(values, 3\)"):
        grid(q0=[1.0, 2.0]).check(SHAPES)
    with pytest.raises(ShapeError, match="mean of q0"):
        sampled(3, q0=Normal([0, 0], 1), seed=1).check(SHAPES)
