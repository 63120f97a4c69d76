"""What a trajectory says about the motion beside the numbers."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn.motion.energy import EnergyAccount
from armdyn.simulation import Adaptive, Euler, RungeKutta4
from armdyn.simulation.results import notes_on
from armdyn.simulation.samples import Effort, Samples


def with_joint(robot: armdyn.Robot, k: int, **changes: object) -> armdyn.Robot:
    joints = list(robot.model.joints)
    joints[k] = dataclasses.replace(joints[k], **changes)
    return armdyn.Robot(robot.model.replace(joints=tuple(joints)))


def test_limits_that_are_left_are_named() -> None:
    limits = armdyn.Limits(lower=-0.5, upper=0.5, velocity=1.0, effort=5.0)
    robot = with_joint(armdyn.load("planar_2r"), 0, limits=limits)
    position, velocity, torque = armdyn.simulate(robot, [0.0, 0.0], duration=1.0, torque=[-7.0, 0.0]).notes
    assert position.startswith("position limits, which are not enforced, are left by joint_1 from t = 0.")
    assert position.endswith(" rad")
    assert velocity.startswith("velocity limits, which are not enforced, are left by joint_1")
    assert torque == "torque limits, which are not enforced, are left by joint_1 from t = 0 s on by up to 2 N m"


def test_a_motion_within_limits_has_no_notes() -> None:
    assert armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.05).notes == ()


def test_energy_that_comes_from_the_steps_is_told() -> None:
    arm = armdyn.load("planar_2r")
    found = arm.simulate([0.3, -0.8], duration=4.0, method=Euler(step=0.1))
    (told,) = (note for note in found.notes if "energy" in note)
    assert "the step of 0.1 s is too long for this motion. Use a shorter one, or method='adaptive'" in told
    assert not any(
        "energy" in note for note in arm.simulate([0.3, -0.8], duration=4.0, method=RungeKutta4(step=0.01)).notes
    )


@pytest.mark.parametrize(("part", "notes"), [(1e-6, 1), (1e-10, 0)])
def test_energy_beyond_the_tolerance_of_an_adaptive_motion_is_told(part: float, notes: int) -> None:
    """The account of a pendulum that lost a part of its energy on the way, as if the steps had taken it."""
    arm, method = armdyn.load("planar_2r", gravity=(0, -9.81, 0)), Adaptive()
    found = arm.simulate([0.3, -0.8], duration=2.0)
    assert not found.notes
    samples = Samples(found.t, found.q, found.qd, found.energy.work, (found.tau,), effort=Effort(50, 600))
    lost = part * found.energy.scale * found.t / 2.0
    energy = EnergyAccount(found.energy.kinetic - lost, found.energy.potential, found.energy.work)
    told = [note for note in notes_on(arm, method, samples, energy) if "energy" in note]
    assert len(told) == notes
    for note in told:
        assert "1e-06 of what changed hands (t = 2 s): more than the errors of its 50 steps at rtol 1e-10" in note


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10, 1e-12])
@pytest.mark.parametrize("scipy_method", ["DOP853", "RK45"])
def test_energy_within_the_tolerance_is_not(tolerance: float, scipy_method: str) -> None:
    arm, method = armdyn.load("planar_2r", gravity=(0, -9.81, 0)), Adaptive(tolerance, tolerance, scipy_method)
    assert not arm.simulate([0.3, -0.8], duration=1.0 if scipy_method == "RK45" else 10.0, method=method).notes


def test_progress_goes_to_stderr_and_away(capsys: pytest.CaptureFixture[str]) -> None:
    for method in ("rk4", "adaptive"):
        armdyn.simulate(armdyn.load("planar_2r"), np.zeros((2, 2)), duration=0.1, method=method, progress=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("controlled", [False, True])
def test_the_step_of_a_motion_that_is_shorter_is_its_duration(controlled: bool) -> None:
    """In the label, the table, and the note on energy, as that step would say itself."""
    arm = armdyn.load("planar_2r")

    @armdyn.function("(n),(n)->(n)")
    def holds(model: armdyn.Model, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return -0.5 * qd

    forces = {"controller": holds} if controlled else {"torque": [0.0, 0.1]}
    found, other = (arm.simulate([0.1, 0.2], duration=0.5, method=RungeKutta4(step=h), **forces) for h in (1.0, 0.5))
    assert found.statistics.method == "RungeKutta4, step 0.5 s"
    assert str(found).splitlines()[0].endswith("; RungeKutta4, step 0.5 s>")
    assert found.notes == other.notes
    assert controlled or "the step of 0.5 s is too long" in found.notes[0]
    np.testing.assert_array_equal(found.q, other.q)
    shorter = arm.simulate([0.1, 0.2], duration=0.25, method=RungeKutta4(step=0.1))
    assert shorter.statistics.method == "RungeKutta4, step 0.1 s"
