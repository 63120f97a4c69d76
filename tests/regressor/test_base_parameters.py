"""Base parameters: from the structure, from random states, and from the counts in the literature.

H. Mayeda, K. Yoshida and K. Osuka, Base Parameters of Manipulator Dynamic Models, IEEE Transactions on Robotics and
Automation 6(3), 1990: an arm of N revolute joints, of which the first beta are parallel and the next is not, has
7 N - 4 beta of them, and two fewer where gravity is along the first axis.
"""

import numpy as np
import pytest

import armdyn
from armdyn.identification import null_parameters_of_states
from armdyn.identification.identifiability.combinations import BaseParameters, group_parameters, own_units
from oracles.cases import CASES
from oracles.short_run import short_run
from oracles.states import random_states
from regressor.robots import Y, Z, chain, coupled, known, with_armature

DOWN, ASKEW, LEVEL = (0.0, 0.0, -9.81), (1.0, 2.0, -9.0), (9.81, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
SKEW = (0.36, 0.48, 0.8)

ROBOTS = {
    **{name: lambda name=name: armdyn.load(name) for name in ("planar_2r", "planar_3r", "rp", "scara", "stanford")},
    **{name: lambda name=name: armdyn.load(name) for name in ("ur5", "puma560", "furuta")},
    "panda": lambda: CASES["panda_locked"]().robot.with_gravity(DOWN),
    "panda_fingers": lambda: known("panda_fingers").robot,
    "tree": lambda: known("random_tree").robot,
    "right_angled_tree": lambda: known("right_angled_tree").robot,
    "tree_with_rotors": lambda: with_armature(known("right_angled_tree").robot, np.ones(8)),
    "ur5_with_rotors": lambda: with_armature(armdyn.load("ur5"), np.ones(6)),
    "gantry": lambda: chain("PPP", [X, Y, Z], DOWN),
    "gantry_with_a_wrist": lambda: chain("PPPRRR", [X, Y, Z, Z, Y, Z], DOWN),
    "slide_up": lambda: with_armature(chain("PRR", [Z, Z, Y], DOWN), np.ones(3)),
    "planar_with_a_slide": lambda: chain("RPR", [Y, X, Y], DOWN),
    "planar_lying": lambda: chain("RRR", [Z, Z, Z], DOWN),
    "planar_askew": lambda: chain("RRR", [Z, Z, Z], ASKEW),
    "no_gravity": lambda: chain("RRPR", [SKEW, X, Z, Y], (0.0, 0.0, 0.0)),
    "wrist_on_parallel_axes": lambda: chain("RRRRR", [Z, Z, X, X, SKEW], DOWN),
}  # fmt: skip
OPTIONS = {"slide_up": {"offset": True}, "tree_with_rotors": {"damping": True, "friction": True, "offset": True}}


def in_own_units(robot: armdyn.Robot, base: BaseParameters) -> np.ndarray:
    units = own_units(robot.mechanism, base.standard)
    return base.matrix / units[list(base.independent), None] * units


OTHER_SIZES = (
    "puma560",
    "panda",
    "panda_fingers",
    "ur5_with_rotors",
    "planar_3r",
    "furuta",
    "stanford",
    "right_angled_tree",
)
"""Arms of whose kind there is another one; `make test-all` has them too."""


@pytest.mark.short_run(
    without=("gantry_with_a_wrist", "no_gravity", "scara", "tree", "tree_with_rotors", "ur5", "wrist_on_parallel_axes")
)
@pytest.mark.parametrize("name", short_run(ROBOTS, *(name for name in ROBOTS if name not in OTHER_SIZES)))
def test_structure_and_numbers_agree(name: str) -> None:
    """In number, in the choice of columns, and in the map; and the map brings the base columns to all columns."""
    robot, options = ROBOTS[name](), OPTIONS.get(name, {})
    structural = robot.base_parameters(**options)
    numerical = robot.base_parameters(method="numerical", **options)
    assert numerical.gap is not None
    assert numerical.gap[0] > 1e-4
    assert numerical.gap[1] < 1e-10
    assert structural.rank == numerical.rank
    assert structural.independent == numerical.independent
    np.testing.assert_allclose(in_own_units(robot, structural), in_own_units(robot, numerical), rtol=0, atol=1e-9)
    s = random_states(robot.dof, 10, seed=431)
    all_columns = robot.regressor(s.q, s.qd, s.qdd, **options)
    again = structural.columns(all_columns) @ structural.matrix
    np.testing.assert_allclose(again, all_columns, rtol=0, atol=1e-11 * np.abs(all_columns).max())


def test_map_is_the_one_of_the_null_vectors_for_any_choice_of_columns() -> None:
    """With the structure's columns, K from random states is K from the structure."""
    robot = known("random_tree").robot
    structural = robot.base_parameters()
    vectors, _ = null_parameters_of_states(robot)
    K = in_own_units(robot, structural)
    assert np.abs(K @ vectors).max() < 1e-12
    assert vectors.shape == (50, 50 - structural.rank)
    assert group_parameters(robot.mechanism, structural.standard, vectors).independent == structural.independent


COUNTS = {
    "ur5": (lambda: armdyn.load("ur5"), 7 * 6 - 4 - 2),
    "puma560": (lambda: armdyn.load("puma560"), 7 * 6 - 4 - 2),
    "panda": (ROBOTS["panda"], 7 * 7 - 4 - 2),
    "ur5 on a wall": (lambda: armdyn.load("ur5", gravity=LEVEL), 7 * 6 - 4),
    "planar": (lambda: chain("RRR", [Z, Z, Z], LEVEL), 7 * 3 - 4 * 3),
    "planar, lying": (ROBOTS["planar_lying"], 7 * 3 - 4 * 3 - 2),
    "two parallel axes": (lambda: chain("RRRR", [Z, Z, X, Z], ASKEW), 7 * 4 - 4 * 2),
    "two parallel axes upright": (lambda: chain("RRRR", [Z, Z, X, Z], DOWN), 7 * 4 - 4 * 2 - 2),
    "three masses": (ROBOTS["gantry"], 3),
}


@pytest.mark.short_run(without=("panda", "ur5 on a wall", "ur5"))
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_the_literature(name: str) -> None:
    robot, expected = COUNTS[name]
    assert robot().base_parameters().rank == expected


def test_planar_arm_has_the_textbook_ones() -> None:
    """m_2 moves with the end of link 1; moments about the joints' axes and first moments in the plane remain."""
    base = armdyn.load("planar_2r").base_parameters()
    assert base.names == (
        "link_1.mc_x + link_2.m",
        "link_1.mc_y",
        "link_1.I_zz + link_2.m",
        "link_2.mc_x",
        "link_2.mc_y",
        "link_2.I_zz",
    )
    assert base.units == ("kg m", "kg m", "kg m^2", "kg m", "kg m", "kg m^2")
    assert base.dependent == ("link_2.m",)
    assert "link_1.I_xx" in base.without_effect
    assert base.gap is None
    np.testing.assert_allclose(base.values, [2.0, 0.0, 2.0, 1.0, 0.0, 1.0])


def test_base_parameters_alone_give_the_joint_forces() -> None:
    robot = known("ur5").robot
    base, s = robot.base_parameters(damping=True), random_states(6, 10, seed=432)
    Y = robot.regressor(s.q, s.qd, s.qdd, damping=True)
    beta = np.random.default_rng(433).normal(size=(4, base.rank))
    pi = base.to_standard(beta)
    np.testing.assert_allclose(Y @ pi.T, base.columns(Y) @ beta.T, rtol=0, atol=1e-12 * np.abs(Y).max())
    np.testing.assert_allclose(pi @ base.matrix.T, beta, rtol=0, atol=1e-14)
    assert base.names[-1] == "wrist_3_joint.damping"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", short_run(["ur5", "puma560", "tree_with_rotors", "panda_fingers"], "ur5", "tree_with_rotors")
)
def test_nearest_standard_parameters(name: str) -> None:
    """K pi = beta; what is left, pi - near, is across all null vectors in the arm's units; no effect, no change."""
    robot, options = ROBOTS[name](), OPTIONS.get(name, {})
    base, rng = robot.base_parameters(**options), np.random.default_rng(435)
    D, size = own_units(robot.mechanism, base.standard), len(base.standard)
    near, beta = rng.normal(size=(3, 1, size)) * D, rng.normal(size=(4, base.rank)) * D[list(base.independent)]
    pi = base.to_standard(beta, near=near)
    assert pi.shape == (3, 4, size)
    rows = D[list(base.independent)]
    np.testing.assert_allclose(pi @ base.matrix.T / rows, np.broadcast_to(beta / rows, (3, 4, base.rank)), atol=1e-11)
    vectors, _ = null_parameters_of_states(robot, **options)
    assert np.abs((pi - near) / D @ vectors).max() < 1e-9 * np.abs((pi - near) / D).max()
    idle = [base.standard.index(parameter) for parameter in base.without_effect]
    np.testing.assert_array_equal(pi[..., idle], np.broadcast_to(near[..., idle], (3, 4, len(idle))))
    own = base.standard.values
    np.testing.assert_allclose(base.to_standard(base.values, near=base.standard) / D, own / D, rtol=0, atol=1e-12)


def test_nearest_without_scales_is_the_pseudo_inverse() -> None:
    base = armdyn.load("planar_2r").base_parameters()
    plain = BaseParameters(base.standard, base.independent, base.matrix)
    near, beta = np.arange(20.0), np.arange(6.0) ** 2
    expected = near + np.linalg.pinv(base.matrix) @ (beta - base.matrix @ near)
    np.testing.assert_allclose(plain.to_standard(beta, near=near), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_from_noisy_forces_to_a_robot() -> None:
    """Base parameters alone make no robot; the nearest to a description do, and move as the one that was measured."""
    drawn = armdyn.load("ur5")
    rng, v = np.random.default_rng(436), drawn.standard_parameters().values
    real = drawn.with_standard_parameters(v * np.repeat(rng.uniform(0.9, 1.1, 6), 10))
    s, base = random_states(6, 500, seed=437), drawn.base_parameters()
    tau = real.inverse_dynamics(s.q, s.qd, s.qdd) + 0.01 * rng.normal(size=(500, 6))
    W = base.columns(drawn.regressor(s.q, s.qd, s.qdd)).reshape(-1, base.rank)
    beta = np.linalg.lstsq(W, tau.ravel())[0]
    advice = r"first moment \(.*without mass.*base.to_standard\(beta, near=robot.standard_parameters\(\)\)"
    for check in (True, False):
        with pytest.raises(armdyn.ModelError, match=advice):
            drawn.with_standard_parameters(base.to_standard(beta), check_inertia=check)
    made = drawn.with_standard_parameters(base.to_standard(beta, near=v), check_inertia=False)
    np.testing.assert_allclose(made.base_parameters().values, beta, rtol=1e-9, atol=1e-9)
    s = random_states(6, 200, seed=438)
    expected = real.inverse_dynamics(s.q, s.qd, s.qdd)
    wrong = [np.abs(r.inverse_dynamics(s.q, s.qd, s.qdd) - expected).max() for r in (drawn, made)]
    assert wrong[0] > 1.0
    assert wrong[1] < 0.02


def test_gravity_shows_what_motion_hides() -> None:
    """Across the first axis gravity tells the first link's two moments; without gravity or along it, none does."""
    upright, level, floating = (
        chain("RR", [Z, Y], gravity).base_parameters() for gravity in (DOWN, LEVEL, (0.0, 0.0, 0.0))
    )
    assert set(level.names) - set(upright.names) == {n for n in level.names if n.startswith("link0.mc_")}
    assert level.rank == upright.rank + 2
    assert floating.rank == upright.rank


def test_rotors_of_the_first_two_joints_are_part_of_what_they_turn() -> None:
    """The first turns with its link; the second axis stays level, so that link 1's carrier cannot be told from it."""
    robot = with_armature(armdyn.load("ur5"), np.ones(6))
    plain, with_rotors = armdyn.load("ur5").base_parameters(), robot.base_parameters()
    assert with_rotors.rank == plain.rank + 4
    rotors = tuple(name for name in with_rotors.dependent if name.endswith("armature"))
    assert rotors == ("shoulder_pan_joint.armature", "shoulder_lift_joint.armature")
    assert with_rotors.names[0].endswith("+ shoulder_pan_joint.armature")


def test_upright_slide_cannot_tell_its_mass_from_a_rotor_and_a_weight() -> None:
    """tau = (m + a) qdd + m g + offset."""
    robot = chain("P", [Z], DOWN)
    assert robot.base_parameters(armature=True).rank == 2
    assert robot.base_parameters(offset=True).rank == 2
    both = robot.base_parameters(armature=True, offset=True)
    joint = robot.joint_names[0]
    assert both.names == (f"link0.m + {joint}.armature", f"{joint}.offset - 9.81 {joint}.armature")


@pytest.mark.slow
def test_coupled_joints_take_the_numbers() -> None:
    robot, free, *_ = coupled()
    base = robot.base_parameters()
    assert base.gap is not None
    assert base.rank <= free.base_parameters().rank
    s = random_states(5, 10, seed=434)
    Y = robot.regressor(s.q, s.qd, s.qdd)
    np.testing.assert_allclose(base.columns(Y) @ base.matrix, Y, rtol=0, atol=1e-9 * np.abs(Y).max())
    with pytest.raises(armdyn.Unsupported, match="method='numerical'"):
        robot.base_parameters(method="structural")


def test_bad_arguments() -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.UnknownName, match=r"no method 'structura'.*Did you mean 'structural'"):
        robot.base_parameters(method="structura")
    base = robot.base_parameters(damping=True)
    with pytest.raises(armdyn.ShapeError, match="compute it with the options"):
        base.columns(robot.regressor(*np.zeros((3, 2))))
    with pytest.raises(armdyn.ShapeError, match="one value a base parameter"):
        base.to_standard(np.zeros(3))
    with pytest.raises(armdyn.ShapeError, match=r"near has shape \(20,\); expected \(..., 22\), .* the options"):
        base.to_standard(base.values, near=robot.standard_parameters())


def test_table() -> None:
    lines = str(armdyn.load("planar_2r").base_parameters()).splitlines()
    assert len(lines) == 7
    assert lines[0].split() == ["0", "2", "kg", "m", "link_1.mc_x", "+", "link_2.m"]
    assert lines[-1].startswith("without effect: link_1.m, link_1.mc_z")
