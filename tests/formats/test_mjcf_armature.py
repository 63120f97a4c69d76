"""Armature: the reflected inertia of rotors, against Pinocchio, and in every description that holds it."""

import dataclasses

import numpy as np
import pinocchio
import pytest

import armdyn
from armdyn import Inertia, ModelError, Part, Robot
from oracles.cases import CASES, Case
from oracles.states import assert_close, random_states

ROTORS = np.array([0.5, 0.0, 0.3, 0.02, 0.07, 0.011])


@pytest.fixture(scope="module")
def geared() -> Robot:
    return with_armature(CASES["ur5"]().robot, ROTORS)


def with_armature(robot: Robot, rotors: np.ndarray) -> Robot:
    joints = [dataclasses.replace(j, armature=float(a)) for j, a in zip(robot.joints, rotors, strict=True)]
    return Robot(robot.model.replace(joints=tuple(joints)))


def in_pinocchio(case: Case) -> pinocchio.Model:
    model = pinocchio.buildModelFromUrdf(str(case.urdf))
    model.gravity.linear = case.robot.gravity
    model.armature = ROTORS
    return model


def test_against_pinocchio(geared: Robot) -> None:
    model = in_pinocchio(CASES["ur5"]())
    assert list(model.names)[1:] == list(geared.joint_names)
    data, s = model.createData(), random_states(6, 10, seed=31)
    M = [np.triu(pinocchio.crba(model, data, q)) for q in s.q]
    assert_close(geared.mass_matrix(s.q), np.array([m + np.triu(m, 1).T for m in M]))
    tau = [pinocchio.rnea(model, data, *x) for x in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(geared.inverse_dynamics(s.q, s.qd, s.qdd), np.array(tau))
    qdd = [pinocchio.aba(model, data, *x) for x in zip(s.q, s.qd, s.tau, strict=True)]
    assert_close(geared.forward_dynamics(s.q, s.qd, s.tau), np.array(qdd), relative=1e-11)


def test_energy_is_that_of_the_mass_matrix(geared: Robot) -> None:
    s = random_states(6, 10, seed=32)
    expected = 0.5 * np.einsum("ki,kij,kj->k", s.qd, geared.mass_matrix(s.q), s.qd)
    assert_close(geared.kinetic_energy(s.q, s.qd), expected)


def test_forces_without_acceleration_know_no_rotors(geared: Robot) -> None:
    s, bare = random_states(6, 10, seed=33), CASES["ur5"]().robot
    assert np.array_equal(geared.bias_forces(s.q, s.qd), bare.bias_forces(s.q, s.qd))


@pytest.mark.parametrize(("name", "more"), [("mass_matrix", (0, 5)), ("inverse_dynamics", (5, 5))])
def test_each_rotor_costs_at_most_one_operation(geared: Robot, name: str, more: tuple[int, int]) -> None:
    """Five rotors: the mass matrix gets one number more on its diagonal, the torque one product more."""
    bare, counts = CASES["ur5"]().robot, []
    for robot in (bare, geared):
        counted = getattr(robot, name).op_counts
        counts.append((counted.multiplications, counted.additions))
    (mul, add), (mul_geared, add_geared) = counts
    assert 0 <= mul_geared - mul <= more[0]
    assert 0 <= add_geared - add <= more[1]


def rod(armature: float) -> list[Part]:
    return [Part("rod", "base", axis=(0, 0, 1), inertia=Inertia.point(2.0, [1, 0, 0]), armature=armature)]


def test_a_rod_with_a_rotor() -> None:
    robot = Robot.from_links(rod(0.5))
    assert robot.mass_matrix([0.3]).tolist() == [[2.5]]
    assert robot.inverse_dynamics([0.3], [1.0], [2.0]).tolist() == [5.0]
    assert robot.forward_dynamics([0.3], [1.0], [5.0]).tolist() == [2.0]
    assert robot.kinetic_energy([0.3], [2.0]) == 5.0
    assert robot.model.digest != Robot.from_links(rod(0.0)).model.digest


@pytest.mark.parametrize("armature", [-0.5, float("nan"), float("inf")])
def test_impossible_armature(armature: float) -> None:
    with pytest.raises(ModelError) as caught:
        Robot.from_links(rod(armature))
    assert str(caught.value) == (
        f"parts[0] joint 'joint_of_rod': armature {armature:g}; expected an inertia, a finite number not below zero."
    )


def test_a_rotor_alone_can_be_accelerated() -> None:
    robot = Robot.from_links([Part("wheel", "base", axis=(0, 0, 1), armature=0.5)])
    assert robot.forward_dynamics([0.0], [0.0], [1.0]).tolist() == [2.0]
    assert not any("no mass moves" in note for note in robot.notes)


def test_descriptions_keep_it_or_say_so(geared: Robot) -> None:
    assert '<of_joint joint="elbow_joint" armature="0.3" />' in geared.to_urdf()
    assert armdyn.Robot(armdyn.formats.urdf.read_urdf_text(geared.to_urdf())) == geared
    parts = armdyn.formats.links.parts_of(geared.model)
    assert [part.armature for part in parts if part.kind != "fixed"] == ROTORS.tolist()
