"""LuGre's bristles: their state in a rollout, beside an integration of the same equations by SciPy."""

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import armdyn
from armdyn.actuators import LuGre

LAW = LuGre(stiffness=40.0, bristle_damping=0.8, viscous=0.1, static=1.5, kinetic=1.0, speed=0.1)


class Pushed(NamedTuple):
    tau: Any
    z: Any
    rubs: Any


@armdyn.function("(n),(n),(n),(),(n)->(n),(n),(n)", result=Pushed)
def pushed(model, q, qd, z, h, push):
    """Joint forces less what bends the bristles, which are a state of the loop."""
    rubs = np.array([LAW.force_with(bent, rate, 0.0) for bent, rate in zip(z, qd, strict=True)])
    z = np.array([LAW.state_after(bent, rate, 0.0, h) for bent, rate in zip(z, qd, strict=True)])
    return Pushed(push - rubs, z, rubs)


def test_state_in_a_closed_loop():
    arm = armdyn.load("planar_2r")
    start, push, duration = np.array([0.3, -0.4]), np.array([12.0, 3.0]), 0.4

    def rates(_, x):
        q, qd, z = x.reshape(3, 2)
        tau = push - LAW.force_with(z, qd, 0.0)
        return np.concatenate([qd, arm.forward_dynamics(q, qd, tau), LAW.state_rate(z, qd, 0.0)])

    exact = solve_ivp(rates, (0.0, duration), [*start, 0, 0, 0, 0], rtol=1e-10, atol=1e-12).y[:, -1].reshape(3, 2)
    errors = []
    for steps in (800, 1600):
        method = armdyn.simulation.SemiImplicitEuler(step=duration / steps)
        final = armdyn.ClosedLoop(arm, pushed, method=method)(start, steps=steps, push=push).final
        errors.append(max(np.abs(final.q - exact[0]).max(), np.abs(final.z - exact[2]).max()))
    assert errors[0] < 5e-3
    assert 1.8 < errors[0] / errors[1] < 2.2  # a method of first order tends to it


def test_a_step_at_one_velocity_is_exact():
    def bending(_, z, rate):
        return LAW.state_rate(z, rate, 0.0)

    for rate in (-0.7, 0.0, 1e-9, 0.05):
        exact = solve_ivp(bending, (0.0, 0.3), [0.01], args=(rate,), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(LAW.state_after(0.01, rate, 0.0, 0.3), exact.y[0, -1], rtol=1e-9, atol=1e-13)


def test_bristles_stay_within_what_static_friction_bends():
    rng, z, largest = np.random.default_rng(2), LAW.static / LAW.stiffness, 0.0
    for rate in rng.normal(0.0, 0.5, 2000):
        z = LAW.state_after(z, rate, 0.0, 0.05)
        largest = max(largest, abs(z))
    assert largest <= LAW.static / LAW.stiffness


def test_steady_state_is_the_law_without_a_state():
    for rate in (-0.3, -0.01, 0.002, 0.4):
        z = LAW.steady_state(rate)
        np.testing.assert_allclose(LAW.state_rate(z, rate, 0.0), 0.0, atol=1e-16)
        np.testing.assert_allclose(LAW.force_with(z, rate, 0.0), LAW.force(rate, 0.0), rtol=1e-14)
