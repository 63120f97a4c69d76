"""`simulate(controller=...)`: the motion of a closed loop, and the options that it does not have."""

import re
from functools import partial
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Gear
from armdyn.base.errors import TraceError, UnknownName
from armdyn.control import pd_gravity
from armdyn.simulation import (
    BrakeSwitches,
    Constraints,
    Crossing,
    Euler,
    OverTime,
    RungeKutta4,
    SaveAt,
    SettingError,
    Start,
)

ARM = armdyn.load("planar_2r")
AIM = {"q_ref": [0.5, -0.5], "Kp": 60.0, "Kd": 20.0}
HOLDS = partial(pd_gravity, **AIM)
LOOP = armdyn.ClosedLoop(ARM, pd_gravity)
FLOOR = armdyn.constraints.PointOnPlane("tip", (0, 1, 0), (0, -1, 0), name="floor")


def test_the_motion_is_that_of_the_closed_loop() -> None:
    loop = armdyn.ClosedLoop(ARM, pd_gravity, method=RungeKutta4(step=2e-3))
    expected = loop.simulate([0.1, 0.2], [0.3, 0.0], steps=500, every=50, **AIM)
    motion = armdyn.simulate(
        ARM, [0.1, 0.2], [0.3, 0.0], duration=1.0, controller=HOLDS, method=RungeKutta4(2e-3), save=SaveAt(every=0.1)
    )
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(motion, name), getattr(expected, name))
    np.testing.assert_array_equal(motion.signals["q_ref"], expected.signals["q_ref"])


def test_the_default_method_is_runge_kutta_in_steps_of_a_millisecond() -> None:
    motion = armdyn.simulate(ARM, [0.1, 0.2], duration=0.05, controller=HOLDS)
    assert len(motion.t) == 51
    assert motion.statistics.method == str(RungeKutta4())


def test_constraints_and_rotors_and_brakes_reach_the_loop() -> None:
    channel = ARM.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
    q0 = [-np.pi / 3, 2 * np.pi / 3]
    still = partial(pd_gravity, q_ref=q0, Kp=0.0, Kd=0.0)
    project = {"elements": [Constraints(project=True)], "method": RungeKutta4(1e-2)}
    held = armdyn.simulate(channel, q0, [1.0, 0.0], duration=3.0, controller=still, **project)
    assert abs(channel.constraint_error(held.q)).max() < 1e-13
    braked = ARM.with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.5))})
    stops = BrakeSwitches({"joint_2": [(0.1, "engaged")]})
    swings = partial(pd_gravity, q_ref=[0.0, 0.0], Kp=2.0, Kd=0.0)
    motion = armdyn.simulate(braked, [0.3, 0.3], duration=0.6, controller=swings, elements=[stops])
    assert motion.qd[60, 1] != 0.0
    assert motion.qd[-1, 1] == 0.0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"torque": [0.0, 0.0]}, SettingError, "torque and controller are both given"),
        ({"events": [Crossing(lambda t, q, qd: q[0])]}, SettingError, "events and controller are both given"),
        ({"method": "adaptive"}, SettingError, "has no steps of one length, at which a controller could be called"),
        ({"save": SaveAt(times=[0.1])}, SettingError, "SaveAt(times=...) has states between the steps of a controller"),
        ({"save": SaveAt(dense=True)}, SettingError, "SaveAt(dense=True) has states between the steps of a controller"),
        ({"elements": [Constraints("error")]}, SettingError, "Constraints(redundant='error') is not of closed loops"),
        ({"duration": 0.1234567}, SettingError, "duration is 0.123457 s; expected a multiple of the step, 0.001 s"),
        ({"duration": -1.0}, SettingError, "duration is -1.0; expected a number above zero"),
        ({"controller": lambda t, q, qd: q}, TraceError, "is not a declared function; write @armdyn.function("),
        ({"controller": partial(pd_gravity, [0.5, 0.5])}, SettingError, "inputs of a controller are given by name"),
        ({"controller": partial(pd_gravity, **AIM, K=1.0)}, UnknownName, "'K'"),
        ({"elements": [Start(theta=[0.0, 0.0])]}, UnknownName, "'theta'"),
        ({"f_tip": np.zeros((5, 6))}, SettingError, "f_tip has shape (5, 6); under a controller it is constant"),
        ({"f_tip": lambda t, q, qd: np.zeros(6)}, SettingError, "under a controller it is constant: expected shape"),
        ({"f_tip": OverTime([0, 1], np.zeros((2, 6)))}, SettingError, "under a controller it is constant: expected"),
        ({"controller": LOOP}, SettingError, "controller is <closed loop of 'planar_2r': pd_gravity"),
        ({"controller": None, "torque": LOOP}, SettingError, "torque is <closed loop of 'planar_2r': pd_gravity"),
        ({"controller": None, "torque": HOLDS}, SettingError, "expected controller=functools.partial(pd_gravity, ...)"),
        ({"controller": None, "torque": pd_gravity}, SettingError, "expected controller=functools.partial(pd_gravity"),
        ({"method": Euler(), "save": SaveAt(every=1.5e-3)}, SettingError, "is not a multiple of the step 0.001 s"),
    ],
)
def test_options_that_loops_do_not_have(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    given = {"duration": 0.2, "controller": HOLDS} | options
    with pytest.raises(kind, match=re.escape(message)):
        armdyn.simulate(ARM, [0.1, 0.2], **given)


def test_one_wrench_for_each_state_of_a_batch() -> None:
    wrenches = np.zeros((2, 6))
    wrenches[1, 4] = 5.0
    motion = armdyn.simulate(ARM, np.zeros((2, 2)), duration=0.2, controller=HOLDS, f_tip=wrenches)
    for k in range(2):
        alone = armdyn.simulate(ARM, np.zeros(2), duration=0.2, controller=HOLDS, f_tip=wrenches[k])
        np.testing.assert_allclose(motion.q[:, k], alone.q, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("duration", "give steps=, the number of steps"),
        ("step", "the step belongs to the loop's method"),
        ("save_every", "give every="),
        ("elements", "elements belong to the loop, armdyn.ClosedLoop(..., elements=[Stops(...)])"),
        ("events", "events are located by armdyn.simulate"),
        ("torque", "tau is the controller's"),
        ("project", "the projection belongs to the loop, armdyn.ClosedLoop(..., elements=[Constraints(project=True)])"),
    ],
)
def test_a_loop_names_its_counterpart_of_an_argument_of_simulate(name: str, remedy: str) -> None:
    for call in (LOOP, LOOP.simulate):
        with pytest.raises(UnknownName, match=re.escape(f"no argument {name!r} in a call of a closed loop; {remedy}")):
            call([0.0, 0.0], steps=10, **AIM, **{name: 1.0})
