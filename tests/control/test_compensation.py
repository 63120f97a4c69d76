"""Arms that float: forces, goals, C99, the loop in Python, and no drift of simulated arms with servos unknown to it."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, published
from armdyn.control import compensation, differencing, floating_torque, quantised, sampled
from armdyn.errors import ModelError
from identification.arms import fourier, recorded, wrong_description
from oracles.robot_data import ROBOTS

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
    floating = compensation(ARM.with_friction(dict.fromkeys(ARM.joint_names, (2.0, 3.0))))
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


@pytest.mark.slow
def test_an_so101_with_servos_of_which_the_fit_has_not_been_told_does_not_drift() -> None:
    """M4 friction of a published servo; 4096 counts, 50 Hz; 20 poses; fitted on 60 s of motion with linear friction."""
    path = ROBOTS / "so_arm_description/urdf/so101.urdf"
    bare = armdyn.load(path, tip="gripper_frame_link")
    servos: dict[str, Actuator] = {name: published.servo("MX-64", "M4") for name in bare.joint_names}
    arm = bare.with_actuators(servos)
    log = recorded(arm, fourier(6, 60.0, 50.0, amplitude=0.5), noise=0.02, counts=4096, velocities=False)
    fit = armdyn.identify(wrong_description(bare), log)
    floating = compensation(fit)
    law = sampled(differencing(quantised(floating_torque, resolution=2 * np.pi / 4096), time_constant=0.04), every=20)
    law = armdyn.control.with_model(law, floating.robot)
    loop = armdyn.ClosedLoop(arm, law, record=["q"])
    limits = [joint.limits for joint in bare.joints]
    low, high = (np.array([getattr(limit, end) for limit in limits]) for end in ("lower", "upper"))
    poses = low + (high - low) * np.random.default_rng(3).uniform(0.1, 0.9, size=(20, 6))

    def drift(limit: float) -> np.ndarray:
        """Degrees per second of the fastest joint in each pose, from the first to the third second."""
        inputs = {**floating.inputs, "limit": np.full(6, limit)}
        rows = loop(poses, steps=3000, t0=10.0, **inputs).rows
        return np.degrees(np.abs(rows.q[-1] - rows.q[999]).max(axis=-1) / 2.0)

    assert drift(10.0).max() < 0.5
    assert drift(1e-3).max() > 5.0
