"""Kernels for GPUs beside the interpreter, run on this processor; NVIDIA's compilers where they are installed."""

import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, MissingLibrary, Unsupported
from armdyn.base.exact import Exact
from armdyn.program import Port, Program, Rollout, interpret, trace
from armdyn.program.operations import OPERATIONS
from armdyn.targets.cuda.ptx import ARCHITECTURES, newest_for
from armdyn.targets.cuda.ptxas import AssemblerError, report
from targets.cuda_on_cpu import run
from targets.exported import ROBOTS, arguments, assert_same, odd_shapes, public_programs, single, single_operations

RNG = np.random.default_rng(41)
SPECIAL = np.array([0.0, 1.0, 2.0, 0.5, 3.0, 1.5, np.inf, np.nan, 1e300, 5e-324, 1e-310, 2.5])
needs_ptxas = pytest.mark.skipif(shutil.which("ptxas") is None, reason="NVIDIA's assembler ptxas is not installed")


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str) -> None:
    for number, (_, program) in enumerate(public_programs(robot)):
        arrays = arguments(program)
        assert_same(run(program, arrays, layout=("strided", "rows")[number % 2]), program, arrays)


@pytest.mark.short_run("float64-rows")
@pytest.mark.parametrize("layout", ["strided", "rows"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_operations_and_shapes(dtype: str, layout: str) -> None:
    for program in [*single_operations(), odd_shapes(), armdyn.load("ur5").inverse_dynamics.program()]:
        arrays = arguments(program)
        found = run(program, arrays, dtype=dtype, layout=layout)
        assert_same(found, program, arrays, 1e-14 if dtype == "float64" else 3e-6)


def wide(size: int) -> Program:
    """Results of so many numbers and of few, an input that is a large result, and a sine."""
    large = np.arange(1.0, size + 1)
    return trace(
        lambda x, M: (np.sin(x[0]) * large - x[1], x * 2.0, M, large[:40] * x[2]),
        [Port("x", (3,)), Port("M", (5, 8))],
        ["large", "small", "same", "middle"],
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [41, 46, 47, 98, 144])
def test_packed(size: int, dtype: str) -> None:
    """Results that go through shared memory, in one part and in several, and others beside them."""
    program = wide(size)
    for states in (1, 7, 77):
        given = [RNG.normal(size=(states, *port.shape)) for port in program.inputs]
        found = run(program, given, dtype=dtype, layout="packed")
        assert_same(found, program, given, 1e-14 if dtype == "float64" else 3e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_special_values(name: str, dtype: str) -> None:
    """Zeros, infinities, NaN, numbers too small and too large, in all pairs.

    Zeros have their signs but where NumPy itself chooses, and but for sin(-0), which is +0 as on processors.
    """
    values = np.concatenate([SPECIAL, -SPECIAL])
    pairs = [a.ravel() for a in np.meshgrid(values, values)]
    with np.errstate(all="ignore"):
        given = np.stack([*pairs, pairs[1][::-1]][: OPERATIONS[name].arity], -1).astype(dtype)
        (found,) = run(single(name), [given], dtype=dtype)
        expected = OPERATIONS[name].evaluate(*given.T)
        np.testing.assert_allclose(found, expected, rtol=3e-15 if dtype == "float64" else 1e-6)
    number = ~np.isnan(expected) & ((expected != 0) | (name not in ("sin", "tan", "min", "max")))
    np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_any_size(name: str, dtype: str) -> None:
    """Beside fifty digits; 6381956970095103 2^797 is the float64 that lies nearest to a multiple of pi/2."""
    largest = 300 if dtype == "float64" else 37
    nearest = [6381956970095103 * 2.0**797, 2.0**30, 1.7e308] if dtype == "float64" else [2.0**17, 131072.5, 3e38]
    x = np.concatenate([RNG.uniform(-1, 1, 60) * 10.0 ** RNG.uniform(0, largest, 60), nearest]).astype(dtype)
    (found,) = run(single(name), [x[:, None]], dtype=dtype)
    expected = np.array([float(_of_large(name, float(v))) for v in x])
    np.testing.assert_allclose(found, expected, rtol=8e-16 if dtype == "float64" else 2.5e-7)


def _of_large(name: str, x: float) -> float:
    import mpmath

    with mpmath.workprec(1400):
        return float(getattr(mpmath, name)(mpmath.mpf(x)))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("asin", -1, 1), ("acos", -1, 1), ("atan", -30, 30), ("log", 1e-3, 30), ("exp", -30, 30), ("tanh", -3, 3)],
)
def test_mathematics(name: str, low: float, high: float) -> None:
    """Beside the same function in fifty digits."""
    x = RNG.uniform(low, high, 200)
    (found,) = run(single(name), [x[:, None]])
    assert OPERATIONS[name].exact is not None
    expected = [float(OPERATIONS[name].exact(Exact(v))) for v in x]
    np.testing.assert_allclose(found, expected, rtol=8e-16)


def test_powers() -> None:
    a, b = 10.0 ** RNG.uniform(-300, 300, 300), RNG.uniform(-1, 1, 300)
    (found,) = run(single("pow"), [np.stack([a, b], -1)])
    np.testing.assert_allclose(found, [float(Exact(x) ** Exact(y)) for x, y in zip(a, b, strict=True)], rtol=3e-15)


def damped(*, fixed: bool = False) -> Rollout:
    """Steps of a pendulum with a torque over time and a held damping; results that are inputs; some rows."""

    def step(x, v, u, damping):  # type: ignore[no-untyped-def]
        rate = u - damping * v - np.sin(x)
        return v if fixed else x + 0.1 * v, v + 0.1 * rate, x @ x

    ports = [Port("x", (2,)), Port("v", (2,)), Port("u", (2,)), Port("damping", ())]
    program = trace(step, ports, ["x_next", "v_next", "size"], name="pendulum")
    return Rollout(program, [("x_next", "x"), ("v_next", "v")], ["u"], ["size", "x"])


def expected_rollout(rollout: Rollout, x: np.ndarray, v: np.ndarray, u: np.ndarray, d: np.ndarray, every: int) -> list:
    sizes, xs = [], []
    for k in range(u.shape[1]):
        next_x, next_v, size = interpret(rollout.step, x, v, u[:, k], d)
        if k % every == 0:
            sizes.append(size)
            xs.append(x)
        x, v = next_x, next_v
    rows = [np.stack(r, 1) if r else np.empty((len(x), 0)) for r in (sizes, xs)]
    return [x, v, rows[0], rows[1]]


@pytest.mark.parametrize("layout", ["strided", "rows"])
@pytest.mark.parametrize(("steps", "every"), [(7, 3), (1, 1), (0, 1)])
@pytest.mark.parametrize("fixed", [False, True])
def test_rollouts(fixed: bool, steps: int, every: int, layout: str) -> None:
    rollout = damped(fixed=fixed)
    x, v, u, d = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 2)), RNG.normal(size=(5, steps, 2)), RNG.uniform(size=5)
    found = run(rollout, [x, v, u, d], layout=layout, steps=steps, every=every)
    for result, one in zip(found, expected_rollout(rollout, x, v, u, d, every), strict=True):
        np.testing.assert_allclose(result.reshape(one.shape) if one.size else one, one, rtol=1e-13, atol=1e-14)


class Next(NamedTuple):
    """A state of an arm."""

    q: Any
    qd: Any


@armdyn.function("(n),(n),(n)->(n),(n)", result=Next)
def fall(model, q, qd, tau):  # type: ignore[no-untyped-def]
    """One step of an arm."""
    qd = qd + 1e-3 * armdyn.algorithms.forward_dynamics(model, q, qd, tau)
    return Next(q + 1e-3 * qd, qd)


def test_rollout_of_an_arm() -> None:
    """Beside the same rollout compiled for processors."""
    falls = armdyn.functions.CompiledRollout(armdyn.load("ur5"), fall, over_time=["tau"], record=["q"])
    q, qd, tau = RNG.uniform(-1, 1, (5, 6)), RNG.uniform(-1, 1, (5, 6)), RNG.uniform(-1, 1, (5, 20, 6))
    found = run(falls.to_cuda().program, [q, qd, tau], steps=20, every=4)
    expected = falls(q, qd, tau.transpose(1, 0, 2), steps=20, every=4)
    np.testing.assert_allclose(found[0], expected.final.q, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found[1], expected.final.qd, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[2].transpose(1, 0, 2), expected.rows.q, rtol=1e-12, atol=1e-13)


def drives() -> dict[str, Any]:
    """Friction that holds, that depends on the load, that has a state, and what lies behind a spring."""
    from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, Motor, MotorLimits, Spring, Viscous
    from armdyn.actuators.published import servo

    motor = Motor(1e-5, torque_constant=0.1, resistance=1.0, limits=MotorLimits(voltage=48.0, current=20.0))
    bristles = LuGre(1e4, 100.0, 0.4, static=1.5, kinetic=1.0, speed=0.1)
    return {
        "motors": Actuator(motor, Gear(100.0), friction=(Viscous(0.4), Coulomb(2.0))),
        "gears": Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8)),
        **{law: servo("MX-106", law) for law in ("M1", "M2", "M3", "M4", "M5", "M6")},
        "bristles": Actuator(Motor(1e-5), Gear(100.0), friction=bristles),
        "springs": Actuator(Motor(2e-5), Gear(100.0), Coulomb(6.0), spring=Spring(9000.0, damping=3.0)),
    }


def actuated_loop(name: str, method: str) -> Any:
    """A closed loop of two joints with such drives."""
    arm = armdyn.load("planar_2r")
    law = armdyn.control.motor_pd_gravity if name == "springs" else armdyn.control.pd_gravity
    if name == "motors":
        law = armdyn.control.through_motors(law)
    robot = arm.with_actuators(dict.fromkeys(arm.joint_names, drives()[name]))
    return armdyn.ClosedLoop(robot, law, method=getattr(armdyn.simulation, method)(step=1e-3), record=())


@pytest.mark.short_run("RungeKutta4-motors-float32", "RungeKutta4-M4-float64", "RungeKutta4-springs-float64")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", drives())
@pytest.mark.parametrize("method", ["SemiImplicitEuler", "Heun", "RungeKutta4"])
def test_closed_loops_of_actuated_arms(method: str, name: str, dtype: str) -> None:
    """Beside the same loops compiled for processors, of arms that start, stop and turn round."""
    loop, rng = actuated_loop(name, method), np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (40, 2)), rng.uniform(-0.1, 0.1, (40, 2)) * (np.arange(40) % 2)[:, None]
    state = {"q": q, "qd": qd} | ({"theta": q, "thetad": qd} if "theta" in loop.state else {})
    state = {k: v.astype(dtype).astype(float) for k, v in state.items()}
    gains = {"q_ref": 0.3, "qd_ref": 0.0, "Kp": 50.0, "Kd": 10.0}
    inputs = {k: np.full(2, v) for k, v in gains.items() if k in loop.inputs} | {"h": np.array(1e-3)}
    source = loop.program()
    given = [state.get(p.name, inputs.get(p.name, np.zeros(p.shape))) for p in source.inputs]
    given = [np.broadcast_to(a, (40, *p.shape)) for a, p in zip(given, source.inputs, strict=True)]
    found = run(source, given, dtype=dtype, steps=30)
    expected = loop(state.pop("q"), state.pop("qd"), steps=30, **state, **inputs).final
    rtol = 1e-11 if dtype == "float64" else 1e-4
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=rtol * max(1.0, np.abs(other).max()))


def test_stops_with_friction_in_float32() -> None:
    """Joints that stops and friction hold are at rest exactly: rounding in float32 once counted as motion."""
    arm, rng = armdyn.load("planar_2r"), np.random.default_rng(0)
    arm = arm.with_limits({"joint_1": (-0.7, 3.0), "joint_2": (-2.0, 0.6)})
    arm = arm.with_friction(dict.fromkeys(arm.joint_names, (0.1, 1.0)))
    method, stops = armdyn.simulation.SemiImplicitEuler(step=1e-3), armdyn.simulation.Stops(0.3)
    loop = armdyn.ClosedLoop(arm, armdyn.control.pd_gravity, method=method, elements=[stops], record=())
    q, qd = rng.uniform(-0.5, 0.5, (40, 2)).astype(np.float32), np.zeros((40, 2))
    inputs = {"q_ref": np.array([-1.2, 1.2]), "qd_ref": np.zeros(2), "Kp": np.full(2, 50.0), "Kd": np.full(2, 2.0)}
    source, values = loop.program(), {"q": q, "qd": qd, "h": np.array(1e-3)} | inputs
    given = [np.broadcast_to(values[port.name], (40, *port.shape)) for port in source.inputs]
    found = run(source, given, dtype="float32", steps=300)
    expected = loop(q, qd, steps=300, **inputs).final
    assert (expected.qd == 0.0).any(axis=0).all()
    np.testing.assert_array_equal(found[1] == 0.0, expected.qd == 0.0)
    np.testing.assert_allclose(found[0], expected.q, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found[1], expected.qd, rtol=0, atol=1e-4)


def test_huge_angle_within_a_rollout() -> None:
    rollout = damped()
    x, v, u, d = np.array([[3e9, 1.0]] * 2), np.ones((2, 2)), np.zeros((2, 4, 2)), np.full(2, 0.1)
    found = run(rollout, [x, v, u, d], steps=4)
    np.testing.assert_allclose(found[1], expected_rollout(rollout, x, v, u, d, 1)[1], rtol=1e-13)


def test_arithmetic_is_exact() -> None:
    """No approximate division or root, no flushing of small numbers; fused multiplications are the only freedom."""
    program = trace(lambda x: np.array([np.sqrt(x[0]) / x[1], x[0] * x[1] + x[0]]), [Port("x", (2,))])
    for dtype in ("float32", "float64"):
        ptx = program.to_cuda(dtype=dtype).ptx()
        assert not re.search(r"\.approx|\.ftz|\.full", ptx)
        assert re.search(r"div\.rn\.f", ptx)
        assert re.search(r"sqrt\.rn\.f", ptx)
        assert re.search(r"fma\.rn\.f", ptx)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_ptx_of_every_gpu(arch: str) -> None:
    ptx = armdyn.load("ur5").inverse_dynamics.to_cuda(dtype="float32", name="2nd arm").ptx(arch, "rows")
    assert f".target {arch}" in ptx
    assert ".visible .entry x2nd_arm(" in ptx
    assert "ld.global.v2.b32" in ptx  # six floats a row, two at once


def test_row_groups() -> None:
    """As many numbers at once as divide a row: 36 floats by four, 49 one by one."""
    ptx = [
        trace(lambda M: M * 2.0, [Port("M", s)]).to_cuda(dtype="float32").ptx(layout="rows") for s in ((6, 6), (7, 7))
    ]
    assert ptx[0].count("ld.global.v4.b32") == 9
    assert ".v4" not in ptx[1]
    assert ".v2" not in ptx[1]


@pytest.mark.short_run("sm_80")
@needs_ptxas
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_assembled(arch: str) -> None:
    """Inverse dynamics needs no memory but its arrays, and registers for two blocks of 1,024 threads in float32."""
    kernel = armdyn.load("ur5").inverse_dynamics.to_cuda(dtype="float32")
    for layout in ("strided", "rows"):
        found = kernel.report(arch, layout)
        assert found.arch == arch
        assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
        assert 24 < found.registers <= 100
        assert found.code > 1000


@needs_ptxas
@pytest.mark.slow
def test_everything_is_assembled() -> None:
    for _, program in public_programs("scara"):
        assert program.to_cuda().report("sm_90").registers <= 255
    for program in single_operations():
        assert program.to_cuda(dtype="float32").report("sm_80").registers <= 255
    assert damped().to_cuda().report("sm_90").spill_loads == 0


@needs_ptxas
def test_report_of_what_is_no_ptx() -> None:
    with pytest.raises(AssemblerError, match="ptxas -arch=sm_90 refuses nothing: "):
        report("nonsense", "nothing", "sm_90")


def test_without_ptxas() -> None:
    with pytest.raises(MissingLibrary, match="report needs NVIDIA's assembler no_ptxas, which is not on the PATH"):
        report("", "nothing", "sm_90", command="no_ptxas")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler nvcc is not installed")
@pytest.mark.slow
def test_source_by_nvcc(tmp_path: Path) -> None:
    """Every operation, every layout and both types, without a warning."""
    texts = []
    for number, source in enumerate([*single_operations(), odd_shapes(), damped()]):
        for dtype in ("float32", "float64"):
            for layout in ("strided", "rows"):
                text = source.to_cuda(dtype=dtype, name=f"kernel{number}_{dtype}_{layout}").source_for(layout)
                texts.append(f"namespace n{len(texts)} {{\n{text}}}\n")
    Path(tmp_path, "all.cu").write_text("\n".join(texts))
    nvcc = [str(shutil.which("nvcc")), "-ptx", "-arch=sm_90", "-Werror=all-warnings", "all.cu"]
    done = subprocess.run(nvcc, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


def test_what_is_refused() -> None:
    kernel = armdyn.load("ur5").inverse_dynamics.to_cuda()
    with pytest.raises(Unsupported, match="arch='sm_9' is no GPU that PTX is written for; expected sm_80, "):
        kernel.ptx("sm_9")
    with pytest.raises(Unsupported, match="layout='columns'; expected one of 'strided', 'rows', 'packed'"):
        kernel.ptx(layout="columns")
    with pytest.raises(
        Unsupported, match="inverse_dynamics has no layout 'packed': it is for programs with results of"
    ):
        kernel.ptx(layout="packed")
    with pytest.raises(Unsupported, match="layout='packed'; expected one of 'strided', 'rows'"):
        kernel.source_for("packed")
    with pytest.raises(DTypeError, match="dtype='float16'; expected 'float32' or 'float64'"):
        armdyn.load("ur5").inverse_dynamics.to_cuda(dtype="float16")
    with pytest.raises(Unsupported, match=r"sum has 40,000 operations, and 30,000 are the most: a thread"):
        trace(lambda x: _long_sum(x, 20_000), [Port("x", ())], name="sum").to_cuda()
    many = [Port(f"x{k}", ()) for k in range(300)]
    with pytest.raises(Unsupported, match="has 301 arrays, 4840 bytes of parameters; a kernel takes 4352"):
        trace(lambda *x: sum(x), many, name="sum").to_cuda()
    same = trace(lambda a, b: a * b, [Port("a.b", ()), Port("a_b", ())])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in CUDA C\+\+; rename one of them"):
        same.to_cuda().source  # noqa: B018
    close = trace(lambda a, b: a * b, [Port("q", ()), Port("q_data", ())])
    with pytest.raises(Unsupported, match="the kernel would have 'q_data' twice; rename an array"):
        close.to_cuda().source  # noqa: B018
    assert same.to_cuda().ptx()
    assert newest_for((9, 5)) == "sm_90"
    assert newest_for((12, 0)) == "sm_120"
    with pytest.raises(Unsupported, match=r"compute capability is 7\.5; expected 8\.0 \(Ampere\) or newer"):
        newest_for((7, 5))


def _long_sum(x: object, count: int) -> object:
    for k in range(count):
        x = x * (k + 0.5) + 1.0  # type: ignore[operator]
    return x


def test_pickled() -> None:
    kernel = pickle.loads(pickle.dumps(armdyn.load("rp").inverse_dynamics.to_cuda(dtype="float32", name="arm")))  # noqa: S301
    assert (kernel.kernel_name, kernel.dtype) == ("arm", "float32")
    assert isinstance(kernel.program, Program)


def test_without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    from armdyn.targets.llvm.machine import binding_for

    binding_for.cache_clear()
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    kernel = armdyn.load("rp").gravity_forces.to_cuda()
    assert "__global__" in kernel.source
    with pytest.raises(MissingLibrary, match="PTX needs llvmlite, which is not installed: pip install llvmlite"):
        kernel.ptx()
    binding_for.cache_clear()
