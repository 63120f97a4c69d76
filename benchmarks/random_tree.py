"""A branched robot with random parameters, as URDF text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRISMATIC_SHARE = 0.2
REACH = 5  # a link hangs on one of the few links before it, so that the tree has both branches and depth


def random_tree(joints: int, seed: int) -> str:
    """A tree of ``joints`` revolute and prismatic joints with general axes, placements and inertias."""
    rng = np.random.default_rng(seed)
    parts = [f'<robot name="tree{joints}">', '<link name="link0"/>']
    for i in range(1, joints + 1):
        parent = int(rng.integers(max(0, i - REACH), i))
        kind = "prismatic" if rng.random() < PRISMATIC_SHARE else "revolute"
        axis = rng.normal(size=3)
        parts.append(
            f'<link name="link{i}"><inertial><origin xyz="{_text(rng.uniform(-0.2, 0.2, 3))}" '
            f'rpy="{_text(rng.uniform(-3, 3, 3))}"/><mass value="{rng.uniform(0.5, 5.0)!r}"/>'
            f"{_inertia(rng)}</inertial></link>"
            f'<joint name="joint{i}" type="{kind}"><parent link="link{parent}"/><child link="link{i}"/>'
            f'<origin xyz="{_text(rng.uniform(-0.4, 0.4, 3))}" rpy="{_text(rng.uniform(-3, 3, 3))}"/>'
            f'<axis xyz="{_text(axis / np.linalg.norm(axis))}"/>'
            '<limit lower="-3" upper="3" velocity="5" effort="500"/></joint>'
        )
    parts.append("</robot>")
    return "\n".join(parts)


def _inertia(rng: np.random.Generator) -> str:
    """The inertia of a cloud of points: always that of a possible body."""
    points = rng.normal(scale=0.1, size=(6, 3))
    second = points.T @ points
    inertia = np.trace(second) * np.eye(3) - second
    names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    return "<inertia " + " ".join(f'{name}="{float(inertia[at])!r}"' for name, at in names.items()) + "/>"


def _text(values: NDArray[np.float64]) -> str:
    return " ".join(repr(float(value)) for value in values)
