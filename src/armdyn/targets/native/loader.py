"""A loader of images of `armdyn.targets.native.linker` into callable memory, without llvmlite."""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Mapping
from types import MappingProxyType

from armdyn.targets.native.linker import Image

NO_FUNCTIONS: Mapping[str, int] = MappingProxyType({})


class LoadError(Exception):
    """The system refuses to run the image."""


def load(image: Image, functions: Mapping[str, int] = NO_FUNCTIONS) -> tuple[int, object]:
    """The address of an image's entry, and the object that must be kept alive as long as it may be called.

    ``functions`` are the addresses of the functions that the image calls in addition to libm's and Python's.
    The memory is written first and made executable afterwards, never both at once. At that moment Linux also makes the
    caches of instructions coherent on processors with separate ones, e.g. aarch64.
    """
    system = ctypes.CDLL(None, use_errno=True)
    size = -(-len(image.code) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[: len(image.code)] = image.code
    for name, offset in image.cells:
        struct.pack_into("<Q", memory, offset, functions.get(name) or _function_address(name))
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protection = mmap.PROT_READ | mmap.PROT_EXEC
    if system.mprotect(ctypes.c_void_p(base), ctypes.c_size_t(size), ctypes.c_int(protection)) != 0:
        raise LoadError(f"mprotect failed with errno {ctypes.get_errno()}")
    return base + image.entry, memory


def _function_address(name: str) -> int:
    for library in (None, "libm.so.6"):
        try:
            function = getattr(ctypes.CDLL(library), name)
        except (OSError, AttributeError):
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise LoadError(f"no function {name!r} in this process or in libm")
