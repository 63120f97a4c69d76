"""Links and rotors of flexible joints between the saved states, against closed forms."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Motor, Spring
from armdyn.simulation import Adaptive, Crossing, RungeKutta4, SaveAt, SettingError, Start
from oracles.two_masses import TwoMasses

ROTOR, K = 0.4, 30.0
HINGE = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
LINK = float(HINGE.mass_matrix([0.0])[0, 0])
START = (0.4, 1.0, 0.0, 0.2)
LEVEL = Crossing(lambda t, q, qd: qd[0] - 0.72, "level")
TIMES = np.random.default_rng(3).uniform(0.0, 2.0, (2, 30))


def moves(friction, *, batch=False, **settings):
    laws = Coulomb(friction) if friction else None
    robot = HINGE.with_actuators({"joint_1": Actuator(Motor(ROTOR), None, laws, spring=Spring(K))})
    state = np.array([START, np.add(START, 0.1)] if batch else START)[..., None]
    q, qd, theta, thetad = np.moveaxis(state, -2, 0)
    return armdyn.simulate(robot, q, qd, elements=[Start(theta=theta, thetad=thetad)], duration=2.0, **settings)


@pytest.mark.short_run("0.0-events1", "0.0-events0")
@pytest.mark.parametrize(("friction", "events"), [(0.0, []), (0.0, [LEVEL]), (2.0, [])])
def test_interpolants_are_as_accurate_as_the_steps(friction, events):
    """At times between states that are saved every half second: without friction and events, with each."""
    fine = Adaptive(rtol=1e-11, atol=1e-12)
    motion = moves(friction, batch=not events, method=fine, events=events, save=SaveAt(every=0.5, dense=True))
    for k, start in enumerate([START, np.add(START, 0.1)] if not events else [START]):
        at = TwoMasses(LINK, ROTOR, K, static=friction, kinetic=friction).motion(start, 2.0)[1]
        expected = np.array([at(t) for t in TIMES.ravel()]).reshape(2, 30, 4)
        own = motion if events else motion.pick(k)
        found = np.concatenate([*own.at(TIMES), *own.rotors_at(TIMES)], axis=-1)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    assert motion.rotors_at(TIMES).theta.shape == motion.at(TIMES).q.shape


def test_without_interpolants_the_error_is_of_the_fourth_order():
    at = TwoMasses(LINK, ROTOR, K).motion(START, 2.0)[1]
    expected = np.array([at(t)[2] for t in TIMES.ravel()])
    motions = [moves(0.0, method=RungeKutta4(2e-3), save=SaveAt(every=every)) for every in (0.1, 0.05)]
    errors = [abs(one.rotors_at(TIMES.ravel()).theta[:, 0] - expected).max() for one in motions]
    assert 12.0 < errors[0] / errors[1] < 20.0


def test_a_motion_without_rotors_is_refused():
    with pytest.raises(SettingError, match="has no rotors: no joint has a spring"):
        armdyn.simulate(HINGE, [0.0], duration=0.1).rotors_at(0.05)
