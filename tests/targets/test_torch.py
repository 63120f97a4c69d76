"""Programs as functions of PyTorch tensors: numbers beside the interpreter, gradients beside torch's differences."""

import copy
import io
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import inverse_dynamics
from armdyn.program import Port, Program, trace
from targets.exported import ROBOTS, arguments, assert_same, odd_shapes, public_programs, single_operations

torch = pytest.importorskip("torch")

from armdyn.targets.torch.operator import operator_of  # noqa: E402 - it imports torch

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(1402)
FUNCTIONS = {
    "inverse_dynamics": ("stanford", ()),
    "forward_dynamics": ("scara", ()),
    "forward_kinematics": ("ur5", ()),
    "link_motion": ("planar_2r", ()),
    "inverse_dynamics by parameters": ("scara", ("gravity", "flange.mass", "flange.com")),
}


def function(name: str) -> Any:
    robot, parameters = FUNCTIONS[name]
    return (
        armdyn.load(robot)
        .compile(getattr(armdyn.algorithms, name.split(maxsplit=1)[0]), parameters=parameters)
        .to_torch()
    )


def tensors(program: Program, batch: tuple[int, ...] = (2,), dtype: Any = torch.float64) -> list[Any]:
    """General states that need gradients."""
    arrays = [RNG.uniform(0.2, 0.9, (*batch, *port.shape)) for port in program.inputs]
    return [torch.tensor(array, dtype=dtype, requires_grad=True) for array in arrays]


def of_results(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str) -> None:
    for _, program in public_programs(robot):
        arrays = arguments(program)
        f = program.to_torch()
        assert_same(of_results(f(*map(torch.from_numpy, arrays))), program, arrays)
        narrow = of_results(f(*(torch.tensor(a, dtype=torch.float32) for a in arrays)))
        assert {result.dtype for result in narrow} == {torch.float32}


def test_every_operation() -> None:
    for program in single_operations():
        arrays = arguments(program)
        assert_same(of_results(program.to_torch()(*map(torch.from_numpy, arrays))), program, arrays)


def test_float32() -> None:
    f = armdyn.load("ur5").inverse_dynamics
    arrays = RNG.uniform(-1, 1, (3, 5, 6)).astype(np.float32)
    np.testing.assert_array_equal(f.to_torch()(*torch.from_numpy(arrays)).numpy(), f(*arrays))


def test_leading_axes_broadcast_and_memory_may_lie_anyhow() -> None:
    f = armdyn.load("ur5").inverse_dynamics
    q, qd, qdd = RNG.normal(size=(4, 1, 6)), RNG.normal(size=(6, 3)).T, RNG.normal(size=12)[::2]
    expected = f(q, qd, qdd)
    found = f.to_torch()(torch.from_numpy(q), torch.from_numpy(qd), torch.tensor(qdd))
    np.testing.assert_array_equal(found.numpy(), expected)
    strided = torch.tensor(np.repeat(qdd, 2))[::2]
    np.testing.assert_array_equal(f.to_torch()(q=torch.from_numpy(q), qd=torch.from_numpy(qd), qdd=strided), expected)
    assert f.to_torch()(*torch.empty(3, 0, 6)).shape == (0, 6)
    negated = torch.complex(torch.zeros(6), torch.ones(6)).conj().imag  # torch keeps its sign in a flag
    ones = -np.ones(6, np.float32)
    np.testing.assert_array_equal(f.to_torch()(negated, negated, negated), f(ones, ones, ones))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_to_second_order(name: str) -> None:
    f = function(name)
    states = tensors(f.program)
    options = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(f, states, **options)
    assert torch.autograd.gradgradcheck(f, states, check_fwd_over_rev=True, check_batched_grad=True)


def test_gradients_of_what_was_broadcast_are_sums() -> None:
    f = armdyn.load("ur5").inverse_dynamics
    q, qd, _ = tensors(f.program(), (5,))
    qdd = torch.tensor(RNG.normal(size=6), requires_grad=True)
    weights = torch.tensor(RNG.normal(size=(3, 5, 6)))
    (weights * f.to_torch()(q.expand(3, 5, 6), qd, qdd)).sum().backward()
    by = f.vjp("q", "qd", "qdd")(
        *(x.detach().numpy() for x in (q.expand(3, 5, 6), qd, qdd)), cotangent_out=weights.numpy()
    )
    np.testing.assert_allclose(q.grad, by.cotangent_q.sum(0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(qd.grad, by.cotangent_qd.sum(0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(qdd.grad, by.cotangent_qdd.sum((0, 1)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("needed", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_only_adjoints_that_are_needed(needed: tuple[int, ...]) -> None:
    program = armdyn.load("scara").inverse_dynamics.program()
    f = program.to_torch(name=f"of_{len(needed)}")
    states = tensors(program)
    for k, state in enumerate(states):
        state.requires_grad_(k in needed)
    f(*states).sum().backward()
    assert [k for k, state in enumerate(states) if state.grad is not None] == list(needed)
    adjoint = program.vjp(wrt=[program.inputs[k].name for k in needed])
    operator = operator_of(program, None)
    assert operator.adjoint((0,), needed) is operator_of(adjoint, None)


def test_outputs_without_cotangents_cost_nothing() -> None:
    f = function("link_motion")
    states = tensors(f.program)
    result = f(*states)
    result.omega.sum().backward()
    alone = {of for kind, of, _ in operator_of(f.program, None)._products if kind == "vjp"}
    assert (result._fields.index("omega"),) in alone


@pytest.mark.parametrize("in_dims", [(0, 0, 0), (1, None, 0), (-1, 0, None), (None, None, 2), (2, 1, 0)])
def test_vmap(in_dims: tuple[Any, ...]) -> None:
    f = armdyn.load("ur5").inverse_dynamics.to_torch()
    moved = [torch.tensor(RNG.normal(size=(3, 4, 6))) for _ in in_dims]
    given = [m[0] if dim is None else m.movedim(0, dim) for m, dim in zip(moved, in_dims, strict=True)]
    expected = f(*(m[0] if dim is None else m for m, dim in zip(moved, in_dims, strict=True)))
    assert torch.equal(torch.func.vmap(f, in_dims=in_dims)(*given), expected)
    twice = torch.func.vmap(torch.func.vmap(f), in_dims=in_dims)(*given)
    assert torch.equal(twice, expected)


HESSIANS = {
    "rev of rev": lambda f: torch.func.jacrev(torch.func.jacrev(f)),
    "fwd of rev": lambda f: torch.func.jacfwd(torch.func.jacrev(f)),
    "rev of fwd": lambda f: torch.func.jacrev(torch.func.jacfwd(f)),
    "fwd of fwd": lambda f: torch.func.jacfwd(torch.func.jacfwd(f)),
}


@pytest.mark.parametrize("way", HESSIANS)
def test_second_derivatives_any_way(way: str) -> None:
    f = armdyn.load("stanford").forward_dynamics
    q, qd, tau = RNG.uniform(0.3, 0.9, (3, 4, 6))
    expected = f.derivative("q").derivative("q")(q, qd, tau)
    found = torch.func.vmap(HESSIANS[way](f.to_torch()))(*map(torch.from_numpy, (q, qd, tau)))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-10 * scale)


def test_third_derivatives() -> None:
    f = armdyn.load("planar_2r").gravity_forces
    q = RNG.normal(size=2)
    expected = f.derivative("q").derivative("q").derivative("q")(q)
    jacrev = torch.func.jacrev
    np.testing.assert_allclose(jacrev(jacrev(jacrev(f.to_torch())))(torch.from_numpy(q)), expected, atol=1e-12)


def test_func_vjp_and_jvp() -> None:
    f = armdyn.load("ur5").inverse_dynamics
    q, qd, qdd, v = map(torch.from_numpy, RNG.normal(size=(4, 6)))
    result, pull = torch.func.vjp(f.to_torch(), q, qd, qdd)
    by = f.vjp("q", "qd", "qdd")(*(x.numpy() for x in (q, qd, qdd)), cotangent_out=v.numpy())
    for found, expected in zip(pull(v), by, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    same, rate = torch.func.jvp(lambda x: f.to_torch()(x, qd, qdd), (q,), (v,))
    np.testing.assert_allclose(rate, f.jvp("q")(q.numpy(), qd.numpy(), qdd.numpy(), tangent_q=v.numpy()), rtol=1e-12)
    assert torch.equal(same, result)


def test_own_function_with_parameters_and_options() -> None:
    @armdyn.function("(n),(n)->(n),()")
    def pushed(model: Any, q: Any, x: Any) -> Any:
        """A controller's torques and a cost."""
        return armdyn.algorithms.gravity_forces(model, q) - 3.0 * x, x @ x

    robot = armdyn.load("scara")
    f = robot.compile(pushed, parameters=["flange.mass"])
    g = f.to_torch(name="pushed_by")
    states = tensors(f.program())
    torques, cost = g(*states)
    expected = f(*(s.detach().numpy() for s in states))
    np.testing.assert_array_equal(torques.detach(), expected[0])
    np.testing.assert_array_equal(cost.detach(), expected[1])
    assert torch.autograd.gradcheck(g, states)
    assert list(g.__signature__.parameters) == ["q", "x", "flange_mass"]
    world = robot.jacobian.program(expressed_in="world").to_torch()
    q = states[0].detach()
    np.testing.assert_array_equal(world(q), robot.jacobian(q.numpy(), expressed_in="world"))


def test_arrays_without_numbers_and_constants() -> None:
    program = odd_shapes()
    arrays = arguments(program)
    assert torch.autograd.gradcheck(program.to_torch(), [torch.tensor(a, requires_grad=True) for a in arrays])
    constant = trace(lambda: np.array([1.5, -2.0]), [], name="constant").to_torch()
    assert torch.equal(constant(), torch.tensor([1.5, -2.0]))
    empty = trace(lambda x: (x, np.array(2.0)), [Port("x", (0,))], ["x", "two"]).to_torch()
    result = empty(torch.empty(3, 0))
    assert result.x.shape == (3, 0)
    assert torch.equal(result.two, torch.full((3,), 2.0))


def test_nan_comes_out_where_it_went_in() -> None:
    f = armdyn.load("ur5").gravity_forces.to_torch()
    q = torch.zeros(2, 6)
    q[0, 0] = torch.nan
    result = f(q)
    assert result[0, 1:4].isnan().all()  # though gravity does not turn the first joint
    assert not result[1].isnan().any()


def test_pickled_and_copied_in_a_module() -> None:
    class Plant(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mass = torch.nn.Parameter(torch.tensor(1.3))
            self.torques = armdyn.load("scara").compile(inverse_dynamics, parameters=["flange.mass"]).to_torch()

        def forward(self, q: Any) -> Any:
            return self.torques(q, q, q, self.mass)

    plant, q = Plant(), torch.ones(4)
    assert torch.equal(copy.deepcopy(plant)(q), plant(q))
    plant(q).sum().backward()
    assert plant.mass.grad is not None
    assert list(plant.state_dict()) == ["mass"]
    file = io.BytesIO()
    torch.save(plant.state_dict(), file)
    revived = pickle.loads(pickle.dumps(plant.torques))  # noqa: S301
    assert torch.equal(revived(q, q, q, plant.mass), plant(q))
    assert revived._operator is plant.torques._operator
    derivatives = armdyn.load("scara").inverse_dynamics_derivatives.to_torch()(q, q, q)
    assert torch.equal(pickle.loads(pickle.dumps(derivatives)).d_qd, derivatives.d_qd)  # noqa: S301


def test_threads_get_the_same_operator() -> None:
    program = trace(lambda x: np.sin(x) * 1.2345, [Port("x", (3,))], name="of_threads")
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)

    def gradient(_: int) -> Any:
        return torch.autograd.grad(program.to_torch()(x).sum(), x)[0]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(gradient, range(32)))
    assert all(torch.equal(one, found[0]) for one in found)
    assert program.to_torch()._operator is program.to_torch(name="else")._operator


@pytest.mark.parametrize("workers", [2, -1])
def test_workers(workers: int) -> None:
    f = armdyn.load("ur5").inverse_dynamics
    states = torch.from_numpy(RNG.normal(size=(3, 5000, 6)))
    shared = f.to_torch(workers=workers)
    assert torch.equal(shared(*states), f.to_torch()(*states))
    assert torch.equal(torch.func.vmap(shared)(*states), f.to_torch()(*states))


def test_transforms_whose_tensors_have_no_memory() -> None:
    f = armdyn.load("ur5").inverse_dynamics.to_torch()
    states = tensors(f.program)
    jacobian = torch.autograd.functional.jacobian
    expected = jacobian(f, tuple(states))
    for options in ({"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
        for found, one in zip(jacobian(f, tuple(states), **options), expected, strict=True):
            torch.testing.assert_close(found, one, rtol=1e-12, atol=1e-12)
    assert f(*(state.to("meta") for state in states)).shape == (2, 6)
    with torch.device("meta"):
        assert f(*torch.empty(3, 5, 6)).device.type == "meta"
    with torch.inference_mode():
        assert torch.equal(f(*states), f(*states))


def test_learns_through_a_rollout() -> None:
    """The gradient of a cost after 20 steps of semi-implicit Euler, beside that of the compiled rollout's formula."""
    robot = armdyn.load("planar_2r")
    accelerations = robot.forward_dynamics.to_torch()

    def end(tau: Any) -> Any:
        q, qd = torch.zeros(2, 2, dtype=torch.float64)
        for _ in range(20):
            qd = qd + 0.01 * accelerations(q, qd, tau)
            q = q + 0.01 * qd
        return (q * q).sum()

    tau = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(end, tau)
