"""An arm under its controller as one loop, against the same loop of calls from Python."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, ModelError, ShapeError, TraceError, UnknownName
from armdyn.simulation import AdamsBashforthMoulton4, Adaptive, Euler, RungeKutta4, SettingError, Variational
from armdyn.simulation.equations import motion
from armdyn.simulation.system.arm_in_step import held_step

RNG = np.random.default_rng(4)
ROBOT = armdyn.load("ur5")
N, STEPS, ARMS = ROBOT.dof, 60, 9


class Pid(NamedTuple):
    """Torques, the integral of the error, and the error itself as a signal."""

    tau: Any
    integral: Any
    error: Any


@armdyn.function("(n),(n),(n),(),(),(n),(),(),()->(n),(n),(n)", result=Pid)
def pid(model: Any, q: Any, qd: Any, integral: Any, h: Any, t: Any, ref: Any, kp: Any, kd: Any, ki: Any) -> Pid:
    """Proportional-integral-derivative control of a reference that swings, with gravity compensation."""
    error = ref * np.sin(t) - q
    integral = integral + h * error
    tau = armdyn.algorithms.gravity_forces(model, q) + kp * error - kd * qd + ki * integral
    return Pid(tau, integral, error)


@armdyn.function("(n),(n),(n)->()")
def spent(model: Any, q: Any, qd: Any, tau: Any) -> Any:
    """A cost per second of torque and speed."""
    return tau @ tau + qd @ qd + q[0]


@armdyn.function("(),(n)->()")
def total(model: Any, cost: Any, q: Any) -> Any:
    """What was spent, and the distance from zero."""
    return cost + q @ q


@armdyn.function("(n)->()")
def fallen(model: Any, q: Any) -> Any:
    """The square of the distance from zero."""
    return q @ q


def inputs() -> dict[str, Any]:
    return {
        "ref": RNG.uniform(-1.0, 1.0, (ARMS, N)),
        "kp": RNG.uniform(50.0, 80.0, ARMS),
        "kd": 3.0,
        "ki": RNG.uniform(1.0, 5.0, (ARMS,)),
    }


def by_hand(method: Any, q: Any, qd: Any, given: dict[str, Any], steps: int, h: float) -> dict[str, Any]:
    """One compiled call of the step after the other, and NumPy's controller between them."""
    step = ROBOT.compile(held_step(method.scheme))
    integral, cost = np.zeros_like(q), np.zeros(ARMS)
    _, _, work, *memory = method.scheme.start(q, qd)
    rows: dict[str, list[Any]] = {"q": [], "tau": [], "error": []}
    kp, ki = given["kp"][:, None], given["ki"][:, None]
    for k in range(steps):
        error = given["ref"] * np.sin(k * h) - q
        integral = integral + h * error
        tau = ROBOT.gravity_forces(q) + kp * error - given["kd"] * qd + ki * integral
        for name, value in (("q", q), ("tau", tau), ("error", error)):
            rows[name].append(value)
        cost = cost + h * ((tau**2).sum(-1) + (qd**2).sum(-1) + q[:, 0])
        q, qd, work, *memory = step(q, qd, work, *memory, h, tau)
    return {"q": q, "qd": qd, "work": work, "integral": integral, "cost": cost, "rows": rows}


@pytest.mark.short_run("method0")
@pytest.mark.parametrize("method", [Euler(step=2e-3), RungeKutta4(step=2e-3), Variational(step=2e-3)])
def test_it_is_the_loop_from_python(method: Any) -> None:
    q, qd, given = RNG.uniform(-1.0, 1.0, (ARMS, N)), RNG.uniform(-1.0, 1.0, (ARMS, N)), inputs()
    loop = armdyn.ClosedLoop(ROBOT, pid, method=method, record=["q", "tau", "error"], energy=True, running_cost=spent)
    assert loop.state == ("q", "qd", "work", *method.scheme.memory, "cost", "integral")
    assert loop.inputs == ("ref", "kp", "kd", "ki", "f_tip")
    rolled, expected = loop(q, qd, steps=STEPS, workers=2, **given), by_hand(method, q, qd, given, STEPS, 2e-3)
    for name in ("q", "qd", "work", "cost", "integral"):
        np.testing.assert_allclose(getattr(rolled.final, name), expected[name], rtol=1e-12, atol=1e-12)
    for name, rows in expected["rows"].items():
        np.testing.assert_allclose(getattr(rolled.rows, name), rows, rtol=1e-12, atol=1e-11)


def test_gradient_of_gains() -> None:
    q, given = RNG.uniform(-1.0, 1.0, (ARMS, N)), inputs()
    loop = armdyn.ClosedLoop(ROBOT, pid, method=Euler(step=2e-3), running_cost=spent)
    found = loop.gradient(total, ["kp", "q"], q, steps=STEPS, **given)

    def cost(kp: Any, q: Any) -> Any:
        last = by_hand(Euler(step=2e-3), q, np.zeros_like(q), given | {"kp": kp}, STEPS, 2e-3)
        return last["cost"] + (last["q"] ** 2).sum(-1)

    np.testing.assert_allclose(found.cost, cost(given["kp"], q), rtol=1e-12)
    step = 1e-2
    slopes = [(cost(given["kp"] + s * step, q) - cost(given["kp"] - s * step, q)) / (2 * s * step) for s in (1, 2)]
    np.testing.assert_allclose(found.d_kp, (4 * slopes[0] - slopes[1]) / 3, rtol=1e-6, atol=1e-9)
    direction = RNG.uniform(-1.0, 1.0, (ARMS, N)) * 1e-3
    slopes = [(cost(given["kp"], q + s * direction) - cost(given["kp"], q - s * direction)) / (2 * s) for s in (1, 2)]
    np.testing.assert_allclose((found.d_q * direction).sum(-1), (4 * slopes[0] - slopes[1]) / 3, rtol=1e-6)


def test_no_gradient_by_what_is_not_given() -> None:
    """f_tip and Ki are optional: that they were left out is said, not that there are none."""
    loop, zero = armdyn.ClosedLoop(armdyn.load("planar_2r"), armdyn.control.computed_torque), np.zeros(2)
    given = dict.fromkeys(("q_ref", "qd_ref", "qdd_ref", "Kp", "Kd"), zero)
    cost = armdyn.function("(n)->()")(lambda model, q: q @ q)
    for name, size in (("f_tip", 6), ("Ki", 2)):
        words = (
            rf"{name} is an optional argument of .* was not given, .*; give {name}=, such as zeros of shape \({size},\)"
        )
        with pytest.raises(armdyn.UnknownName, match=words):
            loop.gradient(cost, [name], zero, steps=3, **given)
        found = loop.gradient(cost, [name], zero, steps=3, **given, **{name: np.zeros(size)})
        assert getattr(found, f"d_{name}").shape == (size,)


@pytest.mark.slow
def test_rates_of_the_loop_are_dual_to_its_gradients() -> None:
    q, given = RNG.uniform(-1.0, 1.0, (ARMS, N)), inputs()
    loop = armdyn.ClosedLoop(ROBOT, pid, method=Euler(step=2e-3), running_cost=spent)
    found = loop.gradient(total, ["kp", "qd", "t"], q, steps=STEPS, t0=0.5, **given)
    kp, qd, t = RNG.uniform(-1.0, 1.0, ARMS), RNG.uniform(-1.0, 1.0, (ARMS, N)), RNG.uniform(-1.0, 1.0, STEPS)
    tangents = {"tangent_kp": kp, "tangent_qd": qd, "tangent_t": t}
    rates = loop.jvp("kp", "qd", "t")(q, steps=STEPS, t0=0.5, workers=2, **tangents, **given).final
    last = loop(q, steps=STEPS, t0=0.5, **given).final
    along = found.d_kp * kp + (found.d_qd * qd).sum(-1) + t @ found.d_t
    np.testing.assert_allclose(rates.cost + 2.0 * (last.q * rates.q).sum(-1), along, rtol=1e-12)
    with pytest.raises(UnknownName, match="no argument 'gain' in euler_step_pid"):
        loop.jvp("gain")


def test_torques_of_time_without_a_controller() -> None:
    loop = armdyn.ClosedLoop(ROBOT, over_time=["tau"], parameters=["forearm_link.mass"], energy=True)
    tau, masses = RNG.uniform(-5.0, 5.0, (STEPS, ARMS, N)), RNG.uniform(1.0, 4.0, ARMS)
    rolled = loop(np.zeros(N), steps=STEPS, tau=tau, forearm_link_mass=masses, f_tip=np.arange(6.0))
    q = qd = np.zeros((ARMS, N))
    work, equations = 0.0, ROBOT.compile(motion, parameters=["forearm_link.mass"])
    for k in range(STEPS):
        qdd, power = equations(q, qd, tau[k], np.arange(6.0), forearm_link_mass=masses)
        q, qd, work = q + 1e-3 * qd, qd + 1e-3 * qdd, work + 1e-3 * power
    np.testing.assert_allclose(rolled.final.q, q, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(rolled.final.work, work, rtol=1e-12, atol=1e-14)


def test_another_step_and_another_time() -> None:
    given = inputs()
    loop = armdyn.ClosedLoop(ROBOT, pid, record=["error"])
    first = loop(np.zeros(N), steps=1, h=0.5, t0=2.0, integral=np.ones(N), **given)
    np.testing.assert_allclose(first.rows.error[0], given["ref"] * np.sin(2.0), rtol=1e-15)
    np.testing.assert_allclose(first.final.integral, 1.0 + 0.5 * given["ref"] * np.sin(2.0), rtol=1e-14)


@armdyn.function("(n)->(n)")
def spring(model: Any, q: Any) -> Any:
    """A law that does not know the time."""
    return -q


def test_times_that_nothing_reads_are_refused() -> None:
    timeless, given = armdyn.ClosedLoop(ROBOT, spring), armdyn.ClosedLoop(ROBOT)
    with pytest.raises(SettingError, match=re.escape("t0=2.0 is given, but spring takes no argument t")):
        timeless(np.zeros(N), steps=2, t0=2.0)
    with pytest.raises(SettingError, match=re.escape("t0=0.0 is given, but a loop without a controller takes no")):
        given(np.zeros(N), steps=2, tau=np.zeros(N), t0=0.0)
    with pytest.raises(UnknownName, match="no argument 't' in spring"):
        timeless(np.zeros(N), steps=2, t=np.zeros(2))
    with pytest.raises(SettingError, match="t is given, but the loop itself counts the time; give t0, s"):
        armdyn.ClosedLoop(ROBOT, pid).gradient(total, "kp", np.zeros(N), steps=2, t=np.ones(2), **inputs())


@armdyn.function("(n),(n)->(n)")
def worded(model: Any, q: Any, qd: Any) -> Any:
    return ["a", *q[1:]]


@armdyn.function("(n)->()")
def scalar(model: Any, q: Any) -> Any:
    """No torque for every joint."""
    return q[0]


@armdyn.function("(n),()->(n)")
def working(model: Any, q: Any, work: Any) -> Any:
    """An input with a name of the loop's own."""
    return q * work


@armdyn.function("(n),()->(n)")
def starting(model: Any, q: Any, t0: Any) -> Any:
    """An input with a name of the call's own."""
    return q * t0


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(TraceError, match=re.escape("is not a declared function; write @armdyn.function")):
        armdyn.ClosedLoop(ROBOT, lambda model, q: q)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=re.escape("the first result of scalar has shape (); expected (n), tau")):
        armdyn.ClosedLoop(ROBOT, scalar)
    with pytest.raises(TraceError, match="working has an argument 'work', as the loop itself has"):
        armdyn.ClosedLoop(ROBOT, working)
    with pytest.raises(TraceError, match="starting has an argument 't0', as the loop itself has"):
        armdyn.ClosedLoop(ROBOT, starting)
    with pytest.raises(SettingError, match="has no steps of one length"):
        armdyn.ClosedLoop(ROBOT, pid, method=Adaptive())  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="method='rk4' is a name; a closed loop needs such as RungeKutta4"):
        armdyn.ClosedLoop(ROBOT, pid, method="rk4")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="robot='ur5' is not a Robot"):
        armdyn.ClosedLoop("ur5", pid)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no constraints"):
        armdyn.ClosedLoop(ROBOT, armdyn.control.hybrid_motion_force)
    with pytest.raises(DTypeError, match=re.escape("worded returned tau = ['a', ")):
        armdyn.ClosedLoop(ROBOT, worded)(np.zeros(ROBOT.dof), steps=1)
    with pytest.raises(SettingError, match="needs rates of steps ago"):
        armdyn.ClosedLoop(ROBOT, pid, method=AdamsBashforthMoulton4())
    with pytest.raises(UnknownName, match=r"5 states or results\)\. Known: q, qd, integral, tau, error\."):
        armdyn.ClosedLoop(ROBOT, pid, record=["everything"])
    with pytest.raises(UnknownName, match="no input 'gain'"):
        armdyn.ClosedLoop(ROBOT, pid, over_time=["gain"])
    loop = armdyn.ClosedLoop(ROBOT, pid)
    with pytest.raises(UnknownName, match="no argument 'kpp'"):
        loop(np.zeros(N), steps=2, kpp=3.0, **inputs())
    with pytest.raises(TypeError, match="misses kd"):
        loop(np.zeros(N), steps=2, **{name: a for name, a in inputs().items() if name != "kd"})
    with pytest.raises(SettingError, match="h is -1"):
        loop(np.zeros(N), steps=2, h=-1.0, **inputs())


def test_what_the_loop_adds_keeps_numbers_of_four_bytes() -> None:
    """Velocities at rest, states of a controller and times, which a call leaves out."""
    loop = armdyn.ClosedLoop(ROBOT, pid, record=["q"])
    given = {name: np.asarray(value, np.float32) for name, value in inputs().items()}
    q0 = np.full(N, 0.3, np.float32)
    found, exact = loop(q0, steps=STEPS, **given), loop(q0.astype(float), steps=STEPS, **given)
    assert {a.dtype for a in (*found.final, *found.rows)} == {np.dtype(np.float32)}
    assert {a.dtype for a in (*exact.final, *exact.rows)} == {np.dtype(np.float64)}
    np.testing.assert_allclose(found.final.q, exact.final.q, atol=1e-5)
    assert loop(q0, np.zeros(N), steps=1, **given).final.q.dtype == np.float64


@pytest.mark.slow
def test_parameters_are_differentiated_by_under_either_name() -> None:
    loop = armdyn.ClosedLoop(ROBOT, parameters=["tool0.payload.mass"])
    given = {"steps": 5, "tau": np.zeros(N), "tool0_payload_mass": 1.0}
    found, same = (
        loop.gradient(fallen, name, np.zeros(N), **given) for name in ("tool0_payload_mass", "tool0.payload.mass")
    )
    assert found._fields == same._fields
    assert found[1] == same[1] != 0
    rates = loop.jvp("tool0_payload_mass")(np.zeros(N), tangent_tool0_payload_mass=1.0, **given)
    assert np.isclose(2 * rates.final.q @ loop(np.zeros(N), **given).final.q, found[1])


@pytest.mark.short_run("parameters1")
@pytest.mark.parametrize("parameters", [[], ["tip.payload.mass"]])
def test_a_loop_begins_where_constraints_hold(parameters: list[str]) -> None:
    wall = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="wall")
    robot = armdyn.load("planar_2r").with_constraints(wall)
    loop = armdyn.ClosedLoop(robot, method=RungeKutta4(step=1e-3), parameters=parameters)
    given: dict[str, Any] = {"steps": 100, "tau": np.zeros(2)} | dict.fromkeys(parameters, 0.0)
    q0 = np.array([np.pi / 3, -2 * np.pi / 3])
    moved = armdyn.simulate(robot, q0, duration=0.1, method=RungeKutta4(step=1e-3))
    np.testing.assert_allclose(loop(q0, **given).final.q, moved.q[-1], rtol=1e-12)
    with pytest.raises(armdyn.constraints.OpenLoop, match=r"do not hold at q of state 1: 'wall' is"):
        loop([q0, q0 + 0.1], **given)
    with pytest.raises(armdyn.constraints.InconsistentMotion, match="leave the constraints"):
        loop(q0, [0.0, 1.0], **given)


def test_constraints_that_a_loop_would_not_keep_are_refused() -> None:
    walls = [armdyn.constraints.PointOnPlane("tip", (k, 0, 0), (1, 0, 0), name=f"wall_{k}") for k in (1, 2)]
    robot = armdyn.load("planar_2r").with_constraints(*walls)

    @armdyn.function("(n),(n),(constraints)->(n)")
    def by_row(model: object, q: np.ndarray, qd: np.ndarray, pushes: np.ndarray) -> np.ndarray:
        return pushes[0] * q - pushes[1] * qd

    with pytest.raises(armdyn.constraints.RedundantConstraints):  # no row can be left out of its input
        armdyn.ClosedLoop(robot, by_row)([np.pi / 3, -2 * np.pi / 3], steps=1, pushes=np.ones(2))
    with pytest.raises(SettingError, match="does not keep constraints"):
        armdyn.ClosedLoop(robot, method=Variational(step=1e-3))
