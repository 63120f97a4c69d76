"""Limits of joints that several coordinates move: stops hold them, events and notes know them."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.simulation import JointLimit, SaveAt, Stops

A, B = np.array([[0.5, 0.5], [0.7, -0.4]]), np.array([0.1, -0.2])
ALONE = armdyn.load("planar_2r").with_limits({"joint_1": (-1.1, 1.0), "joint_2": (-0.9, 0.5)})
DIFFERENTIAL = ALONE.with_coordinates(["left", "right"], A, offset=B)
Q0, QD0 = np.array([0.6, -0.3]), np.array([1.0, 2.0])


def in_coordinates(q: np.ndarray) -> np.ndarray:
    return np.linalg.solve(A, (q - B).T).T


@pytest.mark.short_run("0.0-adaptive", "0.6-adaptive")
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_differential_has_the_stops_of_its_joints(method: str, restitution: float) -> None:
    """Until all has come to rest, or for some impacts; the joints are those of the arm without the differential."""
    stops, duration = Stops(restitution), 2.0 if restitution == 0.0 else 1.4
    given = {"duration": duration, "method": method, "elements": [stops], "save": SaveAt(every=0.05)}
    alone = armdyn.simulate(ALONE, Q0, QD0, torque=lambda t, q, qd: -3.0 * qd, **given)

    def damped(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return A.T @ (-3.0 * (A @ qd))

    coupled = armdyn.simulate(DIFFERENTIAL, in_coordinates(Q0), np.linalg.solve(A, QD0), torque=damped, **given)
    close = {"rtol": 0, "atol": 1e-7}
    np.testing.assert_allclose(DIFFERENTIAL.joint_positions(coupled.q), alone.q, **close)
    np.testing.assert_allclose(coupled.qd @ A.T, alone.qd, rtol=0, atol=1e-6)
    np.testing.assert_allclose(coupled.signals["stop_force"], alone.signals["stop_force"], rtol=0, atol=1e-5)
    assert [(one.name, one.kind) for one in coupled.events] == [(one.name, one.kind) for one in alone.events]
    assert len({one.name for one in coupled.events}) > (restitution == 0.0)
    np.testing.assert_allclose([one.t for one in coupled.events], [one.t for one in alone.events], **close)
    assert not any("position limits" in note for note in coupled.notes)


def test_events_and_notes_without_stops() -> None:
    given = {"duration": 0.6, "events": [JointLimit("joint_2")]}
    alone = armdyn.simulate(ALONE, Q0, QD0, **given)
    coupled = armdyn.simulate(DIFFERENTIAL, in_coordinates(Q0), np.linalg.solve(A, QD0), **given)
    assert [one.name for one in alone.events] == [one.name for one in coupled.events] != []
    np.testing.assert_allclose([one.t for one in coupled.events], [one.t for one in alone.events], rtol=0, atol=1e-9)
    (said,) = [note for note in alone.notes if note.startswith("position limits")]
    assert said in coupled.notes


def test_stops_of_some() -> None:
    """A joint of the description is named beside the coordinates; another name is refused."""
    some = armdyn.simulate(
        DIFFERENTIAL, in_coordinates(Q0), duration=1.0, elements=[Stops(joints="joint_1")], method="rk4"
    )
    assert [label.name for label in some.signal_labels["stop_force"]] == ["joint_1 lower stop", "joint_1 upper stop"]
    assert DIFFERENTIAL.joint_positions(some.q)[:, 0].min() > -1.1 - 1e-8
    with pytest.raises(UnknownName, match="no joint 'joint_3' in 'planar_2r'"):
        armdyn.simulate(DIFFERENTIAL, np.zeros(2), duration=0.1, elements=[Stops(joints="joint_3")])
