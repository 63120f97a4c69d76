"""The programs that every target is tried on, and what the interpreter says of them."""

import itertools
from collections.abc import Iterator

import numpy as np

import armdyn
from armdyn.program import Port, Program, guarded, interpret, trace
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from determinism.programs import programs
from oracles.short_run import short_run

RNG = np.random.default_rng(1401)

ROBOTS = short_run(["rp", "scara", "stanford"], "rp")
"""Each with a prismatic joint and a tip; every public function of the first is in `make test`."""


def single(name: str) -> Program:
    """One operation of inputs between 0 and 1."""
    graph = Graph()
    arguments = [graph.input(k) for k in range(OPERATIONS[name].arity)]
    nodes = (*graph.nodes, (name, *arguments))
    return Program(name, (Port("x", (len(arguments),)),), (Port("y", ()),), nodes, (len(arguments),))


def single_operations() -> Iterator[Program]:
    """Every operation alone."""
    yield from map(single, OPERATIONS)


def odd_shapes() -> Program:
    """Arrays of rank 0 to 3 and of no size, constants, an input that is a result, a result that stands twice."""
    return trace(
        lambda A, s, B: (np.full((2, 2), 3.5), A, np.array([s * 2.0, s * 2.0]), np.empty((0, 3)), s, B[::-1] * s),
        [Port("A", (2, 3)), Port("s", ()), Port("B", (2, 3, 2))],
    )


def public_programs(name: str) -> Iterator[tuple[str, Program]]:
    """Every public function of a bundled arm, with and without optional arrays, and some others."""
    robot = armdyn.load(name)
    yield from programs(robot)
    yield "guarded", guarded(robot.gravity_forces.program())
    yield "adjoint", robot.inverse_dynamics.program().vjp(primal=True)
    yield "constants and shapes", odd_shapes()
    tip = robot.model.tip or robot.model.frames[-1].name
    constrained = robot.with_constraints(armdyn.constraints.PointOnPlane(tip, (0.1, -0.2, 0.97), (0.3, 0.1, 0.2)))
    yield from itertools.chain(programs(constrained))


def arguments(program: Program, count: int = 3) -> list[np.ndarray]:
    """General states: `count` for each array, along the first axis."""
    return [RNG.uniform(0.2, 0.9, (count, *port.shape)) for port in program.inputs]


def assert_same(found: list[np.ndarray], program: Program, arrays: list[np.ndarray], rtol: float = 1e-12) -> None:
    """What a target computed, beside the interpreter; relative to the largest number of a result."""
    expected = interpret(program, *arrays)
    for result, output, port in zip(found, expected, program.outputs, strict=True):
        atol = rtol * np.abs(output).max(initial=1.0)
        np.testing.assert_allclose(
            np.asarray(result, float).reshape(output.shape),
            output,
            rtol=rtol,
            atol=atol,
            err_msg=f"{program.name}: {port.name}",
        )
