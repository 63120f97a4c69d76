"""The pages of the reference, written from the docstrings of armdyn's public names before Sphinx reads."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sphinx.util import logging
from sphinx.util.inspect import stringify_signature

import armdyn
from armdyn.declaration import Function
from armdyn.robot.groups import GROUPS
from armdyn.robot.method import Method
from armdyn_docs import synonyms
from armdyn_docs.docstrings import as_markdown
from armdyn_docs.public_names import OPTIONAL, PAGES, Entry, Names, all_names, find, imported_names, meaning, public

logger = logging.getLogger(__name__)
IDENTIFIER = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?:\.\w+)*")

OF_EVERY_CALL = ("out", "workers")
"""What every compiled function of a robot takes besides its own arguments."""

EVERY_CALL = """
Functions of the state take one state or a batch of any shape, and broadcast. `out=` is an array for the result (a
tuple of several results), `workers=` the number of threads for large batches, -1 for one a core. Derivatives and
exports of each are those of {py:obj}`armdyn.functions.CompiledFunction`.
"""


class Reference:
    """The reference's pages as texts."""

    def __init__(self) -> None:
        self.names: Names = all_names()
        self.annotations: dict[str, str | None] = {}
        """What the names in signatures mean: the documented name, or None of what is not armdyn's or not public."""

    def pages(self) -> Iterator[tuple[str, str]]:
        """The file name and the text of every page."""
        for package, title in PAGES.items():
            yield f"{package}.md", "\n".join(self._package(package, title))
        yield "armdyn.Robot.md", "\n".join(self._robot())
        yield "index.md", self._index()

    def _index(self) -> str:
        listed = ["armdyn", "armdyn.Robot", *[package for package in PAGES if package != "armdyn"]]
        rows = [f"{'Robot <armdyn.Robot>' if name == 'armdyn.Robot' else name}" for name in listed]
        return "\n".join(
            ["# Reference", "", "Every public name, written from its docstring; what it says is tested.", "",
             "```{toctree}", ":maxdepth: 1", "", *rows, "```", ""]
        )  # fmt: skip

    def _package(self, package: str, title: str) -> Iterator[str]:
        module = find(package)
        again = [":no-index:"] if package in self.names.entries else []  # a function has the name of the package too
        yield from [f"# {title}", "", f"```{{py:module}} {package}", *again, "```", ""]
        yield from self._text(module.__doc__ or "", package, None, ())
        entries = [entry for entry in self.names.entries.values() if entry.page == package]
        yield from ["", *self._table(package), ""]
        for entry in entries:
            if entry.object is not armdyn.Robot:
                yield from ["", *synonyms.of_function(entry.name)]
                yield from ["", *self._entry(entry)]

    def _table(self, package: str) -> Iterator[str]:
        """Every name that the package exports, linked to its place, with the first line of its documentation."""
        yield from ["| name | what |", "|---|---|"]
        for name, value in public(package).items():
            place = self.names.place(f"{package}.{name}", value)
            if place is not None:
                first = next(iter(inspect.cleandoc(_documentation(value)).splitlines()), "").replace("|", r"\|")
                link = "{py:obj}" + f"`{name} <{place}>`"
                yield f"| {link} | {self._line(first, value, package, place)} |"

    def _line(self, text: str, value: Any, package: str, place: str) -> str:
        return " ".join(self._text(text, _module(value, package), place, _parameters(value))).strip()

    def _entry(self, entry: Entry) -> Iterator[str]:
        value = entry.object
        if isinstance(value, Function) or inspect.isroutine(value):
            yield from self._function("py:function", entry.short, value, _module(value, entry.page))
        elif inspect.isclass(value):
            yield from self._class(entry)
        else:
            yield from _directive(3, "py:data", entry.short, [])

    def _function(
        self, kind: str, name: str, value: Any, module: str, owner: str | None = None, skip: int = 0
    ) -> list[str]:
        text = self._text(_documentation(value), module, owner, _parameters(value))
        options = [":classmethod:", ""] if inspect.ismethod(value) else []
        return _directive(3, kind, f"{name}{self._signature(value, module, skip)}", [*options, *text])

    def _class(self, entry: Entry) -> list[str]:
        value, module = entry.object, _module(entry.object, entry.page)
        kind = "py:exception" if issubclass(value, BaseException) else "py:class"
        signature = "" if issubclass(value, BaseException) else self._signature(value, module, 0)
        lines = self._text(_documentation(value), module, entry.name, _parameters(value))
        for name, member, raw in _members(value):
            lines += ["", *self._member(name, member, raw, _module(member, module), entry.name)]
        return _directive(4, kind, f"{entry.short}{signature}", lines)

    def _member(self, name: str, member: Any, raw: Any, module: str, owner: str) -> list[str]:
        if isinstance(raw, property) or not callable(member):
            text = self._text(_documentation(raw), module, owner, ())
            return _directive(3, "py:property", name, text)
        skip = 0 if isinstance(raw, (staticmethod, classmethod)) or inspect.ismethod(member) else 1
        return self._function("py:method", name, member, module, owner, skip)

    def _robot(self) -> Iterator[str]:
        """The page of Robot: its methods by what they answer."""
        robot = armdyn.Robot
        yield from ["# Robot", "", "```{py:currentmodule} armdyn", "```", ""]
        description = (robot.__doc__ or "").partition("What to ask, by what")[0]  # its index stands below, as links
        text = self._text(description, robot.__module__, "armdyn.Robot", ())
        yield from [*_directive(4, "py:class", "Robot(model)", text), EVERY_CALL]
        for title, members in groups_of_robot():
            yield f"- **{title}**: " + ", ".join(f"{{py:obj}}`{name} <armdyn.Robot.{name}>`" for name in members)
        for title, members in groups_of_robot():
            yield from ["", f"## {title}", ""]
            for name in members:
                raw = inspect.getattr_static(robot, name)
                member = getattr(robot, name)
                full = f"Robot.{name}"
                module = _module(member, robot.__module__)
                if isinstance(raw, Method) or callable(member):
                    skip = 0 if inspect.ismethod(member) else 1
                    yield from synonyms.of_function(f"armdyn.{full}")
                    yield from self._function("py:method", full, member, module, "armdyn.Robot", skip)
                else:
                    text = self._text(_documentation(raw), robot.__module__, "armdyn.Robot", ())
                    yield from synonyms.of_function(f"armdyn.{full}")
                    yield from _directive(3, "py:property", full, text)
                yield ""

    def _text(self, text: str, module: str, owner: str | None, parameters: tuple[str, ...]) -> list[str]:
        def link(name: str) -> str:
            return self._link(name, module, owner, parameters)

        def exception(name: str) -> str:
            found = meaning(name, module, owner)
            return (self.names.place(*found) if found else self.names.ending(name)) or name

        return as_markdown(text, link, exception)

    def _link(self, name: str, module: str, owner: str | None, parameters: tuple[str, ...]) -> str:
        """A link to where a name is documented; code where it is an argument, or exists and is not public."""
        plain = name.removesuffix("()")
        if plain in parameters or not re.fullmatch(r"[A-Za-z_][\w.]*", plain):
            return f"`{name}`"
        found = meaning(plain, module, owner)
        if found is None and plain.split(".")[0] in OPTIONAL:
            return f"`{name}`"
        if found is None and (place := self.names.ending(plain)):
            return "{py:obj}" + f"`{name} <{place}>`"
        if found is None:
            logger.warning("%s: the docstring names `%s`, which is not found", owner or module, name)
            return f"`{name}`"
        place = self.names.place(*found)
        return f"`{name}`" if place is None else "{py:obj}" + f"`{name} <{place}>`"

    def _signature(self, value: Any, module: str, skip: int) -> str:
        try:
            signature = inspect.signature(value)
        except (TypeError, ValueError):
            return "(...)"
        parameters = [_plain_default(p) for p in list(signature.parameters.values())[skip:]]
        if isinstance(value, Function):
            parameters = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
            signature = signature.replace(return_annotation=inspect.Signature.empty)
        if skip and isinstance(value, Function):
            parameters += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in OF_EVERY_CALL]
        modules = (module, *(base.__module__ for base in value.__mro__)) if inspect.isclass(value) else (module,)
        parameters = [p.replace(annotation=self._annotation(p.annotation, modules)) for p in parameters]
        result = self._annotation(signature.return_annotation, modules)
        if inspect.isclass(value):
            result = inspect.Signature.empty
        return stringify_signature(signature.replace(parameters=parameters, return_annotation=result))

    def _annotation(self, annotation: Any, modules: tuple[str, ...]) -> Any:
        """An annotation with the names of documented classes in full, as some modules have them; others are noted."""
        if not isinstance(annotation, str):
            return annotation

        def in_full(match: re.Match[str]) -> str:
            name = match[0]
            found = next(filter(None, (meaning(name, module) for module in modules)), None)
            place = self.names.place(*found) if found else self.names.ending(name)
            imported = any(name in imported_names(module) for module in modules)
            if found or imported:  # which may need a library that is not installed
                self.annotations.setdefault(name, place)
            return place or (found[0] if found else name)

        return IDENTIFIER.sub(in_full, annotation)


class _Default:
    """A default value that has no short text."""

    def __repr__(self) -> str:
        return "..."


def _plain_default(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is inspect.Parameter.empty or not ("<" in repr(default) or len(repr(default)) > 40):
        return parameter
    return parameter.replace(default=_Default())


def _documentation(value: Any) -> str:
    return (getattr(value, "__doc__", None) or "") if not dataclasses.is_dataclass(type(value)) else value.__doc__ or ""


def _module(value: Any, otherwise: str) -> str:
    module = getattr(inspect.unwrap(value) if callable(value) else value, "__module__", None)
    return module if isinstance(module, str) and module.startswith("armdyn") else otherwise


def _parameters(value: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return ()


def _members(cls: type) -> Iterator[tuple[str, Any, Any]]:
    """Public methods and properties that the class, or a private base of armdyn, defines and documents."""
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("armdyn"):
            continue
        for name, raw in list(vars(base).items()):  # asking a class for its annotations may add an entry
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(raw, property) or inspect.isdatadescriptor(raw) or not inspect.isclass(raw):
                value = getattr(cls, name)
                if _is_member(raw, value):
                    yield name, value, raw


def _is_member(raw: Any, value: Any) -> bool:
    if type(raw).__name__ in ("_tuplegetter", "member_descriptor"):
        return False  # a field, which the class's docstring describes
    return isinstance(raw, property) or callable(value) or bool(type(raw).__name__.endswith("cached_property"))


def groups_of_robot() -> list[tuple[str, list[str]]]:
    """The public members of Robot by what they answer, as ``help(armdyn.Robot)`` groups them; the rest last.

    >>> groups_of_robot()[0][0]
    'Forces and motions'
    """
    public_members = [name for name in dir(armdyn.Robot) if not name.startswith("_")]
    groups = [(heading, [n for n in group if n in public_members]) for heading, group in GROUPS.items()]
    grouped = {name for _, group in groups for name in group}
    return [*groups, ("Further", further)] if (further := [n for n in public_members if n not in grouped]) else groups


def _directive(level: int, kind: str, argument: str, lines: list[str]) -> list[str]:
    fence = ":" * (level + 3)
    return [f"{fence}{{{kind}}} {argument}", *lines, fence]


def write(folder: Path, pages: Callable[[], Iterator[tuple[str, str]]]) -> None:
    """Write pages into a folder, those that changed; what stood there before and is none of them is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for name, text in pages():
        path = folder / name
        written.add(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in {*folder.glob("*.md"), *folder.glob("*.ipynb")} - written:
        path.unlink()


__all__ = ["Reference", "groups_of_robot", "write"]
