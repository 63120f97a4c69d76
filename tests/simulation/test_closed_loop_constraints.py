"""Closed loops of arms that are put back onto their constraints: what drift is left, gradients, errors."""

import pickle
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import constraints, control
from armdyn.simulation import ClosedLoop, Constraints, Euler, RungeKutta4, SemiImplicitEuler, SettingError
from constraints.linkages import four_bar
from oracles.states import assert_close

CHANNEL = armdyn.load("planar_2r").with_constraints(constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
THETA = np.array([-np.pi / 3, 2 * np.pi / 3])
"""Modern Robotics, example 8.5."""


@pytest.mark.parametrize(
    ("method", "steps"), [(RungeKutta4(1e-2), 10000), (SemiImplicitEuler(1e-3), 100000), (Euler(1e-3), 20000)], ids=str
)
def test_no_drift_is_left(method: Any, steps: int) -> None:
    """Over 100 s; 20 s of Euler's method, whose energy grows."""
    loop = ClosedLoop(CHANNEL, method=method, elements=[Constraints(project=True)])
    rows = loop(THETA, [1.0, 0.0], steps=steps, every=steps // 1000, tau=np.zeros(2)).rows
    assert np.ptp(rows.q, axis=0).min() > 1.0
    assert abs(CHANNEL.constraint_error(rows.q)).max() < 1e-13
    assert abs(CHANNEL.constraint_velocity(rows.q, rows.qd)).max() < 1e-12
    if method == RungeKutta4(1e-2):
        free = ClosedLoop(CHANNEL, method=method)(THETA, [1.0, 0.0], steps=steps, tau=np.zeros(2))
        assert abs(CHANNEL.constraint_error(free.final.q)).max() > 1e-3


def test_it_is_the_motion_of_simulate() -> None:
    robot = four_bar()
    q = robot.close_loop([0.4, 0.3, 1.2], held=["joint_of_crank"])
    rk4 = armdyn.simulate(robot, q, duration=0.5, method=RungeKutta4(0.01), elements=[Constraints(project=True)])
    found = ClosedLoop(robot, method=RungeKutta4(0.01), elements=[Constraints(project=True)])(
        q, steps=50, tau=np.zeros(3)
    )
    assert_close(found.final.q, rk4.q[-1], 1e-11)
    assert_close(found.final.qd, rk4.qd[-1], 1e-11)


@armdyn.function("(n),(n)->()")
def reached(model: Any, q: Any, qd: Any) -> Any:
    return q @ q + 0.3 * (qd @ qd)


@pytest.mark.slow
def test_gradients_go_through() -> None:
    loop = ClosedLoop(CHANNEL, control.pd_gravity, method=RungeKutta4(5e-3), elements=[Constraints(project=True)])
    loop = pickle.loads(pickle.dumps(loop))  # noqa: S301
    given = {"steps": 60, "q_ref": np.array([0.3, 0.2]), "qd_ref": np.zeros(2), "Kd": np.array([1.0, 0.5])}
    Kp, v, s = np.array([9.0, 7.0]), np.array([0.4, -1.0]), 1e-4
    found = loop.gradient(reached, ["Kp"], THETA, Kp=Kp, **given)
    ends = [loop(THETA, Kp=Kp + k * s * v, **given).final for k in (1, -1)]
    plus, minus = (float(e.q @ e.q + 0.3 * (e.qd @ e.qd)) for e in ends)
    assert np.isclose(found.d_Kp @ v, (plus - minus) / (2 * s), rtol=1e-6)
    rates = loop.jvp("Kp")(THETA, Kp=Kp, tangent_Kp=v, **given).final
    end = loop(THETA, Kp=Kp, **given).final
    assert_close(2 * end.q @ rates.q + 0.6 * end.qd @ rates.qd, found.d_Kp @ v, 1e-11)


def test_what_cannot_be() -> None:
    with pytest.raises(SettingError, match=r"Constraints\(project=True\), but 'planar_2r' has no constraints"):
        ClosedLoop(armdyn.load("planar_2r"), elements=[Constraints(project=True)])
    with pytest.raises(SettingError, match="project"):
        ClosedLoop(CHANNEL, elements=[Constraints(project="yes")])  # type: ignore[arg-type]


@pytest.mark.parametrize("project", [False, True])
def test_rows_that_follow_from_others_are_left_out(project: bool) -> None:
    """A wall that is said twice is one wall; at a state where two walls meet none is left out."""
    walls = [constraints.PointOnPlane("tip", (k, 0, 0), (1, 0, 0), name=f"wall_{k}") for k in (1, 2)]
    arm = armdyn.load("planar_2r")
    twice, once = (
        ClosedLoop(arm.with_constraints(*some), elements=[Constraints(project=project)]) for some in (walls, walls[:1])
    )
    start = [np.pi / 3, -2 * np.pi / 3]
    found, expected = (loop(start, steps=50, tau=np.array([1.0, 0.5])).final for loop in (twice, once))
    np.testing.assert_array_equal(found.q, expected.q)
    note = "rows of constraints that follow from others are left out: wall_2"
    assert note in twice.robot.notes
    assert note in twice.simulate(start, steps=2, tau=np.zeros(2)).notes
    corner = arm.with_constraints(walls[0], constraints.PointOnPlane("tip", (0, 1, 0), (0, 0, 0), name="floor"))
    assert len(ClosedLoop(corner).robot.constraint_rows) == 2
