"""The bundled textbook arms against closed forms, and against what their sources print of them."""

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app
from armdyn.robots import stanford
from oracles.states import assert_close, random_states

G = 9.81


@pytest.mark.parametrize("name", armdyn.bundled_robots())
def test_every_arm_can_be_told_in_one_page(name: str) -> None:
    done = CliRunner().invoke(app, ["info", name], env={"COLUMNS": "120"})
    assert done.exit_code == 0
    page = done.output
    assert f"{name}: {armdyn.load(name).dof} joints" in page
    for joint in armdyn.load(name).joint_names:
        assert joint in page
    assert len(page.splitlines()) < 90


@pytest.mark.parametrize("name", armdyn.bundled_robots())
def test_right_angles_are_exact(name: str) -> None:
    """No direction that rounding left of an exact zero."""
    arm = armdyn.load(name)
    for array in [*(j.placement[:3, :3] for j in arm.joints), *(j.axis for j in arm.joints)]:
        assert set(np.abs(array).ravel()) <= {0.0, 1.0}


@pytest.mark.parametrize("name", armdyn.bundled_robots())
def test_mass_matrix_is_positive(name: str) -> None:
    arm = armdyn.load(name)
    q = random_states(arm.dof, 20, seed=71).q
    assert (np.linalg.eigvalsh(arm.mass_matrix(q)) > 0.0).all()


@pytest.mark.parametrize("name", ["puma560", "stanford", "kg_puma"])
def test_parts_of_arms_with_modules_can_be_asked_for(name: str) -> None:
    """What load() offers for files holds for these too."""
    arm, q = armdyn.load(name), np.array([0.3, -0.4, 0.5, 0.6])
    held = armdyn.load(name, locked={"joint_5": 0.25, "joint_6": -0.5})
    assert held.joint_names == arm.joint_names[:4]
    whole = arm.gravity_forces([*q, 0.25, -0.5])
    assert_close(held.gravity_forces(q)[None], whole[None, :4])
    assert armdyn.load(name, gravity=(1, 2, 3)) == arm.with_gravity([1, 2, 3])


def lagrange(positions: list, spins: list, symbols: tuple, gravity: float) -> object:
    """tau(q, qd, qdd) of bodies at ``positions`` (m, p) with rotational energies ``spins``, by Lagrange's equations."""
    q, qd, qdd = symbols
    kinetic, potential = sum(spins), 0
    for mass, p in positions:
        v = p.jacobian(q) * qd
        kinetic += mass * v.dot(v) / 2
        potential += mass * gravity * p[-1]
    momentum = sympy.Matrix([kinetic]).jacobian(qd).T
    tau = momentum.jacobian(q) * qd + momentum.jacobian(qd) * qdd
    tau -= sympy.Matrix([kinetic - potential]).jacobian(q).T
    return sympy.lambdify([q, qd, qdd], tau, "numpy")


def variables(n: int) -> tuple:
    return tuple(sympy.Matrix(sympy.symbols(f"{name}:{n}", real=True)) for name in ("q", "v", "a"))


def assert_lagranges(name: str, tau: object) -> None:
    arm = armdyn.load(name)
    for q, qd, qdd, *_ in zip(*random_states(arm.dof, 8, seed=72), strict=True):
        assert_close(arm.inverse_dynamics(q, qd, qdd)[None], np.ravel(tau(q, qd, qdd))[None])


def test_planar_3r() -> None:
    symbols = q, qd, _ = variables(3)
    L, m, I = (4, 3, 2), (20, 15, 10), (0.5, 0.2, 0.1)  # noqa: E741
    angles, rates = [sum(q[: k + 1]) for k in range(3)], [sum(qd[: k + 1]) for k in range(3)]
    arms = [sympy.Matrix([sympy.cos(a), sympy.sin(a)]) for a in angles]
    joints = [sum((L[j] * arms[j] for j in range(k)), sympy.zeros(2, 1)) for k in range(3)]
    positions = [(m[k], joints[k] + arms[k] * sympy.Rational(L[k], 2)) for k in range(3)]
    spins = [I[k] * rates[k] ** 2 / 2 for k in range(3)]
    assert_lagranges("planar_3r", lagrange(positions, spins, symbols, G))


def test_furuta() -> None:
    """Modern Robotics exercise 8.4, with its link inertias about the centres of mass."""
    symbols = q, qd, _ = variables(2)
    c1, s1, c2, s2 = sympy.cos(q[0]), sympy.sin(q[0]), sympy.cos(q[1]), sympy.sin(q[1])
    arm_end = sympy.Matrix([c1, s1, 0])
    pendulum_end = arm_end + sympy.Matrix([s1 * s2, -c1 * s2, c2])  # Rz(q1) Rx(q2) z
    w = sympy.Matrix([qd[1], qd[0] * s2, qd[0] * c2])  # of the pendulum, in its axes
    spins = [4 * qd[0] ** 2 / 2, (4 * w[0] ** 2 + 4 * w[1] ** 2) / 2]
    assert_lagranges("furuta", lagrange([(2, arm_end), (2, pendulum_end)], spins, symbols, 10))


@pytest.mark.slow
def test_scara() -> None:
    symbols = q, qd, _ = variables(4)

    def turned(angle: object, x: float) -> sympy.Matrix:
        return sympy.Matrix([x * sympy.cos(angle), x * sympy.sin(angle), 0])

    a1, a2 = q[0], q[0] + q[1]
    elbow = turned(a1, 0.35)
    quill = elbow + turned(a2, 0.3) + sympy.Matrix([0, 0, 0.4 - q[2]])
    flange = quill + turned(a2 + q[3], 0.01) + sympy.Matrix([0, 0, -0.14])
    up = sympy.Matrix([0, 0, 0.4])
    positions = [(6, turned(a1, 0.175) + up), (4, elbow + turned(a2, 0.15) + up),
                 (0.8, quill + sympy.Matrix([0, 0, 0.02])), (0.5, flange)]  # fmt: skip
    w1, w2, w4 = qd[0], qd[0] + qd[1], qd[0] + qd[1] + qd[3]
    spins = [0.06445 * w1**2 / 2, 0.0312 * w2**2 / 2, 0.0001 * w2**2 / 2, 0.0005 * w4**2 / 2]
    assert_lagranges("scara", lagrange(positions, spins, symbols, G))


def test_puma_gravity_is_the_printed_one() -> None:
    """Armstrong, Khatib and Burdick 1986, G_2 to G_5 with g1 ... g5 as printed, within half a unit of the digits."""
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 2.49e-1, -2.82e-2
    arm = armdyn.load("puma560")
    for q in random_states(6, 20, seed=73).q:
        c2, s2, c4, s4, c5, s5 = (f(q[k]) for k in (1, 3, 4) for f in (np.cos, np.sin))
        c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
        wrist = g5 * (s23 * c5 + c23 * c4 * s5)
        printed = [0, g1 * c2 + g2 * s23 + g3 * s2 + g4 * c23 + wrist, g2 * s23 + g4 * c23 + wrist,
                   -g5 * s23 * s4 * s5, g5 * (c23 * s5 + s23 * c4 * c5), 0]  # fmt: skip
        np.testing.assert_allclose(arm.gravity_forces(q), printed, rtol=0, atol=0.06)
        np.testing.assert_allclose(arm.gravity_forces(q)[3:], printed[3:], rtol=0, atol=6e-5)


def test_puma_elbow_inertia_is_the_printed_one() -> None:
    """I6 = 0.333 +- 0.016 kg m^2: the inertia that the elbow feels, but for terms of 1e-3 of the wrist's bend."""
    M = armdyn.load("puma560").mass_matrix(random_states(6, 20, seed=74).q)
    np.testing.assert_allclose(M[:, 2, 2], 0.333, rtol=0, atol=5e-3)


def test_puma_gravity_in_closed_form() -> None:
    """The same constants from masses and lengths, exactly."""
    m2, m3, m4, m5, m6 = 17.4, 4.8, 0.82, 0.34, 0.09
    g1 = -G * ((m3 + m4 + m5 + m6) * 0.4318 + m2 * 0.068)
    g2 = G * (m3 * -0.07 - (m4 + m5 + m6) * 0.4331 - m4 * -0.019)
    g3, g4, g5 = G * m2 * 0.006, G * (m4 + m5 + m6) * 0.0203, -G * m6 * 0.032
    arm = armdyn.load("puma560")
    for q in random_states(6, 10, seed=75).q:
        c23, s23, c4, c5, s5 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2]), np.cos(q[3]), np.cos(q[4]), np.sin(q[4])
        third = g2 * s23 + g4 * c23 + g5 * (s23 * c5 + c23 * c4 * s5)
        expected = [g1 * np.cos(q[1]) + g3 * np.sin(q[1]) + third, third]
        np.testing.assert_allclose(arm.gravity_forces(q)[1:3], expected, rtol=0, atol=1e-12 * 50)


def test_puma_tip_in_closed_form() -> None:
    """Its wrist centre, from lengths alone: a2, a3, d2 + d3, d4."""
    a2, a3, d4, d23 = 0.4318, -0.0203, 0.4331, 0.2435 - 0.0934
    for q in random_states(6, 10, seed=76).q:
        c1, s1, c23, s23 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
        out = a2 * np.cos(q[1]) + a3 * c23 + d4 * s23
        expected = [c1 * out - s1 * d23, s1 * out + c1 * d23, -a2 * np.sin(q[1]) - a3 * s23 + d4 * c23]
        np.testing.assert_allclose(armdyn.load("puma560").forward_kinematics(q)[:3, 3], expected, rtol=0, atol=4e-15)


@pytest.mark.slow
def test_stanford_tip_in_closed_form() -> None:
    """Paul's arm: the wrist centre is at d3 along the boom, d2 beside the column, d1 up."""
    for q in random_states(6, 10, seed=77).q:
        c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
        expected = [c1 * s2 * q[2] - s1 * 0.154, s1 * s2 * q[2] + c1 * 0.154, 0.412 + c2 * q[2]]
        wrist = armdyn.load("stanford").forward_kinematics(q, frame="link_3")[:3, 3]
        np.testing.assert_allclose(wrist, expected, rtol=0, atol=4e-15)


def test_stanford_inertias_about_the_frames_are_pauls() -> None:
    printed = [(0.276, 0.255, 0.071), (0.108, 0.018, 0.1), (2.51, 2.51, 0.006), (0.002, 0.001, 0.001),
               (0.003, 0.003, 0.0004), (0.013, 0.013, 0.0003)]  # fmt: skip
    for row, moments in zip(stanford.ROWS, printed, strict=True):
        np.testing.assert_allclose(row.inertia.tensor_about_origin, np.diag(moments), rtol=0, atol=1e-16 * 8)


def test_kg_puma_holds_its_own_weight() -> None:
    """In the zero position, in the paper's pounds and inches: weights times levers about the shoulder and the elbow."""
    pound_inch = 4.4482216152605 * 0.0254
    tau = armdyn.load("kg_puma").gravity_forces(np.zeros(6)) / pound_inch
    shoulder = -(16 * 8 + (12 + 1 + 1 + 6) * 17)
    np.testing.assert_allclose(tau, [0, shoulder, 0, 0, 0, 0], rtol=0, atol=1e-11)


def test_kg_puma_elbow_inertia_in_the_papers_units() -> None:
    """M33 at zero: the paper's forearm, wrist and hand about the elbow axis y, in lbf in s^2."""
    unit = 4.4482216152605 * 0.0254
    free_fall = 9.80665 / 0.0254
    steiner = sum(weight / free_fall * r**2 for weight, r in ((12, 9), (1, 18), (1, 17), (6, 20)))
    about_elbow = steiner + 1.585 + 0.001 + 0.0001 + 0.069
    M = armdyn.load("kg_puma").mass_matrix(np.zeros(6)) / unit
    assert M[2, 2] == pytest.approx(about_elbow, rel=1e-13)


OPERATIONS = {  # inverse dynamics, forward dynamics by articulated bodies and by the mass matrix
    "puma560": ((186, 163), (428, 352), (326, 283)),
    "kg_puma": ((172, 143), (403, 317), (309, 258)),
    "stanford": ((138, 109), (321, 245), (232, 187)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_counts_do_not_rise(name: str) -> None:
    arm = armdyn.load(name)
    forward = arm.forward_dynamics
    programs = (arm.inverse_dynamics.program(), forward.program(), forward.program(method="mass_matrix"))
    for program, (multiplications, additions) in zip(programs, OPERATIONS[name], strict=True):
        assert program.op_counts.multiplications <= multiplications
        assert program.op_counts.additions <= additions


# ---- planar arms of other sizes


def test_planar_arms_take_masses_lengths_and_gravity() -> None:
    """UCL's arm with other numbers is the closed form of Modern Robotics 8.10 with them."""
    m1, m2, L1, L2, g = 2.5, 0.7, 0.8, 1.3, 1.62
    arm = armdyn.load("ucl_2r", masses=[m1, m2], lengths=[L1, L2], gravity=(0.0, -g, 0.0))
    q = np.array([0.4, -1.1])
    M12 = m2 * (L1 * L2 * np.cos(q[1]) + L2**2)
    M11 = m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * np.cos(q[1]) + L2**2)
    np.testing.assert_allclose(arm.mass_matrix(q), [[M11, M12], [M12, m2 * L2**2]], rtol=1e-14)
    weight = m2 * g * L2 * np.cos(q.sum())
    np.testing.assert_allclose(arm.gravity_forces(q), [(m1 + m2) * g * L1 * np.cos(q[0]) + weight, weight], rtol=1e-13)
    tip = [L1 * np.cos(q[0]) + L2 * np.cos(q.sum()), L1 * np.sin(q[0]) + L2 * np.sin(q.sum()), 0.0]
    np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], tip, rtol=1e-14, atol=1e-15)
    assert arm.name == "ucl_2r"


def test_links_scale_as_bodies_of_one_shape() -> None:
    """Lengths twice as large and masses three times: M grows by 12, I with it; what is left out stays."""
    plain = armdyn.load("planar_3r")
    q = np.array([0.3, -0.5, 0.9])
    large = armdyn.load("planar_3r", masses=[60.0, 45.0, 30.0], lengths=[8.0, 6.0, 4.0])
    np.testing.assert_allclose(large.mass_matrix(q), 12.0 * plain.mass_matrix(q), rtol=1e-13)
    same = armdyn.load("planar_3r", masses=[20.0, 15.0, 10.0])
    assert same.model.digest == plain.model.digest


def test_other_masses_and_arms_are_refused() -> None:
    with pytest.raises(
        armdyn.ShapeError, match=r"masses of 'ucl_2r' has shape \(3,\); expected \(2,\), one for each link"
    ):
        armdyn.load("ucl_2r", masses=[1.0, 2.0, 3.0])
    with pytest.raises(
        armdyn.ModelError, match=r"lengths of 'planar_2r' are \[1.0, 0.0\]; expected numbers above zero, m"
    ):
        armdyn.load("planar_2r", lengths=[1.0, 0.0])
    with pytest.raises(armdyn.UnknownName, match="masses"):
        armdyn.load("ur5", masses=[1.0])
