"""FMUs of closed loops and controllers, simulated by fmpy, beside armdyn's own loops."""

from dataclasses import dataclass

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Spring, Supply
from armdyn.base.errors import UnknownName
from armdyn.simulation import StepWarning
from fmi.instances import instance, written

ROBOT = armdyn.load("rp")
AIM = {"q_ref": [0.5, 0.4], "Kp": [80.0, 200.0], "Kd": [12.0, 30.0]}


def test_closed_loop_with_an_integral() -> None:
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pid, record=["q", "tau", "integral"], parameters=["gravity"])
    start = {"q": [0.1, 0.5], "gravity": [0.5, -9.0, 1.0], **AIM, "Ki": [10.0, 20.0]}
    path = written(loop.to_fmu(start=start), "loop")
    assert validate_fmu(str(path)) == []
    given = {name: value for name, value in start.items() if name != "q"}
    rolled = loop([0.1, 0.5], steps=200, every=10, qd_ref=np.zeros(2), **given)
    found = simulate_fmu(str(path), stop_time=0.2, output_interval=0.01)
    for name in ("q", "tau", "integral"):
        expected = getattr(rolled.rows, name)
        np.testing.assert_allclose(found[name][:-1], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["qd"][-1], rolled.final.qd, rtol=1e-12, atol=1e-12)


def test_references_over_time() -> None:
    """Inputs of a loop are continuous variables: fmpy's table of inputs drives arrays of no other kind."""
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity, over_time=["q_ref"])
    gains = {name: AIM[name] for name in ("Kp", "Kd")}
    path = written(loop.to_fmu(start={"q": [0.1, 0.5], **gains}), "followed")
    t = 1e-3 * np.arange(101)
    q_ref = np.array([0.1, 0.5]) + np.column_stack([0.3 * np.sin(5 * t), 0.1 * (1 - np.cos(4 * t))])
    rolled = loop([0.1, 0.5], steps=100, q_ref=q_ref[:-1], qd_ref=np.zeros(2), **gains)
    table = np.array([*zip(t, q_ref, strict=True)], dtype=[("time", float), ("q_ref", float, (2,))])
    found = simulate_fmu(str(path), input=table, stop_time=0.1, output_interval=1e-3)
    np.testing.assert_allclose(found["q"][-1], rolled.final.q, rtol=1e-12)
    assert abs(found["q"][-1] - [0.1, 0.5]).max() > 1e-2


def test_a_step_that_is_too_long_for_its_gains() -> None:
    """Held for a step, damping multiplies the velocity of a wheel by 1 - h Kd / I, which is -1.5 at Kd = 2.5."""
    body = armdyn.Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 1e-3]))
    wheel = armdyn.Robot.from_links([armdyn.Part("rim", "base", joint="hub", axis=(0, 0, 1), inertia=body)])
    loop = armdyn.ClosedLoop(wheel, armdyn.control.pd_gravity)
    loop.to_fmu(start={"Kp": [0.0], "Kd": [1.99]})
    with pytest.warns(
        StepWarning, match=r"each step of 0\.001 s multiplies a deviation by 1\.5, and steps of 0\.0005 s do not"
    ):
        loop.to_fmu(start={"Kp": [0.0], "Kd": [2.5]})
    loop.to_fmu(start={"Kp": [-5.0], "Kd": [0.1]})  # runs away with any step: not a matter of steps


def test_closed_loop_through_motors() -> None:
    """The current of a motor and the voltage that the bus has lost are states of the loop; they begin at zero."""
    limits = MotorLimits(voltage=24.0, current=20.0)
    motor = Motor(1e-5, torque_constant=0.03, resistance=0.3, inductance=8e-4, limits=limits)
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(motor, Gear(100.0))})
    supply = Supply(24.0, resistance=0.2, capacitance=5e-3)
    law = armdyn.control.through_motors(armdyn.control.pd_gravity, supply=supply)
    loop = armdyn.ClosedLoop(robot, law, record=["current", "tau", "bus_sag"])
    start = {"q_ref": [0.5, 0.4], "Kp": [300.0, 50.0], "Kd": [40.0, 8.0]}
    path = written(loop.to_fmu(start=start), "motors")
    assert validate_fmu(str(path)) == []
    rolled = loop([0.0, 0.0], steps=100, every=10, qd_ref=np.zeros(2), **start)
    found = simulate_fmu(str(path), stop_time=0.1, output_interval=0.01)
    np.testing.assert_allclose(found["current"][:-1], rolled.rows.current, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found["tau"][:-1], rolled.rows.tau, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found["bus_sag"][:-1], rolled.rows.bus_sag, rtol=1e-10, atol=1e-10)
    assert abs(found["current"]).max() > 1.0
    assert found["bus_sag"].max() > 1.0


def test_loop_without_controller() -> None:
    """Joint forces are inputs, and there is no output besides the states."""
    loop = armdyn.ClosedLoop(ROBOT, energy=True)
    path = written(loop.to_fmu(start={"q": [0.1, 0.5], "tau": [1.0, 2.0]}), "given")
    assert validate_fmu(str(path)) == []
    rolled = loop([0.1, 0.5], steps=50, tau=[1.0, 2.0])
    found = simulate_fmu(str(path), stop_time=0.05, output_interval=0.01)
    np.testing.assert_allclose(found["q"][-1], rolled.final.q, rtol=1e-12)
    np.testing.assert_allclose(found["work"][-1], rolled.final.work, rtol=1e-12)


@pytest.mark.slow
def test_loop_with_flexible_joints() -> None:
    """Rotors begin where the links are."""
    spring = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=500.0, damping=1.0))
    robot = ROBOT.with_actuators({ROBOT.joint_names[0]: spring})
    method = armdyn.simulation.RungeKutta4(step=2e-4)
    loop = armdyn.ClosedLoop(robot, armdyn.control.motor_pd_gravity, method=method)
    start = {"q": [0.1, 0.5], "qd": [0.3, -0.2], **AIM}
    fmu = loop.to_fmu(start=start)
    starts = {place.name: place.start for place in fmu.code.layout.places}
    assert starts["theta"] == (0.1, 0.5)
    assert starts["thetad"] == (0.3, -0.2)
    given = {name: value for name, value in start.items() if name not in ("q", "qd")}
    rolled = loop([0.1, 0.5], [0.3, -0.2], steps=100, **given)
    found = simulate_fmu(str(written(fmu, "flexible_loop")), stop_time=0.02, output_interval=0.01)
    for name in ("q", "qd", "theta", "thetad"):
        np.testing.assert_allclose(found[name][-1], getattr(rolled.final, name), rtol=1e-11, atol=1e-12)


@pytest.mark.slow
def test_the_time_of_a_controller() -> None:
    @armdyn.function("(n),(n),()->(n)")
    def swing(model: object, q: np.ndarray, qd: np.ndarray, t: float) -> np.ndarray:
        """Joint forces of a swing, N m, shape (..., n)."""
        return 3.0 * np.sin(5.0 * t) - 0.1 * qd - q

    loop = armdyn.ClosedLoop(ROBOT, swing, record=["tau"])
    path = written(loop.to_fmu(), "swing")
    assert validate_fmu(str(path)) == []
    rolled = loop([0.0, 0.0], steps=100, every=10, t0=0.5)
    found = simulate_fmu(str(path), start_time=0.5, stop_time=0.6, output_interval=0.01)
    np.testing.assert_allclose(found["tau"][:-1], rolled.rows.tau, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_controller_alone() -> None:
    """Joint forces follow the inputs at once; the integral moves with the steps."""
    fmu = armdyn.fmi.controller_fmu(
        ROBOT, armdyn.control.computed_torque, step=2e-3, optional_inputs=["Ki"], parameters=["gravity"],
        start={"Kp": [100.0, 100.0], "Kd": [20.0, 20.0], "Ki": [30.0, 40.0]},
    )  # fmt: skip
    path = written(fmu, "computed_torque")
    assert validate_fmu(str(path)) == []
    rng = np.random.default_rng(2)
    motion = {name: rng.uniform(-1, 1, 2) for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref")}
    gravity = np.array([1.0, -8.0, 2.0])
    with instance(path) as one:
        one.begin(**motion, gravity=gravity)
        integral = np.zeros(2)
        for k in range(3):
            np.testing.assert_allclose(one.get("integral"), integral, rtol=1e-13, atol=1e-15)
            e = motion["q_ref"] - motion["q"]
            qdd = motion["qdd_ref"] + 20.0 * (motion["qd_ref"] - motion["qd"]) + 100.0 * e + [30.0, 40.0] * integral
            tau = ROBOT.with_gravity(gravity).inverse_dynamics(motion["q"], motion["qd"], qdd)
            np.testing.assert_allclose(one.get("tau"), tau, rtol=1e-11)
            seed = rng.standard_normal(2)
            rate = one.directional("tau", ["qdd_ref"], [seed])
            np.testing.assert_allclose(rate, ROBOT.mass_matrix(motion["q"]) @ seed, rtol=1e-11)
            one.step(0.004 * k, 0.004)
            integral = integral + 0.004 * e
            motion["q"] = motion["q"] + 0.1
            one.set("q", motion["q"])


def test_a_controller_without_state() -> None:
    fmu = armdyn.fmi.controller_fmu(ROBOT, armdyn.control.pd_gravity, step=1e-3, start={"Kp": [2.0, 3.0]})
    path = written(fmu, "pd")
    assert validate_fmu(str(path)) == []
    with instance(path) as one:
        one.begin(q_ref=[1.0, 1.0])
        one.step(0.0, 5e-3)
        np.testing.assert_allclose(one.get("tau"), np.add(ROBOT.gravity_forces([0, 0]), [2.0, 3.0]), rtol=1e-12)


@pytest.mark.slow
def test_steps_of_other_lengths_are_refused() -> None:
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity)
    with instance(written(loop.to_fmu(), "odd")) as one:
        one.begin()
        status, said = one.refused(one.step, 0.0, 1.5e-3)
        assert status == 3
        assert said == "the communicationStepSize is 0.0015 s; expected a multiple of the step, 0.001 s"
        one.step(0.0, 2e-3)


def test_bad_input() -> None:
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity)
    with pytest.raises(UnknownName, match="no input 'K_p' in rp_pd_gravity"):
        loop.to_fmu(tunable=["K_p"])
    with pytest.raises(UnknownName, match=r"no state, input or parameter 'Ki' in start="):
        loop.to_fmu(start={"Ki": [1, 1]})
    with pytest.raises(armdyn.TraceError, match="not a declared function"):
        armdyn.fmi.controller_fmu(ROBOT, lambda q: q, step=1e-3)
    with pytest.raises(armdyn.ArmdynError, match="step is 0"):
        armdyn.fmi.controller_fmu(ROBOT, armdyn.control.pid, step=0)


def test_one_number_serves_all_joints_of_a_gain() -> None:
    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity)
    numbers, vectors = (loop.to_fmu(start={"Kp": x, "Kd": y}) for x, y in ((9.0, 2), ([9.0] * 2, [2.0] * 2)))
    starts = [{place.name: place.start for place in fmu.code.layout.places} for fmu in (numbers, vectors)]
    assert starts[0] == starts[1]
    assert starts[0]["Kp"] == (9.0, 9.0)
    matrix = armdyn.ClosedLoop(ROBOT, armdyn.control.with_gains(armdyn.control.pd_gravity, Kp="matrix"))
    coupled = matrix.to_fmu(start={"Kp": [[9.0, 1.0], [1.0, 9.0]], "Kd": 2.0})
    assert {place.name: place.start for place in coupled.code.layout.places}["Kp"] == (9.0, 1.0, 1.0, 9.0)
    with pytest.raises(armdyn.ShapeError, match="q_ref has shape"):
        loop.to_fmu(start={"q_ref": 1.0})


def test_loop_with_states_of_an_element() -> None:
    """They begin with the element's start."""

    @dataclass(frozen=True)
    class Relaxing(armdyn.simulation.ElementWithState):
        def states(self) -> dict[str, str]:
            return {"force": "N m"}

        def start(self) -> list[float]:
            return [3.0]

        def rates(self, model: object, q: np.ndarray, qd: np.ndarray, z: np.ndarray, tau: np.ndarray) -> np.ndarray:
            return np.array([-20.0 * qd[0] - 5.0 * z[0]])

        def force(self, model: object, q: np.ndarray, qd: np.ndarray, z: np.ndarray) -> np.ndarray:
            return np.array([z[0], 0.0])

    loop = armdyn.ClosedLoop(ROBOT, armdyn.control.pd_gravity, elements=[Relaxing()])
    fmu = loop.to_fmu(start={"q": [0.1, 0.5], **AIM})
    assert {place.name: place.start for place in fmu.code.layout.places}["element_states"] == (3.0,)
    rolled = loop([0.1, 0.5], steps=50, **AIM)
    found = simulate_fmu(str(written(fmu, "relaxing_loop")), stop_time=0.05, output_interval=0.01)
    for name in ("q", "qd", "element_states"):
        np.testing.assert_allclose(np.ravel(found[name][-1]), getattr(rolled.final, name), rtol=1e-11, atol=1e-12)
