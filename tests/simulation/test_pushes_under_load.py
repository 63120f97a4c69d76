"""Stops, contacts and brakes beside friction that depends on the load: what they push is part of the load."""

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, GearLoss, Motor, Smooth, Viscous
from armdyn.simulation import BrakeSwitches, Contact, Crossing, RungeKutta4, SaveAt, Stops
from armdyn.simulation.elements.contact_modes import TOUCHED
from oracles.short_run import each_once, short_run

g, m = 9.81, 2.0
ETA, BACK = 0.8, 0.55
METHODS = {"adaptive": {}, "rk4": {"method": RungeKutta4(step=0.02)}}
methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def geared(rotor=0.0, *friction, **more):
    motor = Motor(rotor) if rotor else None
    return Actuator(motor, Gear(1.0, efficiency=ETA, back_efficiency=BACK), friction, **more)


def lift(rotor=0.0, *friction, limits=(-np.inf, np.inf), **more):
    """A mass on a vertical slide behind a lossy gear."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("mass", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="up")
    robot = armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass").with_limits({"up": limits})
    return robot.with_actuators({"up": geared(rotor, *friction, **more)})


def cart(rotor, friction=0.0):
    """A mass that a lossy gear pushes along x, and that moves up and down as a slope wants."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), joint="along"),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0), joint="up", inertia=body),
    ]
    robot = armdyn.Robot.from_links(parts, gravity=(0, -g, 0), tip="y")
    return robot.with_actuators({"along": geared(rotor, Coulomb(friction))})


def kinds(motion):
    return [(one.kind, one.name) for one in motion.events]


SLOPE = 0.5
slope = Contact(c.PointOnPlane("y", (-np.sin(SLOPE), np.cos(SLOPE), 0.0), name="slope"))


@pytest.mark.short_run("0.0-method3")
@pytest.mark.parametrize(("rotor", "method"), each_once([0.7, 0.0], METHODS.values()))
def test_a_gear_that_drives_a_mass_up_a_slope_is_loaded_by_the_slope_alone(method, rotor):
    """l = m v'/cos^2 + m g tan, for the slope pushes N = m (g + v' tan)/cos; the drive gives l/eta + c + a v'."""
    coulomb, tau = 0.3, 20.0
    motion = armdyn.simulate(
        cart(rotor, coulomb),
        [0.0, 0.0],
        duration=1.0,
        torque=[tau, 0.0],
        elements=[slope],
        save=SaveAt(every=0.1),
        **method,
    )
    qdd = (ETA * (tau - coulomb) - m * g * np.tan(SLOPE)) / (m / np.cos(SLOPE) ** 2 + ETA * rotor)
    assert qdd > 0
    np.testing.assert_allclose(motion.qdd, np.tile([qdd, qdd * np.tan(SLOPE)], (11, 1)), rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.q[-1], [qdd / 2, qdd / 2 * np.tan(SLOPE)], rtol=0, atol=1e-10)
    push = m * (g + qdd * np.tan(SLOPE)) / np.cos(SLOPE)
    np.testing.assert_allclose(motion.signals["contact_force"][:, 0], push, rtol=0, atol=1e-10)
    load = m * qdd + push * np.sin(SLOPE)
    np.testing.assert_allclose(motion.signals["friction"][:, 0], load * (1 / ETA - 1) + coulomb, rtol=0, atol=1e-10)
    assert abs(motion.energy.drift).max() < 1e-9


@pytest.mark.short_run("0.7-method3")  # an adaptive method takes some thousand steps at rest
@pytest.mark.parametrize(("rotor", "method"), each_once([0.0, 0.7], METHODS.values()))
def test_a_gear_holds_a_mass_on_a_slope_and_lets_it_go(method, rotor):
    load, coulomb, r = m * g * np.tan(SLOPE), 0.3, 20.0
    robot = cart(rotor, coulomb)
    for way, bound in ((1, load / ETA + coulomb), (-1, BACK * load - coulomb)):
        starts = abs(bound - load) / r
        motion = armdyn.simulate(
            robot,
            [0.0, 0.0],
            duration=starts + 0.2,
            torque=lambda t, *_, way=way: [load + way * r * t, 0.0],
            elements=[slope],
            save=SaveAt(every=0.02),
            **method,
        )
        assert kinds(motion)[-1] == ("slip", "along")
        assert abs(motion.events[-1].t - starts) < 1e-9
        before = motion.t < starts
        assert (motion.q[before, 0] == 0.0).all()
        assert abs(motion.q[before, 1]).max() < 1e-15  # the slope holds it
        np.testing.assert_allclose(motion.signals["contact_force"][before, 0], m * g / np.cos(SLOPE), rtol=1e-12)
        assert motion.q[-1, 0] * way > 0
        assert abs(motion.energy.drift).max() < 1e-8


@pytest.mark.short_run("adaptive")
@methods
def test_a_mass_that_rests_on_its_stop_is_lifted_from_it(method):
    """The stop carries what the drive does not; friction and stop share what is not decided."""
    robot, r, coulomb = lift(0.4, Coulomb(0.5), limits=(0.0, 1.0)), 10.0, 0.5
    motion = armdyn.simulate(
        robot, [0.0], duration=4.0, elements=[Stops()], save=SaveAt(every=0.04), torque=lambda t, *_: [r * t], **method
    )
    starts = (m * g / ETA + coulomb) / r
    moved = motion.t > starts
    assert (motion.q[~moved] == 0.0).all()
    assert max(abs(one.t - starts) for one in motion.events if one.kind == "slip") < 1e-9
    push, friction = motion.signals["stop_force"], motion.signals["friction"][:, 0]
    assert (push >= 0.0).all()
    np.testing.assert_allclose(motion.tau[~moved, 0] - friction[~moved] + push[~moved, 0] - m * g, 0.0, atol=1e-11)
    load = m * g - push[~moved, 0]
    least, most = np.sort([load / ETA, load * BACK], axis=0) - load + [[-coulomb], [coulomb]]
    assert (friction[~moved] >= least - 1e-9).all()
    assert (friction[~moved] <= most + 1e-9).all()
    first = motion.t[moved] < starts + 0.5
    s = (motion.t[moved] - starts)[first]
    np.testing.assert_allclose(motion.q[moved, 0][first], ETA * r * s**3 / 6 / (m + ETA * 0.4), rtol=0, atol=1e-9)
    assert abs(motion.energy.relative_drift).max() < 1e-9


def test_a_mass_that_falls_on_its_stop_stays_there():
    """Without a rotor it falls freely, for its gear has no load; an inelastic stop takes its energy."""
    motion = armdyn.simulate(
        lift(limits=(0.0, np.inf)), [0.5], duration=2.0, elements=[Stops()], save=SaveAt(every=0.1)
    )
    impact = motion.events[0]
    assert kinds(motion)[0] == ("impact", "up lower stop")
    assert abs(impact.t - np.sqrt(2 * 0.5 / g)) < 1e-10
    assert abs(impact.energy - m * g * 0.5) < 1e-9
    rest = motion.t > impact.t
    assert (motion.q[rest] == 0.0).all()
    np.testing.assert_allclose(motion.signals["stop_force"][rest, 0], m * g, rtol=1e-12)
    assert any("does not feel the impulses" in note for note in motion.notes)


@pytest.mark.short_run("adaptive")
@methods
def test_a_mass_with_a_rotor_that_bounces_on_its_stop(method):
    """It falls with its load driving the rotor, and rises with the rotor driving the load, until it rests."""
    rotor, e = 0.5, 0.6
    motion = armdyn.simulate(
        lift(rotor, limits=(0.0, np.inf)), [0.5], duration=3.0, elements=[Stops(e)], save=SaveAt(every=0.1), **method
    )
    falls, rises = BACK * m * g / (BACK * m + rotor), m * g / (m + ETA * rotor)
    t = np.sqrt(2 * 0.5 / falls)
    speed, expected = falls * t, [t]
    while (e * speed) ** 2 / (2 * rises) > 1e-7:
        speed *= e
        height = speed**2 / (2 * rises)
        t += speed / rises + np.sqrt(2 * height / falls)
        speed = np.sqrt(2 * height * falls)
        expected.append(t)
    impacts = [one.t for one in motion.events if one.kind == "impact"]
    assert len(expected) > 8
    np.testing.assert_allclose(impacts[: len(expected)], expected, rtol=0, atol=1e-9)
    assert motion.q[-1] == motion.qd[-1] == 0.0
    assert abs(motion.energy.drift).max() < m * g * TOUCHED + 1e-9  # the last bounce is put on the stop


LAWS = {
    "gears": lambda k: geared(0.3 / (1 + k), Coulomb(0.3), Viscous(0.5)),
    "a smooth gear": lambda k: Actuator(Motor(0.2), friction=[Smooth(GearLoss(0.8, 0.6), 0.2), Viscous(1.5 - k)]),
}


TABLE = Contact(c.PointOnPlane("tip", (0, 1, 0), (0, -0.7, 0), name="table"))


@pytest.mark.slow
@pytest.mark.parametrize("laws", short_run(LAWS, "gears"))
def test_an_arm_whose_tip_slides_on_a_table(laws):
    """Each joint's equation with what the table pushes in its load."""
    bare = armdyn.load("planar_2r")
    robot = bare.with_actuators({name: LAWS[laws](k) for k, name in enumerate(bare.joint_names)})
    motion = armdyn.simulate(
        robot,
        [-0.2, -0.2],
        duration=2.5,
        elements=[TABLE],
        save=SaveAt(every=5e-3),
        torque=lambda t, *_: [8.0 * np.sin(5 * t), 5.0 * np.cos(7 * t)],
    )
    push = motion.signals["contact_force"][:, 0]
    pressed = push > 1e-3
    assert pressed.sum() > 50
    assert (push >= 0.0).all()
    J = bare.jacobian(motion.q, expressed_in="world")[:, 4]  # how fast the tip rises
    load = bare.inverse_dynamics(motion.q, motion.qd, motion.qdd) - push[:, None] * J
    rotors = np.array([LAWS[laws](k).motor.rotor_inertia for k in (0, 1)])
    friction = motion.tau - load - rotors * motion.qdd
    if laws == "gears":
        np.testing.assert_allclose(motion.signals["friction"], friction, rtol=0, atol=1e-8)
        assert {"reversal", "stick", "release"} <= {one.kind for one in motion.events}
    expected = np.zeros_like(friction)
    for k, joint in enumerate(robot.joints):
        for one in joint.laws:
            expected[:, k] += [float(one.force(*each)) for each in zip(motion.qd[:, k], load[:, k], strict=True)]
    moves = (abs(motion.qd) > 1e-9).all(axis=-1)
    assert (moves & pressed).sum() > 30
    np.testing.assert_allclose(friction[moves], expected[moves], rtol=0, atol=1e-8)
    heights = bare.forward_kinematics(motion.q)[:, 1, 3]
    assert heights.min() > -0.7 - 1e-8
    assert abs(motion.energy.relative_drift).max() < 1e-8


@pytest.mark.slow
def test_an_arm_that_rests_on_a_table_slips_where_no_push_leaves_all_joints_within_their_friction():
    """Both joints stick together; the push is not decided, and they slip when no push is left that would do."""
    bare = armdyn.load("planar_2r")
    robot = bare.with_actuators({name: LAWS["gears"](k) for k, name in enumerate(bare.joint_names)})
    coulomb, torque = 0.3, lambda t, *_: np.array([5.0 + 6.0 * np.sin(5 * t), -2.0])
    motion = armdyn.simulate(
        robot,
        [-0.2, -0.2],
        duration=2.5,
        elements=[TABLE],
        torque=torque,
        method=RungeKutta4(step=5e-3),
        save=SaveAt(every=0.01),
    )
    assert abs(motion.energy.relative_drift).max() < 1e-6

    def pushes(t, q):
        """The pushes that each joint allows: its load lies between those at which it would begin to move."""
        forth, back = torque(t) - coulomb, torque(t) + coulomb
        loads = np.array([np.where(forth > 0, ETA * forth, forth / BACK), np.where(back > 0, back / BACK, ETA * back)])
        ends = np.sort((bare.gravity_forces(q) - loads) / bare.jacobian(q, expressed_in="world")[4], axis=0)
        return max(0.0, *ends[0]), min(ends[1])

    slips = [one for one in motion.events if one.kind == "slip" and one.t > 0.5]
    assert len(slips) == 6
    for one in slips:
        least, most = pushes(one.t, one.q)
        assert abs(most - least) < 1e-8 * most
    held = (motion.qd == 0.0).all(axis=-1) & (motion.t > 0.5)
    assert held.sum() > 40
    for t, q, push in zip(motion.t[held], motion.q[held], motion.signals["contact_force"][held, 0], strict=True):
        least, most = pushes(t, q)
        assert least - 1e-9 <= push <= most + 1e-9


# Brakes.


@pytest.mark.short_run("0.0-rk4", "0.0-adaptive", "0.6-rk4")
@methods
@pytest.mark.parametrize("rotor", [0.0, 0.6])
def test_a_brake_holds_a_weight_behind_a_lossy_gear(method, rotor):
    """Released it falls, the load driving the rotor; the brake stops it again."""
    robot, size = lift(rotor, brake=Brake(30.0, "engaged")), 30.0
    switches = {"up": [(0.5, "released"), (0.8, "engaged")]}
    motion = armdyn.simulate(
        robot, [0.1], duration=2.0, elements=[BrakeSwitches(switches)], save=SaveAt(every=0.04), **method
    )
    falls = -BACK * m * g / (BACK * m + rotor)
    slows = (size - BACK * m * g) / (BACK * m + rotor)
    stops = 0.8 - falls * 0.3 / slows
    assert [one.kind for one in motion.events if one.kind not in ("slip", "reversal")] == [
        "released",
        "engaged",
        "stick",
    ]
    assert abs(motion.events[-1].t - stops) < 1e-9
    assert (motion.q[motion.t <= 0.5] == 0.1).all()
    rest = motion.t > stops
    assert np.ptp(motion.q[rest]) == 0.0
    low = 0.1 + falls * 0.3**2 / 2 - (falls * 0.3) ** 2 / (2 * slows)
    np.testing.assert_allclose(motion.q[rest, 0], low, rtol=0, atol=1e-9)
    assert abs(motion.energy.relative_drift).max() < 1e-9


def test_a_brake_that_a_condition_engages():
    robot = lift(0.6, brake=Brake(40.0))
    fast = Crossing(lambda t, q, qd: -qd[0] - 1.0, "overspeed", direction=1)
    motion = armdyn.simulate(robot, [0.0], duration=1.0, elements=[BrakeSwitches({"up": [(fast, "engaged")]})])
    (engaged,) = (one for one in motion.events if one.kind == "engaged")
    assert abs(engaged.t - (BACK * m + 0.6) / (BACK * m * g)) < 1e-9
    assert motion.events[-1].kind == "stick"
    assert motion.qd[-1] == 0.0
