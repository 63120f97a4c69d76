"""Every pair against the same quantities computed plainly, sample by sample, and against the robot's own functions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.linalg import expm

import armdyn
from armdyn.actuators import Actuator, Motor
from armdyn.sizing import Catalogue, CatalogueGear, JointLoad, MotionCycle, joint_loads, judging, size
from armdyn.sizing.judging import judge
from armdyn.sizing.pairs import Gears, Motors, Pairs

EXACT = 1e-11
WARM = 1e-8
"""Of temperatures where magnets fade, whose passes end there."""


def mean(task: MotionCycle, values: np.ndarray) -> float:
    """Of trapezoids."""
    return float(trapezoid(values, task.t) / (task.t[-1] - task.t[0]))


def plain_torque(load: JointLoad, motor: Motor, gear: CatalogueGear) -> np.ndarray:
    found = []
    for qd, qdd, link, rub in zip(load.qd, load.qdd, load.link_torque, load.friction_torque, strict=True):
        passed = link / gear.efficiency if link * qd > 0 else link * gear.back_efficiency if link * qd < 0 else link
        w = gear.ratio * qd
        shaft = motor.friction * np.sign(w) + motor.damping * w
        found.append((motor.rotor_inertia + gear.inertia) * gear.ratio * qdd + (passed + rub) / gear.ratio + shaft)
    return np.array(found)


def plain_rises(motor: Motor, torque: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Winding and housing at the samples of the cycle that repeats, by exponentials of 3x3 matrices."""
    th = motor.thermal
    assert th is not None
    Rwh, Rha, Cw, Ch = th.winding_to_housing, th.housing_to_ambient, th.winding_capacity, th.housing_capacity
    rises = np.zeros((len(torque), 2))
    for _ in range(400):
        if th.magnet_coefficient * rises[:, 1].max() < -0.9:
            return np.full((len(torque), 2), np.inf)
        k = motor.k_t * (1 + th.magnet_coefficient * (rises[:, 1] + th.ambient - th.reference))
        I2 = (torque / k) ** 2
        heat, alpha = motor.R * (I2[:-1] + I2[1:]) / 2, th.resistance_coefficient
        A = np.zeros((len(heat), 3, 3))
        A[:, 0, 0] = (heat * alpha - 1 / Rwh) / Cw
        A[:, 0, 1], A[:, 1, 0], A[:, 1, 1] = 1 / (Rwh * Cw), 1 / (Rwh * Ch), -(1 / Rwh + 1 / Rha) / Ch
        A[:, 0, 2] = heat * (1 + alpha * (th.ambient - th.reference)) / Cw
        whole = np.eye(3)
        with np.errstate(over="ignore", invalid="ignore"):
            maps = expm(A * steps[:, None, None])
            for one in maps:
                whole = one @ whole
        if not np.isfinite(whole).all() or np.abs(np.linalg.eigvals(whole[:2, :2])).max() >= 1:
            return np.full((len(torque), 2), np.inf)
        x = np.append(np.linalg.solve(np.eye(2) - whole[:2, :2], whole[:2, 2]), 1.0)
        found = [x[:2]]
        for one in maps:
            x = one @ x
            found.append(x[:2])
        moved = np.abs(np.array(found) - rises).max()
        rises = np.array(found)
        if th.magnet_coefficient == 0.0 or moved < 1e-9:
            break
    return rises


def plain(load: JointLoad, motor: Motor, gear: CatalogueGear, *, warm: bool = True) -> dict[str, tuple[float, float]]:
    """Value and limit by criterion."""
    torque, w, lim = plain_torque(load, motor, gear), gear.ratio * load.qd, motor.limits
    th, k, R = motor.thermal, motor.k_t, motor.R
    if th is not None:
        k *= 1 + th.magnet_coefficient * (th.ambient - th.reference)
        R *= 1 + th.resistance_coefficient * (th.ambient - th.reference)
    I, out = torque / k, load.link_torque + load.friction_torque  # noqa: E741
    rms_torque, rms_out = np.sqrt(mean(load.task, torque**2)), np.sqrt(mean(load.task, out**2))
    fastest, cold = abs(w).max(), abs(k * w + R * I).max()
    found = {
        "speed": (fastest, lim.speed),
        "torque": (abs(torque).max(), lim.torque),
        "rms_torque": (rms_torque, k * lim.continuous_current),
        "current": (abs(I).max(), lim.current),
        "rms_current": (rms_torque / k, lim.continuous_current),
        "voltage": (cold, lim.voltage),
        "gear_torque": (abs(out).max(), min(gear.peak_torque, gear.momentary_torque)),
        "gear_rms_torque": (rms_out, gear.rated_torque),
        "gear_speed": (fastest, gear.maximum_input_speed),
        "gear_mean_speed": (mean(load.task, abs(w)), gear.average_input_speed),
        "inertia_ratio": (load.inertia.max() / (gear.ratio**2 * (motor.rotor_inertia + gear.inertia)), 60.0),
        "winding": (0.0, np.inf),
        "warm_voltage": (cold, lim.voltage),
    }
    passes = all(value <= limit for value, limit in found.values())
    if th is not None and (warm or passes):
        rises = plain_rises(motor, torque, np.diff(load.task.t))
        found["winding"] = (rises[:, 0].max(), th.winding_limit - th.ambient)
        with np.errstate(invalid="ignore"):
            hot_k = motor.k_t * (1 + th.magnet_coefficient * (rises[:, 1] + th.ambient - th.reference))
            hot_R = motor.R * (1 + th.resistance_coefficient * (rises[:, 0] + th.ambient - th.reference))
            found["warm_voltage"] = (abs(hot_k * w + hot_R * torque / hot_k).max(), lim.voltage)
            if passes:
                hot = torque / hot_k
                found["current"] = (max(abs(hot).max(), found["current"][0]), lim.current)
                rms = max(np.sqrt(mean(load.task, hot**2)), found["rms_current"][0])
                found["rms_current"] = (rms, lim.continuous_current)
    return found


@pytest.mark.parametrize("joint", ["shoulder_lift_joint", pytest.param("wrist_2_joint", marks=pytest.mark.slow)])
def test_every_pair_is_judged_as_sample_by_sample(
    arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue, joint: str
) -> None:
    load = joint_loads(arm, task, [joint])[joint]
    motors, gears = catalogue.motors, catalogue.gears
    pairs = Pairs(Motors.of(list(motors.values())), Gears.of(list(gears.values())))
    judged = judge(load, pairs, motors, gears, inertia_ratio=60.0)
    decided, admitted = 0, judged.admitted
    for m, motor in enumerate(motors.values()):
        for g, gear in enumerate(gears.values()):
            warm = m % 4 == 0 and g % 5 == 0  # else the temperatures of pairs that fail otherwise are left out
            expected = plain(load, motor, gear, warm=warm)
            for name, (value, limit) in expected.items():
                own = np.broadcast_to(judged.values[name], judged.shape)[m, g]
                if name == "winding" and limit == np.inf:  # not computed
                    continue
                np.testing.assert_allclose(np.broadcast_to(judged.limits[name], judged.shape)[m, g], limit, rtol=1e-14)
                if name == "winding":
                    assert own <= value * (1 + WARM) + WARM
                    high = judged.winding_at_most[m, g]
                    assert high > limit or value <= high * (1 + WARM) + WARM
                elif name != "warm_voltage":
                    rtol = WARM if "current" in name else EXACT
                    np.testing.assert_allclose(own, value, rtol=rtol, err_msg=name)
            does = all(value <= limit for value, limit in expected.values())
            assert admitted[m, g] == does, (m, g, expected)
            decided += does
    assert 0 < decided < admitted.size  # both answers occur


def test_bounds_decide_most_pairs_and_the_rest_is_computed(
    arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue
) -> None:
    joint = "wrist_2_joint"
    found = size(arm, task, catalogue, joints=[joint], carry_masses=False).joints[joint]
    judged = found.judgement
    bounded = admitted = 0
    for m, g in np.argwhere(judged.admitted):
        motor = list(catalogue.motors.values())[m]
        if motor.thermal is not None:
            bounded += judged.values["winding"][m, g] < judged.winding_at_most[m, g]
            admitted += 1
    assert 0 < bounded < admitted  # magnets that fade are never decided by bounds


def test_histories_are_those_of_the_robot_with_the_drives(
    arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue
) -> None:
    drives = [(motor, gear) for motor in catalogue.motors.values() for gear in catalogue.gears.values()][5::31][
        : arm.dof
    ]
    loads = joint_loads(arm, task)
    driven = arm.with_actuators(
        {
            name: Actuator(motor, gear.gear(), armdyn.sizing.arm_loads.own_friction(arm.model.joint(name)))
            for name, (motor, gear) in zip(arm.joint_names, drives, strict=True)
        }
    )
    torques = driven.motor_torques(task.q, task.qd, task.qdd, task.f_tip)
    for k, (name, (motor, gear)) in enumerate(zip(arm.joint_names, drives, strict=True)):
        motor = dataclasses.replace(motor, thermal=None)  # noqa: PLW2901
        history = armdyn.sizing.history.drive_history(loads[name], motor, gear)
        np.testing.assert_allclose(history.torque, torques[:, k], rtol=1e-11, atol=1e-12 * abs(torques[:, k]).max())
        voltages = motor.voltage(history.current, gear.ratio * task.qd[:, k])
        np.testing.assert_allclose(history.voltage, voltages, rtol=1e-12, atol=1e-12)


def test_loss_is_what_enters_less_what_leaves(arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue) -> None:
    joint = "elbow_joint"
    load = joint_loads(arm, task, [joint])[joint]
    pairs = Pairs(Motors.of(list(catalogue.motors.values())), Gears.of(list(catalogue.gears.values())))
    judged = judge(load, pairs, catalogue.motors, catalogue.gears)
    for m, motor in enumerate(catalogue.motors.values()):
        for g, gear in enumerate(catalogue.gears.values()):
            torque = plain_torque(load, motor, gear)
            cold, w = motor.at(), gear.ratio * load.qd
            electrical = mean(task, cold.electrical_power(torque / cold.k_t, w))
            kinetic = mean(task, (motor.rotor_inertia + gear.inertia) * gear.ratio**2 * load.qd * load.qdd)
            leaves = mean(task, load.output_torque * load.qd) + kinetic
            np.testing.assert_allclose(judged.loss[m, g], electrical - leaves, rtol=1e-9)


def test_only_samples_that_no_other_exceeds_are_kept() -> None:
    rng = np.random.default_rng(7)
    columns = rng.normal(size=(4, 300)).round(1)
    kept = armdyn.sizing.load.undominated(columns)
    assert kept.shape[1] < 150
    for x in rng.uniform(0.0, 1.0, (200, 4)) * rng.integers(0, 2, (200, 4)):
        assert (x @ kept).max() == pytest.approx((x @ columns).max(), rel=1e-15, abs=1e-15)


def test_products_in_parts_are_those_of_the_whole(
    arm: armdyn.Robot, task: MotionCycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    (load,) = joint_loads(arm, task, ["elbow_joint"]).values()
    x = np.random.default_rng(8).uniform(0.0, 1.0, (6, 3, 7))
    values = np.abs(np.einsum("ijk,it->jkt", x, load.features))
    for at_once in (1, 100, 10**6):
        monkeypatch.setattr(judging, "AT_ONCE", at_once)
        np.testing.assert_allclose(judging.peaks(load, x), values.max(axis=-1), rtol=1e-14)
        np.testing.assert_allclose(judging.means_of_squares(load, x), values**2 @ task.weights, rtol=1e-12)


def test_reasons_have_their_numbers(arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue) -> None:
    found = size(arm, task, catalogue, joints=["shoulder_lift_joint"], carry_masses=False)
    joint = found.joints["shoulder_lift_joint"]
    failed = np.argwhere(~joint.judgement.admitted)
    m, g = failed[len(failed) // 2]
    motor, gear = list(catalogue.motors)[m], list(catalogue.gears)[g]
    said, expected = joint.why(motor, gear), plain(joint.load, catalogue.motors[motor], catalogue.gears[gear])
    assert said
    for name, (value, limit) in expected.items():
        if name in ("speed", "current", "gear_torque", "voltage"):
            criterion = armdyn.sizing.CRITERIA[name]
            line = f"{criterion.what} is {value:.4g} {criterion.unit}, limit {limit:.4g}"
            assert (line in said) == (value > limit)
    table = found.columns()
    place = m * len(catalogue.gears) + g
    assert (table["motor"][place], table["gear"][place]) == (motor, gear)
    assert len(table["fails_by"][place].split("; ")) == len(said)
    assert len(found.to_dataframe()) == len(catalogue.motors) * len(catalogue.gears)


def test_pareto_front_is_what_nothing_beats(arm: armdyn.Robot, task: MotionCycle, catalogue: Catalogue) -> None:
    joint = size(arm, task, catalogue, joints=["wrist_1_joint"], carry_masses=False).joints["wrist_1_joint"]
    judged = joint.judgement
    points = [(judged.mass[m, g], judged.loss[m, g]) for m, g in np.argwhere(judged.admitted)]
    beaten = [any(a <= x and b <= y and (a, b) != (x, y) for a, b in points) for x, y in points]
    expected = sorted(point for point, worse in zip(points, beaten, strict=True) if not worse)
    assert [(choice.mass, choice.loss) for choice in joint.pareto] == expected
    assert len(expected) > 1
    assert joint.best == joint.pareto[0]


def test_a_supply_that_is_enough_for_the_cold_winding_alone_is_not_enough(arm: armdyn.Robot, task: MotionCycle) -> None:
    joint, bundled = "elbow_joint", Catalogue.bundled()
    motor = bundled.motors["maxon EC 60 flat 614949"]
    gears = {"gear": CatalogueGear(60.0, 1.0, efficiency=0.9)}
    load = joint_loads(arm, task, [joint])[joint]
    history = armdyn.sizing.history.drive_history(load, motor, gears["gear"])
    cold, warm = (abs(volts).max() for volts in (history.cold_voltage, history.voltage))
    assert warm > 1.005 * cold
    for voltage, reasons in ((0.99 * cold, ["voltage"]), (0.5 * (cold + warm), ["warm_voltage"]), (1.001 * warm, [])):
        limits = dataclasses.replace(motor.limits, voltage=float(voltage), continuous_current=np.inf)
        stock = Catalogue({"motor": dataclasses.replace(motor, limits=limits)}, gears)
        found = size(arm, task, stock, joints=[joint], carry_masses=False).joints[joint]
        assert list(found.reasons) == reasons


@pytest.mark.filterwarnings("error")
def test_a_winding_without_a_limit_that_heats_up_without_end_fails_by_it() -> None:
    """A motor whose sheet has no winding_temperature_limit, in phases that are long beside its time constants."""
    motor = Catalogue.bundled().motors["maxon EC 32 flat 267121"]
    assert motor.thermal is not None
    unlimited = dataclasses.replace(motor, thermal=dataclasses.replace(motor.thermal, winding_limit=np.inf))
    unlimited = dataclasses.replace(unlimited, limits=armdyn.actuators.MotorLimits())
    task = MotionCycle.of_phases([1e4, 1e4], [[0.0, 0.0], [1.0, 0.5]], [[0.0, 0.0], [0.2, 0.1]], np.zeros((2, 2)))
    stock = Catalogue({"motor": unlimited}, {"gear": CatalogueGear(20.0, 0.2)})
    found = size(armdyn.load("planar_2r"), task, stock)
    assert found.joints["joint_1"].reasons == {"winding": 1}
    assert found.joints["joint_1"].why("motor", "gear") == [
        "temperature of the winding above the ambient is inf K, limit inf"
    ]
