"""Several drives on one supply: energies that add up, a capacitor and a resistor, limits."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import armdyn
from armdyn import DTypeError, ModelError, ShapeError
from armdyn.actuators import Actuator, BusAccount, Gear, Motor, Spring, Supply, Thermal
from armdyn.simulation import RungeKutta4

T = np.array([0.0, 0.3, 0.5, 1.1, 1.2, 2.0, 2.7])
POWERS = np.random.default_rng(4).normal(size=(7, 3)) * 100.0
SUPPLIES = {
    "diode": Supply(48.0),
    "regenerating": Supply(48.0, regenerates=True),
    "capacitor": Supply(48.0, capacitance=0.02, braking_voltage=60.0),
    "no_resistor": Supply(48.0, capacitance=0.02),
}


def stepped(supply: Supply, steps: int) -> tuple[float, float, float, float]:
    """Drawn, given back, burnt and left by small steps of the bus's own equation: an independent account."""
    times = np.linspace(T[0], T[-1], steps + 1)
    middles = 0.5 * (times[:-1] + times[1:])
    energies = np.interp(middles, T, POWERS.sum(axis=1)) * np.diff(times)
    if supply.regenerates:
        return energies[energies > 0].sum(), -energies[energies < 0].sum(), 0.0, 0.0
    C, V = supply.capacitance, supply.voltage
    most = 0.5 * C * (supply.braking_voltage**2 - V**2) if C else 0.0
    drawn = burnt = left = 0.0
    for energy in energies:
        left -= energy
        drawn, left = drawn + max(-left, 0.0), max(left, 0.0)
        burnt, left = burnt + max(left - most, 0.0), min(left, most)
    return drawn, 0.0, burnt, left


@pytest.mark.parametrize("supply", SUPPLIES.values(), ids=list(SUPPLIES))
def test_energies_are_those_of_small_steps(supply: Supply) -> None:
    account = supply.account(T, POWERS)
    found = (account.drawn, account.given_back, account.burnt, account.remaining)
    np.testing.assert_allclose(found, stepped(supply, 20_000), atol=2e-3)
    assert account.drawn > 20.0


@pytest.mark.parametrize("supply", SUPPLIES.values(), ids=list(SUPPLIES))
def test_energies_add_up(supply: Supply) -> None:
    """What the drives used is what was drawn less what went elsewhere; powers balance at every time."""
    account = supply.account(T, POWERS, ["a", "b", "c"])
    used = np.trapezoid(POWERS, T, axis=0)
    np.testing.assert_allclose(list(account.used.values()), used, rtol=1e-12)
    np.testing.assert_allclose(
        account.drawn - account.given_back - account.burnt - account.remaining, used.sum(), rtol=1e-12
    )
    balance = np.where(account.passes, account.bus_power - account.supply_power + account.burnt_power, 0.0)
    np.testing.assert_allclose(balance, 0.0, atol=1e-12)
    alone = [supply.account(T, POWERS[:, [k]]) for k in range(3)]
    given = [np.trapezoid(np.maximum(-one.bus_power, 0.0), one.t) for one in alone]
    together = np.trapezoid(np.maximum(-account.bus_power, 0.0), account.t)
    np.testing.assert_allclose(account.shared, sum(given) - together, rtol=1e-12)


def test_voltage_of_the_bus() -> None:
    """From the supply's voltage up to the braking voltage, with the energy C V^2/2."""
    account = SUPPLIES["capacitor"].account([0.0, 1.0, 2.0, 3.0], [[-20.0], [-20.0], [5.0], [5.0]])
    assert account.bus_voltage[0] == 48.0
    np.testing.assert_allclose(account.bus_voltage.max(), 60.0, rtol=1e-14)
    np.testing.assert_allclose(np.diff(0.5 * 0.02 * account.bus_voltage**2), np.diff(account.stored), atol=1e-12)
    # 12.96 J at most: full at 0.648 s; the power passes 0 at 1.8 s; then 0.5 and 5 J are taken out again.
    np.testing.assert_allclose((account.burnt, account.remaining), (20.0 * 0.352 + 8.0, 12.96 - 5.5), rtol=1e-12)
    assert account.t[np.flatnonzero(account.burnt_power)[0]] == pytest.approx(0.648, rel=1e-12)


def test_overloads_begin_and_end_on_the_limit() -> None:
    """At the times where the linear power passes it, with the joints' shares at the peak."""
    powers = [[0.0, 0.0], [160.0, 40.0], [-50.0, 50.0], [30.0, 200.0]]
    account = Supply(50.0, current_limit=2.0).account([0.0, 1.0, 2.0, 3.0], powers, ["hip", "knee"])
    first, second = account.overloads
    np.testing.assert_allclose((first.start, first.end, first.peak_time, first.peak_power), (0.5, 1.5, 1.0, 200.0))
    assert first.shares == {"hip": 160.0, "knee": 40.0}
    np.testing.assert_allclose((second.start, second.end, second.peak_power), (2.0 + 100.0 / 230.0, 3.0, 230.0))
    assert not Supply(50.0, power_limit=230.0).account([0.0, 1.0, 2.0, 3.0], powers).overloads
    (back,) = Supply(50.0, power_limit=80.0, regenerates=True).account([0.0, 1.0], [[0.0], [-100.0]]).overloads
    np.testing.assert_allclose((back.start, back.peak_power), (0.8, -100.0))


def test_drives_share_one_voltage_under_load() -> None:
    """U = V - R sum(P)/U, found by halving intervals; energies in the resistance by quadrature; one drive lifts it."""
    V, R = 48.0, 0.7
    account = Supply(V, resistance=R, regenerates=True).account(T, POWERS, ["a", "b", "c"])
    assert account.bus_voltage.min() < 45.0
    assert account.bus_voltage.max() > 49.0
    for U, current, powers in zip(account.bus_voltage, account.supply_current, account.powers, strict=True):
        root = brentq(lambda u, P: u - V + R * P / u, V / 2.0, 4.0 * V, (powers.sum(),), xtol=1e-13)
        np.testing.assert_allclose((U, current), (root, powers.sum() / root), rtol=1e-13, atol=1e-13)
    assert account.bus_voltage.argmin() == account.supply_power.argmax()

    def heat(time: float) -> float:
        P = np.interp(time, T, POWERS.sum(axis=1))
        return float(R * (P / (0.5 * (V + np.sqrt(V * V - 4.0 * R * P)))) ** 2)

    lost = sum(quad(heat, *ends, epsabs=1e-13, epsrel=1e-13)[0] for ends in pairwise(T))
    np.testing.assert_allclose(account.dissipated, lost, rtol=1e-12)
    used = np.trapezoid(POWERS, T, axis=0).sum()
    np.testing.assert_allclose(account.drawn - account.given_back, used, rtol=1e-12)
    assert Supply(V, regenerates=True).account(T, POWERS).dissipated == 0.0
    held = Supply(V, resistance=R).account([0.0, 2.0], [[V**2 / (4.0 * R)]] * 2)
    np.testing.assert_allclose((held.dissipated, held.bus_voltage[0]), (V**2 / (2.0 * R), V / 2.0), rtol=1e-12)


def test_limits_of_a_supply_with_a_resistance() -> None:
    """At most V^2/(4 R), at V/2; a limit of the current is (V - R I) I given, and (V + R I) I taken back."""
    supply = Supply(48.0, resistance=2.0)
    assert (supply.limit, supply.limit_back) == (288.0, np.inf)
    account = supply.account([0.0, 1.0, 2.0], [[0.0], [576.0], [0.0]])
    (over,) = account.overloads
    np.testing.assert_allclose((over.start, over.end, over.peak_power), (0.5, 1.5, 576.0), rtol=1e-12)
    outside = (account.t < 0.5 - 1e-9) | (account.t > 1.5 + 1e-9)
    assert np.isfinite(account.bus_voltage[outside]).all()
    assert np.isnan(account.bus_voltage[account.t == 1.0]).all()
    assert np.isnan(account.dissipated)
    limited = Supply(48.0, resistance=2.0, current_limit=3.0, regenerates=True)
    assert (limited.limit, limited.limit_back) == (126.0, 162.0)
    assert Supply(48.0, resistance=2.0, current_limit=13.0).limit == 288.0
    given, back = limited.account([0.0, 1.0, 2.0], [[0.0], [252.0], [-504.0]]).overloads
    np.testing.assert_allclose((given.start, given.end), (0.5, 1.0 + 126.0 / 756.0), rtol=1e-12)
    np.testing.assert_allclose((back.start, back.peak_power), (1.0 + 414.0 / 756.0, -504.0), rtol=1e-12)
    at_limit = limited.account([0.0, 1.0], [[126.0], [126.0]])
    np.testing.assert_allclose((at_limit.supply_current, at_limit.bus_voltage), [[3.0] * 2, [42.0] * 2], rtol=1e-12)
    assert not at_limit.overloads


def test_motors_that_need_more_voltage_than_the_bus_has() -> None:
    """Where the voltage of a motor is above that of the bus, which the others pull down."""
    t, powers = [0.0, 1.0, 2.0, 3.0], [[0.0, 0.0], [0.0, 180.0], [0.0, 0.0], [0.0, 600.0]]
    account = Supply(48.0, resistance=2.0).account(t, powers, ["hip", "knee"], [[40.0, -20.0]] * 4)
    first, second, third = account.shortages
    assert (first.joint, first.start, first.end, first.worst_time, first.needed) == ("hip", 1.0, 1.0, 1.0, 40.0)
    assert first.bus_voltage == pytest.approx(24.0 + np.sqrt(24.0**2 - 2.0 * 180.0), rel=1e-14)
    assert (second.joint, third.joint, second.end, third.end) == ("hip", "knee", 3.0, 3.0)
    assert second.start == pytest.approx(2.48)
    assert np.isnan(second.bus_voltage)
    with pytest.raises(ModelError, match="the account has no voltages of motors"):
        _ = Supply(48.0).account(t, powers).shortages


MOTOR = Motor(
    1.4e-5, torque_constant=0.03, resistance=0.3, friction=0.002, thermal=Thermal(2.0, 20.0, 4.0, 150.0)
)  # fmt: skip


@pytest.fixture(scope="module")
def falling() -> tuple[armdyn.Robot, armdyn.Trajectory]:
    cold = dataclasses.replace(MOTOR, thermal=None)
    arm = armdyn.load("planar_2r").with_actuators(
        {"joint_1": Actuator(MOTOR, Gear(30.0)), "joint_2": Actuator(cold, Gear(-20.0))}
    )
    return arm, armdyn.simulate(
        arm, [0.3, -0.2], duration=0.4, torque=lambda t, q, qd: [8.0, -2.0], method=RungeKutta4(step=0.002)
    )


def test_a_simulated_motion_on_a_supply(falling: tuple[armdyn.Robot, armdyn.Trajectory]) -> None:
    """Torques, currents and powers are those of the robot's own functions, warm; the bus adds the powers up."""
    arm, motion = falling
    drives = motion.drives(arm)
    # Behind the start from rest, where the robot's functions count friction as 0 and the motion begins to slip.
    states = motion.q[1:], motion.qd[1:], motion.qdd[1:]
    rises = np.nan_to_num(drives.winding - 25.0)[1:]
    np.testing.assert_allclose(drives.torque[0], [8.0 / 30.0, -2.0 / -20.0], rtol=1e-15)
    np.testing.assert_allclose(drives.torque[1:], arm.motor_torques(*states), rtol=1e-11)
    np.testing.assert_allclose(drives.current[1:], arm.motor_currents(*states), rtol=1e-11)
    np.testing.assert_allclose(drives.voltage[1:], arm.motor_voltages(*states, winding_rise=rises), rtol=1e-11)
    np.testing.assert_allclose(drives.power[1:], arm.electrical_power(*states, winding_rise=rises), rtol=1e-11)
    assert np.isnan(drives.winding[:, 1]).all()
    account = drives.on(Supply(48.0, regenerates=True))
    used = np.trapezoid(drives.power, motion.t, axis=0).sum()
    assert isinstance(account, BusAccount)
    np.testing.assert_allclose(account.drawn - account.given_back, used, rtol=1e-12)
    assert list(account.used) == ["joint_1", "joint_2"]
    assert not account.shortages
    most = np.abs(drives.voltage).max(axis=0)
    assert {one.joint for one in drives.on(Supply(most.max() - 0.01)).shortages} == {drives.joints[most.argmax()]}


def test_the_winding_takes_up_the_heat(falling: tuple[armdyn.Robot, armdyn.Trajectory]) -> None:
    """C_w theta_w + C_h theta_h + what leaves the housing is the integral of I^2 R, to the rule's error."""
    arm, motion = falling
    drives = motion.drives(arm)
    rises = np.stack([drives.winding[:, 0], drives.housing[:, 0]]) - 25.0
    heat = drives.current[:, 0] ** 2 * 0.3 * (1.0 + 0.00393 * rises[0])
    out = np.trapezoid(heat - rises[1] / 4.0, motion.t)
    assert rises[0, -1] > 0.01
    np.testing.assert_allclose(20.0 * rises[0, -1] + 150.0 * rises[1, -1], out, rtol=1e-5)


def test_rotors_of_flexible_joints_have_their_own_speed() -> None:
    """Behind a spring the motor turns with theta, not with q."""
    drive = Actuator(MOTOR, Gear(30.0), spring=Spring(40.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive})
    motion = armdyn.simulate(arm, [0.3, -0.2], duration=0.1, torque=[8.0, -2.0], method=RungeKutta4(step=0.001))
    drives = motion.drives(arm)
    np.testing.assert_allclose(drives.speed[:, 0], 30.0 * motion.signals["thetad"][:, 0], rtol=1e-14)
    np.testing.assert_allclose(drives.torque, 8.0 / 30.0, rtol=1e-14)
    assert abs(drives.speed[:, 0] - 30.0 * motion.qd[:, 0]).max() > 1.0


def test_errors(falling: tuple[armdyn.Robot, armdyn.Trajectory]) -> None:
    with pytest.raises(ModelError, match=r"voltage of Supply is 0\.0; expected a number above zero, in V"):
        Supply(0.0)
    with pytest.raises(ModelError, match=r"braking_voltage of Supply is 40\.0; expected a voltage above the supply's"):
        Supply(48.0, braking_voltage=40.0)
    with pytest.raises(ModelError, match="Supply has a resistance and a capacitance; what flows between them"):
        Supply(48.0, resistance=0.1, capacitance=1e-3).account([0.0, 1.0], [[1.0], [2.0]])
    with pytest.raises(ModelError, match=r"resistance of Supply is -0\.1"):
        Supply(48.0, resistance=-0.1)
    with pytest.raises(ShapeError, match="voltages has shape"):
        Supply(48.0).account([0.0, 1.0], [[1.0], [2.0]], voltages=[[1.0, 2.0]])
    with pytest.raises(ModelError, match="regenerates and has a braking_voltage"):
        Supply(48.0, regenerates=True, braking_voltage=60.0)
    with pytest.raises(ModelError, match="expected two at least, each later than the one before"):
        Supply(48.0).account([0.0, 0.0], [[1.0], [2.0]])
    with pytest.raises(ShapeError, match="1 names of joints for 2 drives"):
        Supply(48.0).account([0.0, 1.0], [[1.0, 1.0], [2.0, 1.0]], ["a"])
    with pytest.raises(DTypeError, match=r"supply is 48\.0; expected an armdyn\.actuators\.Supply"):
        falling[1].drives(falling[0]).on(48.0)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no motors"):
        falling[1].drives(armdyn.load("planar_2r"))
