"""Small arms in which no number is special."""

import numpy as np

import armdyn

R, P = "revolute", "prismatic"


def general(kinds: list[str], parents: list[int], *, seed: int, inclined: bool) -> armdyn.Robot:
    """Links with every inertial parameter, on joints along the axes of their frames, or inclined to them."""
    rng, parts = np.random.default_rng(seed), []
    for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        axis = Q[0] if inclined else np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
        inertia = armdyn.Inertia(rng.uniform(1, 3), rng.uniform(-0.5, 0.5, 3), Q @ np.diag([0.3, 0.4, 0.5]) @ Q.T)
        on = "base" if parent < 0 else f"link_{parent + 1}"
        parts.append(
            armdyn.Part(
                f"link_{k + 1}", on, kind, axis=axis, joint=f"joint_{k + 1}",
                xyz=rng.uniform(0.2, 1, 3), inertia=inertia, damping=0.3 * k, friction=0.2 * k, armature=0.05 * k,
            )
        )  # fmt: skip
    return armdyn.Robot.from_links(parts, gravity=(1.0, -2.0, -9.0), tip=f"link_{len(kinds)}")
