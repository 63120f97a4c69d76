"""Mechanisms of the IFToMM benchmark library: chains of four-bars, Andrews' squeezer, Bricard's six-bar."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

import armdyn
from armdyn import constraints as c

G, Z = 9.81, (0, 0, 1)

Point = tuple[float, float, float]


def rod(length: float = 1.0, mass: float = 1.0, along: int = 0, sign: float = 1.0) -> armdyn.Inertia:
    """A slender rod from its joint along an axis."""
    com, moments = np.zeros(3), np.full(3, mass * length**2 / 12)
    com[along], moments[along] = sign * length / 2, 0.0
    return armdyn.Inertia(mass, com, np.diag(moments))


def pin(frame: str, to: str, point: Point, to_point: Point, name: str) -> c.Constraint:
    """Two points of planar links that are one: the rows in the plane."""
    whole = c.ball(frame, to, point=point, to_point=to_point, name=name)
    return c.RowsOf(whole, [f"{name}: x", f"{name}: y"])


def four_bars(n: int) -> armdyn.Robot:
    """N parallelograms in a row: N + 1 rods of 1 m and 1 kg hang from the ground, N rods join their lower ends.

    q = (rod_0, bar_0, rod_1, bar_1, ..., rod_N): angles of the rods from the horizontal, of the bars from their rods.
    """
    parts, pins = [], []
    for k in range(n + 1):
        parts.append(armdyn.Part(f"rod_{k}", "base", axis=Z, xyz=(k, 0, 0), inertia=rod()))
        if k < n:
            parts.append(armdyn.Part(f"bar_{k}", f"rod_{k}", axis=Z, xyz=(1, 0, 0), inertia=rod()))
            pins.append(pin(f"bar_{k}", f"rod_{k + 1}", (1, 0, 0), (1, 0, 0), f"pin_{k}"))
    tree = armdyn.Robot.from_links(parts, gravity=(0, -G, 0), name=f"four_bars_{n}", tip="rod_0")
    return tree.with_constraints(*pins)


def four_bars_state(n: int, swing: float) -> np.ndarray:
    """All rods at an angle from hanging, the bars level."""
    angle = swing - np.pi / 2
    return np.array([value for _ in range(n) for value in (angle, -angle)] + [angle])


def four_bars_swing(n: int, start: float, t: np.ndarray) -> np.ndarray:
    """The angle of the rods from hanging over time, let go at rest: one pendulum, sin(x/2) = k cd(w t, k).

    K = (m/2) x'^2 ((N + 1)/3 + N) and V = -m g cos x ((N + 1)/2 + N), so that w^2 is g times the ratio of the sums.
    """
    w, k = np.sqrt(G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)), np.sin(start / 2)
    _, cn, dn, _ = ellipj(w * t, k * k)
    return 2 * np.arcsin(k * cn / dn)


def four_bars_period(n: int, start: float) -> float:
    """s."""
    return 4 * ellipk(np.sin(start / 2) ** 2) / np.sqrt(G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n))


BETA, THETA, GAMMA, DELTA, PHI, EPSILON, OMEGA = range(7)
"""Places in q of the angles of Andrews' squeezer, which is built as a tree of K1 K2, K3, K5 K4 and K7 K6."""

SQUEEZER_ORDER = [BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON]
"""The order of the published angles."""

SQUEEZER_START = (
    -0.0617138900142764496358948458001,
    0.0,
    0.455279819163070380255912382449,
    0.222668390165885884674473185609,
    0.487364979543842550225598953530,
    -0.222668390165885884674473185609,
    1.23054744454982119249735015568,
)
"""beta, theta, gamma, phi, delta, omega, epsilon at rest (Hairer and Wanner, Solving ODEs II, VII.7)."""

SQUEEZER_END = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
"""The same at t = 0.03 s: the reference solution of the Test Set for IVP Solvers (Mazzia and Magherini)."""

SQUEEZER_ACCELERATIONS = (14222.4439199541138705911625887, -10666.8329399655854029433719415)
"""beta'' and theta'' at t = 0, rad/s^2; the others are zero."""

SQUEEZER_MULTIPLIERS = (98.5668703962410896057654982170, 6.12268834425566265503114393122)
"""Sizes of the forces at the pin of K3 at t = 0, N."""


def squeezer() -> armdyn.Robot:
    """Andrews' squeezing mechanism: seven planar bodies, driven at the crank K1 and held by a spring (no gravity)."""
    A, B = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0)
    d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
    ss, sa, sb, ta, tb, u, ua, ub, zf, zt, fa = (
        0.035, 0.01874, 0.01043, 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421,
    )  # fmt: skip

    def body(mass: float, com: tuple[float, float], I: float) -> armdyn.Inertia:  # noqa: E741
        return armdyn.Inertia(mass, [*com, 0], np.diag([0.6 * I, 0.7 * I, I]))

    parts = [
        armdyn.Part("K1", "base", axis=Z, inertia=body(0.04325, (ra, 0), 2.194e-6)),
        armdyn.Part("K2", "K1", axis=Z, xyz=(rr, 0, 0), inertia=body(0.00365, (-da, 0), 4.410e-7)),
        armdyn.Part("K3", "base", axis=Z, xyz=B, inertia=body(0.02373, (sa, sb), 5.255e-6)),
        armdyn.Part("K5", "base", axis=Z, xyz=A, inertia=body(0.07050, (ta, tb), 1.169e-5)),
        armdyn.Part("K4", "K5", axis=Z, xyz=(zt, 0, 0), inertia=body(0.00706, (0, ea - e), 5.667e-7)),
        armdyn.Part("K7", "base", axis=Z, xyz=A, inertia=body(0.05498, (ua, ub), 1.912e-5)),
        armdyn.Part("K6", "K7", axis=Z, xyz=(0, -u, 0), inertia=body(0.00706, (zf - fa, 0), 5.667e-7)),
    ]
    ends = {"K3": (0, -ss, 0), "K4": (0, -e, 0), "K6": (zf, 0, 0)}
    pins = [pin("K2", name, (-d, 0, 0), end, f"pin_{name}") for name, end in ends.items()]
    tree = armdyn.Robot.from_links(parts, gravity=(0, 0, 0), name="squeezer", tip="K2")
    return tree.with_constraints(*pins)


def squeezer_forces(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The torque on the crank, and that of the spring from C, of the ground, to D on K3."""
    sc, sd, c0, l0 = 0.018, 0.02, 4530.0, 0.07785
    cos, sin = np.cos(q[GAMMA]), np.sin(q[GAMMA])
    arm = np.array([sd * cos + sc * sin, sd * sin - sc * cos])  # from B to D
    reach = arm + np.array([-0.03635, 0.03273]) - np.array([0.014, 0.072])  # from C to D
    force = -c0 * (1 - l0 / np.hypot(*reach)) * reach
    tau = np.zeros(7)
    tau[BETA], tau[GAMMA] = 0.033, arm[0] * force[1] - arm[1] * force[0]
    return tau


def bricard() -> armdyn.Robot:
    """Five rods of 1 m and 1 kg, and the ground, along the edges of a cube; each axis is normal to both its rods.

    Six hinges in a ring: six freedoms less six equations, and yet it moves, for one of the rows follows from others.
    """
    edges = [(0, 1.0), (1, -1.0), (2, 1.0), (0, -1.0), (1, 1.0)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    parts, place, before = [], (0.0, 0.0, 0.0), "base"
    for k, ((along, sign), axis) in enumerate(zip(edges, axes, strict=True)):
        parts.append(armdyn.Part(f"rod_{k + 1}", before, axis=axis, xyz=place, inertia=rod(along=along, sign=sign)))
        place, before = tuple(sign * np.eye(3)[along]), f"rod_{k + 1}"
    tree = armdyn.Robot.from_links(parts, gravity=(0, -G, 0), name="bricard", tip="rod_5")
    ring = c.hinge("rod_5", point=place, to_point=(0, 0, 1), axis=(1, 0, 0), name="ring")
    return tree.with_constraints(ring)
