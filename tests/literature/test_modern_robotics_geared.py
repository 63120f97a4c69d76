"""Modern Robotics 8.104-8.112, written out: twists and wrenches of links and of rotors that turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from modern_robotics import Adjoint, MatrixExp6, TransInv, VecTose3, ad

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Rotor
from oracles.states import assert_close, random_states


class Stage(NamedTuple):
    """Link i and rotor i: poses in link i - 1 at zero, M_(i-1)L,iL and M_(i-1)L,iR; screws A_i and R_i; inertias."""

    M_L: np.ndarray
    M_R: np.ndarray
    A: np.ndarray
    R: np.ndarray
    G_L: np.ndarray
    G_R: np.ndarray
    ratio: float


def inverse_dynamics(
    stages: list[Stage], gravity: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The torques of gears and of motors, tau_gear and tau_motor."""
    V, Vd = np.zeros(6), np.concatenate([np.zeros(3), -gravity])
    links, rotors = [], []
    for s, x, v, a in zip(stages, q, qd, qdd, strict=True):
        T_R = MatrixExp6(VecTose3(-s.R * s.ratio * x)) @ TransInv(s.M_R)  # 8.104
        T_L = MatrixExp6(VecTose3(-s.A * x)) @ TransInv(s.M_L)  # 8.105
        V_R = Adjoint(T_R) @ V + s.R * s.ratio * v  # 8.106
        V_L = Adjoint(T_L) @ V + s.A * v  # 8.107
        Vd_R = Adjoint(T_R) @ Vd + ad(V_R) @ s.R * s.ratio * v + s.R * s.ratio * a  # 8.108
        Vd_L = Adjoint(T_L) @ Vd + ad(V_L) @ s.A * v + s.A * a  # 8.109
        links.append((T_L, s.G_L @ Vd_L - ad(V_L).T @ (s.G_L @ V_L)))
        rotors.append((T_R, s.G_R @ Vd_R - ad(V_R).T @ (s.G_R @ V_R)))
        V, Vd = V_L, Vd_L
    tau_gear, tau_motor = np.zeros(len(stages)), np.zeros(len(stages))
    beyond = np.zeros(6)  # what link i + 1 and rotor i + 1 ask of link i
    for i in reversed(range(len(stages))):
        s, (T_L, of_link), (T_R, of_rotor) = stages[i], links[i], rotors[i]
        F = beyond + of_link  # 8.110
        tau_gear[i] = s.A @ F  # 8.111
        tau_motor[i] = tau_gear[i] / s.ratio + s.R @ of_rotor  # 8.112
        beyond = Adjoint(T_L).T @ F + Adjoint(T_R).T @ of_rotor
    return tau_gear, tau_motor


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def spatial(mass: float, tensor: np.ndarray) -> np.ndarray:
    G = np.zeros((6, 6))
    G[:3, :3], G[3:, 3:] = tensor, mass * np.eye(3)
    return G


def geared(name: str, seed: int) -> tuple[armdyn.Robot, list[Stage]]:
    """An arm with a rotor for every joint on the link before, beside the joint's axis and askew, twice."""
    rng, bare = np.random.default_rng(seed), armdyn.load(name)
    drives, stages, to_com = {}, [], np.eye(4)  # to_com: of link i - 1, frame to centre of mass
    for joint in bare.model.joints:
        u, p = rng.normal(size=3), rng.normal(0.0, 0.2, 3)
        u = u / np.linalg.norm(u)
        I, across, mass = rng.uniform(1e-4, 3e-4), rng.uniform(2e-4, 4e-4), rng.uniform(0.2, 0.8)  # noqa: E741
        ratio = float(rng.uniform(30.0, 120.0) * rng.choice([-1.0, 1.0]))
        drives[joint.name] = Actuator(
            Motor(rotor_inertia=I),
            Gear(ratio),
            rotor=Rotor(mass=mass, transverse=across, axis=tuple(u), position=tuple(p)),
        )
        link = bare.model.link(joint.child).inertia
        at_com = pose(np.eye(3), link.com)
        x = np.cross(u, [1.0, 2.0, 3.0])
        x = x / np.linalg.norm(x)
        M_R = TransInv(to_com) @ joint.placement @ pose(np.column_stack([x, np.cross(u, x), u]), p)
        M_L = TransInv(to_com) @ joint.placement @ at_com
        screw = np.append(joint.axis, np.zeros(3)) if joint.kind == "revolute" else np.append(np.zeros(3), joint.axis)
        A = Adjoint(TransInv(at_com)) @ screw
        G_R = spatial(mass, np.diag([across, across, I]))
        stages.append(Stage(M_L, M_R, A, np.eye(6)[2], spatial(link.mass, link.tensor), G_R, ratio))
        to_com = at_com
    return bare.with_actuators(drives), stages


@pytest.mark.short_run("puma560")
@pytest.mark.parametrize("name", ["stanford", "puma560"])
def test_torques_of_gears_and_motors(name: str) -> None:
    """Stanford's arm has a slide. What a joint transmits to its link is tau_gear; of the motors, tau = G tau_motor."""
    arm, stages = geared(name, seed=4)
    ratios = np.array([stage.ratio for stage in stages])
    states = random_states(arm.dof, 3, seed=12)
    tau = arm.without_friction().inverse_dynamics(states.q, states.qd, states.qdd)
    reactions = arm.joint_reactions(states.q, states.qd, states.qdd)
    for k, (q, qd, qdd) in enumerate(zip(states.q, states.qd, states.qdd, strict=True)):
        tau_gear, tau_motor = inverse_dynamics(stages, arm.gravity, q, qd, qdd)
        assert_close(tau[k][None], (ratios * tau_motor)[None], 1e-11)
        along = [
            (reactions.n if joint.kind == "revolute" else reactions.f)[k, i] @ joint.axis
            for i, joint in enumerate(arm.model.joints)
        ]
        assert_close(np.array(along)[None], tau_gear[None], 1e-11)
