"""A DC motor's equations against their closed forms, integrals and optima found by search."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.linalg import expm
from scipy.optimize import minimize_scalar

from armdyn import DTypeError, ModelError
from armdyn.actuators import Actuator, Cogging, Gear, Motor, MotorLimits, Rises, Thermal, Viscous
from armdyn.program import Port, interpret, trace

THERMAL = Thermal.of_time_constants(1.93, 42.8, 4.65, 809.0, ambient=22.0, winding_limit=155.0)
LIMITS = MotorLimits(voltage=24.0, current=20.0, continuous_current=6.0, speed=1250.0)
MOTOR = Motor(
    torque_constant=0.0302,
    resistance=0.299,
    inductance=8.2e-5,
    rotor_inertia=1.42e-5,
    friction=0.0032,
    damping=1.3e-6,
    limits=LIMITS,
    thermal=THERMAL,
)
BARE = MOTOR.without_friction


def test_equations_are_modern_robotics() -> None:
    """tau = k_t I, 8.103, and the speed-torque line with its ends and slope."""
    i, w, rate, V = 3.7, -210.0, 900.0, 19.0
    k, R, L = 0.0302, 0.299, 8.2e-5
    assert MOTOR.torque(i) == k * i
    assert MOTOR.current(k * i) == pytest.approx(i, rel=1e-15)
    assert MOTOR.voltage(i, w, rate) == pytest.approx(k * w + i * R + L * rate, rel=1e-15)
    assert MOTOR.current_rate(i, MOTOR.voltage(i, w, rate), w) == pytest.approx(rate, rel=1e-12)
    assert MOTOR.speed(V, k * i) == pytest.approx((V - i * R) / k, rel=1e-14)
    assert BARE.no_load_speed() == pytest.approx(24.0 / k, rel=1e-15)
    assert BARE.stall_torque() == pytest.approx(k * 24.0 / R, rel=1e-15)
    (_, top), (stall, zero) = BARE.speed_torque_curve()
    assert (top, stall, zero) == pytest.approx((BARE.no_load_speed(), BARE.stall_torque(), 0.0), rel=1e-14, abs=1e-12)
    assert MOTOR.voltage_constant * MOTOR.speed_constant == pytest.approx(1.0, rel=1e-15)


def test_power_balance() -> None:
    """I V = tau w + I^2 R + L I dI/dt."""
    i, w, rate = -3.7, 210.0, 900.0
    parts = MOTOR.torque(i) * w + MOTOR.heat(i) + MOTOR.L * i * rate
    assert MOTOR.electrical_power(i, w, rate) == pytest.approx(parts, rel=1e-14)
    assert MOTOR.magnetic_energy(i) == pytest.approx(quad(lambda x: MOTOR.L * x, 0.0, i)[0], rel=1e-14)


def test_no_load_is_where_friction_takes_all() -> None:
    w, i = MOTOR.no_load_speed(), MOTOR.no_load_current()
    assert MOTOR.shaft_torque(i, w) == pytest.approx(0.0, abs=1e-15)
    assert MOTOR.voltage(i, w) == pytest.approx(24.0, rel=1e-14)


@pytest.mark.parametrize("motor", [MOTOR, BARE], ids=["friction", "bare"])
def test_maxima_of_power_and_efficiency(motor: Motor) -> None:
    def power(w: float) -> float:
        return float(motor.shaft_torque(motor.steady_current(24.0, w), w)) * w

    def efficiency(w: float) -> float:
        return float(motor.efficiency(power(w) / w, w))

    bounds = (1e-6, motor.no_load_speed() * (1.0 - 1e-9))
    most = minimize_scalar(lambda w: -power(w), bounds=bounds, method="bounded", options={"xatol": 1e-9})
    best = minimize_scalar(lambda w: -efficiency(w), bounds=bounds, method="bounded", options={"xatol": 1e-9})
    assert motor.maximum_power() == pytest.approx(-most.fun, rel=1e-12)
    assert motor.maximum_efficiency() == pytest.approx(-best.fun, rel=1e-7)
    assert efficiency(200.0) == pytest.approx(power(200.0) / (24.0 * motor.steady_current(24.0, 200.0)), rel=1e-13)


def test_textbook_optima() -> None:
    """V^2/(4 R), and (1 - sqrt(I_0/I_stall))^2."""
    assert BARE.maximum_power() == pytest.approx(24.0**2 / (4.0 * 0.299), rel=1e-14)
    dry = Motor(torque_constant=0.0302, resistance=0.299, friction=0.0302 * 0.137, limits=LIMITS)
    assert dry.maximum_efficiency() == pytest.approx((1.0 - math.sqrt(0.137 / dry.stall_current())) ** 2, rel=1e-12)


def test_efficiency_in_four_quadrants() -> None:
    """Driving, braking with all power into heat, and generating."""
    drives, brakes, generates = MOTOR.efficiency(0.1, 500.0), MOTOR.efficiency(-0.1, 5.0), MOTOR.efficiency(-0.1, 500.0)
    assert 0.8 < drives < 1.0
    assert brakes == 0.0
    i = (-0.1 + MOTOR.friction_torque(500.0)) / 0.0302
    assert generates == pytest.approx((0.0302 * 500.0 + 0.299 * i) * i / (-0.1 * 500.0), rel=1e-14)
    assert [float(MOTOR.quadrant(t, w)) for t, w in ((1, 1), (-1, 1), (-1, -1), (1, -1))] == [1, 2, 3, 4]
    assert float(MOTOR.efficiency(0.0, 0.0)) == 0.0


def test_rated_values() -> None:
    """tau_cont, w_cont on the line of V_max, and their product."""
    assert BARE.rated_torque == pytest.approx(0.0302 * 6.0, rel=1e-15)
    assert BARE.rated_power == pytest.approx(0.0302 * 6.0 * (24.0 - 0.299 * 6.0) / 0.0302, rel=1e-14)
    warm = Motor(torque_constant=0.0302, resistance=0.299, limits=MotorLimits(voltage=24.0), thermal=THERMAL)
    assert warm.rated_current == warm.continuous_current()


# Current


def test_current_after_a_step_is_the_solution() -> None:
    h, V, w, i = 3e-4, 17.0, 130.0, -2.0
    solved = solve_ivp(lambda t, x: MOTOR.current_rate(x, V, w), (0.0, h), [i], rtol=1e-12, atol=1e-12)
    assert MOTOR.next_current(i, V, w, h) == pytest.approx(solved.y[0, -1], rel=1e-10)
    assert MOTOR.next_current(i, V, w, 1.0) == pytest.approx(MOTOR.steady_current(V, w), rel=1e-14)
    wanted = 4.4
    assert MOTOR.next_current(i, MOTOR.voltage_for(wanted, i, w, h), w, h) == pytest.approx(wanted, rel=1e-13)
    quick = Motor(torque_constant=0.0302, resistance=0.299)
    assert quick.next_current(i, quick.voltage_for(wanted, i, w, h), w, h) == pytest.approx(wanted, rel=1e-13)
    assert quick.next_current(i, 24.0, w, h, rate_limit=100.0) == pytest.approx(i + 100.0 * h, rel=1e-13)


# Heat


@pytest.mark.parametrize("current", [0.0, 3.0, 6.5, 7.2, 12.0])
@pytest.mark.parametrize("h", [1e-3, 7.0, 400.0])
def test_temperatures_after_a_step_are_the_exponential(current: float, h: float) -> None:
    """Against scipy's matrix exponential of the 2x2 system, with what the warm resistance adds; runaway included."""
    t, p = THERMAL, current**2 * 0.299
    Rw, Ra, Cw, Ch = t.winding_to_housing, t.housing_to_ambient, t.winding_capacity, t.housing_capacity
    A = np.zeros((3, 3))
    A[0] = (p * t.resistance_coefficient - 1 / Rw) / Cw, 1 / (Rw * Cw), p * (1 - 3 * t.resistance_coefficient) / Cw
    A[1] = 1 / (Rw * Ch), -(1 / Rw + 1 / Ra) / Ch, 0.0
    expected = (expm(A * h) @ [11.0, 4.0, 1.0])[:2]
    np.testing.assert_allclose(MOTOR.next_rises(Rises(11.0, 4.0), current, h), expected, rtol=2e-13)


def test_steady_temperatures() -> None:
    """Where the rates vanish; without end above the current whose heat grows faster than it leaves."""
    rises = MOTOR.steady_rises(5.0)
    np.testing.assert_allclose(THERMAL.rates(rises, MOTOR.at(*rises).heat(5.0)), 0.0, atol=1e-14)
    np.testing.assert_allclose(MOTOR.next_rises(Rises(0.0, 0.0), 5.0, 1e5), rises, rtol=1e-12)
    runaway = 1.0 / math.sqrt(0.299 * THERMAL.resistance_coefficient * THERMAL.to_ambient)
    assert float(MOTOR.steady_rises(0.999 * runaway).winding) < math.inf
    assert float(MOTOR.steady_rises(1.001 * runaway).winding) == math.inf


def test_exactly_at_runaway_it_grows_steadily() -> None:
    """Where an eigenvalue is 0, the step is the limit of its neighbours."""
    feedback = 1.0 / THERMAL.to_ambient
    steps = [THERMAL.next_rises(Rises(5.0, 3.0), 10.0, 50.0, feedback * (1.0 + x)) for x in (-1e-7, 0.0, 1e-7)]
    np.testing.assert_allclose(steps[1], (np.array(steps[0]) + steps[2]) / 2.0, rtol=1e-12)


def test_continuous_current_warms_to_the_limit() -> None:
    i = MOTOR.continuous_current()
    assert float(MOTOR.steady_rises(i).winding) == pytest.approx(155.0 - 22.0, rel=1e-13)


def test_warm_constants() -> None:
    magnets = Thermal(1.0, 1.0, 1.0, 1.0, ambient=30.0, reference=20.0, magnet_coefficient=-0.002)
    warm = Motor(torque_constant=0.03, resistance=0.3, thermal=magnets).at(40.0, 15.0)
    expected = (0.3 * (1.0 + 0.00393 * 50.0), 0.03 * (1.0 - 0.002 * 25.0))
    assert (warm.R, warm.k_t) == pytest.approx(expected, rel=1e-15)


def test_one_body() -> None:
    one = Thermal(3.0, 9.0)
    assert one.next_rises(Rises(7.0, 0.0), 2.0, 4.0).winding == pytest.approx(6.0 + 1.0 * math.exp(-4.0 / 27.0))
    assert tuple(map(float, one.steady_rises(2.0))) == (6.0, 0.0)


def test_steps_can_be_traced() -> None:
    def step(x):
        at = MOTOR.at(x[1], x[2])
        current = at.next_current(x[0], 20.0, 300.0, 1e-3)
        return np.array([current, *MOTOR.next_rises(Rises(x[1], x[2]), current, 1e-3), MOTOR.efficiency(0.1, x[0])])

    x = np.array([2.0, 30.0, 12.0])
    np.testing.assert_allclose(
        np.squeeze(interpret(trace(step, [Port("x", (3,))]), [x])), step(x).astype(float), rtol=1e-13
    )


# Regions


def inside(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points to the left of every edge of a polygon."""
    edges = np.roll(corners, -1, axis=0) - corners
    to = points[:, None] - corners
    return (edges[:, 0] * to[..., 1] - edges[:, 1] * to[..., 0] >= 0.0).all(axis=1)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize(
    "limits",
    [
        LIMITS,
        MotorLimits(24.0),
        MotorLimits(24.0, speed=500.0),
        MotorLimits(24.0, 200.0, 6.0, torque=1.7, speed=900.0),
        MotorLimits(24.0, 200.0, speed=500.0),
    ],
    ids=["figure", "voltage", "slow", "strong", "beyond"],
)
def test_region_is_its_polygon(limits: MotorLimits, continuous: bool) -> None:
    motor = Motor(torque_constant=0.0302, resistance=0.299, limits=limits)
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (4000, 2)) * (4.5, 1600.0)
    runs = motor.runs(*points.T, continuous=continuous) == 1.0
    if math.isinf(motor.torque_limit(continuous=continuous)):  # the strip goes on; the polygon ends at stall
        runs &= abs(points[:, 0]) <= motor.stall_torque()
    assert 30 < runs.sum() < 3900
    np.testing.assert_array_equal(inside(motor.region(continuous=continuous), points), runs)


def test_a_gear_multiplies_torque_and_divides_speed() -> None:
    """Figure 8.13."""
    np.testing.assert_allclose(MOTOR.region(gear_ratio=2.0), MOTOR.region() * (2.0, 0.5), rtol=1e-15)


def test_continuous_region_is_part_of_the_other() -> None:
    assert (abs(MOTOR.region(continuous=True)[:, 0]) <= 0.0302 * 6.0 + 1e-15).all()


def test_continuous_region_of_a_motor_without_a_continuous_current_is_that_of_its_winding() -> None:
    """As `rated_current` has it; of a motor that nothing else bounds it was all of its region."""
    limits = MotorLimits(voltage=24.0, current=60.0)
    motor = Motor(torque_constant=0.0302, resistance=0.299, limits=limits, thermal=THERMAL)
    torque = 0.0302 * motor.continuous_current()
    assert motor.lasting_current == motor.continuous_current() < 60.0
    assert motor.torque_limit(continuous=True) == pytest.approx(torque, rel=1e-15)
    assert motor.region(continuous=True)[:, 0].max() == pytest.approx(torque, rel=1e-15)
    found = [float(motor.runs(part * torque, 0.0, continuous=True)) for part in (0.99, 1.01)]
    assert found == [1.0, 0.0]
    stated = MotorLimits(voltage=24.0, current=60.0, continuous_current=5.0)
    assert replace(motor, limits=stated).lasting_current == 5.0
    assert Motor(limits=limits, thermal=THERMAL).lasting_current == 60.0


# As part of an actuator


def test_shaft_friction_is_felt_through_the_gear() -> None:
    """G^2 damping, |G| friction, besides the laws given; and it goes with them."""
    drive = Actuator(MOTOR, Gear(-50.0), Viscous(0.7))
    force = sum(law.force(2.0, 0.0) for law in drive.laws)
    assert force == pytest.approx(50.0 * 0.0032 + (2500.0 * 1.3e-6 + 0.7) * 2.0, rel=1e-15)
    assert Actuator(BARE).laws is None
    assert drive.without_friction.laws == ()
    assert drive.without_friction.armature == drive.armature == pytest.approx(2500.0 * 1.42e-5)


def test_pickled_and_shown() -> None:
    motor = Motor(torque_constant=0.03, resistance=0.3, cogging=Cogging(0.01, 12.0), thermal=THERMAL)
    assert pickle.loads(pickle.dumps(motor)) == motor  # noqa: S301 - its own
    assert "winding_capacity=22.17" in repr(motor)


PLAIN = Motor(torque_constant=0.03, resistance=0.3)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Motor(torque_constant=0.0), ModelError, "torque_constant of Motor is 0.0; expected a number above"),
        (lambda: Motor(resistance=-1.0), ModelError, "resistance of Motor is -1.0"),
        (lambda: Motor(friction=-1.0), ModelError, "friction of Motor is -1.0; expected a number of at least zero"),
        (lambda: Motor(limits=24.0), DTypeError, "limits of Motor is 24.0; expected an armdyn.actuators.MotorLimits"),
        (lambda: PLAIN.speed_torque_curve(24.0, points=1), ModelError, "points is 1; expected a whole number"),
        (lambda: PLAIN.region(gear_ratio=0.0), ModelError, "gear_ratio is 0; expected the turns of the motor"),
        (lambda: Cogging(0.01, 0.0), ModelError, "periods of Cogging is 0.0; expected a number above zero"),
        (lambda: Motor(rotor_inertia=1e-5).torque(1.0), ModelError, "torque_constant of Motor is not given"),
        (lambda: Motor(torque_constant=0.03).voltage(1.0, 1.0), ModelError, "resistance of Motor is not given"),
        (PLAIN.no_load_speed, ModelError, "no limits.voltage; give one, V"),
        (PLAIN.region, ModelError, "without limits.voltage has no region"),
        (lambda: PLAIN.steady_rises(1.0), ModelError, "thermal of Motor is not given"),
        (lambda: PLAIN.rated_current, ModelError, "no limits.continuous_current and no thermal"),
        (lambda: MotorLimits(voltage=0.0), ModelError, "voltage of MotorLimits is 0.0"),
        (lambda: MotorLimits(current=5, continuous_current=6), ModelError, "continuous_current of MotorLimits is 6"),
        (lambda: Thermal(1.0, 1.0, 2.0), ModelError, "housing_capacity 0 J/K; expected both above zero, or neither"),
        (lambda: Thermal.of_time_constants(1.0, 1.0, 2.0), ModelError, "give both or neither"),
        (lambda: Thermal(1.0, 1.0, winding_limit=20.0), ModelError, "expected a temperature above the ambient's 25"),
        (lambda: Thermal(0.0, 1.0), ModelError, "winding_to_housing of Thermal is 0.0"),
        (lambda: Cogging(-0.1, 12.0), ModelError, "amplitude of Cogging is -0.1"),
    ],
)  # fmt: skip
def test_errors(make, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message.replace(".", r"\.").replace("(", r"\(")):
        make()
