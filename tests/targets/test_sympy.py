"""Programs as expressions of SymPy beside the interpreter."""

import numpy as np
import pytest
import sympy

import armdyn
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.base.errors import MissingLibrary, Unsupported
from armdyn.program import Port, Program, trace
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single_operations

LONGEST = 250
"""Nodes of the programs whose expressions are written out here; those of others have the same operations."""


def evaluated(program: Program, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """State by state, shared terms found again."""
    results = program.to_sympy()
    results = results if isinstance(results, tuple) else (results,)
    symbols = [sympy.Symbol(name, real=True) for port in program.inputs for name in names(port)]
    flat = [entry for r in results for entry in (sympy.flatten(r) if hasattr(r, "shape") else [r])]
    f = sympy.lambdify(symbols, flat, "numpy", cse=True)
    count = len(arrays[0]) if arrays else 1
    rows = [f(*[x for a in arrays for x in a[k].ravel().tolist()]) for k in range(count)]
    splits = np.cumsum([port.size for port in program.outputs])[:-1]
    values = np.array(rows, dtype=complex)  # SymPy writes sqrt(-x) as i sqrt(x), of x that are negative here
    assert np.abs(values.imag).max(initial=0.0) <= 1e-9 * np.abs(values.real).max(initial=1.0)
    outputs = np.split(values.real, splits, axis=1)
    return [o.reshape(count, *port.shape) for o, port in zip(outputs, program.outputs, strict=True)]


def names(port: Port) -> list[str]:
    """The names of the entries of an array."""
    name = port.name.replace(".", "_")
    if len(port.shape) < 2:
        return [name + "".join(str(i + 1) for i in place) for place in np.ndindex(*port.shape)]
    return [f"{name}_" + "_".join(str(i + 1) for i in place) for place in np.ndindex(*port.shape)]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str) -> None:
    met = 0
    for _, program in public_programs(robot):
        if len(program.nodes) <= LONGEST:
            arrays = arguments(program)
            assert_same(evaluated(program, arrays), program, arrays)
            met += 1
    assert met > 20


def test_every_operation() -> None:
    for program in single_operations():
        arrays = arguments(program)
        assert_same(evaluated(program, arrays), program, arrays)


def test_nested_choices() -> None:
    """Friction that is quadratic in the load: SymPy's own judging of its cases takes minutes."""
    arm = armdyn.load("planar_2r")
    arm = arm.with_actuators({name: armdyn.actuators.published.servo("MX-106", "M6") for name in arm.joint_names})
    symbols = [sympy.Symbol(f"{name}{k}", real=True) for name in ("q", "qd", "qdd") for k in (1, 2)]
    f = sympy.lambdify(symbols, list(arm.inverse_dynamics.to_sympy()), "math", cse=True)
    for state in np.random.default_rng(0).normal(size=(40, 3, 2)) * [[1.0], [1.0], [8.0]]:
        np.testing.assert_allclose(f(*state.ravel()), arm.inverse_dynamics(*state), rtol=1e-12, atol=1e-12)


def test_conditions_of_conditions_are_refused() -> None:
    """Each step of Newton's method looks at what the one before has chosen."""
    arm = armdyn.load("planar_2r")
    lossy = arm.with_actuators(dict.fromkeys(arm.joint_names, Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8))))
    with pytest.raises(Unsupported, match=r"forward_dynamics compares numbers chosen .* use to_casadi"):
        lossy.forward_dynamics.to_sympy()
    assert lossy.inverse_dynamics.to_sympy().shape == (2, 1)


def test_mass_matrix_is_the_printed_one() -> None:
    M = armdyn.load("planar_2r").mass_matrix.to_sympy()
    q2 = sympy.Symbol("q2", real=True)
    assert (
        (M - sympy.Matrix([[3 + 2 * sympy.cos(q2), 1 + sympy.cos(q2)], [1 + sympy.cos(q2), 1]])).expand().is_zero_matrix
    )


def test_parameters_are_symbols() -> None:
    robot = armdyn.load("planar_2r")
    function = robot.compile(armdyn.algorithms.gravity_forces, parameters=["link_2.mass", "gravity"])
    g = function.to_sympy()
    symbols = {str(symbol) for symbol in g.free_symbols}
    assert symbols == {"q1", "q2", "link_2_mass", "gravity1", "gravity2"}


def test_names_that_collide() -> None:
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in SymPy; rename one of them"):
        same.to_sympy()


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sympy", None)
    with pytest.raises(MissingLibrary, match=r"to_sympy needs SymPy, .*: pip install sympy"):
        armdyn.load("planar_2r").mass_matrix.to_sympy()
