"""Libraries that optional parts need: imported when they are used, or an error with the command that installs them."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from armdyn.base.errors import MissingLibrary


def extra(module: str, feature: str, *, name: str | None = None, library: str | None = None, command: str = "") -> Any:
    """The module of a library that armdyn does not require.

    Args:
        module: what is imported.
        feature: the part of armdyn that needs it, as its user called it.
        name: the extra of armdyn that brings it; the module's own name if not given.
        library: what people call it; the module's own name if not given.
        command: what installs it, if it is not part of an extra.

    Raises:
        MissingLibrary: if it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        command = command or f"pip install {' '.join(_libraries(name or module) or [module])}"
        raise MissingLibrary(f"{feature} needs {library or module}, which is not installed: {command}") from None


def stand_in(name: str, module: str, message: str) -> type:
    """A class in the place of a public name whose library is not installed: calling it raises `MissingLibrary`.

    An error at access would end ``hasattr``, ``inspect.getmembers``, ``pydoc`` and ``import *``.

    Args:
        name: the public name.
        module: its package.
        message: of the error, and the documentation of the class.
    """

    def refuse(*_: Any, **__: Any) -> Any:
        raise MissingLibrary(message)

    return type(name, (), {"__new__": refuse, "__doc__": f"{message}.", "__module__": module})


def _libraries(name: str) -> list[str]:
    """The libraries of an extra of armdyn, by their names on the package index."""
    from importlib.metadata import PackageNotFoundError, requires  # noqa: PLC0415 - slow to import

    try:
        of_armdyn = requires("armdyn") or []
    except PackageNotFoundError:  # a source tree that is not installed
        return []
    of_extra = re.compile(rf"([\w.-]+).*;.*extra == ['\"]{re.escape(name)}['\"]")
    return [match[1] for line in of_armdyn if (match := of_extra.match(line))]
