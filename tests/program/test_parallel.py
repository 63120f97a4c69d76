"""A batch in pieces by several threads: every state computed once, as one thread would, whatever the layout."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from armdyn.program import Port, trace
from armdyn.targets import compile_program, parallel
from armdyn.targets.gufunc import GufuncInterface, Loop
from armdyn.targets.interpreted import InterpretedFunction
from armdyn.targets.llvm.streaming import STREAMED_BYTES
from armdyn.targets.native import work_queue
from armdyn.targets.native.work_queue_ir import LONGEST_STAY, NUMBER
from armdyn.targets.parallel import run_in_parallel

PORTS = [Port("A", (2, 3)), Port("x", (3,)), Port("s", ())]
TWO = trace(lambda A, x, s: (A @ x * s, np.sin(x)), PORTS, name="two")
KERNEL = compile_program(TWO, cache=False)
ONE = compile_program(trace(lambda A, x, s: A @ x + s, PORTS, name="one"), cache=False)
TWICE = compile_program(trace(lambda x: (2.0 * x, -x), [Port("x", (3,))], name="twice"), cache=False)
SCALAR = compile_program(trace(lambda s: 2.0 * s, [Port("s", ())], name="scalar"), cache=False)
SEED = 7

if work_queue.queue_loop() is None:
    pytest.skip("no compiler", allow_module_level=True)


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads to share with, wherever the tests run."""
    monkeypatch.setattr(parallel, "_processors", lambda: 4)


@pytest.fixture
def _patient_helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Helpers who do not give up before the test is over, however late the leader is given a processor.

    Their spins end after some milliseconds, earlier than an emulated processor starts four threads.
    """
    over, help_out = threading.Event(), work_queue.WorkQueue.help

    def patient(queue: work_queue.WorkQueue) -> None:
        while not over.is_set():
            help_out(queue)

    monkeypatch.setattr(work_queue.WorkQueue, "help", patient)
    yield
    over.set()


class Jobs:
    """How many batches were shared out by the team that is there."""

    def __init__(self) -> None:
        self._words = parallel._team()._queue._words
        self._before = self._words[NUMBER]

    def __len__(self) -> int:
        return self._words[NUMBER] - self._before


@pytest.fixture
def jobs() -> Jobs:
    """The batches that are shared out from now on."""
    return Jobs()


def batch(*shape: int, dtype: Any = np.float64) -> list[np.ndarray]:
    rng = np.random.default_rng(SEED)
    return [rng.normal(size=(*shape, *port.shape)).astype(dtype) for port in PORTS]


def assert_same(results: Any, expected: Any) -> None:
    for result, other in zip(results, expected, strict=True):
        assert result.dtype == other.dtype
        np.testing.assert_array_equal(result, other)


@pytest.mark.parametrize("workers", [2, 3, 7, -1])
@pytest.mark.parametrize("count", [2, 15, 16, 17, 33, 1000, 100_003])
def test_every_state_is_computed_as_by_one_thread(jobs: Jobs, count: int, workers: int) -> None:
    arrays = batch(count)
    assert_same(run_in_parallel(KERNEL, workers, *arrays), KERNEL(*arrays))
    assert len(jobs) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, ">f8"])
def test_types_are_those_of_one_thread(jobs: Jobs, dtype: Any) -> None:
    arrays = [(3.0 * a).astype(dtype) for a in batch(500)]
    expected = KERNEL(*arrays)
    assert_same(run_in_parallel(KERNEL, 2, *arrays), expected)
    assert len(jobs) == 1


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "backwards": lambda a: a[::-1],
    "every third": lambda a: np.repeat(a, 3, axis=0)[::3],
    "Fortran's": np.asfortranarray,
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "read-only": lambda a: np.broadcast_to(a, a.shape),
    "lists": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout(jobs: Jobs, layout: str) -> None:
    arrays = batch(600)
    results = run_in_parallel(KERNEL, 2, *(LAYOUTS[layout](a) for a in arrays))
    expected = KERNEL(*(np.ascontiguousarray(LAYOUTS[layout](a)) for a in arrays))
    assert_same(results, expected)
    assert len(jobs) == 1


@pytest.mark.parametrize(
    "shapes",
    [
        [(), (400,), (1,)],
        [(1, 1), (20, 30), (30,)],
        [(40, 10), (1, 1), (1,)],
        [(400,), (), (400,)],
        [(3, 1), (200,), ()],
        [(20, 1, 5), (1, 30, 1), (30, 5)],
    ],
)
def test_batches_that_broadcast(jobs: Jobs, shapes: list[tuple[int, ...]]) -> None:
    arrays = [batch(*shape)[k] for k, shape in enumerate(shapes)]
    expected = KERNEL(*arrays)
    assert_same(run_in_parallel(KERNEL, 2, *arrays), expected)
    assert len(jobs) == 1
    out = tuple(np.full_like(e, -1.0) for e in expected)
    for result, given in zip(run_in_parallel(KERNEL, 2, *arrays, out=out), out, strict=True):
        assert result is given
    assert_same(out, expected)
    assert len(jobs) == 2


OUT: dict[str, Callable[[], np.ndarray]] = {
    "rows with gaps": lambda: np.zeros((500, 5))[:, 1:3],
    "backwards": lambda: np.zeros((500, 2))[::-1],
    "Fortran's": lambda: np.zeros((500, 2), order="F"),
    "odd phase": lambda: np.zeros(1001)[1:].reshape(500, 2),
}


@pytest.mark.parametrize("kind", OUT)
def test_results_of_any_layout(jobs: Jobs, kind: str) -> None:
    arrays, out = batch(500), OUT[kind]()
    assert run_in_parallel(ONE, 2, *arrays, out=out) is out
    np.testing.assert_array_equal(out, ONE(*arrays))
    assert len(jobs) == 1


FOR_A_COPY: dict[str, Callable[[], np.ndarray]] = {
    "another type": lambda: np.zeros((40, 9, 2), np.longdouble),
    "unaligned": lambda: np.zeros(40 * 9 * 16 + 1, np.uint8)[1:].view(np.float64).reshape(40, 9, 2),
    "two axes with gaps": lambda: np.zeros((40, 10, 2))[:, 1:],
}


@pytest.mark.parametrize("kind", FOR_A_COPY)
def test_results_that_pieces_cannot_be_written_to_as_they_are(kind: str) -> None:
    arrays, out = batch(40, 9), FOR_A_COPY[kind]()
    assert run_in_parallel(ONE, 2, *arrays, out=out) is out
    np.testing.assert_array_equal(out, ONE(*arrays))


def test_results_over_arguments() -> None:
    A, x, s = batch(501)
    expected = ONE(A[:-1], x[:-1], s[:-1])
    out = x[1:, :2]
    run_in_parallel(ONE, 2, A[:-1], x[:-1], s[:-1], out=out)
    np.testing.assert_array_equal(out, expected)


def test_results_that_overlap_each_other() -> None:
    """Who writes last decides; it is one thread's order."""
    arrays = [a[:300] for a in batch(300)]
    both = [np.zeros((301, 3)), np.zeros((301, 3))]
    run_in_parallel(TWICE, 2, arrays[1], out=(both[0][:-1], both[0][1:]))
    TWICE(arrays[1], out=(both[1][:-1], both[1][1:]))
    np.testing.assert_array_equal(both[0], both[1])


def test_one_result_comes_back_as_one_threads_does(jobs: Jobs) -> None:
    arrays, out = batch(500), np.zeros((500, 2))
    assert run_in_parallel(ONE, 2, *arrays, out=(out,)) is ONE(*arrays, out=(out,)) is out
    assert len(jobs) == 1


def test_scalars_only(jobs: Jobs) -> None:
    """NumPy's signature of such a function is None."""
    s = np.random.default_rng(SEED).normal(size=1000)
    np.testing.assert_array_equal(run_in_parallel(SCALAR, 2, s), 2.0 * s)
    assert len(jobs) == 1


@pytest.mark.parametrize("number", [2.0, 2, True, np.float64(2.0), [2.0] * 500])
def test_pythons_numbers_adapt_to_the_others(jobs: Jobs, number: Any) -> None:
    A, x, _ = batch(500, dtype=np.float32)
    expected = ONE(A, x, number)
    result = run_in_parallel(ONE, 2, A, x, number)
    assert_same([result], [expected])
    assert len(jobs) == 1


def test_nothing_is_kept_of_a_batch(jobs: Jobs) -> None:
    arrays = batch(500)
    result = run_in_parallel(ONE, 2, *arrays)
    kept = [weakref.ref(array) for array in (*arrays, result)]
    del arrays, result
    gc.collect()
    assert len(jobs) == 1
    assert [one() for one in kept] == [None] * 4


def test_results_in_the_wrong_number_and_no_arrays_are_numpys_to_complain_of() -> None:
    arrays = batch(500)
    with pytest.raises(TypeError, match="arrays"):
        run_in_parallel(ONE, 2, *arrays, out=[0.0] * 500)
    with pytest.raises(ValueError, match="tuple"):
        run_in_parallel(KERNEL, 2, *arrays, out=(np.zeros((500, 2)),))
    frozen = np.zeros((500, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        run_in_parallel(ONE, 2, *arrays, out=frozen)


class Noting:
    """An inner loop in Python that doubles numbers and notes who took which piece; pieces may be held."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, int, int]] = []
        self.hold: Callable[[str], None] = lambda name: None
        self.address = ctypes.cast(loop := Loop(self._run), ctypes.c_void_p).value or 0
        self._loop = loop

    def _run(self, args: int, dimensions: int, steps: int, data: int) -> None:
        name = threading.current_thread().name
        source, target = (ctypes.c_void_p * 2).from_address(args)
        (count,) = (ctypes.c_int64 * 1).from_address(dimensions)
        assert (ctypes.c_int64 * 2).from_address(steps)[:] == [8, 8]
        numbers, doubled = ((ctypes.c_double * count).from_address(at or 0) for at in (source, target))
        assert data is None or (ctypes.c_int64 * 1).from_address(data)[:] == [STATES]
        self.pieces.append((name, int(numbers[0]), count))
        self.hold(name)
        doubled[:] = [2.0 * number for number in numbers]


STATES = 80
"""Pieces of 16 states are the smallest there are: five of them."""


def double(team: parallel.Team, noting: Noting, helpers: int, fewest: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Have a batch doubled as NumPy would, with helpers woken; the numbers, and their doubles."""
    x, y = np.arange(float(STATES)), np.full(STATES, -1.0)
    plan = team._queue.plan(noting.address, 2, helpers, fewest)
    team.wake(helpers)
    args, dimensions = (ctypes.c_void_p * 2)(x.ctypes.data, y.ctypes.data), (ctypes.c_int64 * 1)(STATES)
    Loop(work_queue.queue_loop())(args, dimensions, (ctypes.c_int64 * 2)(8, 8), plan)
    return x, y


def is_helper(name: str) -> bool:
    return name.startswith("armdyn")


@pytest.mark.usefixtures("_patient_helpers")
def test_pieces_are_given_out_once_to_whoever_comes() -> None:
    noting, team = Noting(), parallel.Team()
    both = threading.Barrier(2)
    first: set[str] = set()

    def meet(name: str) -> None:
        if name not in first:
            first.add(name)
            both.wait(60)

    noting.hold = meet
    x, y = double(team, noting, helpers=1)
    np.testing.assert_array_equal(y, 2.0 * x)
    assert sorted(piece[1:] for piece in noting.pieces) == [(k, 16) for k in range(0, STATES, 16)]
    assert {is_helper(name) for name, *_ in noting.pieces} == {True, False}


@pytest.mark.usefixtures("_patient_helpers")
def test_the_leader_waits_for_helpers_at_their_last_pieces() -> None:
    noting, team = Noting(), parallel.Team()
    started = threading.Event()

    def slow(name: str) -> None:
        if is_helper(name):
            started.set()
            time.sleep(0.3)
        else:
            assert started.wait(60)

    noting.hold = slow
    x, y = double(team, noting, helpers=1)
    np.testing.assert_array_equal(y, 2.0 * x)


def test_nobody_waits_for_a_helper_who_wakes_up_late(monkeypatch: pytest.MonkeyPatch) -> None:
    noting, team, done = Noting(), parallel.Team(), threading.Event()
    help_out = work_queue.WorkQueue.help

    def late(queue: work_queue.WorkQueue) -> None:
        assert done.wait(60)
        help_out(queue)

    monkeypatch.setattr(work_queue.WorkQueue, "help", late)
    x, y = double(team, noting, helpers=3)
    np.testing.assert_array_equal(y, 2.0 * x)
    y[:] = -1.0
    done.set()
    wait_until_asleep(team)
    np.testing.assert_array_equal(y, -1.0)


def wait_until_asleep(team: parallel.Team) -> None:
    for _ in range(10_000):
        if all(gone.is_set() for gone in team._helpers):
            return
        time.sleep(0.01)
    raise AssertionError("helpers are still looking out")


@pytest.mark.usefixtures("_patient_helpers")
@pytest.mark.parametrize(("places", "fewest"), [(2, 1), (4, STATES // 3)])
def test_no_more_helpers_than_places(monkeypatch: pytest.MonkeyPatch, places: int, fewest: int) -> None:
    """Four have come for one batch and are still there at the next, which has places for two: or work for three."""
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    team = parallel.Team()
    noting, together = Noting(), threading.Barrier(5)

    def meet(name: str) -> None:
        together.wait(60)

    noting.hold = meet
    double(team, noting, helpers=4)
    assert len({name for name, *_ in noting.pieces}) == 5
    again = Noting()
    again.hold = lambda name: time.sleep(0.02)
    x, y = double(team, again, helpers=places, fewest=fewest)
    np.testing.assert_array_equal(y, 2.0 * x)
    assert len({name for name, *_ in again.pieces}) <= 3


@pytest.mark.parametrize("fewest", [STATES // 2 + 1, STATES, 10**9])
def test_a_batch_with_work_for_one_is_computed_in_one_piece(fewest: int) -> None:
    team, noting = parallel.Team(), Noting()
    x, y = double(team, noting, helpers=3, fewest=fewest)
    np.testing.assert_array_equal(y, 2.0 * x)
    assert [piece[1:] for piece in noting.pieces] == [(0, STATES)]


def test_helpers_are_woken_once_and_go_to_sleep() -> None:
    team, noting = parallel.Team(), Noting()
    for _ in range(50):
        x, y = double(team, noting, helpers=2)
        np.testing.assert_array_equal(y, 2.0 * x)
        assert len(team._helpers) <= 2
    wait_until_asleep(team)


def test_more_threads_than_processors(monkeypatch: pytest.MonkeyPatch, jobs: Jobs) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 16)
    arrays = batch(50_000)
    for _ in range(5):
        assert_same(run_in_parallel(KERNEL, -1, *arrays), KERNEL(*arrays))
    assert len(jobs) == 5
    assert parallel._team.cache_info().currsize == 1


def test_helpers_look_into_python_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or they would keep the interpreter from shutting down, as long as somebody calls."""
    team, noting, came = parallel.Team(), Noting(), []
    help_out = work_queue.WorkQueue.help

    def noted(queue: work_queue.WorkQueue) -> None:
        came.append(None)
        help_out(queue)

    monkeypatch.setattr(work_queue.WorkQueue, "help", noted)
    for _ in range(3 * LONGEST_STAY):
        double(team, noting, helpers=1)
    wait_until_asleep(team)
    assert len(came) > 1


def test_while_one_leads_others_work_alone() -> None:
    team, outer, inner = parallel.Team(), Noting(), Noting()
    results = []

    def call_again(name: str) -> None:
        x, y = double(team, inner, helpers=1)
        results.append(np.array_equal(y, 2.0 * x))

    outer.hold = call_again
    x, y = double(team, outer, helpers=0)
    np.testing.assert_array_equal(y, 2.0 * x)
    assert results
    assert all(results)
    assert not any(is_helper(name) for name, *_ in inner.pieces)


@pytest.mark.parametrize("failing", ["submit", "the pool"])
def test_where_no_thread_can_be_started_one_does_it(monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("can't start new thread")

    if failing == "submit":
        monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor.submit", fail)
        monkeypatch.setattr(parallel, "_team", parallel.Team)
    else:
        monkeypatch.setattr(parallel, "_team", fail)
    arrays = batch(500)
    assert_same(run_in_parallel(KERNEL, 2, *arrays), KERNEL(*arrays))


@pytest.mark.parametrize("first_call", ["before", "after"])
def test_calls_while_the_interpreter_shuts_down(first_call: str) -> None:
    code = f"""
        import atexit, threading, time, numpy as np, armdyn
        from armdyn.targets import parallel
        parallel.SMALLEST_SHARE = 1
        robot, q = armdyn.load("ur5"), np.random.default_rng(0).normal(size=(5000, 6))
        expected = robot.gravity_forces(q)
        def call(name):
            print(name, np.array_equal(robot.gravity_forces(q, workers=2), expected), flush=True)
        if "{first_call}" == "before":
            call("before")
        def later():
            threading.main_thread().join()
            call("thread")
        atexit.register(call, "atexit")
        threading.Thread(target=later).start()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "thread True" in done.stdout
    assert "atexit True" in done.stdout


TRIPLES = ["x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-darwin", "riscv64-unknown-linux-gnu"]


@pytest.mark.parametrize("triple", TRIPLES)
def test_the_function_compiles_for_other_processors(triple: str) -> None:
    """In a process of its own, for LLVM aborts where it does not know what to do."""
    code = f"""
        import llvmlite.binding as llvm
        from armdyn.targets.native.work_queue_ir import queue_ir
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple("{triple}").create_target_machine(opt=2, reloc="pic", codemodel="small")
        assert target.emit_object(llvm.parse_assembly(queue_ir("{triple}")))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_after_a_fork_there_is_another_team() -> None:
    code = """
        import os, numpy as np, armdyn
        from armdyn.targets import parallel
        parallel.SMALLEST_SHARE = 1
        robot, q = armdyn.load("ur5"), np.random.default_rng(0).normal(size=(5000, 6))
        expected = robot.gravity_forces(q)
        for generation in range(3):
            assert np.array_equal(robot.gravity_forces(q, workers=2), expected)
            child = os.fork()
            if child:
                assert os.waitpid(child, 0)[1] == 0
                break
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_many_callers_at_once() -> None:
    arrays = batch(20_000)
    expected = KERNEL(*arrays)
    wrong: list[Exception] = []

    def call() -> None:
        try:
            for _ in range(20):
                assert_same(run_in_parallel(KERNEL, 3, *arrays), expected)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("phase", [0, 1, 5])
def test_a_batch_that_is_streamed_is_so_in_every_piece(phase: int) -> None:
    """The pieces are far smaller than what is streamed; their ends lie anywhere between the lines of the cache."""
    count = STREAMED_BYTES // 16 + 1003
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(count, 3))
    A, s = rng.normal(size=(2, 3)), np.array(0.5)
    out = np.full(2 * count + phase + 9, -1.0)
    result = out[phase : phase + 2 * count].reshape(count, 2)
    run_in_parallel(ONE, 3, A, x, s, out=result)
    np.testing.assert_array_equal(result, ONE(A, x, s))
    np.testing.assert_array_equal(out[:phase], -1.0)
    np.testing.assert_array_equal(out[phase + 2 * count :], -1.0)
    columns = np.full((2, count + phase), -1.0)
    run_in_parallel(ONE, 3, A, x, s, out=columns[:, phase:].T)
    np.testing.assert_array_equal(columns[:, phase:], result.T)
    np.testing.assert_array_equal(columns[:, :phase], -1.0)


@pytest.mark.parametrize("missing", ["the function", "machine code"])
def test_without_a_compiler_one_thread_does_it(monkeypatch: pytest.MonkeyPatch, jobs: Jobs, missing: str) -> None:
    team = parallel.Team()
    monkeypatch.setattr(parallel, "_team", lambda: team)
    kernel = KERNEL if missing == "the function" else InterpretedFunction(lambda: TWO, GufuncInterface.of(TWO))
    if missing == "the function":
        monkeypatch.setattr(parallel, "queue_loop", lambda: None)
    arrays = batch(500)
    for result, expected in zip(run_in_parallel(kernel, 2, *arrays), KERNEL(*arrays), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-15, atol=1e-15)
    assert len(jobs) == 0
    assert not team._helpers


def test_a_small_batch_is_not_worth_waking_a_thread(monkeypatch: pytest.MonkeyPatch, jobs: Jobs) -> None:
    monkeypatch.setattr(parallel, "SMALLEST_SHARE", 15 * 100)  # a state reads ten numbers and writes five
    for count, shared in ((199, 0), (200, 1)):
        arrays = batch(count)
        assert_same(run_in_parallel(KERNEL, 2, *arrays), KERNEL(*arrays))
        assert len(jobs) == shared
