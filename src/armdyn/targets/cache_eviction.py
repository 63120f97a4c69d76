"""Eviction from the cache on disk: entries unused for long, and the least recently used of too many.

Processes that share a folder may do this at once: a missing file is skipped, a file that is being read stays readable,
and removed code is compiled again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

MOST_BYTES = 512 * 2**20
"""Bytes that all entries together hold at most; eviction reduces them to three quarters of this."""

LONGEST_UNUSED = 90 * 86400.0
"""The time for which an entry is kept without being read, s."""

TEMPORARY = ".temporary"
"""The suffix of files that are still being written."""

_ENDINGS = (".traced", ".lowered", ".kernel", ".shared")
_LEFTOVER = 86400.0
_MARKED = 86400.0
_BLOCK = 4096
_STAMP = ".looked_through"
_BETWEEN = 3600.0
_WRITES_BETWEEN = 256
_writes = count(1)


def mark_as_used(path: Path, status: os.stat_result) -> None:
    """Update the file's modification time when an entry is read, at most once a day."""
    if time.time() - status.st_mtime > _MARKED:
        with suppress(OSError):  # a folder that can only be read
            os.utime(path)


def after_writing(place: Path) -> None:
    """Evict entries once an hour, and after every `_WRITES_BETWEEN` entries of one process."""
    stamp = place / _STAMP
    with suppress(OSError):
        due = not stamp.exists() or time.time() - stamp.stat().st_mtime > _BETWEEN
        if due or next(_writes) % _WRITES_BETWEEN == 0:
            stamp.touch(mode=0o600)
            evict(place)


def evict(place: Path) -> None:
    """Remove expired entries, the least recently used ones of too many, and temporary files of killed processes."""
    now = time.time()
    entries = []
    for path, status in _files(place):
        if path.name.endswith(TEMPORARY):
            if now - status.st_mtime > _LEFTOVER:
                _remove(path)
        elif now - status.st_mtime > LONGEST_UNUSED:
            _remove(path)
        else:
            entries.append((status.st_mtime, -(-status.st_size // _BLOCK) * _BLOCK, path))
    total = sum(size for _, size, _ in entries)
    if total <= MOST_BYTES:
        return
    for _, size, path in sorted(entries):
        if total <= MOST_BYTES * 3 // 4:
            return
        _remove(path)
        total -= size


def _files(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files with armdyn's suffixes, and their status."""
    with suppress(OSError), os.scandir(place) as listing:
        for entry in listing:
            if entry.name.endswith((*_ENDINGS, TEMPORARY)):
                with suppress(OSError):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
