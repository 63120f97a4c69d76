"""The C function for single states: the same numbers as the ufunc, everything else left to Python, nothing leaked."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, Program, trace
from armdyn.targets import compile_program
from armdyn.targets.kernels import kernel_of
from armdyn.targets.native import direct

pytest.importorskip("llvmlite")
if direct._entry() is None:
    pytest.skip("this Python or NumPy is not known to the C function", allow_module_level=True)

TURN = trace(
    lambda A, u, s: (A @ np.sin(u) * s, s - u[0], np.outer(u, A[0])),
    [Port("A", (2, 3)), Port("u", (3,)), Port("s", ())],
    ["turned", "rest", "product"],
    name="turn",
)
LENGTH = trace(lambda u: np.sqrt(u @ u), [Port("u", (3,))], name="length")


class Turned(NamedTuple):
    turned: Any
    rest: Any
    product: Any


def general(*shape: int, seed: int = 0) -> np.ndarray:
    return np.array(np.random.default_rng(seed).uniform(-2.0, 2.0, shape))


def state(program: Program) -> list[np.ndarray]:
    return [general(*port.shape, seed=k) for k, port in enumerate(program.inputs)]


def record_of(program: Program, container: Any = None) -> bytes:
    return direct.record(kernel_of(program, cache=False).for_float64, container)


class Front:
    """A class whose calls go to C; what is left to Python is noted."""

    def __init__(self, *records: bytes) -> None:
        self.records = b"".join(records) + direct.NO_RECORDS
        self.left: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, *arrays: Any, **keywords: Any) -> str:
        self.left.append((arrays, keywords))
        return "left to Python"


TRIAL = compile_program(TURN, cache=False)
Front.__call__ = direct.call_method(Front.__call__, "records", TRIAL)  # type: ignore[method-assign]


def assert_same_bits(results: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    for result, other in zip(results, expected, strict=True):
        assert type(result) is type(other)
        assert (result.dtype, result.shape) == (other.dtype, other.shape)
        assert result.tobytes() == other.tobytes()


def test_several_results_are_the_ufuncs() -> None:
    front = Front(record_of(TURN, Turned))
    results = front(*state(TURN))
    assert isinstance(results, Turned)
    assert_same_bits(results, compile_program(TURN, cache=False)(*state(TURN)))
    assert results.product.flags.c_contiguous
    assert results.product.flags.owndata
    assert results.product.flags.writeable
    assert not front.left


def test_a_scalar_result_is_a_number_as_the_ufuncs_is() -> None:
    front = Front(record_of(LENGTH))
    assert_same_bits((front(general(3)),), (compile_program(LENGTH, cache=False)(general(3)),))
    assert type(front(general(3))) is np.float64
    assert not front.left


def test_the_record_for_the_number_of_arrays_is_taken() -> None:
    double, total = (
        trace(lambda u: 2.0 * u, [Port("u", (3,))], name="double"),
        trace(lambda u, v: u + v, [Port("u", (3,)), Port("v", (3,))], name="total"),
    )
    front = Front(record_of(TURN, Turned), record_of(double), record_of(total))
    u, v = general(3), general(3, seed=1)
    np.testing.assert_array_equal(front(u), 2.0 * u)
    np.testing.assert_array_equal(front(u, v), u + v)
    assert front(*state(TURN)).turned.shape == (2,)
    assert not front.left
    assert front() == front(u, v, u, v) == "left to Python"


class Subclass(np.ndarray):
    pass


def misaligned(values: np.ndarray) -> np.ndarray:
    array = np.empty(values.nbytes + 1, np.uint8)[1:].view(np.float64)
    array[:] = values
    return array


NOT_A_PLAIN_STATE: dict[str, Any] = {
    "list": [1.0, 2.0, 3.0],
    "none": None,
    "number": 1.0,
    "text": "abc",
    "float32": np.ones(3, np.float32),
    "integers": np.ones(3, int),
    "complex numbers": np.ones(3, complex),
    "the other byte order": np.ones(3, np.dtype(np.float64).newbyteorder()),
    "batch": np.ones((5, 3)),
    "batch of one": np.ones((1, 3)),
    "too long": np.ones(4),
    "too short": np.ones(2),
    "empty": np.ones(0),
    "scalar": np.array(1.0),
    "numpy number": np.float64(1.0),
    "every other": np.ones(6)[::2],
    "backwards": np.ones(3)[::-1],
    "broadcast": np.broadcast_to(np.ones(1), 3),
    "misaligned": misaligned(np.ones(3)),
    "masked": np.ma.ones(3),
    "subclass": np.ones(3).view(Subclass),
    "type": np.ndarray,
}


@pytest.mark.parametrize("kind", NOT_A_PLAIN_STATE)
def test_what_is_not_a_plain_state_is_left_to_python_as_it_came(kind: str) -> None:
    front = Front(record_of(TURN, Turned))
    A, _, s = state(TURN)
    value = NOT_A_PLAIN_STATE[kind]
    assert front(A, value, s) == "left to Python"
    ((arrays, keywords),) = front.left
    assert arrays[0] is A
    assert arrays[1] is value
    assert arrays[2] is s
    assert keywords == {}


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 1), (2, 4)], ids=str)
def test_every_extent_counts(shape: tuple[int, ...]) -> None:
    front = Front(record_of(TURN, Turned))
    _, u, s = state(TURN)
    assert front(np.ones(shape), u, s) == "left to Python"
    assert front(np.asfortranarray(np.ones((2, 3))), u, s) == "left to Python"
    assert front(np.ones((2, 3)), u, np.ones(1)) == "left to Python"
    assert isinstance(front(np.ones((2, 3)), u, s), Turned)


def test_other_keywords_are_left_to_python() -> None:
    front = Front(record_of(TURN, Turned))
    A, u, s = state(TURN)
    assert front(A, u=u, s=s) == front(A, u, s, out=room(), workers=1) == front(A, u, s, Out=room()) == "left to Python"
    assert [list(keywords) for _, keywords in front.left] == [["u", "s"], ["out", "workers"], ["Out"]]


def room() -> tuple[np.ndarray, ...]:
    """Arrays for the results of `TURN`."""
    return np.zeros(2), np.zeros(()), np.zeros((3, 3))


@pytest.mark.parametrize("kind", [tuple, Turned._make])
def test_results_in_given_arrays(kind: Any) -> None:
    front, out = Front(record_of(TURN, Turned)), room()
    results = front(*state(TURN), out=kind(out))
    assert isinstance(results, Turned)
    assert all(result is given for result, given in zip(results, out, strict=True))
    expected = compile_program(TURN, cache=False)(*state(TURN))
    assert all(given.tobytes() == wanted.tobytes() for given, wanted in zip(out, expected, strict=True))
    assert not front.left


def test_a_single_result_in_a_given_array() -> None:
    u, out = general(3), np.zeros(())
    front = Front(record_of(LENGTH))
    assert front(u, out=out) is out
    assert out == compile_program(LENGTH, cache=False)(u)
    doubled = Front(record_of(trace(lambda u: 2.0 * u[::-1], [Port("u", (3,))], name="doubled")))
    expected = 2.0 * u[::-1]
    assert doubled(u, out=u) is u  # over its own argument
    np.testing.assert_array_equal(u, expected)
    assert not front.left
    assert not doubled.left


def read_only() -> np.ndarray:
    array = np.zeros((3, 3))
    array.flags.writeable = False
    return array


NO_ROOM: dict[str, Any] = {
    "nothing": None,
    "one array": np.zeros((3, 3)),
    "a list": list(room()),
    "too few": room()[:2],
    "too many": (*room(), np.zeros(2)),
    "nothing for one": (*room()[:2], None),
    "read-only": (*room()[:2], read_only()),
    "columns first": (*room()[:2], np.zeros((3, 3), order="F")),
    "rows with gaps": (*room()[:2], np.zeros((3, 4))[:, :3]),
    "float32": (*room()[:2], np.zeros((3, 3), np.float32)),
    "batch": (*room()[:2], np.zeros((1, 3, 3))),
    "another shape": (*room()[:2], np.zeros((3, 2))),
    "subclass": (*room()[:2], np.zeros((3, 3)).view(Subclass)),
    "misaligned": (misaligned(np.zeros(2)), *room()[1:]),
}


@pytest.mark.parametrize("kind", NO_ROOM)
def test_other_room_is_left_to_python_as_it_came(kind: str) -> None:
    front = Front(record_of(TURN, Turned))
    assert front(*state(TURN), out=NO_ROOM[kind]) == "left to Python"
    assert front.left[0][1]["out"] is NO_ROOM[kind]


def test_read_only_arrays_and_overlapping_ones_are_plain() -> None:
    front = Front(record_of(TURN, Turned))
    A = general(2, 3)
    A.flags.writeable = False
    u, s = A[1], A[0, :1].reshape(())
    before = A.copy()
    assert_same_bits(front(A, u, s), compile_program(TURN, cache=False)(A, u, s))
    np.testing.assert_array_equal(A, before)
    assert not front.left


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 1e300, 5e-324])
def test_special_numbers_travel_silently_as_through_the_ufunc(special: float) -> None:
    front = Front(record_of(TURN, Turned))
    A, u, s = state(TURN)
    u[1] = special
    with np.errstate(all="raise"):
        results = front(A, u, s)
    assert_same_bits(results, compile_program(TURN, cache=False)(A, u, s))
    assert np.isnan(results.turned).all() == (not np.isfinite(special))


def test_an_exception_in_python_arrives() -> None:
    class Strict:
        records = direct.NO_RECORDS

        def __call__(self, *arrays: Any) -> Any:
            raise LookupError(f"{len(arrays)} arrays")

    Strict.__call__ = direct.call_method(Strict.__call__, "records", TRIAL)  # type: ignore[method-assign]
    with pytest.raises(LookupError, match="2 arrays"):
        Strict()(1, 2)


def test_misuse_is_an_exception() -> None:
    front = Front()
    del front.records
    with pytest.raises(AttributeError, match="records"):
        front(general(3))
    front.records = 7  # type: ignore[assignment]
    with pytest.raises(TypeError):
        front(general(3))
    with pytest.raises(TypeError):
        Front.__call__()


def many(inputs: int, outputs: int) -> Program:
    """Each result is twice an array; a record's sizes are of all ranks."""
    ports = [Port(f"x{k}", (k % 3 + 1, 2)[: k % 3]) for k in range(inputs)]
    names = [f"y{k}" for k in range(outputs)]
    return trace(lambda *x: tuple(2.0 * x[k % inputs] for k in range(outputs)), ports, names, name="many")


@pytest.mark.slow
def test_too_many_arguments_make_no_record() -> None:
    assert record_of(many(16, 16), together) != b""
    assert record_of(many(17, 1)) == b""
    assert record_of(many(15, 17), together) == b""
    assert record_of(many(3, 1)) != b""
    assert record_of(many(3, 2)) == b""
    assert direct.record(np.linalg._umath_linalg.solve) == b""  # a ufunc of others


@pytest.mark.slow
def test_as_many_arguments_as_there_can_be() -> None:
    program = many(16, 16)
    front = Front(record_of(program, together))
    arrays = state(program)
    for result, array in zip(front(*arrays), arrays, strict=True):
        np.testing.assert_array_equal(result, 2.0 * array)
    assert not front.left


def together(*results: Any) -> tuple[Any, ...]:
    return results


def counts(*things: Any) -> list[int]:
    return [sys.getrefcount(thing) for thing in things]


def raising(*results: Any) -> Any:
    raise ArithmeticError(len(results))


@pytest.mark.short_run("keywords-False", "container fails-True")
@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("case", ["direct", "left to Python", "container fails", "keywords"])
def test_references_are_given_back(case: str, out: bool) -> None:
    front = Front(record_of(TURN, raising if case == "container fails" else Turned))
    A, u, s = state(TURN)
    given = room()
    float64, held = np.dtype(np.float64), [front, front.records, A, u, s, Turned, raising, given, *given]
    keywords = {"out": given} if out else {}

    def call() -> None:
        if case == "container fails":
            with pytest.raises(ArithmeticError, match="3"):
                front(A, u, s, **keywords)
        elif case == "keywords":
            front(A, u, s=s, **keywords)
        else:
            front(A, u if case == "direct" else [1.0, 2.0, 3.0], s, **keywords)
        front.left.clear()

    call()
    gc.collect()
    before, arrays_before = counts(float64, *held), counts(np.ndarray)
    for _ in range(100):
        call()
    gc.collect()
    assert counts(*held) == before[1:]
    assert abs(counts(float64)[0] - before[0]) < 50  # other threads' arrays hold it too
    assert abs(counts(np.ndarray)[0] - arrays_before[0]) < 50


def test_results_live_as_long_as_somebody_holds_them() -> None:
    front = Front(record_of(TURN, Turned))
    results = front(*state(TURN))
    watched = [weakref.ref(results.turned), weakref.ref(results.product)]
    assert [sys.getrefcount(results.turned), sys.getrefcount(results.product)] == [2, 2]
    del results
    assert [watch() for watch in watched] == [None, None]


def test_results_of_a_failing_container_are_freed() -> None:
    watched = []

    def failing(*results: Any) -> Any:
        watched.extend(weakref.ref(result) for result in results if isinstance(result, np.ndarray))
        raise ArithmeticError

    front = Front(record_of(TURN, failing))
    with pytest.raises(ArithmeticError):
        front(*state(TURN))
    gc.collect()
    assert [watch() for watch in watched] == [None, None]


# Through a robot.


@pytest.fixture
def ur5() -> armdyn.Robot:
    return armdyn.load("ur5")


def forget_the_slow_way(function: Any) -> None:
    """Whatever gets to Python from now on has to choose its kernel anew, and is seen to."""
    function._by_position.clear()
    function._kernels.clear()


def test_a_robots_single_state_does_not_pass_through_python(ur5: armdyn.Robot) -> None:
    q, qd, qdd, f_tip = (general(n, seed=n) for n in (6, 6, 6, 6))
    function = ur5.inverse_dynamics
    by_name = function(q=q, qd=qd, qdd=qdd), function(q=q, qd=qd, qdd=qdd, f_tip=f_tip)
    forget_the_slow_way(function)
    assert_same_bits((function(q, qd, qdd), function(q, qd, qdd, f_tip)), by_name)
    assert not function._kernels
    assert_same_bits((function(q, qd, qdd, None),), by_name[:1])
    assert function._kernels


def test_given_arrays_do_not_pass_through_python_either(ur5: armdyn.Robot) -> None:
    state = [general(6, seed=k) for k in range(3)]
    expected, motion = ur5.inverse_dynamics(*state), ur5.link_motion(*state)
    tau, room = np.zeros(6), tuple(np.zeros_like(result) for result in motion)
    forget_the_slow_way(ur5.inverse_dynamics)
    forget_the_slow_way(ur5.link_motion)
    assert ur5.inverse_dynamics(*state, out=tau) is tau
    again = ur5.link_motion(*state, out=room)
    assert type(again) is type(motion)
    assert ur5.link_motion(*state, out=again)[0] is room[0]
    assert not ur5.inverse_dynamics._kernels
    assert not ur5.link_motion._kernels
    assert tau.tobytes() == expected.tobytes()
    assert [given.tobytes() for given in room] == [result.tobytes() for result in motion]


def test_results_keep_their_names(ur5: armdyn.Robot) -> None:
    state = [general(6, seed=k) for k in range(3)]
    expected = ur5.link_motion(*state)
    forget_the_slow_way(ur5.link_motion)
    motion = ur5.link_motion(*state)
    assert not ur5.link_motion._kernels
    assert type(motion) is type(expected)
    assert_same_bits(motion, expected)


def test_a_users_function_with_parameters_and_several_results(ur5: armdyn.Robot) -> None:
    @armdyn.function("(n)->(n),()")
    def pulled(model: Any, q: Any) -> Any:
        """Gravity forces, N m, and their power at unit velocities, shapes (n) and scalar."""
        tau = armdyn.algorithms.gravity_forces(model, q)
        return tau, tau.sum()

    compiled = ur5.compile(pulled, parameters=("gravity",))
    q, gravity = general(6), np.array([0.3, -1.0, 9.0])
    expected = compiled(q[None], gravity)
    tau, power = compiled(q, gravity)
    forget_the_slow_way(compiled)
    results = compiled(q, gravity)
    assert not compiled._kernels
    assert type(results) is tuple
    assert_same_bits(results, (tau, power))
    assert_same_bits((tau,), (expected[0][0],))
    assert power == expected[1][0]


def test_pickled_robots_and_functions_start_anew(ur5: armdyn.Robot) -> None:
    q = general(6)
    gravity = ur5.gravity_forces(q)
    copies = pickle.loads(pickle.dumps((ur5, ur5.gravity_forces)))  # noqa: S301
    for function in (copies[0].gravity_forces, copies[1]):
        assert function._records == direct.NO_RECORDS
        np.testing.assert_array_equal(function(q), gravity)
        assert function._records != direct.NO_RECORDS


def test_functions_are_freed(ur5: armdyn.Robot) -> None:
    ur5.gravity_forces(general(6))  # the first of its kind is kept, to be compiled in single precision too
    robot = armdyn.load("ur5")
    robot.gravity_forces(general(6))
    assert robot.gravity_forces._records != direct.NO_RECORDS
    watch = weakref.ref(robot.gravity_forces)
    del robot
    gc.collect()
    assert watch() is None


def test_errors_are_explained_as_before(ur5: armdyn.Robot) -> None:
    q = general(6)
    ur5.inverse_dynamics(q, q, q)
    with pytest.raises(
        armdyn.ShapeError, match=r"^qd has shape \(5,\); expected \(..., 6\), one value per joint of 'ur5'"
    ):
        ur5.inverse_dynamics(q, q[:5], q)
    with pytest.raises(TypeError, match=r"inverse_dynamics\(\) misses qdd"):
        ur5.inverse_dynamics(q, q)
    with pytest.raises(TypeError, match=r"mass_matrix\(\) takes \d arrays? .*; got 9"):
        ur5.mass_matrix(*[q] * 9)


def test_first_calls_from_many_threads_at_once() -> None:
    robot, q = armdyn.load("ur5"), general(6)
    expected = armdyn.load("ur5").bias_forces(q, q)
    together, results = threading.Barrier(8), []

    def work() -> None:
        together.wait()
        results.extend(robot.bias_forces(q, q) for _ in range(200))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 1600
    assert all(np.array_equal(result, expected) for result in results)


def run(code: str, **environment: str) -> str:
    prelude = """
        import sys
        import numpy as np
        import armdyn
        from armdyn.targets.native import direct
        q = np.linspace(-1.0, 2.0, 6)
        def bias():
            return armdyn.load("ur5").bias_forces(q, 0.5 * q).tolist()
    """
    command = [sys.executable, "-W", "always", "-c", textwrap.dedent(prelude) + textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment or None)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@cache
def with_it() -> str:
    return run("print(bias())")


UNAVAILABLE = {
    "another layout": "direct._is_known = lambda: False",
    "no memory for code": "direct.helper = lambda *_: None",
    "wrong results": "direct._works = lambda entry, trial: False",
    "an error": "direct._is_known = lambda: 1 / 0",
    "a damaged table": "direct.numpy_table = lambda name: [0] * 300",
}


@pytest.mark.parametrize("reason", UNAVAILABLE)
def test_where_it_cannot_be_had_ufuncs_do_the_same_silently(reason: str) -> None:
    code = f"""
        {UNAVAILABLE[reason]}
        print(bias())
        assert type(armdyn.functions.compiled.CompiledFunction.__call__).__name__ == "function"
    """
    assert run(code) == with_it()


def test_the_environment_can_keep_it_away() -> None:
    code = """
        print(bias())
        assert type(armdyn.functions.compiled.CompiledFunction.__call__).__name__ == "function"
    """
    assert run(code, **{**os.environ, "ARMDYN_NATIVE": "0"}) == with_it()


def test_without_a_compiler_there_is_one_warning_as_before(tmp_path: Any) -> None:
    code = """
        sys.modules["llvmlite"] = None
        assert np.isfinite(bias()).all()
        assert np.isfinite(bias()).all()
    """
    output = run(code, **{**os.environ, "ARMDYN_CACHE_DIR": str(tmp_path)})
    assert output.count("llvmlite is not installed") == 1


def test_the_second_process_needs_no_compiler(tmp_path: Any) -> None:
    environment = {**os.environ, "ARMDYN_CACHE_DIR": str(tmp_path)}
    first = run("print(bias()); assert 'llvmlite' in sys.modules", **environment)
    code = """
        print(bias())
        assert 'llvmlite' not in sys.modules
        assert type(armdyn.functions.compiled.CompiledFunction.__call__).__name__ != "function"
    """
    assert run(code, **environment) == first
