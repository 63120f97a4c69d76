"""What `to_torch` says of tensors that it does not take."""

import re
import sys
from typing import Any

import pytest

import armdyn
from armdyn.base.errors import DTypeError, MissingLibrary, ShapeError, Unsupported
from armdyn.program import Port, trace


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingLibrary, match=r"to_torch needs PyTorch, .*: pip install torch"):
        armdyn.load("planar_2r").mass_matrix.to_torch()


@pytest.fixture(name="torch")
def _torch() -> Any:
    return pytest.importorskip("torch")


def refused(change: Any, error: type[Exception], message: str) -> None:
    """The second array of inverse dynamics, changed."""
    torch = sys.modules["torch"]
    f = armdyn.load("ur5").inverse_dynamics.to_torch()
    with pytest.raises(error, match=re.escape(message)):
        f(torch.ones(3, 6), change(torch.ones(3, 6)), torch.ones(3, 6))


@pytest.mark.slow
def test_types(torch: Any) -> None:
    expected = "expected torch.float64 or torch.float32: qd.to(torch.float32)"  # as the others are
    for name in ("int64", "float16", "bfloat16", "complex64", "bool"):
        said = f"qd is a tensor of torch.{name}; {expected}"
        refused(lambda qd, name=name: qd.to(getattr(torch, name)), DTypeError, said)
    refused(
        lambda qd: qd.double(),
        DTypeError,
        "q is a tensor of torch.float32 and qd one of torch.float64; expected one type: qd.to(q.dtype)",
    )
    refused(lambda qd: qd.numpy(), TypeError, "qd is a numpy.ndarray; expected a torch.Tensor: torch.as_tensor(qd)")
    refused(lambda qd: [0.0] * 6, TypeError, "qd is a list; expected a torch.Tensor")


@pytest.mark.slow
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_autocast(torch: Any, wide: str) -> None:
    """What autocast makes of a layer is computed as precisely as the other arrays are, with gradients."""
    f, layer = armdyn.load("planar_2r").inverse_dynamics.to_torch(), torch.nn.Linear(3, 2)
    x, rest = torch.randn(5, 3), torch.randn(5, 2, dtype=getattr(torch, wide))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        q = layer(x)
        assert q.dtype is torch.bfloat16
        tau = f(q, rest, rest)
        assert f(q, q, q).dtype is torch.float32
    assert tau.dtype is rest.dtype
    torch.testing.assert_close(tau, f(q.to(rest.dtype), rest, rest))
    (tau**2).sum().backward()
    assert layer.weight.grad.abs().max() > 0.0
    said = f"q is a tensor of torch.bfloat16; expected torch.float64 or torch.float32: q.to(torch.{wide})"
    with pytest.raises(DTypeError, match=re.escape(said)):
        f(q, rest, rest)


@pytest.mark.slow
def test_shapes(torch: Any) -> None:
    refused(lambda qd: qd[:, :5], ShapeError, "qd has shape (3, 5); expected (..., 6)")
    refused(lambda qd: qd[0, 0], ShapeError, "qd has shape (); expected (..., 6)")
    refused(lambda qd: qd[:2], ShapeError, "the leading axes do not broadcast: q (3,), qd (2,), qdd (3,)")


@pytest.mark.slow
def test_devices_and_layouts(torch: Any) -> None:
    refused(
        lambda qd: qd.to_sparse(),
        Unsupported,
        "qd has the layout torch.sparse_coo; expected a dense tensor: qd.to_dense()",
    )
    refused(lambda qd: qd.to("meta"), Unsupported, "q is on the device 'cpu' and qd on 'meta'; expected one device")
    fake = __import__("torch._subclasses.fake_tensor", fromlist=["FakeTensorMode"])
    with fake.FakeTensorMode(allow_non_fake_inputs=True):
        gpu = torch.empty(3, 6, device="cuda")
    said = "qd is on the device 'cuda:0'; these kernels run on the CPU: qd.cpu(), and the result .to(device)"
    refused(lambda qd: gpu, Unsupported, said)


@pytest.mark.slow
def test_arguments(torch: Any) -> None:
    f, q = armdyn.load("ur5").inverse_dynamics.to_torch(), torch.ones(6)
    said = r"inverse_dynamics\(\) takes 3 tensors \(q, qd, qdd\); got "
    for args, named, got in (((q,), {}, "1 by position"), ((q, q, q, q), {}, "4"), ((q, q), {"tau": q}, "2 .*, tau")):
        with pytest.raises(TypeError, match=said + got):
            f(*args, **named)
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in PyTorch"):
        same.to_torch()
