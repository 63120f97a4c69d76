"""Programs in graphs of `torch.compile`, without a break, and of `torch.export`; inductor too, where g++ is at hand."""

import io
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import armdyn

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow

INDUCTOR = pytest.param(
    "inductor", marks=pytest.mark.skipif(not shutil.which("g++"), reason="inductor needs a C++ compiler")
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(14)
    yield
    torch._dynamo.reset()


def states(*batch: int) -> Any:
    return torch.randn(3, *batch, 6, dtype=torch.float64)


@pytest.mark.parametrize("backend", ["aot_eager", INDUCTOR])
def test_value_and_gradient(backend: str) -> None:
    f = armdyn.load("ur5").inverse_dynamics.to_torch()

    def cost(q: Any, qd: Any, qdd: Any) -> Any:
        return (f(q, qd.sin(), qdd=qdd) * q).square().sum()

    plain = [x.clone().requires_grad_() for x in states(4)]
    compiled = [x.detach().clone().requires_grad_() for x in plain]
    expected = cost(*plain)
    found = torch.compile(cost, fullgraph=True, backend=backend)(*compiled)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    expected.backward()
    found.backward()
    for x, y in zip(compiled, plain, strict=True):
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-12, atol=1e-12)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "grad": torch.func.grad,
    "jacrev": torch.func.jacrev,
    "jacfwd": torch.func.jacfwd,
    "hessian": torch.func.hessian,
    "jacrev of jacrev": lambda f: torch.func.jacrev(torch.func.jacrev(f)),
    "vmap of grad": lambda f: lambda q: torch.func.vmap(torch.func.grad(f))(torch.stack([q, 2.0 * q])),
    "jvp": lambda f: lambda q: torch.func.jvp(f, (q,), (q.cos(),)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms_inside_of_the_graph(transform: str) -> None:
    f = armdyn.load("ur5").inverse_dynamics.to_torch()
    q, qd, qdd = states()
    transformed = TRANSFORMS[transform](lambda x: f(x, qd, qdd).cos().sum())
    found = torch.compile(transformed, fullgraph=True, backend="aot_eager")(q)
    torch.testing.assert_close(found, transformed(q), rtol=1e-12, atol=1e-12)


def test_one_graph_for_all_batch_sizes_and_several_results() -> None:
    f = armdyn.load("ur5").link_motion.to_torch()
    graphs = []

    def counted(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    compiled = torch.compile(f, fullgraph=True, backend=counted, dynamic=True)
    for count in (3, 5, 9):
        given = [x.clone() for x in states(count)]  # views have the sizes of their bases, too
        found, expected = compiled(*given), f(*given)
        assert found._fields == expected._fields
        assert all(map(torch.equal, found, expected))
    assert len(graphs) == 1


@pytest.mark.parametrize("strict", [False, True])
def test_exported_graphs(strict: bool) -> None:
    class Plant(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gains = torch.nn.Parameter(torch.ones(6, dtype=torch.float64))
            self.torques = armdyn.load("ur5").inverse_dynamics.to_torch()

        def forward(self, q: Any) -> Any:
            return self.torques(q, self.gains * q, q)

    plant, (q, *_) = Plant(), states(3)
    file = io.BytesIO()
    torch.export.save(torch.export.export(plant, (q,), strict=strict), file)
    file.seek(0)
    assert plant.torques.operator is plant.torques._operator.op
    exported = torch.export.load(file).module()
    assert any("armdyn" in str(node.target) for node in exported.graph.nodes)
    exported(q).sum().backward()
    plant(q).sum().backward()
    torch.testing.assert_close(exported.gains.grad, plant.gains.grad, rtol=1e-12, atol=1e-12)


def test_the_operator_obeys_torchs_rules() -> None:
    program = armdyn.load("planar_2r").inverse_dynamics.program()
    operator = program.to_torch()._operator
    given = [x.requires_grad_() for x in torch.randn(3, 4, 2, dtype=torch.float64)]
    torch.library.opcheck(operator.op, given)
    torch.library.opcheck(operator.adjoint((0,), (0, 1)).op, [*given, torch.ones(4, 2, dtype=torch.float64)])
    assert torch.equal(
        torch.func.vmap(operator.op, (1, 0, None))(given[0].T, given[1], given[2][0]),
        operator.op(given[0], given[1], given[2][0].expand(4, 2)),
    )


def test_errors_say_so_within_graphs() -> None:
    f = armdyn.load("ur5").inverse_dynamics.to_torch()
    q, qd, qdd = states(3)
    with pytest.raises(Exception, match=r"q is a tensor of torch.float64 and qd one of torch.float32"):
        torch.compile(f, fullgraph=True, backend="eager")(q, qd.float(), qdd)
