"""Modern Robotics 8.2: figure 8.5, exercises 8.1 (its integrals), 8.2 (the dumbbell) and 8.3 (any frame)."""

import numpy as np
import pytest
import sympy as sp

from armdyn import Inertia, inertia
from armdyn.base.exact import rounded
from armdyn.spatial import MassProperties, adjoint, rotations, spatial_inertia_in
from oracles.states import assert_close
from oracles.volume_integrals import ball, block, integrals, turned

M, RHO, L, W, H, R, A, B, C = sp.symbols("m rho l w h r a b c", positive=True)
FIGURE_8_5 = {
    "parallelepiped": (inertia.box((L, W, H), mass=M), M * sp.diag(W**2 + H**2, L**2 + H**2, L**2 + W**2) / 12),
    "cylinder": (
        inertia.cylinder(R, H, mass=M),
        M * sp.diag((3 * R**2 + H**2) / 12, (3 * R**2 + H**2) / 12, R**2 / 2),
    ),
    "ellipsoid": (inertia.ellipsoid((A, B, C), mass=M), M * sp.diag(B**2 + C**2, A**2 + C**2, A**2 + B**2) / 5),
}
PIECES = {
    "parallelepiped": (block(L, W, H), H * L * W),
    "cylinder": (turned(0, R**2, -H / 2, H / 2), sp.pi * R**2 * H),
    "ellipsoid": (ball(A, B, C), 4 * sp.pi * A * B * C / 3),
}


@pytest.mark.parametrize("name", FIGURE_8_5)
def test_figure_8_5(name: str) -> None:
    body, printed = FIGURE_8_5[name]
    assert (sp.Matrix(body.tensor) - printed).applyfunc(sp.expand) == sp.zeros(3)


@pytest.mark.parametrize("name", FIGURE_8_5)
def test_exercise_8_1_the_integrals_give_figure_8_5(name: str) -> None:
    piece, volume = PIECES[name]
    mass, com, tensor = integrals([piece], RHO)
    assert sp.simplify(mass - RHO * volume) == 0
    assert com == sp.zeros(3, 1)
    printed = FIGURE_8_5[name][1].subs(M, mass)
    assert (tensor - printed).applyfunc(sp.simplify) == sp.zeros(3)


def dumbbell() -> Inertia:
    """Cast iron: a bar 4 cm thick and 20 cm long along z between two balls of 20 cm, centre to centre 40 cm."""
    bar = inertia.cylinder(0.02, 0.20, density=7500)
    end = inertia.sphere(0.10, density=7500)
    return bar + end.at((0, 0, 0.20)) + end.at((0, 0, -0.20))


def test_exercise_8_2_dumbbell() -> None:
    """By hand: I_z = m_b r^2/2 + 4 m_s R^2/5 and I_x = m_b (3 r^2 + h^2)/12 + 2 m_s (2 R^2/5 + d^2)."""
    bar, ball_mass = 7500 * np.pi * 0.02**2 * 0.2, 7500 * 4 / 3 * np.pi * 0.1**3
    body = dumbbell()
    along = bar * 0.02**2 / 2 + 2 * ball_mass * 0.4 * 0.1**2
    across = bar * (3 * 0.02**2 + 0.2**2) / 12 + 2 * ball_mass * (0.4 * 0.1**2 + 0.2**2)
    np.testing.assert_allclose(body.mass, bar + 2 * ball_mass, rtol=1e-14)
    np.testing.assert_allclose(body.mass, 64.717, rtol=0, atol=5e-4)
    assert_close(body.tensor, np.diag([across, across, along]))
    np.testing.assert_allclose(body.tensor.diagonal(), [2.7711, 2.7711, 0.2517], rtol=0, atol=5e-5)
    G = np.zeros((6, 6))  # (b)
    G[:3, :3], G[3:, 3:] = np.diag([across, across, along]), body.mass * np.eye(3)
    assert_close(body.spatial_inertia, G)
    assert body.principal_axes.unique == (True, False, False)


def test_exercise_8_3a_spatial_inertia_in_another_frame_is_steiners_theorem() -> None:
    """8.42 with a shift alone: its rotational block is I_b + m (q.q 1 - q q^T) (8.27), with q from {a} to {b}."""
    q = sp.symbols("q_x q_y q_z")
    entries = sp.symbols("I_xx I_xy I_xz I_yy I_yz I_zz")
    xx, xy, xz, yy, yz, zz = entries
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    body = MassProperties(M, [0, 0, 0], tensor)
    T_ab = np.array(sp.eye(4).tolist())
    T_ab[:3, 3] = q
    G_a = spatial_inertia_in(T_ab, body.spatial_inertia)
    Q = sp.Matrix(q)
    steiner = sp.Matrix(tensor) + M * (Q.dot(Q) * sp.eye(3) - Q * Q.T)
    assert (sp.Matrix(G_a[:3, :3]) - steiner).applyfunc(sp.expand) == sp.zeros(3)
    assert (sp.Matrix(G_a) - sp.Matrix(body.seen_from(T_ab).spatial_inertia)).applyfunc(sp.expand) == sp.zeros(6)


def test_rotation_of_an_inertia_and_steiner_by_numbers() -> None:
    """8.26: I_c = R_bc^T I_b R_bc; 8.28: I_d = I_cm + m d^2 for the dumbbell about an axis along its rim."""
    body = dumbbell()
    R_bc = rounded(rotations.rotation_from_rpy(0.3, -0.8, 1.9))
    assert_close(body.tensor_about(body.com, axes=R_bc), R_bc.T @ body.tensor @ R_bc)
    rim = body.moment_about((0, 0, 1), point=(0.1, 0, 0))
    np.testing.assert_allclose(rim, body.moment_about((0, 0, 1)) + body.mass * 0.1**2, rtol=1e-13)
    T_ba = rotations.rigid(R_bc, np.array([0.1, 0.2, -0.3]))
    X = adjoint(T_ba)
    G_a = spatial_inertia_in(rotations.inverse_rigid(T_ba), body.spatial_inertia)
    assert_close(G_a, X.T @ body.spatial_inertia @ X)
