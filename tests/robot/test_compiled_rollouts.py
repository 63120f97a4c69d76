"""A function repeated over time: against a loop of calls, and its gradients against differences of that loop."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, ShapeError, TraceError, UnknownName
from armdyn.functions import CompiledRollout, rollout_runs, rollouts
from armdyn.program import interpret
from armdyn.program.rollout_products import adjoint_rollout

RNG = np.random.default_rng(66)


class Next(NamedTuple):
    """A step later, and what acted."""

    q: Any
    qd: Any
    total: Any
    tau: Any


@armdyn.function("(n),(n),(),(n),(n),(n),(),(6)?->(n),(n),(),(n)", result=Next)
def servo(
    model: Any, q: Any, qd: Any, total: Any, target: Any, stiffness: Any, damping: Any, h: Any, f_tip: Any = None
) -> Any:
    """A step under proportional-derivative control, and the sum of the squared torques."""
    tau = stiffness * (target - q) - damping * qd
    faster = qd + h * armdyn.algorithms.forward_dynamics(model, q, qd, tau, f_tip)
    return Next(q + h * faster, faster, total + h * (tau @ tau), tau)


@armdyn.function("(),(n)->()")
def cost(model: Any, total: Any, q: Any) -> Any:
    """Effort and distance from where all joints are at 0.3."""
    return total + (q - 0.3) @ (q - 0.3)


STEPS, BATCH = 30, (2, 5)
STATE = ("q", "qd", "total")
ROBOT = armdyn.load("stanford")
N = ROBOT.dof
ROLLOUT = CompiledRollout(
    ROBOT, servo, over_time=["target"], record=["q", "tau"], parameters=["gravity", "link_6_on_axis.mass"]
)


def arguments() -> dict[str, Any]:
    return {
        "q": RNG.uniform(-0.5, 0.5, (*BATCH, N)),
        "qd": RNG.uniform(-0.5, 0.5, (5, N)),
        "total": 0.0,
        "target": RNG.uniform(-0.5, 0.5, (STEPS, 1, N)),
        "stiffness": RNG.uniform(0.2, 0.5, (2, 1, N)),
        "damping": RNG.uniform(0.02, 0.05, N),
        "h": 2e-4,
        "gravity": np.array([0.5, -1.0, -9.0]),
        "link_6_on_axis.mass": RNG.uniform(0.5, 1.0, BATCH),
    }


def words(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments as keywords of a call."""
    return {name.replace(".", "_"): a for name, a in given.items()}


def loop(given: dict[str, Any], **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """The definition: one compiled call a step."""
    step, rows, now = ROBOT.compile(servo, parameters=["gravity", "link_6_on_axis.mass"]), [], dict(given)
    for k in range(STEPS):
        at = {name: a[k] if name == "target" else a for name, a in now.items()}
        state = step(**words(at), **more)
        rows.append((np.broadcast_to(now["q"], state.q.shape), state.tau))
        now |= {"q": state.q, "qd": state.qd, "total": state.total}
    return rows, now


def call(given: dict[str, Any], **options: Any) -> Any:
    return ROLLOUT(**words(given), steps=STEPS, **options)


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.short_run("f_tip1")
@pytest.mark.parametrize("f_tip", [None, [0.1, 0.2, 0.3, -1.0, 2.0, 3.0]])
def test_it_is_the_loop_of_calls(f_tip: Any) -> None:
    given = arguments()
    more = {} if f_tip is None else {"f_tip": f_tip}
    rows, last = loop(given, **more)
    for every, workers in ((1, None), (7, -1)):
        rolled = call(given, every=every, workers=workers, **more)
        for name in ("q", "qd", "total"):
            assert_same(getattr(rolled.final, name), np.broadcast_to(last[name], getattr(rolled.final, name).shape))
        assert_same(rolled.rows.q, [q for q, _ in rows[::every]])
        assert_same(rolled.rows.tau, [tau for _, tau in rows[::every]])
    assert rolled.final.total.shape == BATCH


@pytest.mark.parametrize(("at_first", "every", "calls"), [(1, 4, 30), (5, 4, 27), (3, 8, 28), (12, 1, 19)])
def test_a_long_run_is_cut_without_a_trace(at_first: int, every: int, calls: int, monkeypatch: Any) -> None:
    given, seen = arguments(), []
    whole = call(given, every=every)
    monkeypatch.setattr(rollout_runs, "STEPS_AT_FIRST", at_first)
    monkeypatch.setattr(rollout_runs, "SECONDS_AT_ONCE", 0.0)  # then step by step
    pieces = call(given, every=every, report=seen.append)
    assert len(pieces.rows.q) == -(-STEPS // every)
    assert len(seen) == calls
    assert seen[-1] == 1.0
    for one, other in zip((*whole.final, *whole.rows), (*pieces.final, *pieces.rows), strict=True):
        np.testing.assert_array_equal(one, other)


def test_given_memory_is_filled() -> None:
    given = arguments()
    expected = call(given)
    q = np.full((STEPS, *BATCH, N), np.nan)
    rolled = call(given, out={"q": q})
    assert rolled.rows.q is q
    np.testing.assert_array_equal(q, expected.rows.q)


def test_float32() -> None:
    given = arguments()
    single = {name: np.asarray(a, np.float32) for name, a in given.items()}
    rolled, expected = call(single), call(given)
    assert {a.dtype for a in (*rolled.final, *rolled.rows)} == {np.dtype(np.float32)}
    np.testing.assert_allclose(rolled.final.q, expected.final.q, atol=1e-5)


def test_one_state_and_no_step() -> None:
    given = arguments()
    given |= {"q": given["q"][0, 0], "qd": given["qd"][0], "stiffness": np.ones(N), "link_6_on_axis.mass": 1.0}
    given["target"] = given["target"][:, 0]
    assert call(given).final.q.shape == (N,)
    still = ROLLOUT(**words(given) | {"target": np.zeros((0, N))}, steps=0)
    np.testing.assert_array_equal(still.final.q, given["q"])
    assert still.rows.q.shape == (0, N)


def differences(given: dict[str, Any], name: str, direction: np.ndarray) -> Any:
    """The derivative of the cost along a direction, by central differences of fourth order."""
    step = 1e-3 * np.abs(given[name]).max()

    def at(steps: float) -> Any:
        final = loop(given | {name: np.asarray(given[name]) + steps * step * direction})[1]
        return ROBOT.compile(cost)(final["total"], final["q"])

    return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)


@pytest.mark.short_run("7280")
@pytest.mark.parametrize("stored", [1 << 28, 10 * (2 * N + 1) * 8 * 7])
def test_gradients_are_those_of_the_loop(stored: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(rollout_runs, "STORED_BYTES", stored)
    given = arguments()
    names = ["q", "qd", "stiffness", "damping", "target", "gravity", "link_6_on_axis.mass", "h"]
    found = ROLLOUT.gradient(cost, names, **words(given), steps=STEPS)
    final = loop(given)[1]
    assert_same(found.cost, ROBOT.compile(cost)(final["total"], final["q"]))
    for name, gradient in zip(names, found[1:], strict=True):
        core = ROLLOUT._inputs.port(name).shape
        over_time = (STEPS, 1) if name == "target" else ()
        direction = RNG.uniform(-1.0, 1.0, (*over_time, *core))
        along = gradient * (direction[:, None] if over_time else direction)
        along = along.reshape(-1, *BATCH, *core).sum(axis=(0, *range(3, 3 + len(core))))
        np.testing.assert_allclose(along, differences(given, name, direction), rtol=1e-6, atol=1e-7)


def test_a_gradient_is_derived_once(monkeypatch: Any) -> None:
    given, derived = words(arguments()), []
    rollout = CompiledRollout(ROBOT, servo, over_time=["target"], parameters=["gravity", "link_6_on_axis.mass"])

    def counted(*arguments: Any) -> Any:
        derived.append(arguments)
        return adjoint_rollout(*arguments)

    monkeypatch.setattr(rollouts, "adjoint_rollout", counted)
    first, again = (rollout.gradient(cost, "damping", **given, steps=STEPS) for _ in range(2))
    np.testing.assert_array_equal(first.d_damping, again.d_damping)
    rollout.gradient(cost, ["damping", "h"], **given, steps=STEPS)
    assert len(derived) == 2
    assert rollout._cost_function.cache_info().misses == 1


@pytest.mark.slow
def test_gradients_in_float32() -> None:
    given = arguments()
    single = {name: np.asarray(a, np.float32) for name, a in words(given).items()}
    found = ROLLOUT.gradient(cost, ["damping", "target"], **single, steps=STEPS)
    expected = ROLLOUT.gradient(cost, ["damping", "target"], **words(given), steps=STEPS)
    assert {a.dtype for a in found} == {np.dtype(np.float32)}
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4 * np.abs(other).max())


@armdyn.function("(n)->()")
def effort(model: Any, tau: Any) -> Any:
    """A cost of what is no state."""
    return tau @ tau


@armdyn.function("(n)->(n)")
def distances(model: Any, q: Any) -> Any:
    """No scalar."""
    return q - 0.3


def test_costs_that_are_none() -> None:
    given = words(arguments())
    with pytest.raises(ShapeError, match=re.escape("distances gives (n); expected one scalar, ()")):
        ROLLOUT.gradient(distances, "q", **given, steps=STEPS)
    with pytest.raises(TraceError, match="is not a declared function"):
        ROLLOUT.gradient(lambda q: q @ q, "q", **given, steps=STEPS)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no state 'tau' in the final state of servo"):
        ROLLOUT.gradient(effort, "q", **given, steps=STEPS)


def complex_steps(given: dict[str, Any], directions: dict[str, Any]) -> dict[str, Any]:
    """The final state, and the rows, of the loop on complex numbers: rates are imaginary parts, without differences."""
    step = ROLLOUT._step.program(optional_inputs=given)
    names, results = [port.name for port in step.inputs], [port.name for port in step.outputs]
    now = {name: given[name] + 1e-100j * directions.get(name, 0.0) for name in names if name != "target"}
    swings = directions.get("target", np.zeros_like(given["target"]))
    rows: dict[str, list[Any]] = {"q": [], "tau": []}
    for k in range(STEPS):
        now["target"] = given["target"][k] + 1e-100j * swings[k]
        found = dict(zip(results, interpret(step, *(now[name] for name in names), dtype=complex), strict=True))
        rows["q"].append(np.broadcast_to(now["q"], found["q"].shape))
        rows["tau"].append(found["tau"])
        now |= {name: found[name] for name in ("q", "qd", "total")}
    return {f"final.{name}": now[name] for name in ("q", "qd", "total")} | rows


@pytest.mark.short_run("names3")
@pytest.mark.parametrize(
    "names", [["q"], ["target", "qd"], ["link_6_on_axis.mass", "stiffness", "gravity", "h"], ["f_tip", "total"]]
)
def test_rates_along_tangents_are_those_of_a_complex_step(names: list[str]) -> None:
    given, shapes = arguments(), {"link_6_on_axis.mass": BATCH, "total": (7, 1, 1), "target": (STEPS, *BATCH, N)}
    if "f_tip" in names:
        given["f_tip"] = np.array([0.1, 0.2, 0.3, -1.0, 2.0, 3.0])
    directions = {name: RNG.uniform(-1.0, 1.0, shapes.get(name, np.shape(given[name]))) for name in names}
    product, tangents = ROLLOUT.jvp(*names), {f"tangent_{name}": a for name, a in directions.items()}
    rolled = product(**words(given), **words(tangents), steps=STEPS, every=4, workers=-1)
    expected = complex_steps(given, directions)
    for name, one in expected.items():
        found = getattr(rolled.final if name.startswith("final.") else rolled.rows, name.removeprefix("final."))
        wanted = np.imag(one if name.startswith("final.") else np.array(one)[::4]) * 1e100
        np.testing.assert_allclose(
            found, np.broadcast_to(wanted, found.shape), rtol=1e-12, atol=1e-13 * np.abs(wanted).max()
        )


@pytest.mark.slow
def test_rates_along_tangents_are_dual_to_gradients() -> None:
    given, names = arguments(), ["q", "qd", "damping", "target", "gravity", "h"]
    directions = {name: RNG.uniform(-1.0, 1.0, np.shape(given[name])) for name in names}
    gradient = ROLLOUT.gradient(cost, names, **words(given), steps=STEPS)
    tangents = {f"tangent_{name}": direction for name, direction in directions.items()}
    rates, final = ROLLOUT.jvp(*names)(**words(given), **tangents, steps=STEPS).final, call(given).final
    along = rates.total + (2.0 * (final.q - 0.3) * rates.q).sum(-1)
    directions["target"] = directions["target"][:, None]  # an axis for the first one of the batch
    terms = [getattr(gradient, f"d_{name}") * directions[name] for name in names]
    terms = [term.reshape(-1, *BATCH, ROLLOUT._inputs.port(n).size) for term, n in zip(terms, names, strict=True)]
    np.testing.assert_allclose(sum(term.sum(axis=(0, 3)) for term in terms), along, rtol=1e-12)


def test_all_tangents_and_the_whole_jacobian() -> None:
    given = arguments()
    one = given | {"q": given["q"][0, 0], "qd": given["qd"][0], "stiffness": np.ones(N), "link_6_on_axis.mass": 1.0}
    one["target"] = one["target"][:, 0]
    jacobian = ROLLOUT.jvp("q")(**words(one), tangent_q=np.eye(N), steps=STEPS).final.q
    direction = RNG.uniform(-1.0, 1.0, N)
    zeros = {f"tangent_{name}": np.zeros_like(one[name]) for name in ("qd", "total", "target", "stiffness", "damping")}
    every = ROLLOUT.jvp()
    assert every.wrt == ("q", "qd", "total", "target", "stiffness", "damping", "h")
    along = every(**words(one), **zeros, tangent_h=0.0, tangent_q=direction, steps=STEPS).final.q
    np.testing.assert_allclose(along, direction @ jacobian, rtol=1e-12)


def test_rates_are_recorded_in_given_memory_and_in_float32() -> None:
    given = arguments()
    single = {name: np.asarray(a, np.float32) for name, a in words(given).items()}
    q = np.full((STEPS, *BATCH, N), np.nan, np.float32)
    ones = np.ones(N, np.float32)
    rolled = ROLLOUT.jvp("damping")(**single, tangent_damping=ones, steps=STEPS, out={"q": q})
    expected = ROLLOUT.jvp("damping")(**words(given), tangent_damping=np.ones(N), steps=STEPS)
    assert rolled.rows.q is q
    assert {a.dtype for a in (*rolled.final, *rolled.rows)} == {np.dtype(np.float32)}
    np.testing.assert_allclose(q, expected.rows.q, atol=1e-4 * np.abs(expected.rows.q).max())


def test_a_product_is_derived_once_and_has_a_program() -> None:
    product = ROLLOUT.jvp("damping")
    assert ROLLOUT.jvp("damping") is product
    assert [port.name for port in product.program().state] == ["q", "qd", "total", *(f"tangent_{n}" for n in STATE)]
    assert product.op_counts.arithmetic > ROLLOUT.op_counts.arithmetic


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"tangent_q": np.zeros(5)}, ShapeError, "tangent_q has shape (5,); expected (..., 6), one value per joint"),
        ({"tangent_target": np.zeros((29, N))}, ShapeError, "shape (29, 6); expected (steps, ..., 6), a row for each"),
        ({"tangent_target": np.zeros(N)}, ShapeError, "tangent_target has shape (6,); expected (steps, ..., 6)"),
        ({"tangent_q": ["a"] * N}, DTypeError, "tangent_q holds text"),
        ({"tangent_q": np.zeros((3, 1, N))}, ShapeError, "do not broadcast together"),
        ({"tangent_q": None}, TypeError, "servo_jvp_q_target() misses tangent_q"),
        ({"tangent_qd": np.zeros(N)}, UnknownName, "no argument 'tangent_qd' in servo_jvp_q_target"),
    ],
)
def test_tangents_that_do_not_fit_are_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    tangents = {"tangent_q": np.zeros(N), "tangent_target": np.zeros((STEPS, N))} | change
    with pytest.raises(error, match=re.escape(message)):
        ROLLOUT.jvp("q", "target")(**words(arguments()), **tangents, steps=STEPS)


def test_names_that_nothing_changes_by() -> None:
    with pytest.raises(UnknownName, match="no argument 'kd' in servo"):
        ROLLOUT.jvp("q", "kd")
    with pytest.raises(UnknownName, match="no argument 3 in servo"):
        ROLLOUT.jvp(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="servo: q, q are differentiated by; name each of them once"):
        ROLLOUT.jvp("q", "q")
    with pytest.raises(TypeError, match="servo: q, q are differentiated by; name each of them once"):
        ROLLOUT.gradient(cost, ["q", "q"], **words(arguments()), steps=STEPS)
    with pytest.raises(TypeError, match="servo: q, q are recorded; name each of them once"):
        CompiledRollout(ROBOT, servo, record=["q", "q"])
    with pytest.raises(TypeError, match=r"servo_jvp_f_tip\(\) misses f_tip"):
        ROLLOUT.jvp("f_tip")(**words(arguments()), tangent_f_tip=np.zeros(6), steps=STEPS)


class Summed(NamedTuple):
    """An error that is summed up, weighted, in a state that is called as an adjoint's sum of gradients."""

    q: Any
    sum_error: Any


@armdyn.function("(n),(),(n)->(n),()", result=Summed)
def summed(model: Any, q: Any, sum_error: Any, error: Any) -> Any:
    """A state nearer to zero, and a sum."""
    return Summed(0.5 * q + error, sum_error + q @ error)


@armdyn.function("()->()")
def of_sum(model: Any, sum_error: Any) -> Any:
    """What was summed up."""
    return sum_error


def test_names_as_an_adjoint_has() -> None:
    rollout, error = CompiledRollout(ROBOT, summed), np.arange(6.0)
    q, q0 = [np.ones(N)], np.ones(N)
    for _ in range(3):
        q.append(0.5 * q[-1] + error)
    assert rollout(q0, 0.0, error, steps=3).final.sum_error == pytest.approx(sum(q[:3]) @ error, rel=1e-15)
    found = rollout.gradient(of_sum, "q", q0, 0.0, error, steps=3)
    np.testing.assert_allclose(found.d_q, 1.75 * error, rtol=1e-15)
    with pytest.raises(TraceError, match="summed has an input 'sum_error', as its adjoint has; rename it"):
        rollout.gradient(of_sum, "error", q0, 0.0, error, steps=3)


def test_a_step_without_names_is_refused() -> None:
    @armdyn.function("(n)->(n)")
    def nameless(model: Any, q: Any) -> Any:
        return q

    with pytest.raises(UnknownName, match="nameless carries nothing from step to step"):
        CompiledRollout(ROBOT, nameless)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"q": np.zeros(5)}, ShapeError, "q has shape (5,); expected (..., 6)"),
        ({"target": np.zeros((STEPS - 1, N))}, ShapeError, "target has shape (29, 6); expected (steps, ..., 6)"),
        ({"target": np.zeros(N)}, ShapeError, "target has shape (6,); expected (steps, ..., 6), a row for each of 30"),
        ({"target": np.zeros((STEPS, 5))}, ShapeError, "30 steps, one value per joint of 'stanford': joint_1 ..."),
        ({"target": [[1.0, 2.0], [3.0]]}, ShapeError, "target is ragged"),
        ({"target": np.zeros((STEPS, N), complex)}, DTypeError, "target holds complex numbers"),
        ({"qd": ["a"] * 6}, DTypeError, "qd holds text"),
        ({"stiffness": np.ones((3, 1, N))}, ShapeError, "do not broadcast together"),
        ({"gain": 1.0}, UnknownName, "no argument 'gain' in servo"),
        ({"out": {"qd": np.zeros(3)}}, UnknownName, "no recorded array 'qd' in servo"),
        ({"out": {"q": np.zeros((3, N))}}, ShapeError, "out['q'] has shape (3, 6); expected (30, 2, 5, 6)"),
        ({"out": {"q": np.zeros((STEPS, *BATCH, N), int)}}, DTypeError, "out['q'] cannot be written to"),
        ({"every": 0}, ShapeError, "every is 0; expected a whole number of at least 1"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call(arguments() | change)


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="no input 'q' in servo"):
        CompiledRollout(ROBOT, servo, over_time=["q"])
    with pytest.raises(UnknownName, match="no state or result 'h' in servo"):
        CompiledRollout(ROBOT, servo, record=["h"])
    with pytest.raises(UnknownName, match="no argument 'kd' in servo"):
        ROLLOUT.gradient(cost, "kd", **words(arguments()), steps=STEPS)


class Counted(NamedTuple):
    """A state whose length the model decides."""

    places: Any


SIZED: list[str] = []
"""The robots whose lengths have been asked for."""


def places_of(model: Any) -> int:
    SIZED.append(model.name)
    return 2


@armdyn.function("(places),()->(places)", result=Counted, sizes={"places": places_of})
def aged(model: Any, places: Any, h: Any) -> Any:
    return Counted(places + h)


def test_lengths_that_the_model_decides_are_asked_for_once() -> None:
    """Those of laws of friction take a millisecond, longer than a short run does."""
    rollout = CompiledRollout(armdyn.load("planar_2r"), aged)
    rollout([1.0, 2.0], 0.5, steps=1)
    asked = len(SIZED)
    assert asked
    np.testing.assert_array_equal(rollout([1.0, 2.0], 0.5, steps=3).final.places, [2.5, 3.5])
    assert len(SIZED) == asked
