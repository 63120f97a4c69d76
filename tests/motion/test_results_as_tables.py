"""Every result is a table: printed, as HTML with escaped text, as LaTeX, as a data frame with numbers in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.simulation import RungeKutta4

DRIVE = Actuator(Motor(1e-5, torque_constant=0.03, resistance=0.3), Gear(50.0))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": DRIVE, "joint_2": DRIVE})
    fine, coarse = (armdyn.simulate(arm, [0.1, 0.2], duration=0.2, method=RungeKutta4(step=h)) for h in (0.01, 0.02))
    heavy = tmp_path_factory.mktemp("files") / "heavy.urdf"
    heavy.write_text(armdyn.load("ur5").to_urdf().replace('mass value="8', 'mass value="80'))
    states = np.zeros(2), np.ones(2), np.zeros(2)
    return {
        "motion": fine,
        "comparison": fine.compare(coarse),
        "drives": fine.drives(arm),
        "link motion": arm.link_motion(*states),
        "reactions": arm.joint_reactions(*states),
        "recursion": arm.newton_euler(*states),
        "solution": arm.inverse_kinematics(arm.forward_kinematics([0.3, 0.4]), np.zeros(2)),
        "findings": armdyn.doctor(heavy),
    }


@pytest.mark.parametrize(
    "name", ["motion", "comparison", "drives", "link motion", "reactions", "recursion", "solution", "findings"]
)
def test_every_form_of_a_result(results: dict[str, Any], name: str) -> None:
    result = results[name]
    assert len(str(result).splitlines()) > 1
    html = result._repr_html_()
    assert html.count("<tr>") == html.count("</tr>") > 1
    latex = result.to_latex()
    assert latex.startswith(r"\begin{tabular}")
    assert latex.rstrip().endswith(r"\end{tabular}")
    frame = result.to_dataframe()
    assert len(frame) >= 1
    if name not in ("motion", "drives"):  # whose frames have a row for each time
        assert latex.count(r"\\") == len(frame) + 1
    assert result.table() is not None


def test_numbers_of_a_comparison_are_in_full(results: dict[str, Any]) -> None:
    compared = results["comparison"]
    frame = compared.to_dataframe()
    np.testing.assert_array_equal(frame["q largest"], compared.q.largest)
    np.testing.assert_array_equal(frame["tau rms"], compared.tau.rms)
    assert list(frame["joint"]) == ["joint_1", "joint_2"]
    assert "energy K + P" in str(compared)


def test_findings_are_rows_with_their_line(results: dict[str, Any]) -> None:
    findings = results["findings"]
    frame = findings.to_dataframe()
    assert list(frame["line"]) == [one.line for one in findings]
    assert "mass/neighbours" in set(frame["rule"])


def test_energy_at_start_and_at_end(results: dict[str, Any]) -> None:
    """Of a motion that loses energy the table has both, not a range."""
    braked = armdyn.load("planar_2r").with_friction({"joint_1": (1.0, 0.0), "joint_2": (1.0, 0.0)})
    motion = armdyn.simulate(braked, [0.0, 0.0], duration=0.5)
    first, last = motion.energy.total[[0, -1]]
    assert last < first
    assert f"energy {first:.4g} J at start, {last:.4g} J at end" in str(motion)


def test_documents_list_drives_and_friction(tmp_path: Path) -> None:
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": DRIVE}).with_friction({"joint_2": (0.25, 0.75)})
    motion = armdyn.simulate(arm, [0.1, 0.2], duration=0.1)
    motion.report(tmp_path / "run.html", robot=arm)
    arm.to_page(tmp_path / "arm.html")
    for name in ("run.html", "arm.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        for word in ("Actuators", "damping", "ratio", "0.25", "0.75"):
            assert word in text, (name, word)
