"""A trunk is heavier than the first links of its limbs, and not heavier than three times the heaviest limb."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doctor.arms import BOX, JOINT, examined, replaced


def with_arms(arms: int, mass: float = 17.0, first: float = 1.0) -> str:
    """A trunk on a pelvis of 1 kg, with arms of three links of which the first has another mass."""
    text = '<robot name="torso">\n  <link name="base"/>\n'
    boxes = [("pelvis", 1.0), ("trunk", mass)]
    joints = [("waist", "base", "pelvis", 0.0), ("chest", "pelvis", "trunk", 0.3)]
    for side in range(arms):
        names = [f"arm_{side}_{k}" for k in (1, 2, 3)]
        boxes += list(zip(names, (first, 4.0, 4.0), strict=True))
        joints += [(f"to_{name}", parent, name, 0.3) for parent, name in zip(("trunk", *names), names, strict=False)]
    for name, kg in boxes:
        moments = f'ixx="{0.00427 * kg / 4}" ixy="0" ixz="0" iyy="{0.0321 * kg / 4}" iyz="0" izz="{0.0321 * kg / 4}"'
        box = replaced('<mass value="4"/>', f'<mass value="{kg}"/>', name, BOX.format(name=name))
        box = re.sub(r" *<collision>.*</collision>\n", "", box)  # no density tells more than the neighbours
        text += replaced('ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"', moments, name, box)
    for name, parent, child, x in joints:
        text += JOINT.format(name=name, parent=parent, child=child, x=x).replace('effort="90"', 'effort="900"')
    return text + "</robot>\n"


def alarmed(text: str, folder: Path) -> set[str]:
    return {one.link for one in examined(text, folder) if one.rule == "mass/neighbours"}


def test_a_trunk_of_17_kg_with_arms_of_9_kg_is_right(tmp_path: Path) -> None:
    assert alarmed(with_arms(2), tmp_path) == set()


def test_a_trunk_of_170_kg_is_a_digit_too_many(tmp_path: Path) -> None:
    assert alarmed(with_arms(2, mass=170.0), tmp_path) == {"trunk"}


def test_a_link_of_40_kg_that_carries_one_arm_is_named(tmp_path: Path) -> None:
    """A link in a chain is beside one link on either side, of 1 kg each, and the median link has 4 kg."""
    assert alarmed(with_arms(1, mass=40.0), tmp_path) == {"trunk"}
    assert alarmed(with_arms(2, mass=26.0), tmp_path) == set()  # three times an arm of 9 kg


@pytest.mark.parametrize("first", [100.0, 200.0])
def test_a_first_link_of_a_limb_with_a_digit_too_many_is_named(first: float, tmp_path: Path) -> None:
    assert "arm_0_1" in alarmed(with_arms(2, first=first), tmp_path)
