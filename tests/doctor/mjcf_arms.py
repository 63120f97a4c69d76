"""A right arm of three equal boxes in MJCF, from which each test makes a wrong twin by one replacement."""

from __future__ import annotations

from pathlib import Path

from armdyn.doctor import Findings, doctor

BOX = """\
{pad}<body name="link_{k}" pos="{x} 0 0">  <!-- a solid box of 4 kg -->
{pad}  <inertial pos="0.15 0 0" mass="4" diaginertia="0.00427 0.0321 0.0321"/>
{pad}  <joint name="joint_{k}" axis="0 1 0" range="-2.5 2.6" actuatorfrcrange="-90 90"/>
{pad}  <geom type="box" pos="0.15 0 0" size="0.15 0.04 0.04"/>
"""


def _arm() -> str:
    text = '<mujoco model="right">\n  <compiler angle="radian"/>\n  <worldbody>\n'
    for k in (1, 2, 3):
        text += BOX.format(k=k, x=0.3 * (k > 1), pad="  " * (k + 1))
    text += "".join("  " * k + "</body>\n" for k in (4, 3, 2)) + "  </worldbody>\n"
    motors = "".join(f'    <motor name="motor_{k}" joint="joint_{k}" ctrlrange="-90 90"/>\n' for k in (1, 2, 3))
    return f"{text}  <actuator>\n{motors}  </actuator>\n</mujoco>\n"


RIGHT_MJCF = _arm()
"""All numbers of this arm are right: a box of 0.3 x 0.08 x 0.08 m and 4 kg has moments 0.004267 and 0.03213 kg m^2."""


def replaced_mjcf(old: str, new: str, part: str = "link_2", text: str = RIGHT_MJCF) -> str:
    """The text with the first occurrence of a string after the name of a body or joint replaced."""
    begin = text.index(f'name="{part}"') if part else 0
    assert old in text[begin:], f"{old} is not in {part}"
    return text[:begin] + text[begin:].replace(old, new, 1)


def examined_mjcf(text: str, folder: Path, name: str = "arm.xml") -> Findings:
    """The findings of a description."""
    path = folder / name
    path.write_bytes(text.encode())
    return doctor(path)
