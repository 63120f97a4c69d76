"""A batch in pieces by several threads: every state computed once, as one thread would, whatever the layout."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from armdyn.program import Port, trace
from armdyn.targets import compile_program, parallel, sharing
from armdyn.targets.parallel import run_in_parallel
from armdyn.targets.streaming import STREAMED_BYTES

PORTS = [Port("A", (2, 3)), Port("x", (3,)), Port("s", ())]
KERNEL = compile_program(trace(lambda A, x, s: (A @ x * s, np.sin(x)), PORTS, name="two"), cache=False)
ONE = compile_program(trace(lambda A, x, s: A @ x + s, PORTS, name="one"), cache=False)
SEED = 7

if sharing.function() is None:
    pytest.skip("no compiler", allow_module_level=True)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[sharing.Job]]:
    """The jobs that were shared out."""
    found: list[sharing.Job] = []

    class Noted(sharing.Job):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            found.append(self)

    monkeypatch.setattr(parallel, "Job", Noted)
    yield found
    assert all(job.is_finished() for job in found)


def batch(*shape: int, dtype: Any = np.float64) -> list[np.ndarray]:
    rng = np.random.default_rng(SEED)
    return [rng.normal(size=(*shape, *port.shape)).astype(dtype) for port in PORTS]


def assert_same(results: Any, expected: Any) -> None:
    for result, other in zip(results, expected, strict=True):
        assert result.dtype == other.dtype
        np.testing.assert_array_equal(result, other)


@pytest.mark.parametrize("workers", [2, 3, 7, -1])
@pytest.mark.parametrize("count", [2, 15, 16, 17, 33, 1000, 100_003])
def test_every_state_is_computed_as_by_one_thread(jobs: list[sharing.Job], count: int, workers: int) -> None:
    arrays = batch(count)
    assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=workers), KERNEL(*arrays))
    assert len(jobs) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, ">f8"])
def test_types_are_those_of_one_thread(jobs: list[sharing.Job], dtype: Any) -> None:
    arrays = [(3.0 * a).astype(dtype) for a in batch(500)]
    assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=2), KERNEL(*arrays))
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
def test_any_layout(jobs: list[sharing.Job], layout: str) -> None:
    arrays = batch(600)
    results = run_in_parallel(KERNEL, PORTS, [LAYOUTS[layout](a) for a in arrays], out=None, workers=2)
    expected = KERNEL(*(np.ascontiguousarray(LAYOUTS[layout](a)) for a in arrays))
    assert_same(results, expected)
    assert len(jobs) == 1


@pytest.mark.parametrize(
    "shapes", [[(), (400,), (1,)], [(400,), (), (400,)], [(3, 1), (200,), ()], [(20, 1, 5), (1, 30, 1), (30, 5)]]
)
def test_batches_that_broadcast(jobs: list[sharing.Job], shapes: list[tuple[int, ...]]) -> None:
    arrays = [batch(*shape)[k] for k, shape in enumerate(shapes)]
    expected = KERNEL(*arrays)
    assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=2), expected)
    out = tuple(np.full_like(e, -1.0) for e in expected)
    assert run_in_parallel(KERNEL, PORTS, arrays, out=out, workers=2) is out
    assert_same(out, expected)
    assert len(jobs) == 2


OUT: dict[str, Callable[[], np.ndarray]] = {
    "rows with gaps": lambda: np.zeros((500, 5))[:, 1:3],
    "backwards": lambda: np.zeros((500, 2))[::-1],
    "Fortran's": lambda: np.zeros((500, 2), order="F"),
    "odd phase": lambda: np.zeros(1001)[1:].reshape(500, 2),
}


@pytest.mark.parametrize("kind", OUT)
def test_results_of_any_layout(jobs: list[sharing.Job], kind: str) -> None:
    arrays, out = batch(500), OUT[kind]()
    assert run_in_parallel(ONE, PORTS, arrays, out=out, workers=2) is out
    np.testing.assert_array_equal(out, ONE(*arrays))
    assert len(jobs) == 1


FOR_NUMPY: dict[str, Callable[[], np.ndarray]] = {
    "another type": lambda: np.zeros((40, 9, 2), np.longdouble),
    "unaligned": lambda: np.zeros(40 * 9 * 16 + 1, np.uint8)[1:].view(np.float64).reshape(40, 9, 2),
    "two axes with gaps": lambda: np.zeros((40, 10, 2))[:, 1:],
}


@pytest.mark.parametrize("kind", FOR_NUMPY)
def test_results_that_pieces_cannot_be_written_to(jobs: list[sharing.Job], kind: str) -> None:
    arrays, out = batch(40, 9), FOR_NUMPY[kind]()
    assert run_in_parallel(ONE, PORTS, arrays, out=out, workers=2) is out
    np.testing.assert_array_equal(out, ONE(*arrays))
    assert not jobs


def test_results_over_arguments(jobs: list[sharing.Job]) -> None:
    A, x, s = batch(501)
    expected = ONE(A[:-1], x[:-1], s[:-1])
    out = x[1:, :2]
    run_in_parallel(ONE, PORTS, [A[:-1], x[:-1], s[:-1]], out=out, workers=2)
    np.testing.assert_array_equal(out, expected)
    assert not jobs


def test_results_in_the_wrong_number_and_no_arrays_are_numpys_to_complain_of() -> None:
    arrays = batch(500)
    with pytest.raises(TypeError, match="arrays"):
        run_in_parallel(ONE, PORTS, arrays, out=[0.0] * 500, workers=2)
    with pytest.raises(ValueError, match="tuple"):
        run_in_parallel(KERNEL, PORTS, arrays, out=(np.zeros((500, 2)),), workers=2)
    frozen = np.zeros((500, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        run_in_parallel(ONE, PORTS, arrays, out=frozen, workers=2)


def test_nobody_waits_for_a_thread_that_wakes_up_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool's thread is held until the results are there, and then touches nothing."""
    done, late = threading.Event(), []
    work = sharing.Job.work

    def held(job: sharing.Job) -> None:
        if threading.current_thread() is not threading.main_thread():
            assert done.wait(60)
            work(job)
            late.append(job)
        else:
            work(job)

    monkeypatch.setattr(sharing.Job, "work", held)
    arrays = batch(1000)
    result = run_in_parallel(ONE, PORTS, arrays, out=None, workers=2)
    expected = ONE(*arrays)
    np.testing.assert_array_equal(result, expected)
    result[:] = -1.0
    done.set()
    parallel._pool().submit(lambda: None).result()
    while not late:
        threading.Event().wait(0.001)
    np.testing.assert_array_equal(result, -1.0)


def test_who_is_done_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calling thread finds nothing left, for the pool's has everything and is slow."""
    work = sharing.Job.work
    taken = threading.Event()

    def slow(job: sharing.Job) -> None:
        if threading.current_thread() is threading.main_thread():
            assert taken.wait(60)
            return
        taken.set()
        threading.Event().wait(0.05)
        work(job)

    monkeypatch.setattr(sharing.Job, "work", slow)
    arrays = batch(1000)
    np.testing.assert_array_equal(run_in_parallel(ONE, PORTS, arrays, out=None, workers=2), ONE(*arrays))


def test_many_callers_at_once() -> None:
    arrays = batch(20_000)
    expected = KERNEL(*arrays)
    wrong: list[Exception] = []

    def call() -> None:
        try:
            for _ in range(20):
                assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=3), expected)
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
    run_in_parallel(ONE, PORTS, [A, x, s], out=result, workers=3)
    np.testing.assert_array_equal(result, ONE(A, x, s))
    np.testing.assert_array_equal(out[:phase], -1.0)
    np.testing.assert_array_equal(out[phase + 2 * count :], -1.0)


@pytest.mark.parametrize("missing", ["the function", "machine code"])
def test_without_a_compiler_one_thread_does_it(
    monkeypatch: pytest.MonkeyPatch, jobs: list[sharing.Job], missing: str
) -> None:
    if missing == "the function":
        monkeypatch.setattr(sharing, "function", lambda: None)
    else:
        monkeypatch.setattr(parallel, "machine_code_loop", lambda kernel, dtype: None)
    arrays = batch(500)
    assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=2), KERNEL(*arrays))
    assert not jobs


def test_a_small_batch_is_not_worth_waking_a_thread(monkeypatch: pytest.MonkeyPatch, jobs: list[sharing.Job]) -> None:
    monkeypatch.setattr(parallel, "SMALLEST_SHARE", 15 * 100)  # a state reads ten numbers and writes five
    for count, shared in ((199, 0), (200, 1)):
        arrays = batch(count)
        assert_same(run_in_parallel(KERNEL, PORTS, arrays, out=None, workers=2), KERNEL(*arrays))
        assert len(jobs) == shared
