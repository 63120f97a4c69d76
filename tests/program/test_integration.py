"""Compiled integrations beside closed forms, SciPy's solvers and themselves."""

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.integrate

from armdyn.base.errors import TraceError, UnknownName
from armdyn.functions.integrations import polynomial
from armdyn.program import (
    DORMAND_PRINCE_54,
    DORMAND_PRINCE_853,
    EmbeddedPair,
    Integration,
    Port,
    less,
    maximum,
    select,
    trace,
)
from armdyn.program.fixed_formulas import FIXED_FORMULAS
from armdyn.program.integration import FINISHED, LIMITS, LOCATED, PROGRESS, RUNNING, TOO_SHORT, WATCHED
from armdyn.simulation.methods import formulas
from armdyn.targets.gufunc import GufuncInterface
from armdyn.targets.interpreted_integration import InterpretedIntegration
from armdyn.targets.kernels import kernel_of
from armdyn.targets.llvm.integration_step import SAFETY

FORMULAS = (
    formulas.euler,
    formulas.semi_implicit_euler,
    formulas.constant_acceleration,
    formulas.constant_acceleration_as_printed,
    formulas.heun,
    formulas.runge_kutta_4,
)

PAIRS = [DORMAND_PRINCE_54, DORMAND_PRINCE_853]
TIMES = np.linspace(0.0, 6.0, 41)
T, H, ROW, REJECTED, STATUS, STEPS, EVALUATIONS, *_ = range(len(PROGRESS))


@pytest.fixture(autouse=True)
def _safety_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy's solvers choose their steps with the safety factor of the compiled loop."""
    monkeypatch.setattr(sys.modules[scipy.integrate.DOP853.__module__], "SAFETY", SAFETY)


def pendulum(t: Any, x: Any, v: Any, a: Any) -> tuple[Any, ...]:
    """A driven double well: x'' = -sin(x_k) - a x_other + cos(t); and the work of the drive."""
    drive = np.array([np.cos(t), 0.0 * t])
    return 1.0 * v, -np.sin(x) - a * x[::-1] + drive, drive @ v


def integration(pair: EmbeddedPair) -> Integration:
    ports = [Port("t", ()), Port("x", (2,)), Port("v", (2,)), Port("a", ())]
    rates = trace(pendulum, ports, ["xd", "vd", "power"], name="pendulum")
    return Integration(rates, [("x", "xd"), ("v", "vd"), ("work", "power")], pair, time="t")


def run(
    function: Any,
    made: Integration,
    start: np.ndarray,
    *,
    calls: int = 1,
    attempts: int = 10_000,
    pieces: bool = False,
    step: float = 0.0,
) -> dict[str, np.ndarray]:
    """The samples (states, times, 5), progress and polynomials of states that start from x, v at t = 0."""
    count = len(start)
    samples = [np.full((count, len(TIMES), *shape), np.nan) for shape in ((2,), (2,), ())]
    kept = np.zeros((count, attempts if pieces else 1, made.piece_size))
    progress, state = np.zeros((count, len(PROGRESS))), [start[:, :2].copy(), start[:, 2:4].copy(), np.zeros(count)]
    progress[:, ROW] = 1
    limits = {
        "end": TIMES[-1],
        "rtol": 1e-9,
        "atol": 1e-9,
        "attempts": attempts,
        "times": len(TIMES),
        "pieces": pieces,
        "watches": False,
        "step": step,
        "corrects": False,
    }
    for _ in range(calls):
        moved, after = np.empty_like(progress), [np.empty_like(part) for part in state]
        function(
            np.array([float(limits[name]) for name in LIMITS]),
            progress,
            *state,
            start[:, 4],
            TIMES,
            out=(moved, *after, *samples, kept),
        )
        progress, state = moved, after
    rows = np.concatenate([samples[0], samples[1], samples[2][..., None]], axis=-1)
    return {"rows": rows, "progress": progress, "final": np.column_stack(state), "pieces": kept}


def states(count: int) -> np.ndarray:
    """x, v and a of each."""
    return np.random.default_rng(5).uniform(-1.0, 1.0, (count, 5)) * [1.5, 1.5, 1.5, 1.5, 0.3]


def solved(pair: EmbeddedPair, start: np.ndarray) -> tuple[np.ndarray, int]:
    """The samples and the number of steps of SciPy's solver."""

    def f(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([np.ravel(part) for part in pendulum(t, y[:2], y[2:4], start[4])])

    options: dict[str, Any] = {"t_eval": TIMES, "rtol": 1e-9, "atol": 1e-9, "dense_output": True}
    found = scipy.integrate.solve_ivp(f, (0.0, TIMES[-1]), [*start[:4], 0.0], method=pair.name, **options)
    return found.y.T, len(found.sol.interpolants)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_steps_and_states_are_those_of_scipy(pair: EmbeddedPair) -> None:
    """11 states: more than a vector has lanes, and no multiple of it. Their steps have lengths of their own."""
    made, start = integration(pair), states(11)
    found = run(kernel_of(made, cache=False).for_float64, made, start)
    assert (found["progress"][:, STATUS] == FINISHED).all()
    assert (found["progress"][:, T] == TIMES[-1]).all()
    assert (found["progress"][:, ROW] == len(TIMES)).all()
    for k, one in enumerate(start):
        expected, steps = solved(pair, one)
        np.testing.assert_allclose(found["rows"][k, 1:], expected[1:], rtol=0, atol=1e-12)
        assert found["progress"][k, STEPS] == steps
    assert len(set(found["progress"][:, STEPS])) > 1


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_state_alone_and_step_by_step_is_the_state_in_a_batch(pair: EmbeddedPair) -> None:
    """To the last bit: lanes do not bear on each other, and a call goes on where the last one ended."""
    made, start = integration(pair), states(11)
    function = kernel_of(made, cache=False).for_float64
    whole = run(function, made, start)
    most = int(whole["progress"][:, STEPS].max()) * 2
    in_pieces = run(function, made, start, calls=most, attempts=1)
    alone = [run(function, made, start[k : k + 1]) for k in range(len(start))]
    for name in ("rows", "final"):
        np.testing.assert_array_equal(in_pieces[name], whole[name])
        np.testing.assert_array_equal(np.concatenate([one[name] for one in alone]), whole[name])


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_polynomials_of_steps(pair: EmbeddedPair, interpreted: bool) -> None:
    """They give the state at every saved time; between two steps they meet."""
    made, start = integration(pair), states(3)
    function = kernel_of(made, cache=False).for_float64
    if interpreted:
        function = InterpretedIntegration(lambda: made, GufuncInterface.of(made))
    found = run(function, made, start, pieces=True, attempts=400)
    for rows, pieces in zip(found["rows"], found["pieces"], strict=True):
        steps = pieces[pieces[:, 1] > 0.0]
        ends = steps[:, 0] + steps[:, 1]
        for t, expected in zip(TIMES[1:], rows[1:], strict=True):
            at = polynomial(steps[np.searchsorted(ends, t - 1e-12)], pair)
            np.testing.assert_allclose(at(t), expected, rtol=0, atol=1e-14)
        for before, after in pairwise(steps):
            t = after[0]
            np.testing.assert_allclose(polynomial(before, pair)(t), polynomial(after, pair)(t), rtol=0, atol=1e-13)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_interpreter_in_its_place(pair: EmbeddedPair) -> None:
    made, start = integration(pair), states(2)
    compiled = run(kernel_of(made, cache=False).for_float64, made, start, pieces=True, attempts=400)
    slower = run(InterpretedIntegration(lambda: made, GufuncInterface.of(made)), made, start, pieces=True, attempts=400)
    for name in ("rows", "final"):
        np.testing.assert_allclose(compiled[name], slower[name], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(compiled["progress"][:, [T, ROW, STATUS, STEPS]], slower["progress"][:, [0, 2, 4, 5]])


def test_a_state_that_diverges_leaves_the_others_alone() -> None:
    """x' = x^2 is infinite at t = 1/x_0: steps become too short there. NaN fails at once."""
    rates = trace(lambda x: x * x, [Port("x", ())], ["xd"], name="square")
    made = Integration(rates, [("x", "xd")], DORMAND_PRINCE_853)
    x = np.array([0.5, 1.0, np.nan, -3.0, 0.1])
    progress, times = np.zeros((5, len(PROGRESS))), np.array([0.0, 0.9, 1.5])
    progress[:, ROW] = 1
    moved, final, rows = np.empty_like(progress), np.empty(5), np.full((5, 3), np.nan)
    limits = np.array([1.5, 1e-10, 1e-10, 10_000, 3, 0.0, 0.0, 0.0, 0.0])
    kernel_of(made, cache=False).for_float64(
        limits, progress, x, times, out=(moved, final, rows, np.empty((5, 1, made.piece_size)))
    )
    assert moved[:, STATUS].tolist() == [FINISHED, TOO_SHORT, TOO_SHORT, FINISHED, FINISHED]
    fine = [0, 3, 4]
    np.testing.assert_allclose(final[fine], x[fine] / (1.0 - 1.5 * x[fine]), rtol=1e-8)
    np.testing.assert_allclose(rows[1, 1], 10.0, rtol=1e-7)
    assert np.isnan(rows[1, 2])
    assert abs(moved[1, T] - 1.0) < 1e-9


def test_attempts_end_a_call() -> None:
    made = integration(DORMAND_PRINCE_54)
    found = run(kernel_of(made, cache=False).for_float64, made, states(3), attempts=7)
    assert (found["progress"][:, STATUS] == RUNNING).all()
    assert (found["progress"][:, STEPS] <= 7).all()
    assert (found["progress"][:, T] < TIMES[-1]).all()


def test_what_an_integration_requires() -> None:
    rates = trace(lambda x: (x, x[:1]), [Port("x", (2,))], ["xd", "first"])
    with pytest.raises(UnknownName, match="no result 'xdd'"):
        Integration(rates, [("x", "xdd")], DORMAND_PRINCE_54)
    with pytest.raises(TraceError, match=r"result 'first' of shape \(1,\) cannot be the rate of input 'x'"):
        Integration(rates, [("x", "first")], DORMAND_PRINCE_54)
    with pytest.raises(UnknownName, match="no input 't'"):
        Integration(rates, [("x", "xd")], DORMAND_PRINCE_54, time="t")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_order_conditions(pair: EmbeddedPair) -> None:
    """Rows sum to their nodes; quadratures sum_j b_j c_j^k = 1 / (k + 1) up to the order; errors of constants are 0."""
    for weights, node in zip((*pair.stages, *pair.extra), pair.nodes[1:], strict=True):
        assert abs(sum(weights.values()) - node) < 1e-14
    order = {"RK45": 5, "DOP853": 8}[pair.name]
    for k in range(order):
        total = sum(b * pair.nodes[j] ** k for j, b in pair.stages[-1].items())
        assert abs(total - 1.0 / (k + 1)) < 1e-14
    for weights in pair.errors:
        assert abs(sum(weights.values())) < 1e-13


def watching(pair: EmbeddedPair) -> Integration:
    """x'' = -k^2 x, of which v + c is watched with its rate, and x without."""

    def rates(x: Any, v: Any, k: Any, c: Any) -> tuple[Any, ...]:
        return 1.0 * v, -k * k * x, np.array([v + c, x]), np.array([-k * k * x, 0.0 * x])

    program = trace(rates, [Port(name, ()) for name in "xvkc"], ["xd", "vd", "seen", "rate"], name="swings")
    return Integration(program, [("x", "xd"), ("v", "vd")], pair, watched="seen", slopes="rate")


def watched(function: Any, made: Integration, k: np.ndarray, c: float, watches: float, end: float = 3.0) -> Any:
    """Progress, x and v of motions that start at x = 0, v = k."""
    n = len(k)
    progress, moved = np.zeros((n, len(PROGRESS))), np.empty((n, len(PROGRESS)))
    x, v, rows = np.empty(n), np.empty(n), np.full((n, 2), np.nan)
    limits = np.array([end, 1e-11, 1e-11, 1000, 2, 0.0, watches, 0.0, 0.0])
    progress[:, ROW] = 1
    times = np.array([0.0, 0.1])
    out = (moved, x, v, rows, rows.copy(), np.empty((n, 1, made.piece_size)))
    function(limits, progress, np.zeros(n), 1.0 * k, k, np.full(n, c), times, out=out)
    return moved, x, v, rows


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_first_zero_of_a_watched_result_is_located_in_each_lane(pair: EmbeddedPair) -> None:
    """x = sin(k t) is zero at t = pi/k, 13 states; without watching the end is reached."""
    made, k = watching(pair), np.linspace(1.1, 4.0, 13)
    function = kernel_of(made, cache=False).for_float64
    moved, x, v, rows = watched(function, made, k, 10.0, 1.0)
    assert (moved[:, STATUS] == LOCATED).all()
    assert (moved[:, PROGRESS.index("which")] == 1.0).all()
    np.testing.assert_allclose(moved[:, T], np.pi / k, rtol=0, atol=2e-10 if pair.name == "RK45" else 2e-11)
    np.testing.assert_allclose(x, 0.0, rtol=0, atol=1e-14)
    assert (x >= 0.0).all()
    np.testing.assert_allclose(v, -k, rtol=1e-9)
    np.testing.assert_allclose(rows[:, 1], np.sin(0.1 * k), rtol=0, atol=1e-9)
    moved, *_ = watched(function, made, k, 10.0, 0.0)
    assert (moved[:, STATUS] == FINISHED).all()


def test_the_error_of_a_time_is_that_of_a_step() -> None:
    """With x = t - 1 of a straight line, the time is right to rounding."""
    program = trace(lambda x: (1.0 + 0.0 * x, 1.0 - x), [Port("x", ())], ["xd", "seen"], name="line")
    made = Integration(program, [("x", "xd")], DORMAND_PRINCE_853, watched="seen")
    progress, moved, x = np.zeros((1, len(PROGRESS))), np.empty((1, len(PROGRESS))), np.empty(1)
    limits = np.array([3.0, 1e-10, 1e-10, 1000, 0, 0.0, 1.0, 0.0, 0.0])
    out = (moved, x, np.empty((1, 0)), np.empty((1, 1, made.piece_size)))
    kernel_of(made, cache=False).for_float64(limits, progress, np.array([1.0 / 3.0]), np.zeros(0), out=out)
    assert moved[0, STATUS] == LOCATED
    assert abs(moved[0, T] - 2.0 / 3.0) < 2e-15


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_result_that_may_dip_within_a_step_stops_before_it(pair: EmbeddedPair) -> None:
    """v + c, v = k cos(k t) and c = k - 1e-12, dips below zero by 1e-12; by 1e-3 the zero is located."""
    made, k = watching(pair), np.array([1.5])
    function = kernel_of(made, cache=False).for_float64
    moved, *_ = watched(function, made, k, 1.5 - 1e-12, 1.0)
    assert moved[0, STATUS] in (WATCHED, LOCATED)
    assert moved[0, T] < np.pi / 1.5
    moved, *_ = watched(function, made, k, 1.4, 1.0)
    assert moved[0, STATUS] == LOCATED
    assert abs(moved[0, T] - np.arccos(-1.4 / 1.5) / 1.5) < 1e-9


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_interpreter_stops_before_a_step_in_which_a_watched_result_falls_below_zero(pair: EmbeddedPair) -> None:
    made = watching(pair)
    moved, *_ = watched(
        InterpretedIntegration(lambda: made, GufuncInterface.of(made)), made, np.array([2.0]), 10.0, 1.0
    )
    t, h = moved[0, T], moved[0, H]
    assert moved[0, STATUS] == WATCHED
    assert t < np.pi / 2 <= t + h


def oscillator(t: Any, q: Any, qd: Any, a: Any) -> tuple[Any, ...]:
    """The pendulum, with the names of positions and velocities that fixed formulas know."""
    return pendulum(t, q, qd, a)


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.__name__)
def test_fixed_formulas_make_the_steps_of_their_definitions(formula: Any, interpreted: bool) -> None:
    """Steps of 0.1 s, of which every third ends at a saved time after 0.15 s, 0.3 s, ...; the last is shorter."""
    ports = [Port("t", ()), Port("q", (2,)), Port("qd", (2,)), Port("a", ())]
    rates = trace(oscillator, ports, ["xd", "vd", "power"], name="oscillator")
    fixed = FIXED_FORMULAS[formula.__name__]
    made = Integration(rates, [("q", "xd"), ("qd", "vd"), ("work", "power")], fixed, time="t")
    function = kernel_of(made, cache=False).for_float64
    if interpreted:
        function = InterpretedIntegration(lambda: made, GufuncInterface.of(made))
    start, step = states(9), 0.11
    found = run(function, made, start, step=step)
    assert (found["progress"][:, STATUS] == FINISHED).all()
    assert (found["progress"][:, STEPS] == np.ceil(TIMES[-1] / step)).all()
    for one, rows, final in zip(start, found["rows"], found["final"], strict=True):
        f = lambda t, q, qd, a=one[4]: pendulum(t, q, qd, a)[1:]  # noqa: E731
        state, known = (one[:2], one[2:4], 0.0), [np.array([*one[:4], 0.0])]
        ends = np.append(np.arange(0.0, TIMES[-1], step), TIMES[-1])
        for t, later in pairwise(ends):
            state = formula(f, f(t, *state[:2]), t, state, later - t)
            known.append(np.array([*state[0], *state[1], state[2]]))
        np.testing.assert_allclose(final, known[-1], rtol=0, atol=1e-12)
        between = np.array([np.interp(TIMES, ends, values) for values in np.transpose(known)]).T
        np.testing.assert_allclose(rows[1:], between[1:], rtol=0, atol=1e-12)


def test_a_fixed_step_that_leaves_the_finite_numbers_is_the_last() -> None:
    rates = trace(lambda q: q * q, [Port("q", ())], ["rate"])
    made = Integration(rates, [("q", "rate")], FIXED_FORMULAS["runge_kutta_4"])
    progress, start = np.zeros((2, len(PROGRESS))), np.array([1.0, 0.1])
    progress[:, ROW] = 1
    limits = [{"end": 5.0, "attempts": 1000.0, "step": 0.01}.get(name, 0.0) for name in LIMITS]
    out = np.empty_like(progress), np.empty(2), np.full((2, 1), np.nan), np.zeros((2, 1, made.piece_size))
    kernel_of(made, cache=False).for_float64(np.array(limits), progress, start, np.zeros(1), out=out)
    assert (out[0][:, STATUS] == [TOO_SHORT, FINISHED]).all()
    assert 1.0 < out[0][0, T] < 1.1
    np.testing.assert_allclose(out[1][1], 0.1 / (1.0 - 0.5), rtol=1e-9)


def bead(q: Any, qd: Any, most: Any, far: Any, correcting: Any) -> tuple[Any, ...]:
    """A bead on the unit circle under gravity, put onto it after each step; ``most`` is the largest drift from it."""
    length = np.sqrt(q @ q)
    drift = abs(length - 1.0)
    on = np.array([select(correcting, one / length, one) for one in q])
    on_qd = np.array([select(correcting, one - (on @ qd) * n, one) for one, n in zip(qd, on, strict=True)])
    known = np.sqrt(select(less(drift, far), 1.0, -1.0))  # NaN beyond
    push = -(on_qd @ on_qd - 9.81 * on[1]) / (on @ on)
    qdd = push * on - np.array([0.0, 9.81])
    return 1.0 * on_qd, qdd, select(correcting, known, 1.0) * on, on_qd, maximum(most, drift)


def beads(pair: EmbeddedPair) -> Integration:
    ports = [Port("q", (2,)), Port("qd", (2,)), Port("most", ()), Port("far", ()), Port("correcting", ())]
    rates = trace(bead, ports, ["d_q", "d_qd", "on_q", "on_qd", "on_most"], name="bead")
    state = [("q", "d_q"), ("qd", "d_qd"), ("most", None)]
    on = [("q", "on_q"), ("qd", "on_qd"), ("most", "on_most")]
    return Integration(rates, state, pair, corrections=on, correcting="correcting")


@pytest.mark.short_run("RK45-interpreted", "DOP853-compiled")
@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_state_is_corrected_after_each_step(pair: EmbeddedPair, interpreted: bool) -> None:
    """Steps are those of SciPy's solver whose state is replaced; a lane without corrections drifts, and one fails."""
    made = beads(pair)
    assert (made.size, made.measured_size) == (5, 4)
    function = (
        InterpretedIntegration(lambda: made, GufuncInterface.of(made)) if interpreted else kernel_of(made, cache=False)
    )
    function = function if interpreted else function.for_float64  # type: ignore[union-attr]
    angles, far = np.array([0.3, -1.0, 2.0]), np.array([1.0, 1.0, 1e-12])
    q, qd = np.array([np.sin(angles), -np.cos(angles)]).T, np.zeros((3, 2))
    limits = np.zeros((3, len(LIMITS)))
    corrects = np.array([1.0, 0.0, 1.0])
    given = {"end": 5.0, "rtol": 1e-8, "atol": 1e-8, "attempts": 1e5, "times": 3.0, "corrects": corrects}
    for name, value in given.items():
        limits[:, LIMITS.index(name)] = value
    times, progress = np.array([0.0, 1.3, 4.9]), np.zeros((3, len(PROGRESS)))
    progress[:, ROW] = 1
    rows = [np.full((3, 3, 2), np.nan), np.full((3, 3, 2), np.nan), np.full((3, 3), np.nan)]
    moved, *final = np.empty_like(progress), np.empty((3, 2)), np.empty((3, 2)), np.empty(3)
    pieces = np.empty((3, 1, made.piece_size))
    function(limits, progress, q, qd, np.zeros(3), far, times, out=(moved, *final, *rows, pieces))
    assert moved[:, STATUS].tolist() == [FINISHED, FINISHED, TOO_SHORT]
    assert moved[2, T] < 1.0
    assert abs(np.linalg.norm(final[0][2]) - 1.0) < 1e-15
    for k in range(2):
        f = lambda t, y, on=0.0: np.concatenate(bead(y[:2], y[2:], 0.0, 1.0, on)[:2])  # noqa: E731
        solver = getattr(scipy.integrate, pair.name)(f, 0.0, [*q[k], *qd[k]], 5.0, rtol=1e-8, atol=1e-8)
        steps, most = 0, 0.0
        while solver.status == "running":
            solver.step()
            steps, between = steps + 1, solver.dense_output()
            for row, t in enumerate(times):
                if solver.t_old < t <= solver.t:
                    found = [*rows[0][k, row], *rows[1][k, row]]
                    np.testing.assert_allclose(found, between(t), rtol=0, atol=1e-12)
            if corrects[k]:
                most = max(most, abs(np.linalg.norm(solver.y[:2]) - 1.0))
                solver.y[:2] /= np.linalg.norm(solver.y[:2])
                solver.y[2:] -= (solver.y[:2] @ solver.y[2:]) * solver.y[:2]
                solver.f = f(solver.t, solver.y)
        assert moved[k, STEPS] == steps
        np.testing.assert_allclose([*final[0][k], *final[1][k]], solver.y, rtol=0, atol=1e-12)
        np.testing.assert_allclose(final[2][k], most, rtol=1e-5, atol=1e-15)
    assert abs(np.linalg.norm(final[0], axis=1) - 1.0)[0] < 1e-15


def test_corrections_of_steps_of_one_length() -> None:
    """The steps of the formula, each put onto the circle; the largest drift saved after a step is that until then."""
    made, h, angle = beads(FIXED_FORMULAS["runge_kutta_4"]), 0.05, 0.7
    limits = np.array([{"end": 1.0, "step": h, "attempts": 99.0, "times": 21.0}.get(name, 0.0) for name in LIMITS])
    limits[LIMITS.index("corrects")] = 1.0
    times, progress, start = (
        h * np.arange(21),
        np.zeros((1, len(PROGRESS))),
        np.array([[np.sin(angle), -np.cos(angle)]]),
    )
    progress[:, ROW] = 1
    f = lambda t, q, qd: (bead(q, qd, 0.0, 1.0, 0.0)[1], 0.0)  # noqa: E731
    q, qd, known, most = start[0], np.zeros(2), [np.zeros(5)], 0.0
    for t in times[:-1]:
        q, qd, _ = formulas.runge_kutta_4(f, f(t, q, qd), t, (q, qd, 0.0), h)
        most = max(most, abs(np.linalg.norm(q) - 1.0))
        q = q / np.linalg.norm(q)
        qd = qd - (q @ qd) * q
        known.append(np.array([*q, *qd, most]))
    for function in (
        kernel_of(made, cache=False).for_float64,
        InterpretedIntegration(lambda: made, GufuncInterface.of(made)),
    ):
        rows = [np.full((1, 21, 2), np.nan), np.full((1, 21, 2), np.nan), np.full((1, 21), np.nan)]
        moved, *final = np.empty_like(progress), np.empty((1, 2)), np.empty((1, 2)), np.empty(1)
        pieces = np.empty((1, 1, made.piece_size))
        function(
            limits,
            progress,
            start,
            np.zeros((1, 2)),
            np.zeros(1),
            np.ones(1),
            times,
            out=(moved, *final, *rows, pieces),
        )
        assert moved[0, STATUS] == FINISHED
        np.testing.assert_allclose([*final[0][0], *final[1][0], *final[2]], known[-1], rtol=0, atol=1e-14)
        np.testing.assert_allclose(rows[2][0, 1:], np.array(known)[1:, 4], rtol=0, atol=1e-14)


def test_what_a_correction_requires() -> None:
    rates = trace(lambda x, c: (x, x[:1] + c), [Port("x", (2,)), Port("c", ())], ["xd", "first"])
    with pytest.raises(TraceError, match=r"result 'first' of shape \(1,\) cannot be the corrected value of input 'x'"):
        Integration(rates, [("x", "xd")], DORMAND_PRINCE_54, corrections=[("x", "first")], correcting="c")
    with pytest.raises(UnknownName, match="no input 'is_end'"):
        Integration(rates, [("x", "xd")], DORMAND_PRINCE_54, corrections=[("x", "xd")], correcting="is_end")
    with pytest.raises(UnknownName, match="no part of the state 'v'"):
        Integration(rates, [("x", "xd")], DORMAND_PRINCE_54, corrections=[("v", "xd")], correcting="c")
    with pytest.raises(UnknownName, match="no input 'most'"):
        Integration(rates, [("x", "xd"), ("most", None)], DORMAND_PRINCE_54)
