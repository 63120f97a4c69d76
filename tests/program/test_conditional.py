"""Nodes that only some states need are left out where no state of a group does, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from armdyn.program import Port, Program, less, select, trace
from armdyn.program.interpret import interpret
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.sections import Arithmetic, arguments_of, cut
from program.test_llvm import compiled_for, narrower_machines

rng = np.random.default_rng(7)


def long_way(x: Any, steps: int = 60) -> Any:
    """Many operations that nothing simplifies."""
    y, added = x, 0.1 / (1.0 + x * x)
    for k in range(steps):
        y = y * (0.9 + 0.001 * k) + added
    return y


def conditional(program: Program) -> list[Arithmetic]:
    return [s for s in cut(program).sections if isinstance(s, Arithmetic) and s.conditions]


def one_arm(x: Any) -> Any:
    return select(less(0.0, x[0]), long_way(x[1]), x[1])


def both_arms(x: Any) -> Any:
    return select(less(0.0, x[0]), long_way(x[1]), long_way(x[1] + 2.0))


def several_selects(x: Any) -> Any:
    """Results of one arm that read a select of the same condition."""
    c = less(0.0, x[0])
    first = select(c, long_way(x[1]), 0.5)
    return [select(c, long_way(first), x[1]), first]


def iteration(x: Any) -> Any:
    """Newton's method for a root, whose steps end where they change nothing."""
    y, done = 0.5 * (x[1] + 3.0), 0.0
    for _ in range(5):
        further = 0.5 * (y + (x[1] + 2.0) / y) + 1e-30 * long_way(y)
        now = less(abs(further - y), 1e-9)
        y, done = select(done, y, further), select(done, 1.0, now)
    return y


def chosen_again(x: Any) -> Any:
    """A select is the other arm of a further one, and both are results that arithmetic reads."""
    start = x[1] * x[1] + 0.3
    first = select(less(0.0, x[0]), start, long_way(start))
    second = select(less(x[1], 0.5), long_way(first + start), first)
    return [second, first, first + second, start]


def of_inputs(x: Any) -> Any:
    """What counts without the long way is a number, or what is given."""
    c = less(0.0, x[0])
    way = long_way(x[1])
    return [select(c, way, 0.5), select(c, way + 1.0, x[0]), select(c, 2.0 * way, x[0] * x[0])]


def passed_on(x: Any) -> Any:
    """An iteration, and a number beside it that each step makes anew: nothing reads it but the next select."""
    y, beside, done = 0.5 * (x[1] + 3.0), x[1] * x[1] + 0.3, 0.0
    for _ in range(3):
        further = 0.5 * (y + (x[1] + 2.0) / y) + 1e-30 * long_way(y)
        now = less(abs(further - y), 1e-3)
        y, beside = select(done, y, further), select(done, beside, further * further + x[0])
        done = select(done, 1.0, now)
    return [y, beside]


def in_turns(x: Any) -> Any:
    """Arms of one condition that read one another through an arm of another condition."""
    c, e = less(0.0, x[0]), less(x[1], 0.5)
    first = select(c, long_way(x[1]), x[1] * x[1])
    second = select(e, long_way(first), first + 1.0)
    return [select(c, long_way(second), 2.0 * second), second]


def arm_within_an_arm(x: Any) -> Any:
    """What the inner arm needs is apart from what the outer one does before and behind it."""
    way = long_way(x[1])
    inner = select(less(way, 0.7), long_way(way + x[0]), way)
    return select(less(0.0, x[0]), long_way(inner), x[1] * x[1])


def decided_late(x: Any) -> Any:
    """What decides about arms, and about an arm within one, comes behind what hangs on it."""
    outer, inner = long_way(x[1]), long_way(x[1] + 1.0)
    decides_inner, decides = less(np.sqrt(x[1]), 0.6), less(0.0, np.sqrt(abs(x[0])) * x[0])
    return [select(decides, select(decides_inner, inner * outer, outer), x[1] * x[1]), decides]


def sines(x: Any) -> Any:
    """Library functions in both arms, and in an arm within one, of values that the arms make; one decides."""
    way = long_way(x[1], 10)
    many = sum(np.sin(way + k) * np.cos(way - k) for k in range(4))
    inner = select(less(np.sin(many), 0.3), sum(np.sqrt(x[1]) ** (k + 0.5) * np.tanh(many + k) for k in range(4)), many)
    return [select(less(0.0, x[0]), inner, sum(np.exp(np.sin(x[0] + k)) for k in range(4))), way]


def three_deep(x: Any) -> Any:
    """A correction of a correction of a correction, each for fewer states."""

    def corrected(y: Any, bounds: tuple[float, ...]) -> Any:
        if not bounds:
            return y
        return select(less(bounds[0], x[0] * y), corrected(long_way(y + x[1]), bounds[1:]), y)

    return [corrected(x[1] * x[1] + 0.2, (0.05, 0.3, 0.9)), x[0] + x[1]]


PROGRAMS: dict[Callable[..., Any], int] = (
    {one_arm: 1, both_arms: 2, several_selects: 2, iteration: 4}
    | {
        chosen_again: 2,
        of_inputs: 3,
        passed_on: 2,
        in_turns: 3,
    }
    | {arm_within_an_arm: 3, decided_late: 3, three_deep: 5, sines: 8}
)
"""How many sections have a condition."""


@pytest.mark.short_run(without=("iteration",))
@pytest.mark.parametrize("function", PROGRAMS)
def test_results_are_those_of_the_interpreter(function: Callable[..., Any]) -> None:
    """Groups of which all states meet the condition, none, some, and a last one that is not whole."""
    program = trace(function, [Port("x", (2,))], name=function.__name__)
    assert len(conditional(program)) == PROGRAMS[function]
    states = rng.uniform(0.1, 1.0, (16 * 6 + 5, 2))
    sides = np.repeat([1.0, -1.0, 1.0, -1.0], 16)
    states[: sides.size, 0] *= sides
    states[sides.size :, 0] *= rng.choice([-1.0, 1.0], len(states) - sides.size)
    states[20] = np.nan
    for dtype in "df":
        x = states.astype(dtype)
        expected = interpret(program, x, dtype=dtype)
        for machine in (host(), *narrower_machines()):
            found = compiled_for(program, machine, dtype)(x)
            for one, wanted in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
                np.testing.assert_allclose(one, wanted, rtol=0, atol=1e-14 if dtype == "d" else 1e-5)


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_state_does_not_depend_on_its_group(function: Callable[..., Any]) -> None:
    """Bit for bit: alone, and among others that meet the condition or do not."""
    ufunc = compiled_for(trace(function, [Port("x", (2,))], name=function.__name__), host(), "d")
    x = rng.uniform(-1.0, 1.0, (64, 2))
    together = np.asarray(ufunc(x))
    alone = np.stack([np.asarray(ufunc(one)) for one in x])
    np.testing.assert_array_equal(
        together.reshape(-1), np.moveaxis(alone, 0, together.ndim - 2 if together.ndim > 1 else 0).reshape(-1)
    )


def random_arms(seed: int) -> Callable[[Any], Any]:
    """Arms in arms of random depth; conditions are made before or behind what hangs on them, or are there already."""
    some = np.random.default_rng(seed)

    def function(x: Any) -> Any:
        values, known = [x[0], x[1]], []

        def value(depth: int) -> Any:
            kind = some.integers(6)
            if depth <= 0 or kind == 0:
                return long_way(values[some.integers(len(values))] + some.normal(), int(some.integers(1, 45)))
            if kind == 1:
                return np.sin(value(depth - 1))
            condition = known[some.integers(len(known))] if known and some.random() < 0.4 else decision(depth - 2)
            arms = value(depth - 1), value(depth - 1)
            if some.random() < 0.5:
                condition = decision(depth - 2)
            known.append(condition)
            chosen = select(condition, *arms)
            if some.random() < 0.5:
                values.append(chosen)
            return chosen

        def decision(depth: int) -> Any:
            return less(value(depth) if some.random() < 0.5 else values[-1], 0.5 * some.normal())

        return [value(5), value(4)]

    return function


@pytest.mark.parametrize("seed", [3, 7, 8, 51, pytest.param(range(20, 60), marks=pytest.mark.slow)])
def test_random_arms_within_arms(seed: int | range) -> None:
    """By the interpreter, and bit for bit the same alone as in a group."""
    x = rng.uniform(-1.0, 1.0, (43, 2))
    for one in [seed] if isinstance(seed, int) else seed:
        program = trace(random_arms(one), [Port("x", (2,))], name="random")
        ufunc = compiled_for(program, host(), "d")
        found = ufunc(x)
        np.testing.assert_allclose(found, interpret(program, x)[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(found, np.stack([ufunc(each) for each in x]))
    if isinstance(seed, int):
        assert max(len(section.conditions) for section in conditional(program)) > 1


@pytest.mark.parametrize("seed", [*range(10), 51])
def test_all_that_a_section_needs_is_there_before(seed: int) -> None:
    """What it reads, and what decides about it: also where arms in short pieces are left in."""
    program = trace(random_arms(seed), [Port("x", (2,))], name="random")
    there = {index for index, node in enumerate(program.nodes) if node[0] in ("input", "const")}
    for section in cut(program).sections:
        assert {condition.node for condition in section.conditions} <= there
        for index in section.nodes:
            assert {*arguments_of(program.nodes[index])} <= there | (
                {*section.nodes[: section.nodes.index(index)]} if isinstance(section, Arithmetic) else set()
            )
        there |= {*section.nodes}
    assert {*program.results} <= there


def test_selects_end_the_sections_that_they_decide_about() -> None:
    """Where arithmetic stores the other arm before; those of a number or of what is given are apart."""
    for function, count in ((one_arm, 0), (chosen_again, 2), (of_inputs, 1)):
        program = trace(function, [Port("x", (2,))], name=function.__name__)
        plan, within = cut(program), {index for section in conditional(program) for index in section.nodes}
        selects = {index for index, node in enumerate(plan.nodes) if node[0] == "select"}
        assert len(plan.before) == count
        assert set(plan.before) == selects & within
        for select_, arm in plan.before.items():
            assert plan.slots[select_] in plan.stored[arm]
    first, second = sorted(cut(trace(chosen_again, [Port("x", (2,))])).before)
    plan = cut(trace(chosen_again, [Port("x", (2,))]))
    assert plan.before[second] == first
    assert {plan.slots[first], plan.slots[second]} < set(plan.stored[plan.before[first]])


def test_arms_within_an_arm_hang_on_both_conditions() -> None:
    """And one jump leaves out all that hangs on the outer one."""
    for function, depths in ((arm_within_an_arm, [1, 2, 1]), (decided_late, [1, 2, 1]), (three_deep, [1, 2, 3, 2, 1])):
        plan = cut(trace(function, [Port("x", (2,))], name=function.__name__))
        (arm,) = [part for part in plan.parts if isinstance(part[0], Arithmetic) and part[0].conditions]
        assert [len(section.conditions) for section in arm if isinstance(section, Arithmetic)] == depths


def test_selects_that_are_passed_on_share_a_slot() -> None:
    plan = cut(trace(passed_on, [Port("x", (2,))]))
    read = {
        a
        for s in plan.sections
        for index in s.nodes
        for a in arguments_of(plan.nodes[index])
        if plan.before.get(index) != a
    }
    chains = [(arm, select_) for select_, arm in plan.before.items() if arm in plan.before]
    shared = [(arm, select_) for arm, select_ in chains if plan.slots[arm] == plan.slots[select_]]
    assert shared == [(arm, select_) for arm, select_ in chains if arm not in read] != []
    assert shared != chains
    assert all(len(plan.stored[arm]) == 1 for arm, _ in shared)


def test_a_value_is_the_same_where_it_decides_and_where_it_is_used() -> None:
    """Of a double root the difference under the root is zero or above, or it is not used."""

    def root(x: Any) -> Any:
        square = x[1] * x[1]
        difference = square - x[0] * x[2]
        return [select(less(difference, 0.0), -1.0, long_way(np.sqrt(difference) + x[1])), np.sqrt(square + 1.0)]

    a, b = rng.uniform(0.1, 2.0, (2, 10_000))
    compiled = compiled_for(trace(root, [Port("x", (3,))], name="root"), host(), "d")
    assert np.isfinite(compiled(np.column_stack([a, b, b * b / a]))).all()


def test_what_stays_without_a_condition() -> None:
    """Short arms and short pieces of arms, what both arms or a result read, and the condition itself."""

    def shared(x: Any) -> Any:
        way = long_way(x[1])
        return select(less(0.0, x[0]), way, 2.0 * way)

    def result(x: Any) -> Any:
        way = long_way(x[1])
        return [select(less(0.0, x[0]), way, 0.0), way]

    def short(x: Any) -> Any:
        return select(less(0.0, x[0]), long_way(x[1], 3), 0.0)

    def alternating(x: Any) -> Any:
        """Many nodes in all, a few at a time: the jumps would take longer."""
        y, c, e = x[1], less(0.0, x[0]), less(x[1], 0.5)
        for k in range(60):
            y = select(c, 0.9 * y + k, y)
            y = select(e, y * y - 0.1 * k, y)
        return y

    def decided_within(x: Any) -> Any:
        """The inner condition is computed in the arm of the outer one, which is then one piece."""
        way = long_way(x[1])
        return select(less(0.0, x[0]), select(less(way, 0.5), long_way(x[1] - 1.0, 3), way), 0.0)

    for function in (shared, result, short, alternating):
        assert not conditional(trace(function, [Port("x", (2,))]))
    assert len(conditional(trace(decided_within, [Port("x", (2,))]))) == 1
