"""Functions whose results have names: the declaration carries them through tracing, compiling, calling and pickling."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import LinkMotion, kinetic_energy, mass_matrix


class Energies(NamedTuple):
    of_links: object
    of_mass_matrix: object


class Alone(NamedTuple):
    energy: object


@armdyn.function("(n),(n)->(),()", result=Energies)
def both_energies(model, q, qd):
    """Kinetic energy twice, J, scalars."""
    return Energies(kinetic_energy(model, q, qd), 0.5 * (qd @ mass_matrix(model, q) @ qd))


@armdyn.function("(n),(n)->()", result=Alone)
def one_energy(model, q, qd):
    """Kinetic energy, J, scalar."""
    return Alone(kinetic_energy(model, q, qd))


STATE = np.array([0.3, -0.7]), np.array([1.1, 2.0])


def test_a_function_of_ones_own_returns_its_names() -> None:
    compiled = armdyn.load("planar_2r").compile(both_energies)
    for _ in range(2):  # the first call compiles, later ones take the short way
        energies = compiled(*STATE)
        assert isinstance(energies, Energies)
        np.testing.assert_allclose(energies.of_links, energies.of_mass_matrix, rtol=1e-14)
    assert compiled(np.zeros((5, 2)), STATE[1]).of_links.shape == (5,)
    assert [port.name for port in compiled.program().outputs] == ["of_links", "of_mass_matrix"]


def test_one_result_with_a_name() -> None:
    robot = armdyn.load("planar_2r")
    energy = robot.compile(one_energy)(*STATE)
    assert isinstance(energy, Alone)
    assert energy.energy == robot.kinetic_energy(*STATE)


def test_pickled_functions_keep_their_names() -> None:
    ur5 = armdyn.load("ur5")
    again = pickle.loads(pickle.dumps(ur5.link_motion))  # noqa: S301
    motion = again(*np.ones((3, 6)))
    assert isinstance(motion, LinkMotion)
    np.testing.assert_array_equal(motion.a, ur5.link_motion(*np.ones((3, 6))).a)


def test_as_many_names_as_results() -> None:
    with pytest.raises(armdyn.TraceError, match=r"has 1 results, but \('of_links', 'of_mass_matrix'\) names 2"):
        armdyn.function("(n)->(n)", result=Energies)


def test_results_without_names_stay_what_they_were() -> None:
    assert type(armdyn.load("planar_2r").mass_matrix(STATE[0])) is np.ndarray
