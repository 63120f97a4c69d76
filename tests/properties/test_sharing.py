"""Robots and compiled functions in threads, processes, pickles and sets: immutable values."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import armdyn
from oracles.cases import Case
from oracles.states import random_states


@armdyn.function("(n),(n),()->(n),()")
def pushed(model, q, qd, gain):
    """Forces N m of a controller, shape (..., n), and kinetic energy, J."""
    return -gain * qd + armdyn.algorithms.gravity_forces(model, q), armdyn.algorithms.kinetic_energy(model, q, qd)


def test_pickled_robot_is_the_robot(tree: Case) -> None:
    again = pickle.loads(pickle.dumps(tree.robot))  # noqa: S301
    assert again == tree.robot
    assert again.joint_names == tree.robot.joint_names
    assert again.notes == tree.robot.notes
    s = random_states(tree.n, 5, seed=121)
    expected = tree.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    np.testing.assert_array_equal(again.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)


def test_pickled_functions_compute_the_same(tree: Case) -> None:
    s = random_states(tree.n, 5, seed=122)
    control = tree.robot.compile(pushed, parameters=["link2.mass"])
    again = pickle.loads(pickle.dumps(control))  # noqa: S301
    for a, b in zip(again(s.q, s.qd, 2.0, 3.0), control(s.q, s.qd, 2.0, 3.0), strict=True):
        np.testing.assert_array_equal(a, b)
    method = pickle.loads(pickle.dumps(tree.robot.mass_matrix))  # noqa: S301
    np.testing.assert_array_equal(method(s.q), tree.robot.mass_matrix(s.q))


def doubled(model, q):
    return 2.0 * q


def test_pickled_function_declared_on_the_spot(ur5: Case) -> None:
    compiled = ur5.robot.compile(doubled, signature="(n)->(n)")
    again = pickle.loads(pickle.dumps(compiled))  # noqa: S301
    np.testing.assert_array_equal(again(np.ones(6)), np.full(6, 2.0))


def test_functions_without_a_name_to_find_them_by_do_not_pickle(ur5: Case) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(ur5.robot.compile(lambda model, q: q, signature="(n)->(n)"))


def test_copies(ur5: Case) -> None:
    assert copy.copy(ur5.robot) == ur5.robot
    assert copy.deepcopy(ur5.robot) == ur5.robot


def test_another_process_started_from_nothing(ur5: Case) -> None:
    s = random_states(6, 5, seed=123)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(ur5.robot.inverse_dynamics, s.q, s.qd, s.qdd).result(timeout=60)
    np.testing.assert_array_equal(there, ur5.robot.inverse_dynamics(s.q, s.qd, s.qdd))


def test_threads_share_a_robot_that_none_has_used() -> None:
    """The first calls compile; all at once they still give one answer."""
    robot = armdyn.load("ur5", gravity=(0.3, 0.2, -9.0))
    s = random_states(6, 200, seed=124)

    def work(k: int) -> np.ndarray:
        if k % 3 == 0:
            robot.mass_matrix(s.q)
        return robot.inverse_dynamics(s.q, s.qd, s.qdd)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(40)))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    np.testing.assert_array_equal(
        results[0], armdyn.load("ur5", gravity=(0.3, 0.2, -9.0)).inverse_dynamics(s.q, s.qd, s.qdd)
    )


def test_robot_cannot_be_changed(ur5: Case) -> None:
    robot = ur5.robot
    for change in (
        lambda: setattr(robot, "model", None),
        lambda: setattr(robot, "gravity", [0, 0, 0]),
        lambda: setattr(robot, "new", 1),
    ):
        with pytest.raises(AttributeError):
            change()


def test_model_cannot_be_changed(ur5: Case) -> None:
    model = ur5.robot.model
    with pytest.raises(FrozenInstanceError):
        model.name = "other"
    with pytest.raises(FrozenInstanceError):
        model.joints[0].damping = 1.0
    with pytest.raises(FrozenInstanceError):
        model.links[1].inertia.mass = 1.0
    for array in (model.gravity, model.joints[0].axis, model.joints[0].placement, model.links[1].inertia.com,
                  model.links[1].inertia.tensor, model.frames[0].pose):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_model_keeps_its_numbers_when_those_it_was_made_of_change() -> None:
    com, gravity = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, -1.0])
    inertia = armdyn.Inertia(1.0, com)
    robot = armdyn.load("rp").with_gravity(gravity)
    com[:], gravity[:] = 9.0, 9.0
    np.testing.assert_array_equal(inertia.com, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(robot.gravity, [0.0, 0.0, -1.0])


def test_with_makes_new_robots(ur5: Case) -> None:
    other = ur5.robot.with_gravity([0.0, 0.0, -1.6])
    np.testing.assert_array_equal(other.gravity, [0.0, 0.0, -1.6])
    assert other != ur5.robot
    assert ur5.robot.with_tip("forearm_link").tip == "forearm_link"
    assert ur5.robot.tip == "tool0"


def test_equal_robots_are_equal_keys() -> None:
    one, two = armdyn.load("ur5"), armdyn.load("ur5")
    assert one == two
    assert len({one, two, armdyn.load("rp")}) == 2
    assert one != "ur5"


def test_digest_feels_every_number(ur5: Case) -> None:
    model = ur5.robot.model
    digests = {model.digest}
    digests.add(model.replace(name="other").digest)
    digests.add(model.replace(tip="forearm_link").digest)
    digests.add(model.replace(gravity=np.nextafter(model.gravity, 0.0)).digest)
    joint = model.joints[2]
    moved = joint.placement.copy()
    moved[0, 3] += 1e-15
    for changed in (
        armdyn.Joint(joint.name, joint.kind, joint.parent, joint.child, moved, joint.axis),
        armdyn.Joint(joint.name, joint.kind, joint.parent, joint.child, joint.placement, -joint.axis),
        armdyn.Joint(joint.name, "prismatic", joint.parent, joint.child, joint.placement, joint.axis),
    ):
        joints = (*model.joints[:2], changed, *model.joints[3:])
        digests.add(model.replace(joints=joints).digest)
    assert len(digests) == 7


def test_methods_of_robots_are_functions_with_names_and_signatures(ur5: Case) -> None:
    import inspect

    method = ur5.robot.inverse_dynamics
    assert method is ur5.robot.inverse_dynamics
    assert method.__name__ == "inverse_dynamics"
    names = list(inspect.signature(method).parameters)
    assert names[:4] == ["q", "qd", "qdd", "f_tip"]
    assert names[-2:] == ["out", "workers"]
    assert inspect.signature(ur5.robot.jacobian).parameters["expressed_in"].default == "body"
    assert armdyn.Robot.inverse_dynamics is armdyn.algorithms.inverse_dynamics


def test_what_robots_say_of_themselves(ur5: Case) -> None:
    assert repr(ur5.robot) == "<Robot 'ur5': 6 joints (shoulder_pan_joint, ..., wrist_3_joint), tip 'tool0'>"
    assert "inverse_dynamics" in repr(ur5.robot.inverse_dynamics)
    assert ur5.robot.dof == len(ur5.robot.joints) == 6
    assert ur5.robot.link_names[0] == "base_link"
    assert "tool0" in ur5.robot.frame_names
