"""Products of Jacobians with vectors as compiled functions: against the Jacobian times the vectors."""

import inspect
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.functions import CompiledFunction
from armdyn.program import interpret

RNG = np.random.default_rng(311)
UR5 = armdyn.load("ur5")
SLIDE = armdyn.load("rp")


def on_a_slope() -> CompiledFunction:
    slope = armdyn.constraints.PointOnPlane("tip", normal=(0, 1, 0), through=(0.0, 1.0, 0.0), name="rail")
    sliding = armdyn.load("planar_2r").with_constraints(slope)
    return sliding.compile(armdyn.constraints.constrained_forward_dynamics)


COUPLED = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -0.5, 0.2)})
HEAVY = SLIDE.compile(algorithms.gravity_forces, parameters=["link_2.mass", "gravity"])
CASES: dict[str, tuple[CompiledFunction, tuple[str, ...], tuple[str, ...], Mapping[str, Any]]] = {
    "inverse dynamics": (UR5.inverse_dynamics, ("q", "qd", "qdd"), (), {}),
    "with a tip wrench": (SLIDE.inverse_dynamics, ("q", "f_tip"), ("f_tip",), {}),
    "by parameters": (SLIDE.inverse_dynamics, ("gravity", "link_2.mass", "q"), (), {}),
    "a parameter alone": (UR5.mass_matrix, ("wrist_1_link.inertia",), (), {}),
    "parameters that are inputs": (HEAVY, ("link_2.mass", "q"), (), {}),
    "forward dynamics": (SLIDE.forward_dynamics, ("q", "tau"), (), {}),
    "several results": (SLIDE.link_motion, (), (), {}),
    "an option": (UR5.jacobian, ("q",), (), {"frame": "upper_arm_link", "expressed_in": "world"}),
    "an option that decides the shape": (SLIDE.regressor, ("qd",), (), {"damping": True, "offset": True}),
    "constraints": (on_a_slope(), (), (), {}),
    "coupled joints": (COUPLED.inverse_dynamics, (), (), {}),
    "a scalar": (SLIDE.kinetic_energy, ("q", "qd"), (), {}),
    "a derivative": (SLIDE.kinetic_energy.derivative("q", "qd"), ("qd", "q"), (), {}),
    "what it does not depend on": (SLIDE.mass_matrix, ("gravity",), (), {}),
}


def tuple_of(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def vectors(f: CompiledFunction, word: str, given: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, Any]:
    """Random arrays for the inputs that begin with a word, and for all others where it is empty."""
    ports = f.program(optional_inputs=given, **options).inputs
    return {port.name: RNG.normal(size=port.shape) for port in ports if not word or port.name.startswith(f"{word}_")}


def assert_close(found: Any, expected: Any) -> None:
    for a, b in zip(tuple_of(found), tuple_of(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, float(np.max(np.abs(b), initial=0.0))))


@pytest.mark.short_run(without=("inverse dynamics", "several results", "constraints"))
@pytest.mark.parametrize("name", CASES)
def test_products_are_those_of_the_jacobian(name: str) -> None:
    f, wrt, given, options = CASES[name]
    adjoint, tangent, jacobian = f.vjp(*wrt), f.jvp(*wrt), f.derivative(*wrt)
    at = vectors(f, "", given, options)
    cotangents = vectors(adjoint, "cotangent", given, options)
    tangents = vectors(tangent, "tangent", given, options)
    outputs, count = f.program(optional_inputs=given, **options).outputs, len(jacobian.wrt)
    assert [c.shape for c in cotangents.values()] == [port.shape for port in outputs]
    blocks = tuple_of(jacobian(**at, **options))
    rows = [blocks[k : k + count] for k in range(0, len(blocks), count)]
    pulled = [
        sum(np.tensordot(y, block, y.ndim) for y, block in zip(cotangents.values(), column, strict=True))
        for column in zip(*rows, strict=True)
    ]
    pushed = [sum(np.tensordot(b, x, x.ndim) for b, x in zip(row, tangents.values(), strict=True)) for row in rows]
    for _ in range(2):  # the second call takes the short way
        assert_close(adjoint(**at, **cotangents, **options), tuple(pulled))
        assert_close(tangent(**at, **tangents, **options), tuple(pushed))


def test_names_and_places() -> None:
    f = UR5.inverse_dynamics
    by = f.vjp("q", "forearm_link.mass")
    assert by.function.result._fields == ("cotangent_q", "cotangent_forearm_link_mass")
    assert by._inputs.positional == [*f._inputs.positional, "cotangent_out"]
    assert (by.__name__, by.__doc__.split("\n")[0]) == (
        "inverse_dynamics_vjp_q_forearm_link_mass",
        "cotangent_out times derivatives of inverse_dynamics by q, forearm_link.mass.",
    )
    assert by.__signature__.parameters["cotangent_out"].kind is inspect.Parameter.KEYWORD_ONLY
    motion = UR5.link_motion.vjp("q")
    assert motion._inputs.positional[-6:] == [f"cotangent_{y}" for y in UR5.link_motion.function.result._fields]
    assert UR5.link_motion.jvp("q").function.result is UR5.link_motion.function.result
    q, y = RNG.normal(size=6), RNG.normal(size=(6, 6))
    M_by_q = UR5.mass_matrix.vjp("q")
    assert_close(M_by_q(q, y), M_by_q(q, cotangent_out=y))  # no array of it may be left out
    with pytest.raises(TypeError, match=r"misses cotangent_out; it takes q, qd, .*; give cotangent_out= by name"):
        by(q, q, q, q)
    assert f.vjp("q") is f.vjp("q") is not f.jvp("q")
    assert f.vjp().wrt == ("q", "qd", "qdd")


def test_names_of_the_functions_inputs_are_those_of_its_programs() -> None:
    program, adjoint = UR5.inverse_dynamics.program(), UR5.inverse_dynamics.vjp("q", "qd").program()
    assert adjoint.inputs == program.vjp(wrt=["q", "qd"]).inputs
    assert adjoint.outputs == program.vjp(wrt=["q", "qd"]).outputs
    assert UR5.inverse_dynamics.jvp("q", "qd").program().inputs == program.jvp(wrt=["q", "qd"]).inputs


def test_products_of_products() -> None:
    """A Hessian times a vector in two ways, and the adjoint of an adjoint, which is a tangent."""
    q, qd, u = RNG.normal(size=(3, 6))
    K = UR5.kinetic_energy
    H = K.derivative("q").derivative("q")(q, qd)
    gradient = K.vjp("q")
    assert_close(gradient.jvp("q")(q, qd, cotangent_out=1.0, tangent_q=u), H @ u)
    twice = gradient.vjp("q", "cotangent_out")
    assert twice._inputs.positional[-2:] == ["cotangent_out", "cotangent_out_2"]
    by = twice(q, qd, cotangent_out=1.0, cotangent_out_2=u)
    assert_close(by.cotangent_q, H @ u)
    assert_close(by.cotangent_cotangent_out, K.jvp("q")(q, qd, tangent_q=u))


def test_batches_threads_and_given_arrays() -> None:
    q, qd, qdd = RNG.normal(size=(3, 4, 3, 6))
    y = RNG.normal(size=(3, 6))
    by = UR5.inverse_dynamics.vjp("q", "qd")
    all_at_once = by(q, qd[:, :1], qdd[0, 0], cotangent_out=y)
    assert all_at_once.cotangent_q.shape == (4, 3, 6)
    for i in range(4):
        for j in range(3):
            one = by(q[i, j], qd[i, 0], qdd[0, 0], cotangent_out=y[j])
            assert_close((all_at_once.cotangent_q[i, j], all_at_once.cotangent_qd[i, j]), one)
    out = np.empty((4, 3, 6)), np.empty((4, 3, 6))
    by(q, qd[:, :1], qdd[0, 0], cotangent_out=y, out=out, workers=2)
    for found, expected in zip(out, all_at_once, strict=True):
        np.testing.assert_array_equal(found, expected)
    single = by(*(a.astype(np.float32) for a in (q, qd, qdd)), cotangent_out=y.astype(np.float32))
    double = by(*(a.astype(np.float32).astype(float) for a in (q, qd, qdd)), cotangent_out=y.astype(np.float32))
    for a, b in zip(single, double, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * float(np.abs(b).max()))


def test_pickled_and_on_plain_numbers() -> None:
    at = vectors(UR5.inverse_dynamics.vjp("q", "qd"), "", (), {})
    by = UR5.inverse_dynamics.vjp("q", "qd")
    copy = pickle.loads(pickle.dumps((by, by(**at))))  # noqa: S301
    np.testing.assert_array_equal(copy[0](**at), copy[1])
    arrays = [at.get(a.name) for a in by.function.arguments]
    assert_close(by.function(UR5.mechanism, *arrays), by(**at))
    assert_close(interpret(by.program(), *at.values()), by(**at))


def test_what_a_gradient_costs() -> None:
    """All gradients of the UR5's inverse dynamics together, against the function alone."""
    f = UR5.inverse_dynamics
    operations = f.op_counts.arithmetic
    assert f.vjp("q", "qd", "qdd").op_counts.arithmetic <= 2.5 * operations
    assert f.jvp("q", "qd", "qdd").op_counts.arithmetic <= 2.6 * operations
    assert f.derivative("q", "qd", "qdd").op_counts.arithmetic > 4.5 * operations


def test_errors() -> None:
    f, q = UR5.inverse_dynamics, np.zeros(6)
    for product in (f.vjp, f.jvp):
        with pytest.raises(UnknownName, match=r"no array or parameter 'qddd' in inverse_dynamics.*Did you mean 'qdd'"):
            product("qddd")
        with pytest.raises(UnknownName, match=r"no parameter 'forearm_link.mas' in 'ur5'"):
            product("forearm_link.mas")
        with pytest.raises(TypeError, match="differentiated by q, q; name each of them once"):
            product("q", "q")
    with pytest.raises(ShapeError, match=r"cotangent_out has shape \(5,\).*one value per joint of 'ur5'"):
        f.vjp("q")(q, q, q, cotangent_out=np.zeros(5))
    with pytest.raises(ShapeError, match=r"cotangent_out has shape \(6, 60\); expected \(..., 6, 66\)"):
        UR5.regressor.vjp("q")(q, q, q, cotangent_out=np.zeros((6, 60)), damping=True)
    with pytest.raises(TypeError, match="misses cotangent_out"):
        UR5.mass_matrix.vjp("q")(q)
    with pytest.raises(TypeError, match="no argument 'cotangent_tau'"):
        f.vjp("q")(q, q, q, cotangent_tau=q)
