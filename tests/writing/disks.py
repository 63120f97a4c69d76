"""Disks that are full: a small one in memory that is filled up, and a limit on the size of files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

FILLER = "filler"

FullDisk = Callable[[], AbstractContextManager[None]]
"""Within the block nothing more can be written into the folder."""


@contextmanager
def small_disk(folder: Path, kibibytes: int = 64) -> Iterator[None]:
    """A file system of a few pages in memory; the test is skipped where none may be mounted."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"no mount: {error}")
    if done.returncode:
        pytest.skip(f"mount is not permitted: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S607


def fill(folder: Path, *, leave: int = 0) -> None:
    """Write until the disk is full but for so many bytes, whole pages of 4 KiB."""
    free = os.statvfs(folder)
    room = free.f_bavail * free.f_frsize - leave
    assert room < 10**6, "that is no small disk"
    (folder / FILLER).write_bytes(bytes(max(room, 0)))


@contextmanager
def short_files(most: int = 16) -> Iterator[None]:
    """No file becomes longer than so many bytes."""
    resource = pytest.importorskip("resource")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
