# ruff: noqa: E501 - descriptions and messages stand whole on their lines
"""Words of no meaning to armdyn, inside every element that it reads, are listed in the notes: other readers pass over them."""

import re

import pytest

from armdyn.formats.urdf import read_urdf_text
from armdyn.formats.urdf.unused import USED_ATTRIBUTES

TEXT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link><link name="c"><visual name="v"><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 0 0 1"/>
</material></visual><visual><geometry><sphere radius="1"/></geometry></visual><collision><geometry>
<cylinder radius="1" length="1"/></geometry></collision><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>
<joint name="h" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/><dynamics damping="0"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><limit velocity="1" effort="1"/><mimic joint="h"/></joint>
<link name="w"/><drake:joint name="d" type="ball"><parent link="w"/><child link="a"/></drake:joint>
<loop_joint name="p" type="spherical"><link1 link="a"/><link2 link="b"/></loop_joint>
<loop name="o" type="spherical"><predecessor link="a"/><successor link="b"/></loop>
<armdyn tip="c"><of_joint joint="h" armature="0.1">
<rotor inertia="1e-4" ratio="9"/><stator mass="0.1"/><parallel_spring stiffness="1"/>
<balancer stiffness="1" parent_radius="1" child_radius="2"/></of_joint><of_link link="c"><visual>
<geometry><capsule radius="1" length="1"/></geometry></visual><visual><geometry><ellipsoid radii="1 1 1"/></geometry></visual>
<visual><geometry><plane size="1 1"/></geometry></visual></of_link></armdyn>
</robot>"""


COUPLED = TEXT.replace('<mimic joint="h"/>', "").replace(
    "<of_link",
    '<coupling><coordinate name="q" kind="revolute"><moves joint="h" factor="1"/><moves joint="k" factor="2"/></coordinate>'
    '<offset joint="k" value="0.1"/></coupling><of_link',
)


@pytest.mark.parametrize("tag", sorted(USED_ATTRIBUTES))
def test_an_unknown_element_attribute_and_text_inside_every_element(tag: str) -> None:
    whole = TEXT if f"<{tag}" in TEXT else COUPLED
    at = next(re.finditer(rf"<{tag}\b(?!_)", whole)).end()
    attribute = whole[:at] + ' hint="1"' + whole[at:]
    end = attribute.index(">", at)
    closed = attribute[end - 1] == "/"
    inside = f"><remark/>text</{tag}>" if closed else "><remark/>text"
    text = attribute[: end - closed] + inside + attribute[end + 1 :]
    notes = "; ".join(read_urdf_text(text, base="a").notes)
    assert "<remark> is not used" in notes
    assert f"'hint' of <{tag}> is not used" in notes
    assert f"text in <{tag}> is not used: 'text'" in notes
