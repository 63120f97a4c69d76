"""Arms whose joints move no inertia, alone or together: the error names them, and no step is blamed."""

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Part
from armdyn.algorithms.quicker_method import quicker_method
from armdyn.simulation import DivergenceWarning, RungeKutta4, SimulationError
from armdyn.simulation.divergence import diverged, moves_no_inertia, slide_far_away

METHODS = pytest.mark.parametrize("options", [{}, {"method": RungeKutta4(step=1e-3)}], ids=["adaptive", "rk4"])


def chain(inertias, axes, offsets):
    parts = [
        Part(f"link_{k}", f"link_{k - 1}" if k else "base", axis=axis, xyz=xyz, **({"inertia": one} if one else {}))
        for k, (one, axis, xyz) in enumerate(zip(inertias, axes, offsets, strict=True))
    ]
    return armdyn.Robot.from_links(parts, gravity=(0, -9.81, 0))


def planar(*masses):
    """Point masses, of which each has two directions to move in; other links have none."""
    inertias = [Inertia.point(m, (0.3, 0, 0)) if m else None for m in masses]
    return chain(inertias, [(0, 0, 1)] * len(masses), [(0.4 if k else 0.0, 0, 0) for k in range(len(masses))])


BODY = Inertia(1.0, (0.1, 0.2, 0.05), np.diag([0.1, 0.2, 0.25]))
WRIST = chain([BODY, None, None, BODY], np.eye(3)[[2, 1, 0, 1]], [(0, 0, 0), (0.3, 0, 0), (0, 0, 0), (0, 0, 0)])
"""Two links without mass in a wrist, whose second and fourth axis are in line at zero."""


@pytest.mark.short_run("adaptive")
@METHODS
def test_two_links_without_mass_in_sequence(options):
    """Three joints, and a point that moves in two directions: M is singular everywhere, by rounding errors only."""
    arm = planar(1.0, 0.0, 0.0, 1.0)
    q = [0.3, 0.5, 0.7, 0.8]
    with pytest.raises(SimulationError, match="'joint_of_link_1', 'joint_of_link_2', 'joint_of_link_3' together") as e:
        armdyn.simulate(arm, q, duration=0.1, **options)
    assert "hold one with locked={'joint_of_link_1': 0.0}" in str(e.value)
    assert "step" not in str(e.value)
    held = arm.with_locked({"joint_of_link_1": 0.5})
    assert np.isfinite(armdyn.simulate(held, [0.3, 0.7, 0.8], duration=0.01, **options).q).all()
    with pytest.raises(SimulationError, match="together"):
        armdyn.simulate(arm, [q, np.array(q) + 0.1], duration=0.1, **options)


@pytest.mark.short_run("adaptive")
@METHODS
def test_axes_in_line(options):
    """Only there, and of no other joint; a little beside, the arm moves."""
    with pytest.raises(SimulationError, match="begin: 'joint_of_link_1', 'joint_of_link_3' together can move there"):
        armdyn.simulate(WRIST, np.zeros(4), duration=0.1, **options)
    beside = armdyn.simulate(WRIST, [0.1, 0.2, 0.8, 0.3], duration=0.01, **options)
    assert np.isfinite(beside.q).all()
    one_is_there = armdyn.simulate(WRIST, [np.zeros(4), [0.1, 0.2, 0.8, 0.3]], duration=0.01, **options)
    np.testing.assert_array_equal(one_is_there.q[-1, 1], beside.q[-1])


@pytest.mark.parametrize("limits", [None, armdyn.Limits(-1.0, 1.0)])
def test_a_slide_that_has_run_away_is_no_link_without_mass(limits):
    here = {"axis": (0, 0, 1), "xyz": (0.3, 0, 0), "inertia": BODY}
    turning = [Part("link_1", "base", **here), Part("link_2", "link_1", **here)]
    slide = Part("link_3", "link_2", "prismatic", axis=(1, 0, 0), inertia=BODY)
    arm = armdyn.Robot.from_links([*turning, slide], gravity=(0, 0, 0))
    arm = arm if limits is None else arm.with_limits({"joint_of_link_3": limits})
    assert slide_far_away(arm, np.array([0.3, 0.2, 1.0])) == ""
    said = str(diverged(arm, 100.0, np.array([0.3, 0.2, 1e6]), np.zeros(3), "Use a shorter step."))
    assert "t = 100 s: slide 'joint_of_link_3' has run away to 1e+06 m" in said
    assert "elements=[armdyn.simulation.Stops()] makes stops" in said
    assert ("with_limits" in said) == (limits is None)
    assert "mass and inertia" not in said


def test_the_null_space_of_the_mass_matrix():
    """The joints named are those of M's null space, and rotors take it away."""
    q = np.array([0.3, 0.5, 0.7, 0.8])
    for arm, null in ((planar(1.0, 0.0, 0.0, 1.0), {1, 2, 3}), (WRIST.with_gravity((0, 0, 0)), set())):
        M = arm.mass_matrix(q)
        _, sizes, rows = np.linalg.svd(M)
        found = {k for k in range(4) if sizes[-1] < 1e-12 and abs(rows[-1, k]) > 1e-6}
        assert found == null
        said = moves_no_inertia(arm, q)
        assert {k for k in range(4) if f"joint_of_link_{k}'" in said.partition(" can ")[0]} == null
    geared = planar(1.0, 0.0, 0.0, 1.0).with_armature({"joint_of_link_2": 1e-3})
    assert moves_no_inertia(geared, q) == ""
    assert np.isfinite(armdyn.simulate(geared, q, duration=0.01, method=RungeKutta4(step=1e-4)).q).all()


def test_a_rollout_names_them_too():
    loop = armdyn.ClosedLoop(planar(1.0, 0.0, 0.0, 1.0), method=RungeKutta4(1e-3))
    with pytest.warns(DivergenceWarning, match="'joint_of_link_3' together can move there") as said:
        loop([0.3, 0.5, 0.7, 0.8], steps=400, tau=np.zeros(4))
    assert "shorter step" not in str(said[0].message)


def test_motions_take_the_mass_matrix_only_where_each_link_resists_its_joint_by_itself():
    def method(robot):
        return quicker_method(robot.mechanism)

    assert {method(armdyn.load(name)) for name in ("ur5", "stanford", "planar_2r")} == {"mass_matrix"}
    assert method(planar(1.0, 0.0, 0.0, 1.0)) == method(planar(1.0, 1.0, 1e-8, 1.0)) == "articulated"
    assert method(planar(1.0, 1.0, 1e-8, 1.0).with_armature({"joint_of_link_2": 0.1})) == "mass_matrix"
    assert method(planar(*[1.0] * 9)) == "mass_matrix"
    assert method(planar(*[1.0] * 10)) == "articulated"
