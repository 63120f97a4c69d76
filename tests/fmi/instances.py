"""FMUs built once, and their instances in an importer that is not ours, fmpy."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.targets.fmi import Fmu

fmpy = pytest.importorskip("fmpy")

from fmpy import extract, read_model_description  # noqa: E402 - fmpy may be missing
from fmpy.fmi1 import FMICallException  # noqa: E402
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402

_FOLDER = tempfile.TemporaryDirectory(prefix="armdyn-fmi-")  # goes when this process ends
FOLDER = Path(_FOLDER.name)


def written(fmu: Fmu, name: str) -> Path:
    """The file of an FMU."""
    return fmu.write(FOLDER / name)


def state_of(robot: armdyn.Robot, seed: int = 0) -> dict[str, np.ndarray]:
    """A general state and general inputs."""
    rng, n = np.random.default_rng(seed), robot.dof
    return {
        "q": rng.uniform(-1, 1, n), "qd": rng.uniform(-1, 1, n), "tau": rng.uniform(-5, 5, n),
        "f_tip": rng.uniform(-1, 1, 6), "gravity": np.array([1.0, -2.0, -9.0]),
    }  # fmt: skip


@cache
def arm(name: str) -> tuple[armdyn.Robot, Fmu, Path]:
    """A bundled robot, its FMU with a wrench at the tip, and the file."""
    robot = armdyn.load(name)
    fmu = robot.to_fmu(optional_inputs=["f_tip"], start=state_of(robot))
    return robot, fmu, written(fmu, name)


class Instance:
    """An instance, its variables by name."""

    def __init__(self, path: Path, kind: str, guid: str = "", *, logging: bool = True) -> None:
        self.folder = extract(str(path), tempfile.mkdtemp(dir=FOLDER))
        described = read_model_description(self.folder)
        self.variables = {v.name: v for v in described.modelVariables}
        interface = described.modelExchange if kind == "ModelExchange" else described.coSimulation
        make = FMU3Model if kind == "ModelExchange" else FMU3Slave
        self.fmu = make(
            guid=guid or described.guid, unzipDirectory=self.folder, modelIdentifier=interface.modelIdentifier,
            instanceName="one",
        )  # fmt: skip
        self.logged: list[tuple[str, str]] = []
        if not guid:
            self.instantiate(logging=logging)

    def instantiate(self, *, logging: bool = True) -> None:
        self.fmu.instantiate(loggingOn=logging, logMessage=self._log)

    def _log(self, environment: Any, status: int, category: bytes, message: bytes) -> None:
        self.logged.append((category.decode(), message.decode()))

    def reference(self, name: str) -> int:
        return self.variables[name].valueReference

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(int(d.start) for d in self.variables[name].dimensions)

    def get(self, name: str) -> np.ndarray:
        size = int(np.prod(self.shape(name)))
        return np.array(self.fmu.getFloat64([self.reference(name)], size)).reshape(self.shape(name))

    def set(self, name: str, value: Any) -> None:
        self.fmu.setFloat64([self.reference(name)], np.ravel(value).tolist())

    def directional(self, unknown: str, knowns: Sequence[str], seeds: Sequence[Any]) -> np.ndarray:
        seed = [x for s in seeds for x in np.ravel(s).tolist()]
        size = int(np.prod(self.shape(unknown)))
        found = self.fmu.getDirectionalDerivative(
            [self.reference(unknown)], [self.reference(k) for k in knowns], seed, size
        )
        return np.array(found).reshape(self.shape(unknown))

    def adjoint(self, unknowns: Sequence[str], seeds: Sequence[Any], known: str) -> np.ndarray:
        seed = [x for s in seeds for x in np.ravel(s).tolist()]
        size = int(np.prod(self.shape(known)))
        found = self.fmu.getAdjointDerivative(
            [self.reference(u) for u in unknowns], [self.reference(known)], seed, size
        )
        return np.array(found).reshape(self.shape(known))

    def dependencies(self, unknown: int) -> list[tuple[int, int, int, int]]:
        """(element, known, its element, kind), elements counted from 1, as the FMU itself says."""
        count = ctypes.c_size_t()
        self.fmu.fmi3GetNumberOfVariableDependencies(self.fmu.component, unknown, ctypes.byref(count))
        of_unknown, of_known = ((ctypes.c_size_t * count.value)() for _ in range(2))
        knowns, kinds = (ctypes.c_uint32 * count.value)(), (ctypes.c_int * count.value)()
        self.fmu.fmi3GetVariableDependencies(
            self.fmu.component, unknown, of_unknown, knowns, of_known, kinds, count.value
        )
        return list(zip(of_unknown, knowns, of_known, kinds, strict=True))

    def begin(self, **values: Any) -> Instance:
        """Initialize with these values."""
        for name, value in values.items():
            self.set(name.replace("__", "."), value)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def step(self, time: float, length: float) -> None:
        self.fmu.doStep(time, length)

    def refused(self, call: Any, *arguments: Any) -> tuple[int, str]:
        """The status of a call that fails, and what the log said."""
        del self.logged[:]
        with pytest.raises(FMICallException) as failure:
            call(*arguments)
        return int(failure.value.status), self.logged[-1][1] if self.logged else ""


@contextmanager
def instance(path: Path, kind: str = "CoSimulation") -> Iterator[Instance]:
    """An instance that is freed in the end."""
    one = Instance(path, kind)
    try:
        yield one
    finally:
        one.fmu.freeInstance()
        shutil.rmtree(one.folder, ignore_errors=True)
