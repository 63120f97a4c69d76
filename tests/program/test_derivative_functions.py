"""Derivatives of compiled functions as compiled functions: names, batches, precisions, pickling, errors."""

import inspect
import pickle

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.functions.derivatives import Derivative, Jvp
from armdyn.program import interpret
from oracles.cases import Case
from oracles.states import assert_close, random_states


@armdyn.function("(n),(n),()?->(n),()")
def friction(model, q, qd, scale=None):
    """Friction N m, shape (..., n), smooth round standstill, and the power it takes, W."""
    tau = (0.3 if scale is None else scale) * np.tanh(qd / 0.1) + 0.2 * np.abs(q) * qd
    return tau, tau @ qd


@pytest.fixture
def robot() -> armdyn.Robot:
    return armdyn.load("rp")


STATE = np.array([[0.4, 1.1], [-0.7, 0.6], [1.3, 0.2]]), np.array([[0.05, -0.3], [0.1, 0.2], [-0.02, 0.01]])


def test_function_of_ones_own(robot: armdyn.Robot) -> None:
    q, qd = STATE
    by = robot.compile(friction).derivative("q", "qd")(q, qd)
    assert by._fields == ("d_out0_d_q", "d_out0_d_qd", "d_out1_d_q", "d_out1_d_qd")
    slope = 3.0 / np.cosh(qd / 0.1) ** 2 + 0.2 * np.abs(q)
    tau = 0.3 * np.tanh(qd / 0.1) + 0.2 * np.abs(q) * qd
    eye = np.eye(2)
    np.testing.assert_allclose(by.d_out0_d_q, (0.2 * np.sign(q) * qd)[:, :, None] * eye, rtol=1e-13)
    np.testing.assert_allclose(by.d_out0_d_qd, slope[:, :, None] * eye, rtol=1e-12)
    np.testing.assert_allclose(by.d_out1_d_q, 0.2 * np.sign(q) * qd**2, rtol=1e-13)
    np.testing.assert_allclose(by.d_out1_d_qd, slope * qd + tau, rtol=1e-12)


def test_all_arrays_that_must_be_given_where_none_is_named(robot: armdyn.Robot) -> None:
    assert robot.compile(friction).derivative().wrt == ("q", "qd")
    assert robot.inverse_dynamics.derivative().function.result._fields == ("d_q", "d_qd", "d_qdd")


def test_an_optional_array_must_be_given_once_it_is_differentiated_by(robot: armdyn.Robot) -> None:
    by_scale = robot.compile(friction).derivative("scale")
    by = by_scale(*STATE, 0.7)
    np.testing.assert_allclose(by.d_out0_d_scale, np.tanh(STATE[1] / 0.1), rtol=1e-13)
    with pytest.raises(TypeError, match="misses scale"):
        by_scale(*STATE)


def test_optional_arrays_stay_optional(robot: armdyn.Robot) -> None:
    by = robot.inverse_dynamics.derivative("q")
    q, qd = STATE
    without = by(q, qd, qd)
    f_tip = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert_close(by(q, qd, qd, f_tip) - without, robot.tip_forces.derivative("q")(q, f_tip))
    assert_close(by(q, qd, qd, f_tip=f_tip), by(q, qd, qd, f_tip))


def test_one_result_by_one_array_is_a_plain_array(robot: armdyn.Robot) -> None:
    q, _ = STATE
    assert type(robot.forward_kinematics.derivative("q")(q)) is np.ndarray
    assert robot.forward_kinematics.derivative("q")(q[0]).shape == (4, 4, 2)


def test_options_belong_to_the_function(ur5: Case) -> None:
    q = random_states(6, 3, seed=321).q
    by_q = ur5.robot.jacobian.derivative("q")
    for way in ("body", "space", "world"):
        by_hand = by_q.program(frame="forearm_link", expressed_in=way)
        actual = by_q(q, frame="forearm_link", expressed_in=way)
        assert_close(actual, interpret(by_hand, q)[0])
    assert not np.allclose(by_q(q, expressed_in="body"), by_q(q, expressed_in="world"))
    with pytest.raises(TypeError, match="no argument 'frames'"):
        by_q(q, frames="forearm_link")


def test_batches_broadcast(ur5: Case) -> None:
    s, by = random_states(6, 12, seed=322), ur5.robot.inverse_dynamics.derivative("q", "qdd")
    q, qd = s.q.reshape(3, 4, 6), s.qd[:4]
    grid = by(q, qd, s.qdd[0])
    assert grid.d_q.shape == (3, 4, 6, 6)
    for i in range(3):
        for j in range(4):
            one = by(q[i, j], qd[j], s.qdd[0])
            assert_close(grid.d_q[i, j][None], one.d_q[None])
            assert_close(grid.d_qdd[i, j][None], one.d_qdd[None])


def test_both_precisions(ur5: Case) -> None:
    s, by = random_states(6, 50, seed=323), ur5.robot.inverse_dynamics_derivatives
    single = by(*(a.astype(np.float32) for a in (s.q, s.qd, s.qdd)))
    double = by(*(a.astype(np.float32).astype(float) for a in (s.q, s.qd, s.qdd)))
    for ours, theirs in zip(single, double, strict=True):
        assert ours.dtype == np.float32
        assert_close(ours, theirs, relative=1e-4)


def test_results_into_given_arrays_and_on_all_cores(ur5: Case) -> None:
    s, by = random_states(6, 64, seed=324), ur5.robot.kinetic_energy.derivative("q", "qd")
    expected = by(s.q, s.qd)
    out = tuple(np.empty((64, 6)) for _ in range(2))
    by(s.q, s.qd, out=out)
    for actual, wanted in zip(out, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)
    for actual, wanted in zip(by(s.q, s.qd, workers=2), expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)


def test_pickling_of_functions_and_results(ur5: Case) -> None:
    s = random_states(6, 3, seed=325)
    energy = ur5.robot.kinetic_energy
    for by in (energy.derivative("q", "qd"), energy.derivative("qd").jvp("q"), energy.derivative("gravity")):
        copy = pickle.loads(pickle.dumps(by))  # noqa: S301
        assert type(copy) is type(by)
        along = {"tangent_q": s.tau} if isinstance(by, Jvp) else {}
        expected, actual = by(s.q, s.qd, **along), copy(s.q, s.qd, **along)
        results = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
        for one, other in results:
            np.testing.assert_array_equal(one, other)
    result = energy.derivative("q", "qd")(s.q, s.qd)
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert type(copy) is type(result)
    np.testing.assert_array_equal(copy.d_qd, result.d_qd)


def test_asked_for_twice_it_is_the_same_function(ur5: Case) -> None:
    energy = ur5.robot.kinetic_energy
    assert energy.derivative("q") is energy.derivative("q")
    assert energy.derivative("q") is not energy.derivative("qd")
    assert isinstance(energy.derivative("q"), Derivative)
    assert isinstance(energy.jvp("q"), Jvp)


def test_functions_of_different_quantities_are_not_confused_in_the_cache(ur5: Case) -> None:
    s, f = random_states(6, 3, seed=326), ur5.robot.inverse_dynamics
    arrays = (s.q, s.qd, s.qdd)
    by_mass = [f.derivative(f"{link}.mass")(*arrays) for link in ("forearm_link", "wrist_1_link")]
    assert not np.allclose(*by_mass)
    assert not np.allclose(f.derivative("q")(*arrays), f.derivative("qd")(*arrays))
    keys = {g._source_key((("q",), ())) for g in (f.derivative("q"), f.jvp("q"), f.derivative("q").derivative("q"))}
    assert len(keys) == 3


def test_the_declaration_itself_runs_on_numbers(robot: armdyn.Robot) -> None:
    q, qd = STATE
    by = robot.kinetic_energy.derivative("q", "qd")
    plain = by.function(robot.mechanism, q[0], qd[0])
    for actual, expected in zip(plain, by(q[0], qd[0]), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)


def test_documentation_says_of_what_and_by_what(robot: armdyn.Robot) -> None:
    by = robot.inverse_dynamics.derivative("q", "gravity")
    assert by.__doc__.startswith("Derivatives of inverse_dynamics by q, gravity")
    assert by.__name__ == "inverse_dynamics_d_q_d_gravity"
    along = robot.kinetic_energy.jvp("q")
    assert along.__doc__.startswith("Derivatives of kinetic_energy by q times tangent_q")
    assert list(along.__signature__.parameters)[:4] == ["q", "qd", "base_twist", "tangent_q"]
    assert along.__signature__.parameters["tangent_q"].kind is inspect.Parameter.KEYWORD_ONLY


def test_directions_along_the_same_array_twice(robot: armdyn.Robot) -> None:
    q, qd = STATE
    twice = robot.kinetic_energy.jvp("q").jvp("q")
    assert list(twice.__signature__.parameters)[:5] == ["q", "qd", "base_twist", "tangent_q", "tangent_q_2"]
    u, v = np.array([0.3, -1.0]), np.array([2.0, 0.7])
    H = robot.kinetic_energy.derivative("q").derivative("q")(q, qd)
    np.testing.assert_allclose(twice(q, qd, tangent_q=u, tangent_q_2=v), np.einsum("sij,i,j->s", H, u, v), rtol=1e-12)


def test_parameters_that_are_inputs_stay_inputs(robot: armdyn.Robot) -> None:
    q, qd = STATE
    link = robot.link_names[2]
    with_mass = robot.compile(algorithms.kinetic_energy, parameters=[f"{link}.mass"])
    by_qd = with_mass.derivative("qd")
    heavy, light = (by_qd(q, qd, **{f"{link}.mass": m}) for m in (5.0, 1.0))
    by_mass = with_mass.derivative("qd").derivative(f"{link}.mass")(q, qd, **{f"{link}.mass": 2.0})
    np.testing.assert_allclose(heavy - light, 4.0 * by_mass, rtol=1e-12)
    along = with_mass.jvp(f"{link}.mass")
    name = f"tangent_{link}_mass"
    K = with_mass(q, qd, **{f"{link}.mass": 3.0}) - with_mass(q, qd, **{f"{link}.mass": 1.0})
    np.testing.assert_allclose(along(q, qd, **{f"{link}.mass": 1.0, name: 2.0}), K, rtol=1e-12)


def test_positions_are_those_of_the_primal(ur5: Case) -> None:
    """A tip wrench is a tip wrench by position, and a direction never takes its place."""
    s, f = random_states(6, 4, seed=327), ur5.robot.inverse_dynamics
    f_tip, along = f.jvp("q"), s.tau
    with pytest.raises(TypeError, match=r"misses tangent_q; it takes q, qd, qdd, f_tip, .*; give tangent_q= by name"):
        f_tip(s.q, s.qd, s.qdd, along)
    with pytest.raises(TypeError, match=r"mass_matrix_jvp_q\(\) misses tangent_q"):
        ur5.robot.mass_matrix.jvp("q")(s.q)
    wrench = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    for _ in range(2):  # the second call takes the short way
        actual = f_tip(s.q, s.qd, s.qdd, wrench, tangent_q=along)
        assert_close(actual, np.einsum("sij,sj->si", f.derivative("q")(s.q, s.qd, s.qdd, wrench), along))
    assert f_tip._inputs.positional == [*f._inputs.positional, "tangent_q"]
    nothing = np.zeros(6), np.zeros(6), np.zeros((len(ur5.robot.link_names), 6))
    everything = f_tip(s.q, s.qd, s.qdd, wrench, *nothing, along)
    np.testing.assert_allclose(everything, actual, rtol=1e-11, atol=1e-11)


def test_directions_stand_behind_parameters_that_are_inputs(ur5: Case) -> None:
    s = random_states(6, 4, seed=328)
    weight = ur5.robot.compile(algorithms.gravity_forces, parameters=["gravity"])
    rate, down = weight.jvp("q", "gravity"), np.array([1.0, 2.0, -9.0])
    assert rate._inputs.positional == ["q", "gravity", "tangent_q", "tangent_gravity"]
    by, lean = weight.derivative("q", "gravity")(s.q, down), np.array([0.3, -0.4, 0.5])
    expected = np.einsum("sij,sj->si", by.d_q, s.qd) + by.d_gravity @ lean
    assert_close(rate(s.q, down, tangent_q=s.qd, tangent_gravity=lean), expected)


def test_an_optional_array_that_is_differentiated_by_keeps_its_place(ur5: Case) -> None:
    """Behind f_tip, which may be left out, stands base_twist: by position the fourth array stays the tip wrench."""
    s, by_twist = random_states(6, 4, seed=329), ur5.robot.inverse_dynamics.derivative("base_twist")
    wrench, twist = np.arange(1.0, 7.0), np.full(6, 0.3)
    with pytest.raises(TypeError, match=r"misses base_twist; .*give base_twist= by name"):
        by_twist(s.q, s.qd, s.qdd, wrench)
    by_position = by_twist(s.q, s.qd, s.qdd, wrench, twist)
    np.testing.assert_array_equal(by_position, by_twist(s.q, s.qd, s.qdd, f_tip=wrench, base_twist=twist))
    assert_close(by_position, by_twist(s.q, s.qd, s.qdd, base_twist=twist))  # forces of a wrench add up


def test_parameters_are_named_once_and_one_may_stand_alone(ur5: Case) -> None:
    q = random_states(6, 4, seed=330).q
    alone = ur5.robot.compile(algorithms.gravity_forces, parameters="gravity")
    assert alone.parameters == ("gravity",)
    assert_close(alone(q, ur5.robot.gravity), ur5.robot.gravity_forces(q))
    with pytest.raises(TypeError, match="gravity_forces has parameters gravity, gravity; name each of them once"):
        ur5.robot.compile(algorithms.gravity_forces, parameters=["gravity", "gravity"])
    with pytest.raises(UnknownName, match=r"no parameter 'gravitas'.*Did you mean 'gravity'"):
        ur5.robot.compile(algorithms.gravity_forces, parameters="gravitas")


def test_unknown_quantities(robot: armdyn.Robot) -> None:
    with pytest.raises(
        UnknownName, match=r"no array or parameter 'qddd' in inverse_dynamics of 'rp'.*Did you mean 'qdd'"
    ):
        robot.inverse_dynamics.derivative("qddd")
    with pytest.raises(UnknownName, match="no array or parameter 'f_tip' in gravity_forces"):
        robot.gravity_forces.derivative("f_tip")
    joint = robot.model.joint_names[0]
    with pytest.raises(UnknownName, match=rf"no parameter '{joint}.armatur' in 'rp'.*Did you mean '{joint}.armature'"):
        robot.inverse_dynamics.jvp(f"{joint}.armatur")
    with pytest.raises(UnknownName, match=rf"no array or parameter 'z' in .*Known: q, .*gravity, .*{joint}.armature"):
        robot.inverse_dynamics.derivative("z")


def test_a_quantity_named_twice(robot: armdyn.Robot) -> None:
    with pytest.raises(TypeError, match="differentiated by q, q; name each of them once"):
        robot.inverse_dynamics.derivative("q", "q")


def test_wrong_shapes_name_the_argument(ur5: Case) -> None:
    q = np.zeros(6)
    with pytest.raises(ShapeError, match=r"tangent_q has shape \(5,\).*one value per joint of 'ur5'"):
        ur5.robot.kinetic_energy.jvp("q")(q, q, tangent_q=np.zeros(5))
    with pytest.raises(ShapeError, match=r"qd has shape \(7,\)"):
        ur5.robot.inverse_dynamics_derivatives(q, np.zeros(7), q)


def test_nan_in_a_state_is_not_lost(ur5: Case) -> None:
    """Also where the derivative does not depend on what is NaN: an arm on a vertical axis."""
    robot = ur5.robot.with_gravity([0.0, 0.0, -9.81])
    q = np.full((2, 6), 0.3)
    q[1, 0] = np.nan
    by_q = robot.gravity_forces.derivative("q")(q)
    assert np.isfinite(by_q[0]).all()
    assert np.isnan(by_q[1, 1:4, 1:4]).all()


def test_what_does_not_depend_on_it_has_zero_derivatives(robot: armdyn.Robot) -> None:
    q, _ = STATE
    by_gravity = robot.mass_matrix.derivative("gravity")
    assert str(by_gravity.op_counts) == "0"
    np.testing.assert_array_equal(by_gravity(q), np.zeros((3, 2, 2, 3)))
