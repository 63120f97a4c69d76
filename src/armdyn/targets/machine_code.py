"""Object code as it is kept on disk, and as it can be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from armdyn.targets import cache, cache_keys
from armdyn.targets.gufunc import keep
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.module import Module
from armdyn.targets.native import is_on
from armdyn.targets.native.linker import Image, can_link, link
from armdyn.targets.native.loader import NO_FUNCTIONS, LoadError, load
from armdyn.targets.native.relocations import LinkError
from armdyn.threads import Once, undivided

Code = tuple[int, Any]
"""The address of an entry, and what must be kept alive for as long as it may be called."""


Functions = Mapping[str, int]
"""Addresses of functions that code calls by name, besides those of libm and Python."""


def kept_or_compiled(
    key: str, make_module: Callable[[], Module], entry: str, *, keep: bool = True, functions: Functions = NO_FUNCTIONS
) -> Code | None:
    """The machine code of what ``key`` names, from disk if it is there; None where it cannot be loaded here.

    On disk the key leads to the fingerprint of its LLVM IR, and that to the code. So where sources were edited and make
    the same instructions as before, nothing is compiled, and nothing is imported but for writing them down.
    ``make_module`` writes the IR for this processor; ``keep`` is whether the disk is read and written; ``functions``
    are what the code calls besides libm and Python.
    """
    if not (keep and cache_keys.has_sources()):
        return loaded(*compiled(make_module(), entry), entry, functions)
    full_key = cache_keys.of_code(key)
    known = cache.read("lowered", full_key)
    if known is not None and (code := _kept(str(known[0].get("kernel")), entry, functions)) is not None:
        return code
    module = make_module()
    of_ir = cache_keys.of_ir(module.whole, host())
    code = _kept(of_ir, entry, functions)
    if code is None:
        kept = compiled(module, entry, _kept_object)
        code = loaded(*kept, entry, functions)
        if code is None:
            return None
        cache.write("kernel", of_ir, *kept)
    cache.write("lowered", full_key, {"kernel": of_ir})
    return code


def _kept(key: str, entry: str, functions: Functions) -> Code | None:
    found = cache.read("kernel", key)
    return loaded(*found, entry, functions) if found else None


def _object(ir: str) -> bytes:
    return compiler.compile_ir(ir, host())


def compiled(
    module: Module, entry: str, shared_object: Callable[[str], bytes] = _object
) -> tuple[dict[str, Any], bytes]:
    """A header and the code to keep: an image that needs no llvmlite if possible, else the object file.

    ``shared_object`` gives the object files of what the module shares with others, for their LLVM IR.
    """
    if is_on("loader") and can_link(host().triple):
        own, *shared = module.parts
        objects = [_object(own), *(_shared.get(text, partial(shared_object, text)) for text in shared)]
        with suppress(LinkError):
            image = link(objects, entry)
            return {"kind": "image", "entry": image.entry, "cells": image.cells}, image.code
    return {"kind": "object"}, compiler.compile_ir(module.whole, host(), anywhere=True)


_shared: Once[str, bytes] = Once()
"""The object files of what modules have in common, by their LLVM IR."""


def _kept_object(ir: str) -> bytes:
    """An object file from disk, or compiled and kept there."""
    key = cache_keys.of_ir(ir, host())
    found = cache.read("shared", key)
    if found is not None:
        return found[1]
    code = _object(ir)
    cache.write("shared", key, {}, code)
    return code


def loaded(header: Mapping[str, Any], code: bytes, entry: str, functions: Functions = NO_FUNCTIONS) -> Code | None:
    """The address of kept code's entry, and what to keep alive with it; None where it cannot be loaded here."""
    if header["kind"] != "image":
        return compiler.load_object(code, entry, functions)
    image = Image(code, header["entry"], tuple((name, offset) for name, offset in header["cells"]))
    try:
        return load(image, functions)
    except (LoadError, OSError):
        return None


def helper(name: str, ir_for: Callable[[str], str], entry: str) -> int | None:
    """The address of a C function that all kernels share, from disk or compiled; None where it cannot be had.

    ``ir_for`` gives its LLVM IR for a processor's triple, in which it is called ``entry``.
    """
    try:
        with undivided():
            code = kept_or_compiled(name, lambda: Module(ir_for(host().triple)), entry)
    except Exception:  # no compiler, for example, of which the kernels warn
        return None
    if code is None:
        return None
    keep(code)
    return code[0]
