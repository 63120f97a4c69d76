"""Common documentation of the arguments of the book's functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

ARGUMENTS = {
    "thetalist": "joint positions, rad or m, shape (n,).",
    "dthetalist": "joint velocities, rad/s or m/s, shape (n,).",
    "ddthetalist": "joint accelerations, rad/s^2 or m/s^2, shape (n,).",
    "g": "acceleration of free fall in base axes, m/s^2, shape (3,).",
    "Ftip": "wrench (m, f) the end-effector applies to its surroundings, in frame {n+1}, N m and N, shape (6,).",
    "Ftipmat": "wrenches of the end-effector on its surroundings, in frame {n+1}, shape (N, 6); "
    "0 where there are none.",
    "Mlist": "M_01, M_12, ..., M_{n,n+1}, shape (n + 1, 4, 4).",
    "Glist": "spatial inertia of each link in its frame, shape (n, 6, 6).",
    "Slist": "space screw axes at home, a column each, shape (6, n).",
    "Blist": "screw axes at home in the end-effector's frame, a column each, shape (6, n).",
    "M": "home pose of the end-effector, shape (4, 4).",
    "T": "goal T_sd, shape (4, 4).",
    "thetalist0": "start of the search, rad or m, shape (n,).",
    "eomg": "largest rotation that may be left, rad.",
    "ev": "largest translation that may be left.",
    "Xstart": "pose at the start, shape (4, 4).",
    "Xend": "pose at the end, shape (4, 4).",
    "Tf": "duration, s; the points are Tf / (N - 1) apart.",
    "N": "number of points, 2 or more.",
    "method": "3 for cubic time scaling, any other for quintic.",
}

_OWN = re.compile(r"\n\nArgs:\n((?:    .*(?:\n|$))*)")
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
_LATER_SECTION = re.compile(r"\n\n(?=Raises:|>>> )|$")

F = TypeVar("F", bound=Callable[..., Any])


def complete_documentation(function: F) -> F:
    """Complete a function's documentation: arguments without a description get that of `ARGUMENTS`."""
    text = inspect.cleandoc(function.__doc__ or "")
    match = _OWN.search(text) or _LATER_SECTION.search(text)
    assert match is not None  # noqa: S101 - the end of the text matches
    own = dict(_ENTRY.findall(match[0]))
    entries = [f"    {name}: {own.get(name) or ARGUMENTS[name]}" for name in inspect.signature(function).parameters]
    later = text[match.end() :].lstrip("\n")
    function.__doc__ = "\n".join([text[: match.start()], "", "Args:", *entries, *(["", later] if later else [])])
    return function
