"""Craig's section 6.3 as printed: example 6.1, a block about its corner, and example 6.2, about its centre."""

import numpy as np
import sympy as sp

from armdyn import inertia
from armdyn.spatial import MassProperties, euler, newton

M, RHO, W, L, H = sp.symbols("m rho omega l h", positive=True)
"""The block is omega along x, l along y and h along z."""
BLOCK = inertia.box((W, L, H), mass=M)
ABOUT_CORNER = sp.Matrix([
    [M / 3 * (L**2 + H**2), -M / 4 * W * L, -M / 4 * H * W],
    [-M / 4 * W * L, M / 3 * (W**2 + H**2), -M / 4 * H * L],
    [-M / 4 * H * W, -M / 4 * H * L, M / 3 * (L**2 + W**2)],
])  # fmt: skip
ABOUT_CENTRE = M / 12 * sp.diag(H**2 + L**2, W**2 + H**2, L**2 + W**2)
CORNER = (-W / 2, -L / 2, -H / 2)


def printed(tensor: np.ndarray) -> sp.Matrix:
    return sp.Matrix(tensor).applyfunc(sp.factor)


def test_example_6_1_block_about_its_corner() -> None:
    assert printed(BLOCK.tensor_about(CORNER)) == ABOUT_CORNER.applyfunc(sp.factor)
    assert str(printed(BLOCK.tensor_about(CORNER))[0, 0]) == "m*(h**2 + l**2)/3"


def test_example_6_1_with_the_frame_in_the_corner() -> None:
    placed = BLOCK.at((W / 2, L / 2, H / 2))
    assert printed(placed.tensor_about_origin) == ABOUT_CORNER.applyfunc(sp.factor)


def test_example_6_1_by_density() -> None:
    """m = h l omega rho, and the printed steps: I_xx = (h l^3 omega + h^3 l omega) rho / 3."""
    by_density = inertia.box((W, L, H), density=RHO)
    assert by_density.mass == H * L * W * RHO
    I_xx = by_density.tensor_about(CORNER)[0, 0]
    assert sp.expand(I_xx - (H * L**3 * W / 3 + H**3 * L * W / 3) * RHO) == 0


def test_example_6_2_block_about_its_centre() -> None:
    assert printed(BLOCK.tensor) == ABOUT_CENTRE.applyfunc(sp.factor)


def test_example_6_2_from_the_corner_by_the_parallel_axis_theorem() -> None:
    """The way the example goes: cI_zz = aI_zz - m (x_c^2 + y_c^2), cI_xy = aI_xy + m x_c y_c."""
    x, y, z = W / 2, L / 2, H / 2
    about = BLOCK.tensor_about(CORNER)
    assert sp.factor(about[2, 2] - M * (x**2 + y**2)) == sp.factor(ABOUT_CENTRE[2, 2])
    assert sp.expand(about[0, 1] + M * x * y) == 0
    P = sp.Matrix([x, y, z])
    shift = M * (P.dot(P) * sp.eye(3) - P * P.T)
    assert printed(about - np.array(shift)) == ABOUT_CENTRE.applyfunc(sp.factor)


def test_parallel_axis_theorem_of_any_body() -> None:
    """aI = cI + m (P.P 1 - P P^T) for a tensor and a place of symbols."""
    c = np.array(sp.symbols("x_c y_c z_c"))
    xx, yy, zz, xy, xz, yz = sp.symbols("I_xx I_yy I_zz I_xy I_xz I_yz")
    tensor = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
    about = MassProperties(M, c, tensor).tensor_about_origin
    assert sp.expand(about[2, 2] - (zz + M * (c[0] ** 2 + c[1] ** 2))) == 0
    assert sp.expand(about[0, 1] - (-xy - M * c[0] * c[1])) == 0
    assert sp.expand(about[1, 2] - (-yz - M * c[1] * c[2])) == 0


def test_newtons_and_eulers_equations() -> None:
    """F = m vdot_C and N = cI wdot + w x cI w (section 6.4), for the block in symbols."""
    w = sp.Matrix(sp.symbols("w_x w_y w_z"))
    alpha, a = sp.Matrix(sp.symbols("a_x a_y a_z")), sp.Matrix(sp.symbols("v_x v_y v_z"))
    assert list(newton(M, list(a))) == list(M * a)
    expected = ABOUT_CENTRE * alpha + w.cross(ABOUT_CENTRE * w)
    assert [sp.expand(x) for x in sp.Matrix(euler(BLOCK.tensor, list(w), list(alpha))) - expected] == [0, 0, 0]
