"""What stands around a controller, against loops written by hand, over 200 steps."""

import pickle
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.simulation import SettingError
from oracles.cases import CASES, Case
from oracles.closed_loops import Motion, State, by_hand
from oracles.short_run import short_run
from oracles.states import assert_close

STEPS = 200


@pytest.fixture(scope="module", params=short_run(["random_tree", "ur5"], "random_tree"))
def some(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


class Setting:
    """A start, references over time and gains for a PID of one robot."""

    def __init__(self, case: Case, h: float = 1e-3) -> None:
        rng = np.random.default_rng(case.n)
        self.q, self.qd = rng.uniform(-1.0, 1.0, case.n), rng.normal(0.0, 0.3, case.n)
        M, uneven = case.robot.mass_matrix(self.q).diagonal(), np.linspace(0.7, 1.3, case.n)
        self.Kp, self.Ki, self.Kd = 90.0 * uneven * M, 2000.0 * uneven * M, 14.0 * uneven * M
        t, w = h * np.arange(STEPS)[:, None], np.linspace(2.0, 5.0, case.n)
        self.q_ref, self.qd_ref = self.q + 0.3 * np.sin(w * t), 0.3 * w * np.cos(w * t)

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in ("Kp", "Ki", "Kd", "q_ref", "qd_ref")}


class HandPID:
    """tau = Kp e + Ki z + Kd ed with a memory, told any q and qd."""

    def __init__(self, given: Setting) -> None:
        self.given, self.z = given, np.zeros_like(given.q)

    def __call__(self, k: int, h: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        e = self.given.q_ref[k] - q
        tau = self.given.Kp * e + self.given.Ki * self.z + self.given.Kd * (self.given.qd_ref[k] - qd)
        self.z = self.z + h * e
        return tau


def rolled(case: Case, controller: armdyn.Function, given: Setting, *record: str, **inputs: Any) -> Any:
    over_time = ["q_ref", "qd_ref", *(name for name in inputs if name.endswith("_noise"))]
    loop = armdyn.ClosedLoop(case.robot, controller, over_time=over_time, record=["q", "qd", "tau", *record])
    return loop(given.q, given.qd, steps=STEPS, **given.inputs, **inputs).rows


def assert_same(ours: Any, theirs: Motion) -> None:
    for name in Motion._fields:
        assert_close(getattr(ours, name), getattr(theirs, name))


def test_saturated(some: Case) -> None:
    given, pid = Setting(some), HandPID(Setting(some))
    limits = np.abs(given.Kd * given.qd_ref[0]) * np.linspace(0.2, 0.8, some.n)
    wound, unlimited = 0, []

    def law(s: State) -> np.ndarray:
        nonlocal wound
        old = pid.z
        wanted = pid(s.k, s.h, s.q, s.qd)
        tau = np.minimum(np.maximum(wanted, -limits), limits)
        for i in range(some.n):
            if (wanted[i] > limits[i] and pid.z[i] > old[i]) or (wanted[i] < -limits[i] and pid.z[i] < old[i]):
                pid.z[i] = old[i]
                wound += 1
        unlimited.append(wanted)
        return tau

    ours = rolled(some, control.saturated(control.pid, limits), given, "tau_unlimited", "integral")
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS))
    assert_close(ours.tau_unlimited, np.array(unlimited))
    assert 0 < wound < some.n * STEPS
    assert (np.abs(ours.tau) <= limits).all()
    assert 0 < (np.abs(ours.tau) == limits).sum() < ours.tau.size


def test_saturated_at_the_limits_of_the_description(ur5: Case) -> None:
    given, effort = Setting(ur5), np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    robot = ur5.robot.with_limits(
        {name: armdyn.Limits(effort=x) for name, x in zip(ur5.robot.joint_names, effort, strict=True)}
    )
    limited = Case.__new__(Case)
    limited.robot = robot
    ours = rolled(limited, control.saturated(control.pid), given)
    np.testing.assert_array_equal(np.abs(ours.tau).max(axis=0), effort)


def test_sampled(some: Case) -> None:
    """Its integral grows by m h e at every m-th step, and its references are those of these steps."""
    given, pid, held = Setting(some), HandPID(Setting(some)), np.zeros(some.n)

    def law(s: State) -> np.ndarray:
        nonlocal held
        if s.k % 3 == 0:
            held = pid(s.k, 3 * s.h, s.q, s.qd)
        return held

    ours = rolled(some, control.sampled(control.pid, 3), given)
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS))


def test_delayed(some: Case) -> None:
    given, pid = Setting(some), HandPID(Setting(some))
    waiting = [np.zeros(some.n) for _ in range(4)]

    def law(s: State) -> np.ndarray:
        waiting.append(pid(s.k, s.h, s.q, s.qd))
        return waiting.pop(0)

    ours = rolled(some, control.delayed(control.pid, 4), given)
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS))


def test_quantised(some: Case) -> None:
    given, pid = Setting(some), HandPID(Setting(some))
    r = np.linspace(1e-3, 3e-3, some.n)

    def law(s: State) -> np.ndarray:
        return pid(s.k, s.h, np.floor(s.q / r + 0.5) * r, s.qd)

    ours = rolled(some, control.quantised(control.pid, r), given)
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS))


def test_noisy(some: Case) -> None:
    given, pid = Setting(some), HandPID(Setting(some))
    noise = control.draw_noise(some.robot, STEPS, q=1e-3, qd=np.full(some.n, 0.05), seed=3)

    def law(s: State) -> np.ndarray:
        return pid(s.k, s.h, s.q + noise["q_noise"][s.k], s.qd + noise["qd_noise"][s.k])

    ours = rolled(some, control.noisy(control.pid), given, **noise)
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS))
    np.testing.assert_array_equal(
        rolled(some, control.noisy(control.pid), given).tau, rolled(some, control.pid, given).tau
    )


def test_differencing(some: Case) -> None:
    given, pid, T = Setting(some), HandPID(Setting(some)), 4e-3
    last, v = None, np.zeros(some.n)

    def law(s: State) -> np.ndarray:
        nonlocal last, v
        difference = np.zeros(some.n) if last is None else s.q - last
        v, last = (T * v + difference) / (T + s.h), s.q
        return pid(s.k, s.h, s.q, v)

    ours = rolled(some, control.differencing(control.pid, T), given)
    theirs = by_hand(some, law, given.q, given.qd, steps=STEPS)
    for name in Motion._fields:  # a difference of positions keeps three digits less of them
        assert_close(getattr(ours, name), getattr(theirs, name), relative=1e-10)


def test_momentum_observer(some: Case) -> None:
    """dp^/dt = tau + C^T qd - g + r with Pinocchio's C and M; with a wrench at the tip where there is one."""
    given, pid = Setting(some), HandPID(Setting(some))
    gain, estimate, residuals = np.linspace(15.0, 30.0, some.n), None, []
    f_tip = np.array([1.0, -2.0, 3.0, 10.0, -20.0, 15.0]) if some.robot.tip else None

    def law(s: State) -> np.ndarray:
        nonlocal estimate
        tau = pid(s.k, s.h, s.q, s.qd)
        p = s.M @ s.qd
        estimate = p if estimate is None else estimate
        r = gain * (p - estimate)
        residuals.append(r)
        estimate = estimate + s.h * (tau + s.coriolis.T @ s.qd - s.gravity + r)
        return tau

    more = {} if f_tip is None else {"f_tip": f_tip}
    ours = rolled(some, control.momentum_observer(control.pid), given, "residual", K_observer=gain, **more)
    assert_same(ours, by_hand(some, law, given.q, given.qd, steps=STEPS, f_tip=f_tip))
    assert not ours.residual[0].any()
    error = np.abs(ours.residual - np.array(residuals)).max()
    scale = np.abs(gain * np.einsum("kij,kj->ki", some.robot.mass_matrix(ours.q), ours.qd)).max()
    assert error < 1e-12 * scale  # r is a difference of momenta of that size


def test_residual_tends_to_the_force_from_outside(ur5: Case) -> None:
    """And is, on the way there, tau_ext through a filter of first order; without a wrench it is no more than Euler's
    error, which falls with the step.
    """
    given, robot, f_tip = Setting(ur5), ur5.robot, np.array([1.0, -2.0, 3.0, 10.0, -20.0, 15.0])
    loop = armdyn.ClosedLoop(robot, control.momentum_observer(control.pd_gravity), record=["q", "residual"])
    aim = {"q_ref": given.q, "qd_ref": np.zeros(6), "Kp": given.Kp, "Kd": given.Kd, "K_observer": np.full(6, 25.0)}
    rows = loop(given.q, given.qd, steps=8000, f_tip=f_tip, **aim).rows
    tau_ext = -robot.tip_forces(rows.q, f_tip)
    np.testing.assert_allclose(rows.residual[-1], tau_ext[-1], rtol=1e-8, atol=1e-8)

    errors = []
    for h in (1e-3, 5e-4):
        rows = loop(given.q, given.qd, steps=int(0.2 / h), h=h, f_tip=f_tip, **aim).rows
        filtered, force = np.zeros(6), -robot.tip_forces(rows.q, f_tip)
        for k in range(len(force)):
            filtered = filtered + h * 25.0 * (force[k] - filtered)
        errors.append(np.abs(rows.residual[-1] - filtered).max())
    assert errors[0] < 0.05 * np.abs(tau_ext).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.2)


def test_residual_has_what_holds_joints_that_stick(ur5: Case) -> None:
    """The friction that holds them, which only the equations of the whole motion give."""
    dry = ur5.robot.with_friction(dict.fromkeys(ur5.robot.joint_names, (0.5, 6.0)))
    q, pull = Setting(ur5).q, np.linspace(-5.0, 5.0, 6)  # N m, below breakaway
    loop = armdyn.ClosedLoop(
        dry,
        control.momentum_observer(control.pd_gravity),
        method=armdyn.simulation.RungeKutta4(1e-3),
        record=["residual", "qd"],
    )
    hold = {"q_ref": q + pull / 50.0, "qd_ref": np.zeros(6), "Kp": np.full(6, 50.0), "Kd": np.zeros(6)}
    rows = loop(q, steps=600, K_observer=np.full(6, 50.0), **hold).rows
    assert (rows.qd == 0.0).all()
    np.testing.assert_allclose(rows.residual[-1], -pull, atol=1e-10)


def test_with_model(ur5: Case) -> None:
    """The arm's own dynamics outside, those of one with a load inside: M~ (...) + h~."""
    given = Setting(ur5)
    believed = ur5.robot.with_payload(armdyn.Inertia(2.0, [0.02, 0.0, 0.1], 0.01 * np.eye(3)))
    Kp, Kd, still = np.full(6, 90.0), np.full(6, 17.0), np.zeros(6)

    def law(s: State) -> np.ndarray:
        return believed.inverse_dynamics(s.q, s.qd, Kp * (given.q_ref[s.k] - s.q) + Kd * (given.qd_ref[s.k] - s.qd))

    controller = control.with_model(control.computed_torque, believed)
    loop = armdyn.ClosedLoop(ur5.robot, controller, over_time=["q_ref", "qd_ref"], record=["q", "qd", "tau"])
    refs = {"q_ref": given.q_ref, "qd_ref": given.qd_ref, "qdd_ref": still}
    ours = loop(given.q, given.qd, steps=STEPS, Kp=Kp, Kd=Kd, **refs).rows
    assert_same(ours, by_hand(ur5, law, given.q, given.qd, steps=STEPS))


def test_models_of_other_arms_are_refused(ur5: Case) -> None:
    with pytest.raises(armdyn.ShapeError, match="the model 'planar_2r' has 2 joints; the arm 'ur5' has 6"):
        rolled(ur5, control.with_model(control.pid, armdyn.load("planar_2r")), Setting(ur5))
    with pytest.raises(SettingError, match="is not a Robot"):
        control.with_model(control.pid, "ur5")  # type: ignore[arg-type]


def test_around_each_other(ur5: Case) -> None:
    """An observer of what a delayed, limited PID gives that sees encoders, at a third of the loop's rate."""
    given, pid, T, r = Setting(ur5), HandPID(Setting(ur5)), 2e-3, 1e-4
    limits, waiting = np.linspace(5.0, 1.0, 6), [np.zeros(6)]
    last, v, held = None, np.zeros(6), np.zeros(6)

    def law(s: State) -> np.ndarray:
        nonlocal last, v, held
        if s.k % 3 == 0:
            q = np.floor(s.q / r + 0.5) * r
            v, last = (T * v + (0.0 if last is None else q - last)) / (T + 3 * s.h), q
            held = pid(s.k, 3 * s.h, q, v)
        waiting.append(held)
        return np.clip(waiting.pop(0), -limits, limits)

    seen = control.quantised(control.differencing(control.pid, T), r)
    whole = control.saturated(control.delayed(control.sampled(seen, 3), 1), limits, integrals=())
    assert whole.name == "saturated_delayed_sampled_quantised_differencing_pid"
    assert_same(rolled(ur5, whole, given), by_hand(ur5, law, given.q, given.qd, steps=STEPS))


def test_twice_the_same_around(ur5: Case) -> None:
    given = Setting(ur5)
    twice = control.delayed(control.delayed(control.pid, 1), 2)
    assert {"delayed_tau", "delayed_tau_2"} <= {a.name for a in twice.arguments}
    np.testing.assert_array_equal(
        rolled(ur5, twice, given).tau, rolled(ur5, control.delayed(control.pid, 3), given).tau
    )
    np.testing.assert_array_equal(
        rolled(ur5, control.sampled(control.pid, 1), given).tau, rolled(ur5, control.pid, given).tau
    )
    slow = rolled(ur5, control.sampled(control.sampled(control.pid, 2), 3), given)
    np.testing.assert_array_equal(slow.tau, rolled(ur5, control.sampled(control.pid, 6), given).tau)


def test_signals_are_held_too(ur5: Case) -> None:
    watched = control.sampled(control.momentum_observer(control.pid), 5)
    residual = rolled(ur5, watched, Setting(ur5), "residual", K_observer=np.full(6, 20.0)).residual
    np.testing.assert_array_equal(residual, np.repeat(residual[::5], 5, axis=0))
    assert (residual[5] != residual[0]).all()


@pytest.mark.slow
def test_gradients_go_through(ur5: Case) -> None:
    """By the gains, of a limited, delayed and sampled controller, against differences."""

    @armdyn.function("(n)->()")
    def miss(model: Any, q: Any) -> Any:
        return q @ q

    given = Setting(ur5)
    whole = control.saturated(control.delayed(control.sampled(control.pid, 2), 1), 20.0, integrals=())
    loop = armdyn.ClosedLoop(ur5.robot, whole, over_time=["q_ref", "qd_ref"])
    inputs = given.inputs
    found = loop.gradient(miss, ["Kp"], given.q, given.qd, steps=STEPS, **inputs)
    step = 1e-4 * given.Kp[1]
    ends = []
    for sign in (1, -1):
        Kp = given.Kp.copy()
        Kp[1] += sign * step
        q = loop(given.q, given.qd, steps=STEPS, **{**inputs, "Kp": Kp}).final.q
        ends.append(q @ q)
    assert found.d_Kp[1] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5)


AROUND = [
    control.saturated(control.pid, 10.0),
    control.sampled(control.pid, every=2),
    control.delayed(control.pid, steps=2),
    control.quantised(control.pid, 1e-3),
    control.noisy(control.pid),
    control.differencing(control.pid, 1e-3),
    control.momentum_observer(control.pid),
    control.with_options(control.operational_space, components="position"),
    control.with_model(control.computed_torque, armdyn.load("ur5")),
    control.delayed(control.saturated(control.computed_torque, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 1),
]


@pytest.mark.parametrize("controller", AROUND, ids=lambda c: c.name)
def test_pickled(controller: armdyn.Function) -> None:
    again = pickle.loads(pickle.dumps(controller))  # noqa: S301
    assert again.name == controller.name
    assert again.arguments == controller.arguments
    assert again.outputs == controller.outputs
    assert dict(again.options) == dict(controller.options)
    robot = armdyn.load("ur5")
    given = [a for a in controller.arguments if not a.optional]
    compiled = [robot.compile(one).program() for one in (controller, again)]
    assert compiled[0].digest == compiled[1].digest
    assert len(compiled[0].inputs) == len(given)


def test_documentation_and_options_are_seen() -> None:
    late = control.delayed(control.operational_space, 2)
    assert "2 steps before" in late.__doc__
    assert "Khatib" in late.__doc__
    assert set(late.options) == {"frame", "components", "damping"}
    at = control.with_options(late, components="position")
    tau = armdyn.load("ur5").compile(at)(
        np.ones(6),
        np.zeros(6),
        T_ref=np.eye(4),
        Kp=np.ones(3),
        Kd=np.ones(3),
        delayed_tau=np.arange(12.0).reshape(2, 6),
    )
    np.testing.assert_array_equal(tau.tau, np.arange(6.0))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: control.saturated(control.pid, -1.0), SettingError, "limits=-1.0; expected a number above zero"),
        (lambda: control.saturated(control.pid, integrals=["sum"]), armdyn.UnknownName, "no state 'sum' in pid"),
        (lambda: control.sampled(control.pid, every=0), SettingError, "every is 0"),
        (lambda: control.delayed(control.pid, steps=1.5), SettingError, "steps is 1.5"),
        (lambda: control.quantised(control.pid, 0.0), SettingError, "resolution=0.0"),
        (lambda: control.differencing(control.pid, -1.0), SettingError, "time_constant"),
        (lambda: control.delayed(np.sin, 1), armdyn.TraceError, "not a declared function"),
        (
            lambda: control.differencing(control.differencing(control.pid)),
            armdyn.TraceError,
            r"differencing_pid does not take qd, so differencing\(\) would change nothing",
        ),
    ],
)
def test_settings_without_sense_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_limits_of_another_robot_are_refused(ur5: Case) -> None:
    for controller in (control.saturated(control.pid, [1.0, 2.0]), control.quantised(control.pid, [1e-3, 1e-3])):
        with pytest.raises(armdyn.ShapeError, match="has 2 values; expected one for each of the 6 joints"):
            rolled(ur5, controller, Setting(ur5))


def test_a_robot_without_limits_is_not_saturated_by_default() -> None:
    robot = armdyn.load("planar_2r")
    still = np.zeros(2)
    with pytest.raises(SettingError, match="'planar_2r' has no effort limits"):
        armdyn.ClosedLoop(robot, control.saturated(control.pd_gravity))(
            still, steps=1, q_ref=still, qd_ref=still, Kp=still, Kd=still
        )


def test_batches_are_single_arms(ur5: Case) -> None:
    """Gains, states and references of each arm of a batch, and signals without names."""

    @armdyn.function("(n),(n),()->(n),(n),()")
    def pull(model: Any, q: Any, qd: Any, stiffness: Any) -> Any:
        return -stiffness * q - qd, q - qd, q @ q

    whole = control.momentum_observer(control.saturated(control.delayed(control.sampled(pull, 2), 1), 15.0))
    loop = armdyn.ClosedLoop(ur5.robot, whole, record=["q", "signal_1", "signal_2", "residual"])
    given = Setting(ur5)
    q0 = given.q + np.linspace(-0.2, 0.2, 5)[:, None]
    stiffness, gain = np.linspace(5.0, 20.0, 5), np.linspace(10.0, 30.0, 6)
    together = loop(q0, given.qd, steps=50, stiffness=stiffness, K_observer=gain).rows
    assert together.signal_2.shape == (50, 5)
    for k in range(5):
        alone = loop(q0[k], given.qd, steps=50, stiffness=stiffness[k], K_observer=gain).rows
        for name in together._fields:
            np.testing.assert_allclose(getattr(together, name)[:, k], getattr(alone, name), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(together.signal_2[::2], (together.q[::2] ** 2).sum(axis=-1), rtol=1e-12)


def test_sensors_stand_inside_motors() -> None:
    """Around them, what is told changes the motors' back-EMF, and so the motion; inside, of voltages, nothing."""
    drive = Actuator(Motor(1.4e-5, torque_constant=0.03, resistance=0.3), Gear(100.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})

    @armdyn.function("(n),(n),(n)->(n)")
    def volts(model: Any, q: Any, qd: Any, u: Any) -> Any:
        return u

    def end(controller: Any) -> Any:
        return armdyn.ClosedLoop(arm, controller)([0.0, 0.0], steps=200, u=[12.0, 6.0]).final.q

    def seen(c: Any) -> Any:
        return control.differencing(c, time_constant=0.05)

    def driven(c: Any) -> Any:
        return control.through_motors(c, command="voltage")

    np.testing.assert_array_equal(end(driven(seen(volts))), end(driven(volts)))
    assert abs(end(seen(driven(volts))) - end(driven(volts))).max() > 1e-2
