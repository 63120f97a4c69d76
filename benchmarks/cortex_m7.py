"""Instructions of one step of the exported compensation on a Cortex-M7: ``python -m benchmarks.cortex_m7 [ROBOT...]``.

The step in C99 (float) is compiled by arm-none-eabi-gcc with newlib's sinf, cosf and tanhf, and runs in QEMU's
mps2-an500 (Cortex-M7) one instruction at a time; the count is that of 101 steps less that of one, over 100, at states
that change.
Needs Debian's gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import armdyn

MORE = 100
"""Steps between the two counts."""

COMPILE = (
    "arm-none-eabi-gcc", "-std=gnu99", "-O2", "-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard",
    "-ffreestanding", "-nostartfiles", "-T", "m7.ld", "start.c", "main.c", "compensation.c",
    "-lm", "-lc", "-lgcc", "-lnosys",
)  # fmt: skip
EMULATE = (
    "qemu-system-arm", "-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-monitor", "none", "-serial", "none",
    "-semihosting", "-singlestep", "-d", "exec,nochain", "-D",
)  # fmt: skip

LINK = """MEMORY { ROM (rx) : ORIGIN = 0, LENGTH = 1M  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 1M }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ARM.exidx*) } > ROM
  _sidata = LOADADDR(.data);
  .data : { _sdata = .; *(.data*) _edata = .; } > RAM AT > ROM
  .bss : { _sbss = .; *(.bss*) *(COMMON) _ebss = .; } > RAM
  _estack = ORIGIN(RAM) + LENGTH(RAM);
}
"""
START = """extern unsigned _estack, _sidata, _sdata, _edata, _sbss, _ebss;
int main(void);
void reset(void);
void reset(void)
{
    unsigned *from = &_sidata, *to = &_sdata;
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20; /* the floating-point unit on */
    __asm volatile("dsb\\n isb");
    while (to < &_edata) *to++ = *from++;
    for (to = &_sbss; to < &_ebss; ) *to++ = 0u;
    main();
    __asm volatile("mov r0, #0x18\\n ldr r1, =0x20026\\n bkpt 0xab" ::: "r0", "r1"); /* semihosting: exit */
    for (;;) { }
}
__attribute__((section(".vectors"), used)) static const void *const vectors[] = { &_estack, (void *)reset };
"""
MAIN = """#include "compensation.h"
#include "compensation_numbers.h"
volatile float sink;
int main(void)
{{
    float q[{n}] = {{{q}}}, qd[{n}] = {{{qd}}}, tau[{n}], com[3] = {{0.0f, 0.0f, 0.05f}};
    for (int k = 0; k < REPEATS; ++k) {{
        q[k % {n}] += 0.01f;
        compensation(q, qd, 5.0f, compensation_viscous, compensation_coulomb, compensation_load, compensation_limit,
                     compensation_ramp, 1.0f, com, tau);
        sink = tau[k % {n}];
    }}
    return 0;
}}
"""


def instructions(robot: armdyn.Robot) -> tuple[float, int]:
    """Instructions of one step, its call included, and the bytes of code of the step itself."""
    effort = np.array(robot.effort_limits)
    limit = np.where(np.isfinite(effort), effort, 100.0)
    rng = np.random.default_rng(0)
    numbers = {name: ", ".join(f"{x:.3f}f" for x in rng.uniform(-1.0, 1.0, robot.dof)) for name in ("q", "qd")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        armdyn.control.compensation(robot, limit=limit).write(folder)
        (folder / "main.c").write_text(MAIN.format(n=robot.dof, **numbers))
        (folder / "start.c").write_text(START)
        (folder / "m7.ld").write_text(LINK)
        counts = [_run(folder, steps) for steps in (1, 1 + MORE)]
        compiled = (*COMPILE[:7], "-c", "compensation.c", "-o", "step.o")
        subprocess.run(compiled, cwd=folder, check=True)
        size = ("arm-none-eabi-size", "step.o")
        sizes = subprocess.run(size, cwd=folder, check=True, capture_output=True, text=True)
        return (counts[1] - counts[0]) / MORE, int(sizes.stdout.split("\n")[1].split()[0])


def _run(folder: Path, steps: int) -> int:
    """Instructions of a program of so many steps."""
    subprocess.run((*COMPILE, f"-DREPEATS={steps}", "-o", "arm.elf"), cwd=folder, check=True)
    subprocess.run((*EMULATE, "log", "-kernel", "arm.elf"), cwd=folder, check=True, timeout=120)
    with (folder / "log").open("rb") as log:
        return sum(1 for line in log if line.startswith(b"Trace"))


def main(sources: list[str]) -> None:
    for source in sources or ["planar_2r", "scara", "puma560", "ur5"]:
        robot = armdyn.load(source)
        count, size = instructions(robot)
        print(
            f"{robot.name:16s} {robot.dof} joints: {count:7.0f} instructions a step, {size} bytes of code; "
            f"{count / 216.0:.1f} us at 216 MHz and one instruction a cycle"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
