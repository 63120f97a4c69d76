"""Programs as functions of JAX's arrays: beside the interpreter, under JAX's transforms, on other devices."""

import pickle
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import armdyn
from armdyn.base.errors import DTypeError, MissingLibrary, ShapeError, Unsupported
from armdyn.program import Port, interpret, trace
from armdyn.simulation import SemiImplicitEuler
from armdyn.targets.jax import lowering
from armdyn.targets.native.xla_handler import HandlerError
from oracles.short_run import short_run
from targets.exported import arguments, assert_same, odd_shapes, public_programs, single_operations

RNG = np.random.default_rng(141)


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    jax.config.update("jax_enable_x64", True)  # and not a context, which callbacks in JAX's threads would not have
    yield
    jax.config.update("jax_enable_x64", False)


def results_of(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def robot() -> armdyn.Robot:
    return armdyn.load("scara")


def states(*shape: int) -> np.ndarray:
    return RNG.uniform(-2.0, 2.0, shape)


ARMS = ["planar_2r", *(pytest.param(name, marks=pytest.mark.slow) for name in ("scara", "stanford"))]


@pytest.mark.parametrize("name", ARMS)
def test_every_public_function(name: str) -> None:
    """All in one function that JAX compiles."""
    programs = [program for _, program in public_programs(name)]
    given = [arguments(program) for program in programs]
    found = jax.jit(lambda given: [p.to_jax()(*arrays) for p, arrays in zip(programs, given, strict=True)])(given)
    for results, program, arrays in zip(found, programs, given, strict=True):
        assert_same(results_of(results), program, arrays)


@pytest.mark.short_run("jacobian", "forward_dynamics")
@pytest.mark.parametrize("of", ["inverse_dynamics", "forward_dynamics", "jacobian"])
def test_operations_of_jax(of: str) -> None:
    """What runs on devices that have no kernel."""
    program = getattr(robot(), of).program()
    arrays = arguments(program)
    assert_same(lowering.lower(program, *map(jnp.asarray, arrays)), program, arrays)


def test_every_operation() -> None:
    odd = [0.0, -0.0, 0.3, -0.7, 1.0, 2.5, -3.5, 1e300, np.inf, -np.inf, np.nan]
    programs = list(single_operations())
    grids = [
        np.stack(np.meshgrid(*[odd] * program.inputs[0].size, indexing="ij"), -1).reshape(-1, program.inputs[0].size)
        for program in programs
    ]

    def both(grids: list[Any]) -> list[Any]:
        pairs = zip(programs, grids, strict=True)
        return [(program.to_jax()(grid), lowering.lower(program, grid)[0]) for program, grid in pairs]

    for found, program, grid in zip(jax.jit(both)(grids), programs, grids, strict=True):
        (expected,) = interpret(program, grid)
        for one in found:
            np.testing.assert_allclose(one, expected, rtol=1e-13, err_msg=program.name)


def test_the_kernel_is_called_without_python() -> None:
    f = jax.jit(robot().inverse_dynamics.to_jax())
    text = f.lower(*states(3, 4, 4)).as_text()
    assert "armdyn_" in text
    assert "callback" not in text
    assert "sine" not in text


def test_where_there_is_no_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The NumPy function by a callback."""

    def none(*_: Any) -> str:
        raise HandlerError("as on a machine without a compiler", is_known=True)

    program = trace(lambda x, y: (np.sin(x) * y, x + 1.0), [Port("x", (2,)), Port("y", ())], name="other")
    monkeypatch.setattr(lowering, "_registered", none)
    f = jax.jit(program.to_jax())
    x, y = states(5, 2), states(5)
    assert "callback" in f.lower(x, y).as_text()
    np.testing.assert_allclose(f(x, y)[0], np.sin(x) * y[:, None], rtol=1e-14)
    np.testing.assert_allclose(jax.vmap(f, (0, None))(x, y[0])[1], x + 1.0)


def test_where_xla_refuses_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning that names the reason, once, and the same numbers."""

    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("the version of the interface is another one")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    monkeypatch.setattr(lowering, "_warned", set())
    x = states(5)
    first, second = (trace(lambda x, k=k: x * x + k, [Port("x", ())], name="refused").to_jax() for k in (11.0, 12.0))
    with pytest.warns(RuntimeWarning, match=r"kernels \(XLA refuses it: the version of the interface is another one\)"):
        found = first(x)
    np.testing.assert_allclose(found, x * x + 11.0, rtol=1e-14)
    np.testing.assert_allclose(second(x), x * x + 12.0, rtol=1e-14)


def test_short_rows_go_along_the_other_axes() -> None:
    """A kernel takes several states of a row at once; the columns of a Jacobian are few, its states many."""
    program = robot().inverse_dynamics.program()
    for outer, inner, rows in ((900, 3, [3, 900]), (3, 900, [3, 900]), (900, 20, [900, 20])):
        found = lowering._split_states([(outer, 1, 4), (inner, 4), (4,)], program)
        assert found is not None
        assert [axis.extent for axis in found] == rows
    g, (q, qd, qdd) = robot().inverse_dynamics.to_jax(), states(3, 40, 4)
    found = jax.jit(jax.vmap(jax.jacfwd(g), (0, 0, 0)))(q, qd, qdd)
    np.testing.assert_allclose(found, robot().inverse_dynamics.derivative("q")(q, qd, qdd), rtol=1e-11, atol=1e-11)


def test_nan_on_every_device() -> None:
    """The first angle of an arm on a vertical axis, on which no torque of gravity depends; a constant stays one."""
    f = armdyn.load("ur5").gravity_forces
    q = np.array([np.nan, *states(5)])
    g = jax.jit(f.to_jax())
    exported = jax.export.export(g)(q)
    assert "armdyn_" not in exported.mlir_module()
    for found in (g(q), exported.call(q)):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(f(q)))


SHAPES = [
    ((), (), ()),
    ((5,), (), (5,)),
    ((2, 3), (3,), ()),
    ((2, 1), (3,), (2, 3)),
    ((2, 1, 4), (1, 3, 1), (4,)),
    ((0,), (), (0,)),
]


@pytest.mark.parametrize("heads", SHAPES, ids=str)
def test_leading_axes_broadcast(heads: tuple[tuple[int, ...], ...]) -> None:
    f = robot().inverse_dynamics
    arrays = [states(*head, 4) for head in heads]
    expected = f(*arrays)
    for one in (f.to_jax(), jax.jit(f.to_jax())):
        found = one(*arrays)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


AXES = [(0, 0, 0), (0, None, 0), (1, 0, None), (None, 1, 1), (-1, None, None)]


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_vmap(axes: tuple[int | None, ...]) -> None:
    f = robot().inverse_dynamics
    plain = states(3, 5, 4)
    arrays = [a[0] if axis is None else np.moveaxis(a, 0, axis) for a, axis in zip(plain, axes, strict=True)]
    expected = f(*(a[0] if axis is None else a for a, axis in zip(plain, axes, strict=True)))
    np.testing.assert_allclose(jax.vmap(f.to_jax(), axes)(*arrays), expected, rtol=1e-13, atol=1e-13)
    twice = jax.vmap(jax.vmap(f.to_jax(), (None, 0, None)), (0, None, None))(plain[0], plain[1], plain[2, 0])
    np.testing.assert_allclose(twice, f(plain[0][:, None], plain[1], plain[2, 0]), rtol=1e-13, atol=1e-13)


@pytest.mark.slow
def test_derivatives_beside_ours() -> None:
    f = robot().inverse_dynamics
    g, state = f.to_jax(), tuple(states(3, 4))
    for k, name in enumerate(("q", "qd", "qdd")):
        expected = f.derivative(name)(*state)
        for jacobian in (jax.jacrev, jax.jacfwd):
            np.testing.assert_allclose(jacobian(g, k)(*state), expected, rtol=1e-12, atol=1e-12)


def test_gradients_of_what_states_share() -> None:
    """The cotangent of a shared array is the sum over the states, also of one with axes of one element."""
    g = robot().inverse_dynamics.to_jax()
    q, qd, qdd = states(3, 5, 4)
    weights = states(3, 5, 4)

    def loss(q: Any, qd: Any, qdd: Any) -> Any:
        return (weights * g(q, qd, qdd)).sum()

    found = jax.grad(loss, (0, 1, 2))(q, qd[:3, None], qdd[0])
    full = [jnp.broadcast_to(a, (3, 5, 4)) for a in (q, qd[:3, None], qdd[0])]
    by_all = jax.grad(loss, (0, 1, 2))(*full)
    for mine, whole, shape, axes in zip(found, by_all, ((5, 4), (3, 1, 4), (4,)), (0, 1, (0, 1)), strict=True):
        assert mine.shape == shape
        np.testing.assert_allclose(mine, whole.sum(axes).reshape(shape), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("of", short_run(["inverse_dynamics", "forward_dynamics", "mass_matrix"], "forward_dynamics"))
def test_second_order_by_differences(of: str) -> None:
    f = getattr(robot(), of)
    program = f.program()
    g = program.to_jax()
    point = tuple(np.random.default_rng(6).uniform(0.3, 0.9, (len(program.inputs), 4)))
    check_grads(g, point, order=2, modes=["fwd", "rev"], rtol=1e-5)
    check_grads(jax.vmap(g), tuple(np.stack([p, p + 0.1]) for p in point), order=1, modes=["fwd", "rev"], rtol=1e-5)


@pytest.mark.slow
def test_orders_of_differentiation_agree() -> None:
    """Forward over reverse, reverse over forward, and both twice give one Hessian; third derivatives too."""
    g, q = armdyn.load("planar_2r").gravity_forces.to_jax(), states(2)

    def loss(q: Any) -> Any:
        return jnp.tanh(g(q)).sum()

    pairs = [(a, b) for a in (jax.jacfwd, jax.jacrev) for b in (jax.jacrev, jax.jacfwd)]
    fr, rf, ff, rr = jax.jit(lambda q: [a(b(loss))(q) for a, b in pairs])(q)
    for other in (rf, ff, rr):
        np.testing.assert_allclose(fr, other, rtol=1e-10, atol=1e-10)
    third = jax.jit(jax.jacfwd(jax.hessian(loss)))(q)
    np.testing.assert_allclose(third, np.transpose(third, (2, 0, 1)), rtol=1e-9, atol=1e-9)


def test_transposing_an_adjoint_program() -> None:
    """The transpose of cotangents to gradients is the Jacobian times rates; again, of the adjoint of a batch."""
    f = robot().inverse_dynamics
    g, (q, qd, qdd), rates = f.to_jax(), states(3, 5, 4), states(5, 4)
    _, pull = jax.vjp(lambda q: g(q, qd, qdd), q)
    (found,) = jax.linear_transpose(lambda cotangent: pull(cotangent)[0], q)(rates)
    np.testing.assert_allclose(found, f.jvp("q")(q, qd, qdd, tangent_q=rates), rtol=1e-12, atol=1e-12)


def test_transposing_in_operands_in_which_a_program_is_affine() -> None:
    """tau = M qdd + h is affine in qdd: transposed, M^T w; traced and mapped too; it is affine in a mass."""
    f = robot().inverse_dynamics
    g, (q, qd, qdd, w) = f.to_jax(), states(4, 4)
    expected = robot().mass_matrix(q).T @ w

    def transposed(w: Any) -> Any:
        return jax.linear_transpose(lambda qdd: g(q, qd, qdd), qdd)(w)[0]

    np.testing.assert_allclose(transposed(w), expected, rtol=1e-12)
    np.testing.assert_allclose(jax.jit(transposed)(w), expected, rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(transposed)(np.stack([w, 2 * w])), np.stack([expected, 2 * expected]))
    name = f"{robot().link_names[-1]}.mass"
    by_mass = robot().compile(armdyn.algorithms.inverse_dynamics, parameters=(name,)).to_jax()
    one, two = (by_mass(q, qd, qdd, mass) for mass in (1.0, 2.0))
    (found,) = jax.linear_transpose(lambda mass: by_mass(q, qd, qdd, mass), 1.0)(w)
    np.testing.assert_allclose(found, w @ (two - one), rtol=1e-12)


def test_what_is_not_linear_has_no_transpose() -> None:
    """An error, as of JAX's sine, and not the adjoint at zero."""
    f = robot()
    (q, qd, qdd), g = states(3, 4), f.inverse_dynamics.to_jax()
    with pytest.raises(NotImplementedError):
        jax.linear_transpose(jnp.sin, q)(q)
    with pytest.raises(Unsupported, match=r"inverse_dynamics is not linear in q, qd, so it has no transpose; jax\.vjp"):
        jax.linear_transpose(g, q, qd, qdd)(qdd)
    with pytest.raises(Unsupported, match=r"mass_matrix is not linear in q"):
        jax.jit(jax.linear_transpose(f.mass_matrix.to_jax(), q))(jnp.eye(4))
    product = trace(lambda a, b: a * b, [Port("a", ()), Port("b", ())]).to_jax()
    np.testing.assert_array_equal(jax.linear_transpose(lambda a: product(a, 3.0), 1.0)(2.0), 6.0)
    with pytest.raises(Unsupported, match="is not linear in a, b"):
        jax.linear_transpose(product, 1.0, 1.0)(2.0)
    steps = [armdyn.sign, np.floor, np.abs, lambda x: armdyn.select(armdyn.less(x, 0.0), x - 1.0, x)]
    for step in steps:  # their derivatives do not depend on x, or are zero
        h = trace(step, [Port("x", (2,))]).to_jax()
        with pytest.raises(Unsupported, match="is not linear in x"):
            jax.linear_transpose(h, np.ones(2))(np.ones(2))
    with pytest.raises(Unsupported, match="is not linear in q"):  # the tangent program, in where the tangent is taken
        jax.linear_transpose(lambda q: jax.jvp(lambda x: g(x, qd, qdd), (q,), (qd,))[1], q)(qdd)


def test_a_gradient_computes_no_jacobian() -> None:
    """The adjoint program only, by the array that is asked for, once."""
    g = armdyn.load("ur5").inverse_dynamics.to_jax()
    compiled = jax.jit(jax.grad(lambda q, v: (v * g(q, v, v)).sum())).lower(*states(2, 6)).compile()
    assert compiled.as_text().count('custom_call_target="armdyn_') == 1


class Two(NamedTuple):
    first: Any
    second: Any


@armdyn.function("(n),(n)->(n),()", result=Two)
def own(model: Any, q: Any, qd: Any) -> Two:
    M = armdyn.algorithms.mass_matrix(model, q)
    return Two(M @ qd, armdyn.maximum(0.0, qd @ M @ qd - 1.0))


def test_a_function_of_ones_own_with_parameters() -> None:
    """Several results by name, masses as arrays, gradients by them; NumPy's function beside it."""
    arm = robot()
    link = arm.model.joints[-1].child
    f = arm.compile(own, parameters=[f"{link}.mass"])
    g = f.to_jax()
    q, qd = states(2, 7, 4)
    found = jax.jit(g)(q, qd, 2.5 * jnp.ones(7))
    assert found._fields == ("first", "second")
    for mine, other in zip(found, f(q, qd, 2.5), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    by_mass = jax.vmap(jax.grad(lambda q, qd, m: g(q, qd, m).second, 2), (0, 0, None))(q, qd, 2.5)
    np.testing.assert_allclose(by_mass, f.derivative(f"{link}.mass")(q, qd, 2.5)[1], rtol=1e-12, atol=1e-13)


@pytest.mark.slow
def test_scan_is_a_rollout() -> None:
    arm = robot()
    g, step = arm.forward_dynamics.to_jax(), 1e-3
    q, qd = states(2, 4)

    def euler(state: Any, tau: Any) -> Any:
        q, qd = state
        qd = qd + step * g(q, qd, tau)
        return (q + step * qd, qd), q

    (last, _), path = jax.jit(partial(jax.lax.scan, euler))((jnp.asarray(q), jnp.asarray(qd)), jnp.zeros((100, 4)))
    motion = armdyn.simulate(arm, q, qd, duration=0.1, method=SemiImplicitEuler(step=step))
    np.testing.assert_allclose(last, motion.q[-1], rtol=1e-10)
    assert path.shape == (100, 4)

    def end(tau: Any) -> Any:
        return jax.lax.scan(euler, (jnp.asarray(q), jnp.asarray(qd)), tau)[0][0][0]

    tau = jnp.zeros((100, 4))
    above, below = (jax.jit(end)(tau.at[3, 1].set(e)) for e in (1e-3, -1e-3))
    np.testing.assert_allclose(jax.jit(jax.grad(end))(tau)[3, 1], (above - below) / 2e-3, rtol=1e-6)


def test_float32_and_odd_shapes() -> None:
    f = robot().inverse_dynamics
    arrays = states(3, 5, 4).astype(np.float32)
    found = f.to_jax()(*arrays)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, f(*arrays))
    with jax.enable_x64(False):
        assert f.to_jax()(*arrays.astype(float)).dtype == np.float32
    program = odd_shapes()
    arrays = arguments(program)
    assert_same(program.to_jax()(*arrays), program, arrays)
    constant = trace(lambda: np.array([1.0, 2.0]), [], name="constant")
    np.testing.assert_array_equal(constant.to_jax()(), [1.0, 2.0])


def test_nothing_is_made_twice() -> None:
    """Equal programs share handler and compiled code."""
    f, again = (armdyn.load("scara").gravity_forces.to_jax() for _ in range(2))
    assert f._called is again._called
    q = states(4)
    before = len(lowering._targets)
    for one in (f, again, pickle.loads(pickle.dumps(f))):  # noqa: S301 - our own
        jax.jit(one)(q)
        jax.grad(lambda q, one=one: one(q).sum())(q)
    assert len(lowering._targets) <= before + 2


@pytest.mark.slow
def test_threads() -> None:
    f = armdyn.load("stanford").gravity_forces
    g, q = f.to_jax(), states(8, 6)
    found: list[Any] = [None] * 8

    def run(k: int) -> None:
        with jax.enable_x64(True):
            found[k] = jax.jit(jax.value_and_grad(lambda q: g(q).sum()))(q[k])

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (value, gradient), at in zip(found, q, strict=True):
        np.testing.assert_allclose(value, f(at).sum(), rtol=1e-12)
        np.testing.assert_allclose(gradient, f.derivative("q")(at).sum(0), rtol=1e-11, atol=1e-11)


def test_numbers_that_it_takes() -> None:
    f = robot().gravity_forces.to_jax()
    np.testing.assert_allclose(f([1, 2, 0, 1]), robot().gravity_forces([1, 2, 0, 1]))
    np.testing.assert_allclose(f(q=[0.1, 0.2, 0.0, 0.1]), robot().gravity_forces([0.1, 0.2, 0.0, 0.1]))
    assert repr(f) == "<gravity_forces(q[4]) -> out[4] of JAX arrays>"


def test_lists_of_what_is_traced() -> None:
    f, x = robot().gravity_forces, 0.3
    g = f.to_jax()
    found, gradient = jax.jit(jax.jvp, static_argnums=0)(lambda x: g([1, x, 2 * x, 0.5]), (x,), (1.0,))
    state = [1, x, 2 * x, 0.5]
    np.testing.assert_allclose(found, f(state), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(gradient, f.derivative("q")(state) @ [0, 1, 2, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(g(np.array(state, ">f8")), f(state), rtol=1e-13, atol=1e-13)


def test_where_jit_is_disabled() -> None:
    f, q = robot().gravity_forces, states(3, 4)
    with jax.disable_jit():
        found, gradient = jax.value_and_grad(lambda q: f.to_jax()(q).sum())(q)
    np.testing.assert_allclose(found, f(q).sum(), rtol=1e-13)
    np.testing.assert_allclose(gradient, f.derivative("q")(q).sum(-2), rtol=1e-12, atol=1e-12)


@pytest.mark.short_run("(5, 4)")
@pytest.mark.parametrize("shape", short_run([(5, 4), "states, 4", "a, b, 4"], (5, 4), "a, b, 4"), ids=str)
def test_export(shape: Any) -> None:
    """What is written for other processes and machines calls nothing of this one."""
    f = robot().inverse_dynamics
    g = f.to_jax()
    shared = jax.ShapeDtypeStruct((4,), float)
    taken = jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape) if isinstance(shape, str) else shape, float)
    by_all = jax.jit(jax.value_and_grad(lambda q, v: g(q, v, v).sum(), (0, 1)))
    exported = jax.export.export(by_all)(taken, shared)
    assert "armdyn_" not in exported.mlir_module()
    q, v = states(*((5,) if len(taken.shape) == 2 else (2, 5)), 4), states(4)
    for mine, other in zip(jax.tree.leaves(exported.call(q, v)), jax.tree.leaves(by_all(q, v)), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-11, atol=1e-11)


def test_states_on_the_devices_of_a_mesh() -> None:
    """The cotangent of what all devices share is the sum over them."""
    g, q, v = robot().inverse_dynamics.to_jax(), states(6, 4), states(4)
    axis = {"axis_types": (jax.sharding.AxisType.Auto,)}
    mesh, spec = jax.make_mesh((1,), ("x",), **axis), jax.sharding.PartitionSpec

    def loss(q: Any, v: Any) -> Any:
        return jax.lax.psum((g(q, v, v) ** 2).sum(), "x")

    mapped = jax.shard_map(loss, mesh=mesh, in_specs=(spec("x"), spec()), out_specs=spec())
    found = jax.jit(jax.grad(mapped, (0, 1)))(q, v)
    expected = jax.grad(lambda q, v: (g(q, v, v) ** 2).sum(), (0, 1))(q, v)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


@pytest.mark.slow
def test_more_arrays_than_functions_of_numpy_take(monkeypatch: pytest.MonkeyPatch) -> None:
    ports = [Port(f"x{k}", ()) for k in range(70)]
    g = trace(lambda *x: sum(k * one * one for k, one in enumerate(x)), ports, name="many").to_jax()
    x = states(70, 3)
    found = jax.jit(jax.grad(lambda x: g(*x).sum()))(x)
    np.testing.assert_allclose(found, 2 * np.arange(70)[:, None] * x, rtol=1e-14)

    def none(*_: Any) -> str:
        raise HandlerError("as on a machine without a compiler", is_known=True)

    monkeypatch.setattr(lowering, "_registered", none)
    np.testing.assert_allclose(jax.jit(lambda x: g(*x))(x), np.arange(70) @ x**2, rtol=1e-13)


@pytest.mark.slow
def test_an_implicit_function() -> None:
    """The angles at which gravity asks for given torques: JAX linearizes what is linear already."""
    f = armdyn.load("planar_2r").gravity_forces
    g, q = f.to_jax(), np.array([0.35, 0.45])

    def solved(tau: Any) -> Any:
        def newton(residual: Any, x: Any) -> Any:
            return jax.lax.fori_loop(0, 12, lambda _, x: x - jnp.linalg.solve(jax.jacfwd(residual)(x), residual(x)), x)

        def solve(linear: Any, y: Any) -> Any:
            return jnp.linalg.solve(jax.jacfwd(linear)(y), y)

        return jax.lax.custom_root(lambda x: g(x) - tau, jnp.array([0.3, 0.4]), newton, solve)

    inverse = np.linalg.inv(f.derivative("q")(q))
    for jacobian in (jax.jacfwd, jax.jacrev):
        np.testing.assert_allclose(jax.jit(jacobian(solved))(f(q)), inverse, rtol=1e-8, atol=1e-9)


def test_the_derivative_of_a_linear_function_along_some_of_its_tangents() -> None:
    g, (q, v) = robot().inverse_dynamics.to_jax(), states(2, 4)
    _, linear = jax.linearize(lambda q, v: g(q, v, v), q, v)
    many = states(3, 4)
    along = jax.vmap(linear, (None, 0))
    _, rates = jax.jvp(lambda t: along(t, many), (q,), (v,))
    np.testing.assert_allclose(rates, np.broadcast_to(linear(v, 0 * v), (3, 4)), rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_recomputed_steps() -> None:
    """`jax.checkpoint` inside of a loop."""
    g = armdyn.load("planar_2r").forward_dynamics.to_jax()

    def end(tau: Any, wrapped: Any) -> Any:
        def step(state: Any, tau: Any) -> Any:
            q, qd = state
            qd = qd + 1e-2 * g(q, qd, tau)
            return (q + 1e-2 * qd, qd), None

        return (jax.lax.scan(wrapped(step), (jnp.ones(2), jnp.zeros(2)), tau)[0][0] ** 2).sum()

    tau = states(10, 2)
    kept, again = (jax.jit(jax.grad(partial(end, wrapped=w)))(tau) for w in (lambda step: step, jax.checkpoint))
    np.testing.assert_allclose(kept, again, rtol=1e-12)


def test_bad_input() -> None:
    f = robot().inverse_dynamics.to_jax()
    q = jnp.ones((5, 4))
    with pytest.raises(TypeError, match=r"inverse_dynamics\(\) takes 3 arrays \(q, qd, qdd\); got 2 by position"):
        f(q, q)
    with pytest.raises(TypeError, match=r"got 2 by position, tau"):
        f(q, q, tau=q)
    with pytest.raises(ShapeError, match=r"qd has shape \(5, 3\); expected \(\.\.\., 4\)"):
        jax.jit(f)(q, q[:, :3], q)
    with pytest.raises(ShapeError, match=r"the leading axes do not broadcast: q \(5,\), qd \(4,\), qdd \(5,\)"):
        f(q, q[:4], q)
    for dtype in ("int32", "bool", "complex128", "float16", "bfloat16"):
        with pytest.raises(DTypeError, match=f"qd is an array of {dtype}; expected float64 or float32"):
            jax.jit(f)(q, q.astype(dtype), q)
    with pytest.raises(DTypeError, match=r"q is an array of float64 and qdd one of float32; expected one type"):
        f(q, q, q.astype("float32"))
    tensor = type("Tensor", (), {"__module__": "torch", "dtype": object()})()
    with pytest.raises(
        DTypeError, match=r"qd is a torch.Tensor; expected an array of JAX or NumPy: jax.numpy.from_dlpack"
    ):
        f(q, tensor, q)
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in JAX"):
        same.to_jax()


def test_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jax", None)
    with pytest.raises(MissingLibrary, match=r"to_jax needs JAX, .*: pip install jax"):
        armdyn.load("planar_2r").mass_matrix.to_jax()
