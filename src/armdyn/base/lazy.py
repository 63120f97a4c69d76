"""Packages whose names and modules are imported at first access: a program imports only what it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from armdyn.base.threads import undivided


class _Package(ModuleType):
    """A package that lists its public names, imported or not, and keeps those that a module of it has too.

    ``package.mass_matrix`` stays the function, and ``dir(package)`` is what its ``__all__`` lists.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__dict__.get("_WHERE", ())):
            super().__setattr__(name, value)  # what importing a module sets otherwise

    def __dir__(self) -> list[str]:
        return sorted(self.__all__) if "__all__" in self.__dict__ else list(super().__dir__())

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        return import_module, (self.__name__,)  # functions that use it are pickled with it by cloudpickle


def as_package(package: str) -> None:
    """Let a package list its public names alone, and keep those that a module of it has too."""
    sys.modules[package].__class__ = _Package


def names_of(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose ``_WHERE`` maps each public name to its module, or to one elsewhere.

    Its modules are found by their own names too, so that all of ``armdyn.trajectory.curves.Line`` works after
    ``import armdyn``.
    """
    module = sys.modules[package]
    module.__class__ = _Package

    def get(name: str) -> Any:
        if name not in where:
            return module_of(package, name)
        with undivided():
            home = where[name] if where[name].startswith("armdyn.") else f"{package}.{where[name]}"
            value = getattr(import_module(home), name)
        module.__dict__[name] = value  # from now on it is found at once
        return value

    return get


def module_of(package: str, name: str, others: Sequence[str] = ()) -> ModuleType:
    """A module of a package, by its name; an `AttributeError` if it does not exist, as for any attribute.

    The error proposes a public name of the packages ``others`` in the package if one of them has it.
    """
    if not has_module(package, name):
        homes = (f"{package}.{other}" for other in (() if name.startswith("_") else others))
        home = next((home for home in homes if name in import_module(home).__all__), None)
        hint = "" if home is None else f"; did you mean {home}.{name}?"
        raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
    with undivided():
        return import_module(f"{package}.{name}")


def has_module(package: str, name: str) -> bool:
    """True if a package has a module of this name; nothing is imported."""
    return name.isidentifier() and not name.startswith("_") and find_spec(f"{package}.{name}") is not None


def modules_of(package: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package that imports its names at once, and its other modules at first access."""
    sys.modules[package].__class__ = _Package
    return lambda name: module_of(package, name)
