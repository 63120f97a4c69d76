"""A compiled program is a NumPy ufunc in every respect; without a compiler it is still right."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from armdyn.program import Port, interpret, trace
from armdyn.targets import compile_program
from armdyn.targets.gufunc import Interface, LoopTable, keep
from armdyn.targets.interpreted import interpreted_loop
from armdyn.targets.kernels import _address_of

PAIR = trace(
    lambda A, u, s: (A @ np.sin(u) * s, s - u[0]),
    [Port("A", (3, 3)), Port("u", (3,)), Port("s", ())],
    ["turned", "rest"],
    name="pair",
)


def interpreted_pair() -> np.ufunc:
    loops = [interpreted_loop(lambda: PAIR, dtype) for dtype in "fd"]
    keep(loops)
    return LoopTable(Interface.of(PAIR), _address_of(loops[0]), _address_of(loops[1])).ufunc


@pytest.fixture(params=["compiled", "interpreted"])
def pair(request: pytest.FixtureRequest) -> np.ufunc:
    return compile_program(PAIR, cache=False) if request.param == "compiled" else interpreted_pair()


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


def test_its_name_signature_types_and_documentation(pair: np.ufunc) -> None:
    assert isinstance(pair, np.ufunc)
    assert pair.__name__ == "pair"
    assert pair.signature == "(3,3),(3),()->(3),()"
    assert pair.types == ["fff->ff", "ddd->dd"]
    assert "pair(A, u, s) -> turned, rest" in pair.__doc__


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("batch", [(), (1,), (0,), (3, 0, 2), (23,), (2, 3, 4)])
def test_batches(pair: np.ufunc, batch: tuple[int, ...], dtype: str) -> None:
    inputs = arguments(*batch, dtype=dtype)
    results = pair(*inputs)
    assert [r.shape for r in results] == [(*batch, 3), batch]
    assert_right(results, inputs, dtype)


def test_leading_axes_broadcast(pair: np.ufunc) -> None:
    A, u, s = general(5, 1, 3, 3), general(7, 3), general(5, 7)
    assert_right(pair(A, u, s), [np.broadcast_to(A, (5, 7, 3, 3)), np.broadcast_to(u, (5, 7, 3)), s])
    assert_right(pair(A[0, 0], u, 2.0), [np.broadcast_to(A[0, 0], (7, 3, 3)), u, np.full(7, 2.0)])


def test_which_loop_is_taken(pair: np.ufunc) -> None:
    A, u, s = arguments(4)
    assert pair(A.astype("f"), u.astype("f"), 1.5)[0].dtype == np.float32
    assert pair(A.astype("f"), u.astype("f"), s.astype("d"))[0].dtype == np.float64
    whole = pair(np.arange(9).reshape(3, 3), [1, 2, 3], 2)
    assert_right(whole, [np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0, 3.0]), np.array(2.0)])
    with pytest.raises(TypeError):
        pair(A + 1j, u, s)


def test_out_is_filled_and_returned(pair: np.ufunc) -> None:
    inputs = arguments(17)
    outputs = (np.full((17, 3), 9.0), np.full(17, 9.0))
    results = pair(*inputs, out=outputs)
    assert results[0] is outputs[0]
    assert results[1] is outputs[1]
    assert_right(results, inputs)


def test_out_may_be_an_input(pair: np.ufunc) -> None:
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


def test_wrong_shapes_are_numpys_errors(pair: np.ufunc) -> None:
    A, _, s = arguments(4)
    with pytest.raises(ValueError, match="core dimension"):
        pair(A, general(4, 2), s)


def test_not_a_number_warns_of_nothing(pair: np.ufunc) -> None:
    A, u, s = arguments(9)
    u[3], A[5, 0, 0], s[7] = np.nan, np.inf, -np.inf
    with np.errstate(all="raise"):
        pair(A, u, s)
        pair(A.astype("f"), u.astype("f"), s.astype("f"))


def test_axes_argument(pair: np.ufunc) -> None:
    A, u, s = arguments(6)
    moved = pair(A.transpose(1, 2, 0), u.T, s, axes=[(0, 1), 0, (), 0, ()])
    np.testing.assert_array_equal(moved[0].T, pair(A, u, s)[0])


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
        from armdyn.targets import compile_program, compiler
        program = trace(lambda q: np.sin(q) + q[0], [Port("q", (3,))], name="f")
        q = np.linspace(-1, 1, 30).reshape(10, 3)
        f = compile_program(program, cache=False)
        def broken(*arguments): raise RuntimeError("no such luck")
        compiler.compile_ir = broken  # float64 is compiled, float32 will not be
        assert np.allclose(f(q.astype("f")), np.sin(q) + q[:, :1])
        assert f(q.astype("f")).dtype == np.float32
        """
    )
    assert output.count("no such luck") == 1


def test_an_interpreter_that_fails_leaves_nan_not_garbage() -> None:
    output = run(
        """
        import sys
        sys.modules["llvmlite"] = None
        import numpy as np
        from armdyn.program import Port, trace
        from armdyn.targets import compile_program, interpreted
        f = compile_program(trace(lambda q: q + 1.0, [Port("q", (3,))], name="f"), cache=False)
        def broken(*arguments): raise MemoryError("full")
        interpreted.evaluate = broken
        print(np.isnan(f(np.ones((4, 3)))).all())
        """
    )
    assert "True" in output
    assert "full" in output
