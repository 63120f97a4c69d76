"""Segments of motions in compiled loops beside the same motions by SciPy's solvers, and closed forms."""

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, LuGre, Motor, ServoFriction, Spring, Viscous
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    Constraints,
    Contact,
    Crossing,
    JointLimit,
    OverTime,
    Plane,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    Stops,
)
from armdyn.simulation.drivers import compiled_loops, compiled_segments
from armdyn.simulation.drivers.compiled_segments import LEAST_ATTEMPTS, PIECES_AT_ONCE, Segments
from oracles.short_run import each_once
from simulation.arms import FINE, PLANAR, near, slide, times


def drive(*friction: Any, efficiency: float = 1.0, **parts: Any) -> Actuator:
    return Actuator(Motor(rotor_inertia=2e-5), Gear(50.0, efficiency=efficiency), friction=list(friction), **parts)


def arm(*friction: Any, **parts: Any) -> armdyn.Robot:
    return PLANAR.with_actuators(dict.fromkeys(PLANAR.joint_names, drive(*friction, **parts)))


def both(monkeypatch: pytest.MonkeyPatch, robot: armdyn.Robot, **options: Any) -> tuple[Any, Any]:
    """The motion with compiled segments, some of which are made, and the one without."""
    advanced, advance = [], Segments.advance

    def counted(self: Segments, *arguments: Any) -> Any:
        found = advance(self, *arguments)
        advanced.append(found)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Segments, "advance", counted)
        compiled = armdyn.simulate(robot, **options)
    assert any(one is not None for one in advanced)
    with monkeypatch.context() as patched:
        patched.setattr(Segments, "of", lambda *_: None)
        return compiled, armdyn.simulate(robot, **options)


def require_same(compiled: Any, python: Any, within: float = 1e-8, pushes: float | None = None) -> None:
    """``pushes``: the forces of a stop and of friction at a joint that both hold differ by less, for only their sum is
    determined."""
    np.testing.assert_array_equal(compiled.t, python.t)
    assert [(one.name, one.kind) for one in compiled.events] == [(one.name, one.kind) for one in python.events]
    for a, b in zip(compiled.events, python.events, strict=True):
        near([a.t, *a.q], [b.t, *b.q], within)
    at = np.abs(compiled.t[:, None] - [-1.0, *(one.t for one in compiled.events)]).min(axis=1) > 1e-5
    pairs = [(getattr(compiled, name), getattr(python, name), 100 * within) for name in ("q", "qd")]
    for name in ("kinetic", "potential", "work"):
        pairs.append((getattr(compiled.energy, name), getattr(python.energy, name), 1e4 * within))
    assert compiled.signals.keys() == python.signals.keys()
    for name, values in python.signals.items():
        atol = pushes if pushes and name in ("stop_force", "friction") else 1e4 * within
        atol = 0.01 if name == "friction" and "bristles" in python.signals else atol  # of dz/dt near a kink
        pairs.append((compiled.signals[name], values, atol))
    for found, expected, atol in [*pairs, (compiled.qdd, python.qdd, 1e5 * within)]:
        near(found[at], expected[at], atol)


SPRING = Spring(stiffness=4e3, damping=1.0)
SWITCHES = BrakeSwitches({"joint_2": [(0.05, "engaged"), (0.15, "released")]})


@pytest.mark.parametrize(("name", "attempts"), [("springs", 1), ("springs", 16), ("brakes", LEAST_ATTEMPTS)])
def test_motions_do_not_depend_on_the_length_of_calls(monkeypatch: Any, name: str, attempts: int) -> None:
    """To the last bit: the next call continues a search for an event where the last one ended.

    Calls that keep polynomials have one length, and leave a longer search to Python.
    """
    assert LEAST_ATTEMPTS >= PIECES_AT_ONCE
    robot, elements = (
        (arm(brake=Brake(2.0)), [SWITCHES]) if name == "brakes" else (arm(Coulomb(0.5), spring=SPRING), [])
    )
    options: dict[str, Any] = {"q0": [0.3, -0.5], "duration": 0.25, "elements": elements}
    whole = armdyn.simulate(robot, **options)
    for setting in ("ATTEMPTS_AT_FIRST", "LEAST_ATTEMPTS"):
        monkeypatch.setattr(compiled_segments, setting, attempts)
    monkeypatch.setattr(compiled_loops, "SECONDS_AT_ONCE", 1e-9)
    in_pieces = armdyn.simulate(robot, **options)
    np.testing.assert_array_equal([in_pieces.q, in_pieces.qd], [whole.q, whole.qd])
    assert in_pieces.statistics.steps == whole.statistics.steps
    assert [one.t for one in in_pieces.events] == [one.t for one in whole.events]
    assert len(whole.events) > 1


SERVO = ServoFriction(coulomb=0.1, viscous=0.05, stribeck=0.1, speed=0.3, motor=0.12, external=0.1)
ROTOR, BRISTLES = drive(Coulomb(1.0), spring=SPRING), LuGre(2e2, 30.0, 0.4, static=0.5, kinetic=0.5, speed=0.1)
ARMS = {
    "rotors that stick": arm(Viscous(0.5), Coulomb(1.5), spring=SPRING),
    "lossy gears on springs": arm(Viscous(0.5), Coulomb(0.5), spring=SPRING, efficiency=0.8),
    "backlash": arm(Viscous(0.5), Coulomb(0.3), spring=Spring(4e3, damping=1.0, backlash=0.01)),
    "links and rotors": arm(Coulomb(0.5), spring=SPRING).with_friction({"joint_1": (0.1, 0.2)}),
    "one rigid joint": PLANAR.with_actuators({"joint_1": ROTOR, "joint_2": drive(SERVO)}),
    "bristles beside a rotor that sticks": PLANAR.with_actuators({"joint_1": ROTOR, "joint_2": drive(BRISTLES)}),
}


@pytest.mark.short_run("backlash", "links and rotors", "bristles beside a rotor that sticks")
@pytest.mark.parametrize("name", ARMS)
def test_flexible_joints(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    torque = OverTime([0.0, 0.3, 0.6], [[4.0, -1.0], [-3.0, 2.0], [0.0, 0.0]], "hold")
    compiled, python = both(monkeypatch, ARMS[name], q0=[0.3, -0.5], duration=0.4, torque=torque, method=FINE)
    require_same(compiled, python)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-6


@pytest.mark.parametrize("name", ["lossy gears on springs", "links"])
def test_forces_on_straight_lines_over_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Torques and a wrench whose corners are at other times; joints start when the line passes their friction."""
    robot = arm(Coulomb(1.0), Viscous(0.2)).with_limits({"joint_2": (-0.7, 2.0)}) if name == "links" else ARMS[name]
    wrenches = [[0.0, 0.0, 0.1, 1.0, 2.0, 0.0], [0.0, 0.0, 0.2, 3.0, 1.0, 0.0], [0.0] * 6]
    options = {"torque": OverTime([0.0, 0.2, 0.6], [[4.0, -1.0], [-3.0, 2.0], [8.0, 1.0]])}
    options |= {"f_tip": OverTime([0.0, 0.45, 0.6], wrenches), "elements": [Stops(0.3)] if name == "links" else []}
    compiled, python = both(monkeypatch, robot, q0=[0.3, -0.5], duration=0.5, method=FINE, **options)
    require_same(compiled, python, pushes=2.1 if name == "links" else None)
    near(compiled.tau, python.tau, 1e-13)
    near(compiled.f_tip, python.f_tip, 1e-13)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-7


RIGID = {"joint_1": drive(Coulomb(1.0)), "joint_2": drive(LuGre(2e3, 30.0, 0.4, 0.5, 0.4, 0.1))}
STEPS = {"links": PLANAR.with_actuators(RIGID), "rotors": ARMS["bristles beside a rotor that sticks"]}


@pytest.mark.short_run("links-RungeKutta4, step 0.001 s")
@pytest.mark.parametrize(("name", "method"), each_once(STEPS, [RungeKutta4(1e-3), SemiImplicitEuler(1e-3)]), ids=str)
def test_bristles_along_the_path_of_fixed_steps(monkeypatch: pytest.MonkeyPatch, name: str, method: Any) -> None:
    """Bristles beside joints that stick, a stop and an event; steps are those of the other loop to rounding."""
    robot = STEPS[name].with_limits({"joint_1": (0.1, 2.0)})
    torque = OverTime([0.0, 0.15, 0.3], [[4.0, -1.0], [-3.0, 2.0], [0.0, 0.0]], "hold")
    options = {"q0": [0.3, -0.5], "duration": 0.3, "torque": torque, "method": method, "elements": [Stops(0.2)]}
    options["events"] = [Crossing(lambda t, q, qd: q[1] + 0.8, "second")]
    compiled, python = both(monkeypatch, robot, **options)
    require_same(compiled, python, 1e-12)
    assert {"impact", "second"} & {word for one in compiled.events for word in (one.kind, one.name)}


@pytest.mark.parametrize(
    ("restitution", "friction"), each_once([0.6, 0.0], [(), (Coulomb(0.4), Viscous(0.1))]), ids=str
)
def test_stops(monkeypatch: pytest.MonkeyPatch, restitution: float, friction: tuple[Any, ...]) -> None:
    """With events at limits, and a polynomial of each step."""
    robot = (arm(*friction) if friction else PLANAR).with_limits({"joint_1": (-1.0, 1.0), "joint_2": (-0.7, 2.0)})
    duration = 0.9 if restitution else 2.0  # of ever smaller rebounds the errors grow
    events = [JointLimit(), Crossing(lambda t, q, qd: q[0] + 0.5 * q[1], "sum")]
    options = {"duration": duration, "elements": [Stops(restitution)], "events": events, "save": SaveAt(dense=True)}
    compiled, python = both(monkeypatch, robot, q0=[0.3, -0.5], method=FINE, **options)
    require_same(compiled, python, 1e-7, pushes=0.81 if friction else None)
    between = np.linspace(0.0, duration, 77)
    near(compiled.at(between).q, python.at(between).q, 1e-6)
    assert times(compiled, "impact")
    assert np.abs(compiled.energy.drift).max() < 1e-7


PLANE = Contact(PointOnPlane("tip", (0.0, 0.0, 1.0), (0.0, 0.0, -0.8)), restitution=0.5)
BRAKES = BrakeSwitches({"joint_1": [(0.4, "engaged"), (0.8, "released")]})
TURNED = Crossing(lambda t, q, qd: q[1] + 3.0, "turned", terminal=True)


@pytest.mark.parametrize(
    ("robot", "options", "expected"),
    [
        (
            arm(Coulomb(0.5), Viscous(0.2), spring=SPRING).with_limits({"joint_1": (0.2, 2.0)}),
            {"duration": 0.4, "elements": [Stops(0.3)]},
            {"impact"},
        ),
        (
            arm(Viscous(0.1), brake=Brake(30.0)),
            {"duration": 1.5, "events": [TURNED], "elements": [PLANE, BRAKES]},
            {"engaged", "released"},
        ),
    ],
    ids=["links behind springs", "contacts, brakes and terminal events"],
)
def test_elements(monkeypatch: pytest.MonkeyPatch, robot: Any, options: Any, expected: set[str]) -> None:
    compiled, python = both(monkeypatch, robot, q0=[0.3, -0.5], method=FINE, **options)
    require_same(compiled, python)
    assert expected <= {one.kind for one in compiled.events}


def test_times_of_a_bouncing_mass_are_right_to_rounding() -> None:
    """A slider that falls on a stop: t_k = sqrt(2 h / g) (1 + 2 e + 2 e^2 + ...)."""
    e, first = 0.7, np.sqrt(2.0 * 0.9 / 9.81)
    given: Any = {"elements": [Stops(e)], "method": Adaptive(rtol=1e-12, atol=1e-12)}
    motion = armdyn.simulate(slide((0, 0, 1), (0.0, 9.0)), [0.9], duration=2.2, **given)
    near(times(motion, "impact")[:6], first * (1.0 + 2.0 * np.cumsum([0.0, *(e**k for k in range(1, 6))])), 1e-12)


Q = [0.3, 0.8, -0.6]
CHAIN = armdyn.load("planar_3r")
CHANNEL = PointOnPlane("tip", (1, 2, 0), CHAIN.forward_kinematics(Q)[:3, 3], name="channel")
"""A plane in which the tip of the chain slides."""


def driven(*friction: Any, joints: tuple[int, ...] = (1, 2, 3), **parts: Any) -> armdyn.Robot:
    return CHAIN.with_actuators({f"joint_{k}": drive(*friction, **parts) for k in joints})


def held(*friction: Any, **parts: Any) -> armdyn.Robot:
    """The chain with its tip in the channel, and drives in some joints."""
    return driven(*friction, **parts).with_constraints(CHANNEL)


TURNS = OverTime([0.0, 0.3, 0.6], [[60.0, 20.0, 5.0], [-40.0, -30.0, 0.0], [0.0, 0.0, 0.0]], "hold")
"""Torques after which joints stick and start, N m."""
STRONG = LuGre(2e3, 100.0, 3.0, static=9.0, kinetic=9.0, speed=0.1)
STIFF = Spring(stiffness=4e3, damping=40.0)
PROJECT = Constraints(project=True)

CHAINS = {
    "dry joints": (held(Coulomb(9.0), Viscous(4.0)), [Constraints()]),
    "two that stick": (held(Coulomb(60.0), Viscous(4.0), joints=(2, 3)), [PROJECT]),
    "stops": (held(Coulomb(3.0)).with_limits({"joint_2": (-0.1, 0.9)}), [PROJECT, Stops(0.4)]),
    "rotors on springs": (held(Coulomb(9.0), spring=STIFF), [Constraints()]),
    "bristles": (held(STRONG, joints=(3,)).with_friction({"joint_1": (1.0, 20.0)}), [PROJECT]),
    "a brake": (held(Viscous(4.0), brake=Brake(900.0)), [BrakeSwitches({"joint_2": [(0.2, "engaged")]})]),
}


@pytest.mark.short_run(without=["two that stick", "rotors on springs"])  # as those with stops, and without constraints
@pytest.mark.parametrize("name", CHAINS)
def test_within_constraints(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The drift from the constraints is that of the other loop, or none if states are projected."""
    robot, elements = CHAINS[name]
    watched = [Crossing(lambda t, q, qd: q[0] - 0.2, "first")] if name == "two that stick" else []
    options = {"duration": 0.4, "torque": TURNS, "events": watched, "elements": elements, "method": FINE}
    compiled, python = both(monkeypatch, robot, q0=Q, **options)
    require_same(compiled, python, 3e-8)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-6
    for violation, exact in (
        (lambda motion: robot.constraint_error(motion.q), 1e-14),
        (lambda motion: robot.constraint_velocity(motion.q, motion.qd), 1e-12),
    ):
        here, there = (np.abs(violation(motion)).max() for motion in (compiled, python))
        assert here < (exact if PROJECT in elements else 1.5 * there + 1e-12)


@pytest.mark.short_run("rk4")
@pytest.mark.parametrize("method", [RungeKutta4(1e-3), SemiImplicitEuler(1e-3)], ids=["rk4", "semi_implicit"])
def test_events_of_functions_that_constraints_hold(monkeypatch: pytest.MonkeyPatch, method: Any) -> None:
    """A plane in which the tip stays is no event; steps that an event divides are projected at other places."""
    watched = [
        Plane("tip", CHANNEL.normal, CHANNEL.through, name="channel"),
        Crossing(lambda t, q, qd: q[0] - 0.25, "first"),
    ]
    options = {"q0": Q, "duration": 0.3, "torque": TURNS, "events": watched, "elements": [Constraints(project=True)]}
    compiled, python = both(monkeypatch, CHAINS["dry joints"][0], **options, method=method)
    require_same(compiled, python, 1e-9 if isinstance(method, RungeKutta4) else 1e-4)
    names = [one.name for one in compiled.events]
    assert "first" in names
    assert "channel" not in names


FLOOR = Contact(PointOnPlane("tip", (0, 1, 0), (0, 3.0, 0), name="floor"), restitution=0.3)
WALL = Contact(PointOnPlane("tip", (-1, 0, 0), (7.2, 0, 0), name="wall"))
STOPPED = driven(Coulomb(20.0), joints=(1,)).with_limits({"joint_2": (-0.1, 0.9)})
TOUCHING = {
    "dry joints": (driven(Coulomb(9.0), Viscous(4.0)), FINE, 0.9),
    "stops and steps of one length": (STOPPED, RungeKutta4(1e-3), 0.9),
    "rotors on springs": (driven(Coulomb(9.0), spring=STIFF), FINE, 0.75),
}


@pytest.mark.short_run("dry joints")
@pytest.mark.parametrize("name", TOUCHING)
def test_contacts_that_hold(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The tip falls on the floor, slides along it to a wall, and rests or leaves; joints stick meanwhile."""
    robot, method, duration = TOUCHING[name]
    elements = [FLOOR, WALL, *([Stops(0.3)] if "stops" in name else [])]
    compiled, python = both(monkeypatch, robot, q0=Q, duration=duration, elements=elements, method=method)
    require_same(compiled, python, 1e-7, pushes=40.1 if "stops" in name else None)  # errors grow by smaller rebounds
    assert {"impact", "rest"} <= {one.kind for one in compiled.events if one.name in ("floor", "wall")}
    on = compiled.signals["contact_force"][:, 0] > 0.0
    assert on.sum() > 20
    near(robot.forward_kinematics(compiled.q[on])[..., 1, 3], 3.0, 1e-13)
