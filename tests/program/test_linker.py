"""Linking for processors that are not at hand: what the instructions refer to, decoded by the manuals."""

import ctypes
import struct
from collections.abc import Iterator

import llvmlite.binding as llvm
import numpy as np
import pytest

from armdyn.targets.llvm.compiler import compile_ir
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.llvm.module import Module
from armdyn.targets.native.linker import Image, link
from armdyn.targets.native.loader import load
from armdyn.targets.native.relocations import PROCESSORS, LinkError

TABLE = np.array([1.25, -2.5, 0.375])


def example(triple: str) -> str:
    """entry(x): x[k] = twice(sin(x[k])) + TABLE[k], twice() being a function of its own."""
    constants = ", ".join(f"double {x}" for x in TABLE)
    return f"""
        target triple = "{triple}"
        @table = internal constant [3 x double] [{constants}], align 16
        declare double @sin(double)
        define internal double @twice(double %x) #0 {{
          %y = fadd double %x, %x
          ret double %y
        }}
        define void @entry(ptr %x, i64 %k) {{
          %at = getelementptr double, ptr %x, i64 %k
          %value = load double, ptr %at
          %sine = call double @sin(double %value)
          %double = call double @twice(double %sine)
          %constant.at = getelementptr double, ptr @table, i64 %k
          %constant = load double, ptr %constant.at
          %sum = fadd double %double, %constant
          store double %sum, ptr %at
          ret void
        }}
        attributes #0 = {{ noinline }}
    """


def compiled(triple: str) -> bytes:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return compile_ir(example(triple), Machine(triple, "generic", ""))


def calls(image: Image) -> Iterator[tuple[int, int]]:
    """Where aarch64's BL stands and where it leads to."""
    for place in range(0, len(image.code) - 3, 4):
        (word,) = struct.unpack_from("<I", image.code, place)
        if word >> 26 == 0b100101:
            away = word & 0x3FFFFFF
            yield place, place + 4 * (away - (1 << 26 if away >> 25 else 0))


def addresses(image: Image) -> Iterator[int]:
    """What ADRP and the ADD after it, of the same register, put together."""
    words = struct.unpack(f"<{len(image.code) // 4}I", image.code[: len(image.code) // 4 * 4])
    for k, word in enumerate(words):
        if word >> 31 and word >> 24 & 0b11111 == 0b10000:
            pages = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            page = (4 * k & ~4095) + ((pages - (1 << 21 if pages >> 20 else 0)) << 12)
            (low,) = (w >> 10 & 0xFFF for w in words[k + 1 :] if w >> 22 == 0b1001000100 and w >> 5 & 31 == word & 31)
            yield page + low


def test_references_on_aarch64() -> None:
    image = link([compiled("aarch64-unknown-linux-gnu")], "entry")
    ((name, cell),) = image.cells
    assert (name, cell % 8) == ("sin", 0)
    to_sin, to_twice = (target for _, target in calls(image))
    assert to_sin == cell - 8
    assert struct.unpack_from("<II", image.code, to_sin) == (0x58000050, 0xD61F0200)  # ldr x16, #8; br x16
    assert struct.unpack_from("<II", image.code, to_twice) == (0x1E602800, 0xD65F03C0)  # fadd d0, d0, d0; ret
    (table,) = addresses(image)
    np.testing.assert_array_equal(np.frombuffer(image.code, float, 3, table), TABLE)


def test_functions_of_other_object_files_on_aarch64() -> None:
    """twice() in a file of its own, as functions are that kernels share."""
    triple = "aarch64-unknown-linux-gnu"
    whole = example(triple)
    start, end, tail = (whole.index(word) for word in ("define internal", "define void", "attributes"))
    own, twice = whole[:start] + whole[end:tail], whole[start:end]
    module = Module(own, (twice,), head=f'target triple = "{triple}"', tail=whole[tail:])
    image = link([compile_ir(part, Machine(triple, "generic", "")) for part in module.parts], "entry")
    ((_, cell),) = image.cells
    to_sin, to_twice = (target for _, target in calls(image))
    assert to_sin == cell - 8
    assert to_twice > image.entry
    assert struct.unpack_from("<II", image.code, to_twice) == (0x1E602800, 0xD65F03C0)  # fadd d0, d0, d0; ret


def test_references_to_other_pages_on_aarch64() -> None:
    """As from the second page of code to constants in the fourth, and back."""
    page, in_page = (PROCESSORS[183].references[kind] for kind in (275, 277))
    for place, target in ((0x1008, 0x3A10), (0x3A10, 0x1008), (0x1FFC, 0x2000), (0x7FFC, 0x4)):
        code = bytearray(0x8000)
        struct.pack_into("<II", code, place - 4, 0x90000000, 0x91000000)  # adrp x0; add x0, x0
        page(code, place - 4, target)
        in_page(code, place, target)
        (found,) = addresses(Image(bytes(code), 0, ()))
        assert found == target


def test_what_is_too_far_or_unknown_is_left_to_llvm() -> None:
    with pytest.raises(LinkError, match=r"relocation of type 311"):
        PROCESSORS[183].write(311, bytearray(8), 0, 4)
    with pytest.raises(LinkError, match=r"a call over 134217728 bytes"):
        PROCESSORS[183].write(283, bytearray(8), 0, 1 << 27)
    with pytest.raises(LinkError, match=r"not an ELF object for a supported processor"):
        link([compiled("riscv64-unknown-linux-gnu")], "entry")


@pytest.mark.skipif(not host().triple.startswith(("x86_64", "aarch64")), reason="the linker knows two processors")
def test_it_runs_here() -> None:
    address, _memory = load(link([compile_ir(example(host().triple), host())], "entry"))
    x = np.array([0.3, -1.2, 2.0])
    for k in range(3):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(address)(x.ctypes.data, k)
    np.testing.assert_allclose(x, 2 * np.sin([0.3, -1.2, 2.0]) + TABLE, rtol=1e-15)
