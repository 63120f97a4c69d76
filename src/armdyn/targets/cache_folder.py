"""The folder of compiled code, and the checks that it can be trusted: machine code runs with the user's rights.

Code is taken only from regular files of the user's (or root's), in folders that no other user can write to. The same
holds for every folder and symbolic link on the path: otherwise another user could replace the whole folder by a
different folder of the user's, e.g. a download. In folders with the sticky bit, e.g. /tmp, other users can add
names, but cannot move those of the user.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MOST_LINKS = 40
"""The most symbolic links that are followed on a path, as on Linux."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NOT_TAKEN = "and machine code is not taken from others"


class NoFolder(OSError):
    """No folder for compiled code can be used; the message gives the reason."""


def chosen_folder() -> Path | None:
    """``$ARMDYN_CACHE_DIR`` (empty: None, nowhere) or the platform's place for caches.

    Raises:
        NoFolder: if that is a relative path, which is a different folder in every working directory.
    """
    chosen = os.environ.get("ARMDYN_CACHE_DIR")
    if chosen is not None:
        return _absolute("ARMDYN_CACHE_DIR", chosen, Path(chosen)) if chosen else None
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        base = _absolute("LOCALAPPDATA", local, Path(local)) if local else _home() / "AppData" / "Local"
        return base / "armdyn" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "armdyn"
    caches = os.environ.get("XDG_CACHE_HOME")
    return (_absolute("XDG_CACHE_HOME", caches, Path(caches)) if caches else _home() / ".cache") / "armdyn"


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError as error:
        raise NoFolder(f"there is no home folder ({error})") from None
    return _absolute("HOME", str(home), home)


def _absolute(variable: str, value: str, path: Path) -> Path:
    try:
        path = path.expanduser()
    except RuntimeError as error:
        raise NoFolder(f"{variable} is {value!r}: {error}") from None
    if not path.is_absolute():
        raise NoFolder(f"{variable} is {value!r}, a relative path, which is another folder in every working directory")
    return path


def trusted_folder(place: Path) -> Path:
    """The folder's path without symbolic links, if no other user can write to it or replace it.

    Raises:
        FileNotFoundError: if there is no such folder.
        PermissionError: if other users could have written there.
    """
    last, status = place.anchor, os.lstat(place.anchor)
    for step, result in _way_to(place):
        if hasattr(os, "getuid"):
            _check_step(step, result)
        if not stat.S_ISLNK(result.st_mode):
            last, status = step, result
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{last} is not a folder")
    if hasattr(os, "getuid") and status.st_mode & stat.S_ISVTX and _others_write(last, status):
        raise PermissionError(f"anyone may write there, {_NOT_TAKEN}: {_remedy(last)}")
    return Path(last)


def make_folder(place: Path) -> Path:
    """The folder as `trusted_folder` returns it, created for the user alone if it does not exist."""
    try:
        return trusted_folder(place)
    except FileNotFoundError:
        for folder in [*reversed(place.parents), place]:
            if not os.path.lexists(folder):
                with suppress(FileExistsError):  # another process was faster
                    folder.mkdir(mode=0o700)
        return trusted_folder(place)


def check_file(status: os.stat_result) -> None:
    """Raise a PermissionError if an open file cannot be trusted, although its folder can."""
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise PermissionError("an entry there is no regular file of its own, but a link, a pipe or the like")
    if not hasattr(os, "getuid"):
        return
    if status.st_uid not in (os.getuid(), 0):
        raise PermissionError(f"an entry there {_belongs_to(status)}")
    if status.st_mode & _OTHERS_WRITE:
        raise PermissionError(f"others may write to an entry there, {_NOT_TAKEN}")


def _way_to(place: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every folder and symbolic link on the path to a folder, the root first, with its status."""
    at = place.anchor
    yield at, os.lstat(at)
    ahead, links = list(reversed(place.parts[1:])), 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            at = os.path.dirname(at)
            yield at, os.lstat(at)
            continue
        step = os.path.join(at, part)
        status = os.lstat(step)
        yield step, status
        if not stat.S_ISLNK(status.st_mode):
            at = step
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(f"{place} leads through more than {_MOST_LINKS} symbolic links")
        target = Path(os.readlink(step))
        if target.is_absolute():
            at = target.anchor
        ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _check_step(step: str, status: os.stat_result) -> None:
    if status.st_uid not in (os.getuid(), 0):
        raise PermissionError(f"{step} {_belongs_to(status)}")
    if stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX:
        return  # a link has no permissions of its own, and below the sticky bit users move only their own files
    if _others_write(step, status):
        writers = "anyone" if status.st_mode & stat.S_IWOTH else f"group {_group_name(status.st_gid)}"
        raise PermissionError(f"{writers} may write to {step}, {_NOT_TAKEN}: {_remedy(step)}")


def _belongs_to(status: os.stat_result) -> str:
    return f"belongs to user {status.st_uid}, {_NOT_TAKEN}"


def _remedy(folder: str) -> str:
    return f"chmod go-w {folder}"


def _others_write(folder: str, status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_private_group(folder, status)


def _is_private_group(folder: str, status: os.stat_result) -> bool:
    """True if the group is the owner's alone: distributions with umask 002 create one for every user.

    An access control list changes the meaning of the group's permissions.
    """
    import grp  # noqa: PLC0415 - there is none on Windows
    import pwd  # noqa: PLC0415

    try:
        owner, group = pwd.getpwuid(status.st_uid).pw_name, grp.getgrgid(status.st_gid)
        lists = os.listxattr(folder) if hasattr(os, "listxattr") else []
    except (KeyError, OSError):
        return False
    return group.gr_name == owner and set(group.gr_mem) <= {owner} and "system.posix_acl_access" not in lists


def _group_name(number: int) -> str:
    import grp  # noqa: PLC0415 - there is none on Windows

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
