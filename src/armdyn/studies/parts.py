"""Storage of the results of a study's chunks: in memory, or each as a Parquet file of a folder.

A part appears under its name when it is complete: it is written under another name, then renamed. So an existing part
is whole, a part that was computed twice exists once, and an interrupted study continues with the missing parts.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from armdyn.base.interrupts import ctrl_c_waits
from armdyn.base.writing import UNFINISHED, FileWriteError, write_bytes, write_first
from armdyn.formats.tables.parquet import DamagedParquet, parquet_columns, parquet_metadata, pyarrow
from armdyn.spatial.rotations import Array
from armdyn.studies import tables
from armdyn.studies.errors import OtherStudy, StudyError

FORMAT, MANIFEST = "armdyn study 1", "study.json"


class StudyParts(Protocol):
    """The parts of a study by number."""

    def has(self, k: int) -> bool:
        """True if a part is complete."""

    def write(self, k: int, arrays: Mapping[str, Array]) -> None:
        """Keep a part."""

    def read(self, k: int, names: list[str] | None = None) -> dict[str, Array]:
        """The arrays of a part, or some of them, by name."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """Parts in memory."""

    chunks: dict[int, dict[str, Array]] = field(default_factory=dict)

    def has(self, k: int) -> bool:  # noqa: D102 - of the protocol, as all below
        return k in self.chunks

    def write(self, k: int, arrays: Mapping[str, Array]) -> None:  # noqa: D102
        self.chunks[k] = dict(arrays)

    def read(self, k: int, names: list[str] | None = None) -> dict[str, Array]:  # noqa: D102
        return self.chunks[k] if names is None else {name: self.chunks[k][name] for name in names}


@dataclass(frozen=True)
class InFolder:
    """Parts in a folder, which several processes and machines may share.

    Args:
        folder: the folder of the parts and the manifest.
        digest: of the study.
    """

    folder: Path
    digest: str

    def path(self, k: int) -> Path:
        """The file of a part."""
        return self.folder / f"part-{k:06d}.parquet"

    def has(self, k: int) -> bool:
        """True if a part is complete and of this study; a damaged part is not."""
        path = self.path(k)
        if not path.is_file():
            return False
        metadata = parquet_metadata(path)
        if metadata is None:
            return False
        if metadata.get(tables.STUDY) != self.digest.encode():
            raise OtherStudy(f"{path} is no part of the study in {self.folder}; move it away")
        return True

    def write(self, k: int, arrays: Mapping[str, Array]) -> None:
        """Keep a part: written under another name first, then renamed."""
        try:
            with ctrl_c_waits():
                _write(write_bytes, self.path(k), tables.content(arrays, self.digest))
        except StudyError as error:
            raise StudyError(f"{error}. The parts that are done are kept: call study() again to go on") from error

    def read(self, k: int, names: list[str] | None = None) -> dict[str, Array]:
        """The arrays of a part, or some of them, by name."""
        path = self.path(k)
        try:
            return tables.arrays_of(parquet_columns(path, names=names))
        except (OSError, DamagedParquet, KeyError, ValueError) as error:
            raise StudyError(f"{path} cannot be read: {error}. Delete it and call study() again") from error

    def clear(self) -> None:
        """Remove unfinished files of killed processes."""
        for path in self.folder.glob(f".*{UNFINISHED}*"):
            with suppress(OSError):
                path.unlink()


@dataclass(frozen=True)
class Manifest:
    """The description of a study in its folder.

    Args:
        identity: the identity of the study, as `Study.identity`.
        chunk: the number of runs in a part.
        words: for readers: names of the robot, of the varied quantities, etc.
    """

    identity: Mapping[str, Any]
    chunk: int
    words: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """A digest of the study and its chunks."""
        text = json.dumps([FORMAT, dict(self.identity), self.chunk], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def claims(self, folder: Path) -> bool:
        """Write the manifest into a folder without one; True for the one process that succeeds."""
        entries = {"format": FORMAT, "chunk": self.chunk, "identity": dict(self.identity), **self.words}
        return _write(write_first, folder / MANIFEST, json.dumps(entries, indent=1).encode())

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest of a folder; None if there is none."""
        path = folder / MANIFEST
        try:
            text = json.loads(path.read_bytes())
            if text.pop("format") != FORMAT:
                raise ValueError(f"it does not say {FORMAT!r}")
            return cls(dict(text.pop("identity")), int(text.pop("chunk")), text)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StudyError(f"{path} cannot be read: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StudyError(f"{path} is damaged, or no study that armdyn wrote: {error}") from error


def opened(folder: Path, expected: Manifest, *, chunk_is_given: bool) -> tuple[InFolder, Manifest]:
    """A folder for a study, new or begun before, whose chunks it keeps.

    Raises:
        OtherStudy: it holds another study's parts.
        StudyError: it cannot be written.
    """
    pyarrow()
    folder = folder.absolute()
    has_parts = folder.is_dir() and any(folder.glob("part-*.parquet"))  # before the manifest, which comes first
    manifest = Manifest.read(folder)
    if manifest is None:
        if has_parts:
            raise OtherStudy(f"{folder} holds parts, but no {MANIFEST} that says of what; choose another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"{folder} cannot be made: {error.strerror or error}") from error
        if expected.claims(folder):
            return InFolder(folder, expected.digest), expected
        manifest = Manifest.read(folder)  # of a study that began at the same time
        if manifest is None:
            raise StudyError(f"{folder} was claimed by another study, which has gone; call study() again")
    differing = [name for name, value in expected.identity.items() if manifest.identity.get(name) != value]
    if differing:
        raise OtherStudy(
            f"{folder} holds another study: {_differences(differing, manifest.identity, expected.identity)}. Choose "
            "another folder, or remove this one"
        )
    if chunk_is_given and manifest.chunk != expected.chunk:
        raise OtherStudy(
            f"{folder} holds chunks of {manifest.chunk} runs, not {expected.chunk}; leave chunk= away to go on"
        )
    return InFolder(folder, manifest.digest), manifest


def forget_empty(folder: Path) -> None:
    """Remove the manifest of a study that was refused before its first part, so that the folder is free."""
    if not any(folder.glob("part-*.parquet")):
        (folder / MANIFEST).unlink(missing_ok=True)


def _differences(names: list[str], there: Mapping[str, object], here: Mapping[str, object]) -> str:
    return "; ".join(
        f"{name} is {there.get(name)!r} there and {here[name]!r} here"
        if isinstance(here[name], int | float | list)
        else f"its {name} differ{'' if name.endswith('s') else 's'}"
        for name in names
    )


def _write(write: Callable[[Path, bytes], Path | bool], path: Path, content: bytes) -> bool:
    """Write a file by a function of `armdyn.base.writing`; True if this call wrote it."""
    try:
        return bool(write(path, content))
    except FileWriteError as error:
        if error.errno == errno.ENOENT and path.exists():
            return False  # another process wrote it, and cleared the unfinished one
        raise StudyError(str(error)) from error
