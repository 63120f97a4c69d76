"""What a user waits for: import, first call with nothing cached, first call from the disk cache. Fresh processes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.cases import Case

SCRIPT = """
import json, sys, time
import numpy as np
start = time.perf_counter()
import armdyn
imported = time.perf_counter()
path, size, function, arrays = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
state = [np.full(size, 0.1 * (i + 1)) for i in range(arrays)]
begin = time.perf_counter()
robot = armdyn.Robot.from_urdf(path)
loaded = time.perf_counter()
getattr(robot, function)(*state)
called = time.perf_counter()
print(json.dumps({"import": imported - start, "load": loaded - begin, "call": called - loaded}))
"""
IMPORT_NUMPY = "import time; start = time.perf_counter(); import numpy; print(time.perf_counter() - start)"


@dataclass(frozen=True)
class Latency:
    """Median seconds over several fresh processes. ``first`` is reading the description and the first call."""

    robot: str
    function: str
    cache: str
    import_numpy: float
    import_armdyn: float
    load: float
    call: float

    @property
    def stages(self) -> tuple[float, ...]:
        """Import NumPy, import armdyn, read the description, first call, and the sum of the last two."""
        return self.import_numpy, self.import_armdyn, self.load, self.call, self.first

    @property
    def first(self) -> float:
        """From after the import to the first result."""
        return self.load + self.call


def latencies(case: Case, function: str, arrays: int, processes: int) -> list[Latency]:
    """Waiting times with an empty cache folder, and with the folder the first run filled."""
    numpy_times = [float(_run(IMPORT_NUMPY, [], {})) for _ in range(processes)]
    arguments = [str(case.urdf), str(case.size), function, str(arrays)]
    runs: dict[str, list[dict[str, float]]] = {"empty": [], "filled": []}
    for _ in range(processes):
        with tempfile.TemporaryDirectory() as folder:
            for measured in runs.values():
                measured.append(json.loads(_run(SCRIPT, arguments, {"ARMDYN_CACHE_DIR": folder})))
    return [
        Latency(
            case.name,
            function,
            cache,
            statistics.median(numpy_times),
            *(statistics.median(run[what] for run in done) for what in ("import", "load", "call")),
        )
        for cache, done in runs.items()
    ]


def _run(script: str, arguments: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
