"""Motions with error control that cannot be continued, or hardly: each is named, and what was computed is kept."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring
from armdyn.simulation import Adaptive, SettingError, SimulationError, Stops

ARM = armdyn.load("planar_2r")
DRIVE = Actuator(Motor(rotor_inertia=1e-5), Gear(50.0), Coulomb(1.0), spring=Spring(1e9, damping=1e5))
STIFF = {
    "dampers": ARM.with_friction(dict.fromkeys(ARM.joint_names, (1000000.0, 0.0))),
    "dampers and dry friction": ARM.with_friction(dict.fromkeys(ARM.joint_names, (1000000.0, 0.1))),
    "springs and rotors that stick": ARM.with_actuators(dict.fromkeys(ARM.joint_names, DRIVE)),
}


@pytest.mark.parametrize("name", STIFF)
def test_a_motion_that_needs_too_many_steps_names_stiff_methods(name: str) -> None:
    with pytest.raises(SimulationError, match=r"after 500 steps \(max_steps\).*'radau'") as error:
        armdyn.simulate(STIFF[name], [0.3, 0.2], duration=5.0, method=Adaptive(max_steps=500))
    assert np.isfinite(error.value.trajectory.q).all()
    assert len(error.value.trajectory.t) > 1


def test_tolerances_below_rounding_are_refused() -> None:
    with pytest.raises(SettingError, match="rtol=1e-17 is below rounding"):
        Adaptive(rtol=1e-17, atol=1e-30)


@pytest.mark.parametrize("name", ["bare", "dry"])
def test_a_lane_that_is_lost_leaves_the_others_as_they_are_alone(name: str) -> None:
    robot = ARM if name == "bare" else ARM.with_friction(dict.fromkeys(ARM.joint_names, (0.1, 0.2)))
    q = np.array([[0.3, 0.2], [np.nan, 0.0], [0.1, -0.1]])
    motion = armdyn.simulate(robot, q, duration=0.3)
    assert any("1 of 3 states are not finite" in note for note in motion.notes)
    for k in (0, 2):
        np.testing.assert_array_equal(motion.q[:, k], armdyn.simulate(robot, q[k], duration=0.3).q)


def test_hundreds_of_rebounds_are_located_one_by_one() -> None:
    """Almost elastic: the energy is that of the impacts."""
    robot = ARM.with_limits({"joint_1": (-1.0, 1.0), "joint_2": (-1.0, 1.0)})
    motion = armdyn.simulate(robot, [0.3, 0.2], duration=20.0, elements=[Stops(0.9999)])
    impacts = [one for one in motion.events if one.kind == "impact"]
    assert len(impacts) > 50
    assert np.abs(motion.energy.drift).max() < 1e-6
    assert (motion.q > -1.0 - 1e-9).all()
    assert (motion.q < 1.0 + 1e-9).all()
