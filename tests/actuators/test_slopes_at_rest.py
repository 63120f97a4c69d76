"""Derivatives at rest, where a law says itself what its slope is: the same for arms of all sizes, by all methods."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, DirectionDependent, FrictionLaw, Viscous, published
from oracles.short_run import each_once

SERVO = published.servo("MX-106", "M3").laws[0]


@pytest.mark.parametrize(
    ("name", "law"),
    each_once(
        ["planar_2r", "planar_3r", "puma560"],
        [DirectionDependent(Viscous(2.0), Viscous(0.5)), DirectionDependent(Coulomb(2.0), Viscous(0.5)), SERVO],
    ),
)
def test_arms_of_all_sizes_have_the_slope_of_the_law(law: FrictionLaw, name: str) -> None:
    """By qd: at rest nothing else of an arm changes with it."""
    arm = armdyn.load(name)
    arm = arm.with_actuators({joint: Actuator(friction=law) for joint in arm.joint_names})
    q, rest = np.linspace(0.2, 0.9, arm.dof), np.zeros(arm.dof)
    tau = np.linspace(-3.0, 5.0, arm.dof)
    qdd = arm.forward_dynamics(q, rest, tau)
    loads = arm.without_friction().inverse_dynamics(q, rest, qdd)
    slopes = np.diag([float(law.slopes(0.0, load).by_rate) for load in loads])
    by_qd = arm.inverse_dynamics_derivatives(q, rest, qdd).d_qd
    np.testing.assert_allclose(by_qd, slopes, rtol=1e-12, atol=1e-14)
    of_accelerations = arm.forward_dynamics_derivatives(q, rest, tau).d_qd
    np.testing.assert_allclose(arm.mass_matrix(q) @ of_accelerations, -slopes, atol=1e-11)


def test_a_program_differentiated_has_the_mean_of_both_directions() -> None:
    law = DirectionDependent(Viscous(2.0), Viscous(0.5))
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=law)})
    by_qd = arm.inverse_dynamics.derivative("qd")
    for rate, slope in ((-1.0, 0.5), (0.0, 1.25), (1.0, 2.0)):
        found = by_qd([0.3, 0.4], [0.0, rate], [0.0, 0.0])[1, 1]
        assert found == pytest.approx(slope, rel=1e-13)
