"""Controllers that cannot be traced run in Python: the numbers of the compiled loop, and what is said."""

import dataclasses
import pickle
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.linalg

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Brake, Gear, Spring
from armdyn.program import less
from armdyn.simulation import (
    ClosedLoop,
    DivergenceWarning,
    Euler,
    Heun,
    RungeKutta4,
    SemiImplicitEuler,
    UntracedControllerWarning,
)
from oracles.cases import CASES
from oracles.flexible import flexible
from oracles.states import assert_close

PLANAR = armdyn.load("planar_2r")
IGNORED = pytest.mark.filterwarnings("ignore::armdyn.simulation.UntracedControllerWarning")


def untraced(controller: armdyn.Function) -> armdyn.Function:
    """The same controller with a line that cannot be traced."""

    def run(model: Any, *arrays: Any, **options: Any) -> Any:
        float(np.ravel(arrays[0])[0])
        return controller.implementation(model, *arrays, **options)

    run.__name__ = run.__qualname__ = controller.name
    return dataclasses.replace(controller, implementation=run)


def assert_same(one: Any, other: Any, tolerance: float = 1e-12) -> None:
    """Final states and rows of two loops have the same names, shapes and types, and numbers to a tolerance."""
    for part in ("final", "rows"):
        compiled, in_python = getattr(one, part), getattr(other, part)
        assert compiled._fields == in_python._fields
        for name, expected, found in zip(compiled._fields, compiled, in_python, strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype), name
            assert_close(found, expected, tolerance)
    assert (one.every, one.steps, one.shapes) == (other.every, other.steps, other.shapes)


class Pid(NamedTuple):
    tau: Any
    integral: Any
    error: Any


@armdyn.function("(n),(n),(n),(),(),(n),(n),(n)?->(n),(n),(n)", result=Pid)
def pid(model: Any, q: Any, qd: Any, integral: Any, h: Any, t: Any, q_ref: Any, kp: Any, push: Any = None) -> Pid:
    """PID control of a moving reference, and a push where there is one."""
    error = q_ref * (1.0 + t) - q
    integral = integral + h * error
    tau = armdyn.algorithms.gravity_forces(model, q) + kp * (error - 0.2 * qd + 2.0 * integral)
    return Pid(tau if push is None else tau + push, integral, error)


@armdyn.function("(n),(n),(n),(n),()->()")
def spent(model: Any, tau: Any, q_ref: Any, q: Any, integral: Any, t: Any) -> Any:
    """A running cost of the torque, an input, the state, the controller's state, and the time."""
    return tau @ tau + (q - q_ref) @ (q - q_ref) + integral @ integral + t


def settings(robot: armdyn.Robot) -> dict[str, Any]:
    """A call with all that a loop takes: axes that broadcast, tables over time, parameters, states, times."""
    rng, n = np.random.default_rng(5), robot.dof
    M = robot.mass_matrix(np.zeros(n)).diagonal()
    return {
        "q0": rng.uniform(-0.5, 0.5, (2, 1, n)),
        "qd0": rng.uniform(-0.3, 0.3, n),
        "steps": 13,
        "every": 5,
        "t0": 0.25,
        "h": 2e-3,
        "integral": rng.uniform(-0.1, 0.1, n),
        "q_ref": rng.uniform(-0.5, 0.5, (13, 1, 3, n)),
        "kp": 60.0 * M,
        "f_tip": rng.uniform(-1.0, 1.0, (3, 6)),
    }


@IGNORED
@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param("ur5", Euler(1e-3), marks=pytest.mark.slow),
        pytest.param("stanford", RungeKutta4(1e-3), marks=pytest.mark.slow),
        ("random_tree", Euler(1e-3)),
    ],
)
def test_numbers_are_those_of_the_compiled_loop(name: str, method: Any) -> None:
    robot = CASES[name]().robot if name in CASES else armdyn.load(name)
    frame = robot.model.frames[-1].name
    given = settings(robot) | {f"{frame}_payload_mass": np.array([0.5, 0.0, 1.0])}
    if robot.model.tip is None:
        del given["f_tip"]
    options: dict[str, Any] = {"method": method, "over_time": ["q_ref"], "parameters": [f"{frame}.payload.mass"]}
    options |= {"record": ["q", "error", "tau", "integral", "cost"], "running_cost": spent, "energy": True}
    compiled = ClosedLoop(robot, pid, **options)(**given)
    loop = ClosedLoop(robot, untraced(pid), **options)
    room = {"tau": np.full((3, 2, 3, robot.dof), np.nan)}
    found = loop(**given, out=room)
    assert_same(compiled, found)
    assert found.rows.tau is room["tau"]
    assert_same(compiled, loop(**given, workers=2))
    pushed = given | {"push": np.ones(robot.dof)}
    assert_same(ClosedLoop(robot, pid, **options)(**pushed), loop(**pushed))


@IGNORED
@pytest.mark.parametrize(
    "controller",
    [
        control.saturated(control.pid, np.full(6, 20.0)),
        control.momentum_observer(control.delayed(control.pid, 2)),
        control.with_model(control.pid, armdyn.load("stanford").with_payload(mass=2.0)),
        control.quantised(control.differencing(control.pid, time_constant=5e-3), resolution=1e-4),
    ],
    ids=lambda controller: controller.name,
)
def test_also_with_what_stands_around_it(controller: armdyn.Function) -> None:
    robot = armdyn.load("stanford")
    M, q0 = robot.mass_matrix(np.zeros(6)).diagonal(), np.array([[0.1, -0.2, 0.3, 0.4, -0.5, 0.6]])
    given = {"q_ref": np.ones(6), "qd_ref": np.zeros(6), "Kp": 90 * M, "Ki": 200 * M, "Kd": 14 * M}
    given |= {"K_observer": np.full(6, 50.0)} if "observer" in controller.name else {}
    compiled, found = (ClosedLoop(robot, one)(q0, steps=9, **given) for one in (controller, untraced(controller)))
    assert_same(compiled, found)


@IGNORED
def test_a_sampled_controller_runs_at_its_samples_only() -> None:
    called = []

    @armdyn.function("(n),(n),(),(n)->(n),(n)", result=NamedTuple("Kept", [("tau", Any), ("last", Any)]))
    def counted(model: Any, q: Any, qd: Any, h: Any, last: Any) -> Any:
        called.append((float(q[0]), h))
        return 1.0 - q - qd + last, q

    @armdyn.function(counted.signature, result=counted.result)
    def the_same(model: Any, q: Any, qd: Any, h: Any, last: Any) -> Any:
        return counted.result(1.0 - q - qd + last, q)

    loops = [ClosedLoop(PLANAR, control.sampled(one, 4), record=["q", "tau"]) for one in (counted, the_same)]
    found, compiled = (loop([0.1, 0.2], steps=10) for loop in loops)
    assert_same(compiled, found)
    np.testing.assert_array_equal(called, [(q, 4e-3) for q in found.rows.q[::4, 0]])


class Braking(NamedTuple):
    tau: Any
    brakes: Any


@armdyn.function("(n),(n)->(n),(1)", result=Braking)
def braking(model: Any, q: Any, qd: Any) -> Braking:
    return Braking(0.0 * q, np.array([less(0.2, abs(qd[1]))]))


@armdyn.function("(n),(n),(n)->(n)")
def of_motors(model: Any, theta: Any, thetad: Any, q: Any) -> Any:
    return armdyn.algorithms.gravity_forces(model, q) + 20.0 * (0.5 - theta) - 3.0 * thetad


WALL = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="wall")
ON_WALL = [np.pi / 3, -2 * np.pi / 3]


@pytest.mark.short_run("flexible")
@IGNORED
@pytest.mark.parametrize(
    ("robot", "controller", "options", "q0"),
    [
        (PLANAR.with_friction({"joint_2": (0.2, 1.0)}), control.pd_gravity, {"energy": True}, [0.1, 0.2]),
        (PLANAR.with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.5))}), braking,
         {"elements": [armdyn.simulation.BrakeSwitches({"joint_2": []})], "energy": True}, [0.3, 0.0]),
        (flexible(PLANAR, {"joint_1": Spring(900.0), "joint_2": Spring(500.0)}), of_motors,
         {"energy": True}, [0.1, 0.2]),
        (PLANAR.with_constraints(WALL), control.pd_gravity,
         {"elements": [armdyn.simulation.Constraints(project=True)]}, ON_WALL),
    ],
    ids=["sticking", "brakes", "flexible", "constraints"],
)  # fmt: skip
def test_steps_of_all_kinds(robot: Any, controller: armdyn.Function, options: dict[str, Any], q0: Any) -> None:
    given: dict[str, Any] = {"q0": q0, "steps": 60, "every": 7}
    if controller is control.pd_gravity:
        given |= {"q_ref": np.zeros(2), "qd_ref": np.zeros(2), "Kp": np.full(2, 9.0), "Kd": np.full(2, 2.0)}
    compiled, found = (
        ClosedLoop(robot, one, method=Heun(1e-3), **options)(**given) for one in (controller, untraced(controller))
    )
    assert_same(compiled, found)


@IGNORED
def test_numbers_of_four_bytes_stay_such() -> None:
    q0, gains = np.full((3, 2), 0.1, np.float32), np.full(2, 9.0, np.float32)
    given = {"q_ref": gains, "qd_ref": gains, "Kp": gains, "Kd": gains}
    compiled, found = (
        ClosedLoop(PLANAR, c)(q0, steps=20, **given) for c in (control.pd_gravity, untraced(control.pd_gravity))
    )
    assert_same(compiled, found, 1e-5)
    assert found.final.q.dtype == np.float32


class Relay(NamedTuple):
    tau: Any
    state: Any
    switches: Any


@armdyn.function("(n),(n),(),(n)->(n),(),()", result=Relay)
def relay(model: Any, q: Any, qd: Any, state: Any, target: Any) -> Any:
    """Hysteresis, linear systems by SciPy, and the compiled method of a robot."""
    e = float((target - q)[0])
    before = state
    if e > 0.05:  # up
        state = 1.0
    elif e < -0.05:
        state = -1.0
    M = PLANAR.mass_matrix(q)
    return Relay(M @ scipy.linalg.solve(M, np.full(2, 8.0 * state)) - qd, state, abs(state - before))


def test_branches_scipy_and_compiled_methods_as_they_are() -> None:
    loop = ClosedLoop(PLANAR, relay, method=SemiImplicitEuler(5e-3), record=["q", "state", "switches"])
    q0, target = np.array([[0.0, 0.0], [0.3, 0.1]]), np.array([0.1, 0.0])
    with pytest.warns(UntracedControllerWarning, match="which line|takes numbers only|has no value yet") as said:
        found = loop(q0, steps=200, target=target)
    message = str(said[0].message)
    assert "test_python_controllers.py:" in message
    assert "in relay, `e = float((target - q)[0])`" in message
    assert "So it runs in Python, once a step for each arm" in message
    assert message.endswith("require_traced=True) makes this an error")
    assert said[0].filename == __file__
    q, qd, state, step = q0, np.zeros((2, 2)), np.zeros(2), PLANAR.forward_dynamics
    for k in range(200):
        np.testing.assert_allclose(found.rows.q[k], q, rtol=1e-11, atol=1e-12)
        e = target[0] - q[:, 0]
        state = np.where(e > 0.05, 1.0, np.where(e < -0.05, -1.0, state))
        qd = qd + 5e-3 * step(q, qd, 8.0 * state[:, None] - qd)
        q = q + 5e-3 * qd
    np.testing.assert_array_equal(found.final.state, state)
    assert {-1.0, 1.0} <= set(found.rows.state.flat)
    np.testing.assert_array_equal(found.rows.switches[:-1], abs(np.diff(found.rows.state, axis=0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(found, loop(q0, steps=200, target=target), 0.0)  # it was said once


@armdyn.function("(n),(n)->(n)")
def solves(model: Any, q: Any, qd: Any) -> Any:
    """The arm's own mass matrix, by an algorithm, in solvers of NumPy and SciPy, also for a part of it."""
    M = armdyn.algorithms.mass_matrix(model, q)
    M[0, 0] += 0.5
    b = armdyn.algorithms.gravity_forces(model, q) - 3.0 * qd
    return M @ scipy.linalg.solve(M, b) + np.linalg.solve(M, b) * np.linalg.eigvalsh(M)


def test_solvers_take_what_algorithms_give() -> None:
    q, qd = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    loop = ClosedLoop(PLANAR, control.sampled(solves, every=2), record=["tau"])
    with pytest.warns(UntracedControllerWarning, match=r"in solves, .* takes numbers only"):
        found = loop(q, qd, steps=1).rows.tau[0]
    M = PLANAR.mass_matrix(q) + np.diag([0.5, 0.0])
    b = PLANAR.gravity_forces(q) - 3.0 * qd
    np.testing.assert_allclose(found, b + np.linalg.solve(M, b) * np.linalg.eigvalsh(M), rtol=1e-12)
    assert armdyn.algorithms.mass_matrix(PLANAR.mechanism, q).dtype == object  # as ever outside of the loop


@IGNORED
def test_what_needs_a_traced_controller_names_its_line() -> None:
    @armdyn.function("(n)->()")
    def size(model: Any, q: Any) -> Any:
        return q @ q

    loop = ClosedLoop(PLANAR, relay)
    line = r"in relay, `e = float.*need one that is traced: change that line$"
    given: dict[str, Any] = {"steps": 2, "target": np.ones(2)}
    loop([0.0, 0.0], **given)
    for asked in (
        lambda: loop.gradient(size, ["target"], [0.0, 0.0], **given),
        lambda: loop.jvp("target")([0.0, 0.0], tangent_target=np.ones(2), **given),
        loop.to_c,
        loop.program,
        lambda: loop.op_counts,
        lambda: ClosedLoop(PLANAR, relay, require_traced=True)([0.0, 0.0], **given),
        lambda: armdyn.study(PLANAR, {"target": np.ones((3, 2))}, relay, steps=2, require_traced=True),
    ):
        with pytest.raises(armdyn.TraceError, match=line):
            asked()
    again = pickle.loads(pickle.dumps(loop))  # noqa: S301
    assert_same(again([0.0, 0.0], **given), loop([0.0, 0.0], **given), 0.0)


def branch(q: Any) -> Any:
    return q if q[0] > 0 else -q


@pytest.mark.parametrize(
    ("law", "error", "message"),
    [
        (lambda q: branch(q)[:1], armdyn.ShapeError, r"returned tau of shape \(1,\); expected \(2,\)"),
        (lambda q: (branch(q), q), armdyn.ShapeError, "returned 2 results; expected 1"),
        (lambda q: branch(q) + unknown, NameError, "unknown"),  # type: ignore[name-defined]  # noqa: F821
        (lambda q: branch(q) + "1", TypeError, "'add'"),
        (lambda q: 1j * branch(q), armdyn.DTypeError, "tau of wrong holds complex numbers"),
        (lambda q: np.array([branch(q)[0], None]), armdyn.DTypeError, "tau of wrong holds .*; expected real numbers"),
        (lambda q: q * np.nan, armdyn.TraceError, "constant .* is NaN"),
    ],
    ids=["shape", "results", "name", "type", "complex", "none", "nan"],
)
def test_mistakes_stay_errors(law: Any, error: type[Exception], message: str) -> None:
    """Without a warning, which would be an error here."""

    def wrong(model: Any, q: Any) -> Any:
        return law(q)

    with pytest.raises(error, match=message):
        ClosedLoop(PLANAR, armdyn.function("(n)->(n)")(wrong))([0.1, 0.2], steps=3)


@IGNORED
def test_an_error_in_the_middle_says_where_and_leaves_what_was_recorded() -> None:
    @armdyn.function("(n),()->(n)")
    def failing(model: Any, q: Any, t: Any) -> Any:
        if q[0] > 0.5 and t > 2.0025:
            raise ZeroDivisionError("own")
        return 0.0 * q

    room = {"q": np.full((10, 2, 2), np.nan)}
    with pytest.raises(ZeroDivisionError, match="own") as raised:
        ClosedLoop(PLANAR, failing, record=["q"])([[0.1, 0.0], [0.9, 0.0]], steps=10, t0=2.0, out=room)
    error: Any = raised.value
    note, kept = error.__notes__
    assert kept == "What was computed until then is in error.rolled."
    assert error.rolled.steps == 3
    np.testing.assert_array_equal(error.rolled.rows.q, room["q"][:3])
    assert note.startswith("while ClosedLoop called failing in Python in step 3 of arm (1,), t = 2.003 s.")
    assert "in failing, `if q[0] > 0.5" in note
    assert np.isfinite(room["q"][:3]).all()
    assert np.isnan(room["q"][3:]).all()


def test_an_arm_that_is_lost_is_asked_nothing_more() -> None:
    seen = []

    @armdyn.function("(n),(n)->(n)")
    def explosive(model: Any, q: Any, qd: Any) -> Any:
        seen.append([*map(float, q), *map(float, qd)])
        return -1e9 * qd if q[0] > 0.5 else -qd

    loop = ClosedLoop(PLANAR, explosive)
    q0, qd0 = np.array([[0.1, 0.0], [0.9, 0.0]]), np.array([0.1, 0.0])
    with pytest.warns(UntracedControllerWarning), pytest.warns(DivergenceWarning) as said:
        found = loop(q0, qd0, steps=200)
    (lost,) = (one for one in said if one.category is DivergenceWarning)
    assert "1 of 2 arms, the first of them (1,), of 'planar_2r' ended in NaN or infinity, at t = " in str(lost.message)
    calls = len(seen) - 200  # of the arm that is lost
    rates = seen[2 * calls - 1][2:]  # the last that it was asked at
    k = int(np.argmax(np.abs(rates)))
    assert f"after step {calls}: joint '{PLANAR.joint_names[k]}' had reached {rates[k]:.3g} rad/s" in str(lost.message)
    assert np.isfinite(seen).all()
    assert 200 < len(seen) < 400
    assert_close(found.final.q[0], loop(q0[0], qd0, steps=200).final.q, 1e-12)
    assert np.isnan(found.final.q[1]).all()


@IGNORED
def test_no_steps_and_progress() -> None:
    told: list[float] = []
    loop = ClosedLoop(PLANAR, relay)
    none = loop(np.zeros((3, 2)), steps=0, target=np.ones(2))
    assert none.final.q.shape == (3, 2)
    assert none.rows.q.shape == (0, 3, 2)
    loop(np.zeros(2), steps=3, target=np.ones(2), report=told.append)
    assert told[-1] == 1.0
