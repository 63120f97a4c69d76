# ruff: noqa: E501 - messages stand whole on their lines
"""Descriptions come from strangers: what is no robot is refused at once, and nothing else is opened or executed."""

import builtins
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armdyn import ArmdynError, ModelError
from armdyn.formats.urdf import read_urdf, read_urdf_text

SECONDS = 10.0
"""Of the processor: a refusal takes far less than one, as many links as are read 3 to 6, on cores that are shared."""


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def refusal(text: str | bytes) -> str:
    with pytest.raises(ModelError) as caught:
        read_urdf_text(text, "arm.urdf")
    return str(caught.value)


DOCTYPE = (
    "arm.urdf:1 has a document type (<!DOCTYPE ...>), which can pull in other files and entities; "
    "robot descriptions need none: delete it."
)
LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 15))


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE r [<!ENTITY a0 "ha">{LAUGHS}]><robot name="&a14;"/>',
        f'<!DOCTYPE r [<!ENTITY a0 "ha">{LAUGHS}]><robot>&a14;</robot>',
        '<!DOCTYPE r [<!ENTITY a "' + "x" * 10_000 + '">]><robot name="' + "&a;" * 100_000 + '"/>',
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot>&a;</robot>',
        '<!DOCTYPE r [<!ENTITY % a SYSTEM "http://localhost:9/a.dtd"> %a;]><robot/>',
        '<!DOCTYPE r SYSTEM "file:///dev/zero"><robot/>',
        "<!DOCTYPE robot><robot/>",
    ],
    ids=["laughs in an attribute", "laughs", "quadratic", "external", "parameter", "external subset", "bare"],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_are_refused(text: str, encoding: str) -> None:
    assert refusal(text.encode(encoding)) == DOCTYPE


def test_a_document_type_in_a_comment_is_none() -> None:
    assert "has no links" in refusal("<!-- <!DOCTYPE r> --><robot/>")


def test_an_undeclared_entity() -> None:
    assert "undefined entity" in refusal('<robot name="&passwd;"/>')


def test_only_the_file_itself_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text("""<?xml-stylesheet href="other.xsl"?>
<robot name="a"><link name="a"><visual><geometry><mesh filename="file:///etc/passwd"/></geometry></visual></link>
<link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>""")
    read_urdf(file)
    opened: list[str] = []
    real_open = Path.open

    def watched(self: Path, *args: str) -> object:
        opened.append(str(self))
        return real_open(self, *args)

    monkeypatch.setattr(Path, "open", watched)
    monkeypatch.setattr(builtins, "open", lambda *_: pytest.fail("opened a file"))
    read_urdf(file)
    assert opened == [str(file)]


def test_a_document_of_a_hundred_megabytes(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    with file.open("wb") as out:
        out.truncate(100_000_000)
    with pytest.raises(ModelError, match=r"^arm.urdf is larger than 16 MB, as no robot is; is it the right file\?$"):
        read_urdf(file)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_file_without_end() -> None:
    with pytest.raises(ModelError, match="is larger than 16 MB"):
        read_urdf("/dev/zero")


@pytest.mark.parametrize(
    "text",
    ["<a>" * 100_000, "<a>" * 100_000 + "</a>" * 100_000, '<robot><link name="a">' + "<b>" * 100_000],
)
def test_a_hundred_thousand_deep_document(text: str) -> None:
    assert refusal(text) == "arm.urdf:1 nests elements more than 100 deep, as no robot does; is it the right file?"


def test_very_many_elements() -> None:
    expected = "arm.urdf:1 has more than 120000 elements, as no robot has; is it the right file?"
    assert refusal("<robot>" + '<link name="a"/>' * 500_000) == expected


@pytest.mark.slow
def test_as_many_links_as_are_read() -> None:
    links = "".join(f'<link name="{i}"/>' for i in range(110_000))
    assert "110000 links are not connected" in refusal(f"<robot>{links}</robot>")


def test_very_many_attributes() -> None:
    attributes = " ".join(f'a{i}="1"' for i in range(200_000))
    assert "more than 1000 attributes" in refusal(f"<robot><link {attributes}/></robot>")


def test_a_very_long_vector() -> None:
    origin = '<origin xyz="' + "1 " * 5_000_000 + '"/>'
    text = f'<robot><link name="a"/><link name="b"/><joint name="j" type="continuous">{origin}<parent link="a"/>'
    message = refusal(text + '<child link="b"/></joint></robot>')
    assert message.endswith("...'; expected 3 numbers such as 0 0 0.1, these are more than 20.")
    assert len(message) < 300


def test_a_very_long_number() -> None:
    text = '<robot><link name="a"><inertial><mass value="' + "1" * 10_000_000 + '"/></inertial></link></robot>'
    assert len(refusal(text)) < 400


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<robot>\0</robot>", "arm.urdf:1 is not well-formed XML: not well-formed (invalid token) (column 8). It happened in <robot>, opened on line 1."),
        (b"\n<robot>\n<link>\n</robot>", "arm.urdf:4 is not well-formed XML: mismatched tag (column 3). It happened in <link>, opened on line 3."),
        (b"<robot>\n<link>\n", "arm.urdf:3 is not well-formed XML: no element found (column 1). It happened in <link>, opened on line 2."),
        (b"<robot/><robot/>", "arm.urdf:1 is not well-formed XML: junk after document element (column 9)."),
        (b'<robot name="a" name="b"/>', "arm.urdf:1 is not well-formed XML: duplicate attribute (column 17)."),
        (b"\x7fELF\x02", r"arm.urdf:1 is not well-formed XML: not well-formed (invalid token) (column 1). It does not start with '<' but with '\x7fELF\x02'; is it the right file?"),
        (b"version https://git-lfs", "arm.urdf:1 is not well-formed XML: syntax error (column 1). It does not start with '<' but with 'version https://'; is it the right file?"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "arm.urdf:1 declares the encoding 'klingon'; expected UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 or windows-1252. Save it as UTF-8."),
        (b'<?xml version="1.0" encoding="big5"?><robot/>', "arm.urdf:1 declares the encoding 'big5'; expected UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 or windows-1252. Save it as UTF-8."),
        (b'<?xml version="1.0" encoding="utf-8"?><robot name="\xe4"/>', "arm.urdf:1 is not well-formed XML: not well-formed (invalid token) (column 52)."),
        (b"\0" * 100, "arm.urdf is empty; expected an XML document."),
    ],
)  # fmt: skip
def test_what_is_no_xml(data: bytes, message: str) -> None:
    assert refusal(data) == message


def test_a_text_that_cannot_be_encoded() -> None:
    assert "not well-formed" in refusal('<robot name="\ud800"/>')


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who may be refused")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text("<robot/>")
    file.chmod(0)
    with pytest.raises(ModelError, match="cannot be read: Permission denied"):
        read_urdf(file)


def test_permission_denied_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelError, match=r"arm.urdf' cannot be read: Permission denied\."):
        read_urdf(tmp_path / "arm.urdf")


PIECES = st.sampled_from(
    [
        "<robot name='r'>",
        "</robot>",
        "<link name='a'/>",
        "<link name='b'>",
        "</link>",
        "<inertial>",
        "</inertial>",
        "<mass value='1'/>\n    ",
        "<joint name='j' type='revolute'>",
        "</joint>",
        "<parent link='a'/>",
        "<child link='b'/>",
        "<axis xyz='0 0 1'/>",
        "<mimic joint='j'/>\n    ",
        "<limit/>",
        "<origin rpy='1e308 0 0'/>",
        "&amp;",
        "<!--",
        "-->",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=50) | st.binary(max_size=50))
def test_whatever_is_read_gives_a_model_or_an_error_of_ours(source: str | bytes) -> None:
    with suppress(ArmdynError):
        read_urdf_text(source)
