"""Libraries that optional parts need: found where they are used, or an error with the command that brings them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from armdyn.errors import MissingLibrary


def extra(module: str, what: str, *, name: str | None = None, library: str | None = None, command: str = "") -> Any:
    """The module of a library that is no requirement of armdyn.

    Args:
        module: what is imported.
        what: the part of armdyn that needs it, as its user called it.
        name: the extra of armdyn that brings it; the module's own name if not given.
        library: what people call it; the module's own name if not given.
        command: what installs it, where it is part of no extra.

    Raises:
        MissingLibrary: where it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        command = command or f"pip install 'armdyn[{name or module}]'"
        raise MissingLibrary(f"{what} needs {library or module}, which is not installed: {command}") from None
