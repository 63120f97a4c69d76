"""Arguments that are words, switches and objects of ours: what is wrong with the type of one is said by its name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from armdyn.errors import ModelError
from armdyn.model.frozen import LONGEST_SHOWN
from armdyn.model.inertia import Inertia
from armdyn.model.model import Limits
from armdyn.model.parts import JointPart, LinkPart


def shown(value: Any) -> str:
    """Whatever was given, for a message; the end of what is long left out.

    >>> shown(5), shown([1] * 100)[-8:]
    ('5', '1, 1,...')
    """
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def is_one_of(value: Any, words: Collection[str]) -> bool:
    """Whether a value is one of some words; a value of any type, which may have no hash."""
    return isinstance(value, str) and value in words


def text_problems(value: Any, name: str) -> Iterator[str]:
    """What makes a value no name."""
    if not isinstance(value, str):
        yield f"{name} is {shown(value)}; expected a text."
    elif not value.strip():
        yield f"{name} is {value!r}; expected a text that is not blank."


def object_problems(value: Any, kind: type, name: str) -> Iterator[str]:
    """What makes a value no object of ours."""
    if not isinstance(value, kind):
        yield f"{name} is {shown(value)}; expected an armdyn.{kind.__name__}."


def checked_switch(value: Any, name: str) -> bool:
    """True or False, of Python's or of NumPy's.

    Raises:
        ModelError: another value.
    """
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{name} is {shown(value)}; expected True or False.")
    return bool(value)


def listed(values: Any) -> list[Any] | None:
    """The entries of a list, tuple or array; None of what is none: a text, a mapping, a set, something without end."""
    if isinstance(values, str | bytes | Mapping | AbstractSet):
        return None
    try:
        len(values)
        return list(values)
    except TypeError:  # also arrays without axes
        return None


def check_types(
    name: Any,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
) -> None:
    """Raise where a description's words and objects are of other types, whatever front end they come from."""
    problems = list(text_problems(name, "name"))
    for link in links:
        here = f"{link.where} " if link.where else ""
        problems += text_problems(link.name, f"{here}name of a link")
        problems += object_problems(link.inertia, Inertia, f"{here}inertia of link {shown(link.name)}")
    for joint in joints:
        here = f"{joint.where} " if joint.where else ""
        problems += text_problems(joint.name, f"{here}name of a joint")
        problems += object_problems(joint.limits, Limits, f"{here}limits of joint {shown(joint.name)}")
        for role in ("parent", "child"):
            problems += text_problems(getattr(joint, role), f"{here}{role} of joint {shown(joint.name)}")
    if problems:
        raise ModelError(problems)
