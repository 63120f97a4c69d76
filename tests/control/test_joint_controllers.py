"""Controllers of the joints, against their equations in Python over 200 steps, and against what they promise."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import armdyn
from armdyn import control
from oracles.cases import CASES, Case
from oracles.closed_loops import Motion, State, by_hand, on_plane
from oracles.states import assert_close

STEPS = 200


def start(case: Case, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, case.n), rng.normal(0.0, 0.5, case.n)


def gains(case: Case, q: np.ndarray) -> dict[str, np.ndarray]:
    """Of a stiffness and damping that belong to the inertia of each joint, none of them round."""
    M = case.robot.mass_matrix(q).diagonal()
    uneven = np.linspace(0.7, 1.3, case.n)
    return {"Kp": 90.0 * uneven * M, "Kd": 17.0 * uneven * M, "Ki": 40.0 * uneven * M}


def moving(case: Case, q: np.ndarray, h: float = 1e-3) -> dict[str, np.ndarray]:
    """References over time."""
    t, w = h * np.arange(STEPS)[:, None], np.linspace(2.0, 5.0, case.n)
    return {"q_ref": q + 0.2 * np.sin(w * t), "qd_ref": 0.2 * w * np.cos(w * t), "qdd_ref": -0.2 * w**2 * np.sin(w * t)}


def rolled(case: Case, controller: armdyn.Function, q: np.ndarray, qd: np.ndarray, **inputs: Any) -> Motion:
    over_time = [name for name in inputs if name.endswith("_ref") and len(inputs[name]) == STEPS]
    loop = armdyn.ClosedLoop(case.robot, controller, over_time=over_time, record=["q", "qd", "tau"])
    return Motion(*loop(q, qd, steps=STEPS, **inputs).rows)


def assert_same(ours: Motion, theirs: Motion) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)


@pytest.fixture(scope="module", params=["random_tree", "ur5"])
def some(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


@pytest.mark.short_run("ur5")
def test_pd_with_gravity(some: Case) -> None:
    (q, qd), K = start(some, 1), gains(some, start(some, 1)[0])
    del K["Ki"]
    refs = moving(some, q)
    del refs["qdd_ref"]

    def law(s: State) -> np.ndarray:
        return K["Kp"] * (refs["q_ref"][s.k] - s.q) + K["Kd"] * (refs["qd_ref"][s.k] - s.qd) + s.gravity

    assert_same(rolled(some, control.pd_gravity, q, qd, **K, **refs), by_hand(some, law, q, qd, steps=STEPS))


def test_pid(some: Case) -> None:
    (q, qd), K = start(some, 2), gains(some, start(some, 2)[0])
    refs = moving(some, q)
    del refs["qdd_ref"]
    z = np.zeros(some.n)

    def law(s: State) -> np.ndarray:
        nonlocal z
        e = refs["q_ref"][s.k] - s.q
        tau = K["Kp"] * e + K["Ki"] * z + K["Kd"] * (refs["qd_ref"][s.k] - s.qd)
        z = z + s.h * e
        return tau

    assert_same(rolled(some, control.pid, q, qd, **K, **refs), by_hand(some, law, q, qd, steps=STEPS))


@pytest.mark.short_run("random_tree-False", "random_tree-True", "ur5-True")
@pytest.mark.parametrize("with_integral", [False, True])
def test_computed_torque(some: Case, with_integral: bool) -> None:
    q, qd = start(some, 3)
    uneven = np.linspace(0.7, 1.3, some.n)
    K = {"Kp": 90.0 * uneven, "Kd": 17.0 * uneven} | ({"Ki": 300.0 * uneven} if with_integral else {})
    refs, z = moving(some, q), np.zeros(some.n)

    def law(s: State) -> np.ndarray:
        nonlocal z
        e = refs["q_ref"][s.k] - s.q
        qdd = refs["qdd_ref"][s.k] + K["Kd"] * (refs["qd_ref"][s.k] - s.qd) + K["Kp"] * e + K.get("Ki", 0.0) * z
        z = z + s.h * e
        return s.M @ qdd + s.bias

    assert_same(rolled(some, control.computed_torque, q, qd, **K, **refs), by_hand(some, law, q, qd, steps=STEPS))


def test_computed_torque_makes_the_error_linear(some: Case) -> None:
    """Under Euler's steps exactly: (e, ed)[k+1] = (1 + h A) (e, ed)[k], A that of d^2e/dt^2 + Kd de/dt + Kp e = 0."""
    (q, qd), h, Kp, Kd = start(some, 4), 1e-3, 80.0, 11.0
    one, still = np.ones(some.n), np.zeros(some.n)
    ours = rolled(
        some, control.computed_torque, q, qd, q_ref=still, qd_ref=still, qdd_ref=still, Kp=Kp * one, Kd=Kd * one
    )
    step = np.eye(2) + h * np.array([[0.0, 1.0], [-Kp, -Kd]])
    expected = np.array([np.linalg.matrix_power(step, k) @ np.array([-q, -qd]) for k in range(STEPS)])
    assert_close(-ours.q, expected[:, 0])
    assert_close(-ours.qd, expected[:, 1])


def test_computed_torque_tends_to_the_continuous_solution(ur5: Case) -> None:
    """exp(A t) (e, ed)(0), with an error that halves with the step."""
    (q, qd), T, Kp, Kd = start(ur5, 5), 0.25, 80.0, 11.0
    one, still = np.ones(6), np.zeros(6)
    exact = scipy.linalg.expm(T * np.array([[0.0, 1.0], [-Kp, -Kd]])) @ np.array([-q, -qd])
    loop = armdyn.ClosedLoop(ur5.robot, control.computed_torque)
    refs = {"q_ref": still, "qd_ref": still, "qdd_ref": still, "Kp": Kp * one, "Kd": Kd * one}
    off = [np.abs(-loop(q, qd, steps=n, h=T / n, **refs).final.q - exact[0]).max() for n in (1000, 2000)]
    assert off[0] < 0.01
    assert off[0] / off[1] == pytest.approx(2.0, rel=0.02)


def test_pd_with_gravity_comes_to_rest_where_it_should(ur5: Case) -> None:
    q, qd = start(ur5, 6)
    K = gains(ur5, q)
    del K["Ki"]
    loop = armdyn.ClosedLoop(ur5.robot, control.pd_gravity)
    final = loop(q, qd, steps=6000, q_ref=np.zeros(6), qd_ref=np.zeros(6), **K).final
    assert np.abs(final.q).max() < 1e-6
    assert np.abs(final.qd).max() < 1e-6


POINT, NORMAL = np.array([0.4, 0.1, 0.3]), np.array([0.6, 0.0, 0.8])


@pytest.mark.short_run("True")
@pytest.mark.parametrize("measured", [False, True])
def test_hybrid_motion_force(ur5: Case, measured: bool) -> None:
    wall = armdyn.constraints.PointOnPlane(ur5.robot.tip, normal=NORMAL, through=POINT)
    robot = ur5.robot.with_constraints(wall)
    q = robot.close_loop([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    qd = robot.close_velocities(q, np.linspace(-0.4, 0.5, 6))
    refs = moving(ur5, q)
    K = {"Kp": np.linspace(60.0, 90.0, 6), "Kd": np.linspace(10.0, 14.0, 6)}
    wanted = 25.0 + 10.0 * np.sin(0.03 * np.arange(STEPS))[:, None]
    sensed = 20.0 + np.cos(0.02 * np.arange(STEPS))[:, None]
    sensing = {"multipliers_measured": sensed, "Kp_force": [0.8], "Ki_force": [30.0]} if measured else {}
    z = 0.0

    def law(s: State) -> np.ndarray:
        nonlocal z
        qdd = refs["qdd_ref"][s.k] + K["Kd"] * (refs["qd_ref"][s.k] - s.qd) + K["Kp"] * (refs["q_ref"][s.k] - s.q)
        allowed, _ = on_plane(s, s.M @ qdd, NORMAL)  # nearest to qdd in the metric of M
        force = wanted[s.k]
        if measured:
            e = wanted[s.k] - sensed[s.k]
            force = force + 0.8 * e + 30.0 * z
            z = z + s.h * e
        return s.M @ allowed + s.bias + (NORMAL @ s.tip.J[3:]) * force

    over_time = [*refs, "multipliers_ref", *(["multipliers_measured"] if measured else [])]
    loop = armdyn.ClosedLoop(robot, control.hybrid_motion_force, over_time=over_time, record=["q", "qd", "tau"])
    rows = loop(q, qd, steps=STEPS, multipliers_ref=wanted, **refs, **K, **sensing).rows
    assert_same(Motion(*rows), by_hand(ur5, law, q, qd, steps=STEPS, normal=NORMAL))
    if not measured:
        unchecked = robot.compile(armdyn.constraints.constrained_forward_dynamics)  # Euler's steps leave the plane
        np.testing.assert_allclose(unchecked(rows.q, rows.qd, rows.tau).multipliers, wanted, rtol=1e-9)


def test_force_gains_without_a_sensor_are_refused() -> None:
    wall = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(0.8, 0, 0))
    robot = armdyn.load("planar_3r").with_constraints(wall)
    q = robot.close_loop([0.5, 1.0, 0.3])
    loop = armdyn.ClosedLoop(robot, control.hybrid_motion_force)
    still = np.zeros(3)
    with pytest.raises(TypeError, match="need multipliers_measured"):
        loop(
            q, steps=1, q_ref=q, qd_ref=still, qdd_ref=still, multipliers_ref=[1.0], Kp=still, Kd=still, Kp_force=[1.0]
        )  # fmt: skip
