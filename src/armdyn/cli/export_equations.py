"""``armdyn export --to python | numpy | latex``: functions of a robot as equations in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from armdyn.base.writing import write_folder
from armdyn.program import Program
from armdyn.targets.equations import heading, latex_document
from armdyn.targets.identifiers import chosen_name, identifiers

Named = tuple[str, Program]
"""A program and the name of its function."""


def write_python(named: Iterable[Named], folder: Path, prefix: str | None = None, *, numpy: bool = False) -> list[Path]:
    """A module for every function, called as the function is.

    Args:
        named: what is written.
        folder: of the files; made if it does not exist.
        prefix: before the names of functions and files, with an underscore between.
        numpy: whether they take arrays of states.

    Raises:
        Unsupported: two functions with one file.
    """
    programs = dict(prefixed(named, prefix))
    words = identifiers(programs, "Python")
    texts = {f"{words[name]}.py": program.to_python(numpy=numpy, name=name) for name, program in programs.items()}
    return write_folder(folder, {file: text.encode() for file, text in texts.items()})


def prefixed(named: Iterable[Named], prefix: str | None) -> list[Named]:
    """The programs by the names of their functions, after a prefix and an underscore if there is a prefix."""
    front = "" if prefix is None else f"{chosen_name(prefix, '')}_"
    return [(f"{front}{name}", program) for name, program in named]


def write_latex(named: Iterable[Named], folder: Path, title: str) -> list[Path]:
    """One document with a part for every function.

    Args:
        named: what is written.
        folder: of the files; made if it does not exist.
        title: of the document, and the name of its file.
    """
    parts = [(heading(name.replace("_", " ").capitalize()), program.equations()) for name, program in named]
    blocks = [block for head, equations in parts for block in (head, *equations.blocks())]
    (word,) = identifiers([title], "a file's name").values()
    return write_folder(folder, {f"{word}.tex": latex_document(title, blocks).encode()})
