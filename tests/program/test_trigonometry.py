"""The inline sine and cosine, in units in the last place, against 60-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from armdyn.program import Port, Program, trace
from armdyn.targets import compile_program
from armdyn.targets.gufunc import ENTRY, GufuncInterface, LoopTable, keep
from armdyn.targets.llvm.compiler import compile_ir
from armdyn.targets.llvm.loop import loop_module
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.native.linker import link
from armdyn.targets.native.loader import load

SINCOS = trace(lambda x: (np.sin(x), np.cos(x)), [Port("x", ())], name="sincos")


KINDS = ["host", "plain x86-64 without fused multiply-add"]


def on_machine(program: Program, kind: str) -> np.ufunc:
    if kind == "host":
        return compile_program(program, cache=False)
    if not host().triple.startswith("x86_64"):
        pytest.skip("needs an x86-64 processor")
    machine = Machine(host().triple, "x86-64", "")
    addresses = {}
    for dtype in "fd":
        addresses[dtype], memory = load(link([compile_ir(loop_module(program, dtype, machine).whole, machine)], ENTRY))
        keep(memory)
    return LoopTable(GufuncInterface.of(program), addresses).ufunc


def ulps(results: np.ndarray, x: np.ndarray, function: str) -> np.ndarray:
    """The distance from the true value in units of the last place of the result's type."""
    with mpmath.workprec(220):
        true = [getattr(mpmath, function)(mpmath.mpf(float(v))) for v in x]
        rounded = np.array([float(t) for t in true])
        unit = np.spacing(np.abs(rounded.astype(results.dtype))).astype(float)
        return np.array(
            [abs(float((mpmath.mpf(float(r)) - t) / u)) for r, t, u in zip(results, true, unit, strict=True)]
        )


def angles(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(11)
    spread = np.concatenate(
        [
            rng.uniform(-4.0, 4.0, 500),
            rng.uniform(-100.0, 100.0, 300),
            rng.choice([-1, 1], 600) * 10.0 ** rng.uniform(-12, 9, 600),
            rng.uniform(-1e9, 1e9, 300),
        ]
    )
    multiples = np.concatenate(
        [np.arange(-40, 41), rng.integers(-6 * 10**8, 6 * 10**8, 300), [2**k for k in range(29)]]
    )
    with mpmath.workprec(220):
        near = np.array([float(int(k) * mpmath.pi / 2) for k in multiples]).astype(dtype)
    quarter = (np.arange(-30, 30) * np.pi / 4).astype(dtype)
    neighbours = [np.nextafter(v, s * np.array(np.inf, dtype)) for v in (near, quarter) for s in (1, -1)]
    return np.concatenate([spread.astype(dtype), near, quarter, *neighbours, [0.0]]).astype(dtype)


@pytest.mark.short_run("d-host", "f-host")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", "df")
def test_within_two_ulp_up_to_1e9(dtype: str, kind: str) -> None:
    x = angles(dtype)
    sin_x, cos_x = on_machine(SINCOS, kind)(x)
    assert sin_x.dtype == dtype
    errors = np.concatenate([ulps(sin_x, x, "sin"), ulps(cos_x, x, "cos")])
    assert errors.max() < 1.6
    assert np.median(errors) < 0.5


@pytest.mark.parametrize("dtype", "df")
def test_huge_angles_take_the_slow_path_and_only_they(dtype: str) -> None:
    with np.errstate(over="ignore"):
        x = np.array(
            [1e9, 1.1e9, 1e10, -1e15, 1e22, 2.0**60, -3e37, 0.5, 1.0, 2.0, 3e38 if dtype == "f" else 1e300], dtype
        )
    sin_x, cos_x = compile_program(SINCOS, cache=False)(x)
    assert max(ulps(sin_x, x, "sin").max(), ulps(cos_x, x, "cos").max()) < 1.6
    np.testing.assert_array_equal(sin_x[7:10], compile_program(SINCOS)(x[7:10])[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "bits"), [("d", 30), ("f", 17), ("f", 12)])
def test_an_angle_beside_a_huge_one_is_the_same_number(dtype: str, bits: int, kind: str) -> None:
    """Those that only may be huge, from pi/4 of the limit on, are not computed in another way for their neighbours."""
    compiled = on_machine(SINCOS, kind)
    for x in np.linspace(0.7, 1.6, 40) * 2.0**bits * np.array([[1.0], [-1.0]]):
        alone = compiled(x.astype(dtype))
        for other in (1e30, np.nan, np.inf):
            beside = compiled(np.insert(x, np.arange(len(x)), other).astype(dtype))
            for one, two in zip(alone, beside, strict=True):
                np.testing.assert_array_equal(one, two[1::2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", "df")
def test_infinity_nan_and_zero(dtype: str, kind: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0], dtype)
    sin_x, cos_x = on_machine(SINCOS, kind)(x)
    assert np.isnan(sin_x[:3]).all()
    assert np.isnan(cos_x[:3]).all()
    np.testing.assert_array_equal(np.signbit(sin_x[3:5]), [False, True])
    assert sin_x[3] == sin_x[4] == 0.0
    assert cos_x[3] == cos_x[4] == 1.0
    np.testing.assert_allclose([sin_x[5], cos_x[5]], [np.sin(1.0), np.cos(1.0)], rtol=1e-6)


EXP_TANH = trace(lambda x: (np.exp(x), np.tanh(x)), [Port("x", ())], name="exp_tanh")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", "df")
def test_exp_and_tanh_within_a_few_ulp(dtype: str, kind: str) -> None:
    rng = np.random.default_rng(5)
    limit = 700.0 if dtype == "d" else 86.0
    small = rng.choice([-1, 1], 500) * 10.0 ** rng.uniform(-30, 1, 500)
    x = np.concatenate([rng.uniform(-limit, limit, 400), rng.uniform(-3, 3, 800), small]).astype(dtype)
    exp_x, tanh_x = on_machine(EXP_TANH, kind)(x)
    assert ulps(exp_x, x, "exp").max() < 2.5
    assert ulps(tanh_x, x, "tanh").max() < 4.0


@pytest.mark.parametrize("dtype", "df")
def test_exp_and_tanh_at_the_ends(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0, 1e4, -1e4, 30.0, -30.0], dtype)
    exp_x, tanh_x = compile_program(EXP_TANH, cache=False)(x)
    np.testing.assert_array_equal(exp_x[:6], [np.inf, 0.0, np.nan, 1.0, np.inf, 0.0])
    np.testing.assert_array_equal(tanh_x, [1.0, -1.0, np.nan, 0.0, 1.0, -1.0, 1.0, -1.0])
    tiny = np.array([-745.0, -720.0, 709.7] if dtype == "d" else [-103.0, -90.0, 88.7], dtype)
    smallest = np.finfo(dtype).smallest_subnormal
    np.testing.assert_allclose(
        compile_program(EXP_TANH, cache=False)(tiny)[0],
        np.exp(tiny),
        rtol=1e-6 if dtype == "f" else 1e-14,
        atol=smallest,
    )
