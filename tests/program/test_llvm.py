"""Compiled programs give what the interpreter gives: every operation, every layout, every vector width."""

from __future__ import annotations

import math
import platform
import threading
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armdyn.program as ap
from armdyn.base.errors import Unsupported
from armdyn.program import Port, Program, interpret, trace
from armdyn.program.operations import OPERATIONS
from armdyn.targets import compile_program
from armdyn.targets.gufunc import ENTRY, GufuncInterface, LoopTable, keep
from armdyn.targets.llvm import streaming
from armdyn.targets.llvm.compiler import compile_ir
from armdyn.targets.llvm.loop import loop_module
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.llvm.sections import Arithmetic, cut
from armdyn.targets.native.linker import link
from armdyn.targets.native.loader import load

TOLERANCE = {"d": 2e-13, "f": 5e-5}
POSITIVE = {"sqrt", "log"}
IN_UNIT_INTERVAL = {"asin", "acos"}

x86_64 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="needs an x86-64 processor")


def compiled_for(program: Program, machine: Machine, dtypes: str = "fd") -> np.ufunc:
    """The program compiled for some machine, by hand and without the cache."""
    addresses = {}
    for dtype in dtypes:
        addresses[dtype], memory = load(link([compile_ir(loop_module(program, dtype, machine).whole, machine)], ENTRY))
        keep(memory)
    return LoopTable(GufuncInterface.of(program), addresses).ufunc


def narrower_machines() -> list[Machine]:
    """Machines whose vectors are shorter than this one's, without and with fused multiply-add; none but on x86-64."""
    triple = host().triple
    if not triple.startswith("x86_64"):
        return []
    machines = [Machine(triple, "x86-64", "")]
    if host().has("avx2") and host().has("fma"):
        machines.append(Machine(triple, "haswell", "+avx,+avx2,+fma"))
    return [machine for machine in machines if machine.vector_bytes < host().vector_bytes]


class Wider(Machine):
    """A machine that believes in vectors of 64 bytes; LLVM makes each of two of 32."""

    @property
    def vector_bytes(self) -> int:
        return 64


def wider_machines() -> list[Machine]:
    """One where this one's vectors are of 32 bytes: what AVX-512 has its loops do, without it."""
    here = host()
    return [Wider(here.triple, here.cpu, here.features)] if here.vector_bytes == 32 else []


MOST_ARGUMENTS = max(operation.arity for operation in OPERATIONS.values())


def every_operation() -> Program:
    """One program of all operations: a result each, of a row of arguments each."""

    def function(rows: Any) -> Any:
        given = zip(OPERATIONS.items(), rows, strict=True)
        return np.array([row[0]._apply(name, *row[1 : operation.arity]) for (name, operation), row in given])

    return trace(function, [Port("rows", (len(OPERATIONS), MOST_ARGUMENTS))], name="every_operation")


EVERY_OPERATION = every_operation()


def arguments_for(name: str, dtype: str, count: int = 203) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    columns = [rng.uniform(-3.0, 3.0, count) for _ in range(OPERATIONS[name].arity)]
    if name in POSITIVE:
        columns[0] = abs(columns[0]) + 0.1
    if name in IN_UNIT_INTERVAL:
        columns[0] /= 3.1
    if name == "pow":
        columns[0] = abs(columns[0])
    if name in ("select", "sign", "less", "less_equal", "min", "max"):
        columns[0] = np.round(columns[0])
        columns[1:] = [np.round(c) for c in columns[1:]]
    return [c.astype(dtype) for c in columns]


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300])


def special_arguments(name: str, dtype: str) -> list[np.ndarray]:
    """Every combination of the special numbers; the first ones again, so that all operations have as many."""
    with np.errstate(over="ignore", under="ignore"):
        special = SPECIAL.astype(dtype)
    given = np.meshgrid(*[special] * OPERATIONS[name].arity)
    return [np.resize(a.ravel(), len(SPECIAL) ** MOST_ARGUMENTS) for a in given]


def check_operations(
    ufunc: np.ufunc, arguments: Callable[[str, str], list[np.ndarray]], dtype: str, atol: float, said: str = ""
) -> None:
    columns = [arguments(name, dtype) for name in OPERATIONS]
    rows = np.zeros((len(columns[0][0]), len(OPERATIONS), MOST_ARGUMENTS), dtype)
    for place, some in enumerate(columns):
        rows[:, place, : len(some)] = np.transpose(some)
    (expected,) = interpret(EVERY_OPERATION, rows, dtype=dtype)
    results = ufunc(rows)
    assert results.dtype == dtype
    for place, name in enumerate(OPERATIONS):
        np.testing.assert_allclose(
            results[:, place], expected[:, place], rtol=TOLERANCE[dtype], atol=atol, err_msg=f"{name} {said}"
        )


@pytest.mark.parametrize("dtype", "df")
def test_operations_are_the_interpreters(dtype: str) -> None:
    ufunc = compile_program(EVERY_OPERATION, cache=False)
    check_operations(ufunc, arguments_for, dtype, TOLERANCE[dtype] / 100)
    check_operations(ufunc, special_arguments, dtype, 1e-300)


@x86_64
@pytest.mark.parametrize("machine", narrower_machines(), ids=lambda machine: machine.cpu)
def test_operations_on_narrower_vectors(machine: Machine) -> None:
    ufunc = compiled_for(EVERY_OPERATION, machine)
    for dtype in "df":
        check_operations(ufunc, arguments_for, dtype, TOLERANCE[dtype] / 100, machine.cpu)


def mixture(q: Any, u: Any, s: Any) -> Any:
    """Several outputs of several ranks, with library functions of library functions."""
    turned = np.sin(q) * u[0] + np.cos(q * s) * np.tanh(u)
    return turned, np.outer(np.sin(turned), u), q @ u, u[1], np.array([3.5, 0.0])


MIXTURE = trace(mixture, [Port("q", (3,)), Port("u", (3,)), Port("s", ())], name="mixture")


def check(program: Program, ufunc: np.ufunc, arguments: list[np.ndarray], dtype: str = "d", **options: Any) -> None:
    expected = interpret(program, *arguments, dtype=dtype)
    results = ufunc(*arguments, **options)
    for result, wanted in zip(results if isinstance(results, tuple) else (results,), expected, strict=True):
        assert result.dtype == dtype
        np.testing.assert_allclose(result, wanted, rtol=TOLERANCE[dtype] * 100, atol=TOLERANCE[dtype])


def general(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("count", [*range(20), 31, 32, 33, 64, 257])
def test_every_batch_size(count: int, dtype: str) -> None:
    arguments = [general(count, 3), general(count, 3, seed=1), general(count, seed=2)]
    check(MIXTURE, compile_program(MIXTURE, cache=False), [a.astype(dtype) for a in arguments], dtype)


@pytest.mark.short_run(without=("(1, 19)", "(18, 131)", "(33, 65)", "(9, 11)", "(4, 16)", "(5, 15)", "(6, 14)"))
@x86_64
@pytest.mark.parametrize("sizes", [*((k, 20 - k) for k in range(1, 11)), (33, 65), (18, 131)], ids=str)
def test_every_row_length_and_vector_width(sizes: tuple[int, int]) -> None:
    """Those of 33, 65 and 131 are moved by several functions: of two, four and eight numbers side by side."""
    ports = [Port(name, (size,)) for name, size in zip("ab", sizes, strict=True)]
    program = trace(lambda a, b: (a - 2.0 * b[0], b), ports, name=f"rows{sizes[0]}")
    for machine in (host(), *narrower_machines()):
        ufunc = compiled_for(program, machine)
        for dtype in "df":
            rows = [general(37, size, seed=seed).astype(dtype) for seed, size in enumerate(sizes)]
            check(program, ufunc, rows, dtype)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": lambda a: a,
    "reversed states": lambda a: a[::-1],
    "reversed rows": lambda a: a[..., ::-1],
    "every other state": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every other number": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "Fortran order": np.asfortranarray,
    "one state for all": lambda a: np.broadcast_to(a[0], a.shape),
    "one number for all": lambda a: np.broadcast_to(a[:1, :1], a.shape) if a.ndim > 1 else a,
    "foreign byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "padded states": lambda a: np.concatenate([a, a], axis=-1)[..., : a.shape[-1]] if a.ndim > 1 else a,
    "unaligned": lambda a: unaligned(a),  # noqa: PLW0108 (defined below)
}


def unaligned(a: np.ndarray) -> np.ndarray:
    memory = np.empty(a.nbytes + 1, np.uint8)
    view = memory[1:].view(a.dtype).reshape(a.shape)
    view[...] = a
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_inputs_and_outputs(layout: str, dtype: str) -> None:
    change = LAYOUTS[layout]
    arguments = [general(29, 3), general(29, 3, seed=1), general(29, seed=2)]
    arguments = [change(a.astype(dtype)) for a in arguments]
    ufunc = compile_program(MIXTURE, cache=False)
    expected = interpret(MIXTURE, *[np.array(a, dtype) for a in arguments], dtype=dtype)
    for result, wanted in zip(ufunc(*arguments), expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=TOLERANCE[dtype] * 100, atol=TOLERANCE[dtype])
    outputs = tuple(change(np.zeros((29, *port.shape), dtype)) for port in MIXTURE.outputs)
    if all(out.flags.writeable and not any(s == 0 for s in out.strides) for out in outputs):
        ufunc(*arguments, out=outputs)
        for result, wanted in zip(outputs, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=TOLERANCE[dtype] * 100, atol=TOLERANCE[dtype])


def test_core_dimensions_may_be_any_view() -> None:
    program = trace(lambda A: A @ A - A.T, [Port("A", (4, 4))], name="square")
    A = general(11, 4, 4)
    ufunc = compile_program(program, cache=False)
    for view in (
        A,
        A.transpose(0, 2, 1),
        A[:, ::-1, ::-1],
        np.broadcast_to(A[:, :1], A.shape),
        A.transpose(1, 2, 0)[:, :, :4].T,
    ):
        check(program, ufunc, [view])
    out = np.zeros((11, 4, 4)).transpose(0, 2, 1)
    check(program, ufunc, [A], out=out)


def test_nan_and_infinity_stay_in_their_row() -> None:
    ufunc = compile_program(MIXTURE, cache=False)
    for dtype in "df":
        arguments = [a.astype(dtype) for a in (general(40, 3), general(40, 3, seed=1), general(40, seed=2))]
        clean = ufunc(*arguments)
        arguments[0][5, 1], arguments[1][17, 0], arguments[2][39] = np.nan, np.inf, np.nan
        hit = np.isin(np.arange(40), [5, 17, 39])
        for result, expected in zip(ufunc(*arguments)[:3], clean, strict=False):
            np.testing.assert_array_equal(result[~hit], expected[~hit])
            assert np.isnan(result[5]).any()


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e308, 5e-324, 1 / 3, np.pi])
def test_constants_are_exact(value: float) -> None:
    program = trace(lambda x: ap.minimum(x * 0.0 + x, np.inf) * 0.0 + np.array([value, 2.0]), [Port("x", ())])
    assert compile_program(program, cache=False)(1.0)[0] == value


def test_constant_results() -> None:
    constant = trace(lambda e: (np.array([1.0, 2.0]), np.eye(3)), [Port("e", (2,))], name="constant")
    ones, eye = compile_program(constant, cache=False)(np.zeros((5, 2)))
    np.testing.assert_array_equal(ones, np.tile([1.0, 2.0], (5, 1)))
    np.testing.assert_array_equal(eye, np.tile(np.eye(3), (5, 1, 1)))


def test_an_empty_port_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="'e'"):
        compile_program(trace(lambda e: e, [Port("e", (0,))], name="empty"), cache=False)


def test_not_a_number_warns_of_nothing() -> None:
    x = np.array([np.nan, np.inf, -1.0, 0.0])
    with np.errstate(all="raise"):
        compile_program(EVERY_OPERATION, cache=False)(x[:, None, None] + np.zeros((len(OPERATIONS), MOST_ARGUMENTS)))


def test_a_result_that_is_another_input_does_not_need_arithmetic() -> None:
    program = trace(lambda a, b: (b, a, np.sin(a)), [Port("a", (2,)), Port("b", (2,))], name="swap")
    check(program, compile_program(program, cache=False), [general(9, 2), general(9, 2, seed=1)])


def test_a_library_function_of_a_constant_and_a_variable() -> None:
    program = trace(lambda a: np.arctan2(a, 2.0) + 3.0**a, [Port("a", (2,))], name="constant_argument")
    check(program, compile_program(program, cache=False), [general(9, 2)])


def test_a_long_program_is_cut_and_right() -> None:
    rng = np.random.default_rng(3)

    def long(x: Any) -> Any:
        values = [*np.sin(x), *np.cos(x)]
        for k in range(6000):
            a, b = values[rng.integers(max(0, len(values) - 400), len(values))], values[rng.integers(len(values))]
            values.append(0.5 * (a - b) if k % 3 else a * b)
        return np.array([sum(values[-300 + k :: 20]) for k in range(20)])

    program = trace(long, [Port("x", (10,))], name="long")
    sections = [section for section in cut(program).sections if isinstance(section, Arithmetic)]
    assert len(sections) > 2
    check(program, compiled_for(program, host(), "d"), [general(19, 10)])


def test_threads_share_a_function() -> None:
    program = trace(lambda q: np.sin(q) * q[0] + 0.125, [Port("q", (6,))], name="shared")
    q = general(20_000, 6).astype("f")
    expected = compile_program(program, cache=False)(q.astype("d"))
    failures: list[Exception] = []

    def work() -> None:
        try:
            ufunc = compile_program(program, cache=False)
            for _ in range(5):
                np.testing.assert_allclose(ufunc(q), expected, rtol=1e-4, atol=1e-5)
                np.testing.assert_array_equal(ufunc(q.astype("d")), compile_program(program)(q.astype("d")))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


STEPS = st.lists(
    st.tuples(
        st.sampled_from([name for name in OPERATIONS if name not in {"tan", "asin", "acos", "log", "pow"}]),
        st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(STEPS, st.sampled_from("df"))
def test_random_programs(steps: list[tuple[str, int, int, int]], dtype: str) -> None:
    """Chains of anything. Every value is brought back to a safe interval, so that rounding does not grow."""

    def function(x: Any) -> Any:
        values = list(x)
        for name, *picks in steps:
            a, b, c = (values[p % len(values)] for p in picks)
            others = {1: (), 2: (b,), 3: (b, c)}[OPERATIONS[name].arity]
            if name in ("floor", "sign", "less", "less_equal", "select"):  # steps: ask them of exact values only
                a, others = x[picks[0] % 3], tuple(x[(p + 1) % 3] + 0.25 for p in picks[1 : len(others) + 1])
            if name == "sqrt":
                a = abs(a) + 0.5
            if name == "div":
                others = (abs(b) + 0.5,)
            values.append(ap.clip(a._apply(name, *others), -4.0, 4.0))
        return np.array(values[3:])

    program = trace(function, [Port("x", (3,))], name="random")
    x = (np.random.default_rng(len(steps)).integers(-9, 9, (13, 3)) / 4 + 0.0625).astype(dtype)
    (expected,) = interpret(program, x, dtype=dtype)
    result = compiled_for(program, host(), dtype)(x)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-9 if dtype == "d" else 0.05)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shift", [0, 1])
def test_large_results_that_are_streamed_past_the_cache(dtype: type, shift: int) -> None:
    """Twelve megabytes of results, a last group that is not whole, and memory that is not aligned for streaming."""
    program = trace(lambda x: np.array([x[k % 2] * float(k + 1) for k in range(5)]), [Port("x", (2,))])
    count = 12 * 2**20 // (5 * np.dtype(dtype).itemsize) + 3
    x = np.random.default_rng(3).normal(size=(count, 2)).astype(dtype)
    memory = np.full(5 * count + 1, -1.0, dtype)
    out = memory[shift : 5 * count + shift].reshape(count, 5)
    compile_program(program)(x, out=out)
    expected = x[:, [0, 1, 0, 1, 0]] * np.arange(1.0, 6.0).astype(dtype)
    np.testing.assert_array_equal(out, expected)
    assert memory[-1 if shift == 0 else 0] == -1.0


@x86_64
@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("size", [1, 2, 7, 9, 10, 25])
def test_streaming_at_every_phase(size: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everything streamed: arrays that begin anywhere, few groups or many, and nothing written around them."""
    monkeypatch.setattr(streaming, "STREAMED_BYTES", 0)
    program = trace(
        lambda x: ([x[k % 3] * float(k + 1) for k in range(size)], x[::-1]), [Port("x", (3,))], name="streamed"
    )
    itemsize = np.dtype(dtype).itemsize
    for machine in (host(), *narrower_machines()):
        ufunc = compiled_for(program, machine, dtype)
        for count in (1, 3, 16, 31, 64, 147):
            x = general(count, 3).astype(dtype)
            wanted, turned = interpret(program, x, dtype=dtype)
            for phase in range(0, 80, itemsize):
                memory = aligned(size * count * itemsize + 160).view(dtype)
                memory[:] = -7.0
                start = phase // itemsize
                out = memory[start : start + size * count].reshape(count, size)
                beside = np.empty((count, 3), dtype)
                ufunc(x, out=(out, beside))
                np.testing.assert_array_equal(out, wanted)
                np.testing.assert_array_equal(beside, turned)
                assert (memory[:start] == -7.0).all()
                assert (memory[start + size * count :] == -7.0).all()


@x86_64
@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("size", [2, 7, 9])
def test_streaming_columns_at_every_phase(size: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results with the states last: columns that begin anywhere, each at a phase of its own, with gaps between them."""
    monkeypatch.setattr(streaming, "STREAMED_BYTES", 0)
    program = trace(lambda x: [x[k % 3] * float(k + 1) for k in range(size)], [Port("x", (3,))], name="columns")
    itemsize = np.dtype(dtype).itemsize
    for machine in (host(), *narrower_machines(), *wider_machines()):
        ufunc = compiled_for(program, machine, dtype)
        for count, gap in ((1, 0), (3, 2), (16, 0), (31, 0), (64, 16), (67, 5), (147, 0)):
            x = general(count, 3).astype(dtype)
            (wanted,) = interpret(program, x, dtype=dtype)
            for phase in range(0, 80, itemsize):
                memory = aligned(size * (count + gap) * itemsize + 160).view(dtype)
                memory[:] = -7.0
                start = phase // itemsize
                rows = memory[start : start + size * (count + gap)].reshape(size, count + gap)
                ufunc(x, out=rows[:, :count].T)
                np.testing.assert_array_equal(rows[:, :count], wanted.T)
                assert (rows[:, count:] == -7.0).all()
                assert (memory[:start] == -7.0).all()
                assert (memory[start + size * (count + gap) :] == -7.0).all()


GAPS: dict[str, tuple[tuple[int, ...], Callable[[np.ndarray], np.ndarray]]] = {
    "every other state": ((66, 3, 3), lambda a: a[::2]),
    "part of longer rows": ((33, 5, 7), lambda a: a[:, 1:4, 2:5]),
    "every other number": ((33, 3, 6), lambda a: a[..., ::2]),
    "states backwards": ((33, 3, 3), lambda a: a[::-1]),
    "numbers backwards": ((33, 3, 3), lambda a: a[:, ::-1, ::-1]),
    "rows backwards": ((33, 3, 3), lambda a: a[:, ::-1]),
    "every other state last": ((3, 3, 66), lambda a: np.moveaxis(a[..., ::2], 2, 0)),
}


@x86_64
@pytest.mark.parametrize("dtype", "df")
def test_large_results_with_gaps(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their lines are fetched a group ahead, past the last state too; nothing is written there, nor into the gaps."""
    monkeypatch.setattr(streaming, "STREAMED_BYTES", 0)
    program = trace(lambda x: np.outer(x, x[::-1]), [Port("x", (3,))], name="gaps")
    x = general(33, 3).astype(dtype)
    (wanted,) = interpret(program, x, dtype=dtype)
    for machine in (host(), *narrower_machines()):
        ufunc = compiled_for(program, machine, dtype)
        for (shape, part), count in product(GAPS.values(), (1, 8, 33)):
            memory, expected = np.full(shape, -7.0, dtype), np.full(shape, -7.0, dtype)
            part(expected)[:count] = wanted[:count]
            ufunc(x[:count], out=part(memory)[:count])
            np.testing.assert_array_equal(memory, expected)


@x86_64
@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("shape", [(2,), (2, 3), (3, 2), (1,)])
def test_large_results_whose_numbers_are_turned_round(
    shape: tuple[int, ...], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last number then lies before the first, by one number where there are two rows of any length."""
    monkeypatch.setattr(streaming, "STREAMED_BYTES", 0)
    program = trace(lambda x: x.reshape(shape) + 0.0 * x[0], [Port("x", (math.prod(shape),))], name="turned")
    x = general(33, math.prod(shape)).astype(dtype)
    for machine in (host(), *narrower_machines()):
        out = np.empty((33, *shape), dtype)
        compiled_for(program, machine, dtype)(x, out=out[:, ::-1])
        np.testing.assert_array_equal(out[:, ::-1], x.reshape(33, *shape))


@x86_64
def test_columns_of_numbers_that_are_not_aligned_are_not_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an array of records, where a column begins between two numbers."""
    monkeypatch.setattr(streaming, "STREAMED_BYTES", 0)
    program = trace(lambda x: [2.0 * x[0], 3.0 * x[1]], [Port("x", (2,))], name="askew")
    x, count = general(100, 2), 100
    for first in (0, 4):
        out = np.ndarray((2, count), np.float64, aligned(3 * 8 * count), first, (8 * count + 4, 8)).T
        compiled_for(program, host(), "d")(x, out=out)
        np.testing.assert_array_equal(out, x * [2.0, 3.0])


def aligned(size: int) -> np.ndarray:
    """Bytes that begin at a multiple of 64."""
    memory = np.empty(size + 64, np.uint8)
    skipped = -memory.ctypes.data % 64
    return memory[skipped : skipped + size]
