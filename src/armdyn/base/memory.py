"""The memory of this computer, and the refusal of results that would fill it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache


@cache
def memory() -> float:
    """Bytes of memory of this computer; 16 GB if the system does not report it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 16e9


def refuse_more_than_memory(size: float, subject: str, remedy: str, *, error: Callable[[str], Exception]) -> None:
    """Raise for something that would fill more than half of this computer's memory.

    Args:
        size: bytes.
        subject: the thing, for the message.
        remedy: a sentence on what to do.
        error: the class of what is raised.
    """
    if size > memory() / 2:
        raise error(
            f"{subject} would fill {size / 1e9:.3g} GB of memory, more than half of what this computer has. {remedy}"
        )
