"""Calls of kernels with arrays of CuPy, PyTorch and JAX on a GPU: layouts, streams, rollouts, products, errors."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, ShapeError
from armdyn.program import Port, interpret, trace
from armdyn.targets.cuda.driver import CudaError, DeviceError
from targets import cuda_on_gpu  # noqa: F401 - skips all where there is no GPU
from targets.gpu_arrays import ARRAYS
from targets.test_cuda import damped, expected_rollout, fall

RNG = np.random.default_rng(44)
UR5 = armdyn.load("ur5")
ID = UR5.inverse_dynamics
RTOL = {"float64": 1e-12, "float32": 3e-6}


@pytest.fixture(autouse=True)
def _usual_jax() -> Iterator[None]:
    """JAX without float64 afterwards, as other tests expect it."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_enable_x64", False)


@pytest.fixture(params=ARRAYS)
def arrays(request: pytest.FixtureRequest) -> Any:
    return ARRAYS[request.param]()


@pytest.fixture(params=["cupy", "torch"])
def viewed(request: pytest.FixtureRequest) -> Any:
    """Libraries with views and streams."""
    return ARRAYS[request.param]()


def states(*shape: int, dtype: str = "float64") -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(dtype)


def assert_close(found: np.ndarray, q: Any, dtype: str = "float64") -> None:
    """Beside the processor's float64."""
    expected = ID(*(np.asarray(a, float) for a in q))
    assert found.dtype == dtype
    assert found.shape == expected.shape
    if expected.size:
        np.testing.assert_allclose(found, expected, rtol=0, atol=RTOL[dtype] * np.abs(expected).max())


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 1_000_001])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_batches(arrays: Any, dtype: str, count: int) -> None:
    kernel = ID.to_cuda(dtype=dtype)
    q = [states(count, 6, dtype=dtype) for _ in range(3)]
    assert_close(arrays.numbers(kernel(*map(arrays.given, q))), q, dtype)
    last = kernel(*(arrays.given(a.T.copy()) for a in q), states="last")
    assert_close(arrays.numbers(last).T, q, dtype)


def test_one_state(arrays: Any) -> None:
    q = [states(6) for _ in range(3)]
    assert_close(arrays.numbers(ID.to_cuda()(*map(arrays.given, q))), q)


def test_views(viewed: Any) -> None:
    """Transposed, with gaps, with an offset, and every other state, none of which is copied."""
    kernel = ID.to_cuda()
    wide = [viewed.given(states(300, 9)) for _ in range(3)]
    turned = [viewed.given(states(6, 300)).T for _ in range(3)]
    for q in (
        turned,
        [a[:, 1:7] for a in wide],
        [a[:, 2:8] for a in wide],
        [a[1::3, :6] for a in wide],
        [a[7:, :6] for a in wide],
        [turned[0], wide[1][:, 3:], wide[2][:, :6]],
    ):
        assert_close(viewed.numbers(kernel(*q)), [viewed.numbers(a) for a in q])
    found = kernel(*turned)
    assert found.T.shape == (6, 300)
    assert viewed.numbers(found.T).flags.c_contiguous


def test_reversed_states() -> None:
    """Strides below zero, which CuPy alone has."""
    cupy = ARRAYS["cupy"]()
    q = [cupy.given(states(50, 6)) for _ in range(3)]
    found = ID.to_cuda()(*(a[::-1] for a in q))
    assert_close(cupy.numbers(found), [cupy.numbers(a)[::-1] for a in q])


@pytest.mark.parametrize("where", ["first", "last"])
def test_broadcasting(arrays: Any, where: str) -> None:
    """One state for all, an axis more or less, and one that lies in no line."""
    kernel = ID.to_cuda()
    for shapes in (
        [(5, 7, 6), (6,), (1, 1, 6)],
        [(5, 1, 6), (7, 6), (6,)],
        [(7, 6), (5, 7, 6), (5, 1, 6)],
        [(1, 6), (6,), (40, 6)],
    ):
        q = [states(*shape) for shape in shapes]
        turned = q if where == "first" else [np.moveaxis(a, -1, 0).copy() for a in q]
        found = arrays.numbers(kernel(*map(arrays.given, turned), states=where))
        assert_close(found if where == "first" else np.moveaxis(found, 0, -1), q)


def test_stride_zero(viewed: Any) -> None:
    q, qd, qdd = states(100, 6), states(1, 6), states(100, 6)
    one = viewed.given(qd)
    repeated = viewed.cupy.broadcast_to(one, (100, 6)) if hasattr(viewed, "cupy") else one.expand(100, 6)
    found = ID.to_cuda()(viewed.given(q), repeated, viewed.given(qdd))
    assert_close(viewed.numbers(found), [q, np.broadcast_to(qd, (100, 6)), qdd])


def test_out(viewed: Any) -> None:
    """Every number is written, and none beside them."""
    kernel = ID.to_cuda()
    q = [states(257, 6) for _ in range(3)]
    given = [viewed.given(a) for a in q]
    room = viewed.given(np.full((259, 11), np.nan))
    out = room[1:258, 2:8]
    assert kernel(*given, out=out) is out
    whole = viewed.numbers(room)
    assert_close(np.ascontiguousarray(whole[1:258, 2:8]), q)
    whole[1:258, 2:8] = np.nan
    assert np.isnan(whole).all()
    assert kernel(*given, out=given[0]) is given[0]  # a thread has read its state before it writes
    assert_close(viewed.numbers(given[0]), q)


def test_streams(viewed: Any) -> None:
    """The kernel takes its place between work before and after it on a stream; the processor does not wait."""
    kernel = ID.to_cuda()
    q = [states(1000, 6) for _ in range(3)]
    given = [viewed.given(a) for a in q]
    kernel(*given)  # loaded
    work = viewed.slow()
    with viewed.stream():
        for is_warm in (False, True):  # first the library compiles its own kernels and takes memory
            moved = given[0] + work() + 1.0
            found = kernel(moved, *given[1:])
            twice = 2.0 * found
            assert not (is_warm and viewed.is_idle())
            result = viewed.numbers(twice)
    assert_close(result / 2.0, [q[0] + 1.0, *q[1:]])


def test_work_of_jax() -> None:
    """What JAX has begun is done before a kernel reads it, and what a kernel found before JAX goes on."""
    jax = ARRAYS["jax"]()
    kernel, q = ID.to_cuda(), [states(1000, 6) for _ in range(3)]
    given, work = [jax.given(a) for a in q], jax.slow()
    found = kernel(given[0] + work() + 1.0, *given[1:])
    assert_close(jax.numbers(2.0 * found) / 2.0, [q[0] + 1.0, *q[1:]])
    assert_close(jax.numbers(found), [q[0] + 1.0, *q[1:]])
    again = kernel(given[0], *given[1:])
    assert_close(jax.numbers(found), [q[0] + 1.0, *q[1:]])  # a result is nobody else's memory
    assert_close(jax.numbers(again), q)


@pytest.mark.parametrize("where", ["first", "last"])
def test_rollout(arrays: Any, where: str) -> None:
    rollout = damped()
    x, v, u, d = states(300, 2), states(300, 2), states(5, 300, 2), states(300)
    given = [x, v, u, d] if where == "first" else [x.T.copy(), v.T.copy(), u.transpose(0, 2, 1).copy(), d]
    found = rollout.to_cuda()(*map(arrays.given, given), steps=5, every=2, states=where)
    final_x, final_v, sizes, xs = map(arrays.numbers, found)
    if where == "last":
        final_x, final_v, xs = final_x.T, final_v.T, xs.transpose(0, 2, 1)
    expected = expected_rollout(rollout, x, v, u.transpose(1, 0, 2), d, 2)
    for one, other in zip((final_x, final_v, sizes.T, xs.transpose(1, 0, 2)), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rollout_of_an_arm(arrays: Any, dtype: str) -> None:
    """Beside the same rollout on the processor; torques over time that all arms share."""
    falls = armdyn.functions.CompiledRollout(UR5, fall, over_time=["tau"], record=["q"])
    q, qd, tau = states(200, 6, dtype=dtype), states(200, 6, dtype=dtype), states(20, 1, 6, dtype=dtype)
    found = falls.to_cuda(dtype=dtype)(*map(arrays.given, (q, qd, tau)), steps=20, every=3)
    expected = falls(*(a.astype(float) for a in (q, qd, tau)), steps=20, every=3)
    for one, other in zip(found, (expected.final.q, expected.final.qd, expected.rows.q), strict=True):
        rtol = 30 * RTOL[dtype]  # of twenty steps
        np.testing.assert_allclose(arrays.numbers(one), other, rtol=0, atol=rtol * np.abs(other).max())


def test_products(arrays: Any) -> None:
    """The adjoint and the tangent of inverse dynamics, several results of one kernel."""
    for program in (ID.program().vjp(primal=True), ID.program().jvp()):
        given = [states(200, *port.shape) for port in program.inputs]
        found = program.to_cuda()(*map(arrays.given, given))
        results = found if isinstance(found, tuple) else (found,)
        for one, other in zip(results, interpret(program, *given), strict=True):
            np.testing.assert_allclose(arrays.numbers(one), other, rtol=0, atol=1e-12 * np.abs(other).max())


def test_matrices(arrays: Any) -> None:
    q = states(500, 6)
    found = arrays.numbers(UR5.mass_matrix.to_cuda()(arrays.given(q)))
    np.testing.assert_allclose(found, UR5.mass_matrix(q), rtol=1e-11, atol=1e-12)
    turned = arrays.numbers(UR5.mass_matrix.to_cuda()(arrays.given(q.T.copy()), states="last"))
    np.testing.assert_allclose(np.moveaxis(turned, -1, 0), UR5.mass_matrix(q), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 127, 129, 100_001])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_results(viewed: Any, dtype: str, count: int) -> None:
    """Through shared memory, in one part and in several; every number is written, and none beside them."""
    q = states(count, 6, dtype=dtype)
    program = UR5.program(armdyn.algorithms.inverse_dynamics_derivatives)
    for source, inputs in ((UR5.mass_matrix.program(), 1), (program, 3)):
        room = [viewed.given(np.full((count + 2, *p.shape), np.nan, dtype)) for p in source.outputs]
        source.to_cuda(dtype=dtype)(*(viewed.given(q) for _ in range(inputs)), out=[a[1:-1] for a in room])
        for one, exact in zip(map(viewed.numbers, room), interpret(source, *[q.astype(float)] * inputs), strict=True):
            np.testing.assert_allclose(one[1:-1], exact, rtol=0, atol=10 * RTOL[dtype] * np.abs(exact).max())
            assert np.isnan(one[[0, -1]]).all()


def test_in_place(viewed: Any) -> None:
    """A large result in the place of its argument: all threads of a warp have read before one writes."""
    program = trace(lambda M: (M.T @ M) * 0.5, [Port("M", (6, 6))])
    M = states(100_001, 6, 6)
    given = viewed.given(M)
    assert program.to_cuda()(given, out=given) is given
    np.testing.assert_allclose(viewed.numbers(given), 0.5 * M.transpose(0, 2, 1) @ M, rtol=0, atol=1e-13)


def test_two_kernels_of_one_name(arrays: Any) -> None:
    """Of the same name and shapes, loaded side by side."""
    q = states(100, 6)
    given = arrays.given(q)
    kernels = [trace(f, [Port("q", (6,))], name="same").to_cuda() for f in (lambda q: q + 1.0, lambda q: q * 3.0)]
    for _ in range(2):
        np.testing.assert_array_equal(arrays.numbers(kernels[0](given)), q + 1.0)
        np.testing.assert_array_equal(arrays.numbers(kernels[1](given)), q * 3.0)


def test_from_threads(arrays: Any) -> None:
    """The first calls of kernels, and later ones, from several threads at once."""
    kernels = [trace(lambda q, k=k: q * (k + 2.0), [Port("q", (6,))], name="scaled").to_cuda() for k in range(4)]
    q = states(1000, 6)

    def work(number: int) -> bool:
        given = arrays.given(q)
        k = number % 4
        return all(np.array_equal(arrays.numbers(kernels[k](given)), q * (k + 2.0)) for _ in range(20))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_errors(arrays: Any) -> None:
    kernel = ID.to_cuda()
    q = [states(10, 6) for _ in range(3)]
    given = [arrays.given(a) for a in q]
    with pytest.raises(DTypeError, match=r"qd is a numpy.ndarray; expected an array of CuPy, PyTorch or JAX on a GPU"):
        kernel(given[0], q[1], given[2])
    with pytest.raises(DTypeError, match=r"q holds float32; .*to_cuda\(dtype='float32'\) makes one for it"):
        kernel(*(arrays.given(a.astype("float32")) for a in q))
    with pytest.raises(DTypeError, match=r"q holds .*; expected float64|q holds no plain floating-point numbers"):
        kernel(*(arrays.given(np.ones((10, 6), np.int32)) for _ in q))
    with pytest.raises(ShapeError, match=r"q has shape \(10, 5\); expected \(\.\.\., 6\)"):
        kernel(given[0][:, :5], *given[1:])
    with pytest.raises(CudaError, match=r"threads=1025 of a block; .* registers a thread, which leaves room for 1 to "):
        kernel(*given, threads=1025)
    assert_close(arrays.numbers(kernel(*given, threads=96)), q)


def test_arrays_on_the_processor() -> None:
    torch = ARRAYS["torch"]().torch
    kernel, q = ID.to_cuda(), [states(10, 6) for _ in range(3)]
    with pytest.raises(DeviceError, match=r"q is a torch.Tensor on the processor; .* torch.as_tensor"):
        kernel(*map(torch.tensor, q))
    given = [torch.tensor(a, device="cuda") for a in q]
    with pytest.raises(DTypeError, match=r"qd records gradients, which a kernel does not; give qd\.detach\(\)"):
        kernel(given[0], given[1].requires_grad_(), given[2])
    with pytest.raises(DeviceError, match=r"out: out is a torch.Tensor on the processor"):
        kernel(given[0], given[1].detach(), given[2], out=torch.empty(10, 6, dtype=torch.float64))


def test_arrays_of_jax_on_the_processor() -> None:
    jax = ARRAYS["jax"]().jax
    q = [jax.device_put(states(10, 6), jax.devices("cpu")[0]) for _ in range(3)]
    with pytest.raises(DeviceError, match=r"q is a jaxlib.* on the processor"):
        ID.to_cuda()(*q)
    with pytest.raises(DTypeError, match="q is traced by JAX"):
        jax.jit(ID.to_cuda())(*(jax.device_put(states(10, 6)) for _ in range(3)))
    given = [jax.device_put(states(10, 6)) for _ in range(3)]
    with pytest.raises(DTypeError, match="out= is not for arrays of JAX"):
        ID.to_cuda()(*given, out=given[0])


@pytest.mark.slow
def test_addresses_beyond_32_bits(viewed: Any) -> None:
    """Arrays of 4.8 GB: 3 10^8 states of two joints."""
    robot, count = armdyn.load("planar_2r"), 300_000_000
    q = (
        viewed.given(np.zeros((1, 2))).repeat(count, 0)
        if hasattr(viewed, "cupy")
        else viewed.torch.zeros(count, 2, dtype=viewed.torch.float64, device="cuda")
    )
    ends = states(2, 5, 2)
    q[:5], q[-5:] = viewed.given(ends[0]), viewed.given(ends[1])
    qd, qdd = states(2), states(2)
    found = robot.inverse_dynamics.to_cuda()(q, viewed.given(qd), viewed.given(qdd))
    for one, end in ((found[:5], ends[0]), (found[-5:], ends[1])):
        np.testing.assert_allclose(viewed.numbers(one), robot.inverse_dynamics(end, qd, qdd), rtol=1e-12, atol=1e-12)
