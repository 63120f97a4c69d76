"""The handler that XLA calls refuses buffers and plans that do not belong together."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import armdyn
from armdyn.targets.jax import lowering
from armdyn.targets.native.xla_handler import Axis, HandlerError, plan

PLAN = np.array(plan("d", [(2,)] * 4, 3, [5] * 4, Axis(1, (5,) * 4), Axis(5, (1,) * 4)), np.int64)
"""Three arrays and a result of five states, two numbers each."""

WITHOUT_STEPS = np.concatenate([[10], PLAN[1:10]])
"""It says itself how short it is."""

STATES = np.random.default_rng(8).uniform(-2, 2, (3, 5, 2))


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def results(arrays: Any, shape: tuple[int, ...] = (5, 2), **attributes: Any) -> Any:
    program = armdyn.load("planar_2r").inverse_dynamics.program()
    try:
        target = lowering._targets.get((program.digest, "d"), lambda: lowering._registered(program, "d"))
    except HandlerError as error:
        pytest.skip(str(error))
    return jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(shape, float))(*map(jnp.asarray, arrays), **attributes)


def test_what_belongs_together() -> None:
    expected = armdyn.load("planar_2r").inverse_dynamics(*STATES)
    np.testing.assert_allclose(results(STATES, plan=PLAN), expected, rtol=1e-13, atol=1e-13)


WRONG = {
    "no plan": {},
    "another attribute": {"plan": PLAN, "other": PLAN},
    "a number": {"plan": 3},
    "a text": {"plan": "abc"},
    "an empty plan": {"plan": PLAN[:0]},
    "a plan cut off": {"plan": PLAN[:-1]},
    "a plan without steps": {"plan": WITHOUT_STEPS},
    "integers of 4 bytes": {"plan": PLAN.astype(np.int32)},
    "a small result": {"shape": (4, 2), "plan": PLAN},
    "a small array": {"arrays": (*STATES[:2], STATES[2, :3]), "plan": PLAN},
    "an array less": {"arrays": STATES[:2], "plan": PLAN},
    "float32": {"arrays": STATES.astype(np.float32), "plan": PLAN},
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG)
def test_what_does_not(given: dict[str, Any]) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match="other buffers than were planned"):
        jax.block_until_ready(results(**({"arrays": STATES} | given)))
