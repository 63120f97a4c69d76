"""Programs as functions of CasADi beside the interpreter, and CasADi's derivatives beside ours."""

import copy
import pickle

import casadi as ca
import numpy as np
import pytest

import armdyn
from armdyn.base.errors import MissingLibrary, ShapeError, Unsupported
from armdyn.program import Port, Program, trace
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single_operations


def evaluated(program: Program, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """State by state, arrays of higher rank as matrices of their rows."""
    function = program.to_casadi()
    states = []
    for k in range(len(arrays[0]) if arrays else 1):
        given = [
            a[k].reshape(port.shape[0] if port.shape else 1, -1) if port.size else np.empty((0, 0))
            for a, port in zip(arrays, program.inputs, strict=True)
        ]
        results = function.call([ca.DM(a) for a in given])
        states.append([np.array(r).reshape(port.shape) for r, port in zip(results, program.outputs, strict=True)])
    return [np.stack(outputs) for outputs in zip(*states, strict=True)]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str) -> None:
    for _, program in public_programs(robot):
        arrays = arguments(program)
        assert_same(evaluated(program, arrays), program, arrays)


def test_every_operation() -> None:
    for program in single_operations():
        arrays = arguments(program)
        assert_same(evaluated(program, arrays), program, arrays)


def test_derivatives_of_casadi() -> None:
    robot = armdyn.load("ur5")
    f = robot.inverse_dynamics.to_casadi()
    q, qd, qdd = (ca.SX.sym(name, 6) for name in ("q", "qd", "qdd"))
    by_q = ca.Function("by_q", [q, qd, qdd], [ca.jacobian(f(q, qd, qdd), q)])
    states = np.random.default_rng(3).uniform(-2, 2, (3, 6))
    expected = robot.inverse_dynamics.derivative("q")(*states)
    np.testing.assert_allclose(np.array(by_q(*states)), expected, rtol=1e-12, atol=1e-12)


def test_names() -> None:
    robot = armdyn.load("ur5")
    program = robot.compile(armdyn.algorithms.gravity_forces, parameters=["forearm_link.mass"]).program()
    assert program.to_casadi(name="2nd of all").name_in() == ["q", "forearm_link_mass"]
    assert program.to_casadi(name="2nd of all").name() == "x2nd_of_all"
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in CasADi; rename one of them"):
        same.to_casadi()


def test_a_result_with_the_name_of_an_input() -> None:
    step = trace(lambda q, qd: (q + 0.1 * qd, qd), [Port("q", (2,)), Port("qd", (2,))], ["q", "qd"], name="null")
    function = step.to_casadi()
    assert function.name() == "null_"
    assert (function.name_in(), function.name_out()) == (["q", "qd"], ["q_out", "qd_out"])
    np.testing.assert_allclose(function(q=[1.0, 2.0], qd=[3.0, 4.0])["q_out"], [[1.3], [2.4]])


def test_states_are_columns() -> None:
    """A square batch could be read both ways; a batch with states in rows is named as that."""
    robot = armdyn.load("ur5")
    f = robot.inverse_dynamics.to_casadi()
    q, qd, qdd = np.random.default_rng(5).uniform(-2.0, 2.0, (3, 6, 6))
    expected = robot.inverse_dynamics(q, qd, qdd)
    with pytest.raises(ShapeError, match=r'q of inverse_dynamics has shape \(6, 6\), .*to_casadi\(states="last"\)'):
        f(q, qd, qdd)
    for given in (ca.DM(qd), ca.SX.sym("qd", 6, 6), ca.MX.sym("qd", 6, 6)):
        with pytest.raises(ShapeError, match="qd of inverse_dynamics has shape"):
            f(q=q[0], qd=given, qdd=qdd[0])
    with pytest.raises(ShapeError, match=r"q of inverse_dynamics has shape \(5, 6\); .*a state in each column: q\.T"):
        f.call([q[:5], qd[:5], qdd[:5]])
    for empty in (q[:0].T, q[:0]):
        with pytest.raises(ShapeError, match="of no state, which CasADi reads as zeros"):
            f(empty, empty, empty)
    np.testing.assert_allclose(np.array(f(q[:5].T, qd[:5].T, qdd[:5].T)).T, expected[:5], rtol=1e-12)
    columns = robot.inverse_dynamics.to_casadi(states="last")
    for same in (columns, pickle.loads(pickle.dumps(columns)), copy.deepcopy(columns)):  # noqa: S301 - our own
        np.testing.assert_allclose(np.array(same(q.T, qd.T, qdd.T)).T, expected, rtol=1e-12)
    for other in (f, pickle.loads(pickle.dumps(f)), copy.copy(f)):  # noqa: S301 - our own
        with pytest.raises(ShapeError, match="of which CasADi reads each column as a state"):
            other(q.T, qd.T, qdd.T)
    np.testing.assert_allclose(np.array(f.map(6)(q.T, qd.T, qdd.T)).T, expected, rtol=1e-12)
    pose_error = trace(lambda T: T[:3, 3], [Port("T", (4, 4))]).to_casadi()  # a matrix, not a batch
    np.testing.assert_array_equal(np.array(pose_error(np.eye(4)))[:, 0], np.zeros(3))
    with pytest.raises(ShapeError, match=r"states='rows'; expected 'last'|states .*'last'"):
        robot.inverse_dynamics.to_casadi(states="rows")


def test_without_casadi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "casadi", None)
    with pytest.raises(MissingLibrary, match=r"to_casadi needs CasADi, .*: pip install casadi"):
        armdyn.load("planar_2r").mass_matrix.to_casadi()
