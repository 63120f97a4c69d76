"""Numbers that the doctor reads in MJCF files beside those of MuJoCo's compiler."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from armdyn.doctor.examine import subject_of
from armdyn.doctor.mjcf.parts import MjcfBody, MjcfJoint
from armdyn.doctor.source import SourceDocument
from armdyn.doctor.subject import Subject
from doctor.planted_mjcf import clean_mjcf

EVERY_WORD = """
<mujoco model="words">
  <compiler {compiler}/>
  <default>
    <joint range="-1 1" axis="1 2 3"/>
    <geom type="capsule" size="0.03 0.1"/>
    <default class="thin">
      <joint pos="0.1 0 0"/>
      <geom size="0.01 0.2" density="2700"/>
      <default class="slow"> <joint type="slide" range="-0.2 0.3"/> </default>
    </default>
  </default>
  <include file="more.xml"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0.1 0.2 0.3" euler="10 20 30" childclass="thin">
      <joint name="a1"/> <joint name="a2" class="slow"/> <joint name="a3" limited="false" axis="0 0 2"/>
      <geom/> <geom type="sphere" size="0.05" mass="2"/> <geom class="main" group="3"/>
      <frame pos="0 0 0.4" axisangle="1 1 0 40">
        <body name="b" xyaxes="1 1 0 0 1 1">
          <joint range="0 0.5"/> <inertial pos="0.1 0 0.2" mass="3" fullinertia="0.02 0.03 0.025 0.001 0.002 0.003"/>
          <frame euler="0 0 90"> <geom type="box" size="0.1 0.2 0.3" fromto="0 0 0 0.1 0.2 0.2"/> </frame>
          <body pos="0 1 0" zaxis="1 1 -1"> <joint type="ball" range="0 1"/>
            <geom type="ellipsoid" size="0.1 0.2 0.3"/> <geom fromto="0 0 0 0.3 0 0.1" type="cylinder"/>
            <body name="down" zaxis="0 0 -1"> <geom mass="0.3"/> <joint type="hinge"/>
              <inertial pos="0 0 0.1" quat="2 1 0 -1" mass="1" diaginertia="0.01 0.011 0.012"/>
            </body>
          </body>
        </body>
      </frame>
    </body>
  </worldbody>
</mujoco>
"""

MORE = """
<mujocoinclude>
  <worldbody> <body name="included" quat="1 2 3 4"> <freejoint/> <geom size="0.02 0.3"/> </body> </worldbody>
</mujocoinclude>
"""


def assert_alike(subject: Subject, model: mujoco.MjModel, factor: float = 1.0) -> None:
    """Poses, masses, centres, tensors, axes and ranges are those of the compiled model."""
    assert len(subject.bodies) == model.nbody
    for b, body in enumerate(subject.bodies.values()):
        if b == 0 or body.carried_by is None:
            continue
        assert (model.body(b).name or f"body_{b}") == body.name
        T = body.carried_by.placement
        assert np.allclose(T[:3, 3], model.body_pos[b], atol=1e-12), body.name
        assert np.allclose(T[:3, :3], _matrix(model.body_quat[b]), atol=1e-12), body.name
        assert isinstance(body, MjcfBody)
        if body.mass is not None:
            assert np.isclose(body.mass, model.body_mass[b] * factor, rtol=1e-12), body.name
        if body.is_stated:
            assert np.allclose(body.com, model.body_ipos[b], atol=1e-12)
            A, R = body.frame[:3, :3], _matrix(model.body_iquat[b])
            assert np.allclose(A @ body.tensor @ A.T, R @ np.diag(model.body_inertia[b]) @ R.T, rtol=1e-6, atol=1e-9)
    joints = [joint for joint in subject.joints if isinstance(joint, MjcfJoint) and not joint.is_weld]
    assert len(joints) == model.njnt
    for j, joint in enumerate(joints):
        if joint.kind not in ("revolute", "prismatic"):
            continue
        low, high = joint.limit("lower"), joint.limit("upper")
        assert (low is not None) == bool(model.jnt_limited[j]), joint.name
        if low is not None:
            assert np.allclose([low, high], model.jnt_range[j], rtol=1e-12), joint.name
        assert np.allclose(joint.axis / np.linalg.norm(joint.axis), model.jnt_axis[j], atol=1e-12)
        assert np.allclose(joint.pivot, model.jnt_pos[j], atol=1e-12)


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


@pytest.mark.parametrize(
    "compiler",
    [
        "",
        'angle="radian"',
        'eulerseq="zyx"',
        'eulerseq="XYZ"',
        'inertiafromgeom="true" inertiagrouprange="0 2"',
    ],
)
def test_every_word_is_read_as_the_compiler_does(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "more.xml").write_text(MORE)
    text = EVERY_WORD.format(compiler=compiler)
    path = tmp_path / "arm.xml"
    path.write_text(text)
    subject = subject_of(SourceDocument.parse("arm.xml", text.encode()), tmp_path)
    assert not subject.unread
    assert_alike(subject, mujoco.MjModel.from_xml_path(str(path)))


def test_files_that_mujoco_writes() -> None:
    for name, text in clean_mjcf().items():
        subject = subject_of(SourceDocument.parse(name, text), Path())
        assert_alike(subject, mujoco.MjModel.from_xml_string(text.decode()))


def test_the_total_mass_scales_what_is_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor keeps the stated masses; the compiler multiplies each by the factor that the finding states."""
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    from doctor.mjcf_arms import RIGHT_MJCF, examined_mjcf

    text = RIGHT_MJCF.replace('angle="radian"', 'angle="radian" settotalmass="5"')
    (finding,) = (one for one in examined_mjcf(text, tmp_path) if one.rule == "mass/total")
    assert "sum to 12 kg" in finding.text
    assert "by 0.4167" in finding.text
    subject = subject_of(SourceDocument.parse("arm.xml", text.encode()), tmp_path)
    assert_alike_masses = mujoco.MjModel.from_xml_string(text).body_mass[1:] / 4.0
    assert np.allclose(assert_alike_masses, 5.0 / 12.0)
    assert subject.bodies["link_1"].mass == 4.0
