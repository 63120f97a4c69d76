"""``python -m benchmarks.doctor_speed --validator VENV/bin/python``: processor time a file, beside urdf-validator.

Both programs are loaded once, each in its interpreter, and take the files in turn, one after the other, three times. The
smallest time of a file counts: of armdyn for the whole of `armdyn.doctor` with meshes closed, and for what it adds to
loading; of urdf-validator for its command.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import time
import warnings
from pathlib import Path

import armdyn
from armdyn.doctor import doctor
from benchmarks.doctor import robot_data

ROUNDS = 3

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
    times: dict[Path, list[tuple[float, float, float]]] = {path: [] for path in files}
    command = [given.validator, "-c", VALIDATOR]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        for path in files:
            own_times(path)  # the first run compiles
        for _ in range(ROUNDS):
            for path in files:
                print(path, file=peer.stdin, flush=True)
                other = float(peer.stdout.readline())
                times[path].append((*own_times(path), other))
        peer.stdin.close()
    least = [[1e3 * min(each) for each in zip(*times[path], strict=True)] for path in files]
    whole, beyond, other = (statistics.median(column) for column in zip(*least, strict=True))
    faster = sum(row[0] <= row[2] for row in least)
    print(f"armdyn.doctor {whole:.0f} ms, {beyond:.0f} ms beyond loading; urdf-validator {other:.0f} ms (medians)")
    print(f"armdyn is the faster for {faster} of {len(files)} files")


if __name__ == "__main__":
    main()
