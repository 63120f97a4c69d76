"""Dry friction in the joints of closed loops, where all joints come to rest and start at one time."""

import numpy as np
from linkages import four_bar

import armdyn


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
    motion = armdyn.simulate(robot, q, duration=4.0, torque=law, save_every=0.02)
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

    falls = armdyn.simulate(robot, q, [0.0, 0.0, 0.0], duration=20.0, redundant="least_squares", save_every=0.1)
    assert [one.kind for one in falls.events[-3:]] == ["stick"] * 3  # all three at one time
    assert len({one.t for one in falls.events[-3:]}) == 1
    assert (falls.qd[-1] == 0.0).all()
    assert abs(falls.energy.relative_drift).max() < 1e-8
