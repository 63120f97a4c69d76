"""Friction laws against closed forms in 50 digits, and their derivatives against differences there."""

import csv
from importlib import resources

import numpy as np
import pytest
from mpmath import exp, mp, mpf, sign, sqrt, tanh

import armdyn
from armdyn import DTypeError, ModelError, ShapeError, UnknownName
from armdyn.actuators import (
    Actuator,
    BoucWen,
    Coulomb,
    DirectionDependent,
    Gear,
    GearLoss,
    LuGre,
    MaxwellSlip,
    Motor,
    Quadratic,
    ServoFriction,
    Sigmoid,
    Smooth,
    StaticKinetic,
    Stribeck,
    Viscous,
    published,
)
from oracles import bam
from oracles.short_run import each_once

mp.dps = 50
RATES = (-2.3, -0.31, -0.017, 0.004, 0.11, 1.9)
LOADS = (-31.0, -1.7, -0.02, 0.4, 5.3)


def gear_loss(eta, back):
    return lambda v, load: sign(v) * (abs(load) * (1 / mpf(eta) - 1) if load * v > 0 else abs(load) * (1 - mpf(back)))


def stribeck(s, k, speed, a):
    return lambda v, load: sign(v) * (mpf(k) + (mpf(s) - mpf(k)) * exp(-(abs(v / mpf(speed)) ** mpf(a))))


def sigmoid(p1, p2, p3):
    p1, p2, p3 = mpf(p1), mpf(p2), mpf(p3)
    return lambda v, load: p1 / (1 + exp(-p2 * (v + p3))) - p1 / (1 + exp(-p2 * p3))


LAWS = {
    "viscous": (Viscous(0.7), lambda v, load: mpf(0.7) * v),
    "coulomb": (Coulomb(1.3), lambda v, load: mpf(1.3) * sign(v)),
    "static_kinetic": (StaticKinetic(2.0, 1.3), lambda v, load: mpf(1.3) * sign(v)),
    "stribeck": (Stribeck(2.0, 1.3, 0.1), stribeck(2.0, 1.3, 0.1, 2.0)),
    "stribeck_below_1": (Stribeck(2.0, 1.3, 0.1, 0.84), stribeck(2.0, 1.3, 0.1, 0.84)),
    "quadratic": (Quadratic(0.7), lambda v, load: mpf(0.7) * v * abs(v)),
    "cubic": (Quadratic(0.7, cubic=0.4), lambda v, load: mpf(0.7) * v * abs(v) + mpf(0.4) * v**3),
    "sigmoid": (Sigmoid(0.9, 8.1, -0.03), sigmoid(0.9, 8.1, -0.03)),
    "tanh": (Smooth(Coulomb(1.3), 0.05), lambda v, load: mpf(1.3) * tanh(v / mpf(0.05))),
    "root": (Smooth(Coulomb(1.3), 0.05, "root"), lambda v, load: mpf(1.3) * v / sqrt(v * v + mpf(0.05) ** 2)),
    "directions": (
        DirectionDependent(Coulomb(1.3), Stribeck(2.0, 1.3, 0.1)),
        lambda v, load: mpf(1.3) if v > 0 else stribeck(2.0, 1.3, 0.1, 2.0)(v, load),
    ),
    "bouc_wen": (BoucWen(300.0, 1.3), lambda v, load: mpf(1.3) * sign(v)),
    "gear": (GearLoss(0.8, 0.55), gear_loss(0.8, 0.55)),
    "lugre": (
        LuGre(1e3, 20.0, 0.4, 2.0, 1.3, 0.1),
        lambda v, load: stribeck(2.0, 1.3, 0.1, 2.0)(v, load) + mpf(0.4) * v,
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_forces_are_the_closed_forms(name):
    law, closed_form = LAWS[name]
    for rate in RATES:
        for load in LOADS:
            expected = float(closed_form(mpf(rate), mpf(load)))
            np.testing.assert_allclose(float(law.force(rate, load)), expected, rtol=1e-14, atol=1e-15)
            assert float(law.force(rate, load)) * rate >= 0.0  # friction takes energy


@pytest.mark.parametrize("name", LAWS)
def test_slopes_are_differences_in_50_digits(name):
    law, closed_form = LAWS[name]
    h = mpf(10) ** -20
    for rate in RATES:
        for load in LOADS:
            v, at = mpf(rate), mpf(load)
            by_rate = (closed_form(v + h, at) - closed_form(v - h, at)) / (2 * h)
            by_load = (closed_form(v, at + h) - closed_form(v, at - h)) / (2 * h)
            found = [float(slope) for slope in law.slopes(rate, load)]
            np.testing.assert_allclose(found, [float(by_rate), float(by_load)], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", LAWS)
def test_at_rest_there_is_no_friction_and_slopes_are_finite(name):
    law, _ = LAWS[name]
    assert float(law.force(0.0, 3.0)) == 0.0
    assert np.isfinite([float(slope) for slope in law.slopes(0.0, 3.0)]).all()


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (Viscous(0.7), (0.0, 0.0)),
        (Sigmoid(0.9, 8.1, -0.03), (0.0, 0.0)),
        (Smooth(Coulomb(1.3), 0.05), (0.0, 0.0)),
        (Coulomb(1.3), (-1.3, 1.3)),
        (StaticKinetic(2.0, 1.3), (-2.0, 2.0)),
        (Stribeck(2.0, 1.3, 0.1), (-2.0, 2.0)),
        (LuGre(1e3, 20.0, 0.4, 2.0, 1.3, 0.1), (-2.0, 2.0)),
        (DirectionDependent(Coulomb(1.3), Coulomb(0.9)), (-0.9, 1.3)),
        (GearLoss(0.8, 0.5), (-2.0, 1.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_held_at_rest(law, expected):
    """Under a load of 4; the gear's motor gives anything from 0.5 x 4 to 4 / 0.8."""
    np.testing.assert_allclose([float(bound) for bound in law.at_rest(4.0)], expected, rtol=1e-15)
    np.testing.assert_allclose(float(law.breakaway(4.0)), max(-expected[0], expected[1]), rtol=1e-15)


def _servos():
    """The numbers of the laws by servo and law, as they are printed."""
    with (resources.files("armdyn.actuators") / "servos.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = [(row.pop("servo"), row.pop("law"), row.pop("armature")) for row in rows]
    return {
        name[:2]: {key: value for key, value in row.items() if value} for name, row in zip(names, rows, strict=True)
    }


SERVOS = _servos()


@pytest.mark.parametrize(
    ("servo", "law"),
    [
        *each_once(
            dict.fromkeys(servo for servo, _ in SERVOS if servo != "ST3025"), dict.fromkeys(law for _, law in SERVOS)
        ),
        ("ST3025", "M4"),
    ],
)
def test_servos_have_the_friction_of_bam(servo, law):
    (friction,) = published.servo(servo, law).friction
    assert friction.depends_on_load == (law not in ("M1", "M2"))
    rng = np.random.default_rng(1)
    for rate, load in zip(rng.normal(0.0, 1.5, 12), rng.normal(0.0, 6.0, 12), strict=True):
        expected = bam.friction(law, SERVOS[servo, law], rate, load, halvings=60)
        np.testing.assert_allclose(float(friction.force(rate, load)), float(expected), rtol=1e-13)


@pytest.mark.short_run("M4")
@pytest.mark.parametrize("law", ["M4", "M6"])
def test_slopes_of_servos(law):
    row = SERVOS["MX-106", law]
    (friction,) = published.servo("MX-106", law).friction
    h = mpf(10) ** -20
    for rate in (-0.4, 0.7):
        for load in (-7.0, -0.3, 2.0):
            v, at = mpf(rate), mpf(load)
            by_rate = (bam.friction(law, row, v + h, at) - bam.friction(law, row, v - h, at)) / (2 * h)
            by_load = (bam.friction(law, row, v, at + h) - bam.friction(law, row, v, at - h)) / (2 * h)
            found = [float(slope) for slope in friction.slopes(rate, load)]
            np.testing.assert_allclose(found, [float(by_rate), float(by_load)], rtol=1e-12)


def test_smooth_forms_err_by_what_they_say():
    rates = np.linspace(0.001, 2.0, 400)
    for shape, bound in (("tanh", 2.0 * np.exp(-2.0 * rates / 0.1)), ("root", 0.1**2 / (2.0 * rates**2))):
        short = (1.5 - Smooth(Coulomb(1.5), 0.1, shape).force(rates, 0.0)) / 1.5
        assert (short >= 0.0).all()
        assert (short <= bound + 1e-15).all()


def test_gears_bring_their_loss_and_leave_what_else_rubs():
    gear = Gear(100.0, efficiency=0.8, back_efficiency=0.5)
    assert Actuator(gear=gear).losses == (GearLoss(0.8, 0.5),)
    assert Actuator(gear=gear).laws is None
    assert Actuator(gear=gear).without_friction.losses == ()
    assert Gear(100.0, efficiency=0.8).back_efficiency == 0.8
    assert Gear(100.0).loss is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Coulomb(-1.0), r"size of Coulomb is -1\.0; expected a number of at least zero, in N m or N"),
        (lambda: Quadratic(float("nan")), "coefficient of Quadratic is nan"),
        (lambda: StaticKinetic(1.0, 2.0), "static of StaticKinetic is 1, below kinetic, 2; expected at least as much"),
        (lambda: Stribeck(2.0, 1.0, 0.0), "speed of Stribeck is 0.0; expected a number above zero, in rad/s or m/s"),
        (lambda: Stribeck(1.0, 2.0, 0.1), "static of Stribeck is 1, below kinetic"),
        (lambda: Stribeck(2.0, 1.0, 0.1, 0.0), "exponent of Stribeck is 0.0"),
        (lambda: Sigmoid(1.0, 0.0), "steepness of Sigmoid is 0.0"),
        (lambda: LuGre(0.0, 1.0, 0.0, 2.0, 1.0, 0.1), "stiffness of LuGre is 0.0"),
        (lambda: LuGre(1.0, 1.0, 0.0, 1.0, 2.0, 0.1), "static of LuGre is 1, below kinetic"),
        (lambda: Smooth(Coulomb(1.0), 0.0), "width of Smooth is 0.0"),
        (lambda: Smooth(Coulomb(1.0), 0.1, "arc"), "shape of Smooth is 'arc'; expected 'tanh' or 'root'"),
        (lambda: ServoFriction(motor=0.6, motor_stribeck=0.4), "motor and motor_stribeck of ServoFriction are 1"),
        (lambda: ServoFriction(viscous=-0.1), "viscous of ServoFriction is -0.1"),
        (lambda: GearLoss(1.2, 0.5), "efficiency of GearLoss is 1.2; expected a number above zero and at most 1"),
        (lambda: Gear(10.0, efficiency=0.0), "efficiency of Gear is 0.0; expected a number above zero and at most 1"),
        (lambda: Gear(10.0, back_efficiency=-0.5), "back_efficiency of Gear is -0.5: a self-locking gear, .* Brake"),
        (lambda: Gear(10.0, back_efficiency=0.0), "back_efficiency of Gear is 0.0: a self-locking gear, which the"),
        (lambda: GearLoss(0.4, -0.1), "back_efficiency of GearLoss is -0.1: a self-locking gear"),
        (lambda: Gear(10.0, efficiency=1e-310), "efficiency of Gear is 1e-310; expected .* at most 1, and 1/1e-310 is"),
        (lambda: Stribeck(2.0, 1.0, 1e-310), "speed of Stribeck is 1e-310; expected a number above zero, and 1/1e-310"),
        (
            lambda: Actuator(gear=Gear(10.0, efficiency=0.9, back_efficiency=0.4), friction=GearLoss(0.9, 0.4)),
            r"takes 1\.2 of a load that drives the joint \(GearLoss 0\.6, GearLoss 0\.6\); expected less than 1 in all",
        ),
    ],
)  # fmt: skip
def test_numbers_that_no_friction_has(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_two_losses_that_leave_one_load():
    """Below one together: inverse dynamics of the accelerations gives back the torques, in random states."""
    drive = Actuator(Motor(1e-4), Gear(10.0, efficiency=0.9, back_efficiency=0.6), friction=GearLoss(0.9, 0.5))
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    q, qd, tau = np.random.default_rng(4).normal(size=(3, 200, 2))
    qdd = robot.forward_dynamics(q, qd, 20.0 * tau)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), 20.0 * tau, rtol=1e-11, atol=1e-11)


def test_what_is_no_law():
    with pytest.raises(DTypeError, match=r"law of Smooth is .*; expected dry friction such as Coulomb"):
        Smooth(Viscous(1.0), 0.1)
    with pytest.raises(DTypeError, match=r"backwards of DirectionDependent is 2\.0"):
        DirectionDependent(Coulomb(1.0), 2.0)


@pytest.mark.parametrize("law", [LuGre(1e4, 50.0, 0.1, 3.0, 2.0, 0.1), MaxwellSlip([1e3], [1.0]), BoucWen(1e3, 1.0)])
def test_laws_with_a_state_are_in_no_other_law(law):
    name = type(law).__name__
    rest = (
        rf" is {name}\(.*, which has a state of its own.*; expected a law without one.*Give the {name} to the Actuator"
    )
    with pytest.raises(ModelError, match="law of Smooth" + rest):
        Smooth(law, 0.1)
    with pytest.raises(ModelError, match="forwards of DirectionDependent" + rest):
        DirectionDependent(law, Coulomb(1.0))
    with pytest.raises(ModelError, match="backwards of DirectionDependent" + rest):
        DirectionDependent(Coulomb(1.0), law)


def test_published_actuators_say_what_they_do_not_have():
    with pytest.raises(UnknownName, match="MX-107"):
        published.servo("MX-107")
    with pytest.raises(UnknownName, match="M7"):
        published.servo("MX-106", "M7")
    with pytest.raises(ShapeError, match="2 joints are named; expected 7, those of the Panda"):
        published.panda(("a", "b"))


def test_published_friction_of_the_ur10e_is_linear_with_an_offset():
    by_joint = published.ur10e()
    assert by_joint["shoulder_lift_joint"].armature == 3.7434
    for rate in (-0.7, 0.2):
        found = sum(float(law.force(rate, 0.0)) for law in by_joint["shoulder_lift_joint"].friction)
        expected = 20.2209078488147 * rate + 13.2656448586672 * np.sign(rate) - 0.753542068699768
        np.testing.assert_allclose(found, expected, rtol=1e-14)


PASSING = {
    "gear": GearLoss(0.8, 0.55),
    **{f"M{k}": published.servo("MX-106", f"M{k}").friction[0] for k in (3, 4, 5, 6)},
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_to_the_load_is_what_the_slope_leaves(name):
    """Also of a joint that slips in a direction, and of one that is held."""
    law = PASSING[name]
    for rate in RATES:
        for load in LOADS:
            slope, line = float(law.slopes(rate, load).by_load), law.line(rate, load)
            check_line(line, float(law.force(rate, load)), slope, load, 4e-16)
            for direction in (-1.0, 0.0, 1.0):
                at = direction, abs(rate), load
                check_line(law.sliding_line(*at), float(law.sliding(*at)), float(law.sliding_slope(*at)), load, 1e-15)


def check_line(line, force, slope, load, relative):
    """What passes, and what does not, of the joint force that the load and the friction take."""
    assert float(line.gain) == pytest.approx(1.0 / (1.0 + slope), rel=relative)
    passed = float(line.gain) * (load + force) - float(line.offset)
    assert passed == pytest.approx(load, abs=4e-16 * (abs(load) + abs(force)))


@pytest.mark.parametrize("load", [1e2, 1e4, 1e6, -1e6, 1e8])
def test_lines_keep_their_digits_where_friction_is_far_above_the_load(load):
    """Where the motor drives its load and little of its torque passes."""
    law = ServoFriction(coulomb=0.1, motor=0.2, external=0.1, external_quadratic=0.3, motor_quadratic=0.3)
    rate = np.sign(load)
    line = law.line(rate, load)
    passed = float(line.gain) * (load + float(law.force(rate, load))) - float(line.offset)
    assert passed == pytest.approx(load, rel=1e-15)
    assert float(line.gain) < 0.1


@pytest.mark.parametrize("name", PASSING)
def test_pieces_tell_straight_lines_apart(name):
    """Lines of one speed and direction have the same slope where their pieces are the same, and only there."""
    law = PASSING[name]
    for rate in (-0.3, 0.02, 1.5):
        found = {(float(law.slopes(rate, load).by_load), float(law.line(rate, load).piece)) for load in LOADS}
        slopes, pieces = (set(each) for each in zip(*found, strict=True))
        assert len(slopes) == len(pieces) == len(found) > 1


@pytest.mark.parametrize("name", PASSING)
def test_at_rest_friction_is_that_of_the_least_speed(name):
    """In both directions, of loads that push and that pull."""
    law = PASSING[name]
    for load in (*LOADS, 0.0):
        low, high = (float(bound) for bound in law.at_rest(load))
        ends = (float(law.sliding(direction, 0.0, load)) for direction in (-1.0, 1.0))
        assert (low, high) == pytest.approx(tuple(ends), rel=1e-15, abs=0.0)


@pytest.mark.parametrize(
    ("law", "slope"),
    [
        (LuGre(1e4, 10.0, 0.4, static=1.5, kinetic=1.0, speed=0.1), 0.4),
        (ServoFriction(coulomb=1.0, viscous=0.4), 0.4),
        (DirectionDependent(Viscous(2.0), Viscous(0.5)), 1.25),
        (DirectionDependent(Coulomb(2.0), Viscous(0.5)), 0.25),
    ],
)
def test_slopes_at_rest_are_the_means_of_both_sides(law, slope):
    """Without the jump: a viscous part has its slope, and two directions half of each."""
    sides = [(float(law.force(s * 2e-9, 0.0)) - float(law.force(s * 1e-9, 0.0))) / (s * 1e-9) for s in (1, -1)]
    assert sum(sides) / 2 == pytest.approx(slope, rel=1e-5)
    assert float(law.slopes(0.0, 0.0).by_rate) == slope
