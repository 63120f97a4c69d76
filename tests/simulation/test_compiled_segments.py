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

NAMES = ("joint_1", "joint_2")
ARM = armdyn.load("planar_2r")
FINE = {"method": Adaptive(rtol=1e-11, atol=1e-11)}


def drive(
    *friction: Any, spring: Spring | None = None, efficiency: float = 1.0, brake: Brake | None = None
) -> Actuator:
    gear = Gear(50.0, efficiency=efficiency)
    return Actuator(Motor(rotor_inertia=2e-5), gear, friction=list(friction), spring=spring, brake=brake)


def arm(*friction: Any, **parts: Any) -> armdyn.Robot:
    return ARM.with_actuators({name: drive(*friction, **parts) for name in NAMES})


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
        assert abs(a.t - b.t) < within
        np.testing.assert_allclose(a.q, b.q, rtol=0, atol=within)
    near = np.abs(compiled.t[:, None] - [-1.0, *(one.t for one in compiled.events)]).min(axis=1) > 1e-5
    for name in ("q", "qd"):
        np.testing.assert_allclose(
            getattr(compiled, name)[near], getattr(python, name)[near], rtol=0, atol=100 * within
        )
    for name in ("kinetic", "potential", "work"):
        parts = (getattr(motion.energy, name)[near] for motion in (compiled, python))
        np.testing.assert_allclose(*parts, rtol=0, atol=1e4 * within)
    assert compiled.signals.keys() == python.signals.keys()
    for name, values in python.signals.items():
        atol = pushes if pushes and name in ("stop_force", "friction") else 1e4 * within
        atol = 0.01 if name == "friction" and "bristles" in python.signals else atol  # of dz/dt near a kink
        np.testing.assert_allclose(compiled.signals[name][near], values[near], rtol=0, atol=atol, err_msg=name)
    np.testing.assert_allclose(compiled.qdd[near], python.qdd[near], rtol=0, atol=1e5 * within)


@pytest.mark.parametrize(("name", "attempts"), [("springs", 1), ("springs", 16), ("brakes", LEAST_ATTEMPTS)])
def test_motions_do_not_depend_on_the_length_of_calls(
    monkeypatch: pytest.MonkeyPatch, name: str, attempts: int
) -> None:
    """To the last bit: the next call continues a search for an event where the last one ended.

    Calls that keep polynomials have one length, and leave a longer search to Python.
    """
    assert LEAST_ATTEMPTS >= PIECES_AT_ONCE
    switches = BrakeSwitches({"joint_2": [(0.05, "engaged"), (0.15, "released")]})
    robot, elements = {
        "brakes": (arm(brake=Brake(2.0)), [switches]),
        "springs": (arm(Coulomb(0.5), spring=SPRING), []),
    }[name]
    options: dict[str, Any] = {"q0": [0.3, -0.5], "duration": 0.25, "elements": elements}
    whole = armdyn.simulate(robot, **options)
    for setting in ("ATTEMPTS_AT_FIRST", "LEAST_ATTEMPTS"):
        monkeypatch.setattr(compiled_segments, setting, attempts)
    monkeypatch.setattr(compiled_loops, "SECONDS_AT_ONCE", 1e-9)
    in_pieces = armdyn.simulate(robot, **options)
    np.testing.assert_array_equal(in_pieces.q, whole.q)
    np.testing.assert_array_equal(in_pieces.qd, whole.qd)
    assert in_pieces.statistics.steps == whole.statistics.steps
    assert [one.t for one in in_pieces.events] == [one.t for one in whole.events]
    assert len(whole.events) > 1


SPRING = Spring(stiffness=4e3, damping=1.0)
SERVO = ServoFriction(coulomb=0.1, viscous=0.05, stribeck=0.1, speed=0.3, motor=0.12, external=0.1)
ARMS = {
    "rotors that stick": arm(Viscous(0.5), Coulomb(1.5), spring=SPRING),
    "lossy gears on springs": arm(Viscous(0.5), Coulomb(0.5), spring=SPRING, efficiency=0.8),
    "backlash": arm(Viscous(0.5), Coulomb(0.3), spring=Spring(4e3, damping=1.0, backlash=0.01)),
    "links and rotors": arm(Coulomb(0.5), spring=SPRING).with_friction({"joint_1": (0.1, 0.2)}),
    "one rigid joint": ARM.with_actuators({"joint_1": drive(Coulomb(1.0), spring=SPRING), "joint_2": drive(SERVO)}),
    "bristles beside a rotor that sticks": ARM.with_actuators(
        {
            "joint_1": drive(Coulomb(1.0), spring=SPRING),
            "joint_2": drive(LuGre(2e2, 30.0, 0.4, static=0.5, kinetic=0.5, speed=0.1)),
        }
    ),
}


@pytest.mark.parametrize("name", ARMS)
def test_flexible_joints(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    torque = OverTime([0.0, 0.3, 0.6], [[4.0, -1.0], [-3.0, 2.0], [0.0, 0.0]], "hold")
    options = {"q0": [0.3, -0.5], "duration": 0.6, "torque": torque, **FINE}
    compiled, python = both(monkeypatch, ARMS[name], **options)
    require_same(compiled, python)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-6


@pytest.mark.parametrize("name", ["rotors that stick", "lossy gears on springs", "links"])
def test_forces_on_straight_lines_over_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Torques and a wrench whose corners are at other times; joints start when the line passes their friction."""
    robot = arm(Coulomb(1.0), Viscous(0.2)).with_limits({"joint_2": (-0.7, 2.0)}) if name == "links" else ARMS[name]
    options = {
        "q0": [0.3, -0.5],
        "duration": 0.6,
        "torque": OverTime([0.0, 0.2, 0.6], [[4.0, -1.0], [-3.0, 2.0], [8.0, 1.0]]),
        "f_tip": OverTime(
            [0.0, 0.45, 0.6], [[0.0, 0.0, 0.1, 1.0, 2.0, 0.0], [0.0, 0.0, 0.2, 3.0, 1.0, 0.0], [0.0] * 6]
        ),
        "elements": [Stops(0.3)] if name == "links" else [],
    }
    compiled, python = both(monkeypatch, robot, **options, **FINE)
    require_same(compiled, python, pushes=2.1 if name == "links" else None)
    np.testing.assert_allclose(compiled.tau, python.tau, rtol=0, atol=1e-13)
    np.testing.assert_allclose(compiled.f_tip, python.f_tip, rtol=0, atol=1e-13)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-7


STEPS = {
    "links": ARM.with_actuators(
        {"joint_1": drive(Coulomb(1.0)), "joint_2": drive(LuGre(2e3, 30.0, 0.4, 0.5, 0.4, 0.1))}
    ),
    "rotors": ARMS["bristles beside a rotor that sticks"],
}


@pytest.mark.parametrize("method", [RungeKutta4(1e-3), SemiImplicitEuler(1e-3)], ids=["rk4", "semi_implicit"])
@pytest.mark.parametrize("name", STEPS)
def test_bristles_along_the_path_of_fixed_steps(monkeypatch: pytest.MonkeyPatch, name: str, method: Any) -> None:
    """Bristles beside joints that stick, a stop and an event; steps are those of the other loop to rounding."""
    robot = STEPS[name].with_limits({"joint_1": (0.1, 2.0)})
    torque = OverTime([0.0, 0.15, 0.3], [[4.0, -1.0], [-3.0, 2.0], [0.0, 0.0]], "hold")
    options = {"q0": [0.3, -0.5], "duration": 0.3, "torque": torque, "method": method, "elements": [Stops(0.2)]}
    options["events"] = [Crossing(lambda t, q, qd: q[1] + 0.8, "second")]
    compiled, python = both(monkeypatch, robot, **options)
    require_same(compiled, python, 1e-12)
    assert {"impact", "second"} & {word for one in compiled.events for word in (one.kind, one.name)}


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize("friction", [(), (Coulomb(0.4), Viscous(0.1))], ids=["free", "dry"])
def test_stops(monkeypatch: pytest.MonkeyPatch, restitution: float, friction: tuple[Any, ...]) -> None:
    """With events at limits, and a polynomial of each step."""
    robot = (arm(*friction) if friction else ARM).with_limits({"joint_1": (-1.0, 1.0), "joint_2": (-0.7, 2.0)})
    duration = 0.9 if restitution else 2.0  # of ever smaller rebounds the errors grow
    options = {"q0": [0.3, -0.5], "duration": duration, "save": SaveAt(dense=True), **FINE}
    options |= {
        "elements": [Stops(restitution)],
        "events": [JointLimit(), Crossing(lambda t, q, qd: q[0] + 0.5 * q[1], "sum")],
    }
    compiled, python = both(monkeypatch, robot, **options)
    require_same(compiled, python, 1e-7, pushes=0.81 if friction else None)
    times = np.linspace(0.0, duration, 77)
    np.testing.assert_allclose(compiled.at(times).q, python.at(times).q, rtol=0, atol=1e-6)
    assert "impact" in {one.kind for one in compiled.events}
    assert np.abs(compiled.energy.drift).max() < 1e-7


def test_stops_of_links_behind_springs(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = arm(Coulomb(0.5), Viscous(0.2), spring=SPRING).with_limits({"joint_1": (0.2, 2.0)})
    compiled, python = both(monkeypatch, robot, q0=[0.3, -0.5], duration=0.7, elements=[Stops(0.3)], **FINE)
    require_same(compiled, python)
    assert "impact" in {one.kind for one in compiled.events}


def test_contacts_brakes_and_terminal_events(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = arm(Viscous(0.1), brake=Brake(30.0))
    plane = PointOnPlane("tip", (0.0, 0.0, 1.0), (0.0, 0.0, -0.8)) if "tip" in robot.frame_names else None
    contacts = [] if plane is None else [Contact(plane, restitution=0.5)]
    fell = Crossing(lambda t, q, qd: q[1] + 3.0, "turned", terminal=True)
    options = {"q0": [0.3, -0.5], "duration": 1.5, "events": [fell], **FINE}
    options |= {"elements": [*contacts, BrakeSwitches({"joint_1": [(0.4, "engaged"), (0.8, "released")]})]}
    compiled, python = both(monkeypatch, robot, **options)
    require_same(compiled, python)
    assert {"engaged", "released"} <= {one.kind for one in compiled.events}


def test_times_of_a_bouncing_mass_are_right_to_rounding() -> None:
    """A slider that falls on a stop: t_k = sqrt(2 h / g) (1 + 2 e + 2 e^2 + ...)."""
    robot = armdyn.load(
        """<robot name="drop"><link name="base"/><link name="mass"><inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="slide" type="prismatic"><parent link="base"/><child link="mass"/><axis xyz="0 0 1"/>
        <limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>"""
    ).with_gravity((0.0, 0.0, -9.81))
    e, first = 0.7, np.sqrt(2.0 * 0.9 / 9.81)
    motion = armdyn.simulate(robot, [0.9], duration=2.2, elements=[Stops(e)], method=Adaptive(rtol=1e-12, atol=1e-12))
    times = [one.t for one in motion.events if one.kind == "impact"][:6]
    expected = first * (1.0 + 2.0 * np.cumsum([0.0, *(e**k for k in range(1, 6))]))
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-12)


Q = [0.3, 0.8, -0.6]
CHAIN = armdyn.load("planar_3r")
CHANNEL = PointOnPlane("tip", (1, 2, 0), CHAIN.forward_kinematics(Q)[:3, 3], name="channel")
"""A plane in which the tip of the chain slides."""


def chain(*friction: Any, joints: tuple[int, ...] = (1, 2, 3), **parts: Any) -> armdyn.Robot:
    """The chain with its tip in the channel, and drives in some joints."""
    return CHAIN.with_actuators({f"joint_{k}": drive(*friction, **parts) for k in joints}).with_constraints(CHANNEL)


TURNS = OverTime([0.0, 0.3, 0.6], [[60.0, 20.0, 5.0], [-40.0, -30.0, 0.0], [0.0, 0.0, 0.0]], "hold")
"""Torques after which joints stick and start, N m."""

CHAINS = {
    "dry joints": (chain(Coulomb(9.0), Viscous(4.0)), [Constraints()]),
    "two that stick": (chain(Coulomb(60.0), Viscous(4.0), joints=(2, 3)), [Constraints(project=True)]),
    "stops": (
        chain(Coulomb(3.0)).with_limits({"joint_2": (-0.1, 0.9)}),
        [Constraints(project=True), Stops(0.4)],
    ),
    "rotors on springs": (chain(Coulomb(9.0), spring=Spring(stiffness=4e3, damping=40.0)), [Constraints()]),
    "bristles": (
        chain(LuGre(2e3, 100.0, 3.0, static=9.0, kinetic=9.0, speed=0.1), joints=(3,)).with_friction(
            {"joint_1": (1.0, 20.0)}
        ),
        [Constraints(project=True)],
    ),
    "a brake": (chain(Viscous(4.0), brake=Brake(900.0)), [BrakeSwitches({"joint_2": [(0.2, "engaged")]})]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_within_constraints(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The drift from the constraints is that of the other loop, or none if states are projected."""
    robot, elements = CHAINS[name]
    watched = [Crossing(lambda t, q, qd: q[0] - 0.2, "first")] if name == "two that stick" else []
    options = {"q0": Q, "duration": 0.6, "torque": TURNS, "events": watched, "elements": elements, **FINE}
    compiled, python = both(monkeypatch, robot, **options)
    require_same(compiled, python, 3e-8)
    assert compiled.events
    assert np.abs(compiled.energy.drift).max() < 1e-6
    project = Constraints(project=True) in elements
    violations = (
        (lambda motion: robot.constraint_error(motion.q), 1e-14),
        (lambda motion: robot.constraint_velocity(motion.q, motion.qd), 1e-12),
    )
    for violation, exact in violations:
        here, there = (np.abs(violation(motion)).max() for motion in (compiled, python))
        assert here < (exact if project else 1.5 * there + 1e-12)


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
TOUCHING = {
    "dry joints": (
        CHAIN.with_actuators({f"joint_{k}": drive(Coulomb(9.0), Viscous(4.0)) for k in (1, 2, 3)}),
        FINE,
        0.9,
    ),
    "stops and steps of one length": (
        CHAIN.with_actuators({"joint_1": drive(Coulomb(20.0))}).with_limits({"joint_2": (-0.1, 0.9)}),
        {"method": RungeKutta4(1e-3)},
        0.9,
    ),
    "rotors on springs": (
        CHAIN.with_actuators({f"joint_{k}": drive(Coulomb(9.0), spring=Spring(4e3, damping=40.0)) for k in (1, 2, 3)}),
        FINE,
        0.75,
    ),
}


@pytest.mark.parametrize("name", TOUCHING)
def test_contacts_that_hold(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The tip falls on the floor, slides along it to a wall, and rests or leaves; joints stick meanwhile."""
    robot, method, duration = TOUCHING[name]
    options = {"q0": Q, "duration": duration, "elements": [FLOOR, WALL, *([Stops(0.3)] if "stops" in name else [])]}
    compiled, python = both(monkeypatch, robot, **options, **method)
    require_same(
        compiled, python, 1e-7, pushes=40.1 if "stops" in name else None
    )  # errors grow by ever smaller rebounds
    assert {"impact", "rest"} <= {one.kind for one in compiled.events if one.name in ("floor", "wall")}
    held = compiled.signals["contact_force"][:, 0] > 0.0
    assert held.sum() > 20
    height = robot.forward_kinematics(compiled.q[held])[..., 1, 3]
    np.testing.assert_allclose(height, 3.0, rtol=0, atol=1e-13)
