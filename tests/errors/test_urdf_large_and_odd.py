# ruff: noqa: E501 - a file stands whole on its line
"""URDF files with thousands of misspelt names, with huge names and numbers, and other doubtful things."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armdyn import ArmdynError, ModelError, Robot, Unsupported
from armdyn.formats.urdf import read_urdf_text
from armdyn.model.messages import MAX_COMPARED, OVERHEAD, Suggestions

SECONDS = 10.0
"""Of the processor: the largest files take 2 to 6, on cores that are shared; quadratic in their links they took 20."""

COUNT = 12_000


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def links(count: int) -> str:
    return "".join(f'<link name="link_{i}"/>' for i in range(count))


def joint(i: int, parent: str = "", child: str = "", more: str = "", kind: str = "continuous", name: str = "") -> str:
    ends = f'<parent link="{parent or f"link_{i}"}"/><child link="{child or f"link_{i + 1}"}"/>'
    return f'<joint name="{name or f"joint_{i}"}" type="{kind}">{ends}{more}</joint>'


def refusal(parts: str) -> str:
    with pytest.raises(ArmdynError) as caught:
        read_urdf_text(f'<robot name="r">{parts}</robot>', "arm.urdf")
    return str(caught.value)


@pytest.mark.slow
def test_thousands_of_unknown_leaders() -> None:
    followers = "".join(joint(i, more=f'<mimic joint="jiont_{i}"/>') for i in range(COUNT))
    message = refusal(links(COUNT + 1) + followers)
    assert "joint 'joint_0': <mimic> follows joint 'jiont_0', which does not exist. Did you mean 'joint_0'?" in message
    assert "reading stopped after 100 problems" in message


@pytest.mark.slow
def test_thousands_of_unknown_links() -> None:
    joints = "".join(joint(i, f"lnik_{i}", f"likn_{i}") for i in range(COUNT))
    assert "its parent link 'lnik_0' does not exist. Did you mean 'link_0'?" in refusal(links(COUNT) + joints)


@pytest.mark.slow
def test_thousands_of_loops_between_unknown_links() -> None:
    loops = "".join(
        f'<loop_joint name="p{i}" type="ball"><link1 link="lnk{i}"/><link2 link="lik{i}"/></loop_joint>'
        for i in range(COUNT)
    )
    assert "it joins link 'lnk0', which does not exist" in refusal(links(2) + joint(0) + loops)


def words(count: int) -> list[str]:
    """Words of few letters, which take a comparison longest."""
    return ["".join(letters) for letters in np.random.default_rng(7).choice(["a", "b"], (count, 60))]


def test_names_that_are_slow_to_compare() -> None:
    named = "".join(f'<link name="{word}"/>' for word in words(900))
    assert "does not exist" in refusal(named + "".join(joint(i, a, a + "b") for i, a in enumerate(words(1900)[900:])))
    followers = [joint(i, name=a, more=f'<mimic joint="{a[::-1]}b"/>') for i, a in enumerate(words(900))]
    assert "which does not exist" in refusal(links(901) + "".join(followers))


def test_suggestions_compare_no_more_than_they_may() -> None:
    known = [f"joint_{i:05d}" for i in range(COUNT)]
    cost = (len(known[0]) + OVERHEAD) ** 2 * COUNT
    assert cost < MAX_COMPARED < 2 * cost
    meant = Suggestions(known)
    assert [meant("jiont_00007"), meant("jiont_00007")] == ["joint_00007", None]
    assert Suggestions(["elbow"])("e" * 20_000) is None
    assert Suggestions(["e" * 20_000, "elbow"])("elbwo") == "elbow"


HUGE = "x" * 20_000


@pytest.mark.parametrize(
    "parts",
    [
        links(1) + joint(0, child=HUGE),
        links(2) + joint(0, parent=HUGE, name=HUGE),
        links(2) + joint(0, more=f'<mimic joint="{HUGE}"/>'),
        links(2) + joint(0, name=HUGE, more=f'<mimic joint="{HUGE}"/>'),
        links(2) + joint(0, name=HUGE, more=f'<mimic joint="{HUGE}y"/>'),
        links(2) + joint(0, name=HUGE) + joint(1, child=HUGE, name=HUGE + "y", more=f'<mimic joint="{HUGE}"/>'),
        f'<link name="{HUGE}"/><link name="{HUGE}"/>',
        f'<link name="{HUGE}"/><link name="{HUGE}y"/>',
        f'<link name="{HUGE}"/>' + joint(0, parent=HUGE, child=HUGE, name=HUGE),
        f'<link name="{HUGE}"/>' + links(1) + joint(0, child=HUGE, name=HUGE, kind="floating"),
        links(2) + joint(0) + f'<loop_joint name="{HUGE}" type="ball"><link1 link="{HUGE}"/><link2 link="{HUGE}"/></loop_joint>',
        f'<link name="{HUGE}"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/></inertial></link>',
    ],
)  # fmt: skip
def test_huge_names_are_shortened(parts: str) -> None:
    message = refusal(parts)
    assert "x" * 57 + "...'" in message
    assert len(message) < 1500


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_the_only_joint_has_several_freedoms(kind: str) -> None:
    with pytest.raises(Unsupported, match=rf"^{kind} joint 'joint_0' \(arm.urdf:1\): an arm stands on something, .*"):
        read_urdf_text(f'<robot name="r">{links(2)}{joint(0, kind=kind)}</robot>', "arm.urdf")


def test_nothing_moves_above_a_floating_joint() -> None:
    parts = links(3) + joint(0, kind="floating") + joint(1, kind="fixed")
    assert refusal(parts).startswith("floating joint 'joint_0'")
    with pytest.raises(ModelError, match="'r' has no moving joint"):
        read_urdf_text(f'<robot name="r">{parts}</robot>', base="link_1")


def body(mass: str, inertia: str, origin: str = "") -> str:
    tensor = f'<inertia ixx="{inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0" izz="{inertia}"/>'
    inertial = f'<inertial>{origin}<mass value="{mass}"/>{tensor}</inertial>'
    return f'<link name="link_0"/><link name="link_1">{inertial}</link>{joint(0)}'


@pytest.mark.parametrize("origin", ["", '<origin rpy="1 2 3"/>'])
@pytest.mark.parametrize(("mass", "inertia"), [("1", "1e308"), ("1", "1.7e308"), ("1e308", "1"), ("1e101", "1")])
def test_numbers_too_large_to_compute_with(mass: str, inertia: str, origin: str) -> None:
    message = refusal(body(mass, inertia, origin))
    assert message.startswith("arm.urdf:1 link 'link_1': mass or inertia is as large as ")


ORIGIN = '<origin xyz="1 0 0"/>'


def test_a_centre_of_mass_without_mass_is_noted() -> None:
    text = f'<robot name="r">{body("0", "0", ORIGIN)}</robot>'
    what = "<inertial> has a centre of mass but neither mass nor inertia; it has no effect: link 'link_1'"
    assert what in read_urdf_text(text).notes
    without = read_urdf_text(f'<robot name="r">{body("0", "0")}</robot>').notes
    assert not any("centre of mass" in note for note in without)


def test_text_between_elements_is_noted() -> None:
    parts = links(2) + "stray\n  words of a file" + joint(0, more=" more of them ")
    assert read_urdf_text(f'<robot name="r">{parts}</robot>').notes[:2] == (
        "text in <joint> is not used: 'more of them' (joint 'joint_0')",
        "text in <robot> is not used: 'stray words of a fil' (robot)",
    )


ARM = f'<robot name="\xe9">{links(2)}{joint(0)}</robot>'


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16", "utf-16le", "iso-8859-1", "ISO-8859-15", "Windows-1252", "latin-1"])  # fmt: skip
def test_encodings_that_are_read(encoding: str) -> None:
    document = f'<?xml version="1.0" encoding="{encoding}"?>{ARM}'
    assert read_urdf_text(document.encode(encoding)).name == "\xe9"


@pytest.mark.parametrize("encoding", ["unicode_escape", "raw_unicode_escape", "rot13", "utf-7", "hex", "koi8-r"])
def test_encodings_that_are_refused(encoding: str) -> None:
    document = f'<?xml version="1.0" encoding="{encoding}"?>{ARM}'
    with pytest.raises(ModelError) as caught:
        read_urdf_text(document.encode("ascii", "ignore"), "arm.urdf")
    assert str(caught.value) == (
        f"arm.urdf:1 declares the encoding {encoding!r}; expected UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 or "
        "windows-1252. Save it as UTF-8."
    )
    assert read_urdf_text(document).name == "\xe9"  # a text is decoded already, whatever it declares


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_pipe_is_read_as_a_file() -> None:
    """What a shell's <(xacro arm.xacro) is, and /dev/stdin."""
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, ARM.encode())
        os.close(write_end)
        assert Robot.from_urdf(f"/dev/fd/{read_end}").name == "\xe9"
    finally:
        os.close(read_end)
