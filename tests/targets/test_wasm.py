"""WebAssembly modules in wasmtime beside the interpreter."""

import json
import math
from functools import partial
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import pytest

import armdyn
from armdyn.base.errors import MissingLibrary, Unsupported
from armdyn.program import Port, Rollout, interpret, trace
from armdyn.targets.wasm import export, module, object_code
from armdyn.targets.wasm.layout import ModuleLayout
from armdyn.targets.wasm.leb128 import signed, unsigned
from armdyn.targets.wasm.parts import count_of, parts_of, passed_on
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single, single_operations
from targets.wasm_calls import Instance

SINES = ("host", "own")


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("sine", SINES)
def test_every_public_function(robot: str, sine: str) -> None:
    """All in one module with one memory, three states in a call."""
    programs = {f"f{k}": program for k, (_, program) in enumerate(public_programs(robot))}
    instance = Instance(module(programs, sine=sine))
    for name, program in programs.items():
        arrays = arguments(program)
        assert_same(instance.states(name, program, arrays), program, arrays)


def test_every_operation_on_all_kinds_of_numbers() -> None:
    odd = (0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 2.5, -3.5, 1e300, -1e300, 5e-324, math.inf, -math.inf, math.nan)
    for program in single_operations():
        n = program.inputs[0].size
        grid = np.stack(np.meshgrid(*[odd] * n, indexing="ij"), -1).reshape(-1, n)
        (expected,) = interpret(program, grid)
        (found,) = Instance(program.to_wasm()).states(program.name, program, [grid])
        np.testing.assert_allclose(found, expected, rtol=1e-15, err_msg=program.name)
        if program.name in ("min", "max"):
            continue  # which of 0 and -0 it gives is left open
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]), err_msg=program.name)


def test_own_sine_within_one_and_a_half_units_in_the_last_place() -> None:
    """Ordinary angles, those near multiples of pi/2, and angles of every size."""
    rng = np.random.default_rng(14)
    angles = [*rng.uniform(-100, 100, 300), *(k * np.pi / 2 + d for k in range(-40, 40) for d in (0.0, 1e-9, -1e-16))]
    scaled = rng.uniform(1, 2, 400) * 2.0 ** rng.integers(-60, 1023, 400)
    angles += [*(rng.choice([-1, 1], 400) * scaled)]
    angles += [6381956970095103.0 * 2.0**797, 2.0**30, np.nextafter(2.0**30, 1e10), 1e22, 1.7976931348623157e308]
    program = trace(lambda x: np.array([np.sin(x), np.cos(x)]), [Port("x", ())], name="both")
    (found,) = Instance(program.to_wasm(sine="own")).states("both", program, [np.array(angles)])
    with mp.workdps(400):
        for x, (sine, cosine) in zip(angles, found, strict=True):
            for value, exact in ((sine, mp.sin(mp.mpf(float(x)))), (cosine, mp.cos(mp.mpf(float(x))))):
                unit = math.ulp(float(exact)) if exact else 5e-324
                assert abs(value - exact) < 1.5 * unit, x


def test_own_sine_of_what_has_none() -> None:
    program = trace(lambda x: np.array([np.sin(x), np.cos(x)]), [Port("x", ())], name="both")
    (found,) = Instance(program.to_wasm(sine="own")).states("both", program, [np.array([np.inf, -np.inf, np.nan])])
    assert np.isnan(found).all()
    (zeros,) = Instance(program.to_wasm(sine="own")).states("both", program, [np.array([0.0, -0.0])])
    np.testing.assert_array_equal(zeros, [[0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(np.signbit(zeros[:, 0]), [False, True])
    assert program.to_wasm(sine="own").imports == ()
    alone = trace(np.cos, [Port("x", ())], name="one")
    x = np.array([0.3, 4e9])
    (cosines,) = Instance(alone.to_wasm(sine="own")).states("one", alone, [x])
    np.testing.assert_allclose(cosines, np.cos(x), rtol=1e-14)


def test_an_array_that_all_states_share() -> None:
    program = armdyn.load("scara").inverse_dynamics.program()
    q, qd, qdd = arguments(program, 5)
    instance = Instance(program.to_wasm())
    (found,) = instance.states("inverse_dynamics", program, [q, qd[0], qdd])
    np.testing.assert_allclose(found, interpret(program, q, qd[0], qdd)[0], rtol=1e-12)
    (none,) = instance.states("inverse_dynamics", program, [q[:0], qd[0], qdd[:0]])
    assert none.shape == (0, 4)


def test_a_program_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later part needs is handed on in memory; also with a loop over time round it."""
    program = armdyn.load("ur5").forward_dynamics.program()
    for part in (7, 50, 401):
        layout = ModuleLayout({"f": program}, own_sine=True, part=part)
        assert len(layout.functions) == 1 + count_of(program, part) + 1
        assert layout.heap == len(layout.data) + 8 * passed_on(program, part)
        parts = parts_of(program, 0, part)
        assert sum(sum(node[0] not in ("input", "const") for node in one.program.nodes) for one in parts) == sum(
            node[0] not in ("input", "const") for node in program.nodes
        )
    rollout, arrays = falling(armdyn.load("scara")), arguments(program)
    (whole,) = Instance(program.to_wasm()).states("forward_dynamics", program, arrays)
    motion = Instance(module({"fall": rollout})).steps("fall", rollout, 4, 2, falling_from())
    monkeypatch.setattr(export, "ModuleLayout", partial(ModuleLayout, part=50))
    (divided,) = Instance(program.to_wasm()).states("forward_dynamics", program, arrays)
    np.testing.assert_array_equal(divided, whole)
    again = Instance(module({"fall": rollout})).steps("fall", rollout, 4, 2, falling_from())
    for one, other in zip(motion, again, strict=True):
        np.testing.assert_array_equal(one, other)


def falling_from() -> list[np.ndarray]:
    """The beginning, and torques of four steps."""
    rng = np.random.default_rng(8)
    q, qd, damping = rng.uniform(0.1, 0.9, (3, 4))
    return [q, qd, rng.uniform(-1, 1, (4, 4)), damping]


STEP = 0.01


class Next(NamedTuple):
    q_next: Any
    qd_next: Any
    energy: Any


@armdyn.function("(n),(n),(n),(n)->(n),(n),()", result=Next)
def step(model: Any, q: Any, qd: Any, tau: Any, damping: Any) -> Next:
    qdd = armdyn.algorithms.forward_dynamics(model, q, qd, tau - damping * qd)
    after = qd + STEP * qdd
    return Next(q + STEP * after, after, armdyn.algorithms.kinetic_energy(model, q, qd))


def falling(robot: armdyn.Robot) -> Rollout:
    """Semi-implicit Euler with torques over time, and the energy recorded."""
    carry = [("q_next", "q"), ("qd_next", "qd")]
    return Rollout(robot.compile(step).program(), carry, stepwise=["tau"], recorded=["q", "energy"])


@pytest.mark.parametrize(("steps", "every"), [(0, 1), (1, 1), (7, 1), (7, 3), (9, 3), (5, 10)])
def test_a_rollout(steps: int, every: int) -> None:
    robot = armdyn.load("scara")
    rollout = falling(robot)
    rng = np.random.default_rng(5)
    q, qd, damping = rng.uniform(0.1, 0.9, (3, 4))
    tau = rng.uniform(-1, 1, (steps, 4))
    rows_q, rows_energy, now, speed = [], [], q, qd
    for k in range(steps):
        after, speed_after, energy = interpret(rollout.step, now, speed, tau[k], damping)
        if k % every == 0:
            rows_q.append(now)
            rows_energy.append(energy)
        now, speed = after, speed_after
    instance = Instance(module({"fall": rollout, "M": robot.mass_matrix.program()}))
    found = instance.steps("fall", rollout, steps, every, [q, qd, tau, damping])
    expected = [now, speed, np.array(rows_q).reshape(-1, 4), np.array(rows_energy).reshape(-1)]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_size() -> None:
    ur5 = armdyn.load("ur5").inverse_dynamics.to_wasm()
    assert len(ur5.bytes) < 4096
    assert ur5.bytes[:8] == b"\0asm\1\0\0\0"


def test_what_the_module_says_of_itself() -> None:
    arm = armdyn.load("planar_2r")
    found = module({"M": arm.mass_matrix.program(), "fall": falling(arm)})
    content = found.bytes[found.bytes.index(b'{"armdyn"') :]
    told = json.JSONDecoder().raw_decode(content.decode(errors="replace"))[0]
    assert told["armdyn"] == armdyn.__version__
    assert told["functions"][0] == {
        "name": "M", "operations": str(arm.mass_matrix.op_counts),
        "inputs": [{"name": "q", "shape": [2]}], "outputs": [{"name": "out", "shape": [2, 2]}],
    }  # fmt: skip
    assert told["functions"][1]["carried"] == ["q", "qd"]
    assert repr(found).startswith("<WebAssembly module arm: M(q) -> out, fall(q, qd, tau, damping) -> q, energy; ")


def test_numbers_and_code() -> None:
    """Examples of the specification, and constants that give back every bit."""
    assert (unsigned(624485).hex(), signed(-123456).hex(), signed(64).hex()) == ("e58e26", "c0bb78", "c000")
    values = np.array([0.0, 1.0, -7.0, 0.5, 0.1, 1e300, 5e-324, 2.0**31, -(2.0**31), math.inf])
    program = trace(lambda x: np.array([x, *values]), [Port("x", ())], name="constants")
    (found,) = Instance(program.to_wasm()).states("constants", program, [np.array([2.0])])
    np.testing.assert_array_equal(found[0, 1:], values)


def test_names_like_operations() -> None:
    """A function of the module may have the name of one that it calls."""
    program = single("sin")
    (found,) = Instance(program.to_wasm()).states("sin", program, [np.array([[0.4]])])
    np.testing.assert_allclose(found, np.sin([0.4]), rtol=1e-15)
    sign = single("sign")
    (found,) = Instance(sign.to_wasm()).states("sign", sign, [np.array([[-0.4]])])
    assert found == [-1.0]


def test_bad_input() -> None:
    program = armdyn.load("planar_2r").mass_matrix.program()
    with pytest.raises(ValueError, match='sine is \'libm\'; expected "host" or "own"'):
        program.to_wasm(sine="libm")
    with pytest.raises(ValueError, match="a module needs a program; none was given"):
        module([])
    with pytest.raises(TypeError, match="M is CompiledFunction; expected a Program or a Rollout"):
        module({"M": armdyn.load("planar_2r").mass_matrix})
    with pytest.raises(Unsupported, match="two programs are named 'mass_matrix'; give a mapping"):
        module([program, program])
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a b' are both 'a_b' in JavaScript"):
        module({"a.b": program, "a b": program})
    many = trace(lambda *x: sum(x), [Port(f"x{k}", ()) for k in range(600)], name="many")
    with pytest.raises(Unsupported, match="many has 600 inputs and 1 outputs: 1202 parameters in WebAssembly"):
        many.to_wasm()
    assert module({"delete": program}).functions[0].name == "delete_"


def test_llvm_without_webassembly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of a machine that LLVM does not have stands for a back end that was left out of its build."""
    monkeypatch.setattr(object_code, "TRIPLE", "no-such-machine")
    object_code._target_machine.cache_clear()
    try:
        with pytest.raises(MissingLibrary, match="llvmlite has no back end for WebAssembly here"):
            single("sin").to_wasm()
    finally:
        object_code._target_machine.cache_clear()


def test_a_function_of_the_host_has_one_byte_in_calls() -> None:
    """Indices of calls are the shortest: those of LLVM's object code have five bytes."""
    program = trace(lambda x: np.array([np.tan(x), np.exp(x)]), [Port("x", ())], name="both")
    code = object_code.object_code(ModuleLayout({"both": program}, own_sine=False).ir)
    assert {name for name, _ in code.imports} == {"tan", "exp"}
    assert len(code.bodies) == 1
    assert b"\x10\x00" in code.bodies[0]
    assert b"\x10\x01" in code.bodies[0]
    assert b"\x80\x80\x80\x00" not in code.bodies[0]
