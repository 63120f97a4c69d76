"""``python -m benchmarks.doctor_speed --validator VENV/bin/python``: processor time a file, beside urdf-validator.

Both programs are loaded once, each in its interpreter, and take the files in turn. The second of two runs of armdyn
counts, with meshes closed: the whole of `armdyn.doctor`, and its excess over loading. Of urdf-validator it is its
command, on a copy of the file, because it writes a report next to it.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import armdyn
from armdyn.doctor import doctor
from benchmarks.doctor import robot_data

VALIDATOR = """
import contextlib, io, sys, time
from urdf_validator_main.cli import main
for line in sys.stdin:
    sys.argv = ["urdf_validate", line.strip()]
    start = time.thread_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            main()
        except BaseException:
            pass
    print(time.thread_time() - start, flush=True)
"""
"""The other program: a path a line in, its processor time out."""


def own_times(path: Path) -> tuple[float, float]:
    """The processor time of `armdyn.doctor`, s, and its excess over loading."""
    start = time.thread_time()
    with contextlib.suppress(armdyn.ArmdynError):
        armdyn.load(path, check_inertia=False, problems="warn")
    middle = time.thread_time()
    doctor(path, meshes=False)
    end = time.thread_time()
    return end - middle, end - middle - (middle - start)


def main() -> None:
    """Print the medians over the files of example-robot-data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--validator", required=True, help="Python of an environment with urdf-validator")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    files = sorted(robot_data().rglob("*.urdf"))
    rows = []
    command = [given.validator, "-c", VALIDATOR]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer,
    ):
        assert peer.stdin is not None
        assert peer.stdout is not None
        for path in files:
            own_times(path)  # compiles
            copy = shutil.copy(path, folder)
            print(copy, file=peer.stdin, flush=True)
            other = float(peer.stdout.readline())
            rows.append((*own_times(path), other))
        peer.stdin.close()
    whole, beyond, other = (1e3 * statistics.median(column) for column in zip(*rows, strict=True))
    faster = sum(row[0] <= row[2] for row in rows)
    print(f"armdyn.doctor {whole:.0f} ms, {beyond:.0f} ms beyond loading; urdf-validator {other:.0f} ms (medians)")
    print(f"armdyn is the faster for {faster} of {len(files)} files")


if __name__ == "__main__":
    main()
