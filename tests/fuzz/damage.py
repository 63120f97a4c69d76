# ruff: noqa: E501 - tables of texts
"""Damage to the bytes of a document: what editors, transfers and wrong encodings do."""

from __future__ import annotations

from random import Random

SNIPPETS = (
    *(b"<", b">", b"&", b"&amp;", b"&#0;", b"&#x41;", b"&lt;", b'"', b"'", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>"),
    *(b"<?xml version='1.0'?>", b"<?pi?>", b"<!DOCTYPE r>", b"<!DOCTYPE r [<!ENTITY a 'b'>]>", b"&a;", b"\0", b"\xff", b"\xc3"),
    *(b"\n", b"\r\n", b"\t", b" ", b"${x}", b"<xacro:property name='x' value='1'/>", b"<a:b/>", b"\xef\xbb\xbf", b"<x>", b"</robot>"),
    *(b"<robot>", b"=", b"1", b"-", b"e", b".", b"\xd9\xa3", b"\xe2\x88\x92"),
)  # fmt: skip

HEADS = (
    *(b"\n", b" \n\t", b"\xef\xbb\xbf", b"<?xml version='1.0'?>", b"\n<?xml version='1.0'?>\n", b"\xef\xbb\xbf\n<?xml version='1.0'?>"),
    *(b"<?xml version='1.0' encoding='latin-1'?>", b"<?xml version='1.0' encoding='utf-16'?>", b"<?xml version='1.1'?>"),
    *(b"<?xml version='1.0' encoding='big5'?>", b"<!-- -->", b"<?xml-stylesheet href='a'?>", b"<!DOCTYPE robot>"),
)  # fmt: skip

ENCODINGS = ("utf-16", "utf-16-le", "utf-8-sig", "latin-1", "utf-32")


def damage(data: bytes, rng: Random) -> bytes:
    """One damage."""
    i = rng.randrange(len(data) + 1)
    j = min(len(data), i + rng.choice((1, 1, 2, 5, 20, 200)))
    damages = (
        lambda: data[:i] + data[j:],
        lambda: data[:i] + rng.choice(SNIPPETS) + data[i:],
        lambda: data[:i] + bytes(rng.randrange(256) for _ in range(j - i)) + data[j:],
        lambda: data[:j] + data[i:],
        lambda: data[:i],
        lambda: rng.choice(HEADS) + data,
        lambda: data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace"),
    )
    return rng.choices(damages, weights=(30, 30, 10, 8, 4, 13, 5))[0]()


def now_and_then_damaged(data: bytes, rng: Random, whole: int, times: tuple[int, ...] = (1, 2)) -> bytes:
    """Damaged once or twice in a few cases, ``times``, to so many cases that stay ``whole``."""
    for _ in range(rng.choice((0,) * whole + times)):
        data = damage(data, rng)
    return data
