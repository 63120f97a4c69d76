"""A right arm of three equal boxes, from which each test makes a wrong twin by one replacement."""

from __future__ import annotations

from pathlib import Path

from armdyn.doctor import Findings, doctor

BOX = """\
  <link name="{name}">
    <inertial>  <!-- a solid box of 4 kg -->
      <origin xyz="0.15 0 0" rpy="0 0 0"/>
      <mass value="4"/>
      <inertia ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"/>
    </inertial>
    <collision> <origin xyz="0.15 0 0"/> <geometry> <box size="0.3 0.08 0.08"/> </geometry> </collision>
  </link>
"""

JOINT = """\
  <joint name="{name}" type="revolute">
    <parent link="{parent}"/> <child link="{child}"/>
    <origin xyz="{x} 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.6" effort="90" velocity="3"/>
  </joint>
"""

RIGHT = (
    '<?xml version="1.0"?>\n<robot name="right">\n  <link name="base"/>\n'
    + "".join(BOX.format(name=f"link_{k}") for k in (1, 2, 3))
    + "".join(
        JOINT.format(name=f"joint_{k}", parent=f"link_{k - 1}" if k > 1 else "base", child=f"link_{k}", x=0.3 * (k > 1))
        for k in (1, 2, 3)
    )
    + "</robot>\n"
)
"""All numbers of this arm are right: a box of 0.3 x 0.08 x 0.08 m and 4 kg has moments 0.004267 and 0.03213 kg m^2."""


def replaced(old: str, new: str, part: str = "link_2", text: str = RIGHT) -> str:
    """The text with the first occurrence of a string inside a link or joint replaced."""
    begin = text.index(f'name="{part}"')
    assert old in text[begin:], f"{old} is not in {part}"
    return text[:begin] + text[begin:].replace(old, new, 1)


def line_of(text: str, part: str) -> range:
    """The lines of a link or joint."""
    begin = text.index(f'name="{part}"')
    first = text.count("\n", 0, begin) + 1
    end = text.index("</joint>" if text[:begin].rstrip().endswith("<joint") else "</link>", begin)
    return range(first, text.count("\n", 0, end) + 2)


def examined(text: str | bytes, folder: Path, name: str = "arm.urdf") -> Findings:
    """The findings of a description."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return doctor(path)
