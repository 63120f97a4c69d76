"""`through_motors(supply=)`: a bus whose voltage the motors of a closed loop share."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn import DTypeError, ModelError, UnknownName
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Supply, sag
from armdyn.actuators.bus_step import bus_step
from armdyn.control import pd_gravity, through_motors
from armdyn.declaration import function
from armdyn.simulation import SemiImplicitEuler

G, K, R, L = 100.0, 0.03, 0.3, 8e-4
AIM = {"q_ref": [0.6, -0.4], "qd_ref": np.zeros(2), "Kp": [4000.0, 1000.0], "Kd": [600.0, 200.0]}


def geared(motor: Motor, gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)) -> armdyn.Robot:
    actuator = Actuator(motor, Gear(G))
    return armdyn.load("planar_2r", gravity=gravity).with_actuators({"joint_1": actuator, "joint_2": actuator})


@function("(n),(n),(n)->(n)")
def volts(model: Any, q: Any, qd: Any, V: Any) -> Any:
    """The voltages V that are given, V."""
    return V


def random_supply(rng: np.random.Generator) -> Supply:
    """One of every kind: with and without resistance, limits, a braking resistor, the way back."""
    regenerates = bool(rng.integers(2))
    return Supply(
        24.0,
        resistance=float(rng.choice([0.0, rng.uniform(0.01, 2.0)])),
        capacitance=float(10.0 ** rng.uniform(-4, -1)),
        current_limit=float(rng.choice([np.inf, rng.uniform(1.0, 40.0)])),
        power_limit=float(rng.choice([np.inf, rng.uniform(10.0, 500.0)])),
        regenerates=regenerates,
        braking_voltage=np.inf if regenerates else float(rng.choice([np.inf, rng.uniform(24.1, 40.0)])),
    )


def test_a_step_solves_the_equation_of_the_bus() -> None:
    """C (U' - U)/h = I_s - I_b - G (U' - U) - I_burnt, with each current as its law says: no formula of the step."""
    rng = np.random.default_rng(8)
    seen = set()
    for _ in range(400):
        supply = random_supply(rng)
        U, current, slope = rng.uniform(5.0, 30.0), rng.normal() * 30.0, rng.choice([0.0, rng.uniform(0.0, 8.0)])
        U, h = min(U, supply.braking_voltage), 10.0 ** rng.uniform(-5, -2)
        after = bus_step(supply, U, current, slope, h)
        if after.voltage == 0.0:
            continue
        change = after.voltage - U
        missing = (supply.capacitance / h + slope) * change + current + after.burnt_current - after.supply_current
        assert abs(missing) < 1e-9 * (
            1.0 + abs(after.supply_current) + abs(after.burnt_current) + supply.capacitance / h
        )
        most = min(supply.current_limit, supply.power_limit / U)
        least = -most if supply.regenerates else 0.0
        unburnt = after.voltage + after.burnt_current / (supply.capacitance / h + slope)
        if after.supply_current > most - 1e-9:
            seen.add("most")
            assert after.supply_current < most + 1e-9
            assert unburnt < supply.voltage - supply.resistance * most + 1e-9
        elif after.supply_current < least + 1e-9:
            seen.add("least")
            assert after.supply_current > least - 1e-9
            assert unburnt > supply.voltage - supply.resistance * least - 1e-9
        else:
            seen.add("between")
            assert unburnt == pytest.approx(supply.voltage - supply.resistance * after.supply_current, abs=1e-8)
        assert after.burnt_current >= 0.0
        assert after.burnt_current == 0.0 or after.voltage == supply.braking_voltage
        seen.add("burns" if after.burnt_current else "keeps")
    assert seen == {"most", "least", "between", "burns", "keeps"}


def test_the_motion_is_that_of_the_equations() -> None:
    """Arm, windings and bus as one differential equation, by SciPy; steps of first order, extrapolated."""
    arm = geared(Motor(1.4e-5, torque_constant=K, resistance=R, inductance=L), gravity=(0.0, 0.0, 0.0))
    supply = Supply(24.0, resistance=0.2, capacitance=5e-3, current_limit=60.0)
    wanted, end = np.array([40.0, 6.0]), 0.05  # one motor is given all of the bus, the other less

    def rates(t: float, y: Any) -> Any:
        q, qd, current, U = y[:2], y[2:4], y[4:6], y[6]
        V = np.clip(wanted, -U, U)
        given = np.clip((24.0 - U) / 0.2, 0.0, 60.0)
        return np.concatenate(
            [qd, arm.forward_dynamics(q, qd, G * K * current), (V - K * G * qd - R * current) / L,
             [(given - V @ current / U) / 5e-3]]
        )  # fmt: skip

    exact = solve_ivp(rates, (0.0, end), [0.0] * 6 + [24.0], method="LSODA", rtol=1e-10, atol=1e-12).y[:, -1]
    assert exact[6] < 18.0
    ends = []
    for steps in (500, 1000, 2000):
        method = SemiImplicitEuler(end / steps)
        final = armdyn.ClosedLoop(arm, through_motors(volts, command="voltage", supply=supply), method=method)(
            [0.0, 0.0], steps=steps, V=wanted
        ).final
        ends.append(np.concatenate([final.q, final.qd, final.current, [24.0 - float(final.bus_sag)]]))
    errors = [abs(one - exact).max() for one in ends]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)
    extrapolated = [abs(2.0 * ends[k + 1] - ends[k] - exact).max() for k in (0, 1)]
    assert extrapolated[0] / extrapolated[1] == pytest.approx(4.0, abs=0.4)
    assert extrapolated[1] < 5e-5


def test_a_stiff_supply_is_a_limit_of_the_voltage() -> None:
    motor = Motor(1.4e-5, torque_constant=K, resistance=R, inductance=L)
    limited = geared(Motor(1.4e-5, torque_constant=K, resistance=R, inductance=L, limits=MotorLimits(voltage=24.0)))
    on_bus = armdyn.ClosedLoop(geared(motor), through_motors(pd_gravity, supply=Supply(24.0)))
    alone = armdyn.ClosedLoop(limited, through_motors(pd_gravity), record=["voltage"])
    a, b = (loop([0.0, 0.0], steps=300, **AIM) for loop in (on_bus, alone))
    assert abs(b.rows.voltage).max() == 24.0
    np.testing.assert_allclose(a.final.q, b.final.q, rtol=0, atol=1e-13)
    assert float(a.final.bus_sag) == 0.0


@pytest.mark.parametrize("capacitance", [0.0, 2e-3])
def test_at_rest_the_bus_falls_as_the_power_says(capacitance: float) -> None:
    """Motors that hold the arm draw R I^2 each: U = (V + sqrt(V^2 - 4 R_s P))/2."""
    arm = geared(Motor(1.4e-5, torque_constant=K, resistance=R))
    supply = Supply(24.0, resistance=0.8, capacitance=capacitance)
    loop = armdyn.ClosedLoop(arm, through_motors(pd_gravity, supply=supply), record=["bus_voltage"])
    still = dict(AIM, q_ref=[0.0, 0.0])
    U = loop([0.0, 0.0], steps=400, **still).rows.bus_voltage[-1]
    power = R * ((np.asarray(arm.gravity_forces([0.0, 0.0])) / (G * K)) ** 2).sum()
    assert power > 5.0
    np.testing.assert_allclose(U, sag.voltage(24.0, 0.8, power), rtol=1e-12)


@pytest.mark.parametrize("regenerates", [False, True])
def test_what_comes_back_charges_the_bus_or_returns(regenerates: bool) -> None:
    """Braked by its motors, the arm gives energy back: C (U^2 - V^2)/2, what is burnt and what returns add up to it."""
    arm = geared(Motor(1.4e-5, torque_constant=K, resistance=R), gravity=(0.0, 0.0, 0.0))
    C, h, steps = 2e-3, 2e-5, 3000
    supply = Supply(24.0, capacitance=C, regenerates=regenerates, braking_voltage=np.inf if regenerates else 26.0)
    names = ["bus_voltage", "electrical_power", "supply_current", "burnt_power"]
    fed = through_motors(volts, command="voltage", supply=supply)
    loop = armdyn.ClosedLoop(arm, fed, method=SemiImplicitEuler(h), record=names)
    rows = loop([0.0, 0.0], [6.0, 0.0], steps=steps, V=[12.0, 0.0]).rows
    U, drawn = rows.bus_voltage, h * rows.electrical_power.sum()
    assert drawn < -0.5
    stored, burnt = 0.5 * C * (U[-1] ** 2 - 24.0**2), h * rows.burnt_power.sum()
    given = h * (U * rows.supply_current).sum()
    np.testing.assert_allclose(given - drawn, stored + burnt, atol=0.01 * abs(drawn))
    if regenerates:
        np.testing.assert_array_equal(U, 24.0)
        assert given < -0.5
    else:
        assert U.max() == 26.0
        assert burnt > 0.1
        assert rows.supply_current.min() > -1e-9


def test_a_supply_at_its_limit_gives_no_more() -> None:
    """The bus falls until both motors together draw what the supply gives."""
    arm = geared(Motor(1.4e-5, torque_constant=K, resistance=R))
    supply = {"voltage": 24.0, "resistance": 0.1, "capacitance": 2e-3, "current_limit": 20.0}
    loop = armdyn.ClosedLoop(
        arm,
        through_motors(volts, command="voltage", supply=supply),
        record=["bus_voltage", "supply_current", "voltage"],
    )
    rows = loop([0.0, 0.0], steps=200, V=[30.0, -30.0]).rows
    assert rows.supply_current.max() == pytest.approx(20.0, abs=1e-9)
    assert rows.bus_voltage.min() < 6.0
    bus = np.concatenate([[24.0], rows.bus_voltage[:-1]])
    np.testing.assert_allclose(abs(rows.voltage), np.stack([bus, bus], axis=-1), rtol=1e-14)


def test_many_arms_are_each_alone() -> None:
    arm = geared(Motor(1.4e-5, torque_constant=K, resistance=R, inductance=L))
    fed = through_motors(pd_gravity, supply=Supply(24.0, resistance=0.2, capacitance=5e-3, power_limit=200.0))
    loop = armdyn.ClosedLoop(arm, fed, record=["bus_voltage"])
    q0 = np.random.default_rng(1).uniform(-1, 1, size=(9, 2))
    together = loop(q0, steps=60, **AIM).rows.bus_voltage
    for k in (0, 8):
        np.testing.assert_array_equal(loop(q0[k], steps=60, **AIM).rows.bus_voltage, together[:, k])


def test_errors() -> None:
    with pytest.raises(ModelError, match="limit of current or power and no capacitance"):
        through_motors(pd_gravity, supply=Supply(24.0, current_limit=10.0))
    with pytest.raises(UnknownName, match=r"no argument 'curent_limit' in supply.*Did you mean 'current_limit'"):
        through_motors(pd_gravity, supply={"voltage": 24.0, "curent_limit": 10.0})
    with pytest.raises(ModelError, match="supply has no voltage"):
        through_motors(pd_gravity, supply={"resistance": 0.1})
    with pytest.raises(DTypeError, match=r"supply is 24; expected an armdyn\.actuators\.Supply"):
        through_motors(pd_gravity, supply=24)  # type: ignore[arg-type]
