"""Arms that float: forces, goals, C99, the loop in Python."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ModelError
from armdyn.control import compensation

ARM = armdyn.load("ur5")
Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


def test_forces_are_gravity_friction_limits_and_ramp() -> None:
    arm = ARM.with_friction(dict.fromkeys(ARM.joint_names, (2.0, 3.0)))
    floating = compensation(arm, share=0.5, ramp=2.0, limit=40.0)
    qd = np.array([0.2, -0.3, 0.0, 0.5, 1.0, -2.0])
    g = ARM.with_payload(mass=1.0, com=[0, 0, 0.1]).gravity_forces(Q)
    wanted = np.clip(g + 0.5 * (2.0 * qd + 3.0 * np.tanh(qd / 0.05)), -40.0, 40.0)
    assert (abs(wanted) == 40.0).any()
    for t, part in ((0.0, 0.0), (1.0, 0.5), (9.0, 1.0)):
        tau = floating(Q, qd, t, mass=1.0, com=[0, 0, 0.1])
        np.testing.assert_allclose(tau, part * wanted, rtol=0, atol=1e-12)


def test_goals_of_position_servos_make_these_forces() -> None:
    k = np.array([400.0, 300.0, 200.0, 100.0, 80.0, 60.0])
    qd = np.full(6, 0.1)
    goals = compensation(ARM, stiffness=k)(Q, qd, 5.0)
    np.testing.assert_allclose(k * (goals - Q), compensation(ARM)(Q, qd, 5.0), rtol=0, atol=1e-10)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
def test_the_folder_of_c_has_the_numbers_and_the_function(tmp_path: Path) -> None:
    floating = compensation(ARM.with_friction(dict.fromkeys(ARM.joint_names, (2.0, 3.0))), share=0.7)
    names = {path.name for path in floating.write(tmp_path / "c", name="arm", scalar="double")}
    assert names == {"arm.c", "arm.h", "arm_selftest.c", "CMakeLists.txt", "arm_numbers.h"}
    assert "static const double arm_viscous[6] = {1.4, 1.4" in (tmp_path / "c" / "arm_numbers.h").read_text()
    main = tmp_path / "c" / "main.c"
    main.write_text(
        '#include "arm.h"\n#include "arm_numbers.h"\nvoid once(const double *q, const double *qd, double *out);\n'
        "void once(const double *q, const double *qd, double *out)\n{\n    const double com[3] = {0.0, 0.0, 0.1};\n"
        "    arm(q, qd, 9.0, arm_viscous, arm_coulomb, arm_load, arm_limit, arm_ramp, 1.5, com, out);\n}\n"
    )
    import subprocess

    library = tmp_path / "arm.so"
    words = ["gcc", "-std=c99", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o", str(library), str(main)]
    subprocess.run([*words, str(tmp_path / "c" / "arm.c"), "-lm"], check=True)
    out, qd = np.zeros(6), np.full(6, 0.2)
    pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (Q, qd, out)]
    ctypes.CDLL(str(library)).once(*pointers)
    np.testing.assert_allclose(out, floating(Q, qd, 9.0, mass=1.5, com=[0, 0, 0.1]), rtol=0, atol=1e-12)


def test_the_loop_reads_and_commands_at_its_rate() -> None:
    now, sent = [0.0], []
    floating = compensation(armdyn.load("planar_2r"), limit=100.0, ramp=0.5)

    def sleep(seconds: float) -> None:
        now[0] += max(seconds, 1e-6)

    state = np.array([0.3, -0.2]), np.zeros(2)
    steps = floating.run(lambda: state, sent.append, duration=1.0, rate=50.0, clock=lambda: now[0], sleep=sleep)
    assert steps in (50, 51)
    np.testing.assert_array_equal(sent[0], np.zeros(2))
    np.testing.assert_allclose(sent[-1], armdyn.load("planar_2r").gravity_forces(state[0]), rtol=0, atol=1e-12)


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="limit"):
        compensation(ARM, limit=-1.0)
    with pytest.raises(ModelError, match="share"):
        compensation(ARM, share=1.5)
    with pytest.raises(ModelError, match="stiffness"):
        compensation(ARM, stiffness=np.zeros(6))
    with pytest.raises(ModelError, match="no limit of force"):
        compensation(armdyn.load("planar_2r"))
