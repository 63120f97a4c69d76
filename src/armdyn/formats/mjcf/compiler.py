"""The model that MuJoCo's compiler builds from an MJCF file; other files are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from armdyn.base.errors import MissingLibrary, ModelError, excerpt
from armdyn.base.threads import undivided
from armdyn.formats.files import parse_leniently, read_file, refuse_other_formats, refuse_text
from armdyn.formats.findings import DocumentFindings
from armdyn.formats.mjcf.apart import Result, compile_apart
from armdyn.formats.mjcf.missing_files import NEEDED, NO_FILE, compiled_file
from armdyn.formats.mjcf.ordinary import is_ordinary
from armdyn.formats.xml_tree import XmlElement

OTHER_FORMATS = {
    "robot": "a URDF file; read it with Robot.from_urdf",
    "mujocoinclude": "a part of an MJCF file; read the file that includes it",
    "sdf": "an SDF file (Gazebo)",
    "html": "a web page; save the raw file instead",
}
"""The kinds of files, by their root elements."""

SWITCHES = {
    "damping": ("damper", "passive"),
    "dampingpoly": ("damper", "passive"),
    "stiffness": ("spring", "passive"),
    "stiffnesspoly": ("spring", "passive"),
    "frictionloss": ("frictionloss", "constraint"),
}
"""The flags that switch the numbers of an array off, by the last word of its name; MuJoCo 3 had "passive"."""

_ONE_AT_A_TIME = Lock()
"""MuJoCo has one handler of warnings for all threads."""

_damage: list[str] = []
"""The unexpected errors of MuJoCo in this process so far."""


@dataclass(frozen=True, eq=False)
class CompiledMjcf:
    """A compiled MJCF file.

    Args:
        mujoco: the library.
        m: its ``mjModel``.
        document: name of the file, for messages.
        root: the file's elements, for their lines; those of included files are not among them.
        warnings: warnings of the compiler.
        folder: of the file.
        replaced: the missing files that it names.
        meshes: the paths and scales of the meshes among them, by name.
    """

    mujoco: ModuleType
    m: Any
    document: str
    root: XmlElement
    warnings: tuple[str, ...] = ()
    folder: str = ""
    replaced: tuple[str, ...] = ()
    meshes: Mapping[str, tuple[str, Sequence[float]]] = field(default_factory=dict)

    def name(self, kind: str, i: int) -> str:
        """The name of body, joint, site ... number i; empty if it has none."""
        result = self.mujoco.mj_id2name(self.m, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), i)
        return result or ""

    def where(self, name: str, section: str = "worldbody") -> str:
        """File and line of a named element; only the file if the element is unnamed or comes from elsewhere."""
        for part in self.root.all(section):
            for element in part.walk():
                if name and element.attributes.get("name") == name:
                    return f"{self.document}:{element.line}"
        return self.document

    def label(self, kind: str, i: int) -> str:
        """An element for messages: its kind, its name or else its number, its file and line."""
        name = self.name(kind, i)
        section = "worldbody" if kind in ("body", "joint", "site", "geom") else kind
        return f"{kind} {name or i!r} ({self.where(name, section)})"

    def disabled(self, flag: str) -> bool:
        """True if the file switches a part of the physics off, as ``<flag gravity="disable"/>`` does."""
        return bool(self.m.opt.disableflags & getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}", 0))

    @property
    def passive_forces_disabled(self) -> bool:
        """True if gravity compensation, fluids and plugins exert no force: with both springs and dampers off."""
        return self.disabled("passive") or (self.disabled("spring") and self.disabled("damper"))

    def equalities(self) -> Iterator[tuple[int, str]]:
        """The number and kind of each equality that is active; empty if the file switches them off."""
        if self.disabled("equality") or self.disabled("constraint"):
            return
        for e in np.flatnonzero(self.m.eq_active0).tolist():
            yield e, self.mujoco.mjtEq(self.m.eq_type[e]).name.removeprefix("mjEQ_").lower()

    def numbers(self, array: str, i: int) -> Any:
        """Row i of an array of the model; zero if this version of MuJoCo has none or the file switches it off."""
        if not hasattr(self.m, array) or any(map(self.disabled, SWITCHES.get(array.rpartition("_")[2], ()))):
            return 0.0
        return getattr(self.m, array)[i]


def is_mjcf(path: str | os.PathLike[str]) -> bool:
    """True if an existing file's root element is <mujoco>."""
    path = Path(path)
    return parse_leniently(read_file(path), DocumentFindings(path.name, "warn")).tag == "mujoco"


def compile_mjcf(source: str | os.PathLike[str], findings: DocumentFindings) -> CompiledMjcf:
    """Compile a file, or raise a `ModelError` with the errors that MuJoCo, or the XML parser, reports."""
    refuse_text(source)
    path = Path(source)
    root = parse_leniently(read_file(path), findings)
    refuse_other_formats(root, path.name, "mujoco", "MJCF", OTHER_FORMATS)
    if findings.problems:
        raise ModelError(findings.problems)
    mujoco = _library()
    here = is_ordinary(root, path.parent) and not _damage
    result = _compile_here(mujoco, path) if here else compile_apart(mujoco, path)
    if result.model is None:
        reason = " ".join(result.refusal.split()).removeprefix("XML Error: ").removeprefix("Error: ").rstrip(".!")
        by = "" if reason.startswith(NEEDED) else "is refused by MuJoCo's compiler: "
        raise ModelError(f"{path.name}{':' if not by else ''} {by}{reason}.{_remedy(reason)}")
    return CompiledMjcf(
        mujoco, result.model, path.name, root, result.warnings, findings.folder, result.replaced, result.meshes
    )


def is_mjmodel(source: object) -> bool:
    """True if an object is a ``mujoco.MjModel``."""
    kind = type(source)
    return kind.__name__ == "MjModel" and kind.__module__.partition(".")[0] == "mujoco"


def model_name(m: Any) -> str:
    """The name of a compiled model: the first of its names."""
    name: str = m.names[: m.names.index(b"\0")].decode()
    return name


def compiled_in_memory(m: object) -> CompiledMjcf:
    """A model that is compiled already, without a file."""
    if not is_mjmodel(m):
        raise ModelError(f"expected a mujoco.MjModel, got {excerpt(m)}.")
    return CompiledMjcf(_library(), m, "MjModel", XmlElement("mujoco", {}, 0), folder=os.getcwd())


def _compile_here(mujoco: Any, path: Path) -> Result:
    """Compile a file in this process, or return the reason for refusing it.

    A RuntimeError is an exception of C++ that MuJoCo did not expect: it leaves its locks taken, and a file that makes
    the compiler warn would wait for them for ever. From then on every file is compiled in another process.
    """
    try:
        with _heard_warnings(mujoco) as warnings:
            result = compiled_file(mujoco, str(path))
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        return Result(None, str(error))
    except RuntimeError as error:
        _damage.append(str(error))
        return Result(None, str(error))
    return Result(result.model, "", tuple(warnings), tuple(result.names), result.meshes)


@contextmanager
def _heard_warnings(mujoco: Any) -> Iterator[list[str]]:
    """The compiler's warnings, which MuJoCo would write into a file of the working directory."""
    heard: list[str] = []
    with undivided(), _ONE_AT_A_TIME:
        others = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(heard.append)
        try:
            yield heard
        finally:
            mujoco.set_mju_user_warning(others)


def _library() -> ModuleType:
    try:
        with undivided():
            return import_module("mujoco")
    except ImportError:
        needed = "MJCF files are read by MuJoCo's compiler, which is not installed: pip install mujoco"
        raise MissingLibrary(needed) from None


def _remedy(reason: str) -> str:
    if reason.startswith(NEEDED):
        return " Put it where the document looks for it, or state the body's <inertial>."
    if NO_FILE in reason:
        return " Put the files it names (meshes, textures, includes) where it looks for them, beside it."
    return ""
