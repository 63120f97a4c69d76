"""Entries of the cache on disk, read only if they are intact, armdyn's own and stored under the requested key.

An entry is a file: a magic word, the SHA-256 of the rest, a JSON header that repeats the full key, and the code, if the
entry holds any. Nothing in it is unpickled or evaluated. `armdyn.targets.cache_folder` checks folders and files,
`armdyn.targets.cache_keys` makes the keys, `armdyn.targets.cache_eviction` removes old entries.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from armdyn.targets import cache_eviction, cache_folder

_MAGIC = b"armdyn entry 2\n"
_HASH_BYTES = 32
_warned: set[str] = set()

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags that open an entry for reading, without following a link or waiting for a pipe."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def read(kind: str, key: str) -> tuple[Mapping[str, Any], bytes] | None:
    """The header and code stored under a full key; None if there is no entry that can be trusted.

    ``kind`` is the ending of the file's name; ``key`` holds everything that the entry depends on.
    """
    try:
        chosen = cache_folder.chosen_folder()
        if chosen is None:
            return None
        path = cache_folder.trusted_folder(chosen) / _file_name(kind, key)
        content = _content(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn(error)
        return None
    return _parse(content, key)


def _content(path: Path) -> bytes:
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        cache_folder.check_file(status)
    except BaseException:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as file:
        cache_eviction.mark_as_used(path, status)
        return file.read()


def _parse(content: bytes, key: str) -> tuple[Mapping[str, Any], bytes] | None:
    start = len(_MAGIC) + _HASH_BYTES
    payload = content[start:]
    if not content.startswith(_MAGIC) or hashlib.sha256(payload).digest() != content[len(_MAGIC) : start]:
        return None
    text, _, code = payload.partition(b"\n")
    try:
        header = json.loads(text)
    except ValueError:
        return None
    return (header, code) if isinstance(header, dict) and header.get("key") == key else None


def write(kind: str, key: str, header: Mapping[str, object], code: bytes = b"") -> None:
    """Store an entry. The file appears whole or not at all; an error of the system is one warning."""
    payload = json.dumps({**header, "key": key}).encode() + b"\n" + code
    try:
        chosen = cache_folder.chosen_folder()
        if chosen is None:
            return
        place = cache_folder.make_folder(chosen)
        _store(place / _file_name(kind, key), _MAGIC + hashlib.sha256(payload).digest() + payload)
    except OSError as error:
        _warn(error)
        return
    cache_eviction.after_writing(place)


def _store(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}{cache_eviction.TEMPORARY}")
    try:
        with open(os.open(temporary, _CREATE, 0o600), "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:  # Ctrl-C too
        with suppress(OSError):
            temporary.unlink()
        raise


def _file_name(kind: str, key: str) -> str:
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.{kind}"


def _warn(error: OSError) -> None:
    if not _warned:
        _warned.add("said")
        place = os.environ.get("ARMDYN_CACHE_DIR") or "its usual place"
        warnings.warn(
            f"armdyn's cache of compiled functions in {place} is not used: {error}. Functions are compiled anew in "
            "every process; set ARMDYN_CACHE_DIR to a folder of your own, or to nothing to do without silently",
            RuntimeWarning,
            stacklevel=2,
        )
