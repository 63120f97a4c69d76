"""The two-link arm of the lecture in Cartesian space: closed forms in the axes of its end, and MR's figures."""

import numpy as np
import pytest
import sympy as sp

import armdyn
from oracles.states import assert_close

M1, M2, L1, L2, G = 1.7, 0.6, 0.9, 1.3, 9.81


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    """Point masses at the ends of the links, in a vertical plane, gravity along -y."""

    def point(mass: float, length: float) -> armdyn.Inertia:
        return armdyn.Inertia(mass, [length, 0.0, 0.0], np.zeros((3, 3)))

    return armdyn.Robot.from_links(
        [
            armdyn.Part("upper", "base", "revolute", axis=(0, 0, 1), inertia=point(M1, L1)),
            armdyn.Part("lower", "upper", "revolute", axis=(0, 0, 1), xyz=(L1, 0, 0), inertia=point(M2, L2)),
            armdyn.Part("end", "lower", "fixed", xyz=(L2, 0, 0)),
        ],
        gravity=(0, -G, 0), name="two_link",
    )  # fmt: skip


def closed_form(q, qd):
    """M_x, V_x, G_x as the lecture prints them, with ^eJ_v = [[L1 s2, 0], [L1 c2 + L2, L2]]."""
    (c1, _), (c2, s2) = ((np.cos(x), np.sin(x)) for x in q)
    s12, c12 = np.sin(q[0] + q[1]), np.cos(q[0] + q[1])
    a, b = qd
    mixed = 2 * M2 * L2 + M2 * L1 * c2 + M1 * L1 * c2 / s2**2
    return (
        np.diag([M2 + M1 / s2**2, M2]),
        np.array([-(M2 * L1 * c2 + M2 * L2) * a**2 - M2 * L2 * b**2 - mixed * a * b,
                  M2 * L1 * s2 * a**2 + M2 * L1 * s2 * a * b]),
        np.array([M1 * G * c1 / s2 + M2 * G * s12, M2 * G * c12]),
    )  # fmt: skip


def test_ucls_closed_form(arm) -> None:
    rng = np.random.default_rng(420)
    q, qd = rng.uniform(0.4, 2.6, (20, 2)) * [1, 1], rng.normal(0.0, 2.0, (20, 2))
    actual = arm.cartesian_dynamics(q, qd, components=("vx", "vy"))
    assert actual._fields == ("M_x", "V_x", "G_x")
    for values, expected in zip(actual, zip(*map(closed_form, q, qd), strict=True), strict=True):
        assert_close(values, np.array(expected), 2e-12)


def test_the_closed_form_is_what_the_definition_gives() -> None:
    """J^-T M J^-1, J^-T (V - M J^-1 Jdot qd), J^-T G, by SymPy: the printed lines follow from the lecture's own."""
    q1, q2, a, b = sp.symbols("q1 q2 a b")
    c2, s2 = sp.cos(q2), sp.sin(q2)
    m1, m2, l1, l2, g = map(sp.Rational, map(str, (M1, M2, L1, L2, G)))
    M = sp.Matrix([
        [m1 * l1**2 + m2 * (l1**2 + 2 * l1 * l2 * c2 + l2**2), m2 * (l1 * l2 * c2 + l2**2)],
        [m2 * (l1 * l2 * c2 + l2**2), m2 * l2**2],
    ])  # fmt: skip
    V = sp.Matrix([-m2 * l1 * l2 * s2 * (2 * a * b + b**2), m2 * l1 * l2 * a**2 * s2])
    weight = sp.Matrix([
        (m1 + m2) * l1 * g * sp.cos(q1) + m2 * g * l2 * sp.cos(q1 + q2), m2 * g * l2 * sp.cos(q1 + q2)
    ])  # fmt: skip
    J = sp.Matrix([[l1 * s2, 0], [l1 * c2 + l2, l2]])
    J_inverse, J_rate = J.inv(), J.diff(q2) * b
    formulas = (J_inverse.T * M * J_inverse, J_inverse.T * (V - M * J_inverse * J_rate * sp.Matrix([a, b])),
                J_inverse.T * weight)  # fmt: skip
    at = {q1: 0.7, q2: 1.1, a: -0.8, b: 1.9}
    for formula, printed in zip(formulas, closed_form([0.7, 1.1], [-0.8, 1.9]), strict=True):
        np.testing.assert_allclose(np.array(formula.subs(at), dtype=float).reshape(printed.shape), printed, rtol=1e-12,
                                   atol=1e-12)  # fmt: skip


def test_cartesian_is_task_space_in_the_tools_axes(arm) -> None:
    ur5 = armdyn.load("ur5")
    q, qd = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [0.5, -0.2, 0.3, 0.7, -0.9, 0.4]
    M_x, V_x, G_x = ur5.cartesian_dynamics(q, qd)
    task = ur5.task_space(q, qd, components="position", expressed_in="body")
    for value, expected in ((M_x, task.Lambda), (V_x, task.mu), (G_x, task.p)):
        np.testing.assert_array_equal(value, expected)
    turned = ur5.cartesian_dynamics(q, qd, expressed_in="world").M_x
    R = ur5.forward_kinematics(q)[:3, :3]
    assert_close((R.T @ turned @ R)[None], M_x[None])
    with pytest.raises(armdyn.algorithms.SingularTask, match="loses rank"):
        arm.cartesian_dynamics([0.3, 0.0], [0.0, 0.0], components=("vx", "vy"))


def test_example_of_figure_8_4() -> None:
    """At (0, 150 deg) a force (1, 0) at the tip gives it the acceleration (0.4, 0.35), as printed."""
    arm, plane = armdyn.load("planar_2r"), {"components": ("vx", "vy"), "expressed_in": "world"}
    q = np.radians([[0.0, 90.0], [0.0, 150.0]])
    Lambda = arm.task_space(q, np.zeros(2), **plane).Lambda
    np.testing.assert_allclose(Lambda[0], [[1.0, 0.0], [0.0, 2.0]], rtol=0, atol=1e-14)  # feels m2, and m1 + m2
    acceleration = np.linalg.solve(Lambda[1], [1.0, 0.0])
    assert acceleration.round(2).tolist() == [0.4, 0.35]
    np.testing.assert_allclose(acceleration, [0.4, np.sqrt(3) / 5], rtol=1e-14)
