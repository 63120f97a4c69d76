"""An arm under its controller as one loop: against the same loop of calls from Python; refusals and warnings."""

from __future__ import annotations

import re
import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.actuators import Actuator, Brake, Gear, Motor, Spring
from armdyn.base.errors import DTypeError, ModelError, OverlapError, ShapeError, TraceError, UnknownName
from armdyn.control import pd_gravity
from armdyn.functions import CompiledRollout
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    Adaptive,
    BrakeSwitches,
    ClosedLoop,
    Constraints,
    DivergenceWarning,
    Euler,
    OverTime,
    RungeKutta4,
    SaveAt,
    SettingError,
    Start,
    Variational,
)
from armdyn.simulation.drivers.fixed_step import held_step
from armdyn.simulation.equations import motion
from armdyn.studies import Normal, StudyError, sampled
from simulation.arms import PLANAR, near

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
    loop = ClosedLoop(ROBOT, pid, method=method, record=["q", "tau", "error"], energy=True, running_cost=spent)
    assert loop.state == ("q", "qd", "work", *method.scheme.memory, "cost", "integral")
    assert loop.inputs == ("ref", "kp", "kd", "ki", "f_tip")
    rolled, expected = loop(q, qd, steps=STEPS, workers=2, **given), by_hand(method, q, qd, given, STEPS, 2e-3)
    for name in ("q", "qd", "work", "cost", "integral"):
        np.testing.assert_allclose(getattr(rolled.final, name), expected[name], rtol=1e-12, atol=1e-12)
    for name, rows in expected["rows"].items():
        np.testing.assert_allclose(getattr(rolled.rows, name), rows, rtol=1e-12, atol=1e-11)


def test_gradient_of_gains() -> None:
    q, given = RNG.uniform(-1.0, 1.0, (ARMS, N)), inputs()
    loop = ClosedLoop(ROBOT, pid, method=Euler(step=2e-3), running_cost=spent)
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
    loop, zero = ClosedLoop(PLANAR, armdyn.control.computed_torque), np.zeros(2)
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
    loop = ClosedLoop(ROBOT, pid, method=Euler(step=2e-3), running_cost=spent)
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
    loop = ClosedLoop(ROBOT, over_time=["tau"], parameters=["forearm_link.mass"], energy=True)
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
    loop = ClosedLoop(ROBOT, pid, record=["error"])
    first = loop(np.zeros(N), steps=1, h=0.5, t0=2.0, integral=np.ones(N), **given)
    np.testing.assert_allclose(first.rows.error[0], given["ref"] * np.sin(2.0), rtol=1e-15)
    np.testing.assert_allclose(first.final.integral, 1.0 + 0.5 * given["ref"] * np.sin(2.0), rtol=1e-14)


def test_what_the_loop_adds_keeps_numbers_of_four_bytes() -> None:
    """Velocities at rest, states of a controller and times, which a call leaves out."""
    loop = ClosedLoop(ROBOT, pid, record=["q"])
    given = {name: np.asarray(value, np.float32) for name, value in inputs().items()}
    q0 = np.full(N, 0.3, np.float32)
    found, exact = loop(q0, steps=STEPS, **given), loop(q0.astype(float), steps=STEPS, **given)
    assert {a.dtype for a in (*found.final, *found.rows)} == {np.dtype(np.float32)}
    assert {a.dtype for a in (*exact.final, *exact.rows)} == {np.dtype(np.float64)}
    np.testing.assert_allclose(found.final.q, exact.final.q, atol=1e-5)
    assert loop(q0, np.zeros(N), steps=1, **given).final.q.dtype == np.float64


@pytest.mark.short_run("parameters1")
@pytest.mark.parametrize("parameters", [[], ["tip.payload.mass"]])
def test_a_loop_begins_where_constraints_hold(parameters: list[str]) -> None:
    wall = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="wall")
    robot = PLANAR.with_constraints(wall)
    loop = ClosedLoop(robot, method=RungeKutta4(step=1e-3), parameters=parameters)
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
    robot = PLANAR.with_constraints(*walls)

    @armdyn.function("(n),(n),(constraints)->(n)")
    def by_row(model: object, q: np.ndarray, qd: np.ndarray, pushes: np.ndarray) -> np.ndarray:
        return pushes[0] * q - pushes[1] * qd

    with pytest.raises(armdyn.constraints.RedundantConstraints):  # no row can be left out of its input
        ClosedLoop(robot, by_row)([np.pi / 3, -2 * np.pi / 3], steps=1, pushes=np.ones(2))


# Refusals.


@armdyn.function("(n)->(n)")
def spring(model: Any, q: Any) -> Any:
    """A law that does not know the time."""
    return -q


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


@armdyn.function("(n),(n)->()")
def weighted(model: Any, tau: Any, weight: Any) -> Any:
    """A cost with an argument of its own."""
    return weight @ tau**2


@armdyn.function("(n)->(n)")
def each(model: Any, tau: Any) -> Any:
    """A cost for each joint."""
    return tau**2


UNDECLARED: Any = lambda model, q: q  # noqa: E731
HELD = PLANAR.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="wall"))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((ROBOT, UNDECLARED), {}, TraceError, "is not a declared function; write @armdyn.function"),
        ((ROBOT, scalar), {}, ShapeError, "the first result of scalar has shape (); expected (n), tau"),
        ((ROBOT, working), {}, TraceError, "working has an argument 'work', as the loop itself has"),
        ((ROBOT, starting), {}, TraceError, "starting has an argument 't0', as the loop itself has"),
        ((ROBOT, pid), {"method": Adaptive()}, SettingError, "has no steps of one length"),
        ((ROBOT, pid), {"method": "rk4"}, SettingError, "is a name; a closed loop needs such as RungeKutta4"),
        (("ur5", pid), {}, SettingError, "robot='ur5' is not a Robot"),
        ((ROBOT, armdyn.control.hybrid_motion_force), {}, ModelError, "has no constraints"),
        ((ROBOT, pid), {"method": AdamsBashforthMoulton4()}, SettingError, "needs rates of steps ago"),
        ((ROBOT, pid), {"record": ["all"]}, UnknownName, "results). Known: q, qd, integral, tau, error."),
        ((ROBOT, pid), {"over_time": ["gain"]}, UnknownName, "no input 'gain'"),
        (
            (PLANAR, pd_gravity),
            {"running_cost": weighted},
            UnknownName,
            "no array 'weight' in the closed loop that wei",
        ),
        (
            (PLANAR,),
            {"running_cost": each},
            ShapeError,
            "each gives (n); expected one scalar, (), the cost of a second",
        ),
        ((PLANAR,), {"running_cost": UNDECLARED}, TraceError, "is not a declared function; write @armdyn"),
        ((PLANAR,), {"elements": [Constraints(project=True)]}, SettingError, "but 'planar_2r' has no constraints"),
    ],
)
def test_loops_that_cannot_be(arguments: Any, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        ClosedLoop(*arguments, **options)


TIMELESS, GIVEN = ClosedLoop(ROBOT, spring), ClosedLoop(ROBOT)
RATES = partial(ClosedLoop(ROBOT, pid).gradient, total, "kp")
BY_PID, TUNED = ClosedLoop(ROBOT, pid), {"ref": np.ones(N), "kp": 60.0, "kd": 3.0, "ki": 1.0}


@pytest.mark.parametrize(
    ("call", "options", "error", "message"),
    [
        (TIMELESS, {"t0": 2.0}, SettingError, "t0=2.0 is given, but spring takes no argument t"),
        (GIVEN, {"tau": np.zeros(N), "t0": 0.0}, SettingError, "but a loop without a controller takes no"),
        (TIMELESS, {"t": np.zeros(2)}, UnknownName, "no argument 't' in spring"),
        (RATES, {"t": np.ones(2), **TUNED}, SettingError, "but the loop itself counts the time; give t0, s"),
        (BY_PID, {"kpp": 3.0, **TUNED}, UnknownName, "no argument 'kpp'"),
        (BY_PID, {name: a for name, a in TUNED.items() if name != "kd"}, TypeError, "misses kd"),
        (BY_PID, {"h": -1.0, **TUNED}, SettingError, "h is -1"),
        (ClosedLoop(ROBOT, worded), {}, DTypeError, "worded returned tau = ['a', "),
        *((BY_PID, {"h": h, **TUNED}, SettingError, "expected a number above zero, in s")
          for h in (0, -1e-3, np.nan, np.inf, "1e-3", None)),
    ],
)  # fmt: skip
def test_calls_that_cannot_be(call: Any, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call(np.zeros(N), steps=2, **options)


def test_studies_refuse_the_costs_that_loops_refuse() -> None:
    with pytest.raises(UnknownName, match="no array 'weight'"):
        armdyn.study(PLANAR, {"q0": np.zeros((2, 2))}, running_cost=weighted, steps=1)


# Inputs: steps, parameters, arrays that share memory.


LOOP = ClosedLoop(PLANAR, pd_gravity, record=["q", "qd"])


AIM = {"q_ref": np.ones(2), "qd_ref": np.zeros(2), "Kp": np.full(2, 9.0), "Kd": np.full(2, 3.0)}


def test_each_arm_may_have_its_own_step() -> None:
    h = np.array([1e-3, 2e-3])
    found = LOOP(np.zeros((2, 2)), steps=20, h=h, **AIM).final.q
    for k, one in enumerate(h):
        np.testing.assert_allclose(found[k], LOOP(np.zeros(2), steps=20, h=one, **AIM).final.q, rtol=1e-13)
    for wrong, message in ((0.0, r"h\[1\] is 0\.0"), (np.nan, r"h\[1\] is nan"), (-1.0, r"h\[1\] is -1\.0")):
        with pytest.raises(SettingError, match=message + "; expected a number above 0, in s"):
            LOOP(np.zeros((2, 2)), steps=1, h=[1e-3, wrong], **AIM)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tip.payload.mass", -1.0, "tip.payload.mass is -1"),
        ("link_1.mass", [[1.0, 2.0], [-0.5, 1.0]], r"link_1.mass of state \(1, 0\) is -0.5"),
        ("joint_2.friction", -0.1, "joint_2.friction is -0.1"),
        ("joint_2.damping", -0.1, "joint_2.damping is -0.1"),
        ("joint_1.armature", [0.1, -0.1], r"joint_1.armature of state \(1,\) is -0.1"),
        ("link_2.inertia", [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "moment of link_2.inertia is -1"),
    ],
)
def test_no_robot_has_such_parameters(name: str, value: Any, message: str) -> None:
    loop, given = ClosedLoop(PLANAR, parameters=[name]), {name.replace(".", "_"): value}
    moves: dict[str, Any] = {"steps": 2, "tau": np.zeros(2)}
    with pytest.raises(ModelError, match=message + "; expected 0 or more"):
        loop(np.zeros(2), **moves, **given)
    tangent = {f"tangent_{name.replace('.', '_')}": value}
    fine = {word: abs(np.asarray(one)) * np.eye(3) if "inertia" in word else 1.0 for word, one in given.items()}
    loop.jvp(name)(np.zeros((2, 2, 2)), **moves, **fine, **tangent)  # a direction may go where no robot is
    if np.shape(value) in ((), (2,)):
        run = "" if np.ndim(value) == 0 else " of run 1"
        same, each = ({name: value}, {"q0": np.zeros((2, 2))}) if np.ndim(value) == 0 else ({}, {name: value})
        with pytest.raises(StudyError, match=f"{name}{run} is -"):
            armdyn.study(PLANAR, each, steps=2, inputs=same)


def test_zero_and_rounding_are_possible() -> None:
    names = ["link_1.inertia", "tip.payload.mass"]
    rod = np.diag([0.0, 1.0, 1.0])
    turned = (R := Rotation.from_rotvec([0.4, 0.0, 0.5]).as_matrix()) @ rod @ R.T
    ClosedLoop(PLANAR, parameters=names)(
        np.zeros(2), steps=2, tau=np.zeros(2), link_1_inertia=turned, tip_payload_mass=0.0
    )


def test_drawn_parameters_are_looked_at_before_the_first_run() -> None:
    drawn = sampled(300, {"tip.payload.mass": Normal(0.5, 0.25)}, seed=3)
    numbers = drawn.of(range(300), {"tip.payload.mass": ()})["tip.payload.mass"]
    first = int(np.argmax(numbers < 0))
    assert first > 0
    with pytest.raises(StudyError, match=rf"tip\.payload\.mass of run {first} is -"):
        armdyn.study(PLANAR, drawn, steps=2)


def test_arrays_for_results_are_apart() -> None:
    room = np.zeros((10, 3, 4))
    halves = {"q": room[..., :2], "qd": room[..., 2:]}
    rows = LOOP(np.zeros((3, 2)), steps=10, out=halves, **AIM).rows
    np.testing.assert_array_equal(rows.q, LOOP(np.zeros((3, 2)), steps=10, **AIM).rows.q)
    again = LOOP(room[-1, :, :2], room[-1, :, 2:], steps=10, out=halves, **AIM)  # goes on from its own last row
    assert np.isfinite(again.final.q).all()
    for out in ({"q": room[..., :2], "qd": room[..., :2]}, {"q": room[..., 1:3], "qd": room[..., 2:]}):
        with pytest.raises(OverlapError, match=r"out\['q'\] and out\['qd'\] share memory"):
            LOOP(np.zeros((3, 2)), steps=10, out=out, **AIM)
    with pytest.raises(OverlapError, match=r"out\['q'\] and q_ref share memory"):
        LOOP(np.zeros((3, 2)), steps=10, out={"q": room[..., :2]}, **AIM | {"q_ref": room[0, :, :2]})


@armdyn.function("(n),(n)->(n),(n,n)")
def two(model: Any, q: Any, qd: Any) -> Any:
    return 2 * q + qd, np.outer(q, qd)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_results_of_a_compiled_function_are_apart(batch: tuple[int, ...]) -> None:
    """Single states by the C function, more by the ufunc; the first call, and later ones."""
    f, q = PLANAR.compile(two), np.arange(1.0, 3.0) + np.zeros((*batch, 2))
    expected = f(q, q)
    for _ in range(2):
        room = np.zeros((*batch, 7))
        for first in (slice(0, 2), slice(3, 5)):
            with pytest.raises(OverlapError, match="arrays 0 and 1 of out share memory"):
                f(q, q, out=(room[..., first], room[..., 1:5].reshape(*batch, 2, 2)))
        apart = room[..., :2], np.zeros((*batch, 2, 2))
        for found, wanted in zip(f(q, q, out=apart), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


class Squared(NamedTuple):
    """A step later."""

    q: Any


def squared(model: Any, q: Any) -> Any:
    return Squared(q * q)


def test_rollouts_and_studies_count_what_ran_away() -> None:
    step = armdyn.function("(n)->(n)", result=Squared)(squared)
    rollout = CompiledRollout(PLANAR, step)
    with pytest.warns(DivergenceWarning, match=r"2 of 6 states, the first of them \(0, 1\), .* from step 10 on"):
        rollout([[[1.0, 0.5], [0.5, 2.0], [0.0, 0.0]], [[3.0, 0.5], [0.5, 0.1], [0.0, 0.0]]], steps=20)
    with pytest.warns(DivergenceWarning, match=r"of 'planar_2r': the state ended .* from step 0 on"):
        rollout([np.nan, 0.0], steps=20)
    samples = {"Kp": np.array([[9.0, 9.0], [1e7, 1e7], [9.0, 9.0], [1e8, 1e8]])}
    inputs = {name: value for name, value in AIM.items() if name != "Kp"}
    first = (
        r"^2 of 4 runs of the study of 'planar_2r' ran away, the first is run 1: at t = 0\.\d+ s, after step \d+: joint"
    )
    with pytest.warns(DivergenceWarning, match=first):
        armdyn.study(PLANAR, samples, pd_gravity, steps=500, inputs=inputs, chunk=1)


@pytest.mark.parametrize("traced", [True, False])
def test_a_cost_that_is_not_finite_is_told_from_a_motion(traced: bool) -> None:
    @armdyn.function("(n)->(n)")
    def at_rest(model: Any, q: Any) -> Any:
        return 0.0 * q if traced or q[0] < 9.0 else q

    @armdyn.function("(n),(n)->()")
    def logarithm(model: Any, q: Any, qd: Any) -> Any:
        return np.sqrt(qd[1] + 0.5)

    loop = ClosedLoop(PLANAR, at_rest, running_cost=logarithm)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        final = loop(np.zeros((3, 2)), [[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]], steps=5).final
    assert np.isfinite(final.q).all()
    message = str(said[-1].message)
    assert message.startswith(
        "2 of 3 arms, the first of them (1,), of 'planar_2r' ended in NaN or infinity, at t = 0.001 s"
    )
    assert "after step 1: cost is not finite, q and qd are. Look at what computes it" in message


def test_gradients_of_lost_motions_are_heard() -> None:
    @armdyn.function("(n)->()")
    def size(model: Any, q: Any) -> Any:
        return q @ q

    given = AIM | {"Kp": np.full(2, 1e8)}
    with pytest.warns(DivergenceWarning, match="^the motion of 'planar_2r' ended in NaN") as said:
        LOOP.gradient(size, ["Kp"], np.zeros(2), steps=300, **given)
    with pytest.warns(DivergenceWarning) as other:
        LOOP(np.zeros(2), steps=300, **given)
    assert [str(one.message) for one in said] == [str(one.message) for one in other]


def test_a_flexible_joint_a_constraint_and_a_rigid_joint_with_gear_loss() -> None:
    """The loop moves as the located motion, more closely the shorter its steps."""
    wall = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(0.8, 0, 0))
    soft = Actuator(Motor(2e-3), Gear(10.0), spring=Spring(90.0, damping=1.0))
    lossy = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8, back_efficiency=0.6))
    arm = armdyn.load("planar_3r").with_actuators({"joint_1": soft, "joint_3": lossy})
    robot = arm.with_constraints(wall)
    q0 = robot.close_loop([0.5, 1.0, 0.3])
    located = armdyn.simulate(robot, q0, duration=0.2).q[-1]
    assert abs(located - q0).max() > 1e-2
    loop = ClosedLoop(robot, method=RungeKutta4())
    errors = [
        abs(loop.simulate(q0, steps=round(0.2 / h), h=h, tau=np.zeros(3)).q[-1] - located).max() for h in (4e-3, 1e-3)
    ]
    assert errors[0] < 2e-10
    assert errors[1] < 2e-12


def test_the_variational_method_keeps_constraints_to_its_second_order() -> None:
    start = [-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0]
    exact = armdyn.simulate(HELD, *start, duration=0.4).q[-1]
    errors = []
    for h in (4e-3, 1e-3):
        loop = ClosedLoop(HELD, method=Variational(step=4e-3))
        motion = loop.simulate(*start, steps=round(0.4 / h), h=h, tau=np.zeros(2))
        errors.append(abs(motion.q[-1] - exact).max())
        assert abs(HELD.constraint_error(motion.q)).max() < errors[-1]
    assert 1.9 < np.log(errors[0] / errors[1]) / np.log(4.0) < 2.1


# `simulate(controller=...)`: the motion of a closed loop, and the options that it does not have.

AIMS = {"q_ref": [0.5, -0.5], "Kp": 60.0, "Kd": 20.0}
HOLDS = partial(pd_gravity, **AIMS)


OF_PD = ClosedLoop(PLANAR, pd_gravity)


def test_the_motion_is_that_of_the_closed_loop() -> None:
    loop = ClosedLoop(PLANAR, pd_gravity, method=RungeKutta4(step=2e-3))
    expected = loop.simulate([0.1, 0.2], [0.3, 0.0], steps=500, every=50, **AIMS)
    motion = armdyn.simulate(
        PLANAR, [0.1, 0.2], [0.3, 0.0], duration=1.0, controller=HOLDS, method=RungeKutta4(2e-3), save=SaveAt(every=0.1)
    )
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(motion, name), getattr(expected, name))
    np.testing.assert_array_equal(motion.signals["q_ref"], expected.signals["q_ref"])


def test_the_default_method_is_runge_kutta_in_steps_of_a_millisecond() -> None:
    motion = armdyn.simulate(PLANAR, [0.1, 0.2], duration=0.05, controller=HOLDS)
    assert len(motion.t) == 51
    assert motion.statistics.method == str(RungeKutta4())


def test_constraints_and_rotors_and_brakes_reach_the_loop() -> None:
    channel = PLANAR.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
    q0 = [-np.pi / 3, 2 * np.pi / 3]
    still = partial(pd_gravity, q_ref=q0, Kp=0.0, Kd=0.0)
    project = {"elements": [Constraints(project=True)], "method": RungeKutta4(1e-2)}
    held = armdyn.simulate(channel, q0, [1.0, 0.0], duration=3.0, controller=still, **project)
    assert abs(channel.constraint_error(held.q)).max() < 1e-13
    braked = PLANAR.with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.5))})
    stops = BrakeSwitches({"joint_2": [(0.1, "engaged")]})
    swings = partial(pd_gravity, q_ref=[0.0, 0.0], Kp=2.0, Kd=0.0)
    motion = armdyn.simulate(braked, [0.3, 0.3], duration=0.6, controller=swings, elements=[stops])
    assert motion.qd[60, 1] != 0.0
    assert motion.qd[-1, 1] == 0.0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"torque": [0.0, 0.0]}, SettingError, "torque and controller are both given"),
        ({"method": "adaptive"}, SettingError, "has no steps of one length, at which a controller could be called"),
        ({"elements": [Constraints("error")]}, SettingError, "Constraints(redundant='error') is not of closed loops"),
        ({"duration": -1.0}, SettingError, "duration is -1.0; expected a number above zero"),
        ({"controller": lambda t, q, qd: q}, TraceError, "is not a declared function; write @armdyn.function("),
        ({"controller": partial(pd_gravity, [0.5, 0.5])}, SettingError, "inputs of a controller are given by name"),
        ({"controller": partial(pd_gravity, **AIMS, K=1.0)}, UnknownName, "'K'"),
        ({"elements": [Start(theta=[0.0, 0.0])]}, UnknownName, "'theta'"),
        ({"f_tip": np.zeros((5, 6))}, ShapeError, "f_tip is a table of 5 rows; expected 200, one for each step"),
        ({"f_tip": lambda t, q, qd: np.zeros(6)}, SettingError, "expected a wrench that each step under a controller"),
        ({"f_tip": OverTime([0, 1], np.zeros((2, 6)))}, SettingError, "or OverTime(t, values, 'hold')"),
        ({"f_tip": OverTime([0, 0.1], np.zeros((2, 6)), "hold")}, SettingError, "f_tip is known from t = 0 to 0.1 s"),
        ({"controller": OF_PD}, SettingError, "controller is <closed loop of 'planar_2r': pd_gravity"),
        ({"controller": None, "torque": OF_PD}, SettingError, "torque is <closed loop of 'planar_2r': pd_gravity"),
        ({"controller": None, "torque": HOLDS}, SettingError, "expected controller=functools.partial(pd_gravity, ...)"),
        ({"controller": None, "torque": pd_gravity}, SettingError, "expected controller=functools.partial(pd_gravity"),
    ],
)
def test_options_that_loops_do_not_have(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    given = {"duration": 0.2, "controller": HOLDS} | options
    with pytest.raises(kind, match=re.escape(message)):
        armdyn.simulate(PLANAR, [0.1, 0.2], **given)


def test_one_wrench_for_each_state_of_a_batch() -> None:
    wrenches = np.zeros((2, 6))
    wrenches[1, 4] = 5.0
    motion = armdyn.simulate(PLANAR, np.zeros((2, 2)), duration=0.2, controller=HOLDS, f_tip=wrenches)
    for k in range(2):
        alone = armdyn.simulate(PLANAR, np.zeros(2), duration=0.2, controller=HOLDS, f_tip=wrenches[k])
        near(motion.q[:, k], alone.q, 1e-13)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("duration", "give steps=, the number of steps"),
        ("step", "the step belongs to the loop's method"),
        ("save_every", "give every="),
        ("elements", "elements belong to the loop, armdyn.ClosedLoop(..., elements=[Stops(...)])"),
        ("torque", "tau is the controller's"),
        ("project", "the projection belongs to the loop, armdyn.ClosedLoop(..., elements=[Constraints(project=True)])"),
    ],
)
def test_a_loop_names_its_counterpart_of_an_argument_of_simulate(name: str, remedy: str) -> None:
    for call in (OF_PD, OF_PD.simulate):
        with pytest.raises(UnknownName, match=re.escape(f"no argument {name!r} in a call of a closed loop; {remedy}")):
            call([0.0, 0.0], steps=10, **AIMS, **{name: 1.0})


@pytest.mark.parametrize("name", ["events", "save"])
def test_a_call_names_the_method_that_gives_a_trajectory(name: str) -> None:
    with pytest.raises(UnknownName, match=re.escape("the loop's own simulate(q0, steps=..., save=..., events=...)")):
        OF_PD([0.0, 0.0], steps=10, **AIMS, **{name: []})
