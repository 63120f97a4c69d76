"""Springs that slip: Masing's loops in closed form, and a state in a closed loop."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn import ModelError
from armdyn.actuators import Actuator, MaxwellSlip

K, C = np.array([400.0, 150.0, 50.0]), np.array([1.0, 0.8, 1.2])
LAW = MaxwellSlip(list(K), list(C))


def virgin(x):
    """f(x) = sum min(k x, c): from rest."""
    return np.minimum(np.multiply.outer(x, K), C).sum(axis=-1)


def along(z, path):
    """F at every point of a path of q, and the last z; q goes straight from point to point."""
    found = []
    for moved in np.diff(path):
        z = LAW.state_along(z, moved)
        found.append(float(LAW.force_with(z)))
    return np.array(found), z


def test_loops_follow_masings_rule():
    out, back = np.linspace(0.0, 0.011, 40), np.linspace(0.011, -0.011, 60)
    first, z = along(LAW.unbent, out)
    np.testing.assert_allclose(first, virgin(out[1:]), rtol=1e-12)
    down, z = along(z, back)
    np.testing.assert_allclose(down, first[-1] - 2.0 * virgin((0.011 - back[1:]) / 2.0), rtol=0.0, atol=1e-12)
    up, z = along(z, -back)
    np.testing.assert_allclose(up, -down, rtol=0.0, atol=1e-12)  # the loop closes
    many, one = along(z, out[::-1])[1], LAW.state_along(z, -0.011)
    np.testing.assert_allclose(many, one, atol=1e-15)  # a step in one direction is exact, however long


def test_what_a_swing_takes():
    """4 c (a - c/k) of every element that slips at an amplitude a: work less what the springs store."""
    a = 0.009
    _, z = along(LAW.unbent, np.array([0.0, a]))
    path = a * np.cos(np.linspace(0.0, 2.0 * np.pi, 4001))
    forces, after = along(z, path)
    np.testing.assert_allclose(after, z, atol=1e-14)
    work = np.sum(0.5 * (forces + np.append(LAW.force_with(z), forces[:-1])) * np.diff(path))
    slips = a > C / K
    assert slips.tolist() == [True, True, False]
    assert work == pytest.approx((4.0 * C * (a - C / K))[slips].sum(), rel=1e-5)
    assert LAW.energy(z) == pytest.approx(0.5 * (K * np.minimum(a, C / K) ** 2).sum())


class Wound(NamedTuple):
    tau: Any
    z: Any


@armdyn.function("(n),(n),(springs),()->(n),(springs)", result=Wound, sizes={"springs": lambda model: 3})
def wound(model, q, qd, z, h):
    return Wound(-np.array([LAW.force_with(z)]), LAW.state_after(z, qd[0], 0.0, h))


def test_small_swings_in_a_closed_loop_are_those_of_springs():
    """No element slips: w^2 = sum k/M; then a blow makes all slip and the joint stands elsewhere."""
    arm = armdyn.load("planar_2r").with_gravity((0.0, 0.0, 0.0)).with_locked({"joint_2": 0.0})
    M = float(arm.mass_matrix([0.0])[0, 0])
    w, T = np.sqrt(K.sum() / M), 0.4
    small = 0.5 * w * (C / K).min()
    errors = []
    for steps in (2000, 4000):
        loop = armdyn.ClosedLoop(arm, wound, method=armdyn.simulation.SemiImplicitEuler(step=T / steps))
        errors.append(float(loop([0.0], [small], steps=steps).final.q[0]) / (small / w) - np.sin(w * T))
    assert abs(errors[0]) < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)  # a method of first order tends to it
    blow = loop([0.0], [1.0], steps=40000).final
    assert blow.q[0] > 10.0 * (C / K).max()
    np.testing.assert_array_less(abs(blow.z), C / K * (1.0 + 1e-12))


def test_as_a_law_and_errors():
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=LAW)})
    assert arm.friction_forces([0.0, 0.0], [1.0, -0.3]).tolist() == [0.0, -C.sum()]
    lower, upper = arm.with_gravity((0.0, 0.0, 0.0)).holding_forces([0.0, 0.0])
    assert (lower[1], upper[1]) == (-C.sum(), C.sum())
    with pytest.raises(ModelError, match="2 stiffnesses and 1 forces"):
        MaxwellSlip([1.0, 2.0], [1.0])
    with pytest.raises(ModelError, match="stiffnesses of MaxwellSlip is 0"):
        MaxwellSlip([0.0], [1.0])
    with pytest.raises(ModelError, match="expected one number an element"):
        MaxwellSlip([], [])
    with pytest.raises(ModelError, match="expected one number an element"):
        MaxwellSlip(3.0, 1.0)
