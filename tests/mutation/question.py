"""What is asked of armdyn, and the right answer, in a form that another process can be given."""

from typing import Any, NamedTuple

import numpy as np


class Refusal(NamedTuple):
    """The right answer where there is none: the kind of the error, and words of its message."""

    error: str
    words: str


class Question(NamedTuple):
    """What ``function`` ("package.module.name") must answer of a robot, or without one.

    The ``answer`` is an array, a tuple of them (None for what is not asked), a text, or a `Refusal`.
    """

    robot: str | None
    function: str
    options: dict[str, Any]
    arguments: list[Any]
    answer: Any


class Exam(NamedTuple):
    """Models by name, pickled, and the questions."""

    models: dict[str, bytes]
    questions: list[Question]


TOLERANCE = 1e-9


def is_right(found: Any, answer: Any) -> bool:
    """Whether an answer is the right one, to rounding."""
    if isinstance(answer, tuple):
        return len(found) == len(answer) and all(
            one is None or is_right(x, one) for x, one in zip(found, answer, strict=True)
        )
    if isinstance(answer, str):
        return bool(found == answer)
    found, answer = np.asarray(found, dtype=float), np.asarray(answer, dtype=float)
    scale = max(np.abs(answer).max(initial=0.0), 1.0)
    return found.shape == answer.shape and bool((np.abs(found - answer) <= TOLERANCE * scale).all())


def is_refused(error: Exception, refusal: Refusal) -> bool:
    """Whether the error is the one that should be raised."""
    return type(error).__name__ == refusal.error and refusal.words in str(error)
