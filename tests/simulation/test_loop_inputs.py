"""What closed loops, rollouts and studies refuse before they run: steps, parameters, arrays that share memory."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Spring
from armdyn.base.errors import ModelError, OverlapError, ShapeError, TraceError, UnknownName
from armdyn.functions import CompiledRollout
from armdyn.simulation import ClosedLoop, DivergenceWarning, RungeKutta4, SettingError
from armdyn.studies import Normal, StudyError, sampled

ROBOT = armdyn.load("planar_2r")
LOOP = ClosedLoop(ROBOT, armdyn.control.pd_gravity, record=["q", "qd"])
AIM = {"q_ref": np.ones(2), "qd_ref": np.zeros(2), "Kp": np.full(2, 9.0), "Kd": np.full(2, 3.0)}


@pytest.mark.parametrize("h", [0, -1e-3, np.nan, np.inf, "1e-3", None])
def test_steps_are_above_zero(h: Any) -> None:
    with pytest.raises(SettingError, match=r"h is .*; expected a number above zero, in s"):
        LOOP(np.zeros(2), steps=1, h=h, **AIM)


def test_each_arm_may_have_its_own_step() -> None:
    h = np.array([1e-3, 2e-3])
    found = LOOP(np.zeros((2, 2)), steps=20, h=h, **AIM).final.q
    for k, one in enumerate(h):
        np.testing.assert_allclose(found[k], LOOP(np.zeros(2), steps=20, h=one, **AIM).final.q, rtol=1e-13)
    for wrong, message in ((0.0, r"h\[1\] is 0\.0"), (np.nan, r"h\[1\] is nan"), (-1.0, r"h\[1\] is -1\.0")):
        with pytest.raises(SettingError, match=message + "; expected a number above 0, in s"):
            LOOP(np.zeros((2, 2)), steps=1, h=[1e-3, wrong], **AIM)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tip.payload.mass", -1.0, "tip.payload.mass is -1"),
        ("link_1.mass", [[1.0, 2.0], [-0.5, 1.0]], r"link_1.mass of state \(1, 0\) is -0.5"),
        ("joint_2.friction", -0.1, "joint_2.friction is -0.1"),
        ("joint_2.damping", -0.1, "joint_2.damping is -0.1"),
        ("joint_1.armature", [0.1, -0.1], r"joint_1.armature of state \(1,\) is -0.1"),
        ("link_2.inertia", [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "moment of link_2.inertia is -1"),
    ],
)
def test_no_robot_has_such_parameters(name: str, value: Any, message: str) -> None:
    loop, given = ClosedLoop(ROBOT, parameters=[name]), {name.replace(".", "_"): value}
    moves: dict[str, Any] = {"steps": 2, "tau": np.zeros(2)}
    with pytest.raises(ModelError, match=message + "; expected 0 or more"):
        loop(np.zeros(2), **moves, **given)
    tangent = {f"tangent_{name.replace('.', '_')}": value}
    fine = {word: abs(np.asarray(one)) * np.eye(3) if "inertia" in word else 1.0 for word, one in given.items()}
    loop.jvp(name)(np.zeros((2, 2, 2)), **moves, **fine, **tangent)  # a direction may go where no robot is
    if np.shape(value) in ((), (2,)):
        run = "" if np.ndim(value) == 0 else " of run 1"
        same, each = ({name: value}, {"q0": np.zeros((2, 2))}) if np.ndim(value) == 0 else ({}, {name: value})
        with pytest.raises(StudyError, match=f"{name}{run} is -"):
            armdyn.study(ROBOT, each, steps=2, inputs=same)


def test_zero_and_rounding_are_possible() -> None:
    names = ["link_1.inertia", "tip.payload.mass"]
    rod = np.diag([0.0, 1.0, 1.0])
    turned = (R := Rotation.from_rotvec([0.4, 0.0, 0.5]).as_matrix()) @ rod @ R.T
    ClosedLoop(ROBOT, parameters=names)(
        np.zeros(2), steps=2, tau=np.zeros(2), link_1_inertia=turned, tip_payload_mass=0.0
    )


def test_drawn_parameters_are_looked_at_before_the_first_run() -> None:
    drawn = sampled(300, {"tip.payload.mass": Normal(0.5, 0.25)}, seed=3)
    numbers = drawn.of(range(300), {"tip.payload.mass": ()})["tip.payload.mass"]
    first = int(np.argmax(numbers < 0))
    assert first > 0
    with pytest.raises(StudyError, match=rf"tip\.payload\.mass of run {first} is -"):
        armdyn.study(ROBOT, drawn, steps=2)


def test_arrays_for_results_are_apart() -> None:
    room = np.zeros((10, 3, 4))
    halves = {"q": room[..., :2], "qd": room[..., 2:]}
    rows = LOOP(np.zeros((3, 2)), steps=10, out=halves, **AIM).rows
    np.testing.assert_array_equal(rows.q, LOOP(np.zeros((3, 2)), steps=10, **AIM).rows.q)
    again = LOOP(room[-1, :, :2], room[-1, :, 2:], steps=10, out=halves, **AIM)  # goes on from its own last row
    assert np.isfinite(again.final.q).all()
    for out in ({"q": room[..., :2], "qd": room[..., :2]}, {"q": room[..., 1:3], "qd": room[..., 2:]}):
        with pytest.raises(OverlapError, match=r"out\['q'\] and out\['qd'\] share memory"):
            LOOP(np.zeros((3, 2)), steps=10, out=out, **AIM)
    with pytest.raises(OverlapError, match=r"out\['q'\] and q_ref share memory"):
        LOOP(np.zeros((3, 2)), steps=10, out={"q": room[..., :2]}, **AIM | {"q_ref": room[0, :, :2]})


@armdyn.function("(n),(n)->(n),(n,n)")
def two(model: Any, q: Any, qd: Any) -> Any:
    return 2 * q + qd, np.outer(q, qd)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_results_of_a_compiled_function_are_apart(batch: tuple[int, ...]) -> None:
    """Single states by the C function, more by the ufunc; the first call, and later ones."""
    f, q = ROBOT.compile(two), np.arange(1.0, 3.0) + np.zeros((*batch, 2))
    expected = f(q, q)
    for _ in range(2):
        room = np.zeros((*batch, 7))
        for first in (slice(0, 2), slice(3, 5)):
            with pytest.raises(OverlapError, match="arrays 0 and 1 of out share memory"):
                f(q, q, out=(room[..., first], room[..., 1:5].reshape(*batch, 2, 2)))
        apart = room[..., :2], np.zeros((*batch, 2, 2))
        for found, wanted in zip(f(q, q, out=apart), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


class Squared(NamedTuple):
    """A step later."""

    q: Any


def test_rollouts_and_studies_count_what_ran_away() -> None:
    step = armdyn.function("(n)->(n)", result=Squared)(squared)
    rollout = CompiledRollout(ROBOT, step)
    with pytest.warns(DivergenceWarning, match=r"2 of 6 states, the first of them \(0, 1\), .* from step 10 on"):
        rollout([[[1.0, 0.5], [0.5, 2.0], [0.0, 0.0]], [[3.0, 0.5], [0.5, 0.1], [0.0, 0.0]]], steps=20)
    with pytest.warns(DivergenceWarning, match=r"of 'planar_2r': the state ended .* from step 0 on"):
        rollout([np.nan, 0.0], steps=20)
    samples = {"Kp": np.array([[9.0, 9.0], [1e7, 1e7], [9.0, 9.0], [1e8, 1e8]])}
    inputs = {name: value for name, value in AIM.items() if name != "Kp"}
    first = (
        r"^2 of 4 runs of the study of 'planar_2r' ran away, the first is run 1: at t = 0\.\d+ s, after step \d+: joint"
    )
    with pytest.warns(DivergenceWarning, match=first):
        armdyn.study(ROBOT, samples, armdyn.control.pd_gravity, steps=500, inputs=inputs, chunk=1)


@pytest.mark.parametrize("traced", [True, False])
def test_a_cost_that_is_not_finite_is_told_from_a_motion(traced: bool) -> None:
    @armdyn.function("(n)->(n)")
    def at_rest(model: Any, q: Any) -> Any:
        return 0.0 * q if traced or q[0] < 9.0 else q

    @armdyn.function("(n),(n)->()")
    def logarithm(model: Any, q: Any, qd: Any) -> Any:
        return np.sqrt(qd[1] + 0.5)

    loop = armdyn.ClosedLoop(ROBOT, at_rest, running_cost=logarithm)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        final = loop(np.zeros((3, 2)), [[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]], steps=5).final
    assert np.isfinite(final.q).all()
    message = str(said[-1].message)
    assert message.startswith(
        "2 of 3 arms, the first of them (1,), of 'planar_2r' ended in NaN or infinity, at t = 0.001 s"
    )
    assert "after step 1: cost is not finite, q and qd are. Look at what computes it" in message


def squared(model: Any, q: Any) -> Any:
    return Squared(q * q)


def test_gradients_of_lost_motions_are_heard() -> None:
    @armdyn.function("(n)->()")
    def size(model: Any, q: Any) -> Any:
        return q @ q

    given = AIM | {"Kp": np.full(2, 1e8)}
    with pytest.warns(DivergenceWarning, match="^the motion of 'planar_2r' ended in NaN") as said:
        LOOP.gradient(size, ["Kp"], np.zeros(2), steps=300, **given)
    with pytest.warns(DivergenceWarning) as other:
        LOOP(np.zeros(2), steps=300, **given)
    assert [str(one.message) for one in said] == [str(one.message) for one in other]


def test_costs_that_the_loop_cannot_compute_are_refused_when_it_is_made() -> None:
    @armdyn.function("(n),(n)->()")
    def spent(model: Any, tau: Any, weight: Any) -> Any:
        """A cost with an argument of its own."""
        return weight @ tau**2

    @armdyn.function("(n)->(n)")
    def each(model: Any, tau: Any) -> Any:
        """A cost for each joint."""
        return tau**2

    with pytest.raises(
        UnknownName, match=r"no array 'weight' in the closed loop that spent is a cost of \(\d+ arrays\)"
    ):
        ClosedLoop(ROBOT, armdyn.control.pd_gravity, running_cost=spent)
    with pytest.raises(ShapeError, match=r"each gives \(n\); expected one scalar, \(\), the cost of a second"):
        ClosedLoop(ROBOT, running_cost=each)
    with pytest.raises(TraceError, match=r"running_cost=<function .* is not a declared function; write @armdyn"):
        ClosedLoop(ROBOT, running_cost=lambda tau: tau @ tau)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no array 'weight'"):
        armdyn.study(ROBOT, {"q0": np.zeros((2, 2))}, running_cost=spent, steps=1)


def test_a_flexible_joint_a_constraint_and_a_rigid_joint_with_gear_loss() -> None:
    """The loop moves as the located motion, more closely the shorter its steps."""
    wall = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(0.8, 0, 0))
    soft = Actuator(Motor(2e-3), Gear(10.0), spring=Spring(90.0, damping=1.0))
    lossy = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8, back_efficiency=0.6))
    arm = armdyn.load("planar_3r").with_actuators({"joint_1": soft, "joint_3": lossy})
    robot = arm.with_constraints(wall)
    q0 = robot.close_loop([0.5, 1.0, 0.3])
    located = armdyn.simulate(robot, q0, duration=0.2).q[-1]
    assert abs(located - q0).max() > 1e-2
    loop = ClosedLoop(robot, method=RungeKutta4())
    errors = [
        abs(loop.simulate(q0, steps=round(0.2 / h), h=h, tau=np.zeros(3)).q[-1] - located).max() for h in (4e-3, 1e-3)
    ]
    assert errors[0] < 2e-10
    assert errors[1] < 2e-12
