"""The public descriptions of example-robot-data: no error in those that are clean, no failure on any."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn.doctor import doctor
from doctor.planted import CLEAN
from oracles.robot_data import ROBOTS

EVERY = sorted(ROBOTS.rglob("*.urdf"))


@pytest.mark.parametrize("path", CLEAN[:6])
def test_a_clean_file_has_neither_error_nor_warning(path: str) -> None:
    findings = doctor(ROBOTS / path, meshes=False)
    assert not findings.at_least("warning"), str(findings)


@pytest.mark.slow
def test_forty_files_have_no_error() -> None:
    without = [path.name for path in EVERY if not doctor(path).count("error")]
    assert len(without) >= 50, sorted(without)


@pytest.mark.parametrize(
    ("path", "rule", "part"),
    [
        ("ur_description/urdf/ur5_robot.urdf", "inertia/size", "wrist_2_link"),
        ("panda_description/urdf/panda.urdf", "inertia/hull", "panda_link2"),
        ("allegro_hand_description/urdf/allegro_left_hand.urdf", "inertia/triangle", "link_7.0"),
    ],
)
def test_known_faults_of_public_files_are_found(path: str, rule: str, part: str) -> None:
    findings = doctor(ROBOTS / path)
    assert any(one.rule == rule and one.link == part for one in findings), str(findings)


def test_moments_of_a_point_mass_that_round_below_zero_are_not_an_error() -> None:
    """The head of icub.urdf has a smallest moment of -2.4e-35 kg m^2."""
    findings = doctor(next(path for path in EVERY if path.name == "icub.urdf"))
    assert not [one for one in findings if one.link == "head" and one.severity == "error"], str(findings)


def test_rotors_without_limits_are_at_most_a_warning() -> None:
    """The rotors of iris.urdf have limits of 1e16 rad."""
    findings = doctor(next(path for path in EVERY if path.name == "iris.urdf"))
    limits = [one for one in findings if one.rule.startswith("limit/")]
    assert limits
    assert all(one.severity == "note" for one in limits if "1e+16" in one.text)


def test_the_path_of_each_fault_is_in_the_file() -> None:
    path = ROBOTS / "panda_description/urdf/panda.urdf"
    lines = Path(path).read_text().splitlines()
    for one in doctor(path):
        tag = lines[one.line - 1][one.column - 1 :]
        assert tag.startswith("<"), f"{one}: {tag}"
