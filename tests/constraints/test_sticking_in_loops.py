"""Dry friction in the joints of closed loops, where all joints come to rest and start at one time."""

import numpy as np
import pytest
from linkages import four_bar

import armdyn
from armdyn.simulation import Constraints, RungeKutta4, SaveAt


def test_a_four_bar_that_rubs_in_every_joint():
    """It slips where |Q| = sum c_k |dq_k/dq_1|, Q being the work of all forces for a motion of the crank."""
    sizes = np.array([0.6, 0.9, 1.3])
    bare = four_bar()
    robot = bare.with_friction({name: (0.05, float(f)) for name, f in zip(bare.joint_names, sizes, strict=True)})
    q = robot.close_loop([-1.2, 1.0, -0.5])
    along = np.linalg.svd(robot.constraint_jacobian(q))[2][-1]
    along /= along[0]
    rate = 2.0  # N m/s by which the crank's torque grows; at 1 s it holds the arm against gravity
    gravity = float(along @ bare.gravity_forces(q))
    law = lambda t, q, qd: [gravity + rate * (t - 1.0), 0.0, 0.0]  # noqa: E731
    motion = armdyn.simulate(robot, q, duration=4.0, torque=law, save=SaveAt(every=0.02))
    slips = [one for one in motion.events if one.kind == "slip"]
    assert [one.name for one in slips] == list(robot.joint_names)
    starts = 1.0 + float(sizes @ abs(along)) / rate
    np.testing.assert_allclose([one.t for one in slips], starts, rtol=0, atol=1e-9)
    rests = motion.t < starts
    assert rests.sum() > 20
    assert (motion.q[rests] == q).all()
    assert (abs(motion.signals["friction"][rests]) <= sizes * (1 + 1e-10)).all()
    drift = abs(robot.constraint_error(motion.q)).max()
    assert drift < 1e-8
    assert abs(motion.energy.relative_drift).max() < 1e-8

    falls = armdyn.simulate(
        robot,
        q,
        [0.0, 0.0, 0.0],
        duration=20.0,
        elements=[Constraints(redundant="least_squares")],
        save=SaveAt(every=0.1),
    )
    assert [one.kind for one in falls.events[-3:]] == ["stick"] * 3  # all three at one time
    assert len({one.t for one in falls.events[-3:]}) == 1
    assert (falls.qd[-1] == 0.0).all()
    assert abs(falls.energy.relative_drift).max() < 1e-8


@pytest.mark.parametrize("options", [{}, {"method": RungeKutta4(step=0.01)}], ids=["adaptive", "rk4"])
@pytest.mark.parametrize("redundant", ["error", "least_squares"])
@pytest.mark.parametrize("qd", [[5e-324, 0.0, 0.0], [5e-324] * 3, [1e-17, -3e-17, 2e-17]])
def test_velocities_that_are_rounding_are_rest(qd, redundant, options):
    """What starts with them sticks as from rest: no event, no velocity is left, and friction is shared likewise."""
    bare = four_bar()
    robot = bare.with_friction(dict.fromkeys(bare.joint_names, (0.0, 20.0)))
    q = robot.close_loop([0.4, 0.3, 1.2], locked=bare.joint_names[:1])
    given = {**options, "duration": 0.05, "save": SaveAt(every=0.01), "elements": [Constraints(redundant=redundant)]}
    motion, rest = (armdyn.simulate(robot, q, start, **given) for start in (qd, [0.0, 0.0, 0.0]))
    assert not motion.events
    assert not motion.qd[1:].any()
    np.testing.assert_allclose(motion.signals["friction"], rest.signals["friction"], rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"method": RungeKutta4(step=0.01)}], ids=["adaptive", "rk4"])
def test_a_joint_alone_that_starts_with_rounding_rests(options):
    arm = armdyn.load("planar_2r", gravity=(0, -9.81, 0)).with_friction(
        {"joint_1": (0.0, 90.0), "joint_2": (0.0, 90.0)}
    )
    motion = armdyn.simulate(arm, [0.3, 0.4], [5e-324, -1e-17], duration=0.05, **options)
    assert not motion.events
    assert not motion.qd[1:].any()
