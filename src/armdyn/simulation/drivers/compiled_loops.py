"""The compiled loops of a robot: steps of an explicit formula under known forces, adaptive or of one length."""

from __future__ import annotations

import time

from armdyn.functions.integrations import CompiledIntegration
from armdyn.program import DORMAND_PRINCE_54, DORMAND_PRINCE_853, EmbeddedPair
from armdyn.program.fixed_formulas import FIXED_FORMULAS
from armdyn.robot import Robot
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.system.rates import rates_of
from armdyn.simulation.system.segment import ModeKinds
from armdyn.simulation.system.state_parts import CORRECTING, StateParts

PAIRS = {"DOP853": DORMAND_PRINCE_853, "RK45": DORMAND_PRINCE_54}
"""The pairs that have a compiled loop, by the names that SciPy's solvers have."""

SECONDS_AT_ONCE = 0.1
"""A loop runs for about so long: then Python handles signals and reports progress."""

ATTEMPTS_AT_FIRST, MOST_ATTEMPTS, MOST_GROWTH = 256, 1 << 20, 32.0
"""Steps that the first call of a loop tries of each state at most; the most of any call, and over the call before."""


def formula_of(method: Method) -> EmbeddedPair | None:
    """The explicit formula of a method: a pair, or a formula with steps of one length; None if it has none."""
    if isinstance(method, FixedStep):
        return FIXED_FORMULAS.get(method.scheme.name)
    return PAIRS.get(method.scipy_method) if isinstance(method, Adaptive) else None


def has_steps(method: Method, forces: Forces) -> bool:
    """True if a compiled loop has the steps of a method under forces: those of an explicit formula, without functions.

    Forces that change during a step are those of adaptive methods.
    """
    predictable = forces.are_known or (isinstance(method, Adaptive) and not forces.by_callables)
    return predictable and formula_of(method) is not None


def loop_of(
    robot: Robot,
    method: Method,
    parts: StateParts,
    modes: ModeKinds | None = None,
    *,
    linear: bool = False,
    parameters: tuple[str, ...] = (),
) -> CompiledIntegration:
    """The compiled loop of a robot, which keeps it for the next motion; arguments as of `rates_of`.

    Each state has values of its own of the ``parameters`` of the model.
    """
    formula = formula_of(method)
    assert formula is not None  # noqa: S101 - for methods with a formula
    cache, name = vars(robot), f"_loop_{formula.name}_{parts}_{modes}_{linear}_{parameters}"
    if name not in cache:
        cache[name] = CompiledIntegration(
            robot,
            rates_of(parts, modes, linear=linear),
            parts.rates,
            formula,
            time="t" if linear else None,
            watched=None if modes is None else "margins",
            slopes=None if modes is None else "slopes",
            corrections=parts.corrected,
            correcting=CORRECTING if parts.corrected else None,
            parameters=parameters,
        )
    loop: CompiledIntegration = cache[name]
    return loop


class Attempts:
    """The number of steps that the next call tries, so that it takes `SECONDS_AT_ONCE`; a context of each call."""

    def __init__(self, first: int, least: int = 1) -> None:
        self.count, self.least = first, least
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        growth = SECONDS_AT_ONCE / max(time.perf_counter() - self._began, 1e-6)
        self.count = min(max(int(self.count * min(growth, MOST_GROWTH)), self.least), MOST_ATTEMPTS)
