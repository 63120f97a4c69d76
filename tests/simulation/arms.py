"""Arms, laws of friction and comparisons that tests of motions share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, FrictionLaw, Gear, Motor, Slopes, Spring
from armdyn.simulation import Adaptive, RungeKutta4, Start

G, MASS = 9.81, 2.0
ETA, BACK = 0.8, 0.55
"""Efficiencies of a gear that drives its load, and that its load drives."""
FINE = Adaptive(rtol=1e-11, atol=1e-12)
PLANAR = armdyn.load("planar_2r")
WEIGHTLESS = PLANAR.with_gravity((0, 0, 0))
both = pytest.mark.parametrize("method", ["adaptive", RungeKutta4(step=0.02)], ids=["adaptive", "rk4"])
"""Event-driven steps of an adaptive and of a fixed length."""


def near(found: Any, expected: Any, within: float) -> None:
    """Equal to an absolute tolerance."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)


def kinds(motion: Any) -> list[tuple[str, str]]:
    """Kinds and names of events."""
    return [(one.kind, one.name) for one in motion.events]


def times(motion: Any, kind: str = "", name: str = "") -> list[float]:
    """Times of events of a kind, or of a name."""
    return [one.t for one in motion.events if one.kind == kind or one.name == name]


def drifts(motion: Any) -> float:
    """The largest error of the energy account, relative to what changed hands."""
    return float(np.abs(motion.energy.relative_drift).max())


def body(mass: float = MASS, com: Any = (0, 0, 0), moment: float = 0.1) -> armdyn.Inertia:
    return armdyn.Inertia(mass, com, moment * np.eye(3))


def slide(axis: Any = (1, 0, 0), limits: Any = (-np.inf, np.inf), gravity: Any = (0, 0, -G)) -> armdyn.Robot:
    """A mass that slides along an axis."""
    part = armdyn.Part("mass", "base", "prismatic", axis=axis, inertia=body(), joint="x")
    return armdyn.Robot.from_links([part], gravity=gravity, tip="mass").with_limits({"x": limits})


def block(c: float = 4.0, b: float = 0.0, limits: Any = (-np.inf, np.inf)) -> armdyn.Robot:
    """A mass that slides along x with Coulomb and viscous friction."""
    return slide(limits=limits).with_friction({"x": (b, c)})


def rod(length: float = 0.4) -> armdyn.Robot:
    """A rod that stretches out where q = 0 and hangs down where q = -pi/2; its inertia is m l^2 + 0.02."""
    bob = armdyn.Inertia(MASS, [length, 0, 0], np.diag([1e-3, 0.02, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob, joint="hinge")
    return armdyn.Robot.from_links([part], gravity=(0, -G, 0), tip="rod")


def geared(rotor: float = 0.0, *friction: Any, eta: float = ETA, back: float = BACK, **more: Any) -> Actuator:
    """A lossy gear with the reflected inertia of a rotor before it."""
    motor = Motor(rotor) if rotor else None
    return Actuator(motor, Gear(1.0, efficiency=eta, back_efficiency=back), friction, **more)


def lift(rotor: float = 0.0, *friction: Any, limits: Any = (-np.inf, np.inf), **more: Any) -> armdyn.Robot:
    """A mass on a vertical slide behind a lossy gear."""
    return slide((0, 0, 1), limits).with_actuators({"x": geared(rotor, *friction, **more)})


def boom(rotor: float = 0.0, *friction: Any) -> armdyn.Robot:
    """The rod behind a lossy gear."""
    return rod().with_actuators({"hinge": geared(rotor, *friction)})


def cart(gravity: Any = (0, -G, 0)) -> armdyn.Robot:
    """A mass that moves in a plane, by a slide along x that carries one along y."""
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), joint="along"),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0), joint="up", inertia=body()),
    ]
    return armdyn.Robot.from_links(parts, gravity=gravity, tip="y")


def two_slides(first: float = 1.0, second: float = 1.5) -> armdyn.Robot:
    """Two masses beside each other along x, with Coulomb friction."""
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body(), joint=joint)
        for name, joint in (("a", "first"), ("b", "second"))
    ]
    return armdyn.Robot.from_links(parts, tip="a").with_friction({"first": (0.0, first), "second": (0.0, second)})


def mimicking_slides() -> armdyn.Robot:
    """The second slide goes back twice as far as the first forwards: 1 + 2 * 1.5 N hold them, 5 masses move."""
    return two_slides().with_mimic({"second": ("first", -2.0)})


def dry_ur5() -> armdyn.Robot:
    ur5 = armdyn.load("ur5")
    return ur5.with_friction(dict(zip(ur5.joint_names, [(0.5, f) for f in (8, 8, 6, 2, 2, 1)], strict=True)))


# One flexible joint: a hinge of two links that are locked together, without gravity.

HINGE = WEIGHTLESS.with_locked({"joint_2": 0.0})
LINK, ROTOR, K = float(HINGE.mass_matrix([0.0])[0, 0]), 0.4, 30.0


def hinge(*laws: Any, spring: Spring | None = None, gear: Gear | None = None, robot: Any = HINGE, **more: Any) -> Any:
    """A joint with a spring between its rotor, which these laws brake, and its link."""
    drive = Actuator(Motor(rotor_inertia=ROTOR), gear, laws or None, spring=spring or Spring(K), **more)
    return robot.with_actuators({robot.joint_names[0]: drive})


def sprung(robot: armdyn.Robot, state: Any, elements: Any = (), **settings: Any) -> armdyn.Trajectory:
    """The motion of one flexible joint from (q, qd, theta, thetad)."""
    q, qd, theta, thetad = ([one] for one in state)
    return armdyn.simulate(robot, q, qd, elements=[Start(theta=theta, thetad=thetad), *elements], **settings)


def states(motion: Any) -> np.ndarray:
    """(q, qd, theta, thetad) of one flexible joint over time."""
    return np.stack([motion.q, motion.qd, motion.signals["theta"], motion.signals["thetad"]], axis=-1)[:, 0]


@dataclass(frozen=True)
class Breaking(FrictionLaw):
    """Static friction above the kinetic one, each with its own size forwards; a law of the tests alone."""

    static: float
    kinetic: float
    forwards: float = 1.0

    def force(self, rate: Any, load: Any) -> Any:
        size = armdyn.program.select(armdyn.program.less(rate, 0.0), self.kinetic, self.kinetic * self.forwards)
        return size * armdyn.program.sign(rate)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        return Slopes(0.0, 0.0)

    def breakaway(self, load: Any) -> Any:
        return self.static * max(self.forwards, 1.0)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        return -self.static, self.static * self.forwards
