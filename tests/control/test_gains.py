"""Gains as numbers, vectors and full matrices: the same law by all, in calls, loops, studies, scenarios; and zeros."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ClosedLoop, control
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.simulation import GainWarning
from armdyn.studies import Normal, grid, sampled
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

ROBOT = armdyn.load("ur5")
RNG = np.random.default_rng(37)
Q, QD, Q_REF = RNG.normal(size=(3, 6))
A = RNG.normal(size=(6, 6))
K = A @ A.T + np.eye(6) * 60.0
B = np.eye(6) * 9.0 + 0.5
T = ROBOT.forward_kinematics(Q_REF)


def laws(K: Any, B: Any, M: Any) -> dict[str, tuple[Any, dict[str, Any], Any]]:
    """Controllers, their arguments, and tau by the equations of their documentation, with full matrices."""
    g, e, ed = ROBOT.gravity_forces(Q), Q_REF - Q, -QD
    task = ROBOT.task_space(Q, QD, expressed_in="world")
    error = ROBOT.compile(pose_error)(Q, T)
    rate = -task.J @ QD
    felt = np.array([0.1, -0.2, 0.3, 4.0, -5.0, 6.0])
    R = ROBOT.forward_kinematics(Q)[:3, :3]
    f_ext = -np.concatenate([R @ felt[:3], R @ felt[3:]])
    answer = np.linalg.solve(M, B @ rate + K @ error + f_ext)
    impedance = task.J.T @ (task.Lambda @ answer + task.eta - task.Jbar.T @ (task.J.T @ f_ext))
    return {
        "pd_gravity": (control.pd_gravity, {"q_ref": Q_REF}, K @ e + B @ ed + g),
        "pid": (control.pid, {"q_ref": Q_REF, "integral": e, "Ki": 0.0, "h": 1e-3}, K @ e + B @ ed),
        "computed_torque": (
            control.computed_torque, {"q_ref": Q_REF, "integral": e, "h": 1e-3, "Ki": 0.0},
            ROBOT.inverse_dynamics(Q, QD, K @ e + B @ ed),
        ),
        "operational_space": (
            control.operational_space, {"T_ref": T},
            task.J.T @ (task.Lambda @ (B @ rate + K @ error) + task.eta),
        ),
        "impedance": (control.impedance, {"T_ref": T, "f_measured": felt}, impedance),
    }  # fmt: skip


@armdyn.function("(n),(4,4)->(6)")
def pose_error(model: Any, q: Any, T_ref: Any) -> Any:
    """The way to a pose."""
    return control.pose_error(model, q, T_ref)


def gains_of(name: str, K: Any, B: Any, M: Any) -> dict[str, Any]:
    return {"K": K, "B": B, "M_virtual": M} if name == "impedance" else {"Kp": K, "Kd": B}


NAMES = list(laws(K, B, np.eye(6)))


def tau_of(found: Any) -> Any:
    return getattr(found, "tau", found)


@pytest.mark.parametrize("name", NAMES)
def test_full_matrices_vectors_and_numbers(name: str) -> None:
    """By the matrices of the equations; a number is the unit matrix, a vector the diagonal one."""
    M = np.eye(6) * 2.0 + 0.1
    for given, matrices in (
        ((K, B, M), (K, B, M)),
        ((K.diagonal(), 9.0, 2.0), (np.diag(K.diagonal()), 9.0 * np.eye(6), 2.0 * np.eye(6))),
        ((60.0, B, M.diagonal()), (60.0 * np.eye(6), B, np.diag(M.diagonal()))),
    ):
        controller, arguments, expected = laws(*matrices)[name]
        gains = gains_of(name, *given)
        kinds = {gain: "matrix" for gain, value in gains.items() if np.ndim(value) == 2}
        compiled = ROBOT.compile(control.with_gains(controller, **kinds))
        np.testing.assert_allclose(tau_of(compiled(q=Q, qd=QD, **arguments, **gains)), expected, rtol=1e-12, atol=1e-12)
        plain = ROBOT.compile(controller)
        many = {key: np.broadcast_to(value, (4, *np.shape(value))) for key, value in {"q": Q, "qd": QD}.items()}
        found = tau_of(plain(**many, **arguments, **gains))  # 4 arms: a matrix cannot be the vectors of 6
        np.testing.assert_allclose(found, np.broadcast_to(expected, (4, 6)), rtol=1e-12, atol=1e-12)


@pytest.mark.short_run("pid")  # which has states, too; its check is that of all
@pytest.mark.parametrize("name", NAMES)
def test_what_could_be_two_things_is_refused(name: str) -> None:
    controller, arguments, _ = laws(K, B, np.eye(6))[name]
    square_gain = abs(K)
    gain = next(iter(gains_of(name, K, B, None)))
    given: dict[str, Any] = arguments | gains_of(name, square_gain, 9.0, 1.0)
    said = (
        rf"{gain} has shape \(6, 6\), which is either a full matrix of 6 x 6, or 6 numbers for each arm of a "
        rf"batch \(6,\); expected armdyn\.control\.with_gains\({name}, {gain}='matrix'\) .*, "
        rf".*{gain}='vector'\) for the second"
    )
    for batch in ((), (6,), (1,)):
        with pytest.raises(ShapeError, match=said):
            ROBOT.compile(controller)(q=np.broadcast_to(Q, (*batch, 6)), qd=QD, **given)
    loops = {key: value for key, value in given.items() if key not in ("h", "integral")}
    with pytest.raises(ShapeError, match=said):
        ClosedLoop(ROBOT, controller)(Q, QD, steps=1, **loops)
    many = control.with_gains(controller, **{gain: "vector"})
    assert ClosedLoop(ROBOT, many)(Q, QD, steps=1, **loops).final.q.shape == (6, 6)
    one = control.with_gains(controller, **{gain: "matrix"})
    assert ClosedLoop(ROBOT, one)(Q, QD, steps=1, **loops).final.q.shape == (6,)
    over_time = ClosedLoop(ROBOT, control.with_gains(controller, **{gain: "matrix"}), over_time=[gain])
    repeated = over_time(Q, QD, steps=5, **(loops | {gain: np.broadcast_to(square_gain, (5, 6, 6))})).final.q
    np.testing.assert_array_equal(repeated, ClosedLoop(ROBOT, one)(Q, QD, steps=5, **loops).final.q)


def test_loops_take_all_kinds_and_batches() -> None:
    loop = ClosedLoop(ROBOT, control.delayed(control.pd_gravity, steps=1), record=["q", "tau"])
    aim: dict[str, Any] = {"q_ref": Q_REF, "steps": 20}
    one = loop(Q, QD, Kp=60.0, Kd=9.0, **aim)
    same = loop(Q, QD, Kp=np.full(6, 60.0), Kd=np.full(6, 9.0), qd_ref=np.zeros(6), **aim)
    np.testing.assert_array_equal(one.rows.tau, same.rows.tau)
    several = loop(Q, QD, Kp=[[60.0], [30.0]], Kd=9.0, **aim).final.q
    np.testing.assert_array_equal(several[0], one.final.q)
    np.testing.assert_array_equal(several[1], loop(Q, QD, Kp=30.0, Kd=9.0, **aim).final.q)
    arms = loop(np.tile(Q, (3, 1)), QD, Kp=60.0 * np.eye(6), Kd=9.0, **aim).final.q
    np.testing.assert_allclose(arms, np.tile(one.final.q, (3, 1)), rtol=1e-12)
    with pytest.raises(ShapeError, match=r"Kp has shape \(3,\); expected \(\.\.\., 6\)"):
        loop(Q, QD, Kp=np.ones(3), Kd=9.0, **aim)
    assert loop(Q.astype(np.float32), Kp=60.0, Kd=9.0, steps=2, q_ref=np.float32([0.0] * 6)).final.q.dtype == np.float32
    trajectory = loop.simulate(Q, QD, Kp=60.0, Kd=9.0, **aim)
    np.testing.assert_allclose(trajectory.q[-1], one.final.q, rtol=1e-14)
    loop = ClosedLoop(ROBOT, control.with_gains(control.pid, Kp="matrix"))
    again = pickle.loads(pickle.dumps(loop))  # noqa: S301 - of this process
    assert again.controller.function.gains == {"Kp": "matrix", "Ki": "any", "Kd": "any"}


@armdyn.function("(n)->()")
def square(model: Any, q: Any) -> Any:
    """A cost, scalar."""
    return q @ q


def test_derivatives_are_by_what_is_given() -> None:
    """By a number the sum of those by its components, by a matrix those of its diagonal among others."""
    loop = ClosedLoop(ROBOT, control.pd_gravity)
    aim: dict[str, Any] = {"q_ref": Q_REF, "steps": 20, "Kd": 9.0}
    by_number = loop.gradient(square, ["Kp", "Kd"], Q, QD, Kp=60.0, **aim)
    by_vector = loop.gradient(square, ["Kp"], Q, QD, Kp=np.full(6, 60.0), **aim)
    matrix = ClosedLoop(ROBOT, control.with_gains(control.pd_gravity, Kp="matrix"))
    by_matrix = matrix.gradient(square, ["Kp"], Q, QD, Kp=60.0 * np.eye(6), **aim)
    assert by_number.d_Kp.shape == by_number.d_Kd.shape == ()
    np.testing.assert_allclose(by_number.d_Kp, by_vector.d_Kp.sum(), rtol=1e-12)
    np.testing.assert_allclose(by_matrix.d_Kp.diagonal(), by_vector.d_Kp, rtol=1e-12)
    rates = loop.jvp("Kp")(Q, QD, Kp=60.0, tangent_Kp=2.0, **aim).final.q
    by_hand = loop.jvp("Kp")(Q, QD, Kp=np.full(6, 60.0), tangent_Kp=np.full(6, 2.0), **aim).final.q
    np.testing.assert_allclose(rates, by_hand, rtol=1e-13)
    compiled = ROBOT.compile(control.pd_gravity)
    np.testing.assert_allclose(compiled.derivative("Kp")(Q, QD, Q_REF, Kp=60.0, Kd=9.0), Q_REF - Q, rtol=1e-14)
    back = compiled.vjp("Kp")(Q, QD, Q_REF, Kp=60.0, Kd=9.0, cotangent_out=np.ones(6))
    np.testing.assert_allclose(back, (Q_REF - Q).sum(), rtol=1e-13)


def test_kinds_are_named() -> None:
    with pytest.raises(UnknownName, match=r"no gain 'Kpp' in pd_gravity \(2 gains\). Did you mean 'Kp'"):
        control.with_gains(control.pd_gravity, Kpp="matrix")
    with pytest.raises(UnknownName, match="no kind of gain 'full' in Kp= of pd_gravity"):
        control.with_gains(control.pd_gravity, Kp="full")
    with pytest.raises(ShapeError, match="Kp of pd_gravity is a matrix already"):
        control.with_gains(control.with_gains(control.pd_gravity, Kp="matrix"), Kp="vector")
    with pytest.warns(GainWarning, match="Kp of pd_gravity has the eigenvalue -1, below zero"):
        ClosedLoop(ROBOT, control.with_gains(control.pd_gravity, Kp="matrix"))(
            Q, steps=1, q_ref=Q, Kp=np.diag([5.0, 4, 3, 2, 1, -1]), Kd=1.0
        )


def test_gains_of_your_own_controllers() -> None:
    @armdyn.function("(n),(n),(n)=0,(n)->(n)", gains="D")
    def brake(model: Any, q: Any, qd: Any, qd_ref: Any, D: Any) -> Any:
        """Joint forces against the motion."""
        return control.scaled(D, qd_ref - qd)

    compiled = ROBOT.compile(brake)
    np.testing.assert_allclose(compiled(Q, QD, D=2.0), -2.0 * QD, rtol=1e-15)
    np.testing.assert_allclose(compiled(np.tile(Q, (5, 1)), QD, D=B), np.tile(-B @ QD, (5, 1)), rtol=1e-13)
    assert repr(brake) == "<function brake of a robot: q (n), qd (n), qd_ref (n)=0, D (n) -> (n)>"
    with pytest.raises(UnknownName, match="no argument with one axis 'E' in brake"):
        armdyn.function("(n),(n),(n)=0,(n)->(n)", gains="E")(brake.implementation)


def test_studies_take_all_kinds() -> None:
    """As many runs as joints: vectors are those of the runs, numbers serve all joints, matrices stay matrices."""
    same: dict[str, Any] = {"q0": Q, "q_ref": Q_REF}
    numbers = armdyn.study(ROBOT, grid(Kp=[10.0, 60.0]), control.pd_gravity, inputs=same | {"Kd": 9.0}, steps=5)
    vectors = armdyn.study(
        ROBOT,
        {"Kp": np.linspace(10, 60, 6)[:, None] * np.ones(6)},
        control.pd_gravity,
        inputs=same | {"Kd": 9.0},
        steps=5,
    )
    np.testing.assert_array_equal(numbers["final.q"], vectors["final.q"][[0, 5]])
    matrices = armdyn.study(
        ROBOT, {"q0": np.tile(Q, (6, 1))}, control.pd_gravity,
        inputs={"q_ref": Q_REF, "Kp": 60.0 * np.eye(6), "Kd": 9.0}, steps=5,
    )  # fmt: skip
    np.testing.assert_allclose(matrices["final.q"], np.tile(numbers["final.q"][1], (6, 1)), rtol=1e-13)
    drawn = armdyn.study(
        ROBOT,
        sampled(3, Kp=Normal(np.full(6, 60.0), 1.0), seed=1),
        control.pd_gravity,
        inputs=same | {"Kd": 9.0},
        steps=5,
    )
    assert drawn["Kp"].shape == (3, 6)


def test_scenarios_take_all_kinds(tmp_path: Path) -> None:
    start = "robot: planar_2r\nq0: [0.3, -0.4]\nduration: 0.02\nmethod: rk4\ncontroller: pd_gravity\n"
    ends = []
    for number, gains in enumerate(("Kp: 60, Kd: 9", "Kp: [60, 60], Kd: [9, 9]", "Kp: [[60, 0], [0, 60]], Kd: 9")):
        path = tmp_path / f"arm{number}.yaml"
        path.write_text(f"{start}inputs: {{q_ref: 0.5, {gains}}}\n")
        words = Words.read(path)
        ends.append(MotionSettings.of(words, words.robot()).simulate().q[-1])
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, rtol=1e-14)


def test_misspelt_arguments_are_answered_with_the_nearest() -> None:
    friction = ROBOT.with_friction(dict.fromkeys(ROBOT.joint_names, (1.0, 1.0)))
    loop = ClosedLoop(friction, control.pd_gravity)
    for wrong, right in (("kp", "Kp"), ("target", "q_ref"), ("q_goal", "q_ref"), ("qd_reff", "qd_ref"), ("Kpd", "Kp")):
        with pytest.raises(
            UnknownName, match=rf"no argument '{wrong}' in pd_gravity \(\d+ arguments\). Did you mean '{right}'"
        ):
            loop(Q, steps=1, **{wrong: np.zeros(6)})
    with pytest.raises(TypeError, match="misses q_ref, Kp, Kd; it takes q_ref, qd_ref, Kp, Kd, f_tip"):
        loop(Q, steps=1)
    with pytest.raises(TypeError, match=r"pd_gravity\(\) has no argument 'target'; .* Did you mean 'q_ref'"):
        ROBOT.compile(control.pd_gravity)(Q, QD, target=Q)
