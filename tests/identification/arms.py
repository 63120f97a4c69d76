"""Arms for identification, and logs of them that a test makes: motions, friction, noise, delays, quantised values."""

from __future__ import annotations

from typing import Any

import numpy as np

import armdyn
from armdyn.spatial.rotations import Array


def pendulum(inertia: float = 0.5, moment: float = 0.5, mass: float = 1.0) -> armdyn.Robot:
    """One joint that turns about a level axis: I qdd + g m c cos(q) = tau, I about the axis."""
    c = moment / mass
    about_com = inertia - mass * c * c
    urdf = f"""<robot name="pendulum"><link name="base"/><link name="rod"><inertial><origin xyz="{c} 0 0"/>
      <mass value="{mass}"/><inertia ixx="0.02" iyy="{about_com}" izz="{about_com}" ixy="0" ixz="0" iyz="0"/>
      </inertial></link><joint name="joint" type="revolute"><parent link="base"/><child link="rod"/>
      <origin rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/><limit lower="-6" upper="6" effort="50" velocity="9"/>
      </joint></robot>"""
    return armdyn.load(urdf)


def fourier(
    joints: int,
    duration: float,
    rate: float,
    *,
    harmonics: int = 5,
    amplitude: float = 0.6,
    period: float = 10.0,
    seed: int = 1,
) -> tuple[Array, Array, Array, Array]:
    """Times and q, qd, qdd of a motion of sines, s, rad, rad/s, rad/s^2."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, duration, 1.0 / rate)
    w = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
    a, b = amplitude * rng.normal(size=(2, harmonics, joints)) / np.sqrt(harmonics)
    sines, cosines = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q = sines @ a + cosines @ b + 0.3 * rng.normal(size=joints)
    qd = (cosines * w) @ a - (sines * w) @ b
    qdd = -(sines * w**2) @ a - (cosines * w**2) @ b
    return t, q, qd, qdd


def recorded(
    robot: armdyn.Robot,
    motion: tuple[Array, Array, Array, Array],
    *,
    noise: Any = 0.0,
    counts: float | None = None,
    jitter: float = 0.0,
    delay: float = 0.0,
    velocities: bool = True,
    seed: int = 2,
) -> dict[str, Array]:
    """The log of a motion: torques by inverse dynamics, friction included.

    Args:
        robot: whose torques these are.
        motion: t, q, qd, qdd.
        noise: standard deviation of the torques' noise, N m, one or one for each joint.
        counts: per turn, to which positions are rounded; velocities are then their differences, smoothed by nothing.
        jitter: standard deviation of the times at which the states are sampled, s; the stamps state them.
        delay: of the torques, s.
        velocities: False to leave them out.
        seed: of the noise.
    """
    rng = np.random.default_rng(seed)
    t, q, qd, _ = motion
    stamps = t + np.clip(rng.normal(scale=jitter, size=len(t)), -0.4 * t[1], 0.4 * t[1]) if jitter else t
    if jitter:
        q, qd = (at_times(t, x, stamps) for x in (q, qd))
    tau = np.asarray(robot.inverse_dynamics(*motion[1:]))
    tau = at_times(t, tau, stamps - delay) if jitter or delay else tau
    tau = tau + rng.normal(size=tau.shape) * noise
    if counts is not None:
        q = np.round(q * counts / (2.0 * np.pi)) * (2.0 * np.pi / counts)
    return {"t": stamps, "q": q, "tau": tau} | ({"qd": qd} if velocities else {})


def at_times(t: Array, x: Array, times: Array) -> Array:
    """Signals at other times, by the spline of third degree through the samples."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(t, x)(np.clip(times, t[0], t[-1])))


def wrong_description(robot: armdyn.Robot, by: float = 0.2, seed: int = 4) -> armdyn.Robot:
    """The robot with masses and inertias that are wrong by a random factor about 1 for each link."""
    rng = np.random.default_rng(seed)
    pi = np.array(robot.standard_parameters(armature=False, damping=False, friction=False).values)
    factors = np.exp(by * rng.normal(size=len(pi) // 10))
    return robot.without_friction().with_standard_parameters(
        pi * np.repeat(factors, 10), armature=False, damping=False, friction=False
    )
