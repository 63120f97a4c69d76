"""Writing of files: to a temporary file in the same folder, flushed to the disk, then renamed over the older file.

A full disk, an error, a crash or Ctrl-C leaves the older file as it was, byte for byte, and leaves no part of the new
one. Every module of armdyn that writes a file for its user writes it by a function of this one.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from armdyn.base.errors import ArmdynError

UNFINISHED = ".unfinished"
"""Part of the names of files that are being written; a killed process leaves one."""

FilePath = str | os.PathLike[str]

_LONGEST_STEM, _LONGEST_ENDING = 40, 16
"""Characters of a file's name that the name of the unfinished one repeats."""

_STREAMS = ("/dev/", "/proc/")
"""Beginnings of paths that name a stream: /dev/stdout, /proc/self/fd/3 may be a file with contents of its own."""

_ADVICE = {
    errno.ENOSPC: "free some space, or choose a place on another disk",
    errno.EDQUOT: "free some of your quota, or choose a place on another disk",
    errno.EFBIG: "it is larger than a file may be here; choose a place on another disk, or raise the limit (ulimit -f)",
    errno.ENOENT: "make it first, or choose another place",
    errno.ENOTDIR: "a part of the path is a file; choose another place",
    errno.EISDIR: "give the name of a file in it",
    errno.EACCES: "change the permissions, or choose another place",
    errno.EPERM: "change the permissions, or choose another place",
    errno.EROFS: "choose a place on another disk",
    errno.ENAMETOOLONG: "choose a shorter name",
}
"""Advice, by the number of the system's error."""

_UNKNOWN_TO_FSYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""Errors of file systems that have no fsync; others mean that the file is not on the disk."""


class FileWriteError(ArmdynError, OSError):
    """A file that cannot be written: a full disk, a folder that is missing or takes no file, a read-only file.

    ``errno`` is the number of the system's error, or None.
    """


def write_bytes(path: FilePath, content: bytes, *, error: type[ArmdynError] = FileWriteError) -> Path:
    """Write a file, over one that exists once the new one is complete; its path.

    Args:
        path: a link is followed and stays; a file that exists keeps its permissions and, if possible, its owner. A
            device or a pipe is written to directly.
        content: of the file.
        error: the class of what is raised.

    Raises:
        FileWriteError: or the given class: the file cannot be written. The older file is as it was.

    >>> import tempfile
    >>> from armdyn.base.writing import write_bytes
    >>> path = write_bytes(Path(tempfile.mkdtemp()) / "arm.txt", b"new")
    >>> path.read_bytes(), [each.name for each in path.parent.iterdir()]
    (b'new', ['arm.txt'])
    """
    (place,) = write_all({Path(path): content}, error=error)
    return place


def write_text(path: FilePath, text: str, *, error: type[ArmdynError] = FileWriteError) -> Path:
    """Write a text in UTF-8, with its line ends as they are, as `write_bytes` writes bytes; the path."""
    return write_bytes(path, text.encode(), error=error)


def write_all(contents: Mapping[Path, bytes], *, error: type[ArmdynError] = FileWriteError) -> list[Path]:
    """Write several files, of which none takes its place before all are on the disk; their paths.

    Args:
        contents: of the files, by their paths, as of `write_bytes`.
        error: the class of what is raised.

    Raises:
        FileWriteError: or the given class: one of the files cannot be written. No older file has changed.
    """
    with ExitStack() as all_of_them:
        for path, content in contents.items():
            unfinished = all_of_them.enter_context(replacement(path, error=error))
            with _name_file_in_errors(path, error):
                unfinished.write_bytes(content)
                _flush(unfinished)
    return list(contents)


def write_folder(
    folder: FilePath, contents: Mapping[str, bytes], *, error: type[ArmdynError] = FileWriteError
) -> list[Path]:
    """Write several files into a folder, all or none, and make the folder if it is missing; their paths.

    Args:
        folder: of the files.
        contents: by names of files, which may be in folders of it.
        error: the class of what is raised.
    """
    place = Path(folder)
    files = {place / name: content for name, content in contents.items()}
    for path in files:
        with _name_file_in_errors(place, error):
            path.parent.mkdir(parents=True, exist_ok=True)
    return write_all(files, error=error)


def write_first(path: FilePath, content: bytes, *, error: type[ArmdynError] = FileWriteError) -> bool:
    """Write a file unless it exists, complete at once; True if this call wrote it.

    One of several simultaneous processes does.
    """
    place = Path(path)
    with _name_file_in_errors(place, error), _temporary_file(place) as unfinished:
        unfinished.write_bytes(content)
        _flush(unfinished)
        try:
            place.hardlink_to(unfinished)
        except FileExistsError:
            return False
        except (OSError, NotImplementedError):  # a file system without links
            if place.exists():
                return False
            unfinished.replace(place)
        return True


@contextmanager
def replacement(path: FilePath, *, error: type[ArmdynError] = FileWriteError) -> Iterator[Path]:
    """The path of an empty file for a writer of its own; at the end of the block that file replaces ``path``.

    The file has the ending of ``path``, is in the same folder, and is removed if the block raises.

    Args:
        path: as of `write_bytes`.
        error: the class of what is raised for an error of the system, also one within the block.

    >>> import tempfile
    >>> from armdyn.base.writing import replacement
    >>> place = Path(tempfile.mkdtemp()) / "q.npy"
    >>> with replacement(place) as unfinished:
    ...     np.save(unfinished, np.arange(3.0))
    >>> np.load(place)
    array([0., 1., 2.])
    """
    place = Path(path)
    with _name_file_in_errors(place, error):
        if _is_stream(place):
            import shutil  # noqa: PLC0415 - slow to import
            import tempfile  # noqa: PLC0415

            with tempfile.TemporaryDirectory() as folder:
                unfinished = Path(folder, f"unfinished{place.suffix}")
                unfinished.touch()
                yield unfinished
                with unfinished.open("rb") as source, place.open("ab") as stream:
                    shutil.copyfileobj(source, stream)
            return
        target = _target(place)
        with _temporary_file(target) as unfinished:
            _take_over(unfinished, target)
            yield unfinished
            _flush(unfinished)
            unfinished.replace(target)
        _flush_folder(target.parent)


def _is_stream(place: Path) -> bool:
    """True if a path names a device, a pipe or an open file, which cannot be renamed over."""
    return place.as_posix().startswith(_STREAMS) or (place.exists() and not (place.is_file() or place.is_dir()))


_makes_folders: ContextVar[bool] = ContextVar("makes_folders", default=False)


@contextmanager
def making_folders() -> Iterator[None]:
    """Make the missing folders of the files that are written in this context."""
    token = _makes_folders.set(True)
    try:
        yield
    finally:
        _makes_folders.reset(token)


def _target(place: Path) -> Path:
    """The file that a path means, through links; an OSError if that cannot be written."""
    target = Path(os.path.realpath(place))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not target.parent.exists() and _makes_folders.get():
        target.parent.mkdir(parents=True, exist_ok=True)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"no folder {str(target.parent)!r}")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")
    return target


@contextmanager
def _temporary_file(target: Path) -> Iterator[Path]:
    """A new and empty file in the folder of another, removed at the end if it is still there."""
    ending = target.suffix if len(target.suffix) <= _LONGEST_ENDING else ""
    path = target.with_name(f".{target.stem[:_LONGEST_STEM]}.{os.urandom(8).hex()}{UNFINISHED}{ending}")
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _take_over(unfinished: Path, target: Path) -> None:
    """Give a file the owner, if possible, and the permissions of the one that it will replace."""
    try:
        older = target.stat()
    except FileNotFoundError:
        return
    status = unfinished.stat()
    if hasattr(os, "chown") and (older.st_uid, older.st_gid) != (status.st_uid, status.st_gid):
        with suppress(OSError):
            os.chown(unfinished, older.st_uid, older.st_gid)
    with suppress(OSError):  # a file system without permissions
        unfinished.chmod(stat.S_IMODE(older.st_mode))


def _flush(path: Path) -> None:
    """Have a file on the disk; a disk that is full may refuse no earlier."""
    with path.open("rb+") as file:
        _fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Have the new name of a file on the disk, if the system opens folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _fsync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in _UNKNOWN_TO_FSYNC:
            raise


@contextmanager
def _name_file_in_errors(place: Path, error: type[ArmdynError]) -> Iterator[None]:
    """Turn errors of the system into one that names the file and the remedy."""
    if "\0" in str(place):
        raise error(f"{str(place)!r} cannot be written: a name has no null character; choose another")
    try:
        yield
    except ArmdynError:
        raise
    except OSError as problem:
        raised = error(f"{place} cannot be written: {reason(problem)}")
        if isinstance(raised, OSError):
            raised.errno = problem.errno
        raise raised from problem


def reason(problem: OSError) -> str:
    """The words of an error of the system, and what to do.

    >>> import errno, os
    >>> from armdyn.base.writing import reason
    >>> reason(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    'No space left on device; free some space, or choose a place on another disk'
    """
    text = str(problem.strerror or problem)
    advice = _ADVICE.get(problem.errno or 0)
    return f"{text}; {advice}" if advice else text
