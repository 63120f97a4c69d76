"""C99 of programs, compiled with warnings as errors and called, beside the interpreter."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor
from armdyn.base.errors import MissingLibrary, ShapeError, UnknownName, Unsupported
from armdyn.program import Port, Program, interpret, trace
from armdyn.program.merging import merged
from armdyn.targets.c import CCode, CFunction, c_code
from armdyn.targets.c.building import STRICT, CompilerError
from armdyn.targets.c.vectors import vectors
from constraints.linkages import four_bar
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single, single_operations

ZIG = [sys.executable, "-m", "ziglang", "cc"]
COMPILERS = [[name] for name in ("gcc", "clang") if shutil.which(name)] or [ZIG]


def library(
    code: CCode, folder: Path, *, compiler: list[str] | None = None, flags: tuple[str, ...] = ("-O1",)
) -> ctypes.CDLL:
    """A shared library of the source alone."""
    code.write(folder)
    command = [*(compiler or COMPILERS[0]), *STRICT, *flags, "-shared", "-fPIC", f"{code.name}.c", "-o", "module.so"]
    subprocess.run([*command, *(["-lm"] if code.library_functions else [])], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "module.so"))


def called(function: CFunction, module: ctypes.CDLL, arrays: list[np.ndarray], dtype: type) -> list[np.ndarray]:
    """The results for states along the first axis."""
    number = ctypes.c_double if dtype is np.float64 else ctypes.c_float
    states = len(arrays[0]) if arrays else 1
    results = [np.zeros((states, *port.shape), dtype) for port in function.program.outputs]
    given = [np.ascontiguousarray(a, dtype) for a in arrays]
    for k in range(states):
        inputs = [
            a[k].ctypes.data_as(ctypes.c_void_p) if port.shape else number(a[k])
            for a, port in zip(given, function.program.inputs, strict=True)
        ]
        outputs = [r[k : k + 1].ctypes.data_as(ctypes.c_void_p) for r in results]
        module[function.function](*inputs, *outputs)
    return results


def functions_of(programs: list[Program]) -> list[CFunction]:
    return [CFunction.of(f"f{k}", program) for k, program in enumerate(programs)]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str, tmp_path: Path) -> None:
    functions = functions_of([program for _, program in public_programs(robot)])
    module = library(c_code(functions, "all"), tmp_path)
    for function in functions:
        arrays = arguments(function.program)
        assert_same(called(function, module, arrays, np.float64), function.program, arrays)


@pytest.mark.slow
def test_every_public_function_in_float(tmp_path: Path) -> None:
    functions = functions_of([program for _, program in public_programs("rp")])
    code = c_code(functions, "every", scalar="float", sincos="inline")
    code.write(tmp_path)
    command = [*COMPILERS[-1], *STRICT, "-O1", "every.c", "every_selftest.c", "-o", "selftest"]
    subprocess.run([*command, *(["-lm"] if code.library_functions else [])], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "selftest"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(": ok") == len(functions)


@pytest.mark.parametrize("sincos", ["libm", "inline"])
def test_every_operation(sincos: str, tmp_path: Path) -> None:
    functions = functions_of(list(single_operations()))
    module = library(c_code(functions, "operations", sincos=sincos), tmp_path)
    for function in functions:
        arrays = arguments(function.program)
        assert_same(called(function, module, arrays, np.float64), function.program, arrays)
        special = np.array([0.0, -0.0, 1.0, -1.5, 0.5, np.nan, np.inf, -np.inf, 1e300])
        size = function.program.inputs[0].size
        grid = np.stack(np.meshgrid(*[special] * size, indexing="ij"), axis=-1).reshape(-1, size)
        (found,), (expected,) = called(function, module, [grid], np.float64), interpret(function.program, grid)
        np.testing.assert_allclose(found, expected, rtol=1e-15, err_msg=function.program.name)
        if function.program.name not in ("min", "max"):  # of 0.0 and -0.0 NumPy takes one or the other
            np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[found == 0]))


def evaluated(code: CCode, folder: Path, angles: np.ndarray, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of angles, in C."""
    module = library(code, folder)
    found = called(code.functions[0], module, [angles], dtype)
    return found[0], found[1]


@pytest.mark.short_run("float-float32")
@pytest.mark.parametrize(("scalar", "dtype"), [("double", np.float64), ("float", np.float32)])
def test_own_sine_and_cosine(scalar: str, dtype: type, tmp_path: Path) -> None:
    """Within one unit in the last place for all angles: ordinary ones, next to multiples of pi/2, and huge ones."""
    rng = np.random.default_rng(1)
    top = 1e308 if dtype is np.float64 else 1e38
    multiples = (np.arange(-200, 200) * (np.pi / 2)).astype(dtype)
    huge = rng.uniform(-1, 1, 300) * 10.0 ** rng.uniform(3, np.log10(top), 300)
    worst = [6381956970095103.0 * 2.0**797, 5.319372648326541e255]  # closest to a multiple of pi/2 in float64
    angles = [
        rng.uniform(-10, 10, 300),
        multiples,
        np.nextafter(multiples, dtype(0)),
        huge,
        [0.0, 1e-300, 2.0**30, 4096],
    ]
    x = np.concatenate([*angles, worst if dtype is np.float64 else []]).astype(dtype)
    both = trace(lambda x: (np.sin(x), np.cos(x)), [Port("x", ())])
    sine, cosine = evaluated(both.to_c(name="both", scalar=scalar, sincos="inline"), tmp_path, x, dtype)
    with mpmath.workdps(400):
        exact = [[mpmath.sin(mpmath.mpf(float(v))), mpmath.cos(mpmath.mpf(float(v)))] for v in x]
        for found, k in ((sine, 0), (cosine, 1)):
            for f, e in zip(found, exact, strict=True):
                unit = float(np.spacing(dtype(abs(float(e[k])))))
                assert abs(mpmath.mpf(float(f)) - e[k]) <= 1.0 * unit
    odd = np.array([np.nan, np.inf, -np.inf], dtype)
    code = both.to_c(name="odd", scalar=scalar, sincos="inline")
    assert all(np.isnan(result).all() for result in evaluated(code, tmp_path / "odd", odd, dtype))


def test_without_a_library(tmp_path: Path) -> None:
    code = armdyn.load("ur5").inverse_dynamics.to_c(name="arm", sincos="inline")
    assert code.library_functions == ()
    assert "math.h" not in code.source
    assert "need not be linked" in code.header
    assert "target_link_libraries(arm PUBLIC m)" not in code.cmake
    assert code.build(tmp_path, compiler=COMPILERS[0]).library.is_file()  # -lm is not among the flags


def test_sines_of_the_user(tmp_path: Path) -> None:
    code = armdyn.load("ur5").gravity_forces.to_c(name="arm", sincos=("table_sin", "table_cos"))
    code.write(tmp_path)
    table = '#include <math.h>\n#include "arm.h"\ndouble table_sin(double x) { return sin(x); }\n'
    (tmp_path / "table.c").write_text(table + "double table_cos(double x) { return cos(x); }\n")
    command = [*COMPILERS[0], *STRICT, "arm.c", "arm_selftest.c", "table.c", "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "selftest"], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_the_selftest_finds_a_wrong_constant(tmp_path: Path) -> None:
    code = armdyn.load("ur5").gravity_forces.to_c(name="arm")
    code.write(tmp_path)
    source = (tmp_path / "arm.c").read_text()
    constant = max(re.findall(r"\d+\.\d{6,}", source), key=len)
    (tmp_path / "arm.c").write_text(source.replace(constant, repr(float(constant) * (1 + 1e-9)), 1))
    subprocess.run([*COMPILERS[0], "arm.c", "arm_selftest.c", "-lm", "-o", "selftest"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "selftest"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "DIFFERS" in done.stdout


def test_results_may_be_the_arrays_of_inputs(tmp_path: Path) -> None:
    program = trace(lambda a, b: (a + b, a[::-1] * b), [Port("a", (3,)), Port("b", (3,))], ["a", "b"])
    code = program.to_c(name="swap")
    module = library(code, tmp_path)
    a, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    expected = interpret(program, a, b)
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, a, b)]
    module.swap(*pointers)
    np.testing.assert_array_equal([a, b], expected)
    assert "double a_out[3], double b_out[3]" in code.header


def test_a_closed_loop_steps_in_c(tmp_path: Path) -> None:
    """A hundred steps of a robot and its controller, the integral in the struct, as the compiled loop makes them."""
    robot = armdyn.load("planar_2r")
    loop = armdyn.ClosedLoop(robot, armdyn.control.pid)
    gains = {"q_ref": [0.5, -0.3], "qd_ref": [0.0, 0.0], "Kp": [80.0, 60.0], "Ki": [20.0, 10.0], "Kd": [9.0, 7.0]}
    expected = loop([0.1, 0.2], steps=100, **{name: np.array(value) for name, value in gains.items()}).final
    code = loop.to_c(name="arm")
    module = library(code, tmp_path)
    (function,) = code.functions
    assert function.symbols == ("arm_init", "arm_step")
    for said in (
        "state->q [2]",
        "joint positions, rad or m",
        "proportional gain, N m/rad or N/m",
        "the sample time",
    ):
        assert said in code.header
    assert [port.name for port in function.state] == ["q", "qd", "integral"]
    state = (ctypes.c_double * 6)(*[7.0] * 6)
    module.arm_init(state)
    assert list(state) == [0.0] * 6
    state[0:2] = [0.1, 0.2]
    tau = np.zeros(2)
    inputs = [
        ctypes.c_double(1e-3) if p.name == "h" else (ctypes.c_double * 2)(*gains[p.name]) for p in function.inputs
    ]
    for _ in range(100):
        module.arm_step(state, *inputs, tau.ctypes.data_as(ctypes.c_void_p))
    np.testing.assert_allclose(list(state), np.concatenate(expected), rtol=1e-11, atol=1e-13)


def test_a_controller_keeps_its_state(tmp_path: Path) -> None:
    pid = armdyn.load("planar_2r").compile(armdyn.control.pid)
    code = pid.to_c(name="pid", state=["integral"], scalar="float")
    assert "float integral[2];\n} pid_state;" in code.header
    code.write(tmp_path)
    command = [*COMPILERS[0], *STRICT, "pid.c", "pid_selftest.c", "-o", "selftest"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "selftest"], check=False, stdout=subprocess.DEVNULL).returncode == 0
    with pytest.raises(UnknownName, match="no result 'q' in pid"):
        pid.to_c(state=["q"])


def test_what_overflows_in_float_alone_is_expected_to(tmp_path: Path) -> None:
    """The selftest has steps below zero too, at which the current of an inductance grows beyond float."""
    motor = Motor(1e-4, torque_constant=0.05, resistance=1.0, inductance=1e-3)
    arm = armdyn.load("rp").with_actuators({"joint_1": Actuator(motor, Gear(50.0))})
    loop = armdyn.ClosedLoop(arm, armdyn.control.through_motors(armdyn.control.pd_gravity))
    for scalar in ("float", "double"):
        loop.rollout.program().to_c(name="twin", scalar=scalar).write(tmp_path / scalar)
        command = [*COMPILERS[0], *STRICT, "twin.c", "twin_selftest.c", "-lm", "-o", "selftest"]
        subprocess.run(command, cwd=tmp_path / scalar, check=True)
        done = subprocess.run([tmp_path / scalar / "selftest"], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    assert "NAN" in (tmp_path / "float" / "twin_selftest.c").read_text()


@pytest.mark.short_run("float")  # of larger rounding
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_the_selftest_of_a_loop_has_states_of_its_motions(scalar: str, tmp_path: Path) -> None:
    """On the constraints, by the loop's own step: off them, or with steps of a second, friction decides by rounding."""
    bars = four_bar()
    dry = bars.with_actuators({name: Actuator(friction=Coulomb(2.0)) for name in bars.joint_names})
    loop = armdyn.ClosedLoop(dry, method=armdyn.simulation.RungeKutta4(step=1e-3))
    code = loop.to_c(name="twin", scalar=scalar)
    (function,) = code.functions
    found = vectors(function.program, code.dialect.dtype, arguments=function.states())
    at = np.cumsum([0, *(port.size for port in function.program.inputs)])
    given = {p.name: found.inputs[:, a : a + p.size] for p, a in zip(function.program.inputs, at, strict=False)}
    rounding = np.finfo(code.dialect.dtype).eps
    assert abs(bars.constraint_error(given["q"])).max() < max(4.0 * rounding, 1e-9)
    assert abs(bars.constraint_jacobian(given["q"]) @ given["qd"][..., None]).max() < max(10.0 * rounding, 1e-9)
    np.testing.assert_array_equal(given["h"], np.full((4, 1), 1e-3, code.dialect.dtype))
    assert max(found.tolerances) < 1e4 * rounding
    code.write(tmp_path)
    command = [*COMPILERS[0], *STRICT, "twin.c", "twin_selftest.c", "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "selftest"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_states_at_which_rounding_decides_are_left_out() -> None:
    """Beside a step of the function, and where float32 has results of another size; if that is everywhere, an error."""
    step = trace(lambda x: armdyn.sign(x - 0.6326) * x, [Port("x", ())])  # a number of the first state
    numbers = vectors(step, np.dtype(np.float64))
    assert 0.6326 not in numbers.inputs
    assert numbers.inputs.shape == (4, 1)
    assert max(numbers.tolerances) < 1e-13
    large = trace(lambda x: 1.0 / (x - 0.5 + 1e-9), [Port("x", ())])
    near = vectors(large, np.dtype(np.float64), arguments={"x": [0.5, 0.25, 0.75]})
    assert 0.5 not in near.inputs
    wild = trace(lambda x: np.sin(2.0**43 * x), [Port("x", ())], name="wild")
    with pytest.raises(Unsupported, match="wild: rounding decides its results at each of 32 states"):
        _ = wild.to_c().selftest


def test_functions_that_share_work(tmp_path: Path) -> None:
    robot = armdyn.load("scara")
    names = ["inverse_dynamics", "mass_matrix", "bias_forces"]
    apart, together = robot.to_c(names), robot.to_c(names, shared=True, name="all")
    assert [f.name for f in apart.functions] == [f"scara_{name}" for name in names]
    (function,) = together.functions
    separate = sum(f.program.op_counts.arithmetic for f in apart.functions)
    assert function.program.op_counts.arithmetic < separate
    module = library(together, tmp_path)
    arrays = arguments(function.program)
    found = called(function, module, arrays, np.float64)
    by_name = dict(zip((p.name for p in function.program.inputs), arrays, strict=True))
    q, qd, qdd = (by_name[name] for name in ("q", "qd", "qdd"))
    expected = [robot.inverse_dynamics(q, qd, qdd), robot.mass_matrix(q), robot.bias_forces(q, qd)]
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=1e-12, atol=1e-12)


def test_the_header_says_what_arrays_mean() -> None:
    robot = armdyn.load("ur5")
    header = robot.to_c(["inverse_dynamics"], optional_inputs=["f_ext"]).header
    counts = robot.inverse_dynamics.program(optional_inputs=["f_ext"]).op_counts
    for text in ("joint velocities, rad/s or m/s", "shoulder_pan_joint (rad)", f"{counts} operations", "forearm_link"):
        assert text in header.replace("\n *", "").replace("             ", " ")
    assert "It calls" not in header


def test_the_header_is_c_plus_plus(tmp_path: Path) -> None:
    robot = armdyn.load("planar_2r")
    robot.to_c(["inverse_dynamics"], name="arm").write(tmp_path)
    (tmp_path / "user.cpp").write_text('#include "arm.h"\nint main() { return 0; }\n')
    compiler = shutil.which("g++") or shutil.which("clang++")
    command = [compiler] if compiler else [sys.executable, "-m", "ziglang", "c++"]
    subprocess.run([*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "user.cpp"], cwd=tmp_path, check=True)


def test_programs_without_inputs_results_or_finite_numbers(tmp_path: Path) -> None:
    programs = [
        trace(lambda: np.array([1.0, 2.0]), []),
        trace(lambda x: np.empty((0, 3)), [Port("x", (2,))]),
        trace(lambda x: np.array([np.inf, -np.inf, x[0]]), [Port("x", (2,))]),
    ]
    c_code(functions_of(programs), "odd").write(tmp_path)
    for compiler in COMPILERS:
        subprocess.run([*compiler, *STRICT, "odd.c", "odd_selftest.c", "-o", "selftest"], cwd=tmp_path, check=True)
        assert subprocess.run([tmp_path / "selftest"], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_runs_of_one_number_are_loops(tmp_path: Path) -> None:
    """Zeros of block matrices, next to other results, in an array that is an input too."""

    def blocks(k: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, ...]:
        first, second = np.zeros((9, 9), object), np.full((40,), 2.5, object)
        first[2:4, 3:5], first[8, 8], second[17] = k, s, s
        return first, s, 0.0 * s, second

    program = trace(blocks, [Port("k", (2, 2)), Port("s", ())], ["k", "same", "nothing", "second"], name="blocks")
    code = program.to_c()
    assert code.source.count("for (int k_ = ") == 4
    arrays = arguments(program)
    assert_same(called(code.functions[0], library(code, tmp_path), arrays, np.float64), program, arrays)
    assert "for" not in program.to_cuda().source.partition("result_0_[0]")[2]  # such arrays would not be in registers


@pytest.mark.parametrize(
    "name", ["test", "math", "m", "linux", "state", "given", "percent", "result_0", "worst", "main"]
)
def test_names_that_others_have(name: str, tmp_path: Path) -> None:
    """Of a module and its function and arrays: of headers, macros, CMake's targets, and of what the self-test uses."""
    program = trace(lambda a, b: (np.sin(a) * b, b), [Port("NULL", (2,)), Port(name, ())], [name, "BUFSIZ"], name=name)
    code = program.to_c()
    code.write(tmp_path)
    command = [*COMPILERS[0], *STRICT, "-I.", f"{code.name}.c", f"{code.name}_selftest.c", "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "selftest"], check=False, stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
@pytest.mark.parametrize("name", ["test", "m"])
def test_cmake_takes_the_name(name: str, tmp_path: Path) -> None:
    armdyn.load("planar_2r").mass_matrix.to_c(name=name).write(tmp_path / "source of all")
    for words in ("cmake -S source@of@all -B build", "cmake --build build", "cmake --build build --target test"):
        command = [word.replace("@", " ") for word in words.split()]
        subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


def test_comments_hold_no_comments(tmp_path: Path) -> None:
    program = trace(lambda a: 2.0 * a, [Port("a */ b", ())], ["/*\nc"], name="/*/ d //*")
    library(program.to_c(), tmp_path)  # with warnings as errors


def test_names() -> None:
    program = trace(lambda a, b: (a * b, a), [Port("double", ()), Port("sin", (2,))], ["t0", "out"])
    code = program.to_c(name="exp")
    assert "void exp_(double double_, const double sin_[2], double t0[2], double *out);" in code.header
    assert "const double sin_0 = sin_[0];" in code.source
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in C; rename one of them"):
        same.to_c()
    one = CFunction.of("f", single("sin"))
    with pytest.raises(Unsupported, match="f: two functions of the file have this name"):
        c_code([one, one], "file")
    with pytest.raises(Unsupported, match="scalar='half': expected 'double' or 'float'"):
        program.to_c(scalar="half")
    with pytest.raises(Unsupported, match="sincos='table': expected 'libm', 'inline'"):
        program.to_c(sincos="table")
    with pytest.raises(UnknownName, match=r"no function 'inverse_dynamic' .* Did you mean 'inverse_dynamics'"):
        armdyn.load("ur5").to_c(["inverse_dynamic"])
    with pytest.raises(UnknownName, match=r"no optional array 'f_tp' in inverse_dynamics .* Did you mean 'f_tip'"):
        armdyn.load("ur5").to_c(["inverse_dynamics"], optional_inputs=["f_tp"])
    with pytest.raises(ShapeError, match=r"'x' has shape \(3,\) in b, and \(2,\) in another function"):
        merged([trace(lambda x: x, [Port("x", (n,))], name=m) for n, m in ((2, "a"), (3, "b"))], "both")


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.targets.c.export.LARGEST", 100)
    with pytest.raises(
        Unsupported, match=r"inverse_dynamics has \d+ operations, and \d+ are the most: compilers take minutes"
    ):
        armdyn.load("ur5").inverse_dynamics.to_c()


def test_compilers(tmp_path: Path) -> None:
    code = armdyn.load("planar_2r").gravity_forces.to_c(name="arm")
    with pytest.raises(UnknownName, match=r"no target 'amiga' .*Known: linux-x86_64"):
        code.build(tmp_path, target="amiga")
    with pytest.raises(CompilerError, match="the compiler 'no-such-cc' cannot be run"):
        code.build(tmp_path, compiler="no-such-cc")
    with pytest.raises(CompilerError, match="failed in"):
        code.build(tmp_path, compiler=[*COMPILERS[0], "-Ddouble=nothing"])


def test_without_ziglang(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", None)
    code = armdyn.load("planar_2r").gravity_forces.to_c(name="arm")
    with pytest.raises(MissingLibrary, match=r"build\(target='macos-aarch64'\) needs .*pip install ziglang"):
        code.build(tmp_path, target="macos-aarch64")


MAGIC = {
    "linux-aarch64": (b"\x7fELF", 18, b"\xb7\x00"),
    "macos-aarch64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
    "windows-x86_64": (b"MZ", 0, b"MZ"),
}
"""First bytes of a library, and where its processor stands."""


@pytest.mark.slow
@pytest.mark.parametrize("target", MAGIC)
def test_libraries_for_other_machines(target: str, tmp_path: Path) -> None:
    code = armdyn.load("ur5").inverse_dynamics.to_c(name="arm", sincos="inline")
    content = code.build(tmp_path, target=target).library.read_bytes()
    start, place, machine = MAGIC[target]
    assert content.startswith(start)
    assert content[place : place + len(machine)] == machine
    assert b"inverse_dynamics" in content or b"arm" in content


@pytest.mark.slow
def test_ziglang_compiles_strictly(tmp_path: Path) -> None:
    code = armdyn.load("ur5").to_c(
        ["inverse_dynamics", "forward_dynamics"], name="arm", scalar="float", sincos="inline"
    )
    assert code.build(tmp_path, compiler=ZIG).library.is_file()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cmake"), reason="no cmake")
def test_cmake(tmp_path: Path) -> None:
    armdyn.load("planar_2r").to_c(["inverse_dynamics"], name="arm").write(tmp_path)
    for command in (["cmake", "-B", "build"], ["cmake", "--build", "build"], ["ctest", "--test-dir", "build"]):
        subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


def test_optional_arrays_and_options_of_a_compiled_function() -> None:
    robot = armdyn.load("ur5")
    assert "const double f_tip[6]" in robot.inverse_dynamics.to_c(optional_inputs="f_tip").header
    (function,) = robot.jacobian.to_c(expressed_in="body", scalar="float").functions
    assert function.program.digest == robot.jacobian.program(expressed_in="body").digest
    with pytest.raises(UnknownName, match=r"no array 'f_tp' in inverse_dynamics .* Did you mean 'f_tip'\?"):
        robot.inverse_dynamics.program(optional_inputs=["f_tp"])
    with pytest.raises(TypeError, match="speed"):
        robot.inverse_dynamics.to_c(speed=3)


def test_one_function_or_none() -> None:
    robot = armdyn.load("ur5")
    assert robot.to_c(armdyn.algorithms.mass_matrix).source == robot.to_c(["mass_matrix"]).source
    with pytest.raises(Unsupported, match="no function is named"):
        robot.to_c([])
    with pytest.raises(TypeError, match=r"functions=5: expected names of methods of 'ur5'"):
        robot.to_c(5)
    with pytest.raises(TypeError, match="the name 5 is not text"):
        robot.mass_matrix.to_c(name=5)


@pytest.mark.parametrize("names", [("double", "b"), ("f", "f"), ("größe", "b"), ("a-b", "c"), ("out", "table_cos")])
def test_sines_that_are_no_functions_of_ones_own(names: tuple[str, str]) -> None:
    with pytest.raises(Unsupported, match="sincos="):
        armdyn.load("ur5").mass_matrix.to_c(sincos=names)
