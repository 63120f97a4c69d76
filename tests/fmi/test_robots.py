"""FMUs of robots: validated, simulated and differentiated by fmpy, beside armdyn's own functions."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, Motor, MotorLimits, Smooth, Spring
from armdyn.fmi.steps import jacobian, longest_step
from armdyn.simulation import FrictionWarning, RungeKutta4, StepWarning
from fmi.instances import arm, instance, state_of, written
from oracles.robot_data import ROBOTS
from oracles.short_run import short_run

ARMS = short_run(["ur5", "scara"], "scara")
PAYLOAD = {"mass": 1.5, "com": np.array([0.1, -0.2, 0.05])}


def with_payload(robot: armdyn.Robot, gravity: np.ndarray) -> armdyn.Robot:
    load = armdyn.Inertia(PAYLOAD["mass"], PAYLOAD["com"], np.zeros((3, 3)))
    return robot.with_payload(load).with_gravity(gravity)


@pytest.mark.parametrize("name", ARMS)
def test_is_valid(name: str) -> None:
    assert validate_fmu(str(arm(name)[2])) == []


def test_numbers_as_variables() -> None:
    """For importers without arrays: each number by its index, its joint and its unit, with the same values."""
    robot, whole, path = arm("scara")
    fmu = robot.to_fmu(optional_inputs=["f_tip"], start=state_of(robot), arrays=False)
    single = written(fmu, "numbers")
    assert validate_fmu(str(single)) == []
    assert "<Dimension" not in fmu.description
    root = ElementTree.fromstring(fmu.description)
    about = {v.attrib["name"]: v.attrib for v in root.iter("Float64")}
    assert [name for name in about if "qd[" in name] == [f"qd[{k}]" for k in range(1, 5)]
    assert (about["q[3]"]["unit"], about["q[4]"]["unit"]) == ("m", "rad")
    assert about["q[3]"]["description"] == f"positions of the joints: {robot.joint_names[2]}"
    assert (about["f_tip[1]"]["unit"], about["f_tip[6]"]["unit"], about["tip_pose[1,4]"]["unit"]) == ("N.m", "N", "m")
    assert about["der(q[2])"]["derivative"] == about["q[2]"]["valueReference"]
    for kind in ("CoSimulation", "ModelExchange"):
        moved, expected = (
            simulate_fmu(str(p), fmi_type=kind, stop_time=0.05, output_interval=0.01) for p in (single, path)
        )
        for place in whole.code.layout.places:
            if not place.is_output:
                continue
            for k, index in enumerate(np.ndindex(place.shape)):
                number = f"{place.name}[{','.join(str(i + 1) for i in index)}]" if index else place.name
                np.testing.assert_array_equal(moved[number], expected[place.name].reshape(len(expected), -1)[:, k])
    s = state_of(robot)
    by_q = robot.with_gravity(s["gravity"]).forward_dynamics.derivative("q")(s["q"], s["qd"], s["tau"], s["f_tip"])
    with instance(single) as one:
        one.begin()
        for k in range(robot.dof):
            column = [float(one.directional(f"qdd[{i + 1}]", [f"q[{k + 1}]"], [1.0])) for i in range(robot.dof)]
            np.testing.assert_allclose(column, by_q[:, k], rtol=0, atol=1e-12 * abs(by_q).max())
        assert len(one.dependencies(one.reference("tip_pose[1,4]"))) > 0


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_inputs_over_time(kind: str) -> None:
    """fmpy's table of inputs moves the arm as armdyn's torque over time does: held in steps, or integrated by fmpy."""
    robot, _, path = arm("scara")
    s, h, steps = state_of(robot), 1e-3, 100
    t = h * np.arange(steps + 1)
    tau = s["tau"] * np.cos(20.0 * t)[:, None]
    table = np.array([*zip(t, tau, strict=True)], dtype=[("time", float), ("tau", float, (robot.dof,))])
    free = robot.with_gravity(s["gravity"])
    found = simulate_fmu(
        str(path), fmi_type=kind, input=table, stop_time=steps * h, output_interval=h, step_size=h, solver="Euler",
        start_values={"f_tip": np.zeros(6)},
    )  # fmt: skip
    q, qd = s["q"], s["qd"]
    for k in range(steps):  # Runge-Kutta 4 with torques held, and the explicit method of Euler
        if kind == "CoSimulation":
            moved = armdyn.simulate(free, q, qd, duration=h, torque=tau[k], method=RungeKutta4(step=h))
            q, qd = moved.q[-1], moved.qd[-1]
        else:
            q, qd = q + h * qd, qd + h * free.forward_dynamics(q, qd, tau[k])
    np.testing.assert_allclose(found["q"][-1], q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found["qd"][-1], qd, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["a<b> & 'c\"", "with\x01control", "机器人", "../fmu", "double"])
def test_names(name: str) -> None:
    """Every name gives a description that can be read, and a name of files."""
    fmu = armdyn.load("planar_2r").to_fmu(name=name, derivatives=False)
    assert ElementTree.fromstring(fmu.description).attrib["modelName"] == name.replace("\x01", "\ufffd")
    assert re.fullmatch(r"[A-Za-z]\w*", fmu.code.name, re.ASCII)


@pytest.mark.short_run("CoSimulation-scara")
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_moves_as_simulate(name: str, kind: str) -> None:
    robot, _, path = arm(name)
    s = state_of(robot)
    method = RungeKutta4(step=1e-3) if kind == "CoSimulation" else "adaptive"
    moved = armdyn.simulate(
        robot.with_gravity(s["gravity"]), s["q"], s["qd"], duration=0.2, torque=s["tau"],
        f_tip=s["f_tip"], method=method,
    )  # fmt: skip
    found = simulate_fmu(str(path), fmi_type=kind, stop_time=0.2, output_interval=1e-3, relative_tolerance=1e-9)
    tolerance = 1e-11 if kind == "CoSimulation" else 1e-5  # fmpy's own solver, CVode, with its error
    for name_of, exact in (("q", moved.q[-1]), ("qd", moved.qd[-1])):
        np.testing.assert_allclose(found[name_of][-1], exact, rtol=0, atol=tolerance * max(abs(exact).max(), 1.0))


@pytest.mark.parametrize("name", ARMS)
def test_outputs_and_parameters(name: str) -> None:
    robot, _, path = arm(name)
    s = state_of(robot)
    loaded = with_payload(robot, s["gravity"])
    tip = f"{robot.tip}.payload"
    with instance(path, "ModelExchange") as one:
        one.set(f"{tip}.mass", PAYLOAD["mass"])
        one.set(f"{tip}.com", PAYLOAD["com"])
        one.begin()
        qdd = loaded.forward_dynamics(s["q"], s["qd"], s["tau"], s["f_tip"])
        np.testing.assert_allclose(one.get("qdd"), qdd, rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(one.get("der(q)"), s["qd"])
        np.testing.assert_allclose(one.get("tip_pose"), robot.forward_kinematics(s["q"]), atol=1e-13)
        twist = robot.jacobian(s["q"], expressed_in="world") @ s["qd"]
        np.testing.assert_allclose(one.get("tip_twist"), twist, atol=1e-12)
        np.testing.assert_allclose(one.get("kinetic_energy"), loaded.kinetic_energy(s["q"], s["qd"]), rtol=1e-12)
        np.testing.assert_allclose(one.get("potential_energy"), loaded.potential_energy(s["q"]), rtol=1e-12)


@pytest.mark.short_run("ModelExchange-scara")
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_derivatives(name: str, kind: str) -> None:
    """Along all knowns at once, and back, beside the compiled products of forward dynamics alone."""
    robot, _, path = arm(name)
    s, rng = state_of(robot), np.random.default_rng(1)
    mass = f"{robot.tip}.payload.mass"
    dynamics = robot.compile(armdyn.algorithms.forward_dynamics, parameters=["gravity", mass])
    knowns = ["q", "qd", "tau", "f_tip", "gravity", mass]
    values = {mass.replace(".", "_"): 0.0, **s}
    seeds = [rng.standard_normal(np.shape(values[k.replace(".", "_")])) for k in knowns]
    tangents = {f"tangent_{k.replace('.', '_')}": v for k, v in zip(knowns, seeds, strict=True)}
    weights = rng.standard_normal(robot.dof)
    with instance(path, kind) as one:
        one.begin()
        along = dynamics.jvp(*knowns)(**values, **tangents)
        scale = abs(along).max()
        np.testing.assert_allclose(one.directional("qdd", knowns, seeds), along, rtol=0, atol=1e-12 * scale)
        back = dynamics.vjp(*knowns)(**values, cotangent_out=weights)
        for k, expected in zip(knowns, back, strict=True):
            found = one.adjoint(["qdd"], [weights], k)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * max(abs(expected).max(), 1.0))
        pose = robot.forward_kinematics.jvp("q")(s["q"], tangent_q=seeds[0])
        np.testing.assert_allclose(one.directional("tip_pose", ["q"], seeds[:1]), pose, atol=1e-13)
        np.testing.assert_array_equal(one.directional("q", ["q"], seeds[:1]), seeds[0])
        np.testing.assert_array_equal(one.directional("der(q)", ["qd"], seeds[1:2]), seeds[1])
        energy = robot.with_gravity(s["gravity"]).potential_energy.derivative("q")(s["q"])
        found = one.adjoint(["potential_energy", "q"], [2.0, np.ones(robot.dof)], "q")
        np.testing.assert_allclose(found, 2.0 * energy + 1.0, rtol=1e-12, atol=1e-12)


def test_dependencies_are_those_of_the_derivatives() -> None:
    """What has a derivative at a general state is listed, and hardly anything else, for sums that cancel."""
    robot, fmu, path = arm("scara")
    knowns = [p for p in fmu.code.layout.places if p.is_known and p.variable.port]
    cancelled = total = 0
    with instance(path) as one:
        one.begin(**{f"{robot.tip}__payload__mass": 0.7, f"{robot.tip}__payload__com": [0.1, 0.2, 0.3]})
        for unknown in [p for p in fmu.code.layout.places if not p.is_known]:
            listed = np.zeros((unknown.size, fmu.code.layout.knowns), dtype=bool)
            for element, reference, of_known, _ in one.dependencies(unknown.reference):
                listed[element - 1, fmu.code.layout.places[reference].first + of_known - 1] = True
            for known in knowns:
                for k in range(known.size):
                    seed = np.eye(known.size)[k]
                    found = one.directional(unknown.name, [known.name], [seed]).ravel()
                    depends, said = abs(found) > 1e-14, listed[:, known.first + k]
                    assert not (depends & ~said).any(), (unknown.name, known.name)
                    cancelled, total = cancelled + int((said & ~depends).sum()), total + int(said.sum())
    assert 0 <= cancelled < 0.03 * total


def test_other_inputs_and_parameters() -> None:
    robot, rng = armdyn.load("rp"), np.random.default_rng(3)
    first, second = robot.joint_names
    parameters = [f"{first}.armature", f"{second}.damping", f"{second}.friction", f"{robot.link_names[1]}.inertia"]
    fmu = robot.to_fmu(optional_inputs=["f_ext", "base_twist", "base_twist_rate"], parameters=parameters)
    path = written(fmu, "others")
    assert validate_fmu(str(path)) == []
    dynamics = robot.compile(armdyn.algorithms.forward_dynamics, parameters=parameters)
    with instance(path) as one:
        names = [name for name, v in one.variables.items() if v.causality in ("input", "parameter") and name != "step"]
        assert len(names) == 8
        values = {name: rng.uniform(0.2, 1.0, one.shape(name)) for name in ("q", "qd", *names)}
        for name, value in values.items():
            one.set(name, value)
        one.begin()
        expected = dynamics(**{name.replace(".", "_"): value for name, value in values.items()})
        np.testing.assert_allclose(one.get("qdd"), expected, rtol=1e-11)


def test_flexible_joints() -> None:
    spring = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=500.0, damping=1.0))
    robot = armdyn.load("rp").with_actuators({armdyn.load("rp").joint_names[0]: spring})
    path = written(robot.to_fmu(start={"q": [0.3, 0.6]}, step=1e-4), "flexible")
    assert validate_fmu(str(path)) == []
    moved = armdyn.simulate(robot, [0.3, 0.6], duration=0.1, method=RungeKutta4(step=1e-4))
    found = simulate_fmu(str(path), stop_time=0.1, output_interval=0.01)
    np.testing.assert_allclose(found["q"][-1], moved.q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["theta"][-1], moved.signals["theta"][-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("inductance", [8e-4, 0.0])
def test_motors_at_given_voltages(inductance: float) -> None:
    """The power that voltages give becomes energy of motion, of position, of the coils, and heat."""
    limits = MotorLimits(voltage=24.0)
    motor = Motor(1e-5, torque_constant=0.03, resistance=0.5, inductance=inductance, limits=limits)
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(motor, Gear(50.0))})
    fmu = robot.to_fmu(command="voltage", start={"q": [0.3, 0.2], "voltage": [15.0], "tau": [1.0, 0.0]}, step=1e-4)
    path = written(fmu, f"driven_{inductance}")
    assert validate_fmu(str(path)) == []
    found = simulate_fmu(str(path), stop_time=0.2, output_interval=1e-4)
    current, qd, q = found["current"].reshape(-1), found["qd"], found["q"]
    energy = found["kinetic_energy"] + found["potential_energy"] + 0.5 * inductance * current**2
    power = 15.0 * current - 0.5 * current**2
    integral = np.concatenate([[0.0], np.cumsum(5e-5 * (power[1:] + power[:-1]))])
    worked = integral + 1.0 * (q[:, 0] - q[0, 0])
    assert np.ptp(energy) > 1.0
    assert abs(energy - energy[0] - worked).max() < 1e-3 * np.ptp(energy)
    speed = 50.0 * qd[-1, 1]
    if not inductance:
        np.testing.assert_allclose(current[-1], (15.0 - 0.03 * speed) / 0.5, rtol=1e-12)
    with instance(path, "ModelExchange") as one:
        one.begin()
        if inductance:
            w = 50.0 * one.get("qd")[1]
            expected = (15.0 - 0.03 * w - 0.5 * one.get("current")) / inductance
            np.testing.assert_allclose(one.get("der(current)"), expected, rtol=1e-14)
        one.set("voltage", [100.0])  # within the limit, 24 V
        limited = one.get("der(current)") * inductance if inductance else one.get("current") * 0.5
        np.testing.assert_allclose(limited, 24.0, rtol=1e-13)


def wheel() -> armdyn.Robot:
    body = armdyn.Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 1e-3]))
    return armdyn.Robot.from_links(
        [armdyn.Part("rim", "base", joint="hub", axis=(0, 0, 1), inertia=body)], name="wheel"
    )


def test_a_step_that_is_too_long_for_viscous_friction() -> None:
    """A wheel slows down as exp(-d t / I), 5,000 1/s; a step of Runge-Kutta 4 turns it round from 2.7853 I / d on."""
    damped = {"parameters": ["hub.damping"], "start": {"hub.damping": 5.0, "qd": [1.0]}}
    limit = 2.785293563405282 / 5000.0
    said = r"qd of joint 'hub' changes with 5000 1/s, .* by 13\.71\. Use step=0\.0004, for beyond 0\.000557 s it grows"
    with pytest.warns(StepWarning, match=said):
        long = wheel().to_fmu(**damped)
    assert abs(longest_step(np.array([-5000.0]), 1e-3) / limit - 1.0) < 3e-4
    wheel().to_fmu(**damped, step=limit)  # and says nothing
    for factor in (0.999, 1.001):
        with instance(written(long, "wheel")) as one:
            one.begin(step=factor * limit)
            for k in range(2000):
                one.step(factor * limit * k, factor * limit)
            speed = abs(one.get("qd")[0])
            assert speed > 2.0 if factor > 1.0 else speed < 0.5


@pytest.mark.slow
def test_inputs_are_held_between_communication_points() -> None:
    """The documentation's table: a wheel under a growing torque lacks h/T of its velocity, with CVode some more."""
    path = str(written(wheel().to_fmu(), "held"))
    t = np.linspace(0.0, 1.0, 1001)
    table = np.array([*zip(t, 1e-3 * t[:, None], strict=True)], dtype=[("time", float), ("tau", float, (1,))])
    errors = {}
    for kind in ("CoSimulation", "ModelExchange"):
        options = {"fmi_type": kind, "input": table, "stop_time": 1.0, "relative_tolerance": 1e-10}
        moved = [simulate_fmu(path, output_interval=h, **options)["qd"][-1, 0] for h in (0.1, 1 / 24, 0.01, 1e-3)]
        errors[kind] = 100.0 * (np.array(moved) / 0.5 - 1.0)
    np.testing.assert_allclose(errors["CoSimulation"], [-10.0, -100 / 24, -1.0, -0.1], rtol=1e-6)
    np.testing.assert_allclose(errors["ModelExchange"], [-11.0, -6.2, -1.5, -0.15], rtol=0.05)
    steps = [simulate_fmu(path, stop_time=T)["time"][1] for T in (5.0, 20.0)]
    np.testing.assert_allclose(steps, [8e-3, 32e-3])


def test_the_fastest_motions_are_those_of_friction_over_inertia() -> None:
    """The UR10 with 2.5 N m s/rad in each joint: the eigenvalues of M^-1 D by Pinocchio; its wrist is the fastest."""
    path = ROBOTS / "ur_description/urdf/ur10_robot.urdf"
    robot = armdyn.load(path)
    names = [f"{name}.damping" for name in robot.joint_names]
    start = {**dict.fromkeys(names, 2.5), "gravity": np.zeros(3), "q": robot.random_configuration(3)}
    with pytest.warns(StepWarning, match=r"the step of 0\.001 s is too long .* qd of joint 'wrist_3_joint'"):
        fmu = robot.to_fmu(parameters=[*names, "gravity"], start=start)
    model = pin.buildModelFromUrdf(str(path))
    model.armature[:] = 0.0
    M = pin.crba(model, model.createData(), start["q"])
    expected = -np.sort(np.linalg.eigvals(np.linalg.inv(np.triu(M) + np.triu(M, 1).T) * 2.5).real)
    values = np.linalg.eigvals(
        jacobian(fmu.system, {p.variable.port: np.reshape(p.start, p.shape) for p in fmu.code.layout.places if p.start})
    )
    np.testing.assert_allclose(np.sort(values.real)[:6], np.sort(expected), rtol=1e-9)
    assert np.abs(values).min() < 1e-6 * np.abs(expected).max()
    assert 1e-3 * expected.min() < -2.79


def test_steps_that_are_too_long_for_currents_and_springs() -> None:
    """The current of a coil follows with R / L; a rotor vibrates behind its spring."""
    motor = Motor(1e-5, torque_constant=0.03, resistance=0.5, inductance=1e-4)
    driven = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(motor, Gear(50.0))})
    with pytest.warns(StepWarning, match=r"current\[1\] changes with 49\d\d 1/s"):
        driven.to_fmu(command="voltage")
    spring = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=5e5))
    flexible = armdyn.load("rp").with_actuators({"joint_1": spring})
    frequency = flexible.vibration_modes([0.0, 0.5]).frequencies.max()
    with pytest.warns(StepWarning, match=r"thetad of joint 'joint_1'"):
        flexible.to_fmu(start={"q": [0.0, 0.5]}, step=3.0 / frequency)
    flexible.to_fmu(start={"q": [0.0, 0.5]}, step=1.0 / frequency)


@pytest.mark.parametrize(
    ("actuator", "said"),
    [
        (
            Actuator(friction=Coulomb(2.0)),
            r"joints with dry friction do not stick in it, .*about rest: joint_2\. Joints",
        ),
        (
            Actuator(Motor(), Gear(10.0, efficiency=0.7)),
            r"joint_2; so do gear losses and friction of the load: joint_2",
        ),
        (
            Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(stiffness=500.0, backlash=0.01)),
            r"reach the ends of the play of joints with backlash without an event: joint_2",
        ),
    ],
    ids=["dry", "loss", "play"],
)
def test_what_an_fmu_has_not_is_told(actuator: Actuator, said: str) -> None:
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": actuator})
    with pytest.warns(FrictionWarning, match=said):
        fmu = robot.to_fmu(step=1e-4)
    assert re.search(said, " ".join(fmu.system.about), re.IGNORECASE)
    armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=Smooth(Coulomb(2.0), 0.05))}).to_fmu(
        step=1e-4
    )


@pytest.mark.slow
def test_the_same_fmu_is_the_same_file(tmp_path: Path) -> None:
    robot, _, first = arm("scara")
    again = robot.to_fmu(optional_inputs=["f_tip"], start=state_of(robot)).write(tmp_path / "again.fmu")
    assert first.read_bytes() == again.read_bytes()
    other = robot.to_fmu(optional_inputs=["f_tip"])
    assert other.code.token != arm("scara")[1].code.token


def test_folders(tmp_path: Path) -> None:
    fmu = armdyn.load("rp").to_fmu(derivatives=False)
    with pytest.raises(IsADirectoryError, match="is a folder; expected the name of a file"):
        fmu.write(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        fmu.write(tmp_path / "file" / "rp.fmu", compiler="a compiler that is not run")


def test_names_and_trees_without_a_tip() -> None:
    """A name that the sources have themselves; no pose where there is no tip."""
    robot = armdyn.Robot(armdyn.load("rp").model.replace(tip=None))
    fmu = robot.to_fmu(name="model", parameters=[])
    names = [place.name for place in fmu.code.layout.places]
    assert names == ["time", "step", "q", "qd", "tau", "der(q)", "qdd", "kinetic_energy", "potential_energy"]
    path = written(fmu, "model")
    assert validate_fmu(str(path)) == []
    with instance(path) as one:
        one.begin(q=[0.3, 0.7])
        np.testing.assert_allclose(one.get("qdd"), robot.forward_dynamics([0.3, 0.7], [0, 0], [0, 0]), rtol=1e-12)


def test_friction_with_a_state_is_told() -> None:
    """The FMU of a robot has the steady force of LuGre friction; its description names law and joint."""
    law = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=1.5, kinetic=1.0, speed=0.1)
    rubs = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=law)})
    with pytest.warns(FrictionWarning, match="LuGre of 'joint_1'.* counts with its force at a steady velocity"):
        told = " ".join(rubs.to_fmu().system.about)
    assert "LuGre of 'joint_1') counts with its force at a steady velocity" in told
    assert "steady" not in " ".join(armdyn.load("planar_2r").to_fmu().system.about)
