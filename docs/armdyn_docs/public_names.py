"""Which names of armdyn are public, where the reference documents each, and what a name in a text means."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PAGES = {
    "armdyn": "armdyn",
    "armdyn.algorithms": "Algorithms: the book's equations as plain functions",
    "armdyn.constraints": "Constraints and closed loops",
    "armdyn.actuators": "Actuators: motors, gears, friction, springs",
    "armdyn.simulation": "Simulation",
    "armdyn.control": "Controllers",
    "armdyn.trajectory": "Trajectories",
    "armdyn.kinematics": "Inverse kinematics",
    "armdyn.task_space": "Task space",
    "armdyn.ellipsoids": "Ellipsoids",
    "armdyn.inertia": "Inertias of shapes and meshes",
    "armdyn.logs": "Logs",
    "armdyn.identification": "Identification: parameters from logs, exciting motions",
    "armdyn.sizing": "Choosing motors and gears",
    "armdyn.page": "Live pages",
    "armdyn.report": "Reports",
    "armdyn.studies": "Studies",
    "armdyn.derivation": "Equations in symbols",
    "armdyn.masp": "MASP",
    "armdyn.modern_robotics": "The functions of Modern Robotics",
    "armdyn.plots": "Pictures",
    "armdyn.viewer": "The viewer",
    "armdyn.fmi": "Functional mock-up units",
    "armdyn.doctor": "The doctor of descriptions",
    "armdyn.model": "The model",
    "armdyn.functions": "Compiled functions and rollouts",
    "armdyn.program": "Programs",
    "armdyn.spatial": "Rotations, twists, wrenches",
}
"""The packages of the reference, a page each, in the order of its table of contents. What several of them export is
documented on the first one's page."""

OPTIONAL = ("casadi", "distributed", "jax", "pyarrow", "torch", "trimesh", "viser")
"""Libraries whose names docstrings mention and which a build of the documentation does not need."""


@dataclass(frozen=True)
class Entry:
    """A documented object: its dotted name, itself, and its page."""

    name: str
    object: Any
    page: str

    @property
    def short(self) -> str:
        """The name on its page."""
        return self.name.removeprefix(f"{self.page}.")


@dataclass
class Names:
    """All documented names."""

    entries: dict[str, Entry] = field(default_factory=dict)
    by_identity: dict[int, str] = field(default_factory=dict)

    def add(self, name: str, value: Any, page: str) -> bool:
        """Whether the object had no place yet; an object of several names is documented under the first."""
        if id(value) in self.by_identity:
            return False
        self.entries[name] = Entry(name, value, page)
        self.by_identity[id(value)] = name
        return True

    def ending(self, name: str) -> str | None:
        """The one documented name, or member of a documented class, that ends so; None where it is none or several."""
        found = {full for full in self.entries if full.endswith(f".{name}")}
        if not found:
            classes = [e for e in self.entries.values() if inspect.isclass(e.object)]
            found = {f"{e.name}.{name}" for e in classes if name in vars(e.object)}
        return found.pop() if len(found) == 1 else None

    def place(self, name: str, value: Any) -> str | None:
        """The name under which an object is documented, a member under its class, None where it is not."""
        if name in self.entries:
            return name
        if id(value) in self.by_identity:
            return self.by_identity[id(value)]
        owner, _, member = name.rpartition(".")
        found = find(owner) if owner else MISSING
        if inspect.isclass(found) and id(found) in self.by_identity:
            return f"{self.by_identity[id(found)]}.{member}"
        return None


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""What `find` returns of a name that does not exist; None is an object as others."""


@cache
def find(name: str) -> Any:
    """The object of a dotted name that begins with a module; fields that only classes' annotations tell are True."""
    first, *rest = name.split(".")
    try:
        found: Any = importlib.import_module(first)
    except ImportError:
        return MISSING
    for k, part in enumerate(rest):
        found = _member(found, part, ".".join([first, *rest[: k + 1]]))
        if found is MISSING:
            return _behind_its_namesake(name)
    return found


def _behind_its_namesake(name: str) -> Any:
    """What a module has whose package has a function of the module's name."""
    module, _, last = name.rpartition(".")
    return getattr(sys.modules.get(module), last, MISSING)


def _member(owner: Any, part: str, name: str) -> Any:
    try:
        return getattr(owner, part)
    except AttributeError:
        pass
    if inspect.isclass(owner):
        fields = {field for base in owner.__mro__ for field in getattr(base, "__annotations__", {})}
        return True if part in fields or f"{part}:" in (owner.__doc__ or "") else MISSING
    try:
        return importlib.import_module(name)
    except ImportError:
        return MISSING


@cache
def imported_names(module: str) -> dict[str, str]:
    """The dotted name of everything a module imports, for type checking too, by the name it has there."""
    source = getattr(sys.modules.get(module) or importlib.import_module(module), "__file__", None)
    if source is None:
        return {}
    names: dict[str, str] = {}
    for node in ast.walk(ast.parse(Path(source).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
    return names


def meaning(name: str, module: str, owner: str | None = None) -> tuple[str, Any] | None:
    """The full name and the object that a name means in a module, or in a class of it; None where there is none.

    Searched as a reader does: the class, the module, what it imports, its package, `armdyn.Robot`, `armdyn`.
    """
    first, _, rest = name.partition(".")
    imported = imported_names(module).get(first)
    tail = f".{rest}" if rest else ""
    candidates = [f"{owner}.{name}"] if owner else []
    candidates += [f"{module}.{name}"]
    candidates += [imported + tail] if imported else []
    package = module.rpartition(".")[0]
    candidates += [f"{package}.{name}"] if package else []
    candidates += [f"armdyn.Robot.{name}", f"armdyn.{name}", name]
    for candidate in candidates:
        found = find(candidate)
        if found is not MISSING:
            return candidate, found
    return (name, getattr(builtins, name)) if hasattr(builtins, name) else None


def public(package: str) -> dict[str, Any]:
    """The public names of a package or module, in its order; modules among them left out."""
    module = importlib.import_module(package)
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if name[0] != "_" and getattr(value, "__module__", "") == package
    ]
    found = {name: getattr(module, name) for name in names if not name.startswith("__")}
    return {name: value for name, value in found.items() if not isinstance(value, ModuleType)}


def all_names() -> Names:
    """What the reference documents."""
    names = Names()
    for package in PAGES:
        for name, value in public(package).items():
            if not isinstance(value, (int, float, str, tuple)):
                names.add(f"{package}.{name}", value, package)
    return names
