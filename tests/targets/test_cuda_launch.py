"""Calls of kernels on arrays of a GPU, with a driver and arrays that stand in for it."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, MissingLibrary, ShapeError, Unsupported
from armdyn.program import Port, trace
from armdyn.targets.cuda import driver as drivers
from armdyn.targets.cuda.driver import CudaError, DeviceError, Driver
from armdyn.targets.cuda.kernel import CudaKernel
from armdyn.targets.cuda.libraries import LIBRARIES
from armdyn.targets.cuda.ptxas import AssemblerError
from targets.fake_gpu import STREAMS, FakeArray, FakeCuda, FakeLibrary, WaitingLibrary
from targets.test_cuda import damped, expected_rollout

RNG = np.random.default_rng(43)
ID = armdyn.load("scara").inverse_dynamics


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(LIBRARIES, FakeArray.__module__.split(".")[0], FakeLibrary)
    yield
    STREAMS.clear()


def made(program: Any = None, dtype: str = "float64", **settings: Any) -> tuple[CudaKernel, FakeCuda]:
    cuda = FakeCuda(**settings)
    kernel = CudaKernel(program or ID.program(), dtype, None, Driver(cuda))
    cuda.kernel = kernel
    return kernel, cuda


def states(*shape: int, dtype: str = "float64") -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize("interface", ["cuda", "dlpack"])
def test_rows(interface: str) -> None:
    kernel, cuda = made()
    q = [states(5, 4) for _ in range(3)]
    tau = kernel(*(FakeArray(a, interface=interface) for a in q))
    np.testing.assert_allclose(tau.numbers, ID(*q), rtol=1e-12, atol=1e-13)
    assert cuda.launches == [{"blocks": 1, "threads": 128, "stream": 77, "layout": "rows"}]
    assert set(STREAMS) == ({77} if interface == "dlpack" else set())
    assert ".target sm_90" in cuda.ptx[0]
    assert cuda.current == []
    assert "cuStreamSynchronize" not in cuda.calls
    kernel(*(FakeArray(a) for a in q), threads=3)
    assert cuda.launches[1]["blocks"] == 2
    assert len(cuda.ptx) == 1  # loaded once


def test_joints_first() -> None:
    """The states along the last axis, in the shape or in memory only; results lie as the arrays do."""
    kernel, cuda = made()
    q = [states(4, 6) for _ in range(3)]
    expected = ID(*(a.T for a in q))
    tau = kernel(*map(FakeArray, q), states="last")
    np.testing.assert_allclose(tau.numbers.T, expected, rtol=1e-12, atol=1e-13)
    turned = kernel(*(FakeArray(a.T) for a in q))
    np.testing.assert_allclose(turned.numbers, expected, rtol=1e-12, atol=1e-13)
    assert turned.numbers.strides == (8, 48)
    assert [launch["layout"] for launch in cuda.launches] == ["strided", "strided"]


def test_broadcast_without_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, _ = made()
    copies = []
    monkeypatch.setattr(
        FakeLibrary,
        "repeated",
        lambda self, array, shape: copies.append(shape) or FakeArray(np.broadcast_to(array.numbers, shape).copy()),
    )
    q, qd, qdd = states(2, 3, 4), states(4), states(1, 1, 4)
    np.testing.assert_allclose(kernel(*map(FakeArray, (q, qd, qdd))).numbers, ID(q, qd, qdd), rtol=1e-12, atol=1e-13)
    assert copies == []
    between = states(2, 1, 4)  # its states lie in no line: the one array that is copied
    found = kernel(*map(FakeArray, (between, qd, q)))
    np.testing.assert_allclose(found.numbers, ID(between, qd, q), rtol=1e-12, atol=1e-13)
    assert copies == [(2, 3, 4)]
    flat = kernel(*(FakeArray(np.moveaxis(a, -1, 0).copy()) for a in (between, q, q)), states="last")
    np.testing.assert_allclose(np.moveaxis(flat.numbers, 0, -1), ID(between, q, q), rtol=1e-12, atol=1e-13)


def test_one_state_and_none() -> None:
    kernel, cuda = made()
    q = [states(4) for _ in range(3)]
    np.testing.assert_allclose(kernel(*map(FakeArray, q)).numbers, ID(*q), rtol=1e-12, atol=1e-13)
    assert kernel(*(FakeArray(states(0, 4)) for _ in range(3))).shape == (0, 4)
    assert len(cuda.launches) == 1


def test_gaps_and_alignment() -> None:
    """States with gaps between them are rows while they begin where two numbers can be loaded at once."""
    kernel, cuda = made(dtype="float32")
    wide = [states(5, 8, dtype="float32") for _ in range(3)]
    for first, layout in ((0, "rows"), (1, "strided")):
        q = [a[:, first : first + 4] for a in wide]
        found = kernel(*map(FakeArray, q)).numbers
        np.testing.assert_allclose(found, ID(*(a.astype(float) for a in q)), rtol=1e-5, atol=1e-4)
        assert cuda.launches[-1]["layout"] in {layout, "strided"}  # NumPy's own arrays begin where they like


def test_out() -> None:
    kernel, _ = made()
    q = [states(5, 4) for _ in range(3)]
    room = np.full((5, 9), np.nan)
    given = FakeArray(room[:, 2:6])
    assert kernel(*map(FakeArray, q), out=given) is given
    np.testing.assert_allclose(room[:, 2:6], ID(*q), rtol=1e-12, atol=1e-13)
    assert np.isnan(room[:, [0, 1, 6, 7, 8]]).all()
    with pytest.raises(ShapeError, match=r"out: out has shape \(1, 4\); expected \(5, 4\), contiguous"):
        kernel(*map(FakeArray, q), out=FakeArray(np.empty((1, 4))))
    with pytest.raises(DTypeError, match="out holds float32; this kernel computes in float64"):
        kernel(*map(FakeArray, q), out=FakeArray(np.empty((5, 4), "float32")))
    with pytest.raises(TypeError, match="out holds 2 arrays for 1 results"):
        kernel(*map(FakeArray, q), out=(given, given))


def test_packed_results() -> None:
    """Large results without gaps are stored through shared memory, where a block's threads and its memory allow it."""
    robot = armdyn.load("ur5")
    kernel, cuda = made(robot.mass_matrix.program())
    q = states(70, 6)
    for threads, layout in ((128, "packed"), (100, "rows"), (1024, "rows")):
        found = kernel(FakeArray(q), threads=threads).numbers
        np.testing.assert_allclose(found, robot.mass_matrix(q), rtol=1e-12, atol=1e-13)
        assert cuda.launches[-1]["layout"] == layout
    room = np.full((70, 6, 8), np.nan)
    kernel(FakeArray(q), out=FakeArray(room[:, :, :6]))
    assert cuda.launches[-1]["layout"] == "strided"
    apart = np.full((140, 6, 6), np.nan)
    kernel(FakeArray(q), out=FakeArray(apart[::2]))
    assert cuda.launches[-1]["layout"] in {"rows", "strided"}  # NumPy's own arrays begin where they like
    np.testing.assert_allclose(apart[::2], robot.mass_matrix(q), rtol=1e-12, atol=1e-13)
    assert np.isnan(apart[1::2]).all()


@pytest.mark.parametrize("where", ["first", "last"])
def test_rollout(where: str) -> None:
    rollout = damped()
    kernel, cuda = made(rollout)
    x, v, u, d = states(6, 2), states(6, 2), states(5, 6, 2), states(6)
    given = [x, v, u, d] if where == "first" else [x.T.copy(), v.T.copy(), u.transpose(0, 2, 1).copy(), d]
    found = kernel(*map(FakeArray, given), steps=5, every=2, states=where)
    final_x, final_v, sizes, xs = (one.numbers for one in found)
    if where == "last":
        final_x, final_v, xs = final_x.T, final_v.T, xs.transpose(0, 2, 1)
    expected = expected_rollout(rollout, x, v, u.transpose(1, 0, 2), d, 2)
    for one, other in zip((final_x, final_v, sizes.T, xs.transpose(1, 0, 2)), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)
    assert xs.shape == (3, 6, 2)
    assert cuda.launches[0]["layout"] == ("rows" if where == "first" else "strided")
    with pytest.raises(ShapeError, match=r"u has shape \(5, 6, 2\); expected \(4, \.\.\., 2\), the states along the"):
        kernel(*map(FakeArray, [x, v, u, d]), steps=4)
    with pytest.raises(ValueError, match="steps=None, every=1; expected whole numbers >= 0 and >= 1"):
        kernel(*map(FakeArray, given))
    assert "pendulum, float64: x (2), v (2), u (steps, 2), damping () -> x (2), v (2), size (steps), x (" in repr(
        kernel
    )


def test_library_whose_stream_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has ended when the result is handed out."""
    monkeypatch.setitem(LIBRARIES, FakeArray.__module__.split(".")[0], WaitingLibrary)
    kernel, cuda = made()
    q = [states(4, 6).T for _ in range(3)]
    given = [FakeArray(a) for a in q]
    np.testing.assert_allclose(kernel(*given).numbers, ID(*q), rtol=1e-12, atol=1e-13)
    assert all(array.is_ready for array in given)
    assert cuda.calls.index("cuStreamSynchronize") > cuda.calls.index("cuLaunchKernel")
    with pytest.raises(DTypeError, match="out= is not for arrays of JAX"):
        kernel(*map(FakeArray, q), out=FakeArray(np.empty((6, 4))))


def test_arrays_that_do_not_fit() -> None:
    kernel, cuda = made()
    q = FakeArray(states(5, 4))
    with pytest.raises(DeviceError, match="q is on GPU 0, qd on GPU 1; move them to one"):
        kernel(q, FakeArray(states(5, 4), device=1), q)
    with pytest.raises(DTypeError, match=r"qd is a numpy.ndarray; expected an array of CuPy, PyTorch or JAX on a GPU"):
        kernel(q, states(5, 4), q)
    with pytest.raises(DTypeError, match=r"q holds float32; .* float64: to_cuda\(dtype='float32'\) makes one for it"):
        kernel(*(FakeArray(states(5, 4, dtype="float32")) for _ in range(3)))
    with pytest.raises(DTypeError, match=r"q holds <?i8; expected float64"):
        kernel(FakeArray(np.ones((5, 4), int)), q, q)
    with pytest.raises(
        ShapeError, match=r"q has shape \(5, 3\); expected \(\.\.\., 4\), the states along the first axes"
    ):
        kernel(FakeArray(states(5, 3)), q, q)
    with pytest.raises(ShapeError, match=r"the batches of states do not broadcast: q \(5,\), qd \(3,\), qdd \(5,\)"):
        kernel(q, FakeArray(states(3, 4)), q)
    with pytest.raises(TypeError, match="inverse_dynamics takes 3 arrays, q, qd, qdd; got 2"):
        kernel(q, q)
    with pytest.raises(ShapeError, match="states='middle'; expected 'first' or 'last'"):
        kernel(q, q, q, states="middle")
    with pytest.raises(TypeError, match="inverse_dynamics is no rollout; it takes no steps="):
        kernel(q, q, q, steps=3)
    with pytest.raises(Unsupported, match="takes no arrays, so that no GPU is named"):
        made(trace(lambda: np.ones(2), [], name="constant"))[0]()
    assert cuda.launches == []


def test_arrays_on_the_processor() -> None:
    """Libraries whose arrays may lie there too."""

    class OnProcessor(FakeArray):
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    class Recording(FakeArray):
        requires_grad = True

    kernel, _ = made()
    with pytest.raises(DeviceError, match=r"q is a .*OnProcessor on the processor; .* torch.as_tensor"):
        kernel(*(OnProcessor(states(5, 4), interface="none") for _ in range(3)))
    with pytest.raises(DTypeError, match=r"q records gradients, which a kernel does not; give q\.detach\(\)"):
        kernel(*(Recording(states(5, 4)) for _ in range(3)))


def test_tensors_and_arrays_of_libraries_on_the_processor() -> None:
    jax = pytest.importorskip("jax")
    kernel, _ = made()
    with pytest.raises(DeviceError, match=r"q is a jaxlib.* on the processor"):
        kernel(*(jax.device_put(np.ones((5, 4)), jax.devices("cpu")[0]) for _ in range(3)))
    with pytest.raises(DTypeError, match="q is traced by JAX; kernels of to_cuda"):
        jax.jit(kernel)(*(jax.numpy.ones((5, 4)) for _ in range(3)))


@pytest.mark.slow
def test_tensors_of_torch_on_the_processor() -> None:
    torch = pytest.importorskip("torch")
    kernel, _ = made()
    with pytest.raises(DeviceError, match=r"q is a torch.Tensor on the processor; expected an array on a GPU"):
        kernel(*(torch.ones(5, 4, dtype=torch.float64) for _ in range(3)))


def test_too_many_threads() -> None:
    kernel, cuda = made(most_threads=256)
    q = FakeArray(states(5, 4))
    with pytest.raises(CudaError, match=r"threads=512 of a block; .* takes 64 registers a thread, .* for 1 to 256"):
        kernel(q, q, q, threads=512)
    assert cuda.current == []


def test_what_the_driver_refuses() -> None:
    kernel, cuda = made()
    q = FakeArray(states(5, 4))
    cuda.fails = {"cuModuleLoadDataEx": 218}
    with pytest.raises(AssemblerError, match=r"refuses the PTX of inverse_dynamics: CUDA_ERROR_OF_TEST \(218, said by"):
        kernel(q, q, q)
    cuda.fails = {"cuLaunchKernel": 701}
    with pytest.raises(CudaError, match="cuLaunchKernel: CUDA_ERROR_OF_TEST"):
        kernel(q, q, q)
    assert cuda.current == []
    with pytest.raises(Unsupported, match=r"compute capability is 7\.0; expected 8\.0"):
        made(capability=(7, 0))[0](q, q, q)


def test_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingLibrary, match="NVIDIA's driver is here, but no GPU that it can use; without it"):
        made(devices=0)
    none = FakeCuda()
    none.fails = {"cuInit": 100}
    with pytest.raises(MissingLibrary, match="no GPU that it can use"):
        Driver(none)
    broken = FakeCuda()
    broken.fails = {"cuInit": 999}
    with pytest.raises(CudaError, match=r"cuInit: CUDA_ERROR_OF_TEST .*; is the GPU's driver loaded \(nvidia-smi\)\?"):
        Driver(broken)

    def missing(name: str) -> Any:
        raise OSError(name)

    monkeypatch.setattr(drivers.ctypes, "CDLL", missing)
    monkeypatch.setattr(drivers, "the_driver", drivers.the_driver.__wrapped__)
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    with pytest.raises(MissingLibrary, match=f"to_cuda runs kernels by NVIDIA's driver .{name}., which is not here"):
        drivers.the_driver()


def test_ports_of_many_axes() -> None:
    program = trace(lambda A, b: (A * b, A[0]), [Port("A", (2, 3)), Port("b", ())], ["scaled", "row"], name="scaling")
    kernel, _ = made(program)
    A, b = states(4, 2, 3), states(4)
    scaled, row = kernel(FakeArray(A), FakeArray(b))
    np.testing.assert_array_equal(scaled.numbers, A * b[:, None, None])
    np.testing.assert_array_equal(row.numbers, A[:, 0])
    turned = np.moveaxis(A, 0, -1).copy()
    scaled, row = kernel(FakeArray(turned), FakeArray(b), states="last")
    np.testing.assert_array_equal(np.moveaxis(scaled.numbers, -1, 0), A * b[:, None, None])
