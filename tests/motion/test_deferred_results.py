"""Accelerations, energies and notes of a motion are computed when they are first read, and then kept."""

import copy
import dataclasses
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import armdyn
from armdyn import Trajectory
from armdyn.simulation import SaveAt

ARM = armdyn.load("ur5")
LATER = {"qdd", "energy", "signals", "signal_labels", "notes"}


@pytest.fixture
def fall() -> Trajectory:
    q0 = np.random.default_rng(4).uniform(-1.0, 1.0, (2, 6))
    return armdyn.simulate(ARM, q0, 0.1 * q0, duration=0.4, save=SaveAt(every=0.05))


def test_fields_are_computed_when_they_are_read(fall: Trajectory) -> None:
    assert LATER.isdisjoint(vars(fall))
    mass = ARM.mass_matrix(fall.q)
    kinetic = 0.5 * np.einsum("...i,...ij,...j", fall.qd, mass, fall.qd)
    np.testing.assert_allclose(fall.energy.kinetic, kinetic, rtol=1e-12)
    assert "notes" not in vars(fall)
    bias = ARM.bias_forces(fall.q, fall.qd)
    np.testing.assert_allclose(np.einsum("...ij,...j", mass, fall.qdd), -bias, rtol=1e-9, atol=1e-10)
    assert any("velocity limits" in note for note in fall.notes)
    assert vars(fall).keys() >= LATER
    assert fall.energy is fall.energy


def pickled(motion: Trajectory) -> Trajectory:
    return pickle.loads(pickle.dumps(motion))  # noqa: S301 - made here


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy, dataclasses.replace])
def test_copies_have_all_fields(fall: Trajectory, again: Callable[[Trajectory], Trajectory]) -> None:
    copied = again(fall)
    np.testing.assert_array_equal(copied.qdd, fall.qdd)
    np.testing.assert_array_equal(copied.energy.work, fall.energy.work)
    assert copied.notes == fall.notes


def test_computed_fields_cannot_be_written(fall: Trajectory) -> None:
    for values in (fall.q, fall.qdd, fall.energy.kinetic, fall.energy.work):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        fall.notes = ()  # type: ignore[misc]


def test_other_names_are_not_fields(fall: Trajectory) -> None:
    with pytest.raises(AttributeError, match="'Trajectory' object has no attribute 'acceleration'"):
        fall.acceleration  # type: ignore[attr-defined]  # noqa: B018
