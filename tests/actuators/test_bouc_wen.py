"""Bouc's and Wen's hysteresis: closed forms along the path, Dahl's law as a case of it, and a motion beside SciPy's."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn import ModelError
from armdyn.actuators import Actuator, BoucWen, LuGre
from armdyn.simulation import RungeKutta4

K, C = 400.0, 2.0


def written_out(law):
    """dz/dt as the literature has it, with A = 1, beta and gamma."""
    beta, gamma = (part * (K / C) ** law.exponent for part in (law.shape, 1.0 - law.shape))
    n = law.exponent
    return lambda z, v: v - beta * abs(v) * abs(z) ** (n - 1.0) * z - gamma * v * abs(z) ** n


@pytest.mark.parametrize("law", [BoucWen(K, C), BoucWen(K, C, 1.0, 1.0), BoucWen(K, C, 3.5, 0.8)], ids=str)
def test_rates_and_motions_in_one_direction(law):
    rate = written_out(law)
    for z in (-0.004, -0.001, 0.0, 0.002):
        for v in (-0.3, 0.0, 0.7):
            assert float(law.state_rate(z, v)) == pytest.approx(rate(z, v), rel=1e-13, abs=1e-16)
        assert float(law.state_along(z, 0.0)) == pytest.approx(z, rel=1e-15)
        for way in (-1.0, 1.0):
            exact = solve_ivp(lambda t, y, way=way: rate(y, way), (0.0, 4e-4), [z], rtol=1e-11, atol=1e-15).y[0, -1]
            errors = []
            for parts in (4, 8):
                after = z
                for _ in range(parts):
                    after = float(law.state_along(after, way * 4e-4 / parts))
                errors.append(abs(after - exact))
            assert errors[1] < max(0.3 * errors[0], 1e-13)  # of the second order in the length of a step
            assert errors[1] < 1e-7
    for moved in (1e3, -1e3):
        assert float(law.state_along(0.001, moved)) == pytest.approx(np.sign(moved) * C / K, rel=1e-12)


def test_closed_forms():
    """n = 2, b = 1/2: straight from a turn to z = 0, then tanh; n = b = 1: Dahl's law, LuGre's bristles of one G."""
    z = -C / K
    law, x = BoucWen(K, C), np.linspace(0.0, 0.03, 3001)
    for step in np.diff(x):
        z = law.state_along(z, step)
    assert float(z) == pytest.approx(C / K * np.tanh((x[-1] - C / K) * K / C), rel=1e-5)
    dahl, bristles = BoucWen(K, C, 1.0, 1.0), LuGre(K, 0.0, 0.0, static=C, kinetic=C, speed=1.0)
    for z, moved in ((0.001, 0.004), (-0.003, 0.002), (0.004, -0.01), (-0.002, -1e-9), (0.003, 0.0)):
        expected = float(bristles.state_along(z, moved, 0.1))
        assert float(dahl.state_along(z, moved)) == pytest.approx(expected, rel=1e-12)


def test_a_motion():
    law = BoucWen(K, C, 1.5, 0.7)
    block = armdyn.Part("block", "base", "prismatic", axis=(1, 0, 0), joint="x", inertia=armdyn.Inertia(1.3))
    arm = armdyn.Robot.from_links([block], gravity=(0, 0, 0)).with_actuators({"x": Actuator(friction=law)})
    rate = written_out(law)

    def rates(t, y):
        return [y[1], (3.0 * np.sin(20.0 * t) - K * y[2]) / 1.3, rate(y[2], y[1])]

    exact = solve_ivp(rates, (0.0, 0.8), [0.0, 0.2, 0.0], method="Radau", rtol=1e-11, atol=1e-14).y[:, -1]
    push = {"duration": 0.8, "torque": lambda t, q, qd: [3.0 * np.sin(20.0 * t)]}
    found = armdyn.simulate(arm, [0.0], [0.2], **push)
    np.testing.assert_allclose(
        [found.q[-1, 0], found.qd[-1, 0], found.signals["bristles"][-1, 0]], exact, rtol=1e-7, atol=1e-10
    )
    assert abs(found.energy.relative_drift).max() < 1e-8
    steps = armdyn.simulate(arm, [0.0], [0.2], method=RungeKutta4(step=1e-3), **push)
    assert steps.q[-1, 0] == pytest.approx(exact[0], abs=2e-6)


def test_numbers_that_make_no_law():
    for numbers, message in (
        ((0.0, 1.0), "stiffness of BoucWen is 0"),
        ((1.0, 1.0, 0.5), "exponent of BoucWen is 0.5"),
        ((1.0, 1.0, 2.0, 0.4), "shape of BoucWen is 0.4"),
        ((1.0, 1.0, 2.0, 1.4), "shape of BoucWen is 1.4; expected a number from 0.5 to 1"),
    ):
        with pytest.raises(ModelError, match=message):
            BoucWen(*numbers)
