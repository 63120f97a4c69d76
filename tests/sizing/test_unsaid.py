"""What a sizing is told too little of: cycles that do not close, pushes that no drive makes, sheets with gaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, MotorLimits, Spring, Thermal
from armdyn.base.errors import DTypeError, ModelError, ShapeError, UnknownName, Unsupported
from armdyn.logs.joint_tables import read_cycle
from armdyn.simulation import Stops
from armdyn.sizing import Catalogue, CatalogueGear, MotionCycle, joint_loads, size

POINT = armdyn.Inertia.point
BEAM = armdyn.Robot.from_links(
    [
        armdyn.Part(
            "beam",
            "base",
            axis=(0, -1, 0),
            inertia=POINT(2.0, [0.5, 0, 0]),
            limits=armdyn.Limits(lower=-0.5, upper=1.0),
        )
    ]
)
JOINT = "joint_of_beam"


def swing(arm: armdyn.Robot, amplitudes: Any, times: Any = 1.0) -> MotionCycle:
    """Sines that close, of so many turns in two seconds."""
    t = np.linspace(0.0, 2.0, 401)[:, None]
    A, w = np.asarray(amplitudes, float), np.pi * np.asarray(times, float)
    return MotionCycle(t[:, 0], A * (1 - np.cos(w * t)), A * w * np.sin(w * t), A * w**2 * np.cos(w * t))


def holding(arm: armdyn.Robot) -> MotionCycle:
    rest = np.zeros((1, arm.dof))
    return MotionCycle.of_phases([1.0], rest, rest, rest)


def test_what_stops_push_is_no_load_of_a_drive() -> None:
    motion = armdyn.simulate(BEAM, [0.0], duration=2.0, torque=[-50.0], elements=[Stops(restitution=0.0)])
    with pytest.raises(Unsupported, match="stop_force of the trajectory push the arm"):
        MotionCycle.of_trajectory(motion)
    free = armdyn.simulate(BEAM, [0.0], duration=0.05, elements=[Stops(restitution=0.0)])
    assert len(MotionCycle.of_trajectory(free).t) == len(free.t)


def test_currents_are_those_of_warm_magnets() -> None:
    """I = tau/(k_t (1 + beta theta_h)), theta_w = (R_wh + R_ha) P, P = I^2 R (1 + alpha theta_w), theta_h = R_ha P."""
    alpha, beta, R, k_t = 0.00393, -0.002, 0.8, 0.05
    thermal = Thermal(2.0, 20.0, 8.0, 100.0, winding_limit=155.0, resistance_coefficient=alpha, magnet_coefficient=beta)
    tau, current = 2.0 * 9.81 * 0.5 / 100.0, 2.0
    for _ in range(200):
        winding = 10.0 * current**2 * R / (1.0 - 10.0 * current**2 * R * alpha)
        current = tau / (k_t * (1.0 + beta * 0.8 * winding))
    limits = {"enough": current * 1.0001, "short": current * 0.9999}
    motors = {
        name: Motor(
            torque_constant=k_t, resistance=R, mass=1.0, thermal=thermal,
            limits=MotorLimits(current=limit, continuous_current=limit),
        )
        for name, limit in limits.items()
    }  # fmt: skip
    assert min(limits.values()) > tau / k_t  # cold, both would do
    found = size(BEAM, holding(BEAM), Catalogue(motors, {"g": CatalogueGear(100.0, 1.0)})).joints[JOINT]
    assert found.best is not None
    assert found.best.motor == "enough"
    assert [why.partition(" is ")[0] for why in found.why("short", "g")] == [
        "peak current",
        "root mean square current",
    ]
    np.testing.assert_allclose(found.history(found.best).rms_current, current, rtol=1e-9)


def test_gaps_of_a_sheet_are_notes() -> None:
    toy = Motor.from_data_sheet(torque_constant="30 mNm/A", terminal_resistance="0.3 ohm", mass="20 g")
    found = size(BEAM, swing(BEAM, [0.5]), Catalogue({"toy": toy}, {"g": CatalogueGear(20.0, 0.1)}))
    heating, numbers = found.notes
    assert heating.startswith(
        "heating of motor 'toy' is not judged: its sheet has neither nominal_current nor a thermal"
    )
    assert numbers.startswith("motor 'toy' has no rotor_inertia and no nominal_voltage")
    joint = found.joints[JOINT]
    assert joint.best is not None
    assert np.isnan(joint.history(joint.best).winding).all()
    armdyn.plots.draw_sizing(found)


def test_cycles_that_do_not_close_are_notes() -> None:
    t = np.linspace(0.0, 1.0, 101)[:, None]
    faster = MotionCycle(t[:, 0], 0.05 * t**2, 0.1 * t, 0.1 + 0 * t)
    for task in (faster, faster.then_hold(1.0)):
        jump, away = size(BEAM, task, carry_masses=False).notes
        assert jump.startswith(f"the velocity of {JOINT} jumps where the task ends")
        assert away.startswith(f"{JOINT} ends elsewhere than it begins")
    there = np.cos(np.pi * t)
    one_way = MotionCycle(t[:, 0], 0.1 - 0.1 * there, 0.1 * np.pi * np.sin(np.pi * t), 0.1 * np.pi**2 * there)
    (away,) = size(BEAM, one_way.then_hold(0.5), carry_masses=False).notes
    assert away.startswith(f"{JOINT} ends elsewhere")
    assert size(BEAM, swing(BEAM, [0.2]).then_hold(0.5), carry_masses=False).notes == ()


def test_joints_that_stand_still_in_a_csv_are_at_rest(tmp_path: Path) -> None:
    """Without columns of velocities the spline through the positions swings by rounding, with any sign."""
    t = np.linspace(0.0, 10.0, 1001)
    s = [np.clip(t - begin, 0.0, 1.0) for begin in (0.0, 9.0)]
    q = 0.5 * (10 * s[0] ** 3 - 15 * s[0] ** 4 + 6 * s[0] ** 5) - 0.5 * (
        10 * s[1] ** 3 - 15 * s[1] ** 4 + 6 * s[1] ** 5
    )
    path = tmp_path / "rest.csv"
    np.savetxt(path, np.c_[t, q], delimiter=",", header=f"t,q_{JOINT}", comments="")
    times, positions, *rates = read_cycle(path, BEAM)
    rest = (t > 1.1) & (t < 8.9)
    for rate in rates:
        assert (rate[rest] == 0.0).all()
        assert np.abs(rate).max() > 0.5
    joint = size(BEAM, MotionCycle(times, positions, *rates), voltage=48.0, carry_masses=False).joints[JOINT]
    assert joint.best is not None
    torque = joint.history(joint.best).torque[rest]
    _, gear = joint.parts(joint.best)
    np.testing.assert_allclose(torque, BEAM.gravity_forces([0.5])[0] / gear.ratio, rtol=1e-9)


def test_others_carry_the_drives_that_there_are() -> None:
    """One joint is too fast for any drive; the choice of the first one carries that of the second."""
    part = armdyn.Part
    arm = armdyn.Robot.from_links(
        [
            part("l1", "base", axis=(0, 0, 1), inertia=POINT(1.0, [1, 0, 0])),
            part("l2", "l1", axis=(0, 0, 1), xyz=[1, 0, 0], inertia=POINT(1.0, [1, 0, 0])),
            part("l3", "l2", axis=(0, 0, 1), xyz=[1, 0, 0], inertia=POINT(1e-4, [1e-4, 0, 0])),
        ],
        gravity=(0, -9.81, 0),
    )
    task = swing(arm, [0.5, 0.5, 60.0], [1, 1, 8])
    found = size(arm, task, voltage=48.0)
    assert [choice is None for choice in found.best.values()] == [False, False, True]
    assert not found.settled
    fast = found.joints["joint_of_l3"]
    for asked in (fast.parts, fast.history, fast.matching_ratio):
        with pytest.raises(ModelError, match=r"choice is None; no drive for 'joint_of_l3' among 200 pairs"):
            asked(fast.best)
    assert found.notes[1] == "the others are judged without the mass of a drive of joint_of_l3"
    second = found.best["joint_of_l2"]
    assert second is not None
    loaded = arm.with_payload(POINT(second.mass, [1, 0, 0]), "l1")
    alone = size(loaded, task, voltage=48.0, joints=["joint_of_l1"], carry_masses=False)
    assert alone.best["joint_of_l1"] == found.best["joint_of_l1"]


def test_names_of_the_joints_are_the_robots() -> None:
    arm = armdyn.load("planar_2r")
    base = swing(arm, [0.5, 0.1])
    task = MotionCycle(base.t, base.q, base.qd, base.qdd, joint_names=["joint_2", "joint_1"])
    with pytest.raises(ShapeError, match="joint_names of the task are joint_2, joint_1; expected those of 'planar_2r'"):
        joint_loads(arm, task)


def test_all_friction_springs_and_brakes_stay() -> None:
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=Coulomb(1.0))})
    arm = arm.with_friction({"joint_1": (0.5, 2.0)})
    task = swing(arm, [0.5, 0.5])
    load = joint_loads(arm, task)["joint_1"]
    moving = np.abs(task.qd[:, 0]) > 1e-9
    expected = arm.friction_forces(task.q, task.qd)[moving, 0]
    np.testing.assert_allclose(load.friction_torque[moving], expected, atol=1e-12)
    drive = Actuator(Motor(rotor_inertia=1e-5), Gear(100.0), spring=Spring(9000.0), brake=Brake(3.0))
    flexible = armdyn.load("planar_2r").with_friction({"joint_1": (0.2, 0.3)}).with_actuators({"joint_1": drive})
    joint = size(flexible, task, voltage=48.0).robot_with_drives().model.joint("joint_1")
    driven = joint.actuator
    assert isinstance(driven, Actuator)
    assert (joint.damping, joint.friction, driven.friction) == (0.2, 0.3, ())  # at the link, not the rotor
    assert (driven.spring, driven.brake) == (drive.spring, drive.brake)


def test_ratios_with_units_and_connections(tmp_path: Path) -> None:
    gears, motors = tmp_path / "g.csv", tmp_path / "m.csv"
    gears.write_text("name,ratio [1],mass [kg],source\na,100,1,here\nb,204687 / 2057,1,\nc,50:1,1,\n")
    motors.write_text(
        "name,torque_constant [mNm/A],phase_resistance [ohm],connection,mass [kg],source\na,30,0.6,star,1,there\n"
    )
    found = Catalogue.read(motors, gears)
    assert {name: gear.ratio for name, gear in found.gears.items()} == {"a": 100.0, "b": 204687 / 2057, "c": 50.0}
    assert found.motors["a"].resistance == 1.2
    assert found.sources["a"] == "motor: there; gear: here"


@pytest.mark.parametrize(
    ("call", "kind", "named"),
    [
        (lambda: MotionCycle([0.0, 1.0], *(np.zeros((2, 0)),) * 3), ShapeError, "has no columns"),
        (lambda: size(BEAM, holding(BEAM), leads=0.01), DTypeError, "leads are 0.01; expected a mapping"),
        (lambda: size(BEAM, holding(BEAM), mounts="tip"), DTypeError, "mounts are 'tip'; expected a mapping"),
        (lambda: size(BEAM, holding(BEAM), joints=[], mounts={JOINT: "nowhere"}), UnknownName, "'nowhere'"),
        (lambda: Thermal(2.0, 20.0, magnet_coefficient=0.002), ModelError, "expected none above zero"),
    ],
)
def test_complaints(call: Any, kind: type[Exception], named: str) -> None:
    with pytest.raises(kind, match=named):
        call()


def test_the_sign_of_rounding_counts_as_rest() -> None:
    """Where a joint turns round, the velocity's rounding decides about neither friction nor the gear's loss."""
    task = swing(BEAM, [0.5])
    loads = []
    for sign in (1.0, -1.0):
        qd = task.qd + sign * 1e-13
        loads.append(
            joint_loads(BEAM.with_friction({JOINT: (0.0, 3.0)}), MotionCycle(task.t, task.q, qd, task.qdd))[JOINT]
        )
    np.testing.assert_allclose(loads[0].features, loads[1].features, rtol=1e-9, atol=1e-9)
    turning = np.abs(task.qd[:, 0]) < 1e-9
    assert turning.sum() >= 3
    assert (loads[0].friction_torque[turning] == 0.0).all()


def test_positions_with_few_digits_are_no_rest(tmp_path: Path) -> None:
    """A slow joint whose rows are alike moves all the same."""
    t = np.arange(0.0, 4.0005, 1e-3)
    path = tmp_path / "slow.csv"
    rows = [f"{a:.3f},{b:.3f}" for a, b in zip(t, 0.05 * np.sin(0.5 * np.pi * t), strict=True)]
    path.write_text("\n".join([f"t,q_{JOINT}", *rows]) + "\n")
    assert (read_cycle(path, BEAM).qd == 0.0).mean() < 0.001
