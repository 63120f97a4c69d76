"""A fit as a document: its logs, errors, parameters, friction and residuals; its actuators and description in files."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor
from armdyn.identification import Fit
from armdyn.plots.residuals import amplitude_spectrum, autocorrelation
from armdyn.report import ReportError, fit_report
from identification.arms import fourier, recorded

Shell = Callable[..., Any]
ARM = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)})


def log(name: str, seed: int) -> armdyn.logs.Log:
    rows = recorded(ARM, fourier(2, 12.0, 100.0, seed=seed), noise=0.2, seed=seed)
    rows["q"][500, 0] = np.nan
    return armdyn.logs.read(rows, ARM, name=name)


@pytest.fixture(scope="module")
def fit() -> Fit:
    return armdyn.identify(ARM.without_friction(), log("excite <b>", 1))


def test_the_document_holds_everything_and_needs_no_other_file(fit: Fit, tmp_path: Path) -> None:
    held = fit.check(log("held", 2))
    document = fit.report(tmp_path / "fit.html", on=held)
    html = (tmp_path / "fit.html").read_text()
    assert document.html == html
    assert "excite &lt;b&gt;, fitted" in html
    assert "<b>, fitted" not in html
    (damaged,) = (each for each in fit.logs[0].findings if each.kind == "damaged rows")
    assert not damaged.used
    assert f"excite &lt;b&gt;: {escape(str(damaged))}" in html
    for rms in (*held.rms, *held.rms_alone, *held.rms_description):
        assert f">{rms:.3g}</td>" in html
    low, high = fit.intervals["joint_1.coulomb"]
    assert f">{low:.4g}</td>" in html
    assert f">{high:.4g}</td>" in html
    assert html.count("<svg") + html.count("<img") == 3  # friction, forces, residuals of the log that was held out
    outside = set(re.findall(r"""(?:src|href)=["'](?!#|data:)([^"']*)""", html))
    assert not outside


@pytest.mark.usefixtures("without_pictures")
def test_without_another_log_the_fitted_one_is_drawn(fit: Fit) -> None:
    assert fit.report().html.count("excite") > 3


@pytest.mark.usefixtures("without_pictures")
def test_what_is_no_fit_or_no_document_is_refused(fit: Fit, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"\.html"):
        fit.report(tmp_path / "fit.docx")
    with pytest.raises(ReportError, match=r"armdyn\.identify"):
        fit_report(ARM)  # type: ignore[arg-type]


def test_autocorrelation_and_spectrum() -> None:
    signal = np.random.default_rng(0).normal(scale=2.0, size=4000)
    lags, values = autocorrelation(signal, 0.01)
    centred = signal - signal.mean()
    np.testing.assert_allclose(values[7], centred[7:] @ centred[:-7] / (centred @ centred), rtol=1e-9)
    assert lags[7] == pytest.approx(0.07)
    frequencies, sizes = amplitude_spectrum(signal, 0.01)
    assert frequencies[1] * np.sum(sizes**2) == pytest.approx(4.0, rel=0.1)  # Parseval: the variance


def same(one: armdyn.Robot, other: armdyn.Robot) -> None:
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 50, one.dof))
    np.testing.assert_array_equal(one.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd))


def test_actuators_and_description_are_read_back_exactly(fit: Fit, tmp_path: Path) -> None:
    armdyn.actuators.write(fit.actuators, tmp_path / "drives.yaml")
    same(fit.robot.with_actuators(armdyn.actuators.read(tmp_path / "drives.yaml")), fit.robot)
    fit.robot.to_urdf(tmp_path / "fit.urdf")
    same(armdyn.load(tmp_path / "fit.urdf"), fit.robot)
    bare = armdyn.load(tmp_path / "fit.urdf").without_friction()
    bare = bare.with_armature(dict.fromkeys(bare.joint_names, 0.0))
    same(bare.with_actuators(armdyn.actuators.read(tmp_path / "drives.yaml")), fit.robot)


def test_actuators_of_a_robot_with_gears(tmp_path: Path) -> None:
    gear = Actuator(Motor(rotor_inertia=1e-4), Gear(50.0, efficiency=0.9), friction=Coulomb(0.3))
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": gear})
    for options in ({"armature": True}, {"armature": False}):
        fit = armdyn.identify(arm, recorded(arm, fourier(2, 12.0, 100.0), noise=0.1), **options)
        armdyn.actuators.write(fit.actuators, tmp_path / "drives.yaml")
        back = fit.robot.with_actuators(armdyn.actuators.read(tmp_path / "drives.yaml"))
        q, qd, qdd = np.random.default_rng(3).normal(size=(3, 50, 2))
        np.testing.assert_allclose(
            back.inverse_dynamics(q, qd, qdd), fit.robot.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12
        )


@pytest.mark.usefixtures("without_pictures")
def test_the_command_line_writes_both(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, seed in (("excite", 1), ("held", 2)):
        rows = recorded(ARM, fourier(2, 12.0, 100.0, seed=seed), noise=0.2, seed=seed)
        header = "t,q_joint_1,q_joint_2,qd_joint_1,qd_joint_2,tau_joint_1,tau_joint_2"
        table = np.column_stack([rows[k] for k in ("t", "q", "qd", "tau")])
        np.savetxt(f"{name}.csv", table, delimiter=",", header=header, comments="")
    words = ["identify", "planar_2r", "excite.csv", "--on", "held.csv", "--report", "fit.html", "-o", "fit.urdf"]
    said = shell(*words, "--fitted-actuators", "drives.yaml", "--json")
    assert said.code in (0, 1), said.err  # 1: the description is exact, and the fit may be worse than friction alone
    html = Path("fit.html").read_text()
    assert "held, held out" in html
    assert "excite, fitted" in html
    said = shell("torque", "fit.urdf", "--actuators", "drives.yaml", "--q", "0.1,0.2", "--qd", "1,1", "--json")
    assert said.code == 0, said.err
    assert shell(*words[:3], "--report", "fit.docx").code == 2
