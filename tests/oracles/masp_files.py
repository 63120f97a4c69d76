"""Input files, and the paper's own recursion for the arms in them, in their units."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.masp import EXAMPLE, MaspProblem, read_masp
from oracles.kazerounian_gupta import ZeroReferenceArm

SLIDER = Path(__file__).parents[1] / "masp" / "sliding_arm.toml"
FILES = {"kg_puma": EXAMPLE, "slider": SLIDER}


def read(name: str) -> MaspProblem:
    return read_masp(FILES[name])


def papers_arm(name: str) -> ZeroReferenceArm:
    """The file's tables for the paper's equations (5)-(29), in the file's own units, its payload part of the last link.

    Nothing of armdyn reads the file here.
    """
    data = tomllib.loads(FILES[name].read_text(encoding="utf-8"))
    g = 9.80665 / {"in": 0.0254, "mm": 0.001}[data["units"]["length"]]
    rows = data["joint"]
    c = np.array([row["c"] for row in rows], dtype=float)
    d = np.array([row["d"] if "d" in row else np.subtract(row["b"], row["c"]) for row in rows], dtype=float)
    Q = np.vstack([np.zeros(3), np.cumsum(c + d, axis=0)])
    m = np.array([row["weight"] for row in rows]) / g
    inertia = np.array([matrix(row["inertia"]) for row in rows])
    if "payload" in data:
        c[-1], d[-1], m[-1], inertia[-1] = with_payload(c[-1], d[-1], m[-1], inertia[-1], data["payload"], g)
    u_a, u_t = (np.array(data["hand"][key], dtype=float) for key in ("axial", "transverse"))
    hand = np.eye(4)
    hand[:3, :3], hand[:3, 3] = np.column_stack([u_t, np.cross(u_a, u_t), u_a]), Q[-1]
    axes = np.array([row["axis"] for row in rows], dtype=float)
    return ZeroReferenceArm(
        slides=np.array([row.get("kind") == "P" for row in rows]),
        u=axes / np.linalg.norm(axes, axis=1)[:, None],
        Q=Q[:-1],
        c=c,
        d=d,
        masses=m,
        inertia=inertia,
        hand=hand,
        gravity=np.array([0.0, 0.0, -g]),
        collar_outboard=np.array([row.get("collar") != "parent" for row in rows]),
    )


def matrix(values: list[float]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = [*values, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def with_payload(
    c: np.ndarray, d: np.ndarray, m: float, inertia: np.ndarray, payload: dict[str, Any], g: float
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """The last link and what is fixed to it, by the parallel axis theorem."""
    hand, extra = c + d, payload["weight"] / g
    at = hand + np.array(payload["center"], dtype=float)
    com = (m * c + extra * at) / (m + extra)

    def moved(tensor: np.ndarray, mass: float, r: np.ndarray) -> np.ndarray:
        return tensor + mass * (r @ r * np.eye(3) - np.outer(r, r))

    whole = moved(inertia, m, c - com) + moved(matrix(payload["inertia"]), extra, at - com)
    return com, hand - com, m + extra, whole
