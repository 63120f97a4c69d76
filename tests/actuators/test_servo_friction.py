"""BAM's laws of general numbers: the equation that each is, with all signs of its two sizes; slopes; operations."""

import dataclasses

import numpy as np
import pytest
from mpmath import mp, mpf

import armdyn
from armdyn.actuators import Actuator, ServoFriction, Smooth, published
from armdyn.program import Port, trace
from oracles import bam

mp.dps = 50
EPS = 2.0**-53
FIRST = {"coulomb": 0.21, "viscous": 0.13, "stribeck": 0.4, "speed": 0.8, "exponent": 1.3} | {
    "motor": 0.31,
    "external": 0.12,
}
QUADRATIC = {"motor_quadratic": 0.03, "external_quadratic": 0.02}
LAWS = {
    "first turns first": ServoFriction(**FIRST, motor_stribeck=0.11, external_stribeck=0.43),
    "second turns first": ServoFriction(**FIRST, motor_stribeck=0.52, external_stribeck=0.09),
    "both together": ServoFriction(**FIRST | {"motor": 0.24}, motor_stribeck=0.5, external_stribeck=0.25),
    "one size": ServoFriction(**FIRST),
    "one size at rest": ServoFriction(coulomb=0.2, speed=0.7, motor_stribeck=0.3, external_stribeck=0.5),
    "first of the load alone": ServoFriction(**FIRST | {"motor": 0.0}, motor_stribeck=0.4, external_stribeck=0.1),
    "second of the load alone": ServoFriction(**FIRST, external_stribeck=0.3),
    "both of the load alone": ServoFriction(**FIRST | {"motor": 0.0}, external_stribeck=0.3),
    "of the motor alone": ServoFriction(**FIRST | {"external": 0.0}, motor_stribeck=0.3),
    "little of the motor": ServoFriction(**FIRST | {"motor": 1e-3}, motor_stribeck=1e-15, external_stribeck=0.3),
    "hardly of the motor": ServoFriction(**FIRST | {"motor": 1e-19}, motor_stribeck=1e-200, external_stribeck=0.3),
    "without dry friction": ServoFriction(motor=0.3, external=0.1, motor_stribeck=0.2, external_stribeck=0.4),
}
LAWS |= {f"{name}, quadratic": dataclasses.replace(law, **QUADRATIC) for name, law in LAWS.items()}
LAWS |= {name: dataclasses.replace(LAWS["first turns first"], **{name: number}) for name, number in QUADRATIC.items()}


def excess(law, force, rate, load):
    """The size of the force less that which BAM's law has at the torques that it brings about."""
    numbers = {field.name: getattr(law, field.name) for field in dataclasses.fields(law)}
    return abs(force) - bam.budget("M6", numbers, rate, load + force, -load)


def states(seed, count=60):
    """Rates and loads of both signs, over some orders of magnitude."""
    rng = np.random.default_rng(seed)
    rates, loads = rng.normal(size=(2, count))
    return rates * 10.0 ** rng.uniform(-2.0, 0.5, count), loads * 10.0 ** rng.uniform(-4.0, 2.0, count)


@pytest.mark.parametrize("name", LAWS)
def test_the_force_solves_its_equation(name):
    """What is left of the equation is some roundings of its torques; it grows with F, at least by 1 - k1 - k2."""
    law = LAWS[name]
    for rate, load in zip(*states(11), strict=True):
        force = float(law.force(rate, load))
        assert force * rate >= 0.0
        assert abs(excess(law, mpf(force), mpf(rate), mpf(load))) <= 12 * EPS * (abs(load) + abs(force))


@pytest.mark.parametrize("name", LAWS)
def test_slopes_are_those_of_the_equation(name):
    """By the implicit function theorem, with differences in 50 digits."""
    law, h = LAWS[name], mpf(10) ** -20
    for rate, load in zip(*states(12, 20), strict=True):
        at = [mpf(float(law.force(rate, load))), mpf(rate), mpf(load)]
        by_force, by_rate, by_load = (
            excess(law, *(x + h * (i == k) for i, x in enumerate(at)))
            - excess(law, *(x - h * (i == k) for i, x in enumerate(at)))
            for k in range(3)
        )
        found = [float(slope) for slope in law.slopes(rate, load)]
        expected = [float(-by_rate / by_force), float(-by_load / by_force)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14 * abs(load))


@pytest.mark.parametrize(("name", "expected"), [("first turns first", 3), ("second turns first", 3), ("one size", 2)])
def test_these_states_have_all_signs(name, expected):
    """As many pairs of signs as the law has straight lines; each law has the same ones where it is quadratic."""
    law = LAWS[name]
    signs = set()
    for rate, load in zip(*states(11), strict=True):
        along, speed = np.sign(rate) * load, abs(rate)
        t = along + float(law.magnitude(speed, along))
        first = law.motor * t + law.external * along
        signs.add((first > 0, law.motor_stribeck * t + law.external_stribeck * along > 0))
    assert len(signs) == law.lines == expected


@pytest.mark.parametrize("name", LAWS)
def test_at_rest_and_without_load(name):
    law = LAWS[name]
    assert float(law.force(0.0, 3.0)) == 0.0
    by_rate, by_load = (float(slope) for slope in law.slopes(0.0, 3.0))
    level = dataclasses.replace(law, speed=1e12)  # the part that falls with the speed does not; else the same at rest
    sides = [(float(level.force(s * 2e-3, 3.0)) - float(level.force(s * 1e-3, 3.0))) / (s * 1e-3) for s in (1, -1)]
    assert by_rate == pytest.approx(sum(sides) / 2, rel=1e-3, abs=1e-10)
    assert by_load == 0.0
    force = float(law.force(0.3, 0.0))
    assert abs(excess(law, mpf(force), mpf(0.3), mpf(0))) <= 12 * EPS * force
    assert np.isfinite([float(slope) for slope in law.slopes(0.3, 0.0)]).all()
    assert float(law.magnitude_at_rest(0.0)) == pytest.approx(float(law.force(1e-300, 0.0)), rel=1e-14)


def test_m2_begins_to_slip_and_is_made_smooth_with_its_stribeck_curve() -> None:
    """At speed v what falls is down to 1/e; smooth forms and the loops' slipping joints ask for the size alone."""
    law = ServoFriction(coulomb=0.2, viscous=0.1, stribeck=0.3, speed=0.5, exponent=1.5)
    expected = 0.2 + 0.1 * 0.5 + 0.3 / np.e
    assert float(law.magnitude(0.5, 0.0)) == pytest.approx(expected, rel=1e-15)
    assert float(law.sliding(-1.0, 0.5, 0.0)) == pytest.approx(-expected, rel=1e-15)
    assert float(Smooth(law, width=1e-6).force(-0.5, 0.0)) == pytest.approx(-expected, rel=1e-15)


@pytest.mark.parametrize(("law", "operations"), [("M3", 8), ("M4", 18), ("M5", 18), ("M6", 27)])
def test_operations_a_joint(law, operations):
    """Multiplications, additions, divisions and roots; M6 in all joints takes less than 1.6 times the bare UR5's."""
    for name in ("ur5", "puma560"):
        bare = armdyn.load(name).without_friction()
        friction = Actuator(friction=published.servo("MX-106", law).friction)
        robot = bare.with_actuators(dict.fromkeys(bare.joint_names, friction))
        counts = robot.program(armdyn.algorithms.inverse_dynamics).op_counts
        without = bare.program(armdyn.algorithms.inverse_dynamics).op_counts.arithmetic
        assert counts.arithmetic + counts.square_roots == without + 6 * operations
        assert without + 6 * operations <= 1.6 * without


@pytest.mark.parametrize(("law", "fewer"), [("M4", 0), ("M5", 1), ("M6", 1)])
def test_force_and_slope_by_the_load_take_fewer_operations_than_by_the_chain_rule(law, fewer):
    """As many with M4, whose two lines are given by their slopes."""
    (friction,) = published.servo("MX-106", law).friction

    def operations(slopes):
        def both(rate, load):
            return np.array([friction.force(rate, load), slopes(rate, load).by_load])

        return trace(both, [Port("rate", ()), Port("load", ())]).op_counts.arithmetic

    assert operations(friction.slopes) + fewer <= operations(super(ServoFriction, friction).slopes)
