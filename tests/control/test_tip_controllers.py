"""Controllers of the tip, against their equations in Python over 200 steps, and against what they promise."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn import control
from oracles.cases import Case
from oracles.closed_loops import Motion, State, by_hand, in_base_axes, way_to
from oracles.short_run import each_once, short_run
from oracles.states import assert_close

STEPS = 200
Q0 = {"ur5": [0.3, -1.2, 1.4, -0.7, 1.1, 0.2], "panda_locked": [0.2, -0.6, 0.3, -2.1, 0.4, 1.7, 0.6]}
ROWS = {"pose": slice(0, 6), "position": slice(3, 6)}
F_TIP = np.array([0.4, -0.3, 0.2, 6.0, -9.0, 12.0])


def start(case: Case) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(case.n)
    return np.array(Q0[case.name]), rng.normal(0.0, 0.1, case.n)


def moving(case: Case, q: np.ndarray, h: float = 1e-3) -> dict[str, np.ndarray]:
    """A tip that turns about an axis while it goes on a curve, with its twist and the rate of that."""
    t = h * np.arange(STEPS)
    T0 = case.robot.forward_kinematics(q)
    axis, w = np.array([0.6, 0.0, 0.8]), np.array([2.0, 3.0, 4.0])
    angle, rate, acceleration = 0.3 + 0.5 * t**2, t, np.ones_like(t)
    T = np.tile(T0, (STEPS, 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(angle[:, None] * axis).as_matrix() @ T0[:3, :3]
    T[:, :3, 3] += 0.05 + 0.1 * np.sin(w * t[:, None])
    V = np.hstack([rate[:, None] * axis, 0.1 * w * np.cos(w * t[:, None])])
    Vdot = np.hstack([acceleration[:, None] * axis, -0.1 * w**2 * np.sin(w * t[:, None])])
    return {"T_ref": T, "V_ref": V, "Vdot_ref": Vdot}


class Task:
    """Lambda, eta, N and the errors of components of the tip's twist, by Khatib's formulas and NumPy's inverses."""

    def __init__(self, s: State, rows: slice, T_ref: np.ndarray, V_ref: np.ndarray) -> None:
        self.J6, M = s.tip.J, s.M
        self.J = self.J6[rows]
        Minv = np.linalg.inv(M)
        self.Lambda = np.linalg.inv(self.J @ Minv @ self.J.T)
        self.Jbar = Minv @ self.J.T @ self.Lambda
        self.eta = self.Jbar.T @ s.bias - self.Lambda @ s.tip.Jdot_qd[rows]
        self.N = np.eye(len(M)) - self.J.T @ self.Jbar.T
        self.T = s.tip.T
        self.e = way_to(self.T, T_ref)[rows]
        self.ed = V_ref[rows] - self.J @ s.qd


def rolled(case: Case, controller: armdyn.Function, over_time: dict[str, Any], **inputs: Any) -> Motion:
    loop = armdyn.ClosedLoop(case.robot, controller, over_time=over_time, record=["q", "qd", "tau"])
    return Motion(*loop(*start(case), steps=STEPS, **over_time, **inputs).rows)


def assert_same(ours: Motion, theirs: Motion) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)


@pytest.mark.short_run("position")
@pytest.mark.parametrize("components", ["pose", "position"])
def test_operational_space(panda: Case, components: str) -> None:
    rows, refs = ROWS[components], moving(panda, start(panda)[0])
    k = rows.stop - rows.start
    Kp, Kd, q_null = np.linspace(70.0, 110.0, k), np.linspace(15.0, 22.0, k), start(panda)[0] + 0.3
    Kp_null, Kd_null = np.linspace(5.0, 9.0, 7), np.linspace(1.0, 2.0, 7)

    def law(s: State) -> np.ndarray:
        task = Task(s, rows, refs["T_ref"][s.k], refs["V_ref"][s.k])
        F = task.Lambda @ (refs["Vdot_ref"][s.k][rows] + Kd * task.ed + Kp * task.e) + task.eta
        return task.J.T @ F + task.N @ (Kp_null * (q_null - s.q) - Kd_null * s.qd)

    controller = control.with_options(control.operational_space, components=components)
    spare = {"q_null": q_null, "Kp_null": Kp_null, "Kd_null": Kd_null}
    ours = rolled(panda, controller, refs, Kp=Kp, Kd=Kd, **spare)
    assert_same(ours, by_hand(panda, law, *start(panda), steps=STEPS))


@pytest.mark.parametrize("components", short_run(["pose", "position"], "position"))
def test_operational_space_accelerates_the_tip_as_commanded(panda: Case, components: str) -> None:
    """Vdot = J qdd + Jdot qd = Vdot_ref + Kd ed + Kp e, whatever the spare joints are asked for."""
    rows, robot = ROWS[components], panda.robot
    q, qd = start(panda)
    refs = {name: table[7] for name, table in moving(panda, q).items()}
    k = rows.stop - rows.start
    Kp, Kd = np.linspace(70.0, 110.0, k), np.linspace(15.0, 22.0, k)
    law = robot.compile(control.with_options(control.operational_space, components=components))
    at = {"q_null": np.ones(7), "Kp_null": np.full(7, 30.0), "Kd_null": np.full(7, 3.0)}
    tau = law(q, qd, Kp=Kp, Kd=Kd, **refs, **at)
    J = robot.jacobian(q, expressed_in="world")[rows]
    Vdot = J @ robot.forward_dynamics(q, qd, tau) + robot.bias_acceleration(q, qd, expressed_in="world")[rows]
    way = way_to(robot.forward_kinematics(q), refs["T_ref"])[rows]
    expected = refs["Vdot_ref"][rows] + Kd * (refs["V_ref"][rows] - J @ qd) + Kp * way
    np.testing.assert_allclose(Vdot, expected, rtol=1e-9, atol=1e-9)
    assert np.abs(tau - law(q, qd, Kp=Kp, Kd=Kd, **refs)).max() > 0.1


@pytest.mark.short_run("panda-True")
@pytest.mark.parametrize(("robot_name", "shaped"), each_once(["ur5", "panda"], [False, True]))
def test_impedance(request: pytest.FixtureRequest, robot_name: str, shaped: bool) -> None:
    case = request.getfixturevalue(robot_name)
    components = "pose" if robot_name == "ur5" else "position"
    rows, refs = ROWS[components], moving(case, start(case)[0])
    k = rows.stop - rows.start
    K, B = np.linspace(40.0, 60.0, k), np.linspace(4.0, 9.0, k)
    shaping = {"M_virtual": np.linspace(0.5, 1.5, k), "f_measured": F_TIP} if shaped else {}

    def law(s: State) -> np.ndarray:
        task = Task(s, rows, refs["T_ref"][s.k], refs["V_ref"][s.k])
        spring = B * task.ed + K * task.e
        if not shaped:
            return task.J.T @ (task.Lambda @ refs["Vdot_ref"][s.k][rows] + task.eta + spring)
        f_ext = -in_base_axes(task.T, F_TIP)
        Vdot = refs["Vdot_ref"][s.k][rows] + (spring + f_ext[rows]) / shaping["M_virtual"]
        return task.J.T @ (task.Lambda @ Vdot + task.eta - task.Jbar.T @ task.J6.T @ f_ext)

    controller = control.with_options(control.impedance, components=components)
    ours = rolled(case, controller, refs, K=K, B=B, f_tip=F_TIP, **shaping)
    assert_same(ours, by_hand(case, law, *start(case), steps=STEPS, f_tip=F_TIP))


@pytest.mark.short_run("False-position")
@pytest.mark.parametrize(("shaped", "components"), each_once([False, True], ["position", "pose"]))
def test_impedance_is_that_of_mass_damper_and_spring(panda: Case, components: str, shaped: bool) -> None:
    """M (Vdot - Vdot_ref) + B (V - V_ref) - K e = f_ext at the tip, with M that of the arm or the one asked for."""
    rows, robot = ROWS[components], panda.robot
    q, qd = start(panda)
    refs = {name: table[7] for name, table in moving(panda, q).items()}
    k = rows.stop - rows.start
    K, B, M = np.linspace(40.0, 60.0, k), np.linspace(4.0, 9.0, k), np.linspace(0.5, 1.5, k)
    f_tip = F_TIP if components == "pose" else F_TIP * [0, 0, 0, 1, 1, 1]  # without a moment: the task feels the rest
    shaping = {"M_virtual": M, "f_measured": f_tip} if shaped else {}
    law = robot.compile(control.with_options(control.impedance, components=components))
    tau = law(q, qd, K=K, B=B, **refs, **shaping)
    J = robot.jacobian(q, expressed_in="world")[rows]
    qdd = robot.forward_dynamics(q, qd, tau, f_tip)
    Vdot = J @ qdd + robot.bias_acceleration(q, qd, expressed_in="world")[rows]
    T = robot.forward_kinematics(q)
    task = robot.task_space(q, qd, components=components, expressed_in="world")
    inertia = np.diag(M) if shaped else task.Lambda
    left = inertia @ (Vdot - refs["Vdot_ref"][rows]) - B * (refs["V_ref"][rows] - J @ qd)
    np.testing.assert_allclose(left - K * way_to(T, refs["T_ref"])[rows], -in_base_axes(T, f_tip)[rows], atol=1e-9)


def test_admittance(ur5: Case) -> None:
    refs = moving(ur5, start(ur5)[0])
    sensed = F_TIP + np.sin(0.05 * np.arange(STEPS))[:, None]
    K, B, M = np.array([300.0, 400.0, 500.0]), np.array([30.0, 25.0, 40.0]), np.array([1.5, 2.0, 2.5])
    Kp, Kd = np.linspace(300.0, 400.0, 6), np.linspace(30.0, 40.0, 6)
    x, v = np.zeros(3), np.array([0.1, -0.2, 0.3])

    def law(s: State) -> np.ndarray:
        nonlocal x, v
        f_ext = -in_base_axes(s.tip.T, sensed[s.k])
        a = (f_ext[3:] - B * v - K * x) / M
        T = refs["T_ref"][s.k].copy()
        T[:3, 3] += x
        task = Task(s, ROWS["pose"], T, refs["V_ref"][s.k] + [0, 0, 0, *v])
        Vdot = refs["Vdot_ref"][s.k] + [0, 0, 0, *a] + Kd * task.ed + Kp * task.e
        v = v + s.h * a
        x = x + s.h * v
        return task.J.T @ (task.Lambda @ Vdot + task.eta - f_ext)

    given = {"M_virtual": M, "B": B, "K": K, "Kp": Kp, "Kd": Kd, "shift_rate": v}
    ours = rolled(ur5, control.admittance, refs | {"f_measured": sensed}, f_tip=F_TIP, **given)
    assert_same(ours, by_hand(ur5, law, *start(ur5), steps=STEPS, f_tip=F_TIP))


@pytest.mark.parametrize(
    ("controller", "inputs", "message"),
    [
        (control.impedance, {"K": np.ones(6), "B": np.ones(6), "M_virtual": np.ones(6)}, "M_virtual and f_measured"),
        (control.operational_space, {"Kp": np.ones(6), "Kd": np.ones(6), "q_null": np.ones(6)}, "q_null and Kp_null"),
    ],
)
def test_halves_of_what_belongs_together_are_refused(ur5: Case, controller: Any, inputs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        armdyn.ClosedLoop(ur5.robot, controller)(np.ones(6), steps=1, T_ref=np.eye(4), **inputs)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 0.999e-6, 1.001e-6, 1e-3, 1.0, 3.0, 3.14159])
def test_rotation_vector(angle: float) -> None:
    axis = np.array([0.48, -0.6, 0.64])
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    found = control.rotation_vector(R).astype(float)
    np.testing.assert_allclose(found, angle * axis, rtol=1e-10 if angle < 3.1 else 1e-9, atol=1e-16)


def test_options_decide_sizes(ur5: Case) -> None:
    one = control.with_options(control.operational_space, components=[(0, 0, 0, 0.6, 0, 0.8)])
    tau = ur5.robot.compile(one)(np.ones(6), np.zeros(6), np.eye(4), [5.0], [1.0])
    assert tau.shape == (6,)
    with pytest.raises(armdyn.ShapeError, match="Kp"):
        ur5.robot.compile(one)(np.ones(6), np.zeros(6), np.eye(4), np.ones(6), np.ones(6))
    with pytest.raises(armdyn.UnknownName, match="no option 'component' in operational_space"):
        control.with_options(control.operational_space, component="position")
