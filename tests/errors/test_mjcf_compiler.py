# ruff: noqa: E501 - messages stand whole on their lines
"""MuJoCo's compiler on what no ordinary robot has: it may throw, end its process or never come back, and we go on."""

import sys
import time
from pathlib import Path

import pytest

from armdyn import Model, ModelError
from armdyn.formats.mjcf import apart, compiler, read_mjcf
from armdyn.formats.mjcf.ordinary import is_ordinary
from armdyn.formats.xml_tree import parse

ARM = """<mujoco model="arm">
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="lift" axis="0 1 0"/>
      <geom name="tube" size="0.1" pos="0.1 0.2 0.3"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.xml"


def refusal(file: Path, text: str) -> str:
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_mjcf(file)
    return str(caught.value)


BLANK = "<equality><connect body1='upper' anchor='  '/></equality>"
OTHERS = [
    ("</worldbody>", f"</worldbody>{BLANK}"),  # an exception of C++ that leaves a lock taken
    ('size="0.1"', 'class="%s%n" size="0.1"'),  # a format that writes into memory
    ("<worldbody>", "<size nuser_body='2000000000'/><worldbody>"),
]


@pytest.mark.short_run("</worldbody>-</worldbody><equality><connect body1='upper' anchor='  '/></equality>")
@pytest.mark.parametrize(("good", "bad"), OTHERS)
def test_what_breaks_the_compiler_is_refused_and_the_next_file_is_read(file: Path, good: str, bad: str) -> None:
    assert "arm.xml is refused by MuJoCo's compiler: " in refusal(file, ARM.replace(good, bad))
    file.write_text(ARM.replace("<worldbody>", "<worldbody><body name='far' pos='1e5 0 0'><geom size='1e-9'/></body>"))
    assert read_mjcf(file).joint_names == ("lift",)  # the compiler warns of such bodies


def test_a_compiler_that_does_not_come_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SECONDS", 2.0)
    start = time.monotonic()
    many = "<replicate count='1000000000'><geom size='0.1'/></replicate></body>"
    said = refusal(file, ARM.replace("</body>", many))
    assert said == "arm.xml is refused by MuJoCo's compiler: the compiler did not finish within 2 s."
    assert time.monotonic() - start < 60.0


def test_an_exception_of_unknown_kind_is_wrapped_and_from_then_on_files_are_compiled_apart(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mujoco = pytest.importorskip("mujoco")

    def throw(_: str) -> None:
        raise RuntimeError("Caught an unknown exception!")

    file.write_text(ARM)
    expected = read_mjcf(file)
    monkeypatch.setattr(compiler, "_damage", [])
    with monkeypatch.context() as broken:
        broken.setattr(mujoco.MjModel, "from_xml_path", throw)
        assert refusal(file, ARM) == "arm.xml is refused by MuJoCo's compiler: Caught an unknown exception."
        assert read_mjcf(file).digest == expected.digest


REPLICATED = ARM.replace(
    "</body>",
    "<replicate count='3' offset='0.1 0 0.2' euler='0 20 0'><body pos='0 0.1 0'><joint axis='1 2 3'/><geom size='0.1'/></body></replicate></body>",
)


def here(file: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The model of a file that is compiled in this process whatever it holds."""
    with monkeypatch.context() as trusting:
        trusting.setattr(compiler, "is_ordinary", lambda *_: True)
        return read_mjcf(file)


def test_compiled_apart_a_model_is_the_same(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(REPLICATED)
    model = read_mjcf(file)
    assert model.digest == here(file, monkeypatch).digest
    assert len(model.joints) == 4


def test_what_the_compiler_warns_of_apart_is_noted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(ARM.replace("<worldbody>", "<size nuser_body='1'/><worldbody><camera pos='nan 0 0'/>"))
    notes = [note for note in read_mjcf(file).notes if "compiler warns" in note]
    assert notes == [note for note in here(file, monkeypatch).notes if "compiler warns" in note]
    assert notes


def test_without_a_python_to_start_such_a_file_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    assert "there is no Python here to compile it in a process of its own" in refusal(file, REPLICATED)
    file.write_text(ARM)
    assert read_mjcf(file).joint_names == ("lift",)


def test_the_reason_of_a_refusal_is_the_compilers_own(file: Path) -> None:
    assert refusal(file, REPLICATED.replace("1 2 3", "0 0 0")).startswith(
        "arm.xml is refused by MuJoCo's compiler: axis too small"
    )


ORDINARY = [
    ('<geom size="0.1"/>', True),
    ('<geom name="2f85_base" pos="0.1 -2e3 .5"/>', True),
    ('<geom class="%s"/>', False),
    ('<geom name=""/>', False),
    ('<geom pos=" "/>', False),
    ('<geom size="1e9"/>', False),
    ('<geom size="nan"/>', False),
    ('<geom size="0x7fffffff"/>', False),
    ('<geom name="1e9 times"/>', False),
    ('<texture width="100" height="100"/>', True),
    ('<texture width="100000" height="100000"/>', False),
    ('<replicate count="2"/>', False),
    ('<sensor><user dim="3"/></sensor>', True),
    ('<sensor><user dim="2000000000"/></sensor>', False),
    ('<include file="part.xml"/>', True),
    ('<include file="odd.xml"/>', False),
    ('<include file="ring.xml"/>', False),
    ('<include file="nosuch.xml"/>', False),
    ('<include file="broken.xml"/>', False),
]


@pytest.mark.parametrize(("inside", "ordinary"), ORDINARY)
def test_what_is_ordinary(tmp_path: Path, inside: str, ordinary: bool) -> None:
    (tmp_path / "part.xml").write_text("<mujocoinclude><geom size='0.1'/></mujocoinclude>")
    (tmp_path / "odd.xml").write_text("<mujocoinclude><flexcomp count='100000 100000 1'/></mujocoinclude>")
    (tmp_path / "ring.xml").write_text("<mujocoinclude><include file='ring.xml'/></mujocoinclude>")
    (tmp_path / "broken.xml").write_text("<mujocoinclude>")
    document = parse(f"<mujoco><worldbody>{inside}</worldbody></mujoco>".encode(), "arm.xml")
    assert is_ordinary(document, tmp_path) is ordinary


PLACES = [
    ('ref="inf"', "lift' (arm.xml:4): ref is inf rad; expected an angle of at most 1e+15 rad."),
    ('ref="1e18"', "ref is 1.74533e+16 rad; expected an angle of at most 1e+15 rad."),
    ('type="slide" ref="-1e60"', "ref is -1e+60 m; expected a length of at most 1e+50 m."),
    ('pos="0 1e51 0"', "joint 'lift' (arm.xml:4): pos holds 1e+51 m; expected a length of at most 1e+50 m."),
]


@pytest.mark.short_run('type="slide" ref="-1e60"-ref is -1e+60 m; expected a length of at most 1e+50 m.')
@pytest.mark.parametrize(("attribute", "expected"), PLACES)
def test_a_joint_at_no_place(file: Path, attribute: str, expected: str) -> None:
    assert expected in refusal(file, ARM.replace('axis="0 1 0"', f'axis="0 1 0" {attribute}'))


@pytest.mark.slow
def test_other_places_that_are_none(file: Path) -> None:
    assert "body 'upper' (arm.xml:3): pos holds 1e+308 m; expected" in refusal(
        file, ARM.replace('"0 0 1"', '"0 0 1e308"')
    )
    site = '<site name="s" pos="1e70 0 0"/></body>'
    assert "site 's' (arm.xml:6): pos holds 1e+70 m; expected" in refusal(file, ARM.replace("</body>", site))
    turned = ARM.replace('pos="0 0 1"', 'quat="1e200 0 0 1"')
    assert "MuJoCo makes a quaternion of length 0 of its orientation; expected 1." in refusal(file, turned)
    assert "mass, centre of mass or inertia is not a finite number" in refusal(
        file, ARM.replace('size="0.1"', 'size="1e153"')
    )
