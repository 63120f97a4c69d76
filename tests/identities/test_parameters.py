"""Model parameters as inputs: joint forces and energies are linear in mass, first moment and inertia."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.model import Inertia, Link
from oracles.cases import Case
from oracles.states import assert_close, random_states

LINKS = {"ur5": "forearm_link", "random_tree": "link2"}


@pytest.fixture(params=LINKS)
def some(request: pytest.FixtureRequest) -> tuple[Case, str]:
    from oracles.cases import CASES

    return CASES[request.param](), LINKS[request.param]


def with_inertia(robot: armdyn.Robot, link: str, inertia: Inertia) -> armdyn.Robot:
    links = tuple(Link(link, inertia) if x.name == link else x for x in robot.model.links)
    return armdyn.Robot(robot.model.replace(links=links))


def test_parameters_of_the_model_itself_give_the_model(some: tuple[Case, str]) -> None:
    case, link = some
    own, s = case.robot.model.link(link).inertia, random_states(case.n, 10, seed=61)
    names = [f"{link}.mass", f"{link}.com", f"{link}.inertia", "gravity"]
    tau = case.robot.compile(algorithms.inverse_dynamics, parameters=names)
    values = (own.mass, own.com, own.tensor, case.robot.gravity)
    actual = tau(s.q, s.qd, s.qdd, **dict(zip(names, values, strict=True)))
    assert_close(actual, case.robot.inverse_dynamics(s.q, s.qd, s.qdd))


@pytest.mark.short_run("random_tree")
def test_other_parameters_give_the_robot_that_has_them(some: tuple[Case, str]) -> None:
    case, link = some
    s = random_states(case.n, 10, seed=62)
    other = Inertia(1.7, [0.1, -0.2, 0.3], np.array([[0.3, 0.01, 0.02], [0.01, 0.25, -0.03], [0.02, -0.03, 0.2]]))
    changed = with_inertia(case.robot, link, other)
    names = [f"{link}.mass", f"{link}.com", f"{link}.inertia"]
    values = dict(zip(names, (other.mass, other.com, other.tensor), strict=True))
    M = case.robot.compile(algorithms.mass_matrix, parameters=names)
    assert_close(M(s.q, **values), changed.mass_matrix(s.q))
    qdd = case.robot.compile(algorithms.forward_dynamics, parameters=names)
    assert_close(qdd(s.q, s.qd, s.tau, **values), changed.forward_dynamics(s.q, s.qd, s.tau), 1e-11)


@pytest.mark.short_run("random_tree")
def test_gravity_as_an_input_with_a_batch_of_its_own(some: tuple[Case, str]) -> None:
    case, _ = some
    s = random_states(case.n, 4, seed=63)
    gravities = np.random.default_rng(64).normal(0.0, 7.0, (4, 3))
    g = case.robot.compile(algorithms.gravity_forces, parameters=["gravity"])(s.q, gravities)
    expected = [case.robot.with_gravity(a).gravity_forces(q) for q, a in zip(s.q, gravities, strict=True)]
    assert_close(g, np.array(expected))


@pytest.mark.short_run("random_tree")
def test_torque_is_linear_in_mass_first_moment_and_inertia_about_the_origin(some: tuple[Case, str]) -> None:
    """Two bodies welded to a link act like the sum of what each does: the regressor exists."""
    case, link = some
    s = random_states(case.n, 10, seed=65)
    own = case.robot.model.link(link).inertia
    rng = np.random.default_rng(66)
    one, two = (Inertia(rng.uniform(1, 3), rng.normal(size=3), np.diag([0.3, 0.4, 0.5])) for _ in range(2))
    tau = {}
    for name, inertia in {"own": own, "one": own + one, "two": own + two, "both": own + one + two}.items():
        tau[name] = with_inertia(case.robot, link, inertia).inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(tau["both"] - tau["own"], (tau["one"] - tau["own"]) + (tau["two"] - tau["own"]), relative=1e-11)


def test_doubling_every_mass_doubles_every_force(some: tuple[Case, str]) -> None:
    case, _ = some
    model = case.robot.model
    doubled = tuple(Link(x.name, Inertia(2 * x.inertia.mass, x.inertia.com, 2 * x.inertia.tensor)) for x in model.links)
    s = random_states(case.n, 5, seed=67)
    tau = armdyn.Robot(dataclasses.replace(model, links=doubled)).inverse_dynamics(s.q, s.qd, s.qdd)
    np.testing.assert_array_equal(tau, 2.0 * case.robot.inverse_dynamics(s.q, s.qd, s.qdd))


def test_unknown_parameter_is_named_with_the_nearest(ur5: Case) -> None:
    with pytest.raises(armdyn.UnknownName, match=r"no parameter 'forearm_link.mas'.*Did you mean 'forearm_link.mass'"):
        ur5.robot.compile(algorithms.gravity_forces, parameters=["forearm_link.mas"])


def test_every_link_as_an_input_at_once(tree: Case) -> None:
    """Nothing is regrouped then: the equations hold with every entry of every inertia."""
    links = tree.robot.model.links[1:]
    names = [f"{x.name}.{quantity}" for x in links for quantity in ("mass", "com", "inertia")]
    numbers = [v for x in links for v in (x.inertia.mass, x.inertia.com, x.inertia.tensor)]
    values = dict(zip(names, numbers, strict=True))
    s = random_states(tree.n, 5, seed=68)
    tau = tree.robot.compile(algorithms.inverse_dynamics, parameters=names)
    assert_close(tau(s.q, s.qd, s.qdd, s.f_tip, **values), tree.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip))
    qdd = tree.robot.compile(algorithms.forward_dynamics, parameters=names)
    expected = tree.robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip)
    assert_close(qdd(s.q, s.qd, s.tau, s.f_tip, **values), expected, 1e-11)
    energy = tree.robot.compile(algorithms.kinetic_energy, parameters=names)
    assert_close(energy(s.q, s.qd, **values), tree.robot.kinetic_energy(s.q, s.qd))


@pytest.mark.parametrize("owner", ["forearm_link", "tool0.payload"])
def test_of_a_tensor_that_is_not_symmetric_the_symmetric_part_counts(ur5: Case, owner: str) -> None:
    s = random_states(6, 5, seed=68)
    names = [f"{owner}.mass", f"{owner}.com", f"{owner}.inertia"]
    tau = ur5.robot.compile(algorithms.inverse_dynamics, parameters=names)
    own = (1.7, np.array([0.1, -0.2, 0.3]))
    tensor = np.array([[0.3, 0.05, -0.02], [0.01, 0.25, -0.03], [0.08, 0.11, 0.2]])
    expected = tau(s.q, s.qd, s.qdd, **dict(zip(names, (*own, (tensor + tensor.T) / 2), strict=True)))
    for asymmetric in (tensor, tensor.T):
        actual = tau(s.q, s.qd, s.qdd, **dict(zip(names, (*own, asymmetric), strict=True)))
        assert_close(actual, expected, relative=1e-13)
    by = tau.derivative(names[2])(s.q, s.qd, s.qdd, **dict(zip(names, (*own, tensor), strict=True)))
    assert by.shape == (5, 6, 3, 3)
    assert np.abs(by).max() > 0.1
    assert_close(by, np.swapaxes(by, -1, -2), relative=1e-13)
    step = np.array([[0.2, 0.1, 0.0], [-0.3, 0.1, 0.2], [0.4, 0.1, 0.3]])  # linear in it: the step may be long
    moved = tau(s.q, s.qd, s.qdd, **dict(zip(names, (*own, tensor + step), strict=True)))
    assert_close(moved - expected, np.einsum("sijk,jk->si", by, step), relative=1e-11)


def test_mass_and_centre_as_inputs_keep_the_inertia_about_the_centre_of_mass(some: tuple[Case, str]) -> None:
    case, link = some
    s, own = random_states(case.n, 5, seed=69), case.robot.model.link(link).inertia
    com = own.com + np.array([0.1, 0.2, -0.3])
    moved = with_inertia(case.robot, link, Inertia(2.0 * own.mass, com, own.tensor))
    M = case.robot.compile(algorithms.mass_matrix, parameters=[f"{link}.mass", f"{link}.com"])
    actual = M(s.q, **{f"{link}.mass": 2.0 * own.mass, f"{link}.com": com})
    assert_close(actual, moved.mass_matrix(s.q))
