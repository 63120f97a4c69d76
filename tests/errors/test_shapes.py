"""Arrays that do not fit: the message names the argument, what was expected, the robot and its joints."""

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.algorithms import Function
from oracles.cases import Case

DECLARED = {name: f for name in algorithms.__all__ if isinstance(f := getattr(algorithms, name), Function)}
FUNCTIONS = {name: f for name, f in DECLARED.items() if not f.required_options}
SHAPES = {(name, a.name): a.shape for name, f in FUNCTIONS.items() for a in f.arguments if len(a.shape) == 1}
ARGUMENTS = list(SHAPES)
REQUIRED = [(name, a.name) for name, f in FUNCTIONS.items() for a in f.arguments if not a.optional]


def size(function: str, argument: str) -> int:
    """Of an argument that is a vector, for the Panda."""
    (length,) = SHAPES[function, argument]
    return 7 if length == "n" else length


def good(function: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    sizes = {"n": 7, "links": 8}
    shapes = {a.name: [sizes.get(d, d) for d in a.shape] for a in FUNCTIONS[function].arguments}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def called(robot: armdyn.Robot, function: str, argument: str, value: object, by_name: bool = True) -> object:
    """A method of the Panda (7 joints, so that f_tip's 6 is another number) with one argument replaced."""
    arrays = good(function) | {argument: value}
    method = getattr(robot, function)
    return method(**arrays) if by_name else method(*arrays.values())


def check_wrong_shape(robot: armdyn.Robot, function: str, argument: str, shape: tuple[int, ...], by_name: bool) -> None:
    with pytest.raises(armdyn.ShapeError) as caught:
        called(robot, function, argument, np.ones(shape), by_name)
    message = str(caught.value)
    assert message.startswith(f"{argument} has shape {shape}; expected (..., {size(function, argument)})")
    assert "'panda'" in message
    if SHAPES[function, argument] == ("n",):
        assert "one value per joint" in message
        assert "panda_joint1 ... panda_joint7" in message


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("shape", [(8,), (), (2, 3), (0,), (4, 1)], ids=str)
def test_wrong_shape(panda: Case, shape: tuple[int, ...], by_name: bool) -> None:
    for function, argument in ARGUMENTS:
        if function in ("inverse_dynamics", "jacobian_dot"):
            check_wrong_shape(panda.robot, function, argument, shape, by_name)


def test_wrong_shape_of_any_argument(panda: Case) -> None:
    for place, (function, argument) in enumerate(ARGUMENTS):
        check_wrong_shape(panda.robot, function, argument, (5,), by_name=place % 2 == 0)


WRONG_KINDS = {
    "text": "text",
    "list of text": list("abcdefg"),
    "complex": np.full(7, 1j),
    "bytes": np.array([b"1"] * 7),
    "dates": np.array(["2020-01-01"] * 7, dtype="datetime64[D]"),
    "a set": {1.0, 2.0},
    "objects": np.array([object()] * 7),
}


@pytest.mark.parametrize("kind", WRONG_KINDS)
@pytest.mark.parametrize(("function", "argument"), [("inverse_dynamics", "qd"), ("mass_matrix", "q")])
def test_wrong_kind_of_element(panda: Case, function: str, argument: str, kind: str) -> None:
    for by_name in (False, True):
        with pytest.raises(armdyn.DTypeError, match=rf"^{argument} holds .*; expected real numbers: .*'panda'"):
            called(panda.robot, function, argument, WRONG_KINDS[kind], by_name)


def test_ragged_list(panda: Case) -> None:
    for function, argument in ARGUMENTS:
        ragged = [[0.0] * size(function, argument), [0.0] * 3]
        with pytest.raises(armdyn.ShapeError, match=rf"^{argument} is ragged: its rows differ in length; expected"):
            called(panda.robot, function, argument, ragged)


def test_none_where_an_array_is_needed(panda: Case) -> None:
    for function, argument in REQUIRED:
        for by_name in (False, True):
            with pytest.raises(TypeError, match=rf"{function}\(\) misses {argument}; it takes"):
                called(panda.robot, function, argument, None, by_name)


def test_none_leaves_the_tip_wrench_out(panda: Case) -> None:
    q = np.linspace(0.1, 0.7, 7)
    with_none = panda.robot.inverse_dynamics(q, q, q, None)
    np.testing.assert_array_equal(with_none, panda.robot.inverse_dynamics(q, q, q))
    np.testing.assert_array_equal(with_none, panda.robot.inverse_dynamics(q, q, q, f_tip=None))


def test_missing_arguments(panda: Case) -> None:
    for function, declared in FUNCTIONS.items():
        required = [a.name for a in declared.arguments if not a.optional]
        with pytest.raises(TypeError, match=rf"{function}\(\) misses {', '.join(required)}; it takes q"):
            getattr(panda.robot, function)()


def test_too_many_arguments(panda: Case) -> None:
    for function, declared in FUNCTIONS.items():
        most = len(declared.arguments)
        with pytest.raises(TypeError, match=rf"{function}\(\) takes {most} arrays \(q.*\); got {most + 1}"):
            getattr(panda.robot, function)(*good(function).values(), np.ones(7))


def test_unknown_keyword(panda: Case) -> None:
    for function in FUNCTIONS:
        with pytest.raises(TypeError, match=rf"{function}\(\) has no argument 'speed'; it takes q.*out, workers"):
            getattr(panda.robot, function)(**good(function), speed=1.0)


def test_argument_given_twice(panda: Case) -> None:
    with pytest.raises(TypeError, match="got 'q' twice, by position and by name"):
        panda.robot.mass_matrix(np.ones(7), q=np.ones(7))


@pytest.mark.parametrize(("robot", "near"), [("ur5", "tool0"), ("panda", "panda_hand")])
@pytest.mark.parametrize("function", ["forward_kinematics", "jacobian"])
def test_unknown_frame(request: pytest.FixtureRequest, robot: str, near: str, function: str) -> None:
    case = request.getfixturevalue(robot)
    with pytest.raises(armdyn.UnknownName, match=rf"no frame '{near}x' in '{robot}' \(\d+ frames\).*mean '{near}'\?"):
        getattr(case.robot, function)(np.zeros(case.n), frame=near + "x")


def test_unknown_way_to_express_a_jacobian(ur5: Case) -> None:
    with pytest.raises(armdyn.UnknownName, match=r"no way 'bodies' in expressed_in=.*Did you mean 'body'\?"):
        ur5.robot.jacobian(np.zeros(6), expressed_in="bodies")


def test_tree_without_a_tip_asks_for_a_frame() -> None:
    from oracles.trees import random_tree, to_armdyn

    model = to_armdyn(random_tree(3, 8)).replace(tip=None)
    robot = armdyn.Robot(model)
    assert np.isfinite(robot.mass_matrix(np.ones(8))).all()
    for call in (
        lambda: robot.forward_kinematics(np.ones(8)),
        lambda: robot.jacobian(np.ones(8)),
        lambda: robot.tip_forces(np.ones(8), np.ones(6)),
        lambda: robot.inverse_dynamics(np.ones(8), np.ones(8), np.ones(8), np.ones(6)),
    ):
        with pytest.raises(armdyn.UnknownName, match="branches and has no single tip: name a frame"):
            call()
    assert robot.forward_kinematics(np.ones(8), frame="link3").shape == (4, 4)


def test_batches_that_do_not_broadcast(panda: Case) -> None:
    with pytest.raises(armdyn.ShapeError, match=r"batches .* do not broadcast together: q \(4,\), qd \(3,\), qdd \(\)"):
        panda.robot.inverse_dynamics(np.ones((4, 7)), np.ones((3, 7)), np.ones(7))


def test_errors_leave_the_function_usable(panda: Case) -> None:
    q = np.linspace(0.1, 0.7, 7)
    before = panda.robot.mass_matrix(q)
    with pytest.raises(armdyn.ShapeError):
        panda.robot.mass_matrix(np.ones(3))
    np.testing.assert_array_equal(panda.robot.mass_matrix(q), before)


def test_first_call_explains_as_well_as_later_ones() -> None:
    fresh = armdyn.load("ur5", gravity=(0.1, 0.2, -9.7))
    for _ in range(2):
        with pytest.raises(armdyn.ShapeError, match=r"q has shape \(5,\).*'ur5': shoulder_pan_joint"):
            fresh.gravity_forces(np.ones(5))


def test_robot_of_few_joints_names_them_all() -> None:
    with pytest.raises(armdyn.ShapeError, match=r"one value per joint of 'planar_2r': joint_1 joint_2, rad$"):
        armdyn.load("planar_2r").mass_matrix(np.ones(3))


@pytest.mark.parametrize("workers", [None, 2])
def test_wrong_shape_with_workers_and_out(panda: Case, workers: int | None) -> None:
    with pytest.raises(armdyn.ShapeError, match=r"^q has shape \(10, 6\)"):
        panda.robot.gravity_forces(np.ones((10, 6)), workers=workers)


@pytest.mark.parametrize("workers", [0, -2, 1.5, 2.0, "many", [2]])
def test_impossible_number_of_workers(panda: Case, workers: object) -> None:
    panda.robot.gravity_forces(np.ones((10, 7)), workers=2)
    with pytest.raises((ValueError, TypeError), match=r"workers is .*; expected a positive number of threads"):
        panda.robot.gravity_forces(np.ones((10, 7)), workers=workers)


def test_out_of_the_wrong_shape(panda: Case) -> None:
    with pytest.raises(ValueError, match=r"Output operand|^out"):
        panda.robot.gravity_forces(np.ones((10, 7)), out=np.empty((10, 6)))


def test_every_error_is_an_armdyn_error_and_a_builtin_one() -> None:
    for error, builtin in {
        armdyn.ShapeError: ValueError,
        armdyn.ModelError: ValueError,
        armdyn.DTypeError: TypeError,
        armdyn.TraceError: TypeError,
        armdyn.UnknownName: LookupError,
        armdyn.Unsupported: NotImplementedError,
    }.items():
        assert issubclass(error, armdyn.ArmdynError)
        assert issubclass(error, builtin)


def test_errors_pickle_with_their_message() -> None:
    import pickle

    for error in (armdyn.ModelError(["one", "two"]), armdyn.ShapeError("q"), armdyn.UnknownName("x")):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert type(again) is type(error)
        assert str(again) == str(error)
    assert armdyn.ModelError(["one", "two"]).problems == ("one", "two")


@pytest.mark.parametrize("gravity", [[1.0, 2.0], 9.81, np.ones((3, 3))], ids=str)
def test_gravity_is_three_numbers(ur5: Case, gravity: object) -> None:
    with pytest.raises(armdyn.ShapeError, match=r"gravity has shape .*; expected \(3,\)"):
        ur5.robot.with_gravity(gravity)


def test_unknown_tip(ur5: Case) -> None:
    with pytest.raises(armdyn.UnknownName, match="no frame 'tool' in 'ur5'"):
        ur5.robot.with_tip("tool")


def test_array_for_results_of_another_shape_is_named() -> None:
    robot = armdyn.load("ur5")
    with pytest.raises(armdyn.ShapeError, match=r"out has shape \(5,\); expected \(\.\.\., 6\) for 'ur5'"):
        robot.gravity_forces(np.zeros(6), out=np.zeros(5))
