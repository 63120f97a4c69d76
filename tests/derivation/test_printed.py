"""Derived closed forms beside the printed ones, symbol by symbol: the same expression, not only an equal one.

What is on the right of each comparison is typed from the text, with the arrangement of the text. The left is derived.
"""

import pytest
import sympy
from sympy import Matrix, Rational, cos, sin, symbols

import armdyn
from armdyn.derivation.arrangement import BY_GEOMETRY, MOTION_INSIDE
from armdyn.derivation.derivation import Derivation

q1, q2, q3, qd1, qd2, qd3, qdd1, qdd2 = symbols("q1 q2 q3 qd1 qd2 qd3 qdd1 qdd2")
m1, m2, m3, L1, L2, L3, g = symbols("m1 m2 m3 L1 L2 L3 g")
c1, s1, c2, s2, c12, s12 = cos(q1), sin(q1), cos(q2), sin(q2), cos(q1 + q2), sin(q1 + q2)
TWO_LINKS = {
    "link_1.mass": "m1",
    "link_2.mass": "m2",
    "link_1.com": "L1",
    "joint_2.placement": "L1",
    "link_2.com": "L2",
    "tip.placement": "L2",
    "gravity": "g",
}


@pytest.fixture(scope="module", params=["lagrange", "newton-euler"])
def arm(request: pytest.FixtureRequest) -> Derivation:
    return armdyn.derive(armdyn.load("planar_2r"), request.param, symbols=TWO_LINKS)


@pytest.fixture(scope="module")
def example_8_5() -> Derivation:
    return armdyn.derive(armdyn.load("planar_2r", gravity=(0, 0, 0)))


def test_modern_robotics_8_9(arm: Derivation) -> None:
    assert arm.tau[0] == (
        (m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2)) * qdd1
        + m2 * (L1 * L2 * c2 + L2**2) * qdd2
        - m2 * L1 * L2 * s2 * (2 * qd1 * qd2 + qd2**2)
        + (m1 + m2) * L1 * g * c1
        + m2 * g * L2 * c12
    )
    assert arm.tau[1] == (
        m2 * (L1 * L2 * c2 + L2**2) * qdd1 + m2 * L2**2 * qdd2 + m2 * L1 * L2 * qd1**2 * s2 + m2 * g * L2 * c12
    )


def test_modern_robotics_8_10(arm: Derivation) -> None:
    M12 = m2 * (L1 * L2 * c2 + L2**2)
    assert Matrix([[m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2), M12], [M12, m2 * L2**2]]) == arm.M
    assert Matrix([-m2 * L1 * L2 * s2 * (2 * qd1 * qd2 + qd2**2), m2 * L1 * L2 * qd1**2 * s2]) == arm.c
    assert Matrix([(m1 + m2) * L1 * g * c1 + m2 * g * L2 * c12, m2 * g * L2 * c12]) == arm.g


def test_modern_robotics_energies() -> None:
    arm = armdyn.derive(armdyn.load("planar_2r"), symbols=TWO_LINKS)
    lines = {str(e.symbol): e.expression for step in arm.steps for e in step.equations}
    half = Rational(1, 2)
    assert lines["K_1"] == half * m1 * L1**2 * qd1**2
    K2 = (
        half
        * m2
        * ((L1**2 + 2 * L1 * L2 * c2 + L2**2) * qd1**2 + 2 * qd1 * qd2 * (L2**2 + L1 * L2 * c2) + L2**2 * qd2**2)
    )  # L2^2 in the middle, where copies of the text print L1^2
    assert lines["K_2"] == K2, "the sums are grouped as in the book"
    assert lines["L"] == half * m1 * L1**2 * qd1**2 + K2 - (m1 + m2) * L1 * g * s1 - m2 * g * L2 * s12
    assert lines["P_1"] == m1 * g * L1 * s1
    assert lines["P_2"] == m2 * g * L1 * s1 + m2 * g * L2 * s12
    assert lines["p_C2"] == Matrix([L1 * c1 + L2 * c12, L1 * s1 + L2 * s12, 0])
    assert lines["dL/dqd_1"].diff(qd1) == arm.M[0, 0]


def test_modern_robotics_8_11_and_8_12() -> None:
    """m a of the two masses, without gravity, in base axes."""
    from armdyn.derivation.arrangement import Arrangement
    from armdyn.derivation.kinematics import Kinematics
    from armdyn.derivation.parameters import symbolic_arm

    two = symbolic_arm(armdyn.load("planar_2r"), TWO_LINKS)
    arrangement, centres = Arrangement(two), Kinematics(two).centres
    f1, f2 = (
        arrangement.array(two.algebra.rates(two.algebra.rates(p)) * two.algebra.element(b.mass), MOTION_INSIDE)
        for p, b in zip(centres, two.bodies, strict=True)
    )
    assert f1[0] == m1 * (-L1 * qd1**2 * c1 - L1 * qdd1 * s1)
    assert f1[1] == m1 * (-L1 * qd1**2 * s1 + L1 * qdd1 * c1)
    both, faster = (qd1 + qd2) ** 2, qdd1 + qdd2
    assert f2[0] == m2 * (-L1 * qd1**2 * c1 - L2 * both * c12 - L1 * qdd1 * s1 - L2 * faster * s12)
    assert f2[1] == m2 * (-L1 * qd1**2 * s1 - L2 * both * s12 + L1 * qdd1 * c1 + L2 * faster * c12)
    assert (f1[2], f2[2]) == (0, 0)


def test_structure_of_the_slides(arm: Derivation) -> None:
    """M, centrifugal and Coriolis parts and G of the two-link arm, as the UCL slides arrange them."""
    M12 = m2 * L2**2 + m2 * L1 * L2 * c2
    assert arm.arranged("M", BY_GEOMETRY) == Matrix(
        [[m2 * L2**2 + 2 * m2 * L1 * L2 * c2 + (m1 + m2) * L1**2, M12], [M12, m2 * L2**2]]
    )
    assert arm["centrifugal"] == Matrix([[0, -m2 * L1 * L2 * s2], [m2 * L1 * L2 * s2, 0]])
    assert arm["coriolis"] == Matrix([-2 * m2 * L1 * L2 * s2, 0])
    assert arm["g"] == Matrix([m2 * g * L2 * c12 + (m1 + m2) * g * L1 * c1, m2 * g * L2 * c12])


def test_christoffel_symbols(arm: Derivation) -> None:
    h = m2 * L1 * L2 * s2
    assert arm.christoffel.tolist() == [[[0, -h], [-h, -h]], [[h, 0], [0, 0]]]
    assert Matrix([[-h * qd2, -h * (qd1 + qd2)], [h * qd1, 0]]) == arm.C


def test_newton_euler_of_the_slides() -> None:
    """The second link's outward iteration, as the UCL slides print it."""
    arm = armdyn.derive(armdyn.load("planar_2r"), "newton-euler", symbols=TWO_LINKS)
    lines = {str(e.symbol): e.expression for step in arm.steps for e in step.equations}
    assert lines["vd_1"] == Matrix([g * s1, g * c1, 0])
    assert lines["vd_C1"] == Matrix([g * s1 - L1 * qd1**2, g * c1 + L1 * qdd1, 0])
    assert lines["omegad_2"] == Matrix([0, 0, qdd1 + qdd2])
    assert lines["vd_2"] == Matrix(
        [-L1 * c2 * qd1**2 + L1 * s2 * qdd1 + g * s12, L1 * s2 * qd1**2 + L1 * c2 * qdd1 + g * c12, 0]
    )
    assert sympy.expand(
        lines["F_2"] - m2 * (lines["vd_2"] + Matrix([-L2 * (qd1 + qd2) ** 2, L2 * (qdd1 + qdd2), 0]))
    ) == (Matrix([0, 0, 0]))
    assert lines["tau_2"] == arm.tau[1]


def test_cartesian_dynamics_of_the_slides(arm: Derivation) -> None:
    task = arm.task_space(("vx", "vy"))
    assert Matrix([[L1 * s2, 0], [L1 * c2 + L2, L2]]) == task.J
    assert Matrix([[L1 * c2 * qd2, 0], [-L1 * s2 * qd2, 0]]) == task.J_dot
    assert Matrix([[1 / (L1 * s2), 0], [(-L1 * c2 - L2) / (L1 * L2 * s2), 1 / L2]]) == task.J_inverse
    assert Matrix([[m2 + m1 / s2**2, 0], [0, m2]]) == task.Lambda
    assert Matrix([m1 * g * c1 / s2 + m2 * g * s12, m2 * g * c12]) == task.p
    V = Matrix(
        [
            -(m2 * L1 * c2 + m2 * L2) * qd1**2
            - m2 * L2 * qd2**2
            - (2 * m2 * L2 + m2 * L1 * c2 + m1 * L1 * c2 / s2**2) * qd1 * qd2,
            m2 * L1 * s2 * qd1**2 + m2 * L1 * s2 * qd1 * qd2,
        ]
    )
    assert (task.mu - V).expand() == Matrix([0, 0])


def test_modern_robotics_example_8_5(example_8_5: Derivation) -> None:
    task, held = example_8_5.task_space(("vx", "vy"), "world"), example_8_5.constrained("vx")
    assert Matrix([[-s1 - s12, -s12], [c1 + c12, c12]]) == task.J
    J_dot = Matrix(
        [[-qd1 * c1 - c12 * (qd1 + qd2), -c12 * (qd1 + qd2)], [-qd1 * s1 - s12 * (qd1 + qd2), -s12 * (qd1 + qd2)]]
    )
    assert task.arranged("J_dot", ("geometry", "mass", "motion")) == J_dot
    assert task.J[0, :] == held.A
    assert held.A_dot == task.J_dot[0, :]


def test_multipliers_of_example_8_5(example_8_5: Derivation) -> None:
    """lambda = 0.289 tau1 - 1.155 tau2 - 0.167 at theta = (-pi/3, 2 pi/3), thetadot = (1, 0)."""
    held, root3 = example_8_5.constrained("vx"), sympy.sqrt(3)
    here = {q1: -sympy.pi / 3, q2: 2 * sympy.pi / 3, qd1: 1, qd2: 0}
    assert sympy.simplify(held.W.subs(here) - Matrix([[1 / (2 * root3), -2 / root3]])) == Matrix([[0, 0]])
    assert sympy.nsimplify(held.w.subs(here)[0]) == -Rational(1, 6)
    assert sympy.simplify(held.P.subs(here) - (sympy.eye(2) - held.A.subs(here).T * held.W.subs(here))) == sympy.zeros(
        2
    )


def test_furuta_pendulum_of_exercise_8_4() -> None:
    """By hand: the pendulum's mass at L1 x1 + L2 (s2, c2) across, and its inertia about its centre, diag(Ix, Iy, 0)."""
    I1, Ix, Iy = symbols("I1 Ix Iy")
    arm = armdyn.derive(
        armdyn.load("furuta"),
        symbols={
            "arm.mass": "m1", "pendulum.mass": "m2", "arm.com": "L1", "pendulum_joint.placement": "L1",
            "pendulum.com": "L2", "arm.inertia.zz": "I1", "pendulum.inertia.xx": "Ix", "pendulum.inertia.yy": "Iy",
            "gravity": "g",
        },
    )  # fmt: skip
    assert (
        Matrix(
            [
                [I1 + Iy * s2**2 + m1 * L1**2 + m2 * (L1**2 + L2**2 * s2**2), -m2 * L1 * L2 * c2],
                [-m2 * L1 * L2 * c2, Ix + m2 * L2**2],
            ]
        )
        == arm.M
    )
    assert Matrix([0, -m2 * g * L2 * s2]) == arm.g
    assert sympy.expand(arm.c[0] - (2 * (Iy + m2 * L2**2) * s2 * c2 * qd1 * qd2 + m2 * L1 * L2 * s2 * qd2**2)) == 0
    assert sympy.expand(arm.c[1] + (Iy + m2 * L2**2) * s2 * c2 * qd1**2) == 0
    at_45_degrees = arm.g.subs({q1: sympy.pi / 4, q2: sympy.pi / 4, m2: 2, L2: 1, g: 10})
    assert at_45_degrees == Matrix([0, -10 * sympy.sqrt(2)])


def test_rp_arm_of_craigs_chapter_6() -> None:
    """tau1 = (m1 l1^2 + I1 + I2 + m2 d2^2) qdd1 + 2 m2 d2 qd1 qd2 + (m1 l1 + m2 d2) g c1, tau2 likewise."""
    l1, I1, I2 = symbols("l1 I1 I2")
    chosen = {"link_1.mass": "m1", "link_2.mass": "m2", "link_1.com": "l1", "gravity": "g"}
    chosen |= {"link_1.inertia.zz": "I1", "link_2.inertia.zz": "I2"}
    arm = armdyn.derive(armdyn.load("rp"), "configuration-space", symbols=chosen)
    assert Matrix([[m1 * l1**2 + I1 + I2 + m2 * q2**2, 0], [0, m2]]) == arm.M
    assert arm["coriolis"] == Matrix([2 * m2 * q2, 0])
    assert arm["centrifugal"] == Matrix([[0, 0], [-m2 * q2, 0]])
    assert Matrix([m1 * l1 * g * c1 + m2 * q2 * g * c1, m2 * g * s1]) == arm.g


def test_planar_3r_with_general_symbols() -> None:
    arm = armdyn.derive(armdyn.load("planar_3r"), symbols="all")
    I1zz, I2zz, I3zz, r1, r2, r3 = symbols("I1zz I2zz I3zz lc1 lc2 lc3")
    c3, c23, c123 = cos(q3), cos(q2 + q3), cos(q1 + q2 + q3)
    assert arm.M[0, 0] == (
        I1zz + I2zz + I3zz + m1 * r1**2 + m2 * (L1**2 + 2 * L1 * r2 * c2 + r2**2)
        + m3 * (L1**2 + 2 * L1 * L2 * c2 + 2 * L1 * r3 * c23 + L2**2 + 2 * L2 * r3 * c3 + r3**2)
    )  # fmt: skip
    assert arm.M[2, 2] == I3zz + m3 * r3**2
    assert arm.g[2] == m3 * g * r3 * c123
    assert (
        arm.g[0]
        == m1 * g * r1 * c1 + m2 * g * r2 * c12 + (m2 + m3) * g * L1 * c1 + m3 * g * L2 * c12 + m3 * g * r3 * c123
    )
    assert arm.christoffel[2, 0, 0] == m3 * (L1 * r3 * sin(q2 + q3) + L2 * r3 * sin(q3))


def test_spatial_arm_keeps_products_of_unlike_angles() -> None:
    """A shoulder that turns about z and lifts about y, and an elbow parallel to it: squares, not doubled angles."""
    load = armdyn.Inertia.point(1.0, [1, 0, 0])
    robot = armdyn.Robot.from_links(
        [
            armdyn.Part("one", "base", axis=(0, 0, 1)),
            armdyn.Part("two", "one", axis=(0, -1, 0), inertia=load),
            armdyn.Part("three", "two", axis=(0, -1, 0), xyz=(1, 0, 0), inertia=load),
        ]
    )
    chosen = {
        "two.mass": "m1",
        "three.mass": "m2",
        "two.com": "L1",
        "joint_of_three.placement": "L1",
        "three.com": "L2",
    }
    M = armdyn.derive(robot, symbols=chosen).M
    c23 = cos(q2 + q3)
    assert M[0, 0] == m1 * L1**2 * c2**2 + m2 * (L1**2 * c2**2 + 2 * L1 * L2 * c2 * c23 + L2**2 * c23**2)
    assert M[1, 2] == m2 * (L1 * L2 * cos(q3) + L2**2)


def test_base_parameters_of_the_planar_arm() -> None:
    robot = armdyn.load("planar_3r")
    arm = armdyn.derive(robot, symbols="all")
    base = arm.base_parameters()
    b = base.definitions
    I1zz, I2zz, I3zz, r1, r2, r3 = symbols("I1zz I2zz I3zz lc1 lc2 lc3")
    assert [sympy.expand(x) for x in b.values()] == [
        I3zz + m3 * r3**2,
        m3 * r3,
        I2zz + m2 * r2**2 + m3 * L2**2,
        m2 * r2 + m3 * L2,
        sympy.expand(I1zz + m1 * r1**2 + (m2 + m3) * L1**2),
        sympy.expand(m1 * r1 + (m2 + m3) * L1),
    ]
    difference = base.tau.subs(b) - arm.tau
    assert difference.expand() == sympy.zeros(3, 1)


def test_one_grouping_by_name_in_text_and_in_latex() -> None:
    """Newton's f_1 and f_2 of Modern Robotics (8.11), (8.12), and the forces of Craig's example 6.7 in link axes."""
    arm = armdyn.derive(armdyn.load("planar_2r"), symbols=TWO_LINKS)
    both, faster = (qd1 + qd2) ** 2, qdd1 + qdd2
    x = m2 * (-L1 * qd1**2 * c1 - L2 * both * c12 - L1 * qdd1 * s1 - L2 * faster * s12)
    y = m2 * (-L1 * qd1**2 * s1 - L2 * both * s12 + L1 * qdd1 * c1 + L2 * faster * c12)
    assert arm["f_2"] == arm["F_C2"] == Matrix([x, y, 0])
    assert arm["f_1"] == Matrix(
        [m1 * (-L1 * qd1**2 * c1 - L1 * qdd1 * s1), m1 * (-L1 * qd1**2 * s1 + L1 * qdd1 * c1), 0]
    )
    line = "K_2 = m₂·((L₁² + 2·L₁·L₂·c₂ + L₂²)·q̇₁² + 2·(L₁·L₂·c₂ + L₂²)·q̇₁·q̇₂ + L₂²·q̇₂²)/2"
    assert arm.text("K_2") == line
    assert f"   {line}\n" in str(arm)
    latex = arm.latex("K_2").removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}")
    assert latex in arm.latex()
    recursion = armdyn.derive(armdyn.load("planar_2r"), "newton-euler", symbols=TWO_LINKS)
    x = m2 * (L1 * s2 * qdd1 - L1 * c2 * qd1**2 - L2 * both + g * s12)
    assert recursion["F_2"] == recursion["f_2"]
    assert recursion["F_2"] == Matrix([x, m2 * (L1 * c2 * qdd1 + L1 * s2 * qd1**2 + L2 * faster + g * c12), 0])


def test_forces_of_the_point_masses_are_the_books() -> None:
    """f_2 of Modern Robotics (8.12), of point masses at the ends of the links, in base axes, by its own name."""
    arm = armdyn.derive(armdyn.load("planar_2r"), symbols={"link_1.mass": "m1", "link_2.mass": "m2"})
    (q1, q2), (u1, u2), (a1, a2) = arm.q, arm.qd, arm.qdd
    m2 = sympy.Symbol("m2", positive=True)
    s, c = sympy.sin, sympy.cos
    x = -(u1**2) * c(q1) - (u1 + u2) ** 2 * c(q1 + q2) - a1 * s(q1) - (a1 + a2) * s(q1 + q2)
    y = -(u1**2) * s(q1) - (u1 + u2) ** 2 * s(q1 + q2) + a1 * c(q1) + (a1 + a2) * c(q1 + q2)
    found = arm["f_2"]
    (mass,) = [symbol for symbol in found.free_symbols if symbol.name == "m2"]
    assert sympy.simplify((found - mass * sympy.Matrix([x, y, 0])).subs(mass, m2)) == sympy.zeros(3, 1)
    assert arm.latex("f_2").startswith("\\begin{align*}\n")
    assert "f_{2}" in arm.latex("f_2")
    recursion = armdyn.derive(armdyn.load("planar_2r"), form="newton-euler")
    assert recursion["f_2"] != recursion["F_C2"]  # there f_2 is the force through the joint, in link axes
