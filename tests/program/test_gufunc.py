"""A compiled program is a NumPy ufunc in every respect; without a compiler it is still right."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from armdyn.program import Port, interpret, trace
from armdyn.targets import compile_program
from armdyn.targets.gufunc import GufuncInterface
from armdyn.targets.interpreted import InterpretedFunction
from armdyn.targets.kernels import NumpyFunction

PAIR = trace(
    lambda A, u, s: (A @ np.sin(u) * s, s - u[0]),
    [Port("A", (3, 3)), Port("u", (3,)), Port("s", ())],
    ["turned", "rest"],
    name="pair",
)


INTERPRETED = InterpretedFunction(lambda: PAIR, GufuncInterface.of(PAIR))


@pytest.fixture
def compiled() -> np.ufunc:
    return compile_program(PAIR, cache=False)


@pytest.fixture(params=["compiled", "interpreted"])
def pair(request: pytest.FixtureRequest, compiled: np.ufunc) -> NumpyFunction:
    return compiled if request.param == "compiled" else INTERPRETED


def general(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def arguments(*batch: int, dtype: str = "d") -> list[np.ndarray]:
    return [general(*batch, *port.shape, seed=k).astype(dtype) for k, port in enumerate(PAIR.inputs)]


def assert_right(results: tuple[np.ndarray, ...], inputs: list[np.ndarray], dtype: str = "d") -> None:
    for result, expected in zip(results, interpret(PAIR, *inputs, dtype=dtype), strict=True):
        assert result.dtype == dtype
        np.testing.assert_allclose(
            result, expected, rtol=1e-12 if dtype == "d" else 1e-4, atol=1e-12 if dtype == "d" else 1e-5
        )


def test_its_name_signature_types_and_documentation(pair: NumpyFunction) -> None:
    assert pair.__name__ == "pair"
    assert pair.signature == "(3,3),(3),()->(3),()"
    assert (pair.nin, pair.nout) == (3, 2)
    assert "pair(A, u, s) -> turned, rest" in pair.__doc__


def test_a_compiled_one_is_a_ufunc(compiled: np.ufunc) -> None:
    assert isinstance(compiled, np.ufunc)
    assert compiled.types == ["fff->ff", "ddd->dd"]


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("batch", [(), (1,), (0,), (3, 0, 2), (23,), (2, 3, 4)])
def test_batches(pair: NumpyFunction, batch: tuple[int, ...], dtype: str) -> None:
    inputs = arguments(*batch, dtype=dtype)
    results = pair(*inputs)
    assert [r.shape for r in results] == [(*batch, 3), batch]
    assert_right(results, inputs, dtype)


def test_leading_axes_broadcast(pair: NumpyFunction) -> None:
    A, u, s = general(5, 1, 3, 3), general(7, 3), general(5, 7)
    assert_right(pair(A, u, s), [np.broadcast_to(A, (5, 7, 3, 3)), np.broadcast_to(u, (5, 7, 3)), s])
    assert_right(pair(A[0, 0], u, 2.0), [np.broadcast_to(A[0, 0], (7, 3, 3)), u, np.full(7, 2.0)])


def test_which_loop_is_taken(pair: NumpyFunction) -> None:
    A, u, s = arguments(4)
    assert pair(A.astype("f"), u.astype("f"), 1.5)[0].dtype == np.float32
    assert pair(A.astype("f"), u.astype("f"), s.astype("d"))[0].dtype == np.float64
    whole = pair(np.arange(9).reshape(3, 3), [1, 2, 3], 2)
    assert_right(whole, [np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0, 3.0]), np.array(2.0)])
    with pytest.raises(TypeError):
        pair(A + 1j, u, s)


def test_out_is_filled_and_returned(pair: NumpyFunction) -> None:
    inputs = arguments(17)
    outputs = (np.full((17, 3), 9.0), np.full(17, 9.0))
    results = pair(*inputs, out=outputs)
    assert results[0] is outputs[0]
    assert results[1] is outputs[1]
    assert_right(results, inputs)


def test_out_may_be_an_input(pair: NumpyFunction) -> None:
    """Exactly or shifted: NumPy makes the copies that are needed."""
    A, u, s = arguments(40)
    expected = pair(A, u, s)
    in_place_u, in_place_s = u.copy(), s.copy()
    pair(A, in_place_u, in_place_s, out=(in_place_u, in_place_s))
    np.testing.assert_array_equal(in_place_u, expected[0])
    np.testing.assert_array_equal(in_place_s, expected[1])
    for shift in (1, 5, 8):
        memory = np.zeros((40 + shift, 3))
        memory[:40] = u
        pair(A, memory[:40], s, out=(memory[shift:], None))
        np.testing.assert_array_equal(memory[shift:], expected[0])
        memory[shift:] = u
        pair(A, memory[shift:], s, out=(memory[:40], None))
        np.testing.assert_array_equal(memory[:40], expected[0])
    reversed_u = u.copy()
    pair(A, reversed_u, s, out=(reversed_u[::-1], None))
    np.testing.assert_array_equal(reversed_u[::-1], expected[0])


def test_wrong_shapes_are_errors_as_numpys(pair: NumpyFunction) -> None:
    A, u, s = arguments(4)
    for arrays in ((A, general(4, 2), s), (A, u, general(3)), (A, 1.0, s)):
        with pytest.raises(ValueError, match=r"dimension|shape|broadcast"):
            pair(*arrays)
    with pytest.raises(TypeError, match="3"):
        pair(A, u)


@pytest.mark.parametrize(
    ("out", "error"),
    [
        ((np.zeros((4, 3)),), ValueError),
        ((np.zeros((5, 3)), None), ValueError),
        ((np.zeros((4, 3), int), None), TypeError),
        ((np.broadcast_to(0.0, (4, 3)), None), ValueError),
        (([0.0] * 3, None), TypeError),
    ],
)
def test_out_that_does_not_fit_is_an_error_as_numpys(pair: NumpyFunction, out: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        pair(*arguments(4), out=out)


def test_out_may_be_of_another_type_and_a_larger_batch(pair: NumpyFunction) -> None:
    A, u, s = arguments()
    out = np.zeros((7, 3), np.float32), np.zeros(7)
    results = pair(A, u, s, out=out)
    assert results[0] is out[0]
    np.testing.assert_allclose(out[0], np.broadcast_to(A @ np.sin(u) * s, (7, 3)), rtol=1e-6)
    np.testing.assert_array_equal(out[1], np.full(7, s - u[0]))


def test_states_that_are_interpreted_in_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.targets.interpreted._NUMBERS_AT_ONCE", 5 * len(PAIR.nodes))
    A, u, s = general(4, 6, 3, 3), general(3), general(6)
    expected = compile_program(PAIR, cache=False)(A, u, s)
    for result, other in zip(INTERPRETED(A, u, s), expected, strict=True):
        np.testing.assert_allclose(result, other, rtol=1e-15, atol=1e-15)


def test_one_result_without_axes_is_a_number() -> None:
    length = trace(lambda u: np.sqrt(u @ u), [Port("u", (2,))], name="length")
    for function in (
        compile_program(length, cache=False),
        InterpretedFunction(lambda: length, GufuncInterface.of(length)),
    ):
        found = function([3.0, 4.0])
        assert (type(found), found) == (np.float64, 5.0)
        assert function(np.float32([3.0, 4.0])).dtype == np.float32


def test_not_a_number_warns_of_nothing(pair: NumpyFunction) -> None:
    A, u, s = arguments(9)
    u[3], A[5, 0, 0], s[7] = np.nan, np.inf, -np.inf
    with np.errstate(all="raise"):
        pair(A, u, s)
        pair(A.astype("f"), u.astype("f"), s.astype("f"))


def test_axes_argument(compiled: np.ufunc) -> None:
    A, u, s = arguments(6)
    moved = compiled(A.transpose(1, 2, 0), u.T, s, axes=[(0, 1), 0, (), 0, ()])
    np.testing.assert_array_equal(moved[0].T, compiled(A, u, s)[0])


def test_the_same_program_gives_the_same_ufunc() -> None:
    assert compile_program(PAIR, cache=False) is compile_program(PAIR, cache=False)


def run(code: str) -> str:
    command = [sys.executable, "-W", "always", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_without_llvmlite_the_interpreter_runs_and_says_so_once() -> None:
    output = run(
        """
        import sys
        sys.modules["llvmlite"] = None
        import numpy as np
        from armdyn.program import Port, trace
        from armdyn.targets import compile_program
        for k in range(3):
            f = compile_program(trace(lambda q: np.sin(q) * k + q[0], [Port("q", (3,))], name="f"), cache=False)
            for dtype in "df":
                q = np.linspace(-1, 1, 30).reshape(10, 3).astype(dtype)
                assert np.allclose(f(q), np.sin(q) * k + q[:, :1]) and f(q).dtype == dtype
        """
    )
    assert output.count("RuntimeWarning") == 1
    assert "pip install llvmlite" in output


def test_where_compiling_fails_the_interpreter_runs() -> None:
    output = run(
        """
        import numpy as np
        from armdyn.program import Port, trace
        from armdyn.targets import kernel_of
        from armdyn.targets.llvm import compiler
        program = trace(lambda q: np.sin(q) + q[0], [Port("q", (3,))], name="f")
        q = np.linspace(-1, 1, 30).reshape(10, 3)
        f = kernel_of(program, cache=False)
        def broken(*arguments, **how): raise RuntimeError("no such luck")
        compiler.compile_ir = broken  # float64 is compiled, float32 will not be
        for dtype, kind in (("f", "InterpretedFunction"), ("d", "ufunc"), ("f", "InterpretedFunction")):
            function = f.for_arrays([q.astype(dtype)])
            assert type(function).__name__ == kind
            assert np.allclose(function(q.astype(dtype)), np.sin(q) + q[:, :1])
            assert function(q.astype(dtype)).dtype == dtype
        """
    )
    assert output.count("no such luck") == 1


def test_an_interpreter_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("armdyn.targets.interpreted.interpret", interrupted)
    with pytest.raises(KeyboardInterrupt):
        INTERPRETED(*arguments(4))
