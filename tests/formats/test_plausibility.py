"""Notes at load on masses, centres and moments of another size than the robot, each with a right and a wrong twin."""

from __future__ import annotations

import pytest

import armdyn

LINK = """<link name="{name}"><inertial><origin xyz="{com} 0 0"/><mass value="{mass}"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{iyy}"/></inertial>{shape}</link>"""
JOINT = """<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/><origin xyz="{x} 0 0"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="90" velocity="3"/></joint>"""


def arm(shape: str = "", **changed: float) -> str:
    """Three links of 4 kg and 0.3 m; the second with other numbers."""
    numbers = {"com": 0.15, "mass": 4.0, "ixx": 0.004, "iyy": 0.03}
    links = [LINK.format(name=f"l{k}", shape=shape, **(numbers | (changed if k == 2 else {}))) for k in (1, 2, 3)]
    joints = [JOINT.format(k=k, parent=f"l{k - 1}" if k > 1 else "base", x=0.3 * (k > 1)) for k in (1, 2, 3)]
    return f'<robot name="r"><link name="base"/>{"".join([*links, *joints])}</robot>'


def doubts(text: str) -> list[str]:
    return [note for note in armdyn.load(text).notes if "armdyn doctor proposes repairs" in note]


def test_a_right_arm_has_no_doubt() -> None:
    assert not doubts(arm())
    assert not any("armdyn doctor" in note for name in armdyn.bundled_robots() for note in armdyn.load(name).notes)


@pytest.mark.parametrize(
    ("changed", "excerpt"),
    [
        ({"ixx": 1600.0, "iyy": 3000.0, "mass": 1.5}, "link 'l2' (3e+03 kg m^2 on 1.5 kg)"),
        ({"mass": 5e-324}, "link 'l2' (0.03 kg m^2 on 4.94e-324 kg)"),
        ({"com": 100.0}, "link 'l2' (at 100 m)"),
        ({"mass": 4000.0}, "link 'l2' (4000 kg)"),
    ],
    ids=["moments", "smallest mass", "centre", "mass"],
)
def test_a_wrong_twin_has_one_line(changed: dict[str, float], excerpt: str) -> None:
    (note,) = doubts(arm(**changed))
    assert excerpt in note
    assert "\n" not in note


def test_a_shape_that_explains_the_numbers_is_no_doubt() -> None:
    """Moments of a rotor of 5 m on a link whose joints are 0.3 m apart."""
    wide = {"ixx": 25.0, "iyy": 13.0}
    assert doubts(arm(**wide))
    assert not doubts(arm('<visual><geometry><box size="0.1 5 5"/></geometry></visual>', **wide))


def test_the_note_of_a_file_has_its_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "arm.urdf"
    path.write_text("\n\n" + arm(com=100.0).replace("<link", "\n<link"))
    (note,) = doubts_of(path)
    assert "arm.urdf:7 link 'l2'" in note


def doubts_of(path: object) -> list[str]:
    return [note for note in armdyn.load(path).notes if "armdyn doctor" in note]
