"""Object code: stored on disk, and loaded as callable functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from armdyn.base.threads import Once, undivided
from armdyn.targets import cache, cache_keys
from armdyn.targets.gufunc import keep
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.module import Module
from armdyn.targets.native import is_on
from armdyn.targets.native.linker import Image, can_link, link
from armdyn.targets.native.loader import NO_FUNCTIONS, LoadError, load
from armdyn.targets.native.relocations import LinkError

Code = tuple[int, Any]
"""The address of an entry, and the object that must be kept alive as long as the entry may be called."""


Functions = Mapping[str, int]
"""Addresses of functions that code calls by name, in addition to those of libm and Python."""


def load_or_build(
    key: str, make_module: Callable[[], Module], entry: str, *, keep: bool = True, functions: Functions = NO_FUNCTIONS
) -> Code | None:
    """The machine code stored under ``key``, from disk or compiled; None if it cannot be loaded here.

    On disk the key determines the fingerprint of its LLVM IR, and that determines the code. So if edited sources make
    equal instructions, nothing is compiled, and only the modules that write the IR are imported.
    ``make_module`` writes the IR for this processor; ``keep`` enables reading and writing the disk; ``functions`` are
    called by the code in addition to libm and Python.
    """
    if not (keep and cache_keys.has_sources()):
        return load_code(*compile_code(make_module(), entry), entry, functions)
    full_key = cache_keys.of_code(key)
    entry_on_disk = cache.read("lowered", full_key)
    if entry_on_disk is not None and (code := _keep(str(entry_on_disk[0].get("kernel")), entry, functions)) is not None:
        return code
    module = make_module()
    of_ir = cache_keys.of_ir(module.whole, host())
    code = _keep(of_ir, entry, functions)
    if code is None:
        compiled = compile_code(module, entry, _kept_object)
        code = load_code(*compiled, entry, functions)
        if code is None:
            return None
        cache.write("kernel", of_ir, *compiled)
    cache.write("lowered", full_key, {"kernel": of_ir})
    return code


def _keep(key: str, entry: str, functions: Functions) -> Code | None:
    result = cache.read("kernel", key)
    return load_code(*result, entry, functions) if result else None


def _object(ir: str) -> bytes:
    return compiler.compile_ir(ir, host())


def compile_code(
    module: Module, entry: str, shared_object: Callable[[str], bytes] = _object
) -> tuple[dict[str, Any], bytes]:
    """A header and the code to store: an image that needs no llvmlite if possible, else the object file.

    ``shared_object`` compiles the LLVM IR of the module's shared groups to object files.
    """
    if is_on("loader") and can_link(host().triple):
        own, *shared = module.parts
        objects = [_object(own), *(_shared.get(text, partial(shared_object, text)) for text in shared)]
        with suppress(LinkError):
            image = link(objects, entry)
            return {"kind": "image", "entry": image.entry, "cells": image.cells}, image.code
    return {"kind": "object"}, compiler.compile_ir(module.whole, host(), anywhere=True)


_shared: Once[str, bytes] = Once()
"""The object files of groups that several modules share, by their LLVM IR."""


def _kept_object(ir: str) -> bytes:
    """An object file from disk, or compiled and stored there."""
    key = cache_keys.of_ir(ir, host())
    result = cache.read("shared", key)
    if result is not None:
        return result[1]
    code = _object(ir)
    cache.write("shared", key, {}, code)
    return code


def load_code(header: Mapping[str, Any], code: bytes, entry: str, functions: Functions = NO_FUNCTIONS) -> Code | None:
    """The address of stored code's entry, and the object to keep alive with it; None if it cannot be loaded here."""
    if header["kind"] != "image":
        return compiler.load_object(code, entry, functions)
    image = Image(code, header["entry"], tuple((name, offset) for name, offset in header["cells"]))
    try:
        return load(image, functions)
    except (LoadError, OSError):
        return None


def helper(name: str, ir_for: Callable[[str], str], entry: str) -> int | None:
    """The address of a C function that all kernels share, from disk or compiled; None if that fails.

    ``ir_for`` returns its LLVM IR for a processor's triple, in which it is called ``entry``.
    """
    try:
        with undivided():
            code = load_or_build(name, lambda: Module(ir_for(host().triple)), entry)
    except Exception:  # e.g. no compiler, about which the kernels warn
        return None
    if code is None:
        return None
    keep(code)
    return code[0]
