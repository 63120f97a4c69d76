"""A configuration of each bundled robot in which a picture shows its joints."""

from __future__ import annotations

from collections.abc import Mapping

POSTURES: Mapping[str, tuple[float, ...]] = {
    "planar_2r": (0.5, 0.8),
    "planar_2r_geared": (0.5, 0.8),
    "planar_3r": (0.4, 0.7, 0.6),
    "ucl_2r": (0.5, 0.8),
    "rp": (0.5, 0.8),
    "furuta": (0.4, 0.6),
    "scara": (0.4, 0.9, 0.1, 0.5),
    "stanford": (0.4, 0.9, 0.6, 0.4, 0.7, 0.3),
    "puma560": (0.3, -0.7, 0.6, 0.4, 0.8, 0.2),
    "kg_puma": (0.3, -0.7, 0.5, 0.4, 0.6, 0.2),
    "ur5": (0.3, -1.2, 1.4, -0.7, 1.1, 0.2),
}
"""Joint positions, rad and m, by the names that `armdyn.load` knows."""
