"""Rows and dampings of extreme size, settings that are none, and what is blamed on the mass matrix."""

import numpy as np
import pytest

import armdyn
from armdyn.spatial.singular_mass import is_singular, without_inertia
from armdyn.task_space import SingularTask, TaskSpaceError
from oracles.states import assert_close

BENT, REST = [0.3, 1.1], [0.0, 0.0]


@pytest.fixture(scope="module")
def planar() -> armdyn.Robot:
    return armdyn.load("planar_2r")


@pytest.mark.parametrize("size", [5e-324, 1e-200, 9e-101, 1.1e100, 1e200, 1e308])
def test_rows_beyond_what_can_be_squared(planar, size):
    with pytest.raises(TaskSpaceError, match=r"expected one between 1e-100 and 1e\+100") as caught:
        planar.task_space(BENT, REST, components=((0, 0, 0, size, 0, 0),))
    assert "mass matrix" not in str(caught.value)


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e30, 1e100])
def test_rows_within_are_exact(planar, size):
    scaled = planar.task_space(BENT, REST, components=((0, 0, 0, size, 0, 0),), expressed_in="world")
    plain = planar.task_space(BENT, REST, components=("vx",), expressed_in="world")
    assert_close(scaled.Lambda * size**2, plain.Lambda, 1e-12)
    assert_close(scaled.eta * size, plain.eta, 1e-12)


@pytest.mark.parametrize("damping", [1e300, 1e101, 1e-101, 1e-200, -1.0, np.nan, np.inf, "1", True, None, 10**400])
def test_dampings_that_are_none(planar, damping):
    message = "damping is .*; expected zero, or a number between"
    with pytest.raises(TaskSpaceError, match=message):
        planar.task_space(BENT, REST, components=("vx", "vy"), damping=damping)

    def own(model, q, qd):
        return armdyn.algorithms.task_space(model, q, qd, components=("vx", "vy"), damping=damping).eta

    with pytest.raises(TaskSpaceError, match=message):
        own(planar.mechanism, np.array(BENT), np.array(REST))


def test_a_great_damping_bounds_the_mass(planar):
    Lambda = planar.task_space([0.3, 0.0], REST, components=("vx", "vy"), damping=1e10).Lambda
    assert_close(Lambda, 1e-20 * np.eye(2), 1e-12)


@pytest.mark.parametrize("components", [None, 5, 2.5])
def test_components_that_are_none(planar, components):
    with pytest.raises(TaskSpaceError, match=r"components=.*; expected some of pose"):
        planar.task_space(BENT, REST, components=components)


def two_links(upper_mass: float) -> armdyn.Robot:
    def body(mass):
        return armdyn.Inertia(mass, [1, 0, 0], np.zeros((3, 3)))

    return armdyn.Robot.from_links(
        [
            armdyn.Part("upper", "base", "revolute", axis=(0, 0, 1), inertia=body(upper_mass)),
            armdyn.Part("fore", "upper", "revolute", axis=(0, 0, 1), xyz=(1, 0, 0), inertia=body(1.0)),
        ],
        tip="fore",
    )


def test_the_mass_matrix_is_blamed_only_where_it_is_singular():
    with pytest.raises(SingularTask, match=r"mass matrix of .* is singular"):
        two_links(0.0).task_space([0.3, 0.0], REST, components=("vx",))
    with pytest.raises(SingularTask, match=r"the Jacobian of 'fore' .* loses rank"):
        two_links(1.0).task_space([0.3, 0.0], REST, components=("vx", "vy"), point=(1.0, 0.0, 0.0))


def test_a_mass_matrix_of_great_contrast_is_not_singular():
    M = np.array([[1e12, 1e-7], [1e-7, 1e-20]])
    assert not is_singular(M)
    assert is_singular(np.array([[1e12, 1e-4], [1e-4, 1e-20]]))
    assert without_inertia(np.diag([1.0, 0.0, 2.0]), "abc") == ["b"]
    assert without_inertia(np.array([[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), "abc") == ["a", "b"]
    np.testing.assert_array_equal(is_singular(np.array([np.full((2, 2), np.nan), np.zeros((2, 2))])), [False, True])


@pytest.mark.parametrize("wrt", [3, None, ["q"], ("q", "qd"), 2.5])
def test_derivatives_by_what_is_no_name(planar, wrt):
    with pytest.raises(armdyn.UnknownName, match=r"no array or parameter .* in jacobian of 'planar_2r'"):
        planar.jacobian.derivative(wrt)
    with pytest.raises(armdyn.UnknownName, match="no array or parameter"):
        planar.jacobian.jvp("q", wrt)
