"""Bodies fixed to a robot: merged into its links or known only at run time, against Pinocchio and each other."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import DTypeError, Inertia, ModelError, UnknownName, algorithms
from oracles.cases import Case
from oracles.plain import plainly
from oracles.short_run import each_once
from oracles.states import assert_close, random_states
from oracles.trees import random_inertia, random_tree, to_armdyn, to_pinocchio

COUNT = 6


def load(seed: int) -> Inertia:
    """A body of no symmetry."""
    mass, com, tensor = random_inertia(np.random.default_rng(seed))
    return Inertia(mass, com, 0.5 * (tensor + tensor.T))


def frames_of(case: Case) -> list[str]:
    """The tip and a link in the middle."""
    return [case.robot.tip, case.robot.link_names[len(case.robot.link_names) // 2]]


def test_against_pinocchio(case: Case) -> None:
    """appendBodyToJoint on a copy of the model."""
    s, frames = random_states(case.n, COUNT, seed=331), frames_of(case)
    loaded, model = case.robot, case.pin.copy()
    for k, name in enumerate(frames):
        body = load(332 + k)
        loaded = loaded.with_payload(body, name)
        place = model.frames[model.getFrameId(name)]
        model.appendBodyToJoint(place.parentJoint, pin.Inertia(body.mass, body.com, body.tensor), place.placement)
    other = Case(case.name, loaded, model)
    expected = [other.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True)]
    assert_close(loaded.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), np.array(expected))
    assert_close(loaded.mass_matrix(s.q), np.array([other.mass_matrix(q) for q in s.q]))
    energies = [pin.computePotentialEnergy(model, other.data, other.pin_q(q)) for q in s.q]
    empty = [pin.computePotentialEnergy(case.pin, case.data, case.pin_q(q)) for q in s.q]
    # the zero of Pinocchio's potential counts the base's mass: compare what the loads add
    added = loaded.potential_energy(s.q) - case.robot.potential_energy(s.q)
    assert_close(added, np.array(energies) - np.array(empty), 1e-11)


def test_a_payload_is_a_body_on_a_fixed_joint() -> None:
    """The same numbers as a link welded on in the description."""
    tree = random_tree(333, 5)
    part = tree.parts[-1]  # the tool, welded askew
    without = type(tree)(tree.name, tree.parts[:-1], tree.order, part.parent, tree.gravity)
    robot = armdyn.Robot(to_armdyn(without))
    T = part.placement
    body = Inertia(part.mass, part.com, part.tensor).seen_from(T)
    s = random_states(5, COUNT, seed=334)
    expected = armdyn.Robot(to_armdyn(tree)).inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(robot.with_payload(body, part.parent).inverse_dynamics(s.q, s.qd, s.qdd), expected)
    assert to_pinocchio(tree).nv == 5


def test_payloads_add_up(ur5: Case) -> None:
    s, a, b = random_states(6, COUNT, seed=335), load(336), load(337)
    one = ur5.robot.with_payload(a).with_payload(b)
    both = ur5.robot.with_payload(a + b)
    assert_close(one.inverse_dynamics(s.q, s.qd, s.qdd), both.inverse_dynamics(s.q, s.qd, s.qdd))
    assert one.dof == ur5.robot.dof
    assert ur5.robot.with_payload(a) != ur5.robot


def test_a_named_payload_is_a_frame_at_its_centre(ur5: Case) -> None:
    s, body = random_states(6, COUNT, seed=338), load(339)
    robot = ur5.robot.with_payload(body, "tool0", name="box")
    centre = ur5.robot.forward_kinematics(s.q, frame="tool0") @ [*body.com, 1.0]
    assert_close(robot.forward_kinematics(s.q, frame="box") @ [0, 0, 0, 1.0], centre)
    R, R_tool = (robot.forward_kinematics(s.q, frame=name)[..., :3, :3] for name in ("box", "tool0"))
    np.testing.assert_allclose(R, R_tool, atol=1e-15)
    assert robot.tip == "tool0"


def test_a_payload_on_the_base_loads_no_joint(ur5: Case) -> None:
    s = random_states(6, COUNT, seed=340)
    loaded = ur5.robot.with_payload(load(341), ur5.robot.model.base)
    np.testing.assert_array_equal(
        loaded.inverse_dynamics(s.q, s.qd, s.qdd), ur5.robot.inverse_dynamics(s.q, s.qd, s.qdd)
    )


def test_notes_go_with_what_they_are_about() -> None:
    """A payload that gives a massless end its mass."""
    rod = Inertia.point(1.0, [0.5, 0.0, 0.0])
    parts = [
        armdyn.Part("a", "base", axis=(0, 0, 1), inertia=rod),
        armdyn.Part("b", "a", axis=(0, 1, 0), xyz=(1, 0, 0)),
    ]
    arm = armdyn.Robot.from_links(parts)
    assert any("no mass moves with joint_of_b" in note for note in arm.notes)
    loaded = arm.with_payload(Inertia.point(1.0, [0.2, 0.1, 0.0]))
    assert not any("no mass moves" in note for note in loaded.notes)
    assert np.isfinite(loaded.forward_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])).all()


IMPOSSIBLE = Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 5.0]))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((load(1), "tool"), UnknownName, r"no frame 'tool' in 'ur5' .* Did you mean 'tool0'\?"),
        ((2.0, "tool0"), DTypeError, r"payload on 'tool0' is 2\.0; expected an armdyn\.Inertia"),
        ((Inertia(-1.0), "tool0"), ModelError, r"payload on 'tool0': mass -1 kg is negative; expected 0 or more\."),
        (
            (Inertia(np.nan), "tool0"),
            ModelError,
            r"payload on 'tool0': mass, centre of mass or inertia is not a finite",
        ),
        (
            (IMPOSSIBLE, "tool0"),
            ModelError,
            r"payload on 'tool0': .* breaks a\+b>=c .*; mend it, or take it as it stands",
        ),
    ],
)
def test_what_is_no_payload(ur5: Case, arguments: tuple, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ur5.robot.with_payload(*arguments)


def test_names_of_payloads(ur5: Case) -> None:
    with pytest.raises(ModelError, match=r"'ur5' has a frame 'tool0' already; give the payload another name"):
        ur5.robot.with_payload(load(1), name="tool0")
    with pytest.raises(ModelError, match=r"the payload is called ' '; expected a name"):
        ur5.robot.with_payload(load(1), name=" ")
    robot = ur5.robot.with_payload(IMPOSSIBLE, "tool0", check_inertia=False)
    assert any("breaks a+b>=c" in note and "taken as it stands" in note for note in robot.notes)
    on_base = ur5.robot.with_payload(IMPOSSIBLE, "base_link")  # which no joint feels
    assert any("breaks a+b>=c" in note for note in on_base.notes)


# ---- at run time

QUANTITIES = ("mass", "com", "inertia")


def values(body: Inertia) -> list[object]:
    return [body.mass, body.com, body.tensor]


@pytest.mark.short_run("ur5-kinetic_energy")
@pytest.mark.parametrize(
    ("case", "name"),
    each_once(["random_tree", "ur5"], ["inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy"]),
    indirect=["case"],
)
def test_inputs_are_what_with_payload_merges(case: Case, name: str) -> None:
    """A load for each state of a batch, on the tip and in the middle of the arm."""
    s, frame = random_states(case.n, COUNT, seed=342), frames_of(case)[case.n % 2]
    bodies = [load(343 + k) for k in range(COUNT)]
    function = getattr(algorithms, name)
    varied = case.robot.compile(function, parameters=[f"{frame}.payload.{quantity}" for quantity in QUANTITIES])
    required = [a for a in function.arguments if not a.optional]
    arrays = [getattr(s, a.name) for a in required]
    loads = dict(zip(varied.parameters, (np.array([values(b)[i] for b in bodies]) for i in range(3)), strict=True))
    actual = varied(*arrays, *[None] * (len(function.arguments) - len(required)), *loads.values())
    robots = [case.robot.with_payload(body, frame) for body in bodies]
    expected = np.array([plainly(r, name, *(x[k : k + 1] for x in arrays))[0] for k, r in enumerate(robots)])
    condition = max(np.linalg.cond(plainly(r, "mass_matrix", s.q[k : k + 1])[0]) for k, r in enumerate(robots))
    assert_close(actual, expected, max(1e-12, 1e-15 * condition) if name == "forward_dynamics" else 1e-12)


def test_a_mass_alone_is_a_point_at_the_frame(ur5: Case) -> None:
    s = random_states(6, COUNT, seed=350)
    varied = ur5.robot.compile(algorithms.inverse_dynamics, parameters=["tool0.payload.mass"])
    masses = np.linspace(0.0, 5.0, COUNT)
    actual = varied(s.q, s.qd, s.qdd, None, None, None, None, masses)
    for k, mass in enumerate(masses):
        loaded = ur5.robot.with_payload(Inertia.point(mass, [0.0, 0.0, 0.0]), "tool0")
        assert_close(actual[k][None], loaded.inverse_dynamics(s.q[k], s.qd[k], s.qdd[k])[None])
    np.testing.assert_array_equal(actual[:1], varied(s.q[:1], s.qd[:1], s.qdd[:1], None, None, None, None, 0.0))


def test_payloads_and_links_own_values_together(ur5: Case) -> None:
    s, body = random_states(6, COUNT, seed=351), load(352)
    names = ["wrist_3_link.mass", "tool0.payload.mass", "tool0.payload.com", "forearm_link.payload.mass", "gravity"]
    varied = ur5.robot.compile(algorithms.inverse_dynamics, parameters=names)
    g = np.array([0.3, -0.2, -5.0])
    actual = varied(s.q, s.qd, s.qdd, None, None, None, None, 0.7, body.mass, body.com, 1.5, g)
    own = ur5.robot.model.link("wrist_3_link").inertia
    heavier = [
        armdyn.Link(link.name, Inertia(0.7, own.com, own.tensor)) if link.name == "wrist_3_link" else link
        for link in ur5.robot.model.links
    ]
    expected = (
        armdyn.Robot(ur5.robot.model.replace(links=tuple(heavier), gravity=g))
        .with_payload(Inertia.point(body.mass, body.com), "tool0")
        .with_payload(Inertia.point(1.5, [0.0, 0.0, 0.0]), "forearm_link")
    )
    assert_close(actual, expected.inverse_dynamics(s.q, s.qd, s.qdd))


def test_joint_forces_are_linear_in_a_payload(ur5: Case) -> None:
    """tau(m) = tau(0) + m (tau(1) - tau(0)) for any centre."""
    s = random_states(6, 1, seed=353)
    varied = ur5.robot.compile(algorithms.inverse_dynamics, parameters=["tool0.payload.mass", "tool0.payload.com"])
    tau = varied(s.q, s.qd, s.qdd, None, None, None, None, np.array([0.0, 1.0, 3.5]), [0.1, -0.2, 0.3])
    assert_close((tau[2] - tau[0])[None], 3.5 * (tau[1] - tau[0])[None])


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        (["tool.payload.mass"], UnknownName, "Did you mean 'tool0.payload.mass'"),
        (["tool0.payload.weight"], UnknownName, "no parameter 'tool0.payload.weight'"),
        (["tool0.mass"], UnknownName, "no parameter 'tool0.mass'"),
        (["base_link.payload.mass"], UnknownName, "no parameter 'base_link.payload.mass'"),
        (["tool0.payload.com"], ModelError, r"'tool0.payload.com' without 'tool0.payload.mass' describe no body"),
    ],
)  # fmt: skip
def test_what_is_no_parameter(ur5: Case, names: list[str], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ur5.robot.compile(algorithms.gravity_forces, parameters=names)(np.zeros(6), np.zeros(3))


def test_a_link_that_is_called_like_a_payload_comes_first() -> None:
    body = Inertia.point(1.0, [0.5, 0.0, 0.0])
    parts = [
        armdyn.Part("arm", "base", axis=(0, -1, 0), inertia=body),
        armdyn.Part("arm.payload", "arm", axis=(0, -1, 0), xyz=(1, 0, 0), inertia=body),
    ]
    robot = armdyn.Robot.from_links(parts)
    varied = robot.compile(algorithms.gravity_forces, parameters=["arm.payload.mass"])
    np.testing.assert_allclose(varied([0.0, 0.0], 2.0)[1], 2.0 * 9.81 * 0.5, rtol=1e-15)
