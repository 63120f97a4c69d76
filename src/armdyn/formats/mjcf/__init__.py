"""MJCF files: the arm that MuJoCo's own compiler builds from one.

Defaults, includes, frames, orientations in any form, angles in degrees, inertias from shapes and meshes: the compiler
resolves all of it by MuJoCo's rules, and armdyn reads the compiled ``mjModel``. Its joint positions are armdyn's:
``qpos`` of a joint is q, so that the pose drawn in the file is at q = ref. MuJoCo's documentation of both is at
https://mujoco.readthedocs.io/en/stable/XMLreference.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.formats.mjcf.compiler import is_mjcf
    from armdyn.formats.mjcf.reader import read_mjcf

_WHERE = {"is_mjcf": "compiler", "read_mjcf": "reader"}

__all__ = ["is_mjcf", "read_mjcf"]

__getattr__ = names_of(__name__, _WHERE)
