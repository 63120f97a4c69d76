"""Torques over time in a csv: units, columns that are missing or of other joints, times that do not rise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.logs import LogError
from armdyn.logs.joint_tables import read_torques

SCARA = armdyn.load("scara")  # its third joint slides
NAMES = SCARA.joint_names


def written(folder: Path, text: str) -> Path:
    path = folder / "torques.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_torques_in_units_of_their_own(tmp_path: Path) -> None:
    a, b, c, d = NAMES
    header = f"t [ms];tau_{c} [kN];note;tau_{a} [N mm];tau_{b} [lbf in];tau_{d}"
    t, tau = read_torques(written(tmp_path, f"{header}\n0;1;x;2;3;4\n5;0.5;y;-1;0;7\n"), SCARA)
    np.testing.assert_allclose(t, [0, 0.005], rtol=1e-15)
    lbf_in = 4.4482216152605 * 0.0254
    np.testing.assert_allclose(tau, [[0.002, 3 * lbf_in, 1000, 4], [-0.001, 0, 500, 7]], rtol=1e-15)


def test_a_saved_motion_has_torques(tmp_path: Path) -> None:
    arm = armdyn.load("planar_2r")
    motion = armdyn.simulate(arm, [0.3, 0.2], duration=0.1, torque=lambda t, q, qd: np.array([np.sin(t), -0.3 * t]))
    motion.save(tmp_path / "motion.csv")
    t, tau = read_torques(tmp_path / "motion.csv", arm)
    np.testing.assert_array_equal(t, motion.t)
    np.testing.assert_array_equal(tau, motion.tau)


ALL = ",".join(f"tau_{name}" for name in NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ALL}\n1,2,3,4\n", r"torques.csv:1 has no column t, so that its rows have no times"),
        (f"t,tau_{NAMES[0]}\n0,1\n", f"has no column tau_{NAMES[1]}, tau_{NAMES[2]}, tau_{NAMES[3]}; expected"),
        ("0,1,2,3,4\n", "has no header; expected t, tau_"),
        ("0,5;1,5\n", "has no header; expected t, tau_"),
        (f"t,{ALL}\n", "has a header and no rows"),
        (f"t,{ALL}\n0,1,2,3,4\n1,1,2,3,4\n1,1,2,3,4\n", "csv:4 t is 1 s, after 1 s; expected rows each with"),
        (f"t,{ALL}\n0,1,2,nan,4\n", "csv:2 column .* holds 'nan'; expected a finite number"),
        (f"t,{ALL.replace(NAMES[2], NAMES[2] + ' [N m]')}\n", r"unit 'N m', in m\^2 kg s\^-2; expected a unit like N"),
        (f"t,{ALL},tau_extra\n0,1,2,3,4,5\n", "no joint 'extra' in 'scara', .*column 'tau_extra'"),
    ],
)
def test_tables_of_something_else(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises((LogError, armdyn.UnknownName), match=message):
        read_torques(written(tmp_path, text), SCARA)
