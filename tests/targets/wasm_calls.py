"""Calls of WebAssembly modules in wasmtime, with functions of Python's math as the host's."""

import math
from typing import Any

import numpy as np
import wasmtime

from armdyn.program import Program, Rollout
from armdyn.targets.wasm import WasmModule

ENGINE = wasmtime.Engine()


def _power(x: float, y: float) -> float:
    return float(np.float64(x) ** np.float64(y))


HOST = {name: getattr(np, f"arc{name[1:]}" if name[0] == "a" else name) for name in
        ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh")} | {"pow": _power}  # fmt: skip


class Instance:
    """A module in wasmtime, its arrays in a memory of numbers."""

    def __init__(self, module: WasmModule) -> None:
        compiled = wasmtime.Module(ENGINE, module.bytes)
        self.module, self.store = module, wasmtime.Store(ENGINE)
        imports = [wasmtime.Func(self.store, entry.type, self._host(entry.name)) for entry in compiled.imports]
        self.exports = wasmtime.Instance(self.store, compiled, imports).exports(self.store)
        self.heap = self.exports["heap"].value(self.store)

    @staticmethod
    def _host(name: str) -> Any:
        def call(*x: float) -> float:
            with np.errstate(all="ignore"):
                return float(HOST[name](*x))

        return call

    def place(self, sizes: list[int]) -> list[int]:
        """Addresses of arrays of so many numbers, one behind the other."""
        places = [self.heap + 8 * sum(sizes[:k]) for k in range(len(sizes) + 1)]
        missing = places[-1] - self.exports["memory"].data_len(self.store)
        if missing > 0:
            self.exports["memory"].grow(self.store, math.ceil(missing / 65536))
        return places[:-1]

    def write(self, address: int, array: np.ndarray) -> None:
        self.exports["memory"].write(self.store, np.ascontiguousarray(array, float).tobytes(), address)

    def read(self, address: int, count: int) -> np.ndarray:
        return np.frombuffer(bytes(self.exports["memory"].read(self.store, address, address + 8 * count)))

    def states(self, name: str, program: Program, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """All states in one call; an array without their axis is shared."""
        counts = {len(a) for a, port in zip(arrays, program.inputs, strict=True) if a.ndim > len(port.shape)}
        count = counts.pop() if counts else 1
        places = self.place([a.size for a in arrays] + [count * port.size for port in program.outputs])
        given = []
        for address, array, port in zip(places, arrays, program.inputs, strict=False):
            self.write(address, array)
            given += [address, 8 * port.size if array.ndim > len(port.shape) else 0]
        results = places[len(arrays) :]
        self.exports[name](self.store, count, *given, *results)
        return [
            self.read(address, count * port.size).reshape(count, *port.shape)
            for address, port in zip(results, program.outputs, strict=True)
        ]

    def steps(self, name: str, rollout: Rollout, steps: int, every: int, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """The state after the last step, and the records."""
        rows = -(-steps // every)
        places = self.place([a.size for a in arrays] + [rows * port.size for port in rollout.records])
        for address, array in zip(places, arrays, strict=False):
            self.write(address, array)
        self.exports[name](self.store, steps, every, *places)
        at = dict(zip((port.name for port in rollout.inputs), places, strict=False))
        state = [self.read(at[port.name], port.size).reshape(port.shape) for port in rollout.state]
        records = places[len(arrays) :]
        return state + [
            self.read(address, rows * port.size).reshape(rows, *port.shape)
            for address, port in zip(records, rollout.records, strict=True)
        ]
