"""What importers may and may not do with an instance: modes, states of the FMU, two instances, what is refused."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ShapeError, UnknownName, Unsupported
from armdyn.targets.c.building import STRICT, TARGETS, CompilerError
from armdyn.targets.fmi.archive import PLATFORMS
from fmi.instances import FOLDER, Instance, arm, instance, written
from oracles.short_run import each_once

import fmpy  # isort: skip

HEADERS = Path(fmpy.__file__).parent / "c-code"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)] or [f"{sys.executable} -m ziglang cc"]
ERROR, DISCARD = 3, 2


def rp() -> Path:
    return arm("rp")[2]


def sources() -> Path:
    folder = FOLDER / "sources"
    folder.mkdir(exist_ok=True)
    for name, text in arm("rp")[1].sources.items():
        (folder / name).write_text(text)
    return folder


def compiled(compiler: str, *flags: str) -> subprocess.CompletedProcess[str]:
    names = [path.name for path in sources().glob("*.c")]
    command = [*compiler.split(), *STRICT, "-fsyntax-only", *flags, *sorted(names)]
    return subprocess.run(command, cwd=sources(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("flags", "compiler"), each_once([["-O2"], ["-std=gnu17"], ["-DFMI3_FUNCTION_PREFIX=arm_"]], COMPILERS)
)
def test_compiles_without_warnings(compiler: str, flags: list[str]) -> None:
    done = compiled(compiler, *flags)
    assert (done.returncode, done.stderr) == (0, "")


def test_has_the_functions_of_the_standard() -> None:
    """With the Modelica Association's own header in the place of ours, every prototype agrees, and none is missing."""
    flags = ['-DFMI3_STANDARD_HEADER="fmi3Functions.h"', f"-isystem{HEADERS}"]
    done = compiled(COMPILERS[0], *flags)
    assert (done.returncode, done.stderr) == (0, "")
    names = re.findall(r"^FMI3_Export fmi3(\w+)TYPE\s", (HEADERS / "fmi3Functions.h").read_text(), re.MULTILINE)
    assert len(names) > 70
    with instance(rp()) as one:
        library = ctypes.CDLL(str(next(Path(one.folder, "binaries").rglob("rp.*"))))
        for name in names:
            assert hasattr(library, f"fmi3{name}"), name
        for hidden in ("model_results", "fmu_in", "rp_results", "armdyn_sincos"):
            assert not hasattr(library, hidden), hidden


def test_two_instances() -> None:
    with instance(rp()) as one, instance(rp()) as other, instance(rp()) as both:
        one.begin(q=[0.1, 0.5])
        other.begin(q=[-0.4, 0.8])
        for k in range(5):
            one.step(0.01 * k, 0.01)
            other.step(0.01 * k, 0.01)
        for q, expected in (([0.1, 0.5], one), ([-0.4, 0.8], other)):
            both.begin(q=q)
            for k in range(5):
                both.step(0.01 * k, 0.01)
            np.testing.assert_array_equal(both.get("q"), expected.get("q"))
            both.fmu.reset()


def test_states_are_kept_and_written() -> None:
    with instance(rp()) as one, instance(rp()) as other:
        one.begin()
        one.step(0.0, 0.02)
        kept = one.fmu.getFMUState()
        data = one.fmu.serializeFMUState(kept)
        one.step(0.02, 0.03)
        once = one.get("q")
        one.fmu.setFMUState(kept)
        one.step(0.02, 0.03)
        np.testing.assert_array_equal(one.get("q"), once)
        moved = other.fmu.deserializeFMUState(data)
        other.fmu.setFMUState(moved)
        other.step(0.02, 0.03)
        np.testing.assert_array_equal(other.get("q"), once)
        with instance(rp(), "ModelExchange") as stranger:
            said = stranger.refused(stranger.fmu.setFMUState, kept)[1]
            assert said == "fmi3SetFMUState: the state is that of another kind of instance"
        status, said = one.refused(one.fmu.deserializeFMUState, data[:-1])
        assert (status, said) == (ERROR, "the bytes are no state of this FMU")
        assert one.refused(one.fmu.deserializeFMUState, b"{" + b"0" * (len(data) - 1))[0] == ERROR
        one.fmu.freeFMUState(kept)
        other.fmu.freeFMUState(moved)


def test_steps_are_those_of_the_parameter() -> None:
    """A communication step is divided into the fewest equal steps not longer than the parameter."""
    ends = []
    for step, length in ((1e-2, 1e-2), (1e-2, 4e-2), (3e-2, 4e-2)):
        with instance(rp()) as one:
            one.begin(step=step)
            for k in range(round(0.04 / length)):
                one.step(length * k, length)
            ends.append(one.get("q"))
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-14)
    assert 1e-14 < abs(ends[2] - ends[0]).max() < 1e-2


def test_tunable_parameters() -> None:
    """In co-simulation between steps, in model exchange in Event Mode; the step is fixed."""
    with instance(rp()) as one:
        one.begin()
        before = one.get("qdd")
        one.set("gravity", [0.0, 0.0, 0.0])
        assert abs(one.get("qdd") - before).max() > 0.1
        assert "step cannot be set in this mode" in one.refused(one.set, "step", [1e-4])[1]
    with instance(rp(), "ModelExchange") as one:
        one.begin()
        one.set("gravity", [0.0, 0.0, 0.0])
        one.fmu.enterContinuousTimeMode()
        assert "gravity cannot be set" in one.refused(one.set, "gravity", [0.0, 0.0, 1.0])[1]
        one.set("tau", [1.0, 2.0])
        one.fmu.enterEventMode()
        one.set("gravity", [0.0, 0.0, 1.0])


def test_what_is_not_finite() -> None:
    with instance(rp()) as one:
        for name, value in (("q", [0.0, np.nan]), ("tau", [np.inf, 0.0]), ("gravity", [0.0, 0.0, np.nan])):
            before = one.get(name)
            status, said = one.refused(one.set, name, value)
            assert status == ERROR
            assert said.startswith(f"{name}: value ")
            assert said.endswith("expected a finite number")
            np.testing.assert_array_equal(one.get(name), before)
        assert one.refused(one.set, "step", [0.0]) == (ERROR, "step is 0; expected more than 0")
        one.begin(qd=[1e200, 1e200])
        status, said = one.refused(one.step, 0.0, 0.1)
        assert status == DISCARD
        assert "is no longer finite behind 0 s; the FMU stays there" in said
        np.testing.assert_array_equal(one.get("qd"), [1e200, 1e200])
        assert one.refused(one.get, "qdd")[0] == DISCARD
    with instance(rp(), "ModelExchange") as one:
        one.begin()
        one.fmu.enterContinuousTimeMode()
        bad = (ctypes.c_double * 4)(0.0, 0.0, np.nan, 0.0)
        status, said = one.refused(one.fmu.setContinuousStates, bad, 4)
        assert (status, said) == (DISCARD, "qd is nan; expected finite numbers")


def test_what_is_refused() -> None:
    with instance(rp()) as one:
        assert "fmi3DoStep is not allowed in the state Instantiated" in one.refused(one.step, 0.0, 0.1)[1]
        one.begin()
        cases = {
            "qdd cannot be set: it is calculated": (one.set, "qdd", [0.0, 0.0]),
            "q cannot be set in this mode": (one.set, "q", [0.0, 0.0]),
            "the currentCommunicationPoint is 0.5 s; the FMU is at 0 s": (one.step, 0.5, 0.1),
            "the communicationStepSize is -1 s": (one.step, 0.0, -1.0),
            "there is no variable with the value reference 99": (one.fmu.getFloat64, [99], 1),
            "fmi3SetFloat64: nValues is 1; tau has 2 values": (one.set, "tau", [0.0]),
            "fmi3SetFloat64: nValues is 3; tau has 2 values": (one.set, "tau", [0.0] * 3),
            "all variables are of the type Float64": (one.fmu.getInt32, [one.reference("q")]),
            "is not allowed in Step Mode": (one.fmu.enterInitializationMode,),
            "derivatives by qdd: it is calculated": (one.directional, "qdd", ["qdd"], [[1.0, 1.0]]),
            "derivatives: nValues is 1; tau has 2 values": (one.directional, "qdd", ["tau"], [[1.0]]),
            "has no derivatives of outputs by time": (one.fmu.getOutputDerivatives, [one.reference("q")], [1]),
            "there is no log category": (one.fmu.setDebugLogging, True, ["logAll"]),
        }
        for said, (call, *arguments) in cases.items():
            status, found = one.refused(call, *arguments)
            assert status == ERROR
            assert said in found
        one.fmu.terminate()
        assert "fmi3DoStep is not allowed in the state Terminated" in one.refused(one.step, 0.0, 0.1)[1]
    with instance(rp()) as one:
        one.fmu.enterInitializationMode(stopTime=0.1)
        one.fmu.exitInitializationMode()
        one.step(0.0, 0.1)
        assert "behind the stop time 0.1" in one.refused(one.step, 0.1, 0.1)[1]


def test_too_few_values_change_nothing() -> None:
    """An importer that counts an array as one value gets an error, and not numbers of other variables."""
    with instance(rp()) as one:
        one.begin()
        names = ["step", "q", "gravity"]  # 1, 2 and 3 numbers
        references = (ctypes.c_uint32 * 3)(*map(one.reference, names))
        for count in (0, 1, 3, 5, 7):
            values = (ctypes.c_double * 7)(*[-7.0] * 7)
            status = one.fmu.fmi3GetFloat64
            said = one.refused(status, one.fmu.component, references, 3, values, count)[1]
            assert said == f"fmi3GetFloat64: nValues is {count}; the 3 variables have 6 values"
            assert list(values) == [-7.0] * 7
        before = one.get("tau"), one.get("gravity")
        pair = (ctypes.c_uint32 * 2)(one.reference("tau"), one.reference("gravity"))
        said = one.refused(one.fmu.fmi3SetFloat64, one.fmu.component, pair, 2, (ctypes.c_double * 2)(1.0, 2.0), 2)[1]
        assert said == "fmi3SetFloat64: nValues is 2; the 2 variables have 5 values"
        np.testing.assert_array_equal([*one.get("tau"), *one.get("gravity")], np.concatenate(before))


def test_errors_are_logged_where_logging_is_off() -> None:
    """An error comes with its reason; a step that is discarded is in the log that asks for it."""
    one = Instance(rp(), "CoSimulation", logging=False)
    one.begin(qd=[1e200, 1e200])
    assert one.refused(one.set, "qdd", [0.0, 0.0])[1] == "qdd cannot be set: it is calculated"
    assert one.refused(one.step, 0.0, 0.1) == (DISCARD, "")
    one.fmu.setDebugLogging(False, ["logStatusError"])
    assert one.refused(one.step, 0.5, 0.1)[1] == "the currentCommunicationPoint is 0.5 s; the FMU is at 0 s"
    one.fmu.freeInstance()
    shutil.rmtree(one.folder)


def test_a_wrong_token_is_refused() -> None:
    one = Instance(rp(), "CoSimulation", guid="{00000000-0000-0000-0000-000000000000}")
    with pytest.raises(Exception, match="Failed to instantiate"):
        one.instantiate()
    assert "expected {" in one.logged[-1][1]
    one.fmu.freeLibrary()
    shutil.rmtree(one.folder)


@pytest.mark.slow
def test_without_derivatives() -> None:
    fmu = armdyn.load("rp").to_fmu(derivatives=False)
    assert "DirectionalDerivatives" not in fmu.description
    assert set(fmu.code.programs) == {"rates", "results"}
    with instance(written(fmu, "without")) as one:
        one.begin()
        said = one.refused(one.directional, "qdd", ["tau"], [[1.0, 0.0]])[1]
        assert said == "fmi3GetDirectionalDerivative: the FMU was made without derivatives"


def test_bad_input() -> None:
    robot = armdyn.load("rp")
    with pytest.raises(UnknownName, match="no optional input 'f_tips'"):
        robot.to_fmu(optional_inputs=["f_tips"])
    with pytest.raises(UnknownName, match="no parameter 'gravty'"):
        robot.to_fmu(parameters=["gravty"])
    with pytest.raises(UnknownName, match="no state, input or parameter 'qdd'"):
        robot.to_fmu(start={"qdd": [0, 0]})
    with pytest.raises(ShapeError, match="q has shape"):
        robot.to_fmu(start={"q": [0, 0, 0]})
    with pytest.raises(ShapeError, match="is nan"):
        robot.to_fmu(start={"q": [0, np.nan]})
    with pytest.raises(armdyn.ModelError, match="has no motors"):
        robot.to_fmu(command="voltage")
    with pytest.raises(armdyn.ArmdynError, match="command"):
        robot.to_fmu(command="current")
    with pytest.raises(armdyn.ArmdynError, match="step"):
        robot.to_fmu(step=-1.0)
    with pytest.raises(UnknownName, match="no platform 'linux-86'"):
        arm("rp")[1].write(FOLDER / "x", platforms=["linux-86"])
    with pytest.raises(CompilerError, match="cannot be run"):
        arm("rp")[1].write(FOLDER / "x", compiler="no-such-cc")
    pinned = armdyn.constraints.PointOnPlane(robot.tip, normal=(0, 1, 0), through=(0, 0, 0), name="floor")
    with pytest.raises(Unsupported, match="has constraints"):
        robot.with_constraints(pinned).to_fmu()


@pytest.mark.slow
def test_libraries_of_other_machines() -> None:
    """By their first bytes."""
    pytest.importorskip("ziglang")
    path = arm("rp")[1].write(FOLDER / "all", platforms=list(PLATFORMS))
    assert set(PLATFORMS) <= set(TARGETS)
    magic = {"so": b"\x7fELF", "dll": b"MZ", "dylib": b"\xcf\xfa\xed\xfe"}
    folder = Path(fmpy.extract(str(path)))
    for where in PLATFORMS.values():
        library = folder / "binaries" / where.format("rp")
        assert library.read_bytes().startswith(magic[where.rpartition(".")[2]])
    shutil.rmtree(folder)


@pytest.mark.slow
def test_two_fmus_in_one_program(tmp_path: Path) -> None:
    """Their sources, linked together under prefixes, have no name in common."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("there is no nm")
    found: set[str] = set()
    for name in ("rp", "planar_2r"):
        fmu, folder = armdyn.load(name).to_fmu(), tmp_path / name
        folder.mkdir()
        for file, text in fmu.sources.items():
            (folder / file).write_text(text)
        names = sorted(path.name for path in folder.glob("*.c"))
        command = [*COMPILERS[0].split(), "-c", f"-DFMI3_FUNCTION_PREFIX={name}_", *names]
        subprocess.run(command, cwd=folder, check=True)
        listed = subprocess.run(
            [nm, "-g", "--defined-only", *(path.name for path in folder.glob("*.o"))],
            cwd=folder, check=True, capture_output=True, text=True,
        )  # fmt: skip
        own = set(re.findall(r" [A-Z] (\w+)", listed.stdout))
        assert f"{name}_fmi3DoStep" in own
        assert not found & own
        found |= own


@pytest.mark.slow
def test_an_importer_compiles_the_sources(tmp_path: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("there is no cmake")
    build = pytest.importorskip("fmpy.build")
    folder = Path(fmpy.extract(str(rp()), str(tmp_path)))
    shutil.rmtree(folder / "binaries")
    (tmp_path / "build").mkdir()
    build.build_platform_binary(folder, build_dir=tmp_path / "build", all_warnings=True)
    here, there = (fmpy.simulate_fmu(str(path), stop_time=0.1, output_interval=0.05) for path in (rp(), folder))
    np.testing.assert_allclose(here["q"], there["q"], rtol=0, atol=1e-13)
