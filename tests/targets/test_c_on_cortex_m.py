"""The self-test of exported C on emulated microcontrollers, and how much code and stack it needs there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import armdyn

BOARDS = {
    "cortex-m3": ("mps2-an385", ["-mcpu=cortex-m3"]),
    "cortex-m4": ("mps2-an386", ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
    "cortex-m7": ("mps2-an500", ["-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"]),
}
"""Processors without a floating-point unit, with one for float, and with one for double."""

CC, SIZE, QEMU = "arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm"
BOARD_FILES = Path(__file__).with_name("cortex_m")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which(CC) and shutil.which(QEMU)), reason=f"needs {CC} and {QEMU}"),
]


def compiled(folder: Path, processor: list[str]) -> dict[str, int]:
    """Bytes of code and constants of ``arm.c``, and of stack of each of its functions."""
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror"]
    command = [CC, *processor, "-O2", "-fno-math-errno"]
    subprocess.run([*command, *strict, "-fstack-usage", "-c", "arm.c"], cwd=folder, check=True)
    files = ["arm.o", "arm_selftest.c", BOARD_FILES / "startup.c"]
    link = ["--specs=rdimon.specs", "-nostartfiles", "-T", BOARD_FILES / "memory.ld", "-lm", "-o", "selftest.elf"]
    subprocess.run([*command, *files, *link], cwd=folder, check=True)
    listed = subprocess.run([SIZE, "arm.o"], cwd=folder, check=True, capture_output=True, text=True)
    stack = re.findall(r":(\w+)\t(\d+)\t", (folder / "arm.su").read_text())
    return {"code": int(listed.stdout.splitlines()[1].split()[0])} | {name: int(size) for name, size in stack}


@pytest.mark.parametrize("sincos", ["libm", "inline"])
@pytest.mark.parametrize("scalar", ["float", "double"])
@pytest.mark.parametrize("processor", BOARDS)
def test_selftest(processor: str, scalar: str, sincos: str, tmp_path: Path) -> None:
    board, flags = BOARDS[processor]
    robot = armdyn.load("ur5")
    robot.to_c(["inverse_dynamics", "forward_dynamics"], name="arm", scalar=scalar, sincos=sincos).write(tmp_path)
    bytes_of = compiled(tmp_path, flags)
    print(processor, scalar, sincos, bytes_of)  # shown by pytest -s
    assert bytes_of["code"] < 20_000
    assert max(size for name, size in bytes_of.items() if name != "code") < 4_000
    command = [QEMU, "-M", board, "-nographic", "-semihosting-config", "enable=on,target=native", "-kernel"]
    done = subprocess.run(
        [*command, "selftest.elf"], cwd=tmp_path, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": ok") == 2
