"""Compiled kernels on disk: read only if they are intact, ours, and made by this very code for this very processor.

An entry is a file: a magic word, the SHA-256 of what follows, a JSON header that repeats the full key, the code.
Nothing in it is unpickled or evaluated. Machine code runs with the user's rights, so entries are believed only in a
folder, and in files, that belong to the user (or root).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import threading
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache as once
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from armdyn.targets.machine import fingerprint

_MAGIC = b"armdyn kernel 1\n"
_HASH_BYTES = 32
_warned = threading.Event()


def folder() -> Path | None:
    """Where entries are kept: ``$ARMDYN_CACHE_DIR`` (empty: nowhere) or the platform's place for caches."""
    chosen = os.environ.get("ARMDYN_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "armdyn" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "armdyn"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "armdyn"


def full_key(key: str, dtype: str) -> str:
    """The caller's key with everything else that bears on the code."""
    return json.dumps(
        [key, dtype, fingerprint(), source_digest("targets", "program"), _llvmlite_version(), sys.version_info[:2]]
    )


@once
def source_digest(*folders: str) -> str:
    """A fingerprint of the source files in sub-packages of armdyn, for keys that must change when they are edited."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((package / folder).glob("*.py")):
            digest.update(f"{folder}/{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@once
def _llvmlite_version() -> str:
    """The text of llvmlite's version file, for importing llvmlite takes longer than loading a kernel."""
    try:
        spec = find_spec("llvmlite")
        return (Path(spec.origin).parent / "_version.py").read_text() if spec and spec.origin else "none"
    except (OSError, ImportError, ValueError):
        return "unknown"


def read(key: str) -> tuple[Mapping[str, Any], bytes] | None:
    """The header and code stored under a full key; None where there is no entry that can be trusted."""
    place = folder()
    if place is None:
        return None
    try:
        _check_owner(place.stat(), place)
        with open(place / _file_name(key), "rb") as file:
            _check_owner(os.fstat(file.fileno()), place)
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn(place, error)
        return None
    return _parsed(content, key)


def _parsed(content: bytes, key: str) -> tuple[Mapping[str, Any], bytes] | None:
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


def write(key: str, header: Mapping[str, Any], code: bytes) -> None:
    """Store an entry. The file appears whole or not at all; where it cannot be stored, one warning says so."""
    place = folder()
    if place is None:
        return
    payload = json.dumps({**header, "key": key}).encode() + b"\n" + code
    temporary = place / f".{_file_name(key)}.{os.getpid()}.{threading.get_ident()}"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owner(place.stat(), place)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
        os.replace(temporary, place / _file_name(key))
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        _warn(place, error)


def _file_name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:40] + ".kernel"


def _check_owner(status: os.stat_result, place: Path) -> None:
    """Only the user and root may have written here."""
    if not hasattr(os, "getuid"):
        return
    if status.st_uid not in (os.getuid(), 0):
        raise PermissionError(f"it belongs to user {status.st_uid}, and machine code is not taken from others")
    if status.st_mode & stat.S_IWOTH:
        raise PermissionError("anyone may write there, and machine code is not taken from others")


def _warn(place: Path, error: OSError) -> None:
    if not _warned.is_set():
        _warned.set()
        warnings.warn(
            f"armdyn's cache of compiled functions in {place} is not used: {error}. Functions are compiled anew in "
            "every process; set ARMDYN_CACHE_DIR to a folder of your own, or to nothing to do without silently",
            RuntimeWarning,
            stacklevel=2,
        )
