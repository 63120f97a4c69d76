"""``python -m benchmarks.wasm``: WebAssembly in node beside compiled functions, many states in one call."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import timeit
from pathlib import Path

import numpy as np

import armdyn
from armdyn.targets.wasm import WasmModule

STATES, ROUNDS = 1000, 300
ANGLES = (0.75, 3.0)  # rad: below pi/4 the host's sine needs no reduction of its argument

SCRIPT = """
import { load } from "./arm.mjs";
const { exports } = await load();
const [states, rounds, sizes, result] = [STATES, ROUNDS, SIZES, RESULT];
let place = exports.heap.value;
const given = [];
const total = sizes.reduce((a, b) => a + b, result) * states * 8;
exports.memory.grow(Math.ceil(total / 65536));
for (const size of sizes) {
  const view = new Float64Array(exports.memory.buffer, place, size * states);
  for (let k = 0; k < view.length; ++k) view[k] = (2 * Math.random() - 1) * ANGLE;
  given.push(place, 8 * size);
  place += 8 * size * states;
}
const times = [];
for (let k = 0; k < rounds; ++k) {
  const begin = process.hrtime.bigint();
  exports.NAME(states, ...given, place);
  times.push(Number(process.hrtime.bigint() - begin) / states);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify(times[rounds >> 1]));
"""


def in_node(module: WasmModule, sizes: list[int], result: int, angle: float) -> float:
    """Nanoseconds a state with numbers from -angle to angle, the median of many calls."""
    node = shutil.which("node")
    if node is None:
        raise SystemExit("benchmarks.wasm needs node, which is not installed")
    words = {"STATES": STATES, "ROUNDS": ROUNDS, "SIZES": sizes, "RESULT": result, "NAME": module.functions[0].name}
    words["ANGLE"] = angle
    script = SCRIPT
    for word, value in words.items():
        script = script.replace(word, str(value))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "arm.mjs").write_text(module.javascript, encoding="utf-8")
        Path(folder, "run.mjs").write_text(script, encoding="utf-8")
        ended = subprocess.run([node, "run.mjs"], cwd=folder, capture_output=True, text=True, check=True)
    return float(json.loads(ended.stdout))


def compiled(function: armdyn.CompiledFunction, count: int) -> float:
    """Nanoseconds a state of the compiled function, all states in one call."""
    arrays = np.random.default_rng(1).uniform(-3, 3, (count, STATES, len(function.arm.model.joints)))
    calls = 20
    return 1e9 * min(timeit.repeat(lambda: function(*arrays), number=calls, repeat=ROUNDS // calls)) / calls / STATES


def main() -> None:
    """Print a table: bytes, and nanoseconds a state with small and with large angles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["ur5", "puma560", "stanford"])
    for name in parser.parse_args().robots:
        robot = armdyn.load(name)
        for function in (robot.inverse_dynamics, robot.forward_dynamics, robot.mass_matrix):
            program = function.program()
            sizes = [port.size for port in program.inputs]
            ours = compiled(function, len(sizes))
            row = f"{name:10} {program.name:18} {program.op_counts!s:24} compiled {ours:6.1f} ns"
            for sine in ("host", "own"):
                module = program.to_wasm(sine=sine)
                times = [in_node(module, sizes, program.outputs[0].size, angle) for angle in ANGLES]
                row += f"   {sine}: {len(module.bytes):6,} bytes " + " / ".join(f"{time:.1f}" for time in times) + " ns"
            print(row)


if __name__ == "__main__":
    main()
