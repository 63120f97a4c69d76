"""Elements of a user's own: closed forms, energy, every driver, closed loops, gradients, C and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Motor, Spring
from armdyn.base.errors import DTypeError, Unsupported
from armdyn.simulation import Element, RungeKutta4, SaveAt
from simulation.arms import near

M, K, REST, V = 2.0, 300.0, 0.3, 1.5
BODY = armdyn.Inertia(M, [0, 0, 0], 0.1 * np.eye(3))
SLIDE = armdyn.Robot.from_links(
    [armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), inertia=BODY, joint="x")], tip="x"
)
W = np.sqrt(K / M)


@dataclass(frozen=True)
class Cable(Element):
    """A cable along the first joint, a slide: it pulls beyond its rest length, and never pushes."""

    stiffness: float = K
    rest: float = REST
    damping: float = 0.0

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        pull = self.stiffness * armdyn.maximum(q[0] - self.rest, 0.0) + self.damping * qd[0]
        return np.array([-pull, *np.zeros(model.dof - 1)])

    def energy(self, model: Any, q: Any) -> Any:
        stretch = armdyn.maximum(q[0] - self.rest, 0.0)
        return 0.5 * self.stiffness * stretch * stretch

    def located(self, model: Any, q: Any, qd: Any) -> Any:
        return (q[0] - self.rest,)


@dataclass(frozen=True)
class Detent(Element):
    """Six positions a turn in which a joint stays."""

    joint: int
    size: float

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        return np.array([-self.size * np.sin(6.0 * q[k]) if k == self.joint else 0.0 for k in range(model.dof)])

    def energy(self, model: Any, q: Any) -> Any:
        return self.size / 6.0 * (1.0 - np.cos(6.0 * q[self.joint]))


@dataclass(frozen=True)
class Reach(Element):
    """A spring from the base's origin to the tip, by functions of the algorithms."""

    stiffness: float

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        tip = armdyn.algorithms.forward_kinematics(model, q)[:3, 3]
        J = armdyn.algorithms.jacobian(model, q, expressed_in="world")[3:]
        return -self.stiffness * (J.T @ tip)

    def energy(self, model: Any, q: Any) -> Any:
        tip = armdyn.algorithms.forward_kinematics(model, q)[:3, 3]
        return 0.5 * self.stiffness * (tip @ tip)


def thrown(t: np.ndarray) -> np.ndarray:
    """Free until the cable is taut, half a vibration on it, and back."""
    taut = REST / V
    back = taut + np.pi / W
    swing = REST + V / W * np.sin(W * (t - taut))
    return np.where(t < taut, V * t, np.where(t < back, swing, REST - V * (t - back)))


@pytest.mark.parametrize(
    ("method", "error"),
    [("adaptive", 1e-9), (RungeKutta4(0.01), 2e-6), ("variational", 2e-5), ("abm4", 1e-5), ("radau", 1e-7)],
)
def test_a_cable_that_only_pulls_in_closed_form(method: Any, error: float) -> None:
    motion = armdyn.simulate(SLIDE, [0.0], [V], duration=0.7, method=method, elements=[Cable()], save=SaveAt(every=0.1))
    near(motion.q[:, 0], thrown(motion.t), error)
    assert abs(motion.energy.drift).max() < 10 * error
    assert motion.energy.potential.max() > 0.5


@pytest.mark.parametrize("method", ["adaptive", "rk4", "semi_implicit_euler"])
@pytest.mark.parametrize("friction", [(0.0, 0.0), (0.1, 0.8)])
def test_lost_energy_is_counted(method: str, friction: tuple[float, float]) -> None:
    """K + P + E - W stays, with a damper in the element and with joints that stick."""
    arm = SLIDE.with_friction({"x": friction})
    motion = armdyn.simulate(arm, [0.0], [V], duration=1.5, method=method, elements=[Cable(damping=3.0)])
    assert abs(motion.energy.drift).max() < (1e-2 if method == "semi_implicit_euler" else 1e-7)
    assert motion.energy.work[-1] < -1.5


def test_forces_energies_and_inverse_dynamics() -> None:
    arm, q, qd = armdyn.load("ur5"), np.linspace(0.3, -1.2, 6), np.linspace(0.2, 0.9, 6)
    sprung = arm.with_elements(Reach(40.0), Detent(1, 2.0))
    h = 1e-6
    slope = [(sprung.potential_energy(q + h * e) - sprung.potential_energy(q - h * e)) / (2 * h) for e in np.eye(6)]
    static = sprung.gravity_forces(q) + sprung.parallel_spring_forces(q)
    near(static, slope, 1e-6)
    np.testing.assert_allclose(sprung.gravity_forces(q), arm.gravity_forces(q), rtol=1e-13)
    added = sprung.bias_forces(q, qd) - arm.bias_forces(q, qd)
    near(added, sprung.parallel_spring_forces(q), 1e-11)
    tau = np.linspace(5.0, -3.0, 6)
    qdd = sprung.forward_dynamics(q, qd, tau)
    near(sprung.inverse_dynamics(q, qd, qdd), tau, 1e-10)
    by_mass = sprung.forward_dynamics(q, qd, tau, method="mass_matrix")
    np.testing.assert_allclose(by_mass, qdd, rtol=1e-10)


def test_lost_energy_is_counted_beside_flexible_joints() -> None:
    """A cable that damps a flexible slide, whose rotor has no dry friction."""
    arm = SLIDE.with_actuators({"x": Actuator(Motor(0.3), spring=Spring(400.0, damping=0.5))})
    motion = armdyn.simulate(arm, [0.0], [V], duration=1.5, elements=[Cable(damping=3.0)])
    assert abs(motion.energy.drift).max() < 1e-7
    assert -motion.energy.work[-1] > 0.1


def test_c_code_contains_the_element() -> None:
    code = armdyn.ClosedLoop(SLIDE.with_elements(Cable(777.0)), method=RungeKutta4(1e-3)).to_c(name="arm")
    assert "777" in code.source


@dataclass(frozen=True)
class Short(Element):
    def force(self, model: Any, q: Any, qd: Any) -> Any:
        return q[:1]


class Changeable(Element):
    """A class whose objects can change."""

    def __init__(self) -> None:
        self.numbers = [1.0]

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        return 0.0 * q


class Filled(Element):
    """A spring whose force is written into an array of floats."""

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        F = np.zeros(model.dof)
        F[0] = -30.0 * q[0]
        return F


def test_a_force_in_an_array_of_floats_is_told_the_array_to_use() -> None:
    with pytest.raises(
        armdyn.TraceError, match=r"F\[0\] = .* Make the array that is filled np\.zeros\(n, dtype=object\)"
    ):
        armdyn.simulate(SLIDE, [0.1], duration=0.1, elements=[Filled()])


@dataclass(frozen=True)
class Reversed(Cable):
    """A cable whose energy has the wrong sign."""

    def energy(self, model: Any, q: Any) -> Any:
        return -super().energy(model, q)


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_an_energy_that_is_not_the_potential_of_the_force_is_named(method: str) -> None:
    motion = armdyn.simulate(SLIDE, [0.5], duration=0.5, method=method, elements=[Reversed()])
    (note,) = motion.notes
    assert (
        "the energy of Reversed is not the potential of its force: at x = 0.5 the force is -60 and -dE/dq is 60" in note
    )
    assert "torque" not in note
    assert armdyn.simulate(SLIDE, [0.5], duration=0.5, method=method, elements=[Cable()]).notes == ()


@dataclass(frozen=True)
class WithoutModel(Element):
    def force(self, q: Any, qd: Any) -> Any:  # type: ignore[override]
        return -q


def test_refused() -> None:
    with pytest.raises(
        DTypeError, match=r"WithoutModel\.force\(.*other arguments; expected force\(self, model, q, qd\)"
    ):
        armdyn.simulate(SLIDE, [0.1], duration=0.1, elements=[WithoutModel()])
    arm = armdyn.load("planar_2r")
    with pytest.raises(Unsupported, match=r"force of Short has shape \(1,\); expected \(2,\)"):
        armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Short()])
    with pytest.raises(DTypeError, match="expected an object of a frozen dataclass"):
        arm.with_elements(Changeable())
    held = arm.with_elements(Detent(0, 1.0))
    for change in (
        lambda: held.with_locked({"joint_2": 0.0}),
        lambda: held.with_joint_order(["joint_2", "joint_1"]),
        lambda: held.with_mimic({"joint_2": ("joint_1", 1.0)}),
        held.to_urdf,
        held.to_mjcf,
        lambda: held.to_dh("modified"),
    ):
        with pytest.raises(Unsupported, match="leaves out Detent of 'planar_2r'"):
            change()
    with pytest.raises(Unsupported, match="has no derivatives of Detent"):
        held.inverse_dynamics_derivatives([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
