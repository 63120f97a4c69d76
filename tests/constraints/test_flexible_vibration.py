"""Modes of vibration of arms with flexible joints within constraints."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from linkages import four_bar
from test_flexible_joints import CASES, INERTIA, RATIO, B, case, sprung

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Spring
from armdyn.constraints import OpenLoop, PointOnPlane
from armdyn.simulation import RungeKutta4


def test_a_four_bar_is_one_spring_and_one_inertia() -> None:
    """w^2 = k (1/I + 1/B), with I the inertia that the crank feels of all links."""
    bare = four_bar()
    drive = Actuator(Motor(INERTIA), Gear(RATIO), spring=Spring(300.0))
    robot = bare.with_actuators({bare.joint_names[0]: drive})
    q = np.asarray(bare.close_loop([-1.2, 1.0, -0.5]))
    rates = scipy.linalg.null_space(np.asarray(bare.constraint_jacobian(q)))[:, 0]
    rates = rates / rates[0]
    inertia = float(rates @ bare.mass_matrix(q) @ rates)
    w = robot.vibration_modes(q).frequencies
    assert w == pytest.approx(np.sqrt(300.0 * (1.0 / inertia + 1.0 / B)), rel=1e-12)
    assert robot.vibration_modes(q, rotors="held").frequencies.shape == (0,)  # the loop holds the crank by the others


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("rotors", ["free", "held"])
def test_generalised_eigenproblem_within_the_constraints(name: str, rotors: str) -> None:
    """Of SciPy, in coordinates of an orthonormal basis of the motions that the constraints allow."""
    robot, bare, springs, q = case(name)
    n, flex = bare.dof, sorted(springs)
    modes = robot.vibration_modes(q, rotors=rotors)
    f = len(flex)
    rigid = [k for k in range(n) if k not in flex]
    links, D = np.array(bare.mass_matrix(q)), np.zeros((n, n))
    links[rigid, rigid] += 0.01 * 4.0
    D[rigid, rigid] = 0.3
    M = scipy.linalg.block_diag(links, np.eye(f) * B)
    E = np.hstack([-np.eye(n)[flex], np.eye(f)])
    loads = bare.gravity_forces(q)
    k = []
    for j in flex:
        s, cubic, _ = springs[j]
        x = np.roots([cubic, 0.0, s, -loads[j]]) if cubic else np.array([loads[j] / s])
        x = float(x[abs(x.imag) < 1e-9].real[0])
        k.append(s + 3.0 * cubic * x * x)
    K = E.T @ np.diag(k) @ E
    damping = E.T @ np.diag([springs[j][2] for j in flex]) @ E + scipy.linalg.block_diag(D, np.zeros((f, f)))
    A = np.hstack([np.asarray(bare.constraint_jacobian(q)), np.zeros((len(bare.constraint_rows), f))])
    if rotors == "held":
        A = np.vstack([A, np.eye(n + f)[[*rigid, *range(n, n + f)]]])
    Z = scipy.linalg.null_space(A)
    if not Z.shape[1]:
        assert modes.frequencies.shape == (0,)
        return
    w2, y = scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ M @ Z)
    count = modes.frequencies.size
    assert count == (f if rotors == "free" else Z.shape[1])
    phi = (Z @ y)[:, -count:]
    np.testing.assert_allclose(modes.frequencies, np.sqrt(w2[-count:]), rtol=1e-9)
    np.testing.assert_allclose(w2[:-count] if count < len(w2) else [0.0], 0.0, atol=1e-9 * w2[-1])
    shapes = np.concatenate([modes.links, modes.rotors[flex]])
    signs = np.sign((shapes * phi).sum(axis=0))
    np.testing.assert_allclose(shapes * signs, phi, atol=1e-7 * abs(phi).max())
    np.testing.assert_allclose(np.asarray(bare.constraint_jacobian(q)) @ modes.links, 0.0, atol=1e-9)
    ratios = np.einsum("if,ij,jf->f", phi, damping, phi) / (2.0 * np.sqrt(w2[-count:]))
    np.testing.assert_allclose(modes.damping_ratios, ratios, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", ["five-bar", "slides"])
def test_the_equations_of_motion_swing_at_these_frequencies(name: str) -> None:
    """By the eigenvalues of the derivatives of `flexible_forward_dynamics`, where nothing is loaded or damped."""
    _, bare, springs, q = case(name)
    drives = {
        bare.joint_names[k]: Actuator(Motor(INERTIA), Gear(RATIO), spring=Spring(s)) for k, (s, *_) in springs.items()
    }
    robot = bare.with_gravity((0.0, 0.0, 0.0)).with_actuators(drives)
    n, zero = robot.dof, np.zeros(robot.dof)
    by_q, by_theta = (
        np.concatenate(robot.flexible_forward_dynamics.derivative(x)(q, zero, q, zero, zero)) for x in ("q", "theta")
    )
    flex = [robot.joint_names.index(joint) for joint in drives]
    kept = [*range(n), *(n + k for k in flex)]
    found = np.linalg.eigvals(np.hstack([by_q, by_theta])[np.ix_(kept, kept)])
    w = np.sqrt(np.sort(-found.real)[-len(flex) :])
    np.testing.assert_allclose(robot.vibration_modes(q).frequencies, w, rtol=1e-7)


def test_batches_and_rows_that_follow_from_others() -> None:
    robot, bare, springs, q = case("slides")
    states = np.stack([q, 2.0 * q])
    modes = robot.vibration_modes(states)
    assert modes.frequencies.shape == (2, 1)
    assert modes.links.shape == (2, 2, 1)
    (constraint,) = bare.model.constraints
    twice = PointOnPlane("head", constraint.normal, (0, 0, 0), name="again")
    again = sprung(bare.with_constraints(twice), springs).vibration_modes(states)
    np.testing.assert_allclose(again.frequencies, modes.frequencies, rtol=1e-12)
    held = robot.vibration_modes(states, rotors="held")  # the other slide is held, and the channel holds this one
    assert held.frequencies.shape == (2, 0)


def test_what_is_wrong_is_named() -> None:
    robot, _, _, q = case("four-bar")
    with pytest.raises(OpenLoop, match="do not hold at q"):
        robot.vibration_modes(q + 0.1)
    assert robot.vibration_modes(q + 0.1, tolerance=np.inf).frequencies.shape == (2,)


def test_a_step_that_is_too_long_for_a_spring_in_a_loop_is_named() -> None:
    bare = four_bar()
    drive = Actuator(Motor(INERTIA), Gear(RATIO), spring=Spring(3e6))
    robot = bare.with_actuators({bare.joint_names[0]: drive})
    q = bare.close_loop([-1.2, 1.0, -0.5])
    with pytest.raises(armdyn.ArmdynError, match="too long for the spring of joint"):
        armdyn.simulate(robot, q, duration=2.0, method=RungeKutta4(0.02))
