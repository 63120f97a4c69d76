"""The joint forces that hold an arm at rest: against the terms by themselves, and against simulations of the rims."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, DirectionDependent, GearLoss, StaticKinetic, Viscous

rng = np.random.default_rng(3)


def test_the_middle_is_gravity_and_tip_wrench_and_the_width_is_friction():
    sizes = rng.uniform(0.5, 4.0, 6)
    bare = armdyn.load("ur5")
    arm = bare.with_friction({name: (0.3, float(f)) for name, f in zip(bare.joint_names, sizes, strict=True)})
    q, f_tip = rng.uniform(-2, 2, (5, 6)), rng.normal(size=(5, 6))
    lower, upper = arm.holding_forces(q, f_tip)
    alone = bare.gravity_forces(q) + bare.tip_forces(q, f_tip)
    np.testing.assert_allclose(lower, alone - sizes, rtol=0, atol=1e-12)
    np.testing.assert_allclose(upper, alone + sizes, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(*bare.holding_forces(q))


def test_laws_hold_with_static_friction_by_direction_and_by_load():
    laws = {
        "joint_1": Actuator(friction=[StaticKinetic(3.0, 2.0), Viscous(1.0)]),
        "joint_2": Actuator(friction=[DirectionDependent(Coulomb(2.0), Coulomb(0.5)), GearLoss(0.8, 0.5)]),
    }
    bare = armdyn.load("planar_2r")
    for q in rng.uniform(-3, 3, (4, 2)):
        load = bare.gravity_forces(q)
        lower, upper = bare.with_actuators(laws).holding_forces(q)
        back, forth = sorted((load[1] / 0.8, load[1] * 0.5))  # the drive gives load / eta, or eta_b load
        np.testing.assert_allclose(lower, [load[0] - 3.0, back - 0.5], rtol=0, atol=1e-12)
        np.testing.assert_allclose(upper, [load[0] + 3.0, forth + 2.0], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_a_joint_starts_where_its_holding_force_ends():
    arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.1, 2.0), "joint_2": (0.1, 0.8)})
    q = np.array([0.4, -0.9])
    lower, upper = arm.holding_forces(q)
    for rim, inwards in ((lower, 1e-6), (upper, -1e-6)):
        inside = armdyn.simulate(arm, q, duration=0.5, torque=rim + inwards)
        assert (inside.q == q).all()
        for k in (0, 1):
            beyond = rim + inwards
            beyond[k] -= 2 * inwards
            moved = armdyn.simulate(arm, q, duration=0.5, torque=beyond).q[-1] - q
            assert moved[k] * inwards < 0


def test_coupled_joints_add_up():
    arm = armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.2))
    first, second, third = arm.joint_names
    laws = {second: Actuator(friction=DirectionDependent(Coulomb(2.0), Coulomb(0.5))), first: Actuator(friction=())}
    coupled = arm.with_actuators(laws).with_mimic({second: (third, -2.0)})
    q = np.array([0.3, 0.7])
    lower, upper = coupled.holding_forces(q)
    g = coupled.gravity_forces(q)
    np.testing.assert_allclose(upper - g, [0.0, 2.0 * 0.5], rtol=0, atol=1e-12)  # forwards, the second turns back
    np.testing.assert_allclose(lower - g, [0.0, -2.0 * 2.0], rtol=0, atol=1e-12)


def test_what_cannot_be_said_is_refused():
    arm = armdyn.load("planar_2r")
    bound = arm.with_constraints(armdyn.constraints.PointOnPlane("tip", (0, 1, 0)))
    with pytest.raises(armdyn.Unsupported, match="holding_forces of 'planar_2r' would leave out its constraints"):
        bound.holding_forces([0.1, 0.2])
    with pytest.raises(armdyn.ShapeError, match="has 6 joints; the holding set is drawn of an arm of two"):
        armdyn.plots.draw_holding_set(armdyn.load("ur5"), np.zeros(6))
    ur5 = armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.2))
    coupled = ur5.with_mimic({ur5.joint_names[1]: (ur5.joint_names[2], -2.0)})
    with pytest.raises(armdyn.Unsupported, match="are coupled; their holding set is no rectangle"):
        armdyn.plots.draw_holding_set(coupled, np.zeros(2))


def test_the_picture_has_the_set_of_every_configuration():
    arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.0, 2.0), "joint_2": (0.0, 0.8)})
    qs = np.radians([[0, 40], [-60, 90]])
    (axes,) = armdyn.plots.draw_holding_set(arm, qs, f_tip=[0, 0, 0, 0, 3.0, 0]).axes
    corners = [patch.get_bbox().get_points() for patch in axes.patches[::2]]
    for q, corner in zip(qs, corners, strict=True):
        np.testing.assert_allclose(corner, arm.holding_forces(q, [0, 0, 0, 0, 3.0, 0]), rtol=1e-14)
