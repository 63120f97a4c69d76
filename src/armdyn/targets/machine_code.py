"""Object code as it is kept on disk, and as it can be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from armdyn.targets import cache, compiler
from armdyn.targets.image import Image, LoadError, link, load
from armdyn.targets.machine import host
from armdyn.targets.relocations import LinkError


def packed(object_code: bytes, entry: str) -> tuple[dict[str, Any], bytes]:
    """A header and the code to keep: an image that needs no llvmlite if possible, else the object file."""
    try:
        image = link(object_code, entry)
    except LinkError:
        return {"kind": "object"}, object_code
    return {"kind": "image", "entry": image.entry, "cells": image.cells}, image.code


def loaded(header: Mapping[str, Any], code: bytes, entry: str) -> tuple[int, Any] | None:
    """The address of kept code's entry, and what to keep alive with it; None where it cannot be loaded here."""
    if header["kind"] != "image":
        return compiler.load_object(code, entry)
    image = Image(code, header["entry"], tuple((name, offset) for name, offset in header["cells"]))
    try:
        return load(image)
    except (LoadError, OSError):
        return None


def helper(name: str, ir_for: Callable[[str], str], entry: str) -> tuple[int, Any] | None:
    """A C function that all kernels share, from disk or compiled: its address, and what to keep alive with it.

    Args:
        name: what it is kept under.
        ir_for: its LLVM IR for a processor's triple, asked for where it has to be compiled.
        entry: the function's name there.
    """
    key = cache.full_key(name, "d")
    kept = cache.read(key)
    code = loaded(*kept, entry) if kept else None
    if code is not None:
        return code
    header, binary = packed(compiler.compile_ir(ir_for(host().triple), host()), entry)
    code = loaded(header, binary, entry)
    if code is not None:
        cache.write(key, header, binary)
    return code
