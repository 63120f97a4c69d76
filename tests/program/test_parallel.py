"""A batch in pieces: each computed once, by whoever is free, and large enough to be streamed where the whole is."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from armdyn.program import Port
from armdyn.targets import parallel
from armdyn.targets.parallel import PIECES, SMALLEST_SHARE, run_in_parallel
from armdyn.targets.streaming import STREAMED_BYTES


class Doubling:
    """A kernel that notes which states it was given, and by which thread."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, str]] = []

    def __call__(self, x: np.ndarray, *, out: Any) -> Any:
        self.calls.append((int(x[0, 0]), len(x), threading.current_thread().name))
        np.multiply(x, 2.0, out=out[0])
        return out[0]


def states(count: int, width: int = 1) -> np.ndarray:
    return np.repeat(np.arange(float(count))[:, None], width, axis=1)


@pytest.mark.parametrize("workers", [2, 3, 7])
@pytest.mark.parametrize("count", [2 * SMALLEST_SHARE, 5000, 100_003])
def test_every_state_is_computed_once(count: int, workers: int) -> None:
    kernel, x = Doubling(), states(count)
    out = np.full_like(x, -1.0)
    assert run_in_parallel(kernel, [Port("x", (1,))], [x], out=out, workers=workers) is out
    np.testing.assert_array_equal(out, 2.0 * x)
    pieces = sorted((first, first + length) for first, length, _ in kernel.calls)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == count
    assert all(end == start for (_, end), (start, _) in pairwise(pieces))
    assert len(pieces) <= PIECES * workers
    assert min(end - start for start, end in pieces) >= SMALLEST_SHARE


def test_who_is_done_takes_what_is_left() -> None:
    """The pool's thread is held at its first piece until all others are computed."""
    others_done = threading.Event()
    kernel = Doubling()

    def held(x: np.ndarray, *, out: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            assert others_done.wait(60)
        kernel(x, out=out)
        if len(kernel.calls) >= 2 * PIECES - 1:
            others_done.set()

    x = states(PIECES * 2 * SMALLEST_SHARE)
    out = np.empty_like(x)
    run_in_parallel(held, [Port("x", (1,))], [x], out=out, workers=2)
    np.testing.assert_array_equal(out, 2.0 * x)
    assert len(kernel.calls) == 2 * PIECES


@pytest.mark.parametrize("fails_in_pool", [False, True])
def test_an_exception_of_any_thread_arrives(fails_in_pool: bool) -> None:
    both = threading.Barrier(2)  # so that each thread gets a piece

    def failing(x: np.ndarray, *, out: Any) -> None:
        if x[0, 0] in (0.0, float(SMALLEST_SHARE)):
            both.wait(60)
        if fails_in_pool == (threading.current_thread() is not threading.main_thread()):
            raise ArithmeticError("no")

    x = states(2 * SMALLEST_SHARE)
    with pytest.raises(ArithmeticError, match="no"):
        run_in_parallel(failing, [Port("x", (1,))], [x], out=np.empty_like(x), workers=2)


def test_large_results_are_cut_only_so_far_that_they_are_still_streamed() -> None:
    row = 800
    for megabytes, pieces in ((8, 16), (15, 16), (17, 2), (33, 4), (100, 12), (1000, 16)):
        count = megabytes * 2**20 // row
        result = np.broadcast_to(0.0, (count, 100))
        assert parallel._number_of_pieces(count, 2, [result]) == pieces
        if count * row >= 2 * STREAMED_BYTES:
            assert count // pieces * row >= STREAMED_BYTES - row


def test_results_that_are_no_arrays_are_the_kernels_to_complain_of() -> None:
    x = states(4 * SMALLEST_SHARE)
    with pytest.raises(TypeError, match="arrays"):
        run_in_parallel(np.negative, [Port("x", ())], [x[:, 0]], out=[0.0] * len(x), workers=2)
