"""The errors and warnings of armdyn: each names the value, its place, the expectation and the remedy."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

LONGEST_SHOWN = 60
"""Characters of a value in a message."""

MOST_NAMES = 12
"""Names in a message; up to three more are listed too."""

LONGEST_REASON = 200
"""Characters of another library's words in a message."""


class ArmdynError(Exception):
    """Anything armdyn itself refuses; catch this to catch all of them."""


class ModelError(ArmdynError, ValueError):
    """A robot description that describes no robot, or an impossible one.

    ``problems`` holds every problem found, one line each, so that a file is mended in one go.
    """

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(self._message())

    def _message(self) -> str:
        if len(self.problems) == 1:
            return self.problems[0]
        return f"{len(self.problems)} problems:\n" + "\n".join(f"  {p}" for p in self.problems)

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


class ShapeError(ArmdynError, ValueError):
    """An array whose shape does not fit the robot."""


class DTypeError(ArmdynError, TypeError):
    """An array whose elements are not real numbers."""


class MissingInput(ArmdynError, TypeError):
    """An array that is not given and is needed, or belongs to one which is given."""


class OverlapError(ArmdynError, ValueError):
    """Arrays for results that share memory, so that one result would overwrite another."""


class SettingError(ArmdynError, ValueError):
    """A duration, step, tolerance or other setting that makes no sense."""


class UnknownName(ArmdynError, LookupError):
    """A joint, link, frame, robot or function name that does not exist."""

    @classmethod
    def of(cls, kind: str, name: object, choices: Iterable[str], where: str) -> UnknownName:
        """Build the message ``no frame 'tool' in 'panda' (22 frames). Did you mean 'tool0'?``."""
        names = list(choices)
        counted = kind if len(names) == 1 else _plural(kind)
        message = f"no {kind} {excerpt(name)} in {where} ({len(names)} {counted})."
        close = nearest(name if isinstance(name, str) else excerpt(name), names)
        if close is not None:
            message += f" Did you mean {close!r}?"
        elif names:
            first = names if len(names) <= MOST_NAMES + 3 else [*names[:MOST_NAMES], "..."]
            message += f" Known: {', '.join(first)}."
        return cls(message)


OTHER_WORDS = {
    **dict.fromkeys(("target", "goal", "setpoint", "reference", "q_goal", "q_target", "q_des", "q_desired"), "q_ref"),
    **dict.fromkeys(("qd_goal", "qd_target", "qd_des", "qd_desired"), "qd_ref"),
    **dict.fromkeys(("qdd_goal", "qdd_target", "qdd_des", "qdd_desired"), "qdd_ref"),
    **dict.fromkeys(("T_goal", "T_target", "T_des", "T_desired", "pose"), "T_ref"),
    **{"kp": "Kp", "kd": "Kd", "ki": "Ki", "stiffness": "K", "damping": "B"},
}
"""Words that others have for the references and gains of controllers."""


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """The known name nearest to a misspelt one, in any case of letters, or of the same meaning; None if none is near.

    >>> nearest("UR5", ["ur5", "puma560"]), nearest("elbwo", ["shoulder", "elbow"]), nearest("k_2", ["P_2", "K_2"])
    ('ur5', 'elbow', 'K_2')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import

    names = list(choices)
    if name not in names and (other_case := next((n for n in names if n.lower() == name.lower()), None)):
        return other_case
    if close := get_close_matches(name, names, n=1):
        return close[0]
    if OTHER_WORDS.get(name) in names:
        return OTHER_WORDS[name]
    lower = {other.lower(): other for other in reversed(names)}
    return next((lower[other] for other in get_close_matches(name.lower(), lower, n=1)), None)


def excerpt(value: object) -> str:
    """A value in a message: its ``repr``, cut if it is long.

    >>> excerpt("elbow"), excerpt(10**5000)
    ("'elbow'", 'an integer of more than 4300 digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no longer integers
        return f"an integer of more than {sys.get_int_max_str_digits()} digits"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def reason_of(fault: Exception) -> str:
    """The text of an exception as part of a message: one line, cut if it is long, the kind if there is no text."""
    text = " ".join(str(fault).split()) or type(fault).__name__
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 3]}..."


def _plural(kind: str) -> str:
    """The plural of a kind: "frames", "axes", "quantities", "kinds of event", "arrays or parameters"."""
    return " or ".join(_several(word) for word in kind.split(" or "))


def _several(word: str) -> str:
    first, of, rest = word.partition(" of ")
    if of:
        return f"{_several(first)}{of}{rest}"
    if word.endswith("is"):
        return f"{word[:-2]}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeo" else f"{word}s"


class Unsupported(ArmdynError, NotImplementedError):
    """Something real that armdyn does not model; ignoring it would be silently wrong."""


class MissingLibrary(ArmdynError, ImportError):
    """A library that an optional part needs and that is not installed."""


class TraceError(ArmdynError, TypeError):
    """A function that cannot be traced, for example one that branches on a traced value."""


class DescriptionWarning(UserWarning):
    """Parts of a robot's description that the equations of motion leave out, or values that it leaves open.

    Given once for each load and kind: mass that ``chain=True`` leaves out, limits that are zero.
    ``robot.notes`` has the same sentences, and others that are less likely to surprise.
    """


def warn_of_description(message: str) -> None:
    """Warn at the line that loads the robot."""
    warn_outside(message, DescriptionWarning)


def is_ours(module: object) -> bool:
    """True for the name of a module of this library."""
    return str(module).partition(".")[0] == __name__.partition(".")[0]


def warn_outside(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside this package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and is_ours(frame.f_globals.get("__name__")):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
