"""One arm through every description: the same dynamics, and in canonical frames the same mechanism."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Limits, Part, Robot
from armdyn.formats.links import parts_of
from armdyn.formats.urdf import read_urdf_text
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.turns import matrix
from oracles.plain import plainly
from oracles.short_run import each_once
from oracles.states import assert_close, random_states
from oracles.trees import random_inertia, random_rotation, random_tree, to_armdyn


def random_arm(kinds: str, seed: int, *, parallel: bool = False) -> Robot:
    """A serial arm of general axes, places and inertias; with ``parallel`` some axes meet, some are parallel."""
    rng = np.random.default_rng(seed)
    parts = []
    for k, kind in enumerate(kinds):
        T = np.eye(4)
        T[:3, 3] = rng.normal(0.0, 0.4, 3)
        axis = rng.normal(size=3)
        if parallel and k % 3 == 1:
            axis = np.array(parts[-1].axis)  # parallel to the axis before
        else:
            T[:3, :3] = random_rotation(rng)
        if parallel and k % 3 == 2:
            T[:3, 3] = 0.0  # meets the axis before
        axis = axis / np.linalg.norm(axis)
        word = {"R": "revolute", "P": "prismatic"}[kind]
        limits = Limits(-1.5 - k, 2.0 + k, 3.0, 40.0)
        parent = f"link_{k}" if k else "base"
        parts.append(Part(f"link_{k + 1}", parent, word, axis, T=T, limits=limits, joint=f"joint_{k + 1}",
                          inertia=Inertia(*random_inertia(rng))))  # fmt: skip
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = random_rotation(rng), rng.normal(size=3)
    parts.append(Part("tip", f"link_{len(kinds)}", "fixed", T=tool))
    return Robot.from_links(parts, tip="tip", gravity=rng.normal(0.0, 6.0, 3), name="general")


ARMS: dict[str, Callable[[], Robot]] = {
    **{kinds: lambda kinds=kinds: random_arm(kinds, len(kinds))
       for kinds in ("R", "P", "RP", "PP", "PRR", "RRPRPR", "RRRRRR", "RPPRRPR")},
    **{f"parallel {kinds}": lambda kinds=kinds: random_arm(kinds, 9, parallel=True) for kinds in ("RRRRRRR", "RRPRRP")},
    **{name: lambda name=name: armdyn.load(name)
       for name in ("furuta", "scara", "stanford", "puma560", "kg_puma", "ur5")},
}  # fmt: skip


def as_screws(arm: Robot) -> Robot:
    return Robot.from_screws(*arm.to_screws(), gravity=arm.gravity, joint_names=arm.joint_names, check_inertia=False)


def as_urdf(arm: Robot) -> Robot:
    return Robot(read_urdf_text(arm.to_urdf(), check_inertia=False))


def as_zero_reference(arm: Robot) -> Robot:
    return Robot.from_zero_reference(**arm.to_zero_reference().arguments(), check_inertia=False)


def as_dh(convention: str) -> Callable[[Robot], Robot]:
    return lambda arm: Robot.from_dh(**arm.to_dh(convention).arguments(), check_inertia=False)


def as_links(arm: Robot) -> Robot:
    model = arm.model
    return Robot.from_links(
        parts_of(model), base=model.base, base_inertia=model.links[0].inertia, tip=model.tip, gravity=model.gravity,
        name=model.name, check_inertia=False,
    )  # fmt: skip


WAYS: dict[str, Callable[[Robot], Robot]] = {
    "screws": as_screws,
    "urdf": as_urdf,
    "zero reference": as_zero_reference,
    "modified": as_dh("modified"),
    "standard": as_dh("standard"),
    "links": as_links,
}


@pytest.fixture(scope="module", params=ARMS)
def arm(request: pytest.FixtureRequest) -> Robot:
    return ARMS[request.param]()


ANY_GEOMETRY = ("screws", "urdf", "zero reference", "links")
"""Ways that are one code path for any axes; to Denavit-Hartenberg tables axes that meet or are parallel matter."""

REPRESENTATIVES = ("P", "PRR", "parallel RRPRRP", "stanford", "puma560")
"""One joint, general axes, axes that meet and are parallel, a slide among turns, and a link without mass."""


@pytest.mark.short_run(
    without=(
        *(f"{name}-{way}" for name in ARMS if name not in REPRESENTATIVES for way in ANY_GEOMETRY),
        "parallel RRPRRP-screws",
    )
)
@pytest.mark.parametrize("way", WAYS)
def test_same_dynamics(arm: Robot, way: str) -> None:
    if way == "screws" and arm.name == "puma560":  # Glist has no place for a link that has inertia and no mass
        with pytest.raises(armdyn.ModelError, match=r"Glist\[0\]: mass 0 kg is not positive"):
            as_screws(arm)
        return
    other = WAYS[way](arm)
    s = random_states(arm.dof, 4, seed=51)
    assert_close(plainly(other, "forward_kinematics", s.q), arm.forward_kinematics(s.q))
    expected = arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    assert_close(plainly(other, "inverse_dynamics", s.q, s.qd, s.qdd, s.f_tip), expected)
    assert_close(plainly(other, "mass_matrix", s.q), arm.mass_matrix(s.q))
    assert other.joint_names == arm.joint_names
    assert [joint.kind for joint in other.joints] == [joint.kind for joint in arm.joints]
    if way != "screws":
        assert [joint.limits for joint in other.joints] == [joint.limits for joint in arm.joints]


def assert_same_mechanism(one: Mechanism, other: Mechanism) -> None:
    """The same bodies in the same canonical frames, but for rounding; names are free."""
    assert len(one.bodies) == len(other.bodies)
    size = 1.0 + max(np.abs(body.offset).max() for body in one.bodies)
    close = {"rtol": 0, "atol": 1e-12 * size**2}
    for a, b in zip(one.bodies, other.bodies, strict=True):
        assert (a.joint, a.parent, a.revolute) == (b.joint, b.parent, b.revolute)
        np.testing.assert_allclose(a.offset, b.offset, **close)
        turned = [matrix(body.turns_at(0.3)).astype(float) for body in (a, b)]
        np.testing.assert_allclose(*turned, **close)
        scale = {"rtol": 0, "atol": 1e-12 * size**2 * max(1.0, a.mass)}
        np.testing.assert_allclose(a.mass, b.mass, rtol=1e-15)
        np.testing.assert_allclose(a.first_moment, b.first_moment, **scale)
        np.testing.assert_allclose(a.second_moment, b.second_moment, **scale)
    tips = one.frame()[1], other.frame()[1]
    np.testing.assert_allclose(*tips, **close)


GENERAL = [name for name in ARMS if name not in armdyn.bundled_robots() and "parallel" not in name]


@pytest.mark.parametrize(("name", "way"), each_once(GENERAL, WAYS))
def test_same_mechanism_in_canonical_frames(name: str, way: str) -> None:
    arm = ARMS[name]()
    assert_same_mechanism(WAYS[way](arm).mechanism, arm.mechanism)


def test_place_of_a_slide_is_no_part_of_the_mechanism() -> None:
    """A prismatic joint has a direction and no place: its link's frame moved elsewhere describes the same arm."""
    arm = random_arm("RPRPR", 5)
    parts = parts_of(arm.model)
    shift = np.eye(4)
    shift[:3, 3] = [0.7, -1.3, 0.4]
    back = np.linalg.inv(shift)
    for i in (1, 3):
        slide, behind = parts[i], parts[i + 1]
        parts[i] = Part(slide.name, slide.parent, "prismatic", slide.axis, T=slide.T @ shift,
                        inertia=slide.inertia.seen_from(back), joint=slide.joint, limits=slide.limits)  # fmt: skip
        parts[i + 1] = Part(behind.name, behind.parent, behind.kind, behind.axis, T=back @ behind.T,
                            inertia=behind.inertia, joint=behind.joint, limits=behind.limits)  # fmt: skip
    moved = Robot.from_links(parts, tip="tip", gravity=arm.gravity)
    assert_same_mechanism(moved.mechanism, arm.mechanism)


@pytest.mark.short_run("1-True")
@pytest.mark.parametrize(("seed", "right_angled"), each_once(range(3), [False, True]))
def test_trees_through_urdf_and_links(seed: int, right_angled: bool) -> None:
    tree = Robot(to_armdyn(random_tree(seed, 9, right_angled=right_angled)))
    s = random_states(9, 3, seed=52)
    for way in ("urdf", "links"):
        other = WAYS[way](tree)
        assert other.joint_names == tree.joint_names
        assert set(other.frame_names) == set(tree.frame_names)
        expected = tree.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
        assert_close(plainly(other, "inverse_dynamics", s.q, s.qd, s.qdd, s.f_tip), expected)
        for frame in tree.frame_names:
            poses = plainly(other, "forward_kinematics", s.q, frame=frame)
            assert_close(poses, plainly(tree, "forward_kinematics", s.q, frame=frame))
        if not right_angled:
            assert_same_mechanism(other.mechanism, tree.mechanism)


def test_links_give_back_the_model() -> None:
    tree = Robot(to_armdyn(random_tree(3, 8)))
    assert as_links(tree) == tree


@pytest.mark.parametrize("convention", ["modified", "standard"])
def test_free_numbers_of_a_table_are_zero(convention: str) -> None:
    """At both ends of the chain, and where axes meet or are parallel."""
    rows = armdyn.load("ur5").to_dh(convention).rows
    first, last = (rows[0], rows[-1])
    assert (first.d, first.theta, last.d, last.theta) == (0.0, 0.0, 0.0, 0.0)
    free = first if convention == "modified" else last
    assert (free.a, free.alpha) == (0.0, 0.0)
    assert {abs(row.alpha) for row in rows} == {0.0, np.pi / 2}
    assert sum(row.a != 0.0 for row in rows) == 2
    assert [row.d for row in rows if row.d] == pytest.approx([0.10915, 0.09465])  # the others are in base and tool


def test_table_of_the_puma_is_the_published_one() -> None:
    """But for what is free: where axes are parallel, d can be moved from one row to the next."""
    table, published = armdyn.load("puma560").to_dh("modified"), armdyn.robots.puma560.ROWS
    for number in ("a", "alpha"):
        found, expected = ([abs(getattr(row, number)) for row in rows] for rows in (table.rows, published))
        np.testing.assert_allclose(found, expected, atol=1e-15)
    assert sum(row.d for row in table.rows[1:3]) == pytest.approx(0.2435 - 0.0934, abs=1e-15)
    assert abs(table.rows[3].d) == pytest.approx(0.4331, abs=1e-15)


def with_rotors() -> Robot:
    parts = parts_of(random_arm("RPR", 4).model)
    parts[0] = dataclasses.replace(parts[0], armature=0.7, damping=0.2, friction=0.1)
    parts[1] = dataclasses.replace(parts[1], armature=3.0, collar="parent")
    return Robot.from_links(parts, tip="tip")


@pytest.mark.parametrize("way", ["modified", "standard", "links"])
def test_what_belongs_to_the_joints_is_kept(way: str) -> None:
    arm = with_rotors()
    other = WAYS[way](arm)
    for a, b in zip(arm.joints, other.joints, strict=True):
        assert (a.armature, a.damping, a.friction, a.collar) == (b.armature, b.damping, b.friction, b.collar)
    q = random_states(3, 3, seed=53).q
    assert_close(other.mass_matrix(q), arm.mass_matrix(q))


def test_what_has_no_place_for_armature_says_so() -> None:
    for write in ("to_screws", "to_zero_reference"):
        with pytest.raises(armdyn.Unsupported, match=r"joint 'joint_1' has armature 0.7, for which .* has no place"):
            getattr(with_rotors(), write)()
    assert [joint.armature for joint in as_urdf(with_rotors()).joints] == [0.7, 3.0, 0.0]


def test_collars_pass_through_the_zero_reference_position() -> None:
    parts = parts_of(random_arm("RPP", 4).model)
    parts[1] = dataclasses.replace(parts[1], collar="parent")
    arm = Robot.from_links(parts, tip="tip")
    zero = arm.to_zero_reference()
    assert zero.collars == {"joint_2": "link_1", "joint_3": "link_3"}
    assert [joint.collar for joint in as_zero_reference(arm).joints] == ["child", "parent", "child"]


def test_body_vectors_of_a_zero_reference_add_up() -> None:
    """b = c + d leads from joint to joint, and from the last to the hand."""
    zero = random_arm("RPR", 6).to_zero_reference()
    np.testing.assert_allclose(zero.c + zero.d, zero.b, atol=1e-15)
    np.testing.assert_allclose(zero.points[0] + zero.b.sum(axis=0), zero.hand, atol=1e-15)
