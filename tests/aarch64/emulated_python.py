"""A Python for 64-bit Arm and an emulator to run it, unpacked into a folder: Debian's packages and PyPI's wheels."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]

FOREIGN = ("python3", "libstdc++6", "libgomp1")
"""Packages of the foreign system; apt-get finds what they need."""

EMULATOR, EMULATORS = "qemu-aarch64-static", "qemu-user-static"
"""The program, and the package it comes in."""

PLATFORMS = ("manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in range(17, 37)))
"""Wheels that run with the C library of Debian 12."""

TOOLS = ("pin", "libpinocchio", "coal", "libcoal", "eigenpy", "example-robot-data", "mpmath", "sympy",
         "pytest", "hypothesis", "iniconfig", "pluggy", "sortedcontainers")  # fmt: skip
"""What the chosen tests import besides what armdyn needs; with all packages whose name begins with cmeel."""


class EmulatedPython:
    """A Python that runs under emulation, ready in ``folder``; ``command`` starts it, from that Python too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command, self.system, self.emulator = (folder / name for name in ("python3", "system", EMULATOR))
        self.home = folder / "home"

    def run(self, *arguments: str, log: Path) -> int:
        """Run Python with these arguments, what it prints going to a file; its exit status. ``home`` is its HOME."""
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}",
            "PYTHONPYCACHEPREFIX": str(self.folder / "pycache"),
        }
        command = [str(self.command), *arguments]
        with log.open("w", encoding="utf-8") as output:
            done = subprocess.run(
                command, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False, cwd=ROOT
            )
        return done.returncode

    def prepare(self) -> None:
        """Fetch and unpack what is not there yet, and leave alone what is."""
        wanted = _locked()
        key = hashlib.sha256(f"{self.folder} {wanted}".encode() + Path(__file__).read_bytes()).hexdigest()
        ready = self.folder / "ready"
        if ready.is_file() and ready.read_text(encoding="utf-8") == key:
            return
        if lacking := [name for name in ("apt-get", "dpkg") if shutil.which(name) is None]:
            raise SystemExit(
                f"{' and '.join(lacking)} not found: this needs Debian, whose packages for arm64 are taken."
            )
        shutil.rmtree(self.folder, ignore_errors=True)
        self.system.mkdir(parents=True)
        self._unpack_packages()
        self._write_command()
        self._install_wheels(wanted)
        ready.write_text(key, encoding="utf-8")

    def _unpack_packages(self) -> None:
        """The emulator and the foreign system, by an apt-get that knows nothing of this system but its sources."""
        here = _output("dpkg", "--print-architecture").strip()
        apt = self._apt(here)
        _do(*apt, "update")
        _do(*apt, "install", "--yes", "--download-only", "--no-install-recommends", *FOREIGN)
        for package in sorted((self.folder / "apt" / "cache" / "archives").glob("*.deb")):
            _do("dpkg", "-x", str(package), str(self.system))
        _do(*apt, "download", f"{EMULATORS}:{here}", within=self.folder / "apt")
        (package,) = (self.folder / "apt").glob("qemu*.deb")
        unpacked = self.folder / "apt" / "emulator"
        _do("dpkg", "-x", str(package), str(unpacked))
        shutil.copy2(unpacked / "usr" / "bin" / EMULATOR, self.emulator)
        shutil.rmtree(self.folder / "apt")

    def _apt(self, here: str) -> list[str]:
        state = self.folder / "apt"
        for place in ("lists/partial", "cache/archives/partial"):
            (state / place).mkdir(parents=True)
        (state / "status").touch()
        settings = [
            f"Dir::State={state}", f"Dir::State::status={state / 'status'}", f"Dir::Cache={state / 'cache'}",
            "APT::Architecture=arm64", "APT::Architectures::=arm64", f"APT::Architectures::={here}",
            "APT::Sandbox::User=root", "Acquire::Languages=none",
        ]  # fmt: skip
        return ["apt-get", "-q", *(part for setting in settings for part in ("-o", setting))]

    def _write_command(self) -> None:
        """A script, for the kernel cannot start foreign programs: it is what Python takes itself for, and starts."""
        home = self.system / "usr"
        python = f"'{self.emulator}' -0 '{self.command}' -L '{self.system}' '{home / 'bin' / 'python3'}'"
        self.command.write_text(f"#!/bin/sh\nPYTHONHOME='{home}' exec {python} \"$@\"\n", encoding="utf-8")
        self.command.chmod(0o755)

    def _install_wheels(self, wanted: Iterable[str]) -> None:
        version = _output(str(self.command), "-c", "import platform; print(platform.python_version())").strip()
        foreign = {"platform_machine": "aarch64", "python_full_version": version}
        foreign["python_version"] = version.rpartition(".")[0]
        environment = default_environment() | foreign
        requirements = [Requirement(line) for line in wanted]
        pinned = [f"{r.name}{r.specifier}" for r in requirements if r.marker is None or r.marker.evaluate(environment)]
        place = self.system / "usr" / "lib" / "python3" / "dist-packages"
        platforms = [part for name in PLATFORMS for part in ("--platform", name)]
        _do(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--no-compile", "--python-version", version, *platforms, "--target", str(place),
            "--upgrade", *pinned)  # fmt: skip


def _locked() -> list[str]:
    """Lines of the locked requirements: all that armdyn needs, and the tools of the tests."""
    base, everything = ((ROOT / "requirements" / f"{name}.txt").read_text().splitlines() for name in ("base", "all"))
    tools = [line for line in everything if line.startswith("cmeel") or line.split("==")[0] in TOOLS]
    return [*base, *(line for line in tools if line not in base)]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _do(*command: str, within: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=within)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
