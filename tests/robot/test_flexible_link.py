"""Flexible links by lumped pieces beside the closed forms of beams and the rigid arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import vibration_modes
from armdyn.base.errors import ModelError, UnknownName, Unsupported
from armdyn.simulation import SaveAt

RNG = np.random.default_rng(7)
MASS, EI = 0.8, 60.0
ROOTS = np.array([1.8751040687119612, 4.694091132974175, 7.854757438237613])
"""cos(b) cosh(b) = -1: w = b^2 sqrt(EI/(m L^3)) of a cantilever (Euler and Bernoulli)."""


def cantilever(pieces: int, **options: Any) -> armdyn.Robot:
    """A thin uniform rod of 1 m, held by a joint that does not move."""
    rod = armdyn.Inertia(MASS, [0.5, 0, 0], np.diag([0.0, MASS / 12, MASS / 12]))
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_inertia({"link_2": rod})
    flexible = arm.with_flexible_link("link_2", pieces, **{"EI": (EI, None), **options})
    return flexible.with_locked({"joint_1": 0.0, "joint_2": 0.0})


@pytest.mark.parametrize("pieces", [1, 3, 8])
def test_static_deflection_is_that_of_the_midpoint_rule(pieces: int) -> None:
    arm, force = cantilever(pieces), np.array([0, 0, 0, 0, 1e-3, 0])
    J = arm.jacobian(np.zeros(pieces), expressed_in="world")
    deflected = J @ np.linalg.solve(EI * pieces * np.eye(pieces), J.T @ force)
    whole = 1e-3 / (3.0 * EI)
    np.testing.assert_allclose(deflected[4], whole * (1.0 - 1.0 / (4.0 * pieces**2)), rtol=1e-13)


def test_frequencies_tend_to_those_of_a_cantilever_with_the_square_of_the_pieces() -> None:
    exact = ROOTS**2 * np.sqrt(EI / MASS)
    errors = []
    for pieces in (8, 16, 32):
        arm = cantilever(pieces)
        errors.append(vibration_modes(arm, np.zeros(pieces)).frequencies[:3] / exact - 1.0)
    assert np.all(np.abs(errors[-1]) < [2.3e-4, 7.8e-4, 1.3e-3])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(orders, 2.0, atol=0.03)


def test_torsion_tends_to_that_of_a_shaft() -> None:
    polar, GJ = 3e-4, 25.0
    rod = armdyn.Inertia(MASS, [0.5, 0, 0], np.diag([polar, MASS / 12, MASS / 12]))
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_inertia({"link_2": rod})
    exact = 0.5 * np.pi * np.sqrt(GJ / polar)  # clamped and free, of a length of 1 m
    errors = []
    for pieces in (4, 8):
        shaft = arm.with_flexible_link("link_2", pieces, EI=(None, None), GJ=GJ)
        found = vibration_modes(shaft, np.zeros(shaft.dof), rotors="held").frequencies[0]
        errors.append(found / exact - 1.0)
    assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.03
    assert abs(errors[1]) < 4e-3


def test_damping_ratio_is_that_of_kelvin_and_voigt() -> None:
    found = vibration_modes(cantilever(5, damping=3e-4), np.zeros(5))
    np.testing.assert_allclose(found.damping_ratios, 0.5 * 3e-4 * found.frequencies, rtol=1e-12)


def general_arm() -> tuple[armdyn.Robot, armdyn.Robot]:
    """A UR5 whose forearm has a mass that is anything but a uniform beam, with a frame and a payload on its way."""
    bare = armdyn.load("ur5")
    forearm = bare.model.link("forearm_link").inertia + armdyn.Inertia.point(0.7, [0.04, -0.03, 0.05])
    arm = bare.with_inertia({"forearm_link": forearm}).with_payload(
        mass=0.4, com=[-0.2, 0.02, 0.1], frame="forearm_link"
    )
    return arm, arm.with_flexible_link("forearm_link", 5, EI=(900.0, 700.0), GJ=300.0)


def test_a_straight_link_is_the_rigid_one() -> None:
    arm, flexible = general_arm()
    assert flexible.dof == 6 + 3 * 5
    q, qd, qdd = RNG.uniform(-1.0, 1.0, (3, 6))
    straight = [np.append(x, np.zeros(15)) for x in (q, qd, qdd)]
    close: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}
    np.testing.assert_allclose(flexible.mass_matrix(straight[0])[:6, :6], arm.mass_matrix(q), **close)
    np.testing.assert_allclose(flexible.inverse_dynamics(*straight)[:6], arm.inverse_dynamics(q, qd, qdd), **close)
    np.testing.assert_allclose(flexible.potential_energy(straight[0]), arm.potential_energy(q), **close)
    np.testing.assert_allclose(flexible.jacobian(straight[0])[:, :6], arm.jacobian(q), **close)
    poses = dict(zip(flexible.link_names, flexible.link_poses(straight[0]), strict=True))
    assert {*arm.link_names} <= {*poses}
    for name, pose in zip(arm.link_names, arm.link_poses(q), strict=True):
        np.testing.assert_allclose(poses[name], pose, **close)
    for frame in ("forearm_link", "tool0"):  # at the end of the flexible link, and beyond
        there = flexible.forward_kinematics(straight[0], frame=frame)
        np.testing.assert_allclose(there, arm.forward_kinematics(q, frame=frame), **close)


def test_pieces_are_bodies_that_exist() -> None:
    arm, flexible = general_arm()
    parts = [link.inertia for link in flexible.model.links if link.name.startswith("forearm_link")]
    assert not any(list(part.impossibilities()) for part in parts)
    np.testing.assert_allclose(
        sum(part.mass for part in parts), arm.model.link("forearm_link").inertia.mass, rtol=1e-13
    )


def test_uniform_beams_are_divided_evenly() -> None:
    beam = cantilever(4).model
    masses = [beam.link(f"link_2_piece_{k}").inertia.mass for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(masses, [MASS / 4] * 3 + [MASS / 8], rtol=1e-13)


def test_a_pulled_beam_swings_and_keeps_its_energy() -> None:
    arm = cantilever(4)
    modes = vibration_modes(arm, np.zeros(4))
    w, shape = modes.frequencies[0], modes.links[:, 0]
    motion = armdyn.simulate(arm, 1e-5 * shape, duration=2.0 * np.pi / w, save=SaveAt(every=0.25 * 2.0 * np.pi / w))
    np.testing.assert_allclose(motion.q / 1e-5, np.outer([1, 0, -1, 0, 1], shape), atol=1e-4)
    total = motion.energy.kinetic + motion.energy.potential
    np.testing.assert_allclose(total, total[0], rtol=1e-7)


def test_deflection_is_part_of_a_motion() -> None:
    """A flexible arm that is driven as the rigid one ends near it, and not on it."""
    rod = armdyn.Inertia(MASS, [0.5, 0, 0], np.diag([1e-4, MASS / 12, MASS / 12]))
    arm = armdyn.load("planar_2r").with_inertia({"link_2": rod})
    soft = arm.with_flexible_link("link_2", 3, EI=(40.0, None), damping=2e-3)
    tau = np.array([14.0, 4.0])
    rigid = armdyn.simulate(arm, [0.0, 0.0], duration=0.5, torque=tau)
    bent = armdyn.simulate(soft, np.zeros(5), duration=0.5, torque=np.append(tau, np.zeros(3)))
    difference = np.abs(bent.q[-1, :2] - rigid.q[-1]).max()
    assert 1e-4 < difference < 0.1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"link": "link_9"}, UnknownName, "no link 'link_9'"),
        ({"link": "base"}, ModelError, "is the base"),
        ({"pieces": 0}, ModelError, "pieces"),
        ({"EI": (1.0, 2.0, 3.0)}, ModelError, "EI is"),
        ({"EI": (None, None)}, ModelError, "EI has no number"),
        ({"EI": -3.0}, ModelError, "EI in the plane is -3"),
        ({"end": "tip9"}, UnknownName, "tip9"),
        ({"end": "link_1"}, UnknownName, "not at the end of a beam"),
        ({"end": (0.0, 0.0, 0.0)}, ModelError, "has no length"),
        ({"axis": (1.0, 0.0, 0.0)}, ModelError, "along the beam"),
        ({"end": (0.3, 0.0, 0.0)}, ModelError, "does not lie along the beam"),
        ({"damping": -1.0}, ModelError, "damping of the flexible link is -1"),
    ],
)
def test_bad_links(options: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {"link": "link_2", "pieces": 3, "EI": 60.0} | options
    rod = armdyn.Inertia(MASS, [0.5, 0, 0], np.diag([1e-4, MASS / 12, MASS / 12]))
    arm = armdyn.load("planar_2r").with_inertia({"link_2": rod})
    with pytest.raises(error, match=message):
        arm.with_flexible_link(**arguments)


def test_what_is_refused_of_the_robot() -> None:
    rod = armdyn.Inertia(MASS, [0.5, 0, 0], np.diag([1e-4, MASS / 12, MASS / 12]))
    arm = armdyn.load("planar_2r").with_inertia({"link_2": rod})
    with pytest.raises(Unsupported, match="coupled joints"):
        arm.with_mimic({"joint_2": "joint_1"}).with_flexible_link("link_2", 2, EI=60.0)
    with pytest.raises(ModelError, match="'link_2_bend_1' already"):
        arm.with_flexible_link("link_2", 2, EI=60.0).with_flexible_link("link_2", 2, EI=60.0, end=(0.2, 0, 0))
