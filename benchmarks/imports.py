"""``python -m benchmarks.imports [--beside SRC]``: processor time of imports, of `armdyn.load` and of short commands.

Fresh processes in turn, with byte code on disk and every kernel compiled; the minimum of many runs counts, in ms. SRC
is the folder `src` of another version of armdyn, with times in a second column. The row "libraries of the command line"
contains the modules of other packages that ``armdyn fk`` imports, the lower bound of its time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

OURS = str(Path(__file__).parents[1] / "src")
LIBRARIES = (
    "import numpy, typer, rich.console, rich.table; import importlib; importlib.import_module('typer._adapters')"
)
"""Typer reads the options of a command by Pydantic, which this module of it imports; older versions have none."""

CASES: Mapping[str, Sequence[str]] = {
    "python": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import armdyn": ("-c", "import armdyn"),
    'armdyn.load("ur5")': ("-c", "import armdyn; armdyn.load('ur5')"),
    "armdyn --help": ("-m", "armdyn", "--help"),
    "libraries of the command line": ("-c", LIBRARIES),
    "armdyn fk": ("-m", "armdyn", "fk", "ur5", "--q", "0.1,0.2,0.3,0.4,0.5,0.6"),
}


def processor_time(arguments: Sequence[str], source: str, cache: str) -> float:
    """Processor time of one process, s, its own and the kernel's; NaN if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    folders = {"PYTHONPATH": source, "PYTHONPYCACHEPREFIX": f"{cache}/code", "ARMDYN_CACHE_DIR": f"{cache}/kernels"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    finished = subprocess.run(
        [sys.executable, *arguments],
        env={**environment, **folders, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if finished.returncode:
        return float("nan")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", default=None, metavar="SRC", help="folder src of another version")
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    sources = [OURS, *([options.beside] if options.beside else [])]
    times: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.runs + 1):  # the first writes byte code and kernels
            for name, arguments in CASES.items():
                for place, source in enumerate(sources):
                    time = processor_time(arguments, source, f"{folder}/{place}")
                    times[name, source] = min(time, times.get((name, source), time))
    for name in CASES:
        shown = "".join(f"{1e3 * times[name, source]:10.1f}" for source in sources)
        ratio = f"{times[name, OURS] / times[name, sources[-1]]:10.2f}" if len(sources) > 1 else ""
        print(f"{name:32}{shown} ms{ratio}{times[name, OURS] / times['import numpy', OURS]:10.2f} of NumPy's import")


if __name__ == "__main__":
    main()
