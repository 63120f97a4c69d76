"""Modes of arms with flexible joints: closed forms, SciPy's generalised eigenproblem, and small motions."""

import numpy as np
import pytest
import scipy.linalg

import armdyn
from armdyn import ModelError
from armdyn.actuators import Actuator, Gear, Motor, Spring, Viscous, flexible_stiffness, vibration_modes
from oracles.cases import grown
from oracles.flexible import flexible, springs_for


def one_joint(spring: Spring, *laws: Viscous) -> tuple[armdyn.Robot, float]:
    """A joint with a link, and the link's inertia about it."""
    arm = armdyn.load("planar_2r").with_locked({"joint_2": 0.7}).with_gravity((0.0, 0.0, 0.0))
    inertia = float(arm.mass_matrix([0.3])[0, 0])
    return arm.with_actuators({"joint_1": Actuator(Motor(3e-5), Gear(120.0), laws or None, spring=spring)}), inertia


def test_one_joint() -> None:
    """w^2 = k (1/I_link + 1/B), and with a damper in the place of the spring's share 2 z w = d (1/I_link + 1/B)."""
    k, d, B = 7321.0, 5.3, 120.0**2 * 3e-5
    arm, inertia = one_joint(Spring(k, d))
    modes = vibration_modes(arm, [0.3])
    both = 1.0 / inertia + 1.0 / B
    w = np.sqrt(k * both)
    assert modes.frequencies[0] == pytest.approx(w, rel=1e-13)
    assert modes.damping_ratios[0] == pytest.approx(d * both / (2.0 * w), rel=1e-13)
    assert arm.vibration_modes([0.3], rotors="held").frequencies[0] == pytest.approx(np.sqrt(k / inertia), rel=1e-13)


def test_one_joint_swings_at_its_frequency() -> None:
    """The period of the equations of motion, from the exponential of their matrix."""
    arm, _ = one_joint(Spring(7321.0))
    w = vibration_modes(arm, [0.0]).frequencies[0]
    derivatives = [
        np.concatenate(arm.flexible_forward_dynamics.derivative(x)(*np.zeros((5, 1)))) for x in ("q", "theta")
    ]
    matrix = np.block([[np.zeros((2, 2)), np.eye(2)], [np.hstack(derivatives), np.zeros((2, 2))]])
    found = np.abs(np.linalg.eigvals(matrix).imag).max()
    assert w == pytest.approx(found, rel=1e-10)


@pytest.mark.short_run("held")
@pytest.mark.parametrize("rotors", ["free", "held"])
def test_generalised_eigenproblem(rotors: str) -> None:
    """Of [M, B] and K with all coordinates, rigid joints and the motions of frequency 0 among them."""
    bare = grown(3, 8, False).robot
    bare = bare.with_friction(dict.fromkeys(bare.model.joint_names, (0.4, 0.0)))
    springs = springs_for(bare, 5, damped=True)
    robot = flexible(bare.with_gravity((0.0, 0.0, 0.0)), springs, Viscous(0.2))
    q, n = np.random.default_rng(6).normal(size=(2, bare.dof)), bare.dof
    modes = robot.vibration_modes(q, rotors=rotors)
    flex = [k for k, spring in enumerate(springs.values()) if spring is not None]
    B = np.array([joint.armature for joint in robot.joints])
    for j in range(2):
        stiff = robot.mass_matrix(q[j])
        M = scipy.linalg.block_diag(stiff - np.diag([B[k] * (k in flex) for k in range(n)]), np.diag(B[flex]))
        E = np.hstack([-np.eye(n)[flex], np.eye(len(flex))])
        chosen = list(springs.values())
        K = E.T @ np.diag([chosen[k].stiffness for k in flex]) @ E
        D = E.T @ np.diag([chosen[k].damping for k in flex]) @ E
        # an actuator's friction replaces the joint's; what a rigid joint's motor rubs, rubs at the link
        D = D + np.diag([*(0.0 if k in flex else 0.2 for k in range(n)), *([0.2] * len(flex))])
        kept = flex if rotors == "held" else list(range(n + len(flex)))
        w2, phi = scipy.linalg.eigh(K[np.ix_(kept, kept)], M[np.ix_(kept, kept)])
        w = np.sqrt(w2[-len(flex) :])
        np.testing.assert_allclose(modes.frequencies[j], w, rtol=1e-10)
        ratios = np.einsum("if,ij,jf->f", phi, D[np.ix_(kept, kept)], phi)[-len(flex) :] / (2.0 * w)
        np.testing.assert_allclose(modes.damping_ratios[j], ratios, rtol=1e-8)
        shapes = np.concatenate([modes.links[j], modes.rotors[j][flex]])[kept]
        expected = phi[:, -len(flex) :]
        signs = np.sign((shapes * expected).sum(axis=0))
        np.testing.assert_allclose(shapes * signs, expected, atol=1e-7 * abs(expected).max())


def test_gravity_bends_stiffening_springs() -> None:
    """Horizontal, a link of weight m g r hangs in its spring, which is stiffer there."""
    spring = Spring(80.0, cubic=9e3)
    arm, _ = one_joint(spring)
    arm = arm.with_gravity((0.0, -9.81, 0.0))
    load = float(arm.gravity_forces([0.2])[0])
    x = np.roots([spring.cubic, 0.0, spring.stiffness, -load])
    x = float(x[abs(x.imag) < 1e-9].real[0])
    found = arm.compile(flexible_stiffness)([0.2])
    assert found.K[0] == pytest.approx(spring.stiffness + 3 * spring.cubic * x * x, rel=1e-12)
    assert found.K[0] > 1.5 * spring.stiffness


def test_errors() -> None:
    with pytest.raises(ModelError, match="no flexible joints"):
        armdyn.load("planar_2r").vibration_modes([0.0, 0.0])
    arm, _ = one_joint(Spring(10.0))
    with pytest.raises(ModelError, match="rotors is 'loose'"):
        arm.vibration_modes([0.0], rotors="loose")
